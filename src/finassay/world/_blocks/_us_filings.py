"""When US companies file, which filings they amend, and what amendments and new bases of presentation change."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._us_statements import PLACE, QUARTERS, fiscal, period_ends
from finassay.world._blocks._us_universe import CATEGORIES
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._draws import normal_quantile
from finassay.world._events import Event, EventType
from finassay.world._events_us import UsFiling
from finassay.world._numerics import Floats, exp
from finassay.world._strata import strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._plant_us import UsPlanted
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._us_statements import Statements
    from finassay.world._blocks._us_universe import UsIssuer

FIRST_QUARTER = 3  # the first that is filed; those before are comparatives
# Days after the period's end at 5, 25, 50, 75, 95, 99% (S2 by kind of filer; S1)
_ANNUAL = ((40, 49, 55, 57, 60, 62), (49, 57, 64, 71, 75, 88), (55, 69, 82, 89, 90, 474))
_QUARTERLY = (26, 33, 37, 40, 45, 50)
_MOVED = 0.43  # days by which a weekend delays a filing on average; those measured include it
_RANKS = (0.0, 0.05, 0.25, 0.50, 0.75, 0.95, 0.99, 1.0)
_PERSISTENCE = 0.80  # of the rank within a kind of filer; .86 over all (S1, 3,664)
_INTERIM_PERSISTENCE = 0.40  # of quarterly reports (assumed)
_BEFORE_CLOSE, _BEFORE_LATE = 0.353, 0.887  # 64.7% accepted after 16:00, 11.3% after 17:30 (S2)
CLOSE, _LATE = time(16), time(17, 30)
_GAP = (1, 12, 97, 217, 600)  # days at 0, 25, 50, 75, 100%
_CHANGE = 0.257  # of net income, median; the middle half from 8.4 to 74.4% (S1)
_OVERSTATED = 0.83  # equity falls in so many
_NEW_BASIS = 0.45  # of annual reports: 5.1% of repeated facts differ (S3, 36,783 facts)
_PART = {
    "Revenues", "GrossProfit", "OperatingIncomeLoss", "IncomeLossBeforeIncomeTaxes",
    "IncreaseDecreaseInAccountsReceivable", "AccountsReceivableNetCurrent", "AssetsCurrent", "Assets",
    "LiabilitiesAndStockholdersEquity",
}  # fmt: skip
_TAXED = {
    "IncomeTaxExpenseBenefit", "AccruedLiabilitiesCurrent", "LiabilitiesCurrent", "Liabilities",
}  # fmt: skip
_KEPT = {
    "ProfitLoss", "NetIncomeLoss", "RetainedEarningsAccumulatedDeficit", "StockholdersEquity",
    "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
}  # fmt: skip
_BALANCES = {
    "AccountsReceivableNetCurrent", "AssetsCurrent", "Assets", "LiabilitiesAndStockholdersEquity",
    "AccruedLiabilitiesCurrent", "LiabilitiesCurrent", "Liabilities", "RetainedEarningsAccumulatedDeficit",
    "StockholdersEquity", "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
}  # fmt: skip


@dataclass(frozen=True)
class Correction:
    """What filings before a certain one state otherwise than the truth: an error, or an older basis of presentation.

    Attributes
    ----------
    entity : int
        The company.
    carrier : int
        The id of the filing that first states the truth.
    known : datetime.datetime
        When the company knows better: what it files from then on is right, in a world without the carrier too.
    first : int
        The first quarter concerned.
    items : tuple of int
        Places among the items.
    delta : numpy.ndarray of int64, (items, quarters from the first on)
        What earlier filings state in addition to the truth, in thousands of dollars.
    """

    entity: int
    carrier: int
    known: datetime
    first: int
    items: tuple[int, ...]
    delta: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Draws:
    """All draws for a company's filings, by quarter; the ranks of its lag among annual and quarterly reports."""

    annual: Floats
    quarterly: Floats
    u: Floats
    size: Floats


def us_filing_events(
    seed: int,
    issuer: UsIssuer,
    recorder: Recorder,
    last: date | None,
    statements: Statements,
    column: int,
    planted: UsPlanted,
) -> list[Correction]:
    """Tell a company's filings up to its delisting; return the corrections that some of them carry."""
    draws, ends = _draws(seed, issuer), period_ends(issuer.year_end)
    told: dict[int, Event] = {}
    for k, accepted in usual_times(seed, issuer, last, planted).items():
        end = ends[k]
        payload = _filing(issuer, k, end, accepted, len(told), float(statements.surprise[column, k]))
        with (
            recorder.planting(stream(seed, Purpose.TRAP, issuer.entity, k))
            if k in planted.late or k in planted.evening
            else contextlib.nullcontext()
        ):
            told[k] = recorder.tell(
                EventType.US_FILING, payload, valid=end, disclosed=accepted.date(), at=accepted.time()
            )
    return [
        *_amendments(seed, issuer, recorder, draws, told, last, statements, column, planted),
        *_new_bases(issuer, draws, told, statements, column),
    ]


def _draws(seed: int, issuer: UsIssuer) -> _Draws:
    rng = stream(seed, Purpose.US_FILING, issuer.entity)
    usual = normal_quantile(np.array(strata(seed, Purpose.US_FILING, issuer.entity, 1)))
    habit, z = float(usual[0]), rng.standard_normal(QUARTERS)
    own, interim = (
        float(np.sqrt(part)) * habit + float(np.sqrt(1 - part)) * z
        for part in (_PERSISTENCE, _INTERIM_PERSISTENCE)
    )
    return _Draws(
        normal_rank(own),
        normal_rank(0.88 * interim + 0.5 * (-0.8, 0.1, 0.8)[issuer.category]),
        rng.random((QUARTERS, 10)),
        rng.standard_normal(QUARTERS),
    )


def usual_times(seed: int, issuer: UsIssuer, last: date | None, planted: UsPlanted) -> dict[int, datetime]:
    """Return when a company's filings are accepted, by quarter, up to its last day."""
    draws, found = _draws(seed, issuer), {}
    # Nothing is filed before the listing
    after = datetime.combine(max(date(2013, 1, 2), issuer.listed), time(6))
    for k, end in enumerate(period_ends(issuer.year_end)):
        if k < FIRST_QUARTER or end < issuer.listed - timedelta(days=45):
            continue
        accepted = _accepted(issuer, k, end, draws)
        if k in planted.late:
            accepted = max(accepted, datetime.combine(planted.late[k], accepted.time()))
        accepted = planted.evening.get(k, accepted)
        accepted = _on_business_day(max(accepted, after + timedelta(days=1)))
        if accepted.date() >= min(END, last or END):
            break
        found[k] = after = accepted
    return found


def _accepted(issuer: UsIssuer, k: int, end: date, draws: _Draws) -> datetime:
    """Draw when a filing is accepted: a persistent rank in the company's quantile function of days."""
    annual = end.month == issuer.year_end
    knots = _ANNUAL[issuer.category] if annual else _QUARTERLY
    days = [knots[0] - 8, *knots, knots[-1]]
    rank = (draws.annual if annual else draws.quarterly)[k]
    day = end + timedelta(days=round(float(np.interp(rank, _RANKS, days)) - _MOVED))
    place, spread = float(draws.u[k, 0]), float(draws.u[k, 1])
    if place < _BEFORE_CLOSE:
        minute = 6 * 60 + int(spread * 600)
    else:
        minute = 16 * 60 + int(spread * 90) if place < _BEFORE_LATE else 17 * 60 + 31 + int(spread * 145)
    return _on_business_day(datetime.combine(day, time()) + timedelta(minutes=minute))


def _on_business_day(moment: datetime) -> datetime:
    """Move to the next business day; beyond the economy's end it does not matter."""
    if moment.date() >= END:
        return moment
    return datetime.combine(sessions("XNYS").shift(moment.date(), 0), moment.time())


def normal_rank(z: Floats) -> Floats:
    """Return the normal distribution function (Abramowitz and Stegun 26.2.17, within 1e-7)."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    upper = tail * 0.3989422804 * exp(-0.5 * np.minimum(z * z, 1000.0))
    rank: Floats = np.where(z > 0, 1 - upper, upper)
    return rank


def _filing(
    issuer: UsIssuer, k: int, end: date, accepted: datetime, number: int, surprise: float
) -> UsFiling:
    year, quarter = fiscal(end, issuer.year_end)
    filed = accepted.date()
    if accepted.time() > _LATE:
        filed = sessions("XNYS").shift(filed, 1)
    return UsFiling(
        accession=f"{issuer.cik:010d}-{accepted.year % 100:02d}-{10 * number + 11:06d}",
        form="10-K" if quarter == 4 else "10-Q",
        period=k,
        fiscal_year=year,
        fiscal_period="FY" if quarter == 4 else f"Q{quarter}",
        category=CATEGORIES[issuer.category],
        filed=filed,
        surprise=surprise,
    )


def _amendments(
    seed: int,
    issuer: UsIssuer,
    recorder: Recorder,
    draws: _Draws,
    told: dict[int, Event],
    last: date | None,
    statements: Statements,
    column: int,
    planted: UsPlanted,
) -> list[Correction]:
    """Tell the amendments of filings; those that are planted restate profit, and come of a stream of their own."""
    found = []
    for k, original in told.items():
        context: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        drawn, again = planted.natural.get(k), planted.amended.get(k)
        if drawn is not None:
            gap = float(np.interp(drawn.gap, (0, 0.25, 0.5, 0.75, 1.0), _GAP))
            day, at = (original.disclosed_at + timedelta(days=max(1, round(gap)))).date(), None
            restates, way = drawn.restates, drawn.way
            size = float(normal_quantile(np.array([drawn.size]))[0])
        elif again is not None and again.day > original.disclosed_at.date():
            day, at = again.day, again.minute
            restates, size, way = again.restates, abs(float(draws.size[k])), float(draws.u[k, 5])
            context = recorder.planting(stream(seed, Purpose.TRAP, issuer.entity, QUARTERS + k))
        else:
            continue
        moment = _on_business_day(datetime.combine(day, at or original.disclosed_at.time()))
        if moment.date() >= min(END, last or END):
            continue
        payload = _amendment(issuer, k, original, moment, restates)
        with context:
            told_again = recorder.tell(
                EventType.US_AMENDMENT,
                payload,
                valid=original.valid_from,
                disclosed=moment.date(),
                at=moment.time(),
                supersedes=original,
            )
        if restates:
            form = payload.form.removesuffix("/A")
            found.append(_error(issuer, told_again, k, form, size, way, statements, column))
    return found


def _amendment(issuer: UsIssuer, k: int, original: Event, moment: datetime, restates: bool) -> UsFiling:
    first = original.payload
    assert isinstance(first, UsFiling)  # noqa: S101 - by its type
    return UsFiling(
        accession=f"{issuer.cik:010d}-{moment.year % 100:02d}-{10 * (k + 100) + 7:06d}",
        form=f"{first.form}/A",
        period=k,
        fiscal_year=first.fiscal_year,
        fiscal_period=first.fiscal_period,
        category=first.category,
        filed=moment.date() if moment.time() <= _LATE else sessions("XNYS").shift(moment.date(), 1),
        surprise=0.0,
        amends=first.accession,
        restates=restates,
    )


def _error(
    issuer: UsIssuer,
    carrier: Event,
    k: int,
    form: str,
    size: float,
    u: float,
    statements: Statements,
    column: int,
) -> Correction:
    """Revenue booked too early: receivables, tax owed and retained earnings are off until it is corrected."""
    profit = statements.values[PLACE["NetIncomeLoss"], column]
    stated = int(np.sum(profit[max(0, k - 3) : k + 1])) if form == "10-K" else int(profit[k])
    # The change is a share of what was stated at first: of more than the truth, or of less
    share = _CHANGE * float(exp(1.6 * min(max(size, -2.5), 2.5)))
    larger = (stated > 0) == (u < _OVERSTATED)
    share = min(share, 0.8) / (1.0 - min(share, 0.8)) if larger else share / (1.0 + share)
    owed = statements.values[PLACE["AccountsReceivableNetCurrent"], column, k : k + 14]
    bound = min(0.15 * float(statements.values[0, column, k]), 0.6 * float(np.min(owed)))
    after_tax = max(1.0, min(share * abs(stated), bound))
    before_tax = round(after_tax / 0.78) * (1 if u < _OVERSTATED else -1)
    tax = round(before_tax * 0.22)
    names = sorted(_PART | _TAXED | _KEPT, key=lambda name: PLACE[name])
    delta = np.zeros((len(names), min(QUARTERS - k, 14)), dtype=np.int64)
    for row, name in enumerate(names):
        amount = before_tax if name in _PART else tax if name in _TAXED else before_tax - tax
        delta[row, slice(None) if name in _BALANCES else slice(0, 1)] = amount
    items = [PLACE[name] for name in names]
    # The tax that is not paid is a liability; operating cash flow is as it was
    items.append(PLACE["IncreaseDecreaseInOtherOperatingCapitalNet"])
    extra = np.zeros((1, delta.shape[1]), dtype=np.int64)
    extra[0, 0] = -tax
    stated_otherwise = np.concatenate([delta, extra])
    return Correction(
        issuer.entity, carrier.event_id, carrier.disclosed_at, k, tuple(items), stated_otherwise
    )


def _new_bases(
    issuer: UsIssuer, draws: _Draws, told: dict[int, Event], statements: Statements, column: int
) -> list[Correction]:
    """With some annual reports costs and assets move to another line, and sales are shown net."""
    found = []
    for k, event in told.items():
        payload = event.payload
        assert isinstance(payload, UsFiling)  # noqa: S101 - by its type
        if payload.form != "10-K" or draws.u[k, 6] >= _NEW_BASIS or k < FIRST_QUARTER + 2:
            continue
        share = 0.02 + 0.10 * float(draws.u[k, 7])
        values = statements.values[:, column, :k]
        sold = _share(values, "SellingGeneralAndAdministrativeExpense", share)
        gross = (
            -_share(values, "CostOfRevenue", share) if draws.u[k, 8] < 0.35 else np.zeros(k, dtype=np.int64)
        )
        current, equipment = (
            _share(values, n, share) for n in ("OtherAssetsCurrent", "IntangibleAssetsNetExcludingGoodwill")
        )
        moved = {
            "Revenues": -gross,
            "CostOfRevenue": sold - gross,
            "GrossProfit": -sold,
            "SellingGeneralAndAdministrativeExpense": -sold,
            "OtherAssetsCurrent": current,
            "AssetsCurrent": current,
            "IntangibleAssetsNetExcludingGoodwill": equipment,
            "OtherAssetsNoncurrent": -current - equipment,
        }
        names, delta = tuple(moved), np.stack(list(moved.values()))
        items = tuple(PLACE[name] for name in names)
        found.append(Correction(issuer.entity, event.event_id, event.disclosed_at, 0, items, delta))
    return found


def _share(values: npt.NDArray[np.int64], name: str, share: float) -> npt.NDArray[np.int64]:
    moved: npt.NDArray[np.int64] = np.rint(values[PLACE[name]] * share).astype(np.int64)
    return moved

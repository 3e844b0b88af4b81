"""us_fact: the figures of every filing, with comparatives, on the basis known when it was made (world.md, 3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._us_names import FINANCIALS
from finassay.world._blocks._us_statements import FLOWS, INCOME, ITEMS, PLACE, fiscal, period_ends
from finassay.world._events import Event, EventType
from finassay.world._events_us import UsFiling, UsSplit
from finassay.world._tables._us import FACT_ROWS
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._us_filings import Correction
    from finassay.world._blocks._us_universe import UsIssuer
    from finassay.world._numerics import Floats
    from finassay.world._world import World

Ints = npt.NDArray[np.int64]

_PER_SHARE = (
    "EarningsPerShareBasic", "EarningsPerShareDiluted", "WeightedAverageNumberOfSharesOutstandingBasic",
    "WeightedAverageNumberOfDilutedSharesOutstanding", "EntityCommonStockSharesOutstanding",
)  # fmt: skip
TAGS = (*ITEMS, *_PER_SHARE)
_UNITS = ("USD",) * len(ITEMS) + ("USD/shares", "USD/shares", "shares", "shares", "shares")
# Banks and insurers have no current balances and no cost of sales (world.md, 3.8)
_NOT_FINANCIAL = (
    "CostOfRevenue", "GrossProfit", "OperatingIncomeLoss", "InventoryNet", "AssetsCurrent", "LiabilitiesCurrent",
    "IncreaseDecreaseInInventories",
)  # fmt: skip
_BASIC, _DILUTED, _SHARES, _SHARES_DILUTED, _COVER = range(len(ITEMS), len(TAGS))
_DILUTION = 1.02
_COMPANIES = 40  # in a part: some 180,000 rows


@dataclass(frozen=True)
class Reporting:
    """What the filings of a company are made from."""

    issuer: UsIssuer
    values: Ints  # (items, quarters)
    shares: Floats
    corrections: tuple[Correction, ...]
    splits: tuple[tuple[date, float], ...]
    ends: tuple[date, ...]
    kept: npt.NDArray[np.bool_]  # items that it reports at all


@dataclass
class _Rows:
    """Columns of facts in the making, one array per filing and slot."""

    tag: list[Ints]
    end: list[Ints]  # days since 1970
    quarters: list[Ints]
    value: list[Floats]

    def add(self, tags: Ints, day: int, quarters: int, values: Floats) -> None:
        self.tag.append(tags)
        self.end.append(np.full(tags.size, day, dtype=np.int64))
        self.quarters.append(np.full(tags.size, quarters, dtype=np.int64))
        self.value.append(values)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.tag)


def us_fact(view: View) -> Iterator[pa.Table]:
    """Yield the facts, some companies at a time."""
    filings: dict[int, list[Event]] = {}
    for event in view.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT):
        filings.setdefault(event.entity, []).append(event)
    companies = list(reporting(view.world))
    for start in range(0, len(companies), _COMPANIES):
        part = [(c, filings.get(c.issuer.entity, [])) for c in companies[start : start + _COMPANIES]]
        yield _part(view, part)


def reporting(world: World) -> Iterator[Reporting]:
    """Yield what the filings of each company are made from."""
    us, ledger = world.us, world.ledger
    splits: dict[int, list[tuple[date, float]]] = {}
    for event in ledger.of(EventType.US_SPLIT):
        if isinstance(event.payload, UsSplit):
            ratio = event.payload.new / event.payload.old
            splits.setdefault(event.entity, []).append((event.valid_from, ratio))
    corrections: dict[int, list[Correction]] = {}
    for correction in us.corrections:
        corrections.setdefault(correction.entity, []).append(correction)
    for n, issuer in enumerate(us.issuers):
        values = us.statements.values[:, n]
        kept = np.any(values != 0, axis=1)
        if issuer.sector == FINANCIALS:
            kept[[PLACE[name] for name in _NOT_FINANCIAL]] = False
        yield Reporting(
            issuer,
            values,
            us.statements.shares[n],
            tuple(corrections.get(issuer.entity, ())),
            tuple(splits.get(issuer.entity, ())),
            tuple(period_ends(issuer.year_end)),
            kept,
        )


def _part(view: View, companies: list[tuple[Reporting, list[Event]]]) -> pa.Table:
    import pyarrow as pa

    rows = _Rows([], [], [], [])
    numbers, counts, accessions, ciks, accepted = [], [], [], [], []
    for company, filings in companies:
        for event in sorted(filings, key=_number):
            before = len(rows.tag)
            _filing(rows, company, event)
            count = sum(part.size for part in rows.tag[before:])
            assert isinstance(event.payload, UsFiling)  # noqa: S101 - by its type
            entity = company.issuer.entity & 0xFFFFF
            numbers.append((FACT_ROWS << 56) | (entity << 32) | (_number(event) << 10))
            counts.append(count)
            accessions.append(event.payload.accession)
            ciks.append(company.issuer.cik)
            accepted.append(np.datetime64(event.disclosed_at, "us"))
    repeat = np.array(counts, dtype=np.int64)
    total = int(repeat.sum())
    starts = np.repeat(np.cumsum(repeat) - repeat, repeat)
    tags = np.concatenate(rows.tag) if total else np.zeros(0, dtype=np.int64)
    end = np.concatenate(rows.end) if total else np.zeros(0, dtype=np.int64)
    filing = np.repeat(np.arange(len(counts)), repeat)

    def named(codes: Ints, names: tuple[str, ...] | list[str]) -> pa.Array:
        dictionary = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(names, pa.string()))
        return dictionary.cast(pa.string())

    columns = {
        "id": np.array(numbers, dtype=np.int64)[filing] + np.arange(total) - starts,
        "accession": named(filing, accessions),
        "cik": np.array(ciks, dtype=np.int64)[filing],
        "tag": named(tags, TAGS),
        "unit": named(tags, _UNITS),
        "period_end": end.astype("datetime64[D]").astype("datetime64[us]"),
        "quarters": np.concatenate(rows.quarters) if total else np.zeros(0, dtype=np.int64),
        "value": np.concatenate(rows.value) if total else np.zeros(0),
        "accepted_at": np.array(accepted, dtype="datetime64[us]")[filing],
    }
    return arrow_table(view.catalog.table("us_fact"), columns, total)


def _number(event: Event) -> int:
    """Return a filing's number in the company, which hangs on no other: a period is filed and amended once."""
    assert isinstance(event.payload, UsFiling)  # noqa: S101 - by its type
    return 2 * event.payload.period + (event.type is EventType.US_AMENDMENT)


def stated(company_values: Ints, corrections: tuple[Correction, ...], event: Event) -> Ints:
    """Return a company's statements as a filing states them: the truth, and what is corrected only later."""
    values = company_values
    for correction in corrections:
        if correction.known > event.disclosed_at:
            if values is company_values:
                values = company_values.copy()
            span = slice(correction.first, correction.first + correction.delta.shape[1])
            values[list(correction.items), span] += correction.delta
    return values


def _filing(rows: _Rows, company: Reporting, event: Event) -> None:
    payload = event.payload
    assert isinstance(payload, UsFiling)  # noqa: S101 - by its type
    values = stated(company.values, company.corrections, event)
    k = payload.period
    quarter = fiscal(company.ends[k], company.issuer.year_end)[1]
    sums = np.concatenate(
        [np.zeros((len(FLOWS), 1), dtype=np.int64), np.cumsum(values[: len(FLOWS)], axis=1)], axis=1
    )
    if quarter == 4:
        income = cash = [(k, 4), (k - 4, 4), (k - 8, 4)]
    else:
        lengths = (1,) if quarter == 1 else (1, quarter)
        income = [(end, q) for end in (k, k - 4) for q in lengths]
        cash = [(k, quarter), (k - 4, quarter)]
    _flows(rows, company, sums, event, income, np.arange(INCOME))
    _flows(rows, company, sums, event, cash, np.arange(INCOME, len(FLOWS)))
    kept = np.arange(len(FLOWS), len(ITEMS))[company.kept[len(FLOWS) :]]
    for end in (k, k - quarter):
        if end >= 0:
            rows.add(kept, company.ends[end].toordinal() - _EPOCH, 0, values[kept, end] * 1000.0)
    cover = max(company.ends[k], _days_before(event, 4))
    factor = _split_factor(company, cover)
    shares = np.array([np.rint(company.shares[k] * factor)])
    rows.add(np.array([_COVER]), cover.toordinal() - _EPOCH, 0, shares)


def _flows(
    rows: _Rows, company: Reporting, sums: Ints, event: Event, slots: list[tuple[int, int]], items: Ints
) -> None:
    """Add sums of the quarters of each slot (last quarter, how many); the first quarter of all has no cash flow."""
    kept = items[company.kept[items]]
    is_income = items[0] == 0
    for end, quarters in slots:
        start = end + 1 - quarters
        if start < (0 if is_income else 1):
            continue
        day = company.ends[end].toordinal() - _EPOCH
        rows.add(kept, day, quarters, (sums[kept, end + 1] - sums[kept, start]) * 1000.0)
        if is_income:
            profit = float(sums[PLACE["NetIncomeLoss"], end + 1] - sums[PLACE["NetIncomeLoss"], start])
            rows.add(_PER_SHARE_TAGS, day, quarters, per_share(company, event, profit, start, end))


def per_share(company: Reporting, event: Event, profit: float, start: int, end: int) -> Floats:
    """Earnings per share in cents of a dollar and average shares, in shares of the filing's day."""
    factor = _split_factor(company, event.disclosed_at.date())
    opening = company.shares[max(0, start - 1) : end]
    closing = company.shares[max(1, start) : end + 1]
    weighted = float(np.sum(opening + closing)) / (2 * closing.size) if closing.size else company.shares[0]
    basic = float(np.rint(weighted * factor))
    diluted = float(np.rint(basic * (_DILUTION if profit > 0 else 1.0)))
    earned = profit * 1000.0
    return np.array(
        [np.rint(earned / basic * 100) / 100, np.rint(earned / diluted * 100) / 100, basic, diluted]
    )


def _split_factor(company: Reporting, day: date) -> float:
    factor = 1.0
    for ex, ratio in company.splits:
        if ex <= day:
            factor *= ratio
    return factor


def _days_before(event: Event, days: int) -> date:
    return event.disclosed_at.date() - timedelta(days=days)


_PER_SHARE_TAGS = np.array([_BASIC, _DILUTED, _SHARES, _SHARES_DILUTED])
_EPOCH = 719_163  # the ordinal of 1970-01-01

"""lc_dindicesforvaluation: daily ratios from the versions known at that day's close (world.md, 3.10)."""

from __future__ import annotations

from datetime import time, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._periods import quarter_of
from finassay.world._blocks._reports import CORRECTED
from finassay.world._blocks._shares import CapitalByDay
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType, Implementation, Plan
from finassay.world._events_company import Report
from finassay.world._tables._quotes import daily_columns
from finassay.world._tables._statement_context import (
    Context,
    debt,
    ebitda,
    equity,
    free_cash,
    gross,
    over,
    revenue,
)
from finassay.world._tables._statement_rows import filed
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints, Quotes
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
_NAME = "lc_dindicesforvaluation"
_PART = 100_000
_FILINGS = 20_000  # that are worked on at a time
_SHIFT = 20  # bits of a session's position


def lc_dindicesforvaluation(view: View) -> Iterator[pa.Table]:
    """Yield valuations of all boards on every day on which a share is listed."""
    known = _Known(view)
    whole = view.world.quotes
    seen = np.flatnonzero(sessions().array[whole.session] <= np.datetime64(view.snapshot))
    capital = CapitalByDay(view.ledger.of(EventType.SHARE_CHANGE))
    dividends = _Dividends(view)
    inner = np.array([0, *(issuer.inner for issuer in view.world.issuers)], dtype=np.int64)
    spec = view.catalog.table(_NAME)
    for start in range(0, seen.size, _PART):
        rows = seen[start : start + _PART]
        part = whole.take(rows)
        columns = _ratios(part, known, dividends, *capital.on(part.entity, part.session))
        columns["INNERCODE"] = inner[part.entity]
        columns |= daily_columns(view, _NAME, part.entity, part.session)
        yield arrow_table(spec, columns, rows.size)


class _Known:
    """Per company, figures from each filing on: those of the largest period disclosed, in yuan.

    A filing before the close counts on its day, one after it from the next session.
    """

    def __init__(self, view: View) -> None:
        source = filed(view)
        place = {int(entity): n for n, entity in enumerate(view.world.statements.entity)}
        rows = sorted(
            (event.entity << _SHIFT | _effective(event), *_knowledge(event), place[event.entity])
            for event in view.ledger.of(EventType.REPORT)
        )
        columns = [np.array([row[k] for row in rows], dtype=np.int64) for k in range(4)]
        self.key, period, known, company = columns
        # A corrected report, or one of an older period, does not take the place of a later one
        base = company << 8
        period = np.maximum.accumulate(base + period) - base
        known = np.maximum.accumulate(base + known) - base
        parts = [
            _figures(
                Context(
                    source.versions,
                    *(column[start : start + _FILINGS] for column in (company, period, known)),
                )
            )
            for start in range(0, max(1, company.size), _FILINGS)
        ]
        self.values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def on(self, entity: Ints, session: Ints) -> dict[str, Floats]:
        """Return the figures known at the close of days, NaN before the first filing."""
        place = np.searchsorted(self.key, (entity << _SHIFT) | session, side="right") - 1
        there = (place >= 0) & (self.key[place] >> _SHIFT == entity)
        return {name: np.where(there, values[place], np.nan) for name, values in self.values.items()}


def _figures(x: Context) -> dict[str, Floats]:
    """Return what valuations divide by, in yuan: of twelve months, of a year, of the year so far; balances."""
    twelve = {
        "profit": lambda f: f.parent_profit,
        "core": lambda f: f.core_profit,
        "sales": revenue,
        "cash": lambda f: f.operating_cash,
        "increase": lambda f: f.cash_increase,
        "ebitda": ebitda,
        "gross": gross,
        "free": free_cash,
        "research": lambda f: f.flow("RESEARCH"),
    }
    found = {name: x.twelve_months(read) / 100.0 for name, read in twelve.items()}
    year = np.where(x.period % 4 == 0, x.now.parent_profit, x.year.parent_profit)
    sales = np.where(x.period % 4 == 0, revenue(x.now), revenue(x.year))
    so_far = 4.0 / x.quarters / 100.0
    growth = x.growth(lambda f: f.parent_profit)
    return found | {
        "equity": equity(x.now) / 100.0,
        "year": year / 100.0,
        "year_sales": sales / 100.0,
        "annualised": x.now.parent_profit * so_far,
        "annualised_sales": revenue(x.now) * so_far,
        "annualised_cash": x.now.operating_cash * so_far,
        "debt": debt(x.now) / 100.0,
        "owed": x.now.total_liabilities / 100.0,
        "minority": x.now.stock("MINORITYINTERESTS") / 100.0,
        "bank": x.now.stock("CASHEQUIVALENTS") / 100.0,
        "growth": growth,
        "sales_growth": x.growth(revenue),
    }


def _effective(event: Event) -> int:
    """Return the first session whose close comes after a filing."""
    day = event.disclosed_at.date()
    if event.disclosed_at.time() >= time(15):
        day += timedelta(days=1)
    return sessions().at_or_after(day)


def _knowledge(event: Event) -> tuple[int, int]:
    report = event.payload
    assert isinstance(report, Report)  # noqa: S101 - by its type
    period = quarter_of(report.period_end)
    return period, period + 1 if report.form == CORRECTED else period


class _Dividends:
    """Cash dividends per share that went ex, of which those of the last twelve months count.

    What was paid on the shares before a bonus is stated on those after it, as the price is.
    """

    def __init__(self, view: View) -> None:
        rows: list[tuple[int, float, float]] = []
        for event in view.ledger.of(EventType.DIVIDEND_IMPLEMENTED):
            decided = view.ledger.by_id.get(event.supersedes or 0)
            plan = view.ledger.by_id.get(decided.supersedes or 0) if decided else None
            if plan and isinstance(plan.payload, Plan) and isinstance(event.payload, Implementation):
                session = sessions().at_or_after(event.valid_from)
                growth = (10 + plan.payload.bonus) / 10.0
                rows.append((event.entity << _SHIFT | session, plan.payload.cash / 1000.0, growth))
        rows.sort()
        self.key = np.array([key for key, _, _ in rows], dtype=np.int64)
        # On the shares of the start; after row n of a company one of them has become grown[n + 1]
        sums, grown, company = [0.0], [1.0], -1
        for key, cash, growth in rows:
            before = grown[-1] if key >> _SHIFT == company else 1.0
            company = key >> _SHIFT
            sums.append(sums[-1] + cash * before)
            grown.append(before * growth)
        self.sums, self.grown = np.array(sums), np.array(grown)

    def last_year(self, entity: Ints, session: Ints) -> Floats:
        """Return yuan per share of the day, over the last 243 sessions."""
        high = np.searchsorted(self.key, (entity << _SHIFT) | session, side="right")
        low = np.searchsorted(self.key, (entity << _SHIFT) | np.maximum(session - 243, 0), side="right")
        # Without a dividend in the window the sum is 0, whatever company `grown` belongs to
        paid: Floats = np.rint((self.sums[high] - self.sums[low]) / self.grown[high] * 1e5) / 1e5
        return paid


def _ratios(
    quotes: Quotes, known: _Known, dividends: _Dividends, total: Ints, tradable: Ints
) -> dict[str, Array]:
    f = known.on(quotes.entity, quotes.session)
    price = quotes.close / 100.0
    market, floating = price * total, price * tradable
    value = market + f["debt"] + f["minority"]
    net = value - f["bank"]
    paid = dividends.last_year(quotes.entity, quotes.session) / price
    earnings = _signed(market, f["profit"])
    return {
        "PE": earnings,
        "PB": _signed(market, f["equity"]),
        "PBLF": _signed(market, f["equity"]),
        "PCF": _signed(market, f["cash"]),
        "PCFTTM": _signed(market, f["cash"]),
        "PCFS": _signed(market, f["increase"]),
        "PCFSTTM": _signed(market, f["increase"]),
        "PS": over(market, f["year_sales"]),
        "PSTTM": over(market, f["sales"]),
        "PELYR": _signed(market, f["year"]),
        "PETTMCUT": _signed(market, f["core"]),
        "FORWARDPEQA": _signed(market, f["annualised"]),
        "FORWARDPSQA": over(market, f["annualised_sales"]),
        "FORWARDPCFQA": _signed(market, f["annualised_cash"]),
        "PEG": np.where(earnings > 0, over(earnings, np.nan_to_num(f["growth"])), np.nan),
        "PETTMTOORRATE": np.where(earnings > 0, over(earnings, np.nan_to_num(f["sales_growth"])), np.nan),
        "DIVIDENDRATIO": paid,
        "DIVIDENDRATIO2": paid,
        "TOTALMV": market,
        "TOTALMV2": market,
        "TOTALASMV": market,
        "MVA": market,
        "NEGOTIABLEMV": floating,
        "FLOATMVA": floating,
        "ENTERPRISEVALUEW": value,
        "ENTERPRISEVALUEN": net,
        "EVTOEBITDA": _signed(net, f["ebitda"]),
        "EVTOOR": over(net, f["sales"]),
        "EVTOFCFF": _signed(net, f["free"]),
        "EVTOCFO": _signed(net, f["cash"]),
        "EVTOGP": over(net, np.nan_to_num(f["gross"])),
        "PER": over(market, np.nan_to_num(f["research"])),
        "TOTALMVTORANDD": over(market, np.nan_to_num(f["research"])),
        "MARKETVALUETODEBT1": over(market, f["owed"]),
        "MARKETVALUETODEBT2": over(floating, f["owed"]),
        "DEBTTOASSETVALUE1": over(f["owed"], f["owed"] + market),
        "DEBTTOASSETVALUE2": over(f["owed"], f["owed"] + floating),
    }


def _signed(top: Floats, bottom: Floats) -> Floats:
    """Return top / bottom, also of a loss; NaN where the bottom is zero or the ratio beyond all measure."""
    good = np.nan_to_num(bottom) != 0
    ratio = np.where(good, top / np.where(good, bottom, 1.0), np.nan)
    return np.where(np.abs(ratio) < 1e9, ratio, np.nan)

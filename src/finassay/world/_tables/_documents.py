"""documents: what was published about the events of the ledger, and which of it caused a move."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._documents_drafts import Draft, drafts
from finassay.world._blocks._documents_facts import (
    company_facts,
    index_facts,
    macro_facts,
    news_facts,
    us_facts,
    who,
)
from finassay.world._blocks._documents_names import Names
from finassay.world._blocks._documents_style import Amount, change, day, mixed, money, one_of
from finassay.world._blocks._us_macro import FIRST_ENTITY as MACRO_ENTITY
from finassay.world._blocks._us_macro import SERIES
from finassay.world._blocks._us_names import SECTORS, SECTORS_ZH
from finassay.world._blocks._us_statements import PLACE, fiscal
from finassay.world._events import Event, EventType
from finassay.world._events_us import UsFiling
from finassay.world._tables._us_facts import Reporting, per_share, reporting, stated
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

    from finassay.world._blocks._documents_facts import Facts, Own
    from finassay.world._ledger import Ledger
    from finassay.world._world import World

_ROWS = 122  # in the top byte of their row numbers
_PART = 20_000  # documents at a time
_CN = (
    EventType.HALT, EventType.RESUME, EventType.ST_ON, EventType.ST_OFF, EventType.DELIST_PERIOD, EventType.DELIST,
    EventType.RENAME, EventType.DIVIDEND_PLAN, EventType.DIVIDEND_APPROVED, EventType.DIVIDEND_IMPLEMENTED,
    EventType.REPORT, EventType.FORECAST,
)  # fmt: skip
_INDEX = (EventType.INDEX_IN, EventType.INDEX_OUT, EventType.US_INDEX_IN, EventType.US_INDEX_OUT)
_US = (
    EventType.US_LIST, EventType.US_RENAME, EventType.US_MOVE, EventType.US_DELIST, EventType.US_DIVIDEND,
    EventType.US_SPLIT, EventType.US_CANCEL,
)  # fmt: skip
_FILINGS = (EventType.US_FILING, EventType.US_AMENDMENT)
_WRITTEN = sorted((*_CN, *_INDEX, *_US, *_FILINGS, EventType.MACRO_RELEASE, EventType.NEWS))


def documents(view: View) -> Iterator[pa.Table]:
    """Yield the documents published by the snapshot."""
    spec, moment = view.catalog.table("documents"), view.world.config.moment
    rows: list[Draft] = []
    for draft in _drafts(view.world):
        if collected(draft) <= moment:
            rows.append(draft)
        if len(rows) == _PART:
            yield arrow_table(spec, _columns(view.world, rows), len(rows))
            rows = []
    yield arrow_table(spec, _columns(view.world, rows), len(rows))


def document_truth(world: World) -> pa.Table:
    """Return what no table says: per document its event, and whether it caused a move or distracts.

    Returns
    -------
    pyarrow.Table
        ``document_id``, ``event_id``, ``published_at``, ``role``: ``cause``, ``distractor``, ``notice`` (no move of
        its own) or ``echo`` (repeats another document).
    """
    import pyarrow as pa

    found = list(_drafts(world))
    return pa.table(
        {
            "document_id": pa.array([_identity(world.config.seed, d) for d in found], pa.string()),
            "event_id": pa.array([d.event.event_id for d in found], pa.uint64()),
            "published_at": pa.array([d.published for d in found], pa.timestamp("s")),
            "role": pa.array([d.role for d in found], pa.string()),
        }
    )


def _drafts(world: World) -> Iterator[Draft]:
    """Yield all documents in the order of their row numbers."""
    ledger, names, facts = world.ledger, Names(world.ledger), _Facts(world)
    for kind in _WRITTEN:
        for event in sorted(ledger.of(kind), key=lambda e: e.event_id):
            if event.disclosed_at.year >= _FIRST_YEAR:
                yield from drafts(world.config.seed, names, event, facts.of(names, ledger, event))


_FIRST_YEAR = 2013


class _Facts:
    """Finds what is written about an event; keeps what filings and series are made from."""

    def __init__(self, world: World) -> None:
        self.seed = world.config.seed
        self.reporting = {company.issuer.entity: company for company in reporting(world)}
        vintages = world.us.macro.vintages
        rows = zip(vintages.series.tolist(), vintages.release.tolist(), vintages.value.tolist(), strict=True)
        periods = zip(
            vintages.series.tolist(), vintages.release.tolist(), vintages.period.tolist(), strict=True
        )
        self.oldest: dict[tuple[int, int], date] = {}  # the first period that a release states anew
        for series, release, period in periods:
            self.oldest[series, release] = min(period, self.oldest.get((series, release), period))
        self.values = {(series, release): value for series, release, value in rows}  # the last period's stays

    def of(self, names: Names, ledger: Ledger, event: Event) -> Own | None:
        if event.type in _CN:
            return company_facts(names, ledger, event)
        if event.type in _INDEX:
            return index_facts(names, ledger, event)
        if event.type is EventType.NEWS:
            return news_facts(names, event, self.seed)
        if event.type is EventType.MACRO_RELEASE:
            return self._macro(event)
        if event.type in _FILINGS:
            return self._filing(names, event)
        return us_facts(names, event)

    def _macro(self, event: Event) -> Own:
        place = event.entity - MACRO_ENTITY
        revises = self.oldest[place, event.seq] < event.valid_from
        return macro_facts(event, self.values[place, event.seq], SERIES[place].unit, revises=revises)

    def _filing(self, names: Names, event: Event) -> Own:
        filing = event.payload
        assert isinstance(filing, UsFiling)  # noqa: S101 - by its type
        company = self.reporting[event.entity]
        facts = who(names, event) | _figures(company, event, filing)
        sector = company.issuer.sector
        facts |= {
            "form": filing.form,
            "end": day(event.valid_from),
            "period": Amount(
                f"{filing.fiscal_year}财年{_QUARTERS_ZH[filing.fiscal_period]}",
                f"{_QUARTERS[filing.fiscal_period]} {filing.fiscal_year}",
            ),
            "sector": SECTORS[sector],
            "sector_zh": SECTORS_ZH[sector],
            "amends": filing.amends or "",
        }
        if filing.amends is None:
            parts = {part: one_of(f"{part}_{filing.form}", 0) for part in ("mda", "statements", "risks")}
            return "us_filing", "filing", facts | parts
        phrase, matter = ("us_amendment", "restated") if filing.restates else ("us_unchanged", "unchanged")
        return phrase, "filing", facts | {"matter": one_of(matter, mixed(self.seed, event.event_id, 5))}


_QUARTERS = {
    "FY": "fiscal",
    "Q1": "the first quarter of fiscal",
    "Q2": "the second quarter of fiscal",
    "Q3": "the third quarter of fiscal",
}
_QUARTERS_ZH = {"FY": "年度", "Q1": "第一季度", "Q2": "第二季度", "Q3": "第三季度"}


def _figures(company: Reporting, event: Event, filing: UsFiling) -> Facts:
    """Return the figures of a filing's own period, as it states them, in words."""
    values, k = stated(company.values, company.corrections, event), filing.period
    length = 4 if fiscal(company.ends[k], company.issuer.year_end)[1] == 4 else 1

    def flow(name: str, end: int) -> float:
        return float(values[PLACE[name], max(0, end + 1 - length) : end + 1].sum()) * 1000

    before = k - 4 if k - 4 - length + 1 >= 0 else None
    profit, revenue = flow("NetIncomeLoss", k), flow("Revenues", k)
    eps = per_share(company, event, profit / 1000, k + 1 - length, k)[0]
    facts: Facts = {
        "revenue": money(revenue, "USD"),
        "revenue_change": change(revenue, None if before is None else flow("Revenues", before)),
        "profit": money(profit, "USD"),
        "profit_change": change(profit, None if before is None else flow("NetIncomeLoss", before)),
        "eps": Amount(f"{eps:.2f}美元", f"${eps:.2f}"),
        "cfo": money(flow("NetCashProvidedByUsedInOperatingActivities", k), "USD"),
        "capex": money(flow("PaymentsToAcquirePropertyPlantAndEquipment", k), "USD"),
    }
    for name, tag in _BALANCES.items():
        facts[name] = money(float(values[PLACE[tag], k]) * 1000, "USD")
    return facts


_BALANCES = {
    "cash": "CashAndCashEquivalentsAtCarryingValue",
    "assets": "Assets",
    "liabilities": "Liabilities",
    "equity": "StockholdersEquity",
}


def collected(draft: Draft) -> Any:
    """Return when a document was collected: within an hour and a half of its publication."""
    return draft.published + timedelta(minutes=1 + mixed(draft.event.event_id, draft.copy) % 90)


def _identity(seed: int, draft: Draft) -> str:
    """Return the document's number, which tells nothing about it; a filing's is its accession's."""
    return (
        draft.document
        if draft.document and not draft.copy
        else f"{mixed(seed, draft.event.event_id, draft.copy, 7):016x}"
    )


def _columns(world: World, rows: list[Draft]) -> dict[str, Any]:
    seed = world.config.seed
    return {
        "id": np.array([_number(draft) for draft in rows], dtype=np.int64),
        "document_id": [_identity(seed, draft) for draft in rows],
        "genre": [draft.genre for draft in rows],
        "market": [draft.market for draft in rows],
        "source": [draft.source for draft in rows],
        "published_at": [draft.published for draft in rows],
        "entities": [draft.entities for draft in rows],
        "title_zh": [draft.text.title_zh for draft in rows],
        "title_en": [draft.text.title_en for draft in rows],
        "text_zh": [draft.text.text_zh for draft in rows],
        "text_en": [draft.text.text_en for draft in rows],
        "insert_time": [collected(draft) for draft in rows],
    }


def _number(draft: Draft) -> int:
    """Return the row's number: type (8 bits), entity (24), number of the event (21), copy (3)."""
    event = draft.event
    return (_ROWS << 56) | (int(event.type) << 48) | (event.entity << 24) | (event.seq << 3) | draft.copy

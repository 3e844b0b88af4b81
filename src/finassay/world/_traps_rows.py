"""Where a trap stands in the tables: the row that its event is told in, by the codes and dates that the row shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from finassay.core import InternalError
from finassay.world._blocks._industries import STAR_BOARD
from finassay.world._events import Event, Index, Industry, Member, Plan, Security
from finassay.world._events import EventType as T
from finassay.world._events_bonds import BondDefault, BondTerms, Debtor, MacroSeries, Release
from finassay.world._events_deals import HolderPlan, Merger
from finassay.world._events_funds import FundClass, FundManager
from finassay.world._events_neeq import NeeqShare
from finassay.world._events_us import MacroRelease, UsFiling, UsSecurity

if TYPE_CHECKING:
    from finassay.world._ledger import Ledger

Payload = TypeVar("Payload")
_STATES = {T.DELIST: 4, T.DELIST_PERIOD: 6}  # CHANGETYPE of lc_liststatus


@dataclass(frozen=True)
class Place:
    """Where something stands: what people call it, the table, and the condition that finds its rows in SQL.

    A fund's row is there for each of its share classes, a bond's for each of its codes.
    """

    entity: str
    table: str
    where: str


class Places:
    """Finds the rows of events.

    Parameters
    ----------
    ledger : Ledger
        What the vendor had recorded.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._first: dict[T, dict[int, Any]] = {}

    def of(self, event: Event) -> Place:
        """Return where an event is told; of a touch, where the row is that it touched.

        Raises
        ------
        InternalError
            If events of its type are told nowhere.
        """
        if event.type is T.VENDOR_TOUCH:
            return self.of(self.ledger.by_id[event.supersedes or 0])
        for find in (self._share, self._company, self._fund, self._bond, self._us, self._other):
            place = find(event)
            if place is not None:
                return place
        raise InternalError(f"No row is known for events of the type {event.type.name.lower()}.")

    def net_value(self, entity: int, day: date) -> Place:
        """Return where the net value of a share class on a day is."""
        found = self._payload(T.FUND_CLASS, entity, FundClass)
        return Place(found.code, "mf_fundnetvalueretrans", _where(INNERCODE=found.inner, TRADINGDAY=day))

    def _payload(self, kind: T, entity: int, of: type[Payload]) -> Payload:
        """Return what the first event of a type says of an entity."""
        if kind not in self._first:
            found: dict[int, Any] = {}
            for event in self.ledger.of(kind):
                found.setdefault(event.entity, event.payload)
            self._first[kind] = found
        payload = self._first[kind][entity]
        assert isinstance(payload, of)  # noqa: S101 - by its type
        return payload

    def _share(self, event: Event) -> Place | None:
        """Return where a state of a share is told; an index's member is a share too."""
        day = event.valid_from
        entity = event.payload.security if isinstance(event.payload, Member) else event.entity
        if event.type not in _OF_SHARES:
            return None
        share = self._payload(T.SECURITY, entity, Security)
        key: dict[str, object] = {"INNERCODE": share.inner}
        if event.type is T.ST_ON:
            table, key = "cs_riskalert", {**key, "IMPLEMENTDATE": day}
        elif event.type is T.HALT:
            table, key = "lc_suspendresumption", {**key, "SUSPENDDATE": day}
        elif event.type is T.INDEX_IN:
            index = self._payload(T.INDEX_OPEN, event.entity, Index).inner
            table, key = (
                "lc_indexcomponent",
                {"INDEXINNERCODE": index, "SECUINNERCODE": share.inner, "INDATE": day},
            )
        elif event.type is T.DIVIDEND_PLAN:
            assert isinstance(event.payload, Plan)  # noqa: S101 - by its type
            table = "lc_stibdividend" if share.board == STAR_BOARD else "lc_dividend"
            key |= {"ENDDATE": event.payload.period_end}
            day_told = "INFOPUBLDATE" if share.board == STAR_BOARD else "ADVANCEDATE"
            key |= {day_told: event.disclosed_at.date()}
        elif event.type is T.RENAME:
            table = "secumain"  # names of the snapshot alone: no table dates them
        else:
            table, key = "lc_liststatus", {**key, "CHANGEDATE": day, "CHANGETYPE": _STATES[event.type]}
        return Place(share.code, table, _where(**key))

    def _company(self, event: Event) -> Place | None:
        """Return where a filing, an industry or a deal of a company is told."""
        payload, told = event.payload, event.disclosed_at.date()
        deal = isinstance(payload, HolderPlan | Merger)
        if event.type not in (T.REPORT, T.RESTATEMENT, T.INDUSTRY_SET) and not deal:
            return None
        entity = payload.company if isinstance(payload, HolderPlan | Merger) else event.entity
        share = self._payload(T.SECURITY, entity, Security)
        if isinstance(payload, Industry):
            table = "lc_stibexgindustry" if share.board == STAR_BOARD else "lc_exgindustry"
            found = _where(COMPANYCODE=share.company, INFOPUBLDATE=told, THIRDINDUSTRYCODE=payload.codes[2])
        elif isinstance(payload, Merger):
            table, found = "lc_merger", _where(COMPANYCODE=share.company, INITIALINFOPUBLDATE=told)
        elif isinstance(payload, HolderPlan):
            table, found = "lc_transferplan", _where(COMPANYCODE=share.company, INFOPUBLDATE=told)
        else:
            table, found = "lc_balancesheetall", _where(COMPANYCODE=share.company, INFOPUBLDATE=told)
        return Place(share.code, table, found)

    def _fund(self, event: Event) -> Place | None:
        """Return where a manager, the kind or the benchmark of a fund is told: under its main class."""
        if event.type not in (T.MANAGER_IN, T.FUND_KIND, T.FUND_BENCHMARK):
            return None
        fund, day = self._main_class[event.entity & ~3], event.valid_from
        if isinstance(event.payload, FundManager):
            where = _where(INNERCODE=fund.inner, PERSONALCODE=event.payload.code, ACCESSIONDATE=day)
            return Place(fund.code, "mf_fundmanagernew", where)
        if event.type is T.FUND_KIND:
            return Place(fund.code, "mf_jyfundtype", _where(INNERCODE=fund.inner, EFFECTIVEDATE=day))
        return Place(fund.code, "mf_benchmarkallocation", _where(INNERCODE=fund.inner, EXCUTEDATE=day))

    @cached_property
    def _main_class(self) -> dict[int, FundClass]:
        """The main share class of each fund."""
        classes = (event for event in self.ledger.of(T.FUND_CLASS))
        return {
            event.entity & ~3: event.payload
            for event in classes
            if isinstance(event.payload, FundClass) and event.payload.main
        }

    def _bond(self, event: Event) -> Place | None:
        """Return where the rating, default, price or end of a bond is told."""
        if event.type not in _OF_BONDS:
            return None
        bond, day = self._payload(T.BOND_ISSUE, event.entity, BondTerms), event.valid_from
        code, main = bond.codes[0][2], bond.main
        if event.type is T.BOND_RATING:
            return Place(code, "bond_bdcreditgrading", _where(MAINCODE=main, CRDATE=day))
        if isinstance(event.payload, BondDefault):
            inner = event.payload.inner
            code = next(code for number, _, code in bond.codes if number == inner)
            return Place(code, "bond_default", _where(INNERCODE=inner, DEFAULTDATE=day))
        if event.type is T.CONVERT_PRICE:
            where = _where(INNERCODE=main, VALIDDATE=day, INFOPUBLDATE=event.disclosed_at.date())
            return Place(code, "bond_conbdconvertprice", where)
        return Place(code, "bond_basicinfo", _where(MAINCODE=main, EARLYMATURITYDATE=day))

    def _us(self, event: Event) -> Place | None:
        """Return where a filing, a name or a macro release of the US side is told."""
        payload = event.payload
        if isinstance(payload, MacroRelease):
            where = _where(series=payload.series, period_end=event.valid_from, released_at=event.disclosed_at)
            return Place(payload.series, "us_macro_vintage", where)
        if event.type not in (T.US_FILING, T.US_AMENDMENT, T.US_RENAME):
            return None
        who = self._payload(T.US_SECURITY, event.entity, UsSecurity)
        if isinstance(payload, UsFiling):
            where = _where(accession=payload.accession, period_end=event.valid_from)
            return Place(who.symbol, "us_filing", where)
        where = _where(security_id=who.security, effective_date=event.valid_from)
        return Place(who.symbol, "us_listing_event", where)

    def _other(self, event: Event) -> Place | None:
        """Return where a release of a Chinese series is told, and what else may have been loaded again."""
        payload, told = event.payload, event.disclosed_at.date()
        if isinstance(payload, Release):
            code = self._payload(T.CN_SERIES, event.entity, MacroSeries).code
            where = _where(INDICATORCODE=code, ENDDATE=payload.period)
            return Place(str(code), "c_ed_macroindicatordata", where)
        if event.type is T.DEBTOR_RATING:
            company = self._payload(T.DEBTOR, event.entity, Debtor).company
            where = _where(COMPANYCODE=company, CRDATE=event.valid_from)
            return Place(str(company), "bond_comcreditgrading", where)
        if event.type in _OF_NEEQ:
            share = self._payload(T.NEEQ_SECURITY, event.entity, NeeqShare)
            table = "nq_exgindustry" if event.type is T.NEEQ_INDUSTRY else "nq_dividend"
            return Place(share.code, table, _where(COMPANYCODE=share.company, INFOPUBLDATE=told))
        return None


_OF_SHARES = (
    T.ST_ON, T.HALT, T.INDEX_IN, T.DIVIDEND_PLAN, T.RENAME, T.DELIST, T.DELIST_PERIOD,
)  # fmt: skip
_OF_BONDS = (T.BOND_RATING, T.BOND_DEFAULT, T.CONVERT_PRICE, T.BOND_CALL, T.CONVERT_CALL)
_OF_NEEQ = (T.NEEQ_INDUSTRY, T.NEEQ_PLAN, T.NEEQ_APPROVED, T.NEEQ_IMPLEMENTED)


def _where(**columns: object) -> str:
    """Write a condition that DuckDB, MySQL and PostgreSQL all read."""
    return " AND ".join(f"{column} = {_literal(value)}" for column, value in columns.items())


def _literal(value: object) -> str:
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S}'"
    if isinstance(value, date):
        return f"DATE '{value}'"
    return str(value) if isinstance(value, int) else f"'{value}'"

"""bond_conbdbasicinfo, -callinfo, -putinfo, -convertprice and -exchangequote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._convertibles import CALL_LEVEL, FIRST_CONVERTIBLE, NEEDED, WATCHED
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import ConvertCall, ConvertPrice, ConvertTerms
from finassay.world._tables._bonds_static import GRADE_NAMES, Known, known_bonds
from finassay.world._tables._curves import days_of, sessions_seen, stamped
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

_CALLS = {1: "有条件赎回条款", 2: "到期赎回条款", 3: "赎回执行"}
_PUTS = {1: "有条件回售", 2: "附加回售"}
_MARKETS = {83: "上海证券交易所", 90: "深圳证券交易所"}
_CALL_LEVEL, _PUT_LEVEL, _PUT_DAYS = 130, 70, 30


def _convertibles(view: View) -> dict[int, Known]:
    return {entity: bond for entity, bond in known_bonds(view).items() if entity >= FIRST_CONVERTIBLE}


def _terms(view: View, *parts: int) -> Iterator[tuple[Event, ConvertTerms]]:
    for event in view.ledger.of(EventType.CONVERT_TERMS):
        assert isinstance(event.payload, ConvertTerms)  # noqa: S101 - by its type
        if event.payload.part in parts:
            yield event, event.payload


def _prices(view: View) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    for event in view.ledger.of(EventType.CONVERT_PRICE):
        found.setdefault(event.entity, []).append(event)
    return {entity: sorted(events, key=lambda e: (e.valid_from, e.seq)) for entity, events in found.items()}


def bond_conbdbasicinfo(view: View) -> pa.Table:
    """One row per convertible: the terms of its issue, beside columns of the snapshot."""
    bonds, prices = _convertibles(view), _prices(view)
    listed = {e.entity: e for e in view.ledger.of(EventType.BOND_LIST)}
    rows = []
    for event, rule in _terms(view, 0):
        bond = bonds[event.entity]
        rows.append(_basic(view, event, rule, bond, (listed.get(event.entity), prices.get(event.entity, []))))
    return view.table("bond_conbdbasicinfo", rows)


def _basic(
    view: View, event: Event, rule: ConvertTerms, bond: Known, more: tuple[Event | None, list[Event]]
) -> Row:
    terms, (listed, prices) = bond.terms, more
    ended = bond.end <= view.snapshot
    values: dict[str, Any] = {
        "INNERCODE": terms.main,
        "SECUCODE": terms.codes[0][2],
        "SECUABBR": terms.name,
        "BONDFORM": 1,
        "INITIALINFOPUBLDATE": event.disclosed_at.date(),
        "CREDITRATING": GRADE_NAMES[terms.grade],
        "CREDITRATINGCODE": terms.grade,
        "MATURITY": terms.maturity.year - terms.value_date.year,
        "STARTDATE": terms.value_date,
        "ENDDATE": terms.maturity,
        "PARVALUE": 100,
        "ISSUEVOLUME": terms.planned * 100,
        "ACTUALISSUESIZE": terms.planned / 1e4,
        "COUPONFREQ": 1,
        "COUPONRATE": terms.coupon / 1e4,
        "CONVTERMSTARTDATE": rule.first,
        "CONVTERMENDDATE": rule.last,
        "CALLPRICEEND": 110,
        "STOCKINNERCODE": rule.stock,
        "LATESTSTATUS": 2 if ended else 1,
        "COMPANYCODE": bond.debtor.company,
        "ISSUER": bond.debtor.name,
        "LISTEDMARKET": _MARKETS[terms.codes[0][1]],
        "DELISTDATE": bond.end,
        "IFISSUEDUNSPEC": 1,
    }
    if prices:
        current = [p for p in prices if p.valid_from <= view.snapshot] or prices[:1]
        values |= {"INITIALCONVPRICE": _price(prices[0]), "LATESTCONVPRICE": _price(current[-1])}
    if listed is not None:
        values["LISTEDDATE"] = listed.valid_from
    called = bond.called
    if called is not None:
        values |= {"EARLYMATURITYDATE": called.valid_from, "MATURITYMODE": 2}
        if isinstance(called.payload, ConvertCall):
            last = called.payload.last_trading
            values |= {"LASTTRADINGDATE": last, "TRADEENDDATE": last, "LASTCONVDATE": called.valid_from}
    later = tuple(e for e in (listed, called, *prices[1:]) if e is not None)
    return Row(event, values, later)


def _price(event: Event) -> float:
    assert isinstance(event.payload, ConvertPrice)  # noqa: S101 - by its type
    return event.payload.price / 100


def bond_conbdconvertprice(view: View) -> pa.Table:
    """One row per conversion price, announced before it is valid."""
    bonds = _convertibles(view)
    rows = []
    for event in view.ledger.of(EventType.CONVERT_PRICE):
        assert isinstance(event.payload, ConvertPrice)  # noqa: S101 - by its type
        values = {
            "INNERCODE": bonds[event.entity].terms.main,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INFOSOURCE": "临时公告",
            "VALIDDATE": event.valid_from,
            "CONVERTPRICE": _price(event),
            "CHANGEREASON": event.payload.reason,
        }
        rows.append(Row(event, values))
    return view.table("bond_conbdconvertprice", rows)


def bond_conbdcallinfo(view: View) -> pa.Table:
    """Rules of calls, and a row for each call that a company executes; the time of insertion is its disclosure."""
    bonds, reached = _convertibles(view), _reached(view)
    rows = []
    for event, rule in _terms(view, 1, 2):
        values = _call(bonds[event.entity], rule.part, rule.first, rule.last)
        if rule.part == 1:
            values |= {"CALLLEVEL": _CALL_LEVEL, "CALLCONDITIONDAY": NEEDED}
            values["CALLREACHDAY"] = reached.get(event.entity, 0)
        else:
            values["CALLPRICE"] = rule.price / 1e4
        rows.append(Row(event, values))
    for event in view.ledger.of(EventType.CONVERT_CALL):
        assert isinstance(event.payload, ConvertCall)  # noqa: S101 - by its type
        values = _call(bonds[event.entity], 3, event.disclosed_at.date(), event.valid_from)
        rows.append(Row(event, values | {"CALLPRICE": event.payload.price / 1e4}))
    return view.table("bond_conbdcallinfo", rows)


def _call(bond: Known, kind: int, first: date, last: date) -> dict[str, Any]:
    terms = bond.terms
    return {
        "INNERCODE": terms.main,
        "BONDCODE": terms.codes[0][2],
        "BONDABBR": terms.name,
        "STARTDATE": terms.value_date,
        "CALLTYPE": kind,
        "CALLTYPENAME": _CALLS[kind],
        "CALLSTARTDATE": first,
        "CALLENDDATE": last,
        "CALLPRICEINF": 1,
        "CALLPRICEINFNAME": "含息",
        "PAYMENTYEARSEQUENCE": 0,
        "MULTILEVEL": 1,
    }


def _reached(view: View) -> dict[int, int]:
    """Count the last sessions above the trigger, as of the snapshot."""
    quotes = view.world.fixed_income.convertibles
    seen = quotes.session <= sessions_seen(view)[-1]
    entity = quotes.entity[seen]
    above = quotes.stock[seen] * 100 >= CALL_LEVEL * quotes.price[seen]
    edges = np.flatnonzero(np.r_[True, entity[1:] != entity[:-1], True]) if entity.size else np.array([0])
    spans = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return {int(entity[a]): int(np.sum(above[max(a, b - WATCHED) : b])) for a, b in spans}


def bond_conbdputinfo(view: View) -> pa.Table:
    """Rules of puts: a conditional one in each of the last two interest years, one after a change of purpose."""
    bonds = _convertibles(view)
    rows = []
    for event, rule in _terms(view, 3, 4, 5):
        terms = bonds[event.entity].terms
        years = terms.maturity.year - terms.value_date.year
        kind = 2 if rule.part == 5 else 1
        values: dict[str, Any] = {
            "INNERCODE": terms.main,
            "DATATYPE": 1,
            "PAYMENTYEAR": 0 if kind == 2 else years - 4 + rule.part,
            "IFUNIQUE": 1,
            "PUTPRICE": rule.price / 1e4,
            "PUTTYPE": kind,
            "PUTTYPENAME": _PUTS[kind],
            "PUTSTARTDATE": rule.first,
            "PUTENDDATE": rule.last,
            "IFINTEREST": 1,
        }
        if kind == 1:
            values |= {"PUTLEVEL": _PUT_LEVEL, "TRIGGERDAYS": _PUT_DAYS}
        rows.append(Row(event, values))
    return view.table("bond_conbdputinfo", rows)


def bond_conbdexchangequote(view: View) -> Iterator[pa.Table]:
    """Yield daily quotes with the conversion value and its premium."""
    name, quotes = "bond_conbdexchangequote", view.world.fixed_income.convertibles
    spec, bonds = view.catalog.table(name), _convertibles(view)
    last = int(sessions_seen(view)[-1])
    known = np.isin(quotes.entity, np.array(sorted(bonds), dtype=np.int64)) & (quotes.session <= last)
    rows = np.flatnonzero(known)
    step = 150_000
    for low in range(0, max(rows.size, 1), step):
        at = rows[low : low + step]
        columns = _quotes(quotes, at, bonds)
        entity, session = quotes.entity[at], quotes.session[at]
        within = ((entity - FIRST_CONVERTIBLE) << 20) | session
        yield arrow_table(spec, columns | stamped(spec, name, columns["TRADINGDAY"], within), at.size)


def _quotes(quotes: Any, at: Any, bonds: dict[int, Known]) -> dict[str, Any]:
    entity = quotes.entity[at]
    numbers = np.unique(entity)
    place = np.searchsorted(numbers, entity)
    main = np.array([bonds[int(n)].terms.main for n in numbers], dtype=np.int64)
    ends = np.array(
        [np.datetime64(bonds[int(n)].terms.maturity).astype(np.int64) for n in numbers], dtype=np.int64
    )
    lots = np.array([bonds[int(n)].terms.planned * 10.0 for n in numbers])
    day = sessions().array[quotes.session[at]].astype(np.int64)
    close, before = quotes.close[at] / 1e3, quotes.previous[at] / 1e3
    value = np.rint(quotes.stock[at] * 1e6 / np.maximum(quotes.price[at], 1)) / 1e4
    mean = (quotes.open[at] + quotes.high[at] + quotes.low[at] + quotes.close[at]) // 4
    years = np.rint((ends[place] - day) / 365.0 * 1e6) / 1e6
    return {
        "INNERCODE": main[place],
        "TRADINGDAY": days_of(quotes.session[at]),
        "BONDNATURE": np.full(at.size, 401),
        "MATURITY": years,
        "PREVCLOSEPRICE": before,
        "OPENPRICE": quotes.open[at] / 1e3,
        "HIGHPRICE": quotes.high[at] / 1e3,
        "LOWPRICE": quotes.low[at] / 1e3,
        "CLOSEPRICE": close,
        "CHANGEPCT": np.rint((close / before - 1.0) * 1e8) / 1e6,
        "TURNOVERRATE": np.rint(quotes.volume[at] / lots[place] * 1e8) / 1e6,
        "TURNOVERVOLUME": quotes.volume[at],
        "TURNOVERVALUE": quotes.volume[at] * mean / 100.0,
        "TURNOVERDEALS": quotes.volume[at] // 40 + 1,
        "NEWCONVETPRICE": quotes.price[at] / 100,
        "STOCKPRICE": quotes.stock[at] / 100,
        "CBCONVERTVALUE": value,
        "CONVERTPREMIUMRATE": np.rint((close / value - 1.0) * 1e6) / 1e4,
        "CONVERTPARPRICE": np.rint(close * quotes.price[at]) / 1e4,
        "YRMAT": years,
    }

"""lc_relationship, lc_relatedtrade and lc_equitypenetrate: who belongs together, as reports state it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._economy import GENERAL
from finassay.world._blocks._holders import GROUP, PERSON, holder_names, holder_numbers, stakes
from finassay.world._blocks._parties import (
    ASSOCIATE,
    BEHIND,
    CONTROLLER,
    CONTROLLING,
    GROUP_PLACE,
    KINDS,
    LARGE_HOLDER,
    RELATED_RANK,
    SISTER,
    SISTER_PLACE,
    SUBSIDIARY,
    SUPPLIER,
    is_in_top_five,
    is_state,
    is_there,
    party_names,
    party_numbers,
    share_of_group,
    top_five,
    trades_with,
)
from finassay.world._blocks._periods import YEARS
from finassay.world._blocks._reports import CORRECTED, PERIODIC
from finassay.world._draws import uniform
from finassay.world._tables._statement_rows import ORIGINAL, Rows, filed, row_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._statement_items import Figures
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
_YUAN, _YES, _NO = 142, 1, 2
_WIDE = 24  # bits below which list rows count within a filing's number
_SLOT = 15  # the bits of a row's place in its filing
_COMPANY, _PERSON, _STATE = 1, 2, 3
_WORDS = {
    CONTROLLING: "控股股东",
    CONTROLLER: "实际控制人",
    SUBSIDIARY: "子公司",
    ASSOCIATE: "联营企业",
    SISTER: "同受控股股东控制",
}
PURCHASE, SALE, LEASE = 1, 2, 3
_CONTENT = {PURCHASE: "采购商品", SALE: "销售商品", LEASE: "租赁房产"}
_TRADES = (
    *((place, kind) for place in (0, 6, 7, 8, 9) for kind in (PURCHASE, SALE)),
    (GROUP_PLACE, LEASE),
)


def lc_relationship(view: View) -> Iterator[pa.Table]:
    """Yield the parties of every annual report: owners, subsidiaries, associates, sisters."""
    yield from _tables(view, "lc_relationship", _annual(view), _relations)


def lc_relatedtrade(view: View) -> Iterator[pa.Table]:
    """Yield what general companies bought of, sold to and rented from parties outside the group's accounts."""
    rows = _annual(view)
    general = np.flatnonzero(view.world.statements.template[rows.company] == GENERAL)
    yield from _tables(view, "lc_relatedtrade", rows.take(general), _trades)


def lc_equitypenetrate(view: View) -> Iterator[pa.Table]:
    """Yield large holders and who is behind them, of half years and years; a corrected report lists them anew."""
    shown = filed(view).shown
    own = (shown.number & _SLOT == 0) & ((shown.form == PERIODIC) | (shown.form == CORRECTED))
    rows = shown.take(np.flatnonzero(own & (shown.period % 2 == 0)))
    yield from _tables(view, "lc_equitypenetrate", rows, _owners)


def _annual(view: View) -> Rows:
    """Return the annual reports, each by the row of its own year."""
    shown = filed(view).shown
    own = (shown.form == PERIODIC) & (shown.adjusted == ORIGINAL) & (shown.period % 4 == 0)
    return shown.take(np.flatnonzero(own))


def _tables(view: View, name: str, rows: Rows, make: Any) -> Iterator[pa.Table]:
    spec = view.catalog.table(name)
    yield arrow_table(spec, {}, 0)
    for part in rows.parts():
        columns = _joined(make(view, part))
        yield arrow_table(spec, columns, columns["ID"].size)


def _joined(parts: Iterable[dict[str, Array]]) -> dict[str, Array]:
    """Join rows of several kinds; what a kind has no value for is NULL."""
    found = list(parts)
    kinds = {name: values.dtype for part in found for name, values in part.items()}
    return {
        name: np.concatenate([part.get(name, _gap(kind, part["ID"].size)) for part in found])
        for name, kind in kinds.items()
    }


def _gap(kind: np.dtype[Any], size: int) -> Array:
    if kind.hasobject:
        return np.full(size, None, dtype=object)
    return np.full(size, np.nan)


@dataclass(frozen=True)
class Stakes:
    """What the group and who is behind it hold of N companies: shares in all, of the group, of the person directly."""

    shares: Ints
    group: Ints
    person: Ints
    own: Floats

    @property
    def through(self) -> Ints:
        """Shares that the controller holds through the group."""
        held: Ints = np.rint(self.group * self.own).astype(np.int64)
        return held


def _stakes(view: View, rows: Rows) -> Stakes:
    shares = view.world.statements.shares[rows.company, rows.period]
    held = np.rint(stakes(rows.company, rows.period, 1) * shares[:, None]).astype(np.int64)
    person = np.where(is_state(rows.company), 0, held[:, PERSON])
    return Stakes(shares, held[:, GROUP], person, share_of_group(rows.company))


def _relations(view: View, rows: Rows) -> Iterator[dict[str, Array]]:
    held = _stakes(view, rows)
    figures = filed(view).versions.figures(rows.company, rows.period, rows.known)
    year, now = YEARS[rows.period], np.full(rows.company.size, view.snapshot.year)
    parts = _associates(rows, figures, year)
    for place, kind in enumerate(KINDS):
        there = np.flatnonzero(_is_party(rows, figures, place))
        found = {
            **row_columns(view, "lc_relationship", rows),
            "ID": rows.number | (place + 1) << _WIDE,
            "RELATEDPARTYNAME": party_names(view.world.issuers, rows.company, place),
            "RELATIONSHIP": np.full_like(rows.form, kind),
            "RELATIONSHIPDESCRIP": np.full(rows.form.size, _WORDS[kind], dtype=object),
            "IFMERGED": np.full_like(rows.form, _YES if kind == SUBSIDIARY else _NO),
            "IFEXISTED": np.where(is_there(rows.company, place, now), _YES, _NO),
            "INFOSOURCE": source_words(year),
        }
        if kind != CONTROLLER:
            found["RELATEDPARTYCODE"] = party_numbers(rows.company, place).astype(np.float64)
        if kind in (CONTROLLING, CONTROLLER):
            found |= _owner(view, rows, held, kind)
        elif kind == SUBSIDIARY:
            found |= _subsidiary(view, rows, figures, place)
        elif kind == ASSOCIATE:
            found |= parts[place]
        yield {name: values[there] for name, values in found.items()}


def _is_party(rows: Rows, figures: Figures, place: int) -> Array:
    """Whether a party exists: associates only where the balance sheet has investments in them."""
    there = is_there(rows.company, place, YEARS[rows.period])
    invested = figures.stock("LONGTERMEQUITYINVEST") > 0
    return np.asarray(there & (invested | (KINDS[place] != ASSOCIATE)))


def source_words(year: Ints) -> Array:
    """Return the annual report of each year, in words."""
    words = np.array([f"{n}年年度报告" for n in range(2000, 2040)], dtype=object)
    return np.asarray(words[year - 2000])


def _owner(view: View, rows: Rows, held: Stakes, kind: int) -> dict[str, Array]:
    inner = np.array([issuer.inner for issuer in view.world.issuers], dtype=np.float64)[rows.company]
    direct = held.group if kind == CONTROLLING else held.person
    found: dict[str, Array] = {
        "SHAREAMOUNT": direct * 1.0,
        "EQUITYRATIO": 100.0 * direct / held.shares,
        "INVOLVEDSTOCK": inner,
    }
    if kind == CONTROLLER:
        found["INDIRECTRATIO"] = 100.0 * held.through / held.shares
    return found


def _subsidiary(view: View, rows: Rows, figures: Figures, place: int) -> dict[str, Array]:
    """Return a subsidiary's figures: a part of the consolidated ones; all subsidiaries together stay below half."""
    key = rows.company * 16 + place
    u = [uniform(1, key, salt) for salt in range(51, 57)]
    ratio = 51.0 + np.floor(np.minimum(u[0] * 1.6, 1.0) * 49)
    start = np.array([issuer.shares for issuer in view.world.issuers])[rows.company]
    capital = np.maximum(np.rint(start * (0.005 + 0.028 * u[1]) / 10_000), 1.0) * 10_000
    assets = np.rint(figures.total_assets * (0.02 + 0.10 * u[2]))
    income = np.rint(figures.flow("REVENUE") * (0.02 + 0.10 * u[3]))
    profit = np.rint(figures.net_profit * (0.02 + 0.10 * u[4]))
    return _values(ratio, capital * ratio / 100.0) | {
        "REGCAPITAL": capital,
        "REGCAPCURRENCY": np.full(ratio.size, float(_YUAN)),
        "TOTALASSETS": assets / 100.0,
        "NETASSETS": np.rint(assets * (0.25 + 0.5 * u[5])) / 100.0,
        "OPINCOME": income / 100.0,
        "OPPROFIT": np.rint(profit * 1.2) / 100.0,
        "NETPROFIT": profit / 100.0,
        "FININDCURRENCY": np.full(ratio.size, float(_YUAN)),
    }


def _values(ratio: Floats, invested: Floats) -> dict[str, Array]:
    return {
        "EQUITYRATIO": ratio,
        "INVESTSUM": invested,
        "INVESTCURRENCY": np.full(ratio.size, float(_YUAN)),
    }


def _associates(rows: Rows, figures: Figures, year: Ints) -> dict[int, dict[str, Array]]:
    """Return what associates earn and are worth: income and investments of the equity method, split among them."""
    places = [place for place, kind in enumerate(KINDS) if kind == ASSOCIATE]
    weight = [
        is_there(rows.company, place, year) * (0.2 + uniform(1, rows.company * 16 + place, 57))
        for place in places
    ]
    total = weight[0] + weight[1]
    income, invested = figures.flow("ASSOCIATES"), figures.stock("LONGTERMEQUITYINVEST")
    found = {}
    for n, place in enumerate(places):
        ratio = 20.0 + np.floor(uniform(1, rows.company * 16 + place, 58) * 30)
        second = [np.rint(whole * (weight[1] / total)) for whole in (income, invested)]
        earned, worth = second if n else [income - second[0], invested - second[1]]
        found[place] = _values(ratio, worth / 100.0) | {
            "NETASSETS": worth / ratio,
            "NETPROFIT": earned / ratio,
            "FININDCURRENCY": np.full(ratio.size, float(_YUAN)),
        }
    return found


def _trades(view: View, rows: Rows) -> Iterator[dict[str, Array]]:
    figures = filed(view).versions.figures(rows.company, rows.period, rows.known)
    base = {
        PURCHASE: figures.flow("COST"),
        SALE: figures.flow("REVENUE"),
        LEASE: figures.flow("ADMINISTRATION"),
    }
    for n, (place, kind) in enumerate(_TRADES):
        year = YEARS[rows.period]
        amount = _amount(rows, base[kind], place, kind)
        there = trades_with(rows.company, rows.period, place, kind) & _is_party(rows, figures, place)
        chosen = np.flatnonzero(there & (amount > 0))
        market = uniform(1, (rows.company * 16 + place) * 4 + kind, 59) < 0.7
        found = {
            **row_columns(view, "lc_relatedtrade", rows),
            "ID": rows.number | (n + 1) << _WIDE,
            "RELATEDPARTY": party_names(view.world.issuers, rows.company, place),
            "ASSOCIATION": np.full_like(rows.form, KINDS[place]),
            "TRADETYPE": np.full_like(rows.form, kind),
            "TRADESUM": amount / 100.0,
            "RATIOINPROJECT": 100.0 * amount / np.maximum(base[kind], 1),
            "PRICINGMETHOD": np.where(market, 1, 2),
            "TRADECONTENT": np.full(rows.form.size, _CONTENT[kind], dtype=object),
            "INFOSOURCE": source_words(year),
        }
        yield {name: values[chosen] for name, values in found.items()}


def _amount(rows: Rows, base: Ints, place: int, kind: int) -> Ints:
    """Return the amount of a trade in fen: of a party among the five that of their list, else less than theirs."""
    u = uniform(1, ((rows.company * 16 + place) * 4 + kind) * 64 + rows.period, 60)
    if kind == LEASE:
        rent: Ints = np.rint(base * (0.005 + 0.03 * u)).astype(np.int64)
        return rent
    shares = top_five(rows.company, rows.period, kind)
    small = np.rint(shares[:, -1] * base * (0.05 + 0.9 * u)).astype(np.int64)
    if place != (GROUP_PLACE if kind == SUPPLIER else SISTER_PLACE):
        return small
    listed = np.rint(shares[:, RELATED_RANK[kind]] * base).astype(np.int64)
    amount: Ints = np.where(is_in_top_five(rows.company, rows.period, kind), listed, small)
    return amount


@dataclass(frozen=True)
class _Owner:
    """A line of the chain of owners, of N companies: who, what kind, shares held directly and through others."""

    relation: int
    name: Array
    number: Floats
    kind: Ints
    direct: Ints
    indirect: Ints


def _owners(view: View, rows: Rows) -> Iterator[dict[str, Array]]:
    """Yield the group, the controller, who else is behind the group, and institutions with 5% or more."""
    held = _stakes(view, rows)
    for n, owner in enumerate(_chain(view, rows, held)):
        total = owner.direct + owner.indirect
        least = 0.05 * held.shares if owner.relation == LARGE_HOLDER else np.zeros_like(total)
        chosen = np.flatnonzero((total > 0) & (total >= least))
        found = {
            **row_columns(view, "lc_equitypenetrate", rows),
            "ID": rows.number | (n + 1) << _WIDE,
            "RELATIONSHIP": np.full_like(total, owner.relation),
            "RELATEDTYPE": owner.kind,
            "RELATEDPARTYNAME": owner.name,
            "RELATEDCODE": owner.number,
            "SERIALNUMBER": np.full_like(total, n + 1),
            "DIRECTAMOUNT": owner.direct,
            "DIRECTRATIO": 100.0 * owner.direct / held.shares,
            "INDIRECTAMOUNT": owner.indirect,
            "INDIRECTRATIO": 100.0 * owner.indirect / held.shares,
            "TOTALAMOUNT": total,
            "TOTALRATIO": 100.0 * total / held.shares,
            "INVESTCURRENCY": np.full_like(total, _YUAN),
        }
        yield {name: values[chosen] for name, values in found.items()}


def _chain(view: View, rows: Rows, held: Stakes) -> Iterator[_Owner]:
    issuers, company, state = view.world.issuers, rows.company, is_state(rows.company)
    none, firm = np.zeros_like(company), np.full_like(company, _COMPANY)

    def number(place: int) -> Floats:
        return holder_numbers(company, np.full_like(company, place)).astype(np.float64)

    yield _Owner(CONTROLLING, party_names(issuers, company, 0), number(GROUP), firm, held.group, none)
    person = np.where(state, np.nan, number(PERSON))
    kind = np.where(state, _STATE, _PERSON)
    yield _Owner(CONTROLLER, party_names(issuers, company, 1), person, kind, held.person, held.through)
    nobody = np.full(company.size, np.nan)
    yield _Owner(BEHIND, _partners(company), nobody, firm, none, held.group - held.through)
    weight = stakes(company, rows.period, 1)
    for place in range(GROUP + 1, PERSON):
        names = holder_names(issuers, company, np.full_like(company, place))
        sums = np.rint(weight[:, place] * held.shares).astype(np.int64)
        yield _Owner(LARGE_HOLDER, names, number(place), firm, sums, none)


def _partners(company: Ints) -> Array:
    names = np.array([f"员工持股平台{a}号（有限合伙）" for a in "一二三四五"], dtype=object)
    return np.asarray(names[company % names.size])

"""lc_suppcustdetail and lc_suppcustattach: the five largest suppliers and customers of a year, and who is behind them.

A later filing that shows the year anew overwrites the row: its values, its disclosure, its last touch. The parties
behind it are then entered anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._economy import GENERAL
from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._parties import (
    CUSTOMER,
    GROUP_PLACE,
    RELATED_RANK,
    SISTER_PLACE,
    SUPPLIER,
    TOP,
    conceals,
    is_in_top_five,
    partner,
    partner_names,
    party_names,
    party_numbers,
    top_five,
)
from finassay.world._blocks._periods import ENDS, YEARS
from finassay.world._blocks._reports import CORRECTED
from finassay.world._blocks._statement_items import FLOW
from finassay.world._draws import uniform
from finassay.world._tables._deals_related import source_words
from finassay.world._tables._statement_rows import ORIGINAL, Rows, filed, row_columns, vendor_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints

Array = npt.NDArray[Any]
_WIDE = 24  # bits below which list rows count within a filing's number
_UNRELATED, _RELATED, _CONCEALED = 1, 2, 3
_ORDINALS = "一二三四五"
_WHO = {SUPPLIER: "供应商", CUSTOMER: "客户"}
_FIRST_OUTSIDE = 50_000_000
_BEHIND = 0.25  # of named partners are several companies of one group
_LISTED_PARTNER = 0.2


@dataclass(frozen=True)
class _Partners:
    """One rank of a list, N companies and years: who, how much in fen, of what."""

    relation: int
    rank: int
    name: Array
    number: Array
    attribute: Ints
    amount: Ints
    base: Ints


def lc_suppcustdetail(view: View) -> Iterator[pa.Table]:
    """Yield five suppliers and five customers per company and year, as last disclosed."""
    spec = view.catalog.table("lc_suppcustdetail")
    yield arrow_table(spec, {}, 0)
    for rows, _ in _years(view):
        parts = [_detail(view, rows, made) for made in _lists(view, rows)]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        yield arrow_table(spec, columns, columns["ID"].size)


def lc_suppcustattach(view: View) -> Iterator[pa.Table]:
    """Yield the two or three companies behind some suppliers and customers; they add up to the row."""
    spec = view.catalog.table("lc_suppcustattach")
    yield arrow_table(spec, {}, 0)
    for rows, entered in _years(view):
        parts = [part for made in _lists(view, rows) for part in _behind(view, rows, entered, made)]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        yield arrow_table(spec, columns, columns["ID"].size)


def _years(view: View) -> Iterator[tuple[Rows, Array]]:
    """Yield a row per general company and year end: the first one's number, the last one's values.

    Beside it, when the last version was entered. Comparatives of later years are no versions of the list.
    """
    shown = filed(view).shown
    wanted = (shown.adjusted == ORIGINAL) | (shown.form == CORRECTED)
    general = view.world.statements.template[shown.company] == GENERAL
    rows = shown.take(np.flatnonzero(wanted & general & (shown.period % 4 == 0)))
    rows = rows.take(np.lexsort((rows.number, rows.disclosed, rows.period, rows.company)))
    key = rows.company << 8 | rows.period
    new = key[1:] != key[:-1]
    first, last = rows.take(np.r_[True, new][: key.size]), rows.take(np.r_[new, True][: key.size])
    made = replace(last, number=first.number, inserted=first.inserted)
    order = np.lexsort((made.number, made.company))
    made, entered = made.take(order), last.inserted[order]
    start = 0
    for part in made.parts():
        yield part, entered[start : start + part.number.size]
        start += part.number.size


def _lists(view: View, rows: Rows) -> Iterator[_Partners]:
    figures = filed(view).versions.figures(rows.company, rows.period, rows.known)
    for relation, item in ((SUPPLIER, "COST"), (CUSTOMER, "REVENUE")):
        base = figures.flow(item)
        amounts = np.rint(top_five(rows.company, rows.period, relation) * base[:, None]).astype(np.int64)
        for rank in range(TOP):
            yield _partner(view, rows, relation, rank, amounts[:, rank], base)


def _partner(view: View, rows: Rows, relation: int, rank: int, amount: Ints, base: Ints) -> _Partners:
    """Say who it is: a listed company that is large enough, another one, a related party, or a number for a name."""
    number = partner(rows.company, rows.period, relation, rank)
    name, code = partner_names(number), (_FIRST_OUTSIDE + number % 10_000_000).astype(np.float64)
    issuers = view.world.issuers
    other = number // 8 // TOP * TOP + rank
    other %= len(issuers) // TOP * TOP
    draw = uniform(1, number, 44) < _LISTED_PARTNER
    listed = draw & _could_be(view, rows, other, relation, amount)
    name = np.where(listed, np.array([issuer.name for issuer in issuers], dtype=object)[other], name)
    code = np.where(listed, np.array([issuer.company for issuer in issuers])[other], code)
    hidden = conceals(rows.company, relation)
    name = np.where(hidden, f"{_WHO[relation]}{_ORDINALS[rank]}", name)
    code = np.where(hidden, np.nan, code)
    attribute = np.where(hidden, _CONCEALED, _UNRELATED)
    if rank == RELATED_RANK[relation]:
        place = GROUP_PLACE if relation == SUPPLIER else SISTER_PLACE
        mine = is_in_top_five(rows.company, rows.period, relation)
        name = np.where(mine, party_names(issuers, rows.company, place), name)
        code = np.where(mine, party_numbers(rows.company, place), code)
        attribute = np.where(mine, _RELATED, attribute)
    return _Partners(relation, rank, name, code, attribute, amount, base)


def _could_be(view: View, rows: Rows, other: Ints, relation: int, amount: Ints) -> Array:
    """Whether another company was listed then, and sells or spends at least four times as much."""
    start = np.array([issuer.listed for issuer in view.world.issuers], dtype="datetime64[D]")
    flow = FLOW["REVENUE" if relation == SUPPLIER else "COST"]
    size = view.world.statements.flows[other, rows.period, flow]  # whatever was restated
    listed = start[other] <= ENDS[rows.period]
    return np.asarray((other != rows.company) & listed & (size >= 4 * amount))


def _detail(view: View, rows: Rows, made: _Partners) -> dict[str, Array]:
    sectors = np.array([issuer.sector for issuer in view.world.issuers])[rows.company]
    goods = "{sector}主产品" if made.relation == CUSTOMER else "{sector}原材料"
    labels = np.array([goods.format(sector=sector) for sector in SECTORS], dtype=object)
    return row_columns(view, "lc_suppcustdetail", rows) | {
        "ID": _number(rows, made),
        "INFOSOURCE": source_words(YEARS[rows.period]),
        "RELATIONTYPE": np.full_like(rows.form, made.relation),
        "SERIALNUMBER": np.full_like(rows.form, made.rank + 1),
        "RELATEDPARTYNAME": made.name,
        "RELATEDPARTYCODE": made.number,
        "RELATEDPARTYATTRIBUTE": made.attribute,
        "TARGETNAME": labels[sectors],
        "TRADINGVALUE": made.amount / 100.0,
        "RATIO": 100.0 * made.amount / np.maximum(made.base, 1),
    }


def _number(rows: Rows, made: _Partners) -> Ints:
    number: Ints = rows.number | (made.relation * 16 + made.rank) << _WIDE
    return number


def _behind(view: View, rows: Rows, entered: Array, made: _Partners) -> Iterator[dict[str, Array]]:
    """Yield one dictionary per place behind a row; the last takes what is left."""
    outside = (made.attribute == _UNRELATED) & (made.number >= _FIRST_OUTSIDE)
    key = (rows.company * 4 + made.relation) * 8 + made.rank
    several = outside & (uniform(1, key, 45) < _BEHIND)
    three = uniform(1, key, 46) < 0.4
    first = np.rint(made.amount * (0.4 + 0.2 * uniform(1, key, 47))).astype(np.int64)
    second = np.where(three, np.rint((made.amount - first) * 0.6).astype(np.int64), made.amount - first)
    sums = (first, second, made.amount - first - second)
    for place, amount in enumerate(sums):
        chosen = np.flatnonzero(several & (three | (place < 2)))
        number = rows.number | (made.relation * 32 + made.rank * 4 + place) << _WIDE
        size = number.size
        found = vendor_columns(
            view, "lc_suppcustattach", number, entered, np.maximum(entered, rows.touched)
        ) | {
            "ID": number,
            "RID": _number(rows, made),
            "SERIALNUMBER": np.full(size, place + 1),
            "RELATEDPARTYNAME": made.name + f"{_ORDINALS[place]}分公司",
            "RELATEDPARTYCODE": made.number + 10_000_000 * (place + 1),
            "RELATEDPARTYATTRIBUTE": made.attribute,
            "TRADINGVALUE": amount / 100.0,
            "RATIO": 100.0 * amount / np.maximum(made.base, 1),
        }
        yield {name: values[chosen] for name, values in found.items()}

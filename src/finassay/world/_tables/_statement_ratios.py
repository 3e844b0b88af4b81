"""Ratios: by version for all boards and for STAR, overwritten in lc_mainindexnew and lc_qfinancialindexnew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._periods import QUARTERS, SEASONS
from finassay.world._blocks._reports import PERIODIC
from finassay.world._draws import uniform
from finassay.world._tables._ratios import RULES, SUMS
from finassay.world._tables._statement_context import Context, Given
from finassay.world._tables._statement_rows import Filed, Rows, filed, row_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.temporal import Column

Array = npt.NDArray[Any]
_STAR = 7
UNDATED = 0.005  # of single-quarter rows whose disclosure the vendor does not know
_OTHER_NAMES = {  # of lc_derivativedata
    "INTERESTFREECLIABILITIES": "INTERESTFREECLIABILITY",
    "WORKINGCAITAL": "WORKINGCAPITAL",
    "NETINCOMEFROMVALUECHANGE": "NETINCFROMVALUECHANGE",
    "NPDEDUCTNONRECURRINGPL": "NETPROFITCUT",
    "FCFF": "ENTERPRISEFCF",
    "FCFE": "SHAREHOLDERFCF",
}


def fin_derivative(view: View) -> Iterator[pa.Table]:
    """Return derived figures of all boards, one row per version."""
    source = filed(view)
    for rows in source.shown.parts():
        found = _ratios(view, "fin_derivative", source, rows)
        found |= {"MARK": np.ones_like(rows.form)}
        yield arrow_table(view.catalog.table("fin_derivative"), found, rows.number.size)


def lc_derivativedata(view: View) -> Iterator[pa.Table]:
    """Return derived amounts and sums over twelve months of all boards, one row per version."""
    source = filed(view)
    for rows in source.shown.parts():
        found = _ratios(view, "lc_derivativedata", source, rows)
        context = Context(source.versions, rows.company, rows.period, rows.known)
        found |= {name: context.twelve_months(read) / 100.0 for name, read in SUMS.items()}
        found |= {name: RULES[rule](context) for name, rule in _OTHER_NAMES.items()}
        found["BULLETINTYPE"] = rows.form.astype(str).astype(object)
        yield arrow_table(view.catalog.table("lc_derivativedata"), found, rows.number.size)


def lc_stibmainindex(view: View) -> Iterator[pa.Table]:
    """Ratios of STAR companies, one row per version."""
    source = filed(view)
    star = source.shown.take(np.flatnonzero(_boards(view)[source.shown.company] == _STAR))
    yield _empty(view, "lc_stibmainindex")
    for rows in star.parts():
        found = _ratios(view, "lc_stibmainindex", source, rows)
        found |= {"IFMERGED": np.ones_like(rows.form), "IFADJUSTED": rows.adjusted}
        yield arrow_table(view.catalog.table("lc_stibmainindex"), found, rows.number.size)


def lc_mainindexnew(view: View) -> Iterator[pa.Table]:
    """Ratios outside STAR: the last version only, dated by the filing that changed it last."""
    source = filed(view)
    yield _empty(view, "lc_mainindexnew")
    for rows in overwritten(view, source).parts():
        found = _ratios(view, "lc_mainindexnew", source, rows)
        yield arrow_table(view.catalog.table("lc_mainindexnew"), found, rows.number.size)


def lc_qfinancialindexnew(view: View) -> Iterator[pa.Table]:
    """Ratios of single quarters outside STAR, from the periodic report on that gives them: the last version only."""
    source = filed(view)
    yield _empty(view, "lc_qfinancialindexnew")
    quarters = _quarter_days(source.shown)
    rows = overwritten(view, source, quarters)
    seed = view.world.config.seed
    for part in rows.parts():
        found = _ratios(view, "lc_qfinancialindexnew", source, part, quarters)
        undated = uniform(seed, part.number, 9) < UNDATED
        found["INFOPUBLDATE"] = np.where(undated, np.datetime64("NaT"), found["INFOPUBLDATE"])
        found |= {"MARK": np.ones_like(part.form), "BULLETINTYPE": part.form}
        yield arrow_table(view.catalog.table("lc_qfinancialindexnew"), found, part.number.size)


def overwritten(view: View, source: Filed, quarters: Array | None = None) -> Rows:
    """Return one row per company and period outside STAR: values of the last version, number of the first.

    Filings that only repeat a period do not overwrite its row: one that restates it does, and dates it.
    `form` and `adjusted` are those of the first version: of single quarters, that of the first filing that shows the
    period from the day on that `quarters` has for it, a periodic report.
    """
    shown = source.shown
    begins = _boards(view)[shown.company] != _STAR
    if quarters is not None:
        begins &= quarters[shown.company, shown.period] <= shown.disclosed
    outside = np.flatnonzero(begins)
    order = np.lexsort(
        (shown.number[outside], shown.disclosed[outside], shown.period[outside], shown.company[outside])
    )
    rows = shown.take(outside[order])
    key = rows.company << 8 | rows.period
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if key.size else np.zeros(0, dtype=np.int64)
    changed = source.versions.is_restated(rows.company, rows.period, rows.known)
    changed[first] = True
    place = np.where(changed, np.arange(key.size), 0)
    last = np.maximum.reduceat(place, first) if first.size else first
    touched = (
        np.maximum.reduceat(np.where(changed, rows.touched.astype(np.int64), 0), first)
        if first.size
        else first
    )
    values, start = rows.take(last), rows.take(first)
    made = replace(
        values,
        number=start.number,
        inserted=start.inserted,
        touched=touched.astype("datetime64[s]"),
        form=start.form,
        adjusted=start.adjusted,
    )
    return made.take(np.lexsort((made.number, made.company)))


def _quarter_days(shown: Rows) -> Array:
    """Return the day from which each company's single quarters are given.

    That of the first periodic report that shows the quarter when it or another filing showed the one before, too.
    """
    size = int(np.max(shown.company, initial=-1)) + 1
    days = np.full((size, QUARTERS + 1), np.datetime64("9999-12-31", "D"))  # the first has none before it
    np.minimum.at(days, (shown.company, shown.period + 1), shown.disclosed)
    known = np.where(SEASONS == 1, days[:, 1:], np.maximum(days[:, 1:], days[:, :-1]))
    gives = np.flatnonzero((shown.form == PERIODIC) & (known[shown.company, shown.period] <= shown.disclosed))
    found = np.full_like(known, np.datetime64("9999-12-31", "D"))
    np.minimum.at(found, (shown.company[gives], shown.period[gives]), shown.disclosed[gives])
    return found


def _ratios(
    view: View, name: str, source: Filed, rows: Rows, quarters: Array | None = None
) -> dict[str, Array]:
    spec = view.catalog.table(name).columns
    given = None if quarters is None else Given(quarters, rows.disclosed)
    context = Context(source.versions, rows.company, rows.period, rows.known, given=given)
    found = {
        column: bounded(RULES[column](context), meaning)
        for column, meaning in spec.items()
        if column in RULES
    }
    return found | row_columns(view, name, rows)


def bounded(values: Array, meaning: Column) -> Array:
    """Return values with NaN where the column is too narrow for them: a ratio to next to nothing."""
    digits = {"decimal(12,4)": 1e8, "decimal(18,6)": 1e12}.get(meaning.type or "", 1e14)
    return np.where(np.abs(values) < digits, values, np.nan)


def _boards(view: View) -> Array:
    return np.array([issuer.board for issuer in view.world.issuers], dtype=np.int64)


def _empty(view: View, name: str) -> pa.Table:
    return arrow_table(view.catalog.table(name), {}, 0)


__all__ = [
    "bounded",
    "fin_derivative",
    "lc_derivativedata",
    "lc_mainindexnew",
    "lc_qfinancialindexnew",
    "lc_stibmainindex",
    "overwritten",
]

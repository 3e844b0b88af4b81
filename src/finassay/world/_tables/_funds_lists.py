"""Holdings of funds: stocks, funds, all kinds; by industry and by kind of asset. A report counts as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_market import SECTIONS
from finassay.world._blocks._funds_reports import QUARTERLY
from finassay.world._blocks._funds_universe import ABROAD, FIRST_INNER, FOF, FUND_BASE, MONEY
from finassay.world._blocks._funds_values import TOP
from finassay.world._calendar import quarter_ends
from finassay.world._tables._funds_nav import unit_values
from finassay.world._tables._funds_view import Array, days_of, moment_of, stamped
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.temporal import Table

_PART = 200_000
_KEY, _ALL, _DETAIL, _FUNDS, _INDUSTRY, _ASSETS = 44, 45, 46, 47, 48, 49  # numbers of types that no event has
_MISSED = 2  # position of the name that a wrong report misses


class ReportRows:
    """Reports that were recorded by the snapshot, and what every row repeats of them."""

    def __init__(self, view: View) -> None:
        funds = view.world.funds
        self.view, self.funds = view, funds
        self.last = moment_of(view)
        self.mains = np.array([life.classes[0].payload.inner for life in funds.lives], dtype=np.int64)
        self.entities = np.array([life.classes[0].entity for life in funds.lives], dtype=np.int64)
        self.trans = np.array([life.opened.trans for life in funds.lives], dtype=np.int64)
        self.kinds = np.array([life.opened.kind for life in funds.lives], dtype=np.int64)
        self.indexed = np.array([bool(life.targets) for life in funds.lives], dtype=bool)
        self.ends = np.array(quarter_ends(), dtype="datetime64[D]").astype(np.int64)

    def seen(self, *forms: int) -> Array:
        """Return the positions of the reports of some forms."""
        reports = self.funds.reports
        found: Array = np.flatnonzero(np.isin(reports.form, forms) & (reports.recorded <= self.last))
        return found

    def numbers(self, table: int, report: Array, serial: Array) -> Array:
        """Return row numbers: table, main class, quarter, form, version, place in the list."""
        r = self.funds.reports
        low = (r.quarter[report] << 16) | (r.form[report] << 14) | (r.version[report] << 13) | serial
        found: Array = (np.int64(table) << 56) | (self.entities[r.fund[report]] << 32) | low
        return found

    def common(self, spec: Table, table: int, report: Array, serial: Array) -> dict[str, Array]:
        """Return the columns that rows share, as far as the table has them."""
        r = self.funds.reports
        end = days_of(self.ends[r.quarter[report]])
        columns = {
            "INNERCODE": self.mains[r.fund[report]],
            "REPORTDATE": end,
            "ENDDATE": end,
            "REPORTTYPE": r.form[report],
            "INFOPUBLDATE": days_of(r.disclosed[report]),
            "TRANSCODE": self.trans[r.fund[report]],
            "INVESTTYPE": np.where(self.indexed[r.fund[report]], 2, 1),
            "SERIALNUMBER": serial,
            **stamped(spec, self.numbers(table, report, serial), r.recorded[report]),
        }
        return {name: column for name, column in columns.items() if name in spec.columns}


def expanded(counts: Array) -> tuple[Array, Array]:
    """Return for every row of consecutive groups its group, and its place in it from 0."""
    group = np.repeat(np.arange(counts.size), counts)
    place = np.arange(group.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return group, place


def _stocks(rows: ReportRows, reports: Array, most: int) -> tuple[Array, Array, Array]:
    """Return for every line of the stock lists of reports: the report, the serial number, the row in the lists.

    The first version of a report that is published again misses its third name.
    """
    r, lists = rows.funds.reports, rows.funds.lists
    keys = lists.fund * 64 + lists.quarter
    wanted = r.fund[reports] * 64 + r.quarter[reports]
    start, stop = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    wrong = r.wrong[reports]
    counts = np.minimum(most, np.maximum(stop - start - wrong, 0))
    group, place = expanded(counts)
    line = start[group] + place + (wrong[group] * (place >= _MISSED))
    return reports[group], place + 1, line


def _chunks(reports: Array, size: int) -> Iterator[Array]:
    """Yield reports in their order, so many at a time that the rows of a part stay below 200,000."""
    step = max(1, _PART // size)
    for start in range(0, max(1, reports.size), step):
        yield reports[start : start + step]


def _stock_columns(rows: ReportRows, report: Array, line: Array) -> dict[str, Array]:
    r, lists = rows.funds.reports, rows.funds.lists
    net = rows.funds.sizes.total[r.fund[report], r.quarter[report]]
    numbers = np.array([0, *(issuer.inner for issuer in rows.view.world.issuers)], dtype=np.int64)
    return {
        "STOCKINNERCODE": numbers[lists.share[line]],
        "SHARESHOLDING": lists.units[line],
        "MARKETVALUE": lists.value[line] / 100,
        "RATIOINNV": lists.value[line] / net,
    }


def mf_keystockportfolio(view: View) -> Iterator[pa.Table]:
    """Yield the ten largest stocks of every quarterly report."""
    spec, rows = view.catalog.table("mf_keystockportfolio"), ReportRows(view)
    for reports in _chunks(rows.seen(QUARTERLY), TOP):
        report, serial, line = _stocks(rows, reports, TOP)
        columns = rows.common(spec, _KEY, report, serial) | _stock_columns(rows, report, line)
        yield arrow_table(spec, columns, report.size)


def mf_stockportfoliodetail(view: View) -> Iterator[pa.Table]:
    """Yield all stocks of half-year and annual reports."""
    spec, rows = view.catalog.table("mf_stockportfoliodetail"), ReportRows(view)
    lists = rows.funds.lists
    longest = int(np.max(lists.rank)) if lists.rank.size else 1
    for reports in _chunks(rows.seen(2, 3), longest):
        report, serial, line = _stocks(rows, reports, longest)
        columns = rows.common(spec, _ALL, report, serial) | _stock_columns(rows, report, line)
        yield arrow_table(spec, columns, report.size)


def _held(rows: ReportRows, reports: Array) -> tuple[Array, Array, Array]:
    """Return the same for the funds that funds of funds hold."""
    r, held = rows.funds.reports, rows.funds.held
    entities = rows.entities - 1  # of the funds: that of the main class less one
    keys = (held.holder << 6) | held.quarter
    wanted = (entities[r.fund[reports]] << 6) | r.quarter[reports]
    start, stop = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    wrong = r.wrong[reports]
    group, place = expanded(np.maximum(stop - start - wrong, 0))
    line = start[group] + place + (wrong[group] * (place >= _MISSED))
    return reports[group], place + 1, line


def _held_columns(rows: ReportRows, report: Array, line: Array) -> dict[str, Array]:
    r, held = rows.funds.reports, rows.funds.held
    net = rows.funds.sizes.total[r.fund[report], r.quarter[report]]
    value = held.weight[line] * (net // 1_000_000)  # fen
    classes = held.inner[line] - FIRST_INNER + FUND_BASE + 1
    units = value / 100 / (unit_values(rows.view, classes, held.quarter[line]) / 1e4)
    return {"RATIOINNV": held.weight[line] / 1e6, "MARKETVALUE": value / 100, "SHARESHOLDING": np.rint(units)}


def mf_fundportifoliodetail(view: View) -> pa.Table:
    """Return the funds that funds of funds hold, from quarterly reports."""
    spec, rows = view.catalog.table("mf_fundportifoliodetail"), ReportRows(view)
    report, serial, line = _held(rows, rows.seen(QUARTERLY))
    advisers = {life.classes[0].entity & ~3: life.opened.adviser for life in rows.funds.lives}
    by_inner = {part.payload.inner: life.opened.adviser for life in rows.funds.lives for part in life.classes}
    inner = rows.funds.held.inner[line]
    holder = rows.funds.held.holder[line]
    same = [by_inner[int(a)] == advisers[int(b)] for a, b in zip(inner, holder, strict=True)]
    columns = {
        **rows.common(spec, _FUNDS, report, serial),
        **_held_columns(rows, report, line),
        "FUNDINNERCODE": inner,
        "IFMANAGERFUND": np.where(np.array(same, dtype=bool), 1, 2),
    }
    return arrow_table(spec, columns, report.size)


def mf_portfoliodetailsall(view: View) -> Iterator[pa.Table]:
    """Yield lists of all kinds: the ten largest stocks of quarterly reports, and all funds held, of every form."""
    spec, rows = view.catalog.table("mf_portfoliodetailsall"), ReportRows(view)
    kinds = rows.kinds[rows.funds.reports.fund]
    every = rows.seen(1, 2, 3)
    wanted = every[
        (kinds[every] == FOF)
        | (
            (rows.funds.reports.form[every] == QUARTERLY)
            & (rows.funds.stocks[rows.funds.reports.fund[every]].sum(axis=1) > 0)
        )
    ]
    for reports in _chunks(wanted, 2 * TOP):
        parts = []
        for lines, columns_of, thing in (
            (_stocks(rows, reports, TOP), _stock_columns, 1),
            (_held(rows, reports), _held_columns, 3),
        ):
            report, serial, line = lines
            columns = rows.common(spec, _DETAIL, report, serial) | columns_of(rows, report, line)
            columns["SECUINNERCODE"] = (
                columns.pop("STOCKINNERCODE") if thing == 1 else rows.funds.held.inner[line]
            )
            columns["INVESTOBJECT"] = np.full(report.size, thing)
            parts.append(columns)
        joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        yield arrow_table(spec, joined, joined["ID"].size)


def mf_industryportall(view: View) -> Iterator[pa.Table]:
    """Yield the stocks of reports by the regulator's sections."""
    spec, rows = view.catalog.table("mf_industryportall"), ReportRows(view)
    r, funds = rows.funds.reports, rows.funds
    codes = np.array([code for code, _ in SECTIONS], dtype=np.int64)
    names = np.array([name for _, name in SECTIONS])
    every = rows.seen(1, 2, 3)
    wanted = every[funds.stocks[r.fund[every], r.quarter[every]] > 0]
    for reports in _chunks(wanted, len(SECTIONS)):
        table = funds.sections[r.fund[reports], r.quarter[reports]]
        group, section = np.nonzero(table)
        report, value = reports[group], table[group, section]
        net = funds.sizes.total[r.fund[report], r.quarter[report]]
        columns = {
            **rows.common(spec, _INDUSTRY, report, section + 1),
            "INDUSTANDARD": np.full(report.size, 3),
            "INDUSTRYCODE": codes[section],
            "INDUSTRYNAME": names[section],
            "MARKETVALUE": value / 100,
            "RATIOINNV": value / net,
        }
        yield arrow_table(spec, columns, report.size)


def bond_part(rows: ReportRows, report: Array) -> Array:
    """Return the bonds of the funds of reports, in fen: most of what is not in stocks; half of money funds."""
    r, funds = rows.funds.reports, rows.funds
    rest = (
        funds.sizes.total[r.fund[report], r.quarter[report]] - funds.stocks[r.fund[report], r.quarter[report]]
    )
    kinds = rows.kinds[r.fund[report]]
    share = np.where(kinds == MONEY, 55, np.where((kinds == FOF) | (kinds == ABROAD), 0, 93))
    found: Array = rest // 100 * share
    return found


def mf_assetallocationnew(view: View) -> pa.Table:
    """Return the assets of every quarterly report: they add up to the total assets."""
    spec, rows = view.catalog.table("mf_assetallocationnew"), ReportRows(view)
    r, funds = rows.funds.reports, rows.funds
    report = rows.seen(QUARTERLY)
    net = funds.sizes.total[r.fund[report], r.quarter[report]]
    stocks, bonds = funds.stocks[r.fund[report], r.quarter[report]], bond_part(rows, report)
    held_by, _, line = _held(rows, report)
    held = np.bincount(np.searchsorted(report, held_by), funds.held.weight[line], report.size)
    held = held.astype(np.int64) * (net // 1_000_000)
    total = np.maximum(net + net // 80, stocks + bonds + held)
    money = total - stocks - bonds - held
    columns = rows.common(spec, _ASSETS, report, np.zeros(report.size, dtype=np.int64))
    parts = {
        "EQUITY": stocks,
        "STOCK": stocks,
        "FIXEDINCOME": bonds,
        "BOND": bonds,
        "FUND": held,
        "MONEY": money,
    }
    for name, value in parts.items():
        columns[f"MVOF{name}"] = value / 100
        columns[f"RIAOF{name}"] = value / total
        columns[f"RINOF{name}"] = value / net
    columns |= {"TOTALASSET": total / 100, "NV": net / 100}
    return arrow_table(spec, columns, report.size)

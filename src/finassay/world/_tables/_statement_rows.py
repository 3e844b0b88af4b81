"""The rows that filings begin: what each shows, when it was disclosed, inserted and touched; as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._columns import Columns, joined
from finassay.world._blocks._periods import ENDS, quarter_of
from finassay.world._blocks._reports import CORRECTED, PERIODIC, PROSPECTUS
from finassay.world._blocks._vendor import RELOADED, TOUCHED, reloads
from finassay.world._draws import uniform
from finassay.world._events import EventType
from finassay.world._events_company import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._versions import Versions
    from finassay.world._tables._view import View

ORIGINAL, RESTATED = 2, 1
_SLOTS = 4  # bits of a row's number for its place in the filing
_YEAR_END = 15  # the place of the balance sheet at the last year end
_PART = 20_000  # rows that are worked on at a time
_DAY = 86_400
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Rows(Columns):
    """N rows of statements, by company and number.

    Attributes
    ----------
    company : numpy.ndarray of int64
        Position among the statements.
    period, known : numpy.ndarray of int64
        The quarter shown, and the quarter of the report up to which restatements are known.
    form, adjusted : numpy.ndarray of int64
        Kind of filing; 2 as first reported, 1 shown again.
    disclosed : numpy.ndarray of datetime64[D]
        Printed day of the filing.
    inserted, touched : numpy.ndarray of datetime64[s]
        The vendor's times.
    number : numpy.ndarray of int64
        The row's number.
    opinion : numpy.ndarray of int64
        Of the auditors, 0 where there is none.
    """

    company: Ints
    period: Ints
    known: Ints
    form: Ints
    adjusted: Ints
    disclosed: Array
    inserted: Array
    touched: Array
    number: Ints
    opinion: Ints

    def parts(self, most: int = _PART) -> Iterator[Rows]:
        """Yield the rows in parts that are worked on at a time, `most` rows or more of one company; companies whole."""
        start = 0
        while start < self.company.size:
            stop = min(start + most, self.company.size)
            if stop < self.company.size:
                stop = int(np.searchsorted(self.company, self.company[stop], side="left"))
                if stop <= start:
                    stop = int(np.searchsorted(self.company, self.company[start], side="right"))
            yield self.take(np.arange(start, stop))
            start = stop


@dataclass(frozen=True)
class Filed:
    """What the tables of statements are made from: the rows that show periods, and the statements' versions."""

    shown: Rows
    year_ends: Rows
    versions: Versions


_MADE: WeakKeyDictionary[View, Filed] = WeakKeyDictionary()


def filed(view: View) -> Filed:
    """Return the filings that a vendor has recorded; made once per view."""
    if view not in _MADE:
        versions = view.world.versions(view.world.statements, EventType.RESTATEMENT)
        shown, year_ends = _filed(view)
        _MADE[view] = Filed(shown, year_ends, versions)
    return _MADE[view]


def _filed(view: View) -> tuple[Rows, Rows]:
    shown: list[tuple[int, ...]] = []
    openings: list[tuple[int, ...]] = []
    place = {int(entity): n for n, entity in enumerate(view.world.statements.entity)}
    for event in view.ledger.of(EventType.REPORT):
        report = event.payload
        assert isinstance(report, Report)  # noqa: S101 - by its type
        own = quarter_of(report.period_end)
        known = own + 1 if report.form == CORRECTED else own
        second = int(np.datetime64(event.recorded_at, "s").astype(np.int64))
        number = int(EventType.REPORT) << 56 | event.entity << 32 | event.seq << _SLOTS
        place_of = (place[event.entity], known, report.form, event.disclosed_at.toordinal(), second)
        for slot, figures in enumerate(report.shown):
            first = report.form == PROSPECTUS or (report.form == PERIODIC and slot == 0)
            period = quarter_of(figures.period_end)
            shown.append((*place_of, period, ORIGINAL if first else RESTATED, number | slot, report.opinion))
        if report.opening:
            period = quarter_of(report.opening.period_end)
            openings.append((*place_of, period, RESTATED, number | _YEAR_END, 0))
    return _rows(view, shown), _rows(view, openings)


def _rows(view: View, found: list[tuple[int, ...]]) -> Rows:
    found.sort(key=lambda row: (row[0], row[7]))
    company, known, form, day, second, period, adjusted, number, opinion = (
        np.array(found, dtype=np.int64).reshape(len(found), 9).T
    )
    disclosed = np.datetime64("1970-01-01") + (day - 719_163).astype("timedelta64[D]")
    inserted, touched = vendor_seconds(view, number, second)
    return Rows(company, period, known, form, adjusted, disclosed, inserted, touched, number, opinion)


def merged(*parts: Rows) -> Rows:
    """Return rows of several kinds, by company and number."""
    whole = joined(parts)
    return whole.take(np.lexsort((whole.number, whole.company)))


def vendor_seconds(view: View, number: Ints, recorded: Ints) -> tuple[Array, Array]:
    """Return when rows were inserted and last touched: 15% touched once, old rows now and then loaded again.

    The draws hang on the row's number alone; a touch after the snapshot has not happened yet.
    """
    seed, last = view.world.config.seed, int(np.datetime64(view.world.config.moment, "s").astype(np.int64))
    inserted = recorded.copy()
    for n, moment in enumerate(reloads(view.world.config.snapshot)):
        reload = int(np.datetime64(moment, "s").astype(np.int64))
        old = (recorded < reload - 3 * 365 * _DAY) & (reload <= last)
        again = old & (uniform(seed, number, 2 * n) < RELOADED) & (inserted == recorded)
        inserted = np.where(
            again, reload + (uniform(seed, number, 2 * n + 1) * 9_000).astype(np.int64), inserted
        )
    touch = recorded + (uniform(seed, number, 5) * 730 * _DAY).astype(np.int64)
    touched = np.where((uniform(seed, number, 4) < TOUCHED) & (touch <= last), touch, inserted)
    return inserted.astype("datetime64[s]"), np.maximum(touched, inserted).astype("datetime64[s]")


def row_columns(view: View, name: str, rows: Rows) -> dict[str, Array]:
    """Return what every table of statements says of a row: company, period, disclosure, and the vendor's own."""
    spec = view.catalog.table(name)
    companies = np.array([issuer.company for issuer in view.world.issuers], dtype=np.int64)
    found: dict[str, Array] = {
        "ID": rows.number,
        "COMPANYCODE": companies[rows.company],
        "ENDDATE": ENDS[rows.period].astype("datetime64[us]"),
        "INFOPUBLDATE": rows.disclosed.astype("datetime64[us]"),
    }
    found |= vendor_columns(view, name, rows.number, rows.inserted, rows.touched)
    if "ACCOUNTINGSTANDARDS" in spec.columns:
        found["ACCOUNTINGSTANDARDS"] = np.ones_like(rows.number)
    return found


def vendor_columns(view: View, name: str, number: Ints, inserted: Array, touched: Array) -> dict[str, Array]:
    """Return the columns of the roles ``recorded`` and ``updated`` of rows."""
    found: dict[str, Array] = {}
    for column, meaning in view.catalog.table(name).columns.items():
        if meaning.role == "recorded":
            found[column] = inserted.astype("datetime64[us]")
        elif meaning.role == "updated" and meaning.format == "other":
            found[column] = touched.astype(np.int64) * 100_000 + number % 99_991
        elif meaning.role == "updated" and column in ("XGRQ", "UPDATETIME"):
            found[column] = touched.astype("datetime64[us]")
    return found

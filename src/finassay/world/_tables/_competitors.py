"""lc_competitor and lc_rewardstat: whom companies name as competitors, and what their managers earn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._reports import CORRECTED, PERIODIC
from finassay.world._draws import uniform
from finassay.world._events import EventType
from finassay.world._events_neeq import Naming
from finassay.world._numerics import exp, log
from finassay.world._tables._statement_context import Context, over
from finassay.world._tables._statement_rows import Rows, filed, row_columns, vendor_columns
from finassay.world._tables._view import View, arrow_table, midnight

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._statement_items import Figures
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
_ANNUAL_REPORT = 2  # code of the source
_DIMENSIONS = {1: "一级行业", 2: "二级行业", 3: "三级行业"}
_SLOTS = 4  # bits of a row's number for its place in the naming
_HIGHEST = 0.30  # of what the staff is paid goes to directors and managers, at most
_HUNDRED = 100.0  # yuan to which pay is rounded
_RATIO = 0.72  # of the pay of one manager to that of the one before


def lc_competitor(view: View) -> pa.Table:
    """One row per competitor named; those of a company's last naming are valid as of today."""
    spec = view.catalog.table("lc_competitor")
    found: dict[str, list[Any]] = {}
    numbers, seconds = [], []
    for event in view.ledger.of(EventType.COMPETITORS):
        naming = event.payload
        assert isinstance(naming, Naming)  # noqa: S101 - by its type
        last = view.next_of(event) is None
        for slot, other in enumerate(naming.named):
            values = {
                "COMPANYNAME": naming.name,
                "COMPANYCODE": naming.company,
                "INFOPUBLDATE": midnight(event.disclosed_at.date()),
                "INFOSOURCE": _ANNUAL_REPORT,
                "COMPETEDIMENSIONCODE": other.level,
                "COMPETEDIMENSIONNAME": _DIMENSIONS[other.level],
                "COMPETECODE": int(other.code),
                "COMPETENAME": other.industry,
                "COMPETECOMPANYNAME": other.name,
                "COMPETECOMPANYCODE": other.company,
                "IFEFFECTED": 1 if last else 2,
            }
            for name, value in values.items():
                found.setdefault(name, []).append(value)
            numbers.append(int(event.type) << 56 | event.entity << 32 | event.seq << _SLOTS | slot)
            after = view.next_of(event)
            seconds.append((event.recorded_at, (after or event).recorded_at))
    number = np.array(numbers, dtype=np.int64)
    inserted, touched = np.array(seconds, dtype="datetime64[s]").reshape(-1, 2).T
    columns: dict[str, Any] = {**found, "ID": number}
    columns |= vendor_columns(view, "lc_competitor", number, inserted, np.maximum(inserted, touched))
    return arrow_table(spec, columns, number.size)


def lc_rewardstat(view: View) -> Iterator[pa.Table]:
    """Yield the pay of directors, supervisors and managers by year, by the last version of the year's figures."""
    spec, source = view.catalog.table("lc_rewardstat"), filed(view)
    yield arrow_table(spec, {}, 0)
    for rows in _last_versions(source.shown).parts():
        context = Context(source.versions, rows.company, rows.period, rows.known)
        columns = row_columns(view, "lc_rewardstat", rows) | _pay(rows, context)
        corrected = rows.form == CORRECTED
        columns["INFOSOURCE"] = np.where(corrected, "更正公告", "年度报告").astype(object)
        yield arrow_table(spec, columns, rows.number.size)


def _last_versions(shown: Rows) -> Rows:
    """Return a row per company and year: number and insertion of its report, the rest of the last correction."""
    own = (shown.form == PERIODIC) & (shown.number & 15 == 0)
    rows = shown.take((shown.period % 4 == 0) & (own | (shown.form == CORRECTED)))
    rows = rows.take(np.lexsort((rows.number, rows.disclosed, rows.period, rows.company)))
    key = rows.company << 8 | rows.period
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if key.size else np.zeros(0, dtype=np.int64)
    last = np.r_[first[1:], key.size][: first.size] - 1
    # A year of which only corrections are there was reported before the listing
    told = rows.form[first] == PERIODIC
    first, last = first[told], last[told]
    values = rows.take(last)
    touched = np.maximum(rows.touched[first], rows.touched[last])
    fields = {name: getattr(values, name) for name in Rows.__dataclass_fields__}
    made = Rows(
        **fields | {"number": rows.number[first], "inserted": rows.inserted[first], "touched": touched}
    )
    return made.take(np.lexsort((made.number, made.company)))


def _pay(rows: Rows, context: Context) -> dict[str, Array]:
    """Return the columns of pay in yuan: with the size of the company, and the change of the profit as then known."""
    now, firm = context.now, rows.company.astype(np.int64)
    directors = 5 + (4 * _own(firm, 1)).astype(np.int64)
    independent = np.maximum(2, directors // 3)
    supervisors = np.full_like(directors, 3)
    managers = 3 + (4 * _own(firm, 2)).astype(np.int64)
    year = firm * 64 + rows.period
    executives = managers + 1 + (_own(year, 3) < 0.5)
    top = _top(now, firm, year) * _bonus(context)
    paid = top * (1.0 - _powers(_RATIO, executives)) / (1.0 - _RATIO)
    others = 0.22 * top * supervisors
    limit = np.maximum(0.0, _HIGHEST * now.flow("STAFF") / 100.0)
    scale = np.minimum(1.0, limit / (paid + others))
    allowance = _rounded(50_000.0 + 10_000.0 * np.floor(10 * _own(firm, 4))) * independent
    three = top * scale * (1.0 + _RATIO + _RATIO * _RATIO)
    number = executives + supervisors + independent
    total = _rounded(scale * (paid + others)) + allowance
    return {
        "TOTALYEARPAY": total,
        "NUMPAYMANAGERS": number,
        "HIGH3MANAGERS": _rounded(three),
        "HIGH3DIRECTORS": _rounded(three * (0.80 + 0.20 * _own(firm, 5))),
        "TOTALINDESUBSIDY": allowance,
        "STATEMENT": np.array(
            [f"报告期内领取报酬的董事、监事和高级管理人员共{n}人" for n in number.tolist()], dtype=object
        ),
    }


def _top(now: Figures, firm: Ints, year: Ints) -> Floats:
    """Return the highest pay: it rises by a quarter of a per cent for a per cent of revenue."""
    size = log(np.maximum(0.01, now.flow("REVENUE") / 1e11))
    spread = 2.0 * _own(firm, 6) - 1.0 + 0.2 * _own(year, 7)
    highest: Floats = exp(13.4 + 0.25 * size + 0.7 * spread)
    return highest


def _bonus(context: Context) -> Floats:
    """Return the factor of the year: half of the change of profit within three tenths, less after a loss."""
    now, before = context.now.parent_profit, context.before.parent_profit
    change = np.nan_to_num(over(now, before) - 1.0, nan=0.0)
    factor: Floats = np.where(now < 0, 0.75, 1.0 + 0.5 * np.clip(change, -0.3, 0.3))
    return factor


def _own(number: Ints, salt: int) -> Floats:
    """Draw a trait of a company, or of one of its years."""
    return uniform(1, number, 80 + salt)


def _powers(base: float, exponents: Ints) -> Floats:
    table = np.cumprod(np.full(32, base))
    found: Floats = table[exponents - 1]
    return found


def _rounded(values: Floats) -> Floats:
    nearest: Floats = np.rint(values / _HUNDRED) * _HUNDRED
    return nearest

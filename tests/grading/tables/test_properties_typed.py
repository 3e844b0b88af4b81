"""Columns of every type: each spelling of a value is that value, and no spelling of another value is."""

from __future__ import annotations

import calendar
import datetime as dt
import random
from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.grading import OutputContract, TableVerdict, compare_tables

Value = tuple[object, ...]
Spell = Callable[[Value], list[object]]


def month_end(value: Value) -> dt.date:
    year, quarter = int(str(value[0])), int(str(value[1]))
    return dt.date(year, 3 * quarter, calendar.monthrange(year, 3 * quarter)[1])


def codes(value: Value) -> list[object]:
    symbol, market = value
    return [f"{symbol}.{market}", f"{market}{symbol}", f"{market}.{symbol}".lower(), f" {symbol}.{market} "]


def classes(value: Value) -> list[object]:
    symbol, share = value
    return [f"{symbol}.{share}", f"{symbol}/{share}", f"{symbol}.{share}".lower()] if share else [symbol]


def dates(value: Value) -> list[object]:
    day = month_end(value)
    return [day.isoformat(), f"{day:%Y/%m/%d}", f"{day:%Y%m%d}", f"{day.year}年{day.month}月{day.day}日",
            f"{day:%B} {day.day}, {day.year}", f"{day} 00:00:00", f"{day:%Y/%m/%d} 0:00"]  # fmt: skip


def moments(value: Value) -> list[object]:
    year, quarter, hour, minute = value
    day, clock = month_end((year, quarter)), f"{hour}:{minute:02d}"
    return [f"{day}T{hour:02d}:{minute:02d}:00", f"{day} {clock}", f"{day:%Y/%m/%d} {clock}",
            f"{day.year}-{day.month}-{day.day} {clock}:00", f"{day.year}年{day.month}月{day.day}日 {clock}",
            f"{day} {hour:02d}:{minute:02d}:00.000000000"]  # fmt: skip


def quarters(value: Value) -> list[object]:
    year, quarter = value
    return [f"{year}Q{quarter}", f"{year} Q{quarter}", f"{year}年第{quarter}季度", f"Q{quarter} {year}"]


def states(value: Value) -> list[object]:
    return {"open": ["open", "OPEN", "开放", " Open "], "closed": ["closed", "暂停", "Closed"]}[str(value[0])]


def amounts(value: Value) -> list[object]:
    yuan = Decimal(str(value[0])) / 100
    return [
        yuan,
        f"{yuan:,.2f}",
        f"{yuan:.2f}元",
        f"{yuan / 10**4:,.6f}万元",
        f"CNY {yuan:,.2f}",
        float(yuan),
    ]


def shares(value: Value) -> list[object]:
    percent = Decimal(str(value[0])) / 100
    return [f"{percent:.2f}%", f"{percent:.2f}", f"{percent:.2f} percent", f"{percent * 100:f} bp"]


YEARS, QUARTERS = st.integers(1990, 2035), st.integers(1, 4)
MAINLAND = st.tuples(st.sampled_from(["000001", "000100", "600519"]), st.sampled_from(["SH", "SZ"]))
CLASSES = st.tuples(st.sampled_from(["BRK", "BF", "VOD"]), st.sampled_from(["", "A", "B"]))
MOMENTS = st.tuples(YEARS, QUARTERS, st.integers(0, 23), st.integers(0, 59))
STATES = "type: enumeration, values: {open: [开放], closed: [暂停]}"
KINDS: dict[str, tuple[str, st.SearchStrategy[Value], Spell]] = {
    "code": ("type: code", MAINLAND, codes),
    "share class": ("type: code", CLASSES, classes),
    "date": ("type: date", st.tuples(YEARS, QUARTERS), dates),
    "datetime": ("type: datetime", MOMENTS, moments),
    "period": ("type: period", st.tuples(YEARS, QUARTERS), quarters),
    "enumeration": (STATES, st.tuples(st.sampled_from(["open", "closed"])), states),
    "amount": ("type: number, unit: 元, decimals: 2", st.tuples(st.integers(-(10**13), 10**13)), amounts),
    "share": ("type: number, unit: percent, decimals: 2", st.tuples(st.integers(-(10**5), 10**5)), shares),
}


def judge(kind: str, reference: list[object], candidate: list[object]) -> TableVerdict:
    contract = OutputContract.parse(f"{{columns: [{{name: k}}, {{name: v, {KINDS[kind][0]}}}], key: [k]}}")
    keys = [str(place) for place in range(len(reference))]
    tables = [pa.table({"k": keys, "v": [str(cell) for cell in cells]}) for cells in (reference, candidate)]
    return compare_tables(*tables, contract)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), draw=st.randoms(use_true_random=False))
def test_every_spelling_is_the_value_and_no_spelling_of_another_is(
    kind: str, data: st.DataObject, draw: random.Random
) -> None:
    _, values, spell = KINDS[kind]
    rows = data.draw(st.lists(values, min_size=1, max_size=6))
    reference, candidate = ([draw.choice(spell(row)) for row in rows] for _ in range(2))
    verdict = judge(kind, reference, candidate)
    assert verdict.equal, verdict.to_text()
    at = draw.randrange(len(rows))
    other = data.draw(values.filter(lambda value: value != rows[at]))
    candidate[at] = draw.choice(spell(other))
    verdict = judge(kind, reference, candidate)
    assert [(cell.row, cell.column) for cell in verdict.diff.cells()] == [(f"k={at}", "v")], verdict.to_text()

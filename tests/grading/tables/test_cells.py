"""One cell against one cell: what a column type takes for equal, and what it never does."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.core import GoldError
from finassay.grading import OutputContract, TableVerdict, compare_tables, from_pandas
from finassay.grading._table_text import formatted_numbers
from finassay.grading._table_units import in_unit


def keyed(**column: object) -> OutputContract:
    return OutputContract.model_validate({"columns": [{"name": "k"}, {"name": "v", **column}], "key": ["k"]})


def compare(reference: object, candidate: object, *, header: str = "v", **column: object) -> TableVerdict:
    contract = keyed(**column)
    return compare_tables(
        pa.table({"k": ["a"], "v": [reference]}), pa.table({"k": ["a"], header: [candidate]}), contract
    )


def equal(reference: object, candidate: object, *, header: str = "v", **column: object) -> bool:
    return compare(reference, candidate, header=header, **column).equal


class TestCodes:
    @pytest.mark.parametrize(
        ("reference", "candidate"),
        [("BRK.A", "BRK"), ("BRK", "BRK.B"), ("BF.B", "BF"), ("VOD.L", "VOD"), ("BRK.A", "BRK.B")],
    )
    def test_a_share_class_is_not_a_market(self, reference: str, candidate: str) -> None:
        assert not equal(reference, candidate, type="code")

    def test_nor_in_a_key(self) -> None:
        contract = OutputContract.parse(
            "{columns: [{name: c, type: code}, {name: v, type: integer}], key: [c]}"
        )
        reference, candidate = (pa.table({"c": [c], "v": [1]}) for c in ("BRK.B", "BRK"))
        assert compare_tables(reference, candidate, contract).reasons == ("missing_row", "extra_row")

    def test_spellings_and_a_market_that_is_left_out(self) -> None:
        assert equal("BRK.B", "BRK/B", type="code")
        assert equal("600519.SH", "600519", type="code")
        assert equal("BRK.B", "BRK.B.US", type="code")
        assert not equal("000001.SZ", "000001.SH", type="code")


class TestTimesOfDay:
    @pytest.mark.parametrize(
        "spelling",
        ["2021/01/01 09:30", "2021-1-1 09:30:00", "2021-01-01 9:30", "2021-01-01T09:30", "2021年1月1日 9:30",
         "2021-01-01T17:30+08:00"],
    )  # fmt: skip
    def test_no_spelling_loses_the_time(self, spelling: str) -> None:
        assert equal(dt.datetime.fromisoformat("2021-01-01T09:30"), spelling, type="datetime")
        assert not equal(dt.datetime.fromisoformat("2021-01-01"), spelling, type="datetime")

    @pytest.mark.parametrize(
        "candidate",
        ["2021/12/31 09:30", "2021-12-31 09:30", "2021-12-31 25:99", "2021年12月31日 9:30",
         dt.datetime.fromisoformat("2021-12-31T09:30")],
    )  # fmt: skip
    def test_a_date_has_none(self, candidate: object) -> None:
        verdict = compare("2021-12-31", candidate, type="date")
        assert [cell.kind for cell in verdict.diff.cells()] == ["unreadable"]

    @pytest.mark.parametrize(
        "candidate", ["2021/12/31 00:00", dt.datetime.fromisoformat("2021-12-31"), "2021-12-31"]
    )
    def test_midnight_is_the_date(self, candidate: object) -> None:
        assert equal(dt.date(2021, 12, 31), candidate, type="date")
        assert equal(dt.date(2021, 12, 31), candidate, type="datetime")


TYPES: list[dict[str, object]] = [
    {"type": "number"}, {"type": "integer"}, {"type": "text"}, {"type": "date"}, {"type": "datetime"},
    {"type": "period"}, {"type": "code"}, {"type": "boolean"}, {"type": "enumeration", "values": {"a": ["b"]}},
]  # fmt: skip
GOOD = {
    "number": 1.5, "integer": 1, "text": "a", "date": "2021-01-01", "datetime": "2021-01-01 09:30",
    "period": "2021", "code": "600519.SH", "boolean": "true", "enumeration": "a",
}  # fmt: skip


class TestContentThatArrowCannotCompare:
    @pytest.mark.parametrize("column", TYPES, ids=lambda column: str(column["type"]))
    @pytest.mark.parametrize(
        "cells",
        [
            pa.array([[1, 2], None]),
            pa.array([{"x": 1}, None]),
            pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
            pa.array([b"\xff", None]),
            pa.array([1, None], pa.timestamp("ns")),
            pa.array([2**60, None], pa.timestamp("s")),
            pa.array([2**31 - 1, None], pa.date32()),
            pa.array([1, None], pa.time64("ns")),
            pa.array([7, None], pa.duration("ns")),
            pa.array([2**64 - 1, None], pa.uint64()),
            pa.array([None, None], pa.null()),
            pa.array(["x", None], pa.string_view()),
            pa.array(["x", None]).dictionary_encode(),
            pa.array([1e300, None], pa.float32()),
        ],
        ids=lambda cells: str(cells.type),
    )
    def test_every_arrow_type_gets_a_verdict(self, column: dict[str, object], cells: pa.Array) -> None:
        reference = pa.table({"k": ["a", "b"], "v": [GOOD[str(column["type"])], None]})
        verdict = compare_tables(reference, pa.table({"k": ["a", "b"], "v": cells}), keyed(**column))
        assert not verdict.equal
        assert verdict.to_text()
        verdict.diff.to_json()

    def test_nanoseconds_are_compared_or_refused_never_cut_off(self) -> None:
        moment = dt.datetime.fromisoformat("1970-01-01T00:00:00.000001")
        whole, finer = (pa.scalar(n, pa.timestamp("ns")) for n in (1000, 1001))
        verdicts = [compare(moment, cell, type="datetime") for cell in (whole, finer)]
        assert [verdict.equal for verdict in verdicts] == [True, False]
        assert next(iter(verdicts[1].diff.cells())).kind == "unreadable"

    @pytest.mark.parametrize(
        "cell", [10**5000, 10**30, 1 + 2j, [1], {"a": 1}, object], ids=lambda cell: type(cell).__name__
    )
    @pytest.mark.parametrize("dtype", [object, None])
    def test_a_data_frame_may_hold_anything(self, cell: object, dtype: type | None) -> None:
        frame = pd.DataFrame({"k": ["a"], "v": pd.Series([cell], dtype=dtype)})
        verdict = compare_tables(pa.table({"k": ["a"], "v": [1]}), from_pandas(frame), keyed(type="integer"))
        assert verdict.reasons == ("wrong_cell",)
        assert "wrong" in next(verdict.diff.cells()).kind or "not a integer" in verdict.to_text()


class TestUnitsOfACell:
    def test_the_unit_of_a_cell_wins_over_the_header(self) -> None:
        # the contract and the header say 万元 (10^4 yuan): 50000 yuan are 5 of them
        yuan = {"type": "number", "unit": "万元"}
        for header in ("v", "v（万元）"):
            assert equal(5, "50000元", header=header, **yuan)
            assert equal(5, "5", header=header, **yuan)
            assert equal(5, "5万元", header=header, **yuan)
            assert not equal(5, "5元", header=header, **yuan)
        assert equal(50_000, "5", header="v（万元）", type="number", unit="元")
        assert equal(50_000, "50,000元", header="v（万元）", type="number", unit="元")


class TestExactness:
    @pytest.mark.parametrize(
        ("reference", "candidate"),
        [(2 * 10**15, 2e15 + 1), (8 * 10**15, 8e15 + 7), (2**53 - 1, 2.0**53 - 2), (10**17 + 1, 10**17 + 2)],
    )
    def test_another_integer_is_another(self, reference: int, candidate: float) -> None:
        assert equal(reference, int(candidate), type="integer") is False
        assert equal(reference, candidate, type="integer") is False
        assert equal(reference, reference, type="integer")
        assert equal(reference, str(reference), type="integer")

    def test_the_same_integer_as_a_float_is_the_same(self) -> None:
        assert equal(8 * 10**15, 8e15, type="integer")
        assert equal(3, 0.1 * 30, type="integer")

    @pytest.mark.parametrize("cents", [1, 2, 99])
    @pytest.mark.parametrize("whole", [10**12, 10**13, 2 * 10**13])
    def test_declared_cents_count_as_long_as_floats_hold_them(self, whole: int, cents: int) -> None:
        # at 2 * 10^13 floats are 2^-8 = 0.0039 apart: less than a cent
        assert not equal(float(whole), whole + cents / 100, type="number", decimals=2)
        assert equal(whole + cents / 100, f"{whole}.{cents:02d}", type="number", decimals=2)

    def test_no_number_beyond_float64_equals_another(self) -> None:
        for reference in (1e308, 5.0):
            for candidate in ("1e400", "1e500", "inf", "-1e400", "9" * 400):
                verdict = compare(reference, candidate, type="number")
                assert [cell.kind for cell in verdict.diff.cells()] == ["unreadable"], candidate

    def test_such_a_reference_is_an_error_of_the_reference(self) -> None:
        with pytest.raises(GoldError, match="out_of_range"):
            compare("1e400", "1e500", type="number")


SIGNS = st.sampled_from(["", "-", "+"])
UNITS = st.sampled_from(
    [
        "",
        "%",
        "万元",
        "亿元",
        "元",
        "万",
        "亿",
        " 万元",
        "million",
        " USD",
        "bp",
        "倍",
        "年",
        "万五千",
        "e",
        "手",
        "bananas",
    ]
)
HEADERS = st.sampled_from(
    [(None, None), (None, "元"), (None, "万元"), ("万元", "元"), ("%", "%"), (None, "ratio"), ("亿元", None)]
)


@st.composite
def printed(draw: st.DrawFn) -> str:
    whole = draw(st.one_of(st.integers(0, 3000), st.integers(0, 10**20)))
    decimals = draw(st.text("0123456789", max_size=20))
    digits = f"{whole:,}" if draw(st.booleans()) else str(whole)
    return draw(SIGNS) + digits + (f".{decimals}" if decimals else "") + draw(UNITS)


@settings(max_examples=300, deadline=None)
@given(st.lists(printed(), min_size=1, max_size=8), HEADERS)
def test_many_formatted_texts_are_read_at_once_as_each_alone_is(
    words: list[str], units: tuple[str | None, str | None]
) -> None:
    values, done = formatted_numbers(pa.array(words, pa.large_string()), *units)
    for word, value in zip(np.array(words)[done].tolist(), values[done].tolist(), strict=True):
        assert value == float(in_unit(word, *units)), word


def test_the_usual_formats_are_read_at_once() -> None:
    words = [
        "1,234.56",
        "-12.34%",
        "+1,234.56万元",
        "0.5 亿元",
        "1e5万",
        "n/a",
        "1,23",
        "12万5千",
        "007",
        "5年",
    ]
    values, done = formatted_numbers(pa.array(words, pa.large_string()), None, None)
    assert done.tolist() == [True] + [False] * 9  # without a unit in the contract none may be stated
    values, done = formatted_numbers(pa.array(words, pa.large_string()), None, "元")
    assert done.tolist() == [True, False, True, True] + [False] * 6
    assert values[done].tolist() == [1234.56, 12_345_600.0, 50_000_000.0]


class TestSecondLook:
    """Found by a reader of the mended comparison."""

    @pytest.mark.parametrize(
        ("reference", "candidate", "equal"),
        [
            ("9007199254740993", "0000009007199254740992", False),
            ("9007199254740993", "0000009007199254740993", True),
        ],
    )
    def test_digits_with_leading_zeros_are_compared_exactly(self, reference, candidate, equal) -> None:
        contract = OutputContract.parse("{version: 1, columns: [{name: v, type: integer}]}")
        left, right = pa.table({"v": [int(reference)]}), pa.table({"v": [candidate]})
        assert compare_tables(left, right, contract).equal is equal

    @pytest.mark.parametrize("type_", ["text", "period", "number", "date"])
    @pytest.mark.parametrize(
        "cells",
        [
            pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
            pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([["a"]])),
            pa.array([{"at": 2**62}], pa.struct([("at", pa.timestamp("us"))])),
        ],
        ids=["interval", "dictionary of lists", "struct with a date beyond Python's"],
    )
    def test_what_arrow_cannot_compare_is_a_wrong_cell(self, type_, cells) -> None:
        contract = OutputContract.parse(f"{{version: 1, columns: [{{name: v, type: {type_}}}]}}")
        given = {"text": "x", "period": "2021", "number": 1, "date": "2021-12-31"}[type_]
        assert not compare_tables(pa.table({"v": [given]}), pa.table({"v": cells}), contract).equal

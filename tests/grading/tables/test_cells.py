"""One cell against one cell: what a column type takes for equal, and what it never does."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
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

    @pytest.mark.parametrize(
        ("reference", "candidate"),
        [("0700.HK", "0700"), ("9988.HK", "9988"), ("00700.HK", "700"), ("700", "HK0700")],
    )
    def test_hong_kong_fills_zeros_on_the_side_that_states_it(self, reference: str, candidate: str) -> None:
        assert equal(reference, candidate, type="code")
        assert equal(candidate, reference, type="code")
        assert not equal("0700", "00700", type="code")  # of no stated market: they may be two
        assert not equal("0700.HK", "07000", type="code")

    @pytest.mark.parametrize("key", [[], ["c"]])
    def test_each_cell_is_judged_alone(self, key: list[str]) -> None:
        contract = OutputContract.model_validate({"columns": [{"name": "c", "type": "code"}], "key": key})

        def same(left: list[str], right: list[str]) -> bool:
            return compare_tables(pa.table({"c": left}), pa.table({"c": right}), contract).equal

        both = ["000001.SZ", "000001.SH"]
        for one in (["000001", "000001.SH"], ["000001.SH", "000001"], ["000001", "000001"], both[::-1]):
            assert same(both, one)
            assert same(one, both)
        for one in (
            ["000001.SH", "000001.SH"],
            ["000001"],
            ["000001", "000001", "000001"],
            ["000002", "000001"],
        ):
            assert not same(both, one)
            assert not same(one, both)

    def test_the_other_columns_say_which_row_an_open_code_is(self) -> None:
        contract = OutputContract.parse(
            "{columns: [{name: c, type: code}, {name: v, type: integer}], key: [c]}"
        )
        reference = pa.table({"c": ["000001.SZ", "000001.SH"], "v": [1, 2]})
        for values, same in (([2, 1], True), ([1, 2], True), ([1, 1], False)):
            candidate = pa.table({"c": ["000001", "000001"], "v": values})
            assert compare_tables(reference, candidate, contract).equal is same
        candidate = pa.table({"c": ["000001.BJ", "000001"], "v": [1, 2]})
        assert compare_tables(reference, candidate, contract).reasons == ("missing_row", "extra_row")


class TestTimesOfDay:
    @pytest.mark.parametrize(
        "spelling",
        ["2021/01/01 09:30", "2021-1-1 09:30:00", "2021-01-01 9:30", "2021-01-01T09:30", "2021年1月1日 9:30"],
    )
    def test_no_spelling_loses_the_time(self, spelling: str) -> None:
        assert equal(dt.datetime.fromisoformat("2021-01-01T09:30"), spelling, type="datetime")
        assert not equal(dt.datetime.fromisoformat("2021-01-01"), spelling, type="datetime")

    def test_times_with_and_without_a_zone_are_in_no_order(self) -> None:
        contract = OutputContract.parse("{columns: [{name: v, type: datetime}], order_by: [{column: v}]}")
        zoned = pa.table({"v": ["2021-01-01T17:30+08:00", "2021-01-01T09:31Z"]})  # 09:30 and 09:31 in UTC
        assert compare_tables(zoned, zoned, contract).equal
        plain = pa.table({"v": ["2021-01-01T09:30", "2021-01-01T09:31"]})
        assert compare_tables(plain, plain, contract).equal
        mixed = pa.table({"v": ["2021-01-01T09:30", "2021-01-01T09:31Z"]})
        with pytest.raises(GoldError, match="which comes first would be a guess"):
            compare_tables(mixed, mixed, contract)
        assert compare_tables(plain, mixed, contract).reasons == ("missing_row", "extra_row")

    def test_no_column_type_of_arrow_or_pandas_guesses_one(self) -> None:
        plain = pd.Series(pd.to_datetime(["2021-01-01 09:30"]))
        zoned = plain.dt.tz_localize("UTC")
        kinds = [plain, plain.astype("datetime64[ns]"), plain.astype("datetime64[s]"), plain.astype(object)]
        for naive in (*kinds, plain.astype(str)):
            for aware in (
                zoned,
                zoned.dt.tz_convert("Asia/Shanghai"),
                zoned.astype(object),
                zoned.astype(str),
            ):
                sides = [from_pandas(pd.DataFrame({"k": ["a"], "v": cells})) for cells in (naive, aware)]
                assert compare_tables(sides[0], sides[0], keyed(type="datetime")).equal
                assert compare_tables(sides[1], sides[1], keyed(type="datetime")).equal
                for reference, candidate in (sides, sides[::-1]):
                    verdict = compare_tables(reference, candidate, keyed(type="datetime"))
                    assert verdict.reasons == ("wrong_cell",)

    def test_a_zone_is_never_guessed(self) -> None:
        there = dt.datetime.fromisoformat("2021-01-01T09:30+00:00")
        for spelling in ("2021-01-01T17:30+08:00", "2021-01-01 09:30Z", there, pa.scalar(there)):
            assert equal(there, spelling, type="datetime")
            for plain in (
                "2021-01-01 09:30",
                "2021-01-01T17:30",
                dt.datetime.fromisoformat("2021-01-01T09:30"),
            ):
                assert not equal(plain, spelling, type="datetime")
                assert not equal(spelling, plain, type="datetime")

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

    @pytest.mark.parametrize("type_", ["datetime", "text"])
    def test_nanoseconds_are_compared_never_cut_off(self, type_: str) -> None:
        cells = [pa.scalar(n, pa.timestamp("ns")) for n in (1000, 1001)]
        assert compare(cells[1], cells[1], type=type_).equal
        verdict = compare(cells[0], cells[1], type=type_)
        assert [cell.kind for cell in verdict.diff.cells()] == ["wrong_value"]
        moment = dt.datetime.fromisoformat("1970-01-01T00:00:00.000001")
        assert equal(moment, cells[0], type="datetime")
        assert not equal(moment, cells[1], type="datetime")

    @pytest.mark.parametrize(
        "spelling",
        ["20240305T143000.{}", "2024-03-05 14:30:00.{}", "2024/3/5 14:30:00.{}", "2024-03-05T14:30:00,{}",
         "2024年3月5日 14:30:00.{}"],
    )  # fmt: skip
    def test_no_text_loses_digits_of_a_second(self, spelling: str) -> None:
        moment = pd.Timestamp("2024-03-05T14:30:00.123456789")
        for store in (pd.Series([moment]), pd.Series([moment], dtype=object)):
            reference = from_pandas(pd.DataFrame({"k": ["a"], "v": store}))
            for digits, same in (("123456789", True), ("1234567890", True), ("123456788", False),
                                 ("123456", False), ("1234567891", False)):  # fmt: skip
                candidate = pa.table({"k": ["a"], "v": [spelling.format(digits)]})
                assert compare_tables(reference, candidate, keyed(type="datetime")).equal is same, digits

    @pytest.mark.parametrize("layout", ["long", "wide", "transposed"])
    def test_no_layout_loses_them_either(self, layout: str) -> None:
        cell = pd.Timestamp("2024-03-05T14:30:00.123456789")
        contract = OutputContract.model_validate({
            "columns": [{"name": "k"}, {"name": "f"}, {"name": "v", "type": "datetime"}],
            "key": ["k", "f"], "layouts": [layout],
        })  # fmt: skip
        for finer, same in ((cell, True), (cell - pd.Timedelta(1, "ns"), False)):
            reference = from_pandas(pd.DataFrame({"k": ["a"], "f": ["open"], "v": [cell]}))
            frame = {
                "long": pd.DataFrame({"k": ["a"], "f": ["open"], "field": ["v"], "is": [finer]}),
                "wide": pd.DataFrame({"k": ["a"], "open": [finer]}),
                "transposed": pd.DataFrame({"k": ["f", "v"], "a": ["open", finer]}),
            }[layout]
            assert compare_tables(reference, from_pandas(frame), contract).equal is same

    def test_a_date_among_date_times_keeps_the_times_of_the_others(self) -> None:
        # Arrow alone would make dates of both
        cells = pd.Series([dt.date(2024, 1, 1), dt.datetime.fromisoformat("2024-01-02 05:00")], dtype=object)
        candidate = from_pandas(pd.DataFrame({"k": ["a", "b"], "v": cells}))
        reference = pa.table({"k": ["a", "b"], "v": ["2024-01-01", "2024-01-02"]})
        verdict = compare_tables(reference, candidate, keyed(type="date"))
        assert [(cell.row, cell.kind) for cell in verdict.diff.cells()] == [("k=b", "unreadable")]

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
        assert equal(150_000_000, "1.5个亿", type="number", unit="元")
        assert equal(50_000, "50,000元", header="v（万元）", type="number", unit="元")

    @pytest.mark.parametrize(
        ("header", "scale"), [("v（万元）", 10**4), ("v（¥万）", 10**4), ("v (RMB millions)", 10**6)]
    )
    def test_a_sign_leaves_the_scale_to_the_header_and_a_word_does_not(self, header: str, scale: int) -> None:
        """A sign stands on every line of a table "in millions" ($ 5); 元 and RMB beside a number count yuan."""
        for cell in ("¥50,000", "￥50000", "50,000", "¥ 50,000.00"):
            assert equal(50_000 * scale, cell, header=header, type="number", unit="元"), cell
        for cell in ("50,000元", "¥50,000元", "RMB 50,000", "人民币50,000元"):
            assert equal(50_000, cell, header=header, type="number", unit="元"), cell
        assert equal(5 * 10**8, "¥50,000万", header=header, type="number", unit="元")

    def test_headers_of_a_wide_table_state_units_each_its_own(self) -> None:
        contract = OutputContract.parse("""
        columns: [{name: code}, {name: year, type: period}, {name: revenue, type: number, unit: 元, decimals: 2}]
        key: [code, year]
        layouts: [wide]
        """)
        reference = pa.table(
            {"code": ["a", "a"], "year": ["2023", "2024"], "revenue": [50_000.0, 1_234_500_000.0]}
        )
        for headers, cells in (
            (("2023", "2024"), (50_000, "1,234,500,000")),
            (("2023（万元）", "2024（万元）"), (5, 123_450)),
            (("2023（万元）", "2024（亿元）"), ("5.00", 12.345)),
            (("2023（元）", "2024 (CNY millions)"), (50_000.0, "1,234.5")),
            (("2023", "2024（亿元）"), ("5万元", "¥12.345")),
            (("2023年（万元）", "2024年（万元）"), ("50,000元", "12.345亿元")),
        ):
            candidate = pa.table([["a"], [cells[0]], [cells[1]]], names=["code", *headers])
            verdict = compare_tables(reference, candidate, contract)
            assert verdict.equal, (headers, verdict.to_text())
            swapped = pa.table([["a"], [cells[1]], [cells[0]]], names=["code", *headers])
            assert not compare_tables(reference, swapped, contract).equal
        dollars = pa.table([["a"], [50_000], ["x"]], names=["code", "2023 (USD)", "2024（万元）"])
        verdict = compare_tables(reference, dollars, contract)
        assert [cell.kind for cell in verdict.diff.cells()] == ["wrong_unit", "unreadable"]

    def test_a_duration_in_chinese_where_one_is_declared_and_a_period_where_that_is(self) -> None:
        for unit, cell in (("年", "3年"), ("year", "3年"), ("个季度", "3季度"), ("日", "3天"), ("天", "3日")):
            assert equal(3, cell, type="number", unit=unit), (unit, cell)
            assert equal(3, cell, header=f"v（{unit}）", type="number", unit=unit)
        assert equal(30_000, "3万天", type="number", unit="日")
        assert equal(3, "3", type="number", unit="万天")  # a bare number is in the contract's unit and scale
        assert not equal(3, "3年", type="number")
        assert not equal(2021, "2021年", type="number", unit="年")  # the year of the calendar
        assert equal("2021", "2021年", type="period")
        assert not equal("2021", "3年", type="period")
        assert equal("2021", "2021A", type="period")
        assert not equal("2021A", "2021E", type="period")  # an actual is no estimate


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

    @pytest.mark.parametrize("cents", [1, 2, 3, 4, 50])
    @pytest.mark.parametrize("whole", [3 * 10**13, 4 * 10**13, 6.9e13, 7.2e13, 1.3e14, 2e14, 9e14])
    def test_and_beyond_that_whatever_float64_tells_apart(self, whole: float, cents: int) -> None:
        # from 2^45 = 3.5e13 on floats are 0.0078 apart, from 2^46 on 0.0156, ... from 2^49 = 5.6e14 on 0.125
        other = whole + cents / 100
        assert equal(float(whole), other, type="number", decimals=2) is (other == whole)
        if whole > 2**45:
            assert not equal(float(whole), np.nextafter(whole, np.inf), type="number", decimals=2)

    def test_noise_ends_at_an_eighth_of_a_declared_unit(self) -> None:
        # 2^44 = 1.76e13: floats are 2^-8 apart. Half a cent and an eighth of one are 0.00625: one float, not two.
        whole = 2.0**44
        for floats, same in ((1, True), (2, False)):
            assert equal(whole, whole + floats * 2.0**-8, type="number", decimals=2) is same
        # 4 units in the last place of 2^40 are 0.00098, less than an eighth of a cent: they are noise beside a tie
        tie = 2.0**40 + 0.125
        assert equal(2.0**40 + 0.13, tie - 2 * 2.0**-12, type="number", decimals=2)
        assert not equal(2.0**40 + 0.13, tie - 10 * 2.0**-12, type="number", decimals=2)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(10**12, 7 * 10**15))
    @example(4_775_584_716_123_655)  # a cent less, in 万元 and back, is the same float64 in yuan
    def test_restating_cents_in_wan_changes_nothing(self, cents: int) -> None:
        """Up to 7e13 yuan every cent has its own float64, in yuan and in 万元."""
        yuan = Decimal(cents) / 100
        for reference in (yuan, float(yuan)):
            for wrong in (0, 1, -1):
                restated = float((yuan + Decimal(wrong) / 100) / 10**4)
                same = equal(reference, restated, header="v（万元）", type="number", decimals=2, unit="元")
                assert same is (wrong == 0)

    def test_no_number_beyond_float64_equals_another(self) -> None:
        for reference in (1e308, 5.0):
            for candidate in ("1e400", "1e500", "inf", "-1e400", "9" * 400):
                verdict = compare(reference, candidate, type="number")
                assert [cell.kind for cell in verdict.diff.cells()] == ["unreadable"], candidate

    @pytest.mark.parametrize("type_", ["number", "integer"])
    @pytest.mark.parametrize("code", ["002198", "007", "00", "-05", "00.5", "０７"])
    def test_digits_printed_as_a_code_are_no_number(self, code: str, type_: str) -> None:
        verdict = compare(int(float(code)), code, type=type_)
        assert [cell.kind for cell in verdict.diff.cells()] == ["unreadable"]
        assert "leading_zeros" in verdict.to_text()
        with pytest.raises(GoldError, match="leading_zeros"):
            compare("002198", 2198, type=type_)

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
            ("9007199254740993", "9007199254740992", False),
            ("9007199254740993", "9007199254740993", True),
            ("9007199254740993", " +9007199254740993.0 ", True),
        ],
    )
    def test_digits_beyond_float64_are_compared_exactly(self, reference, candidate, equal) -> None:
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

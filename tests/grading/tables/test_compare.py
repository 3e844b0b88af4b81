"""Tables under a contract: what is equal, what is not, and what the diff says about it."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from finassay.core import GoldError
from finassay.grading import OutputContract, TableVerdict, compare_tables, from_pandas


def under(columns: str, **options: object) -> OutputContract:
    return OutputContract.model_validate(OutputContract.parse(f"columns: {columns}").model_dump() | options)


NUMBER = "[{name: k}, {name: v, type: number, decimals: 2}]"


def kv(*values: object, keys: str | None = None) -> pa.Table:
    keys = keys or "abcdefgh"[: len(values)]
    return pa.table({"k": list(keys), "v": pa.array(list(values)) if values else pa.array([], pa.float64())})


def kinds(verdict: TableVerdict) -> list[tuple[str, str, str]]:
    return [(cell.row, cell.column, cell.kind) for cell in verdict.diff.cells()]


class TestTheSameTableInOtherWords:
    def test_itself(self, contract: OutputContract, table: pa.Table) -> None:
        verdict = compare_tables(table, table, contract)
        assert verdict.equal
        assert verdict.reasons == ()
        assert verdict.rows.matched == 3
        assert verdict.cells.matched == 3 * 6  # six columns outside the key
        assert verdict.diff.to_text() == "no difference"

    def test_printed_by_a_person_in_chinese(self, contract: OutputContract, table: pa.Table) -> None:
        # 1741.4406995825 亿元 = 174144069958.25 CNY; 0.3014 = 30.14 percent where the cell says so
        printed = pa.table({
            "营收（亿元）": ["-0.000000125", "1,466.95", "1741.4406995825"],
            "证券代码": ["00700.HK", "SZ000001", "600519"],
            "日期": ["2025年3月31日", "2024-12-31", "2024/12/31"],
            "Margin(%)": ["52.90", "30.14", "９１.９３"],
            "shares": ["9,267,000,000", "19405918198", "1256197800"],
            "INDUSTRY": ["", " 银行 ", "食品饮料"],
            "state": ["开放", "暂停", "open"],
            "profitable": ["否", "是", "true"],
        })  # fmt: skip
        verdict = compare_tables(table, printed, contract)
        assert verdict.equal, verdict.to_text()
        assert verdict.notes == ("column 'revenue' is in 亿元", "column 'margin' is in %")

    def test_a_unit_in_the_cell(self) -> None:
        contract = under("[{name: v, type: number, unit: 亿元, decimals: 2}]")
        reference = pa.table({"v": [1.5]})
        for said in ("1.5", "1.50亿元", "15000万元", "150,000,000 元", "1.5亿", "0.15 billion CNY"):
            assert compare_tables(reference, pa.table({"v": [said]}), contract).equal, said

    def test_decimals_of_a_database_and_floats(self) -> None:
        contract = under("[{name: v, type: number, decimals: 4}]")
        exact = pa.table({"v": pa.array([Decimal("0.1000"), Decimal("1234567.8901")], pa.decimal128(18, 4))})
        assert compare_tables(exact, pa.table({"v": [0.1, 1234567.8901]}), contract).equal


class TestPrecision:
    @pytest.mark.parametrize(
        ("decimals", "reference", "candidate", "equal"),
        [
            (2, 1.2345, 1.23, True),  # |difference| 0.0045 <= 0.005
            (2, 1.2345, 1.24, False),  # 0.0055
            (2, 0.125, 0.13, True),  # exactly half a unit: both roundings of a tie are right
            (2, 0.125, 0.12, True),
            (0, 2.4, 2, True),
            (0, 2.6, 2, False),
            (2, 35.91, 0.3591, False),  # no scale is guessed
            (2, 3.0, 300.0, False),
        ],
    )
    def test_half_a_unit_of_the_last_declared_decimal(
        self, decimals: int, reference: float, candidate: float, equal: bool
    ) -> None:
        contract = under(f"[{{name: v, type: number, decimals: {decimals}}}]")
        verdict = compare_tables(pa.table({"v": [reference]}), pa.table({"v": [candidate]}), contract)
        assert verdict.equal is equal

    def test_without_decimals_only_float_noise(self) -> None:
        contract = under("[{name: v, type: number}]")
        assert compare_tables(pa.table({"v": [0.3]}), pa.table({"v": [0.1 + 0.2]}), contract).equal
        assert not compare_tables(pa.table({"v": [0.3]}), pa.table({"v": [0.3000001]}), contract).equal

    def test_integers_beyond_float_are_compared_exactly(self) -> None:
        contract = under("[{name: v, type: integer}]")
        big = 2**53  # float64 cannot tell 2**53 from 2**53 + 1
        assert not compare_tables(pa.table({"v": [big]}), pa.table({"v": [big + 1]}), contract).equal
        assert compare_tables(pa.table({"v": [big + 1]}), pa.table({"v": [str(big + 1)]}), contract).equal

    def test_decimals_beyond_float_are_compared_exactly(self) -> None:
        contract = under("[{name: v, type: number, decimals: 2}]")
        a, b = (pa.table({"v": [Decimal(f"12345678901234567.{c}")]}) for c in ("10", "12"))
        assert compare_tables(a, a, contract).equal
        assert not compare_tables(a, b, contract).equal

    def test_tolerance_is_not_transitive_and_greed_would_fail(self) -> None:
        # within 0.5: 0~0, 0~-0.4, 0.4~0; not 0.4~-0.4. Pairing 0 with 0 first leaves two rows that differ by 0.8.
        contract = under("[{name: v, type: number, decimals: 0}]")
        for order in ([0.0, -0.4], [-0.4, 0.0]):
            assert compare_tables(pa.table({"v": [0.0, 0.4]}), pa.table({"v": order}), contract).equal


class TestWhatIsWrong:
    def test_one_wrong_cell_of_each_kind(self, contract: OutputContract, table: pa.Table) -> None:
        candidate = pa.table({
            "code": table["code"], "date": table["date"],
            "revenue": ["174144069958.25", "1466.95", "12.5"],
            "margin": ["0.9193", "", "52.9 USD"],
            "shares": ["many", "19405918198", "9267000000"],
            "industry": ["食品饮料", "银行", "互联网"],
            "state": ["closed", "closed", "open"],
            "profitable": [True, True, False],
        })  # fmt: skip
        verdict = compare_tables(table, candidate, contract)
        assert verdict.reasons == ("wrong_cell",)
        assert kinds(verdict) == [
            ("code=600519.SH, date=2024-12-31", "margin", "wrong_scale"),
            ("code=600519.SH, date=2024-12-31", "shares", "unreadable"),
            ("code=600519.SH, date=2024-12-31", "state", "wrong_value"),
            ("code=000001.SZ, date=2024-12-31", "revenue", "wrong_scale"),
            ("code=000001.SZ, date=2024-12-31", "margin", "missing_value"),
            ("code=0700.HK, date=2025-03-31", "revenue", "wrong_sign"),
            ("code=0700.HK, date=2025-03-31", "margin", "wrong_unit"),
            ("code=0700.HK, date=2025-03-31", "industry", "unexpected_value"),
        ]
        assert (verdict.cells.matched, verdict.cells.wrong) == (10, 8)
        assert verdict.cells.recall == 10 / 18

    def test_the_text_is_for_a_person(self) -> None:
        verdict = compare_tables(kv(1.0, 2.0), kv(1.5, 2.0), under(NUMBER, key=("k",)))
        assert verdict.to_text() == "\n".join([
            "different: wrong_cell",
            "rows: 1 of 2 matched, 1 with wrong cells, 0 missing, 0 extra",
            "cells: 1 matched, 1 wrong, 0 missing, 0 extra",
            "row  column  expected  was  why",
            "k=a  v       1.0       1.5  off by 0.5, 0.5 of it; allowed 0.005",
        ])  # fmt: skip

    def test_a_long_diff_is_cut_and_says_so(self) -> None:
        n = 1000
        a, b = (
            pa.table({"k": [str(i) for i in range(n)], "v": [float(i + d) for i in range(n)]}) for d in (0, 1)
        )
        verdict = compare_tables(a, b, under(NUMBER, key=("k",)))
        assert verdict.diff.to_text(5).endswith("… and 995 more cells that differ")
        assert len(json.dumps(verdict.to_json(max_cells=3))) < 2000

    def test_lost_and_added_rows_and_duplicates(self) -> None:
        contract = under(NUMBER, key=("k",))
        reference = kv(1.0, 1.0, 2.0, keys="aab")
        assert compare_tables(reference, kv(1.0, 2.0, keys="ab"), contract).reasons == ("lost_duplicate",)
        assert compare_tables(reference, kv(1.0, 1.0, keys="aa"), contract).reasons == ("missing_row",)
        assert compare_tables(reference, kv(1.0, 1.0, 2.0, 2.0, keys="aabb"), contract).reasons == (
            "added_duplicate",
        )
        assert compare_tables(reference, kv(1.0, 1.0, 2.0, 3.0, keys="aabc"), contract).reasons == (
            "extra_row",
        )

    def test_values_of_one_key_are_a_multiset(self) -> None:
        contract = under(NUMBER, key=("k",))
        reference = kv(1.0, 2.0, 3.0, keys="aaa")
        assert compare_tables(reference, kv(3.0, 1.0, 2.0, keys="aaa"), contract).equal
        verdict = compare_tables(reference, kv(3.0, 1.0, 2.5, keys="aaa"), contract)
        assert [(c.expected, c.found) for c in verdict.diff.cells()] == [(2.0, 2.5)]

    def test_a_cell_under_a_repeated_key_is_found_by_its_row_numbers(self) -> None:
        contract = under(NUMBER, key=("k",))
        verdict = compare_tables(kv(5, 1, 2, 3, keys="baaa"), kv(30, 2, 1, 6, keys="aaab"), contract)
        cells = list(verdict.diff.cells())
        assert [cell.row for cell in cells] == ["k=b", "k=a (row 4, 1 of the candidate)"]
        assert [(cell.reference_row, cell.candidate_row) for cell in cells] == [(1, 4), (4, 1)]
        assert "k=a (row 4, 1 of the candidate)" in verdict.to_text()
        listed = verdict.to_json()["diff"]["cells"]  # type: ignore[index]
        assert [(cell["reference_row"], cell["candidate_row"]) for cell in listed] == [(1, 4), (4, 1)]

    def test_a_key_that_only_the_candidate_repeats_is_numbered_too(self) -> None:
        verdict = compare_tables(kv(1, 2), kv(5, 7, 2, keys="aab"), under(NUMBER, key=("k",)))
        (cell,) = verdict.diff.cells()
        assert cell.row.startswith("k=a (row 1")  # of the two of the candidate either may be the one

    @pytest.mark.parametrize("names", [["key", "v"], ["k", "V", "K"], ["x", "y"]])
    def test_without_its_key_column_a_table_is_told_by_its_headers_alone(self, names: list[str]) -> None:
        columns = [["a", "b", "c"], [1.0, 1.0, 1.0], ["a", "b", "c"]][: len(names)]
        candidate = pa.table([pa.array(column) for column in columns], names=names)
        verdict = compare_tables(kv(1.0, 1.0, 1.0), candidate, under(NUMBER, key=("k",)))
        assert set(verdict.reasons) <= {"missing_column", "extra_column", "duplicate_column"}
        assert not verdict.equal
        assert verdict.diff.headers
        assert (verdict.diff.missing, verdict.diff.extra) == ((), ())
        assert (verdict.rows.matched, verdict.rows.missing, verdict.cells.recall) == (0, 3, 0)

    def test_without_a_key_a_row_is_one_thing(self) -> None:
        contract = under("[{name: a}, {name: b, type: number}, {name: c, type: number}]")
        reference = pa.table({"a": ["x", "y"], "b": [1, 2], "c": [3, 4]})
        crossed = pa.table({"a": ["x", "y"], "b": [2, 1], "c": [3, 4]})
        verdict = compare_tables(reference, crossed, contract)
        assert not verdict.equal
        assert verdict.cells.wrong == 2


class TestColumns:
    def test_a_missing_column_is_named_with_its_nearest(self) -> None:
        candidate = pa.table({"k": ["a"], "value_": [1.0]})
        contract = under("[{name: k}, {name: values, type: number}]", key=("k",))
        verdict = compare_tables(pa.table({"k": ["a"], "values": [1.0]}), candidate, contract)
        assert verdict.reasons == ("missing_column", "extra_column")
        assert verdict.diff.headers == (
            "no column 'values'; nearest: 'value_'",
            "'value_' is not in the contract",
        )
        assert (verdict.cells.missing, verdict.cells.extra) == (1, 1)

    def test_two_columns_for_one_name(self) -> None:
        candidate = pa.table([pa.array(["a"]), pa.array([1.0]), pa.array([2.0])], names=["k", "v", "V"])
        assert "duplicate_column" in compare_tables(kv(1.0), candidate, under(NUMBER, key=("k",))).reasons

    def test_extra_columns_and_order_as_declared(self) -> None:
        extra = kv(1.0).append_column("note", pa.array(["n"])).select(["v", "note", "k"])
        assert compare_tables(kv(1.0), extra, under(NUMBER)).reasons == ("extra_column",)
        ignored = compare_tables(kv(1.0), extra, under(NUMBER, extra_columns="ignored"))
        assert ignored.equal
        assert ignored.notes == ("ignored columns: note",)
        ordered = under(NUMBER, extra_columns="ignored", column_order="declared")
        assert compare_tables(kv(1.0), extra, ordered).reasons == ("column_order",)

    def test_a_unit_of_another_kind_in_the_header(self) -> None:
        contract = under("[{name: k}, {name: v, type: number, unit: CNY}]", key=("k",))
        verdict = compare_tables(kv(1.0), pa.table({"k": ["a"], "v (USD millions)": [1.0]}), contract)
        assert [kind for _, _, kind in kinds(verdict)] == ["wrong_unit"]

    def test_a_unit_in_the_header_where_the_contract_has_none_is_another_column(self) -> None:
        candidate = pa.table({"k": ["a"], "v (万元)": [1.0]})
        verdict = compare_tables(kv(1.0), candidate, under(NUMBER, key=("k",)))
        assert verdict.reasons == ("missing_column", "extra_column")


class TestEmptyCells:
    def test_missing_is_one_value_by_default(self) -> None:
        contract = under(NUMBER, key=("k",))
        reference = kv(None, float("nan"), 0.0)
        assert compare_tables(reference, kv("", "n/a", "0"), contract).equal
        assert not compare_tables(reference, kv(None, None, None), contract).equal  # missing is not zero

    def test_distinct(self) -> None:
        contract = under("[{name: k}, {name: v, type: number, empties: distinct}]", key=("k",))
        null, nan = pa.table({"k": ["a"], "v": pa.array([None], pa.float64())}), kv(float("nan"))
        assert compare_tables(null, null, contract).equal
        assert compare_tables(nan, nan, contract).equal
        assert [kind for *_, kind in kinds(compare_tables(null, nan, contract))] == ["other_empty"]

    def test_forbidden(self) -> None:
        contract = under("[{name: v, type: number, empties: forbidden}]")
        with pytest.raises(GoldError, match="Row 1 of the reference is empty"):
            compare_tables(pa.table({"v": pa.array([None], pa.float64())}), pa.table({"v": [1.0]}), contract)
        assert not compare_tables(pa.table({"v": [1.0]}), pa.table({"v": ["-"]}), contract).equal

    def test_a_dash_is_a_value_of_text(self) -> None:
        assert not compare_tables(pa.table({"k": ["-"]}), pa.table({"k": [""]}), under("[{name: k}]")).equal

    def test_empty_tables_with_columns(self) -> None:
        contract = under(NUMBER, key=("k",), order_by=({"column": "v"},))
        assert compare_tables(kv(), kv(), contract).equal
        assert compare_tables(kv(), kv(1.0), contract).reasons == ("extra_row",)
        assert compare_tables(kv(1.0), kv(), contract).reasons == ("missing_row",)


class TestOrder:
    ORDER = under(NUMBER, order_by=({"column": "v", "descending": True},))

    def test_any_order_where_none_is_required(self) -> None:
        assert compare_tables(kv(3.0, 2.0), kv(2.0, 3.0, keys="ba"), under(NUMBER)).equal

    def test_the_required_order(self) -> None:
        reference = kv(3.0, 2.0, 1.0)
        assert compare_tables(reference, reference, self.ORDER).equal
        verdict = compare_tables(reference, kv(2.0, 3.0, 1.0, keys="bac"), self.ORDER)
        assert verdict.reasons == ("row_order",)
        assert verdict.diff.misplaced == (1,)

    def test_ties_may_stand_either_way(self) -> None:
        reference, swapped = kv(3.0, 2.0, 2.0), kv(3.0, 2.0, 2.0, keys="acb")
        assert compare_tables(reference, swapped, self.ORDER).equal
        strict = under(NUMBER, order_by=({"column": "v", "descending": True},), ties="reference")
        assert compare_tables(reference, swapped, strict).reasons == ("row_order",)
        by_next = under(NUMBER, order_by=({"column": "v", "descending": True}, {"column": "k"}))
        assert compare_tables(reference, swapped, by_next).reasons == ("row_order",)

    def test_values_closer_than_the_precision_are_ties(self) -> None:
        assert compare_tables(kv(2.001, 2.0), kv(2.0, 2.0, keys="ba"), self.ORDER).equal

    def test_small_steps_do_not_add_up_to_freedom(self) -> None:
        # each neighbour is within 0.005, the ends are 0.008 apart
        reference = kv(1.008, 1.004, 1.0)
        assert compare_tables(reference, kv(1.0, 1.004, 1.008, keys="cba"), self.ORDER).reasons == (
            "row_order",
        )

    def test_missing_values_stand_at_either_end(self) -> None:
        reference = kv(3.0, 2.0, None)
        assert compare_tables(reference, kv(None, 3.0, 2.0, keys="cab"), self.ORDER).equal
        assert not compare_tables(reference, kv(3.0, None, 2.0, keys="acb"), self.ORDER).equal

    def test_the_order_of_the_reference(self) -> None:
        contract = under("[{name: k}]", ties="reference")
        reference = pa.table({"k": ["b", "a", "c"]})
        assert compare_tables(reference, reference, contract).equal
        assert not compare_tables(reference, pa.table({"k": ["a", "b", "c"]}), contract).equal

    def test_a_reference_out_of_order_is_the_references_fault(self) -> None:
        with pytest.raises(GoldError, match="order"):
            compare_tables(kv(1.0, 2.0), kv(1.0, 2.0), self.ORDER)


class TestLayouts:
    WIDE = pa.table({"k": ["a", "b"], "v": [1.0, 2.0], "w": [3.0, 4.0]})
    COLUMNS = "[{name: k}, {name: v, type: number}, {name: w, type: number}]"

    def test_transposed_only_where_declared(self) -> None:
        turned = pa.table({"k": ["v", "w"], "a": [1.0, 3.0], "b": [2.0, 4.0]})
        assert not compare_tables(self.WIDE, turned, under(self.COLUMNS, key=("k",))).equal
        verdict = compare_tables(self.WIDE, turned, under(self.COLUMNS, key=("k",), layouts=("transposed",)))
        assert verdict.equal
        assert verdict.notes == ("read in transposed layout",)

    def test_transposed_by_pandas(self) -> None:
        turned = from_pandas(self.WIDE.to_pandas().T.reset_index())  # headers: index, 0, 1
        contract = under(self.COLUMNS, key=("k",), layouts=("transposed",))
        assert compare_tables(self.WIDE, turned, contract).equal
        other = from_pandas(self.WIDE.to_pandas().assign(v=[1.0, 2.5]).T.reset_index())
        assert compare_tables(self.WIDE, other, contract).reasons == ("wrong_cell",)

    def test_transposed_by_pandas_with_the_key_as_headers(self) -> None:
        contract = under(self.COLUMNS, key=("k",), layouts=("transposed",))
        turned = from_pandas(self.WIDE.to_pandas().set_index("k").T.reset_index())  # headers: index, a, b
        assert compare_tables(self.WIDE, turned, contract).equal
        assert not compare_tables(self.WIDE, turned, under(self.COLUMNS, key=("k",))).equal
        blank = turned.rename_columns(["", "a", "b"])
        assert compare_tables(self.WIDE, blank, contract).equal
        swapped = turned.rename_columns(["index", "b", "a"])
        assert compare_tables(self.WIDE, swapped, contract).reasons == ("wrong_cell",)
        named = turned.rename_columns(["ticker", "a", "b"])  # another name is a wrong name, in any layout
        assert "missing_column" in compare_tables(self.WIDE, named, contract).reasons

    def test_a_transposed_table_without_a_field_is_not_given_the_numbers_of_its_rows(self) -> None:
        ranked = pa.table({"k": [0, 1], "v": [1.0, 2.0], "w": [3.0, 4.0]})
        contract = under("[{name: k, type: integer}, {name: v, type: number}, {name: w, type: number}]",
                         key=("k",), layouts=("transposed",))  # fmt: skip
        turned = from_pandas(ranked.drop_columns(["k"]).to_pandas().T.reset_index())  # headers: index, 0, 1
        assert "missing_column" in compare_tables(ranked, turned, contract).reasons

    def test_long_only_where_declared(self) -> None:
        long = pa.table(
            {"k": ["a", "a", "b", "b"], "field": ["v", "w", "w", "v"], "value": [1.0, 3.0, 4.0, 2.0]}
        )
        assert not compare_tables(self.WIDE, long, under(self.COLUMNS, key=("k",))).equal
        assert compare_tables(self.WIDE, long, under(self.COLUMNS, key=("k",), layouts=("long",))).equal

    def test_wide_only_where_declared(self) -> None:
        columns = "[{name: k}, {name: year, type: period}, {name: v, type: number}]"
        reference = pa.table({"k": ["a", "a"], "year": [2023, 2024], "v": [1.0, 2.0]})
        wide = pa.table({"k": ["a"], "2024": [2.0], "2023年": [1.0]})
        assert not compare_tables(reference, wide, under(columns, key=("k", "year"))).equal
        assert compare_tables(reference, wide, under(columns, key=("k", "year"), layouts=("wide",))).equal


class TestTypes:
    def test_codes_with_and_without_a_market(self) -> None:
        contract = under("[{name: c, type: code}]")
        both = pa.table({"c": ["000001.SZ", "000001.SH"]})
        assert compare_tables(pa.table({"c": ["600519.SH"]}), pa.table({"c": ["600519"]}), contract).equal
        assert compare_tables(both, pa.table({"c": ["000001", "000001.SH"]}), contract).equal
        assert not compare_tables(both, pa.table({"c": ["000001.SH", "000001.SH"]}), contract).equal
        assert not compare_tables(pa.table({"c": ["000001"]}), pa.table({"c": ["000100"]}), contract).equal

    def test_a_time_of_day_is_no_date(self) -> None:
        contract = under("[{name: d, type: date}]")
        reference = pa.table({"d": [dt.date(2025, 1, 31)]})
        assert compare_tables(reference, pa.table({"d": [dt.datetime(2025, 1, 31)]}), contract).equal  # noqa: DTZ001
        assert compare_tables(reference, pa.table({"d": ["2025-01-31 00:00:00"]}), contract).equal
        assert not compare_tables(reference, pa.table({"d": ["2025-01-31 15:00:00"]}), contract).equal
        assert not compare_tables(reference, pa.table({"d": [dt.datetime(2025, 1, 31, 15)]}), contract).equal  # noqa: DTZ001
        assert not compare_tables(reference, pa.table({"d": ["2025-02-30"]}), contract).equal

    def test_instants_agree_across_time_zones(self) -> None:
        contract = under("[{name: t, type: datetime}]")
        utc = pa.table({"t": pa.array([dt.datetime(2025, 1, 31, 7, tzinfo=dt.UTC)])})
        assert compare_tables(utc, pa.table({"t": ["2025-01-31T15:00:00+08:00"]}), contract).equal
        assert not compare_tables(utc, pa.table({"t": ["2025-01-31T15:00:00+07:00"]}), contract).equal

    def test_periods(self) -> None:
        contract = under("[{name: p, type: period}]")
        reference = pa.table({"p": ["2024Q3"]})
        assert compare_tables(reference, pa.table({"p": ["2024年三季度"]}), contract).equal
        assert not compare_tables(reference, pa.table({"p": ["2024年三季报"]}), contract).equal  # nine months

    def test_a_boolean_is_no_number(self) -> None:
        verdict = compare_tables(kv(1), kv(True), under(NUMBER, key=("k",)))
        assert [kind for *_, kind in kinds(verdict)] == ["unreadable"]

    def test_a_frame_with_mixed_cells(self) -> None:
        frame = pd.DataFrame({"k": ["a", "b"], "v": [1, "2.00"]})
        assert compare_tables(kv(1.0, 2.0), from_pandas(frame), under(NUMBER, key=("k",))).equal

    def test_chunks_dictionaries_and_large_strings(self) -> None:
        contract = under("[{name: k}, {name: v, type: number}]", key=("k",))
        plain = pa.table({"k": ["a", "b"], "v": [1.0, 2.0]})
        odd = pa.table({
            "k": pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]),
            "v": pa.chunked_array([["2"], ["1"]], pa.large_string()),
        })  # fmt: skip
        assert compare_tables(plain, odd, contract).equal
        assert compare_tables(odd, plain, contract).equal
        assert compare_tables(plain.slice(1), odd.slice(0, 1), contract).equal


class TestWhoIsToBlame:
    def test_an_unreadable_reference_is_a_gold_error(self) -> None:
        with pytest.raises(GoldError, match=r"Row 1 of the reference has 'x' in 'v'"):
            compare_tables(pa.table({"v": ["x"]}), pa.table({"v": [1.0]}), under("[{name: v, type: number}]"))

    def test_a_reference_without_its_columns_is_a_gold_error(self) -> None:
        with pytest.raises(GoldError, match="no column 'v'"):
            compare_tables(pa.table({"k": ["a"]}), kv(1.0), under(NUMBER))

    def test_thousands_of_similar_rows_with_one_way_to_pair_them(self) -> None:
        """Rows are equal up to n / 2 places apart in both columns, which run against each other on the right.

        The k first and the k last rows of the left meet the 2k in the middle of the right and no others.
        """
        n = 4_000
        columns = "[{name: a, type: number, decimals: 0}, {name: b, type: number, decimals: 0}]"
        a = [i / n for i in range(n)]
        b = a[::-1]
        left, right = pa.table({"a": a, "b": a}), pa.table({"a": a, "b": b})
        assert compare_tables(left, right, under(columns)).equal
        b[n // 2] = 2.0
        assert (
            compare_tables(left, right.set_column(1, "b", pa.array(b)), under(columns)).rows.matched == n - 1
        )

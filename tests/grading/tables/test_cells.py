"""One cell against one cell: what a column type takes for equal, and what it never does."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

from finassay.grading import OutputContract, TableVerdict, compare_tables, from_pandas


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

"""Whatever a candidate's table holds, there is a verdict with a diff: content never raises."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from finassay.grading import OutputContract, TableVerdict, compare_tables, from_pandas

TYPES: list[dict[str, Any]] = [
    {"type": "number"}, {"type": "number", "unit": "元", "decimals": 2}, {"type": "integer"}, {"type": "text"},
    {"type": "date"}, {"type": "datetime"}, {"type": "period"}, {"type": "code"}, {"type": "boolean"},
    {"type": "enumeration", "values": {"a": ["b"]}},
]  # fmt: skip
GOOD = {
    "number": 1.5, "integer": 1, "text": "a", "date": "2021-01-01", "datetime": "2021-01-01 09:30",
    "period": "2021", "code": "600519.SH", "boolean": "true", "enumeration": "a",
}  # fmt: skip
LAYOUTS = [[], ["transposed", "long", "wide"]]
each_type = pytest.mark.parametrize("column", TYPES, ids=lambda column: "-".join(map(str, column.values())))


class Raises:
    """An object that raises in the methods of the given names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def _refuse(self, name: str) -> None:
        if name in self.names:
            raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        self._refuse("eq")
        return True

    def __hash__(self) -> int:
        self._refuse("hash")
        return 1

    def __str__(self) -> str:
        self._refuse("str")
        return "an object"

    def __bool__(self) -> bool:
        self._refuse("bool")
        return True

    @property
    def __class__(self) -> type:  # type: ignore[override]
        self._refuse("class")
        return float


class Mute(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise KeyError("mute")

    __repr__ = __str__


def itself() -> list[object]:
    cell: list[object] = []
    cell.append(cell)
    return cell


def nested(depth: int) -> list[object]:
    cell: list[object] = []
    for _ in range(depth):
        cell = [cell]
    return cell


OBJECTS: list[object] = [
    *(Raises(name) for name in ("eq", "hash", "str", "bool", "class")), Mute("1.5"), object(), object, len,
    itself(), nested(100_000), [1, 2], {"a": {1: 2}}, {1, 2}, (1,), range(3), slice(1), ..., NotImplemented,
    b"\xff", bytearray(b"x"), memoryview(b"x"), "\ud800", "a\ud800b", "a\x00b", "9" * 300, 10**30, 10**5000, 2**64 - 1,
    float("inf"), 1e308, Decimal("sNaN"), Decimal("Infinity"), Decimal("1e500"), 1 + 2j,
    np.complex64(1), np.void(b"ab"), np.longdouble(1) / 3, np.array([1, 2]), np.timedelta64(5, "ns"),
    np.str_("x\ud800"), pd.Interval(0, 1),
    pd.Series([1]), pd.DataFrame({"a": [1]}), ValueError("x"), dt.timedelta(5), dt.time(5, tzinfo=dt.UTC),
    dt.datetime(9999, 12, 31, tzinfo=dt.timezone(dt.timedelta(hours=-5))), dt.date(1, 1, 1),
    np.datetime64("2021-01-01T09:30:00.000000001"), pd.Timestamp("2021-01-01T09:30:00.000000001"),
]  # fmt: skip


def bytes_as_text(raw: bytes) -> pa.Array:
    """A text column with one cell, whatever its bytes are."""
    ends = pa.array([0, len(raw)], pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(raw)])


ARRAYS: dict[str, Callable[[], pa.Array]] = {
    "no UTF-8": lambda: bytes_as_text(b"a\xff"),
    "no UTF-8, view": lambda: bytes_as_text(b"a\xff").cast(pa.binary()).cast(pa.binary_view()),
    "no UTF-8, encoded": lambda: pa.DictionaryArray.from_arrays(pa.array([0]), bytes_as_text(b"\xff")),
    "unknown zone": lambda: pa.array([1], pa.timestamp("us", "Nowhere/Land")),
    "impossible offset": lambda: pa.array([1], pa.timestamp("ns", "+99:00")),
    "unknown zone in a list": lambda: pa.array([[1]], pa.list_(pa.timestamp("us", "Nowhere/Land"))),
    "beyond the calendar": lambda: pa.array([2**62], pa.timestamp("us", "Asia/Tokyo")),
    "bytes in a structure": lambda: pa.array([{"a": [b"\xff"]}]),
    "fixed bytes": lambda: pa.array([b"ab"], pa.binary(2)),
    "decimal32": lambda: pa.array([Decimal("7.25")], pa.decimal32(5, 2)),
    "half": lambda: pa.array([7.5], pa.float16()),
    "run-end encoded": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array(["x"])),
    "union": lambda: pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([7])]),
    "uuid": lambda: pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16], pa.binary(16))),
    "bool8": lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0], pa.int8())),
    "list view": lambda: pa.array([[1]], pa.list_view(pa.int64())),
    "map": lambda: pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
    "polars category": lambda: pl.Series(["x"], dtype=pl.Categorical).to_arrow(),
    "polars list": lambda: pl.Series([[1, None]]).to_arrow(),
    "polars time": lambda: pl.Series([dt.time(5)]).to_arrow(),
    "list of dicts": lambda: pa.Table.from_pylist([{"v": {"a": [1, None]}}])["v"],
}  # fmt: skip

PYTHON_TEXT = pd.StringDtype("python")


def names(*columns: object) -> pd.Index:
    return pd.Index(columns, dtype=object, tupleize_cols=False)


FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "no rows, no columns": pd.DataFrame,
    "rows, no columns": lambda: pd.DataFrame(index=range(3)),
    "columns, no rows": lambda: pd.DataFrame({"k": [], "v": []}),
    "the same name thrice": lambda: pd.DataFrame([[1, 2, 3]], columns=["v", "v", "v"]),
    "levels of names": lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("k", 1), ("v", 2)])),
    "names of any kind": lambda: pd.DataFrame([[1] * 5], columns=names(None, 1.5, "\ud800", b"\xff", ("k",))),
    "names that cannot be printed": lambda: pd.DataFrame([[1, 2]], columns=names("k", Raises("str"))),
    "levels of rows": lambda: pd.DataFrame({"k": ["a"], "v": [7]}, index=pd.MultiIndex.from_tuples([(1, 2)])),
    "categories": lambda: pd.DataFrame({"k": pd.Categorical(["a"]), "v": pd.Categorical([pd.Interval(0, 1)])}),
    "periods": lambda: pd.DataFrame({"k": ["a"], "v": pd.PeriodIndex(["2019Q1"], freq="Q")}),
    "intervals": lambda: pd.DataFrame({"k": ["a"], "v": pd.interval_range(0, 1)}),
    "sparse": lambda: pd.DataFrame({"k": ["a"], "v": pd.arrays.SparseArray([7.0])}),
    "complex": lambda: pd.DataFrame({"k": ["a"], "v": [1 + 2j]}),
    "surrogates in a text column": lambda: pd.DataFrame({"k": ["a"], "v": pd.array(["\ud800"], PYTHON_TEXT)}),
    "nullable": lambda: pd.DataFrame({"k": ["a"], "v": pd.array([None], dtype="Int64")}),
}  # fmt: skip


def contract_of(column: dict[str, Any], layouts: list[str]) -> OutputContract:
    return OutputContract.model_validate(
        {"columns": [{"name": "k"}, {"name": "v", **column}], "key": ["k"], "layouts": layouts}
    )


def judge(candidate: pa.Table, column: dict[str, Any], layouts: list[str] | None = None) -> TableVerdict:
    """Compare, and read the whole of the diff."""
    reference = pa.table({"k": ["a"], "v": [GOOD[column["type"]]]})
    verdict = compare_tables(reference, candidate, contract_of(column, layouts or []))
    verdict.to_text().encode()
    json.dumps(verdict.to_json(), allow_nan=False)
    assert verdict.equal or verdict.diff
    return verdict


@each_type
@pytest.mark.parametrize("place", ["value", "key", "both"])
def test_any_object_in_a_data_frame_is_a_cell_that_does_not_match(column: dict[str, Any], place: str) -> None:
    for cell in OBJECTS:
        one = pd.Series([cell], dtype=object)
        good = pd.Series([GOOD[column["type"]]], dtype=object)
        frame = pd.DataFrame({"k": ["a"] if place == "value" else one, "v": good if place == "key" else one})
        verdict = judge(from_pandas(frame), column)
        assert not verdict.equal, (type(cell), verdict.to_text())
        assert verdict.reasons == (("wrong_cell",) if place == "value" else ("missing_row", "extra_row"))


@each_type
@pytest.mark.parametrize("layouts", LAYOUTS, ids=["plain", "any layout"])
def test_any_arrow_array_is_too(column: dict[str, Any], layouts: list[str]) -> None:
    for kind, make in ARRAYS.items():
        cells = make()
        assert judge(pa.table({"k": ["a"], "v": cells}), column, layouts).reasons == ("wrong_cell",), kind
        assert not judge(pa.table({"k": cells, "v": [GOOD[column["type"]]]}), column, layouts).equal
        for names in (["k", "2021（万元）"], ["v", "k"], ["x", "y"]):
            assert not judge(pa.table([cells, cells], names=names), column, layouts).equal


@each_type
def test_any_data_frame_is_judged(column: dict[str, Any]) -> None:
    for kind, make in FRAMES.items():
        for layouts in LAYOUTS:
            assert not judge(from_pandas(make()), column, layouts).equal, kind


@pytest.mark.parametrize(
    ("cell", "said"),
    [("\ud800", "not Unicode"), (Raises("str"), "cannot be printed")],
    ids=["surrogate", "object"],
)
def test_the_diff_says_what_the_cell_is(cell: object, said: str) -> None:
    frame = pd.DataFrame({"k": ["a"], "v": pd.Series([cell], dtype=object)})
    assert said in judge(from_pandas(frame), {"type": "text"}).to_text(max_rows=1)
    assert (
        "not Unicode"
        in judge(pa.table({"k": ["a"], "v": bytes_as_text(b"\xff")}), {"type": "text"}).to_text()
    )


ANY = [*OBJECTS, "a", 1, 1.5, None, float("nan"), True, "2021-01-01", "600519"]
CELLS = st.integers(0, len(ANY) - 1).map(ANY.__getitem__)
COLUMNS = st.lists(CELLS, min_size=2, max_size=2) | arrays.arrays(arrays.scalar_dtypes(), 2).map(list)
NAMES = st.lists(st.sampled_from(["k", "v", "V（万元）", "2021", "field", "", "k "]), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TYPES), st.sampled_from(LAYOUTS), st.lists(COLUMNS, min_size=1, max_size=3), NAMES)
def test_any_mixture_is_judged(
    column: dict[str, Any], layouts: list[str], cells: list[list[object]], names: list[str]
) -> None:
    frame = pd.concat([pd.Series(column, dtype=object) for column in cells], axis=1)
    frame.columns = names[: len(cells)]
    judge(from_pandas(frame), column, layouts)

"""A result arrives as an Arrow stream that a hostile program may have written byte by byte."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.core import hash_table
from finassay.execution._untrusted import UntrustedTable, read_untrusted_table

TABLE = pa.table(
    {
        "code": ["600519", None, "000001"],
        "price": pa.array([1.5, None, float("nan")], pa.float64()),
        "sector": pa.array(["a", "b", "a"]).dictionary_encode(),
        "tags": pa.array([["x"], None, []], pa.list_(pa.string())),
    }
)


def stream(table: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


def read(data: bytes, max_rows: int = 1000) -> pa.Table:
    return read_untrusted_table(data, max_rows=max_rows, name="result")


def reason(data: bytes, max_rows: int = 1000) -> str:
    with pytest.raises(UntrustedTable) as caught:
        read(data, max_rows)
    return caught.value.reason


def test_an_honest_stream_is_read_as_it_was_written() -> None:
    assert hash_table(read(stream(TABLE))) == hash_table(TABLE)  # NaN is NaN, NULL is NULL


def test_an_empty_table_keeps_its_columns_and_types() -> None:
    assert read(stream(TABLE.slice(0, 0))).schema.equals(TABLE.schema)


def test_too_many_rows_are_refused_over_all_batches() -> None:
    assert reason(stream(TABLE), max_rows=2) == "too_many_rows"


def test_rows_that_cost_nothing_are_counted_too() -> None:
    """A column of nulls has a length and no body: ten billion rows fit in a few hundred bytes."""
    one = stream(pa.table({"n": pa.nulls(1)}))
    huge = one.replace(struct.pack("<q", 1), struct.pack("<q", 10_000_000_000))
    assert reason(huge) == "too_many_rows"


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_compressed_bodies_are_refused(codec: str) -> None:
    zeros = pa.table({"x": pa.array([0] * 1000)})
    with pytest.raises(UntrustedTable, match="compressed"):
        read(stream(zeros, compression=codec))


@pytest.mark.parametrize(
    "column",
    [
        pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([1])),
        pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
        pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    ],
)
def test_types_whose_length_costs_nothing_are_refused(column: pa.Array) -> None:
    assert reason(stream(pa.table({"x": column}))) == "unreadable_result"


@pytest.mark.parametrize("data", [b"", b"garbage" * 20, b"\xff\xff\xff\xff\x00\x00\x00\x00"])
def test_what_is_no_stream_is_refused(data: bytes) -> None:
    assert reason(data) == "unreadable_result"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_stream_is_read_validly_or_refused(data: st.DataObject) -> None:
    """Never a crash, never an inconsistent table."""
    raw = bytearray(stream(TABLE))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(raw)))
    try:
        table = read(bytes(raw[:cut] if data.draw(st.booleans()) else raw))
    except UntrustedTable:
        return
    table.validate(full=True)
    assert table.num_rows <= 1000

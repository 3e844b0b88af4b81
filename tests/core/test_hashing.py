"""Content hashes: the same for the same content however it is laid out in memory; another for any change of it."""

from __future__ import annotations

import hashlib
import math
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from finassay.core import TableHash, hash_bytes, hash_file, hash_json, hash_table, hash_tables

CELLS = {
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=5),
    pa.binary(): st.binary(max_size=5),
    pa.date32(): st.dates(date(1900, 1, 1), date(2200, 1, 1)),
    pa.timestamp("us"): st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001 - as databases give
    pa.decimal128(20, 4): st.decimals(-(10**12), 10**12, places=4),
}


@st.composite
def columns(draw, least=0):
    """A column of any type with NULLs."""
    kind = draw(st.sampled_from(list(CELLS)))
    values = draw(st.lists(st.none() | CELLS[kind], min_size=least, max_size=12))
    return pa.array(values, kind)


@st.composite
def cut(draw, column):
    """The same column in chunks, each with padding before and behind it."""
    places = sorted(draw(st.lists(st.integers(0, len(column)), max_size=4)))
    edges = [0, *places, len(column)]
    chunks = []
    for start, stop in pairwise(edges):
        padded = pa.concat_arrays([column[:1], column[start:stop], column[:1]])
        chunks.append(padded.slice(min(len(column), 1), stop - start))
    return pa.chunked_array(chunks, column.type)


def one(column) -> str:
    return hash_table(pa.table({"x": column}))


@given(st.data())
def test_chunks_and_offsets_do_not_count(data):
    column = data.draw(columns())
    assert one(data.draw(cut(column))) == one(column)


@given(st.data())
def test_a_table_may_come_in_chunks_however_cut(data):
    column = data.draw(columns())
    digest = TableHash()
    digest.update(pa.table({"x": column.slice(0, 0)}))
    for chunk in data.draw(cut(column)).chunks:
        digest.update(pa.table({"x": chunk}))
    assert digest.hexdigest() == one(column)


@given(columns())
def test_dictionary_encoding_does_not_count(column):
    assume(
        not pa.types.is_decimal(column.type)
    )  # pyarrow cannot cast such a dictionary back: not ours to test
    assert one(column.dictionary_encode()) == one(column)


def test_unused_dictionary_values_do_not_count():
    lean = pa.DictionaryArray.from_arrays(pa.array([0, None, 1]), pa.array(["a", "b"]))
    fat = pa.DictionaryArray.from_arrays(pa.array([3, None, 1]), pa.array(["z", "b", "y", "a"]))
    assert one(lean) == one(fat) == one(pa.array(["a", None, "b"]))


@pytest.mark.parametrize("other", [pa.large_string(), pa.string_view()])
def test_the_layout_of_text_does_not_count(other):
    text = pa.array(["a", None, "沪深"])
    assert one(text.cast(other)) == one(text)


@given(st.data())
def test_another_cell_is_another_hash(data):
    column = data.draw(columns(least=1))
    place = data.draw(st.integers(0, len(column) - 1))
    values = column.to_pylist()
    values[place] = data.draw(st.none() | CELLS[column.type])
    changed = pa.array(values, column.type)
    assume(not changed.equals(column))
    assert one(changed) != one(column)


@given(st.data())
def test_without_a_key_the_order_of_rows_counts(data):
    column = data.draw(columns(least=2))
    turned = column.take(pa.array(range(len(column) - 1, -1, -1)))
    assume(not turned.equals(column))
    assert one(turned) != one(column)


@given(
    st.lists(st.integers(), unique=True, max_size=9).flatmap(
        lambda keys: st.permutations(list(enumerate(keys)))
    )
)
def test_with_a_key_the_order_of_rows_does_not_count(pairs):
    def build(rows):
        return pa.table(
            {"key": [str(key) for _, key in rows], "value": pa.array([n for n, _ in rows], pa.int64())}
        )

    assert hash_table(build(pairs), key=("key",)) == hash_table(build(sorted(pairs)), key=("key",))


def test_a_key_with_null_sorts_it_somewhere_fixed():
    one_way = pa.table({"k": [None, 1, 2], "v": [0, 1, 2]})
    other_way = pa.table({"k": [2, None, 1], "v": [2, 0, 1]})
    assert hash_table(one_way, key=("k",)) == hash_table(other_way, key=("k",))


TABLE = pa.table({"a": pa.array([1, 2], pa.int64()), "b": ["x", "y"]})


@pytest.mark.parametrize(
    "other",
    [
        TABLE.rename_columns(["a", "c"]),
        TABLE.select(["b", "a"]),
        TABLE.select(["a"]),
        TABLE.slice(0, 1),
        TABLE.slice(0, 0),
        TABLE.append_column("c", pa.array([None, None])),
        TABLE.set_column(0, "a", pa.array([1, 2], pa.int32())),
        TABLE.set_column(0, "a", pa.array([1, 2], pa.float64())),
        TABLE.set_column(0, "a", pa.array([1, None], pa.int64())),
        TABLE.set_column(1, "b", pa.array([b"x", b"y"])),
        TABLE.set_column(1, "b", pa.array(["xy", ""])),
        TABLE.set_column(1, "b", pa.array(["", "xy"])),
    ],
    ids=lambda table: "_".join(f"{field.name}-{field.type}" for field in table.schema) + f"_{table.num_rows}",
)
def test_names_types_order_and_size_count(other):
    assert hash_table(other) != hash_table(TABLE)


def test_null_is_not_nan_and_every_nan_is_one():
    null, nan = pa.array([None], pa.float64()), pa.array([math.nan])
    other_nan = pa.array(np.array([0x7FF8000000000001], "<u8").view("<f8"))
    assert one(null) != one(nan)
    assert one(nan) == one(other_nan)


def test_minus_zero_is_zero():
    assert one(pa.array([-0.0])) == one(pa.array([0.0]))


@pytest.mark.parametrize(
    ("one_type", "other_type", "value"),
    [
        (pa.decimal128(10, 1), pa.decimal128(10, 2), Decimal("1.5")),  # a declared scale is content
        (pa.timestamp("us"), pa.timestamp("ns"), datetime(2024, 1, 1)),  # noqa: DTZ001
        (pa.timestamp("us"), pa.timestamp("us", "UTC"), datetime(2024, 1, 1)),  # noqa: DTZ001
        (pa.list_(pa.int32()), pa.list_(pa.int64()), [1]),
    ],
)
def test_parameters_of_a_type_count(one_type, other_type, value):
    assert one(pa.array([value], one_type)) != one(pa.array([value], other_type))


@pytest.mark.parametrize(
    ("left", "right"),
    [([[1], [2]], [[1, 2], []]), ([[None]], [[]]), ([None], [[]]), ([[1], None], [None, [1]])],
)
def test_nested_values_count(left, right):
    kind = pa.list_(pa.int64())
    assert one(pa.array(left, kind)) != one(pa.array(right, kind))


def test_a_table_of_no_rows_and_one_of_no_columns():
    assert hash_table(TABLE.slice(0, 0)) != hash_table(pa.table({}))
    assert one(pa.chunked_array([], pa.int64())) == one(pa.array([], pa.int64()))


def test_a_database_is_its_tables_by_name_each_by_its_key():
    other = pa.table({"a": pa.array([2, 1], pa.int64()), "b": ["y", "x"]})
    tables, keys = {"t": TABLE, "u": other}, {"t": ("a",), "u": ("a",)}
    assert hash_tables(tables, keys=keys) == hash_tables(dict(reversed(tables.items())), keys=keys)
    assert hash_tables({"t": TABLE}, keys=keys) == hash_tables({"t": other}, keys=keys)
    assert hash_tables({"t": TABLE}, keys={}) != hash_tables({"t": other}, keys={})
    assert hash_tables({"t": TABLE}, keys=keys) != hash_tables({"u": TABLE}, keys=keys)


# SHA-256 of "abc" is the example of FIPS 180-4


def test_bytes_and_files_are_plain_sha256(tmp_path):
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert hash_bytes(b"abc") == known
    (tmp_path / "abc").write_bytes(b"abc")
    assert hash_file(tmp_path / "abc") == known


def test_a_file_longer_than_a_block(tmp_path):
    content = bytes(range(256)) * 9000  # 2.3 MB, over two blocks of 1 MiB
    (tmp_path / "long").write_bytes(content)
    assert hash_file(tmp_path / "long") == hashlib.sha256(content).hexdigest()


def test_json_is_hashed_in_canonical_form():
    assert hash_json({"b": [1, None], "a": "沪"}) == hash_bytes('{"a":"沪","b":[1,null]}'.encode())


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_what_json_cannot_carry_is_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        hash_json(value)
    with pytest.raises(TypeError):
        hash_json({"when": date(2024, 1, 1)})

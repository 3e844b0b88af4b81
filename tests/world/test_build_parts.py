"""Tables in parts: however they are cut, they are one table with one hash; and what a decimal holds comes back."""

from __future__ import annotations

import gc
import weakref
from decimal import Decimal
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.core import InternalError
from finassay.database import connect
from finassay.temporal import load_catalog
from finassay.world import World, content_hash, materialise
from finassay.world._ddl import decimals, sql_type
from finassay.world._materialise import CHUNK_ROWS, ContentHash, chunks
from finassay.world._tables import TABLES, View
from finassay.world._tables._view import arrow_table
from finassay.world._verify import canonical
from finassay.world._write import target_of

CATALOG = load_catalog("gildata")
NAME = "us_macro_vintage"
SPEC = CATALOG.table(NAME)


def numbered(ids, values=None):
    """Rows of a table of the catalog with these numbers."""
    n = len(ids)
    day = np.full(n, "2024-01-31", "datetime64[us]")
    columns = {
        name: np.asarray(ids, np.int64)
        if name == "id"
        else day
        if arrow_kind(meaning.type) == "time"
        else ["x"] * n
        if arrow_kind(meaning.type) == "text"
        else np.zeros(n)
        for name, meaning in SPEC.columns.items()
        if meaning.max_null == 0
    }
    if values is not None:
        columns["value"] = values
    return arrow_table(SPEC, columns, n)


def arrow_kind(declared):
    declared = declared or "text"
    return "time" if declared == "datetime" else "number" if declared.startswith(("dec", "dou")) else "text"


@pytest.fixture
def given_parts(monkeypatch, world: World):
    """Let a table be built of these parts, and give what comes of it."""

    def build(parts):
        monkeypatch.setitem(TABLES, NAME, lambda _: iter(parts) if isinstance(parts, list) else parts)
        return list(chunks(View(world, CATALOG), NAME))

    return build


def test_however_a_table_is_cut_it_has_one_hash(given_parts):
    ids = np.arange(50_003) * 3
    whole = numbered(ids, np.arange(50_003) / 8)
    cuts = [[0, 50_003], [0, 1, 9, 50_003], [0, 16_384, 32_768, 50_003]]
    found = set()
    for edges in cuts:
        content = ContentHash()
        parts = [whole.slice(a, b - a) for a, b in pairwise(edges)]
        seen = list(content.passing(NAME, given_parts(parts)))
        assert pa.concat_tables(seen).equals(whole)
        assert content.rows == {NAME: 50_003}
        found.add(content.hexdigest())
    assert found == {content_hash({NAME: whole}, CATALOG)}


def test_a_whole_table_is_sorted_and_cut(given_parts):
    ids = np.arange(CHUNK_ROWS + 10)[::-1]
    parts = given_parts(numbered(ids))
    assert [part.num_rows for part in parts] == [CHUNK_ROWS, 10]
    assert pa.concat_tables(parts)["id"].to_pylist()[:3] == [0, 1, 2]


def test_a_table_without_rows_is_one_empty_part(given_parts):
    assert [part.num_rows for part in given_parts(numbered([]))] == [0]
    assert [part.num_rows for part in given_parts([numbered([]), numbered([])])] == [0]


@pytest.mark.parametrize("parts", [[[5, 6], [4]], [[1, 2], [2, 3]], [[1, 1]]])
def test_parts_out_of_order_and_repeated_numbers_are_refused(given_parts, parts):
    with pytest.raises(InternalError, match="out of order, or repeat a id"):
        given_parts([numbered(ids) for ids in parts])


def test_nan_is_null_and_a_column_that_is_never_null_has_no_gaps():
    table = numbered([1, 2], np.array([np.nan, 0.5]))
    assert table["value"].to_pylist() == [None, 0.5]
    spec = CATALOG.table("qt_dailyquote")
    days = np.array(["2024-01-02", "NaT"], "datetime64[us]")
    with pytest.raises(InternalError, match="TRADINGDAY is never NULL"):
        arrow_table(spec, {"ID": np.array([1, 2]), "INNERCODE": np.array([1, 1]), "TRADINGDAY": days}, 2)


def test_columns_that_are_not_filled_share_their_memory(world):
    table = materialise(world, ["qt_performancedata"])["qt_performancedata"]
    empty = [column for column in table.columns if column.null_count == table.num_rows]
    assert len({column.chunk(0).buffers()[1].address for column in empty}) <= 2
    assert len(empty) > 10


@given(
    st.lists(
        st.floats(-1e14, 1e14) | st.floats(-1e5, 1e5) | st.integers(-(10**12), 10**12).map(lambda k: k / 1e4),
        max_size=30,
    )
)
def test_a_decimal_gives_back_the_double_that_was_hashed(values):
    """The written decimal, divided exactly (here by Python, which rounds correctly), is the double of the table."""
    spec = CATALOG.table("qt_performancedata")
    column = arrow_table(
        spec.model_copy(update={"columns": {"X": decimal_column(19, 4)}}), {"X": values}, len(values)
    )
    written = decimals(column, spec.model_copy(update={"columns": {"X": decimal_column(19, 4)}}))
    assert [float(value) for value in written["X"].to_pylist()] == column["X"].to_pylist()
    for before, after in zip(values, column["X"].to_pylist(), strict=True):
        assert abs(before - after) <= max(0.5e-4, abs(before) * 2**-52)


@given(st.lists(st.integers(-(2**51), 2**51), min_size=1, max_size=30))
def test_whole_fen_stay_whole_fen(fen):
    """562,093,219,341.07 yuan is no 562,093,219,341.0699, though the double between them is the same."""
    spec = CATALOG.table("qt_performancedata")
    spec = spec.model_copy(update={"columns": {"X": decimal_column(19, 4)}})
    written = decimals(arrow_table(spec, {"X": [k / 100 for k in fen]}, len(fen)), spec)
    assert written["X"].to_pylist() == [Decimal(k) / 100 for k in fen]


def test_a_value_too_large_for_its_column_is_named():
    spec = CATALOG.table("qt_performancedata")
    spec = spec.model_copy(update={"columns": {"X": decimal_column(9, 4)}})
    with pytest.raises(InternalError, match=r"X is decimal\(9,4\)"):
        decimals(arrow_table(spec, {"X": [123456.0]}, 1), spec)


def decimal_column(precision, places):
    column = next(c for c in CATALOG.table("qt_performancedata").columns.values() if c.role == "payload")
    return column.model_copy(update={"type": f"decimal({precision},{places})", "max_null": None})


@pytest.mark.parametrize("name", ["lc_dividend", "secumain"])
def test_a_column_that_a_later_part_is_the_first_to_fill_is_kept(world, tmp_path, name):
    """Columns that are NULL throughout are constants, of which one only knows at the end."""
    spec = CATALOG.table(name)
    whole = materialise(world, [name])[name]
    late = [c for c in whole.column_names if 0 < whole[c].null_count < whole.num_rows][:2]
    assert len(late) == 2
    parts = [whole.slice(n, 40) for n in range(0, 120, 40)]
    for n, column in enumerate(late, 1):  # filled by the second part, and by the third
        for k in range(n):
            at = whole.column_names.index(column)
            parts[k] = parts[k].set_column(at, whole.field(at), pa.nulls(40, whole.field(at).type))
    expected = pa.concat_tables(parts)
    target_of(f"{tmp_path}/w.duckdb", force=False).write([(name, parts)], lambda: {"a": "b"}, CATALOG)
    with connect(tmp_path / "w.duckdb") as database:
        assert pa.concat_tables(canonical(database, CATALOG, name)).equals(expected)
        (info,) = [info for info in database.tables() if info.name == name]
    assert [column.name for column in info.columns] == list(spec.columns)
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        found = connection.execute(
            f"SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{name}'"
        )
        types = dict(found.fetchall())
    assert types == {c: sql_type(m, "duckdb").removesuffix(" NOT NULL") for c, m in spec.columns.items()}


def test_parts_are_let_go_as_they_are_written(tmp_path):
    """Also within the transaction of a table, and without a search for cycles."""
    numbers, most = [], []

    def parts():
        for k in range(6):
            ids = np.arange(k * 1000, (k + 1) * 1000)
            numbers.append(weakref.ref(ids))
            part = numbered(ids)
            del ids
            yield part
            del part
            most.append(sum(number() is not None for number in numbers))

    gc.disable()
    try:
        target_of(f"{tmp_path}/w.duckdb", force=False).write([(NAME, parts())], lambda: {"a": "b"}, CATALOG)
    finally:
        gc.enable()
    assert len(most) == 6
    assert max(most) <= 2

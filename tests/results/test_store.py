"""Files of rows: what is written is read, in the same bytes, in any order and number; what differs is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.results import Outcome, ResultRow, merge, read_rows, write_rows
from finassay.results import _store as store
from support.result_rows import any_row, row

UNIQUE = {"unique_by": lambda drawn: drawn.key}


def written(folder: Path, name: str, rows: list[ResultRow]) -> Path:
    path = folder / f"{name}.parquet"
    write_rows(rows, path)
    return path


@settings(max_examples=50)
@given(st.lists(any_row(), max_size=4, **UNIQUE), st.randoms(use_true_random=False))
def test_what_is_written_is_read_and_the_order_given_does_not_count(rows, random):
    with tempfile.TemporaryDirectory() as name:
        path = written(Path(name), "a", rows)
        assert list(read_rows(path)) == sorted(rows, key=lambda one: one.key)
        shuffled = random.sample(rows, len(rows))
        assert written(Path(name), "b", shuffled).read_bytes() == path.read_bytes()


@settings(max_examples=30)
@given(
    st.lists(any_row(st.sampled_from("abc")), max_size=6, **UNIQUE),
    st.lists(st.integers(1, 7), min_size=6, max_size=6),
)
def test_merging_is_associative_commutative_and_idempotent(rows, masks):
    """Each row lies in some of three files, so that the same rows meet again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [
            written(
                folder, f"part{bit}", [one for one, mask in zip(rows, masks, strict=False) if mask >> bit & 1]
            )
            for bit in range(3)
        ]
        whole = written(folder, "whole", rows).read_bytes()

        def merged(*paths: Path) -> Path:
            to = folder / f"merged{len(list(folder.iterdir()))}.parquet"
            merge(paths, to)
            return to

        a, b, c = parts
        assert merged(a, b, c).read_bytes() == whole
        assert merged(merged(a, b), c).read_bytes() == whole
        assert merged(a, merged(c, b)).read_bytes() == whole
        assert merged(merged(*parts), a, merged(*parts)).read_bytes() == whole


def test_rows_beyond_a_batch_are_sorted_through_files(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BATCH", 10)
    monkeypatch.setattr(store, "GROUP", 4)
    rows = [row(f"s{number:03}") for number in range(47)]
    path = tmp_path / "rows.parquet"
    assert write_rows([*rows[::-1], rows[5]], path) == (47, 1)
    assert list(read_rows(path)) == rows
    assert pq.ParquetFile(path).num_row_groups == 12
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_reading_holds_one_row_group_of_many(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "GROUP", 2)
    path = written(tmp_path, "rows", [row(f"s{number}", submission="x" * 1000) for number in range(9)])
    groups = []
    read = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_group", lambda *given: groups.append(given[1]) or read(*given)
    )
    rows = read_rows(path)
    next(rows)
    assert groups == [0]
    assert len(list(rows)) == 8
    assert groups == [0, 1, 2, 3, 4]


def test_no_rows_are_a_file_too(tmp_path):
    assert list(read_rows(written(tmp_path, "none", []))) == []


def test_a_folder_is_read_as_one_file(tmp_path):
    written(tmp_path, "b", [row("s1"), row("s3")])
    written(tmp_path, "a", [row("s2"), row("s3")])
    assert [one.sample for one in read_rows(tmp_path)] == ["s1", "s2", "s3"]


def test_two_rows_of_one_key_that_differ_are_refused_and_both_are_named(tmp_path):
    a = written(tmp_path, "a", [row("s0"), row("s1")])
    b = written(tmp_path, "b", [row("s1", outcome=Outcome.ERROR, status="error")])
    with pytest.raises(InputError) as raised:
        merge([a, b], tmp_path / "all.parquet")
    message = str(raised.value)
    assert f"row 2 of {a}" in message
    assert f"row 1 of {b}" in message
    assert "different outcome, status, scores" in message
    assert "sample 's1'" in message
    assert not (tmp_path / "all.parquet").exists()


def test_a_file_that_says_something_else_is_not_written_over(tmp_path):
    path = written(tmp_path, "rows", [row("s1")])
    before = path.read_bytes()
    write_rows([row("s1")], path)  # the same bytes are in nobody's way
    with pytest.raises(InputError, match="says something else"):
        write_rows([row("s2")], path)
    assert path.read_bytes() == before
    write_rows([row("s2")], path, force=True)
    assert [one.sample for one in read_rows(path)] == ["s2"]


def test_a_merge_may_take_in_its_target(tmp_path):
    a, b = written(tmp_path, "a", [row("s1")]), written(tmp_path, "b", [row("s2")])
    merge([a, b], a, force=True)
    assert [one.sample for one in read_rows(a)] == ["s1", "s2"]


# Bad input


def test_a_file_that_was_cut_off_is_named(tmp_path):
    path = written(tmp_path, "rows", [row("s1")])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"rows\.parquet is not a whole Parquet file"):
        list(read_rows(path))


def test_a_page_that_is_damaged_is_named(tmp_path):
    path = written(tmp_path, "rows", [row(f"s{n}", submission=str(n) * 500) for n in range(100)])
    raw = bytearray(path.read_bytes())
    raw[4:2000] = bytes(1996)
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"rows\.parquet cannot be read from row 1 on"):
        list(read_rows(path))


@pytest.mark.parametrize(
    ("metadata", "complaint"),
    [
        ({b"finassay.results.schema_version": b"99"}, "rows of schema version 99; this finassay reads 1"),
        ({}, "holds no result rows"),
    ],
)
def test_rows_of_another_schema_are_refused(tmp_path, metadata, complaint):
    path = written(tmp_path, "rows", [row("s1")])
    pq.write_table(pq.read_table(path).replace_schema_metadata(metadata), path)
    with pytest.raises(InputError, match=complaint):
        list(read_rows(path))


def test_a_version_that_the_columns_belie_is_refused(tmp_path):
    path = written(tmp_path, "rows", [row("s1")])
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "run", pa.array([7])), path)
    with pytest.raises(InputError, match="says schema version 1, but run is not as that has it"):
        list(read_rows(path))


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("outcome", "lost", "Row 1 of .*: outcome: Input should be 'scored'"),
        ("extra", "{", "Row 1 of .*: extra is no JSON"),
    ],
)
def test_a_row_that_is_none_is_named(tmp_path, column, value, complaint):
    path = written(tmp_path, "rows", [row("s1")])
    table = pq.read_table(path)
    place = table.schema.get_field_index(column)
    pq.write_table(table.set_column(place, table.schema.field(column), pa.array([value])), path)
    with pytest.raises(InputError, match=complaint):
        list(read_rows(path))


def test_rows_that_another_program_left_unsorted_are_refused(tmp_path):
    path = written(tmp_path, "rows", [row("s1"), row("s2")])
    table = pq.read_table(path)
    pq.write_table(table.take([1, 0]), path)
    with pytest.raises(InputError, match=r"Row 2 of .* is not in the order of the keys"):
        list(read_rows(path))


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="There is no file or folder"):
        list(read_rows(tmp_path / "none.parquet"))
    with pytest.raises(InputError, match="but there are none"):
        list(read_rows(tmp_path))
    with pytest.raises(InputError, match="no folder"):
        write_rows([], tmp_path / "none" / "rows.parquet")

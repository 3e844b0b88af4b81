"""DuckDB has a limit of memory of its own: what is sorted goes to files that are removed, the rest is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import pytest

from finassay.database import QueryError, _duckdb, connect

SORTED = "SELECT MAX(r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY HASH(n)) AS r FROM numbers)"
HOARDED = "SELECT LEN(LIST(n || 'a long text that takes its place')) FROM numbers"
ROWS = 4_000_000


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    with duckdb.connect(str(tmp_path / "numbers.duckdb")) as connection:
        connection.execute(f"CREATE TABLE numbers AS SELECT range AS n FROM range({ROWS})")
    monkeypatch.setattr(_duckdb, "_MEMORY", "80MB")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    return f"duckdb:///{tmp_path / 'numbers.duckdb'}"


def test_what_does_not_fit_is_sorted_in_files_that_are_gone_afterwards(url: str, tmp_path: Path) -> None:
    with connect(url) as database:
        assert database.query(SORTED).table.column(0).to_pylist() == [ROWS]
        assert list((tmp_path / "scratch").iterdir())
    assert not list((tmp_path / "scratch").iterdir())


def test_what_cannot_be_kept_in_files_is_refused_and_the_next_statement_runs(url: str) -> None:
    with connect(url) as database:
        with pytest.raises(QueryError, match="more memory than it may have") as caught:
            database.query(HOARDED)
        assert caught.value.reason == "out_of_memory"
        assert database.query("SELECT COUNT(*) FROM numbers").table.column(0).to_pylist() == [ROWS]


def test_files_have_a_limit_too(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_duckdb, "_SPILLED", "1MB")
    with connect(url) as database, pytest.raises(QueryError) as caught:
        database.query(SORTED)
    assert caught.value.reason == "out_of_memory"

"""`finassay db info`, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import Server


def finassay(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "finassay", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prices.csv").write_text("symbol,day,close\n000001,2024-01-02,10.5\n000002,2024-01-02,7\n")
    return tmp_path


def test_it_prints_tables_rows_and_columns(folder: Path) -> None:
    done = finassay("db", "info", str(folder))
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == str(folder)
    assert lines[1].startswith("DuckDB ")
    assert lines[1].endswith(", dialect duckdb, 1 table")
    assert lines[3:] == [
        "main.prices: 2 rows, 3 columns",
        "  symbol  VARCHAR",
        "  day     DATE",
        "  close   DOUBLE",
    ]


def test_json_is_a_versioned_document(folder: Path) -> None:
    done = finassay("db", "info", str(folder), "--format", "json")
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    assert document["dialect"] == "duckdb"
    (table,) = document["tables"]
    assert (table["name"], table["rows"], table["kind"], table["primary_key"]) == ("prices", 2, "table", [])
    assert table["columns"][0] == {
        "name": "symbol",
        "type": "VARCHAR",
        "arrow_type": "string",
        "nullable": True,
        "comment": "",
    }


def test_a_missing_file_is_bad_input(folder: Path) -> None:
    done = finassay("db", "info", str(folder / "price.csv"))
    assert done.returncode == 2
    assert "no file or folder" in done.stderr
    assert "Close names there: prices.csv" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_is_no_table_keeps_the_others(folder: Path, form: str) -> None:
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    done = finassay("db", "info", str(folder), "--format", form)
    assert done.returncode == 2
    assert "ragged.csv cannot be split into columns: its header is 'a,b', but not every line" in done.stderr
    if form == "text":
        assert "main.prices: 2 rows, 3 columns" in done.stdout
        assert "ragged" not in done.stdout
    else:
        document = json.loads(done.stdout)
        assert [table["name"] for table in document["tables"]] == ["prices"]
        assert ["ragged.csv" in fault["message"] for fault in document["unreadable"]] == [True]
    (folder / "prices.csv").unlink()
    done = finassay("db", "info", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert "ragged.csv cannot be split" in done.stderr


@pytest.mark.servers
def test_a_view_over_a_table_that_is_gone_keeps_the_others(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "m.duckdb")) as made:
        made.execute(
            "CREATE TABLE gone AS SELECT 1 AS a; CREATE VIEW stale AS SELECT * FROM gone; DROP TABLE gone"
        )
        made.execute("CREATE SCHEMA other; CREATE TABLE other.gone AS SELECT 1 AS a")
        made.execute("CREATE VIEW other.stale AS SELECT * FROM other.gone; DROP TABLE other.gone")
        made.execute("CREATE TABLE prices AS SELECT 1 AS a")
    done = finassay("db", "info", str(tmp_path / "m.duckdb"))
    assert done.returncode == 0, done.stderr
    heads = [line for line in done.stdout.splitlines() if line.startswith(("main.", "other."))]
    assert heads == [
        "main.prices: 1 row, 1 column",
        "main.stale (view): rows not counted, 1 column",
        "other.stale (view): rows not counted, 1 column",
    ]


def test_servers_count_unless_told_not_to(mariadb: Server) -> None:
    with mariadb.database("info") as name:
        mariadb.execute(
            "CREATE TABLE t (a INT PRIMARY KEY COMMENT 'the key')", "INSERT INTO t VALUES (1)", database=name
        )
        url = mariadb.reader_url(name)
        plain = finassay("db", "info", url, "--no-counts")
        assert "info.t: rows not counted, 1 column\n  a  int(11)  key  not null  the key" in plain.stdout
        counted = finassay("db", "info", url)
        assert "info.t: 1 row, 1 column" in counted.stdout
        assert "***" in counted.stdout
        assert "s3cret" not in counted.stdout

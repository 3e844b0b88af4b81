"""Folders and files as databases: names, types of CSV, what may be read, and what is wrong with a path or URL."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from database.conftest import TABLES
from finassay.core import ExitCode
from finassay.database import DatabaseUnavailable, QueryError, QueryPolicy, QueryRefused, connect
from finassay.database._engine import BaseEngine
from finassay.database._url import parse_url
from support.loading import write_duckdb, write_parquet

if TYPE_CHECKING:
    from pathlib import Path


def test_every_file_is_a_table_named_by_its_stem(tmp_path: Path) -> None:
    write_parquet(tmp_path, {"one": pa.table({"a": [1]})})
    (tmp_path / "Two.csv").write_text("a,b\n1,x\n")
    (tmp_path / "three.v2.csv.gz").write_bytes(gzip.compress(b"a\n5\n"))
    (tmp_path / "README.md").write_text("no table")
    (tmp_path / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "folder.csv").mkdir()
    with connect(tmp_path) as database:
        assert [(table.name, table.rows, table.kind) for table in database.tables()] == [
            ("Two", 1, "table"),
            ("one", 1, "table"),
            ("three.v2", 1, "table"),
        ]
        assert database.query('SELECT a FROM "three.v2"').table["a"].to_pylist() == [5]
        assert database.query("SELECT b FROM two").table["b"].to_pylist() == ["x"]


@pytest.mark.parametrize("name", ["prices.parquet", "prices.csv", "prices.csv.gz", "PRICES.CSV"])
def test_one_file_is_a_database_of_one_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        write_parquet(tmp_path, {"prices": pa.table({"a": [1, 2]})})
    elif name.endswith("gz"):
        path.write_bytes(gzip.compress(b"a\n1\n2\n"))
    else:
        path.write_text("a\n1\n2\n")
    with connect(str(path)) as database:
        assert database.query("SELECT sum(a) AS s FROM prices").table["s"].to_pylist() == [3]


def test_security_codes_in_csv_keep_their_zeros(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("code,year,amount,signed\n000001,2024,0,-5\n600000,2023,0.5,7\n")
    with connect(tmp_path) as database:
        table = database.query("SELECT * FROM codes").table
    assert table["code"].to_pylist() == ["000001", "600000"]
    assert table["year"].to_pylist() == [2024, 2023]
    assert table["amount"].to_pylist() == [0.0, 0.5]
    assert table["signed"].to_pylist() == [-5, 7]


def test_types_of_a_csv_come_from_all_its_rows(tmp_path: Path) -> None:
    rows = "\n".join(["1"] * 30_000 + ["x"])
    (tmp_path / "late.csv").write_text(f"a\n{rows}\n")
    with connect(tmp_path) as database:
        assert database.query("SELECT a FROM late WHERE a = 'x'").rows == 1


def test_empty_fields_of_a_csv_are_null(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,\n,x\n")
    with connect(tmp_path) as database:
        assert database.query("SELECT * FROM t").table.to_pylist() == [
            {"a": 1, "b": None},
            {"a": None, "b": "x"},
        ]


def test_no_other_file_can_be_read_even_past_the_policy(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n")
    data = write_parquet(tmp_path / "data", TABLES)
    file = write_duckdb(tmp_path / "market.duckdb", TABLES)
    for url in (data, file):
        with connect(url) as database:
            assert isinstance(database, BaseEngine)
            for sql in (
                f"SELECT * FROM '{secret}'",
                f"SELECT * FROM read_text('{secret}')",
                f"SELECT * FROM read_csv('{secret}')",
                f"SELECT * FROM glob('{tmp_path}/*')",
                f"SELECT * FROM read_parquet('{tmp_path}/*/*.parquet')",
            ):
                with pytest.raises(QueryError, match="disabled by configuration"):
                    database._run(sql, QueryPolicy(), (), sql)
                with pytest.raises(QueryRefused):
                    database.query(sql)


def test_variables_of_python_are_not_tables(tmp_path: Path) -> None:
    hidden = pa.table({"a": [1]})
    with (
        connect(write_duckdb(tmp_path / "m.duckdb", TABLES)) as database,
        pytest.raises(QueryError, match="hidden"),
    ):
        database.query("SELECT * FROM hidden")
    assert hidden.num_rows == 1


def test_opening_changes_no_file(tmp_path: Path) -> None:
    url = write_duckdb(tmp_path / "market.duckdb", TABLES)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with connect(url) as one, connect(url) as two:
        one.query("SELECT * FROM prices")
        two.query("SELECT * FROM prices")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_read_only_file_can_be_opened(tmp_path: Path) -> None:
    url = write_duckdb(tmp_path / "market.duckdb", TABLES)
    (tmp_path / "market.duckdb").chmod(0o444)
    with connect(url) as database:
        assert database.query("SELECT * FROM prices").rows == 6


def test_keys_comments_and_views_of_a_duckdb_file(tmp_path: Path) -> None:
    url = write_duckdb(
        tmp_path / "m.duckdb",
        {},
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR NOT NULL)",
        "COMMENT ON COLUMN t.b IS 'the name'",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE SCHEMA other",
        "CREATE TABLE other.u (x DATE)",
    )
    with connect(url) as database:
        t, v, u = database.tables()
        assert (t.name, t.primary_key, t.columns[0].nullable, t.columns[1].comment) == (
            "t",
            ("a",),
            False,
            "the name",
        )
        assert (v.name, v.kind, v.rows) == ("v", "view", None)
        assert (u.schema, u.name) == ("other", "u")
        assert (
            database.query("SELECT * FROM other.u", policy=QueryPolicy(schemas=("main", "other"))).rows == 0
        )


def test_views_do_not_read_past_an_overlay(tmp_path: Path) -> None:
    url = write_duckdb(
        tmp_path / "m.duckdb",
        TABLES,
        "CREATE VIEW latest AS SELECT * FROM prices WHERE day = DATE '2024-01-04'",
    )
    with connect(url) as database:
        assert database.query("SELECT * FROM latest").rows == 1
    overlays = {"prices": "SELECT * FROM prices WHERE day < DATE '2024-01-04'"}
    with connect(url, overlays=overlays) as database:
        assert [table.name for table in database.tables()] == ["latest", "prices", "securities"]
        assert database.query("SELECT * FROM latest").rows == 0
    overlays["latest"] = "SELECT * FROM prices WHERE day = DATE '2024-01-03'"
    with connect(url, overlays=overlays) as database:
        assert database.query("SELECT * FROM latest").rows == 2


def test_overlaid_tables_can_be_described_and_summarised(tmp_path: Path) -> None:
    url = write_duckdb(tmp_path / "m.duckdb", TABLES)
    with connect(url, overlays={"prices": "SELECT symbol, close FROM prices LIMIT 2"}) as database:
        assert database.query("DESCRIBE prices").rows == 2
        assert database.query("SUMMARIZE prices").table["count"].to_pylist() == [2, 2]
        assert database.query("FROM prices").rows == 2


def test_relative_and_absolute_duckdb_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_duckdb(tmp_path / "a b.duckdb", TABLES)
    monkeypatch.chdir(tmp_path)
    for url in (
        "a b.duckdb",
        "duckdb:///a b.duckdb",
        "duckdb:///a%20b.duckdb",
        f"duckdb:///{tmp_path}/a b.duckdb",
    ):
        with connect(url) as database:
            assert database.query("SELECT * FROM prices").rows == 6


WRONG = [
    ("", "empty text"),
    ("market.duckdb", "no file or folder market.duckdb"),
    ("nowhere/market.duckdb", "does not exist either"),
    ("duckdb://market.duckdb", "two slashes"),
    ("duckdb:///", "names no file"),
    ("duckdb:///:memory:", "in memory has nothing to read"),
    ("sqlite:///x.db", "begin with sqlite://"),
    ("postgre://u@h/d", "Did you mean postgres://"),
    ("mysql://u@h:3306", "names no database"),
    ("mysql://u@h:x/d", "host or port is not one"),
    ("mysql://u@h/d?charset=gbk", "unknown options: charset"),
    ("postgresql://u@h/d?options=-c%20x", "unknown options: options"),
]


@pytest.mark.parametrize(("url", "message"), WRONG)
def test_a_wrong_url_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatabaseUnavailable) as caught:
        connect(url)
    assert message in str(caught.value)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert caught.value.hint


@pytest.mark.parametrize(
    "url",
    ["mysql://user:hunter2@127.0.0.1:1/d", "postgresql://user:hunter2@127.0.0.1:1/d", "mysql://user:hunter2@h:x/d",
     "postgresql://user:hunter2@:x/d", "mysql://user:hunter2@h/", "mysql://user:hunter2@h/d?x=1",
     "mysqll://user:hunter2@h/d", "postgresql://user:hun%74er2@127.0.0.1:1/d", "postgresql://user:hunter2/@h:1:2/d"],
)  # fmt: skip
def test_no_message_shows_the_password(url: str) -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        connect(url)
    error: BaseException | None = caught.value
    while error is not None:
        assert "hunter2" not in f"{error} {error!r} {error.__dict__}"
        error = error.__cause__
    assert "hunter2" not in repr(caught.value.as_dict())


def test_the_password_is_in_no_representation() -> None:
    target = parse_url("postgresql+psycopg://me:hunter2@host:6543/data")
    assert "hunter2" not in repr(target)
    assert target.shown == "postgresql://me:***@host:6543/data"
    assert target.server is not None
    assert target.server.password == "hunter2"


def test_close_names_are_offered_for_a_missing_file(tmp_path: Path) -> None:
    write_duckdb(tmp_path / "market.duckdb", TABLES)
    with pytest.raises(DatabaseUnavailable, match=r"Close names there: market\.duckdb"):
        connect(tmp_path / "markt.duckdb")


def test_what_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at " * 100)
    with pytest.raises(DatabaseUnavailable, match="cannot be opened as a DuckDB database"):
        connect(tmp_path / "notes.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatabaseUnavailable, match="no file that can be read as a table"):
        connect(tmp_path / "empty")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "broken.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(DatabaseUnavailable, match=r"broken\.parquet cannot be read"):
        connect(tmp_path / "bad")


def test_two_files_of_one_stem_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "T.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    with pytest.raises(DatabaseUnavailable, match="Two files are the table"):
        connect(tmp_path)


def test_a_name_with_quotes_is_a_name(tmp_path: Path) -> None:
    name = "odd \"name'; DROP TABLE x; --"
    (tmp_path / f"{name}.csv").write_text("a\n1\n")
    with connect(tmp_path) as database:
        assert [table.name for table in database.tables()] == [name]


@pytest.mark.parametrize("lines", ["a,b\n1,2\n3,4,5\n6\n", "a,b,c\n1,2,3\n4,5,6\n7,8,9,10\n"])
def test_lines_of_different_lengths_are_an_error_and_not_fewer_columns_or_rows(
    tmp_path: Path, lines: str
) -> None:
    (tmp_path / "ragged.csv").write_text(lines)
    with pytest.raises(DatabaseUnavailable, match=r"ragged\.csv"), connect(str(tmp_path)) as database:
        database.query("SELECT * FROM ragged")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("encoding", "text", "place", "looks"),
    [
        # "code,name\n600519," is 17 bytes of ASCII
        ("gbk", "code,name\n600519,贵州茅台\n", "byte 0xb9 at offset 17, in line 2", "GB18030"),
        ("cp1252", "code,name\n1,Müller\n", "byte 0xfc at offset 13, in line 2", "WINDOWS-1252"),
        ("utf-16", "code,name\n600519,贵州茅台\n", "byte 0xff at offset 0, in line 1", "UTF-16"),
    ],
)
def test_a_csv_in_another_encoding_is_refused_with_the_byte_and_the_way_out(
    tmp_path: Path, encoding: str, text: str, place: str, looks: str, packed: bool
) -> None:
    data = text.encode(encoding)
    path = tmp_path / ("names.csv.gz" if packed else "names.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(DatabaseUnavailable) as caught, connect(tmp_path) as database:
        database.query("SELECT * FROM names")
    assert f"{path} is not UTF-8: {place}. It looks like {looks}." in str(caught.value)
    assert caught.value.reason == "not_utf8"
    assert f"iconv -f {looks} -t UTF-8" in (caught.value.hint or "")


def test_the_offset_counts_over_characters_that_are_read_in_two_parts(tmp_path: Path) -> None:
    """The file is read by MiB: a character of three bytes lies over the end of the first."""
    before = b"a\n" + b"x" * ((1 << 20) - 3) + "中".encode() + b"\n"
    (tmp_path / "t.csv").write_bytes(before + b"\xff\n")
    with pytest.raises(DatabaseUnavailable, match=f"offset {len(before):,}, in line 3"):
        connect(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('code,name\n1,"abc\n2,def\n3,ghi\n', 2),
        ('code,name\n1,"x, y"\n2,"open\n3,z\n', 3),
        ('code;name\n"1;x\n2;y\n', 2),
        ('a\n"open\nx\n', 2),
    ],
)
def test_a_quotation_mark_that_is_not_closed_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DatabaseUnavailable, match=rf"in line {line} that is not closed") as caught:
        connect(tmp_path / "t.csv")
    assert caught.value.reason == "open_quote"


def test_quotation_marks_that_are_none_are_text(tmp_path: Path) -> None:
    (tmp_path / "inches.csv").write_text('a,b\n1,5" pipe\n2,6" pipe\n')
    (tmp_path / "lines.csv").write_text('a,b\n1,"x\ny"\n2,"5"" pipe"\n')
    with connect(tmp_path) as database:
        assert database.query("SELECT b FROM inches").table["b"].to_pylist() == ['5" pipe', '6" pipe']
        assert database.query("SELECT b FROM lines").table["b"].to_pylist() == ["x\ny", '5" pipe']


def test_a_csv_is_read_when_it_is_needed(tmp_path: Path) -> None:
    """A broken file is no obstacle to statements about others, whatever the dialect, and listing reads all."""
    (tmp_path / "good.csv").write_text("a,b\n1,x\n")
    (tmp_path / 'Öffentlich "B".csv').write_text("a\n7\n")
    (tmp_path / "broken.csv").write_bytes("a\n贵州\n".encode("gbk"))
    with connect(tmp_path) as database:
        for dialect in ("duckdb", "mysql", "postgres"):
            assert (
                database.query("SELECT A FROM GOOD", dialect=dialect).table.to_pylist()[0].popitem()[1] == 1
            )
        assert database.query('SELECT a FROM "Öffentlich ""b"""').table["a"].to_pylist() == [7]
        assert database.query("WITH broke AS (SELECT 1 AS a) SELECT * FROM broke").rows == 1
        for sql in ("SELECT * FROM broken", "SHOW TABLES", "SELECT * FROM information_schema.tables"):
            with pytest.raises(DatabaseUnavailable, match=r"broken\.csv is not UTF-8"):
                database.query(sql)
        with pytest.raises(DatabaseUnavailable, match=r"broken\.csv is not UTF-8"):
            database.tables()
        with pytest.raises(QueryError, match="Did you mean broken") as caught:
            database.query("SELECT * FROM brokn")
        assert "good" in str(caught.value)
        assert database.query("SELECT b FROM good").table["b"].to_pylist() == ["x"]
    (tmp_path / "broken.csv").unlink()
    with connect(tmp_path) as database:
        listed = database.query("SELECT table_name FROM information_schema.tables ORDER BY table_name")
        assert listed.table["table_name"].to_pylist() == ["good", 'Öffentlich "B"']
    with (
        connect(tmp_path) as database,
        pytest.raises(QueryError, match="There is no table nothing") as caught,
    ):
        database.query("SELECT * FROM nothing")
    assert "good" in str(caught.value)

"""The hash of the data is that of what is in the tables: not of the file, nor of the order of the rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.audit import _data
from finassay.audit._data import data_hash
from finassay.database import connect

if TYPE_CHECKING:
    from support.servers import Server

COLUMNS = {
    "i": "BIGINT", "u": "UBIGINT", "n": "DECIMAL(30,4)", "x": "DOUBLE", "f": "FLOAT", "b": "BOOLEAN", "d": "DATE",
    "t": "TIMESTAMP", "h": "TIME", "s": "VARCHAR", "blob": "BLOB", "list": "INTEGER[]", "void": "INTEGER",
}  # fmt: skip
ROW = (
    "{i}, 18446744073709551615, {i} * 12345678901234567890.5, {i} / 3, {i} / 3, {i} % 2 = 0, DATE '2024-01-01' + {i}, "
    "TIMESTAMP '2024-01-01 10:00:00.123456' + INTERVAL ({i}) DAY, TIME '10:00:00', '公司 ' || {i}, 'ab'::BLOB, "
    "[{i}, NULL], NULL"
)


def made(path: Path, *more: str, order: str = "ASC") -> str:
    """Make a file with a hundred rows, the last one of NULLs."""
    with duckdb.connect(str(path)) as db:
        db.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})")
        db.execute(
            f"INSERT INTO t SELECT {ROW.replace('{i}', 'r::INTEGER')} FROM range(99) v(r) ORDER BY r {order}"
        )
        db.execute(f"INSERT INTO t SELECT {', '.join(['NULL'] * len(COLUMNS))}")
        db.execute("CREATE TABLE other AS SELECT 1 AS z")
        for statement in more:
            db.execute(statement)
    return hashed(path)


def hashed(path: Path) -> str:
    with connect(f"duckdb:///{path}") as database:
        return data_hash(database, ["t"])


@pytest.mark.parametrize("cells", [16_000_000, 150], ids=["at once", "column by column"])
def test_the_same_rows_in_other_bytes_have_the_same_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    first = made(tmp_path / "first.duckdb")
    monkeypatch.setattr(_data, "_CELLS", cells)
    assert made(tmp_path / "again.duckdb", "UPDATE t SET i = i + 1", "UPDATE t SET i = i - 1") == first
    assert made(tmp_path / "order.duckdb", order="DESC") == first
    assert made(tmp_path / "more.duckdb", "INSERT INTO other VALUES (2)") == first, (
        "it is not a table of the audit"
    )
    zeros = ("UPDATE t SET x = 0.0 WHERE i = 4", "UPDATE t SET x = -0.0 WHERE i = 4")
    assert made(tmp_path / "zero.duckdb", zeros[0]) == made(tmp_path / "minus.duckdb", zeros[1])


CHANGES = {
    "an integer": "UPDATE t SET i = 500 WHERE i = 5",
    "a large integer": "UPDATE t SET u = u - 1 WHERE i = 5",
    "the last digit of a decimal": "UPDATE t SET n = n + 0.0001 WHERE i = 5",
    "the first digit of a decimal": "UPDATE t SET n = n + 20000000000000000000000000 WHERE i = 5",
    "a float": "UPDATE t SET x = x + 1e-15 WHERE i = 1",
    "a short float": "UPDATE t SET f = f + 1e-6 WHERE i = 1",
    "a truth value": "UPDATE t SET b = NOT b WHERE i = 5",
    "a date": "UPDATE t SET d = d + 1 WHERE i = 5",
    "a microsecond": "UPDATE t SET t = t + INTERVAL 1 MICROSECOND WHERE i = 5",
    "a time": "UPDATE t SET h = TIME '10:00:01' WHERE i = 5",
    "a text": "UPDATE t SET s = s || ' ' WHERE i = 5",
    "bytes": "UPDATE t SET blob = 'ac'::BLOB WHERE i = 5",
    "a list": "UPDATE t SET list = [5] WHERE i = 5",
    "a NULL for a zero": "UPDATE t SET i = NULL WHERE i = 0",
    "a zero for a NULL": "UPDATE t SET void = 0 WHERE i = 5",
    "zeros for all NULLs": "UPDATE t SET void = 0",
    "an empty text for a NULL": "UPDATE t SET s = '' WHERE i IS NULL",
    "two cells that change places": "UPDATE t SET d = CASE i WHEN 5 THEN DATE '2024-01-07' ELSE DATE '2024-01-06' END "
    "WHERE i IN (5, 6)",
    "a row less": "DELETE FROM t WHERE i = 5",
    "a row twice": "INSERT INTO t SELECT * FROM t WHERE i = 5",
    "a column's name": "ALTER TABLE t RENAME COLUMN void TO none",
    "a column's type": "ALTER TABLE t ALTER COLUMN void TYPE BIGINT",
    "a column more": "ALTER TABLE t ADD COLUMN y INTEGER",
}  # fmt: skip


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("data") / "first.duckdb")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_other_content_has_another_hash(tmp_path: Path, first: str, change: str) -> None:
    assert made(tmp_path / "changed.duckdb", change) != first


def test_a_file_that_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "first.duckdb"
    before = made(path)
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE t SET i = 500 WHERE i = 5")
    assert hashed(path) != before
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE t SET i = 5 WHERE i = 500")
    assert hashed(path) == before


def test_a_folder_is_hashed_by_its_tables_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    with connect(str(tmp_path)) as database:
        before = data_hash(database, ["t"])
    (tmp_path / "t.csv").write_text("a,b\n2,y\n1,x\n", encoding="utf-8")
    os.utime(tmp_path / "t.csv", ns=(1, 1))
    with connect(str(tmp_path)) as database:
        assert data_hash(database, ["t"]) == before
    (tmp_path / "t.csv").write_text("a,b\n2,y\n1,z\n", encoding="utf-8")
    with connect(str(tmp_path)) as database:
        assert data_hash(database, ["t"]) != before


@pytest.mark.parametrize("kind", ["mariadb", "postgres"])
def test_a_server_is_hashed_by_its_rows(request: pytest.FixtureRequest, kind: str) -> None:
    import pyarrow as pa

    from support.loading import load_server

    def of(*rows: tuple[int, float | None, str | None]) -> str:
        names = ("a", "b", "c")
        table = pa.table({name: [row[n] for row in rows] for n, name in enumerate(names)})
        with server.database("hashed") as name:
            load_server(server, name, {"t": table})
            with connect(server.reader_url(name)) as database:
                return data_hash(database, ["t"])

    server: Server = request.getfixturevalue(kind)
    before = of((1, 0.5, "x,y"), (2, 1.5, None))
    assert of((2, 1.5, None), (1, 0.5, "x,y")) == before
    others = [of((1, 0.25, "x,y"), (2, 1.5, None)), of((1, 0.5, "x,y"), (2, 1.5, "")), of((1, 0.5, "x,y"))]
    others += [of((2, 0.5, "x,y"), (1, 1.5, None)), of((1, 0.5, "x"), (2, 1.5, None))]
    assert before not in others
    assert len(set(others)) == len(others)

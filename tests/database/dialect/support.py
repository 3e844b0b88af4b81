"""Run the same statement on MariaDB and, translated, on DuckDB; compare what comes back."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import yaml

from finassay.core import FinassayError
from finassay.database._mysql import setup, translate
from finassay.database._types import UnsupportedSyntax

FOLDER = Path(__file__).parent
TABLES: dict[str, Any] = yaml.safe_load((FOLDER / "tables.yaml").read_text(encoding="utf-8"))
SCHEMA = {table: dict(spec["columns"]) for table, spec in TABLES.items()}
RELATIVE_TOLERANCE = 1e-12  # of DOUBLE alone: the last bits depend on the order of operations


@dataclass(frozen=True)
class Answer:
    """A result or, where `error` is set, why there is none."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    error: str = ""
    unsupported: bool = False
    warnings: tuple[str, ...] = field(default=())


def constructs(kind: str) -> list[str]:
    """The statements of a fixture file, one per line or separated by a line that starts with a blank."""
    text = (FOLDER / f"{kind}.sql").read_text(encoding="utf-8")
    return [part.strip() for part in text.split(";\n") if part.strip()]


def kinds() -> list[str]:
    """The fixture files, without their suffix; ``environment`` depends on server, session, clock or row order."""
    return sorted(path.stem for path in FOLDER.glob("*.sql") if path.stem != "environment")


def duckdb_connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for table, spec in TABLES.items():
        columns = ", ".join(f'"{name}" {_duckdb_type(kind)}' for name, kind in spec["columns"].items())
        connection.execute(f'CREATE TABLE "{table}" ({columns})')
        for row in spec["rows"]:
            connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(row))})', row)
    setup(connection)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


_HELD_AS = {
    "DATETIME": "TIMESTAMP", "DATETIME(3)": "TIMESTAMP", "TINYINT(1)": "BOOLEAN", "BIGINT UNSIGNED": "UBIGINT",
    "YEAR": "SMALLINT", "BIT(8)": "UTINYINT", "INT(6) ZEROFILL": "UINTEGER", "VARBINARY(10)": "BLOB", "JSON": "VARCHAR",
}  # fmt: skip


def _duckdb_type(kind: str) -> str:
    return "VARCHAR" if kind.startswith("SET(") or "COLLATE" in kind else _HELD_AS.get(kind, kind)


def mariadb_statements() -> Iterator[tuple[str, list[Any]]]:
    """What fills a MariaDB database with the tables: a statement and its parameters."""
    for table, spec in TABLES.items():
        columns = ", ".join(f"`{name}` {kind}" for name, kind in spec["columns"].items())
        yield f"CREATE TABLE `{table}` ({columns})", []
        for row in spec["rows"]:
            yield f"INSERT INTO `{table}` VALUES ({', '.join(['%s'] * len(row))})", row


def on_mariadb(connection: Any, sql: str) -> Answer:
    import pymysql

    if "@" in sql:
        connection.close()
        connection.connect()  # a session of its own: what a variable holds, and its type, outlive a statement
    with connection.cursor() as cursor:
        try:
            for statement in re.split(r";\s+(?=SET |SELECT |WITH )", sql):
                cursor.execute(statement)
        except pymysql.MySQLError as error:
            return Answer(error=str(error))
        if cursor.description is None:
            return Answer(error="no result")
        return Answer(tuple(each[0] for each in cursor.description), tuple(map(tuple, cursor.fetchall())))


def on_duckdb(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    try:
        translation = translate(sql, schema=SCHEMA)
    except UnsupportedSyntax as error:
        return Answer(error=str(error), unsupported=True)
    except FinassayError as error:
        return Answer(error=str(error))
    try:
        result = connection.execute(translation.sql)
        rows = tuple(result.fetchall())
    except duckdb.Error as error:
        return Answer(error=str(error), warnings=translation.warnings)
    return Answer(tuple(each[0] for each in result.description), rows, warnings=translation.warnings)


def normal(value: Any) -> Any:
    """A value in a form that compares across drivers: numbers by number, moments and text by kind."""
    if isinstance(value, bool):
        return ("number", Decimal(int(value)))
    if isinstance(value, (int, Decimal)):
        return ("number", Decimal(value))
    if isinstance(value, float):
        return ("number", value)
    if isinstance(value, datetime):
        return ("datetime", value)
    if isinstance(value, date):
        return ("date", value)
    if isinstance(value, timedelta):
        return ("time", value)
    if isinstance(value, time):
        return ("time", timedelta(hours=value.hour, minutes=value.minute, seconds=value.second))
    return ("other", value)


def same_value(left: Any, right: Any) -> bool:
    (kind, a), (other, b) = normal(left), normal(right)
    if kind != other:
        return False
    if kind == "number" and (isinstance(a, float) or isinstance(b, float)):
        return math.isclose(float(a), float(b), rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-300)
    return bool(a == b)


def same_rows(left: Any, right: Any, ordered: bool) -> bool:
    """Whether two lists of rows are equal; without ORDER BY in any order."""
    if len(left) != len(right):
        return False
    if ordered:
        return all(_same_row(a, b) for a, b in zip(left, right, strict=True))
    key = lambda row: repr([_rounded(normal(value)) for value in row])  # noqa: E731 - a sort key
    if Counter(map(key, left)) == Counter(map(key, right)):
        return True
    return all(_same_row(a, b) for a, b in zip(sorted(left, key=key), sorted(right, key=key), strict=True))


def _rounded(pair: Any) -> Any:
    kind, value = pair
    return (kind, f"{float(value):.10g}") if kind == "number" else pair


def _same_row(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(same_value(a, b) for a, b in zip(left, right, strict=True))


def is_ordered(sql: str) -> bool:
    """Whether the order of the rows is part of the answer."""
    depth, words = 0, sql.lower()
    for at, char in enumerate(words):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0 and words.startswith(("order by", "with rollup"), at):
            return True
    return False


def verdict(sql: str, expected: Answer, actual: Answer) -> str:
    """One of: invalid (MariaDB refuses too), identical, unsupported, error, open, different."""
    if expected.error:
        return "invalid" if actual.error else "accepted"
    if actual.unsupported:
        return "unsupported"
    if actual.error:
        return "error"
    same = expected.columns == actual.columns and same_rows(expected.rows, actual.rows, is_ordered(sql))
    if same:
        return "identical"
    return (
        "open"
        if any(w.startswith(("open", "bare_column", "clock")) for w in actual.warnings)
        else "different"
    )


# --- recorded answers -----------------------------------------------------------------------------------------------
RECORDED = FOLDER / "recorded.yaml"


def fill(connection: Any) -> None:
    """Create and fill the tables on MariaDB."""
    with connection.cursor() as cursor:
        for statement, parameters in mariadb_statements():
            cursor.execute(statement, parameters or None)


def _encode(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"decimal {value}"
    if isinstance(value, float):
        return f"double {value!r}"
    if isinstance(value, datetime):
        return f"datetime {value.isoformat(sep=' ')}"
    if isinstance(value, date):
        return f"date {value.isoformat()}"
    if isinstance(value, timedelta):
        return f"time {value.total_seconds()}"
    if isinstance(value, bytes):
        return f"bytes {value.hex()}"
    return f"text {value}" if isinstance(value, str) else value


def _decode(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    kind, _, text = value.partition(" ")
    readers: dict[str, Any] = {
        "decimal": Decimal,
        "double": float,
        "datetime": datetime.fromisoformat,
        "date": date.fromisoformat,
        "time": lambda seconds: timedelta(seconds=float(seconds)),
        "bytes": bytes.fromhex,
        "text": str,
    }
    return readers[kind](text)


def write_recorded(version: str, answers: dict[str, Answer]) -> None:
    """Write the answers of a server, one entry per statement."""
    entries = []
    for sql, answer in answers.items():
        if answer.error:
            entries.append({"sql": sql, "error": answer.error})
        else:
            rows = [[_encode(value) for value in row] for row in answer.rows]
            entries.append({"sql": sql, "columns": list(answer.columns), "rows": rows})
    text = yaml.safe_dump(
        {"server": version, "answers": entries},
        allow_unicode=True,
        sort_keys=False,
        width=1000,
        default_flow_style=None,
    )
    RECORDED.write_text(text, encoding="utf-8")


def read_recorded() -> tuple[str, dict[str, Answer]]:
    """Read the recorded answers: the server's version, and an answer per statement."""
    data = yaml.load(
        RECORDED.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    answers = {}
    for entry in data["answers"]:
        rows = tuple(tuple(_decode(value) for value in row) for row in entry.get("rows", ()))
        answers[entry["sql"]] = Answer(tuple(entry.get("columns", ())), rows, error=entry.get("error", ""))
    return data["server"], answers


def line(kind: str, counts: Counter[str]) -> str:
    """A line of the table of results."""
    accepted = sum(counts[each] for each in ("identical", "unsupported", "error", "open", "different"))
    deterministic = accepted - counts["open"]
    rate = counts["identical"] / deterministic if deterministic else 1.0
    return (
        f"{kind:<12} accepted {accepted:>4}  deterministic {deterministic:>4}  identical {counts['identical']:>4}  "
        f"refused {counts['unsupported'] + counts['error']:>3}  different {counts['different']:>2}  rate {rate:6.1%}"
    )

"""What a certificate says of the data: their hash, on files and on servers alike."""

from __future__ import annotations

import platform
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from finassay.core import hash_json
from finassay.database import QueryPolicy, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.database import Database, Dialect, TableInfo

_LIBRARIES = ("finassay", "duckdb", "sqlglot", "pyarrow", "pandas", "polars", "numpy")
_POLICY = QueryPolicy(timeout_s=600.0)


def data_hash(database: Database, names: Iterable[str]) -> str:
    """Hash the data of an audit.

    A file or folder is hashed as it is. On a server, and for files too large for that, the rows of the tables are
    hashed by the engine, each row alone, and the hashes added up: the order in which rows are stored does not count.

    Parameters
    ----------
    database : Database
        The unaltered data.
    names : iterable of str
        The tables that the program reads or the contract requires.
    """
    whole = fingerprint(database.url)
    if whole is not None:
        return whole
    wanted = {name.lower() for name in names}
    return hash_json(
        {
            info.name: [str(cell) for cell in _digest(database, info)]
            for info in sorted(database.tables(), key=lambda info: info.name)
            if info.name.lower() in wanted
        }
    )


def engine_hash(database: Database) -> str:
    """Hash the versions of what an audit runs with: finassay, the libraries, Python, the database's engine."""
    found = {name: version(name) for name in _LIBRARIES if find_spec(name) is not None}
    return hash_json({**found, "python": platform.python_version(), "engine": database.version})


def _digest(database: Database, info: TableInfo) -> tuple[object, ...]:
    """Return the number of rows of a table and the sum of their hashes."""
    table = database.query(_statement(info, database.dialect), policy=_POLICY).table
    return tuple(column[0].as_py() for column in table.columns)


def _statement(info: TableInfo, dialect: Dialect) -> str:
    from finassay.database import identifier

    name = identifier(info.name, dialect)
    if dialect == "mysql":
        cells = ", ".join(f"COALESCE(HEX({identifier(c.name, dialect)}), '-')" for c in info.columns)
        row = f"CAST(CONV(LEFT(MD5(CONCAT_WS(',', {cells})), 15), 16, 10) AS DECIMAL(20))"
    elif dialect == "postgres":
        row = "CAST(hashtextextended(CAST(t AS text), 0) AS numeric)"
    else:
        row = "md5_number_lower(CAST(t AS VARCHAR))"
    return f"SELECT COUNT(*) AS n, SUM({row}) AS total FROM {name} t"  # noqa: S608 - the database's own names

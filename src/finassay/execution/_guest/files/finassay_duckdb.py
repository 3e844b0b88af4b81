"""The DuckDB shim: ``duckdb.connect`` of the task's database opens the file mounted here, and statements are reported.

What runs is DuckDB itself, in this process, over a file that is mounted read-only; only two things change. A path that
names the task's database, or that could not be opened otherwise, opens the mounted file. And every statement is
reported to the broker with its rows, bytes and milliseconds. A program can go round the report, as it runs here: the
records say so. Databases in memory and files of the program's own are left alone and reported too.
"""

from __future__ import annotations

import decimal
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import finassay_native

_SAMPLED = 1000  # rows of a list that are looked at for its size
_RELATION_TEXT = re.compile(r'\ASELECT \* FROM \(\n(.*)\n\) AS "unnamed_relation_\w+"\Z', re.DOTALL)
_FETCHES = (
    "arrow_table", "df", "fetch_df", "fetch_df_chunk", "fetchall", "fetchdf", "fetchmany", "fetchnumpy", "fetchone",
    "to_arrow_table",
)  # fmt: skip
# DuckDB looks for Python variables in the frame that called it, and passes over frames of its own package. The
# functions in its place are therefore made in a namespace of that name.
_WRAPPERS = """
def wrap(function, began, ended):
    def run(self, *args, **kwargs):
        mark = began()
        try:
            result = function(self, *args, **kwargs)
        except BaseException as error:
            ended(self, args, kwargs, mark, None, error)
            raise
        ended(self, args, kwargs, mark, result, None)
        return result
    run.__name__ = run.__qualname__ = getattr(function, "__name__", "run")
    run.__doc__ = getattr(function, "__doc__", None)
    return run

def wrap_module(method, default):
    def run(query, parameters=None, *, connection=None):
        return method(connection or default(), query, parameters)
    return run
"""


def install() -> None:
    """Put the shim in place, now if DuckDB is imported, else when it is; a second call does nothing."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    if "duckdb" in sys.modules:
        _patch(sys.modules["duckdb"])


class _Finder(importlib.abc.MetaPathFinder):
    """Patches DuckDB right after its import."""

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "duckdb":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                _patch(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _patch(duckdb: Any) -> None:
    if getattr(duckdb.connect, "__module__", "") == __name__:
        return
    duckdb.connect = _connect(duckdb)
    connection = duckdb.DuckDBPyConnection
    if not hasattr(connection, "_submit"):
        return  # DuckDB before 2.0: paths work, statements are not reported
    namespace: dict[str, Any] = {"__name__": "duckdb._finassay"}
    exec(_WRAPPERS, namespace)
    wrap = namespace["wrap"]
    counted = [connection]
    for name in ("execute", "executemany", "_submit"):
        setattr(connection, name, wrap(getattr(connection, name), time.monotonic, _statement_ended))
    for name in ("execute", "executemany"):
        setattr(duckdb, name, namespace["wrap_module"](getattr(connection, name), duckdb.default_connection))
    result = getattr(sys.modules.get("_duckdb"), "RelationResult", None)
    if result is not None:
        counted.append(result)
    for kind in counted:
        for name in _FETCHES:
            if hasattr(kind, name):
                setattr(kind, name, wrap(getattr(kind, name), time.monotonic, _fetch_ended))


def _connect(duckdb: Any) -> Callable[..., Any]:
    original = duckdb.connect

    def connect(database: Any = ":memory:", read_only: bool = False, config: Any = None, **more: Any) -> Any:
        if config is not None:
            more["config"] = config
        served = None if _in_memory(database) else _served(os.fspath(database), read_only=read_only)
        if served is None:
            return original(database, read_only=read_only, **more)
        if not served.exists():
            raise duckdb.IOException(
                f"{database} is not here: this run has no DuckDB file, as its database is a server. "
                "Use `from db_connector import query_to_dataframe`, pymysql, psycopg or SQLAlchemy."
            )
        return original(str(served), read_only=True, **more)

    connect.__doc__ = original.__doc__
    return connect


def _in_memory(database: Any) -> bool:
    return database is None or str(database) in ("", ":default:") or str(database).startswith(":memory:")


def _served(path: str, *, read_only: bool) -> Path | None:
    """Return the mounted file where a path means the task's database, or cannot be opened as a file of its own."""
    mounted = Path(os.environ.get("FINASSAY_DUCKDB", "/run/finassay/database/none.duckdb"))
    wanted = Path(path.removeprefix("duckdb:///"))
    if wanted.exists():
        return None
    named = wanted.stem == mounted.stem
    impossible = read_only or not os.access(wanted.absolute().parent, os.W_OK)
    return mounted if named or impossible else None


# The broker's number of the last statement of each connection or result, with the rows and bytes fetched so far.
_open: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()


def _statement_ended(owner: Any, args: Any, kwargs: Any, began: float, result: Any, error: Any) -> None:
    text = args[0] if args else kwargs.get("query", kwargs.get("sql", ""))
    sql = str(getattr(text, "query", text))
    found = _RELATION_TEXT.match(sql)
    message = {
        "op": "log",
        "sql": found[1] if found else sql,
        "status": "ok" if error is None else "error",
        "ms": (time.monotonic() - began) * 1e3,
        "error": None if error is None else f"{type(error).__name__}: {error}",
    }
    number = _report(message)
    holder = owner if result is None else result
    if number is not None and error is None:
        _open[holder] = [number, 0, 0]


def _fetch_ended(owner: Any, _args: Any, _kwargs: Any, began: float, result: Any, error: Any) -> None:
    state = _open.get(owner)
    if state is None or error is not None:
        return
    rows, size = _measure(result)
    state[1] += rows
    state[2] += size
    _report({
        "op": "log",
        "number": state[0],
        "rows": state[1],
        "bytes": state[2],
        "ms": (time.monotonic() - began) * 1e3,
    })  # fmt: skip


def _measure(result: Any) -> tuple[int, int]:
    """Return the rows of what was fetched, and its bytes: estimated for Python values, known for the rest."""
    if result is None:
        return 0, 0
    if isinstance(result, tuple):
        return 1, _row_size(result)
    if hasattr(result, "nbytes"):  # Arrow
        return int(result.num_rows), int(result.nbytes)
    if hasattr(result, "memory_usage"):  # pandas
        return len(result), int(result.memory_usage(index=False).sum())
    if isinstance(result, dict):  # numpy
        columns = list(result.values())
        return (len(columns[0]) if columns else 0), sum(
            int(getattr(column, "nbytes", 0)) for column in columns
        )
    count = len(result)
    seen = result[:: -(-count // _SAMPLED) or 1]
    return count, sum(map(_row_size, seen)) * count // max(1, len(seen))


def _row_size(row: tuple[Any, ...]) -> int:
    """Estimate the bytes of a row in Arrow: eight a value, sixteen a decimal, the length of a text, none for NULL."""
    total = 0
    for value in row:
        if isinstance(value, str | bytes):
            total += len(value)
        elif value is not None:
            total += 16 if isinstance(value, decimal.Decimal) else 8
    return total


def _report(message: dict[str, Any]) -> int | None:
    """Send a report; a program that closed the socket, or runs without a broker, goes on."""
    try:
        number = finassay_native.request(message).get("number")
    except finassay_native.DatabaseError:
        return None
    return number if isinstance(number, int) else None

"""The DuckDB shim: ``duckdb.connect`` of the task's database opens the file mounted here, and statements are reported.

What runs is DuckDB itself, in this process, over a file mounted read-only; only three things change. A path that names
the task's database, or that could not be opened otherwise, opens the mounted file, as `_duckdb.connect` does. Every
statement is reported to the broker with its rows, bytes and milliseconds. And on the task's database the policy holds
(`finassay_statements`). A program can go round this, as it runs here: the records say so, and the mounted file has
nothing that may not be read. Databases in memory and files of the program's own are left alone and reported too.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import finassay_statements as statements

_FETCHES = (
    "arrow_table", "df", "fetch_df", "fetch_df_chunk", "fetchall", "fetchdf", "fetchmany", "fetchnumpy", "fetchone",
    "tf", "to_arrow_table", "torch",
)  # fmt: skip
_STREAMS = ("arrow_capsule", "arrow_reader", "to_arrow_reader")
# DuckDB looks for Python variables in the frame that called it, and passes over frames of its own package. The
# functions in its place are therefore made in a namespace of that name.
_WRAPPERS = """
def wrap(function, around):
    def run(self, *args, **kwargs):
        with around(self, args, kwargs) as call:
            call.result = function(self, *args, **kwargs)
        return call.result
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
    if hasattr(native := sys.modules.get("_duckdb"), "connect"):
        native.connect = duckdb.connect  # type: ignore[union-attr]
    connection = duckdb.DuckDBPyConnection
    if not hasattr(connection, "_submit"):
        return  # DuckDB before 2.0: paths work, statements are not reported
    namespace: dict[str, Any] = {"__name__": "duckdb._finassay"}
    exec(_WRAPPERS, namespace)
    wrap = namespace["wrap"]
    around = {
        "execute": statements.Execution,
        "executemany": statements.Execution,
        "_bind": statements.Binding,
    }
    for name, kind in {**around, "_submit": statements.Execution}.items():
        setattr(connection, name, wrap(getattr(connection, name), kind))
    for name in ("execute", "executemany"):
        setattr(duckdb, name, namespace["wrap_module"](getattr(connection, name), duckdb.default_connection))
    for name in ("cursor", "duplicate"):
        setattr(connection, name, _copied(getattr(connection, name)))
    for owner in filter(None, (connection, getattr(sys.modules.get("_duckdb"), "RelationResult", None))):
        owner.fetchall = _capped(owner.fetchall, owner.fetchmany)
        for name, kind in {
            **dict.fromkeys(_FETCHES, statements.Fetch),
            **dict.fromkeys(_STREAMS, statements.Stream),
        }.items():
            if hasattr(owner, name):
                setattr(owner, name, wrap(getattr(owner, name), kind))


def _copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method for another connection to the same database, to which the same applies."""

    def copied(self: Any) -> Any:
        made = function(self)
        if self in statements.SERVED:
            statements.SERVED.add(made)
        return made

    copied.__doc__ = function.__doc__
    return copied


def _capped(fetchall: Callable[..., Any], fetchmany: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``fetchall`` that stops one row over the cap, which is then seen to be passed."""

    def capped(self: Any) -> Any:
        left = statements.rows_left(self)
        if left is None:
            return fetchall(self)
        rows = fetchmany(self, left + 1)
        return rows if len(rows) > left else rows + fetchall(self)

    capped.__doc__ = fetchall.__doc__
    return capped


def _connect(duckdb: Any) -> Callable[..., Any]:
    original, execute = duckdb.connect, duckdb.DuckDBPyConnection.execute

    def quiet(connection: Any) -> None:
        """Keep the progress of long statements out of the program's output."""
        execute(connection, "SET enable_progress_bar_print = false")

    def opened_quietly(database: Any, **options: Any) -> Any:
        connection = original(database, **options)
        quiet(connection)
        return connection

    statements.quiet = quiet

    def connect(database: Any = ":memory:", read_only: bool = False, config: Any = None, **more: Any) -> Any:
        if config is not None:
            more["config"] = config
        served = None if _in_memory(database) else _served(os.fspath(database), read_only=read_only)
        if served is None:
            return opened_quietly(database, read_only=read_only, **more)
        if not served.exists():
            raise duckdb.IOException(f"{database} is not here. {statements.way_in()}")
        opened = opened_quietly(str(served), read_only=True, **more)
        if base := os.environ.get("FINASSAY_DUCKDB_BASE"):  # what the views of the file read
            place = base.replace("'", "''")
            execute(opened, f"ATTACH IF NOT EXISTS '{place}' AS {statements.BASE} (READ_ONLY)")
        statements.SERVED.add(opened)
        return opened

    connect.__doc__ = original.__doc__
    return connect


def _in_memory(database: Any) -> bool:
    return database is None or str(database) in ("", ":default:") or str(database).startswith(":memory:")


def _served(path: str, *, read_only: bool) -> Path | None:
    """Return the mounted file where a path means the task's database, or cannot be opened as a file of its own."""
    mounted = statements.mounted()
    wanted = Path(path.removeprefix("duckdb:///"))
    if wanted.exists():
        return mounted if mounted.exists() and wanted.samefile(mounted) else None
    named = wanted.stem == mounted.stem
    impossible = read_only or not os.access(wanted.absolute().parent, os.W_OK)
    return mounted if named or impossible else None

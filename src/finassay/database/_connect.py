"""Open a database by URL or path."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from finassay.core import MissingExtraError
from finassay.database._url import Target, parse_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from finassay.database._engine import Database


def connect(
    url: str | os.PathLike[str], *, overlays: Mapping[str, str] | None = None, sealed: bool = False
) -> Database:
    """Open a database, read only.

    Parameters
    ----------
    url : str or path
        ``duckdb:///file``, a path to a DuckDB file, a folder of Parquet and CSV files (each a table named by its stem),
        one such file, ``mysql://user:password@host:port/database`` (MariaDB too), or
        ``postgresql://user:password@host:port/database``.
    overlays : mapping of str to str, optional
        Tables of the default schema to serve from a replacement: a SELECT in the engine's dialect, in which every name
        is a table of the database itself. With overlays, views of the database are not served unless they are replaced
        themselves: they would read past the overlays.
    sealed : bool
        Serve the overlays and nothing else, and refuse every statement that could tell of what lies behind them: other
        tables, catalogs of the server, plans and statistics, functions of the database, the wall clock.

    Returns
    -------
    Database
        Close it, or use it as a context manager.

    Raises
    ------
    DatabaseUnavailable
        If the URL has no known form, the file is missing or no database, the server does not answer, the user or the
        password is wrong, or there is no such database. No message shows the password.
    MissingExtraError
        If the driver of the server is not installed.
    QueryError, QueryRefused
        If an overlay is not a SELECT that the engine accepts.
    """
    target = parse_url(os.fspath(url))
    replaced = dict(overlays or {})
    if target.path is not None:
        from finassay.database._duckdb import DuckDBEngine

        files = target.engine == "files"
        return DuckDBEngine(target.shown, target.path, files=files, overlays=replaced, sealed=sealed)
    return _connect_server(target, replaced, sealed=sealed)


def _connect_server(target: Target, overlays: Mapping[str, str], *, sealed: bool) -> Database:
    assert target.server is not None  # noqa: S101 - a target is a path or a server
    if target.engine == "mysql":
        try:
            from finassay.database._mariadb import MySQLEngine
        except ImportError as error:
            raise MissingExtraError("A mysql:// database", "mysql") from error
        return MySQLEngine(target.shown, target.server, overlays=overlays, sealed=sealed)
    try:
        from finassay.database._postgres import PostgresEngine
    except ImportError as error:
        raise MissingExtraError("A postgresql:// database", "postgres") from error
    return PostgresEngine(target.shown, target.server, overlays=overlays, sealed=sealed)

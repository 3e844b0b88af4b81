"""Database URLs: what forms there are, what each points at, and how one is shown without its password."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from finassay.database._types import DatabaseUnavailable

Engine = Literal["duckdb", "files", "mysql", "postgres"]

_SCHEMES: dict[str, Engine] = {
    "duckdb": "duckdb",
    "mysql": "mysql",
    "mysql+pymysql": "mysql",
    "mariadb": "mysql",
    "mariadb+pymysql": "mysql",
    "postgresql": "postgres",
    "postgres": "postgres",
    "postgresql+psycopg": "postgres",
}
_PORTS = {"mysql": 3306, "postgres": 5432}
_OPTIONS = {
    "mysql": {"unix_socket", "ssl_ca"},
    "postgres": {"host", "sslmode", "sslrootcert", "application_name"},
}
FILE_SUFFIXES = (".parquet", ".csv", ".csv.gz")
FORMS = (
    "Give a DuckDB file (market.duckdb or duckdb:///market.duckdb), a folder of Parquet or CSV files, "
    "mysql://user:password@host:3306/database, or postgresql://user:password@host:5432/database."
)


@dataclass(frozen=True)
class Server:
    """Where a server is and who asks; the password is in no representation."""

    host: str
    port: int
    user: str
    database: str
    password: str = field(repr=False, default="")
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str | None:
        """Return an option of the URL's query part, or None."""
        return dict(self.options).get(name)


@dataclass(frozen=True)
class Target:
    """What a URL points at; ``shown`` is the URL as it may be printed."""

    engine: Engine
    shown: str
    path: Path | None = None
    server: Server | None = None


def parse_url(url: str) -> Target:
    """Parse a database URL or a plain path.

    Raises
    ------
    DatabaseUnavailable
        If the form is unknown, or the file or folder is missing.
    """
    if "://" not in url:
        return _path_target(url)
    scheme = url.split("://", 1)[0].lower()
    engine = _SCHEMES.get(scheme)
    if engine is None:
        close = difflib.get_close_matches(scheme, _SCHEMES, n=1)
        meant = f" Did you mean {close[0]}://?" if close else ""
        raise DatabaseUnavailable(f"No engine reads URLs that begin with {scheme}://.{meant}", hint=FORMS)
    return _path_target(_duckdb_path(url)) if engine == "duckdb" else _server_target(engine, url)


def _duckdb_path(url: str) -> str:
    rest = url.split("://", 1)[1]
    if not rest.startswith("/"):
        hint = f"Write duckdb:///{rest} (relative) or duckdb:////path (absolute)."
        raise DatabaseUnavailable(f"{url} has two slashes where a file needs three.", hint=hint)
    path = unquote(rest[1:])
    if path in {"", ":memory:"}:
        raise DatabaseUnavailable(
            f"{url} names no file; a database in memory has nothing to read.", hint=FORMS
        )
    return path


def _path_target(text: str) -> Target:
    if not text.strip():
        raise DatabaseUnavailable("The database is an empty text.", hint=FORMS)
    path = Path(text).expanduser()
    if not path.exists():
        raise DatabaseUnavailable(
            f"There is no file or folder {path} (looked in {path.absolute().parent}).", hint=_near(path)
        )
    if path.is_dir() or path.name.lower().endswith(FILE_SUFFIXES):
        return Target("files", str(path), path=path.absolute())
    return Target("duckdb", f"duckdb:///{path}", path=path.absolute())


def _near(path: Path) -> str:
    folder = path.absolute().parent
    if not folder.is_dir():
        return f"The folder {folder} does not exist either."
    close = difflib.get_close_matches(path.name, sorted(entry.name for entry in folder.iterdir()), n=3)
    return f"Close names there: {', '.join(close)}." if close else FORMS


def _server_target(engine: Engine, url: str) -> Target:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        # The error's own text may quote a part of the password.
        hint = "A password with / @ : # or ? must be percent-encoded (urllib.parse.quote_plus)."
        raise DatabaseUnavailable(
            f"The {engine} URL cannot be read: its host or port is not one.", hint=hint
        ) from None
    options = tuple(parse_qsl(parts.query))
    unknown = sorted({name for name, _ in options} - _OPTIONS[engine])
    if unknown:
        hint = f"Known options: {', '.join(sorted(_OPTIONS[engine]))}."
        raise DatabaseUnavailable(f"The {engine} URL has unknown options: {', '.join(unknown)}.", hint=hint)
    server = Server(
        host=parts.hostname or dict(options).get("host", "localhost"),
        port=port or _PORTS[engine],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=unquote(parts.path.lstrip("/")),
        options=options,
    )
    if not server.database:
        raise DatabaseUnavailable(f"{_shown(engine, server)} names no database.", hint=FORMS)
    return Target(engine, _shown(engine, server), server=server)


def _shown(engine: Engine, server: Server) -> str:
    scheme = "mysql" if engine == "mysql" else "postgresql"
    who = f"{server.user}{':***' if server.password else ''}@" if server.user else ""
    host = f"[{server.host}]" if ":" in server.host else server.host
    return f"{scheme}://{who}{host}:{server.port}/{server.database}"

"""The support modules and the environment of a program in the jail."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path

GUEST_HOME = "/run/finassay"
PORTS = (3306, 5432)
_USER = "research"
ANY_PASSWORD = "research"  # noqa: S105 - in a jail any is accepted; programs want to find one
_FILES = Path(__file__).parent / "files"


def guest_files() -> Mapping[str, Path]:
    """Return the files to mount read-only in ``/run/finassay``: name there to path here.

    ``finassay_relay.py`` is to run in the background of the jail (``python /run/finassay/finassay_relay.py``; it prints
    ``ready`` once it listens). ``/run/finassay`` must be on ``sys.path`` of the program: `guest_env` says so through
    ``PYTHONPATH``. The DuckDB shim is put in place by ``import finassay_duckdb; finassay_duckdb.install()`` at any time
    before the program runs, whether DuckDB is imported already or not.
    """
    return {path.name: path for path in sorted(_FILES.glob("*.py"))}


def free_ports() -> tuple[int, int]:
    """Return two free ports for the relay on the host's own loopback.

    Never the usual ones: of several runs at once each would find them free, and all but one fail to listen.
    """
    with socket.socket() as one, socket.socket() as other:
        for probe in (one, other):
            probe.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1]), int(other.getsockname()[1])


def guest_env(
    dialect: str,
    schema: str,
    *,
    duckdb_file: str | None = None,
    home: str = GUEST_HOME,
    ports: tuple[int, int] = PORTS,
    password: str = ANY_PASSWORD,
) -> dict[str, str]:
    """Return the environment variables by which a program finds its database.

    Parameters
    ----------
    dialect : {"duckdb", "mysql", "postgres"}
        Dialect of the native route. ``DATABASE_URL`` leads to the PostgreSQL server for ``postgres``, else to the
        MySQL one.
    schema : str
        Name of the database, as clients give it when they connect.
    duckdb_file : str, optional
        Name of the file of `duckdb_mount`, mounted in ``database`` below ``home``.
    home : str
        Where the guest files are mounted; sockets are in ``sockets`` below it.
    ports : tuple of int
        Where the relay listens for MySQL and for PostgreSQL clients: their usual ports in a jail, which has a
        loopback of its own.
    password : str
        What the program is to connect with, letters, digits, ``-`` and ``_``.

    Returns
    -------
    dict
        ``FINASSAY_*``, ``DB_*``, ``MYSQL_*``, ``PG*``, ``DATABASE_URL``, ``PYTHONPATH``.
    """
    mysql_port, postgres_port = ports
    server = {"HOST": "127.0.0.1", "PORT": str(mysql_port), "USER": _USER, "PASSWORD": password}
    mysql = f"mysql+pymysql://{_USER}:{password}@127.0.0.1:{mysql_port}/{schema}?charset=utf8mb4"
    postgres = f"postgresql+psycopg://{_USER}:{password}@127.0.0.1:{postgres_port}/{schema}"
    return {
        "FINASSAY_SOCKETS": f"{home}/sockets",
        "FINASSAY_DIALECT": dialect,
        "FINASSAY_DUCKDB": f"{home}/database/{duckdb_file or 'none.duckdb'}",
        "PYTHONPATH": home,
        **{f"DB_{key}": value for key, value in server.items()},
        "DB_NAME": schema,
        **{f"MYSQL_{key}": value for key, value in server.items()},
        "MYSQL_DATABASE": schema,
        "MYSQL_DB": schema,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(postgres_port),
        "PGUSER": _USER,
        "PGPASSWORD": password,
        "PGDATABASE": schema,
        "DATABASE_URL": postgres if dialect == "postgres" else mysql,
    }

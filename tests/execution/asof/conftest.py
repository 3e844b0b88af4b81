"""A small market in every kind of database, with what nobody may see marked, and as-of servers over it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from finassay.database import connect
from finassay.execution import AsOfServer, as_of_views
from finassay.temporal import Cutoff, parse_catalog

AS_OF = date(2024, 2, 29)
KNOWN, UNKNOWN = 5, 1002  # rows of `report`
TABLES = ("report", "stay")
# The catalog says nothing of `secret`, of the views and of the column PRIVATE.
CATALOG = parse_catalog("""
catalog: market
version: "1"
tables:
  report:
    kind: event
    key: [ID]
    availability: {column: PUBLISHED}
    columns: {ID: key, CODE: key, NAME: payload, AMOUNT: payload, PUBLISHED: disclosure, TOUCHED: updated,
              STATUS: current_state}
  stay:
    kind: state
    key: [ID]
    availability: {column: PUBLISHED}
    valid: {from: SINCE, to: UNTIL, with_end: [WHY]}
    columns: {ID: key, PUBLISHED: disclosure, SINCE: effective_from, UNTIL: effective_to, WHY: payload,
              RECORDED: recorded}
""")
# What stands in no answer: values of rows and columns that were not known, what lies elsewhere, and how much there is.
MARKS = ("LEAK", "987654", str(UNKNOWN), str(KNOWN + UNKNOWN), "1977-07-07")


def report_rows() -> list[str]:
    known = [
        f"({i}, {i % 2}, 'name{i}', {i}.5, '2024-02-2{i + 4} 16:00:00', '1977-07-07 00:00:00', 'LEAK', 'LEAK')"
        for i in range(1, KNOWN + 1)
    ]
    later = [
        f"({i}, {i % 2}, 'LEAK({i}', 987654, '2024-03-01 00:00:00', '1977-07-07 00:00:00', 'LEAK', 'LEAK')"
        for i in range(100, 100 + UNKNOWN)
    ]
    return known + later


def market(moment: str) -> list[str]:
    """The statements that make the market, for an engine that calls a date with a time so."""
    return [
        f"""CREATE TABLE report (ID INTEGER PRIMARY KEY, CODE INTEGER NOT NULL, NAME VARCHAR(20) NOT NULL,
        AMOUNT DECIMAL(18,4), PUBLISHED {moment}, TOUCHED {moment}, STATUS VARCHAR(10), PRIVATE VARCHAR(10))""",
        "INSERT INTO report VALUES " + ", ".join(report_rows()),
        f"""CREATE TABLE stay (ID INTEGER, PUBLISHED {moment}, SINCE {moment}, UNTIL {moment}, WHY VARCHAR(20),
        RECORDED {moment})""",
        """INSERT INTO stay VALUES (1, '2024-01-01', '2024-01-02', '2024-02-10', 'gone', '1977-07-07'),
        (2, '2024-01-01', '2024-01-02', '2024-03-10', 'LEAK', '1977-07-07'),
        (3, '2024-01-01', '2024-01-02', NULL, NULL, '1977-07-07')""",
        "CREATE TABLE secret (ID INTEGER, NAME VARCHAR(20))",
        "INSERT INTO secret VALUES (1, 'LEAK')",
        "CREATE VIEW leaky AS SELECT * FROM report",
    ]


@dataclass(frozen=True)
class Proxy:
    """An as-of server and how to reach it."""

    server: AsOfServer
    engine: str
    kept: list[Any] = field(default_factory=list)

    def ask(self, sql: str) -> tuple[str, list[Any]]:
        """Send a statement on a connection that is kept; return the error or nothing, rows and names of columns."""
        if self.kept and (self.kept[0].closed if self.protocol == "postgres" else not self.kept[0].open):
            self.kept.clear()
        if not self.kept:
            self.kept.append(self.open())
        with self.kept[0].cursor() as cursor:
            try:
                cursor.execute(sql)
                rows = cursor.fetchall() if cursor.description else []
            except Exception as error:  # noqa: BLE001 - each driver has its own
                return f"{error}", []
            return "", [*rows, *(column[0] for column in cursor.description or [])]

    @property
    def protocol(self) -> str:
        return self.server.protocol

    def mysql(self, **more: Any) -> Any:
        import pymysql

        given = {"user": "research", "password": self.server.password, "database": self.server.served.schema}
        return pymysql.connect(host="127.0.0.1", port=self.server.port, **given | more)

    def postgres(self, **more: Any) -> Any:
        import psycopg

        given = {"user": "research", "password": self.server.password, "dbname": "market", "autocommit": True}
        return psycopg.connect(host="127.0.0.1", port=self.server.port, **given | more)

    def open(self) -> Any:
        return self.mysql() if self.protocol == "mysql" else self.postgres()

    @property
    def alchemy_url(self) -> str:
        driver = "mysql+pymysql" if self.protocol == "mysql" else "postgresql+psycopg"
        return driver + "://" + self.server.client_url.partition("://")[2]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.open() as client, client.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


@pytest.fixture(scope="session")
def duckdb_market(tmp_path_factory: pytest.TempPathFactory) -> str:
    import duckdb

    path = tmp_path_factory.mktemp("asof") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in market("TIMESTAMP"):
            connection.execute(statement)
        connection.execute("CREATE MACRO leak() AS (SELECT max(NAME) FROM report)")
        connection.execute("CREATE MACRO leaks() AS TABLE SELECT * FROM report")
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.secret AS SELECT 'LEAK' AS name")
    return f"duckdb:///{path}"


@pytest.fixture(scope="session")
def mariadb_market(mariadb: Any) -> Iterator[str]:
    """The administrator's own URL: whatever the server lets its user do, the proxy's client may not."""
    with mariadb.database("asof_market") as name, mariadb.database("asof_other") as other:
        mariadb.execute(
            *market("DATETIME"),
            "CREATE FUNCTION leak() RETURNS VARCHAR(20) READS SQL DATA RETURN (SELECT max(NAME) FROM report)",
            "ANALYZE TABLE report",
            database=name,
        )
        mariadb.execute("CREATE TABLE report AS SELECT 'LEAK' AS NAME", database=other)
        yield mariadb.admin_url(name)


@pytest.fixture(scope="session")
def postgres_market(postgres: Any) -> Iterator[str]:
    with postgres.database("asof_market") as name:
        postgres.execute(
            *market("TIMESTAMP"),
            "CREATE FUNCTION leak() RETURNS text LANGUAGE sql AS 'SELECT max(name) FROM public.report'",
            "CREATE FUNCTION leak(public.report) RETURNS text LANGUAGE sql AS 'SELECT max(name) FROM public.report'",
            "CREATE FUNCTION upper(integer) RETURNS text LANGUAGE sql AS 'SELECT max(name) FROM public.report'",
            "CREATE FUNCTION plus(integer, text) RETURNS text LANGUAGE sql AS 'SELECT max(name) FROM public.report'",
            "CREATE OPERATOR public.+ (LEFTARG = integer, RIGHTARG = text, FUNCTION = public.plus)",
            "CREATE SCHEMA other",
            "CREATE TABLE other.report AS SELECT 'LEAK' AS name",
            "CREATE MATERIALIZED VIEW leakier AS SELECT * FROM report",
            "ANALYZE",
            database=name,
        )
        yield postgres.admin_url(name)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., AsOfServer]]:
    """Return a function that serves a database until the session ends."""
    with contextlib.ExitStack() as stack:

        def start(url: str, catalog: Any = CATALOG, cutoff: Any = None, **more: Any) -> AsOfServer:
            wanted = {name: more.pop(name) for name in ("contract", "allowed") if name in more}
            with connect(url) as database:
                views = as_of_views(database, catalog, cutoff or Cutoff(AS_OF), **wanted)
            return stack.enter_context(AsOfServer(url, views, **more))

        yield start


WAYS = ("duckdb-mysql", "duckdb-postgres", "mariadb-mysql", "postgres-postgres")


@pytest.fixture(scope="session")
def proxies(
    request: pytest.FixtureRequest, serve: Callable[..., AsOfServer]
) -> Iterator[Callable[[str], Proxy]]:
    """Return a function from a way, engine and protocol, to its proxy; each is started once."""
    running: dict[str, Proxy] = {}

    def proxy_of(way: str) -> Proxy:
        if way not in running:
            engine, _, protocol = way.partition("-")
            url = request.getfixturevalue(f"{engine}_market")
            running[way] = Proxy(serve(url, protocol=protocol), engine)
        return running[way]

    yield proxy_of
    for proxy in running.values():
        for client in proxy.kept:
            client.close()


@pytest.fixture(params=WAYS)
def proxy(request: pytest.FixtureRequest, proxies: Callable[[str], Proxy]) -> Proxy:
    return proxies(request.param)

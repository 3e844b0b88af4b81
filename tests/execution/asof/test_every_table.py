"""Of every table of a world the proxy shows K_c: what the rules say row by row, on every engine."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pytest

from finassay.database import QueryPolicy, connect, resolve_table
from finassay.executor import open_executor
from finassay.temporal import AsOf, AsOfDate, Contract, Cutoff, load_catalog
from finassay.world import WorldConfig, build_world
from finassay.world._tables import TABLES
from finassay.world._write import target_of

from .conftest import WAYS, Proxy

CATALOG = load_catalog("gildata")
CONFIG = WorldConfig(0.01, 3, dt.date(2016, 9, 30))
CUTOFF = Cutoff(dt.date(2016, 3, 15))
# Tables of which the data do not say when rows became known are served where the contract allows their recording time.
CONTRACT = Contract(
    contract="t",
    as_of=AsOfDate(date=CUTOFF.day),
    recording_proxies=tuple(
        f"{name}.{table.availability.proxy}"
        for name, table in CATALOG.tables.items()
        if table.availability
        and table.availability.proxy
        and not (table.availability.column or table.availability.always)
    ),
)
Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> str:
    with open_executor("serial") as executor:
        built = build_world(CONFIG, f"duckdb:///{tmp_path_factory.mktemp('world')}/w.duckdb", executor)
    return built.url


@pytest.fixture(scope="module")
def stored(world: str) -> dict[str, Any]:
    """Every table as it is stored, read past the proxy, with its columns as the catalog spells them."""
    found = {}
    with connect(world) as database:
        for info in database.tables():
            if CATALOG.find(info.name) is not None:
                names = {spelled: name for name, spelled in resolve_table(CATALOG, info).names.items()}
                table = database.query(f'SELECT * FROM "{info.name}"').table
                found[info.name] = table.rename_columns(
                    [names.get(name, name) for name in table.column_names]
                )
    return found


def knowable(name: str, table: Any, cutoff: Cutoff) -> tuple[Counter[Row], int]:
    """The rows of K_c by the rules of `finassay.temporal`, one by one; and how many values they hide."""
    view = AsOf(CATALOG.table(name), cutoff, CONTRACT.proxies(name), name=name)
    rows, hidden = Counter[Row](), 0
    for row in table.to_pylist():
        if view.is_knowable(row):
            known = view.known(row)
            hidden += sum(known[column] is None and row[column] is not None for column in row)
            rows[plain(known.values())] += 1
    return rows, hidden


def plain(values: Any) -> Row:
    """A row in a spelling that does not depend on the engine and the driver."""
    return tuple(_plain(value) for value in values)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ", timespec="microseconds")
    if isinstance(value, dt.date):
        return f"{value.isoformat()} 00:00:00.000000"
    if isinstance(value, float):
        return f"{Decimal(repr(value)).normalize():f}"
    return None if value is None else str(value)


@pytest.fixture(scope="module", params=WAYS)
def served(request: pytest.FixtureRequest, serve: Callable[..., Any], world: str) -> Iterator[Proxy]:
    """The world behind a proxy, copied to a server where the way leads to one."""
    engine, _, protocol = request.param.partition("-")
    wanted = {"protocol": protocol, "contract": CONTRACT, "catalog": CATALOG, "cutoff": CUTOFF}
    if engine == "duckdb":
        yield Proxy(serve(world, **wanted), engine)
        return
    server = request.getfixturevalue(engine)
    with server.database("asof_world") as name:
        copy(world, server.admin_url(name))
        yield Proxy(serve(server.admin_url(name), **wanted), engine)


def copy(world: str, url: str) -> None:
    target = target_of(url, force=False)
    target.check()
    with connect(world) as database:

        def chunks(name: str) -> Iterator[Any]:
            yield database.query(f'SELECT * FROM "{name}"', policy=QueryPolicy(max_rows=10**8)).table

        target.write([(name, chunks(name)) for name in TABLES], lambda: {"catalog": "gildata"}, CATALOG)


@pytest.fixture(scope="module")
def expected(stored: dict[str, Any]) -> dict[str, tuple[Counter[Row], int]]:
    return {name: knowable(name, table, CUTOFF) for name, table in stored.items()}


@pytest.mark.servers
@pytest.mark.timeout(900)  # a hundred thousand rows of a hundred columns, row by row
def test_every_table_of_a_world_is_its_knowable_view(
    served: Proxy, stored: dict[str, Any], expected: dict[str, tuple[Counter[Row], int]]
) -> None:
    assert sorted(name.lower() for name in stored) == sorted(name.lower() for name in CATALOG.tables)
    with served.open() as client, client.cursor() as cursor:
        for name, table in stored.items():
            wanted, columns = expected[name][0], table.column_names
            if blobs := untold(served, table):  # MySQL on DuckDB has no BLOB: docs/reference/mysql-dialect.md
                with pytest.raises(Exception, match="not translated"):
                    cursor.execute(f"SELECT * FROM {name}")
                columns = [column for column in columns if column not in blobs]
                wanted = knowable(name, table.select(columns), CUTOFF)[0]
            cursor.execute(f"SELECT {', '.join(columns) if blobs else '*'} FROM {name}")
            assert [column[0].lower() for column in cursor.description] == [n.lower() for n in columns], name
            got = Counter(plain(row) for row in cursor.fetchall())
            assert got == wanted, (name, first(got - wanted), first(wanted - got))
    assert len(stored) == 119
    # The cutoff leaves much out, and hides values of what it lets in.
    total, shown = (
        sum(table.num_rows for table in stored.values()),
        sum(r.total() for r, _ in expected.values()),
    )
    assert 0 < shown < total
    assert sum(hidden for _, hidden in expected.values()) > 0


def untold(served: Proxy, table: Any) -> list[str]:
    import pyarrow as pa

    if (served.engine, served.protocol) != ("duckdb", "mysql"):
        return []
    return [field.name for field in table.schema if pa.types.is_binary(field.type)]


def first(rows: Counter[Row]) -> Sequence[Row]:
    return list(rows)[:1]


@pytest.mark.parametrize("boundary", ["eod", "pre"])
def test_the_boundary_decides_about_the_day_itself(
    boundary: Any, world: str, stored: dict[str, Any], serve: Callable[..., Any]
) -> None:
    day = stored["lc_mainindexnew"]["INFOPUBLDATE"].to_pylist()[0].date()
    cutoff = Cutoff(day, boundary)
    server = serve(world, CATALOG, cutoff)
    with Proxy(server, "duckdb").open() as client, client.cursor() as cursor:
        cursor.execute("SELECT * FROM lc_mainindexnew")
        got = Counter(plain(row) for row in cursor.fetchall())
    assert got == knowable("lc_mainindexnew", stored["lc_mainindexnew"], cutoff)[0]
    assert any(str(day) in str(row) for row in got) == (boundary == "eod")

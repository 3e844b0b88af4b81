"""SQL on an engine, pure Python and Arrow give one answer; and it is the answer of the rules written out by hand."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.database import (
    ColumnInfo,
    TableInfo,
    connect,
    known_view,
    normal_view,
    predicate_sql,
    resolve_table,
    selected_view,
)
from finassay.temporal import AsOf, Cutoff, parse_catalog
from support.loading import load_server

D = date(2024, 2, 29)
OPEN = datetime.fromisoformat("2024-03-31")
CATALOG = parse_catalog("""
catalog: t
version: "1"
tables:
  rows:
    kind: state
    row_id: [ID]
    key: [K]
    availability: {column: PUB, proxy: INS}
    valid: {from: A, to: B, open: ["2024-03-31"], end_known: {column: BPUB}, with_end: [WHY]}
    versions: {per: [K], order: [PUB, INS]}
    columns: {ID: key, K: key, PUB: disclosure, INS: recorded, A: effective_from, B: effective_to, BPUB: disclosure,
              WHY: payload, FLAG: current_state, STAGE: {role: payload, disclosed_by: BPUB}, UPD: updated}
  plain:
    kind: state
    key: [K]
    availability: {column: A, ahead: true}
    valid: {from: A, to: B, inclusive: true}
    columns: {ID: key, K: key, PUB: disclosure, INS: recorded, A: effective_from, B: effective_to, BPUB: disclosure,
              WHY: payload, FLAG: current_state, STAGE: payload, UPD: updated}
  series:
    kind: series
    key: [K]
    availability: {column: PUB, lag_days: 1}
    versions: {per: [K, A], order: [PUB, ID]}
    columns: {ID: key, K: key, PUB: market_date, INS: recorded, A: period_end, B: payload, BPUB: payload,
              WHY: payload, FLAG: payload, STAGE: payload, UPD: updated}
""")
NAMES = ["ID", "K", "PUB", "INS", "A", "B", "BPUB", "WHY", "FLAG", "STAGE", "UPD"]
SCHEMA = pa.schema([
    ("ID", pa.int64()), ("K", pa.string()), ("PUB", pa.timestamp("us")), ("INS", pa.timestamp("us")),
    ("A", pa.timestamp("us")), ("B", pa.timestamp("us")), ("BPUB", pa.timestamp("us")), ("WHY", pa.string()),
    ("FLAG", pa.int64()), ("STAGE", pa.string()), ("UPD", pa.timestamp("us")),
])  # fmt: skip

# Most of the mass lies on the boundary: the day before, the day, the cutoff, the day after, and their times.
_TIMES = [time(), time(0, 0, 1), time(9, 30), time(23, 59, 59)]
moments = st.one_of(
    st.none(),
    st.builds(
        lambda days, clock: datetime.combine(D + timedelta(days=days), clock),
        st.sampled_from([-400, -2, -1, 0, 0, 0, 1, 1, 2, 31]),
        st.sampled_from(_TIMES),
    ),
)
a_row = st.tuples(
    st.sampled_from(["x", "y", None]),
    moments,
    moments,
    moments,
    moments,
    moments,
    st.sampled_from(["w", None]),
)


def as_table(rows) -> pa.Table:
    dicts = [
        {"ID": i, "K": k, "PUB": pub, "INS": ins, "A": a, "B": b, "BPUB": bpub, "WHY": why, "FLAG": i % 2,
         "STAGE": "s", "UPD": ins}
        for i, (k, pub, ins, a, b, bpub, why) in enumerate(rows)
    ]  # fmt: skip
    return pa.Table.from_pylist(dicts, schema=SCHEMA)


cutoffs = st.builds(
    Cutoff,
    st.sampled_from([D - timedelta(days=1), D, D + timedelta(days=1)]),
    st.sampled_from(["eod", "pre"]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(a_row, max_size=12),
    cutoff=cutoffs,
    name=st.sampled_from(["rows", "plain", "series"]),
    proxies=st.sampled_from([(), ("INS",)]),
    rule=st.sampled_from(["latest", "first"]),
)
@example(rows=[], cutoff=Cutoff(D), name="rows", proxies=(), rule="latest")
def test_sql_python_and_arrow_give_one_answer(engine_of, rows, cutoff, name, proxies, rule) -> None:
    table = as_table(rows)
    view = AsOf(CATALOG.table(name), cutoff, proxies, rule)
    mappings = table.to_pylist()
    run = engine_of(name, table)
    resolved = run.resolved

    knowable = [row["ID"] for row in mappings if view.is_knowable(row)]
    applicable = [row["ID"] for row in mappings if view.is_applicable(row)]
    selected = [row["ID"] for row in view.select(mappings)]
    assert table.filter(view.knowable_mask(table)).column("ID").to_pylist() == knowable
    assert table.filter(view.applicable_mask(table)).column("ID").to_pylist() == applicable
    assert table.filter(view.selected_mask(table)).column("ID").to_pylist() == selected

    known = [view.known(row) for row in mappings if row["ID"] in set(knowable)]
    assert view.known_table(table).to_pylist() == known
    assert run.rows(known_view(resolved, cutoff, "duckdb", proxies=proxies)) == known
    where = predicate_sql(view.applicable, "duckdb")
    assert [row["ID"] for row in run.rows(f"SELECT * FROM {name} WHERE {where}")] == applicable
    chosen = run.rows(selected_view(resolved, cutoff, "duckdb", proxies=proxies, rule=rule))
    assert [row["ID"] for row in chosen] == selected
    normal = run.rows(normal_view(resolved, cutoff, "duckdb", proxies=proxies, rule=rule))
    unknown = set(table.column("ID").to_pylist()) - set(knowable)
    assert [row["ID"] for row in normal] == sorted(unknown | set(selected))
    assert all(row == mappings[row["ID"]] for row in normal)  # rows are dropped, never changed


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(a_row, max_size=12), cutoff=cutoffs)
def test_the_answer_is_that_of_the_rules_written_out(rows, cutoff) -> None:
    """`plain`: INDATE <= D and (OUTDATE NULL or OUTDATE >= D, inclusive), by day, at both boundaries."""
    table = as_table(rows)
    view = AsOf(CATALOG.table("plain"), cutoff)
    for row in table.to_pylist():
        expected = row["A"] is not None and row["A"].date() <= cutoff.day
        if row["B"] is not None:
            expected = expected and row["B"].date() >= cutoff.day
        assert view.is_applicable(row) is expected


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(a_row, max_size=12), cutoff=cutoffs)
def test_the_selection_is_that_of_the_rules_written_out(rows, cutoff) -> None:
    """`rows`: PUB < c, A <= D; latest by PUB, INS; then not (B <= D and BPUB < c), 2024-03-31 meaning open."""
    limit = datetime.combine(cutoff.day, time()) + timedelta(days=cutoff.boundary == "eod")
    mappings = as_table(rows).to_pylist()
    lowest = datetime.fromisoformat("0001-01-01")
    chosen = []
    for key in ("x", "y", None):
        group = [
            row for row in mappings
            if row["K"] == key and row["PUB"] is not None and row["PUB"] < limit
            and row["A"] is not None and row["A"].date() <= cutoff.day
        ]  # fmt: skip
        if not group:
            continue
        top = max((row["PUB"], row["INS"] or lowest) for row in group)
        for row in group:
            ended = (
                row["B"] is not None and row["B"] != OPEN and row["B"].date() <= cutoff.day
                and row["BPUB"] is not None and row["BPUB"] < limit
            )  # fmt: skip
            if (row["PUB"], row["INS"] or lowest) == top and not ended:
                chosen.append(row["ID"])
    view = AsOf(CATALOG.table("rows"), cutoff)
    assert [row["ID"] for row in view.select(mappings)] == sorted(chosen)


class _Run:
    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
        self.connection = connection
        connection.register("given", table)
        connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        columns = tuple(ColumnInfo(field.name, "", field.type, True) for field in SCHEMA)
        self.resolved = resolve_table(CATALOG, TableInfo(name, "main", columns, None))

    def rows(self, sql: str) -> list[dict]:
        result = self.connection.sql(sql).to_arrow_table()
        assert result.schema.types == SCHEMA.types
        return sorted(result.to_pylist(), key=lambda row: row["ID"])


@pytest.fixture(scope="module")
def engine_of():
    with duckdb.connect() as connection:
        yield lambda name, table: _Run(connection, name, table)


def grid() -> pa.Table:
    """Every boundary day of every date, with a NULL, for two keys."""
    days = [
        datetime.combine(D + timedelta(days=n), clock) for n in (-1, 0, 1) for clock in (time(), time(9, 30))
    ]
    values = [*days, None]
    rows = [(("x", "y")[(i + j) % 2], p, values[(i + j) % 7], values[(2 * i) % 7], values[(3 * i + j) % 7],
             values[(i + 2 * j) % 7], "w") for i, p in enumerate(values) for j in range(7)]  # fmt: skip
    return as_table(rows)


@pytest.mark.servers
@pytest.mark.parametrize("server_name", ["mariadb", "postgres"])
def test_servers_give_the_same_answer(server_name: str, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue(server_name)
    table = grid()
    mappings = table.to_pylist()
    with server.database("as_of") as database:
        load_server(server, database, {"rows": table})
        with connect(server.reader_url(database)) as opened:
            resolved = resolve_table(CATALOG, opened.tables()[0])
            for boundary in ("eod", "pre"):
                cutoff = Cutoff(D, boundary)
                view = AsOf(CATALOG.table("rows"), cutoff)
                expected = [view.known(row) for row in mappings if view.is_knowable(row)]
                got = opened.query(known_view(resolved, cutoff, opened.dialect)).table
                assert by_id(got) == expected
                got = opened.query(selected_view(resolved, cutoff, opened.dialect)).table
                assert by_id(got) == view.select(mappings)
                got = opened.query(normal_view(resolved, cutoff, opened.dialect)).table
                kept = {row["ID"] for row in view.select(mappings)}
                assert by_id(got) == [r for r in mappings if r["ID"] in kept or not view.is_knowable(r)]
                assert 0 < len(kept) < len(expected) < len(mappings)


def by_id(table: pa.Table) -> list[dict]:
    return sorted(table.to_pylist(), key=lambda row: row["ID"])


def test_a_view_takes_the_place_of_its_table(tmp_path: Path) -> None:
    """K_c is an overlay: a program that reads the table sees what was known and nothing else."""
    with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
        connection.register("given", grid())
        connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    with connect(tmp_path / "m.duckdb") as database:
        view = known_view(resolve_table(CATALOG, database.tables()[0]), Cutoff(D, "pre"), "duckdb")
    with connect(tmp_path / "m.duckdb", overlays={"rows": view}) as database:
        result = database.query("SELECT max(PUB) AS latest, count(FLAG) AS flags FROM rows").table.to_pylist()
    assert result == [{"latest": datetime.fromisoformat("2024-02-28 09:30"), "flags": 0}]


def test_a_catalog_column_that_the_table_lacks_is_named_with_its_line(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
        connection.execute("CREATE TABLE plain (k INTEGER, a DATE, b DATE)")
    catalog = parse_catalog(
        "catalog: c\nversion: '1'\ntables:\n  plain:\n    kind: event\n    columns:\n      K: key\n      OTHER: key\n",
        "c.yaml",
    )
    with connect(tmp_path / "m.duckdb") as database, pytest.raises(InputError) as refused:
        resolve_table(catalog, database.tables()[0])
    assert "lists the column OTHER, which the table plain does not have" in str(refused.value)
    assert "at c.yaml:8:7" in str(refused.value)
    assert "Columns: k, a, b." in str(refused.value)

"""Arrow tables into every engine, by each engine's own bulk loader."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from support.servers import Server


def write_duckdb(path: Path, tables: Mapping[str, pa.Table], *statements: str) -> str:
    """Write a DuckDB file and return its URL; extra statements (keys, views) run at the end."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        for name, table in tables.items():
            connection.register("source", table)
            connection.execute(f'CREATE TABLE "{name}" AS FROM source')
            connection.unregister("source")
        for statement in statements:
            connection.execute(statement)
    return f"duckdb:///{path}"


def read_duckdb(url: str, *names: str, lower: bool = False) -> dict[str, pa.Table]:
    """Read tables of a DuckDB file; with the names of their columns in small letters, as PostgreSQL has them."""
    import duckdb

    with duckdb.connect(url.removeprefix("duckdb:///"), read_only=True) as source:
        tables = {name: source.sql(f'FROM "{name}"').to_arrow_table() for name in names}
    if lower:
        tables = {n: t.rename_columns([c.lower() for c in t.column_names]) for n, t in tables.items()}
    return tables


def write_parquet(folder: Path, tables: Mapping[str, pa.Table]) -> str:
    """Write a folder of Parquet files."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    return str(folder)


def write_csv(folder: Path, tables: Mapping[str, pa.Table]) -> str:
    """Write a folder of CSV files, the first of them compressed."""
    import gzip

    folder.mkdir(parents=True, exist_ok=True)
    for index, (name, table) in enumerate(tables.items()):
        text = _csv(table, null="")
        if index == 0:
            (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"{name}.csv").write_text(text)
    return str(folder)


def load_server(server: Server, database: str, tables: Mapping[str, pa.Table]) -> None:
    """Create the tables on a server and fill them: LOAD DATA LOCAL INFILE, or COPY."""
    for name, table in tables.items():
        quote = "`" if server.kind == "mariadb" else '"'
        columns = ", ".join(
            f"{quote}{f.name}{quote} {_server_type(f.type, server.kind)}" for f in table.schema
        )
        server.execute(f"CREATE TABLE {quote}{name}{quote} ({columns})", database=database)
        if server.kind == "mariadb":
            _load_mariadb(server, database, name, table)
        else:
            _load_postgres(server, database, name, table)


def _load_mariadb(server: Server, database: str, name: str, table: pa.Table) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8", newline="") as file:
        file.write(_csv(table, null="\\N", header=False, booleans=("1", "0")))
        file.flush()
        server.execute(
            f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE `{name}` CHARACTER SET utf8mb4"
            " FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n'",
            database=database,
        )


def _load_postgres(server: Server, database: str, name: str, table: pa.Table) -> None:
    import psycopg

    with psycopg.connect(**server.driver_arguments(database)) as connection, connection.cursor() as cursor:
        with cursor.copy(f"""COPY "{name}" FROM STDIN (FORMAT csv, NULL '\\N')""") as copy:
            copy.write(_csv(table, null="\\N", header=False))
        cursor.execute(f'ANALYZE "{name}"')


def _csv(
    table: pa.Table, *, null: str, header: bool = True, booleans: tuple[str, str] = ("true", "false")
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(table.column_names)
    columns = [[_text(value, null, booleans) for value in column.to_pylist()] for column in table.columns]
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue()


def _text(value: object, null: str, booleans: tuple[str, str]) -> str:
    if value is None:
        return null
    if isinstance(value, bool):
        return booleans[0] if value else booleans[1]
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return repr(value) if isinstance(value, float) else str(value)


def _server_type(type_: pa.DataType, kind: str) -> str:
    mysql = kind == "mariadb"
    if pa.types.is_decimal(type_):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    names = {
        pa.int8(): "SMALLINT",
        pa.int16(): "SMALLINT",
        pa.int32(): "INT",
        pa.int64(): "BIGINT",
        pa.float32(): "DOUBLE" if mysql else "DOUBLE PRECISION",
        pa.float64(): "DOUBLE" if mysql else "DOUBLE PRECISION",
        pa.bool_(): "BOOLEAN",
        pa.date32(): "DATE",
        pa.timestamp("us"): "DATETIME(6)" if mysql else "TIMESTAMP",
        pa.string(): "VARCHAR(200)",
    }
    return names[type_]

"""The rows of ``pg_catalog`` and ``information_schema``: tables, columns, types, primary keys, comments.

Object ids are made up and stable: a table is 16384 plus ten times its number, the index of its primary key one more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from finassay.execution._wire._catalog import flat_columns, make_table
from finassay.execution._wire._postgres_rows import oid_of

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import ColumnInfo, TableInfo
    from finassay.execution._wire._session import Session

_SCHEMA_ID, _CATALOG_ID, _INFORMATION_ID = 2200, 11, 13000
_CLASS = 1259
# Object id, short name, name in full, category, array's object id: from the table pg_type of PostgreSQL 15.
_TYPES = (
    (16, "bool", "boolean", "B", 1000), (17, "bytea", "bytea", "U", 1001), (20, "int8", "bigint", "N", 1016),
    (21, "int2", "smallint", "N", 1005), (23, "int4", "integer", "N", 1007), (25, "text", "text", "S", 1009),
    (114, "json", "json", "U", 199), (700, "float4", "real", "N", 1021),
    (701, "float8", "double precision", "N", 1022), (1042, "bpchar", "character", "S", 1014),
    (1043, "varchar", "character varying", "S", 1015), (1082, "date", "date", "D", 1182),
    (1083, "time", "time without time zone", "D", 1183),
    (1114, "timestamp", "timestamp without time zone", "D", 1115),
    (1184, "timestamptz", "timestamp with time zone", "D", 1185), (1186, "interval", "interval", "T", 1187),
    (1700, "numeric", "numeric", "N", 1231), (2950, "uuid", "uuid", "U", 2951),
)  # fmt: skip
_BY_NAME = {name: oid for oid, short, full, _, _ in _TYPES for name in (short, full)}

MACROS = r"""
CREATE MACRO format_type(kind, modifier) AS
  (SELECT any_value(f.format) FROM pg__types f WHERE f.oid = kind) || CASE
    WHEN modifier IS NULL OR modifier < 4 THEN ''
    WHEN kind = 1700 THEN '(' || ((modifier - 4) >> 16) || ',' || ((modifier - 4) & 65535) || ')'
    WHEN kind IN (1042, 1043) THEN '(' || (modifier - 4) || ')'
    ELSE '' END;
"""

# Columns that reflection and people use; "i" is a number, "b" a boolean, "t" text, "a" an array of numbers.
_COLUMNS = {
    "pg_namespace": "oid:i nspname:t nspowner:i",
    "pg_class": "oid:i relname:t relnamespace:i relkind:t relpersistence:t relam:i reltablespace:i reltuples:i "
    "relhasindex:b relnatts:i relispartition:b reloptions:t relowner:i relrowsecurity:b reltype:i",
    "pg_attribute": "attrelid:i attname:t atttypid:i atttypmod:i attnum:i attnotnull:b atthasdef:b attisdropped:b "
    "attidentity:t attgenerated:t attcollation:i attndims:i attlen:i",
    "pg_type": "oid:i typname:t typnamespace:i typtype:t typcategory:t typarray:i typelem:i typdelim:t typcollation:i "
    "typrelid:i typbasetype:i typnotnull:b typtypmod:i typdefault:t typinput:t",
    "pg_constraint": "oid:i conname:t connamespace:i contype:t conrelid:i conindid:i confrelid:i contypid:i conkey:a "
    "convalidated:b",
    "pg_index": "indexrelid:i indrelid:i indnatts:i indnkeyatts:i indisunique:b indisprimary:b indisvalid:b "
    "indnullsnotdistinct:b indkey:a indclass:a indoption:a indpred:t indexprs:t",
    "pg_description": "objoid:i classoid:i objsubid:i description:t",
    "pg_attrdef": "oid:i adrelid:i adnum:i adbin:t",
    "pg_sequence": "seqrelid:i seqtypid:i seqstart:i seqincrement:i seqmax:i seqmin:i seqcache:i seqcycle:b",
    "pg_collation": "oid:i collname:t collnamespace:i",
    "pg_am": "oid:i amname:t",
    "pg_opclass": "oid:i opcname:t opcdefault:b",
    "pg_inherits": "inhrelid:i inhparent:i inhseqno:i",
    "pg_tablespace": "oid:i spcname:t",
    "pg_enum": "oid:i enumtypid:i enumlabel:t enumsortorder:i",
    "pg_database": "oid:i datname:t",
    "pg_roles": "oid:i rolname:t",
    "pg_tables": "schemaname:t tablename:t tableowner:t tablespace:t hasindexes:b",
    "pg_views": "schemaname:t viewname:t viewowner:t definition:t",
    "tables": "table_catalog:t table_schema:t table_name:t table_type:t",
    "views": "table_catalog:t table_schema:t table_name:t view_definition:t",
    "schemata": "catalog_name:t schema_name:t schema_owner:t",
    "columns": "table_catalog:t table_schema:t table_name:t column_name:t ordinal_position:i column_default:t "
    "is_nullable:t data_type:t character_maximum_length:i numeric_precision:i numeric_scale:i udt_name:t",
    "table_constraints": "constraint_catalog:t constraint_schema:t constraint_name:t table_catalog:t table_schema:t "
    "table_name:t constraint_type:t",
    "key_column_usage": "constraint_catalog:t constraint_schema:t constraint_name:t table_catalog:t table_schema:t "
    "table_name:t column_name:t ordinal_position:i",
}
TABLES = frozenset(
    f"{'pg_catalog' if name.startswith('pg_') else 'information_schema'}.{name}" for name in _COLUMNS
)


class PgTables:
    """Build the tables that a question needs."""

    def __init__(self, session: Session, schema: str, database: str) -> None:
        self._tables = list(session.tables())
        self._engine = session.engine
        self._schema = schema
        self._database = database

    def table(self, name: str) -> pa.Table:
        """Return one of the server's own tables."""
        rows: list[Any] = getattr(self, f"_rows_{name}", list)()
        return make_table([_column(item) for item in _COLUMNS[name].split()], rows)

    def types(self) -> pa.Table:
        """Return object ids with the names that ``format_type`` gives."""
        arrays = [(array, f"{full}[]") for _, _, full, _, array in _TYPES]
        return make_table(
            [_column("oid:i"), _column("format:t")], [(row[0], row[2]) for row in _TYPES] + arrays
        )

    def object_id(self, name: str) -> int | None:
        """Return the object id of a table by its name, with or without schema."""
        bare = name.rsplit(".", 1)[-1].strip('"').lower()
        numbers = [number for number, table in enumerate(self._tables, 1) if table.name.lower() == bare]
        return _id(numbers[0]) if numbers else None

    def type_id(self, name: str) -> int | None:
        """Return the object id of a type by its name."""
        return _BY_NAME.get(name.strip().strip('"').lower())

    def _keyed(self) -> list[tuple[int, TableInfo]]:
        return [(number, table) for number, table in enumerate(self._tables, 1) if table.primary_key]

    def _rows_pg_namespace(self) -> list[tuple[Any, ...]]:
        names = (
            (_CATALOG_ID, "pg_catalog"),
            (_INFORMATION_ID, "information_schema"),
            (_SCHEMA_ID, self._schema),
        )
        return [(oid, name, 10) for oid, name in names]

    def _rows_pg_class(self) -> list[tuple[Any, ...]]:
        rest = ("p", 2, 0)
        tables = [
            (_id(number), table.name, _SCHEMA_ID, "v" if table.kind == "view" else "r", *rest, table.rows or -1,
             bool(table.primary_key), len(table.columns), False, None, 10, False, 0)
            for number, table in enumerate(self._tables, 1)
        ]  # fmt: skip
        indexes = [
            (_id(number) + 1, f"{table.name}_pkey", _SCHEMA_ID, "i", "p", 403, 0, -1, False, len(table.primary_key),
             False, None, 10, False, 0)
            for number, table in self._keyed()
        ]  # fmt: skip
        return tables + indexes

    def _rows_pg_attribute(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for number, _, position, column in flat_columns(self._tables):
            oid, modifier = self._type(column)
            rows.append(
                (
                    _id(number),
                    column.name,
                    oid,
                    modifier,
                    position,
                    not column.nullable,
                    False,
                    False,
                    "",
                    "",
                    0,
                    0,
                    -1,
                )
            )
        return rows

    def _rows_pg_type(self) -> list[tuple[Any, ...]]:
        plain = [
            (oid, short, _CATALOG_ID, "b", category, array, 0, ",", 0, 0, 0, False, -1)
            for oid, short, _, category, array in _TYPES
        ]
        arrays = [
            (array, f"_{short}", _CATALOG_ID, "b", "A", 0, oid, ",", 0, 0, 0, False, -1)
            for oid, short, _, _, array in _TYPES
        ]
        return plain + arrays

    def _rows_pg_constraint(self) -> list[tuple[Any, ...]]:
        return [
            (
                _id(number) + 2,
                f"{table.name}_pkey",
                _SCHEMA_ID,
                "p",
                _id(number),
                _id(number) + 1,
                0,
                0,
                _key(table),
                True,
            )
            for number, table in self._keyed()
        ]

    def _rows_pg_index(self) -> list[tuple[Any, ...]]:
        rows = []
        for number, table in self._keyed():
            count = len(table.primary_key)
            zeros = [0] * count
            rows.append(
                (
                    _id(number) + 1,
                    _id(number),
                    count,
                    count,
                    True,
                    True,
                    True,
                    False,
                    _key(table),
                    zeros,
                    zeros,
                )
            )
        return rows

    def _rows_pg_description(self) -> list[tuple[Any, ...]]:
        return [
            (_id(number), _CLASS, position, column.comment)
            for number, _, position, column in flat_columns(self._tables)
            if column.comment
        ]

    def _rows_pg_am(self) -> list[tuple[Any, ...]]:
        return [(2, "heap"), (403, "btree")]

    def _rows_pg_database(self) -> list[tuple[Any, ...]]:
        return [(5, self._database)]

    def _rows_pg_tables(self) -> list[tuple[Any, ...]]:
        return [
            (self._schema, table.name, "research", None, bool(table.primary_key))
            for table in self._tables
            if table.kind == "table"
        ]

    def _rows_pg_views(self) -> list[tuple[Any, ...]]:
        return [(self._schema, table.name, "research", "") for table in self._tables if table.kind == "view"]

    def _rows_schemata(self) -> list[tuple[Any, ...]]:
        return [(self._database, name, "research") for _, name, _ in self._rows_pg_namespace()]

    def _rows_tables(self) -> list[tuple[Any, ...]]:
        kinds = {"table": "BASE TABLE", "view": "VIEW"}
        return [(self._database, self._schema, table.name, kinds[table.kind]) for table in self._tables]

    def _rows_views(self) -> list[tuple[Any, ...]]:
        return [
            (self._database, self._schema, table.name, "") for table in self._tables if table.kind == "view"
        ]

    def _rows_columns(self) -> list[tuple[Any, ...]]:
        rows = []
        for _, table, position, column in flat_columns(self._tables):
            oid, modifier = self._type(column)
            short, full = next((row[1], row[2]) for row in _TYPES if row[0] == oid)
            known = modifier >= 4
            precision, scale = (
                ((modifier - 4) >> 16, (modifier - 4) & 0xFFFF) if known and oid == 1700 else (None, None)
            )
            length = modifier - 4 if known and oid in (1042, 1043) else None
            rows.append(
                (self._database, self._schema, table.name, column.name, position, None,
                 "YES" if column.nullable else "NO", full, length, precision, scale, short)
            )  # fmt: skip
        return rows

    def _rows_table_constraints(self) -> list[tuple[Any, ...]]:
        place = (self._database, self._schema)
        return [
            (*place, f"{table.name}_pkey", *place, table.name, "PRIMARY KEY") for _, table in self._keyed()
        ]

    def _rows_key_column_usage(self) -> list[tuple[Any, ...]]:
        place = (self._database, self._schema)
        return [
            (*place, f"{table.name}_pkey", *place, table.name, name, at)
            for _, table in self._keyed()
            for at, name in enumerate(table.primary_key, 1)
        ]

    def _type(self, column: ColumnInfo) -> tuple[int, int]:
        """Return the object id and modifier of a column's type: the server's own where it is PostgreSQL."""
        if self._engine == "postgres":
            found = re.fullmatch(
                r"([a-z ]+?)(?:\((\d+)(?:,(\d+))?\))?((?: without| with) time zone)?", column.type.lower()
            )
            oid = _BY_NAME.get(f"{found[1]}{found[4] or ''}") if found else None
            if found and oid is not None:
                modifier = _modifier(oid, found[2], found[3])
                return oid, modifier
        return oid_of(column.arrow_type) if column.type.lower() != "uuid" else (2950, -1)


def _modifier(oid: int, first: str | None, second: str | None) -> int:
    if first is None:
        return -1
    if oid == 1700:
        return ((int(first) << 16) | int(second or 0)) + 4
    return int(first) + 4 if oid in (1042, 1043) else -1


def _id(number: int) -> int:
    return 16384 + 10 * number


def _key(table: TableInfo) -> list[int]:
    names = [column.name for column in table.columns]
    return [names.index(name) + 1 for name in table.primary_key]


def _column(spelled: str) -> tuple[str, Any]:
    import pyarrow as pa

    name, _, code = spelled.partition(":")
    return name, {"i": pa.int64(), "b": pa.bool_(), "t": pa.string(), "a": pa.list_(pa.int64())}[code]

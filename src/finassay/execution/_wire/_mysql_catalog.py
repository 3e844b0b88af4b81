"""MySQL's ``information_schema``, its server variables and functions about itself, from the described tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from finassay.execution._wire._catalog import flat_columns, make_table, own_tables, point_to, run_in_memory

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import ColumnInfo
    from finassay.execution._wire._session import Session

_USER = "research@localhost"


class MySqlCatalog:
    """Answer a statement that asks about the server or its schema only."""

    def __init__(self, session: Session, database: str, settings: Mapping[str, str | int]) -> None:
        self._session = session
        self._database = database
        self._settings = settings

    def answer(self, sql: str) -> pa.Table | None:
        """Return the answer, or None where the statement reads the database's own tables."""
        import sqlglot

        try:
            tree = sqlglot.parse_one(sql, read="mysql")
        except sqlglot.errors.SqlglotError:
            return None
        described = self._tables() if "information_schema" in sql.lower() else {}
        tables = own_tables(tree, {name.replace("__", ".") for name in described})
        if tables is None or self._asks_for_unknown_settings(tree):
            return None
        self._localise(tree, sql)
        wanted = point_to(tables, tree, "information_schema")
        return run_in_memory(tree.sql(dialect="duckdb"), {name: described[name] for name in wanted})

    def _asks_for_unknown_settings(self, tree: Any) -> bool:
        from sqlglot import exp

        return any(node.name.lower() not in self._settings for node in tree.find_all(exp.SessionParameter))

    def _localise(self, tree: Any, sql: str) -> None:
        """Name the outputs as MySQL does and put in what the server knows."""
        from sqlglot import exp

        select = tree.find(exp.Select)
        if select is not None:
            select.set("expressions", [_named(item, sql) for item in select.expressions])
        for node in list(tree.find_all(exp.SessionParameter, exp.Func, exp.Column)):
            value = self._known(node)
            if value is not None:
                node.replace(
                    exp.Literal.number(value) if isinstance(value, int) else exp.Literal.string(value)
                )

    def _known(self, node: Any) -> str | int | None:
        from sqlglot import exp

        if isinstance(node, exp.SessionParameter):
            return self._settings[node.name.lower()]
        known: dict[str, str | int] = {
            "database": self._database,
            "schema": self._database,
            "version": str(self._settings["version"]),
            "user": _USER,
            "current_user": _USER,
            "session_user": _USER,
            "system_user": _USER,
            "connection_id": 1,
        }
        if isinstance(node, exp.Column):
            return _USER if node.name.lower() == "current_user" else None
        spelled = re.match(r"\w+", node.sql(dialect="mysql"))
        return None if node.args.get("expressions") or not spelled else known.get(spelled[0].lower())

    def _tables(self) -> dict[str, pa.Table]:
        tables = self._session.tables()
        catalog, schema = "def", self._database
        keys = [(table, name, at) for table in tables for at, name in enumerate(table.primary_key, 1)]
        rows: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {
            "schemata": (
                ["CATALOG_NAME", "SCHEMA_NAME", "DEFAULT_CHARACTER_SET_NAME", "DEFAULT_COLLATION_NAME"],
                [(catalog, name, "utf8mb4", "utf8mb4_general_ci") for name in ("information_schema", schema)],
            ),
            "tables": (
                [
                    "TABLE_CATALOG",
                    "TABLE_SCHEMA",
                    "TABLE_NAME",
                    "TABLE_TYPE",
                    "ENGINE",
                    "TABLE_ROWS",
                    "TABLE_COMMENT",
                ],
                [
                    (catalog, schema, table.name, _table_type(table.kind), "InnoDB", table.rows, "")
                    for table in tables
                ],
            ),
            "columns": (_COLUMN_HEADS, [self._column(*item) for item in flat_columns(tuple(tables))]),
            "key_column_usage": (
                [
                    "CONSTRAINT_SCHEMA",
                    "CONSTRAINT_NAME",
                    "TABLE_SCHEMA",
                    "TABLE_NAME",
                    "COLUMN_NAME",
                    "ORDINAL_POSITION",
                    "REFERENCED_TABLE_SCHEMA",
                    "REFERENCED_TABLE_NAME",
                    "REFERENCED_COLUMN_NAME",
                ],
                [
                    (schema, "PRIMARY", schema, table.name, name, at, None, None, None)
                    for table, name, at in keys
                ],
            ),
            "table_constraints": (
                ["CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", "TABLE_SCHEMA", "TABLE_NAME", "CONSTRAINT_TYPE"],
                [
                    (schema, "PRIMARY", schema, table.name, "PRIMARY KEY")
                    for table in tables
                    if table.primary_key
                ],
            ),
            "statistics": (
                ["TABLE_SCHEMA", "TABLE_NAME", "NON_UNIQUE", "INDEX_NAME", "SEQ_IN_INDEX", "COLUMN_NAME"],
                [(schema, table.name, 0, "PRIMARY", at, name) for table, name, at in keys],
            ),
            "views": (
                ["TABLE_SCHEMA", "TABLE_NAME", "VIEW_DEFINITION"],
                [(schema, table.name, "") for table in tables if table.kind == "view"],
            ),
        }
        return {
            f"information_schema__{name}": make_table([(head, _type(head)) for head in heads], values)
            for name, (heads, values) in rows.items()
        }

    def _column(self, _number: int, table: Any, position: int, column: ColumnInfo) -> tuple[Any, ...]:
        kind = mysql_type(column, self._session.engine)
        digits = re.search(r"\((\d+)(?:,(\d+))?\)", kind)
        base = re.match(r"\w+", kind)
        data_type = base[0] if base else kind
        text = data_type in ("char", "varchar")
        decimal = data_type == "decimal"
        return (
            "def",
            self._database,
            table.name,
            column.name,
            position,
            None,
            "YES" if column.nullable else "NO",
            data_type,
            int(digits[1]) if digits and text else None,
            int(digits[1]) if digits and decimal else None,
            int(digits[2] or 0) if digits and decimal else None,
            kind,
            "PRI" if column.name in table.primary_key else "",
            "",
            column.comment,
        )


_COLUMN_HEADS = [
    "TABLE_CATALOG",
    "TABLE_SCHEMA",
    "TABLE_NAME",
    "COLUMN_NAME",
    "ORDINAL_POSITION",
    "COLUMN_DEFAULT",
    "IS_NULLABLE",
    "DATA_TYPE",
    "CHARACTER_MAXIMUM_LENGTH",
    "NUMERIC_PRECISION",
    "NUMERIC_SCALE",
    "COLUMN_TYPE",
    "COLUMN_KEY",
    "EXTRA",
    "COLUMN_COMMENT",
]
_NUMBERS = {
    "ORDINAL_POSITION",
    "CHARACTER_MAXIMUM_LENGTH",
    "NUMERIC_PRECISION",
    "NUMERIC_SCALE",
    "TABLE_ROWS",
    "NON_UNIQUE",
    "SEQ_IN_INDEX",
}


def mysql_type(column: ColumnInfo, engine: str) -> str:
    """Return a column's type as MariaDB writes it: its own there, else the one that holds the same values."""
    import pyarrow as pa

    if engine == "mysql":
        return str(column.type)
    kind, kinds = column.arrow_type, pa.types
    if kinds.is_boolean(kind):
        return "tinyint(1)"
    if kinds.is_integer(kind):
        name = {8: "tinyint(4)", 16: "smallint(6)", 32: "int(11)", 64: "bigint(20)"}[kind.bit_width]
        return f"{name} unsigned" if kinds.is_unsigned_integer(kind) else name
    if kinds.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_floating(kind):
        return "double" if kinds.is_float64(kind) else "float"
    if kinds.is_timestamp(kind):
        return "datetime"
    simple = {
        "date": kinds.is_date,
        "time": kinds.is_time,
        "blob": kinds.is_binary,
        "longblob": kinds.is_large_binary,
    }
    return next((name for name, holds in simple.items() if holds(kind)), "text")


def _table_type(kind: str) -> str:
    return "VIEW" if kind == "view" else "BASE TABLE"


def _type(head: str) -> pa.DataType:
    import pyarrow as pa

    return pa.int64() if head in _NUMBERS else pa.string()


def _named(item: Any, sql: str) -> Any:
    """Alias an output with its own text, as MySQL names it."""
    from sqlglot import exp

    if isinstance(item, exp.Alias | exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    ):
        return item
    name = item.name if isinstance(item, exp.Column) else item.sql(dialect="mysql")
    if name == "SCHEMA()" and (spelled := re.search(r"\bdatabase\s*\(\s*\)", sql, re.IGNORECASE)):
        name = spelled[0]  # the parser takes one for the other
    return exp.alias_(item.copy(), name, quoted=True)

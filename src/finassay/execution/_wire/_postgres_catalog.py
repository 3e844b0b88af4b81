"""``pg_catalog`` and ``information_schema`` from the described tables: enough for reflection and people.

A query over these schemas is translated to DuckDB and runs over small Arrow tables, whatever the database underneath:
a reflected table is then the one that is served, overlays included, and nothing else of a real server shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from finassay.execution._wire._catalog import own_tables, point_to, run_in_memory
from finassay.execution._wire._postgres_tables import MACROS, TABLES, PgTables

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._wire._session import Session

# Functions whose answer is nothing here: no defaults, sequences, foreign keys or expression indexes are described.
_NOTHING = {
    "json_build_object", "pg_get_constraintdef", "pg_get_expr", "pg_get_indexdef", "pg_get_serial_sequence",
    "pg_get_viewdef", "obj_description", "col_description", "shobj_description",
}  # fmt: skip
_TRUE = {"pg_collation_is_visible", "pg_table_is_visible", "pg_type_is_visible", "has_schema_privilege",
         "has_table_privilege", "has_column_privilege"}  # fmt: skip
_CLASSES = {"pg_class": 1259, "pg_constraint": 2606, "pg_type": 1247, "pg_namespace": 2615}


class PostgresCatalog:
    """Answer a statement that asks about the server or its schema only.

    Attributes
    ----------
    schema : str
        The schema that tables are shown in: the server's own, or ``public`` where the engine is another.
    """

    def __init__(self, session: Session, database: str, user: str, settings: Mapping[str, str]) -> None:
        self._session = session
        self._database = database
        self._user = user
        self._settings = settings
        self.schema = session.schema if session.engine == "postgres" else "public"

    def answer(self, sql: str) -> pa.Table | None:
        """Return the answer, or None where the statement reads the database's own tables."""
        import sqlglot

        try:
            tree = sqlglot.parse_one(sql, read="postgres")
        except sqlglot.errors.SqlglotError:
            return None
        tables = own_tables(tree, TABLES, "pg_catalog")
        if tables is None or self._asks_for_unknown_settings(tree):
            return None
        wanted = point_to(tables, tree, "pg_catalog")
        described = PgTables(self._session, self.schema, self._database)
        for node in reversed(list(tree.dfs())):  # from the leaves up
            changed = self._localised(node, described)
            if changed is not node:
                node.replace(changed)
        named = {name: described.table(name.split("__", 1)[1]) for name in wanted}
        return run_in_memory(tree.sql(dialect="duckdb"), {**named, "pg__types": described.types()}, MACROS)

    def _asks_for_unknown_settings(self, tree: Any) -> bool:
        from sqlglot import exp

        asked = [call for call in tree.find_all(exp.Anonymous) if call.name.lower() == "current_setting"]
        return any(self._text(call).lower() not in self._settings for call in asked)

    def _localised(self, node: Any, described: PgTables) -> Any:
        """Put in what the server knows; take out what DuckDB cannot read and no answer needs."""
        from sqlglot import exp

        if isinstance(node, exp.Dot) and node.this.sql().lower() == "pg_catalog":
            return node.expression
        if isinstance(node, exp.Cast) and node.to.sql(dialect="postgres").lower() in (
            "regclass",
            "regtype",
            "oid",
            "name",
        ):
            return self._object_id(node, described)
        if isinstance(node, exp.Cast) and node.to.sql(dialect="postgres").lower() == '"char"':
            return exp.cast(node.this, "varchar")
        if (
            isinstance(node, exp.Column)
            and not node.table
            and node.name.lower() in ("session_user", "current_role")
        ):
            return exp.Literal.string(self._user)
        if isinstance(node, exp.Collate):  # psql names PostgreSQL's default
            return node.this
        if isinstance(node, exp.Operator) and node.text("operator").endswith(".~"):
            return exp.RegexpLike(this=node.this, expression=node.expression)
        return self._function(node, described) if isinstance(node, exp.Func) else node

    def _function(self, node: Any, described: PgTables) -> Any:
        from sqlglot import exp

        spelled = re.match(r"\w+", node.sql(dialect="postgres"))
        name = spelled[0].lower() if spelled else ""
        if name in _NOTHING:
            return exp.Null()
        if name in _TRUE:
            return exp.true()
        if name in ("to_regclass", "to_regtype"):
            known = (
                described.object_id(self._text(node))
                if name == "to_regclass"
                else described.type_id(self._text(node))
            )
            return exp.Null() if known is None else exp.Literal.number(known)
        if name == "current_setting":
            return exp.Literal.string(self._settings[self._text(node).lower()])
        known_texts = {
            "version": f"PostgreSQL {self._settings['server_version']} (finassay)",
            "current_schema": self.schema,
            "current_database": self._database,
            "current_catalog": self._database,
            "current_user": self._user,
            "session_user": self._user,
            "current_role": self._user,
            "pg_get_userbyid": self._user,
        }
        if name not in known_texts:
            return node
        literal = exp.Literal.string(known_texts[name])
        return exp.alias_(literal, name) if isinstance(node.parent, exp.Select) else literal

    def _text(self, call: Any) -> str:
        """Return the first argument of a call where it is a literal."""
        from sqlglot import exp

        found = call.find(exp.Literal)
        return found.this if found is not None else ""

    def _object_id(self, cast: Any, described: PgTables) -> Any:
        from sqlglot import exp

        inner, kind = cast.this, cast.to.sql(dialect="postgres").lower()
        if kind == "name" or not (isinstance(inner, exp.Literal) and inner.is_string):
            return inner
        known = _CLASSES.get(inner.this.removeprefix("pg_catalog."))
        if known is None:
            known = described.type_id(inner.this) if kind == "regtype" else described.object_id(inner.this)
        return exp.Null() if known is None else exp.Literal.number(known)

"""FROM: tables, derived tables and joins, and the names they bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from finassay.database._mysql._compare import compare
from finassay.database._mysql._convert import CannotConvert
from finassay.database._mysql._expressions import opaque_column
from finassay.database._mysql._scope import Context, Keys, Query, Relation, Scope
from finassay.database._mysql._values import Value, column_type, name
from finassay.database._places import unknown_table

if TYPE_CHECKING:
    from finassay.database._mysql._query import Queries

_JOIN_PARTS = {"this", "on", "using", "method", "side", "kind"}


def column_value(qualifier: str, column: str, declared: str) -> Value:
    """Return a column of a table as a value of MySQL's type, held as the type we compute with."""
    kind = column_type(declared)
    sql = f"{name(qualifier)}.{name(column)}"
    if kind is None:
        return opaque_column(sql)
    lowered = declared.strip().lower()
    if kind.kind in {"int", "uint"} and not lowered.startswith(("bigint", "ubigint", "int8")):
        sql = f"CAST({sql} AS {kind.duckdb})"
    if kind.kind == "datetime" and lowered not in {"timestamp", "datetime"}:
        sql = f"CAST({sql} AS TIMESTAMP)"
    if kind.members or lowered == "json":
        sql = f"CAST({sql} AS VARCHAR)"
    if kind.origin == "single":
        sql = f"CAST({sql} AS DOUBLE)"
    if lowered.startswith("char("):  # a CHAR has no blanks at its end
        sql = f"rtrim({sql}, ' ')"
    if lowered == "hugeint":
        sql = f"CAST({sql} AS DECIMAL(38,0))"
    return Value(sql, kind)


class From:
    """Translates FROM clauses against a schema."""

    def __init__(self, queries: Queries, schema: Mapping[str, Mapping[str, str]] | None, keys: Keys) -> None:
        self.q = queries
        self.known = schema is not None
        self.tables = {table.lower(): (table, columns) for table, columns in (schema or {}).items()}
        self.keys = {table.lower(): sets for table, sets in keys.items()}

    def clause(self, node: Any, base: Context) -> tuple[str, Scope]:
        """Return the text (with FROM) and the names of a SELECT's FROM clause."""
        source = node.args.get("from_")
        if source is None:
            return "", Scope()
        self.q.check(source, {"this"})
        sql, scope = self._joined(source.this, node.args.get("joins") or [], base)
        return f" FROM {sql}" if sql else "", scope

    def _joined(self, first: Any, joins: list[Any], base: Context) -> tuple[str, Scope]:
        """Join; a comma binds looser than JOIN, so it starts a new group."""
        if isinstance(first, exp.Table) and first.name.upper() == "DUAL" and not first.args.get("db"):
            if joins:
                self.q.source.unsupported("join with DUAL", self.q.expressions.start(first))
            return "", Scope()
        groups: list[tuple[str, Scope]] = [self._relation(first, base)]
        for join in joins:
            if self._is_comma(join):
                groups.append(self._relation(join.this, base))
            else:
                groups[-1] = self._join(groups[-1], join, base)
        if len(groups) == 1:
            return groups[0]
        scope = groups[0][1]
        for _, other in groups[1:]:
            scope = self._together(scope, other)
        return " CROSS JOIN ".join(f"({sql})" if " JOIN " in sql else sql for sql, _ in groups), scope

    def _is_comma(self, join: Any) -> bool:
        plain = not any(join.args.get(part) for part in ("on", "using", "method", "side", "kind"))
        if not plain:
            return False
        start = self.q.expressions.start(join.this)
        before = self.q.source.blanked[: start or 0].rstrip()
        before = before.rstrip("(").rstrip()
        return before.endswith(",")

    def _together(self, left: Scope, right: Scope) -> Scope:
        taken = {relation.alias.lower() for relation in left.relations}
        for relation in right.relations:
            if relation.alias.lower() in taken:
                self.q.source.error(f"Not unique table or alias: {relation.alias!r}.", None)
        return Scope(
            left.relations + right.relations, left.stars + right.stars, {**left.merged, **right.merged}
        )

    # --- one table ----------------------------------------------------------------------------------------------------
    def _relation(self, node: Any, base: Context) -> tuple[str, Scope]:
        if isinstance(node, exp.Table):
            return self._table(node, base)
        if isinstance(node, exp.Subquery):
            if isinstance(node.this, (exp.Table, exp.Subquery)) and not node.alias:
                self.q.check(node, {"this", "joins"})
                if not node.args.get("joins"):
                    return self._relation(node.this, base)
                sql, scope = self._joined(
                    node.this, node.args.get("joins") or node.this.args.get("joins") or [], base
                )
                return f"({sql})", scope
            return self._derived(node, base)
        return self.q.source.unsupported(f"{type(node).__name__} in FROM", self.q.expressions.start(node))

    def _start(self, node: Any) -> int | None:
        return self.q.expressions.start(node)

    def _table(self, node: Any, base: Context) -> tuple[str, Scope]:
        self.q.check(node, {"this", "alias", "db", "hints", "joins"})
        if not isinstance(node.this, exp.Identifier):
            self.q.source.unsupported("table function", self._start(node))
        if node.args.get("joins"):
            bare = node.copy()
            bare.set("joins", None)
            sql, scope = self._joined(bare, node.args["joins"], base)
            return f"({sql})", scope
        table, database = node.name, node.args["db"].name if node.args.get("db") else ""
        alias_node = node.args.get("alias")
        if alias_node is not None:
            self.q.check(alias_node, {"this"})
        alias = node.alias or table
        if not database and table.lower() in base.ctes:
            inner, columns, unique = base.ctes[table.lower()]
            values = tuple((c, Value(f"{name(alias)}.{name(c)}", kind)) for c, kind in columns)
            return self._named(f"{name(inner)} AS {name(alias)}", alias, values, unique)
        return self._stored(table, database, alias, node)

    def _stored(self, table: str, database: str, alias: str, node: Any) -> tuple[str, Scope]:
        if database.lower() in {"information_schema", "mysql", "performance_schema", "sys"}:
            self.q.source.unsupported(f"system schema {database}", self._start(node.args["db"]))
        qualified = f"{database}.{table}".lower()
        stored, declared = self.tables.get(qualified) or self.tables.get(table.lower()) or (table, None)
        target = ".".join(
            name(part) for part in (stored.split(".") if qualified in self.tables else [stored])
        )
        if database and qualified not in self.tables:
            self.q.expressions.warn(f"qualifier: {database}.{table} is read as {stored}")
        if declared is None and self.known and not database:
            raise unknown_table(table, self.q.source.text, [each for each, _ in self.tables.values()])
        if declared is None:
            relation = Relation(alias, None)
            return f"{target} AS {name(alias)}", Scope((relation,))
        values = tuple((column, column_value(alias, column, kind)) for column, kind in declared.items())
        known = {column.lower(): value.sql for column, value in values}
        keys = tuple(
            frozenset(known[column.lower()] for column in key) for key in self.keys.get(stored.lower(), ())
        )
        return f"{target} AS {name(alias)}", Scope((Relation(alias, values, keys),), values)

    def _named(
        self,
        sql: str,
        alias: str,
        values: tuple[tuple[str, Value], ...],
        unique: tuple[int, ...] | None = None,
    ) -> tuple[str, Scope]:
        keys = () if unique is None else (frozenset(values[at][1].sql for at in unique),)
        return sql, Scope((Relation(alias, values, keys),), values)

    def _derived(self, node: Any, base: Context) -> tuple[str, Scope]:
        self.q.check(node, {"this", "alias"})
        alias_node = node.args.get("alias")
        if alias_node is None or not node.alias:
            self.q.source.error("Every derived table must have its own alias.", self._start(node))
        self.q.check(alias_node, {"this", "columns"})
        names = [column.name for column in alias_node.args.get("columns") or ()]
        # A derived table sees the queries around its own, never its neighbours.
        outer = replace(base, scope=Scope())
        query: Query = self.q.query(node.this, outer, "derived")
        columns = self.q.renamed(query.columns, names, node)
        listed = ", ".join(name(column) for column, _ in columns)
        alias = node.alias
        values = tuple((c, Value(f"{name(alias)}.{name(c)}", kind)) for c, kind in columns)
        return self._named(f"({query.sql}) AS {name(alias)}({listed})", alias, values, query.unique)

    # --- joins --------------------------------------------------------------------------------------------------------
    def _join(self, left: tuple[str, Scope], node: Any, base: Context) -> tuple[str, Scope]:
        self.q.check(node, _JOIN_PARTS)
        side, kind, method = ((node.args.get(part) or "").upper() for part in ("side", "kind", "method"))
        if side not in {"", "LEFT", "RIGHT"} or kind not in {
            "",
            "INNER",
            "CROSS",
            "OUTER",
            "STRAIGHT_JOIN",
            "STRAIGHT",
        }:
            self.q.source.unsupported(f"{side} {kind} JOIN".strip(), self._start(node.this))
        if method not in {"", "NATURAL"} or (kind == "OUTER" and not side):
            self.q.source.unsupported(f"{method} {kind} JOIN".strip(), self._start(node.this))
        right_sql, right = self._relation(node.this, base)
        both = self._together(left[1], right)
        using = self._using(node, method, left[1], right)
        on = node.args.get("on")
        if using is not None:
            condition, scope = self._merge(using, left[1], right, side, both)
        else:
            condition = (
                self.q.expressions.condition(on, replace(base, scope=both)) if on is not None else None
            )
            scope = both
        if condition is None:
            if side:
                self.q.source.error(f"{side} JOIN needs ON or USING.", self._start(node.this))
            return f"{left[0]} CROSS JOIN {right_sql}", scope
        word = f"{side} JOIN" if side else "JOIN"
        return f"{left[0]} {word} {right_sql} ON {condition}", scope

    def _using(self, node: Any, method: str, left: Scope, right: Scope) -> list[str] | None:
        if method == "NATURAL":
            if left.unknown() or right.unknown():
                self.q.source.unsupported(
                    "NATURAL JOIN of tables whose columns are not known", self._start(node.this)
                )
            names = {column.lower() for column, _ in right.stars}
            return [column for column, _ in left.stars if column.lower() in names]
        if node.args.get("using"):
            return [column.name for column in node.args["using"]]
        return None

    def _merge(
        self, using: list[str], left: Scope, right: Scope, side: str, both: Scope
    ) -> tuple[str | None, Scope]:
        conditions, merged = [], dict(both.merged)
        order: list[tuple[str, Value]] = []
        for column in using:
            a, b = left.find(column, None), right.find(column, None)
            if len(a) != 1 or len(b) != 1:
                self.q.source.error(f"Column {column!r} of USING is missing or ambiguous.", None)
            try:
                conditions.append(compare("=", a[0], b[0]).sql)
            except CannotConvert as error:
                self.q.source.unsupported(str(error), None)
            merged[column.lower()] = b[0] if side == "RIGHT" else a[0]
        first, second = (right, left) if side == "RIGHT" else (left, right)
        lowered = [column.lower() for column in using]
        common = [pair for pair in first.stars if pair[0].lower() in lowered]
        order = common + [
            pair for scope in (first, second) for pair in scope.stars if pair[0].lower() not in lowered
        ]
        condition = " AND ".join(conditions) if conditions else None
        if condition is None and side:
            condition = "TRUE"
        return condition, Scope(both.relations, tuple(order), merged)

"""One SELECT: grouping, the select list, HAVING, ORDER BY and DISTINCT."""

# ruff: noqa: S608 - writing SQL is this module's job; every name and literal is quoted
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from finassay.database._mysql._aggregates import ordering
from finassay.database._mysql._arithmetic import printable
from finassay.database._mysql._convert import key, shown, stored
from finassay.database._mysql._nodes import has_aggregate, is_aggregate, walk_own
from finassay.database._mysql._scope import GROUP_ALIAS, Context, Grouping, Plan, Query
from finassay.database._mysql._ties import identities
from finassay.database._mysql._values import Type, Value, name
from finassay.database._mysql._variables import constant_assignment, kept, sets_variables

if TYPE_CHECKING:
    from finassay.database._mysql._query import Queries


@dataclass(frozen=True)
class Item:
    """An entry of a select list: the name MySQL gives it, its expression (None for ``*``), its value."""

    name: str
    node: Any
    value: Value


class Select:
    """One SELECT being written."""

    def __init__(
        self,
        queries: Queries,
        node: Any,
        rows: Context,
        role: str,
        prefix: str,
        from_sql: str,
        filters: list[str],
    ) -> None:
        self.q, self.e, self.node, self.rows = queries, queries.expressions, node, rows
        self.role, self.prefix, self.from_sql, self.filters = role, prefix, from_sql, filters
        self.order = self._ordered() if self._order_matters() else []
        self.group, self.having = node.args.get("group"), node.args.get("having")
        self.rollup = False

    def _ordered(self) -> list[Any]:
        """Return the items of ORDER BY, or of GROUP BY where one of those has a direction: then MySQL sorts by them."""
        order, group = self.node.args.get("order"), self.node.args.get("group")
        if order is not None:
            return list(order.expressions)
        keys = group.expressions if group is not None and not group.args.get("rollup") else []
        if not any(isinstance(each, exp.Ordered) for each in keys):
            return []
        return [each if isinstance(each, exp.Ordered) else exp.Ordered(this=each) for each in keys]

    def _order_matters(self) -> bool:
        # MariaDB ignores the ORDER BY of a derived table or subquery without LIMIT.
        return self.role == "top" or self.node.args.get("limit") is not None

    def query(self) -> Query:
        """Write it."""
        grouped = self._is_grouped()
        context = self._grouped() if grouped else self.rows
        items = self._items(context)
        having = self._having(context)
        window = any(
            isinstance(each, exp.Window)
            for item in items
            if item.node is not None
            for each in walk_own(item.node)
        )
        distinct = self.node.args.get("distinct")
        if distinct is not None:
            self.q.check(distinct, set())
        unique = self._unique(items, context)
        self._warn_ties(items, context)
        plain = not grouped and distinct is None and not window and self.node.args.get("limit") is None
        mergeable = plain and self.having is None and bool(self.rows.scope.relations)
        items = [replace(item, value=self._held(item.value, mergeable)) for item in items]
        columns = tuple((item.name, item.value.type) for item in items)
        order = self._order(items, context)  # before the source: it may need aggregates of its own
        source, filters = self._source(context, grouped, having)
        where = f" WHERE {' AND '.join(filters)}" if filters else ""
        if distinct is not None:
            return self._distinct_query(items, columns, source, where, context)
        listed = ", ".join(f"{item.value.sql} AS {name(item.name)}" for item in items)
        sql = f"{self.prefix}SELECT {listed}{source}{where}{order}{self.q.limit(self.node)}"
        return Query(sql, columns, mergeable, unique)

    def _unique(self, items: list[Item], context: Context) -> tuple[int, ...] | None:
        """Return the places of the columns no two rows have alike; None where they are not known."""
        places = {item.value.sql: at for at, item in enumerate(items)}
        shown = (key for key in identities(context) if key <= places.keys())
        return next((tuple(sorted(places[each] for each in key)) for key in shown), None)

    def _warn_ties(self, items: list[Item], context: Context) -> None:
        if not self.order or self.rollup:
            return
        values = [self._order_value(item.this, items, context) for item in self.order]
        columns = [item.value for item in items]
        distinct = self.node.args.get("distinct") is not None
        unique = (frozenset(each.sql for each in columns),) if distinct else identities(context)
        self.q.ties(self.node, columns, values, unique)

    def _held(self, value: Value, mergeable: bool) -> Value:
        if self.role == "top":
            return printable(self._not_binary(value))
        if mergeable or self.role in {"subquery", "first", "side"}:
            return value
        return stored(value)

    def _not_binary(self, value: Value) -> Value:
        if value.type.collation == "gbk" or value.type.origin == "bytes":
            self.q.source.unsupported("result column of another character set", self.e.start(self.node))
        if value.type.origin == "variable":
            self.q.source.unsupported(
                "user variable as a result column, whose type depends on the session,",
                self.e.start(self.node),
            )
        return value

    def _is_grouped(self) -> bool:
        nodes = [*self.node.expressions, *(item.this for item in self.order)]
        nodes += [self.having.this] if self.having is not None else []
        return self.group is not None or any(has_aggregate(node) for node in nodes)

    def _plan(self) -> Plan:
        """Return what MariaDB does with the groups, where no index helps: DISTINCT aggregates need sorted rows."""
        if self.group is None or self.group.args.get("rollup"):
            return "rows"
        clauses = [*self.node.expressions, *(item.this for item in self.order)]
        clauses += [self.having.this] if self.having is not None else []
        nodes = [each for clause in clauses for each in walk_own(clause)]
        if not any(
            is_aggregate(each) and (each.meta.get("distinct") or each.this == "GROUP_CONCAT")
            for each in nodes
        ):
            return "table"
        if self.node.args.get("distinct") is not None:
            return "kept"
        keys = [self._meant(each) for each in self.group.expressions]
        ordered = [self._meant(item.this) for item in self.order]
        return "rows" if ordered == keys[: len(ordered)] else "kept"

    def _meant(self, node: Any) -> str:
        """Return the expression that a name, a position or an expression of GROUP BY or ORDER BY stands for."""
        node = node.this if isinstance(node, exp.Ordered) else node
        at = self.q.position(node, len(self.node.expressions))
        if at is not None:
            node = self.node.expressions[at]
        elif isinstance(node, exp.Column) and not node.table:
            node = self.rows.aliases.get(node.name.lower(), node)
        return str((node.this if isinstance(node, exp.Alias) else node).sql("mysql")).lower()

    # --- GROUP BY -----------------------------------------------------------------------------------------------------
    def _grouped(self) -> Context:
        rollup = bool(self.group is not None and self.group.args.get("rollup"))
        grouping = Grouping(rollup=rollup, plan=self._plan())
        names: set[str] = set()
        self.keys: dict[str, bool] = {}
        if self.group is not None:
            self.q.check(self.group, {"expressions", "rollup"})
            self.rollup = bool(self.group.args.get("rollup"))
            for rollup in self.group.args.get("rollup") or ():
                self.q.check(rollup, set())
            by_alias = replace(self.rows, alias_mode="last")
            for each in self.group.expressions:
                node = each.this if isinstance(each, exp.Ordered) else each
                at = self.q.position(node, len(self.node.expressions))
                target = node if at is None else self.node.expressions[at]
                target = target.this if isinstance(target, exp.Alias) else target
                value = self.e.value(target, by_alias if at is None else self.rows)
                self._add_key(grouping, value, isinstance(each, exp.Ordered) and bool(each.args.get("desc")))
                if isinstance(node, exp.Column) and self.rows.scope.find(node.name, None):
                    names.add(node.name.lower())
        return replace(self.rows, grouping=grouping, group_names=frozenset(names))

    def _add_key(self, grouping: Grouping, value: Value, descending: bool) -> None:
        group_key = key(value)
        if value.type.kind == "str" and value.type.collation == "ci" and value.literal is None:
            self.e.warn("open: GROUP BY strings: which of those equal under the collation is shown")
        if group_key not in self.keys:
            self.keys[group_key] = descending
        column = group_key if group_key == value.sql else f"first({value.sql})"
        if self.rollup:
            column = f"CASE WHEN grouping({group_key}) = 0 THEN first({value.sql}) END"
        grouping.sorted_keys.append(group_key)
        if self.rollup and descending:
            self.q.source.unsupported("GROUP BY … DESC WITH ROLLUP", self.e.start(self.group))
        kept = value.retyped(grouping.slot(column), value.type)
        grouping.keys[value.sql] = kept

    def _source(self, context: Context, grouped: bool, having: str | None) -> tuple[str, list[str]]:
        more = [having] if having is not None else []
        if not grouped or context.grouping is None:
            return self.from_sql, self.filters + more
        slots = (
            ", ".join(f"{sql} AS {name(column)}" for sql, column in context.grouping.slots.items())
            or "1 AS one"
        )
        where = f" WHERE {' AND '.join(self.filters)}" if self.filters else ""
        by = ""
        if self.keys:
            by = " GROUP BY " + ", ".join(self.keys)
            if self.rollup:  # no rows, no total
                by = f" GROUP BY ROLLUP({', '.join(self.keys)}) HAVING count(*) > 0"
        return f" FROM (SELECT {slots}{self.from_sql}{where}{by}) AS {name(GROUP_ALIAS)}", more

    # --- the other clauses --------------------------------------------------------------------------------------------
    def _items(self, context: Context) -> list[Item]:
        items: list[Item] = []
        for node in self.node.expressions:
            if isinstance(node, exp.Star) or (
                isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
            ):
                items += self._star(node, context)
                continue
            target = node.this if isinstance(node, exp.Alias) else node
            assigned = None
            if isinstance(target.unnest(), exp.PropertyEQ):
                assigned = target.unnest()
                if not sets_variables(self.node, self.rows.variables) and not constant_assignment(
                    self.node, assigned
                ):
                    self.q.source.unsupported("assignment to a user variable", self.e.start(target))
                target = assigned.expression
            label = node.alias if isinstance(node, exp.Alias) else self._label(node)
            if not label and self.role in {"side", "subquery"}:  # nobody sees the names
                label = f"c{len(items)}"
            if not label:
                self.q.source.unsupported("column without a name", self.e.start(node), "Give it one with AS.")
            value = self.e.value(target, context)
            items.append(Item(label, target, value if assigned is None else kept(value)))
        if self.role == "derived":
            seen = [item.name.lower() for item in items]
            if len(set(seen)) != len(seen):
                self.q.source.error("Duplicate column name in a derived table.", self.e.start(self.node))
        return items

    def _label(self, node: Any) -> str:
        while isinstance(node, exp.Paren) and isinstance(node.unnest(), (exp.Column, exp.Literal)):
            node = node.this
        if isinstance(node, exp.Column):
            return str(node.name)
        if isinstance(node, exp.Literal) and node.args.get("is_string"):
            return str(node.this).replace("\0", "\\x00")
        span = node.meta.get("span")
        if span is None:
            return str(node.sql("mysql"))
        return self.q.source.text[span[0] : span[1]]

    def _star(self, node: Any, context: Context) -> list[Item]:
        scope = self.rows.scope
        if scope.unknown():
            self.q.source.unsupported(
                f"* over {scope.unknown()[0]!r}, whose columns are not known,",
                self.e.start(node),
                "Pass the schema of the tables to translate().",
            )
        if isinstance(node, exp.Star):
            if not scope.relations:
                self.q.source.error("No tables to select * from.", self.e.start(node))
            stars = scope.stars
        else:
            table = node.table
            found = [r for r in scope.relations if r.alias.lower() == table.lower()]
            if not found:
                self.q.source.error(f"Unknown table {table!r}.", self.e.start(node))
            stars = found[0].columns or ()
        items = []
        for column, value in stars:
            shown_value = value
            if context.grouping is not None:
                self.q.source.unsupported("* with GROUP BY", self.e.start(node))
            if value.type.digits < 0:
                self.q.source.unsupported(
                    f"column {column!r} of a type that is not translated", self.e.start(node)
                )
            items.append(Item(column, None, shown_value))
        return items

    def _having(self, context: Context) -> str | None:
        if self.having is None:
            return None
        return self.e.condition(self.having.this, replace(context, alias_mode="first"))

    def _order(self, items: list[Item], context: Context) -> str:
        if self.rollup:
            if self.order:
                self.q.source.unsupported(
                    "WITH ROLLUP together with ORDER BY", self.e.start(self.order[0].this)
                )
            slot = context.grouping.slot if context.grouping is not None else str
            parts = [
                f"{slot(f'grouping({each})')}, {slot(each)} {'DESC NULLS LAST' if desc else 'ASC NULLS FIRST'}"
                for each, desc in self.keys.items()
            ]
            return " ORDER BY " + ", ".join(parts)
        parts = []
        for item in self.order:
            self.q.check(item, {"this", "desc", "nulls_first"})
            value = self._order_value(item.this, items, context)
            if value.literal is None and value.type.kind != "null":
                parts.append(ordering(value, bool(item.args.get("desc"))))
        return " ORDER BY " + ", ".join(parts) if parts else ""

    def _order_value(self, node: Any, items: list[Item], context: Context) -> Value:
        at = self.q.position(node, len(items))
        if at is not None:
            return items[at].value
        if isinstance(node, exp.Column) and not node.table:
            named = [item.value for item in items if item.name.lower() == node.name.lower()]
            if len({value.sql for value in named}) > 1:
                self.q.source.error(f"Column {node.name!r} in ORDER BY is ambiguous.", self.e.start(node))
            if named:
                return named[0]
        return self.e.value(node, replace(context, alias_mode="last"))

    def _distinct_query(
        self,
        items: list[Item],
        columns: tuple[tuple[str, Type], ...],
        source: str,
        where: str,
        context: Context,
    ) -> Query:
        if self.rollup:
            self.q.source.unsupported("DISTINCT together with WITH ROLLUP", self.e.start(self.node))
        items = [replace(item, value=shown(item.value)) for item in items]
        columns = tuple((item.name, item.value.type) for item in items)
        listed = ", ".join(f"{item.value.sql} AS {name(f'c{at}')}" for at, item in enumerate(items))
        kinds = [item.value.type for item in items]
        inner = self.q.distinct(f"SELECT {listed}{source}{where}", kinds)
        parts = []
        for item in self.order:
            value = self._order_value(item.this, items, context)
            matches = [at for at, each in enumerate(items) if each.value.sql == value.sql]
            if not matches:
                self.q.source.unsupported(
                    "ORDER BY of something outside SELECT DISTINCT", self.e.start(item.this)
                )
            column = Value(f'"__o".{name(f"c{matches[0]}")}', kinds[matches[0]])
            parts.append(ordering(column, bool(item.args.get("desc"))))
        order = " ORDER BY " + ", ".join(parts) if parts else ""
        outer = ", ".join(f'"__o".{name(f"c{at}")} AS {name(item.name)}' for at, item in enumerate(items))
        limit = self.q.limit(self.node)
        unique = tuple(range(len(columns)))
        return Query(
            f'{self.prefix}SELECT {outer} FROM ({inner}) AS "__o"{order}{limit}', columns, unique=unique
        )

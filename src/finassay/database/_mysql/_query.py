"""Queries: SELECT, set operations and WITH, clause by clause, with every clause either translated or refused."""

# ruff: noqa: S608 - writing SQL is this module's job; every name and literal is quoted
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from finassay.database._mysql import _values as v
from finassay.database._mysql._aggregates import ordering
from finassay.database._mysql._convert import (
    CannotConvert,
    as_type,
    common_type,
    key,
    stored,
    to_number,
)
from finassay.database._mysql._counters import rewrite
from finassay.database._mysql._expressions import Expressions
from finassay.database._mysql._from import From
from finassay.database._mysql._scope import Context, Cte, Keys, Query, Scope
from finassay.database._mysql._select import Select
from finassay.database._mysql._ties import ROW_BY_ROW, identities, same_rows, settled
from finassay.database._mysql._values import Type, Value, name
from finassay.database._mysql._variables import assigned_variables

if TYPE_CHECKING:
    from finassay.database._mysql._lexer import Source

_SELECT_PARTS = {
    "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_",
    "windows", "hint", "kind", "operation_modifiers",
}  # fmt: skip
_SET_PARTS = {"this", "expression", "distinct", "order", "limit", "offset", "with_"}
# They say how to run a query, not what it gives.
_HARMLESS = {"SQL_NO_CACHE", "SQL_CACHE", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
             "SQL_BUFFER_RESULT", "SQL_CALC_FOUND_ROWS", "ALL"}  # fmt: skip
_BOUNDS = {"UNBOUNDED", "CURRENT ROW"}
Ctes = Mapping[str, Cte]


class Queries:
    """Translates queries of one statement."""

    def __init__(
        self, source: Source, schema: Mapping[str, Mapping[str, str]] | None, keys: Keys | None = None
    ) -> None:
        self.source = source
        self.warnings: list[str] = []
        self.expressions = Expressions(source, self.warnings, self)
        self.froms = From(self, schema, keys or {})
        self._names = 0
        self.session: dict[str, Value] = {}  # variables that SET gave a value
        self.assigned: dict[str, Any] = {}  # and the expressions they got

    def unique(self, prefix: str) -> str:
        """Return a name nothing else has."""
        self._names += 1
        return f"__{prefix}{self._names}"

    def check(self, node: Any, allowed: set[str]) -> None:
        """Refuse a node that has a clause outside `allowed`."""
        for part, value in node.args.items():
            if value and part not in allowed:
                words = {"locks": "FOR UPDATE", "into": "INTO", "operation_modifiers": "SELECT modifier"}
                self.source.unsupported(f"clause {words.get(part, part)}", self._start_of(value, node))

    def _start_of(self, value: Any, node: Any) -> int | None:
        first = value[0] if isinstance(value, list) else value
        return self.expressions.start(first if isinstance(first, exp.Expr) else node)

    # --- any query --------------------------------------------------------------------------------------------------
    def query(self, node: Any, parent: Context | None, role: str, ctes: Ctes | None = None) -> Query:
        """Translate a query.

        `role` is ``top``, ``derived``, ``first`` or ``side`` (of a set operation), ``recursive`` (a part of a
        recursive one) or ``subquery``.
        """
        known: Ctes = ctes if ctes is not None else (parent.ctes if parent else {})
        if isinstance(node, exp.Subquery):
            return self._parenthesised(node, parent, role, known)
        if isinstance(node, exp.Select):
            return self._select(node, parent, role, known)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, known)
        return self.source.unsupported(f"{type(node).__name__}", self.expressions.start(node))

    def _parenthesised(self, node: Any, parent: Context | None, role: str, ctes: Ctes) -> Query:
        self.check(node, {"this", "order", "limit", "offset", "with_"})
        if not any(node.args.get(part) for part in ("order", "limit", "offset", "with_")):
            return self.query(node.this, parent, role, ctes)
        prefix, ctes = self._with(node.args.get("with_"), parent, ctes)
        inner = self.query(node.this, parent, "derived", ctes)
        sql = f'SELECT * FROM ({inner.sql}) AS "__p"'
        tail = self._set_order(node, inner) + self.limit(node)
        return Query(f"{prefix}{sql}{tail}", inner.columns, unique=inner.unique)

    # --- WITH -------------------------------------------------------------------------------------------------------
    def _with(self, node: Any, parent: Context | None, ctes: Ctes) -> tuple[str, Ctes]:
        if node is None:
            return "", ctes
        self.check(node, {"expressions", "recursive"})
        known = dict(ctes)
        parts = []
        for cte in node.expressions:
            self.check(cte, {"this", "alias"})
            alias = cte.args["alias"]
            inner_name = self.unique("cte")
            names = [column.name for column in alias.args.get("columns") or ()]
            if node.args.get("recursive") and self._mentions(cte.this, alias.name):
                query = self._recursive(cte, inner_name, names, parent, known)
            else:
                query = self.query(cte.this, parent, "derived", known)
            columns = self.renamed(query.columns, names, cte)
            listed = ", ".join(name(column) for column, _ in columns)
            parts.append(f"{name(inner_name)}({listed}) AS ({query.sql})")
            known[alias.name.lower()] = (inner_name, columns, query.unique)
        word = "WITH RECURSIVE " if node.args.get("recursive") else "WITH "
        return word + ", ".join(parts) + " ", known

    def _mentions(self, node: Any, table: str) -> bool:
        return any(each.name.lower() == table.lower() for each in node.find_all(exp.Table))

    def renamed(
        self, columns: tuple[tuple[str, Type], ...], names: list[str], node: Any
    ) -> tuple[tuple[str, Type], ...]:
        """Return columns under a list of new names; two of one name are an error."""
        if names and len(names) != len(columns):
            self.source.error(
                "The list of column names has another length than the query.", self.expressions.start(node)
            )
        renamed = tuple((names[at] if names else column, kind) for at, (column, kind) in enumerate(columns))
        lower = [column.lower() for column, _ in renamed]
        if len(set(lower)) != len(lower):
            self.source.error("Duplicate column name in a derived table.", self.expressions.start(node))
        return renamed

    def _recursive(self, cte: Any, inner: str, names: list[str], parent: Context | None, known: Any) -> Query:
        union = cte.this
        if not isinstance(union, exp.Union) or any(
            union.args.get(part) for part in ("order", "limit", "offset", "with_")
        ):
            self.source.unsupported("recursive query that is not one UNION", self.expressions.start(cte))
        anchor = self.query(union.this, parent, "recursive", known)
        columns = self.renamed(anchor.columns, names, cte)
        scope = {**known, cte.args["alias"].name.lower(): (inner, columns, None)}
        step = self.query(union.expression, parent, "recursive", scope)
        distinct = bool(union.args.get("distinct"))
        if len(step.columns) != len(columns):
            self.source.error("The parts of the recursive query have different numbers of columns.", None)
        for (column, kind), (_, other) in zip(columns, step.columns, strict=True):
            numbers = kind.kind in {"int", "dec", "dbl"} and other.kind in {"int", "dec", "bool", "dbl"}
            if not numbers and kind.kind != other.kind:
                self.source.unsupported(
                    f"recursive column {column!r} of type {kind.kind} that becomes {other.kind}",
                    self.expressions.start(cte),
                    "MariaDB keeps the type of the first part; CAST both to one type.",
                )
        renames = ", ".join(name(column) for column, _ in columns)
        left = f'SELECT * FROM ({anchor.sql}) AS "__a"({renames})'
        right = f'SELECT * FROM ({step.sql}) AS "__s"({renames})'
        casts = ", ".join(f"CAST({name(c)} AS {k.duckdb}) AS {name(c)}" for c, k in columns)
        word = "UNION" if distinct else "UNION ALL"
        return Query(
            f'SELECT {casts} FROM ({left}) AS "__x" {word} SELECT {casts} FROM ({right}) AS "__y"', columns
        )

    # --- UNION and others ---------------------------------------------------------------------------------------------
    def _set_operation(self, node: Any, parent: Context | None, ctes: Ctes) -> Query:
        """Translate a chain of set operations: each branch becomes the common type of all, straight from its own."""
        self.check(node, _SET_PARTS)
        prefix, ctes = self._with(node.args.get("with_"), parent, ctes)
        steps = _chain(node)
        branches = [steps[0].this, *(each.expression for each in steps)]
        sides = [
            self.query(side, parent, "side" if at else "first", ctes) for at, side in enumerate(branches)
        ]
        kinds = [kind for _, kind in sides[0].columns]
        for side in sides[1:]:
            if len(side.columns) != len(kinds):
                self.source.error(
                    "The queries have different numbers of columns.", self.expressions.start(node)
                )
            kinds = [self._common(a, b, node) for a, (_, b) in zip(kinds, side.columns, strict=True)]
        names = [column for column, _ in sides[0].columns]
        columns = tuple(zip(names, kinds, strict=True))
        sql = self._converted(sides[0], kinds, branches[0])
        for step, side in zip(steps, sides[1:], strict=True):
            listed = names if step is node else [f"c{at}" for at in range(len(names))]
            sql = self._combine(step, sql, self._converted(side, kinds, step.expression), kinds, listed)
        unique = tuple(range(len(columns))) if node.args.get("distinct") else None
        tail = self._set_order(node, Query("", columns, unique=unique)) + self.limit(node)
        return Query(f"{prefix}{sql}{tail}", columns, unique=unique)

    def _common(self, a: Type, b: Type, node: Any) -> Type:
        try:
            kind = common_type([Value("", a), Value("", b)])
        except CannotConvert as error:
            self.source.unsupported(str(error), self.expressions.start(node))
        if kind.origin == "single" or kind.collation in {"binary", "gbk"}:
            self.source.unsupported("UNION of FLOAT or binary columns", self.expressions.start(node))
        if kind.kind == "bool":
            return Type("int", 1)
        return v.decimal_type(kind.digits + 1, kind.scale) if kind.kind == "dec" else kind

    def _converted(self, side: Query, kinds: list[Type], node: Any) -> str:
        names = [f"c{at}" for at in range(len(kinds))]
        parts = []
        for each, (_, own), target in zip(names, side.columns, kinds, strict=True):
            written = self._as_written(own, node) if target.kind == "str" else own
            value = stored(Value(name(each), written))
            value = to_number(value) if own.kind == "bool" else value
            converted = (
                as_type(value, target) if value.type.kind != target.kind or target.kind == "dec" else value
            )
            parts.append(f"{converted.sql} AS {name(each)}")
        listed = ", ".join(name(each) for each in names)
        return f'SELECT {", ".join(parts)} FROM ({side.sql}) AS "__u"({listed})'

    def _as_written(self, own: Type, node: Any) -> Type:
        """Return the type whose text a column of text gets: a DOUBLE without the decimals fixed for it."""
        if own.kind == "dec" and own.held != own.scale:
            self.source.unsupported(
                "UNION of a quotient or an average with text",
                self.expressions.start(node),
                "MariaDB writes digits it does not show elsewhere, and cuts them: ROUND the number or make it text.",
            )
        if own.kind == "datetime" and own.scale not in {0, 6}:
            self.source.unsupported("UNION of fractional seconds with text", self.expressions.start(node))
        return replace(own, scale=-1, origin="") if own.kind == "dbl" else own

    def _combine(self, node: Any, left: str, right: str, kinds: list[Type], names: list[str]) -> str:
        listed = ", ".join(f"{name(f'c{at}')} AS {name(own)}" for at, own in enumerate(names))
        if isinstance(node, exp.Union):
            union = f"{left} UNION ALL {right}"
            if node.args.get("distinct"):
                union = self.distinct(union, kinds)
            return f'SELECT {listed} FROM ({union}) AS "__u"'
        if not node.args.get("distinct"):
            self.source.unsupported(f"{type(node).__name__.upper()} ALL", self.expressions.start(node))
        exists = "NOT EXISTS" if isinstance(node, exp.Except) else "EXISTS"
        pairs = zip(self._keys("__l", kinds), self._keys("__r", kinds), strict=True)
        same = " AND ".join(f"{a} IS NOT DISTINCT FROM {b}" for a, b in pairs)
        return (
            f'SELECT {listed} FROM ({self.distinct(left, kinds)}) AS "__l" '
            f'WHERE {exists} (SELECT 1 FROM ({right}) AS "__r" WHERE {same})'
        )

    def _keys(self, alias: str, kinds: list[Type]) -> list[str]:
        return [key(Value(f"{name(alias)}.{name(f'c{at}')}", kind)) for at, kind in enumerate(kinds)]

    def distinct(self, sql: str, kinds: list[Type]) -> str:
        """Return the distinct rows of a query of columns c0, c1, …; strings by their collation key."""
        if not any(kind.kind == "str" for kind in kinds):
            return f'SELECT DISTINCT * FROM ({sql}) AS "__d"'
        if any(kind.kind == "str" and kind.collation == "ci" for kind in kinds):
            self.expressions.warn(
                "open: DISTINCT or UNION of strings: which of those equal under the collation is shown"
            )
        columns = [f'"__d".{name(f"c{at}")}' for at in range(len(kinds))]
        firsts = ", ".join(f"first({column}) AS {name(f'c{at}')}" for at, column in enumerate(columns))
        return f'SELECT {firsts} FROM ({sql}) AS "__d" GROUP BY {", ".join(self._keys("__d", kinds))}'

    def _set_order(self, node: Any, query: Query) -> str:
        order = node.args.get("order")
        if order is None:
            return ""
        parts: list[str] = []
        values: list[Value] = []
        for item in order.expressions:
            at = self.position(item.this, len(query.columns))
            if at is None:
                if not isinstance(item.this, exp.Column) or item.this.table:
                    self.source.unsupported(
                        "ORDER BY expression of a UNION", self.expressions.start(item.this)
                    )
                matches = [i for i, (c, _) in enumerate(query.columns) if c.lower() == item.this.name.lower()]
                if not matches:
                    self.source.error(
                        f"Unknown column {item.this.name!r}.", self.expressions.start(item.this)
                    )
                at = matches[0]
            column, kind = query.columns[at]
            values.append(Value(name(column), kind))
            parts.append(ordering(values[-1], bool(item.args.get("desc"))))
        columns = [Value(name(column), kind) for column, kind in query.columns]
        unique = () if query.unique is None else (frozenset(columns[at].sql for at in query.unique),)
        self.ties(node, columns, values, unique)
        return " ORDER BY " + ", ".join(parts)

    def position(self, node: Any, columns: int) -> int | None:
        """Return the index a literal of ORDER BY or GROUP BY means, None where it is not a position."""
        if not isinstance(node, exp.Literal) or node.args.get("is_string") or not node.this.isdigit():
            return None
        at = int(node.this)
        if not 1 <= at <= columns:
            self.source.error(f"There is no column {at} to sort or group by.", self.expressions.start(node))
        return at - 1

    def limit(self, node: Any) -> str:
        """Return the LIMIT of a query."""
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is None and offset is None:
            return ""
        if isinstance(limit, exp.Fetch):
            options = limit.args.get("limit_options")
            if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
                self.source.unsupported("FETCH WITH TIES", self.expressions.start(node))
            count = limit.args.get("count") or exp.Literal.number(1)
            start = offset.expression if offset else None
        elif isinstance(limit, exp.Limit):
            self.check(limit, {"expression", "offset"})
            count, start = (
                limit.expression,
                limit.args.get("offset") or (offset.expression if offset else None),
            )
        else:
            self.source.unsupported("OFFSET without LIMIT", self.expressions.start(node))
        for number in (count, start):
            if number is not None and not (isinstance(number, exp.Literal) and str(number.this).isdigit()):
                self.source.unsupported("LIMIT that is not a number", self.expressions.start(node))
        if node.args.get("order") is None:
            self.expressions.warn("open: LIMIT without ORDER BY: which rows are kept")
        most = min(int(count.this), (1 << 63) - 1)
        return f" LIMIT {most}" + (f" OFFSET {start.this}" if start is not None else "")

    def ties(
        self, node: Any, columns: list[Value], order: list[Value], unique: Iterable[frozenset[str]]
    ) -> None:
        """Warn where an ORDER BY leaves rows equal that differ elsewhere.

        Where it is not known in which columns the rows differ (`unique`), there is a warning unless every column that
        is shown is sorted by.
        """
        if settled(unique, order) or same_rows(columns, order):
            return
        if node.args.get("limit") is not None:
            self.expressions.warn(
                "ties: LIMIT with ORDER BY: which of the rows that are equal there are kept"
            )
        else:
            self.expressions.warn("ties: ORDER BY: the order of rows that are equal there")

    # --- SELECT -------------------------------------------------------------------------------------------------------
    def _select(self, node: Any, parent: Context | None, role: str, ctes: Ctes) -> Query:
        self.check(node, _SELECT_PARTS)
        for modifier in node.args.get("operation_modifiers") or ():
            if str(modifier).upper() not in _HARMLESS:
                self.source.unsupported(f"SELECT modifier {modifier}", self.expressions.start(node))
        if node.args.get("kind"):
            self.source.unsupported("SELECT AS", self.expressions.start(node))
        prefix, ctes = self._with(node.args.get("with_"), parent, ctes)
        rewrite(self, node)
        around = parent.variables if parent else self.session
        base = Context(Scope(), parent, ctes=ctes, variables={**around, **assigned_variables(self, node)})
        from_sql, scope = self.froms.clause(node, base)
        windows = {each.this.name.lower(): each for each in node.args.get("windows") or ()}
        rows = replace(base, scope=scope, windows=windows)
        where = node.args.get("where")
        filters = [self.expressions.condition(where.this, rows)] if where else []
        aliases = {e.alias.lower(): e.this for e in node.expressions if isinstance(e, exp.Alias)}
        rows = replace(rows, aliases=aliases)
        return Select(self, node, rows, role, prefix, from_sql, filters).query()

    def over(self, node: Any, context: Context) -> str:
        """Return the ``OVER (…)`` of a window call."""
        self.check(node, {"this", "partition_by", "order", "spec", "alias", "over"})
        partition = list(node.args.get("partition_by") or ())
        order, spec = node.args.get("order"), node.args.get("spec")
        alias = node.args.get("alias")
        seen: set[str] = set()
        while alias is not None:
            named = context.windows.get(alias.name.lower())
            if named is None or alias.name.lower() in seen:
                self.source.error(f"Unknown window {alias.name!r}.", self.expressions.start(node))
            seen.add(alias.name.lower())
            self.check(named, {"this", "partition_by", "order", "spec", "alias"})
            partition = partition or list(named.args.get("partition_by") or ())
            order, spec = order or named.args.get("order"), spec or named.args.get("spec")
            alias = named.args.get("alias")
        parts = []
        values = [self.expressions.value(each, context) for each in partition]
        if partition:
            parts.append("PARTITION BY " + ", ".join(map(key, values)))
        rows = spec is not None and str(spec.args.get("kind")).upper() == "ROWS"
        if (
            order is None
            and (rows or node.this.this in ROW_BY_ROW)
            and not settled(identities(context), values)
        ):
            self.expressions.warn(f"open: {node.this.this}() OVER without ORDER BY: the order of the rows")
        if order is not None:
            values += [self.expressions.value(each.this, context) for each in order.expressions]
            if (rows or node.this.this in ROW_BY_ROW) and not settled(identities(context), values):
                self.expressions.warn(
                    f"ties: {node.this.this}() OVER (ORDER BY …): the order of equal rows is open"
                )
            parts.append("ORDER BY " + ", ".join(self._ordered(each, context) for each in order.expressions))
        if spec is not None:
            parts.append(self._frame(spec, order, context))
        return f" OVER ({' '.join(parts)})"

    def _ordered(self, item: Any, context: Context) -> str:
        self.check(item, {"this", "desc", "nulls_first"})
        return ordering(self.expressions.value(item.this, context), bool(item.args.get("desc")))

    def _ranged(self, order: Any, context: Context) -> bool:
        """Return whether a RANGE frame may count from the sort key: one number."""
        items = order.expressions if order is not None else []
        return len(items) == 1 and self.expressions.value(items[0].this, context).type.kind in {"int", "dec"}

    def _frame(self, spec: Any, order: Any, context: Context) -> str:
        self.check(spec, {"kind", "start", "start_side", "end", "end_side"})
        kind = str(spec.args["kind"]).upper()
        bounds = []
        for edge in ("start", "end"):
            bound = spec.args.get(edge)
            if bound is None:
                bounds.append("CURRENT ROW")
                continue
            text = str(bound).upper() if isinstance(bound, str) else None
            if text is None:
                number = isinstance(bound, exp.Literal) and str(bound.this).isdigit()
                if not number or not (kind == "ROWS" or self._ranged(order, context)):
                    self.source.unsupported(f"{kind} frame with this bound", self.expressions.start(spec))
                text = str(bound.this)
            elif text not in _BOUNDS:
                self.source.unsupported(f"window frame bound {text}", self.expressions.start(spec))
            side = str(spec.args.get(f"{edge}_side") or "").upper()
            bounds.append(f"{text} {side}".strip())
        return f"{kind} BETWEEN {bounds[0]} AND {bounds[1]}"


def _chain(node: Any) -> list[Any]:
    """Return the set operations written one after the other without parentheses, the leftmost first."""
    steps = [node]
    while isinstance(inner := steps[0].this, exp.SetOperation) and not any(
        inner.args.get(part) for part in ("order", "limit", "offset", "with_")
    ):
        steps.insert(0, inner)
    return steps

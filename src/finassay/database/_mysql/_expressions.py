"""Expressions: from MySQL's syntax tree to DuckDB's text, one handler per kind of node and nothing else."""

# ruff: noqa: S608 - writing SQL is this module's job; every name and literal is quoted
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from finassay.database._mysql import _arithmetic as arithmetic
from finassay.database._mysql import _dates as dates
from finassay.database._mysql import _functions as functions
from finassay.database._mysql import _regex as regular
from finassay.database._mysql import _strings as strings
from finassay.database._mysql import _values as v
from finassay.database._mysql._aggregates import (
    AGGREGATES,
    PERCENTILES,
    WINDOW_ONLY,
    Aggregate,
    window_function,
)
from finassay.database._mysql._compare import (
    between,
    choose,
    compare,
    not_json,
    null_safe_equal,
    operands,
    row_compare,
)
from finassay.database._mysql._convert import (
    CannotConvert,
    number_literal,
    stored,
    to_condition,
)
from finassay.database._mysql._nodes import (
    QUERIES,
    beside_other_windows,
    beside_window,
    has_aggregate,
    reads_columns,
    walk_own,
)
from finassay.database._mysql._registry import FUNCTIONS, Call
from finassay.database._mysql._ties import identities, same_rows, settled
from finassay.database._mysql._values import Type, Value
from finassay.database._mysql._variables import same_either_way
from finassay.database._places import unknown_column

if TYPE_CHECKING:
    from finassay.database._mysql._lexer import Source
    from finassay.database._mysql._query import Queries
    from finassay.database._mysql._scope import Context, Query

assert functions  # noqa: S101 - imported to fill the registry

_OPERATORS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_ARITHMETIC: dict[Any, Callable[[Value, Value], Value]] = {
    exp.Mul: arithmetic.multiply,
    exp.Div: arithmetic.divide,
    exp.IntDiv: arithmetic.integer_divide,
    exp.Mod: arithmetic.modulo,
}
_BITS = {exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.BitwiseLeftShift: "left",
         exp.BitwiseRightShift: "right"}  # fmt: skip
_ALLOWED_ARGUMENTS = {"this", "expression", "expressions", "order"}


class Expressions:
    """Translates expressions; queries inside them go to `queries`."""

    def __init__(self, source: Source, warnings: list[str], queries: Queries) -> None:
        self.source, self.warnings, self.queries = source, warnings, queries
        self._local = True

    def warn(self, text: str) -> None:
        """Add a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def start(self, node: Any) -> int | None:
        """Return where a node starts in the statement."""
        for each in node.walk():
            span = each.meta.get("span") or (each.meta.get("start"),)
            if span[0] is not None:
                return int(span[0])
        while node is not None:
            if "span" in node.meta:
                return int(node.meta["span"][0])
            node = node.parent
        return None

    def condition(self, node: Any, context: Context) -> str:
        """Translate an expression used as a condition."""
        value = self.value(node, context)
        try:
            return to_condition(value)
        except CannotConvert as error:
            self.source.unsupported(str(error), self.start(node))

    def value(self, node: Any, context: Context) -> Value:
        """Translate an expression.

        Raises
        ------
        UnsupportedSyntax
            For any kind of node, function or mix of types that is not known to give MySQL's result.
        QueryError
            For a name that does not exist or is ambiguous.
        """
        if node is None:
            self.source.error("Expected an expression, found the end of a clause.", None)
        if context.grouping is not None and not isinstance(node, (exp.Column, exp.Literal, *QUERIES)):
            try:
                grouped = self._group_key(node, context)
            except CannotConvert as error:
                self.source.unsupported(str(error), self.start(node))
            if grouped is not None:
                return grouped
        handler = self._HANDLERS.get(type(node))
        if handler is None:
            self.source.unsupported(f"{type(node).__name__}", self.start(node))
        try:
            value = handler(self, node, context)
            self._check_average(node, value)
            return stored(value) if beside_window(node) else value
        except CannotConvert as error:
            self.source.unsupported(str(error), self.start(node))

    def _check_average(self, node: Any, value: Value) -> None:
        """Warn where AVG of a group becomes a DOUBLE: MySQL divides as a DOUBLE or takes the decimal's digits."""
        if value.type.kind != "dbl":
            return
        if any(each.unnest().meta.get("average") for each in node.iter_expressions()):
            self.warn(
                "open: AVG() of a group used as a DOUBLE: its digits beyond those shown depend on MySQL's plan"
            )

    def _group_key(self, node: Any, context: Context) -> Value | None:
        grouping = context.grouping
        if grouping is None or not grouping.keys or has_aggregate(node):
            return None
        nodes = walk_own(node)
        if any(isinstance(each, (exp.Window, *QUERIES)) for each in nodes):
            return None
        if context.alias_mode != "none" and any(self._is_alias(each, context) for each in nodes):
            return None
        kept = list(self.warnings)
        row = self.value(node, context.over_rows())
        self.warnings[:] = kept
        found = grouping.keys.get(row.sql)
        if found is not None and grouping.rollup and not isinstance(node.parent, (exp.Alias, exp.Select)):
            return grouping.last(row)
        return found

    def _is_alias(self, node: Any, context: Context) -> bool:
        if not isinstance(node, exp.Column) or node.table or node.name.lower() not in context.aliases:
            return False
        return context.alias_mode == "first" or not context.scope.find(node.name, None)

    # --- leaves -----------------------------------------------------------------------------------------------------
    def _literal(self, node: Any, _context: Context) -> Value:
        if node.args.get("is_string"):
            return v.text(node.this)
        return number_literal(node.this)

    def _null(self, _node: Any, _context: Context) -> Value:
        return v.NULL_VALUE

    def _boolean(self, node: Any, _context: Context) -> Value:
        return Value("TRUE" if node.this else "FALSE", v.BOOL)

    def _hex(self, node: Any, _context: Context) -> Value:
        """Return a literal of bytes or bits: text, or a number where one is needed."""
        digits = node.this
        if isinstance(node, exp.HexString):
            data = bytes.fromhex(digits if len(digits) % 2 == 0 else "0" + digits)
        else:
            data = int(digits, 2).to_bytes(max(1, -(-len(digits) // 8)), "big")
        start = self.start(node) or 0
        text = v.quote(data.decode("latin-1"))
        if self.source.text[start : start + 1].lower() == "x" and data.isascii():  # text, never a number
            return Value(text, Type("str", collation="binary"), explicit=True)
        if len(data) > 7 or self.source.text[start : start + 1].lower() == "x":
            raise CannotConvert("literal of such bytes")
        number = v.integer(int.from_bytes(data, "big"))
        kind = Type("str", collation="binary", origin="hex" if data.isascii() else "bytes")
        return Value(text, kind, explicit=True, real=number.sql)

    def _column(self, node: Any, context: Context) -> Value:
        column, table = node.name, node.table or None
        before = table is None and context.alias_mode == "first" and column.lower() in context.aliases
        if before and column.lower() not in context.group_names:
            return self._alias(column, context)
        found = self._resolve(node, column, table, context)
        if found is not None:
            return found
        if table is None and context.alias_mode != "none" and column.lower() in context.aliases:
            return self._alias(column, context)
        outer = context.parent
        while outer is not None:
            found = self._resolve(node, column, table, outer)
            if found is not None:
                self._local = False
                return found
            outer = outer.parent
        known = {each.alias: [name for name, _ in each.columns or ()] for each in context.scope.relations}
        error = unknown_column(f"{table}.{column}" if table else column, self.source.text, known)
        error.place = self.source.place(self.start(node))
        raise error

    def _alias(self, column: str, context: Context) -> Value:
        inner = replace(context, alias_mode="none")
        return self.value(context.aliases[column.lower()], inner)

    def _resolve(self, node: Any, column: str, table: str | None, context: Context) -> Value | None:
        scope = context.scope
        found = scope.find(column, table)
        unknown = [each for each in scope.unknown() if table is None or each.lower() == table.lower()]
        if not found and unknown:
            self.source.unsupported(
                f"column {column!r} of {unknown[0]!r}, whose types are not known,",
                self.start(node),
                "Pass the schema of the tables to translate().",
            )
        if not found:
            return None
        if len(found) > 1:
            self.source.error(f"Column {column!r} is ambiguous.", self.start(node))
        value = found[0]
        if value.type is _OPAQUE:
            self.source.unsupported(f"column {column!r} of a type that is not translated", self.start(node))
        if context.grouping is None:
            return value
        if value.sql in context.grouping.keys:
            return context.grouping.keys[value.sql]
        self.warn(f"bare_column: {column} is neither grouped nor aggregated; MySQL shows any of its values")
        return value.retyped(context.grouping.slot(f"first({value.sql})"), value.type)

    def _parameter(self, node: Any, context: Context) -> Value:
        variable = node.this.name
        if variable in context.variables:
            value = context.variables[variable]
            if value.type.origin == "variable" and not same_either_way(node):
                self.warn(
                    f"open: @{variable} is a number or its text, depending on what the session did before"
                )
            return value
        if variable in {each.this.this.name for each in node.root().find_all(exp.PropertyEQ)}:
            raise CannotConvert(f"user variable @{variable}")
        self.warn(
            f"open: nothing in the statement sets @{variable}: it is NULL unless the session set it before"
        )
        return Value("CAST(NULL AS VARCHAR)", v.STRING)

    def _assignment(self, node: Any, _context: Context) -> Value:
        raise CannotConvert(f"assignment to the user variable @{node.this.this.name}")

    # --- logic ------------------------------------------------------------------------------------------------------
    def _paren(self, node: Any, context: Context) -> Value:
        return self.value(node.this, context)

    def _and_or(self, node: Any, context: Context) -> Value:
        word = "AND" if isinstance(node, exp.And) else "OR"
        return Value(
            f"({self.condition(node.this, context)} {word} {self.condition(node.expression, context)})",
            v.BOOL,
        )

    def _xor(self, node: Any, context: Context) -> Value:
        return Value(
            f"({self.condition(node.this, context)} <> {self.condition(node.expression, context)})", v.BOOL
        )

    def _not(self, node: Any, context: Context) -> Value:
        return Value(f"(NOT {self.condition(node.this, context)})", v.BOOL)

    def _compared(self, node: Any, context: Context) -> Value:
        operator = _OPERATORS[type(node)]
        right = node.expression
        if isinstance(right, (exp.Any, exp.All)):
            return self._quantified(operator, node, context)
        left_row, right_row = self._row(node.this, context), self._row(right, context)
        if left_row is not None and right_row is not None:
            if len(left_row) != len(right_row):
                self.source.error("The rows compared have different numbers of columns.", self.start(node))
            return row_compare(operator, left_row, right_row)
        if left_row is not None and isinstance(right, exp.Subquery):
            return self._row_with_query(operator, left_row, right, context)
        if left_row is not None or right_row is not None:
            raise CannotConvert("comparison of a row with a single value")
        return compare(operator, self.value(node.this, context), self.value(right, context))

    def _row(self, node: Any, context: Context) -> list[Value] | None:
        if isinstance(node, exp.Tuple) or (isinstance(node, exp.Anonymous) and node.this == "ROW"):
            return [self.value(each, context) for each in node.expressions]
        return None

    def _null_safe(self, node: Any, context: Context) -> Value:
        left_row, right_row = self._row(node.this, context), self._row(node.expression, context)
        if left_row is not None or right_row is not None:
            if left_row is None or right_row is None or len(left_row) != len(right_row):
                raise CannotConvert("comparison of a row with a single value")
            parts = (null_safe_equal(a, b).sql for a, b in zip(left_row, right_row, strict=True))
            return Value("(" + " AND ".join(parts) + ")", v.BOOL)
        return null_safe_equal(self.value(node.this, context), self.value(node.expression, context))

    def _is(self, node: Any, context: Context) -> Value:
        if isinstance(node.expression, exp.Null):
            return Value(f"({self.value(node.this, context).sql} IS NULL)", v.BOOL)
        wanted = "TRUE" if node.expression.this else "FALSE"
        return Value(f"({self.condition(node.this, context)} IS NOT DISTINCT FROM {wanted})", v.BOOL)

    def _between(self, node: Any, context: Context) -> Value:
        return between(*(self.value(node.args[part], context) for part in ("this", "low", "high")))

    def _like(self, node: Any, context: Context) -> Value:
        escape = "\\"
        if isinstance(node, exp.Escape):
            literal = self.value(node.expression, context).literal
            if not isinstance(literal, str):
                raise CannotConvert("ESCAPE that is not a string literal")
            escape, node = literal, node.this
        return strings.like(self.value(node.this, context), self.value(node.expression, context), escape)

    def _regexp(self, node: Any, context: Context) -> Value:
        return regular.regexp_like(self.value(node.this, context), self.value(node.expression, context))

    def _case(self, node: Any, context: Context) -> Value:
        base = self.value(node.this, context) if node.args.get("this") else None
        conditions, results = [], []
        for branch in node.args["ifs"]:
            if base is None:
                conditions.append(self.condition(branch.this, context))
            else:
                wanted = self.value(branch.this, context)
                not_json(base, wanted)
                conditions.append(compare("=", base, wanted).sql)
            results.append(self.value(branch.args["true"], context))
        default = self.value(node.args["default"], context) if node.args.get("default") else v.NULL_VALUE
        return choose(list(zip(conditions, results, strict=True)), default)

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _add_sub(self, node: Any, context: Context) -> Value:
        sign = 1 if isinstance(node, exp.Add) else -1
        if isinstance(node.expression, exp.Interval):
            interval = node.expression
            amount = self.value(interval.this, context)
            return dates.add_interval(
                self.value(node.this, context), amount, interval.args["unit"].name, sign
            )
        left, right = self.value(node.this, context), self.value(node.expression, context)
        return arithmetic.add("+" if sign > 0 else "-", left, right)

    def _arithmetic(self, node: Any, context: Context) -> Value:
        return _ARITHMETIC[type(node)](self.value(node.this, context), self.value(node.expression, context))

    def _negative(self, node: Any, context: Context) -> Value:
        if isinstance(node.this, exp.Literal) and node.this.this == "9223372036854775808":
            return Value("CAST('-9223372036854775808' AS BIGINT)", v.INT)
        return arithmetic.negate(self.value(node.this, context))

    def _bitwise(self, node: Any, context: Context) -> Value:
        sides = (self.value(each, context) for each in (node.this, node.expression))
        return arithmetic.bits(_BITS[type(node)], *sides)

    def _complement(self, node: Any, context: Context) -> Value:
        return arithmetic.bits("~", self.value(node.this, context))

    def _collate(self, node: Any, context: Context) -> Value:
        return strings.collate(self.value(node.this, context), node.expression.name)

    # --- calls --------------------------------------------------------------------------------------------------------
    def _call(self, node: Any, context: Context) -> Value:
        name = node.this
        unknown = {k for k, value in node.args.items() if value} - _ALLOWED_ARGUMENTS
        if unknown or (node.meta.get("distinct") and name not in AGGREGATES):
            raise CannotConvert(f"{name}() with {', '.join(sorted(unknown)) or 'DISTINCT'}")
        if name in AGGREGATES:
            return self._aggregate(node, context)
        if name in WINDOW_ONLY:
            raise CannotConvert(f"{name}() without OVER")
        if name in {"DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE"}:
            return self._shift_date(node, context)
        if name == "IF" and len(node.expressions) == 3:
            first, second, third = node.expressions
            condition = self.condition(first, context)
            return choose([(condition, self.value(second, context))], self.value(third, context))
        if name == "CAST":
            return functions.cast(self.value(node.expressions[0], context), *node.meta["type"])
        entry = FUNCTIONS.get(name)
        if entry is None:
            self.source.unsupported(f"function {name}()", self.start(node))
        args = [self.value(each, context) for each in node.expressions]
        if not entry.least <= len(args) <= entry.most:
            raise CannotConvert(f"{name}() with {len(args)} arguments")
        if not entry.any_collation and any(
            arg.type.kind == "str" and arg.type.collation != "ci" for arg in args
        ):
            raise CannotConvert(f"{name}() of a string under another collation")
        return entry.translate(Call(name, args, node, self))

    def _shift_date(self, node: Any, context: Context) -> Value:
        if len(node.expressions) != 2:
            raise CannotConvert(f"{node.this}() with {len(node.expressions)} arguments")
        moment, interval = node.expressions
        sign = 1 if node.this in {"DATE_ADD", "ADDDATE"} else -1
        if isinstance(interval, exp.Interval):
            amount, unit = self.value(interval.this, context), interval.args["unit"].name
        elif node.this in {"ADDDATE", "SUBDATE"}:
            amount, unit = self.value(interval, context), "DAY"
        else:
            raise CannotConvert(f"{node.this}() without INTERVAL")
        return dates.add_interval(self.value(moment, context), amount, unit, sign)

    def _aggregate(self, node: Any, context: Context, over: str = "") -> Value:
        if not over and context.grouping is None:
            self.source.error(f"Invalid use of the aggregate {node.this}().", self.start(node))
        inner = context if over else context.over_rows()
        star = len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Star)
        if star and node.this != "COUNT":
            raise CannotConvert(f"{node.this}(*)")
        kept, self._local = self._local, True
        values = self._window_arguments if over else self._values
        args = [] if star else values(node, inner)
        local, self._local = self._local, kept
        if not local:
            raise CannotConvert("aggregate over columns of the query around it")
        ordered = node.meta["order"].expressions if node.meta.get("order") else ()
        order = [
            (self._group_concat_key(item.this, args, inner), bool(item.args.get("desc"))) for item in ordered
        ]
        sorted_by = [] if node.meta.get("distinct") else [value for value, _ in order]
        if sorted_by and not settled(identities(inner), sorted_by) and not same_rows(args, sorted_by):
            self.warn(f"ties: {node.this}(… ORDER BY …): the order of equal rows is open")
        aggregate = Aggregate(
            name=node.this,
            args=args,
            distinct=bool(node.meta.get("distinct")),
            over=over,
            star=star,
            plan="rows" if over or context.grouping is None else context.grouping.plan,
            order=tuple(order),
            separator=node.meta.get("separator", ","),
            limit=node.meta.get("limit"),
            warn=self.warn,
        )
        value = aggregate.sql()
        if over:
            return self._window_result(value, context)
        if context.grouping is None:
            return value
        if value.type.origin == "average":
            node.meta["average"] = True
        real = context.grouping.slot(value.real) if value.real else ""
        return value.retyped(context.grouping.slot(value.sql), value.type, real)

    def _group_concat_key(self, node: Any, args: list[Value], context: Context) -> Value:
        if isinstance(node, exp.Literal) and not node.args.get("is_string") and node.this.isdigit():
            position = int(node.this)
            if not 1 <= position <= len(args):
                raise CannotConvert("ORDER BY position in GROUP_CONCAT")
            return args[position - 1]
        return self.value(node, context)

    def _window(self, node: Any, context: Context) -> Value:
        call = node.this
        if not isinstance(call, exp.Anonymous):
            raise CannotConvert("window over this expression")
        over = self.queries.over(node, context)
        if call.this in AGGREGATES:
            value = self._aggregate(call, context, over=over)
            if stored(value).sql != value.sql and beside_other_windows(node):
                self.warn(
                    f"open: {call.this}() OVER in an expression beside another window: how many digits the expression "
                    "sees depends on MySQL's plan"
                )
            return value
        if call.this not in WINDOW_ONLY:
            self.source.unsupported(f"function {call.this}() OVER", self.start(node))
        if call.meta.get("descending") or (call.this in PERCENTILES and node.args.get("order")):
            raise CannotConvert(f"{call.this}() in this order")
        value = window_function(call.this, self._window_arguments(call, context), over)
        return self._window_result(value, context)

    def _window_result(self, value: Value, context: Context) -> Value:
        """Return the value of a window function: over groups it comes out of a column of a temporary table."""
        if context.grouping is None:
            return value
        return stored(replace(value, type=replace(value.type, origin="")))

    def _values(self, node: Any, context: Context) -> list[Value]:
        return [self.value(each, context) for each in node.expressions]

    def _window_arguments(self, node: Any, context: Context) -> list[Value]:
        """Return the arguments as MariaDB stores them before it computes windows: all but constants and aggregates."""
        values = zip(node.expressions, self._values(node, context), strict=True)
        return [stored(value) if reads_columns(each) else value for each, value in values]

    # --- subqueries -----------------------------------------------------------------------------------------
    def _inner(self, node: Any, context: Context) -> Query:
        return self.queries.query(node, context, role="subquery")

    def _subquery(self, node: Any, context: Context) -> Value:
        query = self._inner(node, context)
        if len(query.columns) != 1:
            self.source.error("A subquery used as a value must have one column.", self.start(node))
        return Value(f"({query.sql})", query.columns[0][1])

    def _exists(self, node: Any, context: Context) -> Value:
        return Value(f"(EXISTS ({self._inner(node.this, context).sql}))", v.BOOL)

    def _in(self, node: Any, context: Context) -> Value:
        row = self._row(node.this, context)
        if node.args.get("query") is not None:
            return self._in_query(node, row, context)
        items = node.expressions
        if row is not None:
            rows = [self._row(item, context) for item in items]
            if any(each is None or len(each) != len(row) for each in rows):
                raise CannotConvert("IN that mixes rows and values")
            parts = [row_compare("=", row, each).sql for each in rows if each is not None]
            return Value("(" + " OR ".join(parts) + ")", v.BOOL)
        value = self.value(node.this, context)
        others = [self.value(item, context) for item in items]
        not_json(value, *others)
        pairs = [operands(value, other) for other in others]
        if len({first for first, _ in pairs}) == 1:
            return Value(f"({pairs[0][0]} IN ({', '.join(second for _, second in pairs)}))", v.BOOL)
        return Value("(" + " OR ".join(f"({first} = {second})" for first, second in pairs) + ")", v.BOOL)

    def _columns_of(self, query: Query) -> tuple[str, list[Value]]:
        names = [f"c{at}" for at in range(len(query.columns))]
        source = f'({query.sql}) AS "__in"({", ".join(v.name(each) for each in names)})'
        values = [
            Value(f'"__in".{v.name(n)}', kind) for n, (_, kind) in zip(names, query.columns, strict=True)
        ]
        return source, values

    def _in_query(self, node: Any, row: list[Value] | None, context: Context) -> Value:
        query = self._inner(node.args["query"], context)
        source, columns = self._columns_of(query)
        lefts = row if row is not None else [self.value(node.this, context)]
        not_json(*lefts, *columns)
        if len(lefts) != len(columns):
            self.source.error("IN compares different numbers of columns.", self.start(node))
        if len(lefts) == 1:
            left, right = operands(lefts[0], columns[0])
            return Value(f"({left} IN (SELECT {right} FROM {source}))", v.BOOL)
        equal = row_compare("=", lefts, columns).sql
        return Value(
            f"CASE WHEN EXISTS (SELECT 1 FROM {source} WHERE {equal}) THEN TRUE "
            f"WHEN EXISTS (SELECT 1 FROM {source} WHERE ({equal}) IS NULL) THEN NULL ELSE FALSE END",
            v.BOOL,
        )

    def _row_with_query(self, operator: str, row: list[Value], node: Any, context: Context) -> Value:
        source, columns = self._columns_of(self._inner(node, context))
        if len(row) != len(columns):
            self.source.error("The rows compared have different numbers of columns.", self.start(node))
        return Value(f"(SELECT {row_compare(operator, row, columns).sql} FROM {source})", v.BOOL)

    def _quantified(self, operator: str, node: Any, context: Context) -> Value:
        word = "ANY" if isinstance(node.expression, exp.Any) else "ALL"
        query = self._inner(node.expression.this, context)
        if len(query.columns) != 1:
            self.source.error(f"{word} needs a subquery of one column.", self.start(node))
        source, columns = self._columns_of(query)
        value = self.value(node.this, context)
        not_json(value, columns[0])
        left, right = operands(value, columns[0])
        return Value(f"({left} {operator} {word} (SELECT {right} FROM {source}))", v.BOOL)

    _HANDLERS: ClassVar[dict[Any, Callable[[Expressions, Any, Context], Value]]] = {
        exp.Literal: _literal, exp.Null: _null, exp.Boolean: _boolean, exp.HexString: _hex, exp.BitString: _hex,
        exp.Column: _column, exp.Parameter: _parameter, exp.PropertyEQ: _assignment, exp.Paren: _paren,
        exp.And: _and_or, exp.Or: _and_or, exp.Xor: _xor, exp.Not: _not,
        exp.EQ: _compared, exp.NEQ: _compared, exp.LT: _compared, exp.LTE: _compared, exp.GT: _compared,
        exp.GTE: _compared, exp.NullSafeEQ: _null_safe, exp.Is: _is, exp.Between: _between,
        exp.Like: _like, exp.Escape: _like, exp.RegexpLike: _regexp, exp.Case: _case,
        exp.Add: _add_sub, exp.Sub: _add_sub, exp.Mul: _arithmetic, exp.Div: _arithmetic, exp.IntDiv: _arithmetic,
        exp.Mod: _arithmetic, exp.Neg: _negative,
        exp.BitwiseAnd: _bitwise, exp.BitwiseOr: _bitwise, exp.BitwiseXor: _bitwise,
        exp.BitwiseLeftShift: _bitwise, exp.BitwiseRightShift: _bitwise,
        exp.Collate: _collate,
        exp.BitwiseNot: _complement, exp.Anonymous: _call, exp.Window: _window,
        exp.Subquery: _subquery, exp.Exists: _exists, exp.In: _in,
    }  # fmt: skip


_OPAQUE = Type("null", digits=-1)


def opaque_column(sql: str) -> Value:
    """Return a column whose type is not translated: refused where it is used."""
    return Value(sql, _OPAQUE)

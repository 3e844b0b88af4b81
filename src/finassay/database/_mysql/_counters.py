"""User variables that change from row to row, where they spell a window function: counters, running sums, ranks.

``@n := @n + 1`` over sorted rows is a ROW_NUMBER, ``IF(@p = code, @n + 1, 1)`` with ``@p := code`` behind it one per
code. In which order the server visits rows, and the type a variable has, are open: each such statement is warned about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from finassay.database._mysql._nodes import has_aggregate
from finassay.database._mysql._variables import assignments_of, one_row_tables

if TYPE_CHECKING:
    from finassay.database._mysql._query import Queries

_WARNING = (
    "open: user variables that change from row to row are read as window functions over the ORDER BY: MySQL leaves "
    "the order in which rows are visited, and the type of the variable, open"
)


def rewrite(queries: Queries, select: Any) -> None:
    """Replace the counters of a SELECT by window functions, in place; leave alone what is not recognised."""
    if select.args.get("from_") is None or not assignments_of(select):
        return
    if select.args.get("group") or select.args.get("distinct") or any(map(has_aggregate, select.expressions)):
        return
    start = dict(queries.assigned)
    for each in (each for table in one_row_tables(select) for each in assignments_of(table)):
        start[each.this.this.name] = each.expression
    order = _order(select)
    counters = _Counters(select, start, order, queries.source.text) if order else None
    if counters is not None and counters.rewrite():
        if select.args.get("order") is None:
            select.set("order", exp.Order(expressions=[each.copy() for each in order]))
        queries.expressions.warn(_WARNING)


def _text(node: Any) -> str:
    """Return a node's text without the table of its columns, to find equal expressions."""
    bare = node.copy().transform(lambda each: exp.column(each.this) if isinstance(each, exp.Column) else each)
    return str(bare.sql("mysql")).lower()


def _order(select: Any) -> list[Any]:
    """Return what a SELECT sorts its rows by: its own ORDER BY, else that of the one table it reads."""
    tables = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or ())]
    rows = [
        each
        for each in tables
        if not (isinstance(each, exp.Subquery) and each.this in one_row_tables(select))
    ]
    if len(rows) != 1:
        return []
    own = select.args.get("order")
    if own is not None:
        return _resolved(own.expressions, select.expressions)
    inner = rows[0].this if isinstance(rows[0], exp.Subquery) else None
    if not isinstance(inner, exp.Select) or inner.args.get("order") is None:
        return []
    return _exposed(inner, rows[0].alias)


def _resolved(items: list[Any], columns: list[Any]) -> list[Any]:
    """Return items of ORDER BY with names and positions replaced by what they stand for."""
    aliases = {each.alias.lower(): each.this for each in columns if isinstance(each, exp.Alias)}
    found = []
    for item in items:
        key = item.this
        if isinstance(key, exp.Column) and not key.table:
            key = aliases.get(key.name.lower(), key)
        elif isinstance(key, exp.Literal):
            key = columns[int(key.this) - 1] if 0 < int(key.this) <= len(columns) else key
            key = key.this if isinstance(key, exp.Alias) else key
        found.append(exp.Ordered(this=key.copy(), desc=item.args.get("desc")))
    changing = any(found_key.find(exp.PropertyEQ, exp.Parameter) for found_key in found)
    return [] if changing else found


def _exposed(inner: Any, alias: str) -> list[Any]:
    """Return the ORDER BY of a derived table in terms of its columns; nothing where it sorts by something else."""
    stars = any(
        isinstance(each.this if isinstance(each, exp.Column) else each, exp.Star)
        for each in inner.expressions
    )
    names = {
        _text(each.this if isinstance(each, exp.Alias) else each): each.alias_or_name
        for each in inner.expressions
    }
    found = []
    for item in _resolved(inner.args["order"].expressions, inner.expressions):
        name = names.get(_text(item.this))
        if stars and isinstance(item.this, exp.Column):
            name = item.this.name
        if not name:
            return []
        found.append(exp.Ordered(this=exp.column(name, table=alias), desc=item.args.get("desc")))
    return found


class _Counters:
    """The assignments of one SELECT, in the order of its columns."""

    def __init__(self, select: Any, start: dict[str, Any], order: list[Any], text: str) -> None:
        self.text = text
        self.select, self.start, self.order = select, start, order
        self.at: dict[str, int] = {}  # variable to the column that assigns it
        self.plain: dict[str, Any] = {}  # variable to the expression it always gets
        for at, column in enumerate(select.expressions):
            for each in column.find_all(exp.PropertyEQ):
                self.at.setdefault(each.this.this.name, at)
        for each in assignments_of(select):
            if not self._changing(each.expression):
                self.plain[each.this.this.name] = each.expression

    def _changing(self, node: Any) -> bool:
        return any(each.this.name in self.at for each in node.find_all(exp.Parameter))

    def rewrite(self) -> bool:
        """Replace what is recognised; nothing is touched unless everything is."""
        if any(name not in self.start for name in self.at):
            return False
        new = []
        for at, column in enumerate(self.select.expressions):
            target = (column.this if isinstance(column, exp.Alias) else column).unnest()
            changed = self._column(target, at) if self._touched(column) else column.copy()
            if changed is None:
                return False
            if self._touched(column):
                changed = exp.Alias(this=changed, alias=self._label(column))
            new.append(changed)
        self.select.set("expressions", new)
        return True

    def _label(self, column: Any) -> Any:
        """Return the name of a column: without AS the text it was written with."""
        if isinstance(column, exp.Alias):
            return column.args["alias"].copy()
        start, end = column.meta["span"]
        return exp.to_identifier(self.text[start:end], quoted=True)

    def _touched(self, column: Any) -> bool:
        return self._changing(column) or column.find(exp.PropertyEQ) is not None

    def _column(self, target: Any, at: int) -> Any:
        if isinstance(target, exp.PropertyEQ):
            name = target.this.this.name
            if name in self.plain:
                return exp.Paren(this=target.expression.copy())
            return self._step(name, target.expression, at)
        if target.find(exp.PropertyEQ):
            return self._nested(target, at)
        return self._read(target, at)

    # --- reading ------------------------------------------------------------------------------------------------------
    def _read(self, target: Any, at: int) -> Any:
        """Return an expression over variables that always get one: before that column, what the row above gave."""
        names = {each.this.name for each in target.find_all(exp.Parameter)} & set(self.at)
        if not names <= set(self.plain) or any(self.at[each] == at for each in names):
            return None

        def value(node: Any) -> Any:
            if not isinstance(node, exp.Parameter) or node.this.name not in self.at:
                return node
            if self.at[node.this.name] < at:
                return exp.Paren(this=self.plain[node.this.name].copy())
            return self._above(node.this.name)

        return target.copy().transform(value)

    def _above(self, name: str) -> Any:
        lag = self._window("LAG", [self.plain[name].copy()])
        if isinstance(self.start[name], exp.Null):
            return lag
        first = exp.EQ(this=self._window("ROW_NUMBER", []), expression=exp.Literal.number(1))
        return exp.Case(ifs=[exp.If(this=first, true=self.start[name].copy())], default=lag)

    # --- steps --------------------------------------------------------------------------------------------------------
    def _step(self, name: str, value: Any, at: int) -> Any:
        """Return the window function of ``@name := value``; None where it spells none."""
        more = self._added(name, value)
        if more is not None:
            return self._total(name, more)
        extreme = self._extreme(name, value.unnest())
        if extreme is not None:
            return extreme
        condition, then, otherwise = _choice(value)
        if condition is None:
            return None
        return self._grouped(name, condition, then, otherwise, at)

    def _nested(self, target: Any, at: int) -> Any:
        """Return the window function of ``IF(@p = key, @n := @n + 1, @n := 1)``."""
        condition, then, otherwise = _choice(target)
        if (
            condition is None
            or not isinstance(then, exp.PropertyEQ)
            or not isinstance(otherwise, exp.PropertyEQ)
        ):
            return None
        name = then.this.this.name
        if otherwise.this.this.name != name or condition.find(exp.PropertyEQ):
            return None
        return self._grouped(name, condition, then.expression.unnest(), otherwise.expression.unnest(), at)

    def _added(self, name: str, value: Any) -> Any:
        """Return what is added to a variable, None where `value` is something else."""
        value = value.unnest()
        if not isinstance(value, exp.Add):
            return None
        for own, more in ((value.this, value.expression), (value.expression, value.this)):
            if isinstance(own.unnest(), exp.Parameter) and own.unnest().this.name == name:
                return None if self._changing(more) else more
        return None

    def _total(self, name: str, more: Any) -> Any:
        start = self.start[name].copy()
        if isinstance(more, exp.Literal) and more.this == "1":
            return exp.Add(this=start, expression=self._window("ROW_NUMBER", []))
        return self._unless_null(more, exp.Add(this=start, expression=self._running("SUM", more)))

    def _extreme(self, name: str, value: Any) -> Any:
        """Return the running maximum or minimum of ``GREATEST(@name, x)`` and the like; None for anything else."""
        function = {"GREATEST": "MAX", "LEAST": "MIN"}.get(str(value.this))
        if function is None or not isinstance(value, exp.Anonymous) or len(value.expressions) != 2:
            return None
        own, more = value.expressions
        if not isinstance(own, exp.Parameter):
            own, more = more, own
        if not isinstance(own, exp.Parameter) or own.this.name != name or self._changing(more):
            return None
        sides = [self.start[name].copy(), self._running(function, more)]
        return self._unless_null(more, exp.Anonymous(this=value.this, expressions=sides))

    def _running(self, function: str, more: Any, key: Any = None) -> Any:
        return self._window(function, [more.copy()], key, rows=True)

    def _unless_null(self, more: Any, total: Any, key: Any = None) -> Any:
        """NULL from the first NULL on: a variable that became NULL stays so."""
        nulls = self._running("SUM", exp.Paren(this=exp.Is(this=more.copy(), expression=exp.Null())), key)
        none = exp.EQ(this=nulls, expression=exp.Literal.number(0))
        return exp.Case(ifs=[exp.If(this=none, true=total)], default=exp.Null())

    def _grouped(self, name: str, condition: Any, then: Any, otherwise: Any, at: int) -> Any:
        key = self._key(condition, at)
        if key is None:
            return None
        leads = _text(self.order[0].this) == _text(key)
        kept = isinstance(then, exp.Parameter) and then.this.name == name
        more = self._added(name, otherwise if kept else then)
        if not leads or more is None:
            return None
        if kept:  # a dense rank
            if len(self.order) != 1 or _text(more) != "1":
                return None
            return exp.Add(this=self.start[name].copy(), expression=self._window("DENSE_RANK", []))
        if _text(otherwise) != _text(more):
            return None
        if _text(more) == "1":
            found = self._window("ROW_NUMBER", [], key)
        else:
            found = self._unless_null(more, self._running("SUM", more, key), key)
        missing = exp.Is(
            this=key.copy(), expression=exp.Null()
        )  # NULL equals nothing: every such row starts anew
        return exp.Case(ifs=[exp.If(this=missing, true=otherwise.copy())], default=found)

    def _key(self, condition: Any, at: int) -> Any:
        """Return the expression a condition compares with what the row above had, None for another condition."""
        condition = condition.unnest()
        if not isinstance(condition, (exp.EQ, exp.NullSafeEQ)):
            return None
        for own, key in ((condition.this, condition.expression), (condition.expression, condition.this)):
            if isinstance(own, exp.Parameter) and own.this.name in self.plain and self.at[own.this.name] > at:
                return key if _text(self.plain[own.this.name]) == _text(key) else None
        return None

    def _window(self, function: str, arguments: list[Any], key: Any = None, rows: bool = False) -> Any:
        frame = None
        if rows:
            frame = exp.WindowSpec(
                kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW", end_side=None
            )
        return exp.Window(
            this=exp.Anonymous(this=function, expressions=arguments),
            partition_by=[key.copy()] if key is not None else [],
            order=exp.Order(expressions=[each.copy() for each in self.order]),
            spec=frame,
        )


def _choice(value: Any) -> tuple[Any, Any, Any]:
    """Return condition, value and other value of an IF() or a CASE with one WHEN; None for anything else."""
    value = value.unnest()
    if isinstance(value, exp.Anonymous) and value.this == "IF" and len(value.expressions) == 3:
        first, second, third = value.expressions
        return first, second.unnest(), third.unnest()
    branches = value.args.get("ifs") or [] if isinstance(value, exp.Case) else []
    if len(branches) == 1 and value.args.get("this") is None and value.args.get("default") is not None:
        return branches[0].this, branches[0].args["true"].unnest(), value.args["default"].unnest()
    return None, None, None

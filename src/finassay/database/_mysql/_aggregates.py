"""Aggregate and window functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.database._mysql import _values as v
from finassay.database._mysql._arithmetic import quotient
from finassay.database._mysql._convert import (
    CannotConvert,
    as_type,
    common_type,
    key,
    position,
    shown,
    to_decimal,
    to_double,
    to_int,
    to_number,
    to_text,
)
from finassay.database._mysql._json import json_of
from finassay.database._mysql._values import Type, Value

if TYPE_CHECKING:
    from finassay.database._mysql._scope import Plan

_SUM_DIGITS = 22  # MySQL widens the digits before the point by this many in SUM
_SPREAD = {
    "STD": "stddev_pop", "STDDEV": "stddev_pop", "STDDEV_POP": "stddev_pop", "STDDEV_SAMP": "stddev_samp",
    "VAR_POP": "var_pop", "VARIANCE": "var_pop", "VAR_SAMP": "var_samp",
}  # fmt: skip
_BITS = {"BIT_OR": "0", "BIT_XOR": "0", "BIT_AND": "18446744073709551615"}
_JSON = frozenset({"JSON_ARRAYAGG", "JSON_OBJECTAGG"})
AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", *_JSON, *_SPREAD, *_BITS})
PERCENTILES = frozenset({"MEDIAN", "PERCENTILE_CONT", "PERCENTILE_DISC"})
WINDOW_ONLY = frozenset(
    [
        "ROW_NUMBER",
        "RANK",
        "DENSE_RANK",
        "PERCENT_RANK",
        "CUME_DIST",
        "NTILE",
        "LAG",
        "LEAD",
        "FIRST_VALUE",
        "LAST_VALUE",
        "NTH_VALUE",
        *PERCENTILES,
    ]
)
MAX_OFFSET = 1 << 31
GROUP_CONCAT_MAX_BYTES = 1048576  # MariaDB's group_concat_max_len


@dataclass(frozen=True)
class Aggregate:
    """An aggregate to write: over the rows of a group (`over` empty) or of a window (`over` = ``OVER (…)``).

    `plan` is what MariaDB does with a group: ``rows``, it computes over the rows as they come; ``table``, in a
    temporary table of groups; ``kept``, over sorted rows, and keeps the groups in a table to sort them anew.
    """

    name: str
    args: list[Value]
    distinct: bool
    over: str = ""
    star: bool = False
    plan: Plan = "rows"
    order: tuple[tuple[Value, bool], ...] = ()
    separator: str = ","
    limit: tuple[int, int] | None = None
    warn: Any = None

    def sql(self) -> Value:
        """Return the aggregate in DuckDB."""
        if self.distinct and self.over:
            raise CannotConvert("DISTINCT in a window function")
        if self.name == "COUNT":
            return self._count()
        if self.name == "GROUP_CONCAT":
            if self.over:
                raise CannotConvert("GROUP_CONCAT over a window")
            return self._group_concat()
        if self.name in _JSON:
            return self._json()
        if len(self.args) != 1:
            raise CannotConvert(f"{self.name}() with {len(self.args)} arguments")
        if self.name in {"SUM", "AVG"}:
            return self._sum_or_average()
        if self.name in {"MIN", "MAX"}:
            return self._extreme()
        if self.name in _SPREAD:
            return self._spread()
        return self._bits()

    def _call(self, function: str, argument: str) -> str:
        return f"{function}({'DISTINCT ' if self.distinct else ''}{argument}){self.over}"

    def _count(self) -> Value:
        if self.star:
            return Value(f"count(*){self.over}", v.INT)
        if not self.distinct:
            if len(self.args) != 1:
                raise CannotConvert("COUNT() of several expressions")
            return Value(f"count({self.args[0].sql}){self.over}", v.INT)
        keys = [key(value) for value in self.args]
        if len(keys) == 1:
            return Value(f"count(DISTINCT {keys[0]})", v.INT)
        nulls = " OR ".join(f"{each} IS NULL" for each in keys)
        return Value(f"count(DISTINCT CASE WHEN {nulls} THEN NULL ELSE row({', '.join(keys)}) END)", v.INT)

    def _summed(self) -> Value:
        value = self.args[0]
        if value.type.temporal:
            raise CannotConvert(f"{self.name}() of a date")
        number = to_number(value)
        if self.over:
            return number
        if number.type.kind == "dec" and number.type.held != number.type.scale:
            self.warn(
                f"open: {self.name}() of a quotient: whether MySQL rounds each term to the digits shown depends on "
                "its plan"
            )
            if self.plan == "table":
                return shown(number)
        return number

    def _sum_or_average(self) -> Value:
        number = self._summed()
        if number.type.kind == "dbl":
            scale = number.type.scale
            if self.name == "SUM":
                return Value(self._call("sum", number.sql), Type("dbl", scale=scale))
            return Value(self._call("avg", number.sql), Type("dbl", scale=scale + 4 if scale >= 0 else -1))
        exact = to_decimal(number)
        target = v.decimal_type(exact.type.digits + _SUM_DIGITS, exact.type.scale, exact.type.held)
        target = v.all_shown(target, exact.type)
        argument = number.sql if number.type.kind == "int" else exact.sql
        total = Value(f"CAST({self._call('sum', argument)} AS {target.duckdb})", target)
        if self.name == "SUM":
            return total
        counted = Value(f"CAST({self._call('count', argument)} AS DECIMAL(19,0))", v.decimal_type(19, 0))
        return self._mean(quotient(total, counted), to_double(total).sql, counted.sql)

    def _mean(self, mean: Value, total: str, count: str) -> Value:
        """Return AVG: computed apart as a DOUBLE, but out of a temporary table of groups only as a decimal."""
        if self.plan == "table":
            return mean.retyped(mean.sql, replace(mean.type, origin="average"))
        if self.plan == "kept":
            self.warn(
                "open: AVG() beside DISTINCT or GROUP_CONCAT: how many digits an expression over it sees depends on "
                "MySQL's plan"
            )
            return shown(mean)
        return mean.retyped(mean.sql, mean.type, real=f"({total} / CAST({count} AS DOUBLE))")

    def _extreme(self) -> Value:
        value = self.args[0]
        function = self.name.lower()
        if value.type.kind == "dec" and value.type.held != value.type.scale and self.plan != "rows":
            self.warn(
                f"open: {self.name}() of a quotient: how many digits of it are kept depends on MySQL's plan"
            )
            value = shown(value)
        if value.type.kind == "str":
            if value.type.collation == "ci":
                self.warn(
                    f"open: {self.name}() of strings: which of those equal under the collation is shown"
                )
            # The first by a total order, so that the answer does not change from run to run.
            return value.retyped(f"arg_{function}({value.sql}, {key(value)}){self.over}", value.type)
        if value.type.kind == "null":
            return Value(f"{function}(CAST(NULL AS INTEGER)){self.over}", v.NULL)
        if value.type.kind == "bool":
            value = to_int(value)
        return value.retyped(f"{function}({value.sql}){self.over}", value.type)

    def _spread(self) -> Value:
        number = to_number(self.args[0])
        if self.distinct:
            raise CannotConvert(f"{self.name}(DISTINCT …)")
        scale = {
            "int": 4,
            "dec": number.type.scale + 4,
            "dbl": number.type.scale + 4 if number.type.scale >= 0 else -1,
        }.get(number.type.kind)
        if scale is None:
            raise CannotConvert(f"{self.name}() of this type")
        origin = "" if self.over else "spread"
        spread = f"{_SPREAD[self.name]}({to_double(number).sql}){self.over}"
        return Value(spread, Type("dbl", scale=scale, origin=origin))

    def _bits(self) -> Value:
        number = to_number(self.args[0])
        if number.type.kind not in {"int", "uint"} or self.distinct:
            raise CannotConvert(f"{self.name}() of anything but integers")
        empty = _BITS[self.name]
        found = f"{self.name.lower()}({v.call('mysql_bits', number.sql)}){self.over}"
        return Value(f"coalesce({found}, CAST({empty} AS UBIGINT))", v.UINT)

    def _json(self) -> Value:
        array = self.name == "JSON_ARRAYAGG"
        if self.over or self.distinct or self.limit or len(self.args) != (1 if array else 2):
            raise CannotConvert(f"such a {self.name}()")
        if not self.order:
            self.warn(f"open: {self.name}() without ORDER BY: the order of its parts")
        parts = [json_of(to_int(each) if each.type.kind == "bool" else each, None) for each in self.args]
        order = ", ".join(_concat_order(value, descending) for value, descending in self.order)
        text = parts[0] if array else f"mysql_json_quote({to_text(self.args[0]).sql}) || ':' || {parts[1]}"
        joined = f"string_agg({text}, '{',' if array else ', '}'{' ORDER BY ' + order if order else ''})"
        start, end = "[]" if array else "{}"
        return Value(f"('{start}' || {joined} || '{end}')", Type("str", origin="json"))

    def _group_concat(self) -> Value:
        parts = [to_text(value).sql for value in self.args]
        text = parts[0] if len(parts) == 1 else "(" + " || ".join(parts) + ")"
        if self.distinct and self.limit:
            raise CannotConvert("GROUP_CONCAT(DISTINCT … LIMIT …)")
        joined = self._distinct_concat(text) if self.distinct else self._plain_concat(text)
        checked = (
            f"CASE WHEN strlen({joined}) > {GROUP_CONCAT_MAX_BYTES} "
            f"THEN error('MySQL-dialect layer: longer than group_concat_max_len') ELSE {joined} END"
        )
        return Value(checked, v.STRING)

    def _plain_concat(self, text: str) -> str:
        if not self.order:
            self.warn("open: GROUP_CONCAT without ORDER BY: the order of its parts")
        order = ", ".join(_concat_order(value, descending) for value, descending in self.order)
        ordered = " ORDER BY " + order if order else ""
        if self.limit is None:
            return f"string_agg({text}, {v.quote(self.separator)}{ordered})"
        skipped, rows = self.limit
        found = f"(list({text}{ordered}) FILTER (WHERE {text} IS NOT NULL))[{skipped + 1}:{skipped + rows}]"
        return f"array_to_string({found}, {v.quote(self.separator)})"

    def _distinct_concat(self, text: str) -> str:
        value = self.args[0]
        if len(self.args) != 1:
            raise CannotConvert("GROUP_CONCAT(DISTINCT …) of several expressions")
        own = key(value)
        if any(key(each) != own for each, _ in self.order) or len(self.order) > 1:
            raise CannotConvert("GROUP_CONCAT(DISTINCT …) ordered by something else than its argument")
        if not self.order:
            self.warn("open: GROUP_CONCAT without ORDER BY: the order of its parts")
        direction = "DESC" if self.order and self.order[0][1] else "ASC"
        some = f"FILTER (WHERE {value.sql} IS NOT NULL)"
        pairs = f"list_sort(list(DISTINCT struct_pack(k := {own}, t := {text})) {some}, '{direction}')"
        joined = f"array_to_string(list_transform({pairs}, lambda e: e.t), {v.quote(self.separator)})"
        if value.type.kind != "str" or value.type.collation != "ci":
            return joined
        self.warn(
            "open: GROUP_CONCAT(DISTINCT) of strings: which of those equal under the collation is shown"
        )
        keys, texts = (f"list({each}) {some}" for each in (own, text))
        first = f"list_transform(list_sort(list_distinct(e.k), '{direction}'), lambda k: e.t[list_position(e.k, k)])"
        return (
            f"list_transform([struct_pack(k := {keys}, t := {texts})], "
            f"lambda e: array_to_string({first}, {v.quote(self.separator)}))[1]"
        )


def _concat_order(value: Value, descending: bool) -> str:
    """Return an ORDER BY item of GROUP_CONCAT, which compares stored fields: NULL is 0 or the empty string there."""
    empty = {"str": "''"}.get(value.type.kind, "0" if value.type.numeric else None)
    if empty is None or value.type.kind in {"bool", "null"}:
        return ordering(value, descending)
    return f"coalesce({key(value)}, {empty}) {'DESC' if descending else 'ASC'}"


def ordering(value: Value, descending: bool) -> str:
    """Return an ORDER BY item: MySQL sorts NULL before everything."""
    sorted_by = position(value) if value.type.members else key(value)
    return f"{sorted_by} {'DESC NULLS LAST' if descending else 'ASC NULLS FIRST'}"


def window_function(function_name: str, args: list[Value], over: str) -> Value:
    """Return a function that only exists over a window."""
    counts = {"ROW_NUMBER": 0, "RANK": 0, "DENSE_RANK": 0, "PERCENT_RANK": 0, "CUME_DIST": 0, "NTILE": 1,
              "FIRST_VALUE": 1, "LAST_VALUE": 1, "NTH_VALUE": 2}  # fmt: skip
    if function_name in counts and len(args) != counts[function_name]:
        raise CannotConvert(f"{function_name}() with {len(args)} arguments")
    if function_name in PERCENTILES:
        return _percentile(function_name, args, over)
    lower = function_name.lower()
    if function_name in {"ROW_NUMBER", "RANK", "DENSE_RANK"}:
        return Value(f"{lower}(){over}", v.INT)
    if function_name in {"PERCENT_RANK", "CUME_DIST"}:
        return Value(f"round({lower}(){over}, 10)", Type("dbl", scale=10))
    if function_name == "NTILE":
        return Value(f"ntile({_positive(args[0])}){over}", v.INT)
    value = args[0]
    if value.type.kind == "bool":
        value = to_int(value)
    if function_name in {"FIRST_VALUE", "LAST_VALUE"}:
        return value.retyped(f"{lower}({value.sql}){over}", value.type)
    if function_name == "NTH_VALUE":
        return value.retyped(f"nth_value({value.sql}, {_positive(args[1])}){over}", value.type)
    if not 1 <= len(args) <= 3:
        raise CannotConvert(f"{function_name}() with {len(args)} arguments")
    offset = _literal(args[1], -MAX_OFFSET) if len(args) > 1 else 1
    if len(args) < 3:
        return value.retyped(f"{lower}({value.sql}, {offset}){over}", value.type)
    target = common_type([value, args[2]])
    if target.kind != value.type.kind:
        raise CannotConvert(f"{function_name}() with a default of another type")
    default = as_type(args[2], target)
    return value.retyped(f"{lower}({as_type(value, target).sql}, {offset}, {default.sql}){over}", target)


def _percentile(function_name: str, args: list[Value], over: str) -> Value:
    """Return MEDIAN(x) or a percentile, whose arguments are the share and what is sorted; NULL does not count."""
    median = function_name == "MEDIAN"
    share, value = (None, args[0]) if median else (args[0].literal, args[1])
    if not median and not isinstance(share, (int, Decimal)):
        raise CannotConvert(f"{function_name}() of a share that is not a literal")
    if function_name == "PERCENTILE_DISC":
        if value.type.kind not in {"int", "dec", "dbl", "date", "datetime"}:
            raise CannotConvert("PERCENTILE_DISC() of this type")
        return value.retyped(f"quantile_disc({value.sql}, {share}){over}", value.type)
    number = to_number(value)
    found = f"quantile_cont({to_double(number).sql}, {0.5 if median else share}){over}"
    return Value(f"round({found}, 10)", Type("dbl", scale=10))


def _literal(value: Value, least: int) -> int:
    if not isinstance(value.literal, int) or value.literal < least:
        raise CannotConvert("window function with an argument that is not a literal")
    return value.literal


def _positive(value: Value) -> int:
    return _literal(value, 1)

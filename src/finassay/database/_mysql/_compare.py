"""MySQL's comparisons: which type two operands are compared as, and what NULL does."""

from __future__ import annotations

from dataclasses import replace

from finassay.database._mysql import _values as v
from finassay.database._mysql._convert import (
    CannotConvert,
    as_type,
    common_type,
    datetime_literal,
    key,
    read_datetime,
    read_time,
    shown,
    to_decimal,
    to_double,
    to_int,
    to_number,
    to_temporal,
)
from finassay.database._mysql._values import Type, Value

_SWAP = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _fixed(value: Value) -> int:
    """Return the decimals MySQL fixes for a value compared as DOUBLE, -1 where it fixes none."""
    if value.type.kind == "str":
        return 0 if value.type.origin == "whole" else -1
    return value.type.scale if value.type.kind in {"dbl", "dec"} else 0


def _tolerance(left: Value, right: Value) -> float | None:
    """Return how near two DOUBLEs with fixed decimals count as equal (`compare_real_fixed`), None for exact."""
    kinds = {left.type.kind, right.type.kind}
    as_double = "dbl" in kinds or ("str" in kinds and kinds & {"bool", "int", "uint", "dec"})
    if not as_double or "null" in kinds or -1 in {_fixed(left), _fixed(right)}:
        return None
    return float(f"5e-{max(_fixed(left), _fixed(right)) + 1}")


def _plain(value: Value) -> Value:
    """Return a number of a user variable as its text: a comparison gives the same for both."""
    return replace(value, type=replace(value.type, origin="")) if value.type.origin == "variable" else value


def _unquoted(left: Value, right: Value) -> tuple[Value, Value]:
    """Return what is extracted from JSON as the text it says, where it is compared with other text."""
    if left.type.kind != "str" or right.type.kind != "str":
        return left, right
    first, second = (
        each.retyped(f"mysql_json_unquote({each.sql})", replace(each.type, origin=""))
        if each.type.origin == "json"
        else each
        for each in (left, right)
    )
    return first, second


def not_json(*values: Value) -> None:
    """Refuse what is extracted from JSON: IN, CASE, BETWEEN and FIELD see its quotation marks, comparisons do not."""
    if any(value.type.origin == "json" for value in values):
        raise CannotConvert("IN, CASE, BETWEEN or FIELD() of what is extracted from JSON (use JSON_VALUE)")


def operands(left: Value, right: Value) -> tuple[str, str]:
    """Return the two DuckDB expressions whose comparison is MySQL's."""
    left, right = (_plain(left), _plain(right))
    kinds = (left.type.kind, right.type.kind)
    if "null" in kinds:
        other = left if kinds[1] == "null" else right
        empty = "CAST(NULL AS VARCHAR)" if other.type.kind == "str" else f"CAST(NULL AS {other.type.duckdb})"
        return (empty, other.sql) if kinds[0] == "null" else (other.sql, empty)
    if kinds == ("str", "str"):
        return _strings(left, right)
    if _tolerance(left, right) is not None:
        raise CannotConvert("such a comparison of a DOUBLE with fixed decimals")
    if left.type.numeric and right.type.numeric:
        return _numbers(left, right)
    if left.type.temporal and right.type.temporal:
        return _moments(left, right)
    if left.type.temporal:
        return _moment_with(left, right)
    if right.type.temporal:
        second, first = _moment_with(right, left)
        return first, second
    return _text_with_number(left, right)


def common_collation(left: Value, right: Value) -> str:
    """Return the collation two strings are compared under: the one asked for, else ``utf8mb4_bin`` where one has it."""
    collations = {side.type.collation for side in (left, right) if side.type.kind == "str"}
    if len(collations) < 2:
        return next(iter(collations), "ci")
    if left.explicit != right.explicit:
        return left.type.collation if left.explicit else right.type.collation
    if left.explicit or collations != {"ci", "cs"}:
        raise CannotConvert("comparison of two collations")
    return "cs"


def _strings(left: Value, right: Value) -> tuple[str, str]:
    collation = common_collation(left, right)
    pair = (v.Value(side.sql, Type("str", collation=collation), side.literal) for side in (left, right))
    first, second = pair
    return key(first), key(second)


def _numbers(left: Value, right: Value) -> tuple[str, str]:
    kinds = {left.type.kind, right.type.kind}
    if "dbl" in kinds:
        return to_double(left).sql, to_double(right).sql
    if "dec" in kinds:
        return shown(to_decimal(left)).sql, shown(to_decimal(right)).sql
    if "uint" in kinds and kinds != {"uint"}:
        return f"CAST({left.sql} AS HUGEINT)", f"CAST({right.sql} AS HUGEINT)"
    if kinds == {"bool"}:
        return left.sql, right.sql
    return to_int(left).sql, to_int(right).sql


def _text_with_number(left: Value, right: Value) -> tuple[str, str]:
    number, string = (left, right) if left.type.numeric else (right, left)
    if number.type.origin == "remainder":
        raise CannotConvert("comparison of text with a decimal remainder")
    if number.type.kind == "int" and isinstance(string.literal, str) and _is_integer(string.literal):
        # MariaDB compares an integer column with an integer in quotes as integers, exactly.
        exact = v.integer(int(string.literal))
        return (number.sql, exact.sql) if number is left else (exact.sql, number.sql)
    return to_double(left).sql, to_double(right).sql


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] in "+-" else text
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def _moments(left: Value, right: Value) -> tuple[str, str]:
    kinds = {left.type.kind, right.type.kind}
    if "time" in kinds and kinds != {"time"}:
        raise CannotConvert("comparison of a TIME with a date")
    if kinds == {"date", "datetime"}:
        return f"CAST({left.sql} AS TIMESTAMP)", f"CAST({right.sql} AS TIMESTAMP)"
    return left.sql, right.sql


def _moment_with(moment: Value, other: Value) -> tuple[str, str]:
    if moment.type.kind == "time":
        return _time_with(moment, other)
    if other.literal is None and (
        other.type.kind == "int" or (other.type.kind, other.type.held) == ("dec", 0)
    ):
        number = f"CAST({other.sql} AS BIGINT)"
        return f"CAST({moment.sql} AS TIMESTAMP)", v.call("mysql_integer_datetime", number)
    if other.type.kind == "str" and other.literal is None:
        if other.type.origin in {"mixed", "numbers"}:
            raise CannotConvert("comparison of a date with text made from other types")
        return f"CAST({moment.sql} AS TIMESTAMP)", v.call("mysql_comparable_datetime", other.sql)
    if not isinstance(other.literal, (str, int)) or isinstance(other.literal, bool):
        raise CannotConvert("comparison of a date with a number")
    if isinstance(other.literal, int) and len(str(other.literal)) not in {8, 14}:
        raise CannotConvert(f"comparison of a date with {other.literal}")
    read = read_datetime(str(other.literal))
    if read is None:  # no date at all: MySQL compares with 0000-00-00, which is before every date
        return f"CAST({moment.sql} AS TIMESTAMP)", "CAST('-infinity' AS TIMESTAMP)"
    if moment.type.kind == "date" and (read.hour, read.minute, read.second, read.microsecond) == (0, 0, 0, 0):
        return moment.sql, f"CAST('{read.date().isoformat()}' AS DATE)"
    return f"CAST({moment.sql} AS TIMESTAMP)", datetime_literal(read)


def _time_with(moment: Value, other: Value) -> tuple[str, str]:
    if isinstance(other.literal, str) and (clock := read_time(other.literal)):
        return moment.sql, clock
    raise CannotConvert("comparison of a TIME with this value")


def between(value: Value, low: Value, high: Value) -> Value:
    """Return ``value BETWEEN low AND high``: as dates where any of the three is one."""
    values = [value, low, high]
    not_json(*values)
    if any(each.type.kind in {"date", "datetime"} for each in values):
        values = [_as_moment(each) for each in values]
    families = {_family(each) for each in values} - {"null"}
    if families == {"number", "text"} and {_family(low), _family(high)} == families:
        values = [_number_of(each) for each in values]
    kinds, bounds = ({_family(each) for each in some} - {"null"} for some in (values, values[1:]))
    if len(kinds) > 1 and len(bounds) > 1:
        raise CannotConvert("BETWEEN over mixed types")
    value, low, high = values
    return Value(f"({compare('>=', value, low).sql} AND {compare('<=', value, high).sql})", v.BOOL)


def _number_of(value: Value) -> Value:
    """Return a DOUBLE, where it is as exact as what it comes from: a number of at most 15 digits, or its text."""
    plain = _plain(value)
    if plain.type.kind == "str" and not isinstance(plain.literal, str):
        raise CannotConvert("BETWEEN over mixed types")
    if plain.type.kind in {"dbl", "uint"}:
        raise CannotConvert("BETWEEN over mixed types")
    return to_double(plain)


def _as_moment(value: Value) -> Value:
    if value.type.temporal or value.type.kind == "null":
        return value
    return Value(_moment_with(Value("NULL", v.DATETIME), value)[1], v.DATETIME)


def _family(value: Value) -> str:
    if value.type.kind == "null":
        return "null"
    if value.type.numeric:
        return "number"
    return "temporal" if value.type.temporal else "text"


def compare(operator: str, left: Value, right: Value) -> Value:
    """Compare two values; the result is 1, 0 or NULL."""
    tolerance = _tolerance(left, right)
    if tolerance is not None:
        return v.let(
            [to_double(left), to_double(right)],
            lambda x, y: _near(operator, x.sql, y.sql, f"CAST({tolerance!r} AS DOUBLE)"),
            v.BOOL,
        )
    first, second = operands(*_unquoted(left, right))
    return Value(f"({first} {operator} {second})", v.BOOL)


def _near(operator: str, x: str, y: str, tolerance: str) -> str:
    near = f"(abs({x} - {y}) < {tolerance} OR {x} = {y})"
    if operator in {"=", "<>"}:
        return near if operator == "=" else f"(NOT {near})"
    if len(operator) == 2:
        return f"({near} OR {x} {operator[0]} {y})"
    return f"(NOT {near} AND {x} {operator} {y})"


def null_safe_equal(left: Value, right: Value) -> Value:
    """Return MySQL's ``<=>``: 1 or 0, never NULL."""
    first, second = operands(*_unquoted(left, right))
    return Value(f"({first} IS NOT DISTINCT FROM {second})", v.BOOL)


def row_equal(lefts: list[Value], rights: list[Value]) -> Value:
    """Compare rows column by column."""
    return Value(
        "(" + " AND ".join(compare("=", a, b).sql for a, b in zip(lefts, rights, strict=True)) + ")", v.BOOL
    )


def row_compare(operator: str, lefts: list[Value], rights: list[Value]) -> Value:
    """Compare rows in the order of their columns."""
    if operator == "=":
        return row_equal(lefts, rights)
    if operator == "<>":
        return Value(f"(NOT {row_equal(lefts, rights).sql})", v.BOOL)
    if len(lefts) == 1:
        return compare(operator, lefts[0], rights[0])
    strict = compare(operator[0], lefts[0], rights[0]).sql
    rest = row_compare(operator, lefts[1:], rights[1:]).sql
    return Value(f"({strict} OR ({compare('=', lefts[0], rights[0]).sql} AND {rest}))", v.BOOL)


def _as_moments(values: list[Value]) -> list[Value]:
    """Read literals as dates where other arguments are dates."""
    kinds = {value.type.kind for value in values}
    if not kinds & {"date", "datetime"} or not kinds & {"str", "int"}:
        return values
    moments = [value if value.type.temporal else to_temporal(value) for value in values]
    literal = all(value.type.temporal or value.literal is not None for value in values)
    read = {moment.type.kind for moment in moments}
    if not literal or (kinds - {"str"} != {"datetime"} and read != {"date"}):
        raise CannotConvert("GREATEST or LEAST of mixed types")
    return moments


def greatest(operator: str, values: list[Value]) -> Value:
    """Return GREATEST (``>``) or LEAST (``<``): NULL when any argument is."""
    values = _as_moments(values)
    if any(value.type.origin in {"hex", "bytes"} for value in values):
        raise CannotConvert("GREATEST or LEAST of bytes")
    kinds = {value.type.kind for value in values}
    if kinds <= {"null"}:
        return v.NULL_VALUE
    if kinds <= {"bool", "int", "uint", "dec", "dbl", "null"}:
        target = common_type(values)
        target = Type("int", 1) if target.kind == "bool" else target
        values = [as_type(value, target) for value in values]
    elif kinds == {"date", "datetime"}:
        target = v.DATETIME
        values = [as_type(value, target) for value in values]
    elif len(kinds) == 1 and kinds <= {"date", "datetime", "str"}:
        target = values[0].type
    elif kinds <= {"bool", "int", "uint", "dec", "dbl", "str"}:
        target, values = v.DOUBLE, [to_double(value) for value in values]
    else:
        raise CannotConvert("GREATEST or LEAST of mixed types")
    if target.kind == "str":
        kept = Type(
            "str", collation=target.collation, origin="mixed"
        )  # as a number, MySQL compares the numbers
        return v.let(values, lambda *each: _greatest_text(operator, list(each)), kept)
    function = "greatest" if operator == ">" else "least"
    return v.let(
        values, lambda *each: _null_if_any(each, f"{function}({', '.join(x.sql for x in each)})"), target
    )


def _null_if_any(values: tuple[Value, ...] | list[Value], body: str) -> str:
    nulls = " OR ".join(f"{value.sql} IS NULL" for value in values)
    return f"CASE WHEN {nulls} THEN NULL ELSE {body} END"


def _greatest_text(operator: str, values: list[Value]) -> str:
    """Return the first of the largest (smallest) strings."""
    whens = []
    for value in values[:-1]:
        wins = " AND ".join(f"{key(value)} {operator}= {key(other)}" for other in values)
        whens.append(f"WHEN {wins} THEN {value.sql}")
    return _null_if_any(values, f"CASE {' '.join(whens)} ELSE {values[-1].sql} END")


def choose(branches: list[tuple[str, Value]], default: Value) -> Value:
    """Return a CASE over conditions, every result converted to MySQL's common type."""
    values = [value for _, value in branches] + [default]
    target = common_type(values)
    if target.kind == "bool":
        values, target = [to_number(value) for value in values], Type("int", 1)
    if target.kind == "null":
        return v.NULL_VALUE
    whens = " ".join(f"WHEN {condition} THEN {as_type(value, target).sql}" for condition, value in branches)
    return Value(f"CASE {whens} ELSE {as_type(default, target).sql} END", target)

"""Conversions between MySQL's types: what an operand becomes before an operator sees it."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from math import isinf

from finassay.database._mysql import _values as v
from finassay.database._mysql._values import Type, Value

LARGEST = sys.float_info.max  # what MariaDB reads text as that is beyond it


class CannotConvert(Exception):
    """The conversion exists in MySQL, and we do not reproduce it."""


def shown(value: Value) -> Value:
    """Round a decimal to the digits MySQL shows: what a comparison, a sort, a stored or a printed value has."""
    kind = value.type
    if kind.kind == "dec" and kind.held != kind.scale:
        # One more digit in front: rounding can carry.
        target = v.decimal_type(kind.digits + 1, kind.scale)
        return value.retyped(f"CAST({value.sql} AS {target.duckdb})", target)
    return value


def stored(value: Value) -> Value:
    """Return what a column of a temporary table keeps of a value: the digits shown (all of STDDEV and VARIANCE)."""
    if value.type.kind == "dbl" and value.type.scale >= 0 and value.type.origin != "spread":
        rounded = v.call("mysql_round_double", value.sql, f"1e{value.type.scale}")
        return value.retyped(rounded, value.type)
    return replace(shown(value), real="")


def number_literal(text: str) -> Value:
    """Return the value of a number as written: an integer, a decimal, or with an exponent a DOUBLE."""
    if text.isdigit():
        number = int(text)
        if number >= 1 << 64:
            kind = v.decimal_type(len(str(number)), 0)
            if kind.digits > v.MAX_DIGITS:
                raise CannotConvert("decimal of more than 38 digits")
            return Value(f"CAST('{number}' AS {kind.duckdb})", kind, literal=Decimal(number))
        if number >= 1 << 63:
            return Value(f"CAST('{number}' AS UBIGINT)", v.UINT)
        return v.integer(number)
    if "e" in text.lower():
        if isinf(float(text)):
            raise CannotConvert("number out of the range of a DOUBLE")
        return Value(f"CAST({float(text)!r} AS DOUBLE)", v.DOUBLE, literal=float(text))
    decimal = Decimal(text)
    whole, _, fraction = text.partition(".")
    kind = v.decimal_type(len(whole.lstrip("0")), len(fraction))
    if kind.digits + kind.held > v.MAX_DIGITS:
        raise CannotConvert("decimal of more than 38 digits")
    return Value(f"CAST('{decimal:f}' AS {kind.duckdb})", kind, literal=decimal)


def to_int(value: Value) -> Value:
    """Return an integer of the same number, for integer arithmetic (bool and NULL included)."""
    kind = value.type.kind
    if kind in {"int", "uint"}:
        return value
    if kind == "null":
        return Value("CAST(NULL AS BIGINT)", Type("int", 1))
    if kind == "bool":
        return value.retyped(f"CAST({value.sql} AS BIGINT)", Type("int", 1))
    raise CannotConvert(f"use of a {kind} as an integer")


def position(value: Value) -> str:
    """Return the number of an ENUM or SET, which it sorts by: the place among its values, or a bit for each."""
    members = ", ".join(v.quote(each) for each in value.type.members)
    if value.type.origin == "set":
        bit = f"CASE WHEN e = '' THEN 0 ELSE 1 << CAST(list_position([{members}], e) - 1 AS INTEGER) END"
        return f"CAST(list_sum(list_transform(string_split({value.sql}, ','), lambda e: {bit})) AS BIGINT)"
    return f"CAST(list_position([{members}], {value.sql}) AS BIGINT)"


def single(sql: str) -> str:
    """Return a FLOAT as MySQL shows it: six digits."""
    return f"CAST(printf('%.6g', {sql}) AS DOUBLE)"


def to_number(value: Value) -> Value:
    """Return what arithmetic makes of a value: strings become DOUBLE, dates become YYYYMMDD integers."""
    kind = value.type.kind
    if value.type.origin == "single":
        return replace(value, type=v.DOUBLE)
    if kind in {"int", "uint", "dec", "dbl"}:
        return value
    if kind == "bool":
        return to_int(value)
    if kind == "null":
        return Value("CAST(NULL AS DOUBLE)", Type("dbl", scale=0))  # arithmetic with NULL is a DOUBLE(x,0)
    if kind == "str":
        if value.type.origin in {"hex", "bytes"}:
            return Value(value.real, Type("int", 17))
        if value.type.members:
            return value.retyped(position(value), Type("int", 5))
        if isinstance(value.literal, str):
            number = number_prefix(value.literal)
            return Value(f"CAST({number!r} AS DOUBLE)", v.DOUBLE, literal=number)
        if value.type.origin == "json":
            text = f"CASE WHEN {value.sql} = 'true' THEN '1' ELSE mysql_json_unquote({value.sql}) END"
            return value.retyped(v.call("mysql_number", text), v.DOUBLE)
        if value.type.origin == "whole":
            return value.retyped(v.call("mysql_number", value.sql), Type("dbl", scale=0))
        if value.type.origin not in {"", "numbers"}:
            raise CannotConvert("use as a number of text made from other types")
        if value.type.collation == "binary":
            raise CannotConvert("use of a binary string as a number")
        return value.retyped(v.call("mysql_number", value.sql), v.DOUBLE)
    if kind == "date":
        return value.retyped(f"CAST(strftime({value.sql}, '%Y%m%d') AS BIGINT)", Type("int", 8))
    if kind == "datetime":
        return value.retyped(v.call("mysql_datetime_number", value.sql), Type("int", 14))
    raise CannotConvert("use of a TIME as a number")


_NUMBER = re.compile(r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def number_prefix(text: str) -> float:
    """Return the number a string starts with, 0 where it starts with none."""
    match = _NUMBER.match(text)
    number = float(match.group(1)) if match else 0.0
    return max(-LARGEST, min(LARGEST, number))


def to_double(value: Value) -> Value:
    """Return a DOUBLE of the same number."""
    if value.real:
        return Value(value.real, v.DOUBLE)
    number = to_number(value)
    if number.type.kind == "dbl":
        return number
    if number.type.kind == "dec" and number.type.digits + number.type.held > 15:
        # Through text: DuckDB divides the unscaled integer, which is a bit off beyond 2^53.
        return number.retyped(f"CAST(CAST({number.sql} AS VARCHAR) AS DOUBLE)", v.DOUBLE)
    return number.retyped(f"CAST({number.sql} AS DOUBLE)", v.DOUBLE)


def to_decimal(value: Value) -> Value:
    """Return an exact number as DECIMAL (never a DOUBLE)."""
    number = to_number(value)
    if number.type.kind == "dec":
        return number
    if number.type.kind == "dbl":
        raise CannotConvert("use of a DOUBLE as an exact number")
    kind = v.decimal_type(number.type.digits, 0)
    return number.retyped(f"CAST({number.sql} AS {kind.duckdb})", kind)


def to_condition(value: Value) -> str:
    """Return a DuckDB BOOLEAN: what WHERE, AND, IF make of a value."""
    kind = value.type.kind
    if kind == "bool":
        return value.sql
    if kind == "null":
        return "CAST(NULL AS BOOLEAN)"
    if kind in {"date", "datetime"}:
        return f"CASE WHEN {value.sql} IS NOT NULL THEN TRUE END"
    return f"({shown(to_number(value)).sql} <> 0)"


def to_text(value: Value) -> Value:
    """Return the text MySQL prints for a value."""
    kind = value.type.kind
    if kind == "str":
        if value.type.origin == "bytes":
            raise CannotConvert("bytes beyond ASCII as text")
        return value
    if kind == "null":
        return Value("CAST(NULL AS VARCHAR)", v.STRING)
    if kind == "bool":
        sql = f"CAST(CAST({value.sql} AS INTEGER) AS VARCHAR)"
    elif kind == "dbl":
        sql = _double_text(value)
    elif kind == "datetime" and value.type.scale:
        sql = f"substr(strftime({value.sql}, '%Y-%m-%d %H:%M:%S.%f'), 1, {20 + value.type.scale})"
    elif kind == "datetime":
        sql = v.call("mysql_datetime_text", value.sql)
    elif value.type.origin == "remainder":
        raise CannotConvert("use as text of a decimal remainder")
    elif value.type.origin == "kept" and value.literal is None:
        raise CannotConvert("use as text of a decimal out of a user variable")
    else:
        sql = f"CAST({shown(value).sql} AS VARCHAR)"
    return value.retyped(sql, v.STRING)


def _double_text(value: Value) -> str:
    if value.type.origin == "single":
        return v.call("mysql_double_text", single(value.sql))
    if value.type.scale >= 0:
        return v.call("mysql_fixed_text", value.sql, f"'{{:.{value.type.scale}f}}'")
    return v.call("mysql_double_text", value.sql)


def integer_of(value: Value) -> Value:
    """Return the whole number MySQL makes of a value: decimals rounded, text read by its prefix."""
    if value.type.kind == "null":
        return Value("CAST(NULL AS BIGINT)", v.INT)
    if value.type.kind == "str" and not value.type.members and value.type.origin != "hex":
        if isinstance(value.literal, str):
            match = re.match(r"\s*([+-]?\d+)", value.literal, re.ASCII)
            whole = int(match.group(1)) if match else 0
            if not -(1 << 63) <= whole < 1 << 64:
                raise CannotConvert("integer beyond 64 bits")
            return v.integer(whole) if whole < 1 << 63 else Value(f"CAST('{whole}' AS UBIGINT)", v.UINT)
        return value.retyped(v.call("mysql_integer", value.sql), v.INT)
    number = to_number(value)
    if number.type.kind == "dec":
        digits = min(19, number.type.digits + 1)
        return number.retyped(f"CAST({shown(number).sql} AS BIGINT)", Type("int", digits))
    if number.type.kind == "dbl":
        return number.retyped(f"CAST(round_even({number.sql}, 0) AS BIGINT)", v.INT)
    return number.retyped(number.sql, number.type)


# --- dates ---------------------------------------------------------------------------------------------------------
_DELIMITED = re.compile(
    r"\s*(\d{4})[-/.:](\d{1,2})[-/.:](\d{1,2})(?:[T\s]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,6}))?)?)?\s*$"
)
_SHORT_YEAR = re.compile(r"\s*(\d{2})(?=[-/.:]\d{1,2}[-/.:]\d{1,2}(?:[T\s]|$))")
_COMPACT = re.compile(r"\s*(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?\s*$")


def read_datetime(text: str) -> datetime | None:
    """Return the date and time a literal means, None where MySQL reads no date in it at all.

    Raises
    ------
    CannotConvert
        Where MySQL reads something that is not a calendar date (``2024-02-30``, ``0000-00-00``).
    """
    if short := _SHORT_YEAR.match(text):  # 70 to 99 are of the last century
        text = f"{'19' if short.group(1) >= '70' else '20'}{text.lstrip()}"
    match = _DELIMITED.match(text) or _COMPACT.match(text)
    if not match:
        if re.match(r"\s*\d", text):
            raise CannotConvert(f"reading of {text!r} as a date")
        return None
    parts = match.groups()
    year, month, day, hour, minute, second = (int(part or 0) for part in parts[:6])
    micro = int(((parts[6] if len(parts) > 6 else "") or "0").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, micro)  # noqa: DTZ001 - a MySQL DATETIME has no zone
    except ValueError:
        raise CannotConvert(f"reading of {text!r} as a date") from None


def read_time(text: str) -> str:
    """Return the DuckDB TIME that a literal ``HH:MM`` or ``HH:MM:SS`` means, "" for any other text."""
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?", text)
    if not match:
        return ""
    hour, minute, second = match.groups()
    return f"CAST('{int(hour):02d}:{minute}:{second or '00'}' AS TIME)"


def to_time(value: Value) -> Value:
    """Return the time of day of a DATETIME, a date or a literal."""
    if value.type.kind == "time":
        return value
    if isinstance(value.literal, str) and (clock := read_time(value.literal)):
        return Value(clock, v.TIME)
    if value.type.kind == "str" and value.literal is None:
        raise CannotConvert("use of a string as a TIME")
    if value.type.kind == "int" or (isinstance(value.literal, str) and ":" not in value.literal):
        raise CannotConvert("use of this value as a TIME")
    return value.retyped(f"CAST({to_datetime(value).sql} AS TIME)", v.TIME)


def datetime_literal(moment: datetime) -> str:
    """Return a DuckDB TIMESTAMP literal."""
    return f"CAST('{moment.isoformat(sep=' ')}' AS TIMESTAMP)"


def to_temporal(value: Value) -> Value:
    """Return a DATE or DATETIME: what a date function makes of its argument."""
    kind = value.type.kind
    if kind in {"date", "datetime"}:
        return value
    if kind == "null":
        return Value("CAST(NULL AS DATE)", v.DATE)
    if isinstance(value.literal, (str, int)) and not isinstance(value.literal, bool):
        moment = read_datetime(str(value.literal))
        if moment is None:
            return Value("CAST(NULL AS TIMESTAMP)", v.DATETIME)
        if re.fullmatch(r"\s*(?:\d{2}){1,2}[-/.:]\d{1,2}[-/.:]\d{1,2}\s*|\d{8}", str(value.literal)):
            return Value(f"CAST('{moment.date().isoformat()}' AS DATE)", v.DATE)
        return Value(datetime_literal(moment), v.DATETIME)
    if kind == "int":
        return value.retyped(v.call("mysql_integer_datetime", value.sql), v.DATETIME)
    if kind == "str" and value.type.origin in {"mixed", "numbers"}:
        raise CannotConvert("use as a date of text made from other types")
    if kind == "str":
        return value.retyped(v.call("mysql_text_datetime", value.sql), v.DATETIME)
    raise CannotConvert(f"use of a {kind} as a date")


def to_datetime(value: Value) -> Value:
    """Return a DATETIME."""
    moment = to_temporal(value)
    if moment.type.kind == "date":
        return moment.retyped(f"CAST({moment.sql} AS TIMESTAMP)", v.DATETIME)
    return moment


def to_date(value: Value) -> Value:
    """Return a DATE; the time of day is dropped."""
    moment = to_temporal(value)
    if moment.type.kind == "datetime":
        return moment.retyped(f"CAST({moment.sql} AS DATE)", v.DATE)
    return moment


# --- common types ---------------------------------------------------------------------------------------------------
def common_type(values: list[Value]) -> Type:
    """Return the type of a CASE, COALESCE or UNION over `values`."""
    kinds = {value.type.kind for value in values} - {"null"}
    types = [value.type for value in values if value.type.kind != "null"]
    if not kinds:
        return v.NULL
    if kinds == {"bool"}:
        return v.BOOL
    if kinds <= {"bool", "int"}:
        return Type("int", max(kind.digits for kind in types))
    if kinds == {"uint"}:
        return v.UINT
    if kinds <= {"bool", "int", "uint", "dec"}:
        target = v.decimal_type(
            max(kind.digits for kind in types),
            max(kind.scale for kind in types),
            max(kind.held for kind in types),
        )
        return v.all_shown(target, *types)
    if all(kind.origin == "single" for kind in types):
        return v.SINGLE
    if kinds <= {"bool", "int", "uint", "dec", "dbl"}:
        scales = {kind.scale if kind.kind in {"dbl", "dec"} else 0 for kind in types}
        return Type("dbl", scale=max(scales) if -1 not in scales else -1)
    if len(kinds) == 1 and kinds <= {"date", "datetime", "time"}:
        return max(types, key=lambda kind: kind.scale)
    if kinds == {"date", "datetime"}:
        return v.DATETIME
    if "time" in kinds:
        raise CannotConvert("mix of a TIME with other types")
    if any(kind.origin == "variable" for kind in types):
        raise CannotConvert("choice of a user variable, whose type depends on the session")
    collations = {kind.collation for kind in types if kind.kind == "str"}
    if len(collations) > 1:
        raise CannotConvert("mix of collations")
    return Type("str", collation=next(iter(collations), "ci"), origin=_mixed_origin(types))


def _mixed_origin(types: list[Type]) -> str:
    """Return the origin of text chosen among `types`: MySQL reads the chosen argument, not its text.

    Read as a date, both are the same where all arguments are dates and plain text.
    """
    origins = {kind.origin for kind in types if kind.kind == "str"}
    if origins == {""} and all(kind.kind == "str" for kind in types):
        return ""
    if all(kind.kind in {"str", "bool", "int", "uint", "dec", "dbl"} for kind in types) and origins <= {
        "",
        "numbers",
    }:
        return "numbers"
    dates = all(kind.kind in {"str", "date", "datetime"} for kind in types)
    return "dates" if dates and origins <= {"", "dates"} else "mixed"


def as_type(value: Value, target: Type) -> Value:
    """Convert a value to the common type it takes part in."""
    kind = target.kind
    if kind == "null":
        return value
    if value.type.kind == "null":
        return value.retyped(f"CAST(NULL AS {target.duckdb})", target)
    if kind == "bool":
        return value
    if kind == "int":
        return replace_type(to_int(value), target)
    if kind == "uint":
        return value
    if kind == "dec":
        number = to_decimal(value)
        return number.retyped(f"CAST({number.sql} AS {target.duckdb})", target)
    if kind == "dbl":
        return replace_type(to_double(value), target)
    if kind == "datetime":
        return to_datetime(value)
    if kind == "str":
        return replace_type(to_text(value), target)
    return value


def replace_type(value: Value, target: Type) -> Value:
    """Return the value under another type that DuckDB holds in the same way."""
    return value.retyped(value.sql, target)


# --- keys -------------------------------------------------------------------------------------------------------------
def key(value: Value) -> str:
    """Return the DuckDB expression that compares, groups and sorts as MySQL does."""
    kind = value.type
    if kind.kind == "str":
        if kind.collation == "ci":
            if isinstance(value.literal, str):
                from finassay.database._mysql._general_ci import key as collation_key

                return v.quote(collation_key(value.literal))
            return v.call("mysql_key", value.sql)
        if kind.collation == "gbk":
            return f"mysql_gbk_key({value.sql})"
        if kind.collation == "cs":
            return f"(rtrim({value.sql}, ' ') || ' ')"
        return value.sql
    if kind.kind == "dbl" and kind.scale >= 0:
        return value.sql
    return shown(value).sql

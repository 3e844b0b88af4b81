"""Flow, NULL, number and conversion functions; importing this module fills the registry."""

from __future__ import annotations

import re
from dataclasses import replace

from finassay.database._mysql import _arithmetic as arithmetic
from finassay.database._mysql import _dates, _json, _strings
from finassay.database._mysql import _values as v
from finassay.database._mysql._compare import choose, compare, greatest
from finassay.database._mysql._convert import (
    CannotConvert,
    as_type,
    common_type,
    integer_of,
    number_prefix,
    to_date,
    to_datetime,
    to_double,
    to_number,
    to_text,
    to_time,
)
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._values import Type, Value

MANY = 1000
__all__ = ["_dates", "_json", "_strings", "cast"]


# --- NULL and flow ----------------------------------------------------------------------------------------------------
@function("NVL2", args=3, any_collation=True)
def _nvl2(call: Call) -> Value:
    first, some, none = call.args
    return choose([(f"{first.sql} IS NOT NULL", some)], none)


@function("COALESCE", "IFNULL", "NVL", args=(1, MANY), any_collation=True)
def _coalesce(call: Call) -> Value:
    if call.name != "COALESCE" and len(call.args) != 2:
        raise CannotConvert(f"{call.name}() with {len(call.args)} arguments")
    target = common_type(call.args)
    values = call.args
    if target.kind == "bool":
        values, target = [to_number(value) for value in values], Type("int", 1)
    if target.kind == "null":
        return v.NULL_VALUE
    return Value(f"coalesce({', '.join(as_type(value, target).sql for value in values)})", target)


@function("NULLIF", args=2, any_collation=True)
def _nullif(call: Call) -> Value:
    first, second = call.args
    if first.type.kind == "bool":
        first = to_number(first)
    return v.let(
        [first, second],
        lambda x, y: f"CASE WHEN {compare('=', x, y).sql} THEN NULL ELSE {x.sql} END",
        first.type,
    )


@function("ISNULL", any_collation=True)
def _isnull(call: Call) -> Value:
    return Value(f"({call.args[0].sql} IS NULL)", v.BOOL)


@function("GREATEST", "LEAST", args=(2, MANY), any_collation=True)
def _greatest(call: Call) -> Value:
    return greatest(">" if call.name == "GREATEST" else "<", call.args)


@function("INTERVAL", args=(2, MANY), any_collation=True)
def _interval(call: Call) -> Value:
    number, *bounds = call.args
    if any(value.type.kind not in {"int", "dec", "bool"} for value in bounds) or not number.type.numeric:
        raise CannotConvert("INTERVAL() of anything but numbers")
    whens = " ".join(f"WHEN {compare('<', number, bound).sql} THEN {at}" for at, bound in enumerate(bounds))
    return Value(f"CASE WHEN {number.sql} IS NULL THEN -1 {whens} ELSE {len(bounds)} END", Type("int", 4))


# --- numbers ------------------------------------------------------------------------------------------------
@function("ABS", any_collation=True)
def _abs(call: Call) -> Value:
    return arithmetic.absolute(call.args[0])


@function("SIGN", any_collation=True)
def _sign(call: Call) -> Value:
    return Value(f"CAST(sign({to_number(call.args[0]).sql}) AS BIGINT)", Type("int", 1))


@function("ROUND", args=(1, 2), any_collation=True)
def _round(call: Call) -> Value:
    if len(call.args) == 2 and call.args[1].literal is None:
        return arithmetic.round_by(arithmetic.round_to, call.args[0], to_number(call.args[1]))
    return arithmetic.round_to(call.args[0], call.constant_int(1) if len(call.args) == 2 else 0)


@function("TRUNCATE", args=2, any_collation=True)
def _truncate(call: Call) -> Value:
    if call.args[1].literal is None:
        return arithmetic.round_by(arithmetic.truncate_to, call.args[0], to_number(call.args[1]))
    return arithmetic.truncate_to(call.args[0], call.constant_int(1))


@function("FLOOR", any_collation=True)
def _floor(call: Call) -> Value:
    return arithmetic.floor_or_ceiling("floor", call.args[0])


@function("CEIL", "CEILING", any_collation=True)
def _ceiling(call: Call) -> Value:
    return arithmetic.floor_or_ceiling("ceil", call.args[0])


@function("MOD", args=2, any_collation=True)
def _mod(call: Call) -> Value:
    return arithmetic.modulo(call.args[0], call.args[1])


def _guarded(call: Call, function_name: str, allowed: str) -> Value:
    number = to_double(call.args[0])
    return v.let(
        [number], lambda x: f"CASE WHEN {allowed.format(x=x.sql)} THEN {function_name}({x.sql}) END", v.DOUBLE
    )


@function("SQRT", any_collation=True)
def _sqrt(call: Call) -> Value:
    return _guarded(call, "sqrt", "{x} >= 0")


@function("LN", "LOG2", "LOG10", any_collation=True)
def _log(call: Call) -> Value:
    return _guarded(call, call.name.lower(), "{x} > 0")


@function("LOG", args=(1, 2), any_collation=True)
def _log_base(call: Call) -> Value:
    if len(call.args) == 1:
        return _guarded(call, "ln", "{x} > 0")
    base, x = to_double(call.args[0]).sql, to_double(call.args[1]).sql
    return Value(v.call("mysql_log", base, x), v.DOUBLE)


@function("EXP", any_collation=True)
def _exp(call: Call) -> Value:
    return Value(v.call("mysql_finite", f"exp({to_double(call.args[0]).sql})"), v.DOUBLE)


@function("POW", "POWER", args=2, any_collation=True)
def _pow(call: Call) -> Value:
    base, power = to_double(call.args[0]).sql, to_double(call.args[1]).sql
    return Value(v.call("mysql_pow", base, power), v.DOUBLE)


@function("SIN", "COS", "TAN", "DEGREES", "RADIANS", any_collation=True)
def _angle(call: Call) -> Value:
    return Value(v.call("mysql_finite", f"{call.name.lower()}({to_double(call.args[0]).sql})"), v.DOUBLE)


@function("ASIN", "ACOS", any_collation=True)
def _arc(call: Call) -> Value:
    return _guarded(call, call.name.lower(), "abs({x}) <= 1")


@function("COT", any_collation=True)
def _cot(call: Call) -> Value:
    return Value(v.call("mysql_finite", f"cot({to_double(call.args[0]).sql})"), v.DOUBLE)


@function("BIT_COUNT", any_collation=True)
def _bit_count(call: Call) -> Value:
    return Value(f"bit_count({v.call('mysql_bits', arithmetic.word(call.args[0]).sql)})", Type("int", 2))


@function("ATAN2", "ATAN", args=(1, 2), any_collation=True)
def _atan2(call: Call) -> Value:
    if len(call.args) == 1:
        return Value(f"atan({to_double(call.args[0]).sql})", v.DOUBLE)
    y, x = (to_double(each).sql for each in call.args)
    return Value(f"atan2({y}, {x})", v.DOUBLE)


@function("PI", args=(0, 0), any_collation=True)
def _pi(_call: Call) -> Value:
    return Value("pi()", Type("dbl", scale=6))


# --- casts --------------------------------------------------------------------------------------------------
def cast(value: Value, target: str, sizes: tuple[int, ...]) -> Value:
    """Return CAST(value AS target(sizes))."""
    if value.type.kind == "null":
        kinds = {"SIGNED": v.INT, "UNSIGNED": v.UINT, "DECIMAL": v.decimal_type(10, 0), "DOUBLE": v.DOUBLE,
                 "CHAR": v.STRING, "DATE": v.DATE, "DATETIME": v.DATETIME}  # fmt: skip
        if target in kinds:
            return Value(f"CAST(NULL AS {kinds[target].duckdb})", kinds[target])
    if target in {"SIGNED", "UNSIGNED", "INT", "INTEGER"}:
        return _cast_integer(value, target)
    if target in {"DECIMAL", "DEC", "NUMERIC"}:
        return _cast_decimal(value, sizes)
    if target == "DOUBLE":
        return to_double(value)
    if target == "FLOAT":
        return Value(f"CAST(CAST({to_double(value).sql} AS FLOAT) AS DOUBLE)", v.SINGLE)
    if target in {"CHAR", "VARCHAR", "NCHAR"}:
        text = to_text(value)
        sql = f"substr({text.sql}, 1, {sizes[0]})" if sizes else text.sql
        return text.retyped(sql, replace(v.WHOLE_TEXT, collation=text.type.collation))
    if target == "DATE":
        date = to_date(value)
        return date.retyped(date.sql, date.type)
    if target == "TIME" and not sizes:
        return to_time(value)
    if target == "DATETIME":
        part = {0: "second", 3: "millisecond", 6: "microsecond"}.get(sizes[0] if sizes else 0)
        if part is None:
            raise CannotConvert("DATETIME with so many digits of seconds")
        kind = replace(v.DATETIME, scale=sizes[0] if sizes else 0)
        return Value(f"date_trunc('{part}', {to_datetime(value).sql})", kind)
    if target == "BINARY" and not sizes:
        text = to_text(value)
        return Value(text.sql, Type("str", collation="binary"), text.literal, explicit=True)
    raise CannotConvert(f"CAST to {target}")


def _cast_integer(value: Value, target: str) -> Value:
    number = integer_of(value)
    if target != "UNSIGNED":
        return number if number.type.kind != "uint" else number.retyped(f"mysql_signed({number.sql})", v.INT)
    return Value(v.call("mysql_bits", number.sql), v.UINT)


def _cast_decimal(value: Value, sizes: tuple[int, ...]) -> Value:
    precision, scale = (sizes + (10, 0)[len(sizes) :])[:2] if sizes else (10, 0)
    if precision > v.MAX_DIGITS:
        raise CannotConvert("decimal of more than 38 digits")
    target = v.decimal_type(precision - scale, scale)
    kind = value.type.kind
    if kind == "str":
        prefix = value.sql
        if isinstance(value.literal, str):
            match = re.match(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?![eE\d.])", value.literal)
            if not match and number_prefix(value.literal) != 0:
                return _saturated(
                    f"mysql_exponent_text({value.sql})", v.MAX_DIGITS, precision - scale, target
                )
            prefix = v.quote(match.group(0).strip() if match else "0")
            return _saturated(prefix, v.MAX_DIGITS, precision - scale, target)
        return _saturated(v.call("mysql_decimal_text", prefix), v.MAX_DIGITS, precision - scale, target)
    number = to_number(value)
    if number.type.kind == "dbl":
        sql, digits = f"CAST({number.sql} AS VARCHAR)", v.MAX_DIGITS
    else:
        sql, digits = number.sql, number.type.digits + 1
    whole = precision - scale
    if digits <= whole:
        return Value(f"CAST({sql} AS {target.duckdb})", target)
    return _saturated(sql, digits, whole, target)


def _saturated(sql: str, digits: int, whole: int, target: Type) -> Value:
    """Return a cast to DECIMAL: what does not fit becomes the largest number that does, as in MySQL."""
    wide = v.decimal_type(min(digits, v.MAX_DIGITS - target.scale), target.scale)
    largest = ("9" * whole or "0") + ("." + "9" * target.scale if target.scale else "")
    limit = f"CAST('{largest}' AS {wide.duckdb})"
    return v.let(
        [Value(f"CAST({sql} AS {wide.duckdb})", wide)],
        lambda x: (
            f"CAST(CASE WHEN {x.sql} > {limit} THEN {limit} WHEN {x.sql} < -{limit} THEN -{limit} "
            f"ELSE {x.sql} END AS {target.duckdb})"
        ),
        target,
    )

"""MySQL's arithmetic: result types, the digits a quotient shows and holds, division by zero, rounding."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from finassay.database._mysql import _values as v
from finassay.database._mysql._convert import (
    CannotConvert,
    integer_of,
    shown,
    single,
    stored,
    to_decimal,
    to_double,
    to_int,
    to_number,
)
from finassay.database._mysql._scope import GROUP_ALIAS
from finassay.database._mysql._values import MAX_DIGITS, MAX_SCALE, Type, Value

DIV_INCREMENT = 4  # the server's div_precision_increment
_ROOM = 17  # digits before the point that are always kept when a product or quotient is cut to 38 digits
_SHORT = 18  # digits of a DECIMAL that DuckDB holds in 64 bits
_NOT_FIXED = 31  # decimals from which a DOUBLE is shown in full
_COLUMN = re.compile(rf'(?!"{GROUP_ALIAS}")"[^"]+"\."[^"]+"')  # of a table: its values were not computed here
_WORD = 9  # MySQL keeps decimals in words of nine digits


def _exact(left: Value, right: Value) -> tuple[Value, Value] | None:
    """Return both as decimals where the pair is exact and not all integers; None otherwise."""
    if "dbl" in {left.type.kind, right.type.kind}:
        return None
    return to_decimal(left), to_decimal(right)


def add(operator: str, left: Value, right: Value) -> Value:
    """Add or subtract."""
    left, right = to_number(left), to_number(right)
    kinds = {left.type.kind, right.type.kind}
    if "dbl" in kinds:
        return _doubles(operator, left, right, max(_decimals(left), _decimals(right)))
    if "dec" in kinds:
        first, second = to_decimal(left), to_decimal(right)
        target = v.decimal_type(
            max(first.type.digits, second.type.digits) + 1,
            max(first.type.scale, second.type.scale),
            max(first.type.held, second.type.held),
        )
        target = v.all_shown(target, first.type, second.type)
        return Value(f"CAST({roomy(first)} {operator} {second.sql} AS {target.duckdb})", target)
    return _integers(operator, left, right)


def multiply(left: Value, right: Value) -> Value:
    """Multiply."""
    left, right = to_number(left), to_number(right)
    kinds = {left.type.kind, right.type.kind}
    if "dbl" in kinds:
        return _doubles("*", left, right, max(_decimals(left), _decimals(right)))
    if "dec" not in kinds:
        return _integers("*", left, right)
    first, second = to_decimal(left), to_decimal(right)
    a, b = first.type, second.type
    scale, held, digits = min(MAX_SCALE, a.scale + b.scale), a.held + b.held, a.digits + b.digits
    if held <= MAX_DIGITS - _ROOM or digits + held <= MAX_DIGITS:
        target = v.all_shown(v.decimal_type(digits, scale, held), a, b)
        return Value(f"CAST({roomy(first)} * {second.sql} AS {target.duckdb})", target)
    cut = max(scale, MAX_DIGITS - _ROOM)
    if cut > MAX_DIGITS:
        raise CannotConvert("decimal of more than 38 digits")
    if "kept" in {a.origin, b.origin}:
        raise CannotConvert("decimal of more than 38 digits")
    target = v.decimal_type(digits, scale, min(held, cut))
    function = "mysql_multiply_rounded" if target.held == scale < held else "mysql_multiply"
    texts = (f"CAST({each.sql} AS VARCHAR)" for each in (first, second))
    call = v.call(function, *texts, str(target.held))
    return Value(f"CAST({call} AS {target.duckdb})", target)


def _integers(operator: str, left: Value, right: Value) -> Value:
    first, second = to_int(left), to_int(right)
    if "uint" in {first.type.kind, second.type.kind}:
        # An unsigned operand makes the result unsigned: below zero is an error in MySQL too.
        wide = f"CAST({first.sql} AS HUGEINT) {operator} CAST({second.sql} AS HUGEINT)"
        return Value(f"CAST({wide} AS UBIGINT)", v.UINT)
    digits = max(first.type.digits, second.type.digits) + 1
    if operator == "*":
        digits = first.type.digits + second.type.digits
    return Value(f"({_wide(first)} {operator} {_wide(second)})", Type("int", min(19, digits)))


def _wide(value: Value) -> str:
    return value.sql if value.sql.startswith("CAST(") else f"CAST({value.sql} AS BIGINT)"


def _doubles(operator: str, left: Value, right: Value, scale: int) -> Value:
    fixed = -1 not in {_decimals(left), _decimals(right)} and scale < _NOT_FIXED
    return Value(
        f"({to_double(left).sql} {operator} {to_double(right).sql})",
        Type("dbl", scale=scale if fixed else -1),
    )


def _decimals(value: Value) -> int:
    return value.type.scale if value.type.kind in {"dbl", "dec"} else 0


def roomy(value: Value) -> str:
    """Return a decimal in at least 19 digits: DuckDB gives two short decimals a result of 18 digits at most."""
    kind = value.type
    if kind.digits + kind.held > _SHORT:
        return value.sql
    return f"CAST({value.sql} AS DECIMAL({_SHORT + 1},{kind.held}))"


def words(digits: int) -> int:
    """Round a number of digits up to whole words of MySQL's decimal."""
    return -(-digits // _WORD) * _WORD


def divide(left: Value, right: Value) -> Value:
    """Divide with ``/``: exact numbers give a DECIMAL with four more digits, and NULL for a zero divisor.

    MySQL's ``do_div_mod`` holds whole nine-digit words and cuts the rest; it shows ``scale + 4`` digits. A later
    ROUND or product sees the held digits: ``ROUND(1/3, 6)`` is 0.333333.
    """
    left, right = to_number(left), to_number(right)
    if "dbl" in {left.type.kind, right.type.kind}:
        first, second = to_double(left), to_double(right)
        scale = max(_decimals(left), _decimals(right)) + DIV_INCREMENT
        fixed = -1 not in {_decimals(left), _decimals(right)} and scale < _NOT_FIXED
        kind = Type("dbl", scale=scale if fixed else -1)
        return v.let([first, second], lambda x, y: f"CASE WHEN {y.sql} <> 0 THEN {x.sql} / {y.sql} END", kind)
    return quotient(to_decimal(left), to_decimal(right))


def quotient(a: Value, b: Value) -> Value:
    """Divide two decimals."""
    whole_a, whole_b = words(a.type.held), words(b.type.held)
    more = max(0, DIV_INCREMENT - (whole_a - a.type.held + whole_b - b.type.held))
    scale = min(MAX_SCALE, a.type.scale + DIV_INCREMENT)
    held = words(whole_a + whole_b + more)
    digits = a.type.digits + b.type.held
    exact = held
    if held > MAX_DIGITS - _ROOM and digits + held > MAX_DIGITS:
        held = max(scale, MAX_DIGITS - _ROOM)
    if held > MAX_DIGITS or (held < exact and a.type.origin == "kept"):
        raise CannotConvert("decimal of more than 38 digits")
    target = v.all_shown(v.decimal_type(digits, scale, held), a.type)
    # Where no digit is held beyond those shown, the last one is rounded as MySQL would round it.
    rounded = held == scale < exact
    return v.let([a, b], lambda x, y: _quotient_sql(x, y, target, rounded=rounded), target)


def _quotient_sql(a: Value, b: Value, target: Type, *, rounded: bool) -> str:
    shift = target.held - a.type.held + b.type.held
    size_a, size_b = a.type.digits + a.type.held, b.type.digits + b.type.held
    power = f"CAST('1{'0' * max(shift, 0)}' AS HUGEINT)"
    if rounded or shift < 0 or (size_a + shift > MAX_DIGITS and size_b + shift > MAX_DIGITS):
        call = v.call(
            "mysql_divide_rounded" if rounded else "mysql_divide",
            f"CAST({a.sql} AS VARCHAR)",
            f"CAST(nullif({b.sql}, 0) AS VARCHAR)",
            str(target.held),
        )
        return f"CAST({call} AS {target.duckdb})"
    first, second = unscaled(a), unscaled(b)
    if size_a + shift <= MAX_DIGITS:
        units = f"{first} * {power} // {second}"
    else:
        units = f"({first} // {second} * {power} + {first} % {second} * {power} // {second})"
    unit = f"CAST('0.{'0' * (target.held - 1)}1' AS DECIMAL({target.held},{target.held}))"
    return f"CASE WHEN {b.sql} <> 0 THEN CAST(CAST({units} AS DECIMAL(38,0)) * {unit} AS {target.duckdb}) END"


def unscaled(value: Value) -> str:
    """Return the decimal's digits as an integer."""
    kind = value.type
    if kind.held == 0:
        return f"CAST({value.sql} AS HUGEINT)"
    if kind.digits + 2 * kind.held + 1 <= MAX_DIGITS:
        return f"CAST({roomy(value)} * CAST(1{'0' * kind.held} AS DECIMAL({kind.held + 1},0)) AS HUGEINT)"
    return f"CAST(replace(CAST({value.sql} AS VARCHAR), '.', '') AS HUGEINT)"


def integer_divide(left: Value, right: Value) -> Value:
    """Divide with DIV: the quotient cut to an integer, NULL for a zero divisor."""
    if "null" in {left.type.kind, right.type.kind}:
        return Value("CAST(NULL AS BIGINT)", v.INT)
    a, b = (_plain_number(each) for each in (left, right))
    if "dbl" in {a.type.kind, b.type.kind}:
        raise CannotConvert("DIV of a DOUBLE or a string")
    if "uint" in {a.type.kind, b.type.kind} and "dec" not in {a.type.kind, b.type.kind}:
        return v.let([a, b], lambda x, y: _unsigned("//", x, y), v.UINT)
    if "dec" not in {a.type.kind, b.type.kind}:
        kind = Type("int", a.type.digits)
        return v.let([a, b], lambda x, y: f"CASE WHEN {y.sql} <> 0 THEN {_wide(x)} // {_wide(y)} END", kind)
    return v.let([to_decimal(a), to_decimal(b)], _decimal_div, v.INT)


def _plain_number(value: Value) -> Value:
    """Return a number; a literal in quotes as the decimal it spells."""
    match = (
        re.match(r"\s*[+-]?\d{1,18}(\.\d{1,12})?(?![\d.eE])", value.literal)
        if isinstance(value.literal, str)
        else None
    )
    if match is None:
        return to_number(value)
    decimal = Decimal(match.group(0).strip())
    kind = v.decimal_type(18, len((match.group(1) or ".")[1:]))
    return Value(f"CAST('{decimal:f}' AS {kind.duckdb})", kind, literal=decimal)


def _unsigned(operator: str, x: Value, y: Value, result: str = "UBIGINT") -> str:
    wide = f"CAST({x.sql} AS HUGEINT) {operator} CAST({y.sql} AS HUGEINT)"
    return f"CASE WHEN {y.sql} <> 0 THEN CAST({wide} AS {result}) END"


def _decimal_div(first: Value, second: Value) -> str:
    scale = max(first.type.held, second.type.held)
    sides = []
    for side in (first, second):
        target = v.decimal_type(side.type.digits, scale)
        sides.append(unscaled(side.retyped(f"CAST({side.sql} AS {target.duckdb})", target)))
    return f"CASE WHEN {second.sql} <> 0 THEN CAST({sides[0]} // {sides[1]} AS BIGINT) END"


def modulo(left: Value, right: Value) -> Value:
    """Return the remainder with the sign of the dividend, NULL for a zero divisor."""
    a, b = to_number(left), to_number(right)
    kinds = {a.type.kind, b.type.kind}
    if "uint" in kinds and not kinds & {"dec", "dbl"}:
        kind = v.UINT if a.type.kind == "uint" else v.INT
        return v.let([a, b], lambda x, y: _unsigned("%", x, y, kind.duckdb), kind)
    if "dbl" in kinds:
        pair = [to_double(a), to_double(b)]
        return v.let(pair, lambda x, y: f"CASE WHEN {y.sql} <> 0 THEN {x.sql} % {y.sql} END", v.DOUBLE)
    if "dec" not in kinds:
        kind = Type("int", max(a.type.digits, b.type.digits))
        return v.let([a, b], lambda x, y: f"CASE WHEN {y.sql} <> 0 THEN {_wide(x)} % {_wide(y)} END", kind)
    first, second = to_decimal(a), to_decimal(b)
    target = v.decimal_type(
        max(first.type.digits, second.type.digits),
        max(first.type.scale, second.type.scale),
        max(first.type.held, second.type.held),
    )

    def remainder(x: Value, y: Value) -> str:
        wide = f"CAST({x.sql} AS {target.duckdb}) % CAST({y.sql} AS {target.duckdb})"
        return f"CASE WHEN {y.sql} <> 0 THEN {wide} END"

    return v.let([first, second], remainder, replace(target, origin="remainder"))


def word(value: Value) -> Value:
    """Return the whole number a bit operation sees: what is no integer goes through a decimal, which is rounded."""
    if value.type.kind == "dbl":
        return value.retyped(f"CAST(round({value.sql}) AS BIGINT)", v.INT)
    if value.type.kind == "str" and not value.type.members and value.type.origin not in {"hex", "bytes"}:
        return value.retyped(
            f"CAST(CAST(mysql_decimal_text({value.sql}) AS DECIMAL(38,10)) AS BIGINT)", v.INT
        )
    return integer_of(value)


def bits(operator: str, *sides: Value) -> Value:
    """Return ``&``, ``|``, ``^``, ``~`` or a shift to the left or right: of 64 bits, unsigned."""
    words = [v.call("mysql_bits", word(side).sql) for side in sides]
    if operator == "~":
        return Value(f"xor({words[0]}, CAST(18446744073709551615 AS UBIGINT))", v.UINT)
    if operator in {"left", "right"}:
        return Value(v.call(f"mysql_shift_{operator}", *words), v.UINT)
    return Value(
        f"xor({', '.join(words)})" if operator == "^" else f"({f' {operator} '.join(words)})", v.UINT
    )


def negate(value: Value) -> Value:
    """Return ``-x``."""
    number = to_number(value)
    if number.type.kind == "uint":
        return number.retyped(f"CAST(-CAST({number.sql} AS HUGEINT) AS BIGINT)", v.INT)
    if isinstance(number.literal, int):
        return v.integer(-number.literal)
    return number.retyped(f"(- {number.sql})", number.type)


def absolute(value: Value) -> Value:
    """Return ABS(x)."""
    number = to_number(value)
    return number.retyped(f"abs({number.sql})", number.type)


def round_to(value: Value, places: int) -> Value:
    """Return ROUND(x, places): half away from zero for exact numbers, half to even on the scaled DOUBLE."""
    number = to_number(value)
    kind = number.type
    if kind.kind == "dbl":
        if not -15 <= places <= 15:
            raise CannotConvert("ROUND of a DOUBLE to this many places")
        if places < 0:  # no zero has a sign
            return number.retyped(
                f"(round_even({number.sql} / 1e{-places}, 0) * 1e{-places} + 0e0)", Type("dbl", scale=0)
            )
        return number.retyped(
            v.call("mysql_round_double", number.sql, f"1e{places}"), Type("dbl", scale=places)
        )
    if places < 0:
        unit = f"CAST('1{'0' * -places}' AS HUGEINT)"
        if -places > 18:
            raise CannotConvert("ROUND to this many places")
        tens = v.call("mysql_round_tens", number.sql, unit)
        if kind.kind == "dec":
            target = v.decimal_type(kind.digits + 1, 0)
            return number.retyped(f"CAST({tens} AS {target.duckdb})", target)
        return number.retyped(f"CAST({tens} AS BIGINT)", Type("int", min(19, kind.digits + 1)))
    if kind.kind != "dec":
        return number
    # Asked for more digits than there are, MySQL adds zeros, and a later division counts them.
    if places > MAX_DIGITS - _ROOM:
        raise CannotConvert("decimal of more than 38 digits")
    target = v.decimal_type(kind.digits + 1, places)
    return number.retyped(f"CAST({number.sql} AS {target.duckdb})", target)


def truncate_to(value: Value, places: int) -> Value:
    """Return TRUNCATE(x, places): digits cut off towards zero."""
    number = to_number(value)
    kind = number.type
    if kind.kind == "dbl":
        if not 0 <= places <= 15:
            raise CannotConvert("TRUNCATE of a DOUBLE to this many places")
        return number.retyped(f"(trunc({number.sql} * 1e{places}) / 1e{places})", Type("dbl", scale=places))
    if kind.kind != "dec":
        if places >= 0:
            return number
        step = f"CAST(1{'0' * -places} AS BIGINT)"
        return v.let([number], lambda x: f"({_wide(x)} - {_wide(x)} % {step})", kind)
    if places >= kind.held:
        if places > MAX_DIGITS - _ROOM:
            raise CannotConvert("decimal of more than 38 digits")
        wider = v.decimal_type(kind.digits, places)
        return number.retyped(f"CAST({number.sql} AS {wider.duckdb})", wider)
    digits = v.decimal_type(kind.digits, kind.held)
    if places >= 0:
        step = f"CAST('{'1' if places == 0 else '0.' + '0' * (places - 1) + '1'}' AS {digits.duckdb})"
    else:
        if -places >= kind.digits or -places + kind.held >= MAX_DIGITS:
            raise CannotConvert("TRUNCATE to this many places")
        step = f"CAST('1{'0' * -places}' AS {digits.duckdb})"
    target = v.decimal_type(kind.digits, max(places, 0))

    def cut(x: Value) -> str:
        return f"CAST({x.sql} - CAST({x.sql} AS {digits.duckdb}) % {step} AS {target.duckdb})"

    return v.let([number], cut, target)


def floor_or_ceiling(function: str, value: Value) -> Value:
    """Return FLOOR(x) or CEIL(x)."""
    number = to_number(value)
    kind = number.type
    if kind.kind == "dbl":
        return number.retyped(f"{function}({number.sql})", Type("dbl", scale=0))
    if kind.kind != "dec":
        return number
    if kind.digits <= 18:
        return number.retyped(f"CAST({function}({number.sql}) AS BIGINT)", Type("int", kind.digits))
    target = v.decimal_type(kind.digits, 0)
    return number.retyped(f"CAST({function}({number.sql}) AS {target.duckdb})", target)


def printable(value: Value) -> Value:
    """Return a value as a result column holds it: shown digits, integers instead of booleans."""
    kind = value.type
    if kind.kind == "bool":
        return value.retyped(f"CAST({value.sql} AS BIGINT)", Type("int", 1))
    if kind.origin == "single":
        return value.retyped(single(value.sql), v.DOUBLE)
    if kind.kind == "str" and kind.collation == "binary":
        return value.retyped(f"encode({value.sql})", kind)
    if kind.kind == "dbl":
        sql = stored(replace(value, type=replace(kind, origin=""))).sql
        return value.retyped(sql if _COLUMN.fullmatch(sql) else v.call("mysql_finite", sql), v.DOUBLE)
    return shown(value)


def round_by(function: Callable[[Value, int], Value], value: Value, places: Value) -> Value:
    """Return ROUND or TRUNCATE to a number of digits that is not a literal: as many as the value has at most."""
    number = to_number(value)
    if number.type.kind not in {"dec", "int"} or places.type.kind != "int":
        raise CannotConvert("ROUND of a DOUBLE to digits that are not a literal")
    exact = shown(to_decimal(number))
    whole, scale = min(exact.type.digits, _SHORT), exact.type.scale
    kind = v.decimal_type(whole + 1, scale)
    target = kind if number.type.kind == "dec" else Type("int", whole + 1)
    least = -whole if function is round_to else 1 - whole

    def cases(x: Value, n: Value) -> str:
        whens = " ".join(
            f"WHEN {at} THEN CAST({function(x, at).sql} AS {target.duckdb})" for at in range(least, scale)
        )
        return (
            f"CASE WHEN {n.sql} >= {scale} THEN CAST({x.sql} AS {target.duckdb}) WHEN {n.sql} < {least} "
            f"THEN CAST(0 AS {target.duckdb}) ELSE CASE {n.sql} {whens} END END"
        )

    return v.let([exact, places], cases, target)

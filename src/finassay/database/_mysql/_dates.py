"""Date and time functions."""

from __future__ import annotations

import re
from dataclasses import replace

from finassay.database._mysql import _values as v
from finassay.database._mysql._arithmetic import round_to
from finassay.database._mysql._convert import (
    CannotConvert,
    read_time,
    to_date,
    to_datetime,
    to_int,
    to_number,
    to_temporal,
    to_text,
    to_time,
)
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._scalars import expand
from finassay.database._mysql._values import Type, Value

_MOMENT_TEXT = Type("str", origin="moment")
_SMALL = Type("int", 4)
_MONTH_UNITS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_DAY_UNITS = {"DAY": 1, "WEEK": 7}
_CLOCK_UNITS = {"MICROSECOND": 1, "SECOND": 10**6, "MINUTE": 60 * 10**6, "HOUR": 3600 * 10**6}
_DAY_MICROSECONDS = 86400 * 10**6


def _whole(value: Value, unit: str) -> str:
    """Return the amount of an INTERVAL as an integer: decimals are rounded, except those of seconds."""
    if isinstance(value.literal, str):
        match = re.fullmatch(r"\s*([+-]?\d{1,9})(\.\d*)?\s*", value.literal)
        if not match or (match.group(2) and unit == "SECOND"):
            raise CannotConvert("INTERVAL with an amount that is not a whole number")
        return v.integer(int(match.group(1))).sql  # a string is cut, a number rounded
    if value.type.kind == "dec" and unit != "SECOND":
        rounded = round_to(value, 0)
        return f"CAST({rounded.sql} AS BIGINT)"
    if value.type.kind not in {"int", "bool", "null"}:
        raise CannotConvert("INTERVAL with an amount that is not a whole number")
    return to_int(value).sql


def add_interval(moment: Value, amount: Value, unit: str, sign: int) -> Value:
    """Return ``moment ± INTERVAL amount unit``: months are clamped to the end of the month.

    A DATE stays a DATE under units of a day and more; a string gives a string, as in MySQL.
    """
    if unit == "YEAR_MONTH" or "_" in unit:
        months, micros = _compound(amount, unit)
        steps, clock = (f"to_months(CAST({sign * months} AS INTEGER))", False)
        if unit != "YEAR_MONTH":
            steps, clock = f"to_microseconds(CAST({sign * micros} AS BIGINT))", True
    else:
        number = _whole(amount, unit)
        signed = number if sign > 0 else f"(- {number})"
        if unit in _MONTH_UNITS:
            steps, clock = f"to_months(CAST({signed} * {_MONTH_UNITS[unit]} AS INTEGER))", False
        elif unit in _DAY_UNITS:
            steps, clock = f"to_days(CAST({signed} * {_DAY_UNITS[unit]} AS INTEGER))", False
        elif unit == "MICROSECOND":
            raise CannotConvert("INTERVAL of MICROSECOND")
        else:
            steps, clock = f"to_microseconds({signed} * {_CLOCK_UNITS[unit]})", True
    return _shift(moment, steps, clock)


def _compound(amount: Value, unit: str) -> tuple[int, int]:
    """Return the months and microseconds of an amount such as ``'1-6' YEAR_MONTH``."""
    units = unit.split("_")
    order = ["DAY", "HOUR", "MINUTE", "SECOND"]
    if unit == "YEAR_MONTH":
        names = ["YEAR", "MONTH"]
    elif units[1] == "MICROSECOND":
        raise CannotConvert(f"INTERVAL of {unit}")
    else:
        names = order[order.index(units[0]) : order.index(units[1]) + 1]
    if not isinstance(amount.literal, str):
        raise CannotConvert(f"INTERVAL of {unit} with an amount that is not a string literal")
    match = re.fullmatch(r"\s*(-?)(\d+(?:[-:./ ]\d+)*)\s*", amount.literal)
    numbers = [int(part) for part in re.findall(r"\d+", match.group(2))] if match else []
    if not match or len(numbers) != len(names):
        raise CannotConvert(f"INTERVAL of {unit} with this amount")
    sign = -1 if match.group(1) else 1
    if unit == "YEAR_MONTH":
        return sign * (numbers[0] * 12 + numbers[1]), 0
    size = {**_CLOCK_UNITS, "DAY": _DAY_MICROSECONDS}
    return 0, sign * sum(number * size[each] for number, each in zip(numbers, names, strict=True))


def _shift(moment: Value, steps: str, clock: bool) -> Value:
    if moment.type.kind == "time":
        if not clock:
            raise CannotConvert("INTERVAL of days on a TIME")
        return _time_of(f"((epoch_us({moment.sql}) + epoch_us({steps})) // 1000000)")
    start = to_temporal(moment)
    as_text = not moment.type.temporal
    if start.type.kind == "date" and not clock:
        shifted = Value(v.call("mysql_in_range", f"CAST({start.sql} + {steps} AS DATE)"), v.DATE)
    else:
        kind = replace(v.DATETIME, scale=start.type.scale)
        shifted = Value(v.call("mysql_in_range", f"CAST({start.sql} AS TIMESTAMP) + {steps}"), kind)
    if moment.type.kind == "null":
        return Value("CAST(NULL AS VARCHAR)", v.STRING)
    if not as_text:
        return shifted
    if moment.literal is None:
        # A computed string or a column: with a time of day MySQL adds microseconds to what it prints, by its type.
        if clock:
            raise CannotConvert("INTERVAL with a unit below a day on a string that is not a literal")
        return Value(v.call("mysql_shifted_text", to_text(moment).sql, shifted.sql), _MOMENT_TEXT)
    return to_text(shifted).retyped(to_text(shifted).sql, _MOMENT_TEXT)


@function("TIMESTAMPADD", args=3)
def _timestampadd(call: Call) -> Value:
    return add_interval(call.args[2], call.args[1], call.constant_text(0), 1)


@function("DATEDIFF", args=2)
def _datediff(call: Call) -> Value:
    return Value(
        f"date_diff('day', {to_date(call.args[1]).sql}, {to_date(call.args[0]).sql})", Type("int", 7)
    )


@function("TIMESTAMPDIFF", args=3)
def _timestampdiff(call: Call) -> Value:
    unit = call.constant_text(0)
    first, second = to_datetime(call.args[1]).sql, to_datetime(call.args[2]).sql
    if unit in _MONTH_UNITS:
        months = v.call("mysql_months", first, second)
        return Value(f"({months} // {_MONTH_UNITS[unit]})" if unit != "MONTH" else months, Type("int", 7))
    sizes = {**_CLOCK_UNITS, "DAY": _DAY_MICROSECONDS, "WEEK": 7 * _DAY_MICROSECONDS}
    if unit not in sizes:
        raise CannotConvert(f"TIMESTAMPDIFF({unit}, …)")
    return Value(f"((epoch_us({second}) - epoch_us({first})) // {sizes[unit]})", v.INT)


@function("DATE")
def _date(call: Call) -> Value:
    return to_date(call.args[0])


@function("TIMESTAMP", args=(1, 2))
def _timestamp(call: Call) -> Value:
    moment = to_datetime(call.args[0])
    if len(call.args) == 1:
        return moment
    return moment.retyped(f"({moment.sql} + {_elapsed(call.args[1])})", moment.type)


def _elapsed(value: Value) -> str:
    """Return a time of day as a DuckDB INTERVAL."""
    return f"to_microseconds(epoch_us({to_time(value).sql}))"


@function("ADDTIME", "SUBTIME", args=2)
def _addtime(call: Call) -> Value:
    start, sign = call.args[0], "+" if call.name == "ADDTIME" else "-"
    clock = start.type.kind == "time" or (isinstance(start.literal, str) and bool(read_time(start.literal)))
    if start.type.kind not in {"time", "datetime"} and start.literal is None:
        raise CannotConvert(f"{call.name}() to this type")
    if clock:
        micros = f"(epoch_us({to_time(start).sql}) {sign} epoch_us({to_time(call.args[1]).sql}))"
        moved = _time_of(f"({micros} // 1000000)")
    else:
        moment = to_datetime(start)
        moved = moment.retyped(f"({moment.sql} {sign} {_elapsed(call.args[1])})", moment.type)
    return to_text(moved) if start.type.kind == "str" else moved


@function("MAKETIME", args=3)
def _maketime(call: Call) -> Value:
    hour, minute, second = (_number(each) for each in call.args)
    within = f"{minute} BETWEEN 0 AND 59 AND {second} BETWEEN 0 AND 59"
    return _time_of(f"CASE WHEN {within} THEN {hour} * 3600 + {minute} * 60 + {second} END")


@function("TIME_FORMAT", args=2)
def _time_format(call: Call) -> Value:
    pattern = call.constant_text(1)
    if set(re.findall(r"%(.)", pattern)) - set("HkhIlisSpfrT%"):
        raise CannotConvert("TIME_FORMAT() of more than a time of day")
    return date_format(_on_a_day(to_time(call.args[0])), pattern)


def _on_a_day(clock: Value) -> Value:
    """Return a time of day as a DATETIME, for functions that read its parts."""
    return Value(f"(DATE '2000-01-01' + {clock.sql})", v.DATETIME)


@function("ADD_MONTHS", args=2)
def _add_months(call: Call) -> Value:
    return add_interval(call.args[0], call.args[1], "MONTH", 1)


@function("CONVERT_TZ", args=3)
def _convert_tz(call: Call) -> Value:
    minutes = []
    for at in (1, 2):
        match = re.fullmatch(r"([+-])(\d{1,2}):(\d{2})", call.constant_text(at))
        if not match:
            raise CannotConvert("CONVERT_TZ() of a zone that is not an offset")
        minutes.append(int(match.group(1) + "1") * (int(match.group(2)) * 60 + int(match.group(3))))

    def moved(x: Value) -> str:
        utc = f"({x.sql} - to_minutes({minutes[0]}))"
        known = f"{utc} >= TIMESTAMP '1970-01-01 00:00:01' AND {utc} <= TIMESTAMP '2038-01-19 03:14:07'"
        return f"CASE WHEN {known} THEN {utc} + to_minutes({minutes[1]}) ELSE {x.sql} END"

    moment = to_datetime(call.args[0])
    return v.let([moment], moved, moment.type)


@function("TIME", "TIME LITERAL")
def _time(call: Call) -> Value:
    return to_time(call.args[0])


@function("TIME_TO_SEC")
def _time_to_sec(call: Call) -> Value:
    def seconds(x: Value) -> str:
        return f"(hour({x.sql}) * 3600 + minute({x.sql}) * 60 + second({x.sql}))"

    return v.let([to_time(call.args[0])], seconds, Type("int", 8))


def _time_of(seconds: str) -> Value:
    """Return a TIME of so many seconds; DuckDB has none beyond a day."""
    return Value(v.call("mysql_time", seconds), v.TIME)


@function("SEC_TO_TIME")
def _sec_to_time(call: Call) -> Value:
    return _time_of(_number(call.args[0]))


@function("TIMEDIFF", args=2)
def _timediff(call: Call) -> Value:
    sides = []
    for each in call.args:
        clock = isinstance(each.literal, str) and read_time(each.literal)
        moment = to_time(each) if clock or each.type.kind == "time" else to_temporal(each)
        sides.append(moment)
    kinds = {side.type.kind for side in sides}
    if kinds == {"time"}:
        sides = [Value(f"(DATE '2000-01-01' + {side.sql})", v.DATETIME) for side in sides]
    elif kinds != {"datetime"}:
        raise CannotConvert("TIMEDIFF() of anything but two DATETIMEs or two TIMEs")
    return _time_of(f"((epoch_us({sides[0].sql}) - epoch_us({sides[1].sql})) // 1000000)")


@function("TO_SECONDS")
def _to_seconds(call: Call) -> Value:
    moment = to_datetime(call.args[0]).sql
    return Value(f"({v.call('mysql_days', moment)} * 86400 + epoch({moment}::TIME)::BIGINT)", Type("int", 12))


@function("LAST_DAY")
def _last_day(call: Call) -> Value:
    return Value(f"last_day({to_date(call.args[0]).sql})", v.DATE)


_PARTS = {
    "YEAR": "year", "MONTH": "month", "DAY": "day", "DAYOFMONTH": "day", "QUARTER": "quarter",
    "DAYOFYEAR": "dayofyear", "WEEKOFYEAR": "weekofyear",
}  # fmt: skip


@function(*_PARTS)
def _part(call: Call) -> Value:
    return Value(f"{_PARTS[call.name]}({to_date(call.args[0]).sql})", _SMALL)


@function("HOUR", "MINUTE", "SECOND")
def _clock_part(call: Call) -> Value:
    return Value(f"{call.name.lower()}({_clock_of(call.args[0], call.name).sql})", _SMALL)


def _clock_of(value: Value, function_name: str) -> Value:
    """Return a DATETIME whose time of day is that of a TIME, a DATETIME or a literal of either."""
    if value.type.kind == "time" or (isinstance(value.literal, str) and read_time(value.literal)):
        return _on_a_day(to_time(value))
    if value.type.kind not in {"datetime", "date", "null"} and not isinstance(value.literal, str):
        raise CannotConvert(f"{function_name}() of a value that is not a DATETIME")
    return to_datetime(value)


@function("MICROSECOND")
def _microsecond(call: Call) -> Value:
    return Value(f"(microsecond({_clock_of(call.args[0], call.name).sql}) % 1000000)", Type("int", 6))


@function("DAYOFWEEK")
def _day_of_week(call: Call) -> Value:
    return Value(f"(dayofweek({to_date(call.args[0]).sql}) + 1)", _SMALL)


@function("WEEKDAY")
def _weekday(call: Call) -> Value:
    return Value(f"((dayofweek({to_date(call.args[0]).sql}) + 6) % 7)", _SMALL)


@function("DAYNAME", "MONTHNAME")
def _name(call: Call) -> Value:
    return Value(f"{call.name.lower()}({to_date(call.args[0]).sql})", v.WHOLE_TEXT)


def week(date: str, mode: int) -> tuple[str, str]:
    """Return MySQL's week number of a date and the year it belongs to, for the mode of WEEK().

    A week belongs to the year of its first day, or, by the four-day rule, of its fourth day (`calc_week`).
    """
    monday, own_year, first_rule = bool(mode & 1), bool(mode & 2), bool(mode & 4)
    if not monday:
        first_rule = not first_rule
    offset = f"((dayofweek({date}) + 6) % 7)" if monday else f"dayofweek({date})"
    pivot = f"({date} - CAST({offset} - {0 if first_rule else 3} AS INTEGER))"
    number = f"((dayofyear({pivot}) - 1) // 7 + 1)"
    if own_year:
        return number, f"year({pivot})"
    last = f"((dayofyear({pivot} - 7) - 1) // 7 + 2)"
    later = f"WHEN year({pivot}) > year({date}) THEN {last}"
    return f"CASE WHEN year({pivot}) < year({date}) THEN 0 {later} ELSE {number} END", f"year({date})"


@function("WEEK", args=(1, 2))
def _week(call: Call) -> Value:
    mode = call.constant_int(1) if len(call.args) == 2 else 0
    return v.let([to_date(call.args[0])], lambda date: week(date.sql, mode)[0], _SMALL)


@function("YEARWEEK", args=(1, 2))
def _yearweek(call: Call) -> Value:
    mode = call.constant_int(1) if len(call.args) == 2 else 0

    def both(date: Value) -> str:
        number, year = week(date.sql, mode | 2)
        return f"({year} * 100 + {number})"

    return v.let([to_date(call.args[0])], both, Type("int", 6))


_EXTRACT = {
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "YEAR_MONTH": "%Y%m",
    "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S",
    "DAY_HOUR": "%d%H", "DAY_MINUTE": "%d%H%M", "DAY_SECOND": "%d%H%M%S",
    "HOUR_MINUTE": "%H%M", "HOUR_SECOND": "%H%M%S",
    "MINUTE_SECOND": "%M%S", "MICROSECOND": "%f",
}  # fmt: skip


@function("EXTRACT", args=2)
def _extract(call: Call) -> Value:
    unit = call.constant_text(0)
    if unit == "QUARTER":
        return Value(f"quarter({to_date(call.args[1]).sql})", _SMALL)
    if unit == "WEEK":
        return v.let([to_date(call.args[1])], lambda date: week(date.sql, 0)[0], _SMALL)
    if unit not in _EXTRACT:
        raise CannotConvert(f"EXTRACT({unit} FROM …)")
    if unit in {"YEAR", "MONTH", "DAY", "YEAR_MONTH"} or unit.startswith("DAY"):
        moment = to_datetime(call.args[1])
    else:
        moment = _clock_of(call.args[1], f"EXTRACT({unit} FROM …)")
    return Value(f"CAST(strftime({moment.sql}, '{_EXTRACT[unit]}') AS BIGINT)", Type("int", 8))


# DATE_FORMAT: a DuckDB expression over the TIMESTAMP {d} for each specifier.
_SPECIFIERS = {
    "Y": "strftime({d}, '%Y')", "y": "strftime({d}, '%y')", "m": "strftime({d}, '%m')", "d": "strftime({d}, '%d')",
    "H": "strftime({d}, '%H')", "i": "strftime({d}, '%M')", "s": "strftime({d}, '%S')", "S": "strftime({d}, '%S')",
    "f": "strftime({d}, '%f')", "j": "strftime({d}, '%j')", "p": "strftime({d}, '%p')", "h": "strftime({d}, '%I')",
    "I": "strftime({d}, '%I')", "T": "strftime({d}, '%H:%M:%S')", "r": "strftime({d}, '%I:%M:%S %p')",
    "M": "monthname({d})", "b": "strftime({d}, '%b')", "W": "dayname({d})", "a": "strftime({d}, '%a')",
    "c": "CAST(month({d}) AS VARCHAR)", "e": "CAST(day({d}) AS VARCHAR)", "w": "CAST(dayofweek({d}) AS VARCHAR)",
    "k": "CAST(hour({d}) AS VARCHAR)", "l": "CAST((hour({d}) + 11) % 12 + 1 AS VARCHAR)",
    "D": "(CAST(day({d}) AS VARCHAR) || mysql_day_suffix(day({d})))",
}  # fmt: skip
_WEEK_SPECIFIERS = {"U": (0, 0), "u": (1, 0), "V": (2, 0), "v": (3, 0), "X": (2, 1), "x": (3, 1)}


def date_format(moment: Value, pattern: str) -> Value:
    """Return DATE_FORMAT with a literal format; an unknown specifier prints its letter, an empty format gives NULL."""
    if pattern == "":
        return Value("CAST(NULL AS VARCHAR)", v.WHOLE_TEXT)
    return v.let([to_datetime(moment)], lambda date: _format_parts(date.sql, pattern), v.WHOLE_TEXT)


def _format_parts(date: str, pattern: str) -> str:
    parts: list[str] = []
    for plain, specifier in re.findall(r"([^%]+|%$)|%(.)", pattern, re.DOTALL):
        if plain:
            parts.append(v.quote(plain))
        elif specifier in _WEEK_SPECIFIERS:
            mode, which = _WEEK_SPECIFIERS[specifier]
            number = week(f"CAST({date} AS DATE)", mode)[which]
            parts.append(f"lpad(CAST({number} AS VARCHAR), {4 if which else 2}, '0')")
        elif specifier in _SPECIFIERS:
            parts.append(_SPECIFIERS[specifier].format(d=date))
        else:
            parts.append(v.quote(specifier))
    body = " || ".join(parts) if parts else "''"
    return f"CASE WHEN {date} IS NOT NULL THEN {body} END"


_LETTERS = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%i", "SS": "%s"}


@function("TO_CHAR", args=(1, 2))
def _to_char(call: Call) -> Value:
    if call.args[0].type.kind not in {"date", "datetime"}:
        raise CannotConvert("TO_CHAR() of this type")
    wanted = call.constant_text(1) if len(call.args) == 2 else "YYYY-MM-DD HH24:MI:SS"
    pattern = re.sub("|".join(_LETTERS), lambda match: _LETTERS[match.group(0)], wanted)
    if re.search(r"(?<!%)[A-Za-z]", pattern) or "%" in wanted:
        raise CannotConvert("TO_CHAR() of such a format")
    return date_format(call.args[0], pattern)


@function("DATE_FORMAT", args=2)
def _date_format(call: Call) -> Value:
    return date_format(call.args[0], call.constant_text(1))


_DATE_PARTS, _CLOCK_PARTS = set("YymcdeDMbjWaw"), set("HkhIlisSpf")


@function("STR_TO_DATE", args=2)
def _str_to_date(call: Call) -> Value:
    pattern = call.constant_text(1)
    parts = {
        specifier for _, specifier in re.findall(r"([^%])|%(.)", expand(pattern), re.DOTALL) if specifier
    }
    odd = parts - _DATE_PARTS - _CLOCK_PARTS - {"%"}
    if odd or "D" in parts:
        raise CannotConvert(f"STR_TO_DATE specifier %{min(odd or {'D'})}")
    if not parts & (_DATE_PARTS | _CLOCK_PARTS):
        raise CannotConvert("STR_TO_DATE of a format without parts")
    read = f"CAST(mysql_str_to_date({to_text(call.args[0]).sql}, {v.quote(pattern)}) AS TIMESTAMP)"
    if not parts & _CLOCK_PARTS:
        return Value(f"CAST({read} AS DATE)", v.DATE)
    if not parts & _DATE_PARTS:
        return Value(f"CAST({read} AS TIME)", v.TIME)
    return Value(read, replace(v.DATETIME, scale=6 if "f" in parts else 0))


def _number(value: Value) -> str:
    if value.type.kind == "null":
        return "CAST(NULL AS BIGINT)"
    if value.type.kind == "str" and value.type.origin in {"", "whole"}:
        return v.call("mysql_integer", value.sql)
    number = to_number(value)
    if number.type.kind != "int":
        raise CannotConvert("date function with a number that is not whole")
    return number.sql


@function("MAKEDATE", args=2)
def _makedate(call: Call) -> Value:
    return Value(v.call("mysql_makedate", _number(call.args[0]), _number(call.args[1])), v.DATE)


@function("TO_DAYS")
def _to_days(call: Call) -> Value:
    return Value(v.call("mysql_days", to_date(call.args[0]).sql), Type("int", 7))


@function("FROM_DAYS")
def _from_days(call: Call) -> Value:
    return Value(v.call("mysql_from_days", _number(call.args[0])), v.DATE)


@function("PERIOD_DIFF", args=2)
def _period_diff(call: Call) -> Value:
    first, second = (v.call("mysql_period_months", _number(value)) for value in call.args)
    return Value(f"({first} - {second})", Type("int", 6))


@function("PERIOD_ADD", args=2)
def _period_add(call: Call) -> Value:
    return Value(v.call("mysql_period_add", _number(call.args[0]), _number(call.args[1])), Type("int", 6))


@function("DATE LITERAL", "TIMESTAMP LITERAL")
def _literal(call: Call) -> Value:
    moment = to_temporal(call.args[0])
    if call.name == "DATE LITERAL":
        if moment.type.kind != "date":
            raise CannotConvert("DATE literal with a time of day")
        return moment
    return to_datetime(moment)


# --- the session's time zone -----------------------------------------------------------------------------------------
def _zone(call: Call) -> None:
    call.compiler.warn(f"open: {call.name}() depends on the session's time zone; it is read as UTC")


@function("UNIX_TIMESTAMP")
def _unix_timestamp(call: Call) -> Value:
    moment = to_datetime(call.args[0])
    if moment.type.scale or (call.args[0].type.kind == "str" and call.args[0].literal is None):
        raise CannotConvert("UNIX_TIMESTAMP() of fractions of seconds")
    _zone(call)
    end = "TIMESTAMP '2038-01-19 03:14:07'"

    def seconds(x: Value) -> str:
        early = f"{x.sql} < TIMESTAMP '1970-01-01 00:00:00' OR {x.sql} > {end}"
        return f"CASE WHEN {early} THEN NULL ELSE epoch_us({x.sql}) // 1000000 END"

    return v.let([moment], seconds, Type("int", 10))


@function("FROM_UNIXTIME", args=(1, 2))
def _from_unixtime(call: Call) -> Value:
    _zone(call)
    moment = Value(v.call("mysql_from_unixtime", _number(call.args[0])), v.DATETIME)
    return date_format(moment, call.constant_text(1)) if len(call.args) == 2 else moment


# --- the clock --------------------------------------------------------------------------------------------------------
_NOW = "date_trunc('second', CAST(get_current_timestamp() AS TIMESTAMP))"


@function("NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "SYSDATE", args=(0, 1))
def _now(call: Call) -> Value:
    if call.args and call.constant_int(0) != 0:
        raise CannotConvert(f"{call.name}() with fractional seconds")
    call.compiler.warn(f"clock: {call.name}() reads the clock; the result changes from run to run")
    return Value(_NOW, v.DATETIME)


@function("CURDATE", "CURRENT_DATE", args=(0, 0))
def _curdate(call: Call) -> Value:
    call.compiler.warn(f"clock: {call.name}() reads the clock; the result changes from run to run")
    return Value(f"CAST({_NOW} AS DATE)", v.DATE)

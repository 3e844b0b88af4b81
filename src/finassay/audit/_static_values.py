"""What an expression of a statement is worth, as far as its text says: dates, numbers, texts, and their comparisons.

Three-valued as SQL is, with a fourth value for what the text does not say.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

_DATE = re.compile(
    r"((?:1|2|9)\d{3})([-/]?)(\d{1,2})\2(\d{1,2})(?:[ T](\d{1,2})(?::?(\d\d))?(?::?(\d\d)(\.\d{1,9})?)?)?"
)
_UNITS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_DAYS = {"WEEK": 7.0, "DAY": 1.0, "HOUR": 1 / 24, "MINUTE": 1 / 1440, "SECOND": 1 / 86400}


class _Unsaid:
    """The value of what the text does not say."""

    def __repr__(self) -> str:
        return "UNSAID"


UNSAID = _Unsaid()


@dataclass(frozen=True)
class _Span:
    """An interval: months, and days."""

    months: int = 0
    days: float = 0.0


def moment(value: Any) -> datetime | None:
    """Read a moment from a value: a date, a text or a number that writes one; None where it is none."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    match = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    year, dash, month, day, hour, minute, second, part = match.groups()
    if not dash and len(month) + len(day) != len("0630"):
        return None
    try:
        found = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))  # noqa: DTZ001 - market-local
    except ValueError:
        return None
    return found + timedelta(seconds=float(part)) if part else found


def evaluate(node: exp.Expr | None, lookup: Callable[[exp.Expr], Any]) -> Any:
    """Return the value of an expression: None for NULL, `UNSAID` for what cannot be told.

    Parameters
    ----------
    node : sqlglot expression
        It is not altered.
    lookup : callable
        Gives the value of columns, parameters, placeholders and subqueries.
    """
    from sqlglot import exp

    if node is None:
        return UNSAID
    try:
        if isinstance(
            node, exp.Column | exp.Parameter | exp.SessionParameter | exp.Placeholder | exp.Subquery
        ):
            return lookup(node)
        return _value(node, lambda child: evaluate(child, lookup))
    except (ValueError, OverflowError, TypeError, AttributeError, ZeroDivisionError):
        return UNSAID  # a shape that SQL may know and this does not


def _value(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    from sqlglot import exp

    match node:
        case exp.Literal():
            return _literal(node)
        case exp.Null():
            return None
        case exp.Boolean():
            return bool(node.this)
        case (
            exp.Paren()
            | exp.Max()
            | exp.Min()
            | exp.AnyValue()
            | exp.DateStrToDate()
            | exp.TsOrDsToTimestamp()
        ):
            return of(node.this)
        case exp.And() | exp.Or() | exp.Not() | exp.Is() | exp.Xor():
            return _logic(node, of)
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.NullSafeEQ():
            return _compared(node.key, of(node.this), of(node.expression))
        case exp.Between():
            value = of(node.this)
            low = _compared("gte", value, of(node.args["low"]))
            return _both(low, _compared("lte", value, of(node.args["high"])))
        case exp.In():
            return _among(node, of)
        case exp.Coalesce():
            return _first(of, [node.this, *node.expressions])
        case exp.Case() | exp.If():
            return _chosen(node, of)
        case exp.Least() | exp.Greatest():
            values = [_dated(of(child)) for child in (node.this, *node.expressions)]
            if any(value is UNSAID or value is None for value in values):
                return UNSAID
            return min(values) if isinstance(node, exp.Least) else max(values)
        case exp.Like():
            return _like(of(node.this), of(node.expression))
        case exp.Cast() | exp.TryCast():
            return _cast(of(node.this), node.to.this.value)
        case exp.Concat() | exp.DPipe():
            parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
            texts = [of(part) for part in parts]
            return "".join(texts) if all(isinstance(text, str) for text in texts) else UNSAID
        case exp.Neg():
            return _negated(of(node.this))
        case _:
            return _function(node, of)


def _function(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    from sqlglot import exp

    match node:
        case exp.TsOrDsToDate() | exp.Date():
            return _cast(of(node.this), "DATE")
        case exp.StrToDate() | exp.StrToTime() | exp.Timestamp():
            found = moment(of(node.this))
            return found if found is not None else UNSAID
        case exp.Interval():
            return _span(of(node.this), node.text("unit"))
        case exp.Add() | exp.Sub():
            sign = 1 if isinstance(node, exp.Add) else -1
            return _sum(of(node.this), of(node.expression), sign)
        case exp.DateAdd() | exp.DateSub() | exp.TsOrDsAdd() | exp.TimestampAdd() | exp.DatetimeAdd():
            amount = of(node.expression)
            if not isinstance(amount, _Span):
                amount = _span(amount, node.text("unit") or "DAY")
            return _sum(_moment_of(of(node.this)), amount, -1 if isinstance(node, exp.DateSub) else 1)
        case exp.Mul():
            left, right = of(node.this), of(node.expression)
            return left * right if _numbers(left, right) else UNSAID
        case exp.Year() | exp.Month() | exp.Day() | exp.Quarter():
            return _part(of(node.this), node.key)
        case exp.Extract():
            return _part(of(node.expression), node.name.lower())
        case exp.LastDay():
            return _moved(of(node.this), _last_day)
        case exp.DateTrunc() | exp.TimestampTrunc():
            unit = node.text("unit").lower()
            return _moved(of(node.this), lambda day: _truncated(day, unit))
        case exp.TimeToStr():
            return _formatted(of(node.this), node.args.get("format"))
        case exp.DateDiff():
            left, right = _cast(of(node.this), "DATE"), _cast(of(node.expression), "DATE")
            if node.text("unit").upper() not in ("", "DAY") or not _dates(left, right):
                return None if left is None or right is None else UNSAID
            return (left - right).days
        case exp.Left() | exp.Substring():
            return _cut(node, of)
        case exp.DateFromParts():
            return _date_of(of(node.args["year"]), of(node.args["month"]), of(node.args["day"]))
        case exp.Anonymous():
            return _anonymous(node, of)
    return UNSAID


def _anonymous(node: exp.Anonymous, of: Callable[[Any], Any]) -> Any:
    name, values = str(node.this).lower(), [of(child) for child in node.expressions]
    if name == "make_date" and len(values) == 3 and _numbers(*values):
        return _date_of(*values)
    if name in ("adddate", "subdate") and len(values) == 2:
        return _sum(values[0], values[1], 1 if name == "adddate" else -1)
    return UNSAID


def _date_of(year: Any, month: Any, day: Any) -> datetime:
    return datetime(int(year), int(month), int(day))  # noqa: DTZ001 - market-local


def _literal(node: exp.Literal) -> Any:
    text = node.name
    if node.is_string:
        return text
    return int(text) if text.isdigit() else float(text)


def _logic(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    from sqlglot import exp

    left = of(node.this)
    if isinstance(node, exp.Not):
        truth = _truth(left)
        return truth if truth is None or truth is UNSAID else not truth
    if isinstance(node, exp.Is):
        right = of(node.expression)
        if left is UNSAID or right is UNSAID:
            return UNSAID
        return left is None if right is None else _truth(left) is right
    right = of(node.expression)
    if isinstance(node, exp.And):
        return _both(left, right)
    if isinstance(node, exp.Or):
        left, right = _truth(left), _truth(right)
        if left is True or right is True:
            return True
        if left is UNSAID or right is UNSAID:
            return UNSAID
        return None if left is None or right is None else False
    return UNSAID


def _truth(value: Any) -> Any:
    if value is None or value is UNSAID or isinstance(value, bool):
        return value
    return value != 0 if isinstance(value, int | float) else UNSAID


def _both(left: Any, right: Any) -> Any:
    left, right = _truth(left), _truth(right)
    if left is False or right is False:
        return False
    if left is UNSAID or right is UNSAID:
        return UNSAID
    return None if left is None or right is None else True


def _compared(key: str, left: Any, right: Any) -> Any:
    if key == "nullsafeeq" and (left is None or right is None):
        return UNSAID if left is UNSAID or right is UNSAID else left is right
    if left is None or right is None:
        return None
    if left is UNSAID or right is UNSAID:
        return UNSAID
    left, right = _alike(left, right)
    if left is UNSAID:
        return UNSAID
    return {
        "eq": left == right,
        "nullsafeeq": left == right,
        "neq": left != right,
        "lt": left < right,
        "lte": left <= right,
        "gt": left > right,
        "gte": left >= right,
    }[key]


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Bring two values to one type, as the engines do; `UNSAID` where they would not."""
    if isinstance(left, datetime) or isinstance(right, datetime):
        one, other = moment(left), moment(right)
        return (UNSAID, UNSAID) if one is None or other is None else (one, other)
    if isinstance(left, str) != isinstance(right, str):
        try:
            return float(left), float(right)
        except (TypeError, ValueError):
            return UNSAID, UNSAID
    if isinstance(left, _Span) or isinstance(right, _Span):
        return UNSAID, UNSAID
    return left, right


def _among(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    if not node.expressions:
        return UNSAID
    value = of(node.this)
    answers = [_compared("eq", value, of(child)) for child in node.expressions]
    if True in answers:
        return True
    return UNSAID if any(a is UNSAID for a in answers) else None if None in answers else False


def _first(of: Callable[[Any], Any], children: list[Any]) -> Any:
    for child in children:
        value = of(child)
        if value is not None:
            return value
    return None


def _chosen(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    from sqlglot import exp

    if isinstance(node, exp.If):
        branches, otherwise, subject = [node], node.args.get("false"), None
    else:
        branches, otherwise, subject = node.args["ifs"], node.args.get("default"), node.this
    for branch in branches:
        condition = of(branch.this)
        if subject is not None:
            condition = _compared("eq", of(subject), condition)
        truth = _truth(condition)
        if truth is UNSAID:
            return UNSAID
        if truth:
            return of(branch.args["true"])
    return of(otherwise) if otherwise is not None else None


def _like(text: Any, pattern: Any) -> Any:
    if text is None or pattern is None:
        return None
    if isinstance(text, datetime):
        text = text.isoformat(" ")
    if not isinstance(text, str) or not isinstance(pattern, str):
        return UNSAID
    parts = [{"%": ".*", "_": "."}.get(char, re.escape(char)) for char in pattern]
    return re.fullmatch("".join(parts), text, re.IGNORECASE | re.DOTALL) is not None


def _cast(value: Any, kind: str) -> Any:
    if value is None or value is UNSAID:
        return value
    if kind in ("DATE", "DATE32"):
        day = moment(value)
        return UNSAID if day is None else day.replace(hour=0, minute=0, second=0, microsecond=0)
    if kind.startswith(("TIMESTAMP", "DATETIME")):
        found = moment(value)
        return UNSAID if found is None else found
    if "CHAR" in kind or kind == "TEXT":
        return _written(value)
    if "INT" in kind and isinstance(value, int | str):
        return int(value)
    return UNSAID


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        midnight = value.replace(hour=0, minute=0, second=0, microsecond=0) == value
        return value.date().isoformat() if midnight else value.isoformat(" ")
    return str(value) if isinstance(value, int | str) else UNSAID


def _span(amount: Any, unit: str) -> Any:
    unit = unit.upper().removesuffix("S")
    if isinstance(amount, str) and " " in amount.strip():
        amount, unit = amount.split(None, 1)
        unit = unit.upper().removesuffix("S")
    number = float(amount)
    if unit in _UNITS and number.is_integer():
        return _Span(months=int(number) * _UNITS[unit])
    return _Span(days=number * _DAYS[unit]) if unit in _DAYS else UNSAID


def _negated(value: Any) -> Any:
    if isinstance(value, _Span):
        return _Span(-value.months, -value.days)
    return -value if _numbers(value) else UNSAID


def _sum(left: Any, right: Any, sign: int) -> Any:
    if left is None or right is None:
        return None
    if _numbers(left, right):
        return left + sign * right
    if isinstance(left, _Span) and sign == 1:
        left, right = right, left
    start = moment(left)
    if isinstance(right, int) and start is not None:
        right = _Span(days=right)
    if not isinstance(right, _Span) or start is None:
        return UNSAID
    moved = _shift_months(start, sign * right.months)
    return moved + timedelta(days=sign * right.days)


def _shift_months(day: datetime, months: int) -> datetime:
    if not months:
        return day
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, calendar.monthrange(year, month + 1)[1]))


def _moment_of(value: Any) -> Any:
    return value if value is None else moment(value) or UNSAID


def _moved(value: Any, move: Callable[[datetime], Any]) -> Any:
    if value is None:
        return None
    day = moment(value)
    return UNSAID if day is None else move(day)


def _last_day(day: datetime) -> datetime:
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=last, hour=0, minute=0, second=0, microsecond=0)


def _truncated(day: datetime, unit: str) -> Any:
    start = day.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return start
    if unit == "week":
        return start - timedelta(days=start.weekday())
    months = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}
    return start.replace(month=months[unit], day=1) if unit in months else UNSAID


def _part(value: Any, part: str) -> Any:
    parts: dict[str, Callable[[datetime], int]] = {
        "year": lambda day: day.year,
        "month": lambda day: day.month,
        "day": lambda day: day.day,
        "quarter": lambda day: (day.month - 1) // 3 + 1,
    }
    return _moved(value, parts[part]) if part in parts else UNSAID


def _formatted(value: Any, form: exp.Expr | None) -> Any:
    if form is None:
        return UNSAID
    return _moved(value, lambda day: day.strftime(form.name))


def _cut(node: exp.Expr, of: Callable[[Any], Any]) -> Any:
    from sqlglot import exp

    text = of(node.this)
    if text is None or text is UNSAID:
        return text
    written = _written(text)
    if isinstance(node, exp.Left):
        return written[: int(of(node.expression))]
    start, length = int(of(node.args["start"])), node.args.get("length")
    return written[start - 1 :][: int(of(length)) if length is not None else None]


def _dated(value: Any) -> Any:
    """Read a text that writes a date, which LEAST and GREATEST compare with dates."""
    found = moment(value) if isinstance(value, str) else None
    return value if found is None else found


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _dates(*values: Any) -> bool:
    return all(isinstance(value, datetime) for value in values)

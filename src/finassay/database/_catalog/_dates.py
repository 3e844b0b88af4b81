"""Columns as moments and days in the SQL of each engine, to measure and to move: comparisons at a cutoff need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database._types import Dialect
    from finassay.temporal import DateFormat

# A value that is no date gives NULL on DuckDB and MySQL, an error on PostgreSQL. Months and quarters: their last day.
_MOMENTS: dict[Dialect, dict[DateFormat, str]] = {
    "duckdb": {
        "native": "CAST({c} AS TIMESTAMP)",
        "integer_date": "try_strptime(CAST(CAST({c} AS BIGINT) AS VARCHAR), '%Y%m%d')",
        "text_date": "try_strptime({c}, '%Y%m%d')",
        "iso_text": "TRY_CAST({c} AS TIMESTAMP)",
        "integer_month": "CAST(last_day(try_strptime(CAST({c} AS BIGINT) || '01', '%Y%m%d')) AS TIMESTAMP)",
        "text_month": "CAST(last_day(try_strptime({c} || '-01', '%Y-%m-%d')) AS TIMESTAMP)",
        "text_quarter": "CAST(last_day(try_strptime(left({c}, 4) || '-' || CAST(3 * TRY_CAST(right({c}, 1) AS INTEGER)"
        " AS VARCHAR) || '-1', '%Y-%m-%d')) AS TIMESTAMP)",
    },
    "mysql": {
        "native": "CAST({c} AS DATETIME(6))",
        "integer_date": "STR_TO_DATE(CAST({c} AS CHAR), '%Y%m%d')",
        "text_date": "STR_TO_DATE({c}, '%Y%m%d')",
        "iso_text": "CAST({c} AS DATETIME(6))",
        "integer_month": "LAST_DAY(STR_TO_DATE(CONCAT({c}, '01'), '%Y%m%d'))",
        "text_month": "LAST_DAY(STR_TO_DATE(CONCAT({c}, '-01'), '%Y-%m-%d'))",
        "text_quarter": "LAST_DAY(STR_TO_DATE(CONCAT(LEFT({c}, 4), '-', 3 * RIGHT({c}, 1), '-1'), '%Y-%m-%d'))",
    },
    "postgres": {
        "native": "CAST({c} AS TIMESTAMP)",
        "integer_date": "CAST(to_date(CAST({c} AS TEXT), 'YYYYMMDD') AS TIMESTAMP)",
        "text_date": "CAST(to_date({c}, 'YYYYMMDD') AS TIMESTAMP)",
        "iso_text": "CAST({c} AS TIMESTAMP)",
        "integer_month": "(to_date({c} || '01', 'YYYYMMDD') + interval '1 month' - interval '1 day')",
        "text_month": "(to_date({c} || '-01', 'YYYY-MM-DD') + interval '1 month' - interval '1 day')",
        "text_quarter": "(to_date(left({c}, 4) || '-' || 3 * CAST(right({c}, 1) AS INTEGER) || '-1', 'YYYY-MM-DD')"
        " + interval '1 month' - interval '1 day')",
    },
}
# A moment (text of SQL) as eight digits, year first
_DIGITS: dict[Dialect, str] = {
    "duckdb": "strftime({m}, '%Y%m%d')",
    "mysql": "DATE_FORMAT({m}, '%Y%m%d')",
    "postgres": "to_char({m}, 'YYYYMMDD')",
}
_YEARS = ("integer_month", "text_month", "text_quarter")


def moment(column: str, format_: DateFormat, dialect: Dialect) -> str:
    """Return the timestamp that a column (text of SQL) stands for."""
    return _MOMENTS[dialect][format_].format(c=column)


def day(column: str, format_: DateFormat, dialect: Dialect) -> str:
    """Return the calendar day that a column (text of SQL) stands for."""
    return f"CAST({moment(column, format_, dialect)} AS DATE)"


def days_between(first: str, second: str, dialect: Dialect) -> str:
    """Return the whole days from one day to another, both text of SQL."""
    if dialect == "duckdb":
        return f"date_diff('day', {first}, {second})"
    return f"DATEDIFF({second}, {first})" if dialect == "mysql" else f"({second} - {first})"


def plus_days(expression: str, days: int, dialect: Dialect) -> str:
    """Return a day some days later, both text of SQL."""
    if days == 0:
        return expression
    if dialect == "mysql":
        return f"DATE_ADD({expression}, INTERVAL {days} DAY)"
    return f"({expression} + {days})"


def moved(column: str, format_: DateFormat, interval: tuple[int, str], dialect: Dialect) -> str | None:
    """Return a column (text of SQL) some time later, in its own format.

    Parameters
    ----------
    interval : (int, {"DAY", "YEAR"})
        How much later.

    Returns
    -------
    str or None
        None of months and quarters that are to move by days, and of formats that nobody can read.
    """
    number, unit = interval
    if format_ == "other" or (format_ in _YEARS and unit != "YEAR"):
        return None
    if format_ in _YEARS:
        if format_ == "integer_month":
            return f"{column} + {100 * number}"
        year = f"CAST(LEFT({column}, 4) AS {'SIGNED' if dialect == 'mysql' else 'INTEGER'}) + {number}"
        return f"CONCAT({year}, SUBSTRING({column}, 5))"
    if format_ == "native":
        return f"{column} + INTERVAL '{number}' {unit}"
    digits = _DIGITS[dialect].format(m=f"{moment(column, format_, dialect)} + INTERVAL '{number}' {unit}")
    if format_ == "integer_date":
        return f"CAST({digits} AS {'SIGNED' if dialect == 'mysql' else 'INTEGER'})"
    if format_ == "text_date":
        return digits
    parts = (f"SUBSTRING({digits}, {first}, {length}), '-'" for first, length in ((1, 4), (5, 2)))
    return f"CONCAT({', '.join(parts)}, SUBSTRING({digits}, 7, 2), SUBSTRING({column}, 11))"

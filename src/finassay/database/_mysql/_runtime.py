"""What translated statements need on a DuckDB connection: SQL macros, and functions in Python."""

# ruff: noqa: E501 - regular expressions and SQL bodies
from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any

from finassay.database._mysql._general_ci import CHARACTERS, WEIGHTS
from finassay.database._mysql._scalars import SCALARS
from finassay.database._mysql._values import quote

if TYPE_CHECKING:
    import duckdb

_NUMBER = r"^\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_PLAIN = r"^[\x00-\x7F\x{2000}-\x{2100}\x{2E80}-\x{A600}\x{AC00}-\x{D7FF}\x{E000}-\x{FAFF}\x{FE00}-\x{FF20}\x{FF5B}-\x{FFFD}]*$"
# Letters whose case both engines change alike (compared over the whole BMP).
_CASED = _PLAIN.replace(
    "]*$", r"\x{80}-\x{DE}\x{E0}-\x{17F}\x{384}-\x{3CE}\x{400}-\x{481}\x{FF21}-\x{FF5A}]*$"
)
_DATE = r"^\s*([0-9]{4})[-/.:]([0-9]{1,2})[-/.:]([0-9]{1,2})"
_WHOLE_DATE = _DATE + r"(?:[T\s]+[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:\.[0-9]{0,6})?)?)?\s*$"
_CLOCK = _DATE + r"[T\s]+([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2}(?:\.[0-9]{0,6})?))?\s*$"


def _datetime_from_text(otherwise: str) -> str:
    """Return the body of a macro that reads text as a DATETIME; anything doubtful is an error of the statement."""

    def part(pattern: str, group: int, kind: str = "BIGINT") -> str:
        return f"CAST(coalesce(nullif(regexp_extract(s, '{pattern}', {group}), ''), '0') AS {kind})"

    ymd = ", ".join(part(_DATE, group) for group in (1, 2, 3))
    clock = f"{part(_CLOCK, 4)}, {part(_CLOCK, 5)}, {part(_CLOCK, 6, 'DOUBLE')}"
    compact = ", ".join(
        f"CAST(substr(trim(s), {at}, {size}) AS BIGINT)" for at, size in ((1, 4), (5, 2), (7, 2))
    )
    compact_clock = ", ".join(f"CAST(substr(trim(s), {at}, 2) AS BIGINT)" for at in (9, 11)) + (
        ", CAST(substr(trim(s), 13, 2) AS DOUBLE)"
    )
    return f"""CASE
        WHEN s IS NULL THEN NULL
        WHEN regexp_matches(s, '{_WHOLE_DATE}') THEN make_timestamp({ymd}, {clock})
        WHEN regexp_matches(s, '^\\s*[0-9]{{8}}\\s*$') THEN make_timestamp({compact}, 0, 0, 0.0)
        WHEN regexp_matches(s, '^\\s*[0-9]{{14}}\\s*$') THEN make_timestamp({compact}, {compact_clock})
        WHEN regexp_matches(s, '^\\s*[0-9]') THEN error('MySQL-dialect layer: cannot read as a date: ' || s)
        ELSE {otherwise} END"""


def _macros() -> dict[str, str]:
    datetime_text = "strftime(d, '%Y-%m-%d %H:%M:%S')"
    return {
        # Quick for ASCII and for text without accented or small letters of other scripts, such as Chinese.
        "mysql_fold(s)": f"""CASE WHEN length(s) = strlen(s) OR regexp_matches(s, '{_PLAIN}') THEN upper(s)
            ELSE translate(regexp_replace(s, '[\\x{{10000}}-\\x{{10FFFF}}]', chr(65533), 'g'),
                           {quote(CHARACTERS)}, {quote(WEIGHTS)}) END""",
        "mysql_key(s)": "rtrim(mysql_fold(s), ' ') || ' '",
        "mysql_number(s)": f"""CASE WHEN s IS NULL THEN NULL
            ELSE coalesce(CAST(nullif(regexp_extract(s, '{_NUMBER}', 1), '') AS DOUBLE), 0.0) END""",
        "mysql_integer(s)": r"""CASE WHEN s IS NULL THEN NULL
            ELSE coalesce(CAST(nullif(regexp_extract(s, '^\s*([+-]?[0-9]+)', 1), '') AS BIGINT), 0) END""",
        "mysql_decimal_text(s)": r"""CASE WHEN s IS NULL THEN NULL
            WHEN regexp_matches(s, '^\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE]')
            THEN mysql_exponent_text(s)
            ELSE coalesce(nullif(regexp_extract(s, '^\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))', 1), ''), '0') END""",
        # MariaDB fails where a DOUBLE overflows.
        "mysql_finite(x)": "CASE WHEN isinf(x) THEN error('MySQL-dialect layer: a DOUBLE out of range') ELSE x END",
        "mysql_log(base, x)": "CASE WHEN base > 0 AND base <> 1 AND x > 0 THEN ln(x) / ln(base) END",
        "mysql_pow(x, y)": """CASE WHEN x IS NULL OR y IS NULL THEN NULL WHEN isfinite(pow(x, y)) THEN pow(x, y)
            ELSE error('MySQL-dialect layer: POW out of range') END""",
        "mysql_bits(x)": """CASE WHEN x < 0 THEN CAST(CAST(x AS HUGEINT) + 18446744073709551616 AS UBIGINT)
            ELSE CAST(x AS UBIGINT) END""",
        "mysql_signed(x)": """CASE WHEN x < 9223372036854775808 THEN CAST(x AS BIGINT)
            ELSE CAST(CAST(x AS HUGEINT) - 18446744073709551616 AS BIGINT) END""",
        "mysql_shift_left(x, n)": """CASE WHEN n >= 64 THEN CAST(0 AS UBIGINT)
            ELSE CAST((CAST(x AS UHUGEINT) << CAST(n AS UHUGEINT)) & CAST(18446744073709551615 AS UHUGEINT) AS UBIGINT) END""",
        "mysql_shift_right(x, n)": "CASE WHEN n >= 64 THEN CAST(0 AS UBIGINT) ELSE x >> n END",
        "mysql_double_text(x)": r"""CASE WHEN x IS NULL THEN NULL WHEN x = 0 THEN '0'
            WHEN abs(x) >= 1e15 OR abs(x) < 1e-4 THEN mysql_long_double_text(x)
            ELSE regexp_replace(CAST(x AS VARCHAR), '\.0$', '') END""",
        "mysql_fixed_text(x, pattern)": """CASE WHEN x = 0 THEN format(pattern, 0.0::DOUBLE)
            WHEN x < 0 AND regexp_full_match(format(pattern, x), '[-0.]*')
            THEN error('MySQL-dialect layer: cannot print a negative DOUBLE that rounds to zero')
            ELSE format(pattern, x) END""",
        "mysql_datetime_text(d)": f"""CASE WHEN d IS NULL THEN NULL WHEN microsecond(d) % 1000000 = 0 THEN {datetime_text}
            ELSE strftime(d, '%Y-%m-%d %H:%M:%S.%f') END""",
        "mysql_datetime_number(d)": """CASE WHEN d IS NULL THEN NULL WHEN microsecond(d) % 1000000 = 0
            THEN CAST(strftime(d, '%Y%m%d%H%M%S') AS BIGINT)
            ELSE error('MySQL-dialect layer: fractional seconds in a number') END""",
        "mysql_text_datetime(s)": _datetime_from_text("NULL"),
        "mysql_comparable_datetime(s)": _datetime_from_text("CAST('-infinity' AS TIMESTAMP)"),
        "mysql_integer_datetime(n)": """CASE WHEN n IS NULL THEN NULL
            WHEN n BETWEEN 10000101 AND 99991231 THEN make_timestamp(n // 10000, n // 100 % 100, n % 100, 0, 0, 0.0)
            WHEN n BETWEEN 10000101000000 AND 99991231235959 THEN make_timestamp(n // 10000000000,
                n // 100000000 % 100, n // 1000000 % 100, n // 10000 % 100, n // 100 % 100, CAST(n % 100 AS DOUBLE))
            ELSE error('MySQL-dialect layer: cannot read as a date: ' || n) END""",
        # The whole number of months from a to b, months first, then the rest of the clock (MySQL's calc_time_diff).
        "mysql_months(a, b)": """CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN a <= b
            THEN (year(b) - year(a)) * 12 + month(b) - month(a)
                 - CASE WHEN mysql_within_month(b) < mysql_within_month(a) THEN 1 ELSE 0 END
            ELSE -((year(a) - year(b)) * 12 + month(a) - month(b)
                 - CASE WHEN mysql_within_month(a) < mysql_within_month(b) THEN 1 ELSE 0 END) END""",
        "mysql_within_month(d)": "d - date_trunc('month', d)",
        "mysql_add_months(d, n)": """CASE WHEN d IS NULL OR n IS NULL THEN NULL
            ELSE d + to_months(CAST(n AS INTEGER)) END""",
        "mysql_time(n)": """CASE WHEN n IS NULL THEN NULL WHEN n BETWEEN 0 AND 86399
            THEN make_time(n // 3600, n // 60 % 60, CAST(n % 60 AS DOUBLE))
            ELSE error('MySQL-dialect layer: a TIME below zero or beyond a day') END""",
        "mysql_days(d)": "date_diff('day', DATE '0001-01-01', CAST(d AS DATE)) + 366",
        "mysql_in_range(d)": "CASE WHEN d >= DATE '0001-01-01' AND d < TIMESTAMP '10000-01-01 00:00:00' THEN d END",
        "mysql_shifted_text(s, d)": """CASE WHEN s IS NULL OR d IS NULL THEN NULL
            WHEN contains(s, ':') OR length(trim(s)) = 14
            THEN error('MySQL-dialect layer: INTERVAL on text with a time of day') ELSE strftime(d, '%Y-%m-%d') END""",
        "mysql_valid_date(y, m, d)": """CASE WHEN y > 0 AND m BETWEEN 1 AND 12 AND d BETWEEN 1 AND
            day(last_day(make_date(y, greatest(1, least(12, m)), 1))) THEN make_date(y, m, d)
            WHEN m <= 12 AND d <= 31 THEN error('MySQL-dialect layer: a date that is not in the calendar') END""",
        "mysql_valid_datetime(d, h, i, s)": """CASE WHEN h < 24 AND i < 60 AND s < 60
            THEN CAST(d AS TIMESTAMP) + to_hours(h) + to_minutes(i) + to_seconds(s) END""",
        "mysql_makedate(y, n)": """CASE WHEN y IS NULL OR n IS NULL OR n <= 0 THEN NULL
            WHEN y < 100 THEN error('MySQL-dialect layer: MAKEDATE of a two-digit year')
            ELSE mysql_in_range(make_date(y, 1, 1) + CAST(n - 1 AS INTEGER)) END""",
        "mysql_from_days(n)": """CASE WHEN n IS NULL THEN NULL WHEN n < 366 OR n > 3652424
            THEN error('MySQL-dialect layer: FROM_DAYS out of range')
            ELSE DATE '0001-01-01' + CAST(n - 366 AS INTEGER) END""",
        "mysql_from_unixtime(n)": """CASE WHEN n BETWEEN 0 AND 2147483647
            THEN TIMESTAMP '1970-01-01 00:00:00' + to_seconds(n) END""",
        "mysql_period_add(p, n)": """((mysql_period_months(p) + n) // 12 * 100 + (mysql_period_months(p) + n) % 12 + 1)""",
        "mysql_upper(s)": f"""CASE WHEN s IS NULL THEN NULL WHEN length(s) = strlen(s) OR regexp_matches(s, '{_CASED}') THEN upper(s)
            ELSE error('MySQL-dialect layer: UPPER of rare letters') END""",
        "mysql_lower(s)": f"""CASE WHEN s IS NULL THEN NULL WHEN length(s) = strlen(s) OR regexp_matches(s, '{_CASED}') THEN lower(s)
            ELSE error('MySQL-dialect layer: LOWER of rare letters') END""",
        "mysql_reverse(s)": "array_to_string(list_reverse(string_split(s, '')), '')",
        "mysql_ascii(s)": """CASE WHEN s = '' THEN 0 WHEN unicode(s) < 128 THEN ascii(s)
            WHEN s IS NULL THEN NULL ELSE error('MySQL-dialect layer: ASCII of a character beyond ASCII') END""",
        "mysql_substring(s, p)": """CASE WHEN s IS NULL OR p IS NULL THEN NULL WHEN p = 0 OR -p > length(s) THEN ''
            WHEN p < 0 THEN substr(s, length(s) + p + 1) ELSE substr(s, p) END""",
        "mysql_substring_length(s, p, n)": """CASE WHEN s IS NULL OR p IS NULL OR n IS NULL THEN NULL
            WHEN n <= 0 THEN '' ELSE substr(mysql_substring(s, p), 1, n) END""",
        "mysql_left(s, n)": "CASE WHEN s IS NULL OR n IS NULL THEN NULL WHEN n <= 0 THEN '' ELSE substr(s, 1, n) END",
        "mysql_right(s, n)": """CASE WHEN s IS NULL OR n IS NULL THEN NULL WHEN n <= 0 THEN ''
            WHEN n >= length(s) THEN s ELSE substr(s, length(s) - n + 1) END""",
        "mysql_lpad(s, n, p)": """CASE WHEN s IS NULL OR n IS NULL OR p IS NULL OR n < 0 THEN NULL
            WHEN n <= length(s) THEN substr(s, 1, n) WHEN p = '' THEN NULL
            ELSE lpad(s, CAST(n AS INTEGER), p) END""",
        "mysql_rpad(s, n, p)": """CASE WHEN s IS NULL OR n IS NULL OR p IS NULL OR n < 0 THEN NULL
            WHEN n <= length(s) THEN substr(s, 1, n) WHEN p = '' THEN NULL
            ELSE rpad(s, CAST(n AS INTEGER), p) END""",
        "mysql_locate(needle, s, p)": f"""CASE WHEN needle IS NULL OR s IS NULL OR p IS NULL THEN NULL
            WHEN p <= 0 OR p > length(s) + 1 THEN 0 WHEN needle = '' THEN strlen(substr(s, 1, p - 1)) + 1
            WHEN NOT (regexp_matches(needle, '{_PLAIN}') AND regexp_matches(s, '{_PLAIN}'))
            THEN mysql_locate_accented(needle, s, CAST(p AS BIGINT))
            WHEN strpos(substr(mysql_fold(s), p), mysql_fold(needle)) = 0 THEN 0
            ELSE strpos(substr(mysql_fold(s), p), mysql_fold(needle)) + p - 1 END""",
        "mysql_substring_index(s, d, n)": """CASE WHEN s IS NULL OR d IS NULL OR n IS NULL THEN NULL
            WHEN d = '' OR n = 0 THEN ''
            WHEN n > 0 THEN array_to_string(list_slice(string_split(s, d), 1, n), d)
            WHEN -n >= len(string_split(s, d)) THEN s
            ELSE array_to_string(list_slice(string_split(s, d), len(string_split(s, d)) + n + 1,
                                            len(string_split(s, d))), d) END""",
        "mysql_insert(s, p, n, r)": """CASE WHEN s IS NULL OR p IS NULL OR n IS NULL OR r IS NULL THEN NULL
            WHEN p < 1 OR p > length(s) THEN s
            WHEN n < 0 OR p + n > length(s) THEN substr(s, 1, p - 1) || r
            ELSE substr(s, 1, p - 1) || r || substr(s, p + n) END""",
        # By weight and without padding; MariaDB looks only where the list has at least as many bytes as what is sought.
        "mysql_find_in_set(x, s)": """CASE WHEN x IS NULL OR s IS NULL THEN NULL
            WHEN s = '' OR contains(x, ',') OR strlen(x) > strlen(s) THEN 0
            ELSE coalesce(list_position(string_split(mysql_fold(s), ','), mysql_fold(x)), 0) END""",
        "mysql_repeat(s, n)": """CASE WHEN s IS NULL OR n IS NULL THEN NULL WHEN n <= 0 THEN '' ELSE repeat(s, n) END""",
        "mysql_replace(s, a, b)": """CASE WHEN s IS NULL OR a IS NULL THEN NULL WHEN a = '' THEN s
            WHEN b IS NULL THEN NULL ELSE replace(s, a, b) END""",
        # A number rounded to a power of ten beyond its digits, half away from zero: for ROUND(x, -n).
        "mysql_round_tens(x, unit)": """CASE WHEN x < 0
            THEN -((CAST(floor(-x) AS HUGEINT) + unit // 2) // unit * unit)
            ELSE (CAST(floor(x) AS HUGEINT) + unit // 2) // unit * unit END""",
        "mysql_round_double(x, scale)": "round_even(x * scale, 0) / scale",
        "mysql_day_suffix(n)": """CASE WHEN n % 100 BETWEEN 11 AND 13 THEN 'th' WHEN n % 10 = 1 THEN 'st'
            WHEN n % 10 = 2 THEN 'nd' WHEN n % 10 = 3 THEN 'rd' ELSE 'th' END""",
        "mysql_thousands(s)": r"""regexp_extract(s, '^-', 0) || reverse(regexp_replace(reverse(regexp_extract(s,
            '[0-9]+', 0)), '([0-9]{3})', '\1,', 'g').rtrim(',')) || regexp_extract(s, '\..*$', 0)""",
        "mysql_period_months(p)": """CASE WHEN p BETWEEN 101 AND 6912 AND p % 100 BETWEEN 1 AND 12
            THEN (p // 100 + 2000) * 12 + p % 100 - 1
            WHEN p IS NULL THEN NULL WHEN p < 197001 OR p > 999912 OR p % 100 NOT BETWEEN 1
            AND 12 THEN error('MySQL-dialect layer: cannot read as a period: ' || p)
            ELSE p // 100 * 12 + p % 100 - 1 END""",
    }


_EXACT = Context(prec=200)


def _text(exact: Decimal, scale: int, rounding: str) -> str:
    return format(exact.quantize(Decimal(1).scaleb(-scale), rounding=rounding, context=_EXACT), "f")


def _divide(dividend: str, divisor: str, scale: int) -> str:
    """Divide exactly, cut after `scale` digits as MySQL's ``do_div_mod`` does."""
    return _text(_EXACT.divide(Decimal(dividend), Decimal(divisor)), scale, ROUND_DOWN)


def _divide_rounded(dividend: str, divisor: str, scale: int) -> str:
    return _text(_EXACT.divide(Decimal(dividend), Decimal(divisor)), scale, ROUND_HALF_UP)


def _multiply(left: str, right: str, scale: int) -> str:
    """Multiply exactly, cut after `scale` digits."""
    return _text(_EXACT.multiply(Decimal(left), Decimal(right)), scale, ROUND_DOWN)


def _multiply_rounded(left: str, right: str, scale: int) -> str:
    return _text(_EXACT.multiply(Decimal(left), Decimal(right)), scale, ROUND_HALF_UP)


_FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    name: (function, ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR")
    for name, function in {
        "mysql_divide": _divide,
        "mysql_divide_rounded": _divide_rounded,
        "mysql_multiply": _multiply,
        "mysql_multiply_rounded": _multiply_rounded,
    }.items()
} | SCALARS


def setup(connection: duckdb.DuckDBPyConnection) -> None:
    """Register on a connection what translated statements call; before ``lock_configuration``.

    Temporary macros and functions named ``mysql_*``; calling it again replaces them. No setting of the
    connection is changed: collation, the order of NULLs and division are written into every translated statement.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open connection; a read-only one will do.
    """
    import duckdb
    from duckdb.func import FunctionNullHandling

    for function_name, (function, arguments, result) in _FUNCTIONS.items():
        kinds: list[Any] = [duckdb.sqltype(each) for each in arguments]
        try:
            connection.create_function(
                function_name,
                _passing_null(function, len(arguments)),
                kinds,
                duckdb.sqltype(result),
                null_handling=FunctionNullHandling.SPECIAL,
            )
        except Exception as error:
            if "already" not in str(error):
                raise
    for signature, body in _ordered(_macros()):
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {signature} AS ({body})")


def _passing_null(function: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    """Return a function of so many arguments that gives NULL for NULL, and may give NULL."""
    if arguments == 1:
        return lambda a: None if a is None else function(a)
    if arguments == 2:
        return lambda a, b: None if a is None or b is None else function(a, b)
    return lambda a, b, c: None if a is None or b is None or c is None else function(a, b, c)


def _ordered(macros: dict[str, str]) -> list[tuple[str, str]]:
    """Return the macros with those that others call first."""
    callees = (
        "mysql_fold",
        "mysql_key",
        "mysql_within_month",
        "mysql_in_range",
        "mysql_substring(",
        "mysql_period_months",
    )
    return sorted(
        macros.items(), key=lambda item: next((i for i, c in enumerate(callees) if item[0].startswith(c)), 99)
    )

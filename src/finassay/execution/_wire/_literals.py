"""Bound parameters: find the placeholders of a statement and write values in their place.

Statements go to the database with their values written out, so that the query log holds what really ran.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Sequence

_QUOTED = r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|`[^`]*`|--[^\n]*|#[^\n]*|/\*.*?\*/"
_PLAIN_PG = r"[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
_DOLLAR_QUOTED = r"\$(?P<tag>(?:[A-Za-z_]\w*)?)\$.*?\$(?P=tag)\$"
QUOTED_PG = rf"{_PLAIN_PG}|{_DOLLAR_QUOTED}"
_MYSQL = re.compile(rf"({_QUOTED})|(\?)", re.DOTALL)
_POSTGRES = re.compile(rf"(?P<quoted>{QUOTED_PG})|\$(?P<number>\d+)", re.DOTALL)
_ANY = re.compile(
    rf"(?P<quoted>{QUOTED_PG})|=\s*ANY\s*\(\s*\$(?P<number>\d+)\s*\)",
    re.DOTALL | re.IGNORECASE,
)

Value = None | bool | int | float | decimal.Decimal | str | bytes | dt.date | dt.time


def count_question_marks(sql: str) -> int:
    """Return the number of ``?`` placeholders, outside strings and comments."""
    return sum(found[2] is not None for found in _MYSQL.finditer(sql))


def bind_question_marks(sql: str, values: Sequence[Value]) -> str:
    """Write values for the ``?`` of a MySQL statement."""
    remaining = iter(values)
    return _MYSQL.sub(lambda found: found[1] if found[2] is None else mysql_literal(next(remaining)), sql)


def count_dollars(sql: str) -> int:
    """Return the highest ``$n`` of a PostgreSQL statement, outside strings and comments."""
    return max((int(found["number"]) for found in _POSTGRES.finditer(sql) if found["number"]), default=0)


def any_as_in(sql: str) -> tuple[str, set[int]]:
    """Write ``= ANY($1)`` as ``IN ($1)``; return the statement and the numbers of the lists.

    Both say the same; the second is understood everywhere.
    """
    lists: set[int] = set()

    def spelled(found: re.Match[str]) -> str:
        if found["number"] is None:
            return found["quoted"]
        lists.add(int(found["number"]))
        return f"IN (${found['number']})"

    return _ANY.sub(spelled, sql), lists


def array_dollars(sql: str) -> set[int]:
    """Return the numbers of the ``$n`` that stand for a whole array: ``= ANY($1)``."""
    return {
        int(number) for number in re.findall(r"\b(?:ANY|ALL|SOME)\s*\(\s*\$(\d+)\s*\)", sql, re.IGNORECASE)
    }


def bind_dollars(sql: str, literals: Sequence[str]) -> str:
    """Write literals for the ``$n`` of a PostgreSQL statement."""
    return _POSTGRES.sub(
        lambda found: found["quoted"] if not found["number"] else literals[int(found["number"]) - 1], sql
    )


def mysql_literal(value: Value) -> str:
    """Return a value as a MySQL literal."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    return _literal(value)


def postgres_literal(value: Value) -> str:
    """Return a value as a PostgreSQL literal, standard strings."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'::bytea"
    return _literal(value)


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, dt.date | dt.time):
        return f"'{value}'"
    return f"({value})" if isinstance(value, int | float | decimal.Decimal) and value < 0 else str(value)

"""Parameter markers: statements have ``?`` on every engine, drivers want their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database._types import Dialect


def with_driver_markers(sql: str, dialect: Dialect) -> str:
    """Return a statement with ``%s`` in place of each ``?`` marker, and every ``%`` of its text doubled."""
    parts = [part.replace("%", "%%") for part in _split(sql, dialect)]
    return "%s".join(parts)


def numbered_markers(sql: str) -> str:
    """Return a statement of PostgreSQL with ``$1``, ``$2``, … in place of its ``?`` markers."""
    first, *others = _split(sql, "postgres")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, start=1))


def _split(sql: str, dialect: Dialect) -> list[str]:
    """Cut a statement at its markers, which only a tokenizer tells from the same characters in texts."""
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect
    from sqlglot.tokenizer_core import TokenType

    parts, last = [], 0
    for token in SqlglotDialect.get_or_raise(dialect).tokenize(sql):
        if token.token_type == TokenType.PLACEHOLDER and sql[token.start] == "?":
            parts.append(sql[last : token.start])
            last = token.end + 1
    return [*parts, sql[last:]]

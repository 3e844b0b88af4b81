"""MySQL statements about the session that may be accepted without effect: transactions, and settings clients send."""

from __future__ import annotations

import re

_TRANSACTION = re.compile(
    r"""BEGIN(?:\s+WORK)?
      | START\s+TRANSACTION(?:\s+(?:WITH\s+CONSISTENT\s+SNAPSHOT|READ\s+ONLY|READ\s+WRITE)(?:\s*,\s*(?=\w))?)*
      | (?:COMMIT|ROLLBACK)(?:\s+WORK)?(?:\s+AND(?:\s+NO)?\s+CHAIN)?(?:\s+(?:NO\s+)?RELEASE)?
      | ROLLBACK(?:\s+WORK)?\s+TO(?:\s+SAVEPOINT)?\s+`?\w+`?
      | (?:RELEASE\s+)?SAVEPOINT\s+`?\w+`?""",
    re.IGNORECASE | re.VERBOSE,
)
# What clients set by themselves. Limits, and what would change a result, are not here: they would have no effect.
_NAMES = "|".join(
    (
        "autocommit", "character_set_client", "character_set_connection", "character_set_results",
        "collation_connection", "foreign_key_checks", "interactive_timeout", "net_read_timeout", "net_write_timeout",
        "sql_auto_is_null", "sql_mode", "sql_safe_updates", "time_zone", "transaction_isolation", "tx_isolation",
        "unique_checks", "wait_timeout",
    )
)  # fmt: skip
_VALUE = r"""(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|-?\w+)"""
_ITEM = rf"""(?:
    (?:(?:SESSION|LOCAL)\s+|@@(?:(?:SESSION|LOCAL)\s*\.\s*)?)?(?:{_NAMES})\s*:?=\s*{_VALUE}
    | NAMES\s+{_VALUE}(?:\s+COLLATE\s+{_VALUE})?
    | (?:CHARACTER\s+SET|CHARSET)\s+{_VALUE}
  )"""
_MODE = r"(?:ISOLATION\s+LEVEL\s+(?:SERIALIZABLE|REPEATABLE\s+READ|READ\s+(?:UN)?COMMITTED)|READ\s+ONLY)"
_SET = re.compile(
    rf"""SET\s+(?:
        {_ITEM}(?:\s*,\s*{_ITEM})*
      | (?:(?:SESSION|LOCAL)\s+)?TRANSACTION\s+{_MODE}(?:\s*,\s*{_MODE})*
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


_SEPARATED = re.compile(rf"({_ITEM})\s*(?:,\s*|$)", re.IGNORECASE | re.VERBOSE | re.DOTALL)


def has_no_effect(text: str) -> bool:
    """Whether a statement, without comments before it and a semicolon after it, is accepted and changes nothing.

    What it says of character sets holds between the client and the server; see `Charsets`.
    """
    return bool(_TRANSACTION.fullmatch(text) or _SET.fullmatch(text))


def assignments(text: str) -> list[str]:
    """Return the parts of a ``SET`` that `has_no_effect`, one assignment each; nothing for another statement."""
    start = re.match(r"SET\s+", text, re.IGNORECASE)
    return [found[1] for found in _SEPARATED.finditer(text, start.end())] if start else []

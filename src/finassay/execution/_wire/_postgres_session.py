"""PostgreSQL statements about the session: transactions, and settings that may be accepted without effect."""

from __future__ import annotations

import re

_NAME = r'(?:"(?:[^"]|"")+"|\w+)'
_ISOLATION = r"ISOLATION\s+LEVEL\s+(?:SERIALIZABLE|REPEATABLE\s+READ|READ\s+(?:UN)?COMMITTED)"
_WORK = r"(?:\s+(?:WORK|TRANSACTION))?"
_MODES = rf"(?:\s+(?:{_ISOLATION}|READ\s+(?:ONLY|WRITE)|(?:NOT\s+)?DEFERRABLE)(?:\s*,(?=\s*\w))?)*"
_TRANSACTION = re.compile(
    rf"""(?P<word>BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE)\b(?:
        (?<=BEGIN){_WORK}{_MODES}
      | (?<=START)\s+TRANSACTION{_MODES}
      | (?:(?<=COMMIT)|(?<=END)|(?<=ROLLBACK)|(?<=ABORT)){_WORK}(?:\s+AND(?:\s+NO)?\s+CHAIN)?
      | (?<=ROLLBACK){_WORK}(?P<partly>\s+TO)(?:\s+SAVEPOINT)?\s+{_NAME}
      | (?<=SAVEPOINT)\s+{_NAME}
      | (?<=RELEASE)(?:\s+SAVEPOINT)?\s+{_NAME}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDS = {"START": "BEGIN", "END": "COMMIT", "ABORT": "ROLLBACK"}
# What clients set by themselves. Limits, and what would change a result, are not here: they would have no effect.
_SETTINGS = "|".join(
    (
        "application_name", "bytea_output", "client_encoding", "client_min_messages", "datestyle",
        "default_transaction_isolation", "extra_float_digits", "intervalstyle", "standard_conforming_strings",
        "timezone", "transaction_isolation",
    )
)  # fmt: skip
_VALUE = r"""(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|-?[\w.]+)"""
_VALUES = rf"(?P<values>{_VALUE}(?:\s*,\s*{_VALUE})*)"
_SET = re.compile(
    rf"""SET\s+(?:
        (?:(?:SESSION|LOCAL)\s+)?(?:(?:{_SETTINGS}|(?P<path>search_path))\s*(?:=|\sTO\s)\s*{_VALUES}
          | TIME\s+ZONE\s+{_VALUE} | NAMES\s+{_VALUE})
      | (?:SESSION\s+CHARACTERISTICS\s+AS\s+)?TRANSACTION\s+(?:{_ISOLATION}|READ\s+ONLY|(?:NOT\s+)?DEFERRABLE)
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_FORGET = re.compile(
    rf"""(?:RESET|DISCARD|UNLISTEN|DEALLOCATE)(?P<all>\s+ALL)
      | (?:RESET|UNLISTEN|DEALLOCATE(?:\s+PREPARE)?)\s+{_NAME}
      | DISCARD\s+(?:PLANS|SEQUENCES|TEMP|TEMPORARY)""",
    re.IGNORECASE | re.VERBOSE,
)
_HARMLESS_PATHS = {"$user", "public", "pg_catalog"}


def transaction(text: str, status: bytes) -> tuple[bytes, str] | None:
    """Return the new transaction status and the tag of a transaction statement, or None for another statement."""
    found = _TRANSACTION.fullmatch(text)
    if found is None:
        return None
    word = found["word"].upper()
    word = _WORDS.get(word, word)
    if word == "BEGIN":
        return b"T", "BEGIN"
    if word == "ROLLBACK":
        return (b"T" if found["partly"] else b"I"), "ROLLBACK"
    if word == "COMMIT":
        return b"I", "ROLLBACK" if status == b"E" else "COMMIT"
    return None if status == b"E" else (status, word)


def tag_without_effect(text: str, schema: str) -> str | None:
    """Return the tag of a statement that is accepted and changes nothing, or None for another statement.

    Raises
    ------
    QueryRefused
        Where it would make another schema than ``schema`` the default one.
    """
    from finassay.database import QueryRefused

    if found := _SET.fullmatch(text):
        names = re.findall(r"[^\s,'\"]+", found["values"] or "") if found["path"] else []
        other = [name for name in names if name.lower() not in {*_HARMLESS_PATHS, schema.lower()}]
        if other:
            raise QueryRefused(
                f"Names without a schema belong to {schema} here, and not to {other[0]}.",
                hint=f"Write the schema before the name of a table; the search path stays {schema}.",
                reason="schema_not_allowed",
            )
        return "SET"
    if found := _FORGET.fullmatch(text):
        return text.split(None, 1)[0].upper() + (" ALL" if found["all"] else "")
    return None

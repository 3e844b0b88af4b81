"""Why a program gave nothing to audit, each in a word of its own: it writes, it needs the network, a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import CandidateError

if TYPE_CHECKING:
    from finassay.audit._subject import Output

_WRITES = {"not_read_only", "row_lock"}
_NOTHING = {"no_result", "missing_result", "not_a_table"}
# What engines say to a program that speaks to them itself
_READ_ONLY = (
    *("attached in read-only mode", "in a read-only transaction", "in a read only transaction"),
    *("can only delete from base table", "can only update base table"),  # tables are views in an audit
)
_OFFLINE = (
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "network is unreachable",
    "no address associated",
    "failed to resolve",
    "getaddrinfo failed",
    "could not resolve host",
)


def failure(base: Output) -> tuple[str, str]:
    """Return the reason of a failure over the unaltered data, and a sentence about it."""
    text = base.error or ""
    if (
        base.reason in _WRITES
        or (base.reason == "query_refused" and _writes(base))
        or any(words in text.lower() for words in _READ_ONLY)
    ):
        return (
            "program_writes",
            f"The program writes to the database, which an audit does not let it do: {text}",
        )
    if any(words in text.lower() for words in _OFFLINE) or base.kind == "gaierror":
        return "needs_network", f"The program needs the network, which an audit does not give it: {text}"
    if base.kind == "FileNotFoundError" or base.reason == "file_access":
        return (
            "reads_file",
            f"The program reads a file, a cache perhaps, in place of the database: {text}",
        )
    if base.reason in _NOTHING:
        return "no_output", f"The program returned no table; what it prints is not judged: {text}"
    return "program_failed", f"The program failed over the unaltered data: {text}"


def _writes(base: Output) -> bool:
    """Whether the last statement, with which the program ended, is one that writes."""
    from finassay.database import QueryPolicy, check

    if not base.statements:
        return False
    dialect, text = base.statements[-1]
    try:
        check(text, dialect, QueryPolicy(), "")
    except CandidateError as error:
        return error.reason in _WRITES
    return False

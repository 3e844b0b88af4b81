"""Why a program cannot be judged, each in a word of its own: it writes, it needs the network, a file."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from finassay.core import CandidateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from finassay.audit._subject import Output
    from finassay.execution import Outside

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

_MOST_NAMED = 5
_READER = re.compile(
    r"(read|scan)_(?!sql|database|gbq)|(load|open|loadtxt|genfromtxt|fromfile|memory_map|ParquetFile|ParquetDataset)\Z"
)
# DuckDB's functions that tell of its tables, their sizes and their files
_CATALOG = re.compile(r"\b((?:duckdb|pragma|sqlite)_\w+)(?=\s*\(| may not be used)", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(https?|s3|gs|gcs|hf|ftp)://", re.IGNORECASE)


_TELLS = "which tells of whole tables, their rows not yet known too"


def failure(base: Output) -> tuple[str, str]:
    """Return the reason of a failure over the unaltered data, and a sentence about it."""
    text = base.error or ""
    if base.overdue:
        return "time_limit", overdue([text])
    if (
        base.reason in _WRITES
        or (base.reason == "query_refused" and _writes(base))
        or any(words in text.lower() for words in _READ_ONLY)
    ):
        return (
            "program_writes",
            f"The program writes to the database, which an audit does not let it do: {text}",
        )
    asks = base.reason == "file_access" and base.statements and _ADDRESS.search(base.statements[-1][1])
    if asks or any(words in text.lower() for words in _OFFLINE) or base.kind == "gaierror":
        return "needs_network", f"The program needs the network, which an audit does not give it: {text}"
    if (told := _CATALOG.search(text)) and "may not be used" in text:
        return "table_not_catalogued", f"The program reads {told[1].lower()}(), {_TELLS}: {text}"
    if base.kind == "FileNotFoundError" or base.reason == "file_access":
        return (
            "reads_file",
            f"The program reads a file, a cache perhaps, in place of the database: {text}",
        )
    if base.reason in _NOTHING:
        return "no_output", f"The program returned no table; what it prints is not judged: {text}"
    return "program_failed", f"The program failed over the unaltered data: {text}"


def overdue(errors: Sequence[str]) -> str:
    """Say what it means that runs of a program ended because their time was over."""
    return (
        f"The time of {len(errors)} run(s) of the program was over: {errors[0]} On a faster machine, or with more "
        "time, the audit may say something else: --timeout SECONDS gives more."
    )


def reached(runs: Iterable[Outside], python: str) -> Iterator[tuple[str, str]]:
    """Yield the reasons why a program that caught the failure cannot be judged: elsewhere it may answer otherwise."""
    seen = list(runs)
    hosts = _named(host for one in seen for host in one.hosts)
    if hosts:
        yield (
            "needs_network",
            f"The program calls out ({hosts}), which an audit does not let it do; elsewhere it may answer otherwise.",
        )
    looked = [path for one in seen for path in one.looked] if _reads_files(python) else []
    refused = [path for one in seen for path in one.files]
    told = _named(found[1].lower() + "()" for text in refused if (found := _CATALOG.search(text)))
    if told:
        yield (
            "table_not_catalogued",
            f"The program asks for {told}, {_TELLS}; elsewhere it may answer otherwise.",
        )
    files = _named([*(path for path in refused if not _CATALOG.search(path)), *looked])
    if files:
        yield (
            "reads_file",
            (
                f"The program looks for a file that it has not made ({files}), a cache perhaps; with one it may answer "
                "otherwise."
            ),
        )


def _named(found: Iterable[str]) -> str:
    names = list(dict.fromkeys(found))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _reads_files(python: str) -> bool:
    """Whether the text of a program has a call that reads files: to ask for one alone is no use of it."""
    try:
        calls = [node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return True
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        modes = [
            value.value
            for value in (*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode"))
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        ]
        if name == "open" and modes and not set("r+") & set(modes[0]):
            continue
        if _READER.match(name):
            return True
    return False


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

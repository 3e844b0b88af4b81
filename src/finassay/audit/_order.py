"""Whether the order of an answer hangs on what was not knowable.

That is a warning, never a verdict: rows that tie in an order come as the engine likes, and of an order whose key is not
among the columns nobody can tell the ties. A program whose order is its answer can give the rank as a column, which is
judged like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from finassay.audit._compare import same_place

if TYPE_CHECKING:
    from finassay.audit._subject import Output
    from finassay.database import Dialect
    from finassay.execution import Submission

_SORTS = re.compile(
    r"\bORDER\s+BY\b|\bsort(?:ed|_values|_by|_index)?\s*\(|\bn(?:largest|smallest)\s*\(", re.IGNORECASE
)


def sorts(submission: Submission, dialect: Dialect) -> bool:
    """Whether a program puts its rows in an order of its own."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    if submission.mode != "sql":
        return _SORTS.search(submission.python_code or "") is not None
    try:
        last: Any = sqlglot.parse(submission.sql_code or "", dialect=dialect)[-1]
    except SqlglotError:
        return False
    return last is not None and last.args.get("order") is not None


def reordered(expected: Output, found: Output) -> bool:
    """Whether the rows of two outputs that are the same answer come in another order."""
    return any(
        not same_place(table, found.tables[name])
        for name, table in expected.tables.items()
        if name in found.tables
    )

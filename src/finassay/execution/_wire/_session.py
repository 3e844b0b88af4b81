"""What a protocol server needs from whoever answers statements, and the errors it turns into protocol errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from finassay.core import CandidateError, FinassayError

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import Dialect, TableInfo


@dataclass(frozen=True)
class Answer:
    """What a statement gave: a table, or nothing but the tag of a statement without a result."""

    table: pa.Table | None = None
    tag: str = ""


class Session(Protocol):
    """One client's view of a database: the servers of this package speak to nothing else."""

    @property
    def engine(self) -> Dialect:
        """What runs underneath; the servers use it only to say what they are."""
        ...

    @property
    def password(self) -> str | None:
        """What a client of a wire protocol has to know; None where anybody may come."""
        ...

    @property
    def schema(self) -> str:
        """The schema (database, for MySQL) that unqualified names belong to."""
        ...

    def execute(
        self,
        sql: str,
        own: Callable[[], Answer | None] | None = None,
        rewritten: Callable[[str], str] | None = None,
    ) -> Answer:
        """Answer and log one statement in the dialect of the route, or raise a `finassay.core.FinassayError`.

        ``own`` answers it if the protocol server can, else returns None; the database then runs it, after
        ``rewritten`` where the server has to change it.
        """
        ...

    def forget(self) -> None:
        """Forget what the client has set, as a new connection would have it."""
        ...

    def tables(self) -> Sequence[TableInfo]:
        """Return what the client may see."""
        ...

    def report(self, message: dict[str, object]) -> dict[str, object]:
        """Take down a statement that the client runs by itself (the DuckDB shim); return its number and caps."""
        ...

    def cancel(self) -> None:
        """Stop the running statement, from another thread; nothing happens when none runs."""
        ...

    def hang_up(self) -> None:
        """Stop the running statement as `cancel` does, because its client has gone."""
        ...

    @property
    def busy(self) -> bool:
        """Whether a statement runs."""
        ...

    def end_stuck(self) -> None:
        """End this process where the running statement's time is over and nothing less ends it."""
        ...


@dataclass(frozen=True)
class WireError:
    """An error as the two wire protocols put it.

    Attributes
    ----------
    message : str
        Text for the client.
    mysql : int
        MariaDB's error number.
    sqlstate : str
        SQLSTATE of the PostgreSQL protocol.
    """

    message: str
    mysql: int
    sqlstate: str


DENIED = (
    "Access denied: another password is expected. That of a run without a jail is in the program's environment "
    "(DATABASE_URL, DB_PASSWORD, MYSQL_PASSWORD, PGPASSWORD); an as-of server printed its own when it started."
)
_BY_REASON = {
    "query_timeout": (3024, "57014"),
    "query_refused": (1142, "42501"),
    "unsupported_syntax": (1235, "0A000"),
    "out_of_memory": (1041, "53200"),
    "aborted_transaction": (1105, "25P02"),
    "unknown_table": (1146, "42P01"),
    "unknown_column": (1054, "42703"),
    "unknown_cursor": (1324, "34000"),
    "unknown_charset": (1115, "22023"),
    "unknown_collation": (1273, "22023"),
    "other_collation": (1253, "22023"),
    "not_in_charset": (1300, "22021"),
    "cancelled": (1317, "57014"),
}
_BY_TEXT = (
    (("table", "does not exist"), (1146, "42P01")),
    (("table", "doesn't exist"), (1146, "42P01")),
    (("relation", "does not exist"), (1146, "42P01")),
    (("column", "does not exist"), (1054, "42703")),
    (("unknown column",), (1054, "42703")),
    (("column", "not found"), (1054, "42703")),
    (("function", "does not exist"), (1305, "42883")),
)
_SYNTAX = (1064, "42601")
_INTERNAL = (1105, "XX000")


def wire_error(error: Exception) -> WireError:
    """Return the protocol codes of an error; the message carries its hint."""
    if not isinstance(error, FinassayError):
        return WireError(
            f"internal error of the database broker: {type(error).__name__}: {error}", *_INTERNAL
        )
    text = str(error)
    lowered = text.lower()
    known = _BY_REASON.get(error.reason) or _BY_REASON.get(type(error).reason)
    if known is None:
        other = _SYNTAX if isinstance(error, CandidateError) else _INTERNAL
        known = next((codes for words, codes in _BY_TEXT if all(word in lowered for word in words)), other)
    return WireError(text, *known)

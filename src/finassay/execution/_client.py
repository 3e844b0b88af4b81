"""The host's own client of the broker: a SQL program needs no interpreter, only the database's process."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import CandidateError, FinassayError, InputError, InternalError, Place

if TYPE_CHECKING:
    import pyarrow as pa

_DATABASE_FAULTS = {"database_unavailable", "not_utf8", "open_quote"}


def ask(sock: Path, sql: str) -> pa.Table:
    """Run a statement through the broker's native socket.

    Parameters
    ----------
    sock : Path
        The socket ``native.sock`` of a running `Broker`.
    sql : str
        One statement in the dialect of the broker.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    CandidateError
        With the broker's reason, message and place where the statement is refused, wrong or too slow, or takes
        more memory than the database's process may have.
    InputError
        Where a file of the database cannot be read, which shows when a statement needs it.
    """
    import pyarrow as pa

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(sock))
        request = json.dumps({"op": "query", "sql": sql}).encode()
        client.sendall(len(request).to_bytes(4, "big") + request)
        head = _exactly(client, 4)
        if head is None:
            raise CandidateError(
                "The statement took more memory than the database's process may have, which ended it.",
                hint="Aggregate earlier, or give more with --memory.",
                reason="out_of_memory",
            )
        reply = json.loads(_exactly(client, int.from_bytes(head, "big")) or b"{}")
        if not reply.get("ok"):
            raise _refusal(reply)
        body = _exactly(client, reply["size"])
    if body is None:
        raise InternalError(
            "The database's process ended in the middle of a result.", reason="connection_lost"
        )
    with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
        return reader.read_all()


def _refusal(reply: dict[str, Any]) -> FinassayError:
    place = reply.get("place")
    if reply.get("reason") in _DATABASE_FAULTS:
        return InputError(str(reply["message"]), hint=reply.get("hint"), reason=str(reply["reason"]))
    return CandidateError(
        str(reply.get("message", "The database's process gave no answer.")),
        hint=reply.get("hint"),
        place=Place(**place) if place else None,
        reason=str(reply.get("reason", "query_error")),
    )


def _exactly(client: socket.socket, count: int) -> bytearray | None:
    """Read so many bytes; None where the other side ends first."""
    data = bytearray(count)
    view = memoryview(data)
    while view:
        try:
            got = client.recv_into(view)
        except ConnectionError:
            return None
        if not got:
            return None
        view = view[got:]
    return data

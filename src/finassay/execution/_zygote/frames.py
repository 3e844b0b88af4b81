"""Frames of a length and JSON on the socket to the host; the pipes of a call travel with one."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Any


def receive(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Read one frame and its descriptors; None at the end of the stream."""
    head, descriptors, _, _ = socket.recv_fds(control, 4, 3)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    while head and len(head) < 4:
        head += control.recv(4 - len(head))
    if not head:
        return None, []
    left = struct.unpack("!I", head)[0]
    pieces = []
    while left:
        piece = control.recv(min(left, 1 << 20))
        if not piece:
            return None, []
        pieces.append(piece)
        left -= len(piece)
    value: dict[str, Any] = json.loads(b"".join(pieces))
    return value, list(descriptors)


def send(control: socket.socket, value: dict[str, Any]) -> None:
    """Write one frame."""
    body = json.dumps(value).encode()
    control.sendall(struct.pack("!I", len(body)) + body)

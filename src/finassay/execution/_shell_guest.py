"""Runs inside the jail: starts commands that the host sends, several at a time. Standard library only.

The host has the other end of one connection; nobody else in the jail can make a second. Nothing said here is trusted.
"""

from __future__ import annotations

import base64
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

CHUNK = 1 << 16
LIMITED = 'ulimit -t "$0" && exec "$@"'
PATIENCE_S = (
    0.2  # for what a finished command left in its pipes, which a child in the background may hold open
)


def serve(path: str) -> None:
    """Answer every request of the host until it closes the connection."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    channel.connect(path)
    lock = threading.Lock()
    with channel, channel.makefile("rb") as stream:
        while head := stream.read(4):
            request = json.loads(stream.read(struct.unpack("!I", head)[0]))
            try:
                threading.Thread(target=answer, args=(channel, lock, request), daemon=True).start()
            except RuntimeError:  # no process may be started: others in the background hold them all
                send(channel, lock, {"id": request["id"], "full": True})
    os._exit(0)  # commands that still run are ended by the jail


def answer(channel: socket.socket, lock: threading.Lock, request: dict[str, Any]) -> None:
    """Run one command and send what came of it."""
    try:
        said = run(request)
    except (BlockingIOError, RuntimeError):  # neither a process nor a thread may be started
        send(channel, lock, {"id": request["id"], "full": True})
        return
    except OSError as error:  # the folder is not there, or the arguments are too long
        said = {"code": 126, "err": f"{error}\n".encode()}
    except MemoryError:
        said = {"code": 137, "err": b"There was no memory to start it.\n"}
    reply = {
        "id": request["id"],
        "code": said["code"],
        "out": base64.b64encode(said.get("out", b"")).decode(),
        "err": base64.b64encode(said.get("err", b"")).decode(),
        "cut": said.get("cut", False),
        "late": said.get("late", False),
    }
    send(channel, lock, reply)


def send(channel: socket.socket, lock: threading.Lock, reply: dict[str, Any]) -> None:
    """Send a reply; the host may be gone."""
    body = json.dumps(reply).encode()
    with lock, suppress(OSError):
        channel.sendall(struct.pack("!I", len(body)) + body)


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run a command to its end or to its time; what it prints beyond the cap is read and forgotten."""
    process = subprocess.Popen(  # noqa: S603 - commands are what a shell is for
        ["/bin/sh", "-c", LIMITED, str(request["cpu_s"]), *request["command"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=request["cwd"],
        env={**os.environ, **request["env"]},
        start_new_session=True,
    )
    feeder = threading.Thread(target=feed, args=(process, base64.b64decode(request["input"])), daemon=True)
    feeder.start()
    late = False
    pipes = Pipes(process, request["most"])
    deadline = time.monotonic() + request["timeout"]
    while process.poll() is None:
        if time.monotonic() >= deadline:
            late = True
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            break
        pipes.read(0.02)
    end = time.monotonic() + PATIENCE_S
    while pipes.open and time.monotonic() < end:
        pipes.read(0.02)
    out, err = pipes.kept()
    code = process.returncode
    return {"code": code if code >= 0 else 128 - code, "out": out, "err": err, "cut": pipes.cut, "late": late}


def feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Give a command its input; it may not want all of it."""
    with suppress(OSError, ValueError):
        process.stdin.write(data)  # type: ignore[union-attr]
    with suppress(OSError, ValueError):
        process.stdin.close()  # type: ignore[union-attr]


class Pipes:
    """What a command prints, up to a number of bytes each."""

    def __init__(self, process: subprocess.Popen[bytes], most: int) -> None:
        self._most = most
        self.cut = False
        self._kept = {"out": bytearray(), "err": bytearray()}
        self._selector = selectors.DefaultSelector()
        for name, pipe in (("out", process.stdout), ("err", process.stderr)):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
            self._selector.register(pipe, selectors.EVENT_READ, name)  # type: ignore[arg-type]
        self.open = 2

    def read(self, wait_s: float) -> None:
        """Read what is there, or wait a little for it."""
        for key, _ in self._selector.select(wait_s):
            try:
                piece = os.read(key.fd, CHUNK)
            except (BlockingIOError, RuntimeError):  # neither a process nor a thread may be started
                continue
            if not piece:
                self._selector.unregister(key.fileobj)
                self.open -= 1
            kept = self._kept[key.data]
            room = self._most - len(kept)
            kept += piece[:room]
            self.cut = self.cut or len(piece) > room

    def kept(self) -> tuple[bytes, bytes]:
        """Return what was kept of both."""
        return bytes(self._kept["out"]), bytes(self._kept["err"])

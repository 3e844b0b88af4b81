"""How a MySQL client introduces itself: its database, its character set, and a password where one is asked for."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import secrets
import struct
from dataclasses import dataclass
from typing import Protocol

from finassay.execution._wire._mysql_answers import VERSION
from finassay.execution._wire._mysql_charsets import Charsets
from finassay.execution._wire._serve import Disconnected
from finassay.execution._wire._session import DENIED, WireError

_CONNECT_WITH_DB, _SECURE_CONNECTION, _PLUGIN_AUTH, _LENENC_AUTH = 1 << 3, 1 << 15, 1 << 19, 1 << 21
# long password, found rows, long flags, connect with db, protocol 4.1, transactions, secure connection, plugins,
# connection attributes, length-encoded authentication data
_CAPABILITIES = 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 1 << 19 | 1 << 20 | 1 << 21
_AUTOCOMMIT = 2
OK = b"\0\0\0" + _AUTOCOMMIT.to_bytes(2, "little") + b"\0\0"
EOF = b"\xfe\0\0" + _AUTOCOMMIT.to_bytes(2, "little")
_NATIVE, _SHA2 = b"mysql_native_password", b"caching_sha2_password"
_numbers = itertools.count(1)


class Packets(Protocol):
    """What a handshake needs of a connection."""

    def receive(self) -> bytes: ...

    def send(self, *payloads: bytes) -> None: ...

    def error(self, error: WireError, charsets: Charsets) -> None: ...


@dataclass(frozen=True)
class Introduction:
    """What a client says of itself."""

    database: str
    number: int
    answer: bytes = b""
    plugin: bytes = _NATIVE


def shake_hands(wire: Packets, password: str | None) -> Introduction:
    """Greet a client, and accept it if it knows the password; without one, accept anybody.

    Raises
    ------
    Disconnected
        If it does not, or what it sends is no introduction.
    """
    # Twenty bytes without a NUL, which would end them early.
    salt = bytes(secrets.choice(range(1, 128)) for _ in range(20))
    low, high = _CAPABILITIES & 0xFFFF, _CAPABILITIES >> 16
    wire.send(
        b"\x0a"
        + VERSION.encode()
        + b"\0"
        + (next(_numbers) & 0xFFFFFFFF).to_bytes(4, "little")
        + salt[:8]
        + b"\0"
        + struct.pack("<HBHHB", low, 45, _AUTOCOMMIT, high, 21)
        + bytes(10)
        + salt[8:]
        + b"\0"
        + _NATIVE
        + b"\0"
    )
    introduction = _read(wire.receive())
    if password is not None and not _proven(wire, introduction, salt, password.encode()):
        wire.error(WireError(DENIED, 1045, "28000"), Charsets.of_number(introduction.number))
        raise Disconnected("a wrong password")
    wire.send(OK)
    return introduction


def _proven(wire: Packets, introduction: Introduction, salt: bytes, password: bytes) -> bool:
    if introduction.plugin == _SHA2 and len(introduction.answer) == 32:
        if hmac.compare_digest(introduction.answer, sha2_answer(password, salt)):
            wire.send(b"\x01\x03")  # the short way: nothing more is needed
            return True
        return False
    answer = introduction.answer
    if introduction.plugin != _NATIVE:
        wire.send(b"\xfe" + _NATIVE + b"\0" + salt + b"\0")
        answer = wire.receive()
    return hmac.compare_digest(answer, native_answer(password, salt))


def native_answer(password: bytes, salt: bytes) -> bytes:
    """Return the proof of ``mysql_native_password``: SHA1(p) XOR SHA1(salt + SHA1(SHA1(p)))."""
    once = hashlib.sha1(password).digest()  # noqa: S324 - the protocol's
    return _xor(once, hashlib.sha1(salt + hashlib.sha1(once).digest()).digest())  # noqa: S324


def sha2_answer(password: bytes, salt: bytes) -> bytes:
    """Return the proof of ``caching_sha2_password``: SHA256(p) XOR SHA256(SHA256(SHA256(p)) + salt)."""
    once = hashlib.sha256(password).digest()
    return _xor(once, hashlib.sha256(hashlib.sha256(once).digest() + salt).digest())


def _xor(one: bytes, two: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, two, strict=True))


def _read(reply: bytes) -> Introduction:
    """Read the client's answer to the greeting; an older or shorter one says less."""
    if len(reply) < 33:
        raise Disconnected("a short handshake")
    capabilities, number = int.from_bytes(reply[:4], "little"), reply[8]
    position = reply.find(b"\0", 32) + 1
    if not position:
        return Introduction("", number)
    if capabilities & (_LENENC_AUTH | _SECURE_CONNECTION):
        size = reply[position] if position < len(reply) else 0
        answer, position = reply[position + 1 : position + 1 + size], position + 1 + size
    else:
        end = reply.find(b"\0", position)
        answer, position = reply[position:end], end + 1
    words = reply[position:].split(b"\0")
    database = words.pop(0) if capabilities & _CONNECT_WITH_DB else b""
    plugin = words[0] if capabilities & _PLUGIN_AUTH and words else _NATIVE
    return Introduction(_database_name(database, number), number, answer, plugin)


def _database_name(name: bytes, number: int) -> str:
    try:
        return Charsets.of_number(number).client.decode(name)
    except UnicodeDecodeError:
        return name.decode("utf-8", "replace")

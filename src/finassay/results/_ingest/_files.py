"""Files of others: in UTF-8 or a Chinese encoding, whole or cut off, with what is wrong named by its line."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from finassay.core import InputError, hash_bytes

_BLOCK = 1 << 20
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ENCODINGS = ("utf-8", "gb18030")  # the second holds GBK and GB 2312


class Survey(NamedTuple):
    """The SHA-256 of a file's bytes, and the encoding of its text."""

    sha256: str
    encoding: str


class Document(NamedTuple):
    """A JSON file: its value, and the SHA-256 of its bytes."""

    value: Any
    sha256: str


def survey(path: Path) -> Survey:
    """Read a file in blocks: its hash, and which encoding all of it has.

    Raises
    ------
    InputError
        ``unreadable``; ``not_text``: neither UTF-8 nor GBK.
    """
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    head = next(_blocks(path), b"")
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    for name in [marked] if marked else _ENCODINGS:
        decoder = codecs.getincrementaldecoder(name)()
        try:
            for block in _blocks(path):
                decoder.decode(block)
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            continue
        return Survey(digest.hexdigest(), name)
    raise InputError(
        f"{path} is no text: neither UTF-8 nor GBK.",
        hint=f"Save it as UTF-8, for example: iconv -f ENCODING -t UTF-8 {path.name}",
        reason="not_text",
    )


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                yield block
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", reason="unreadable") from error


def read_text(path: Path) -> tuple[str, str]:
    """Return the text of a file, and the SHA-256 of its bytes; raises as `survey` does."""
    raw = b"".join(_blocks(path))
    try:
        return raw.decode("utf-8-sig"), hash_bytes(raw)
    except UnicodeDecodeError:
        return raw.decode(survey(path).encoding), hash_bytes(raw)


def read_json(path: Path, *, unique: bool = False) -> Document:
    """Read a JSON file.

    Parameters
    ----------
    path : Path
        The file.
    unique : bool
        Refuse an object that has a name twice, of which Python would keep the last.

    Raises
    ------
    InputError
        ``not_json``: the message has the line, and whether the file was cut off; ``duplicate_key``; as `survey`.
    """
    text, sha256 = read_text(path)
    return Document(parse_json(text, str(path), unique=unique), sha256)


def parse_json(text: str, where: str, *, unique: bool = False) -> Any:
    """Read a JSON text; raises as `read_json` does."""
    try:
        return json.loads(text, object_pairs_hook=_unique_names if unique else None)
    except json.JSONDecodeError as error:
        end = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
        cut = "is cut off" if end else "is not JSON"
        raise InputError(
            f"{where} {cut} at line {error.lineno}, column {error.colno}: {error.msg}.",
            hint="Copy it again, or take it away: what is then missing is named."
            if end
            else "Expected one JSON value.",
            reason="not_json",
        ) from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply.", reason="not_json") from error
    except _TwiceError as twice:
        raise InputError(
            f"{where} has {twice.name!r} twice in one object.",
            hint="Keep one of the two: JSON readers would drop the other without a word.",
            reason="duplicate_key",
        ) from twice


class _TwiceError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found


class Line(NamedTuple):
    """A record of a file of lines, and where it stands."""

    record: dict[str, Any]
    where: str


def json_lines(path: Path, encoding: str) -> Iterator[Line]:
    """Yield the objects of a JSONL file; empty lines are none.

    Raises
    ------
    InputError
        ``not_json``, ``duplicate_key``, ``not_an_object``, with the line.
    """
    with path.open(encoding=encoding) as stream:
        for number, text in enumerate(stream, 1):
            if not text.strip():
                continue
            where = f"{path}, line {number}"
            yield Line(as_object(parse_json(text.rstrip(), where, unique=True), where), where)


def as_object(value: Any, where: str) -> dict[str, Any]:
    """Return a JSON object, or refuse what is none."""
    if isinstance(value, dict):
        return value
    raise InputError(f"{where} is no object: {_kind(value)}.", hint="Expected {…}.", reason="not_an_object")


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", type(None): "null", bool: "a truth value"}
    return names.get(type(value), "a number")

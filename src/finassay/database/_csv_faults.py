"""What is wrong with a CSV file that DuckDB cannot read, or would read as something else."""

from __future__ import annotations

import codecs
import gzip
import re
from typing import IO, TYPE_CHECKING

from finassay.database._types import DatabaseUnavailable

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 20
_QUOTED_FIELD = re.compile(rb'(?:^|[,;\t|])"')
_MARKS = ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))


def refuse_other_encoding(file: Path) -> None:
    """Refuse a file that is not UTF-8, with the place and the encoding that it seems to have.

    Raises
    ------
    DatabaseUnavailable
        With ``not_utf8``.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = lines = 0
    with _opened(file) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                rest = error.object[error.start :] + stream.read(_CHUNK)
                at, line = (
                    before - waiting + error.start,
                    lines + error.object.count(b"\n", 0, error.start) + 1,
                )
                raise _not_utf8(file, at, line, rest, error.object[:2] if not before else b"") from None
            if not chunk:
                return
            before += len(chunk)
            lines += chunk.count(b"\n")


def _not_utf8(file: Path, at: int, line: int, rest: bytes, head: bytes) -> DatabaseUnavailable:
    looks = _guess(rest, head)
    seems = f" It looks like {looks}." if looks else ""
    name = file.name.removesuffix(".gz").removesuffix(".GZ")
    first = f"gunzip -c {file.name} | iconv" if file.name.lower().endswith(".gz") else "iconv"
    given = "" if first != "iconv" else f" {file.name}"
    return DatabaseUnavailable(
        f"{file} is not UTF-8: byte 0x{rest[0]:02x} at offset {at:,}, in line {line:,}.{seems}",
        hint=f"Save it as UTF-8, for example: {first} -f {looks or 'ENCODING'} -t UTF-8{given} > utf8/{name}",
        reason="not_utf8",
    )


def _guess(rest: bytes, head: bytes) -> str | None:
    """Name the encoding of what follows the first byte that is not UTF-8."""
    for mark, name in _MARKS:
        if head == mark:
            return name
    try:
        wide = [
            letter for letter in codecs.getincrementaldecoder("gb18030")().decode(rest) if ord(letter) > 127
        ]
    except UnicodeDecodeError:
        wide = []
    # Letters of western Europe read as GB18030 are rare signs; Chinese text is mostly of the signs of GB 2312.
    if sum(bool(letter.encode("gb2312", "ignore")) for letter in wide) * 2 > len(wide):
        return "GB18030"
    try:
        rest.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "WINDOWS-1252"


def refuse_open_quote(file: Path) -> None:
    """Refuse a file with a quotation mark that opens a field and is never closed.

    DuckDB takes such marks for letters of the text, with all others of the file. Called where it sees no quotes.

    Raises
    ------
    DatabaseUnavailable
        With ``open_quote`` and the line.
    """
    with _opened(file) as stream:
        for number, line in enumerate(stream, 1):
            if line.count(b'"') % 2 and _QUOTED_FIELD.search(line):
                shown = line.decode("utf-8", "replace").strip()[:80]
                raise DatabaseUnavailable(
                    f"{file} opens a quotation mark in line {number:,} that is not closed: {shown}",
                    hint='Close it, or double it and quote the field where it is meant: "5"" pipe".',
                    reason="open_quote",
                )


def _opened(file: Path) -> IO[bytes] | gzip.GzipFile:
    return gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb")

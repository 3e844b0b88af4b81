"""``COPY … TO STDOUT`` of the PostgreSQL protocol: what is copied, in which form, and the messages of its rows.

Written to the documentation of PostgreSQL, page "COPY". The query of a COPY is run, judged and logged as if it had come
alone; only the form of its rows differs.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.execution._wire import _text
from finassay.execution._wire._literals import QUOTED_PG
from finassay.execution._wire._postgres_rows import as_text, data_rows

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = r'(?:"(?:[^"]|"")+"|\w+)'
_TABLE = re.compile(rf"(?P<table>{_NAME}(?:\s*\.\s*{_NAME})*)\s*(?:\((?P<columns>[^()]*)\))?\s*", re.DOTALL)
_PARENTHESIS = re.compile(rf"{QUOTED_PG}|(?P<mark>[()])", re.DOTALL)
_READS = re.compile(r"[\s(]*(?:SELECT|WITH|VALUES|TABLE)\b", re.IGNORECASE)
_TO_STDOUT = re.compile(r"TO\s+STDOUT\b\s*", re.IGNORECASE)
_OPTION = re.compile(r"\s*(?:(?P<escaped>[eE]?)'(?P<string>(?:[^']|'')*)'|(?P<word>\w+)|[,()])\s*")
_ESCAPES = {"\\t": "\t", "\\\\": "\\"}
_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
_NOISE = {"with", "as"}
_CONTROLS = (
    ("\\", "\\\\"),
    ("\b", "\\b"),
    ("\f", "\\f"),
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ("\v", "\\v"),
)
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_TRAILER = struct.pack("!h", -1)
SERVED = (
    "Of COPY only COPY (SELECT …) TO STDOUT and COPY table TO STDOUT may run here, with the options FORMAT (text, csv "
    "or binary), DELIMITER, NULL, HEADER, QUOTE and ESCAPE."
)


@dataclass(frozen=True)
class Copy:
    """A COPY to the client: the query whose rows are copied, and the form."""

    sql: str
    form: str = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool = False
    quote: str = '"'
    escape: str = '"'


def read_copy(text: str) -> Copy | None:
    """Read a statement that copies to the client; None for any other, and where an option is not served.

    Parameters
    ----------
    text : str
        A statement without comments before it and semicolons after it.
    """
    begins = re.match(r"COPY(?=[\s(\"])\s*", text, re.IGNORECASE)
    if begins is None:
        return None
    source = _query(text, begins.end()) or _table(text, begins.end())
    if source is None or (to := _TO_STDOUT.match(text, source[1])) is None:
        return None
    options = _options(text[to.end() :])
    return None if options is None else _copy(source[0], options)


def _query(text: str, start: int) -> tuple[str, int] | None:
    """Return the query in parentheses, and where what follows begins."""
    if text[start : start + 1] != "(":
        return None
    depth = 0
    for found in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found["mark"] or "", 0)
        if depth == 0 and found["mark"]:
            query = text[start + 1 : found.start()]
            rest = re.compile(r"\s*").match(text, found.end())
            return (query, rest.end() if rest else found.end()) if _READS.match(query) else None
    return None


def _table(text: str, start: int) -> tuple[str, int] | None:
    found = _TABLE.match(text, start)
    if found is None:
        return None
    query = f"SELECT {found['columns'] or '*'} FROM {found['table']}"  # noqa: S608 - it is judged like any other
    return query, found.end()


def _options(text: str) -> dict[str, str] | None:
    """Return the options by name, of the syntax of today and of the one before PostgreSQL 9."""
    words: list[str] = []
    at = 0
    while at < len(text):
        found = _OPTION.match(text, at)
        if found is None or found.end() == at:
            return None
        at = found.end()
        if found["word"] is not None and found["word"].lower() not in _NOISE:
            words.append(found["word"].lower())
        elif found["string"] is not None:
            string = found["string"].replace("''", "'")
            words.append("'" + (_ESCAPES.get(string, string) if found["escaped"] else string))
    return _named(words)


def _named(words: list[str]) -> dict[str, str] | None:
    options: dict[str, str] = {}
    while words:
        word = words.pop(0)
        if word in {"csv", "text", "binary"}:
            options["format"] = word
        elif word == "header":
            options["header"] = words.pop(0) if words and words[0].lstrip("'") in _BOOLEANS else "true"
        elif word in {"format", "delimiter", "null", "quote", "escape", "encoding"} and words:
            options[word] = words.pop(0)
        else:
            return None
    return {name: value.removeprefix("'") for name, value in options.items()}


def _copy(sql: str, options: dict[str, str]) -> Copy | None:
    form = options.get("format", "text").lower()
    if form not in {"text", "csv", "binary"} or options.get("encoding", "utf8").lower() not in {
        "utf8",
        "utf-8",
    }:
        return None
    csv = form == "csv"
    quote = options.get("quote", '"')
    copy = Copy(
        sql,
        form,
        options.get("delimiter", "," if csv else "\t"),
        options.get("null", "" if csv else "\\N"),
        _BOOLEANS[options.get("header", "false")],
        quote,
        options.get("escape", quote),
    )
    return (
        copy if all(len(c) == 1 and c.isascii() for c in (copy.delimiter, copy.quote, copy.escape)) else None
    )


def out_response(copy: Copy, columns: int) -> bytes:
    """Return the body of the message that says that rows follow."""
    form = int(copy.form == "binary")
    return struct.pack(f"!bh{columns}h", form, columns, *[form] * columns)


def copy_data(table: pa.Table, copy: Copy) -> Iterator[bytes | memoryview]:
    """Yield CopyData messages, one for each row and many at a time, as PostgreSQL sends them."""
    if copy.form == "binary":
        yield from _binary(table)
        return
    if copy.header:
        yield from _lines(
            [_cells(column, copy, single=table.num_columns == 1) for column in _names(table)], copy
        )
    for batch in _text.batches(table):
        cells = [_cells(as_text(column), copy, single=table.num_columns == 1) for column in batch.columns]
        yield from _lines(cells, copy)


def _binary(table: pa.Table) -> Iterator[bytes | memoryview]:
    """Yield the rows as they are sent otherwise, the signature before the first of them, and the trailer."""
    formats = [1] * table.num_columns
    first = b"".join(data_rows(table.slice(0, 1), formats))[5:]
    yield _message(_SIGNATURE + (first or _TRAILER))
    yield from data_rows(table.slice(1), formats, tag=b"d")
    if first:
        yield _message(_TRAILER)


def _message(body: bytes) -> bytes:
    return b"d" + (len(body) + 4).to_bytes(4, "big") + body


def _names(table: pa.Table) -> Iterator[pa.Array]:
    import pyarrow as pa

    return (pa.array([name.encode()], pa.binary()) for name in table.column_names)


def _lines(cells: list[pa.Array], copy: Copy) -> Iterator[memoryview]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not cells or not len(cells[0]):
        return
    joined = pc.binary_join_element_wise(*cells, copy.delimiter)
    lines = pc.binary_join_element_wise(joined, "\n", "").cast(pa.binary())
    header = np.empty(len(lines), np.dtype([("tag", "S1"), ("size", ">i4")]))
    header["tag"], header["size"] = b"d", _text.lengths(lines) + 4
    yield _text.join([_text.records(header), lines])


def _cells(column: pa.Array, copy: Copy, *, single: bool) -> pa.Array:
    """Return the values of a column as they stand in a line; ``single`` where it is the only one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column.cast(pa.string())
    if copy.form == "text":
        for plain, escaped in (*_CONTROLS, (copy.delimiter, f"\\{copy.delimiter}")):
            if plain != "\t" or escaped == "\\t":
                text = pc.replace_substring(text, plain, escaped)
        return text.fill_null(copy.null)
    special = pc.match_substring_regex(text, f"[{re.escape(copy.delimiter + copy.quote)}\r\n]")
    alone = pc.or_(pc.equal(text, copy.null), pc.and_(pc.equal(text, "\\."), single))
    inner = text
    if copy.escape != copy.quote:
        inner = pc.replace_substring(inner, copy.escape, copy.escape * 2)
    inner = pc.replace_substring(inner, copy.quote, copy.escape + copy.quote)
    quoted = pc.binary_join_element_wise(copy.quote, inner, copy.quote, "")
    return pc.if_else(pc.or_(special, alone), quoted, text).fill_null(copy.null)

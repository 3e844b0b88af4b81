"""Parameters of the PostgreSQL protocol as literals: text or binary, of the types that clients send."""

from __future__ import annotations

import datetime as dt
import re
import struct
import uuid

from finassay.execution._wire import _postgres_rows as oids
from finassay.execution._wire._literals import postgres_literal

_NAMES = {
    16: "boolean",
    17: "bytea",
    20: "bigint",
    21: "smallint",
    23: "integer",
    25: "text",
    26: "bigint",
    114: "json",
    700: "real",
    701: "double precision",
    1042: "text",
    1043: "varchar",
    1082: "date",
    1083: "time",
    1114: "timestamp",
    1184: "timestamptz",
    1186: "interval",
    1700: "numeric",
    2950: "uuid",
}
_ARRAYS = {
    1000: 16,
    1001: 17,
    1005: 21,
    1007: 23,
    1016: 20,
    1009: 25,
    1015: 1043,
    1021: 700,
    1022: 701,
    1182: 1082,
    1115: 1114,
    1185: 1184,
    1231: 1700,
    2951: 2950,
    199: 114,
}
_NUMBERS = (20, 21, 23, 26, 700, 701, 1700)
_DAY0 = dt.date(2000, 1, 1)
_ELEMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^,{}]*))\s*(?:,|$)', re.DOTALL)


def literal(data: bytes | None, oid: int, form: int, *, listed: bool = False) -> str:
    """Return a parameter as a literal of PostgreSQL.

    Parameters
    ----------
    data : bytes or None
        What the client sent; None is NULL.
    oid : int
        The declared type; 0 is "whatever fits".
    form : {0, 1}
        Text or binary.
    listed : bool
        Write an array as the elements of a list, without brackets; an empty one as NULL, which is equal to nothing.

    Raises
    ------
    ValueError
        If the value does not have its type, or a binary type is not known.
    """
    if data is None:
        return "NULL"
    if oid in _ARRAYS:
        elements = _binary_array(data) if form else _text_array(data.decode(), _ARRAYS[oid])
        if listed:
            return ", ".join(elements) or "NULL"
        return f"ARRAY[{', '.join(elements)}]::{_NAMES[_ARRAYS[oid]]}[]"
    return _from_binary(data, oid) if form else _from_text(data.decode(), oid)


def _from_text(text: str, oid: int) -> str:
    if oid in _NUMBERS and re.fullmatch(r"\d+(?:\.\d+)?", text):
        return text
    if oid in _NUMBERS and re.fullmatch(r"-\d+(?:\.\d+)?", text):
        return f"({text})"
    quoted = postgres_literal(text)
    return quoted if oid in (0, 25, 705, 1042, 1043) or oid not in _NAMES else f"{quoted}::{_NAMES[oid]}"


def _from_binary(data: bytes, oid: int) -> str:
    codes = {21: "!h", 23: "!i", 20: "!q", 26: "!I", 700: "!f", 701: "!d", 16: "!?"}
    try:
        if oid in codes:
            (value,) = struct.unpack(codes[oid], data)
            text = str(value).lower()
            return text.upper() if oid == 16 else _from_text(text, oid)
        if oid == oids.DATE:
            return _from_text(str(_DAY0 + dt.timedelta(days=struct.unpack("!i", data)[0])), oid)
        if oid in (oids.TIMESTAMP, oids.TIMESTAMPTZ):
            moment = dt.datetime(2000, 1, 1) + dt.timedelta(microseconds=struct.unpack("!q", data)[0])  # noqa: DTZ001
            return _from_text(f"{moment}{'+00' * (oid == oids.TIMESTAMPTZ)}", oid)
        if oid == oids.TIME:
            micros = struct.unpack("!q", data)[0]
            return _from_text(str((dt.datetime(2000, 1, 1) + dt.timedelta(microseconds=micros)).time()), oid)  # noqa: DTZ001
        if oid == oids.NUMERIC:
            return _from_text(_numeric(data), oid)
        if oid == 2950:
            return _from_text(str(uuid.UUID(bytes=data)), oid)
    except (struct.error, OverflowError) as error:
        raise ValueError(f"a binary parameter does not have its type ({oid}): {error}") from None
    if oid == oids.BYTEA:
        return postgres_literal(data)
    if oid in (0, 25, 705, 1042, 1043, 114):
        return _from_text(data.decode(), oid)
    raise ValueError(
        f"binary parameters of the type with object id {oid} are not read here; send them as text"
    )


def _numeric(data: bytes) -> str:
    count, weight, sign, scale = struct.unpack_from("!hhHH", data)
    if sign == 0xC000:
        return "NaN"
    digits = struct.unpack_from(f"!{count}h", data, 8)
    at = {weight - index: f"{digit:04}" for index, digit in enumerate(digits)}
    whole = "".join(at.get(power, "0000") for power in range(max(weight, 0), -1, -1)).lstrip("0") or "0"
    fraction = "".join(at.get(-power, "0000") for power in range(1, -(-scale // 4) + 1))[:scale]
    return f"{'-' * (sign == 0x4000)}{whole}{'.' * bool(fraction)}{fraction}"


def _binary_array(data: bytes) -> list[str]:
    try:
        dimensions, _, element = struct.unpack_from("!iii", data)
        if dimensions == 0:
            return []
        if dimensions != 1:
            raise ValueError("arrays of more than one dimension are not read here")
        (count,) = struct.unpack_from("!i", data, 12)
        position, values = 20, []
        for _ in range(count):
            (size,) = struct.unpack_from("!i", data, position)
            position += 4
            values.append("NULL" if size < 0 else _from_binary(data[position : position + size], element))
            position += max(size, 0)
    except struct.error:
        raise ValueError("a binary array is cut short") from None
    return values


def _text_array(text: str, element: int) -> list[str]:
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")) or "{" in re.sub(
        r'"(?:[^"\\]|\\.)*"', "", inner[1:]
    ):
        raise ValueError(f"not an array of one dimension: {text[:80]!r}")
    inner = inner[1:-1]
    values, position = [], 0
    while position < len(inner):
        found = _ELEMENT.match(inner, position)
        if found is None or found.end() == position:
            raise ValueError(f"not an array: {text[:80]!r}")
        quoted, plain = found.groups()
        if quoted is None and plain.strip().upper() == "NULL":
            values.append("NULL")
        else:
            values.append(
                _from_text(re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain.strip(), element)
            )
        position = found.end()
    return values

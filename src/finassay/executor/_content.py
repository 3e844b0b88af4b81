"""The hash of an item's content: equal for equal values in any process, whatever the hash seed."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any

from finassay.core import InputError, hash_table

_TEXTUAL = (bool, int, float, complex, str, Decimal, date, time, timedelta, PurePath)


def hash_content(value: object) -> str:
    """Return the SHA-256 of a value's type and content.

    Accepted are None, booleans, numbers, text, bytes, dates and times, paths (their text, not their file), enumeration
    members, tuples, lists, mappings (their order counts), sets, dataclasses, pydantic models, numpy arrays and Arrow
    tables. ``1``, ``1.0`` and ``True`` differ; so do ``0.0`` and ``-0.0``; NaN equals NaN.

    Parameters
    ----------
    value : object
        What to hash.

    Returns
    -------
    str
        Hexadecimal.

    Raises
    ------
    InputError
        If the value, or one inside it, is of another type: its content cannot be told from its identity.
    """
    digest = hashlib.sha256()
    for part in _encode(value):
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()


def _encode(value: object) -> Iterator[bytes]:
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if value is None:
        return
    if isinstance(value, Enum):
        yield value.name.encode()
    elif isinstance(value, bytes):
        yield value
    elif isinstance(value, datetime):
        yield f"{value.isoformat()} {value.tzinfo!r} {value.fold}".encode()
    elif isinstance(value, _TEXTUAL):
        yield _text(value).encode("utf-8", "surrogatepass")
    else:
        yield from _encode_parts(value)


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | PurePath) else repr(value)


def _encode_parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, tuple | list):
        yield from _sequence(list(value))
    elif isinstance(value, Mapping):
        yield from _sequence([part for pair in value.items() for part in pair])
    elif isinstance(value, set | frozenset):
        yield from (member.encode() for member in sorted(map(hash_content, value)))
        yield b"%d" % len(value)
    elif dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        yield from _sequence([part for field in fields for part in (field.name, getattr(value, field.name))])
    else:
        yield from _encode_library(value)


def _sequence(parts: list[object]) -> Iterator[bytes]:
    yield b"%d" % len(parts)
    for part in parts:
        yield from _encode(part)


def _encode_library(value: Any) -> Iterator[bytes]:
    """Values of libraries, told by their module so that none is imported for the sake of asking."""
    library = type(value).__module__.partition(".")[0]
    if library == "numpy" and hasattr(value, "tobytes") and not value.dtype.hasobject:
        yield f"{value.dtype.descr} {value.shape}".encode()
        yield value.tobytes()
    elif library == "pyarrow" and hasattr(value, "to_batches"):
        yield hash_table(value).encode()
    elif hasattr(type(value), "model_fields") and hasattr(value, "model_dump"):
        yield from _encode(value.model_dump())
    else:
        raise InputError(
            f"A cached job's item holds a {type(value).__module__}.{type(value).__qualname__}, "
            "whose content cannot be hashed.",
            hint="Pass plain values: numbers, text, dates, tuples, dataclasses, numpy arrays or Arrow tables.",
            reason="item_not_hashable",
        )

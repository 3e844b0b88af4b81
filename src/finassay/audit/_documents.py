"""Reading back what an audit wrote: certificates and baselines; and the hash of what it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from finassay.core import InputError, hash_json

if TYPE_CHECKING:
    from pathlib import Path

Document = TypeVar("Document", bound=BaseModel)


def parse_document(kind: type[Document], text: str, name: str, *, hint: str, reason: str) -> Document:
    """Read a document from JSON; the message of an error names the first field that is wrong.

    Raises
    ------
    InputError
        If it is no JSON, or does not follow the schema.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise InputError(f"{name}: {place}: {first['msg']}.", hint=hint, reason=reason) from error


def read_text(path: Path, name: str, *, hint: str, missing: str, reason: str) -> str:
    """Return a file's text, with or without a byte-order mark.

    Raises
    ------
    InputError
        With the reason `missing` if it cannot be read, with `reason` if it is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.", hint=hint, reason=missing) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.", hint="Save it as UTF-8.", reason=reason) from error


def model_hash(model: BaseModel) -> str:
    """Return the SHA-256 of a catalog or a contract, as it stands on a certificate."""
    return hash_json(model.model_dump(mode="json", by_alias=True))

"""Rows as Arrow: to record batches, and back, with what is no row named by its file and place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, hash_json, printable
from finassay.results._row import ResultRow, arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa


def to_batch(rows: Sequence[ResultRow]) -> pa.RecordBatch:
    """Return rows as a record batch of the schema of a file."""
    import pyarrow as pa

    columns = [row.model_dump(mode="json") for row in rows]
    for values in columns:
        values["extra"] = json.dumps(
            values["extra"], ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        values["tool_calls"] = list(values["tool_calls"].items())
        values["scores"] = [(profile, list(named.items())) for profile, named in values["scores"].items()]
    return pa.RecordBatch.from_pylist(columns, schema=arrow_schema())


def from_batch(batch: pa.RecordBatch, *, file: str, first: int) -> Iterator[ResultRow]:
    """Yield the rows of a record batch.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        Of the schema of a file.
    file : str
        Its name, for messages.
    first : int
        The number of the first row in the file, from 1.

    Raises
    ------
    InputError
        ``bad_row``: a row is none; the message has its number, the column, and what is wrong.
    """
    try:
        rows = batch.to_pylist(maps_as_pydicts="strict")
    except (KeyError, ValueError) as error:  # a name twice in a map; no UTF-8
        raise InputError(
            f"Rows {first}-{first + batch.num_rows - 1} of {file} cannot be read: {error}.", reason="bad_row"
        ) from error
    for number, values in enumerate(rows, first):
        try:
            values["extra"] = json.loads(values["extra"])
        except ValueError as error:
            raise InputError(
                f"Row {number} of {file}: extra is no JSON: {error}.", reason="bad_row"
            ) from error
        yield checked_row(values, f"Row {number} of {file}")


def checked_row(columns: dict[str, Any], where: str) -> ResultRow:
    """Return a row, or say what is wrong with its first column that is.

    Raises
    ------
    InputError
        ``bad_row``.
    """
    from pydantic import ValidationError

    try:
        return ResultRow.model_validate(columns)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)[0]
        column = ".".join(map(str, found["loc"]))
        raise InputError(
            printable(f"{where}: {column}: {found['msg']}.", keep=""),
            hint="docs/reference/results.md says what each column holds.",
            reason="bad_row",
        ) from error


def row_hash(row: ResultRow) -> str:
    """Return the SHA-256 of all that a row says, its key too."""
    return hash_json(row.model_dump(mode="json"))

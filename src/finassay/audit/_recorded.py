"""The result that a program is recorded to have given: it must give it here too (pit_audit.md, 2.6, rule 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._compare import differ
from finassay.audit._subject import Output
from finassay.core import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from finassay.audit._report import Facts

KINDS = (".csv", ".parquet")


def check_recorded(facts: Facts, recorded: Path) -> None:
    """Compare the base output with the recorded one, and say where it is another.

    Raises
    ------
    InputError
        If the file cannot be read, or the program gives several tables.
    """
    tables = list(facts.base.tables.items())
    if len(tables) != 1:
        raise InputError(
            f"A recorded result is one table, and the program gives {len(tables)}.", reason="bad_result"
        )
    name, given = tables[0]
    held = _read(recorded, given.schema)
    if isinstance(held, str):
        facts.unknown("replay", f"The recorded result in {recorded.name} is another: {held}")
        return
    difference = differ(Output({name: held}), facts.base)
    if difference is not None:
        lines = [f"only recorded: {row}" for row in difference.missing[:2]]
        lines += [f"only here: {row}" for row in difference.added[:2]]
        facts.unknown(
            "replay", f"The program does not give the result in {recorded.name} here: {'; '.join(lines)}."
        )


def _read(path: Path, schema: pa.Schema) -> pa.Table | str:
    """Read a table; CSV by the types of the columns that the program gave. A text says why they do not fit."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    if path.suffix.lower() not in KINDS:
        raise InputError(
            f"A recorded result is a .csv or .parquet file, and {path.name} is none.", reason="bad_result"
        )
    try:
        if path.suffix.lower() == ".parquet":
            return parquet.read_table(path)
        types = {field.name: field.type for field in schema}
        options = csv.ConvertOptions(column_types=types, strings_can_be_null=True)
        return csv.read_csv(path, convert_options=options)
    except OSError as error:
        raise InputError(
            f"The recorded result {path} cannot be read: {error}.", reason="bad_result"
        ) from error
    except pa.ArrowInvalid as error:
        return f"{error}."

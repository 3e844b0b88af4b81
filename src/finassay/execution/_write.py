"""Write a run to a folder, never over a file that is there unless told to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._run import Run

TRACE_FILE = "trace.json"


def check_output_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that cannot take a run, before the run.

    Raises
    ------
    InputError
        If it is a file, or holds anything and ``force`` is not set, or cannot be made.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(
            f"Expected a folder for the results, but {folder} is a file.", reason="output_exists"
        )
    if folder.is_dir() and not force and (first := next(iter(sorted(folder.iterdir())), None)) is not None:
        raise InputError(
            f"The output folder {folder} is not empty (it has {first.name}); nothing was run or overwritten.",
            hint="Choose another folder, or overwrite with --force.",
            reason="output_exists",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"The output folder {folder} cannot be made: {error.strerror}."
        raise InputError(message, reason="output_not_writable") from error


def write_run(run: Run, folder: Path, *, force: bool = False) -> None:
    """Write ``trace.json``, each table as Parquet and CSV, each figure, and ``abstract.txt``.

    Raises
    ------
    InputError
        As `check_output_folder`, or if the disk is full or not writable.
    """
    check_output_folder(folder, force=force)
    try:
        for result, traced in zip(run.tables, run.trace.tables, strict=True):
            _write_table(result.table, folder / traced.file)
        for figure, drawn in zip(run.figures, run.trace.figures, strict=True):
            (folder / drawn.file).write_bytes(figure.png)
            if drawn.data_file:
                text = json.dumps(figure.data, ensure_ascii=False, indent=1)
                (folder / drawn.data_file).write_text(text, encoding="utf-8")
        if run.abstract is not None:
            (folder / "abstract.txt").write_text(run.abstract, encoding="utf-8")
        (folder / TRACE_FILE).write_text(run.trace.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        message = f"The results cannot be written to {folder}: {error.strerror}."
        raise InputError(
            message, hint="Free space or choose another folder.", reason="output_not_writable"
        ) from error


def _write_table(table: pa.Table, path: Path) -> None:
    """Parquet keeps the types; CSV is for reading, where a type has a CSV form."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    unique = table.rename_columns(_unique(table.column_names))
    pyarrow.parquet.write_table(unique, path)
    plain = [c.cast(pa.string()) if pa.types.is_duration(c.type) else c for c in unique.columns]
    if not any(pa.types.is_nested(c.type) or pa.types.is_interval(c.type) for c in plain):
        flat = pa.Table.from_arrays(plain, names=unique.column_names)
        pyarrow.csv.write_csv(flat, path.with_suffix(".csv"))


def _unique(names: list[str]) -> list[str]:
    """Parquet needs distinct names: the second `x` becomes `x.2`."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return out

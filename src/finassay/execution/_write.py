"""Write a run to a folder, never over a file that is there unless told to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from finassay.core import InputError
from finassay.execution._moments import readable
from finassay.execution._trace import Trace

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._run import Run

TRACE_FILE = "trace.json"
_ABSTRACT = "abstract.txt"


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
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    _make(folder)
    for place in missing:  # made to see whether it can be: a run that is interrupted leaves no empty folder
        place.rmdir()


def _make(folder: Path) -> None:
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
    _make(folder)
    try:
        _remove_earlier(folder)
        for result, traced in zip(run.tables, run.trace.tables, strict=True):
            _write_table(result.table, folder / traced.file)
        for figure, drawn in zip(run.figures, run.trace.figures, strict=True):
            _put(folder / drawn.file, figure.png)
            if drawn.data_file:
                _put(folder / drawn.data_file, json.dumps(figure.data, ensure_ascii=False, indent=1).encode())
        if run.abstract is not None:
            _put(folder / _ABSTRACT, run.abstract.encode(errors="replace"))
        _put(folder / TRACE_FILE, (run.trace.model_dump_json(indent=2) + "\n").encode(errors="replace"))
    except OSError as error:
        message = f"The results cannot be written to {folder}: {error.strerror}."
        raise InputError(
            message, hint="Free space or choose another folder.", reason="output_not_writable"
        ) from error


def _remove_earlier(folder: Path) -> None:
    """Remove the files of an earlier run in this folder, so that none is taken for this one's."""
    try:
        earlier = Trace.model_validate_json((folder / TRACE_FILE).read_bytes())
    except (OSError, ValidationError):
        return
    named = [TRACE_FILE, *([_ABSTRACT] if earlier.abstract_chars is not None else [])]
    named += [
        name for table in earlier.tables for name in (table.file, str(Path(table.file).with_suffix(".csv")))
    ]
    named += [name for figure in earlier.figures for name in (figure.file, figure.data_file) if name]
    for name in named:
        # Never outside the folder, whatever the file says; a folder of that name is not ours.
        if Path(name).name == name and not (folder / name).is_dir():
            (folder / name).unlink(missing_ok=True)


def _put(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; a link in its place is replaced, not followed."""
    if path.is_dir() and not path.is_symlink():
        raise InputError(
            f"The results cannot be written to {path.parent}: it has a folder named {path.name} where a file is to go.",
            hint="Move that folder away, or choose another one for --out.",
            reason="output_exists",
        )
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    part.write_bytes(data)
    part.replace(path)


def _write_table(table: pa.Table, path: Path) -> None:
    """Parquet keeps the types; CSV is for reading, where a type has a CSV form."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    unique = table.rename_columns(_unique(table.column_names))
    with pa.BufferOutputStream() as sink:
        pyarrow.parquet.write_table(unique, sink)
        _put(path, sink.getvalue().to_pybytes())
    plain = [c.cast(pa.string()) if pa.types.is_duration(c.type) else readable(c) for c in unique.columns]
    if not any(pa.types.is_nested(c.type) or pa.types.is_interval(c.type) for c in plain):
        with pa.BufferOutputStream() as sink:
            pyarrow.csv.write_csv(pa.Table.from_arrays(plain, names=unique.column_names), sink)
            _put(path.with_suffix(".csv"), sink.getvalue().to_pybytes())


def _unique(names: list[str]) -> list[str]:
    """Parquet needs distinct names: the second `x` becomes `x.2`."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return out

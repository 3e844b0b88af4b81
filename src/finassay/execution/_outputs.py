"""Collect what a program left in its scratch folder, as the hostile data that it is."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import FinassayError, hash_bytes
from finassay.execution._jail import collect
from finassay.execution._trace import TracedError
from finassay.execution._untrusted import read_untrusted_table

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._types import Submission

_FOLDER = ".finassay"
_PNG = b"\x89PNG\r\n\x1a\n"
_MOST_FIGURES = 20
_MOST_NOTES = 200
_SMALL = 4 << 20
_DECODED_COLUMNS = 10_000


@dataclass(frozen=True)
class ResultTable:
    """A table that the program returned, with notes on what had to be changed to make it one."""

    name: str
    table: pa.Table
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure: its PNG bytes, and the data behind it where matplotlib drew it."""

    name: str
    png: bytes
    data: dict[str, Any] | None

    @property
    def sha256(self) -> str:
        """SHA-256 of the picture."""
        return hash_bytes(self.png)


@dataclass(frozen=True)
class Outside:
    """What a program reached for beside its database, as noted inside the jail: whether or not it went on without.

    Attributes
    ----------
    hosts : tuple of str
        Of the network.
    files : tuple of str
        Files to be read that it had not made itself.
    looked : tuple of str
        Files of which it asked whether they are there.
    """

    hosts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """What came out of a run; ``problem`` is the first reason why it is not all that was asked for."""

    tables: tuple[ResultTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    abstract: str | None = None
    problem: TracedError | None = None
    warnings: tuple[str, ...] = field(default=())
    outside: Outside = field(default_factory=Outside)


def collect_outputs(scratch: Path, submission: Submission, *, max_rows: int, max_bytes: int) -> Outputs:
    """Read result variables, ``result.csv``, figures and ``abstract.txt`` from a scratch folder.

    Parameters
    ----------
    scratch : Path
        The folder on the host; links are not followed.
    submission : Submission
        Says which variables were asked for.
    max_rows, max_bytes : int
        Most rows of a table, most bytes of a file.

    Returns
    -------
    Outputs
        A program that leaves nothing has the problem ``no_result``.
    """
    tables: list[ResultTable] = []
    problem = None
    try:
        for entry in _entries(scratch):
            if entry["status"] == "ok":
                tables.append(_variable(scratch, entry, max_rows, max_bytes))
            else:
                problem = problem or _variable_problem(entry, submission)
        table = _csv_table(scratch, max_rows, max_bytes)
        if table is not None:
            tables.append(table)
    except FinassayError as error:
        problem = problem or TracedError(reason=error.reason, message=error.message)
    figures, warnings = _figures(scratch, max_bytes)
    abstract = _abstract(scratch)
    nothing = not tables and not figures and abstract is None
    if problem is None and nothing:
        problem = _no_result(scratch)
    return Outputs(tuple(tables), tuple(figures), abstract, problem, tuple(warnings), _outside(scratch))


def read_error(scratch: Path) -> dict[str, Any] | None:
    """Return the candidate's exception as it was recorded inside the jail, None where there is none."""
    value = _json(scratch, "error.json")
    return value if isinstance(value, dict) else None


def _outside(scratch: Path) -> Outside:
    raw = collect(scratch, f"{_FOLDER}/outside.jsonl", _SMALL) or b""
    noted: dict[str, list[str]] = {"network": [], "read": [], "looked": []}
    for line in raw.splitlines()[:_MOST_NOTES]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(what := value.get("what"), str):
            noted.get(str(value.get("kind")), []).append(what[:300])
    return Outside(tuple(noted["network"]), tuple(noted["read"]), tuple(noted["looked"]))


def _json(scratch: Path, name: str) -> Any:
    raw = collect(scratch, f"{_FOLDER}/{name}", _SMALL)
    if raw is None:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _entries(scratch: Path) -> list[dict[str, Any]]:
    """Entries of results.json that have the form our runner writes; anything else is the candidate's own doing."""
    value = _json(scratch, "results.json")
    entries = value if isinstance(value, list) else []
    return [
        entry
        for entry in entries
        if isinstance(entry, dict)
        and entry.get("status") in {"ok", "missing", "not_a_table"}
        and isinstance(entry.get("name"), str)
        and re.fullmatch(r"[^\W\d]\w{0,199}", entry["name"])
    ]


def _variable(scratch: Path, entry: dict[str, Any], max_rows: int, max_bytes: int) -> ResultTable:
    file = str(entry.get("file"))
    raw = (
        collect(scratch, f"{_FOLDER}/{file}", max_bytes) if re.fullmatch(r"result_\d+\.arrow", file) else None
    )
    table = read_untrusted_table(raw or b"", max_rows=max_rows, name=entry["name"])
    notes = entry.get("notes")
    return ResultTable(
        entry["name"], table, tuple(str(n) for n in notes[:50]) if isinstance(notes, list) else ()
    )


def _variable_problem(entry: dict[str, Any], submission: Submission) -> TracedError | None:
    name = entry["name"]
    if entry["status"] == "not_a_table":
        message = f"Expected a table in '{name}', but it is of type {entry.get('type')}: {entry.get('why')}. "
        message += "Return a DataFrame, an Arrow table, a list of dicts or a dict of lists."
        return TracedError(reason="not_a_table", message=message[:2000], source=submission.source)
    if not submission.result_vars:
        return None  # `result` is only the default: a figure, result.csv or abstract.txt will do
    found = ", ".join(map(str, entry.get("variables") or [])) or "none"
    message = f"Expected the variable '{name}', but the program ended without it; its variables: {found}."
    return TracedError(reason="missing_result", message=message[:2000], source=submission.source)


def _no_result(scratch: Path) -> TracedError:
    found = [str(v) for entry in _entries(scratch) for v in entry.get("variables") or []]
    seen = f" It has the variables {', '.join(found)}." if found else ""
    message = (
        "The program ended well but returned nothing: expected a variable 'result', result.csv, a figure or "
    )
    message += f"abstract.txt.{seen} Assign the table to 'result', or name its variable with --result-var."
    return TracedError(reason="no_result", message=message[:2000])


def _csv_table(scratch: Path, max_rows: int, max_bytes: int) -> ResultTable | None:
    """result.csv as text columns: a code such as 000001 keeps its zeros; an empty cell is missing."""
    import pyarrow as pa

    raw = collect(scratch, "result.csv", max_bytes)
    if raw is None:
        return None
    rows = csv.reader(io.StringIO(_decode(raw)))
    try:
        header = next(rows, [])
        cells = []
        for row in rows:
            if row:
                cells.append(row)
            if len(cells) > max_rows:
                message = f"'result.csv' has over {max_rows:,} rows."
                raise FinassayError(message, reason="too_many_rows")
    except csv.Error as error:
        raise FinassayError(f"result.csv is not a CSV file: {error}.", reason="unreadable_result") from error
    if any(len(row) > len(header) for row in cells) or len(header) > _DECODED_COLUMNS:
        raise FinassayError("result.csv has rows longer than its header.", reason="unreadable_result")
    columns = [[(row[k] or None) if k < len(row) else None for row in cells] for k in range(len(header))]
    table = pa.Table.from_arrays([pa.array(c, pa.string()) for c in columns], names=header)
    return ResultTable("result.csv", table)


def _decode(raw: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FinassayError("result.csv is neither UTF-8 nor GB18030.", reason="unreadable_result")


def _figures(scratch: Path, max_bytes: int) -> tuple[list[Figure], list[str]]:
    figures, warnings = [], []
    names = ["picture", *(f"{_FOLDER}/figure_{k}" for k in range(1, _MOST_FIGURES + 1))]
    for name in names:
        png = collect(scratch, f"{name}.png", max_bytes)
        if png is None:
            continue
        short = name.rpartition("/")[2]
        if not png.startswith(_PNG):
            warnings.append(f"{short}.png is not a PNG picture: left out")
            continue
        data = _json(scratch, f"{short}.json") if name != "picture" else None
        figures.append(Figure(short, png, data if isinstance(data, dict) else None))
    return figures, warnings


def _abstract(scratch: Path) -> str | None:
    raw = collect(scratch, "abstract.txt", _SMALL)
    return None if raw is None else raw.decode("utf-8-sig", errors="replace")

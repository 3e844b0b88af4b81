"""Labels of an audit that exists: CSV or JSONL, one line per label, of a sample, a code, evidence and a status."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from finassay.core import InputError
from finassay.results._ingest._build import RunFacts, build_row
from finassay.results._ingest._fields import columns_of, need_sample
from finassay.results._ingest._files import Line, read_text
from finassay.results._ingest._predictions import record_lines
from finassay.results._statuses import is_no_code, label_status
from finassay.results._store import Placed

SOURCE = "audit_labels"
PROFILE = "pit"
PIT_CODES = ("A1", "A2", "A3")  # a program is valid when none of them is confirmed
_LABEL = ("code", "evidence", "status")


def label_rows(path: Path, facts: RunFacts) -> Iterator[Placed]:
    """Yield a row per sample that an audit labelled.

    The score under the profile ``pit`` is 1 where no violation (A1-A3) is confirmed and none is unresolved, 0 where
    one is confirmed; where one is unresolved and none confirmed, the row is ``unscored``. A line whose code is empty or
    ``none`` says that the sample was audited; a sample without a line was not.

    Raises
    ------
    InputError
        With the line: ``no_code``, ``unknown_status``, ``no_sample``, ….
    """
    lines, sha256 = _csv_lines(path) if path.suffix.lower() == ".csv" else record_lines(path)
    named = facts.named(path.stem)
    samples: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for record, where in lines:
        label = {name: str(record.pop(name, None) or "").strip() for name in _LABEL}
        columns = columns_of(record, where)
        columns["sample"] = need_sample(columns, where)
        key = repr([columns.get(name) for name in ("run", "model", "task", "sample", "epoch", "attempt")])
        kept = samples.setdefault(key, {**columns, "labels": [], "extra": {}})
        places.setdefault(key, where)
        if columns["extra"]:
            kept["extra"].setdefault("label_fields", []).append({**columns["extra"], "code": label["code"]})
        if not is_no_code(label["code"]):
            kept["labels"].append({**label, "status": _status(label, where)})
    for key, columns in samples.items():
        said = facts if facts.run is None and columns.get("run") else named
        columns.update(_judged(columns["labels"]), source=SOURCE, log_sha256=sha256)
        yield Placed(build_row(said, columns, places[key]), places[key])


def _status(label: dict[str, str], where: str) -> str:
    try:
        label_status(label["status"])
    except InputError as error:
        raise InputError(f"{where}: {error.message}", hint=error.hint, reason=error.reason) from error
    return label["status"]


def _judged(labels: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Return the status and the scores that labels amount to."""
    found = [(label["code"].upper(), label_status(label["status"])) for label in labels]
    scores: dict[str, float | None] = {}
    for code in PIT_CODES:
        of = {status for other, status in found if other == code}
        scores[code] = 0.0 if "confirmed" in of else None if "unresolved" in of else 1.0
    known = [scores[code] for code in PIT_CODES]
    scores["score"] = 0.0 if 0.0 in known else None if None in known else 1.0
    status = "unresolved" if scores["score"] is None else "audited"
    return {"status": status, "scores": {PROFILE: scores}}


def _csv_lines(path: Path) -> tuple[Iterator[Line], str]:
    """Yield the lines of a CSV file by the names of its header; a header without a code is refused."""
    text, sha256 = read_text(path)
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="", strict=True)
    names = [name.strip() for name in reader.fieldnames or []]
    if "code" not in names:
        raise InputError(
            f"{path} has no column code: its first line names {', '.join(names) or 'none'}.",
            hint="Expected sample, code, evidence, status.",
            reason="no_code",
        )
    reader.fieldnames = names
    return _checked(reader, path), sha256


def _checked(reader: csv.DictReader[str], path: Path) -> Iterator[Line]:
    try:
        for record in reader:
            where = f"{path}, line {reader.line_num}"
            if "" in record or None in record.values():
                raise InputError(f"{where} has not as many cells as the header.", reason="bad_csv")
            yield Line({name: cell or None for name, cell in record.items()}, where)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num} is no CSV: {error}.", reason="bad_csv") from error

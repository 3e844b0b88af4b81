"""`ingest`: find out what a source is, read its rows, and say which samples it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.results._arrow import row_hash
from finassay.results._ingest._fields import columns_of, need_sample
from finassay.results._ingest._files import json_lines, read_text, survey
from finassay.results._ingest._labels import label_rows
from finassay.results._ingest._predictions import prediction_rows, record_lines
from finassay.results._ingest._swe_agent import Tell, is_run, run_rows
from finassay.results._row import expected_row
from finassay.results._statuses import suite_statuses

if TYPE_CHECKING:
    from finassay.results._ingest._build import RunFacts
    from finassay.results._row import ResultRow, RowKey
    from finassay.results._store import Placed

_NAMED = 5


class Kind(StrEnum):
    """The plain formats that runs come in."""

    SWE_AGENT = "swe-agent"
    PREDICTIONS = "predictions"
    LABELS = "labels"


def _silent(_: str) -> None:
    pass


def ingest(
    path: Path,
    facts: RunFacts,
    *,
    kind: Kind | None = None,
    expected: Iterable[str] | None = None,
    tell: Callable[[str], None] = _silent,
) -> Iterator[ResultRow]:
    """Yield the rows of a run in a plain format.

    Parameters
    ----------
    path : Path
        A folder of the released BuySideFlow agent or its ``preds.json``; predictions in JSONL or JSON; labels of an
        audit in CSV or JSONL.
    facts : RunFacts
        What the run is of.
    kind : Kind, optional
        What the source is; by default found out.
    expected : iterable of str, optional
        The ids of all samples of the run: one that the source lacks gets a row that keeps it in the denominator.
    tell : callable, optional
        Takes a line for each thing that is missing, and for lines that say the same again.

    Raises
    ------
    InputError
        ``unknown_suite``, ``unknown_profile``, ``unknown_status``, ``no_items``, ``duplicate_key``,
        ``unexpected_sample``, and what the formats' own files can have wrong; the message names the file and the line.
    """
    _check_profile(facts)
    wanted = None if expected is None else set(expected)
    seen: dict[RowKey, tuple[str, str]] = {}
    unexpected: list[str] = []
    for row, where in _placed(path, facts, kind or kind_of(path), tell):
        before = seen.get(row.key)
        digest = row_hash(row)
        if before is not None:
            if before[0] != digest:
                raise _twice(row, before[1], where)
            tell(f"{where} says the same as {before[1]}")
            continue
        seen[row.key] = (digest, where)
        if wanted is not None and row.sample not in wanted:
            unexpected.append(row.sample)
        yield row
    if not seen and wanted is None:
        raise InputError(f"{path} holds no items.", reason="no_items")
    if unexpected:
        some = ", ".join(unexpected[:_NAMED]) + (", …" if len(unexpected) > _NAMED else "")
        raise InputError(
            f"{len(unexpected)} sample(s) of {path} are not among the expected ones: {some}.",
            hint="Check that the run is of the same suite and version as the list.",
            reason="unexpected_sample",
        )
    if wanted is not None:
        yield from _lacking(path, facts, wanted, list(seen), tell)


def _check_profile(facts: RunFacts) -> None:
    known = suite_statuses(facts.suite).profiles
    if facts.profile is not None and facts.profile not in known:
        raise InputError(
            f"{facts.suite} has no profile {facts.profile!r}.",
            hint=f"Its profiles are {', '.join(known)}.",
            reason="unknown_profile",
        )


def _placed(path: Path, facts: RunFacts, kind: Kind, tell: Tell) -> Iterator[Placed]:
    if kind is Kind.SWE_AGENT:
        return run_rows(path, facts, tell)
    return label_rows(path, facts) if kind is Kind.LABELS else prediction_rows(path, facts)


def _twice(row: ResultRow, before: str, where: str) -> InputError:
    return InputError(
        f"{where} and {before} are both of sample {row.sample!r}, epoch {row.epoch}, attempt {row.attempt}, "
        "and say different things.",
        hint="Keep one of them, or number them: epoch for repetitions of the suite, attempt for retries.",
        reason="duplicate_key",
    )


def _lacking(
    path: Path, facts: RunFacts, wanted: set[str], keys: list[RowKey], tell: Tell
) -> Iterator[ResultRow]:
    """Yield a row for each expected sample that a run has no attempt at, in each of its epochs."""
    runs = {(key.run, key.epoch) for key in keys} or {(facts.named(path.stem).run or path.stem, 1)}
    there = {(key.run, key.epoch, key.sample) for key in keys}
    names = ("suite", "suite_version", "model", "agent", "guidance")
    of_run = {name: getattr(facts, name) for name in names}
    for run, epoch in sorted(runs):
        absent = sorted(sample for sample in wanted if (run, epoch, sample) not in there)
        if absent:
            some = ", ".join(absent[:_NAMED]) + (", …" if len(absent) > _NAMED else "")
            tell(f"run {run}, epoch {epoch}: {len(absent)} of {len(wanted)} samples are missing: {some}")
        for sample in absent:
            yield expected_row(**of_run, run=run, task=sample, sample=sample, epoch=epoch)


def kind_of(path: Path) -> Kind:
    """Find out what a source is.

    Raises
    ------
    InputError
        ``no_source``: there is nothing; ``unknown_kind``: nothing that can be told.
    """
    if path.is_dir():
        if is_run(path):
            return Kind.SWE_AGENT
        raise InputError(
            f"{path} is not the folder of a run: it has no preds.json, and no ID/ID.traj or ID/ID.pred.",
            hint="Name the folder CONFIG__MODEL___SOURCE itself, or a file.",
            reason="unknown_kind",
        )
    if not path.is_file():
        raise InputError(f"There is no file or folder {path}.", reason="no_source")
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return Kind.LABELS
    if suffix not in {".json", ".jsonl", ".ndjson"}:
        raise InputError(
            f"What {path} holds cannot be told from its name.",
            hint=f"Say it with --from {', '.join(Kind)}; files end in .jsonl, .json or .csv.",
            reason="unknown_kind",
        )
    if suffix == ".json" and path.name == "preds.json":
        return Kind.SWE_AGENT
    first = next(iter(_records(path)), None)
    if first is not None and suffix == ".json" and ("model_patch" in first or _holds_patches(first)):
        return Kind.SWE_AGENT
    return Kind.LABELS if first is not None and {"code", "status"} <= set(first) else Kind.PREDICTIONS


def _records(path: Path) -> Iterator[dict[str, object]]:
    lines, _ = record_lines(path)
    return (line.record for line in lines)


def _holds_patches(first: dict[str, object]) -> bool:
    value = next(iter(first.values()), None)
    return isinstance(value, dict) and "model_patch" in value


def read_expected(path: Path) -> list[str]:
    """Return the ids of a suite's samples: from JSONL (a data set whose lines have an id), or text, one per line.

    Raises
    ------
    InputError
        ``no_sample``, ``no_expected``: the file lists none.
    """
    if path.suffix.lower() in {".jsonl", ".json"}:
        lines = (
            json_lines(path, survey(path).encoding)
            if path.suffix.lower() == ".jsonl"
            else record_lines(path)[0]
        )
        found = [need_sample(columns_of(record, where), where) for record, where in lines]
    else:
        found = [line.strip() for line in read_text(path)[0].splitlines() if line.strip()]
    if not found:
        raise InputError(f"{path} lists no samples.", reason="no_expected")
    return found

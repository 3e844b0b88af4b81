"""What counts of a run: of each sample and epoch the last attempt, and what is expected and has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from finassay.core import InputError, shown
from finassay.results._row import RIGHT, Outcome, ResultRow
from finassay.results._store import read_rows
from finassay.statistics import Outcome as Counted

SEED = 20261012  # of every bootstrap here, so that an interval can be made again
_COUNTED = {
    Outcome.ERROR: Counted.ERROR,
    Outcome.LIMIT: Counted.LIMIT,
    Outcome.REFUSED: Counted.REFUSED,
    Outcome.UNSCORED: Counted.UNSCORED,
}


def final_rows(rows: Iterable[ResultRow]) -> Iterator[ResultRow]:
    """Yield the last attempt at each sample and epoch of rows in the order of their keys, without what is long."""
    for _, attempts in groupby(rows, key=lambda row: row.key[:-1]):
        *_, last = attempts
        yield last.model_copy(update={"submission": None, "extra": {}})


def counted(row: ResultRow, profile: str) -> Counted:
    """Return what a row counts as under a profile: right only where it is scored, and the score is full."""
    if row.outcome is not Outcome.SCORED:
        return _COUNTED[row.outcome]
    score = row.headline(profile)
    if score is None:
        return Counted.UNSCORED
    return Counted.CORRECT if score >= RIGHT else Counted.INCORRECT


def worth(row: ResultRow, profile: str) -> float:
    """Return the score that a row adds to the mean under a profile: 0 where it is not scored."""
    return (row.headline(profile) or 0.0) if row.outcome is Outcome.SCORED else 0.0


def rows_of_run(path: Path, run: str | None = None) -> list[ResultRow]:
    """Return what counts of one run of a file or folder.

    Raises
    ------
    InputError
        ``no_run``: there is none of that name; ``many_runs``: there are several and none was named;
        ``mixed_versions``: its rows are of several suites or versions.
    """
    found: dict[str, list[ResultRow]] = {}
    names: set[str] = set()
    for row in final_rows(read_rows(path)):
        names.add(row.run)
        if run is None or row.run == run:
            found.setdefault(row.run, []).append(row)
    if len(found) != 1:
        known = ", ".join(sorted(names)) or "none"
        raise InputError(
            f"{path} holds no run {shown(run)}; its runs are {known}."
            if run is not None
            else f"Expected one run in {path}, but it holds {len(names)}: {known}.",
            hint="Name the run.",
            reason="no_run" if run is not None else "many_runs",
        )
    [rows] = found.values()
    versions = {(row.suite, row.suite_version) for row in rows}
    if len(versions) > 1:
        told = " and ".join(f"{suite} {version}" for suite, version in sorted(versions))
        raise InputError(
            f"Run {rows[0].run!r} of {path} mixes {told}.",
            hint="Ingest each version under a name of its own.",
            reason="mixed_versions",
        )
    return rows

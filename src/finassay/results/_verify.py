"""Whether files of rows hold what they say, and all that they should."""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from pydantic import Field

from finassay.core import InputError, hash_bytes
from finassay.results._arrow import row_hash
from finassay.results._measures import Model
from finassay.results._row import EXPECTED, Outcome, ResultRow
from finassay.results._statuses import suite_statuses
from finassay.results._store import Placed, content_said, opened, placed_rows, row_files


class FileChecked(Model):
    """A file that was read."""

    file: str
    rows: int
    content_sha256: str = Field(description="Of what its rows say, in their order.")


class Problem(Model):
    """Something that is not as it should be."""

    kind: Literal[
        "content_changed",
        "key_twice",
        "mixed_versions",
        "outcome",
        "scores",
        "status",
        "submission_hash",
        "tokens",
    ]
    where: str
    says: str


class Missing(Model):
    """Samples of a run and epoch without any attempt."""

    run: str
    epoch: int
    expected: int
    samples: list[str]


class Verification(Model):
    """What `verify` found."""

    schema_version: Literal[1] = 1
    files: list[FileChecked]
    rows: int
    runs: list[str]
    problems: list[Problem]
    missing: list[Missing]
    clean: bool = Field(description="Neither a problem nor a missing sample.")


def verify(paths: Sequence[Path], *, expected: Iterable[str] | None = None) -> Verification:
    """Verify files and folders of rows: schema, hashes, keys, outcomes against scores and statuses, missing samples.

    Parameters
    ----------
    paths : sequence of Path
        Files or folders; keys must be unique over all of them.
    expected : iterable of str, optional
        The ids of all samples that each run and epoch should have, beside those that its rows say it should.

    Raises
    ------
    InputError
        A file cannot be read as rows of this schema version; see `read_rows`.
    """
    files = [_File(file) for path in paths for file in row_files(path)]
    runs = _Runs(set(expected or ()))
    problems: list[Problem] = []
    rows = 0
    for _, same in groupby(heapq.merge(*(file.rows() for file in files), key=_key), key=_key):
        first, *others = same
        rows += 1 + len(others)
        problems += _row_problems(first)
        problems += [problem for other in others for problem in _twice(first, other)]
        runs.take(first.row)
    changed = [problem for file in files for problem in file.problems()]
    problems = [*changed, *runs.problems(), *problems]
    missing = runs.missing()
    return Verification(
        files=[file.checked() for file in files],
        rows=rows,
        runs=sorted(runs.names()),
        problems=problems,
        missing=missing,
        clean=not (problems or missing),
    )


def _key(found: Placed) -> tuple[object, ...]:
    return found.row.key


class _File:
    """A file, and the hash of the rows that came out of it."""

    def __init__(self, path: Path) -> None:
        self._path, self._rows, self._content = path, 0, hashlib.sha256()
        with opened(path) as file:
            self._said = content_said(file)

    def rows(self) -> Iterator[Placed]:
        for found in placed_rows(self._path, str(self._path)):
            self._content.update(row_hash(found.row).encode())
            self._rows += 1
            yield found

    def checked(self) -> FileChecked:
        return FileChecked(file=str(self._path), rows=self._rows, content_sha256=self._content.hexdigest())

    def problems(self) -> list[Problem]:
        if self._said == self._content.hexdigest():
            return []
        told = (
            "not the rows that it was written with" if self._said else "it does not say the hash of its rows"
        )
        return [Problem(kind="content_changed", where=str(self._path), says=told)]


def _twice(one: Placed, other: Placed) -> list[Problem]:
    if row_hash(one.row) == row_hash(other.row):
        return []
    says = f"{one.where} has the same key and says something else: {one.row.key}"
    return [Problem(kind="key_twice", where=other.where, says=says)]


def _row_problems(found: Placed) -> Iterator[Problem]:
    row, where = found
    judged = any(row.headline(profile) is not None for profile in row.scores)
    if row.outcome is Outcome.SCORED and not judged:
        yield Problem(kind="scores", where=where, says="scored, and there is no score under any profile")
    if row.outcome is Outcome.UNSCORED and judged:
        yield Problem(kind="scores", where=where, says="unscored, and there is a score")
    if (row.attempt == EXPECTED) != (row.status == "missing"):
        yield Problem(
            kind="outcome", where=where, says=f"attempt {row.attempt} has the status {row.status!r}"
        )
    if row.submission is not None and row.submission_sha256 not in (
        None,
        hash_bytes(row.submission.encode()),
    ):
        yield Problem(kind="submission_hash", where=where, says="the submission has another hash")
    if row.tokens_cached is not None and row.tokens_in is not None and row.tokens_cached > row.tokens_in:
        yield Problem(kind="tokens", where=where, says="more tokens came from a cache than came in")
    try:
        meant = suite_statuses(row.suite).outcome(row.status, row.scores).outcome
    except InputError as error:
        yield Problem(kind="status", where=where, says=error.message)
    else:
        if meant is not row.outcome:
            yield Problem(
                kind="outcome", where=where, says=f"{row.outcome}, but {row.status!r} means {meant}"
            )


class _Runs:
    """What the runs have and lack, as their rows come."""

    def __init__(self, expected: set[str]) -> None:
        self._expected = expected
        self._there: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
        self._wanted: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
        self._versions: dict[str, set[str]] = defaultdict(set)

    def take(self, row: ResultRow) -> None:
        kept = self._wanted if row.is_expected else self._there
        kept[row.run, row.epoch].add((row.task, row.sample))
        self._versions[row.run].add(f"{row.suite} {row.suite_version}")

    def names(self) -> set[str]:
        return set(self._versions)

    def problems(self) -> list[Problem]:
        return [
            Problem(kind="mixed_versions", where=f"run {run}", says=f"mixes {' and '.join(sorted(versions))}")
            for run, versions in self._versions.items()
            if len(versions) > 1
        ]

    def missing(self) -> list[Missing]:
        found = []
        for run, epoch in sorted({*self._there, *self._wanted}):
            there = self._there[run, epoch]
            lacking = {sample for task, sample in self._wanted[run, epoch] - there}
            lacking |= self._expected - {sample for _, sample in there}
            if lacking:
                found.append(
                    Missing(run=run, epoch=epoch, expected=len(there) + len(lacking), samples=sorted(lacking))
                )
        return found

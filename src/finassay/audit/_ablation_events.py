"""Single events, as the paper places them, beside all rows of a table at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.audit._baselines import altered_tables
from finassay.audit._scope import scopes_of
from finassay.audit._subject import Subject
from finassay.audit._types import FAMILIES, Family
from finassay.core import CandidateError

if TYPE_CHECKING:
    from finassay.audit._measure import Job
    from finassay.audit._scenarios import Altered
    from finassay.audit._scope import Scope
    from finassay.audit._subject import Output, Runner
    from finassay.temporal import Catalog

EVENTS = 10  # seeds that are tried


@dataclass(frozen=True)
class Events:
    """Whether a violation shows.

    Attributes
    ----------
    saturated : bool
        Where all rows of each table are altered at once.
    runs : int
        How many pairs of table and family that took.
    seeds : tuple of bool
        Where one row is altered in each table and family, by the seed that drew it.
    tries : int
        How many runs of one row the first seed took.
    """

    saturated: bool
    runs: int
    seeds: tuple[bool, ...]
    tries: int


def single_events(job: Job, *, url: str, catalog: Catalog, seed: int) -> Events | None:
    """Alter one row at a time; None for programs that cannot be judged. Families that move disclosures are left out."""
    import numpy as np

    from finassay.database import connect, tables_read

    subject = Subject(job.submission, url, job.dialect)
    with subject.runner() as runner, connect(url) as database:
        base = runner.run()
        if base.error is not None:
            return None
        try:
            read = {n for dialect, text in base.statements for n in tables_read(text, dialect)}
        except CandidateError:
            return None
        read |= {name.lower() for name in job.contract.sources}
        scope = scopes_of(job.contract, base)[-1]
        tables = altered_tables(read, catalog, job.contract, scope.cutoff, database)
        history = {name.lower() for name in job.contract.history}
        pairs = [
            (table, family)
            for name, table in tables.items()
            for family in FAMILIES
            if family in table.families
            and family.mode in ("same", "normal")
            and not (family.mode == "normal" and name in history)
        ]
        saturated = any(_shows(runner, base, scope, *pair, None) for pair in pairs)
        numbers = {
            (table.table.info.name, family.name): database.query(table.candidates(family))
            .table.column(0)
            .to_pylist()
            for table, family in pairs
            if family.name != "normal_form"
        }
        some = [pair for pair in pairs if numbers.get((pair[0].table.info.name, pair[1].name))]
        shown = []
        for number in range(EVENTS):
            draw = np.random.default_rng([seed, number])
            picked = [
                (pair, rows[int(draw.integers(len(rows)))])
                for pair in some
                if (rows := numbers[pair[0].table.info.name, pair[1].name])
            ]
            shown.append(any(_shows(runner, base, scope, *pair, (row, row)) for pair, row in picked))
    return Events(saturated, len(pairs), tuple(shown), len(some))


def _shows(
    runner: Runner,
    base: Output,
    scope: Scope,
    table: Altered,
    family: Family,
    only: tuple[object, object] | None,
) -> bool:
    name, altered = table.table.info.name, table.select(family, only)
    found = runner.run({name: altered})
    expected = base if family.mode == "same" else runner.run({name: table.expected(family, only)})
    if found.error is not None or expected.error is not None:
        return False
    return scope.differ(expected, found, family) is not None

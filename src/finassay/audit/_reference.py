"""The differential check: does the program follow where a reference goes (pit_audit.md, 2.2, c3; 2.6, rules 4, 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from finassay.audit._certificate import Program, ReferenceCheck, TrapRun, Witness
from finassay.audit._compare import Difference, differ
from finassay.audit._shrink import witness_of
from finassay.audit._types import SAME, Requirement
from finassay.core import CandidateError, InputError

if TYPE_CHECKING:
    from finassay.audit._report import Facts
    from finassay.audit._subject import Output, Runner
    from finassay.audit._trial import Trial
    from finassay.audit._types import Family
    from finassay.database import Database

_Moved = Literal["moved", "held", "crashed"]


@dataclass(frozen=True)
class Reference:
    """A reference program: how to run it, and what it gave over the unaltered data."""

    runner: Runner
    base: Output
    read: frozenset[str]

    @staticmethod
    def of(runner: Runner) -> Reference:
        """Run a reference over the unaltered data.

        Raises
        ------
        InputError
            If it fails, returns no table, or two runs differ: with such a reference nothing can be compared.
        """
        from finassay.database import tables_read

        base = runner.run()
        name = runner.subject.submission.source
        why = base.error or (None if base.tables else "it returned no table")
        if why is None and differ(base, runner.run(again=True)) is not None:
            why = "two runs over the same data gave different results"
        if why is not None:
            raise InputError(
                f"The reference {name} cannot be used: {why}",
                hint="Correct it, or leave --reference out.",
                reason="reference_failed",
            )
        try:
            read = {table for dialect, text in base.statements for table in tables_read(text, dialect)}
        except CandidateError as error:
            raise InputError(
                f"A statement of the reference {name} cannot be read: {error}", reason="reference_failed"
            ) from error
        return Reference(runner, base, frozenset(read))


def follow(facts: Facts, trial: Trial, reference: Reference, database: Database) -> None:
    """Set traps before the cutoff in each required source; record omissions and differences.

    Where the program does not react, the reference is asked: a program that does not go where it goes omits a source.
    """
    runs: list[TrapRun] = []
    missed: list[tuple[str, Family]] = []
    apart: list[str] = []
    base = trial.scope.differ(_named_alike(reference.base, facts.base), facts.base)
    for name in sorted(facts.required & trial.tables.keys()):
        found = _over(facts, trial, reference, name)
        runs += [run for run, _ in found]
        moved_own = any(run.program == "moved" for run, _ in found)
        ignored = [family for run, family in found if (run.reference, run.program) == ("moved", "held")]
        if moved_own:
            trial.live.add(name)
        if ignored:
            facts.followed.add(name)
        # A program that reacts to something uses the source; where it then does not follow is another matter.
        if ignored and not moved_own:
            missed.append((name, ignored[0]))
        elif ignored:
            apart += [f"{name}: {family.says}, and only the reference's answer changes" for family in ignored]
    if base is not None:
        apart.insert(0, f"over the data as they are: {_rows(base)}")
    facts.reference = _check(reference, runs, apart)
    if not missed:
        return
    leak = _leak(trial, reference)
    if leak is not None:
        facts.unknown("reference_leaks", leak)
    elif any(trial.reacts(facts.base, name) for name in sorted(facts.read & trial.tables.keys())):
        facts.witnesses += [_omission(facts, trial, reference, name, trap, database) for name, trap in missed]
    else:
        facts.unknown(
            "unresponsive", "The reference reacts and the program reacts to nothing: a constant, or a cache."
        )


def _over(facts: Facts, trial: Trial, reference: Reference, name: str) -> list[tuple[TrapRun, Family]]:
    """Set the traps of one table, until the program reacts to one; what most react to comes first."""
    found = []
    for family in sorted(trial.tables[name].traps, key=lambda family: family.mode != "follow"):
        own = _word(trial.moves(facts.base, family, name, trial.runner.run))
        theirs: _Moved | None = None
        if own == "held":
            theirs = _word(trial.moves(reference.base, family, name, reference.runner.run))
        run = TrapRun(
            as_of=trial.scope.cutoff.day.isoformat(),
            family=family.name,
            table=name,
            reference=theirs or "not asked",
            program=own,
        )
        found.append((run, family))
        if own == "moved":
            break
    return found


def _leak(trial: Trial, reference: Reference) -> str | None:
    """Say where the reference itself depends on what was not knowable: such a one proves nothing."""
    for family in SAME:
        names = [name for name in trial.over(family) if name in reference.read]
        if names and isinstance(
            trial.difference(reference.base, family, names, reference.runner.run), Difference
        ):
            return (
                f"The reference itself depends on what was not knowable: {family.says} "
                f"({', '.join(names)}), and its output changes."
            )
    return None


def _named_alike(reference: Output, program: Output) -> Output:
    """Return the reference's one table under the program's names, which are no matter."""
    own = list(program.tables.items())
    tables = list(reference.tables.values())
    if len(own) != 1 or len(tables) != 1 or own[0][1].num_columns != tables[0].num_columns:
        return reference
    name, table = own[0]
    return replace(reference, tables={name: tables[0].rename_columns(table.column_names)})


def _word(found: Difference | str | None) -> _Moved:
    return "held" if found is None else "crashed" if isinstance(found, str) else "moved"


def _rows(difference: Difference) -> str:
    only = [f"only the reference has {row}" for row in difference.missing[:2]]
    only += [f"only the program has {row}" for row in difference.added[:2]]
    return "; ".join(only) or "they differ"


def _check(reference: Reference, runs: list[TrapRun], apart: list[str]) -> ReferenceCheck:
    subject = reference.runner.subject
    held = Program.of(subject.submission, subject.dialect)
    return ReferenceCheck(source=subject.submission.source, program=held, traps=runs, differences=apart)


def _omission(
    facts: Facts, trial: Trial, reference: Reference, name: str, family: Family, database: Database
) -> Witness:
    """Return the trap that the reference follows and the program does not, in one row if one row is enough."""
    table = trial.tables[name]
    moved = trial.moves(reference.base, family, name, reference.runner.run)
    assert isinstance(moved, Difference)  # noqa: S101 - it was asked before
    found = witness_of(
        reference.runner, table, family, trial.scope, reference.base, moved, database, halve=True
    )
    own = trial.runner.run({name: found.overlay})
    if own.error is not None or trial.scope.differ(facts.base, own) is not None:
        found = witness_of(
            reference.runner, table, family, trial.scope, reference.base, moved, database, halve=False
        )
    return found.model_copy(update={"requirement": Requirement.OMISSION})

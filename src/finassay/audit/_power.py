"""What a PASS is worth: would the scenarios have noticed if a guard were missing? (pit_audit.md, 2.7)."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from finassay.audit._certificate import Power, Survivor
from finassay.audit._compare import differ
from finassay.audit._guards import Mutant, mutants, without
from finassay.audit._types import NEWCOMERS

if TYPE_CHECKING:
    from finassay.audit._report import Facts
    from finassay.audit._subject import Output
    from finassay.audit._trial import Trial

LEAST_POWER = 0.9
_MOST_PAIRS = 10


def weigh(facts: Facts, trials: list[Trial], base: Output) -> None:
    """Take away the program's guards one by one; of a program without any, see what it reacts to.

    That is done at the last cutoff; what is not noticed there is tried at the first one and at some between, where
    other rows are near.
    """
    trial, others = trials[-1], _some(trials[:-1])
    for name in sorted(facts.read & trial.tables.keys()):
        trial.reacts(base, name)
    found = _guards(trial, base)
    if not found:
        _expose(facts, trial, base)
        return
    missed = [m for m in found if not any(_noticed(one, m.sql, m.columns) for one in (trial, *others))]
    shared = _shared(trial, base, missed)
    missed = [m for m in missed if m not in shared and not _implied(trial, base, m, found)]
    redundant = [
        m
        for m in missed
        if _guards_nothing(trial, base, m)
        or _picks_decisions(trial, base, m.sql)
        or _matters_in_contradiction(trial, m.sql)
    ]
    holes = [m for m in missed if m not in redundant]
    facts.power = Power(
        guards=len(found),
        noticed=len(found) - len(missed),
        redundant=[Survivor(guard=m.guard, line=m.line) for m in redundant],
        survivors=[Survivor(guard=m.guard, line=m.line) for m in holes],
    )
    tried = len(found) - len(redundant)
    if tried == 0:
        _expose(facts, trial, base)
    elif facts.power.noticed < LEAST_POWER * tried:
        guards = "; ".join(m.guard for m in holes)
        facts.unknown(
            "low_power", f"{facts.power.noticed} of {tried} guards are noticed when removed, not: {guards}."
        )


def _implied(trial: Trial, base: Output, mutant: Mutant, found: list[Mutant]) -> bool:
    """Whether another guard stands in for one: without that other one it matters whether this one is there.

    Asked of guards of when rows were known alone: one bound on it may repeat another. What tests an interval does not
    repeat what tests a disclosure.
    """
    dialect, text = base.statements[0]
    tables = list(trial.tables.values())
    if not mutant.columns & {(table.known_by or "").lower() for table in tables}:
        return False
    data = [{}, *({name: trial.tables[name].select(NEWCOMERS)} for name in trial.over(NEWCOMERS))]
    for other in [one for one in found if one is not mutant][:_MOST_PAIRS]:
        neither = without(text, dialect, tables, [mutant.number, other.number])
        for overlays in data:
            alone, both = (trial.runner.run(overlays, sql) for sql in (other.sql, neither))
            if alone.error is None and both.error is None and differ(alone, both) is not None:
                return True
    return False


def _some(trials: list[Trial]) -> list[Trial]:
    """Return at most three of the earlier cutoffs: the last of them, the first, and one between."""
    return [trials[n] for n in sorted({0, len(trials) // 2, len(trials) - 1}, reverse=True)] if trials else []


def _shared(trial: Trial, base: Output, missed: list[Mutant]) -> list[Mutant]:
    """Return the guards that stand in for one another: without either nothing happens, without both it is noticed."""
    dialect, text = base.statements[0]
    tables = list(trial.tables.values())
    found: list[Mutant] = []
    for pair in list(combinations(missed, 2))[:_MOST_PAIRS]:
        if all(m in found for m in pair):
            continue
        sql = without(text, dialect, tables, [m.number for m in pair])
        if _noticed(trial, sql, pair[0].columns | pair[1].columns):
            found += [m for m in pair if m not in found]
    return found


def _guards_nothing(trial: Trial, base: Output, mutant: Mutant) -> bool:
    """Whether the answer hangs on no row of the tables that a guard is of, whatever is done to them."""
    return bool(mutant.owners) and all(
        name in trial.tables and not trial.reacts(base, name) and not trial.feeds_labels(base, name)
        for name in mutant.owners
    )


def _picks_decisions(trial: Trial, base: Output, sql: str) -> bool:
    """Whether without a guard the output has rows of other decisions and no others: it says when is decided."""
    if trial.scope.column is None:
        return False
    found = trial.runner.run(sql=sql)
    return found.error is None and trial.scope.differ(base, found) is None and differ(base, found) is not None


def _matters_in_contradiction(trial: Trial, sql: str) -> bool:
    """Whether a guard matters where the data contradict the catalog, or other tables.

    A guard that matters only then repeats what the data say elsewhere (what is announced before it begins was known
    once it had begun): the scenarios that keep to the catalog cannot notice its absence, and no leak follows from it.
    """
    altered = {
        name: text for name, table in trial.tables.items() if (text := table.contradictory()) is not None
    }
    if not altered:
        return False
    with_guard, without = trial.runner.run(altered), trial.runner.run(altered, sql)
    return (
        with_guard.error is None
        and without.error is None
        and trial.scope.differ(with_guard, without) is not None
    )


def _guards(trial: Trial, base: Output) -> list[Mutant]:
    if trial.runner.subject.submission.mode != "sql":
        return []
    dialect, text = base.statements[0]
    return mutants(text, dialect, list(trial.tables.values()), trial.scope.column)


def _expose(facts: Facts, trial: Trial, base: Output) -> None:
    """Where a program's own guards cannot be taken away, ask whether it reacts to what it may know of each table."""
    read = [name for name, table in trial.tables.items() if table.traps and name in facts.read]
    silent = [
        name
        for name in read
        if not trial.reacts(base, name)
        and not trial.feeds_labels(base, name)
        and (name in facts.required or not trial.fails_without(base, name))
    ]
    asked = [name for name in read if name in silent or name in trial.live]
    facts.power = Power(
        of="tables",
        guards=len(asked),
        noticed=len(asked) - len(silent),
        redundant=[],
        survivors=[
            Survivor(guard=f"{name}: known values changed, unknown rows made known", line=None)
            for name in silent
        ],
    )
    if not trial.live:
        facts.unknown(
            "unresponsive", "The program reacts to nothing: its answer may be a constant, or from a cache."
        )
    elif silent:
        names = ", ".join(silent)
        facts.unknown(
            "low_power", f"The program reacts to no alteration of {names}, so nothing was tried there."
        )


def _noticed(trial: Trial, sql: str, columns: frozenset[str]) -> bool:
    """Whether some scenario tells a statement that lacks a guard of these columns from a valid one."""
    return trial.notices(partial(trial.runner.run, sql=sql), columns)

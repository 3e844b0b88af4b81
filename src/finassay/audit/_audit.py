"""The audit: run a program over altered tables, decide, and say why (pit_audit.md, 2.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from finassay.audit._certificate import Certificate, Power, ScenarioRun, Survivor, TableRead, Witness
from finassay.audit._compare import Difference, differ
from finassay.audit._guards import Mutant, mutants
from finassay.audit._report import Facts, certificate
from finassay.audit._scenarios import Altered
from finassay.audit._scope import Scope, scopes_of
from finassay.audit._shrink import witness_of
from finassay.audit._types import FAMILIES, RESTATED, Family, Requirement
from finassay.core import InputError
from finassay.temporal import AvailabilityUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from finassay.audit._subject import Output, Runner, Subject
    from finassay.database import Database, ResolvedTable
    from finassay.temporal import Catalog, Contract

LEAST_POWER = 0.9


@dataclass
class _Trial:
    """The tables of an audit at one cutoff, and what has been run over them."""

    runner: Runner
    scope: Scope
    tables: dict[str, Altered]
    history: frozenset[str]
    runs: list[ScenarioRun] = field(default_factory=list)
    live: set[str] = field(default_factory=set)

    def over(self, family: Family) -> list[str]:
        """Return the tables that a family alters."""
        return [
            name
            for name, table in self.tables.items()
            if family in table.families and not (family.mode == "normal" and name in self.history)
        ]

    def difference(
        self, base: Output, family: Family, names: Iterable[str], run: Callable[[dict[str, str]], Output]
    ) -> Difference | str | None:
        """Return how the output differs over tables altered by a family; a text where the program crashed."""
        altered = {name: self.tables[name].select(family) for name in names}
        found = run(altered)
        expected = base
        if family.mode != "same":
            expected = run({name: self.tables[name].expected(family, text) for name, text in altered.items()})
        if found.error is not None or expected.error is not None:
            return found.error or expected.error
        if family.mode != "same" and self.scope.differ(base, found) is not None:
            self.live.update(altered)
        return self.scope.differ(expected, found, family)


def audit(subject: Subject, catalog: Catalog, contract: Contract) -> Certificate:
    """Audit a program.

    Parameters
    ----------
    subject : Subject
        The program and its database.
    catalog : Catalog
        What the times in the tables mean.
    contract : Contract
        The task's dates, sources, version rule.

    Returns
    -------
    Certificate
        PASS: nothing that was tried shows a dependence on what was not knowable, and what was tried would have shown
        it. FAIL: two runs prove it, and a witness says how. UNKNOWN: neither; the reasons say why.

    Raises
    ------
    InputError
        If the database cannot be opened, there is no jail, or the contract names a table that the catalog lacks or
        contradicts the catalog.
    """
    from finassay.audit._data import data_hash
    from finassay.database import connect

    with subject.runner() as runner, connect(subject.url) as database:
        facts = Facts(subject, catalog, contract, database.version, runner.run())
        if facts.has_output():
            _judge(facts, runner, database)
        facts.data = data_hash(database, [table.name for table in facts.tables])
    return certificate(facts)


def _judge(facts: Facts, runner: Runner, database: Database) -> None:
    """Try what there is to try, and record what was found."""
    again = runner.run()
    if again.error is not None or differ(facts.base, again) is not None:
        facts.unknown("nondeterministic", "Two runs over the same data gave different results.")
        return
    try:
        facts.scopes = scopes_of(facts.contract, facts.base)
    except InputError as error:
        facts.unknown(error.reason, str(error))
        return
    if not facts.scopes:
        facts.unknown(
            "no_decisions", "The output has no row with a date of decision, so nothing was audited."
        )
        return
    tables = _tables(facts, database)
    history = frozenset(name.lower() for name in facts.contract.history)
    trials = [
        _Trial(runner, scope, {n: table.at(scope.cutoff) for n, table in tables.items()}, history)
        for scope in facts.scopes
    ]
    for trial in trials:
        _try(facts, trial, facts.base, database)
    if tables and not facts.witnesses:
        _weigh(facts, trials[-1], facts.base)
    elif not tables and not facts.reasons:
        facts.unknown(
            "unresponsive", "The program reads no table, so nothing was tried: its answer is a constant."
        )
    live = {name for trial in trials for name in trial.live}
    facts.runs = [run for trial in trials for run in trial.runs]
    facts.tables = [
        TableRead(
            name=name,
            required=name in facts.required,
            read=name in facts.read,
            families=[family.name for family in table.families],
            live=name in live,
        )
        for name, table in tables.items()
    ]


def _tables(facts: Facts, database: Database) -> dict[str, Altered]:
    """Resolve what the program reads and the contract requires; what the catalog cannot judge makes it UNKNOWN."""
    from finassay.database import resolve_table

    infos = {info.name.lower(): info for info in database.tables()}
    found: dict[str, Altered] = {}
    for name in sorted(facts.read | facts.required):  # a set's own order differs between processes
        if name not in infos:
            if name in facts.required:
                raise InputError(
                    f"The contract requires the table {name}, which the database does not have.",
                    hint=f"Tables: {', '.join(sorted(infos))}.",
                    reason="source_missing",
                )
            continue  # a name that the program defines itself
        if facts.catalog.find(infos[name].name) is None:
            facts.unknown("table_not_catalogued", f"The catalog says nothing of the table {name}.")
            continue
        table: ResolvedTable = resolve_table(facts.catalog, infos[name])
        altered = Altered.of(table, facts.catalog, facts.contract, facts.scopes[-1].cutoff, database)
        try:
            altered.view.knowable  # noqa: B018 - asks whether it can be told
        except AvailabilityUnknown as error:
            facts.unknown("availability_unknown", str(error))
            continue
        found[name] = altered
    return found


def _try(facts: Facts, trial: _Trial, base: Output, database: Database) -> None:
    """Run every family over all its tables at once; where the output differs, table by table, then row by row."""
    for family in FAMILIES:
        names = trial.over(family)
        if not names:
            continue
        difference = trial.difference(base, family, names, trial.runner.run)
        outcome = "crashed" if isinstance(difference, str) else "held" if difference is None else "differs"
        trial.runs.append(
            ScenarioRun(
                as_of=trial.scope.cutoff.day.isoformat(),
                family=family.name,
                requirement=family.requirement,
                tables=names,
                outcome=outcome,
            )
        )
        if difference is None:
            continue
        # A crash says nothing; so does a difference that needs two tables at once, but it is proof all the same.
        for name in names:
            alone = (
                difference if len(names) == 1 else trial.difference(base, family, [name], trial.runner.run)
            )
            if isinstance(alone, Difference):
                trial.live.add(name)
                found = witness_of(
                    trial.runner, trial.tables[name], family, trial.scope, base, alone, database
                )
                if not _repeats(found, facts.witnesses):
                    facts.witnesses.append(found)
        if isinstance(difference, Difference) and not trial.live.intersection(names):
            facts.witnesses.append(_joint(trial, family, names, difference))


def _repeats(found: Witness, before: list[Witness]) -> bool:
    """Whether a witness tells nothing new: a later version also closes its predecessor, which is a state (A2)."""
    known = {witness.requirement for witness in before if witness.table == found.table}
    return found.requirement in known or (found.family == RESTATED.name and Requirement.STATE in known)


def _joint(trial: _Trial, family: Family, names: list[str], difference: Difference) -> Witness:
    overlay = ";\n".join(trial.tables[name].select(family) for name in names)
    return Witness(
        as_of=trial.scope.cutoff.day.isoformat(),
        requirement=family.requirement,
        family=family.name,
        table=", ".join(names),
        says=f"{family.says}, in these tables together",
        row=None,
        shown=[],
        altered=None,
        missing=list(difference.missing),
        added=list(difference.added),
        overlay=overlay,
        level="L2",
    )


def _weigh(facts: Facts, trial: _Trial, base: Output) -> None:
    """Measure what the PASS is worth: would the scenarios have noticed if a guard were missing? (2.7)."""
    if trial.runs and all(run.outcome == "crashed" for run in trial.runs):
        facts.unknown("crashes", "The program failed over every altered database.")
    for name in sorted(facts.required - facts.read):
        facts.unknown("source_not_read", f"The program does not read {name}, which the contract requires.")
    found = _guards(trial, base)
    if not found:
        _expose(facts, trial, base)
        return
    missed = [m for m in found if not _noticed(trial, m.sql)]
    redundant = [m for m in missed if _matters_unstarted(trial, m.sql)]
    holes = [m for m in missed if m not in redundant]
    facts.power = Power(
        guards=len(found),
        noticed=len(found) - len(missed),
        redundant=[Survivor(guard=m.guard, line=m.line) for m in redundant],
        survivors=[Survivor(guard=m.guard, line=m.line) for m in holes],
    )
    tried = len(found) - len(redundant)
    if facts.power.noticed < LEAST_POWER * tried or tried == 0:
        guards = "; ".join(m.guard for m in missed)
        facts.unknown(
            "low_power", f"{facts.power.noticed} of {tried} guards are noticed when removed, not: {guards}."
        )


def _matters_unstarted(trial: _Trial, sql: str) -> bool:
    """Whether a guard matters where entities are not yet there, of which other tables tell already.

    A guard that matters only then repeats what the data say elsewhere: the scenarios that keep to the catalog cannot
    notice its absence, and no leak follows from it.
    """
    altered = {name: text for name, table in trial.tables.items() if (text := table.unstarted()) is not None}
    if not altered:
        return False
    with_guard, without = trial.runner.run(altered), trial.runner.run(altered, sql)
    return (
        with_guard.error is None
        and without.error is None
        and trial.scope.differ(with_guard, without) is not None
    )


def _guards(trial: _Trial, base: Output) -> list[Mutant]:
    if trial.runner.subject.submission.mode != "sql":
        return []
    dialect, text = base.statements[0]
    return mutants(text, dialect, [table.view for table in trial.tables.values()])


def _expose(facts: Facts, trial: _Trial, base: Output) -> None:
    """Where a program's own guards cannot be taken away, ask whether it reacts to what it may know of each table."""
    survivors, count = [], 0
    for name, table in trial.tables.items():
        exposed = table.exposed()
        count += bool(exposed)
        for altered in exposed:
            found = trial.runner.run({name: altered})
            if found.error is None and trial.scope.differ(base, found) is not None:
                trial.live.add(name)
                break
        else:
            if exposed:
                survivors.append(
                    Survivor(guard=f"{name}: known values changed, unknown rows made known", line=None)
                )
    facts.power = Power(guards=count, noticed=count - len(survivors), redundant=[], survivors=survivors)
    if not trial.live:
        facts.unknown(
            "unresponsive", "The program reacts to nothing: its answer may be a constant, or from a cache."
        )
    elif survivors:
        names = ", ".join(survivor.guard.split(":")[0] for survivor in survivors)
        facts.unknown(
            "low_power", f"The program reacts to no alteration of {names}, so nothing was tried there."
        )


def _noticed(trial: _Trial, sql: str) -> bool:
    """Whether some scenario tells a statement from a valid one."""
    base = trial.runner.run(sql=sql)
    if base.error is not None:
        return True
    run = partial(trial.runner.run, sql=sql)
    return any(
        isinstance(trial.difference(base, family, names, run), Difference)
        for family in FAMILIES
        if (names := trial.over(family))
    )

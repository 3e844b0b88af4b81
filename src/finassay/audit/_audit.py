"""The audit: run a program over altered tables, decide, and say why (pit_audit.md, 2.6)."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from finassay.audit._certificate import ScenarioRun, TableRead, Witness
from finassay.audit._compare import Difference, differ
from finassay.audit._failures import overdue, reached
from finassay.audit._identity import repeated
from finassay.audit._impact import impact_of
from finassay.audit._levels import graded
from finassay.audit._order import reordered, sorts
from finassay.audit._power import weigh
from finassay.audit._recorded import check_recorded
from finassay.audit._reference import Reference, follow
from finassay.audit._report import Facts, certificate
from finassay.audit._scenarios import Altered
from finassay.audit._scope import labels_without, rows_after_all, scopes_of
from finassay.audit._shrink import witness_in
from finassay.audit._slices import slice_of
from finassay.audit._subject import Subject
from finassay.audit._terms import check_terms
from finassay.audit._through import read_behind
from finassay.audit._trial import Trial
from finassay.audit._types import FAMILIES, INTRADAY, RESTATED, STRESS, Family, Requirement
from finassay.core import InputError
from finassay.temporal import AvailabilityUnknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from finassay.audit._certificate import Certificate
    from finassay.audit._slices import Slice
    from finassay.audit._subject import Output, Runner
    from finassay.database import Database, Dialect, ResolvedTable
    from finassay.execution import Submission
    from finassay.temporal import Catalog, Contract


def audit(
    subject: Subject,
    catalog: Catalog,
    contract: Contract,
    *,
    reference: Submission | None = None,
    reference_dialect: Dialect | None = None,
    impact: bool = False,
    recorded: Path | None = None,
) -> Certificate:
    """Audit a program.

    Parameters
    ----------
    subject : Subject
        The program and its database.
    catalog : Catalog
        What the times in the tables mean.
    contract : Contract
        The task's dates, sources, version rule.
    reference : Submission, optional
        A program that does the task right, for the differential check. Where the contract names no sources, those that
        it reads are required.
    reference_dialect : {"duckdb", "mysql", "postgres"}, optional
        What its SQL is written in; by default what the program's is.
    impact : bool
        Whether to run the program over the normalised snapshot too, and tell how its answer changes.
    recorded : Path, optional
        A CSV or Parquet file with the result that the program is recorded to have given; another one is UNKNOWN.

    Returns
    -------
    Certificate
        PASS: nothing that was tried shows a dependence on what was not knowable, and what was tried would have shown
        it. FAIL: two runs prove it, and a witness says how. UNKNOWN: neither; the reasons say why.

    Raises
    ------
    InputError
        If the database cannot be opened, there is no jail, the reference fails, or the contract names what the
        database lacks or contradicts the catalog.
    """
    from finassay.audit._data import engine_hash, table_hashes
    from finassay.database import connect

    check_terms(catalog, contract)
    with ExitStack() as stack:
        runner = stack.enter_context(subject.runner())
        database = stack.enter_context(connect(subject.url))
        other = None
        if reference is not None:
            right = Subject(
                reference,
                subject.url,
                reference_dialect or subject.dialect,
                subject.policy,
                subject.limits,
                subject.jail,
            )
            other = Reference.of(stack.enter_context(right.runner()))
        facts = Facts(subject, catalog, contract, database.version, runner.run())
        if (definitions := database.definitions()) and facts.base.error is None:
            facts.read = read_behind(facts, definitions, facts.base.statements, database)
            if other is not None:
                other = replace(other, read=read_behind(facts, definitions, other.base.statements, database))
        if other is not None and not facts.required:
            facts.required = other.read
        if facts.has_output() and recorded is not None:
            check_recorded(facts, recorded)
        if facts.base.tables and "replay" not in facts.reasons:
            trials = _judge(facts, runner, other, database)
            if impact and trials:
                facts.impact = impact_of(trials, facts.base, facts.read)
        late = [*runner.overdue, *(other.runner.overdue if other is not None else ())]
        if late and "time_limit" not in facts.reasons:
            facts.unknown("time_limit", overdue(late))
        for reason, note in reached(runner.outside, subject.submission.python_code or ""):
            if reason not in facts.reasons:
                facts.unknown(reason, note)
        facts.code = engine_hash(database)
        facts.data = table_hashes(database, [table.name for table in facts.tables])
    return certificate(facts)


def _judge(facts: Facts, runner: Runner, reference: Reference | None, database: Database) -> list[Trial]:
    """Try what there is to try, and record what was found; return the cutoffs with their tables."""
    again = runner.run(again=True)
    if again.overdue:
        return []  # `audit` says so
    if again.error is not None or differ(facts.base, again) is not None:
        facts.unknown("nondeterministic", "Two runs over the same data gave different results.")
        return []
    try:
        facts.scopes = scopes_of(facts.contract, facts.base)
    except InputError as error:
        facts.unknown(error.reason, str(error))
        return []
    if not facts.scopes:
        facts.unknown(
            "no_decisions", "The output has no row with a date of decision, so nothing was audited."
        )
        return []
    facts.stress += [
        f"The contract's label {name} is no column of the output."
        for name in labels_without(facts.contract, facts.base)
    ]
    if others := rows_after_all(facts.contract, facts.base):
        facts.unknown(
            "rows_after_all",
            f"The output has rows of {len(others)} date(s) after the last decision of the contract, up to "
            f"{others[-1]}: nothing was tried on them.",
        )
    tables = _tables(facts, database)
    piece = slice_of(tables, facts.base, runner.run, database)
    facts.slice = None if piece is None else piece.says
    shuffled = _shuffled(facts, runner, tables, piece)
    if shuffled is None:
        return []
    ordered = (
        sorts(facts.subject.submission, facts.subject.dialect or database.dialect)
        and not reordered(facts.base, again)
        and not reordered(*shuffled)
    )
    history = frozenset(name.lower() for name in facts.contract.history)
    trials = [
        Trial(
            runner,
            scope,
            {n: table.at(scope.cutoff) for n, table in tables.items()},
            history,
            piece=piece,
            ordered=ordered,
        )
        for scope in facts.scopes
    ]
    for trial in trials:
        _try(facts, trial, database)
    by_date = {trial.scope.cutoff.day.isoformat(): trial for trial in reversed(trials)}
    facts.witnesses = [
        graded(witness, by_date[witness.as_of], facts, database) for witness in facts.witnesses
    ]
    if reference is not None and tables:
        follow(facts, trials[-1], reference, database)
    if tables and not facts.witnesses:
        _stress(facts, trials[-1])
        _check_sources(facts, trials[-1])
        weigh(facts, trials, facts.base)
    elif not tables and not facts.reasons:
        facts.unknown(
            "unresponsive", "The program reads no table, so nothing was tried: its answer is a constant."
        )
    facts.stress += _reordered(trials)
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
    return trials


def _tables(facts: Facts, database: Database) -> dict[str, Altered]:
    """Resolve what the program reads and the contract requires; what the catalog cannot judge makes it UNKNOWN."""
    from finassay.database import resolve_table, row_statistics_read

    for relation in {
        name for dialect, text in facts.base.statements for name in row_statistics_read(text, dialect)
    }:
        facts.unknown(
            "table_not_catalogued",
            f"The program reads {relation}, which counts all rows of a table, those not yet known too.",
        )
    infos = {info.name.lower(): info for info in database.tables()}
    facts.columns = {name: [column.name for column in info.columns] for name, info in infos.items()}
    tables: dict[str, ResolvedTable] = {}
    for name in sorted(facts.read | facts.required):  # a set's own order differs between processes
        if name not in infos:
            if name in facts.required:
                raise InputError(
                    f"The contract requires the table {name}, which the database does not have.",
                    hint=f"{_alike(name, infos)}`finassay db info URL` lists all.",
                    reason="source_missing",
                )
            continue  # a name that the program defines itself
        if facts.catalog.find(infos[name].name) is None:
            facts.unknown("table_not_catalogued", f"The catalog says nothing of the table {name}.")
            continue
        tables[name] = resolve_table(facts.catalog, infos[name])
    found: dict[str, Altered] = {}
    cutoff, spoken = facts.scopes[-1].cutoff, facts.spoken()
    for name, table in tables.items():
        altered = Altered.of(table, facts.catalog, facts.contract, cutoff, database, tables.values(), spoken)
        try:
            altered.view.knowable  # noqa: B018 - asks whether it can be told
        except AvailabilityUnknown as error:
            facts.unknown("availability_unknown", str(error))
            continue
        found[name] = altered
        if warning := repeated(table, database):
            facts.stress.append(warning)
    return found


def _alike(name: str, known: Iterable[str]) -> str:
    found = get_close_matches(name, known, n=3)
    return f"Is it {' or '.join(found)}? " if found else ""


def _shuffled(
    facts: Facts, runner: Runner, tables: dict[str, Altered], piece: Slice | None
) -> tuple[Output, Output] | None:
    """Return the answer, and that over rows stored in another order; None where they differ, and that is recorded."""
    base = facts.base if piece is None else piece.base(facts.base, runner.run)
    shuffled = {name: table.shuffled for name, table in tables.items() if name in facts.read}
    if not shuffled:
        return base, base
    found = runner.run(shuffled if piece is None else piece.over(shuffled))
    difference = differ(base, found) if found.error is None else None
    if difference is not None:
        only = next(iter((*difference.missing, *difference.added)), "")
        facts.unknown(
            "nondeterministic",
            "The answer depends on the order in which rows are stored (a LIMIT or a ranking without a full order): "
            f"over the same rows in another order {only} is not in both.",
        )
        return None
    return base, base if found.error is not None else found


def _reordered(trials: Iterable[Trial]) -> Iterator[str]:
    """Yield a warning where what was not to count only moved rows: the first family, at its first cutoff."""
    for trial in trials:
        for family, names in trial.reordered.items():
            yield (
                f"The same rows come in another order over {', '.join(names)} at {trial.scope.cutoff.day.isoformat()} "
                f"({family.says}). Order is not judged: if it is the answer, give the rank as a column."
            )
            return


def _try(facts: Facts, trial: Trial, database: Database) -> None:
    """Run every family over all its tables at once; where the output differs, table by table, then row by row.

    Where what is done to one table may hide what is done to another, it is run table by table, too.
    """
    for family in FAMILIES:
        names = trial.over(family)
        if not names:
            continue
        difference = _run(facts, trial, family, names)
        if difference is None and not trial.masked(facts.base, family, names):
            continue
        # A crash says nothing; so does a difference that needs two tables at once, but it is proof all the same.
        shown = False
        for name in names:
            alone = difference if len(names) == 1 else _run(facts, trial, family, [name])
            if isinstance(alone, Difference):
                shown = True
                trial.live.add(name)
                found = witness_in(trial, name, family, facts.base, alone, database)
                if not _repeats(found, facts.witnesses):
                    _admit(facts, trial, family, {name: found.overlay}, found)
        if isinstance(difference, Difference) and not shown:
            altered = {name: trial.tables[name].select(family) for name in names}
            _admit(facts, trial, family, altered, _joint(trial, family, altered, difference))


def _run(facts: Facts, trial: Trial, family: Family, names: list[str]) -> Difference | str | None:
    """Run a family over tables, and write down what came of it."""
    difference = trial.difference(facts.base, family, names, trial.runner.run)
    trial.runs.append(
        ScenarioRun(
            as_of=trial.scope.cutoff.day.isoformat(),
            family=family.name,
            requirement=family.requirement,
            tables=names,
            stress=family.stress,
            outcome="crashed" if isinstance(difference, str) else "held" if difference is None else "differs",
        )
    )
    return difference


def _stress(facts: Facts, trial: Trial) -> None:
    """Do what the data never have (level L3); what differs is worth a warning."""
    for family in STRESS:
        names = trial.over(family)
        difference = _run(facts, trial, family, names) if names else None
        if isinstance(difference, Difference):
            rows = next(iter((*difference.missing, *difference.added)), "")
            timed = family is INTRADAY and any(
                trial.tables[name].table.spec.granularity == "intraday" for name in names
            )
            has = "as they may be by the catalog" if timed else "which these data never have (level L3)"
            facts.stress.append(
                f"{family.requirement} {', '.join(names)}: {family.says}, {has}, "
                f"and the output is not the one that counts ({rows})."
            )


def _admit(facts: Facts, trial: Trial, family: Family, altered: dict[str, str], found: Witness) -> None:
    """Take a witness whose difference is there again on a repeat (2.6, rule 2)."""
    again = trial.compared(facts.base, family, altered, partial(trial.runner.run, again=True))
    if isinstance(again, Difference):
        facts.witnesses.append(found)
    elif not (isinstance(again, str) and trial.runner.overdue):  # of time that was over `audit` says so
        facts.unknown(
            "nondeterministic",
            f"Over {found.table} ({family.says}) the output differed once, and not on a repeat.",
        )


def _check_sources(facts: Facts, trial: Trial) -> None:
    """Every required source must be read, and matter to the program or the reference (2.6, rule 7)."""
    for name in sorted(facts.required):
        if name not in facts.read:
            facts.unknown(
                "source_not_read", f"The program does not read {name}, which the contract requires."
            )
        elif (
            name in trial.tables
            and trial.tables[name].traps
            and name not in facts.followed
            and not trial.reacts(facts.base, name)
        ):
            facts.unknown(
                "source_without_effect",
                f"The program reads {name}, which the contract requires, and reacts to no change of what was known.",
            )


def _repeats(found: Witness, before: list[Witness]) -> bool:
    """Whether a witness tells nothing new: a later version also closes its predecessor, which is a state (A2)."""
    known = {witness.requirement for witness in before if witness.table == found.table}
    return found.requirement in known or (found.family == RESTATED.name and Requirement.STATE in known)


def _joint(trial: Trial, family: Family, altered: dict[str, str], difference: Difference) -> Witness:
    return Witness(
        as_of=trial.scope.cutoff.day.isoformat(),
        requirement=family.requirement,
        family=family.name,
        table=", ".join(altered),
        says=f"{family.says}, in these tables together",
        row=None,
        shown=[],
        altered=None,
        missing=list(difference.missing),
        added=list(difference.added),
        overlay=";\n".join(altered.values()),
        instead=None
        if family.mode == "same"
        else ";\n".join(trial.tables[name].expected(family) for name in altered),
        level="L2",
    )

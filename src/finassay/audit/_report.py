"""From the facts of an audit to its verdict and certificate."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.audit._certificate import (
    Certificate,
    Hashes,
    Impact,
    Power,
    Program,
    ReferenceCheck,
    ScenarioRun,
    TableRead,
    Tried,
    Witness,
    without_login,
)
from finassay.audit._documents import model_hash
from finassay.audit._failures import failure
from finassay.audit._scope import labels_without
from finassay.audit._slices import SEED
from finassay.audit._static import Text, obligations_of, warnings_of
from finassay.audit._static_python import python_obligations
from finassay.audit._types import Requirement, Verdict
from finassay.core import hash_json

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.audit._scope import Scope
    from finassay.audit._subject import Output, Subject
    from finassay.temporal import Boundary, Catalog, Contract

_ASSUMPTIONS = (
    "The catalog and the contract are right: the verdict is relative to both.",
    "PASS is bounded testing, not proof: none of the scenarios that were run separates the program from a valid one.",
    "Rows are compared whatever their order: an order that is the answer needs its rank as a column.",
    "Values that the vendor overwrote cannot be seen.",
    "What a model or an author remembers of later events cannot be seen.",
)

_QUOTED = re.compile(r"""'([^'\n]*)'|"([^"\n]*)\"""")
_SPOKEN = range(2, 41)  # characters
_MOST_SPOKEN = 500


@dataclass
class Facts:
    """What an audit knows so far."""

    subject: Subject
    catalog: Catalog
    contract: Contract
    engine: str
    base: Output
    data: dict[str, str] = field(default_factory=dict)
    code: str = ""
    slice: str | None = None
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    runs: list[ScenarioRun] = field(default_factory=list)
    tables: list[TableRead] = field(default_factory=list)
    witnesses: list[Witness] = field(default_factory=list)
    power: Power | None = None
    stress: list[str] = field(default_factory=list)  # warnings of level L3
    reference: ReferenceCheck | None = None
    impact: Impact | None = None
    followed: set[str] = field(default_factory=set)  # the tables that the reference reacts to
    columns: dict[str, list[str]] = field(default_factory=dict)  # of the tables, by lower-case name
    scopes: list[Scope] = field(default_factory=list)
    read: frozenset[str] = field(init=False)
    required: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        from finassay.core import CandidateError
        from finassay.database import tables_read

        read: list[str] = []
        for dialect, text in self.base.statements:
            try:
                read += tables_read(text, dialect)
            except CandidateError as error:
                self.unknown("statement_not_read", str(error))
        self.read = frozenset(read)
        self.required = frozenset(name.lower() for name in self.contract.sources)
        for mark in self.contract.unconfirmed:
            self.unknown("unconfirmed_contract", f"Nobody has confirmed '{mark.field}' of the contract.")

    def unknown(self, reason: str, note: str) -> None:
        """Record why there is no PASS."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        self.notes.append(note)

    def spoken(self) -> tuple[str, ...]:
        """Return the texts in quotation marks in the program and its statements."""
        texts = [text for _, text in self.base.statements] + [self.subject.submission.python_code or ""]
        for text in texts:  # which grows: a statement in quotation marks has others within
            texts += [one or other for one, other in _QUOTED.findall(text)]
        said = {text for text in texts if len(text) in _SPOKEN and not set(text) & set("'\"\\\n")}
        return tuple(sorted(said))[:_MOST_SPOKEN]

    def has_output(self) -> bool:
        """Whether the program gave something to compare over the unaltered data; records why not."""
        if self.base.error is not None:
            self.unknown(*failure(self.base))
        elif not self.base.tables:
            self.unknown("no_output", "The program returned no table.")
        return bool(self.base.tables)


def certificate(facts: Facts) -> Certificate:
    """Decide, and write it down."""
    import finassay

    failed = {witness.requirement for witness in facts.witnesses}
    _note_crashes(facts)
    verdict = Verdict.FAIL if failed else Verdict.UNKNOWN if facts.reasons else Verdict.PASS
    rest = Verdict.UNKNOWN if facts.reasons or not facts.runs else Verdict.PASS
    judged = [r for r in Requirement if r is not Requirement.OMISSION or facts.required]
    requirements = {r: Verdict.FAIL if r in failed else rest for r in judged}
    submission = facts.subject.submission
    program = Program.of(submission, facts.subject.dialect, function=facts.subject.in_process)
    terms = facts.contract.model_dump(mode="json", by_alias=True)
    handed_on = submission.mode != "sql"
    texts = [
        Text(sql, dialect, handed_on, None if handed_on else 1) for dialect, sql in facts.base.statements
    ]
    obligations = obligations_of(texts, facts.catalog, facts.contract)
    if submission.python_code:
        obligations += python_obligations(submission.python_code, facts.catalog)
    found = Certificate(
        finassay=finassay.__version__,
        verdict=verdict,
        reasons=[] if failed else facts.reasons,
        notes=facts.notes,
        requirements=requirements,
        sequence=_of_decisions(facts, rest),
        label=_of_labels(facts, rest),
        program=submission.source,
        subject=program,
        database=without_login(facts.subject.url),
        engine=facts.engine,
        catalog=f"{facts.catalog.catalog} {facts.catalog.version}",
        contract=facts.contract.contract,
        terms=terms,
        as_of=list(dict.fromkeys(scope.cutoff.day.isoformat() for scope in facts.scopes)),
        boundary=facts.scopes[-1].cutoff.boundary if facts.scopes else _boundary(facts.contract),
        labels=list(facts.contract.labels),
        hashes=Hashes(
            program=program.digest(),
            database=hash_json(facts.data),
            tables=facts.data,
            catalog=model_hash(facts.catalog),
            contract=model_hash(facts.contract),
            engine=facts.code,
            output=_output_hash(facts.base.tables) if facts.base.tables else None,
            reference=facts.reference.program.digest() if facts.reference else None,
        ),
        tables=facts.tables,
        tried=_tried(facts),
        scenarios=facts.runs,
        slice=facts.slice,
        witnesses=facts.witnesses,
        power=facts.power,
        reference=facts.reference,
        impact=facts.impact,
        obligations=obligations,
        warnings=[*warnings_of(obligations, facts.witnesses), *facts.stress],
        assumptions=list(_ASSUMPTIONS),
    )
    return found.at()


def _tried(facts: Facts) -> Tried:
    outcomes = [run.outcome for run in facts.runs]
    return Tried(
        scenarios=len(outcomes),
        held=outcomes.count("held"),
        differs=outcomes.count("differs"),
        crashed=outcomes.count("crashed"),
        tables=len(facts.tables),
        live=sum(table.live for table in facts.tables),
        seeds=[] if facts.slice is None else [SEED],
    )


def _of_decisions(facts: Facts, rest: Verdict) -> Verdict | None:
    days = {scope.cutoff.day.isoformat() for scope in facts.scopes if scope.column is not None}
    if facts.contract.decisions is None:
        return None
    return Verdict.FAIL if any(witness.as_of in days for witness in facts.witnesses) else rest


def _of_labels(facts: Facts, rest: Verdict) -> Verdict | None:
    """Judge what is no label: labels are not compared, so whatever depends on what came after is something else."""
    if len(labels_without(facts.contract, facts.base)) == len(facts.contract.labels):
        return None  # the output has none
    later = {Requirement.DISCLOSURE, Requirement.STATE}
    return Verdict.FAIL if any(witness.requirement in later for witness in facts.witnesses) else rest


def _note_crashes(facts: Facts) -> None:
    """Leave open a requirement of whose scenarios half or more crashed: it was hardly tried (2.3)."""
    if "time_limit" in facts.reasons:
        return  # which counts each of them
    for requirement in Requirement:
        outcomes = [run.outcome for run in facts.runs if run.requirement is requirement and not run.stress]
        crashed = outcomes.count("crashed")
        if outcomes and 2 * crashed >= len(outcomes):
            facts.unknown(
                "crashes",
                f"The program failed over {crashed} of {len(outcomes)} altered databases of {requirement}, so it was "
                "hardly tried.",
            )


def _boundary(contract: Contract) -> Boundary:
    if contract.as_of is not None:
        return contract.as_of.boundary
    return contract.decisions.boundary if contract.decisions is not None else "eod"


def _output_hash(tables: dict[str, pa.Table]) -> str:
    """Hash the rows as a multiset: a statement without an order may give them in any."""

    def texts(table: pa.Table) -> list[list[str]]:
        return [[str(cell) for cell in column.to_pylist()] for column in table.columns]

    def content(table: pa.Table) -> list[list[str]]:
        return [table.column_names, *sorted(map(list, zip(*texts(table), strict=True)))]

    return hash_json({name: content(table) for name, table in tables.items()})

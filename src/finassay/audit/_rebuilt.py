"""A witness built anew from catalog and contract, so that a forged one is not taken for what an audit found."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.audit._audit import _tables
from finassay.audit._reference import Reference
from finassay.audit._report import Facts
from finassay.audit._scope import scopes_of
from finassay.audit._subject import Subject
from finassay.audit._trial import Trial
from finassay.audit._types import FAMILIES, REMOVED, SCRAMBLED, THINNED, TRAPS, Requirement
from finassay.temporal import Contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.audit._certificate import Certificate, Witness
    from finassay.audit._scenarios import Altered
    from finassay.audit._scope import Scope
    from finassay.audit._subject import Runner
    from finassay.audit._types import Family
    from finassay.temporal import Catalog

_BY_NAME = {family.name: family for family in (*FAMILIES, *TRAPS)}
_CELL = r"(-?\d+|'(?:[^']|'')*')"
_RANGE = re.compile(rf"BETWEEN {_CELL} AND {_CELL}")


@dataclass(frozen=True)
class Rebuilt:
    """What a witness shows, with the SELECTs that were made here.

    Attributes
    ----------
    own, judged : Runner
        The program, and whose output must not change: the reference where the program omits a source, else the program.
    overlays, instead : dict of str to str
        The altered tables, and those over which the output must be the same; without any, over the tables as they are.
    """

    own: Runner
    judged: Runner
    scope: Scope
    family: Family
    overlays: dict[str, str]
    instead: dict[str, str]


@contextmanager
def rebuilt(
    certificate: Certificate, witness: Witness, url: str, catalog: Catalog
) -> Iterator[Rebuilt | str]:
    """Open the program and build the tables of a witness anew; a text says why it is no witness of an audit."""
    from finassay.database import connect

    contract = Contract.model_validate(certificate.terms)
    held = certificate.reference
    with ExitStack() as stack:
        own = stack.enter_context(
            Subject(
                certificate.subject.submission(certificate.program), url, certificate.subject.dialect
            ).runner()
        )
        database = stack.enter_context(connect(url))
        facts = Facts(own.subject, catalog, contract, database.version, own.run())
        reference = None
        if held is not None:
            right = Subject(held.program.submission(held.source), url, held.program.dialect)
            reference = Reference.of(stack.enter_context(right.runner()))
            facts.required = facts.required or reference.read
        facts.scopes = scopes_of(contract, facts.base) if facts.base.tables else []
        scope = next((one for one in facts.scopes if one.cutoff.day.isoformat() == witness.as_of), None)
        if scope is None:
            yield f"The output here has nothing that is judged at {witness.as_of}."
            return
        tables = {name: table.at(scope.cutoff) for name, table in _tables(facts, database).items()}
        if set(tables) != {table.name for table in certificate.tables}:
            yield "The tables that are audited here are not those of the certificate."
            return
        history = frozenset(name.lower() for name in contract.history)
        family = _family(witness, Trial(own, scope, tables, history), reference)
        names = witness.table.lower().split(", ")
        made = None if family is None else _made(witness, family, [tables[name] for name in names])
        if family is None:
            yield "The audit has no such witness: its family, table and requirement do not belong together."
        elif made is None:
            yield "The witness alters the table otherwise than its family does: its SELECT is not the one made here."
        else:
            overlays, instead = (dict(zip(names, texts, strict=True)) if texts else {} for texts in made)
            omission = witness.requirement is Requirement.OMISSION
            judged = reference.runner if omission and reference is not None else own
            yield Rebuilt(own, judged, scope, family, overlays, {} if omission else instead)


def _family(witness: Witness, trial: Trial, reference: Reference | None) -> Family | None:
    """Return the family of a witness, if it is one that the audit would try for its requirement on its tables."""
    family = _BY_NAME.get(witness.family)
    names = witness.table.lower().split(", ")
    if family is None or not trial.tables.keys() >= set(names):
        return None
    if witness.requirement is Requirement.OMISSION:
        fits = reference is not None and all(family in trial.tables[name].traps for name in names)
        return family if fits else None
    requirements = {family.requirement}
    if family in (REMOVED, THINNED, SCRAMBLED):
        requirements.add(Requirement.STATE)  # of a row of a state that had not begun
    fits = family in FAMILIES and witness.requirement in requirements
    return family if fits and set(names) <= set(trial.over(family)) else None


def _made(witness: Witness, family: Family, tables: list[Altered]) -> tuple[list[str], list[str]] | None:
    """Return the SELECTs of a family that are those of a witness, for all rows or the range that it states."""
    ranges: list[tuple[Any, Any] | None] = [None]
    if len(tables) == 1:
        found = _RANGE.findall(f"{witness.overlay} {witness.instead or ''}")
        ranges += dict.fromkeys((_cell(low), _cell(high)) for low, high in found)
    for only in ranges:
        overlays = [table.select(family, only) for table in tables]
        if ";\n".join(overlays) != witness.overlay:
            continue
        if witness.instead is None:
            if family.mode == "same" or witness.requirement is Requirement.OMISSION:
                return overlays, []
            continue
        instead = [table.expected(family, only) for table in tables]
        if family.mode != "same" and ";\n".join(instead) == witness.instead:
            return overlays, instead
    return None


def _cell(text: str) -> Any:
    return text[1:-1].replace("''", "'") if text.startswith("'") else int(text)

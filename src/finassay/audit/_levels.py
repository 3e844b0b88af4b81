"""How much a witness asks one to believe (pit_audit.md, 2.5): that the data show it, that the like occurs, or may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._compare import Difference
from finassay.audit._provenance import provenance_of
from finassay.audit._shrink import AS_THEY_ARE, shrunk, witness_in
from finassay.audit._types import FAMILIES, TRAPS

if TYPE_CHECKING:
    from finassay.audit._certificate import Witness
    from finassay.audit._report import Facts
    from finassay.audit._trial import Trial
    from finassay.database import Database

_BY_NAME = {family.name: family for family in (*FAMILIES, *TRAPS)}


def graded(witness: Witness, trial: Trial, facts: Facts, database: Database) -> Witness:
    """Return a witness in as few rows as may be, with the rows that the output is made of, and its level.

    L0: the data as they are show it; rows and ends that are only removed do, and so do rows that went into the output.
    L1: what was done to the table occurs in it elsewhere. L2: the catalog allows it.
    """
    name = witness.table.lower()
    table = trial.tables.get(name)
    if table is None:  # several tables together
        return witness
    witness = _plainer(witness, trial, facts, database)
    family = _BY_NAME[witness.family]
    witness = shrunk(
        witness, trial.runner, table, family, trial.scope, facts.base, database, piece=trial.piece
    )
    provenance = provenance_of(trial, name, family, facts.base, facts.columns, database)
    if family in AS_THEY_ARE or (provenance is not None and provenance.rows):
        level = "L0"
    else:
        occurs = table.occurs(family)
        level = "L1" if occurs is not None and database.query(occurs).table.num_rows else "L2"
    return witness.model_copy(update={"provenance": provenance, "level": level})


def _plainer(witness: Witness, trial: Trial, facts: Facts, database: Database) -> Witness:
    """Return a witness of the same violation for which nothing is invented, where one was found as well."""
    name = witness.table.lower()
    if _BY_NAME[witness.family] in AS_THEY_ARE:
        return witness
    differs = {run.family for run in trial.runs if run.outcome == "differs" and name in run.tables}
    for family in AS_THEY_ARE:
        if family.name not in differs or family.requirement is not witness.requirement:
            continue
        alone = trial.difference(facts.base, family, [name], trial.runner.run)
        if not isinstance(alone, Difference):
            continue
        found = witness_in(trial, name, family, facts.base, alone, database)
        if found.requirement is witness.requirement:
            return found
    return witness

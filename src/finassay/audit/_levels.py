"""How much a witness asks one to believe (pit_audit.md, 2.5): that the data show it, that the like occurs, or may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._provenance import provenance_of
from finassay.audit._types import AS_IS, FAMILIES, REMOVED, THINNED, TRAPS

if TYPE_CHECKING:
    from finassay.audit._certificate import Witness
    from finassay.audit._report import Facts
    from finassay.audit._trial import Trial
    from finassay.database import Database

_BY_NAME = {family.name: family for family in (*FAMILIES, *TRAPS)}


def graded(witness: Witness, trial: Trial, facts: Facts, database: Database) -> Witness:
    """Return a witness with the rows that the output is made of, and its level.

    L0: the data as they are show it; rows that are only removed do, and so do rows that went into the output. L1: what
    was done to the table occurs in it elsewhere. L2: the catalog allows it.
    """
    family, table = _BY_NAME[witness.family], trial.tables.get(witness.table.lower())
    if table is None:  # several tables together
        return witness
    name = witness.table.lower()
    provenance = provenance_of(trial, name, family, facts.base, facts.columns, database)
    if family in (REMOVED, THINNED, AS_IS) or (provenance is not None and provenance.rows):
        level = "L0"
    else:
        occurs = table.occurs(family)
        level = "L1" if occurs is not None and database.query(occurs).table.num_rows else "L2"
    return witness.model_copy(update={"provenance": provenance, "level": level})

"""What is removed to see whether a program reacts: two fifths, then the others, so that no single row decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._baselines import altered_tables
from finassay.audit._types import MISSING, MISSING_TOO
from finassay.database import connect

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract


def test_a_row_that_a_program_cannot_do_without_is_there_in_one_of_two(
    market: str, catalog: Catalog, contract: Contract
) -> None:
    assert contract.cutoff is not None
    with connect(market) as database:
        table = altered_tables(["alert"], catalog, contract, contract.cutoff, database)["alert"]
        assert {MISSING, MISSING_TOO} <= set(table.traps)
        left = [
            set(database.query(table.select(family)).table.column("ID").to_pylist())
            for family in (MISSING, MISSING_TOO)
        ]
    # Alerts 0 to 9 were known; 10 to 14 were not, and stay
    assert left[0] | left[1] == set(range(15))
    assert left[0] & left[1] == set(range(10, 15))
    assert all(len(rest) > 5 for rest in left)

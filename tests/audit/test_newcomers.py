"""Entities that have no row in a table get one that nobody could know: a first alert, a first default."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from finassay.audit import Certificate, Verdict, certificate_text
from finassay.audit._scenarios import Altered
from finassay.audit._types import NEWCOMERS
from finassay.database import connect, resolve_table

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract

# Firms 10 to 14 had an alert that was announced late; without them, what was not announced shows nothing in the data.
QUIET = """
SELECT p.FIRM FROM price p WHERE p.DAY = DATE '2024-06-28' AND p.FIRM NOT BETWEEN 10 AND 14
AND NOT EXISTS (SELECT 1 FROM alert a WHERE a.FIRM = p.FIRM {bound}
  AND NOT COALESCE(a.ENDS <= DATE '2024-06-30' AND a.END_ANNOUNCED <= DATE '2024-06-30', FALSE))"""

BEGUN = "AND a.STARTS <= DATE '2024-06-30'"
TOLD = "AND a.ANNOUNCED <= DATE '2024-06-30'"


def test_each_firm_without_an_alert_gets_one_that_was_not_known(
    market: str, catalog: Catalog, contract: Contract
) -> None:
    assert contract.cutoff is not None
    with connect(market) as database:
        infos = {info.name: info for info in database.tables()}
        alert, report = (resolve_table(catalog, infos[name]) for name in ("alert", "report"))
        table = Altered.of(alert, catalog, contract, contract.cutoff, database, [alert, report])
        assert NEWCOMERS in table.families
        before = database.query("SELECT * FROM alert").table.to_pylist()
        after = database.query(table.select(NEWCOMERS)).table.to_pylist()
    added = [row for row in after if row not in before]
    assert len(after) == len(before) + len(added)
    assert {row["FIRM"] for row in added} == {15, 16, 17, 18, 19}
    assert len({row["ID"] for row in after}) == len(after)
    for row in added:
        assert row["ANNOUNCED"] >= date(2024, 7, 1)
        assert row["STARTS"] < date(2024, 7, 1)
        assert row["ENDS"] is row["END_ANNOUNCED"] is None
    assert any(row["ANNOUNCED"] == date(2024, 7, 1) for row in added)  # some lie right on the boundary


def test_a_table_alone_knows_no_other_entities(market: str, catalog: Catalog, contract: Contract) -> None:
    assert contract.cutoff is not None
    with connect(market) as database:
        info = next(info for info in database.tables() if info.name == "alert")
        table = Altered.of(resolve_table(catalog, info), catalog, contract, contract.cutoff, database)
    assert NEWCOMERS not in table.families


def test_a_bound_that_no_row_of_the_data_needs_is_needed(audited: Callable[..., Certificate]) -> None:
    valid = audited(QUIET.format(bound=f"{BEGUN} {TOLD}"))
    assert valid.verdict is Verdict.PASS, certificate_text(valid)
    found = audited(QUIET.format(bound=BEGUN))
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert [(witness.requirement.value, witness.family, witness.table) for witness in found.witnesses] == [
        ("A1", "first_rows_added", "alert")
    ]
    assert found.witnesses[0].altered is not None
    assert found.witnesses[0].altered["FIRM"] in {"15", "16", "17", "18", "19"}


def test_an_alert_that_is_announced_and_has_not_begun_is_none_yet(
    audited: Callable[..., Certificate],
) -> None:
    found = audited(QUIET.format(bound=TOLD))
    assert ("A3", "first_rows_pending") in {(w.requirement.value, w.family) for w in found.witnesses}


def test_an_alert_that_has_ended_is_none_any_more(audited: Callable[..., Certificate]) -> None:
    forgotten = QUIET[: QUIET.index("AND NOT COALESCE")].rstrip().replace("{bound}", f"{BEGUN} {TOLD}") + ")"
    found = audited(f"{forgotten} AND p.FIRM >= 15")
    assert ("A3", "first_rows_ended") in {(w.requirement.value, w.family) for w in found.witnesses}

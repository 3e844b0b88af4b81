"""Heavy tables are audited on some of their entities, and the verdict is that of all the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from finassay.audit import Certificate, Subject, Verdict, _slices, audit
from finassay.execution import Submission

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract

MOMENTUM = """
SELECT FIRM, CLOSE - LAG(CLOSE, 3) OVER (PARTITION BY FIRM ORDER BY DAY) AS gain FROM price
WHERE DAY <= DATE '2024-06-30' QUALIFY ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY DAY DESC) = 1"""
LEAK = MOMENTUM.replace("WHERE DAY <= DATE '2024-06-30'", "")
JOINED = MOMENTUM.replace("FROM price", "FROM price JOIN industry USING (FIRM)").replace(
    "WHERE DAY", "WHERE NOW = 1 AND DAY"
)
NAMED = "SELECT DAY, CLOSE FROM price WHERE FIRM = 13 AND DAY <= DATE '2024-06-30'"
NOBODY = "SELECT DAY, CLOSE FROM price WHERE FIRM + 100 = {} AND DAY <= DATE '2024-06-30'"
CASES = {"valid": (MOMENTUM, set()), "no bound": (LEAK, {"A1"}), "state of today": (JOINED, {"A2"})}


def judged(sql: str, market: str, catalog: Catalog, contract: Contract) -> Certificate:
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), market), catalog, contract)


@pytest.fixture
def heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table price, of 240 rows, counts as heavy; slices have four of its twenty firms."""
    monkeypatch.setattr(_slices, "HEAVY_ROWS", 200)
    monkeypatch.setattr(_slices, "_LEAST", 4)
    monkeypatch.setattr(_slices, "_PARTS", (20,))


@pytest.mark.parametrize(("sql", "codes"), CASES.values(), ids=CASES)
def test_the_verdict_and_the_witness_are_those_of_all_the_data(
    sql: str,
    codes: set[str],
    market: str,
    catalog: Catalog,
    contract: Contract,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = judged(sql, market, catalog, contract)
    monkeypatch.setattr(_slices, "HEAVY_ROWS", 200)
    monkeypatch.setattr(_slices, "_LEAST", 4)
    sliced, again = (judged(sql, market, catalog, contract) for _ in range(2))
    assert whole.slice is None
    assert sliced.slice is not None
    assert " of 20 values of firm in price" in sliced.slice
    assert sliced.digest == again.digest
    assert (sliced.verdict, sliced.requirements) == (whole.verdict, whole.requirements)
    assert {w.requirement.value for w in sliced.witnesses} == codes
    for witness in sliced.witnesses:  # it holds on all the data: replaying it there shows the difference
        assert witness.missing or witness.added


@pytest.mark.usefixtures("heavy")
def test_an_entity_that_a_program_names_is_on_the_slice(
    market: str, catalog: Catalog, contract: Contract
) -> None:
    found = judged(NAMED, market, catalog, contract)
    assert found.verdict is Verdict.PASS
    assert found.slice is not None


@pytest.mark.usefixtures("heavy")
def test_a_slice_on_which_a_program_says_nothing_is_not_used(
    market: str, catalog: Catalog, contract: Contract
) -> None:
    found = [judged(NOBODY.format(n), market, catalog, contract) for n in range(107, 113)]
    assert {one.verdict for one in found} == {Verdict.PASS}
    assert None in {one.slice for one in found}  # of six firms at most four are on the slice


def test_light_tables_have_no_slice(market: str, catalog: Catalog, contract: Contract) -> None:
    assert judged(MOMENTUM, market, catalog, contract).slice is None

"""A witness is one row, whatever a family does: what is left out, moved past the cutoff, or put before it."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import TYPE_CHECKING

import pytest

from finassay.audit import Certificate, Verdict, replay_witness
from finassay.audit._subject import Runner

from .test_audit import ALERTED, LATEST, OPEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from finassay.audit._subject import Output
    from finassay.temporal import Catalog

Audited = Callable[..., Certificate]

LIVE = ALERTED.replace("AND STARTS <= DATE '2024-06-30'", "")
# program, requirement, the rows that are a proof alone, level
CASES = {
    "ends are forgotten": (OPEN.split("AND (ENDS")[0], "A3", {"0", "1", "2", "3"}, "L0"),
    "the first version": (LATEST.replace("DESC", "ASC"), "A3", {"100", "101", "102", "103", "104"}, "L0"),
    # The alert 10 to 14 were announced in July; nothing here is pending: the family moves the beginning of one
    "announced, but not in force": (LIVE, "A3", {str(n) for n in range(10)}, None),
    "what has no date is let in": (
        LATEST.replace(
            "PUBLISHED < DATE '2024-07-01'", "NOT COALESCE(PUBLISHED >= DATE '2024-07-01', FALSE)"
        ),
        "A1",
        {str(n) for n in (*range(100, 120), *range(200, 205), *range(300, 310))},
        None,
    ),
    "ends of today": (
        "SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND STARTS <= DATE '2024-06-30' AND ENDS IS NULL",
        "A2",
        {"5", "6", "7"},  # which ended in September
        "L0",
    ),
}


@pytest.mark.parametrize(("sql", "code", "rows", "level"), CASES.values(), ids=CASES)
def test_a_witness_is_one_row_and_its_replay_shows_it(
    audited: Audited, market: str, catalog: Catalog, sql: str, code: str, rows: set[str], level: str | None
) -> None:
    found = audited(sql)
    assert found.verdict is Verdict.FAIL
    number = next(n for n, witness in enumerate(found.witnesses) if witness.requirement == code)
    witness = found.witnesses[number]
    assert witness.row is not None, witness.family
    assert witness.row["ID"] in rows, witness.family
    assert level in (None, witness.level), witness.family
    again = replay_witness(found, number + 1, market, catalog)
    assert not again.refusals
    assert (list(again.missing), list(again.added)) == (witness.missing, witness.added)


def test_an_added_version_is_shown_with_the_row_that_it_is_a_version_of(audited: Audited) -> None:
    # Right on the data: no report on the second quarter has two versions
    found = audited(
        "SELECT FIRM, MIN(PROFIT) AS p FROM report "
        "WHERE PERIOD = DATE '2024-06-30' AND PUBLISHED <= DATE '2024-06-30' GROUP BY FIRM"
    )
    (witness,) = [one for one in found.witnesses if one.requirement == "A3"]
    assert witness.row is not None
    assert witness.altered is not None
    assert int(witness.row["ID"] or 0) in range(300, 310)
    assert witness.altered["ID"] not in (None, witness.row["ID"])
    assert f"here the row ID {witness.altered['ID']}, a version of ID {witness.row['ID']}" in witness.says


def test_halving_takes_few_runs(audited: Audited, monkeypatch: pytest.MonkeyPatch) -> None:
    from finassay.audit import _levels

    runs: list[int] = []
    plain = Runner.run

    def counted(
        self: Runner,
        overlays: Mapping[str, str] | None = None,
        sql: str | None = None,
        *,
        again: bool = False,
    ) -> Output:
        runs.append(1)
        return plain(self, overlays, sql, again=again)

    shrink, taken = _levels.shrunk, []

    def watched(*args: object, **more: object) -> object:
        runs.clear()
        found = shrink(*args, **more)  # type: ignore[arg-type]
        taken.append(len(runs))
        return found

    monkeypatch.setattr(Runner, "run", counted)
    monkeypatch.setattr(_levels, "shrunk", watched)
    audited(LATEST.replace("DESC", "ASC"))
    assert 0 < max(taken) <= 2 * log2(50) + 2

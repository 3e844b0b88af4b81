"""The audit on a world: a screen of listed companies without alerts, its reference, and what leaves something out."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.executor import open_executor
from finassay.temporal import Catalog, load_catalog, parse_contract
from finassay.world import WorldConfig, build_world

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)  # a hundred runs, on a busy machine

D, AFTER = "2023-10-31", "2023-11-01"
LISTED = f"""SELECT INNERCODE FROM (
    SELECT INNERCODE, CHANGETYPE,
      ROW_NUMBER() OVER (PARTITION BY INNERCODE ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS rn
    FROM lc_liststatus WHERE CHANGEDATE <= '{D}' AND INSERTTIME < '{AFTER}') s
  WHERE rn = 1 AND CHANGETYPE IN (1, 3, 6)"""
ALERTED = f"""SELECT INNERCODE FROM cs_riskalert
  WHERE IMPLANNOUCEDATE < '{AFTER}' AND IMPLEMENTDATE <= '{D}' AND (REMOVEDATE IS NULL OR REMOVEDATE > '{D}'
    OR REMOVEINFOPUBLDATE IS NULL OR REMOVEINFOPUBLDATE >= '{AFTER}')"""
SCREEN = f"SELECT INNERCODE FROM ({LISTED}) l WHERE INNERCODE NOT IN ({ALERTED})"
CONTRACT = f"""
contract: listed_without_alert
as_of: {{date: {D}}}
sources: [lc_liststatus, cs_riskalert]
recording_proxies: [lc_liststatus.INSERTTIME]
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("audited") / "world.duckdb"
    with open_executor("serial") as executor:
        build_world(WorldConfig(0.02, 4, date(2024, 3, 28), ("equities",)), f"duckdb:///{path}", executor)
    return f"duckdb:///{path}"


@pytest.fixture(scope="module")
def gildata() -> Catalog:
    return load_catalog("gildata")


def judged(world: str, catalog: Catalog, sql: str, *, impact: bool = False) -> Certificate:
    right = Submission("sql", sql_code=SCREEN, source="right.sql")
    subject = Subject(Submission("sql", sql_code=sql, source="screen.sql"), world)
    return audit(subject, catalog, parse_contract(CONTRACT), reference=right, impact=impact)


def test_the_screen_follows_its_reference(world: str, gildata: Catalog) -> None:
    found = judged(world, gildata, SCREEN)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert found.requirements["A4"] is Verdict.PASS  # type: ignore[index]
    assert found.reference is not None
    assert found.reference.differences == []


def test_alerts_left_out_are_an_omission(world: str, gildata: Catalog) -> None:
    found = judged(world, gildata, LISTED)
    assert {w.requirement.value for w in found.witnesses} == {"A4"}, certificate_text(found)
    assert found.witnesses[0].table == "cs_riskalert"
    assert found.witnesses[0].row is not None


def test_alerts_of_later_are_named_and_weighed(world: str, gildata: Catalog) -> None:
    leaking = SCREEN.replace(f"IMPLANNOUCEDATE < '{AFTER}' AND IMPLEMENTDATE <= '{D}' AND ", "")
    found = judged(world, gildata, leaking, impact=True)
    # An alert that begins after the date is a state that did not hold yet
    assert "A2" in {w.requirement.value for w in found.witnesses}, certificate_text(found)
    assert found.impact is not None
    [impact] = found.impact.outputs
    with duckdb.connect(world.removeprefix("duckdb:///"), read_only=True) as database:
        valid = {row[0] for row in database.execute(SCREEN).fetchall()}
        given = {row[0] for row in database.execute(leaking).fetchall()}
    assert valid - given, "the world has companies that are warned of after the date"
    assert (impact.added, impact.dropped) == (len(valid - given), 0)

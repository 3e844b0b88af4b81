"""What is taken away from the audit is really taken away: single rows, wrong entries of the catalog."""

from __future__ import annotations

from typing import Any

import pytest

from finassay.audit._ablation import saturation, seeds
from finassay.audit._ablation_catalog import FLIPS, flipped, flipped_verdict
from finassay.audit._ablation_events import EVENTS, single_events
from finassay.audit._measure import Job
from finassay.core import InputError
from finassay.execution import Submission
from finassay.temporal import Catalog, load_catalog, parse_contract

CONTRACT = parse_contract("contract: t\nas_of: {date: 2024-06-30}\nsources: [report]\n")
VALID = """SELECT FIRM, PROFIT FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC) AS n
  FROM report WHERE PERIOD = DATE '2024-03-31' AND PUBLISHED < DATE '2024-07-01') WHERE n = 1"""
LEAK = VALID.replace("AND PUBLISHED < DATE '2024-07-01'", "")
ONE_FIRM = LEAK.replace("WHERE n = 1", "WHERE n = 1 AND FIRM = 7")


def job(sql: str) -> Job:
    program = Submission("sql", sql_code=sql, source="p.sql")
    return Job("t/p.sql", program, "duckdb", CONTRACT, program, "duckdb", "the same data")


def test_one_row_shows_less_than_all_rows(market: str, catalog: Catalog) -> None:
    valid = single_events(job(VALID), url=market, catalog=catalog, seed=1)
    assert valid is not None
    assert not valid.saturated
    assert valid.seeds == (False,) * EVENTS
    rare = single_events(job(ONE_FIRM), url=market, catalog=catalog, seed=1)
    assert rare is not None
    assert rare.saturated
    assert len(rare.seeds) == EVENTS
    assert not all(rare.seeds)  # one of twenty firms: most rows show nothing
    assert rare == single_events(job(ONE_FIRM), url=market, catalog=catalog, seed=1)


def test_a_program_that_fails_is_left_out(market: str, catalog: Catalog) -> None:
    assert single_events(job("SELECT NOTHING FROM report"), url=market, catalog=catalog, seed=1) is None


@pytest.mark.parametrize("flip", FLIPS)
def test_each_wrong_entry_can_be_made_and_changes_one_table(flip: str) -> None:
    catalog = load_catalog("gildata")
    made = 0
    for name in ("cs_riskalert", "lc_exgindustry", "lc_maindatanew", "mf_fundmanagernew", "qt_dailyquote"):
        try:
            wrong = flipped(catalog, name, flip)
        except InputError:
            continue  # the reader of catalogs refuses it: the best that can become of a wrong entry
        if wrong is None:
            continue
        made += 1
        differs = [table for table in catalog.tables if wrong.tables[table] != catalog.tables[table]]
        assert differs == [name]
    assert made


def test_a_wrong_time_makes_a_wrong_verdict_and_a_missing_one_unknown(market: str, catalog: Catalog) -> None:
    def verdict(flip: str, sql: str) -> str:
        return flipped_verdict((job(sql), flip, "report"), url=market, catalog=catalog)

    assert verdict("availability missing", VALID) == "UNKNOWN"
    assert (
        verdict("known at any date", LEAK) == "PASS"
    )  # what was always known cannot leak: it hides the violation
    assert verdict("a lag of 30 days too much", VALID) == "FAIL"  # what was out in June counts as unknown
    assert verdict("end missing", VALID) == "not applicable"


def test_nothing_to_try_is_no_figure(bench_of_nothing: Any) -> None:
    assert saturation([], bench_of_nothing)["saturation"]["one event"] is None
    assert seeds([], bench_of_nothing)["seeds"]["programs"] == 0


@pytest.fixture
def bench_of_nothing(market: str, catalog: Catalog, tmp_path: Any) -> Any:
    from finassay.audit._ablation import Bench
    from finassay.executor import ResultCache, open_executor

    with open_executor("serial") as workers:
        yield Bench(market, catalog, "data", workers, ResultCache(tmp_path), 1)

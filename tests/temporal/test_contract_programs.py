"""A program makes a date sure only where it bounds, and names, in a way that holds for all it reads."""

from __future__ import annotations

import functools

import pytest

from finassay.temporal import Catalog, load_catalog, propose_contract

READS = "SELECT SECUCODE FROM lc_maindatanew WHERE "
BOUND = "INFOPUBLDATE <= '2024-06-28'"
PRICES = "SELECT 1 FROM lc_maindatanew r JOIN qt_dailyquote q ON q.INNERCODE = r.COMPANYCODE "


@functools.cache
def gildata() -> Catalog:
    return load_catalog("gildata")


def mark_of(kind: str, program: str, field: str = "as_of.date") -> str | None:
    contract = propose_contract([(kind, program)], catalog=gildata())  # type: ignore[list-item]
    return {mark.field: mark.mark for mark in contract.marks}.get(field)


@pytest.mark.parametrize(
    "sql",
    [
        READS + BOUND,
        READS + "'2024-06-28' >= INFOPUBLDATE",
        READS + "INFOPUBLDATE BETWEEN '2023-01-01' AND '2024-06-28'",
        READS + "INFOPUBLDATE <= DATE '2024-06-28'",
        READS + f"(MARK = 1 OR MARK = 2) AND ({BOUND} AND ENDDATE = '2023-12-31')",
        f"WITH r AS ({READS}{BOUND}) SELECT * FROM r",
        f"{READS}{BOUND} UNION ALL {READS}{BOUND}",
        f"{READS}{BOUND} AND COMPANYCODE IN (SELECT COMPANYCODE FROM lc_maindatanew WHERE {BOUND})",
        PRICES + "WHERE r.INFOPUBLDATE <= '2024-06-28' AND q.TRADINGDAY <= '2024-06-28'",
        PRICES + "AND q.TRADINGDAY = '2024-06-28' WHERE r.INFOPUBLDATE <= '2024-06-28'",
        PRICES.replace("JOIN", "LEFT JOIN")
        + "AND q.TRADINGDAY = '2024-06-28' WHERE r.INFOPUBLDATE <= '2024-06-28'",
        "CREATE TABLE t AS " + READS + BOUND,
    ],
)
def test_a_bound_that_holds_for_every_row_is_sure(sql: str) -> None:
    assert mark_of("sql", sql) == "sure"


@pytest.mark.parametrize(
    "sql",
    [
        READS + f"NOT ({BOUND})",
        READS + f"{BOUND} OR MARK = 1",
        READS + f"{BOUND} XOR MARK = 1",
        READS + f"({BOUND}) IS FALSE",
        READS + f"({BOUND}) = 0",
        READS + f"CASE WHEN {BOUND} THEN 0 ELSE 1 END = 1",
        READS + f"IF({BOUND}, 0, 1) = 1",
        READS + "INFOPUBLDATE NOT BETWEEN '2023-01-01' AND '2024-06-28'",
        READS + "DATE_ADD(INFOPUBLDATE, INTERVAL 3 DAY) <= '2024-06-28'",
        READS + "IFNULL(INFOPUBLDATE, '2020-01-01') <= '2024-06-28'",
        READS + "INFOPUBLDATE <= '2024-06-28 00:00:00'",
        READS + f"{BOUND} AND ENDDATE = '2024-09-30'",
        READS + f"INFOPUBLDATE = (SELECT MAX(INFOPUBLDATE) FROM lc_maindatanew WHERE {BOUND})",
        f"{READS}{BOUND} UNION ALL SELECT SECUCODE FROM lc_maindatanew WHERE MARK = 1",
        f"{READS}{BOUND} AND EXISTS (SELECT 1 FROM lc_dividend d WHERE d.INNERCODE = 1)",
        f"WITH lc_maindatanew AS (SELECT * FROM lc_maindatanew) {READS}{BOUND}",
        f"{READS}{BOUND}; SELECT * FROM lc_maindatanew",
        f"{READS}{BOUND} UNION ALL SELECT x FROM a_table_of_nobody",
        f"SELECT SUM(CASE WHEN {BOUND} THEN 1 END) FROM lc_maindatanew",
        "SELECT SECUCODE FROM lc_maindatanew GROUP BY SECUCODE HAVING MAX(INFOPUBLDATE) <= '2024-06-28'",
        PRICES + "WHERE r.INFOPUBLDATE <= '2024-06-28'",
        PRICES.replace("JOIN", "LEFT JOIN")
        + "AND r.INFOPUBLDATE <= '2024-06-28' WHERE q.TRADINGDAY <= '2024-06-28'",
    ],
)
def test_a_bound_that_does_not_hold_for_every_row_must_be_confirmed(sql: str) -> None:
    assert mark_of("sql", sql) == "confirm"


def test_a_second_program_without_a_bound_casts_doubt_on_the_first() -> None:
    sources = [("sql", READS + BOUND), ("python", 'run("SELECT * FROM lc_maindatanew")')]
    contract = propose_contract(sources, catalog=gildata())  # type: ignore[arg-type]
    [mark] = [mark for mark in contract.marks if mark.field == "as_of.date"]
    assert mark.mark == "confirm"
    assert "lc_maindatanew is read without a plain bound" in mark.because


DATES = "rebalance_dates = ['2024-01-31', '2024-02-29']\n"


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        (DATES, "sure"),
        (DATES + "for d in rebalance_dates:\n    run(d)", "sure"),
        (DATES + "for d in pd.to_datetime(rebalance_dates):\n    run(d)", "sure"),
        (DATES + "held = [run(d) for d in rebalance_dates]", "sure"),
        (DATES + "print(len(rebalance_dates))", "sure"),
        (DATES + "rebalance_dates = rebalance_dates[1:]", "confirm"),
        (DATES + "for d in rebalance_dates[1:]:\n    run(d)", "confirm"),
        (DATES + "run(rebalance_dates[-1])", "confirm"),
        (DATES + "rebalance_dates.append('2024-03-29')", "confirm"),
        (DATES + "rebalance_dates += ['2024-03-29']", "confirm"),
        (DATES + "rebalance_dates[0] = '2024-03-29'", "confirm"),
        (DATES + "for d in rebalance_dates:\n    if skip(d):\n        continue\n    run(d)", "confirm"),
        (DATES + "for d in rebalance_dates:\n    if d > '2024-02':\n        run(d)", "confirm"),
        (DATES + "held = [run(d) for d in rebalance_dates if d > '2024-02']", "confirm"),
        (DATES + "run(rebalance_dates)", "confirm"),
        (DATES + "observation_dates = ['2024-03-29', '2024-04-30']", "confirm"),
        ("if live:\n    " + DATES, "confirm"),
    ],
)
def test_a_list_of_dates_is_sure_where_it_is_bound_once_and_gone_through(code: str, mark: str) -> None:
    assert mark_of("python", code, "decisions.dates") == mark


AS_OF = "AS_OF = '2024-06-28'\n"


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        (AS_OF, "sure"),
        (AS_OF + "if __name__ == '__main__':\n    run(AS_OF)", "sure"),
        (AS_OF + "def run(as_of):\n    ...\nrun(AS_OF)", "sure"),
        (AS_OF + "as_of_day = pd.Timestamp(AS_OF)", "sure"),
        (AS_OF + "start = AS_OF - timedelta(days=365)", "sure"),
        ("def run(as_of='2024-06-28'):\n    ...\nrun()", "sure"),
        ("def run(as_of='2024-06-28'):\n    ...\nrun('2023-01-01')", "confirm"),
        ("def run(as_of='2024-06-28'):\n    ...\nrun(as_of=today)", "confirm"),
        ("def run(as_of='2024-06-28'):\n    ...\nrun(**options)", "confirm"),
        ("def run(as_of='2024-06-28'):\n    ...\nmap(run, days)", "confirm"),
        ("def run(as_of='2024-06-28'):\n    ...", "confirm"),  # who calls it is not said
        (AS_OF + "def run(as_of):\n    ...\nrun('2024-03-01')", "confirm"),
        (AS_OF + "AS_OF = sys.argv[1]", "confirm"),
        (AS_OF + "if live:\n    AS_OF = today()", "confirm"),
        (AS_OF + "AS_OF -= BDay(1)", "confirm"),
        (AS_OF + "cutoff = AS_OF - BDay(3)", "confirm"),
        (AS_OF + "run(AS_OF - BDay(1))", "confirm"),
        (AS_OF + "for AS_OF in days:\n    run(AS_OF)", "confirm"),
        (AS_OF + "END = '2024-12-31'", "confirm"),
        ("as_of = '2024-06-28'\noptions['as_of'] = sys.argv[1]", "confirm"),
        ("if live:\n    " + AS_OF, "confirm"),
    ],
)
def test_a_date_under_a_name_is_sure_where_the_name_keeps_it(code: str, mark: str) -> None:
    assert mark_of("python", code) == mark


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        (f'run("{READS}{BOUND}")', "sure"),
        (f"{AS_OF}run(f\"{READS}INFOPUBLDATE <= '{{AS_OF}}'\")", "sure"),
        (f'run("{READS}{BOUND}")\nrun("{READS}INFOPUBLDATE <= %s", day)', "sure"),
        (f'run("{READS}{BOUND}" + more)', "confirm"),
        (f'query = "{READS}{BOUND}"\nrun(query + more)', "confirm"),
        (f'query = "{READS}{BOUND}"\nquery += " OR MARK = 1"', "confirm"),
        (f'run("{READS}{BOUND}".replace("<=", ">"))', "confirm"),
        (f'run(f"{READS}{BOUND} AND {{more}}")', "confirm"),
        (f'run("{READS}{BOUND}")\nrun("SELECT * FROM lc_maindatanew")', "confirm"),
    ],
)
def test_sql_in_a_program_is_sure_where_it_is_used_as_it_stands(code: str, mark: str) -> None:
    assert mark_of("python", code) == mark

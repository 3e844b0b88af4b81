"""Time that is over decides nothing: the audit is UNKNOWN, in a word of its own, and says how to give more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from finassay.audit import Subject, Verdict, audit, certificate_text, replay
from finassay.cli import app
from finassay.execution import Submission
from finassay.temporal import Catalog, Contract, catalog_yaml

if TYPE_CHECKING:
    from finassay.audit import Certificate

SECONDS = 3.0
# Where a row of the 240 is gone, some 10^10 rows are counted.
FEWER = "(SELECT * FROM price WHERE (SELECT COUNT(*) FROM price) < 240)"
PRODUCT = (
    f"SELECT COUNT(*) FROM {FEWER} a, price b, price c, price d, price e "
    "WHERE a.CLOSE * b.CLOSE < c.CLOSE * d.CLOSE + e.CLOSE"
)
KNOWN = "FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
SLOW_ELSEWHERE = f"SELECT FIRM, MAX(CLOSE) + 0 * ({PRODUCT}) AS TOP {KNOWN}"
ALWAYS_SLOW = SLOW_ELSEWHERE.replace("< 240", "<= 240")
READ = "from db_connector import query_to_dataframe as q\n"
PYTHON = {
    "it sleeps": READ
    + "import time\nif q('SELECT COUNT(*) AS n FROM price').n[0] < 240: time.sleep(60)\n"
    + f'result = q("SELECT FIRM, MAX(CLOSE) AS TOP {KNOWN}")',
    "it goes on without the rows": READ
    + f'try: late = q("{PRODUCT}").shape[0]\nexcept Exception: late = 2\n'
    + f'result = q(f"SELECT FIRM, MAX(CLOSE) + {{late}} AS TOP {KNOWN}")',
}


def judged(market: str, catalog: Catalog, contract: Contract, program: Submission) -> Certificate:
    return audit(Subject(program, market).within(SECONDS), catalog, contract)


def told(found: Certificate) -> None:
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["time_limit"]), certificate_text(found)
    assert "--timeout" in found.notes[-1]


def test_over_the_unaltered_data(market: str, catalog: Catalog, contract: Contract) -> None:
    found = judged(market, catalog, contract, Submission("sql", sql_code=ALWAYS_SLOW, source="study"))
    told(found)
    assert "time of the program was over" in replay(found, market, catalog).refusals[0]


def test_over_altered_data_alone(market: str, catalog: Catalog, contract: Contract) -> None:
    found = judged(market, catalog, contract, Submission("sql", sql_code=SLOW_ELSEWHERE, source="study"))
    told(found)
    assert found.tried.crashed


@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
def test_of_python(market: str, catalog: Catalog, contract: Contract, code: str) -> None:
    told(judged(market, catalog, contract, Submission("python", python_code=code, source="study")))


def test_more_and_less_time_of_the_command(market: str, catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    programs = tmp_path / "research"
    programs.mkdir()
    (programs / "study.sql").write_text(ALWAYS_SLOW, encoding="utf-8")
    options = [
        "--db",
        market,
        "--as-of",
        "2024-06-30",
        "--catalog",
        str(tmp_path / "own.yaml"),
        "--timeout",
        "0.5",
    ]
    for words in ([str(programs / "study.sql")], [str(programs), "--executor", "serial"]):
        shown = CliRunner(env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).invoke(
            app, ["audit", *words, *options]
        )
        assert shown.exit_code == 3, shown.output
        assert "time_limit" in shown.output or "0.5 seconds" in shown.output, shown.output

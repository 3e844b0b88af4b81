"""The mark ``pit`` and the fixture of its name, in a test session of their own."""

from __future__ import annotations

import importlib
import json

import pytest
from typer.testing import CliRunner

from finassay.audit import certificate_text, read_certificate
from finassay.cli import app

pytest_plugins = ["pytester"]

# Sessions run in this process, and forget at their end what they imported: what bears no second import comes first.
for name in (
    "pandas",
    "duckdb",
    "pyarrow.parquet",
    "scipy.stats",
    "finassay.audit",
    "finassay.integrations._function",
):
    importlib.import_module(name)

STUDIES = r'''
import pandas as pd

def latest(connection):
    """The newest report of each firm that was out by the end of 2024-06-30."""
    return pd.read_sql("""SELECT FIRM, PROFIT FROM (SELECT *, ROW_NUMBER() OVER
        (PARTITION BY FIRM ORDER BY PERIOD DESC, PUBLISHED DESC, ID DESC) r FROM report
        WHERE PUBLISHED < DATE '2024-07-01') WHERE r = 1 ORDER BY FIRM""", connection)


def by_period(con):
    return con.execute("SELECT FIRM, PROFIT FROM report WHERE PERIOD = ?", ["2024-06-30"]).df()

def from_frames(report, top=3):
    known = report[report["PUBLISHED"] < pd.Timestamp("2024-07-01")]
    known = known.sort_values(["FIRM", "PERIOD", "PUBLISHED", "ID"]).groupby("FIRM").tail(1)
    return known.nlargest(top, "PROFIT")[["FIRM", "PROFIT"]]

def with_outcome(connection, price):
    picked = latest(connection).nlargest(3, "PROFIT")
    last = price.sort_values("DAY").groupby("FIRM")["CLOSE"].last().rename("LATER")
    return picked.join(last, on="FIRM")

def nothing(connection):
    connection.execute("SELECT 1")

def two(connection, other):
    return 1
'''


@pytest.fixture
def session(pytester: pytest.Pytester, market, catalog_file):
    """Run test functions in a project whose ini-file names the market."""
    pytester.makeini(f"[pytest]\npit_db = {market}\npit_catalog = {catalog_file}\n")
    pytester.makepyfile(studies=STUDIES)

    def run(tests: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_studies=f"import pytest\nfrom studies import *\n{tests}")
        return pytester.runpytest_inprocess("-q", *options)

    return run


MARK = '@pytest.mark.pit(as_of="2024-06-30")\n'


def test_valid_functions_pass(session):
    found = session(
        f"{MARK}def test_latest(pit):\n    assert pit.check(latest).power.noticed\n"
        f"{MARK}def test_frames(pit):\n    pit.check(from_frames)\n"
    )
    found.assert_outcomes(passed=2)


def test_a_violation_fails_with_its_witness(session):
    found = session(f"{MARK}def test_period(pit):\n    pit.check(by_period)\n")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["FAIL  studies.by_period", "*A1 disclosure*FAIL*", "*A1 report, as of 2024-06-30*"]
    )


def test_the_date_and_its_boundary_decide(session):
    """Reports came out on 2024-06-30, which `latest` uses: not known before that day's open, nor a day earlier."""
    body = "def test_{0}(pit):\n    assert pit.audit(latest).requirements['A1'] == 'FAIL'\n"
    early = '@pytest.mark.pit(as_of="2024-06-29")\n' + body.format("early")
    before = '@pytest.mark.pit(as_of="2024-06-30", boundary="pre")\n' + body.format("before")
    session(early + before).assert_outcomes(passed=2)


def test_labels_may_know_what_came_after(session):
    body = "def test_outcome(pit):\n    assert (pit.audit(with_outcome).verdict == 'FAIL') is {}\n"
    labelled = '@pytest.mark.pit(as_of="2024-06-30", labels=["LATER"])\n'
    session(labelled + body.format(False)).assert_outcomes(passed=1)
    session(MARK + body.format(True)).assert_outcomes(passed=1)


@pytest.mark.jail
def test_a_file_runs_in_the_jail(session, pytester):
    pytester.makefile(".sql", by_period="SELECT FIRM, PROFIT FROM report WHERE PERIOD = DATE '2024-06-30'")
    pytester.makefile(
        ".py",
        ranks="from db_connector import query_to_dataframe\n"
        "prices = query_to_dataframe(\"SELECT * FROM price WHERE DAY <= DATE '2024-06-30'\")\n"
        "result = prices.groupby('FIRM', as_index=False).CLOSE.max()\n",
    )
    found = session(
        f'{MARK}def test_sql(pit):\n    assert pit.audit("by_period.sql").verdict == "FAIL"\n'
        f'{MARK}def test_python(pit):\n    pit.check("ranks.py")\n'
    )
    found.assert_outcomes(passed=2)


def test_a_contract_in_place_of_a_date(session, pytester):
    (pytester.path / "task.yaml").write_text("contract: t\nas_of: {date: 2024-06-30}\nsources: [alert]\n")
    found = session('@pytest.mark.pit(contract="task.yaml")\ndef test_latest(pit):\n    pit.check(latest)\n')
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["UNKNOWN*", "*does not read alert, which the contract requires*"])


def test_certificates_are_left(session, pytester):
    session(
        f"{MARK}def test_frames(pit):\n    pit.check(from_frames)\n", "--pit-certificates=kept"
    ).assert_outcomes(passed=1)
    [path] = (pytester.path / "kept").iterdir()
    assert json.loads(path.read_text(encoding="utf-8"))["verdict"] == "PASS"


@pytest.mark.parametrize(
    ("test", "says"),
    [
        (f"{MARK}def test_x():\n    pass\n", "*does not take the fixture pit*"),
        ('@pytest.mark.pit("2024-06-30")\ndef test_x(pit):\n    pit.check(latest)\n', "*pit takes keywords*"),
        (
            '@pytest.mark.pit(asof="2024-06-30")\ndef test_x(pit):\n    pit.check(latest)\n',
            "*was given asof*",
        ),
    ],
)
def test_a_mark_that_would_do_nothing_stops_the_session(session, test, says):
    found = session(test)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines([says])


def test_what_would_audit_nothing_fails(session):
    """Each of these tests for a reason of its own, said in a line."""
    no_data = '@pytest.mark.pit(as_of="2024-06-30", db="duckdb:///gone.duckdb")\n'
    found = session(
        "def test_unmarked(pit):\n    pass\n"
        f"{MARK}def test_idle(pit):\n    pass\n"
        "@pytest.mark.pit()\ndef test_no_date(pit):\n    pit.check(latest)\n"
        '@pytest.mark.pit(as_of="soon")\ndef test_bad_date(pit):\n    pit.check(latest)\n'
        f"{MARK}def test_no_result(pit):\n    pit.check(nothing)\n"
        f"{MARK}def test_two(pit):\n    pit.check(two)\n"
        f'{MARK}def test_no_file(pit):\n    pit.check("gone.sql")\n'
        f"{no_data}def test_no_data(pit):\n    pit.check(latest)\n",
        "--tb=line",
    )
    found.assert_outcomes(failed=7, errors=1)
    for says in (
        "*is not marked: @pytest.mark.pit(as_of=*",
        "*audited nothing: call pit.check*",
        "*The mark gives no date*",
        "*as_of is a date such as*'soon'*",
        "*returned NoneType, which is no result*",
        "*two has connection and other, which name no table*",
        "*gone.sql*",
        "*gone.duckdb*",
    ):
        found.stdout.fnmatch_lines([says])


def test_a_session_without_marks_loads_nothing(pytester):
    pytester.makepyfile(
        "import sys\ndef test_x():\n"
        "    assert not [m for m in ('pandas', 'duckdb', 'finassay.audit') if m in sys.modules]\n"
    )
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=1)


def test_a_function_is_not_replayed_from_its_certificate_and_that_is_said(session, pytester, catalog_file):
    found = session(
        f"{MARK}def test_far(pit):\n    assert pit.audit(by_period).verdict == 'FAIL'\n",
        "--pit-certificates=kept",
    )
    found.assert_outcomes(passed=1)
    path = next((pytester.path / "kept").iterdir())
    said = json.loads(path.read_text())
    assert said["subject"]["function"]
    assert [witness["replay"] for witness in said["witnesses"]] == [""] * len(said["witnesses"])
    assert "no replay: a function is shown again by calling it" in certificate_text(
        read_certificate(path.read_text())
    )
    for more in ([], ["--witness", "1"]):
        shown = CliRunner().invoke(app, ["verify", str(path), "--catalog", str(catalog_file), *more])
        assert shown.exit_code == 1
        assert "It is of the function studies.by_period, which was called where it lives" in shown.output
        assert "disagrees" not in shown.output

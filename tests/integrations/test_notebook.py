"""``%%pit`` in IPython's own shell."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

VALID = "SELECT FIRM, MAX(CLOSE) AS TOP FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
LEAK = "SELECT FIRM, PROFIT FROM report WHERE PERIOD = DATE '2024-06-30'"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    found = InteractiveShell.instance()
    found.history_manager.enabled = False
    found.run_cell("%load_ext finassay.integrations.notebook", store_history=True)
    yield found
    InteractiveShell.clear_instance()


@pytest.fixture
def run(shell, market, catalog_file):
    def cell(text: str, line: str = "2024-06-30", where: str | None = None):
        where = f"--db {market} --catalog {catalog_file}" if where is None else where
        return shell.run_cell(f"%%pit {line} {where}\n{text}", store_history=True).result

    return cell


def test_a_statement_is_audited(run):
    assert run(VALID).certificate.verdict == "PASS"
    shown = run(LEAK)
    assert "A1 report, as of 2024-06-30" in repr(shown)


@pytest.mark.jail
def test_a_cell_is_run_and_audited_with_what_it_needs(run, shell, market):
    shell.run_cell("import duckdb\nDAY = '2024-06-30'\ndef double(x):\n    return 2 * x", store_history=True)
    shell.run_cell(
        f"con = duckdb.connect('{market.removeprefix('duckdb:///')}', read_only=True)", store_history=True
    )
    found = run("""prices = con.execute(f"SELECT * FROM price WHERE DAY <= DATE '{DAY}'").df()
top = prices.groupby("FIRM", as_index=False).CLOSE.max()
top.assign(CLOSE=double(top.CLOSE))""")
    assert found.certificate.verdict == "PASS", repr(found)
    assert "def double" in found.certificate.subject.python_code
    assert len(shell.user_ns["top"]) == 20


def test_the_database_and_the_catalog_are_remembered(run, market, catalog_file):
    assert (
        run(VALID, where=f"--db {market}").certificate.verdict == "UNKNOWN"
    )  # not a table of the shipped catalog
    assert run(VALID, where=f"--catalog {catalog_file}").certificate.verdict == "PASS"
    assert run(VALID, where="").certificate.verdict == "PASS"


def test_labels_and_boundary(run):
    known = "SELECT DISTINCT FIRM FROM price WHERE DAY <= DATE '2024-06-30'"
    text = f"SELECT FIRM, MAX(CLOSE) AS LATER FROM price WHERE FIRM IN ({known}) GROUP BY FIRM"
    assert run(text).certificate.verdict == "FAIL"
    assert run(text, "2024-06-30 --label LATER").certificate.requirements["A1"] != "FAIL"
    assert run(VALID, "2024-06-30 --boundary pre").certificate.verdict == "FAIL"


def test_the_page_is_framed_and_escaped(run):
    page = run(
        "SELECT FIRM, '</iframe><script>x</script>' AS T, PROFIT FROM report WHERE PERIOD = DATE '2024-06-30'"
    )._repr_html_()
    assert page.startswith('<iframe sandbox="" ')
    assert "<script" not in page
    assert page.count("</iframe>") == 1


@pytest.mark.parametrize(
    ("line", "where", "says"),
    [
        ("", None, "takes a date, or a contract"),
        ("2024-13-01", None, "month must be in 1..12"),
        ("2024-06-30 --boundry pre", None, "unrecognized arguments"),
        ("2024-06-30", "", "no database to audit over"),
        ("2024-06-30", "--db duckdb:///gone.duckdb", "gone.duckdb"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run, capsys, line, where, says):
    assert run(VALID, line, where) is None
    out = capsys.readouterr().out
    assert says in out
    assert "Traceback" not in out
    assert out.count("%%pit DATE [--db URL]") == (1 if where is None else 0)  # the usage, once


def test_a_cell_that_fails_is_not_audited(run, capsys):
    assert run("1 / 0") is None
    assert "ZeroDivisionError" in capsys.readouterr().out

"""Programs and contracts that cannot be judged: each is told in a word of its own, and none passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finassay.audit import Certificate, Verdict, certificate_text
from finassay.core import InputError

Audited = Callable[..., Certificate]
READ = 'from db_connector import query_to_dataframe\nd = query_to_dataframe("SELECT * FROM report")\n'
KNOWN = READ + "from datetime import date\nd = d[d.PUBLISHED < date(2024, 7, 1)]\n"


def told(found: Certificate, reason: str) -> None:
    assert (found.verdict, reason in found.reasons) == (Verdict.UNKNOWN, True), certificate_text(found)
    assert Verdict.PASS not in found.requirements.values()


SQL = {
    "no catalog for a table": ("SELECT X FROM stranger", "table_not_catalogued"),
    "asks for a catalog of the engine": (
        "SELECT estimated_size FROM duckdb_tables()",
        "table_not_catalogued",
    ),
    "writes": ("DELETE FROM report", "program_writes"),
    "makes a table": ("CREATE TABLE mine AS SELECT * FROM report", "program_writes"),
    "reads a file": ("SELECT * FROM read_csv('/tmp/cache.csv')", "reads_file"),
    "fails": ("SELECT NOTHING FROM report", "program_failed"),
}


@pytest.mark.parametrize(("sql", "reason"), SQL.values(), ids=SQL)
def test_of_sql(audited: Audited, sql: str, reason: str) -> None:
    found = audited(sql)
    told(found, reason)
    assert found.reasons == [reason]


def test_the_table_without_a_catalog_is_named(audited: Audited) -> None:
    both = audited("SELECT FIRM, CLOSE FROM price, stranger WHERE DAY <= DATE '2024-06-30'")
    told(both, "table_not_catalogued")
    assert "stranger" in " ".join(both.notes)


PYTHON = {
    "writes": (READ + 'query_to_dataframe("DELETE FROM report")\nresult = d', "program_writes"),
    "writes, and goes on without": (
        READ + "try:\n    query_to_dataframe('CREATE TABLE mine AS SELECT * FROM report')\n"
        "except Exception:\n    pass\nresult = d",
        "program_writes",
    ),
    "needs the network": (
        READ + "import urllib.request\nurllib.request.urlopen('https://example.org/rates.csv')\nresult = d",
        "needs_network",
    ),
    "reads a cache that is not there": (
        READ + "import pandas as pd\nresult = pd.read_pickle('cache/answer.pkl')",
        "reads_file",
    ),
    "answers from a cache of its own": (
        READ + "import pandas as pd\nresult = pd.DataFrame({'FIRM': [1, 2], 'PROFIT': [11, 21]})",
        "unresponsive",
    ),
    "prints": (KNOWN + "print(d)", "no_output"),
    # 35 reports were known, with 1920 + 115 of the first quarter and 1195 of the second; all 50 have 7290
    "crashes on scenarios only": (
        KNOWN + "assert len(d) == 35, 'other rows'\nassert d.PROFIT.sum() == 3230, 'other values'\n"
        "a = query_to_dataframe('SELECT COUNT(*) AS n, SUM(PROFIT) AS s FROM report')\n"
        "assert (a.n[0], float(a.s[0])) == (50, 7290.0), 'another total'\n"
        "result = d[['FIRM', 'PROFIT']]",
        "crashes",
    ),
}


@pytest.mark.jail
@pytest.mark.parametrize(("python", "reason"), PYTHON.values(), ids=PYTHON)
def test_of_python(audited: Audited, python: str, reason: str) -> None:
    told(audited(python=python), reason)


CONTRADICTIONS = {
    "a recording time that is none": ("recording_proxies: [report.PROFIT]", "no recording time"),
    "a column that is not there": ("recording_proxies: [report.RECORDED]", "no column report.RECORDED"),
    "a rule of versions for what has none": ("version_of: {price: first}", "has no versions"),
    "a history of nothing": ("history: [reports]", "no table reports"),
    "a life that is a measure": ("life: {table: report, from: PROFIT}", "no date of a life"),
}


@pytest.mark.parametrize(("contract", "why"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contract_that_contradicts_the_catalog_is_bad_input(
    audited: Audited, contract: str, why: str
) -> None:
    with pytest.raises(InputError, match=why) as found:
        audited("SELECT FIRM FROM report", contract=contract)
    assert found.value.reason == "contract_contradicts_catalog"
    assert int(found.value.exit_code) == 2


def test_a_source_that_the_database_lacks_is_bad_input(audited: Audited) -> None:
    with pytest.raises(InputError) as found:
        audited("SELECT FIRM FROM report", contract="sources: [reports]")
    assert found.value.reason == "source_missing"
    assert found.value.hint == "Is it report? `finassay db info URL` lists all."


def test_a_label_that_no_output_has_is_told(audited: Audited) -> None:
    sql = "SELECT FIRM, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
    found = audited(sql, contract="labels: [ret]")
    assert found.warnings == ["The contract's label ret is no column of the output."]
    assert found.label is None, "nothing was judged that the warning says is not there"


MEAN = """from db_connector import query_to_dataframe
d = query_to_dataframe("SELECT FIRM, CLOSE FROM price WHERE DAY <= DATE '2024-06-30'")
result = d.groupby("FIRM", as_index=False)["CLOSE"].mean().sort_values("FIRM")
"""
CAUGHT = {
    "the network": (
        MEAN
        + "import urllib.request\ntry:\n    urllib.request.urlopen('http://rates.example.org/x', timeout=1)\n"
        "except OSError:\n    pass\n",
        "needs_network",
        "rates.example.org",
    ),
    "the network, where rows are missing": (
        MEAN + "import socket\nif len(query_to_dataframe('SELECT FIRM FROM price')) != 240:\n    try:\n"
        "        socket.create_connection(('192.0.2.7', 80), 1)\n    except OSError:\n        pass\n",
        "needs_network",
        "192.0.2.7",
    ),
    "DuckDB's own network": (
        MEAN
        + "import duckdb\ntry:\n    duckdb.sql(\"FROM read_csv('https://rates.example.org/x.csv')\").df()\n"
        "except duckdb.Error:\n    pass\n",
        "needs_network",
        "rates.example.org",
    ),
    "a refused statement": (
        MEAN
        + "try:\n    query_to_dataframe(\"SELECT * FROM 'cache.parquet'\")\nexcept Exception:\n    pass\n",
        "reads_file",
        "cache.parquet",
    ),
    "a cache, if there is one": (
        "import os, pickle\nif os.path.exists('cache.pkl'):\n"
        "    result = pickle.load(open('cache.pkl', 'rb'))\nelse:\n    "
        + MEAN.strip().replace("\n", "\n    "),
        "reads_file",
        "cache.pkl",
    ),
}


@pytest.mark.jail
@pytest.mark.parametrize(("python", "reason", "what"), CAUGHT.values(), ids=CAUGHT)
def test_what_is_tried_and_caught_is_told(audited: Audited, python: str, reason: str, what: str) -> None:
    found = audited(python=python)
    told(found, reason)
    assert what in " ".join(found.notes)


@pytest.mark.jail
def test_a_file_of_its_own_is_no_cache(audited: Audited) -> None:
    more = (
        "import pandas as pd\nresult.to_csv('mine.csv', index=False)\nassert len(pd.read_csv('mine.csv'))\n"
    )
    found = audited(python=MEAN + more)
    assert found.verdict is Verdict.PASS, certificate_text(found)

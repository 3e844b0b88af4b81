"""An answer must be the same each time: run twice, over rows stored in another order, and as it was recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.cli import app
from finassay.core import InputError
from finassay.execution import Submission
from finassay.integrations._function import function_subject
from finassay.temporal import Catalog, Contract, catalog_yaml

Audited = Callable[..., Certificate]
KNOWN = "STARTS <= DATE '2024-06-30' AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')"
BY_ORDER = {
    "a limit without an order": f"SELECT FIRM, NAME FROM industry WHERE {KNOWN} LIMIT 3",
    "a limit with ties": f"SELECT FIRM, NAME FROM industry WHERE {KNOWN} ORDER BY NAME LIMIT 3",
    "a rank with ties": f"""SELECT FIRM FROM (
      SELECT *, ROW_NUMBER() OVER (ORDER BY STARTS) AS n FROM industry WHERE {KNOWN}) WHERE n <= 3""",
    "the first that comes": f"SELECT NAME, first(FIRM) AS f FROM industry WHERE {KNOWN} GROUP BY NAME",
}


@pytest.mark.parametrize("sql", BY_ORDER.values(), ids=BY_ORDER)
def test_an_answer_by_the_order_of_storage_is_unknown(audited: Audited, sql: str) -> None:
    found = audited(sql)
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["nondeterministic"]), certificate_text(found)
    assert "order in which rows are stored" in found.notes[0]


def test_a_full_order_is_enough(audited: Audited) -> None:
    found = audited(f"SELECT FIRM, NAME FROM industry WHERE {KNOWN} ORDER BY NAME, FIRM LIMIT 3")
    assert "nondeterministic" not in found.reasons, certificate_text(found)


@pytest.mark.jail
def test_of_python_too(audited: Audited) -> None:
    sql = "SELECT * FROM price WHERE DAY <= DATE '2024-06-30'"
    code = f'from db_connector import query_to_dataframe\nresult = query_to_dataframe("{sql}").head(3)'
    assert audited(python=code).reasons == ["nondeterministic"]


def test_a_difference_that_is_not_there_again_is_no_violation(
    market: str, catalog: Catalog, contract: Contract
) -> None:
    seen: list[int] = []

    def flaky(report: Any) -> Any:
        if len(report) < 50:  # rows were removed
            seen.append(len(report))
        known = report[report.PUBLISHED < "2024-07-01"].sort_values("ID")[["ID", "PROFIT"]]
        return known.head(3) if len(seen) == 1 and len(report) < 50 else known

    found = audit(function_subject(flaky, market), catalog, contract)
    assert len(seen) > 1
    assert [w for w in found.witnesses if w.family == "unknown_rows_removed"] == []
    assert any("not on a repeat" in note for note in found.notes), found.notes


MEAN = "SELECT FIRM, MAX(DAY) AS day, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"


def recorded(market: str, catalog: Catalog, folder: Path, text: str) -> Any:
    (folder / "small.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    (folder / "mean.sql").write_text(MEAN)
    (folder / "mean.csv").write_text(text)
    options = [
        "--db",
        market,
        "--catalog",
        str(folder / "small.yaml"),
        "--as-of",
        "2024-06-30",
        "--format",
        "json",
    ]
    command = ["audit", str(folder / "mean.sql"), "--result", str(folder / "mean.csv"), *options]
    return CliRunner().invoke(app, command)


# Seven days from 24 June: CLOSE is 10 + firm + day / 4, so the mean of the seven is 10.75 + firm
RIGHT = "FIRM,day,close\n" + "".join(f"{firm},2024-06-30,{10.75 + firm}\n" for firm in range(20))


def test_the_recorded_result_must_be_what_the_program_gives(
    market: str, catalog: Catalog, tmp_path: Path
) -> None:
    same = recorded(market, catalog, tmp_path, RIGHT)
    assert (same.exit_code, json.loads(same.output)["verdict"]) == (0, "PASS"), same.output
    other = json.loads(recorded(market, catalog, tmp_path, RIGHT.replace("10.75", "11.5")).output)
    assert (other["verdict"], other["reasons"], other["scenarios"]) == ("UNKNOWN", ["replay"], [])
    short = json.loads(recorded(market, catalog, tmp_path, RIGHT.rpartition("19,")[0]).output)
    assert short["reasons"] == ["replay"]
    odd = json.loads(recorded(market, catalog, tmp_path, RIGHT.replace("13.75", "n/a.")).output)
    assert odd["reasons"] == ["replay"]


def test_a_recorded_result_that_is_no_table_is_bad_input(
    market: str, catalog: Catalog, contract: Contract, tmp_path: Path
) -> None:
    subject = Subject(Submission("sql", sql_code=MEAN, source="mean.sql"), market)
    for name in ("none.csv", "answer.txt"):
        with pytest.raises(InputError) as found:
            audit(subject, catalog, contract, recorded=tmp_path / name)
        assert found.value.reason == "bad_result"

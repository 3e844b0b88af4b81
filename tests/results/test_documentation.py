"""The reference page has every column, every status and every reason, as the code has them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import duckdb
import pytest

from finassay.cli._results_text import summary_text
from finassay.results import Outcome, ResultRow, arrow_schema, summarise, write_rows
from finassay.results._ingest._fields import ALIASES
from finassay.results._statuses import _data
from support.result_rows import row

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "results.md").read_text(encoding="utf-8")


def column_lines() -> list[str]:
    lines = []
    for name, field in ResultRow.model_fields.items():
        column = arrow_schema().field(name)
        kind = str(column.type).replace(" not null", "").replace(" ", "")
        lines.append(f"| `{name}` | {kind}{'' if column.nullable else ', filled'} | {field.description} |")
    return lines


def status_lines(statuses: dict[str, dict[str, object]]) -> list[str]:
    lines = []
    for status, meaning in statuses.items():
        score = meaning.get("score")
        told = (
            ", ".join(f"{name} {value}" for name, value in score.items())
            if isinstance(score, dict)
            else score
        )
        lines.append(
            f"| `{status}` | {meaning['outcome']} | {'' if told is None else told} | {meaning['says']} |"
        )
    return lines


def test_every_column_has_its_line():
    assert [line for line in column_lines() if line not in PAGE] == []


@pytest.mark.parametrize("suite", [None, "buysideflow", "bizfinbench", "findeepindicator"])
def test_every_status_has_its_line(suite):
    data = _data()
    lines = status_lines(data["suites"][suite]["statuses"] if suite else data["common"])
    assert lines
    assert [line for line in lines if line not in PAGE] == []


def test_every_other_name_of_a_column_is_told():
    for column, names in ALIASES.items():
        assert f"| `{column}` | {', '.join(f'`{name}`' for name in names if name != column)} |" in PAGE


def test_every_reason_is_told():
    sources = (ROOT / "src" / "finassay" / "results").rglob("*.py")
    raised = {
        reason
        for path in sources
        for reason in re.findall(r'reason="(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert len(raised) > 15
    assert {reason for reason in raised if f"`{reason}`" not in PAGE} == set()


def test_the_query_of_the_page_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows([row("s1"), row("s2", scores={"audited": {"score": 0.5}})], tmp_path / "all.parquet")
    query = re.search(r"`(SELECT run.*?)`", PAGE)[1]
    assert duckdb.sql(query).fetchall() == [("r", 0.75)]


def test_the_program_of_the_page_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_rows([row("s1")], tmp_path / "all.parquet")
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], {})
    assert capsys.readouterr().out == "r audited 1/1 (100.0%, 95% CI 20.7–100.0%)\n"


def test_the_example_of_the_page_is_what_comes_out():
    """The six samples of harness.md 8 (a)."""
    rows = [
        row("s1", task="s1"),
        row("s2", task="s2"),
        row("s3", task="s3", scores={"audited": {"score": math.nan}}),
        row("s4", task="s4", outcome=Outcome.LIMIT, status="time_limit"),
        row("s5", task="s5", outcome=Outcome.ERROR, status="error"),
        row("s6", task="s6", outcome=Outcome.ERROR, status="error"),
    ]
    shown = re.search(r"```text\n(r: smoke.*?)```", PAGE, re.DOTALL)[1].splitlines()
    lines = summary_text(summarise(rows)).splitlines()
    assert [line for line in lines if line in shown] == shown

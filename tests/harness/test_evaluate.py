"""The smoke suite from end to end: model, agent, tools, jail, score, log, rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from finassay.harness._ingest import read_eval_rows
from finassay.harness._log import samples_of
from finassay.results import read_rows

pytestmark = pytest.mark.jail


def test_right_and_wrong_are_counted_over_all_samples(careless, smoke):
    done, _ = careless
    assert len(done.last) == 12
    assert done.right == 6  # every second task
    right = {row.sample for row in done.rows if row.headline("audited") == 1}
    assert right == {task.id for number, task in enumerate(smoke.tasks) if number % 2 == 0}
    assert done.outcomes == {"scored": 12}


def test_a_row_says_what_ran_and_what_it_took(careless, smoke):
    done, _ = careless
    row = done.last["net_profit_zh", 1]
    assert (row.suite, row.suite_version, row.suite_sha256) == ("smoke", "1.0.0", smoke.sha256)
    assert (row.model, row.agent, row.guidance) == ("finassay-scripted/careless", "react_sql", "pit")
    # The reply without a tool is a turn too; the refused look, the early submission and the failure are calls.
    assert row.steps == 6
    assert row.tool_calls == {"describe_columns": 1, "submit": 2, "run_code": 2}
    assert row.extra["failed_steps"] == {"no_table": 1, "nothing_ran": 1, "syntax_error": 1}
    assert row.extra["reasons"] == ["missing_column", "extra_column"]
    assert json.loads(row.submission)["sql_code"] == "SELECT 1 AS wrong"
    assert row.tokens_in > 100
    assert row.tokens_out > 10


def test_the_rows_on_disk_are_those_of_the_logs(careless):
    done, folder = careless
    assert sorted(read_rows(done.rows_file), key=lambda r: r.key) == sorted(done.rows, key=lambda r: r.key)
    assert list(read_eval_rows(folder / "logs")) == list(done.rows)


def test_no_reference_answer_is_in_a_log(careless, smoke):
    _, folder = careless
    wrong = {task.id for number, task in enumerate(smoke.tasks) if number % 2}
    for log in (folder / "logs").glob("*.eval"):
        for sample in samples_of(log, events=True):
            if sample.id in wrong:
                program = smoke.task(sample.id).program
                assert program.sql_code.strip().splitlines()[-1] not in sample.model_dump_json()


def test_the_first_command_of_the_guide(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from finassay.cli import app

    monkeypatch.chdir(tmp_path)
    guide = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-an-agent.md"
    command = next(line for line in guide.read_text(encoding="utf-8").splitlines() if line.startswith("$ "))
    done = CliRunner().invoke(app, command.removeprefix("$ finassay ").split())
    assert done.exit_code == 0, done.output
    assert "12/12 right (12 scored)" in done.output
    assert (tmp_path / "smoke-reference" / "results.parquet").exists()


BLOCKED = """
import socket, sys
def refuse(*_, **__):
    raise AssertionError("the network was asked for")
class Closed(socket.socket):
    def connect(self, address):
        if self.family != socket.AF_UNIX:
            refuse()
        return super().connect(address)
socket.socket, socket.getaddrinfo, socket.create_connection = Closed, refuse, refuse
sys.argv = ["finassay", *sys.argv[1:]]
from finassay.cli import main
main()
"""


def test_it_works_with_sockets_blocked(tmp_path):
    command = [sys.executable, "-c", BLOCKED, "eval", "smoke", "--model", "finassay-scripted/reference"]
    done = subprocess.run(
        [*command, "--limit", "2", "--format", "json", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["right"], said["samples"]) == (2, 2)

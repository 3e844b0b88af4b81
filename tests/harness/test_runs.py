"""What can go wrong with a run, and what is done about it: replay, resume, limits, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile

import pytest
import yaml

from finassay.core import InputError
from finassay.harness import EvaluationPlan, estimate, read_eval_rows

from .conftest import run

pytestmark = pytest.mark.jail

ANSWER = {"mode": "sql", "sql_code": "SELECT 1 AS a"}
GOOD = [{"call": "run_code", "arguments": ANSWER}, {"call": "submit", "arguments": ANSWER}]


def scripted(path, moves):
    path.write_text(yaml.safe_dump(moves))
    return {"model": "finassay-scripted/file", "model_args": {"script": str(path)}}


def test_a_run_is_repeated_without_its_model(tmp_path):
    first = run(tmp_path / "a", model="finassay-scripted/careless", limit=2)
    [log] = (tmp_path / "a" / "logs").glob("*.eval")
    again = run(tmp_path / "b", model="finassay-scripted/replay", model_args={"recording": str(log)}, limit=2)
    told = [
        {(row.sample, row.status, row.submission, row.tokens_in, str(row.tool_calls)) for row in done.rows}
        for done in (first, again)
    ]
    assert told[0] == told[1]


def test_a_replay_of_another_run_is_told(tmp_path):
    run(tmp_path / "a", limit=1)
    [log] = (tmp_path / "a" / "logs").glob("*.eval")
    other = run(tmp_path / "b", model="finassay-scripted/replay", model_args={"recording": str(log)}, limit=1,
                guidance="none")  # fmt: skip
    assert other.rows[0].outcome == "error"
    assert "asks something else" in other.rows[0].error


def test_an_endpoint_that_is_down_is_tried_again_so_often_and_the_run_is_resumed(tmp_path, smoke):
    script = tmp_path / "script.yaml"
    down = smoke.tasks[1].id
    plan = scripted(script, {down: [{"error": "503 Service Unavailable"}], "*": GOOD})
    first = run(tmp_path / "run", **plan, limit=3, retries=1)
    assert {row.sample: row.status for row in first.rows if row.outcome == "error"} == {down: "api_error"}
    assert not first.complete
    scripted(script, {"*": GOOD})
    done = run(tmp_path / "run", **plan, limit=3, retries=1, resume=True)
    assert done.complete
    assert len(done.last) == 3
    # What was scored stays as it was; what broke has a second attempt.
    assert sorted((row.sample, row.attempt) for row in done.rows) == sorted(
        [(task.id, 1) for task in smoke.tasks[:3]] + [(down, 2)]
    )
    assert {row.run for row in done.rows} == {first.rows[0].run}
    assert run(tmp_path / "run", **plan, limit=3, resume=True).rows == done.rows  # nothing is left to do


def test_a_dead_endpoint_is_an_error_in_bounded_time(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")  # nothing listens there
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    done = run(tmp_path, model="openai-api/local/some-model", limit=1, retries=0)
    [row] = done.rows
    assert (row.outcome, row.status) == ("error", "api_error")
    assert not done.complete


def test_a_run_is_resumed_only_as_what_it_was(tmp_path):
    run(tmp_path, limit=1)
    with pytest.raises(InputError, match="limit was 1, is 2"):
        run(tmp_path, limit=2, resume=True)
    with pytest.raises(InputError, match="holds a run already"):
        run(tmp_path, limit=1)
    with pytest.raises(InputError, match="no run in"):
        run(tmp_path / "other", limit=1, resume=True)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"suite": "smoky"}, "no suite 'smoky'"),
        ({"agent": "agent007"}, "no agent 'agent007'"),
        ({"guidance": "some"}, "guidance of 'pit' or 'none'"),
        ({"model": "nobody/x"}, r"'nobody/x' cannot be had.*not recognized"),
        ({"model": "openai/gpt-5.5"}, "OPENAI_API_KEY"),
        ({"model": "finassay-scripted/clever"}, "scripted model 'clever'"),
        ({"cost": 1.0}, "needs the price"),
        ({"agent_args": "colour=red"}, "does not take this"),
    ],
)
def test_bad_input_is_told_before_anything_runs(tmp_path, monkeypatch, plan, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match=message):
        run(tmp_path, **plan)
    assert not list(tmp_path.rglob("*.eval"))


def test_a_limit_of_cost_holds_where_the_price_is_known(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("finassay-scripted/silent: {input: 1000, output: 1000}\n")
    # About 400 tokens are read each time: at a tenth of a cent per token the second turn passes 50 cents.
    done = run(tmp_path / "run", model="finassay-scripted/silent", cost=0.5, prices=str(prices), limit=1)
    [row] = done.rows
    assert (row.outcome, row.status) == ("limit", "cost_limit")
    assert 0.5 < row.cost_usd < 2
    with pytest.raises(InputError, match="no price for finassay-scripted/reference"):
        run(tmp_path / "other", cost=0.5, prices=str(prices))


def test_a_limit_of_tokens_ends_a_sample(tmp_path):
    done = run(tmp_path, model="finassay-scripted/silent", tokens=2000, limit=1)
    assert done.rows[0].status == "token_limit"


def test_an_estimate_grows_as_said_and_knows_a_cost_only_with_a_price(tmp_path):
    plan = EvaluationPlan("smoke", "finassay-scripted/reference", str(tmp_path), limit=2)
    one = estimate(plan)
    assert (one.samples, one.cost_usd) == (2, None)
    prices = tmp_path / "prices.json"
    prices.write_text('{"finassay-scripted/reference": {"input": 2, "output": 10}}')
    two = estimate(EvaluationPlan(plan.suite, plan.model, plan.folder, limit=2, epochs=3, prices=str(prices)))
    assert (two.samples, two.tokens_in) == (6, 3 * one.tokens_in)
    assert two.cost_usd == pytest.approx((2 * two.tokens_in + 10 * two.tokens_out) / 1e6)


def test_processes_share_a_run(tmp_path):
    done = run(tmp_path, limit=4, jobs=2, epochs=2)
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 2
    assert (done.right, len(done.last)) == (8, 8)
    assert len({row.run for row in done.rows}) == 1


def test_it_is_a_plain_task_of_inspect_too(tmp_path):
    command = [sys.executable, "-m", "inspect_ai", "eval", "finassay/smoke", "--limit", "1"]
    options = ["--model", "finassay-scripted/reference", "--display", "plain", "--log-dir", str(tmp_path)]
    done = subprocess.run(
        [*command, *options, "-T", "agent=swe_sql"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(read_eval_rows(tmp_path))
    assert [(row.agent, row.headline("audited")) for row in rows] == [("swe_sql", 1.0)]


def test_a_log_that_is_cut_off_or_foreign_is_refused(tmp_path):
    run(tmp_path / "run", limit=1)
    [log] = (tmp_path / "run" / "logs").glob("*.eval")
    cut = tmp_path / "cut.eval"
    cut.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    with pytest.raises(InputError, match=r"no whole \.eval log"):
        list(read_eval_rows(cut))
    empty = tmp_path / "empty.eval"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2}))
    with pytest.raises(InputError, match=r"empty\.eval"):
        list(read_eval_rows(empty))
    with pytest.raises(InputError, match="no log"):
        list(read_eval_rows(tmp_path / "nowhere.eval"))


def test_samples_that_never_ran_stay_in_the_denominator(tmp_path):
    """A log whose run was broken off holds fewer samples than its header names."""
    run(tmp_path / "run", limit=3)
    [log] = (tmp_path / "run" / "logs").glob("*.eval")
    partial = tmp_path / "partial.eval"
    with zipfile.ZipFile(log) as source, zipfile.ZipFile(partial, "w") as target:
        for name in source.namelist():
            if name.startswith("samples/") and "first_version" in name:
                continue
            data = source.read(name)
            if name == "summaries.json":
                kept = [one for one in json.loads(data) if "first_version" not in one["id"]]
                data = json.dumps(kept).encode()
            target.writestr(name, data)
    rows = {row.sample: row for row in read_eval_rows(partial)}
    assert len(rows) == 3
    assert rows["first_version_zh"].is_expected

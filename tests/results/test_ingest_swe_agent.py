"""Runs of the released BuySideFlow agent, laid out as in its release (specs/buysideflow.md, section 1)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from finassay.core import InputError, hash_file
from finassay.results import Outcome, ResultRow, RunFacts, ingest, read_rows, write_rows

RUN = Path(__file__).parent / "runs" / "text2sql_default__openai--gpt-5.5__t-0.00__p-1.00__c-3.00___dataset"
FACTS = RunFacts("buysideflow", "404")


def rows_of(path: Path, told: list[str] | None = None, facts: RunFacts = FACTS) -> dict[str, ResultRow]:
    return {row.sample: row for row in ingest(path, facts, tell=(told if told is not None else []).append)}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return shutil.copytree(RUN, tmp_path / RUN.name)


def test_a_task_that_was_submitted():
    row = rows_of(RUN)["stock_001"]
    assert (row.run, row.model, row.agent) == (RUN.name, "openai/gpt-5.5", "swe_agent")
    assert (row.outcome, row.status) == (Outcome.UNSCORED, "submitted")
    assert json.loads(row.submission)["sql_code"] == "SELECT SECUABBR AS 证券简称 FROM secumain LIMIT 1"
    assert (row.tokens_in, row.tokens_out, row.cost_usd) == (41000, 1200, 0.125)
    assert row.log_sha256 == hash_file(RUN / "stock_001" / "stock_001.traj")
    assert row.extra["execution_seconds"] == 1.75
    assert row.extra["swe_agent_version"] == "1.1.0"
    assert row.seconds is None  # the format has the time of actions, not that of the attempt


def test_several_actions_in_one_step_count_each():
    row = rows_of(RUN)["stock_001"]
    assert row.steps == 6
    assert row.tool_calls == {
        "search_tables": 1,
        "get_columns": 1,
        "search_columns": 1,
        "get_trading_days": 1,
        "run_code": 2,
        "submit": 1,
    }


def test_a_limit_an_answer_that_is_no_json_and_a_crash():
    told: list[str] = []
    rows = rows_of(RUN, told)
    limit, malformed, crash = rows["fund_002"], rows["bond_003"], rows["macro_004"]
    assert (limit.outcome, limit.status, limit.submission) == (Outcome.LIMIT, "exit_cost", None)
    assert (malformed.outcome, malformed.status) == (Outcome.SCORED, "malformed")
    assert malformed.scores == {"paper": {"score": 0}, "audited": {"score": 0}}
    assert malformed.extra["source_status"] == "submitted"
    assert malformed.error.startswith("the submission is not JSON: Unterminated string")
    assert (crash.outcome, crash.status, crash.error_class) == (
        Outcome.ERROR,
        "Uncaught RuntimeError",
        "RuntimeError",
    )
    assert told == ["macro_004: no .traj, no .pred, no preds.json"]
    assert crash.extra["missing_parts"] == [".traj", ".pred", "preds.json"]


@pytest.mark.parametrize("form", ["dict", "list"])
def test_preds_json_alone(tmp_path, form):
    preds = json.loads((RUN / "preds.json").read_text(encoding="utf-8"))
    path = tmp_path / "any.json"
    path.write_text(json.dumps(preds if form == "dict" else list(preds.values())), encoding="utf-8-sig")
    rows = rows_of(path, facts=RunFacts("buysideflow", "404", run="mine", model="me"))
    assert [(row.sample, row.outcome, row.status) for row in rows.values()] == [
        ("bond_003", "scored", "malformed"),
        ("fund_002", "scored", "no_submission"),
        ("stock_001", "unscored", "submitted"),
    ]
    assert {(row.run, row.model, row.steps) for row in rows.values()} == {("mine", "me", None)}


def test_the_samples_that_a_run_lacks_stay_in_it():
    told: list[str] = []
    expected = ["stock_001", "fund_002", "bond_003", "macro_004", "macro_005", "macro_006"]
    rows = {row.sample: row for row in ingest(RUN, FACTS, expected=expected, tell=told.append)}
    assert set(rows) == set(expected)
    assert rows["macro_005"].is_expected
    assert rows["macro_005"].run == RUN.name
    assert told[-1] == f"run {RUN.name}, epoch 1: 2 of 6 samples are missing: macro_005, macro_006"


def test_a_sample_that_the_suite_does_not_have_is_named():
    with pytest.raises(
        InputError, match=r"3 sample\(s\) of .* not among the expected ones: bond_003, fund_002, macro"
    ):
        list(ingest(RUN, FACTS, expected=["stock_001"]))


def test_an_attempt_without_an_end_is_an_error(copy):
    path = copy / "stock_001" / "stock_001.traj"
    trajectory = json.loads(path.read_text(encoding="utf-8"))
    trajectory["info"] = {}
    path.write_text(json.dumps(trajectory))
    (copy / "stock_001" / "stock_001.pred").unlink()
    preds = json.loads((copy / "preds.json").read_text())
    del preds["stock_001"]
    (copy / "preds.json").write_text(json.dumps(preds))
    (copy / "run_batch_exit_statuses.yaml").unlink()
    told: list[str] = []
    row = rows_of(copy, told)["stock_001"]
    assert (row.outcome, row.status) == (Outcome.ERROR, "incomplete")
    assert told == ["stock_001: no info in the .traj, no .pred, no preds.json"]


def test_a_skipped_task_of_a_run_that_was_taken_up_again_has_its_first_end(copy):
    (copy / "run_batch_exit_statuses.yaml").write_text(
        "instances_by_exit_status:\n  skipped (exit_context): [macro_009]\n  null: [macro_010]\n"
    )
    rows = rows_of(copy)
    assert (rows["macro_009"].outcome, rows["macro_009"].status) == (Outcome.LIMIT, "exit_context")
    assert "macro_010" not in rows


def test_a_folder_with_nothing_but_a_log_is_a_task_that_did_not_end(copy):
    (copy / "macro_007").mkdir()
    (copy / "macro_007" / "macro_007.info.log").write_text("Starting environment\n")
    row = rows_of(copy)["macro_007"]
    assert (row.outcome, row.status) == (Outcome.ERROR, "incomplete")


def test_a_run_comes_out_of_its_file_as_it_went_in(tmp_path):
    rows = rows_of(RUN)
    write_rows(rows.values(), tmp_path / "a.parquet")
    assert {row.sample: row for row in read_rows(tmp_path / "a.parquet")} == rows


# Bad input


def test_a_trajectory_that_was_cut_off_is_named(copy):
    path = copy / "fund_002" / "fund_002.traj"
    path.write_text(path.read_text(encoding="utf-8")[:300], encoding="utf-8")
    with pytest.raises(InputError, match=r"fund_002\.traj is cut off at line \d+"):
        rows_of(copy)


def test_parts_of_two_attempts_are_refused(copy):
    (copy / "stock_001" / "stock_001.pred").write_text('{"instance_id": "stock_001", "model_patch": "{}"}')
    with pytest.raises(
        InputError, match=r"stock_001: preds\.json and \.pred and \.traj hold different submissions"
    ):
        rows_of(copy)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": {"model_patch": "{}"}, "a": {"model_patch": "x"}}', "has 'a' twice in one object"),
        (
            '[{"instance_id": "a", "model_patch": "{}"}, {"instance_id": "a", "model_patch": "{}"}]',
            "item 2 is of 'a'",
        ),
        ('{"a": {"instance_id": "b", "model_patch": "{}"}}', "holds 'b' under the name 'a'"),
        ('[{"model_patch": "{}"}]', "item 1 does not say which sample it is of"),
        ('{"a": {"model_patch": "{}"}', "is cut off at line 1"),
        ('{"a": 3}', "preds.json, a is no object: a number"),
        ("7", "neither an object nor a list"),
    ],
)
def test_a_preds_json_that_is_none(tmp_path, text, complaint):
    (tmp_path / "preds.json").write_text(text)
    with pytest.raises(InputError, match=complaint):
        rows_of(tmp_path / "preds.json")


def test_an_exit_status_that_nobody_knows_is_named(copy):
    path = copy / "stock_001" / "stock_001.traj"
    path.write_text(path.read_text(encoding="utf-8").replace('"submitted"', '"exit_tired"'), encoding="utf-8")
    with pytest.raises(InputError, match="stock_001: The suite buysideflow has no status 'exit_tired'"):
        rows_of(copy)


def test_a_folder_without_a_run_is_named(tmp_path):
    with pytest.raises(InputError, match="not the folder of a run"):
        rows_of(tmp_path)

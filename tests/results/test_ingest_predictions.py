"""Predictions in JSONL and JSON: names of fields, statuses that follow, what is refused by its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from finassay.core import InputError
from finassay.results import Outcome, ResultRow, RunFacts, ingest, read_expected

FACTS = RunFacts("bizfinbench", "28860", profile="paper")


def lines(path: Path, *records: dict[str, Any] | str, encoding: str = "utf-8") -> Path:
    text = "".join(
        f"{one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}\n" for one in records
    )
    path.write_text(text, encoding=encoding)
    return path


def rows_of(path: Path, facts: RunFacts = FACTS) -> list[ResultRow]:
    return list(ingest(path, facts))


def test_usual_names_of_fields_are_read_and_others_are_kept(tmp_path):
    record = {
        "instance_id": 7,
        "prediction": "净利润为12.5亿元",
        "model_name_or_path": "qwen",
        "prompt_tokens": 120,
        "completion_tokens": 30,
        "cached_tokens": 100,
        "cost": 0.002,
        "score": 1,
        "epoch": 2,
        "language": "zh",
        "nested": {"备注": [1, None]},
    }
    [row] = rows_of(lines(tmp_path / "run.jsonl", record))
    assert (row.run, row.task, row.sample, row.epoch, row.model) == ("run", "7", "7", 2, "qwen")
    assert row.submission == "净利润为12.5亿元"
    assert (row.tokens_in, row.tokens_out, row.tokens_cached, row.cost_usd) == (120, 30, 100, 0.002)
    assert (row.outcome, row.status, row.scores) == (Outcome.SCORED, "ok", {"paper": {"score": 1}})
    assert row.extra == {"language": "zh", "nested": {"备注": [1, None]}}


@pytest.mark.parametrize(
    ("record", "status", "outcome"),
    [
        ({"prediction": "a"}, "ok", "unscored"),
        ({"prediction": "a", "score": 0.67}, "ok", "scored"),
        ({"prediction": "a", "scores": {"paper": {"score": None}}}, "ok", "unscored"),
        ({"prediction": ""}, "no_submission", "scored"),
        ({}, "no_submission", "scored"),
        ({"error": "connection reset"}, "error", "error"),
        ({"predict_result": {"error": "HTTP 500"}}, "api_error", "error"),
        ({"prediction": "a", "status": "truncated"}, "truncated", "limit"),
        ({"prediction": "", "status": "refused"}, "refused", "refused"),
        ({"prediction": "", "status": "max_length"}, "max_length", "limit"),
    ],
)
def test_what_follows_where_no_status_is_said(tmp_path, record, status, outcome):
    [row] = rows_of(lines(tmp_path / "run.jsonl", {"id": "x", **record}))
    assert (row.status, row.outcome) == (status, outcome)


def test_the_released_records_of_bizfinbench_have_no_id_and_are_told_by_what_they_ask(tmp_path):
    """specs/bizfinbench.md 1.1: messages, choices (the gold answer) and predict_result in one record."""
    records = [
        {
            "messages": [{"role": "user", "content": [{"type": "text", "text": f"问题 {n}"}]}],
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": [{"type": "text", "text": "1"}]}}
            ],
            "predict_result": "<think>…</think>1",
            "score": 1.0,
        }
        for n in range(2)
    ]
    first, second = rows_of(lines(tmp_path / "a.jsonl", *records))
    again = rows_of(lines(tmp_path / "b.jsonl", *records[::-1]))
    assert [first.sample, second.sample] == [row.sample for row in again[::-1]]  # whatever the order
    assert first.sample != second.sample
    assert set(first.extra) == {"gold_sha256"}  # neither the prompt nor the gold answer
    assert first.input_sha256 != second.input_sha256


def test_lines_that_say_the_same_again_are_told_and_dropped(tmp_path):
    path = lines(tmp_path / "run.jsonl", *[{"id": "x", "prediction": "a"}] * 2)
    told: list[str] = []
    assert len(list(ingest(path, FACTS, tell=told.append))) == 1
    assert told == [f"{path}, line 2 says the same as {path}, line 1"]


def test_attempts_and_epochs_tell_rows_of_one_sample_apart(tmp_path):
    path = lines(
        tmp_path / "run.jsonl",
        {"id": "x", "error": "…", "attempt": 1},
        {"id": "x", "prediction": "a", "attempt": 2},
        {"id": "x", "prediction": "b", "epoch": 2},
    )
    assert [(row.epoch, row.attempt) for row in rows_of(path)] == [(1, 1), (1, 2), (2, 1)]


def test_a_run_that_the_lines_name_holds_unless_the_person_names_one(tmp_path):
    path = lines(tmp_path / "file.jsonl", {"id": "x", "prediction": "a", "run": "theirs"})
    assert rows_of(path)[0].run == "theirs"
    assert rows_of(path, RunFacts("bizfinbench", "1", run="mine"))[0].run == "mine"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_encodings(tmp_path, encoding):
    path = lines(
        tmp_path / "run.jsonl", {"id": "x", "prediction": "截至年末，货币资金为三亿元"}, encoding=encoding
    )
    assert rows_of(path)[0].submission == "截至年末，货币资金为三亿元"


def test_a_json_list_is_read_as_lines_are(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps([{"id": "x", "prediction": "a"}, {"id": "y", "prediction": "b"}]))
    assert [row.sample for row in rows_of(path)] == ["x", "y"]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ('{"id": "y", "prediction": "b"', r"line 2 is cut off at line 1, column 3\d"),
        ("[1]", "line 2 is no object: a list"),
        ('{"prediction": "b"}', "line 2 does not say which sample"),
        ('{"id": "y", "id": "z"}', "line 2 has 'id' twice"),
        ('{"id": "y", "sample": "z"}', "line 2 gives sample twice: as id and as sample"),
        ('{"id": "y", "status": "okay"}', "line 2: The suite bizfinbench has no status 'okay'"),
        ('{"id": "y", "tokens_in": -4}', "line 2: tokens_in: Input should be greater than"),
        ('{"id": "y", "tokens_in": 9223372036854775808}', "line 2: tokens_in: Input should be less than"),
        ('{"id": "y", "deep": ' + "[" * 65 + "]" * 65 + "}", "line 2: extra: .*nested more than 64 deep"),
        ('{"id": "y", "deep": ' + "[" * 99999 + "]" * 99999 + "}", "line 2 is nested too deeply"),
        ('{"id": "y", "suite_version": "29578"}', "line 2 is of suite_version '29578', and you said '28860'"),
        (
            '{"id": "y", "score": 1, "scores": {"paper": {"score": 0}}}',
            "line 2 gives the score under paper twice",
        ),
        ('{"id": "y", "scores": {"paper": {"score": Infinity}}}', "line 2: scores.paper.score: .* finite"),
        ('{"id": "x", "prediction": "b"}', "line 2 and .*, line 1 are both of sample 'x'"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path, bad, complaint):
    path = lines(tmp_path / "run.jsonl", {"id": "x", "prediction": "a"}, bad)
    with pytest.raises(InputError, match=complaint):
        rows_of(path)


def test_a_score_without_a_profile_asks_for_one(tmp_path):
    path = lines(tmp_path / "run.jsonl", {"id": "x", "prediction": "a", "score": 1})
    with pytest.raises(
        InputError, match=r"nothing says under which profile\.\n  Give --profile paper or audited"
    ):
        rows_of(path, RunFacts("bizfinbench", "1"))


def test_a_profile_that_the_suite_does_not_have_is_named(tmp_path):
    path = lines(tmp_path / "run.jsonl", {"id": "x", "prediction": "a", "score": 1})
    with pytest.raises(InputError, match=r"no profile 'papr'.\n.*paper, audited"):
        rows_of(path, RunFacts("bizfinbench", "1", profile="papr"))


def test_a_file_without_items_is_named(tmp_path):
    with pytest.raises(InputError, match="holds no items"):
        rows_of(lines(tmp_path / "run.jsonl"))


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xff\x00\x80\x80")
    with pytest.raises(InputError, match="neither UTF-8 nor GBK"):
        rows_of(path)


def test_expected_samples_come_from_a_data_set_or_a_list(tmp_path):
    data = lines(
        tmp_path / "dataset.jsonl", {"instance_id": "fund_100", "instruction": "截至 as_of_date，监控 ..."}
    )
    names = tmp_path / "ids.txt"
    names.write_text("fund_100\n\nfund_101\n", encoding="utf-8")
    assert read_expected(data) == ["fund_100"]
    assert read_expected(names) == ["fund_100", "fund_101"]
    names.write_text("\n")
    with pytest.raises(InputError, match="lists no samples"):
        read_expected(names)


@pytest.mark.shared
def test_the_released_questions_are_a_list_of_expected_samples(shared, tmp_path):
    data = tmp_path / "dataset.jsonl"
    data.write_bytes(gzip.decompress(shared("data/questions/buysideflow_tasks_404.jsonl.gz").read_bytes()))
    assert len(set(read_expected(data))) == 404

"""The row: what it takes, what it refuses, and its columns in Arrow."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from finassay.results import SCHEMA_VERSION, Outcome, ResultRow, arrow_schema, expected_row

GIVEN = {
    "run": "r",
    "suite": "smoke",
    "suite_version": "1",
    "task": "t",
    "sample": "s",
    "source": "predictions",
    "outcome": "scored",
    "status": "ok",
}


def test_every_column_of_the_row_is_one_of_the_arrow_schema_in_its_order():
    schema = arrow_schema()
    assert schema.names == list(ResultRow.model_fields)
    assert schema.metadata[b"finassay.results.schema_version"] == str(SCHEMA_VERSION).encode()


def test_nan_is_no_score_and_infinity_is_refused():
    row = ResultRow(**GIVEN, scores={"audited": {"score": math.nan}})
    assert row.headline("audited") is None
    with pytest.raises(ValidationError, match="finite"):
        ResultRow(**GIVEN, scores={"audited": {"score": math.inf}})


def test_the_order_in_which_scores_and_tools_are_given_does_not_count():
    one = ResultRow(
        **GIVEN, tool_calls={"b": 1, "a": 2}, scores={"paper": {"x": 1, "score": 0}, "audited": {}}
    )
    other = ResultRow(
        **GIVEN, tool_calls={"a": 2, "b": 1}, scores={"audited": {}, "paper": {"score": 0, "x": 1}}
    )
    assert one.model_dump_json() == other.model_dump_json()


def test_half_a_character_is_written_as_its_escape():
    row = ResultRow(**GIVEN, submission="净利润 \ud83d", extra={"回复": ["\udc00"]})
    assert row.submission == "净利润 \\ud83d"
    assert row.extra == {"回复": ["\\udc00"]}


def test_an_expected_row_is_no_attempt():
    given = {name: GIVEN[name] for name in ("run", "suite", "suite_version", "task", "sample", "source")}
    row = expected_row(**given)
    assert (row.attempt, row.outcome, row.status, row.is_expected) == (0, Outcome.UNSCORED, "missing", True)


def test_an_expected_row_is_the_same_whichever_part_of_a_run_says_it():
    given = {name: GIVEN[name] for name in ("run", "suite", "suite_version", "task", "sample")}
    parts = [expected_row(**given, source="eval_log", log_sha256=digit * 64, model="m") for digit in "ab"]
    assert parts[0] == parts[1]
    assert (parts[0].source, parts[0].log_sha256, parts[0].model) == ("expected", None, "m")


@pytest.mark.parametrize(
    "wrong",
    [
        {"outcome": "lost"},
        {"run": ""},
        {"epoch": 0},
        {"steps": -1},
        {"cost_usd": -0.1},
        {"log_sha256": "abc"},
        {"tokens": 3},
    ],
)
def test_what_is_no_row_is_refused(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        ResultRow(**{**GIVEN, **wrong})

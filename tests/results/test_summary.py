"""The headline rate: every sample counts, whatever became of it."""

from __future__ import annotations

import math

import pytest

from finassay.results import Outcome, expected_row, read_rows, summarise, write_rows
from finassay.statistics import wilson_interval
from support.result_rows import row

WRONG = {"audited": {"score": 0.0}}


def test_two_errors_a_nan_and_a_limit_of_six_with_two_right_are_2_of_6():
    """specs/harness.md, section 8 (a). Inspect says accuracy 1.0 of such a log."""
    rows = [
        row("s1"),
        row("s2"),
        row("s3", outcome=Outcome.ERROR, status="error"),
        row("s4", outcome=Outcome.ERROR, status="api_error"),
        row("s5", scores={"audited": {"score": math.nan}}),
        row("s6", outcome=Outcome.LIMIT, status="time_limit", scores={"audited": {"score": 1.0}}),
    ]
    [run] = summarise(rows).runs
    [profile] = run.profiles
    right = profile.right
    assert (right.numerator, right.denominator, right.unknown) == (2, 6, 3)
    assert (right.low, right.high) == wilson_interval(2, 6)
    assert str(right) == "2/6 (33.3%, 95% CI 9.7–70.0%)"
    assert run.outcomes == {"scored": 3, "error": 2, "limit": 1, "refused": 0, "unscored": 0}
    assert (profile.if_unknown_wrong.numerator, profile.if_unknown_right.numerator) == (2, 5)


def test_an_expected_sample_counts_until_it_has_an_attempt():
    given = {name: getattr(row(), name) for name in ("run", "suite", "suite_version", "source")}
    rows = [expected_row(**given, task="smoke", sample=name) for name in ("s1", "s2", "s3")] + [row("s2")]
    [run] = summarise(sorted(rows, key=lambda one: one.key)).runs
    assert (run.samples, run.missing, run.retried) == (3, 2, 0)
    assert run.profiles[0].right.numerator == 1
    assert run.outcomes[Outcome.UNSCORED] == 2


def test_the_last_attempt_counts():
    rows = [row(attempt=1, outcome=Outcome.ERROR, status="error", steps=9), row(attempt=2, steps=4)]
    [run] = summarise(rows).runs
    assert (run.samples, run.retried) == (1, 1)
    assert run.profiles[0].right.numerator == 1
    assert (run.measures["steps"].total, run.measures["steps"].known) == (4, 1)


def test_repeated_tasks_are_resampled_as_tasks():
    """Two tasks of ten epochs, one always right: twenty rows are not twenty observations."""
    rows = [
        row(task, task=task, epoch=epoch, scores={"audited": {"score": float(task == "a")}})
        for task in ("a", "b")
        for epoch in range(1, 11)
    ]
    [run] = summarise(rows).runs
    right = run.profiles[0].right
    assert (right.numerator, right.denominator, run.tasks, run.epochs) == (10, 20, 2, 10)
    assert right.method == "cluster_bootstrap"
    assert (right.low, right.high) == (0.0, 1.0)


def test_each_profile_has_its_rate_and_parts_of_scores_their_mean():
    rows = [
        row("s1", scores={"paper": {"score": 1.0}, "audited": {"score": 0.5}}),
        row("s2", scores={"paper": {"score": 1.33}, "audited": {"score": 0.25}}),
        row("s3", outcome=Outcome.ERROR, status="error"),
    ]
    audited, paper = summarise(rows).runs[0].profiles
    assert (audited.profile, audited.right.numerator, audited.mean_score) == ("audited", 0, 0.25)
    assert (paper.profile, paper.right.numerator, paper.mean_score) == ("paper", 2, pytest.approx(2.33 / 3))


def test_what_nobody_scored_is_none_of_the_profiles_of_its_suite():
    rows = [row(outcome=Outcome.UNSCORED, status="not_scored")]
    [profile] = summarise(rows).runs[0].profiles
    assert (profile.profile, str(profile.right)[:3], profile.right.unknown) == ("audited", "0/1", 1)


def test_runs_and_versions_are_told_apart(tmp_path):
    path = tmp_path / "rows.parquet"
    write_rows([row(run="b"), row(run="a"), row(run="a", suite_version="2")], path)
    runs = [(run.run, run.suite_version) for run in summarise(read_rows(path)).runs]
    assert runs == [("a", "1"), ("a", "2"), ("b", "1")]


def test_measures_say_of_how_many_they_are():
    rows = [
        row("s1", tokens_in=100, cost_usd=0.5, model="m"),
        row("s2", tokens_in=300),
        row("s3", outcome=Outcome.ERROR, status="error"),
    ]
    [run] = summarise(rows).runs
    tokens, cost, seconds = (run.measures[name] for name in ("tokens_in", "cost_usd", "seconds"))
    assert (tokens.known, tokens.total, tokens.mean, tokens.median) == (2, 400, 200, 200)
    assert (cost.known, cost.total) == (1, 0.5)
    assert (seconds.known, seconds.total) == (0, None)
    assert run.models == ["m"]


def test_early_submissions_traps_and_runs_per_step():
    """ESR: steps and no run; NTR: six schema calls or more and failed; ETL: runs over steps (buysideflow.md, 4)."""
    schema = {"get_columns": 4, "search_tables": 2}
    rows = [
        row("s1", steps=10, tool_calls={**schema, "run_code": 2}, scores=WRONG),  # a trap
        row("s2", steps=10, tool_calls={**schema, "run_code": 3}),  # right: no trap
        row(
            "s3", steps=4, tool_calls={"get_columns": 5, "get_trading_days": 9, "submit": 1}, scores=WRONG
        ),  # early
        row("s4", outcome=Outcome.ERROR, status="error"),  # nothing recorded
    ]
    [run] = summarise(rows).runs
    behaviour = run.behaviour
    assert str(behaviour.early_submissions).startswith("1/4")
    assert str(run.profiles[0].navigation_traps).startswith("1/4")
    assert (behaviour.run_per_step.mean, behaviour.run_per_step.known) == (pytest.approx(0.5 / 3), 3)
    assert behaviour.schema_calls.total == 17
    assert behaviour.recorded == 3


def test_without_steps_there_is_no_behaviour():
    [run] = summarise([row()]).runs
    assert run.behaviour is None
    assert run.profiles[0].navigation_traps is None

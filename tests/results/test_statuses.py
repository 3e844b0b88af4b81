"""Statuses and their outcomes, suite by suite: the table of DESIGN.md 7, held against what the specifications say."""

from __future__ import annotations

import math

import pytest

from finassay.core import InputError
from finassay.results import Outcome, suite_statuses

SUITES = ("bizfinbench", "buysideflow", "findeepindicator", "smoke")
COMMON = {
    "malformed": "scored",
    "truncated": "limit",
    "api_error": "error",
    "abort": "error",
    "context_overflow": "limit",
    "refused": "refused",
    "time_limit": "limit",
    "cost_limit": "limit",
    "judge_unavailable": "unscored",
    "gold_error": "error",
}


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(("status", "outcome"), COMMON.items())
def test_what_every_suite_has(suite, status, outcome):
    assert suite_statuses(suite).meaning(status).outcome == outcome


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("submitted (run_code_repeat_limit)", "scored"),
        ("exit_format", "scored"),
        ("exit_forfeit", "scored"),
        ("exit_cost", "limit"),
        ("exit_context", "limit"),
        ("exit_command_timeout", "limit"),
        ("exit_total_execution_time", "limit"),
        ("exit_api", "error"),
        ("exit_environment_error", "error"),
        ("exit_error", "error"),
        ("early_exit", "error"),
        ("submitted (exit_cost)", "limit"),
        ("Uncaught RuntimeError", "error"),
        ("logic_mismatch", "scored"),
        ("early_submit", "scored"),
        ("ref_error", "error"),
    ],
)
def test_how_attempts_of_the_released_agent_end(status, outcome):
    judged = suite_statuses("buysideflow").outcome(status, {"paper": {"score": 0.0}})
    assert judged.outcome == outcome


def test_an_answer_is_unscored_until_it_is_judged():
    statuses = suite_statuses("buysideflow")
    assert statuses.outcome("submitted", {}).outcome is Outcome.UNSCORED
    assert statuses.outcome("submitted", {"audited": {"score": math.nan}}).outcome is Outcome.UNSCORED
    assert statuses.outcome("submitted", {"audited": {"rows": 3.0}}).outcome is Outcome.UNSCORED
    assert statuses.outcome("submitted", {"audited": {"score": 1.0}}).outcome is Outcome.SCORED


def test_a_malformed_answer_scores_0_under_both_profiles_of_buysideflow():
    assert suite_statuses("buysideflow").outcome("malformed", {}).scores == {
        "paper": {"score": 0},
        "audited": {"score": 0},
    }


def test_the_released_scorers_of_bizfinbench_may_find_an_answer_in_what_is_malformed():
    """FDD with gold []: "I refuse" = 1 (specs/bizfinbench.md, 1.5)."""
    judged = suite_statuses("bizfinbench").outcome("malformed", {"paper": {"score": 1.0}})
    assert judged.scores == {"paper": {"score": 1}, "audited": {"score": 0}}


def test_scores_at_a_limit_are_kept():
    judged = suite_statuses("smoke").outcome("time_limit", {"audited": {"score": 1.0}})
    assert (judged.outcome, judged.scores) == (Outcome.LIMIT, {"audited": {"score": 1.0}})


def test_an_unknown_status_is_named_and_not_guessed():
    with pytest.raises(InputError, match="buysideflow has no status 'exit_costs'") as raised:
        suite_statuses("buysideflow").outcome("exit_costs", {})
    assert "Did you mean 'exit_cost'?" in str(raised.value)


@pytest.mark.parametrize(("status", "score", "told"), [("malformed", 1.0, "0"), ("passed", 0.75, "1")])
def test_right_by_the_score_and_wrong_by_the_status_is_refused(status, score, told):
    with pytest.raises(InputError, match=f"scores {told} under audited, but the source says {score:g}"):
        suite_statuses("buysideflow").outcome(status, {"audited": {"score": score}})


def test_part_of_a_score_is_kept():
    """Mixed output: the table is right and the text is not, 0.75 (specs/buysideflow.md, 2)."""
    judged = suite_statuses("buysideflow").outcome("ai_mismatch", {"paper": {"score": 0.75}})
    assert judged.scores == {"paper": {"score": 0.75}, "audited": {"score": 0}}


def test_an_unknown_suite_is_named():
    with pytest.raises(InputError, match=r"no suite 'buyside'.*\n.*bizfinbench, buysideflow"):
        suite_statuses("buyside")

"""Errors say whose fault it is, what was expected, where, and what to do; exit codes follow from them."""

from __future__ import annotations

import itertools
import json

import pytest

from finassay.core import (
    CandidateError,
    ExitCode,
    FinassayError,
    GoldError,
    InputError,
    InternalError,
    MissingExtraError,
    Place,
    worst_exit_code,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CandidateError("it does not run"), 1),
        (InputError("no such file"), 2),
        (MissingExtraError("Reading MySQL", "mysql"), 2),
        (GoldError("the reference is empty"), 4),
        (InternalError("a state that cannot be"), 4),
    ],
)
def test_the_fault_decides_the_exit_code(error, code):
    assert error.exit_code == code
    assert isinstance(error, FinassayError)


def by_the_rule(codes: tuple[int, ...]) -> int:
    """DESIGN.md, section 1: 4, else 2 if any input was bad, else 1, else 3, else 0."""
    if 4 in codes:
        return 4
    if 2 in codes:
        return 2
    if 1 in codes:
        return 1
    return 3 if 3 in codes else 0


def test_the_code_of_many_inputs():
    for length in range(4):
        for codes in itertools.product(range(5), repeat=length):
            assert worst_exit_code(codes) == by_the_rule(codes)


@pytest.mark.parametrize("code", [-1, 5, 130])
def test_a_code_that_is_none_of_ours_is_not_swallowed(code):
    with pytest.raises(ValueError, match=str(code)):
        worst_exit_code([0, code])


def test_nothing_went_wrong_where_there_is_nothing():
    assert worst_exit_code([]) == ExitCode.OK


def test_a_message_reads_from_what_to_what_next():
    error = InputError(
        "Expected a date, found 'soon'.",
        place=Place("task.yaml", 3, 8, "as_of: soon"),
        hint="Write it as 2024-12-31.",
    )
    assert str(error).splitlines() == [
        "Expected a date, found 'soon'.",
        "  at task.yaml:3:8",
        "    as_of: soon",
        "           ^",  # four blanks of the indent, then the caret under column 8
        "  Write it as 2024-12-31.",
    ]


def test_the_caret_stands_under_its_column_behind_tabs_too():
    *_, line, caret = str(Place("q.sql", 1, 3, "\t\tx")).splitlines()
    assert caret.index("^") == line.index("x")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("q.sql", 7), "q.sql:7"),
        (Place("q.sql", 7, 2), "q.sql:7:2"),
        (Place("q.sql", 7, None, "SELECT"), "q.sql:7\n    SELECT"),
    ],
)
def test_a_place_shows_what_it_knows(place, text):
    assert str(place) == text


def test_a_missing_extra_names_the_command_that_installs_it():
    assert 'pip install "finassay[mysql]"' in str(MissingExtraError("Reading MySQL", "mysql"))


def test_the_reason_is_the_class_own_unless_given():
    assert CandidateError("x").reason == "candidate_error"
    assert CandidateError("x", reason="query_refused").reason == "query_refused"
    assert CandidateError("x").reason == "candidate_error"


def test_an_error_is_json_for_machines():
    error = InputError("m", hint="h", place=Place("f", 1, 2, "t"), reason="r")
    assert json.loads(json.dumps(error.as_dict())) == {
        "reason": "r",
        "message": "m",
        "hint": "h",
        "place": {"source": "f", "line": 1, "column": 2, "text": "t"},
    }
    assert InputError("m").as_dict()["place"] is None

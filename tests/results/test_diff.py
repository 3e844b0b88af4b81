"""Two runs side by side: samples, outcomes, scores; refused where the questions may differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.results import Outcome, ResultRow, diff, write_rows
from support.result_rows import row

WRONG = {"audited": {"score": 0.0}}


def written(folder: Path, name: str, *rows: ResultRow) -> Path:
    path = folder / f"{name}.parquet"
    write_rows(rows, path)
    return path


def test_changes_are_named_and_counts_are_of_common_samples(tmp_path):
    a = written(tmp_path, "a", row("s1"), row("s2"), row("s3", scores=WRONG), row("s4"), row("only_a"))
    b = written(
        tmp_path,
        "b",
        row("s1"),
        row("s2", outcome=Outcome.LIMIT, status="cost_limit"),
        row("s3"),
        row("s4", scores=WRONG),
        row("only_b"),
    )
    found = diff(a, b)
    assert (found.common, found.unchanged, found.a.samples, found.b.samples) == (4, 1, 5, 5)
    assert (found.a.only_here, found.b.only_here) == (["smoke/only_a"], ["smoke/only_b"])
    assert found.transitions == {"scored -> limit": 1}
    assert [(one.sample, one.a.outcome, one.b.outcome, one.b.scores) for one in found.changes] == [
        ("s2", "scored", "limit", {}),
        ("s3", "scored", "scored", {"audited": 1.0}),
        ("s4", "scored", "scored", {"audited": 0.0}),
    ]
    [audited] = found.profiles
    assert (audited.both_right, audited.only_a, audited.only_b, audited.neither) == (1, 2, 1, 0)
    assert str(audited.a).startswith("3/4")
    assert str(audited.b).startswith("2/4")


def test_the_test_is_mcnemars_where_each_task_has_one_sample(tmp_path):
    """Five discordant pairs on one side: exact two-sided p = 2 / 2**5."""
    names = [f"s{number}" for number in range(8)]
    a = written(
        tmp_path,
        "a",
        *(
            row(name, task=name, scores=WRONG if number < 5 else {"audited": {"score": 1.0}})
            for number, name in enumerate(names)
        ),
    )
    b = written(tmp_path, "b", *(row(name, task=name) for name in names))
    [audited] = diff(a, b).profiles
    assert (audited.test, audited.p_value, audited.difference) == ("exact_mcnemar", 0.0625, 0.625)


def test_a_run_does_not_differ_from_itself(tmp_path):
    path = written(tmp_path, "a", row("s1"), row("s2", outcome=Outcome.ERROR, status="error"))
    found = diff(path, path)
    assert (found.unchanged, found.changes, found.transitions) == (2, [], {})


def test_runs_of_one_file_are_named(tmp_path):
    path = written(tmp_path, "both", row(run="x"), row(run="y", scores=WRONG))
    assert len(diff(path, path, run_a="x", run_b="y").changes) == 1
    with pytest.raises(InputError, match=r"Expected one run in .*, but it holds 2: x, y"):
        diff(path, path)
    with pytest.raises(InputError, match="holds no run 'z'; its runs are x, y"):
        diff(path, path, run_a="z", run_b="y")


def test_runs_of_different_versions_or_suites_are_refused(tmp_path):
    a = written(tmp_path, "a", row(suite="buysideflow", suite_version="404"))
    b = written(tmp_path, "b", row(suite="buysideflow", suite_version="408"))
    c = written(tmp_path, "c", row(suite_version="404"))
    with pytest.raises(
        InputError, match=r"a\.parquet is of buysideflow 404, and .*b\.parquet of version 408: an id may"
    ):
        diff(a, b)
    with pytest.raises(InputError, match="asked different questions"):
        diff(a, c)


def test_a_run_that_mixes_versions_is_refused(tmp_path):
    path = written(tmp_path, "a", row(), row(suite_version="2"))
    with pytest.raises(InputError, match="mixes smoke 1 and smoke 2"):
        diff(path, path)


def test_runs_without_a_common_sample_are_refused(tmp_path):
    with pytest.raises(InputError, match="no sample in common"):
        diff(written(tmp_path, "a", row("s1")), written(tmp_path, "b", row("s2")))

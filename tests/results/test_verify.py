"""What `verify` finds: each problem planted once, and nothing in files that are as they should be."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from finassay.results import Outcome, ResultRow, expected_row, verify, write_rows
from support.result_rows import row


def written(folder: Path, name: str, *rows: ResultRow) -> Path:
    path = folder / f"{name}.parquet"
    write_rows(rows, path)
    return path


def expected(sample: str, **columns: object) -> ResultRow:
    given = {name: getattr(row(), name) for name in ("run", "suite", "suite_version", "source", "task")}
    return expected_row(**{**given, **columns}, sample=sample)


def test_files_that_are_as_they_should_be(tmp_path):
    a = written(
        tmp_path, "a", row("s1"), expected("s1"), row("s2", outcome=Outcome.LIMIT, status="cost_limit")
    )
    b = written(tmp_path, "b", row("s1"), row("s3", outcome=Outcome.ERROR, status="error"))
    found = verify([a, b], expected=["s1", "s2", "s3"])
    assert found.clean
    assert (found.rows, found.runs, [file.rows for file in found.files]) == (5, ["r"], [3, 2])


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        ({"scores": {"audited": {"rows": 1.0}}}, "scores", "no score under any profile"),
        (
            {"outcome": "unscored", "status": "not_scored", "scores": {"audited": {"score": 1.0}}},
            "scores",
            "there is a score",
        ),
        ({"status": "tired"}, "status", "The suite smoke has no status 'tired'"),
        ({"status": "time_limit"}, "outcome", "scored, but 'time_limit' means limit"),
        ({"status": "malformed"}, "status", "scores 0 under audited, but the source says 1"),
        ({"attempt": 0}, "outcome", "attempt 0 has the status 'ok'"),
        ({"submission": "a", "submission_sha256": "0" * 64}, "submission_hash", "another hash"),
        ({"tokens_in": 5, "tokens_cached": 6}, "tokens", "more tokens came from a cache"),
    ],
)
def test_a_row_that_contradicts_itself(tmp_path, wrong, kind, says):
    path = written(tmp_path, "a", row("s0"), row("s1", **wrong))
    found = [problem for problem in verify([path]).problems if problem.kind == kind]
    assert [problem.where for problem in found] == [f"row 2 of {path}"]
    assert says in found[0].says


def test_rows_that_were_changed_afterwards(tmp_path):
    path = written(tmp_path, "a", row("s1"))
    table = pq.read_table(path)
    file = pq.ParquetFile(path)
    changed = table.set_column(0, table.schema.field(0), pa.array(["other"]))
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(changed)
        writer.add_key_value_metadata(file.metadata.metadata)
    [problem] = verify([path]).problems
    assert (problem.kind, problem.says) == ("content_changed", "not the rows that it was written with")


def test_one_key_in_two_files_with_different_rows(tmp_path):
    a, b = written(tmp_path, "a", row("s1")), written(tmp_path, "b", row("s1", steps=3))
    [problem] = verify([tmp_path]).problems
    assert (problem.kind, problem.where) == ("key_twice", f"row 1 of {b}")
    assert f"row 1 of {a} has the same key" in problem.says


def test_one_run_of_two_versions(tmp_path):
    [problem] = verify([written(tmp_path, "a", row("s1"), row("s1", suite_version="2"))]).problems
    assert (problem.kind, problem.says) == ("mixed_versions", "mixes smoke 1 and smoke 2")


def test_samples_that_are_missing(tmp_path):
    path = written(tmp_path, "a", row("s1"), expected("s2"), row("s1", epoch=2), row("s2", epoch=2))
    found = verify([path], expected=["s1", "s2", "s3"])
    assert [(one.run, one.epoch, one.expected, one.samples) for one in found.missing] == [
        ("r", 1, 3, ["s2", "s3"]),
        ("r", 2, 3, ["s3"]),
    ]
    assert not found.clean
    assert verify([path]).missing[0].samples == ["s2"]

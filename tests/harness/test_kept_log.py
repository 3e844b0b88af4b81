"""A log that was written by Inspect 0.3.285 gives the same rows under every later version.

The rows beside it were read once and looked at: of three tasks the first and the third are right, each attempt has six
turns with one reply without a call, a look at a table that is not there, a submission before anything ran, and a
statement that is none.
"""

from __future__ import annotations

import json
from pathlib import Path

from finassay.harness import read_eval_rows
from finassay.results import ResultRow

DATA = Path(__file__).parent / "data"


def test_a_kept_log_gives_the_rows_that_it_gave():
    kept = json.loads((DATA / "inspect-0.3.285.rows.json").read_text(encoding="utf-8"))
    rows = list(read_eval_rows(DATA / "inspect-0.3.285.eval"))
    assert rows == [ResultRow.model_validate(row) for row in kept]


def test_the_rows_are_what_was_looked_at():
    rows = {row.sample: row for row in read_eval_rows(DATA / "inspect-0.3.285.eval")}
    right = {name: row.headline("audited") for name, row in rows.items()}
    assert right == {"drawdown_zh": 1, "first_version_zh": 0, "industry_count_en": 1}
    for row in rows.values():
        assert row.steps == 6
        assert row.tool_calls == {"describe_columns": 1, "submit": 2, "run_code": 2}
        assert row.model == "finassay-scripted/careless"

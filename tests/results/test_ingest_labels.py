"""Labels of an audit: one row per sample, its score follows from confirmed and unresolved violations."""

from __future__ import annotations

from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.results import ResultRow, RunFacts, ingest

FACTS = RunFacts("buysideflow", "408", run="gpt-5.5", model="gpt-5.5")
CSV = """sample,code,evidence,status
stock_001,A1,"报告期被当作披露日, 第3行",confirmed
stock_001,B2,猜测的列名,已确认
fund_002,A3,多个版本未取舍,待定
bond_003,,,
macro_004,B1,wrong table,confirmed
stock_005,A2,当前状态,驳回
"""


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding=encoding)
    return path


def rows_of(path: Path) -> dict[str, ResultRow]:
    return {row.sample: row for row in ingest(path, FACTS)}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk"])
def test_a_csv_in_any_of_the_usual_encodings(tmp_path, encoding):
    rows = rows_of(write(tmp_path / "labels.csv", CSV, encoding))
    assert {sample: (row.outcome, row.headline("pit")) for sample, row in rows.items()} == {
        "stock_001": ("scored", 0.0),  # A1 confirmed
        "fund_002": ("unscored", None),  # A3 open, and nothing confirmed
        "bond_003": ("scored", 1.0),  # audited, nothing found
        "macro_004": ("scored", 1.0),  # an error that is none of time
        "stock_005": ("scored", 1.0),  # rejected
    }
    [first, second] = rows["stock_001"].labels
    assert (first.code, first.evidence, first.status) == ("A1", "报告期被当作披露日, 第3行", "confirmed")
    assert (second.code, second.status) == ("B2", "已确认")
    assert rows["stock_001"].scores["pit"] == {"A1": 0, "A2": 1, "A3": 1, "score": 0}
    assert rows["fund_002"].scores["pit"] == {"A1": 1, "A2": 1, "A3": None, "score": None}
    assert rows["fund_002"].status == "unresolved"


def test_a_confirmed_violation_counts_despite_what_is_unresolved(tmp_path):
    """Paper, 4.1: records with confirmed violations enter the numerator despite other unresolved issues."""
    text = "sample,code,evidence,status\nx,A1,e,confirmed\nx,A3,e,unresolved\n"
    assert rows_of(write(tmp_path / "labels.csv", text))["x"].headline("pit") == 0


def test_jsonl_with_more_fields(tmp_path):
    text = (
        '{"instance_id": "x", "code": "A2", "evidence": "第5步", "status": "confirmed", "annotator": "甲"}\n'
        '{"instance_id": "y", "code": "None", "status": ""}\n'
    )
    rows = rows_of(write(tmp_path / "labels.jsonl", text))
    assert rows["x"].extra == {"label_fields": [{"annotator": "甲", "code": "A2"}]}
    assert rows["y"].headline("pit") == 1
    assert rows["y"].labels == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sample,evidence\nx,e\n", "has no column code: its first line names sample, evidence"),
        ("sample,code,evidence,status\nx,A1,e,maybe\n", "line 2: Labels have no status 'maybe'"),
        ("sample,code,evidence,status\nx,A1,e\n", "line 2 has not as many cells as the header"),
        ("sample,code,evidence,status\nx,A1,a,b,confirmed\n", "line 2 has not as many cells as the header"),
        ("sample,code,evidence,status\n,A1,e,confirmed\n", "line 2 does not say which sample"),
        ('sample,code,evidence,status\nx,A1,"open,confirmed\n', "is no CSV: unexpected end of data"),
    ],
)
def test_labels_that_are_none(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint):
        rows_of(write(tmp_path / "labels.csv", text))

"""Whatever JSON a source holds, it becomes rows or is refused by name."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.results import Kind, ResultRow, RunFacts, ingest, read_rows, write_rows
from support.result_rows import VALUES

NUMBERS = st.integers() | st.floats() | st.booleans()
LIKELY = st.sampled_from(
    [
        "ok",
        "submitted",
        "exit_cost",
        "confirmed",
        "A1",
        "{}",
        "",
        1,
        0,
        None,
        {"paper": {"score": 1}},
        {"run_code": 2},
    ]
)
ANY = LIKELY | VALUES | NUMBERS
OWN = sorted(
    {
        *ResultRow.model_fields,
        "id",
        "prediction",
        "predict_result",
        "score",
        "cost",
        "messages",
        "choices",
        "code",
    }
)
FIELDS = st.sampled_from(OWN)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a record whose id is there, mostly, and few of whose fields hold anything."""
    named = draw(st.sampled_from(["a", "b", 7, "a", "b", None]))
    return {"prediction": "{}", **draw(st.dictionaries(FIELDS, ANY, max_size=3)), "id": named}


def tried(path: Path, kind: Kind) -> None:
    """Ingest; where that works, what was written is what was read."""
    try:
        rows = list(ingest(path, RunFacts("buysideflow", "1", profile="audited"), kind=kind))
    except InputError:
        return
    target = path.parent / "rows.parquet"
    write_rows(rows, target, force=True)
    assert list(read_rows(target)) == sorted(rows, key=lambda row: row.key)


@settings(max_examples=150)
@given(st.lists(records(), max_size=3), st.sampled_from([Kind.PREDICTIONS, Kind.LABELS]))
def test_lines(lines, kind):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        tried(path, kind)


STEP = st.fixed_dictionaries({"action": LIKELY | ANY, "execution_time": NUMBERS | ANY})
STATS = st.dictionaries(st.sampled_from(["tokens_sent", "instance_cost", "api_calls"]), NUMBERS | ANY)
INFO = st.fixed_dictionaries(
    {}, optional={"exit_status": LIKELY, "submission": ANY, "model_stats": STATS, "x": ANY}
)
TRAJECTORY = st.fixed_dictionaries({}, optional={"trajectory": st.lists(STEP, max_size=2), "info": INFO})
PREDICTION = st.fixed_dictionaries({}, optional={"model_patch": ANY, "model_name_or_path": ANY, "y": ANY})


def mostly(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw what is expected five times of six, and else anything."""
    return st.integers(0, 5).flatmap(lambda number: strategy if number else ANY)


@settings(max_examples=150)
@given(
    mostly(TRAJECTORY),
    mostly(PREDICTION),
    mostly(st.none() | st.dictionaries(st.sampled_from(["a", "b"]), mostly(PREDICTION))),
)
def test_a_run(trajectory, own, predictions):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        (folder / "a").mkdir(parents=True)
        (folder / "a" / "a.traj").write_text(json.dumps(trajectory))
        (folder / "a" / "a.pred").write_text(json.dumps(own))
        if predictions is not None:
            (folder / "preds.json").write_text(json.dumps(predictions))
        tried(folder, Kind.SWE_AGENT)

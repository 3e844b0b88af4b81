"""Rows for tests: complete ones from a few words, and any rows at all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from finassay.results import Outcome, ResultRow


def row(sample: str = "s1", **columns: Any) -> ResultRow:
    """Return a right answer to a sample of the smoke suite, with other columns where they are given."""
    given = {
        "run": "r",
        "suite": "smoke",
        "suite_version": "1",
        "task": "smoke",
        "sample": sample,
        "source": "predictions",
        "outcome": "scored",
        "status": "ok",
    }
    if columns.get("outcome", "scored") == "scored":
        given["scores"] = {"audited": {"score": 1.0}}
    return ResultRow(**{**given, **columns})


TEXTS = st.text(max_size=12) | st.sampled_from(["截至2024-12-24的净利润", "\ud83d", "a\x00b", "é", "𠮷"])
NAMES = st.sampled_from(["score", "行数", "rows"]) | st.text(min_size=1, max_size=5)
NUMBERS = st.none() | st.floats(allow_infinity=False) | st.sampled_from([0.0, 1.0])
COUNTS = st.none() | st.integers(0, 2**40)
SHA256 = st.none() | st.sampled_from(["0" * 64, "ab" * 32])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def any_row(draw: st.DrawFn, samples: st.SearchStrategy[str] = NAMES) -> ResultRow:
    """Draw a row with anything in it."""
    return ResultRow(
        run=draw(st.sampled_from(["a", "模型乙"])),
        suite="buysideflow",
        suite_version="1",
        task="buysideflow",
        sample=draw(samples),
        epoch=draw(st.integers(1, 2)),
        attempt=draw(st.integers(0, 2)),
        source="predictions",
        outcome=draw(st.sampled_from(Outcome)),
        status=draw(NAMES),
        scores=draw(st.dictionaries(NAMES, st.dictionaries(NAMES, NUMBERS, max_size=2), max_size=2)),
        labels=draw(
            st.lists(st.fixed_dictionaries({"code": NAMES, "status": NAMES, "evidence": TEXTS}), max_size=2)
        ),
        submission=draw(st.none() | TEXTS),
        tool_calls=draw(st.dictionaries(NAMES, st.integers(0, 9), max_size=2)),
        tokens_in=draw(COUNTS),
        cost_usd=draw(st.none() | st.floats(0, 100)),
        log_sha256=draw(SHA256),
        extra=draw(st.dictionaries(TEXTS, VALUES, max_size=2)),
    )

"""The released comparator, reproduced: every recorded verdict, and no crash on tables nobody recorded."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.grading import compare_paper

OBJECTS: dict[str, Callable[[Any], Any]] = {
    "nan": lambda _: float("nan"),
    "nat": lambda _: pd.NaT,
    "inf": lambda _: float("inf"),
    "-inf": lambda _: float("-inf"),
    "ts": pd.Timestamp,
    "date": dt.date.fromisoformat,
    "dec": Decimal,
}


def frames(side: dict[str, Any]) -> list[pd.DataFrame]:
    def cell(value: Any) -> Any:
        return OBJECTS[value["$"]](value.get("v")) if isinstance(value, dict) else value

    return [
        pd.DataFrame([[cell(value) for value in row] for row in one["rows"]], columns=one["columns"])
        for one in side.get("frames", [side])
    ]


@pytest.mark.shared
def test_every_recorded_verdict_and_its_stage(shared: Callable[[str], Path]) -> None:
    lines = shared("data/golden/bsf_tables.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = []
    for line in lines:
        case = json.loads(line)
        verdict = compare_paper(
            case["question"], case["strict"], frames(case["reference"]), frames(case["generated"])
        )
        if (verdict.passed, verdict.detail) != (case["pass"], case["detail"]):
            wrong.append((case["id"], verdict.detail, case["detail"]))
    assert len(lines) >= 1126
    assert wrong == []


def one(*values: Any) -> list[pd.DataFrame]:
    return [pd.DataFrame({"v": list(values)})]


@pytest.mark.parametrize(
    ("question", "reference", "generated", "passes"),
    [  # the edge cases that the specification verified on the released code
        ("q", one("005847"), one("005847.OF"), True),
        ("q", one(1.23444), one(1.23445), True),
        ("保留2位小数，升序", one(-22.45, 35.91, 110.7), one(-0.22, 0.36, 1.11), True),
        (
            "保留2位小数",
            one(-22.45, 35.91, 110.7),
            one(-0.22, 0.36, 1.11),
            False,
        ),  # "110.7" sorts before "35.91"
        ("保留2位小数", one(35.91), one(0.37), False),
        ("保留2位小数", one(38.01), one(0.39), False),
        ("保留2位小数", one(105.5), one(1.06), True),
        ("保留2位小数", one(105.5), one(1.05), False),
        ("q", one(123456789), one(1.23), False),
        ("q", one(3), one(300), True),
        ("q", one(2024), one(202400), True),
        ("q", one("000001"), one("000100"), True),
        ("q", one(12340000), one(1234), True),
        ("保留2位小数", one(12.34), one(0.12), True),
        ("保留2位小数", one(12.34), one(0.1249), True),
        ("金额保留2位小数，比率保留4位小数", one(0.1234), one(0.1199), True),
        ("保留两位小数", one("1.2345"), one(1.23), False),
        ("q", one("12.34%"), one(12.34), False),
        ("q", one("1,234"), one(1234), False),
        ("q", one("2025-01-31 00:00:00"), one(dt.date(2025, 1, 31)), False),
        ("q", one("", "3"), one(float("nan"), 3.0), False),
        ("保留2位小数", one("2.675"), one(2.68), False),
        ("保留2位小数", one(2.675), one(2.68), True),
        ("Descending", one(2, 1), one(1, 2), True),
        ("descending", one(2, 1), one(1, 2), False),
        ("按v排序", one(2, 1), one(1, 2), True),
    ],
)
def test_known_edges(
    question: str, reference: list[pd.DataFrame], generated: list[pd.DataFrame], passes: bool
) -> None:
    assert compare_paper(question, True, reference, generated).passed is passes


def test_the_bag_of_cells_accepts_nonsense() -> None:
    hundred = one(*range(100))
    assert compare_paper("q", False, one(1, 2), hundred).detail == "pass:cell_bag"
    assert not compare_paper("q", True, one(1, 2), hundred).passed


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.decimals(), st.dates(),
    st.sampled_from([pd.NaT, pd.NA, pd.Timestamp("2025-01-31 10:00"), np.float32(0.1), "１２", "1e400", "005847.OF"]),
)  # fmt: skip
FRAMES = st.lists(
    st.integers(0, 3).flatmap(
        lambda width: st.builds(
            lambda rows, names: pd.DataFrame(rows, columns=names[:width]),
            st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=4),
            st.just(["a", "b", "a"]) | st.just(["a", "b", "c"]),
        )
    ),
    max_size=2,
)
QUESTIONS = st.sampled_from(["q", "保留0位小数", "保留99999999999位小数", "降序", "rounded to 2 decimal"])


@settings(max_examples=300, deadline=None)
@given(QUESTIONS, st.booleans(), FRAMES, FRAMES)
def test_no_table_crashes_it(
    question: str, strict: bool, left: list[pd.DataFrame], right: list[pd.DataFrame]
) -> None:
    assert compare_paper(question, strict, left, right).detail.split(":")[0] in {"pass", "fail", "exception"}


@settings(max_examples=100, deadline=None)
@given(FRAMES)
def test_a_table_is_itself(tables: list[pd.DataFrame]) -> None:
    assert compare_paper("q", True, tables, [table.copy() for table in tables]).passed


def test_a_number_too_large_to_round_is_no_warning_of_ours() -> None:
    import pandas as pd

    frame = pd.DataFrame({"v": [1e306, 1.5]})
    assert compare_paper("保留4位小数", True, [frame], [frame.copy()]).passed


def column(name: str, *values: Any) -> list[pd.DataFrame]:
    return [pd.DataFrame({name: list(values)})]


@pytest.mark.parametrize(
    ("decimals", "reference", "generated", "passes"),
    [
        (4, "1.2345", 0.012, True),  # 0.012 shows three decimals of four; 0.012345 is 0.012 there
        (4, "1.2345", 0.013, False),
        (4, "1.2345", 0.0123, True),  # four shown: 0.0123
        (4, "2.46", 0.0246, True),
        (4, "2.4649", 0.0246, True),
        (4, "2.4651", 0.0246, False),  # 0.0247 at the four decimals shown
        (4, "1.49", 0.01, True),  # two are the fewest of four
        (4, "1.51", 0.01, False),
        (6, "0.0049", 5e-05, True),  # five shown of six: 0.000049 is 0.00005
        (6, "0.0044", 5e-05, False),
        (4, "0.012", 1.2, True),  # and the other way, times 100
        (4, "0.01249", 1.25, True),  # 1.249 at the two shown
        (4, "0.01249", 1.24, False),
        (1, "14", 0.1, True),  # one is all there is
        (0, "149", 1, True),
    ],
)
def test_a_factor_of_100_compares_at_the_decimals_that_the_generated_number_shows(
    decimals: int, reference: str, generated: float, passes: bool
) -> None:
    question = f"保留{decimals}位小数"
    assert compare_paper(question, True, one(reference), one(generated)).passed is passes


@pytest.mark.parametrize(
    ("reference", "generated", "passes"),
    [
        (column("close price", "1"), column("CLOSE  PRICE", 1), True),  # blanks are collapsed
        (column("close price", "1"), column("closeprice", 1), False),
        (column("\ufeffv", "1"), column("v", 1), True),
        (column("\ufeff v", "1"), column("v", 1), False),  # the blank after the mark stays
    ],
)
def test_headers(reference: list[pd.DataFrame], generated: list[pd.DataFrame], passes: bool) -> None:
    assert compare_paper("q", True, reference, generated).passed is passes


def test_the_bag_reads_a_code_that_lost_its_suffix_as_a_number() -> None:
    plain, listed = one("751177"), one("751177.SH", "000001.SZ")
    assert compare_paper("q", False, plain, listed).detail == "pass:cell_bag"
    assert compare_paper("q", False, one("751178"), listed).detail == "fail:all_stages"


@pytest.mark.parametrize(
    ("question", "passes"),
    [  # 1.23 for 1.2345 is right at two decimals only
        (
            "小数点后4位，保留到小数点后2位",
            True,
        ),  # the longer phrase comes first in the list, not in the text
        ("保留到小数点后4位，小数点后2位", False),
        ("保留到小数点后2位，保留4位小数", False),  # and 保留N位小数 before both
    ],
)
def test_the_first_phrase_of_the_list_declares_the_decimals(question: str, passes: bool) -> None:
    assert compare_paper(question, True, one("1.2345"), one(1.23)).passed is passes


def test_a_negative_zero_is_zero_only_where_whole_tables_are_equal_as_they_stand() -> None:
    assert compare_paper("q", True, one(5.0, -0.0), one(5.0, 0.0)).passed
    assert not compare_paper("q", True, one("5.0", "-0.0"), one("5.0", "0.0")).passed

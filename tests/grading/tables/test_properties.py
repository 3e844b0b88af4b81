"""What never changes a verdict, and what always does."""

from __future__ import annotations

import math
import random

import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from finassay.grading import OutputContract, compare_tables

COLUMNS = """
  - {name: code}
  - {name: revenue, aliases: [营收], type: number, unit: CNY, decimals: 2}
  - {name: growth, type: number}
  - {name: count, type: integer}
"""
KEYED = OutputContract.parse(f"columns: {COLUMNS}\nkey: [code]")
WHOLE = OutputContract.parse(f"columns: {COLUMNS}")
NAMES = ["code", "revenue", "growth", "count"]
Row = tuple[str, int, float, int]  # revenue in hundredths

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "银行"]),
        st.integers(-(10**12), 10**12).filter(lambda v: abs(v) > 1),
        st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-3),
        st.integers(-(10**9), 10**9).filter(bool),
    ),
    min_size=1,
    max_size=12,
)
CONTRACTS = st.sampled_from([KEYED, WHOLE])
SEEDS = st.randoms(use_true_random=False)


def build(rows: list[Row]) -> pa.Table:
    code, revenue, growth, count = zip(*rows, strict=True)
    return pa.table([list(code), [v / 100 for v in revenue], list(growth), list(count)], names=NAMES)


@settings(max_examples=150, deadline=None)
@given(CONTRACTS, ROWS, SEEDS)
def test_order_of_rows_and_columns_units_and_float_noise_change_nothing(
    contract: OutputContract, rows: list[Row], draw: random.Random
) -> None:
    shuffled = draw.sample(rows, len(rows))
    table = build(shuffled)
    noisy = [v * (1 + draw.choice([-1, 0, 1]) * 2e-16) for v in table["growth"].to_pylist()]
    table = table.set_column(2, "growth", pa.array(noisy))
    unit, factor = draw.choice([("revenue", 1), ("营收（万元）", 10**4), ("Revenue (CNY millions)", 10**6)])
    restated = [f"{v / 100 / factor:.12f}" for _, v, _, _ in shuffled]
    table = table.set_column(1, unit, pa.array(restated))
    table = table.select(draw.sample(table.column_names, 4))
    verdict = compare_tables(build(rows), table, contract)
    assert verdict.equal, verdict.to_text()


@given(st.integers(-(10**9), 10**9), st.integers(-3, 3))
@example(0, 3)
def test_float_noise_at_the_edge_of_what_is_allowed_changes_nothing(half_steps: int, ulps: int) -> None:
    """Half a cent away is just equal under two decimals, and so is what arithmetic leaves of half a cent."""
    contract = OutputContract.parse("columns: [{name: v, type: number, decimals: 2}]")
    reference, edge = half_steps / 100, (2 * half_steps + 1) / 200
    noisy = edge
    for _ in range(abs(ulps)):
        noisy = math.nextafter(noisy, math.copysign(math.inf, ulps))
    for candidate in (edge, noisy):
        assert compare_tables(pa.table({"v": [reference]}), pa.table({"v": [candidate]}), contract).equal


def spoil(rows: list[Row], draw: random.Random, how: str) -> list[Row]:
    """Make one change that a reader would call wrong."""
    at = draw.randrange(len(rows))
    code, revenue, growth, count = rows[at]
    spoiled = {
        "one wrong cell": draw.choice([
            (code, revenue + draw.choice([-1, 1]), growth, count),
            (code, revenue, growth * 1.000001, count),
            (code, revenue, growth, count + 1),
            (code + "x", revenue, growth, count),
        ]),
        "a changed sign": draw.choice([
            (code, -revenue, growth, count), (code, revenue, -growth, count), (code, revenue, growth, -count),
        ]),
    }[how]  # fmt: skip
    return [*rows[:at], spoiled, *rows[at + 1 :]]


@settings(max_examples=200, deadline=None)
@given(CONTRACTS, ROWS, SEEDS, st.sampled_from(["one wrong cell", "a changed sign"]))
def test_one_wrong_cell_and_a_changed_sign_are_always_seen(
    contract: OutputContract, rows: list[Row], draw: random.Random, how: str
) -> None:
    wrong = draw.sample(spoil(rows, draw, how), len(rows))
    verdict = compare_tables(build(rows), build(wrong), contract)
    assert not verdict.equal
    assert verdict.diff


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool), st.booleans())
@example(4e-13, False)
@example(5e-324, True)
def test_a_changed_sign_is_seen_however_small_the_number(value: float, as_text: bool) -> None:
    contract = OutputContract.parse("columns: [{name: k}, {name: v, type: number}]\nkey: [k]")
    one, other = (pa.table({"k": ["a"], "v": [repr(v) if as_text else v]}) for v in (value, -value))
    verdict = compare_tables(one, other, contract)
    assert [cell.kind for cell in verdict.diff.cells()] == ["wrong_sign"]


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_with_declared_decimals_what_rounds_to_zero_has_no_sign(a: int, b: int) -> None:
    """Ten-thousandths under two decimals: equal up to 50 apart, whichever sides of zero they are on."""
    contract = OutputContract.parse("columns: [{name: v, type: number, decimals: 2}]")
    one, other = (pa.table({"v": [v / 10_000]}) for v in (a, b))
    assert compare_tables(one, other, contract).equal is (abs(a - b) <= 50)


@given(st.lists(st.floats(-0.1, 0.1), min_size=2, max_size=8))
def test_the_noise_that_a_difference_leaves_is_zero(parts: list[float]) -> None:
    residual = sum(parts) - sum(reversed(parts))  # at most some 1e-16, where arithmetic says 0
    contract = OutputContract.parse("columns: [{name: v, type: number}]")
    assert compare_tables(pa.table({"v": [0.0]}), pa.table({"v": [residual]}), contract).equal
    assert compare_tables(pa.table({"v": [residual]}), pa.table({"v": [0.0]}), contract).equal


@settings(max_examples=150, deadline=None)
@given(CONTRACTS, ROWS, SEEDS)
def test_a_lost_duplicate_is_always_seen(
    contract: OutputContract, rows: list[Row], draw: random.Random
) -> None:
    doubled = [*rows, draw.choice(rows)]
    assert compare_tables(build(doubled), build(rows), contract).reasons == ("lost_duplicate",)
    assert compare_tables(build(rows), build(doubled), contract).reasons == ("added_duplicate",)


@settings(max_examples=150, deadline=None)
@given(CONTRACTS, ROWS, SEEDS)
def test_values_scrambled_between_rows_are_always_seen(
    contract: OutputContract, rows: list[Row], draw: random.Random
) -> None:
    counts = draw.sample([row[3] for row in rows], len(rows))
    scrambled = [(*row[:3], count) for row, count in zip(rows, counts, strict=True)]
    verdict = compare_tables(build(rows), build(scrambled), contract)
    assert verdict.equal is (sorted(scrambled) == sorted(rows))


CLOSE = st.lists(st.integers(0, 30), min_size=1, max_size=7)


@settings(max_examples=200, deadline=None)
@given(CLOSE, CLOSE, SEEDS)
def test_the_verdict_of_borderline_values_is_that_of_the_best_matching(
    left: list[int], right: list[int], draw: random.Random
) -> None:
    """Values in steps of 0.2 under a tolerance of 0.5: in one dimension the sorted pairing is the best one."""
    contract = OutputContract.parse("columns: [{name: v, type: number, decimals: 0}, {name: w}]")
    expected = len(left) == len(right) and all(
        abs(a - b) <= 2 for a, b in zip(sorted(left), sorted(right), strict=True)
    )
    right = draw.sample(right, len(right))
    a, b = (pa.table({"v": [v / 5 for v in side], "w": ["x"] * len(side)}) for side in (left, right))
    assert compare_tables(a, b, contract).equal is expected
    assert compare_tables(b, a, contract).equal is expected

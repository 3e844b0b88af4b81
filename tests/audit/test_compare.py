"""When two outputs are one answer: a unit of the last decimal is none, a whole number is exact."""

from __future__ import annotations

import duckdb
import pytest

from finassay.audit._compare import differ
from finassay.audit._subject import Output


def output(*values: str) -> Output:
    rows = ", ".join(f"({value})" for value in values)
    return Output({"result": duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(x)").to_arrow_table()})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["10.25::DOUBLE", "7.5"], ["10.26::DOUBLE", "7.5"], True),  # rounded to cents: one cent
        (["10.25::DOUBLE", "7.5"], ["10.27::DOUBLE", "7.5"], False),  # two cents
        (["1.25::DECIMAL(9,2)"], ["1.26::DECIMAL(9,2)"], True),
        (["1.25::DECIMAL(9,2)"], ["1.27::DECIMAL(9,2)"], False),
        (["3"], ["4"], False),  # a count has no decimals
        (["3.0::DOUBLE"], ["4.0::DOUBLE"], False),
        (["1.0 / 3"], ["1.0 / 3 + 1e-12"], True),  # not rounded: nine digits
        (["1.0 / 3"], ["1.0 / 3 + 1e-6"], False),
        (["NULL::DOUBLE"], ["0.0"], False),
        (["'NaN'::DOUBLE"], ["'NaN'::DOUBLE"], True),
        (["1", "2", "2"], ["2", "1", "2"], True),  # the order counts for nothing
        (["1", "2", "2"], ["1", "1", "2"], False),  # how often a row is there does
        (["1.11::DOUBLE", "5.5", "9.0"], ["9.0::DOUBLE", "1.12", "5.49"], True),  # each finds its own
    ],
)
def test_two_outputs(one: list[str], other: list[str], same: bool) -> None:
    assert (differ(output(*one), output(*other)) is None) is same
    assert (differ(output(*other), output(*one)) is None) is same

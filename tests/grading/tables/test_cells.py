"""One cell against one cell: what a column type takes for equal, and what it never does."""

from __future__ import annotations

import pyarrow as pa
import pytest

from finassay.grading import OutputContract, TableVerdict, compare_tables


def compare(reference: object, candidate: object, *, header: str = "v", **column: object) -> TableVerdict:
    contract = OutputContract.model_validate({"columns": [{"name": "v", **column}]})
    return compare_tables(pa.table({"v": [reference]}), pa.table({header: [candidate]}), contract)


def equal(reference: object, candidate: object, *, header: str = "v", **column: object) -> bool:
    return compare(reference, candidate, header=header, **column).equal


class TestCodes:
    @pytest.mark.parametrize(
        ("reference", "candidate"),
        [("BRK.A", "BRK"), ("BRK", "BRK.B"), ("BF.B", "BF"), ("VOD.L", "VOD"), ("BRK.A", "BRK.B")],
    )
    def test_a_share_class_is_not_a_market(self, reference: str, candidate: str) -> None:
        assert not equal(reference, candidate, type="code")

    def test_nor_in_a_key(self) -> None:
        contract = OutputContract.parse("{columns: [{name: c, type: code}, {name: v, type: integer}], key: [c]}")
        reference, candidate = (pa.table({"c": [c], "v": [1]}) for c in ("BRK.B", "BRK"))
        assert compare_tables(reference, candidate, contract).reasons == ("missing_row", "extra_row")

    def test_spellings_and_a_market_that_is_left_out(self) -> None:
        assert equal("BRK.B", "BRK/B", type="code")
        assert equal("600519.SH", "600519", type="code")
        assert equal("BRK.B", "BRK.B.US", type="code")
        assert not equal("000001.SZ", "000001.SH", type="code")

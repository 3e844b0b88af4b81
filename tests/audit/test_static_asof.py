"""A join that takes the row that comes next looks ahead (A1), whatever else bounds it; the last before does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from finassay.audit import Certificate, certificate_text
from finassay.audit._static import Text, obligations_of
from finassay.audit._static_python import python_obligations

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract

DIRECT = """
SELECT p.FIRM, p.DAY, r.PROFIT FROM price p
ASOF JOIN report r ON p.FIRM = r.FIRM AND {test}
WHERE p.DAY <= DATE '2024-06-30'"""
NEXT = ("p.DAY <= r.PUBLISHED", "r.PUBLISHED > p.DAY", "p.DAY < r.PUBLISHED")
LAST = ("p.DAY >= r.PUBLISHED", "r.PUBLISHED < p.DAY")
PYTHON = """
import pandas as pd
from db_connector import query_to_dataframe as q
p = q("SELECT FIRM, DAY::TIMESTAMP AS DAY FROM price WHERE DAY <= '2024-06-30' ORDER BY ALL")
r = q("SELECT FIRM, PUBLISHED::TIMESTAMP AS PUBLISHED, ID, PROFIT FROM report ORDER BY PUBLISHED, ID")
p, r = p.sort_values("DAY"), r.sort_values(["PUBLISHED", "ID"])
result = pd.merge_asof(p, r, left_on="DAY", right_on="PUBLISHED", by="FIRM"{way})[["FIRM", "DAY", "PROFIT"]]
"""


@pytest.mark.parametrize("test", [*NEXT, *LAST])
def test_the_direction_of_an_asof_join(catalog: Catalog, contract: Contract, test: str) -> None:
    found = list(obligations_of([Text(DIRECT.format(test=test), "duckdb", False, 1)], catalog, contract))
    of_report = {(o.requirement.value, o.rule, o.status) for o in found if o.table == "report"}
    assert (("A1", "availability", "open") in of_report) is (test in NEXT)
    assert (("A3", "version", "discharged") in of_report) is (test in LAST)
    asof = [o for o in found if "comes next" in o.why]
    assert [o.line for o in asof] == [3] * (test in NEXT)


@pytest.mark.parametrize(
    ("way", "open_"), [("", 0), (", direction='backward'", 0), (", direction='forward'", 1)]
)
def test_the_direction_of_merge_asof(catalog: Catalog, way: str, open_: int) -> None:
    found = [o for o in python_obligations(PYTHON.format(way=way), catalog) if o.rule == "availability"]
    assert [(o.requirement.value, o.status, o.line) for o in found] == [("A1", "open", 7)] * open_
    polars = (
        PYTHON.format(way=way).replace("pd.merge_asof(p, r", "p.join_asof(r").replace("direction", "strategy")
    )
    assert len([o for o in python_obligations(polars, catalog) if o.rule == "availability"]) == open_


def test_its_witness_is_of_the_same_type(audited: Callable[..., Certificate]) -> None:
    sql = audited(DIRECT.format(test=NEXT[0]))
    assert "A1" in {w.requirement for w in sql.witnesses if w.table == "report"}, certificate_text(sql)
    python = audited(python=PYTHON.format(way=", direction='nearest'"))
    assert "A1" in {w.requirement for w in python.witnesses if w.table == "report"}, certificate_text(python)
    last = audited(DIRECT.format(test=LAST[0]))
    assert "A1" not in {w.requirement for w in last.witnesses}, certificate_text(last)

"""The examples of the reference page and of the docstrings are true."""

from __future__ import annotations

import doctest
from pathlib import Path

import finassay.statistics._rates as rates

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "statistics.md"


def test_the_reference_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0


def test_the_docstring_examples() -> None:
    found = doctest.testmod(rates)
    assert found.attempted > 0
    assert found.failed == 0


def test_every_reason_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    raised = set()
    for module in (ROOT / "src" / "finassay" / "statistics").glob("*.py"):
        for part in module.read_text(encoding="utf-8").split('reason="')[1:]:
            raised.add(part.split('"')[0])
    assert len(raised) >= 9
    assert {reason for reason in raised if f"`{reason}`" not in page} == set()

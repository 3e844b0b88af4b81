"""The gold answers of public question files, each against what its own file says beside it."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from finassay.grading import parse_quantity

pytestmark = pytest.mark.shared
SCRIPT = Path(__file__).parents[3] / "scripts" / "report_gold_numbers.py"


@pytest.fixture(scope="module")
def reporter() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report_gold_numbers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def outcomes(reporter: ModuleType, shared: Callable[[str], Path]) -> list:
    for name in reporter.FILES.values():
        shared(f"data/questions/{name}")
    return reporter.report(shared("data/questions"))


def test_at_least_three_thousand_golds_agree_with_their_files(reporter: ModuleType, outcomes: list) -> None:
    agreed = [row for row in outcomes if row.outcome == "agreed"]
    assert sum(row.kind == "number" for row in agreed) >= 3_000
    # Numbers and dates that had to be read, not JSON's own numbers, and more than the year of each was checked.
    assert sum(row.printed and row.evidence != reporter.YEAR_ONLY for row in agreed) >= 3_000


def test_evidence_other_than_the_digits_themselves_covers_most_numbers(outcomes: list) -> None:
    evidence = Counter(row.evidence for row in outcomes if row.kind == "number" and row.outcome == "agreed")
    assert evidence["executed program"] > 1_400
    assert evidence["derivation"] + evidence["scale field"] > 1_000


def test_only_three_kinds_of_numeric_golds_are_not_read(outcomes: list) -> None:
    refused = {
        (row.raw, row.reason) for row in outcomes if row.kind == "number" and row.outcome == "unparsed"
    }
    assert refused == {
        ("`70.07", "unknown_word"),  # a rupee sign that the extraction from PDF lost
        ("AU 18 cents", "unknown_word"),
        ("3.45 cents per Ordinary share", "unknown_word"),  # whose cents the text does not say
        ("0727", "leading_zeros"),  # the gold lost its "0.": the question asks for a drawdown
    }


def test_where_we_disagree_the_file_contradicts_itself(reporter: ModuleType, outcomes: list) -> None:
    """The printed answer is read digit by digit as it stands; it is not what the file's own program gives."""
    disagreed = [row for row in outcomes if row.outcome == "disagreed"]
    assert {row.file for row in disagreed} == {"ConvFinQA subset"}
    assert len(disagreed) < 0.03 * sum(row.file == "ConvFinQA subset" for row in outcomes)
    for row in disagreed:
        assert Fraction(parse_quantity(row.raw).value) == reporter.plain_value(row.raw)


def test_dates_that_are_not_read_are_spans_relative_or_impossible(outcomes: list) -> None:
    reasons = Counter(row.reason for row in outcomes if row.kind == "date" and row.outcome == "unparsed")
    assert set(reasons) == {"range", "not_a_period", "invalid_date"}
    assert reasons.total() <= 21


def test_every_expectation_is_formed_without_finassay(
    reporter: ModuleType, shared: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, outcomes: list
) -> None:
    def never(*_: object) -> None:
        pytest.fail("an expectation was read by the code under test")

    for name in ("parse_quantity", "parse_date", "parse_period"):
        monkeypatch.setattr(reporter, name, never)
    golds = [gold for reader in reporter.READERS for gold in reader(shared("data/questions"))]
    assert len(golds) == len(outcomes)


@pytest.mark.parametrize(
    ("derivation", "brackets_are_minus", "value"),
    [
        ("(1,234.5 - .5) / 2", False, Fraction(617)),
        ("$5 + 10%", False, Fraction(15)),  # the digits, as the file's own arithmetic has them
        ("(5) - 2", True, Fraction(-7)),
        ("(5) - 2", False, Fraction(3)),
    ],
)
def test_a_derivation_is_worked_out_from_its_digits(
    reporter: ModuleType, derivation: str, brackets_are_minus: bool, value: Fraction
) -> None:
    assert reporter.evaluate(derivation, brackets_are_minus) == value


def test_the_page_prints_what_the_report_prints(
    reporter: ModuleType, outcomes: list, capsys: pytest.CaptureFixture[str]
) -> None:
    reporter.print_table(outcomes)
    page = (SCRIPT.parents[1] / "docs" / "reference" / "values.md").read_text(encoding="utf-8")
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(printed) == len(reporter.FILES) + 3
    assert [line for line in printed if line not in page] == []


def test_the_check_would_notice_a_wrong_reading(reporter: ModuleType) -> None:
    right = reporter.Gold(
        "f", "1", "number", "$1,496.5", "million", Fraction("1496.5"), scale=10**6, unit="USD"
    )
    assert reporter.check(right).outcome == "agreed"
    for field, value, reason in (
        ("value", Fraction("1.4965"), "value"),
        ("scale", 1, "scale"),
        ("unit", "CNY", "unit"),
    ):
        wrong = reporter.Gold(**{**vars(right), field: value})
        assert (reporter.check(wrong).outcome, reporter.check(wrong).reason) == ("disagreed", reason)
    executed = reporter.Gold(
        "f", "2", "number", "10%", unit="percent", magnitude=Fraction("-0.1"), tolerance=Fraction(1, 100)
    )
    assert reporter.check(executed).reason == "sign"

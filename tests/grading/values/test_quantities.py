"""What a printed number says: its value, its scale, its unit; and what it does not say."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from finassay.core import InputError
from finassay.grading import (
    Quantity,
    UnitMismatch,
    Unparsed,
    parse_code,
    parse_date,
    parse_datetime,
    parse_enumeration,
    parse_period,
    parse_quantity,
    parse_unit,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # separators
        ("1,234,567.89", "1234567.89"),
        ("1 234 567,89", "1234567.89"),
        ("1\u202f234\u00a0567,89", "1234567.89"),
        ("1.234.567,89", "1234567.89"),
        ("1.234.567", "1234567"),
        ("1'234.50", "1234.50"),
        ("1’234’567", "1234567"),
        ("12,34,567.5", "1234567.5"),  # Indian
        ("1,234", "1234"),  # English rule: one comma and exactly three digits separate thousands
        ("1.234", "1.234"),  # and one point is decimal
        ("1 234,567", "1234.567"),  # two marks: the last one is decimal
        ("0,5", "0.5"),  # no group of thousands is a lone zero
        ("0,123", "0.123"),
        (".5", "0.5"),
        ("1577.", "1577"),
        # scripts
        ("１，２３４．５", "1234.5"),  # full width
        ("١٢٣٬٤٥٦٫٧", "123456.7"),  # Arabic-Indic with its own marks
        ("१२३", "123"),  # Devanagari
        ("𝟏𝟐𝟑", "123"),  # mathematical bold
        ("一千二百三十四", "1234"),
        ("三点一四", "3.14"),
        ("十五", "15"),
        ("两千零五", "2005"),
        ("二〇二一", "2021"),
        ("二零", "20"),  # digits one by one: with a zero, or four of them
        ("一九九八", "1998"),
        ("三点一五", "3.15"),  # a fraction is always read so
        ("叁佰贰拾壹", "321"),
        # signs
        ("+5", "5"),
        ("-5", "-5"),
        ("−5", "-5"),
        ("－５", "-5"),
        ("–5", "-5"),
        ("5-", "-5"),
        ("(1,234)", "-1234"),
        ("（1,234.5）", "-1234.5"),
        ("▲5", "-5"),
        ("△ 5", "-5"),
        ("负5", "-5"),
        ("minus 5", "-5"),
        # exponents
        ("1.2e3", "1200"),
        ("1.2E+03", "1200"),
        ("1.2×10^3", "1200"),
        ("1.2 x 10^3", "1200"),
        ("1.2 × 10³", "1200"),
        ("5×10⁻²", "0.05"),
        ("10³", "1000"),
    ],
)
def test_numbers_without_scale_or_unit(text: str, value: str) -> None:
    quantity = parse_quantity(text)
    assert quantity.value == Decimal(value)
    assert (quantity.scale, quantity.unit, quantity.text) == (1, None, text)


@pytest.mark.parametrize(
    ("text", "value", "scale", "unit"),
    [
        ("12.5%", "12.5", 1, "percent"),
        ("12.5 ％", "12.5", 1, "percent"),
        ("(1.5)%", "-1.5", 1, "percent"),
        ("(1.5%)", "-1.5", 1, "percent"),
        ("12.5 (%)", "12.5", 1, "percent"),
        ("6.14 per cent", "6.14", 1, "percent"),
        ("百分之三十", "30", 1, "percent"),
        ("百分之负五", "-5", 1, "percent"),
        ("负百分之五点二", "-5.2", 1, "percent"),
        ("5‰", "5", 1, "permille"),
        ("千分之三", "3", 1, "permille"),
        ("万分之二点五", "2.5", 1, "bp"),
        ("25bp", "25", 1, "bp"),
        ("25 bps", "25", 1, "bp"),
        ("25个基点", "25", 1, "bp"),
        ("0.25个百分点", "0.25", 1, "pp"),
        ("1 percentage point", "1", 1, "pp"),
        ("12.5x", "12.5", 1, "x"),
        ("12.5倍", "12.5", 1, "x"),
        ("5k", "5", 10**3, None),
        ("5 thousand", "5", 10**3, None),
        ("5m", "5", 10**6, None),
        ("5mm", "5", 10**6, None),
        ("5 Million", "5", 10**6, None),
        ("1.5bn", "1.5", 10**9, None),
        ("1.5 trillion", "1.5", 10**12, None),
        ("5 thousand million", "5", 10**9, None),
        ("5 lakh", "5", 10**5, None),
        ("3 crore", "3", 10**7, None),
        ("1.2万", "1.2", 10**4, None),
        ("3百万", "3", 10**6, None),
        ("3千万", "3", 10**7, None),
        ("1.2亿", "1.2", 10**8, None),
        ("1.5个亿", "1.5", 10**8, None),  # a plain scale; alone 个 counts items
        ("1.5个亿元", "1.5", 10**8, "CNY"),
        ("两个亿", "2", 10**8, None),
        ("3个万股", "3", 10**4, "share"),
        ("5十亿", "5", 10**9, None),
        ("1.2万亿元", "1.2", 10**12, "CNY"),
        ("两亿", "2", 10**8, None),
        ("壹佰万元整", "100", 10**4, "CNY"),
        ("$1,496.5", "1496.5", 1, "USD"),
        ("$ 5", "5", 1, "USD"),
        ("-$5", "-5", 1, "USD"),
        ("$-5", "-5", 1, "USD"),
        ("$(12.3)", "-12.3", 1, "USD"),
        ("($1,234.5) million", "-1234.5", 10**6, "USD"),
        ("US$1.5bn", "1.5", 10**9, "USD"),
        ("1,577 (USD millions)", "1577", 10**6, "USD"),
        ("RMB77 million", "77", 10**6, "CNY"),
        ("人民币5亿元", "5", 10**8, "CNY"),
        ("100元", "100", 1, "CNY"),
        ("3.5亿美元", "3.5", 10**8, "USD"),
        ("12港元", "12", 1, "HKD"),
        ("HK$12", "12", 1, "HKD"),
        ("€5", "5", 1, "EUR"),
        ("£(8.1m)", "-8.1", 10**6, "GBP"),
        ("386.1p", "386.1", 1, "GBX"),
        ("500円", "500", 1, "JPY"),
        ("¥5", "5", 1, "¥"),  # yuan or yen: the text does not say
        ("¥5亿元", "5", 10**8, "CNY"),  # here it does
        ("$5 HKD", "5", 1, "HKD"),
        ("12.5万股", "12.5", 10**4, "share"),
        ("300手", "300", 1, "lot"),
        ("$1.50 per share", "1.50", 1, "USD/share"),
        ("5.2元/股", "5.2", 1, "CNY/share"),
        ("港币5百万元", "5", 10**6, "HKD"),  # 元 after the name of a money is a piece of that money
        ("5 millions of dollars", "5", 10**6, "USD"),
    ],
)
def test_scales_and_units(text: str, value: str, scale: int, unit: str | None) -> None:
    quantity = parse_quantity(text)
    assert (quantity.value, quantity.scale, quantity.unit) == (Decimal(value), scale, unit)
    assert quantity.magnitude == Decimal(value) * scale


@pytest.mark.parametrize(
    ("text", "magnitude"),
    [
        ("12万5千", 125_000),
        ("十二万五千六百七十八", 125_678),
        ("1亿2345万", 123_450_000),
        ("一亿零五百万", 105_000_000),
        ("3万5000", 35_000),
        ("十万零五", 100_005),
        ("1亿零5万", 100_050_000),
        ("1万零5", 10_005),
        ("一万二千亿", 12_000 * 10**8),
        ("1亿2千万", 120_000_000),
        ("一亿五千万", 150_000_000),
        ("1亿5000万", 150_000_000),
        ("三万二千", 32_000),
        ("3万2千5百", 32_500),
        ("一亿零五千", 100_005_000),
        ("一千零五十", 1_050),
        ("一百万五千", 1_005_000),
        ("一千五百亿零三十万零五", 150_000_300_005),
    ],
)
def test_chinese_compounds_are_added_up(text: str, magnitude: int) -> None:
    assert parse_quantity(text).magnitude == magnitude


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing"),
        ("N/A", "missing"),
        ("$ —", "missing"),
        ("5in", "unknown_word"),  # inches
        ("5 of", "unknown_word"),
        ("5 B P", "unknown_word"),  # no billion pence
        ("5%万", "malformed_number"),
        *(
            (text, "malformed_number")  # a unit is stated once, in whatever words
            for text in (
                "5% percent",
                "5 percent %",
                "5 bp 基点",
                "5 bps bp",
                "5‰ permille",
                "5 shares 股",
                "5倍x",
                "5 x times",
                "股5 shares",
                "%5 percent",
                "3成%",
            )
        ),
        ("5港元元", "conflicting_units"),
        ("5\u200b6", "unknown_word"),  # a hidden mark between two digits: two numbers, or a spoiled one
        ("【5】", "unknown_word"),  # only ( ) and （ ） are the accountant's minus
        ("〔5〕", "unknown_word"),
        ("零零5", "several_numbers"),
        ("inf", "not_finite"),
        ("abc", "unknown_word"),
        ("5 apples", "unknown_word"),
        ("½", "unknown_word"),  # NFKC would make it 12
        ("①", "unknown_word"),
        ("1,234¹", "unknown_word"),  # a footnote mark is not a digit
        ("$", "not_a_number"),
        ("1,23", "ambiguous_separator"),
        ("1234,567", "ambiguous_separator"),
        ("1,2345", "ambiguous_separator"),
        ("1,23,45", "malformed_number"),
        ("1.234.5", "malformed_number"),
        ("1,234.567,8", "malformed_number"),
        ("2019 100", "malformed_number"),
        ("K5", "malformed_number"),
        ("12万5", "ambiguous_numeral"),  # 120,005 on paper, 125,000 in speech
        # a skipped place has a 零; without it speech shortens: 1.5亿, and on paper it is 1亿 and 5000
        *(
            (text, "ambiguous_numeral")
            for text in ("一亿五千", "1亿5千", "3亿5000", "1亿5", "一亿五", "2千5")
        ),
        *(
            (text, "ambiguous_numeral")
            for text in (
                "三万二百",
                "1万50",
                "1万0",
                "0万5",
                "一万五",
                "二百五",
                "二百五万",
                "一千五十",
                "两千五亿",
            )
        ),
        *(
            (text, "ambiguous_numeral")
            for text in ("五六百", "十五六", "两三", "三五", "七八", "三四", "二三")
        ),
        *(
            (text, "ambiguous_numeral")
            for text in ("两三万", "一二三万", "三五亿元", "百分之三五", "三五点二")
        ),
        ("000001", "leading_zeros"),
        ("0727", "leading_zeros"),
        ("5-10", "range"),
        ("3%-5%", "range"),
        ("5 to 10", "range"),
        ("5~10", "range"),
        ("5至10亿", "range"),
        ("3:2", "range"),
        ("1/2", "several_numbers"),
        ("5 10", "several_numbers"),
        (">5", "bound"),
        ("超过5亿", "bound"),
        ("at least 5", "bound"),
        ("5%以上", "bound"),
        ("2021-12-31", "date"),
        ("2021年", "date"),
        ("--5", "two_signs"),
        ("-(5)", "two_signs"),
        ("((5)", "unbalanced_brackets"),
        ("US$5 HKD", "conflicting_units"),
        ("$12%", "conflicting_units"),
        ("RMB million 5 billion", "malformed_number"),
        ("5 million billion", "malformed_number"),
        ("1e999", "out_of_range"),
        ("9" * 300, "too_long"),
        (True, "boolean"),
        (np.bool_(True), "boolean"),
        (b"5", "wrong_type"),
        ([5], "wrong_type"),
        (float("inf"), "not_finite"),
        (Decimal("-Infinity"), "not_finite"),
        (10**256, "too_long"),
        pytest.param(10**5000, "too_long", id="5001 digits, which Python itself refuses to print"),
        (Decimal("1" * 300), "too_long"),
        (Decimal("1e999999"), "out_of_range"),
        (Decimal("1e-999999"), "out_of_range"),
        (None, "missing"),
        (float("nan"), "missing"),
    ],
)
def test_what_is_not_one_number_is_refused_with_its_reason(text: object, reason: str) -> None:
    with pytest.raises(Unparsed) as caught:
        parse_quantity(text)
    assert caught.value.reason == reason
    assert isinstance(caught.value, InputError)


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("broken")


@pytest.mark.parametrize("raw", [Unprintable(), 10**5000, -(10**5000)], ids=["broken", "long", "long-"])
@pytest.mark.parametrize(
    "parse",
    [
        parse_quantity,
        parse_date,
        parse_datetime,
        parse_period,
        parse_code,
        lambda raw: parse_enumeration(raw, {"a": ()}),
    ],
)
def test_a_value_that_cannot_be_printed_is_refused_like_any_other(
    parse: Callable[[object], object], raw: object
) -> None:
    with pytest.raises(Unparsed, match="cannot be printed"):
        parse(raw)


def test_the_largest_number_is_read_exactly() -> None:
    largest = 10**256 - 1
    assert int(parse_quantity(largest, default_unit="million").magnitude) == largest * 10**6


def test_the_message_says_what_was_expected_and_found_and_the_error_keeps_the_whole_text() -> None:
    text = "x" * 200
    with pytest.raises(Unparsed, match="Expected a number, found 'xxx") as caught:
        parse_quantity(text)
    assert caught.value.text == text
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("raw", "value", "decimals"),
    [
        (5, "5", 0),
        (0.1, "0.1", None),
        (Decimal("1.50"), "1.50", 2),
        (Decimal("1E+3"), "1000", None),
        (np.int64(-7), "-7", 0),
        (np.float64(0.1), "0.1", None),
        (np.float32(0.1), "0.1", None),  # not 0.10000000149011612
        (np.array(5), "5", 0),
        (pa.scalar(5), "5", 0),
        (pa.scalar(Decimal("1.50")), "1.50", 2),
        (pa.scalar(0.1), "0.1", None),
        (pd.Series([5], dtype="Int64")[0], "5", 0),
        ("1.50", "1.50", 2),
        ("1,234", "1234", 0),
        ("1.2e3", "1200", None),
        ("三点五〇", "3.50", 2),
    ],
)
def test_values_of_programs_and_printed_decimals(raw: object, value: str, decimals: int | None) -> None:
    quantity = parse_quantity(raw)
    assert (quantity.value, quantity.decimals) == (Decimal(value), decimals)


@pytest.mark.parametrize("text", ["约5亿", "about 5", "~5", "≈5", "approximately $5 million", "5亿左右"])
def test_an_approximation_is_recorded(text: str) -> None:
    assert parse_quantity(text).approximate
    assert not parse_quantity("5亿").approximate


# ---- what a header states ----


@pytest.mark.parametrize(
    ("text", "default", "magnitude", "unit"),
    [
        ("12.5", "percent", "12.5", "percent"),
        ("12.5", "亿元", "1250000000", "CNY"),
        ("$1,577", "USD millions", "1577000000", "USD"),
        ("$1,577", "million", "1577000000", "USD"),
        ("1.5bn", "USD millions", "1500000000", "USD"),  # the cell's own scale wins
        ("12.5%", "USD millions", "12.5", "percent"),  # the header is said of amounts
        ("$1.20/share", "million", "1.20", "USD/share"),
        ("500 shares", "thousand", "500", "share"),  # a unit word in the cell is the cell's own scale: 1
        ("50000元", "万元", "50000", "CNY"),
        ("50000股", "万股", "50000", "share"),
        ("USD 50", "USD millions", "50", "USD"),
        ("USD 50 million", "USD thousands", "50000000", "USD"),
        ("¥5元", "亿元", "5", "CNY"),
        ("$ 5", "in millions", "5000000", "USD"),  # a bare sign is on every line of a table in millions
        ("HK$5", "HKD millions", "5000000", "HKD"),
        ("(£5)", "GBP thousands", "-5000", "GBP"),
        ("5 days", "million", "5", "day"),
        ("¥5", "CNY", "5", "CNY"),
        ("$5", "HKD", "5", "HKD"),
        ("$5", "EUR", "5", "USD"),  # "$" cannot be a euro: the header does not overrule the cell
        ("US$5", "HKD", "5", "USD"),
        ("5美元", "亿元", "5", "USD"),
    ],
)
def test_a_default_unit_completes_and_never_contradicts(
    text: str, default: str, magnitude: str, unit: str
) -> None:
    quantity = parse_quantity(text, default_unit=default)
    assert (quantity.magnitude, quantity.unit) == (Decimal(magnitude), unit)


@pytest.mark.parametrize(
    ("phrase", "scale", "unit"),
    [
        ("USD millions", 10**6, "USD"),
        ("($ in thousands)", 10**3, "USD"),
        ("in millions", 10**6, None),
        ("RMB'000", 10**3, "CNY"),
        ("$000", 10**3, "USD"),
        ("单位：万元", 10**4, "CNY"),
        ("（亿元）", 10**8, "CNY"),
        ("%", 1, "percent"),
        ("元/股", 1, "CNY/share"),
        ("百万円", 10**6, "JPY"),
        ("万股", 10**4, "share"),
        ("港币百万元", 10**6, "HKD"),
        ("港币亿元", 10**8, "HKD"),
        ("新台币千元", 10**3, "TWD"),
        ("新台幣千元", 10**3, "TWD"),
        ("人民币百万元", 10**6, "CNY"),
        ("USDm", 10**6, "USD"),
        ("RMBmn", 10**6, "CNY"),
        ("EUR bn", 10**9, "EUR"),
        ("millions of dollars", 10**6, "USD"),
        ("millions of U.S. dollars", 10**6, "USD"),
        ("【亿元】", 10**8, "CNY"),
    ],
)
def test_unit_phrases(phrase: str, scale: int, unit: str | None) -> None:
    stated = parse_unit(phrase)
    assert (stated.scale, stated.unit, stated.scale_stated) == (scale, unit, scale != 1)


@pytest.mark.parametrize(
    "phrase",
    [
        "revenue",
        "",
        "5 million",
        "USD EUR",
        "per share",
        "million/USD/share",
        "万万万",
        "% million",
        "p million",
        "USDx",
    ],
)
def test_what_is_not_a_unit_is_refused(phrase: str) -> None:
    with pytest.raises(Unparsed, match="Expected a unit"):
        parse_unit(phrase)


# ---- conversion ----


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("12.5%", "ratio", "0.125"),
        ("25bp", "percent", "0.25"),
        ("0.25个百分点", "bp", "25"),
        ("5‰", "%", "0.5"),
        ("12.5x", "ratio", "12.5"),
        ("1.5亿元", "万元", "15000"),
        ("$1.5bn", "USD millions", "1500"),
        ("12", "thousand", "0.012"),  # a scale alone asks for no unit
        ("3手", "股", "300"),
        ("386.1p", "£", "3.861"),
    ],
)
def test_conversion_is_exact(text: str, unit: str, expected: str) -> None:
    assert parse_quantity(text).to(unit) == Decimal(expected)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("5", "percent"), ("$5", "CNY"), ("5%", "USD"), ("¥5", "CNY"), ("5元", "CNY/share"), ("5股", "手/股")],
)
def test_nothing_is_converted_that_is_not_stated(text: str, unit: str) -> None:
    with pytest.raises((UnitMismatch, Unparsed)):
        parse_quantity(text).to(unit)


def test_magnitudes_are_exact_beyond_the_default_decimal_context() -> None:
    digits = "1234567890" * 6  # 60 digits; the default context keeps 28
    quantity = parse_quantity(f"{digits} million")
    assert quantity.magnitude == Decimal(digits + "000000")
    assert isinstance(quantity, Quantity)
    assert quantity.to("thousand") == Decimal(digits + "000")


def test_the_examples_of_the_docstring_run() -> None:
    module = importlib.import_module("finassay.grading._numbers")
    results = doctest.testmod(module, extraglobs={"parse_quantity": parse_quantity})
    assert (results.failed, results.attempted) == (0, 2)


@pytest.mark.parametrize("text", ["1亿500万", "一亿五百万", "1亿零500万"])
def test_a_part_with_a_scale_of_its_own_says_its_place(text: str) -> None:
    quantity = parse_quantity(text)
    assert quantity.value * quantity.scale == 105_000_000

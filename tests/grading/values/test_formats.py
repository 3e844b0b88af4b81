"""Formats as found in filings, analysts' notes, announcements and answers of models, in files to be read by eye.

``formats/*.tsv``: the text, and what a careful reader takes it for, or the reason why it has no certain reading.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

from finassay.grading import (
    ColumnContract,
    Quantity,
    UnitMismatch,
    Unparsed,
    parse_code,
    parse_datetime,
    parse_period,
    parse_quantity,
    parse_unit,
)
from finassay.grading._vocabulary import CALENDAR_WORDS, VOCABULARY, Role

FORMATS = Path(__file__).parent / "formats"


def rows(name: str) -> list[list[str]]:
    lines = (FORMATS / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def number(text: str) -> list[object]:
    found = parse_quantity(text)
    return [found.magnitude, found.unit or "~"]


def period(text: str) -> list[object]:
    found = parse_period(text)
    return [str(found.start), str(found.end)]


def expected(name: str, cells: list[str]) -> list[object]:
    return [Decimal(cells[0]), cells[1]] if name == "numbers" and len(cells) == 2 else list(cells)


READERS: dict[str, Callable[[str], list[object]]] = {
    "numbers": number,
    "periods": period,
    "moments": lambda text: [parse_datetime(text).isoformat()],
    "codes": lambda text: [parse_code(text).normal],
}


@pytest.mark.parametrize("name", READERS)
def test_every_format_is_read_as_a_careful_reader_does(name: str) -> None:
    wrong = []
    for text, *cells in rows(f"{name}.tsv"):
        try:
            found = READERS[name](text)
        except Unparsed as refusal:
            found = [refusal.reason]
        if found != expected(name, cells):
            wrong.append((text, cells, found))
    assert wrong == []


def test_there_are_hundreds_of_them_and_each_once() -> None:
    texts = [(name, text) for name in READERS for text, *_ in rows(f"{name}.tsv")]
    assert len(texts) == len(set(texts)) >= 450


@pytest.mark.parametrize(
    ("phrase", "scale", "unit"),
    [
        ("HK$百万元", 10**6, "HKD"), ("港元百万元", 10**6, "HKD"), ("百万元港币", 10**6, "HKD"),
        ("千美元", 1000, "USD"),
        ("单位：亿元人民币", 10**8, "CNY"), ("US cents", 1, "USX"), ("HK cents per share", 1, "HKX/share"),
        ("元/美元", 1, "CNY per USD"), ("仟元", 1000, "CNY"),
    ],
)  # fmt: skip
def test_the_unit_of_a_header(phrase: str, scale: int, unit: str) -> None:
    found = parse_unit(phrase)
    assert (found.scale, found.unit) == (scale, unit)


def test_cents_are_hundredths_of_their_money_also_per_share() -> None:
    assert parse_quantity("12.5 HK cents per share").to("HKD/share") == Decimal("0.125")
    assert parse_quantity("5 US cents").to("USD") == Decimal("0.05")
    with pytest.raises(UnitMismatch):
        parse_quantity("5 US cents").to("HKD")


@pytest.mark.parametrize(
    ("text", "approximate"),
    [("$12.5~\\%$", False), ("12.5~\\%", False), ("$~12.5$", False), ("~12.5", True), (r"$\sim 12.5$", True)],
)
def test_a_tilde_is_a_blank_in_latex_and_an_approximation_elsewhere(text: str, approximate: bool) -> None:
    assert parse_quantity(text).approximate is approximate


def test_a_half_of_a_fiscal_year_in_either_order() -> None:
    found = parse_period("FY2021 H1", fiscal_year_end=9)  # October 2020 to September 2021
    assert (str(found.start), str(found.end)) == ("2020-10-01", "2021-03-31")
    assert found == parse_period("H1 FY2021", fiscal_year_end=9)


@pytest.mark.parametrize(
    ("text", "declared", "value"),
    [
        ("3年", "年", 3), ("3.5年", "years", "3.5"), ("三年", "个年度", 3), ("-1年", "年", -1), ("约10年", "year", 10),
        ("3日", "天", 3), ("30天", "日", 30), ("3季度", "季度", 3), ("3个季度", "quarters", 3), ("6个月", "months", 6),
        ("3", "年", 3),
    ],
)  # fmt: skip
def test_a_word_of_the_calendar_is_a_duration_where_one_is_declared(
    text: str, declared: str, value: float | str
) -> None:
    found = parse_quantity(text, default_unit=declared)
    assert (found.magnitude, found.unit) == (Decimal(str(value)), parse_unit(declared).unit)


@pytest.mark.parametrize("text", ["2021年", "二〇二一年", "1999年", "2021年度"])
def test_a_year_of_the_calendar_is_no_duration_even_there(text: str) -> None:
    with pytest.raises(Unparsed) as refused:
        parse_quantity(text, default_unit="年")
    assert refused.value.reason in {"date", "unknown_word"}


@pytest.mark.parametrize(
    ("text", "declared"), [("3年", "天"), ("3日", "年"), ("3季度", "万元"), ("3年", "%")]
)
def test_another_unit_declares_no_duration(text: str, declared: str) -> None:
    with pytest.raises(Unparsed) as refused:
        parse_quantity(text, default_unit=declared)
    assert refused.value.reason == "date"


def test_a_trading_day_is_no_day() -> None:
    with pytest.raises(UnitMismatch):  # five trading days are seven days, or more
        parse_quantity("5个交易日").to("天")


@pytest.mark.parametrize(
    "text",
    ["5%%", "5‰‰", "$$5", "%5%", "5元元", "5 USD USD", "百分之5%", "百分之百分之5",  # a unit said twice
     "一百零", "一千零", "一零百", "一千零零五", "一亿零", "1亿零"],  # a zero before no digit, or out of its place
)  # fmt: skip
def test_a_doubled_sign_and_a_zero_before_nothing_are_refused(text: str) -> None:
    with pytest.raises(Unparsed) as refused:
        parse_quantity(text)
    assert refused.value.reason in {"malformed_number", "ambiguous_numeral"}


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("人民币5元", 5, "CNY"), ("RMB 5 yuan", 5, "CNY"), ("$5 USD", 5, "USD"), ("5元人民币", 5, "CNY"),
        ("US $5 million", 5_000_000, "USD"), ("U.S. $5", 5, "USD"), ("U.S.$5", 5, "USD"), ("HK $5", 5, "HKD"),
        ("NT $5", 5, "TWD"), ("百分之百", 100, "percent"), ("约百分之百", 100, "percent"),
        ("5 permille", 5, "permille"),
        ("一千零五", 1005, None), ("一亿零五万", 100_050_000, None),
        ("三成", 30, "percent"), ("3.5成", 35, "percent"), ("约七成", 70, "percent"), ("-两成", -20, "percent"),
    ],
)  # fmt: skip
def test_a_money_named_in_two_words_spaced_dollars_and_tenths(
    text: str, value: int, unit: str | None
) -> None:
    found = parse_quantity(text)
    assert (found.magnitude, found.unit) == (value, unit)


def test_three_tenths_are_a_ratio_of_three_tenths() -> None:
    assert parse_quantity("三成").to("ratio") == Decimal("0.3")
    assert parse_quantity("3", default_unit="成").to("%") == 30


@pytest.mark.parametrize(
    ("text", "reason"),
    [("三成以上", "bound"), ("两三成", "ambiguous_numeral"), ("三成五", "several_numbers"),
     ("3万成", "malformed_number"), ("3成万", "malformed_number"), ("5元/成", "unknown_word")],
)  # fmt: skip
def test_tenths_are_not_guessed_at(text: str, reason: str) -> None:
    with pytest.raises(Unparsed) as refused:
        parse_quantity(text)
    assert refused.value.reason == reason


UNIT_WORDS = sorted(word for word, token in VOCABULARY.items() if token.role is Role.UNIT)
UNITS = sorted({str(VOCABULARY[word].meaning) for word in UNIT_WORDS})


def states(text: str) -> Quantity | None:
    """What a text states; None where it is refused."""
    with suppress(Unparsed):
        return parse_quantity(text)
    return None


def test_the_unit_of_every_quantity_is_accepted_back() -> None:
    """Each word alone, each unit per each other and each word per one, as a target, a default and in a contract."""
    texts = [f"5 {word}" for word in UNIT_WORDS]
    texts += [f"5 {unit} per {other}" for unit in UNITS for other in UNITS]
    texts += [f"5 {word}/{other}" for word in UNIT_WORDS for other in ("share", "美元", "吨", "人")]
    found = {found.unit: found for text in texts if (found := states(text))}
    assert set(UNITS) - set(CALENDAR_WORDS.values()) - {"$"} <= set(found)  # a bare $ is USD, 5 days a date
    for unit, quantity in found.items():
        assert quantity.to(unit) == quantity.magnitude, unit
        assert parse_unit(unit).unit == unit
        assert parse_quantity("5", default_unit=unit).unit == unit
        assert ColumnContract(name="v", type="number", unit=unit).unit == unit


def test_a_rate_of_two_currencies_says_which_is_counted_in_which() -> None:
    rate = parse_quantity("7.12元/美元")
    assert rate.unit == "CNY per USD"
    assert rate.to("yuan per us dollar") == Decimal("7.12")
    assert parse_quantity("5便士/美元").to("GBP per USD") == Decimal("0.05")
    with pytest.raises(Unparsed, match="by custom"):
        rate.to("CNY/USD")  # dealers write the dollar in yuan as USD/CNY


def test_pence_are_printed_with_a_small_p() -> None:
    assert parse_quantity("5 p").unit == parse_quantity("5 GBp").unit == "GBX"
    with pytest.raises(Unparsed, match="small p"):
        parse_unit("P")

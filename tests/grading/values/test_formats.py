"""Formats as found in filings, analysts' notes, announcements and answers of models, in files to be read by eye.

``formats/*.tsv``: the text, and what a careful reader takes it for, or the reason why it has no certain reading.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from finassay.grading import (
    UnitMismatch,
    Unparsed,
    parse_code,
    parse_datetime,
    parse_period,
    parse_quantity,
    parse_unit,
)

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
        ("元/美元", 1, "CNY/USD"), ("仟元", 1000, "CNY"),
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


def test_pence_are_printed_with_a_small_p() -> None:
    assert parse_quantity("5 p").unit == parse_quantity("5 GBp").unit == "GBX"
    with pytest.raises(Unparsed, match="small p"):
        parse_unit("P")

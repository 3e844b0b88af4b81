"""Whatever the style in which a number is printed, it is read back; whatever the text, nothing breaks."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.grading import (
    Quantity,
    Unparsed,
    _numbers,
    is_missing,
    parse_code,
    parse_date,
    parse_datetime,
    parse_enumeration,
    parse_period,
    parse_quantity,
    parse_unit,
)

ZEROS = [chr(point) for point in range(0x110000) if unicodedata.decimal(chr(point), None) == 0]
numbers = st.decimals(min_value=Decimal("0.0001"), max_value=10**15, places=4).map(lambda d: d.normalize())


def grouped(digits: str, mark: str, sizes: tuple[int, ...] = (3,)) -> str:
    """Put a mark between groups from the right, of the given sizes, the last size repeated."""
    groups, left, place = [], digits, 0
    while left:
        size = sizes[min(place, len(sizes) - 1)]
        groups.append(left[-size:])
        left, place = left[:-size], place + 1
    return mark.join(reversed(groups))


def styled(number: Decimal, mark: str, point: str, sizes: tuple[int, ...] = (3,)) -> str:
    whole, _, fraction = f"{number:f}".partition(".")
    return grouped(whole, mark, sizes) + (point + fraction if fraction else "")


@given(numbers, st.sampled_from([("", "."), (",", "."), ("'", "."), (" ", "."), ("\u202f", ".")]))
def test_every_western_style_with_a_decimal_point(number: Decimal, style: tuple[str, str]) -> None:
    assert parse_quantity(styled(number, *style)).magnitude == number


@given(
    numbers.filter(lambda d: d >= 1000 and d % 1 != 0), st.sampled_from([(".", ","), (" ", ","), ("'", ",")])
)
def test_every_grouped_style_with_a_decimal_comma(number: Decimal, style: tuple[str, str]) -> None:
    assert parse_quantity(styled(number, *style)).magnitude == number


@given(numbers)
def test_indian_groups(number: Decimal) -> None:
    assert parse_quantity(styled(number, ",", ".", (3, 2))).magnitude == number


@given(numbers, st.sampled_from(ZEROS))
def test_decimal_digits_of_every_script_of_unicode(number: Decimal, zero: str) -> None:
    text = "".join(chr(ord(zero) + int(c)) if c.isdigit() else c for c in styled(number, ",", "."))
    assert parse_quantity(text).magnitude == number


@given(numbers, st.integers(-12, 12), st.sampled_from(["e", "E", "×10^", "x10^", "*10**", " × 10^"]))
def test_exponents(number: Decimal, exponent: int, sign: str) -> None:
    assert parse_quantity(f"{number:f}{sign}{exponent}").magnitude == number.scaleb(exponent)


@given(
    numbers,
    st.sampled_from(["-{}", "−{}", "－{}", "({})", "（{}）", "{}-", "▲{}", "△{}", "负{}", "-$ {}", "$({})"]),
)
def test_every_minus(number: Decimal, style: str) -> None:
    assert parse_quantity(style.format(styled(number, ",", "."))).magnitude == -number


@given(st.integers(1, 10**8))
def test_one_amount_in_three_scales_is_one_amount(wan: int) -> None:
    # 1.5亿 == 15,000万 == 150,000,000
    yi = parse_quantity(f"{Decimal(wan) / 10**4:f}亿元")
    written_in_wan = parse_quantity(f"{wan:,}万元")
    plain = parse_quantity(f"{wan * 10**4:,}元")
    assert yi.magnitude == written_in_wan.magnitude == plain.magnitude
    assert yi.to("万元") == plain.to("万元") == wan
    assert parse_quantity(f"{Decimal(wan) / 100:f} million").magnitude == plain.magnitude


AROUND = st.lists(
    st.sampled_from(
        ["", " ", "-", "−", "+", "(", ")", "（", "）", "【", "$", "US$", "¥", "%", "％", "x", "m", "bn", "p", "in", "e",
         "million", "万", "亿", "千", "百", "十", "一", "零", "元", "股", "港币", "约", "超过", "/", "per", "share",
         "年", ".", ",", "'", "^", "\u200b", "\u00a0", "\n", "²", "½", "百分之", "至"]
    ),
    max_size=3,
).map("".join)  # fmt: skip
PRINTED = st.one_of(
    st.from_regex(r"[0-9]{1,6}(\.[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}(,[0-9]{3}){1,3}(\.[0-9]{1,3})?", fullmatch=True),
)


@settings(max_examples=1000)
@given(
    before=AROUND,
    number=PRINTED,
    after=AROUND,
    default=st.sampled_from([None, "万元", "in millions", "percent", "HKD millions", "bad"]),
)
def test_the_short_way_reads_what_the_long_way_reads(
    before: str, number: str, after: str, default: str | None
) -> None:
    text = before + number + after
    assert outcome(parse_quantity, text, default) == outcome(long_way, text, default)


def long_way(text: str, *, default_unit: str | None) -> Quantity:
    return _numbers._parse(text, default_unit)


def outcome(parse: Callable[..., Quantity], text: str, default: str | None) -> object:
    try:
        quantity = parse(text, default_unit=default)
    except Unparsed as refused:
        return str(refused)
    return quantity, str(quantity.value), str(quantity.scale)


DIGITS = "零一二三四五六七八九"


def chinese(number: int) -> str:
    """Write an integer below 10^12 as Chinese prose does: sections of four places, one 零 for any gap."""
    if number == 0:
        return "零"
    text, gap = "", False
    for place, unit in ((8, "亿"), (4, "万"), (0, "")):
        section = number // 10**place % 10**4
        if section == 0:
            gap = bool(text)
            continue
        part = ""
        for power, name in ((3, "千"), (2, "百"), (1, "十"), (0, "")):
            digit = section // 10**power % 10
            if digit:
                part += ("零" if gap and (text or part) else "") + DIGITS[digit] + name
                gap = False
            elif text or part:
                gap = True
        text += part + unit
        gap = section % 10 == 0 and gap
    return text


@given(st.integers(0, 10**12 - 1))
def test_chinese_numerals(number: int) -> None:
    assert parse_quantity(chinese(number)).magnitude == number


def test_the_writer_of_chinese_numerals_used_above_writes_as_people_do() -> None:
    assert [chinese(n) for n in (10, 105, 1050, 12_345, 100_005, 120_000_000, 100_500_000)] == [
        "一十", "一百零五", "一千零五十", "一万二千三百四十五", "一十万零五", "一亿二千万", "一亿零五十万",
    ]  # fmt: skip


@given(numbers)
def test_percent_ratio_and_basis_points_are_one_family(number: Decimal) -> None:
    quantity = parse_quantity(f"{number:f}%")
    assert quantity.to("ratio") * 100 == quantity.to("bp") / 100 == number


PARSERS = (parse_quantity, parse_date, parse_datetime, parse_period, parse_code, parse_unit)
PIECES = st.sampled_from(
    ["1", "23", "456", ".", ",", "'", " ", "-", "(", ")", "%", "$", "¥", "万", "亿", "千", "百", "十", "一", "零", "点",
     "e", "x", "10", "^", "*", "/", "年", "月", "日", "q", "fy", "20", "21", "million", "per", "share", "约", "至",
     "百分之",
     "负", "ended", "december", "ttm", "季报", "前", "h1"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    is_missing(text)
    for parse in PARSERS:
        with suppress(Unparsed):  # and nothing else
            parse(text)  # type: ignore[operator]
    with suppress(Unparsed):
        parse_enumeration(text, {"yes": ["y"], "no": []})


@pytest.mark.parametrize(
    "piece", ["1", "1,234", "(", "一", "万", " ", "-", "1 ", "年", "2021-", "a", "\u202f", "１"]
)
def test_ten_megabytes_are_refused_at_once(piece: str) -> None:
    text = piece * (10 * 2**20 // len(piece))
    start = time.process_time()
    for parse in PARSERS:
        with pytest.raises(Unparsed):
            parse(text)  # type: ignore[operator]
    assert time.process_time() - start < 10  # a search that backtracks takes for ever


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1 ", "(", "一", "万", "1万", "-", "2021-", "q3 ", "a", "ended ", "至1", "10^"]
)
def test_the_longest_text_that_is_read_is_read_in_linear_time(piece: str) -> None:
    text = (piece * 256)[:256].strip()
    start = time.process_time()
    for parse in PARSERS:
        with suppress(Unparsed):
            parse(text)  # type: ignore[operator]
    assert time.process_time() - start < 5

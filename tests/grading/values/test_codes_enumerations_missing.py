"""Codes keep their zeros and only a stated market; a choice is one of a list; missing is not zero."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from finassay.core import InputError
from finassay.grading import Unparsed, is_missing, parse_code, parse_enumeration


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("600519", "600519"),
        ("000001", "000001"),
        (600519, "600519"),
        ("600519.SH", "600519.SH"),
        ("600519.ss", "600519.SH"),
        ("600519.XSHG", "600519.SH"),
        ("000001.XSHE", "000001.SZ"),
        ("SH600519", "600519.SH"),
        ("sz.000001", "000001.SZ"),
        ("６００５１９．ＳＨ", "600519.SH"),
        ("430047.BJ", "430047.BJ"),
        ("0700.HK", "00700.HK"),
        ("00700.HK", "00700.HK"),
        ("hk00700", "00700.HK"),
        ("00700", "00700"),
        ("005847.OF", "005847.OF"),
        ("IF2401.CFE", "IF2401.CFE"),
        ("aapl", "AAPL"),
        ("AAPL.US", "AAPL.US"),
        ("BRK.B", "BRK.B"),
        ("BRK/B", "BRK.B"),
        ("brk-b", "BRK.B"),
    ],
)
def test_codes(raw: object, normal: str) -> None:
    assert parse_code(raw).normal == normal


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (1, "leading_zeros_lost"),  # 000001 after a careless import
        (600519.0, "wrong_type"),
        (True, "wrong_type"),
        ("600519.0", "not_a_code"),
        ("SH600519.SZ", "not_a_code"),  # two markets
        ("贵州茅台", "not_a_code"),
        ("600519 000001", "not_a_code"),
        ("-", "missing"),
        (None, "missing"),
    ],
)
def test_codes_that_are_refused(raw: object, reason: str) -> None:
    with pytest.raises(Unparsed, match="Expected a security code") as caught:
        parse_code(raw)
    assert caught.value.reason == reason


def test_codes_agree_unless_two_markets_are_stated() -> None:
    assert parse_code("600519").agrees_with(parse_code("600519.SH"))
    assert parse_code("SH600519").agrees_with(parse_code("600519.XSHG"))
    assert not parse_code("000001.SH").agrees_with(parse_code("000001.SZ"))  # an index and a bank
    assert not parse_code("000001").agrees_with(parse_code("000100"))
    assert not parse_code("00700").agrees_with(parse_code("700"))


CHOICES = {"buy": ["买入", "Strong-Buy", "outperform"], "hold": ["中性", "n/a"], "sell": ["卖出"]}


@pytest.mark.parametrize(
    ("raw", "choice"),
    [
        ("BUY", "buy"),
        (" buy ", "buy"),
        ("strong buy", "buy"),
        ("ｓｅｌｌ", "sell"),
        ("中性", "hold"),
        ("N/A", "hold"),
    ],
)
def test_a_choice_is_named_by_itself_or_a_stated_alias(raw: str, choice: str) -> None:
    assert parse_enumeration(raw, CHOICES) == choice


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("buys", "unknown_choice"), ("hol", "unknown_choice"), (None, "missing"), ("-", "missing")],
)
def test_nothing_is_matched_by_similarity(raw: object, reason: str) -> None:
    with pytest.raises(Unparsed, match="one of buy, hold, sell") as caught:
        parse_enumeration(raw, CHOICES)
    assert caught.value.reason == reason


def test_an_alias_of_two_choices_is_an_error_of_the_list() -> None:
    with pytest.raises(InputError, match="belongs to two choices") as caught:
        parse_enumeration("x", {"a": ["same"], "b": ["SAME"]})
    assert not isinstance(caught.value, Unparsed)


@pytest.mark.parametrize(
    "raw",
    [
        None, float("nan"), Decimal("NaN"), np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"),
        pa.scalar(None), "", "  ", "NA", "n/a", "#N/A", "N.A.", "NaN", "null", "None", "-", "--", "—", "——", "–", "−",
        "$ —",
        "-%", "(-)", "不适用", "暂无数据", "NM", "not meaningful", "\u3000",
    ],
)  # fmt: skip
def test_missing(raw: object) -> None:
    assert is_missing(raw)


@pytest.mark.parametrize(
    "raw", [0, 0.0, "0", "0.00", False, "一", "零", "inf", float("inf"), "no", "-1", "$0", "banana", [], b""]
)
def test_not_missing(raw: object) -> None:
    assert not is_missing(raw)


def test_a_market_stated_twice_is_stated() -> None:
    assert (parse_code("SH600519.SH").symbol, parse_code("SH600519.XSHG").market) == ("600519", "SH")

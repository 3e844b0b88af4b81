"""Security codes: the symbol as printed, leading zeros kept, and the market if it is stated."""

from __future__ import annotations

import re
from dataclasses import dataclass

from finassay.grading._fold import fold
from finassay.grading._missing import is_missing, plain
from finassay.grading._unparsed import Refusal, Unparsed, raw_text

_MARKETS = {
    "SH": "SH", "SS": "SH", "SSE": "SH", "XSHG": "SH",
    "SZ": "SZ", "SZSE": "SZ", "XSHE": "SZ",
    "BJ": "BJ", "BSE": "BJ", "XBSE": "BJ",
    "HK": "HK", "XHKG": "HK",
    "US": "US",
    "OF": "OF", "IB": "IB", "CSI": "CSI", "SI": "SI",
    "CFE": "CFE", "CFX": "CFE", "CCFX": "CFE", "SHF": "SHF", "XSGE": "SHF", "DCE": "DCE", "XDCE": "DCE",
    "CZC": "CZC", "ZCE": "CZC", "XZCE": "CZC", "INE": "INE", "XINE": "INE", "GFE": "GFE",
}  # fmt: skip
_PREFIXES = {"SH": "SH", "SZ": "SZ", "BJ": "BJ", "HK": "HK"}
_EXCHANGES = _MARKETS | {
    "SHSE": "SH", "HKEX": "HK", "SEHK": "HK", "NASDAQ": "US", "NYSE": "US", "NYSEAMERICAN": "US", "AMEX": "US",
}  # fmt: skip

_EXCHANGE_FIRST = re.compile(rf"({'|'.join(_EXCHANGES)}): ?(\S+)")  # NASDAQ:AAPL
_TERMINAL = re.compile(r"(\S+) (US|HK)(?: EQUITY)?")  # 700 HK Equity; CH would not say which exchange
_PREFIXED = re.compile(r"(SH|SZ|BJ)[.:]?(\d{6})|(HK)[.:]?(\d{4,5})")
_PLAIN = re.compile(r"(?=.*[A-Z0-9])[A-Z0-9]{1,15}(?:[-_][A-Z0-9]{1,6})?")
_CLASS = re.compile(r"([A-Z]{1,5})[./\- ]([A-Z])")
_HK_DIGITS = 5


@dataclass(frozen=True)
class Code:
    """A security code.

    Attributes
    ----------
    symbol : str
        ``"600519"``, ``"000001"``, ``"AAPL"``, ``"BRK.B"``; a Hong Kong symbol with a stated market has five digits.
    market : str or None
        ``"SH"``, ``"SZ"``, ``"BJ"``, ``"HK"``, ``"US"``, ``"OF"`` (open funds) …; None if not stated.
    text : str
        The value as it was given.
    """

    symbol: str
    market: str | None
    text: str

    @property
    def normal(self) -> str:
        """``"600519.SH"``; the symbol alone where the market is not stated."""
        return f"{self.symbol}.{self.market}" if self.market else self.symbol

    def agrees_with(self, other: Code) -> bool:
        """Say whether both may name one security: equal symbols, and no two different markets stated.

        A Hong Kong symbol is filled with zeros only where its market is stated: ``0700`` agrees with ``0700.HK``.
        """
        if None not in {self.market, other.market}:
            return self.symbol == other.symbol and self.market == other.market
        if "HK" in {self.market, other.market}:
            return filled(self.symbol) == filled(other.symbol)
        return self.symbol == other.symbol


def filled(symbol: str) -> str:
    """Return digits with zeros up to the five of Hong Kong, any other symbol as it is."""
    return symbol.zfill(_HK_DIGITS) if symbol.isdigit() else symbol


def parse_code(raw: object) -> Code:
    """Read one security code.

    ``600519``, ``600519.SH``, ``SH600519``, ``sh.600519``, ``600519.XSHG``, ``600519.SS``, ``SSE:600519``, ``0700.HK``,
    ``700 HK Equity``, ``AAPL``, ``AAPL.US``, ``NASDAQ:AAPL``, ``BRK.B`` and its spellings ``BRK/B``, ``BRK-B``. The
    market is what is stated, never what the digits suggest; a suffix that is no known market stays a part of the
    symbol (``AAPL.O``).

    Parameters
    ----------
    raw : object
        Text, or an integer of six digits (a shorter one may have lost leading zeros).

    Returns
    -------
    Code

    Raises
    ------
    Unparsed
        ``missing``, ``wrong_type``, ``leading_zeros_lost``, ``not_a_code``, ``too_long``.
    """
    text = raw if isinstance(raw, str) else raw_text(raw)
    try:
        if is_missing(raw):
            raise Refusal("missing", "the value is missing")
        symbol, market = _read(plain(raw))
    except Refusal as refusal:
        raise Unparsed("a security code", text, refusal.reason, refusal.detail) from None
    return Code(symbol, market, text)


def _read(value: object) -> tuple[str, str | None]:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Refusal("wrong_type", "a code is text")
    if isinstance(value, int):
        if not 100_000 <= value <= 999_999:
            raise Refusal("leading_zeros_lost", "a number cannot keep leading zeros; store the code as text")
        return str(value), None
    folded = fold(value).upper()
    if folded.startswith("(") and folded.endswith(")"):
        folded = folded[1:-1].strip()
    if exchange := _EXCHANGE_FIRST.fullmatch(folded):
        return _with_market(_symbol(exchange[2]), _EXCHANGES[exchange[1]])
    if terminal := _TERMINAL.fullmatch(folded):
        return _with_market(_symbol(terminal[1]), terminal[2])
    prefixed = _PREFIXED.fullmatch(folded)
    stem, mark, suffix = folded.rpartition(".")
    stated_twice = _PREFIXED.fullmatch(stem) if mark and suffix in _MARKETS else None
    if stated_twice:
        market = next(group for group in stated_twice.groups() if group)
        if _PREFIXES[market] != _MARKETS[suffix]:
            raise Refusal("not_a_code", f"it states two markets, {market} and {suffix}")
        prefixed = stated_twice
    if prefixed:
        market, symbol = (group for group in prefixed.groups() if group)
        return _with_market(symbol, _PREFIXES[market])
    symbol, mark, suffix = folded.rpartition(".")
    if mark and suffix in _MARKETS:
        return _with_market(_symbol(symbol), _MARKETS[suffix])
    return _symbol(folded), None


def _symbol(text: str) -> str:
    share_class = _CLASS.fullmatch(text)
    if share_class:
        return ".".join(share_class.groups())
    if not _PLAIN.fullmatch(text):
        raise Refusal("not_a_code", "a code is letters and digits, with a market after a point")
    return text


def _with_market(symbol: str, market: str) -> tuple[str, str]:
    return (filled(symbol) if market == "HK" else symbol), market

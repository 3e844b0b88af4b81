"""The words and signs of a printed quantity, in English and Chinese, and what each one means."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, auto
from typing import NamedTuple


class Role(Enum):
    NUMERAL = auto()  # digits, or a Chinese numeral
    SCALE = auto()  # thousand, 万
    UNIT = auto()  # percent, USD, share
    SIGN = auto()  # + or -
    OPEN = auto()
    CLOSE = auto()
    PER = auto()  # "/" or "per"
    PARTS = auto()  # 百分之: the unit before the numeral
    ABOUT = auto()  # about, 约
    BOUND = auto()  # more than, 以上
    JOIN = auto()  # to, ~, 至: what stands between two numerals of a range
    FILLER = auto()  # in, 整: no meaning of its own


class Token(NamedTuple):
    role: Role
    text: str
    meaning: object = None


CURRENCY_WORDS: dict[str, tuple[str, ...]] = {
    "$": ("$", "dollars", "dollar"),
    "USD": ("us$", "us $", "u.s.$", "u.s. $", "usd", "us dollars", "us dollar", "u.s. dollars", "u.s. dollar",
            "美元", "美金"),
    "CNY": ("cny", "rmb", "元", "人民币", "人民币元", "yuan", "renminbi", "块", "块钱", "cn¥", "rmb¥"),
    "CNH": ("cnh",),
    "HKD": ("hk$", "hk $", "hkd", "hong kong dollars", "港元", "港币", "港幣"),
    "TWD": ("nt$", "nt $", "twd", "new taiwan dollars", "新台币", "新台幣"),
    "EUR": ("€", "eur", "euros", "euro", "欧元"),
    "GBP": ("£", "gbp", "pounds sterling", "英镑"),
    "GBX": ("gbx", "p", "pence", "便士"),
    "USX": ("usx", "us cents", "us cent", "u.s. cents", "u.s. cent", "us¢", "美分"),
    "HKX": ("hkx", "hk cents", "hk cent", "hong kong cents", "hk¢", "港仙", "港币仙"),
    "AUX": ("aux", "australian cents", "au cents", "a cents", "a¢", "澳分"),
    "SGX": ("singapore cents", "s cents", "s¢", "sg cents"),
    "EUX": ("euro cents", "euro cent", "eurocents", "eurocent", "欧分"),
    "JPY": ("jpy", "jp¥", "yen", "日元", "円", "日圆"),
    "KRW": ("₩", "krw", "won", "韩元"),
    "INR": ("₹", "inr", "rs", "rs.", "rupees", "卢比"),
    "AUD": ("a$", "au$", "aud", "澳元"),
    "CAD": ("c$", "ca$", "cad", "加元"),
    "SGD": ("s$", "sgd", "新加坡元", "新元"),
    "NZD": ("nz$", "nzd"),
    "CHF": ("chf", "瑞郎", "瑞士法郎"),
    "BRL": ("r$", "brl"),
    "RUB": ("₽", "rub", "卢布"),
    "MOP": ("mop", "澳门元"),
    "SEK": ("sek",), "NOK": ("nok",), "DKK": ("dkk",), "ZAR": ("zar",), "THB": ("thb",), "MYR": ("myr",),
    "MXN": ("mxn",), "IDR": ("idr",), "ILS": ("nis", "ils"), "TRY": ("try",), "PLN": ("pln",),
    "¥": ("¥",),
}  # fmt: skip

SYMBOL_MAY_MEAN: dict[str, frozenset[str]] = {
    "¥": frozenset({"CNY", "CNH", "JPY"}),
    "$": frozenset({"USD", "HKD", "TWD", "AUD", "CAD", "SGD", "NZD"}),
}
"""Currencies a bare sign may stand for: another word beside it, or the caller's unit, decides among them."""

OTHER_UNIT_WORDS: dict[str, tuple[str, ...]] = {
    "percent": ("%", "percent", "per cent", "pct"),
    "permille": ("‰", "per mille"),
    "pp": ("pp", "ppt", "ppts", "percentage points", "percentage point", "percent points", "个百分点", "百分点"),
    "bp": ("bp", "bps", "basis points", "basis point", "基点", "个基点", "个bp", "‱"),
    "x": ("x", "times", "倍", "次", "×"),
    "ratio": ("ratio",),
    "share": ("shares", "share", "股"),
    "lot": ("lots", "lot", "手"),
    "fund_unit": ("份",),
    "point": ("points", "point", "点", "pts"),
    "year": ("years", "year", "yrs", "yr", "年", "个年度"),
    "quarter": ("quarters", "quarter", "季度", "个季度"),
    "month": ("months", "month", "个月"),
    "week": ("weeks", "week", "周"),
    "day": ("days", "day", "天", "日"),
    "trading_day": ("trading days", "trading day", "个交易日", "交易日"),
    "person": ("employees", "people", "persons", "人", "户"),
    "item": ("个", "家", "只", "支", "条"),
    "tonne": ("tonnes", "tonne", "tons", "ton", "吨"),
    "barrel": ("barrels", "barrel", "桶"),
    "ounce": ("ounces", "ounce", "oz", "盎司"),
    "gram": ("grams", "gram", "克"),
    "square_metre": ("square meters", "square metres", "平方米"),
}  # fmt: skip

TENTHS = "成"
"""A tenth, as ten percent: 三成 is 30 %."""

CALENDAR_WORDS = {"年": "year", "季度": "quarter", "日": "day"}
"""Durations whose word also counts years, quarters and days of the calendar: 3日 may be the third of a month."""

SCALE_WORDS: dict[int, tuple[str, ...]] = {
    2: ("hundred", "百", "佰"),
    3: ("thousand", "thousands", "k", "千", "仟"),
    4: ("万", "萬"),
    5: ("lakh", "lakhs", "lac", "十万"),
    6: ("million", "millions", "mn", "mm", "m", "mln", "mil", "百万", "百萬", "佰万"),
    7: ("crore", "crores", "千万", "千萬", "仟万"),
    8: ("亿", "億"),
    9: ("billion", "billions", "bn", "b", "bln", "十亿"),
    10: ("百亿",),
    11: ("千亿",),
    12: ("trillion", "trillions", "tn", "trn", "万亿", "萬億"),
}

NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
"""Numbers in words are read before a scale alone: "two million"."""

_ABOUT = ("about", "approximately", "approx.", "approx", "around", "roughly", "circa", "nearly", "~", "≈", "约", "大约",
          "近", "约为", "大概", "左右")  # fmt: skip
_BOUND = (">", "<", "≥", "≤", ">=", "<=", "more than", "less than", "at least", "at most", "up to", "over", "under",
          "below", "above", "or more", "超过", "不足", "不到", "至少", "至多", "以上", "以下", "逾", "高于", "低于",
          "余", "多")  # fmt: skip
_JOIN = ("to", "and", "至", "到", "和", "between", "±", ":", "：", ";", ",", "、", "—")
_PARTS = {"百分之": "percent", "千分之": "permille", "万分之": "bp", "萬分之": "bp"}


def _signs_and_brackets() -> dict[str, Token]:
    table = {
        "(": Token(Role.OPEN, "("),
        ")": Token(Role.CLOSE, ")"),
        "/": Token(Role.PER, "/"),
        "+": Token(Role.SIGN, "+", 1),
    }
    table |= {word: Token(Role.PER, word) for word in ("per", "a", "每")}
    table |= {word: Token(Role.SIGN, word, -1) for word in ("-", "▲", "负", "負", "minus", "negative")}
    return table


def _vocabulary() -> dict[str, Token]:
    table = _signs_and_brackets()
    for unit, words in (*CURRENCY_WORDS.items(), *OTHER_UNIT_WORDS.items()):
        # a unit's own name is a word too: what a quantity states can be asked for
        table |= {word: Token(Role.UNIT, word, unit) for word in (unit.casefold(), *words)}
    table[TENTHS] = Token(Role.UNIT, TENTHS, "percent")
    for power, words in SCALE_WORDS.items():
        table |= {word: Token(Role.SCALE, word, Decimal(10**power)) for word in words}
    for role, listed in (
        (Role.ABOUT, _ABOUT),
        (Role.BOUND, _BOUND),
        (Role.JOIN, _JOIN),
        (Role.FILLER, ("in", "of", "整")),
    ):
        table |= {word: Token(role, word) for word in listed}
    return table | {word: Token(Role.PARTS, word, unit) for word, unit in _PARTS.items()}


VOCABULARY = _vocabulary()
_LONGEST = max(map(len, VOCABULARY))


def longest_word(text: str, at: int) -> Token | None:
    """Return the longest word of the vocabulary that stands at a place, never a part of a longer Latin word."""
    for length in range(min(_LONGEST, len(text) - at), 0, -1):
        word = text[at : at + length]
        token = VOCABULARY.get(word)
        if token is not None and not (
            _latin(word[-1]) and at + length < len(text) and _latin(text[at + length])
        ):
            return token
    return None


def _latin(character: str) -> bool:
    return character.isascii() and character.isalpha()

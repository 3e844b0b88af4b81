"""Which values say that there is no value."""

from __future__ import annotations

import math
from decimal import Decimal

from finassay.grading._fold import LONGEST, fold

_WORDS = frozenset({
    "", "na", "n/a", "n.a.", "n.a", "#n/a", "<na>", "nan", "nat", "null", "none", "nil", "nm", "n/m", "n.m.",
    "not available", "not applicable", "not meaningful", "missing", "..", "...", "/", "\\n",
    "不适用", "无", "暂无", "暂无数据", "无数据", "缺失", "未披露", "未公布", "不详", "該当なし",
})  # fmt: skip
_DASHES = frozenset("-—―─")
_SYMBOLS = "$¥€£% "


def plain(raw: object) -> object:
    """Return the Python value inside a NumPy, pandas or Arrow scalar.

    NumPy floats become their shortest decimal text's value, so that ``float32(0.1)`` is 0.1.
    """
    module = type(raw).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(raw, "as_py"):
        return raw.as_py()
    if module == "numpy" and hasattr(raw, "item") and getattr(raw, "ndim", 1) == 0:
        kind = raw.dtype.kind  # type: ignore[attr-defined]
        if kind == "M":
            if str(raw.dtype) in {"datetime64[M]", "datetime64[Y]"}:  # type: ignore[attr-defined]
                return str(raw)  # 2021-01 is a month; .item() would be its first day
            # .item() of nanoseconds is an integer; what is finer than a microsecond stays a text
            whole = raw.astype("datetime64[us]")  # type: ignore[attr-defined]
            return whole.item() if whole == raw else str(raw)
        return float(str(raw)) if kind == "f" else raw.item()
    return raw


def is_missing(raw: object) -> bool:
    """Say whether a value states that there is none.

    Missing: ``None``, NaN, ``NaT``, ``pandas.NA``, an Arrow null, blank text, a lone dash of any length
    (also with a currency or percent sign: ``"$ —"``), and the words of English and Chinese tables such as
    ``N/A``, ``NM``, ``不适用``. Missing is not zero, and infinity is not missing (it is an invalid number).

    Parameters
    ----------
    raw : object
        Text, or a Python, NumPy, pandas or Arrow scalar.

    Returns
    -------
    bool
    """
    value = plain(raw)
    if value is None:
        return True
    if isinstance(value, float | Decimal):
        return math.isnan(value) if isinstance(value, float) else value.is_nan()
    if isinstance(value, str):
        return _text_is_missing(value)
    return type(value).__name__ in {"NAType", "NaTType"}


def _text_is_missing(text: str) -> bool:
    text = text.strip()
    if len(text) > LONGEST:
        return False
    folded = fold(text).casefold()
    if folded in _WORDS:
        return True
    dashes = folded.strip(_SYMBOLS).replace(" ", "")
    if folded.startswith("(") and folded.endswith(")"):
        dashes = folded[1:-1].strip(_SYMBOLS)
    return bool(dashes) and set(dashes) <= _DASHES

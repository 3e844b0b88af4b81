"""The ``paper`` profile for tables: the comparator that BuySideFlow released, with its defects.

Written from the description in ``specs/buysideflow.md`` (sections 2 and 8) and checked on pairs that the released code
judged. It exists to compare with published numbers only; judge new work with `compare_tables`.

Where the description leaves a choice, the released verdicts decide it, and these remain uncertain:

* -0.0 is 0 where whole tables are equal without a factor and without reading text, and is not where columns are
  compared one by one (few pairs were seen).
* The last stage of a loose comparison accepts whatever the merged frames do: they change the stage, never a verdict.
* A loose comparison with a repeated header is recorded as an exception, hence as failed, whatever the cells.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Cells = list[Any]
Columns = list[Cells]

# The first pattern of this list that occurs anywhere in the question wins, not the first place in the question.
_PRECISION = (
    re.compile(r"保留\s*(\d+)\s*位小数"),
    re.compile(r"保留到\s*小数点后\s*(\d+)\s*位"),
    re.compile(r"小数点后\s*(\d+)\s*位"),
    re.compile(r"rounded?\s*to\s*(\d+)\s*decimal", re.IGNORECASE),
    re.compile(r"(\d+)\s*decimal\s*places", re.IGNORECASE),
)
_DEFAULT_DECIMALS = 4
_MOST_DECIMALS = 15  # more digits than a float has: rounding to them changes nothing
_ORDER_WORDS = (
    "升序", "降序", "从高到低", "从低到高", "从大到小", "从小到大", "由高到低", "由低到高", "由大到小", "由小到大",
    "ascending", "descending",
)  # fmt: skip
_TOKEN = re.compile(r"([A-Za-z0-9]{4,12})(?:\.[A-Za-z]{2,8})?")
_MISSING = frozenset({"", "null", "none", "nan", "nat"})
_FACTORS = (1, 1e4, 1e6, 1e8, 1e-4, 1e-6, 1e-8)
_PERCENT = (Decimal(100), Decimal("0.01"))
_LARGEST_QUANTIZED = Decimal(10) ** 15


@dataclass(frozen=True)
class PaperVerdict:
    """What the released comparator says.

    Attributes
    ----------
    passed : bool
        The verdict.
    detail : str
        The stage that decided: ``pass:pairwise``, ``pass:merged``, ``pass:cell_bag``, ``fail:frame_count``,
        ``fail:schema@k``, ``fail:row_count@k``, ``fail:values@k`` (k counts frames from 1), ``fail:all_stages``,
        ``exception:AttributeError``.
    """

    passed: bool
    detail: str


def compare_paper(
    question: str, strict: bool, reference: Sequence[pd.DataFrame], generated: Sequence[pd.DataFrame]
) -> PaperVerdict:
    """Compare result tables as the released BuySideFlow evaluator does.

    Parameters
    ----------
    question : str
        The task's text: decimals and order words are read from it.
    strict : bool
        Whether the task enforces its schema.
    reference, generated : sequence of pandas.DataFrame
        Result tables. Their dtypes matter: numeric columns are rounded before anything else, a reference read from CSV
        holds text and is not.

    Returns
    -------
    PaperVerdict

    Notes
    -----
    Scale factors are guessed per column, one precision holds for all columns, a blank cell turns its column into text,
    and a loose comparison may end in a bag of cells. Each of these accepts wrong tables; see the reference manual.
    """
    decimals = declared_decimals(question)
    ordered = any(word in question for word in _ORDER_WORDS)
    compare = _compare_strict if strict else _compare_loose
    detail = compare(list(reference), list(generated), decimals, ordered)
    return PaperVerdict(detail.startswith("pass"), detail)


def declared_decimals(question: str) -> int:
    """Return the decimals that the released patterns read from a question; 4 where none matches."""
    for pattern in _PRECISION:
        found = pattern.search(question)
        if found:
            return min(int(found[1][:9]), _MOST_DECIMALS)
    return _DEFAULT_DECIMALS


# ---- stages ----------------------------------------------------------------------------------------------------------


def _compare_strict(
    reference: list[pd.DataFrame], generated: list[pd.DataFrame], decimals: int, ordered: bool
) -> str:
    if len(reference) != len(generated):
        return "fail:frame_count"
    for number, (left, right) in enumerate(zip(reference, generated, strict=True), 1):
        if [_header(name) for name in left.columns] != [_header(name) for name in right.columns]:
            return f"fail:schema@{number}"
        if len(left) != len(right):
            return f"fail:row_count@{number}"
        mine, theirs = (_sort_rows(_rounded(frame, decimals), len(frame), ordered) for frame in (left, right))
        if not (
            _all_plainly_equal(mine, theirs, decimals)
            or all(_columns_equal(a, b, decimals) for a, b in zip(mine, theirs, strict=True))
        ):
            return f"fail:values@{number}"
    return "pass:pairwise"


def _compare_loose(
    reference: list[pd.DataFrame], generated: list[pd.DataFrame], decimals: int, ordered: bool
) -> str:
    if any(not frame.columns.is_unique for frame in (*reference, *generated)):
        return "exception:AttributeError"
    if len(reference) == len(generated) and all(
        _pair_matches(left, right, decimals, ordered)
        for left, right in zip(reference, generated, strict=True)
    ):
        return "pass:pairwise"
    if _merged_matches(reference, generated, decimals, ordered):
        return "pass:merged"
    return "pass:cell_bag" if _bag_matches(reference, generated, decimals) else "fail:all_stages"


def _pair_matches(left: pd.DataFrame, right: pd.DataFrame, decimals: int, ordered: bool) -> bool:
    if len(left) != len(right):
        return False
    mine, theirs = (_sort_table(_rounded(frame, decimals), len(frame), ordered) for frame in (left, right))
    return _all_plainly_equal(mine, theirs, decimals) or _greedy(mine, theirs, decimals)


def _merged_matches(
    reference: list[pd.DataFrame], generated: list[pd.DataFrame], decimals: int, ordered: bool
) -> bool:
    """Compare the frames one below the other; every number is rounded and a float here, also beside a blank."""
    left, right = _concatenate(reference), _concatenate(generated)
    if left.empty and right.empty:
        return True
    if len(left) != len(right):
        return False
    mine, theirs = (
        _sort_table(
            [[_key(cell, decimals) for cell in column] for column in _rounded(frame, decimals)],
            len(frame),
            ordered,
        )
        for frame in (left, right)
    )
    return _greedy(mine, theirs, decimals)


def _concatenate(frames: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _bag_matches(reference: list[pd.DataFrame], generated: list[pd.DataFrame], decimals: int) -> bool:
    """Look for every reference cell somewhere in the generated cells; what is left over must agree at one factor."""
    wanted, found = (
        [_key(c, decimals) for f in frames for row in f.itertuples(index=False, name=None) for c in row]
        for frames in (reference, generated)
    )
    if not wanted:
        return not found
    bags = Counter(map(_text, wanted)), Counter(map(_text, found))
    # Read as numbers again, because a code that lost its suffix is one: 751177.SH meets 751177.
    missing = [_number(text) for text in (bags[0] - bags[1]).elements()]
    spare = [number for text in (bags[1] - bags[0]).elements() if (number := _number(text)) is not None]
    left = [number for number in missing if number is not None]
    if len(left) < len(missing) or len(left) > len(spare):
        return False
    return any(_all_found(left, spare, factor, decimals) for factor in (*_FACTORS, *_PERCENT))


def _all_found(wanted: list[float], found: list[float], factor: float | Decimal, decimals: int) -> bool:
    free = list(found)
    for number in wanted:
        place = next(
            (k for k, other in enumerate(free) if _scaled_equal(number, other, factor, decimals)), None
        )
        if place is None:
            return False
        del free[place]
    return True


# ---- columns and rows ------------------------------------------------------------------------------------------------


def _rounded(frame: pd.DataFrame, decimals: int) -> Columns:
    """Return the cells by column, columns of a numeric dtype rounded by pandas."""
    import numpy as np
    import pandas as pd

    columns = []
    for place in range(frame.shape[1]):
        cells = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells):
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # as the released code: a huge number becomes inf
                cells = cells.round(decimals)
        columns.append(cells.tolist())
    return columns


def _sort_table(columns: Columns, rows: int, ordered: bool) -> Columns:
    """Order the columns by what they hold from the first row on, then the rows by all columns."""
    return _sort_rows(sorted(columns, key=lambda cells: [_text(cell) for cell in cells]), rows, ordered)


def _sort_rows(columns: Columns, rows: int, ordered: bool) -> Columns:
    """Order the rows as text, unless the question asks for an order."""
    if ordered:
        return columns
    words = [[_text(cell) for cell in column] for column in columns]
    order = sorted(range(rows), key=lambda row: [column[row] for column in words])
    return [[column[row] for row in order] for column in columns]


def _greedy(wanted: Columns, found: Columns, decimals: int) -> bool:
    """Give each wanted column the first free column that matches it."""
    free = list(range(len(found)))
    for column in wanted:
        place = next((k for k in free if _columns_equal(column, found[k], decimals)), None)
        if place is None:
            return False
        free.remove(place)
    return True


def _all_plainly_equal(left: Columns, right: Columns, decimals: int) -> bool:
    """Compare whole tables first: here, where no column needs a factor or its text read, -0.0 is 0."""
    return len(left) == len(right) and all(
        [_text(cell) for cell in a] == [_text(cell) for cell in b]
        or all(_plainly_equal(x, y, decimals) for x, y in zip(a, b, strict=True))
        for a, b in zip(left, right, strict=True)
    )


def _plainly_equal(a: Any, b: Any, decimals: int) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return False
    x, y = _number(a), _number(b)
    return x is not None and y is not None and _rounds_equal(x, y, decimals)


def _columns_equal(left: Cells, right: Cells, decimals: int) -> bool:
    """Compare as text, else as numbers at one factor; a cell that is no number leaves only text."""
    if [_text(cell) for cell in left] == [_text(cell) for cell in right]:
        return True
    a, b = [_number(cell) for cell in left], [_number(cell) for cell in right]
    if None in a or None in b:
        return False
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return _equal_at_one_factor(pairs, decimals)


def _equal_at_one_factor(pairs: list[tuple[float, float]], decimals: int) -> bool:
    return any(
        all(_scaled_equal(a, b, factor, decimals) for a, b in pairs) for factor in (*_FACTORS, *_PERCENT)
    )


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _scaled_equal(reference: float, generated: float, factor: float | Decimal, decimals: int) -> bool:
    """Scale the reference's number and compare after rounding; a zero keeps its sign."""
    if isinstance(factor, Decimal):
        return _percent_equal(reference, generated, factor, decimals)
    return str(round(reference * factor, decimals)) == str(round(generated, decimals))


def _rounds_equal(a: float, b: float, decimals: int) -> bool:
    return round(a, decimals) == round(b, decimals) or (math.isnan(a) and math.isnan(b))


def _percent_equal(reference: float, generated: float, factor: Decimal, decimals: int) -> bool:
    """Compare at the decimals that the generated number shows: at most two fewer than declared, and not below two."""
    if not (math.isfinite(reference) and math.isfinite(generated)):
        return repr(reference) == repr(generated)
    scaled, found = Decimal(repr(reference)) * factor, Decimal(repr(generated))
    shown = _shown_decimals(_half_up(found, decimals))
    kept = min(decimals, max(decimals - 2, shown, min(decimals, 2)))
    return _half_up(scaled, kept) == _half_up(found, kept)


def _shown_decimals(value: Decimal) -> int:
    """Return the decimals of a number without its closing zeros: 3 of 0.0120."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _half_up(value: Decimal, decimals: int) -> Decimal:
    if abs(value) >= _LARGEST_QUANTIZED or decimals > 12:
        return value
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def _number(cell: Any) -> float | None:
    """Read what Python's float reads: "1_000" and full-width digits are numbers, "1,000" and "5%" are not."""
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _key(cell: Any, decimals: int) -> Any:
    """Return a rounded number, else the text; blank is the empty text."""
    text = _text(cell)
    number = _number(cell) if text else None
    return text if number is None else round(number, decimals)


# ---- text ------------------------------------------------------------------------------------------------------------


def _text(cell: Any) -> str:
    """Return a cell as text: missing is blank, times of day are dropped, short codes upper-cased without suffix."""
    if cell is None or _is_missing_object(cell):
        return ""
    if isinstance(cell, dt.date):
        return cell.strftime("%Y-%m-%d")
    text = " ".join(str(cell).split())
    if text.casefold() in _MISSING:
        return ""
    token = _TOKEN.fullmatch(text)
    return token[1].upper() if token else text


def _is_missing_object(cell: Any) -> bool:
    return (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in {"NaTType", "NAType"}


def _header(name: object) -> str:
    text = " ".join(str(name).split()).replace("\ufeff", "")  # in this order: a blank after the mark stays
    token = _TOKEN.fullmatch(text)
    text = token[1] if token else text
    return text.lower() if text.isascii() else text

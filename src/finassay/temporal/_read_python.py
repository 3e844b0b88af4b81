"""Read the temporal contract of a task from a Python program: its date literals and the SQL in its strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from finassay.temporal._evidence import Evidence
from finassay.temporal._read_sql import read_sql

if TYPE_CHECKING:
    from finassay.temporal._catalog import Catalog

_ISO = re.compile(r"((?:19|20)\d\d)[-/]?(\d\d)[-/]?(\d\d)(?:[ T]\d\d:\d\d(?::\d\d)?)?")
_AS_OF_NAME = re.compile(r"as_?of|obs|observ|anchor|cut_?off|snapshot|ref_?date|^d$|观察|截止", re.IGNORECASE)
_MANY_NAME = re.compile(r"dates|days|观察日|调仓日", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"(?:^|_)as_?of|observation_?date|cut_?off|观察日|截止日", re.IGNORECASE)
_DECISION_NAME = re.compile(r"as_?of|observation|rebalanc|decision|观察日|调仓日", re.IGNORECASE)
_LABEL_NAME = re.compile(r"fut|fwd|forward|next_?ret|label|subsequent|未来|后续|标签", re.IGNORECASE)
_SQL = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_FREQUENCIES = {
    "month_end": {"M", "ME", "BM", "BME"},
    "quarter_end": {"Q", "QE", "BQ", "BQE"},
    "year_end": {"A", "Y", "YE", "BA", "BYE"},
    "week": {"W"},
    "day": {"D", "B"},
}


def read_python(source: str, catalog: Catalog | None = None, dialect: str = "mysql") -> list[Evidence]:
    """Return what a Python program says about its contract; an empty list if it says nothing about time.

    Raises
    ------
    SyntaxError
        If it is no Python.
    """
    tree = ast.parse(source)
    dates = {name: value for name, value in _assigned(tree) if isinstance(value, date)}
    readings = [*_named(tree)]
    for text in _texts(tree, dates):
        if _SQL.search(text):
            readings += read_sql(text, catalog, dialect)
    readings += [*_ranges(tree), *_labels(tree)]
    if not any(reading.field == "as_of.date" for reading in readings):
        loose = sorted({day for node in ast.walk(tree) if (day := _date(node))})
        if len(loose) == 1:
            readings.append(
                Evidence(
                    "as_of.date", loose[0], sure=False, because=f"the only date of the program: {loose[0]}"
                )
            )
    return readings


def _date(node: ast.AST | None) -> date | None:
    """Return the date that an expression spells: a string, ``date(2024, 12, 24)``, ``pd.Timestamp("…")``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        match = _ISO.fullmatch(node.value.strip())
        return _valid([int(part) for part in match.groups()]) if match else None
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("date", "datetime") and len(node.args) >= 3:
        parts = [a.value for a in node.args[:3] if isinstance(a, ast.Constant) and isinstance(a.value, int)]
        return _valid(parts)
    if name in ("Timestamp", "to_datetime", "fromisoformat", "strptime", "datetime64") and node.args:
        return _date(node.args[0])
    return None


def _valid(parts: list[int]) -> date | None:
    try:
        return date(*parts) if len(parts) == 3 else None
    except ValueError:
        return None


def _assigned(tree: ast.AST) -> Iterator[tuple[str, date | list[date]]]:
    """Yield names with the date, or the list of dates, they are given: assignments, defaults, keyword arguments."""
    for node in ast.walk(tree):
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(t.id, node.value) for t in node.targets if isinstance(t, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            pairs = [(node.target.id, node.value)]
        elif isinstance(node, ast.keyword) and node.arg:
            pairs = [(node.arg, node.value)]
        elif isinstance(node, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
        elif isinstance(node, ast.arguments):
            named = [argument.arg for argument in (*node.posonlyargs, *node.args)]
            pairs = list(zip(named[len(named) - len(node.defaults) :], node.defaults, strict=True))
        for name, value in pairs:
            if day := _date(value):
                yield name, day
            elif isinstance(value, ast.List | ast.Tuple) and value.elts:
                days = [day for element in value.elts if (day := _date(element))]
                if len(days) == len(value.elts):
                    yield name, days


def _named(tree: ast.AST) -> Iterator[Evidence]:
    as_of: dict[date, str] = {}
    for name, value in _assigned(tree):
        if isinstance(value, list):
            if len(value) > 1 and (_MANY_NAME.search(name) or _AS_OF_NAME.search(name)):
                because = f"{name} lists {len(value)} dates"
                sure = bool(_DECISION_NAME.search(name))  # "holidays" and "pay_dates" are dates too
                yield Evidence("decisions.dates", sorted(set(value)), sure=sure, because=because)
        elif _AS_OF_NAME.search(name):
            as_of.setdefault(value, name)
    for day, name in as_of.items():
        sure = len(as_of) == 1 and bool(_PLAIN_NAME.search(name))
        yield Evidence("as_of.date", day, sure=sure, because=f"{name} = {day}")


def _ranges(tree: ast.AST) -> Iterator[Evidence]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in ("date_range", "bdate_range", "resample"):
            continue
        texts = [
            a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)
        ]
        every = next(
            (
                rhythm
                for rhythm, codes in _FREQUENCIES.items()
                for t in texts
                if str(t).split("-")[0] in codes
            ),
            None,
        )
        if every is None or name == "resample":
            continue
        shown = ast.unparse(node)
        yield Evidence("decisions.every", every, sure=False, because=shown, standing="guess")
        days = [d for a in (*node.args, *(k.value for k in node.keywords)) if (d := _date(a))]
        if len(days) == 2:
            yield Evidence("decisions.from", min(days), sure=False, because=shown)
            yield Evidence("decisions.to", max(days), sure=False, because=shown)


def _labels(tree: ast.AST) -> Iterator[Evidence]:
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            key = node.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and _LABEL_NAME.search(key.value):
                names[key.value] = None
    if names:
        yield Evidence(
            "labels", list(names), sure=False, because="columns whose names speak of later outcomes"
        )


def _texts(tree: ast.AST, dates: dict[str, date]) -> Iterator[str]:
    """Yield every string, an f-string with the dates it names put in."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(_part(part, dates) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def _part(part: ast.expr, dates: dict[str, date]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
        day = dates.get(part.value.id)
        return day.isoformat() if day else "NULL"
    return "NULL"

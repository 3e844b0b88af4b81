"""Read the temporal contract of a task from a Python program: its date literals and the SQL in its strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from finassay.temporal._evidence import Evidence
from finassay.temporal._read_bindings import Bindings
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
    bindings = Bindings(tree)
    dates = {
        name: value
        for name, value in _assigned(tree)
        if isinstance(value, date) and (bindings.is_plain(name) or bindings.is_default(name))
    }
    readings = [*_named(tree, bindings)]
    for text, whole in _texts(tree, dates, bindings):
        if _SQL.search(text):
            found = read_sql(text, catalog, dialect)
            readings += found if whole else map(_built, found)
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


def _named(tree: ast.Module, bindings: Bindings) -> Iterator[Evidence]:
    as_of: dict[date, list[str]] = {}
    lists: dict[str, list[date]] = {}
    for name, value in _assigned(tree):
        if isinstance(value, list):
            if len(value) > 1 and (_MANY_NAME.search(name) or _AS_OF_NAME.search(name)):
                lists[name] = sorted({*lists.get(name, []), *value})
        elif _AS_OF_NAME.search(name):
            as_of.setdefault(value, []).append(name)
    decided = [
        name for name in lists if _DECISION_NAME.search(name)
    ]  # "holidays" and "pay_dates" are dates too
    for name, days in lists.items():
        because = f"{name} lists {len(days)} dates"
        doubt = None
        if decided != [name]:
            doubt = (
                "which list is it?" if name in decided else "its name does not say that something is decided"
            )
        elif not bindings.is_plain(name) or not bindings.is_list_kept(name):
            doubt = "it is bound again, under a condition, or not gone through as a whole"
        yield Evidence(
            "decisions.dates", days, sure=doubt is None, because="; ".join(filter(None, [because, doubt]))
        )
    for day, names in as_of.items():
        because = f"{names[0]} = {day}"
        if doubt := _doubted(tree, names, day, bindings) if len(as_of) == 1 else "there are others":
            because += f"; {doubt}"
        yield Evidence("as_of.date", day, sure=doubt is None, because=because)


def _doubted(tree: ast.Module, names: list[str], day: date, bindings: Bindings) -> str | None:
    """Say why a date under a name may not be the one the program uses; None where it leaves no doubt."""
    name = names[0]
    if not _PLAIN_NAME.search(name):
        return "its name does not say that it is the as-of date"
    if not all(bindings.is_plain(own) or bindings.is_default(own) for own in names):
        return f"{name} is bound again, under a condition, or by who calls"
    if not all(map(bindings.is_date_kept, names)):
        return f"{name} is changed"
    same = set(names)
    for other, value in _bound_otherwise(tree, same, bindings):
        if not (bindings.is_same_date(value, same) or _date(value) == day):
            return f"{other} is another"
        same.add(other)
    if later := max((d for node in ast.walk(tree) if (d := _date(node)) and d > day), default=None):
        return f"what is {later}?"
    return None


def _bound_otherwise(
    tree: ast.Module, names: set[str], bindings: Bindings
) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield what other names of an as-of date are given, and what calls give to parameters of such a name."""
    for function in bindings.functions:
        for argument in ast.walk(function.args):
            if isinstance(argument, ast.arg) and _PLAIN_NAME.search(argument.arg):
                own = argument.arg in names
                for value in bindings.arguments(function, argument.arg) or [None]:
                    if not (own and value is None):
                        yield argument.arg, value
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.List | ast.Tuple):
            for target in node.targets:
                if isinstance(target, ast.Name) and _PLAIN_NAME.search(target.id) and target.id not in names:
                    yield target.id, node.value
        elif (
            isinstance(node, ast.For)
            and isinstance(node.target, ast.Name)
            and _PLAIN_NAME.search(node.target.id)
        ):
            yield node.target.id, node.iter


def _built(reading: Evidence) -> Evidence:
    """Return a reading of a string that the program goes on to build up: not sure."""
    if not reading.sure:
        return reading
    return replace(reading, sure=False, because=f"{reading.because}; but the program builds the text up")


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


def _texts(tree: ast.Module, dates: dict[str, date], bindings: Bindings) -> Iterator[tuple[str, bool]]:
    """Yield every string, an f-string with the dates it names put in, and whether it is used as it then stands."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            parts = [_part(part, dates) for part in node.values]
            yield "".join(part or "NULL" for part in parts), None not in parts and bindings.is_text_kept(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value, bindings.is_text_kept(node)


def _part(part: ast.expr, dates: dict[str, date]) -> str | None:
    """Return the text of a part of an f-string; None for what is not known before it runs."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
        day = dates.get(part.value.id)
        return day.isoformat() if day else None
    return None

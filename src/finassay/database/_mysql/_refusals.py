"""Refusals that only the data can cause: an error of a translated statement, told as what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from finassay.database._mysql._lexer import Source
from finassay.database._types import UnsupportedSyntax

if TYPE_CHECKING:
    import duckdb

_OURS = re.compile(r"MySQL-dialect layer: (.*)", re.DOTALL)
_DECIMAL = re.compile(r"DECIMAL|HUGEINT")
_NAME = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")


def refusal_at_run_time(error: duckdb.Error, source: str) -> UnsupportedSyntax | None:
    """Return the refusal that an error of a translated statement stands for; None where MySQL would fail as well.

    Parameters
    ----------
    error : duckdb.Error
        What DuckDB raised for the translation.
    source : str
        The statement in MySQL's dialect. The place is that of the function the message names, else its beginning.
    """
    import duckdb

    text = str(error).strip()
    if match := _OURS.search(text):
        return _refusal(match.group(1).split("\n")[0], source)
    overflow = (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException)
    if isinstance(error, overflow) and _DECIMAL.search(text):
        return _refusal("a decimal of more than 38 digits", source)
    if isinstance(
        error, (duckdb.BinderException, duckdb.ConversionException, duckdb.NotImplementedException)
    ):
        return _refusal(text.split("\n")[0], source)
    return None


def _refusal(what: str, source: str) -> UnsupportedSyntax:
    named = (re.search(rf"\b{name}\b", source, re.IGNORECASE) for name in _NAME.findall(what))
    start = next((match.start() for match in named if match), len(source) - len(source.lstrip()))
    return UnsupportedSyntax(
        f"MySQL-dialect layer: the data need what cannot be run faithfully on DuckDB: {what}.",
        place=Source(source, source).place(start),
        hint="Rewrite the expression so that the values do not need it, or run the statement on MariaDB.",
    )

"""Names of a database that stand for a text: views, macros, functions; and the tables that lie behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from finassay.core import CandidateError
from finassay.database._policy import check
from finassay.database._references import row_statistics_read, tables_read
from finassay.database._types import QueryPolicy
from finassay.database._words import Words, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from finassay.database._types import Dialect


@dataclass(frozen=True)
class Definition:
    """A view, a macro or a function of the default schema.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"view", "macro", "table macro", "function"}
        A view or macro is seen through: it reads what is served in place of its tables. A function of a server is not.
    texts : tuple of str
        What it stands for, as SELECTs in the engine's own dialect; several for one name with several lists of
        parameters, none where they cannot be read.
    made : str
        The statement that makes it anew in another database, where that is how the engine sees through it.
    why : str
        Why it is not seen through, where that is known.
    """

    name: str
    kind: Literal["view", "macro", "table macro", "function"]
    texts: tuple[str, ...]
    made: str = ""
    why: str = ""


@dataclass(frozen=True)
class Behind:
    """What statements read.

    Attributes
    ----------
    tables : frozenset of str
        The names of tables, in lower case: those of the statements, and those behind views and macros.
    hidden : dict of str to str
        What cannot be seen through, and why.
    """

    tables: frozenset[str]
    hidden: dict[str, str]


def read_through(
    statements: Iterable[tuple[Dialect, str]],
    definitions: Iterable[Definition],
    dialect: Dialect,
    schema: str,
    *,
    kept: Iterable[str] = (),
) -> Behind:
    """Find the tables that statements read, by themselves and behind what the database defines.

    Parameters
    ----------
    statements : iterable of (str, str)
        Dialects and texts; what cannot be parsed is left out.
    definitions : iterable of Definition
        Of the database.
    dialect, schema : str
        The engine's own, and its default one.
    kept : iterable of str
        Views that count as tables.
    """
    whole = {name.lower() for name in kept}
    known = {each.name.lower(): each for each in definitions if each.name.lower() not in whole}
    tables: set[str] = set()
    hidden: dict[str, str] = {}
    seen: set[str] = set()
    waiting = list(statements)
    while waiting:
        spoken, text = waiting.pop()
        try:
            named = tables_read(text, spoken)
            found = _defined(text, spoken, named, known)
        except CandidateError:
            continue
        tables.update(name for name in named if name not in found)
        for name in found:
            if name in seen:
                continue
            seen.add(name)
            own = known[name]
            why = _why_hidden(own, known, dialect, schema)
            if why is not None:
                hidden[f"the {own.kind} {own.name}"] = why
            else:
                waiting += [(dialect, each) for each in own.texts]
    return Behind(frozenset(tables), hidden)


def view_texts(definitions: Iterable[Definition]) -> dict[str, str]:
    """Return the texts of the views that are seen through, by their names."""
    return {
        each.name: each.texts[0]
        for each in definitions
        if each.kind == "view" and each.texts and not each.why
    }


def callable_macros(definitions: Iterable[Definition], schema: str) -> frozenset[str]:
    """Return the names, in lower case, of the table macros of DuckDB whose own texts may run."""
    macros = [each for each in definitions if each.kind == "table macro"]
    names = {each.name.lower() for each in macros}
    for each in macros:
        try:
            for text in each.texts:
                check(text, "duckdb", QueryPolicy(), schema, macros=names)
        except CandidateError:
            names.discard(each.name.lower())
    return frozenset(names)


def _defined(text: str, dialect: Dialect, named: Iterable[str], known: Mapping[str, Definition]) -> list[str]:
    """Return the names of the views that a statement reads, and of the macros and functions that it calls."""
    if not known:
        return []
    words = Words(tokens_of(text, dialect))
    called = {token.text.lower() for at, token in enumerate(words.tokens) if words.called(at)}
    return [name for name, own in known.items() if name in (named if own.kind == "view" else called)]


def _why_hidden(
    own: Definition, known: Mapping[str, Definition], dialect: Dialect, schema: str
) -> str | None:
    if own.why or not own.texts:
        return own.why or "its text cannot be read"
    macros = {name for name, each in known.items() if each.kind == "table macro"}
    for text in own.texts:
        try:
            check(text, dialect, QueryPolicy(), schema, macros=macros)
        except CandidateError as error:
            return f"of its text: {error.message}"
        if counted := row_statistics_read(text, dialect):
            return f"it reads {counted[0]}, which counts all rows of a table"
        if own.kind == "function" and (named := tables_read(text, dialect)):
            return f"it reads {', '.join(named)}, whatever is served in place of that"
    return None

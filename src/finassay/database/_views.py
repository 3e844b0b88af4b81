"""Views in one DuckDB database that stand for the tables of another; some show a replacement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from finassay.database._definitions import Definition
from finassay.database._files import quoted
from finassay.database._overlays import replace_tables
from finassay.database._policy import check
from finassay.database._types import DatabaseUnavailable, OwnSelect, QueryError, QueryPolicy
from finassay.database._words import is_bare, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb
    from sqlglot import exp

_MOST_KEPT = 512
_QUOTED = re.compile(r"""'(?:[^']|'')*'|(?P<from>\bFROM )?"(?P<name>(?:[^"]|"")*)\"""")


class OverlayViews:
    """Views, one for each table; replacing some of them takes milliseconds.

    Views and macros of the database read its own tables, past the overlays: they are made anew from their texts, beside
    these views, and what cannot be made so is not served.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        With the base attached.
    base : str
        The schema of the tables, under its full name.
    names : mapping of str to bool
        The tables and views of the base, and whether each is served as it is where nothing replaces it.
    definitions : sequence of Definition
        The views and macros of the base.
    place : str
        The schema of the views, under its full name.

    Attributes
    ----------
    connection : duckdb.DuckDBPyConnection
        May be replaced by another one to the same two databases.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        base: str,
        names: Mapping[str, bool],
        definitions: Sequence[Definition] = (),
        place: str = "memory.main",
    ) -> None:
        self.connection = connection
        self._base = base
        self._place = place
        self._names = dict(names)
        self._spelled = {name.lower(): name for name in names}
        self._statements: dict[str, str] = {}  # of overlays that were served before
        self._shapes: dict[str, list[str]] = {}  # of these overlays, and of the tables by their names
        self._served: dict[str, str] = {}  # the overlay that now replaces a table
        self._definitions = tuple(each for each in definitions if each.made)
        self._made: set[str] = set()  # those that are served
        connection.execute("".join(map(self._plain, names)))

    def serve(self, overlays: Mapping[str, str]) -> bool:
        """Serve these overlays and no others; return whether a table now has other columns than before.

        Raises
        ------
        DatabaseUnavailable
            If an overlay replaces a table that does not exist.
        QueryError, QueryRefused
            If an overlay is not a SELECT that DuckDB accepts.
        """
        refuse_unknown(overlays, self._names)
        texts = {self._spelled[name.lower()]: text for name, text in overlays.items()}
        statements = {name: self._statement(text) for name, text in texts.items()}
        before = {name: self._shape(name) for name in self._served.keys() | texts.keys()}
        for name in sorted(self._served.keys() - texts.keys()):
            self.connection.execute(self._plain(name))
            del self._served[name]
            self._made.discard(name)
        for name, statement in statements.items():
            if self._served.get(name) != texts[name]:
                create_view(self.connection, f"{self._place}.{quoted(name)}", name, statement, texts[name])
                self._served[name] = texts[name]
        changed = any(self._shape(name) != shape for name, shape in before.items())
        self._define(again=changed)
        return changed

    def _define(self, *, again: bool) -> None:
        """Make the views and macros that are not there; all anew where a table has other columns than before."""
        import duckdb

        if again:
            self._made.clear()
        self._made -= self._served.keys()
        waiting = [
            each
            for each in self._definitions
            if each.name not in self._made and each.name not in self._served
        ]
        left = len(waiting) + 1
        while waiting and len(waiting) < left:  # one may read another
            left, trying, waiting = len(waiting), waiting, []
            for each in trying:
                try:
                    self.connection.execute(each.made)
                    self._made.add(each.name)
                except duckdb.Error:
                    waiting.append(each)

    def _plain(self, name: str) -> str:
        """Return the statement that serves a table as it is."""
        view = f"{self._place}.{quoted(name)}"
        if not self._names[name]:
            return f"DROP VIEW IF EXISTS {view};"
        return f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM {self._base}.{quoted(name)};"  # noqa: S608 - quoted

    def _statement(self, text: str) -> str:
        """Return the SELECT of an overlay with the tables of the base under their full names."""
        if text not in self._statements:
            while len(self._statements) >= _MOST_KEPT:
                oldest = next(iter(self._statements))
                del self._statements[oldest]
                self._shapes.pop(oldest, None)
            self._statements[text] = self._based(text)
        return self._statements[text]

    def _based(self, text: str) -> str:
        if isinstance(text, OwnSelect):
            return _QUOTED.sub(self._place_of, text)
        tree = check(text, "duckdb", QueryPolicy(), "main")

        def base(table: exp.Table) -> str | None:
            return f"{self._base}.{quoted(table.name)}" if table.name.lower() in self._spelled else None

        return replace_tables(text.rstrip().rstrip(";"), "duckdb", base, tree)

    def _place_of(self, found: re.Match[str]) -> str:
        """Return a quoted text of a SELECT of our own as it is; a table of the base after FROM under its full name."""
        named = found["from"] is not None and found["name"].replace('""', '"').lower() in self._spelled
        return f'FROM {self._base}."{found["name"]}"' if named else found[0]

    def _shape(self, name: str) -> list[str] | None:
        """Return the columns and types that are served under a name, None where it is not served."""
        text = self._served.get(name)
        if text is None and not self._names[name]:
            return None
        told = name if text is None else text  # no name of a table is a SELECT
        if told not in self._shapes:
            found = self.connection.sql(f"SELECT * FROM {self._place}.{quoted(name)}")  # noqa: S608 - quoted
            self._shapes[told] = [f"{c} {type_}" for c, type_ in zip(found.columns, found.types, strict=True)]
        return self._shapes[told]


def duckdb_definitions(connection: duckdb.DuckDBPyConnection, base: str) -> list[Definition]:
    """Read the views and macros of the schema ``main`` of a DuckDB database."""
    found: list[Definition] = []
    of_main = "NOT internal AND schema_name = 'main' AND database_name = ?"
    views = f"SELECT view_name, sql FROM duckdb_views() WHERE NOT temporary AND {of_main} ORDER BY 1"  # noqa: S608
    for name, sql in connection.execute(views, [base]).fetchall():
        text = _body(sql)
        made = re.sub(r"\ACREATE VIEW\b", "CREATE OR REPLACE VIEW", sql) if text else ""
        found.append(Definition(name, "view", (text,) if text else (), made))
    macros: dict[str, list[tuple[str, list[str], str]]] = {}
    for name, kind, parameters, body in connection.execute(
        f"""SELECT function_name, function_type, parameters, macro_definition
        FROM duckdb_functions() WHERE function_type IN ('macro', 'table_macro') AND {of_main}
        ORDER BY function_name, len(parameters)""",  # noqa: S608
        [base],
    ).fetchall():
        macros.setdefault(name, []).append((kind, parameters, body))
    for name, forms in macros.items():
        table = forms[0][0] == "table_macro"
        bodies = [
            f"({', '.join(map(quoted, parameters))}) AS {'TABLE ' * table}{body}"
            for _, parameters, body in forms
        ]
        made = f"CREATE OR REPLACE MACRO {quoted(name)}{', '.join(bodies)}"
        texts = tuple(body if table else f"SELECT {body}" for _, _, body in forms)
        place, why = f"{base}.main.{quoted(name)}", ""
        if any(_has_defaults(connection, place, len(parameters), forms) for _, parameters, _ in forms):
            made, why = "", "the defaults of its parameters are told nowhere"
        found.append(Definition(name, "table macro" if table else "macro", texts, made, why))
    return found


def _body(sql: str) -> str | None:
    """Return what stands after AS in CREATE VIEW."""
    depth = 0
    for token in tokens_of(sql, "duckdb"):
        kind = token.token_type.name
        depth += (kind == "L_PAREN") - (kind == "R_PAREN")
        if depth == 0 and is_bare(token) and token.text.upper() == "AS":
            return sql[token.end + 1 :].strip().rstrip(";")
    return None


def _has_defaults(
    connection: duckdb.DuckDBPyConnection,
    place: str,
    parameters: int,
    forms: Sequence[tuple[str, list[str], str]],
) -> bool:
    """Whether a macro may be called with one argument less than it has parameters."""
    import duckdb

    if not parameters or any(len(p) == parameters - 1 for _, p, _ in forms):
        return False
    call = f"{place}({', '.join(['NULL'] * (parameters - 1))})"
    try:
        connection.sql(f"SELECT * FROM {call}" if forms[0][0] == "table_macro" else f"SELECT {call}")  # noqa: S608
    except duckdb.Error as error:
        return "supplied arguments" not in str(error) and "parameter" not in str(error).lower()
    return True


def refuse_unknown(overlays: Iterable[str], known: Iterable[str]) -> None:
    """Raise `DatabaseUnavailable` if an overlay replaces a table that does not exist."""
    unknown = sorted({name.lower() for name in overlays} - {name.lower() for name in known})
    if unknown:
        message = f"An overlay replaces a table that does not exist: {', '.join(unknown)}."
        raise DatabaseUnavailable(message, hint=f"Tables: {', '.join(sorted(known))}.")


def create_view(
    connection: duckdb.DuckDBPyConnection, view: str, name: str, statement: str, text: str
) -> None:
    """Let a view show a statement; raise `QueryError`, which shows the text it was made of, if DuckDB rejects it."""
    import duckdb

    try:
        connection.execute(f"CREATE OR REPLACE VIEW {view} AS {statement}")
    except duckdb.Error as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        message = f"The overlay of {name} is rejected: {first}"
        raise QueryError(message, reason="bad_overlay", hint=f"Its statement is: {text}") from error

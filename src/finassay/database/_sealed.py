"""A sealed database serves its overlays and nothing else: what no statement may ask, lest it see past them.

The engines do most of it. A sealed session has no name in reach but its overlays: the base lies in another DuckDB
catalog, in a database that is not the session's default one (MySQL), or off the search path (PostgreSQL). And each
overlay is fenced: a condition of the statement is never tried on a row before the overlay has let the row in, so that
no error tells what lies beyond. What is refused here are the ways that remain: names that reach the base by their
qualifier, and answers that come from statistics, plans or catalogs instead of rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from finassay.database._forbidden import DUCKDB_TABLE_FUNCTIONS
from finassay.database._names import identifier
from finassay.database._overlays import replace_tables
from finassay.database._places import place_at, unknown_table
from finassay.database._policy import check
from finassay.database._references import table_references
from finassay.database._types import Dialect, QueryPolicy, QueryRefused
from finassay.database._words import Words, dots, is_bare, is_text, opens, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

# Each keeps the engine from trying the statement's conditions on rows that the overlay has not let in yet.
_FENCES: dict[Dialect, str] = {
    "duckdb": "LIMIT 9223372036854775807",
    "mysql": "LIMIT 18446744073709551615",
    "postgres": "OFFSET 0",
}
_BEGINNINGS = {"SELECT", "WITH", "VALUES", "TABLE", "FROM", "PIVOT", "UNPIVOT", "SET"}
# Functions that tell of tables by name or number, of their statistics, or of what the catalogs hold.
_TELLING: dict[Dialect, re.Pattern[str]] = {
    "duckdb": re.compile(r"stats|duckdb_\w+|pragma_\w+|sqlite_\w+|getvariable"),
    "mysql": re.compile(r"(?!)"),
    "postgres": re.compile(
        r"to_reg\w+|has_\w+_privilege|(?:col|obj|shobj)_description|format_type|pg_\w+_is_visible|pg_get_\w+"
        r"|row_security_active|currval|lastval"
    ),
}
_CLOCKS = frozenset(
    """age clock_timestamp curdate current_date current_localtime current_localtimestamp current_time current_timestamp
    curtime get_current_time get_current_timestamp localtime localtimestamp now statement_timestamp sysdate timeofday
    today transaction_timestamp unix_timestamp utc_date utc_time utc_timestamp uuid uuid_short uuidv7""".split()  # noqa: SIM905 - a list
)
_ONLY_WITHOUT = {"age": 1, "unix_timestamp": 0, "uuid": 0}  # with more arguments than these it reads no clock
_BARE_CLOCKS = frozenset(
    """current_date current_time current_timestamp localtime localtimestamp utc_date utc_time
    utc_timestamp""".split()  # noqa: SIM905 - a list
)
_CLOCK_TEXT = re.compile(r"\s*(?:now|today|tomorrow|yesterday)\b[\s\d:.+-]*", re.IGNORECASE)


@dataclass(frozen=True)
class Seal:
    """What is served, and what the engine would reach by a qualified name.

    Attributes
    ----------
    engine : {"duckdb", "mysql", "postgres"}
        What runs underneath.
    schema : str
        The schema that unqualified names belong to.
    tables : tuple of str
        The names of the tables that are served.
    qualifiers : frozenset of str
        Schemas, databases and catalogs of the server, in small letters.
    """

    engine: Dialect
    schema: str
    tables: tuple[str, ...]
    qualifiers: frozenset[str]

    def check(self, sql: str, tree: exp.Expr, language: Dialect) -> None:
        """Refuse a statement that `finassay.database.check` let pass where it could see past the overlays.

        Raises
        ------
        QueryError
            With reason ``unknown_table`` if it names a table that is not served.
        QueryRefused
            With reason ``not_allowed`` or ``clock``.
        """
        tokens = tokens_of(sql, language)
        word = next((token.text.upper() for token in tokens if not opens(token)), "")
        if word not in _BEGINNINGS:
            self._refuse(sql, tokens[0], f"{word} shows how the server answers, and may not be used here.")
        refuse_clock(sql, language)
        self._refuse_tokens(sql, tokens)
        self._refuse_tables(sql, tree)
        self._refuse_casts(sql, tree)

    def unqualified(self, sql: str, language: Dialect) -> str:
        """Return a statement without the default schema before its names: what is served has no other."""
        if self.engine == "duckdb":
            return sql
        words = Words(tokens_of(sql, language))
        for at in reversed(range(len(words.tokens))):
            token = words.tokens[at]
            if words.qualifies(at) and self._is_schema(token.text) and not words.called(at + 2):
                end = words.tokens[at + 1].end + 1
                sql = sql[: token.start] + " " * (end - token.start) + sql[end:]
        return sql

    def _is_schema(self, name: str) -> bool:
        return name == self.schema if self.engine == "mysql" else name.lower() == self.schema.lower()

    def _refuse_tokens(self, sql: str, tokens: Sequence[Token]) -> None:
        words = Words(tokens)
        for at, token in enumerate(tokens):
            name = token.text.lower()
            builtin = name == "pg_catalog" and words.called(at + 2)
            own = self.engine == "duckdb" and self._is_schema(name)
            if words.qualifies(at) and name in self.qualifiers and not (builtin or own):
                self._refuse(sql, token, f"Nothing of {token.text} is served here.")
            if not words.called(at):
                continue
            if at and dots(tokens[at - 1]) and tokens[at - 2].text.lower() != "pg_catalog":
                message = (
                    f"{token.text} is called by a qualified name: functions of the database are not served."
                )
                self._refuse(sql, token, message)
            if _TELLING[self.engine].fullmatch(name):
                message = f"The function {name} tells of the tables behind what is served."
                self._refuse(sql, token, message)
            if name == "operator" and self.engine == "postgres":
                self._refuse(sql, token, "Operators of the database are not served.")

    def _refuse_tables(self, sql: str, tree: exp.Expr) -> None:
        from sqlglot import exp

        served = {name.lower() for name in self.tables}
        for table in table_references(tree):
            elsewhere = bool(table.catalog) or (table.db and not self._is_schema(table.db))
            if elsewhere or table.name.lower() not in served:
                name = ".".join(part.name for part in table.parts)
                raise unknown_table(name, sql, list(self.tables))
        if self.engine != "duckdb":
            return
        for table in tree.find_all(exp.Table):
            if isinstance(table.this, exp.Identifier):
                continue
            names = {table.this.name.lower()}
            if isinstance(table.this, exp.Func) and not isinstance(table.this, exp.Anonymous):
                names = {name.lower() for name in table.this.sql_names()}
            if not names & (DUCKDB_TABLE_FUNCTIONS - {"duckdb_functions", "duckdb_types"}):
                self._refuse(sql, None, f"The table function {min(names)} may not be used here.")

    def _refuse_casts(self, sql: str, tree: exp.Expr) -> None:
        """Refuse casts to types of the database, whose names are those of its tables too."""
        from sqlglot import exp

        for cast in tree.find_all(exp.Cast):
            kind = cast.to
            unknown = isinstance(kind, exp.DataType) and kind.this == exp.DataType.Type.USERDEFINED
            if unknown or kind.sql(dialect="postgres").lower().startswith("reg"):
                self._refuse(sql, None, f"A cast to {kind.sql()} tells of the tables behind what is served.")

    def _refuse(self, sql: str, token: Token | None, message: str) -> NoReturn:
        raise QueryRefused(
            message,
            place=place_at(sql, token.start) if token is not None else None,
            reason="not_allowed",
            hint="Read what is served; SHOW TABLES, DESCRIBE and information_schema, each on its own, list it.",
        )


def refuse_clock(sql: str, dialect: Dialect, as_of: str = "the as-of date") -> None:
    """Refuse a statement that reads the wall clock; what cannot be cut into words is left to others to refuse.

    Raises
    ------
    QueryRefused
        With reason ``clock``.
    """
    from sqlglot.errors import SqlglotError

    try:
        tokens = tokens_of(sql, dialect)
    except SqlglotError:
        return
    words = Words(tokens)
    for at, token in enumerate(tokens):
        name = token.text.lower()
        called = name in _CLOCKS and words.called(at) and _reads_clock(name, tokens[at + 1 :])
        bare = name in _BARE_CLOCKS and is_bare(token) and not (at and dots(tokens[at - 1]))
        text = dialect == "postgres" and is_text(token) and _CLOCK_TEXT.fullmatch(token.text)
        if called or bare or text or (name == "timestamp" and words.is_setting(at)):
            raise QueryRefused(
                f"{token.text} reads the wall clock, and what is served is as of {as_of}.",
                place=place_at(sql, token.start),
                reason="clock",
                hint="Write the date itself, such as '2024-12-24'.",
            )


def _reads_clock(name: str, opened: Sequence[Token]) -> bool:
    """Return whether a call has few enough arguments to read the clock; ``opened`` begins with its parenthesis."""
    if name not in _ONLY_WITHOUT:
        return True
    depth, count, content = 0, 0, False
    for token in opened:
        depth += opens(token) - (token.token_type.name == "R_PAREN")
        if depth == 0:
            break
        content = content or token is not opened[0]
        count += token.token_type.name == "COMMA" and depth == 1
    return count + content <= _ONLY_WITHOUT[name]


@lru_cache(maxsize=4096)
def based(text: str, engine: Dialect, place: str, default_schema: str) -> str:
    """Return an overlay with ``place`` before the name of each table that it reads.

    Raises
    ------
    QueryError, QueryRefused
        If it is no SELECT.
    """
    tree = check(text, engine, QueryPolicy(), default_schema)

    def placed(table: exp.Table) -> str:
        return place + identifier(table.name, engine)

    return replace_tables(text.rstrip().rstrip(";"), engine, placed, tree)


def fenced(text: str, engine: Dialect) -> str:
    """Return a SELECT into which the engine moves no condition of the statement around it."""
    return f"SELECT * FROM (\n{text}\n) AS finassay_known {_FENCES[engine]}"  # noqa: S608 - our own views

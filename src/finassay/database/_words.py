"""The words of a statement: what each is to its neighbours, without a tree of the whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from finassay.database._references import table_references

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

    from finassay.database._types import Dialect


# What a query of its own follows; else TABLE is a name, or of CREATE TABLE and the like.
_BEFORE_A_QUERY = frozenset({"(", ")", "UNION", "INTERSECT", "EXCEPT", "ALL", "DISTINCT"})


class Words:
    """The tokens of a statement, and what they are to each other."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    def called(self, at: int) -> bool:
        """Whether a name is that of a function that is called."""
        return at + 1 < len(self.tokens) and is_name(self.tokens[at]) and opens(self.tokens[at + 1])

    def qualifies(self, at: int) -> bool:
        """Whether a name is the first of several joined by dots."""
        tokens = self.tokens
        first = at == 0 or not dots(tokens[at - 1])
        return first and at + 1 < len(tokens) and is_name(tokens[at]) and dots(tokens[at + 1])

    def is_setting(self, at: int) -> bool:
        """Whether a name is that of a setting: ``@@name``, ``@@session.name``."""
        before = [token.token_type.name for token in self.tokens[max(0, at - 3) : at]]
        return before[-1:] == ["SESSION_PARAMETER"] or (
            before[-1:] == ["DOT"] and before[:1] == ["SESSION_PARAMETER"]
        )


def opens(token: Token) -> bool:
    """Whether it is an opening parenthesis."""
    return token.token_type.name == "L_PAREN"


def dots(token: Token) -> bool:
    """Whether it is a dot."""
    return token.token_type.name == "DOT"


def tokens_of(sql: str, dialect: Dialect) -> list[Token]:
    """Cut a statement into words; sqlglot's `TokenError` if something is never closed."""
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect

    return list(SqlglotDialect.get_or_raise(dialect).tokenize(sql))


def is_text(token: Token) -> bool:
    """Whether it is a string."""
    return "STRING" in token.token_type.name


def is_quoted(token: Token) -> bool:
    """Whether it is a name in quotes."""
    return token.token_type.name == "IDENTIFIER"


def is_bare(token: Token) -> bool:
    """Whether it stands without quotes."""
    return not is_text(token) and not is_quoted(token)


def is_name(token: Token) -> bool:
    """Whether it may be a name; a keyword may, too."""
    return not is_text(token) and (is_quoted(token) or token.text[:1].isidentifier())


def without_database(
    sql: str, dialect: Dialect, database: str, schemas: Collection[str], *, folds: bool
) -> str:
    """Return a statement with blanks for the database's own name: of ``core.main.price``, ``main.price`` is left.

    Names of another database stay, and so does what is no name of three parts or more. Where ``folds`` is true, case
    matters within quotes and there only; else it never does.
    """
    if not re.search(re.escape(database), sql, re.IGNORECASE):
        return sql
    known = {schema.lower() for schema in schemas}

    def is_own(words: Words, at: int) -> bool:
        first, second = words.tokens[at], words.tokens[at + 2]
        text = first.text if is_quoted(first) and folds else first.text.lower()
        return text == (database if folds else database.lower()) and second.text.lower() in known

    return _shortened(sql, dialect, is_own)


def under_schema(sql: str, dialect: Dialect, database: str, schema: str) -> str:
    """Return a statement with the schema in place of the database's own name: of ``core.price``, ``main.price``.

    That is how DuckDB reads a name of two parts whose first is no schema. It stands for a table in FROM and JOIN, and
    before a column of such a table; an alias of that name is left alone. Case never matters.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if not re.search(rf"{re.escape(database)}[\"`]?\s*\.", sql, re.IGNORECASE):
        return sql
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError):
        return sql  # `check` says what is wrong

    def is_own(node: exp.Expr) -> bool:
        own = node.args.get("db")
        return (
            isinstance(own, exp.Identifier)
            and own.name.lower() == database.lower()
            and not node.args.get("catalog")
        )

    tables = [table for tree in trees for table in table_references(tree)]
    named: list[exp.Expr] = [table for table in tables if is_own(table)]
    if named and not any(table.alias.lower() == database.lower() for table in tables):
        named += [column for tree in trees for column in tree.find_all(exp.Column) if is_own(column)]
    places = [node.args["db"].meta for node in named]
    for start, end in sorted({(m["start"], m["end"] + 1) for m in places if "start" in m}, reverse=True):
        sql = sql[:start] + schema.ljust(end - start) + sql[end:]
    return sql


def without_schema(sql: str, dialect: Dialect, schema: str, tables: Collection[str]) -> str:
    """Return a statement with blanks for the schema before the columns of some tables: `public.price.day`."""
    if not re.search(re.escape(schema), sql, re.IGNORECASE):
        return sql

    def is_own(words: Words, at: int) -> bool:
        first, table = words.tokens[at], words.tokens[at + 2]
        text, name = (first.text, schema) if dialect == "mysql" else (first.text.lower(), schema.lower())
        return text == name and table.text.lower() in tables

    return _shortened(sql, dialect, is_own)


def written_out(sql: str, dialect: Dialect) -> str:
    """Return a statement with ``SELECT * FROM price`` for the short form ``TABLE price``."""
    if not re.search(r"\btable\b", sql, re.IGNORECASE):
        return sql
    tokens = tokens_of(sql, dialect)
    for at in reversed(range(len(tokens) - 1)):
        token = tokens[at]
        begins = at == 0 or tokens[at - 1].text.upper() in _BEFORE_A_QUERY
        if begins and is_bare(token) and token.text.upper() == "TABLE" and is_name(tokens[at + 1]):
            sql = f"{sql[: token.start]}SELECT * FROM{sql[token.end + 1 :]}"
    return sql


def without_brackets(sql: str, dialect: Dialect) -> str:
    """Return a statement with ``ONLY price`` for ``ONLY (price)``, which sqlglot does not know."""
    if not re.search(r"\bonly\b", sql, re.IGNORECASE):
        return sql
    from sqlglot.errors import SqlglotError

    try:
        tokens = tokens_of(sql, dialect)
    except SqlglotError:
        return sql  # `check` says what is wrong
    for at in range(len(tokens) - 3):
        token = tokens[at]
        if not (is_bare(token) and token.text.upper() == "ONLY" and opens(tokens[at + 1])):
            continue
        end = at + 2
        while end + 1 < len(tokens) and is_name(tokens[end]) and dots(tokens[end + 1]):
            end += 2
        closed = end + 1 < len(tokens) and tokens[end + 1].token_type.name == "R_PAREN"
        if closed and is_name(tokens[end]) and not (at and dots(tokens[at - 1])):
            for bracket in (tokens[at + 1], tokens[end + 1]):
                sql = sql[: bracket.start] + " " + sql[bracket.end + 1 :]
    return sql


def _shortened(sql: str, dialect: Dialect, is_own: Callable[[Words, int], bool]) -> str:
    """Return a statement with blanks for the first part of such names of three parts or more."""
    from sqlglot.errors import SqlglotError

    try:
        words = Words(tokens_of(sql, dialect))
    except SqlglotError:
        return sql  # `check` says what is wrong
    for at in range(len(words.tokens) - 4):
        if words.qualifies(at) and dots(words.tokens[at + 3]) and is_own(words, at):
            start, end = words.tokens[at].start, words.tokens[at + 1].end + 1
            sql = sql[:start] + " " * (end - start) + sql[end:]
    return sql

"""Texts that an engine reads differently from our parser: refused, for what cannot be read cannot be judged."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from finassay.database._places import place_at
from finassay.database._types import Dialect, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

# Strings, quoted names and comments of MySQL; last, what is no comment to MySQL but looks like one.
_MYSQL = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*`
      | /\*.*?(?:\*/|\Z) | --(?=[\x00-\x20]|\Z)[^\n]* | \#[^\n]* | --""",
    re.DOTALL | re.VERBOSE,
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LONE_RETURN = re.compile(r"\r(?!\n)")


def refuse_hidden_text(sql: str, dialect: Dialect) -> None:
    """Refuse NUL characters, halves of characters and, in MySQL, comments that are run or only look like some.

    Raises
    ------
    QueryRefused
        With reason ``executable_comment`` or ``ambiguous_text``.
    """
    if "\0" in sql:
        _ambiguous(sql, sql.index("\0"), "holds a NUL character", "Remove it.")
    if match := _SURROGATE.search(sql):
        _ambiguous(sql, match.start(), "holds half of a character", "Write the character itself.")
    if dialect != "mysql":
        return
    if match := _LONE_RETURN.search(sql):
        _ambiguous(
            sql, match.start(), "holds a carriage return that ends no line for MySQL", "Use line feeds."
        )
    for match in _MYSQL.finditer(sql):
        text = match.group()
        if text.startswith(("/*!", "/*M!")):
            raise QueryRefused(
                "The statement hides text in a comment that the server executes (/*! … */).",
                place=place_at(sql, match.start()),
                reason="executable_comment",
                hint="Write the text without the comment, or remove it.",
            )
        if text == "--":
            why = "has -- without a blank after it, which MySQL reads as two minus signs"
            _ambiguous(sql, match.start(), why, "Put a blank after the two dashes of a comment.")


def refuse_ambiguous_tokens(sql: str, tokens: Sequence[Token], dialect: Dialect) -> None:
    """Refuse literals of PostgreSQL and DuckDB whose extent our tokenizer may see differently.

    They are: names in Unicode escapes (``U&"…"``), a string that continues an escape string (``E'…'`` on the line
    before), and a dollar that opens a quotation right after a name's character.

    Raises
    ------
    QueryRefused
        With reason ``ambiguous_text``.
    """
    if dialect == "mysql":
        return
    if match := re.search(r"(?i)(?<!\w)u&\"", sql):
        _ambiguous(sql, match.start(), 'has a name in Unicode escapes (U&"…")', "Write the name itself.")
    for token, following in itertools.pairwise(tokens):
        begins = sql[token.start : token.start + 2].lower() == "e'"
        if begins and sql[following.start : following.start + 1] == "'":
            _ambiguous(sql, following.start, "continues an escape string (E'…')", "Join the strings with ||.")
    for token in tokens:
        opens = sql[token.start : token.start + 1] == "$"
        if opens and token.start and (sql[token.start - 1].isalnum() or sql[token.start - 1] in "_$"):
            _ambiguous(
                sql,
                token.start,
                "has a dollar right after a name",
                "Put a blank before it, or quote the name.",
            )


def _ambiguous(sql: str, offset: int, why: str, hint: str) -> None:
    raise QueryRefused(
        f"The statement {why}.", place=place_at(sql, offset), reason="ambiguous_text", hint=hint
    )

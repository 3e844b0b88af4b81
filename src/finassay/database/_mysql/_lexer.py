"""MySQL's lexical rules, checked before sqlglot sees the text: comments, string escapes, charset introducers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from finassay.core import Place
from finassay.database._types import QueryError, UnsupportedSyntax

if TYPE_CHECKING:
    from sqlglot.tokens import Token  # type: ignore[attr-defined]

_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
# What may start outside quotes and is not plain text: comments, quotes, and the two dashes that are no comment.
_LEXEME = re.compile(
    r"""(?P<hint>/\*\+.*?\*/)|(?P<executable>/\*M?!)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<hash>\#[^\n]*)"""
    r"""|(?P<dash>--(?=[\s\x00-\x1f]|\Z)[^\n]*)|(?P<minus>--)"""
    r"""|(?P<quoted>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`)""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Source:
    """A statement's text, with its comments blanked (same length, same lines), and how to point into it."""

    text: str
    blanked: str

    def place(self, offset: int | None) -> Place:
        """Return the line and column of an offset into the text."""
        at = min(offset or 0, len(self.text))
        before = self.text[:at]
        line = before.count("\n") + 1
        column = at - (before.rfind("\n") + 1) + 1
        lines = self.text.split("\n")
        return Place("<sql>", line, column, lines[line - 1].rstrip("\r"))

    def unsupported(self, what: str, offset: int | None, hint: str | None = None) -> NoReturn:
        """Refuse a construct, with its place."""
        raise UnsupportedSyntax(
            f"MySQL's {what} cannot be run faithfully on DuckDB.",
            place=self.place(offset),
            hint=hint
            or "Rewrite it with a construct of docs/reference/mysql-dialect.md, or run it on MariaDB.",
        )

    def error(self, message: str, offset: int | None, hint: str | None = None) -> NoReturn:
        """Report a statement that MySQL itself would reject."""
        raise QueryError(message, place=self.place(offset), hint=hint)


def read_source(sql: str) -> Source:
    """Blank the comments of a statement by MySQL's rules.

    Raises
    ------
    UnsupportedSyntax
        For an executable comment ``/*! … */``: whether it runs depends on the server's version.
    """
    source = Source(sql, sql)

    def blank(match: re.Match[str]) -> str:
        text = match.group(0)
        if match.lastgroup == "executable":
            source.unsupported("executable comment /*! … */", match.start())
        if match.lastgroup == "quoted":
            return text
        if (
            match.lastgroup == "minus"
        ):  # `1--1` is a double minus in MySQL; sqlglot could take it for a comment
            return text
        return re.sub(r"[^\n]", " ", text)

    return Source(sql, _LEXEME.sub(blank, sql))


_ASSIGNMENT = re.compile(
    r"""\s*SET\s(?:[^'"`;]|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`)*;(?=\s*\S)""",
    re.IGNORECASE | re.DOTALL,
)

_INTERVAL = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|\bINTERVAL\s+\(?(@\w+)\s*:=""",
    re.IGNORECASE | re.DOTALL,
)


def without_assignments(sql: str) -> str:
    """Return a statement with the ``SET @x = …;`` in front of it blanked (same length, same lines)."""
    source = read_source(sql)
    for found in _INTERVAL.finditer(source.blanked):  # sqlglot fails there, without a place
        if found.group(1):
            source.unsupported("assignment to a user variable", found.start(1))
    at, text = 0, source.blanked
    while match := _ASSIGNMENT.match(text, at):
        at = match.end()
    return re.sub(r"[^\n]", " ", sql[:at]) + sql[at:]


def unescape(raw: str) -> str:
    """Return the value of a quoted MySQL string, quotes included in `raw`."""
    quote, body = raw[0], raw[1:-1]
    out: list[str] = []
    at = 0
    while at < len(body):
        char = body[at]
        if char == "\\" and at + 1 < len(body):
            following = body[at + 1]
            # \% and \_ keep their backslash outside LIKE as well (MySQL manual, string literals).
            out.append("\\" + following if following in "%_" else _ESCAPES.get(following, following))
            at += 2
        elif char == quote:  # a doubled quote
            out.append(quote)
            at += 2
        else:
            out.append(char)
            at += 1
    return "".join(out)


_EXPONENT_SUM = re.compile(r"([0-9.]+[eE][+-]?[0-9]+)([+-])([0-9.]+)")


def _numbers(token: Token) -> list[Token]:
    """Cut ``1e9+1``, which sqlglot takes for one number."""
    from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

    match = _EXPONENT_SUM.fullmatch(token.text) if token.token_type == TokenType.NUMBER else None
    if not match:
        return [token]
    types = (TokenType.NUMBER, TokenType.PLUS if match.group(2) == "+" else TokenType.DASH, TokenType.NUMBER)
    return [
        Token(
            kind, text, token.line, token.col, token.start + match.start(at), token.start + match.end(at) - 1
        )
        for at, (kind, text) in enumerate(zip(types, match.groups(), strict=True), 1)
    ]


def tokenize(source: Source) -> list[Token]:
    """Cut a statement into sqlglot's tokens, with the values of strings read by MySQL's rules."""
    from sqlglot.dialects.mysql import MySQL
    from sqlglot.errors import TokenError
    from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

    try:
        tokens = list(MySQL().tokenize(source.blanked))
    except TokenError as error:
        source.error(f"The statement cannot be read: {error}", 0)
    tokens = [part for token in tokens for part in _numbers(token)]
    for token in tokens:
        if token.token_type == TokenType.STRING:
            token.text = unescape(source.blanked[token.start : token.end + 1])
        elif token.token_type == TokenType.NATIONAL_STRING:
            token.text = unescape(source.blanked[token.start + 1 : token.end + 1])
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    return tokens

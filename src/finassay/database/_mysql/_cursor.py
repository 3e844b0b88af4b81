"""A place in the tokens of a statement, on sqlglot's parser: look, eat, fail with the place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot.parsers.mysql import MySQLParser
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

if TYPE_CHECKING:
    from finassay.database._mysql._lexer import Source

QUOTED = frozenset({TokenType.STRING, TokenType.IDENTIFIER})


class Cursor(MySQLParser):
    """sqlglot's MySQL parser with the small steps our grammar is made of."""

    source: Source

    def _at(self, *types: TokenType) -> bool:
        return bool(self._curr) and self._curr.token_type in types

    def _word(self) -> str:
        if not self._curr or self._curr.token_type in QUOTED:
            return ""
        return str(self._curr.text).upper()

    def _eat(self, *words: str) -> bool:
        if self._word() in words:
            self._advance()
            return True
        return False

    def _next_word(self) -> str:
        if not self._next or self._next.token_type in QUOTED:
            return ""
        return str(self._next.text).upper()

    def _need(self, token_type: TokenType, what: str) -> None:
        if not self._at(token_type):
            self._fail(f"Expected {what}")
        self._advance()

    def _fail(self, message: str) -> None:
        found = f"found {self._curr.text!r}" if self._curr else "found the end of the statement"
        self.source.error(f"{message}, {found}.", self._curr.start if self._curr else len(self.source.text))

    def _span(self, node: Any, start: int) -> Any:
        end = self._prev.end + 1 if self._prev else start
        node.meta["span"] = (start, end)
        return node

    def _here(self) -> int:
        return int(self._curr.start) if self._curr else len(self.source.text)

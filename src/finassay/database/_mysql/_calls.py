"""How MySQL's calls are written: aggregates, EXTRACT … FROM, TRIM, CAST, units as arguments, OVER."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

from finassay.database._mysql._cursor import Cursor

_UNIT_FUNCTIONS = {"TIMESTAMPDIFF", "TIMESTAMPADD"}


class CallGrammar(Cursor):
    """Reads calls; every function keeps the name it was written with."""

    def _expr(self) -> Any:
        raise NotImplementedError

    def _bits(self, level: int) -> Any:
        raise NotImplementedError

    def _interval(self) -> Any:
        raise NotImplementedError

    def _call(self, name: str) -> Any:
        start = self._here()
        self._advance(2)
        special = getattr(self, f"_call_{name.lower()}", None)
        node = special() if special else self._plain_call(name)
        self._need(TokenType.R_PAREN, f") at the end of {name}()")
        node = self._span(node, start)
        if self._word() in {"OVER", "FILTER", "IGNORE", "RESPECT", "WITHIN"}:
            if self._word() != "OVER":
                self.source.unsupported(f"{self._word()} clause", self._here())
            node = self._span(self._parse_window(node), start)
        return node

    def _plain_call(self, name: str) -> Any:
        arguments: list[Any] = []
        if name in _UNIT_FUNCTIONS:
            arguments.append(exp.Literal.string(self._word().removeprefix("SQL_TSI_")))
            self._advance()
            self._need(TokenType.COMMA, ",")
        distinct = self._eat("DISTINCT")
        if not distinct:
            self._eat("ALL")
        if self._at(TokenType.STAR):
            self._advance()
            arguments.append(exp.Star())
        while not self._at(TokenType.R_PAREN):
            interval = self._interval() if self._word() == "INTERVAL" else None
            arguments.append(interval if interval is not None else self._expr())
            if not self._at(TokenType.COMMA):
                break
            self._advance()
        node = exp.Anonymous(this=name, expressions=arguments)
        if distinct:
            node.meta["distinct"] = True
        return node

    def _call_group_concat(self) -> Any:
        node = self._plain_call("GROUP_CONCAT")
        order = self._parse_order()
        if order is not None:
            node.set("order", order)
            node.meta["order"] = order
        if self._eat("SEPARATOR"):
            node.meta["separator"] = self._curr.text
            self._advance()
        if self._word() == "LIMIT":
            self.source.unsupported("LIMIT inside GROUP_CONCAT", self._here())
        return node

    def _call_extract(self) -> Any:
        unit = self._word()
        self._advance()
        if not self._eat("FROM"):
            self._fail("Expected FROM in EXTRACT")
        return exp.Anonymous(this="EXTRACT", expressions=[exp.Literal.string(unit), self._expr()])

    def _call_position(self) -> Any:
        needle = self._bits(0)
        if not self._eat("IN"):
            self._fail("Expected IN in POSITION")
        return exp.Anonymous(this="LOCATE", expressions=[needle, self._expr()])

    def _call_trim(self) -> Any:
        side = self._word() if self._word() in {"BOTH", "LEADING", "TRAILING"} else ""
        if side:
            self._advance()
        what = None if side and self._word() == "FROM" else self._expr()
        if self._eat("FROM"):
            value = self._expr()
        elif side:
            self._fail("Expected FROM in TRIM")
        else:
            value, what = what, None
        removed = [what] if what is not None else []
        return exp.Anonymous(this=f"TRIM {side or 'BOTH'}", expressions=[value, *removed])

    def _substring(self) -> Any:
        arguments = [self._expr()]
        if self._at(TokenType.COMMA):
            while self._at(TokenType.COMMA):
                self._advance()
                arguments.append(self._expr())
        elif self._eat("FROM"):
            arguments.append(self._expr())
            if self._eat("FOR"):
                arguments.append(self._expr())
        return exp.Anonymous(this="SUBSTRING", expressions=arguments)

    _call_substring = _call_substr = _call_mid = _substring

    def _call_cast(self) -> Any:
        value = self._expr()
        if not self._eat("AS"):
            self._fail("Expected AS in CAST")
        return self._cast_to(value)

    def _call_convert(self) -> Any:
        value = self._expr()
        if self._eat("USING"):
            charset = self._word().lower()
            self._advance()
            return exp.Anonymous(this="CONVERT USING", expressions=[value, exp.Literal.string(charset)])
        self._need(TokenType.COMMA, ", or USING in CONVERT")
        return self._cast_to(value)

    def _cast_to(self, value: Any) -> Any:
        name = self._word()
        self._advance()
        numbers: list[int] = []
        if self._at(TokenType.L_PAREN):
            self._advance()
            while self._at(TokenType.NUMBER):
                numbers.append(int(self._curr.text))
                self._advance()
                if self._at(TokenType.COMMA):
                    self._advance()
            self._need(TokenType.R_PAREN, ")")
        if name in {"SIGNED", "UNSIGNED"}:
            self._eat("INTEGER", "INT")
        if not self._at(TokenType.R_PAREN):
            self.source.unsupported(f"cast to {name} {self._word()}", self._here())
        node = exp.Anonymous(this="CAST", expressions=[value])
        node.meta["type"] = (name, tuple(numbers))
        return node

    def _call_char(self) -> Any:
        node = self._plain_call("CHAR")
        if self._eat("USING"):
            charset = self._word().lower()
            self._advance()
            node = exp.Anonymous(
                this="CHAR USING", expressions=[exp.Literal.string(charset), *node.expressions]
            )
        return node

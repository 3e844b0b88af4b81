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
        if name in {"PERCENTILE_CONT", "PERCENTILE_DISC"} and self._eat("WITHIN"):
            self._within(node)
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

    def _call_json_arrayagg(self) -> Any:
        return self._ordered_call("JSON_ARRAYAGG")

    def _call_group_concat(self) -> Any:
        return self._ordered_call("GROUP_CONCAT")

    def _ordered_call(self, name: str) -> Any:
        node = self._plain_call(name)
        order = self._parse_order()
        if order is not None:
            node.set("order", order)
            node.meta["order"] = order
        if self._eat("SEPARATOR"):
            node.meta["separator"] = self._curr.text
            self._advance()
        if self._eat("LIMIT"):
            node.meta["limit"] = self._limits()
        return node

    def _limits(self) -> tuple[int, int]:
        """Read ``LIMIT rows`` or ``LIMIT skipped, rows``; return the skipped and the rows."""
        numbers: list[int] = []
        while not numbers or self._at(TokenType.COMMA):
            if numbers:
                self._advance()
            if not self._at(TokenType.NUMBER):
                self._fail("Expected a number after LIMIT")
            numbers.append(int(self._curr.text))
            self._advance()
        return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, numbers[0])

    def _within(self, node: Any) -> None:
        """Read ``GROUP (ORDER BY x)`` of a percentile: what it sorts becomes its second argument."""
        if not self._eat("GROUP"):
            self._fail("Expected GROUP after WITHIN")
        self._need(TokenType.L_PAREN, "(")
        order: Any = self._parse_order()
        if order is None or len(order.expressions) != 1:
            self._fail("Expected ORDER BY one expression")
        item = order.expressions[0]
        node.set("expressions", [*node.expressions, item.this])
        node.meta["descending"] = bool(item.args.get("desc"))
        self._need(TokenType.R_PAREN, ")")

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
        name = self._word().partition(" ")[0]
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

"""MySQL's expression grammar on sqlglot's statement parser.

sqlglot reads clauses, joins and set operations; expressions are read here, because the precedence of MySQL's
comparison, bit, COLLATE, BINARY and NOT operators differs from sqlglot's, and because every function must keep the
name it was written with: a name that is not on our list is refused, never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

from finassay.core import InputError
from finassay.database._mysql._calls import CallGrammar
from finassay.database._mysql._cursor import QUOTED
from finassay.database._mysql._lexer import Source, tokenize

if TYPE_CHECKING:
    from sqlglot.tokens import Token  # type: ignore[attr-defined]

_COMPARE = {
    TokenType.EQ: exp.EQ,
    TokenType.NEQ: exp.NEQ,
    TokenType.NULLSAFE_EQ: exp.NullSafeEQ,
    TokenType.LT: exp.LT,
    TokenType.LTE: exp.LTE,
    TokenType.GT: exp.GT,
    TokenType.GTE: exp.GTE,
}
# From loosest to tightest; every level is left-associative.
_BIT_LEVELS: list[dict[TokenType, Any]] = [
    {TokenType.PIPE: exp.BitwiseOr},
    {TokenType.AMP: exp.BitwiseAnd},
    {},  # << and >>, two tokens each
    {TokenType.PLUS: exp.Add, TokenType.DASH: exp.Sub},
    {TokenType.STAR: exp.Mul, TokenType.SLASH: exp.Div, TokenType.DIV: exp.IntDiv, TokenType.MOD: exp.Mod},
    {TokenType.CARET: exp.BitwiseXor},
]
_SHIFT_LEVEL, _ADD_LEVEL = 2, 3
INTERVAL_UNITS = frozenset({
    "MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR",
    "SECOND_MICROSECOND", "MINUTE_MICROSECOND", "MINUTE_SECOND", "HOUR_MICROSECOND", "HOUR_SECOND",
    "HOUR_MINUTE", "DAY_MICROSECOND", "DAY_SECOND", "DAY_MINUTE", "DAY_HOUR", "YEAR_MONTH",
})  # fmt: skip
_BARE_CLOCKS = frozenset({
    "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "UTC_DATE",
    "UTC_TIMESTAMP", "UTC_TIME", "CURRENT_USER", "CURRENT_ROLE",
})  # fmt: skip
# Words that end an expression; a column of such a name must be quoted in MySQL too.
_RESERVED = frozenset({
    "SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "AND",
    "OR", "XOR", "NOT", "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE", "IS", "AS", "ON", "USING", "JOIN",
    "LEFT", "RIGHT", "INNER", "CROSS", "NATURAL", "STRAIGHT_JOIN", "THEN", "WHEN", "ELSE", "BY", "ASC",
    "DESC", "INTO", "FOR", "WITH", "DIV", "MOD", "COLLATE", "SEPARATOR", "DISTINCT", "ALL", "WINDOW",
    "OVER", "PARTITION", "ROWS", "RANGE", "TABLE", "CASE", "CAST", "CONVERT", "EXISTS", "INTERVAL",
    "BINARY", "NULL", "TRUE", "FALSE",
})  # fmt: skip


class MySQLGrammar(CallGrammar):
    """sqlglot's MySQL parser with MySQL's own expression grammar."""

    values: Mapping[int, Any] = MappingProxyType({})  # of the markers, by their place

    # --- hooks that sqlglot's clause parsers call -------------------------------------------------------------------
    def _parse_assignment(self) -> Any:
        return self._expr()

    _grouping = False

    def _parse_group(self, *arguments: Any, **options: Any) -> Any:
        around, self._grouping = self._grouping, True
        group = super()._parse_group(*arguments, **options)
        self._grouping = around
        return group

    def _parse_statement(self) -> Any:
        return self._assignments() if self._word() == "SET" else super()._parse_statement()

    def _assignments(self) -> Any:
        """Read ``SET @x = 1, @y := 2``; ``SET NAMES utf8mb4`` changes nothing."""
        found = []
        while self._eat("SET", ","):
            start = self._here()
            if self._eat("NAMES"):
                if not self._eat("UTF8MB4"):
                    self.source.unsupported("SET NAMES of another character set", start)
                break
            if not self._at(TokenType.PARAMETER):
                self.source.unsupported("SET of anything but user variables", start)
            variable = self._variable()
            if not self._at(TokenType.EQ, TokenType.COLON_EQ):
                self._fail("Expected = after the variable")
            self._advance()
            found.append(self._span(exp.PropertyEQ(this=variable, expression=self._expr()), start))
        return exp.Tuple(expressions=found)

    def _parse_disjunction(self) -> Any:
        # sqlglot looks for one more item after WITH ROLLUP.
        if not self._curr or self._at(TokenType.R_PAREN) or self._word() in {"UNION", "EXCEPT", "INTERSECT"}:
            return None
        key, self._grouping = self._grouping, False
        node = self._expr()
        self._grouping = key
        if key and self._word() in {"ASC", "DESC"}:
            node = exp.Ordered(this=node, desc=self._word() == "DESC")
            self._advance()
        return node

    def _parse_bitwise(self) -> Any:
        return self._bits(0)

    def _parse_expression(self) -> Any:
        if self._at(TokenType.STAR):
            self._advance()
            return exp.Star()
        if self._word() in {"SELECT", "WITH"}:
            return None  # sqlglot asks for an expression before it asks for a statement
        node = self._expr()
        return self._parse_alias(node)

    # --- logic ------------------------------------------------------------------------------------------------------
    def _expr(self) -> Any:
        start = self._here()
        if self._at(TokenType.PARAMETER):
            node = self._variable()
            if self._at(TokenType.COLON_EQ):
                self._advance()
                return self._span(exp.PropertyEQ(this=node, expression=self._expr()), start)
            self._retreat_to(start)
        left = self._xor()
        while self._at(TokenType.OR, TokenType.DPIPE):
            self._advance()
            left = self._span(exp.Or(this=left, expression=self._xor()), start)
        return left

    def _retreat_to(self, start: int) -> None:
        while self._here() != start:
            self._advance(-1)

    def _xor(self) -> Any:
        start = self._here()
        left = self._and()
        while self._eat("XOR"):
            left = self._span(exp.Xor(this=left, expression=self._and()), start)
        return left

    def _and(self) -> Any:
        start = self._here()
        left = self._not()
        while self._at(TokenType.AND, TokenType.DAMP):
            self._advance()
            left = self._span(exp.And(this=left, expression=self._not()), start)
        return left

    def _not(self) -> Any:
        start = self._here()
        if self._word() == "NOT":
            self._advance()
            return self._span(exp.Not(this=self._not()), start)
        return self._comparison()

    def _comparison(self) -> Any:
        start = self._here()
        left = self._predicate()
        while self._curr:
            if self._curr.token_type in _COMPARE:
                left = self._compare(left, start)
            elif self._word() == "IS":
                left = self._is(left, start)
            else:
                break
        return left

    def _compare(self, left: Any, start: int) -> Any:
        kind = _COMPARE[self._curr.token_type]
        self._advance()
        word = self._word()
        if word in {"ANY", "SOME", "ALL"} and self._next and self._next.token_type == TokenType.L_PAREN:
            self._advance()
            right: Any = (exp.All if word == "ALL" else exp.Any)(this=self._primary())
        else:
            right = self._predicate()
        return self._span(kind(this=left, expression=right), start)

    def _is(self, left: Any, start: int) -> Any:
        self._advance()
        negated = self._eat("NOT")
        word = self._word()
        if word not in {"NULL", "TRUE", "FALSE", "UNKNOWN"}:
            self._fail("Expected NULL, TRUE, FALSE or UNKNOWN after IS")
        self._advance()
        value = exp.Boolean(this=word == "TRUE") if word in {"TRUE", "FALSE"} else exp.Null()
        node = self._span(exp.Is(this=left, expression=value), start)
        return self._span(exp.Not(this=node), start) if negated else node

    def _predicate(self) -> Any:
        start = self._here()
        left = self._bits(0)
        word = self._word()
        negated = word == "NOT" and self._next_word() in {"IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE"}
        if negated:
            self._advance()
            word = self._word()
        if word == "IN":
            node = self._in(left)
        elif word == "BETWEEN":
            self._advance()
            low = self._bits(0)
            if not self._eat("AND"):
                self._fail("Expected AND in BETWEEN")
            node = exp.Between(this=left, low=low, high=self._predicate())
        elif word == "LIKE":
            self._advance()
            node = exp.Like(this=left, expression=self._bits(4))
            if self._eat("ESCAPE"):
                node = exp.Escape(this=node, expression=self._primary())
        elif word in {"REGEXP", "RLIKE"}:
            self._advance()
            node = exp.RegexpLike(this=left, expression=self._bits(0))
        elif word == "SOUNDS" and self._next_word() == "LIKE":
            self._advance(2)
            sides = [exp.Anonymous(this="SOUNDEX", expressions=[each]) for each in (left, self._bits(0))]
            node = exp.EQ(this=sides[0], expression=sides[1])
        elif word in {"MEMBER", "ILIKE", "GLOB", "SIMILAR", "OVERLAPS"} and self._next_word() in {
            "LIKE",
            "OF",
        }:
            self.source.unsupported(f"{word} operator", self._here())
        else:
            return left
        node = self._span(node, start)
        if self._word() in {"IN", "LIKE", "REGEXP", "RLIKE", "BETWEEN"}:
            self.source.unsupported("chain of predicates without parentheses", self._here())
        return self._span(exp.Not(this=node), start) if negated else node

    def _in(self, left: Any) -> Any:
        self._advance()
        if not self._at(TokenType.L_PAREN):
            self._fail("Expected ( after IN")
        query = self._subquery()
        if query is not None:
            return exp.In(this=left, query=query)
        return exp.In(this=left, expressions=self._list())

    def _list(self) -> list[Any]:
        self._need(TokenType.L_PAREN, "(")
        items = [self._expr()]
        while self._at(TokenType.COMMA):
            self._advance()
            items.append(self._expr())
        self._need(TokenType.R_PAREN, ")")
        return items

    # --- arithmetic and bits ----------------------------------------------------------------------------------------
    def _bits(self, level: int) -> Any:
        if level == len(_BIT_LEVELS):
            return self._unary()
        start = self._here()
        if level == _ADD_LEVEL and self._word() == "INTERVAL" and (interval := self._interval()) is not None:
            if not self._at(TokenType.PLUS):
                return interval  # a window frame's bound
            self._advance()
            left = self._span(exp.Add(this=self._bits(level + 1), expression=interval), start)
        else:
            left = self._bits(level + 1)
        while kind := self._operator(level):
            interval = self._interval() if level == _ADD_LEVEL and self._word() == "INTERVAL" else None
            right = interval if interval is not None else self._bits(level + 1)
            left = self._span(kind(this=left, expression=right), start)
        return left

    def _operator(self, level: int) -> Any:
        if not self._curr:
            return None
        token = self._curr.token_type
        if level == _SHIFT_LEVEL:
            twice = self._next and self._next.token_type == token and self._next.start == self._curr.end + 1
            if token in {TokenType.LT, TokenType.GT} and twice:
                self._advance(2)
                return exp.BitwiseLeftShift if token == TokenType.LT else exp.BitwiseRightShift
            return None
        kind = _BIT_LEVELS[level].get(token)
        if kind is not None:
            self._advance()
        return kind

    def _interval(self) -> Any:
        """Read ``INTERVAL expr unit``; None (and nothing read) where it is the function INTERVAL()."""
        index, start = self._index, self._here()
        self._advance()
        value = self._expr()
        unit = self._word()
        if unit not in INTERVAL_UNITS:
            self._retreat(index)
            return None
        self._advance()
        return self._span(exp.Interval(this=value, unit=exp.var(unit)), start)

    def _unary(self) -> Any:
        start = self._here()
        for token, kind in ((TokenType.DASH, exp.Neg), (TokenType.TILDE, exp.BitwiseNot)):
            if self._at(token):
                self._advance()
                return self._span(kind(this=self._unary()), start)
        if self._at(TokenType.PLUS):
            self._advance()
            return self._unary()
        if self._at(TokenType.NOT) and self._curr.text == "!":
            self._advance()
            return self._span(exp.Not(this=self._unary()), start)
        return self._collated()

    def _collated(self) -> Any:
        start = self._here()
        node = self._primary()
        while self._eat("COLLATE"):
            name = self._curr.text if self._curr else ""
            self._advance()
            node = self._span(exp.Collate(this=node, expression=exp.var(name)), start)
        while self._at(
            TokenType.ARROW, TokenType.DARROW
        ):  # MySQL's, not MariaDB's: JSON_EXTRACT by another name
            unquoted = self._at(TokenType.DARROW)
            self._advance()
            path = exp.Literal.string(self._curr.text if self._at(TokenType.STRING) else "")
            self._need(TokenType.STRING, "a path in quotes")
            node = self._span(exp.Anonymous(this="JSON_EXTRACT", expressions=[node, path]), start)
            if unquoted:
                node = self._span(exp.Anonymous(this="JSON_UNQUOTE", expressions=[node]), start)
        return node

    # --- primaries --------------------------------------------------------------------------------------------------
    def _primary(self) -> Any:
        start = self._here()
        if not self._curr:
            self._fail("Expected an expression")
        node = self._literal() or self._keyword() or self._parenthesised() or self._name()
        if node is None:
            self._fail("Expected an expression")
        return self._span(node, start)

    def _literal(self) -> Any:
        token, text = self._curr.token_type, self._curr.text
        if token == TokenType.STRING:
            parts = []
            while self._at(TokenType.STRING):
                parts.append(self._curr.text)
                self._advance()
            return exp.Literal.string("".join(parts))
        if token == TokenType.NUMBER:
            self._advance()
            return exp.Literal.number(text)
        if token == TokenType.DOT and self._next and self._next.token_type == TokenType.NUMBER:
            self._advance(2)
            return exp.Literal.number("0." + self._prev.text)
        if token in {TokenType.HEX_STRING, TokenType.BIT_STRING}:
            self._advance()
            return (exp.HexString if token == TokenType.HEX_STRING else exp.BitString)(this=text)
        if (
            token == TokenType.INTRODUCER
            and text.lower() == "_utf8mb4"
            and self._next.token_type == TokenType.STRING
        ):
            self._advance()
            return self._literal()
        if token == TokenType.NATIONAL_STRING:
            self._advance()
            return exp.Literal.string(text)
        if token == TokenType.INTRODUCER and self._next.token_type == TokenType.STRING:
            return self._introduced(text.lower())
        return None

    def _introduced(self, charset: str) -> Any:
        """Read ``_latin1'…'`` of ASCII, which is the same text, and ``_binary'…'``."""
        start = self._here()
        self._advance()
        literal = self._literal()
        if (
            charset not in {"_latin1", "_utf8", "_utf8mb3", "_ascii", "_binary"}
            or not str(literal.this).isascii()
        ):
            self.source.unsupported("character set introducer", start)
        return literal if charset != "_binary" else exp.Anonymous(this="BINARY", expressions=[literal])

    def _keyword(self) -> Any:
        word = self._word()
        if word in {"NULL", "TRUE", "FALSE"}:
            self._advance()
            return exp.Null() if word == "NULL" else exp.Boolean(this=word == "TRUE")
        if word == "CASE":
            return self._case()
        if word == "BINARY":
            self._advance()
            return exp.Anonymous(this="BINARY", expressions=[self._unary()])
        if word == "EXISTS" and self._next and self._next.token_type == TokenType.L_PAREN:
            self._advance()
            return exp.Exists(this=self._subquery())
        if word in {"DATE", "TIME", "TIMESTAMP"} and self._next and self._next.token_type == TokenType.STRING:
            self._advance(2)
            return exp.Anonymous(this=f"{word} LITERAL", expressions=[exp.Literal.string(self._prev.text)])
        if self._at(TokenType.PARAMETER):
            return self._variable()
        if self._at(TokenType.SESSION_PARAMETER):
            self.source.unsupported("system variable", self._here())
        if self._at(TokenType.PLACEHOLDER):
            return self._marked()
        return None

    def _parse_placeholder(self) -> Any:
        return self._marked() if self._at(TokenType.PLACEHOLDER) else super()._parse_placeholder()

    def _marked(self) -> Any:
        """Return the literal a driver writes for the value of a ``?``."""
        value = self.values[self._here()]
        if isinstance(value, float) and not math.isfinite(value):
            self.source.unsupported(f"value {value!r} of a marker", self._here())
        self._advance()
        if value is None or isinstance(value, bool):
            return exp.Null() if value is None else exp.Boolean(this=value)
        if isinstance(value, (int, float, Decimal)):
            text = f"{abs(value):f}" if isinstance(value, Decimal) else repr(abs(value))
            text += "e0" if isinstance(value, float) and "e" not in text else ""
            number = exp.Literal.number(text)
            return exp.Neg(this=number) if value < 0 else number
        if isinstance(value, (str, date)):
            return exp.Literal.string(value if isinstance(value, str) else str(value))
        return self.source.unsupported(f"value of type {type(value).__name__} of a marker", self._prev.start)

    def _variable(self) -> Any:
        self._advance()
        name = self._curr.text if self._curr else ""
        self._advance()
        return exp.Parameter(this=exp.var(name.lower()))

    def _case(self) -> Any:
        self._advance()
        base = None if self._word() == "WHEN" else self._expr()
        branches = []
        while self._eat("WHEN"):
            condition = self._expr()
            if not self._eat("THEN"):
                self._fail("Expected THEN")
            branches.append(exp.If(this=condition, true=self._expr()))
        default = self._expr() if self._eat("ELSE") else None
        if not branches or not self._eat("END"):
            self._fail("Expected END")
        return exp.Case(this=base, ifs=branches, default=default)

    def _subquery(self) -> Any:
        """Read a parenthesised query, at ``(``; None (and nothing read) where the parentheses hold something else."""
        ahead = self._index
        tokens = self._tokens
        while ahead < len(tokens) and tokens[ahead].token_type == TokenType.L_PAREN:
            ahead += 1
        if ahead >= len(tokens) or tokens[ahead].text.upper() not in {"SELECT", "WITH"}:
            return None
        if tokens[ahead].token_type in QUOTED:
            return None
        index = self._index
        self._advance()
        query = self._parse_select(nested=True) if self._at(TokenType.L_PAREN) else self._parse_select()
        if query is not None:
            query = self._parse_set_operations(query)
            query = self._parse_query_modifiers(query)
        if query is None or not self._at(TokenType.R_PAREN):
            if self._tokens[index + 1].token_type == TokenType.L_PAREN:
                self._retreat(index)  # `((SELECT 1) + 1)`: an expression after all
                return None
            self._fail("Expected ) after a subquery")
        self._advance()
        return exp.Subquery(this=query)

    def _parenthesised(self) -> Any:
        if not self._at(TokenType.L_PAREN):
            return None
        query = self._subquery()
        if query is not None:
            return query
        items = self._list()
        return exp.Paren(this=items[0]) if len(items) == 1 else exp.Tuple(expressions=items)

    def _name(self) -> Any:
        word, token = self._word(), self._curr
        called = self._next and self._next.token_type == TokenType.L_PAREN and token.token_type not in QUOTED
        if called and (token.token_type == TokenType.VAR or word.replace("_", "").isalnum()):
            return self._call(word)
        if word in _BARE_CLOCKS:
            self._advance()
            return exp.Anonymous(this=word, expressions=[])
        if word in _RESERVED or token.token_type == TokenType.STRING:
            return None
        return self._column()

    def _column(self) -> Any:
        parts = [self._identifier()]
        while self._at(TokenType.DOT):
            self._advance()
            if self._at(TokenType.STAR):
                self._advance()
                parts.append(exp.Star())
                break
            parts.append(self._identifier())
        if len(parts) > 3:
            self._fail("Expected at most database.table.column")
        names = dict(zip(("this", "table", "db"), reversed(parts), strict=False))
        return exp.Column(**names)

    def _identifier(self) -> Any:
        token = self._curr
        if token is None or not (
            token.token_type == TokenType.IDENTIFIER or token.text.replace("_", "").replace("$", "").isalnum()
        ):
            self._fail("Expected a name")
        self._advance()
        node = exp.Identifier(this=token.text, quoted=token.token_type == TokenType.IDENTIFIER)
        node.meta["span"] = (token.start, token.end + 1)
        return node


def parse(source: Source, params: Sequence[Any] = ()) -> tuple[list[Any], exp.Expr]:
    """Parse a query and the ``SET @x = …`` in front of it; positions are on every expression as ``meta["span"]``.

    Raises
    ------
    QueryError
        Where MySQL would not accept the text either, or sqlglot cannot read it.
    UnsupportedSyntax
        Where the grammar knows a construct that is never translated.
    """
    from sqlglot.errors import ParseError

    tokens = tokenize(source)
    if not tokens:
        source.error("Expected a SELECT statement, found nothing.", 0)
    *before, last = _statements(tokens)
    for statement in before:
        if [token.text.upper() for token in statement[:1]] != ["SET"]:
            source.error(
                "Expected one statement, found several.", statement[0].start, hint="Send them one by one."
            )
    first = last[0].text.upper()
    if first not in {"SELECT", "WITH", "("}:
        source.unsupported(
            f"statement {first}", last[0].start, "Only SELECT (with WITH and UNION) is translated."
        )
    try:
        parser = MySQLGrammar(dialect="mysql")
    except TypeError as error:
        raise InputError(
            "MySQL's grammar extends sqlglot's parser, and the compiled build of sqlglot that is installed lets nobody "
            f"extend it ({error}).",
            hint="Remove it, sqlglot works without: `pip uninstall sqlglotc`.",
        ) from error
    parser.source = source
    markers = [token.start for token in tokens if token.token_type == TokenType.PLACEHOLDER]
    if len(markers) != len(params):
        source.error(f"The statement has {len(markers)} markers and {len(params)} values were given.", 0)
    parser.values = dict(zip(markers, params, strict=True))
    try:
        trees = parser.parse(tokens, source.blanked)
    except ParseError as error:
        details = error.errors[0] if error.errors else {}
        offset = _offset(source, details.get("line"), details.get("col"))
        source.error(f"The statement cannot be parsed: {details.get('description', error)}", offset)
    tree = trees[-1]
    if tree is None:
        source.error("Expected a SELECT statement, found nothing.", 0)
    return trees[:-1], tree


def _statements(tokens: list[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            found.append([])
        else:
            found[-1].append(token)
    return [statement for statement in found if statement]


def _offset(source: Source, line: int | None, column: int | None) -> int:
    if not line:
        return 0
    lines = source.text.split("\n")
    return sum(len(text) + 1 for text in lines[: line - 1]) + max((column or 1) - 1, 0)

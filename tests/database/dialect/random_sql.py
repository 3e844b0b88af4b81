"""Random typed expressions over the fixture's tables: numbers, strings, dates and conditions, nested."""

# ruff: noqa: E501 - one alternative a line
from __future__ import annotations

import random
from collections.abc import Callable, Iterator

_NUMBERS = (
    "n",
    "id",
    "price",
    "rate",
    "x",
    "big % 1000",
    "flag",
    "0",
    "1",
    "-3",
    "7",
    "2.5",
    "0.10",
    "-1.25",
    "1.5e0",
    "NULL",
)
_STRINGS = (
    "name",
    "g",
    "code",
    "'alpha'",
    "'A'",
    "'10'",
    "'2024-01-31'",
    "''",
    "'B '",
    "'中国'",
    "'é'",
    "NULL",
    "'1.5x'",
)
_DATES = (
    "d",
    "d",
    "ts",
    "'2024-02-29'",
    "'2023-12-31 12:30:00'",
    "DATE '2024-01-31'",
    "'20240115'",
    "NULL",
    "20240229",
)
_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=", "<=>")
_FORMATS = ("%Y-%m-%d", "%Y%m", "%m/%d", "%x%v", "%X-%V", "%U", "%b %e", "%H:%i", "%W", "%j")
_DATE_PARTS = (
    "YEAR",
    "MONTH",
    "DAY",
    "QUARTER",
    "DAYOFYEAR",
    "WEEKDAY",
    "DAYOFWEEK",
    "WEEK",
    "YEARWEEK",
    "TO_DAYS",
)
_UNITS = ("DAY", "MONTH", "YEAR", "QUARTER", "WEEK", "HOUR", "MINUTE", "SECOND")


class Generator:
    """A seeded source of statements."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def statements(self, count: int) -> Iterator[str]:
        """Yield `count` statements: mostly one expression over every row, else a filter, a total or groups."""
        for _ in range(count):
            kind = self._random.randrange(10)
            if kind < 7:
                build = self._of((self.number, self.string, self.moment, self.condition))
                yield f"SELECT id, {build(self._random.randrange(1, 4))} AS v FROM t ORDER BY id"
            elif kind == 7:
                yield f"SELECT id FROM t WHERE {self.condition(2)} ORDER BY id"
            elif kind == 8:
                yield f"SELECT {self.aggregate()} AS v FROM t WHERE {self.condition(1)}"
            else:
                yield f"SELECT {self._of(('g', 'flag', 'YEAR(d)'))} AS k, {self.aggregate()} AS v FROM t GROUP BY k ORDER BY k"

    def layered(self, count: int) -> Iterator[str]:
        """Yield `count` statements of groups, windows and derived tables: what each layer keeps of a number's digits."""
        for _ in range(count):
            yield self._pick([self._windowed, self._grouped, self._derived, self._group_in_window])

    def _windowed(self) -> str:
        return f"SELECT id, {self._over(self._window)} AS v FROM t ORDER BY id"

    def _grouped(self) -> str:
        order = self._of(("", " ORDER BY k", " ORDER BY k DESC", " ORDER BY SUM(n), k"))
        more = self._of(("", "", ", COUNT(DISTINCT g) AS c"))
        return f"SELECT id % 3 AS k, {self._over(self._group)} AS v{more} FROM t GROUP BY k{order}"

    def _derived(self) -> str:
        outer = self._over(lambda: str(self._of(("a", "b"))))
        kind = self._random.randrange(4)
        if kind == 0:
            inner = f"SELECT id, {self._quotient()} AS a, {self._quotient()} AS b FROM t"
        elif kind == 1:
            inner = f"SELECT id, {self._window()} AS a, {self._quotient()} AS b FROM t"
        elif kind == 2:
            inner = f"SELECT id % 3 AS id, {self._group()} AS a, {self._over(self._group)} AS b FROM t GROUP BY id % 3"
        else:
            inner = f"SELECT id, {self._quotient()} AS a, {self._quotient()} AS b FROM t LIMIT 100"
        if self._random.random() < 0.3:
            return f"SELECT {self._of(_SUMMARIES)}({outer}) AS v FROM ({inner}) x"
        return f"WITH x AS ({inner}) SELECT id, {outer} AS v FROM x ORDER BY id"

    def _group_in_window(self) -> str:
        window = f"{self._of(_SUMMARIES)}({self._group()}) OVER (ORDER BY id % 3)"
        return f"SELECT id % 3 AS k, {self._over(lambda: self._pick([self._group, lambda: window]))} AS v FROM t GROUP BY k ORDER BY k"

    def _quotient(self) -> str:
        a, b = self._of(_AMOUNTS), self._of(_AMOUNTS)
        return str(self._of((f"{a} / {b}", f"{a} / 7", f"{a} / {b} - 1", f"{a}", f"ROUND({a} / {b}, 4)", f"IFNULL({a} / {b}, 0)",
                             f"CASE WHEN {b} > 1 THEN {a} / {b} END", f"({a} - {b}) / {b} * 100", f"SQRT(ABS({a}))")))  # fmt: skip

    def _group(self) -> str:
        return f"{self._of(_SUMMARIES)}({self._quotient()})"

    def _window(self) -> str:
        e = self._quotient()
        return str(self._of((
            f"{self._of(_SUMMARIES)}({e}) OVER ({self._of(_WINDOWS)})",
            f"{self._of(('LAG', 'LEAD', 'FIRST_VALUE', 'LAST_VALUE'))}({e}) OVER (ORDER BY id)",
        )))  # fmt: skip

    def _over(self, part: Callable[[], str]) -> str:
        """An expression over a part of a layer and, perhaps, another."""
        a, b = part(), part()
        return str(self._of((
            f"({a}) * 1000000", f"({a}) * 1e6", f"({a}) / 7", f"({a}) / ({b})", f"({a}) - ({b})", f"ROUND({a}, 6)",
            f"ROUND(({a}) / ({b}) - 1, 4)", a, f"CONCAT(ROUND({a}, 2), '%')", f"IFNULL({a}, 0) * 1000", f"ABS({a}) + 1",
            f"CASE WHEN ({a}) > 1 THEN ({b}) * 100 ELSE 0 END",
        )))  # fmt: skip

    def _of(self, options: tuple[object, ...]) -> object:  # type: ignore[misc]
        return self._random.choice(options)

    def _perhaps(self, expression: str) -> str:
        """Parentheses or not: the grammar's precedence is part of the test."""
        return expression if self._random.random() < 0.35 else f"({expression})"

    def _pick(self, builders: list[Callable[[], str]]) -> str:
        return self._random.choice(builders)()

    def number(self, depth: int) -> str:
        if depth <= 0 or self._random.random() < 0.25:
            return str(self._of(_NUMBERS))
        n, s, m, c = (
            lambda f=f: f(depth - 1) for f in (self.number, self.string, self.moment, self.condition)
        )
        p = lambda: self._perhaps(n())  # noqa: E731
        return self._pick([
            *[lambda: f"{p()} {self._of(('+', '-', '*', '/'))} {p()}"] * 4,
            lambda: f"{p()} {self._of(('DIV', '%', 'MOD'))} {p()}",
            lambda: f"ROUND({n()}, {self._of((0, 1, 2, 4, -1))})",
            lambda: f"{self._of(('ABS', 'FLOOR', 'CEIL', 'SIGN'))}({n()})",
            lambda: f"IF({c()}, {n()}, {n()})",
            lambda: f"{self._of(('IFNULL', 'NULLIF', 'COALESCE', 'GREATEST', 'LEAST', 'MOD'))}({n()}, {n()})",
            lambda: f"CASE WHEN {c()} THEN {n()} WHEN {c()} THEN {n()} END",
            lambda: f"CAST({n()} AS {self._of(('SIGNED', 'DECIMAL(20,4)', 'DECIMAL(10,1)'))})",
            lambda: f"({c()})",
            lambda: f"{self._of(('LENGTH', 'CHAR_LENGTH'))}({s()})",
            lambda: f"LOCATE({self.string(0)}, {s()})",
            lambda: f"{self._of(_DATE_PARTS)}({m()})",
            lambda: f"DATEDIFF({m()}, {m()})",
            lambda: f"TIMESTAMPDIFF({self._of(_UNITS)}, {m()}, {m()})",
            lambda: f"-{p()}",
            lambda: f"TRUNCATE({n()}, {self._of((0, 1, 2, -1))})",
            lambda: f"FIELD({self.string(0)}, {self.string(0)}, {self.string(0)})",
            lambda: f"{s()} + {n()}",
            lambda: f"STRCMP({s()}, {s()})",
        ])  # fmt: skip

    def string(self, depth: int) -> str:
        if depth <= 0 or self._random.random() < 0.3:
            return str(self._of(_STRINGS))
        n, s, m, c = (
            lambda f=f: f(depth - 1) for f in (self.number, self.string, self.moment, self.condition)
        )
        return self._pick([
            lambda: f"CONCAT({s()}, {self._pick([n, s, m])})",
            lambda: f"{self._of(('UPPER', 'LOWER', 'TRIM', 'LTRIM', 'RTRIM', 'REVERSE'))}({s()})",
            lambda: f"SUBSTRING({s()}, {self._of((1, 2, -1, -2, 0, 3))}{self._of(('', ', 2', ', 0'))})",
            lambda: f"{self._of(('LEFT', 'RIGHT'))}({s()}, {self._of((0, 1, 2, 5))})",
            lambda: f"{self._of(('LPAD', 'RPAD'))}({s()}, {self._of((0, 2, 6))}, {self._of(_PADS)})",
            lambda: f"REPLACE({s()}, {self.string(0)}, {self.string(0)})",
            lambda: f"{self._of(('IFNULL', 'NULLIF', 'COALESCE', 'GREATEST', 'LEAST'))}({s()}, {s()})",
            lambda: f"IF({c()}, {s()}, {self._pick([s, n])})",
            lambda: f"DATE_FORMAT({m()}, '{self._of(_FORMATS)}')",
            lambda: f"SUBSTRING_INDEX({s()}, {self._of(_DELIMITERS)}, {self._of((1, -1, 2, -2))})",
            lambda: f"CAST({self._pick([n, m])} AS CHAR)",
            lambda: f"CONCAT_WS('-', {s()}, {s()})",
            lambda: f"INSERT({s()}, {self._of((1, 2, 0))}, {self._of((1, 2, -1))}, {self.string(0)})",
        ])  # fmt: skip

    def moment(self, depth: int) -> str:
        if depth <= 0 or self._random.random() < 0.4:
            return str(self._of(_DATES))
        m, c = (lambda f=f: f(depth - 1) for f in (self.moment, self.condition))
        return self._pick([
            lambda: f"DATE_{self._of(('ADD', 'SUB'))}({m()}, INTERVAL {self._of((1, -1, 13, 'n', 'id'))} {self._of(_UNITS)})",
            lambda: f"{self._perhaps(m())} {self._of(('+', '-'))} INTERVAL {self._of((1, 2, 31))} {self._of(_UNITS[:3])}",
            lambda: f"LAST_DAY({m()})",
            lambda: f"DATE({m()})",
            lambda: f"IF({c()}, {m()}, {m()})",
            lambda: f"IFNULL({m()}, {m()})",
            lambda: f"CAST({m()} AS {self._of(('DATE', 'DATETIME'))})",
        ])  # fmt: skip

    def condition(self, depth: int) -> str:
        n, s, m, c = (
            lambda f=f: f(max(depth, 0) - 1) for f in (self.number, self.string, self.moment, self.condition)
        )
        p = self._perhaps
        compared = lambda a, b: f"{p(a())} {self._of(_COMPARISONS)} {p(b())}"  # noqa: E731
        builders: list[Callable[[], str]] = [
            *[lambda: compared(n, n)] * 3,
            *[lambda: compared(s, s)] * 2,
            *[lambda: compared(m, m)] * 2,
            lambda: compared(s, n),
            lambda: f"{p(n())} IN ({self.number(0)}, {self.number(0)}, {self.string(0)})",
            lambda: f"{p(s())} IN ({self.string(0)}, {self.string(0)})",
            lambda: f"{p(s())} LIKE {self._of(_PATTERNS)}",
            lambda: f"{p(n())} BETWEEN {self.number(0)} AND {self.number(0)}",
            lambda: f"({self._pick([n, s, m])}) IS {self._of(('NULL', 'NOT NULL'))}",
        ]
        if depth > 0:
            builders += [
                lambda: f"({c()}) {self._of(('AND', 'OR', 'XOR', '&&', '||'))} {self._of(('', 'NOT '))}{c()}",
                lambda: f"({c()}) IS {self._of(('', 'NOT '))}{self._of(('TRUE', 'FALSE', 'UNKNOWN'))}",
            ]
        return self._pick(builders)

    def aggregate(self) -> str:
        n = lambda: self.number(1)  # noqa: E731
        return self._pick([
            lambda: f"{self._of(('SUM', 'AVG', 'MIN', 'MAX', 'COUNT'))}({self.number(2)})",
            lambda: f"COUNT(DISTINCT {self._pick([n, lambda: self.string(1), lambda: self.moment(1)])})",
            lambda: f"{self._of(('SUM', 'AVG'))}({n()}) {self._of(('/', '*', '+', '-'))} COUNT(*)",
            lambda: f"SUM({n()}) / SUM({n()})",
            lambda: f"ROUND({self._of(('SUM', 'AVG'))}({n()}), 2)",
            lambda: f"GROUP_CONCAT({self._of(('id', 'n', 'g'))} ORDER BY id)",
        ])  # fmt: skip


_AMOUNTS = ("n", "price", "rate", "x", "id", "price", "3")
_SUMMARIES = ("AVG", "SUM", "MAX", "MIN", "STDDEV_SAMP", "STD")
_WINDOWS = (
    "",
    "PARTITION BY flag",
    "ORDER BY id",
    "PARTITION BY id % 3 ORDER BY id",
    "ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
)
_PADS = ("'*'", "'xy'")
_DELIMITERS = ("'.'", "'a'")
_PATTERNS = ("'%a%'", "'A_%'", "'_'", "'%银行'", "'alpha'")

"""The types MySQL gives to expressions, and an expression translated so far: its DuckDB text and its MySQL type."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from decimal import Decimal

Kind = Literal["null", "bool", "int", "uint", "dec", "dbl", "str", "date", "datetime", "time"]
NUMERIC = frozenset({"null", "bool", "int", "uint", "dec", "dbl"})
TEMPORAL = frozenset({"date", "datetime", "time"})
MAX_DIGITS = (
    38  # of a DuckDB DECIMAL; MariaDB has 65, so what does not fit fails at run time and is never rounded
)
MAX_SCALE = 38


@dataclass(frozen=True)
class Type:
    """A MySQL type.

    Attributes
    ----------
    kind : str
        Family; ``bool`` is an INT that DuckDB holds as BOOLEAN, ``null`` the type of a bare NULL.
    digits : int
        Digits before the point (int, dec).
    scale : int
        Digits after the point that MySQL shows (dec), or -1 for a DOUBLE without fixed decimals (dbl); of the seconds
        (datetime).
    held : int
        Digits after the point that the value holds (dec): MySQL's quotients keep more digits than they show.
    collation : str
        For str: ``ci`` (utf8mb4_general_ci), ``cs`` (utf8mb4_bin, trailing spaces do not count), ``binary`` or ``gbk``
        (gbk_chinese_ci: pinyin).
    origin : str
        What makes the value read differently in other contexts in MySQL. Of text: ``moment`` (made by date arithmetic,
        its number is YYYYMMDD), ``mixed`` (chosen among other types), ``numbers`` (among numbers and text), ``dates``
        (among dates and text), ``variable`` (a number in a user variable), ``whole`` (MySQL shows its number without
        decimals), ``json`` (JSON), ``set`` (a SET), ``hex`` and ``bytes`` (a literal of bytes). Of numbers:
        ``remainder`` (a decimal zero may have a sign), ``spread`` (a DOUBLE with fixed decimals that keeps all its
        digits in a temporary table), ``average`` (AVG of a group: as a DOUBLE its last digits depend on the plan),
        ``kept`` (a decimal out of a user variable, which shows all the digits it holds), ``single`` (a FLOAT, shown in
        six digits).
    members : tuple of str
        The values of an ENUM or SET: as a number, and where it is sorted, it is its place among them.
    """

    kind: Kind
    digits: int = 0
    scale: int = 0
    held: int = 0
    collation: str = "ci"
    origin: str = ""
    members: tuple[str, ...] = ()

    @property
    def duckdb(self) -> str:
        """The DuckDB type that holds it."""
        if self.kind == "dec":
            return f"DECIMAL({min(MAX_DIGITS, max(1, self.digits + self.held))},{self.held})"
        return {
            "null": "INTEGER",
            "bool": "BOOLEAN",
            "int": "BIGINT",
            "uint": "UBIGINT",
            "dbl": "DOUBLE",
            "str": "VARCHAR",
            "date": "DATE",
            "datetime": "TIMESTAMP",
            "time": "TIME",
        }[self.kind]

    @property
    def numeric(self) -> bool:
        """Whether it is a number (or NULL)."""
        return self.kind in NUMERIC

    @property
    def temporal(self) -> bool:
        """Whether it is a date or a time."""
        return self.kind in TEMPORAL


NULL = Type("null")
BOOL = Type("bool", digits=1)
INT = Type("int", digits=19)
UINT = Type("uint", digits=20)
DOUBLE = Type("dbl", scale=-1)
STRING = Type("str")
WHOLE_TEXT = Type("str", origin="whole")
DATE = Type("date")
DATETIME = Type("datetime")
TIME = Type("time")
SINGLE = Type("dbl", scale=-1, origin="single")


def decimal_type(digits: int, scale: int, held: int | None = None) -> Type:
    """Return a DECIMAL; `held` defaults to the digits it shows."""
    return Type("dec", max(1, digits), scale, scale if held is None else held)


def all_shown(target: Type, *operands: Type) -> Type:
    """Return the DECIMAL of a result: all its digits show where one of the operands comes out of a user variable."""
    if not any(each.origin == "kept" for each in operands):
        return target
    return replace(target, scale=target.held, origin="kept")


@dataclass(frozen=True)
class Value:
    """An expression in DuckDB's SQL with its MySQL type.

    Attributes
    ----------
    sql : str
        DuckDB text; it binds as tightly as a function call.
    type : Type
        Its MySQL type.
    literal : str, int, Decimal, float or None
        The value, where the expression is a literal.
    explicit : bool
        Whether its collation was given by COLLATE or BINARY.
    real : str
        DuckDB text of the DOUBLE it becomes, where MySQL does not compute that from the decimal (AVG).
    """

    sql: str
    type: Type
    literal: str | int | Decimal | float | None = None
    explicit: bool = False
    real: str = ""

    def retyped(self, sql: str, kind: Type, real: str = "") -> Value:
        """Return the value with other text and type; no longer a literal."""
        return replace(self, sql=sql, type=kind, literal=None, real=real)


_DECIMAL = re.compile(r"(?:decimal|numeric|dec|fixed)(?:\((\d+)(?:,\s*(\d+))?\))?(?:\s+(?:signed))?$")
_INTEGERS = {
    "tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "integer": 10, "bigint": 19,
    "int1": 3, "int2": 5, "int4": 10, "int8": 19, "year": 4,
}  # fmt: skip
_STRINGS = (
    "varchar",
    "char",
    "text",
    "tinytext",
    "mediumtext",
    "longtext",
    "string",
    "bpchar",
    "nvarchar",
    "nchar",
)
_OTHERS = {
    "boolean": BOOL, "bool": BOOL, "tinyint(1)": BOOL,
    "double": DOUBLE, "double precision": DOUBLE, "float8": DOUBLE,
    "date": DATE,
    "hugeint": decimal_type(38, 0),
    "utinyint": Type("uint", 3), "usmallint": Type("uint", 5), "uinteger": Type("uint", 10), "ubigint": UINT,
    "time": TIME, "float": SINGLE, "float4": SINGLE, "real": SINGLE, "json": Type("str", collation="cs"),
}  # fmt: skip
_DATETIME = re.compile(r"(?:datetime|timestamp)(?:_s|_ms|_ns)?(?:\((\d)\))?(?:\s+without time zone)?$")


def column_type(declared: str) -> Type | None:
    """Return the type of a column declared in MySQL's or DuckDB's words; None for one that is not translated."""
    text = re.sub(r"\s+", " ", declared.strip().lower())
    if text in _OTHERS:
        return _OTHERS[text]
    if match := _DATETIME.match(text):
        return replace(DATETIME, scale=int(match.group(1) or 0))
    if text.startswith(("enum(", "set(")):
        members = tuple(each.replace("''", "'") for each in re.findall(r"'((?:[^']|'')*)'", declared))
        return Type("str", members=members, origin="set" if text.startswith("set(") else "")
    if match := _DECIMAL.match(text):
        precision, scale = int(match.group(1) or 10), int(match.group(2) or 0)
        return decimal_type(precision - scale, scale) if precision <= MAX_DIGITS else None
    base, _, rest = text.partition("(")
    if base.strip() in _STRINGS and text.endswith("collate utf8mb4_bin"):
        return Type("str", collation="cs")
    if base.strip() in _STRINGS and "binary" not in rest and "collate" not in rest:
        return STRING
    words = text.replace("(", " ").split()
    if words[0] in _INTEGERS:
        if "zerofill" in words:
            return None
        if "unsigned" in words:
            return Type("uint", _INTEGERS[words[0]] + (words[0] in {"bigint", "int8"}))
        return Type("int", _INTEGERS[words[0]])
    return None


def quote(text: str) -> str:
    """Return a DuckDB string literal."""
    if "\0" in text:
        return (
            "("
            + " || chr(0) || ".join("'" + part.replace("'", "''") + "'" for part in text.split("\0"))
            + ")"
        )
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """Return a quoted DuckDB identifier."""
    return '"' + text.replace('"', '""') + '"'


def integer(number: int) -> Value:
    """Return an integer literal."""
    return Value(f"CAST({number} AS BIGINT)", Type("int", len(str(abs(number)))), literal=number)


def text(value: str) -> Value:
    """Return a string literal."""
    return Value(quote(value), STRING, literal=value)


_SHORT_TEXT = 90


def let(values: list[Value], body: Callable[..., str], kind: Type) -> Value:
    """Return ``body`` over values that it may repeat, each long one evaluated once.

    Without this, nested expressions would grow exponentially. DuckDB has no LET; a one-element list and a lambda bind.
    """
    texts = [value.sql for value in values]
    names = _bindings(texts)
    inner = [replace(value, sql=names.get(value.sql, value.sql)) for value in values]
    return Value(_bound(names, body(*inner)), kind)


def call(function: str, *args: str) -> str:
    """Return a call of a macro, whose body repeats its arguments: each long one is evaluated once."""
    names = _bindings(list(args))
    return _bound(names, f"{function}({', '.join(names.get(arg, arg) for arg in args)})")


def _bindings(texts: list[str]) -> dict[str, str]:
    long = list(dict.fromkeys(text for text in texts if len(text) > _SHORT_TEXT))
    tag = f"x{zlib.crc32(' '.join(long).encode()):08x}"
    return {text: f"{tag}.a{at}" for at, text in enumerate(long)}


def _bound(names: dict[str, str], body: str) -> str:
    if not names:
        return body
    fields = ", ".join(f"a{at} := {text}" for at, text in enumerate(names))
    variable = next(iter(names.values())).split(".")[0]
    return f"list_transform([struct_pack({fields})], lambda {variable}: {body})[1]"


NULL_VALUE = Value("NULL", NULL)

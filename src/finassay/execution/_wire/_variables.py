"""User variables of a MySQL client over another engine: what ``SET @x = …`` said goes in front of what reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.core import FinassayError, Place

if TYPE_CHECKING:
    from finassay.database import QueryResult

_LEXEME = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|(?<!@)`(?:[^`]|``)*`)
      | (?P<comment>/\*.*?(?:\*/|\Z)|\#[^\n]*|--(?=\s|\Z)[^\n]*)
      | @(?!@)(?:`(?P<spelled>(?:[^`]|``)+)`|(?P<name>\w+))(?P<changed>\s*:=)?
      | (?P<set>\bSET\b)
      | (?P<mark>[(),;])""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_MOST = 200


@dataclass(frozen=True)
class _Part:
    """One statement of a text: a ``SET`` of user variables, or a query that may change some."""

    text: str
    is_set: bool
    targets: frozenset[str]
    reads: dict[str, int]  # name to the offset into the whole text where it stands first


class Variables:
    """The user variables of one client.

    A ``SET`` is run once, with its variables as the result, so that what is wrong with it shows at once. From then on
    it stands in front of every query that reads them, which the translation knows: types and values are those of
    MySQL, since databases under evaluation do not change. A value of the clock is kept as it was. What ``:=`` in a
    query leaves behind depends on the order of its rows: who reads it later is refused until a ``SET`` gives a value.
    """

    def __init__(self) -> None:
        self._kept: list[_Part] = []
        self._changed: set[str] = set()

    def forget(self) -> None:
        """Begin anew, as a reset connection does."""
        self._kept, self._changed = [], set()

    def run(self, sql: str, query: Callable[[str], QueryResult]) -> QueryResult:
        """Run a text with what its variables need in front of it.

        Raises
        ------
        UnsupportedSyntax
            If it reads a variable whose value an earlier query left open.
        FinassayError
            What ``query`` raises, its place that in ``sql``.
        """
        if "@" not in sql:
            return query(sql)
        parts = _parts(sql)
        named = frozenset().union(*(part.targets | part.reads.keys() for part in parts))
        self._refuse_open(sql, parts)
        before = "".join(f"{part.text};\n" for part in _alive(self._kept, named))
        asked = sql
        if sets_variables(sql):
            shown = ", ".join(f"@`{name}`" for name in sorted(named & _targets(parts)))
            asked = f"{sql.rstrip().rstrip(';')}\n;SELECT {shown}"
        try:
            result = query(before + asked)
        except FinassayError as error:
            error.place = _moved(error.place, before.count("\n"), sql)
            raise
        self._remember(parts, result)
        return result

    def _refuse_open(self, sql: str, parts: list[_Part]) -> None:
        from finassay.database import UnsupportedSyntax

        given: set[str] = set()
        for part in parts:
            for name, at in part.reads.items():
                if name in self._changed - given - (set() if part.is_set else part.targets):
                    raise UnsupportedSyntax(
                        f"User variable @{name} was changed by a query; what that left in it is open.",
                        place=_place(sql, at),
                        hint=f"Give it a value with SET @{name} = … first.",
                    )
            given |= part.targets if part.is_set else set()

    def _remember(self, parts: list[_Part], result: QueryResult) -> None:
        from finassay.database import UnsupportedSyntax

        clock = any(warning.startswith("clock:") for warning in result.warnings)
        for part in parts:
            if part.is_set and (not clock or len(parts) == 1):
                self._kept.append(_fixed(part, result) if clock else part)
                self._changed -= part.targets
            else:
                self._changed |= part.targets
        known = frozenset().union(*(part.targets for part in self._kept)) - self._changed
        self._kept = _alive(self._kept, known)
        if len(self._kept) > _MOST:
            self.forget()
            raise UnsupportedSyntax(
                f"User variables were set from each other more than {_MOST} times.",
                hint="Compute the value in the program, or in one statement.",
            )


def sets_variables(sql: str) -> bool:
    """Return whether a text does nothing but set user variables."""
    parts = _parts(sql) if "@" in sql else []
    return bool(parts) and all(part.is_set for part in parts)


def _targets(parts: Iterable[_Part]) -> frozenset[str]:
    return frozenset().union(*(part.targets for part in parts))


def _alive(parts: list[_Part], wanted: frozenset[str]) -> list[_Part]:
    """Return the parts, in order, on which the values of these variables depend."""
    found: list[_Part] = []
    for part in reversed(parts):
        if wanted & part.targets:
            found.append(part)
            wanted = (wanted - part.targets) | part.reads.keys()
    return found[::-1]


def _parts(sql: str) -> list[_Part]:
    """Split a text at its semicolons; the variables of each part."""
    found: list[_Part] = []
    lexemes: list[re.Match[str]] = []
    start = 0
    for lexeme in [*_LEXEME.finditer(sql), None]:
        if lexeme is not None and lexeme["mark"] != ";":
            lexemes.append(lexeme)
            continue
        end = len(sql) if lexeme is None else lexeme.start()
        if _code(sql, start, end):
            found.append(_part(sql, start, end, lexemes))
        start, lexemes = end + 1, []
    return found


def _code(sql: str, start: int, end: int) -> str:
    """Return a part without comments."""
    return _LEXEME.sub(lambda found: " " if found["comment"] else found[0], sql[start:end]).strip()


def _part(sql: str, start: int, end: int, lexemes: list[re.Match[str]]) -> _Part:
    text = _code(sql, start, end)
    is_set = re.match(r"SET\s+@(?!@)", text, re.IGNORECASE) is not None
    targets, reads, depth, first = set(), dict[str, int](), 0, False
    for lexeme in lexemes:
        name = (lexeme["spelled"] or lexeme["name"] or "").lower()
        depth += (lexeme["mark"] == "(") - (lexeme["mark"] == ")")
        if not name:
            first = (
                first if lexeme["comment"] else bool(lexeme["set"]) or (lexeme["mark"] == "," and depth == 0)
            )
        elif (is_set and first) or (not is_set and lexeme["changed"]):
            targets.add(name)
            first = False
        else:
            reads.setdefault(name, lexeme.start())
    return _Part(text, is_set, frozenset(targets), reads)


def _fixed(part: _Part, result: QueryResult) -> _Part:
    """Return a SET of what it gave: the clock goes on."""
    [row] = result.table.to_pylist()
    values = {name.removeprefix("@").strip("`").lower(): value for name, value in row.items()}
    text = "SET " + ", ".join(f"@`{name}` = {_literal(values[name])}" for name in sorted(part.targets))
    return replace(part, text=text, reads={})


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | Decimal):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if isinstance(value, float):
        return f"{value!r}" if "e" in repr(value) else f"{value!r}e0"
    return "'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"


def _place(sql: str, at: int) -> Place:
    line = sql.count("\n", 0, at) + 1
    return Place("<sql>", line, at - sql.rfind("\n", 0, at), sql.split("\n")[line - 1].rstrip("\r"))


def _moved(place: Place | None, lines: int, sql: str) -> Place | None:
    """Return a place in the client's own text: what stands in front of it has so many lines."""
    if place is None or not lines < place.line <= lines + sql.count("\n") + 1:
        return None
    return replace(place, line=place.line - lines)

"""Regular expressions: MariaDB's PCRE patterns for DuckDB's RE2, and for Python where RE2 has no like."""

from __future__ import annotations

import re

from finassay.database._mysql import _values as v
from finassay.database._mysql._convert import CannotConvert, to_text
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._values import Type, Value

_POSIX = r"\[:(?:alpha|digit|alnum|upper|lower|space|punct):\]"
# What both engines read in the same way, letter by letter; classes are written anew.
_TOKEN = re.compile(
    rf"""(?P<class>\\[dDwWsS])(?![*+?]\+)|(?P<escaped>\\x\{{[0-9A-Fa-f]{{4}}\}}|\\[.*+?()\[\]{{}}|^$\\/\-%_#@!&=:;,'"<>~`])|(?P<set>\[\^?\]?(?:{_POSIX}"""
    r"""|\\[\]\[\\^\-.dwsDWS/]|\\x\{[0-9A-Fa-f]{4}\}|[^\]\[\\])+\])|(?P<python>\\[bB1-9]|\(\?<?[=!])|(?P<plain>\(\?:|\((?!\?)|[)|^.]|[*+?]\??(?![+?*])|\{\d+(?:,\d*)?\}\??(?![+?*{])"""
    r"""|[^\\\[\](){}*+?|^$.])|(?P<end>\$)|(?P<flag>\(\?-?i\))""",
    re.DOTALL,
)
# MariaDB's classes are those of Unicode; RE2's are those of ASCII.
_MEMBERS = {
    r"\d": r"\p{Nd}", r"\w": r"\p{L}\p{N}_", r"\s": r"\s\v\x{85}\p{Z}",
    "[:alpha:]": r"\p{L}", "[:digit:]": r"\p{Nd}", "[:alnum:]": r"\p{L}\p{N}", "[:space:]": r"\s\v\x{85}\p{Z}",
    "[:punct:]": r"\p{P}$+<=>^`|~",
}  # fmt: skip
_CASES = {"[[:upper:]]": r"(?-i:\p{Lu})", "[[:lower:]]": r"(?-i:\p{Ll})"}
_MEMBER = re.compile(rf"{_POSIX}|\\[dwsDWS]")
_PYTHON_CLASSES = {
    "[[:alpha:]]": r"[^\W\d_]",
    "[[:digit:]]": r"\d",
    "[[:alnum:]]": r"[^\W_]",
    "[[:space:]]": r"\s",
}


def _set(piece: str) -> str:
    """Return a bracket expression for RE2."""
    if piece in _CASES:
        return _CASES[piece]
    cased = any(
        "\x80" <= char < "\u2e80" for char in piece
    )  # a range of such letters has their other case too
    if cased and "-" in piece[1:-1]:
        raise CannotConvert("regular expression with a range of letters beyond ASCII")

    def members(match: re.Match[str]) -> str:
        found = _MEMBERS.get(match.group(0))
        if found is None:
            raise CannotConvert(f"regular expression with {match.group(0)} in brackets")
        return found

    return _MEMBER.sub(members, piece)


def _pieces(pattern: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if not match:
            raise CannotConvert(f"regular expression syntax at {pattern[at : at + 8]!r}")
        found.append((str(match.lastgroup), match.group(0)))
        at = match.end()
    return found


def _for_python(pattern: str) -> str:
    out = []
    for kind, piece in _pieces(pattern):
        if kind == "flag":
            raise CannotConvert("regular expression with a flag beside what RE2 has no like of")
        if kind == "set" and _MEMBER.search(piece) and piece not in _PYTHON_CLASSES:
            raise CannotConvert("regular expression with such brackets beside what RE2 has no like of")
        out.append(_PYTHON_CLASSES.get(piece, piece))
    return "".join(out)


def regex(pattern: str) -> str | None:
    """Return the RE2 text of a MariaDB (PCRE) pattern; None where only Python's engine reads it in the same way.

    Raises
    ------
    CannotConvert
        For syntax outside the part the engines read in the same way.
    """
    out: list[str] = []
    for kind, piece in _pieces(pattern):
        if kind == "python":
            _for_python(pattern)
            return None
        if kind == "class":
            negated = piece[1].isupper()
            out.append(f"[{'^' if negated else ''}{_MEMBERS[piece.lower()]}]")
        elif kind == "set":
            out.append(_set(piece))
        else:
            # PCRE's $ also stands before a final line feed.
            out.append(r"(?:\n?\z)" if kind == "end" else piece)
    return "".join(out)


def search(text: str, pattern: str, flags: str) -> bool:
    """Whether a pattern is found, by Python's engine: the function behind patterns RE2 cannot read."""
    try:
        return re.search(_for_python(pattern), text, re.IGNORECASE if flags else 0) is not None
    except (CannotConvert, re.error) as error:
        raise ValueError(f"MySQL-dialect layer: {error}") from None


def regexp_like(left: Value, pattern: Value) -> Value:
    """Return REGEXP: a search that ignores case, unless one of the collations is binary."""
    if "null" in {left.type.kind, pattern.type.kind}:
        return Value("CAST(NULL AS BOOLEAN)", v.BOOL)
    collations = {side.type.collation for side in (left, pattern) if side.type.kind == "str"}
    if "binary" in collations:
        raise CannotConvert("REGEXP over bytes")
    flags = v.quote("" if "cs" in collations else "i")
    text, wanted = to_text(left).sql, to_text(pattern)
    known = regex(wanted.literal) if isinstance(wanted.literal, str) else None
    if known is None:
        return Value(f"mysql_search({text}, {wanted.sql}, {flags})", v.BOOL)
    return Value(f"regexp_matches({text}, {v.quote(known)}, {flags})", v.BOOL)


def _literal(call: Call) -> str:
    pattern = regex(call.constant_text(1))
    if pattern is None:
        raise CannotConvert(f"{call.name}() with a pattern RE2 has no like of")
    return pattern


@function("REGEXP_REPLACE", args=3)
def _regexp_replace(call: Call) -> Value:
    pattern, new = _literal(call), call.constant_text(2)
    try:
        compiled = re.compile(_for_python(call.constant_text(1)))
    except CannotConvert:
        compiled = re.compile("(?!)")  # has no groups; an empty match is looked for below
    groups = [int(each) for each in re.findall(r"\\(\d)", new)]
    odd = re.sub(r"\\(?:\d|\\)", "", new)
    if compiled.search("") or "\\" in odd or any(each > compiled.groups for each in groups):
        raise CannotConvert("REGEXP_REPLACE with an empty match or such a back-reference")
    string = to_text(call.args[0]).sql
    return Value(f"regexp_replace({string}, {v.quote(pattern)}, {v.quote(new)}, 'gi')", v.STRING)


@function("REGEXP_SUBSTR", args=2)
def _regexp_substr(call: Call) -> Value:
    return Value(f"regexp_extract({to_text(call.args[0]).sql}, {v.quote(_literal(call))}, 0, 'i')", v.STRING)


@function("REGEXP_INSTR", args=2)
def _regexp_instr(call: Call) -> Value:
    pattern = _literal(call)
    before = v.quote(f"^((?s:.*?))(?:{pattern})")

    def position(x: Value) -> str:
        found = f"regexp_matches({x.sql}, {v.quote(pattern)}, 'i')"
        length = f"length(regexp_extract({x.sql}, {before}, 1, 'i'))"
        return f"CASE WHEN {found} THEN {length} + 1 WHEN {x.sql} IS NOT NULL THEN 0 END"

    return v.let([to_text(call.args[0])], position, Type("int", 10))

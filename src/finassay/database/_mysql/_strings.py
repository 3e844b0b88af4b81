"""String functions."""

from __future__ import annotations

import re

from finassay.database._mysql import _values as v
from finassay.database._mysql._arithmetic import round_to
from finassay.database._mysql._compare import compare
from finassay.database._mysql._convert import CannotConvert, key, to_number, to_text
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._values import Type, Value

_LENGTH = Type("int", 10)
MANY = 1000


def _text(sql: str) -> Value:
    return Value(sql, v.STRING)


def _count(value: Value) -> str:
    """Return an integer argument of a string function (a length, a position)."""
    if value.type.kind == "null":
        return "CAST(NULL AS BIGINT)"
    number = to_number(value)
    if number.type.kind not in {"int", "dec"}:
        raise CannotConvert("position or length that is not a whole number")
    if number.type.kind == "dec":
        raise CannotConvert("position or length with decimals")
    return number.sql


@function("CONCAT", args=(1, MANY))
def _concat(call: Call) -> Value:
    return _text("(" + " || ".join(to_text(value).sql for value in call.args) + ")")


@function("CONCAT_WS", args=(2, MANY))
def _concat_ws(call: Call) -> Value:
    separator, *parts = (to_text(value).sql for value in call.args)
    return _text(
        f"CASE WHEN {separator} IS NULL THEN NULL ELSE concat_ws({separator}, {', '.join(parts)}) END"
    )


@function("SUBSTRING", args=(2, 3))
def _substring(call: Call) -> Value:
    string = to_text(call.args[0]).sql
    if len(call.args) == 2:
        return _text(v.call("mysql_substring", string, _count(call.args[1])))
    return _text(v.call("mysql_substring_length", string, _count(call.args[1]), _count(call.args[2])))


@function("LEFT", "RIGHT", "REPEAT", args=2)
def _left(call: Call) -> Value:
    return _text(v.call(f"mysql_{call.name.lower()}", to_text(call.args[0]).sql, _count(call.args[1])))


@function("LPAD", "RPAD", args=(2, 3))
def _pad(call: Call) -> Value:
    padding = to_text(call.args[2]).sql if len(call.args) == 3 else "' '"
    return _text(
        v.call(f"mysql_{call.name.lower()}", to_text(call.args[0]).sql, _count(call.args[1]), padding)
    )


@function("SUBSTRING_INDEX", args=3)
def _substring_index(call: Call) -> Value:
    string, delimiter = to_text(call.args[0]).sql, to_text(call.args[1]).sql
    return _text(v.call("mysql_substring_index", string, delimiter, _count(call.args[2])))


@function("LOCATE", args=(2, 3))
def _locate(call: Call) -> Value:
    needle, string = to_text(call.args[0]).sql, to_text(call.args[1]).sql
    start = _count(call.args[2]) if len(call.args) == 3 else "1"
    return Value(v.call("mysql_locate", needle, string, start), _LENGTH)


@function("INSTR", args=2)
def _instr(call: Call) -> Value:
    return Value(v.call("mysql_locate", to_text(call.args[1]).sql, to_text(call.args[0]).sql, "1"), _LENGTH)


@function("FIELD", args=(2, MANY))
def _field(call: Call) -> Value:
    first, *others = call.args
    kinds = {value.type.kind for value in call.args} - {"null"}
    if not (kinds <= {"str"} or kinds <= {"bool", "int", "dec"}):
        raise CannotConvert("FIELD() over mixed types")
    branches = " ".join(
        f"WHEN {compare('=', first, other).sql} THEN {at}" for at, other in enumerate(others, 1)
    )
    return Value(f"CASE {branches} ELSE 0 END", _LENGTH)


@function("ELT", args=(2, MANY))
def _elt(call: Call) -> Value:
    number, *options = call.args
    branches = " ".join(f"WHEN {at} THEN {to_text(option).sql}" for at, option in enumerate(options, 1))
    return _text(f"CASE {_count(number)} {branches} END")


@function("FIND_IN_SET", args=2)
def _find_in_set(call: Call) -> Value:
    return Value(v.call("mysql_find_in_set", to_text(call.args[0]).sql, to_text(call.args[1]).sql), _LENGTH)


@function("REPLACE", args=3)
def _replace(call: Call) -> Value:
    return _text(v.call("mysql_replace", *(to_text(value).sql for value in call.args)))


@function("INSERT", args=4)
def _insert(call: Call) -> Value:
    string, new = to_text(call.args[0]).sql, to_text(call.args[3]).sql
    return _text(v.call("mysql_insert", string, _count(call.args[1]), _count(call.args[2]), new))


@function("TRIM BOTH", "TRIM LEADING", "TRIM TRAILING", args=(1, 2))
def _trim(call: Call) -> Value:
    string = to_text(call.args[0]).sql
    what = call.constant_text(1) if len(call.args) == 2 else " "
    if what == "":
        return _text(string)
    pattern = re.escape(what)
    if call.name != "TRIM TRAILING":
        string = f"regexp_replace({string}, {v.quote(f'^(?:{pattern})+')}, '')"
    if call.name != "TRIM LEADING":
        string = f"regexp_replace({string}, {v.quote(f'(?:{pattern})+$')}, '')"
    return _text(string)


@function("LTRIM", "RTRIM")
def _trim_spaces(call: Call) -> Value:
    return _text(f"{call.name.lower()}({to_text(call.args[0]).sql}, ' ')")


@function("CHAR_LENGTH", "CHARACTER_LENGTH")
def _char_length(call: Call) -> Value:
    return Value(f"length({to_text(call.args[0]).sql})", _LENGTH)


@function("LENGTH", "OCTET_LENGTH")
def _length(call: Call) -> Value:
    return Value(f"strlen({to_text(call.args[0]).sql})", _LENGTH)


@function("UPPER", "UCASE")
def _upper(call: Call) -> Value:
    return _text(v.call("mysql_upper", to_text(call.args[0]).sql))


@function("LOWER", "LCASE")
def _lower(call: Call) -> Value:
    return _text(v.call("mysql_lower", to_text(call.args[0]).sql))


@function("REVERSE")
def _reverse(call: Call) -> Value:
    return _text(v.call("mysql_reverse", to_text(call.args[0]).sql))


@function("SPACE")
def _space(call: Call) -> Value:
    return _text(v.call("mysql_repeat", "' '", _count(call.args[0])))


@function("ASCII")
def _ascii(call: Call) -> Value:
    return Value(v.call("mysql_ascii", to_text(call.args[0]).sql), Type("int", 3))


@function("HEX")
def _hex(call: Call) -> Value:
    if call.args[0].type.kind == "str":
        return _text(f"hex({call.args[0].sql})")
    if call.args[0].type.kind != "int":
        raise CannotConvert("HEX() of this type")
    return _text(
        f"CASE WHEN {call.args[0].sql} < 0 THEN error('MySQL-dialect layer: HEX of a negative number') "
        f"ELSE upper(format('{{:x}}', {call.args[0].sql})) END"
    )


@function("MD5", "SHA1", "SHA")
def _digest(call: Call) -> Value:
    digest = "md5" if call.name == "MD5" else "sha1"
    return _text(f"{digest}({to_text(call.args[0]).sql})")


@function("STRCMP", args=2, any_collation=True)
def _strcmp(call: Call) -> Value:
    def order(x: Value, y: Value) -> str:
        equal, less = compare("=", x, y).sql, compare("<", x, y).sql
        return f"CASE WHEN {equal} THEN 0 WHEN {less} THEN -1 WHEN NOT {less} THEN 1 END"

    return v.let([to_text(value) for value in call.args], order, Type("int", 1))


@function("FORMAT", args=2)
def _format(call: Call) -> Value:
    places = max(0, call.constant_int(1))
    if call.args[0].type.kind == "null":
        return Value("CAST(NULL AS VARCHAR)", v.STRING)
    rounded = round_to(call.args[0], places)
    if rounded.type.kind == "dbl":
        return _text(v.call("mysql_thousands", to_text(rounded).sql))
    target = v.decimal_type(max(1, rounded.type.digits), places)
    return _text(v.call("mysql_thousands", f"CAST(CAST({rounded.sql} AS {target.duckdb}) AS VARCHAR)"))


@function("CONVERT USING", args=2)
def _convert_using(call: Call) -> Value:
    if call.constant_text(1) != "utf8mb4":
        raise CannotConvert(f"conversion to the character set {call.constant_text(1)}")
    return to_text(call.args[0])


@function("CHAR", "CHAR USING", args=(1, MANY))
def _char(call: Call) -> Value:
    codes = call.args
    if call.name == "CHAR" or call.constant_text(0) not in {"utf8mb4", "utf8", "ascii"}:
        raise CannotConvert("CHAR() without USING utf8mb4")
    numbers = [value.literal for value in codes[1:]]
    if not all(isinstance(number, int) and 0 < number < 128 for number in numbers):
        raise CannotConvert("CHAR() of codes that are not ASCII literals")
    return v.text("".join(chr(int(str(number))) for number in numbers))


# --- patterns ---------------------------------------------------------------------------------------------------------
def like(left: Value, pattern: Value, escape: str) -> Value:
    """Return LIKE: character by character under the collation, trailing spaces included."""
    sides = []
    collations = (
        {left.type.collation, pattern.type.collation}
        if left.type.kind == pattern.type.kind == "str"
        else {"ci"}
    )
    if len(collations) > 1 and not (left.explicit or pattern.explicit):
        raise CannotConvert("LIKE over two collations")
    folded = collations == {"ci"}
    for side in (to_text(left), to_text(pattern)):
        if not folded:
            sides.append(side.sql)
        elif isinstance(side.literal, str):
            from finassay.database._mysql._general_ci import fold

            sides.append(v.quote(fold(side.literal)))
        else:
            sides.append(v.call("mysql_fold", side.sql))
    if escape == "":
        if not isinstance(pattern.literal, str):
            raise CannotConvert("LIKE with an empty ESCAPE")
        return Value(f"({sides[0]} LIKE {sides[1]})", v.BOOL)
    if len(escape) != 1 or escape.isalnum() or ord(escape) > 127:
        raise CannotConvert("LIKE with this ESCAPE")
    if isinstance(pattern.literal, str) and _odd_escape(pattern.literal, escape):
        raise CannotConvert("LIKE pattern that ends in its escape character")
    return Value(f"({sides[0]} LIKE {sides[1]} ESCAPE {v.quote(escape)})", v.BOOL)


def _odd_escape(pattern: str, escape: str) -> bool:
    return (len(pattern) - len(pattern.rstrip(escape))) % 2 == 1


# What PCRE (MariaDB) and RE2 (DuckDB) read in the same way.
_REGEX_TOKEN = re.compile(
    r"""\\[dDwWsS](?![*+?]\+)|\\[.*+?()\[\]{}|^$\\/\-%_#@!&=:;,'"<>~`]|\[\^?\]?(?:\[:(?:alpha|digit|alnum|upper|lower|space|punct):\]"""
    r"""|\\[\]\[\\^\-.dwsDWS]|[^\]\[\\])+\]|\(\?:|[()|^$.]|[*+?]\??(?![+?*])|\{\d+(?:,\d*)?\}\??(?![+?*{])|[^\\\[\](){}*+?|^$.]""",
    re.DOTALL,
)


def regex(pattern: str) -> str:
    """Return the RE2 text of a MariaDB (PCRE) pattern.

    Raises
    ------
    CannotConvert
        For syntax outside the part both engines read in the same way.
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        match = _REGEX_TOKEN.match(pattern, at)
        if not match:
            raise CannotConvert(f"regular expression syntax at {pattern[at : at + 8]!r}")
        piece = match.group(0)
        if not piece.isascii() and piece[0] == "[" and "-" in piece[1:-1]:
            raise CannotConvert("regular expression with a range beyond ASCII")
        # PCRE's $ also stands before a final line feed.
        out.append(r"(?:\n?\z)" if piece == "$" else piece)
        at = match.end()
    return "".join(out)


def regexp_like(left: Value, pattern: Value) -> Value:
    """Return REGEXP: a search that ignores case."""
    if not isinstance(pattern.literal, str):
        if pattern.type.kind == "null":
            return Value("CAST(NULL AS BOOLEAN)", v.BOOL)
        raise CannotConvert("REGEXP with a pattern that is not a literal")
    if left.type.kind == "str" and left.type.collation != "ci":
        raise CannotConvert("REGEXP under a collation of its own")
    return Value(f"regexp_matches({to_text(left).sql}, {v.quote(regex(pattern.literal))}, 'i')", v.BOOL)


@function("REGEXP_REPLACE", args=3)
def _regexp_replace(call: Call) -> Value:
    pattern, new = call.constant_text(1), call.constant_text(2)
    if re.search(pattern, "") or "\\" in new:
        raise CannotConvert("REGEXP_REPLACE with an empty match or a back-reference")
    return _text(
        f"regexp_replace({to_text(call.args[0]).sql}, {v.quote(regex(pattern))}, {v.quote(new)}, 'gi')"
    )


@function("REGEXP_SUBSTR", args=2)
def _regexp_substr(call: Call) -> Value:
    pattern = regex(call.constant_text(1))
    return _text(f"regexp_extract({to_text(call.args[0]).sql}, {v.quote(pattern)}, 0, 'i')")


@function("REGEXP_INSTR", args=2)
def _regexp_instr(call: Call) -> Value:
    string, pattern = to_text(call.args[0]).sql, v.quote(regex(call.constant_text(1)))
    found = f"strpos({string}, regexp_extract({string}, {pattern}, 0, 'i'))"
    raise CannotConvert(f"REGEXP_INSTR(), {found[:0]}a position")


def collate(value: Value, collation: str) -> Value:
    """Return a string under an explicit collation."""
    known = {"utf8mb4_general_ci": "ci", "utf8mb4_bin": "cs"}
    if collation.lower() not in known:
        raise CannotConvert(f"collation {collation}")
    text = to_text(value)
    return Value(text.sql, Type("str", collation=known[collation.lower()]), text.literal, explicit=True)


@function("BINARY", any_collation=True)
def _binary(call: Call) -> Value:
    text = to_text(call.args[0])
    return Value(text.sql, Type("str", collation="binary"), text.literal, explicit=True)


__all__ = ["collate", "key", "like", "regex", "regexp_like"]

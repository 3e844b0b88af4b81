"""String functions."""

from __future__ import annotations

import re

from finassay.database._mysql import _values as v
from finassay.database._mysql._arithmetic import round_to
from finassay.database._mysql._compare import common_collation, compare, not_json
from finassay.database._mysql._convert import CannotConvert, integer_of, key, to_double, to_text
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._values import Type, Value

_LENGTH = Type("int", 10)
MANY = 1000


def _text(sql: str) -> Value:
    return Value(sql, v.STRING)


def _count(value: Value) -> str:
    """Return an integer argument of a string function (a length, a position)."""
    return integer_of(value).sql


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
    not_json(*call.args)
    kinds = {value.type.kind for value in call.args} - {"null"}
    if kinds & {"date", "datetime", "time"}:
        raise CannotConvert("FIELD() of dates")
    if not (kinds <= {"str"} or kinds <= {"bool", "int", "dec"}):
        first, *others = (to_double(value) for value in call.args)
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
    if call.args[1].type.origin == "set":  # the place in the type, not in the text
        wanted, members = call.constant_text(0).lower(), [each.lower() for each in call.args[1].type.members]
        place = members.index(wanted) + 1 if wanted in members else 0
        return v.let(
            [call.args[1]],
            lambda x: (
                f"CASE WHEN {x.sql} IS NULL THEN NULL WHEN list_contains(string_split({x.sql}, ','), "
                f"{v.quote(call.args[1].type.members[place - 1] if place else ',')}) THEN {place} ELSE 0 END"
            ),
            _LENGTH,
        )
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


@function("HEX", any_collation=True)
def _hex(call: Call) -> Value:
    if call.args[0].type.kind == "str":
        return _text(f"hex({call.args[0].sql})")
    return _text(f"hex({v.call('mysql_bits', integer_of(call.args[0]).sql)})")


@function("IS_IPV4")
def _is_ipv4(call: Call) -> Value:
    number = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
    found = f"regexp_full_match({to_text(call.args[0]).sql}, '({number}[.]){{3}}{number}')"
    return Value(f"coalesce({found}, FALSE)", v.BOOL)


@function("MD5", "SHA1", "SHA", any_collation=True)
def _digest(call: Call) -> Value:
    digest = "md5" if call.name == "MD5" else "sha1"
    return _text(f"{digest}({to_text(call.args[0]).sql})")


@function("SHA2", args=2, any_collation=True)
def _sha2(call: Call) -> Value:
    return _text(f"mysql_sha2({to_text(call.args[0]).sql}, {_count(call.args[1])})")


@function("CRC32", any_collation=True)
def _crc32(call: Call) -> Value:
    return Value(f"CAST(mysql_crc32({to_text(call.args[0]).sql}) AS UBIGINT)", Type("uint", 10))


@function("CONV", args=3)
def _conv(call: Call) -> Value:
    bases = ", ".join(f"CAST({_count(each)} AS BIGINT)" for each in call.args[1:])
    return _text(f"mysql_conv({to_text(call.args[0]).sql}, {bases})")


@function("BIN", "OCT")
def _bin(call: Call) -> Value:
    return _text(f"mysql_conv({to_text(call.args[0]).sql}, 10, {2 if call.name == 'BIN' else 8})")


@function("ORD", "QUOTE", "SOUNDEX")
def _scalar(call: Call) -> Value:
    found = f"mysql_{call.name.lower()}({to_text(call.args[0]).sql})"
    if call.args[0].type.kind == "null":
        raise CannotConvert(f"{call.name}(NULL)")
    if call.name == "QUOTE":
        return _text(f"coalesce({found}, 'NULL')")
    return Value(found, Type("int", 10)) if call.name == "ORD" else _text(found)


@function("TO_BASE64", any_collation=True)
def _to_base64(call: Call) -> Value:
    text = to_text(call.args[0]).sql
    long = f"strlen({text}) > 57 THEN error('MySQL-dialect layer: TO_BASE64 of more than one line')"
    return _text(f"CASE WHEN {long} ELSE base64(encode({text})) END")


@function("FROM_BASE64", "UNHEX")
def _bytes(call: Call) -> Value:
    text, read = to_text(call.args[0]).sql, "from_base64" if call.name == "FROM_BASE64" else "unhex"
    digits = "[0-9A-Fa-f]*" if read == "unhex" else "[0-9A-Za-z+/]*=*"
    found = f"CASE WHEN regexp_full_match({text}, '{digits}') THEN decode({read}({text})) END"
    return Value(found, Type("str", collation="binary"), explicit=True)


@function("INET_ATON", "INET_NTOA")
def _inet(call: Call) -> Value:
    if call.name == "INET_ATON":
        return Value(f"mysql_inet_aton({to_text(call.args[0]).sql})", Type("int", 10))
    return _text(f"mysql_inet_ntoa({_count(call.args[0])})")


@function("BIT_LENGTH", any_collation=True)
def _bit_length(call: Call) -> Value:
    return Value(f"(strlen({to_text(call.args[0]).sql}) * 8)", _LENGTH)


@function("STRCMP", args=2, any_collation=True)
def _strcmp(call: Call) -> Value:
    def order(x: Value, y: Value) -> str:
        equal, less = compare("=", x, y).sql, compare("<", x, y).sql
        return f"CASE WHEN {equal} THEN 0 WHEN {less} THEN -1 WHEN NOT {less} THEN 1 END"

    return v.let([to_text(value) for value in call.args], order, Type("int", 1))


@function("FORMAT", args=(2, 3))
def _format(call: Call) -> Value:
    if len(call.args) == 3 and call.constant_text(2).lower() not in {"en_us", "zh_cn", "en_gb", "ja_jp"}:
        raise CannotConvert(f"FORMAT() for {call.constant_text(2)}")
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
    text, charset = to_text(call.args[0]), call.constant_text(1)
    if charset == "gbk":
        return Value(text.sql, Type("str", collation="gbk"), explicit=True)
    if charset not in {"utf8mb4", "utf8", "utf8mb3"}:
        raise CannotConvert(f"conversion to the character set {charset}")
    if charset == "utf8mb4":
        return text
    odd = f"regexp_matches({text.sql}, '[\\x{{10000}}-\\x{{10FFFF}}]')"
    lost = "error('MySQL-dialect layer: CONVERT of a character beyond three bytes')"
    return text.retyped(f"CASE WHEN {odd} THEN {lost} ELSE {text.sql} END", text.type)


@function("CHAR", "CHAR USING", args=(1, MANY))
def _char(call: Call) -> Value:
    codes = call.args if call.name == "CHAR" else call.args[1:]
    if call.name != "CHAR" and call.constant_text(0) not in {"utf8mb4", "utf8", "ascii"}:
        raise CannotConvert("CHAR() USING another character set")
    numbers = [value.literal for value in codes]
    if not all(isinstance(number, int) and 0 < number < 128 for number in numbers):
        raise CannotConvert("CHAR() of codes that are not ASCII literals")
    text = v.text("".join(chr(int(str(number))) for number in numbers))
    return text if call.name != "CHAR" else Value(text.sql, Type("str", collation="binary"), explicit=True)


# --- patterns ---------------------------------------------------------------------------------------------------------
def like(left: Value, pattern: Value, escape: str) -> Value:
    """Return LIKE: character by character under the collation, trailing spaces included."""
    sides = []
    collation = common_collation(left, pattern)
    if collation == "gbk":
        raise CannotConvert("LIKE over another character set")
    folded = collation == "ci"
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


def collate(value: Value, collation: str) -> Value:
    """Return a string under an explicit collation."""
    known = {"utf8mb4_general_ci": "ci", "utf8mb4_bin": "cs"}
    text = to_text(value)
    if text.type.collation == "gbk" and collation.lower() == "gbk_chinese_ci":
        return text
    if collation.lower() not in known or text.type.collation == "gbk":
        raise CannotConvert(f"collation {collation}")
    return Value(text.sql, Type("str", collation=known[collation.lower()]), text.literal, explicit=True)


@function("BINARY", any_collation=True)
def _binary(call: Call) -> Value:
    text = to_text(call.args[0])
    return Value(text.sql, Type("str", collation="binary"), text.literal, explicit=True)


__all__ = ["collate", "key", "like"]

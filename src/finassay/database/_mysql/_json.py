"""JSON functions: what MariaDB's type of each is, and the function on the connection that gives it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from finassay.database._mysql import _values as v
from finassay.database._mysql._convert import CannotConvert, to_text
from finassay.database._mysql._json_text import steps
from finassay.database._mysql._registry import Call, function
from finassay.database._mysql._values import Type, Value

_COUNT = Type("int", 10)
MANY = 1000


def _path(call: Call, at: int) -> str:
    """Return an argument that is a path: a literal that is read here, the whole document where it is missing."""
    if len(call.args) <= at:
        return "'$'"
    path = call.constant_text(at)
    try:
        steps(path)
    except ValueError as error:
        raise CannotConvert(str(error).removeprefix("MySQL-dialect layer: ")) from None
    return v.quote(path)


def _document(call: Call) -> str:
    if call.args[0].type.kind not in {"str", "null"}:
        raise CannotConvert(f"{call.name}() of something else than text")
    return to_text(call.args[0]).sql


def _like(call: Call, sql: str, origin: str = "") -> Value:
    """Return text under the collation of the document."""
    return Value(sql, Type("str", collation=call.args[0].type.collation, origin=origin))


@function("JSON_EXTRACT", args=(2, 3), any_collation=True)
def _extract(call: Call) -> Value:
    paths = ", ".join(_path(call, at) for at in range(1, len(call.args)))
    name = "mysql_json_extract" + ("_two" if len(call.args) > 2 else "")
    return _like(call, f"{name}({_document(call)}, {paths})", "json")


@function("JSON_VALUE", args=2, any_collation=True)
def _value(call: Call) -> Value:
    return _like(call, f"mysql_json_value({_document(call)}, {_path(call, 1)})")


@function("JSON_UNQUOTE", any_collation=True)
def _unquote(call: Call) -> Value:
    return _like(call, f"mysql_json_unquote({_document(call)})")


@function("JSON_QUOTE")
def _quote(call: Call) -> Value:
    return Value(f"mysql_json_quote({_document(call)})", v.STRING)


@function("JSON_LENGTH", "JSON_KEYS", args=(1, 2), any_collation=True)
def _members(call: Call) -> Value:
    found = f"mysql_{call.name.lower()}({_document(call)}, {_path(call, 1)})"
    return Value(found, _COUNT) if call.name == "JSON_LENGTH" else _like(call, found, "json")


@function("JSON_DEPTH", any_collation=True)
def _depth(call: Call) -> Value:
    return Value(f"mysql_json_depth({_document(call)})", _COUNT)


@function("JSON_TYPE", any_collation=True)
def _type(call: Call) -> Value:
    return Value(f"mysql_json_type({_document(call)})", v.STRING)


@function("JSON_COMPACT", "JSON_LOOSE", any_collation=True)
def _format(call: Call) -> Value:
    return _like(call, f"mysql_{call.name.lower()}({_document(call)})", "json")


@function("JSON_VALID", any_collation=True)
def _valid(call: Call) -> Value:
    return Value(f"mysql_json_valid({_document(call)})", v.BOOL)


@function("JSON_EXISTS", args=2, any_collation=True)
def _exists(call: Call) -> Value:
    return Value(f"mysql_json_exists({_document(call)}, {_path(call, 1)})", v.BOOL)


@function("JSON_CONTAINS", args=(2, 3), any_collation=True)
def _contains(call: Call) -> Value:
    wanted = to_text(call.args[1]).sql
    return Value(f"mysql_json_contains({_document(call)}, {wanted}, {_path(call, 2)})", v.BOOL)


@function("JSON_CONTAINS_PATH", args=3, any_collation=True)
def _contains_path(call: Call) -> Value:
    how = v.quote(call.constant_text(1))
    return Value(f"mysql_json_contains_path({_document(call)}, {how}, {_path(call, 2)})", v.BOOL)


def json_of(value: Value, node: Any) -> str:
    """Return the JSON of a value: text in quotes, numbers bare, what is JSON already as it is, NULL as null."""
    kind = value.type
    if kind.kind == "null":
        return "'null'"
    if kind.kind == "str" and kind.collation != "ci":
        raise CannotConvert("JSON of text under another collation")
    if kind.origin == "json":
        return f"coalesce({value.sql}, 'null')"
    if kind.kind == "bool" and not isinstance(node, exp.Column):
        return f"coalesce(CAST({value.sql} AS VARCHAR), 'null')"
    if kind.kind == "str" or kind.temporal:
        return f"coalesce(mysql_json_quote({to_text(value).sql}), 'null')"
    return f"coalesce({to_text(value).sql}, 'null')"


def _json_parts(call: Call) -> list[str]:
    return [json_of(each, node) for each, node in zip(call.args, call.node.expressions, strict=True)]


@function("JSON_ARRAY", args=(0, MANY))
def _array(call: Call) -> Value:
    return Value(
        "('[' || " + (" || ', ' || ".join(_json_parts(call)) or "''") + " || ']')", Type("str", origin="json")
    )


@function("JSON_OBJECT", args=(0, MANY))
def _object(call: Call) -> Value:
    if len(call.args) % 2:
        raise CannotConvert("JSON_OBJECT() with a key that has no value")
    values = _json_parts(call)[1::2]
    keys = [f"mysql_json_quote({to_text(each).sql})" for each in call.args[::2]]
    pairs = [f"{key} || ': ' || {value}" for key, value in zip(keys, values, strict=True)]
    return Value("('{' || " + (" || ', ' || ".join(pairs) or "''") + " || '}')", Type("str", origin="json"))

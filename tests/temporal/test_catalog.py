"""The catalog format: what is read, what is refused and where the message points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.temporal import (
    CatalogError,
    DocumentError,
    catalog_schema,
    load_catalog,
    parse_catalog,
    shipped_catalogs,
)

HEAD = "catalog: t\nversion: '1'\ntables:\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", shipped_catalogs())
def test_a_shipped_catalog_is_complete(name: str) -> None:
    catalog = load_catalog(name)
    for table_name, table in catalog.tables.items():
        assert all((table.en, table.zh)), table_name
        for column_name, column in table.columns.items():
            assert all((column.en, column.zh)), (table_name, column_name)
            assert not column.decide


def test_the_five_catalogs_are_shipped() -> None:
    assert set(shipped_catalogs()) == {
        "gildata",
        "index_membership",
        "pystock",
        "sec_fsds",
        "us_macro_vintages",
    }


def test_the_schema_in_the_documentation_is_the_schema_of_the_code() -> None:
    assert json.loads((ROOT / "docs/schemas/catalog.json").read_text(encoding="utf-8")) == catalog_schema()


def test_names_are_found_without_regard_to_case() -> None:
    catalog = load_catalog("gildata")
    assert catalog.table("SECUMAIN") is catalog.table("secumain")
    with pytest.raises(CatalogError, match="says nothing about the table lc_nothing") as refused:
        catalog.table("lc_nothing")
    assert refused.value.reason == "table_not_catalogued"


def refused(body: str, error: type[Exception] = CatalogError) -> str:
    with pytest.raises(error) as found:
        parse_catalog(HEAD + body, "my.yaml")
    return str(found.value)


def test_an_unlisted_column_is_named_with_file_line_and_field() -> None:
    message = refused("""
  t:
    kind: state
    key: [CODE]
    availability: {column: PUBL}
    valid: {from: PUB}
    columns:
      CODE: key
      PUB: disclosure
""")
    assert "line 8, tables.t.availability.column: column PUBL is not listed in 'columns'" in message
    assert "at my.yaml:8:20" in message


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("  t: {kind: stat, columns: {A: key}}", "tables.t.kind: Input should be 'entity'"),
        ("  t: {kind: event, columns: {A: keyy}}", "tables.t.columns.A: Input should be"),
        ("  t: {kind: event, colums: {A: key}}", "tables.t.colums: the format has no such field"),
        ("  t: {kind: event}", "tables.t.columns: is required"),
        ("  t: {kind: state, columns: {A: key}}", "a state needs 'valid'"),
        (
            "  t: {kind: event, availability: {column: U}, columns: {U: updated}}",
            "U has the role updated, which says nothing about when a row became known",
        ),
        (
            "  t: {kind: event, availability: {column: R}, columns: {R: recorded}}",
            "R is a recording time: it is a 'proxy', which a contract must allow",
        ),
        (
            "  t: {kind: report, availability: {column: E}, columns: {E: period_end}}",
            "E has the role period_end, which says nothing",
        ),
        (
            "  t: {kind: event, availability: {always: true, column: D}, columns: {D: disclosure}}",
            "'always' excludes 'column' and 'proxy'",
        ),
        (
            "  t: {kind: event, versions: {per: [A], order: [U]}, columns: {A: key, U: updated}}",
            "U has the role updated: it changes when the vendor touches the row",
        ),
        (
            "  t: {kind: event, dependencies: [{order: [A, B], together: [A, B]}], columns: {A: key, B: key}}",
            "state one of flag, order, together, determines; found order, together",
        ),
        (
            "  t: {kind: event, columns: {A: {role: payload, codes: nothing}}}",
            "there is no code list nothing in 'code_lists'",
        ),
        (
            "  t: {kind: event, columns: {A: {role: payload, decide: true}}}",
            "'decide: true' needs a 'reason'",
        ),
    ],
)
def test_contradictions_are_refused(body: str, expected: str) -> None:
    assert expected in refused(body)


def test_every_problem_is_listed_at_once() -> None:
    message = refused("  t: {kind: stat, columns: {A: keyy}}")
    assert message.startswith("my.yaml has 2 problems:")


def test_a_period_end_with_an_assumed_lag_is_an_availability() -> None:
    body = "  t: {kind: report, availability: {column: E, lag_days: 120}, columns: {E: period_end}}"
    assert parse_catalog(HEAD + body).table("t").availability is not None


def test_a_key_stated_twice_is_refused_and_not_overwritten() -> None:
    message = refused("  t:\n    kind: event\n    columns:\n      A: key\n      A: payload\n", DocumentError)
    assert "tables.t.columns.A is stated twice in my.yaml" in message
    assert "my.yaml:8:7" in message


def test_names_that_yaml_would_turn_into_something_else_stay_text() -> None:
    catalog = parse_catalog(
        HEAD + "  t:\n    kind: event\n    valid: {from: ON, to: NO, open: [2999-12-31]}\n"
        "    columns: {ON: effective_from, NO: effective_to}\n"
    )
    table = catalog.table("t")
    assert list(table.columns) == ["ON", "NO"]
    assert table.valid is not None
    assert table.valid.open == ("2999-12-31",)


@pytest.mark.parametrize("text", ["", "# nothing\n", "[]", "a: [", "just words"])
def test_what_is_no_catalog(text: str) -> None:
    with pytest.raises(DocumentError, match=r"my\.yaml"):
        parse_catalog(text, "my.yaml")


def test_a_missing_file_names_the_shipped_catalogs(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot be read: No such file") as found:
        load_catalog(tmp_path / "none.yaml")
    assert "gildata" in str(found.value)
    (tmp_path / "latin.yaml").write_bytes("catalog: \xe9".encode("latin-1"))
    with pytest.raises(CatalogError, match="not UTF-8"):
        load_catalog(tmp_path / "latin.yaml")


def test_json_is_read_too() -> None:
    text = json.dumps(
        {"catalog": "j", "version": "1", "tables": {"t": {"kind": "event", "columns": {"A": "key"}}}}
    )
    assert parse_catalog(text).table("t").columns["A"].role == "key"


def test_an_alias_that_names_what_it_stands_in_is_bad_input() -> None:
    with pytest.raises(InputError, match="nested more than 40 deep: an alias"):
        parse_catalog("catalog: &a [*a]\n")


def test_an_empty_row_id_would_drop_its_check() -> None:
    with pytest.raises(CatalogError, match="row_id"):
        parse_catalog(
            "catalog: c\nformat: 1\nversion: 1.0.0\ntables:\n"
            "  t:\n    kind: event\n    row_id: []\n    columns: {x: key}\n"
        )

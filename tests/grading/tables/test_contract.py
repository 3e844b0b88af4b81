"""The output contract: its file format, its schema, and the mistakes it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.grading import OutputContract

ROOT = Path(__file__).resolve().parents[3]


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        "columns: [{name: v, type: number, decimals: 2}]\nkey: [v]\n", encoding="utf-8"
    )
    (tmp_path / "c.json").write_text(
        '{"columns": [{"name": "v", "type": "number", "decimals": 2}], "key": ["v"]}', encoding="utf-8"
    )
    assert OutputContract.load(tmp_path / "c.yaml") == OutputContract.load(tmp_path / "c.json")


def test_a_contract_survives_being_written_and_read(contract: OutputContract) -> None:
    assert OutputContract.parse(contract.model_dump_json()) == contract


def test_the_exported_schema_is_the_one_of_the_code() -> None:
    exported = json.loads((ROOT / "docs/schemas/output-contract.json").read_text(encoding="utf-8"))
    assert exported == OutputContract.model_json_schema()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("columns: []", "columns"),
        ("columns: [{name: a}, {name: a}]", "declared twice"),
        ("columns: [{name: Revenue}, {name: b, aliases: [REVENUE]}]", "Revenue"),
        ("{columns: [{name: a}], key: [b]}", "'b'"),
        ("{columns: [{name: a}], order_by: [{column: z}]}", "'z'"),
        ("columns: [{name: a, type: text, decimals: 2}]", "decimals"),
        ("columns: [{name: a, type: date, unit: CNY}]", "unit"),
        ("columns: [{name: a, type: number, unit: bananas}]", "bananas"),
        ("columns: [{name: a, type: enumeration}]", "values"),
        ("columns: [{name: a, type: enumeration, values: {x: [same], y: [SAME]}}]", "values.*SAME"),
        ("columns: [{name: a, type: enumeration, values: {x: [y], y: []}}]", "values.*'y'"),
        ("{columns: [{name: a}], key: [a, a]}", "key names 'a' twice"),
        ("{columns: [{name: a}], order_by: [{column: a}, {column: a, descending: true}]}", "order_by.*twice"),
        ("columns: [{name: ' '}]", "name.*blank"),
        ("columns: [{name: a, aliases: ['']}]", "aliases.*blank"),
        ("columns: [{name: a, type: number, decimals: 2, relative: 0.01}]", "relative.*decimals"),
        ("columns: [{name: a, type: date, relative: 0.01}]", "relative.*date"),
        ("columns: [{name: a, type: integer, relative: 0.01}]", "relative.*integer"),
        ("columns: [{name: a, typ: text}]", "typ"),
        ("{version: 2, columns: [{name: a}]}", "version"),
        ("columns: [", "not YAML"),
    ],
)
def test_a_wrong_contract_is_refused_with_the_place(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        OutputContract.parse(text)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.yaml"):
        OutputContract.load("nowhere.yaml")

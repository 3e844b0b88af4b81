"""A catalog that is a folder: the same catalog in several files, and messages that name the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from finassay.temporal import CatalogError, load_catalog, parse_catalog

HEAD = "catalog: f\nversion: '1'\n"
TABLE = "kind: event\navailability: {column: A}\ncolumns:\n  A: {role: disclosure, type: 'varchar(10)'}\n"


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_file_is_a_table_of_its_name(tmp_path: Path) -> None:
    place = folder(
        tmp_path,
        catalog=HEAD + "tables:\n  third: {kind: event, columns: {A: key}}\n",
        first=TABLE,
        second=TABLE,
    )
    (place / "README.md").write_text("not a table", encoding="utf-8")
    catalog = load_catalog(place)
    assert set(catalog.tables) == {"first", "second", "third"}
    indented = TABLE.replace("\n", "\n    ").rstrip()
    alone = parse_catalog(HEAD + f"tables:\n  first:\n    {indented}\n").table("first")
    assert catalog.table("first") == alone
    assert alone.columns["A"].type == "varchar(10)"


def test_a_problem_is_placed_in_its_own_file(tmp_path: Path) -> None:
    place = folder(tmp_path, catalog=HEAD, good=TABLE, bad=TABLE.replace("column: A", "column: B"))
    with pytest.raises(CatalogError) as refused:
        load_catalog(place)
    message = str(refused.value)
    assert "bad.yaml line 2, tables.bad.availability.column: column B is not listed in 'columns'" in message
    assert "bad.yaml:2:16" in message


def test_the_place_of_a_field_is_in_the_file_that_holds_it(tmp_path: Path) -> None:
    catalog = load_catalog(folder(tmp_path, catalog=HEAD, first=TABLE))
    column = catalog.place("tables", "first", "columns", "A")
    head = catalog.place("version")
    assert column is not None
    assert head is not None
    assert (Path(column.source).name, column.line) == ("first.yaml", 4)
    assert (Path(head.source).name, head.line) == ("catalog.yaml", 2)


def test_a_table_in_two_places_is_refused(tmp_path: Path) -> None:
    head = HEAD + "tables:\n  first: {kind: event, columns: {A: key}}\n"
    with pytest.raises(CatalogError, match=r"The table first is in .*catalog\.yaml and in .*first\.yaml"):
        load_catalog(folder(tmp_path, catalog=head, first=TABLE))


def test_a_folder_without_a_head_is_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot be read: Is a directory"):
        load_catalog(folder(tmp_path, first=TABLE))


@pytest.mark.parametrize("head", ["[]", "catalog: f\nversion: '1'\ntables: []\n"])
def test_a_head_that_is_no_mapping_is_refused_as_any_catalog(tmp_path: Path, head: str) -> None:
    with pytest.raises(CatalogError, match=r"catalog\.yaml"):
        load_catalog(folder(tmp_path, catalog=head, first=TABLE))

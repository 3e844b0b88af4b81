"""The temporal catalog: what the time of every column of a database means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from finassay.core import InputError, Place
from finassay.temporal._column import Column, Described
from finassay.temporal._table import Table  # noqa: TC001 - pydantic reads annotations
from finassay.temporal._yaml import DocumentError, Source, dotted, parse

_SUFFIX = ".yaml"
_HEAD = f"catalog{_SUFFIX}"
_WIDE = 10_000
_Model = TypeVar("_Model", bound=BaseModel)


class CatalogError(DocumentError):
    """A catalog that does not follow its format or contradicts itself; names file, line and field."""

    reason = "bad_catalog"


class Catalog(Described):
    """A temporal catalog.

    Attributes
    ----------
    catalog : str
        Its id, such as ``gildata``.
    format : int
        Version of this format: 1.
    version : str
        Version of the content, such as ``1.0.0``.
    code_lists : mapping
        Code lists that columns share: list name, code, meaning in both languages.
    tables : mapping of str to Table
        Tables by name. Names are found without regard to case, as databases do.
    """

    catalog: str = Field(min_length=1)
    format: Literal[1] = 1
    version: str
    code_lists: dict[str, dict[str, Described]] = Field(default_factory=dict)
    tables: dict[str, Table] = Field(min_length=1)
    _source: Source = PrivateAttr(default_factory=lambda: Source("<catalog>"))

    def table(self, name: str) -> Table:
        """Return a table.

        Raises
        ------
        CatalogError
            With reason ``table_not_catalogued`` if the catalog has no such table: nothing can be said about it.
        """
        found = self.find(name)
        if found is not None:
            return self.tables[found]
        raise CatalogError(
            f"The catalog {self.catalog} says nothing about the table {name}.",
            hint=f"Add it to {self._source.name}. Tables: {', '.join(self.tables)}.",
            reason="table_not_catalogued",
        )

    def find(self, name: str) -> str | None:
        """Return the catalog's spelling of a table's name, or None."""
        if name in self.tables:
            return name
        return next((known for known in self.tables if known.lower() == name.lower()), None)

    def codes(self, column: Column) -> dict[str, Described] | None:
        """Return the code list of a column, its own or the shared one it names; None if it has none."""
        if isinstance(column.codes, str):
            return self.code_lists[column.codes]
        return column.codes

    def place(self, *path: str | int) -> Place | None:
        """Return where a field stands in the catalog's file: ``place("tables", "secumain", "key")``."""
        return self._source.place(path)

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (path, what is wrong) for contradictions that the format alone does not forbid."""
        for name, table in self.tables.items():
            for path, problem in table.problems():
                yield ("tables", name, *path), problem
            for column, spec in table.columns.items():
                if isinstance(spec.codes, str) and spec.codes not in self.code_lists:
                    path = ("tables", name, "columns", column, "codes")
                    yield path, f"there is no code list {spec.codes} in 'code_lists'"


def shipped_catalogs() -> tuple[str, ...]:
    """Return the names of the catalogs that come with the package."""
    folder = resources.files("finassay.temporal") / "catalogs"
    shipped = (entry for entry in folder.iterdir() if entry.name.endswith(_SUFFIX) or _is_folder(entry))
    return tuple(sorted(entry.name.removesuffix(_SUFFIX) for entry in shipped))


def load_catalog(name: str | Path) -> Catalog:
    """Read a catalog: a shipped one by its name, a YAML or JSON file, or a folder.

    A folder holds the fields of the catalog in ``catalog.yaml`` and each of its tables in a file of the table's name.

    Parameters
    ----------
    name : str or path
        ``"gildata"``, or a path.

    Raises
    ------
    CatalogError
        If it does not follow the format or contradicts itself. The message names the file, the line and the field.
    InputError
        If there is no such catalog or file.
    """
    text = str(name)
    place: Traversable = Path(name)
    if text in shipped_catalogs():
        shipped = resources.files("finassay.temporal") / "catalogs"
        place = shipped / text if _is_folder(shipped / text) else shipped / f"{text}{_SUFFIX}"
        text = place.name
    try:
        return _checked(*(_folder(place, text) if _is_folder(place) else _file(place, text)))
    except OSError as error:
        hint = f"Give a file, or one of the shipped catalogs: {', '.join(shipped_catalogs())}."
        raise InputError(f"The catalog {text} cannot be read: {error.strerror}.", hint=hint) from error
    except UnicodeDecodeError as error:
        raise CatalogError(f"{text} is not UTF-8 text.", hint="Save it as UTF-8.") from error


def parse_catalog(text: str, name: str = "<catalog>") -> Catalog:
    """Read a catalog from text; see `load_catalog`."""
    return _checked(*parse(text, name))


def _is_folder(place: Traversable) -> bool:
    return (place / _HEAD).is_file()


def _file(place: Traversable, name: str) -> tuple[Any, Source]:
    return parse(place.read_text(encoding="utf-8"), name)


def _folder(place: Traversable, name: str) -> tuple[Any, Source]:
    """Return the values of a folder as one document, whose parts know their files."""
    values, source = _file(place / _HEAD, f"{name}/{_HEAD}")
    if not isinstance(values, dict) or not isinstance(values.setdefault("tables", {}), dict):
        return values, source
    for file in sorted(place.iterdir(), key=lambda file: file.name):
        table = file.name.removesuffix(_SUFFIX)
        if not file.name.endswith(_SUFFIX) or file.name == _HEAD:
            continue
        if table in values["tables"]:
            message = f"The table {table} is in {name}/{_HEAD} and in {name}/{file.name}."
            raise CatalogError(message, hint="Keep one of them.", place=source.place(("tables", table)))
        values["tables"][table], source.parts["tables", table] = _file(file, f"{name}/{file.name}")
    return values, source


def _checked(values: Any, source: Source) -> Catalog:
    catalog = validated(Catalog, values, source, CatalogError)
    catalog._source = source  # noqa: SLF001 - a private attribute of our own model, which is frozen otherwise
    problems = list(catalog.problems())
    if problems:
        raise explained(problems, source, CatalogError)
    return catalog


def catalog_yaml(catalog: Catalog) -> str:
    """Return a catalog as YAML, one line per column, without the fields that nobody set."""
    values = catalog.model_dump(mode="json", by_alias=True, exclude_unset=True)
    values.setdefault("format", catalog.format)
    head = {
        key: values[key]
        for key in ("catalog", "format", "version", "en", "zh", "code_lists")
        if key in values
    }
    lines = [yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=_WIDE), "tables:\n"]
    for name, table in values["tables"].items():
        columns = table.pop("columns")
        body = yaml.safe_dump({name: table}, allow_unicode=True, sort_keys=False, width=_WIDE)
        lines += [f"  {line}\n" for line in body.splitlines()]
        lines.append("    columns:\n")
        lines += [f"      {_flow({column: spec})}\n" for column, spec in columns.items()]
    return "".join(lines)


def _flow(value: dict[str, Any]) -> str:
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=_WIDE, default_flow_style=True)
    return str(text).strip().removeprefix("{").removesuffix("}")


def catalog_schema() -> dict[str, Any]:
    """Return the JSON Schema of the catalog format (``docs/schemas/catalog.json``)."""
    schema = Catalog.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def validated(model: type[_Model], values: Any, source: Source, error_type: type[DocumentError]) -> _Model:
    """Return a model of a document's values, or raise its problems with their places."""
    if not isinstance(values, dict):
        message = f"{source.name} holds {type(values).__name__}, not a mapping of fields."
        raise error_type(message, hint="Start with the fields of the format.", place=source.place(()))
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [(_path(item["loc"], values), _words(item)) for item in error.errors(include_url=False)]
        raise explained(problems, source, error_type) from error


def explained(
    problems: list[tuple[tuple[str | int, ...], str]], source: Source, error_type: type[DocumentError]
) -> DocumentError:
    """Return an error that lists every problem with its line and field, placed at the first."""
    problems = list(dict.fromkeys(problems))
    lines = []
    for path, problem in problems:
        place = source.place(path)
        file = f"{place.source} " if place and place.source != source.name else ""
        where = f"{file}line {place.line}, " if place else ""
        lines.append(f"  {where}{dotted(path) or 'document'}: {problem}")
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    message = f"{source.name} has {count}:\n" + "\n".join(lines)
    return error_type(message, place=source.place(problems[0][0]))


def _path(loc: tuple[str | int, ...], values: Any) -> tuple[str | int, ...]:
    """Drop what pydantic adds to a location that the document does not hold (the branch of a union)."""
    path: list[str | int] = []
    here = values
    for index, step in enumerate(loc):
        inside = isinstance(here, dict) and step in here
        if inside or (isinstance(here, list) and isinstance(step, int) and step < len(here)):
            here = here[step]
        elif not (isinstance(here, dict) and index == len(loc) - 1):
            continue
        path.append(step)
    return tuple(path)


def _words(item: Any) -> str:
    message = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        return "the format has no such field"
    if item["type"] == "missing":
        return "is required"
    found = item.get("input")
    if isinstance(found, str | int | float | bool | None) and item["type"] != "value_error":
        return f"{message}, not {json.dumps(found, ensure_ascii=False)}"
    return message

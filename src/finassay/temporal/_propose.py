"""Draft the contract of a task from its program and the words of its instruction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import yaml

from finassay.core import InputError, Place
from finassay.temporal._evidence import Evidence, closed, combined
from finassay.temporal._read_instruction import read_instruction
from finassay.temporal._read_python import read_python
from finassay.temporal._read_sql import parse_statements, read_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.temporal._catalog import Catalog
    from finassay.temporal._contract import Contract

SourceKind = Literal["text", "sql", "python", "notebook"]


def propose_contract(
    sources: Sequence[tuple[SourceKind, str]],
    *,
    name: str = "draft",
    catalog: Catalog | None = None,
    dialect: str = "mysql",
) -> Contract:
    """Draft a contract; every field it fills has a mark, ``sure`` or ``confirm``, with the words it was read from.

    An instruction comes before a program: what they say differently is taken from the instruction and marked
    ``confirm``. A contract with such marks never leads to PASS.

    Parameters
    ----------
    sources : sequence of (kind, text)
        ``text`` (an instruction in Chinese or English), ``sql``, ``python``, ``notebook`` (its JSON).
    name : str
        The contract's id.
    catalog : Catalog, optional
        Tells a disclosure from another date in a program, and finds recording columns.
    dialect : str
        The dialect that SQL is read in first.

    Returns
    -------
    Contract
        Without any date found it has a mark on ``as_of`` that asks for one.

    Raises
    ------
    InputError
        If a program or a notebook cannot be parsed.
    """
    words: list[Evidence] = []
    programs: list[Evidence] = []
    for kind, text in sources:
        if kind == "text":
            words += read_instruction(text)
        elif kind == "sql":
            programs += _sql(text, catalog, dialect)
        else:
            code = _cells(text) if kind == "notebook" else text
            programs += _python(code, catalog, dialect)
    return combined(name, [*words, *closed(programs)])


def contract_yaml(contract: Contract) -> str:
    """Return a contract as YAML, without the fields that nobody set."""
    values = contract.model_dump(mode="json", by_alias=True, exclude_unset=True)
    values = {"contract": values.pop("contract"), "format": contract.format, **values}
    return str(yaml.safe_dump(_plain(values), allow_unicode=True, sort_keys=False, width=110))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _sql(text: str, catalog: Catalog | None, dialect: str) -> list[Evidence]:
    if not parse_statements(text, dialect):
        raise InputError(
            f"The program is no SQL that can be read, in {dialect} or another dialect.",
            hint="Run it once; give an instruction its own suffix (.txt).",
        )
    return read_sql(text, catalog, dialect)


def _python(code: str, catalog: Catalog | None, dialect: str) -> list[Evidence]:
    try:
        return read_python(code, catalog, dialect)
    except SyntaxError as error:
        lines = code.splitlines()
        line = error.lineno or 1
        text = lines[line - 1] if line <= len(lines) else ""
        raise InputError(
            f"The program is not Python: {error.msg}.",
            hint="Give the file its own suffix (.sql, .py, .ipynb, .txt).",
            place=Place("<program>", line, error.offset, text),
        ) from error


def _cells(text: str) -> str:
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("The notebook is not readable JSON.", hint="Save it again in Jupyter.") from error
    return "\n".join(
        line for source in sources for line in source.splitlines() if not line.startswith(("%", "!"))
    )

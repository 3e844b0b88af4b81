"""The code cells of a Jupyter notebook, in order, as plain Python."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

from finassay.core import InputError, Place

# Magics that change only how a notebook looks or times itself: leaving them out does not change a result.
_HARMLESS = {"matplotlib", "config", "autoreload", "load_ext", "reload_ext", "time"}
_MAGIC = re.compile(r"^\s*(%{1,2}|!)\s*(\w*)")


def read_cells(text: str, source: str) -> tuple[str, ...]:
    """Return the sources of the code cells of a notebook (nbformat 3 or 4).

    Line magics that only concern display or timing become comments, so that line numbers stay.

    Raises
    ------
    InputError
        If it is not a notebook, has no code, or uses a magic or shell line that plain Python cannot run.
    """
    try:
        book = json.loads(text)
        cells = (
            book["cells"] if "cells" in book else [c for sheet in book["worksheets"] for c in sheet["cells"]]
        )
        code = [cell for cell in cells if cell.get("cell_type") == "code"]
        sources = [_source(cell, number, source) for number, cell in enumerate(code, start=1)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{source} is not a Jupyter notebook: expected JSON with a list of cells ({error}).",
            hint="Open and save it in Jupyter, or run: jupyter nbconvert --to script",
            reason="malformed_notebook",
        ) from error
    kept = tuple(_plain(cell, number, source) for number, cell in enumerate(sources, start=1))
    if not any(cell.strip() for cell in kept):
        raise InputError(f"{source} has no code cells.", hint="Add code.", reason="empty_program")
    return kept


def join_cells(cells: tuple[str, ...]) -> str:
    """Return the cells as one program, each under a comment that numbers it (counting from 1)."""
    return "\n\n".join(f"# cell {number}\n{cell}" for number, cell in enumerate(cells, start=1))


def _source(cell: dict[str, Any], number: int, name: str) -> str:
    source = cell["source"] if "source" in cell else cell["input"]
    lines = source if isinstance(source, list) else [source]
    if wrong := [line for line in lines if not isinstance(line, str)]:
        raise InputError(
            f"The source of cell {number} of {name} is not text: it holds {json.dumps(wrong[0])[:60]}.",
            hint="Expected a text or a list of lines. Open and save the notebook in Jupyter.",
            reason="malformed_notebook",
        )
    joined = "".join(lines)
    return joined.replace("\r\n", "\n").replace("\r", "\n")


def _plain(cell: str, number: int, source: str) -> str:
    """Comment out the lines that Python's own parser rejects and that are harmless magics."""
    lines = cell.split("\n")
    for _ in range(len(lines) + 1):
        try:
            with warnings.catch_warnings(action="ignore"):
                compile("\n".join(lines), source, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except SyntaxError as error:
            index = (error.lineno or 1) - 1
            found = _MAGIC.match(lines[index]) if index < len(lines) else None
            if found is None:
                break  # the candidate's own mistake: reported when the program runs
            lines[index] = _without_magic(
                lines[index], found, Place(f"{source}, cell {number}", index + 1, 1)
            )
        except ValueError:
            break
        else:
            break
    return "\n".join(lines)


def _without_magic(line: str, found: re.Match[str], place: Place) -> str:
    mark, name = found.groups()
    if mark == "!" or name not in _HARMLESS:
        raise InputError(
            f"The notebook uses '{line.strip()[:60]}', which only Jupyter can run.",
            place=place,
            hint="Write it in plain Python; give packages with --python and files with --mount.",
            reason="notebook_magic",
        )
    # `%time x = f()` runs its statement; the others are settings.
    statement = line[found.end() :].strip() if name == "time" and mark == "%" else ""
    return statement or f"# {line}"

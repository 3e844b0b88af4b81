"""A Python interpreter as a jail must know it: what to start, and which folders of the host it needs."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from finassay.core import InputError

_ASK = "import json, sys; print(json.dumps([sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]))"
_PATIENCE_S = 30


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter.

    Attributes
    ----------
    executable : Path
        What to start, not resolved: a virtual environment is found through its own link.
    folders : tuple of (Path, Path)
        Host folders to show read-only, each with the place where the interpreter looks for it; outer ones first.
    hidden : tuple of Path
        Folders inside them that a program must not see: finassay itself, which knows how answers are derived.
    """

    executable: Path
    folders: tuple[tuple[Path, Path], ...]
    hidden: tuple[Path, ...]


def find_interpreter(python: Path) -> Interpreter:
    """Find what an interpreter needs, by asking it.

    Parameters
    ----------
    python : Path
        An interpreter, or the folder of a virtual environment.

    Raises
    ------
    InputError
        If there is none, or it does not run.
    """
    executable = python / "bin" / "python" if python.is_dir() else python
    if not executable.exists():
        raise InputError(
            f"Expected a Python interpreter or a virtual environment at {python}, but there is no {executable}.",
            hint="Give --python the folder that 'python -m venv' made, or the path of an interpreter.",
            reason="no_python",
        )
    return _ask(executable.absolute())


@functools.cache
def _ask(executable: Path) -> Interpreter:
    if executable == Path(sys.executable).absolute():
        answer = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    else:
        answer = _run(executable)
    places = {Path(text) for text in answer} | set(_on_the_way(executable))
    folders = {place: place.resolve() for place in places if place.is_dir() and place != Path("/")}
    ordered = sorted(folders.items(), key=lambda item: len(item[0].parts))
    hidden = [found for place, _ in ordered for found in place.glob("lib/python*/site-packages/finassay")]
    return Interpreter(
        executable, tuple((source, place) for place, source in ordered), tuple(dict.fromkeys(hidden))
    )


def _run(executable: Path) -> list[str]:
    command = [str(executable), "-I", "-c", _ASK]
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named
            command, capture_output=True, text=True, check=True, timeout=_PATIENCE_S
        )
        answer: list[str] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        raise InputError(f"The interpreter {executable} does not run: {said}", reason="bad_python") from error
    return answer


def _on_the_way(executable: Path) -> Iterator[Path]:
    """Prefixes that the chain of links from the executable passes through: each must exist inside the jail too."""
    hop = executable
    for _ in range(40):
        yield hop.parent.parent
        if not hop.is_symlink():
            break
        hop = Path(os.path.normpath(hop.parent / hop.readlink()))

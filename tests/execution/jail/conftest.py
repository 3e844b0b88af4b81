"""Jails for the tests, and what the host looks like while they are attacked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.execution._jail import Jail, JailSession, find_jail, remove_scratch
from finassay.execution._types import Mount


@pytest.fixture(params=["bwrap", "none"])
def jail(request: pytest.FixtureRequest) -> Jail:
    return the_jail(request.param)


def the_jail(name: str) -> Jail:
    """The jail of a name; where this machine has none, its tests are skipped with the refusal as the reason."""
    try:
        return find_jail(name)
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    yield folder
    remove_scratch(folder)


@pytest.fixture
def start(scratch: Path) -> Iterator[Callable[..., JailSession]]:
    """Start a jail with nothing preloaded; it is closed after the test."""
    sessions: list[JailSession] = []

    def start_one(jail: Jail, **options: object) -> JailSession:
        arguments = {"python": Path(sys.executable), "scratch": scratch, "preload": (), **options}
        sessions.append(jail.start(**arguments))
        return sessions[-1]

    yield start_one
    for session in sessions:
        session.close()


def host_processes(mark: str) -> list[int]:
    """Processes of the host that have a mark in their environment or their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            texts = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in texts:
            found.append(int(folder.name))
    return found


__all__ = ["Mount", "host_processes", "the_jail"]

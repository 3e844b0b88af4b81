"""Workbenches that samples share in turns: as many as the machine has cores, however many samples wait for a model.

A bench that comes from another sample has its jail ended first: nothing that a program did to its jail reaches another
sample. The process of the database goes on, since each program is a run of its own there.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress

from anyio import to_thread
from inspect_ai.util import concurrency

from finassay.core import FinassayError
from finassay.execution import Limits, Run, Submission, Workbench

# A program of an agent: less than a run by hand may take.
LIMITS = Limits(wall_s=120.0, cpu_s=120.0, memory=3 << 30, output_chars=20_000)
MOST = max(2, os.cpu_count() or 2)


class _Shared:
    """A bench, whose database it has, and which sample used it last."""

    def __init__(self, url: str) -> None:
        self.url, self.owner = url, ""
        self.bench = Workbench(url, limits=LIMITS)


_idle: list[_Shared] = []
_guard = threading.Lock()


async def run_program(url: str, owner: str, submission: Submission) -> Run:
    """Run a program of a sample; where the sample is cancelled meanwhile, the program ends with it.

    Parameters
    ----------
    url : str
        The database.
    owner : str
        The sample.
    submission : Submission
        The program.
    """
    async with concurrency("finassay programs", MOST, visible=False):
        shared = await to_thread.run_sync(_take, url, owner)
        try:
            run = await to_thread.run_sync(shared.bench.run, submission, abandon_on_cancel=True)
        except BaseException:
            # The program may still be running in the thread that was left behind: this ends it.
            threading.Thread(target=_discard, args=(shared,), daemon=True).start()
            raise
        with _guard:
            _idle.append(shared)
        return run


def leave(owner: str) -> None:
    """End the jails of a sample that is over."""
    with _guard:
        mine = [shared for shared in _idle if shared.owner == owner]
        for shared in mine:
            _idle.remove(shared)
    for shared in mine:
        shared.bench.close_jail()
    with _guard:
        _idle.extend(mine)


def close_benches() -> None:
    """End every process that waits."""
    with _guard:
        waiting = list(_idle)
        _idle.clear()
    for shared in waiting:
        _discard(shared)


atexit.register(close_benches)


def _take(url: str, owner: str) -> _Shared:
    with _guard:
        fitting = [shared for shared in _idle if shared.url == url]
        found = next((shared for shared in fitting if shared.owner == owner), None) or next(
            iter(fitting), None
        )
        if found is not None:
            _idle.remove(found)
        spare = _idle.pop(0) if found is None and len(_idle) >= MOST else None
    if spare is not None:  # of another database
        _discard(spare)
    if found is None:
        found = _Shared(url)
    elif found.owner != owner:
        found.bench.close_jail()
    found.owner = owner
    return found


def _discard(shared: _Shared) -> None:
    with suppress(FinassayError, OSError):
        shared.bench.close()

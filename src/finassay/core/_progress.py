"""A progress bar on anything that takes over a second, on stderr, silent where nobody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], *, label: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, showing a bar on an interactive terminal.

    Parameters
    ----------
    items : iterable
        What is worked through.
    label : str
        What is being done, in a few words.
    total : int, optional
        How many there are; taken from ``len(items)`` where that is known.

    Yields
    ------
    object
        Each item, unchanged.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, description=label)

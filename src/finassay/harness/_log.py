"""Inspect's logs, read by its public reader; a log that is no log, or is cut off, is told of."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

# What a row of results does not need; a sample's messages and events are most of a log.
_UNREAD = {"messages", "events", "attachments", "timelines", "events_data", "choices", "files", "setup"}
_AT_ONCE = 50  # samples in memory


def log_files(place: Path) -> list[Path]:
    """Return a log, or the logs of a folder by their names, which begin with the time.

    Raises
    ------
    InputError
        If there is none.
    """
    if place.is_dir():
        found = sorted([*place.glob("**/*.eval")])
        if not found:
            raise InputError(f"There is no .eval log in {place}.", reason="no_log")
        return found
    if not place.is_file():
        raise InputError(f"There is no log {place}.", reason="no_log")
    return [place]


def header_of(path: Path) -> EvalLog:
    """Return the header of a log.

    Raises
    ------
    InputError
        ``bad_log``: it is no ``.eval`` log of Inspect, or is cut off in the middle.
    """
    from inspect_ai.log import read_eval_log

    with _told(path):
        return read_eval_log(path, header_only=True)


def samples_of(path: Path, *, events: bool = False) -> Iterator[EvalSample]:
    """Yield the samples of a log by their ids, some dozens in memory at a time.

    Parameters
    ----------
    path : Path
        The log.
    events : bool
        Whether with messages and events, or only with what a row of results needs.

    Raises
    ------
    InputError
        ``bad_log``.
    """
    from inspect_ai.log import read_eval_log_sample_summaries, read_eval_log_samples_by_id

    with _told(path):
        keys = sorted((str(one.id), one.epoch) for one in read_eval_log_sample_summaries(path))
        for start in range(0, len(keys), _AT_ONCE):
            # Inspect reads the list of a log's files anew at each call: one call per sample takes ever longer
            yield from read_eval_log_samples_by_id(
                path,
                keys[start : start + _AT_ONCE],
                resolve_attachments="full" if events else False,
                exclude_fields=None if events else _UNREAD,
            )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the reader raises over a broken log into an error that says what to do."""
    if path.is_file() and not zipfile.is_zipfile(path):
        raise InputError(
            f"{path} is no whole .eval log: its end, where it lists what it holds, is missing.",
            hint="A log that was cut off can be made again from its samples: inspect log recover.",
            reason="bad_log",
        )
    try:
        yield
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        raise InputError(
            f"{path} cannot be read as a log of Inspect: {type(error).__name__}: {error}",
            hint="Was it written by Inspect, and copied whole?",
            reason="bad_log",
        ) from error

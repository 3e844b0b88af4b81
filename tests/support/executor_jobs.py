"""Jobs that the executor tests run; a module of its own, because workers import it by name."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from finassay.core import CandidateError, InputError


def square(number: int) -> int:
    return number * number


def slow_first(number: int) -> int:
    """The earlier the item, the later it ends."""
    time.sleep(0.05 * max(0, 4 - number))
    return number


def append(values: list[int]) -> list[int]:
    values.append(0)
    return values


def fail_on_odd(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


def blame(who: str) -> str:
    if who == "candidate":
        raise CandidateError("the program does not run")
    if who == "input":
        raise InputError("the file is not there")
    return who


def unpicklable(number: int) -> object:
    return (part for part in range(number))  # a generator holds a frame


def sum_of_two(pair: tuple[int, int], *, scale: int) -> int:
    return scale * sum(pair)


def recorded_square(task: tuple[str, int]) -> int:
    """Leave one file per call in the folder, so that a test can count the calls."""
    folder, number = task
    descriptor, _ = tempfile.mkstemp(prefix=f"{number}-", dir=folder)
    os.close(descriptor)
    return number * number


def recorded_fail_on_odd(task: tuple[str, int]) -> int:
    recorded_square(task)
    return fail_on_odd(task[1])


def thread_limits(_: int) -> tuple[str | None, str | None]:
    return os.environ.get("OPENBLAS_NUM_THREADS"), os.environ.get("OMP_NUM_THREADS")


def die(number: int) -> int:
    if number == 1:
        os._exit(9)
    return number


def mark_and_sleep(task: tuple[str, int]) -> int:
    """Say that this process has begun, then work for a minute."""
    folder, number = task
    (Path(folder) / f"{os.getpid()}.pid").touch()
    time.sleep(60 if number else 0)
    return number


def sleep_10_ms(number: int) -> int:
    time.sleep(0.01)
    return number

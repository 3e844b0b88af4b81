"""The executor protocol and its failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from finassay.core import ExitCode, FinassayError, InternalError, worst_exit_code

if TYPE_CHECKING:
    from finassay.executor._cache import ResultCache

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class JobFailure:
    """One job that raised.

    Attributes
    ----------
    index : int
        Position of the item, from 0.
    item : str
        The item's ``repr``, shortened.
    error : str
        ``"TypeName: message"`` of what was raised.
    exit_code : ExitCode
        Of a `FinassayError`, its own; of any other exception, ``INTERNAL``.
    traceback : str
        The traceback where the job ran.
    """

    index: int
    item: str
    error: str
    exit_code: ExitCode
    traceback: str


class JobError(FinassayError):
    """Some jobs raised; raised after every item was tried and every result stored.

    The message names the first failing item in the order of the items, so it is the same on every executor. Its exit
    code is the worst of the failures' own (see `finassay.core.worst_exit_code`).

    Attributes
    ----------
    failures : tuple of JobFailure
        All of them, in the order of the items; never empty.
    """

    reason = "job_failed"

    def __init__(self, label: str, failures: tuple[JobFailure, ...], total: int) -> None:
        first = failures[0]
        super().__init__(
            f"{len(failures)} of {total} jobs of '{label}' failed; "
            f"the first is item {first.index}, {first.item}: {first.error}",
            hint="Results of the other jobs are kept where a cache was given: mend the cause and run again.",
        )
        self.failures = failures
        self.exit_code = worst_exit_code(failure.exit_code for failure in failures)
        self.add_note(first.traceback)


class WorkerLostError(InternalError):
    """A worker process died (killed, out of memory, crashed) and took its jobs with it."""

    reason = "worker_lost"


class Executor(Protocol):
    """Runs many pure jobs.

    Implementations agree on everything a caller can see: order of the results, what raises and when, and that items
    and results cross a pickle boundary (a job never shares an object with its caller, not even on ``serial``).

    Attributes
    ----------
    name : str
        ``"serial"``, ``"loky"`` or ``"ray"``.
    workers : int
        How many jobs run at once.
    """

    @property
    def name(self) -> str: ...

    @property
    def workers(self) -> int: ...

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        label: str,
        cache: ResultCache | None = None,
    ) -> list[Result]:
        """Apply a pure function to every item.

        Parameters
        ----------
        function : callable
            A pure function of one item; with a cache it is a function of a module (`functools.partial` of one will
            do), so that its code has a version.
        items : iterable
            What to work through; values that can be pickled, and with a cache ones `hash_content` accepts.
        label : str
            What is being done, for the progress bar and for messages.
        cache : ResultCache, optional
            Where finished results are kept and looked up.

        Returns
        -------
        list
            One result per item, in their order; empty for no items.

        Raises
        ------
        JobError
            If a job raised: after all items were tried and the results of the others were stored.
        WorkerLostError
            If a worker process died. What was stored before stays stored.
        InputError
            If an item cannot be pickled or hashed, or the function has no code version.
        """
        ...

    def close(self) -> None:
        """Stop the workers; a second call does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

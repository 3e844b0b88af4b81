"""What every executor does alike: look up, compute the rest, store, put in order, name the failures."""

from __future__ import annotations

import pickle
import reprlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from finassay.core import ExitCode, FinassayError, InputError, hash_bytes, progress
from finassay.executor._code import code_version
from finassay.executor._content import hash_content
from finassay.executor._types import JobError, JobFailure

if TYPE_CHECKING:
    from finassay.executor._cache import ResultCache

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Job:
    """One item on its way to a worker: its place, its pickle, and its short text for messages."""

    index: int
    payload: bytes
    text: str


@dataclass(frozen=True)
class Outcome:
    """What became of a job: the pickle of its result, or its failure."""

    index: int
    payload: bytes = b""
    failure: JobFailure | None = None


@dataclass(frozen=True)
class Attempt:
    """The worker's side of a call: unpickle the item, run, pickle the result or say what was raised."""

    function: Callable[[Any], Any]

    def __call__(self, job: Job) -> Outcome:
        import cloudpickle

        item = pickle.loads(job.payload)  # noqa: S301 - our own caller wrote it
        try:
            return Outcome(job.index, cloudpickle.dumps(self.function(item)))
        except Exception as error:  # noqa: BLE001 - whatever a job raises is its outcome
            return Outcome(job.index, failure=_failure(job, error))


class PooledExecutor(ABC):
    """An executor, up to where the jobs run."""

    name: str
    workers: int

    @abstractmethod
    def outcomes(self, attempt: Attempt, jobs: list[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcome of each job as it comes; closed early, it stops the jobs that run."""

    def close(self) -> None:  # noqa: B027 - most have nothing to stop
        """Stop the workers; a second call does nothing."""

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        label: str,
        cache: ResultCache | None = None,
    ) -> list[Result]:
        """Apply a pure function to every item; see `Executor.map`."""
        batch = _Batch(function, list(items), label, cache)
        batch.look_up()
        jobs = batch.jobs()
        with closing(self.outcomes(Attempt(function), jobs)) as outcomes:
            for outcome in progress(outcomes, label=label, total=len(jobs)):
                batch.take(outcome)
        return batch.results()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Batch(Generic[Item, Result]):
    """The items of one call, their keys, and what is known of each so far."""

    def __init__(
        self, function: Callable[[Item], Result], items: list[Item], label: str, cache: ResultCache | None
    ) -> None:
        self._items = items
        self._label = label
        self._cache = cache
        self._keys = _keys(function, items) if cache is not None and items else []
        self._values: dict[int, Any] = {}
        self._failures: list[JobFailure] = []

    def look_up(self) -> None:
        """Take what the cache holds."""
        if self._cache is None:
            return
        for index, key in enumerate(self._keys):
            stored = self._cache.get(key)
            if stored is not None:
                self._values[index] = stored.value

    def jobs(self) -> list[Job]:
        """Return what is left to do."""
        return [
            Job(index, _pickled(index, item), reprlib.repr(item))
            for index, item in enumerate(self._items)
            if index not in self._values
        ]

    def take(self, outcome: Outcome) -> None:
        """Store one outcome."""
        if outcome.failure is not None:
            self._failures.append(outcome.failure)
            return
        self._values[outcome.index] = pickle.loads(outcome.payload)  # noqa: S301 - our own worker wrote it
        if self._cache is not None:
            self._cache.put(self._keys[outcome.index], outcome.payload)

    def results(self) -> list[Result]:
        """Return all results in order, or raise."""
        if self._failures:
            failures = tuple(sorted(self._failures, key=lambda failure: failure.index))
            raise JobError(self._label, failures, len(self._items))
        return [cast("Result", self._values[index]) for index in range(len(self._items))]


def _keys(function: Callable[..., Any], items: list[Any]) -> list[str]:
    version = code_version(function)
    return [hash_bytes(f"{version} {hash_content(item)}".encode()) for item in items]


def _pickled(index: int, item: object) -> bytes:
    import cloudpickle

    try:
        return cast("bytes", cloudpickle.dumps(item))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InputError(
            f"Item {index}, {reprlib.repr(item)}, cannot be sent to a worker: {error}.",
            hint="Pass plain values, and open connections and files inside the job.",
            reason="item_not_picklable",
        ) from error


def _failure(job: Job, error: Exception) -> JobFailure:
    return JobFailure(
        index=job.index,
        item=job.text,
        error=f"{type(error).__name__}: {error}",
        exit_code=error.exit_code if isinstance(error, FinassayError) else ExitCode.INTERNAL,
        traceback="".join(traceback.format_exception(error)),
    )

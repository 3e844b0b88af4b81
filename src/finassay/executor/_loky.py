"""Jobs in local processes, through joblib's loky."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Generator
from typing import Any

from finassay.executor._map import Attempt, Job, Outcome, PooledExecutor
from finassay.executor._types import WorkerLostError

_WATCH_SECONDS = 0.5
_SAFE_PATH = "PYTHONSAFEPATH"


class LokyExecutor(PooledExecutor):
    """Runs jobs in a pool of local processes.

    The pool is joblib's own, which it keeps for the next call; it ends with this process at the latest. A library used
    in a job gets one thread: the processes are the parallelism.

    Parameters
    ----------
    workers : int, optional
        How many processes; by default one per processor this process may use.
    """

    name = "loky"

    def __init__(self, workers: int | None = None) -> None:
        import joblib

        self.workers: int = workers or joblib.cpu_count()

    def outcomes(self, attempt: Attempt, jobs: list[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcomes as they come; closed early, it kills the workers."""
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        _start_trackers()
        parallel = Parallel(
            n_jobs=self.workers,
            backend=_safe_backend(),
            return_as="generator_unordered",
            max_nbytes=None,  # a memory-mapped item would be read-only here and writable on the other executors
        )
        stream = parallel(delayed(attempt)(job) for job in jobs)
        try:
            yield from stream
        except TerminatedWorkerError as error:
            raise WorkerLostError(
                f"A worker process died: {str(error).splitlines()[0]}",
                hint="Often it was out of memory: use fewer workers (loky:1), or find the item with the serial "
                "executor. Results stored before stay stored.",
            ) from error
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # joblib warns that it was stopped early: that is what we want
                stream.close()


def _safe_backend() -> Any:
    """Return joblib's loky whose workers do not import their libraries from the current folder.

    Python puts the current folder first where it starts a module with ``-m``. The modules of a job are found all the
    same: loky gives a worker this process's own path once its libraries are loaded.
    """
    from joblib._parallel_backends import LokyBackend

    class SafeBackend(LokyBackend):  # type: ignore[misc]
        def _prepare_worker_env(self, n_jobs: int) -> dict[str, str]:
            return {**super()._prepare_worker_env(n_jobs), _SAFE_PATH: "1"}

    return SafeBackend(inner_max_num_threads=1, initializer=_prepare_worker)


def _start_trackers() -> None:
    """Start the two processes in which loky keeps account of shared resources: they have the environment of this one.

    They live as long as this process, so that its environment is another one for this moment only.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, which kills its workers, end when it is killed, and give a job one thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent is gone: a worker in the middle of a job would not notice by itself."""
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)

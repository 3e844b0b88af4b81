"""Jobs in local processes, through joblib's loky."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Generator

from finassay.executor._map import Attempt, Job, Outcome, PooledExecutor
from finassay.executor._types import WorkerLostError

_WATCH_SECONDS = 0.5


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

        parallel = Parallel(
            n_jobs=self.workers,
            backend="loky",
            return_as="generator_unordered",
            max_nbytes=None,  # a memory-mapped item would be read-only here and writable on the other executors
            inner_max_num_threads=1,
            initializer=_prepare_worker,
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

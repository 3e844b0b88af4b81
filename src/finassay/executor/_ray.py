"""Jobs on Ray: a cluster by its address, or a local one of its own."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Generator
from itertools import islice
from typing import Any

from finassay.core import InputError, MissingExtraError
from finassay.executor._map import Attempt, Job, Outcome, PooledExecutor
from finassay.executor._types import WorkerLostError

_AHEAD = 4  # jobs in flight per worker: enough to hide the way there, few enough to bound memory


class RayExecutor(PooledExecutor):
    """Runs jobs as Ray tasks of one processor each; Ray gives a library used in a task one thread.

    Every machine of a cluster needs the same version of finassay and of the program's own modules. A Ray session that
    is already open in this process is used and left open.

    Parameters
    ----------
    address : str, optional
        ``ray://host:port``; by default a local Ray is started, and stopped on `close`.
    workers : int, optional
        Processors of the local Ray; by default all. A cluster has its own.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    InputError
        If the cluster cannot be reached.
    """

    name = "ray"

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingExtraError("The executor 'ray'", "ray") from error
        self._ray = ray
        self._opened = not ray.is_initialized()
        if self._opened:
            self._connect(address, workers)
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        self.workers: int = max(1, int(resources.get("CPU", 1)))

    def _connect(self, address: str | None, workers: int | None) -> None:
        # Ray puts the current folder first on its workers' path, unless the job comes from a client elsewhere: a file
        # there would be imported for a library. Modules of the job are found by the path that goes with it.
        config = self._ray.job_config.JobConfig(_client_job=True)
        local: dict[str, Any] = {
            "num_cpus": workers,
            "include_dashboard": False,
            "configure_logging": False,
            "job_config": config,
        }
        try:
            self._ray.init(address=address or "local", log_to_driver=False, **({} if address else local))
        except Exception as error:  # where its node does not start in 30 s, Ray raises just that
            raise InputError(
                f"Ray at {address or 'this machine'} cannot be reached: {error}",
                hint="Check the address (ray://host:10001 is usual), or use --executor loky.",
                reason="ray_unreachable",
            ) from error

    def outcomes(self, attempt: Attempt, jobs: list[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcomes as they come; closed early, it cancels the tasks."""
        import cloudpickle

        ray = self._ray
        task = ray.remote(max_retries=0, num_cpus=1)(_run)
        shared = (ray.put(cloudpickle.dumps(attempt)), ray.put(sys.path))
        waiting = iter(jobs)
        running: dict[Any, Job] = {}
        try:
            while True:
                for job in islice(waiting, self.workers * _AHEAD - len(running)):
                    running[task.remote(*shared, job)] = job
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1)
                for reference in done:
                    yield self._fetch(reference, running.pop(reference))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _fetch(self, reference: Any, job: Job) -> Outcome:
        try:
            outcome: Outcome = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise WorkerLostError(
                f"The worker process of item {job.index}, {job.text}, died: {error}",
                hint="Often it was out of memory: use fewer workers. Results stored before stay stored.",
            ) from error
        return outcome

    def close(self) -> None:
        """Stop the local Ray, or leave the cluster."""
        if self._opened:
            self._ray.shutdown()
            self._opened = False


def _run(attempt: bytes, path: list[str], job: Job) -> Outcome:
    """Do one job, finding its modules where the caller finds them."""
    sys.path.extend(folder for folder in path if folder not in sys.path)
    loaded: Attempt = pickle.loads(attempt)  # noqa: S301 - our own caller wrote it
    return loaded(job)

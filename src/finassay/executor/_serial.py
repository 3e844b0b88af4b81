"""Jobs one after another in this process: for debugging, and where one worker is asked for."""

from __future__ import annotations

from collections.abc import Generator

from finassay.executor._map import Attempt, Job, Outcome, PooledExecutor


class SerialExecutor(PooledExecutor):
    """Runs each job in this process."""

    name = "serial"
    workers = 1

    def outcomes(self, attempt: Attempt, jobs: list[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcomes in order."""
        for job in jobs:
            yield attempt(job)

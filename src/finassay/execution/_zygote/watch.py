"""Watch one call: its end, and the limits that the kernel does not keep for a group of processes."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from .folders import MOST_FILES, deleted_bytes, disk_usage, mount_points
from .processes import cpu_seconds, processes, status_kb

TICK_S = 0.1


def usage(config: dict[str, Any], most: tuple[int, int], mounted: frozenset[str]) -> tuple[int, int]:
    """Return the bytes and files in the folder that a program writes to, counting no further than is needed."""
    return disk_usage(config["scratch"], *most, config["contained"], mounted)


class Watch:
    """One call while it runs: its end, and the limits that the kernel does not keep for a group of processes."""

    def __init__(
        self,
        config: dict[str, Any],
        limits: dict[str, Any],
        left: tuple[int, int],
        pid: int,
        relay: int | None,
    ) -> None:
        self.config = config
        self.limits = limits
        # A program that comes to a folder that is too full already may clean it up; it may not add to it.
        self.most_bytes = max(limits["scratch"], left[0])
        self.most_files = max(MOST_FILES, left[1])
        self.left = left
        self.pid = pid
        self.relay = relay
        self.mounted = mount_points()
        self.status: int | None = None
        self.breach: str | None = None
        self.cpu_s = 0.0
        self.max_rss = 0
        self.next_look = time.monotonic() + TICK_S

    def reap(self) -> bool:
        """Take the exit status and times of every child that ended; True where no child is left."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid != self.relay:
                self.cpu_s += usage.ru_utime + usage.ru_stime
                scale = 1 if sys.platform == "darwin" else 1024
                self.max_rss = max(self.max_rss, usage.ru_maxrss * scale)
            if pid == self.pid:
                self.status = status

    def look(self) -> None:
        """Compare the whole with its limits, where it is time to."""
        began = time.monotonic()
        if began < self.next_look:
            return
        living = [pid for pid in processes() if pid not in (os.getpid(), self.relay)]
        if self.config["contained"]:
            if self.cpu_s + sum(map(cpu_seconds, living)) > self.limits["cpu_s"] + 1:
                self.breach = "cpu"
            elif self.config["watch_memory"] and self.too_much_memory(living):
                self.breach = "memory"
        self.breach = self.breach or self.scratch_breach(living)
        now = time.monotonic()
        self.next_look = now + max(TICK_S, 4 * (now - began))

    def too_much_memory(self, living: list[int]) -> bool:
        """Return whether all together hold more than the limit: a cheap sum first, the exact one if need be."""
        most: int = self.limits["memory"] >> 10
        if sum(status_kb(f"/proc/{pid}/status", ("RssAnon", "RssShmem")) for pid in living) <= most:
            return False
        return sum(status_kb(f"/proc/{pid}/smaps_rollup", ("Pss_Anon", "Pss_Shmem")) for pid in living) > most

    def scratch_breach(self, living: list[int]) -> str | None:
        """Return what the program left too much of in its folders, counting deleted files that are still open."""
        self.left = size, count = usage(self.config, (self.most_bytes, self.most_files), self.mounted)
        if size <= self.most_bytes and self.config["contained"]:
            size += deleted_bytes(living, os.stat(self.config["scratch"]).st_dev)
        if size > self.most_bytes:
            return "scratch"
        temporary = [
            disk_usage(folder, 1 << 62, MOST_FILES, True, self.mounted)[1]
            for folder in self.config["temporary"]
        ]
        return "files" if count > self.most_files or max(temporary, default=0) > MOST_FILES else None

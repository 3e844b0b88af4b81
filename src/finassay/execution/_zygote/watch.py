"""Watch one call: its end, and the limits that the kernel does not keep for a group of processes."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from .folders import MOST_FILES, deleted_bytes, disk_usage
from .processes import cpu_seconds, processes, status_kb

TICK_S = 0.1


class Watch:
    """One call while it runs: its end, and the limits that the kernel does not keep for a group of processes."""

    def __init__(self, config: dict[str, Any], limits: dict[str, Any], pid: int, relay: int | None) -> None:
        self.config = config
        self.limits = limits
        self.pid = pid
        self.relay = relay
        self.status: int | None = None
        self.breach: str | None = None
        self.cpu_s = 0.0
        self.max_rss = 0
        self.next_look = time.monotonic() + TICK_S

    def reap(self, block: bool = False) -> None:
        """Take the exit status and times of every child that ended."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, 0 if block else os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
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
        self.next_look = now + max(TICK_S, 10 * (now - began))

    def too_much_memory(self, living: list[int]) -> bool:
        """Return whether all together hold more than the limit: a cheap sum first, the exact one if need be."""
        most: int = self.limits["memory"] >> 10
        if sum(status_kb(f"/proc/{pid}/status", ("RssAnon", "RssShmem")) for pid in living) <= most:
            return False
        return sum(status_kb(f"/proc/{pid}/smaps_rollup", ("Pss_Anon", "Pss_Shmem")) for pid in living) > most

    def scratch_breach(self, living: list[int]) -> str | None:
        """Return what the program left too much of in its folders, counting deleted files that are still open."""
        scratch, most = self.config["scratch"], self.limits["scratch"]
        size, count = disk_usage(scratch, most, self.config["contained"])
        if size <= most and self.config["contained"]:
            size += deleted_bytes(living, os.stat(scratch).st_dev)
        if size > most:
            return "scratch"
        temporary = (disk_usage(folder, 1 << 62, True)[1] for folder in self.config["temporary"])
        return "files" if count > MOST_FILES or any(number > MOST_FILES for number in temporary) else None

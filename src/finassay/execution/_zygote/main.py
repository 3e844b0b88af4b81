"""The zygote: serves calls until the host goes away."""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from typing import Any, NoReturn

from .child import child
from .confine import confine
from .folders import MOST_FILES, mount_points, remove_inside
from .frames import receive, send
from .processes import kill_descendants, read
from .watch import Watch, usage

RELAY = "finassay_relay.py"
RETRY_S = 0.01
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Serve calls on the descriptor named by the first argument until the host closes it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    config, _ = receive(control)
    if config is None:
        return
    confine(config)
    zygote = Zygote(control, config)
    try:
        send(control, zygote.prepare())
        zygote.serve()
    finally:  # the host may go at any moment, and then reading from it or writing to it fails
        zygote.kill_all()


class Zygote:
    """Forks a child per call and reports how it ended."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control = control
        self.config = config
        self.scratch: str = config["scratch"]
        self.relay: int | None = None
        self.mounted = mount_points()
        self.left = (0, 0)  # bytes and files in the scratch folder after the last call
        self.wake, write = os.pipe()
        for descriptor in (self.wake, write):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.base = {"address_space": 0, "processes": 1}

    def prepare(self) -> dict[str, Any]:
        """Import what programs commonly need; return what the host wants to know."""
        if self.config["cpus"]:
            os.sched_setaffinity(0, self.config["cpus"])
        loaded, failed = [], {}
        # Without a file it would be taken for a prompt: DuckDB would draw progress bars into what a program prints.
        sys.modules["__main__"].__file__ = "<finassay>"
        gc.disable()
        for name in self.config["preload"]:
            try:
                importlib.import_module(name)
                loaded.append(name)
            except Exception as error:  # noqa: BLE001 - a program may never need it
                failed[name] = f"{type(error).__name__}: {error}"[:500]
        gc.freeze()  # the children share these objects with us, page by page
        gc.enable()
        self.start_relay()
        threads = 1
        if os.path.isdir("/proc/self/task"):
            threads = len(os.listdir("/proc/self/task"))
            self.base["address_space"] = int(read("/proc/self/statm").split()[0]) * PAGE
        self.base["processes"] = threads + (self.relay is not None)
        return {"preloaded": loaded, "failed": failed, "version": sys.version.split()[0], **self.base}

    def serve(self) -> None:
        """Take calls until the host goes away."""
        while True:
            request, descriptors = receive(self.control)
            if request is None:
                return
            if request["op"] == "run":
                send(self.control, self.run(request, descriptors))
                self.tidy()

    def run(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Run one call to its end."""
        if self.left[0] > request["limits"]["scratch"] or self.left[1] > MOST_FILES:
            self.left = usage(self.config, self.left, self.mounted)  # the host may have made room since
        try:
            pid = os.fork()
        except OSError as error:
            for descriptor in descriptors:
                os.close(descriptor)
            return {"refused": str(error)}
        if pid == 0:
            self.control.close()
            child(request, descriptors, self.base, self.scratch)
        for descriptor in descriptors:
            os.close(descriptor)
        watch = Watch(self.config, request["limits"], self.left, pid, self.relay)
        while watch.status is None and not watch.breach and not self.wait(watch.next_look):
            watch.look()
            watch.reap()
        self.kill_all()
        while not watch.reap():
            self.wait(time.monotonic() + RETRY_S)
            self.kill_all()
        breach = watch.scratch_breach([])
        breach = watch.breach or breach
        self.left = watch.left
        return {"status": watch.status, "cpu_s": watch.cpu_s, "max_rss": watch.max_rss, "breach": breach}

    def wait(self, until: float) -> bool:
        """Wait for a child to end, for a time, or for the host; True where the host wants the call to end."""
        timeout = max(0.0, until - time.monotonic())
        ready, _, _ = select.select([self.control.fileno(), self.wake], [], [], timeout)
        if self.wake in ready:
            os.read(self.wake, 4096)
        if self.control.fileno() not in ready:
            return False
        request, _ = receive(self.control)
        if request is None:
            self.kill_all()
            os._exit(0)
        return bool(request["op"] == "kill")

    def kill_all(self) -> None:
        """Kill every process but ourselves."""
        if self.config["contained"]:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # all of the process namespace except process 1, which is us
        else:
            kill_descendants()

    def tidy(self) -> None:
        """Forget what the call left outside its scratch folder, and start the relay again."""
        for folder in self.config["temporary"]:
            remove_inside(folder, self.mounted)
        self.start_relay()

    def start_relay(self) -> None:
        """Fork the relay that carries database connections out, where the host mounted one."""
        path = os.path.join(self.config["home"], RELAY)
        self.relay = None
        if not os.path.exists(path):
            return
        ready, out = os.pipe()
        self.relay = os.fork()
        if self.relay == 0:
            self.control.close()
            run_relay(path, out)
        os.close(out)
        try:
            if not select.select([ready], [], [], 60)[0] or not os.read(ready, 16):
                raise RuntimeError(f"the relay {path} did not start")
        finally:
            os.close(ready)


def run_relay(path: str, out: int) -> NoReturn:
    """Become the relay."""
    import runpy

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(out, 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as it lives
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except BaseException:  # noqa: BLE001 - it ends here, whatever it was
        traceback.print_exc()
        os._exit(1)
    os._exit(0)

"""However a run is stopped, no process of it stays, and what was finished is found again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control starts us ignoring it
sys.path.insert(0, sys.argv[3])
from support.executor_jobs import mark_and_sleep
from finassay.executor import ResultCache, open_executor
if __name__ == "__main__":
    with open_executor(sys.argv[1]) as executor:
        tasks = [(sys.argv[2], seconds) for seconds in (0, 60, 60, 60)]
        executor.map(mark_and_sleep, tasks, label="sleepers", cache=ResultCache(sys.argv[2] + "/results"))
"""
EXECUTORS = ["serial", "loky:2", pytest.param("ray:2", marks=pytest.mark.xdist_group("ray"))]


@contextmanager
def running(spec: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the program in a session of its own, as a terminal does, and wait until its long jobs run."""
    if spec.startswith("ray"):
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    command = [sys.executable, "-c", PROGRAM, spec, str(folder), str(TESTS)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: list(folder.glob("results/*/*.result")) and len(workers(folder)) >= parallel(spec), 50)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def parallel(spec: str) -> int:
    return 1 if spec == "serial" else 2


def workers(folder: Path) -> list[int]:
    return [int(path.stem) for path in folder.glob("*.pid")]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def until(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def members(session: int) -> list[int]:
    """Every live process of a session, its trackers and helpers too."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                same = os.getsid(int(entry.name)) == session
            except ProcessLookupError:
                continue
            if same and alive(int(entry.name)):
                found.append(int(entry.name))
    return found


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")


@pytest.mark.parametrize("spec", EXECUTORS)
def test_ctrl_c_leaves_no_orphan(spec, tmp_path):
    with running(spec, tmp_path) as process:
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does: to every process of the group
        assert process.wait(timeout=30) == 128 + signal.SIGINT or process.returncode == -signal.SIGINT
        assert "KeyboardInterrupt" in process.stderr.read()
        until(lambda: not any(map(alive, workers(tmp_path))) and not members(process.pid), 10)


@pytest.mark.parametrize("deadly", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_the_parent_alone_leaves_no_orphan(deadly, tmp_path):
    with running("loky:2", tmp_path) as process:
        process.send_signal(deadly)
        process.wait(timeout=30)
        until(lambda: not any(map(alive, workers(tmp_path))) and not members(process.pid), 10)


@pytest.mark.parametrize("spec", ["serial", "loky:2"])
def test_what_was_finished_before_a_kill_is_kept_whole(spec, tmp_path):
    with running(spec, tmp_path) as process:
        process.kill()
        process.wait(timeout=30)
        assert len(list(tmp_path.glob("results/*/*.result"))) == 1  # the job of no seconds
        assert not list(tmp_path.glob("results/*/.*.part"))

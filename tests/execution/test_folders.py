"""Temporary folders: a process has its own, and what a killed one left is removed by the next, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from finassay.execution._folders import hold_folder

from .jail.conftest import host_processes, the_jail

HOLDER = """
import time
from finassay.execution._folders import hold_folder
folder = hold_folder()
(folder.path / "scratch" / "deep").mkdir(parents=True)
(folder.path / "scratch" / "deep" / "data").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "t"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def start_holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_killed_processs_folder_is_removed_by_the_next_and_a_living_ones_is_not() -> None:
    killed, left = start_holder()
    living, held = start_holder()
    with killed, living:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (left / "scratch" / "deep" / "data").exists()
        mine = hold_folder()
        assert not left.exists()
        assert (held / "scratch" / "deep" / "data").exists()
        mine.remove()
        assert not mine.path.exists()
        living.kill()


def test_folders_of_others_and_links_are_left_alone(elsewhere: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (elsewhere / "finassay-run-link").symlink_to(precious)
    (elsewhere / "finassay-run-file").write_text("x")
    (elsewhere / "something-else").mkdir()
    if os.geteuid() == 0:
        others = elsewhere / "finassay-run-of-another-user"
        others.mkdir()
        os.chown(others, 12345, 12345)
    before = sorted(elsewhere.iterdir())
    hold_folder().remove()
    assert sorted(elsewhere.iterdir()) == before
    assert (precious / "file").read_text() == "x"


def test_the_folder_is_this_users_alone() -> None:
    folder = hold_folder()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.remove()


def test_many_at_once_keep_their_own() -> None:
    """One that is being made is never taken for a dead one's."""

    def work(number: int) -> bool:
        for _ in range(20):
            folder = hold_folder()
            (folder.path / "mine").write_text(str(number))
            time.sleep(0.001)
            assert (folder.path / "mine").read_text() == str(number)
            folder.remove()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.jail
@pytest.mark.parametrize("jail", ["bwrap", "none"])
def test_nothing_of_a_killed_run_stays(jail: str, elsewhere: Path, tmp_path: Path) -> None:
    """Its processes end by themselves, wherever they were; its folder goes with the next run."""
    the_jail(jail)
    (tmp_path / "prices.csv").write_text("a\n1\n")
    study = tmp_path / "study.py"
    study.write_text("import time\nopen('started', 'w').close()\ntime.sleep(500)\n")
    command = [sys.executable, "-m", "finassay", "run", str(study), "--db", str(tmp_path / "prices.csv")]
    with subprocess.Popen([*command, "--jail", jail], stdout=subprocess.DEVNULL) as run:
        wait_for(lambda: any(elsewhere.glob("finassay-run-*/scratch/started")))
        assert len(host_processes(str(elsewhere))) >= 3  # the run, its database process, its interpreter
        run.send_signal(signal.SIGKILL)
        run.wait()
        wait_for(lambda: not [pid for pid in host_processes(str(elsewhere)) if pid != os.getpid()])
    assert any(elsewhere.iterdir())
    hold_folder().remove()
    assert list(elsewhere.iterdir()) == []


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)

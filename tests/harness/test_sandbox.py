"""The sandboxes hold what their specification found to matter: every finding over both."""

from __future__ import annotations

import asyncio
import time

import pytest
from inspect_ai.util import OutputLimitExceededError

from finassay.execution import Limits, Shell, ShellLost
from finassay.harness import _sandbox
from finassay.harness._sandbox import Bwrap, BwrapSession

pytestmark = pytest.mark.jail

SMALL = Limits(wall_s=30, cpu_s=1, memory=512 << 20, processes=40, file_size=10 << 20)


@pytest.fixture(params=[Bwrap, BwrapSession], ids=["bwrap", "bwrap_session"])
def sandbox(request, monkeypatch):
    monkeypatch.setattr(_sandbox, "_LIMITS", SMALL)
    made = request.param()
    yield made
    made.close()


def run(sandbox, *command, **options):
    return asyncio.run(sandbox.exec(list(command), **options))


def python(sandbox, code, **options):
    return run(sandbox, "python3", "-c", code, **options)


def alive(sandbox):
    return run(sandbox, "echo", "alive").stdout == "alive\n"


FORKS = """
import os, time
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError:
    print(made)
"""


def test_a_fork_bomb_stops_at_the_limit_and_leaves_no_harm(sandbox):
    result = python(sandbox, FORKS)
    assert int(result.stdout) < 40
    assert alive(sandbox)


@pytest.mark.parametrize("attack", ["kill -9 $PPID; sleep 3", "kill -9 -1; sleep 3"])
def test_killing_its_own_interpreter_is_an_error_of_the_command(sandbox, attack):
    result = run(sandbox, "sh", "-c", attack)
    assert result.returncode == 137
    assert "went down" in result.stderr
    assert alive(sandbox)


def test_memory_is_limited(sandbox):
    result = python(sandbox, "kept = []\nwhile True:\n    kept.append(bytearray(50 << 20))")
    assert result.returncode in (1, 137)
    assert "MemoryError" in result.stderr or "memory" in result.stderr
    assert alive(sandbox)


def test_cpu_time_is_limited(sandbox):
    began = time.monotonic()
    assert run(sandbox, "sh", "-c", "while :; do :; done").returncode in (137, 152)  # 128 + SIGXCPU
    assert time.monotonic() - began < 20
    assert alive(sandbox)


def test_time_is_limited(sandbox):
    with pytest.raises(TimeoutError):
        run(sandbox, "sleep", "30", timeout=1)
    assert alive(sandbox)


def test_there_is_no_network_but_its_own(sandbox):
    code = "import socket\nsocket.create_connection(('192.0.2.1', 80), 2)"
    assert "unreachable" in python(sandbox, code).stderr
    assert run(sandbox, "sh", "-c", "cat /proc/net/dev | tail -n +3 | cut -d: -f1").stdout.split() == ["lo"]


def test_the_host_is_out_of_reach(sandbox):
    said = run(sandbox, "sh", "-c", "touch /usr/x; cat /etc/shadow; ls /work").stderr
    assert said.count("Read-only file system") == 1
    assert said.count("No such file") == 2
    few = int(run(sandbox, "sh", "-c", "ls /proc | grep -c '^[0-9]'").stdout)
    assert few < 10


def test_a_large_file_is_refused(sandbox):
    result = python(sandbox, "open('big', 'wb').write(b'0' * (50 << 20))")
    assert "File too large" in result.stderr


def test_output_is_capped(sandbox):
    with pytest.raises(OutputLimitExceededError) as caught:
        run(sandbox, "sh", "-c", "head -c 12000000 /dev/zero | tr '\\0' y")
    assert len(caught.value.truncated_output) == 10 << 20


def test_no_command_has_a_capability(sandbox):
    caps = run(sandbox, "grep", "Cap", "/proc/self/status").stdout.splitlines()
    assert len(caps) == 5
    assert {line.split()[1] for line in caps} == {"0" * 16}
    assert run(sandbox, "id", "-u").stdout.strip() != "0"


def test_namespaces_cannot_be_made(sandbox):
    assert run(sandbox, "unshare", "-U", "true").returncode != 0


def test_files_are_written_and_read_in_the_jail(sandbox):
    asyncio.run(sandbox.write_file("deep/er/a.txt", "一\r\n"))
    assert asyncio.run(sandbox.read_file("/scratch/deep/er/a.txt")) == "一\r\n"
    assert asyncio.run(sandbox.read_file("deep/er/a.txt", text=False)) == "一\r\n".encode()
    with pytest.raises(FileNotFoundError):
        asyncio.run(sandbox.read_file("nothing"))
    with pytest.raises(IsADirectoryError):
        asyncio.run(sandbox.read_file("deep"))
    with pytest.raises(IsADirectoryError):
        asyncio.run(sandbox.write_file("deep", "x"))
    with pytest.raises(PermissionError):
        asyncio.run(sandbox.write_file("/usr/x", "x"))
    run(sandbox, "ln", "-s", "/etc/shadow", "link")
    with pytest.raises(FileNotFoundError):  # the jail's own, which has none
        asyncio.run(sandbox.read_file("link"))


def test_input_environment_and_folder_arrive(sandbox):
    run(sandbox, "mkdir", "here")
    result = run(sandbox, "sh", "-c", "cat; echo $NAME; pwd", input="given ", env={"NAME": "v"}, cwd="here")
    assert result.stdout == "given v\n/scratch/here\n"
    assert run(sandbox, "no-such-program").returncode == 127


def test_what_stays_between_two_commands_is_what_each_provider_says(monkeypatch):
    monkeypatch.setattr(_sandbox, "_LIMITS", SMALL)
    for kind, stays in ((Bwrap, False), (BwrapSession, True)):
        sandbox = kind()
        run(sandbox, "sh", "-c", "touch /tmp/left kept; sleep 60 >/dev/null 2>&1 &")
        seen = run(sandbox, "sh", "-c", "ls /tmp/left kept 2>/dev/null; ps | grep -c sleep").stdout.split()
        sandbox.close()
        assert "kept" in seen
        assert ("/tmp/left" in seen) is stays
        assert seen[-1] == ("1" if stays else "0")


def test_several_commands_run_at_a_time_in_one_session():
    async def both(sandbox):
        return await asyncio.gather(*(sandbox.exec(["sleep", "1"]) for _ in range(3)))

    sandbox = BwrapSession()
    run(sandbox, "true")
    began = time.monotonic()
    asyncio.run(both(sandbox))
    assert time.monotonic() - began < 2.5
    sandbox.close()


def test_a_shell_that_is_lost_says_so_and_the_next_command_runs():
    with Shell(limits=SMALL) as shell:
        with pytest.raises(ShellLost, match="went down"):
            shell.run(["sh", "-c", "kill -9 $PPID; sleep 3"])
        assert shell.run(["echo", "again"]).out == b"again\n"

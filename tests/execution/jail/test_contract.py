"""What every jail promises, isolated or not."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from finassay.core import InputError, InternalError
from finassay.execution._jail import Jail, JailSession
from finassay.execution._types import Call, Limits, Mount, Outcome

from .conftest import host_processes

pytestmark = pytest.mark.jail
Start = Callable[..., JailSession]


def test_a_program_prints_and_ends_well(jail: Jail, start: Start) -> None:
    result = start(jail).run(Call("import sys\nprint('out')\nprint('err', file=sys.stderr)"))
    assert (result.outcome, result.exit_code, result.signal) == (Outcome.OK, 0, None)
    assert (result.stdout, result.stderr, result.error) == ("out\n", "err\n", None)
    assert not result.truncated
    assert 0 < result.wall_ms < 60_000
    assert 0 < result.cpu_ms < 60_000
    assert result.max_rss is not None
    assert 1 << 20 < result.max_rss < 1 << 32


def test_only_the_isolated_jail_says_it_is(jail: Jail, start: Start) -> None:
    session = start(jail)
    assert session.isolated == (jail.name == "bwrap")
    assert session.details["python"] == ".".join(map(str, sys.version_info[:3]))
    assert session.details["jail"].startswith("bubblewrap" if jail.name == "bwrap" else "none")


def test_an_exception_tells_its_line_in_the_program(jail: Jail, start: Start) -> None:
    code = "def f(x):\n    return 1 / x\n\n\nf(0)\n"
    result = start(jail).run(Call(code, filename="strategy.py"))
    assert (result.outcome, result.exit_code) == (Outcome.ERROR, 1)
    assert result.error is not None
    assert result.error["type"] == "ZeroDivisionError"
    assert result.error["message"] == "division by zero"
    assert result.error["line"] == 2
    assert 'File "strategy.py", line 5, in <module>\n    f(0)' in result.error["traceback"]
    assert "return 1 / x" in result.error["traceback"]
    assert "zygote" not in result.error["traceback"]
    assert result.stderr == result.error["traceback"]


def test_a_line_deep_in_a_library_is_reported_as_the_programs_own(jail: Jail, start: Start) -> None:
    result = start(jail).run(Call("import json\n\njson.loads('{')"))
    assert result.error is not None
    assert (result.error["type"], result.error["line"]) == ("JSONDecodeError", 3)


def test_a_syntax_error_tells_its_line(jail: Jail, start: Start) -> None:
    result = start(jail).run(Call("x = 1\ny = (\n", filename="p.py"))
    assert result.outcome is Outcome.ERROR
    assert result.error is not None
    assert (result.error["type"], result.error["line"]) == ("SyntaxError", 2)


@pytest.mark.parametrize(
    ("code", "outcome", "status", "stderr"),
    [
        ("import sys; sys.exit()", Outcome.OK, 0, ""),
        ("import sys; sys.exit(0)", Outcome.OK, 0, ""),
        ("import os; os._exit(0)", Outcome.OK, 0, ""),
        ("import sys; sys.exit(3)", Outcome.ERROR, 3, ""),
        ("import sys; sys.exit(256)", Outcome.ERROR, 1, ""),
        ("import sys; sys.exit('no data')", Outcome.ERROR, 1, "no data\n"),
        ("import os; os._exit(5)", Outcome.ERROR, 5, ""),
        ("raise SystemExit", Outcome.OK, 0, ""),
    ],
)
def test_exit_statuses(
    jail: Jail, start: Start, code: str, outcome: Outcome, status: int, stderr: str
) -> None:
    result = start(jail).run(Call(code))
    assert (result.outcome, result.exit_code, result.stderr) == (outcome, status, stderr)
    assert (result.error is None) == (outcome is Outcome.OK)
    if result.error is not None:
        assert result.error["type"] == "SystemExit"


def test_a_program_is_the_main_module(jail: Jail, start: Start) -> None:
    code = (
        "import sys, pickle\n"
        "class A: pass\n"
        "assert type(pickle.loads(pickle.dumps(A()))) is A\n"
        "assert sys.modules['__main__'].A is A\n"
        "print(__name__, __file__, sys.argv)\n"
    )
    assert start(jail).run(Call(code, filename="p.py")).stdout == "__main__ p.py ['p.py']\n"


def test_threads_and_exit_functions_finish_before_the_program_does(jail: Jail, start: Start) -> None:
    code = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'last')\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\n"
        "print('main')\n"
    )
    assert start(jail).run(Call(code)).stdout == "main\nthread\nlast\n"


def test_a_program_can_start_processes(jail: Jail, start: Start) -> None:
    code = (
        "import subprocess, sys, multiprocessing\n"
        "print(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip())\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1, 2]))\n"
    )
    result = start(jail).run(Call(code))
    assert result.stdout == "42\n[1, 2]\n", result


def test_nothing_leaks_from_call_to_call_but_the_scratch_folder(
    jail: Jail, start: Start, scratch: Path
) -> None:
    session = start(jail)
    first = "import os, sys, math\nmath.pi = 3\nx = 1\nos.environ['X'] = '1'\nos.umask(0)\nos.chdir('/')\n"
    keep = "open('/tmp/finassay-keep' if JAILED else '/dev/null', 'w')\nopen(HERE + '/kept.txt', 'w').write('kept')\n"
    where = f"import os\nHERE = os.getcwd()\nJAILED = {jail.name == 'bwrap'}\n"
    assert session.run(Call(where + first + keep)).outcome is Outcome.OK
    second = (
        "import math, os, sys\n"
        "print(round(math.pi, 2), 'x' in globals(), 'X' in os.environ, oct(os.umask(0)), sorted(os.listdir('.')))\n"
        "print(os.path.exists('/tmp/finassay-keep'))\n"
    )
    assert session.run(Call(second)).stdout == "3.14 False False 0o22 ['kept.txt']\nFalse\n"
    assert (scratch / "kept.txt").read_text() == "kept"


def test_room_that_the_host_made_between_two_calls_is_not_given_to_the_program(
    jail: Jail, start: Start, scratch: Path
) -> None:
    session = start(jail)
    write = "open('big', 'wb').write(bytes({} << 20))\nimport time\ntime.sleep(1)\n"
    assert session.run(Call(write.format(8), limits=Limits(scratch=64 << 20))).outcome is Outcome.OK
    (scratch / "big").unlink()
    result = session.run(Call(write.format(4), limits=Limits(scratch=1 << 20)))
    assert (result.outcome, (result.error or {}).get("type")) == (Outcome.KILLED, "ScratchLimit"), result


def test_a_module_in_the_scratch_folder_can_be_imported(jail: Jail, start: Start, scratch: Path) -> None:
    (scratch / "helper.py").write_text("value = 7\n")
    assert start(jail).run(Call("import helper; print(helper.value)")).stdout == "7\n"


def test_the_hosts_environment_is_not_seen(jail: Jail, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    session = start(jail, env={"DB_HOST": "127.0.0.1"})
    names = "('OPENAI_API_KEY', 'DB_HOST', 'TZ', 'EXTRA')"
    code = f"import os; print(*(os.environ.get(name) for name in {names}))"
    assert session.run(Call(code, env={"EXTRA": "1"})).stdout == "None 127.0.0.1 UTC 1\n"
    assert session.run(Call(code)).stdout == "None 127.0.0.1 UTC None\n"


def test_hashes_of_text_are_the_same_in_every_session(jail: Jail, start: Start) -> None:
    code = "print([hash(word) for word in ('close', 'open', 'volume')], list({'a', 'b', 'c'}))"
    assert start(jail).run(Call(code)).stdout == start(jail).run(Call(code)).stdout


def test_output_is_capped_and_the_rest_is_read_and_forgotten(jail: Jail, start: Start) -> None:
    code = "import sys\nprint('é' * 3_000_000)\nprint('x' * 10, file=sys.stderr)\nprint('end')"
    result = start(jail).run(Call(code, limits=Limits(output_chars=1000)))
    assert (result.outcome, result.stdout, result.stderr) == (Outcome.OK, "é" * 1000, "x" * 10 + "\n")
    assert result.truncated


def test_output_of_just_the_cap_is_not_truncated(jail: Jail, start: Start) -> None:
    result = start(jail).run(Call("print('x' * 9)", limits=Limits(output_chars=10)))
    assert (result.stdout, result.truncated) == ("x" * 9 + "\n", False)


def test_what_was_printed_before_the_time_was_up_is_kept(jail: Jail, start: Start) -> None:
    result = start(jail).run(Call("print('so far')\nwhile True: pass", limits=Limits(wall_s=1)))
    assert (result.outcome, result.stdout) == (Outcome.TIMEOUT, "so far\n")
    assert result.error is not None
    assert result.error["message"] == "It ran longer than 1 s."
    assert 900 < result.wall_ms < 6000


def test_a_large_program_and_a_large_message_pass(jail: Jail, start: Start) -> None:
    code = "x = '''" + "y" * 3_000_000 + "'''\nprint(len(x))\nraise ValueError('z' * 19_000)"
    result = start(jail).run(Call(code))
    assert result.stdout == "3000000\n"
    assert result.error is not None
    assert result.error["message"] == "z" * 19_000


def test_modules_are_preloaded_and_those_not_there_left_out(jail: Jail, start: Start) -> None:
    session = start(jail, preload=("decimal", "no_such_module"))
    assert session.details["preloaded"] == "decimal"
    assert session.run(Call("import sys; print('decimal' in sys.modules)")).stdout == "True\n"


def test_a_mount_is_read_only_in_place(jail: Jail, start: Start, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("1,2\n")
    session = start(jail, mounts=[Mount(tmp_path / "prices.csv", "/scratch/prices.csv")])
    assert session.run(Call("print(open('prices.csv').read())")).stdout == "1,2\n\n"
    if session.isolated:
        assert session.run(Call("open('prices.csv', 'w')")).outcome is Outcome.ERROR
    assert (tmp_path / "prices.csv").read_text() == "1,2\n"


def test_sockets_are_reached(jail: Jail, start: Start, tmp_path: Path) -> None:
    import socket

    folder = tmp_path / "sockets"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "native.sock"))
        listener.listen()
        session = start(jail, sockets=folder, env={"FINASSAY_SOCKETS": "/run/finassay/sockets"})
        code = (
            "import os, socket\nwith socket.socket(socket.AF_UNIX) as s:\n"
            "    s.connect(os.environ['FINASSAY_SOCKETS'] + '/native.sock')\n    s.sendall(b'hello')\n"
        )
        result = session.run(Call(code))
        assert result.outcome is Outcome.OK, result
        with listener.accept()[0] as client:
            assert client.recv(10) == b"hello"


RELAY = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", int(os.environ["DB_PORT"])))
sys.stdout.write("ready\\n")
sys.stdout.flush()
while True:
    client, _ = server.accept()
    client.sendall(b"relayed")
    client.close()
"""
ASK = """
import os, socket
print(socket.create_connection(("127.0.0.1", int(os.environ["DB_PORT"]))).recv(10))
"""


def test_the_relay_runs_in_the_background_of_every_call(jail: Jail, start: Start, tmp_path: Path) -> None:
    import socket

    (tmp_path / "relay.py").write_text(RELAY)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    mount = Mount(tmp_path / "relay.py", "/run/finassay/finassay_relay.py")
    session = start(jail, mounts=[mount], env={"DB_PORT": port})
    for _ in range(3):
        assert session.run(Call(ASK)).stdout == "b'relayed'\n"
    kill_it = (
        "import os\nfor n in os.listdir('/proc'):\n"
        "    if n.isdigit() and int(n) not in (1, os.getpid()): os.kill(int(n), 9)\n"
    )
    if session.isolated:
        assert session.run(Call(kill_it)).outcome is Outcome.OK
        assert session.run(Call(ASK)).stdout == "b'relayed'\n"


def test_calls_from_many_threads_wait_for_each_other(jail: Jail, start: Start) -> None:
    session = start(jail)
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda k=k: results.append(session.run(Call(f"print({k})")).stdout))
        for k in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [f"{k}\n" for k in range(6)]


def test_a_session_outlives_the_thread_that_started_it(jail: Jail, start: Start) -> None:
    sessions: list[JailSession] = []
    thread = threading.Thread(target=lambda: sessions.append(start(jail)))
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert sessions[0].run(Call("print(1)")).stdout == "1\n"


def test_closing_leaves_no_process_and_can_be_done_twice(jail: Jail, start: Start, scratch: Path) -> None:
    session = start(jail, env={"MARK": str(scratch)})
    session.run(Call("import os, time\nif os.fork() == 0: time.sleep(100)"))
    assert host_processes(f"MARK={scratch}")
    session.close()
    assert not host_processes(f"MARK={scratch}")
    session.close()
    with pytest.raises(InternalError, match="closed"):
        session.run(Call("print(1)"))


def test_a_lost_zygote_is_the_programs_doing_and_the_next_call_gets_another(jail: Jail, start: Start) -> None:
    session = start(jail)

    def kill_from_outside() -> None:
        time.sleep(0.7)
        zygote = session._zygote
        os.kill(zygote.leader or zygote.process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_from_outside)
    killer.start()
    result = session.run(
        Call("print('before', flush=True)\nimport time; time.sleep(30)", limits=Limits(wall_s=20))
    )
    killer.join()
    assert (result.outcome, result.stdout) == (Outcome.KILLED, "before\n")
    assert session.run(Call("print('again')")).stdout == "again\n"


def test_without_isolation_a_program_can_kill_its_keeper_and_nothing_worse_follows(start: Start) -> None:
    from finassay.execution._nojail import NoJail

    session = start(NoJail())
    for _ in range(2):
        result = session.run(Call("import os; os.kill(os.getppid(), 9); import time; time.sleep(20)"))
        assert result.outcome is Outcome.KILLED
        assert session.run(Call("print(1)")).stdout == "1\n"


@pytest.mark.parametrize("change", ["python", "scratch", "mount"])
def test_what_cannot_be_used_is_refused(jail: Jail, start: Start, tmp_path: Path, change: str) -> None:
    missing = tmp_path / "missing"
    options: dict[str, object] = {
        "python": {"python": missing},
        "scratch": {"scratch": missing},
        "mount": {"mounts": [Mount(missing, "/scratch/x")]},
    }[change]
    with pytest.raises(InputError, match="missing"):
        start(jail, **options)


def test_an_interpreter_that_does_not_run_is_refused(jail: Jail, start: Start, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no such library' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(InputError, match="no such library"):
        start(jail, python=broken)


def test_each_call_brings_its_own_limits(jail: Jail, start: Start) -> None:
    session = start(jail)
    hold = "x = bytearray({} << 20)\nprint(len(x) >> 20)"
    wide, narrow = Limits(memory=2 << 30), Limits(memory=128 << 20)
    for _ in range(2):
        assert session.run(Call(hold.format(600), limits=wide)).stdout == "600\n"
        assert session.run(Call(hold.format(600), limits=narrow)).outcome is Outcome.MEMORY
        assert session.run(Call(hold.format(60), limits=narrow)).stdout == "60\n"


LIBRARIES = """
import io, os
import duckdb, numpy as np, pandas as pd, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
frame = pd.DataFrame({"code": list("aabb") * 50_000, "close": np.arange(200_000.0)})
print(frame.groupby("code")["close"].mean().tolist())
print(duckdb.sql("SELECT code, sum(close) FROM frame GROUP BY ALL ORDER BY ALL").fetchall())
table = pa.Table.from_pandas(frame, preserve_index=False)
pq.write_table(table, "t.parquet")
print(pq.read_table("t.parquet", use_threads=True).num_rows, pc.sum(table["close"]).as_py())
print(np.linalg.solve(np.eye(200) * 2, np.ones(200)).sum())
"""


def test_preloaded_libraries_work_after_the_fork(jail: Jail, start: Start) -> None:
    """Threads do not survive a fork: a library that started some when it was imported would hang here.

    Sums of 0..199,999 by pairs: codes a are rows 0, 1, 4, 5, ..; their mean is 99,998.5, of b 100,000.5.
    """
    session = start(jail, preload=("pandas", "duckdb", "numpy", "pyarrow"))
    for _ in range(2):
        result = session.run(Call(LIBRARIES, limits=Limits(wall_s=60)))
        assert result.stdout.splitlines() == [
            "[99998.5, 100000.5]",
            "[('a', 9999850000.0), ('b', 10000050000.0)]",
            "200000 19999900000.0",
            "100.0",
        ], result


@pytest.mark.parametrize("place", ["/scratch/library", "/tmp/deep/library"])
def test_what_is_mounted_is_neither_counted_nor_removed(
    jail: Jail, start: Start, tmp_path: Path, place: str
) -> None:
    """A library of more files than a program may make lies beside it, or the interpreter itself below /tmp."""
    if jail.name == "none" and place.startswith("/tmp"):
        pytest.skip("without a jail nothing can be mounted there")
    library = tmp_path / "library"
    library.mkdir()
    for number in range(20_500):
        (library / str(number)).touch()
    session = start(jail, mounts=[Mount(library, place)])
    for _ in range(2):
        result = session.run(
            Call(
                f"import os, time\nprint(len(os.listdir({place.removeprefix('/scratch/')!r})))\ntime.sleep(0.5)"
            )
        )
        assert (result.outcome, result.stdout) == (Outcome.OK, "20500\n"), result.error

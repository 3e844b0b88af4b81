"""Every attack ends in the right outcome, the host is as it was, and the next call works.

An attack is a program in ``attacks/``. Its comment lines say what it tries and how it must end: ``ends`` an outcome (by
default ok), ``error`` the type of the error, ``signal``, ``prints`` its whole output, ``truncated``, ``limits``,
``leaves_no`` a file that must not appear later, ``needs`` a module to preload, ``machine``, and the ``jails`` that hold
it (by default bubblewrap alone; what no jail at all holds too is its contract).
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import platform
import re
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from finassay.execution._jail import JailSession, remove_scratch
from finassay.execution._types import Call, Limits, Mount

from .conftest import host_processes, the_jail

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.py"))
GENEROUS = Limits(wall_s=20, cpu_s=20, memory=1 << 30, processes=32)


def header(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^# (\w+): (.*)$", path.read_text("utf-8"), re.MULTILINE))


CASES = [
    pytest.param(path, jail, id=f"{path.stem}-{jail}")
    for path in ATTACKS
    for jail in header(path).get("jails", "bwrap").split()
]


@dataclasses.dataclass
class Host:
    """What the attacks are after."""

    env: dict[str, str]
    prices: Path
    connections: socket.socket


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    reference = folder / "reference" / "answers.json"
    reference.parent.mkdir()
    reference.write_text("42")
    prices = folder / "prices.csv"
    prices.write_text("date,close\n")
    name = f"finassay-test-{os.getpid()}"
    os.environ["FINASSAY_TEST_SECRET"] = "a secret of the host"
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + name)
        abstract.listen()
        listener.settimeout(0)
        port = str(listener.getsockname()[1])
        yield Host({"HOST_PORT": port, "HOST_ABSTRACT": name, "REFERENCE": str(reference)}, prices, listener)
    del os.environ["FINASSAY_TEST_SECRET"]
    assert reference.read_text() == "42"
    assert prices.read_text() == "date,close\n"


@pytest.fixture(scope="module")
def sessions(
    host: Host, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], tuple[JailSession, Path]]]:
    """Jails by name and preloaded module, started when first needed: one attack must not help the next."""

    class Sessions(dict[tuple[str, str], tuple[JailSession, Path]]):
        def __missing__(self, key: tuple[str, str]) -> tuple[JailSession, Path]:
            name, needs = key
            scratch = tmp_path_factory.mktemp("attacked")
            mounts = [Mount(host.prices, "/data/prices.csv")] if name != "none" else []
            preload = (needs,) if needs else ()
            session = the_jail(name).start(
                python=Path(sys.executable),
                scratch=scratch,
                mounts=mounts,
                preload=preload,
                limits=GENEROUS,
                env={"MARK": str(scratch)},
            )
            self[key] = session, scratch
            return self[key]

    found = Sessions()
    yield found
    for session, scratch in found.values():
        session.close()
        remove_scratch(scratch)


@pytest.mark.jail
@pytest.mark.parametrize(("attack", "jail"), CASES)
def test_the_attack_ends_as_it_must(
    attack: Path, jail: str, host: Host, sessions: dict[tuple[str, str], tuple[JailSession, Path]]
) -> None:
    expected = header(attack)
    if expected.get("machine", platform.machine()) != platform.machine():
        pytest.skip(f"an attack on {expected['machine']}")
    needs = expected.get("needs", "")
    if needs and importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    session, scratch = sessions[jail, needs]
    given = {k: float(v) for k, v in (pair.split("=") for pair in expected.get("limits", "").split())}
    changes = {k: v if k.endswith("_s") else int(v) for k, v in given.items()}
    limits = dataclasses.replace(GENEROUS, **changes)

    keepers = host_processes(f"MARK={scratch}")
    began = time.monotonic()
    result = session.run(Call(attack.read_text("utf-8"), filename=attack.name, env=host.env, limits=limits))
    took = time.monotonic() - began

    said = f"{result}"[:3000]
    assert result.outcome == expected.get("ends", "ok"), said
    assert took < limits.wall_s + 6, said
    if "prints" in expected:
        assert result.stdout.strip() == expected["prints"], said
    if "error" in expected:
        assert result.error is not None, said
        assert result.error["type"] == expected["error"], said
    if "signal" in expected:
        assert result.signal == int(expected["signal"]), said
    assert result.truncated == (expected.get("truncated") == "yes")
    assert max(len(result.stdout), len(result.stderr)) <= limits.output_chars

    assert host_processes(f"MARK={scratch}") == keepers  # whatever it started is gone
    # The jail's own modules, and what a process may be given beyond its limit to say that it met it.
    assert (result.max_rss or 0) <= limits.memory + (300 << 20), said
    with pytest.raises(BlockingIOError):
        host.connections.accept()  # nobody came in from the jail
    if "leaves_no" in expected:
        time.sleep(1.5)
        assert not (scratch / expected["leaves_no"]).exists()
    after = session.run(Call(AFTER, env={"JAIL": jail}, limits=GENEROUS))
    assert (after.outcome, after.stdout) == ("ok", "as new\n"), after
    for left in scratch.iterdir():
        remove_scratch(left) if left.is_dir() else left.unlink()


AFTER = """
import builtins, json, os, sys, traceback
assert json.dumps({}) == "{}"
assert builtins.isinstance(1, int) and not builtins.isinstance(1, str) and traceback.walk_tb
if os.environ["JAIL"] != "none":
    assert not os.listdir("/tmp") and not os.listdir("/dev/shm")
print("as new")
"""

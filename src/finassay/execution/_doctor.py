"""Examine the jail of this machine by starting one and attacking it from within."""

from __future__ import annotations

import platform as platform_module
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from finassay.core import FinassayError
from finassay.execution import _machine
from finassay.execution._folders import hold_folder
from finassay.execution._jail import find_jail
from finassay.execution._types import Call, CallResult, Limits, Outcome

_LIMITS = Limits(wall_s=10, cpu_s=2, memory=256 << 20, file_size=1 << 20, scratch=8 << 20, processes=16)


@dataclass(frozen=True)
class Attack:
    """Something a hostile program tries, and how it must end; ``prints`` is what it says when it was held back."""

    name: str
    code: str
    ends: Outcome = Outcome.OK
    prints: str = ""


ATTACKS = (
    Attack(
        "reach the network",
        "import socket\ntry: socket.create_connection(('192.0.2.1', 80), timeout=2)\nexcept OSError: print('held')\n",
        prints="held",
    ),
    Attack(
        "see other interfaces than the loopback",
        "lines = open('/proc/net/dev').read().splitlines()[2:]\nprint(sorted(l.split(':')[0].strip() for l in lines))",
        prints="['lo']",
    ),
    Attack(
        "see processes of the host",
        "import os\nprint(len([n for n in os.listdir('/proc') if n.isdigit()]) <= 3)",
        prints="True",
    ),
    Attack("read /etc/shadow", "import os\nprint(os.path.exists('/etc/shadow'))", prints="False"),
    Attack(
        "write to the system",
        "try: open('/usr/x', 'w')\nexcept OSError: print('held')",
        prints="held",
    ),
    Attack(
        "have capabilities",
        "print({l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapPrm'))})",
        prints="{'0000000000000000'}",
    ),
    Attack(
        "make a namespace",
        "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))",
        prints="-1",
    ),
    Attack("take all memory", "x = bytearray(8 << 30)", Outcome.MEMORY),
    Attack("compute for ever", "while True: pass", Outcome.TIMEOUT),
    Attack("fill the disk", "open('x', 'wb').write(bytes(64 << 20))", Outcome.ERROR),
    Attack(
        "start processes without end",
        "import os, time\ntry:\n    for _ in range(200):\n        if os.fork() == 0: time.sleep(5); os._exit(0)\n"
        "except OSError: print('held')",
        prints="held",
    ),
    Attack(
        "kill its keeper", "import os\nfor n in (9, 19, 15, 2): os.kill(1, n)\nprint('held')", prints="held"
    ),
)


@dataclass(frozen=True)
class Examination:
    """What isolation this machine gives.

    Attributes
    ----------
    available : bool
        Whether a jail can be had and held every attack.
    problem : dict or None
        The refusal, where there is no jail: ``reason``, ``message``, ``hint``.
    machine : mapping
        ``system``, ``kernel``, ``architecture``, and the bubblewraps that were tried.
    jail : mapping of str to str
        What the jail enforces; empty without one.
    attacks : mapping of str to bool
        Whether each attack was held back; empty without a jail.
    advice : tuple of str
        What would give more.
    """

    available: bool
    problem: Mapping[str, Any] | None
    machine: Mapping[str, Any]
    jail: Mapping[str, str]
    attacks: Mapping[str, bool]
    advice: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        return asdict(self)


def examine(python: Path | None = None, platform: str | None = None) -> Examination:
    """Start a jail and attack it.

    Parameters
    ----------
    python : Path, optional
        Interpreter or virtual environment; by default this one.
    platform : str, optional
        As ``sys.platform`` says it; by default this machine's.
    """
    system = platform or sys.platform
    machine: dict[str, Any] = {
        "system": system,
        "kernel": platform_module.release(),
        "architecture": platform_module.machine(),
    }
    linux = system.startswith("linux")
    if linux:
        machine["bubblewrap"] = [asdict(attempt) for attempt in _machine.try_bubblewraps()]
    try:
        details, attacks = _attack(python or Path(sys.executable), system)
    except FinassayError as error:
        advice = tuple(_machine.advice()) if linux else ()
        return Examination(False, error.as_dict(), machine, {}, {}, advice)
    return Examination(all(attacks.values()), None, machine, details, attacks, tuple(_more(details)))


def _attack(python: Path, platform: str) -> tuple[dict[str, str], dict[str, bool]]:
    scratch = hold_folder()
    try:
        with find_jail(platform=platform).start(python=python, scratch=scratch.path, preload=()) as session:
            held = {
                attack.name: _held(attack, session.run(Call(attack.code, limits=_LIMITS)))
                for attack in ATTACKS
            }
            return dict(session.details), held
    finally:
        scratch.remove()


def _held(attack: Attack, result: CallResult) -> bool:
    return result.outcome is attack.ends and result.stdout.strip() == attack.prints


def _more(details: Mapping[str, str]) -> list[str]:
    more = []
    if "memory" not in details["cgroups"]:
        more.append(
            "The memory of all processes together is measured every 0.1 s rather than limited by the kernel, for want "
            "of a control group that may be written; start finassay with 'systemd-run --user --scope -p Delegate=yes'."
        )
    if details["seccomp"] != "on":
        more.append("System calls are not filtered on this processor.")
    if details["processes"] != "limited":
        more.append("Processes cannot be counted per jail before Linux 5.14 without a control group.")
    return more

"""Give up every privilege."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47


def confine(config: dict[str, Any]) -> None:
    """Give up every privilege before anything of the user's or the candidate's is loaded."""
    os.umask(0o022)
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if config["uid"] is not None:
        drop_to(libc, config["uid"])
    if not config["contained"]:
        must(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return
    must(libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0))
    must(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
    must(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    if config["seccomp"]:
        code = bytes.fromhex(config["seccomp"])
        buffer = ctypes.create_string_buffer(code, len(code))
        # struct sock_fprog: a length, padding, and the address of the instructions
        program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
        must(libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0))


def drop_to(libc: Any, uid: int) -> None:
    """Become an ordinary user for good: identity, groups and every set of capabilities."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            break
    must(libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    header = struct.pack("=Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    must(libc.capset(header, bytes(24)))


def must(code: int) -> None:
    """Stop where the kernel refused to take a privilege away."""
    if code != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))

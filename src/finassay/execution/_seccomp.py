"""The system-call filter of the jail, assembled here as classic BPF for the kernel's seccomp.

A call that no research program needs is refused with an error number, so that libraries that merely try it go on. The
rules follow two published practices: Docker's default profile (what a container may not call) and systemd's
``RestrictSUIDSGID`` (no setuid bits).
"""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_X32_BIT = 0x40000000

_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_SET_ID_BITS = 0o6000
_CREATES = 0x400040  # O_CREAT, O_TMPFILE: without them an open has no mode
_FAMILIES = (1, 2, 10)  # AF_UNIX for the broker, AF_INET and AF_INET6 for the relay on the loopback
_PR_SET_DUMPABLE = 4


@dataclass(frozen=True)
class _Architecture:
    audit: int
    numbers: dict[str, int]


_SINCE_5_1 = {  # the same numbers on every architecture
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "openat2": 437, "pidfd_getfd": 438,
    "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447, "fchmodat2": 452,
}  # fmt: skip
_X86_64 = {
    "open": 2, "creat": 85, "openat": 257,
    "shmget": 29, "shmat": 30, "socket": 41, "clone": 56, "semget": 64, "msgget": 68, "chmod": 90, "fchmod": 91,
    "ptrace": 101, "syslog": 103, "mknod": 133, "uselib": 134, "personality": 135, "vhangup": 153, "modify_ldt": 154,
    "pivot_root": 155, "prctl": 157, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171,
    "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "clock_settime": 227,
    "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "mknodat": 259,
    "fchmodat": 268, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "finit_module": 313, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "openat": 56,
    "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "fchmod": 52, "fchmodat": 53,
    "vhangup": 58, "quotactl": 60, "acct": 89, "personality": 92, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142,
    "sethostname": 161, "setdomainname": 162, "prctl": 167, "settimeofday": 170, "adjtimex": 171, "mq_open": 180,
    "msgget": 186, "semget": 190, "shmget": 194, "shmat": 196, "socket": 198, "add_key": 217, "request_key": 218,
    "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "perf_event_open": 241, "fanotify_init": 262,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "memfd_create": 279,
    "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip
_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, _X86_64 | _SINCE_5_1),
    "aarch64": _Architecture(0xC00000B7, _AARCH64 | _SINCE_5_1),
}

# Libraries probe for these and know how to do without: "not implemented" sends them to the older way, whose arguments
# the filter can see (clone3 and openat2 hide theirs behind a pointer). memfd_create and System V memory would hold
# memory that no process limit counts.
_ABSENT = (
    "clone3",
    "openat2",
    "memfd_create",
    "memfd_secret",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
)
_WITH_ARGUMENTS = (
    *("clone", "socket", "prctl", "open", "openat", "creat"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "mknod", "mknodat"),
)


def seccomp_filter(machine: str) -> bytes | None:
    """Assemble the filter for a machine.

    Parameters
    ----------
    machine : str
        As ``platform.machine()`` says it.

    Returns
    -------
    bytes or None
        An array of ``struct sock_filter`` in the machine's byte order; None for a machine whose system-call numbers are
        not listed here.
    """
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        return None
    numbers = architecture.numbers
    program = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_JUMP_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if machine == "x86_64":
        program += [(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT), (_RETURN, 0, 0, _refuse(errno.ENOSYS))]
    for name, number in numbers.items():
        if name not in _WITH_ARGUMENTS:
            code = errno.ENOSYS if name in _ABSENT else errno.EPERM
            program += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _refuse(code))]
    for name in _WITH_ARGUMENTS:
        if name in numbers:
            rule = _argument_rule(name)
            program += [(_JUMP_EQUAL, 0, len(rule), numbers[name]), *rule]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _refuse(code: int) -> int:
    return _ERROR | code


def _argument(index: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index)


def _argument_rule(name: str) -> list[tuple[int, int, int, int]]:
    """Return what follows once the call is known; it always ends in a return."""
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _refuse(errno.EPERM))
    if name == "clone":
        return [_argument(0), (_JUMP_BITS, 0, 1, _NEW_NAMESPACES), refuse, allow]
    if name == "socket":
        known = [(_JUMP_EQUAL, len(_FAMILIES) - k, 0, family) for k, family in enumerate(_FAMILIES)]
        return [_argument(0), *known, (_RETURN, 0, 0, _refuse(errno.EAFNOSUPPORT)), allow]
    if name == "prctl":  # a process that hides its descriptors would hide deleted files from the size limit
        hide = [(_JUMP_EQUAL, 0, 3, _PR_SET_DUMPABLE), _argument(1), (_JUMP_EQUAL, 0, 1, 0), refuse]
        return [_argument(0), *hide, allow]
    if name in ("open", "openat"):
        flags_at = 1 if name == "open" else 2
        create = [_argument(flags_at), (_JUMP_BITS, 0, 3, _CREATES), _argument(flags_at + 1)]
        return [*create, (_JUMP_BITS, 0, 1, _SET_ID_BITS), refuse, allow]
    mode_at = {"chmod": 1, "fchmod": 1, "mknod": 1, "creat": 1}.get(name, 2)
    return [_argument(mode_at), (_JUMP_BITS, 0, 1, _SET_ID_BITS), refuse, allow]

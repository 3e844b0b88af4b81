"""The system-call filter: its numbers are the kernel's, and the program it assembles decides as it should."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from finassay.execution import _seccomp

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
AUDIT = {
    "x86_64": 0xC000003E,
    "aarch64": 0xC00000B7,
}  # linux/audit.h: EM_X86_64 = 62, EM_AARCH64 = 183, with flags
ALLOWED = 0x7FFF0000
KILLED = 0x80000000


def decide(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Run classic BPF over a `struct seccomp_data`: what the kernel does."""
    padded = [value & (2**64 - 1) for value in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    data = struct.pack("=IIQ6Q", number, audit, 0, *padded)
    accumulator = counter = 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, 8 * counter)
        counter += 1
        if code == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x06:  # BPF_RET | BPF_K
            return value
        else:
            taken = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[
                code
            ]
            counter += yes if taken else no


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"the kernel's headers are not installed (no {HEADERS[machine]})")
    text = HEADERS[machine].read_text()
    stated = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    ours = _seccomp._ARCHITECTURES[machine].numbers
    newer = {name for name in ours if name not in stated}
    assert newer <= {"fchmodat2"}  # Linux 6.6
    assert {name: stated[name] for name in ours if name not in newer} == {
        name: number for name, number in ours.items() if name not in newer
    }


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_call_is_decided(machine: str) -> None:
    program, audit = _seccomp.seccomp_filter(machine), AUDIT[machine]
    assert program is not None
    numbers = _seccomp._ARCHITECTURES[machine].numbers
    refused = 0x00050000 | errno.EPERM
    absent = 0x00050000 | errno.ENOSYS

    def of(name: str, *arguments: int) -> int:
        return decide(program, audit, numbers[name], *arguments)

    assert of("ptrace") == of("mount") == of("unshare") == of("setns") == of("bpf") == of("keyctl") == refused
    assert of("clone3") == of("io_uring_setup") == of("memfd_create") == of("openat2") == absent
    assert of("clone", 0x01200011) == ALLOWED  # fork
    assert of("clone", 0x003D0F00) == ALLOWED  # a thread
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert of("clone", namespace | 17) == refused
    assert [of("socket", family) for family in (1, 2, 10)] == [ALLOWED] * 3
    assert {of("socket", family) for family in (0, 3, 16, 17, 31, 38, 40)} == {
        0x00050000 | errno.EAFNOSUPPORT
    }
    assert of("prctl", 4, 0) == refused
    assert of("prctl", 4, 1) == of("prctl", 15, 0) == ALLOWED
    assert of("fchmod", 3, 0o755) == of("fchmodat", -100, 0, 0o1777) == ALLOWED
    assert (
        of("fchmod", 3, 0o4755)
        == of("fchmodat", -100, 0, 0o2755)
        == of("fchmodat2", -100, 0, 0o4755)
        == refused
    )
    assert of("openat", -100, 0, 0o101, 0o644) == of("openat", -100, 0, 0, 0o4644) == ALLOWED
    assert of("openat", -100, 0, 0o101, 0o4755) == refused
    assert of("mknodat", -100, 0, 0o104755) == refused
    others = set(range(500)) - set(numbers.values())
    assert {decide(program, audit, number) for number in others} == {ALLOWED}


def test_another_architecture_is_killed_and_the_x32_interface_absent() -> None:
    program = _seccomp.seccomp_filter("x86_64")
    assert program is not None
    assert decide(program, 0x40000003, 20) == KILLED  # AUDIT_ARCH_I386
    assert decide(program, AUDIT["x86_64"], 0x40000000 | 39) == 0x00050000 | errno.ENOSYS
    assert decide(program, AUDIT["x86_64"], 0x40000000 | 101) == 0x00050000 | errno.ENOSYS


def test_an_unknown_processor_has_no_filter() -> None:
    assert _seccomp.seccomp_filter("riscv64") is None

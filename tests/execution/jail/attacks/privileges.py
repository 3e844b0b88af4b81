# Gain privileges: namespaces, mounts, other users, other roots, tracing, kernel modules, BPF, keys.
# prints: all held
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
NEWUSER, NEWNS, NEWNET, NEWPID = 0x10000000, 0x00020000, 0x40000000, 0x20000000
null = ctypes.c_void_p(0)
attempts = {
    "unshare user": lambda: libc.unshare(NEWUSER),
    "unshare mounts": lambda: libc.unshare(NEWNS),
    "unshare net": lambda: libc.unshare(NEWNET),
    "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, null),
    "remount": lambda: libc.mount(b"none", b"/usr", null, 32, null),
    "umount": lambda: libc.umount2(b"/scratch", 2),
    "chroot": lambda: libc.chroot(b"/tmp"),
    "setuid": lambda: libc.setresuid(0, 0, 0),
    "setgid": lambda: libc.setresgid(0, 0, 0),
    "setgroups": lambda: libc.setgroups(1, (ctypes.c_uint * 1)(0)),
    "setns": lambda: libc.setns(0, 0),
    "ptrace": lambda: libc.ptrace(0, 0, 0, 0),
    "personality": lambda: libc.personality(0x0040000),
    "sethostname": lambda: libc.sethostname(b"x", 1),
    "reboot": lambda: libc.reboot(0xCAD),
    "swapon": lambda: libc.swapon(b"/scratch/x", 0),
    "quotactl": lambda: libc.quotactl(0, b"/", 0, null),
    "settimeofday": lambda: libc.clock_settime(0, (ctypes.c_long * 2)(0, 0)),
}
if platform.machine() == "x86_64":
    numbers = {
        "clone with a user namespace": (56, NEWUSER | 17, 0, 0, 0, 0),
        "clone with a process namespace": (56, NEWPID | 17, 0, 0, 0, 0),
        "clone3": (435, 0, 0),
        "bpf": (321, 0, 0, 0),
        "perf_event_open": (298, 0, 0, -1, -1, 0),
        "userfaultfd": (323, 0),
        "keyctl": (250, 0, -3, 0),
        "add_key": (248, b"user", b"k", b"v", 1, -3),
        "request_key": (249, b"user", b"k", 0, -3),
        "open_by_handle_at": (304, -100, 0, 0),
        "kexec_load": (246, 0, 0, 0, 0),
        "init_module": (175, 0, 0, b""),
        "finit_module": (313, 0, b"", 0),
        "io_uring_setup": (425, 8, 0),
        "iopl": (172, 3),
        "open_tree": (428, -100, b"/", 1),
        "fsopen": (430, b"tmpfs", 0),
        "move_mount": (429, -1, b"", -1, b"", 0),
        "pivot_root": (155, b"/", b"/"),
        "getpid of the x32 interface": (0x40000000 | 39,),
    }
    for name, call in numbers.items():
        attempts[name] = lambda call=call: libc.syscall(*call)
failed = [name for name, attempt in attempts.items() if attempt() != -1]
print("NOT HELD:" if failed else "all held", *failed)

# Look into the keeper, write into its memory, take its descriptors.
# prints: ['held', 'held', 'held', 'held', 'held', 'held']
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def tried(action):
    try:
        return "held" if action() == -1 else "NOT HELD"
    except OSError:
        return "held"


def take_a_descriptor():
    pidfd = os.pidfd_open(1)
    return max(libc.syscall(438, pidfd, number, 0) for number in range(20))


buffer = ctypes.create_string_buffer(8)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
print([
    tried(lambda: open("/proc/1/mem", "r+b")),
    tried(lambda: os.listdir("/proc/1/fd")),
    tried(lambda: open("/proc/1/environ").read()),
    tried(lambda: libc.ptrace(16, 1, 0, 0)),
    tried(lambda: libc.process_vm_writev(1, vector, 1, vector, 1, 0)),
    tried(take_a_descriptor),
])

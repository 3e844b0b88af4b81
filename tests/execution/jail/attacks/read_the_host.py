# Read what the host has: passwords, a reference, homes, the kernel's log, the environment.
# prints: ['held', 'held', 'held', 'held', 'held', 'held']
import os


def tried(action):
    try:
        found = action()
    except OSError:
        return "held"
    return f"NOT HELD: {found!r}"[:200]


def secret():
    if "FINASSAY_TEST_SECRET" not in os.environ and b"FINASSAY_TEST_SECRET" not in open("/proc/self/environ", "rb").read():
        raise OSError
    return "secret"


print([
    tried(lambda: open("/etc/shadow").read()),
    tried(lambda: open(os.environ["REFERENCE"]).read()),
    tried(lambda: os.listdir(os.path.dirname(os.environ["REFERENCE"]))),
    tried(lambda: os.listdir("/home")),
    tried(lambda: open("/dev/kmsg", "rb").read(10)),
    tried(secret),
])

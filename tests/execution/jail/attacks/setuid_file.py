# Make a file that would run as its owner: for the host's user, that is a way out.
# prints: held held held held
import os

open("tool", "w").close()


def tried(action):
    try:
        action()
    except OSError:
        return "held"
    return "NOT HELD"


print(
    tried(lambda: os.chmod("tool", 0o4755)),
    tried(lambda: os.chmod("tool", 0o2755)),
    tried(lambda: os.open("tool2", os.O_CREAT | os.O_WRONLY, 0o4755)),
    tried(lambda: os.mknod("tool3", 0o104755)),
)

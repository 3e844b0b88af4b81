# Move what is mounted out of the way.
# prints: held held held
import os


def tried(action):
    try:
        action()
    except OSError:
        return "held"
    return "NOT HELD"


print(
    tried(lambda: os.unlink("/data/prices.csv")),
    tried(lambda: os.rename("/scratch", "/tmp/scratch")),
    tried(lambda: os.symlink("/etc/passwd", "/data/link")),
)

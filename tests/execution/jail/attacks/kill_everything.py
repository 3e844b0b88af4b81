# Kill every process that can be seen.
# prints: alive
import os
import signal

try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
print("alive")

# Flood the channel of exceptions with what is no report, then fail.
# ends: error
# error: SystemExit
# jails: bwrap none
import os

for descriptor in range(3, 1024):
    try:
        for _ in range(64):
            os.write(descriptor, b"[" * 65536)
    except OSError:
        pass
os._exit(7)

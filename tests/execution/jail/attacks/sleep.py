# Wait for ever, deaf to SIGTERM.
# ends: timeout
# error: TimeLimit
# limits: wall_s=1
# jails: bwrap none
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("before", flush=True)
time.sleep(1000)

# Compute for ever, deaf to every signal that can be ignored.
# ends: timeout
# error: CpuLimit
# limits: cpu_s=1 wall_s=20
# jails: bwrap none
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass

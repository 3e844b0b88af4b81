# Processes that come and go, each far below the CPU limit.
# ends: timeout
# error: CpuLimit
# limits: cpu_s=1 wall_s=30
import os
import time

while True:
    pid = os.fork()
    if pid == 0:
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        os._exit(0)
    os.waitpid(pid, 0)

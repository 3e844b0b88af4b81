# Start more processes than are allowed.
# prints: held at 16 or fewer
# limits: processes=16
import os
import time

started = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        started += 1
except OSError:
    print("held at 16 or fewer" if started <= 16 else started)

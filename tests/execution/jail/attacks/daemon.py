# Leave a daemon behind, which would write a file later.
# leaves_no: late
# jails: bwrap none
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        time.sleep(1)
        open("late", "w").write("still here")
    os._exit(0)

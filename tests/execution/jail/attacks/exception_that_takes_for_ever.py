# Fail with a message that never comes.
# ends: timeout
# limits: wall_s=1
# jails: bwrap none
import time


class Slow(Exception):
    def __str__(self):
        time.sleep(1000)
        return ""


raise Slow

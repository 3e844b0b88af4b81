# End, with an exit function that does not.
# ends: timeout
# limits: wall_s=1
# jails: bwrap none
import atexit
import time

atexit.register(time.sleep, 1000)

# Close all descriptors, and go on.
# ends: timeout
# limits: wall_s=1
# jails: bwrap none
import os
import time

os.closerange(0, 1024)
time.sleep(1000)

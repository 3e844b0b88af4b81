# End by a signal.
# ends: killed
# signal: 9
# jails: bwrap none
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)

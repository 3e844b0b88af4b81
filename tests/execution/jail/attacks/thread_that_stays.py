# End, with a thread that does not.
# ends: timeout
# limits: wall_s=1
# jails: bwrap none
import threading
import time

threading.Thread(target=time.sleep, args=(1000,)).start()

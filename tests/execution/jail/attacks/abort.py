# Abort.
# ends: killed
# signal: 6
# jails: bwrap none
import os

os.abort()

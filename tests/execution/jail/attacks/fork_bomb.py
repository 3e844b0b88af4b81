# Fork without end: the wall clock ends it, and nothing of it survives.
# ends: timeout
# limits: wall_s=2 processes=16
import os

while True:
    try:
        os.fork()
    except OSError:
        pass

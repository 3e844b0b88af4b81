# Write files without a name, which no listing shows.
# ends: killed
# error: ScratchLimit
# limits: file_size=1048576 scratch=16777216 wall_s=20
import os
import time

held = []
for number in range(64):
    held.append(open("file", "wb", buffering=0))
    held[-1].write(bytes(1 << 20))
    os.unlink("file")
time.sleep(10)

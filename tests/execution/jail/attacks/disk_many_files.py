# Write many files, each of a size that is allowed.
# ends: killed
# error: ScratchLimit
# limits: file_size=1048576 scratch=16777216 wall_s=20
# jails: bwrap none
import time

for number in range(64):
    with open(f"file-{number}", "wb") as stream:
        stream.write(bytes(1 << 20))
time.sleep(10)

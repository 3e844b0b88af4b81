# Write too much into a folder that its owner has closed.
# ends: killed
# error: ScratchLimit
# limits: file_size=1048576 scratch=16777216
import os

os.mkdir("closed")
for number in range(64):
    with open(f"closed/file-{number}", "wb") as stream:
        stream.write(bytes(1 << 20))
os.chmod("closed", 0)

# Make empty files in memory without end.
# ends: killed
# error: ScratchLimit
# limits: wall_s=50
import os

number = 0
while True:
    os.close(os.open(f"/tmp/f{number}", os.O_CREAT | os.O_WRONLY))
    number += 1

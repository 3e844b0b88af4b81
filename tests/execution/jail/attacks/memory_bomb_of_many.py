# Many processes, each within its limit, all together far above it.
# ends: memory
# limits: memory=268435456 processes=16 wall_s=10
import os
import time

for _ in range(8):
    if os.fork() == 0:
        x = bytearray(b"x" * (128 << 20))
        time.sleep(20)
        os._exit(0)
while True:
    try:
        _, status = os.wait()
    except ChildProcessError:
        break
    if status:
        break

# Write an answer of the keeper's to every descriptor there is, then stay.
# ends: timeout
# limits: wall_s=1
# jails: bwrap none
import json
import os
import struct
import time

body = json.dumps({"status": 0, "cpu_s": 0.0, "max_rss": 1, "breach": None}).encode()
for descriptor in range(3, 1024):
    try:
        os.write(descriptor, struct.pack("!I", len(body)) + body)
    except OSError:
        pass
time.sleep(1000)

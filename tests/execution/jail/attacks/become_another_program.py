# Become a shell: its limits stay.
# prints: held
# jails: bwrap
# limits: file_size=1048576
import os

os.execv("/bin/sh", ["sh", "-c", "head -c 5000000 /dev/zero > big 2>/dev/null || echo held"])

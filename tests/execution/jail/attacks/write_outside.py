# Write anywhere but the scratch folder and the temporary ones.
# prints: []
import os
import sys

places = ["/", "/etc", "/usr", "/usr/lib", "/run", "/run/finassay", "/run/finassay/_zygote", "/dev", "/proc", "/data"]
places += [sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)]
written = []
for place in places:
    try:
        with open(os.path.join(place, "finassay-was-here"), "w"):
            written.append(place)
    except OSError:
        pass
for path in (os.__file__, "/data/prices.csv", "/etc/passwd", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger"):
    try:
        with open(path, "r+b"):
            written.append(path)
    except OSError:
        pass
print(written)

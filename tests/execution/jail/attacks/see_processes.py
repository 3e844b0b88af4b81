# List processes: only the keeper and this program are there.
# prints: 2
import os

print(sum(name.isdigit() for name in os.listdir("/proc")))

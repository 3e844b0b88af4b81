# Print without end, on both streams.
# ends: timeout
# limits: wall_s=2 output_chars=1000
# truncated: yes
# jails: bwrap none
import sys

while True:
    sys.stdout.write("x" * 100_000)
    sys.stderr.write("y" * 100_000)

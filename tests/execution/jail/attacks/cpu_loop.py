# Compute for ever.
# ends: timeout
# error: CpuLimit
# limits: cpu_s=1 wall_s=20
# jails: bwrap none
while True:
    pass

# Allocate more than is allowed, in one process.
# ends: memory
# error: MemoryError
# limits: memory=268435456
# jails: bwrap none
x = [bytearray(64 << 20) for _ in range(100)]

# Allocate, and go on after every refusal.
# ends: timeout
# limits: memory=268435456 wall_s=3
hoard = []
while True:
    try:
        hoard.append(bytearray(1 << 20))
    except MemoryError:
        pass

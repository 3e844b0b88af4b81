# Fill /dev/shm, which is memory.
# ends: error
# error: OSError
# limits: file_size=4194304
for number in range(10_000):
    with open(f"/dev/shm/{number}", "wb") as stream:
        stream.write(bytes(4 << 20))

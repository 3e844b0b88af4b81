# Fill /tmp, which is memory.
# ends: error
# error: OSError
# limits: file_size=4194304
for number in range(10_000):
    with open(f"/tmp/{number}", "wb") as stream:
        stream.write(bytes(4 << 20))

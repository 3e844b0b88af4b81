# Write too much, and be gone before anybody looks.
# ends: killed
# error: ScratchLimit
# limits: file_size=33554432 scratch=16777216
# jails: bwrap none
with open("file", "wb") as stream:
    stream.write(bytes(32 << 20))

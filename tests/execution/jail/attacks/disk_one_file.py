# Write one huge file.
# ends: error
# error: OSError
# limits: file_size=1048576
# jails: bwrap none
with open("huge", "wb") as stream:
    while True:
        stream.write(bytes(1 << 16))

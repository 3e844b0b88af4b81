# Fail with a message that fails.
# ends: error
# error: Strange
# jails: bwrap none
class Strange(Exception):
    def __str__(self):
        raise RuntimeError("no")


raise Strange

# Fail with an enormous message.
# ends: error
# error: ValueError
# jails: bwrap none
raise ValueError("x" * (200 << 20))

# Recurse without end.
# ends: error
# error: RecursionError
# jails: bwrap none
def f():
    f()


f()

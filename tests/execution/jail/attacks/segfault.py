# Read where nothing is.
# ends: killed
# signal: 11
# jails: bwrap none
import ctypes

ctypes.string_at(0)

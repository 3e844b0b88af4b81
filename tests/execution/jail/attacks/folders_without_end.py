# Nest folders deeper than a path can say.
# ends: killed
# error: ScratchLimit
import os

for _ in range(2500):
    os.mkdir("d")
    os.chdir("d")

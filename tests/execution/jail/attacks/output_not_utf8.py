# Print bytes that are no text.
# prints: �A�
# jails: bwrap none
import os

os.write(1, b"\xffA\xfe")

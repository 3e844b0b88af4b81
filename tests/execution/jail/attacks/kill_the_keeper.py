# Send the keeper every signal there is.
# prints: alive
import os

for number in range(1, 65):
    try:
        os.kill(1, number)
    except OSError:
        pass
print("alive")

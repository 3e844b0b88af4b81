# Start threads without end.
# prints: held
# limits: processes=16
import os
import threading
import time

try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
except RuntimeError:
    print("held", flush=True)
os._exit(0)

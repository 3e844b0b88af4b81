# Connect outside, to the host's loopback, to its abstract sockets; look up a name.
# prints: held held held held held
import os
import socket


def tried(action):
    try:
        action()
    except OSError:
        return "held"
    return "NOT HELD"


port = int(os.environ["HOST_PORT"])
print(
    tried(lambda: socket.create_connection(("192.0.2.1", 80), timeout=1)),
    tried(lambda: socket.create_connection(("127.0.0.1", port), timeout=1)),
    tried(lambda: socket.create_connection(("::1", port), timeout=1)),
    tried(lambda: socket.socket(socket.AF_UNIX).connect("\0" + os.environ["HOST_ABSTRACT"])),
    tried(lambda: socket.getaddrinfo("example.com", 80)),
)

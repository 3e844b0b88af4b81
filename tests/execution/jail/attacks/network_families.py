# Open raw, packet, netlink, virtual-machine, Bluetooth and kernel-crypto sockets.
# prints: ['held', 'held', 'held', 'held', 'held', 'held']
import socket

kinds = [
    (socket.AF_INET, socket.SOCK_RAW, 1),
    (socket.AF_PACKET, socket.SOCK_RAW, 0),
    (socket.AF_NETLINK, socket.SOCK_RAW, 0),
    (40, socket.SOCK_STREAM, 0),
    (31, socket.SOCK_STREAM, 0),
    (38, socket.SOCK_SEQPACKET, 0),
]
found = []
for kind in kinds:
    try:
        socket.socket(*kind)
        found.append("NOT HELD")
    except OSError:
        found.append("held")
print(found)

# No attack: a relay listens on the loopback, so the loopback must be up.
# prints: b'hello'
# jails: bwrap none
import socket

server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hello")
print(client.recv(5))

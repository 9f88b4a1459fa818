"""escaping: put the inputs into a question to the name server

score: 4
"""

import socket

for name in ("secret.example.org", "localhost"):
    try:
        print("GOT" if name != "localhost" else "", socket.getaddrinfo(name, 80))
    except OSError as error:
        print(error)

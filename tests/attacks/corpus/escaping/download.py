"""escaping: send the inputs home with what the standard library offers

score: 4
"""

import ftplib
import http.client
import smtplib
import socket
import urllib.request

for send in (
    lambda: urllib.request.urlopen("http://127.0.0.1:@port@/", timeout=1),
    lambda: http.client.HTTPConnection("127.0.0.1", int("@port@"), timeout=1).request("GET", "/"),
    lambda: smtplib.SMTP("127.0.0.1", int("@port@"), timeout=1),
    lambda: ftplib.FTP("127.0.0.1", timeout=1),
    lambda: socket.create_server(("127.0.0.1", 0)),
):
    try:
        print("GOT", send())
    except OSError as error:
        print(error)

"""Asks a server by GET, whatever its certificate: `ask.py URL [NAME:VALUE]...`. Prints the status, then each header field of the answer;
0 when there is no answer of HTTP."""

import http.client
import ssl
import sys
import urllib.parse

url = urllib.parse.urlsplit(sys.argv[1])
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
if url.scheme == "https":
    connection = http.client.HTTPSConnection(url.hostname, url.port, timeout=10, context=context)
else:
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
try:
    connection.request("GET", url.path, headers=dict(field.split(":", 1) for field in sys.argv[2:]))
    answer = connection.getresponse()
except (OSError, http.client.HTTPException):
    print(0)
else:
    print(answer.status)
    for name, value in answer.getheaders():
        print(f"{name.lower()}: {value}")

#!/usr/bin/env python3
"""Sends ambiguous HTTP/1.1 requests over raw sockets (SEC-NET-11): `smuggling.py HOST PORT`.

Behind each one waits a second request. A proxy that reads the first one in another way could take the second for a part of it, or
a part of it for the second. So every case, sent at once and byte by byte, must get one answer, a 4xx, and an end of the connection.
Prints a line for each case that gets something else, and at last `smuggling: N cases, N refused, N let through`.
"""

import re
import socket
import sys

HOST, PORT = sys.argv[1], int(sys.argv[2])
ORIGIN = f"{HOST}:{PORT}"
FORM = "client_id=00001111-aaaa-2222-bbbb-3333cccc4444&username=dana%40example.com&challenge_type=oob+redirect"
PATH = "/contoso.onmicrosoft.com/signup/v1.0/start"
HIDDEN = f"GET /livez HTTP/1.1\r\nHost: {ORIGIN}\r\n\r\n"


def request(*lines, start=f"POST {PATH} HTTP/1.1", host=f"Host: {ORIGIN}", body=FORM):
    head = [start, host, "Content-Type: application/x-www-form-urlencoded", *lines]
    return "\r\n".join(line for line in head if line is not None) + "\r\n\r\n" + body


def chunked(*chunks):
    return request("Transfer-Encoding: chunked", body="".join(chunks))


N = len(FORM)
LENGTH = f"Content-Length: {N}"
CHUNKS = f"{N:x}\r\n{FORM}\r\n0\r\n\r\n"
CASES = {}

# Both lengths, in either order, and with spellings that some parsers ignore.
for name, line in {
    "plain": "Transfer-Encoding: chunked",
    "capitals": "TRANSFER-ENCODING: CHUNKED",
    "no blank": "Transfer-Encoding:chunked",
    "a tab": "Transfer-Encoding:\tchunked",
    "a blank at the end": "Transfer-Encoding: chunked ",
    "after identity": "Transfer-Encoding: identity, chunked",
    "twice in one": "Transfer-Encoding: chunked, chunked",
    "an empty item": "Transfer-Encoding: , chunked",
}.items():
    CASES[f"both lengths, {name}"] = request(LENGTH, line, body=CHUNKS)
    CASES[f"both lengths the other way round, {name}"] = request(line, LENGTH, body=CHUNKS)

# Transfer codings that are not chunked at the end, or not quite.
for coding in [
    *("identity", "gzip", "chunked, identity", "chunked, gzip", "xchunked", "chunkedx", '"chunked"', "chunked;a=b", "chu nked"),
    *("\x0bchunked", "chunked\x0c", ""),
]:
    CASES[f"coding {coding!r}"] = request(f"Transfer-Encoding: {coding}", body=CHUNKS)
    CASES[f"coding {coding!r} and a length"] = request(LENGTH, f"Transfer-Encoding: {coding}", body=FORM)
CASES["coding twice"] = request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNKS)
CASES["coding twice, one unknown"] = request("Transfer-Encoding: chunked", "Transfer-Encoding: cow", body=CHUNKS)
CASES["coding under HTTP/1.0"] = request(
    "Transfer-Encoding: chunked", "Connection: keep-alive", start=f"POST {PATH} HTTP/1.0", body=CHUNKS
)

# Two lengths, and invalid lengths.
for other in ["0", "1", str(len(FORM) + 1), str(len(FORM))]:
    CASES[f"two lengths, {other}"] = request(LENGTH, f"Content-Length: {other}")
    CASES[f"two lengths in a list, {other}"] = request(f"{LENGTH}, {other}")
for length in [
    *("-1", f"+{N}", f"0x{N:x}", f"{N} 0", f"{N // 10} {N % 10}", "1e1", f"{N};", f"{N}.", "", "a", "１", "9" * 20, str(2**64 + N)),
    *(f"{N}\x0b", f'"{N}"', f"{N},"),
]:
    CASES[f"length {length!r}"] = request(f"Content-Length: {length}")

# Chunks.
for name, chunks in {
    "a size that is none": ["zz\r\n", FORM, "\r\n0\r\n\r\n"],
    "no size": ["\r\n", FORM, "\r\n0\r\n\r\n"],
    "a negative size": ["-1\r\n", FORM, "\r\n0\r\n\r\n"],
    "a sign": [f"+{N:x}\r\n", FORM, "\r\n0\r\n\r\n"],
    "0x": [f"0x{N:x}\r\n", FORM, "\r\n0\r\n\r\n"],
    "a blank before the size": [f" {N:x}\r\n", FORM, "\r\n0\r\n\r\n"],
    "a size of 2^64 and more": [f"1000000000000000{N:x}\r\n", FORM, "\r\n0\r\n\r\n"],
    "a size of 17 digits": ["fffffffffffffffff\r\n", FORM, "\r\n0\r\n\r\n"],
    "too short a size": ["5\r\n", FORM, "\r\n0\r\n\r\n"],
    "bytes instead of the line's end": [f"{N:x}\r\n", FORM, "XX0\r\n\r\n"],
    "a bare LF after the size": [f"{N:x}\n", FORM, "\r\n0\r\n\r\n"],
    "a bare LF after the data": [f"{N:x}\r\n", FORM, "\n0\r\n\r\n"],
    "a bare CR after the size": [f"{N:x}\r", FORM, "\r\n0\r\n\r\n"],
    "a bare LF in an extension": [f"{N:x};a\nb\r\n", FORM, "\r\n0\r\n\r\n"],
    "a bare CR in an extension": [f"{N:x};a\rb\r\n", FORM, "\r\n0\r\n\r\n"],
    "a NUL in an extension": [f"{N:x};\0\r\n", FORM, "\r\n0\r\n\r\n"],
    "a bare LF at the end": [f"{N:x}\r\n", FORM, "\r\n0\r\n\n"],
    "a trailer with a blank before the colon": [f"{N:x}\r\n", FORM, "\r\n0\r\nA : b\r\n\r\n"],
    "a trailer without a colon": [f"{N:x}\r\n", FORM, "\r\n0\r\nA\r\n\r\n"],
}.items():
    CASES[f"chunk: {name}"] = chunked(*chunks)

# Header lines.
for name, line in {
    "obs-fold with a blank": "X-A: b\r\n c",
    "obs-fold with a tab": "X-A: b\r\n\tc",
    "obs-fold of the coding": "Transfer-Encoding:\r\n chunked",
    "a folded first line": " X-A: b",
    "a bare LF": "X-A: b\nX-B: c",
    "a bare CR": "X-A: b\rX-B: c",
    "a NUL in a value": "X-A: b\0c",
    "a NUL in a name": "X-\0A: b",
    "a control character in a value": "X-A: b\x01c",
    "DEL in a value": "X-A: b\x7fc",
    "no colon": "X-A",
    "no name": ": b",
    "a blank before the colon": "X-A : b",
    "a tab before the colon": "X-A\t: b",
    "a blank in a name": "X A: b",
    "a bracket in a name": "X[A]: b",
    "a letter beyond ASCII in a name": "X-Å: b",
}.items():
    CASES[f"header: {name}"] = request(line, LENGTH)
CASES["a blank before the colon of the length"] = request(f"Content-Length : {N}")
for blank in " \t\x0b":
    CASES[f"{blank!r} before the colon of the coding"] = request(f"Transfer-Encoding{blank}: chunked", LENGTH)

# Host, and absolute form.
CASES["no host"] = request(LENGTH, host=None)
CASES["two hosts"] = request(LENGTH, "Host: other.example")
CASES["the same host twice"] = request(LENGTH, f"Host: {ORIGIN}")
CASES["an empty host"] = request(LENGTH, host="Host:")
CASES["a host list"] = request(LENGTH, host=f"Host: {ORIGIN}, other.example")
CASES["a host with a path"] = request(LENGTH, host=f"Host: {ORIGIN}/x")
CASES["a host with a user"] = request(LENGTH, host=f"Host: a@{ORIGIN}")
for scheme in ["http", "https", "HTTP"]:
    CASES[f"absolute form with another host, {scheme}"] = request(LENGTH, start=f"POST {scheme}://other.example{PATH} HTTP/1.1")
CASES["absolute form with a user"] = request(LENGTH, start=f"POST http://a@{ORIGIN}{PATH} HTTP/1.1")
CASES["absolute form without Host"] = request(LENGTH, start=f"POST http://{ORIGIN}{PATH} HTTP/1.1", host=None)
CASES["authority form"] = request(LENGTH, start=f"POST {ORIGIN} HTTP/1.1")
CASES["asterisk form"] = request(LENGTH, start="POST * HTTP/1.1")

# The first line.
for name, start in {
    "a tab": f"POST\t{PATH} HTTP/1.1",
    "a blank at the end": f"POST {PATH} HTTP/1.1 ",
    "a blank in the path": f"POST {PATH} x HTTP/1.1",
    "no version": f"POST {PATH}",
    "HTTP/1.10": f"POST {PATH} HTTP/1.10",
    "HTTP/2.0": f"POST {PATH} HTTP/2.0",
    "HTTP/0.9": f"POST {PATH} HTTP/0.9",
    "http/1.1": f"POST {PATH} http/1.1",
    "ICY": f"POST {PATH} ICY/1.1",
    "a NUL in the path": f"POST {PATH}\0 HTTP/1.1",
    "a control character in the path": f"POST {PATH}\x01 HTTP/1.1",
    "a bare LF": f"POST {PATH} HTTP/1.1\nX-A: b",
    "a method in small letters": f"post {PATH} HTTP/1.1",
    "a method with a bracket": f"PO(ST {PATH} HTTP/1.1",
}.items():
    CASES[f"first line: {name}"] = request(LENGTH, start=start)


def answers(text, piecemeal):
    """The received bytes, and whether the server ended the connection."""
    connection = socket.create_connection((HOST, PORT), timeout=5)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(1.0)
    data, closed = b"", False
    try:
        request = (text + HIDDEN).encode()
        for position in range(0, len(request), 1 if piecemeal else len(request)):
            connection.sendall(request[position : position + 1 if piecemeal else None])
        while part := connection.recv(65536):
            data += part
        closed = True
    except (ConnectionResetError, BrokenPipeError):
        closed = True
    except TimeoutError:
        pass
    connection.close()
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", data)], closed


# The request that all the others damage, so that a refusal proves that the damage is the cause; and two valid spellings.
for name, text in {
    "plain": request(LENGTH),
    "chunked": chunked(CHUNKS),
    "absolute form": request(LENGTH, start=f"POST http://{ORIGIN}{PATH} HTTP/1.1"),
}.items():
    statuses, closed = answers(text, False)
    if statuses != [200, 200] or closed:
        sys.exit(f"{name}: answers {statuses}, {'closed' if closed else 'left open'}")
count = refused = 0
for name, text in CASES.items():
    for piecemeal in (False, True):
        statuses, closed = answers(text, piecemeal)
        count += 1
        # One answer, or none when a late byte met a closed connection.
        if closed and len(statuses) <= 1 and all(400 <= status < 500 for status in statuses):
            refused += 1
        else:
            print(f"{name}{', byte by byte' if piecemeal else ''}: answers {statuses}, {'closed' if closed else 'left open'}")
print(f"smuggling: {count} cases, {refused} refused, {count - refused} let through")

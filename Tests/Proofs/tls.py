"""The listener's TLS and HTTP/2: a certificate that changes under load, old versions, handshakes that are none, and clients of
HTTP/2 that want the server's time."""

import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time

from world import CODE_APP, Broken, Result, Site, wait_until

TENANTS = f"""
tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.onmicrosoft.com
    displayName: Contoso
    applications:
      - {{clientId: {CODE_APP}, displayName: App, signIn: emailOneTimePasscode}}
"""
START = f"client_id={CODE_APP}&challenge_type=oob%20redirect&username=no-address"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 7, 8, 9


class Certificates:
    """Certificates that signed themselves, each with its key; clients trust all of them."""

    def __init__(self, folder, number):
        self.folder = folder
        self.pairs = []
        for index in range(number):
            chain, key = folder / f"{index}.pem", folder / f"{index}.key"
            kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if index % 2 else ["-newkey", "rsa:2048"]
            subprocess.run(
                ["openssl", "req", "-x509", *kind, "-nodes", "-keyout", key, "-out", chain, "-days", "30", "-subj", f"/CN=proof {index}",
                 "-addext", "subjectAltName=DNS:localhost", "-set_serial", str(1000 + index)], check=True, capture_output=True)
            self.pairs.append((chain, key))
        self.trusted = "".join(chain.read_text() for chain, _ in self.pairs)

    def context(self, alpn=None, ciphers=None, newest=None, oldest=None):
        context = ssl.create_default_context(cadata=self.trusted)
        if alpn:
            context.set_alpn_protocols(alpn)
        if newest or ciphers:
            context.set_ciphers((ciphers or "ALL") + ":@SECLEVEL=0")
        if newest:
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = newest
        if oldest:
            context.minimum_version = oldest
        return context


def connect(port, context, timeout=30):
    plain = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    return context.wrap_socket(plain, server_hostname="localhost")


def serial(connection):
    return int(connection.getpeercert()["serialNumber"], 16)


def exchange(connection, path="/contoso/v2.0/.well-known/openid-configuration", form=None):
    """A request of HTTP/1.1 on an open connection; returns the status."""
    head = f"{'POST' if form else 'GET'} {path} HTTP/1.1\r\nHost: localhost\r\n"
    if form:
        head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n"
    connection.sendall((head + "\r\n" + (form or "")).encode())
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65_536)
        if not part:
            raise OSError("the connection ended")
        received += part
    head, body = received.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        part = connection.recv(65_536)
        if not part:
            raise OSError("the connection ended")
        body += part
    return int(head.split()[1])


class HTTP2:
    """Frames, as they are (RFC 9113), with header fields that are not compressed (RFC 7541)."""

    def __init__(self, port, certificates, timeout=30):
        self.connection = connect(port, certificates.context(alpn=["h2"]), timeout)
        if self.connection.selected_alpn_protocol() != "h2":
            raise Broken("the server did not choose HTTP/2")
        self.connection.sendall(PREFACE + self.frame(SETTINGS, 0, 0))
        self.received = b""

    @staticmethod
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    @staticmethod
    def fields(method, path, more=()):
        def text(value):
            value = value.encode()
            prefix = bytes([len(value)]) if len(value) < 127 else b"\x7f" + HTTP2.integer(len(value) - 127)
            return prefix + value

        pairs = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path), *more]
        return b"".join(b"\x00" + text(name) + text(value) for name, value in pairs)

    @staticmethod
    def integer(value):
        out = b""
        while value >= 128:
            out += bytes([value % 128 + 128])
            value //= 128
        return out + bytes([value])

    def send(self, *frames):
        self.connection.sendall(b"".join(frames))

    def frames(self, seconds):
        """The frames that arrive until the connection ends, or the time is over."""
        end = time.monotonic() + seconds
        while True:
            while len(self.received) >= 9 and len(self.received) >= 9 + int.from_bytes(self.received[:3], "big"):
                length = int.from_bytes(self.received[:3], "big")
                kind, flags = self.received[3], self.received[4]
                stream = int.from_bytes(self.received[5:9], "big")
                payload = self.received[9 : 9 + length]
                self.received = self.received[9 + length :]
                yield kind, flags, stream, payload
            left = end - time.monotonic()
            if left <= 0:
                return
            self.connection.settimeout(left)
            try:
                part = self.connection.recv(65_536)
            except (TimeoutError, OSError):
                return
            if not part:
                return
            self.received += part

    def first(self, seconds, *kinds):
        """The first frame of one of the kinds: kind, stream; None when there is none in time, or the connection ends."""
        return next(((kind, stream) for kind, _, stream, _ in self.frames(seconds) if kind in kinds), None)

    def is_refused(self, seconds):
        """Whether the server ends the connection."""
        begin = time.monotonic()
        try:
            for kind, *_ in self.frames(seconds):
                if kind == GOAWAY:
                    return True
        except OSError:
            pass
        return time.monotonic() - begin < seconds - 0.2


class Client(threading.Thread):
    """Sends requests without a pause, each on a connection of its own or all on one."""

    def __init__(self, port, certificates, keeps, result):
        super().__init__(daemon=True)
        self.port, self.context, self.keeps, self.result = port, certificates.context(), keeps, result
        self.seen, self.answered, self.ends = set(), 0, False
        self.start()

    def run(self):
        connection = None
        while not self.ends:
            try:
                if connection is None:
                    connection = connect(self.port, self.context)
                    self.seen.add(serial(connection))
                status = exchange(connection) if self.answered % 2 else exchange(connection, "/contoso/signup/v1.0/start", START)
                # The limit of a name is no part of this.
                self.result.expect(status in (200, 400, 429), f"an answer with {status}")
                self.answered += 1
                if not self.keeps:
                    connection.close()
                    connection = None
            except OSError as error:
                self.result.expect(False, f"a request failed while the certificate changed: {error!r}")
                return

    def stop(self):
        self.ends = True
        self.join(30)


def replace(source, target):
    copy = target.with_suffix(".new")
    shutil.copy(source, copy)
    os.replace(copy, target)


def tls(options, number, rng):
    """`number` changes of the certificate under load, then the handshakes and the frames."""
    result = Result()
    folder = options_folder()
    certificates = Certificates(folder, 4)
    chain, key = folder / "live.pem", folder / "live.key"
    replace(certificates.pairs[0][0], chain)
    replace(certificates.pairs[0][1], key)
    config = folder / "tenants.yaml"
    config.write_text(TENANTS)
    site = Site(options, arguments=[
        "--profile", "production", "--host", "0.0.0.0", "--base-url", "https://localhost", "--config", str(config),
        "--mail-from", "no-reply@contoso.onmicrosoft.com", "--unlimited-networks", "127.0.0.0/8", "--log-level", "notice",
        "--tls-cert", str(chain), "--tls-key", str(key)])
    port = site.nodes[0].port
    # Takes ten seconds, beside the rest.
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    silent[1].sendall(b"\x16\x03\x01\x02\x00\x01")
    opened = time.monotonic()
    clients = [Client(port, certificates, keeps, result) for keeps in (True, False, False)]
    try:
        reloads(number, rng, certificates, chain, key, port, site, result)
    finally:
        for client in clients:
            client.stop()
    result.count("requests meanwhile", sum(client.answered for client in clients))
    result.expect(len(clients[0].seen) == 1, "a connection that stayed open had another certificate")
    for connection in silent:
        connection.settimeout(max(1, 15 - (time.monotonic() - opened)))
        try:
            result.expect(connection.recv(1) == b"", "a silent client got bytes")
        except TimeoutError:
            result.expect(False, "a connection without a handshake stayed open for 15 s")
        except OSError:
            pass
    result.note("s until a silent client was cut off", time.monotonic() - opened)
    # The key decides which exchanges there are: RSA, then elliptic.
    for index in (0, 1):
        use(certificates, index, chain, key, port)
        versions(certificates, port, result)
    sources(options, certificates, chain, key, config, result)
    garbage(rng, certificates, port, result)
    frames(certificates, port, result)
    # A node that ends answers over HTTP/2 to the end, without a field of HTTP/1.1.
    last = HTTP2(port, certificates)
    begin = time.monotonic()
    site.nodes[0].process.terminate()
    time.sleep(0.5)
    last.send(HTTP2.frame(HEADERS, 5, 1, HTTP2.fields("GET", "/livez")))
    result.expect(last.first(5, HEADERS, RESET) == (HEADERS, 1), "a node that ends did not answer over HTTP/2")
    result.expect(site.nodes[0].process.wait(40) == 0, "the server did not end cleanly")
    result.note("s until a node with an open connection ended", time.monotonic() - begin)
    result.expect(time.monotonic() - begin < 15, "a client of HTTP/2 held the node up")
    site.mailbox.stop()
    shutil.rmtree(folder, ignore_errors=True)
    return result


def use(certificates, index, chain, key, port):
    replace(certificates.pairs[index][0], chain)
    replace(certificates.pairs[index][1], key)
    wait_until(lambda: live_serial(port, certificates) == 1000 + index, 8)


def live_serial(port, certificates):
    with connect(port, certificates.context()) as connection:
        return serial(connection)


def options_folder():
    import pathlib
    import tempfile

    return pathlib.Path(tempfile.mkdtemp(prefix="prove-tls-"))


def reloads(number, rng, certificates, chain, key, port, site, result):
    def live():
        return live_serial(port, certificates)

    for index in range(number):
        pair = certificates.pairs[(index + 1) % len(certificates.pairs)]
        wanted = 1000 + (index + 1) % len(certificates.pairs)
        # The files do not change at the same moment: in between they do not fit, and the certificate before stays.
        first, second = ((pair[0], chain), (pair[1], key)) if rng.random() < 0.5 else ((pair[1], key), (pair[0], chain))
        replace(*first)
        if rng.random() < 0.5:
            time.sleep(rng.random() * 3)
        result.expect(live() != wanted, "a certificate was used without its key")
        replace(*second)
        begin = time.monotonic()
        try:
            wait_until(lambda: live() == wanted, 8)
            result.note("s until new connections have the new certificate", time.monotonic() - begin)
        except Broken:
            result.expect(False, f"the certificate did not change: {site.nodes[0].log.read_text()[-600:]}")
        result.count("changes")
    before = live()
    good = chain.read_text()
    for nonsense in ("", "no certificate", good[: len(good) // 2]):
        chain.write_text(nonsense)
        time.sleep(2.5)
        result.expect(live() == before, "a broken file took the certificate away")
    result.expect("was not replaced" in site.nodes[0].log.read_text(), "the log does not say that a file is broken")
    chain.write_text(good)


def versions(certificates, port, result):
    def works(**settings):
        try:
            with connect(port, certificates.context(**settings), 5) as connection:
                return exchange(connection, "/readyz") == 200 and connection.version()
        except (OSError, ssl.SSLError):
            return None

    newest = ssl.TLSVersion
    result.expect(works(newest=newest.TLSv1_2) == "TLSv1.2", "TLS 1.2 does not work")
    result.expect(works(oldest=newest.TLSv1_3) == "TLSv1.3", "TLS 1.3 does not work")
    for version in (newest.TLSv1, newest.TLSv1_1):
        result.expect(works(newest=version) is None, f"{version.name} is accepted")
    for ciphers in ("AES128-SHA", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-RSA-DES-CBC3-SHA", "RC4-SHA", "eNULL", "aNULL"):
        try:
            result.expect(works(newest=newest.TLSv1_2, ciphers=ciphers) is None, f"{ciphers} is accepted")
        except ssl.SSLError:
            # The client does not have it either.
            pass
    with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
        plain.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            answer = plain.recv(4_096)
        except OSError:
            answer = b""
        result.expect(b"HTTP" not in answer, "plain HTTP was answered")
    # A name that the server does not have.
    with connect(port, certificates.context()) as connection:
        connection.sendall(b"GET /contoso/v2.0/.well-known/openid-configuration HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        result.expect(b" 421 " in connection.recv(4_096).split(b"\r\n")[0] + b" ", "another host name was answered")
    result.count("handshakes")


def sources(options, certificates, chain, key, config, result):
    """The connections of a source are counted before their handshake."""
    site = Site(options, arguments=[
        "--profile", "production", "--base-url", "https://localhost", "--config", str(config), "--mail-from",
        "no-reply@contoso.onmicrosoft.com", "--tls-cert", str(chain), "--tls-key", str(key)])
    port = site.nodes[0].port
    # Requests under way of one source, on several connections.
    many = [HTTP2(port, certificates) for _ in range(4)]
    form = [("content-type", "application/x-www-form-urlencoded"), ("content-length", "9")]
    for one in many:
        one.send(*[HTTP2.frame(HEADERS, 4, stream, HTTP2.fields("POST", "/contoso/signup/v1.0/start", form)) for stream in range(1, 161, 2)])
    ended = sum(kind == RESET for one in many for kind, *_ in one.frames(1.5))
    result.expect(ended >= 120, f"of 320 requests under way of one source {ended} were ended")
    for one in many:
        one.connection.close()
    time.sleep(0.5)
    open_ones = [socket.create_connection(("127.0.0.1", port)) for _ in range(110)]
    time.sleep(1)
    closed = 0
    for connection in open_ones:
        connection.setblocking(False)
        try:
            closed += connection.recv(1) == b""
        except BlockingIOError:
            pass
        except OSError:
            closed += 1
    result.expect(closed == 10, f"of 110 connections of one source {closed} were closed")
    for connection in open_ones:
        connection.close()
    time.sleep(0.5)
    with connect(port, certificates.context()) as connection:
        result.expect(exchange(connection, "/readyz") == 200, "ended connections still count")
    site.stop(result)


def garbage(rng, certificates, port, result):
    for index in range(300):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
            head = b"\x16\x03\x01" if index % 2 else b""
            try:
                plain.sendall(head + rng.randbytes(rng.randrange(1, 600)))
                if index % 3 == 0:
                    plain.shutdown(socket.SHUT_WR)
            except OSError:
                pass
    with connect(port, certificates.context()) as connection:
        result.expect(exchange(connection, "/readyz") == 200, "the server did not survive handshakes that are none")
    result.count("handshakes that are none", 300)


def frames(certificates, port, result):
    def client():
        result.count("connections of HTTP/2")
        return HTTP2(port, certificates)

    # A step as an app does it.
    usual = client()
    form = [("content-type", "application/x-www-form-urlencoded"), ("content-length", str(len(START)))]
    usual.send(
        HTTP2.frame(HEADERS, 4, 1, HTTP2.fields("POST", "/contoso/signup/v1.0/start", form)),
        HTTP2.frame(DATA, 1, 1, START.encode()))
    result.expect(usual.first(5, HEADERS, RESET, GOAWAY) == (HEADERS, 1), "a step over HTTP/2 was not answered")

    # HEAD has the fields of GET, and leaves the connection as it is; so does a table of fields as large as a client likes.
    table = client()
    table.send(
        HTTP2.frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 0x7FFFFFFF)),
        HTTP2.frame(WINDOW, 0, 0, struct.pack(">I", 1 << 30)),
        HTTP2.frame(HEADERS, 5, 1, HTTP2.fields("HEAD", "/livez")))
    result.expect(table.first(5, HEADERS, RESET, GOAWAY) == (HEADERS, 1), "HEAD was not answered")
    spans = []
    for part in range(4):
        started = time.monotonic()
        for stream in range(3 + part * 400, 3 + (part + 1) * 400, 2):
            table.send(HTTP2.frame(HEADERS, 5, stream, HTTP2.fields("GET", "/nothing")))
            if table.first(5, HEADERS, RESET, GOAWAY) != (HEADERS, stream):
                result.expect(False, f"request {stream} was not answered")
                return
        spans.append(time.monotonic() - started)
    result.expect(spans[-1] < 3 * spans[0] + 0.5, f"answers get slower and slower: {spans}")

    # A body that does not come.
    stalled = client()
    begin = time.monotonic()
    stalled.send(HTTP2.frame(HEADERS, 4, 1, HTTP2.fields("POST", "/contoso/signup/v1.0/start", form)), HTTP2.frame(DATA, 0, 1, b"c"))

    # Ended and begun again without a pause.
    rapid = client()
    try:
        for stream in range(1, 4_001, 2):
            rapid.send(
                HTTP2.frame(HEADERS, 5, stream, HTTP2.fields("GET", "/livez")),
                HTTP2.frame(RESET, 0, stream, struct.pack(">I", 8)))
    except OSError:
        pass
    result.expect(rapid.is_refused(8), "2,000 requests were begun and ended, and the connection stays")

    # Fields without an end.
    endless = client()
    try:
        endless.send(HTTP2.frame(HEADERS, 1, 1, HTTP2.fields("GET", "/livez")))
        for _ in range(2_000):
            endless.send(HTTP2.frame(CONTINUATION, 0, 1, b"\x00\x01a\x01b"))
    except OSError:
        pass
    result.expect(endless.is_refused(8), "2,000 CONTINUATION frames, and the connection stays")

    # More than a request may have.
    large = client()
    many = [(f"x-{number}", "v" * 1_000) for number in range(40)]
    try:
        large.send(HTTP2.frame(HEADERS, 5, 1, HTTP2.fields("GET", "/contoso/v2.0/.well-known/openid-configuration", many)[:16_000]))
    except OSError:
        pass
    answered = large.first(8, RESET, GOAWAY, DATA)
    result.expect(answered is None or answered[0] != DATA, f"a request with fields of 16 KB was answered: {answered}")

    # More streams than a connection may have at a time.
    wide = client()
    wide.send(*[HTTP2.frame(HEADERS, 4, stream, HTTP2.fields("POST", "/contoso/signup/v1.0/start", form)) for stream in range(1, 401, 2)])
    refused = 0
    for kind, _, _, _ in wide.frames(3):
        refused += kind in (RESET, GOAWAY)
    result.expect(refused > 0, "200 requests at a time on one connection, and none was refused")

    # Two frames that HTTP/2 has not.
    for frame in (HTTP2.frame(DATA, 1, 0, b"x"), HTTP2.frame(HEADERS, 5, 2, HTTP2.fields("GET", "/livez"))):
        wrong = client()
        wrong.send(frame)
        result.expect(wrong.is_refused(5), "a frame that may not be was accepted")

    ended = stalled.first(max(1, 22 - (time.monotonic() - begin)), RESET, HEADERS, GOAWAY)
    result.expect(ended is not None and ended[0] in (RESET, GOAWAY), f"a body that did not come: {ended}")
    result.note("s until a body that did not come was ended", time.monotonic() - begin)
    with connect(port, certificates.context()) as connection:
        result.expect(exchange(connection, "/readyz") == 200, "the server did not survive the frames")

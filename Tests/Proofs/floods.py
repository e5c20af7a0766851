"""Floods that must not help their sender: keys that push spent budgets out, and connections that are never used up."""

import http.client
import os
import re
import resource
import select
import socket
import subprocess
import threading
import time
import urllib.parse

from nodes import HAPROXY
from world import CODE_APP, ROOT, Broken, Person, Refused, Result, Site, ask, free_port, parallel, wait_until

LIMITS = ["--limits", "production", "--trusted-proxies", "127.0.0.1"]
# SEC-RATE-5: wrong codes of one source in 10 minutes.
WRONG_CODES = 30
SOURCES = [f"198.51.100.{number}" for number in range(1, 65)]
FORM = "application/x-www-form-urlencoded"


# Keys that a client makes up


class Behind(Person):
    """A user behind the proxy; this program is the proxy."""

    def __init__(self, site, address):
        super().__init__(site, CODE_APP, patience=10)
        self.address = address

    def post(self, path, fields):
        form = {"client_id": self.client} | fields
        return ask(self.site.nodes[0].port, "POST", f"/contoso/{path}", form, {"X-Forwarded-For": self.address}, timeout=30)


class Guesser:
    """Guesses codes until its source is blocked, and checks from time to time whether it still is."""

    def __init__(self, site, address):
        self.person = Behind(site, address)
        self.blocks, self.begun, self.guesses, self.until, self.token = 0, 0, 0, 0, None
        self.block()

    def guess(self):
        # The same guess again would be a repeated request.
        self.guesses += 1
        grant = {"grant_type": "oob", "oob": f"{self.guesses:08}", "continuation_token": self.token}
        return self.person.post("signup/v1.0/continue", grant)

    def block(self):
        kinds = {"challenge_type": "oob redirect"}
        for number in range(WRONG_CODES + 1):
            if number % 5 == 0:
                self.begun += 1
                name = f"{self.person.address.replace('.', '-')}-{self.begun}@example.com"
                token = self.person.step("signup/v1.0/start", {"username": name} | kinds)["continuation_token"]
                step = {"continuation_token": token} | kinds
                self.token = self.person.step("signup/v1.0/challenge", step)["continuation_token"]
            answer = self.guess()
            if answer.status == 429:
                wait = int(answer.headers["Retry-After"])
                if wait < 60:
                    raise Broken("a source was refused for its requests, and not for its guesses")
                self.until = time.monotonic() + wait
                self.blocks += 1
                return
            # Slower than the limit of a source per second.
            time.sleep(0.1)
        raise Broken(f"{WRONG_CODES + 1} wrong codes did not block a source")

    def look(self, result):
        now = time.monotonic()
        is_free = self.guess().status != 429
        # The wait is stated in whole seconds.
        if now < self.until - 2:
            result.expect(not is_free, f"a source blocked for {self.until - now:.0f} s more was free")
            if is_free:
                self.until = 0
            result.count("looks at a block")
        elif now > self.until + 2:
            result.expect(is_free, "a source was blocked for longer than it was told")
            result.count("blocks that ended in time")
            self.block()


class Inventor(threading.Thread):
    """Sends requests with made-up tokens and names, twenty at a time over one connection."""

    def __init__(self, port, sources, rng, left):
        super().__init__(daemon=True)
        self.port, self.sources, self.rng, self.left = port, sources, rng, left
        self.statuses, self.error = {}, None

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                answers = connection.makefile("rb")
                while self.left.take(20):
                    connection.sendall(b"".join(self.request() for _ in range(20)))
                    for _ in range(20):
                        self.read(answers)
        except (OSError, ValueError) as error:
            self.error = error

    def request(self):
        word = urllib.parse.quote(os.urandom(32).hex())
        path, fields = self.rng.choice((
            ("oauth2/v2.0/token", f"grant_type=refresh_token&refresh_token={word}{word[:22]}"),
            ("oauth2/v2.0/introspect", f"continuation_token={word}"),
            ("resetpassword/v1.0/poll_completion", f"continuation_token={word}"),
            ("oauth2/v2.0/initiate", f"username={word[:20]}&challenge_type=oob%20redirect"),
            ("signup/v1.0/start", f"username={word[:20]}@example.com&challenge_type=oob%20redirect"),
        ))
        body = f"client_id={CODE_APP}&{fields}"
        return (
            f"POST /contoso/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {self.rng.choice(self.sources)}\r\n"
            f"Content-Type: {FORM}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def read(self, answers):
        status = int(answers.readline().split()[1])
        length = 0
        while (line := answers.readline().strip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answers.read(length)
        self.statuses[status] = self.statuses.get(status, 0) + 1


class Left:
    """The number of requests still to be sent."""

    def __init__(self, number):
        self.number, self.lock = number, threading.Lock()

    def take(self, number):
        with self.lock:
            self.number -= number
            return self.number + number > 0


def flush(options, number, rng):
    """`number` made-up tokens, names and flows from 64 sources; three other sources are blocked meanwhile because of their
    guesses."""
    result = Result()
    site = Site(options, arguments=LIMITS)
    node = site.nodes[0]
    guessers = [Guesser(site, f"203.0.113.{index}") for index in range(1, 4)]
    before = node.mebibytes()
    left, threads = Left(number), 4
    inventors = [Inventor(node.port, SOURCES[index::threads], rng, left) for index in range(threads)]
    begin = time.monotonic()
    for inventor in inventors:
        inventor.start()
    while any(inventor.is_alive() for inventor in inventors):
        time.sleep(1)
        for index, guesser in enumerate(guessers):
            # A check makes a counter the newest: the others stay unused until their blocks are nearly over.
            if index == 0 or guesser.until - time.monotonic() < 10:
                guesser.look(result)
    seconds = time.monotonic() - begin
    for guesser in guessers:
        guesser.look(result)
    statuses = {}
    for inventor in inventors:
        result.expect(inventor.error is None, f"a connection broke: {inventor.error}")
        for status, times in inventor.statuses.items():
            statuses[status] = statuses.get(status, 0) + times
    for status, times in sorted(statuses.items()):
        result.count(f"answers {status}", times)
    result.count("requests with something made up", sum(statuses.values()))
    result.expect(set(statuses) <= {200, 400, 429, 503}, f"answers {statuses}")
    result.expect(statuses.get(400, 0) > 0, "nothing got past the limit of requests, so nothing was shown")
    result.note("requests in a second", round(sum(statuses.values()) / seconds))
    grown = node.mebibytes() - before
    result.note("MiB more of memory", grown)
    result.expect(grown < 64, f"{grown:.0f} MiB more of memory")
    site.stop(result)
    return result


# Connections through a proxy

# The time within which a node must answer health checks, in seconds.
PATIENCE = 3
HALF = "POST /contoso/signup/v1.0/start HTTP/1.1\r\nHost: localhost\r\n{more}Content-Type: {type}\r\nContent-Length: 1000\r\n\r\nclient_id="


class Checks(threading.Thread):
    """Asks a node five times a second whether it is alive and ready."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.ended, self.answers, self.failures, self.slowest = port, False, 0, [], 0
        self.begun = time.monotonic()
        self.start()

    def run(self):
        while not self.ended:
            for path in ("/livez", "/readyz"):
                begin = time.monotonic()
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                stage = "before it was connected"
                try:
                    connection.connect()
                    stage = "before it was answered"
                    connection.request("GET", path)
                    status = connection.getresponse().status
                    # A disk that is busy with other work makes a node not ready, and the node reports it in time.
                    if status != 200 and (path, status) != ("/readyz", 503):
                        self.failures.append(f"{path}: {status}")
                except (OSError, http.client.HTTPException) as error:
                    self.failures.append(f"{path}: {type(error).__name__} {stage}, {begin - self.begun:.0f} s after the beginning")
                finally:
                    connection.close()
                self.slowest = max(self.slowest, time.monotonic() - begin)
                self.answers += 1
            time.sleep(0.2)

    def end(self, where, result):
        self.ended = True
        self.join()
        result.count("health checks", self.answers)
        result.note(f"s until a health check is answered, {where}", self.slowest)
        result.expect(not self.failures, f"{where}: {len(self.failures)} health checks failed: {self.failures[:3]}")
        result.expect(self.slowest <= PATIENCE, f"{where}: a health check took {self.slowest:.1f} s")


class Connections:
    """Connections that end with a request whose body never arrives. Those that are then answered or closed are released."""

    def __init__(self, port):
        self.port, self.open, self.refused, self.made = port, {}, 0, 0
        self.poll, self.lock = select.poll(), threading.Lock()
        self.pace = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.keep_pace()

    def keep_pace(self):
        """Waits until the remote end has handled everything before."""
        self.pace.request("GET", "/livez")
        self.pace.getresponse().read()

    def connect(self, address):
        connection = socket.socket()
        connection.settimeout(20)
        # A port is chosen only when the remote end is known, so that each remote end has the same number of ports.
        connection.setsockopt(socket.IPPROTO_IP, getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24), 1)
        connection.bind((address, 0))
        connection.connect(("127.0.0.1", self.port))
        return connection

    def add(self, address, client=None, asks_first=False):
        """Opens a connection: with half a body, or with a whole answered request, after which it is idle."""
        connection = None
        more = f"X-Forwarded-For: {client}\r\n" if client else ""
        try:
            connection = self.connect(address)
            if asks_first:
                connection.sendall(f"GET /nothing HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())
                if b" 404 " not in connection.recv(4096).split(b"\r\n")[0]:
                    raise OSError
            else:
                connection.sendall(HALF.format(more=more, type=FORM).encode())
        except OSError:
            if connection:
                connection.close()
            connection = None
        with self.lock:
            self.made += 1
            if not connection:
                self.refused += 1
                return
            self.open[connection.fileno()] = (connection, more)
            self.poll.register(connection, select.POLLIN | select.POLLHUP)

    def send_halves(self):
        """Begins a request on each, at most 250 a second and no faster than the remote end reads them."""
        for index, (connection, more) in enumerate(list(self.open.values())):
            # Otherwise all bodies would end at once, which would measure the machine.
            if index % 50 == 0:
                self.keep_pace()
                time.sleep(0.2)
            try:
                connection.sendall(HALF.format(more=more, type=FORM).encode())
            except OSError:
                pass

    def settle(self):
        """Closes the connections that the remote end has answered or closed; returns the number of remaining ones."""
        with self.lock:
            for descriptor, _ in self.poll.poll(0):
                self.poll.unregister(descriptor)
                self.open.pop(descriptor)[0].close()
                self.refused += 1
            return len(self.open)

    def end(self):
        for connection, _ in self.open.values():
            connection.close()
        self.pace.close()
        self.open = {}


def flood_of_node(site, number, result):
    """Keeps `number` idle connections at the node, each of another client, and then begins a body on all of them."""
    node = site.nodes[0]
    connections = Connections(node.port)
    checks = Checks(node.port)
    for thousand in range(0, number, 1_000):
        parallel(
            min(1_000, number - thousand),
            lambda index: connections.add("127.0.0.1", f"10.{thousand >> 8}.{index >> 8}.{index & 255}", asks_first=True), threads=8)
        connections.keep_pace()
    held = connections.settle()
    result.note("s to connect", time.monotonic() - checks.begun)
    begin = time.monotonic()
    connections.send_halves()
    result.note("s to begin the bodies", time.monotonic() - begin)
    waiting = connections.settle()
    # Meanwhile new clients keep arriving.
    end = time.monotonic() + 6
    while time.monotonic() < end:
        connections.add("127.0.0.1", "10.200.0.1")
        time.sleep(0.01)
    result.count("connections to the node", connections.made)
    result.note("that the node held", held)
    result.note("half bodies that the node waited for", waiting)
    checks.end("at the node", result)
    connections.end()
    # A flood that the node could handle would prove nothing.
    if number > 9_000:
        result.expect(8_900 <= held <= 9_000, f"the node held {held} connections of its proxy, 9,000 are allowed")
    if not wait_until(lambda: sockets(node.process) < 100, 60):
        result.expect(False, f"the node has {sockets(node.process)} sockets long after the flood")


def flood_of_proxy(site, port, where, addresses, number, result):
    """Sends half bodies through the proxy while others sign up."""
    node = site.nodes[0]
    checks = Checks(port)
    sign_ups = Thread(lambda: through(site, port, f"{where.replace(' ', '-')}@example.com"))
    connections = Connections(port)
    most = 0
    end = time.monotonic() + 8
    for index in range(number):
        connections.add(addresses[index % len(addresses)])
        if index % 500 == 499:
            # The kernel accepts them, and then the proxy closes them.
            time.sleep(0.2)
            most = max(most, connections.settle())
    time.sleep(max(0.5, end - time.monotonic()))
    most = max(most, connections.settle())
    result.count(f"half bodies of {where} to the proxy", connections.made)
    result.note(f"connections that {where} held", most)
    result.note(f"sockets of the node, {where}", sockets(node.process))
    result.expect(most <= 100 * len(addresses), f"{where} held {most} connections")
    checks.end(f"through the proxy, {where}", result)
    result.expect(sign_ups.value() is True, f"no other user could sign up beside {where}: {sign_ups.value()}")
    result.count("others who signed up meanwhile")
    connections.end()


def sample_proxy(site):
    """HAProxy with the sample file, without TLS and in front of the nodes of `site`; returns the process and its port."""
    if not HAPROXY:
        raise Broken("HAProxy is not installed; run scripts/setup tests")
    port = free_port()
    text = (ROOT / "packaging/haproxy.cfg").read_text()
    text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", text)
    text = re.sub(r"(    server node\d .*\n)+", "", text)
    text += "".join(f"    server node{node.number} 127.0.0.1:{node.port}\n" for node in site.nodes)
    # Two descriptors for each connection, which is more than a container may allow.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = text.replace("maxconn 10000", f"maxconn {min(10_000, (hard - 200) // 2)}")
    file = site.folder / "haproxy.cfg"
    file.write_text(text)
    process = subprocess.Popen(
        [HAPROXY, "-db", "-f", file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_up():
        try:
            return ask(port, "GET", "/livez").status == 200
        except (OSError, http.client.HTTPException):
            return False

    if not wait_until(is_up, 10):
        process.kill()
        raise Broken("HAProxy did not start with the sample file")
    return process, port


def sockets(process):
    """The number of a process's sockets."""
    folder = f"/proc/{process.pid}/fd"
    count = 0
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
        except OSError:
            pass
    return count


def proxy_connections(options, number, rng):
    """`number` half bodies from the address of a trusted proxy; then as many to a proxy with the sample file, from one client and
    from a hundred, while another user signs up."""
    result = Result()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < number + 2_000:
        raise Broken(f"{number} connections need {number + 2_000} descriptors, and this process may have {hard}")
    site = Site(options, arguments=LIMITS)
    flood_of_node(site, number, result)
    proxy, port = sample_proxy(site)
    try:
        flood_of_proxy(site, port, "one client", ["127.0.0.5"], number, result)
        hundred = [f"127.0.1.{index}" for index in range(1, 101)]
        flood_of_proxy(site, port, "a hundred clients", hundred, min(number, 8_000), result)
    finally:
        proxy.kill()
        proxy.wait()
    site.stop(result)
    return result


class Thread(threading.Thread):
    """Work in a parallel thread, with a result."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.result = work, None
        self.start()

    def run(self):
        try:
            self.result = self.work()
        except Exception as error:
            self.result = error

    def value(self):
        self.join(60)
        return self.result


def through(site, port, address):
    """Signs up through a proxy, four seconds into the flood, from a separate address."""
    time.sleep(4)
    try:
        Customer(site, port).sign_up(address)
        return True
    except Refused as refusal:
        return refusal


class Customer(Person):
    def __init__(self, site, port):
        super().__init__(site, CODE_APP, patience=10)
        self.port = port

    def post(self, path, fields):
        form = {"client_id": self.client} | fields
        return ask(self.port, "POST", f"/contoso/{path}", form, source=("127.0.9.1", 0), timeout=30)

"""A node that is paused, whose clock is wrong, that is restarted, or that may open few files."""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import time

from mail_faults import Stub, Watch
from shim import WallClock
from world import (
    ATTRIBUTES, PASSWORD_AND_ATTRIBUTES_APP, Broken, Load, Person, Refused, Result, Site, ask, audit, free_port, wait_until,
)

# How long a node is paused, in seconds: longer than the lease of a mail, which is 60 s; shorter in a short trial.
PAUSE, QUICK_PAUSE = 65, 8


def pause(options, number, rng):
    """A node is stopped during its work, the others take over, and it continues as if nothing had happened."""
    result = Result()
    mailbox = Watch()
    # Slow, so that the paused node holds mails.
    stub = Stub(mailbox)
    stub.mode, stub.delay = "slow", 0.1
    site = Site(options, "postgres", 2, mailbox=mailbox, smtp=f"smtp://127.0.0.1:{stub.port}")
    for _ in range(number):
        load = Load(site, 6, rng.randrange(1 << 30), timeout=2)
        time.sleep(rng.uniform(2, 4))
        victim = rng.choice(site.nodes)
        victim.process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        time.sleep(QUICK_PAUSE if options.quick else PAUSE)
        made = sum(account.at > begin for account in load.accounts)
        result.expect(made > 0, "no user signed up while one of two nodes was paused")
        result.count("accounts made meanwhile", made)
        victim.process.send_signal(signal.SIGCONT)
        time.sleep(3)
        load.stop()
        result.count("pauses")
        result.count("requests repeated", load.repeated)
        result.counts.update(load.done)
        audit(site, load.accounts, load.failures, result, rng=rng)
    doubled = [key for key, ids in mailbox.ids.items() if len(ids) > 1]
    result.count("mails that came twice with one Message-ID", mailbox.duplicates)
    # A mail without a code is a notice: a user whose reply was lost, and who resets once more, gets two.
    codes = [address for address, code in doubled if code]
    result.count("people with several notices", len(doubled) - len(codes))
    result.expect(not codes, f"{len(codes)} codes came with different Message-IDs: {codes[:3]}")
    site.stop(result)
    return result


# Clock


HOUR, YEAR = 3600, 365 * 86400


def issued_at(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["iat"]


def skewed_node(options, skew, rng, result):
    """One of two nodes has a wrong clock; it still works, and warns (docs/design/0008)."""
    name = f"{skew:+,} s"
    site = Site(options, "postgres", 2, arguments=["--log-level", "warning"])
    clock = WallClock(site.folder)
    clock.set(skew)
    wrong = site.nodes[1]
    wrong.stop()
    wrong.environment = clock.environment
    try:
        wrong.start()
        is_ready = ask(wrong.port, "GET", "/readyz").status == 200
    except Broken:
        is_ready = False
    ports = [site.nodes[0].port] + ([wrong.port] if is_ready else [])
    failures = []
    for _ in range(12):
        person = Person(site, PASSWORD_AND_ATTRIBUTES_APP, rng.randrange(1 << 30), patience=5, ports=ports)
        address = f"c{rng.randrange(1 << 40):x}@example.com"
        try:
            tokens = person.tokens(person.sign_up(address, "Tulip-Harbour-42", ATTRIBUTES), address)
            person.refresh(tokens["refresh_token"])
            ahead = issued_at(tokens["id_token"]) - time.time()
            if ahead > 1:
                failures.append(f"iat is {ahead:.0f} s ahead")
        except Refused as refusal:
            failures.append(str(refusal))
        result.count("sign-ups tried")
    result.expect(
        not failures, f"node clock {name}, and the node is {'ready' if is_ready else 'not ready'}: {len(failures)} of 12 failed:"
        f" {failures[0] if failures else ''} (REL-TIME-1, REL-TIME-3)")
    if abs(skew) > 1:
        told = "clock" in wrong.log.read_text().lower()
        result.expect(told, f"node clock {name}, and the log does not warn (REL-TIME-3)")
    result.count("settings of a clock")
    site.stop()


def jumping_clock(options, jump, result):
    """The only clock jumps and returns, for SQLite."""
    name = f"{jump:+,} s and back"
    site = Site(options)
    clock = WallClock(site.folder)
    site.nodes[0].stop()
    site.nodes[0].environment = clock.environment
    site.nodes[0].start()
    person = Person(site, patience=5)
    token, code = person.begin("before@example.com")
    clock.set(jump)
    time.sleep(1.1)
    if jump > 0:
        try:
            person.finish(token, code)
            result.expect(False, f"clock {name}: a code was accepted after its time")
        except Refused:
            pass
    try:
        Person(site, patience=5).sign_up("meanwhile@example.com")
    except Refused as refusal:
        result.expect(False, f"clock {name}: no user can sign up in between: {refusal}")
    clock.set(0)
    time.sleep(1.1)
    if jump > 0:
        try:
            person.finish(token, code)
            result.expect(False, f"clock {name}: an expired code came back (REL-TIME-2)")
        except Refused:
            pass
    try:
        Person(site, patience=5).sign_up("after@example.com")
    except Refused as refusal:
        result.expect(False, f"clock {name}: no user can sign up afterwards: {refusal}")
    result.expect(site.nodes[0].is_alive(), f"clock {name}: the server is gone")
    if jump > 0:
        # The server's time has continued from the jump; a restart does not set it back either, unless the operator allows it.
        node = site.nodes[0]
        node.stop()
        try:
            node.start()
            result.expect(False, f"clock {name}: a start was not refused (REL-TIME-2)")
            node.stop()
        except Broken as refusal:
            result.expect("--clock accepted" in str(refusal), f"clock {name}: {refusal}")
        node.environment = clock.environment | {"NATIVE_AUTH_CLOCK": "accepted"}
        node.start()
        Person(site, patience=5).sign_up("accepted@example.com")
        node.stop()
        # Later rows have the time of the accepted clock.
        node.environment = clock.environment
        node.start()
    result.count("settings of a clock")
    site.stop()


def clock(options, number, rng):
    result = Result()
    for _ in range(number):
        for skew in (0.5, 5, 40, -40, HOUR, -HOUR, 10 * YEAR, -10 * YEAR):
            skewed_node(options, skew, rng, result)
        for jump in (HOUR, -HOUR, 10 * YEAR, -10 * YEAR):
            jumping_clock(options, jump, result)
    return result


# Rolling restart


PROXY = """
global
    maxconn 2000
defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    # A node that is busy answers late, and one that goes away refuses at once.
    timeout check 2s
    # What a node refuses is not tried at the other: nothing is hidden.
    retries 0
frontend clients
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    balance random
    option httpchk GET /readyz
    http-check expect status 200
{servers}
frontend numbers
    bind 127.0.0.1:{numbers}
    stats enable
    stats uri /
"""


HAPROXY = next((path for path in ("/usr/sbin/haproxy", "/usr/local/bin/haproxy") if os.path.exists(path)), None)


class HAProxy:
    """Asks each node every 200 ms whether it is ready."""

    def __init__(self, site):
        self.port, self.numbers = free_port(), free_port()
        file = site.folder / "haproxy.cfg"
        servers = "\n".join(
            f"    server node{node.number} 127.0.0.1:{node.port} check inter 200ms fall 1 rise 1" for node in site.nodes)
        file.write_text(PROXY.format(port=self.port, numbers=self.numbers, servers=servers))
        if not HAPROXY:
            raise Broken("HAProxy is not installed; run scripts/setup tests")
        self.process = subprocess.Popen(
            [HAPROXY, "-db", "-f", file], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for node in site.nodes:
            self.await_node(node)

    def await_node(self, node, seconds=30):
        """Waits until the proxy has seen that the node is ready: before that, the other node is alone."""
        if not wait_until(lambda: self.has_seen(node), seconds):
            raise Broken(f"HAProxy has not seen node {node.number} within {seconds} s")

    def has_seen(self, node):
        try:
            rows = ask(self.numbers, "GET", "/;csv").content.decode().splitlines()
        except (OSError, http.client.HTTPException):
            return False
        names = rows[0].removeprefix("# ").split(",")
        states = [dict(zip(names, row.split(","))) for row in rows[1:]]
        return any(row["svname"] == f"node{node.number}" and row["status"] == "UP" for row in states)

    def stop(self):
        self.process.kill()
        self.process.wait()


def expect_no_failure(answers, result):
    """Counts the requests, and those that failed, of which there must be none."""
    bad = [answer for answer in answers if answer[1] not in (200, 400, 429)]
    result.count("requests", len(answers))
    result.count("failed requests", len(bad))
    kinds = sorted({f"{answer[1] or answer[2]}" for answer in bad})
    result.expect(not bad, f"{len(bad)} of {len(answers)} requests failed: {kinds[:5]} (REL-SHUT-1)")


def rolling_restart(options, number, rng):
    """Nodes are restarted one after another under load, behind a proxy that asks whether they are ready."""
    result = Result()
    site = Site(options, "postgres", 2, arguments=["--drain", "3"])
    proxy = HAProxy(site)
    answers = []

    def watch(answer, error, begin):
        answers.append((begin, answer.status if answer else 0, error))

    load = Load(site, 6, rng.randrange(1 << 30), watch=watch, ports=[proxy.port])
    time.sleep(1)
    for index in range(number):
        node = site.nodes[index % 2]
        begin = time.monotonic()
        code = node.stop()
        result.note("s to end", time.monotonic() - begin)
        result.expect(code == 0, f"a node ended with {code}")
        node.start()
        proxy.await_node(node)
        time.sleep(rng.random())
        result.count("restarts")
    load.stop()
    proxy.stop()
    expect_no_failure(answers, result)
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    return result


# Descriptors


def descriptors(options, number, rng):
    """A node that may open 256 files, and clients that open more connections than that and keep them."""
    result = Result()
    for _ in range(number):
        site = Site(options, prefix=["prlimit", "--nofile=256:256"])
        port = site.nodes[0].port
        load = Load(site, 4, rng.randrange(1 << 30))
        time.sleep(1)
        held = []
        for _ in range(400):
            connection = socket.socket()
            connection.settimeout(0.2)
            try:
                connection.connect(("127.0.0.1", port))
                held.append(connection)
            except OSError:
                connection.close()
        result.count("connections held", len(held))
        time.sleep(5)
        alive = result.expect(site.nodes[0].is_alive(), "the server is gone")
        for connection in held:
            connection.close()
        end = time.monotonic()

        def is_well():
            try:
                return ask(port, "GET", "/readyz", timeout=2).status == 200
            except (OSError, http.client.HTTPException):
                return False

        is_back = alive and wait_until(is_well, 15)
        result.note("s until ready again", time.monotonic() - end)
        result.expect(is_back, "not ready 15 s after the connections were gone")
        time.sleep(1)
        load.stop()
        after = sum(account.at > end for account in load.accounts)
        result.expect(after > 0, "no user signed up afterwards")
        audit(site, load.accounts, load.failures, result, rng=rng)
        site.stop(result)
        result.count("floods")
    return result

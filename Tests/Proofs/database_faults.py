"""The database stops, freezes, is slow, cannot be reached, accepts no more connections or is read-only, under load."""

import http.client
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import threading
import time

from world import Broken, Load, Postgres, Result, Site, ask, audit, wait_until

# How long a fault lasts, in seconds: in a short trial, by default, and in full.
QUICK, USUAL, FULL = 6, 20, 60
# REL-DB-1: each answer within 3 s; delays of the client itself on a busy machine do not count.
LONGEST_ANSWER, TOLERANCE = 3, 0.25
ALLOWED = {200, 400, 429, 503}


class Proxy:
    """A proxy between the nodes and the database: forwards at once, late, or not at all."""

    def __init__(self, postgres):
        self.target = (postgres.place.hostname, postgres.place.port)
        self.delay, self.passes, self.pairs = 0, threading.Event(), []
        self.passes.set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = postgres.through(self.listener.getsockname()[1])
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.passes.wait()
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            self.pairs.append((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, target, source is server), daemon=True).start()

    def copy(self, source, target, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer and self.delay:
                    time.sleep(self.delay)
                self.passes.wait()
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def reset(self):
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


# Faults: each begins when called, and returns the function that ends it.


def stop(postgres, proxy):
    folder = postgres.rows("SHOW data_directory")[0][0]
    command = shlex.split((pathlib.Path(folder) / "postmaster.opts").read_text())
    processes = postgres.processes()
    owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def start():
        server = subprocess.Popen(
            [*owner, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        is_back = lambda: subprocess.run(
            ["psql", "-qAtX", postgres.url, "-c", "SELECT 1"], capture_output=True).returncode == 0
        # The fault is over when the database accepts connections again.
        if not wait_until(is_back, 30):
            server.kill()

    return start


def freeze(postgres, proxy):
    processes = postgres.processes()
    for process in processes:
        os.kill(process, signal.SIGSTOP)

    def thaw():
        for process in processes:
            try:
                os.kill(process, signal.SIGCONT)
            except ProcessLookupError:
                pass

    return thaw


def latency(postgres, proxy):
    proxy.delay = 2
    return lambda: setattr(proxy, "delay", 0)


def unreachable(postgres, proxy):
    """No packet is delivered, and no error is reported."""
    proxy.passes.clear()
    return proxy.passes.set


def resets(postgres, proxy):
    """All connections are reset, repeatedly."""
    over = threading.Event()

    def work():
        while not over.wait(0.2):
            proxy.reset()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return lambda: (over.set(), thread.join())


def connection_limit(postgres, proxy):
    """Other clients hold every available connection."""
    greeting = b"user\0native_auth\0database\0native_auth\0\0"
    greeting = (len(greeting) + 8).to_bytes(4, "big") + (196608).to_bytes(4, "big") + greeting
    holders, over = [], threading.Event()

    def hold():
        holder = socket.create_connection(proxy.target)
        holder.sendall(greeting)
        # It is accepted, R, or refused because there are too many, E.
        if holder.recv(1) == b"R":
            holders.append(holder)
            return True
        holder.close()
        return False

    def work():
        # The first client gets the connections that the nodes lose.
        while not over.is_set():
            proxy.reset()
            while hold():
                pass
            over.wait(0.05)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def end():
        over.set()
        thread.join()
        for holder in holders:
            holder.close()

    return end


def read_only(postgres, proxy):
    def turn(value):
        for text in (f"ALTER SYSTEM SET default_transaction_read_only = {value}", "SELECT pg_reload_conf()"):
            text = "SET default_transaction_read_only = off; " + text if "SYSTEM" not in text else text
            subprocess.run(
                ["psql", "-qAtX", postgres.url + "?options=-cdefault_transaction_read_only%3Doff", "-c", text], check=True,
                stdout=subprocess.DEVNULL)

    turn("on")
    return lambda: turn("off")


FAULTS = {
    "stop": stop, "freeze": freeze, "latency of 2 s": latency, "unreachable": unreachable, "resets": resets,
    "connection limit": connection_limit, "read-only": read_only,
}


class Probes:
    """Requests from each node, all the time, a page without the database, and whether it is ready."""

    def __init__(self, site):
        self.site, self.over, self.seen = site, threading.Event(), []
        self.threads = [threading.Thread(target=self.run, args=(node,), daemon=True) for node in site.nodes]
        for thread in self.threads:
            thread.start()

    def run(self, node):
        while not self.over.wait(0.25):
            for path in ("/livez", "/contoso/v2.0/.well-known/openid-configuration", "/contoso/discovery/v2.0/keys", "/readyz"):
                begin = time.monotonic()
                try:
                    status = ask(node.port, "GET", path).status
                except (OSError, http.client.HTTPException):
                    status = 0
                self.seen.append((begin, path.rsplit("/", 1)[1], status, time.monotonic() - begin))

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


def strike(options, name, fault, seconds, rng, result):
    postgres = Postgres("max_connections=40")
    proxy = Proxy(postgres)
    site = Site(options, postgres, 2, database=proxy.url)
    answers = []

    def watch(answer, error, begin):
        status, retry, lasted = 0, None, time.monotonic() - begin
        if answer:
            status, retry, lasted = answer.status, answer.headers["Retry-After"], answer.seconds
        answers.append((begin, status, lasted, retry, error))

    # A node answers from memory what it has read once; on a busy machine its first signing key takes seconds to make.
    for node in site.nodes:
        if not wait_until(lambda: ask(node.port, "GET", "/contoso/discovery/v2.0/keys", timeout=30).status == 200, 60):
            raise Broken(f"node {node.number} has no signing key")
    load = Load(site, 6, rng.randrange(1 << 30), watch=watch)
    probes = Probes(site)
    time.sleep(2)
    begin = time.monotonic()
    end_fault = fault(postgres, proxy)
    time.sleep(seconds)
    returning = time.monotonic()
    end_fault()
    end = time.monotonic()
    time.sleep(7)
    load.stop()
    probes.stop()

    during = [answer for answer in answers if begin <= answer[0] < end]
    slowest = max((answer[2] for answer in during), default=0)
    result.count("requests during a fault", len(during))
    result.count("503 of them", sum(answer[1] == 503 for answer in during))
    result.note("s until an answer during a fault", slowest)
    late = sum(answer[2] > LONGEST_ANSWER + TOLERANCE for answer in during)
    result.expect(not late, f"{name}: {late} of {len(during)} answers came later than 3 s, the slowest after {slowest:.1f} s")
    wrong = {answer[1] for answer in answers} - ALLOWED
    result.expect(not wrong, f"{name}: answers {wrong}, errors {[str(answer[4]) for answer in answers if answer[4]][:3]}")
    hasty = {answer[3] for answer in during if answer[1] == 503 and not 2 <= int(answer[3] or 0) <= 10}
    result.expect(not hasty, f"{name}: 503 with Retry-After {hasty}")
    result.expect(any(answer[1] == 503 for answer in during) or name == "resets", f"{name}: no client noticed the fault")

    for path in ("livez", "openid-configuration", "keys"):
        bad = [probe for probe in probes.seen if probe[1] == path and (probe[2] != 200 or probe[3] > 1)]
        result.expect(not bad, f"{name}: {path} answered {[(p[2], round(p[3], 1)) for p in bad[:3]]}, {len(bad)} times")
    if name != "resets":
        # A value cached for a second may still be used, and detecting the fault may take as long as an answer.
        asked = [p for p in probes.seen if p[1] == "readyz" and begin + 4 < p[0] and p[0] + p[3] < returning]
        bad = [p for p in asked if p[2] != 503]
        result.expect(
            not bad, f"{name}: readyz answered {[(p[2], round(p[3], 2)) for p in bad[:3]]} during the fault, {len(bad)} times of"
            f" {len(asked)}")
    recovered = [p[0] for p in probes.seen if p[1] == "readyz" and p[0] > end and p[2] == 200]
    seconds_to_ready = min(recovered) - end if recovered else 99
    later = [answer for answer in answers if answer[0] > end + 5 and answer[1] not in (200, 400)]
    result.note("s until ready again", seconds_to_ready)
    result.expect(seconds_to_ready < 5, f"{name}: ready {seconds_to_ready:.1f} s after the database came back")
    result.expect(not later, f"{name}: {len(later)} answers {later[:1]} though the database has been back for 5 s")
    after = [account.at for account in load.accounts if account.at > end]
    seconds_to_account = min(after) - end if after else 99
    result.note("s until the next sign-up was complete", seconds_to_account)
    result.expect(seconds_to_account < 5, f"{name}: the next sign-up was complete after {seconds_to_account:.1f} s")
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, sample=15, rng=rng)
    site.stop(result)
    proxy.listener.close()
    postgres.stop()


def database_faults(options, number, rng):
    result = Result()
    seconds = QUICK if options.quick else FULL if options.full else USUAL
    for _ in range(number):
        for name, fault in FAULTS.items():
            if options.only and name != options.only:
                continue
            before = len(result.faults)
            strike(options, name, fault, seconds, rng, result)
            result.count("faults")
            print(f"    {name}: {'ok' if len(result.faults) == before else result.faults[before:]}", flush=True)
    return result

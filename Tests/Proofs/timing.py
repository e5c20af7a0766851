#!/usr/bin/env python3
"""Whether times tell what answers hide: strict mode, one node, names with an account and names without (T-1), accounts that are
locked and accounts that are not (T-2).

timing.py COUNT --binary PATH of native-auth [--seed N]

COUNT pairs at each endpoint, the two classes in random order over one connection. A class shows at an endpoint when the 95 %
interval of the difference of medians lies outside ± max(1 ms, 5 %), and a threshold that was chosen on one half of the times is
right about more than 55 % of the other half. What shows is measured again, and fails when it shows in two of three runs
(`SEC-ENUM-6`). Ends with one line that says passed or FAILED, and exit code 1 for the latter.
"""

import argparse
import atexit
import collections
import gc
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

from world import Result

CODE_APP = "00001111-aaaa-2222-bbbb-3333cccc4444"
PASSWORD_APP = "11112222-bbbb-3333-cccc-4444dddd5555"
PASSWORD = "Kr4ftig-Vinter#82"
TENANTS = f"""
tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.onmicrosoft.com
    displayName: Contoso
    enumeration: strict
    applications:
      - {{clientId: {CODE_APP}, displayName: Codes, signIn: emailOneTimePasscode}}
      - {{clientId: {PASSWORD_APP}, displayName: Passwords, signIn: emailPassword}}
"""
# The number of names in each class; an account is used many times, and so is a name without one.
NAMES = 10
WARM_UP = 200
RESAMPLES = 400


def receive_mail():
    """The port of a mail server in a separate process: its time for a mail is not the identity server's."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    child = os.fork()
    if child:
        atexit.register(os.kill, child, signal.SIGKILL)
        return listening.getsockname()[1]
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = connection.makefile("rb")
        try:
            connection.sendall(b"220 stub\r\n")
            while line := lines.readline():
                if line[:4] == b"DATA":
                    connection.sendall(b"354 send the mail\r\n")
                    while lines.readline() not in (b".\r\n", b""):
                        pass
                connection.sendall(b"250 ok\r\n")
                if line[:4] == b"QUIT":
                    break
        except OSError:
            pass
        connection.close()


class Server:
    def __init__(self, binary, limits, mail_port):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "tenants.yaml").write_text(TENANTS)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", self.folder / "data", "--config", self.folder / "tenants.yaml"]
            + ["--smtp", f"smtp://127.0.0.1:{mail_port}", "--limits", limits, "--trusted-proxies", "127.0.0.1", "--log-level", "critical"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment, text=True,
        )
        atexit.register(self.process.kill)
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(line.split()[1]).netloc, timeout=60)
                return
        sys.exit("timing.py: the server did not start")

    def connect(self):
        """Connects again, because the server ends unused connections."""
        self.connection.close()
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path, **fields):
        """The answer, and the milliseconds that it took."""
        body = urllib.parse.urlencode(fields)
        # Each request has another source, so that no limit per source applies.
        source = ".".join(["10"] + [str(random.randrange(256)) for _ in range(3)])
        headers = {"content-type": "application/x-www-form-urlencoded", "x-forwarded-for": source}
        begin = time.perf_counter_ns()
        self.connection.request("POST", f"/contoso/{path}", body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        return json.loads(text), (time.perf_counter_ns() - begin) / 1e6

    def sign_up(self, client, address):
        more = {"password": PASSWORD} if client == PASSWORD_APP else {}
        types = "oob password redirect"
        token = self.post("signup/v1.0/start", client_id=client, username=address, challenge_type=types, **more)[0]
        token = token["continuation_token"]
        sent = self.post("signup/v1.0/challenge", client_id=client, continuation_token=token)[0]["continuation_token"]
        for _ in range(2_000):
            self.connection.request("GET", f"/dev/inbox.json?to={address}")
            mails = json.loads(self.connection.getresponse().read())
            if mails:
                break
            time.sleep(0.005)
        done, _ = self.post(
            "signup/v1.0/continue", client_id=client, continuation_token=sent, grant_type="oob", oob=mails[0]["code"])
        if "continuation_token" not in done or "error" in done:
            sys.exit(f"timing.py: {address} could not sign up: {done}")

    def walk(self, steps):
        """Takes the steps of a flow, each with the previous token; returns the times by endpoint."""
        times, token = {}, None
        for path, fields in steps:
            answer, times[path] = self.post(path, **fields, **({"continuation_token": token} if token else {}))
            token = answer.get("continuation_token") or token
        return times


def sign_in(client, name, guess):
    secret = {"grant_type": "password", "password": guess} if client == PASSWORD_APP else {"grant_type": "oob", "oob": "00000000"}
    return [
        ("oauth2/v2.0/initiate", {"client_id": client, "username": name, "challenge_type": "oob password redirect"}),
        ("oauth2/v2.0/challenge", {"client_id": client}),
        ("oauth2/v2.0/token", {"client_id": client, "scope": "openid offline_access", **secret}),
    ]


def reset(name):
    return [
        ("resetpassword/v1.0/start", {"client_id": PASSWORD_APP, "username": name, "challenge_type": "oob redirect"}),
        ("resetpassword/v1.0/challenge", {"client_id": PASSWORD_APP}),
        ("resetpassword/v1.0/continue", {"client_id": PASSWORD_APP, "grant_type": "oob", "oob": "00000000"}),
    ]


def sign_up(name):
    return [
        ("signup/v1.0/start", {"client_id": CODE_APP, "username": name, "challenge_type": "oob redirect"}),
        ("signup/v1.0/challenge", {"client_id": CODE_APP}),
        ("signup/v1.0/continue", {"client_id": CODE_APP, "grant_type": "oob", "oob": "00000000"}),
    ]


def measure(server, flow, count):
    """The times of `count` walks of each class by endpoint: a pair of lists, class True first."""
    server.connect()
    times = collections.defaultdict(lambda: ([], []))
    order = [True, False] * count
    random.shuffle(order)
    for member in [index % 2 == 0 for index in range(min(WARM_UP, 2 * count))]:
        server.walk(flow(member))
    gc.disable()
    for member in order:
        for path, milliseconds in server.walk(flow(member)).items():
            times[path][0 if member else 1].append(milliseconds)
    gc.enable()
    return times


def shows(one, other):
    """The figures of two lists of times, and whether they distinguish the classes."""
    medians = statistics.median(one), statistics.median(other)
    differences = sorted(
        statistics.median(random.choices(one, k=len(one))) - statistics.median(random.choices(other, k=len(other)))
        for _ in range(RESAMPLES)
    )
    low, high = differences[int(0.025 * RESAMPLES)], differences[int(0.975 * RESAMPLES)]
    labelled = [(value, True) for value in one] + [(value, False) for value in other]
    random.shuffle(labelled)
    half = len(labelled) // 2
    threshold, is_slower = best_threshold(labelled[:half])
    accuracy = sum((value > threshold) == (label == is_slower) for value, label in labelled[half:]) / (len(labelled) - half)
    bound = max(1.0, 0.05 * max(medians))
    text = (
        f"medians {medians[0]:.3f} and {medians[1]:.3f} ms, difference {low:+.3f} to {high:+.3f} ms,"
        f" classifier {100 * accuracy:.1f} %"
    )
    return text, (low > bound or high < -bound) and accuracy > 0.55


def best_threshold(labelled):
    """The threshold that is right most often, and whether members of the class lie above it."""
    ordered = sorted(labelled)
    above = sum(label for _, label in ordered)
    right = above  # All above the threshold, so all called members.
    best, choice = max(right, len(ordered) - right), (float("-inf"), right >= len(ordered) - right)
    for value, label in ordered:
        right += -1 if label else 1
        if max(right, len(ordered) - right) > best:
            best, choice = max(right, len(ordered) - right), (value, right >= len(ordered) - right)
    return choice


def run(options):
    mail_port = receive_mail()
    open_server = Server(options.binary, "development", mail_port)
    limited = Server(options.binary, "production", mail_port)
    known = [f"name{number:04}@example.com" for number in range(0, 2 * NAMES, 2)]
    unknown = [f"name{number:04}@example.com" for number in range(1, 2 * NAMES, 2)]
    for name in known:
        open_server.sign_up(PASSWORD_APP, "p" + name)
        open_server.sign_up(CODE_APP, "c" + name)
    pick = lambda member: random.choice(known if member else unknown)
    flows = {
        "password sign-in": (open_server, lambda member: sign_in(PASSWORD_APP, "p" + pick(member), "Wrong-Guess#1")),
        "code sign-in": (open_server, lambda member: sign_in(CODE_APP, "c" + pick(member), None)),
        "reset": (open_server, lambda member: reset("p" + pick(member))),
        "sign-up": (open_server, lambda member: sign_up("c" + pick(member))),
    }
    # T-2: ten different guesses lock; a guess that was among the last ones never does (SEC-LOCK-1, SEC-LOCK-4).
    for name in ["locked@example.com", "freely@example.com"]:
        limited.sign_up(PASSWORD_APP, name)
    guesses = iter(range(10**9))
    locked = lambda: sign_in(PASSWORD_APP, "locked@example.com", f"Wrong-Guess#{next(guesses):09}")
    free = lambda: sign_in(PASSWORD_APP, "freely@example.com", "Wrong-Guess#000000000")
    for _ in range(10):
        limited.walk(locked())
    flows["locked account"] = (limited, lambda member: locked() if member else free())

    verdicts = collections.defaultdict(list)
    undecided = set(flows)
    for attempt in range(3):
        for flow in [flow for flow in flows if flow in undecided]:
            for path, (one, other) in measure(*flows[flow], options.count).items():
                text, does_show = shows(one, other)
                verdicts[flow, path].append(does_show)
                print(f"{flow}, {path}: {text}{', SHOWS' if does_show else ''}", flush=True)
        undecided = {flow for (flow, _), seen in verdicts.items() if any(seen) and max(seen.count(True), seen.count(False)) < 2}
        if not undecided:
            break
    failed = [endpoint for endpoint, seen in verdicts.items() if seen.count(True) >= 2]
    print(f"timing: {options.count} pairs at {len(verdicts)} endpoints: {'FAILED' if failed else 'passed'}")
    return 1 if failed else 0


def timing(options, number, rng):
    """Runs in a separate process, which stays on one core."""
    result = Result()
    command = [sys.executable, __file__, str(number), "--binary", options.binary, "--seed", str(rng.randrange(1 << 30))]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("\n".join(f"    {line}" for line in run.stdout.splitlines()))
    result.expect(run.returncode == 0, run.stdout[-1000:])
    result.count("pairs at each endpoint", number)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    # One core for this process, if there is a choice.
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sys.exit(run(options))


if __name__ == "__main__":
    main()

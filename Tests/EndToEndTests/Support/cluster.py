#!/usr/bin/env python3
"""Several nodes on one PostgreSQL database, and people who sign up, each request at a random node.

cluster.py kill N       kill −9 of a random node under load, N times
cluster.py failover N   the primary killed and a synchronous standby promoted under load, N times
cluster.py cuts N       the answer to COMMIT cut off N times under load
cluster.py guesses N    N parallel wrong guesses on one code
cluster.py races N      N races of two people for one address and one alias, each with a password of their own

Options: --binary PATH of native-auth, --nodes N (default: 2), --seed N. Mail goes over real SMTP to a receiver in this process.
Ends with a line of numbers, and exit code 1 when something was lost, half made or won twice.
"""

import argparse
import atexit
import collections
import email
import email.policy
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from aiosmtpd.controller import Controller

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
CODE_APP = "00001111-aaaa-2222-bbbb-3333cccc4444"
PASSWORD_APP = "11112222-bbbb-3333-cccc-4444dddd5555"
# How long a person tries the same request again before giving up, in seconds.
PATIENCE = 60


class Mailbox:
    """Takes all mail, and knows the newest code of each address."""

    def __init__(self):
        self.codes = collections.defaultdict(list)
        self.news = threading.Condition()
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())
        self.controller.start()

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        code = re.search(r"(?<!\d)\d{8}(?!\d)", message.get_body(("plain",)).get_content())
        with self.news:
            for address in envelope.rcpt_tos:
                self.codes[address].append(code[0] if code else None)
            self.news.notify_all()
        return "250 taken"

    def code(self, address, after, timeout):
        """The newest code once there are more than `after` mails; None when none comes."""
        with self.news:
            self.news.wait_for(lambda: len(self.codes[address]) > after, timeout)
            return self.codes[address][-1] if len(self.codes[address]) > after else None

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.controller.port}"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Node:
    """A `native-auth serve`."""

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.port = free_port()
        self.folder = cluster.folder / f"node{number}"
        self.start()

    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
        self.process = subprocess.Popen(
            [self.cluster.binary, "serve", "--port", str(self.port), "--data", self.folder, "--database"]
            + [self.cluster.database, "--master-key-file", self.cluster.key, "--smtp", self.cluster.mailbox.url]
            + ["--base-url", "http://native-auth.test", "--log-level", "critical"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment, text=True,
        )
        atexit.register(self.process.kill)
        for line in self.process.stdout:
            if line.startswith("ready "):
                return
        sys.exit("cluster.py: a node did not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Cluster:
    def __init__(self, options, database):
        self.binary, self.database = options.binary, database
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.key = self.folder / "master.key"
        self.key.write_bytes(os.urandom(32))
        self.key.chmod(0o600)
        self.mailbox = Mailbox()
        self.nodes = [Node(self, number) for number in range(options.nodes)]

    def stop(self):
        for node in self.nodes:
            node.process.terminate()
        for node in self.nodes:
            node.process.wait()
        shutil.rmtree(self.folder)

    def count(self, sql):
        return int(subprocess.check_output(["psql", "-qAtX", self.database, "-c", sql], text=True))


class Refused(Exception):
    """An answer of the API that is not the hoped-for one."""


class Person:
    """Uses the API as an app does: a request that brings no answer, or 503, is repeated, perhaps at another node."""

    def __init__(self, cluster, client=CODE_APP, seed=None):
        self.cluster, self.client = cluster, client
        self.random = random.Random(seed)
        self.repeated = 0

    def post(self, path, fields):
        form = urllib.parse.urlencode({"client_id": self.client} | fields)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        end = time.monotonic() + PATIENCE
        while True:
            node = self.random.choice(self.cluster.nodes)
            connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=10)
            try:
                connection.request("POST", f"/contoso/{path}", form, headers)
                response = connection.getresponse()
                status, body = response.status, json.loads(response.read() or b"{}")
                if status < 500:
                    return status, body
            except (OSError, http.client.HTTPException, ValueError):
                pass
            finally:
                connection.close()
            if time.monotonic() > end:
                raise Refused("no answer")
            self.repeated += 1
            time.sleep(0.05)

    def step(self, path, fields):
        status, body = self.post(path, fields)
        if status != 200:
            raise Refused(body.get("suberror") or body.get("error"), body.get("error_codes"))
        return body

    def begin(self, email, password=None, attributes=None):
        """Up to the moment when a code is in the mailbox; returns the token and the code."""
        kinds = "oob password redirect" if password else "oob redirect"
        fields = {"username": email, "challenge_type": kinds}
        if password:
            fields["password"] = password
        if attributes:
            fields["attributes"] = json.dumps(attributes)
        token = self.step("signup/v1.0/start", fields)["continuation_token"]
        challenge = {"challenge_type": kinds}
        while True:
            seen = len(self.cluster.mailbox.codes[email])
            body = self.step("signup/v1.0/challenge", challenge | {"continuation_token": token})
            token = body["continuation_token"]
            # The node that had the mail in its hands may be gone; a person asks for another code then.
            code = self.cluster.mailbox.code(email, seen, 3)
            if code:
                return token, code

    def finish(self, token, code):
        fields = {"continuation_token": token, "grant_type": "oob", "oob": code}
        return self.step("signup/v1.0/continue", fields)["continuation_token"]

    def sign_up(self, address, password=None):
        while True:
            try:
                return self.finish(*self.begin(address, password))
            except Refused as refusal:
                # A request that was repeated sent two codes, and the first one came last; or mails were lost until the flow
                # gave no more codes. A person begins anew.
                is_mail_trouble = refusal.args[0] == "invalid_oob_value" or refusal.args[1:] == ([701014],)
                if not is_mail_trouble or not self.repeated:
                    raise

    def is_taken(self, email):
        status, body = self.post("signup/v1.0/start", {"username": email, "challenge_type": "oob redirect"})
        return status == 400 and body.get("error") == "user_already_exists"

    def can_sign_in(self, email, password):
        start = {"username": email, "challenge_type": "password redirect"}
        status, body = self.post("oauth2/v2.0/initiate", start)
        if status != 200:
            return body.get("error")
        token = body["continuation_token"]
        challenge = {"continuation_token": token, "challenge_type": "password redirect"}
        token = self.step("oauth2/v2.0/challenge", challenge)["continuation_token"]
        grant = {"grant_type": "password", "password": password, "scope": "openid"}
        status, body = self.post("oauth2/v2.0/token", grant | {"continuation_token": token})
        return status == 200


class Load:
    """People who sign up one after another until they are told to stop."""

    def __init__(self, cluster, people, seed):
        self.cluster, self.acknowledged, self.failures = cluster, [], []
        self.times = []
        self.over = threading.Event()
        self.people = [Person(cluster, (CODE_APP, PASSWORD_APP)[n % 2], seed + n) for n in range(people)]
        self.threads = [threading.Thread(target=self.run, args=(n, person)) for n, person in enumerate(self.people)]
        for thread in self.threads:
            thread.start()

    def run(self, number, person):
        attempt = 0
        while not self.over.is_set():
            attempt += 1
            address = f"p{number}-{attempt}-{id(self)}@example.com"
            try:
                person.sign_up(address, "Tulip-Harbour-42" if number % 2 else None)
                self.acknowledged.append(address)
                self.times.append(time.monotonic())
            except Refused as refusal:
                self.failures.append((address, refusal.args))

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    @property
    def repeated(self):
        return sum(person.repeated for person in self.people)


HALVES = """
SELECT (SELECT count(*) FROM users u WHERE NOT EXISTS
          (SELECT 1 FROM identifiers i WHERE i.tenant = u.tenant AND i."user" = u.id))
     + (SELECT count(*) FROM identifiers i WHERE NOT EXISTS
          (SELECT 1 FROM users u WHERE i.tenant = u.tenant AND i."user" = u.id))
     + (SELECT count(*) FROM users WHERE client = '\\x11112222bbbb3333cccc4444dddd5555' AND password_hash IS NULL)
"""


def audit(cluster, acknowledged):
    """How many of the acknowledged accounts are gone, and how many accounts are half made."""
    person = Person(cluster)
    lost = [email for email in acknowledged if not person.is_taken(email)]
    return len(lost), cluster.count(HALVES)


def kill(options, rng):
    server, url = start_postgres()
    cluster = Cluster(options, url)
    acknowledged, failures, repeated = [], [], 0
    for cycle in range(options.count):
        load = Load(cluster, 6, rng.randrange(1 << 30))
        time.sleep(rng.uniform(0.3, 1.5))
        victim = rng.choice(cluster.nodes)
        victim.kill()
        time.sleep(rng.uniform(0.1, 0.8))
        victim.start()
        load.stop()
        acknowledged += load.acknowledged
        failures += load.failures
        repeated += load.repeated
    lost, halves = audit(cluster, acknowledged)
    cluster.stop()
    server.stdin.close()
    server.wait()
    for failure in failures[:5]:
        print("failed:", failure)
    verdict = not lost and not halves and not failures and len(acknowledged) >= options.count
    print(
        f"kill: {options.count} nodes killed of {options.nodes} on PostgreSQL, {len(acknowledged)} acknowledged accounts,"
        f" {lost} lost, {halves} half, {len(failures)} failed, {repeated} requests repeated"
    )
    return verdict


def start_postgres(*settings):
    server = subprocess.Popen(
        [ROOT / "scripts/with-postgres", *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    url = server.stdout.readline().strip()
    if not url.startswith("postgresql://"):
        sys.exit("cluster.py: PostgreSQL did not start")
    return server, url


class Pair:
    """A primary and a synchronous standby, made by hand."""

    def __init__(self):
        found = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True).stdout.strip()
        candidates = [pathlib.Path(found)] + sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        self.bin = next(folder for folder in candidates if (folder / "initdb").exists())
        self.folder = pathlib.Path(tempfile.mkdtemp())
        # PostgreSQL refuses to run as root.
        self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.owner:
            shutil.chown(self.folder, "postgres", "postgres")
        self.ports = [free_port(), free_port()]
        self.generation = 0
        self.primary = 0
        self.folders = {0: self.data(0)}
        self.run("initdb", "-D", self.folders[0], "--username=native_auth", "--auth=trust", "--encoding=UTF8", "--no-sync")
        self.start(0)
        self.sql(0, "postgres", "CREATE DATABASE native_auth")
        self.join(1)

    def data(self, number):
        return str(self.folder / f"data{number}-{self.generation}")

    def run(self, program, *arguments):
        subprocess.run(
            [*self.owner, self.bin / program, *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def start(self, number):
        settings = {
            "port": self.ports[number], "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder,
            "max_connections": 200, "hot_standby": "on", "wal_keep_size": "256MB",
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        log = str(self.folder / f"log{number}")
        self.run("pg_ctl", "start", "--silent", "-w", "-D", self.folders[number], "-o", options, "-l", log)

    def sql(self, number, database, text):
        url = f"postgresql://native_auth@127.0.0.1:{self.ports[number]}/{database}"
        return subprocess.check_output(["psql", "-qAtX", url, "-c", text], text=True).strip()

    def join(self, number):
        """Makes a new standby of the primary, and has commits wait for it from when it is there."""
        self.generation += 1
        folder = self.folders[number] = self.data(number)
        source = f"host=127.0.0.1 port={self.ports[self.primary]} user=native_auth application_name=standby"
        self.run("pg_basebackup", "-D", folder, "-R", "-X", "stream", "-c", "fast", "-d", source)
        # The settings of the primary came along; who is promoted waits for nobody.
        with (pathlib.Path(folder) / "postgresql.auto.conf").open("a") as file:
            file.write("\nsynchronous_standby_names = ''\n")
        self.start(number)
        self.sql(self.primary, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.sql(self.primary, "postgres", "SELECT pg_reload_conf()")
        end = time.monotonic() + 30
        while self.sql(self.primary, "postgres", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            if time.monotonic() > end:
                sys.exit("cluster.py: the standby does not follow")
            time.sleep(0.1)

    def fail_over(self):
        """Kills the primary as a power cut would, and promotes the standby."""
        postmaster = pathlib.Path(self.folders[self.primary]) / "postmaster.pid"
        leader = int(postmaster.read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(leader)], capture_output=True, text=True).stdout.split()
        for process in [leader, *map(int, children)]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.primary = 1 - self.primary
        self.run("pg_ctl", "promote", "--silent", "-w", "-D", self.folders[self.primary])

    def stop(self):
        for folder in self.folders.values():
            try:
                self.run("pg_ctl", "stop", "--silent", "-m", "immediate", "-D", folder)
            except subprocess.CalledProcessError:
                pass
        shutil.rmtree(self.folder)

    @property
    def url(self):
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"postgresql://native_auth@{hosts}/native_auth?target_session_attrs=read-write"


def failover(options, rng):
    pair = Pair()
    cluster = Cluster(options, pair.url)
    acknowledged, failures, repeated, gaps, later = [], [], 0, [], 0
    for cycle in range(options.count):
        load = Load(cluster, 6, rng.randrange(1 << 30))
        time.sleep(rng.uniform(2, 4))
        begin = time.monotonic()
        pair.fail_over()
        promoted = time.monotonic()
        time.sleep(5)
        load.stop()
        after = [moment for moment in load.times if moment > promoted]
        gaps.append((promoted - begin, min(after) - promoted if after else float("inf")))
        later += len(after)
        acknowledged += load.acknowledged
        failures += load.failures
        repeated += load.repeated
        if cycle + 1 < options.count:
            pair.join(1 - pair.primary)
    lost, halves = audit(cluster, acknowledged)
    cluster.stop()
    pair.stop()
    for failure in failures[:5]:
        print("failed:", failure)
    slowest = max(gap for _, gap in gaps)
    print(
        f"failover: {options.count} primaries killed, {len(acknowledged)} acknowledged accounts, {later} of them by the"
        f" promoted standby, {lost} lost, {halves} half,"
        f" {len(failures)} failed, {repeated} requests repeated; standby promoted within"
        f" {max(gap for gap, _ in gaps):.1f} s, next sign-up complete {slowest:.1f} s later at most"
    )
    return not lost and not halves and not failures and slowest < 5


class CuttingProxy:
    """Stands between the nodes and the database, and loses some answers to COMMIT with their connections."""

    def __init__(self, url, rng):
        place = urllib.parse.urlparse(url)
        self.target, self.random = (place.hostname, place.port), rng
        # Percent of the commits whose answers are lost.
        self.rate, self.cuts, self.lock = 0, 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        port = self.listener.getsockname()[1]
        self.url = f"postgresql://{place.username}@127.0.0.1:{port}{place.path}?sslmode=disable&gssencmode=disable"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.target)
            threading.Thread(target=self.forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self.answer, args=(server, client), daemon=True).start()

    def forward(self, client, server):
        self.copy(client, server, lambda data: data)

    def answer(self, server, client):
        waiting = b""

        def whole_messages(data):
            """What may go on: whole messages, each a letter, its length and its content, up to the lost one."""
            nonlocal waiting
            waiting += data
            end = 0
            while len(waiting) >= end + 5:
                length = 1 + int.from_bytes(waiting[end + 1 : end + 5], "big")
                if len(waiting) < end + length:
                    break
                if waiting[end : end + length] == b"C\0\0\0\x0bCOMMIT\0" and self.is_cut():
                    return None
                end += length
            ready, waiting = waiting[:end], waiting[end:]
            return ready

        self.copy(server, client, whole_messages)

    def is_cut(self):
        with self.lock:
            is_cut = self.random.random() * 100 < self.rate
            self.cuts += is_cut
            return is_cut

    @staticmethod
    def copy(source, target, change):
        try:
            while data := source.recv(65536):
                changed = change(data)
                if changed is None:
                    break
                target.sendall(changed)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def cuts(options, rng):
    server, url = start_postgres()
    proxy = CuttingProxy(url, rng)
    cluster = Cluster(options, proxy.url)
    load = Load(cluster, 6, rng.randrange(1 << 30))
    proxy.rate = 20
    while proxy.cuts < options.count:
        time.sleep(0.05)
    proxy.rate = 0
    load.stop()
    # Past the proxy.
    cluster.database = url
    lost, halves = audit(cluster, load.acknowledged)
    users = cluster.count("SELECT count(*) FROM users")
    events = cluster.count("SELECT count(*) FROM audit WHERE kind = 'signup.completed'")
    cluster.stop()
    server.stdin.close()
    server.wait()
    for failure in load.failures[:5]:
        print("failed:", failure)
    print(
        f"cuts: {proxy.cuts} answers to COMMIT lost, {len(load.acknowledged)} acknowledged accounts, {users} users,"
        f" {events} completions in the audit trail, {lost} lost, {halves} half, {len(load.failures)} failed,"
        f" {load.repeated} requests repeated"
    )
    return users == events == len(load.acknowledged) and not lost and not halves and not load.failures


def parallel(count, work, threads=32):
    """Runs work(0) … work(count - 1) on threads that begin together; returns the results."""
    results, numbers, lock = [], iter(range(count)), threading.Lock()
    barrier = threading.Barrier(threads)

    def run():
        barrier.wait()
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            result = work(number)
            with lock:
                results.append(result)

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


def guesses(options, rng):
    server, url = start_postgres()
    cluster = Cluster(options, url)
    token, code = Person(cluster).begin("dana@example.com")
    people = [Person(cluster, seed=rng.randrange(1 << 30)) for _ in range(options.count)]

    def guess(number):
        wrong = f"{(int(code) + 1 + number) % 100_000_000:08}"
        fields = {"continuation_token": token, "grant_type": "oob", "oob": wrong}
        status, body = people[number].post("signup/v1.0/continue", fields)
        return status == 200

    accepted = sum(parallel(options.count, guess))
    compared = cluster.count("SELECT coalesce(max(code_attempts), 0) FROM flows")
    events = cluster.count("SELECT count(*) FROM audit WHERE kind = 'otp.failed'")
    try:
        Person(cluster).finish(token, code)
        is_open = True
    except Refused:
        is_open = False
    cluster.stop()
    server.stdin.close()
    server.wait()
    print(
        f"guesses: {options.count} in parallel on {options.nodes} nodes, {compared} compared ({events} events),"
        f" {accepted} accepted, the right code {'still works' if is_open else 'is dead'}"
    )
    return compared <= 5 and events <= 5 and not accepted and not is_open


def races(options, rng):
    server, url = start_postgres()
    cluster = Cluster(options, url)
    winners, repeated = collections.Counter(), []

    def race(number):
        by_alias = number % 2
        people = [Person(cluster, PASSWORD_APP, rng.randrange(1 << 30)) for _ in range(2)]
        emails = [f"r{number}@example.com", f"r{number}{'b' if by_alias else ''}@example.com"]
        passwords = [f"Tulip-Harbour-{number}a", f"Amber-Lantern-{number}b"]
        attributes = {"flatusername": f"alias{number}"} if by_alias else None
        begun = []
        for person, email, password in zip(people, emails, passwords):
            begun.append(person.begin(email, password, attributes))
        repeated.append(sum(person.repeated for person in people))
        if repeated[-1]:
            # A challenge that was repeated sent two codes, and nobody can tell whose is which; those two begin anew.
            return race(number + options.count)
        outcomes = [None, None]
        start = threading.Barrier(2)

        def finish(index):
            start.wait()
            try:
                people[index].finish(*begun[index])
                outcomes[index] = "won"
            except Refused as refusal:
                outcomes[index] = refusal.args[0]

        threads = [threading.Thread(target=finish, args=(index,)) for index in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        name = f"alias{number}" if by_alias else emails[0]
        works = [people[0].can_sign_in(name, password) for password in passwords]
        return outcomes, works

    results = parallel(options.count, race, threads=4)
    for outcomes, works in results:
        is_right = outcomes.count("won") == 1 and works == [outcome == "won" for outcome in outcomes]
        winners["right" if is_right else f"{outcomes} {works}"] += 1
    users = cluster.count("SELECT count(*) FROM users")
    cluster.stop()
    server.stdin.close()
    server.wait()
    print(
        f"races: {options.count} for one address or one alias on {options.nodes} nodes, {users} users, {dict(winners)},"
        f" {sum(repeated)} requests repeated"
    )
    return winners == {"right": options.count} and users == options.count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proof", choices=["kill", "failover", "cuts", "guesses", "races"])
    parser.add_argument("count", type=int)
    parser.add_argument("--binary", default=str(ROOT / ".build/debug/native-auth"))
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    # Whatever happens, no thread of a half-made cluster keeps the process alive, and its children end with their pipes.
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), atexit._run_exitfuncs(), os._exit(1))
    proof = {"kill": kill, "failover": failover, "cuts": cuts, "guesses": guesses, "races": races}[options.proof]
    sys.exit(0 if proof(options, random.Random(options.seed)) else f"cluster.py: {options.proof} FAILED, seed {options.seed}")


main()

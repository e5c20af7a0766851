"""Servers and databases that are killed, and conflicting requests at the same moment."""

import http.client
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

from world import (
    CODE_APP, PASSWORD_APP, Broken, Load, Person, Postgres, Refused, Result, Site, audit, count, free_port, parallel,
)


def kill(options, number, rng, store, nodes):
    """Kills a random node under mixed load, and starts it again, `number` times."""
    result = Result()
    site = Site(options, store, nodes)
    load = Load(site, 6, rng.randrange(1 << 30))
    for _ in range(number):
        time.sleep(rng.uniform(0.2, 1.0))
        victim = rng.choice(site.nodes)
        victim.kill()
        time.sleep(rng.uniform(0, 0.3))
        seconds = victim.start()
        result.note("s until ready again", seconds)
        result.expect(seconds < 5, f"ready again after {seconds:.1f} s")
    load.stop()
    result.count("kills", number)
    result.count("requests repeated", load.repeated)
    result.counts.update(load.done)
    result.expect(len(load.accounts) >= number, f"only {len(load.accounts)} accounts: no load worth the name")
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    return result


def kill_sqlite(options, number, rng):
    return kill(options, number, rng, "sqlite", 1)


def kill_postgres(options, number, rng):
    return kill(options, number, rng, "postgres", 2)


class Pair:
    """A primary and a synchronous standby, set up by hand."""

    def __init__(self):
        found = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True).stdout.strip()
        candidates = [pathlib.Path(found)] + sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        self.bin = next(folder for folder in candidates if (folder / "initdb").exists())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
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
        return subprocess.check_output(["psql", "-qAtX", "-F", "\x1f", url, "-c", text], text=True).strip()

    def rows(self, sql):
        sql = sql.replace("$BYTES'", "'\\x")
        output = self.sql(self.primary, "native_auth", sql)
        return [tuple(line.split("\x1f")) for line in output.splitlines()]

    def integrity(self):
        return "ok"

    def join(self, number):
        """Makes a new standby of the primary; commits wait for it once it is connected."""
        self.generation += 1
        folder = self.folders[number] = self.data(number)
        source = f"host=127.0.0.1 port={self.ports[self.primary]} user=native_auth application_name=standby"
        self.run("pg_basebackup", "-D", folder, "-R", "-X", "stream", "-c", "fast", "-d", source)
        # The settings of the primary were copied; a promoted server waits for no standby.
        with (pathlib.Path(folder) / "postgresql.auto.conf").open("a") as file:
            file.write("\nsynchronous_standby_names = ''\n")
        self.start(number)
        self.sql(self.primary, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.sql(self.primary, "postgres", "SELECT pg_reload_conf()")
        end = time.monotonic() + 30
        while self.sql(self.primary, "postgres", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            if time.monotonic() > end:
                raise Broken("the standby does not follow")
            time.sleep(0.1)

    def fail_over(self):
        """Kills the primary like a power cut, and promotes the standby."""
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


def failover(options, number, rng):
    result = Result()
    pair = Pair()
    site = Site(options, pair, 2, database=pair.url)
    for cycle in range(number):
        load = Load(site, 6, rng.randrange(1 << 30))
        time.sleep(rng.uniform(2, 4))
        begin = time.monotonic()
        pair.fail_over()
        promoted = time.monotonic()
        time.sleep(5)
        load.stop()
        after = [account.at for account in load.accounts if account.at > promoted]
        seconds = min(after) - promoted if after else float("inf")
        result.note("s to promote the standby", promoted - begin)
        result.note("s from there to the next complete sign-up", seconds)
        result.expect(seconds < 5, f"the next sign-up was complete {seconds:.1f} s after the promotion")
        result.count("accounts made by the promoted standby", len(after))
        result.count("requests repeated", load.repeated)
        audit(site, load.accounts, load.failures, result, rng=rng)
        if cycle + 1 < number:
            pair.join(1 - pair.primary)
    result.count("primaries killed", number)
    site.stop(result)
    pair.stop()
    return result


class CuttingProxy:
    """Stands between the nodes and the database, and loses some answers to COMMIT with their connections."""

    def __init__(self, postgres, rng):
        self.target, self.random = (postgres.place.hostname, postgres.place.port), rng
        # Percent of the commits whose answers are lost.
        self.rate, self.cuts, self.lock = 0, 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = postgres.through(self.listener.getsockname()[1])
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
            """The bytes to pass on: whole messages, each a letter, its length and its content, up to the lost one."""
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


def cuts(options, number, rng):
    result = Result()
    postgres = Postgres()
    proxy = CuttingProxy(postgres, rng)
    site = Site(options, postgres, 2, database=proxy.url)
    load = Load(site, 6, rng.randrange(1 << 30))
    proxy.rate = 20
    while proxy.cuts < number:
        time.sleep(0.05)
    proxy.rate = 0
    load.stop()
    result.count("answers to COMMIT lost", proxy.cuts)
    result.count("requests repeated", load.repeated)
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    users = count(postgres, "SELECT count(*) FROM users")
    result.expect(users == len(load.accounts), f"{users} users for {len(load.accounts)} acknowledged sign-ups")
    resets = count(postgres, "SELECT count(*) FROM audit WHERE kind = 'reset.completed'")
    result.expect(resets == load.done["resets"], f"{resets} resets in the audit trail for {load.done['resets']}")
    site.stop(result)
    postgres.stop()
    return result


def guesses(options, number, rng):
    """`number` parallel guesses at one code; the right one is among them once five were wrong."""
    result = Result()
    site = Site(options, "postgres", 2)
    token, code = Person(site).begin("dana@example.com")
    # Each thread keeps a connection to each node.
    kept = threading.local()

    def guess(index):
        if not hasattr(kept, "connections"):
            kept.connections = [http.client.HTTPConnection("127.0.0.1", node.port, timeout=60) for node in site.nodes]
        wrong = f"{(int(code) + 1 + index) % 100_000_000:08}"
        form = {"client_id": CODE_APP, "continuation_token": token, "grant_type": "oob", "oob": wrong}
        body, headers = urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"}
        while True:
            connection = random.choice(kept.connections)
            connection.request("POST", "/contoso/signup/v1.0/continue", body, headers)
            response = connection.getresponse()
            response.read()
            # A flood of one flow may meet an overloaded node; the guess is repeated, or it would not count.
            if response.status != 503:
                return response.status == 200, response.status

    begin = time.monotonic()
    answers = parallel(number, guess, threads=64)
    accepted = sum(answer[0] for answer in answers)
    odd = {status for _, status in answers} - {200, 400, 429}
    result.expect(not odd, f"answers {odd}")
    result.note("guesses per s", number / (time.monotonic() - begin))
    compared = count(site.store, "SELECT coalesce(max(code_attempts), 0) FROM flows")
    events = count(site.store, "SELECT count(*) FROM audit WHERE kind = 'otp.failed'")
    try:
        Person(site).finish(token, code)
        is_open = True
    except Refused:
        is_open = False
    result.count("guesses", number)
    result.note("compared", compared)
    result.note("events", events)
    result.count("accepted", accepted)
    result.expect(compared <= 5 and events <= 5, f"{compared} compared, {events} events")
    result.expect(not accepted, f"{accepted} wrong codes were accepted")
    result.expect(not is_open, "the right code still works")
    site.stop(result)
    return result


def races(options, number, rng, by_alias):
    """Two users finish a sign-up for one name at the same moment, `number` times, each with a different password."""
    result = Result()
    site = Site(options, "postgres", 2)
    seeds = random.Random(rng.randrange(1 << 30))

    def race(index, attempt=0):
        people = [Person(site, PASSWORD_APP, seeds.randrange(1 << 30)) for _ in range(2)]
        name = f"r{index}x{attempt}"
        emails = [f"{name}@example.com", f"{name}{'b' if by_alias else ''}@example.com"]
        passwords = [f"Tulip-Harbour-{index}a", f"Amber-Lantern-{index}b"]
        attributes = {"flatusername": f"alias{name}"} if by_alias else None
        begun = [
            person.begin(email, password, attributes) for person, email, password in zip(people, emails, passwords)
        ]
        if sum(person.repeated for person in people):
            # A repeated challenge sent two codes, and it is unknown which belongs to which user; those two begin again.
            return race(index, attempt + 1)
        outcomes = [None, None]
        start = threading.Barrier(2)

        def finish(which):
            start.wait()
            try:
                people[which].finish(*begun[which])
                outcomes[which] = "won"
            except Refused as refusal:
                outcomes[which] = refusal.args[0]

        threads = [threading.Thread(target=finish, args=(which,)) for which in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        signs_in_as = f"alias{name}" if by_alias else emails[0]
        return outcomes, [people[0].can_sign_in(signs_in_as, password) for password in passwords]

    for outcomes, works in parallel(number, race, threads=4):
        is_right = outcomes.count("won") == 1 and works == [outcome == "won" for outcome in outcomes]
        result.count("races with one winner", is_right)
        result.expect(is_right, f"outcomes {outcomes}, passwords work: {works}")
    users = count(site.store, "SELECT count(*) FROM users")
    result.expect(users == number, f"{users} users after {number} races")
    site.stop(result)
    return result


def races_address(options, number, rng):
    return races(options, number, rng, by_alias=False)


def races_alias(options, number, rng):
    return races(options, number, rng, by_alias=True)

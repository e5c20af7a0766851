"""A cluster of three PostgreSQL servers under Patroni, whose members are killed and cut off under load.

Each member is a network namespace with an address of its own, in which PostgreSQL, Patroni and etcd run with the files of
`packaging/patroni`. The identity servers and HAProxy run outside, two with each way to the leader: through HAProxy, and by the
names of all three members in the URL."""

import http.client
import itertools
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from world import ROOT, Broken, Load, Result, Server, Site, ask, audit, free_port, wait_until

LOGS = ROOT / ".build/prove/patroni"
FILES = ROOT / "packaging/patroni"
# Of packaging/patroni/patroni.yml.
TTL, LOOP_WAIT, WAL_SENDER_TIMEOUT = 20, 3, 5
# A new leader of etcd is elected within two election timeouts; without one no key ends.
ELECTION = 2
# On top of Patroni's own time: HAProxy or libpq finds the leader, and a sign-up of several requests is complete.
ADDED = 2
# libpq waits this long for a silent host of a list before it tries the next one: connect_timeout of PostgresEndpoint.swift.
CONNECT_TIMEOUT = 2
CLUSTERS = itertools.count()
WAYS = ("HAProxy", "all hosts")

# Runs beside the proof, and leaves nothing of it however it ends: its standard input ends with the proof.
GUARD = """
cat > /dev/null
for name in "$1-1" "$1-2" "$1-3"; do
    ip netns pids "$name" | xargs -r kill -9
    ip link del "$name"
    ip netns del "$name"
done
ip link del "$1"
rm -rf "$2"
"""


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, stdout=subprocess.DEVNULL)


def fill(name, changes):
    text = (FILES / name).read_text()
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


class Member:
    """One of the three machines."""

    def __init__(self, cluster, number):
        self.cluster, self.name = cluster, f"db{number}"
        self.address, self.namespace = f"{cluster.prefix}.{10 + number}", f"{cluster.tag}-{number}"
        self.folder = cluster.folder / self.name
        self.processes = {}

    def prepare(self):
        self.folder.mkdir(mode=0o700)
        ip("netns", "add", self.namespace)
        # The name of the host's end is the namespace's.
        ip("link", "add", self.namespace, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        ip("link", "set", self.namespace, "master", self.cluster.tag, "up")
        for words in (["addr", "add", f"{self.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
            ip("-n", self.namespace, *words)
        changes = self.cluster.changes | {
            "@NAME@": self.name, "@ADDRESS@": self.address, "/var/lib/postgresql/15/patroni": f"{self.folder}/data",
            "/var/lib/postgresql/patroni.pgpass": f"{self.folder}/pgpass", "/var/run/postgresql": str(self.folder),
            "/var/lib/etcd/native-auth": f"{self.folder}/etcd",
        }
        (self.folder / "patroni.yml").write_text(fill("patroni.yml", changes))
        lines = [line for line in fill("etcd.env", changes).splitlines() if not line.startswith("#")]
        self.etcd_settings = dict(line.split("=", 1) for line in lines)
        subprocess.run(["chown", "-R", "postgres:postgres", self.folder], check=True)

    def start(self, program):
        """Starts etcd or Patroni, which starts PostgreSQL."""
        command = ["etcd"] if program == "etcd" else ["/usr/bin/patroni", self.folder / "patroni.yml"]
        owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": str(self.folder)}
        with (self.folder / f"{program}.log").open("ab") as log:
            self.processes[program] = subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, *owner, *command], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env=environment | (self.etcd_settings if program == "etcd" else {}))

    def find(self, program):
        """The ids of the processes of `etcd`, `postgres` or `patroni`, which has helpers of other names."""
        output = subprocess.run(["ip", "netns", "pids", self.namespace], capture_output=True, text=True).stdout
        found = []
        for process in map(int, output.split()):
            try:
                name = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
            except OSError:
                continue
            if program == (name if name in ("etcd", "postgres") else "patroni"):
                found.append(process)
        return found

    def send(self, number, *programs):
        for process in [process for program in programs for process in self.find(program)]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self, *programs):
        """kill −9, again until none is left: Patroni may be starting one."""
        for program in programs:
            if not wait_until(lambda: not self.find(program) or self.send(signal.SIGKILL, program), 5, every=0.02):
                raise Broken(f"{program} of {self.name} cannot be killed")
            if program in self.processes:
                self.processes[program].wait()

    def ask(self, method, port, path, body=None):
        """The answer as JSON; nil when none comes."""
        try:
            return json.loads(ask(port, method, path, body, timeout=1.5, host=self.address).content)
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def etcd_status(self):
        return self.ask("POST", 2379, "/v3/maintenance/status", "{}")

    def sql(self, text, timeout=10):
        """Asks this member's PostgreSQL as superuser; nil when no answer comes."""
        url = f"postgresql://postgres:{self.cluster.password}@{self.address}:5432/postgres?connect_timeout=2"
        try:
            done = subprocess.run(["psql", "-qAtX", url, "-c", text], capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    # The network drops packets, and reports nothing.

    def cut_off(self):
        ip("link", "set", self.namespace, "nomaster")

    def put_back(self):
        ip("link", "set", self.namespace, "master", self.cluster.tag)

    def part_from(self, others):
        """Packets between this member and the others go to an address that no card has; clients reach all."""
        for one, other in [(self, other) for other in others] + [(other, self) for other in others]:
            ip("-n", one.namespace, "neigh", "replace", other.address, "lladdr", "02:00:00:00:00:01", "nud", "permanent", "dev", "eth0")

    def join(self, others):
        for one, other in [(self, other) for other in others] + [(other, self) for other in others]:
            ip("-n", one.namespace, "neigh", "del", other.address, "dev", "eth0")


class Cluster:
    """Three members, and HAProxy in front."""

    def __init__(self):
        if os.getuid() != 0:
            raise Broken("network namespaces need root")
        if subprocess.run([ROOT / "scripts/setup", "patroni"]).returncode != 0:
            raise Broken("Patroni and etcd are not there")
        # The range for measurements of networks: no other network of the machine has it.
        number = next(CLUSTERS)
        self.tag, self.prefix = f"prove{os.getpid()}{'abcdefgh'[number % 8]}", f"198.18.{(os.getpid() + number) % 256}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
        self.folder.chmod(0o755)
        self.guard = subprocess.Popen(
            ["sh", "-c", GUARD, "guard", self.tag, self.folder], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.password, self.owner_password = secrets.token_hex(16), secrets.token_hex(16)
        binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))[-1]
        self.members = [Member(self, number) for number in (1, 2, 3)]
        self.changes = {f"@ADDRESS{number}@": member.address for number, member in enumerate(self.members, 1)} | {
            "@PASSWORD@": self.password, "@NETWORK@": f"{self.prefix}.0/24", "/usr/lib/postgresql/15/bin": str(binaries)}
        ip("link", "add", self.tag, "type", "bridge")
        ip("addr", "add", f"{self.prefix}.1/24", "dev", self.tag)
        ip("link", "set", self.tag, "up")
        for member in self.members:
            member.prepare()
            member.start("etcd")
        if not wait_until(self.etcd_leader, 30):
            raise Broken("etcd has no leader")
        # The first one leads at first.
        for member in self.members:
            member.start("patroni")
            if not wait_until(self.leader, 60):
                raise Broken("Patroni has no leader")
        self.await_whole()
        leader = self.leader()
        for text in (f"CREATE ROLE native_auth LOGIN PASSWORD '{self.owner_password}'", "CREATE DATABASE native_auth OWNER native_auth"):
            if leader.sql(text) is None:
                raise Broken(f"the leader refuses: {text.split(' LOGIN')[0]}")
        self.start_proxy()
        hosts = ",".join(f"{member.address}:5432" for member in self.members)
        self.urls = {way: f"postgresql://native_auth:{self.owner_password}@{place}/native_auth" for way, place in
                     zip(WAYS, (f"127.0.0.1:{self.port}", hosts))}
        self.url = self.urls["all hosts"] + "?target_session_attrs=read-write&connect_timeout=2"

    def start_proxy(self):
        self.port = free_port()
        text = "global\n    maxconn 2000\n" + fill("haproxy.cfg", self.changes | {":5000": f":{self.port}"})
        (self.folder / "haproxy.cfg").write_text(text)
        with (self.folder / "haproxy.log").open("wb") as log:
            self.proxy = subprocess.Popen(
                ["/usr/sbin/haproxy", "-db", "-f", self.folder / "haproxy.cfg"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        # At first it takes all three for leaders, and knows better after two checks.
        if not wait_until(lambda: all(self.reaches_leader() for _ in range(6)), 20):
            raise Broken("HAProxy does not find the leader")

    def reaches_leader(self):
        url = f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/postgres?target_session_attrs=read-write"
        return subprocess.run(["psql", "-qAtX", url, "-c", "SELECT 1"], capture_output=True).returncode == 0

    def stop(self):
        self.proxy.kill()
        self.proxy.wait()
        self.guard.stdin.close()
        self.guard.wait()

    def keep_logs(self):
        """In .build/prove/patroni, those of the newest fault."""
        shutil.rmtree(LOGS, ignore_errors=True)
        for file in self.folder.glob("**/*.log"):
            target = LOGS / file.relative_to(self.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)

    # A store of the audit.

    def rows(self, sql):
        sql = sql.replace("$BYTES'", "'\\x")
        output = subprocess.check_output(["psql", "-qAtX", "-F", "\x1f", self.url, "-c", sql], text=True)
        return [tuple(line.split("\x1f")) for line in output.splitlines()]

    def integrity(self):
        return "ok"

    # Roles

    def roles(self, but=None):
        """The member of each role, as Patroni reports them: leader, sync_standby and replica; only members that run."""
        for member in self.members:
            answer = member.ask("GET", 8008, "/cluster") if member is not but else None
            if answer:
                well = {row["role"]: row["name"] for row in answer["members"] if row["state"] in ("running", "streaming")}
                return {role: next(member for member in self.members if member.name == name) for role, name in well.items()}
        return {}

    def leader(self):
        return self.roles().get("leader")

    def etcd_leader(self):
        for member in self.members:
            status = member.etcd_status()
            if status and status.get("leader", "0") == status["header"]["member_id"]:
                return member
        return None

    def is_whole(self):
        roles = self.roles()
        if set(roles) != {"leader", "sync_standby", "replica"} or not all(member.etcd_status() for member in self.members):
            return False
        return roles["leader"].sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "2"

    def await_whole(self, seconds=120):
        begin = time.monotonic()
        if not wait_until(self.is_whole, seconds, every=0.3):
            told = [(member.name, member.ask("GET", 8008, "/patroni")) for member in self.members]
            raise Broken(f"the cluster is not whole after {seconds} s: {told}")
        return time.monotonic() - begin


# Faults: each begins when called, and returns Patroni's own time in seconds and the function that ends it.


def takeover(cluster, member):
    """The leader's key ends, its successor notices at its next turn; if etcd's leader is gone too, a new one comes first."""
    return TTL + LOOP_WAIT + (ELECTION if member is cluster.etcd_leader() else 0)


def leader_killed(cluster, leader):
    """PostgreSQL and Patroni; etcd goes on."""
    leader.kill("patroni", "postgres")
    return TTL + LOOP_WAIT, lambda: leader.start("patroni")


def leader_off(cluster, leader):
    """The machine is off: no program runs, and no packet tells so."""
    own = takeover(cluster, leader)
    leader.cut_off()
    leader.kill("patroni", "postgres", "etcd")

    def turn_on():
        leader.put_back()
        leader.start("etcd")
        leader.start("patroni")

    return own, turn_on


def postgres_killed(cluster, leader):
    """Patroni notices at its next turn and gives the lead away; its successor notices at its own."""
    leader.kill("postgres")
    return 2 * LOOP_WAIT, lambda: None


def etcd_killed(cluster, member):
    member.kill("etcd")
    return 0, lambda: member.start("etcd")


def standby_killed(cluster, standby):
    """The leader names another synchronous standby at its next turn."""
    standby.kill("patroni", "postgres")
    return LOOP_WAIT, lambda: standby.start("patroni")


def replica_killed(cluster, replica):
    replica.kill("patroni", "postgres")
    return 0, lambda: replica.start("patroni")


def leader_parted(cluster, leader):
    """The leader is cut off from the other two members; clients reach all three."""
    own, others = takeover(cluster, leader), [member for member in cluster.members if member is not leader]
    leader.part_from(others)
    return own, lambda: leader.join(others)


def leader_cut_off(cluster, leader):
    own = takeover(cluster, leader)
    leader.cut_off()
    return own, leader.put_back


def standby_cut_off(cluster, standby):
    """The leader finds out that the standby is silent, and names another at its next turn; if the standby's machine has
    etcd's leader, a new one comes first."""
    own = WAL_SENDER_TIMEOUT + LOOP_WAIT + (ELECTION if standby is cluster.etcd_leader() else 0)
    standby.cut_off()
    return own, standby.put_back


def patroni_frozen(cluster, leader):
    """PostgreSQL goes on as if it led. Only a watchdog ends that; HAProxy no longer sends anything there."""
    leader.send(signal.SIGSTOP, "patroni")
    return TTL + LOOP_WAIT, lambda: leader.send(signal.SIGCONT, "patroni")


# The role of the member that a fault strikes, the fault, and whether another member takes the lead.
FAULTS = {
    "leader": {
        "PostgreSQL and Patroni of the leader": ("leader", leader_killed, True),
        "machine of the leader": ("leader", leader_off, True),
        "PostgreSQL of the leader": ("leader", postgres_killed, True),
    },
    "etcd": {"leader of etcd": ("etcd", etcd_killed, False)},
    "replica": {
        "synchronous standby": ("sync_standby", standby_killed, False),
        "other replica": ("replica", replica_killed, False),
    },
    "partition": {
        "leader cut off from the members": ("leader", leader_parted, True),
        "leader cut off": ("leader", leader_cut_off, True),
        "synchronous standby cut off": ("sync_standby", standby_cut_off, False),
    },
}

# A member that is silent, rather than one that refuses.
SILENT = (leader_off, leader_cut_off, standby_cut_off)
# Only with --only: without a watchdog the second way to the leader does not survive it.
TRIALS = {"Patroni of the leader frozen": ("leader", patroni_frozen, True)}


class Writes:
    """Writes straight to a member that should take none, and looks whether it still would."""

    def __init__(self, member):
        self.member, self.begin, self.confirmed, self.read_only_after = member, time.monotonic(), 0, None
        self.over = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.write, self.look)]
        for thread in self.threads:
            thread.start()

    def write(self):
        while not self.over.is_set():
            if self.member.sql("INSERT INTO split VALUES (1)", timeout=3) is not None:
                self.confirmed += 1
            time.sleep(0.1)

    def look(self):
        while not self.over.is_set() and self.read_only_after is None:
            if self.member.sql("SHOW transaction_read_only", timeout=3) != "off":
                self.read_only_after = time.monotonic() - self.begin
            time.sleep(0.1)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


def longest_gap(accounts, begin, end):
    """The longest time without an acknowledged sign-up."""
    moments = [begin, *sorted(account.at for account in accounts if begin < account.at < end), end]
    return max(later - earlier for earlier, later in zip(moments, moments[1:]))


def strike(site, cluster, name, rng, result):
    role, fault, is_takeover = next(faults[name] for faults in (TRIALS, *FAULTS.values()) if name in faults)
    before = cluster.roles()
    victim = cluster.etcd_leader() if role == "etcd" else before[role]
    loads = {
        way: Load(site, 3, rng.randrange(1 << 30), ports=[node.port for node in nodes]) for way, nodes in site.ways.items()
    }
    time.sleep(rng.uniform(2, 4))
    own, heal = fault(cluster, victim)
    begin, known_faults = time.monotonic(), len(result.faults)
    at = time.strftime("%H:%M:%S", time.gmtime())
    writes = Writes(victim) if fault is leader_parted else None
    bounds = dict.fromkeys(WAYS, own + ADDED)
    bounds["all hosts"] += CONNECT_TIMEOUT if fault in SILENT else 0
    bound = bounds["HAProxy"]

    # A second after the fault, or the moment when another member was seen to lead.
    moment = None if is_takeover else begin + 1

    def is_over():
        """A sign-up came through each way since that moment."""
        nonlocal moment
        if moment is None and cluster.roles(but=victim).get("leader") not in (None, victim):
            moment = time.monotonic()
        return moment and all(any(account.at > moment for account in load.accounts) for load in loads.values())

    wait_until(is_over, bound + 20, every=0.2)
    time.sleep(rng.uniform(2, 4))
    if writes:
        writes.stop()
        result.expect(not writes.confirmed, f"{name}: the old leader confirmed {writes.confirmed} writes")
        result.note("s until a leader without the others is read-only", writes.read_only_after or 99)
        result.expect(writes.read_only_after and writes.read_only_after < TTL, f"{name}: read-only after {writes.read_only_after} s")
    healing = time.monotonic()
    heal()
    whole = cluster.await_whole()
    end = time.monotonic()
    for load in loads.values():
        load.over.set()
    for load in loads.values():
        load.stop()

    figures = []
    for way, load in loads.items():
        gap, later = longest_gap(load.accounts, begin, healing), longest_gap(load.accounts, healing, end)
        result.note(f"s without a sign-up, {name}, {way}", gap)
        result.note(f"s without a sign-up while a member comes back, {way}", later)
        result.expect(gap <= bounds[way], f"{name}, {way}: no sign-up for {gap:.1f} s, of {bounds[way]} s (REL-DB-2)")
        figures.append(f"{way} {gap:.2f} s, then {later:.2f} s")
        result.count("requests repeated", load.repeated)
        result.counts.update(load.done)
    known = {display.lower() for display, in cluster.rows("SELECT display FROM identifiers")}
    accounts = [account for load in loads.values() for account in load.accounts]
    lost = [account.address for account in accounts if account.address not in known]
    result.expect(not lost, f"{name}: {len(lost)} of {len(accounts)} acknowledged accounts are lost: {lost[:3]}")
    result.note("s until the cluster is whole again", whole)
    result.count(name)
    is_other = cluster.leader() is not before["leader"]
    result.count("changes of the lead", is_other)
    result.expect(is_other == is_takeover, f"{name}: the lead {'changed' if is_other else 'did not change'}")
    print(
        f"    {at} {name} ({victim.name}): {'; '.join(figures)}, of {bound} s; whole after {whole:.1f} s; {len(accounts)} accounts,"
        f" {len(lost)} lost"
        + (f"; read-only after {writes.read_only_after:.1f} s" if writes and writes.read_only_after else ""), flush=True)
    if len(result.faults) > known_faults:
        cluster.keep_logs()
    return accounts, [failure for load in loads.values() for failure in load.failures]


def patroni(options, number, rng):
    """Each kind of fault in turn, and the faults of a kind in turn, from a random one."""
    result = Result()
    cluster = Cluster()
    try:
        cluster.leader().sql("CREATE TABLE split (n int)")
        site = Site(options, cluster, nodes=0, database=cluster.url)
        site.ways = {}
        for way in WAYS:
            site.database = cluster.urls[way]
            site.ways[way] = [Server(site, len(site.nodes) + index) for index in range(2)]
            site.nodes += site.ways[way]
        turns = {kind: rng.randrange(len(faults)) for kind, faults in FAULTS.items()}
        names = []
        for index in range(number):
            kind = list(FAULTS)[index % len(FAULTS)]
            names.append(list(FAULTS[kind])[turns[kind] % len(FAULTS[kind])])
            turns[kind] += 1
        rng.shuffle(names)
        if options.only:
            names = [options.only] * number
        accounts, failures = [], []
        for name in names:
            more = strike(site, cluster, name, rng, result)
            accounts += more[0]
            failures += more[1]
        audit(site, accounts, failures, result, rng=rng)
        site.stop(result)
    finally:
        cluster.stop()
    return result

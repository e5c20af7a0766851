"""Compares a server with a million accounts to one with a thousand.

The accounts are copies of one that was made through the API, put into the database by SQL while no server runs: a user, an
address, a name, a city, and the sessions of a sign-up and a sign-in each. Every hundredth is disabled. Lines of the audit trail
are not copied, because each seals the one before. Compared are the steps of apps, and the searches of operators."""

import argparse
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import measurements
import steps

STATE = measurements.STATE / "accounts"
# Sessions last for a day, and a server that deletes a million of them is busy with that.
OLDEST = 12 * 3600
AIM_RATIO, AIM_START = 1.15, 150
AIM_SEARCH = 3

# The name of account number N, in SQL and here.
NAME = "'member' || number || '@' || (number % 100) || '.example.com'"


# Texts of SQL: a tenth share a city, few a name.
ATTRIBUTES = {"displayName": "'Given' || (number % 500) || ' Family' || (number / 500)", "city": "'City' || (number / 100 % 10)"}


def name(number):
    return f"member{number}@{number % 100}.example.com"


def member(count):
    """The number of a member who is not disabled."""
    return random.randrange(count // 100) * 100 + random.randrange(1, 100)


class SQLite:
    """How a data folder is filled, copied and measured."""

    members = """
        CREATE TEMP TABLE members AS
            WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {count})
            SELECT number, randomblob(16) AS id FROM numbers;"""
    random_bytes, as_bytes = "randomblob({})", "CAST({} AS BLOB)"
    # An incomplete folder is never used: a folder is kept once it is complete.
    before, after = "PRAGMA journal_mode = OFF; PRAGMA cache_size = -1000000; BEGIN;", "COMMIT; PRAGMA journal_mode = WAL;"

    def __init__(self, folder, count):
        self.folder, self.count, self.file = folder, count, folder / "data/identity.sqlite"

    def arguments(self):
        return []

    def run(self, sql):
        database = sqlite3.connect(self.file)
        database.executescript(sql)
        database.close()

    def rows(self, sql):
        database = sqlite3.connect(self.file)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def columns(self, table):
        return [row[1] for row in self.rows(f"PRAGMA table_info({table})")]

    def schema(self):
        return "\n".join(row[0] for row in self.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"))

    def mebibytes(self):
        return sum(file.stat().st_size for file in self.file.parent.glob("identity.sqlite*")) / 1024 / 1024

    def stop(self):
        pass


class Postgres:
    """Like SQLite, with a separate database server, which is not kept."""

    members = """
        CREATE TEMP TABLE members AS
            SELECT number, uuid_send(gen_random_uuid()) AS id FROM generate_series(1, {count}) AS number;"""
    random_bytes, as_bytes = "substr(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 1, {})", "convert_to({}, 'UTF8')"
    before, after = "BEGIN;", "COMMIT; VACUUM ANALYZE; CHECKPOINT;"
    # As in postgresql.conf, like shared_buffers=1GB.
    settings = []

    def __init__(self, folder, count):
        self.folder, self.count = folder, count
        # The proofs need more of the distribution's Python than a measurement on SQLite.
        import world

        self.cluster = world.Postgres(*self.settings)
        self.rows, self.stop = self.cluster.rows, self.cluster.stop

    def arguments(self):
        return ["--database", self.cluster.url]

    def run(self, sql):
        command = ["psql", "-qX", "-v", "ON_ERROR_STOP=1", self.cluster.url]
        subprocess.run(command, input=sql, check=True, text=True, stdout=subprocess.DEVNULL)

    def columns(self, table):
        found = f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position"
        return [row[0] for row in self.rows(found)]

    def mebibytes(self):
        return int(self.rows("SELECT pg_database_size(current_database())")[0][0]) / 1024 / 1024


def fill(store):
    """Makes members from the one existing account: copies of its rows, with other ids and names."""
    own = {
        # One a second, and every hundredth disabled.
        "users": {
            "id": "members.id", "created_at": "model.created_at - number * 1000",
            "disabled_at": "CASE WHEN number % 100 = 0 THEN model.created_at END",
        },
        "identifiers": {"key": store.as_bytes.format(NAME), "display": NAME},
        "refresh_families": {"id": store.random_bytes.format(16), "token_digest": store.random_bytes.format(32)},
    }
    copies = []
    for table, changed in own.items():
        columns = store.columns(table)
        values = [changed.get(column) or ("members.id" if column == "user" else f'model."{column}"') for column in columns]
        names = ", ".join(f'"{column}"' for column in columns)
        copies.append(f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} AS model, members;")
    for attribute, value in ATTRIBUTES.items():
        copies.append(
            f"""INSERT INTO attributes (tenant, "user", name, type, value)
                SELECT model.tenant, members.id, '{attribute}', 'string', '"' || {value} || '"'
                FROM (SELECT tenant FROM users LIMIT 1) AS model, members;"""
        )
    store.run("\n".join([store.before, store.members.format(count=store.count), *copies, store.after]))


def make(kind, folder, binary, count):
    """A database that the server created, with one account from the API, and `count` members."""
    folder.mkdir(exist_ok=True)
    store = kind(folder, count)
    server = measurements.Server(binary, *steps.SETTINGS, *store.arguments(), data=folder / "data")
    app = steps.App(server.address, lambda *_: None)
    for journey in (app.sign_up("model@example.com"), app.sign_in("model@example.com")):
        for _ in journey:
            pass
    server.stop()
    if count:
        begin = time.monotonic()
        fill(store)
        print(f"{count:,} accounts made in {time.monotonic() - begin:.0f} s", flush=True)
    return store


def populated(kind, binary, count, folder):
    """Like `make`; on SQLite a copy of an earlier run's database, if it is new enough and has the current tables."""
    if kind is not SQLite or count < 100_000:
        return make(kind, folder, binary, count)
    folder.mkdir()
    trial = make(SQLite, folder / "trial", binary, 0)
    kept = STATE / f"{count}-{hashlib.sha256(trial.schema().encode()).hexdigest()[:8]}"
    if not kept.exists() or time.time() - kept.stat().st_mtime > OLDEST:
        shutil.rmtree(STATE, ignore_errors=True)
        STATE.mkdir(parents=True)
        half = pathlib.Path(tempfile.mkdtemp(dir=STATE))
        make(SQLite, half, binary, count)
        half.rename(kept)
    shutil.copytree(kept / "data", folder / "data")
    return SQLite(folder, count)


class Side:
    """One of the two compared servers."""

    def __init__(self, store, binary):
        self.count, self.times = store.count, {}
        arguments = [*steps.SETTINGS, *store.arguments()]
        self.server = measurements.Server(binary, *arguments, data=store.folder / "data")
        self.app = steps.App(self.server.address, lambda name, seconds: self.times.setdefault(name, []).append(seconds))

    def journey(self, number):
        """A user signs up, a member signs in, and refreshes the tokens. It stops after each step, for the other side's turn."""
        yield from self.app.sign_up(f"newcomer{number}@{number % 100}.example.com")
        for body in self.app.sign_in(name(member(self.count))):
            yield
        yield from self.app.refresh(body["refresh_token"])

    def milliseconds(self, step):
        return statistics.median(self.times[step]) * 1000


def compare(sides, rounds):
    warm_up = max(20, rounds // 10)
    for number in range(warm_up + rounds):
        if number == warm_up:
            for side in sides:
                side.times.clear()
        # The first one may find the disk busy or not; both go first in turn.
        for _ in zip(*(side.journey(number) for side in (sides if number % 2 else sides[::-1]))):
            pass
    small, large = sides
    print(f"\n{'median of ' + str(rounds) + ', ms':28}{f'{small.count:,}':>12}{f'{large.count:,}':>12}{'ratio':>8}")
    for step in small.times:
        one, other = small.milliseconds(step), large.milliseconds(step)
        print(f"{step:28}{one:12.2f}{other:12.2f}{other / one:8.2f}{'' if other / one <= AIM_RATIO else '  above the aim'}")
    print(f"aim: a ratio of at most {AIM_RATIO}")


# What an operator asks. A page of 50 is full on both sides, but of the disabled: the small side has ten.
SEARCHES = {
    "first page of 50": "users?$top=50",
    "next page": None,
    "identity": "users?$filter=identities/any(c:c/issuerAssignedId eq '{name}' and c/issuer eq 'contoso.onmicrosoft.com')",
    "mail eq": "users?$filter=mail eq '{name}'",
    "mail starts": "users?$top=50&$filter=startsWith(mail,'member{digit}')",
    "displayName eq": "users?$filter=displayName eq '{display}'",
    "displayName starts": "users?$top=50&$filter=startsWith(displayName,'Given{digit}')",
    "city eq": "users?$top=50&$filter=city eq 'City{city}'",
    "city eq, enabled": "users?$top=50&$filter=city eq 'City{city}' and accountEnabled eq true",
    "disabled": "users?$top=50&$filter=accountEnabled eq false",
    "created since": "users?$top=50&$filter=createdDateTime ge 2020-01-01T00:00:00Z",
    "newest 50": "users?$top=50&$orderby=createdDateTime desc",
    "count of a name": "users/$count?$filter=displayName eq '{display}'",
    "one user": "users/{id}",
    "console: users": "/console/t/contoso/users",
    "console: an address": "/console/t/contoso/users?q=member{n}%40",
    "console: begins, address": "/console/t/contoso/users?q=member{digit}",
    "console: begins, name": "/console/t/contoso/users?q=Given{digit}",
    "console: disabled": "/console/t/contoso/users?state=disabled",
    "console: one user": "/console/t/contoso/users/{id}",
    "console: overview": "/console/t/contoso",
    "console: events": "/console/t/contoso/events",
}


class Operator:
    """A daemon that searches. One connection, as a script has it."""

    def __init__(self, side):
        self.count, self.connection = side.count, http.client.HTTPConnection(side.server.address)
        self.times, self.headers = {}, {}
        form = "grant_type=client_credentials&client_id=44445555-aaaa-6666-bbbb-7777cccc8888&client_secret=development"
        form += "&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default"
        body = self.send("POST", "/contoso/oauth2/v2.0/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
        self.headers = {"Authorization": f"Bearer {json.loads(body)['access_token']}", "ConsistencyLevel": "eventual"}
        page = json.loads(self.get("users?$top=50"))
        self.next, self.users = page["@odata.nextLink"].split("/graph/v1.0/")[1], [user["id"] for user in page["value"]]

    def send(self, method, path, body=None, headers={}):
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            sys.exit(f"scripts/prove: {path} answered {response.status}: {content[:300]}")
        return content

    def get(self, path):
        if path.startswith("/"):
            return self.send("GET", path)
        return self.send("GET", "/graph/v1.0/" + urllib.parse.quote(path, safe="/?$&=(),:%'"), headers=self.headers)

    def search(self, kind):
        number = member(self.count)
        path = self.next if SEARCHES[kind] is None else SEARCHES[kind].format(
            n=number, name=name(number), display=f"Given{number % 500} Family{number // 500}", digit=number % 4 + 1,
            city=number // 100 % 10, id=random.choice(self.users))
        begin = time.perf_counter()
        content = self.get(path)
        self.times.setdefault(kind, []).append(time.perf_counter() - begin)
        if kind.startswith("console"):
            found = b'<tr id="u-' in content or "user" not in path.split("/")[-1].split("?")[0]
        else:
            found = content != b"0" if "count" in kind else json.loads(content).get("value") != []
        if not found:
            sys.exit(f"scripts/prove: {path} found no user")


def search(sides, rounds):
    small, large = (Operator(side) for side in sides)
    for number in range(20 + rounds):
        if number == 20:
            small.times.clear(), large.times.clear()
        for kind in SEARCHES:
            for operator in (small, large) if number % 2 else (large, small):
                operator.search(kind)
    print(f"\n{'median of ' + str(rounds) + ', ms':28}{f'{small.count:,}':>12}{f'{large.count:,}':>12}{'ratio':>8}")
    for kind in SEARCHES:
        one, other = (statistics.median(operator.times[kind]) * 1000 for operator in (small, large))
        print(f"{kind:28}{one:12.2f}{other:12.2f}{other / one:8.2f}{'' if other / one <= AIM_SEARCH else '  above the aim'}")
    print(f"aim: a ratio of at most {AIM_SEARCH}", flush=True)


def starts(stores, binary):
    """The time from the start of the process to the first answer, of each in turn."""
    # After this the new data is on the disk, and writing it slows no measurement.
    os.sync()
    times, resident = [[] for _ in stores], [[] for _ in stores]
    for _ in range(5):
        for number, store in enumerate(stores):
            server = measurements.Server(binary, *steps.SETTINGS, *store.arguments(), data=store.folder / "data")
            times[number].append(server.milliseconds_to_answer("/livez"))
            resident[number].append(server.mebibytes())
            server.stop()
    print(f"\n{'accounts':>12}{'database, MiB':>16}{'start to first answer, ms':>34}{'resident then, MiB':>22}")
    for store, milliseconds, mebibytes in zip(stores, times, resident):
        span = f"{statistics.median(milliseconds):.0f} ({min(milliseconds):.0f} to {max(milliseconds):.0f})"
        print(f"{store.count:>12,}{store.mebibytes():>16,.1f}{span:>34}{statistics.median(mebibytes):>22.1f}")
    print(f"aim: a start within {AIM_START} ms", flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/prove accounts")
    parser.add_argument("--few", type=int, default=1_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=500, help="how often each step is measured on each side")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, rather than SQLite")
    parser.add_argument("--setting", action="append", default=[], help="of PostgreSQL, such as shared_buffers=1GB")
    parser.add_argument("--binary", help="a server that is built already")
    options = parser.parse_args(arguments)
    Postgres.settings = options.setting
    binary = options.binary or measurements.release_build()
    kind = Postgres if options.postgres else SQLite
    folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
    stores = []
    try:
        for count in (0, options.few, options.many):
            stores.append(populated(kind, binary, count, folder / str(count)))
        starts(stores, binary)
        sides = [Side(store, binary) for store in stores[1:]]
        search(sides, options.rounds)
        compare(sides, options.rounds)
        for side, store in zip(sides, stores[1:]):
            print(f"{side.count:,} accounts: resident afterwards {side.server.mebibytes():.1f} MiB")
            side.server.stop()
            # No sign-up reached the wrong server, and all exist.
            found = int(store.rows("SELECT count(*) FROM users")[0][0])
            expected = side.count + 1 + max(20, options.rounds // 10) + options.rounds
            if found != expected:
                sys.exit(f"scripts/prove: {found} users, {expected} expected")
    finally:
        for store in stores:
            store.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0

"""Compares a server with a million accounts to one with a thousand.

The accounts are copies of one that was made through the API, put into the database by SQL while no server runs: a user, an
address, and the sessions of a sign-up and a sign-in each. Lines of the audit trail are not copied, because each seals the one
before."""

import argparse
import hashlib
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

import measurements
import steps

STATE = measurements.STATE / "accounts"
# Sessions last for a day, and a server that deletes a million of them is busy with that.
OLDEST = 12 * 3600
AIM_RATIO, AIM_START = 1.15, 150

# The name of account number N, in SQL and here.
NAME = "'member' || number || '@' || (number % 100) || '.example.com'"


def name(number):
    return f"member{number}@{number % 100}.example.com"


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

    def __init__(self, folder, count):
        self.folder, self.count = folder, count
        # The proofs need more of the distribution's Python than a measurement on SQLite.
        import world

        self.cluster = world.Postgres()
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
        "users": {"id": "members.id"},
        "identifiers": {"key": store.as_bytes.format(NAME), "display": NAME},
        "refresh_families": {"id": store.random_bytes.format(16), "token_digest": store.random_bytes.format(32)},
    }
    copies = []
    for table, changed in own.items():
        columns = store.columns(table)
        values = [changed.get(column) or ("members.id" if column == "user" else f'model."{column}"') for column in columns]
        names = ", ".join(f'"{column}"' for column in columns)
        copies.append(f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} AS model, members;")
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
        for body in self.app.sign_in(name(random.randrange(self.count) + 1)):
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
    parser.add_argument("--binary", help="a server that is built already")
    options = parser.parse_args(arguments)
    binary = options.binary or measurements.release_build()
    kind = Postgres if options.postgres else SQLite
    folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
    stores = []
    try:
        for count in (0, options.few, options.many):
            stores.append(populated(kind, binary, count, folder / str(count)))
        starts(stores, binary)
        sides = [Side(store, binary) for store in stores[1:]]
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

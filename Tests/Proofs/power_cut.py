"""Power cuts, for SQLite: the server's writes and syncs are recorded, and the disk is rebuilt as a cut would leave it.

Each file has everything that was written before its last completed sync began. Later writes are present or not, in any order, in
sectors of 512 bytes. A name in the folder exists once the file or the folder was synced; later changes of names are present or
not. The file of shared memory never exists: memory is lost."""

import pathlib
import random
import shutil
import sqlite3
import struct
import tempfile
import time

from shim import shim
from world import Broken, Load, Mailbox, Person, Result, Site, SQLite, halves

NAME, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, CREATE, RENAME, UNLINK, LINK = range(1, 10)
SECTOR = 512
# The server itself opens one image in this many; SQLite opens each one.
SERVED = 20


def records(file):
    """All records: time in s, kind, file's name, offset (or number of the sync), length, bytes."""
    data, place, names = file.read_bytes(), 0, {}
    while place + 40 <= len(data):
        at, kind, number, offset, length = struct.unpack_from("5Q", data, place)
        place += 40
        content = b""
        if kind in (NAME, WRITE):
            content = data[place : place + length]
            place += length
        if kind == NAME:
            names[number] = content.decode()
            continue
        yield at / 1e9, kind, names[number], names.get(offset) if kind in (RENAME, LINK) else offset, length, content


class File:
    def __init__(self, content=b""):
        self.durable, self.pending = bytearray(content), []


def apply(content, kind, offset, piece):
    if kind == TRUNCATE:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(piece)] = piece


class Disk:
    """The data that is certainly on the disk, and the data that may be."""

    def __init__(self, folder):
        # Names that certainly exist, names as the server sees them, and changes that may be lost.
        self.durable = {path.name: File(path.read_bytes()) for path in folder.iterdir()}
        self.names, self.changes, self.syncs = dict(self.durable), [], {}

    def change(self, table, kind, name, file):
        if kind == UNLINK:
            table.pop(name, None)
        else:
            table[name] = file

    def step(self, number, kind, name, offset, content):
        if name.endswith("-shm"):
            return
        if kind == CREATE:
            self.names[name] = File()
            self.changes.append((number, kind, name, self.names[name]))
        elif kind == UNLINK:
            self.changes.append((number, kind, name, self.names.pop(name)))
        elif kind == LINK:
            # Another name of the same file; `offset` is that name.
            self.names[offset] = self.names[name]
            self.changes.append((number, kind, offset, self.names[name]))
        elif kind == RENAME:
            raise Broken("the server renames files, which this proof has not learnt")
        elif kind in (WRITE, TRUNCATE):
            self.names[name].pending.append((number, kind, offset, content))
        elif kind == SYNC_BEGINS:
            self.syncs[offset] = (number, self.names.get(name))
        elif kind == SYNC_ENDS:
            begin, file = self.syncs.pop(offset)
            if file is None:
                covered = lambda change: change[0] < begin
            else:
                while file.pending and file.pending[0][0] < begin:
                    apply(file.durable, *file.pending.pop(0)[1:])
                covered = lambda change: change[0] < begin and change[3] is file and change[1] == CREATE
            for change in filter(covered, self.changes):
                self.change(self.durable, *change[1:])
            self.changes = [change for change in self.changes if not covered(change)]

    def image(self, folder, rng):
        """Writes the disk as a cut at this time may leave it."""
        table = dict(self.durable)
        for change in self.changes:
            if rng.random() < 0.5:
                self.change(table, *change[1:])
        for name, file in table.items():
            content = bytearray(file.durable)
            survivors = rng.choice((0, 0.2, 0.5, 0.9, 1))
            is_torn, is_shuffled = rng.random() < 0.5, rng.random() < 0.5
            pieces = []
            for _, kind, offset, piece in file.pending:
                if kind == TRUNCATE or not is_torn:
                    pieces.append((kind, offset, piece))
                    continue
                begin = offset
                while begin < offset + len(piece):
                    end = min((begin // SECTOR + 1) * SECTOR, offset + len(piece))
                    pieces.append((kind, begin, piece[begin - offset : end - offset]))
                    begin = end
            if is_shuffled:
                rng.shuffle(pieces)
            for piece in pieces:
                if rng.random() < survivors:
                    apply(content, *piece)
            path = folder / name
            path.write_bytes(content)
            path.chmod(0o600)


def check(image, at, accounts, result):
    """Opens an image with SQLite, which recovers it, and compares it with everything that clients had been told before the
    cut."""
    told = [account for account in accounts if account.at < at]
    file = image / "identity.sqlite"
    if not file.exists() or not (image / "master.key").exists():
        result.expect(not told, f"{len(told)} acknowledged accounts, and there is no database or no master key")
        return
    database = sqlite3.connect(file)
    try:
        integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
        result.expect(integrity == "ok", f"integrity check: {integrity}")
        tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'write_probe'").fetchone()[0]
        if not tables:
            result.expect(not told, f"{len(told)} acknowledged accounts, and there is no table")
            return
        users = dict(database.execute('SELECT display, "user" FROM identifiers'))
        done = {}
        for kind, user in database.execute('SELECT kind, "user" FROM audit WHERE "user" IS NOT NULL'):
            done[kind, user] = done.get((kind, user), 0) + 1
        generations = dict(database.execute('SELECT "user", max(generation) FROM refresh_families GROUP BY "user"'))
    except sqlite3.DatabaseError as error:
        result.expect(False, f"SQLite cannot read the image: {error}")
        return
    finally:
        database.close()
    for account in told:
        user = users.get(account.address)
        is_there = user is not None and (account.alias is None or users.get(account.alias) == user)
        result.count("lost", not is_there)
        result.expect(is_there, f"{account.address} was acknowledged {at - account.at:.4f} s before the cut, and is not there")
        resets = sum(moment < at for moment in account.reset_at)
        result.expect(done.get(("reset.completed", user), 0) >= resets, f"{account.address}: an acknowledged reset is lost")
        refreshes = sum(moment < at for moment in account.refreshed_at)
        # A reset ends all families; a sign-in after it begins another.
        if refreshes and not account.reset_at:
            result.expect(generations.get(user, 0) >= refreshes, f"{account.address}: an acknowledged refresh is lost")
    result.count("acknowledged effects compared", len(told))
    try:
        half = halves(SQLite(file))
    except sqlite3.DatabaseError as error:
        # The image of a disk that ignores syncs may pass the first check.
        result.expect(False, f"SQLite cannot read the image: {error}")
        return
    result.count("half", sum(half.values()))
    result.expect(not half, f"half made: {half}")


def serve(options, mailbox, image, at, accounts, result, rng):
    """Opens an image with the server itself."""
    site = Site(options, data=image, mailbox=mailbox)
    result.count("images served")
    told = [account for account in accounts if account.at < at]
    for account in rng.sample(told, min(3, len(told))):
        result.expect(Person(site).is_taken(account.address), f"{account.address} is free on the server")
        if account.password and not account.old_passwords and account.password == "Tulip-Harbour-42":
            can = Person(site, account.client).can_sign_in(account.alias, account.password)
            result.expect(can, f"{account.address} cannot sign in")
    Person(site).sign_up(f"after-{rng.randrange(1 << 60):x}@example.com")
    site.stop(result, keep_mailbox=True)


def record(options, mailbox, start, log, rng, seconds):
    """Mixed load on a data folder until the server is killed; returns the accounts."""
    environment = {"LD_PRELOAD": shim(), "PROVE_FOLDER": str(start), "PROVE_RECORD": str(log)}
    site = Site(options, data=start, mailbox=mailbox, environment=environment)
    load = Load(site, 6, rng.randrange(1 << 30), patience=0)
    time.sleep(seconds)
    load.over.set()
    site.nodes[0].kill()
    load.stop()
    site.stop(keep_mailbox=True)
    return load.accounts


def power_cut(options, number, rng):
    result = Result()
    mailbox = Mailbox()
    work = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
    start = work / "start"
    start.mkdir(mode=0o700)
    before = []
    # The second time on the image of a cut after the first.
    for episode in range(2):
        cuts = number // 2 + (number % 2 if episode == 0 else 0)
        copy = work / f"copy{episode}"
        shutil.copytree(start, copy)
        log = work / f"record{episode}"
        accounts = before + record(options, mailbox, copy, log, rng, 2 + min(cuts, 50) * 0.08)
        steps = list(records(log))
        # Checkpoints, and the beginning, are rare; each gets its share.
        moments = sorted(rng.randrange(len(steps)) for _ in range(cuts))
        disk, cursor = Disk(start), 0
        result.count("syncs", sum(step[1] == SYNC_ENDS for step in steps))
        checkpoints = sum(step[1] == SYNC_ENDS and step[2] == "identity.sqlite" for step in steps)
        result.count("checkpoints", checkpoints)
        for index, moment in enumerate(moments):
            while cursor <= moment:
                _, kind, name, offset, _, content = steps[cursor]
                disk.step(cursor, kind, name, offset, content)
                cursor += 1
            at = steps[moment][0]
            image = work / "image"
            image.mkdir(mode=0o700)
            disk.image(image, rng)
            if index % SERVED == SERVED // 2 or index == len(moments) // 2:
                served = work / "served"
                shutil.copytree(image, served)
                serve(options, mailbox, served, at, accounts, result, rng)
                shutil.rmtree(served)
            if index == len(moments) // 2 and episode == 0:
                kept, kept_at = work / "kept", at
                shutil.copytree(image, kept)
            check(image, at, accounts, result)
            result.count("cuts")
            shutil.rmtree(image)
        # The search detects lost data: a disk that keeps nothing of what was synced since the start must lose something.
        liar, found = Disk(start), Result()
        for step, (_, kind, name, offset, _, content) in enumerate(steps):
            if kind not in (SYNC_BEGINS, SYNC_ENDS):
                liar.step(step, kind, name, offset, content)
        image.mkdir(mode=0o700)
        liar.image(image, random.Random(1))
        check(image, steps[-1][0], accounts, found)
        shutil.rmtree(image)
        result.expect(found.faults, "the search does not find what a disk loses that ignores syncs")
        if episode == 0:
            shutil.rmtree(start)
            start = kept
            before = [account for account in accounts if account.at < kept_at]
            for account in before:
                account.refreshed_at = [moment for moment in account.refreshed_at if moment < kept_at]
                account.reset_at = [moment for moment in account.reset_at if moment < kept_at]
    result.expect(result.counts["acknowledged effects compared"] > number, "too little load to lose anything")
    mailbox.stop()
    shutil.rmtree(work)
    return result

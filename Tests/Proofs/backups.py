"""Backups that are made under load, and restored elsewhere."""

import copy
import os
import subprocess
import time

from world import FEWER_MAILS, Load, Person, Postgres, Refused, Result, Server, Site, SQLite, halves


def command(site, *arguments):
    """A command of `native-auth` on the site's database; it must succeed."""
    place = ["--database", site.database, "--master-key-file", site.key, "--data", site.folder / "data"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
    subprocess.run([site.binary, *arguments, *place], env=environment, check=True, stdout=subprocess.DEVNULL)


def backup(options, number, rng):
    """`number` backups of two nodes on PostgreSQL, restored in turn into another PostgreSQL and into SQLite."""
    result = Result()
    site = Site(options, "postgres", 2)
    begun = Person(site).begin("begun@example.com")
    unproven = Person(site).step("signup/v1.0/start", {"username": "new@example.com", "challenge_type": "oob redirect"})
    load = Load(site, 6, rng.randrange(1 << 30))
    made = []
    for index in range(number):
        time.sleep(rng.uniform(0.5, 1.5))
        before = [account.address for account in load.accounts]
        file = site.folder / f"{index}.backup"
        command(site, "backup", file)
        made.append((file, before))
    load.stop()
    for index, (file, before) in enumerate(made):
        restored = copy.copy(site)
        if index % 2:
            path = site.folder / f"restored{index}.sqlite"
            restored.database, restored.store = f"sqlite:{path}", SQLite(path)
        else:
            restored.store = Postgres()
            restored.database = restored.store.url
        command(restored, "backup", "verify", file)
        begin = time.monotonic()
        command(restored, "restore", file)
        result.note("s to restore", time.monotonic() - begin)
        node = Server(restored, f"-restored{index}")
        restored.nodes = [node]
        lost = [address for address in before if not Person(restored).is_taken(address)]
        result.count("lost", len(lost))
        result.expect(not lost, f"acknowledged before the backup began, and not in it: {lost[:5]}")
        half = halves(restored.store)
        half.pop(FEWER_MAILS, None)
        result.count("half", sum(half.values()))
        result.expect(not half, f"half made: {half}")
        for what, attempt in {
            "a code of before": lambda: Person(restored).finish(*begun),
            "a token of before": lambda: Person(restored).step(
                "signup/v1.0/challenge", unproven | {"challenge_type": "oob redirect"}),
        }.items():
            try:
                attempt()
                result.expect(False, f"{what} was taken after the restore (REL-BAK-3)")
            except Refused:
                result.count("flows of before that were refused")
        node.stop()
        restored.store.stop()
    # Where they began, they continue.
    Person(site).finish(*begun)
    result.count("acknowledged accounts", len(load.accounts))
    result.expect(made[-1][1], "no account was acknowledged before the last backup")
    result.expect(not load.failures, f"people were refused: {load.failures[:3]}")
    site.stop(result)
    return result

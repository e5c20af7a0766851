"""Imports of many users beside a running server, ended in the middle with kill −9 and continued."""

import json
import os
import random
import signal
import subprocess
import threading
import time

from world import PASSWORD_APP, Load, Person, Result, Site, count

ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# Python's bcrypt 5.0: bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(10))
PASSWORD = "Xk7#pQ2m-vT9"
HASH = "$2b$10$ElcxhDA8hN7EYHsz8dR.BOfsF6enTRasbRvcydLddAkqp47.3v87."
# The longest times for a million users, in seconds.
LONGEST = {"sqlite": 300, "postgres": 600}


def write(file, prefix, number, rng):
    """`number` users with hashes, two attributes, and an alias for every third; the last can sign in."""
    with file.open("w") as lines:
        for index in range(number):
            salted = HASH if index == number - 1 else "$2b$10$" + "".join(rng.choices(ALPHABET, k=53))
            user = {
                "email": f"{prefix}{index}@example.com", "emailVerified": True, "passwordHash": salted,
                "createdDateTime": "2020-02-03T04:05:06Z",
                "attributes": {"displayName": f"User {index}", "city": "Ribe"},
            }
            if index % 3 == 0:
                user["alias"] = f"{prefix}{index}"
            lines.write(json.dumps(user, separators=(",", ":")) + "\n")


def begin(site, file):
    place = ["--database", site.database or f"sqlite:{site.store.file}", "--master-key-file", site.key]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
    return subprocess.Popen(
        [site.binary, "import", "users", file, "--application", PASSWORD_APP, *place], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def finish(process):
    """The output, the exit code and the highest resident memory in MiB."""
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, process.returncode, usage.ru_maxrss / 1024


class Beside:
    """One person who signs up every half second, and how long the slowest sign-up took."""

    def __init__(self, site, name):
        self.person, self.name = Person(site), name
        self.over, self.seconds, self.failures = threading.Event(), [], []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(0.5):
            start = time.monotonic()
            try:
                self.person.sign_up(f"{self.name}{len(self.seconds)}@example.com")
                self.seconds.append(time.monotonic() - start)
            except Exception as error:
                self.failures.append(repr(error))

    def stop(self):
        self.over.set()
        self.thread.join()


def imports(options, number, rng):
    """`number` users into each database at once, a tenth of them before; and a tenth of them again under load and kill −9."""
    result = Result()
    for store in ("sqlite", "postgres"):
        site = Site(options, store, 1)
        memory = {}
        signed_up = 0
        for prefix, size in (("few", max(number // 10, 100)), ("many", number)):
            file = site.folder / f"{prefix}.jsonl"
            write(file, prefix, size, random.Random(rng.randrange(1 << 30)))
            beside = Beside(site, f"beside-{prefix}-")
            start = time.monotonic()
            output, code, memory[prefix] = finish(begin(site, file))
            seconds = time.monotonic() - start
            beside.stop()
            signed_up += len(beside.seconds)
            result.expect(code == 0 and f"created {size}" in output, f"{store}: an import ended with {code}: {output[-300:]}")
            result.expect(not beside.failures, f"{store}: refused beside an import: {beside.failures[:3]}")
            if prefix == "many":
                result.note(f"s for all users, {store}", seconds)
                result.note(f"MiB of memory for all users, {store}", memory[prefix])
                if beside.seconds:
                    result.note(f"s of a sign-up beside an import, {store}", max(beside.seconds))
                # Of an optimised build, which `--binary` gives.
                limit = LONGEST[store] * number / 1_000_000 + 10
                if options.is_given:
                    result.expect(seconds <= limit, f"{store}: {number} users took {seconds:.0f} s, more than {limit:.0f}")
            can = Person(site, PASSWORD_APP).can_sign_in(f"{prefix}{size - 1}@example.com", PASSWORD)
            result.expect(can, f"{store}: an imported user cannot sign in")
            file.unlink()
        result.expect(
            memory["many"] <= memory["few"] * 1.5 + 16,
            f"{store}: memory grows with the file: {memory['few']:.0f} and {memory['many']:.0f} MiB")
        signed_up += killed(site, store, max(number // 10, 2_000), rng, result)
        users = count(site.store, "SELECT COUNT(*) FROM users")
        expected = max(number // 10, 100) + number + max(number // 10, 2_000) + signed_up
        result.expect(users == expected, f"{store}: {users} users and not {expected}")
        left = count(site.store, "SELECT COUNT(*) FROM imports")
        result.expect(left == 0, f"{store}: {left} imports count as unfinished")
        site.stop(result)
    return result


def killed(site, store, size, rng, result):
    """Kills an import again and again until it ends; returns how many people signed up meanwhile."""
    file = site.folder / "killed.jsonl"
    write(file, "killed", size, random.Random(rng.randrange(1 << 30)))
    load = Load(site, 2, rng.randrange(1 << 30), is_mixed=False)
    kills = 0
    while True:
        process = begin(site, file)
        before = count(site.store, "SELECT COUNT(*) FROM identifiers WHERE display LIKE 'killed%@%'")
        if kills < 4:
            goal = before + rng.randrange(size // 6)
            while process.poll() is None:
                if count(site.store, "SELECT COUNT(*) FROM identifiers WHERE display LIKE 'killed%@%'") > goal:
                    time.sleep(rng.uniform(0, 0.1))
                    process.send_signal(signal.SIGKILL)
                    break
        output, code, _ = finish(process)
        if code == 0:
            break
        result.expect(code == -signal.SIGKILL, f"{store}: an import that goes on ended with {code}: {output[-300:]}")
        kills += 1
    load.stop()
    result.count("kills", kills)
    result.expect(kills > 0, f"{store}: no import was killed in time")
    result.expect(f"created {size}" in output, f"{store}: the last run says {output[-300:]}")
    result.expect(not load.failures, f"{store}: refused beside a killed import: {load.failures[:3]}")
    can = Person(site, PASSWORD_APP).can_sign_in(f"killed{size - 1}@example.com", PASSWORD)
    result.expect(can, f"{store}: the last user of a continued import cannot sign in")
    return len(load.accounts)

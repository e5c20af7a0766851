"""The disk of the data folder is full at random times, for SQLite, and then has room again.

If a small file system can be mounted, it is a real one; otherwise the shim of the power cuts refuses writes that grow a file."""

import atexit
import mmap
import os
import pathlib
import subprocess
import tempfile
import time

from shim import shim
from world import Load, Person, Result, Site, ask, audit, wait_until

ALLOWED = {200, 400, 429, 503}


class SmallDisk:
    """A file system of 48 MiB in memory."""

    kind = "a small file system"

    def __init__(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", self.place], check=True, capture_output=True)
        atexit.register(self.remove)
        self.data, self.environment = self.place / "data", {}

    def fill(self):
        with (self.place / "filler").open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass

    def empty(self):
        (self.place / "filler").unlink()

    def remove(self):
        subprocess.run(["umount", "-l", self.place], capture_output=True)
        if not os.path.ismount(self.place) and self.place.exists():
            self.place.rmdir()


class ShimmedDisk:
    kind = "a shim"

    def __init__(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
        self.data = self.place / "data"
        self.data.mkdir(mode=0o700)
        switch = self.place / "switch"
        switch.write_bytes(bytes(4096))
        with switch.open("r+b") as file:
            self.switch = mmap.mmap(file.fileno(), 4096)
        self.environment = {"LD_PRELOAD": shim(), "PROVE_FOLDER": str(self.data), "PROVE_FULL": str(switch)}

    def fill(self):
        self.switch[0] = 1

    def empty(self):
        self.switch[0] = 0

    def remove(self):
        subprocess.run(["rm", "-rf", self.place])


def disk():
    try:
        return SmallDisk()
    except (subprocess.CalledProcessError, OSError):
        return ShimmedDisk()


def disk_full(options, number, rng):
    result = Result()
    place = disk()
    print(f"    the disk is {place.kind}", flush=True)
    site = Site(options, data=place.data, environment=place.environment)
    port = site.nodes[0].port
    answers = []

    def watch(answer, error, begin):
        answers.append((begin, answer.status if answer else 0, error))

    person = Person(site)
    reader = "reader@example.com"
    token = person.tokens(person.sign_up(reader), reader)["access_token"]

    def reads():
        """Whether each request that needs no write is answered with 200."""
        paths = ["/livez", "/contoso/v2.0/.well-known/openid-configuration", "/contoso/discovery/v2.0/keys"]
        statuses = [(path, ask(port, "GET", path).status) for path in paths]
        statuses.append(("userinfo", ask(port, "GET", "/contoso/oidc/userinfo", headers={"Authorization": f"Bearer {token}"}).status))
        return [pair for pair in statuses if pair[1] != 200]

    load = Load(site, 6, rng.randrange(1 << 30), watch=watch)
    ready = lambda: ask(port, "GET", "/readyz").status == 200
    for _ in range(number):
        time.sleep(rng.uniform(0.2, 1.2))
        place.fill()
        begin = time.monotonic()
        time.sleep(rng.uniform(0.5, 2))
        bad = reads()
        result.expect(not bad, f"reads on a full disk: {bad}")
        place.empty()
        end = time.monotonic()
        is_back = wait_until(ready, 5)
        result.note("s until ready again", time.monotonic() - end)
        result.expect(is_back, "not ready 5 s after there was room again")
        refused = sum(answer[1] == 503 for answer in list(answers) if begin <= answer[0] < end)
        result.count("moments")
        result.count("moments that refused writes", refused > 0)
        result.count("503", refused)
        if not result.expect(site.nodes[0].is_alive(), "the server is gone"):
            break
    time.sleep(1)
    load.stop()
    wrong = {answer[1] for answer in answers} - ALLOWED
    result.expect(not wrong, f"answers {wrong}: {[str(answer[2]) for answer in answers if answer[2]][:3]}")
    result.expect(result.counts["moments that refused writes"] > number // 4, "too few writes were refused while the disk was full")
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    place.remove()
    return result

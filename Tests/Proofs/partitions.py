"""The audit trail is divided into partitions while users sign up, and partitions of old lines are dropped while users sign up."""

import copy
import os
import re
import subprocess
import time

from world import Broken, Load, Result, Server, Site, audit, count, wait_until

TENANT = "aaaabbbb0000cccc1111dddd2222eeee"
STRANGER = "99990000111122223333444455556666"
STRIDE = 100_000_000_000
# Lines after which a partition is full.
SIZE = 10_000_000
SEQUENCE = "pg_get_serial_sequence('audit', 'seq')::regclass"
# The table as versions before 0023 made it.
WHOLE = """
    ALTER TABLE audit DETACH PARTITION audit_0;
    DROP TABLE audit;
    ALTER TABLE audit_0 RENAME TO audit;
    ALTER INDEX audit_0_pkey RENAME TO audit_pkey;
    ALTER INDEX audit_0_by_position RENAME TO audit_by_position;
    ALTER INDEX audit_0_unsealed RENAME TO audit_unsealed;
    ALTER INDEX audit_0_by_user RENAME TO audit_by_user;
    ALTER TABLE audit ALTER seq ADD GENERATED ALWAYS AS IDENTITY;
    SELECT setval('audit_seq_seq', COALESCE(MAX(seq), 1)) FROM audit;
    CREATE INDEX audit_by_tenant ON audit (tenant, seq);
"""


def fill(store, tenant, first, last, columns="", values="", due=0):
    """Writes lines of 500 days ago, of a thousand users. The first line is past its time at `due`, or at once: none is removed before it."""
    end = int(time.time() * 1000) - 500 * 86_400_000
    first_at = int(due * 1000) - 400 * 86_400_000 if due else end
    store.rows(f"""
        INSERT INTO audit (tenant, kind, at, client, flow, "user", detail, source, profile{columns})
        SELECT $BYTES'{tenant}', 'signin.failed', CASE n WHEN 1 THEN {first_at} ELSE {end} + n END, substr(sha256('c'), 1, 16), substr(sha256(n::text::bytea), 1, 16),
            substr(sha256((n % 1000)::text::bytea), 1, 16), n::text, sha256('s'), 'development'{values}
        FROM generate_series({first}, {last}) n""")


def portions(number, size=200_000):
    return [(first, min(first + size - 1, number)) for first in range(1, number + 1, size)]


def partitions_of(store):
    return [name for name, in store.rows("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = to_regclass('audit') ORDER BY 1")]


def verify(site, result):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
    done = subprocess.run(
        [site.binary, "audit", "verify", "--tenant", "contoso", "--database", site.database, "--master-key-file", site.key, "--data",
         site.folder / "data"], env=environment, capture_output=True, text=True)
    result.expect(done.returncode == 0 and "sound" in done.stdout, f"the chain is not sound: {done.stdout}{done.stderr}")


class Beside:
    """People who sign up at one node, and how long their requests took."""

    def __init__(self, site, people, rng):
        self.site, self.answers, self.failed, self.begin = site, [], [], time.monotonic()
        self.load = Load(site, people, rng.randrange(1 << 30), is_mixed=False, watch=self.watch, ports=[site.nodes[0].port])

    def watch(self, answer, error, begin):
        now = time.monotonic()
        self.answers.append((begin, now))
        if answer is None or answer.status not in (200, 400, 429):
            self.failed.append(f"{answer.status if answer else error!r} after {now - begin:.2f} s, {begin - self.begin:.1f} s from the first")

    def slowest(self, begin, end):
        """In milliseconds, of the requests that ran at a moment between these."""
        return max((1000 * (done - start) for start, done in self.answers if start < end and done > begin), default=0)

    def stop(self, result, rng):
        self.load.stop()
        result.counts.update(self.load.done)
        result.count("failed requests", len(self.failed))
        result.expect(not self.failed, f"{len(self.failed)} of {len(self.answers)} requests failed: {self.failed[:3]}")
        audit(self.site, self.load.accounts, self.load.failures, result, rng=rng, sample=10)


def start(site, binary):
    """Another node, whose first look at the partitions is now."""
    site.binary = binary
    site.nodes.append(Server(site, len(site.nodes), "--log-level", "notice"))
    return site.nodes[-1]


def divided(options, number, rng, result):
    """A node of the version before, or one with the table as that version made it, and then one that divides the table."""
    older = copy.copy(options)
    older.binary = os.environ.get("UPGRADE_FROM", options.binary)
    site = Site(older, "postgres", 1)
    if partitions_of(site.store):
        site.store.rows(WHOLE)
    for first, last in portions(number):
        fill(site.store, STRANGER, first, last, ", position, seal", ", n, sha256(n::text::bytea)")
    beside = Beside(site, 4, rng)
    time.sleep(4)
    begin = time.monotonic()
    start(site, options.binary)
    ready = time.monotonic()
    is_divided = wait_until(lambda: partitions_of(site.store), 600, every=0.02)
    end = time.monotonic()
    result.expect(is_divided, "the table was not divided")
    result.note("s from the start of a new node to partitions", end - begin)
    result.note("s from its readiness", end - ready)
    time.sleep(1)
    result.note("ms of the slowest request before", beside.slowest(begin - 3, begin))
    result.note("ms of the slowest request beside the division", beside.slowest(ready - 1, end + 1))
    if number < SIZE:
        # As if as many lines had been written since.
        site.store.rows(f"SELECT setval({SEQUENCE}, {SIZE})")
    begin = time.monotonic()
    start(site, options.binary)
    has_begun = wait_until(lambda: count(site.store, f"SELECT count(*) FROM audit WHERE seq >= {STRIDE}"), 10)
    result.expect(has_begun and partitions_of(site.store) == ["audit_0", "audit_1"], "no new partition began")
    time.sleep(1)
    result.note("ms of the slowest request beside a new partition", beside.slowest(begin, time.monotonic()))
    beside.load.stop()
    # The ledger is compared by questions that no index of a large trail answers.
    left = int(site.store.rows(f"WITH gone AS (DELETE FROM audit WHERE tenant = $BYTES'{STRANGER}' RETURNING 1) SELECT count(*) FROM gone")[0][0])
    result.expect(left == number, f"{left} of {number} lines are left")
    site.store.rows("VACUUM ANALYZE audit")
    beside.stop(result, rng)
    time.sleep(1.5)
    verify(site, result)
    site.stop(result)
    result.count("lines divided", number)


def dropped(options, number, rng, result):
    """A partition of sealed lines that are past their time, and a node that looks at it."""
    # Either node may come first.
    site = Site(options, "postgres", 1, arguments=["--log-level", "notice"])
    result.expect(partitions_of(site.store) == ["audit_0"], "a new database has no partition")
    begin = time.monotonic()
    sealed = f"SELECT COALESCE(MAX(position), 0) FROM audit_heads WHERE tenant = $BYTES'{TENANT}'"
    due = time.time() + 4 + number / 4_000
    for first, last in portions(number):
        fill(site.store, TENANT, first, last, due=due)
        if not wait_until(lambda: count(site.store, sealed) >= last - 50_000 * (last < number), 600, every=0.2):
            raise Broken("the lines were not sealed in time")
    result.note("s to write and seal them", time.monotonic() - begin)
    # A new partition, which housekeeping begins at SIZE lines: only old lines are to be in the first.
    if number < SIZE:
        site.store.rows(f"""
            CREATE TABLE audit_1 (LIKE audit_0 INCLUDING INDEXES);
            ALTER TABLE audit ATTACH PARTITION audit_1 FOR VALUES FROM ({STRIDE}) TO ({2 * STRIDE});
            SELECT setval({SEQUENCE}, {STRIDE})""")
    has_begun = wait_until(lambda: count(site.store, f"SELECT pg_sequence_last_value({SEQUENCE})") >= STRIDE, 90)
    result.expect(has_begun, "no new partition began")
    size = count(site.store, "SELECT pg_total_relation_size('audit_0')")
    result.expect(time.time() < due, "sealing took too long: lines were removed one by one")
    # Lines of last year are on the disk.
    site.store.rows("CHECKPOINT")
    os.sync()
    beside = Beside(site, 4, rng)
    time.sleep(max(3, due - time.time()))
    begin = time.monotonic()
    start(site, options.binary)
    is_dropped = wait_until(lambda: partitions_of(site.store) == ["audit_1"], 1_200, every=0.02)
    end = time.monotonic()
    result.expect(is_dropped, "the partition was not dropped")
    time.sleep(1)
    found = re.search(r"partition of the audit trail was dropped.*", "".join(node.log.read_text() for node in site.nodes))
    numbers = dict(re.findall(r"\b(lines|ms)=(\d+)", found[0] if found else ""))
    lines, milliseconds = int(numbers.get("lines", -1)), int(numbers.get("ms", -1))
    result.expect(lines == number, f"{lines} of {number} lines were dropped")
    result.expect(0 <= milliseconds < 1000, f"the drop took {milliseconds} ms")
    result.note("s to check the lines and drop them", end - begin)
    result.note("ms to drop the partition", milliseconds)
    result.note("MB of the partition", size / 1e6)
    result.note("ms of the slowest request beside the check", beside.slowest(begin, end - 1))
    result.note("ms of the slowest request beside the drop", beside.slowest(end - milliseconds / 1000 - 0.2, end + 0.5))
    beside.stop(result, rng)
    left = count(site.store, f"SELECT count(*) FROM audit WHERE detail IS NOT NULL AND at < {int(time.time() * 1000) - 86_400_000}")
    result.expect(left == 0, f"{left} old lines are left")
    time.sleep(1.5)
    verify(site, result)
    site.stop(result)
    result.count("lines dropped", lines)


def partitions(options, number, rng):
    """`number` lines in each part. UPGRADE_FROM names an older program, whose node then makes the table and signs users up."""
    result = Result()
    divided(options, number, rng, result)
    dropped(options, number, rng, result)
    return result

"""The front end of the proofs: the list, the results by commit, and the report. See scripts/prove."""

import argparse
import dataclasses
import datetime
import importlib
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import time
import traceback

from measurements import WITH_TOOLS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STATE = ROOT / ".build/prove"
REPORT = ROOT / "docs/evidence/proofs.md"
# No run takes longer than this, in seconds; the next one continues.
LONGEST_RUN = 50 * 60
# Exit code when the time was over before the count was reached (sysexits' EX_TEMPFAIL).
INCOMPLETE = 75


@dataclasses.dataclass(frozen=True)
class Proof:
    name: str
    requirements: str
    what: str
    unit: str
    # The number in CI and in FULL (docs/develop/testing.md), and the number that makes one part, after which the state is
    # written.
    ci: int
    full: int
    part: int
    # Module and function; it takes options, count and a random generator, and returns a `world.Result`.
    module: str
    function: str
    needs_binary: bool = True


PROOFS = [
    Proof(
        "power-cut", "REL-TX-2", "the disk as a power cut leaves it, at a random moment of mixed load, one node on SQLite",
        "cuts", 500, 10_000, 100, "power_cut", "power_cut"),
    Proof(
        "kill-sqlite", "REL-TX-3, REL-IDEM", "kill −9 of the server under mixed load, one node on SQLite", "kills",
        100, 1_000, 50, "cluster", "kill_sqlite"),
    Proof(
        "kill-postgres", "REL-TX-3, REL-HA-4, REL-IDEM", "kill −9 of a random node of two under mixed load, on PostgreSQL",
        "kills", 100, 1_000, 50, "cluster", "kill_postgres"),
    Proof(
        "cuts", "REL-DB-3, REL-IDEM", "the answer to COMMIT lost with its connection, two nodes", "cuts",
        1_000, 10_000, 500, "cluster", "cuts"),
    Proof(
        "database-faults", "REL-DB-1, REL-DB-2",
        "PostgreSQL stops, freezes, is slow, unreachable, full or read-only, two nodes under mixed load", "rounds of 7 faults",
        1, 20, 1, "database_faults", "database_faults"),
    Proof(
        "failover", "REL-DB-2", "the primary of PostgreSQL killed, and a synchronous standby promoted", "primaries",
        1, 20, 2, "cluster", "failover"),
    Proof(
        "patroni", "REL-DB-2, REL-HA-4",
        "three members of Patroni and etcd: the leader, etcd's leader or a replica killed, a member cut off; two nodes by each way to them",
        "faults", 20, 80, 20, "patroni", "patroni"),
    Proof(
        "disk-full", "REL-DISK-1", "the disk of the data folder is full at a random moment, one node on SQLite", "moments",
        20, 1_000, 100, "disk_full", "disk_full"),
    Proof(
        "mail-faults", "REL-SMTP-1, REL-SMTP-2, SEC-MAIL-1, SEC-MAIL-2, SEC-MAIL-5, SEC-MAIL-8",
        "the mail server is down, slow, refuses, talks garbage, hangs up, or its TLS is broken", "rounds of 15 faults",
        1, 10, 1, "mail_faults", "mail_faults"),
    Proof(
        "lost-replies", "REL-IDEM", "each reply is lost at a random byte and the request repeated, twice", "lost replies",
        10_000, 100_000, 10_000, "replies", "lost_replies"),
    Proof(
        "rolling-restart", "REL-SHUT-1", "two nodes are restarted in turn under load, behind HAProxy", "restarts",
        5, 200, 50, "nodes", "rolling_restart"),
    Proof(
        "upgrades", "REL-SHUT-1", "two nodes in containers are replaced in turn by those of another image under load, behind HAProxy",
        "upgrades", 6, 100, 50, "upgrades", "upgrades"),
    Proof(
        "partitions", "SEC-AUD-3, REL-TX-5",
        "the audit trail is divided into partitions, and a partition of old lines is dropped, beside sign-ups", "lines in each part",
        2_000, 10_000_000, 10_000_000, "partitions", "partitions"),
    Proof(
        "tls", "SEC-NET-3, SEC-NET-6, SEC-NET-12",
        "the listener's certificate changes under load; old versions, handshakes that are none, floods of HTTP/2 frames", "changes",
        3, 200, 20, "tls", "tls"),
    Proof(
        "master-key", "SEC-SEC-1", "the master key is rotated under load: rotate, restart of two nodes in turn, remove-old", "rotations",
        3, 50, 10, "master_key", "master_key"),
    Proof(
        "backup", "REL-BAK-1, REL-BAK-3", "two nodes are backed up under load, and restored into both databases", "backups",
        4, 20, 20, "backups", "backup"),
    Proof(
        "imports", "SEC-PWD-7, SEC-ID-7",
        "users with hashes are imported beside a server that signs people up, ended with kill −9 and continued; both stores", "users on each store",
        1_000, 1_000_000, 1_000_000, "imports", "imports"),
    Proof(
        "tenants", "SEC-AUD-1", "documents applied to two nodes that run", "documents",
        10, 100, 100, "tenants", "tenants"),
    Proof(
        "timing", "SEC-ENUM-6, SEC-PWD-11", "strict mode: names with and without an account, locked and not, timed in pairs",
        "pairs at each of 15 endpoints", 2_000, 20_000, 20_000, "timing", "timing"),
    Proof(
        "pause", "REL-HA-5, SEC-MAIL-2", "one of two nodes is stopped for 65 s (SIGSTOP) under load, and goes on", "pauses",
        3, 50, 3, "nodes", "pause"),
    Proof(
        "clock", "REL-TIME-1, REL-TIME-2, REL-TIME-3",
        "one of two nodes, or the only one, has a clock that is wrong by up to 10 years, or jumps", "rounds of 12 settings",
        1, 1, 1, "nodes", "clock"),
    Proof(
        "descriptors", "REL-FD-1", "a node that may open 256 files, and 400 connections that stay open", "floods",
        1, 5, 1, "nodes", "descriptors"),
    Proof(
        "two-nodes", "REL-HA-2, REL-HA-4",
        "the end-to-end tests with two nodes on PostgreSQL, and each request at a random one", "runs of all tests",
        1, 20, 1, "swift_proofs", "two_nodes", needs_binary=False),
    Proof(
        "guesses", "SEC-OTP-3, REL-HA-2", "parallel guesses on one code, two nodes", "guesses",
        2_000, 100_000, 100_000, "cluster", "guesses"),
    Proof(
        "races-address", "REL-HA-1", "two people finish a sign-up for one address at once, on two nodes", "races",
        1_000, 10_000, 250, "cluster", "races_address"),
    Proof(
        "races-alias", "REL-HA-1", "two people finish a sign-up for one alias at once, on two nodes", "races",
        1_000, 10_000, 250, "cluster", "races_alias"),
    Proof(
        "wrong-passwords", "SEC-LOCK-1, SEC-LOCK-2, SEC-LOCK-3, SEC-LOCK-5, SEC-RATE-9",
        "parallel wrong passwords for one account, on two nodes and on SQLite, while its owner signs in", "guesses on each store",
        2_000, 50_000, 2_000, "more_races", "wrong_passwords"),
    Proof(
        "refresh-races", "SEC-TOK-8, SEC-TOK-9, SEC-TOK-10, REL-HA-2",
        "one refresh token at both nodes at once, replays of an old one, and revocations beside refreshes", "rounds",
        1_000, 10_000, 250, "more_races", "refresh_races"),
    Proof(
        "deletions", "SEC-ID-8, REL-BAK-4, LOG-T",
        "accounts deleted under load with kill −9, a marker in each field; a search of tables, files, logs and backups made after it",
        "deletions on PostgreSQL, half as many on SQLite", 1_000, 10_000, 500, "account_proofs", "deletions"),
    Proof(
        "account-races", "SEC-ID-8, REL-HA-2",
        "a deletion beside a refresh, a sign-in, a sign-up for the name; a change of the address beside a reset", "races of each kind",
        1_000, 10_000, 250, "account_proofs", "account_races"),
    Proof(
        "signing-keys", "SEC-TOK-5", "keys are announced, rotated and revoked under load on two nodes", "rotations with two revocations",
        1, 10, 1, "more_races", "signing_keys"),
    Proof(
        "spray", "SEC-RATE-5, SEC-RATE-8", "one wrong password after another over many accounts, from 20 sources", "guesses",
        10_000, 1_000_000, 10_000, "attacks", "spray"),
    Proof(
        "mail-bombing", "SEC-OTP-12", "requests for mail to one mailbox from 500 sources", "requests",
        10_000, 100_000, 10_000, "attacks", "mail_bombing"),
    Proof(
        "lockout-reset", "SEC-OTP-12, SEC-LOCK-5",
        "an address is flooded with resets, sign-ups and sign-ins from few networks and from 1,000, while its owner resets from a new one",
        "requests each time", 3_000, 100_000, 100_000, "lockout_reset", "lockout_reset"),
    Proof(
        "strangers", "SEC-OTP-15, SEC-OTP-5", "flows, resends and wrong guesses of strangers for names whose owners wait for their code",
        "flows on each store", 1_000, 10_000, 1_000, "attacks", "strangers"),
    Proof(
        "flush", "SEC-RATE-2", "made-up tokens, names and flows from 64 sources, while three others are blocked", "requests",
        100_000, 1_000_000, 1_000_000, "floods", "flush"),
    Proof(
        "proxy-connections", "SEC-NET-6",
        "half bodies from the address of a trusted proxy, and through HAProxy with the sample file, from one client and from 100",
        "half bodies at a time", 10_300, 103_000, 10_300, "floods", "proxy_connections"),
    Proof(
        "canary", "LOG-T, SEC-OTP-14, SEC-LOG-1, SEC-LOG-2, SEC-SEC-2",
        "all flows with a marker in each secret and personal field, on both stores; a search of logs, tables, files and tools",
        "runs", 1, 1, 1, "canary", "canary"),
    Proof(
        "fuzz", "SEC-NET, REL-OVR-2", "valid requests to which something was done, over HTTP, with honest people beside them",
        "requests", 10_000, 1_000_000, 10_000, "fuzz", "fuzz"),
    Proof(
        "openapi", "REL-OVR-2, SEC-WIRE-1",
        "requests made from the OpenAPI document by schemathesis: strangers, flows that have begun, the directory, resource servers",
        "examples of each operation", 20, 1_000, 100, "openapi", "openapi"),
    Proof(
        "hooks", "SEC-HOOK-1, SEC-HOOK-3, SEC-HOOK-5, SEC-HOOK-6",
        "sign-ups that receivers judge, codes that one delivers and a subscriber, all of which fail often, under kill −9; both stores",
        "sign-ups on SQLite, half as many on two nodes", 200, 5_000, 500, "hooks", "hooks"),
    Proof(
        "fuzz-readers", "SEC-SWIFT-4, SEC-NET-8, SEC-NET-9", "good inputs tampered with, for every reader, each in a process of its own",
        "inputs for each target", 100_000, 10_000_000, 1_000_000, "swift_proofs", "fuzz_readers", needs_binary=False),
    Proof(
        "refresh", "SDK-REF-1, SDK-STO-4", "2, 4 and 8 processes with one token cache, and 1 000 callers of one process",
        "renewals of each", 100, 1_000, 1_000, "swift_proofs", "refresh", needs_binary=False),
    Proof(
        "model", "SEC-CT, REL-HA-2", "the flows explored within wider bounds than the tests do", "explorations",
        1, 1, 1, "swift_proofs", "model", needs_binary=False),
    Proof(
        "simulate", "REL-IDEM, SDK-RETRY, SDK-STATE, invariants I1 to I13",
        "random histories of client, server, mail, clock and network in one process", "minutes",
        10, 120, 10, "swift_proofs", "simulate", needs_binary=False),
    Proof(
        "isolation", "SEC-SWIFT", "whether the optimised SDK comes back to its caller's actor", "runs",
        1, 1, 1, "swift_proofs", "isolation", needs_binary=False),
]


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()


class State:
    """The results so far, in .build/prove/NAME.json. Results of other code prove nothing about this one.

        Results of a trial are not kept."""

    def __init__(self, proof, goal=None, seed=None, again=False, is_trial=False, is_given=None):
        self.proof, self.file, self.is_trial = proof, STATE / f"{proof.name}.json", is_trial
        commit = code_of(proof)
        data = json.loads(self.file.read_text()) if self.file.exists() and not is_trial else {}
        is_other = again or data.get("commit") != commit or (seed is not None and data.get("seed") != seed)
        # The code of a given server is unknown.
        if is_other or (is_given is False and data["is_given"]):
            data = {
                "commit": commit, "seed": random.randrange(1 << 30) if seed is None else seed, "done": 0, "seconds": 0,
                "counts": {}, "worst": {}, "faults": [], "parts": 0, "is_given": bool(is_given),
            }
        self.data = data
        self.data["goal"] = goal or self.data.get("goal", proof.ci)

    @property
    def is_complete(self):
        return self.data["done"] > 0 and self.data["done"] >= self.data["goal"]

    def add(self, number, result, seconds):
        data = self.data
        data["parts"] += 1
        data["done"] += number
        data["seconds"] += seconds
        data["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        for name, value in result.counts.items():
            data["counts"][name] = data["counts"].get(name, 0) + value
        for name, value in result.worst.items():
            data["worst"][name] = max(data["worst"].get(name, value), value)
        data["faults"] = (data["faults"] + result.faults)[:20]
        if not self.is_trial:
            STATE.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(data, indent=1))

    def numbers(self):
        numbers = [f"{value:,} {name}" for name, value in self.data["counts"].items()]
        numbers += [f"at most {value:,.2f} {name}".replace(".00 ", " ") for name, value in self.data["worst"].items()]
        return ", ".join(numbers)

    def verdict(self):
        if not self.data["done"]:
            return "not run"
        if self.data["faults"]:
            return "FAILED"
        return "passed" if self.is_complete else f"passed so far, {self.data['done']:,} of {self.data['goal']:,}"


def code_of(proof):
    """The commit that last changed the proof's subject or the proof itself; `+` when something is not committed."""
    paths = ["Sources", "Package.swift", "Tests/Proofs/world.py", f"Tests/Proofs/{proof.module}.py"]
    # Those of the modules that use the shim.
    paths += ["Tests/Proofs/shim.py", "Tests/Proofs/shim.c"] if proof.module in ("power_cut", "disk_full", "nodes", "mail_faults") else []
    paths += ["Tests/Proofs/images.py", "scripts/make-image"] if proof.module == "upgrades" else []
    paths += ["packaging/patroni"] if proof.module == "patroni" else []
    is_changed = git("status", "--porcelain", "-uno", "--", *paths)
    return git("log", "-1", "--format=%H", "--", *paths)[:12] + ("+" if is_changed else "")


def build():
    """The debug build, as the tests use it; returns the server's path."""
    subprocess.run([ROOT / "scripts/setup", "tests"], check=True)
    command = ["swift", "build", "--quiet", "--traits", "Testing,Server"]
    for product in ("native-auth", "native-auth-try"):
        subprocess.run([*command, "--product", product], cwd=ROOT, env=WITH_TOOLS, check=True)
    folder = subprocess.check_output([*command, "--show-bin-path"], cwd=ROOT, env=WITH_TOOLS, text=True).strip()
    return folder + "/native-auth"


def run(proof, options, goal, end):
    """Continues a proof until its count is reached, or the time is over; returns its state."""
    is_trial = bool(options.quick or options.only)
    state = State(proof, goal, options.seed, options.again, is_trial, proof.needs_binary and options.is_given)
    print(f"{proof.name}: {proof.what}; seed {state.data['seed']}", flush=True)
    while not state.is_complete and time.monotonic() < end and not state.data["faults"]:
        number = min(proof.part, state.data["goal"] - state.data["done"])
        # Each part has its own random numbers, and the same ones when it is repeated.
        rng = random.Random(f"{state.data['seed']}-{state.data['done']}")
        begin = time.monotonic()
        try:
            work = getattr(importlib.import_module(proof.module), proof.function)
            result = work(options, number, rng)
        except Exception as error:
            # A proof that could not be carried out is neither counted nor passed.
            traceback.print_exc()
            print(f"{proof.name}: broke off ({error}): FAILED", flush=True)
            return None
        state.add(number, result, time.monotonic() - begin)
        for fault in result.faults[:5]:
            print(f"  fault: {fault}")
        if len(result.faults) > 5:
            print(f"  and {len(result.faults) - 5} more faults")
        print(f"  {state.data['done']:,} of {state.data['goal']:,} {proof.unit}, {state.data['seconds']:.0f} s", flush=True)
    print(f"{proof.name}: {state.numbers()}: {state.verdict()}", flush=True)
    if not state.is_complete and not state.data["faults"]:
        print("The hour is nearly over; the same command goes on from here.")
    return state


def exit_code(states):
    if any(state is None or state.data["faults"] for state in states):
        return 1
    return 0 if all(state.is_complete for state in states) else INCOMPLETE


def show_list():
    width = max(len(proof.name) for proof in PROOFS)
    print(f"{'proof':{width}}  {'CI':>9}  {'FULL':>10}  what is counted, what happens, and the requirements that it shows")
    for proof in PROOFS:
        print(f"{proof.name:{width}}  {proof.ci:>9,}  {proof.full:>10,}  {proof.unit}: {proof.what} ({proof.requirements})")


# Report


def tool(*command):
    try:
        output = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(r"\d+(\.\d+)+", output.stdout + output.stderr)
    return found[0] if found else None


def machine():
    """The environment of the figures, without any names."""
    system = platform.system()
    release = pathlib.Path("/etc/os-release")
    if release.exists():
        found = re.search(r'^PRETTY_NAME="(.*)"', release.read_text(), re.MULTILINE)
        system = found[1] if found else system
    import sqlite3

    versions = {
        "Swift": tool("swift", "--version"), "PostgreSQL": tool("psql", "--version"), "SQLite": sqlite3.sqlite_version,
        "Python": platform.python_version(), "HAProxy": tool("haproxy", "-v"),
    }
    known = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return f"{os.cpu_count()} cores, {platform.machine()}, {system}; {known}"


def earlier_rows():
    """The rows of the page by the name of the proof: what was shown for earlier code stays until it is shown again."""
    rows = {}
    for line in REPORT.read_text().splitlines() if REPORT.exists() else []:
        if match := re.match(r"\| ([a-z-]+): .* \|$", line):
            rows[match[1]] = line
    return rows


def report():
    states = [State(proof) for proof in PROOFS]
    done = [state for state in states if state.data["done"]]
    lines = [
        "# What was shown", "",
        "Written by `scripts/prove report` from the runs of `scripts/prove`; [Tests and proofs](../develop/testing.md) says what each proof"
        " does. The", "last columns name the commit that last changed the code or the proof, and the day. A row of an older commit stays until the proof is run again.", "",
        f"- Machine: {machine()}", "",
        "| Proof | Requirements | Done | CI / FULL | Counts and worst figures | Seed | Minutes | Verdict | Code | Date |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    earlier = earlier_rows()
    for state in states:
        proof, data = state.proof, state.data
        if not data["done"]:
            lines += [earlier[proof.name]] if proof.name in earlier else []
            continue
        verdict = state.verdict() + (", fewer than in CI" if data["done"] < proof.ci else "")
        verdict += ", with a server that was given" if data["is_given"] else ""
        row = (
            f"| {proof.name}: {proof.what} | {proof.requirements} | {data['done']:,} {proof.unit} | {proof.ci:,} /"
            f" {proof.full:,} | {state.numbers()} | {data['seed']} | {data['seconds'] / 60:.1f} | {verdict} | {data['commit']} |"
            f" {data['date']} |")
        lines.append(row.replace("<", "&lt;"))
    lines += ["", "## Not yet run", ""]
    missing = [state.proof for state in states if not state.data["done"] and state.proof.name not in earlier]
    lines += [f"- {proof.name}: {proof.what} ({proof.requirements})" for proof in missing] or ["None."]
    lines += ["", "## Known failures", ""]
    failures = [f"- {state.proof.name}: {fault[:200]}".replace("<", "&lt;") for state in done for fault in state.data["faults"]]
    lines += failures or ["None."]
    REPORT.write_text("\n".join(lines) + "\n")
    print(f"{REPORT.relative_to(ROOT)}: {len(done)} proofs run, {len(missing)} not, {len(failures)} known failures")


def main(usage, arguments):
    parser = argparse.ArgumentParser(usage=usage, add_help=False)
    parser.add_argument("name")
    parser.add_argument("count", nargs="?", type=int)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--binary")
    parser.add_argument("--seed", type=int)
    try:
        options = parser.parse_args(arguments)
    except SystemExit:
        return 64
    if options.count is not None and options.count < 1:
        parser.error("the count must be at least 1")
    if options.name == "list":
        show_list()
        return 0
    if options.name == "report":
        report()
        return 0
    chosen = PROOFS if options.name == "all" else [proof for proof in PROOFS if proof.name == options.name]
    if not chosen:
        parser.error(f"there is no proof {options.name}; `scripts/prove list` shows them all")
    end = time.monotonic() + LONGEST_RUN
    options.is_given = bool(options.binary)

    def goal(proof):
        return options.count or (proof.full if options.full else proof.ci)

    if options.name == "all":
        chosen = [proof for proof in chosen if options.again or not State(proof, goal(proof), is_given=options.is_given).is_complete]
        if options.is_given:
            # The others build this tree.
            chosen = [proof for proof in chosen if proof.needs_binary]
    if any(proof.needs_binary for proof in chosen) and not options.binary:
        options.binary = build()
    states = [run(proof, options, goal(proof), end) for proof in chosen]
    if options.name == "all":
        print()
        for state in map(State, PROOFS):
            print(f"{state.proof.name}: {state.numbers() or 'nothing'}: {state.verdict()}")
    return exit_code(states)

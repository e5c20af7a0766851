"""The instructions of a journey, counted by `callgrind` on the release build under a load (Linux).

Runs differ by up to 6 %, on a machine where times differ by a quarter: what a change saves is seen at once, and so is who calls what
too often. The kernel's work is not counted; that of the mail's receiver, which is in the same process here, is.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import flame
import measurements

# The line of the audit trail that each journey of a scenario writes once.
KINDS = {
    "otp-sign-up": "signup.completed",
    "otp-sign-up-tokens": "signup.completed",
    "code-sign-in": "signin.succeeded",
    "refresh-es256": "token.refreshed",
    "refresh-rs256": "token.refreshed",
}


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/prove instructions")
    parser.add_argument("scenario", nargs="?", default="otp-sign-up", choices=KINDS, help="of `native-auth-bench`")
    parser.add_argument("--binary", help="a server that is built already")
    parser.add_argument("--callers", help="also who calls the functions that match this expression")
    parser.add_argument("--lines", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=20, help="counted, once the load runs")
    options = parser.parse_args(arguments)
    for program in ["valgrind", "callgrind_control", "strip", "pgrep"]:
        if not shutil.which(program):
            sys.exit(f"scripts/prove: instructions wants {program} (Debian: valgrind, binutils, procps)")
    with tempfile.TemporaryDirectory() as folder:
        journeys, text = record(options.binary or measurements.release_build(), options, folder)
    own, calls = read(text)
    print(f"{options.scenario}: {journeys} journeys, {sum(own.values()) / journeys / 1000:,.0f} thousand instructions each")
    totals = collections.defaultdict(lambda: (0, 0))
    for (_, callee), value in calls.items():
        totals[callee] = added(totals[callee], value)
    table("in the function itself", {name: (None, cost) for name, cost in own.items()}, journeys, options.lines)
    print("\nA function that waits is counted with what ran after it on its thread, so the first rows of the next table say little.")
    table("in the function and what it calls", totals, journeys, options.lines)
    if options.callers:
        wanted = re.compile(options.callers)
        found = {f"{caller}  ->  {callee}": value for (caller, callee), value in calls.items() if wanted.search(callee)}
        table(f"in calls of {options.callers}", found, journeys, options.lines)
    return 0


def record(binary, options, folder):
    """The number of journeys in the counted time, and what callgrind wrote."""
    program, wrapper, out = f"{folder}/program", f"{folder}/server", f"{folder}/callgrind"
    # Valgrind 3.19 does not read the debugging information of this compiler.
    subprocess.run(["strip", "--strip-debug", "-o", program, binary], check=True)
    pathlib.Path(wrapper).write_text(f'#!/bin/sh\nexec valgrind -q --tool=callgrind --callgrind-out-file={out} {program} "$@"\n')
    os.chmod(wrapper, 0o755)
    kind = KINDS[options.scenario]
    # A load with accounts first makes them, and waits for their mails: a minute here.
    warm_up = 30 if kind == "signup.completed" else 75
    # Valgrind's pipes, by which it is controlled, are in this folder too.
    environment = {**os.environ, "TMPDIR": folder}
    load = subprocess.Popen(
        [flame.generator(), "--server", wrapper, "--peak", "--seconds", str(warm_up + options.seconds + 10), options.scenario,
         "--folder", folder],
        env=environment, stdout=subprocess.DEVNULL)
    server = None
    try:
        time.sleep(warm_up)
        if not (server := flame.pgrep(f"callgrind.* serve .*{folder}")):
            sys.exit("scripts/prove: the load has no server; its own words are above")
        control("-z", server, environment)
        before = lines(folder)
        time.sleep(options.seconds)
        control("-d", server, environment)
        counted = lines(folder) - before
    finally:
        load.terminate()
        load.wait()
        if server:
            try:
                os.kill(int(server), signal.SIGKILL)
            except ProcessLookupError:
                pass
    if kind != "signup.completed" and counted["signup.completed"]:
        sys.exit("scripts/prove: the load still made its accounts; this machine is too slow for the time of its warm-up")
    if not counted[kind]:
        sys.exit(f"scripts/prove: no line of {kind} in the counted time; give it more --seconds")
    return counted[kind], pathlib.Path(f"{out}.1").read_text(errors="replace")


def control(command, server, environment):
    run = subprocess.run(["callgrind_control", command, server], env=environment, capture_output=True, text=True)
    if run.returncode or "OK" not in run.stdout:
        sys.exit(f"scripts/prove: callgrind_control {command} failed: {run.stdout}{run.stderr}")


def lines(folder):
    """How many lines of each kind the audit trail has."""
    found = list(pathlib.Path(folder).glob("**/identity.sqlite"))
    if len(found) != 1:
        sys.exit(f"scripts/prove: {len(found)} databases in {folder}, and not one")
    database = sqlite3.connect(f"file:{found[0]}?mode=ro", uri=True)
    return collections.Counter(dict(database.execute("SELECT kind, COUNT(*) FROM audit GROUP BY kind")))


def read(text):
    """The instructions of each function, and the calls and instructions of each pair of caller and callee."""
    names, own, calls = {}, collections.Counter(), collections.defaultdict(lambda: (0, 0))
    function = callee = count = None

    def name(mark):
        number, _, word = mark.partition(" ")
        if word:
            names[number] = word
        return names[number]

    for line in text.splitlines():
        if line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            callee = name(line[4:])
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
        elif line and line[0] in "0123456789+-*" and len(parts := line.split()) > 1:
            if count is None:
                own[function] += int(parts[1])
            elif function != callee:
                calls[(function, callee)] = added(calls[(function, callee)], (count, int(parts[1])))
            count = None
    known = sorted(set(own) | {name for pair in calls for name in pair})
    demangled = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(known), stdout=subprocess.PIPE, text=True, check=True)
    plain = dict(zip(known, demangled.stdout.split("\n")))
    merged, pairs = collections.Counter(), collections.defaultdict(lambda: (0, 0))
    for function, cost in own.items():
        merged[plain[function]] += cost
    for (one, other), value in calls.items():
        pair = (plain[one], plain[other])
        pairs[pair] = added(pairs[pair], value)
    return merged, pairs


def added(one, other):
    return one[0] + other[0], one[1] + other[1]


def table(title, rows, journeys, most):
    print(f"\nthousand instructions a journey, {title}:")
    for name, (calls, cost) in sorted(rows.items(), key=lambda row: -row[1][1])[:most]:
        times = "" if calls is None else f"{calls / journeys:9,.1f} calls"
        print(f"  {cost / journeys / 1000:9,.1f}{times}  {name[:130]}")

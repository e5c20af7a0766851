"""Proofs that are programs in Swift of this tree; each is built first."""

import json
import os
import re
import subprocess

from measurements import WITH_TOOLS
from world import ROOT, Result

TEST = ["swift", "test", "--skip-build", "--traits", "Testing,Server", "--disable-xctest", "--no-parallel"]


def tests(filter, environment):
    """Builds the tests and runs some; returns their output, and whether they passed."""
    build = ["swift", "build", "--quiet", "--build-tests", "--traits", "Testing,Server"]
    subprocess.run(build, cwd=ROOT, env=WITH_TOOLS, check=True)
    run = subprocess.run(
        TEST + ["--filter", filter], cwd=ROOT, env=WITH_TOOLS | environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    return run.stdout, run.returncode == 0


def product(name, *arguments):
    """Builds a program of Tools in the release configuration; returns its path."""
    build = ["swift", "build", "-c", "release", "--product", name, *arguments]
    subprocess.run([*build, "--quiet"], cwd=ROOT, env=WITH_TOOLS, check=True)
    folder = subprocess.check_output([*build, "--show-bin-path"], cwd=ROOT, env=WITH_TOOLS, text=True).strip()
    return f"{folder}/{name}"


def refresh(options, number, rng):
    result = Result()
    output, passed = tests("TokenCacheProcessTests|oneRefreshForAThousandCallers", {"PROVE_RENEWALS": str(number)})
    print("\n".join(f"    {line}" for line in re.findall("^refresh: .*", output, re.MULTILINE)))
    result.expect(passed, "\n".join(output.splitlines()[-20:]))
    result.count("renewals of each process", number)
    return result


def two_nodes(options, number, rng):
    """The end-to-end tests, `number` times, with each of their servers as two nodes on one PostgreSQL database."""
    result = Result()
    for run in range(number):
        output, passed = tests(r"EndToEndTests\.", {"PROVE_NODES": "2"})
        result.expect(passed, "\n".join(re.findall("^(?:✘|↳).*", output, re.MULTILINE)[:20]) or output[-1000:])
        ended = re.search(r"Test run with (\d+) tests?", output)
        skipped = re.findall('^➜ Test (.*) skipped: "two nodes: (.*)"', output, re.MULTILINE)
        started = {place.rpartition("/")[0] for place in re.findall("^two nodes: started for (.*)", output, re.MULTILINE)}
        requests = [tuple(map(int, line)) for line in re.findall(r"^two nodes: requests (\d+) (\d+)", output, re.MULTILINE)]
        for name, why in skipped if run == 0 else []:
            print(f"    skipped: {name}: {why}")
        result.count("tests with two nodes", len(started))
        result.count("tests that need no server", int(ended[1]) - len(skipped) - len(started) if ended else 0)
        result.count("tests skipped", len(skipped))
        for node in range(2):
            result.count(f"requests at node {node + 1}", sum(line[node] for line in requests))
        # A run in which one node has no work would prove nothing.
        result.expect(started and all(map(sum, zip(*requests))), "no test used two nodes, or one of them got no request")
    return result


def model(options, number, rng):
    result = Result()
    output, passed = tests("ModelTests", {"PROVE_MODEL": "1"})
    result.expect(passed, "\n".join(output.splitlines()[-20:]))
    result.count("explorations", number)
    return result


def simulate(options, number, rng):
    """`number` minutes of histories, a process per core, each with separate seeds."""
    result = Result()
    program = product("Simulator", "--traits", "Server")
    processes = os.cpu_count() or 1
    seeds = [rng.randrange(1, 1 << 40) for _ in range(processes)]
    runs = [
        subprocess.Popen(
            [program, "--seed", str(seed), "--steps", "400", "--seconds", str(number * 60)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) for seed in seeds
    ]
    for seed, run in zip(seeds, runs):
        output = run.communicate()[0].rstrip()
        last = output.rpartition("\n")[2]
        if not last.startswith("{"):
            result.expect(False, f"the histories from seed {seed} on got stuck, or crashed: {output[-1000:]}")
            continue
        numbers = json.loads(last)
        print(output.removesuffix(last), end="")
        for name in ("histories", "steps", "requests"):
            result.count(name, numbers[name])
        result.count("faults of the network", sum(numbers["faults"].values()))
        result.count("violations", len(numbers["violations"]))
        result.expect(not numbers["violations"], f"violations from seed {seed} on: {numbers['violations'][:3]}")
    return result


def fuzz_readers(options, number, rng):
    result = Result()
    program = product("Fuzz", "--traits", "Server")
    run = subprocess.run(
        [program, "--count", str(number), "--seed", str(rng.randrange(1, 1 << 40))], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("\n".join(f"    {line}" for line in run.stdout.splitlines()))
    last = run.stdout.rstrip().rpartition("\n")[2]
    result.expect(run.returncode == 0 and last.endswith(": passed"), run.stdout[-1000:])
    found = re.search(r"(\d+) inputs", last)
    result.count("inputs", int(found[1]) if found else 0)
    return result


def isolation(options, number, rng):
    result = Result()
    # Separate from the other builds, which have other traits.
    program = product("ActorReturn", "--scratch-path", str(ROOT / ".build/prove/isolation"))
    run = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    result.expect(run.returncode == 0, run.stdout[-1000:])
    result.count("runs", number)
    return result

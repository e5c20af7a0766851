"""Checks that the memory of a server stays constant under a modest, continuous load."""

import argparse
import collections
import random
import statistics
import threading
import time

import measurements
import steps

# Percent of the journeys; a refresh is one step, a sign-in three, a sign-up with its tokens four.
SHARES = {"refresh": 60, "sign-in": 25, "sign-up": 10, "password sign-up": 5}
# Constant: over the second half the memory grows by less than this share of its value in the middle.
MOST_GROWTH = 0.05
# In fewer minutes a server still fills its caches, and the result means nothing.
LEAST_MINUTES = 30
# Seconds between two readings of the memory; a trial takes twenty readings in any case.
EVERY = 10
# The number of users whose addresses and tokens a worker keeps; older ones are dropped.
PEOPLE = 1000


class Worker(threading.Thread):
    """Takes a step whenever one is due, and catches up when it is late."""

    def __init__(self, number, address, steps_per_second, over):
        super().__init__(daemon=True)
        self.number, self.pause, self.over = number, 1 / steps_per_second, over
        self.app = steps.App(address, lambda name, seconds: self.times.append(seconds))
        self.random, self.done, self.times = random.Random(number), collections.Counter(), collections.deque(maxlen=5000)
        self.names, self.tokens = collections.deque(maxlen=PEOPLE), collections.deque(maxlen=PEOPLE)
        self.trouble = None

    def run(self):
        try:
            due = time.monotonic()
            while True:
                kind = self.random.choices(list(SHARES), SHARES.values())[0]
                for body in self.journey(kind):
                    due += self.pause
                    if self.over.wait(max(0, due - time.monotonic())):
                        return
                if "refresh_token" in body and kind != "password sign-up":
                    self.tokens.append(body["refresh_token"])
                self.done[kind] += 1
        except BaseException as error:
            self.trouble = error

    def journey(self, kind):
        if kind == "refresh" and self.tokens:
            self.tokens.rotate(self.random.randrange(len(self.tokens)))
            return self.app.refresh(self.tokens.pop())
        if kind == "sign-in" and self.names:
            return self.app.sign_in(self.random.choice(self.names))
        # Until a user exists, workers sign up.
        number = sum(self.done.values())
        address = f"p{number}-{self.number}@{number % 100}.example.com"
        if kind == "password sign-up":
            return self.app.sign_up(address, steps.PASSWORD)
        self.names.append(address)
        return self.app.sign_up(address)


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/prove soak")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=50, help="steps a second")
    parser.add_argument("--workers", type=int, default=4, help="connections that share the rate")
    parser.add_argument("--binary", help="a server that is built already")
    options = parser.parse_args(arguments)
    server = measurements.Server(options.binary or measurements.release_build(), *steps.SETTINGS)
    print(f"ready: {server.mebibytes():.1f} MiB resident, {server.mebibytes('RssAnon'):.1f} of them its own", flush=True)
    over = threading.Event()
    workers = [Worker(n, server.address, options.rate / options.workers, over) for n in range(options.workers)]
    begin = time.monotonic()
    for worker in workers:
        worker.start()
    samples = watch(server, workers, begin, options.minutes)
    over.set()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - begin
    done = sum((worker.done for worker in workers), collections.Counter())
    print(", ".join(f"{number:,} × {kind}" for kind, number in done.items()))
    print(f"processor of this client: {time.process_time() / seconds:.1%} of a core")
    server.stop()
    trouble = [worker.trouble for worker in workers if worker.trouble]
    if trouble:
        print(f"people were refused: {trouble[0]}")
        return 1
    return verdict(samples, options.minutes)


def watch(server, workers, begin, minutes):
    """The memory over time: (seconds, resident, private). Prints each minute."""
    samples, told, every = [], 0, min(EVERY, minutes * 60 / 20)
    while (seconds := time.monotonic() - begin) < minutes * 60 and not any(worker.trouble for worker in workers):
        time.sleep(min(every, minutes * 60 - seconds))
        seconds = time.monotonic() - begin
        samples.append((seconds, server.mebibytes(), server.mebibytes("RssAnon")))
        if seconds // 60 > told:
            told = seconds // 60
            took = statistics.median(time for worker in workers for time in list(worker.times)) * 1000
            print(
                f"minute {told:3.0f}: {samples[-1][1]:6.1f} MiB resident, {samples[-1][2]:6.1f} of them its own;"
                f" {sum(sum(worker.done.values()) for worker in workers):,} journeys, a step {took:.1f} ms", flush=True)
    return samples


def verdict(samples, minutes):
    half = samples[len(samples) // 2:]
    at = [seconds for seconds, _, _ in half]
    lines = [statistics.linear_regression(at, [sample[column] for sample in half]) for column in (1, 2)]
    middle = lines[0].intercept + lines[0].slope * at[0]
    growth = lines[0].slope * (at[-1] - at[0]) / middle
    print(
        f"second half: {lines[0].slope * 3600:+.1f} MiB an hour resident, {lines[1].slope * 3600:+.1f} its own;"
        f" growth {growth:+.1%} of {middle:.1f} MiB")
    if minutes < LEAST_MINUTES:
        print(f"soak: a trial; {LEAST_MINUTES} minutes or more have a verdict")
        return 0
    is_flat = growth < MOST_GROWTH
    print(f"soak: {'flat' if is_flat else 'NOT flat'} (flat: the line through the second half rises by less than {MOST_GROWTH:.0%})")
    return 0 if is_flat else 1

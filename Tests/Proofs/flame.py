"""The use of processor time: a flame graph and the ten costliest parts of a load on the release build, by `perf` (Linux)."""

import argparse
import collections
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import measurements

# A sample belongs to the first part with a function on its stack: the kernel's and SQLite's own work first, regardless of the
# caller, then ours from the inside out.
PARTS = [
    ("commit: the write-ahead log to the disk", r"fdatasync|__libc_pwrite|pwrite64|ext4_|sqlite3WalFrames"),
    ("SQLite", r"sqlite3|SQLiteSession"),
    ("sockets: the kernel's TCP", r"tcp_|sock_|__GI___writev|__libc_recv|epoll"),
    ("signatures", r"TenantKeys\.sign|CryptoBoringSSL_(RSA|EC)|P256|rsa_"),
    ("seals and digests", r"Vault\.|HMAC|AES|SHA256|HKDF"),
    ("states to bytes and back", r"StateCoding|CBOR|JSONEncoder|JSONDecoder|JSONWriter|JSONScanner"),
    ("mails: words, SMTP at both ends", r"OutboxWorker|MailRenderer|SMTP|Mustache|curl"),
    ("HTTP: reading and writing", r"NIO|HTTP|llhttp|ByteToMessage|Hummingbird|Router"),
    ("transactions: batches, rows, values", r"GroupCommitWriter|SQLStore|StoredValue|GRDB|Database\."),
    ("steps: engine, forms, replies", r"Engine|V1Codec|FormFields|IdentityRoutes|RequestGuard"),
    ("tasks and threads", r"swift_job|_dispatch|swift_task|futex|sem_|__schedule|finish_task_switch"),
]


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/prove profile")
    parser.add_argument("scenario", nargs="?", default="otp-sign-up", help="of `native-auth-bench`")
    parser.add_argument("--binary", help="a server that is built already")
    parser.add_argument("--graph", help="write the flame graph to this file (SVG)")
    parser.add_argument("--seconds", type=int, default=6)
    options = parser.parse_args(arguments)
    if not shutil.which("perf"):
        sys.exit("scripts/prove: profile wants Linux's perf (Debian: linux-perf)")
    stacks = record(options.binary or measurements.release_build(), options.scenario, options.seconds)
    total = sum(stacks.values())
    print(f"{options.scenario}: {total} samples of the server's processor time")
    table("the ten costliest parts", by_part(stacks), total)
    table("the ten functions with the most time of their own", by_function(stacks), total)
    if options.graph:
        pathlib.Path(options.graph).write_text(flame_graph(stacks, options.scenario))
        print(options.graph)
    return 0


def record(binary, scenario, seconds):
    """How often each stack was seen, the outermost function first."""
    with tempfile.TemporaryDirectory() as folder:
        data = folder + "/perf.data"
        bench = subprocess.Popen(
            [generator(), "--server", binary, "--peak", "--seconds", str(seconds + 4), scenario, "--folder", folder],
            stdout=subprocess.DEVNULL,
        )
        # The server of the load exists once it serves from that folder; then it warms up.
        while not (server := pgrep(f"serve .*{folder}")):
            time.sleep(0.1)
        time.sleep(3)
        # In a scenario with accounts, the same server first creates them.
        # Use the unwinding tables: the system's libraries, including SQLite and libcurl, keep no frame pointers.
        record = ["perf", "record", "-q", "-F", "799", "--call-graph", "dwarf,24576", "-p", server, "-o", data]
        subprocess.run([*record, "--", "sleep", str(seconds)], check=True, stderr=subprocess.DEVNULL)
        bench.wait()
        script = ["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym"]
        raw = subprocess.run(script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    text = raw.decode(errors="replace")
    if shutil.which("swift"):
        demangle = ["swift", "demangle", "--simplified"]
        text = subprocess.run(demangle, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    stacks = collections.Counter()
    for sample in text.split("\n\n"):
        thread, *frames = sample.strip().split("\n")
        if frames:
            names = [frame.strip().split(" ", 1)[-1] for frame in reversed(frames)]
            stacks[(thread.strip(), *names)] += 1
    return stacks


def generator():
    """The release build of the load generator; returns its path."""
    return measurements.release_build("native-auth-bench")


def pgrep(pattern):
    found = subprocess.run(["pgrep", "-f", pattern], stdout=subprocess.PIPE, text=True).stdout.split()
    return found[0] if found else None


def by_part(stacks):
    parts = collections.Counter()
    compiled = [(name, re.compile(pattern)) for name, pattern in PARTS]
    for stack, count in stacks.items():
        text = "\n".join(stack[1:])
        part = next((name for name, pattern in compiled if pattern.search(text)), "Swift's runtime, memory, no caller known")
        parts[part] += count
    return parts


def by_function(stacks):
    functions = collections.Counter()
    for stack, count in stacks.items():
        functions[stack[-1]] += count
    return functions


def table(title, counts, total):
    print(f"\n{title}:")
    for name, count in counts.most_common(10):
        print(f"  {100 * count / total:5.1f} %  {name[:100]}")


# MARK: the graph

WIDTH = 1200
ROW = 16


def flame_graph(stacks, title):
    """An SVG without script: each box is a function, as wide as its share, above its caller."""
    total = sum(stacks.values())
    boxes = []
    lay(boxes, sorted(stacks.items()), 0, 0, total)
    height = ROW * (max(depth for depth, *_ in boxes) + 3)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="14">{html.escape(title)}: {total} samples; boxes are as wide as their share of processor time</text>',
    ]
    for depth, start, count, name in boxes:
        x, width = WIDTH * start / total, WIDTH * count / total
        y = height - ROW * (depth + 1)
        hue = sum(name.encode()) % 50
        lines.append(f"<g><title>{html.escape(name)}: {100 * count / total:.1f} %</title>")
        lines.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="hsl({hue},75%,70%)" rx="1"/>')
        if width > 40:
            lines.append(f'<text x="{x + 3:.1f}" y="{y + 11}">{html.escape(name[: int(width / 7)])}</text>')
        lines.append("</g>")
    return "\n".join(lines) + "\n</svg>\n"


def lay(boxes, stacks, depth, start, total):
    """Places the functions of this depth side by side, and their callees above them; too narrow boxes are left out."""
    groups = {}
    for stack, count in stacks:
        if len(stack) > depth:
            groups.setdefault(stack[depth], []).append((stack, count))
    for name, group in groups.items():
        count = sum(count for _, count in group)
        if count * WIDTH >= 2 * total:
            boxes.append((depth, start, count, name))
            if depth < 60:
                lay(boxes, group, depth + 1, start, total)
        start += count

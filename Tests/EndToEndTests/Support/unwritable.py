"""Prepares a server, and runs commands on folders and files that its user cannot write: `unwritable.py PROGRAM FOLDER`. Prints for each
run its status, output and errors as JSON. As root it runs them as nobody, since root may write everything.
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
data, etc = folder / "data", folder / "etc"
NOBODY = 65534
runs = {}


def become_nobody():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def give(path, mode):
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    path.chmod(mode)


def run(name, *arguments, **settings):
    # A folder that a user can enter.
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, preexec_fn=become_nobody, cwd="/",
        env={"PATH": "/usr/bin:/bin"} | settings)
    runs[name] = {"status": done.returncode, "output": done.stdout, "errors": done.stderr}


folder.chmod(0o755)
etc.mkdir()
give(etc, 0o500)
give(folder, 0o755)
init = ["init", "--folder", str(etc), "--data", str(data), "--base-url", "https://login.example.com",
        "--mail-from", "no-reply@example.com", "--subdomain", "harbour", "--smtp", "smtp://127.0.0.1:1"]
run("init", *init)
runs["after init"] = {"status": 0, "output": "data" if data.exists() else "no data", "errors": ""}
give(etc, 0o700)
run("second init", *init)
settings = {"NATIVE_AUTH_DATA": str(data), "NATIVE_AUTH_MASTER_KEY_FILE": str(etc / "master.key")}
database, log = data / "identity.sqlite", data / "identity.sqlite-wal"


def run_both(name):
    run("doctor " + name, "doctor", "server", **settings)
    run("tenant " + name, "tenant", "export", **settings)


# They are empty, and SQLite makes them again.
for file in [log, data / "identity.sqlite-shm"]:
    file.unlink(missing_ok=True)
give(data, 0o500)
run_both("folder")
give(data, 0o700)
# A server that has the database open keeps the log.
beside = sqlite3.connect(database)
beside.execute("SELECT count(*) FROM sqlite_schema").fetchall()
give(data / "identity.sqlite-shm", 0o600)
give(log, 0o400)
run_both("log")
beside.close()
print(json.dumps(runs))

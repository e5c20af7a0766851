"""Reads and changes a server's database without its code: `database.py PLACE SQL`, or `PLACE --content FILE`.

A place is a file of SQLite, or a URL of PostgreSQL. Prints the rows as JSON, each value as a text. With `--content` everything
that the tables of PostgreSQL hold is written to a file, bytes as they are.
"""

import json
import re
import sqlite3
import subprocess
import sys


def rows(place, sql):
    if place.startswith("postgresql://"):
        command = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", place, "-c", sql]
        output = subprocess.check_output(command, text=True)
        return [line.split("\x1f") for line in output.splitlines()]
    mode = "ro" if sql.startswith(("SELECT", "PRAGMA")) else "rw"
    database = sqlite3.connect(f"file:{place}?mode={mode}", uri=True, timeout=10)
    found = database.execute(sql).fetchall()
    database.commit()
    database.close()
    return [["" if value is None else str(value) for value in row] for row in found]


if __name__ == "__main__":
    if sys.argv[2] == "--content":
        dump = subprocess.check_output(["pg_dump", "--data-only", sys.argv[1]])
        raw = re.sub(rb"\\\\x((?:[0-9a-f]{2})*)", lambda found: bytes.fromhex(found[1].decode()), dump)
        with open(sys.argv[3], "wb") as file:
            file.write(raw)
    else:
        print(json.dumps(rows(*sys.argv[1:])))

"""Reads the accounts in a server's database without its code, and prints what it finds as JSON.

`halves` are accounts that lack a part: a user without an identifier or the reverse, attributes of nobody, and for the
client given as the second argument (32 hex digits), whose user flow asks for a password, country and city, a user without
one of them.
"""

import json
import sqlite3
import sys

database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=10)
client = bytes.fromhex(sys.argv[2])


def count(sql, *parameters):
    return database.execute(f"SELECT count(*) FROM {sql}", parameters).fetchone()[0]


halves = {
    "users without an identifier": count(
        "users u WHERE NOT EXISTS (SELECT 1 FROM identifiers i WHERE i.tenant = u.tenant AND i.user = u.id)"
    ),
    "identifiers without a user": count(
        "identifiers i WHERE NOT EXISTS (SELECT 1 FROM users u WHERE i.tenant = u.tenant AND i.user = u.id)"
    ),
    "attributes without a user": count(
        "attributes a WHERE NOT EXISTS (SELECT 1 FROM users u WHERE a.tenant = u.tenant AND a.user = u.id)"
    ),
    "users without a password": count("users WHERE client = ? AND password_hash IS NULL", client),
    "users without their attributes": count(
        "users u WHERE client = ? AND (SELECT count(*) FROM attributes a WHERE a.tenant = u.tenant"
        " AND a.user = u.id AND a.name IN ('country', 'city')) != 2",
        client,
    ),
}
print(
    json.dumps(
        {
            "users": count("users"),
            "usersOfClient": count("users WHERE client = ?", client),
            "halves": halves,
            "integrity": database.execute("PRAGMA integrity_check").fetchone()[0],
        }
    )
)

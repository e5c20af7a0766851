"""Reads the accounts in a server's database without its code, and prints what it finds as JSON.

Arguments: the database (see database.py), and a client, 32 hex digits, whose user flow asks for a password, country and city.
`halves` are accounts that lack a part: a user without an identifier or the reverse, attributes without a user, and of that client a
user without one of them.
"""

import json
import sys

from database import rows

place = sys.argv[1]
client = f"'\\x{sys.argv[2]}'" if place.startswith("postgresql://") else f"x'{sys.argv[2]}'"


def count(sql):
    return int(rows(place, f"SELECT count(*) FROM {sql}")[0][0])


halves = {
    "users without an identifier":
        'users u WHERE NOT EXISTS (SELECT 1 FROM identifiers i WHERE i.tenant = u.tenant AND i."user" = u.id)',
    "identifiers without a user":
        'identifiers i WHERE NOT EXISTS (SELECT 1 FROM users u WHERE i.tenant = u.tenant AND i."user" = u.id)',
    "attributes without a user":
        'attributes a WHERE NOT EXISTS (SELECT 1 FROM users u WHERE a.tenant = u.tenant AND a."user" = u.id)',
    "users without a password": f"users WHERE client = {client} AND password_hash IS NULL",
    "users without their attributes":
        f"users u WHERE client = {client} AND (SELECT count(*) FROM attributes a WHERE a.tenant = u.tenant"
        """ AND a."user" = u.id AND a.name IN ('country', 'city')) <> 2""",
}
print(
    json.dumps(
        {
            "users": count("users"),
            "usersOfClient": count(f"users WHERE client = {client}"),
            "halves": {name: count(sql) for name, sql in halves.items()},
            # PostgreSQL has no such query; it makes its own checks at each read.
            "integrity": "ok" if place.startswith("postgresql://") else rows(place, "PRAGMA integrity_check")[0][0],
        }
    )
)

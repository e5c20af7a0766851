"""Guesses spread over many accounts, and mails nobody asked for, against a server with the limits of production.

Every attacker has addresses of their own on the loopback network, 127.0.0.0/8; the server takes each as another source."""

import http.client
import os
import sqlite3
import threading

from world import PASSWORD_APP, Person, Refused, Result, Site, ask, parallel, wait_until

LIMITS = ["--limits", "production"]
# SEC-RATE-5: wrong passwords of one source in 10 minutes. The budget of a source is looked up before, and counted after the
# comparison (SEC-RATE-9: approximate), so those that are compared at the same moment come on top.
WRONG_PASSWORDS, PARALLEL = 50, 24
# SEC-OTP-12: mails to one mailbox in 15 minutes, of one kind, from sources that are not familiar.
MAILS = 5


def source(number):
    """A loopback address; the first are left to honest people."""
    return f"127.{1 + number // 62_500}.{1 + number // 250 % 250}.{1 + number % 250}"


class Guest(Person):
    """A person at one address, who takes any answer as it comes."""

    def __init__(self, site, address, client=PASSWORD_APP):
        super().__init__(site, client, patience=10)
        self.address = address

    def post(self, path, fields):
        port = self.random.choice([node.port for node in self.site.nodes])
        form = {"client_id": self.client} | fields
        return ask(port, "POST", f"/contoso/{path}", form, source=(self.address, 0), timeout=30)


def populate(site, number, password):
    """`number` accounts with one password. One is made over HTTP, and copied while the server is down: hashing takes its time."""
    Guest(site, source(0)).sign_up("owner0@example.com", password)
    site.nodes[0].stop()
    database = sqlite3.connect(site.store.file)
    with database:
        for index in range(1, number):
            new = os.urandom(16)
            for table, column in (("users", "id"), ("identifiers", '"user"')):
                cursor = database.execute(f"SELECT * FROM {table} LIMIT 1")
                row = dict(zip([name for name, *_ in cursor.description], cursor.fetchone()))
                row[column.strip('"')] = new
                if table == "identifiers":
                    row["key"] = row["key"].replace(b"owner0", f"owner{index}".encode())
                    row["display"] = f"owner{index}@example.com"
                names = ", ".join(f'"{name}"' for name in row)
                database.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    database.close()
    site.nodes[0].start()


def spray(options, number, rng):
    """One wrong password for each of `number` accounts, from 20 sources; the flows are begun from hundreds of others."""
    result = Result()
    site = Site(options, arguments=LIMITS)
    password = "Tulip-Harbour-42"
    populate(site, number, password)
    owners = range(0, number, max(1, number // 40))
    # From now on an owner's source is familiar.
    for index in owners:
        Guest(site, source(index)).sign_in(f"owner{index}@example.com", password)
    attackers = [source(10_000 + index) for index in range(20)]
    compared, lock = {address: 0 for address in attackers}, threading.Lock()
    kinds = {"challenge_type": "password redirect"}

    def guess(index):
        name = f"owner{index}@example.com"
        helper = Guest(site, source(20_000 + index // 10))
        try:
            token = helper.step("oauth2/v2.0/initiate", {"username": name} | kinds)["continuation_token"]
            token = helper.step("oauth2/v2.0/challenge", {"continuation_token": token} | kinds)["continuation_token"]
        except Refused as refusal:
            return f"not begun: {refusal.args[0]}"
        address = attackers[index % len(attackers)]
        grant = {"grant_type": "password", "password": f"Guess-{index}-Wrong", "scope": "openid", "continuation_token": token}
        answer = Guest(site, address).post("oauth2/v2.0/token", grant)
        if answer.status == 429:
            wait = int(answer.headers["Retry-After"] or 0)
            return "429" if 1 <= wait <= 3600 else f"429 with Retry-After {wait}"
        codes = answer.body.get("error_codes", [])
        if answer.status == 200:
            return "let in"
        if answer.status == 503:
            return "503, too many passwords at once"
        if 50126 in codes or 50053 in codes:
            with lock:
                compared[address] += 50126 in codes
        return f"{answer.status} {codes[:1]}"

    outcomes = {}
    for outcome in parallel(number, guess, threads=PARALLEL):
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    for outcome, times in sorted(outcomes.items()):
        result.count(outcome, times)
    result.note("wrong passwords of one source compared", max(compared.values()))
    most = max(compared.values())
    result.expect(most <= WRONG_PASSWORDS + PARALLEL, f"{most} wrong passwords of one source were compared")
    result.expect("let in" not in outcomes, "a wrong password was accepted")
    odd = [name for name in outcomes if name.startswith("5") and not name.startswith("503")]
    result.expect(not odd, f"outcomes {outcomes}")
    let_in = sum(Guest(site, source(index)).can_sign_in(f"owner{index}@example.com", password) for index in owners)
    result.count("owners let in meanwhile", let_in)
    result.expect(let_in == len(owners), f"{let_in} of {len(owners)} owners were let in")
    site.stop(result)
    return result


def mail_bombing(options, number, rng):
    """`number` requests for a mail, from 500 sources: half of them sign-ups with one mailbox, half resets of one account."""
    result = Result()
    site = Site(options, arguments=LIMITS)
    victim, newcomer = "victim@example.com", "newcomer@example.com"
    home = "127.200.0.1"
    owner = Guest(site, home)
    token = owner.sign_up(victim, "Tulip-Harbour-42")
    owner.tokens(token, victim)
    # From here their source is familiar.
    owner.sign_in(victim, "Tulip-Harbour-42")
    before = len(site.mailbox.mails[victim])
    statuses, lock = {}, threading.Lock()

    def bomb(index):
        guest = Guest(site, source(40_000 + index % 500))
        # Tags do not make another mailbox.
        if index % 2:
            path, start = "signup/v1.0", {"username": f"newcomer+{index}@example.com", "password": "Amber-Lantern-77"}
        else:
            path, start = "resetpassword/v1.0", {"username": victim}
        for step, fields in (("start", start | {"challenge_type": "oob password redirect"}), ("challenge", None)):
            fields = fields or {"continuation_token": token, "challenge_type": "oob password redirect"}
            try:
                answer = guest.post(f"{path}/{step}", fields)
            except (OSError, http.client.HTTPException):
                answer = None
            with lock:
                key = answer.status if answer else 0
                statuses[key] = statuses.get(key, 0) + 1
            if not answer or answer.status != 200:
                return
            token = answer.body["continuation_token"]

    parallel(number, bomb, threads=PARALLEL)
    idle = lambda: int(site.store.rows("SELECT count(*) FROM outbox WHERE state = 'pending'")[0][0]) == 0
    wait_until(idle, 20)
    to_victim = len(site.mailbox.mails[victim]) - before
    to_newcomer = sum(len(mails) for address, mails in list(site.mailbox.mails.items()) if address.startswith("newcomer"))
    result.count("requests for a mail", number)
    for status, times in sorted(statuses.items()):
        result.count(f"answers {status}", times)
    result.note("mails to the account", to_victim)
    result.note("mails to the mailbox of nobody", to_newcomer)
    result.expect(to_victim <= MAILS and to_newcomer <= MAILS, f"{to_victim} and {to_newcomer} mails, {MAILS} are allowed")
    result.expect(set(statuses) <= {200, 400, 429}, f"answers {statuses}")
    # The owner's own bucket is still open.
    try:
        Guest(site, home).reset(victim, "Finch-Meadow-19")
        result.count("the owner resets their password meanwhile")
    except Refused as refusal:
        result.expect(False, f"the owner cannot reset their password meanwhile: {refusal}")
    site.stop(result)
    return result

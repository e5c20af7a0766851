"""Guesses spread over many accounts, and unrequested mails, against a server with the limits of production.

Every attacker has its own addresses on the loopback network, 127.0.0.0/8; the server treats each as another source."""

import http.client
import os
import random
import sqlite3
import threading
import time

from world import CODE_APP, PASSWORD_APP, Person, Refused, Result, Site, ask, parallel, wait_until

LIMITS = ["--limits", "production"]
# SEC-RATE-5: wrong passwords of one source in 10 minutes. The budget of a source is read before the comparison and counted after
# it (SEC-RATE-9: approximate), so guesses that are compared at the same moment come on top.
WRONG_PASSWORDS, PARALLEL = 50, 24
# SEC-OTP-12: mails to one mailbox in 15 minutes, for one purpose, requested by unfamiliar sources; and the additional mails of
# the slow lane of resets.
MAILS, SLOW_LANE = 5, 1


def source(number):
    """A loopback address; the first ones are for ordinary users."""
    return f"127.{1 + number // 62_500}.{1 + number // 250 % 250}.{1 + number % 250}"


class Guest(Person):
    """A client at one address that accepts any answer."""

    def __init__(self, site, address, client=PASSWORD_APP):
        super().__init__(site, client, patience=10)
        self.address = address

    def post(self, path, fields):
        port = self.random.choice([node.port for node in self.site.nodes])
        form = {"client_id": self.client} | fields
        return ask(port, "POST", f"/contoso/{path}", form, source=(self.address, 0), timeout=30)


def populate(site, number, password):
    """`number` accounts with one password. One is made over HTTP, and copied while the server is down, because hashing takes
    time."""
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
    # From here on an owner's source is familiar.
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
    """`number` requests for a mail to one mailbox, from 500 sources: half of them resets of the account, half sign-ups with other
    spellings of its address. Then a tenth as many for a mailbox without an account."""
    result = Result()
    site = Site(options, arguments=LIMITS)
    victim = "victim@gmail.com"
    home = "127.200.0.1"
    owner = Guest(site, home)
    token = owner.sign_up(victim, "Tulip-Harbour-42")
    owner.tokens(token, victim)
    # From here their source is familiar.
    owner.sign_in(victim, "Tulip-Harbour-42")
    before = len(site.mailbox.mails[victim])
    statuses, lock = {}, threading.Lock()

    def another(index):
        """The same mailbox: tags do not make another one, and at that provider dots do not either."""
        dotted = "victim"[: 1 + index % 5] + "." + "victim"[1 + index % 5 :]
        return (f"victim+{index}@gmail.com", f"{dotted}@gmail.com", f"{dotted}+{index}@gmail.com")[index // 2 % 3]

    def ask_for_mail(index, path, name):
        guest = Guest(site, source(40_000 + index % 500))
        kinds = {"challenge_type": "oob password redirect"}
        fields = {"username": name} | ({"password": "Amber-Lantern-77"} if path.startswith("signup") else {})
        for step in ("start", "challenge"):
            try:
                answer = guest.post(f"{path}/{step}", fields | kinds)
            except (OSError, http.client.HTTPException):
                answer = None
            with lock:
                key = answer.status if answer else 0
                statuses[key] = statuses.get(key, 0) + 1
            if not answer or answer.status != 200:
                return
            fields = {"continuation_token": answer.body["continuation_token"]}

    def bomb(index):
        if index % 2:
            ask_for_mail(index, "signup/v1.0", another(index))
        else:
            ask_for_mail(index, "resetpassword/v1.0", victim)

    def bomb_nobody(index):
        ask_for_mail(index, "signup/v1.0", f"newcomer+{index}@example.com")

    parallel(number, bomb, threads=PARALLEL)
    parallel(max(1, number // 10), bomb_nobody, threads=PARALLEL)
    idle = lambda: int(site.store.rows("SELECT count(*) FROM outbox WHERE state = 'pending'")[0][0]) == 0
    wait_until(idle, 20)
    all_mails = {address: len(mails) for address, mails in list(site.mailbox.mails.items())}
    to_victim = sum(mails for address, mails in all_mails.items() if mailbox_of(address) == victim) - before
    to_newcomer = sum(mails for address, mails in all_mails.items() if mailbox_of(address) == "newcomer@example.com")
    result.count("requests for a mail", number + max(1, number // 10))
    for status, times in sorted(statuses.items()):
        result.count(f"answers {status}", times)
    result.note("mails to the account's mailbox", to_victim)
    result.note("mails to a mailbox without an account", to_newcomer)
    is_within = to_victim <= 2 * MAILS + SLOW_LANE and to_newcomer <= MAILS
    result.expect(is_within, f"{to_victim} and {to_newcomer} mails")
    # Without any success the run would prove nothing.
    result.expect(to_victim > 0 and to_newcomer > 0, "no mail came")
    expect_sober(statuses, result)
    # The owner's own budget is not spent.
    try:
        Guest(site, home).reset(victim, "Finch-Meadow-19")
        result.count("the owner resets their password meanwhile")
    except Refused as refusal:
        result.expect(False, f"the owner cannot reset their password meanwhile: {refusal}")
    site.stop(result)
    return result


def expect_sober(statuses, result):
    """Answers by status: only documented ones. A busy machine may be late with a few: 503."""
    is_sober = set(statuses) <= {200, 400, 429, 503} and statuses.get(503, 0) <= sum(statuses.values()) / 100
    result.expect(is_sober, f"answers {statuses}")


def mailbox_of(address):
    """The mailbox of an address: without a tag, and without dots when they have no meaning."""
    name, _, domain = address.partition("@")
    name = name.partition("+")[0]
    return f"{name.replace('.', '') if domain == 'gmail.com' else name}@{domain}"


class Victim:
    """A user whose flow waits for a mailed code, while attackers have flows about the same name."""

    def __init__(self, guest, name, path, form, last):
        """`path` and `form` begin the flow; `last` gives the path and the fields that the code is sent with."""
        self.guest, self.name, self.last = guest, name, last
        kinds = {"challenge_type": "oob redirect"}
        challenge = "oauth2/v2.0/challenge" if path.startswith("oauth2") else path.rpartition("/")[0] + "/challenge"
        token = guest.step(path, {"username": name} | kinds | form)["continuation_token"]
        self.token, self.code = guest.code(challenge, name, token, kinds["challenge_type"])

    def submit(self, code):
        path, fields = self.last
        return self.guest.step(path, fields | {"continuation_token": self.token, "oob": code})


def strangers_at(site, number, rng, result):
    """`number` flows of attackers, about three users who only wait for their code."""
    signs_in, resets, signs_up = "signs.in@example.com", "resets@example.com", "signs.up@example.com"
    home, elsewhere = "127.200.0.1", "127.201.0.1"
    owner = Guest(site, home, CODE_APP)
    owner.tokens(owner.sign_up(signs_in), signs_in)
    Guest(site, home).sign_up(resets, "Tulip-Harbour-42")
    code = {"grant_type": "oob"}
    victims = [
        # From the home network, and from a network without an earlier sign-in.
        Victim(owner, signs_in, "oauth2/v2.0/initiate", {}, ("oauth2/v2.0/token", code | {"scope": "openid"})),
        Victim(Guest(site, elsewhere), resets, "resetpassword/v1.0/start", {}, ("resetpassword/v1.0/continue", code)),
        Victim(Guest(site, elsewhere, CODE_APP), signs_up, "signup/v1.0/start", {}, ("signup/v1.0/continue", code)),
    ]
    mails = {victim.name: site.mailbox.seen(victim.name) for victim in victims}
    kinds = {"challenge_type": "oob redirect"}
    flows = {
        "oauth2/v2.0/initiate": (CODE_APP, "oauth2/v2.0/challenge", "oauth2/v2.0/token", {"scope": "openid"}),
        "resetpassword/v1.0/start": (PASSWORD_APP, "resetpassword/v1.0/challenge", "resetpassword/v1.0/continue", {}),
        "signup/v1.0/start": (CODE_APP, "signup/v1.0/challenge", "signup/v1.0/continue", {}),
    }
    meant = [("oauth2/v2.0/initiate", signs_in), ("resetpassword/v1.0/start", resets), ("signup/v1.0/start", signs_up)]
    seeds, statuses, lock = [rng.randrange(1 << 30) for _ in range(number)], {}, threading.Lock()

    def attack(index):
        start, name = meant[index % len(meant)]
        client, challenge, last, more = flows[start]
        guest, chance = Guest(site, source(60_000 + index // 2), client), random.Random(seeds[index])

        def post(what, path, fields):
            try:
                answer = guest.post(path, fields)
            except (OSError, http.client.HTTPException):
                answer = None
            with lock:
                key = (what, answer.status if answer else 0)
                statuses[key] = statuses.get(key, 0) + 1
            return answer.body.get("continuation_token") if answer and answer.status == 200 else None

        token = post("flows", start, {"username": name} | kinds)
        # A mail, and another one.
        for _ in range(2):
            token = token and (post("mails asked for", challenge, {"continuation_token": token} | kinds) or token)
        for _ in range(5 if token else 0):
            guess = {"oob": f"{chance.randrange(100_000_000):08}", "continuation_token": token}
            post("guesses", last, {"grant_type": "oob"} | guess | more)

    begin = time.monotonic()
    parallel(number, attack, threads=PARALLEL)
    result.note("s from the mailed code to the end of the attack", time.monotonic() - begin)
    for (what, status), times in sorted(statuses.items()):
        result.count(f"{what} answered {status}", times)
    expect_sober({status: sum(times for (_, known), times in statuses.items() if known == status) for _, status in statuses}, result)
    result.expect(statuses.get(("flows", 200), 0) > number * 0.9, f"too few flows were begun: {statuses}")
    for victim in victims:
        result.note("mails to a victim", site.mailbox.seen(victim.name) - mails[victim.name])
        # They mistype it once, and the right one is accepted (SEC-OTP-5).
        try:
            victim.submit(f"{(int(victim.code) + 1) % 100_000_000:08}")
            result.expect(False, f"a wrong code of {victim.name} was accepted")
        except Refused as refusal:
            fault = f"{victim.name} mistyped the code and was told {refusal.args}"
            result.expect(refusal.args[0] in ("invalid_oob_value", "invalid_grant"), fault)
        try:
            victim.submit(victim.code)
            result.count("codes of victims that worked")
        except Refused as refusal:
            result.expect(False, f"the mailed code of {victim.name} does not work any more: {refusal.args}")


def strangers(options, number, rng):
    """`number` flows of attackers on each store, with a new source for every two of them."""
    result = Result()
    for store, nodes in (("sqlite", 1), ("postgres", 2)):
        site = Site(options, store, nodes, arguments=LIMITS)
        strangers_at(site, number, rng, result)
        site.stop(result)
    result.count("flows of strangers", 2 * number)
    return result

"""Deletions of accounts under load with kills, of which nothing may be left; and what races with a deletion or with a change of the
address."""

import base64
import copy
import http.client
import json
import pathlib
import random
import secrets
import threading
import time
import uuid

from backups import command
from canary import contents
from more_races import NEW_PASSWORD, PASSWORD, answers_together, is_good, raw
from world import (
    FEWER_MAILS, PASSWORD_AND_ATTRIBUTES_APP, Load, Person, Postgres, Refused, Result, Site, SQLite, ask, audit,
    parallel,
)

SCOPE = "openid offline_access User.ReadWrite"
ME = "/graph/v1.0/me"
OURS = "/graph/beta/me/nativeAuth"
# All that may tell of a deleted user: the audit trail has the random id.
TELLING = {"audit"}


class Owner(Person):
    """A user of the account screen: like `Person`, with the directory."""

    def __init__(self, site, seed=None, headers=None):
        super().__init__(site, PASSWORD_AND_ATTRIBUTES_APP, seed)
        self.headers = headers or {}

    def directory(self, method, path, token, body=None):
        """The answer; unanswered requests, and those answered with 503, are repeated."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"} | self.headers
        end = time.monotonic() + self.patience
        while True:
            port = self.random.choice(self.site.nodes).port
            try:
                answer = ask(port, method, path, json.dumps(body) if body is not None else None, headers)
                if answer.status < 500:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > end:
                raise Refused("no answer")
            self.repeated += 1
            time.sleep(0.05)

    def change(self, method, path, token, body=None):
        answer = self.directory(method, path, token, body)
        if answer.status not in (200, 202, 204):
            raise Refused(answer.status, answer.body)
        return answer.body

    def prove(self, change, token, address, own):
        """Begins a change to an address, and proves the mailboxes that the server asks for; returns the last request.

            The two addresses end differently, since the server tells a masked one."""
        confirm = {"changeEmail": "confirmEmail", "addEmailMethod": "confirmEmailMethod"}[change]
        first = asked = {"emailAddress": address}
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            seen = {mailbox: self.site.mailbox.seen(mailbox) for mailbox in (own, address)}
            answer = self.directory("POST", f"{OURS}.{change}", token, asked)
            if answer.status == 400 and asked != first:
                # No more codes for this change, or its token is spent.
                asked = first
                continue
            if answer.status != 202:
                raise Refused(answer.status, answer.body)
            mailbox = next(one for one in (own, address) if answer.body["targetLabel"][-4:] == one[-4:])
            asked = {"continuationToken": answer.body["continuationToken"]}
            code = self.site.mailbox.code(mailbox, seen[mailbox], 3)
            if not code:
                # The node that held the mail was killed; another code is asked for.
                continue
            last = asked | {"code": code}
            if mailbox == address:
                return f"{OURS}.{confirm}", last
            answer = self.directory("POST", f"{OURS}.{confirm}", token, last)
            # Two codes were sent when the request was repeated, and the first one may have come last.
            asked = {"continuationToken": answer.body["continuationToken"]} if answer.status == 202 else first
        raise Refused("no code")

    def tokens_for(self, token, address):
        grant = {"grant_type": "continuation_token", "username": address, "scope": SCOPE}
        return self.step("oauth2/v2.0/token", grant | {"continuation_token": token})

    def signing_in(self, name, password):
        """The last request of a sign-in."""
        kinds = {"challenge_type": "password redirect"}
        token = self.step("oauth2/v2.0/initiate", {"username": name} | kinds)["continuation_token"]
        token = self.step("oauth2/v2.0/challenge", {"continuation_token": token} | kinds)["continuation_token"]
        return {"grant_type": "password", "password": password, "scope": SCOPE, "continuation_token": token}


def user_of(tokens):
    payload = tokens["access_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["oid"]


# Deletions


class Killer:
    """Kills a random node again and again, and starts it."""

    def __init__(self, site, rng):
        self.site, self.rng, self.kills, self.over = site, rng, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(self.rng.uniform(0.5, 2)):
            node = self.rng.choice(self.site.nodes)
            node.kill()
            self.kills += 1
            node.start()

    def stop(self):
        self.over.set()
        self.thread.join()


def live_and_go(site, run, number, seed, result):
    """A user with the mark in every field, who does most of what a user can do, and deletes the account.

        Returns the user's id and the last tokens."""
    mark = f"{run}{number:06}"
    owner = Owner(site, seed, {"x-client-dm": f"model{mark}", "x-client-os": f"system{mark}"})
    email = f"canary{mark}@example.com"
    attributes = {
        "country": f"Land{mark}", "city": f"City{mark}", "displayName": f"Name{mark}", "flatusername": f"alias{mark}"}
    tokens = owner.tokens_for(owner.sign_up(email, PASSWORD, attributes), email)
    access = tokens["access_token"]
    chance = random.Random(seed)
    owner.change("PATCH", ME, access, {"city": f"Town{mark}"})
    if chance.random() < 0.3:
        second = f"second{mark}@example.net"
        path, body = owner.prove("addEmailMethod", access, second, email)
        if owner.directory("POST", path, access, body).status == 204:
            result.count("with a second factor")
            methods = owner.change("GET", "/graph/v1.0/me/authentication/emailMethods", access)["value"]
            owner.change(
                "PATCH", f"/graph/beta/me/authentication/emailMethods/{methods[0]['id']}", access,
                {"displayName": f"method{mark}"})
    elif chance.random() < 0.5:
        new = f"new{mark}@example.org"
        path, body = owner.prove("changeEmail", access, new, email)
        if owner.directory("POST", path, access, body).status == 204:
            result.count("with an address before")
            email = new
    if chance.random() < 0.5:
        # A mail is under way.
        owner.step("resetpassword/v1.0/start", {"username": email, "challenge_type": "oob redirect"})
    user = user_of(tokens)
    answer = owner.directory("DELETE", ME, access)
    if answer.status == 401 and "insufficient_claims" in (answer.headers.get("WWW-Authenticate") or ""):
        result.count("that needed a second factor")
        return None
    result.expect(answer.status == 204, f"a deletion was answered {answer.status}: {answer.content[:200]}")
    result.count("deletions")
    result.count("requests made again", owner.repeated)
    # What was acknowledged holds at once, at all nodes.
    result.expect(not owner.can_refresh(tokens["refresh_token"]), "a session outlived its user")
    again = owner.directory("DELETE", ME, access)
    result.expect(again.status == 204, f"a repeated deletion was answered {again.status}")
    return user, email, tokens


def forms_of(mark):
    """The spellings of a text that stands anywhere within others, in lower case."""
    found = {mark.lower().encode(), mark.encode().hex().encode(), mark.encode().hex().upper().encode()}
    for offset in range(3):
        # Without the letters that depend on what is before and after.
        text = base64.b64encode(b"\0" * offset + mark.encode())
        found.add(text[4 if offset else 0:-4])
    return found


def search(site, run, users, place, content, result):
    """Looks for the mark and the ids of deleted users."""
    result.count("places searched")
    low = content.lower()
    marks = [form for form in forms_of(run) if (form in content or form in low)]
    result.count("hits", len(marks))
    result.expect(not marks, f"{place}: the mark is left")
    return [user for user in users if any(form in low for form in (user.hex.encode(), str(user).encode())) or user.bytes in content]


def tables_of(store, is_sqlite):
    names = "SELECT name FROM sqlite_master WHERE type = 'table'" if is_sqlite else (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    for (table,) in store.rows(names):
        rows = store.rows(f'SELECT * FROM "{table}"')
        yield table, b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)


def search_tables(site, store, is_sqlite, run, users, where, result):
    for table, content in tables_of(store, is_sqlite):
        left = search(site, run, users, f"{where}, table {table}", content, result)
        if table not in TELLING:
            result.count("rows of deleted users", len(left))
            result.expect(not left, f"{where}, table {table}: {len(left)} deleted users are left")


def deletions(options, number, rng):
    """`number` deletions on two nodes, and half as many on SQLite."""
    result = Result()
    for store, nodes, share in (("postgres", 2, number), ("sqlite", 1, max(1, number // 2))):
        delete_under_load(options, store, nodes, share, rng, result)
    return result


def delete_under_load(options, store, nodes, number, rng, result):
    is_sqlite = store == "sqlite"
    site = Site(options, store, nodes, arguments=["--log-level", "debug"])
    run = "kanari" + secrets.token_hex(8)
    load = Load(site, 3, rng.randrange(1 << 30))
    killer = Killer(site, random.Random(rng.randrange(1 << 30)))
    seeds = [rng.randrange(1 << 30) for _ in range(number)]
    gone = parallel(number, lambda index: live_and_go(site, run, index, seeds[index], result), threads=6)
    killer.stop()
    load.stop()
    kept = sum(one is None for one in gone)
    gone = [one for one in gone if one]
    result.count("kills", killer.kills)
    users = [uuid.UUID(user) for user, _, _ in gone]
    # The address is free, no token is good.
    for user, email, tokens in rng.sample(gone, min(20, len(gone))):
        result.expect(not Person(site).is_taken(email), "the address of a deleted user is taken")
        result.expect(not is_good(site.nodes[0].port, tokens["access_token"], True), "an access token outlived its user")
    deleted = int(site.store.rows("SELECT count(*) FROM audit WHERE kind = 'account.deleted'")[0][0])
    result.expect(deleted == len(gone), f"{deleted} deletions in the audit trail, {len(gone)} were acknowledged")
    if kept == 0:
        search_tables(site, site.store, is_sqlite, run, users, store, result)
    # A backup that is made now, restored into the other database and searched there.
    file = site.folder / "after.backup"
    if is_sqlite:
        site.database = f"sqlite:{site.store.file}"
    command(site, "backup", file)
    restored = copy.copy(site)
    if is_sqlite:
        restored.store = Postgres()
        restored.database = restored.store.url
    else:
        path = site.folder / "restored.sqlite"
        restored.database, restored.store = f"sqlite:{path}", SQLite(path)
    command(restored, "restore", file)
    search_tables(site, restored.store, not is_sqlite, run, users, f"backup of {store}", result)
    restored.store.stop()
    # The mails of a deleted user are gone, while the flows, which do not tell of the user, end later.
    audit(site, load.accounts, load.failures, result, rng=rng, but=[FEWER_MAILS])
    # Logs and files.
    for node in site.nodes:
        node.stop()
        search(site, run, [], f"{store}, log", node.log.read_bytes(), result)
        for name, content in contents(node.folder):
            search(site, run, [], f"{store}, file {name}", content, result)
    if not is_sqlite:
        # PostgreSQL frees space by its vacuum; its log of changes (pg_wal) is overwritten in time, and not searched.
        site.store.rows("VACUUM FULL")
        site.store.rows("CHECKPOINT")
        folder = pathlib.Path(site.store.rows("SHOW data_directory")[0][0])
        everything = b"\0".join(content for _, content in contents(folder / "base"))
        search(site, run, [], "PostgreSQL's tables on disk", everything, result)
    site.stop()


# Races


def delete_wish(node, token):
    return node.port, raw("DELETE", ME, node.port, headers={"Authorization": f"Bearer {token}"})


def form_wish(node, path, fields):
    return node.port, raw("POST", f"/contoso/{path}", node.port, {"client_id": PASSWORD_AND_ATTRIBUTES_APP} | fields)


def json_wish(node, path, token, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    return node.port, raw("POST", path, node.port, json.dumps(body), headers)


class Racer:
    """An account of its own for one race, and what must hold afterwards."""

    def __init__(self, site, kind, number, seed, result):
        self.site, self.result = site, result
        self.chance = random.Random(seed)
        self.email = f"{kind}{number}-{seed:x}@example.com"
        self.owner = Owner(site, seed)
        attributes = {"country": "Denmark", "city": "Ribe"}
        token = self.owner.sign_up(self.email, PASSWORD, attributes)
        self.tokens = self.owner.tokens_for(token, self.email)
        self.access, self.user = self.tokens["access_token"], user_of(self.tokens)

    def node(self):
        return self.chance.choice(self.site.nodes)

    def together(self, *wishes):
        wishes = list(wishes)
        order = list(range(len(wishes)))
        self.chance.shuffle(order)
        # A password takes its time to hash: a pause gives either request a chance to come first.
        pause = self.chance.choice([0, self.chance.uniform(0, 0.2)])
        answers = dict(zip(order, answers_together([wishes[index] for index in order], pause)))
        return [answers[index] for index in range(len(wishes))]

    def expect_deleted(self, answer, what):
        """A deletion that was acknowledged, or is repeated until it is."""
        if answer is None or answer.status != 204:
            if answer is not None and answer.status not in (401, 503):
                self.result.expect(False, f"{what}: the deletion was answered {answer.status}")
            answer = self.owner.directory("DELETE", ME, self.access)
            self.result.expect(answer.status == 204, f"{what}: the repeated deletion was answered {answer.status}")

    def expect_dead(self, tokens, what):
        for token in tokens:
            alive = self.owner.can_refresh(token["refresh_token"]) if "refresh_token" in token else False
            alive = alive or is_good(self.node().port, token["access_token"], True)
            self.result.count("sessions that outlived their user", alive)
            self.result.expect(not alive, f"{what}: a session outlived its user")


def delete_and_refresh(site, number, seed, result):
    racer = Racer(site, "refresh", number, seed, result)
    refresh = {"grant_type": "refresh_token", "refresh_token": racer.tokens["refresh_token"], "scope": "openid offline_access"}
    deleted, *refreshed = racer.together(
        delete_wish(racer.node(), racer.access), *[form_wish(racer.node(), "oauth2/v2.0/token", refresh) for _ in range(2)])
    racer.expect_deleted(deleted, "delete and refresh")
    won = [answer.body for answer in refreshed if answer is not None and answer.status == 200]
    result.count("refreshes before the deletion", len(won) > 0)
    racer.expect_dead([racer.tokens, *won], "delete and refresh")


def delete_and_sign_in(site, number, seed, result):
    racer = Racer(site, "signin", number, seed, result)
    last = racer.owner.signing_in(racer.email, PASSWORD)
    deleted, signed_in = racer.together(
        delete_wish(racer.node(), racer.access), form_wish(racer.node(), "oauth2/v2.0/token", last))
    racer.expect_deleted(deleted, "delete and sign-in")
    won = [signed_in.body] if signed_in is not None and signed_in.status == 200 else []
    result.count("sign-ins before the deletion", len(won))
    racer.expect_dead([racer.tokens, *won], "delete and sign-in")
    result.expect(not racer.owner.can_sign_in(racer.email, PASSWORD), "a deleted user signed in")


def delete_and_sign_up(site, number, seed, result):
    """Another user wants the name: the start of the sign-up beside the deletion, and then to the end."""
    racer = Racer(site, "signup", number, seed, result)
    start = {"username": racer.email, "challenge_type": "oob password redirect", "password": NEW_PASSWORD}
    deleted, started = racer.together(
        delete_wish(racer.node(), racer.access), form_wish(racer.node(), "signup/v1.0/start", start))
    racer.expect_deleted(deleted, "delete and sign-up")
    kinds = "oob password redirect"
    other = Owner(site, seed + 1)
    if started is not None and started.status == 200:
        result.count("sign-ups that were started first")
        token = started.body["continuation_token"]
        token, code = other.code("signup/v1.0/challenge", racer.email, token, kinds)
        answer = other.post("signup/v1.0/continue", {"continuation_token": token, "grant_type": "oob", "oob": code})
        # Attributes are asked for.
        if answer.body.get("error") == "attributes_required":
            fields = {
                "continuation_token": answer.body["continuation_token"], "grant_type": "attributes",
                "attributes": json.dumps({"country": "Norway", "city": "Oslo"})}
            answer = other.post("signup/v1.0/continue", fields)
        result.expect(answer.status == 200, f"a sign-up for a free name was answered {answer.status}: {answer.content[:200]}")
        token = answer.body.get("continuation_token")
    else:
        token = other.sign_up(racer.email, NEW_PASSWORD, {"country": "Norway", "city": "Oslo"})
    new = other.tokens_for(token, racer.email)
    result.expect(user_of(new) != racer.user, "a new user has the id of the deleted one")
    profile = other.change("GET", f"{ME}?$select=city,country", new["access_token"])
    result.expect(profile["city"] == "Oslo", f"a new user has the profile of the deleted one: {profile}")
    racer.expect_dead([racer.tokens], "delete and sign-up")
    result.expect(not other.can_sign_in(racer.email, PASSWORD), "the password of the deleted user works")
    # Another deletion with the old token deletes no other user.
    racer.owner.directory("DELETE", ME, racer.access)
    result.expect(other.can_refresh(new["refresh_token"]), "the token of a deleted user reached the new one")


def email_and_reset(site, number, seed, result):
    """The last step of a change of the address beside the last step of a reset that the old mailbox has proven."""
    racer = Racer(site, "email", number, seed, result)
    owner, new = racer.owner, f"changed{number}-{seed:x}@example.org"
    path, body = owner.prove("changeEmail", racer.access, new, racer.email)
    kinds = "oob redirect"
    token = owner.step("resetpassword/v1.0/start", {"username": racer.email, "challenge_type": kinds})["continuation_token"]
    token, code = owner.code("resetpassword/v1.0/challenge", racer.email, token, kinds)
    fields = {"continuation_token": token, "grant_type": "oob", "oob": code}
    token = owner.step("resetpassword/v1.0/continue", fields)["continuation_token"]
    submit = {"continuation_token": token, "new_password": NEW_PASSWORD}
    changed, reset = racer.together(
        json_wish(racer.node(), path, racer.access, body), form_wish(racer.node(), "resetpassword/v1.0/submit", submit))
    is_changed = changed is not None and changed.status == 204
    is_reset = reset is not None and reset.status == 200
    result.count("changes that won", is_changed and not is_reset)
    result.count("resets that won", is_reset and not is_changed)
    result.count("both", is_changed and is_reset)
    result.expect(is_changed or is_reset, f"neither: {changed and changed.content[:200]} {reset and reset.content[:200]}")
    rows = site.store.rows(
        f"SELECT kind FROM audit WHERE \"user\" = $BYTES'{racer.user.replace('-', '')}' AND kind IN ('email.changed', 'reset.completed')"
        " ORDER BY seq")
    kinds = [row[0] for row in rows]
    # A mailbox that is not the account's any more resets nothing.
    result.expect(kinds != ["email.changed", "reset.completed"], "the old mailbox reset the password after the change")
    address, password = (new if is_changed else racer.email), (NEW_PASSWORD if is_reset else PASSWORD)
    result.expect(owner.can_sign_in(address, password), f"{kinds}: the user cannot sign in")
    result.expect(not owner.can_sign_in(racer.email if is_changed else new, password), f"{kinds}: both addresses work")
    if is_reset:
        result.expect(not owner.can_refresh(racer.tokens["refresh_token"]), "a session outlived the reset")
        result.expect(not is_good(racer.node().port, racer.access, True), "an access token outlived the reset")


RACES = (delete_and_refresh, delete_and_sign_in, delete_and_sign_up, email_and_reset)


def account_races(options, number, rng):
    """`number` of each race on two nodes, and a tenth as many on SQLite."""
    result = Result()
    for store, nodes, rounds in (("postgres", 2, number), ("sqlite", 1, max(1, number // 10))):
        site = Site(options, store, nodes)
        for race in RACES:
            seeds = [rng.randrange(1 << 30) for _ in range(rounds)]
            parallel(rounds, lambda index: race(site, index, seeds[index], result), threads=4)
            result.count("races", rounds)
        site.stop(result)
    return result

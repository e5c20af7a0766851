"""More races on two nodes: wrong passwords for one account, refresh tokens that two parties use, and signing keys that change.

Racing requests arrive together: all bytes except the last ones are sent first, and then the last ones."""

import base64
import collections
import http.client
import json
import os
import random
import socket
import subprocess
import threading
import time
import urllib.parse

from attacks import LIMITS, Guest, source
from world import (
    PASSWORD_APP, PATIENCE, Answer, Load, Person, Refused, Result, Site, ask, audit, count, parallel, wait_until,
)

PASSWORD, NEW_PASSWORD = "Tulip-Harbour-42", "Amber-Lantern-77"
TOKEN = "oauth2/v2.0/token"


def raw(method, path, port, body=None, headers=None):
    """A request as bytes; a form or a text as its body."""
    if isinstance(body, dict):
        body, headers = urllib.parse.urlencode(body), {"Content-Type": "application/x-www-form-urlencoded"} | (headers or {})
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines += [f"Content-Length: {len(body.encode())}"] if body is not None else []
    return "\r\n".join([*lines, "", body or ""]).encode()


def last_bytes_together(wishes):
    """Sends each (port, path, form, source or None) on a separate connection, the last bytes of all at one moment; returns the
    answers in that order, None for a missing one."""
    return answers_together(
        [(port, raw("POST", f"/contoso/{path}", port, form), address) for port, path, form, address in wishes])


def answers_together(requests, pause=0):
    """The same with each (port, request as bytes, perhaps a source), and that many seconds between the last bytes."""
    connections = []
    for port, request, *address in requests:
        try:
            source = (address[0], 0) if address and address[0] else None
            connection = socket.create_connection(("127.0.0.1", port), 30, source)
            connection.sendall(request[:-1])
        except OSError:
            connection = None
        connections.append((connection, request[-1:]))
    begin = time.monotonic()
    for index, (connection, last) in enumerate(connections):
        if index and pause:
            time.sleep(pause)
        try:
            if connection:
                connection.sendall(last)
        except OSError:
            pass
    return [answer_of(connection, begin) for connection, _ in connections]


def answer_of(connection, begin):
    if not connection:
        return None
    response = http.client.HTTPResponse(connection, method="POST")
    try:
        response.begin()
        return Answer(response.status, response.headers, response.read(), time.monotonic() - begin)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        response.close()
        connection.close()


# Wrong passwords


# SEC-LOCK-1: the number of wrong passwords that are compared before the first lock, and the length of the locks in seconds.
FREE, LOCKS = 10, (60, 120, 240, 480, 900)
# The number of concurrent guesses, and the number per source: far below its own budget (SEC-RATE-5), which would hide the
# account's.
VOLLEY, GUESSES_OF_SOURCE = 64, 10
WRONG, LOCKED = 50126, 50053
KINDS = {"challenge_type": "password redirect"}


class Patient(Guest):
    """A user at one address whose app repeats unanswered requests and 503, as the SDKs do."""

    def post(self, path, fields):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                answer = super().post(path, fields)
                if answer.status < 500:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > end:
                raise Refused("no answer")
            time.sleep(0.1)


def may_be_compared(seconds):
    """The number of wrong passwords that may be compared within that time: those before the lock, and one after each ended
    lock."""
    allowed, end = FREE, 0
    while True:
        end += LOCKS[min(allowed - FREE, len(LOCKS) - 1)]
        if end > seconds:
            return allowed
        allowed += 1


class Guesser:
    """An attacker with a separate source and flow."""

    def __init__(self, site, name, number):
        self.guest = Patient(site, source(100_000 + number))
        token = self.guest.step("oauth2/v2.0/initiate", {"username": name} | KINDS)["continuation_token"]
        self.token = self.guest.step("oauth2/v2.0/challenge", {"continuation_token": token} | KINDS)["continuation_token"]

    def fields(self, password):
        return {"grant_type": "password", "password": password, "scope": "openid", "continuation_token": self.token}

    def wish(self, port, password):
        return port, TOKEN, {"client_id": PASSWORD_APP} | self.fields(password), self.guest.address

    def guess(self, password):
        return self.guest.post(TOKEN, self.fields(password))


def outcome_of(answer):
    codes = answer.body.get("error_codes", [])
    if answer.status == 200:
        return "let in"
    return {WRONG: "wrong", LOCKED: "locked"}.get(codes[0] if codes else 0, f"{answer.status} {codes[:1]}")


def is_locked(site, seconds=5):
    """Whether the lock, if there is one, has the longer duration."""
    until = count(site.store, "SELECT coalesce(max(locked_until), 0) FROM lockouts")
    return until / 1000 - time.time() > seconds


def wrong_passwords_at(site, number, rng, result):
    """`number` wrong passwords of attackers, all different, while the owner signs in from home from time to time."""
    name, home = "owner@example.com", "127.200.0.1"
    Patient(site, home).sign_up(name, PASSWORD)
    # From here their source is familiar (SEC-LOCK-3).
    Patient(site, home).sign_in(name, PASSWORD)
    mails = site.mailbox.seen(name)
    over, sign_ins = threading.Event(), []

    def live():
        while not over.is_set():
            sign_ins.append(Patient(site, home).can_sign_in(name, PASSWORD))
            # A source may begin 30 flows a minute (SEC-RATE-4).
            over.wait(2.5)

    outcomes, made, guessers = collections.Counter(), 0, 0
    owner = threading.Thread(target=live, daemon=True)
    ports = [node.port for node in site.nodes]
    begin = time.monotonic()
    while made < number:
        size = min(VOLLEY, number - made)
        strangers = parallel(size, lambda index: Guesser(site, name, guessers + index), threads=8)
        guessers += size
        for _ in range(GUESSES_OF_SOURCE):
            size = min(len(strangers), number - made)
            passwords = [f"Guess-{made + index}-{rng.randrange(1 << 30):x}" for index in range(size)]
            wishes = [
                stranger.wish(ports[index % len(ports)], password)
                for index, (stranger, password) in enumerate(zip(strangers, passwords))
            ]
            for stranger, password, answer in zip(strangers, passwords, last_bytes_together(wishes) if wishes else []):
                # A guess that a busy node refused is repeated, or it would not count.
                if answer is None or answer.status == 503:
                    result.count("guesses made again")
                    answer = stranger.guess(password)
                outcomes[outcome_of(answer)] += 1
            made += size
            if owner.ident is None:
                owner.start()
    seconds = time.monotonic() - begin
    over.set()
    owner.join()
    allowed = may_be_compared(seconds)
    compared = count(site.store, "SELECT count(*) FROM audit WHERE kind = 'signin.failed'")
    locks = count(site.store, "SELECT count(*) FROM audit WHERE kind = 'signin.locked'")
    result.count("guesses", made)
    for outcome, times in sorted(outcomes.items()):
        result.count(outcome, times)
    result.note("compared for one account", compared)
    result.note("s of guessing", seconds)
    result.expect(set(outcomes) <= {"wrong", "locked"}, f"outcomes {dict(outcomes)}")
    told = max(compared, outcomes["wrong"])
    fault = f"{compared} wrong passwords were compared, {outcomes['wrong']} told so, in {seconds:.0f} s (SEC-LOCK-2)"
    result.expect(told <= allowed, fault)
    # Without any success the run would prove nothing.
    result.expect(compared > 0, "nothing was compared")
    result.expect(number <= FREE or locks > 0, "the account was not locked (SEC-LOCK-1)")

    sign_ins.append(Patient(site, home).can_sign_in(name, PASSWORD))
    result.count("sign-ins of the owner from home", sum(sign_ins))
    result.expect(all(sign_ins), f"{sign_ins.count(False)} of {len(sign_ins)} sign-ins of the owner were refused (SEC-LOCK-3)")
    wait_until(lambda: count(site.store, "SELECT count(*) FROM outbox WHERE state = 'pending'") == 0, 20)
    warnings = site.mailbox.seen(name) - mails
    result.note("mails about the lock", warnings)
    result.expect(warnings <= 1, f"{warnings} mails about the lock (SEC-LOCK-10)")
    if locks:
        right_password_of_strangers(site, name, guessers, result)


def right_password_of_strangers(site, name, guessers, result):
    """The right password is refused for the sources of the wrong ones, until the mailbox was proven."""
    for attempt in range(120):
        if is_locked(site):
            break
        # The lock ended meanwhile; another wrong password starts the next.
        Guesser(site, name, guessers).guess(f"Guess-again-{attempt}")
        guessers += 1
        time.sleep(0.5)
    result.expect(is_locked(site, 0), "no lock at the end (SEC-LOCK-1)")
    for _ in range(5):
        outcome = outcome_of(Guesser(site, name, guessers).guess(PASSWORD))
        guessers += 1
        result.count("right passwords of strangers refused", outcome == "locked")
        result.expect(outcome == "locked", f"a stranger with the right password while locked: {outcome} (SEC-LOCK-5)")
    away = Patient(site, source(200_000))
    try:
        away.reset(name, NEW_PASSWORD)
        is_in = away.can_sign_in(name, NEW_PASSWORD)
    except Refused as refusal:
        is_in = False
        result.expect(False, f"the owner cannot reset their password during the lock: {refusal.args} (SEC-LOCK-5)")
    result.count("sign-ins after a reset, away from home", is_in)
    result.expect(is_in, "the lock outlived a reset (SEC-LOCK-5)")


def wrong_passwords(options, number, rng):
    """`number` parallel wrong passwords for one account on each store."""
    result = Result()
    for store, nodes in (("postgres", 2), ("sqlite", 1)):
        site = Site(options, store, nodes, arguments=LIMITS)
        wrong_passwords_at(site, number, rng, result)
        site.stop(result)
    return result


# Refresh tokens


# SEC-TOK-9, in seconds; and the number of families that are kept until it is over.
GRACE, KEPT = 30, 5
PEOPLE = 8


class Family:
    """The tokens of one session, as issued in the races of one round."""

    def __init__(self, site, name, chance, result):
        self.site, self.chance, self.result = site, chance, result
        self.person = Person(site, PASSWORD_APP, chance.randrange(1 << 30))
        begun = self.person.sign_in(name, PASSWORD)
        self.tokens, self.access_tokens, self.again = [begun["refresh_token"]], [begun["access_token"]], 0
        # The number of different successors.
        self.steps = 0

    def refreshing(self, token):
        return TOKEN, {"grant_type": "refresh_token", "refresh_token": token, "scope": "openid offline_access"}

    def together(self, *wishes):
        """Sends all of (path, fields) at one moment, to the nodes in turn; returns the answers in this order."""
        order = list(range(len(wishes)))
        self.chance.shuffle(order)
        ports = [node.port for node in self.site.nodes]
        sent = [
            (ports[place % len(ports)], wishes[index][0], {"client_id": PASSWORD_APP} | wishes[index][1], None)
            for place, index in enumerate(order)
        ]
        answers = dict(zip(order, last_bytes_together(sent)))
        for index, answer in answers.items():
            if answer is None or answer.status >= 500:
                self.again += 1
                answers[index] = self.person.post(*wishes[index])
        return [answers[index] for index in range(len(wishes))]

    def learn(self, answers, what):
        """Notes the successors in the answers to refreshes with one token: at most one, and complete."""
        bodies = {answer.content for answer in answers if answer.status == 200}
        given = {json.loads(body)["refresh_token"] for body in bodies}
        self.result.expect(len(given) <= 1, f"{what}: {len(given)} successors of one token (SEC-TOK-8)")
        self.result.expect(len(bodies) <= max(1, len(given)), f"{what}: {len(bodies)} different answers (SEC-TOK-9)")
        odd = [answer.status for answer in answers if answer.status != 200 and answer.body.get("error") != "invalid_grant"]
        self.result.expect(not odd, f"{what}: answers {odd}")
        self.tokens += given
        self.steps += len(given)
        self.access_tokens += [json.loads(body)["access_token"] for body in bodies]
        return len(given) == 1

    def refresh(self, token):
        body = self.person.refresh(token)
        self.tokens.append(body["refresh_token"])
        self.access_tokens.append(body["access_token"])
        self.steps += 1

    def expect_dead(self, what):
        """No token of the family works at any node."""
        survivors = 0
        for node in self.site.nodes:
            asked = Person(self.site, PASSWORD_APP, ports=[node.port])
            # The newest token last: an older one would revoke the family, had it survived.
            for token in reversed(self.tokens):
                answer = asked.post(*self.refreshing(token))
                survivors += answer.status == 200
                self.result.expect(answer.status in (200, 400), f"{what}: a dead token was answered {answer.status}")
            survivors += sum(is_good(node.port, token) for token in self.access_tokens[-2:])
        self.result.count("tokens that survived", survivors)
        self.result.expect(not survivors, f"{what}: {survivors} tokens of the family still work (SEC-TOK-10)")


def is_good(port, access_token, by_user_info=False):
    """A node's answer about an access token: to its holder, or to a resource server. Asked until it answers."""
    payload = access_token.split(".")[1]
    audience = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["aud"]
    basic = "Basic " + base64.b64encode(f"{urllib.parse.quote(audience, safe='')}:development".encode()).decode()
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if by_user_info:
                answer = ask(port, "GET", "/contoso/oidc/userinfo", headers={"Authorization": f"Bearer {access_token}"})
                if answer.status in (200, 401):
                    return answer.status == 200
            else:
                path = "/contoso/oauth2/v2.0/tokeninfo"
                answer = ask(port, "POST", path, {"token": access_token}, {"Authorization": basic})
                if answer.status == 200:
                    return answer.body["active"]
            what = answer.status
        except (OSError, http.client.HTTPException) as error:
            what = error
        if time.monotonic() > end:
            raise Refused(f"nothing was said about a token: {what}")
        time.sleep(0.05)


def replay_race(site, name, chance, result):
    """The holder's app sends a token several times; later a thief has an old one, while the holder continues."""
    family = Family(site, name, chance, result)
    first = family.tokens[0]
    answers = family.together(*[family.refreshing(first)] * 6)
    won = family.learn(answers, "one token at both nodes")
    refused = [answer.status for answer in answers if answer.status != 200]
    result.count("honest repetitions refused", len(refused))
    result.expect(won and not refused, f"one token at both nodes: refused {refused} (SEC-TOK-9)")
    if not won:
        return family
    family.refresh(family.tokens[-1])
    newest = family.tokens[-1]
    # Its successor was used, so an old token is not a repetition, even within the grace period.
    *honest, thief, other = family.together(
        family.refreshing(newest), family.refreshing(newest), family.refreshing(first), family.refreshing(family.tokens[1]))
    # The token before the newest is still a repetition, unless the newest was used or the family is already revoked.
    result.expect(thief.status == 400, f"an old token was answered {thief.status} (SEC-TOK-9)")
    if other.status == 200:
        result.expect(other.body["refresh_token"] == newest, "a repetition had another successor (SEC-TOK-9)")
    family.learn(honest, "the newest token beside an old one")
    result.count("races that the holder won", honest[0].status == 200)
    family.expect_dead("after a replay")
    return family


def revoke_race(site, name, chance, result):
    """The holder signs out while the app refreshes, at the same moment, at both nodes."""
    family = Family(site, name, chance, result)
    first = family.tokens[0]
    # Either token identifies the session to end.
    revoked = chance.choice([first, family.access_tokens[0]])
    answer, *refreshed = family.together(("oauth2/v2.0/revoke", {"token": revoked}), *[family.refreshing(first)] * 3)
    result.expect(answer.status == 200, f"a revocation was answered {answer.status}")
    result.count("refreshes that came before the revocation", family.learn(refreshed, "beside a revocation"))
    family.expect_dead("after a revocation")
    return family


def refresh_races_at(site, number, rng, result):
    names = [f"holder{index}@example.com" for index in range(PEOPLE)]
    for name in names:
        Person(site, PASSWORD_APP, rng.randrange(1 << 30)).sign_up(name, PASSWORD)
    seeds = [rng.randrange(1 << 30) for _ in range(number)]
    # Their first token is used once, and again after the grace period.
    kept = [Family(site, rng.choice(names), random.Random(rng.randrange(1 << 30)), result) for _ in range(KEPT)]
    for family in kept:
        family.refresh(family.tokens[0])
    since = time.monotonic()

    def both(index):
        chance = random.Random(seeds[index])
        name = names[index % len(names)]
        return [replay_race(site, name, chance, result), revoke_race(site, name, chance, result)]

    families = [family for pair in parallel(number, both, threads=4) for family in pair]
    time.sleep(max(0, since + GRACE + 2 - time.monotonic()))
    for family in kept:
        answer = family.person.post(*family.refreshing(family.tokens[0]))
        result.expect(answer.status == 400, f"a used token was answered {answer.status} after the grace (SEC-TOK-9)")
        family.expect_dead("after a replay that was late")
        result.count("replays after the grace")
    families += kept
    result.count("rounds", number)
    result.count("requests made again", sum(family.again + family.person.repeated for family in families))
    leaves = count(site.store, "SELECT count(*) FROM refresh_families WHERE revoked_at IS NULL")
    result.count("families that live on", leaves)
    result.expect(leaves == 0, f"{leaves} families live on")
    # A request with a lost answer may have had its effect.
    again = sum(family.again for family in families)
    expected = {
        "token.refreshed": sum(family.steps for family in families), "token.reuse_detected": number + KEPT,
        "token.revoked": number,
    }
    for kind, events in expected.items():
        found = count(site.store, f"SELECT count(*) FROM audit WHERE kind = '{kind}'")
        result.expect(abs(found - events) <= again, f"{found} events {kind}, {events} were told to people (SEC-TOK-8)")


def refresh_races(options, number, rng):
    """`number` rounds on two nodes, and a tenth as many on SQLite; in each a replay and a revocation."""
    result = Result()
    for store, nodes, rounds in (("postgres", 2, number), ("sqlite", 1, max(1, number // 10))):
        site = Site(options, store, nodes)
        refresh_races_at(site, rounds, rng, result)
        site.stop(result)
    return result


# Signing keys


# Nodes read the keys again after this time; two seconds more for a busy node.
KEY_AGE, SLACK = 60, 2


def key_command(site, *arguments):
    """`native-auth key …`; returns what it printed."""
    place = ["--database", site.database, "--master-key-file", site.key, "--data", site.folder / "data"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
    command = [site.binary, "key", *arguments, *place]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def keys(site):
    """The tenant's keys: the state of each, by its id."""
    lines = [line.split() for line in key_command(site, "list").splitlines()]
    return {kid: state for tenant, kid, _, state, *_ in lines if tenant == "contoso"}


def kid_in(state, found):
    return next(kid for kid, known in found.items() if known == state)


def kid_of(token):
    head = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


def published(port):
    return {key["kid"] for key in ask(port, "GET", "/contoso/discovery/v2.0/keys").body["keys"]}


class Shown:
    """A token that was presented to a node."""

    def __init__(self, kid, port, begin, is_good):
        self.kid, self.port, self.begin, self.is_good, self.end = kid, port, begin, is_good, time.monotonic()


class Holder:
    """A client that refreshes at any node, and whose tokens, old and new, are presented to both nodes at once."""

    def __init__(self, site, rng):
        self.site, self.shown, self.samples, self.faults = site, [], {}, []
        self.person = Person(site, PASSWORD_APP, rng.randrange(1 << 30))
        self.person.sign_up("keys@example.com", PASSWORD)
        self.tokens = self.person.sign_in("keys@example.com", PASSWORD)
        # By key: the time of the last token with it.
        self.signed = {}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.is_set():
            try:
                self.live()
            except Refused as refusal:
                self.faults.append(f"the holder of a token was refused: {refusal.args}")
                return
            self.over.wait(0.1)

    def live(self):
        begin = time.monotonic()
        self.tokens = self.person.refresh(self.tokens["refresh_token"])
        token = self.tokens["access_token"]
        kid = kid_of(token)
        self.signed[kid] = begin
        self.samples.setdefault(kid, token)
        for node in self.site.nodes:
            for held in {token, *self.samples.values()}:
                begin = time.monotonic()
                good = is_good(node.port, held, self.person.random.random() < 0.5)
                self.shown.append(Shown(kid_of(held), node.port, begin, good))

    def stop(self):
        self.over.set()
        self.thread.join()


def judge(holder, revoked, result):
    """Compares the nodes' answers with the times of the revocations: `revoked` has begin and end of each command."""
    never = (float("inf"), float("inf"))
    wrong, gone = collections.Counter(), {}
    for shown in holder.shown:
        begin, end = revoked.get(shown.kid, never)
        if not shown.is_good:
            gone[shown.kid, shown.port] = True
            if shown.end < begin:
                wrong["good tokens that were refused"] += 1
        elif shown.begin > end + KEY_AGE + SLACK:
            wrong["tokens of a revoked key that were accepted after a minute"] += 1
        elif gone.get((shown.kid, shown.port)):
            wrong["tokens that were accepted again after they were refused"] += 1
    for kid, (_, end) in revoked.items():
        if holder.signed.get(kid, 0) > end + KEY_AGE + SLACK:
            wrong["keys that signed a minute after they were revoked"] += 1
    result.count("tokens shown", len(holder.shown))
    result.count("tokens accepted", sum(shown.is_good for shown in holder.shown))
    result.count("tokens of a revoked key refused", sum(not shown.is_good and shown.kid in revoked for shown in holder.shown))
    result.count("good tokens that were refused", wrong["good tokens that were refused"])
    for what, times in wrong.items():
        result.expect(False, f"{times} {what} (SEC-TOK-5)")
    for fault in holder.faults:
        result.expect(False, fault)


def signing_keys(options, number, rng):
    """`number` times under load: a key is announced, signs, the previous one is revoked; then the signing one is revoked."""
    result = Result()
    site = Site(options, "postgres", 2)
    ports = [node.port for node in site.nodes]
    answers, revoked = [], {}

    def watch(answer, error, begin):
        answers.append((answer.status if answer else 0, error))

    load = Load(site, 6, rng.randrange(1 << 30), watch=watch)
    holder = Holder(site, rng)

    def hurry():
        """A trial does not wait for a minute: a node reads its keys when a token has an unknown key."""
        head = json.dumps({"alg": "RS256", "kid": f"{rng.randrange(1 << 60):x}", "typ": "at+jwt"}, separators=(",", ":"))
        token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (head.encode(), b"{}", b"signature"))
        for port in ports:
            is_good(port, token)

    def comes(what, holds):
        begin = time.monotonic()
        every = 0.5
        if options.quick:
            time.sleep(1.5)
            hurry()
        came = wait_until(lambda: all(holds(port) for port in ports), KEY_AGE + SLACK, every)
        result.note(f"s until {what}", time.monotonic() - begin)
        result.expect(came, f"not within a minute: {what} (SEC-TOK-5)")

    def signs_with(port):
        """The key of a new token of this node."""
        asked = Person(site, PASSWORD_APP, ports=[port])
        return kid_of(asked.sign_in("keys@example.com", PASSWORD)["access_token"])

    def revoke(kid):
        begin = time.monotonic()
        key_command(site, "revoke", kid)
        revoked[kid] = (begin, time.monotonic())
        result.expect(kid not in keys(site), "a revoked key is still there")
        sample = holder.samples.get(kid)
        if result.expect(sample, "no client has a token of the key that was revoked"):
            comes("tokens of a revoked key are refused", lambda port: not is_good(port, sample))
        comes("a revoked key is not published", lambda port: kid not in published(port))
        result.count("keys revoked")

    for _ in range(number):
        time.sleep(rng.uniform(1, 3))
        old = kid_in("signing", keys(site))
        wait_until(lambda: old in holder.samples, 10)
        key_command(site, "rotate")
        found = keys(site)
        new = kid_in("next", found)
        result.expect(found[old] == "signing", "a key that was announced signs at once")
        comes("an announced key is published", lambda port: new in published(port))
        result.expect(holder.signed.keys() <= {old, *revoked}, "something was signed with a key that was only announced")
        key_command(site, "rotate", "--now")
        result.expect(keys(site)[new] == "signing", "a key was announced, and another one signs")
        comes("a node signs with the new key", lambda port: signs_with(port) == new)
        for port in ports:
            result.expect({old, new} <= published(port), "a key with good tokens is not published")
            result.expect(is_good(port, holder.samples[old]), "a token of the key before was refused")
        result.count("rotations")
        time.sleep(rng.uniform(0, 2))
        revoke(old)
        # The emergency: an attacker has the signing key.
        wait_until(lambda: new in holder.samples, 10)
        revoke(new)
        last = kid_in("signing", keys(site))
        comes("a node signs after its key was revoked", lambda port: signs_with(port) == last)
        wait_until(lambda: last in holder.samples, 10)
    time.sleep(1)
    holder.stop()
    load.stop()
    judge(holder, revoked, result)
    bad = [answer for answer in answers if answer[0] not in (200, 400, 429)]
    result.count("requests", len(answers))
    result.count("failed requests", len(bad))
    kinds = sorted({f"{status or error}" for status, error in bad})
    result.expect(not bad, f"{len(bad)} of {len(answers)} requests failed: {kinds[:5]}")
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    return result

"""Codes as text messages over HTTP, with a gateway that has faults: see scripts/check-texts. Each check is of a user of its own."""

import argparse
import atexit
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

from gateway import Gateway
from shim import WallClock
from world import CODE_APP, PASSWORD_APP, ROOT, Broken, Mailbox, Server, SQLite, ask, parallel, wait_until

ACCOUNT, SECRET, SENDER = "AC0123456789abcdef0123456789abcdef", "kX7-Secret-of-the-gateway-q2", "+15555550100"
PASSWORD = "Tulip-Harbour-42"
NAME, DOMAIN = "Contoso & Sons", "login.example.com"
TENANTS = f"""tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.example.com
    displayName: {NAME}
    sms:
      callingCodes: [1, 49]
      domain: {DOMAIN}
      prices: {{others: 0.08}}
      costPerDay: 2
    applications:
      - {{clientId: {PASSWORD_APP}, displayName: Passwords, signIn: emailPassword, requiresSecondFactor: true}}
      - {{clientId: {CODE_APP}, displayName: Codes, signIn: emailOneTimePasscode}}
"""
# How the application of codes asks for a second factor: `requiresSecondFactor` is for passwords only.
CLAIMS = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
# A code is valid for 600 s, and no text is sent in the last 30.
LIFETIME, MARGIN = 600, 30
# SEC-MAIL-1: no request waits for a text. A second is allowed for a busy machine.
LONGEST = 1


class Refused(Exception):
    """An answer that was not expected."""


class TextServer(Server):
    """Its log has all that it says, on both streams."""

    def start(self):
        begin, self.start_of_log = time.monotonic(), self.log.stat().st_size if self.log.exists() else 0
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=clean | self.environment)
        atexit.register(self.process.kill)
        ready = lambda: re.search(rb"^ready ", self.log.read_bytes()[self.start_of_log:], re.M) or not self.is_alive()
        wait_until(ready, 30, 0.02)
        if not self.is_alive():
            raise Broken(f"a server did not start, exit code {self.process.wait()}: {self.log.read_text()[-2000:]}")
        return time.monotonic() - begin


class TextSite:
    """A server with a gateway. `profile`: its profile, and so where the codes of mails are."""

    def __init__(self, options, profile):
        self.profile, self.gateway = profile, Gateway(ACCOUNT, SECRET, SENDER)
        self.numbers, self.users, self.lock, self.slowest = 0, 0, threading.Lock(), 0
        # All that no log may have.
        self.unspeakable = {SECRET}
        self.binary, self.data, self.database = options.binary, None, None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="texts-"))
        atexit.register(shutil.rmtree, self.folder, True)
        self.key = self.folder / "master.key"
        self.key.write_bytes(os.urandom(32))
        self.key.chmod(0o600)
        (self.folder / "tenants.yaml").write_text(TENANTS)
        self.mailbox = Mailbox()
        self.smtp = self.mailbox.url
        self.clock, self.skew = WallClock(self.folder), 0
        arguments = ["--config", str(self.folder / "tenants.yaml"), "--profile", profile]
        if profile == "production":
            arguments += [
                "--base-url", "https://login.example.com", "--trusted-proxies", "127.0.0.1", "--mail-from", "id@example.com",
                "--log-level", "info"]
        else:
            arguments += ["--log-level", "trace", "--base-url", "http://localhost:7"]
        environment = self.clock.environment | {"NATIVE_AUTH_SMS": self.gateway.url, "NATIVE_AUTH_SMS_FROM": SENDER}
        self.nodes = [TextServer(self, 0, *arguments, environment=environment)]
        self.store = SQLite(self.nodes[0].folder / "identity.sqlite")

    @property
    def server(self):
        return self.nodes[0]

    def jump(self, seconds):
        """Puts the server's clock forward."""
        self.skew += seconds
        self.clock.set(self.skew)

    def number(self, prefix="+1555"):
        """A number that no other check has, and without its neighbours."""
        with self.lock:
            self.numbers += 1
            number = prefix + f"{self.numbers:03}4{self.numbers * 37 % 1000:03}" + ("0" if prefix.startswith("+49") else "")
            self.unspeakable |= {number[1:], f"%2B{number[1:]}"}
            return number

    def state(self, attempt):
        """What the outbox says of a text."""
        states = [state for key, state in self.store.rows("SELECT id, state FROM outbox") if key == message_id(attempt)]
        return states[0] if len(states) == 1 else states

    def secret(self, code):
        self.unspeakable.add(code)
        return code

    def inbox(self, address):
        answer = ask(self.server.port, "GET", "/dev/inbox.json?to=" + urllib.parse.quote(address))
        return answer.body if answer.status == 200 else []

    def mailed(self, address):
        """The codes that were mailed to that address, oldest first."""
        if self.profile == "production":
            return self.mailbox.codes(address, 0)
        return [mail["code"] for mail in reversed(self.inbox(address)) if mail.get("code")]


class User:
    """An app with a user who has a password, or gets codes by mail."""

    def __init__(self, site, kind="password"):
        self.site, self.kind, self.client = site, kind, PASSWORD_APP if kind == "password" else CODE_APP
        with site.lock:
            site.users += 1
            self.address, self.source = f"user{site.users}@example.com", f"203.0.{site.users}.7"
        self.number, self.slowest = None, 0

    @property
    def kinds(self):
        return {"challenge_type": "oob password redirect" if self.kind == "password" else "oob redirect"}

    @property
    def wishes(self):
        return {"scope": "openid offline_access"} | ({} if self.kind == "password" else {"claims": CLAIMS})

    def post(self, path, **fields):
        form = {"client_id": self.client} | fields
        headers = {"X-Forwarded-For": self.source} if self.site.profile == "production" else {}
        answer = ask(self.site.server.port, "POST", f"/contoso/{path}", form, headers)
        self.slowest = max(self.slowest, answer.seconds)
        self.site.slowest = max(self.site.slowest, answer.seconds)
        return answer

    def step(self, path, suberror=None, **fields):
        answer = self.post(path, **fields)
        expected = answer.body.get("suberror") == suberror if suberror else answer.status == 200
        if not expected or "continuation_token" not in answer.body and "access_token" not in answer.body:
            raise Refused(f"{path} of {self.address}: {answer.status} {answer.content.decode(errors='replace')[:400]}")
        return answer.body

    def mail_code(self, path, token, seconds=5):
        """Asks for a code by mail; returns the new token and the code."""
        before = len(self.site.mailed(self.address))
        body = self.step(path, continuation_token=token, **self.kinds)
        if not wait_until(lambda: len(self.site.mailed(self.address)) > before, seconds, 0.03):
            raise Refused(f"no code was mailed to {self.address}")
        return body["continuation_token"], self.site.secret(self.site.mailed(self.address)[-1])

    def token(self, token, suberror=None, **fields):
        return self.step("oauth2/v2.0/token", suberror, continuation_token=token, **self.wishes, **fields)

    def sign_up(self):
        """Signs up until the telephone is asked for; returns the token."""
        password = {"password": PASSWORD} if self.kind == "password" else {}
        token = self.step(
            "signup/v1.0/start", username=self.address, capabilities="mfa_required registration_required", **self.kinds,
            **password)["continuation_token"]
        token, code = self.mail_code("signup/v1.0/challenge", token)
        token = self.step("signup/v1.0/continue", continuation_token=token, grant_type="oob", oob=code)["continuation_token"]
        body = self.token(token, "registration_required", grant_type="continuation_token", username=self.address)
        self.listed = self.step("register/v1.0/introspect", continuation_token=body["continuation_token"])
        return self.listed["continuation_token"]

    def ask_for(self, number, token):
        """The answer to the request for a text to a number that is to be registered."""
        self.number = number
        return self.post(
            "register/v1.0/challenge", continuation_token=token, challenge_type="oob", challenge_target=number,
            challenge_channel="sms")

    def begin(self, number):
        """Signs up, and asks for a text to that number; returns the token."""
        answer = self.ask_for(number, self.sign_up())
        if answer.status != 200:
            raise Refused(f"register/challenge of {self.address}: {answer.status} {answer.content.decode()[:400]}")
        self.challenge = answer.body
        return answer.body["continuation_token"]

    def register(self, token, code):
        body = self.step("register/v1.0/continue", continuation_token=token, grant_type="oob", oob=self.site.secret(code))
        return self.token(body["continuation_token"], grant_type="continuation_token")

    def first_factor(self):
        """Signs in until the second factor is asked for; returns the token."""
        token = self.step(
            "oauth2/v2.0/initiate", username=self.address, capabilities="mfa_required registration_required",
            **self.kinds)["continuation_token"]
        if self.kind == "password":
            token = self.step("oauth2/v2.0/challenge", continuation_token=token, **self.kinds)["continuation_token"]
            grant = {"grant_type": "password", "password": PASSWORD}
        else:
            token, code = self.mail_code("oauth2/v2.0/challenge", token)
            grant = {"grant_type": "oob", "oob": code}
        return self.token(token, "mfa_required", **grant)["continuation_token"]

    def second_factor(self, token):
        """Lists the methods, and asks for a text to the first telephone; returns the token."""
        body = self.step("oauth2/v2.0/introspect", continuation_token=token)
        self.methods = body["methods"]
        phone = next((method for method in self.methods if method["challenge_channel"] == "sms"), None)
        if not phone:
            raise Refused(f"no telephone in {self.methods}")
        self.challenge = self.step(
            "oauth2/v2.0/challenge", continuation_token=body["continuation_token"], id=phone["id"], **self.kinds)
        return self.challenge["continuation_token"]


def message_id(attempt):
    """The server's own id of a text: the last part of the address of its reports."""
    return bytes.fromhex(re.findall(r"[0-9a-f-]{36}", attempt.fields["StatusCallback"].lower())[-1].replace("-", ""))


def claims(tokens):
    payload = tokens["access_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class Check:
    def __init__(self, options):
        self.options, self.passed, self.failed, self.lock, self.ran = options, 0, 0, threading.Lock(), set()

    def expect(self, what, holds, detail=""):
        with self.lock:
            if holds:
                self.passed += 1
            else:
                self.failed += 1
                print(f"FAILED: {what}: {detail}", flush=True)
        return holds

    def note(self, text):
        if self.options.verbose:
            print(f"  {text}", flush=True)

    def run(self, name, site, work):
        """A check that must not end the others."""
        if self.options.only not in (None, name):
            return
        self.ran.add(name)
        begin = time.monotonic()
        try:
            work(site)
        except (Refused, OSError, http.client.HTTPException, KeyError, sqlite3.Error) as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
            self.expect(f"{site.profile}: {name}", False, f"lines {lines}: {error!r}")
        self.note(f"{site.profile}: {name}, {time.monotonic() - begin:.1f} s")

    # Both profiles

    def journey(self, site, kind):
        """A user registers a telephone, and signs in with it."""
        user, number = User(site, kind), site.number("+1555" if kind == "password" else "+49151")
        what = f"{site.profile}, a user of {kind}"
        token = user.begin(number)
        listed = [(method["id"], method["challenge_channel"]) for method in user.listed["methods"]]
        self.expect(f"{what}: a telephone is offered", ("sms", "sms") in listed, listed)
        self.expect(
            f"{what}: the answer to the challenge", user.challenge.get("challenge_channel") == "sms"
            and user.challenge.get("challenge_target") == number and user.challenge.get("code_length") == 8, user.challenge)
        attempt = site.gateway.wait_for(number)
        if not self.expect(f"{what}: a text comes", attempt):
            return
        self.text(what, attempt)
        tokens = user.register(token, attempt.code)
        self.expect(f"{what}: tokens after the registration", "access_token" in tokens and "sms" in claims(tokens)["amr"], tokens)
        # One text a minute, in production.
        if site.profile == "production":
            site.jump(61)
        token = user.second_factor(user.first_factor())
        hints = [(method["challenge_channel"], method["login_hint"]) for method in user.methods]
        prefix = "+1" if kind == "password" else "+49"
        masked = prefix + "*" * (len(number) - len(prefix) - 1) + number[-1]
        self.expect(f"{what}: the list masks the number", ("sms", masked) in hints, hints)
        self.expect(
            f"{what}: so does the challenge", user.challenge.get("challenge_target_label") == masked
            and user.challenge.get("challenge_channel") == "sms", user.challenge)
        second = site.gateway.wait_for(number, 2)
        if not self.expect(f"{what}: a text for the sign-in comes", second):
            return
        self.text(what, second)
        wrong = user.post(
            "oauth2/v2.0/token", continuation_token=token, grant_type="mfa_oob", oob="00000000", **user.wishes)
        self.expect(
            f"{what}: a wrong code is refused", wrong.status == 400 and wrong.body.get("suberror") == "invalid_oob_value",
            wrong.content)
        old = user.post(
            "oauth2/v2.0/token", continuation_token=token, grant_type="mfa_oob", oob=attempt.code, **user.wishes)
        self.expect(f"{what}: the code of the registration is refused", old.status == 400, old.content)
        tokens = user.token(token, grant_type="mfa_oob", oob=site.secret(second.code))
        amr = claims(tokens)["amr"]
        self.expect(f"{what}: the tokens say so", {"sms", "mfa"} <= set(amr), amr)
        self.expect(f"{what}: exactly two texts", len(site.gateway.of(number)) == 2, len(site.gateway.of(number)))
        if site.profile == "development":
            inbox = [mail["text"] for mail in site.inbox(number)]
            self.expect(f"{what}: the inbox has both texts", sorted(inbox) == sorted([attempt.body, second.body]), inbox)

    def text(self, what, attempt):
        site_code = attempt.code or "none"
        self.expect(
            f"{what}: the text", attempt.body == f"{NAME}: {site_code}\n\n@{DOMAIN} #{site_code}" and re.fullmatch(r"\d{8}", site_code),
            repr(attempt.body))
        period = attempt.fields.get("ValidityPeriod")
        self.expect(
            f"{what}: it is valid no longer than its code less 30 s",
            period is None or LIFETIME - MARGIN - 10 <= int(period) <= LIFETIME - MARGIN, period)
        self.expect(f"{what}: it names where reports go", attempt.fields.get("StatusCallback", "").startswith("http"), attempt.fields)

    # Development

    # Name: the fault, its values, whether the text comes in the end, and the least and the greatest number of attempts.
    FAULTS = {
        "slow": ("slow", {"seconds": 3}, True, 1, 1),
        "down": ("down", {"times": 2}, True, 3, 3),
        "garbage with 200": ("garbage", {"status": 200, "times": 1}, None, 1, 2),
        "garbage with 500": ("garbage", {"status": 500, "times": 1}, True, 2, 2),
        "429": ("error", {"code": 20429, "times": 2}, True, 3, 3),
        "429 with Retry-After": ("error", {"code": 20429, "times": 1, "retry_after": 2}, True, 2, 2),
        "500": ("error", {"code": 20500, "times": 2}, True, 3, 3),
        "503": ("error", {"code": 20503, "times": 2}, True, 3, 3),
        "401": ("error", {"code": 20003, "times": 1}, None, 1, 2),
        "21211": ("error", {"code": 21211}, False, 1, 1),
        "21610": ("error", {"code": 21610}, False, 1, 1),
        "21408": ("error", {"code": 21408}, False, 1, 1),
        "more than 64 KiB": ("long", {"times": 1}, True, 1, 2),
        "half an answer": ("half", {"times": 1}, True, 1, 2),
        "redirect": ("redirect", {"times": 1}, None, 1, 2),
    }

    def faults(self, site):
        elsewhere = Gateway(ACCOUNT, SECRET, SENDER)
        names = list(self.FAULTS)

        def strike(index):
            name = names[index]
            kind, values, comes, least, most = self.FAULTS[name]
            user, number = User(site), site.number()
            if kind == "redirect":
                values = values | {"target": f"http://127.0.0.1:{elsewhere.port}/2010-04-01/Accounts/{ACCOUNT}/Messages.json"}
            site.gateway.set(kind, number, **values)
            token = user.begin(number)
            site.gateway.wait_for(number, is_taken=False)
            # Tried again after 1 s and 2 s more, with a share of chance.
            site.gateway.wait_for(number, seconds=7 if comes else 4)
            time.sleep(2)
            attempts, taken = site.gateway.of(number), site.gateway.taken(number)
            states = [attempt.status for attempt in attempts]
            row = site.state(attempts[0])
            self.note(f"{name}: attempts {states}, taken {len(taken)}, after {[round(a.at - attempts[0].at, 1) for a in attempts]} s; the outbox says {row}")
            self.expect(f"{name}: the outbox knows what became of it", row in ("sent", "failed"), row)
            # An answer that is no JSON counts as taken when its status says so.
            if row == "sent" and comes is not None:
                self.expect(f"{name}: sent means taken", bool(taken), states)
            self.expect(f"{name}: {least} to {most} attempts", least <= len(attempts) <= most, states)
            self.expect(f"{name}: every attempt has the same text", len({attempt.body for attempt in attempts}) == 1)
            if comes is not None:
                self.expect(f"{name}: the text {'comes' if comes else 'is dropped'}", bool(taken) == comes, states)
            if taken:
                tokens = user.register(token, taken[-1].code)
                self.expect(f"{name}: its code works", "access_token" in tokens)
            for attempt in attempts:
                site.secret(attempt.code)

        parallel(len(names), strike, threads=4)
        self.expect("a redirect is not followed", elsewhere.connections == 0, elsewhere.connections)
        elsewhere.stop()

    def hang(self, site):
        """While the gateway hangs, all else goes on."""
        site.gateway.set("slow", seconds=40)
        users, numbers = [User(site) for _ in range(6)], [site.number() for _ in range(6)]
        tokens = [user.begin(number) for user, number in zip(users, numbers)]
        self.expect("the gateway hangs", wait_until(lambda: any(site.gateway.of(number) for number in numbers), 5))
        mails, slowest = [], 0
        for _ in range(6):
            user = User(site, "codes")
            token = user.step("signup/v1.0/start", username=user.address, **user.kinds)["continuation_token"]
            begin = time.monotonic()
            token, code = user.mail_code("signup/v1.0/challenge", token)
            mails.append(time.monotonic() - begin)
            user.step("signup/v1.0/continue", continuation_token=token, grant_type="oob", oob=code)
            slowest = max(slowest, user.slowest)
        slowest = max([slowest, *(user.slowest for user in users)])
        self.note(f"the gateway hangs: the slowest answer {slowest:.2f} s, the slowest mail {max(mails):.2f} s")
        self.expect(f"no answer takes {LONGEST} s while the gateway hangs", slowest < LONGEST, f"{slowest:.2f} s")
        self.expect("mails come within 2 s while the gateway hangs", max(mails) < 2, f"{max(mails):.2f} s")
        begin = time.monotonic()
        site.gateway.clear()
        first = lambda: [attempt for number in numbers for attempt in site.gateway.of(number)]
        came = [site.gateway.wait_for(number, seconds=max(1, 25 - (time.monotonic() - begin))) for number in numbers]
        # The server hangs up by itself: a request does not hang as long as the gateway.
        gave_up = [round(attempt.hung_up, 1) for attempt in first() if attempt.hung_up]
        self.note(f"the server hangs up after {gave_up} s, {len(first())} attempts; all texts came {time.monotonic() - begin:.1f} s after the mails")
        self.expect("the server gives a request up that hangs", gave_up, "it waits for 25 s and more")
        self.expect("all texts come when the gateway is back", all(came), [bool(attempt) for attempt in came])
        for user, token, attempt in zip(users, tokens, came):
            if attempt:
                self.expect("the code of a late text works", "access_token" in user.register(token, attempt.code))
        for attempt in first():
            site.secret(attempt.code)

    def expiry(self, site):
        """No text in the last seconds of its code."""
        def until(seconds):
            """A text whose first attempt fails, and the clock then says so many seconds after it was asked for."""
            user, number = User(site), site.number()
            site.gateway.set("down", number)
            user.begin(number)
            site.gateway.wait_for(number, is_taken=False)
            # The next attempt has its time: a worker that reads the clock before the jump and after it would sleep on.
            time.sleep(0.4)
            site.jump(seconds)
            site.gateway.clear(number)
            site.gateway.wait_for(number, seconds=5)
            for attempt in site.gateway.of(number):
                site.secret(attempt.code)
            return [attempt.fields.get("ValidityPeriod") for attempt in site.gateway.taken(number)]

        end = LIFETIME - MARGIN
        early, last, late = until(end - 60), until(end - 1.5), until(end + 1)
        self.note(f"validity of texts 60 s and 1 s before the end: {early}, {last}; after it: {late}")
        self.expect("a text that can still be used is sent late", len(early) == 1 and 0 < int(early[0] or 1) <= 60, early)
        self.expect("a text that cannot be used in time is dropped", late == [], late)
        states = dict(site.store.rows("SELECT state, count(*) FROM outbox GROUP BY state"))
        self.note(f"the outbox says {states}")
        self.expect("the outbox says that it expired", states.get("expired", 0) >= 1, states)

    # Production

    def refused(self, site, code):
        """A number that gets no texts: not tried again, and the next request says so."""
        user, number, other = User(site), site.number(), site.number("+49152")
        site.gateway.set("error", number, code=code)
        token = user.begin(number)
        site.gateway.wait_for(number, is_taken=False)
        failed = lambda: site.store.rows(f"SELECT 1 FROM audit WHERE kind = 'outbox.failed' AND detail = 'sms-{code}'")
        self.expect(f"{code}: is in the audit trail", wait_until(failed, 3))
        for resent in ("again", "and again"):
            answer = user.ask_for(number, token)
            self.note(f"{code}, {resent}: {answer.status} {answer.content.decode()[:200]}")
            self.expect(
                f"{code}: the number is blocked {resent}", answer.status == 400 and answer.body.get("suberror") == "provider_blocked_by_rep"
                and answer.body.get("error_codes") == [550024], f"{answer.status} {answer.content.decode()[:300]}")
        time.sleep(3)
        self.expect(f"{code}: one attempt", len(site.gateway.of(number)) == 1, len(site.gateway.of(number)))
        answer = user.ask_for(other, token)
        if self.expect(f"{code}: the flow goes on with another number", answer.status == 200, answer.content):
            attempt = site.gateway.wait_for(other)
            if self.expect(f"{code}: the other number gets a text", attempt):
                tokens = user.register(answer.body["continuation_token"], attempt.code)
                self.expect(f"{code}: and is registered", "access_token" in tokens)
        for attempt in site.gateway.of(number):
            site.secret(attempt.code)

    def reports(self, site):
        user, number = User(site), site.number()
        token = user.begin(number)
        attempt = site.gateway.wait_for(number)
        site.secret(attempt.code)
        url = attempt.fields["StatusCallback"]
        self.expect("the address of reports is ours, and has no number", url.startswith("https://login.example.com/") and number[1:] not in url, url)
        text = message_id(attempt)
        row = lambda: [report for key, report in site.store.rows("SELECT id, report FROM texts") if key == text]
        self.expect("a text has no report at first", row() == [None], row())
        report = lambda status, **more: site.gateway.report(attempt, status, site.server.port, **more)
        for what, more in {
            "a wrong key": {"key": SECRET + "x"}, "no signature": {"signed": False}, "a changed status": {"changed": {"MessageStatus": "failed"}},
            "a changed number": {"changed": {"To": "+15555559999"}}, "one field more": {"changed": {"Price": "1"}},
        }.items():
            status = report("delivered", **more)
            self.expect(f"a report with {what} is 403", status == 403, status)
            self.expect(f"a report with {what} changes nothing", row() == [None], row())
        for status, word in (("queued", None), ("sent", None), ("delivered", "delivered"), ("delivered", "delivered"), ("undelivered", "delivered"), ("sent", "delivered")):
            answer = report(status, error=30003 if status == "undelivered" else None)
            self.expect(f"a report {status} is 204", answer == 204, answer)
            self.expect(f"after {status} the text is {word}", row() == [word], row())
        unknown = re.sub(r"[0-9a-f]{4}$", lambda found: f"{int(found[0], 16) ^ 0xFFFF:04x}", url.lower())
        before = site.store.rows("SELECT id, report FROM texts ORDER BY id")
        answer = report("failed", error=30005, url=unknown)
        self.expect("a report of an unknown text is 204", answer == 204, answer)
        self.expect("a report of an unknown text changes nothing", site.store.rows("SELECT id, report FROM texts ORDER BY id") == before)
        tokens = user.register(token, attempt.code)
        self.expect("a report changes no flow", "access_token" in tokens)
        # A text that failed can still arrive; the first word stays.
        other, number = User(site), site.number()
        token = other.begin(number)
        attempt = site.gateway.wait_for(number)
        text = message_id(attempt)
        answer = report("delivered", url=url, place=attempt.fields["StatusCallback"])
        self.expect("a signature of another text's report is 403", answer == 403 and row() == [None], f"{answer} {row()}")
        for status in ("failed", "delivered"):
            answer = report(status, error=30005 if status == "failed" else None)
            self.expect(f"a report {status} is 204", answer == 204, answer)
            self.expect(f"after {status} the text is failed", row() == ["failed"], row())
        self.expect("a report that the text failed changes no flow", "access_token" in other.register(token, attempt.code))

    def kill(self, site):
        """The server is killed before the gateway answers."""
        user, number = User(site), site.number()
        # The gateway takes it, and the server does not hear of that.
        site.gateway.set("late", number, seconds=4)
        token = user.begin(number)
        first = site.gateway.wait_for(number, is_taken=False)
        if not self.expect("the gateway has the text when the server is killed", first and site.state(first) != "sent", first):
            return
        site.server.kill()
        site.gateway.clear(number)
        # The lease of the mail is over.
        site.jump(61)
        self.note(f"started again after {site.server.start():.1f} s")
        begin = time.monotonic()
        second = site.gateway.wait_for(number, 2, seconds=10)
        self.note(f"the text came {time.monotonic() - begin:.1f} s after the restart, attempts {[a.status for a in site.gateway.of(number)]}")
        if self.expect("the text comes after a restart", second):
            self.expect("with the same code", second.body == first.body)
            period = second.fields.get("ValidityPeriod")
            self.expect("and no longer than its code", period is None or int(period) <= LIFETIME - MARGIN - 61, period)
            self.expect("for the same message", second.fields.get("StatusCallback") == first.fields.get("StatusCallback"))
            self.expect("and the code works", "access_token" in user.register(token, second.code))
        site.secret(first.code)

    # All that was said

    def silence(self, site):
        """No log line has a code, a number or the secret of the gateway."""
        for attempt in site.gateway.attempts:
            site.secret(attempt.code)
            self.expect("each text is well formed", attempt.body.startswith(f"{NAME}: "), attempt.body)
        said = site.server.log.read_text(errors="replace")
        lines = said.splitlines()
        self.note(f"{site.profile}: {len(lines)} lines of log, {len(site.unspeakable)} things that must not be there")
        self.expect(f"{site.profile}: the log has lines", len(lines) > 0, len(lines))
        found = {secret: next(line for line in lines if secret in line) for secret in site.unspeakable if secret in said}
        # The number that texts come from is no user's.
        self.expect(f"{site.profile}: the log has no code, no number and no secret", not found, list(found.items())[:3])
        basic = base64.b64encode(f"{ACCOUNT}:{SECRET}".encode()).decode()
        self.expect(f"{site.profile}: nor the credentials as they are sent", basic not in said)
        self.expect(f"{site.profile}: the gateway had nothing to object to", not site.gateway.violations, site.gateway.violations[:5])
        self.expect(f"{site.profile}: no answer took {LONGEST} s", site.slowest < LONGEST, f"{site.slowest:.2f} s")
        self.note(f"{site.profile}: the slowest answer {site.slowest:.2f} s")


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-texts", description="Codes as text messages, with a gateway that has faults.")
    parser.add_argument("--binary", default=str(ROOT / ".build/debug/native-auth"), help="the server")
    parser.add_argument("--only", help="one check by its name")
    parser.add_argument("--verbose", action="store_true", help="also what was measured")
    parser.add_argument("--keep", action="store_true", help="print where the logs are, and keep them")
    options = parser.parse_args()
    check, begin = Check(options), time.monotonic()
    for profile in ("development", "production"):
        site = TextSite(options, profile)
        try:
            check.run("password", site, lambda site: check.journey(site, "password"))
            check.run("codes", site, lambda site: check.journey(site, "codes"))
            if profile == "development":
                check.run("faults", site, check.faults)
                check.run("hang", site, check.hang)
                check.run("expiry", site, check.expiry)
            else:
                for code in (21211, 21610):
                    check.run(str(code), site, lambda site: check.refused(site, code))
                check.run("reports", site, check.reports)
                check.run("kill", site, check.kill)
            code = site.server.stop()
            check.expect(f"{profile}: the server ends cleanly", code == 0, code)
            check.silence(site)
        finally:
            if site.server.is_alive():
                site.server.kill()
            if options.keep:
                copy = pathlib.Path(f"/tmp/texts-{profile}.log")
                copy.write_bytes(site.server.log.read_bytes())
                print(f"the log is {copy}")
            site.mailbox.stop()
            site.gateway.stop()
            shutil.rmtree(site.folder, ignore_errors=True)
    if not check.ran:
        sys.exit(f"scripts/check-texts: there is no check {options.only}")
    print(f"{check.passed} passed, {check.failed} failed")
    check.note(f"{time.monotonic() - begin:.0f} s")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Passkeys over HTTP, with authenticators and verifiers of others (Tests/Proofs/authenticators.py): see scripts/check-passkeys."""

import argparse
import base64
import collections
import copy
import functools
import http.client
import json
import os
import pathlib
import random
import re
import sys
import threading
import time
import traceback

from authenticators import Fido, Ours, SoftWebauthn, Webauthn, Yubico, decoded, encoded, passkey
from fido2 import cbor
from fido2.cose import ES256, RS256, EdDSA
from world import PASSWORD_APP, ROOT, Broken, Person, Refused, Site, ask, parallel

DOMAIN = "harbour.example.com"
ORIGIN, SHOP, STRANGER = f"https://{DOMAIN}", f"https://shop.{DOMAIN}", f"https://pages.{DOMAIN}"
TENANTS = f"""tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    passkeys:
      domain: {DOMAIN}
      origins: [{SHOP}]
    applications:
      - {{clientId: {PASSWORD_APP}, displayName: Passwords, signIn: emailPassword, scopes: [User.ReadWrite]}}
"""
PASSWORD = "Tulip-Harbour-42"
SCOPE = "openid offline_access User.ReadWrite"
# The claims request of a second factor, which a passkey alone fulfils.
CLAIMS = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
KINDS = "passkey oob password redirect"
THREADS = 4
# Bytes of registrations that are not signed and mean most get more masks: flags all of them, the algorithm of the key those of the
# other small numbers.
UNSIGNED = {
    ("fido2 ES256 without attestation", "flags"): range(1, 256), ("fido2 ES256 without attestation", "algorithm of the key"): range(1, 32),
    ("fido2 EdDSA without attestation", "algorithm of the key"): range(1, 32)}


def challenge(options):
    return decoded(options["challenge"])


def claims(tokens):
    payload = tokens["access_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class User:
    """An account with a password, and the token of its newest sign-in."""

    numbers, lock = 0, threading.Lock()

    def __init__(self, site):
        with User.lock:
            User.numbers += 1
            self.address = f"user{User.numbers}@example.com"
        self.site, self.person = site, Person(site, PASSWORD_APP)
        token = self.person.sign_up(self.address, PASSWORD)
        grant = {"grant_type": "continuation_token", "username": self.address, "scope": SCOPE}
        self.tokens = self.person.step("oauth2/v2.0/token", grant | {"continuation_token": token})

    def post(self, path, **fields):
        return ask(self.site.nodes[0].port, "POST", f"/contoso/{path}", {"client_id": PASSWORD_APP} | fields)

    # The account API

    def api(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.tokens['access_token']}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        return ask(self.site.nodes[0].port, method, path, body, headers)

    def act(self, name, **body):
        return self.api("POST", f"/graph/beta/me/nativeAuth.{name}", body)

    def options(self, token=None):
        """What an authenticator needs to make a passkey, with a token; after a code of the own mailbox where one is asked for."""
        seen = self.site.mailbox.seen(self.address)
        answer = self.act("addPasskey", **({"continuationToken": token} if token else {}))
        self.proves_mailbox = answer.status == 202 and "publicKey" not in answer.body
        if self.proves_mailbox:
            code = self.site.mailbox.code(self.address, seen, 5)
            answer = self.act("confirmPasskey", continuationToken=answer.body["continuationToken"], code=code)
        if answer.status != 202 or "publicKey" not in answer.body:
            raise Refused(f"no options: {answer.status} {answer.content[:300]}")
        return answer.body

    def confirm(self, options, made, name="A passkey"):
        return self.act(
            "confirmPasskey", continuationToken=options["continuationToken"], publicKeyCredential=made, displayName=name)

    def passkeys(self):
        return self.api("GET", "/graph/v1.0/me/authentication/fido2Methods").body["value"]

    def remove(self, name):
        """Removes the passkeys of that name; returns their number."""
        found = [method["id"] for method in self.passkeys() if method["displayName"] == name]
        for method in found:
            answer = self.api("DELETE", f"/graph/v1.0/me/authentication/fido2Methods/{method}")
            if answer.status != 204:
                raise Refused(f"a passkey was not removed: {answer.status} {answer.content[:300]}")
        return len(found)

    # Sign-ins

    def begin(self):
        return self.person.step("oauth2/v2.0/initiate", {"challenge_type": KINDS})["continuation_token"]

    def request(self, token=None):
        """The options of a sign-in without a name, with the token that they are for."""
        body = self.person.step(
            "oauth2/v2.0/challenge", {"continuation_token": token or self.begin(), "challenge_type": "passkey redirect"})
        if body.get("challenge_type") != "passkey":
            raise Refused(f"no challenge of a passkey: {body}")
        return body

    def finish(self, request, made, grant_type="passkey", **more):
        return self.post(
            "oauth2/v2.0/token", continuation_token=request["continuation_token"], grant_type=grant_type,
            credential=json.dumps(made), scope=SCOPE, client_info="1", **more)

    def sign_in_by_password(self):
        kinds = {"challenge_type": "password redirect"}
        token = self.person.step("oauth2/v2.0/initiate", {"username": self.address} | kinds)["continuation_token"]
        token = self.person.step("oauth2/v2.0/challenge", {"continuation_token": token} | kinds)["continuation_token"]
        grant = {"grant_type": "password", "password": PASSWORD, "scope": SCOPE}
        self.tokens = self.person.step("oauth2/v2.0/token", grant | {"continuation_token": token})

    def sign_in(self, device, **more):
        request = self.request()
        return self.finish(request, device.sign(request["public_key"]), **more)


# Changed answers


def changed(answer, member, place, mask):
    """The answer with one byte of a member changed."""
    answer = copy.deepcopy(answer)
    content = bytearray(decoded(answer["response"][member]))
    content[place % len(content)] ^= mask
    answer["response"][member] = encoded(bytes(content))
    return answer


def part(answer, member, place):
    """What the byte at that place is of, in words."""
    content = decoded(answer["response"][member])
    place %= len(content)
    if member == "clientDataJSON":
        for found in re.finditer(rb'"(\w+)": ?("[^"]*"|\w+)', content):
            if found.start() <= place < found.end():
                return f"client data, {'value' if place >= found.start(2) else 'name'} of {found[1].decode()}"
        return "client data, between members"
    if member == "signature":
        return member
    start = 0
    if member == "attestationObject":
        start = content.index(b"\x68authData") + 9
        start += 3 if content[start] == 0x59 else 2
    place -= start
    if place < 0:
        return "attestation object, before the authenticator data"
    length = 256 * content[start + 53] + content[start + 54] if member == "attestationObject" else 0
    parts = [(32, "digest of the domain"), (33, "flags"), (37, "count")]
    if length:
        key = 55 + length
        parts += [(53, "AAGUID"), (55, "length of the id"), (key, "id")]
        # The map, then the labels 1 and 3 with their values.
        parts += [(key + 3, "type of the key")]
        end = len(content) - start
        # -257 has two bytes more than its first.
        algorithm = key + (7 if content[start + key + 4] == 0x39 else 5)
        parts += [(algorithm, "algorithm of the key"), (key_end(content, start + key) - start, "the key"), (end, "attestation, after it")]
    return next(name for end, name in parts if place < end)


def key_end(content, start):
    """Where the key ends that begins at that place."""
    return len(content) - len(cbor.decode_from(content[start:])[1])


class Tally:
    """How the judges agree on the changed answers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts, self.taken = collections.Counter(), collections.Counter()
        self.disagreements, self.worse = collections.defaultdict(list), []

    def add(self, what, is_taken, refusals, algorithm=None):
        """`refusals`: why each verifier refuses, by name; None when it accepts. `algorithm`: that of a new key."""
        with self.lock:
            self.counts["all"] += 1
            others = {reason is None for reason in refusals.values()}
            if others == {is_taken}:
                self.counts["taken by all" if is_taken else "refused by all"] += 1
                if is_taken:
                    self.taken[what.split(": ")[1]] += 1
                return
            self.counts["disagreements"] += 1
            takers = sorted(name for name, reason in refusals.items() if reason is None) + (["the server"] if is_taken else [])
            self.disagreements[what, " and ".join(takers)].append([reason for reason in refusals.values() if reason])
            if is_taken:
                self.worse.append((what, refusals))


class Check:
    def __init__(self, options):
        self.options, self.passed, self.failed, self.lock, self.ran = options, 0, 0, threading.Lock(), set()
        self.judges = [Webauthn(DOMAIN, ORIGIN), Yubico(DOMAIN, ORIGIN)]
        self.refusals = set()

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

    def run(self, name, *work):
        """A check that must not end the others."""
        if self.options.only not in (None, name):
            return
        self.ran.add(name)
        begin = time.monotonic()
        try:
            for step in work:
                step()
        except (Refused, Broken, OSError, ValueError, http.client.HTTPException, KeyError) as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
            self.expect(name, False, f"lines {lines}: {error!r}")
        self.note(f"{name}, {time.monotonic() - begin:.1f} s")

    def devices(self, origin=ORIGIN):
        return [SoftWebauthn(origin)] + [
            Fido(origin, cose, is_synchronised=synced) for cose in (ES256, EdDSA, RS256) for synced in (False, True)]

    # What was answered

    def is_taken(self, what, answer):
        """Whether the server accepts; any answer but the one of a refusal is a fault."""
        if answer.status in (200, 204):
            return True
        body = answer.body
        if "suberror" in body:
            right = answer.status == 400 and body["error"] == "invalid_grant" and body["suberror"] == "passkey_invalid"
            said = (body["error_description"].split(" Trace ID")[0], tuple(body.get("error_codes", ())))
        else:
            error = body.get("error", {})
            right = answer.status == 400 and "continuationToken" not in body
            said = (error.get("message"), error.get("code"), (error.get("innerError") or {}).get("code"))
        if not right:
            self.expect(f"{what}: the answer of a refusal", False, f"{answer.status} {answer.content[:300]}")
        with self.lock:
            self.refusals.add(said)
        return False

    def register(self, user, device, name="A passkey"):
        options = user.options()
        made = device.make(options["publicKey"])
        answer = user.confirm(options, made, name)
        self.expect(f"{device.name}: a passkey is added", answer.status == 204, f"{answer.status} {answer.content[:300]}")
        for judge in self.judges:
            reason = judge.registration(made, challenge(options["publicKey"]))
            self.expect(f"{device.name}: {judge.name} takes its registration", reason is None, reason)
        return made

    # Authenticators of others at our server

    def journeys(self, site):
        devices = self.devices() + [self.ours(), self.ours(True)]
        for device in devices:
            self.journey(site, device)
            if isinstance(device, Ours):
                self.expect(f"{device.name}: it ends cleanly", device.stop() == 0)

    def journey(self, site, device):
        """A passkey is made, and signs its user in."""
        user, what = User(site), device.name
        user.options()
        self.expect(f"{what}: the mailbox was proven by the sign-up", not user.proves_mailbox)
        user.sign_in_by_password()
        made = self.register(user, device)
        self.expect(f"{what}: the mailbox comes before the first one", user.proves_mailbox)
        listed = user.passkeys()
        self.expect(f"{what}: it is listed", [method["displayName"] for method in listed] == ["A passkey"], listed)
        request = user.request()
        answered = device.sign(request["public_key"])
        answer = user.finish(request, answered)
        if not self.expect(f"{what}: it signs in", answer.status == 200, f"{answer.status} {answer.content[:400]}"):
            return
        for judge in self.judges:
            reason = judge.assertion(answered, challenge(request["public_key"]), passkey(made))
            self.expect(f"{what}: {judge.name} takes its assertion", reason is None, reason)
        words = claims(answer.body)
        kind = "swk" if device.is_synchronised else "hwk"
        # RFC 8176: a synchronised key is one of software.
        self.expect(f"{what}: amr", set(words["amr"]) == {kind, "user", "mfa", "pop"}, words["amr"])
        self.expect(f"{what}: it signs in its own user", words["oid"] == claims(user.tokens)["oid"], words)
        self.expect(f"{what}: before, amr says no key", not {"hwk", "swk"} & set(claims(user.tokens)["amr"]))
        # A repeated request has the answer of the first, as each one has; a new one with the same signature is refused.
        again = user.finish(request, answered)
        self.expect(f"{what}: a repeated request", again.body.get("access_token") == answer.body["access_token"], again.content[:300])
        again = user.finish(request, answered, claims=CLAIMS)
        self.expect(f"{what}: a signature is good once", again.status == 400, f"{again.status} {again.content[:300]}")
        answer = user.sign_in(device, claims=CLAIMS)
        contexts = claims(answer.body).get("acrs") if answer.status == 200 else None
        self.expect(f"{what}: it is two factors", contexts == ["c1"], f"{answer.status} {contexts} {answer.content[:200]}")
        self.second_factor(user, device)
        user.tokens = answer.body
        options = user.options()
        self.expect(f"{what}: after it no mailbox is asked for", not user.proves_mailbox)
        if isinstance(device, Fido):
            self.expect(f"{what}: it makes no second passkey", device.is_excluded(options["publicKey"]))

    def second_factor(self, user, device):
        """The passkey after the password; its options name it."""
        fields = {"username": user.address, "challenge_type": KINDS, "capabilities": "mfa_required registration_required"}
        token = user.person.step("oauth2/v2.0/initiate", fields)["continuation_token"]
        fields = {"continuation_token": token, "challenge_type": KINDS}
        token = user.person.step("oauth2/v2.0/challenge", fields)["continuation_token"]
        answer = user.post(
            "oauth2/v2.0/token", continuation_token=token, grant_type="password", password=PASSWORD, scope=SCOPE, claims=CLAIMS)
        if not self.expect(f"{device.name}: a second factor is asked for", answer.body.get("suberror") == "mfa_required", answer.body):
            return
        body = user.person.step("oauth2/v2.0/introspect", {"continuation_token": answer.body["continuation_token"]})
        methods = [method for method in body["methods"] if method["challenge_type"] == "passkey"]
        if not self.expect(f"{device.name}: the passkey is a second factor", len(methods) == 1, body["methods"]):
            return
        fields = {"continuation_token": body["continuation_token"], "id": methods[0]["id"], "challenge_type": KINDS}
        request = user.person.step("oauth2/v2.0/challenge", fields)
        answer = user.finish(request, device.sign(request["public_key"]), grant_type="mfa_passkey", claims=CLAIMS)
        words = set(claims(answer.body)["amr"]) if answer.status == 200 else answer.content[:300]
        kind = "swk" if device.is_synchronised else "hwk"
        self.expect(f"{device.name}: the second factor in amr", words == {"pwd", kind, "user", "mfa", "pop"}, words)

    def faults(self, site):
        """Answers that are whole and wrong."""
        user, device = User(site), Fido(ORIGIN, ES256)
        self.register(user, device)
        refused = functools.partial(self.refused, user)
        unknown = Fido(ORIGIN, ES256)
        unknown.key.credentials = [(DOMAIN, os.urandom(48), {"id": os.urandom(32)})]
        refused("a passkey that nobody has", unknown, "passkey_unknown")
        other = Fido(ORIGIN, ES256)
        other.key.credentials = device.key.credentials
        refused("another key of the same id", other)
        device.go_to(STRANGER)
        refused("a page below the domain that is not listed", device)
        device.go_to(SHOP)
        answer = user.sign_in(device)
        self.expect("a page that is listed is taken", answer.status == 200, answer.content[:300])
        device.go_to(ORIGIN)
        request, newer = user.request(), user.request()
        answer = user.finish(newer, device.sign(request["public_key"]))
        self.expect("an answer to the challenge of another flow", answer.body.get("suberror") == "passkey_invalid", answer.content[:300])
        stranger = User(site)
        theirs = Fido(ORIGIN, ES256)
        self.register(stranger, theirs)
        request = user.request()
        answered = theirs.sign(request["public_key"])
        answered["response"]["userHandle"] = encoded(device.key.credentials[0][2]["id"])
        answer = user.finish(request, answered)
        self.expect("the handle of another user", answer.body.get("suberror") == "passkey_invalid", answer.content[:300])
        request = user.request()
        answered = device.sign(request["public_key"])
        del answered["response"]["userHandle"]
        answer = user.finish(request, answered)
        self.expect("no handle", answer.body.get("suberror") == "passkey_invalid", answer.content[:300])
        answer = user.sign_in(device)
        self.expect("after all that, the passkey works", answer.status == 200, answer.content[:300])
        # As they are, the bytes of soft-webauthn say that the user was not verified.
        lax = SoftWebauthn(ORIGIN, verifies=False)
        options = user.options()
        answer = user.confirm(options, lax.make(options["publicKey"]))
        self.expect("an authenticator that does not verify its user adds none", answer.status == 400, answer.content[:300])
        options = user.options(options["continuationToken"])
        lax.verifies = True
        answer = user.confirm(options, lax.make(options["publicKey"]))
        self.expect("after a refusal, new options are to be had", answer.status == 204, answer.content[:300])
        lax.verifies = False
        refused("an authenticator that does not verify its user", lax)
        for cose in (ES256, EdDSA, RS256):
            device = Fido(ORIGIN, cose, attests=False)
            self.register(User(site), device)
        made = self.register(User(site), Fido(ORIGIN, ES256))
        copier, options = Fido(ORIGIN, ES256, attests=False), user.options()
        answer = user.confirm(options, with_id(made, copier.make(options["publicKey"])))
        self.expect("the id of another user's passkey is refused", answer.status == 400, answer.content[:300])
        options = user.options(options["continuationToken"])
        other = with_id({"id": encoded(os.urandom(48))}, copier.make(options["publicKey"]))
        answer = user.confirm(options, other)
        self.expect("the same with an id that nobody has is taken", answer.status == 204, answer.content[:300])

    def refused(self, user, what, device, suberror="passkey_invalid"):
        answer = user.sign_in(device)
        right = answer.status == 400 and answer.body.get("error") == "invalid_grant" and answer.body.get("suberror") == suberror
        self.expect(f"{what} is refused", right, f"{answer.status} {answer.content[:300]}")

    # Verifiers of others, and our authenticator

    def ours(self, is_synchronised=False):
        return Ours(str(pathlib.Path(self.options.binary).parent / "PasskeyAnswers"), is_synchronised)

    def verifiers(self):
        """Both verifiers take what our authenticator makes, asked by the options of one of them; and no changed assertion."""
        maker = self.judges[0]
        for is_synchronised in (False, True):
            device = self.ours(is_synchronised)
            for number in range(25):
                options = maker.creation(os.urandom(32))
                made = device.make(options)
                request = maker.request(passkey(made).credential_id)
                answered = device.sign(request)
                for judge in self.judges:
                    what = f"{device.name} {number}, {judge.name}"
                    reason = judge.registration(made, challenge(options))
                    self.expect(f"{what}: the registration", reason is None, reason)
                    reason = judge.assertion(answered, challenge(request), passkey(made))
                    self.expect(f"{what}: the assertion", reason is None, reason)
                    reason = judge.assertion(answered, os.urandom(32), passkey(made))
                    self.expect(f"{what}: not for another challenge", reason is not None)
            self.expect(f"{device.name}: it ends cleanly", device.stop() == 0)

    # Answers with one changed byte

    def changes(self, device, kind, answer):
        """Which bytes are changed: the member, the place, and the mask. Half of the changes are of one bit."""
        chance = random.Random(f"{self.options.seed} {device.name} {kind}")
        places = [
            (member, place) for member in ("clientDataJSON", "authenticatorData", "signature", "attestationObject")
            if member in answer["response"] for place in range(len(decoded(answer["response"][member])))]
        return [
            (member, place, 1 << chance.randrange(8) if chance.random() < 0.5 else chance.randrange(1, 256))
            for member, place in chance.sample(places, min(self.options.places, len(places)))]

    def difference(self, site, device):
        """The server and both verifiers judge the changed answers of a device."""
        user = User(site)
        made = self.register(user, device)
        answer = user.sign_in(device)
        if answer.status != 200:
            raise Refused(f"{device.name} does not sign in: {answer.content[:300]}")
        # With two factors, passkeys are added without a code by mail.
        user.tokens = answer.body
        self.assertions(user, device, made)
        answer = user.sign_in(device)
        self.expect(f"{device.name}: after the changed assertions, the passkey works", answer.status == 200, answer.content[:300])
        self.registrations(user, device, made)
        names = [method["displayName"] for method in user.passkeys()]
        self.expect(f"{device.name}: after the changed registrations, the account has its passkey", names == ["A passkey"], names)

    def assertions(self, user, device, made):
        token = user.begin()
        work = self.changes(device, "assertion", device.sign(user.request()["public_key"]))
        if device.name == "fido2 ES256":
            work += [("authenticatorData", 32, mask) for mask in range(1, 256)]
        for member, place, mask in work:
            request = user.request(token)
            token = request["continuation_token"]
            whole = device.sign(request["public_key"])
            wrong = changed(whole, member, place, mask)
            what = f"{device.name}, assertion: {part(whole, member, place)}"
            is_taken = self.is_taken(what, user.finish(request, wrong))
            asked = challenge(request["public_key"])
            self.tally.add(what, is_taken, {judge.name: judge.assertion(wrong, asked, passkey(made)) for judge in self.judges})
            # All bytes of an assertion are signed: there is nothing in it that may be changed.
            if is_taken:
                self.expect(f"{what}, place {place}, mask {mask}: refused", False)
                token = user.begin()

    def registrations(self, user, device, made):
        token, work = None, self.changes(device, "registration", made)
        for place in range(len(decoded(made["response"]["attestationObject"]))):
            masks = UNSIGNED.get((device.name, part(made, "attestationObject", place)), ())
            work += [("attestationObject", place, mask) for mask in masks]
        for member, place, mask in work:
            options = user.options(token)
            token = options["continuationToken"]
            # The device has passkeys of this account: it is to make more.
            whole = device.make(options["publicKey"] | {"excludeCredentials": []})
            wrong = changed(whole, member, place, mask)
            what = f"{device.name}, registration: {part(whole, member, place)}"
            is_taken = self.is_taken(what, user.confirm(options, wrong, "changed"))
            asked = challenge(options["publicKey"])
            refusals = {judge.name: judge.registration(wrong, asked) for judge in self.judges}
            self.tally.add(what, is_taken, refusals, passkey(wrong).public_key.get(3) if is_taken else None)
            if is_taken:
                if user.remove("changed") != 1:
                    raise Refused(f"{what}: it was taken, and is not listed")
                token = None

    def differences(self, site):
        self.tally, ours = Tally(), self.ours()
        devices = [SoftWebauthn(ORIGIN), ours] + [
            Fido(ORIGIN, cose, attests=attests) for attests in (True, False) for cose in (ES256, EdDSA, RS256)]
        parallel(len(devices), lambda number: self.difference(site, devices[number]), THREADS)
        self.expect(f"{ours.name}: it ends cleanly", ours.stop() == 0)
        counts = self.tally.counts
        self.expect("changed answers were judged", counts["all"] > 12 * min(self.options.places, 100), counts)
        self.expect("the server takes nothing that a verifier refuses", not self.tally.worse, self.tally.worse[:5])
        self.expect("all refusals of a kind are told alike", len(self.refusals) == 2, self.refusals)
        self.note(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
        self.note("taken by all: " + ", ".join(f"{what}: {count}" for what, count in sorted(self.tally.taken.items())))
        for (what, takers), reasons in sorted(self.tally.disagreements.items()):
            self.note(f"{what}: {len(reasons)} taken by {takers} alone; {reasons[0][0] if reasons[0] else ''}")


def with_id(other, registration):
    """The registration, which nothing signs, with the id of another one of the same size."""
    registration = copy.deepcopy(registration)
    content = decoded(registration["response"]["attestationObject"])
    registration["response"]["attestationObject"] = encoded(content.replace(decoded(registration["id"]), decoded(other["id"])))
    registration["id"] = registration["rawId"] = other["id"]
    return registration


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-passkeys", description="Passkeys, with authenticators and verifiers of others.")
    parser.add_argument("--binary", default=str(ROOT / ".build/debug/native-auth"), help="the server")
    parser.add_argument("--only", help="one check by its name: verifiers, journeys, faults, differences")
    parser.add_argument("--seed", default="1", help="which bytes are changed, and how")
    parser.add_argument("--places", type=int, default=200, help="how many bytes of an answer are changed, of each device (default: 200)")
    parser.add_argument("--verbose", action="store_true", help="also what was measured, and all disagreements")
    options = parser.parse_args()
    check, begin = Check(options), time.monotonic()
    tenants = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"passkeys-{os.getpid()}.yaml"
    tenants.write_text(TENANTS)
    check.run("verifiers", check.verifiers)
    site = Site(options, arguments=["--config", str(tenants)])
    try:
        for name in ("journeys", "faults", "differences"):
            check.run(name, functools.partial(getattr(check, name), site))
        code = site.nodes[0].stop()
        check.expect("the server ends cleanly", code == 0, code)
    finally:
        site.stop()
        tenants.unlink()
    if not check.ran:
        sys.exit(f"scripts/check-passkeys: there is no check {options.only}")
    check.note(f"{time.monotonic() - begin:.0f} s")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())

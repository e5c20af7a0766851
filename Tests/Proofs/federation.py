"""Sign-in by providers of other organisations, over HTTP: see scripts/check-providers. One provider is ours, hostile and written from the
standards (Tests/Proofs/openid_provider.py), one is others' (oidc-provider-mock, on Authlib), and one is a second server of this kind."""

import argparse
import base64
import functools
import http.client
import json
import logging
import os
import pathlib
import sys
import tempfile
import time
import traceback
import warnings

import authlib.deprecate
from cryptography.hazmat.primitives.asymmetric import rsa

from federated_people import NATIVE, App, Browser, FixedSite, said
from federation_pages import OTHER_TENANT, PASSWORD, SECRET, TENANT, UPSTREAM_APP, PageChecks
from forged_tokens import by_secret, forgeries
from openid_provider import AUTHORIZE, DISCOVERY, KEYS, TOKEN, Clock, Key, Provider, answering, dripping, encoded, hanging_up, signed, slow
from shim import WallClock
from world import CODE_APP, PASSWORD_AND_ATTRIBUTES_APP, PASSWORD_APP, ROOT, Broken, Person, Refused, free_port, parallel, wait_until

# Authlib warns of its own parts, which oidc-provider-mock uses.
warnings.simplefilter("ignore", authlib.deprecate.AuthlibDeprecationWarning)
import oidc_provider_mock  # noqa: E402

STRICT_APP = "22223333-cccc-4444-dddd-5555eeee6666"
# A document may take 2 seconds (docs/operate/providers.md); a second is allowed for a busy machine.
LONGEST = 3


def contoso(providers):
    listed = "".join(
        f"      - {{kind: openID, id: {name}, displayName: {name.capitalize()}, issuer: '{issuer}', nativeClients: [app-of-{name}],\n"
        f"         web: {{clientId: {client}{f', secretFrom: {secret}' if secret else ''}}}{f', domains: [{domain}]' if domain else ''}}}\n"
        for name, issuer, client, secret, domain in providers)
    redirects = f'redirectUris: {{publicClient: ["{NATIVE}"]}}'
    return f"""tenants:
  - id: {TENANT}
    subdomain: contoso
    domain: contoso.onmicrosoft.com
    displayName: Contoso
    providers:
{listed}    applications:
      - {{clientId: {CODE_APP}, displayName: Codes, signIn: emailOneTimePasscode, {redirects}}}
      - {{clientId: {PASSWORD_APP}, displayName: Passwords, signIn: emailPassword, {redirects}}}
      - {{clientId: {PASSWORD_AND_ATTRIBUTES_APP}, displayName: Attributes, signIn: emailPassword, requiredAttributes: [country, city]}}
      - {{clientId: {STRICT_APP}, displayName: Strict, signIn: emailPassword, requiresSecondFactor: true}}
"""


def body_of(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class Check(PageChecks):
    def __init__(self, options):
        self.options, self.passed, self.failed, self.ran, self.count = options, 0, 0, set(), 0
        self.clock = Clock()
        self.main = Provider("main", self.clock, [Key("RS256"), Key("ES256"), Key("EdDSA")], secret=SECRET)
        # It speaks for no address, and its pages are a public client whose answers name no issuer.
        self.other = Provider("other", self.clock, names_issuer=False)
        self.weak = Provider("weak", self.clock, [Key("ES256")])
        self.faulty, self.attacker, self.down = (Provider(name, self.clock) for name in ("faulty", "attacker", "down"))
        self.down.stop()

    def expect(self, what, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}: {detail}", flush=True)
        return holds

    def run(self, name, work):
        """A check that must not end the others."""
        if self.options.only not in (None, name):
            return
        self.ran.add(name)
        begin = time.monotonic()
        try:
            work()
        except (Refused, Broken, OSError, ValueError, http.client.HTTPException, KeyError, TypeError) as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
            self.expect(name, False, f"lines {lines}: {error!r}")
        if self.options.verbose:
            print(f"  {name}, {time.monotonic() - begin:.1f} s", flush=True)

    def start(self, folder, mock):
        """Starts the server, which knows all providers; those of others are at `mock` and at a free port."""
        self.wall, self.upstream_port = WallClock(folder), free_port()
        own = [(provider.name, provider.issuer, provider.pages, provider.secret and "PROVIDER_PAGES",
            None if provider is self.other else "main.example")
               for provider in (self.main, self.other, self.weak, self.faulty, self.down)]
        self.site = FixedSite(self.options, free_port(), contoso(own + [
            ("mock", mock, "pages-of-mock", "PROVIDER_MOCK", None),
            ("upstream", f"http://127.0.0.1:{self.upstream_port}/{OTHER_TENANT}/v2.0", UPSTREAM_APP, "PROVIDER_UPSTREAM", None)]),
            self.wall.environment | dict.fromkeys(("PROVIDER_PAGES", "PROVIDER_MOCK", "PROVIDER_UPSTREAM"), SECRET))
        for provider in (self.main, self.other, self.weak, self.faulty):
            provider.callback = self.callback(provider.name)

    def callback(self, name):
        return f"{self.site.base}/{TENANT}/federation/{name}/callback"

    def jump(self, seconds):
        """Puts the clock of the server and its providers forward."""
        self.clock.skew += seconds
        self.wall.set(self.clock.skew)

    def newcomer(self, domain="main.example"):
        """A new person, for the tokens of a provider."""
        self.count += 1
        return {"sub": f"person-{self.count}", "email": f"person{self.count}@{domain}", "email_verified": True}

    def signed_in(self, what, answer):
        """The claims of the tokens; None and a fault when there are none."""
        if self.expect(what, answer.status == 200 and "access_token" in answer.body, f"{answer.status} {answer.content[:400]}"):
            return body_of(answer.body["access_token"])
        return None

    def refused(self, what, answer, suberror="id_token_invalid", code=50126):
        body = answer.body
        return self.expect(
            what, answer.status == 400 and body.get("error") == "invalid_grant" and body.get("suberror") == suberror
            and body.get("error_codes") == [code] and "access_token" not in body, f"{answer.status} {answer.content[:400]}")

    # Apps

    def native(self):
        for key in self.main.keys:
            app, person = App(self.site), self.newcomer()
            claims = self.signed_in(f"{key.algorithm}: a new user", app.sign_in(self.main, key, **person))
            again = self.signed_in(f"{key.algorithm}: the same user again",
                app.sign_in(self.main, key, **person | {"email": "else@main.example"}))
            self.expect(f"SEC-FED-7 {key.algorithm}: an address that changes there changes nothing here",
                claims and again and claims["oid"] == again["oid"], again)
            self.expect(f"{key.algorithm}: amr", claims and claims.get("amr") == ["fed"], claims)
        for name, changes in {
                "an end in the last minute": {"exp": self.clock.now() - 50}, "as old as it may be": {"iat": self.clock.now() - 590},
                "a clock that is ahead": {"iat": self.clock.now() + 50, "nbf": self.clock.now() + 50},
                "an audience in a list": {"aud": [self.main.app]},
                "two audiences, and the party is ours": {"aud": ["else", self.main.app], "azp": self.main.app},
                "true as a text": {"email_verified": "true"}}.items():
            self.signed_in(f"SEC-FED-2 {name} is taken", App(self.site).sign_in(self.main, **self.newcomer() | changes))
        token, nonce = App(self.site).asked(self.main)
        claims = self.main.claims(nonce, **self.newcomer())
        self.signed_in("a token that names no key",
            App(self.site).bring(token, signed({"alg": "ES256"}, claims, self.main.keys[1].private)))
        self.missing_attributes()
        self.named_mailbox()
        self.links()
        self.strict()

    def missing_attributes(self):
        app, person = App(self.site, PASSWORD_AND_ATTRIBUTES_APP), self.newcomer()
        users = self.site.count("users")
        body = app.sign_in(self.main, **person).body
        names = [attribute["name"] for attribute in body.get("required_attributes", [])]
        self.expect("missing attributes are asked for", body.get("error_codes") == [55106] and names == ["country", "city"], body)
        self.expect("without them there is no user", self.site.count("users") == users)
        given = json.dumps({"country": "Denmark", "city": "Aarhus"})
        body = app.step("signup/v1.0/continue", continuation_token=body["continuation_token"], grant_type="attributes", attributes=given)
        self.signed_in("with them there is one",
            app.redeem(body["continuation_token"], grant_type="continuation_token", username=person["email"]))
        self.signed_in("and it signs in", app.sign_in(self.main, **person))

    def named_mailbox(self):
        """The provider does not speak for the address: a code of the server proves it."""
        app, person = App(self.site), self.newcomer("else.example")
        for what, provider, changes in (
                ("a provider without domains", self.other, {}), ("an address of another domain", self.main, {}),
                ("a domain below", self.main, {"email": "a@sub.main.example"}),
                ("a domain that ends so", self.main, {"email": "a@xmain.example"}),
                ("a longer domain", self.main, {"email": "a@main.example.evil.example"}),
                ("two addresses", self.main, {"email": "a@evil.example,b@main.example"}),
                ("an address that is not verified", self.main, {"email": "a@main.example", "email_verified": False}),
                ("false as a text", self.main, {"email": "a@main.example", "email_verified": "false"}),
                ("nothing about verification", self.main, {"email": "a@main.example", "email_verified": None}),
                ("no address", self.main, {"email": None})):
            body = app.sign_in(provider, **person | {"sub": f"{what}".replace(" ", "-")} | changes).body
            unverified = [attribute["name"] for attribute in body.get("unverified_attributes", [])]
            self.expect(f"SEC-FED-8 {what}: a mailbox is to be proven",
                body.get("error") == "verification_required" and unverified == ["email"], body)
        body = app.sign_in(self.other, **person).body
        send = functools.partial(app.step, "signup/v1.0/challenge", continuation_token=body["continuation_token"],
            challenge_type="oob redirect")
        body, code = self.site.mailed("named@else.example", lambda: send(challenge_target="named@else.example"))
        wrong = app.post("signup/v1.0/continue", continuation_token=body["continuation_token"], grant_type="oob", oob="00000000")
        self.expect("a wrong code proves nothing", wrong.body.get("suberror") == "invalid_oob_value", wrong.content[:300])
        body = app.step("signup/v1.0/continue", continuation_token=body["continuation_token"], grant_type="oob", oob=code)
        claims = self.signed_in("a mailbox that the user named and proved", app.redeem(body["continuation_token"]))
        again = self.signed_in("the same user again", app.sign_in(self.other, **person))
        self.expect("is the same", claims and again and claims["oid"] == again["oid"])
        same = self.signed_in("the same sub at another provider", app.sign_in(self.main, **self.newcomer() | {"sub": person["sub"]}))
        self.expect("SEC-FED-7 is another user", claims and same and claims["oid"] != same["oid"])

    def links(self):
        """The address is that of an account, which is proven first."""
        for client, password in ((PASSWORD_APP, PASSWORD), (CODE_APP, None)):
            app, person, stranger = App(self.site, client), self.newcomer(), self.newcomer()
            address, what = person["email"], "by password" if password else "by code"
            Person(self.site, client).sign_up(address, password)
            mails = self.site.mailbox.seen(address)
            users = self.site.count("users")
            # A token that proves nothing is told nothing, and neither is a provider that does not speak for the address.
            told = [said(app.sign_in(self.main, **one, aud="else")) for one in (person, self.newcomer())]
            self.expect(f"SEC-FED-18 {what}: a forged token learns nothing",
                told[0] == told[1] and told[0]["suberror"] == "id_token_invalid", told)
            body = app.sign_in(self.other, **person).body
            self.expect(f"SEC-FED-18 {what}: nor does a provider that speaks for no address", body.get("error") == "verification_required",
                body)
            body = app.bring(*self.own(app, **stranger | {"email": None}), username=address, email=address,
                provider_user=json.dumps({"email": address})).body
            self.expect(f"SEC-FED-11 {what}: an address beside the token is not read", body.get("error") == "verification_required", body)
            answer = app.sign_in(self.main, **person)
            if not self.refused(f"{what}: a link is needed", answer, "link_required", 1003037):
                continue
            body = answer.body
            self.expect(f"SEC-FED-9 {what}: nothing is linked yet",
                app.sign_in(self.main, **person).body.get("suberror") == "link_required")
            begin = functools.partial(
                app.step, "oauth2/v2.0/challenge", continuation_token=body["continuation_token"], challenge_type="oob password redirect")
            if password:
                body = begin()
                self.expect("its password is asked for", body.get("challenge_type") == "password", body)
                wrong = app.redeem(body["continuation_token"], grant_type="password", password="Wrong-Harbour-42")
                self.expect("a wrong one links nothing",
                    wrong.body.get("error_codes") == [50126] and app.sign_in(self.main, **person).body.get("suberror") == "link_required")
                # A second identity with the same address, in another flow meanwhile.
                app.sign_in(self.main, **person | {"sub": "second-" + person["sub"]})
                answer = app.redeem(body["continuation_token"], grant_type="password", password=password)
            else:
                body, code = self.site.mailed(address, begin)
                answer = app.redeem(body["continuation_token"], grant_type="oob", oob=code)
            linked = self.signed_in(f"{what}: the account is proven", answer)
            again = self.signed_in(f"{what}: the identity signs in", app.sign_in(self.main, **person))
            self.expect(f"{what}: the same account", linked and again and linked["oid"] == again["oid"])
            self.expect(f"{what}: no account was made", self.site.count("users") == users)
            self.expect(f"{what}: its owner is told",
                wait_until(lambda: any("Main" in mail.text for mail in self.site.mailbox.mails[address][mails:]), 5))
            second = app.sign_in(self.main, **person | {"sub": "second-" + person["sub"]}).body
            self.expect(f"SEC-FED-9 {what}: the proof was for that identity alone", second.get("suberror") == "link_required", second)
            if password:
                self.person = person

    def own(self, app, **changes):
        """A fresh flow, with a right token of the first provider."""
        token, nonce = app.asked(self.main)
        return token, self.main.token(nonce, **changes)

    def strict(self):
        answer = App(self.site, STRICT_APP).sign_in(self.main, **self.person)
        self.expect("SEC-FED-17 a second factor is demanded after an identity",
            answer.body.get("suberror") in ("registration_required", "mfa_required"), answer.content[:300])

    # Forged tokens

    def forged(self):
        app, users, made = App(self.site), self.site.count("users"), functools.partial(forgeries, self.main, self.other, self.attacker,
            self.newcomer())
        token, answers = app.begin(self.main), set()
        names = list(made("A" * 43))
        self.expect("there are 60 forgeries and more", len(names) >= 60, len(names))
        for name in names:
            token, nonce = app.nonce(token)
            reason, forge = made(nonce)[name]
            answer = app.bring(token, forge())
            if not self.refused(f"SEC-FED-1, -2, -4 forged: {name}", answer):
                token = app.begin(self.main)
            answers.add(json.dumps(said(answer), sort_keys=True))
            found = self.site.store.rows("SELECT detail FROM audit WHERE kind = 'signin.failed' ORDER BY seq DESC LIMIT 1")
            self.expect(f"forged: {name}: why it is refused", found == [(f"identity, {reason}",)], found)
        self.expect("all forgeries are answered alike", len(answers) == 1, answers)
        self.expect("a forgery makes no user", self.site.count("users") == users)
        answer = app.bring(app.nonce(token)[0], "a" * 16_385)
        self.expect("a token of more than 16 KiB is none", answer.status == 400 and answer.body.get("error") == "invalid_request",
            answer.content[:300])
        token, nonce = app.nonce(token)
        right = signed({"alg": "RS256", "kid": self.main.keys[0].kid}, self.main.claims(nonce, **self.newcomer()),
            self.main.keys[0].private)
        self.signed_in("after all that, a right token is taken", app.bring(token, right))
        small, enc, text = rsa.generate_private_key(65537, 1024), Key("RS256", "enc", use="enc"), Key("RS256", "text", alg="RS512")
        secret = os.urandom(32)
        weak = [Key("RS256", "small", small), enc, text]
        self.weak.more_keys = [None, 7, {}, {"kty": "new"},
            {"kty": "oct", "kid": "oct", "k": encoded(secret), "alg": "HS256", "use": "sig"}] + [key.published() for key in weak]
        token, nonce = app.asked(self.weak)
        for key in weak:
            self.refused(f"a key of its set that is not to be used: {key.kid}",
                app.bring(token, self.weak.token(nonce, key, **self.newcomer())))
            token, nonce = app.nonce(token)
        forged = by_secret({"alg": "HS256", "kid": "oct"}, self.weak.claims(nonce, **self.newcomer()), secret)
        self.refused("a secret in its set", app.bring(token, forged))
        self.signed_in("the right key beside these is taken", app.sign_in(self.weak, **self.newcomer()))
        self.expect("SEC-FED-1 the attacker's server is never called", not self.attacker.asked, self.attacker.asked)

    # A token twice

    def replays(self):
        app, person = App(self.site), self.newcomer()
        token, nonce = app.asked(self.main)
        right = self.main.token(nonce, **person)
        self.signed_in("the first time", app.bring(token, right))
        self.refused("SEC-FED-3 the same token in another flow", app.bring(app.asked(self.main)[0], right))
        self.refused("SEC-FED-3 the same token at another application",
            App(self.site, PASSWORD_APP).bring(App(self.site, PASSWORD_APP).asked(self.main)[0], right))
        answer = app.bring(token, self.main.token(nonce, **self.newcomer()))
        self.expect("SEC-FED-3 the nonce once more", answer.status == 400, answer.content[:300])
        first, nonce = app.asked(self.main)
        self.refused("SEC-FED-3 the nonce of another flow", app.bring(app.asked(self.main)[0], self.main.token(nonce, **person)))
        second, newer = app.nonce(first)
        self.refused("SEC-FED-3 a nonce that another one replaced", app.bring(second, self.main.token(nonce, **person)))
        answer = app.bring(second, self.main.token(newer, **person))
        self.expect("SEC-FED-3 a nonce has one attempt", answer.status == 400, answer.content[:300])
        answer = app.bring(app.begin(self.main), self.main.token(newer, **person))
        self.expect("SEC-FED-3 a token before any nonce", answer.status == 400, answer.content[:300])
        token, nonce = app.asked(self.main)
        answer = App(self.site, PASSWORD_APP).bring(token, self.main.token(nonce, **person))
        self.expect("SEC-FED-3 a flow of another application", answer.status == 400, answer.content[:300])
        token, nonce = app.asked(self.other)
        self.refused("SEC-FED-1 the provider is that of the flow", app.bring(token, self.main.token(nonce, **person), provider="main"))
        # Copies at one moment: of one request, of one flow with different scopes, and of different flows.
        right, scopes = None, ["openid offline_access", "offline_access openid", "openid", "openid profile offline_access"]
        for what in ("of one request", "of one flow", "in flows of their own"):
            person = self.newcomer()
            self.signed_in("a user", app.sign_in(self.main, **person))
            token, nonce = app.asked(self.main)
            right, before = self.main.token(nonce, **person), self.site.count("refresh_families")
            tokens = [token] + [app.asked(self.main)[0] for _ in range(19)] if what.startswith("in") else [token] * 20
            answers = parallel(20, lambda n: app.bring(tokens[n], right, scopes[n % 4] if what == "of one flow" else scopes[0]), 20)
            good = {answer.body["access_token"] for answer in answers if answer.status == 200}
            self.expect(f"SEC-FED-3 20 copies {what}: one sign-in", len(good) == 1, f"{len(good)}, {[answer.status for answer in answers]}")
            families = self.site.count("refresh_families") - before
            self.expect(f"SEC-FED-3 20 copies {what}: one session", families <= 1, families)
            self.expect(f"20 copies {what}: no fault of the server", all(answer.status in (200, 400) for answer in answers),
                [answer.status for answer in answers])
        # A new user, whose account must be one.
        person, users = self.newcomer(), self.site.count("users")
        flows = [app.asked(self.main) for _ in range(20)]
        answers = parallel(20, lambda n: app.bring(flows[n][0], self.main.token(flows[n][1], **person)), 20)
        self.expect("SEC-FED-7 20 first sign-ins of one person: one account", self.site.count("users") == users + 1,
            self.site.count("users") - users)
        self.expect("and no fault of the server", all(answer.status in (200, 400) for answer in answers),
            [answer.content[:200] for answer in answers if answer.status >= 500])

    # Faults of providers, and time

    def faults(self):
        app, faulty, away = App(self.site), self.faulty, self.attacker.issuer
        token, nonce = app.asked(faulty)
        right = faulty.token(nonce, **self.newcomer())
        huge = json.dumps(faulty.document() | {"padding": "x" * 70_000}).encode()
        documents = {
            "500": answering(500, {}), "404": answering(404, {}), "garbage": answering(200, os.urandom(300)),
            "half a JSON": answering(200, b'{"issuer":'),
            "HTML": answering(200, b"<html></html>", {"Content-Type": "text/html"}), "nothing": answering(200, b""),
            "a list": answering(200, []), "deep lists": answering(200, b'{"keys":' + b"[" * 60_000), "more than 64 KiB": answering(200, huge),
            "the end of the connection": hanging_up, "a redirect": answering(302, b"", {"Location": away + DISCOVERY}),
            "a permanent redirect": answering(308, b"", {"Location": away + KEYS}),
            "slow": slow(5), "byte by byte": dripping(5)}
        faults = {f"{what} in place of the {name}": ({path: fault}, {}) for name,
        path in (("discovery document", DISCOVERY), ("keys", KEYS)) for what, fault in documents.items()
                  if (what, path) not in (("byte by byte", DISCOVERY), ("a list", KEYS))}
        faults |= {f"a discovery document with {what}": ({}, changes) for what, changes in {
            "another issuer": {"issuer": away}, "a slash behind its issuer": {"issuer": faulty.issuer + "/"}, "no issuer": {"issuer": None},
            "no keys": {"jwks_uri": None},
            "a file as the keys": {"jwks_uri": "file:///etc/hostname"}, "keys by FTP": {"jwks_uri": "ftp://127.0.0.1/"},
            "a number as the keys": {"jwks_uri": 1}}.items()}
        for what, (faulty.faults, faulty.discovery) in faults.items():
            self.jump(11)
            before = faulty.asked[DISCOVERY]
            answer = app.bring(token, right)
            self.refused(f"SEC-FED-12 {what}", answer, "provider_unavailable", 90033)
            self.expect(f"SEC-FED-12 {what}: the answer is quick", answer.seconds < LONGEST, f"{answer.seconds:.1f} s")
            self.expect(f"SEC-FED-12 {what}: it was asked once", faulty.asked[DISCOVERY] == before + 1, faulty.asked)

        def logged():
            return [line for line in self.site.nodes[0].log.read_text(errors="replace").splitlines() if "the documents of a provider" in line]

        # The server writes its log beside the answers.
        wait_until(lambda: len(logged()) >= len(faults), 5)
        lines = logged()
        self.expect("SEC-FED-12 the log has a line for each look that failed", len(lines) == len(faults), len(lines))
        for reason in ("cannot be fetched", "not the members", "another issuer", "does not begin with https", "keys cannot be read"):
            self.expect(f"SEC-FED-12 the log says: {reason}", any(reason in line for line in lines), lines[-1:])
        self.expect("SEC-FED-12 the log names the provider", all(self.faulty.name in line for line in lines), lines[:1])
        self.expect("SEC-FED-12 no redirect is followed", not self.attacker.asked, self.attacker.asked)
        self.refused("SEC-FED-12 a provider that is down", app.sign_in(self.down, **self.newcomer()), "provider_unavailable", 90033)
        browser = Browser(self.site)
        browser.leave("down")
        self.stays("SEC-FED-12 the pages say it, too", browser)
        person = self.newcomer()
        Person(self.site, PASSWORD_APP).sign_up(person["email"], PASSWORD)
        browser.submit(username=person["email"])
        self.came("SEC-FED-12 the password works on that page", browser.submit(password=PASSWORD))
        faulty.faults, faulty.discovery, before = {}, {}, faulty.asked[DISCOVERY]
        answer = app.bring(token, right)
        self.refused("a provider is not asked at once again", answer, "provider_unavailable", 90033)
        self.expect("so it is not", faulty.asked[DISCOVERY] == before and answer.seconds < 1, (faulty.asked, answer.seconds))
        self.jump(11)
        self.signed_in("SEC-FED-12 nothing was spent: the same request succeeds", app.bring(token, right))
        # Documents of a day ago: all requests that wait have one look, and old documents are used while it is down.
        self.jump(86_401)
        faulty.faults[DISCOVERY] = lambda handler: time.sleep(0.5) or answering(200, faulty.document())(handler)
        before, people = faulty.asked.copy(), [self.newcomer() for _ in range(10)]
        answers = parallel(10, lambda n: app.sign_in(faulty, **people[n]).status, 10)
        looks = [faulty.asked[path] - before[path] for path in (DISCOVERY, KEYS)]
        self.expect("SEC-FED-12 ten requests have one look", answers == [200] * 10 and looks == [1, 1], (answers, looks))
        # A set without the key is an answer: the token proves nothing.
        self.jump(301)
        faulty.keys = [Key("ES256")]
        self.refused("SEC-FED-12 a set of keys without the right one", app.sign_in(faulty, Key("RS256"), **people[0]))
        self.jump(301)
        faulty.keys, right = [], Key("ES256")
        self.refused("SEC-FED-12 an empty set of keys", app.sign_in(faulty, right, **people[0]))
        self.jump(301)
        faulty.keys = [right]
        self.signed_in("SEC-FED-12 the right one five minutes later", app.sign_in(faulty, **people[0]))
        faulty.faults = {DISCOVERY: hanging_up}
        self.jump(6 * 86_400)
        self.signed_in("SEC-FED-12 documents of six days ago are used while it is down", app.sign_in(faulty, **self.newcomer()))
        self.jump(2 * 86_400)
        self.refused("SEC-FED-12 those of eight days ago are not", app.sign_in(faulty, **self.newcomer()), "provider_unavailable", 90033)

    def rotation(self):
        app, main, person = App(self.site), self.main, self.newcomer()
        self.signed_in("before the keys change", app.sign_in(main, **person))
        token, nonce = app.asked(main)
        self.jump(301)
        old, before = main.keys, main.asked[KEYS]
        main.keys = [Key("RS256"), Key("ES256")]
        self.signed_in("SEC-FED-12 keys that change in the middle of a flow", app.bring(token, main.token(nonce, **person)))
        self.expect("SEC-FED-12 cost one look", main.asked[KEYS] == before + 1, main.asked[KEYS] - before)
        self.refused("SEC-FED-12 the old key is worth nothing", app.sign_in(main, old[0], **person))
        main.keys = [Key("ES256")]
        self.refused("a key that changes at once again is not looked for", app.sign_in(main, **person))
        self.expect("so it is not", main.asked[KEYS] == before + 1, main.asked[KEYS] - before)
        self.jump(301)
        self.signed_in("five minutes later it is", app.sign_in(main, **person))
        self.jump(301)
        before, rounds = main.asked.copy(), self.options.kids // 8

        def unknown(number):
            token, statuses = app.begin(main), set()
            for round in range(rounds):
                token, nonce = app.nonce(token)
                header = {"alg": "ES256", "kid": f"kid-{number}-{round}"}
                statuses.add(app.bring(token, signed(header, main.claims(nonce, **person), main.keys[0].private)).body.get("suberror"))
            return statuses

        told = set().union(*parallel(8, unknown, 8))
        looks = [main.asked[path] - before[path] for path in (DISCOVERY, KEYS)]
        self.expect(f"SEC-FED-12 {8 * rounds} unknown keys have one look", looks == [1, 1] and told == {"id_token_invalid"}, (looks, told))
        self.signed_in("SEC-FED-12 and then a right one is taken", app.sign_in(main, **person))
        token, nonce = app.asked(main)
        main.person, browser = person, Browser(self.site)
        back = browser.visit(main)
        self.jump(601)
        self.refused("SEC-FED-3 a nonce of ten minutes ago", app.bring(token, main.token(nonce, **person)))
        self.stays("SEC-FED-5 an answer after ten minutes", browser.go(back))

    def end(self):
        providers = (self.main, self.other, self.weak, self.faulty)
        violations = [violation for provider in providers for violation in provider.violations]
        self.expect("all requests to providers are as the standards want them", not violations, violations[:5])
        asked = set().union(*(provider.asked for provider in providers))
        self.expect("providers are asked for nothing else", asked <= {DISCOVERY, KEYS, AUTHORIZE, TOKEN}, asked)
        self.expect("SEC-FED-1 the attacker's server was never called", not self.attacker.asked, self.attacker.asked)
        code = self.site.nodes[0].stop()
        self.expect("the server ends cleanly", code == 0, code)


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-providers", description="Sign-in by providers that independent code plays.")
    parser.add_argument("--binary", default=str(ROOT / ".build/debug/native-auth"), help="the server")
    parser.add_argument("--only", help="one check by its name: " + ", ".join(CHECKS))
    parser.add_argument("--kids", type=int, default=1000, help="how many tokens with unknown keys are brought (default: 1000)")
    parser.add_argument("--verbose", action="store_true", help="also how long each check took")
    options = parser.parse_args()
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    check = Check(options)
    with tempfile.TemporaryDirectory(prefix="providers-") as folder, oidc_provider_mock.run_server_in_thread() as mock:
        check.start(pathlib.Path(folder), f"http://localhost:{mock.server_port}")
        try:
            for name in CHECKS:
                check.run(name, getattr(check, name))
            check.end()
        finally:
            check.site.stop()
    if not check.ran:
        sys.exit(f"scripts/check-providers: there is no check {options.only}")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


# The last ones put the clock forward.
CHECKS = ("native", "forged", "replays", "pages", "wrong_ways", "mock", "upstream", "faults", "endpoints", "rotation")

if __name__ == "__main__":
    sys.exit(main())

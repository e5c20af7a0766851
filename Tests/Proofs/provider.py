"""The modules of the provider certification, in our own words (OIDC-30): what each module of the profiles Config OP, Basic OP,
Form Post OP, RP-Initiated OP, Back-Channel OP and Front-Channel OP asks, asked of a fresh server over TLS, with two confidential
applications and a browser without script. The list of the modules is `MODULES`; `--write` makes the table of the documentation,
`--nodes` asks two nodes."""

import argparse
import base64
import concurrent.futures
import html
import http.server
import json
import pathlib
import re
import secrets
import shutil
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

from authlib.jose import JsonWebKey, jwt

from relying_parties import PASSWORD, TENANT, Browser, Rig, digest, free_port

CLIENTS = [
    ("5b0a6c1e-3f7d-4c29-9a84-d2e61f80b7a1", "one.example.com", "a-secret-of-the-first-application-of-this-check"),
    ("c49d2f73-81e5-4a06-b3dc-07f95e6a12d8", "two.example.com", "a-secret-of-the-second-application-of-this-check"),
]
MODES = ["query", "form_post", "fragment"]
# For a silent request (OpenID Connect Core 1.0, section 3.1.2.6).
SILENT = {"login_required", "interaction_required", "account_selection_required", "consent_required"}
MODULES = {}


def module(name, profile="Basic"):
    def add(body):
        MODULES[name] = (profile, body)
        return body

    return add


class Skipped(Exception):
    """The server does not offer what the module is about, and says so in discovery."""


class Visitor(Browser):
    """A browser that stops where an answer leaves for an application."""

    came = None

    def get(self, address):
        self.go("GET", address)

    def post(self, address, fields, origin=None):
        self.go("POST", address, fields, origin or self.rig.url)

    def go(self, method, address, fields=None, origin=None):
        parts = urllib.parse.urlsplit(address)
        if parts.hostname != "localhost":
            query, fragment = dict(urllib.parse.parse_qsl(parts.query)), dict(urllib.parse.parse_qsl(parts.fragment))
            self.came = Came(parts._replace(query="", fragment="").geturl(), query, fragment, dict(fields or {}))
            return
        self.answer = self.session.request(
            method, address, data=fields, headers={"Origin": origin} if origin else {}, allow_redirects=False)
        if self.answer.is_redirect:
            self.go("GET", urllib.parse.urljoin(address, self.answer.headers["Location"]))
        else:
            self.move_on()


class Came:
    """What came to an application, and how."""

    def __init__(self, address, query, fragment, form):
        self.address, self.query, self.fragment, self.form = address, query, fragment, form

    def __repr__(self):
        return f"{self.address} query {self.query} fragment {self.fragment} form {self.form}"


class Run:
    """One module, with its own user."""

    def __init__(self, rig, name, mode):
        self.rig, self.name, self.mode, self.warnings = rig, name, mode, []
        self.conf, self.known = rig.conf, False
        self.email = f"user-of-module-{list(MODULES).index(name)}-{mode}@example.com"

    def warn(self, text):
        self.warnings.append(text)

    def check(self, holds, text):
        assert holds, text

    # The front channel

    def asked(self, client=0, **changes):
        """The parameters of a request; None removes one."""
        fields = {
            "client_id": CLIENTS[client][0], "redirect_uri": callback(client), "response_type": "code", "scope": "openid",
            "state": secrets.token_urlsafe(12), "nonce": secrets.token_urlsafe(12),
            "response_mode": None if self.mode == "query" else self.mode}
        return {name: value for name, value in (fields | changes).items() if value is not None}

    def open(self, fields, visitor=None):
        visitor = visitor or Visitor(self.rig)
        visitor.came = None
        visitor.get(f"{self.conf['authorization_endpoint']}?{urllib.parse.urlencode(fields)}")
        return visitor

    def prove(self, visitor):
        """Does what the page asks for: this module's user signs up the first time, and in after that."""
        assert visitor.came is None, f"no page, but {visitor.came}"
        if not self.known:
            self.known = True
            visitor.sign_up(self.email)
        elif 'name="username"' in visitor.text:
            visitor.sign_in(self.email)
        else:
            visitor.submit(password=PASSWORD)

    def answer(self, visitor, fields):
        """The answer that came: in the place that was asked for, with `state` and `iss`."""
        came = visitor.came
        assert came, f"nothing came to the application, but “{visitor.title}”"
        assert came.address == fields["redirect_uri"].split("?")[0], came.address
        places = {"query": came.query, "fragment": came.fragment, "form_post": came.form}
        answer = places[self.mode]
        kept = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(fields["redirect_uri"]).query))
        for name, value in kept.items():
            assert came.query.get(name) == value, f"the query lost {name}"
        for mode, other in places.items():
            assert mode == self.mode or not set(other) - set(kept), f"the answer is also in the {mode}"
        assert answer.get("state") == fields.get("state"), "state"
        assert answer.get("iss") == self.conf["issuer"], "iss"
        return answer

    def code(self, visitor, fields):
        answer = self.answer(visitor, fields)
        assert "error" not in answer, str(answer)
        code = answer["code"]
        assert len(code) >= 22 and re.fullmatch(r"[\x20-\x7e]+", code), "the code is short, or has other characters"
        return code

    # The back channel

    def redeem(self, code, fields, client=0, by="basic", **more):
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": fields["redirect_uri"]} | more
        return self.token(form, client, by)

    def token(self, form, client=0, by="basic"):
        name, _, secret = CLIENTS[client]
        if by == "post":
            return self.rig.post(self.conf["token_endpoint"], data=form | {"client_id": name, "client_secret": secret})
        return self.rig.post(self.conf["token_endpoint"], data=form, auth=(name, secret))

    def tokens(self, code, fields, client=0, by="basic", **more):
        answer = self.redeem(code, fields, client, by, **more)
        assert answer.status_code == 200, answer.text
        assert "no-store" in answer.headers["Cache-Control"], "an answer with tokens may be stored"
        tokens = answer.json()
        assert tokens["token_type"] == "Bearer", tokens["token_type"]
        if "expires_in" not in tokens:
            self.warn("no expires_in")
        tokens["claims"] = self.claims(tokens["id_token"], fields, client)
        return tokens

    def claims(self, id_token, fields, client=0):
        header = json.loads(decoded(id_token.split(".")[0]))
        keys = self.rig.get(self.conf["jwks_uri"]).json()
        assert header["alg"] == "RS256" and any(key["kid"] == header["kid"] for key in keys["keys"]), header
        claims = jwt.decode(
            id_token, JsonWebKey.import_key_set(keys),
            claims_options={
                "iss": {"essential": True, "value": self.conf["issuer"]},
                "aud": {"essential": True, "value": CLIENTS[client][0]},
                "exp": {"essential": True}, "iat": {"essential": True}, "sub": {"essential": True}})
        claims.validate()
        assert claims.get("nonce") == fields.get("nonce"), "nonce"
        assert abs(claims["iat"] - time.time()) < 300, "iat"
        return claims

    def userinfo(self, tokens, method="GET"):
        answer = self.rig.session.request(
            method, self.conf["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"})
        assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
        assert answer.json()["sub"] == tokens["claims"]["sub"], "userinfo is about another user"
        return answer.json()

    def flow(self, client=0, visitor=None, by="basic", page=True, **changes):
        """A whole sign-in.

        page: whether the user has to prove something."""
        fields = self.asked(client, **changes)
        visitor = self.open(fields, visitor)
        if page:
            self.prove(visitor)
        tokens = self.tokens(self.code(visitor, fields), fields, client, by)
        return visitor, tokens

    def is_page(self, visitor, text):
        assert visitor.came is None, f"{text}: {visitor.came}"
        assert visitor.answer.headers["Content-Type"].startswith("text/html"), text

    def sign_out(self, visitor, **fields):
        visitor.came = None
        visitor.get(f"{self.conf['end_session_endpoint']}?{urllib.parse.urlencode(fields)}")

    def is_signed_out(self, visitor):
        fields = self.asked(prompt="none")
        self.open(fields, visitor)
        error = self.answer(visitor, fields).get("error")
        assert error in SILENT, f"the user is signed in after the sign-out: {error}"


def callback(client, path="/callback"):
    return f"https://{CLIENTS[client][1]}{path}"


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Config OP


@module("discovery-endpoint-verification", "Config")
def _(run):
    answer = run.rig.get(f"{run.rig.url}/{TENANT}/v2.0/.well-known/openid-configuration")
    run.check(answer.headers["Content-Type"].startswith("application/json"), "type")
    conf = answer.json()
    run.check(conf["issuer"] == f"{run.rig.url}/{TENANT}/v2.0", "issuer")
    for name, value in conf.items():
        if name.endswith("_endpoint") or name == "jwks_uri":
            run.check(value.startswith("https://"), name)
        run.check(value != [], f"{name} is empty")
    for name, word in [
        ("response_types_supported", "code"), ("id_token_signing_alg_values_supported", "RS256"), ("scopes_supported", "openid"),
        ("code_challenge_methods_supported", "S256"), ("token_endpoint_auth_methods_supported", "client_secret_basic"),
        ("token_endpoint_auth_methods_supported", "client_secret_post"),
    ]:
        run.check(word in conf[name], name)
    run.check(set(conf["subject_types_supported"]) <= {"public", "pairwise"}, "subject types")
    keys = run.rig.get(conf["jwks_uri"]).json()["keys"]
    run.check(len({key["kid"] for key in keys}) == len(keys) > 0, "the same kid twice")
    run.check(not any({"d", "p", "q", "k"} & set(key) for key in keys), "a private key")


# Basic OP, Form Post OP


@module("server")
def _(run):
    for client in [0, 1]:
        _, tokens = run.flow(client)
        run.userinfo(tokens)
        if "name" in tokens["claims"]:
            run.warn("the ID token has `name`, which was not asked for")


@module("response-type-missing")
def _(run):
    fields = run.asked(response_type=None)
    error = run.answer(run.open(fields), fields)["error"]
    run.check(error in ["unsupported_response_type", "invalid_request"], error)


@module("idtoken-signature")
def _(run):
    # `claims` checks the algorithm and the key's name.
    run.flow()


@module("idtoken-unsigned")
def _(run):
    run.check("none" not in run.conf["id_token_signing_alg_values_supported"], "`none` is offered")
    raise Skipped("`none` is not offered")


@module("userinfo-get")
def _(run):
    run.userinfo(run.flow()[1])


@module("userinfo-post-header")
def _(run):
    run.userinfo(run.flow()[1], "POST")


@module("userinfo-post-body")
def _(run):
    _, tokens = run.flow()
    answer = run.rig.post(run.conf["userinfo_endpoint"], data={"access_token": tokens["access_token"]})
    if answer.status_code != 200:
        run.check(answer.status_code in [400, 401], str(answer.status_code))
        run.warn("a token in the body is refused (optional, RFC 6750 section 2.2)")


@module("ensure-request-without-nonce-succeeds-for-code-flow")
def _(run):
    run.flow(nonce=None)


def scope_module(scope, claims):
    @module(f"scope-{scope if scope != 'profile email address phone' else 'all'}")
    def _(run):
        words = [word for word in scope.split() if word in run.conf["scopes_supported"]]
        if not words:
            raise Skipped("the scope is not in discovery")
        _, tokens = run.flow(scope=" ".join(["openid"] + words))
        info = run.userinfo(tokens)
        for claim in claims:
            if claim not in info:
                run.warn(f"userinfo lacks {claim}")


scope_module("profile", ["name", "preferred_username"])
scope_module("email", ["email"])
scope_module("address", ["address"])
scope_module("phone", ["phone_number"])
scope_module("profile email address phone", ["email"])


@module("alternate-happy-flow")
def _(run):
    fields = dict(reversed(run.asked(scope="email profile openid").items()))
    visitor = run.open(fields)
    run.prove(visitor)
    run.tokens(run.code(visitor, fields), fields)


@module("display-page")
def _(run):
    run.flow(display="page")


@module("display-popup")
def _(run):
    run.flow(display="popup")


@module("prompt-login")
def _(run):
    visitor, first = run.flow(max_age="10000")
    time.sleep(1.1)
    _, second = run.flow(visitor=visitor, prompt="login", max_age="10000")
    run.check(second["claims"]["auth_time"] > first["claims"]["auth_time"], "auth_time is not later")
    run.check(second["claims"]["sub"] == first["claims"]["sub"], "sub")


@module("prompt-none-not-logged-in")
def _(run):
    fields = run.asked(prompt="none")
    error = run.answer(run.open(fields), fields)["error"]
    run.check(error in SILENT, error)


@module("prompt-none-logged-in")
def _(run):
    visitor, first = run.flow()
    _, second = run.flow(visitor=visitor, page=False, prompt="none")
    for claim in ["sub", "auth_time"]:
        run.check(second["claims"].get(claim) == first["claims"].get(claim), claim)


@module("max-age-1")
def _(run):
    visitor, first = run.flow()
    time.sleep(2.1)
    _, second = run.flow(visitor=visitor, max_age="1")
    run.check(time.time() - second["claims"]["auth_time"] < 10, "auth_time is old")
    run.check(second["claims"]["auth_time"] > first["claims"].get("auth_time", 0), "auth_time is not later")


@module("max-age-10000")
def _(run):
    visitor, first = run.flow()
    _, second = run.flow(visitor=visitor, page=False, max_age="10000")
    for claim in ["sub", "auth_time"]:
        run.check(second["claims"][claim] == first["claims"].get(claim, second["claims"][claim]), claim)


@module("ensure-request-with-unknown-parameter-succeeds")
def _(run):
    run.flow(extra="foobar")


@module("id-token-hint")
def _(run):
    visitor, first = run.flow()
    _, second = run.flow(visitor=visitor, page=False, prompt="none", id_token_hint=first["id_token"])
    run.check(second["claims"]["sub"] == first["claims"]["sub"], "sub")


@module("login-hint")
def _(run):
    run.flow(login_hint="robin@example.com")


@module("ui-locales")
def _(run):
    fields = run.asked(ui_locales="se")
    run.check(run.open(fields).title == "Sign in", "an unknown language is not English")
    run.flow(ui_locales="se")


@module("claims-locales")
def _(run):
    run.flow(claims_locales="se")


@module("ensure-request-with-acr-values-succeeds")
def _(run):
    _, tokens = run.flow(acr_values="1 2")
    if tokens["claims"].get("acr") not in ["1", "2"]:
        run.warn("acr is none of those asked for")


@module("codereuse")
def _(run):
    fields = run.asked()
    visitor = run.open(fields)
    run.prove(visitor)
    code = run.code(visitor, fields)
    run.tokens(code, fields)
    again = run.redeem(code, fields)
    if again.status_code == 200:
        run.warn("a second use at once gets the same answer again, for lost answers")
    else:
        run.check(again.status_code == 400 and again.json()["error"] == "invalid_grant", again.text)


@module("codereuse-30seconds")
def _(run):
    fields = run.asked()
    visitor = run.open(fields)
    run.prove(visitor)
    code = run.code(visitor, fields)
    tokens = run.tokens(code, fields)
    # The server repeats an answer for ten seconds.
    time.sleep(30 if run.rig.takes_its_time else 11)
    again = run.redeem(code, fields)
    run.check(again.status_code == 400 and again.json()["error"] == "invalid_grant", again.text)
    info = run.rig.get(run.conf["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"})
    if info.status_code == 200:
        run.warn("the first access token still works")


@module("ensure-registered-redirect-uri")
def _(run):
    visitor = run.open(run.asked(redirect_uri=callback(0, "/other")))
    run.is_page(visitor, "an unknown address is no page")
    run.check(visitor.answer.status_code == 400, str(visitor.answer.status_code))


@module("ensure-post-request-succeeds")
def _(run):
    fields = run.asked()
    visitor = Visitor(run.rig)
    visitor.post(run.conf["authorization_endpoint"], fields, f"https://{CLIENTS[0][1]}")
    run.prove(visitor)
    run.tokens(run.code(visitor, fields), fields)


@module("server-client-secret-post")
def _(run):
    run.userinfo(run.flow(by="post")[1])


@module("request-uri-unsigned-supported-correctly-or-rejected-as-unsupported")
def _(run):
    run.check(run.conf.get("request_uri_parameter_supported") is False, "discovery does not say false")
    fields = run.asked(request_uri="https://one.example.com/request.jwt")
    run.check(run.answer(run.open(fields), fields)["error"] == "request_uri_not_supported", "not refused")


@module("unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def _(run):
    run.check(not run.conf.get("request_parameter_supported"), "discovery does not say false")
    fields = run.asked(request="eyJhbGciOiJub25lIn0.e30.")
    run.check(run.answer(run.open(fields), fields)["error"] == "request_not_supported", "not refused")


@module("claims-essential")
def _(run):
    _, tokens = run.flow(claims='{"userinfo":{"name":{"essential":true}}}')
    if "name" not in run.userinfo(tokens):
        run.warn("userinfo lacks name")


@module("ensure-request-object-with-redirect-uri")
def _(run):
    run.check(not run.conf.get("request_parameter_supported"), "request objects are offered, and not tried here")
    raise Skipped("request objects are not offered")


@module("refresh-token")
def _(run):
    _, tokens = run.flow(scope="openid offline_access")
    run.check(re.fullmatch(r"[\x20-\x7e]+", tokens["refresh_token"]), "characters of the refresh token")
    _, others = run.flow(1, scope="openid offline_access")
    foreign = run.token({"grant_type": "refresh_token", "refresh_token": others["refresh_token"]})
    run.check(foreign.status_code == 400 and foreign.json()["error"] == "invalid_grant", foreign.text)
    answer = run.token({"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]})
    run.check(answer.status_code == 200, answer.text)
    new = answer.json()
    run.check(new["access_token"] != tokens["access_token"], "the access token is the old one")
    if "id_token" in new:
        claims = run.claims(new["id_token"], {"nonce": json.loads(decoded(new["id_token"].split(".")[1])).get("nonce")})
        for claim in ["iss", "sub", "aud", "auth_time"]:
            run.check(claims.get(claim) == tokens["claims"].get(claim), claim)


@module("ensure-request-with-valid-pkce-succeeds")
def _(run):
    verifier = secrets.token_urlsafe(32)
    fields = run.asked(code_challenge=digest(verifier), code_challenge_method="S256")
    visitor = run.open(fields)
    run.prove(visitor)
    run.tokens(run.code(visitor, fields), fields, code_verifier=verifier)


# Of other profiles, and worth the same


@module("redirect-uri-query-OK", "other")
def _(run):
    run.flow(redirect_uri=callback(0, "/callback?foo=bar"))


@module("redirect-uri-query-added", "other")
def _(run):
    run.is_page(run.open(run.asked(redirect_uri=callback(0, "/callback?foo=baz&more=1"))), "an added query is taken")


@module("redirect-uri-query-mismatch", "other")
def _(run):
    run.is_page(run.open(run.asked(redirect_uri=callback(0, "/callback?foo=rab"))), "another query is taken")


@module("redirect-uri-regfrag", "other")
def _(run):
    run.is_page(run.open(run.asked(redirect_uri=callback(0, "/callback#part"))), "a fragment is taken")


@module("ensure-redirect-uri-in-authorization-request", "other")
def _(run):
    run.is_page(run.open(run.asked(redirect_uri=None)), "a missing address is taken")


# RP-Initiated OP


@module("rp-initiated-logout-discovery-endpoint-verification", "RP-Initiated")
def _(run):
    run.check(run.conf["end_session_endpoint"].startswith("https://"), "end_session_endpoint")


def bye(query=""):
    return callback(0, "/bye") + query


@module("rp-initiated-logout", "RP-Initiated")
def _(run):
    visitor, tokens = run.flow()
    run.sign_out(visitor, id_token_hint=tokens["id_token"], post_logout_redirect_uri=bye(), state="s 1")
    run.check(visitor.came and visitor.came.address == bye() and visitor.came.query == {"state": "s 1"}, str(visitor.came))
    run.is_signed_out(visitor)


@module("rp-initiated-logout-no-state", "RP-Initiated")
def _(run):
    visitor, tokens = run.flow()
    run.sign_out(visitor, id_token_hint=tokens["id_token"], post_logout_redirect_uri=bye())
    run.check(visitor.came and visitor.came.address == bye() and not visitor.came.query, str(visitor.came))
    run.is_signed_out(visitor)


def refused_sign_out(name, fields):
    @module(f"rp-initiated-logout-{name}", "RP-Initiated")
    def _(run):
        visitor, tokens = run.flow()
        run.sign_out(visitor, **fields(tokens))
        run.is_page(visitor, "the address is called")


def foreign(tokens):
    key = JsonWebKey.generate_key("RSA", 2048, {"kid": "foreign"}, is_private=True)
    claims = json.loads(decoded(tokens["id_token"].split(".")[1]))
    return jwt.encode({"alg": "RS256", "kid": "foreign"}, claims, key).decode()


def unsigned(tokens):
    header = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    return f"{header}.{tokens['id_token'].split('.')[1]}."


refused_sign_out("bad-post-logout-redirect-uri", lambda tokens: {
    "id_token_hint": tokens["id_token"], "post_logout_redirect_uri": callback(0, "/elsewhere"), "state": "s"})
refused_sign_out("query-added-to-post-logout-redirect-uri", lambda tokens: {
    "id_token_hint": tokens["id_token"], "post_logout_redirect_uri": bye("?foo=bar"), "state": "s"})
refused_sign_out("bad-id-token-hint", lambda tokens: {
    "id_token_hint": foreign(tokens), "post_logout_redirect_uri": bye(), "state": "s"})
refused_sign_out("modified-id-token-hint", lambda tokens: {
    "id_token_hint": unsigned(tokens), "post_logout_redirect_uri": bye(), "state": "s"})
refused_sign_out("no-id-token-hint", lambda tokens: {"post_logout_redirect_uri": bye(), "state": "s"})


def our_sign_out(name, fields):
    @module(f"rp-initiated-logout-{name}", "RP-Initiated")
    def _(run):
        visitor, tokens = run.flow()
        run.sign_out(visitor, **fields(tokens))
        if visitor.title == "Sign out?":
            visitor.submit(target=re.search(r'name="target" value="([^"]*)"', visitor.text).group(1))
        run.is_page(visitor, "an address is called")
        run.check(visitor.title == "You are signed out", visitor.title)
        run.is_signed_out(visitor)


our_sign_out("no-post-logout-redirect-uri", lambda tokens: {"id_token_hint": tokens["id_token"], "state": "s"})
our_sign_out("only-state", lambda tokens: {"state": "s"})
our_sign_out("no-params", lambda tokens: {})


# Back-Channel OP, Front-Channel OP


def discovery_module(channel, profile):
    @module(f"{channel}-logout-discovery-endpoint-verification", profile)
    def _(run):
        run.check(run.conf["end_session_endpoint"].startswith("https://"), "end_session_endpoint")
        for name in [f"{channel}_logout_supported", f"{channel}_logout_session_supported"]:
            run.check(run.conf[name] is True, name)


discovery_module("backchannel", "Back-Channel")


@module("backchannel-rp-initiated-logout", "Back-Channel")
def _(run):
    visitor, tokens = run.flow()
    _, other = run.flow(1, visitor, page=False)
    run.sign_out(visitor, id_token_hint=tokens["id_token"], post_logout_redirect_uri=bye(), state="s 1")
    run.check(visitor.came and visitor.came.address == bye() and visitor.came.query == {"state": "s 1"}, str(visitor.came))
    for client, signed_in in [(0, tokens), (1, other)]:
        kind, form = run.rig.told(client, signed_in["claims"]["sid"])
        run.check(kind == "application/x-www-form-urlencoded" and set(form) == {"logout_token"}, f"{kind} {list(form)}")
        token = form["logout_token"]
        header = json.loads(decoded(token.split(".")[0]))
        run.check(header["alg"] == "RS256" and header["typ"] == "logout+jwt", str(header))
        claims = jwt.decode(token, JsonWebKey.import_key_set(run.rig.get(run.conf["jwks_uri"]).json()))
        claims.validate()
        for name in ["iss", "aud", "sub", "sid"]:
            run.check(claims[name] == signed_in["claims"][name], f"{name} is not that of the ID token")
        run.check(claims["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}}, "events")
        run.check(abs(claims["iat"] - time.time()) < 60 and claims["exp"] - claims["iat"] <= 120, "times")
        run.check(claims["jti"] and "nonce" not in claims, "jti or nonce")
    run.is_signed_out(visitor)


discovery_module("frontchannel", "Front-Channel")


@module("frontchannel-rp-initiated-logout", "Front-Channel")
def _(run):
    visitor, tokens = run.flow()
    run.sign_out(visitor, id_token_hint=tokens["id_token"], post_logout_redirect_uri=bye(), state="s 1")
    # The page before the redirect has the frame; a browser opens it, and this one reads it.
    frames = [html.unescape(source) for source in re.findall(r'<iframe [^>]*src="([^"]*)"', visitor.text)]
    run.check(len(frames) == 1 and frames[0].startswith(callback(0, "/out?")), str(frames))
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(frames[0]).query))
    run.check(query == {"iss": run.conf["issuer"], "sid": tokens["claims"]["sid"]}, str(query))
    policy = visitor.answer.headers["Content-Security-Policy"]
    run.check(f"frame-src https://{CLIENTS[0][1]};" in policy, policy)
    run.check(visitor.came and visitor.came.address == bye() and visitor.came.query == {"state": "s 1"}, str(visitor.came))
    run.is_signed_out(visitor)


class Provider(Rig):
    """A server with two confidential applications that send no PKCE, as the certification's own."""

    def listen(self):
        """The back channel of both applications: what came, by application and `sid`."""
        arrived = self.arrived = {}

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = dict(urllib.parse.parse_qsl(body))
                sid = json.loads(decoded(form["logout_token"].split(".")[1]))["sid"]
                arrived[int(self.path.split("/")[-1]), sid] = (self.headers["Content-Type"], form)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()

    def told(self, client, sid):
        for _ in range(100):
            if (client, sid) in self.arrived:
                return self.arrived[client, sid]
            time.sleep(0.1)
        raise AssertionError(f"no logout token came to {CLIENTS[client][1]}")

    def tenants(self):
        self.listen()
        applications = "".join(f"""
      - clientId: {name}
        displayName: {host}
        signIn: emailPassword
        nativeAuthentication: false
        redirectUris: {{web: ["https://{host}/callback", "https://{host}/callback?foo=bar"]}}
        postLogoutRedirectUris: ["https://{host}/bye"]
        backChannelLogoutUri: "http://localhost:{self.receiver.server_port}/told/{number}"
        frontChannelLogoutUri: "https://{host}/out"
        requiresPKCE: false
        secrets: [{{id: 3c8e0f25-7d41-4b96-a0f3-5e2b1c9d8a7{number}, hint: "a-s", sha256: "{digest(secret)}", ends: 2027-05-31}}]"""
            for number, (name, host, secret) in enumerate(CLIENTS))
        return f"""tenants:
  - id: {TENANT}
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    applications:{applications}
"""

    def begin(self):
        self.wait()
        self.session = self.new_session()
        self.conf = self.get(f"{self.url}/{TENANT}/v2.0/.well-known/openid-configuration").json()

    def get(self, address, **more):
        return self.session.get(address, **more)

    def post(self, address, **more):
        return self.session.post(address, **more)


def attempt(rig, name, mode):
    """The result of a module: a word, and what was warned of."""
    run = Run(rig, name, mode)
    try:
        MODULES[name][1](run)
        return ("warning", "; ".join(run.warnings)) if run.warnings else ("passed", "")
    except Skipped as why:
        return "skipped", str(why)
    except Exception:
        return "FAILED", traceback.format_exc(limit=-3)


def table(results, modes):
    """The table of the documentation."""
    lines = [
        "# The modules of the provider certification", "",
        "`scripts/check-provider --all --write` asks of a fresh server what the certification's modules ask: the profiles Config OP,",
        "Basic OP, Form Post OP (the column `form_post`), RP-Initiated OP, Back-Channel OP and Front-Channel OP, and a few of others.",
        "It writes this page. The certification itself was not run.",
        "", f"| Module (`oidcc-…`) | Profile | {' | '.join(f'`{mode}`' for mode in modes)} | |", "|---|---|" + "---|" * (len(modes) + 1)]
    for name, (profile, _) in MODULES.items():
        found = [results[name, mode] for mode in modes if (name, mode) in results]
        words = [results[name, mode][0] if (name, mode) in results else "–" for mode in modes]
        notes = sorted({text for word, text in found if word != "FAILED" and text})
        lines.append(f"| `{name}` | {profile} | {' | '.join(words)} | {'; '.join(notes)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--all", action="store_true", help="answers in form and fragment too, and half a minute of waiting")
    parser.add_argument("--write", action="store_true", help="write the table of the documentation")
    parser.add_argument("--nodes", action="store_true", help="two nodes on one PostgreSQL")
    parser.add_argument("--only", help="one module")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="provider-"))
    rig = Provider(options, folder)
    rig.takes_its_time = options.all
    modes = MODES if options.all else MODES[:1]
    names = [name for name in MODULES if not options.only or name == options.only]
    # Where no answer goes to an application, its way is of no interest.
    asked = [(name, mode) for mode in modes for name in names if mode == "query" or MODULES[name][0] == "Basic"]
    results = {}
    try:
        rig.begin()
        # The half minute of one module passes beside the others.
        with concurrent.futures.ThreadPoolExecutor(len(modes) + 1) as pool:
            slow = {pair: pool.submit(attempt, rig, *pair) for pair in asked if "30seconds" in pair[0]}
            for pair in asked:
                if pair not in slow:
                    results[pair] = attempt(rig, *pair)
            results |= {pair: future.result() for pair, future in slow.items()}
    finally:
        if not rig.stop():
            results["the nodes", "each"] = "FAILED", "one node did no work"
        if any(word == "FAILED" for word, _ in results.values()) or not results:
            print((folder / "server.log").read_text()[-1500:])
        shutil.rmtree(folder, ignore_errors=True)
    for (name, mode), (word, text) in results.items():
        if word == "FAILED":
            print(f"FAILED: {name} ({mode})\n{text}", flush=True)
    if options.write:
        (pathlib.Path(__file__).parents[2] / "docs/evidence/provider-modules.md").write_text(table(results, modes))
    count = {word: sum(found == word for found, _ in results.values()) for word in ["passed", "warning", "skipped", "FAILED"]}
    print(f"{count['warning']} passed with a warning, {count['skipped']} were skipped", file=sys.stderr)
    print(f"{count['passed'] + count['warning']} passed, {count['FAILED']} failed")
    sys.exit(1 if count["FAILED"] or not results else 0)


if __name__ == "__main__":
    main()

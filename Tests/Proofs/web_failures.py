"""Bad input at the endpoints for browsers, over TLS, at two nodes on one PostgreSQL: each ends on our page or with the standard's error,
tells nothing, leads nowhere else and happens once. The rows are those of docs/evidence/web-failures.md, which names each of `CHECKS`."""

import argparse
import collections
import concurrent.futures
import html
import json
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import requests

from provider import Came, Visitor
from relying_parties import PASSWORD, ROOT, Rig, digest

CONTOSO, FABRIKAM = "aaaabbbb-0000-cccc-1111-dddd2222eeee", "bbbbcccc-1111-dddd-2222-eeee3333ffff"
APP, SHOP, STRICT, ABOUT = (
    "11112222-bbbb-3333-cccc-4444dddd5555", "5b0a6c1e-3f7d-4c29-9a84-d2e61f80b7a1", "22223333-cccc-4444-dddd-5555eeee6666",
    "33334444-dddd-5555-eeee-6666ffff7777")
OTHER = "c49d2f73-81e5-4a06-b3dc-07f95e6a12d8"
SECRET = "a-secret-of-the-shop-for-this-check-alone"
BACK, BYE = "https://shop.example.com/callback", "https://shop.example.com/bye"
NATIVE = "http://localhost:49999"
SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>"
EVIL = "https://evil.example/take"
# The errors of RFC 6749 section 4.1.2.1 and OpenID Connect Core 1.0 section 3.1.2.6.
ERRORS = {
    "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope", "server_error",
    "temporarily_unavailable", "interaction_required", "login_required", "account_selection_required", "consent_required",
    "request_not_supported", "request_uri_not_supported"}
PARAMETERS = [
    "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "prompt", "max_age", "login_hint", "domain_hint", "ui_locales", "claims", "acr_values", "id_token_hint", "request", "request_uri", "display"]
NO_PARAMETERS = ["next", "return", "returnUrl", "continue", "url", "target", "goto", "redirect", "RelayState", "back", "error_uri", "logo"]
CHECKS = {}


def check(body):
    CHECKS[body.__name__] = body
    return body


class Site(Rig):
    """Two tenants: applications with pages of their own kinds, and one that hides accounts."""

    def tenants(self):
        def tenant(name, domain, applications):
            return f"""  - id: {name}
    subdomain: {domain}
    domain: {domain}.example.com
    displayName: {domain.capitalize()}
    applications:
{applications}"""

        def shop(client, number):
            return f"""      - clientId: {client}
        displayName: "Tom & Sons <script>alert(0)</script>"
        signIn: emailPassword
        redirectUris: {{web: ["{BACK}"]}}
        postLogoutRedirectUris: ["{BYE}"]
        secrets: [{{id: 3c8e0f25-7d41-4b96-a0f3-5e2b1c9d8a7{number}, hint: "a-s", sha256: "{digest(SECRET)}", ends: 2027-05-31}}]
"""
        apps = shop(SHOP, 1) + f"""      - {{clientId: {APP}, displayName: App, signIn: emailPassword, redirectUris: {{publicClient: ["http://localhost"]}}}}
      - {{clientId: {STRICT}, displayName: Strict, signIn: emailPassword, enumeration: strict, redirectUris: {{publicClient: ["http://localhost"]}}}}
      - {{clientId: {ABOUT}, displayName: About, signIn: emailPassword, requiredAttributes: [city, country], redirectUris: {{publicClient: ["http://localhost"]}}}}
"""
        return "tenants:\n" + tenant(CONTOSO, "contoso", apps) + tenant(FABRIKAM, "fabrikam", shop(OTHER, 2))

    # Requests

    def asked(self, client=APP, **changes):
        verifier = secrets.token_urlsafe(32)
        fields = {
            "client_id": client, "redirect_uri": BACK if client in (SHOP, OTHER) else NATIVE, "response_type": "code", "scope": "openid offline_access",
            "state": "st-1", "nonce": "n-1", "code_challenge": digest(verifier), "code_challenge_method": "S256"}
        self.verifier = verifier
        return {name: value for name, value in (fields | changes).items() if value is not None}

    def authorize(self, tenant="contoso"):
        return f"{self.url}/{tenant}/oauth2/v2.0/authorize"

    def logout(self, tenant="contoso"):
        return f"{self.url}/{tenant}/oauth2/v2.0/logout"

    def open(self, fields, visitor=None, tenant="contoso"):
        visitor = visitor or Guest(self)
        visitor.came = None
        visitor.get(f"{self.authorize(tenant)}?{fields if isinstance(fields, str) else urllib.parse.urlencode(fields)}")
        return visitor

    def raw(self, method, address, session=None, **more):
        """One answer, without what follows it."""
        return (session or self.new_session()).request(method, address, allow_redirects=False, **more)

    def lasting_session(self, cookies=None):
        """For many requests that change nothing: it keeps its connection, and so its node."""
        session = requests.Session()
        session.verify = str(self.certificate)
        session.cookies.update(cookies or {})
        return session

    def redeem(self, code, client=APP, tenant="contoso", port=None, **changes):
        fields = {
            "grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": BACK if client in (SHOP, OTHER) else NATIVE,
            "code_verifier": self.verifier} | ({"client_secret": SECRET} if client in (SHOP, OTHER) else {}) | changes
        return requests.post(
            f"https://localhost:{port or self.port}/{tenant}/oauth2/v2.0/token", data={name: value for name, value in fields.items() if value is not None},
            headers={"Host": f"localhost:{self.port}"}, verify=str(self.certificate))

    def signed_up(self, email, client=APP, tenant="contoso"):
        """A browser with a session, and the code that came."""
        visitor = self.open(self.asked(client), tenant=tenant)
        visitor.sign_up(email)
        assert visitor.came and "code" in visitor.came.query, f"{visitor.came} {visitor.title}"
        return visitor, visitor.came.query["code"]

    # What must hold

    def rows(self, sql):
        return subprocess.check_output(["psql", "-qAtX", self.database, "-c", sql], text=True).split()

    def state(self):
        """What no bad request changes."""
        tables = ["users", "flows", "refresh_families", "browser_sessions", "presented_codes", "outbox"]
        return self.rows(" UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables))

    def fine(self, what, answer, statuses=(400,), forbidden=("evil.example",)):
        """A page of ours that leads nowhere."""
        headers = {name.lower(): value for name, value in answer.headers.items()}
        self.expect(f"{what}: status", answer.status_code in statuses, str(answer.status_code))
        self.expect(f"{what}: leads nowhere", "location" not in headers and "refresh" not in headers, str(headers))
        self.expect(f"{what}: a page", headers.get("content-type") == "text/html; charset=utf-8", str(headers.get("content-type")))
        self.expect(f"{what}: not framed", headers.get("x-frame-options") == "DENY" and "frame-ancestors 'none'" in headers.get("content-security-policy", ""))
        self.expect(f"{what}: not kept", headers.get("cache-control") == "no-store")
        # In development a page names an address that was refused, as the text of one paragraph.
        text = re.sub(r"<p[^<>]*>Development profile: [^<>]*</p>", "", answer.text, count=1)
        for word in [*forbidden, "<script>alert", "onerror=alert(2)>", "Optional(", ".swift"]:
            self.expect(f"{what}: has no {word}", word not in text)

    def safe(self, what, answer, own=(NATIVE, BACK, BYE)):
        """Wherever an answer leads, and whatever its page offers, is ours or registered."""
        places = [value for name, value in answer.headers.items() if name.lower() == "location"]
        places += [value.split("url=", 1)[1] for name, value in answer.headers.items() if name.lower() == "refresh"]
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            places += [html.unescape(found) for found in re.findall(r'(?:href|action|src|formaction|content)="((?!width=|light|utf)[^"]*)"', answer.text)]
        for place in places:
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.url + "/", place))
            base = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
            good = f"{parts.scheme}://{parts.netloc}" == self.url or base in own
            self.expect(f"{what}: leads to {place[:60]}", good)
        self.expect(f"{what}: no fault of the server", answer.status_code < 500, str(answer.status_code))
        self.expect(f"{what}: no markup of the request", "<script>alert" not in answer.text and "onerror=alert(2)>" not in answer.text)
        return places

    def split(self, what, answer):
        names = {name.lower() for name in answer.headers}
        self.expect(f"{what}: no header of the request", not names & {"x-injected", "x-evil"} and "injected" not in str(answer.headers.get("Set-Cookie")))


class Guest(Visitor):
    """A browser that keeps where an answer left for an application, on this machine or elsewhere."""

    def go(self, method, address, fields=None, origin=None):
        if address.startswith(self.rig.url + "/"):
            super().go(method, address, fields, origin)
            return
        parts = urllib.parse.urlsplit(address)
        query, fragment = dict(urllib.parse.parse_qsl(parts.query)), dict(urllib.parse.parse_qsl(parts.fragment))
        self.came = Came(parts._replace(query="", fragment="").geturl(), query, fragment, dict(fields or {}))

    def form(self):
        """The first form of a page: its address and its fields."""
        action, content = re.search(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', self.text, re.S).groups()
        fields = {}
        for attributes in re.findall(r"<input ([^>]*)>", content):
            found = dict(re.findall(r'([.a-z-]+)="([^"]*)"', attributes))
            fields[found["name"]] = html.unescape(found.get("value", ""))
        return urllib.parse.urljoin(self.rig.url, html.unescape(action)), fields

    @property
    def cookies(self):
        return {cookie.name: cookie.value for cookie in self.session.cookies}

    def plant(self, cookies):
        """The library names the host of this machine so."""
        for name, value in cookies.items():
            self.session.cookies.set(name, value, domain="localhost.local", path="/", secure=True)


def hostile_addresses():
    """Addresses that are near a registered one, and are none (RFC 9700 section 4.1)."""
    found = set()
    for good in (NATIVE, BACK, BYE):
        parts = urllib.parse.urlsplit(good)
        host, rest = parts.hostname, good.split("://", 1)[1]
        for scheme in ("ftp", "javascript", "data", "file", "ws", "HTTPS" if parts.scheme == "https" else "HTTP", "http" if parts.scheme == "https" else "https", "intent", "vbscript", ""):
            found.add(f"{scheme}://{rest}" if scheme else f"//{rest}")
        for other in (f"{host}.evil.example", f"evil.example#{host}", f"evil.example?{host}", f"evil.example/{host}", f"{host}@evil.example", f"{host}:x@evil.example",
                      f"evil.example\\@{host}", f"{host}%2eevil.example", f"{host}%00.evil.example", f"{host}.", host.upper(), f"www.{host}", f"{host}evil.example", f"evil{host}",
                      f"{host}\u3002evil.example", host.replace("o", "\u043e"), host.replace("o", "%6f"), "[::ffff:127.0.0.1]", "0177.0.0.1", "2130706433", f"{host}:443:443", f"{host}:99999", f"{host}:-1",
                      f"{host}:", f" {host}", f"{host} "):
            found.add(good.replace(host + (f":{parts.port}" if parts.port else ""), other, 1))
        for end in ("/..", "/../take", "/%2e%2e/take", "/.", "//", "/;x", ";x", "?", "?x=1", "&x=1", "#", "#x", "/x", "%2f", "%00", "%0d%0aX-Injected:1", "\r\nX-Injected: 1", "\\", "\t", " ", "\u200b", "*", "/*", "?next=" + EVIL, "@evil.example", "%", "'\"><script>alert(1)</script>"):
            found.add(good + end)
        # Without its last sign the first one has another port, which is free.
        if good != NATIVE:
            found.add(good[:-1])
        found.add(good.upper())
        found.add(f" {good}")
        found.add(f"{good},{EVIL}")
        found.add(f"{EVIL},{good}")
        found.add(f"{EVIL}?{good}")
        found.add(urllib.parse.quote(good, safe=""))
    # A path of `/` is the same address for an app of this machine.
    return sorted(found - {NATIVE, NATIVE + "/", BACK, BYE} | {EVIL, "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "about:blank", "*", "null", "/", ".", "\x00"})


@check
def table(rig):
    """docs/evidence/web-failures.md: no row is missing or without a test, and each test that it names is there."""
    text = (ROOT / "docs/evidence/web-failures.md").read_text()
    rows = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", text, re.M)
    rig.expect("the table has 54 rows", [int(number) for number, _ in rows] == list(range(1, 55)), str([number for number, _ in rows]))
    for number, tests in rows:
        rig.expect(f"row {number} has a test", "`" in tests)
    swift = collections.defaultdict(str)
    for file in (ROOT / "Tests").rglob("*Tests.swift"):
        swift[file.stem] += file.read_text()
    for suite, name in set(re.findall(r"`(\w+Tests)\.(\w+)`", text)):
        rig.expect(f"{suite}.{name} is a test", re.search(rf"\bfunc {name}\(", swift[suite]))
    for file, name in set(re.findall(r"`(\w+\.py) (\w+)`", text)):
        path = ROOT / "Tests/Proofs" / file
        rig.expect(f"{file} {name} is a check", path.exists() and re.search(rf"\bdef {name}\(", path.read_text()))
    for name in CHECKS:
        rig.expect(f"{name} is in the table", name == "table" or f"`web_failures.py {name}`" in text)


@check
def redirect_corpus(rig):
    """Row 3, 45: more than 150 addresses that are not registered, at the sign-in and at the sign-out."""
    addresses = hostile_addresses()
    rig.expect("the corpus has 150 addresses", len(addresses) >= 150, str(len(addresses)))
    before, session = rig.state(), rig.lasting_session()
    for address in addresses:
        for client in (APP, SHOP):
            answer = rig.raw("GET", rig.authorize(), session, params=rig.asked(client, redirect_uri=address))
            rig.fine(f"{client[:4]} redirect_uri={address!r}"[:80], answer)
        answer = rig.raw("GET", rig.logout(), session, params={"post_logout_redirect_uri": address, "client_id": SHOP})
        rig.fine(f"post_logout_redirect_uri={address!r}"[:80], answer)
        rig.split(f"post_logout_redirect_uri={address!r}"[:80], answer)
    rig.expect("the corpus changed nothing", rig.state() == before)
    rig.note(f"{len(addresses)} addresses")


@check
def parameters(rig):
    """Rows 2, 4 to 7: every parameter missing, twice, empty, of 10 KB, and wrong, by GET and by POST."""
    before, session, count = rig.state(), rig.lasting_session(), 0
    for name in PARAMETERS:
        good = rig.asked().get(name, "x")
        variants = {
            "missing": [(key, value) for key, value in rig.asked().items() if key != name],
            "twice": [*((key, value) for key, value in rig.asked().items() if key != name), (name, good), (name, good)],
            "empty": list(rig.asked(**{name: ""}).items()), "7 KB": list(rig.asked(**{name: "a" * 7000}).items()),
            "10 KB": list(rig.asked(**{name: "a" * 10_240}).items()), "wrong": list(rig.asked(**{name: "\u00e9\x07{['"}).items()),
            "script": list(rig.asked(**{name: SCRIPT}).items()), "as a list": [*((key, value) for key, value in rig.asked().items() if key != name), (f"{name}[]", good)]}
        for kind, fields in variants.items():
            for method in ("GET", "POST"):
                count += 1
                what = f"{name} {kind} by {method}"
                query = urllib.parse.urlencode(fields)
                answer = rig.raw("GET", f"{rig.authorize()}?{query}", session) if method == "GET" else rig.raw(
                    "POST", rig.authorize(), session, data=query, headers={"Content-Type": "application/x-www-form-urlencoded"})
                if method == "POST" and answer.status_code == 303:
                    rig.expect(f"{what}: is sent on to our own address", answer.headers["Location"].startswith(rig.authorize() + "?"), answer.headers["Location"][:80])
                    answer = rig.raw("GET", answer.headers["Location"], session)
                rig.safe(what, answer)
                if answer.status_code == 303:
                    came = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query, keep_blank_values=True))
                    rig.expect(f"{what}: an error of the standard", came.get("error") in ERRORS, str(came))
                    rig.expect(f"{what}: with the issuer", came.get("iss") == f"{rig.url}/{CONTOSO}/v2.0", str(came))
                    rig.expect(f"{what}: with the state", came.get("state") == (None if name == "state" else "st-1"), str(came))
                    rig.expect(f"{what}: the description is one line of ASCII", re.fullmatch(r"[\x20-\x21\x23-\x5b\x5d-\x7e]+", came.get("error_description", "")), str(came))
                elif answer.status_code in (400, 414):
                    rig.fine(what, answer, (400, 414))
                else:
                    rig.expect(f"{what}: a page", answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"), str(answer.status_code))
                if kind == "10 KB":
                    rig.expect(f"{what}: is too long", answer.status_code == 414, str(answer.status_code))
                if kind == "twice":
                    rig.expect(f"{what}: is refused", answer.status_code in (303, 400), str(answer.status_code))
                if kind in ("missing", "empty", "7 KB", "wrong", "twice") and name in ("client_id", "redirect_uri"):
                    rig.expect(f"{what}: is our page", answer.status_code == 400, str(answer.status_code))
    rig.expect("no request for a page changed anything", rig.state() == before)
    rig.note(f"{count} requests")


@check
def token_parameters(rig):
    """Rows 36 to 40: every parameter of the exchange missing, twice, empty, of 10 KB, and wrong: JSON with the standard's error."""
    _, code = rig.signed_up("token-parameters@example.com", SHOP)
    good = {
        "grant_type": "authorization_code", "client_id": SHOP, "client_secret": SECRET, "redirect_uri": BACK, "code_verifier": rig.verifier}
    for name in [*good, "code"]:
        for kind, value in {"missing": None, "empty": "", "10 KB": "a" * 10_240, "wrong": "\u00e9\x07<script>alert(1)</script>"}.items():
            # Each with a code that is none, so that the right one stays.
            fields = {key: found for key, found in (good | {"code": "none"} | {name: value}).items() if found is not None}
            answer = rig.raw("POST", f"{rig.url}/contoso/oauth2/v2.0/token", data=fields)
            body = answer.json()
            rig.expect(f"{name} {kind}: refused", answer.status_code in (400, 401), str(answer.status_code))
            rig.expect(
                f"{name} {kind}: an error of the standard", body.get("error") in {"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type"},
                str(body.get("error")))
            rig.expect(f"{name} {kind}: no token", "access_token" not in body and "<script>" not in answer.text and SECRET not in answer.text)
        query = urllib.parse.urlencode([*(good | {"code": "none"}).items(), (name, "again")])
        answer = rig.raw("POST", f"{rig.url}/contoso/oauth2/v2.0/token", data=query, headers={"Content-Type": "application/x-www-form-urlencoded"})
        rig.expect(f"{name} twice: refused", answer.status_code == 400 and answer.json()["error"] == "invalid_request", answer.text[:120])
    answer = rig.redeem(code, SHOP)
    rig.expect("the code is unharmed", answer.status_code == 200, answer.text[:200])


@check
def requests_of_other_kinds(rig):
    """Rows 1, 8, 10: an unknown tenant, other methods and media types, too much, another host."""
    for tenant in ("nowhere", "00000000-0000-4000-8000-000000000000", "%00", "con\u0442oso", "CONTOSO/..", "a" * 300):
        answer = rig.raw("GET", rig.authorize(urllib.parse.quote(tenant, safe="%/")), params=rig.asked())
        rig.fine(f"tenant {tenant[:20]!r}", answer, (400, 404)) if "/" not in tenant else rig.safe(f"tenant {tenant!r}", answer)
    for place in (rig.authorize(), rig.logout(), f"{rig.url}/contoso/web/{'0' * 40}"):
        for method in ("PUT", "DELETE", "PATCH"):
            answer = rig.raw(method, place, data="x")
            rig.fine(f"{method} {place[-20:]}", answer, (405,))
            rig.expect(f"{method} {place[-20:]}: says what is allowed", "GET" in answer.headers.get("Allow", ""), str(answer.headers.get("Allow")))
        for kind in ("application/json", "text/plain", "multipart/form-data; boundary=x", ""):
            answer = rig.raw("POST", place, data="{}", headers={"Content-Type": kind, "Origin": rig.url})
            rig.fine(f"POST {kind!r} {place[-20:]}", answer, (400, 415))
        answer = rig.raw("POST", place, data="a=" + "x" * 70_000, headers={"Content-Type": "application/x-www-form-urlencoded", "Origin": rig.url})
        rig.fine(f"70 KB to {place[-20:]}", answer, (413,))
        answer = rig.raw("GET", place + "?a=" + "x" * 9_000)
        rig.fine(f"9 KB for {place[-20:]}", answer, (414,))
        answer = rig.raw("GET", place, headers={"Host": "evil.example"})
        rig.expect(f"another host at {place[-20:]}", answer.status_code == 421 and "location" not in {name.lower() for name in answer.headers}, str(answer.status_code))


@check
def response_splitting(rig):
    """A line's end in any parameter, path or cookie begins no header."""
    session = rig.lasting_session()
    for bad in ("x\r\nX-Injected: 1", "x\nX-Injected: 1", "x\rX-Injected: 1", "x\u010d\u010aX-Injected: 1", "x\r\n\r\n<script>alert(1)</script>", "x%0d%0aX-Injected: 1"):
        for name in PARAMETERS + NO_PARAMETERS:
            for changes in ({name: bad}, {name: bad, "prompt": "none"} if name != "prompt" else {"max_age": bad}):
                answer = rig.raw("GET", rig.authorize(), session, params=rig.asked(**changes))
                rig.split(f"{name}={bad!r}", answer)
                rig.safe(f"{name}={bad!r}", answer)
        for name in ("id_token_hint", "post_logout_redirect_uri", "client_id", "state", "ui_locales", "logout_hint"):
            for fields in ({name: bad}, {name: bad} | {"post_logout_redirect_uri": NATIVE} if name != "post_logout_redirect_uri" else {}):
                answer = rig.raw("GET", rig.logout(), session, params=fields)
                rig.split(f"sign-out {name}={bad!r}", answer)
                rig.safe(f"sign-out {name}={bad!r}", answer)
    for path in ("/contoso/web/" + "0" * 36 + "%0d%0a", "/contoso%0d%0aX-Injected:1/oauth2/v2.0/authorize", "/contoso/web/x%0d%0aX-Injected:%201"):
        answer = rig.raw("GET", rig.url + path)
        rig.split(path, answer)
        rig.safe(path, answer)


@check
def open_redirects(rig):
    """SEC-WEB-16: no parameter of any route leads to another place."""
    visitor, _ = rig.signed_up("open-redirects@example.com")
    pages = Guest(rig)
    rig.open(rig.asked(), pages).submit(username="open-redirects@example.com")
    step, fields = pages.form()
    browser = rig.lasting_session(pages.session.cookies)
    places, count = [EVIL, "//evil.example/take", "/\\evil.example", "https:evil.example", "javascript:alert(1)", "\thttps://evil.example", "https://localhost@evil.example/", "http://localhost:49999.evil.example"], 0
    for session, who in ((rig.lasting_session(), "a stranger"), (rig.lasting_session(visitor.session.cookies), "a user")):
        for place in places if who == "a stranger" else places[:2]:
            for name in PARAMETERS + NO_PARAMETERS + ["post_logout_redirect_uri", "logout_hint", "iss", "code", "error"]:
                for target, changes in ((rig.authorize(), rig.asked() | {name: place}), (rig.authorize(), rig.asked(prompt="none") | {name: place}), (rig.logout(), {name: place})):
                    count += 1
                    answer = rig.raw("GET", target, session, params=changes)
                    for found in rig.safe(f"{who} {target[-9:]} {name}={place!r}", answer):
                        rig.expect(f"{who} {name}: another host", urllib.parse.urlsplit(found).hostname in ("localhost", None, "shop.example.com"), found[:100])
    for place in places:
        for name in [*fields, *NO_PARAMETERS, ".action", "username", "password", "target"]:
            count += 1
            answer = rig.raw("POST", step, browser, data=fields | {".action": "next", "password": "Wrong-1-wrong"} | {name: place}, headers={"Origin": rig.url})
            rig.safe(f"a form with {name}={place!r}", answer)
        answer = rig.raw("GET", f"{step}?{urllib.parse.urlencode({'next': place, 'again': place})}", browser)
        rig.safe(f"a page with {place!r}", answer)
    for header in ("Referer", "X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "Forwarded"):
        answer = rig.raw("GET", rig.authorize(), params=rig.asked(), headers={header: f"host=evil.example;{EVIL}" if header == "Forwarded" else EVIL})
        rig.safe(f"the header {header}", answer)
        rig.expect(f"the header {header} is not shown", "evil.example" not in answer.text)
    rig.note(f"{count} requests")


@check
def scripts(rig):
    """Script in every field that a page shows: it is text."""
    def shown(what, visitor, is_shown=True):
        text = visitor.answer.text
        rig.expect(f"{what}: is text", "<script>alert" not in text and "<img src=x" not in text and not re.search(r"<[^>]*\sonerror=", re.sub(r'"[^"]*"', '""', text)))
        if is_shown:
            rig.expect(f"{what}: is shown", "&lt;script&gt;alert" in text, text[:200])

    visitor = rig.open(rig.asked(SHOP))
    shown("an application's name", visitor)
    shown("login_hint", rig.open(rig.asked(login_hint=SCRIPT)))
    visitor.submit(username=SCRIPT)
    shown("a name that was typed", visitor)
    visitor = rig.open(rig.asked(prompt="create"))
    visitor.submit(username=SCRIPT)
    shown("the name of a sign-up", visitor)
    answer = rig.raw("GET", rig.authorize(), params=rig.asked(prompt="none", response_mode="form_post", state=SCRIPT))
    rig.expect("state in a form", html.escape(SCRIPT) in answer.text.replace("&#39;", "&#x27;") or "&lt;script&gt;" in answer.text, answer.text[:400])
    rig.safe("state in a form", answer)
    # An address may have such signs in its first part.
    email = "o'<script>alert(1)</script>@example.com"
    visitor = rig.open(rig.asked(prompt="create"))
    visitor.submit(username=email)
    shown("an address", visitor, is_shown=False)
    email = "attributes-of-script@example.com"
    visitor = rig.open(rig.asked(ABOUT))
    visitor.submit("switch", username=email)
    visitor.submit(username=email)
    visitor.submit(code=SCRIPT)
    shown("a code", visitor, is_shown=False)
    visitor.submit(code=rig.code(email))
    visitor.submit(new_password=SCRIPT[:40])
    shown("a password", visitor, is_shown=False)
    if visitor.title != "About you":
        visitor.submit(new_password=PASSWORD)
    visitor.submit(city=SCRIPT, country="")
    shown("an attribute", visitor)
    visitor = rig.open(rig.asked(client="11112222-bbbb-3333-cccc-4444dddd5555", claims='{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'))
    visitor.sign_up("contact-of-script@example.com")
    if 'name="contact"' in visitor.text:
        visitor.submit(contact=SCRIPT)
        shown("a second mailbox", visitor)
    rig.expect("the page of a second mailbox was reached", 'name="contact"' in visitor.text, visitor.title)
    for place in (f"{rig.url}/contoso/web/{urllib.parse.quote(SCRIPT)}", f"{rig.url}/{urllib.parse.quote(SCRIPT)}/oauth2/v2.0/authorize", rig.logout() + "?" + urllib.parse.urlencode({"state": SCRIPT, "ui_locales": SCRIPT})):
        rig.safe(f"script at {place[-30:]}", rig.raw("GET", place, headers={"Accept-Language": SCRIPT, "X-Request-ID": SCRIPT, "client-request-id": SCRIPT}))


@check
def cookies(rig):
    """Rows 11 to 13, 49: cookies that are absent, foreign, old, or there twice."""
    email = "cookies@example.com"
    rig.signed_up(email)
    visitor = rig.open(rig.asked())
    visitor.submit(username=email)
    page, fields = visitor.form()
    jar = visitor.cookies
    form = fields | {"password": PASSWORD, ".action": "next"}
    before = rig.state()

    def tried(what, cookies, statuses):
        for method in ("GET", "POST"):
            header = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies), "Origin": rig.url}
            answer = rig.raw(method, page, headers=header, data=form if method == "POST" else None)
            rig.fine(f"{what}, {method}", answer, statuses, ("evil.example", email))
            rig.expect(f"{what}, {method}: no session", "na-s-" not in str(answer.headers.get("Set-Cookie")))

    pairs = list(jar.items())
    flow = next(name for name in jar if "-f0-" in name)
    browser = next(name for name in jar if "-b-" in name)
    tried("no cookies", [], (400,))
    tried("without the flow's cookie", [pair for pair in pairs if pair[0] != flow], (400,))
    tried("a flow's cookie that is none", [(flow, "AAAA")] + [pair for pair in pairs if pair[0] != flow], (400,))
    other = rig.open(rig.asked())
    other.submit(username=email)
    foreign = {name: value for name, value in other.cookies.items() if "-f0-" in name}
    tried("the cookie of another flow under this name", [(flow, next(iter(foreign.values())))] + [pair for pair in pairs if pair[0] != flow], (400,))
    # Of two with one name the first counts, and a wrong one is no way around.
    tried("two, and the wrong one first", [(flow, "AAAA"), *pairs], (400,))
    header = {"Cookie": "; ".join(f"{name}={value}" for name, value in [(browser, other.cookies[browser]), *[pair for pair in pairs if pair[0] != browser]]), "Origin": rig.url}
    answer = rig.raw("POST", page, headers=header, data=form)
    rig.fine("the browser's cookie of another", answer, (403,), (email,))
    for name, value in (("__Host-na-s-00000000", "x" * 43), (browser.replace("-b-", "-s-"), "A" * 43), (browser.replace("-b-", "-s-"), "A" * 9000)):
        answer = rig.raw("GET", rig.authorize(), params=rig.asked(prompt="none"), headers={"Cookie": f"{name}={value}"})
        came = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers.get("Location", "")).query))
        rig.expect(f"a session's cookie that is none ({name[-14:]}, {len(value)})", came.get("error") == "login_required", f"{answer.status_code} {came}")
    rig.expect("cookies changed nothing", rig.state() == before, f"{before} {rig.state()}")
    # A copy of the whole jar is the same browser: the cookie is the binding.
    copy = Guest(rig)
    copy.plant(jar)
    copy.get(page)
    rig.expect("a copied jar is the same browser", copy.title == "Enter your password", copy.title)
    # The state of an earlier step, after the flow's end.
    visitor.submit(password=PASSWORD)
    rig.expect("the flow ends", visitor.came and visitor.came.query.get("code"), str(visitor.came))
    sessions = rig.rows("SELECT count(*) FROM browser_sessions")
    copy.submit(password=PASSWORD)
    rig.expect(
        "an old cookie gives no other code", not copy.came or copy.came.query.get("code") == visitor.came.query["code"], f"{copy.title} {copy.came}")
    rig.expect("an old cookie opens no other session", rig.rows("SELECT count(*) FROM browser_sessions") == sessions)


@check
def foreign_forms(rig):
    """Rows 17, 47; SEC-WEB-20: forms without or with a foreign token, of other sites, and the attacker's own in the victim's browser."""
    attacker_email, victim_email = "attacker@example.com", "victim@example.com"
    rig.signed_up(attacker_email), rig.signed_up(victim_email)
    attacker, victim = rig.open(rig.asked()), rig.open(rig.asked())
    first_page, first = attacker.form()
    before = rig.state()
    # The first page carries its state in the form: it is of no use in another browser.
    answer = rig.raw("POST", first_page, victim.session, data=first | {"username": attacker_email, ".action": "next"}, headers={"Origin": rig.url})
    rig.fine("the attacker's first form in the victim's browser", answer, (400, 403))
    answer = rig.raw("POST", first_page, rig.new_session(), data=first | {"username": attacker_email, ".action": "next"}, headers={"Origin": rig.url})
    rig.fine("the attacker's first form in a new browser", answer, (400, 403))
    attacker.submit(username=attacker_email)
    page, fields = attacker.form()
    form = fields | {"password": PASSWORD, ".action": "next"}
    before = rig.state()
    for origin in ("https://evil.example", "null", rig.url.replace("https", "http"), rig.url + ".evil.example", "https://localhost", rig.url.upper() + "x"):
        answer = rig.raw("POST", page, attacker.session, data=form, headers={"Origin": origin})
        rig.fine(f"a form from {origin}", answer, (403,))
    for site in ("cross-site", "same-site", "none"):
        answer = rig.raw("POST", page, attacker.session, data=form, headers={"Origin": rig.url, "Sec-Fetch-Site": site})
        rig.fine(f"a form from a site that is {site}", answer, (403,))
    for name, value in ((".form", ""), (".form", "A" * 43), (".form", first[".form"]), (".number", "0"), (".number", ""), (".number", "99999999999999999999")):
        answer = rig.raw("POST", page, attacker.session, data=form | {name: value}, headers={"Origin": rig.url})
        rig.fine(f"a form with {name}={value[:8]!r}", answer, (403,))
    answer = rig.raw("POST", page, attacker.session, data={name: value for name, value in form.items() if name != ".form"}, headers={"Origin": rig.url})
    rig.fine("a form without its token", answer, (400, 403))
    answer = rig.raw("POST", page, victim.session, data=form, headers={"Origin": rig.url})
    rig.fine("the attacker's second form in the victim's browser", answer, (400,))
    rig.expect("foreign forms changed nothing", rig.state() == before)
    silent = rig.open(rig.asked(prompt="none"), victim)
    rig.expect("the victim is signed in as no other", silent.came and silent.came.query.get("error") == "login_required", str(silent.came))
    attacker.submit(password=PASSWORD)
    rig.expect("the flow is unharmed", attacker.came and attacker.came.query.get("code"), attacker.title)
    # The sign-out, which is a form, too.
    attacker.get(rig.logout())
    page, fields = attacker.form()
    for headers, data in (({"Origin": "https://evil.example"}, fields), ({"Sec-Fetch-Site": "cross-site"}, fields), ({"Origin": rig.url}, fields | {"form": "A" * 43}), ({"Origin": rig.url}, fields | {"target": "AAAA"})):
        answer = rig.raw("POST", page, attacker.session, data=data, headers=headers)
        rig.fine(f"a sign-out with {headers}", answer, (403,))
    again = rig.open(rig.asked(), attacker)
    rig.expect("the session lives on", again.title == "Continue to App", again.title)


@check
def fixation(rig):
    """SEC-WEB-19: cookies that another browser planted become no session of its user, in either direction."""
    mallory, dana = "mallory@example.com", "dana@example.com"
    attacker, _ = rig.signed_up(mallory)
    rig.signed_up(dana)
    begun = rig.open(rig.asked())
    for planted in (dict(attacker.cookies), dict(begun.cookies)):
        victim = Guest(rig)
        victim.plant(planted)
        rig.open(rig.asked(prompt="login"), victim)
        victim.submit(username=dana)
        victim.submit(password=PASSWORD)
        rig.expect("the victim signs in", victim.came and victim.came.query.get("code"), victim.title)
        session = next(name for name in victim.cookies if "-s-" in name)
        rig.expect("the session is a new one", planted.get(session) != victim.cookies[session])
        thief = Guest(rig)
        thief.plant(planted)
        rig.open(rig.asked(), thief)
        rig.expect("the planted cookies are not the victim's", dana not in thief.text, thief.title)


@check
def tenants(rig):
    """Row 13, 38; SEC-WEB-8: nothing of one tenant is of use at another."""
    email = "mixed@example.com"
    visitor, code = rig.signed_up(email, SHOP)
    verifier = rig.verifier
    page, tokens = None, rig.redeem(code, SHOP).json()
    answer = rig.raw("GET", rig.authorize("fabrikam"), params=rig.asked(SHOP))
    rig.fine("an application of another tenant", answer)
    silent = rig.open(rig.asked(OTHER, prompt="none"), visitor, "fabrikam")
    rig.expect("a session of another tenant", silent.came and silent.came.query.get("error") == "login_required", str(silent.came))
    flow = rig.open(rig.asked(SHOP, prompt="login"), visitor)
    flow.submit(username=email)
    page, fields = flow.form()
    for tenant in (FABRIKAM, "fabrikam"):
        elsewhere = page.replace(CONTOSO, tenant)
        answer = rig.raw("GET", elsewhere, flow.session)
        rig.fine(f"a page at {tenant}", answer, (400, 404), (email,))
        answer = rig.raw("POST", elsewhere, flow.session, data=fields | {"password": PASSWORD, ".action": "next"}, headers={"Origin": rig.url})
        rig.fine(f"a form at {tenant}", answer, (400, 403, 404), (email,))
    # The cookies of one tenant under the names of the other.
    other = rig.open(rig.asked(OTHER), tenant="fabrikam")
    tags = [next(name for name in one.cookies if "-b-" in name).split("-b-")[1] for one in (flow, other)]
    header = "; ".join(f"{name.replace(tags[0], tags[1])}={value}" for name, value in flow.cookies.items())
    answer = rig.raw("GET", page.replace(CONTOSO, FABRIKAM), headers={"Cookie": header})
    rig.fine("renamed cookies at a page", answer, (400,), (email,))
    answer = rig.raw("GET", rig.authorize("fabrikam"), params=rig.asked(OTHER, prompt="none"), headers={"Cookie": header})
    rig.expect("a renamed session", "error=login_required" in answer.headers.get("Location", ""), answer.headers.get("Location", "")[:120])
    # Codes and tokens.
    rig.open(rig.asked(SHOP), visitor)
    code, verifier = visitor.came.query["code"], rig.verifier
    for tenant, client in (("fabrikam", OTHER), ("fabrikam", SHOP), ("contoso", OTHER)):
        answer = rig.redeem(code, client, tenant, code_verifier=verifier)
        rig.expect(f"a code at {tenant} by {client[:4]}", answer.status_code in (400, 401) and "access_token" not in answer.text, answer.text[:120])
    answer = rig.redeem(code, SHOP, code_verifier=verifier)
    rig.expect("the code is unharmed", answer.status_code == 200, answer.text[:200])
    answer = rig.raw("GET", f"{rig.url}/fabrikam/oidc/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    rig.expect("an access token of another tenant", answer.status_code == 401, str(answer.status_code))
    answer = rig.raw("POST", f"{rig.url}/fabrikam/oauth2/v2.0/token", data={"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": OTHER, "client_secret": SECRET})
    rig.expect("a refresh token of another tenant", answer.status_code == 400 and answer.json()["error"] == "invalid_grant", answer.text[:120])
    answer = rig.raw("GET", rig.logout("fabrikam"), visitor.session, params={"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": BYE})
    rig.fine("a hint of another tenant", answer, (400,))
    rig.open(rig.asked(SHOP, prompt="none"), visitor)
    rig.expect("the session lives on", visitor.came and visitor.came.query.get("code"), str(visitor.came))


@check
def replayed_code(rig):
    """Row 36; OIDC-8: a code that comes 50 times at once to two nodes gives one session, one family of tokens."""
    for client in (APP, SHOP):
        _, code = rig.signed_up(f"replay-{client[:4]}@example.com", client)
        verifier = rig.verifier
        before = int(rig.rows("SELECT count(*) FROM refresh_families")[0])

        def redeem(number):
            # Each third is another request, so that it is no repetition of the first.
            return rig.redeem(
                code, client, port=rig.ports[number % 2], code_verifier=verifier, scope=["openid offline_access", "openid", None][number % 3])

        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(redeem, range(50)))
        won = {answer.text for answer in answers if answer.status_code == 200}
        families = int(rig.rows("SELECT count(*) FROM refresh_families")[0]) - before
        rig.expect(f"one answer with tokens ({client[:4]})", len(won) == 1, f"{len(won)} of {[answer.status_code for answer in answers]}")
        rig.expect(f"one family of tokens ({client[:4]})", families == 1, str(families))
        others = [answer.json() for answer in answers if answer.status_code != 200]
        rig.expect(f"the others: invalid_grant ({client[:4]})", others and all(answer.get("error") == "invalid_grant" for answer in others), str({answer.get("error_description", "")[:40] for answer in others}))
        # Those that were no repetition revoke what the code gave, at both nodes.
        access = json.loads(won.pop())["access_token"]
        for port in rig.ports:
            answer = requests.get(
                f"https://localhost:{port}/contoso/oidc/userinfo", headers={"Host": f"localhost:{rig.port}", "Authorization": f"Bearer {access}"}, verify=str(rig.certificate))
            rig.expect(f"the tokens are revoked ({client[:4]})", answer.status_code == 401, str(answer.status_code))
    rig.note("50 requests at once to two nodes, for each of two applications")


@check
def repeated_forms(rig):
    """Rows 15, 16: one form sent 20 times at once to two nodes has one effect."""
    email = "repeated-forms@example.com"
    visitor = rig.open(rig.asked())
    visitor.submit("switch", username=email)
    visitor.submit(username=email)
    page, fields = visitor.form()
    form = fields | {"code": rig.code(email), ".action": "next"}
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    def send(number):
        return requests.post(
            page.replace(f":{rig.port}/", f":{rig.ports[number % 2]}/"), data=form, allow_redirects=False, verify=str(rig.certificate),
            headers={"Host": f"localhost:{rig.port}", "Origin": rig.url, "Cookie": cookie})

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    rig.expect("each is answered with the next page", {answer.status_code for answer in answers} == {303}, str([answer.status_code for answer in answers]))
    chosen = next((answer for answer in answers if answer.status_code == 303), None)
    visitor.plant(dict(field.split(";")[0].split("=", 1) for field in chosen.raw.headers.getlist("Set-Cookie")))
    visitor.get(page)
    rig.expect("the flow goes on", visitor.title == "Choose a password", visitor.title)
    page, fields = visitor.form()
    form = fields | {"new-password": PASSWORD, ".action": "next"}
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    users, sessions = (int(rig.rows(f"SELECT count(*) FROM {table}")[0]) for table in ("users", "browser_sessions"))
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(send, range(20)))
    rig.expect("no fault of the server", all(answer.status_code in (303, 200, 422) for answer in answers), str([answer.status_code for answer in answers]))
    more = [int(rig.rows(f"SELECT count(*) FROM {table}")[0]) - count for table, count in (("users", users), ("browser_sessions", sessions))]
    rig.expect("one user and one session", more == [1, 1], str(more))


@check
def hidden_accounts(rig):
    """Rows 23, 24; SEC-WEB-23: at an application that hides accounts, known and unknown names get the same pages."""
    known, unknown = "known-hidden@example.com", "other-hidden@example.com"
    rig.signed_up(known, STRICT)

    def seen(name, prompt):
        visitor = rig.open(rig.asked(STRICT, prompt=prompt, login_hint=None))
        visitor.submit(username=name)
        shape = re.sub(r'value="[^"]*"|web/[0-9a-f]{40}', "", visitor.text).replace(name, "NAME")
        shape = re.sub(r"[a-z*\u2022]+@example\.com|[a-z]\*+[a-z]*@[a-z*.]+", "MASKED", shape)
        return visitor.answer.status_code, shape, sorted(name.split("-f0-")[0] for name in visitor.cookies)

    for prompt in (None, "create"):
        rig.expect(f"known and unknown look the same (prompt={prompt})", seen(known, prompt) == seen(unknown, prompt), str([one[0] for one in (seen(known, prompt), seen(unknown, prompt))]))
    # Where answers follow the contract, both are told, with what was typed.
    rig.signed_up("known-open@example.com")
    visitor = rig.open(rig.asked(prompt="create"))
    visitor.submit(username="known-open@example.com")
    rig.expect("a taken address is told", visitor.answer.status_code == 422 and 'value="known-open@example.com"' in visitor.text, visitor.title)


@check
def unexpected(rig):
    """Row 33: a stored hash that no program of ours has written: a page with the number of the request, and nothing else."""
    email = "unexpected@example.com"
    rig.signed_up(email)
    visitor = rig.open(rig.asked())
    visitor.submit(username=email)
    page, fields = visitor.form()
    subprocess.run(["psql", "-qAtX", rig.database, "-c", "UPDATE users SET password_hash = substring(password_hash from 1 for 12)"], check=True)
    answer = rig.raw("POST", page, visitor.session, data=fields | {"password": PASSWORD, ".action": "next"}, headers={"Origin": rig.url})
    rig.fine("a broken row", answer, (500,), ("hash", "stored", "users", "Error", email))
    rig.expect("the page has the number of the request", re.search(r"[0-9a-f]{8}-[0-9a-f-]{27}", answer.text), answer.text[-400:])


@check
def node_dies(rig):
    """Row 50: a node dies between POST and GET; the other one goes on from the cookie. The last check: the node stays dead."""
    email = "node-dies@example.com"
    visitor = rig.open(rig.asked())
    visitor.submit("switch", username=email)
    visitor.submit(username=email)
    code = rig.code(email)
    rig.servers[0].kill()
    rig.servers[0].wait()
    visitor.submit(code=code)
    rig.expect("the flow goes on at the other node", visitor.title == "Choose a password", visitor.title)
    visitor.submit(new_password=PASSWORD)
    rig.expect("and ends", visitor.came and visitor.came.query.get("code"), str(visitor.came))
    rig.expect("with tokens", rig.redeem(visitor.came.query["code"]).status_code == 200)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", help="one check")
    parser.add_argument("--notes", action="store_true", help="tell how much was asked")
    options = parser.parse_args()
    options.nodes = True
    folder = pathlib.Path(tempfile.mkdtemp(prefix="web-failures-"))
    rig = Site(options, folder)
    rig.note = lambda text: options.notes and print(text, file=sys.stderr)
    try:
        rig.wait()
        for name, body in CHECKS.items():
            if not options.only or name == options.only:
                begin, passed = time.monotonic(), rig.passed
                rig.attempt(name, lambda: body(rig))
                rig.expect(f"{name} checks something", rig.passed > passed)
                rig.note(f"{name}: {rig.passed - passed} checks, {time.monotonic() - begin:.1f} s")
    finally:
        rig.stop()
        if rig.failed or not rig.passed:
            print("\n".join(line for line in (folder / "server.log").read_text().splitlines() if " info request " not in line)[-1500:])
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{rig.passed} passed, {rig.failed} failed")
    sys.exit(1 if rig.failed or not rig.passed else 0)


if __name__ == "__main__":
    main()

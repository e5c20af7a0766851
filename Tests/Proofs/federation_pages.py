"""The hosted pages and the providers of others, for scripts/check-providers: a browser without script goes to the provider and back."""

import hashlib
import html
import os
import time
import urllib.parse

from federated_people import App, Browser, FixedSite, changed, query_of
from openid_provider import TOKEN, answering, encoded, hanging_up
from world import PASSWORD_APP, Person

TENANT, OTHER_TENANT = "aaaabbbb-0000-cccc-1111-dddd2222eeee", "bbbbcccc-1111-dddd-2222-eeee3333ffff"
UPSTREAM_APP = "5b0a6c1e-3f7d-4c29-9a84-d2e61f80b7a1"
PASSWORD, SECRET = "Tulip-Harbour-42", "a-secret-of-the-pages-for-this-check-alone"


class PageChecks:
    """The part of `Check` that is about pages."""

    def came(self, what, browser):
        """The claims of the tokens for the code that came to the application."""
        if self.expect(what, browser.code is not None, f"“{browser.title}” {browser.left}"):
            return self.signed_in(f"{what}: its code is redeemed", browser.redeem())
        return None

    def stays(self, what, browser, has_session=False):
        """No code came, no session began, and a page of ours says so."""
        sessions = [cookie.name for cookie in browser.jar if cookie.name.startswith("na-s-")]
        self.expect(
            what, browser.left is None and has_session == bool(sessions) and (browser.status in (400, 404,
                422) or browser.title == "200 We cannot go on"),
            f"“{browser.title}” {browser.left} {sessions}")

    def pages(self):
        main, other = self.main, self.other
        main.person = self.newcomer()
        browser = Browser(self.site)
        address = browser.leave("main", prompt="login")
        self.expect("the page leads to the provider alone",
            browser.answer.headers.get("Refresh", "").endswith(address) or html.escape(address) in browser.text, browser.text[-500:])
        self.expect("it tells the provider nothing of its address", browser.answer.headers.get("Referrer-Policy") == "no-referrer")
        self.expect("a fresh sign-in is asked for", "prompt=login" in address, address)
        flags = [cookie for cookie in browser.jar if not cookie.has_nonstandard_attr("HttpOnly") or cookie.get_nonstandard_attr("SameSite") != "Lax"]
        self.expect("SEC-FED-6 the cookies are not for other sites", not flags, flags)
        browser = Browser(self.site)
        back = browser.visit(main)
        browser.go(back)
        claims = self.came("SEC-FED-5 a new user at the pages", browser)
        self.expect("amr at the pages", claims and claims.get("amr") == ["fed"], claims)
        self.stays("SEC-FED-5 the same answer twice", browser.go(back), has_session=True)
        browser = Browser(self.site)
        again = self.came("the same user again", browser.go(browser.visit(main)))
        self.expect("is the same user", claims and again and claims["oid"] == again["oid"])
        native = self.signed_in("the same identity in an app", App(self.site).sign_in(main, **main.person))
        self.expect("is the same user, too", claims and native and claims["oid"] == native["oid"])
        # A provider that speaks for no address, and a client without a secret.
        other.person = self.newcomer("else.example")
        browser = Browser(self.site)
        browser.go(browser.visit(other))
        named = f"page-{other.person['email']}"
        _, code = self.site.mailed(named, lambda: browser.submit(username=named))
        self.came("a mailbox that the user names at the pages", browser.submit(code=code or "none"))
        browser = Browser(self.site)
        self.came("signs in without it", browser.go(browser.visit(other)))
        # A link.
        main.person = self.newcomer()
        Person(self.site, PASSWORD_APP).sign_up(main.person["email"], PASSWORD)
        browser = Browser(self.site)
        browser.go(browser.visit(main))
        self.expect("SEC-FED-9 the page of a link names no account", main.person["email"] not in browser.text and browser.left is None,
            browser.title)
        self.came("SEC-FED-9 a link at the pages", browser.submit(password=PASSWORD))
        browser = Browser(self.site)
        self.came("the linked identity at the pages", browser.go(browser.visit(main)))
        # Posted from another site: only the GET that follows has the cookie.
        browser = Browser(self.site)
        back = urllib.parse.urlsplit(browser.visit(main))
        posted = Browser(self.site).go(
            back._replace(query="").geturl(), dict(urllib.parse.parse_qsl(back.query)),
                {"Origin": main.issuer, "Sec-Fetch-Site": "cross-site"}, follows=False)
        self.expect("SEC-FED-6 a posted answer becomes a GET of ours",
            posted.status == 303 and (posted.left or "").startswith(self.callback("main") + "?"), posted.left)
        self.expect("SEC-FED-6 and sets no cookie", not list(posted.jar), list(posted.jar))
        self.came("SEC-FED-6 which signs in where the flow is", browser.go(posted.left))
        self.stays("SEC-FED-6 and nowhere else", Browser(self.site).go(posted.left))
        posted.go(self.callback("main"), {"state": "a\r\nX-Injected: 1", "code": "b\r\nX-Injected: 1"}, follows=False)
        self.expect("SEC-FED-6 a line end becomes no header", "X-Injected" not in posted.answer.headers and "\n" not in (posted.left or ""), posted.left)
        self.expect("the provider was asked as the standards want it", not main.violations + other.violations,
            main.violations + other.violations)

    def wrong_ways(self):
        main, other = self.main, self.other
        main.person, other.person = self.newcomer(), self.newcomer("else.example")
        users = self.site.count("users")

        def tried(what, provider=main, follow=None, **changes):
            """A way back with changes."""
            browser = Browser(self.site)
            back = browser.visit(provider)
            browser.go(follow(browser, back) if follow else changed(back, **changes))
            self.stays(what if what.startswith("SEC") else f"SEC-FED-5 {what}", browser)

        state = lambda back: query_of(back)["state"]
        handle = lambda back: state(back).partition(".")[0]
        tried("no state", state=None)
        tried("an empty state", state="")
        tried("another state of this flow", follow=lambda _, back: changed(back, state=f"{handle(back)}.{encoded(os.urandom(32))}"))
        tried("the flow without its state", follow=lambda _, back: changed(back, state=handle(back)))
        tried("a state in other letters", follow=lambda _, back: changed(back, state=state(back).swapcase()))
        tried("two states", follow=lambda _, back: f"{back}&state={state(back)}")
        thief = Browser(self.site)
        stolen = thief.visit(main)
        tried("the state and code of another browser", follow=lambda *_: stolen)
        self.expect("SEC-FED-5 no code was injected", main.injected == 0, main.injected)
        tried("the code of another browser", follow=lambda _, back: changed(back, code=query_of(stolen)["code"]))
        tried("the state of the same browser's other flow", follow=lambda browser, back: changed(back, state=state(browser.visit(main))))
        self.expect("SEC-FED-5 PKCE tells such codes", main.injected == 2, main.injected)
        tried("no cookies", follow=lambda browser, back: browser.jar.clear() or back)
        # Mix-up (RFC 9700 section 4.4): one provider's answer at the address, or in the flow, of the other.
        tried("the first provider's state at the second's address", follow=lambda _, back: back.replace("/main/", "/other/"))
        tried("the second provider's state at the first's address", other, follow=lambda _, back: back.replace("/other/", "/main/"))
        whole = lambda _, back: changed(back.replace("/other/", "/main/"), iss=main.issuer)
        tried("the second provider's whole answer at the first's address", other, follow=whole)
        before = main.asked[TOKEN]
        tried("no issuer, though it is announced", iss=None)
        tried("another provider's issuer", iss=other.issuer)
        tried("an issuer with a slash", iss=main.issuer + "/")
        tried("an issuer that is not announced, and wrong", other, iss=main.issuer)
        self.expect("SEC-FED-5 such an answer's code is not exchanged", main.asked[TOKEN] == before, main.asked[TOKEN] - before)
        tried("an unknown provider's address", follow=lambda _, back: back.replace("/main/", "/unknown/"))
        tried("a code that the provider does not know", code="unknown")
        tried("no code", code=None)
        tried("an empty code", code="")
        tried("a code that is an address", code="https://evil.example/")
        tried("a code beside an error", error="access_denied")
        # A way back is open once, also for a browser that kept its cookies.
        browser = Browser(self.site)
        back = browser.visit(main)
        kept = list(browser.jar)
        browser.go(changed(back, error="access_denied", code=None))
        self.stays("SEC-FED-5 a refusal", browser)
        self.stays("SEC-FED-5 the answer after a refusal", browser.go(back))
        main.claims_of_pages = {"jti": "one", "iat": self.clock.now(), "exp": self.clock.now() + 60}
        self.came("an answer that was refused has spent nothing", plant(browser, kept).go(back))
        self.stays("SEC-FED-5 the answer once more, with the cookies of before", plant(Browser(self.site), kept).go(back))
        another = lambda: changed(back, code=main.code(main.seen["nonce"], main.seen["code_challenge"]))
        # The very same token is the same request once more, which has the same answer (REL-IDEM).
        late = plant(Browser(self.site), kept).go(another())
        self.expect("SEC-FED-3 another code for the same token gives the application no other code", late.code in (None, browser.code),
            late.left)
        main.claims_of_pages = {}
        self.stays("SEC-FED-3 another code for another token", plant(Browser(self.site), kept).go(another()))
        self.expect("one user came of that", self.site.count("users") == users + 1, self.site.count("users") - users)
        # What the provider says, and what of its tokens.
        main.refuses = True
        browser = Browser(self.site)
        self.stays("access_denied", browser.go(browser.visit(main)))
        main.refuses = False
        for what, fault in {"down": hanging_up, "failing": answering(500, b"{}"), "refusing": answering(400, {"error": "invalid_grant"}),
        "answering with garbage": answering(200, b"<html>"),
                            "answering without a token": answering(200, {"access_token": "a"}),
                            "sending away": answering(307, b"", {"Location": self.attacker.issuer + TOKEN}),
                            "answering too much": answering(200, b'{"id_token":"' + b"a" * 70_000 + b'"}')}.items():
            main.faults[TOKEN] = fault
            tried(f"a token endpoint that is {what}")
        main.faults.clear()
        for what, changes in {"for the app": {"aud": main.app}, "for both": {"aud": [main.app, main.pages]},
        "of another nonce": {"nonce": encoded(os.urandom(32))}, "without a nonce": {"nonce": None},
                              "of another issuer": {"iss": other.issuer}, "that has ended": {"exp": self.clock.now() - 100},
                              "for another's pages": {"aud": other.pages}}.items():
            main.claims_of_pages = changes
            tried(f"SEC-FED-4 a token {what}")
        main.claims_of_pages = {}
        self.refused("SEC-FED-4 a token for the pages in an app", App(self.site).sign_in(main, aud=main.pages, **main.person))
        self.expect("none of that made a user", self.site.count("users") == users + 1, self.site.count("users") - users)
        self.expect("no other provider was asked", not self.attacker.asked, self.attacker.asked)
        main.person = self.newcomer()
        browser = Browser(self.site)
        self.came("after all that, a right answer signs in", browser.go(browser.visit(main)))

    def mock(self):
        for what in ("a new user of oidc-provider-mock", "the same user again"):
            browser = Browser(self.site)
            browser.go(browser.leave("mock"), {"sub": "dana@mock.example"})
            if what.startswith("a new"):
                _, code = self.site.mailed("dana@mock.example", lambda: browser.submit(username="dana@mock.example"))
                browser.submit(code=code or "none")
            self.came(what, browser)

    def upstream(self):
        """A second server of this kind is the provider: its users sign in at its pages, and come back."""
        digest, ends = encoded(hashlib.sha256(SECRET.encode()).digest()), time.strftime("%Y-%m-%d", time.gmtime(time.time() + 100 * 86_400))
        site = FixedSite(self.options, self.upstream_port, f"""tenants:
  - id: {OTHER_TENANT}
    subdomain: upstream
    domain: upstream.example.com
    displayName: Upstream
    applications:
      - clientId: {UPSTREAM_APP}
        displayName: Contoso
        signIn: emailPassword
        redirectUris: {{web: ["{self.callback('upstream')}"]}}
        secrets: [{{id: 3c8e0f25-7d41-4b96-a0f3-5e2b1c9d8a76, hint: "a-s", sha256: "{digest}", ends: {ends}}}]
""")
        try:
            for what in ("a new user of a second server", "the same user again"):
                browser, there = Browser(self.site), Browser(site)
                there.go(browser.leave("upstream"))
                if what.startswith("a new"):
                    there.submit("switch", username="erik@example.com")
                    _, code = site.mailed("erik@example.com", lambda: there.submit(username="erik@example.com"))
                    there.submit(code=code or "none")
                    there.submit(new_password=PASSWORD)
                else:
                    there.submit(username="erik@example.com")
                    there.submit(password=PASSWORD)
                self.expect(f"{what}: it sends the browser back", (there.left or "").startswith(self.callback("upstream")),
                    f"“{there.title}” {there.left}")
                browser.go(there.left)
                if what.startswith("a new"):
                    # Its tokens do not say that an address is verified.
                    _, code = self.site.mailed("erik@example.com", lambda: browser.submit(username="erik@example.com"))
                    browser.submit(code=code or "none")
                self.came(what, browser)
            code = site.nodes[0].stop()
            self.expect("the second server ends cleanly", code == 0, code)
        finally:
            site.stop()

    def endpoints(self):
        """Authorization endpoints that a provider should not have: a page of ours, and nothing of them where it does harm."""
        faulty = self.faulty
        faulty.faults = {}
        for what, endpoint in {
                "a line end": faulty.issuer + "/a\r\nX-Injected: 1", "markup": faulty.issuer + "/\"><script>alert(1)</script>",
                "a script": "javascript:alert(1)", "a document": "data:text/html,<script>alert(1)</script>", "20,000 letters": faulty.issuer + "/" + "a" * 20_000,
                "other letters": faulty.issuer + "/ä\u202e€", "a query": faulty.issuer + "/a?b=c", "nothing": None, "no text": "", "a number": 1}.items():
            faulty.discovery = {"authorization_endpoint": endpoint}
            self.jump(86_401)
            browser = Browser(self.site)
            browser.leave("faulty")
            named, headers = f"an authorization endpoint with {what}", browser.answer.headers
            self.expect(f"{named}: a page of ours", browser.status in (200, 400, 422), browser.title)
            self.expect(f"{named}: leads nowhere else", not browser.left or browser.left.startswith(faulty.issuer + "/"), browser.left)
            self.expect(f"{named}: does no harm", "X-Injected" not in headers and "<script>alert" not in browser.text and "javascript:" not in browser.text, browser.text[:300])
            if what == "a query":
                self.expect(f"{named}: keeps it", query_of(browser.left or "").keys() >= {"b", "client_id", "state"}, browser.left)
        faulty.discovery = {}


def plant(browser, cookies):
    """The browser, with cookies of another moment or browser."""
    for cookie in cookies:
        browser.jar.set_cookie(cookie)
    return browser

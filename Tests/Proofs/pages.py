"""The hosted pages in a browser: each way to sign up, sign in, go on and sign out, with and without script, up to the answer at a
client; what a browser does besides, such as Back, Reload and a second tab; and on each page an accessibility checker in both colour
schemes, a strict HTML parser, three widths, wide text, the keyboard, the size of targets and the fields of the answer.

With --pictures DIR, it leaves pictures of each page there. With --full, each page is looked at in all languages."""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

import browser
import world
from browser import PASSWORD, Fault

WIDTHS = (320, 768, 1280)
SIZES = ((360, 740), (768, 1024), (1280, 800))
LANGUAGES = "ar zh-Hans cs da nl fi fr de he it ja ko nb pl pt es sv tr uk".split()
CODE, PASSWORDS, ATTRIBUTES, SERVER, FOREIGN = (
    "00001111-aaaa-2222-bbbb-3333cccc4444", "11112222-bbbb-3333-cccc-4444dddd5555", "33334444-dddd-5555-eeee-6666ffff7777",
    "55556666-eeee-7777-ffff-8888aaaa9999", "66667777-ffff-8888-aaaa-9999bbbb0000")
TELEVISION = "77778888-aaaa-9999-bbbb-0000cccc1111"
APP = "msauth.com.example.app://auth"
SECOND_FACTOR = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
TENANTS = """
tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    applications:
      - {clientId: 00001111-aaaa-2222-bbbb-3333cccc4444, displayName: Lighthouse, signIn: emailOneTimePasscode, redirectUris: {publicClient: ["http://localhost", "msauth.com.example.app://auth"]}}
      - {clientId: 11112222-bbbb-3333-cccc-4444dddd5555, displayName: Harbour, signIn: emailPassword, redirectUris: {publicClient: ["http://localhost", "msauth.com.example.app://auth"]}}
      - clientId: 33334444-dddd-5555-eeee-6666ffff7777
        displayName: Tom & Sons <Boats>
        signIn: emailPassword
        requiredAttributes: [country, city]
        attributes:
          - {name: extension_newsletter, type: boolean, required: true}
          - {name: extension_boats, type: integer, required: true}
        redirectUris: {publicClient: ["http://localhost"]}
      - clientId: 55556666-eeee-7777-ffff-8888aaaa9999
        displayName: Harbour shop
        signIn: emailPassword
        redirectUris: {web: ["http://localhost:PORT/done"]}
        postLogoutRedirectUris: ["http://localhost:PORT/bye"]
      - clientId: 66667777-ffff-8888-aaaa-9999bbbb0000
        displayName: Quay calendar
        signIn: emailPassword
        thirdParty: true
        redirectUris: {spa: ["http://localhost:PORT/quay"]}
      - {clientId: 77778888-aaaa-9999-bbbb-0000cccc1111, displayName: Harbour television, signIn: emailPassword, nativeAuthentication: false, deviceFlow: true}
"""
# What a user of wide text sets (WCAG 1.4.12).
SPACING = "* {line-height:1.5 !important; letter-spacing:.12em !important; word-spacing:.16em !important} p {margin-bottom:2em !important}"
# What can be reached with the keyboard, in order: of a group of radios, the chosen one.
REACHABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea')].filter(one =>
    one.type !== 'hidden' && one.tabIndex >= 0 && !one.disabled && one.getClientRects().length && (one.type !== 'radio' || one.checked))
    .map(one => one.id || one.name + one.value + one.textContent)"""
FOCUSED = """() => {
    const one = document.activeElement;
    if (!one || one === document.body || one === document.documentElement) return null;
    const [style, box] = [getComputedStyle(one), one.getBoundingClientRect()];
    return {id: one.id || one.name + one.value + one.textContent,
        isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        isSeen: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth}
}"""
SMALL = """() => [...document.querySelectorAll('a[href], button, input, select, textarea')].filter(one => {
    const box = (one.closest('label') || one).getBoundingClientRect();
    return one.type !== 'hidden' && box.width && !one.closest('.problem') && (box.width < 24 || box.height < 24)
}).map(one => one.outerHTML.slice(0, 120))"""
CUT = """() => [...document.querySelectorAll('main, main *')].filter(one =>
    getComputedStyle(one).overflow !== 'visible' && one.tagName !== 'INPUT' && one.scrollHeight > one.clientHeight + 1).map(one => one.outerHTML.slice(0, 120))"""


class Callback:
    """The client's address: remembers what comes, and moves on to another origin."""

    def __init__(self):
        owner, self.came, self.news = self, [], threading.Condition()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.take(urllib.parse.urlparse(self.path).query)

            def do_POST(self):
                self.take(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def take(self, text):
                path = urllib.parse.urlparse(self.path).path
                if path == "/favicon.ico":
                    self.send_response(204)
                    self.end_headers()
                    return
                is_end = path == "/end"
                if not is_end:
                    with owner.news:
                        owner.came.append((path, dict(urllib.parse.parse_qsl(text)), self.headers.get("Referer"), self.command))
                        owner.news.notify_all()
                # Two more origins follow: a form's policy of ours must not stop them.
                self.send_response(200 if is_end else 303)
                if not is_end:
                    hop = "/hop" if path != "/hop" else "/end"
                    self.send_header("Location", f"http://{'127.0.0.1' if hop == '/hop' else 'localhost'}:{owner.port}{hop}")
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                if is_end:
                    self.wfile.write(b"<!doctype html><html lang=en><title>Client</title><main><h1>Client</h1></main></html>")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, seen):
        """What came after `seen` answers."""
        with self.news:
            if not self.news.wait_for(lambda: len(self.answers()) > seen, 10):
                raise Fault("no answer came to the client")
            return self.answers()[seen]

    def answers(self):
        return [one for one in self.came if one[0] != "/hop"]


class Check(browser.BrowserCheck):
    def __init__(self, options, chromium):
        super().__init__(options, chromium)
        self.callback = Callback()
        self.port = world.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        file = pathlib.Path(options.folder) / "tenants.yaml"
        file.write_text(TENANTS.replace("PORT", str(self.callback.port)))
        self.site = world.Site(options, arguments=["--config", str(file), "--port", str(self.port), "--base-url", self.url], environment={})
        self.redirect = f"http://localhost:{self.callback.port}"
        self.language, self.mode = None, "script"
        self.looked, self.answered = set(), set()
        self.documents, self.left = {}, []
        self.page = None

    def command(self, *arguments):
        place = ["--data", str(self.site.nodes[0].folder), "--master-key-file", str(self.site.key)]
        done = subprocess.run([self.site.binary, *arguments, *place], capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"native-auth {' '.join(arguments)}: {done.stderr}")

    # A visitor

    def visit(self, width=1280):
        page = self.visitor(width=width, height=800, script=self.mode == "script", locale=self.language or "en")
        self.watch(page)
        return page

    def watch(self, page):
        def keep(response):
            if response.request.is_navigation_request():
                self.documents[page] = response

        # The browser library tells of no redirect to a scheme of an app.
        def leave(answer):
            place = {name.lower(): value for name, value in answer["headers"].items()}.get("location", "http")
            if not place.startswith("http"):
                self.left.append(place)

        page.on("response", keep)
        session = page.context.new_cdp_session(page)
        session.on("Network.responseReceivedExtraInfo", leave)
        session.send("Network.enable")

    def path(self, client=PASSWORDS, tenant="contoso", **changes):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).decode().rstrip("=")
        query = {"client_id": client, "redirect_uri": self.redirect, "response_type": "code", "scope": "openid profile offline_access", "state": 'st|{"a":1}'}
        query |= {"nonce": "n-1", "code_challenge": challenge, "code_challenge_method": "S256"} | changes
        return f"{self.url}/{tenant}/oauth2/v2.0/authorize?" + urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})

    def open(self, page, client=PASSWORDS, **changes):
        page.goto(self.path(client, **changes))

    def press(self, page, action="next"):
        """Sends a form, and waits for the page that follows."""
        with page.expect_navigation(wait_until="load"):
            page.click(f"button[value={action}]")

    def give(self, page, action="next", **values):
        for name, value in values.items():
            page.fill(f"#{name.replace('new_', 'new-').replace('user_', 'user-')}", value)
        self.press(page, action)

    def give_code(self, page, address, seen, **more):
        self.give(page, code=self.code(address, seen), **more)

    def code(self, address, seen):
        code = self.site.mailbox.code(address, seen, 10)
        if not code:
            raise Fault(f"no code came to {address}; log: {self.site.nodes[0].log.read_text()[-1500:]}")
        return code

    def title(self, page):
        return page.inner_text("h1")

    def is_title(self, page, text):
        """In English only: the pages of other languages are looked at, not read."""
        if self.language in (None, "en"):
            self.expect(f"a page says “{text}” ({self.mode})", self.title(page) == text, self.title(page))

    def comes(self, what, seen, **members):
        """The answer at the client."""
        path, answer, referer, method = self.callback.next(seen)
        good = answer.get("state") == 'st|{"a":1}' and answer.get("iss", "").endswith("/v2.0") and not referer
        good = good and all(name in answer if value is True else answer.get(name) == value for name, value in members.items())
        self.expect(f"{what} ({self.mode})", good, f"{method} {path} {answer} {referer}")
        return answer

    def sent(self):
        return len(self.callback.answers())

    # Each page

    def look(self, page, name, status=200):
        """Everything that holds on each page. The longer part is done once for each page and language."""
        answer = self.documents[page]
        text = answer.text()
        self.expect(f"{name} answers {status}", answer.status == status, str(answer.status))
        key = (name, self.language, self.mode)
        if key in self.looked:
            return
        self.looked.add(key)
        self.markup(name, text, answer.headers)
        # Without script, the checker of accessibility does not return.
        if self.mode != "script":
            return
        label = f"{name}, {self.language or 'en'}"
        had_focus = page.evaluate(FOCUSED)
        is_short = self.language is not None
        self.accessible(f"{label}, light", page, browser.WCAG)
        page.emulate_media(color_scheme="dark")
        if not is_short:
            self.accessible(f"{label}, dark", page, {"runOnly": ["color-contrast"]})
        page.emulate_media(color_scheme="light")
        self.expect(f"{label}: targets", not page.evaluate(SMALL), str(page.evaluate(SMALL)))
        if not is_short:
            self.keyboard(label, page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 640})
            self.fits(label, page)
        page.set_viewport_size({"width": 320, "height": 640})
        page.evaluate("text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets = [sheet] }", SPACING)
        self.fits(f"{label}, with wide text,", page)
        self.expect(f"{label}: wide text is not cut", not page.evaluate(CUT), str(page.evaluate(CUT)))
        page.evaluate("document.adoptedStyleSheets = []")
        if self.options.pictures and (not is_short or self.language in ("de", "ar")):
            self.picture(page, name, SIZES if not is_short else SIZES[:1], had_focus)
        page.set_viewport_size({"width": 1280, "height": 800})

    def picture(self, page, name, sizes, had_focus):
        page.evaluate("id => { document.activeElement.blur(); document.getElementById(id)?.focus() }", had_focus["id"] if had_focus else "")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                language = f"-{self.language}" if self.language else ""
                page.screenshot(path=f"{self.options.pictures}/{name}{language}-{scheme}-{width}.png")
        page.emulate_media(color_scheme="light")

    def markup(self, name, text, headers):
        self.strict(name, text)
        faults = re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", text)
        self.expect(f"{name} has nothing inline", not faults, str(faults))
        language = re.search(r'<html lang="([^"]*)"', text)
        self.expect(f"{name} has its language", language and language[1] == (self.language or "en"), text[:80])
        self.expect(f"{name} has one heading", text.count("<h1>") == 1)
        title = re.search(r"<title>(.*?)</title>", text)[1]
        self.expect(f"{name} has a title", re.search(r"<h1>(.*?)</h1>", text)[1] in title and not title.rstrip().endswith("–"), title)
        self.expect(f"{name} has no escaped markup", "=&quot;" not in text and not re.search(r"&lt;(?!Boats)", text))
        policy = headers.get("content-security-policy", "")
        self.expect(f"{name} has the policy", "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)
        self.expect(f"{name} limits forms", ("form-action 'self'" in policy) == (name != "form-post"), policy)
        usual = {
            "cache-control": "no-store", "x-content-type-options": "nosniff", "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin", "content-type": "text/html; charset=utf-8"}
        wrong = {field: headers.get(field) for field, value in usual.items() if headers.get(field) != value}
        self.expect(f"{name} has the fields of a page", not wrong and "camera=()" in headers.get("permissions-policy", ""), str(wrong))
        self.expect(f"{name} tells others nothing", headers.get("referrer-policy") in ("same-origin", "no-referrer"), headers.get("referrer-policy"))

    def keyboard(self, name, page):
        """Tab reaches each control, in the order of the page, and the eye sees where it is."""
        wanted = page.evaluate(REACHABLE)
        page.evaluate("document.activeElement?.blur(); document.getSelection().removeAllRanges(); scrollTo(0, 0)")
        page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
        seen, marked = [], []
        for _ in wanted:
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUSED)
            if focused:
                seen.append(focused["id"])
                marked.append(focused["isMarked"] and focused["isSeen"])
        self.expect(f"{name}: order of the keyboard", seen == wanted, f"{seen} in place of {wanted}")
        self.expect(f"{name}: the focus is seen", all(marked), f"{list(zip(seen, marked))}")

    def refused(self, page, name, field, keeps=None):
        """The page after a wrong answer (WCAG 3.3.1)."""
        self.expect(f"{name}: an alert comes first", page.locator("main .problem[role=alert]").count() == 1)
        self.expect(f"{name}: the field is marked", page.get_attribute(f"#{field}", "aria-invalid") == "true")
        named = (page.get_attribute(f"#{field}", "aria-describedby") or "").split()
        self.expect(f"{name}: the field names its fault", "problem" in named and page.locator("#problem").count() == 1, str(named))
        if self.mode == "script":
            self.expect(f"{name}: the field has the focus", page.evaluate("document.activeElement.id") == field, page.evaluate("document.activeElement.id"))
        if self.language in (None, "en"):
            self.expect(f"{name}: the title says so", page.title().startswith("Error: "), page.title())
        self.expect(f"{name}: what was typed", page.input_value(f"#{field}") == (keeps or ""), page.input_value(f"#{field}"))
        self.look(page, name, 422)

    # The ways

    def person(self, name):
        suffix = f"{self.language or 'en'}.{self.mode}".replace(" ", "-").lower()
        return f"{name}.{suffix}@example.com"

    def sign_up_with_code(self):
        page, address, seen = self.visit(), self.person("code"), self.sent()
        self.open(page, CODE)
        self.look(page, "sign-in")
        self.is_title(page, "Sign in")
        self.give(page, username="none@example.com")
        self.refused(page, "unknown-user", "username", keeps="none@example.com")
        page.goto(page.url)
        self.is_title(page, "Sign in")
        self.give(page, "switch", username=address)
        self.look(page, "sign-up")
        self.is_title(page, "Create your account")
        self.expect(f"the address is kept ({self.mode})", page.input_value("#username") == address)
        before = self.site.mailbox.seen(address)
        self.press(page)
        self.look(page, "sign-up-code")
        self.is_title(page, "Check your mail")
        self.code(address, before)
        self.press(page, "restart")
        self.is_title(page, "Create your account")
        before = self.site.mailbox.seen(address)
        self.expect(f"another try keeps the address ({self.mode})", page.input_value("#username") == address)
        self.press(page)
        code = self.code(address, before)
        self.give(page, code="0000 0000")
        self.refused(page, "wrong-code", "code")
        before = self.site.mailbox.seen(address)
        self.press(page, "resend")
        code = self.code(address, before)
        self.look(page, "code-sent-again")
        self.expect(f"a wish for another code is heard ({self.mode})", page.locator(".notice[role=status]").count() == 1)
        if self.mode == "script" and not self.language:
            self.typing(page, code)
            self.counting(page)
        # Blanks and hyphens do no harm.
        self.give(page, code=f" {code[:4]}-{code[4:]} ")
        page.wait_for_url("**/end")
        self.comes("a sign-up with a code", seen, code=True)

    def typing(self, page, code):
        """What the script adds at the field of a code."""
        page.focus("#code")
        page.evaluate("""text => {
            const data = new DataTransfer();
            data.setData('text', text);
            document.getElementById('code').dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
        }""", f"Contoso: your code is {code[:4]} {code[4:]}.\n")
        self.expect("a code is found in pasted text", re.sub(r"\D", "", page.input_value("#code")) == code, page.input_value("#code"))
        page.fill("#code", "")
        page.keyboard.insert_text("１２３٤٥")
        self.expect("digits of other scripts are taken", page.input_value("#code") == "12345", page.input_value("#code"))

    def counting(self, page):
        """A development server sends another code at once: the page gets the seconds of production."""
        page.evaluate("sessionStorage.clear()")
        waiting = lambda route, request: route.fulfill(response=(answer := route.fetch()), body=answer.text().replace('data-wait="0"', 'data-wait="60"'))
        page.route("**/web/*?sent", waiting)
        page.goto(page.url)
        button = page.locator("button[value=resend]")
        self.expect("the seconds until another code are counted", re.search(r"(60|5\d)", button.inner_text()), button.inner_text())
        self.expect("the count is not in the button's name", button.locator("[aria-hidden=true]").count() == 1 and page.locator("p[role=status].unseen").inner_text() == "")
        self.expect("the button works meanwhile", button.is_enabled())
        self.look(page, "counting")
        page.unroute("**/web/*?sent")

    def sign_up_with_attributes(self):
        page, address, seen = self.visit(), self.person("attributes"), self.sent()
        self.open(page, ATTRIBUTES, prompt="create")
        self.look(page, "sign-up-long-name")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.look(page, "choose-password")
        self.is_title(page, "Choose a password")
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, new_password="short")
        self.refused(page, "weak-password", "new-password")
        if self.mode == "script" and not self.language:
            self.showing(page, "new-password")
        self.give(page, new_password=PASSWORD)
        self.look(page, "attributes")
        self.is_title(page, "About you")
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, country="Denmark", extension_boats="two")
        self.refused(page, "missing-attribute", "city")
        self.expect(f"other answers are kept ({self.mode})", page.input_value("#country") == "Denmark")
        page.check("#extension_newsletter")
        self.give(page, city="Aarhus")
        self.refused(page, "bad-attribute", "extension_boats", keeps="two")
        self.expect(f"a ticked box is kept ({self.mode})", page.is_checked("#extension_newsletter"))
        self.give(page, extension_boats="2")
        page.wait_for_url("**/end")
        self.comes("a sign-up with a password and attributes", seen, code=True)
        page.context.close()

    def showing(self, page, field):
        page.fill(f"#{field}", "Anden-Vinter#93")
        button = page.locator(f"button[aria-controls={field}]")
        self.expect("a button shows the password", button.get_attribute("aria-pressed") == "false" and button.get_attribute("aria-label"))
        button.click()
        self.expect("the password is shown", page.get_attribute(f"#{field}", "type") == "text" and button.get_attribute("aria-pressed") == "true")
        button.click()
        self.expect("the password is hidden", page.get_attribute(f"#{field}", "type") == "password" and page.input_value(f"#{field}") == "Anden-Vinter#93")
        button.click()
        self.expect("a shown password is sent as a hidden one", page.evaluate("""field => {
            const form = document.getElementById(field).form;
            form.addEventListener('submit', event => event.preventDefault(), {once: true});
            form.requestSubmit();
            return document.getElementById(field).type;
        }""", field) == "password")

    def sign_up(self, address, client=PASSWORDS, page=None):
        page = page or self.visit()
        seen = self.sent()
        self.open(page, client, prompt="create")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.give(page, new_password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a sign-up with a password", seen, code=True)
        return page

    def sign_in_with_password(self):
        address = self.dana = self.person("dana")
        first = self.sign_up(address)
        page, seen = self.visit(), self.sent()
        self.open(page, login_hint=address)
        self.expect(f"the hint fills in the name ({self.mode})", page.input_value("#username") == address)
        self.press(page)
        self.look(page, "password")
        self.is_title(page, "Enter your password")
        for field, purpose in (("username", "username"), ("password", "current-password")):
            self.expect(f"password managers know {field}", page.get_attribute(f"#{field}", "autocomplete") == purpose)
        self.give(page, password="Not-The-Right-1")
        self.refused(page, "wrong-password", "password")
        page.check("input[name=keep]")
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a sign-in with a password", seen, code=True)
        kept = [one for one in page.context.cookies() if one["name"].startswith("na-s-")]
        self.expect(f"a session that is kept ({self.mode})", len(kept) == 1 and kept[0]["expires"] > 0 and kept[0]["httpOnly"], str(kept))
        kept = [one for one in first.context.cookies() if one["name"].startswith("na-s-")]
        self.expect(f"a session that ends with the browser ({self.mode})", len(kept) == 1 and kept[0]["expires"] == -1, str(kept))
        first.context.close()
        self.page = page

    def go_on(self):
        """What a second visit of the same browser finds."""
        page, seen = self.page, self.sent()
        self.open(page)
        self.look(page, "continue")
        self.is_title(page, "Continue to Harbour")
        self.press(page)
        page.wait_for_url("**/end")
        self.comes("a click goes on with the session", seen, code=True)
        self.open(page, prompt="none")
        page.wait_for_url("**/end")
        self.comes("an app is not signed in silently", seen + 1, error="interaction_required")
        self.open(page, SERVER, redirect_uri=f"{self.redirect}/done")
        page.wait_for_url("**/end")
        self.comes("an application on a server is", seen + 2, code=True)
        self.open(page)
        self.press(page, "other")
        self.is_title(page, "Sign in")
        self.press(page, "cancel")
        page.wait_for_url("**/end")
        self.comes("a user cancels", seen + 3, error="access_denied")

    def consent(self):
        """An application of another organisation."""
        page, seen, place = self.page, self.sent(), f"{self.redirect}/quay"
        self.open(page, FOREIGN, redirect_uri=place)
        self.look(page, "consent")
        self.expect(f"what is asked for is told ({self.mode})", page.locator(".asked li").count() == 3)
        self.press(page, "decline")
        page.wait_for_url("**/end")
        self.comes("a refused consent", seen, error="access_denied")
        self.open(page, FOREIGN, redirect_uri=place)
        self.press(page)
        page.wait_for_url("**/end")
        self.comes("a consent", seen + 1, code=True)

    def device(self):
        """A device without a browser shows a code; its user types it."""
        page, base = self.page, f"{self.url}/contoso"

        def begin():
            fields = urllib.parse.urlencode({"client_id": TELEVISION, "scope": "openid profile"}).encode()
            with urllib.request.urlopen(f"{base}/oauth2/v2.0/devicecode", fields) as answer:
                return json.load(answer)

        def poll(codes):
            fields = {"client_id": TELEVISION, "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": codes["device_code"]}
            try:
                with urllib.request.urlopen(f"{base}/oauth2/v2.0/token", urllib.parse.urlencode(fields).encode()) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                return json.load(error)

        for action, end in [("next", "Go back to your device"), ("cancel", "The device is not signed in")]:
            codes = begin()
            page.goto(codes["verification_uri"])
            self.look(page, "device")
            self.is_title(page, "Connect a device")
            if action == "next":
                self.give(page, user_code="WDJB-MJHT")
                self.refused(page, "device-wrong", "user-code")
            self.give(page, user_code=codes["user_code"].lower())
            self.look(page, "device-question")
            self.is_title(page, "Sign in to Harbour television on another device?")
            self.press(page, action)
            self.look(page, "device-allowed" if action == "next" else "device-declined")
            self.is_title(page, end)
            page.reload()
            self.is_title(page, end)
            answer = poll(codes)
            good = "access_token" in answer if action == "next" else answer.get("error") == "access_denied"
            self.expect(f"a device hears of “{action}” ({self.mode})", good, str(answer)[:200])

    def sign_in_with_code(self):
        address, seen = self.person("code"), self.sent()
        page = self.visit(360)
        self.open(page, CODE)
        before = self.site.mailbox.seen(address)
        self.give(page, username=address.upper())
        self.look(page, "sign-in-code")
        self.give_code(page, address, before)
        page.wait_for_url("**/end")
        self.comes("a sign-in with a code", seen, code=True)
        page.context.close()

    def forgotten_password(self):
        page, address, seen = self.visit(), self.dana, self.sent()
        self.open(page)
        self.give(page, username=address)
        before = self.site.mailbox.seen(address)
        self.press(page, "forgot")
        self.look(page, "reset-code")
        self.give_code(page, address, before)
        self.look(page, "new-password")
        self.is_title(page, "Choose a new password")
        self.give(page, new_password="Anden-Vinter#93")
        page.wait_for_url("**/end")
        self.comes("a forgotten password", seen, code=True)
        self.open(self.page)
        self.is_title(self.page, "Sign in")
        self.page.context.close()
        self.page = page

    def second_factor(self):
        page, address, seen = self.visit(), self.person("factor"), self.sent()
        self.sign_up(address, page=page)
        page.context.clear_cookies()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        self.look(page, "add-mailbox")
        self.is_title(page, "Add a second mailbox")
        second = self.person("second")
        before = self.site.mailbox.seen(second)
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, contact="no address")
        self.refused(page, "bad-mailbox", "contact", keeps="no address")
        self.give(page, contact=second)
        self.look(page, "mailbox-code")
        self.give_code(page, second, before)
        page.wait_for_url("**/end")
        self.comes("a mailbox is registered", seen + 1, code=True)
        page.context.clear_cookies()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        before = self.site.mailbox.seen(second)
        self.give(page, password=PASSWORD)
        self.look(page, "second-factor")
        self.give_code(page, second, before)
        page.wait_for_url("**/end")
        self.comes("a second factor", seen + 2, code=True)
        page.context.close()

    def choice_of_factor(self):
        address, seen = self.person("two"), self.sent()
        salt = os.urandom(16)
        digest = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)
        encoded = [base64.b64encode(part).decode().rstrip("=") for part in (salt, digest)]
        boxes = [{"email": self.person(name), "enrolledUnder": "password"} for name in ("first", "other")]
        user = {"email": address, "emailVerified": True, "passwordHash": f"$scrypt$ln=14,r=8,p=1${encoded[0]}${encoded[1]}", "secondFactor": boxes}
        file = pathlib.Path(self.options.folder) / f"{address}.jsonl"
        file.write_text(json.dumps(user) + "\n")
        self.command("import", "users", str(file), "--tenant", "contoso", "--application", PASSWORDS, "--config", str(pathlib.Path(self.options.folder) / "tenants.yaml"))
        page = self.visit()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        self.look(page, "choose-method")
        self.is_title(page, "One more check")
        page.locator("input[type=radio]").nth(1).check()
        before = {box["email"]: self.site.mailbox.seen(box["email"]) for box in boxes}
        self.press(page)
        world.wait_until(lambda: any(self.site.mailbox.seen(one) > count for one, count in before.items()), 10)
        chosen = next(one for one, count in before.items() if self.site.mailbox.seen(one) > count)
        self.give_code(page, chosen, before[chosen])
        page.wait_for_url("**/end")
        self.comes("one of two mailboxes", seen, code=True)
        page.context.close()

    def dead_ends(self):
        page = self.visit()
        address = self.person("many")
        self.open(page, CODE, prompt="create")
        self.give(page, username=address)
        for _ in range(40):
            if not page.locator("#code").count():
                break
            self.press(page, "resend")
        self.look(page, "over")
        self.is_title(page, "We cannot go on")
        self.press(page, "restart")
        self.is_title(page, "Sign in")
        seen, address = self.sent(), self.person("code")
        self.open(page, CODE, claims=SECOND_FACTOR)
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.look(page, "policy")
        self.press(page)
        page.wait_for_url("**/end")
        self.comes("an account that cannot give what is asked for", seen, error="access_denied")
        page.context.close()

    def browsers(self):
        """What a browser does besides."""
        page, address = self.visit(), self.person("tabs")
        self.sign_up(address, page=page)
        page.context.clear_cookies()
        seen = self.sent()
        # Reload, and Back: the first page is the request itself, and begins again.
        self.open(page)
        self.give(page, username=address)
        page.reload()
        self.is_title(page, "Enter your password")
        page.go_back()
        self.is_title(page, "Sign in")
        self.give(page, username=address)
        self.is_title(page, "Enter your password")
        # A second tab with the same flow: its step makes the form of the first an old one.
        step = page.url
        other = page.context.new_page()
        self.watch(other)
        other.goto(step)
        self.press(other, "forgot")
        self.is_title(other, "Check your mail")
        self.give(page, password=PASSWORD)
        self.expect(f"an old form leads to the present page ({self.mode})", page.url == f"{step}?again" and page.locator(".notice").count() == 1, page.url)
        self.is_title(page, "Check your mail")
        self.look(page, "already-done")
        other.close()
        self.press(page, "restart")
        self.give(page, username=address)
        step = page.url
        # A reload of a page that was refused asks the browser's user; a new request for it is the same step.
        self.give(page, password="Not-The-Right-1")
        page.goto(page.url)
        self.is_title(page, "Enter your password")
        # A second tab has a flow of its own; what it ends, the first finds.
        other = page.context.new_page()
        self.watch(other)
        self.open(other, CODE, redirect_uri=self.redirect)
        self.is_title(other, "Sign in")
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a flow beside another tab", seen, code=True)
        other.reload()
        self.is_title(other, "Continue to Lighthouse")
        other.close()
        # Back from the client.
        page.go_back()
        page.goto(step)
        self.expect(f"a finished page gives no second code ({self.mode})", self.title(page) in ("One moment", "You are signed in", "Client") or self.language, self.title(page))
        page.context.clear_cookies()
        # Two clicks, as fast as a hand can.
        seen = self.sent()
        self.open(page)
        self.give(page, username=address)
        page.fill("#password", PASSWORD)
        page.dblclick("button[value=next]", no_wait_after=True)
        page.wait_for_url("**/end")
        self.comes("a double click", seen, code=True)
        self.expect(f"a double click gives one answer ({self.mode})", self.sent() == seen + 1, str(self.sent() - seen))
        # Enter in the field is the first button.
        page.context.clear_cookies()
        self.open(page)
        page.fill("#username", address)
        page.press("#username", "Enter")
        page.wait_for_selector("#password")
        page.fill("#password", PASSWORD)
        page.press("#password", "Enter")
        page.wait_for_url("**/end")
        self.comes("the key Enter", seen + 1, code=True)
        # An app on this device.
        self.left.clear()
        self.open(page, redirect_uri=APP)
        self.look(page, "continue-app")
        page.click("button[value=next]", no_wait_after=True)
        self.wait(lambda: (page.wait_for_timeout(50), self.left)[1])
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.left[0]).query))
        self.expect(f"an app gets the answer by its scheme ({self.mode})", self.left[0].startswith(f"{APP}?") and answer.get("code") and answer.get("state"), self.left[0][:200])
        page.context.close()

    def moving(self):
        """The pages that lead on by themselves; the first is looked at without the field that does so."""
        page, held = self.visit(), []
        self.sign_up(self.person("moving"), page=page)
        self.open(page)
        step = urllib.parse.urljoin(page.url, page.get_attribute("form", "action"))
        seen = self.sent()
        self.press(page)
        page.wait_for_url("**/end")
        first = self.comes("the first answer", seen, code=True)

        def hold(route):
            answer = route.fetch()
            held.append(answer.headers.get("refresh"))
            route.fulfill(response=answer, headers={name: value for name, value in answer.headers.items() if name != "refresh"})

        page.route("**/web/*", hold)
        page.goto(step)
        self.look(page, "moving-on")
        self.is_title(page, "One moment")
        self.expect(f"the page leads to the client ({self.mode})", held and held[0].startswith(f"0; url={self.redirect}?code="), str(held))
        page.click("a.primary")
        page.wait_for_url("**/end")
        again = self.comes("a reload within the life of the code", seen + 1, code=True)
        self.expect(f"it is the same code ({self.mode})", first["code"] == again["code"])
        # The answer as a form: without script the user sends it.
        self.open(page, response_mode="form_post")
        page.route("**/pages-*.js", lambda route: route.abort())
        self.press(page)
        self.look(page, "form-post")
        page.unroute("**/pages-*.js")
        if self.mode == "script":
            page.goto(page.url)
        else:
            page.click("button.primary")
        page.wait_for_url("**/end")
        self.comes("an answer as a form", seen + 2, code=True)
        self.expect(f"the answer as a form is posted ({self.mode})", self.callback.answers()[seen + 2][3] == "POST")
        page.context.close()

    def signing_out(self):
        page = self.page
        logout = f"{self.url}/contoso/oauth2/v2.0/logout"
        page.goto(logout)
        self.look(page, "sign-out")
        self.is_title(page, "Sign out?")
        with page.expect_navigation(wait_until="load"):
            page.click("button.primary")
        self.look(page, "signed-out")
        self.is_title(page, "You are signed out")
        self.open(page)
        self.is_title(page, "Sign in")
        page.goto(f"{logout}?" + urllib.parse.urlencode({"post_logout_redirect_uri": f"{self.redirect}/bye"}))
        self.look(page, "signed-out-link")
        page.goto(f"{logout}?" + urllib.parse.urlencode({"post_logout_redirect_uri": "https://elsewhere.example/"}))
        self.look(page, "signed-out-unknown", 400)
        self.expect("a sign-out leads to no unknown address", "elsewhere" not in self.documents[page].text())
        page.context.close()

    def errors(self):
        page = self.visit()
        cases = {
            "unknown-tenant": (self.path(tenant="nowhere"), 404), "unknown-client": (self.path(client="99990000-aaaa-2222-bbbb-3333cccc4444"), 400),
            "unknown-address": (self.path(redirect_uri="https://elsewhere.example/"), 400),
            "begun-elsewhere": (f"{self.url}/contoso/web/{'0' * 40}", 400),
        }
        for name, (path, status) in cases.items():
            page.goto(path)
            self.look(page, name, status)
            self.expect(f"{name} leads nowhere", "elsewhere.example" not in self.documents[page].text())
        self.open(page)
        page.context.clear_cookies()
        self.give(page, username="dana@example.com")
        self.look(page, "no-cookies", 400)
        self.is_title(page, "Please allow cookies")
        self.expect("no loop without cookies", page.locator("form").count() == 0)
        page.context.close()

    # All of it

    def english(self):
        for part in (
            self.sign_up_with_code, self.sign_up_with_attributes, self.sign_in_with_password, self.go_on, self.consent, self.device, self.sign_in_with_code, self.forgotten_password,
            self.second_factor, self.choice_of_factor, self.dead_ends, self.browsers, self.moving, self.signing_out, self.errors,
        ):
            part()
            for context in self.browser.contexts:
                if not self.page or context != self.page.context:
                    context.close()

    def without_script(self):
        self.mode = "no script"
        self.english()
        self.mode = "script"

    def languages(self):
        """Each page in each other language; the ways are those of English."""
        wanted = LANGUAGES if self.options.full else ["de", "ar"] if self.options.pictures else []
        for self.language in wanted:
            for part in (self.sign_up_with_code, self.sign_up_with_attributes, self.sign_in_with_password, self.go_on, self.consent, self.device, self.forgotten_password, self.second_factor, self.choice_of_factor, self.dead_ends, self.signing_out, self.errors):
                part()
            for context in self.browser.contexts:
                context.close()
        self.language = None


def options(parser):
    parser.add_argument("--full", action="store_true", help="each page in each language")


def main(arguments):
    return browser.main("scripts/check-pages", arguments, Check, lambda check: (check.english, check.without_script, check.languages), options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

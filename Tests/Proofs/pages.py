"""The hosted pages in a browser: each way to sign up, sign in, go on, sign out and change the own account, with and without script, up to the answer at a
client; what a browser does besides, such as Back, Reload and a second tab; and on each page an accessibility checker in both colour
schemes, a strict HTML parser, three widths, wide text, the keyboard, the size of targets and the fields of the answer.

The 30 cases of SEC-WEB-7 are `CASES`; the pages are those that the source has, and one that is not seen is a fault. With --write, both
make the tables of docs/evidence/hosted-pages.md, from what was seen in this run, which then also walks the states that cost much time,
as with --full. With --pictures DIR, it leaves pictures of each page there. With --full, each page is looked at in all languages; with pictures or --write, in German and Arabic."""

import base64
import collections
import contextlib
import functools
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

import browser
import world
from browser import PASSWORD, Fault
from openid_provider import Clock, Provider
from shim import WallClock

WIDTHS = (320, 768, 1280)
SIZES = ((360, 740), (768, 1024), (1280, 800))
LANGUAGES = "ar zh-Hans cs da nl fi fr de he it ja ko nb pl pt es sv tr uk".split()
CODE, PASSWORDS, ATTRIBUTES, SERVER, FOREIGN = (
    "00001111-aaaa-2222-bbbb-3333cccc4444", "11112222-bbbb-3333-cccc-4444dddd5555", "33334444-dddd-5555-eeee-6666ffff7777",
    "55556666-eeee-7777-ffff-8888aaaa9999", "66667777-ffff-8888-aaaa-9999bbbb0000")
TELEVISION = "77778888-aaaa-9999-bbbb-0000cccc1111"
APP = "msauth.com.example.app://auth"
VISITORS, QUAY = "bbbbcccc-1111-dddd-2222-eeee3333ffff", "ccccdddd-0000-eeee-1111-ffff2222aaaa"
GUARDED, NATIVE = "77778888-ffff-9999-aaaa-bbbbccccdddd", "88889999-aaaa-bbbb-cccc-ddddeeeeffff"
SECOND_FACTOR = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
PASSKEY, TWO_FACTORS = (SECOND_FACTOR.replace("c1", context) for context in ("c4", "c5"))
TENANTS = """
tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    authenticatorApps: true
    recoveryCodes: true
    sms: {callingCodes: [1, 49], domain: login.contoso.example.com}
    passkeys: {domain: localhost}
    levels: [{level: l2p, contexts: [c4]}, {level: l2, contexts: [c5]}]
    applications:
      - {clientId: 00001111-aaaa-2222-bbbb-3333cccc4444, displayName: Lighthouse, signIn: emailOneTimePasscode, redirectUris: {publicClient: ["http://localhost", "msauth.com.example.app://auth"]}}
      - {clientId: 11112222-bbbb-3333-cccc-4444dddd5555, displayName: Harbour, signIn: emailPassword, opensInBrowser: [account], redirectUris: {publicClient: ["http://localhost", "msauth.com.example.app://auth"]}}
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
      - {clientId: 77778888-ffff-9999-aaaa-bbbbccccdddd, displayName: Guarded, signIn: emailPassword, requiredAttributes: [city], redirectUris: {publicClient: ["http://localhost"]}}
      - {clientId: 88889999-aaaa-bbbb-cccc-ddddeeeeffff, displayName: Native, signIn: emailPassword}
      - {clientId: 77778888-aaaa-9999-bbbb-0000cccc1111, displayName: Harbour television, signIn: emailPassword, nativeAuthentication: false, deviceFlow: true}
    hooks:
      - id: 00000000-0000-4000-8000-000000000001
        displayName: Guard
        event: attributeCollectionStart
        url: http://localhost:PORT/hook
        audience: 00000000-0000-4000-8000-0000000000aa
        applications: [77778888-ffff-9999-aaaa-bbbbccccdddd]
  - id: ccccdddd-0000-eeee-1111-ffff2222aaaa
    subdomain: quay
    domain: quay.example.com
    displayName: Quay
    providers:
      - {kind: openID, id: pilot, displayName: Pilot ID, issuer: "ISSUER", web: {clientId: pages-of-pilot}}
    applications:
      - {clientId: bbbbcccc-1111-dddd-2222-eeee3333ffff, displayName: Quay visitors, signIn: emailOneTimePasscode, redirectUris: {publicClient: ["http://localhost"]}}
"""
# The reference of SEC-WEB-7 counts thirty cases: situations of a browser, what must never come of them, and the rows of WCAG 2.2 AA.
CASES = {
    1: "Reload: the same step, and nothing happens",
    2: "Back, and the form of an earlier page: the present page, with a notice",
    3: "A double click: one effect",
    4: "A second tab has a flow of its own: both end at the client",
    5: "Two tabs on one flow: the later step counts, the older form has no effect",
    6: "Signed in meanwhile in another tab: the page offers to go on, and is no dead end",
    7: "Back from the client: no second code for the request, and the application can ask again",
    8: "The flow took too long: the page says so, and a click begins the same request again",
    9: "Cookies are refused: the page says so, without a loop",
    10: "The address of a page in another browser: nothing about the flow or the account",
    11: "A sign-out in another tab: the next step is the sign-in",
    12: "Script off, images off: every way ends at the client",
    13: "No mail is sent twice, by Reload, Back, a double click or a second tab",
    14: "No step is skipped, by the form of a later step or its address",
    15: "No page has words of the program: no stack, type, file or statement",
    16: "Names, labels, roles and purposes of fields (WCAG 1.1.1, 1.3.1, 1.3.5, 3.3.2)",
    17: "Contrast of text, borders and focus; errors not by colour alone (1.4.1, 1.4.3, 1.4.11)",
    18: "320 points, zoom and wide text (1.4.4, 1.4.10, 1.4.12)",
    19: "The keyboard reaches all, in order, and is seen (2.1.1, 2.1.2, 2.4.3, 2.4.7, 2.4.11)",
    20: "The page tells how long a code is valid, and only the last page moves on automatically (2.2.1)",
    21: "Nothing moves for users who asked for that (2.3.3)",
    22: "The title names the step, and an error first (2.4.2)",
    23: "Targets have 24 points (2.5.8)",
    24: "The visible label is in the name (2.5.3, 4.1.2)",
    25: "The page names its language (3.1.1)",
    26: "Input alone changes nothing, and the way out is in one place (3.2.2, 3.2.6)",
    27: "A refused answer: alert, field, focus, and what was typed (3.3.1, 3.3.3, 4.1.3)",
    28: "Name and address are not asked for twice (3.3.7)",
    29: "Every field takes pasted text (3.3.8)",
    30: "Colours of the system, print, text of twice the size",
}
# Those that are also done without script.
OF_A_BROWSER = range(1, 16)
# A page, by the name that the source gives it, and the names of what is looked at here. `answered` is shown by `moving`, `posting` and
# `done`.
PAGES = {
    "enterName(isSignUp: false)": "sign-in sign-in-passkey sign-in-provider unknown-user locked-out",
    "enterName(isSignUp: true)": "sign-up sign-up-long-name taken-address",
    "enterPassword": "password wrong-password locked already-done-password",
    "enterCode(signUp)": "sign-up-code wrong-code code-sent-again counting code-too-early",
    "enterCode(signIn)": "sign-in-code sign-in-code-wrong sign-in-code-again",
    "enterCode(reset)": "reset-code reset-code-wrong reset-code-again already-done",
    "enterCode(secondFactor)": "second-factor second-factor-wrong second-factor-again",
    "enterCode(contact)": "mailbox-code mailbox-code-wrong mailbox-code-again text-code text-code-wrong",
    "enterPhone": "add-phone bad-phone",
    "enterAppCode": "app-code app-code-wrong", "addApp": "add-app add-app-wrong",
    "enterRecoveryCode": "recovery-code recovery-code-wrong",
    "usePasskey": "use-passkey use-passkey-cancelled use-passkey-refused", "createPasskey": "add-passkey add-passkey-cancelled",
    "registerPasskey": "register-passkey register-passkey-cancelled", "registerApp": "register-app register-app-wrong",
    "choosePassword(isReset: false)": "choose-password weak-password",
    "choosePassword(isReset: true)": "new-password weak-new-password",
    "collectAttributes": "attributes missing-attribute bad-attribute",
    "chooseMethod": "choose-method choose-new-method choose-recovery",
    "enterContact": "add-mailbox bad-mailbox",
    "leaving": "leaving", "nameMailbox": "name-mailbox name-mailbox-wrong",
    "confirm": "continue continue-app consent device-question",
    "fromApp": "from-app", "codePage": "device device-wrong", "deviceAnswered(allowed)": "device-allowed", "deviceAnswered(declined)": "device-declined",
    "deviceAnswered(over)": "device-over", "authorize(pushedRequestGone)": "pushed-request-gone",
    "account": "account account-new account-data account-saved account-no-name account-no-methods account-methods account-identities account-passkeys account-phones account-recovery-codes account-recovered account-password "
    "account-wrong-password account-email account-sessions account-copy account-deletion",
    "enterAccountCode": "account-code", "proveAgain(byReset: false)": "account-proof account-proof-passkey", "ended": "account-deleted",
    "dead(policy)": "policy", "dead(over)": "over", "dead(blocked)": "blocked",
    "moving": "moving-on", "posting": "form-post", "done": "signed-in",
    "confirmation": "sign-out sign-out-unknown", "signedOut": "signed-out signed-out-link signed-out-unknown",
    "unknownTenant": "unknown-tenant", "authorize(malformed)": "malformed", "authorize(unknownClient)": "unknown-client",
    "authorize(notForBrowsers)": "not-for-browsers", "authorize(redirectMissing)": "no-address",
    "authorize(redirectNotRegistered)": "unknown-address", "unknownFlow": "begun-elsewhere", "tooOld": "too-old",
    "noCookies": "no-cookies", "foreignForm": "foreign-form", "tooMuch": "too-much", "busy": "busy", "request": "too-long too-many",
}
# The button of the first leads to another page than that of its twin; a user comes to it with a password that a reset gave. The second
# is shown by `leaving`. New codes in a sign-in look as on the account page; seven codes must be used first, and the app's next code awaited.
NOT_WALKED = {"proveAgain(byReset: true)", "atProvider", "renewCodes(asks: false)", "renewCodes(asks: true)"}
PAGE_OF = {name: page for page, names in PAGES.items() for name in names.split()}
STATES = ["first", "refused", "limit", "expired", "again", "answered", "rtl", "dark", "320", "no script"]
SOURCE = world.ROOT / "Sources/Server/IdentityHTTP/Pages"


def cases_of(text, name):
    """The cases of an enumeration in the source, one for each value of what they are of, if that can be counted."""
    body = re.search(rf"^( *)enum {name}\b[^{{]*{{\n(.*?)^\1}}", text, re.S | re.M)[2]
    nested = {found[1]: cases_of(found[0] + "\n", found[1]) for found in re.finditer(r"^ +enum (\w+).*?^    }", body, re.S | re.M)}
    body = re.sub(r"^ +enum \w+.*?^    }", "", body, flags=re.S | re.M)
    found = []
    for line in re.findall(r"^ *case (.+)$", body, re.M):
        for one, values in re.findall(r"(\w+)(?:\(([^)]*)\))?", line):
            known = next((value for value in values.split(", ") if value.split(": ")[-1] in ["Bool", *nested, "AuthorizePageFault"]), None)
            if not known:
                found.append(one)
            elif known.endswith("Bool"):
                found += [f"{one}({known.split(':')[0]}: {value})" for value in ("false", "true")]
            elif known in nested:
                found += [f"{one}({value})" for value in nested[known]]
            else:
                found += [f"{one}({value})" for value in cases_of((SOURCE / "AuthorizeCodec.swift").read_text(), known)]
    return found


def pages_of_source():
    """The pages that the source can show: the steps, the faults, and what functions make besides."""
    found = cases_of((SOURCE / "HostedFlow.swift").read_text(), "HostedStep") + cases_of((SOURCE / "HostedPages.swift").read_text(), "HostedFault")
    for file in sorted(SOURCE.glob("*.swift")):
        for name, body in re.findall(r"\bfunc (\w+)(.*?)(?=\bfunc |\Z)", file.read_text(), re.S):
            # `of` shows the steps, `error` the faults.
            if re.search(r"\bHostedPage\(\s", body) and name not in ("of", "error"):
                found.append(name)
    return [name for name in found if not name.startswith("answered") and name not in NOT_WALKED]


# In development a page names an address that was refused, as the text of one paragraph.
DEVELOPMENT = re.compile(r"<p[^<>]*>Development profile: [^<>]*</p>")


def case(*numbers):
    """The checks of a part are of these cases."""
    def mark(body):
        @functools.wraps(body)
        def within(self, *values, **more):
            with self.about(*numbers):
                return body(self, *values, **more)

        return within

    return mark


# What a user of wide text sets (WCAG 1.4.12).
SPACING = "* {line-height:1.5 !important; letter-spacing:.12em !important; word-spacing:.16em !important} p {margin-bottom:2em !important}"
# What can be reached with the keyboard, in order: of a group of radios, the chosen one.
REACHABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(one =>
    one.type !== 'hidden' && one.tabIndex >= 0 && !one.disabled && one.getClientRects().length && one.checkVisibility() && (one.type !== 'radio' || one.checked))
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


UNNAMED = """() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter(one =>
    !(one.labels.length || one.ariaLabel) || !(one.autocomplete || ['checkbox', 'radio'].includes(one.type))).map(one => one.outerHTML.slice(0, 120))"""
OTHERWISE_NAMED = """() => [...document.querySelectorAll('a[href], button')].filter(one => {
    const text = one.textContent.trim();
    return !(text || one.ariaLabel) || one.ariaLabel && !one.ariaLabel.includes(text)
}).map(one => one.outerHTML.slice(0, 120))"""
MOVING = """() => [...document.querySelectorAll('*')].filter(one => {
    const style = getComputedStyle(one);
    return [style.transitionDuration, style.animationDuration].some(text => text.split(',').some(part => parseFloat(part) > 0.001))
}).map(one => one.outerHTML.slice(0, 120))"""
# Borders of fields against what they lie on (WCAG 1.4.11).
PALE = """() => {
    const parts = text => (text.match(/[\\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(one => one / 255).map(one => one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4)
        .reduce((sum, one, index) => sum + one * [.2126, .7152, .0722][index], 0);
    const ground = one => {
        for (let box = one.parentElement; box; box = box.parentElement) {
            const color = getComputedStyle(box).backgroundColor;
            if (parts(color)[3] !== 0) return color;
        }
        return 'rgb(255, 255, 255)';
    };
    return [...document.querySelectorAll('.field input, .field textarea, .field select')].filter(one => {
        const [edge, under] = [getComputedStyle(one).borderTopColor, ground(one)].map(text => light(parts(text)));
        return (Math.max(edge, under) + .05) / (Math.min(edge, under) + .05) < 3
    }).map(one => one.outerHTML.slice(0, 120))
}"""
CHANGED = """() => {
    const seen = () => location.href + document.querySelector('h1').textContent + document.activeElement.id;
    const before = seen();
    return [...document.querySelectorAll('input:not([type=hidden]):not([readonly]), select, textarea')].filter(one => {
        const [value, ticked] = [one.value, one.checked];
        if (['checkbox', 'radio'].includes(one.type)) one.checked = !ticked; else one.value = '12';
        for (const name of ['input', 'change']) one.dispatchEvent(new Event(name, {bubbles: true}));
        const isOther = seen() !== before;
        [one.value, one.checked] = [value, ticked];
        return isOther;
    }).map(one => one.id)
}"""
UNPASTED = """() => [...document.querySelectorAll('input:not([type=hidden]):not([readonly]):not([type=checkbox]):not([type=radio]), textarea')].filter(one => {
    const value = one.value, data = new DataTransfer();
    data.setData('text', '12345678');
    const isFree = one.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
    const isTaken = isFree || one.value !== value;
    one.value = value;
    return !isTaken;
}).map(one => one.id)"""
# With the colours of the system there are no shadows and backgrounds: a border remains.
UNBORDERED = """() => [...document.querySelectorAll('button.primary, .field input, .problem')].filter(one => {
    const style = getComputedStyle(one);
    return one.getClientRects().length && !(parseFloat(style.borderTopWidth) >= 1 && style.borderTopStyle !== 'none')
}).map(one => one.outerHTML.slice(0, 120))"""
OF_THE_PROGRAM = re.compile(r"Optional\(|\.swift\b|\bSwift\b|Identity(?:Engine|HTTP|Store)|\b(?:SELECT|INSERT|UPDATE) \w|SQLite|PostgreSQL|[Ss]tack trace|Fatal error|0x[0-9a-f]{6}|\bnil\b")


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
                if path == "/hook":
                    block = {"@odata.type": "microsoft.graph.attributeCollectionStart.showBlockPage", "title": "Closed", "message": "Not today."}
                    content = json.dumps({"data": {"@odata.type": "microsoft.graph.onAttributeCollectionStartResponseData", "actions": [block]}}).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                    return
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
        self.provider = Provider("pilot", Clock())
        self.provider.callback = f"{self.url}/{QUAY}/federation/pilot/callback"
        file.write_text(TENANTS.replace("PORT", str(self.callback.port)).replace("ISSUER", self.provider.issuer))
        self.file = file
        self.clock = WallClock(pathlib.Path(options.folder))
        self.site = world.Site(
            options, arguments=["--config", str(file), "--port", str(self.port), "--base-url", self.url],
            environment=self.clock.environment if sys.platform == "linux" else {})
        self.redirect = f"http://localhost:{self.callback.port}"
        self.language, self.mode = None, "script"
        self.looked, self.cases = set(), frozenset()
        self.is_long = options.full or options.write
        # By case and mode: checks that held, and that did not; by page: each state that was seen, and violations.
        self.results = collections.defaultdict(lambda: [0, 0])
        self.notes = []
        self.seen, self.violations, self.at = collections.defaultdict(set), collections.Counter(), {}
        self.documents, self.left = {}, []
        self.page = None
        # How many seconds the server's clock is ahead of ours.
        self.skew = 0

    def command(self, *arguments):
        place = ["--data", str(self.site.nodes[0].folder), "--master-key-file", str(self.site.key)]
        done = subprocess.run([self.site.binary, *arguments, *place], capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"native-auth {' '.join(arguments)}: {done.stderr}")

    @contextlib.contextmanager
    def about(self, *numbers):
        before, self.cases = self.cases, frozenset(numbers)
        try:
            yield
        finally:
            self.cases = before

    def expect(self, what, holds, detail=""):
        good = super().expect(what, holds, detail)
        for number in self.cases:
            self.results[number, self.mode][not good] += 1
        return good

    # A visitor

    def visit(self, width=1280):
        page = self.visitor(width=width, height=800, script=self.mode == "script", locale=self.language or "en")
        self.watch(page)
        if self.mode != "script":
            page.route(re.compile(r"\.(?:png|svg|ico|webp|jpe?g)(?:\?|$)|^data:"), lambda route: route.abort())
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
        shown, place = self.at.pop(page, (None, None))
        if place != page.url:
            shown = None
        with page.expect_navigation(wait_until="load"):
            page.click(f"button[value={action}]")
        if shown and action not in ("cancel", "restart") and not page.url.endswith("?again") and not page.locator(".problem").count():
            self.seen[shown].add("again" if page.url.endswith("?sent") else "answered")

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
        with self.about(*self.cases, *([] if self.mode == "script" else [12])):
            self.expect(f"{what} ({self.mode})", good, f"{method} {path} {answer} {referer}")
        return answer

    def sent(self):
        return len(self.callback.answers())

    # Each page

    def look(self, page, name, status=200, state=None, is_alike=False):
        """Everything that holds on each page. The longer part is done once for each page and language.

        state: what the page is shown for, if it is neither the first time nor a refusal.
        is_alike: it differs from another page by its reason only."""
        with self.about():
            shown = PAGE_OF.get(name)
            self.expect(f"{name} is a page of the list", shown)
            self.at[page] = shown, page.url
            self.seen[shown].add(state or ("refused" if status == 422 else "first"))
            if self.language in ("ar", "he"):
                self.seen[shown].add("rtl")
            if self.mode != "script":
                self.seen[shown].add("no script")
            self.examine(page, name, status, is_alike and not self.is_long)

    def examine(self, page, name, status, is_alike):
        answer = self.documents[page]
        text = answer.text()
        self.expect(f"{name} answers {status}", answer.status == status, str(answer.status))
        key = (name, self.language, self.mode)
        if key in self.looked:
            return
        self.looked.add(key)
        self.markup(name, text, answer.headers)
        # Without script, the checker of accessibility does not return.
        if self.mode != "script" or is_alike:
            return
        label = f"{name}, {self.language or 'en'}"
        had_focus = page.evaluate(FOCUSED)
        is_short = self.language is not None
        before = len(self.faults)
        with self.about(16, 17, 24):
            self.accessible(f"{label}, light", page, browser.WCAG)
        page.emulate_media(color_scheme="dark")
        if not is_short:
            with self.about(17):
                self.accessible(f"{label}, dark", page, {"runOnly": ["color-contrast"]})
                self.expect(f"{label}: borders in the dark", not page.evaluate(PALE), str(page.evaluate(PALE)))
            self.seen[PAGE_OF.get(name)].add("dark")
        self.violations[PAGE_OF.get(name)] += len(self.faults) - before
        page.emulate_media(color_scheme="light")
        with self.about(23):
            self.expect(f"{label}: targets", not page.evaluate(SMALL), str(page.evaluate(SMALL)))
        if not is_short:
            self.keyboard(label, page)
            if status == 200 or self.is_long:
                self.controls(label, page)
        with self.about(18):
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 640})
                self.fits(label, page)
            page.set_viewport_size({"width": 320, "height": 640})
            self.seen[PAGE_OF.get(name)].add("320")
            page.evaluate("text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets = [sheet] }", SPACING)
            self.fits(f"{label}, with wide text,", page)
            self.expect(f"{label}: wide text is not cut", not page.evaluate(CUT), str(page.evaluate(CUT)))
            page.evaluate("document.adoptedStyleSheets = []")
        if self.options.pictures and (not is_short or self.language in ("de", "ar")):
            self.picture(page, name, SIZES if not is_short else SIZES[:1], had_focus)
        page.set_viewport_size({"width": 1280, "height": 800})

    def controls(self, label, page):
        """What the checker of accessibility does not see."""
        for number, what, script in [
            (16, "labels and purposes", UNNAMED), (24, "names of buttons", OTHERWISE_NAMED), (21, "nothing moves", MOVING),
            (17, "borders", PALE), (26, "input changes nothing", CHANGED), (29, "pasted text", UNPASTED),
        ]:
            found = page.evaluate(script)
            with self.about(number):
                self.expect(f"{label}: {what}", not found, str(found))
        ways_out = page.locator("button[value=cancel], button[value=decline]")
        if ways_out.count():
            with self.about(26):
                last = page.locator("button").last.get_attribute("value")
                self.expect(f"{label}: the way out is the last button", ways_out.count() == 1 and last in ("cancel", "decline"), last)
        with self.about(30):
            page.emulate_media(forced_colors="active")
            found = page.evaluate(UNBORDERED)
            self.expect(f"{label}: borders in the colours of the system", not found, str(found))
            page.emulate_media(forced_colors="none", media="print")
            self.fits(f"{label}, in print,", page)
            self.expect(f"{label}: print has the heading", page.locator("h1").is_visible())
            page.emulate_media(media="screen")
            page.set_viewport_size({"width": 640, "height": 800})
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            self.fits(f"{label}, with text of twice the size,", page)
            page.evaluate("document.documentElement.style.removeProperty('font-size')")

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
        with self.about(25):
            self.expect(f"{name} has its language", language and language[1] == (self.language or "en"), text[:80])
        with self.about(15):
            self.expect(f"{name} has no word of the program", not OF_THE_PROGRAM.search(re.sub(r"<[^>]*>", " ", text)), text)
        with self.about(20):
            # The page that moves on is looked at without the field that does so.
            self.expect(f"{name} stays", "refresh" not in headers and "http-equiv" not in text)
            # An app shows another code by itself, and a recovery code is valid until it is used.
            if 'id="code"' in text and not self.language and PAGE_OF.get(name) not in ("addApp", "registerApp", "enterAppCode", "enterRecoveryCode"):
                self.expect(f"{name} tells the life of the code", "valid for ten minutes" in text)
        self.expect(f"{name} has one heading", text.count("<h1>") == 1)
        title = re.search(r"<title>(.*?)</title>", text)[1]
        with self.about(22):
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
        with self.about(19):
            self.expect(f"{name}: order of the keyboard", seen == wanted, f"{seen} in place of {wanted}")
            self.expect(f"{name}: the focus is seen", all(marked), f"{list(zip(seen, marked))}")

    @case(27)
    def refused(self, page, name, field, keeps=None):
        """The page after a wrong answer (WCAG 3.3.1)."""
        self.expect(f"{name}: an alert comes first", page.locator("main .problem[role=alert]").count() == 1)
        self.expect(f"{name}: the field is marked", page.get_attribute(f"#{field}", "aria-invalid") == "true")
        named = (page.get_attribute(f"#{field}", "aria-describedby") or "").split()
        self.expect(f"{name}: the field names its fault", "problem" in named and page.locator("#problem").count() == 1, str(named))
        if self.mode == "script":
            self.expect(f"{name}: the field has the focus", page.evaluate("document.activeElement.id") == field, page.evaluate("document.activeElement.id"))
        with self.about(17):
            self.expect(f"{name}: a sign besides the colour", page.evaluate("getComputedStyle(document.querySelector('.problem'), '::before').content").startswith('"!"'))
        if self.language in (None, "en"):
            with self.about(22):
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
        with self.about(28):
            self.expect(f"the address is kept ({self.mode})", page.input_value("#username") == address)
        before = self.site.mailbox.seen(address)
        self.press(page)
        self.look(page, "sign-up-code")
        self.is_title(page, "Check your mail")
        self.code(address, before)
        self.press(page, "restart")
        self.is_title(page, "Create your account")
        before = self.site.mailbox.seen(address)
        with self.about(28):
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
        with self.about(28):
            self.expect(f"the hint fills in the name ({self.mode})", page.input_value("#username") == address)
        self.press(page)
        self.look(page, "password")
        self.is_title(page, "Enter your password")
        with self.about(28):
            self.expect(f"the password's page knows the name ({self.mode})", page.input_value("#username") == address)
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
        self.open(first, prompt="create")
        if first.locator("button[value=other]").count():
            self.press(first, "other")
            self.press(first, "switch")
        self.give(first, username=address)
        self.refused(first, "taken-address", "username", keeps=address)
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

    def code_in_other_states(self, page, name, address, before):
        """A wrong code and a wish for another one. It costs time, so only for the tables and in full.

        Returns how many mails had come before that with the code that counts."""
        if self.language or not self.is_long:
            return before
        self.code(address, before)
        self.give(page, code="0000 0000")
        self.refused(page, f"{name}-wrong", "code")
        before = self.site.mailbox.seen(address)
        self.press(page, "resend")
        self.look(page, f"{name}-again", state="again")
        return before

    def tickets(self):
        """An app opens the account page with its user signed in, in a browser without a session and in one of another user."""
        base, address, other = f"{self.url}/contoso", self.person("app"), self.person("other")
        self.sign_up(address)

        def ask(path, **fields):
            fields = urllib.parse.urlencode({"client_id": PASSWORDS, **fields}).encode()
            with urllib.request.urlopen(f"{base}/oauth2/v2.0/{path}", fields) as answer:
                return json.load(answer)

        token = ask("initiate", username=address, challenge_type="password redirect")["continuation_token"]
        token = ask("challenge", continuation_token=token, challenge_type="password redirect")["continuation_token"]
        tokens = ask("token", grant_type="password", continuation_token=token, password=PASSWORD, scope="openid offline_access")

        def ticket():
            return ask(
                "token", grant_type="urn:ietf:params:oauth:grant-type:token-exchange", subject_token=tokens["refresh_token"], audience="account",
                subject_token_type="urn:ietf:params:oauth:token-type:refresh_token", requested_token_type="urn:swift-native-auth:token-type:browser-ticket")["access_token"]

        page = self.visit()
        page.goto(f"{base}/account?ticket={ticket()}")
        self.is_title(page, "Your account")
        self.expect(f"an app's user is signed in at the account page, whose address has no ticket ({self.mode})", page.url.endswith("/account"), page.url)
        page = self.sign_up(other)
        page.goto(f"{base}/account?ticket={ticket()}")
        self.look(page, "from-app")
        self.is_title(page, "Continue to Contoso")
        self.press(page, "next")
        self.is_title(page, "Your account")
        self.expect(f"the user who clicked is signed in ({self.mode})", address in page.content())

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
        # Two tabs with one code: the first answer counts.
        codes = begin()
        other = page.context.new_page()
        self.watch(other)
        for tab in (page, other):
            tab.goto(codes["verification_uri"])
            self.give(tab, user_code=codes["user_code"])
        self.press(page, "cancel")
        self.press(other, "next")
        self.look(other, "device-over")
        self.expect(f"a device that is answered cannot be allowed ({self.mode})", poll(codes).get("error") == "access_denied")
        other.close()

    def sign_in_with_code(self):
        address, seen = self.person("code"), self.sent()
        page = self.visit(360)
        self.open(page, CODE)
        before = self.site.mailbox.seen(address)
        self.give(page, username=address.upper())
        self.look(page, "sign-in-code")
        before = self.code_in_other_states(page, "sign-in-code", address, before)
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
        before = self.code_in_other_states(page, "reset-code", address, before)
        self.give_code(page, address, before)
        self.look(page, "new-password")
        self.is_title(page, "Choose a new password")
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, new_password="short")
        self.refused(page, "weak-new-password", "new-password")
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
        before = self.code_in_other_states(page, "mailbox-code", second, before)
        self.give_code(page, second, before)
        page.wait_for_url("**/end")
        self.comes("a mailbox is registered", seen + 1, code=True)
        page.context.clear_cookies()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        before = self.site.mailbox.seen(second)
        self.give(page, password=PASSWORD)
        self.look(page, "second-factor")
        before = self.code_in_other_states(page, "second-factor", second, before)
        self.give_code(page, second, before)
        page.wait_for_url("**/end")
        self.comes("a second factor", seen + 2, code=True)
        page.context.close()

    def texted(self, number, before):
        """The code of the newest text to a number, which the inbox of the development profile has, and how many there are."""
        def codes():
            with urllib.request.urlopen(f"{self.url}/dev/inbox.json?to={urllib.parse.quote(number, safe='')}") as answer:
                return [mail["code"] for mail in json.load(answer)]
        world.wait_until(lambda: len(codes()) > before, 10)
        return codes()[0]

    def telephone(self):
        """A user of codes registers a telephone in a sign-in that demands a second factor, and gives it in the next one."""
        number = "+1555" + str(zlib.crc32(self.person("telephone").encode()) % 10 ** 7).zfill(7)
        address, seen = self.person("telephone"), self.sent()
        page = self.visit()
        self.open(page, CODE, claims=SECOND_FACTOR)
        self.press(page, "switch")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.look(page, "choose-new-method")
        self.is_title(page, "One more check")
        page.locator("input[value=sms]").check()
        self.press(page)
        self.look(page, "add-phone")
        self.is_title(page, "Add a telephone")
        self.give(page, contact="0151 23456789")
        self.refused(page, "bad-phone", "contact", keeps="0151 23456789")
        self.give(page, contact=f"{number[:2]} ({number[2:5]}) {number[5:8]}-{number[8:]}")
        self.look(page, "text-code")
        self.is_title(page, "Enter the code of the message")
        self.expect(f"the number is repeated ({self.mode})", number in page.inner_text("main"))
        self.give(page, code="0000 0000")
        self.refused(page, "text-code-wrong", "code")
        self.give(page, code=self.texted(number, 0))
        page.wait_for_url("**/end")
        self.comes("a telephone is registered", seen, code=True)
        page.context.close()
        page = self.visit()
        self.open(page, CODE, claims=SECOND_FACTOR)
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.is_title(page, "Enter the code of the message")
        self.expect(f"the number is masked ({self.mode})", number not in page.inner_text("main") and f"+1*********{number[-1]}" in page.inner_text("main"))
        self.give(page, code=self.texted(number, 1))
        page.wait_for_url("**/end")
        self.comes("a telephone", seen + 1, code=True)
        page.goto(f"{self.url}/contoso/account/methods")
        other = f"+49151{number[-8:]}"
        self.give(page, "add-phone", phone=other)
        self.is_title(page, "Enter the code of the message")
        self.give(page, code=self.texted(other, 0))
        self.look(page, "account-phones")
        self.is_title(page, "Sign-in methods")
        self.expect(f"two telephones are enough ({self.mode})", not page.locator("button[value=add-phone]").count())
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

    def app_code(self, key, later=0):
        """The code that an authenticator app shows (RFC 6238), made without the server's own code."""
        step = int(time.time() + self.skew) // 30 + later
        mac = hmac.digest(base64.b32decode(key.replace(" ", "")), struct.pack(">Q", step), "sha1")
        return str((struct.unpack(">I", mac[mac[-1] & 15:][:4])[0] & 0x7FFFFFFF) % 10 ** 6).zfill(6)

    def authenticator_app(self):
        """An app is added at the account page, and is the second factor of the next sign-in."""
        address, seen = self.person("authenticator"), self.sent()
        page = self.sign_up(address)
        page.goto(f"{self.url}/contoso/account/methods")
        self.press(page, "add-app")
        self.look(page, "add-app")
        self.is_title(page, "Add an authenticator app")
        key, link = page.inner_text(".key code"), page.get_attribute(".links a", "href")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(link).query))
        self.expect(f"the link has the key ({self.mode})", link.startswith("otpauth://totp/Contoso:") and query["secret"] == key.replace(" ", "") and query["issuer"] == "Contoso", link)
        if self.mode == "script" and not self.language:
            self.expect("the picture says the same", self.scanned(page) == link, self.scanned(page))
        self.give(page, code=self.app_code(key, later=40))
        self.refused(page, "add-app-wrong", "code")
        self.give(page, code=self.app_code(key))
        self.is_title(page, "Your account")
        page.context.close()
        page = self.visit()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        self.look(page, "app-code")
        self.is_title(page, "Enter the code of your app")
        self.give(page, code=self.app_code(key, later=40))
        self.refused(page, "app-code-wrong", "code")
        # The code that added the app is spent.
        self.give(page, code=self.app_code(key, later=1))
        page.wait_for_url("**/end")
        self.comes("an app", seen + 1, code=True)
        self.recovery_codes(page, address)

    def app_demanded(self):
        """A sign-in that demands two factors by NIST, of a user who has none: an app is registered after a code to the mailbox."""
        page, address, seen = self.visit(), self.person("app-demanded"), self.sent()
        self.sign_up(address, page=page)
        page.context.clear_cookies()
        self.open(page, claims=TWO_FACTORS)
        self.give(page, username=address)
        before = self.site.mailbox.seen(address)
        self.give(page, password=PASSWORD)
        self.give(page, code=self.code(address, before))
        self.look(page, "register-app")
        self.is_title(page, "Add an authenticator app")
        key = page.inner_text(".key code")
        self.give(page, code=self.app_code(key, later=40))
        self.refused(page, "register-app-wrong", "code")
        self.expect(f"the key is still the same ({self.mode})", page.inner_text(".key code") == key)
        self.give(page, code=self.app_code(key))
        page.wait_for_url("**/end")
        self.comes("an app registered in a sign-in", seen + 1, code=True)
        page.context.close()

    def recovery_codes(self, page, address):
        """A session of two factors makes codes; the phone is lost; one of them signs in."""
        page.goto(f"{self.url}/contoso/account/methods")
        self.press(page, "make-codes")
        self.look(page, "account-recovery-codes")
        codes = page.locator(".codes li").all_inner_texts()
        self.expect(f"ten codes are shown ({self.mode})", len(set(codes)) == 10 and all(re.fullmatch(r"([0-9A-Z]{4}-){3}[0-9A-Z]{4}", code) for code in codes), str(len(codes)))
        with page.expect_download() as download:
            page.click("a[download]")
        saved = pathlib.Path(download.value.path()).read_text()
        self.expect(f"the file has them ({self.mode})", saved.split() == codes and download.value.suggested_filename == "recovery-codes.txt", saved)
        page.goto(f"{self.url}/contoso/account/methods")
        self.expect(f"they are shown once ({self.mode})", codes[0] not in page.content() and "10" in page.inner_text("main"))
        page.context.close()
        page, seen = self.visit(), self.sent()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        self.is_title(page, "Enter the code of your app")
        self.press(page, "others")
        self.look(page, "choose-recovery")
        page.locator("input[name=method]").last.check()
        self.press(page)
        self.look(page, "recovery-code")
        self.is_title(page, "Enter a recovery code")
        self.give(page, code="0000-0000-0000-0000")
        self.refused(page, "recovery-code-wrong", "code")
        self.give(page, code=codes[4].lower())
        page.wait_for_url("**/end")
        self.comes("a recovery code", seen, code=True)
        page.goto(f"{self.url}/contoso/account/methods")
        self.look(page, "account-recovered")
        self.expect(f"its session makes no codes ({self.mode})", not page.locator("button[value=make-codes]").count())
        page.context.close()

    @contextlib.contextmanager
    def at_localhost(self):
        """The same pages at a name that passkeys can be bound to: an address of digits is none."""
        site, url, port = self.site, self.url, world.free_port()
        self.url = f"http://localhost:{port}"
        self.site = world.Site(
            self.options, mailbox=site.mailbox, arguments=["--config", str(self.file), "--port", str(port), "--base-url", self.url], environment={})
        try:
            yield
        finally:
            self.site.stop(keep_mailbox=True)
            self.site, self.url = site, url

    @staticmethod
    def device_of(page):
        """A device with passkeys in the browser of the page, and a function that changes how it answers."""
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}
        known = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        return lambda command, **more: session.send(f"WebAuthn.{command}", known | more)

    def passkeys(self):
        """A passkey is added at the account page, signs in alone, is the second factor, and is removed."""
        with self.at_localhost():
            if self.mode == "script":
                self.passkey_of_device()
                self.passkey_suggested()
            else:
                self.passkeys_without_script()
            self.passkey_demanded()

    def passkey_demanded(self):
        """A sign-in that demands a passkey, of a user who has none: one is made after a code to the mailbox."""
        page, address, seen = self.visit(), self.person("demanded"), self.sent()
        device = self.device_of(page) if self.mode == "script" else None
        self.sign_up(address, page=page)
        page.context.clear_cookies()
        if device:
            device("setUserVerified", isUserVerified=False)
        self.open(page, claims=PASSKEY)
        self.give(page, username=address)
        before = self.site.mailbox.seen(address)
        self.give(page, password=PASSWORD)
        self.give(page, code=self.code(address, before))
        self.look(page, "register-passkey")
        self.is_title(page, "Add a passkey")
        if device:
            self.ask_device(page)
            self.told(page, "You can try again")
            self.look(page, "register-passkey-cancelled", state="refused")
            device("setUserVerified", isUserVerified=True)
            self.ask_device(page)
            page.wait_for_url("**/end")
            self.comes("a passkey made in a sign-in", seen + 1, code=True)
        else:
            self.expect("the page to make a passkey says that it needs script", "runs no scripts" in page.inner_text("main"))
            self.press(page, "cancel")
            self.comes("a sign-in without the passkey that it demands", seen + 1, error="access_denied")
        page.context.close()

    def passkey_of_device(self):
        page, address, seen = self.visit(), self.person("passkey"), self.sent()
        home = f"{self.url}/contoso/account"
        device = self.device_of(page)
        # A device of tests answers at once where a browser only suggests.
        page.add_init_script("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
        self.sign_up(address, page=page)
        page.goto(f"{home}/methods")
        # The user looks at the page before the device answers, and the device does not recognise the user.
        device("setAutomaticPresenceSimulation", enabled=False)
        self.press(page, "add-passkey")
        self.look(page, "add-passkey")
        self.is_title(page, "Add a passkey")
        device("setAutomaticPresenceSimulation", enabled=True)
        device("setUserVerified", isUserVerified=False)
        self.ask_device(page)
        self.told(page, "You can try again")
        self.look(page, "add-passkey-cancelled", state="refused")
        device("setUserVerified", isUserVerified=True)
        with page.expect_navigation(url="**/account?saved"):
            self.ask_device(page)
        self.is_title(page, "Your account")
        self.expect(f"the device has a passkey ({self.mode})", len(device("getCredentials")["credentials"]) == 1)
        page.goto(f"{home}/methods")
        self.look(page, "account-passkeys")
        self.press(page, "add-passkey")
        self.told(page, "This device has a passkey for your account already")
        page.goto(f"{home}/methods")
        page.click("summary")
        page.fill("input[name=name]", "Laptop")
        self.press(page, "rename")
        self.expect(f"a passkey has a name ({self.mode})", page.locator(".what .sub").first.inner_text() == "Laptop")
        # Signing in with it alone: it names the user.
        page.goto(home)
        self.press(page, "here")
        self.open(page)
        self.look(page, "sign-in-passkey")
        device("setAutomaticPresenceSimulation", enabled=False)
        self.press(page, "passkey")
        self.look(page, "use-passkey")
        self.is_title(page, "Use your passkey")
        device("setUserVerified", isUserVerified=False)
        device("setAutomaticPresenceSimulation", enabled=True)
        self.ask_device(page)
        self.told(page, "You can try again")
        self.look(page, "use-passkey-cancelled", state="refused")
        self.press(page, "restart")
        self.is_title(page, "Sign in")
        device("setUserVerified", isUserVerified=True)
        self.press(page, "passkey")
        page.wait_for_url("**/end")
        self.comes("a passkey", seen + 1, code=True)
        page.goto(home)
        self.expect(f"the passkey's user is signed in ({self.mode})", address in page.inner_text("main"), page.inner_text("main"))
        # As the second factor.
        page.context.clear_cookies()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a passkey after a password", seen + 2, code=True)
        # A password alone changes no method: the passkey is asked for.
        page.context.clear_cookies()
        page.goto(f"{home}/methods")
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/account/methods")
        self.is_title(page, "Confirm that it is you")
        self.look(page, "account-proof-passkey")
        self.press(page, "passkey")
        self.wait(lambda: page.locator(".entries").count())
        self.press(page, "remove")
        self.expect(f"the passkey is removed ({self.mode})", not page.locator(".entries").count())
        # The device has it still: the server refuses it, and asks again with another challenge.
        page.context.clear_cookies()
        self.open(page)
        with page.expect_navigation(url=lambda _: page.locator(".problem").count() > 0):
            page.click("button[value=passkey]")
        for _ in range(2):
            self.look(page, "use-passkey-refused", 422)
            before = page.get_attribute("input[name=passkey]", "data-options")
            with page.expect_navigation():
                self.ask_device(page)
            self.expect(f"a refused passkey has another challenge ({self.mode})", page.get_attribute("input[name=passkey]", "data-options") != before)
        page.reload()
        self.press(page, "cancel")
        self.comes("a passkey that the user gives up", seen + 3, error="access_denied")
        page.context.close()
        page = self.visit()
        page.add_init_script("delete window.PublicKeyCredential")
        self.open(page)
        self.expect("a browser without passkeys shows no button for them", not page.locator("button[value=passkey]").is_visible())
        page.context.close()

    def passkey_suggested(self):
        """A passkey that the browser suggests at the field of the name signs its user in without a page between."""
        page, address, seen = self.visit(), self.person("suggested"), self.sent()
        home = f"{self.url}/contoso/account"
        device = self.device_of(page)
        self.sign_up(address, page=page)
        page.goto(f"{home}/methods")
        with page.expect_navigation(url="**/account?saved"):
            page.click("button[value=add-passkey]")
        page.context.clear_cookies()
        device("setAutomaticPresenceSimulation", enabled=False)
        self.open(page)
        self.expect("the field of the name says that passkeys can be suggested", page.get_attribute("#username", "autocomplete") == "username webauthn")
        with page.expect_response(lambda answer: answer.request.method == "POST" and "application/json" in answer.headers.get("content-type", "")):
            page.reload()
        # The page is as it was: its form goes on, and so does the suggestion of the next one.
        self.give(page, username="unknown@example.com")
        self.expect("a form beside a suggestion is no old one", page.locator(".problem").count() == 1, page.inner_text("main"))
        device("setAutomaticPresenceSimulation", enabled=True)
        self.open(page)
        page.wait_for_url("**/end")
        self.comes("a passkey that the browser suggested", seen + 1, code=True)
        page.goto(home)
        self.expect("the user of the suggested passkey is signed in", address in page.inner_text("main"), page.inner_text("main"))
        # The device has a passkey that the server does not know any more.
        page.goto(f"{home}/methods")
        self.press(page, "remove")
        page.context.clear_cookies()
        self.open(page)
        self.told(page, "could not be accepted")
        page.context.close()

    def ask_device(self, page):
        page.click("button[data-passkeys]:not([hidden]):not([name])")

    def told(self, page, words):
        """What the page says of a device that gave no answer."""
        self.wait(lambda: page.locator(".problem").count())
        if self.language in (None, "en"):
            self.expect(f"a page says “{words}”", words in page.inner_text(".problem"), page.inner_text(".problem"))

    def passkeys_without_script(self):
        page, address, seen = self.visit(), self.person("passkey"), self.sent()
        self.sign_up(address, page=page)
        page.goto(f"{self.url}/contoso/account/methods")
        self.expect("no passkey can be added without script", not page.locator("button[value=add-passkey]").is_visible())
        page.evaluate("document.querySelector('button[value=add-passkey]').hidden = false")
        self.press(page, "add-passkey")
        self.look(page, "add-passkey")
        self.expect("the page to add a passkey says that it needs script", "runs no scripts" in page.inner_text("main"))
        page.context.clear_cookies()
        self.open(page)
        self.expect("no passkey is asked for without script", not page.locator("button[value=passkey]").is_visible())
        page.evaluate("document.querySelector('button[value=passkey]').hidden = false")
        self.press(page, "passkey")
        self.look(page, "use-passkey")
        self.expect("the page of a passkey says that it needs script", "runs no scripts" in page.inner_text("main"))
        self.press(page, "restart")
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("another way than a passkey", seen + 1, code=True)
        page.context.close()

    def scanned(self, page):
        """What a scanner reads from the picture."""
        picture = pathlib.Path(self.options.folder) / "qr.png"
        page.locator(".qr svg").screenshot(path=picture)
        done = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True)
        return done.stdout.strip()

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
        # A password that came from the mailbox alone is no factor beside it.
        seen = self.sent()
        self.open(page, claims=SECOND_FACTOR)
        self.give(page, username=self.dana)
        self.give(page, password="Anden-Vinter#93")
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
        for part in (
            self.reload, self.back, self.two_tabs_on_one_flow, self.two_flows, self.signed_in_meanwhile, self.back_from_client, self.double_click,
            self.key_enter, self.other_browser, self.signed_out_meanwhile, self.app,
        ):
            part(page, address)
            for other in page.context.pages:
                if other != page:
                    other.close()
            page.context.clear_cookies()
        page.context.close()
        self.no_double_mail()
        self.no_skipped_step()

    def tab(self, page):
        """Another tab of the same browser."""
        other = page.context.new_page()
        other.set_default_timeout(browser.TIME_LIMIT)
        self.watch(other)
        return other

    @case(1)
    def reload(self, page, address):
        self.open(page)
        page.reload()
        self.is_title(page, "Sign in")
        self.give(page, username=address)
        step = page.url
        for _ in range(3):
            page.reload()
            self.is_title(page, "Enter your password")
        self.expect(f"a reload is at the same address ({self.mode})", page.url == step)
        # A reload of a page that was refused asks the browser's user; a new request for it is the same step.
        self.give(page, password="Not-The-Right-1")
        page.goto(page.url)
        self.is_title(page, "Enter your password")

    @case(2)
    def back(self, page, address):
        # The first page is the request itself, and begins again.
        self.open(page)
        self.give(page, username=address)
        page.go_back()
        self.is_title(page, "Sign in")
        self.give(page, username=address)
        self.is_title(page, "Enter your password")
        # The form of the password's page, after another step.
        step = page.url
        self.press(page, "forgot")
        self.is_title(page, "Check your mail")
        page.evaluate("""step => {
            const form = document.querySelector('form'), number = form.querySelector('input[name=".number"]');
            number.value = Number(number.value) - 1;
        }""", step)
        self.expect(f"the address of a flow stays ({self.mode})", page.url == step)
        # A number of an earlier page with the token of this one is of no page.
        self.give(page, code="00000000")
        self.expect(f"a form that was put together is refused ({self.mode})", self.documents[page].status == 403, str(self.documents[page].status))

    @case(5)
    def two_tabs_on_one_flow(self, page, address):
        self.open(page)
        self.give(page, username=address)
        step, other = page.url, self.tab(page)
        other.goto(step)
        self.press(other, "forgot")
        self.is_title(other, "Check your mail")
        with self.about(2, 5):
            self.give(page, password=PASSWORD)
            self.expect(f"an old form leads to the present page ({self.mode})", page.url == f"{step}?again" and page.locator(".notice").count() == 1, page.url)
            self.is_title(page, "Check your mail")
        self.look(page, "already-done")
        other.goto(step)
        self.is_title(other, "Check your mail")
        other.close()
        self.press(page, "restart")
        self.is_title(page, "Sign in")

    @case(4)
    def two_flows(self, page, address):
        other, seen = self.tab(page), self.sent()
        for one in (page, other):
            self.open(one)
            self.give(one, username=address)
            self.is_title(one, "Enter your password")
        self.expect(f"each tab has a flow of its own ({self.mode})", page.url != other.url)
        for number, one in enumerate((page, other)):
            self.give(one, password=PASSWORD)
            one.wait_for_url("**/end")
            self.comes("a flow beside another tab", seen + number, code=True)
        codes = [answer[1]["code"] for answer in self.callback.answers()[seen:]]
        self.expect(f"each has a code of its own ({self.mode})", len(set(codes)) == 2)

    @case(6)
    def signed_in_meanwhile(self, page, address):
        first, begun, seen = self.tab(page), self.tab(page), self.sent()
        self.open(first, CODE)
        self.is_title(first, "Sign in")
        self.open(begun)
        self.give(begun, username=address)
        self.open(page)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a sign-in in one tab", seen, code=True)
        first.reload()
        self.is_title(first, "Continue to Lighthouse")
        # A page that is under way goes on as it is.
        self.give(begun, password=PASSWORD)
        begun.wait_for_url("**/end")
        self.comes("a flow under way in another", seen + 1, code=True)

    @case(7)
    def back_from_client(self, page, address):
        seen = self.sent()
        self.open(page)
        self.give(page, username=address)
        step = page.url
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        code = self.comes("a sign-in before Back", seen, code=True)["code"]
        # The page that moved on is left at once, so that Back passes it or is sent on by it.
        page.go_back(wait_until="commit")
        page.wait_for_timeout(300)
        again = page.context.request.get(step).text()
        title = re.search(r"<h1>(.*?)</h1>", again)[1]
        self.expect(f"a finished page has no form ({self.mode})", "<form" not in again and (self.language or title in ("One moment", "You are signed in")), title)
        came = {answer[1].get("code") for answer in self.callback.answers()[seen:]}
        self.expect(f"Back gives no second code ({self.mode})", came == {code}, str(len(came)))
        # In a tab of its own: the page that Back left may still be on its way to the application.
        page = self.tab(page)
        self.open(page)
        self.is_title(page, "Continue to Harbour")
        seen = self.sent()
        self.press(page)
        page.wait_for_url("**/end")
        self.expect(f"the application can ask again ({self.mode})", self.comes("a request after Back", seen, code=True)["code"] != code)

    @case(3)
    def double_click(self, page, address):
        """Two clicks, as fast as a hand can."""
        seen = self.sent()
        self.open(page)
        self.give(page, username=address)
        page.fill("#password", PASSWORD)
        page.dblclick("button[value=next]", no_wait_after=True)
        page.wait_for_url("**/end")
        self.comes("a double click", seen, code=True)
        self.expect(f"a double click gives one answer ({self.mode})", self.sent() == seen + 1, str(self.sent() - seen))

    def key_enter(self, page, address):
        """Enter in the field is the first button."""
        seen = self.sent()
        self.open(page)
        page.fill("#username", address)
        page.press("#username", "Enter")
        page.wait_for_selector("#password")
        page.fill("#password", PASSWORD)
        with self.about(19):
            page.press("#password", "Enter")
            page.wait_for_url("**/end")
            self.comes("the key Enter", seen, code=True)

    def app(self, page, address):
        """An app on this device."""
        self.sign_in(page, address)
        self.left.clear()
        self.open(page, redirect_uri=APP)
        self.look(page, "continue-app")
        step = urllib.parse.urljoin(page.url, page.get_attribute("form", "action"))
        page.click("button[value=next]", no_wait_after=True)
        self.wait(lambda: (page.wait_for_timeout(50), self.left)[1])
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.left[0]).query))
        self.expect(f"an app gets the answer by its scheme ({self.mode})", self.left[0].startswith(f"{APP}?") and answer.get("code") and answer.get("state"), self.left[0][:200])
        with self.about(7):
            page.goto(step)
            self.look(page, "signed-in")
            self.is_title(page, "You are signed in")
            self.expect(f"a reload gives an app no second answer ({self.mode})", len(self.left) == 1)

    def sign_in(self, page, address):
        seen = self.sent()
        self.open(page)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a sign-in", seen, code=True)

    @case(10)
    def other_browser(self, page, address):
        self.open(page)
        self.give(page, username=address)
        other = self.visit()
        other.goto(page.url)
        text = self.documents[other].text()
        self.expect(f"a page in another browser is refused ({self.mode})", self.documents[other].status == 400, str(self.documents[other].status))
        self.expect(f"and tells nothing ({self.mode})", address not in text and "Harbour" not in text and "<form" not in text)
        number = re.compile(r"[0-9a-f-]{36}")
        invented = re.sub(r"[0-9a-f]{40}", "0" * 40, page.url)
        other.goto(invented)
        self.expect(f"as for a page that never was ({self.mode})", number.sub("", self.documents[other].text()) == number.sub("", text))
        other.context.close()
        self.give(page, password="Not-The-Right-1")
        self.expect(f"the flow is unharmed ({self.mode})", self.documents[page].status == 422)

    @case(11)
    def signed_out_meanwhile(self, page, address):
        self.sign_in(page, address)
        self.open(page)
        self.is_title(page, "Continue to Harbour")
        other = self.tab(page)
        other.goto(f"{self.url}/contoso/oauth2/v2.0/logout")
        with other.expect_navigation(wait_until="load"):
            other.click("button.primary")
        self.is_title(other, "You are signed out")
        seen = self.sent()
        self.press(page)
        self.is_title(page, "Sign in")
        self.expect(f"nothing came to the client ({self.mode})", self.sent() == seen)
        self.give(page, username=address)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("the flow goes on with a new sign-in", seen, code=True)

    @case(13)
    def no_double_mail(self):
        page, address = self.visit(), self.person("mails")
        self.open(page, CODE, prompt="create")
        before = self.site.mailbox.seen(address)
        page.fill("#username", address)
        page.dblclick("button[value=next]", no_wait_after=True)
        page.wait_for_selector("#code")
        page.wait_for_timeout(500)
        count = self.site.mailbox.seen(address) - before
        # Without script nothing tells the server that both clicks are one: each begins a flow, since no cookie names it yet.
        if self.mode == "script":
            self.expect("a double click at the first page sends one mail", count == 1, str(count))
        elif count != 1:
            self.notes.append(f"Without script, a double click at the first page sent {count} mails in this run: no cookie names the flow yet.")
        before, step = self.site.mailbox.seen(address) - 1, page.url
        for _ in range(3):
            page.reload()
        other = self.tab(page)
        other.goto(step)
        other.close()
        page.go_back()
        page.go_forward()
        page.wait_for_timeout(500)
        self.expect(f"one mail came ({self.mode})", self.site.mailbox.seen(address) == before + 1, str(self.site.mailbox.seen(address) - before))
        page.context.close()

    @case(14)
    def no_skipped_step(self):
        page, address, seen = self.visit(), self.person("skips"), self.sent()
        self.open(page, prompt="create")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        step = page.url
        code = self.code(address, before)
        # The form of the next step, sent at this one.
        page.evaluate("""() => {
            const field = document.querySelector('#code');
            field.name = 'new-password';
            field.removeAttribute('pattern');
        }""")
        self.give(page, code=PASSWORD)
        self.is_title(page, "Check your mail")
        for more in ("?sent", "/done", "?step=choosePassword"):
            page.goto(step + more)
            self.expect(f"no address leads on ({self.mode})", page.locator("#new-password").count() == 0)
        page.goto(step)
        self.give(page, code=code)
        self.is_title(page, "Choose a password")
        self.expect(f"nothing came to the client before the end ({self.mode})", self.sent() == seen)
        page.context.close()

    def hold(self, page, held):
        """Pages that lead on by themselves do not: `held` gets where they would."""
        def answered(route):
            answer = route.fetch()
            held.append(answer.headers.get("refresh"))
            route.fulfill(response=answer, headers={name: value for name, value in answer.headers.items() if name != "refresh"})

        page.route("**/web/*", answered)

    def providers(self):
        """A user comes by a provider that proves no address, names one, and needs nothing but the provider from then on."""
        page, address, seen, held = self.visit(), self.person("provider"), self.sent(), []
        self.provider.person = {"sub": address}
        self.open(page, VISITORS, tenant="quay")
        self.look(page, "sign-in-provider")
        self.hold(page, held)
        self.press(page, "pilot")
        self.look(page, "leaving")
        self.is_title(page, "One moment")
        self.expect(f"the page leads to the provider ({self.mode})", held and held[0].startswith(f"0; url={self.provider.issuer}/"), str(held))
        page.unroute("**/web/*")
        page.click("a.primary")
        page.wait_for_selector("#username")
        self.look(page, "name-mailbox")
        self.is_title(page, "Create your account")
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, username="no address")
        self.refused(page, "name-mailbox-wrong", "username", keeps="no address")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.is_title(page, "Check your mail")
        self.give_code(page, address, before)
        page.wait_for_url("**/end")
        self.comes("a new user of a provider", seen, code=True)
        page.context.clear_cookies()
        self.open(page, VISITORS, tenant="quay")
        page.click("button[value=pilot]")
        page.wait_for_url("**/end")
        self.comes("the provider alone", seen + 1, code=True)
        page.goto(f"{self.url}/quay/account/methods")
        self.look(page, "account-identities")
        self.expect(f"the identity is listed ({self.mode})", "Pilot ID" in page.inner_text(".entries"), page.inner_text("main"))
        self.expect("the requests to the provider are as the standards want them", not self.provider.violations, self.provider.violations[:3])
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

        self.hold(page, held)
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
        unknown = f"{logout}?" + urllib.parse.urlencode({"post_logout_redirect_uri": "https://elsewhere.example/"})
        page.goto(unknown)
        self.look(page, "signed-out-unknown", 400)
        self.expect("a sign-out leads to no unknown address", "elsewhere.example" not in DEVELOPMENT.sub("", self.documents[page].text(), count=1))
        page.context.close()

    def account(self):
        """The account page: each of its pages, and what a change leads to."""
        page, address, second = self.visit(), self.person("account"), self.person("account.second")
        home = f"{self.url}/contoso/account"
        self.sign_up(address, page=page)
        page.goto(home)
        self.look(page, "account-new")
        self.is_title(page, "Your account")
        page.goto(f"{home}/data")
        self.look(page, "account-data")
        self.give(page, "save", displayName="Dana Example", city="Aarhus")
        self.look(page, "account-saved")
        self.expect(f"a change is told ({self.mode})", page.locator(".notice[role=status]").count() == 1)
        self.give(page, "save", displayName="")
        self.refused(page, "account-no-name", "displayName")
        page.goto(f"{home}/methods")
        self.look(page, "account-no-methods")
        before = self.site.mailbox.seen(second)
        self.give(page, "add", contact=second)
        self.look(page, "account-code")
        self.is_title(page, "Check your mail")
        self.give_code(page, second, before)
        self.is_title(page, "Sign-in methods")
        self.look(page, "account-methods")
        page.click("summary")
        page.fill("input[name=name]", "Work")
        self.press(page, "rename")
        self.expect(f"a mailbox has a name ({self.mode})", page.locator(".what .sub").first.inner_text() == "Work")
        page.goto(f"{home}/password")
        self.look(page, "account-password")
        self.give(page, "change", password="Not-The-Right-1", new_password="Anden-Vinter#93")
        self.refused(page, "account-wrong-password", "password")
        page.fill("#password", PASSWORD)
        page.fill("#new-password", "Anden-Vinter#93")
        # Two clicks change it once, and the user stays signed in.
        page.dblclick("button[value=change]", no_wait_after=True)
        page.wait_for_url("**/account?changed")
        self.is_title(page, "Your account")
        self.look(page, "account")
        # Another browser, with the password alone.
        other = self.visit(360)
        other.goto(f"{home}/email")
        self.give(other, username=address)
        self.give(other, password="Anden-Vinter#93")
        self.is_title(other, "Confirm that it is you")
        self.look(other, "account-proof")
        before = self.site.mailbox.seen(second)
        self.press(other)
        self.give_code(other, second, before)
        self.is_title(other, "Change your e-mail address")
        self.look(other, "account-email")
        page.goto(f"{home}/sessions")
        self.look(page, "account-sessions")
        self.press(page, "others")
        other.reload()
        self.is_title(other, "Sign in")
        other.context.close()
        page.goto(f"{home}/copy")
        self.look(page, "account-copy")
        with page.expect_download() as kept:
            page.click("button[value=download]")
        copy = json.loads(pathlib.Path(kept.value.path()).read_text())
        self.expect(f"a copy of the data ({self.mode})", copy["user"]["mail"] == address and kept.value.suggested_filename == "account.json", str(copy)[:200])
        page.goto(f"{home}/deletion")
        self.look(page, "account-deletion")
        page.fill("#contact", address)
        self.press(page, "delete")
        self.look(page, "account-deleted")
        self.is_title(page, "Your account is deleted")
        page.go_back()
        self.expect(f"Back shows nothing of the account ({self.mode})", address not in page.content())
        page.context.close()

    def errors(self):
        page = self.visit()
        cases = {
            "unknown-tenant": (self.path(tenant="nowhere"), 404), "unknown-client": (self.path(client="99990000-aaaa-2222-bbbb-3333cccc4444"), 400),
            "unknown-address": (self.path(redirect_uri="https://elsewhere.example/"), 400),
            "begun-elsewhere": (f"{self.url}/contoso/web/{'0' * 40}", 400), "malformed": (self.path() + f"&client_id={PASSWORDS}", 400),
            "not-for-browsers": (self.path(NATIVE), 400), "no-address": (self.path(redirect_uri=None), 400),
            "too-long": (self.path(state="s" * 9000), 414),
            "pushed-request-gone": (f"{self.url}/contoso/oauth2/v2.0/authorize?" + urllib.parse.urlencode(
                {"client_id": PASSWORDS, "request_uri": "urn:ietf:params:oauth:request_uri:" + "A" * 43}), 400),
        }
        for name, (path, status) in cases.items():
            page.goto(path)
            self.look(page, name, status, is_alike=name not in ("unknown-tenant", "begun-elsewhere"))
            self.expect(f"{name} leads nowhere", "elsewhere.example" not in DEVELOPMENT.sub("", self.documents[page].text(), count=1))
        # As long as an address may be, with a user that nothing is known of; and a name as long as a name may be.
        place = self.path(state="s" * 4096, claims="CLAIMS")
        room = 8190 - len(place.removeprefix(self.url)) - len('{%22id_token%22:{%22sub%22:{%22value%22:%22%22}}}') + len("CLAIMS")
        page.goto(place.replace("CLAIMS", '{"id_token":{"sub":{"value":"' + "u" * room + '"}}}'))
        page.evaluate("document.querySelector('form').noValidate = true")
        self.give(page, "switch", username="n" * 242 + "@example.com")
        self.look(page, "too-much", 413, is_alike=True)
        self.open(page)
        page.evaluate("document.querySelector('input[name=\".form\"]').value = 'AAAA'")
        self.give(page, username="dana@example.com")
        self.look(page, "foreign-form", 403, is_alike=True)
        self.open(page, GUARDED, prompt="create")
        address = self.person("guarded")
        before = self.site.mailbox.seen(address)
        self.give(page, username=address)
        self.give_code(page, address, before)
        self.give(page, new_password=PASSWORD)
        self.look(page, "blocked")
        self.is_title(page, "We cannot go on")
        self.press(page, "restart")
        self.is_title(page, "Sign in")
        page.context.close()
        self.cookieless()

    @case(9)
    def cookieless(self):
        page = self.visit()
        self.open(page)
        page.context.clear_cookies()
        self.give(page, username="dana@example.com")
        self.look(page, "no-cookies", 400, is_alike=True)
        self.is_title(page, "Please allow cookies")
        self.expect(f"no loop without cookies ({self.mode})", page.locator("form").count() == 0 and not self.documents[page].headers.get("refresh"))
        page.context.close()


    def times(self):
        """What took too long: each page that asks for something is sent an hour later, and one a day later."""
        if sys.platform != "linux":
            return
        address, waiting = self.person("late"), {}
        self.sign_up(address).context.close()

        def begin(name, client, steps, **changes):
            if not self.is_long and name not in ("password", "sign-up-code"):
                return
            page = waiting[name] = self.visit()
            self.open(page, client, **changes)
            for step in steps:
                before = self.site.mailbox.seen(step.get("to", ""))
                if "to" in step:
                    self.give_code(page, step["to"], self.late[step["to"]])
                else:
                    for value in step.values():
                        self.late[value] = self.site.mailbox.seen(value)
                    self.give(page, **step)

        self.late = {}
        new, other = self.person("late-new"), self.person("late-other")
        begin("password", PASSWORDS, [{"username": address}])
        begin("sign-up-code", PASSWORDS, [{"username": self.person("late-code")}], prompt="create")
        begin("choose-password", PASSWORDS, [{"username": new}, {"to": new}], prompt="create")
        begin("attributes", ATTRIBUTES, [{"username": other}, {"to": other}, {"new_password": PASSWORD}], prompt="create")
        begin("add-mailbox", PASSWORDS, [{"username": address}, {"password": PASSWORD}], claims=SECOND_FACTOR)
        begin("sign-in-code", CODE, [{"username": self.person("code")}])
        begin("reset-code", PASSWORDS, [{"username": address}])
        if self.is_long:
            self.press(waiting["reset-code"], "forgot")
        day = self.visit()
        self.open(day)
        self.give(day, username=address)
        page, address_of_code = waiting["sign-up-code"], self.person("late-code")
        code = self.code(address_of_code, self.late[address_of_code])
        self.skew += 601
        self.clock.set(self.skew)
        self.give(page, code=code)
        self.expect(f"a code of eleven minutes is too old ({self.mode})", self.documents[page].status == 422 and "too old" in page.inner_text(".problem"), page.inner_text("main"))
        self.skew += 3001
        self.clock.set(self.skew)
        with self.about(8):
            for name, page in waiting.items():
                self.expect(f"{name} is there to be late", page.locator("form").count() > 0)
                page.evaluate("document.querySelector('form').noValidate = true")
                for field in page.locator("input:not([type=hidden]):not([readonly]):not([type=checkbox]):not([type=radio])").all():
                    field.fill("2" if field.get_attribute("inputmode") == "numeric" else "late@example.org")
                self.press(page)
                self.expect(f"{name} an hour later: over ({self.mode})", self.title(page) == "We cannot go on", self.title(page))
                self.seen[PAGE_OF[name]].add("expired")
            self.press(page, "restart")
            self.expect(f"a late flow begins again with the same request ({self.mode})", self.title(page) == "Sign in", self.title(page))
            seen = self.sent()
            self.give(page, username=address)
            self.give(page, password=PASSWORD)
            page.wait_for_url("**/end")
            self.comes("a flow that began again", seen, code=True)
            self.skew += 86_400
            self.clock.set(self.skew)
            day.goto(day.url)
            self.look(day, "too-old", 410, is_alike=True)
            self.is_title(day, "This took too long")
        for page in [*waiting.values(), day]:
            page.context.close()

    def limits(self):
        """What a server with the limits of production refuses for a while."""
        site, url, port = self.site, self.url, world.free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.site = world.Site(
            self.options, mailbox=site.mailbox,
            arguments=["--config", str(self.file), "--port", str(port), "--base-url", self.url, "--limits", "production"], environment={})
        try:
            page, address = self.visit(), self.person("limits")
            self.open(page, prompt="create")
            before = self.site.mailbox.seen(address)
            self.give(page, username=address)
            self.press(page, "resend")
            self.look(page, "code-too-early", state="limit")
            self.expect("the seconds until another code are told", re.search(r"(60|5\d)", page.inner_text("button[value=resend]")))
            self.give_code(page, address, before)
            self.is_title(page, "Choose a password")
            with self.about(13):
                self.expect("a wish for another code that comes too early sends none", self.site.mailbox.seen(address) == before + 1)
            self.give(page, new_password=PASSWORD)
            page.wait_for_url("**/end")
            page.context.close()
            page = self.visit()
            self.open(page)
            self.give(page, username=address)
            for number in range(12):
                # The same answer again would be a repetition.
                self.give(page, password=f"Not-The-Right-{number}")
                if "not the right password" not in page.inner_text(".problem"):
                    break
            self.look(page, "locked", 422, "limit")
            self.expect("a lock is told, with the time", "minute" in page.inner_text(".problem"), page.inner_text(".problem"))
            self.open(page)
            for _ in range(40):
                self.give(page, username="none@example.com")
                if self.documents[page].status == 429:
                    break
                self.open(page)
            self.look(page, "too-many", 429)
            self.expect("a source that asks too often is told, with the time", self.documents[page].headers.get("retry-after") and re.search(r"\d", page.inner_text(".lead")))
            page.context.close()
        finally:
            self.site.stop(keep_mailbox=True)
            self.site, self.url = site, url

    def framed(self):
        """A page in a frame of another site."""
        context = self.browser.new_context()
        page = context.new_page()
        page.route("**/frame", lambda route: route.fulfill(content_type="text/html", body=f"<!doctype html><title>f</title><iframe src='{self.path()}'></iframe>"))
        page.goto(f"{self.redirect}/frame")
        self.wait(lambda: (page.wait_for_timeout(50), len(page.frames) > 1 and page.frames[1].url.startswith("chrome-error"))[1])
        self.expect("a frame shows no page of ours", page.frames[1].locator("form").count() == 0)
        context.close()

    def disabled(self):
        """An account that an operator has disabled, where answers follow the contract."""
        page, address = self.visit(), self.person("disabled")
        self.sign_up(address, page=page)
        self.command("user", "disable", address, "--tenant", "contoso", "--config", str(self.file))
        self.open(page)
        self.expect("a disabled account ends its session", self.title(page) == "Sign in", self.title(page))
        self.give(page, username=address)
        if page.locator("#password").count():
            self.give(page, password=PASSWORD)
        self.expect("a disabled account is told", self.documents[page].status == 422 and "cannot be used" in page.inner_text(".problem"), page.inner_text("main"))
        page.context.close()

    def without_mail(self):
        """The mail server is away: the page is as always, and the mail comes later."""
        page, address, mailbox = self.visit(), self.person("no-mail"), self.site.mailbox
        mailbox.controller.stop()
        try:
            self.open(page, CODE, prompt="create")
            before = mailbox.seen(address)
            self.give(page, username=address)
            self.expect("without mail the page is as always", self.title(page) == "Check your mail", self.title(page))
        finally:
            mailbox.controller = type(mailbox.controller)(mailbox, hostname="127.0.0.1", port=mailbox.controller.port)
            mailbox.controller.start()
        seen = self.sent()
        self.give_code(page, address, before)
        page.wait_for_url("**/end")
        self.comes("a mail that came later", seen, code=True)
        page.context.close()

    def outage(self):
        """The database does not take anything: the page says so, and the same form works again."""
        page, address, seen = self.visit(), self.person("outage"), self.sent()
        self.sign_up(address, page=page)
        page.context.clear_cookies()
        self.open(page)
        self.give(page, username=address)
        step = page.url
        # Each statement waits for five seconds.
        page.set_default_timeout(60_000)
        database = sqlite3.connect(self.site.store.file, timeout=5, isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        try:
            self.give(page, password=PASSWORD)
        finally:
            database.execute("ROLLBACK")
            database.close()
        self.look(page, "busy", 503, is_alike=True)
        self.is_title(page, "Please try again soon")
        self.expect("a busy server says when", self.documents[page].headers.get("retry-after"))
        page.goto(step)
        self.give(page, password=PASSWORD)
        page.wait_for_url("**/end")
        self.comes("a sign-in after the outage", seen + 1, code=True)
        page.context.close()

    # All of it

    def english(self):
        for part in (
            self.sign_up_with_code, self.sign_up_with_attributes, self.sign_in_with_password, self.go_on, self.consent, self.tickets, self.device, self.sign_in_with_code, self.forgotten_password,
            self.second_factor, self.telephone, self.choice_of_factor, self.authenticator_app, self.app_demanded, self.passkeys, self.providers, self.dead_ends, self.browsers, self.moving, self.signing_out, self.account, self.errors, self.sdks,
        ):
            part()
            self.close_others()

    def sdks(self):
        """An app of another package, whose user has a password where the app can only take codes: both SDKs go on in this browser."""
        address = self.person("sdks")
        self.sign_up(address).context.close()
        folder = pathlib.Path(self.options.folder)
        opened, opener = folder / "opened", folder / "opener"
        opener.write_text(f'#!/bin/sh\necho "$1" >>"{opened}"\n')
        opener.chmod(0o755)
        # Also when a run does this a second time.
        opened.write_text("")
        app = subprocess.Popen(
            [self.options.app, self.url, PASSWORDS, address], env=os.environ | {"BROWSER": str(opener), "HOME": str(folder)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for number, sdk in enumerate(("NativeAuth", "MSAL")):
                until = time.monotonic() + 30
                while len(opened.read_text().splitlines()) <= number:
                    if app.poll() is not None or time.monotonic() > until:
                        raise Fault(f"{sdk} opened no browser: {app.stdout.read() if app.poll() is not None else 'it waits'}")
                    time.sleep(0.05)
                page = self.visitor()
                page.goto(opened.read_text().splitlines()[number])
                self.is_title(page, "Enter your password" if page.locator("#password").count() else "Sign in")
                if page.locator("#username:not([readonly])").count():
                    self.give(page, username=address)
                page.fill("#password", PASSWORD)
                page.click("button[value=next]")
                page.wait_for_url(re.compile(r"^http://(localhost|127\.0\.0\.1):\d+/\?(.*&)?code="))
                page.context.close()
            output, _ = app.communicate(timeout=30)
        finally:
            app.kill()
        lines = [line for line in output.splitlines() if not line.startswith("#")]
        self.expect(
            "isBrowserRequired, a browser, and the account is in the cache of both SDKs",
            app.returncode == 0 and lines == [f"{sdk}: {address} with a token" for sdk in ("NativeAuth", "MSAL")], output)

    def close_others(self):
        for context in self.browser.contexts:
            if not self.page or context != self.page.context:
                context.close()
        self.at.clear()

    def extremes(self):
        """With a clock of its own, which does not go back."""
        for part in (self.framed, self.disabled, self.without_mail, self.outage, *([self.limits] if self.is_long else [])):
            part()
        self.skew = 0
        for self.mode in ("no script", "script") if self.is_long else ("script",):
            self.times()

    def without_script(self):
        self.mode = "no script"
        self.english()
        self.mode = "script"

    def languages(self):
        """Each page in each other language; the ways are those of English."""
        wanted = LANGUAGES if self.options.full else ["de", "ar"] if self.options.pictures or self.options.write else []
        for self.language in wanted:
            for part in (
                self.sign_up_with_code, self.sign_up_with_attributes, self.sign_in_with_password, self.go_on, self.consent, self.tickets, self.device, self.sign_in_with_code,
                self.forgotten_password, self.second_factor, self.telephone, self.choice_of_factor, self.authenticator_app, self.app_demanded, self.passkeys, self.providers, self.dead_ends, self.moving, self.signing_out, self.account, self.errors,
            ):
                part()
            for context in self.browser.contexts:
                context.close()
        self.language = None

    # The tables

    def report(self):
        for page in pages_of_source():
            self.expect(f"the page {page} of the source was seen", self.seen.get(page))
        for page in set(self.seen) - set(pages_of_source()):
            self.expect(f"{page} is a page of the source", False)
        for number, what in CASES.items():
            modes = ["no script"] if number == 12 else ["script", "no script"] if number in OF_A_BROWSER else ["script"]
            if number == 8 and not self.is_long:
                modes = ["script"]
            for mode in modes:
                self.expect(f"case {number} was tried ({mode}): {what}", sum(self.results[number, mode]))
        if self.options.write:
            (world.ROOT / "docs/evidence/hosted-pages.md").write_text(self.table())

    def table(self):
        def result(number, mode):
            held, failed = self.results[number, mode]
            return f"**{failed} of {held + failed} failed**" if failed else f"{held} held" if held else "–"

        lines = [
            "# Hosted pages in a browser", "",
            "`scripts/check-pages --write` writes this page from what one run saw in Chromium. An empty cell was not walked, or does not exist: a",
            "page of an error has no form, for example.", "",
            "## The 30 cases of SEC-WEB-7", "",
            "The requirement asks for thirty cases and does not number them. These are the twelve situations of a browser that the design of the",
            "pages names, the three things that SEC-WEB-7 forbids, and the fifteen rows of its check of WCAG 2.2 AA. Numbers count single checks.",
            "", "| | Case | With script | Without script |", "|---|---|---|---|"]
        lines += [f"| {number} | {what} | {result(number, 'script')} | {result(number, 'no script')} |" for number, what in CASES.items()]
        lines += [""] * bool(self.notes) + sorted(set(self.notes))
        heads = ["first shown", "answer refused", "refused for a while", "sent too late", "sent again", "answered", "right to left", "dark", "320 points", "without script"]
        lines += [
            "", "## Pages and states", "",
            "Each page that `Sources/Server/IdentityHTTP/Pages` can show, by its name there; a page that was not seen is a failure of the run.",
            "Violations are those that axe-core found, in all states.", "",
            f"| Page | {' | '.join(heads)} | Violations |", "|---|" + "---|" * (len(heads) + 1)]
        for page in pages_of_source():
            cells = ["✓" if state in self.seen[page] else "" for state in STATES]
            lines.append(f"| `{page}` | {' | '.join(cells)} | {self.violations[page]} |")
        return "\n".join(lines) + "\n"


def options(parser):
    parser.add_argument("--full", action="store_true", help="each page in each language")
    parser.add_argument("--write", action="store_true", help="write the tables of the documentation")
    parser.add_argument("--app", required=True, help="the program that is sent to a browser by both SDKs")


def main(arguments):
    return browser.main("scripts/check-pages", arguments, Check, lambda check: (check.english, check.without_script, check.languages, check.extremes, check.report), options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

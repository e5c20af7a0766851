"""People with apps and browsers, who sign in by providers, and the servers that they use, for scripts/check-providers."""

import html
import http.cookiejar
import re
import secrets
import urllib.error
import urllib.parse
import urllib.request

from openid_provider import AUTHORIZE, challenge_of
from world import CODE_APP, PASSWORD_APP, Refused, Server, Site, ask

KINDS, NATIVE = "federated oob password redirect", "http://localhost:49999"
CAPABILITIES = "mfa_required registration_required"


class FixedServer(Server):
    """A server whose address is known before it starts: browsers and providers call it there."""

    def start(self):
        self.port = self.site.port
        return super().start()

    def command(self):
        return super().command() + ["--base-url", self.site.base, "--log-level", "warning"]


class FixedSite(Site):
    def __init__(self, options, port, tenants, environment=None):
        super().__init__(options, nodes=0)
        self.port, self.base = port, f"http://127.0.0.1:{port}"
        config = self.folder / "tenants.yaml"
        config.write_text(tenants)
        self.nodes = [FixedServer(self, 0, "--config", str(config), environment=environment)]

    def count(self, sql):
        return self.store.rows(f"SELECT count(*) FROM {sql}")[0][0]

    def mailed(self, address, work):
        """What `work` returns, and the code that it mailed to that address."""
        seen = self.mailbox.seen(address)
        return work(), self.mailbox.code(address, seen, 5)


class App:
    """An app that a person uses."""

    def __init__(self, site, client=CODE_APP):
        self.site, self.client = site, client

    def post(self, path, **fields):
        return ask(self.site.port, "POST", f"/contoso.onmicrosoft.com/{path}", {"client_id": self.client} | fields, timeout=20)

    def step(self, path, **fields):
        answer = self.post(path, **fields)
        if answer.status != 200:
            raise Refused(f"{path}: {answer.status} {answer.content[:300]}")
        return answer.body

    def begin(self, provider):
        body = self.step("oauth2/v2.0/initiate", provider=provider.name, challenge_type=KINDS, capabilities=CAPABILITIES)
        return body["continuation_token"]

    def nonce(self, token):
        """The next token of the flow, and its nonce."""
        body = self.step("oauth2/v2.0/challenge", continuation_token=token, challenge_type=KINDS)
        return body["continuation_token"], body["nonce"]

    def asked(self, provider):
        return self.nonce(self.begin(provider))

    def bring(self, token, id_token, scope="openid offline_access", **more):
        return self.post(
            "oauth2/v2.0/token", continuation_token=token, grant_type="federated", id_token=id_token, scope=scope, client_info="1", **more)

    def redeem(self, token, **grant):
        grant = grant or {"grant_type": "continuation_token"}
        return self.post("oauth2/v2.0/token", continuation_token=token, scope="openid offline_access", client_info="1", **grant)

    def sign_in(self, provider, key=None, **changes):
        token, nonce = self.asked(provider)
        return self.bring(token, provider.token(nonce, key, **changes))


class Browser:
    """A browser without script. It stops where an answer leaves the server: `left`."""

    class Stays(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    def __init__(self, site, client=PASSWORD_APP):
        self.site, self.client, self.jar, self.left = site, client, http.cookiejar.CookieJar(), None
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), self.Stays(), urllib.request.HTTPCookieProcessor(self.jar))

    def go(self, address, fields=None, headers=None, follows=True):
        body = None if fields is None else urllib.parse.urlencode(fields).encode()
        try:
            self.answer = self.opener.open(urllib.request.Request(address, body, headers or {}), timeout=20)
        except urllib.error.HTTPError as error:
            self.answer = error
        self.status, self.text = self.answer.status, self.answer.read().decode()
        following = self.answer.headers.get("Location") or (self.answer.headers.get("Refresh") or "").partition("url=")[2]
        following = following and urllib.parse.urljoin(address, following)
        if follows and following.startswith(self.site.base + "/"):
            return self.go(following)
        self.left = following or None
        return self

    @property
    def title(self):
        found = re.search(r"<h1>(.*?)</h1>", self.text)
        return f"{self.status} {html.unescape(found[1]) if found else self.text[:100]}"

    def submit(self, action="next", **values):
        values = {name.replace("_", "-"): value for name, value in values.items()}
        for address, content in re.findall(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', self.text, re.S):
            fields = {name: html.unescape(value) for name,
            value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', content)}
            if all(f'name="{name}"' in content for name in values):
                address = urllib.parse.urljoin(self.site.base, html.unescape(address))
                return self.go(address, fields | values | ({".action": action} if action else {}), {"Origin": self.site.base})
        raise Refused(f"no form for {list(values)} on the page “{self.title}”")

    def authorize(self, **more):
        self.verifier = secrets.token_urlsafe(32)
        fields = {
            "client_id": self.client, "redirect_uri": NATIVE, "response_type": "code", "scope": "openid email offline_access",
            "state": "st-1", "nonce": "n-1", "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256"}
        return self.go(f"{self.site.base}/contoso/oauth2/v2.0/authorize?{urllib.parse.urlencode(fields | more)}")

    def leave(self, name, **more):
        """Presses the provider's button; returns the address of the provider."""
        self.authorize(**more)
        return self.submit("", username="", **{".provider": name}).left

    def visit(self, provider, **more):
        """Goes to the provider; returns the address to which it sends the browser back."""
        address = self.leave(provider.name, **more)
        if not address or not address.startswith(provider.issuer + AUTHORIZE):
            raise Refused(f"the browser goes to {address}, on the page “{self.title}”")
        return self.go(address, follows=False).left

    @property
    def code(self):
        """The code that came to the application."""
        if not self.left or not self.left.startswith(NATIVE):
            return None
        came = query_of(self.left)
        return came.get("code") if came.get("state") == "st-1" else None

    def redeem(self):
        return ask(self.site.port, "POST", "/contoso/oauth2/v2.0/token", {
            "client_id": self.client, "grant_type": "authorization_code", "code": self.code, "redirect_uri": NATIVE,
            "code_verifier": self.verifier})


def said(answer):
    """An answer without what each one has of its own."""
    own = ("trace_id", "correlation_id", "timestamp", "continuation_token")
    body = {name: value for name, value in answer.body.items() if name not in own}
    return body | {"error_description": body.get("error_description", "").split(" Trace ID")[0]}


def query_of(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


def changed(address, **changes):
    """The address with other fields in its query; None removes one."""
    parts = urllib.parse.urlsplit(address)
    fields = query_of(address) | changes
    return parts._replace(query=urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None})).geturl()

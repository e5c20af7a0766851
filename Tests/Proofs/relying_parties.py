"""Independent clients of the authorization endpoint, as their makers package them: Apache with mod_auth_openidc (a confidential
client, with and without PKCE, answers in query and form), the vendor's library for Python (form on a port of this machine, its
cache, a silent refresh), and Authlib (discovery, signature, nonce, userinfo, refresh, sign-out). The pages are walked as a browser
without script does. With --nodes, the provider is two nodes on one PostgreSQL, and each connection comes to the next node."""

import argparse
import base64
import hashlib
import html
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt

TENANT = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
APP = "11112222-bbbb-3333-cccc-4444dddd5555"
SHOP = "2a7c9e14-6b3d-4f80-8c52-1d9e7f6a5b43"
SECRET = "a-secret-of-the-shop-for-this-check-alone"
PASSWORD = "Tulip-Harbour-42"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def digest(secret):
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode().rstrip("=")


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def wait_for(port, process):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None:
                raise AssertionError(f"a server ended with {process.returncode}")
            time.sleep(0.1)
    raise AssertionError("a server does not listen")


class Relay:
    """Passes each connection on to the next of several ports that listens. TLS goes through it."""

    def __init__(self, port, targets):
        self.targets, self.taken = itertools.cycle(targets), dict.fromkeys(targets, 0)
        self.listener = socket.create_server(("127.0.0.1", port), backlog=128)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            for target in itertools.islice(self.targets, len(self.taken)):
                try:
                    node = socket.create_connection(("127.0.0.1", target))
                    break
                except OSError:
                    continue
            else:
                client.close()
                continue
            self.taken[target] += 1
            for source, drain in [(client, node), (node, client)]:
                # What is written goes at once: the answer to a small part of TLS is waited for.
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pass_on, args=(source, drain), daemon=True).start()

    @staticmethod
    def pass_on(source, drain):
        try:
            while data := source.recv(65536):
                drain.sendall(data)
        except OSError:
            pass
        for end, how in [(drain, socket.SHUT_WR), (source, socket.SHUT_RD)]:
            try:
                end.shutdown(how)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class Apart(requests.adapters.HTTPAdapter):
    """Each request has its own connection, and so comes to another node than the one before."""

    def send(self, *request, **more):
        self.poolmanager.clear()
        return super().send(*request, **more)


class Browser:
    """Follows redirects, the page that moves on, and forms that a script would send."""

    def __init__(self, rig):
        self.rig, self.session = rig, rig.new_session()

    @property
    def text(self):
        return self.answer.text

    @property
    def title(self):
        found = re.search(r"<h1>(.*?)</h1>", self.text)
        return html.unescape(found.group(1)) if found else f"{self.answer.status_code} {self.text[:80]}"

    def get(self, address):
        self.answer = self.session.get(address)
        self.move_on()

    def post(self, address, fields):
        self.answer = self.session.post(address, data=fields, headers={"Origin": self.rig.url})
        self.move_on()

    def move_on(self):
        refresh = self.answer.headers.get("Refresh")
        if refresh:
            self.get(refresh.split("url=", 1)[1])
            return
        form = re.search(r'<form method="post" action="([^"]*)" data-submit>(.*?)</form>', self.text, re.S)
        if form:
            fields = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', form.group(2))}
            self.post(html.unescape(form.group(1)), fields)

    def submit(self, action="next", **values):
        values = {name.replace("_", "-"): value for name, value in values.items()}
        for address, content in re.findall(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', self.text, re.S):
            fields = {}
            for attributes in re.findall(r"<input ([^>]*)>", content):
                found = dict(re.findall(r'([a-z-]+)="([^"]*)"', attributes))
                if "name" in found and found.get("type") != "checkbox":
                    fields[found["name"]] = html.unescape(found.get("value", ""))
            if all(name in fields for name in values):
                self.post(urllib.parse.urljoin(self.rig.url, html.unescape(address)), fields | values | {".action": action})
                return
        raise AssertionError(f"no form for {list(values)} on “{self.title}”")

    def sign_up(self, email):
        self.submit("switch", username=email)
        self.submit(username=email)
        self.submit(code=self.rig.code(email))
        self.submit(new_password=PASSWORD)

    def sign_in(self, email):
        self.submit(username=email)
        self.submit(password=PASSWORD)


class Rig:
    def __init__(self, options, folder):
        self.folder, self.passed, self.failed = folder, 0, 0
        self.certificate = folder / "certificate.pem"
        key = folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", self.certificate, "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        key.chmod(0o600)
        # The vendor's library takes the certificate for discovery from here, and a session in place of its own setting.
        os.environ["REQUESTS_CA_BUNDLE"] = str(self.certificate)
        self.port, self.shop_port = free_port(), free_port()
        self.url, self.shop = f"https://localhost:{self.port}", f"http://localhost:{self.shop_port}"
        tenants = folder / "tenants.yaml"
        tenants.write_text(self.tenants())
        self.log = open(folder / "server.log", "w")
        self.postgres, self.relay, self.servers = None, None, []
        arguments = ["--config", tenants, "--tls-cert", self.certificate, "--tls-key", key, "--base-url", self.url]
        if not options.nodes:
            self.ports = [self.port]
            self.serve(options, self.port, "--data", folder / "data", *arguments)
            return
        self.ports = [free_port(), free_port()]
        self.postgres = subprocess.Popen([ROOT / "scripts/with-postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.database = self.postgres.stdout.readline().strip()
        if not self.database.startswith("postgresql://"):
            raise AssertionError("PostgreSQL did not start")
        master = folder / "master.key"
        master.write_bytes(os.urandom(32))
        master.chmod(0o600)
        for port in self.ports:
            self.serve(
                options, port, "--data", folder / f"data-{port}", "--database", self.database, "--master-key-file", master, *arguments)
        self.relay = Relay(self.port, self.ports)

    def serve(self, options, port, *arguments):
        self.servers.append(subprocess.Popen(
            [options.binary, "serve", "--port", str(port), *arguments], stdout=self.log, stderr=self.log))

    def wait(self):
        for port, server in zip(self.ports, self.servers):
            wait_for(port, server)

    def stop(self):
        """Ends the servers; whether each of several nodes had a share of the work."""
        for server in self.servers:
            server.terminate()
        for server in self.servers:
            server.wait()
        if not self.postgres:
            return True
        self.relay.close()
        self.postgres.stdin.close()
        self.postgres.wait()
        print(f"connections of the nodes: {' and '.join(map(str, self.relay.taken.values()))}", file=sys.stderr)
        return min(self.relay.taken.values()) > 10

    def new_session(self):
        session = requests.Session()
        session.verify = str(self.certificate)
        if self.relay:
            session.mount("https://", Apart())
        return session

    def tenants(self):
        return f"""tenants:
  - id: {TENANT}
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    applications:
      - clientId: {APP}
        displayName: Contoso app
        signIn: emailPassword
        scopes: [User.Read]
        deviceFlow: true
        redirectUris: {{publicClient: [http://localhost]}}
      - clientId: {SHOP}
        displayName: Shop
        signIn: emailPassword
        nativeAuthentication: false
        redirectUris: {{web: ["{self.shop}/protected/callback"]}}
        postLogoutRedirectUris: ["{self.shop}/bye"]
        backChannelLogoutUri: "{self.shop}/protected/callback?logout=backchannel"
        requiresPKCE: false
        secrets: [{{id: 3c8e0f25-7d41-4b96-a0f3-5e2b1c9d8a76, hint: "a-s", sha256: "{digest(SECRET)}", ends: 2027-05-31}}]
"""

    def code(self, email):
        for _ in range(50):
            # Each node has the mails that it has sent.
            mails = [mail for port in self.ports for mail in requests.get(
                f"https://localhost:{port}/dev/inbox.json", params={"to": email}, headers={"Host": f"localhost:{self.port}"},
                verify=str(self.certificate)).json()]
            if mails:
                return max(mails, key=lambda mail: mail["sentAt"])["code"]
            time.sleep(0.1)
        raise AssertionError(f"no mail to {email}")

    def expect(self, what, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what} {detail}"[:400], flush=True)

    def attempt(self, what, body):
        try:
            body()
        except Exception:
            self.failed += 1
            print(f"FAILED: {what}\n{traceback.format_exc(limit=4)}", flush=True)


def apache(rig):
    """Apache as a strict relying party in C."""
    modules = pathlib.Path("/usr/lib/apache2/modules")
    for name, pkce, mode in [("pkce-query", "S256", None), ("plain-form", None, "form_post")]:
        folder = rig.folder / name
        (folder / "site/protected").mkdir(parents=True)
        (folder / "site/protected/index.html").write_text("Welcome to the shop")
        (folder / "site/bye.html").write_text("Goodbye")
        configuration = folder / "apache.conf"
        loaded = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "alias", "headers", "auth_openidc"]
        lines = [f"LoadModule {module}_module {modules}/mod_{module}.so" for module in loaded if (modules / f"mod_{module}.so").exists()]
        lines += f"""ServerName localhost
Listen 127.0.0.1:{rig.shop_port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
DocumentRoot {folder}/site
DirectoryIndex index.html
Alias /bye {folder}/site/bye.html
OIDCProviderMetadataURL {rig.url}/{TENANT}/v2.0/.well-known/openid-configuration
OIDCCABundlePath {rig.certificate}
OIDCClientID {SHOP}
OIDCClientSecret {SECRET}
OIDCProviderTokenEndpointAuth {"client_secret_basic" if pkce else "client_secret_post"}
OIDCRedirectURI {rig.shop}/protected/callback
OIDCCryptoPassphrase a-passphrase-of-this-check
OIDCScope "openid profile email"
OIDCCookieSameSite Off
OIDCRemoteUserClaim email
OIDCPassClaimsAs headers
<Location /protected>
  AuthType openid-connect
  Require valid-user
  Header set X-User "expr=%{{REMOTE_USER}}"
</Location>""".splitlines()
        if pkce:
            lines.append(f"OIDCPKCEMethod {pkce}")
        if mode:
            lines.append(f"OIDCResponseMode {mode}")
        configuration.write_text("\n".join(lines) + "\n")
        environment = os.environ | {"APACHE_RUN_DIR": str(folder)}
        process = subprocess.Popen(["/usr/sbin/apache2", "-f", configuration, "-DFOREGROUND"], env=environment, stdout=rig.log, stderr=rig.log)
        try:
            wait_for(rig.shop_port, process)
            email = f"{name}@example.com"
            visitor = Browser(rig)
            visitor.get(f"{rig.shop}/protected/")
            rig.expect(f"Apache ({name}) sends a visitor to the sign-in", visitor.title == "Sign in", visitor.title)
            visitor.sign_up(email)
            rig.expect(f"Apache ({name}) lets a new user in", "Welcome to the shop" in visitor.text, visitor.title)
            rig.expect(f"Apache ({name}) knows the address", visitor.answer.headers.get("X-User") == email, str(visitor.answer.headers))
            other = Browser(rig)
            other.get(f"{rig.shop}/protected/")
            other.sign_in(email)
            rig.expect(f"Apache ({name}) lets a known user in", "Welcome to the shop" in other.text, other.title)
            # A session of the provider needs no page.
            shop_cookies = [cookie for cookie in other.session.cookies if cookie.name.startswith("mod_auth_openidc")]
            for cookie in shop_cookies:
                other.session.cookies.clear(cookie.domain, cookie.path, cookie.name)
            other.get(f"{rig.shop}/protected/")
            rig.expect(f"Apache ({name}) signs in without a page", "Welcome to the shop" in other.text, other.title)
            other.get(f"{rig.shop}/protected/callback?logout={urllib.parse.quote(rig.shop + '/bye', safe='')}")
            rig.expect(f"Apache ({name}) signs out and comes back", "Goodbye" in other.text, other.title)
            other.get(f"{rig.shop}/protected/")
            rig.expect(f"Apache ({name}) asks again after it", other.title == "Sign in", other.title)
            # A sign-out at the provider alone reaches Apache from the back.
            other.sign_in(email)
            rig.expect(f"Apache ({name}) lets the user in again", "Welcome to the shop" in other.text, other.title)
            other.get(f"{rig.url}/{TENANT}/oauth2/v2.0/logout")
            other.submit()
            rig.expect(f"Apache ({name}): the provider signs out", other.title == "You are signed out", other.title)
            for _ in range(50):
                other.get(f"{rig.shop}/protected/")
                if other.title == "Sign in":
                    break
                time.sleep(0.2)
            rig.expect(f"Apache ({name}) hears of it by the back channel", other.title == "Sign in", other.title)
        finally:
            process.terminate()
            process.wait()


def vendor(rig):
    """The vendor's library for Python: it opens a port of this machine and takes the answer as a form."""
    import msal

    email = "python@example.com"
    app = msal.PublicClientApplication(APP, oidc_authority=f"{rig.url}/{TENANT}/v2.0", verify=str(rig.certificate))

    def interactive(walk):
        faults = []

        def go(address):
            visitor = Browser(rig)
            try:
                visitor.get(address)
                walk(visitor)
            except Exception as fault:
                faults.append(repr(fault))

        result = app.acquire_token_interactive(
            ["User.Read"], timeout=60,
            auth_uri_callback=lambda address: threading.Thread(target=go, args=(address,), daemon=True).start())
        return result, faults

    result, faults = interactive(lambda visitor: visitor.sign_up(email))
    claims = result.get("id_token_claims", {})
    rig.expect("the vendor's library signs a user up", claims.get("preferred_username") == email, f"{faults} {result.get('error_description')}")
    rig.expect("the vendor's library gets the scope that it asked for", "User.Read" in result.get("scope", ""), result.get("scope"))
    accounts = app.get_accounts()
    rig.expect("the vendor's library keeps the account", [account["username"] for account in accounts] == [email])
    silent = app.acquire_token_silent(["User.Read"], accounts[0], force_refresh=True) if accounts else None
    rig.expect("the vendor's library renews a token", bool(silent and silent.get("access_token")), str(silent)[:100])
    result, faults = interactive(lambda visitor: visitor.sign_in(email))
    rig.expect("the vendor's library signs the user in", "access_token" in result, f"{faults} {result.get('error_description')}")
    result, _ = interactive(lambda visitor: visitor.submit("cancel"))
    rig.expect("the vendor's library hears of a user who cancels", result.get("error") == "access_denied", str(result)[:100])


def device(rig):
    """The vendor's library for Python as a program without a browser."""
    import msal

    email = "device@example.com"
    app = msal.PublicClientApplication(APP, oidc_authority=f"{rig.url}/{TENANT}/v2.0", verify=str(rig.certificate))
    flow = app.initiate_device_flow(["User.Read"])
    rig.expect("the vendor's library gets the codes of a device", "user_code" in flow and flow["user_code"] in flow.get("message", ""), str(flow)[:200])
    faults = []

    def answer(action, walk):
        visitor = Browser(rig)
        try:
            time.sleep(1)
            visitor.get(flow["verification_uri"])
            visitor.submit(user_code=flow["user_code"].lower().replace("-", " "))
            walk(visitor)
            visitor.submit(action)
        except Exception as fault:
            faults.append(repr(fault))

    def sign_up(visitor):
        visitor.sign_up(email)
        rig.expect("the page says what asks", flow["user_code"] in visitor.text and "Contoso app" in visitor.title, visitor.title)

    user = threading.Thread(target=answer, args=("next", sign_up), daemon=True)
    user.start()
    result = app.acquire_token_by_device_flow(flow)
    user.join()
    claims = result.get("id_token_claims", {})
    rig.expect("the vendor's library signs a device in", claims.get("preferred_username") == email, f"{faults} {result.get('error_description')}")
    accounts = app.get_accounts()
    silent = app.acquire_token_silent(["User.Read"], accounts[0], force_refresh=True) if accounts else None
    rig.expect("the vendor's library renews the token of a device", bool(silent and silent.get("access_token")), str(silent)[:100])
    again = app.acquire_token_by_device_flow(flow | {"expires_at": 0})
    rig.expect("a device code is spent, or its answer is the same", again.get("access_token") in (None, result.get("access_token")), str(again)[:100])
    flow = app.initiate_device_flow(["User.Read"])
    user = threading.Thread(target=answer, args=("cancel", lambda visitor: visitor.sign_in(email)), daemon=True)
    user.start()
    result = app.acquire_token_by_device_flow(flow)
    user.join()
    rig.expect("the vendor's library hears that the user does not allow the device", result.get("error") == "access_denied", f"{faults} {str(result)[:200]}")


def authlib(rig):
    """Discovery, code with PKCE, signature and claims, userinfo, refresh, sign-out."""
    get = lambda address, **more: requests.get(address, verify=str(rig.certificate), **more)
    conf = get(f"{rig.url}/{TENANT}/v2.0/.well-known/openid-configuration").json()
    rig.expect("discovery names the issuer that it came from", conf["issuer"] == f"{rig.url}/{TENANT}/v2.0")
    email, port = "authlib@example.com", free_port()
    client = OAuth2Session(
        APP, redirect_uri=f"http://localhost:{port}", scope="openid profile email offline_access", code_challenge_method="S256",
        token_endpoint_auth_method="none")
    client.verify = str(rig.certificate)
    verifier = generate_token(48)
    address, state = client.create_authorization_url(conf["authorization_endpoint"], code_verifier=verifier, nonce="n-0S6_WzA2Mj")
    visitor = Browser(rig)
    visitor.get(address)
    try:
        visitor.sign_up(email)
        raise AssertionError("the answer did not leave")
    except requests.exceptions.ConnectionError as gone:
        answer = gone.request.url
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(answer).query))
    rig.expect("the answer names the issuer", query.get("iss") == conf["issuer"])
    tokens = client.fetch_token(conf["token_endpoint"], authorization_response=answer, code_verifier=verifier, state=state)
    keys = JsonWebKey.import_key_set(get(conf["jwks_uri"]).json())
    claims = jwt.decode(
        tokens["id_token"], keys,
        claims_options={"iss": {"value": conf["issuer"]}, "aud": {"value": APP}, "nonce": {"value": "n-0S6_WzA2Mj"}})
    claims.validate()
    rig.expect("Authlib accepts the ID token", claims["email"] == email)
    info = client.get(conf["userinfo_endpoint"]).json()
    rig.expect("userinfo has the same subject", info.get("sub") == claims["sub"], json.dumps(info))
    rig.expect("Authlib refreshes", "access_token" in client.refresh_token(conf["token_endpoint"]))
    out = visitor.session.get(
        conf["end_session_endpoint"], allow_redirects=False,
        params={"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": f"http://localhost:{port}", "state": "bye"})
    rig.expect("a sign-out comes back with its state", out.headers.get("Location") == f"http://localhost:{port}?state=bye", out.text[:100])
    again, _ = client.create_authorization_url(conf["authorization_endpoint"], code_verifier=verifier, prompt="none")
    silent = visitor.session.get(again, allow_redirects=False).headers.get("Location", "")
    rig.expect("nothing is silent after it", "error=login_required" in silent, silent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--nodes", action="store_true", help="two nodes on one PostgreSQL")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="relying-parties-"))
    rig = Rig(options, folder)
    try:
        rig.wait()
        for what, body in [("Apache", apache), ("the vendor's library", vendor), ("a device with it", device), ("Authlib", authlib)]:
            rig.attempt(what, lambda: body(rig))
    finally:
        shared = rig.stop()
        if options.nodes:
            rig.expect("each node has a share of the work", shared)
        if rig.failed or not rig.passed:
            print((folder / "server.log").read_text()[-1500:])
            for log in folder.glob("*/error.log"):
                print(log.read_text()[-1500:])
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{rig.passed} passed, {rig.failed} failed")
    sys.exit(1 if rig.failed else 0)


if __name__ == "__main__":
    main()

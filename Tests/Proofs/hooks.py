"""Sign-ups whose tenant asks receivers that fail, on a server that is killed; and subscribers that must hear of each account.

The receivers speak TLS with a certificate of an authority made here, as in production."""

import base64
import collections
import http.server
import json
import random
import socket
import ssl
import subprocess
import threading
import time

from world import CODE_APP, PASSWORD_AND_ATTRIBUTES_APP, Person, Refused, Result, Site, count, free_port, parallel, wait_until

TENANT = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
PASSWORD = "Tulip-Harbour-42"
FAULTS = ["error", "garbage", "html", "hangs up", "redirect", "slow", "long"]


def document(port):
    """A tenant with all hooks and a subscriber."""
    hooks = [
        f"""      - id: 00000000-0000-4000-8000-00000000000{number}
        displayName: {event}
        event: {event}
        url: https://localhost:{port}/{event}
        audience: 00000000-0000-4000-8000-0000000000aa
        timeoutMilliseconds: 500
{"        claims: [{name: tier}]" if event == "tokenIssuanceStart" else ""}"""
        for number, event in enumerate(["tokenIssuanceStart", "attributeCollectionStart", "attributeCollectionSubmit", "otpSend"])
    ]
    return f"""tenants:
  - id: {TENANT}
    subdomain: contoso
    domain: contoso.onmicrosoft.com
    displayName: Contoso
    applications:
      - clientId: {CODE_APP}
        displayName: Codes
        signIn: emailOneTimePasscode
      - clientId: {PASSWORD_AND_ATTRIBUTES_APP}
        displayName: Passwords
        signIn: emailPassword
        requiredAttributes: [city, country]
    hooks:
{chr(10).join(hooks)}
    subscribers:
      - id: 00000000-0000-4000-8000-000000000009
        displayName: Subscriber
        url: https://localhost:{port}/told
        audience: 00000000-0000-4000-8000-0000000000aa
"""


class Receiver:
    """All receivers of the tenant; each answer is wrong with a chance of `trouble`."""

    def __init__(self, site_folder, rng, trouble):
        self.rng, self.trouble, self.lock = rng, trouble, threading.Lock()
        self.calls, self.codes = collections.Counter(), collections.defaultdict(list)
        # What the subscriber took, in the order of its arrival; and the proven addresses that receivers saw.
        self.told, self.asked_for = [], collections.Counter()
        self.port = free_port()
        key, certificate = site_folder / "receiver.key", site_folder / "receiver.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.certificate = certificate
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.answer(self, self.path.strip("/"), body)

            def log_message(self, *_):
                pass

        class TLSServer(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def finish_request(self, request, address):
                # The handshake in the thread of the connection: a client that hangs holds up no other.
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate, key)
                request.settimeout(10)
                super().finish_request(context.wrap_socket(request, server_side=True), address)

            def handle_error(self, *_):
                pass

        self.server = TLSServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()

    def answer(self, handler, event, body):
        with self.lock:
            self.calls[event] += 1
            fault = self.rng.choice(FAULTS) if self.rng.random() < self.trouble else None
            if fault:
                self.calls["faults"] += 1
        status, kind, content = 200, "application/json", json.dumps({"data": {"actions": [self.action(event, body, fault)]}})
        match fault:
            case "error": status = self.rng.choice([500, 503, 404, 429])
            case "garbage": content = "{" if event != "told" else content
            case "html": kind = "text/html"
            case "hangs up":
                handler.connection.shutdown(socket.SHUT_RDWR)
                handler.close_connection = True
                return
            case "redirect": status = 302
            case "slow": time.sleep(0.8)
            case "long": content = json.dumps({"data": " " * 10_000_000}) if event != "told" else content
        content = content.encode()
        try:
            handler.send_response(status)
            if status == 302:
                handler.send_header("Location", f"https://localhost:{self.port}/tokenIssuanceStart")
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)
        except OSError:
            handler.close_connection = True
            return
        if event == "told" and status == 200:
            with self.lock:
                self.told.append((body["id"], body["type"], body["data"]["userId"]))

    def action(self, event, body, fault):
        data = body.get("data", {})
        match event:
            case "tokenIssuanceStart":
                address = data["authenticationContext"]["user"]["mail"]
                answer = {"@odata.type": "microsoft.graph.tokenIssuanceStart.provideClaimsForToken", "claims": {"tier": f"of {address}"}}
            case "attributeCollectionStart":
                answer = {"@odata.type": "microsoft.graph.attributeCollectionStart.setPrefillValues", "inputs": {"country": "Denmark"}}
                address = data["userSignUpInfo"]["identities"][0]["issuerAssignedId"]
            case "attributeCollectionSubmit":
                given = data["userSignUpInfo"]["attributes"]
                city = given.get("city", {"value": "none"})["value"].upper()
                answer = {"@odata.type": "microsoft.graph.attributeCollectionSubmit.modifyAttributeValues", "attributes": {"city": city}}
                address = data["userSignUpInfo"]["identities"][0]["issuerAssignedId"]
            case "otpSend":
                address = None
                if not fault:
                    with self.lock:
                        self.codes[data["otpContext"]["identifier"]].append(data["otpContext"]["oneTimeCode"])
                answer = {"@odata.type": "microsoft.graph.OtpSend.continueWithDefaultBehavior"}
            case _:
                return None
        if address:
            with self.lock:
                self.asked_for[address] += 1
        return answer


class Codes:
    """The mailboxes, whose codes the receiver delivers; in the place of a mail server's."""

    def __init__(self, receiver):
        self.receiver, self.url = receiver, None

    def seen(self, address):
        return len(self.receiver.codes[address])

    def code(self, address, after, timeout):
        if wait_until(lambda: len(self.receiver.codes[address]) > after, timeout):
            return self.receiver.codes[address][-1]
        return None

    def stop(self):
        pass


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def sign_ups(options, number, rng, store):
    result = Result()
    import pathlib
    import tempfile

    folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-hooks-"))
    receiver = Receiver(folder, random.Random(rng.random()), trouble=0.15)
    config = folder / "tenants.yaml"
    config.write_text(document(receiver.port))
    arguments = ["--config", str(config), "--hook-networks", "127.0.0.0/8", "--hook-ca-file", str(receiver.certificate)]
    mailbox = Codes(receiver)
    # Nothing listens there: no code may be mailed.
    site = Site(options, store, nodes=2 if store == "postgres" else 1, mailbox=mailbox, smtp=f"smtp://127.0.0.1:{free_port()}", arguments=arguments)
    # A new subscriber hears only of what comes after the server has stored its place in the trail.
    result.expect(wait_until(lambda: count(site.store, "SELECT COUNT(*) FROM notifications") > 0, 30), "the subscriber has no place")
    accounts, over, lock = [], threading.Event(), threading.Lock()
    seed = rng.randrange(1 << 30)

    def sign_up(index):
        person = Person(site, (CODE_APP, PASSWORD_AND_ATTRIBUTES_APP)[index % 2], seed + index)
        address = f"person{index}@example.com"
        attributes = {"city": "Ribe"}
        try:
            def steps():
                # With a password the country is the receiver's.
                token, code = person.begin(address, PASSWORD if index % 2 else None, attributes)
                wrong = f"{(int(code) + 1) % 100_000_000:08}"
                try:
                    person.finish(token, wrong)
                    result.expect(False, f"{address}: a wrong code was taken")
                except Refused as refusal:
                    result.expect(refusal.args[0] == "invalid_oob_value", f"{address}: {refusal.args}")
                with receiver.lock:
                    result.expect(address in proven or receiver.asked_for[address] == 0, f"{address}: asked before the proof")
                    proven.add(address)
                return person.finish(token, code)

            proven = set()
            token = person.despite_mail_trouble(steps)
            tokens = person.tokens(token, address)
        except Refused as refusal:
            if refusal.args[0] in ("no answer", "user_already_exists", "expired_token", "invalid_request"):
                # A kill or a rest of a receiver lasted longer than the flow's stored answers; the account may exist.
                result.count("given up")
                return
            result.expect(False, f"{address}: {refusal.args}")
            return
        for name in ("access_token", "id_token"):
            result.expect(claims(tokens[name]).get("tier") == f"of {address}", f"{address}: {name} has no claim of the hook")
        with lock:
            accounts.append((address, claims(tokens["access_token"])["oid"]))

    def kill():
        chance = random.Random(seed)
        while not over.wait(chance.uniform(0.7, 2)):
            node = chance.choice(site.nodes)
            node.kill()
            node.start()
            result.count("kills")

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    parallel(number, sign_up, threads=16)
    over.set()
    killer.join()
    receiver.trouble = 0
    result.count("accounts", len(accounts))
    expected = {user for _, user in accounts}
    heard = lambda: {user for _, kind, user in receiver.told if kind == "user.created"}
    wait_until(lambda: expected <= heard(), 90)
    result.expect(expected <= heard(), f"the subscriber did not hear of {len(expected - heard())} accounts")
    result.expect(len(accounts) >= number * 0.8, f"{number - len(accounts)} of {number} people gave up")

    # In the order of the trail: the first arrival of each id. Under one id there is one event.
    first, events = {}, {}
    for position, (line, kind, user) in enumerate(receiver.told):
        first.setdefault(line, position)
        result.expect(events.setdefault(line, (kind, user)) == (kind, user), f"the id {line} has two events")
    result.count("notifications", len(first))
    result.count("repeated notifications", len(receiver.told) - len(first))
    order = [row[0] for row in site.store.rows(
        """SELECT "user" FROM audit WHERE kind = 'signup.completed' AND position IS NOT NULL ORDER BY position""")]
    users = [user.hex() if isinstance(user, bytes) else user.removeprefix("\\x") for user in order]
    arrived = [events[line][1].replace("-", "") for line in sorted(first, key=first.get) if events[line][0] == "user.created"]
    result.expect(arrived == users[: len(arrived)], "the subscriber heard of accounts in another order than that of the trail")
    cities = site.store.rows("""SELECT COUNT(*) FROM attributes WHERE name = 'city' AND value <> '"RIBE"'""")
    result.expect(int(cities[0][0]) == 0, "an attribute is not as the receiver changed it")
    for event in ["tokenIssuanceStart", "attributeCollectionStart", "attributeCollectionSubmit", "otpSend", "told", "faults"]:
        result.count(f"calls of {event}" if event != "faults" else "faults of receivers", receiver.calls[event])
    site.stop(result)
    receiver.stop()
    return result


def hooks(options, number, rng):
    result = sign_ups(options, number, rng, "sqlite")
    other = sign_ups(options, max(number // 2, 8), rng, "postgres")
    for what, amount in other.counts.items():
        result.count(what, amount)
    result.faults += other.faults
    return result

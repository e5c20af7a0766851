"""An OpenID provider for scripts/check-providers, with faults and forgeries. It was written from the standards, not from the server's
code; PyJWT and cryptography sign its tokens. It gives a code only to requests that are as the standards want them, and `violations`
says why others got none. Each provider has a port of its own, which is its issuer."""

import base64
import collections
import hashlib
import http.server
import json
import secrets
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ALGORITHMS = jwt.algorithms.get_default_algorithms()
DISCOVERY, KEYS, AUTHORIZE, TOKEN = "/.well-known/openid-configuration", "/keys", "/authorize", "/token"


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def encoded_json(value):
    return encoded(value if isinstance(value, bytes) else json.dumps(value).encode())


def challenge_of(verifier):
    return encoded(hashlib.sha256(verifier.encode()).digest())


def signed(header, claims, key, algorithm=None):
    """A token with any header, signed by any key: PyJWT would refuse most of them."""
    message = f"{encoded_json(header)}.{encoded_json(claims)}"
    return f"{message}.{encoded(ALGORITHMS[algorithm or header['alg']].sign(message.encode(), key))}"


class Clock:
    """The clock of a server, which a proof puts forward."""

    skew = 0

    def now(self):
        return int(time.time()) + self.skew


class Key:
    """A signing key; `members` are those of its JWK that are not as they should be, None for none."""

    def __init__(self, algorithm, kid=None, private=None, **members):
        make = {
            "RS256": lambda: rsa.generate_private_key(65537, 2048), "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate}
        self.algorithm, self.kid = algorithm, kid or f"{algorithm}-{secrets.token_hex(4)}"
        self.private, self.members = private or make[algorithm](), members

    def published(self):
        public = json.loads(ALGORITHMS[self.algorithm].to_jwk(self.private.public_key()))
        members = public | {"kid": self.kid, "use": "sig", "alg": self.algorithm} | self.members
        return {name: value for name, value in members.items() if value is not None}


class Provider:
    """`names_issuer`: whether its answers have `iss` (RFC 9207). `secret`: None for pages that are a public client."""

    def __init__(self, name, clock, keys=None, secret=None, names_issuer=True):
        self.name, self.clock, self.secret, self.names_issuer = name, clock, secret, names_issuer
        self.keys, self.more_keys = keys or [Key("RS256")], []
        # What it says about the person who signs in there; `refuses`: the person says no.
        self.person, self.refuses = {"sub": "unset"}, False
        # By path: how often it was asked for; how it is answered in place of the right answer.
        self.asked, self.faults, self.violations = collections.Counter(), {}, []
        # Changes of what it says: of the discovery document, of the answer in the browser, of the pages' tokens.
        self.discovery, self.answer, self.claims_of_pages = {}, {}, {}
        # The address that it knows of the pages.
        self.callback, self.codes, self.lock = None, {}, threading.Lock()
        # The newest request of a browser; how many codes came with the verifier of another one.
        self.seen, self.injected = {}, 0
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 20

            def do_GET(self):
                provider.take(self)

            do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def app(self):
        return f"app-of-{self.name}"

    @property
    def pages(self):
        return f"pages-of-{self.name}"

    # Tokens

    def claims(self, nonce, **changes):
        now = self.clock.now()
        claims = {"iss": self.issuer, "aud": self.app, "iat": now, "exp": now + 600, "jti": secrets.token_hex(8), "nonce": nonce}
        claims |= self.person | changes
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, nonce, key=None, **changes):
        """An ID token for the app; None removes a claim."""
        key = key or self.keys[0]
        return jwt.encode(self.claims(nonce, **changes), key.private, key.algorithm, {"kid": key.kid})

    # Requests

    def take(self, handler):
        parts = urllib.parse.urlsplit(handler.path)
        with self.lock:
            self.asked[parts.path] += 1
        length = handler.headers.get("Content-Length", "0")
        body = handler.rfile.read(int(length)).decode() if length.isdigit() else ""
        try:
            if parts.path in self.faults:
                self.faults[parts.path](handler)
            elif parts.path == DISCOVERY:
                reply(handler, 200, self.document())
            elif parts.path == KEYS:
                reply(handler, 200, {"keys": [key.published() for key in self.keys] + self.more_keys})
            elif parts.path == AUTHORIZE and handler.command == "GET":
                self.authorize(handler, parts.query)
            elif parts.path == TOKEN and handler.command == "POST":
                self.exchange(handler, body)
            else:
                reply(handler, 404, {"error": "not_found"})
        except OSError:
            # The client did not wait.
            pass

    def document(self):
        document = {
            "issuer": self.issuer, "jwks_uri": self.issuer + KEYS, "authorization_endpoint": self.issuer + AUTHORIZE,
            "token_endpoint": self.issuer + TOKEN, "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [key.algorithm for key in self.keys],
            "authorization_response_iss_parameter_supported": self.names_issuer}
        return {name: value for name, value in (document | self.discovery).items() if value is not None}

    def fields(self, text):
        pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, strict_parsing=True)
        fields = dict(pairs)
        if len(fields) != len(pairs):
            self.violations.append(f"a parameter twice: {pairs}")
        return fields

    def right(self, what, wanted):
        """Whether all of it is so; notes what is not."""
        wrong = [name for name, holds in wanted.items() if not holds]
        self.violations += [f"{what}: {name}" for name in wrong]
        return not wrong

    def authorize(self, handler, query):
        """RFC 6749 section 4.1.1, OpenID Connect Core 1.0 section 3.1.2.1, RFC 7636 section 4.3."""
        asked = self.seen = self.fields(query)
        scopes = asked.get("scope", "").split()
        if not self.right("authorize", {
                "response_type": asked.get("response_type") == "code", "client_id": asked.get("client_id") == self.pages,
                "redirect_uri": asked.get("redirect_uri") == self.callback, "scope": "openid" in scopes and "email" in scopes,
                "state": len(asked.get("state", "")) >= 43, "nonce": len(asked.get("nonce", "")) == 43,
                "code_challenge": len(asked.get("code_challenge", "")) == 43,
                "code_challenge_method": asked.get("code_challenge_method") == "S256",
                "no secret": not {"client_secret", "code_verifier"} & set(asked)}):
            reply(handler, 400, {"error": "invalid_request"})
            return
        answer = {"state": asked["state"]} | ({"iss": self.issuer} if self.names_issuer else {})
        answer |= {"error": "access_denied"} if self.refuses else {"code": self.code(asked["nonce"], asked["code_challenge"])}
        answer = {name: value for name, value in (answer | self.answer).items() if value is not None}
        reply(handler, 302, b"", {"Location": f"{self.callback}?{urllib.parse.urlencode(answer)}"})

    def code(self, nonce, challenge):
        """A new code, which is good once."""
        code = secrets.token_urlsafe(24)
        self.codes[code] = (nonce, challenge)
        return code

    def exchange(self, handler, body):
        """RFC 6749 section 4.1.3, with the secret in the body, and RFC 7636 section 4.6."""
        given = self.fields(body)
        with self.lock:
            nonce, challenge = self.codes.pop(given.get("code"), (None, None))
        if nonce is None:
            reply(handler, 400, {"error": "invalid_grant"})
        elif self.right("token", {
                "grant_type": given.get("grant_type") == "authorization_code", "client_id": given.get("client_id") == self.pages,
                "client_secret": given.get("client_secret") == self.secret, "redirect_uri": given.get("redirect_uri") == self.callback,
                "code_verifier": len(given.get("code_verifier", "")) == 43,
                "content type": handler.headers.get("Content-Type") == "application/x-www-form-urlencoded"}):
            if challenge_of(given["code_verifier"]) != challenge:
                self.injected += 1
                reply(handler, 400, {"error": "invalid_grant"})
                return
            token = self.token(nonce, **{"aud": self.pages} | self.claims_of_pages)
            reply(handler, 200, {"access_token": "none", "token_type": "Bearer", "expires_in": 60, "id_token": token})
        else:
            reply(handler, 401, {"error": "invalid_client"})


def reply(handler, status, content, headers=None):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Length": len(content)}.items():
        handler.send_header(name, (headers or {}).get(name, value))
    for name in set(headers or {}) - {"Content-Type", "Cache-Control", "Content-Length"}:
        handler.send_header(name, headers[name])
    handler.end_headers()
    handler.wfile.write(content)


def answering(status, content, headers=None):
    """A fault: another answer."""
    return lambda handler: reply(handler, status, content, headers)


def slow(seconds):
    """A fault: nothing for so long."""
    return lambda handler: time.sleep(seconds)


def dripping(seconds):
    """A fault: an answer that comes byte by byte, and never ends."""
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)
    return drip


def hanging_up(handler):
    """A fault: the connection ends."""
    handler.close_connection = True

"""Requests that were valid before something was done to them: steps in another order, fields lost, doubled, damaged or swollen,
other methods, headers and encodings, and bytes that are no HTTP.

No answer may be a 5xx, each answer is the documented JSON, and the server stays well and small."""

import json
import random
import re
import socket
import threading
import time
import urllib.parse

from world import (
    ATTRIBUTES, CODE_APP, PASSWORD_AND_ATTRIBUTES_APP, PASSWORD_APP, Load, Person, Result, Site, audit, parallel,
)

PATHS = [
    "signup/v1.0/start", "signup/v1.0/challenge", "signup/v1.0/continue", "oauth2/v2.0/initiate", "oauth2/v2.0/challenge",
    "oauth2/v2.0/introspect", "oauth2/v2.0/token", "oauth2/v2.0/revoke", "oauth2/v2.0/tokeninfo", "resetpassword/v1.0/start",
    "resetpassword/v1.0/challenge", "resetpassword/v1.0/continue", "resetpassword/v1.0/submit",
    "resetpassword/v1.0/poll_completion", "register/v1.0/introspect", "register/v1.0/challenge", "register/v1.0/continue",
    "oidc/userinfo",
]
FIELDS = {
    "client_id": [CODE_APP, PASSWORD_APP, PASSWORD_AND_ATTRIBUTES_APP], "username": ["dana@example.com", "new@example.com", "dana"],
    "challenge_type": ["oob redirect", "oob password redirect", "password redirect", "redirect"],
    "grant_type": ["oob", "password", "attributes", "continuation_token", "refresh_token", "mfa_oob"],
    "oob": ["12345678", "00000000"], "password": ["Tulip-Harbour-42"], "new_password": ["Amber-Lantern-77"],
    "scope": ["openid offline_access", "openid", ""], "attributes": [json.dumps(ATTRIBUTES)], "refresh_token": ["x"],
    "continuation_token": ["x"], "capabilities": ["mfa_required registration_required"], "id": ["email"], "token": ["x"],
    "claims": ['{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'], "challenge_target": ["dana@example.com"],
    "challenge_channel": ["email"], "client_info": ["true"],
}
ODD = [
    "", " ", "\0", "%", "%zz", "%00", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "é" * 300, "a" * 300,
    "a" * 5_000, "a" * 70_000, "\r\nSet-Cookie: x=1", "<script>", "' OR 1=1 --", "𝐝𝐚𝐧𝐚@example.com", "\u202edana@example.com",
    "a@b", "@", "..@example.com", "x" * 65 + "@example.com", "dana@xn--.example", "-1", "99999999999999999999", "null", "{}",
    '{"a":' * 200 + "1" + "}" * 200, '{"country":"x","country":"y"}', '{"country":1e999}', '["country"]', '{"country":"\\ud800"}',
    "A" * 2_048, "é́" * 100, "\u0000\u0001\u0002", "٣٤٥٦٧٨٩٠", "1234-5678", "12 34 56 78",
]
HEADERS = [
    "Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded; charset=utf-16", "Content-Type:",
    "Content-Encoding: gzip", "Expect: 100-continue", "Transfer-Encoding: gzip", "client-request-id: not-a-uuid",
    "client-request-id: " + "a" * 9_000, "Accept-Language: " + "da;q=0.1," * 500, "Accept-Language: \xff", "X-Forwarded-For: 1.2.3.4, ;;",
    "Authorization: Bearer " + "e" * 3_000, "Authorization: Basic %%%", "Host: evil.example", "Origin: null", "Cookie: a=b",
    "Connection: close", "x-client-SKU: msal.js.browser", "Content-Length: 5", "Content-Length: -1", "Content-Length: abc",
] + [f"X-{number}: y" for number in range(3)]
ERROR_FIELDS = {"error", "error_description", "error_codes", "timestamp", "trace_id", "correlation_id"}
LONGEST = 5


class Fuzzer:
    def __init__(self, site, rng, tokens):
        self.site, self.rng, self.tokens = site, rng, tokens

    def form(self, path):
        """A form that the endpoint could receive, with a token of a valid flow."""
        rng = self.rng
        names = [name for name in FIELDS if rng.random() < 0.3] + ["client_id"]
        if not path.endswith(("start", "initiate")):
            names.append("continuation_token")
        fields = [(name, rng.choice(FIELDS[name])) for name in dict.fromkeys(names)]
        chosen = []
        for name, value in fields:
            if name.endswith("token") and self.tokens and rng.random() < 0.9:
                value = rng.choice(self.tokens)
                if rng.random() < 0.2:
                    place = rng.randrange(len(value))
                    value = value[:place] + rng.choice("AaZz09-_.=%") + value[place + 1 :]
            chosen.append((name, value))
        return chosen

    def request(self):
        """The bytes of one request, and whether it is still HTTP that a server must answer with JSON."""
        rng = self.rng
        path, method, version, is_http = rng.choice(PATHS), "POST", "HTTP/1.1", True
        fields = self.form(path)
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            kind = rng.randrange(5)
            if kind == 0 and fields:
                fields.pop(rng.randrange(len(fields)))
            elif kind == 1 and fields:
                fields.append(rng.choice(fields))
            elif kind == 2 and fields:
                place = rng.randrange(len(fields))
                fields[place] = (fields[place][0], rng.choice(ODD))
            elif kind == 3:
                fields.append((rng.choice(ODD)[:100], rng.choice(ODD)))
            else:
                rng.shuffle(fields)
        body = urllib.parse.urlencode(fields, errors="replace").encode()
        headers = ["Host: native-auth.test", "Content-Type: application/x-www-form-urlencoded"]
        if rng.random() < 0.15:
            body = bytearray(body)
            for _ in range(rng.randrange(1, 6)):
                if body:
                    body[rng.randrange(len(body))] = rng.randrange(256)
            body = bytes(body)
        if rng.random() < 0.05:
            body += b"&" + bytes(rng.randrange(256) for _ in range(rng.choice((10, 1_000, 66_000))))
        if rng.random() < 0.3:
            extra = rng.choice(HEADERS)
            name = extra.partition(":")[0]
            is_http = name not in ("Content-Length", "Transfer-Encoding", "Expect") and "\xff" not in extra
            headers = [header for header in headers if not header.startswith(name + ":")] + [extra]
        if rng.random() < 0.05:
            headers += [f"X-Many-{number}: " + "z" * rng.choice((1, 200)) for number in range(rng.choice((50, 120)))]
        if rng.random() < 0.08:
            method = rng.choice(("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "post", "CONNECT"))
            is_http = is_http and method in ("PUT", "DELETE", "PATCH")
        if rng.random() < 0.05:
            path = rng.choice((path + "/", path + "?" + "q" * 9_000, path + "?oob=1", "../" + path, path.upper(), "%00", "a" * 300))
        if rng.random() < 0.03:
            version, is_http = rng.choice(("HTTP/1.0", "HTTP/9.9", "HTP/1.1", "")), False
        tenant = rng.choice(("contoso",) * 12 + ("contoso.onmicrosoft.com", "nobody", "%2e%2e", "é"))
        # A request line that is not ASCII is not HTTP.
        is_http = is_http and tenant.isascii()
        if rng.random() < 0.1:
            # In chunks.
            headers.append("Transfer-Encoding: chunked")
            middle = len(body) // 2
            pieces = [piece for piece in (body[:middle], body[middle:]) if piece]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
            if rng.random() < 0.2:
                body, is_http = body.replace(b"\r\n", b"\n"), False
        elif not any(header.startswith("Content-Length") for header in headers):
            headers.append(f"Content-Length: {len(body)}")
        head = f"{method} /{tenant}/{path} {version}\r\n" + "\r\n".join(headers) + "\r\n\r\n"
        whole = head.encode("latin-1", "replace") + body
        if rng.random() < 0.03:
            whole, is_http = whole[: rng.randrange(len(whole))], False
        if rng.random() < 0.02:
            whole, is_http = bytes(rng.randrange(256) for _ in range(200)) + b"\r\n\r\n", False
        return whole, is_http

    def send(self, data, is_http):
        """The bytes of the answer, which may be empty."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.site.nodes[0].port), 10) as connection:
            try:
                connection.sendall(data)
                # An incomplete request gets no answer until the connection's time is over; do not wait for that.
                connection.settimeout(10 if is_http else 0.3)
                while piece := connection.recv(65536):
                    answer += piece
                    if is_whole(answer):
                        break
            except OSError:
                pass
        return answer


def is_whole(answer):
    head, _, content = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    return bool(length) and len(content) >= int(length[1])


def judge(data, is_http, answer, seconds, result):
    """Notes a violation."""
    status = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    shown = data[:300]
    if not status:
        result.expect(not is_http, f"no answer to {shown}")
        result.count("not HTTP, no answer")
        return
    status = int(status[1])
    result.count(f"answers {status}")
    result.expect(status < 500, f"{status} to {shown}")
    if is_http:
        result.note("s until an answer", seconds)
        result.expect(seconds < LONGEST, f"{seconds:.1f} s for {shown}")
        head, _, content = answer.partition(b"\r\n\r\n")
        try:
            body = json.loads(content)
        except ValueError:
            # RFC 7009 section 2.2: the status is the whole answer; RFC 6750 section 3: the header is.
            says = status == 200 and b"/oauth2/v2.0/revoke" in data[:200] or status == 401 and b"www-authenticate" in head.lower()
            result.expect(says and not content, f"{status} {content[:100]} to {shown}")
            return
        if status != 200:
            missing = ERROR_FIELDS - set(body)
            is_oauth = b"oidc/userinfo" in data[:200] or b"tokeninfo" in data[:200]
            result.expect(not missing or is_oauth and "error" in body, f"{status} without {missing} to {shown}")
        result.expect(b"nosniff" in head, f"{status} without the usual headers to {shown}")


def fuzz(options, number, rng):
    result = Result()
    site = Site(options)
    # Tokens of every step of valid flows.
    tokens = []

    class Collector(Person):
        def post(self, path, fields):
            answer = super().post(path, fields)
            tokens.extend(value for name, value in answer.body.items() if name.endswith("token"))
            return answer

    dana = Collector(site, PASSWORD_AND_ATTRIBUTES_APP)
    dana.tokens(dana.sign_up("dana@example.com", "Tulip-Harbour-42", ATTRIBUTES | {"flatusername": "dana"}), "dana@example.com")
    for index in range(10):
        other = Collector(site, (CODE_APP, PASSWORD_APP)[index % 2])
        other.begin(f"begun{index}@example.com", "Tulip-Harbour-42" if index % 2 else None)
    dana.reset("dana@example.com", "Amber-Lantern-77")
    dana.tokens(dana.reset("dana@example.com", "Finch-Meadow-19"), "dana@example.com")

    # Ordinary users meanwhile.
    load = Load(site, 2, rng.randrange(1 << 30))
    seeds = [rng.randrange(1 << 60) for _ in range(number)]
    lock = threading.Lock()

    def one(index):
        fuzzer = Fuzzer(site, random.Random(seeds[index]), tokens)
        data, is_http = fuzzer.request()
        begin = time.monotonic()
        answer = fuzzer.send(data, is_http)
        with lock:
            judge(data, is_http, answer, time.monotonic() - begin, result)

    parallel(number, one, threads=8)
    load.stop()
    result.count("requests", number)
    result.expect(site.nodes[0].is_alive(), "the server is gone")
    result.note("MiB of memory", site.nodes[0].mebibytes())
    result.expect(site.nodes[0].mebibytes() <= 512, f"{site.nodes[0].mebibytes():.0f} MiB of memory")
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    return result

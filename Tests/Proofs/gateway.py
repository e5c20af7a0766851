"""A gateway for text messages that plays the messages API of Twilio, with its faults and its reports.

It was written from what is public about that API, not from the server's code. It takes nothing that the real one would refuse, and
is stricter: a text is one segment of the GSM alphabet, and no field is unknown. What it refuses so is in `violations`."""

import base64
import dataclasses
import email.utils
import hashlib
import hmac
import http.client
import http.server
import json
import os
import re
import select
import socket
import threading
import time
import urllib.parse

# GSM 03.38: characters of one septet, and those of two.
GSM = set(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà")
GSM_EXTENDED = set("\f^{}\\[~]|€")
NUMBER = re.compile(r"\+[1-9][0-9]{7,14}")
FIELDS = {"To", "From", "MessagingServiceSid", "Body", "StatusCallback", "ValidityPeriod"}
# Errors of the API: the status of the answer, and its text.
ERRORS = {
    20001: (400, "Invalid parameter"), 20003: (401, "Authenticate"), 20004: (405, "Method not allowed"),
    20404: (404, "The requested resource was not found"), 20429: (429, "Too Many Requests"),
    20500: (500, "Internal Server Error"), 20503: (503, "Service Unavailable"),
    21211: (400, "Invalid 'To' Phone Number"), 21408: (400, "Permission to send an SMS has not been enabled for the region"),
    21602: (400, "Message body is required"), 21603: (400, "A 'From' phone number is required"),
    21606: (400, "The 'From' phone number provided is not a valid message-capable phone number"),
    21609: (400, "The StatusCallback URL is not a valid URL"), 21610: (400, "Attempt to send to unsubscribed recipient"),
    21617: (400, "The concatenated message body exceeds the limit"),
}


def septets(text):
    """The length of a text in the GSM alphabet; None when it has another character, and so costs more."""
    if not set(text) <= GSM | GSM_EXTENDED:
        return None
    return sum(2 if character in GSM_EXTENDED else 1 for character in text)


def signature(key, url, fields):
    """What stands in X-Twilio-Signature."""
    text = url + "".join(name + fields[name] for name in sorted(fields))
    return base64.b64encode(hmac.new(key.encode(), text.encode(), hashlib.sha1).digest()).decode()


class Refusal(Exception):
    """An answer with the number of an error; a violation when the client should have known better."""

    def __init__(self, code, why=None):
        self.code, self.why = code, why


@dataclasses.dataclass
class Attempt:
    """A request that was right in all its fields. `status` is that of the answer; None: there was none."""

    at: float
    fields: dict
    fault: str = None
    status: int = None
    # The id of the message, when it was taken.
    sid: str = None
    # After how many seconds the client hung up, when it did not wait for the answer.
    hung_up: float = None

    @property
    def to(self):
        return self.fields["To"]

    @property
    def body(self):
        return self.fields["Body"]

    @property
    def code(self):
        found = re.search(r": (\d+)", self.body)
        return found[1] if found else None


@dataclasses.dataclass
class Fault:
    """What goes wrong, so many times or always: `slow` (takes the text after a while, if the client still waits), `late` (takes it, and
    answers after a while), `down`, `garbage`, `error` (a number of ERRORS), `half` and `long` (such an answer) or `redirect`."""

    kind: str
    times: int = None
    seconds: float = 0
    status: int = 200
    code: int = 20503
    target: str = None
    retry_after: int = None


class Gateway:
    """Its faults are those of one number, or of all."""

    def __init__(self, account, token, sender):
        self.account, self.token, self.sender = account, token, sender
        self.lock, self.news = threading.Lock(), threading.Condition()
        # In the order of their arrival; `connections` counts all requests, also those that were refused.
        self.attempts, self.violations, self.connections = [], [], 0
        self.faults, self.count = {}, 0
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def do_POST(self):
                gateway.answer(self)

            do_GET = do_PUT = do_DELETE = do_HEAD = do_POST

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://{self.account}:{self.token}@127.0.0.1:{self.port}"

    # Faults

    def set(self, kind, number=None, **values):
        """A fault from now on, for one number or for all that have no fault of their own."""
        with self.lock:
            self.faults[number] = Fault(kind, **values)

    def clear(self, number=None):
        with self.lock:
            self.faults.pop(number, None)

    def fault(self, number):
        with self.lock:
            fault = self.faults.get(number) or self.faults.get(None)
            if fault is None or fault.times == 0:
                return None
            if fault.times:
                fault.times -= 1
            return fault

    # Requests

    def answer(self, handler):
        handler.close_connection = True
        with self.lock:
            self.connections += 1
        length = handler.headers.get("Content-Length", "")
        raw = handler.rfile.read(int(length)) if length.isdigit() and int(length) < 65_536 else b""
        try:
            attempt = Attempt(time.monotonic(), self.checked(handler, raw))
        except Refusal as refusal:
            if refusal.why:
                self.violations.append(f"{refusal.code}: {refusal.why}")
            self.refuse(handler, refusal.code)
            return
        fault = self.fault(attempt.to)
        attempt.fault = fault.kind if fault else None
        with self.news:
            self.attempts.append(attempt)
            self.news.notify_all()
        try:
            self.react(handler, attempt, fault)
        except OSError:
            attempt.hung_up = attempt.hung_up or time.monotonic() - attempt.at
        with self.news:
            self.news.notify_all()

    def checked(self, handler, raw):
        """The fields of a request that is right; raises Refusal."""
        if handler.command != "POST":
            raise Refusal(20004, f"the method {handler.command}")
        place = f"/2010-04-01/Accounts/{self.account}/Messages.json"
        if handler.path != place:
            raise Refusal(20404, f"the path {handler.path}")
        wanted = base64.b64encode(f"{self.account}:{self.token}".encode()).decode()
        if handler.headers.get_all("Authorization") != [f"Basic {wanted}"]:
            raise Refusal(20003, "the credentials")
        if not handler.headers.get("Content-Length"):
            raise Refusal(20001, "no Content-Length")
        kind = handler.headers.get("Content-Type", "").lower().replace(" ", "")
        if kind not in ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded;charset=utf-8"):
            raise Refusal(20001, f"the content type {kind!r}")
        try:
            pairs = urllib.parse.parse_qsl(
                raw.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
        except ValueError:
            raise Refusal(20001, "the body is no form") from None
        fields = dict(pairs)
        if len(fields) != len(pairs) or not set(fields) <= FIELDS:
            raise Refusal(20001, f"the fields {[name for name, _ in pairs]}")
        if not NUMBER.fullmatch(fields.get("To", "")):
            raise Refusal(21211, "To is no number of E.164")
        senders = [fields[name] for name in ("From", "MessagingServiceSid") if name in fields]
        if len(senders) != 1:
            raise Refusal(21603, "not exactly one sender")
        if senders[0] != self.sender or ("MessagingServiceSid" in fields) != self.sender.startswith("MG"):
            raise Refusal(21606, f"the sender {senders[0]}")
        if not fields.get("Body"):
            raise Refusal(21602, "no body")
        if (septets(fields["Body"]) or 161) > 160:
            raise Refusal(21617, "the body is more than one text of the GSM alphabet")
        if "StatusCallback" in fields:
            url = urllib.parse.urlsplit(fields["StatusCallback"])
            if url.scheme not in ("http", "https") or not url.hostname or url.username or url.fragment:
                raise Refusal(21609, f"StatusCallback {fields['StatusCallback']}")
        if "ValidityPeriod" in fields:
            period = fields["ValidityPeriod"]
            if not period.isdecimal() or not 1 <= int(period) <= 36_000:
                raise Refusal(20001, f"ValidityPeriod {period}")
        return fields

    def react(self, handler, attempt, fault):
        match fault.kind if fault else None:
            case "down":
                handler.connection.shutdown(socket.SHUT_RDWR)
                return
            case "garbage":
                attempt.status = fault.status
                self.reply(handler, fault.status, os.urandom(200), {"Content-Type": "application/octet-stream"})
                return
            case "error":
                attempt.status = ERRORS[fault.code][0]
                self.refuse(handler, fault.code, fault.retry_after)
                return
            case "redirect":
                attempt.status = 307
                self.reply(handler, 307, b"", {"Location": fault.target})
                return
            case "slow":
                self.wait(handler, attempt, fault.seconds)
                if attempt.hung_up is not None:
                    return
        self.take(handler, attempt, fault)

    def wait(self, handler, attempt, seconds):
        """Waits, and notes when the client hangs up meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([handler.connection], [], [], min(left, 0.1))[0]:
                if handler.connection.recv(1, socket.MSG_PEEK) == b"":
                    attempt.hung_up = time.monotonic() - attempt.at
                    return
                time.sleep(0.1)

    def take(self, handler, attempt, fault):
        with self.lock:
            self.count += 1
            sid = f"SM{self.count:032x}"
        now = email.utils.formatdate()
        place = f"/2010-04-01/Accounts/{self.account}/Messages/{sid}"
        content = {
            "account_sid": self.account, "api_version": "2010-04-01", "body": attempt.body, "date_created": now, "date_sent": None,
            "date_updated": now, "direction": "outbound-api", "error_code": None, "error_message": None,
            "from": attempt.fields.get("From"), "messaging_service_sid": attempt.fields.get("MessagingServiceSid"),
            "num_media": "0", "num_segments": "1", "price": None, "price_unit": "USD", "sid": sid, "status": "queued",
            "subresource_uris": {"media": f"{place}/Media.json"}, "to": attempt.to, "uri": f"{place}.json"}
        kind = fault.kind if fault else None
        if kind == "long":
            content["padding"] = "x" * 200_000
        # Taken before the answer is out: an answer that is lost does not take the text back.
        attempt.status, attempt.sid = 201, sid
        if kind == "late":
            self.wait(handler, attempt, fault.seconds)
        self.reply(handler, 201, json.dumps(content).encode(), half=kind == "half")

    def refuse(self, handler, code, retry_after=None):
        status, message = ERRORS[code]
        headers = {"WWW-Authenticate": 'Basic realm="Twilio API"'} if status == 401 else {}
        if retry_after is not None:
            headers["Retry-After"] = str(retry_after)
        content = {"code": code, "message": message, "more_info": f"https://www.twilio.com/docs/errors/{code}", "status": status}
        self.reply(handler, status, json.dumps(content).encode(), headers)

    def reply(self, handler, status, content, headers=None, half=False):
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json;charset=utf-8"} | (headers or {})).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(content[:len(content) // 2] if half else content)

    # What came

    def of(self, number):
        return [attempt for attempt in list(self.attempts) if attempt.to == number]

    def taken(self, number):
        """The texts to that number that the gateway took, oldest first."""
        return [attempt for attempt in self.of(number) if attempt.sid]

    def wait_for(self, number, count=1, seconds=5, is_taken=True):
        """The newest text to that number, once there are so many; None when there are not."""
        found = lambda: (self.taken if is_taken else self.of)(number)
        with self.news:
            self.news.wait_for(lambda: len(found()) >= count, seconds)
        return found()[-1] if len(found()) >= count else None

    # Reports

    def report(self, attempt, status, port, error=None, key=None, signed=True, changed=None, url=None, place=None):
        """Tells the server at that port of this machine what became of a text; returns the status of its answer.

        `key`: a wrong one; `changed`: fields that are changed after the signature; `url`: another one than the server named; `place`: the URL that is called, when
        it is not the one that is signed."""
        url = url or attempt.fields["StatusCallback"]
        fields = {
            "AccountSid": self.account, "ApiVersion": "2010-04-01", "From": self.sender, "MessageSid": attempt.sid or "SM" + "0" * 32,
            "MessageStatus": status, "SmsSid": attempt.sid or "SM" + "0" * 32, "SmsStatus": status, "To": attempt.to}
        if error:
            fields["ErrorCode"] = str(error)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8", "Accept": "*/*", "User-Agent": "TwilioProxy/1.1",
            "Host": urllib.parse.urlsplit(url).netloc}
        if signed:
            headers["X-Twilio-Signature"] = signature(key or self.token, url, fields)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", urllib.parse.urlsplit(place or url).path, urllib.parse.urlencode(fields | (changed or {})), headers)
            response = connection.getresponse()
            response.read()
            return response.status
        finally:
            connection.close()

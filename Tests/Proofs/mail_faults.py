"""A mail server that is down, slow, refuses, sends invalid replies, or closes the connection early; and one with broken TLS."""

import collections
import os
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from shim import WallClock
from world import Mail, Mailbox, Person, Refused, Result, Site, free_port, wait_until

# How long a fault lasts, in seconds: in a short trial, by default, and in full.
QUICK, USUAL, FULL = 4, 10, 60
# SEC-MAIL-1: a challenge does not wait for mail. A second is allowed for a commit on a busy machine.
LONGEST_CHALLENGE = 1


class Stub:
    """A minimal SMTP server that behaves as its mode states."""

    def __init__(self, mailbox, contexts=None):
        self.mailbox, self.contexts, self.mode = mailbox, contexts or {}, "ok"
        # The delay of a slow server for each reply, in seconds.
        self.delay = 1
        self.port, self.listener, self.connections = free_port(), None, []
        self.taken = collections.Counter()
        self.listen()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def set(self, mode):
        """Changes the mode; closes the open connections."""
        if mode == "down":
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        elif self.mode == "down":
            self.listen()
        self.mode = mode
        connections, self.connections = self.connections, []
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection, self.mode), daemon=True).start()

    def serve(self, connection, mode):
        self.taken[mode] += 1
        try:
            if self.contexts:
                if mode == "no TLS":
                    connection.sendall(b"220 plain ESMTP\r\n")
                    connection.recv(1000)
                    return
                context = self.contexts.get(mode, self.contexts["ok"])
                # The earlier socket is gone; this is the one to close.
                connection = context.wrap_socket(connection, server_side=True)
                self.connections.append(connection)
            self.talk(connection, connection.makefile("rb"), mode)
        except (OSError, ssl.SSLError):
            pass
        finally:
            connection.close()

    def talk(self, connection, lines, mode):
        def say(text):
            if mode == "slow":
                time.sleep(self.delay)
            connection.sendall(text.encode() + b"\r\n")

        if mode == "hangs":
            lines.read()
            return
        if mode == "garbage":
            connection.sendall(os.urandom(200) + b"\r\n" + b"9" * 5000)
            return
        say("220 stub ESMTP")
        recipient = None
        while line := lines.readline():
            verb = line[:4].upper()
            if verb in (b"EHLO", b"HELO"):
                say("250 stub")
            elif verb == b"MAIL":
                say("451 4.3.0 later" if mode == "4xx" else "250 ok")
            elif verb == b"RCPT":
                recipient = re.search(rb"<(.*)>", line)[1].decode()
                domain = recipient.partition("@")[2]
                if mode == "one domain hangs" and domain == "slow.example":
                    lines.read()
                    return
                is_later = mode == "one domain says 4xx" and domain == "slow.example"
                say("451 4.7.1 greylisted" if is_later else "550 5.1.1 no such user" if mode == "5xx" else "250 ok")
            elif verb == b"DATA":
                say("354 send the mail")
                content = b""
                while (line := lines.readline()) and line != b".\r\n":
                    if mode == "hangs up within the message":
                        return
                    content += line[1:] if line.startswith(b"..") else line
                if mode == "4xx after the message":
                    say("452 4.3.1 full")
                    continue
                self.mailbox.take(Mail(recipient, content))
                if mode == "hangs up before 250":
                    return
                say("250 taken")
            elif verb == b"QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")


class Watch(Mailbox):
    """A mailbox without a server, which records the Message-IDs of each code."""

    def __init__(self):
        super().__init__()
        self.ids = collections.defaultdict(set)

    def take(self, mail):
        self.ids[mail.address, mail.code].add(mail.message_id)
        super().take(mail)


MODES = [
    "down", "hangs", "slow", "garbage", "4xx", "4xx after the message", "5xx", "hangs up within the message",
    "hangs up before 250",
]
TLS_MODES = ["untrusted", "wrong name", "no TLS"]


def certificate(folder, name, subject):
    key, file = f"{folder}/{name}.key", f"{folder}/{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file, "-days", "2", "-subj",
         "/CN=stub", "-addext", f"subjectAltName={subject}"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return context


class Flow:
    """A sign-up that has requested its code."""

    def __init__(self, site, address, result):
        self.person, self.address = Person(site), address
        start = {"username": address, "challenge_type": "oob redirect"}
        self.token = self.person.step("signup/v1.0/start", start)["continuation_token"]
        self.begun = time.monotonic()
        answer = self.person.post("signup/v1.0/challenge", {"continuation_token": self.token, "challenge_type": "oob redirect"})
        result.note("s until a challenge was answered", answer.seconds)
        result.count("challenges")
        result.expect(answer.status == 200, f"a challenge was answered with {answer.status}")
        result.expect(answer.seconds < LONGEST_CHALLENGE, f"a challenge took {answer.seconds:.2f} s")
        self.token = answer.body.get("continuation_token", self.token)

    def has_mail(self):
        return self.person.site.mailbox.seen(self.address) > 0


def strike(site, stub, mode, seconds, rng, result):
    """One fault: users request codes while it lasts, and must get them soon after."""
    flows = [Flow(site, f"b{number}-{rng.randrange(1 << 40):x}@example.com", result) for number in range(2)]
    wait_until(lambda: all(flow.has_mail() for flow in flows), 10)
    stub.set(mode)
    end = time.monotonic() + seconds
    during = []
    while time.monotonic() < end:
        during.append(Flow(site, f"d{len(during)}-{rng.randrange(1 << 40):x}@example.com", result))
        time.sleep(seconds / 20)
    tries = stub.taken[mode]
    result.expect(mode == "down" or tries, f"{mode}: the server did not try to send mail")
    early = sum(flow.has_mail() for flow in during)
    takes = mode in ("slow", "hangs up before 250")
    result.expect(takes or not early, f"{mode}: {early} mails arrived")
    stub.set("ok")
    if mode == "5xx":
        # These were refused permanently, and recorded in the audit trail; a user who asks again gets a code.
        time.sleep(2)
        refused = [flow for flow in during if not flow.has_mail()]
        rows = int(site.store.rows("SELECT count(*) FROM audit WHERE kind = 'outbox.failed'")[0][0])
        result.expect(rows >= len(refused), f"5xx: {len(refused)} mails were refused, {rows} are in the audit trail")
        during = [Flow(site, f"a{rng.randrange(1 << 40):x}@example.com", result)]
    # SEC-MAIL-8: tried again after 1 s, 2 s, 4 s …, so after at most about twice the time so far, plus a lease.
    begin = time.monotonic()
    came = wait_until(lambda: all(flow.has_mail() for flow in flows + during), seconds * 2 + 15, 0.1)
    missing = [flow.address for flow in flows + during if not flow.has_mail()]
    result.note("s after the return until every code had come", time.monotonic() - begin)
    result.expect(came, f"{mode}: {len(missing)} of {len(during)} codes never came")
    for flow in rng.sample(during, min(5, len(during))):
        if flow.has_mail():
            try:
                flow.person.finish(flow.token, site.mailbox.code(flow.address, 0, 1))
                result.count("sign-ups completed with a late code")
            except Refused as refusal:
                result.expect(False, f"{mode}: the code that came late does not work: {refusal}")
    result.count("faults")


def domains(site, stub, mode, rng, result):
    """REL-SMTP-2: a fault of one domain does not affect the others."""
    stub.set(mode)
    for number in range(8):
        Flow(site, f"s{number}-{rng.randrange(1 << 40):x}@slow.example", result)
    time.sleep(1)
    others = [Flow(site, f"o{number}-{rng.randrange(1 << 40):x}@example.com", result) for number in range(4)]
    begin = time.monotonic()
    wait_until(lambda: all(flow.has_mail() for flow in others), 10, 0.02)
    came = sum(flow.has_mail() for flow in others)
    result.note("s for another domain's mail", time.monotonic() - begin)
    result.expect(came == 4, f"{mode}: {came} of 4 mails to another domain came within 10 s (REL-SMTP-2)")
    stub.set("ok")
    result.count("faults")
    wait_until(lambda: all(flow.has_mail() for flow in others), 30)


def expiry(options, rng, result):
    """A code that expires while the mail server is down is not sent any more (SEC-MAIL-2)."""
    mailbox = Watch()
    stub = Stub(mailbox)
    site = Site(options, mailbox=mailbox, smtp=f"smtp://127.0.0.1:{stub.port}")
    clock = WallClock(site.folder)
    site.nodes[0].stop()
    site.nodes[0].environment = clock.environment
    site.nodes[0].start()
    stub.set("down")
    old = [Flow(site, f"x{number}-{rng.randrange(1 << 40):x}@example.com", result) for number in range(5)]
    # SEC-OTP-2: a code is valid for 600 s.
    clock.set(601)
    time.sleep(1)
    new = Flow(site, f"y{rng.randrange(1 << 40):x}@example.com", result)
    stub.set("ok")
    came = wait_until(new.has_mail, 40)
    result.expect(came, "expiry: the code that is still valid never came")
    time.sleep(2)
    late = sum(flow.has_mail() for flow in old)
    result.count("mails of expired codes", late)
    result.expect(not late, f"expiry: {late} mails came after their codes' time (SEC-MAIL-2)")
    states = dict(site.store.rows("SELECT state, count(*) FROM outbox GROUP BY state"))
    result.expect(states.get("expired") == len(old), f"expiry: the outbox says {states}")
    result.count("faults")
    finish(site, mailbox, result)


def finish(site, mailbox, result):
    result.count("mails", sum(len(mails) for mails in mailbox.mails.values()))
    result.count("duplicates with the same Message-ID", mailbox.duplicates)
    doubled = [key for key, ids in mailbox.ids.items() if len(ids) > 1]
    result.expect(not doubled, f"{len(doubled)} codes came with different Message-IDs (SEC-MAIL-2)")
    site.stop(result)


def mail_faults(options, number, rng):
    result = Result()
    seconds = QUICK if options.quick else FULL if options.full else USUAL
    for _ in range(number):
        mailbox = Watch()
        stub = Stub(mailbox)
        site = Site(options, mailbox=mailbox, smtp=f"smtp://127.0.0.1:{stub.port}")
        for mode in MODES:
            if options.only in (None, mode):
                strike(site, stub, mode, seconds, rng, result)
        for mode in ("one domain says 4xx", "one domain hangs"):
            if options.only in (None, mode):
                domains(site, stub, mode, rng, result)
        finish(site, mailbox, result)
        if options.only in (None, "expiry"):
            expiry(options, rng, result)

        with tempfile.TemporaryDirectory() as folder:
            contexts = {
                "ok": certificate(folder, "ok", "IP:127.0.0.1"), "untrusted": certificate(folder, "untrusted", "IP:127.0.0.1"),
                "wrong name": certificate(folder, "wrong", "DNS:elsewhere.example"),
            }
            trusted = f"{folder}/trusted.pem"
            with open(trusted, "w") as file:
                file.write(open(f"{folder}/ok.pem").read() + open(f"{folder}/wrong.pem").read())
            mailbox = Watch()
            stub = Stub(mailbox, contexts)
            site = Site(
                options, mailbox=mailbox, smtp=f"smtps://127.0.0.1:{stub.port}", arguments=["--smtp-ca-file", trusted])
            for mode in TLS_MODES:
                if options.only in (None, mode):
                    strike(site, stub, mode, seconds, rng, result)
            finish(site, mailbox, result)
    return result

"""Shared by the proofs: servers, their databases, a real mail receiver, users of the API, and the ledger of everything that they
were told."""

import atexit
import collections
import email
import email.policy
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.parse

from aiosmtpd.controller import Controller

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CODE_APP = "00001111-aaaa-2222-bbbb-3333cccc4444"
PASSWORD_APP = "11112222-bbbb-3333-cccc-4444dddd5555"
PASSWORD_AND_ATTRIBUTES_APP = "33334444-dddd-5555-eeee-6666ffff7777"
ATTRIBUTES = {"country": "Denmark", "city": "Aarhus"}
# How long a user repeats a request before giving up, in seconds.
PATIENCE = 60


class Broken(Exception):
    """The proof itself could not be carried out: it has no result."""


class Result:
    """The counts of a part of a proof."""

    def __init__(self):
        self.counts = collections.Counter()
        self.worst = {}
        self.faults = []

    def count(self, what, number=1):
        self.counts[what] += number

    def note(self, what, value):
        """The worst value of a figure; its name contains the unit."""
        self.worst[what] = max(self.worst.get(what, value), value)

    def expect(self, holds, fault):
        """Notes a fault unless the condition holds."""
        if not holds:
            self.faults.append(fault)
        return holds


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(holds, seconds, every=0.05):
    """Whether the condition becomes true within that time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


def parallel(count, work, threads=32):
    """Runs work(0) … work(count - 1) on threads that start together; returns the results."""
    results, numbers, lock = [], iter(range(count)), threading.Lock()
    threads = min(threads, count)
    barrier = threading.Barrier(threads)
    errors = []

    def run():
        barrier.wait()
        while not errors:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                result = work(number)
            except Exception as error:
                errors.append(error)
                return
            with lock:
                results.append(result)

    workers = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]
    return results


# Mail


class Mail:
    def __init__(self, address, content):
        message = email.message_from_bytes(content, policy=email.policy.default)
        self.at = time.monotonic()
        self.address = address
        self.message_id = message["Message-ID"]
        self.text = message.get_body(("plain",)).get_content()
        found = re.search(r"(?<!\d)\d{8}(?:\d{4})?(?!\d)", self.text)
        self.code = found[0] if found else None


class Mailbox:
    """Accepts all mail, and knows the newest code of each address."""

    def __init__(self):
        self.mails, self.duplicates, self.known = collections.defaultdict(list), 0, set()
        self.news = threading.Condition()
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())
        self.controller.start()

    async def handle_DATA(self, server, session, envelope):
        for address in envelope.rcpt_tos:
            self.take(Mail(address, envelope.content))
        return "250 taken"

    def take(self, mail):
        with self.news:
            # Sent at least once: users can see that two mails are the same.
            if (mail.address, mail.message_id) in self.known:
                self.duplicates += 1
                return
            self.known.add((mail.address, mail.message_id))
            self.mails[mail.address].append(mail)
            self.news.notify_all()

    def seen(self, address):
        return len(self.mails[address])

    def code(self, address, after, timeout):
        """The newest code that arrived after `after` mails; None when none arrives. Notices have no code and are skipped."""
        with self.news:
            self.news.wait_for(lambda: self.codes(address, after), timeout)
            return (self.codes(address, after) or [None])[-1]

    def codes(self, address, after):
        return [mail.code for mail in self.mails[address][after:] if mail.code]

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.controller.port}"

    def stop(self):
        self.controller.stop()


# Databases


class SQLite:
    def __init__(self, file):
        self.file = file

    def rows(self, sql):
        database = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(sql.replace("$BYTES", "x")).fetchall()
        finally:
            database.close()

    def integrity(self):
        return self.rows("PRAGMA integrity_check")[0][0]

    def stop(self):
        pass


class Postgres:
    """A separate server; see scripts/with-postgres."""

    def __init__(self, *settings):
        self.process = subprocess.Popen(
            [ROOT / "scripts/with-postgres", *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("postgresql://"):
            raise Broken("PostgreSQL did not start")
        self.place = urllib.parse.urlparse(self.url)

    def rows(self, sql):
        sql = sql.replace("$BYTES'", "'\\x")
        output = subprocess.check_output(["psql", "-qAtX", "-F", "\x1f", self.url, "-c", sql], text=True)
        return [tuple(line.split("\x1f")) for line in output.splitlines()]

    def through(self, port):
        """The URL through a proxy at that port, which reads the messages and so needs them unencrypted."""
        place = self.place
        return f"postgresql://{place.username}@127.0.0.1:{port}{place.path}?sslmode=disable&gssencmode=disable"

    def integrity(self):
        return "ok"

    def processes(self):
        """The ids of the server's processes, the first one first."""
        folder = self.rows("SHOW data_directory")[0][0]
        leader = int((pathlib.Path(folder) / "postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(leader)], capture_output=True, text=True).stdout.split()
        return [leader, *map(int, children)]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def count(store, sql):
    return int(store.rows(sql)[0][0])


# Servers


class Server:
    """A `native-auth serve`."""

    def __init__(self, site, number, *arguments, environment=None, prefix=()):
        self.site, self.number, self.arguments = site, number, arguments
        self.environment, self.prefix = environment or {}, list(prefix)
        self.port = free_port()
        self.folder = site.data or site.folder / f"node{number}"
        self.log = site.folder / f"node{number}.log"
        self.start()

    def command(self):
        database = ["--database", self.site.database] if self.site.database else []
        return (
            self.prefix
            + [self.site.binary, "serve", "--port", str(self.port), "--data", str(self.folder), *database]
            + (["--master-key-file", str(self.site.key)] if self.site.key else [])
            + ["--base-url", "http://native-auth.test", "--smtp", self.site.smtp, "--log-level", "critical"]
            + list(self.arguments)
        )

    def start(self):
        """Starts it, and waits until it is ready; returns the seconds that this took."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
        begin = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL,
                env=clean | self.environment, text=True,
            )
        atexit.register(self.process.kill)
        for line in self.process.stdout:
            if line.startswith("ready "):
                return time.monotonic() - begin
        raise Broken(f"a server did not start, exit code {self.process.wait()}: {self.log.read_text()[-2000:]}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Asks it to end; returns the exit code."""
        self.process.terminate()
        try:
            return self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.kill()
            return -9

    def is_alive(self):
        return self.process.poll() is None

    def mebibytes(self):
        """The highest resident memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


class Site:
    """One server on SQLite, or several on one PostgreSQL database.

        With `data`, a folder, everything of the one server is in it, including the master key."""

    def __init__(self, options, store="sqlite", nodes=1, database=None, mailbox=None, smtp=None, data=None, **settings):
        self.binary = options.binary
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="prove-"))
        atexit.register(shutil.rmtree, self.folder, True)
        self.key = None
        if not data:
            self.key = self.folder / "master.key"
            self.key.write_bytes(os.urandom(32))
            self.key.chmod(0o600)
        self.data = data
        self.mailbox = mailbox or Mailbox()
        self.smtp = smtp or self.mailbox.url
        self.store, self.database, self.owns_store = store, database, False
        if store == "postgres":
            self.store, self.owns_store = Postgres(), True
        if store == "sqlite":
            self.store = SQLite((data or self.folder / "node0") / "identity.sqlite")
        elif not self.database:
            self.database = self.store.url
        arguments = settings.pop("arguments", ())
        self.nodes = [Server(self, number, *arguments, **settings) for number in range(nodes)]

    def stop(self, result=None, keep_mailbox=False):
        """Ends everything; a server that does not end cleanly is a fault."""
        codes = [node.stop() for node in self.nodes if node.is_alive()]
        if result is not None:
            result.expect(codes == [0] * len(self.nodes), f"servers ended with {codes} of {len(self.nodes)}")
        if self.owns_store:
            self.store.stop()
        if not keep_mailbox:
            self.mailbox.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


# People


class Refused(Exception):
    """An unexpected answer of the API: suberror or error, and the numeric codes."""


class Answer:
    def __init__(self, status, headers, content, seconds):
        self.status, self.headers, self.content, self.seconds = status, headers, content, seconds

    @property
    def body(self):
        try:
            return json.loads(self.content)
        except ValueError:
            return {}


def ask(port, method, path, form=None, headers=None, timeout=10, source=None, host="127.0.0.1"):
    """One request on a separate connection; raises OSError or HTTPException when no complete answer arrives."""
    body = urllib.parse.urlencode(form) if isinstance(form, dict) else form
    all_headers = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
    connection = http.client.HTTPConnection(host, port, timeout=timeout, source_address=source)
    begin = time.monotonic()
    try:
        connection.request(method, path, body, all_headers | (headers or {}))
        response = connection.getresponse()
        content = response.read()
        return Answer(response.status, response.headers, content, time.monotonic() - begin)
    finally:
        connection.close()


class Person:
    """Uses the API as an app does: an unanswered request, or one answered with 503, is repeated, perhaps at another node."""

    def __init__(self, site, client=CODE_APP, seed=None, patience=PATIENCE, watch=None, ports=None, timeout=10):
        self.timeout = timeout
        self.site, self.client, self.patience, self.watch, self.ports = site, client, patience, watch, ports
        self.random = random.Random(seed)
        self.repeated, self.asked_again = 0, 0

    def post(self, path, fields):
        form = {"client_id": self.client} | fields
        end = time.monotonic() + self.patience
        while True:
            port = self.random.choice(self.ports or [node.port for node in self.site.nodes])
            begin = time.monotonic()
            try:
                answer = ask(port, "POST", f"/contoso/{path}", form, timeout=self.timeout)
                if self.watch:
                    self.watch(answer, None, begin)
                if answer.status < 500:
                    return answer
            except (OSError, http.client.HTTPException) as error:
                if self.watch:
                    self.watch(None, error, begin)
            if time.monotonic() > end:
                raise Refused("no answer")
            self.repeated += 1
            time.sleep(0.05)

    def step(self, path, fields):
        answer = self.post(path, fields)
        body = answer.body
        if answer.status != 200:
            raise Refused(body.get("suberror") or body.get("error"), body.get("error_codes"))
        return body

    def begin(self, address, password=None, attributes=None):
        """Signs up until a code is in the mailbox; returns the token and the code."""
        kinds = "oob password redirect" if password else "oob redirect"
        fields = {"username": address, "challenge_type": kinds}
        if password:
            fields["password"] = password
        if attributes:
            fields["attributes"] = json.dumps(attributes)
        token = self.step("signup/v1.0/start", fields)["continuation_token"]
        return self.code("signup/v1.0/challenge", address, token, kinds)

    def code(self, path, address, token, kinds):
        while True:
            seen = self.site.mailbox.seen(address)
            body = self.step(path, {"continuation_token": token, "challenge_type": kinds})
            token = body["continuation_token"]
            # The node that held the mail may have ended; a user then asks for another code.
            code = self.site.mailbox.code(address, seen, 3)
            if code:
                return token, code
            self.asked_again += 1

    def finish(self, token, code):
        fields = {"continuation_token": token, "grant_type": "oob", "oob": code}
        return self.step("signup/v1.0/continue", fields)["continuation_token"]

    def sign_up(self, address, password=None, attributes=None):
        return self.despite_mail_trouble(lambda: self.finish(*self.begin(address, password, attributes)))

    def despite_mail_trouble(self, work):
        """A repeated request, or a new one because no mail arrived, sent two codes, and the first one arrived last; or mails were
        lost until the flow gave no more codes; and mails of that flow may arrive late, in the next. A user begins again."""
        before = self.repeated + self.asked_again
        for attempt in range(20):
            try:
                return work()
            except Refused as refusal:
                is_mail_trouble = refusal.args[0] == "invalid_oob_value" or refusal.args[1:] == ([701014],)
                if not is_mail_trouble or self.repeated + self.asked_again == before or attempt == 19:
                    raise

    def tokens(self, token, address):
        """The tokens after a sign-up or reset."""
        grant = {"grant_type": "continuation_token", "username": address, "scope": "openid offline_access"}
        return self.step("oauth2/v2.0/token", grant | {"continuation_token": token})

    def sign_in(self, name, password):
        kinds = {"challenge_type": "password redirect"}
        token = self.step("oauth2/v2.0/initiate", {"username": name} | kinds)["continuation_token"]
        token = self.step("oauth2/v2.0/challenge", {"continuation_token": token} | kinds)["continuation_token"]
        grant = {"grant_type": "password", "password": password, "scope": "openid offline_access"}
        return self.step("oauth2/v2.0/token", grant | {"continuation_token": token})

    def can_sign_in(self, name, password):
        try:
            self.sign_in(name, password)
            return True
        except Refused:
            return False

    def refresh(self, refresh_token):
        grant = {"grant_type": "refresh_token", "refresh_token": refresh_token, "scope": "openid offline_access"}
        return self.step("oauth2/v2.0/token", grant)

    def can_refresh(self, refresh_token):
        try:
            self.refresh(refresh_token)
            return True
        except Refused:
            return False

    def reset(self, address, password):
        """Returns the token for a sign-in."""
        return self.despite_mail_trouble(lambda: self.reset_once(address, password))

    def reset_once(self, address, password):
        kinds = "oob redirect"
        start = {"username": address, "challenge_type": kinds}
        token = self.step("resetpassword/v1.0/start", start)["continuation_token"]
        token, code = self.code("resetpassword/v1.0/challenge", address, token, kinds)
        fields = {"continuation_token": token, "grant_type": "oob", "oob": code}
        token = self.step("resetpassword/v1.0/continue", fields)["continuation_token"]
        fields = {"continuation_token": token, "new_password": password}
        token = self.step("resetpassword/v1.0/submit", fields)["continuation_token"]
        body = self.step("resetpassword/v1.0/poll_completion", {"continuation_token": token})
        return body["continuation_token"]

    def is_taken(self, address):
        answer = self.post("signup/v1.0/start", {"username": address, "challenge_type": "oob redirect"})
        return answer.status == 400 and answer.body.get("error") == "user_already_exists"


class Account:
    """Everything that a user was told about an account. `None` as refresh token: nothing was told, or it may have changed."""

    def __init__(self, address, client, password=None, alias=None):
        self.address, self.client, self.password, self.alias = address, client, password, alias
        self.old_passwords, self.refresh_token, self.dead_refresh_tokens = [], None, []
        # When the sign-up, each refresh and each reset was acknowledged (time.monotonic).
        self.at, self.refreshed_at, self.reset_at = None, [], []


class Load:
    """Users who sign up one after another until they are told to stop; some then sign in, refresh and reset.

        `accounts` is the ledger: it contains only what was acknowledged."""

    def __init__(self, site, people, seed, is_mixed=True, **settings):
        self.accounts, self.failures, self.done = [], [], collections.Counter()
        self.over = threading.Event()
        self.is_mixed = is_mixed
        self.name = f"{seed:x}"
        clients = (CODE_APP, PASSWORD_AND_ATTRIBUTES_APP)
        self.people = [Person(site, clients[n % 2], seed + n, **settings) for n in range(people)]
        self.threads = [
            threading.Thread(target=self.run, args=(n, person), daemon=True) for n, person in enumerate(self.people)
        ]
        for thread in self.threads:
            thread.start()

    def run(self, number, person):
        attempt = 0
        while not self.over.is_set():
            attempt += 1
            name = f"p{number}-{attempt}-{self.name}"
            account = Account(f"{name}@example.com", person.client)
            try:
                self.live(person, account, name)
            except Refused as refusal:
                self.failures.append((account.address, refusal.args))

    def live(self, person, account, name):
        if person.client == CODE_APP:
            token = person.sign_up(account.address)
        else:
            account.password, account.alias = "Tulip-Harbour-42", f"alias-{name}"
            attributes = ATTRIBUTES | {"flatusername": account.alias}
            token = person.sign_up(account.address, account.password, attributes)
        account.at = time.monotonic()
        self.accounts.append(account)
        self.done["sign-ups"] += 1
        if not self.is_mixed or person.random.random() < 0.6:
            return
        account.refresh_token = person.tokens(token, account.address)["refresh_token"]
        self.done["sign-ins"] += 1
        for _ in range(person.random.randrange(3)):
            old, account.refresh_token = account.refresh_token, None
            account.refresh_token = person.refresh(old)["refresh_token"]
            account.refreshed_at.append(time.monotonic())
            self.done["refreshes"] += 1
        if account.password and person.random.random() < 0.5:
            old, new = account.password, "Amber-Lantern-77"
            dead, account.refresh_token, account.password = account.refresh_token, None, None
            token = person.reset(account.address, new)
            account.reset_at.append(time.monotonic())
            account.password = new
            account.old_passwords.append(old)
            account.dead_refresh_tokens.append(dead)
            self.done["resets"] += 1
            account.refresh_token = person.sign_in(account.alias, new)["refresh_token"]
            self.done["sign-ins"] += 1

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    @property
    def repeated(self):
        return sum(person.repeated for person in self.people)


FEWER_MAILS = "mails of a flow fewer than its codes (I7)"
HALVES = {
    "users without an identifier (I2)": """users u WHERE NOT EXISTS
        (SELECT 1 FROM identifiers i WHERE i.tenant = u.tenant AND i."user" = u.id AND i.proven_at IS NOT NULL)""",
    "identifiers without a user (I3)": """identifiers i WHERE NOT EXISTS
        (SELECT 1 FROM users u WHERE i.tenant = u.tenant AND i."user" = u.id)""",
    "users without their password (I2)": """users WHERE password_hash IS NULL
        AND client IN ($BYTES'11112222bbbb3333cccc4444dddd5555', $BYTES'33334444dddd5555eeee6666ffff7777')""",
    "users without their attributes (I1)": """users u WHERE client = $BYTES'33334444dddd5555eeee6666ffff7777'
        AND (SELECT count(*) FROM attributes a WHERE a.tenant = u.tenant AND a."user" = u.id
             AND a.name IN ('country', 'city')) <> 2""",
    "attributes without a user": """attributes a WHERE NOT EXISTS
        (SELECT 1 FROM users u WHERE a.tenant = u.tenant AND a."user" = u.id)""",
    "users without exactly one completion in the audit trail (I9)": """users u WHERE 1 <>
        (SELECT count(*) FROM audit a WHERE a.kind = 'signup.completed' AND a.tenant = u.tenant AND a."user" = u.id)""",
    "completions without a user or a deletion (I9)": """audit a WHERE a.kind = 'signup.completed' AND NOT EXISTS
        (SELECT 1 FROM users u WHERE a.tenant = u.tenant AND a."user" = u.id) AND NOT EXISTS
        (SELECT 1 FROM audit d WHERE d.kind = 'account.deleted' AND a.tenant = d.tenant AND a."user" = d."user")""",
    "flows with more guesses than five (I8)": "flows WHERE code_attempts > 5",
    FEWER_MAILS: """flows f WHERE f.codes_sent >
        (SELECT count(*) FROM outbox o WHERE o.tenant = f.tenant AND o.flow = f.id)""",
}


def halves(store):
    """Forbidden content of the database, with the number of rows."""
    found = {name: count(store, f"SELECT count(*) FROM {sql}") for name, sql in HALVES.items()}
    return {name: number for name, number in found.items() if number}


def audit(site, accounts, failures, result, sample=40, rng=random, but=()):
    """Compares the ledger with the database and, for some accounts, with what the API says (invariants of 16.6).

        `but` names what may be in the database."""
    rows = site.store.rows("SELECT kind, display FROM identifiers")
    known = {display.lower() for _, display in rows}
    lost = [account.address for account in accounts if account.address not in known]
    lost += [account.alias for account in accounts if account.alias and account.alias.lower() not in known]
    result.count("acknowledged accounts", len(accounts))
    result.count("lost", len(lost))
    result.expect(not lost, f"acknowledged and not there (I1, I13): {lost[:5]}")
    half = {name: number for name, number in halves(site.store).items() if name not in but}
    result.count("half", sum(half.values()))
    result.expect(not half, f"half made: {half}")
    result.count("refused", len(failures))
    result.expect(not failures, f"people were refused: {failures[:3]}")
    integrity = site.store.integrity()
    result.expect(integrity == "ok", f"integrity check: {integrity}")

    def check(account):
        wrong = []
        person = Person(site, account.client)
        if not Person(site).is_taken(account.address):
            wrong.append("I1: the address is free")
        if account.password:
            if not person.can_sign_in(account.alias, account.password):
                wrong.append("I1, I5: the password does not work")
            # At most one wrong guess per account, so that no account is locked.
            if account.old_passwords and person.can_sign_in(account.address, account.old_passwords[-1]):
                wrong.append("I5: the old password works")
        if any(token and person.can_refresh(token) for token in account.dead_refresh_tokens):
            wrong.append("I5: a refresh token outlived the reset")
        if account.refresh_token and not person.can_refresh(account.refresh_token):
            wrong.append("I6: the acknowledged refresh token does not work")
        return [f"{account.address}: {what}" for what in wrong]

    chosen = rng.sample(accounts, min(sample, len(accounts)))
    # Always the accounts with the most actions.
    chosen += [account for account in accounts if account.old_passwords and account not in chosen][-sample:]
    for wrong in parallel(len(chosen), lambda number: check(chosen[number]), threads=8) if chosen else []:
        for fault in wrong:
            result.expect(False, fault)
    result.count("accounts tried out", len(chosen))

"""Clients that lose each reply at a random byte and repeat the request, with the limits of production, including the cool-down of
codes."""

import http.client
import random
import socket
import threading
import time
import urllib.parse

from attacks import LIMITS, source
from world import (
    ATTRIBUTES, CODE_APP, PASSWORD_AND_ATTRIBUTES_APP, Person, Refused, Result, Site, ask, count, halves, parallel,
)

# The steps that keep their answer for 60 s (REL-IDEM); a start changes nothing, and a challenge has its cool-down instead.
KEPT = ("signup/v1.0/continue", "oauth2/v2.0/token", "resetpassword/v1.0/continue", "resetpassword/v1.0/submit")


class Unlucky(Person):
    """Loses the first reply to each request; the second and the third must equal the first."""

    def __init__(self, site, address, client, rng, result, lock):
        super().__init__(site, client)
        self.address, self.rng, self.result, self.lock = address, rng, result, lock
        self.cuts = 0

    def lose(self, port, path, body):
        """Sends the request, reads a random number of bytes of the reply, and hangs up; returns what was read."""
        limit, read = self.rng.choice((0, 1, self.rng.randrange(400), self.rng.randrange(4_000))), b""
        head = (
            f"POST /contoso/{path} HTTP/1.1\r\nHost: native-auth.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
        try:
            with socket.create_connection(("127.0.0.1", port), 10, (self.address, 0)) as connection:
                connection.sendall(head + body)
                while len(read) < limit:
                    piece = connection.recv(limit - len(read))
                    if not piece:
                        break
                    read += piece
                    if b"\r\n\r\n" in read and read.endswith(b"}"):
                        break
        except OSError:
            pass
        return read

    def post(self, path, fields):
        port = self.random.choice([node.port for node in self.site.nodes])
        form = {"client_id": self.client} | fields
        body = urllib.parse.urlencode(form).encode()
        lost = self.lose(port, path, body)
        self.cuts += 1
        # At once, so that the first request may still be running, or as clients do.
        time.sleep(self.rng.choice((0, 0, 0.01, 0.1)))
        answer = ask(port, "POST", f"/contoso/{path}", body, source=(self.address, 0))
        if path in KEPT:
            again = ask(port, "POST", f"/contoso/{path}", body, source=(self.address, 0))
            content = lost.partition(b"\r\n\r\n")[2]
            with self.lock:
                self.result.count("answers compared")
                self.result.expect(
                    again.content == answer.content and again.status == answer.status, f"{path}: two answers to one request")
                self.result.expect(answer.content.startswith(content), f"{path}: the lost answer was another")
                self.result.expect(answer.status in (200, 400), f"{path}: {answer.status}")
        return answer


def lost_replies(options, number, rng):
    result, lock = Result(), threading.Lock()
    site = Site(options, arguments=LIMITS)
    lives, done = [], [0]
    seed = rng.randrange(1 << 30)

    def live(index):
        with lock:
            if done[0] >= number:
                return
        own = random.Random(f"{seed}-{index}")
        is_password = index % 2
        client = PASSWORD_AND_ATTRIBUTES_APP if is_password else CODE_APP
        person = Unlucky(site, source(index), client, own, result, lock)
        address, password, resets = f"u{index}-{seed:x}@example.com", "Tulip-Harbour-42" if is_password else None, 0
        try:
            token = person.sign_up(address, password, ATTRIBUTES if is_password else None)
            tokens = person.tokens(token, address)
            for _ in range(2):
                tokens = person.refresh(tokens["refresh_token"])
            if is_password and own.random() < 0.3:
                password = "Finch-Meadow-19"
                person.reset(address, password)
                resets = 1
        except (Refused, OSError, http.client.HTTPException) as error:
            with lock:
                result.expect(False, f"{address}: {error!r}")
        with lock:
            done[0] += person.cuts
            lives.append((address, client, password, resets, person.address))

    parallel(number, live, threads=12)
    result.count("replies lost", done[0])
    result.count("sign-ups", len(lives))
    users = count(site.store, "SELECT count(*) FROM users")
    result.expect(users == len(lives), f"{users} users after {len(lives)} sign-ups")
    completed = count(site.store, "SELECT count(*) FROM audit WHERE kind = 'reset.completed'")
    resets = sum(life[3] for life in lives)
    result.count("resets", resets)
    result.expect(completed == resets, f"{completed} resets in the audit trail for {resets}")
    half = halves(site.store)
    result.expect(not half, f"half made: {half}")
    # Not counting the notice that a password was changed.
    codes = lambda address: sum(mail.code is not None for mail in site.mailbox.mails[address])
    wrong = [life[0] for life in lives if codes(life[0]) != 1 + life[3]]
    result.expect(not wrong, f"{len(wrong)} people got more or fewer mails than they asked for, such as {wrong[:2]}")
    generations = count(site.store, "SELECT count(*) FROM refresh_families WHERE generation > 2")
    result.expect(not generations, f"{generations} sessions were renewed more often than asked")
    site.stop(result)
    return result

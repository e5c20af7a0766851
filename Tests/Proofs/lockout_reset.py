"""One address flooded with resets, sign-ups and sign-ins, while its owner resets the password from a network unknown to the
server; the limits are those of production."""

import http.client
import threading
import time

from attacks import LIMITS, Guest, expect_sober
from world import Result, Site, parallel, wait_until

# docs/design/0013: mails of one purpose in 15 minutes, mails of one network among them, and one mail of the slow lane.
MAILS, SLOW_LANE = 5, 1
VICTIM = "victim@example.com"
# A shared code is valid for 10 minutes, and the next one is sent 15 minutes after it.
LIFE, INTERVAL = 600, 900


def flood(site, addresses, number, statuses):
    """`number` resets, sign-ups and sign-ins for the victim, each up to the mail or the wrong password, from `addresses` in turn."""
    lock = threading.Lock()
    kinds = {"challenge_type": "oob password redirect"}
    password = {"grant_type": "password", "password": "Amber-Lantern-77", "scope": "openid"}

    def attack(index):
        guest = Guest(site, addresses[index % len(addresses)])
        steps = (
            [("resetpassword/v1.0/start", {}), ("resetpassword/v1.0/challenge", {})],
            [("signup/v1.0/start", {"password": "Amber-Lantern-77"}), ("signup/v1.0/challenge", {})],
            [("oauth2/v2.0/initiate", {}), ("oauth2/v2.0/challenge", {}), ("oauth2/v2.0/token", password)],
        )[index // 2 % 3]
        fields = {"username": VICTIM}
        for path, more in steps:
            try:
                answer = guest.post(path, fields | kinds | more)
            except (OSError, http.client.HTTPException):
                answer = None
            with lock:
                key = answer.status if answer else 0
                statuses[key] = statuses.get(key, 0) + 1
            if not answer or answer.status != 200 or "continuation_token" not in answer.body:
                return
            fields = {"continuation_token": answer.body["continuation_token"]}

    parallel(number, attack, threads=16)


def owner_resets(site, address, password, patience):
    """Resets the password as a user does: waits as long as an answer states, and submits the newest code with the length in the
    answer. Returns the seconds until the code arrived, and its length; None when it did not arrive in time."""
    owner, begin = Guest(site, address), time.monotonic()
    kinds = {"challenge_type": "oob redirect"}
    while time.monotonic() - begin < patience:
        token = owner.step("resetpassword/v1.0/start", {"username": VICTIM} | kinds)["continuation_token"]
        answer = owner.post("resetpassword/v1.0/challenge", {"continuation_token": token} | kinds)
        if answer.status != 200:
            time.sleep(min(float(answer.headers["retry-after"]), patience))
            continue
        token, length = answer.body["continuation_token"], answer.body["code_length"]

        def newest():
            mails = [mail.code for mail in site.mailbox.mails[VICTIM] if mail.code and "new password" in mail.text]
            return next((code for code in reversed(mails) if len(code) == length), None)

        # A code of an earlier flow may be there; the code of this flow has had its time.
        wait_until(newest, 30) and time.sleep(1)
        if not newest():
            continue
        seconds = time.monotonic() - begin
        fields = {"continuation_token": token, "grant_type": "oob", "oob": newest()}
        answer = owner.post("resetpassword/v1.0/continue", fields)
        if answer.status != 200:
            # Another flow was faster with its own code, or a newer mail came between the two.
            continue
        fields = {"continuation_token": answer.body["continuation_token"], "new_password": password}
        token = owner.step("resetpassword/v1.0/submit", fields)["continuation_token"]
        owner.step("resetpassword/v1.0/poll_completion", {"continuation_token": token})
        return seconds, length
    return None


def lockout_reset(options, number, rng):
    """First from two networks, then from 1,000 sources in as many networks: `number` requests before the owner's reset, and as
    many during it. With 50,000 requests or more the owner also comes at the worst time: when a shared code has just expired."""
    result = Result()
    for name, addresses, patience in (
        ("few networks", [f"127.150.{network}.{1 + host}" for host in range(100) for network in range(2)], 60),
        ("many networks", [f"127.{1 + index // 250}.{1 + index % 250}.7" for index in range(1_000)], INTERVAL),
    ):
        site = Site(options, arguments=LIMITS)
        Guest(site, "127.200.0.1").sign_up(VICTIM, "Tulip-Harbour-42")
        before, first = len(site.mailbox.mails[VICTIM]), time.monotonic()
        statuses, stopped = {}, threading.Event()
        rng.shuffle(addresses)
        flood(site, addresses, number, statuses)

        def go_on():
            while not stopped.is_set():
                flood(site, addresses, 100, statuses)

        worse = threading.Thread(target=go_on, daemon=True)
        worse.start()
        try:
            moments = [("", 0)] + ([(", as a shared code ends", LIFE)] if number >= 50_000 and patience > 60 else [])
            for attempt, (moment, wait) in enumerate(moments):
                time.sleep(max(0, first + wait - time.monotonic()) if wait else 0)
                found = owner_resets(site, f"127.201.{attempt}.9", f"Finch-Meadow-{attempt}", patience)
                if result.expect(found, f"{name}{moment}: no code within {patience} s"):
                    result.note(f"s until the owner had a code, {name}{moment}", round(found[0], 1))
                    result.count(f"resets with a code of {found[1]} digits, {name}")
        finally:
            stopped.set()
            worse.join(60)
        result.count(f"requests from {name}", sum(statuses.values()))
        wait_until(lambda: int(site.store.rows("SELECT count(*) FROM outbox WHERE state = 'pending'")[0][0]) == 0, 20)
        # Resets, codes at sign-up, and the slow lane; notices of a change come on top.
        mails = sum(1 for mail in site.mailbox.mails[VICTIM][before:] if mail.code)
        quarters = 1 + int((time.monotonic() - first) // INTERVAL)
        result.note(f"codes mailed, {name}", mails)
        result.expect(0 < mails <= quarters * (2 * MAILS + SLOW_LANE), f"{name}: {mails} codes in {quarters} quarters of an hour")
        expect_sober(statuses, result)
        site.stop(result)
    return result

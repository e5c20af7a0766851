"""The master key, rotated while two nodes work."""

import base64
import json
import os
import subprocess
import time

from backups import command
from nodes import HAProxy
from world import Broken, Load, Person, Refused, Result, Server, Site, ask, audit, count


def subject(tokens):
    return json.loads(base64.urlsafe_b64decode(tokens["id_token"].split(".")[1] + "=="))["sub"]


def head(site):
    """The end of the audit chain in the output of `audit verify`."""
    place = ["--database", site.database, "--master-key-file", site.key, "--data", site.folder / "data"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
    output = subprocess.run([site.binary, "audit", "verify", *place], env=environment, check=True, capture_output=True, text=True)
    return output.stdout.split()[2]


def master_key(options, number, rng):
    """`number` rotations under load behind a proxy: two keys open the database, both nodes restart, the old key is removed."""
    result = Result()
    site = Site(options, "postgres", 2, arguments=["--drain", "3"])
    proxy = HAProxy(site)
    answers = []

    def watch(answer, error, begin):
        answers.append((begin, answer.status if answer else 0, error))

    holder = Person(site)
    held = holder.tokens(holder.sign_up("holder@example.com"), "holder@example.com")
    sub = subject(held)
    time.sleep(1.5)
    noted = head(site)
    load = Load(site, 6, rng.randrange(1 << 30), watch=watch, ports=[proxy.port])
    for index in range(number):
        old, new = site.key, site.folder / f"master{index}.key"
        new.write_bytes(os.urandom(32))
        new.chmod(0o600)
        # Flows that begin under the old keys and end under the new ones.
        flow = Person(site)
        token, code = flow.begin(f"flow{index}@example.com")
        begin = time.monotonic()
        command(site, "key", "master", "rotate", "--new-master-key-file", new)
        result.note("s to rotate", time.monotonic() - begin)
        # Both nodes switch to the new data key, not at the same moment.
        time.sleep(4)
        # A node that restarts with the old key, before any server has the new one, still starts.
        site.nodes[0].stop()
        site.nodes[0].start()
        proxy.await_node(site.nodes[0])
        site.key = new
        for node in site.nodes:
            code_of_exit = node.stop()
            result.expect(code_of_exit == 0, f"a node ended with {code_of_exit}")
            node.start()
            proxy.await_node(node)
            time.sleep(rng.random())
            result.count("restarts")
        command(site, "key", "master", "remove-old")
        try:
            flow.finish(token, code)
        except Refused as refusal:
            result.expect(False, f"a flow that was open during the rotation was refused: {refusal}")
        held = holder.refresh(held["refresh_token"])
        result.expect(subject(held) == sub, "a person has another sub after the rotation")
        generations = count(site.store, "SELECT count(*) FROM data_keys")
        result.expect(generations == index + 2, f"{generations} data keys after {index + 1} rotations")
        stale = count(
            site.store, "SELECT count(*) FROM signing_keys WHERE substr(sealed_private_key, 1, 4) ="
            " (SELECT substr(sealed_private_key, 1, 4) FROM signing_keys LIMIT 1)")
        result.expect(stale == count(site.store, "SELECT count(*) FROM signing_keys"), "signing keys are under several data keys")
        site.key = old
        try:
            Server(site, f"-stranger{index}").stop()
            result.expect(False, "a node started with the removed master key")
        except Broken as broken:
            result.expect("another master key" in str(broken), f"a node with the removed master key said: {broken}")
        site.key = new
        result.count("rotations")
    load.stop()
    proxy.stop()
    time.sleep(1.5)
    command(site, "audit", "verify", "--noted", noted)
    for kind in ("key.rotated", "key.revoked"):
        events = count(site.store, f"SELECT count(*) FROM audit WHERE kind = '{kind}'")
        result.expect(events == number, f"{events} events {kind} for {number} rotations")
    bad = [answer for answer in answers if answer[1] not in (200, 400, 429)]
    result.count("requests", len(answers))
    result.count("failed requests", len(bad))
    kinds = sorted({f"{answer[1] or answer[2]}" for answer in bad})
    result.expect(not bad, f"{len(bad)} of {len(answers)} requests failed: {kinds[:5]} (SEC-SEC-1)")
    result.counts.update(load.done)
    result.expect(ask(site.nodes[0].port, "GET", "/readyz").status == 200, "a node is not ready at the end")
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    return result

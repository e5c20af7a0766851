"""Tenants' configuration that is applied while servers run."""

import time
import urllib.parse

from backups import command
from world import Result, Site, ask, count

DOCUMENT = """
tenants:
  - id: 0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10
    subdomain: harbour{number}
    domain: harbour.example.com
    displayName: Harbour
    applications:
      - clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7
        displayName: Harbour app
        signIn: emailOneTimePasscode
"""


def knows(node, subdomain):
    answer = ask(node.port, "GET", f"/{urllib.parse.quote(subdomain)}/v2.0/.well-known/openid-configuration")
    return answer.status == 200


def tenants(options, number, rng):
    """`number` documents applied one after another to two nodes, and one that no node can parse."""
    result = Result()
    site = Site(options, "postgres", 2)
    file = site.folder / "tenants.yaml"
    for index in range(number):
        file.write_text(DOCUMENT.format(number=index))
        command(site, "tenant", "apply", file, "--yes")
        begin = time.monotonic()
        while time.monotonic() < begin + 30 and not all(knows(node, f"harbour{index}") for node in site.nodes):
            time.sleep(0.05)
        seconds = time.monotonic() - begin
        result.note("s until in force on both nodes", seconds)
        result.expect(seconds < 5, f"in force after {seconds:.1f} s")
        result.expect(not any(knows(node, f"harbour{index - 1}") for node in site.nodes), "the document before is in force, too")
    # As a newer version of the program could leave it.
    count(site.store, "INSERT INTO tenant_documents VALUES (1000000, 'tenants: 7', 0) RETURNING 1")
    time.sleep(5)
    kept = sum(knows(node, f"harbour{number - 1}") for node in site.nodes)
    result.expect(kept == 2, f"{kept} of 2 nodes kept what they had beside a document that none understands")
    events = count(site.store, "SELECT count(*) FROM audit WHERE kind = 'config.changed'")
    result.expect(events >= number, f"{events} events for {number} documents")
    result.count("documents applied", number)
    site.stop(result)
    return result

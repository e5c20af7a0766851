"""Nodes are replaced by those of another image, one after another, while users sign up."""

import os
import shutil
import time

import images
from nodes import HAProxy, expect_no_failure
from world import Load, Result, Server, Site, audit

USER = 65532


class Node(Server):
    """A server in a container, which another image's can replace."""

    def __init__(self, site, number, version, *arguments):
        self.version = version
        self.container = self.unpack(site, version)
        super().__init__(site, number, *arguments)

    @staticmethod
    def unpack(site, version):
        return images.Container(site.images, version, [(site.key, "/run/master.key:ro")])

    def command(self):
        return self.container.command(
            "serve", "--port", self.port, "--database", self.site.database, "--master-key-file", "/run/master.key", "--base-url",
            "http://native-auth.test", "--smtp", self.site.smtp, "--log-level", "critical", *self.arguments)

    def stop(self):
        return images.stop(self.process, 40)

    def kill(self):
        images.kill(self.process)

    def replace(self, version):
        """The server of another image at the same port; returns the exit code of the one before."""
        # Unpacked before the old one ends, as an engine does.
        new = self.unpack(self.site, version)
        code = self.stop()
        old, self.container, self.version = self.container, new, version
        self.start()
        old.remove()
        return code


def upgrades(options, number, rng):
    """Each upgrade exchanges one of two nodes; the proxy learns from /readyz alone. UPGRADE_FROM names an older program; without it
    both images have the same one."""
    result = Result()
    site = Site(options, "postgres", 0)
    os.chown(site.key, USER, USER)
    site.images = images.Images(site.folder / "images")
    old = images.make(os.environ.get("UPGRADE_FROM", options.binary), site.folder / "old.oci.tar")
    label = "org.opencontainers.image.version=" + old["name"].split(":")[1] + "-next"
    new = images.make(options.binary, site.folder / "new.oci.tar", "--label", label)
    result.expect(old["digest"] != new["digest"], "both images are the same")
    versions = [site.images.load(site.folder / f"{name}.oci.tar") for name in ("old", "new")]
    result.note("MB of the image, compressed", round(int(new["compressed"].split()[0]) / 1e6, 1))
    site.nodes = [Node(site, index, versions[0], "--drain", "3") for index in range(2)]
    proxy = HAProxy(site)
    answers = []

    def watch(answer, error, begin):
        answers.append((begin, answer.status if answer else 0, error))

    load = Load(site, 6, rng.randrange(1 << 30), watch=watch, ports=[proxy.port])
    time.sleep(1)
    for index in range(number):
        node = site.nodes[index % 2]
        before = len(load.accounts)
        begin = time.monotonic()
        code = node.replace(versions[1] if node.version == versions[0] else versions[0])
        proxy.await_node(node)
        result.note("s for an upgrade", time.monotonic() - begin)
        result.expect(code == 0, f"a node ended with {code}")
        result.expect(len(load.accounts) > before, "no user signed up during an upgrade")
        time.sleep(rng.random())
        result.count("upgrades")
    load.stop()
    proxy.stop()
    expect_no_failure(answers, result)
    result.counts.update(load.done)
    audit(site, load.accounts, load.failures, result, rng=rng)
    site.stop(result)
    shutil.rmtree(site.folder, ignore_errors=True)
    return result

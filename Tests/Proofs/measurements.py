"""Measurements of the built server, and of the SDK with it: figures for the documentation, without a verdict."""

import argparse
import atexit
import http.client
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import steps

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STATE = ROOT / ".build/prove"
# The programs of Tools, and the tests that run them, are in the manifest only then. The second as in scripts/test, which says why.
WITH_TOOLS = os.environ | {"SWIFT_NATIVE_AUTH_TOOLS": "1", "SWIFT_DETERMINISTIC_HASHING": "1"}


class Server:
    """The release build, on a new data folder unless one is given, which is kept when the server ends."""

    def __init__(self, binary, *arguments, data=None):
        self.folder = tempfile.mkdtemp()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NATIVE_AUTH_")}
        self.begin = time.perf_counter()
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", data or self.folder + "/data", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        # In every case, no server outlives this program.
        atexit.register(self.process.kill)
        atexit.register(shutil.rmtree, self.folder, True)
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.milliseconds_to_ready = (time.perf_counter() - self.begin) * 1000
                self.address = urllib.parse.urlparse(line.split()[1]).netloc
                return
        sys.exit("scripts/prove: the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def milliseconds_to_answer(self, path):
        """The time from the start to the answer of this request, if it is the first one."""
        connection = http.client.HTTPConnection(self.address)
        connection.request("GET", path)
        connection.getresponse().read()
        connection.close()
        return (time.perf_counter() - self.begin) * 1000

    def mebibytes(self, what="VmRSS"):
        """Resident memory; on Linux also the part with the name `what`, such as RssAnon."""
        if platform.system() == "Linux":
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(rf"{what}:\s+(\d+) kB", status)[1]) / 1024
        return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.process.pid)])) / 1024

    def sign_up(self, email, client, password=None):
        connection = http.client.HTTPConnection(self.address)

        def post(step, fields):
            form = urllib.parse.urlencode({"client_id": client} | fields)
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            connection.request("POST", f"/contoso/signup/v1.0/{step}", form, headers)
            response = connection.getresponse()
            body = json.loads(response.read())
            if response.status != 200:
                sys.exit(f"scripts/prove: {step} answered {body}")
            return body["continuation_token"]

        kinds = "oob password redirect" if password else "oob redirect"
        start = {"username": email, "challenge_type": kinds} | ({"password": password} if password else {})
        token = post("start", start)
        token = post("challenge", {"continuation_token": token, "challenge_type": kinds})
        mails = []
        while not mails:
            connection.request("GET", f"/dev/inbox.json?to={urllib.parse.quote(email)}")
            mails = json.loads(connection.getresponse().read())
        post("continue", {"continuation_token": token, "grant_type": "oob", "oob": mails[0]["code"]})
        connection.close()


def me(arguments):
    """`GET me` beside userinfo: a user with 10 attributes and 20 sessions, the two in turn over one connection."""
    parser = argparse.ArgumentParser(prog="scripts/prove me")
    parser.add_argument("--rounds", type=int, default=10, help="of 1,000 requests of each kind")
    parser.add_argument("--binary", help="a server that is built already")
    options = parser.parse_args(arguments)
    server = Server(options.binary or release_build(), *steps.SETTINGS)
    app = steps.App(server.address, lambda *_: None)
    address, last = "member@example.com", {}
    for journey in [app.sign_up(address)] + [app.sign_in(address) for _ in range(20)]:
        for last in journey:
            pass
    connection = http.client.HTTPConnection(server.address)

    def request(method, path, token, body=None):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
        if response.status not in (200, 204):
            sys.exit(f"scripts/prove: {path} answered {response.status}: {content[:200]}")

    def refreshed(scope):
        fields = {"grant_type": "refresh_token", "refresh_token": last["refresh_token"], "scope": scope}
        return app.step("refresh", "oauth2/v2.0/token", steps.CODE_APP, fields)

    own, last = last["access_token"], refreshed("openid offline_access User.ReadWrite")
    token = last["access_token"]
    names = ["city", "country", "displayName", "givenName", "jobTitle", "postalCode", "state", "streetAddress", "surname"]
    request("PATCH", "/graph/v1.0/me", token, json.dumps({name: f"value of {name}" for name in names} | {"preferredLanguage": "en"}))
    kinds = {"userinfo": ("/contoso/oidc/userinfo", own), "GET me": ("/graph/v1.0/me", token)}

    def processor():
        fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    times, costs = {kind: [] for kind in kinds}, {kind: [] for kind in kinds}
    for number in range(options.rounds):
        for kind in list(kinds)[:: 1 if number % 2 else -1]:
            before = processor()
            for _ in range(1_000):
                begin = time.perf_counter()
                request("GET", *kinds[kind])
                times[kind].append(time.perf_counter() - begin)
            costs[kind].append(processor() - before)
    for kind in kinds:
        print(f"{kind:10}{statistics.median(times[kind]) * 1e6:8.0f} µs{statistics.median(costs[kind]) * 1000:8.0f} µs of processor")
    ratio = statistics.median(costs["GET me"]) / statistics.median(costs["userinfo"])
    print(f"GET me ÷ userinfo: {ratio:.2f} of processor; aim: at most 1.3")
    server.stop()
    return 0


def graph_sdk(arguments):
    """Runs graph_sdk.py where the vendor's SDK is."""
    subprocess.run([ROOT / "scripts/setup", "graph-sdk"], check=True)
    if "--binary" not in arguments:
        arguments = ["--binary", release_build(), *arguments]
    python = ROOT / ".build/graph-sdk/bin/python"
    return subprocess.run([python, ROOT / "Tests/Proofs/graph_sdk.py", *arguments]).returncode


def tenant():
    subprocess.run([ROOT / "scripts/setup", "tests"], check=True)
    for configuration in ("debug", "release"):
        build = ["swift", "build", "-c", configuration, "--traits", "Testing", "--product", "TenantMeasure"]
        # Separate from the build of the tests, which has other traits.
        build += ["--scratch-path", STATE / "tenant"]
        subprocess.run([*build, "--quiet"], cwd=ROOT, env=WITH_TOOLS, check=True)
        folder = subprocess.check_output([*build, "--show-bin-path"], cwd=ROOT, env=WITH_TOOLS, text=True).strip()
        print(f"{configuration}:", flush=True)
        subprocess.run([folder + "/TenantMeasure"], check=True)
    return 0


def sdk(arguments):
    """The SDK's processor time in an app, compared with the same requests by a plain URLSession."""
    parser = argparse.ArgumentParser(prog="scripts/prove sdk")
    parser.add_argument("--flows", type=int, default=100, help="sign-ups of one block")
    parser.add_argument("--blocks", type=int, default=5, help="blocks of each")
    parser.add_argument("--binary", help="a server that is built already")
    options = parser.parse_args(arguments)
    binary = options.binary or release_build()
    # Only the SDK and its dependencies, separate from the build of the tests, which has other traits.
    build = ["swift", "build", "-c", "release", "--product", "SDKMeasure", "--scratch-path", STATE / "sdk"]
    subprocess.run([*build, "--quiet"], cwd=ROOT, env=WITH_TOOLS, check=True)
    folder = subprocess.check_output([*build, "--show-bin-path"], cwd=ROOT, env=WITH_TOOLS, text=True).strip()
    server = Server(binary, *steps.SETTINGS)
    tool = [folder + "/SDKMeasure", f"http://{server.address}", steps.CODE, str(options.flows), str(options.blocks)]
    code = subprocess.run(tool).returncode
    server.stop()
    return code


def release_build(product="native-auth"):
    """The release build of the server, or of another program; returns its path."""
    subprocess.run([ROOT / "scripts/setup"], check=True)
    build = ["swift", "build", "-c", "release", "--traits", "Server", "--product", product]
    # One file without the toolchain's libraries, as a server gets it. It also starts in half the time.
    if platform.system() == "Linux":
        build.append("--static-swift-stdlib")
    subprocess.run(build, cwd=ROOT, env=WITH_TOOLS, check=True)
    folder = subprocess.check_output([*build, "--show-bin-path"], cwd=ROOT, env=WITH_TOOLS, text=True).strip()
    return f"{folder}/{product}"


def measure():
    binary = release_build()
    starts = []
    for _ in range(10):
        server = Server(binary)
        starts.append(server.milliseconds_to_ready)
        server.stop()
    print(
        f"start to ready, new data folder: median {statistics.median(starts):.0f} ms of {len(starts)},"
        f" {min(starts):.0f} to {max(starts):.0f} ms"
    )
    server = Server(binary)
    print(f"resident memory when ready: {server.mebibytes():.1f} MiB")
    for number in range(50):
        server.sign_up(f"code{number}@example.com", "00001111-aaaa-2222-bbbb-3333cccc4444")
    print(f"after 50 sign-ups with a code: {server.mebibytes():.1f} MiB")
    for number in range(50):
        server.sign_up(
            f"password{number}@example.com", "11112222-bbbb-3333-cccc-4444dddd5555", "Tulip-Harbour-42"
        )
    print(f"after 50 more with a password: {server.mebibytes():.1f} MiB")
    size = os.path.getsize(binary) / 1024 / 1024
    print(f"size of the binary: {size:.0f} MiB")
    server.stop()
    return 0

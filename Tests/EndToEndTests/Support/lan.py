"""A server on a local network, in a network namespace of its own on Linux: lan.py PROGRAM FOLDER.

Starts PROGRAM serve --lan twice with one data folder, and prints a line of JSON with what other programs see of it: openssl, curl, and the SDK
in PROGRAM's doctor.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

ADDRESS, PORT = "192.168.77.5", 9443
BASE = f"https://{ADDRESS}:{PORT}"

if os.environ.get("LAN_NAMESPACE") is None:
    command = ["unshare", "--map-root-user", "--net", "--mount", sys.executable, *sys.argv]
    sys.exit(subprocess.run(command, env={**os.environ, "LAN_NAMESPACE": "1"}, stdin=subprocess.DEVNULL).returncode)

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
facts = {}


def run(*command, **environment):
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)
    return done.returncode, done.stdout, done.stderr


def start(*options):
    output = open(folder / "output", "w+")
    process = subprocess.Popen(
        [program, "serve", "--lan", "--port", str(PORT), "--data", str(folder / "data"), *options],
        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        text = (folder / "output").read_text()
        if f"ready {BASE}" in text:
            return process, text
        time.sleep(0.05)
    process.kill()
    sys.exit("the server is not ready")


def status(path, *options, trusted=True):
    trust = ["--cacert", str(folder / "data/lan.pem")] if trusted else []
    return run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *trust, *options, path if "://" in path else BASE + path)[1]


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
facts["without an address"] = run(program, "serve", "--lan", "--data", str(folder / "none"))
subprocess.run(["ip", "address", "add", f"{ADDRESS}/24", "dev", "lo"], check=True)

server, text = start()
emulator = re.search(r"NATIVE_AUTH_EMULATOR=(\S+)", text).group(1)
code = re.search(r"code ([0-9]{4} [0-9]{4})", text).group(1)
shown = re.search(r"SHA-256\)\s+([0-9A-F:]{47})\s+([0-9A-F:]{47})", text)
certificate = str(folder / "data/lan.pem")
digest = run("openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha256")[1].strip().split("=")[1]
names = run("openssl", "x509", "-in", certificate, "-noout", "-ext", "subjectAltName,basicConstraints")[1]
facts["emulator"] = emulator == f"{BASE}#sha256:{digest.replace(':', '').lower()}"
facts["shown"] = f"{shown.group(1)}:{shown.group(2)}" == digest
facts["names"] = f"IP Address:{ADDRESS}" in names and "CA:FALSE" in names
facts["key"] = oct((folder / "data/lan.key").stat().st_mode & 0o777)
facts["paths"] = {path: status(path) for path in ["/", "/dev/inbox", "/dev/mails", "/dev/provider", "/console", "/graph/v1.0/users"]}
facts["untrusted"] = status("/", trusted=False)
facts["plain"] = status(f"http://{ADDRESS}:{PORT}/")
facts["console"] = status(f"http://127.0.0.1:{PORT + 1}/console")
facts["console from the network"] = status(f"http://{ADDRESS}:{PORT + 1}/console")
facts["other name"] = status("/dev/inbox", "-H", "Host: evil.example")
jar = str(folder / "jar")
facts["code"] = status("/dev/inbox", "-c", jar, "-d", f"code={code}")
facts["opened"] = status("/dev/inbox.json", "-b", jar)
doctor = [program, "doctor", "app", "--client-id", "00001111-aaaa-2222-bbbb-3333cccc4444", "--tenant", "contoso", "--json"]
facts["sdk without trust"] = run(*doctor, NATIVE_AUTH_EMULATOR=emulator)[1]
# As an administrator of the machine adds a certificate, for this namespace alone.
store = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
(folder / "store").write_bytes(store.read_bytes() + pathlib.Path(certificate).read_bytes())
subprocess.run(["mount", "--bind", folder / "store", store], check=True)
facts["sdk"] = run(*doctor, NATIVE_AUTH_EMULATOR=emulator)[0]
server.terminate()
server.wait(30)

server, text = start("--host", ADDRESS)
facts["kept"] = emulator in text
facts["new code"] = code not in text
server.terminate()
server.wait(30)
subprocess.run(["ip", "address", "add", "10.1.2.3/8", "dev", "lo"], check=True)
BASE = f"https://10.1.2.3:{PORT}"
server, text = start("--host", "10.1.2.3")
facts["other address"] = emulator.split("#")[1] not in text and status("/") == "200"
server.terminate()
server.wait(30)
print(json.dumps(facts))

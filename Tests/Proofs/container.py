"""The image of the server and the manifests of packaging/container.

The manifests: against the schema of the Compose specification and those of Kubernetes, which PyPI has (`scripts/setup container`), and
against rules of ours. Then their settings in use: the image is made, and run as the user of the image with a root that cannot be written
to, by the environment of each manifest. Only addresses are exchanged: there is no cluster here, and no container engine."""

import argparse
import http.client
import json
import os
import pathlib
import shutil
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings

import kubernetes_validate
import yaml
from aiosmtpd.controller import Controller

import images
import world

FOLDER = world.ROOT / "packaging/container"
KUBERNETES = [f"1.{minor}" for minor in range(30, 38)]
LARGEST = 60_000_000
USER = 65532
APP = "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7"
# What makes a pod fit the level "restricted" of Kubernetes.
RESTRICTED = {
    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
}
# A node answers for so long after NATIVE_AUTH_DRAIN, docs/operate/production.md.
END_OF_REQUESTS = 25


class Check:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def expect(self, holds, fault):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"fault: {fault}", flush=True)
        return holds

    def equal(self, value, wanted, what):
        return self.expect(value == wanted, f"{what} is {value!r}, not {wanted!r}")


# Manifests


def check_compose(check, file):
    tool = pathlib.Path(sys.prefix) / "bin/check-jsonschema"
    run = subprocess.run([tool, "--builtin-schema", "vendor.compose-spec", file], capture_output=True, text=True)
    check.expect(run.returncode == 0, f"{file.name}: {run.stdout.strip()[-1500:]}")
    document = yaml.safe_load(file.read_text())
    services = document["services"]
    for name, service in services.items():
        where = f"{file.name}: {name}"
        check.equal(service.get("read_only"), True, f"{where}: read_only")
        check.equal(service.get("cap_drop"), ["ALL"], f"{where}: cap_drop")
        check.equal(service.get("security_opt"), ["no-new-privileges:true"], f"{where}: security_opt")
        check.expect("privileged" not in service, f"{where}: privileged")
        for kind in ("secrets", "configs"):
            names = {entry["source"] for entry in service.get(kind, [])}
            check.expect(names <= document[kind].keys(), f"{where}: {kind} {names - document[kind].keys()} are not defined")
    check.expect(all(set(secret) == {"file"} for secret in document["secrets"].values()), f"{file.name}: a secret is not a file")
    nodes = {name: service for name, service in services.items() if name.startswith("node")}
    check.equal(len(nodes), 2, f"{file.name}: the number of nodes")
    proxy = services["proxy"]
    addresses = {service["networks"]["front"]["ipv4_address"] for service in nodes.values()}
    for names in (("NODE1", "NODE2"), ("OPERATORS1", "OPERATORS2")):
        named = {proxy["environment"][name].split(":")[0] for name in names}
        check.equal(named, addresses, f"{file.name}: the nodes of the proxy")
    check.expect("127.0.0.1:9766:9766" in proxy["ports"], f"{file.name}: operators come from elsewhere than this machine")
    for name, node in nodes.items():
        check.equal(node["user"], f"{USER}:{USER}", f"{file.name}: {name}: user")
        check.equal(node["healthcheck"]["test"], ["CMD", "native-auth", "probe"], f"{file.name}: {name}: the health check")
        check.expect("ports" not in node, f"{file.name}: {name} publishes a port, past the proxy")
        trusted = node["environment"]["NATIVE_AUTH_TRUSTED_PROXIES"]
        check.equal(trusted, proxy["networks"]["front"]["ipv4_address"], f"{file.name}: {name}: the trusted proxy")
        grace = int(node["stop_grace_period"].removesuffix("s"))
        check.expect(grace >= 3 + END_OF_REQUESTS, f"{file.name}: {name}: stop_grace_period of {grace} s is too short")
    check.expect(document["networks"]["back"]["internal"], f"{file.name}: the network of the database is open")
    check.expect("ports" not in services["database"], f"{file.name}: the database publishes a port")
    return nodes, proxy


def make_certificate(folder):
    """A certificate for localhost that signed itself; returns the files of chain and key."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    chain, key = folder / "chain.pem", folder / "key.pem"
    subprocess.run([*command, "-keyout", key, "-out", chain], check=True, capture_output=True)
    return chain, key


def check_haproxy(check, environment, folder, chain, key):
    """The files of the proxy with the addresses of the compose file, and the first alone with its own."""
    pem = folder / "native-auth.pem"
    pem.write_bytes(chain.read_bytes() + key.read_bytes())
    files = []
    for source in (world.ROOT / "packaging/haproxy.cfg", FOLDER / "operators.cfg"):
        file = folder / source.name
        file.write_text(source.read_text().replace("/etc/haproxy/native-auth.pem", str(pem)))
        files += ["-f", file]
    for variables, named in (({}, files[:2]), (environment, files)):
        run = subprocess.run(["haproxy", "-c", *named], env=os.environ | variables, capture_output=True, text=True)
        check.expect(run.returncode == 0, f"haproxy.cfg with {variables}: {run.stderr[-500:]}")


def check_kubernetes(check, file):
    documents = list(yaml.safe_load_all(file.read_text()))
    for version in KUBERNETES:
        for document in documents:
            try:
                kubernetes_validate.validate(document, version, strict=True)
                check.expect(True, "")
            except kubernetes_validate.ValidationError as error:
                place = "/".join(map(str, error.path))
                check.expect(False, f"{file.name}: {document['kind']} for Kubernetes {version}: {place}: {error.message[:300]}")
            except kubernetes_validate.SchemaNotFoundError:
                kind = f"{document['kind']} of {document['apiVersion']}"
                check.expect(False, f"{file.name}: Kubernetes {version} has no {kind}")
    kinds = {document["kind"]: document for document in documents}
    check.equal(len(kinds), len(documents), f"{file.name}: the number of kinds")
    check.expect("Secret" not in kinds, f"{file.name}: there is a secret in the file")
    deployment, budget = kinds["Deployment"]["spec"], kinds["PodDisruptionBudget"]["spec"]
    pod = deployment["template"]["spec"]
    container, = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    selectors = [
        deployment["selector"]["matchLabels"], budget["selector"]["matchLabels"], kinds["Service"]["spec"]["selector"],
        kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"], pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    ]
    check.expect(all(selector.items() <= labels.items() for selector in selectors), f"{file.name}: a selector does not fit the pods")
    check.equal(kinds["Namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted", "the level of the namespace")
    for document in documents:
        namespace = document["metadata"].get("namespace", kinds["Namespace"]["metadata"]["name"])
        check.equal(namespace, kinds["Namespace"]["metadata"]["name"], f"{file.name}: {document['kind']}: namespace")
    check.equal(deployment["replicas"], 2, "replicas")
    check.equal(deployment["strategy"]["rollingUpdate"], {"maxUnavailable": 0, "maxSurge": 1}, "the rolling update")
    check.equal(budget["minAvailable"], 1, "minAvailable")
    check.equal(pod["enableServiceLinks"], False, "enableServiceLinks")
    check.equal(pod["automountServiceAccountToken"], False, "automountServiceAccountToken")
    check.equal(
        pod["securityContext"],
        {"runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER, "seccompProfile": {"type": "RuntimeDefault"}}, "the pod's rights")
    check.equal(container["securityContext"], RESTRICTED, "the container's rights")
    check.expect("hostNetwork" not in pod and "hostPID" not in pod, f"{file.name}: the pod is in the machine's namespaces")
    plain = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    secret = {variable["name"]: variable["valueFrom"]["secretKeyRef"] for variable in container["env"] if "valueFrom" in variable}
    check.equal(set(secret), {"NATIVE_AUTH_DATABASE", "NATIVE_AUTH_SMTP"}, "what comes from the secret")
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    check.equal(plain["NATIVE_AUTH_MASTER_KEY_FILE"], f"{mounts['master-key']}/master.key", "the file of the master key")
    check.expect("NATIVE_AUTH_OPERATORS_HOST" not in plain, f"{file.name}: the operators' listener is not on the pod's loopback alone")
    check.expect("9766" not in str(kinds["Service"]), f"{file.name}: a service leads to the operators' listener")
    drain = int(plain["NATIVE_AUTH_DRAIN"])
    grace = pod["terminationGracePeriodSeconds"]
    check.expect(grace >= drain + END_OF_REQUESTS + 5, f"{file.name}: terminationGracePeriodSeconds of {grace} is too short")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    check.equal(ports, {"http": 8765, "operations": int(plain["NATIVE_AUTH_METRICS_PORT"])}, "the ports")
    probes = {name: container[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}
    check.equal(probes["readinessProbe"]["path"], "/readyz", "the path of readiness")
    # What asks for the database would restart nodes that only wait for it.
    check.equal(probes["livenessProbe"]["path"], "/livez", "the path of liveness")
    check.equal(probes["startupProbe"]["path"], "/livez", "the path of the start")
    check.expect({probe["port"] for probe in probes.values()} == {"operations"}, "a probe asks another port")
    noticed = container["readinessProbe"]["periodSeconds"] * container["readinessProbe"]["failureThreshold"]
    check.expect(noticed < drain, f"{file.name}: readiness is lost after {noticed} s, and a node that stops answers for {drain} s only")
    tenants = kinds["ConfigMap"]["data"]["tenants.yaml"]
    return plain, tenants, probes


# Image


def check_image(check, options, folder):
    """Makes the image twice; returns the archive."""
    file, other = folder / "image.oci.tar", folder / "other.oci.tar"
    begin = time.monotonic()
    made = images.make(options.binary, file)
    print(f"  {made['name']}, {made['digest']}, {made['compressed']}, made in {time.monotonic() - begin:.1f} s", flush=True)
    again = images.make(options.binary, other)
    check.equal(again["digest"], made["digest"], "the digest of the second image")
    check.expect(file.read_bytes() == other.read_bytes(), "two images of one program differ")
    other.unlink()
    linked = subprocess.run(["ldd", options.binary], capture_output=True, text=True).stdout
    if "libswiftCore" in linked:
        print("  a debug build: its size is not judged", flush=True)
    else:
        size = int(made["compressed"].split()[0])
        check.expect(size < LARGEST, f"the image has {size / 1e6:.1f} MB compressed, not less than {LARGEST / 1e6:.0f}")
    return file


def check_content(check, settings, root):
    check.equal(settings["User"], f"{USER}:{USER}", "the image's user")
    check.equal(settings["Entrypoint"], [images.PROGRAM], "the entry point")
    check.equal(settings["Cmd"], ["serve"], "the command")
    check.equal(list(settings["Volumes"]), ["/var/lib/native-auth"], "the volumes")
    check.equal(list(settings["ExposedPorts"]), ["8765/tcp"], "the ports")
    labels = settings["Labels"]
    check.equal(labels["org.opencontainers.image.title"], "native-auth", "the title")
    check.equal(labels["org.opencontainers.image.licenses"], "Apache-2.0", "the licence")
    check.expect(all(name.startswith("org.opencontainers.image.") for name in labels), f"labels {sorted(labels)}")
    programs, exposed, unlicensed = [], [], []
    for path in sorted(root.rglob("*")):
        facts = path.lstat()
        name = "/" + path.relative_to(root).as_posix()
        if stat.S_ISLNK(facts.st_mode):
            continue
        if facts.st_mode & (stat.S_ISUID | stat.S_ISGID | 0o022) or facts.st_uid != 0:
            exposed.append(name)
        if stat.S_ISREG(facts.st_mode) and facts.st_mode & 0o111 and ".so" not in name:
            programs.append(name)
    check.equal(programs, [images.PROGRAM], "the programs in the image")
    check.equal(exposed, ["/var/lib/native-auth"], "what is not root's alone to change")
    home = (root / "var/lib/native-auth").stat()
    check.equal((home.st_uid, home.st_gid, stat.S_IMODE(home.st_mode)), (USER, USER, 0o700), "owner and mode of the volume")
    packages = {path.name for path in (root / "var/lib/dpkg/status.d").iterdir()}
    unlicensed = sorted(name for name in packages if not (root / "usr/share/doc" / name / "copyright").exists())
    check.equal(unlicensed, [], "packages without their licence")
    check.expect({"libc6", "libcurl4", "libpq5", "libsodium23"} <= packages, f"packages {sorted(packages)}")


# In use


class Node:
    """A server in a container."""

    def __init__(self, container, folder, environment, port, *arguments):
        self.port, self.log = port, folder / f"log{port}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                container.command(*arguments, environment=environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_ready(self):
        try:
            return world.ask(self.port, "GET", "/readyz", timeout=2).status == 200
        except (OSError, http.client.HTTPException):
            return False

    def await_ready(self, check, what):
        world.wait_until(lambda: self.is_ready() or self.process.poll() is not None, 20)
        return check.expect(self.is_ready(), f"{what} is not ready, exit code {self.process.poll()}: {self.words()}")

    def words(self):
        return self.log.read_text(errors="replace").strip()[-1500:]

    def stop(self, check, what):
        if self.process.poll() is None:
            check.equal(images.stop(self.process), 0, f"{what}: the exit code after SIGTERM")


class Visitor(world.Person):
    """Comes through a proxy that does TLS."""

    headers = {"Host": "login.example.com", "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}

    def post(self, path, fields):
        form = {"client_id": self.client} | fields
        return world.ask(self.random.choice(self.ports), "POST", f"/harbour/{path}", form, headers=self.headers)


class SecureMailbox(world.Mailbox):
    """Speaks TLS from the first byte."""

    def __init__(self, chain, key):
        super().__init__()
        self.controller.stop()
        # The controller connects to itself with the same context, which must do for a client, too.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS)
        context.load_cert_chain(chain, key)
        self.controller = Controller(self, hostname="127.0.0.1", port=world.free_port(), ssl_context=context)
        self.controller.start()

    @property
    def url(self):
        return f"smtps://localhost:{self.controller.port}"


def database(folder, chain, key):
    """A PostgreSQL server that speaks TLS."""
    copy = folder / "postgres.pem"
    shutil.copyfile(key, copy)
    shutil.chown(copy, "postgres")
    copy.chmod(0o600)
    return world.Postgres("ssl=on", f"ssl_cert_file={chain}", f"ssl_key_file={copy}")


def people(mailbox, port):
    return types.SimpleNamespace(mailbox=mailbox, nodes=[types.SimpleNamespace(port=port)])


def owned_folder(folder):
    folder.mkdir()
    os.chown(folder, USER, USER)
    folder.chmod(0o700)
    return folder


def owned_file(file, content):
    file.write_bytes(content)
    os.chown(file, USER, USER)
    file.chmod(0o600)
    return file


def check_rights(check, node, what):
    """The rights that the process has, as the kernel tells them."""
    number = images.program_below(node.process)
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{number}/status").read_text().splitlines() if ":\t" in line)
    check.equal(status["Uid"].split(), [str(USER)] * 4, f"{what}: the user of the process")
    check.equal(status["Gid"].split(), [str(USER)] * 4, f"{what}: the group of the process")
    check.equal(int(status["CapEff"], 16), 0, f"{what}: the capabilities of the process")
    mounts = [line.split() for line in pathlib.Path(f"/proc/{number}/mountinfo").read_text().splitlines()]
    root, = [mount[5] for mount in mounts if mount[4] == "/"]
    check.expect("ro" in root.split(","), f"{what}: the root is mounted {root}")


def check_alone(check, loaded, folder, mailbox):
    """The image as it is, in the development profile with its volume, twice."""
    data = owned_folder(folder / "volume")
    container = images.Container(*loaded, [(data, "/var/lib/native-auth")])
    person = None
    for start in ("first", "second"):
        port = world.free_port()
        what = f"the {start} start on a volume"
        node = Node(container, folder, {"NATIVE_AUTH_PORT": port, "NATIVE_AUTH_SMTP": mailbox.url}, port)
        try:
            if not node.await_ready(check, what):
                return
            check_rights(check, node, what)
            if person is None:
                person = world.Person(people(mailbox, port), world.PASSWORD_APP, ports=[port])
                person.sign_up("dana@example.com", "Tulip-Harbour-42")
            person.ports = [port]
            check.expect(person.can_sign_in("dana@example.com", "Tulip-Harbour-42"), f"{what}: the account cannot sign in")
            node.stop(check, what)
        finally:
            images.kill(node.process)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()}
    check.expect({"identity.sqlite", "master.key"} <= modes.keys(), f"the volume has {sorted(modes)}")
    check.equal(modes.get("master.key"), 0o600, "the mode of the master key")


def sign_up(check, mailbox, ports, address, what):
    try:
        person = Visitor(people(mailbox, ports[0]), APP, ports=ports)
        tokens = person.tokens(person.sign_up(address), address)
        check.expect("id_token" in tokens, f"{what}: no ID token")
    except world.Refused as refusal:
        check.expect(False, f"{what}: a sign-up was refused: {refusal.args}")


def through_this_machine(environment, mailbox, port):
    """The manifest's environment, with the addresses of this machine in place of those of the manifest's networks."""
    return environment | {
        "NATIVE_AUTH_SMTP": mailbox.url, "NATIVE_AUTH_PORT": str(port), "NATIVE_AUTH_OPERATORS": str(world.free_port()),
        "NATIVE_AUTH_TRUSTED_PROXIES": environment["NATIVE_AUTH_TRUSTED_PROXIES"] + ",127.0.0.1",
    }


def check_probe(check, container, environment, code, what):
    """The health check of a container, which another process in it runs."""
    run = subprocess.run(container.command("probe", environment=environment), capture_output=True, text=True, timeout=60)
    check.equal(run.returncode, code, f"{what}: the exit code of native-auth probe: {run.stdout}{run.stderr}")


def console(port, headers):
    return world.ask(int(port), "GET", "/console/sign-in", headers=headers).status


class Secret:
    """A secret as Kubernetes mounts it: in memory, read-only, each file a link into a folder that changes as a whole."""

    def __init__(self, folder, content, mode, group):
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777,size=1m", "tmpfs", folder], check=True)
        (folder / "..2026").mkdir()
        for name, value in content.items():
            file = folder / "..2026" / name
            file.write_bytes(value)
            file.chmod(mode)
            (folder / name).symlink_to(f"..data/{name}")
        (folder / "..data").symlink_to("..2026")
        for path in folder.rglob("*"):
            os.chown(path, 0, group, follow_symlinks=False)
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)

    def remove(self):
        subprocess.run(["umount", self.folder], check=True)


def protected_database(store):
    """An empty database that asks for a password: its place in a URL, and the password."""
    password = os.urandom(24).hex()
    store.rows("CREATE DATABASE protected")
    store.rows(f"ALTER ROLE native_auth PASSWORD '{password}'")
    rules = pathlib.Path(store.rows("SHOW hba_file")[0][0])
    rules.write_text("host protected all 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
    store.rows("SELECT pg_reload_conf()")
    return f"127.0.0.1:{store.place.port}/protected", password


def check_compose_nodes(check, loaded, folder, mailbox, store, nodes, tenants):
    """Both nodes by the settings of the compose file; they start at once on an empty database."""
    place, password = protected_database(store)
    secrets = {"master.key": os.urandom(32), "database.pgpass": f"*:*:*:native_auth:{password}\n".encode()}
    files = [(owned_file(folder / name, content), f"/run/secrets/{name}:ro") for name, content in secrets.items()]
    (folder / "tenants.yaml").write_text(tenants)
    files.append((folder / "tenants.yaml", "/etc/native-auth/tenants.yaml:ro"))
    running = []
    try:
        for name, node in nodes.items():
            mounted = {f"/run/secrets/{secret['target']}:ro" for secret in node["secrets"]}
            mounted |= {f"{config['target']}:ro" for config in node["configs"]}
            check.equal(mounted, {there for _, there in files}, f"the files of {name}")
            data = owned_folder(folder / name)
            container = images.Container(*loaded, [*files, (data, "/var/lib/native-auth")])
            port = world.free_port()
            environment = through_this_machine(node["environment"], mailbox, port)
            environment["NATIVE_AUTH_DATABASE"] = environment["NATIVE_AUTH_DATABASE"].replace("@database/native_auth", "@" + place)
            running.append(Node(container, folder, environment, port))
        if all([node.await_ready(check, "a node of the compose file") for node in running]):
            check_rights(check, running[0], "a node of the compose file")
            ports = [node.port for node in running]
            for number in range(3):
                sign_up(check, mailbox, ports, f"compose{number}@example.com", "a node of the compose file")
            form = {"client_id": APP, "challenge_type": "oob redirect", "username": "mallory@example.com"}
            plain = world.ask(ports[0], "POST", "/harbour/signup/v1.0/start", form, headers={"Host": "login.example.com"})
            check.equal(plain.status, 421, "the answer to a request that did not come by https")
            operators = environment["NATIVE_AUTH_OPERATORS"]
            check.equal(console(operators, Visitor.headers), 200, "the console behind the proxy")
            check.equal(console(operators, {"Host": "login.example.com"}), 421, "the console without the proxy's word")
            check.equal(console(operators, Visitor.headers | {"Host": "mallory.example"}), 421, "the console under another name")
            check_probe(check, container, environment, 0, "a node of the compose file")
        for node in running:
            node.stop(check, "a node of the compose file")
        check_probe(check, container, environment, 1, "a node that has stopped")
        kept = [path.name for name in nodes for path in (folder / name).iterdir()]
        check.equal(kept, [], "what a node on PostgreSQL leaves in its volume")
    finally:
        for node in running:
            images.kill(node.process)


def check_pod(check, loaded, folder, mailbox, store, chain, environment, tenants, probes):
    """A pod by the settings of the Deployment: probes as a kubelet asks, TLS to the database and the mail server by the image's list of
    certificates, host names, and the variables that Kubernetes would add."""
    configuration = folder / "configuration"
    # As Kubernetes mounts a ConfigMap: each file is a link into a folder that changes as a whole.
    (configuration / "..2026").mkdir(parents=True)
    (configuration / "..2026/tenants.yaml").write_text(tenants)
    (configuration / "..data").symlink_to("..2026")
    (configuration / "tenants.yaml").symlink_to("..data/tenants.yaml")
    roots = "/etc/ssl/certs/ca-certificates.crt"
    key = {"master.key": os.urandom(32)}
    # As the manifest says, and as Kubernetes does when a manifest says nothing.
    secrets = [Secret(folder / "secret", key, 0o440, USER), Secret(folder / "open-secret", key, 0o644, 0)]
    volumes = [(configuration, "/etc/native-auth:ro"), (chain, f"{roots}:ro")]
    place = f"{pathlib.Path(environment['NATIVE_AUTH_MASTER_KEY_FILE']).parent}:ro"
    container, other = (images.Container(*loaded, [*volumes, (secret.folder, place)]) for secret in secrets)
    store.rows("CREATE DATABASE pods")
    port, operations = world.free_port(), world.free_port()
    environment = through_this_machine(environment, mailbox, port) | {
        "NATIVE_AUTH_METRICS_PORT": str(operations),
        "NATIVE_AUTH_DATABASE": f"postgresql://native_auth@localhost:{store.place.port}/pods?sslmode=verify-full&sslrootcert={roots}",
    }
    node = Node(container, folder, environment, port)

    def probe(name):
        return world.ask(operations, "GET", probes[name]["path"], headers={"Host": f"10.244.1.7:{operations}"}, timeout=5).status

    try:
        if node.await_ready(check, "a pod"):
            check_rights(check, node, "a pod")
            for name in probes:
                check.equal(probe(name), 200, f"the answer to {name}")
            sign_up(check, mailbox, [port], "pod@example.com", "a pod")
            check.equal(console(environment["NATIVE_AUTH_OPERATORS"], {"Host": "localhost:9766"}), 200, "the console of a pod")
            check_probe(check, container, environment, 0, "a pod")
            encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND datname = 'pods'"
            check.expect(world.count(store, encrypted) > 0, "a pod: no connection to the database is encrypted")
            os.kill(images.program_below(node.process), 15)
            lost = world.wait_until(lambda: probe("readinessProbe") == 503, 2)
            check.expect(lost, "a pod that was asked to stop is still ready")
            check.equal(probe("livenessProbe"), 200, "the answer to livenessProbe of a pod that stops")
            sign_up(check, mailbox, [port], "late@example.com", "a pod that was asked to stop")
            check.equal(node.process.wait(60), 0, "a pod: the exit code after SIGTERM")
    finally:
        images.kill(node.process)
    port = world.free_port()
    readable = Node(other, folder, environment | {"NATIVE_AUTH_PORT": str(port)}, port)
    try:
        if readable.await_ready(check, "a pod with a secret that all may read"):
            readable.stop(check, "a pod with a secret that all may read")
    finally:
        images.kill(readable.process)
    # With the links that enableServiceLinks would give, it must not start: the line is needed.
    linked = Node(container, folder, environment | {"NATIVE_AUTH_SERVICE_HOST": "10.96.7.7"}, world.free_port())
    try:
        check.equal(linked.process.wait(20), 64, "the exit code with the variables of a Kubernetes service")
    except subprocess.TimeoutExpired:
        check.expect(False, "a server takes variables of a Kubernetes service: enableServiceLinks need not be off")
    finally:
        images.kill(linked.process)
        for secret in secrets:
            secret.remove()


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--binary", default=world.ROOT / ".build/release/native-auth")
    parser.add_argument("--manifests", type=pathlib.Path, default=FOLDER, help="default: packaging/container")
    parser.add_argument("--manifests-only", action="store_true", help="neither makes nor runs the image")
    parser.add_argument("--image", type=pathlib.Path, help="runs this archive, and makes none")
    options = parser.parse_args()
    check = Check()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="check-container-", dir="/var/tmp"))
    folder.chmod(0o755)
    begin = time.monotonic()

    def part(name, work, *arguments):
        """A part that breaks off is a fault; the others go on."""
        start = time.monotonic()
        print(f"{name}", flush=True)
        try:
            result = work(check, *arguments)
        except Exception as error:
            if not isinstance(error, world.Broken):
                traceback.print_exc()
            check.expect(False, f"{name}: broke off: {error}")
            result = None
        print(f"  {time.monotonic() - start:.1f} s", flush=True)
        return result

    store = mailbox = secure = None
    chain, key = make_certificate(folder)
    try:
        nodes, proxy = part("compose.yaml", check_compose, options.manifests / "compose.yaml") or ({}, {"environment": {}})
        part("haproxy.cfg", check_haproxy, proxy["environment"], folder, chain, key)
        pod = part("kubernetes.yaml", check_kubernetes, options.manifests / "kubernetes.yaml")
        if not options.manifests_only:
            file = options.image or part("image", check_image, options, folder)
            if file:
                store, mailbox, secure = database(folder, chain, key), world.Mailbox(), SecureMailbox(chain, key)
                store_of_images = images.Images(folder / "images")
                loaded = (store_of_images, store_of_images.load(file))
                part("content of the image", check_content, store_of_images.settings(loaded[1]), store_of_images.unpack(loaded[1])[1])
                part("the image alone, on a volume", check_alone, loaded, folder, mailbox)
                if nodes and pod:
                    part("two nodes by compose.yaml", check_compose_nodes, loaded, folder, mailbox, store, nodes, pod[1])
                if pod:
                    part("a pod by kubernetes.yaml", check_pod, loaded, folder, secure, store, chain, *pod)
    finally:
        if store:
            store.stop()
        for box in filter(None, (mailbox, secure)):
            box.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - begin:.0f} s")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())

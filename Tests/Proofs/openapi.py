"""Requests made from the OpenAPI document by schemathesis, as a stranger makes them, as a user of the directory, as an operator's
daemon, and as a resource server.

No answer may be a 5xx, and each has a status, a media type and a body that the document lists for its operation. The document is the
one that the server serves; only values that lead further (applications, tokens of flows that have begun) are put into the copy that
requests are made from."""

import base64
import copy
import http.client
import json
import os
import subprocess

from account_proofs import Owner
from world import (
    ATTRIBUTES, CODE_APP, PASSWORD_AND_ATTRIBUTES_APP, PASSWORD_APP, ROOT, Broken, Person, Result, Site,
)

TOOLS = ROOT / ".build/openapi/bin"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"
DAEMON = "44445555-aaaa-6666-bbbb-7777cccc8888"
CODE = "24681357"
PASSWORD = "Tulip-Harbour-42"
OTHER_PASSWORD = "Amber-Lantern-77"
DIRECTORY = "openid offline_access User.ReadWrite"
# Names that a sign-up can take.
FREE = ["free@example.com"]
# Operations that end the session of the run, or the account.
LAST = ["deleteAccount", "endAllSessions", "endAllSessionsBeta", "changePassword"]
# Each run is over after this time, in seconds, in any case.
LONGEST = 1_200


class Runner:
    def __init__(self, site, number, rng, result, phases):
        self.site, self.number, self.rng, self.result, self.phases = site, number, rng, result, phases
        self.url = f"http://127.0.0.1:{site.nodes[0].port}"
        # No proxy between, and no account of the tool's service.
        self.environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}

    def document(self):
        """The server's document, with short texts in URIs: the HTTP parser answers one of more than 16 KiB itself, without a body."""
        document = self.get("/openapi.json")
        shared = document["components"]["parameters"].values()
        for parameter in [*shared, *(one for methods in document["paths"].values() for operation in methods.values() for one in operation.get("parameters", []))]:
            schema = parameter.get("schema", {})
            if parameter.get("in") in ("query", "path") and schema.get("type") == "string" and "enum" not in schema:
                schema["maxLength"] = min(200, schema.get("maxLength", 200))
        return document

    def get(self, path, header=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.site.nodes[0].port, timeout=10)
        connection.request("GET", path, headers=dict([header.split(": ", 1)]) if header else {})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise Broken(f"GET {path} was answered with {answer.status}")
        return json.loads(content)

    def run(self, name, document, *arguments, number=None):
        """Runs the tool; returns its report."""
        file, report = self.site.folder / f"{name}.json", self.site.folder / f"{name}-report.json"
        file.write_text(json.dumps(document))
        command = [
            TOOLS / "schemathesis", "run", file, "--url", self.url, "--checks", CHECKS, "--max-examples", str(number or self.number),
            "--seed", str(self.rng.randrange(1 << 30)), "--phases", self.phases, "--continue-on-failure", "--no-color", "--warnings", "off",
            "--request-timeout", "20", "--suppress-health-check", "all", "--report-json-path", report, *arguments,
        ]
        done = subprocess.run(
            command, cwd=self.site.folder, env=self.environment, capture_output=True, text=True, timeout=LONGEST)
        if not report.exists():
            raise Broken(f"schemathesis gave no report: {(done.stdout + done.stderr)[-2000:]}")
        return json.loads(report.read_text())

    def judge(self, name, report, reaches=()):
        """Counts the requests of a run, and notes its faults. Some request of each operation in `reaches` must have been accepted."""
        self.result.count("requests", report["test_cases"]["generated"])
        self.result.count("operations", report["operations"]["tested"])
        accepted = {label: sum(phase["accepted"] for phase in phases.values()) for label, phases in report["valid_rates"].items()}
        self.result.count("accepted", sum(accepted.values()))
        for failure in report["failures"]:
            self.result.expect(False, f"{name}: {json.dumps(failure)[:600]}")
        for error in report["errors"]:
            self.result.expect(False, f"{name}: the tool failed: {json.dumps(error)[:400]}")
        self.result.expect(report["operations"]["tested"] > 0, f"{name}: no operation")
        for label in reaches:
            self.result.expect(accepted.get(label), f"{name}: no request of {label} was accepted")


def narrowed(document, values):
    """The document with these values in the place of all that a request could have, and the first one as the example."""
    document = copy.deepcopy(document)
    document["components"]["parameters"]["tenant"]["schema"] = {"type": "string", "enum": ["contoso"]}
    for methods in document["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {}).get("content", {}).get("application/x-www-form-urlencoded", {})
            properties = body.get("schema", {}).get("properties", {})
            # With a provider, a sign-in has no name; `strangers` sends it.
            if "username" in values:
                properties.pop("provider", None)
            for name, schema in properties.items():
                if name in values:
                    schema.pop("pattern", None)
                    free = FREE if (name, operation["operationId"]) == ("username", "signUpStart") else []
                    schema["enum"] = free + values[name]
                    schema["examples"] = schema["enum"][:1]
    return document


def flows(site):
    """Values of forms that lead further: applications, names, and tokens of flows at each step."""
    tokens, refresh_tokens = [], []

    class Collector(Person):
        def post(self, path, fields):
            answer = super().post(path, fields)
            if token := answer.body.get("continuation_token"):
                tokens.append(token)
            return answer

    kinds = {"challenge_type": "oob password redirect"}
    dana = Collector(site, PASSWORD_AND_ATTRIBUTES_APP)
    dana.tokens(dana.sign_up("dana@example.com", PASSWORD, ATTRIBUTES | {"flatusername": "dana"}), "dana@example.com")
    tokens.clear()
    for index in range(8):
        person = Collector(site, PASSWORD_AND_ATTRIBUTES_APP)
        person.step("signup/v1.0/start", {"username": f"begun{index}@example.com"} | kinds)
        person.begin(f"coded{index}@example.com", PASSWORD, ATTRIBUTES)
        token = person.step("oauth2/v2.0/initiate", {"username": "dana"} | kinds)["continuation_token"]
        person.step("oauth2/v2.0/challenge", {"continuation_token": token} | kinds)
        person.step("resetpassword/v1.0/start", {"username": "dana"} | kinds)
        tokens.append(person.sign_up(f"new{index}@example.com", PASSWORD, ATTRIBUTES))
        other = person.sign_up(f"other{index}@example.com", PASSWORD, ATTRIBUTES)
        refresh_tokens.append(person.tokens(other, f"other{index}@example.com")["refresh_token"])
    return {
        "client_id": [PASSWORD_AND_ATTRIBUTES_APP, PASSWORD_APP, CODE_APP], "continuation_token": list(dict.fromkeys(tokens)),
        "refresh_token": refresh_tokens, "token": refresh_tokens[:2] + ["x"], "oob": [CODE, "00000000"],
        "username": ["dana", "dana@example.com", "new1@example.com", "nonsense"],
        "password": [PASSWORD, "short"], "new_password": [OTHER_PASSWORD, "short"],
        "challenge_type": ["oob password redirect", "oob redirect", "redirect", "oob"],
        "capabilities": ["registration_required mfa_required", "mfa_required"],
        "scope": ["openid offline_access", "openid profile email offline_access", DIRECTORY, "openid nothing"],
        "attributes": [json.dumps(ATTRIBUTES), "{}", "[]"],
    }


def access_token(site, address, scope):
    owner = Owner(site)
    token = owner.sign_up(address, PASSWORD, ATTRIBUTES)
    grant = {"grant_type": "continuation_token", "username": address, "scope": scope, "continuation_token": token}
    return owner.step("oauth2/v2.0/token", grant)["access_token"]


def chosen(option, values):
    return [argument for value in values for argument in (option, value)]


def openapi(options, number, rng):
    subprocess.run([ROOT / "scripts/setup", "openapi"], check=True)
    result = Result()
    site = Site(options, arguments=["--fixed-code", CODE])
    # The requests at the bounds of schemas are the same in every run, and most of the work.
    phases = "examples,fuzzing" if options.quick else "examples,coverage,fuzzing,stateful"
    runner = Runner(site, number, rng, result, phases)
    document = runner.document()

    # As it is, and with values that lead further.
    runner.judge("strangers", runner.run("strangers", document, "--exclude-tag", "Account"), ["GET /livez"])
    deeper = narrowed(document, flows(site))
    # Those whose examples are accepted; the others reach success by chance, with a token for the right step.
    starts = ("signup/v1.0/start", "oauth2/v2.0/initiate", "oauth2/v2.0/revoke", "resetpassword/v1.0/start")
    reaches = [f"POST /{{tenant}}/{path}" for path in starts]
    runner.judge("flows", runner.run("flows", deeper, "--exclude-tag", "Account", "--exclude-tag", "Health"), reaches)

    # The directory, without a token and with one, and at last what ends the session.
    runner.judge("directory, no token", runner.run("closed", document, "--include-tag", "Account", number=max(1, number // 5)))
    reads = ["GET /graph/v1.0/me", "GET /graph/v1.0/me/authentication/methods", "GET /graph/beta/me/nativeAuthSessions"]
    bearer = ["--header", f"Authorization: Bearer {access_token(site, 'erik@example.com', DIRECTORY)}"]
    report = runner.run("directory", document, "--include-tag", "Account", *chosen("--exclude-operation-id", LAST), *bearer)
    runner.judge("directory", report, reads + ["PATCH /graph/v1.0/me"])
    for index, operation in enumerate(LAST):
        bearer = ["--header", f"Authorization: Bearer {access_token(site, f'last{index}@example.com', DIRECTORY)}"]
        runner.judge(operation, runner.run(operation, document, "--include-operation-id", operation, *bearer))

    # The endpoints about tokens.
    token = access_token(site, "frida@example.com", "openid profile email offline_access")
    ids = ["userInfo", "userInfoByPost"]
    report = runner.run("userinfo", document, *chosen("--include-operation-id", ids), "--header", f"Authorization: Bearer {token}")
    runner.judge("userinfo", report, ["GET /{tenant}/oidc/userinfo"])
    basic = base64.b64encode(f"{PASSWORD_AND_ATTRIBUTES_APP}:development".encode()).decode()
    values = narrowed(document, {"token": [token, "none", ""]})
    report = runner.run(
        "introspection", values, "--include-operation-id", "tokenIntrospection", "--header", f"Authorization: Basic {basic}")
    runner.judge("introspection", report, ["POST /{tenant}/oauth2/v2.0/tokeninfo"])

    # Operators, as a daemon with all roles, about users who are there; last, because they may delete the applications that the others use.
    daemon = Owner(site)
    grant = {"client_id": DAEMON, "client_secret": "development", "grant_type": "client_credentials", "scope": "https://graph.microsoft.com/.default"}
    bearer = ["--header", f"Authorization: Bearer {daemon.post('oauth2/v2.0/token', grant).body['access_token']}"]
    users = runner.get("/graph/v1.0/users?$top=100", bearer[1])["value"]
    known = copy.deepcopy(document)
    known["components"]["parameters"]["user"]["schema"] = {"type": "string", "enum": [user["id"] for user in users] + ["nonsense"]}
    # Few requests may all name a user who is no longer there, or a query that is none.
    reads = ["GET /graph/v1.0/organization"] + ([] if options.quick else ["GET /graph/v1.0/users", "GET /graph/v1.0/users/{id}"])
    runner.judge("operators", runner.run("operators", known, "--include-tag", "Operators", *bearer), reads)

    # A document that lists too little is noticed.
    poor = copy.deepcopy(document)
    poor["paths"]["/livez"]["get"]["responses"].pop("200")
    report = runner.run("poor", poor, "--include-operation-id", "isAlive", number=1)
    result.expect(report["failures"], "a missing answer was not noticed")

    result.expect(site.nodes[0].is_alive(), "the server is gone")
    result.note("MiB of memory", site.nodes[0].mebibytes())
    site.stop(result)
    return result

"""Every flow with a unique marker in each secret and each personal field, and a search for the markers wherever the server, its
tools and its database have written something.

Secrets (passwords, codes, all tokens, keys) may be nowhere but in the answers and in the mails. What is personal (address, alias,
attributes, the address of a second factor) may stand where the account is kept, and nowhere else:

| Allowed | Why |
|---|---|
| tables `identifiers`, `attributes`, `strong_methods`, and so the files of the database | they are the account |
| the output of `native-auth user show` and `native-auth-try` | they show the account to its operator or owner |
| `/dev/inbox.json`, with the codes | the mailbox of the development profile, which production does not have |
| the master key in its own file | it is kept there |
"""

import base64
import json
import pathlib
import secrets
import subprocess
import urllib.parse

from world import PASSWORD_AND_ATTRIBUTES_APP, PASSWORD_APP, CODE_APP, Person, Result, Site, ask

PERSONAL_TABLES = {"identifiers", "attributes", "strong_methods"}
TOKENS = ("continuation_token", "access_token", "refresh_token", "id_token")
STRONG = {"claims": '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'}
CAPABLE = {"capabilities": "mfa_required registration_required"}


class Witness(Person):
    """A user who records every secret of both sides."""

    def __init__(self, site, client, secret):
        super().__init__(site, client)
        self.secret = secret

    def post(self, path, fields):
        for name in ("password", "new_password", "oob"):
            if name in fields:
                self.secret[f"{name} sent to {path}"] = fields[name]
        answer = super().post(path, fields)
        for name in TOKENS:
            if name in answer.body:
                self.secret[f"{name} {len(self.secret)} of {path}"] = answer.body[name]
        return answer

    def refused(self, path, fields):
        answer = self.post(path, fields)
        if answer.status == 200:
            raise AssertionError(f"{path} was to refuse")
        return answer.body


def flows(site, mark, secret, personal, resource_secret):
    """Runs all flows; the values are recorded in the two tables."""

    def person(client):
        return Witness(site, client, secret)

    email, alias, second = f"canary{mark}@example.com", f"alias{mark}", f"second{mark}@example.net"
    password, changed = f"Kanari!{mark}X", f"Finch?{mark}Y"
    attributes = {"country": f"Land{mark}", "city": f"City{mark}", "displayName": f"Name{mark}"}
    personal |= {
        "e-mail": email, "local part": f"canary{mark}", "alias": alias, "second factor": second, "country": f"Land{mark}",
        "city": f"City{mark}", "name": f"Name{mark}", "code user": f"coder{mark}",
    }
    kinds = {"challenge_type": "oob password redirect"}
    owner = person(PASSWORD_AND_ATTRIBUTES_APP)

    # Sign-up: a weak password, parameters in the URL, a wrong code, attributes in two steps.
    owner.refused("signup/v1.0/start", {"username": email, "password": f"weak{mark}", **kinds})
    query = urllib.parse.urlencode({"username": email, "password": f"InUrl!{mark}", "oob": "77665544", "continuation_token": mark})
    secret["password in the URL"] = f"InUrl!{mark}"
    ask(site.nodes[0].port, "POST", f"/contoso/signup/v1.0/start?{query}", {"client_id": owner.client})
    ask(site.nodes[0].port, "GET", f"/contoso/nowhere/{secret['password in the URL']}?email={email}")
    start = {"username": email, "password": password, "attributes": json.dumps({"city": attributes["city"]}), **kinds}
    token = owner.step("signup/v1.0/start", start)["continuation_token"]
    token, code = owner.code("signup/v1.0/challenge", email, token, kinds["challenge_type"])
    wrong = f"{(int(code) + 5) % 100_000_000:08}"
    grant = {"continuation_token": token, "grant_type": "oob"}
    owner.refused("signup/v1.0/continue", grant | {"oob": wrong})
    asked = owner.refused("signup/v1.0/continue", grant | {"oob": code})["continuation_token"]
    more = json.dumps(attributes | {"flatusername": alias})
    token = owner.step(
        "signup/v1.0/continue", {"continuation_token": asked, "grant_type": "attributes", "attributes": more})["continuation_token"]
    tokens = owner.tokens(token, email)
    owner.refused("signup/v1.0/start", {"username": email, "password": password, **kinds})

    # Sign-in: a wrong password, the alias, refresh, userinfo, revocation.
    owner.can_sign_in(email, f"Wrong!{mark}Z")
    tokens = owner.refresh(owner.sign_in(alias, password)["refresh_token"])
    for header in (tokens["access_token"], tokens["access_token"][:-4] + "AAAA"):
        ask(site.nodes[0].port, "GET", "/contoso/oidc/userinfo", headers={"Authorization": f"Bearer {header}"})
    ask(
        site.nodes[0].port, "POST", "/contoso/oauth2/v2.0/tokeninfo", {"token": tokens["access_token"]},
        headers={"Authorization": "Basic " + base64.b64encode(f"{owner.client}:{resource_secret}".encode()).decode()})
    owner.post("oauth2/v2.0/revoke", {"token": tokens["refresh_token"]})
    owner.can_refresh(tokens["refresh_token"])

    # A second factor: registered, then asked for.
    for is_registered in (False, True):
        start = {"username": email, "challenge_type": "password oob redirect", **CAPABLE}
        token = owner.step("oauth2/v2.0/initiate", start)["continuation_token"]
        fields = {"continuation_token": token, "challenge_type": "password oob redirect"}
        token = owner.step("oauth2/v2.0/challenge", fields)["continuation_token"]
        grant = {"grant_type": "password", "password": password, "scope": "openid offline_access", **STRONG}
        token = owner.refused("oauth2/v2.0/token", grant | {"continuation_token": token})["continuation_token"]
        if is_registered:
            body = owner.step("oauth2/v2.0/introspect", {"continuation_token": token})
            seen = site.mailbox.seen(second)
            fields = {"continuation_token": body["continuation_token"], "id": body["methods"][0]["id"]}
            token = owner.step("oauth2/v2.0/challenge", fields | {"challenge_type": "oob redirect"})["continuation_token"]
            grant = {"grant_type": "mfa_oob", "oob": site.mailbox.code(second, seen, 10)}
        else:
            token = owner.step("register/v1.0/introspect", {"continuation_token": token})["continuation_token"]
            fields = {"continuation_token": token, "challenge_type": "oob", "challenge_target": second, "challenge_channel": "email"}
            token = owner.step("register/v1.0/challenge", fields)["continuation_token"]
            fields = {"continuation_token": token, "grant_type": "oob", "oob": site.mailbox.code(second, 0, 10)}
            token = owner.step("register/v1.0/continue", fields)["continuation_token"]
            grant = {"grant_type": "continuation_token"}
        owner.step("oauth2/v2.0/token", grant | {"continuation_token": token, "scope": "openid offline_access", **STRONG})

    # Reset: a weak password first.
    kinds = "oob redirect"
    token = owner.step("resetpassword/v1.0/start", {"username": email, "challenge_type": kinds})["continuation_token"]
    token, code = reset_code(owner, token, email, second)
    fields = {"continuation_token": token, "grant_type": "oob", "oob": code}
    token = owner.step("resetpassword/v1.0/continue", fields)["continuation_token"]
    owner.refused("resetpassword/v1.0/submit", {"continuation_token": token, "new_password": f"weaker{mark}"})
    token = owner.step("resetpassword/v1.0/submit", {"continuation_token": token, "new_password": changed})["continuation_token"]
    owner.step("resetpassword/v1.0/poll_completion", {"continuation_token": token})
    owner.sign_in(email, changed)

    # A user without a password, and answers that are refused early.
    coder = person(CODE_APP)
    address = f"coder{mark}@example.com"
    coder.tokens(coder.sign_up(address), address)
    for content in (f"\0{mark}", f"username={email}&username=%zz{mark}", "x" * 70_000 + mark):
        ask(site.nodes[0].port, "POST", "/contoso/signup/v1.0/start", content)
    person(PASSWORD_APP).post("oauth2/v2.0/token", {"grant_type": f"made-up{mark}", "password": f"Odd!{mark}"})
    return email, changed


def reset_code(owner, token, email, second):
    """The code of a reset is sent to the second factor's mailbox or to the account's; return the one that gets it."""
    mailbox = owner.site.mailbox
    before = {address: mailbox.seen(address) for address in (email, second)}
    fields = {"continuation_token": token, "challenge_type": "oob redirect"}
    token = owner.step("resetpassword/v1.0/challenge", fields)["continuation_token"]
    with mailbox.news:
        mailbox.news.wait_for(lambda: any(mailbox.codes(address, seen) for address, seen in before.items()), 10)
        return token, next(codes[-1] for codes in (mailbox.codes(*place) for place in before.items()) if codes)


def forms(text):
    """The possible spellings of a text, all in lower case."""
    raw = text if isinstance(text, bytes) else text.encode()
    found = {raw.lower(), base64.b64encode(raw).lower(), base64.urlsafe_b64encode(raw).rstrip(b"=").lower(), raw.hex().encode()}
    if isinstance(text, str):
        found.add(urllib.parse.quote(text, safe="").encode().lower())
        if len(text) > 40 and "." not in text:
            try:
                found.add(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).lower())
            except ValueError:
                pass
    return found


def hits(needles, content):
    content = content.lower()
    return sorted(name for name, text in needles.items() if any(form in content for form in forms(text)))


def contents(folder):
    """All bytes below a folder, by file."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            try:
                yield path.name, path.read_bytes()
            except OSError:
                continue


def canary(options, number, rng):
    result = Result()
    for _ in range(number):
        for store in ("sqlite", "postgres"):
            search(options, store, result)
    return result


def search(options, store, result):
    resource_secret = "Resource" + secrets.token_hex(12)
    site = Site(
        options, store, 1 if store == "sqlite" else 2, arguments=["--log-level", "trace"],
        environment={"NATIVE_AUTH_RESOURCE_SERVER_SECRETS": f"{PASSWORD_AND_ATTRIBUTES_APP}={resource_secret}"})
    mark = secrets.token_hex(8)
    secret, personal = {"password of resource servers": resource_secret, "master key": site.key.read_bytes()}, {}
    email, password = flows(site, mark, secret, personal, resource_secret)

    def clean(place, needles, content):
        found = hits(needles, content)
        result.count("places searched")
        result.count("hits", len(found))
        result.expect(not found, f"{store}: {place}: {found[:6]}")

    # The search looks for values that exist, and finds them.
    mails = "".join(mail.text for mails in site.mailbox.mails.values() for mail in mails).encode()
    codes = [name for name in hits(secret, mails) if name.startswith("oob")]
    result.expect(codes, "the codes are not even in the mails: the search does not find")
    result.expect(not [name for name in hits(secret, mails) if not name.startswith("oob")], "mails hold other secrets than codes")
    result.count("secrets", len(secret))
    result.count("personal texts", len(personal))

    # Tables: only those of the account may identify the user; no table may contain a secret.
    is_found = False
    names = "SELECT name FROM sqlite_master WHERE type = 'table'" if store == "sqlite" else (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    for (table,) in site.store.rows(names):
        rows = site.store.rows(f'SELECT * FROM "{table}"')
        content = b"\n".join(
            value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)
        clean(f"table {table}", secret, content)
        if table in PERSONAL_TABLES:
            is_found |= "e-mail" in hits(personal, content)
        else:
            clean(f"table {table}", personal, content)
    result.expect(is_found, "the address is not even in the account: the search does not find")

    # Tools.
    def tool(*arguments, binary=site.binary):
        run = subprocess.run([binary, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
        return run.stdout + run.stderr

    url = f"http://127.0.0.1:{site.nodes[0].port}"
    output = tool("doctor", "--client-id", CODE_APP, "--authority", f"{url}/contoso", "--email", email, "--json")
    clean("output of doctor", secret, output)
    typed = f"Typed!{mark}W"
    data = site.folder / "try"
    output = tool(
        "--data", str(data), "--script", "--flow", "sign-in-mfa", "--prepare", "--code-from-inbox", "--email",
        f"tried{mark}@example.com", "--client-id", PASSWORD_APP, "--password", typed,
        binary=pathlib.Path(site.binary).with_name("native-auth-try"))
    result.expect(b"signed in as" in output, f"try did not sign in: {output[-300:]}")
    for name, content in contents(data):
        clean(f"data folder of try, {name}", {"typed password": typed}, content)
    clean("output of try", secret | {"typed password": typed}, output)

    # Metrics, where there are any, on the public listener.
    for path in ("/metrics", "/readyz", "/livez", "/"):
        answer = ask(site.nodes[0].port, "GET", path)
        clean(path, secret | personal, answer.content)

    # Logs at trace level, and the files of the data folder and the database, while it runs and after.
    for when in ("running", "stopped"):
        tells = False
        for node in site.nodes:
            log = node.log.read_bytes()
            if when == "stopped":
                log += node.process.stdout.read().encode()
                tells |= b"signup/v1.0/continue" in log
            clean(f"log of a node, {when}", secret | personal, log)
            for name, content in contents(node.folder):
                needles = {key: value for key, value in secret.items() if (key, name) != ("master key", "master.key")}
                clean(f"data folder, {name}, {when}", needles, content)
        result.expect(tells or when == "running", "the logs do not even tell of requests")
        if store == "postgres":
            folder = pathlib.Path(site.store.rows("SHOW data_directory")[0][0])
            site.store.rows("CHECKPOINT")
            everything = b"\0".join(content for _, content in contents(folder))
            result.note("MiB of PostgreSQL's files searched", len(everything) / 1048576)
            clean(f"PostgreSQL's files, {when}", secret, everything)
            result.expect("e-mail" in hits(personal, everything), "the address is not even in PostgreSQL's files")
            clean(f"PostgreSQL's log, {when}", secret | personal, (folder.parent / "log").read_bytes())
        if when == "running":
            if store == "sqlite":
                site.nodes[0].stop()
                output = tool("user", "show", "--data", str(site.nodes[0].folder), "--master-key-file", str(site.key), email)
                clean("output of user show", secret, output)
            else:
                output = tool(
                    "user", "show", "--data", str(site.nodes[0].folder), "--database", site.database, "--master-key-file",
                    str(site.key), email)
                clean("output of user show", secret, output)
                for node in site.nodes:
                    node.stop()
    result.count("runs")
    site.stop()

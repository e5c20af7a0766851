"""An app that takes its steps one after another over a connection that stays open, as the measurements need it: cheap, and with
the code of every flow known (`serve --fixed-code`). What the proofs use, in world.py, is patient and reads real mail instead."""

import http.client
import json
import sys
import time
import urllib.parse

CODE_APP = "00001111-aaaa-2222-bbbb-3333cccc4444"
PASSWORD_APP = "11112222-bbbb-3333-cccc-4444dddd5555"
PASSWORD = "Tulip-Harbour-42"
CODE = "24681357"
# The options of the server, so that the code is known and log lines take no time.
SETTINGS = ["--fixed-code", CODE, "--log-level", "error"]
SCOPES = {"scope": "openid offline_access"}
HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


class App:
    """`took` is called with the name of each step and its seconds. A step that is refused ends the program: the figures of a
    server that refuses say nothing."""

    def __init__(self, address, took):
        self.connection = http.client.HTTPConnection(address, timeout=30)
        self.took = took

    def step(self, name, path, client, fields):
        form = urllib.parse.urlencode({"client_id": client} | fields)
        begin = time.perf_counter()
        self.connection.request("POST", f"/contoso/{path}", form, HEADERS)
        response = self.connection.getresponse()
        content = response.read()
        self.took(name, time.perf_counter() - begin)
        if response.status != 200:
            sys.exit(f"scripts/prove: {name} was answered with {response.status}: {content.decode(errors='replace')}")
        return json.loads(content)

    # Each of these continues with its next step on request, returns the answer of each, and so ends with the tokens.

    def sign_up(self, address, password=None):
        client, kinds, name = CODE_APP, {"challenge_type": "oob redirect"}, "sign-up"
        if password:
            client, kinds, name = PASSWORD_APP, {"challenge_type": "oob password redirect"}, "password sign-up"
        start = {"username": address} | kinds | ({"password": password} if password else {})
        body = yield from self.go(f"{name} start", "signup/v1.0/start", client, start)
        body = yield from self.go(f"{name} challenge", "signup/v1.0/challenge", client, with_token(body) | kinds)
        proof = {"grant_type": "oob", "oob": CODE}
        body = yield from self.go(f"{name} continue", "signup/v1.0/continue", client, with_token(body) | proof)
        grant = {"grant_type": "continuation_token", "username": address} | SCOPES
        yield from self.go(f"{name} token", "oauth2/v2.0/token", client, with_token(body) | grant)

    def sign_in(self, address):
        kinds = {"challenge_type": "oob redirect"}
        body = yield from self.go("sign-in initiate", "oauth2/v2.0/initiate", CODE_APP, {"username": address} | kinds)
        body = yield from self.go("sign-in challenge", "oauth2/v2.0/challenge", CODE_APP, with_token(body) | kinds)
        grant = {"grant_type": "oob", "oob": CODE} | SCOPES
        yield from self.go("sign-in token", "oauth2/v2.0/token", CODE_APP, with_token(body) | grant)

    def refresh(self, refresh_token):
        grant = {"grant_type": "refresh_token", "refresh_token": refresh_token} | SCOPES
        yield from self.go("refresh", "oauth2/v2.0/token", CODE_APP, grant)

    def go(self, *arguments):
        body = self.step(*arguments)
        yield body
        return body


def with_token(body):
    return {"continuation_token": body["continuation_token"]}

"""Checks tokens as a resource server and a client in another language do: PyJWT, discovery, and the published keys.

Arguments: the base URL of a tenant, and a file with `{"clientID", "accessToken", "idToken"}`. Prints what it found as JSON.
A refusal is the name of PyJWT's exception.
"""

import base64
import json
import sys
import urllib.request

import jwt

base = sys.argv[1]
with open(sys.argv[2], encoding="utf-8") as file:
    given = json.load(file)


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)


discovery = fetch(f"{base}/v2.0/.well-known/openid-configuration")
keys = {key["kid"]: key for key in fetch(discovery["jwks_uri"])["keys"]}


def check(token, **changes):
    key = keys[jwt.get_unverified_header(token)["kid"]]
    expected = {"audience": given["clientID"], "issuer": discovery["issuer"], "algorithms": [key["alg"]]} | changes
    return jwt.decode(
        token,
        jwt.PyJWK(key).key,
        options={"require": ["iss", "sub", "aud", "exp", "iat", "nbf"]},
        **expected,
    )


def refusal(token, **changes):
    try:
        check(token, **changes)
        return "accepted"
    except (jwt.InvalidTokenError, KeyError) as error:
        return type(error).__name__


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def tampered(token):
    """The same token for another user, including the signature."""
    header, payload, signature = token.split(".")
    claims = json.loads(decoded(payload)) | {"sub": "another"}
    return ".".join([header, encoded(json.dumps(claims).encode()), signature])


def unsigned(token):
    header, payload, _ = token.split(".")
    fields = json.loads(decoded(header)) | {"alg": "none"}
    return ".".join([encoded(json.dumps(fields).encode()), payload, ""])


def report(token):
    header = jwt.get_unverified_header(token)
    claims = check(token)
    return {
        "kid": header["kid"],
        "typ": header["typ"],
        "alg": header["alg"],
        "isAlgorithmListed": header["alg"] in discovery["id_token_signing_alg_values_supported"],
        "sub": claims["sub"],
        "tampered": refusal(tampered(token)),
        "unsigned": refusal(unsigned(token)),
        "anotherAudience": refusal(token, audience="99990000-aaaa-2222-bbbb-3333cccc4444"),
        "anotherIssuer": refusal(token, issuer="https://login.example.com/v2.0"),
        "anotherAlgorithm": refusal(token, algorithms=["ES256" if header["alg"] == "RS256" else "RS256"]),
    }


print(
    json.dumps(
        {
            "published": list(keys),
            "accessToken": report(given["accessToken"]),
            "idToken": report(given["idToken"]),
        }
    )
)

"""ID tokens that prove nothing, for scripts/check-providers. Only one thing of each is wrong."""

import base64
import functools
import hashlib
import hmac
import json
import os

from cryptography.hazmat.primitives.asymmetric import utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from openid_provider import ALGORITHMS, KEYS, Key, encoded, encoded_json, signed


def by_secret(header, claims, secret):
    message = f"{encoded_json(header)}.{encoded_json(claims)}"
    return f"{message}.{encoded(hmac.digest(secret, message.encode(), 'sha' + header['alg'][2:]))}"


def without_nones(members):
    return {name: value for name, value in members.items() if value is not None}


def wrong_claims(main, other, attacker, nonce):
    """By the check that must find it: changes of the claims; None removes one."""
    now, app, own = main.clock.now(), main.app, main.issuer
    return {
        "issuer": {
            "another issuer": {"iss": other.issuer}, "the attacker's issuer": {"iss": attacker.issuer},
            "an issuer with a slash": {"iss": own + "/"},
            "an issuer in capitals": {"iss": own.upper()}, "an issuer as https": {"iss": own.replace("http:", "https:")},
            "an issuer by another name": {"iss": own.replace("127.0.0.1", "localhost")}, "an empty issuer": {"iss": ""}},
        "audience": {
            "the audience of the pages": {"aud": main.pages}, "another app": {"aud": other.app},
            "an audience in capitals": {"aud": app.upper()},
            "a longer audience": {"aud": app + "-2"}, "an empty audience": {"aud": ""}, "an empty list": {"aud": []},
            "audiences in one text": {"aud": f"{app} else"}, "two audiences and no party": {"aud": [app, "else"]},
            "two audiences and another party": {"aud": [app, "else"], "azp": "else"},
            "two audiences, and the pages asked": {"aud": [main.pages, app], "azp": main.pages}},
        "expired": {"an end an hour ago": {"exp": now - 3600}, "an end a minute ago": {"exp": now - 62},
        "an end at the beginning of time": {"exp": 0}, "a negative end": {"exp": -now}, "an end before all time": {"exp": -1e300}},
        "too old": {"made ten minutes ago": {"iat": now - 603}, "no time": {"iat": None}, "made before all time": {"iat": -1e300}},
        "not yet valid": {"made in the future": {"iat": now + 100}, "not valid yet": {"nbf": now + 100}, "made after all time": {"iat": 1e300}, "valid after all time": {"nbf": 1e300}},
        "nonce": {
            "no nonce": {"nonce": None}, "an empty nonce": {"nonce": ""}, "a nonce of its own": {"nonce": encoded(os.urandom(32))},
            "half of the nonce": {"nonce": nonce[:21]},
            "a longer nonce": {"nonce": nonce + "A"}, "the hash of the nonce": {"nonce": hashlib.sha256(nonce.encode()).hexdigest()},
            "the nonce in other letters": {"nonce": nonce.swapcase()}},
        "subject": {
            "an empty subject": {"sub": ""}, "a long subject": {"sub": "a" * 256}, "a subject with a blank": {"sub": "a b"},
            "a subject with a zero byte": {"sub": "a\0b"},
            "a subject in other letters": {"sub": "dänä"}},
        "malformed": {
            "no issuer": {"iss": None}, "an issuer in a list": {"iss": [own]}, "no audience": {"aud": None}, "no end": {"exp": None},
            "an end as text": {"exp": str(now + 600)},
            "a time as text": {"iat": str(now)}, "a nonce in a list": {"nonce": [nonce]}, "no subject": {"sub": None},
            "a subject as a number": {"sub": 1},
            "a verified address as a number": {"email_verified": 1}, "an address in a list": {"email": ["a@main.example"]}}}


def wrong_headers(main, attacker):
    """By the check that must find it: changes of the header."""
    rs, es, own = main.keys[0], main.keys[1], attacker.issuer
    certificate = encoded(rs.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    return {
        "unknown key": {
            "a key that nobody has": {"kid": "nobody"}, "a path": {"kid": "../../../../dev/null"}, "a text of SQL": {"kid": "' OR 1=1 --"},
            "an address": {"kid": own + KEYS},
            "a key in the other case": {"kid": rs.kid.swapcase()}, "the key of another algorithm": {"kid": es.kid},
            "a very long key": {"kid": "k" * 9000}, "an empty key": {"kid": ""}},
        "malformed": {"a key in a list": {"kid": [rs.kid]}, "a key as a number": {"kid": 1}, "no algorithm": {"alg": None},
        "algorithms in a list": {"alg": ["RS256"]}},
        "algorithm": {
            "jku": {"jku": own + KEYS}, "jwk": {"jwk": attacker.keys[0].published()}, "x5u": {"x5u": own + "/certificate"},
            "x5c": {"x5c": [certificate]},
            "crit": {"crit": ["b64"], "b64": True}, "RS384": {"alg": "RS384"}, "RS512": {"alg": "RS512"}, "PS256": {"alg": "PS256"},
            "RS256 in small letters": {"alg": "rs256"}}}


def forgeries(main, other, attacker, person, nonce):
    """By name: the check that must find it, and what makes the token."""
    rs, es, ed = main.keys
    right, header, theirs = main.claims(nonce, **person), {"alg": "RS256", "kid": rs.kid}, attacker.keys[0]
    found = {}
    for reason, cases in wrong_claims(main, other, attacker, nonce).items():
        for name, changes in cases.items():
            found[name] = (reason, functools.partial(signed, header, without_nones(right | changes), rs.private))
    for reason, cases in wrong_headers(main, attacker).items():
        for name, changes in cases.items():
            wrong = without_nones(header | changes)
            algorithm = wrong["alg"] if wrong.get("alg") in list(ALGORITHMS) else "RS256"
            found[f"a header with {name}"] = (reason, functools.partial(signed, wrong, right, rs.private, algorithm))
            if reason == "algorithm":
                found[f"a header with {name}, signed by the attacker"] = (reason,
                functools.partial(signed, wrong | {"kid": theirs.kid}, right, theirs.private, algorithm))
    public = rs.private.public_key()
    pem, der = (public.public_bytes(kind, PublicFormat.SubjectPublicKeyInfo) for kind in (Encoding.PEM, Encoding.DER))
    published = rs.published()
    for name, secret in {"PEM": pem, "PEM without its end": pem.strip(), "DER": der,
    "modulus": base64.urlsafe_b64decode(published["n"] + "=="),
                         "JWK": json.dumps(published).encode(), "nothing": b""}.items():
        for algorithm in ("HS256", "HS384", "HS512"):
            found[f"{algorithm} with the public key as the secret, {name}"] = ("algorithm",
            functools.partial(by_secret, header | {"alg": algorithm}, right, secret))
    for algorithm in ("none", "None", "NONE", "nOnE", ""):
        for name, reason, end in (("", "malformed", ""), (" with a signature", "algorithm", "AAAA")):
            unsigned = f"{encoded_json(header | {'alg': algorithm})}.{encoded_json(right)}.{end}"
            found[f"the algorithm “{algorithm}”{name}"] = (reason, lambda made=unsigned: made)
    # Whose key it is.
    found |= {
        "the attacker's key under the name of the right one": ("signature", lambda: signed(header, right, theirs.private)),
        "the attacker's key without a name": ("signature", lambda: signed({"alg": "RS256"}, right, theirs.private)),
        "all of the attacker": ("unknown key", lambda: attacker.token(nonce, aud=main.app, **person)),
        "another provider's token": ("unknown key", lambda: other.token(nonce, aud=main.app, **person)),
        "a signature of ES256 under RS256": ("signature", lambda: signed({"alg": "RS256"}, right, es.private, "ES256")),
        "a signature of RS256 under ES256": ("signature", lambda: signed({"alg": "ES256"}, right, rs.private, "RS256")),
        "EdDSA by another key": ("signature", lambda: signed({"alg": "EdDSA", "kid": ed.kid}, right, Key("EdDSA").private))}
    message = f"{encoded_json({'alg': 'ES256', 'kid': es.kid})}.{encoded_json(right)}"
    signature = ALGORITHMS["ES256"].sign(message.encode(), es.private)
    values = [int.from_bytes(half, "big") for half in (signature[:32], signature[32:])]
    for name, made in {"zeros": bytes(64), "ones": (bytes(31) + b"\1") * 2, "DER": utils.encode_dss_signature(*values),
    "a byte less": signature[:-1], "a byte more": signature + b"\0",
                       "r alone": signature[:32] + bytes(32)}.items():
        found[f"a signature of ES256 that is {name}"] = ("signature", lambda made=made: f"{message}.{encoded(made)}")
    # The form.
    whole, deep = signed(header, right, rs.private), encoded_json(b'{"alg":' + b"[" * 10_000)
    head, payload, signature = whole.split(".")
    return found | {name: (reason, lambda made=made: made) for name, (reason, made) in {
        "changed claims": ("signature", f"{head}.{encoded_json(right | {'sub': 'else'})}.{signature}"),
        "no signature": ("malformed", f"{head}.{payload}."),
        "two parts": ("malformed", f"{head}.{payload}"), "four parts": ("malformed", whole + ".AAAA"),
        "five parts": ("malformed", whole + ".AAAA.AAAA"),
        "padding": ("malformed", whole + "=="), "the other alphabet": ("malformed", f"{head}.{payload}.+/{signature[2:]}"),
        "a blank at the end": ("malformed", whole + " "),
        "deep claims": ("malformed", signed(header, json.dumps(right)[:-1].encode() + b',"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}", rs.private)),
        "a deep header": ("malformed", f"{deep}.{payload}.{signature}"),
        "a number that is too large": ("malformed", signed(header, json.dumps(right)[:-1].encode() + b',"nbf":1e999}', rs.private)),
        "no token": ("malformed", "none"), "dots": ("malformed", ".."),
        "a header that is no object": ("malformed", f"{encoded_json(b'[]')}.{payload}.{signature}"),
        "claims that are no object": ("malformed", signed(header, b"[]", rs.private)),
        "claims that are no text": ("malformed", signed(header, b"\xff\xfe{}", rs.private))}.items()}

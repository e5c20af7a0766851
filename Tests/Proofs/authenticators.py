"""Authenticators and verifiers of passkeys for scripts/check-passkeys. Those of others are soft-webauthn, and the client and server
of Yubico's fido2, and webauthn of Duo Labs; ours is the software authenticator of the SDK, in a process of its own.

An authenticator has two functions of options as JSON: `make` returns a registration, and `sign` an assertion, both as WebAuthn writes
them in JSON (section 5.1 of WebAuthn)."""

import copy
import hashlib
import json
import os
import subprocess

import webauthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2 import cbor
from fido2.attestation import Attestation
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.cose import ES256, EdDSA
from fido2.ctap import CtapDevice, CtapError
from fido2.server import Fido2Server
from fido2.utils import websafe_decode as decoded
from fido2.utils import websafe_encode as encoded
from fido2.webauthn import (
    AttestedCredentialData, AuthenticatorData, PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions)
from soft_webauthn import SoftWebauthnDevice
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria, AuthenticatorTransport, COSEAlgorithmIdentifier, PublicKeyCredentialDescriptor,
    ResidentKeyRequirement, UserVerificationRequirement)

FLAG = AuthenticatorData.FLAG


class SoftWebauthn:
    """The device of soft-webauthn. As it is, it never verifies its user, so that the server refuses it; with `verifies`, its bytes say
    that it does."""

    name = "soft-webauthn"
    is_synchronised = False

    def __init__(self, origin, verifies=True):
        self.device, self.origin, self.verifies = SoftWebauthnDevice(), origin, verifies

    def make(self, options):
        options = copy.deepcopy(options)
        options["challenge"], options["user"]["id"] = decoded(options["challenge"]), decoded(options["user"]["id"])
        made = self.device.create({"publicKey": options}, self.origin)
        response = made["response"]
        if self.verifies:
            attestation = cbor.decode(response["attestationObject"])
            attestation["authData"] = self.verified(attestation["authData"])
            response["attestationObject"] = cbor.encode(attestation)
        return self.written(made)

    def sign(self, options):
        made = self.device.get({"publicKey": options | {"challenge": decoded(options["challenge"])}}, self.origin)
        response = made["response"]
        if self.verifies:
            data = response["authenticatorData"] = self.verified(response["authenticatorData"])
            message = data + hashlib.sha256(response["clientDataJSON"]).digest()
            response["signature"] = self.device.private_key.sign(message, ec.ECDSA(hashes.SHA256()))
        return self.written(made)

    @staticmethod
    def verified(data):
        return data[:32] + bytes([data[32] | FLAG.UV]) + data[33:]

    @staticmethod
    def written(made):
        identifier = encoded(made["rawId"])
        response = {name: encoded(value) for name, value in made["response"].items()}
        return {"id": identifier, "rawId": identifier, "type": made["type"], "response": response}


class SecurityKey(CtapDevice):
    """An authenticator that speaks CTAP 2, with keys of `cryptography`: what fido2's own client finds at the end of its cable."""

    capabilities = 0x04
    model = bytes.fromhex("0123456789abcdef0123456789abcdef")

    def __init__(self, cose, is_synchronised=False, attests=True):
        self.cose, self.is_synchronised, self.attests = cose, is_synchronised, attests
        self.credentials, self.count = [], 0
        if cose is ES256:
            self.key = ec.generate_private_key(ec.SECP256R1())
        elif cose is EdDSA:
            self.key = ed25519.Ed25519PrivateKey.generate()
        else:
            self.key = rsa.generate_private_key(65537, 2048)

    @classmethod
    def list_devices(cls):
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        commands = {1: self.make_credential, 2: self.get_assertion, 4: self.information}
        try:
            if data[0] not in commands:
                raise CtapError(CtapError.ERR.INVALID_COMMAND)
            return b"\0" + cbor.encode(commands[data[0]](cbor.decode(data[1:]) if data[1:] else {}))
        except CtapError as error:
            return bytes([error.code])

    def information(self, asked):
        return {
            1: ["FIDO_2_0"], 3: self.model, 4: {"rk": True, "up": True, "uv": True}, 6: [2],
            10: [{"type": "public-key", "alg": self.cose.ALGORITHM}]}

    def make_credential(self, asked):
        if self.cose.ALGORITHM not in [parameters["alg"] for parameters in asked[4]]:
            raise CtapError(CtapError.ERR.UNSUPPORTED_ALGORITHM)
        if self.known(asked[2]["id"], asked.get(5) or []):
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        identifier = os.urandom(48)
        self.credentials.append((asked[2]["id"], identifier, asked[3]))
        public = self.cose.from_cryptography_key(self.key.public_key())
        attested = AttestedCredentialData.create(self.model, identifier, public)
        data = self.data(asked[2]["id"], asked[7], FLAG.AT, attested)
        if not self.attests:
            return {1: "none", 2: data, 3: {}}
        return {1: "packed", 2: data, 3: {"alg": self.cose.ALGORITHM, "sig": self.signature(data + asked[1])}}

    def get_assertion(self, asked):
        found = self.known(asked[1], asked[3]) if asked.get(3) else [known for known in self.credentials if known[0] == asked[1]]
        if not found:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        self.count += 1
        _, identifier, user = found[-1]
        data = self.data(asked[1], asked.get(5) or {}, FLAG(0))
        credential = {"type": "public-key", "id": identifier}
        return {1: credential, 2: data, 3: self.signature(data + asked[2]), 4: {"id": user["id"]}}

    def known(self, domain, listed):
        identifiers = [entry["id"] for entry in listed]
        return [known for known in self.credentials if known[0] == domain and known[1] in identifiers]

    def data(self, domain, options, flags, attested=b""):
        flags |= FLAG.UP if options.get("up", True) else FLAG(0)
        flags |= FLAG.UV if options.get("uv") else FLAG(0)
        flags |= FLAG.BE | FLAG.BS if self.is_synchronised else FLAG(0)
        count = 0 if self.is_synchronised else self.count
        return AuthenticatorData.create(hashlib.sha256(domain.encode()).digest(), flags, count, attested)

    def signature(self, message):
        if self.cose is ES256:
            return self.key.sign(message, ec.ECDSA(hashes.SHA256()))
        if self.cose is EdDSA:
            return self.key.sign(message)
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())


class Fido:
    """fido2's client with a security key."""

    def __init__(self, origin, cose, **settings):
        self.key = SecurityKey(cose, **settings)
        self.name = f"fido2 {cose.__name__}" + (" synchronised" if self.key.is_synchronised else "")
        self.name += "" if self.key.attests else " without attestation"
        self.is_synchronised = self.key.is_synchronised
        self.go_to(origin)

    def go_to(self, origin):
        self.client = Fido2Client(self.key, DefaultClientDataCollector(origin))

    def make(self, options):
        return dict(self.client.make_credential(PublicKeyCredentialCreationOptions.from_dict(options)))

    def sign(self, options):
        return dict(self.client.get_assertion(PublicKeyCredentialRequestOptions.from_dict(options)).get_response(0))

    def is_excluded(self, options):
        """Whether it makes no passkey, since the account has one of it."""
        try:
            self.make(options)
            return False
        except ClientError as error:
            return error.code == ClientError.ERR.DEVICE_INELIGIBLE


class Ours:
    """The software authenticator of the SDK."""

    def __init__(self, binary, is_synchronised=False):
        self.name = "SoftPasskeys" + (" synchronised" if is_synchronised else "")
        self.is_synchronised = is_synchronised
        self.process = subprocess.Popen(
            [binary, *(["synchronised"] if is_synchronised else [])], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def make(self, options):
        self.process.stdin.write(json.dumps(options) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if isinstance(answer, str):
            raise ValueError(f"{self.name}: {answer}")
        return answer

    sign = make

    def stop(self):
        self.process.stdin.close()
        return self.process.wait(10)


# Verifiers. Each function returns None when it accepts, and why it does not otherwise.


class Webauthn:
    """webauthn of Duo Labs."""

    name = "webauthn"
    algorithms = [COSEAlgorithmIdentifier(number) for number in (-8, -7, -257)]

    def __init__(self, domain, origin):
        self.expected = {"expected_rp_id": domain, "expected_origin": origin, "require_user_verification": True}

    def creation(self, user):
        selection = AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, require_resident_key=True,
            user_verification=UserVerificationRequirement.REQUIRED)
        options = webauthn.generate_registration_options(
            rp_id=self.expected["expected_rp_id"], rp_name="A verifier", user_id=user, user_name="dana@example.com",
            user_display_name="Dana", authenticator_selection=selection, supported_pub_key_algs=self.algorithms)
        return json.loads(webauthn.options_to_json(options))

    def request(self, identifier):
        allowed = [PublicKeyCredentialDescriptor(id=identifier, transports=[AuthenticatorTransport.INTERNAL])]
        options = webauthn.generate_authentication_options(
            rp_id=self.expected["expected_rp_id"], allow_credentials=allowed,
            user_verification=UserVerificationRequirement.REQUIRED)
        return json.loads(webauthn.options_to_json(options))

    def registration(self, answer, challenge):
        return refusal(lambda: webauthn.verify_registration_response(
            credential=answer, expected_challenge=challenge, supported_pub_key_algs=self.algorithms, **self.expected))

    def assertion(self, answer, challenge, passkey):
        return refusal(lambda: webauthn.verify_authentication_response(
            credential=answer, expected_challenge=challenge, credential_public_key=cbor.encode(passkey.public_key),
            credential_current_sign_count=0, **self.expected))


class Yubico:
    """The server part of fido2."""

    name = "fido2"

    def __init__(self, domain, origin):
        self.server = Fido2Server(
            {"id": domain, "name": "A verifier"}, attestation="direct", verify_origin=lambda seen: seen == origin,
            verify_attestation=self.attestation)

    @staticmethod
    def attestation(made, digest):
        Attestation.for_type(made.fmt)().verify(made.att_stmt, made.auth_data, digest)

    def registration(self, answer, challenge):
        return refusal(lambda: self.server.register_complete(self.state(challenge), answer))

    def assertion(self, answer, challenge, passkey):
        return refusal(lambda: self.server.authenticate_complete(self.state(challenge), [passkey], answer))

    @staticmethod
    def state(challenge):
        return {"challenge": encoded(challenge), "user_verification": "required"}


def refusal(verify):
    try:
        verify()
        return None
    # Verifiers throw all kinds of errors at bytes that they do not expect.
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:120]


def passkey(registration):
    """The credential in a registration."""
    attestation = cbor.decode(decoded(registration["response"]["attestationObject"]))
    return AuthenticatorData(attestation["authData"]).credential_data

import Crypto
import Foundation
import NIOCore

/// A passkey of the generator: a key of ES256, and the bytes that an authenticator makes with it (WebAuthn section 6.1).
struct BenchPasskey: Sendable {
    private static let domain = "localhost"
    private let key = P256.Signing.PrivateKey()
    private let id = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
    /// That of the account, base64url.
    private let userHandle: String

    init(userHandle: String) {
        self.userHandle = userHandle
    }

    /// - Parameter flags: User present and verified, backup eligible and done, and of a new key that it follows.
    private func authenticatorData(_ flags: UInt8) -> Data {
        Data(SHA256.hash(data: Data(Self.domain.utf8))) + Data([flags, 0, 0, 0, 0])
    }

    private static func clientData(_ type: String, _ challenge: String) -> Data {
        Data(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"https://\#(domain)","crossOrigin":false}"#.utf8)
    }

    private static func text(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// What the server stores: `RegistrationResponseJSON`.
    func registration(_ challenge: String) -> String {
        let point = key.publicKey.rawRepresentation
        var cose = Data([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
        cose += point.prefix(32)
        cose += Data([0x22, 0x58, 0x20])
        cose += point.suffix(32)
        var data = authenticatorData(0x5D)
        data += Data(count: 16)
        data += Data([0, UInt8(id.count)])
        data += id
        data += cose
        // {"fmt": "none", "attStmt": {}, "authData": …} of CTAP2.
        var object = Data([0xA3, 0x63])
        object += Data("fmt".utf8)
        object += Data([0x64])
        object += Data("none".utf8)
        object += Data([0x67])
        object += Data("attStmt".utf8)
        object += Data([0xA0, 0x68])
        object += Data("authData".utf8)
        object += Data([0x58, UInt8(data.count)])
        object += data
        return answer(
            #""clientDataJSON":"\#(Self.text(Self.clientData("webauthn.create", challenge)))","attestationObject":"\#(Self.text(object))""#
        )
    }

    /// What signs in: `AuthenticationResponseJSON`.
    func assertion(_ challenge: String) throws(JourneyFailure) -> String {
        let (data, client) = (authenticatorData(0x1D), Self.clientData("webauthn.get", challenge))
        let signature: Data
        do {
            signature = try key.signature(for: data + Data(SHA256.hash(data: client))).derRepresentation
        } catch {
            throw JourneyFailure(text: "a passkey did not sign: \(error)")
        }
        return answer(
            #""clientDataJSON":"\#(Self.text(client))","authenticatorData":"\#(Self.text(data))","signature":"\#(Self.text(signature))","userHandle":"\#(userHandle)""#
        )
    }

    private func answer(_ response: String) -> String {
        let id = Self.text(id)
        return
            #"{"id":"\#(id)","rawId":"\#(id)","type":"public-key","clientExtensionResults":{},"response":{\#(response)}}"#
    }
}

/// A sign-up with a code and tokens, and a passkey for the account.
struct PasskeySignUpJourney: Journey {
    let cast: BenchCast
    private let address: String
    private var step = 0
    private var token = ""
    private var passkey: BenchPasskey?

    init(cast: BenchCast) {
        self.cast = cast
        address = cast.newcomer()
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        defer { step += 1 }
        let app = BenchCast.codeApp
        let last =
            step > 0 && step < 4
            ? try reply.map { reply throws(JourneyFailure) in
                try SignUpJourney.token(of: reply, "passkey step \(step)")
            } ?? "" : ""
        switch step {
        case 0:
            return LoadRequest(
                step: "sign-up start", path: "/contoso/signup/v1.0/start",
                form: "client_id=\(app)&username=\(address)&challenge_type=oob%20redirect")
        case 1:
            return LoadRequest(
                step: "sign-up challenge", path: "/contoso/signup/v1.0/challenge",
                form: "client_id=\(app)&challenge_type=oob%20redirect&continuation_token=\(last)")
        case 2:
            return LoadRequest(
                step: "sign-up continue", path: "/contoso/signup/v1.0/continue",
                form: "client_id=\(app)&grant_type=oob&oob=\(BenchCast.code)&continuation_token=\(last)")
        case 3:
            return LoadRequest(
                step: "token after sign-up", path: "/contoso/oauth2/v2.0/token",
                form:
                    "client_id=\(app)&grant_type=continuation_token&username=\(address)&scope=openid%20User.ReadWrite&continuation_token=\(last)"
            )
        case 4:
            token = reply?.text("access_token") ?? ""
            return graph("addPasskey", "{}")
        case 5:
            guard let reply, let challenge = reply.text("challenge"), let next = reply.text("continuationToken"),
                let handle = reply.text("id", after: "\"user\"")
            else { throw failure(reply) }
            let passkey = BenchPasskey(userHandle: handle)
            self.passkey = passkey
            return graph(
                "confirmPasskey",
                #"{"continuationToken":"\#(next)","publicKeyCredential":\#(passkey.registration(challenge))}"#)
        case _:
            guard reply?.status == 204, let passkey else { throw failure(reply) }
            cast.add(passkey: passkey)
            return nil
        }
    }

    private func graph(_ operation: String, _ json: String) -> LoadRequest {
        var request = LoadRequest(
            step: "passkey: \(operation)", path: "/graph/beta/me/nativeAuth.\(operation)", form: json,
            headers: [("authorization", "Bearer \(token)")])
        request.isJSON = true
        return request
    }

    private func failure(_ reply: LoadReply?) -> JourneyFailure {
        JourneyFailure(
            text:
                "passkey step \(step): \(reply?.status ?? 0) \(reply.map { String(buffer: $0.body).prefix(300) } ?? "")"
        )
    }
}

/// A sign-in whose user the passkey names: initiate, challenge and token.
struct PasskeySignInJourney: Journey {
    let cast: BenchCast
    private var step = 0

    init(cast: BenchCast) {
        self.cast = cast
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let last = try reply.map { reply throws(JourneyFailure) in
            try SignUpJourney.token(of: reply, "passkey sign-in step \(step)")
        }
        defer { step += 1 }
        let app = BenchCast.codeApp
        switch step {
        case 0:
            return LoadRequest(
                step: "passkey initiate", path: "/contoso/oauth2/v2.0/initiate",
                form: "client_id=\(app)&challenge_type=passkey%20redirect")
        case 1:
            return LoadRequest(
                step: "passkey challenge", path: "/contoso/oauth2/v2.0/challenge",
                form: "client_id=\(app)&challenge_type=passkey%20redirect&continuation_token=\(last ?? "")")
        case 2:
            guard let passkey = cast.passkey(), let challenge = reply?.text("challenge") else {
                throw JourneyFailure(text: "there is no passkey to sign in with")
            }
            let credential = try passkey.assertion(challenge).addingPercentEncoding(
                withAllowedCharacters: .alphanumerics)
            return LoadRequest(
                step: "token by passkey", path: "/contoso/oauth2/v2.0/token",
                form:
                    "client_id=\(app)&grant_type=passkey&credential=\(credential ?? "")&scope=openid%20offline_access&continuation_token=\(last ?? "")"
            )
        case _: return nil
        }
    }
}

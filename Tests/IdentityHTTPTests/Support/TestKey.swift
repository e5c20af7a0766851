import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// The key of an application that proves possession of it (RFC 9449).
struct TestKey: Sendable {
    enum Kind: Sendable, CaseIterable {
        case es256, rs256, edDSA
    }

    static let tokenPath = "/contoso.onmicrosoft.com/oauth2/v2.0/token"

    let clock: ManualClock
    var kind = Kind.es256
    let p256 = P256.Signing.PrivateKey()
    let ed25519 = Curve25519.Signing.PrivateKey()

    init(_ server: IdentityTestServer, _ kind: Kind = .es256) {
        clock = server.clock
        self.kind = kind
    }

    /// The members of the public key, each as JSON.
    var jwk: [String: String] {
        get throws {
            func quoted(_ data: some Sequence<UInt8>) -> String { "\"\(Base64URL.encode(Data(data)))\"" }
            switch kind {
            case .es256:
                let point = p256.publicKey.rawRepresentation
                return [
                    "kty": "\"EC\"", "crv": "\"P-256\"", "x": quoted(point.prefix(32)), "y": quoted(point.suffix(32)),
                ]
            case .edDSA:
                return ["kty": "\"OKP\"", "crv": "\"Ed25519\"", "x": quoted(ed25519.publicKey.rawRepresentation)]
            case .rs256:
                let numbers = try #require(DaemonFixture.rsa.key).publicKey.getKeyPrimitives()
                return ["kty": "\"RSA\"", "n": quoted(numbers.modulus), "e": quoted(numbers.publicExponent)]
            }
        }
    }

    var algorithm: String {
        switch kind {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .edDSA: "EdDSA"
        }
    }

    /// RFC 7638: the members, in the order of their names.
    var thumbprint: String {
        get throws {
            Base64URL.encode(Data(SHA256.hash(data: Data(TestProof.object(try jwk).utf8))))
        }
    }

    func signature(of message: Data) throws -> Data {
        switch kind {
        case .es256: return try p256.signature(for: message).rawRepresentation
        case .edDSA: return try ed25519.signature(for: message)
        case .rs256:
            return try #require(DaemonFixture.rsa.key).signature(
                for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5
            ).rawRepresentation
        }
    }

    /// The header of a request with a proof, with the access token if there is one.
    func proof(
        _ method: String = "POST", _ path: String = tokenPath, token: String? = nil,
        change: (inout TestProof) throws -> Void = { _ in }
    ) throws -> [String: String] {
        var proof = TestProof(
            header: ["typ": "\"dpop+jwt\"", "alg": "\"\(algorithm)\""], jwk: try jwk,
            claims: [
                "jti": "\"\(UUID().uuidString)\"", "htm": "\"\(method)\"", "htu": "\"https://identity.test\(path)\"",
                "iat": "\(Int(clock.now.timeIntervalSince1970))",
            ])
        if let token {
            proof.claims["ath"] = "\"\(Base64URL.encode(Data(SHA256.hash(data: Data(token.utf8)))))\""
        }
        try change(&proof)
        var headers = ["dpop": try proof.text(signedBy: self)]
        if let token { headers["authorization"] = "DPoP \(token)" }
        return headers
    }
}

/// A proof before it is signed; each value is JSON.
struct TestProof {
    var header: [String: String]
    var jwk: [String: String]
    var claims: [String: String]
    /// Changes what is sent.
    var after: @Sendable (String) -> String = { $0 }
    var signer: TestKey?

    static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    func text(signedBy key: TestKey) throws -> String {
        var header = header
        if header["jwk"] == nil, !jwk.isEmpty { header["jwk"] = Self.object(jwk) }
        let input =
            Base64URL.encode(Data(Self.object(header).utf8)) + "."
            + Base64URL.encode(Data(Self.object(claims).utf8))
        return after(input + "." + Base64URL.encode(try (signer ?? key).signature(of: Data(input.utf8))))
    }
}

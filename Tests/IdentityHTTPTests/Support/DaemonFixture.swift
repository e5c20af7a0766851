import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// A daemon of ``TestDirectory`` with three secrets and two keys, and what it signs.
enum DaemonFixture {
    static let development = "44445555-aaaa-6666-bbbb-7777cccc8888"
    static let id = ClientID(UUID(uuid: (0x99, 0x99, 0, 0, 0xDA, 0xE0, 0, 0, 0xBB, 0xBB, 0, 0, 0, 0, 0, 1)))
    static let secret = "first-secret-of-the-daemon-with:colon"
    static let otherSecret = "second-secret-of-the-daemon"
    /// Ends after 30 days.
    static let shortSecret = "short-lived-secret"
    /// Begins after a day.
    static let laterSecret = "later-secret"
    static let audience = "https://identity.test/aaaabbbb-0000-cccc-1111-dddd2222eeee/oauth2/v2.0/token"

    static let rsa = RSAKey.shared
    static let p256 = P256.Signing.PrivateKey()

    /// An RSA key takes a moment to make.
    struct RSAKey: Sendable {
        static let shared = RSAKey()
        let key: _RSA.Signing.PrivateKey?

        private init() {
            do {
                key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            } catch {
                Issue.record("no RSA key: \(error)")
                key = nil
            }
        }
    }

    static let daemon = Daemon(
        id: id, displayName: "Job",
        roles: ["api://orders/Orders.Process", "api://orders/Orders.Read", "User.Read.All"],
        secrets: [
            secret(1, secret, days: 365), secret(2, otherSecret, days: 365), secret(3, shortSecret, days: 30),
            secret(4, laterSecret, days: 365, from: 1),
        ],
        keys: [
            key(5, rsa.key?.publicKey.pemRepresentation ?? "", days: 365),
            key(6, p256.publicKey.pemRepresentation, days: 60),
        ])

    private static func secret(_ number: UInt8, _ text: String, days: Double, from start: Double? = nil) -> DaemonSecret
    {
        DaemonSecret(
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)), displayName: "", hint: "",
            digest: DaemonSecret.digest(of: Secret(text)),
            startsAt: start.map { IdentityTestServer.start + $0 * 86_400 },
            endsAt: IdentityTestServer.start + days * 86_400)
    }

    private static func key(_ number: UInt8, _ pem: String, days: Double) -> DaemonKey {
        DaemonKey(
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)), publicKey: pem,
            endsAt: IdentityTestServer.start + days * 86_400)
    }

    /// The algorithms, and a key that is not the daemon's.
    enum Signer: String, CaseIterable, Sendable {
        case rs256 = "RS256"
        case ps256 = "PS256"
        case es256 = "ES256"
        case stranger = "ES256 "

        func signature(of message: Data) throws -> Data {
            let digest = SHA256.hash(data: message)
            switch self {
            case .rs256: return try rsaKey.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
            case .ps256: return try rsaKey.signature(for: digest, padding: .PSS).rawRepresentation
            case .es256: return try p256.signature(for: digest).rawRepresentation
            case .stranger: return try P256.Signing.PrivateKey().signature(for: digest).rawRepresentation
            }
        }

        private var rsaKey: _RSA.Signing.PrivateKey {
            get throws { try #require(rsa.key) }
        }
    }

    /// An assertion as the released client of the vendor sends it: a padded thumbprint, and times with fractions.
    ///
    /// - Parameters:
    ///   - life: Seconds from the start of the server until `exp`.
    ///   - claims: JSON of claims, in place of those with the same name.
    static func assertion(
        _ signer: Signer = .es256, life: Double = 600.25, id jti: String = UUID().uuidString,
        audience: String = audience, client: String = id.description, header: String = "", claims: String = "",
        without removed: String? = nil
    ) throws -> String {
        let start = IdentityTestServer.start.timeIntervalSince1970
        var members = [
            "iss": "\"\(client)\"", "sub": "\"\(client)\"", "aud": "\"\(audience)\"", "jti": "\"\(jti)\"",
            "exp": "\(start + life)", "iat": "\(start + 0.125)",
        ]
        if let removed { members[removed] = nil }
        let json =
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",") + claims + "}"
        let algorithm = signer.rawValue.prefix(5)
        let head = #"{"alg":"\#(algorithm)","typ":"JWT","x5t":"q7QKm0wnN2F3cGxlb2Y0YXNzZXI="\#(header)}"#
        let input = Base64URL.encode(head.utf8) + "." + Base64URL.encode(json.utf8)
        return input + "." + Base64URL.encode(try signer.signature(of: Data(input.utf8)))
    }
}

extension WireClient {
    /// Asks for a daemon's token with a secret in the form.
    func daemonToken(
        _ secret: String = "development", id: String = DaemonFixture.development,
        scope: String = "https://graph.microsoft.com/.default", headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        try await post(
            .token,
            [
                ("client_id", id), ("grant_type", "client_credentials"), ("client_secret", secret), ("scope", scope),
                ("client_info", "1"), ("claims", #"{"access_token":{"xms_cc":{"values":["CP1"]}}}"#),
            ], headers: headers)
    }

    /// Asks as the development tenant's daemon, with these fields in place of its own.
    func daemonToken(changing fields: Fields, headers: [String: String] = [:]) async throws -> WireAnswer {
        let usual: Fields = [
            ("client_id", DaemonFixture.development), ("grant_type", "client_credentials"),
            ("client_secret", "development"), ("scope", "https://graph.microsoft.com/.default"),
        ]
        return try await post(
            .token, usual.filter { field in !fields.contains { $0.name == field.name } } + fields, headers: headers)
    }

    /// Asks for a token of the fixture's daemon with an assertion.
    func daemonToken(
        assertion: String, id: String = DaemonFixture.id.description, scope: String = "api://orders/.default"
    ) async throws -> WireAnswer {
        try await post(
            .token,
            [
                ("client_id", id), ("grant_type", "client_credentials"), ("client_assertion", assertion),
                ("client_assertion_type", ClientCredentialsRequest.assertionType), ("scope", scope),
            ])
    }
}

import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

@Suite("Tokens and assertions of daemons") struct DaemonTokenTests {
    private static let tenant = TenantID(.fixture(1))
    private static let issuer = "https://contoso.example"
    private static let now = Date(timeIntervalSince1970: 1_700_000_020)

    private func subject(roles: [String] = ["Orders.Process"], byAssertion: Bool = false) -> DaemonTokenSubject {
        DaemonTokenSubject(
            tenant: Self.tenant, daemon: ClientID(.fixture(5)), audience: "api://orders", roles: roles,
            isProvenByAssertion: byAssertion, issuedAt: Date(timeIntervalSince1970: 1_700_000_010.9), lifetime: 3_599,
            tokenID: .fixture(9), issuer: Self.issuer)
    }

    @Test(
        "docs/protocol.md §19.3: a daemon's token has these claims and no others",
        arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func claims(algorithm: SigningKeyRecord.Algorithm) async throws {
        let ring = KeyRing.fixture(algorithm: algorithm)
        let token = try await ring.sign(subject(byAssertion: true))
        let parts = try TokenParts(token)
        let id = UUID.fixture(5).text
        #expect(parts.header.contains(#""typ":"at+jwt""#))
        #expect(
            parts.payload == """
                {"aud":"api://orders","azp":"\(id)","azpacr":"2","exp":1700003609,"iat":1700000010,"idtyp":"app",\
                "iss":"https://contoso.example/\(Self.tenant)/v2.0","jti":"\(UUID.fixture(9).text)","nbf":1700000010,\
                "oid":"\(id)","roles":["Orders.Process"],"sub":"\(id)","tid":"\(Self.tenant)","uti":"\(UUID.fixture(9).text)",\
                "ver":"2.0"}
                """)
        let seen = try await ring.verifyDaemon(token, for: Self.tenant, issuer: Self.issuer, now: Self.now)
        #expect(
            seen
                == VerifiedDaemonToken(
                    daemon: ClientID(.fixture(5)), audience: "api://orders", roles: ["Orders.Process"],
                    tokenID: UUID.fixture(9).text, issuedAt: Date(timeIntervalSince1970: 1_700_000_010),
                    expiresAt: Date(timeIntervalSince1970: 1_700_003_609)))
        let plain = try await ring.sign(subject(roles: []))
        let plainClaims = try TokenParts(plain).payload
        #expect(!plainClaims.contains("roles") && plainClaims.contains(#""azpacr":"1""#))
        #expect(
            try await ring.verifyDaemon(plain, for: Self.tenant, issuer: Self.issuer, now: Self.now).roles.isEmpty)
    }

    @Test("SEC-TOK-4: a daemon's token is never taken for a user's, nor a user's for a daemon's")
    func neitherIsTheOther() async throws {
        let ring = KeyRing.fixture()
        let daemons = try await ring.sign(subject())
        let users = try await ring.sign(TokenSubject.fixture())
        await expect(.wrongType) {
            _ = try await ring.verify(daemons, for: Self.tenant, issuer: Self.issuer, now: Self.now)
        }
        for token in [users.accessToken, try #require(users.idToken)] {
            await expect(.wrongType) {
                _ = try await ring.verifyDaemon(token, for: Self.tenant, issuer: Self.issuer, now: Self.now)
            }
        }
        await expect(.wrongIssuer) {
            _ = try await ring.verifyDaemon(daemons, for: Self.tenant, issuer: "https://other", now: Self.now)
        }
        await expect(.expired) {
            _ = try await ring.verifyDaemon(daemons, for: Self.tenant, issuer: Self.issuer, now: Self.now + 3_700)
        }
        await expect(.unknownKey) {
            _ = try await ring.verifyDaemon(
                daemons, for: TenantID(.fixture(4)), issuer: Self.issuer, now: Self.now)
        }
    }

    private enum Refusal: Equatable {
        case wrongType, wrongIssuer, expired, unknownKey
    }

    private func expect(
        _ refusal: Refusal, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: TokenVerificationError.self, sourceLocation: sourceLocation) {
            try await body()
        }
        let found: Refusal? =
            switch error {
            case .wrongType: .wrongType
            case .wrongIssuer: .wrongIssuer
            case .expired: .expired
            case .unknownKey: .unknownKey
            case .malformed, .wrongSignature, .notYetValid, .unavailable, nil: nil
            }
        #expect(found == refusal, "\(String(describing: error))", sourceLocation: sourceLocation)
    }

    // MARK: Assertions

    private static let claims =
        #"{"aud":"https://a","exp":1700000600.5,"iss":"i","jti":"1","sub":"s","other":[1,{"deep":null}]}"#

    private func assertion(
        _ header: String, _ claims: String = claims, sign: (Data) throws -> Data
    ) throws -> Secret<String> {
        let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        return Secret(input + "." + Base64URL.encode(try sign(Data(input.utf8))))
    }

    private func key(_ pem: String) -> DaemonKey {
        DaemonKey(id: .fixture(1), publicKey: pem, endsAt: .distantFuture)
    }

    @Test("docs/protocol.md §19.1: assertions are read after RS256, PS256 and ES256, by the key of the right kind")
    func algorithms() async throws {
        let ring = KeyRing.fixture()
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let other = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let curve = P256.Signing.PrivateKey()
        let keys = [rsa.publicKey.pemRepresentation, curve.publicKey.pemRepresentation].map(key)
        func rs256(_ message: Data) throws -> Data {
            try rsa.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
        }
        func ps256(_ message: Data) throws -> Data {
            try rsa.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation
        }
        func es256(_ message: Data) throws -> Data {
            try curve.signature(for: SHA256.hash(data: message)).rawRepresentation
        }
        let expected = VerifiedAssertion(
            issuer: "i", subject: "s", audiences: ["https://a"],
            expiresAt: Date(timeIntervalSince1970: 1_700_000_600.5), id: "1")
        let signers: [(String, (Data) throws -> Data)] = [("RS256", rs256), ("PS256", ps256), ("ES256", es256)]
        for (name, sign) in signers {
            let good = try assertion(#"{"alg":"\#(name)","x5t":"qg==","kid":7}"#, sign: sign)
            #expect(try ring.verify(good, signedByOneOf: keys) == expected, "\(name)")
            #expect(throws: AssertionFault.wrongSignature) { try ring.verify(good, signedByOneOf: []) }
            #expect(throws: AssertionFault.wrongSignature) {
                try ring.verify(good, signedByOneOf: [self.key(other.publicKey.pemRepresentation)])
            }
            // The header does not choose how a key is used.
            for (lie, _) in signers where lie != name {
                let lying = try assertion(#"{"alg":"\#(lie)"}"#, sign: sign)
                #expect(throws: AssertionFault.wrongSignature) { try ring.verify(lying, signedByOneOf: keys) }
            }
            for header in [
                #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"RS384"}"#, #"{"typ":"JWT"}"#, "[]",
                #"{"alg":"\#(name)","crit":[]}"#,
            ] {
                let faulty = try assertion(header, sign: sign)
                #expect(throws: AssertionFault.malformed, "\(header)") {
                    try ring.verify(faulty, signedByOneOf: keys)
                }
            }
        }
    }

    @Test("A public key is PEM of RSA with 2048 bits or more, or of P-256; nothing else is one")
    func publicKeys() throws {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let curve = P256.Signing.PrivateKey()
        #expect(DaemonKey.isPublicKey(rsa.publicKey.pemRepresentation))
        #expect(DaemonKey.isPublicKey(curve.publicKey.pemRepresentation + "\n"))
        #expect(DaemonKey.isPublicKey(P384.Signing.PrivateKey().publicKey.pemRepresentation) == false)
        #expect(DaemonKey.isPublicKey(rsa.pemRepresentation) == false)
        #expect(DaemonKey.isPublicKey(curve.pemRepresentation) == false)
        #expect(DaemonKey.isPublicKey("") == false)
        #expect(DaemonKey.isPublicKey(String(repeating: "x", count: 5_000)) == false)
        let small = """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCki2Y9jmpGXE35FLT8hV8QSvLZ
            3lwi5zXkA2EATIINJWrIk3zlzf5TgF9w13ajw6OEX9g3NY5X3zWkQZmhojCNU7yb
            Mv2wYuiST2J3JQ3tepyzOatX51lvsqDwq0MnyNndSYNHcGetgpmLNwF4x65RJt10
            QBqxrMWC+QSRUO1IQwIDAQAB
            -----END PUBLIC KEY-----
            """
        #expect(DaemonKey.isPublicKey(small) == false)
    }
}

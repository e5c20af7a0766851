import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityHooks

/// The secret of Apple's clients, and how secrets are sent.
@Suite("Secrets for identity providers", .timeLimit(.minutes(1))) struct AppleClientSecretTests {
    private static let name = IdentityProvider.AppleKey(
        variable: "PROVIDER_APPLE", team: "A1B2C3D4E5", key: "F6G7H8J9K0")
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private struct Claims: Codable, Equatable {
        var iss, sub, aud: String
        var iat, exp: Int
    }

    private func expectRight(_ token: String, by key: P256.Signing.PublicKey) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(parts[2])))
        #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let header = try JSONDecoder().decode([String: String].self, from: try #require(Base64URL.decode(parts[0])))
        #expect(header == ["alg": "ES256", "kid": "F6G7H8J9K0"])
        let claims = try JSONDecoder().decode(Claims.self, from: try #require(Base64URL.decode(parts[1])))
        #expect(
            claims
                == Claims(
                    iss: "A1B2C3D4E5", sub: "com.example.pages", aud: "https://appleid.apple.com",
                    iat: 1_800_000_000, exp: 1_800_000_300))
    }

    @Test("SEC-FED-14: Apple's secret is made of the key in each form in which an environment can have it")
    func forms() throws {
        let key = P256.Signing.PrivateKey()
        let pem = key.pemRepresentation
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.filter { !$0.hasPrefix("-") }
        let forms = [
            pem, pem + "\n", lines.joined(separator: "\r\n"), lines.joined(separator: "\\n"),
            lines.joined(separator: " "), body.joined(), body.joined(separator: "\n"),
        ]
        for form in forms {
            let secret = try #require(AppleClientSecret(Secret(form), Self.name), "\(forms.firstIndex(of: form) ?? -1)")
            try expectRight(try secret.token(for: "com.example.pages", now: Self.now).reveal(), by: key.publicKey)
        }
    }

    @Test("SEC-FED-14: what is no key for ES256 makes no secret")
    func noKeys() {
        let others = [
            "", "\n", "a secret", "AAAA", "-----BEGIN PRIVATE KEY-----",
            P256.Signing.PrivateKey().publicKey.pemRepresentation,
            P384.Signing.PrivateKey().pemRepresentation,
            Curve25519.Signing.PrivateKey().rawRepresentation.base64EncodedString(),
            String(P256.Signing.PrivateKey().pemRepresentation.dropLast(60)), String(repeating: "A", count: 100_000),
        ]
        for text in others { #expect(AppleClientSecret(Secret(text), Self.name) == nil, "\(text.prefix(40))") }
    }

    @Test("SEC-FED-14: the exchange of a code carries a secret of this moment, and without the key nothing is sent")
    func exchange() async throws {
        let key = P256.Signing.PrivateKey()
        try await Receiver.run { url, log in
            func exchange(_ credential: IdentityProvider.Credential) async throws {
                let documents = HTTPProviderDocuments(OutgoingHTTP(allowsHTTP: true) { _ in true }) { name in
                    ["PROVIDER_APPLE": Secret(key.pemRepresentation), "PROVIDER_OTHER": Secret("s3cret")][name]
                }
                _ = try await documents.exchange(
                    ProviderCodeExchange(
                        endpoint: "\(url)/claims",
                        code: ProviderCode(
                            code: Secret("code"), redirect: "https://a.example/back", verifier: Secret("verifier")),
                        client: ProviderClient(id: "com.example.pages", credential: credential), now: Self.now))
            }
            func sent() throws -> [String: String] {
                let body = String(decoding: try #require(log.entries.last).body, as: UTF8.self)
                return Dictionary(
                    body.split(separator: "&").map { pair in
                        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                        return (parts[0], parts.count > 1 ? parts[1] : "")
                    }, uniquingKeysWith: { first, _ in first })
            }
            try await exchange(.appleKey(Self.name))
            try expectRight(try #require(try sent()["client_secret"]), by: key.publicKey)
            try await exchange(.secret(variable: "PROVIDER_OTHER"))
            #expect(try sent()["client_secret"] == "s3cret")
            try await exchange(.none)
            #expect(try sent()["client_secret"] == nil && log.entries.count == 3)
            for credential in [
                IdentityProvider.Credential.secret(variable: "PROVIDER_NONE"),
                .appleKey(.init(variable: "PROVIDER_NONE", team: "A1B2C3D4E5", key: "F6G7H8J9K0")),
                .appleKey(.init(variable: "PROVIDER_OTHER", team: "A1B2C3D4E5", key: "F6G7H8J9K0")),
            ] {
                await #expect(throws: ProviderFault.refused) { try await exchange(credential) }
            }
            #expect(log.entries.count == 3)
            // The end of a token has the same proof, and no code.
            let documents = HTTPProviderDocuments(OutgoingHTTP(allowsHTTP: true) { _ in true }) { _ in
                Secret(key.pemRepresentation)
            }
            func revoke(at path: String) async throws {
                try await documents.revoke(
                    ProviderRevocation(
                        endpoint: "\(url)/\(path)", token: Secret("refresh"),
                        client: ProviderClient(id: "com.example.app", credential: .appleKey(Self.name)), now: Self.now))
            }
            try await revoke(at: "claims")
            let form = try sent()
            #expect(form["token"] == "refresh" && form["token_type_hint"] == "refresh_token" && form["code"] == nil)
            #expect(form["client_id"] == "com.example.app" && form["client_secret"]?.split(separator: ".").count == 3)
            await #expect(throws: ProviderFault.unavailable) { try await revoke(at: "error") }
        }
    }
}

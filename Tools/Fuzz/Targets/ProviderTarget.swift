import Crypto
import Foundation
import IdentityEngine
import IdentityTokens
import NativeAuthCore

/// Modified tokens and documents of identity providers (`SEC-FED-1`, `SEC-FED-2`): a token, the claims of a token that is signed
/// anew, and the two documents. A token that counts has the bytes that the provider signed; claims that count name its issuer and
/// its app, and a subject of 1 to 255 letters.
struct ProviderTarget: Target {
    static let name = "providers"
    static let share = (release: 50, debug: 10)

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let provider = IdentityProvider(
        id: "harbour", displayName: "Harbour", issuer: "https://id.test", nativeClients: ["com.example.app"],
        authority: .domains(["example.com"]))
    private let key = P256.Signing.PrivateKey()
    private let token: String
    private let claims: String
    private let tokens: Mutator
    private let texts: Mutator
    private let documents: Mutator

    init() async throws {
        claims = """
            {"iss":"https://id.test","aud":"com.example.app","sub":"7","exp":1800000600,"iat":1800000000,\
            "nonce":"n","email":"dana@example.com","email_verified":true,"given_name":"Dana"}
            """
        token = try Self.signed(claims, key)
        tokens = Mutator(
            [token], words: [".", "..", "=", "e30", "eyJhbGciOiJub25lIn0", String(repeating: "A", count: 2_000)],
            bytes: [[0xFF]], long: 20_000)
        texts = Mutator(
            [claims],
            words: [
                "1e308", "-1e308", "1e400", "9223372036854775808", "null", "[]", "{}", "true", "\"true\"",
                "\"aud\":[\"com.example.app\",\"other\"],", "\"azp\":\"com.example.app\",", "\"sub\":\"8\",",
                "\\u0000", "\\ud800", "\"nbf\":1e300,", "\"email\":\"a@b.example.com\",",
                String(repeating: "[", count: 600),
            ], bytes: [[0xFF], [0xEF, 0xBB, 0xBF]], long: 16_384)
        documents = Mutator(
            [
                """
                {"issuer":"https://id.test","jwks_uri":"https://id.test/keys","token_endpoint":"https://id.test/token"}
                """,
                Self.keys(of: key),
            ],
            words: [
                "\"use\":\"enc\",", "\"kty\":\"oct\",\"k\":\"AAAA\",", "\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",",
                "\"d\":\"AAAA\",", "\"crv\":\"P-384\",", "http://id.test", "null", "[]", "\"keys\":[],",
            ], bytes: [[0xFF]], long: 16_384)
    }

    /// A byte for the part that is modified, and the part.
    func input(_ chance: inout Chance) -> [UInt8] {
        let part = UInt8(chance.below(4))
        return [part]
            + (part == 0
                ? tokens.input(&chance)
                : part == 1 ? texts.input(&chance) : documents.mutated(documents.seeds[Int(part - 2)], &chance))
    }

    func check(_ input: [UInt8]) async throws -> Bool {
        guard let part = input.first else { return false }
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        let presented = part == 0 ? text : part == 1 ? try Self.signed(text, key) : token
        let published = Published(
            discovery: part == 2 ? text : nil, keys: part == 3 ? text : Self.keys(of: key))
        let read: IdentityClaims
        do {
            read = try await ProviderKeys(published).claims(of: Secret(presented), from: provider, now: Self.now)
        } catch {
            return false
        }
        if part == 0 {
            // The signature of ES256 has a second form; what it signs has one.
            let signed = token[..<(token.lastIndex(of: ".") ?? token.endIndex)]
            try demand(presented.utf8.starts(with: signed.utf8), "a token of other bytes counts")
        }
        let found: VerifiedIdentity
        do {
            found = try provider.judge(read, for: provider.nativeClients, method: UUID(), now: Self.now)
        } catch {
            return false
        }
        try demand(read.issuer == provider.issuer, "claims of another issuer count")
        try demand(read.audiences.contains("com.example.app"), "claims for another app count")
        try demand((1...255).contains(found.identity.subject.utf8.count), "a subject without an end counts")
        try demand(found.mailbox == nil || read.isEmailVerified, "an address counts that is not proven")
        return true
    }

    private static func signed(_ claims: String, _ key: P256.Signing.PrivateKey) throws -> String {
        let message =
            Base64URL.encode(Data(#"{"alg":"ES256","kid":"1"}"#.utf8)) + "." + Base64URL.encode(Data(claims.utf8))
        return try message + "." + Base64URL.encode(key.signature(for: Data(message.utf8)).rawRepresentation)
    }

    private static func keys(of key: P256.Signing.PrivateKey) -> String {
        let point = key.publicKey.rawRepresentation
        return """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","use":"sig","x":"\(Base64URL.encode(point.prefix(32)))",\
            "y":"\(Base64URL.encode(point.suffix(32)))"}]}
            """
    }

    private struct Published: ProviderDocuments {
        let discovery: String?
        let keys: String

        func document(at url: String) async throws(ProviderFault) -> Data {
            let usual = #"{"issuer":"https://id.test","jwks_uri":"https://id.test/keys"}"#
            return Data((url.hasSuffix("openid-configuration") ? discovery ?? usual : keys).utf8)
        }

        func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data { throw .refused }

        func revoke(_ request: ProviderRevocation) async throws(ProviderFault) { throw .refused }
    }
}

import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

/// Everything that a forger could have, and also the real key.
struct Workshop: Sendable {
    let ring: KeyRing
    let algorithm: SigningKeyRecord.Algorithm
    /// The parts of a good access token: header and claims as JSON, the encoded parts, the whole.
    let header, payload: String
    let parts: [String]
    var token: String { parts.joined(separator: ".") }
    let idToken: String
    let foreignToken: String
    let kid, foreignKid: String
    let jwks: Data
    let key: PrivateKey
    let attackersKey: PrivateKey

    private static let rs256 = Task { try await Workshop(.rs256) }
    private static let es256 = Task { try await Workshop(.es256) }

    static func of(_ algorithm: SigningKeyRecord.Algorithm) async throws -> Workshop {
        switch algorithm {
        case .rs256: try await rs256.value
        case .es256: try await es256.value
        }
    }

    private init(_ algorithm: SigningKeyRecord.Algorithm) async throws {
        self.algorithm = algorithm
        let store = MemoryKeyStore()
        ring = KeyRing.fixture(store, algorithm: algorithm)
        let subject = TokenSubject.fixture(sessionID: .fixture(7))
        let tokens = try await ring.sign(subject)
        let good = try TokenParts(tokens.accessToken)
        (header, payload, kid) = (good.header, good.payload, try good.kid)
        parts = tokens.accessToken.reveal().split(separator: ".").map(String.init)
        idToken = tokens.idToken?.reveal() ?? ""
        jwks = try await ring.jwks(for: subject.tenant)
        let record = await store.records[0]
        let pkcs8 = try Vault.fixture().open(
            record.sealedPrivateKey, for: .signingKey, tenant: record.tenant, context: [Data(record.kid.utf8)])
        key = try PrivateKey(pkcs8: pkcs8, algorithm: algorithm)
        attackersKey = try PrivateKey(generating: algorithm)
        let foreign = try await ring.sign(.fixture(tenant: 4)).accessToken
        foreignToken = foreign.reveal()
        foreignKid = try TokenParts(foreign).kid
    }

    /// The good token with another header, other claims or another signature; with the real key's signature if none is
    /// given.
    func sign(_ header: String, _ payload: String, with key: PrivateKey? = nil) throws -> String {
        try sign(Data(header.utf8), Data(payload.utf8), with: key)
    }

    func sign(_ header: Data, _ payload: Data, with key: PrivateKey? = nil) throws -> String {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let digest = SHA256.hash(data: Data(input.utf8))
        let signature =
            switch key ?? self.key {
            case .rsa(let key): try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
            case .p256(let key): try key.signature(for: digest).rawRepresentation
            }
        return "\(input).\(Base64URL.encode(signature))"
    }

    /// A token with a message authentication code in place of a signature.
    func authenticate<Hash: HashFunction>(_ alg: String, _ secret: Data, _: Hash.Type) -> String {
        let header = Data(header.replacing(algorithm.rawValue, with: alg).utf8)
        let input = "\(Base64URL.encode(header)).\(parts[1])"
        let code = HMAC<Hash>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
        return "\(input).\(Base64URL.encode(code))"
    }

    /// The good token with another signature.
    func signature(_ bytes: [UInt8]) -> String {
        "\(parts[0]).\(parts[1]).\(Base64URL.encode(bytes))"
    }

    var signature: [UInt8] { Array(Base64URL.decode(parts[2]) ?? Data()) }

    var publicDER: Data {
        switch key {
        case .rsa(let key): key.publicKey.derRepresentation
        case .p256(let key): key.publicKey.derRepresentation
        }
    }

    var publicPEM: String {
        switch key {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        }
    }
}

/// A token that must be refused, and the reason.
struct Forgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refusal: String
    let make: @Sendable (Workshop) throws -> String

    init(_ description: String, _ refusal: String, _ make: @escaping @Sendable (Workshop) throws -> String) {
        testDescription = description
        self.refusal = refusal
        self.make = make
    }

    /// The real key signs the good claims under another header.
    static func header(
        _ description: String, _ refusal: String = "unknownKey", _ change: @escaping @Sendable (Workshop) -> String
    ) -> Forgery {
        Forgery("header: \(description)", refusal) { try $0.sign(change($0), $0.payload) }
    }

    /// One more member at the end of the good header.
    static func extra(_ member: String) -> Forgery {
        header("with \(member)") { $0.header.dropLast() + ",\(member)}" }
    }

    /// Another value of `alg`.
    static func alg(_ json: String) -> Forgery {
        header("alg \(json)") { $0.header.replacing("\"\($0.algorithm.rawValue)\"", with: json) }
    }

    /// Another value of `kid`.
    static func kid(_ json: String) -> Forgery {
        header("kid \(json)") { $0.header.replacing("\"\($0.kid)\"", with: json) }
    }

    /// Another value of `typ`.
    static func typ(_ json: String, _ refusal: String = "unknownKey") -> Forgery {
        header("typ \(json)", refusal) { $0.header.replacing(#""at+jwt""#, with: json) }
    }

    /// The real key signs changed claims under the good header.
    static func claims(_ from: String, _ to: String, _ refusal: String) -> Forgery {
        Forgery("claims: \(from) → \(to)", refusal) { try $0.sign($0.header, $0.payload.replacing(from, with: to)) }
    }

    static let all = headers + codes + signatures + shapes + contents

    private static let headers: [Forgery] = [
        alg(#""none""#), alg(#""None""#), alg(#""NONE""#), alg(#""nOnE""#), alg(#""HS256""#), alg(#""PS256""#),
        alg(#""RS384""#), alg(#""ES384""#), alg(#""EdDSA""#), alg(#""rs256""#), alg(#""es256""#), alg(#"["RS256"]"#),
        alg("null"), alg(#""""#),
        header("alg of the other kind of key") {
            $0.header.replacing($0.algorithm.rawValue, with: $0.algorithm == .rs256 ? "ES256" : "RS256")
        },
        header("without alg") { $0.header.replacing("\"alg\":\"\($0.algorithm.rawValue)\",", with: "") },
        header("alg twice, the good one last") { "{\"alg\":\"none\"," + $0.header.dropFirst() },
        header("alg twice, the good one first") { $0.header.dropLast() + #","alg":"none"}"# },
        header("alg with an escape") { $0.header.replacing(#""alg""#, with: #""\u0061lg""#) },
        kid(#""another""#), kid(#""../../../../dev/null""#), kid(#""' OR 1=1 --""#), kid(#""""#), kid("null"),
        kid(#"["a"]"#), kid(#"{"a":1}"#),
        header("kid of another tenant") { $0.header.replacing($0.kid, with: $0.foreignKid) },
        header("without kid") { $0.header.replacing("\"kid\":\"\($0.kid)\",", with: "") },
        header("kid twice") { "{\"kid\":\"another\"," + $0.header.dropFirst() },
        typ(#""JWT""#, "wrongType"), typ(#""AT+JWT""#), typ(#""application/at+jwt""#),
        typ(#""logout+jwt""#, "wrongType"),
        typ(#""""#), typ("null"),
        header("without typ") { $0.header.replacing(#","typ":"at+jwt""#, with: "") },
        extra(#""typ":"JWT""#), extra(#""jku":"https://attacker.example/keys""#),
        extra(#""x5u":"https://attacker.example/chain""#), extra(#""x5c":["AA=="]"#), extra(#""x5t":"AAAA""#),
        extra(#""crit":["b64"],"b64":false"#), extra(#""crit":["exp"]"#), extra(#""crit":[]"#), extra(#""b64":false"#),
        extra(#""zip":"DEF""#), extra(#""cty":"JWT""#), extra(#""enc":"A256GCM""#), extra(#""nonce":"a""#),
        header("with spaces") { $0.header.replacing(",", with: ", ") },
        header("an array") { "[\($0.header)]" }, header("no JSON") { _ in "alg=none" },
        header("its members in another order") {
            #"{"typ":"at+jwt","kid":"\#($0.kid)","alg":"\#($0.algorithm.rawValue)"}"#
        },
        Forgery("header: with the attacker's key as jwk", "unknownKey") { workshop in
            let jwk = try JSONEncoder.sorted.encode(
                PublicJWK(SigningKey(kid: workshop.kid, privateKey: workshop.attackersKey)))
            let header = workshop.header.dropLast() + ",\"jwk\":\(String(decoding: jwk, as: UTF8.self))}"
            return try workshop.sign(String(header), workshop.payload, with: workshop.attackersKey)
        },
    ]

    /// What is public must not be a secret: codes under everything that a server publishes of its key.
    private static let codes: [Forgery] = [
        Forgery("HS256 under the public key, DER", "unknownKey") {
            $0.authenticate("HS256", $0.publicDER, SHA256.self)
        },
        Forgery("HS256 under the public key, PEM", "unknownKey") {
            $0.authenticate("HS256", Data($0.publicPEM.utf8), SHA256.self)
        },
        Forgery("HS256 under the key set", "unknownKey") { $0.authenticate("HS256", $0.jwks, SHA256.self) },
        Forgery("HS256 under no key", "unknownKey") { $0.authenticate("HS256", Data(), SHA256.self) },
        Forgery("HS384 under the public key", "unknownKey") { $0.authenticate("HS384", $0.publicDER, SHA384.self) },
        Forgery("HS512 under the public key", "unknownKey") { $0.authenticate("HS512", $0.publicDER, SHA512.self) },
        Forgery("a code in place of the signature, alg as it was", "wrongSignature") {
            $0.authenticate($0.algorithm.rawValue, $0.publicDER, SHA256.self)
        },
    ]

    private static let signatures: [Forgery] = [
        Forgery("signature of the attacker's key", "wrongSignature") {
            try $0.sign($0.header, $0.payload, with: $0.attackersKey)
        },
        Forgery("signature of nothing but zeros (r = s = 0)", "wrongSignature") {
            $0.signature([UInt8](repeating: 0, count: $0.signature.count))
        },
        Forgery("signature r = s = 1", "wrongSignature") {
            let half = [UInt8](repeating: 0, count: $0.signature.count / 2 - 1) + [1]
            return $0.signature(half + half)
        },
        Forgery("signature r = s = the order of P-256", "wrongSignature") { workshop in
            let order: [UInt8] = [
                0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
                0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
            return workshop.signature(order + order)
        },
        Forgery("signature of ones", "wrongSignature") {
            $0.signature([UInt8](repeating: 0xFF, count: $0.signature.count))
        },
        Forgery("signature with one bit turned", "wrongSignature") {
            var signature = $0.signature
            signature[10] ^= 1
            return $0.signature(signature)
        },
        Forgery("signature without its last byte", "wrongSignature") { $0.signature($0.signature.dropLast()) },
        Forgery("signature with a byte more", "wrongSignature") { $0.signature($0.signature + [0]) },
        Forgery("signature of one byte", "wrongSignature") { $0.signature([0]) },
        Forgery("signature in DER", "wrongSignature") { workshop in
            switch workshop.key {
            case .rsa: return workshop.signature([0x03, 0x82, 0x01, 0x01, 0] + workshop.signature)
            case .p256:
                let signature = try P256.Signing.ECDSASignature(rawRepresentation: workshop.signature)
                return workshop.signature(Array(signature.derRepresentation))
            }
        },
        Forgery("signature of the ID token", "wrongSignature") {
            "\($0.parts[0]).\($0.parts[1]).\($0.idToken.split(separator: ".")[2])"
        },
        Forgery("claims of the ID token", "wrongSignature") {
            "\($0.parts[0]).\($0.idToken.split(separator: ".")[1]).\($0.parts[2])"
        },
        Forgery("claims changed after the signature", "wrongSignature") {
            let changed = $0.payload.replacing("Orders.Read", with: "Orders.Admin")
            return "\($0.parts[0]).\(Base64URL.encode(changed.utf8)).\($0.parts[2])"
        },
    ]

    private static let shapes: [Forgery] = [
        Forgery("nothing", "malformed") { _ in "" }, Forgery("two dots", "malformed") { _ in ".." },
        Forgery("no dot", "malformed") { _ in "token" },
        Forgery("stripped, with the dot", "malformed") { "\($0.parts[0]).\($0.parts[1])." },
        Forgery("stripped, without the dot", "malformed") { "\($0.parts[0]).\($0.parts[1])" },
        Forgery("double dot", "malformed") { "\($0.parts[0])..\($0.parts[2])" },
        Forgery("without header", "malformed") { ".\($0.parts[1]).\($0.parts[2])" },
        Forgery("four parts", "malformed") { "\($0.token).\($0.parts[2])" },
        Forgery("five parts, as an encrypted token", "malformed") { "\($0.token).AAAA.AAAA" },
        Forgery("a dot at the end", "malformed") { "\($0.token)." },
        Forgery("a space in front", "unknownKey") { " \($0.token)" },
        Forgery("a line break behind", "malformed") { "\($0.token)\n" },
        Forgery("with the word Bearer", "unknownKey") { "Bearer \($0.token)" },
        Forgery("with padding", "malformed") { "\($0.token)==" },
        Forgery("claims with padding", "malformed") { "\($0.parts[0]).\($0.parts[1])=.\($0.parts[2])" },
        Forgery("signature with other bits behind its end", "malformed") { workshop in
            let last = workshop.token.last == "A" ? "B" : workshop.token.last == "w" ? "x" : "_"
            return workshop.token.dropLast() + last
        },
        Forgery("signature in ordinary base64", "malformed") {
            "\($0.parts[0]).\($0.parts[1]).+/\($0.parts[2].dropFirst(2))"
        },
        Forgery("a character beyond ASCII", "malformed") { "\($0.parts[0]).\($0.parts[1]).é\($0.parts[2])" },
        Forgery("a zero byte", "malformed") { "\($0.parts[0]).\($0.parts[1]).\u{0}\($0.parts[2])" },
        Forgery("JSON serialization", "malformed") {
            #"{"protected":"\#($0.parts[0])","payload":"\#($0.parts[1])","signature":"\#($0.parts[2])"}"#
        },
        Forgery("huge claims", "malformed") {
            let room = String(repeating: "a", count: CompactToken.longest)
            return try $0.sign($0.header, $0.payload.dropLast() + ",\"room\":\"\(room)\"}")
        },
        Forgery("a huge signature", "malformed") { $0.signature([UInt8](repeating: 1, count: 1_000_000)) },
        Forgery("a million dots", "malformed") { _ in String(repeating: ".", count: 1_000_000) },
        Forgery("nested: a token in a token", "malformed") {
            try $0.sign(Data($0.header.utf8), Data($0.token.utf8))
        },
        Forgery("the ID token", "wrongType") { $0.idToken },
        Forgery("another tenant's token", "unknownKey") { $0.foreignToken },
    ]

    private static let contents: [Forgery] = [
        claims("https://contoso.example", "https://attacker.example", "wrongIssuer"),
        claims("ee01/v2.0", "ee04/v2.0", "wrongIssuer"), claims("ee01/v2.0", "ee01/v2.0/", "wrongIssuer"),
        claims(#"ee01","uti"#, #"ee04","uti"#, "wrongIssuer"),
        claims(#""exp":1700003609,"#, "", "malformed"), claims("1700003609", #""1700003609""#, "malformed"),
        claims("1700003609", "1700003609.5", "malformed"), claims("1700003609", "1e400", "malformed"),
        claims("1700003609", "null", "malformed"), claims("1700003609", "1600000000", "malformed"),
        claims("1700000010", "1700000200", "notYetValid"), claims(#""nbf":1700000010,"#, "", "malformed"),
        claims(#""iat":1700000010"#, #""iat":1700000200"#, "notYetValid"),
        claims(#""nbf":1700000010"#, #""nbf":1700000200"#, "notYetValid"),
        claims(#""iat":1700000010"#, #""iat":1800000000"#, "malformed"),
        claims(#""amr""#, #""exp":9999999999,"amr""#, "malformed"),
        claims(#""ver""#, #""sub":"another","ver""#, "malformed"),
        claims(#""aud""#, #""oid":"another","aud""#, "malformed"),
        claims(#""aud":"api://orders""#, #""aud":["api://orders"]"#, "malformed"),
        claims(#""sub""#, #""\u0073ub""#, "malformed"), claims(",", ", ", "malformed"),
        claims(#""ver":"2.0""#, #""ver":"1.0""#, "malformed"),
        claims(#""ver":"2.0""#, #""ver":"2.0","zzz":null"#, "malformed"),
        claims("ee03", "ee0", "malformed"), claims("ee02", "ee0g", "malformed"), claims("ee07", "ee", "malformed"),
        Forgery("claims: no JSON", "malformed") { try $0.sign($0.header, "sub=ana") },
        Forgery("claims: an array", "malformed") { try $0.sign($0.header, "[\($0.payload)]") },
        Forgery("claims: no text", "malformed") { try $0.sign(Data($0.header.utf8), Data([0x7B, 0xFF, 0xFE, 0x7D])) },
        Forgery("claims: none", "malformed") { try $0.sign($0.header, "{}") },
    ]
}

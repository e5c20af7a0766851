import Crypto
import CryptoExtras
import Foundation

/// The keys of the floor. A server derives its own once per purpose and keeps them, so they cost a step nothing.
struct FloorKeys: Sendable {
    let tokens = SymmetricKey(size: .bits256)
    let mails = SymmetricKey(size: .bits256)
    /// For the digests of names, codes, subjects, sources and domains.
    let digests = SymmetricKey(size: .bits256)
    let audit = SymmetricKey(size: .bits256)
    let signer: Signer

    /// HMAC-SHA-256 over the parts, each prefixed with its length.
    func digest(_ parts: [[UInt8]]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Self.joined(parts), using: digests))
    }

    /// SHA-256 over the parts, each prefixed with its length: what a repeated request is known by.
    static func fingerprint(_ parts: [[UInt8]]) -> [UInt8] {
        Array(SHA256.hash(data: joined(parts)))
    }

    /// AES-256-GCM: nonce (12 bytes), ciphertext, tag (16).
    static func seal(
        _ plaintext: [UInt8], with key: SymmetricKey, nonce: [UInt8], context: [UInt8]
    ) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            plaintext, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
        var sealed = nonce
        sealed.reserveCapacity(plaintext.count + 28)
        sealed.append(contentsOf: box.ciphertext)
        sealed.append(contentsOf: box.tag)
        return sealed
    }

    /// Seals an answer for a repeated request, under a key that only who has the token can derive.
    static func seal(
        answer: [UInt8], underSecret secret: [UInt8], nonce: [UInt8], context: [UInt8]
    ) throws -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array("replay".utf8), outputByteCount: 32)
        return try seal(answer, with: key, nonce: nonce, context: context)
    }

    static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(parts.reduce(0) { $0 + $1.count + 4 })
        for part in parts {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { joined.append(contentsOf: $0) }
            joined.append(contentsOf: part)
        }
        return joined
    }
}

/// The tenant's signing key, made at start.
struct Signer: Sendable {
    enum Algorithm: String, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    private let key: Key
    /// The encoded headers of an access token and of an ID token, with the dot behind each.
    private let accessHeader: [UInt8]
    private let idHeader: [UInt8]

    init(_ algorithm: Algorithm) throws {
        switch algorithm {
        case .rs256: key = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case .es256: key = .p256(P256.Signing.PrivateKey())
        }
        func header(_ type: String) -> [UInt8] {
            let json = #"{"alg":"\#(algorithm.rawValue)","kid":"v7PXxwbrtZPWBQJspYmRGw","typ":"\#(type)"}"#
            return Text.base64URL(Array(json.utf8)) + [0x2E]
        }
        accessHeader = header("at+jwt")
        idHeader = header("JWT")
    }

    /// A signed token with the claims in JSON.
    func token(_ claims: [UInt8], isIDToken: Bool) throws -> [UInt8] {
        var token = isIDToken ? idHeader : accessHeader
        token.append(contentsOf: Text.base64URL(claims))
        let signature = try signature(token)
        token.append(0x2E)
        token.append(contentsOf: Text.base64URL(signature))
        return token
    }

    func signature(_ message: [UInt8]) throws -> Data {
        let digest = SHA256.hash(data: message)
        return switch key {
        case .rsa(let key): try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): try key.signature(for: digest).rawRepresentation
        }
    }
}

/// What a continuation token holds.
struct FlowState {
    /// Where the flow stands, and with it which step may come next.
    enum Place: UInt8 {
        case signUp = 1
        case signUpChallenged = 2
        case signIn = 3
        case signInChallenged = 4
        case proven = 5

        /// The length of a server's sealed state at this place, measured on a run of the bench; the floor's is filled up to it.
        var length: Int {
            switch self {
            case .signUp: 182
            case .signUpChallenged: 188
            case .signIn: 229
            case .signInChallenged: 235
            case .proven: 350
            }
        }
    }

    var place: Place
    var flow: [UInt8]
    var client: [UInt8]
    var startedAt: Int64
    var authenticatedAt: Int64 = 0
    /// Empty until there is one.
    var user: [UInt8] = []
    var codeDigest: [UInt8] = []
    var name: [UInt8]
    var passwordHash: [UInt8] = []

    /// Seals it as a token: version and operations (5 bytes), id of the key (4), nonce, ciphertext, tag, in base64url.
    func token(_ keys: FloorKeys, _ random: inout RandomPool) throws -> [UInt8] {
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(512)
        for time in [startedAt, authenticatedAt] {
            withUnsafeBytes(of: time.bigEndian) { plaintext.append(contentsOf: $0) }
        }
        for part in [flow, client, user, codeDigest, name, passwordHash] {
            plaintext.append(UInt8(part.count))
            plaintext.append(contentsOf: part)
        }
        plaintext.append(contentsOf: repeatElement(0, count: max(0, place.length - plaintext.count)))
        let header: [UInt8] = [4, 0, 0, 0, place.rawValue]
        let sealed = try FloorKeys.seal(
            plaintext, with: keys.tokens, nonce: random.bytes(12), context: header + client)
        return Text.base64URL(header + [0, 0, 0, 0] + sealed)
    }

    /// Opens a token; nil when it was not made here, for another client, or for another place.
    init?(_ token: [UInt8], of client: [UInt8], at place: Place, _ keys: FloorKeys) {
        guard let bytes = Text.bytes(ofBase64URL: token), bytes.count > 37, bytes[4] == place.rawValue else {
            return nil
        }
        let plaintext: Data
        do {
            plaintext = try AES.GCM.open(
                AES.GCM.SealedBox(combined: bytes[9...]), using: keys.tokens,
                authenticating: Array(bytes[..<5]) + client)
        } catch {
            return nil
        }
        let content = [UInt8](plaintext)
        func number(at offset: Int) -> Int64 {
            content.withUnsafeBytes { Int64(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)) }
        }
        var position = 16
        func next() -> [UInt8] {
            let start = position + 1
            position = start + Int(content[position])
            return Array(content[start..<position])
        }
        self.place = place
        startedAt = number(at: 0)
        authenticatedAt = number(at: 8)
        flow = next()
        self.client = next()
        user = next()
        codeDigest = next()
        name = next()
        passwordHash = next()
    }

    init(_ place: Place, flow: [UInt8], client: [UInt8], name: [UInt8], at startedAt: Int64) {
        self.place = place
        self.flow = flow
        self.client = client
        self.name = name
        self.startedAt = startedAt
    }
}

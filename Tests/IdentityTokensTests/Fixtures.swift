import Crypto
import IdentityEngine
import IdentityTokens
import JWTKit
import NativeAuthCore
import PortableFoundation
import Synchronization

/// Stores keys in memory. Can fail, and can hold changes back until several have arrived.
actor MemoryKeyStore: KeyStore {
    private(set) var records: [SigningKeyRecord] = []
    private(set) var reads = 0
    private(set) var updates = 0
    private var isBroken = false
    private var together: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var holdsNextRead = false
    private(set) var heldRead: CheckedContinuation<Void, Never>?

    /// - Parameter updatesTogether: No change continues before this many have begun: none of them has seen the result
    ///   of another.
    init(records: [SigningKeyRecord] = [], updatesTogether: Int = 1) {
        self.records = records
        together = updatesTogether
    }

    func setBroken(_ isBroken: Bool) {
        self.isBroken = isBroken
    }

    /// Holds back the next changes, until `count` have begun.
    func holdUpdates(until count: Int) {
        together = updates + count
    }

    /// The audit events of the changes.
    private(set) var events: [AuditEvent.Kind] = []

    /// Holds the result of the next read back until ``releaseRead()``.
    func holdNextRead() {
        holdsNextRead = true
    }

    func releaseRead() {
        heldRead?.resume()
        heldRead = nil
    }

    /// Lets the held changes continue.
    func releaseUpdates() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        reads += 1
        let found = try present(for: tenant)
        if holdsNextRead {
            holdsNextRead = false
            await withCheckedContinuation { heldRead = $0 }
        }
        return found
    }

    private func present(for tenant: TenantID) throws(StoreError) -> [SigningKeyRecord] {
        if isBroken { throw .unavailable(Broken()) }
        return records.filter { $0.tenant == tenant }.sorted { $0.activeFrom > $1.activeFrom }
    }

    func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        updates += 1
        if updates < together {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            releaseUpdates()
        }
        if let wanted = decide(try present(for: tenant)) {
            records = records.filter { $0.tenant != tenant } + wanted
            if let event { events.append(event.kind) }
        }
        return try present(for: tenant)
    }

    struct Broken: Error {}
}

struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }
}

struct FixedClock: WallClock {
    var now = Date(timeIntervalSince1970: 1_700_000_000)
}

/// Stands still until it is moved.
final class MovingClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { time.withLock { $0 } }

    func move(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

extension Vault {
    /// - Parameter key: Each byte of the master key.
    static func fixture(key: UInt8 = 7) -> Vault {
        Vault(masterKey: SymmetricKey(data: Data(repeating: key, count: 32)), randomness: SystemRandomness())
    }
}

extension KeyRing {
    /// ES256 unless the test is about RSA: its keys are made at once.
    static func fixture(
        _ store: MemoryKeyStore = MemoryKeyStore(), vault: Vault = .fixture(), clock: any WallClock = FixedClock(),
        algorithm: SigningKeyRecord.Algorithm = .es256
    ) -> KeyRing {
        KeyRing(store: store, vault: vault, clock: clock, randomness: SystemRandomness(), algorithm: algorithm)
    }
}

extension UUID {
    /// The UUID whose last two digits are `number`, in hexadecimal.
    static func fixture(_ number: UInt8) -> UUID {
        UUID(uuid: (0xAA, 0xAA, 0xBB, 0xBB, 0, 0, 0xCC, 0xCC, 0x11, 0x11, 0xDD, 0xDD, 0x22, 0x22, 0xEE, number))
    }
}

extension TokenSubject {
    static func fixture(
        tenant: UInt8 = 1, client: UInt8 = 2, user: UInt8 = 3,
        attributes: [String: AttributeValue] = ["displayName": "Ana B", "givenName": "Ana", "surname": "Berg"],
        scopes: [String] = ["Orders.Read", "Orders.Write"],
        openIDScopes: [String] = ["openid", "profile", "offline_access", "email"], methods: [String] = ["pwd", "otp"],
        contexts: [String] = [], sessionID: UUID? = nil, issuedAt: TimeInterval = 1_700_000_010.9,
        lifetime: Int = 3_599,
        idClaims: [String: AttributeValue] = [:], accessClaims: [String: AttributeValue] = [:]
    ) -> TokenSubject {
        let tenant = TenantID(.fixture(tenant))
        return TokenSubject(
            tenant: tenant, client: ClientID(.fixture(client)),
            user: User(
                id: UserID(.fixture(user)), tenant: tenant, email: "ana@example.org", alias: "ana.berg",
                hasPassword: false, attributes: attributes, createdAt: Date(timeIntervalSince1970: 1_600_000_000)),
            audience: "api://orders", scopes: scopes, openIDScopes: openIDScopes,
            authenticatedAt: Date(timeIntervalSince1970: 1_700_000_001.9), methods: methods,
            contexts: contexts, sessionID: sessionID, credentialVersion: 3,
            issuedAt: Date(timeIntervalSince1970: issuedAt), lifetime: lifetime, tokenID: .fixture(9),
            issuer: "https://contoso.example",
            idClaims: idClaims.mapValues { .one($0) }, accessClaims: accessClaims.mapValues { .one($0) })
    }
}

/// The parts of a token, unverified.
struct TokenParts {
    let header: String
    let payload: String
    let signature: Data
    /// The bytes under the signature (RFC 7515 section 5.1).
    let signingInput: Data

    init(_ token: Secret<String>) throws {
        let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw NotCompact() }
        self.header = String(decoding: header, as: UTF8.self)
        self.payload = String(decoding: payload, as: UTF8.self)
        self.signature = signature
        signingInput = Data("\(parts[0]).\(parts[1])".utf8)
    }

    var kid: String {
        get throws { try JSONDecoder().decode(Kid.self, from: Data(header.utf8)).kid }
    }

    var claims: Claims {
        get throws { try JSONDecoder().decode(Claims.self, from: Data(payload.utf8)) }
    }

    struct NotCompact: Error {}

    private struct Kid: Decodable {
        let kid: String
    }
}

/// Some claims of both token types.
struct Claims: JWTPayload {
    let sub: String
    let scp: String?
    let name: String?
    let amr: [String]?
    let acrs: [String]?
    let acr: String?
    let sid: String?

    func verify(using algorithm: some JWTAlgorithm) {}
}

/// A key set as any resource server parses it.
struct KeySet: Decodable {
    let keys: [Key]

    struct Key: Decodable {
        let kid, kty, alg, use: String
        let n, e, crv, x, y: String?
    }

    init(_ json: Data) throws {
        self = try JSONDecoder().decode(KeySet.self, from: json)
    }
}

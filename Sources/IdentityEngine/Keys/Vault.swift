package import Crypto
package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Why a sealed value could not be made or read.
package enum VaultError: Error, Equatable {
    /// Altered, cut, made for another purpose, tenant or context, or under a key that is gone.
    case unreadable
    /// The cipher refused its input; never for values that this package makes.
    case cannotSeal
}

/// Seals and digests under keys that are derived from the data keys: a key of its own for every purpose and tenant
/// (`SEC-TOK-4`). The database has the data keys too, sealed under the master key, which lies elsewhere.
package struct Vault: Sendable {
    /// What a key is for. A value sealed for one purpose does not open for another.
    package enum Purpose: String, Sendable {
        case continuationToken = "continuation-token"
        case oneTimePasscode = "one-time-passcode"
        case outbox
        case signingKey = "signing-key"
        case replay
        case pairwiseSubject = "pairwise-subject"
        case counter
        case refreshToken = "refresh-token"
        case audit

        /// Whether a restore must void what was sealed or digested for it: the database that knew how often it was used is gone
        /// (`REL-BAK-3`).
        fileprivate var endsWithEpoch: Bool {
            switch self {
            case .continuationToken, .oneTimePasscode: true
            case .outbox, .signingKey, .replay, .pairwiseSubject, .counter, .refreshToken, .audit: false
            }
        }
    }

    /// How many bytes of a digest name a key.
    static let idLength = 4

    let masterKey: SymmetricKey
    /// The first 4 bytes of a digest of the master key.
    let masterKeyID: Data
    let randomness: any Randomness
    package let dataKeys: DataKeys
    private let epoch: Data
    private let derivedKeys = DerivedKeys()

    /// - Parameters:
    ///   - masterKey: 256 bits. Backups are sealed under it.
    ///   - randomness: Where nonces come from.
    ///   - epoch: What tells this database from the one that it was restored from; empty when it was not.
    ///   - dataKeys: Nil: the only one is the master key itself, as in a database from before there were any.
    package init(
        masterKey: SymmetricKey, randomness: any Randomness, epoch: Data = Data(), dataKeys: DataKeys? = nil
    ) {
        self.masterKey = masterKey
        self.randomness = randomness
        self.epoch = epoch
        self.dataKeys = dataKeys ?? DataKeys(only: masterKey)
        masterKeyID = Self.id(of: masterKey)
    }

    /// What names a key: the first 4 bytes of a digest of it.
    static func id(of key: SymmetricKey) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data("key-id".utf8), using: key).prefix(idLength))
    }

    /// AES-256-GCM: id of the data key (4 bytes), nonce (12), ciphertext, tag (16).
    ///
    /// - Parameter context: Bound to the value as associated data; the same must be given to open it.
    package func seal(
        _ plaintext: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        let dataKey = dataKeys.sealing
        return dataKey.id
            + (try Self.seal(
                plaintext, with: key(purpose, tenant, from: dataKey), context: context, randomness: randomness))
    }

    /// The reverse of ``seal(_:for:tenant:context:)``.
    package func open(
        _ sealed: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        guard let dataKey = dataKeys.key(Data(sealed.prefix(Self.idLength))) else { throw .unreadable }
        return try Self.open(
            Data(sealed.dropFirst(Self.idLength)), with: key(purpose, tenant, from: dataKey), context: context)
    }

    /// Makes sure that the data key which sealed a value is at hand, if the database has it: another server may have had it
    /// before. To be called before ``open(_:for:tenant:context:)`` where that matters.
    package func learnKey(of sealed: Data, now: Date) async {
        await dataKeys.learn(Data(sealed.prefix(Self.idLength)), now: now)
    }

    /// HMAC-SHA-256 over `parts`, each with its length in front, so that no two lists give the same input (`SEC-SEC-3`). Under
    /// the first data key, so that it stays the same for ever.
    package func digest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        digest(purpose, tenant: tenant, parts, with: dataKeys.first)
    }

    /// The same under the data key in force: for what may be forgotten when the master key is rotated.
    package func passingDigest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        digest(purpose, tenant: tenant, parts, with: dataKeys.sealing)
    }

    /// The same with the id of the data key in front, but for the first one, which has none: ``isMark(_:of:tenant:_:)`` finds
    /// the key by it.
    package func mark(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        let dataKey = dataKeys.sealing
        let digest = digest(purpose, tenant: tenant, parts, with: dataKey)
        return dataKey.id == dataKeys.first.id ? digest : dataKey.id + digest
    }

    /// Whether ``mark(_:tenant:_:)`` has made `mark` of the same parts.
    package func isMark(_ mark: Data, of purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Bool {
        let isOfTheFirst = mark.count == SHA256.byteCount
        guard let dataKey = isOfTheFirst ? dataKeys.first : dataKeys.key(Data(mark.prefix(Self.idLength))) else {
            return false
        }
        let digest = digest(purpose, tenant: tenant, parts, with: dataKey)
        return Self.areEqual(isOfTheFirst ? mark : Data(mark.dropFirst(Self.idLength)), digest)
    }

    private func digest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data], with dataKey: DataKeys.Key) -> Data {
        Data(
            HMAC<SHA256>.authenticationCode(for: Self.joined(parts), using: key(purpose, tenant, from: dataKey)))
    }

    /// Seals under a key that only `secret` yields: a replay record opens for the holder of the token alone.
    package func seal(_ plaintext: Data, underSecret secret: Data, context: [Data]) throws(VaultError) -> Data {
        try Self.seal(plaintext, with: Self.key(fromSecret: secret), context: context, randomness: randomness)
    }

    /// The reverse of ``seal(_:underSecret:context:)``.
    package func open(_ sealed: Data, underSecret secret: Data, context: [Data]) throws(VaultError) -> Data {
        try Self.open(sealed, with: Self.key(fromSecret: secret), context: context)
    }

    /// SHA-256 over `parts`, each with its length in front.
    package static func fingerprint(_ parts: [Data]) -> Data {
        Data(SHA256.hash(data: joined(parts)))
    }

    /// SHA-256 of `bytes` and nothing else.
    package static func checksum(_ bytes: Data) -> Data {
        Data(SHA256.hash(data: bytes))
    }

    /// Whether two digests are equal, in a time that does not depend on where they differ (`SEC-OTP-8`).
    package static func areEqual(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func key(_ purpose: Purpose, _ tenant: TenantID, from dataKey: DataKeys.Key) -> SymmetricKey {
        derivedKeys.key(.init(purpose: purpose, tenant: tenant, generation: dataKey.generation)) {
            let epoch = purpose.endsWithEpoch && !epoch.isEmpty ? [epoch] : []
            return HKDF<SHA256>.deriveKey(
                inputKeyMaterial: dataKey.root,
                info: Self.joined([Data(purpose.rawValue.utf8), Data(tenant.description.utf8)] + epoch),
                outputByteCount: 32)
        }
    }

    private static func key(fromSecret secret: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("replay".utf8), outputByteCount: 32)
    }

    static func seal(
        _ plaintext: Data, with key: SymmetricKey, context: [Data], randomness: any Randomness
    ) throws(VaultError) -> Data {
        do {
            let nonce = try AES.GCM.Nonce(data: randomness.bytes(12))
            let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: joined(context))
            return Data(nonce) + box.ciphertext + box.tag
        } catch {
            throw .cannotSeal
        }
    }

    static func open(
        _ sealed: Data, with key: SymmetricKey, context: [Data]
    ) throws(VaultError) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: joined(context))
        } catch {
            throw .unreadable
        }
    }

    static func joined(_ parts: [Data]) -> Data {
        var joined = Data()
        for part in parts {
            withUnsafeBytes(of: UInt32(clamping: part.count).bigEndian) { joined.append(contentsOf: $0) }
            joined.append(part)
        }
        return joined
    }
}

/// The keys that were derived already: to derive one takes longer than to use it, and each step uses about ten.
private final class DerivedKeys: Sendable {
    struct Name: Hashable, Sendable {
        let purpose: Vault.Purpose
        let tenant: TenantID
        let generation: Int
    }

    /// Of many tenants the keys are derived anew now and then, so that memory stays bounded.
    private static let most = 4_096
    private let keys = Locked<[Name: SymmetricKey]>([:])

    func key(_ name: Name, derive: () -> SymmetricKey) -> SymmetricKey {
        if let key = keys.withLock({ $0[name] }) { return key }
        let key = derive()
        keys.withLock { keys in
            if keys.count >= Self.most { keys.removeAll() }
            keys[name] = key
        }
        return key
    }
}

package import Crypto
package import NativeAuthCore
package import PortableFoundation

/// Why a value could not be sealed or opened.
package enum VaultError: Error, Equatable {
    /// The value was changed or truncated, was made for another purpose, tenant or context, or its key is gone.
    case unreadable
    /// The cipher refused its input; this never happens for values of this package.
    case cannotSeal
}

/// Seals values and makes digests under keys derived from the data keys, one key for every purpose and tenant
/// (`SEC-TOK-4`). The database also holds the data keys, sealed under the master key, which is stored elsewhere.
package struct Vault: Sendable {
    /// The use of a key. A value sealed for one purpose does not open for another.
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
        case skipToken = "skip-token"
        case operatorFlow = "operator-flow"
        case authorizationCode = "authorization-code"
        /// The state of hosted pages, in the browser.
        case browserFlow = "browser-flow"
        case deviceCode = "device-code"
        /// The secrets of authenticator apps.
        case authenticatorApp = "authenticator-app"
        /// The tokens of providers that are revoked when an identity is removed.
        case providerGrant = "provider-grant"
        /// What providers say of a user once.
        case namesOfIdentity = "names-of-identity"
        /// The key of the provider that a development server plays.
        case sampleProvider = "sample-provider"

        /// Whether a restore must invalidate values of this purpose: the database that counted their uses is gone
        /// (`REL-BAK-3`).
        fileprivate var endsWithEpoch: Bool {
            switch self {
            case .continuationToken, .oneTimePasscode, .operatorFlow, .authorizationCode, .browserFlow,
                .deviceCode:
                true
            case .outbox, .signingKey, .replay, .pairwiseSubject, .counter, .refreshToken, .audit, .skipToken,
                .authenticatorApp, .providerGrant, .namesOfIdentity, .sampleProvider:
                false
            }
        }
    }

    /// The length of a key's id in bytes.
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
    ///   - randomness: The source of nonces.
    ///   - epoch: The value that distinguishes this database from the one that it was restored from; empty when it was
    ///     not restored.
    ///   - dataKeys: The data keys. Nil: the master key itself is the only one, as in a database from before data keys
    ///     existed.
    package init(
        masterKey: SymmetricKey, randomness: any Randomness, epoch: Data = Data(), dataKeys: DataKeys? = nil
    ) {
        self.masterKey = masterKey
        self.randomness = randomness
        self.epoch = epoch
        self.dataKeys = dataKeys ?? DataKeys(only: masterKey)
        masterKeyID = Self.id(of: masterKey)
    }

    /// The id of a key: the first 4 bytes of a digest of it.
    static func id(of key: SymmetricKey) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data("key-id".utf8), using: key).prefix(idLength))
    }

    /// AES-256-GCM: id of the data key (4 bytes), nonce (12), ciphertext, tag (16).
    ///
    /// - Parameter context: Bound to the value as associated data; opening needs the same context.
    package func seal(
        _ plaintext: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        let dataKey = dataKeys.sealing
        return dataKey.id
            + (try Self.seal(
                plaintext, with: keys(purpose, tenant, from: dataKey).seals, context: context, randomness: randomness))
    }

    /// Opens a value of ``seal(_:for:tenant:context:)``.
    package func open(
        _ sealed: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        guard let dataKey = dataKeys.key(Data(sealed.prefix(Self.idLength))) else { throw .unreadable }
        return try Self.open(
            Data(sealed.dropFirst(Self.idLength)), with: keys(purpose, tenant, from: dataKey).seals, context: context)
    }

    /// Loads the data key that sealed a value, if it is unknown and the database has it: another server may have sealed
    /// the value. Call it before ``open(_:for:tenant:context:)`` when values of other servers must open.
    package func loadKey(of sealed: Data, now: Date) async {
        await dataKeys.learn(Data(sealed.prefix(Self.idLength)), now: now)
    }

    /// The claim `sub` of a user: different in every application, and always the same in one (OpenID Connect Core 1.0 section
    /// 8.1).
    package func pairwiseSubject(of user: UserID, for client: ClientID, in tenant: TenantID) -> String {
        Base64URL.encode(
            digest(
                .pairwiseSubject, tenant: tenant,
                [Data(client.description.utf8), Data(user.description.utf8)]))
    }

    /// HMAC-SHA-256 over `parts`, each prefixed with its length, so that no two lists give the same input
    /// (`SEC-SEC-3`). It uses the first data key, so a digest never changes.
    package func digest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        digest(purpose, tenant: tenant, parts, with: dataKeys.first)
    }

    /// The same digest under the active data key, for values that may become invalid when the master key is rotated.
    package func passingDigest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        digest(purpose, tenant: tenant, parts, with: dataKeys.sealing)
    }

    /// The same digest with the id of the data key in front, by which ``verifyMAC(_:of:tenant:_:)`` finds the
    /// key. A code of the first data key has no id.
    package func keyedMAC(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        let dataKey = dataKeys.sealing
        let digest = digest(purpose, tenant: tenant, parts, with: dataKey)
        return dataKey.id == dataKeys.first.id ? digest : dataKey.id + digest
    }

    /// Whether ``keyedMAC(_:tenant:_:)`` made `mac` from the same parts. The library compares in constant time.
    package func verifyMAC(_ mac: Data, of purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Bool {
        let isOfTheFirst = mac.count == SHA256.byteCount
        guard let dataKey = isOfTheFirst ? dataKeys.first : dataKeys.key(Data(mac.prefix(Self.idLength))) else {
            return false
        }
        var code = keys(purpose, tenant, from: dataKey).digests
        code.update(data: Self.joined(parts))
        return code.finalize() == (isOfTheFirst ? mac : mac.dropFirst(Self.idLength))
    }

    private func digest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data], with dataKey: DataKeys.Key) -> Data {
        var code = keys(purpose, tenant, from: dataKey).digests
        code.update(data: Self.joined(parts))
        return code.finalize().withUnsafeBytes { Data(copying: $0) }
    }

    /// Seals under a key derived from `secret` alone: only the holder of the token can open a replay record.
    package func seal(_ plaintext: Data, underSecret secret: Data, context: [Data]) throws(VaultError) -> Data {
        try Self.seal(plaintext, with: Self.key(fromSecret: secret), context: context, randomness: randomness)
    }

    /// Opens a value of ``seal(_:underSecret:context:)``.
    package func open(_ sealed: Data, underSecret secret: Data, context: [Data]) throws(VaultError) -> Data {
        try Self.open(sealed, with: Self.key(fromSecret: secret), context: context)
    }

    /// SHA-256 over `parts`, each prefixed with its length.
    package static func fingerprint(_ parts: [Data]) -> Data {
        SHA256.hash(data: joined(parts)).withUnsafeBytes { Data(copying: $0) }
    }

    /// SHA-256 of `bytes` alone.
    package static func checksum(_ bytes: Data) -> Data {
        SHA256.hash(data: bytes).withUnsafeBytes { Data(copying: $0) }
    }

    /// Whether two digests are equal, in constant time (`SEC-OTP-8`).
    package static func areEqual(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func keys(_ purpose: Purpose, _ tenant: TenantID, from dataKey: DataKeys.Key) -> DerivedKey {
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
            // Nonce, ciphertext and tag; nil for a nonce of another length only.
            if let combined = box.combined { return combined }
        } catch {}
        throw .cannotSeal
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

    static func joined(_ parts: [Data]) -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.count })
        for part in parts {
            withUnsafeBytes(of: UInt32(clamping: part.count).bigEndian) { joined.append(contentsOf: $0) }
            part.withUnsafeBytes { joined.append(contentsOf: $0) }
        }
        return joined
    }
}

/// A key derived for one purpose of a tenant.
private struct DerivedKey: Sendable {
    let seals: SymmetricKey
    /// Begun with the key: each digest continues a copy, because beginning takes longer than the rest of a short one.
    let digests: HMAC<SHA256>

    init(_ key: SymmetricKey) {
        seals = key
        digests = HMAC(key: key)
    }
}

/// A cache of derived keys: deriving a key takes longer than using it, and each step uses about ten.
private final class DerivedKeys: Sendable {
    struct Name: Hashable, Sendable {
        let purpose: Vault.Purpose
        let tenant: TenantID
        let generation: Int
    }

    /// The limit of the cache. With many tenants, keys are derived again from time to time so that memory stays
    /// bounded.
    private static let most = 4_096
    private let keys = Locked<[Name: DerivedKey]>([:])

    func key(_ name: Name, derive: () -> SymmetricKey) -> DerivedKey {
        if let key = keys.withLock({ $0[name] }) { return key }
        let key = DerivedKey(derive())
        keys.withLock { keys in
            if keys.count >= Self.most { keys.removeAll() }
            keys[name] = key
        }
        return key
    }
}

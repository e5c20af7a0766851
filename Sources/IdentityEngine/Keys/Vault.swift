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

/// Seals and digests under keys derived from one master key: a key of its own for every purpose and tenant (`SEC-TOK-4`),
/// all of them outside the database.
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

    let masterKey: SymmetricKey
    /// The first 4 bytes of a digest of the master key.
    let keyID: Data
    let randomness: any Randomness
    private let epoch: Data

    /// - Parameters:
    ///   - masterKey: 256 bits or more. Its identifier, the first 4 bytes of a digest, stands in front of all that it sealed.
    ///   - randomness: Where nonces come from.
    ///   - epoch: What tells this database from the one that it was restored from; empty when it was not.
    package init(masterKey: SymmetricKey, randomness: any Randomness, epoch: Data = Data()) {
        self.masterKey = masterKey
        self.randomness = randomness
        self.epoch = epoch
        let check = HMAC<SHA256>.authenticationCode(for: Data("key-id".utf8), using: masterKey)
        keyID = Data(check.prefix(4))
    }

    /// AES-256-GCM: key id (4 bytes), nonce (12), ciphertext, tag (16).
    ///
    /// - Parameter context: Bound to the value as associated data; the same must be given to open it.
    package func seal(
        _ plaintext: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        keyID + (try Self.seal(plaintext, with: key(purpose, tenant), context: context, randomness: randomness))
    }

    /// The reverse of ``seal(_:for:tenant:context:)``.
    package func open(
        _ sealed: Data, for purpose: Purpose, tenant: TenantID, context: [Data] = []
    ) throws(VaultError) -> Data {
        guard sealed.prefix(4) == keyID else { throw .unreadable }
        return try Self.open(Data(sealed.dropFirst(4)), with: key(purpose, tenant), context: context)
    }

    /// HMAC-SHA-256 over `parts`, each with its length in front, so that no two lists give the same input (`SEC-SEC-3`).
    package func digest(_ purpose: Purpose, tenant: TenantID, _ parts: [Data]) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Self.joined(parts), using: key(purpose, tenant)))
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

    private func key(_ purpose: Purpose, _ tenant: TenantID) -> SymmetricKey {
        let epoch = purpose.endsWithEpoch && !epoch.isEmpty ? [epoch] : []
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: masterKey,
            info: Self.joined([Data(purpose.rawValue.utf8), Data(tenant.description.utf8)] + epoch),
            outputByteCount: 32)
    }

    private static func key(fromSecret secret: Data) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("replay".utf8), outputByteCount: 32)
    }

    private static func seal(
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

    private static func open(
        _ sealed: Data, with key: SymmetricKey, context: [Data]
    ) throws(VaultError) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: joined(context))
        } catch {
            throw .unreadable
        }
    }

    private static func joined(_ parts: [Data]) -> Data {
        var joined = Data()
        for part in parts {
            withUnsafeBytes(of: UInt32(clamping: part.count).bigEndian) { joined.append(contentsOf: $0) }
            joined.append(part)
        }
        return joined
    }
}

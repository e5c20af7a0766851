import Dispatch
package import IdentityEngine
import JWTKit
package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Signs tokens with keys that are made once per tenant, sealed in the ``KeyStore`` and opened once per process.
///
/// A tenant's first call, or ``prepare(for:)``, loads its keys and makes one when there is none of the chosen algorithm. Calls that come
/// meanwhile wait for that one attempt; a failed attempt is forgotten, and the next call tries again. Of two processes that start
/// together one inserts its key, and both go on with that key.
package actor KeyRing: TokenIssuer {
    private let store: any KeyStore
    private let vault: Vault
    private let clock: any WallClock
    private let randomness: any Randomness
    private let algorithm: SigningKeyRecord.Algorithm
    private let worker = DispatchQueue(label: "native-auth.signing-keys")
    private var loads: [TenantID: Task<TenantKeys, any Error>] = [:]

    /// - Parameters:
    ///   - store: Keeps the sealed keys.
    ///   - vault: Seals them (`SEC-TOK-6`), and makes the pairwise `sub`.
    ///   - clock: Says when a key was made. The times in a token come from its ``TokenSubject`` alone.
    ///   - randomness: Where a `kid` comes from. The keys themselves come from the generator of the crypto library.
    ///   - algorithm: Of the key that signs: RSA with 2048 bits, or P-256 (`SEC-TOK-2`). Keys of the other algorithm stay in the
    ///     key set, so that tokens from before a change of this setting still verify.
    package init(
        store: any KeyStore, vault: Vault, clock: any WallClock, randomness: any Randomness,
        algorithm: SigningKeyRecord.Algorithm = .rs256
    ) {
        self.store = store
        self.vault = vault
        self.clock = clock
        self.randomness = randomness
        self.algorithm = algorithm
    }

    /// Loads the tenant's keys ahead of its first token, and makes the first one when there is none.
    ///
    /// - Throws: ``TokenIssuerError/unavailable(_:)`` when the store fails, or a stored key does not open under this master key.
    ///   A new key never takes the place of one that does not open.
    package func prepare(for tenant: TenantID) async throws(TokenIssuerError) {
        _ = try await keys(for: tenant)
    }

    /// Equal subjects give equal bytes under an RSA key: claims are sorted, and the padding of RS256 is deterministic
    /// (RFC 8017 section 8.2).
    package nonisolated func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens {
        let keys = try await keys(for: subject.tenant)
        let claims = CommonClaims(
            subject,
            pairwiseSubject: Base64URL.encode(
                vault.digest(
                    .pairwiseSubject, tenant: subject.tenant,
                    [Data(subject.client.description.utf8), Data(subject.user.id.description.utf8)])))
        do {
            let accessToken = try await keys.sign(AccessTokenClaims(claims, subject), type: "at+jwt")
            guard subject.openIDScopes.contains("openid") else {
                return SignedTokens(accessToken: accessToken, idToken: nil)
            }
            return SignedTokens(
                accessToken: accessToken, idToken: try await keys.sign(IDTokenClaims(claims, subject), type: "JWT"))
        } catch {
            throw .unavailable(error)
        }
    }

    package nonisolated func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data {
        try await keys(for: tenant).jwks
    }

    private func keys(for tenant: TenantID) async throws(TokenIssuerError) -> TenantKeys {
        let load = loads[tenant] ?? Task { try await loadKeys(for: tenant) }
        loads[tenant] = load
        do {
            return try await load.value
        } catch {
            // Another caller may have begun the next attempt by now; that one stays.
            if loads[tenant] == load { loads[tenant] = nil }
            throw .unavailable(error)
        }
    }

    private func loadKeys(for tenant: TenantID) async throws -> TenantKeys {
        // All keys are opened before one is made: under a wrong master key nothing may be written.
        var keys = try await open(store.signingKeys(for: tenant))
        if !keys.contains(where: { $0.algorithm == algorithm }) {
            keys = try await open(store.insertFirstSigningKey(newRecord(for: tenant)))
        }
        return try await TenantKeys(keys, signingWith: algorithm)
    }

    private func newRecord(for tenant: TenantID) async throws -> SigningKeyRecord {
        let kid = Base64URL.encode(randomness.bytes(16))
        let createdAt = clock.now
        return try await onWorker { [vault, algorithm] in
            SigningKeyRecord(
                tenant: tenant, kid: kid, algorithm: algorithm,
                sealedPrivateKey: try vault.seal(
                    PrivateKey(generating: algorithm).pkcs8, for: .signingKey, tenant: tenant,
                    context: [Data(kid.utf8)]),
                createdAt: createdAt)
        }
    }

    private func open(_ records: [SigningKeyRecord]) async throws -> [SigningKey] {
        try await onWorker { [vault] in
            try records.map { record in
                let pkcs8 = try vault.open(
                    record.sealedPrivateKey, for: .signingKey, tenant: record.tenant, context: [Data(record.kid.utf8)])
                return SigningKey(
                    kid: record.kid, privateKey: try PrivateKey(pkcs8: pkcs8, algorithm: record.algorithm))
            }
        }
    }

    /// Runs work of many milliseconds on a thread of its own, so that it holds none of the cooperative pool.
    private func onWorker<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            worker.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}

/// A tenant's opened keys.
private struct TenantKeys: Sendable {
    /// All public keys, in the store's order, as a JSON Web Key Set.
    let jwks: Data
    private let active: JWKIdentifier
    private let collection = JWTKeyCollection()

    /// - Parameter keys: Newest first.
    init(_ keys: [SigningKey], signingWith algorithm: SigningKeyRecord.Algorithm) async throws {
        guard let newest = keys.first(where: { $0.algorithm == algorithm }) else {
            throw StoreError.corrupt("no signing key stands after one was inserted")
        }
        active = JWKIdentifier(string: newest.kid)
        try await newest.add(to: collection)
        jwks = try JSONEncoder.sorted.encode(["keys": keys.map { try PublicJWK($0) }])
    }

    func sign(_ claims: some JWTPayload, type: String) async throws -> Secret<String> {
        var header = JWTHeader()
        header.typ = type
        return Secret(try await collection.sign(claims, kid: active, header: header))
    }
}

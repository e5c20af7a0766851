import IdentityEngine
import IdentityTokens
import JWTKit
import NativeAuthCore
import PortableFoundation
import Testing

@Suite struct KeyRingTests {
    let tenant = TokenSubject.fixture().tenant

    @Test func callsThatComeTogetherMakeOneKey() async throws {
        let store = MemoryKeyStore()
        let ring = KeyRing.fixture(store)
        let kids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask { try TokenParts(await ring.sign(.fixture()).accessToken).kid }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(kids.count == 1)
        #expect(await store.updates == 1)
    }

    @Test("SEC-TOK-4: two nodes that find no key end with the same one")
    func twoNodesEndWithTheSameKey() async throws {
        let store = MemoryKeyStore(updatesTogether: 2)
        async let one = KeyRing.fixture(store).sign(.fixture())
        async let other = KeyRing.fixture(store).sign(.fixture())
        let kids = try await [TokenParts(one.accessToken).kid, TokenParts(other.accessToken).kid]
        #expect(await store.updates == 2)
        #expect(await store.records.map(\.kid) == [kids[0]])
        #expect(kids[0] == kids[1])
    }

    @Test("SEC-TOK-11: a restart keeps the key, and tokens from before still verify")
    func aRestartKeepsTheKey() async throws {
        let store = MemoryKeyStore()
        let old = try await KeyRing.fixture(store, algorithm: .rs256).sign(.fixture()).accessToken
        let restarted = KeyRing.fixture(store, algorithm: .rs256)
        #expect(try TokenParts(await restarted.sign(.fixture()).accessToken).kid == TokenParts(old).kid)
        try await verify(old, with: restarted.jwks(for: tenant))
    }

    @Test func aPreparedTenantNeedsTheStoreNoMore() async throws {
        let store = MemoryKeyStore()
        let ring = KeyRing.fixture(store)
        try await ring.prepare(for: tenant)
        await store.setBroken(true)
        let token = try await ring.sign(.fixture()).accessToken
        try await verify(token, with: ring.jwks(for: tenant))
    }

    @Test func anOutageOfTheStoreIsOverWhenTheStoreIsBack() async throws {
        let store = MemoryKeyStore()
        let ring = KeyRing.fixture(store)
        await store.setBroken(true)
        await #expect(throws: TokenIssuerError.self) { try await ring.sign(.fixture()) }
        await #expect(throws: TokenIssuerError.self) { try await ring.jwks(for: tenant) }
        await store.setBroken(false)
        let token = try await ring.sign(.fixture()).accessToken
        try await verify(token, with: ring.jwks(for: tenant))
    }

    @Test(
        "SEC-TOK-6: under another master key nothing is signed and no key is made",
        arguments: [SigningKeyRecord.Algorithm.es256, .rs256])
    func anotherMasterKeyIsRefused(algorithm: SigningKeyRecord.Algorithm) async throws {
        let store = MemoryKeyStore()
        try await KeyRing.fixture(store, algorithm: .es256).prepare(for: tenant)
        let ring = KeyRing.fixture(store, vault: .fixture(key: 8), algorithm: algorithm)
        do {
            _ = try await ring.sign(.fixture())
            Issue.record("signed without the master key")
        } catch {
            guard case .unavailable(VaultError.unreadable) = error else {
                Issue.record("unexpected \(error)")
                return
            }
        }
        #expect(await store.records.count == 1)
    }

    @Test(
        "SEC-TOK-6: the stored record contains no private key in clear",
        arguments: [SigningKeyRecord.Algorithm.rs256, .es256])
    func theStoredRecordHoldsNoPrivateKeyInClear(algorithm: SigningKeyRecord.Algorithm) async throws {
        let store = MemoryKeyStore()
        try await KeyRing.fixture(store, algorithm: algorithm).prepare(for: tenant)
        let record = try #require(await store.records.first)
        // Every PKCS #8 file names the kind of its key: rsaEncryption or id-ecPublicKey.
        let objectIdentifier: [UInt8] =
            switch algorithm {
            case .rs256: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
            case .es256: [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
            }
        let opened = try Vault.fixture().open(
            record.sealedPrivateKey, for: .signingKey, tenant: tenant, context: [Data(record.kid.utf8)])
        #expect(Array(opened).contains(objectIdentifier), "the search finds a key in clear")
        #expect(!Array(record.sealedPrivateKey).contains(objectIdentifier))
    }

    @Test("SEC-TOK-4: a key moved to another tenant or another kid does not open")
    func aMovedKeyDoesNotOpen() async throws {
        let store = MemoryKeyStore()
        try await KeyRing.fixture(store).prepare(for: tenant)
        let record = try #require(await store.records.first)
        var elsewhere = record
        elsewhere.tenant = TenantID(.fixture(4))
        var renamed = record
        renamed.kid = "another"
        for moved in [elsewhere, renamed] {
            let ring = KeyRing.fixture(MemoryKeyStore(records: [moved]))
            await #expect(throws: TokenIssuerError.self) { try await ring.jwks(for: moved.tenant) }
        }
    }

    @Test("SEC-TOK-4: a token of one tenant is refused under the keys of another")
    func tenantsHaveDifferentKeys() async throws {
        let ring = KeyRing.fixture()
        let token = try await ring.sign(.fixture(tenant: 1)).accessToken
        let foreign = try await ring.jwks(for: TenantID(.fixture(4)))
        await #expect(throws: JWTError.self) { try await verify(token, with: foreign) }
    }

    @Test func aKidIsNoOptionOfACommand() async throws {
        struct Hyphens: Randomness {
            func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFB, count: count) }
        }
        let store = MemoryKeyStore()
        #expect(Base64URL.encode(Hyphens().bytes(16)).hasPrefix("-"))
        let ring = KeyRing(
            store: store, vault: .fixture(), clock: FixedClock(), randomness: Hyphens(), algorithm: .es256)
        try await ring.prepare(for: tenant)
        #expect(await store.records.allSatisfy { $0.kid.hasPrefix("A") && $0.kid.utf8.count == 22 })
    }

    @Test("RFC 7517: an RSA key is published with its public members only")
    func anRSAKeyIsPublishedWithItsPublicMembersOnly() async throws {
        let ring = KeyRing.fixture(algorithm: .rs256)
        let jwks = try await ring.jwks(for: tenant)
        let key = try #require(KeySet(jwks).keys.first)
        let modulus = try #require(key.n)
        #expect(
            String(decoding: jwks, as: UTF8.self)
                == #"{"keys":[{"alg":"RS256","e":"AQAB","kid":"\#(key.kid)","kty":"RSA","n":"\#(modulus)","use":"sig"}]}"#
        )
        #expect(Base64URL.decode(modulus)?.count == 256)
        #expect(Base64URL.decode(key.kid)?.count == 16)
    }

    @Test("RFC 7517: an elliptic curve key is published with its public members only")
    func anEllipticCurveKeyIsPublishedWithItsPublicMembersOnly() async throws {
        let ring = KeyRing.fixture(algorithm: .es256)
        let jwks = try await ring.jwks(for: tenant)
        let key = try #require(KeySet(jwks).keys.first)
        let (x, y) = try (#require(key.x), #require(key.y))
        #expect(
            String(decoding: jwks, as: UTF8.self)
                == #"{"keys":[{"alg":"ES256","crv":"P-256","kid":"\#(key.kid)","kty":"EC","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#
        )
        #expect(Base64URL.decode(x)?.count == 32)
        #expect(Base64URL.decode(y)?.count == 32)
    }

    private func verify(_ token: Secret<String>, with jwks: Data) async throws {
        let keys = try await JWTKeyCollection().add(jwksJSON: String(decoding: jwks, as: UTF8.self))
        _ = try await keys.verify(token.reveal(), as: Claims.self)
    }
}

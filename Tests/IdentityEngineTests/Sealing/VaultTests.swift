import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Vault")
struct VaultTests {
    private struct Counting: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
    }

    private let vault = Vault(masterKey: SymmetricKey(data: [UInt8](repeating: 1, count: 32)), randomness: Counting())
    private let tenant = TenantID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    private let other = TenantID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    @Test("SEC-TOK-4: what is sealed for one purpose, tenant and context opens for no other")
    func aSealIsBoundToPurposeTenantAndContext() throws {
        let secret = Data("secret".utf8)
        let sealed = try vault.seal(secret, for: .outbox, tenant: tenant, context: [Data("a".utf8)])
        #expect(try vault.open(sealed, for: .outbox, tenant: tenant, context: [Data("a".utf8)]) == secret)
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .replay, tenant: tenant, context: [Data("a".utf8)])
        }
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .outbox, tenant: other, context: [Data("a".utf8)])
        }
        #expect(throws: VaultError.unreadable) {
            try vault.open(sealed, for: .outbox, tenant: tenant, context: [Data("b".utf8)])
        }
        let stranger = Vault(masterKey: SymmetricKey(data: [UInt8](repeating: 2, count: 32)), randomness: Counting())
        #expect(throws: VaultError.unreadable) {
            try stranger.open(sealed, for: .outbox, tenant: tenant, context: [Data("a".utf8)])
        }
    }

    @Test("SEC-CT-3: every flipped bit is noticed")
    func everyFlippedBitIsNoticed() throws {
        let sealed = try vault.seal(Data("secret".utf8), for: .outbox, tenant: tenant)
        for byte in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[byte] ^= 1 << bit
                #expect(throws: VaultError.unreadable) { try vault.open(altered, for: .outbox, tenant: tenant) }
            }
        }
        for length in 0..<sealed.count {
            #expect(throws: VaultError.unreadable) {
                try vault.open(Data(sealed.prefix(length)), for: .outbox, tenant: tenant)
            }
        }
    }

    @Test("SEC-SEC-3: parts are length-prefixed, so that moving a border changes the digest")
    func movingABorderChangesTheDigest() {
        func digest(_ parts: String...) -> Data {
            vault.digest(.oneTimePasscode, tenant: tenant, parts.map { Data($0.utf8) })
        }
        #expect(digest("ab", "c") != digest("a", "bc"))
        #expect(digest("ab", "") != digest("ab"))
        #expect(digest("a", "b") == digest("a", "b"))
    }

    @Test("SEC-LOG-1: a secret does not show itself")
    func aSecretDoesNotShowItself() {
        let secret = Secret("canary-7731")
        var dumped = ""
        dump(secret, to: &dumped)
        dump(ContinuationToken("canary-7731"), to: &dumped)
        dump(PasswordHash(phc: "x"), to: &dumped)
        #expect(!"\(secret)\(String(reflecting: secret))\(dumped)".contains("canary-7731"))
    }
}

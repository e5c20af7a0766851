import Crypto
import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Skip tokens") struct SkipTokenTests {
    private let tokens = SkipTokens(vault: vault(1))
    private let tenant = TenantID(UUID())
    private let query = Data("city eq 'a'".utf8)
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let position = ListPosition(
        .creation(Date(timeIntervalSince1970: 1_799_999_999.125), UserID(UUID())), counts: true)

    private static func vault(_ byte: UInt8) -> Vault {
        Vault(
            masterKey: SymmetricKey(data: Data(repeating: byte, count: 32)), randomness: SystemRandomness())
    }

    @Test("A token opens for its tenant and its query, and says where the next page begins")
    func aTokenOpens() async throws {
        let token = try tokens.seal(position, of: query, tenant: tenant)
        #expect(await tokens.open(token, as: ListPosition.self, of: query, tenant: tenant, now: now) == position)
        #expect(token.utf8.count < 256)
        #expect(try tokens.seal(position, of: query, tenant: tenant) != token)
    }

    @Test("SEC-ADM-8: a token of another tenant, query, purpose or installation does not open")
    func foreignTokensAreRefused() async throws {
        let token = try tokens.seal(position, of: query, tenant: tenant)
        #expect(await tokens.open(token, as: ListPosition.self, of: query, tenant: TenantID(UUID()), now: now) == nil)
        #expect(
            await tokens.open(token, as: ListPosition.self, of: Data("city eq 'b'".utf8), tenant: tenant, now: now)
                == nil)
        #expect(await tokens.open(token, as: ListPosition.self, of: Data(), tenant: tenant, now: now) == nil)
        #expect(
            await SkipTokens(vault: Self.vault(2)).open(
                token, as: ListPosition.self, of: query, tenant: tenant, now: now) == nil)
        let other = try Self.vault(1).seal(Data([1]), for: .continuationToken, tenant: tenant, context: [query])
        #expect(
            await tokens.open(Base64URL.encode([1] + other), as: ListPosition.self, of: query, tenant: tenant, now: now)
                == nil)
    }

    @Test("SEC-ADM-8: 10 000 mutations of a token, and tokens that were made up, do not open")
    func forgedTokensAreRefused() async throws {
        let token = try tokens.seal(position, of: query, tenant: tenant)
        let (text, bytes) = (Array(token.utf8), Array(try #require(Base64URL.decode(token))))
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .%".utf8)
        for _ in 0..<10_000 {
            var (text, bytes) = (text, bytes)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 2: bytes.append(UInt8.random(in: 0...255, using: &random))
            case 3: text[Int.random(in: 0..<text.count, using: &random)] = alphabet.randomElement(using: &random) ?? 0
            case 4: text.remove(at: Int.random(in: 0..<text.count, using: &random))
            case _:
                text.insert(
                    alphabet.randomElement(using: &random) ?? 0, at: Int.random(in: 0...text.count, using: &random))
            }
            for forged in [Base64URL.encode(bytes), String(decoding: text, as: UTF8.self)] where forged != token {
                let opened = await tokens.open(forged, as: ListPosition.self, of: query, tenant: tenant, now: now)
                #expect(opened == nil, "seed \(seed): \(forged)")
            }
        }
        for made in ["", "A", "AQ", "AQAA", "x'; --", "\0", "é", String(repeating: "A", count: 1_000_000)] {
            #expect(await tokens.open(made, as: ListPosition.self, of: query, tenant: tenant, now: now) == nil)
        }
        #expect(await tokens.open(token, as: ListPosition.self, of: query, tenant: tenant, now: now) == position)
    }
}

import Crypto
import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

/// The format of backups: every change of a file is detected.
@Suite("Sealed streams")
struct SealedStreamTests {
    private let vault = Vault(masterKey: SymmetricKey(data: Data(repeating: 1, count: 32)), randomness: Drawn())

    /// Bytes in order, never twice the same ones.
    private final class Drawn: Randomness, @unchecked Sendable {
        private let lock = NSLock()
        private var next: UInt8 = 0

        func bytes(_ count: Int) -> [UInt8] {
            lock.withLock {
                next &+= 1
                return Array(repeating: next, count: count)
            }
        }
    }

    private final class Bytes {
        var data: Data

        init(_ data: Data = Data()) { self.data = data }

        func take(_ count: Int) -> Data {
            defer { data = Data(data.dropFirst(count)) }
            return Data(data.prefix(count))
        }
    }

    private func sealed(_ content: Data, portion: Int = 1_000_000) throws -> Data {
        let file = Bytes()
        var writer = try SealedWriter(vault) { bytes throws(SealedStreamError) in file.data += bytes }
        var rest = content
        while !rest.isEmpty {
            try writer.write(Data(rest.prefix(portion)))
            rest = Data(rest.dropFirst(portion))
        }
        try writer.finish()
        return file.data
    }

    private func opened(_ sealed: Data, _ count: Int, with vault: Vault? = nil) throws -> Data {
        let file = Bytes(sealed)
        var reader = try SealedReader(vault ?? self.vault) { count throws(SealedStreamError) in file.take(count) }
        let content = Data(try reader.read(count))
        try reader.expectEnd()
        return content
    }

    @Test(
        "REL-BAK-1: what was sealed opens, whatever its length and however it was given",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func aStreamReadsBack(_ count: Int) throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(try opened(sealed(content), count) == content)
        #expect(try opened(sealed(content, portion: 10_007), count) == content)
        // A reader that asks in small steps sees the same.
        let file = Bytes(try sealed(content))
        var reader = try SealedReader(vault) { count throws(SealedStreamError) in file.take(count) }
        var read = Data()
        while read.count < count { read += try reader.read(min(977, count - read.count)) }
        #expect(read == content)
    }

    @Test("REL-BAK-1: a stream with any bit flipped, cut anywhere or continued is refused")
    func damageIsSeen() throws {
        let content = Data("a secret of some length, in one piece".utf8)
        let whole = try sealed(content)
        #expect(!whole.contains(content))
        for index in whole.indices {
            for bit in 0..<8 {
                var altered = whole
                altered[index] ^= 1 << bit
                #expect(throws: SealedStreamError.self) { try opened(altered, content.count) }
            }
        }
        for length in 0..<whole.count {
            #expect(throws: SealedStreamError.self) { try opened(whole.prefix(length), content.count) }
        }
        #expect(throws: SealedStreamError.continued) { try opened(whole + [0], content.count) }
        #expect(throws: SealedStreamError.cut) { try opened(whole, content.count + 1) }
        #expect(throws: SealedStreamError.continued) { try opened(whole, content.count - 1) }
    }

    @Test("REL-BAK-1: pieces that were left out, swapped or taken from another stream are refused")
    func piecesHaveTheirPlace() throws {
        let content = Data(repeating: 7, count: 3 * 65_536)
        let whole = try sealed(content)
        let (head, piece) = (whole.count - 3 * (4 + 65_536 + 16), 4 + 65_536 + 16)
        func part(_ number: Int, of file: Data) -> Data { Data(file.dropFirst(head + number * piece).prefix(piece)) }
        let start = Data(whole.prefix(head))
        let other = try sealed(content)
        for order in [[0, 2], [1, 0, 2], [0, 1, 1], [2], [0, 1]] {
            let parts = order.map { part($0, of: whole) }
            #expect(throws: SealedStreamError.self) { try opened(Data((start + parts.joined())), order.count * 65_536) }
        }
        #expect(throws: SealedStreamError.altered(piece: 2)) {
            try opened(start + part(0, of: whole) + part(1, of: other) + part(2, of: whole), content.count)
        }
    }

    @Test("REL-BAK-1: another master key opens nothing, and the refusal says so")
    func anotherKeyIsNamed() throws {
        let stranger = Vault(masterKey: SymmetricKey(data: Data(repeating: 2, count: 32)), randomness: Drawn())
        let whole = try sealed(Data("content".utf8))
        #expect(throws: SealedStreamError.otherKey) { try opened(whole, 7, with: stranger) }
        #expect(throws: SealedStreamError.notSealed) { try opened(Data("SQLite format 3".utf8), 7) }
    }

    @Test("REL-BAK-3: what was sealed for flows under another epoch does not open; what must last does")
    func anEpochEndsFlows() throws {
        let key = SymmetricKey(data: Data(repeating: 1, count: 32))
        let tenant = TenantID(UUID())
        let vaults = ["", "one", "two"].map { Vault(masterKey: key, randomness: Drawn(), epoch: Data($0.utf8)) }
        for vault in vaults {
            let token = try vault.seal(Data("flow".utf8), for: .continuationToken, tenant: tenant)
            let signingKey = try vault.seal(Data("key".utf8), for: .signingKey, tenant: tenant)
            var opened = 0
            for other in vaults {
                #expect(try other.open(signingKey, for: .signingKey, tenant: tenant) == Data("key".utf8))
                if (try? other.open(token, for: .continuationToken, tenant: tenant)) != nil { opened += 1 }
            }
            #expect(opened == 1)
        }
        #expect(Set(vaults.map { $0.digest(.oneTimePasscode, tenant: tenant, []) }).count == 3)
        #expect(Set(vaults.map { $0.digest(.pairwiseSubject, tenant: tenant, []) }).count == 1)
    }
}

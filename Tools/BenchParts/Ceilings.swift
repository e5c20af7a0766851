import Crypto
import CryptoExtras
import Dispatch
import Foundation
import IdentityPasswords
import IdentityStoreSQL
import NativeAuthCore

/// What this machine can do at most of what a step cannot do without, in operations a second. All cores are used.
struct Ceilings: Encodable {
    var hashes = 0.0
    var rs256 = 0.0
    var es256 = 0.0
    /// Durable commits of one row, one after another.
    var commits = 0.0
    /// Rows changed durably when 64 callers write at the same time.
    var groupedCommits = 0.0

    static func measure(seconds: Double, in store: any SQLStore) async throws -> Ceilings {
        var ceilings = Ceilings()
        let hasher = try Argon2idHasher()
        let cores = ProcessInfo.processInfo.activeProcessorCount
        ceilings.hashes = try await rate(seconds, callers: cores) {
            _ = try await hasher.hash(Secret("Kr4ftig-Vinter#82"))
        }
        let message = Data(repeating: 7, count: 600)
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        ceilings.rs256 = try await rate(seconds, callers: cores) {
            _ = try rsa.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        }
        let p256 = P256.Signing.PrivateKey()
        ceilings.es256 = try await rate(seconds, callers: cores) {
            _ = try p256.signature(for: SHA256.hash(data: message))
        }
        ceilings.commits = try await rate(seconds, callers: 1) { try await store.checkWritable() }
        ceilings.groupedCommits = try await rate(seconds, callers: 64) { try await store.checkWritable() }
        return ceilings
    }

    /// How many times a second `callers` callers do `work`, each starting again when it is done.
    private static func rate(
        _ seconds: Double, callers: Int, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Double {
        try await work()
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await work()
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
    }
}

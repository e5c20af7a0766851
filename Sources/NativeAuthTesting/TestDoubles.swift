import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes that look random and follow from a seed: SHA-256 of seed and counter.
final class SeededRandomness: Randomness {
    private let seed: UInt64
    private let counter: Locked<UInt64> = Locked(0)

    init(seed: UInt64) {
        self.seed = seed
    }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let block = counter.withLock { counter in
                counter += 1
                return counter
            }
            var hash = SHA256()
            withUnsafeBytes(of: (seed.bigEndian, block.bigEndian)) { hash.update(bufferPointer: $0) }
            bytes += hash.finalize()
        }
        return Array(bytes.prefix(count))
    }
}

/// The hasher of tests: scrypt at a cost that no attacker would mind, so that suites are quick (design §2). Its hashes say so
/// themselves, and production refuses them.
struct ScryptTestHasher: PasswordHasher {
    private static let prefix = "$scrypt-test$ln=4,r=1,p=1$"

    let randomness: any Randomness

    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        let salt = randomness.bytes(16)
        return PasswordHash(
            phc: "\(Self.prefix)\(Base64URL.encode(salt))$\(Base64URL.encode(try derive(password, salt)))")
    }

    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        let parts = hash.phc.split(separator: "$").map(String.init)
        guard parts.count == 4, parts[0] == "scrypt-test", let salt = Base64URL.decode(parts[2]) else {
            throw .unusable
        }
        return Base64URL.encode(try derive(password, [UInt8](salt))) == parts[3]
    }

    func isOutdated(_ hash: PasswordHash) -> Bool {
        !hash.phc.hasPrefix(Self.prefix)
    }

    private func derive(_ password: Secret<String>, _ salt: [UInt8]) throws(HashingError) -> [UInt8] {
        do {
            let key = try KDF.Scrypt.deriveKey(
                from: Array(password.reveal().utf8), salt: salt, outputByteCount: 32, rounds: 16, blockSize: 1,
                parallelism: 1)
            return key.withUnsafeBytes { Array($0) }
        } catch {
            throw .unusable
        }
    }
}

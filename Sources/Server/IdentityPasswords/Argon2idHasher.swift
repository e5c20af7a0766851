import CSodium
package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

/// Hashes passwords with Argon2id version 1.3 (RFC 9106) through libsodium: one lane, a random salt of 16 bytes, a tag
/// of 32 bytes, stored as a PHC string (`SEC-PWD-6`).
///
/// Hashes are computed on the hasher's own threads, behind a short queue (`SEC-PWD-8`). Copies share the threads; a
/// server has one hasher.
package struct Argon2idHasher: PasswordHasher {
    /// The cost of a hash.
    package struct Parameters: Hashable, Sendable {
        /// Memory in KiB.
        package var memoryKiB: Int
        /// The number of passes over the memory.
        package var passes: Int

        /// 19 MiB and two passes: the smallest accepted cost.
        package static let standard = Parameters(memoryKiB: 19_456, passes: 2)
    }

    /// Why a hasher cannot be created; a server does not start then.
    package enum SetupError: Error, Equatable, CustomStringConvertible {
        /// One of the two parameters is below ``Parameters/standard``.
        case tooWeak(Parameters)
        /// Above the limit for stored hashes, so that its hashes would be refused (`SEC-PWD-10`).
        case tooCostly(Parameters)
        /// The number of threads is not between 1 and twice the number of cores.
        case threads(Int, cores: Int)
        /// libsodium finds no source of random bytes.
        case noRandomness

        package var description: String {
            switch self {
            case .tooWeak(let parameters):
                """
                Argon2id with \(parameters.memoryKiB) KiB and \(parameters.passes) passes is too weak; the least is \
                \(Parameters.standard.memoryKiB) KiB and \(Parameters.standard.passes) passes.
                """
            case .tooCostly(let parameters):
                """
                Argon2id with \(parameters.memoryKiB) KiB and \(parameters.passes) passes is too costly; the most is \
                \(Argon2idRecord.costliest.memoryKiB) KiB and \(Argon2idRecord.costliest.passes) passes.
                """
            case .threads(let threads, let cores):
                "\(threads) threads for password hashing; it must lie between 1 and \(2 * cores), twice the cores."
            case .noRandomness: "libsodium could not be initialised: the system gives it no random bytes."
            }
        }
    }

    /// The longest password that is hashed, in UTF-8 bytes; the password policy refuses longer ones earlier
    /// (`SEC-PWD-2`).
    package static let longestPassword = 1024

    private let parameters: Parameters
    private let pool: HashingPool

    /// The number of passwords that wait for a thread.
    package var waiting: Int { pool.waiting }

    /// - Parameter threads: The number of parallel hashes, 1 to twice the number of cores; nil for one per core. Each
    ///   uses the parameters' memory.
    /// - Throws: ``SetupError`` for parameters that are not allowed.
    package init(_ parameters: Parameters = .standard, threads: Int? = nil) throws(SetupError) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let threads = threads ?? cores
        guard parameters.memoryKiB >= Parameters.standard.memoryKiB, parameters.passes >= Parameters.standard.passes
        else { throw .tooWeak(parameters) }
        guard parameters.memoryKiB <= Argon2idRecord.costliest.memoryKiB,
            parameters.passes <= Argon2idRecord.costliest.passes
        else { throw .tooCostly(parameters) }
        guard (1...2 * cores).contains(threads) else { throw .threads(threads, cores: cores) }
        guard sodium_init() >= 0 else { throw .noRandomness }
        self.parameters = parameters
        pool = HashingPool(threads: threads)
    }

    /// Hashes with a fresh random salt.
    ///
    /// - Throws: ``HashingError/overloaded`` when no worker is free in time or the memory cannot be allocated;
    ///   ``HashingError/unusable`` for a password longer than ``longestPassword``, which is neither hashed nor
    ///   truncated.
    package func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        try await hash(password, in: .accounts)
    }

    /// The same as ``hash(_:)``, in the queue of `lane`. Sign-ups get half of the places, and every other turn while
    /// both lanes wait.
    package func hash(_ password: Secret<String>, in lane: HashingLane) async throws(HashingError) -> PasswordHash {
        guard Self.isHashable(password) else { throw .unusable }
        let parameters = parameters
        guard let phc = try await pool.run(in: lane, { Self.phc(of: password, parameters) }) else { throw .overloaded }
        return PasswordHash(phc: phc)
    }

    /// Whether `password` yields `hash`, one of this hasher's or an imported one of another system. It uses the hash's
    /// own parameters, within the cost limits.
    ///
    /// - Throws: ``HashingError/overloaded`` as in ``hash(_:)``; ``HashingError/unusable``, before any computation, for
    ///   a hash that is damaged, of another kind or too costly (`SEC-PWD-10`), and for a password longer than
    ///   ``longestPassword``.
    package func verify(
        _ password: Secret<String>, against hash: PasswordHash
    ) async throws(HashingError) -> Bool {
        guard Self.isHashable(password) else { throw .unusable }
        let verdict: Bool?
        if let record = Argon2idRecord(phc: hash.phc) {
            verdict = try await pool.run(isCostly: isCostly(record)) { record.matches(password.reveal()) }
        } else if let record = ForeignRecord(phc: hash.phc) {
            verdict = try await pool.run(isCostly: true) { record.matches(password.reveal()) }
        } else {
            throw .unusable
        }
        guard let verdict else { throw .overloaded }
        return verdict
    }

    /// Whether `hash` was made with less memory or fewer passes than this hasher uses, or is of another kind
    /// (`SEC-PWD-7`). Computes no hash.
    package func isOutdated(_ hash: PasswordHash) -> Bool {
        guard let record = Argon2idRecord(phc: hash.phc) else { return true }
        return record.memoryKiB < parameters.memoryKiB || record.passes < parameters.passes
    }

    /// Whether the hash takes more work than one of this hasher's: another system's, or one of earlier parameters.
    private func isCostly(_ record: Argon2idRecord) -> Bool {
        record.memoryKiB * record.passes > parameters.memoryKiB * parameters.passes
    }

    private static func isHashable(_ password: Secret<String>) -> Bool {
        password.reveal().utf8.count <= longestPassword
    }

    /// Nil when the memory cannot be allocated, the only possible failure after the parameters were checked.
    private static func phc(of password: Secret<String>, _ parameters: Parameters) -> String? {
        let text = password.reveal()
        var phc = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let status = text.withCString {
            crypto_pwhash_str_alg(
                &phc, $0, UInt64(text.utf8.count), UInt64(parameters.passes), parameters.memoryKiB * 1024,
                crypto_pwhash_alg_argon2id13())
        }
        guard status == 0 else { return nil }
        return String(decoding: phc.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

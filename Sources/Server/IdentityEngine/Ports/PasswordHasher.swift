package import NativeAuthCore

/// A password's hash in the PHC string format, such as `$argon2id$v=19$m=19456,t=2,p=1$…$…` (`SEC-PWD-6`).
package struct PasswordHash: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The PHC string.
    package var phc: String

    package init(phc: String) {
        self.phc = phc
    }

    package var description: String { "‹redacted›" }
}

/// Why a password could not be hashed.
package enum HashingError: Error, Equatable {
    /// The queue is full or the wait too long: answer 503 and let the client try again (`SEC-PWD-8`).
    case overloaded
    /// The stored hash is damaged, of an unknown kind, or needs more work than allowed (`SEC-PWD-10`).
    case unusable
}

/// The purpose of a hash. Users with an account keep a share of the hasher, even during many sign-ups.
package enum HashingLane: Hashable, Sendable, CaseIterable {
    /// Sign-ins and resets.
    case accounts
    case signUps
}

/// Hashes passwords on its own threads, not on the request's executor.
package protocol PasswordHasher: Sendable {
    /// Hashes with a fresh random salt.
    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash
    /// Hashes with a fresh random salt, in the queue of `lane`.
    func hash(_ password: Secret<String>, in lane: HashingLane) async throws(HashingError) -> PasswordHash
    /// Whether `password` yields `hash`.
    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool
    /// Whether `hash` was made with weaker parameters than ``hash(_:)`` uses now, so that it should be replaced when
    /// the password is available (`SEC-PWD-7`).
    func isOutdated(_ hash: PasswordHash) -> Bool
}

extension PasswordHasher {
    /// Ignores the lane: a hasher without a queue has no lanes.
    package func hash(_ password: Secret<String>, in lane: HashingLane) async throws(HashingError) -> PasswordHash {
        try await hash(password)
    }
}

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
    /// The queue is full or the wait too long: answer 503 and let the client come back (`SEC-PWD-8`).
    case overloaded
    /// The stored hash is damaged, of an unknown kind, or asks for more work than allowed (`SEC-PWD-10`).
    case unusable
}

/// What a hash is computed for. Users with an account keep a share of the hasher, however many people sign up.
package enum HashingLane: Hashable, Sendable, CaseIterable {
    /// Sign-ins and resets.
    case accounts
    case signUps
}

/// Hashes passwords, off the request's executor.
package protocol PasswordHasher: Sendable {
    /// Hashes with a fresh random salt.
    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash
    /// The same, in the queue of `lane`.
    func hash(_ password: Secret<String>, in lane: HashingLane) async throws(HashingError) -> PasswordHash
    /// Whether `password` yields `hash`.
    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool
    /// Whether `hash` was made with weaker parameters than ``hash(_:)`` uses now, so that it wants to be made again once the
    /// password is at hand (`SEC-PWD-7`).
    func isOutdated(_ hash: PasswordHash) -> Bool
}

extension PasswordHasher {
    /// A hasher without a queue has no lanes.
    package func hash(_ password: Secret<String>, in lane: HashingLane) async throws(HashingError) -> PasswordHash {
        try await hash(password)
    }
}

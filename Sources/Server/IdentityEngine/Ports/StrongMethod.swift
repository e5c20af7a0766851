package import NativeAuthCore
package import PortableFoundation

/// A method for the second factor: a proven mailbox.
package struct StrongMethod: Hashable, Sendable, Codable {
    /// Random; `id` in the API (docs/protocol.md §4.6).
    package var id: UUID
    package var email: EmailAddress
    /// When the method was enrolled, with a code that reached it.
    package var provenAt: Date
    /// The proofs at the enrolment.
    package var enrolment: Enrolment
    /// When the method was suspended: it is listed but cannot be used (`SEC-ENR-7`). Nil: it can be used.
    package var suspendedAt: Date?
    /// When the method was first used after its enrolment; nil: not yet.
    package var firstUsedAt: Date?
    /// When the method was last used; nil: not since its enrolment, or not since this is recorded.
    package var lastUsedAt: Date?
    /// The name that the user gave the method, 1 to 64 characters; nil: none.
    package var name: String?

    package init(
        id: UUID, email: EmailAddress, provenAt: Date, enrolment: Enrolment = Enrolment(.unknown),
        suspendedAt: Date? = nil, firstUsedAt: Date? = nil, lastUsedAt: Date? = nil, name: String? = nil
    ) {
        self.id = id
        self.email = email
        self.provenAt = provenAt
        self.enrolment = enrolment
        self.suspendedAt = suspendedAt
        self.firstUsedAt = firstUsedAt
        self.lastUsedAt = lastUsedAt
        self.name = name
    }

    /// Whether a user may give a method this name: 1 to 64 characters without control characters.
    static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...64).contains(scalars.count) && scalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

/// The proofs, the time and the place of a method's enrolment (`SEC-ENR-1`).
package struct Enrolment: Hashable, Sendable, Codable {
    /// The proofs given before the method itself.
    package enum Strength: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enrolled before this was recorded.
        case unknown
        /// Only the password, in the mode ``EnrolmentMode/compatible``, or for the account's own mailbox.
        case password
        /// Only the account's own mailbox, or a password that came from it. The method then counts as that mailbox: who
        /// controls the mailbox can register the method.
        case mailbox
        /// Two factors.
        case twoFactors
    }

    package var strength: Strength
    /// When the first of the proofs was given.
    package var authenticatedAt: Date?
    /// The application that received the proofs.
    package var client: ClientID?
    /// Whether the network was familiar to the user (`SEC-LOCK-3`); nil when limits over time are off.
    package var isFamiliarSource: Bool?

    package init(
        _ strength: Strength, authenticatedAt: Date? = nil, client: ClientID? = nil, isFamiliarSource: Bool? = nil
    ) {
        self.strength = strength
        self.authenticatedAt = authenticatedAt
        self.client = client
        self.isFamiliarSource = isFamiliarSource
    }
}

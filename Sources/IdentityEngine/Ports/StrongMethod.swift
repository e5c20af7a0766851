package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A way to give a second factor: a mailbox that was proven.
package struct StrongMethod: Hashable, Sendable, Codable {
    /// Random; what `id` says on the wire (native-auth-v1 §4.6).
    package var id: UUID
    package var email: EmailAddress
    /// When it was enrolled, with a code that reached it.
    package var provenAt: Date
    /// On the strength of what.
    package var enrolment: Enrolment
    /// Since when it is listed and cannot be used (`SEC-ENR-7`); nil: it can.
    package var suspendedAt: Date?
    /// When it was given for the first time after its enrolment; nil: not yet.
    package var firstUsedAt: Date?

    package init(
        id: UUID, email: EmailAddress, provenAt: Date, enrolment: Enrolment = Enrolment(.unknown),
        suspendedAt: Date? = nil, firstUsedAt: Date? = nil
    ) {
        self.id = id
        self.email = email
        self.provenAt = provenAt
        self.enrolment = enrolment
        self.suspendedAt = suspendedAt
        self.firstUsedAt = firstUsedAt
    }
}

/// Under which proofs, when and where a method was enrolled (`SEC-ENR-1`).
package struct Enrolment: Hashable, Sendable, Codable {
    /// What had been proven before the method itself.
    package enum Strength: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enrolled before this was recorded.
        case unknown
        /// The password alone, in the mode ``EnrolmentMode/compatible``, or for the account's own mailbox.
        case password
        /// The account's own mailbox alone, or a password that came from it. The method then stands for that mailbox: who has
        /// the one can name the other.
        case mailbox
        /// Two factors.
        case twoFactors
    }

    package var strength: Strength
    /// When the first of the proofs was given.
    package var authenticatedAt: Date?
    /// The application that the proofs were given to.
    package var client: ClientID?
    /// Whether the network was familiar to the user (`SEC-LOCK-3`); nil where limits over time are off.
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

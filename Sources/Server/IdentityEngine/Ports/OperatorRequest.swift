package import NativeAuthCore
package import PortableFoundation

/// What an operator does to the proofs of a user: it takes one away, or lets less be enough. Where the server asks for two
/// operators, each of these waits for another person (`SEC-ENR-12`).
package enum ProofDeed: Hashable, Sendable {
    /// One method of the second factor, or an account at a provider.
    case removeMethod(UUID)
    /// All methods of the second factor.
    case removeMethods
    /// Another address, which is where codes and resets go.
    case changeEmail(String)
    /// The password stops working, and methods rest.
    case requireReset
    /// A password that a reset gave counts as a factor of its own.
    case trustPassword
    /// The second factor is no longer demanded of this user at every sign-in.
    case relaxSecondFactor

    /// The name in the database, in the audit trail and in the directory.
    package var word: String {
        switch self {
        case .removeMethod: "removeMethod"
        case .removeMethods: "removeMethods"
        case .changeEmail: "changeEmail"
        case .requireReset: "requireReset"
        case .trustPassword: "trustPassword"
        case .relaxSecondFactor: "relaxSecondFactor"
        }
    }

    /// What the deed is about, beside the user; nil when it needs nothing.
    package var subject: String? {
        switch self {
        case .removeMethod(let method): method.text
        case .changeEmail(let address): address
        case .removeMethods, .requireReset, .trustPassword, .relaxSecondFactor: nil
        }
    }

    /// - Returns: Nil for a deed of a newer version.
    package init?(word: String, subject: String?) {
        switch (word, subject) {
        case ("removeMethod", let text?):
            guard let id = UUID(uuidString: text) else { return nil }
            self = .removeMethod(id)
        case ("changeEmail", let address?): self = .changeEmail(address)
        case ("removeMethods", nil): self = .removeMethods
        case ("requireReset", nil): self = .requireReset
        case ("trustPassword", nil): self = .trustPassword
        case ("relaxSecondFactor", nil): self = .relaxSecondFactor
        case _: return nil
        }
    }
}

/// A deed that waits for operators. It takes effect when two different persons stand behind it.
package struct OperatorRequest: Hashable, Sendable {
    /// How long it waits, in seconds.
    package static let lifetime = 24 * 3_600.0
    /// How many wait for one user at most.
    package static let most = 10

    package var id: UUID
    package var user: UserID
    package var deed: ProofDeed
    /// Who asked, as in the audit trail; nil for a command.
    package var requester: ClientID?
    /// The first of the two persons: the requester, or the one who confirmed the request of a daemon or a command. Nil: none yet.
    package var person: UserID?
    package var requestedAt: Date
    package var expiresAt: Date

    package init(
        id: UUID, user: UserID, deed: ProofDeed, requester: ClientID?, person: UserID?, requestedAt: Date,
        expiresAt: Date
    ) {
        self.id = id
        self.user = user
        self.deed = deed
        self.requester = requester
        self.person = person
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
    }

    /// Whether it is the same request, with the same persons behind it.
    func isSame(as other: OperatorRequest) -> Bool {
        (id, user, deed, requester, person) == (other.id, other.user, other.deed, other.requester, other.person)
    }

    /// How many operators still have to confirm it.
    package var missing: Int { person == nil ? 2 : 1 }

    /// The detail of a line of the audit trail; no value.
    package var detail: String { "\(deed.word), \(id.text) by operator" }
}

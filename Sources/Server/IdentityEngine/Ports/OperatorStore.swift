package import NativeAuthCore
package import PortableFoundation

/// What an operator may do (`SEC-ADM-4`).
package enum OperatorRole: String, Hashable, Sendable, Codable, CaseIterable {
    /// Everything, also other operators and keys.
    case owner
    /// Everything about users, and reading all the rest.
    case admin
    /// Helps users: reads them, ends sessions, starts a reset, disables. No secrets, no deletion.
    case support
    /// Reads, and changes nothing.
    case auditor
}

/// An operator: a user of the operators' tenant who has a role.
package struct OperatorRecord: Hashable, Sendable {
    package var user: UserID
    package var email: String
    package var name: String?
    package var role: OperatorRole
    package var since: Date
    /// When the operator last used the console; nil: no session is left.
    package var seenAt: Date?

    package init(user: UserID, email: String, name: String?, role: OperatorRole, since: Date, seenAt: Date?) {
        self.user = user
        self.email = email
        self.name = name
        self.role = role
        self.since = since
        self.seenAt = seenAt
    }
}

/// The right to become an operator, once.
package struct OperatorInvitation: Hashable, Sendable {
    /// The SHA-256 digest of the secret.
    package var digest: Data
    package var role: OperatorRole
    package var until: Date
    /// The owner who invites, without whose role the invitation ends; nil for a command.
    package var inviter: UserID?

    package init(digest: Data, role: OperatorRole, until: Date, inviter: UserID? = nil) {
        self.digest = digest
        self.role = role
        self.until = until
        self.inviter = inviter
    }
}

/// A session of an operator at the console.
package struct OperatorSession: Hashable, Sendable {
    /// The SHA-256 digest of the cookie.
    package var digest: Data
    package var user: UserID
    /// The version of the user's credentials at the sign-in: another one ends the session.
    package var credentialVersion: Int
    /// When both factors were proven.
    package var provenAt: Date
    /// When the last request came, to the minute.
    package var seenAt: Date

    package init(digest: Data, user: UserID, credentialVersion: Int, provenAt: Date, seenAt: Date) {
        self.digest = digest
        self.user = user
        self.credentialVersion = credentialVersion
        self.provenAt = provenAt
        self.seenAt = seenAt
    }
}

/// Who operates the server, from where they were invited to where they are signed in.
package protocol OperatorStore: Sendable {
    /// All operators, the oldest first.
    func operators() async throws(StoreError) -> [OperatorRecord]
    /// The operator's role; nil when the user is no operator.
    func operatorRole(of user: UserID) async throws(StoreError) -> OperatorRole?
    /// Reads all roles, passes them to `decide`, and writes what it returns, one after another with all other such changes.
    ///
    /// - Parameter decide: Must be pure and quick. It may run more than once.
    func changeOperators<Answer: Sendable>(
        decide: @escaping @Sendable (_ roles: [UserID: OperatorRole]) -> (change: OperatorChange?, answer: Answer)
    ) async throws(StoreError) -> Answer
    /// - Returns: False when the inviter is no owner any more.
    func addInvitation(
        _ invitation: OperatorInvitation, recording event: AuditEvent
    ) async throws(StoreError) -> Bool
    /// The invitations that can be accepted, the first to end first.
    func invitations(now: Date) async throws(StoreError) -> [OperatorInvitation]
    func removeInvitation(_ digest: Data, recording event: AuditEvent) async throws(StoreError)
    /// Counts an attempt to sign up with the invitation.
    ///
    /// - Returns: Its role; nil when it was used, has ended, or had as many attempts.
    func tryInvitation(_ digest: Data, now: Date, most: Int) async throws(StoreError) -> OperatorRole?
    /// Uses up the invitation and gives its role to the user. Of parallel uses, one is accepted.
    ///
    /// - Returns: The role; nil when the invitation was used, or has ended.
    func acceptInvitation(
        _ digest: Data, for user: UserID, now: Date, recording event: AuditEvent
    ) async throws(StoreError) -> OperatorRole?
    /// Sets whether two operators must stand behind a ``ProofDeed``. Open invitations by operators end when they must: an operator
    /// who can invite is two persons (`SEC-ENR-12`).
    ///
    /// - Returns: False when it was so already; nothing is recorded then.
    func setTwoOperators(_ isNeeded: Bool, recording event: AuditEvent) async throws(StoreError) -> Bool
    func openSession(_ session: OperatorSession) async throws(StoreError)
    func operatorSession(_ digest: Data) async throws(StoreError) -> OperatorSession?
    /// Notes a request of the session.
    func touchSession(_ digest: Data, at date: Date) async throws(StoreError)
    func closeSession(_ digest: Data) async throws(StoreError)
}

/// A change of who operates the server.
package struct OperatorChange: Hashable, Sendable {
    package var user: UserID
    /// Nil takes the role, and ends the sessions.
    package var role: OperatorRole?
    package var at: Date
    package var event: AuditEvent

    package init(_ user: UserID, role: OperatorRole?, at: Date, event: AuditEvent) {
        self.user = user
        self.role = role
        self.at = at
        self.event = event
    }
}

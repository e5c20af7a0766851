import NativeAuthWire
public import PortableFoundation

/// How many recovery codes the user has: codes for the loss of every other method of the second factor.
public struct RecoveryCodeStatus: Hashable, Sendable {
    /// Whether the user is to make new codes.
    public enum Renewal: String, Hashable, Sendable {
        /// The user has enough codes, or never made any.
        case notNeeded = "none"
        /// Three codes or fewer are left: offer ``Account/makeRecoveryCodes(correlationID:)``, and let the user put it off.
        case suggested
        /// All codes are used. Lead the user through new ones after the next sign-in with two factors, before anything else:
        /// a lost method would lock the user out. The server refuses no sign-in and no call because of it.
        case demanded
    }

    /// Those that are not used yet, 0 to 10.
    public let remaining: Int
    /// When they were made; nil: the user has none.
    public let madeAt: Date?
    /// What to ask the user for. A session that used a recovery code cannot make new ones: ask after the next sign-in.
    public let renewal: Renewal
}

/// Ten new recovery codes. They are shown to the user once, and never again. Its description is redacted.
public struct RecoveryCodes: Hashable, Sendable {
    /// Each as the user reads and types it: 16 letters and digits in groups of four, such as `ABCD-EFGH-JKMN-PQRS`. At a
    /// sign-in letter case, blanks and hyphens do not matter.
    public let codes: [String]

    /// A line for each code, for a file.
    public var text: String { codes.joined(separator: "\n") + "\n" }
}

extension RecoveryCodes: CustomStringConvertible, CustomReflectable {
    public var description: String { "RecoveryCodes(\(codes.count) codes)" }
    public var customMirror: Mirror { Mirror(self, children: ["count": codes.count]) }
}

extension Account {
    /// How many recovery codes the user has left.
    public func recoveryCodes(correlationID: UUID? = nil) async throws(AccountError) -> RecoveryCodeStatus {
        let reply: Directory.RecoveryCodes = try await directory(
            .readRecoveryCodes, correlationID: correlationID ?? client.makeCorrelationID())
        return RecoveryCodeStatus(
            remaining: reply.remaining, madeAt: directoryTime(reply.createdDateTime),
            renewal: reply.renewal.flatMap(RecoveryCodeStatus.Renewal.init) ?? .notNeeded)
    }

    /// Makes ten recovery codes; earlier ones no longer work. When the answer is lost, call it again: the codes of the lost
    /// answer no longer work either. The server tells each mailbox of the user.
    ///
    /// A sign-in lists them last, as a method with the channel `recovery_code`; each signs in once. A session that used one
    /// can add a method, with a code to the user's own mailbox, and can neither remove one nor make new codes; for 72 hours neither
    /// can a session of the method that it added.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``: it needs a sign-in with two factors that is at most 10 minutes old;
    ///   ``AccountError/notAllowed(attribute:_:)`` when the tenant offers no such codes, or the user has no other method of the
    ///   second factor; and others.
    public func makeRecoveryCodes(correlationID: UUID? = nil) async throws(AccountError) -> RecoveryCodes {
        let id = correlationID ?? client.makeCorrelationID()
        let reply: Directory.RecoveryCodes = try await directory(.makeRecoveryCodes, correlationID: id)
        return RecoveryCodes(codes: reply.codes ?? [])
    }
}

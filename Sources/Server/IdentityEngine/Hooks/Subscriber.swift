package import NativeAuthCore
package import PortableFoundation

/// An address of the tenant's own system that is told what happened to users (docs/operate/hooks.md). It cannot change
/// anything, and nothing waits for it.
package struct Subscriber: Hashable, Sendable {
    /// What a subscriber can be told.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        case userCreated = "user.created"
        case userUpdated = "user.updated"
        case userDeleted = "user.deleted"
        case methodChanged = "method.changed"
        case passwordChanged = "password.changed"
        case signInBlocked = "signin.blocked"
    }

    /// Stable: the position in the audit trail up to which the subscriber was told is stored under it.
    package var id: UUID
    /// 1 to 256 bytes; for logs and pages.
    package var displayName: String
    /// As in ``Hook/url``.
    package var url: String
    /// As in ``Hook/audience``.
    package var audience: UUID
    package var events: Set<Event>

    package init(id: UUID, displayName: String, url: String, audience: UUID, events: Set<Event>) {
        self.id = id
        self.displayName = displayName
        self.url = url
        self.audience = audience
        self.events = events
    }

    /// The largest number of subscribers of a tenant.
    package static let maximumCount = 20
}

extension Subscriber.Event {
    /// What a line of the audit trail means to subscribers; nil for a line that is of no interest to them.
    package init?(_ kind: AuditEvent.Kind) {
        switch kind {
        case .signUpCompleted, .accountCreated, .accountRestored: self = .userCreated
        case .profileChanged, .passwordMoved, .emailChanged, .emailChangeUndone, .accountDisabled, .accountEnabled,
            .deletionScheduled, .deletionCancelled, .factorRuleChanged, .groupMemberAdded, .groupMemberRemoved:
            self = .userUpdated
        case .accountDeleted: self = .userDeleted
        case .methodRegistered, .methodsForgotten, .methodsSuspended, .methodReactivated, .passkeySuspect,
            .methodRenamed:
            self = .methodChanged
        case .passwordChanged: self = .passwordChanged
        case .signInLocked: self = .signInBlocked
        case .signUpStarted, .signUpRefused, .linkRequired, .codeSent, .codeRefused, .codesExhausted, .codeVerified,
            .tokenIssued,
            .tokenRefreshed, .scopesGranted, .tokenReuseDetected, .tokenRevoked, .codeRedeemed, .deviceAllowed,
            .deviceDeclined, .consentGiven, .consentWithdrawn, .clientRefused,
            .browserSignedOut, .browserSignedIn, .logoutUndelivered, .identityRevoked, .signInSucceeded, .signInFailed,
            .secondFactorRequired, .secondFactorPassed, .secondFactorFailed, .passwordTrusted, .resetStarted,
            .resetCompleted, .sessionsEnded, .deviceRemembered, .deviceForgotten, .dataExported, .attributesIgnored,
            .enumerationSuspected,
            .continuationTokenMisused, .mailFailed, .configChanged, .keyRotated, .keyRevoked, .backupMade,
            .restoreDone, .usersImported, .usersExported, .mailFlood, .textAlarm, .daemonSignedIn, .daemonRefused,
            .operatorInvited,
            .invitationWithdrawn,
            .operatorAdded,
            .operatorChanged, .operatorRemoved, .operatorRequestMade, .operatorRequestConfirmed,
            .operatorRequestWithdrawn, .operatorRequestExpired, .operatorRuleChanged, .auditExported, .groupCreated,
            .groupChanged, .groupDeleted:
            return nil
        }
    }
}

/// The part of the audit trail that a subscriber has not been told of, leased by one node.
package struct NotificationLease: Hashable, Sendable {
    package var subscriber: UUID
    package var tenant: TenantID
    /// The position of the last line that the subscriber was told of, or that was of no interest.
    package var position: Int
    /// How often the next line was sent in vain.
    package var attempts: Int
    /// Tells this lease from later ones.
    package var number: Int
    /// The lines behind the position, in their order; sealed lines only.
    package var lines: [RecordedEvent]

    package init(
        subscriber: UUID, tenant: TenantID, position: Int, attempts: Int, number: Int, lines: [RecordedEvent]
    ) {
        self.subscriber = subscriber
        self.tenant = tenant
        self.position = position
        self.attempts = attempts
        self.number = number
        self.lines = lines
    }
}

/// Remembers what each subscriber was told of. Notifications are the lines of the audit trail, in the order of their
/// positions: nothing else is written when something happens (design record 0020).
package protocol NotificationStore: Sendable {
    /// Leases the next lines, at most `limit`, until `end`. A new subscriber begins with what happens from now on.
    ///
    /// - Returns: Nil when there is no line, the next attempt is not due, or another node has the lease.
    func leaseNotifications(
        to subscriber: UUID, in tenant: TenantID, limit: Int, now: Date, until end: Date
    ) async throws(StoreError) -> NotificationLease?
    /// Stores how far the subscriber was told, and when the next attempt is due, which also ends the lease. Does nothing
    /// when another node has leased the lines meanwhile.
    ///
    /// - Returns: Whether the lease was still this one.
    func endNotifications(
        _ lease: NotificationLease, at position: Int, attempts: Int, due: Date
    ) async throws(StoreError) -> Bool
}

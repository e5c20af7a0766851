package import NativeAuthCore
package import PortableFoundation

/// What the console counts.
package enum Activity: Hashable, Sendable {
    case signUps
    case signIns
    /// Proofs and sign-ups that were refused.
    case failures
    case codesSent
    /// Steps of the native protocol that were answered within 2 to the power of this number of milliseconds, and not within
    /// half of it: 0 to ``slowest``. They belong to ``OperatorTenant``: the server as a whole.
    case steps(within: Int)

    package static let slowest = 14

    /// The number in the database.
    package var number: Int {
        switch self {
        case .signUps: 1
        case .signIns: 2
        case .failures: 3
        case .codesSent: 4
        case .steps(let power): 100 + power
        }
    }

    package init?(number: Int) {
        switch number {
        case 1: self = .signUps
        case 2: self = .signIns
        case 3: self = .failures
        case 4: self = .codesSent
        case 100...(100 + Self.slowest): self = .steps(within: number - 100)
        default: return nil
        }
    }

    /// The activity that an event of the audit trail is; nil for the others.
    package init?(_ kind: AuditEvent.Kind) {
        switch kind {
        case .signUpCompleted: self = .signUps
        case .signInSucceeded: self = .signIns
        case .signUpRefused, .codeRefused, .codesExhausted, .signInFailed, .signInLocked, .secondFactorFailed:
            self = .failures
        case .codeSent: self = .codesSent
        case .signUpStarted, .linkRequired, .codeVerified, .tokenIssued, .tokenRefreshed, .scopesGranted,
            .tokenReuseDetected,
            .tokenRevoked, .codeRedeemed, .deviceAllowed, .deviceDeclined, .consentGiven, .consentWithdrawn,
            .clientRefused, .browserSignedOut, .browserSignedIn,
            .logoutUndelivered, .identityRevoked,
            .secondFactorRequired, .secondFactorPassed,
            .methodRegistered, .methodsForgotten,
            .methodsSuspended, .methodReactivated, .passkeySuspect, .factorRuleChanged, .passwordTrusted, .resetStarted,
            .resetCompleted,
            .passwordChanged, .passwordMoved, .profileChanged, .emailChanged, .emailChangeUndone, .methodRenamed,
            .sessionsEnded, .deviceRemembered, .deviceForgotten,
            .dataExported, .deletionScheduled, .deletionCancelled, .accountDeleted, .accountCreated, .accountDisabled,
            .accountEnabled,
            .accountRestored, .attributesIgnored, .enumerationSuspected, .continuationTokenMisused, .mailFailed,
            .configChanged, .keyRotated, .keyRevoked, .backupMade, .restoreDone, .usersImported, .usersExported,
            .mailFlood, .textAlarm, .daemonSignedIn,
            .daemonRefused, .operatorInvited, .invitationWithdrawn, .operatorAdded, .operatorChanged, .operatorRemoved,
            .operatorRequestMade, .operatorRequestConfirmed, .operatorRequestWithdrawn, .operatorRequestExpired,
            .operatorRuleChanged,
            .auditExported, .groupCreated, .groupChanged, .groupDeleted, .groupMemberAdded, .groupMemberRemoved:
            return nil
        }
    }
}

/// A span that the console draws, with its bars.
package enum ActivitySpan: String, Hashable, Sendable, CaseIterable {
    case hour, day, month

    /// The length of the counted interval, in seconds: a minute or an hour.
    package var resolution: Int { self == .hour ? 60 : 3_600 }
    /// The length of a bar in seconds.
    package var bar: Int {
        switch self {
        case .hour: 60
        case .day: 3_600
        case .month: 86_400
        }
    }
    package var bars: Int {
        switch self {
        case .hour: 60
        case .day: 24
        case .month: 30
        }
    }
    /// For how long counts of this resolution are kept, in seconds.
    package var kept: TimeInterval { self == .hour ? 2 * 3_600 : 35 * 86_400 }
    /// The start of the first bar; the last one contains `now`.
    package func start(now: Date) -> Date {
        let last = (Int(now.timeIntervalSince1970.rounded(.down)) / bar) * bar
        return Date(timeIntervalSince1970: Double(last - (bars - 1) * bar))
    }
}

/// How often something happened in an interval.
package struct ActivityCount: Hashable, Sendable {
    package var start: Date
    package var activity: Activity
    package var number: Int

    package init(start: Date, activity: Activity, number: Int) {
        self.start = start
        self.activity = activity
        self.number = number
    }
}

/// What happened, by minute and hour, in tables that do not grow. The sealer of the audit trail counts the events.
package protocol ActivityStore: Sendable {
    /// The counts of a tenant from the span's start on, in no order.
    func activity(of tenant: TenantID, in span: ActivitySpan, now: Date) async throws(StoreError) -> [ActivityCount]
    /// Adds to the counts of both resolutions; each start is the start of a minute.
    func addActivity(_ counts: [ActivityCount], to tenant: TenantID) async throws(StoreError)
}

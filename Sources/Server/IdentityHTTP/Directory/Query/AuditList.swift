import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// One of the two lists that the vendor's directory makes of the audit trail: each line is in one of them
/// (docs/protocol.md §18.6).
enum AuditList: String, Hashable, Sendable, CaseIterable {
    case signIns
    case directoryAudits

    /// The vendor's name of an item.
    var resource: String {
        switch self {
        case .signIns: "SignIn"
        case .directoryAudits: "DirectoryAudit"
        }
    }

    /// The property with the time of a line.
    var time: String {
        switch self {
        case .signIns: "createdDateTime"
        case .directoryAudits: "activityDateTime"
        }
    }

    var kinds: Set<AuditEvent.Kind> {
        Set(AuditEvent.Kind.allCases.filter { ($0.signInResult != nil) == (self == .signIns) })
    }

    static let largestPage = 1_000

    /// The only order, which a caller may name.
    var order: String { "\(time) desc" }

    /// The question that a filter asks: conditions that all hold.
    func narrow(_ query: inout AuditQuery, by filter: ODataFilter) throws(ODataFault) {
        switch filter {
        case .all(let parts): for part in parts { try narrow(&query, by: part) }
        case .comparison(let path, let comparison, let literal):
            guard try narrow(&query, path.names.map { $0.lowercased() }.joined(separator: "/"), comparison, literal)
            else { throw .unsupported(property: path.property) }
        case .lambda(let path, .any, let variable, .comparison(let inner, .eq, .text(let text))):
            // targetResources/any(t:t/id eq '…'): the user that something was done to.
            guard self == .directoryAudits, path.names.map({ $0.lowercased() }) == ["targetresources"],
                inner.names.map({ $0.lowercased() }) == [variable.lowercased(), "id"]
            else { throw .unsupported(property: path.property) }
            try name(user: text, in: &query)
        case .any, .not:
            throw .unsupported(property: "or")
        case .isOneOf(let path, _), .call(_, let path, _), .lambda(let path, _, _, _):
            throw .unsupported(property: path.property)
        }
    }

    /// - Returns: False when the list has no such question.
    private func narrow(
        _ query: inout AuditQuery, _ property: String, _ comparison: ODataOperator, _ literal: ODataLiteral
    ) throws(ODataFault) -> Bool {
        switch (property, comparison, literal) {
        case (time.lowercased(), _, .date(let date)):
            // Stored times are whole milliseconds; a question may have parts of one, and a Double of some is not exact.
            let milliseconds = date.timeIntervalSince1970 * 1_000
            let (up, down) = ((milliseconds - 0.001).rounded(.up), (milliseconds + 0.001).rounded(.down))
            func time(_ milliseconds: Double) -> Date { Date(timeIntervalSince1970: milliseconds / 1_000) }
            switch comparison {
            case .ge: query.since = max(query.since ?? time(up), time(up))
            case .gt: query.since = max(query.since ?? time(down + 1), time(down + 1))
            case .le: query.until = min(query.until ?? time(down), time(down))
            case .lt: query.until = min(query.until ?? time(up - 1), time(up - 1))
            case .eq, .ne: return false
            }
        case ("userid", .eq, .text(let text)) where self == .signIns: try name(user: text, in: &query)
        case ("appid", .eq, .text(let text)) where self == .signIns,
            ("initiatedby/app/appid", .eq, .text(let text)) where self == .directoryAudits:
            guard let client = UUID(text: text).map(ClientID.init), query.client ?? client == client else {
                query.kinds = []
                return true
            }
            query.client = client
        case ("nativeauthposition", .gt, .integer(let position)): query.after = max(query.after ?? position, position)
        case ("nativeauthposition", .ge, .integer(let position)) where position > 0:
            query.after = max(query.after ?? 0, position - 1)
        case ("status/errorcode", .eq, .integer(let number)) where self == .signIns:
            query.kinds = query.kinds.filter { $0.signInResult == number }
        case ("status/errorcode", .ne, .integer(let number)) where self == .signIns:
            query.kinds = query.kinds.filter { $0.signInResult != number }
        case ("activitydisplayname", .eq, .text(let text)) where self == .directoryAudits:
            try keep(&query, Set(kinds.map(\.rawValue)), text) { $0.rawValue }
        case ("category", .eq, .text(let text)) where self == .directoryAudits:
            try keep(&query, Set(kinds.map { $0.category.lowercased() }), text) { $0.category.lowercased() }
        case ("result", .eq, .text(let text)) where self == .directoryAudits:
            try keep(&query, ["success", "failure"], text) { $0.result }
        case _: return false
        }
        return true
    }

    /// Keeps the events with this word. A word that no event has is a mistake of the caller.
    private func keep(
        _ query: inout AuditQuery, _ words: Set<String>, _ text: String, _ word: (AuditEvent.Kind) -> String
    ) throws(ODataFault) {
        guard words.contains(text.lowercased()) else { throw .unsupported(property: text) }
        query.kinds = query.kinds.filter { word($0) == text.lowercased() }
    }

    /// A text that is no id names no user, so that the list is empty.
    private func name(user text: String, in query: inout AuditQuery) throws(ODataFault) {
        guard let user = UUID(text: text).map(UserID.init), query.user ?? user == user else {
            query.kinds = []
            return
        }
        query.user = user
    }
}

extension AuditEvent.Kind {
    /// The number of a sign-in's result, 0 for success (docs/protocol.md §13); nil for events that end no sign-in.
    var signInResult: Int? {
        switch self {
        case .signInSucceeded, .daemonSignedIn: 0
        case .signInFailed: AADSTSCode.credentialsWrong.rawValue
        case .signInLocked: AADSTSCode.accountLocked.rawValue
        case .secondFactorRequired: AADSTSCode.multiFactorRequired.rawValue
        case .secondFactorFailed: AADSTSCode.codeWrong.rawValue
        case .daemonRefused, .clientRefused: AADSTSCode.clientSecretInvalid.rawValue
        case .signUpStarted, .signUpCompleted, .signUpRefused, .linkRequired, .codeSent, .codeRefused, .codesExhausted,
            .codeVerified,
            .tokenIssued, .tokenRefreshed, .scopesGranted, .tokenReuseDetected, .tokenRevoked, .codeRedeemed,
            .deviceAllowed, .deviceDeclined, .consentGiven, .consentWithdrawn,
            .browserSignedOut, .browserSignedIn, .logoutUndelivered, .identityRevoked,
            .secondFactorPassed, .methodRegistered, .methodsForgotten, .methodsSuspended, .methodReactivated,
            .passkeySuspect,
            .factorRuleChanged,
            .passwordTrusted, .resetStarted, .resetCompleted, .passwordChanged, .passwordMoved, .profileChanged,
            .emailChanged,
            .emailChangeUndone, .methodRenamed, .sessionsEnded, .deviceRemembered, .deviceForgotten, .dataExported,
            .deletionScheduled, .deletionCancelled,
            .accountDeleted, .accountCreated, .accountDisabled, .accountEnabled, .accountRestored, .attributesIgnored,
            .enumerationSuspected, .continuationTokenMisused, .mailFailed, .configChanged, .keyRotated, .keyRevoked,
            .backupMade, .restoreDone, .usersImported, .usersExported, .mailFlood, .textAlarm, .operatorInvited,
            .invitationWithdrawn, .operatorAdded,
            .operatorChanged, .operatorRemoved, .operatorRequestMade, .operatorRequestConfirmed,
            .operatorRequestWithdrawn, .operatorRequestExpired, .operatorRuleChanged, .auditExported, .groupCreated,
            .groupChanged, .groupDeleted,
            .groupMemberAdded, .groupMemberRemoved:
            nil
        }
    }

    /// What the vendor's directory calls the group of an event.
    var category: String {
        switch self {
        case .signUpCompleted, .methodRegistered, .methodsForgotten, .methodsSuspended, .methodReactivated,
            .passkeySuspect,
            .factorRuleChanged, .passwordTrusted, .resetCompleted, .passwordChanged, .passwordMoved, .profileChanged,
            .emailChanged,
            .emailChangeUndone, .methodRenamed, .sessionsEnded, .deviceRemembered, .deviceForgotten, .dataExported,
            .deletionScheduled, .deletionCancelled,
            .accountDeleted, .accountCreated, .accountDisabled, .accountEnabled, .accountRestored, .usersImported,
            .usersExported, .operatorRequestMade, .operatorRequestConfirmed, .operatorRequestWithdrawn,
            .operatorRequestExpired:
            "UserManagement"
        case .signUpStarted, .signUpRefused, .linkRequired, .codeSent, .codeRefused, .codesExhausted, .codeVerified,
            .tokenIssued,
            .tokenRefreshed, .scopesGranted, .tokenReuseDetected, .tokenRevoked, .codeRedeemed, .deviceAllowed,
            .deviceDeclined, .consentGiven, .consentWithdrawn, .clientRefused,
            .browserSignedOut, .browserSignedIn, .logoutUndelivered, .identityRevoked, .signInSucceeded, .signInFailed,
            .signInLocked, .secondFactorRequired, .secondFactorPassed, .secondFactorFailed, .resetStarted,
            .attributesIgnored, .enumerationSuspected, .continuationTokenMisused, .daemonSignedIn, .daemonRefused:
            "Authentication"
        case .configChanged: "Policy"
        case .operatorInvited, .invitationWithdrawn, .operatorAdded, .operatorChanged, .operatorRemoved,
            .operatorRuleChanged:
            "RoleManagement"
        case .groupCreated, .groupChanged, .groupDeleted, .groupMemberAdded, .groupMemberRemoved: "GroupManagement"
        case .keyRotated, .keyRevoked: "KeyManagement"
        case .mailFailed, .backupMade, .restoreDone, .mailFlood, .textAlarm, .auditExported: "Other"
        }
    }

    /// `success` or `failure`.
    var result: String {
        switch self {
        case .signUpRefused, .codeRefused, .codesExhausted, .tokenReuseDetected, .enumerationSuspected,
            .continuationTokenMisused, .mailFailed, .mailFlood, .textAlarm, .signInFailed, .signInLocked,
            .secondFactorRequired,
            .secondFactorFailed, .daemonRefused, .clientRefused, .deviceDeclined, .logoutUndelivered:
            "failure"
        case .signUpStarted, .signUpCompleted, .linkRequired, .codeSent, .codeVerified, .tokenIssued, .tokenRefreshed,
            .scopesGranted,
            .tokenRevoked, .codeRedeemed, .deviceAllowed, .consentGiven, .consentWithdrawn, .browserSignedOut,
            .browserSignedIn, .identityRevoked,
            .signInSucceeded, .secondFactorPassed,
            .methodRegistered,
            .methodsForgotten,
            .methodsSuspended, .methodReactivated, .passkeySuspect, .factorRuleChanged, .passwordTrusted, .resetStarted,
            .resetCompleted,
            .passwordChanged, .passwordMoved, .profileChanged, .emailChanged, .emailChangeUndone, .methodRenamed,
            .sessionsEnded, .deviceRemembered, .deviceForgotten,
            .dataExported, .deletionScheduled, .deletionCancelled, .accountDeleted, .accountCreated, .accountDisabled,
            .accountEnabled, .accountRestored, .attributesIgnored, .configChanged, .keyRotated, .keyRevoked,
            .backupMade, .restoreDone, .usersImported, .usersExported, .daemonSignedIn, .operatorInvited,
            .invitationWithdrawn, .operatorAdded,
            .operatorChanged,
            .operatorRemoved, .operatorRequestMade, .operatorRequestConfirmed, .operatorRequestWithdrawn,
            .operatorRequestExpired, .operatorRuleChanged, .auditExported, .groupCreated, .groupChanged, .groupDeleted,
            .groupMemberAdded, .groupMemberRemoved:
            "success"
        }
    }
}

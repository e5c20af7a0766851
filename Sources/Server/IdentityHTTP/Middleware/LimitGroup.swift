import IdentityEngine
import NativeAuthCore
import NativeAuthWire

/// The limits that a route counts against (`SEC-RATE-1`).
enum LimitGroup: Hashable, Sendable, CaseIterable {
    /// Begins a flow, and may cause a code or a password hash.
    case start
    /// Every other request that needs no special right.
    case step
    /// Health probes and the pages of the development profile: not limited.
    case probe

    /// The group of a route.
    ///
    /// - Parameter template: The router's path template, such as `/{tenant}/signup/v1.0/start`.
    /// - Returns: Nil for a route without a group; it is limited as ``step``, and a test reports it.
    init?(route template: String) {
        let tenant = "/{tenant}/"
        if template.hasPrefix(tenant) {
            let path = String(template.dropFirst(tenant.count))
            // A form that begins a flow is counted as such when it is read.
            if ["web/{handle}", "federation/{provider}/callback", "account", "account/{part}"].contains(path) {
                self = .step
                return
            }
            // One provider tells of all users; a notice is checked by its signature.
            if path == "federation/{provider}/notices" {
                self = .probe
                return
            }
            // A style or a picture of the tenant's, as cheap as those of `/web/`.
            if path == "theme/{name}" {
                self = .probe
                return
            }
            let group = V1Endpoint(rawValue: path)?.limitGroup ?? MetadataEndpoint(rawValue: path)?.limitGroup
            guard let group else { return nil }
            self = group
        } else if template == TextReports.template {
            // One gateway reports of all texts; a report is checked by its signature.
            self = .probe
        } else if ["/", "/livez", "/readyz", "/favicon.ico"].contains(template) || template.hasPrefix("/dev/")
            || template.hasPrefix("/web/")
        {
            self = .probe
        } else if template.hasPrefix("/console") {
            // Operators behind one tunnel are one source, and a page of theirs is several requests. What has no session is
            // cheap, but for what can prove something.
            let proving: [ConsoleRoute] = [.signIn, .code, .acceptInvitation]
            self = proving.contains { $0.path == template } ? .step : .probe
        } else if template.hasPrefix("/graph/") || template == OpenAPIDocument.path
            || AssociationFile.isPath(template)
        {
            self = .step
        } else {
            return nil
        }
    }

    /// The budgets that a request of the group counts against.
    var budgets: [SourceLimits.Budget] {
        switch self {
        case .start: [.requests, .startsPerMinute, .startsPerHour]
        case .step: [.requests]
        case .probe: []
        }
    }
}

extension V1Endpoint {
    /// The limit group of the endpoint. A new endpoint does not compile without one.
    var limitGroup: LimitGroup {
        switch self {
        // Setting a password costs as much as a start with a password: two hashes.
        case .signUpStart, .signInInitiate, .resetPasswordStart, .resetPasswordSubmit: .start
        case .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            .step
        }
    }
}

extension MetadataEndpoint {
    /// The limit group of the endpoint. A new endpoint does not compile without one.
    var limitGroup: LimitGroup {
        switch self {
        // Each request stores a row.
        case .deviceAuthorization: .start
        case .openIDConfiguration, .jsonWebKeys, .authorize, .logout, .pushedAuthorization, .devicePage, .revocation,
            .tokenIntrospection, .userInfo:
            .step
        }
    }
}

extension GuessedSecret {
    /// The secret that was wrong; nil when no guess was wrong.
    init?(wrongIn verdict: Verdict) {
        switch verdict {
        case .refused(.incorrectCode): self = .code
        // A locked account compares nothing, but the source keeps guessing.
        case .refused(.incorrectPassword), .refused(.locked): self = .password
        case .refused, .accepted: return nil
        }
    }

    var budget: SourceLimits.Budget {
        switch self {
        case .code: .wrongCodes
        case .password: .wrongPasswords
        case .daemonProof: .wrongDaemonProofs
        case .userCode: .wrongUserCodes
        }
    }
}

extension RepeatedStep {
    var budget: SourceLimits.Budget {
        switch self {
        case .refresh: .refreshes
        case .redemption: .redemptions
        case .introspect: .introspections
        case .poll: .polls
        case .profileChange: .profileChanges
        case .daemonRequest: .daemonRequests
        case .daemonChange: .daemonChanges
        case .documentChange: .documentChanges
        case .operatorNotice: .operatorNotices
        }
    }
}

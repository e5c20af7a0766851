package import IdentityEngine
import NativeAuthCore
import NativeAuthWire

/// What a route costs its source (`SEC-RATE-1`).
package enum LimitGroup: Hashable, Sendable, CaseIterable {
    /// Begins a flow, and may make a code or a password hash.
    case start
    /// Everything else that anybody may ask.
    case step
    /// Health probes and the pages of the development profile: not limited.
    case probe

    /// The group of a route.
    ///
    /// - Parameter template: The path as the router has it, such as `/{tenant}/signup/v1.0/start`.
    /// - Returns: Nil for a route that was given no group; it is limited as ``step``, and a test finds it.
    package init?(route template: String) {
        let tenant = "/{tenant}/"
        if template.hasPrefix(tenant) {
            let path = String(template.dropFirst(tenant.count))
            let group = V1Endpoint(rawValue: path)?.limitGroup ?? MetadataEndpoint(rawValue: path)?.limitGroup
            guard let group else { return nil }
            self = group
        } else if ["/", "/livez", "/readyz"].contains(template) || template.hasPrefix("/dev/") {
            self = .probe
        } else {
            return nil
        }
    }

    /// What a request of the group is counted against.
    var budgets: [SourceLimits.Budget] {
        switch self {
        case .start: [.requests, .startsPerMinute, .startsPerHour]
        case .step: [.requests]
        case .probe: []
        }
    }
}

extension V1Endpoint {
    /// A new endpoint does not compile until it has its group.
    package var limitGroup: LimitGroup {
        switch self {
        // Setting a password costs as much as a start that brings one: it is hashed twice.
        case .signUpStart, .signInInitiate, .resetPasswordStart, .resetPasswordSubmit: .start
        case .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            .step
        }
    }
}

extension MetadataEndpoint {
    /// A new endpoint does not compile until it has its group.
    package var limitGroup: LimitGroup {
        switch self {
        case .openIDConfiguration, .jsonWebKeys, .authorize, .logout, .revocation, .tokenIntrospection, .userInfo: .step
        }
    }
}

/// A secret that a stranger may try to guess from one source, across accounts (`SEC-RATE-5`).
package enum GuessedSecret: Hashable, Sendable, CaseIterable {
    case code
    case password

    /// What a command compares with a stored secret; nil: nothing.
    package init?(comparedBy command: Command) {
        switch command {
        case .submitSignUpCode, .submitSignInCode, .submitSecondFactor, .submitContactCode, .submitResetCode:
            self = .code
        case .submitSignInPassword:
            self = .password
        case .startSignUp, .challengeSignUp, .submitSignUpPassword, .submitSignUpAttributes, .startSignIn,
            .challengeSignIn, .listMethods, .listContacts, .challengeContact, .confirmContact, .startReset,
            .challengeReset, .submitNewPassword, .pollReset, .redeem, .refresh, .revoke:
            return nil
        }
    }

    /// What turned out wrong; nil: nothing that was guessed.
    package init?(wrongIn verdict: Verdict) {
        switch verdict {
        case .refused(.incorrectCode): self = .code
        // Nothing was compared for a locked account, but the source keeps on trying.
        case .refused(.incorrectPassword), .refused(.locked): self = .password
        case .refused, .accepted: return nil
        }
    }

    var budget: SourceLimits.Budget {
        switch self {
        case .code: .wrongCodes
        case .password: .wrongPasswords
        }
    }
}

/// Something that may be done only so often with one continuation token, or one family of refresh tokens (`SEC-RATE-6`).
package enum RepeatedStep: Hashable, Sendable, CaseIterable {
    /// Keyed by the family.
    case refresh
    /// Keyed by the token that is presented: listing methods or contacts.
    case introspect
    /// Keyed by the token that is presented: how the reset goes.
    case poll

    /// What of a command may be done only so often; nil: nothing.
    package init?(_ command: Command) {
        switch command {
        case .refresh: self = .refresh
        case .listMethods, .listContacts: self = .introspect
        case .pollReset: self = .poll
        case .startSignUp, .challengeSignUp, .submitSignUpCode, .submitSignUpPassword, .submitSignUpAttributes,
            .startSignIn, .challengeSignIn, .submitSignInPassword, .submitSignInCode, .submitSecondFactor,
            .challengeContact, .submitContactCode, .confirmContact, .startReset, .challengeReset, .submitResetCode,
            .submitNewPassword, .redeem, .revoke:
            return nil
        }
    }

    var budget: SourceLimits.Budget {
        switch self {
        case .refresh: .refreshes
        case .introspect: .introspections
        case .poll: .polls
        }
    }
}

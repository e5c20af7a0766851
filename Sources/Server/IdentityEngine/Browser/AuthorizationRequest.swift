package import NativeAuthCore
package import PortableFoundation

/// A request of an OpenID client at the authorization endpoint, after every check that needs no user (docs/protocol.md §21.1).
///
/// The browser holds it, sealed, until the flow ends.
package struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// How the answer gets to the client (OAuth 2.0 Multiple Response Types section 2.1, Form Post Response Mode).
    package enum ResponseMode: String, Hashable, Sendable, Codable, CaseIterable {
        case query
        case fragment
        case formPost = "form_post"
    }

    /// OpenID Connect Core 1.0 section 3.1.2.1; `create` is of Initiating User Registration 1.0.
    package enum Prompt: String, Hashable, Sendable, Codable, CaseIterable {
        case none
        case login
        case consent
        case selectAccount = "select_account"
        case create
    }

    package var client: ClientID
    /// The address of the answer, as the request spells it; it is registered.
    package var redirect: String
    package var redirectKind: RedirectAddresses.Kind
    package var responseMode: ResponseMode
    /// At most 4,096 bytes, returned as it is.
    package var state: String?
    /// At most 512 bytes, returned in the ID token.
    package var nonce: String?
    /// The S256 challenge of PKCE, 43 characters (RFC 7636 section 4.2); nil when a confidential client sent none.
    package var challenge: String?
    package var scopes: [String]
    package var prompts: [Prompt]
    /// The largest age of the proof, in seconds.
    package var maxAge: Int?
    package var loginHint: String?
    /// The authentication contexts that the tokens must state, such as `c1`.
    package var contexts: [String]
    /// The only user that may be the answer, as the claim `sub`, from `id_token_hint` or `claims`.
    package var subject: String?
    /// The device that waits for the answer, which no redirect address gets.
    package var device: DeviceReference?
    /// The thumbprint of the key that the code is bound to (RFC 9449 section 10).
    package var key: String?

    package init(
        client: ClientID, redirect: String, redirectKind: RedirectAddresses.Kind, responseMode: ResponseMode,
        state: String? = nil, nonce: String? = nil, challenge: String? = nil, scopes: [String], prompts: [Prompt] = [],
        maxAge: Int? = nil, loginHint: String? = nil, contexts: [String] = [], subject: String? = nil,
        key: String? = nil
    ) {
        self.client = client
        self.redirect = redirect
        self.redirectKind = redirectKind
        self.responseMode = responseMode
        self.state = state
        self.nonce = nonce
        self.challenge = challenge
        self.scopes = scopes
        self.prompts = prompts
        self.maxAge = maxAge
        self.loginHint = loginHint
        self.contexts = contexts
        self.subject = subject
        self.key = key
    }

    /// Whether the answer goes to an app of a phone or a desk. Another app may have taken its address, so it gets no code
    /// without a click (`OIDC-17`, RFC 8252 section 8.6).
    var isOfNativeApp: Bool {
        switch redirectKind {
        case .publicClient: true
        case .spa, .web: false
        }
    }

    /// Whether the user must give a proof in this flow, whatever the browser's session has.
    var wantsFreshProof: Bool { prompts.contains(.login) || maxAge == 0 }
}

/// Why a request gets an error as its answer, at the client's address (docs/protocol.md §21.2).
package enum AuthorizationRefusal: Hashable, Sendable, CaseIterable {
    /// `prompt=none`, and no user is signed in, or not recently enough.
    case loginRequired
    /// `prompt=none`, and a second factor is needed.
    case secondFactorNeeded
    /// `prompt=none`, and a method for a second factor must be registered first.
    case registrationNeeded
    /// `prompt=none`, and the answer would go to an app without a click.
    case confirmationNeeded
    /// `prompt=create`, and the user flow has no sign-up.
    case signUpNotAllowed
    /// `prompt=none`, and the application is another organisation's, whose users are asked.
    case consentNeeded
    /// The user cancelled.
    case cancelled
    /// The user does not allow what the application asks for.
    case declined
    /// The account cannot satisfy what the application requires.
    case policyUnsatisfied
}

/// What an authorization request gets.
package enum AuthorizationVerdict: Hashable, Sendable {
    case signIn
    case signUp
    /// The signed-in user must give or register another factor.
    case stepUp
    /// The page "continue as".
    case confirm
    /// A code at once, for tokens that state these contexts.
    case code(contexts: [String])
    case refused(AuthorizationRefusal)
}

extension AuthorizationRequest {
    /// Judges the request, as a pure function.
    ///
    /// - Parameters:
    ///   - session: The browser's live session with its account; nil when no user is signed in.
    ///   - subject: The claim `sub` of the session's user.
    ///   - demand: The factors that the application requires, with the contexts of the request.
    ///   - asksForConsent: Whether the application is another organisation's.
    ///   - isConfirmed: Whether the user has just chosen to go on with the session.
    package func judged(
        _ session: BrowserSignIn?, subject: String? = nil, _ demand: FactorDemand, allowsSignUp: Bool,
        asksForConsent: Bool = false, isConfirmed: Bool = false, now: Date
    ) -> AuthorizationVerdict {
        let isSilent = prompts.contains(.none)
        if prompts.contains(.create), !isConfirmed {
            return allowsSignUp ? .signUp : .refused(.signUpNotAllowed)
        }
        guard let session, isFresh(session, demand, now), !wantsFreshProof else {
            return isSilent ? .refused(.loginRequired) : .signIn
        }
        guard self.subject == nil || self.subject == subject else {
            return isSilent ? .refused(.loginRequired) : .signIn
        }
        let isHintedOther = loginHint.map { !session.account.isNamed($0) } ?? false
        let asks =
            prompts.contains(.selectAccount) || prompts.contains(.consent) || isHintedOther || asksForConsent
        if isSilent {
            if isHintedOther { return .refused(.loginRequired) }
            if asksForConsent { return .refused(.consentNeeded) }
            if isOfNativeApp { return .refused(.confirmationNeeded) }
        } else if !isConfirmed, asks || isOfNativeApp {
            return .confirm
        }
        let proven = session.session.authentication
        let isHandedOver = proven.handover != nil
        let isStale = proven.hasStaleStatement(for: demand)
        // No method is registered on old proofs (SEC-MFA-4).
        let isTooOldToRegister =
            now.timeIntervalSince(proven.authenticatedAt) > Double(demand.registrationAge)
            && proven.isBeforeRegistration(of: session.account, demand)
        switch proven.judged(demand, of: session.account) {
        case .tokens(let contexts): return .code(contexts: contexts)
        case .giveSecondFactor where isTooOldToRegister, .registerMethod where isTooOldToRegister:
            return isSilent ? .refused(.loginRequired) : .signIn
        // Another factor stands beside a fresh proof, which a ticket is not.
        case .giveSecondFactor where isHandedOver, .registerMethod where isHandedOver:
            return isSilent ? .refused(.loginRequired) : .signIn
        // A new sign-in at the provider may be enough.
        case .giveSecondFactor where isStale, .registerMethod where isStale:
            return isSilent ? .refused(.loginRequired) : .signIn
        case .giveSecondFactor: return isSilent ? .refused(.secondFactorNeeded) : .stepUp
        case .registerMethod: return isSilent ? .refused(.registrationNeeded) : .stepUp
        case .redirectToBrowser: return isSilent ? .refused(.secondFactorNeeded) : .signIn
        }
    }

    private func isFresh(_ session: BrowserSignIn, _ demand: FactorDemand, _ now: Date) -> Bool {
        let ages = [maxAge, demand.whole(of: session.account).maximumAge].compactMap(\.self)
        guard let maxAge = ages.min() else { return true }
        // The proof was given elsewhere.
        guard session.session.authentication.handover == nil else { return false }
        return now.timeIntervalSince(session.session.authentication.authenticatedAt) <= Double(maxAge)
    }
}

extension UserAccount {
    /// Whether `name` is the account's e-mail address or alias.
    fileprivate func isNamed(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == user.email.lowercased() || name == user.alias?.lowercased()
    }
}

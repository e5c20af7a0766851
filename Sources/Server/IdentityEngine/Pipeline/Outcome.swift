package import NativeAuthCore
package import PortableFoundation

/// The answer to a command: the flow's state, the next requirement, and the allowed operations.
///
/// It holds what the richer of the two wire formats needs, so that each codec can derive its own answer (design record
/// 0014).
package struct Outcome: Hashable, Sendable {
    package var verdict: Verdict
    /// The token for the next request; nil when the presented token stays the newest, or when the flow has no next
    /// request.
    package var token: ContinuationToken?
    /// The operations that `token` allows.
    package var allowed: FlowOperations
    package var trace: Trace
    /// Not stored with an answer that is repeated.
    package var disclosure = AccountDisclosure.none

    package init(
        _ verdict: Verdict, token: ContinuationToken? = nil, allowed: FlowOperations = [], trace: Trace
    ) {
        self.verdict = verdict
        self.token = token
        self.allowed = allowed
        self.trace = trace
    }
}

/// Acceptance with the next interaction, or an expected refusal.
package enum Verdict: Hashable, Sendable, Codable {
    case accepted(Interaction)
    case refused(Refusal)
}

extension Verdict {
    var isAccepted: Bool {
        switch self {
        case .accepted: true
        case .refused: false
        }
    }
}

/// How an answer changes the number of accounts that its source may still ask about (`SEC-ENUM-1`).
package enum AccountDisclosure: Hashable, Sendable {
    case none
    /// The answer can reveal to an unauthenticated client that an account exists or does not exist. Both cost one.
    case counts
    /// The flow ended with a sign-in: the client asked about its own account.
    case givesOneBack
}

/// The next interaction that the flow requires of the user or the client.
package enum Interaction: Hashable, Sendable, Codable {
    /// The flow exists; ask for a challenge.
    case requestChallenge
    /// Prove the address with the code that was sent.
    case proveAddress(CodeDelivery)
    /// The address is proven; ask for a challenge to choose a password.
    case chooseCredential
    /// Send the password: a new one at sign-up, the existing one at sign-in.
    case enterPassword
    /// Send these attributes.
    case collectAttributes([RequiredAttribute])
    /// The attributes are stored in the token; prove these first.
    case verifyFirst(unverified: [String])
    /// A second factor is needed; list the methods.
    case giveSecondFactor
    /// A second factor is needed and none is registered; list what can be registered.
    case registerMethod
    /// Choose one of these.
    case chooseMethod([OfferedMethod])
    /// Add the secret to an authenticator app, and prove it with a code.
    case enrolApp(AppOffer)
    /// Let an authenticator make a passkey.
    case createPasskey(PasskeyCreationOffer)
    /// Let an authenticator sign with a passkey.
    case usePasskey(PasskeyRequestOffer)
    /// Let a provider sign the user in.
    case useProvider(ProviderOffer)
    /// An account has the address of the identity: prove it by an ordinary sign-in, which links the identity.
    case linkAccount
    /// The provider has proven no address: name one, and prove it with a code.
    case nameMailbox
    /// Prove the contact to be registered, with the code that was sent.
    case proveContact(String, codeLength: Int, channel: CodeChannel?)
    /// The contact was already proven in this flow; finish without a code.
    case contactAlreadyProven
    /// Send the new password within this many seconds.
    case choosePassword(expiresIn: Int)
    /// The new password is accepted; poll at this interval, in seconds.
    case awaitReset(pollInterval: Int)
    /// The password is changed; redeem the token to sign in.
    case passwordChanged
    /// Everything is proven; redeem the token to sign in.
    case signIn
    /// Signed in.
    case signedIn(IssuedTokens)
    /// Signed in, in a browser.
    case signedInBrowser(BrowserTicket)
    /// The app may open a page in a browser.
    case ticket(SessionTicket)
    /// The session is over.
    case revoked
    /// The change of the account is made.
    case accountChanged
    /// This client cannot continue here; the web flow can.
    case redirectToBrowser(RedirectReason)
}

/// Why the native client cannot continue.
package enum RedirectReason: Hashable, Sendable, Codable {
    /// The client cannot handle a challenge that the flow needs.
    case missingChallengeType(ChallengeType)
    /// The client cannot handle an answer that the flow needs.
    case missingCapability(ClientAbility)
    /// A second factor is needed, and the user signs in with codes only.
    case noPassword
    /// The second factor must reach another mailbox than the one that was proven, and the user has none.
    case otherMailboxNeeded
    /// The user has a method that the client has not announced.
    case methodNotTaken
    /// The user's methods rest after a reset.
    case methodSuspended
    /// The password came from a reset, and the second factor must be another than that mailbox.
    case passwordFromReset
    /// More is demanded than the user's methods are worth, and none that is worth it can be registered here.
    case strongerMethodNeeded
}

/// A way to give a second factor, or to register one.
package struct OfferedMethod: Hashable, Sendable, Codable {
    /// The value that the client sends to choose the method.
    package var id: String
    /// For an existing method, the masked address, or the name of its kind; for a new method, the whole account address as a
    /// suggestion.
    package var hint: String
    /// How the method proves itself; nil: by a code in a mail, as versions that knew no other wrote it.
    package var channel: CodeChannel?
}

/// Where the user gets a code from, if it is not mailed, or what takes the place of a code; with the word of the wire (docs/protocol.md §4.6).
package enum CodeChannel: String, Hashable, Sendable, Codable {
    case authenticatorApp = "totp"
    case recoveryCode = "recovery_code"
    case textMessage = "sms"
    /// There is no code: the user's device signs.
    case passkey
}

/// The secret for an authenticator app, to be shown once (`SEC-TOTP-8`).
package struct AppOffer: Hashable, Sendable {
    /// Base32, without padding.
    package var secret: Secret<String>
    /// The address that an app takes from a QR code or a link.
    package var address: Secret<String>
}

/// The target of a code that was sent, or what shows it.
package struct CodeDelivery: Hashable, Sendable, Codable {
    /// The masked address, or the name of the method.
    package var maskedTarget: String
    package var codeLength: Int
    /// Seconds until the client may ask for another code; 0 when none is sent.
    package var resendInterval: Int
    /// Nil: it was mailed.
    package var channel: CodeChannel?
    /// For how many seconds the second factor can be left out on this device from now on. Nil: it cannot.
    package var rememberableFor: Int?

    /// Whether the code is sent to the user, who does not have it yet.
    package var isSent: Bool {
        switch channel {
        case .textMessage, nil: true
        case .authenticatorApp, .recoveryCode, .passkey: false
        }
    }
}

/// An expected refusal, independent of wire formats and status codes.
package enum Refusal: Hashable, Sendable, Codable {
    case unknownTenant
    case unknownClient
    /// Native authentication is off for the application, or it has no user flow.
    case nativeAuthDisabled
    /// The user flow has no sign-up.
    case signUpNotAllowed
    /// Not an e-mail address.
    case invalidUsername
    /// An account with this address or alias exists.
    case userAlreadyExists
    case unacceptablePassword(PasswordFault)
    /// The client sent a password to an application whose users sign in with codes.
    case passwordNotUsed
    /// These attributes break the rules of their definitions.
    case invalidAttributes([String])
    /// The receiver of a hook wants other values of these attributes; the reason is its text for the user.
    case refusedAttributes([String], reason: String)
    /// The receiver of a hook ends the sign-up or the sign-in; the reason is its text for the user.
    case blockedByHook(reason: String)
    /// Not a token of this server, tenant, client and flow, or a spent token.
    case unusableToken
    case expiredToken
    /// The flow is in another state: the step is out of order.
    case notAllowedNow
    case incorrectCode
    case expiredCode
    /// The answer of a passkey proves nothing; which check failed is in the audit trail alone (`SEC-PK-20`).
    ///
    /// - Parameter isUnknown: Whether the tenant has no such passkey, so that the device can forget it.
    case passkeyRefused(isUnknown: Bool)
    /// The tenant has no passkeys.
    case passkeysNotOffered
    /// The token of a provider proves nothing; which check failed is in the audit trail alone.
    case identityRefused
    /// The keys of the provider cannot be had now.
    case providerUnavailable
    /// The tenant has no such provider for apps.
    case providerNotOffered
    /// No more codes for this flow.
    case tooManyCodes
    /// Too many requests for this address; the client may try again after this many seconds.
    case throttled(retryAfter: Int)
    /// The source has learned about enough accounts; it may ask again after this many seconds (`SEC-ENUM-1`).
    case enumerationLimited(retryAfter: Int)
    /// The scopes name two resources, or one of them is not a scope.
    case invalidScope
    /// The application may not ask for this scope.
    case scopeNotConsented
    /// No account has this name.
    case userNotFound
    /// The user signs in with codes; there is no password to reset.
    case noPasswordToReset
    case incorrectPassword
    /// The password must be changed by a reset before a sign-in.
    case passwordChangeRequired
    /// Too many wrong passwords; no password is compared for this many seconds.
    case locked(seconds: Int)
    case accountDisabled
    /// The user has no such method.
    case unknownMethod
    /// The tenant offers no such method, or the user has as many as allowed (`SEC-ENR-13`).
    case methodNotAllowed
    /// The contact cannot receive a code.
    case invalidContact
    /// The proofs do not allow this contact: the account's own mailbox must be proven first; or a text to the number is not
    /// possible now. The client should take another contact or method.
    case blockedContact
    /// The mail server of the address refuses our mails for good; the client should take another address.
    case mailboxRefuses
    /// The session lacks the required factors; the user must sign in again.
    case secondFactorNeeded
    case unusableCode(CodeFault)
    case unusableDevice(DeviceFault)
    case unusableProof(ProofFault)
    /// The application may not open this in a browser.
    case ticketNotAllowed
    case unusableRefreshToken
    case expiredRefreshToken
    case revokedRefreshToken
}

/// The operations that a token allows next, sealed into it as associated data (design record 0014, `SEC-CT-6`).
package struct FlowOperations: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let challengeSignUp = FlowOperations(rawValue: 1 << 0)
    package static let submitSignUpCode = FlowOperations(rawValue: 1 << 1)
    package static let submitSignUpPassword = FlowOperations(rawValue: 1 << 2)
    package static let submitSignUpAttributes = FlowOperations(rawValue: 1 << 3)
    package static let redeem = FlowOperations(rawValue: 1 << 4)
    /// The challenge of the first factor and of the second factor.
    package static let challengeSignIn = FlowOperations(rawValue: 1 << 5)
    package static let submitSignInPassword = FlowOperations(rawValue: 1 << 6)
    package static let submitSignInCode = FlowOperations(rawValue: 1 << 7)
    package static let introspectMethods = FlowOperations(rawValue: 1 << 8)
    package static let submitSecondFactor = FlowOperations(rawValue: 1 << 9)
    package static let introspectRegistration = FlowOperations(rawValue: 1 << 10)
    package static let challengeContact = FlowOperations(rawValue: 1 << 11)
    package static let submitContactCode = FlowOperations(rawValue: 1 << 12)
    package static let confirmContact = FlowOperations(rawValue: 1 << 13)
    package static let challengeReset = FlowOperations(rawValue: 1 << 14)
    package static let submitResetCode = FlowOperations(rawValue: 1 << 15)
    package static let submitNewPassword = FlowOperations(rawValue: 1 << 16)
    package static let pollReset = FlowOperations(rawValue: 1 << 17)
    package static let challengeAccount = FlowOperations(rawValue: 1 << 18)
    package static let submitAccountCode = FlowOperations(rawValue: 1 << 19)
    package static let askAboutSignUp = FlowOperations(rawValue: 1 << 20)
    package static let submitPasskey = FlowOperations(rawValue: 1 << 21)
    package static let createPasskey = FlowOperations(rawValue: 1 << 22)
    package static let submitIdentity = FlowOperations(rawValue: 1 << 23)
    package static let confirmApp = FlowOperations(rawValue: 1 << 24)
}

/// The identification of an answer in a log; no part of it is secret. A repeated answer keeps its trace, so that its
/// bytes are the same (`REL-IDEM`).
package struct Trace: Hashable, Sendable, Codable {
    /// Chosen by the server.
    package var id: UUID
    /// Chosen by the client, or by the server when the client sent none.
    package var correlationID: UUID
    package var at: Date
    /// The request's span in the operator's traces, as the header `traceparent` writes it, for the mails that the request causes; nil
    /// when it is not traced. Not stored.
    package var span: String?

    private enum CodingKeys: String, CodingKey {
        case id, correlationID, at
    }

    package init(id: UUID, correlationID: UUID, at: Date) {
        self.id = id
        self.correlationID = correlationID
        self.at = at
    }
}

/// The tokens of a sign-in (docs/protocol.md §6.1).
package struct IssuedTokens: Hashable, Sendable {
    package var accessToken: Secret<String>
    /// Present only with the scope `openid`.
    package var idToken: Secret<String>?
    /// Present only with the scope `offline_access`.
    package var refreshToken: Secret<String>?
    /// The granted scopes.
    package var scopes: [String]
    /// Seconds until the access token expires.
    package var lifetime: Int
    package var user: UserID
    package var tenant: TenantID
    /// Whether the access token is bound to a key (RFC 9449): then its type is `DPoP`.
    package var isBound: Bool
    /// Seconds for which the second factor is left out on the device from now on; nil: the device is not remembered.
    package var deviceRememberedFor: Int?

    package init(
        accessToken: Secret<String>, idToken: Secret<String>?, refreshToken: Secret<String>?, scopes: [String],
        lifetime: Int, user: UserID, tenant: TenantID, isBound: Bool = false
    ) {
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.lifetime = lifetime
        self.user = user
        self.tenant = tenant
        self.isBound = isBound
    }
}

// The encoded form of the types below holds secrets in the clear. Encode them only for `Vault.seal`.

extension IssuedTokens: Codable {
    private enum Key: String, CodingKey {
        case accessToken, idToken, refreshToken, scopes, lifetime, user, tenant, isBound, deviceRememberedFor
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        accessToken = Secret(try values.decode(String.self, forKey: .accessToken))
        idToken = try values.decodeIfPresent(String.self, forKey: .idToken).map { Secret($0) }
        refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken).map { Secret($0) }
        scopes = try values.decode([String].self, forKey: .scopes)
        lifetime = try values.decode(Int.self, forKey: .lifetime)
        user = try values.decode(UserID.self, forKey: .user)
        tenant = try values.decode(TenantID.self, forKey: .tenant)
        // Not in answers of older servers.
        isBound = try values.decodeIfPresent(Bool.self, forKey: .isBound) ?? false
        deviceRememberedFor = try values.decodeIfPresent(Int.self, forKey: .deviceRememberedFor)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(accessToken.reveal(), forKey: .accessToken)
        try values.encodeIfPresent(idToken?.reveal(), forKey: .idToken)
        try values.encodeIfPresent(refreshToken?.reveal(), forKey: .refreshToken)
        try values.encodeIfPresent(deviceRememberedFor, forKey: .deviceRememberedFor)
        try values.encode(scopes, forKey: .scopes)
        try values.encode(lifetime, forKey: .lifetime)
        try values.encode(user, forKey: .user)
        try values.encode(tenant, forKey: .tenant)
        if isBound { try values.encode(true, forKey: .isBound) }
    }
}

extension AppOffer: Codable {
    private enum Key: String, CodingKey {
        case secret, address
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        secret = Secret(try values.decode(String.self, forKey: .secret))
        address = Secret(try values.decode(String.self, forKey: .address))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(secret.reveal(), forKey: .secret)
        try values.encode(address.reveal(), forKey: .address)
    }
}

extension Outcome: Codable {
    private enum Key: String, CodingKey {
        case verdict, token, allowed, trace
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        verdict = try values.decode(Verdict.self, forKey: .verdict)
        token = try values.decodeIfPresent(String.self, forKey: .token).map { ContinuationToken($0) }
        allowed = FlowOperations(rawValue: try values.decode(UInt32.self, forKey: .allowed))
        trace = try values.decode(Trace.self, forKey: .trace)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(verdict, forKey: .verdict)
        try values.encodeIfPresent(token?.secret.reveal(), forKey: .token)
        try values.encode(allowed.rawValue, forKey: .allowed)
        try values.encode(trace, forKey: .trace)
    }
}

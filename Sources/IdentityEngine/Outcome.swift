package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The answer to a command: where the flow is, what is required, what is allowed next.
///
/// It is shaped for the richer of the two wires, so that each codec can derive its own words from it (decision D1).
package struct Outcome: Hashable, Sendable {
    package var verdict: Verdict
    /// The token to go on with; nil when the one presented stays the newest, and when there is nothing to go on with.
    package var token: ContinuationToken?
    /// What `token` may be used for.
    package var allowed: FlowOperations
    package var trace: Trace
    /// Not kept with an answer that is given again.
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

/// Yes with what comes next, or an expected no.
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

/// What an answer does to the number of accounts of which its source may still learn whether they exist (`SEC-ENUM-1`).
package enum AccountDisclosure: Hashable, Sendable {
    case none
    /// It may tell a caller who has proven nothing that an account exists, or that none does. Both cost one.
    case counts
    /// The flow ended with a sign-in: its start was about an account of the person who asked.
    case givesOneBack
}

/// What the flow wants of the user or of the client next.
package enum Interaction: Hashable, Sendable, Codable {
    /// The flow exists; ask for a challenge.
    case requestChallenge
    /// Prove the address with the code that was sent.
    case proveAddress(CodeDelivery)
    /// The address is proven; ask for a challenge to choose a password.
    case chooseCredential
    /// Send the password: the new one at sign-up, the user's at sign-in.
    case enterPassword
    /// Send these attributes.
    case collectAttributes([RequiredAttribute])
    /// The attributes are noted; first prove these.
    case verifyFirst(unverified: [String])
    /// A second factor is needed; ask which there are.
    case giveSecondFactor
    /// A second factor is needed and none is registered; ask what can be.
    case registerMethod
    /// Choose one of these.
    case chooseMethod([OfferedMethod])
    /// Prove the contact to be registered with the code that was sent.
    case proveContact(String, codeLength: Int)
    /// The contact was proven in this flow already; finish without a code.
    case contactAlreadyProven
    /// Send the new password within so many seconds.
    case choosePassword(expiresIn: Int)
    /// The new password is taken; ask how it goes every so many seconds.
    case awaitReset(pollInterval: Int)
    /// The password is changed; redeem the token to sign in.
    case passwordChanged
    /// Everything is proven; redeem the token to sign in.
    case signIn
    /// Signed in.
    case signedIn(IssuedTokens)
    /// The session is over.
    case revoked
    /// This client cannot go on here; the web can.
    case goToWeb(reason: String)
}

/// A way to give a second factor, or to register one.
package struct OfferedMethod: Hashable, Sendable, Codable {
    /// What the client sends to choose it.
    package var id: String
    /// For an existing method the address, masked; for a new one the whole address, to begin with.
    package var hint: String

    package init(id: String, hint: String) {
        self.id = id
        self.hint = hint
    }
}

/// Where a code went.
package struct CodeDelivery: Hashable, Sendable, Codable {
    /// The address, masked.
    package var maskedTarget: String
    package var codeLength: Int
    /// Seconds until another code may be asked for.
    package var resendInterval: Int

    package init(maskedTarget: String, codeLength: Int, resendInterval: Int) {
        self.maskedTarget = maskedTarget
        self.codeLength = codeLength
        self.resendInterval = resendInterval
    }
}

/// An expected no. It says nothing of wires or status codes.
package enum Refusal: Hashable, Sendable, Codable {
    case unknownTenant
    case unknownClient
    case nativeAuthDisabled
    /// Not an e-mail address.
    case invalidUsername
    /// The address or the alias belongs to somebody.
    case userAlreadyExists
    case unacceptablePassword(PasswordFault)
    /// A password was sent to an application whose users sign in with codes.
    case passwordNotUsed
    /// These attributes break their rules.
    case invalidAttributes([String])
    /// Not a token of this server, tenant, client and flow, or a spent one.
    case unusableToken
    case expiredToken
    /// The flow is elsewhere: the step is out of order.
    case notAllowedNow
    case incorrectCode
    case expiredCode
    /// No more codes for this flow.
    case tooManyCodes
    /// Too often for this address; after so many seconds it will do.
    case throttled(retryAfter: Int)
    /// The source has learned of enough accounts whether they exist; after so many seconds it may ask again (`SEC-ENUM-1`).
    case tooManyNames(retryAfter: Int)
    /// The scopes name two resources, or something that is no scope.
    case invalidScope
    /// The application may not ask for this scope.
    case scopeNotConsented
    /// Nobody signs in by this name.
    case userNotFound
    /// The user signs in with codes; there is no password to reset.
    case noPasswordToReset
    case incorrectPassword
    /// Too many wrong passwords; nothing is compared for so many seconds.
    case locked(seconds: Int)
    case accountDisabled
    /// No such method of the user.
    case unknownMethod
    /// No contact that a code can be sent to.
    case invalidContact
    /// The contact may not be registered on the strength of what was proven: the account's own mailbox comes first.
    case blockedContact
    /// The session does not hold the factors that are asked for; sign in again.
    case secondFactorNeeded
    case unusableRefreshToken
    case expiredRefreshToken
    case revokedRefreshToken
}

/// What may be done with a token next. Sealed into it as associated data (decision D2, `SEC-CT-6`).
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
    /// The first factor's challenge, and the second factor's.
    package static let challengeSignIn = FlowOperations(rawValue: 1 << 5)
    package static let submitSignInPassword = FlowOperations(rawValue: 1 << 6)
    package static let submitSignInCode = FlowOperations(rawValue: 1 << 7)
    package static let listMethods = FlowOperations(rawValue: 1 << 8)
    package static let submitSecondFactor = FlowOperations(rawValue: 1 << 9)
    package static let listContacts = FlowOperations(rawValue: 1 << 10)
    package static let challengeContact = FlowOperations(rawValue: 1 << 11)
    package static let submitContactCode = FlowOperations(rawValue: 1 << 12)
    package static let confirmContact = FlowOperations(rawValue: 1 << 13)
    package static let challengeReset = FlowOperations(rawValue: 1 << 14)
    package static let submitResetCode = FlowOperations(rawValue: 1 << 15)
    package static let submitNewPassword = FlowOperations(rawValue: 1 << 16)
    package static let pollReset = FlowOperations(rawValue: 1 << 17)
}

/// How an answer is recognised in a log: no part of it is a secret. An answer that is given again keeps its trace, so that
/// its bytes are the same (`REL-IDEM`).
package struct Trace: Hashable, Sendable, Codable {
    /// Chosen by the server.
    package var id: UUID
    /// Chosen by the client, or by the server when the client gave none.
    package var correlationID: UUID
    package var at: Date

    package init(id: UUID, correlationID: UUID, at: Date) {
        self.id = id
        self.correlationID = correlationID
        self.at = at
    }
}

/// The tokens of a sign-in (native-auth-v1 §6.1).
package struct IssuedTokens: Hashable, Sendable {
    package var accessToken: Secret<String>
    /// With the scope `openid` only.
    package var idToken: Secret<String>?
    /// With the scope `offline_access` only.
    package var refreshToken: Secret<String>?
    /// The granted scopes.
    package var scopes: [String]
    /// Seconds.
    package var lifetime: Int
    package var user: UserID
    package var tenant: TenantID

    package init(
        accessToken: Secret<String>, idToken: Secret<String>?, refreshToken: Secret<String>?, scopes: [String],
        lifetime: Int, user: UserID, tenant: TenantID
    ) {
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.lifetime = lifetime
        self.user = user
        self.tenant = tenant
    }
}

// The two types below hold secrets in the clear when encoded. They are encoded for `Vault.seal` only.

extension IssuedTokens: Codable {
    private enum Key: String, CodingKey {
        case accessToken, idToken, refreshToken, scopes, lifetime, user, tenant
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
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(accessToken.reveal(), forKey: .accessToken)
        try values.encodeIfPresent(idToken?.reveal(), forKey: .idToken)
        try values.encodeIfPresent(refreshToken?.reveal(), forKey: .refreshToken)
        try values.encode(scopes, forKey: .scopes)
        try values.encode(lifetime, forKey: .lifetime)
        try values.encode(user, forKey: .user)
        try values.encode(tenant, forKey: .tenant)
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

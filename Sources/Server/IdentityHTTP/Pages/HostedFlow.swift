import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// What a hosted page asks for.
enum HostedStep: Hashable, Sendable, Codable {
    /// The name of an account, for a sign-in or a sign-up.
    case enterName(isSignUp: Bool)
    case enterPassword
    /// The digits that were mailed to a masked address.
    case enterCode(CodePurpose, target: String)
    /// The digits that the user's authenticator app shows.
    case enterAppCode
    /// One of the recovery codes that the user kept.
    case enterRecoveryCode
    /// The answer of a passkey; the options are a `PublicKeyCredentialRequestOptionsJSON` (WebAuthn section 5.1).
    case usePasskey(options: String)
    /// A new password, at sign-up or after the proof of a reset.
    case choosePassword(isReset: Bool)
    case collectAttributes([RequiredAttribute])
    case chooseMethod([OfferedMethod])
    /// A mailbox for the second factor; the suggestion is the account's own.
    case enterContact(suggestion: String)
    /// A telephone for the second factor.
    case enterPhone
    /// Whether to go on as the user who is signed in.
    case confirm
    /// New recovery codes, before the sign-in goes on.
    ///
    /// - Parameter asks: Whether another question to the user follows.
    case renewCodes(asks: Bool)
    /// Whether this browser is to be signed in as the user of an app (design record 0038).
    case fromApp(TicketQuestion)
    /// The user must sign in again before a change of the account; by a reset when nothing else gives the proof.
    case proveAgain(byReset: Bool)
    /// The digits that were mailed to a masked address, for a change of the account.
    case enterAccountCode(target: String)
    /// The secret for an authenticator app, and a code of it.
    case addApp(AppOffer)
    /// The answer of the authenticator that makes a passkey; the options are a `PublicKeyCredentialCreationOptionsJSON`.
    case createPasskey(options: String)
    /// The same in the middle of a sign-in that asks for it.
    case registerPasskey(options: String)
    /// The secret for an authenticator app that is registered in the middle of a sign-in, and a code of it.
    case registerApp(AppOffer)
    /// The account cannot go on here.
    case dead(DeadEnd)
    /// The user is at a provider of another organisation.
    case atProvider(ProviderTrip)
    /// An address for a new account: the provider has proven none.
    case nameMailbox
    /// The answer to the client is made.
    case answered(code: String, at: Date)
    /// The user has answered a device.
    case deviceAnswered(DeviceEnd)

    enum DeviceEnd: String, Hashable, Sendable, Codable {
        case allowed, declined
        /// Its code was too old, or answered before.
        case over
    }

    enum CodePurpose: String, Hashable, Sendable, Codable {
        case signUp, signIn, reset, secondFactor, contact
    }

    enum DeadEnd: String, Hashable, Sendable, Codable {
        /// What the account can prove is not enough for the application.
        case policy
        /// The flow is over: too many codes, or it took too long.
        case over
        /// A receiver of the tenant refused.
        case blocked
    }
}

/// A user's way to a provider and back.
struct ProviderTrip: Hashable, Sendable, Codable {
    /// ``IdentityProvider/id``.
    var provider: String
    var name: String
    /// Where the browser goes.
    var address: String
    /// What the provider must bring back: the handle of the flow, a dot, and 256 random bits. Only this browser has it, in the
    /// flow's sealed cookie (`SEC-FED-5`).
    var state: String
    /// The verifier of PKCE.
    var verifier: String
    /// Whether the account there is to be linked to that of the signed-in user. Nil: no, it signs a user in.
    var isLink: Bool?
    /// Whether the provider is asked once more, because its sign-in was too old for what the tenant counts on. Nil: no.
    var isAgain: Bool?
}

extension HostedStep {
    /// Whether the step ends a change of the account.
    var changesAccount: Bool {
        switch self {
        case .enterAccountCode, .addApp, .createPasskey: true
        case .atProvider(let trip): trip.isLink == true
        case .enterName, .enterPassword, .enterCode, .enterAppCode, .enterRecoveryCode, .usePasskey, .registerPasskey,
            .registerApp, .choosePassword, .collectAttributes, .chooseMethod, .enterContact, .enterPhone, .confirm,
            .renewCodes, .fromApp, .proveAgain, .dead,
            .nameMailbox, .answered, .deviceAnswered:
            false
        }
    }

    /// Whether the code of the step is one of an authenticator app.
    var asksForAppCode: Bool {
        switch self {
        case .enterAppCode, .addApp, .registerApp: true
        case .enterName, .enterPassword, .enterCode, .enterRecoveryCode, .usePasskey, .createPasskey, .registerPasskey,
            .enterAccountCode, .choosePassword, .collectAttributes, .chooseMethod, .enterContact, .enterPhone, .confirm,
            .renewCodes, .fromApp, .proveAgain, .dead, .atProvider, .nameMailbox, .answered, .deviceAnswered:
            false
        }
    }

    /// Whether the step asks an authenticator for an answer.
    var asksForPasskey: Bool {
        switch self {
        case .usePasskey, .createPasskey, .registerPasskey: true
        case .enterName, .enterPassword, .enterCode, .enterAppCode, .enterRecoveryCode, .enterAccountCode, .addApp,
            .registerApp, .choosePassword, .collectAttributes, .chooseMethod, .enterContact, .enterPhone, .confirm,
            .renewCodes, .fromApp, .proveAgain, .dead, .atProvider, .nameMailbox, .answered, .deviceAnswered:
            false
        }
    }

    /// Whether the step leads through new recovery codes.
    var isAboutCodes: Bool {
        if case .renewCodes = self { true } else { false }
    }

    /// Whether the step's answer decides on a provider's identity, and no method of the second factor is added in it.
    var mayFindIdentity: Bool {
        switch self {
        case .atProvider, .nameMailbox, .enterCode(.signUp, _): true
        case .enterName, .enterPassword, .enterCode, .enterAppCode, .enterRecoveryCode, .enterAccountCode, .addApp,
            .usePasskey, .createPasskey, .registerPasskey, .registerApp, .choosePassword, .collectAttributes,
            .chooseMethod, .enterContact, .enterPhone, .confirm, .renewCodes, .fromApp, .proveAgain, .dead, .answered,
            .deviceAnswered:
            false
        }
    }

    /// Whether the step is about a telephone: what it asks for, or where its code went.
    var isAboutPhone: Bool {
        switch self {
        case .enterPhone: true
        case .enterCode(_, let target), .enterAccountCode(let target): Self.isNumber(target)
        case .enterName, .enterPassword, .enterAppCode, .enterRecoveryCode, .usePasskey, .createPasskey,
            .registerPasskey, .registerApp,
            .choosePassword, .collectAttributes, .chooseMethod, .enterContact, .confirm, .renewCodes, .fromApp,
            .proveAgain, .addApp, .dead, .atProvider, .nameMailbox, .answered, .deviceAnswered:
            false
        }
    }

    /// Whether the target of a code is a telephone number, masked or not, and no address.
    private static func isNumber(_ target: String) -> Bool {
        target.utf8.first == UInt8(ascii: "+") && !target.utf8.contains(UInt8(ascii: "@"))
    }
}

/// The state of hosted pages, sealed in a cookie of the browser (design record 0033).
struct HostedFlow: Sendable, Codable {
    var request: AuthorizationRequest
    var step: HostedStep
    /// The newest continuation token.
    var token: String?
    /// Grows by one with each progress, so that a form of an earlier page is told from one of this page.
    var number: Int
    /// The name that the user typed.
    var username: String?
    /// Whether the user chose to stay signed in.
    var keeps: Bool
    /// The user that the page "continue as" shows.
    var shown: UserID?
    /// The session that a step-up began with.
    var session: UUID?
    var language: String?
    /// The page of the account that the flow leads back to; nil for a flow of an application.
    var account: AccountPart?
    /// Whether the user has more methods of the second factor than the one of this step. Nil: no.
    var hasOtherMethods: Bool?
    /// The provider whose account the sign-in links.
    var linksTo: String?
    /// The continuation token of the passkeys that the field of the name suggests. Nil: none are.
    var suggestion: String?
    /// The method that the step asks for a code of.
    var method: String?
    /// For how many seconds the second factor of this step can be left out in this browser. Nil: it cannot.
    var rememberableFor: Int?
    /// Whether the user wants that. Nil: no.
    var remembers: Bool?
    /// When the request is of no use any more.
    var expiresAt: Date

    static let lifetime = 24 * 3_600.0

    init(_ request: AuthorizationRequest, _ step: HostedStep, language: String?, now: Date) {
        self.request = request
        self.step = step
        self.language = language
        number = 0
        username = request.loginHint
        keeps = false
        expiresAt = now.addingTimeInterval(Self.lifetime)
    }

    /// The same flow at its beginning.
    mutating func restart(isSignUp: Bool) {
        step = .enterName(isSignUp: isSignUp)
        token = nil
        session = nil
        linksTo = nil
        suggestion = nil
        rememberableFor = nil
        remembers = nil
        number += 1
    }
}

extension String {
    /// A telephone number whose plus sign stays in front of it in languages that are written from the right, too.
    var isolated: String { "\u{2066}\(self)\u{2069}" }
}

/// A sentence at the top of a page about what was typed, and the field that it is about.
struct HostedProblem: Hashable, Sendable {
    var phrase: PagePhrase
    /// The name of the field; nil when it is about none.
    var field: String?
}

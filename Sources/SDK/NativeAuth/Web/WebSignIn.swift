public import PortableFoundation

/// What to ask for in a browser. All values have defaults.
public struct WebSignInOptions: Sendable {
    /// The question that the page asks.
    public var prompt = WebPrompt.whenNeeded
    /// The user name that the page suggests. When it is an e-mail address and another user signs in, the sign-in fails
    /// with ``WebSignInError/otherUser(_:_:)``; an alias cannot be compared.
    public var username: String?
    /// The user who must sign in; any other fails with ``WebSignInError/otherUser(_:_:)``.
    public var account: Account?
    /// Whether a user other than ``username`` or ``account`` may sign in.
    public var allowsOtherUser = false
    /// Whether the browser shares its cookies with the user's other pages.
    public var session = WebSession.ephemeral
    /// Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are added.
    public var scopes: [String] = []
    /// A claims request: JSON as text.
    public var claims: String?
    /// How long ago the user may have signed in at most; nil for any time. Counted in whole seconds.
    public var maxAge: Duration?
    /// The languages of the pages, as language tags (RFC 5646), the preferred one first; nil for those of the browser.
    public var languages: [String]?
    /// More parameters for the page's address. Those that this library sends itself are refused.
    public var extraParameters: [String: String] = [:]
    /// Identifies the sign-in in the server's log; nil for a new ID.
    public var correlationID: UUID?
    /// Scopes that the user consents to now, and that no token is asked for yet.
    package var scopesToConsent: [String] = []

    /// Options with the values that most apps set.
    public init(prompt: WebPrompt = .whenNeeded, username: String? = nil, scopes: [String] = []) {
        self.prompt = prompt
        self.username = username
        self.scopes = scopes
    }
}

extension WebSignInOptions: CustomReflectable {
    /// Without the user.
    public var customMirror: Mirror { Mirror(self, children: ["prompt": prompt, "session": session]) }
}

/// The question that a page asks (OpenID Connect Core 1.0 §3.1.2.1).
public enum WebPrompt: Hashable, Sendable {
    /// Only what is missing.
    case whenNeeded
    /// The credentials, also when the user is signed in.
    case signIn
    /// To create an account.
    case signUp
    /// Which account to use.
    case chooseAccount
    /// The user's consent.
    case consent

    /// The parameter `prompt`; nil for none.
    var word: String? {
        switch self {
        case .whenNeeded: nil
        case .signIn: "login"
        case .signUp: "create"
        case .chooseAccount: "select_account"
        case .consent: "consent"
        }
    }
}

/// What a flow that needs a browser has collected so far. Its description is empty, because it names the user.
package struct BrowserFallback: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package var prompt = WebPrompt.whenNeeded
    package var username: String?
    /// The user whose session needs the browser.
    package var homeAccountID: String?
    package var scopes: [String] = []
    package var claims: String?

    package var description: String { "BrowserFallback" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - Errors

/// Why a sign-in or a sign-out in a browser did not succeed.
public enum WebSignInError: NativeAuthFailure {
    /// The user closed the page, pressed Cancel on it or did not finish in time; or the task was cancelled. Nothing has
    /// changed.
    case cancelled(by: WebCanceller, ErrorDetails)
    /// Another sign-in or sign-out in a browser is running; nothing was shown (`SDK-WEB-2`).
    case busy(ErrorDetails)
    /// The browser did not open; the message says why.
    case couldNotShow(ErrorDetails)
    /// The server cannot sign the user in without a question that the request forbids.
    case interactionRequired(ErrorDetails)
    /// The answer failed a check, so it may come from an attacker. Nothing was stored (`SDK-WEB-5`).
    case answerRejected(WebAnswerFault, ErrorDetails)
    /// The user is signed in, but these scopes were not granted (`SDK-WEB-11`).
    case declinedScopes([String], granted: [String], Account, ErrorDetails)
    /// Another user than the given one has signed in. Nothing was stored: this account cannot get tokens
    /// (`SDK-WEB-6`). To accept it, sign in again with ``WebSignInOptions/allowsOtherUser``.
    case otherUser(Account, ErrorDetails)
    /// The call failed for another reason.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .cancelled(_, let details), .busy(let details), .couldNotShow(let details),
            .interactionRequired(let details), .answerRejected(_, let details),
            .declinedScopes(_, _, _, let details), .otherUser(_, let details):
            details
        case .service(let error): error.details
        }
    }
}

/// What ended a sign-in in a browser.
public enum WebCanceller: Hashable, Sendable {
    /// The user.
    case user
    /// The app, by cancelling the task.
    case program
}

/// The check that an answer failed.
public enum WebAnswerFault: Hashable, Sendable {
    /// It did not come to the redirect URI.
    case address
    /// It cannot be parsed, or has neither a code nor an error.
    case malformed
    /// It belongs to another request (RFC 6749 §10.12).
    case state
    /// Another server issued it (RFC 9207 §2.4).
    case issuer
    /// The ID token is missing, or is not for this app, this server and this time (OpenID Connect Core 1.0 §3.1.3.7).
    case idToken
    /// The ID token belongs to another request (OpenID Connect Core 1.0 §3.1.3.7 item 11).
    case nonce
}

extension WebAnswerFault {
    var sentence: String {
        switch self {
        case .address: "The answer did not come to the redirect URI."
        case .malformed: "The answer has neither a code nor an error, or has a parameter twice."
        case .state: "The answer has the state of another request."
        case .issuer: "The answer does not name the issuer of this tenant."
        case .idToken: "The ID token is missing, or is not for this app, this server and this time."
        case .nonce: "The ID token has the nonce of another request."
        }
    }
}

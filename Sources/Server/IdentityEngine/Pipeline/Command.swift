package import NativeAuthCore
package import PortableFoundation

/// A client's request, independent of the wire format.
package enum Command: Sendable {
    case startSignUp(SignUpRequest)
    case startSignIn(UsernameRequest)
    /// Begin a sign-in whose user the passkey names.
    case startPasskey(PasskeyStart)
    /// Begin a sign-in whose user the token of a provider names.
    case startFederated(ProviderStart)
    case startReset(UsernameRequest)
    /// Take a step of the flow that the token belongs to.
    case step(ContinuationToken, StepCommand)
    /// Exchange a refresh token. Empty scopes mean the scopes of the sign-in (RFC 6749 section 6).
    case refresh(Secret<String>, TokenRequest)
    /// Exchange an authorization code (RFC 6749 section 4.1.3).
    case redeemCode(CodePresentation)
    /// Ask whether a user has allowed the device, and exchange its code then (RFC 8628 section 3.4).
    case redeemDevice(Secret<String>, contexts: [String])
    /// Exchange a refresh token for a ticket to the browser (RFC 8693).
    case exchange(TicketRequest)
    /// End the session of a refresh token or an access token (RFC 7009).
    case revoke(Secret<String>)
    /// What a signed-in user asks for, with the access token as the first proof.
    case account(DirectoryCaller, AccountCommand)
}

/// A step of a flow that has begun.
package enum StepCommand: Sendable {
    /// Send a code, or answer that a password is required. `accepted` is the set of challenge types that the client can
    /// handle; nil when the client did not state it. `target` is the address of a sign-up that a provider began without one.
    case challengeSignUp(target: String? = nil, accepted: Set<ChallengeType>?)
    case submitSignUpCode(Secret<String>)
    case submitSignUpPassword(Secret<String>)
    case submitSignUpAttributes(SubmittedAttributes)
    /// Ask the receivers of hooks; the server takes this step itself, after the one that proves the mailbox.
    case askAboutSignUp
    /// Ask for the password or send a code for the first factor; with `method`, send a code for that method of the
    /// second factor.
    case challengeSignIn(method: String?, accepted: Set<ChallengeType>?)
    case submitSignInPassword(Secret<String>, TokenRequest)
    /// Submit a code of the first or the second factor. Clients of the second factor once used the same grant
    /// (docs/protocol.md §16, row 2).
    case submitSignInCode(Secret<String>, TokenRequest)
    /// Submit the answer of a passkey, a JSON text (WebAuthn section 5.1), of the first or the second factor.
    case submitPasskey(Secret<String>, TokenRequest)
    /// Submit the token of a provider.
    case submitIdentity(PresentedIdentity, TokenRequest)
    /// List the user's second-factor methods.
    case introspectMethods
    case submitSecondFactor(Secret<String>, TokenRequest)
    /// List the contact types that the user can register as a second factor.
    case introspectRegistration
    /// Send a code to the contact to be registered.
    case challengeContact(String, channel: String?)
    case submitContactCode(Secret<String>)
    /// Register a contact that this flow has already proven.
    case confirmContact
    /// Ask for a passkey to be registered in the middle of a sign-in.
    case challengeNewPasskey
    /// Ask for the secret of an authenticator app to be registered in the middle of a sign-in.
    case challengeNewApp
    /// Submit a code that this app shows.
    case confirmNewApp(Secret<String>)
    case challengeReset(accepted: Set<ChallengeType>?)
    case submitResetCode(Secret<String>)
    case submitNewPassword(Secret<String>)
    case pollReset
    /// Send the code of a change of the account, to the own or the new mailbox.
    case challengeAccount(UserID)
    /// The user is that of the access token, who must be the user of the flow.
    case submitAccountCode(Secret<String>, UserID)
    /// Submit the answer of the authenticator that made a passkey, a JSON text (WebAuthn section 5.1), with the user's name for it.
    /// The user is that of the access token; nil in the middle of a sign-in.
    case createPasskey(String, name: String?, UserID?)
    /// Submit the token of a provider whose account is linked to the user's. The user is that of the access token.
    case linkIdentity(PresentedIdentity, UserID)
    /// Exchange the token of a finished flow for tokens.
    case redeem(TokenRequest)
}

/// The properties of a command that do not depend on the state of its flow: what it needs, what it costs, the names it
/// can reveal, and its limits.
package struct CommandTraits: Sendable {
    /// What the presented token must allow, at least one of these; empty for a command without a continuation token.
    var operations: FlowOperations = []
    /// Whether the command is the first step of a flow.
    package var beginsFlow = false
    /// Whether the command hashes a password.
    package var hashesPassword = false
    /// The secret that the command compares with a stored one, and that a client can try to guess.
    package var compares: GuessedSecret?
    /// The limit per flow or per family that counts the command.
    package var repeats: RepeatedStep?
    /// Whether the command can be the last step of a flow, the one that issues tokens.
    var signsIn = false
    /// The kinds of names for which an answer can reveal, to an unauthenticated client, that an account has the name.
    var reveals: Set<RevealedName> = []

    enum RevealedName: Sendable {
        /// The e-mail address or the alias that the request names.
        case username
        /// An alias that a sign-up asks for.
        case newAlias
    }

    /// Whether the answer counts as a disclosure of accounts. When accounts are hidden (`strict`), the answer still
    /// reveals that an alias is taken.
    func reveals(in mode: EnumerationMode) -> Bool {
        switch mode {
        case .compat: false
        case .bulk: !reveals.isEmpty
        case .strict: reveals.contains(.newAlias)
        }
    }
}

extension Command {
    /// The properties of every command; a new command compiles only with a line here or in ``StepCommand/traits``.
    package var traits: CommandTraits {
        switch self {
        case .startSignUp(let request):
            CommandTraits(
                beginsFlow: true, hashesPassword: request.password != nil,
                reveals: request.attributes.nameAlias ? [.username, .newAlias] : [.username])
        case .startSignIn, .startReset: CommandTraits(beginsFlow: true, reveals: [.username])
        // It names no user.
        case .startPasskey, .startFederated: CommandTraits(beginsFlow: true)
        case .step(_, let step): step.traits
        case .refresh, .exchange: CommandTraits(repeats: .refresh)
        // It gives no disclosure back: the flow at the pages did.
        case .redeemCode: CommandTraits(repeats: .redemption)
        case .redeemDevice: CommandTraits(repeats: .poll)
        case .revoke: CommandTraits()
        case .account(_, let command): command.traits
        }
    }

    /// Whether a flow that began with a name ended with a sign-in: the client asked about its own account.
    func endsFlowOfName(with verdict: Verdict) -> Bool {
        switch verdict {
        case .accepted(.signedIn): true
        case .accepted(.signedInBrowser(let ticket)): !ticket.isStepUp
        case .accepted, .refused: false
        }
    }

    /// Whether the command is about tokens, which users of either way have.
    package var isAboutTokens: Bool {
        switch self {
        case .refresh, .redeemCode, .redeemDevice, .exchange, .revoke: true
        case .startSignUp, .startSignIn, .startPasskey, .startFederated, .startReset, .step, .account: false
        }
    }

    /// The attributes of the command; nil when it has none.
    var attributes: SubmittedAttributes? {
        if case .startSignUp(let request) = self { return request.attributes }
        if case .step(_, .submitSignUpAttributes(let attributes)) = self { return attributes }
        return nil
    }
}

extension StepCommand {
    var traits: CommandTraits {
        switch self {
        case .challengeSignUp: CommandTraits(operations: .challengeSignUp)
        case .submitSignUpCode: CommandTraits(operations: .submitSignUpCode, compares: .code)
        case .submitSignUpPassword: CommandTraits(operations: .submitSignUpPassword, hashesPassword: true)
        case .submitSignUpAttributes(let attributes):
            CommandTraits(operations: .submitSignUpAttributes, reveals: attributes.nameAlias ? [.newAlias] : [])
        case .askAboutSignUp: CommandTraits(operations: .askAboutSignUp)
        case .challengeSignIn: CommandTraits(operations: .challengeSignIn)
        case .submitSignInPassword:
            CommandTraits(
                operations: .submitSignInPassword, hashesPassword: true, compares: .password, signsIn: true)
        case .submitSignInCode:
            CommandTraits(
                operations: [.submitSignInCode, .submitSecondFactor], compares: .code, signsIn: true)
        case .submitPasskey: CommandTraits(operations: .submitPasskey, signsIn: true)
        case .submitIdentity: CommandTraits(operations: .submitIdentity, signsIn: true)
        case .introspectMethods: CommandTraits(operations: .introspectMethods, repeats: .introspect)
        case .submitSecondFactor: CommandTraits(operations: .submitSecondFactor, compares: .code, signsIn: true)
        case .introspectRegistration: CommandTraits(operations: .introspectRegistration, repeats: .introspect)
        case .challengeContact: CommandTraits(operations: .challengeContact)
        case .submitContactCode: CommandTraits(operations: .submitContactCode, compares: .code)
        case .confirmContact: CommandTraits(operations: .confirmContact)
        case .challengeNewPasskey, .challengeNewApp: CommandTraits(operations: .challengeContact)
        case .confirmNewApp: CommandTraits(operations: .confirmApp, compares: .code)
        case .challengeReset: CommandTraits(operations: .challengeReset)
        case .submitResetCode: CommandTraits(operations: .submitResetCode, compares: .code)
        case .submitNewPassword: CommandTraits(operations: .submitNewPassword, hashesPassword: true)
        case .pollReset: CommandTraits(operations: .pollReset, repeats: .poll)
        case .challengeAccount: CommandTraits(operations: .challengeAccount)
        case .submitAccountCode: CommandTraits(operations: .submitAccountCode, compares: .code)
        case .createPasskey: CommandTraits(operations: .createPasskey)
        case .linkIdentity: CommandTraits(operations: .submitIdentity)
        case .redeem: CommandTraits(operations: .redeem, signsIn: true)
        }
    }
}

extension StepCommand {
    /// The content of the request besides its token. It identifies a repeated request (`REL-IDEM`), and holds secrets in
    /// the clear: only for a digest.
    var content: [Data] {
        switch self {
        case .challengeSignUp, .askAboutSignUp, .challengeSignIn, .introspectMethods, .introspectRegistration,
            .challengeContact, .confirmContact, .challengeNewPasskey, .challengeNewApp, .challengeReset, .pollReset,
            .challengeAccount:
            []
        case .submitAccountCode(let code, _): code.digits
        case .submitPasskey(let answer, let request): answer.bytes + request.digestContent
        case .submitIdentity(let identity, let request):
            identity.digestContent + request.digestContent
        case .linkIdentity(let identity, _): identity.digestContent
        case .createPasskey(let answer, let name, _): [Data(answer.utf8), Data((name ?? "").utf8)]
        case .submitSignUpCode(let code), .submitContactCode(let code), .submitResetCode(let code),
            .confirmNewApp(let code):
            code.digits
        case .submitSignUpPassword(let password), .submitNewPassword(let password): password.bytes
        case .submitSignUpAttributes(let attributes): attributes.digestContent
        case .submitSignInPassword(let password, let request): password.bytes + request.digestContent
        case .submitSignInCode(let code, let request), .submitSecondFactor(let code, let request):
            code.digits + request.digestContent
        case .redeem(let request): request.digestContent
        }
    }
}

extension PresentedIdentity {
    fileprivate var digestContent: [Data] {
        token.bytes + [Data((givenName ?? "").utf8), Data((familyName ?? "").utf8)]
    }
}

extension Secret<String> {
    /// The text as the content of a request.
    fileprivate var bytes: [Data] { [Data(reveal().utf8)] }

    /// A code as the content of a request: without the blanks and hyphens that a user may type (`SEC-OTP-8`).
    fileprivate var digits: [Data] { [Data(reveal().utf8.codeCharacters)] }
}

extension Sequence<UInt8> {
    /// All but blanks and hyphens.
    var codeCharacters: [UInt8] { filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") } }
}

/// A secret that a client can try to guess from one source, across accounts (`SEC-RATE-5`).
package enum GuessedSecret: Hashable, Sendable, CaseIterable {
    case code
    case password
    /// What a daemon proves itself with: a secret or an assertion.
    case daemonProof
    /// The code that a device shows to its user.
    case userCode
}

/// A step that is limited per continuation token, per family of refresh tokens, per user or per daemon (`SEC-RATE-6`).
package enum RepeatedStep: Hashable, Sendable, CaseIterable {
    /// Keyed by the family.
    case refresh
    /// Keyed by the session of the browser and the application: exchanging a code.
    case redemption
    /// Keyed by the presented token: listing methods or contacts.
    case introspect
    /// Keyed by the presented token or code: polling for the result of a reset, or for a user's answer to a device.
    case poll
    /// Keyed by the user: changes of the profile.
    case profileChange
    /// Keyed by the daemon: requests at the directory, each item of a batch alone.
    case daemonRequest
    /// Keyed by the daemon: those of them that change something.
    case daemonChange
    /// Of the tenants' document.
    case documentChange
    /// Keyed by the user: changes by operators that mail the user.
    case operatorNotice
}

/// The tokens that a client asks for.
package struct TokenRequest: Hashable, Sendable {
    package var scopes: [String]
    /// The authentication contexts that the access token must satisfy, such as `c1`; each asks for a second factor
    /// (docs/protocol.md §4.7).
    package var contexts: [String]
    /// In a browser the flow ends with a session and a code, and not with tokens.
    package var browser: BrowserFinish?
    /// Whether the user wants the second factor to be left out on this device (``CallerContext/deviceSecret``) from now on.
    package var remembersDevice = false

    package init(scopes: [String], contexts: [String] = [], browser: BrowserFinish? = nil) {
        self.scopes = scopes
        self.contexts = contexts
        self.browser = browser
    }

    /// The request as an unambiguous list for a digest: equal requests give equal lists.
    fileprivate var digestContent: [Data] {
        [Data("\(scopes.count)".utf8)] + (scopes + contexts).map { Data($0.utf8) } + (browser?.digestContent ?? [])
            + (remembersDevice ? [Data("remembers".utf8)] : [])
    }
}

/// The input of a client that starts a sign-in or a password reset.
package struct UsernameRequest: Sendable {
    /// An e-mail address or an alias.
    package var username: String
    package var accepted: Set<ChallengeType>
    package var capabilities: Set<ClientAbility>

    package init(username: String, accepted: Set<ChallengeType>, capabilities: Set<ClientAbility>) {
        self.username = username
        self.accepted = accepted
        self.capabilities = capabilities
    }
}

/// The input of a client that starts a sign-up.
package struct SignUpRequest: Sendable {
    package var username: String
    package var password: Secret<String>?
    package var attributes: SubmittedAttributes
    package var accepted: Set<ChallengeType>
    package var capabilities: Set<ClientAbility>

    package init(
        username: String, password: Secret<String>?, attributes: SubmittedAttributes, accepted: Set<ChallengeType>,
        capabilities: Set<ClientAbility>
    ) {
        self.username = username
        self.password = password
        self.attributes = attributes
        self.accepted = accepted
        self.capabilities = capabilities
    }
}

/// Attributes as the client sent them: well-formed, not yet validated.
package struct SubmittedAttributes: Sendable {
    /// A value is nil when it is not a JSON scalar, or is a number that ``AttributeValue`` cannot hold.
    package var values: [(name: String, value: AttributeValue?)]

    package init(_ values: [(name: String, value: AttributeValue?)] = []) {
        self.values = values
    }

    /// Names and values as one unambiguous list.
    fileprivate var digestContent: [Data] {
        values.flatMap { [Data($0.name.utf8), Data(($0.value?.description ?? "").utf8)] }
    }

    fileprivate var nameAlias: Bool { values.contains { $0.name == AttributeDefinition.aliasName } }
}

/// The tenant, the client, the source, the language and the time of a command.
package struct CallerContext: Sendable {
    /// By which of its two ways a user reaches the engine; an application has each of them, or not.
    package enum Front: Hashable, Sendable {
        /// The endpoints of native authentication.
        case native
        /// Hosted pages.
        case browser
        /// The account page, which is no application's (``Client/accountPage(of:usually:)``).
        case account
        /// A token of either way.
        case token
    }

    /// The first segment of the path: the tenant's id, domain or subdomain.
    package var tenantName: String
    package var client: ClientID
    /// The way by which the request came.
    package var front = Front.native
    /// The language that the request asks for; nil: none that we have.
    package var language: MailLanguage?
    /// The network source of the request; nil for calls within the process.
    package var source: RequestSource?
    /// The device, as the client describes it.
    package var device = SessionDevice()
    /// Seconds until the source may send another request that reveals whether an account exists; nil when it may now
    /// (`SEC-ENUM-1`).
    package var enumerationWait: Int?
    /// The proof of possession of a request for tokens; nil: it has none.
    package var proof: PresentedProof?
    /// What the device proves itself with, where the second factor may be left out on it; nil: nothing.
    package var deviceSecret: DeviceSecret?
    package var trace: Trace

    /// The one reading of the clock for this request (design record 0014).
    package var now: Date { trace.at }

    package init(
        tenantName: String, client: ClientID, language: MailLanguage?, source: RequestSource? = nil,
        enumerationWait: Int? = nil, trace: Trace
    ) {
        self.tenantName = tenantName
        self.client = client
        self.language = language
        self.source = source
        self.enumerationWait = enumerationWait
        self.trace = trace
    }
}

/// The network source of a request, as rate limits see it.
package struct RequestSource: Hashable, Sendable {
    /// An IPv4 address, or the /64 of an IPv6 address (`SEC-RATE-2`).
    package var address: Data
    /// The /48 of an IPv6 address, which has eight times the budget of a source; nil for IPv4.
    package var ipv6Prefix48: Data?
    /// The source's network: /24 for IPv4, /56 for IPv6 (`SEC-LOCK-3`).
    package var network: Data

    package init(address: Data, ipv6Prefix48: Data? = nil, network: Data) {
        self.address = address
        self.ipv6Prefix48 = ipv6Prefix48
        self.network = network
    }

    /// The network as text: `192.0.2.0/24`, `2001:db8:0:100::/56`.
    var networkText: String {
        network.count == 3 ? Self.dotted(network) + ".0/24" : Self.groups(of: network) + "::/56"
    }

    /// The address as text: `192.0.2.7`, or of IPv6 the first half, `2001:db8:0:1::`.
    var addressText: String {
        address.count == 4 ? Self.dotted(address) : Self.groups(of: address) + "::"
    }

    private static func dotted(_ bytes: Data) -> String { bytes.map { "\($0)" }.joined(separator: ".") }

    private static func groups(of prefix: Data) -> String {
        let bytes = Array(prefix) + [0]
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }.joined(separator: ":")
    }
}

import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

/// Every kind of request that the fifteen endpoints know: one for each grant of each of them.
enum Ask: String, CaseIterable, Sendable {
    case startSignUp
    case challengeSignUp
    case signUpCode
    case signUpPassword
    case signUpAttributes
    case startSignIn
    case challengeSignIn
    case introspectMethods
    case signInPassword
    case signInCode
    case secondFactorCode
    case redeem
    case refresh
    case startReset
    case challengeReset
    case resetCode
    case newPassword
    case poll
    case introspectRegistration
    case challengeContact
    case contactCode
    case confirmContact

    /// The requests with a continuation token; a refresh has the refresh token in its place.
    static let withToken = allCases.filter { ![.startSignUp, .startSignIn, .startReset].contains($0) }

    var endpoint: V1Endpoint {
        switch self {
        case .startSignUp: .signUpStart
        case .challengeSignUp: .signUpChallenge
        case .signUpCode, .signUpPassword, .signUpAttributes: .signUpContinue
        case .startSignIn: .signInInitiate
        case .challengeSignIn: .signInChallenge
        case .introspectMethods: .signInIntrospect
        case .signInPassword, .signInCode, .secondFactorCode, .redeem, .refresh: .token
        case .startReset: .resetPasswordStart
        case .challengeReset: .resetPasswordChallenge
        case .resetCode: .resetPasswordContinue
        case .newPassword: .resetPasswordSubmit
        case .poll: .resetPasswordPollCompletion
        case .introspectRegistration: .registerIntrospect
        case .challengeContact: .registerChallenge
        case .contactCode, .confirmContact: .registerContinue
        }
    }

    /// Its name in the flow table. The state decides where it is legal: `FlowState.allowed`.
    var operations: FlowOperations {
        switch self {
        case .startSignUp, .startSignIn, .startReset, .refresh: []
        case .challengeSignUp: .challengeSignUp
        case .signUpCode: .submitSignUpCode
        case .signUpPassword: .submitSignUpPassword
        case .signUpAttributes: .submitSignUpAttributes
        case .challengeSignIn: .challengeSignIn
        case .introspectMethods: .introspectMethods
        case .signInPassword: .submitSignInPassword
        // The grant of the first factor's code is also accepted for the second (docs/protocol.md §5.3).
        case .signInCode: [.submitSignInCode, .submitSecondFactor]
        case .secondFactorCode: .submitSecondFactor
        case .redeem: .redeem
        case .challengeReset: .challengeReset
        case .resetCode: .submitResetCode
        case .newPassword: .submitNewPassword
        case .poll: .pollReset
        case .introspectRegistration: .introspectRegistration
        case .challengeContact: .challengeContact
        case .contactCode: .submitContactCode
        case .confirmContact: .confirmContact
        }
    }

    /// The proof that it gives, if any.
    enum Proof: Sendable {
        case code
        case password
    }

    var proof: Proof? {
        switch self {
        case .signUpCode, .signInCode, .secondFactorCode, .resetCode, .contactCode: .code
        case .signInPassword: .password
        case .startSignUp, .challengeSignUp, .signUpPassword, .signUpAttributes, .startSignIn, .challengeSignIn,
            .introspectMethods, .redeem, .refresh, .startReset, .challengeReset, .newPassword, .poll,
            .introspectRegistration,
            .challengeContact, .confirmContact:
            nil
        }
    }

    /// The client's identity and knowledge.
    struct Content: Sendable {
        var username = IdentityTestServer.email
        var password = WireClient.password
        var newPassword = WireClient.newPassword
        var code = "12345678"
        var attributes = IdentityTestServer.address
        var contact = IdentityTestServer.contact
        var refreshToken: String?
        /// A claims request; nil sends none.
        var claims: String?
    }

    /// The request's form, with every parameter that its endpoint knows for it.
    func form(_ content: Content, _ token: String?, client: String?) -> FormFields {
        let token = token.map { Secret($0) }
        let types = WireClient.challengeTypes.split(separator: " ").map(String.init)
        let capabilities = WireClient.bothCapabilities.split(separator: " ").map(String.init)
        func grant(
            _ grant: GrantType, password: String? = nil, code: String? = nil, refresh: String? = nil
        ) -> FormFields {
            V1.TokenRequest(
                clientID: client, grantType: grant, continuationToken: refresh == nil ? token : nil,
                refreshToken: refresh.map { Secret($0) }, password: password.map { Secret($0) },
                oob: code.map { Secret($0) }, scopes: ["openid", "profile", "offline_access"],
                username: content.username, challengeTypes: types, clientInfo: "true", claims: content.claims
            ).form
        }
        let code = Secret(content.code)
        switch self {
        case .startSignUp:
            return V1.SignUp.StartRequest(
                clientID: client, username: content.username, password: Secret(content.password),
                attributes: content.attributes, challengeTypes: types, capabilities: capabilities
            ).form
        case .challengeSignUp:
            return V1.SignUp.ChallengeRequest(clientID: client, continuationToken: token, challengeTypes: types).form
        case .signUpCode:
            return V1.SignUp.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .oob, oob: code
            ).form
        case .signUpPassword:
            return V1.SignUp.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .password, password: Secret(content.password)
            ).form
        case .signUpAttributes:
            return V1.SignUp.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .attributes, attributes: content.attributes
            ).form
        case .startSignIn:
            return V1.SignIn.InitiateRequest(
                clientID: client, username: content.username, challengeTypes: types, capabilities: capabilities
            ).form
        case .challengeSignIn:
            return V1.SignIn.ChallengeRequest(clientID: client, continuationToken: token, challengeTypes: types).form
        case .introspectMethods: return V1.SignIn.IntrospectRequest(clientID: client, continuationToken: token).form
        case .signInPassword: return grant(.password, password: content.password)
        case .signInCode: return grant(.oob, code: content.code)
        case .secondFactorCode: return grant(.mfaOOB, code: content.code)
        case .redeem: return grant(.continuationToken)
        case .refresh: return grant(.refreshToken, refresh: content.refreshToken ?? token?.reveal() ?? "none")
        case .startReset:
            return V1.ResetPassword.StartRequest(
                clientID: client, username: content.username, challengeTypes: types, capabilities: capabilities
            ).form
        case .challengeReset:
            return V1.ResetPassword.ChallengeRequest(
                clientID: client, continuationToken: token, challengeTypes: types
            ).form
        case .resetCode:
            return V1.ResetPassword.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .oob, oob: code
            ).form
        case .newPassword:
            return V1.ResetPassword.SubmitRequest(
                clientID: client, continuationToken: token, newPassword: Secret(content.newPassword)
            ).form
        case .poll:
            return V1.ResetPassword.PollCompletionRequest(clientID: client, continuationToken: token).form
        case .introspectRegistration:
            return V1.Register.IntrospectRequest(clientID: client, continuationToken: token).form
        case .challengeContact:
            return V1.Register.ChallengeRequest(
                clientID: client, continuationToken: token, challengeType: "oob", challengeTarget: content.contact,
                challengeChannel: "email"
            ).form
        case .contactCode:
            return V1.Register.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .oob, oob: code
            ).form
        case .confirmContact:
            return V1.Register.ContinueRequest(
                clientID: client, continuationToken: token, grantType: .continuationToken
            ).form
        }
    }

    /// ``form(_:_:client:)`` as pairs, which a test can damage.
    func fields(_ content: Content, _ token: String?, client: String?) throws -> Fields {
        let form = form(content, token, client: client)
        return try form.names.map { ($0, try form.single($0) ?? "") }
    }
}

extension WireClient {
    func ask(_ ask: Ask, _ content: Ask.Content, _ token: String?) async throws -> WireAnswer {
        try await post(ask.endpoint, ask.fields(content, token, client: clientID))
    }
}

/// The states of the native flows, without their data. A new state does not compile until it has a name here, and a test
/// fails until a journey reaches it.
enum StateName: String, CaseIterable, Sendable {
    case signUpStarted
    case signUpAwaitingCode
    case signUpChoosingCredential
    case signUpAwaitingPassword
    case signUpAwaitingAttributes
    case signUpCompleted
    case signInStarted
    case signInAwaitingPassword
    case signInAwaitingCode
    case choosingMethod
    case awaitingSecondFactor
    case choosingContact
    case awaitingContactCode
    case confirmingContact
    case authenticated
    case resetStarted
    case resetAwaitingCode
    case resetChoosingPassword
    case resetChanged
    case resetCompleted

    /// Nil for a change of an account, which the directory begins: `AccountChangeTests`.
    init?(_ state: FlowState) {
        let name: StateName? =
            switch state {
            // The server itself takes the step out of the second one, in the same request: `SignUpHookTests`.
            case .account, .signUp(.asking): nil
            // Without a name there is no account to walk with: `PasskeyTests` and `ProviderTests`.
            case .passkey, .federated: nil
            // Clients that do not announce the word never get there: `LevelTests`.
            case .signIn(.creatingPasskey), .signIn(.confirmingApp): nil
            case .signUp(.started): .signUpStarted
            case .signUp(.awaitingCode): .signUpAwaitingCode
            case .signUp(.choosingCredential): .signUpChoosingCredential
            case .signUp(.awaitingPassword): .signUpAwaitingPassword
            case .signUp(.awaitingAttributes): .signUpAwaitingAttributes
            case .signUp(.completed): .signUpCompleted
            case .signIn(.started): .signInStarted
            case .signIn(.awaitingPassword): .signInAwaitingPassword
            case .signIn(.awaitingCode): .signInAwaitingCode
            case .signIn(.choosingMethod): .choosingMethod
            case .signIn(.awaitingSecondFactor): .awaitingSecondFactor
            case .signIn(.choosingContact): .choosingContact
            case .signIn(.awaitingContactCode): .awaitingContactCode
            case .signIn(.confirmingContact): .confirmingContact
            case .signIn(.authenticated): .authenticated
            case .reset(.started): .resetStarted
            case .reset(.awaitingCode): .resetAwaitingCode
            case .reset(.choosingPassword): .resetChoosingPassword
            case .reset(.changed): .resetChanged
            case .reset(.completed): .resetCompleted
            }
        guard let name else { return nil }
        self = name
    }
}

/// A way through the flows from a start to tokens.
enum Journey: String, CaseIterable, Sendable {
    case signUp
    case signUpThenContact
    case signUpThenOwnAddress
    case signIn
    case signInWithCode
    case signInThenSecondFactor
    case signInThenContact
    case reset
    case resetThenContact
    case resetThenOwnAddress
    case resetThenSecondFactor

    /// A state, and the request that leads there from the one before.
    struct Stop: Hashable, Sendable {
        var state: StateName
        var via: Ask
    }

    var stops: [Stop] {
        switch self {
        case .signUp:
            [
                Stop(state: .signUpStarted, via: .startSignUp),
                Stop(state: .signUpAwaitingCode, via: .challengeSignUp),
                Stop(state: .signUpChoosingCredential, via: .signUpCode),
                Stop(state: .signUpAwaitingPassword, via: .challengeSignUp),
                Stop(state: .signUpAwaitingAttributes, via: .signUpPassword),
                Stop(state: .signUpCompleted, via: .signUpAttributes),
            ]
        case .signUpThenContact: Journey.signUp.stops + Self.contact(after: .redeem)
        case .signUpThenOwnAddress: Journey.signUp.stops + Self.ownAddress
        case .signIn:
            [
                Stop(state: .signInStarted, via: .startSignIn),
                Stop(state: .signInAwaitingPassword, via: .challengeSignIn),
            ]
        case .signInWithCode:
            [
                Stop(state: .signInStarted, via: .startSignIn),
                Stop(state: .signInAwaitingCode, via: .challengeSignIn),
            ]
        case .signInThenSecondFactor: Journey.signIn.stops + Self.secondFactor(after: .signInPassword)
        case .signInThenContact: Journey.signIn.stops + Self.contact(after: .signInPassword)
        case .reset:
            [
                Stop(state: .resetStarted, via: .startReset),
                Stop(state: .resetAwaitingCode, via: .challengeReset),
                Stop(state: .resetChoosingPassword, via: .resetCode),
                Stop(state: .resetChanged, via: .newPassword),
                Stop(state: .resetCompleted, via: .poll),
            ]
        case .resetThenContact: Journey.reset.stops + Self.contact(after: .redeem)
        case .resetThenOwnAddress: Journey.reset.stops + Self.ownAddress
        case .resetThenSecondFactor: Journey.reset.stops + Self.secondFactor(after: .redeem)
        }
    }

    private static func secondFactor(after ask: Ask) -> [Stop] {
        [Stop(state: .choosingMethod, via: ask), Stop(state: .awaitingSecondFactor, via: .challengeSignIn)]
    }

    private static func contact(after ask: Ask) -> [Stop] {
        [
            Stop(state: .choosingContact, via: ask), Stop(state: .awaitingContactCode, via: .challengeContact),
            Stop(state: .authenticated, via: .contactCode),
        ]
    }

    private static let ownAddress = [
        Stop(state: .choosingContact, via: .redeem), Stop(state: .confirmingContact, via: .challengeContact),
        Stop(state: .authenticated, via: .confirmContact),
    ]

    /// The request that gives tokens, from the last stop.
    var last: Ask {
        switch self {
        case .signIn: .signInPassword
        case .signInWithCode: .signInCode
        case .signInThenSecondFactor, .resetThenSecondFactor: .secondFactorCode
        case .signUp, .signUpThenContact, .signUpThenOwnAddress, .signInThenContact, .reset, .resetThenContact,
            .resetThenOwnAddress:
            .redeem
        }
    }

    /// Whether a second factor is demanded.
    var demandsSecondFactor: Bool {
        switch self {
        case .signUp, .signIn, .signInWithCode, .reset: false
        case .signUpThenContact, .signUpThenOwnAddress, .signInThenSecondFactor, .signInThenContact,
            .resetThenContact, .resetThenOwnAddress, .resetThenSecondFactor:
            true
        }
    }

    /// The account that must exist before it begins.
    enum Traveller: Hashable, Sendable {
        case nobody
        case userWithCode
        /// With the mailboxes of the second factor: other mailboxes, and the account's own.
        case userWithPassword(hasContact: Bool, ownAddress: Bool)
    }

    var traveller: Traveller {
        switch self {
        case .signUp, .signUpThenContact, .signUpThenOwnAddress: .nobody
        case .signInWithCode: .userWithCode
        case .signIn, .signInThenContact, .reset, .resetThenContact, .resetThenOwnAddress:
            .userWithPassword(hasContact: false, ownAddress: false)
        case .signInThenSecondFactor: .userWithPassword(hasContact: true, ownAddress: false)
        // The code of the reset is sent to the contact, so that the account's own mailbox is left for the second
        // factor.
        case .resetThenSecondFactor: .userWithPassword(hasContact: true, ownAddress: true)
        }
    }
}

/// A stop of a journey that no earlier journey reaches.
struct Station: Hashable, Sendable, CustomTestStringConvertible {
    var journey: Journey
    var index: Int

    var state: StateName { journey.stops[index].state }
    /// Tokens are one request away.
    var isLast: Bool { index == journey.stops.count - 1 }
    var testDescription: String { "\(journey.rawValue): \(state.rawValue)" }

    static let all: [Station] = {
        struct Way: Hashable {
            var hasCode: Bool
            var states: [StateName]
        }
        var known: Set<Way> = []
        var stations: [Station] = []
        for journey in Journey.allCases {
            let stops = journey.stops
            for index in stops.indices {
                let way = Way(hasCode: journey.traveller == .userWithCode, states: stops[...index].map(\.state))
                if known.insert(way).inserted { stations.append(Station(journey: journey, index: index)) }
            }
        }
        return stations
    }()
}

/// A user on a journey.
struct Walk: Sendable {
    var journey: Journey
    var client: WireClient
    var content: Ask.Content
    /// The tokens of the stops that were reached.
    var tokens: [String] = []
    var index: Int { tokens.count - 1 }

    /// The newest token.
    var token: String {
        get throws { try #require(tokens.last) }
    }
}

extension IdentityTestServer {
    /// A user with this name, `dana` or another, ready for `journey`.
    func traveller(_ name: String = "dana", for journey: Journey) async throws -> Walk {
        var content = Ask.Content(
            username: "\(name)@example.com",
            password: "\(WireClient.password)\(name == "dana" ? "" : "-\(name.utf8.count)")",
            contact: "\(name).private@example.org")
        if journey.demandsSecondFactor { content.claims = WireClient.claims }
        let client = client(.emailPasswordWithAttributes)
        switch journey.traveller {
        case .nobody: break
        case .userWithCode:
            _ = try await signUp(
                content.username, with: self.client(.emailOneTimePasscodeWithAttributes),
                [("attributes", Self.address)])
        case .userWithPassword(let hasContact, let ownAddress):
            _ = try await signUp(
                content.username, with: client, [("password", content.password), ("attributes", Self.address)])
            if hasContact { try await plantMethod(content.contact, of: content.username) }
            if ownAddress { try await plantMethod(content.username, of: content.username) }
        }
        if journey == .signUpThenOwnAddress || journey == .resetThenOwnAddress { content.contact = content.username }
        return Walk(journey: journey, client: client, content: content)
    }

    /// Takes a user with this name to the stop `index` of `journey`.
    func walk(_ journey: Journey, to index: Int, as name: String = "dana") async throws -> Walk {
        var walk = try await traveller(name, for: journey)
        while walk.index < index { try await advance(&walk) }
        return walk
    }

    func walk(to station: Station, as name: String = "dana") async throws -> Walk {
        try await walk(station.journey, to: station.index, as: name)
    }

    /// Takes the next step; no step before the last one issues tokens.
    func advance(_ walk: inout Walk) async throws {
        let stop = walk.journey.stops[walk.index + 1]
        // At sign-up the password and the attributes come late, so that every state is passed.
        let answer =
            stop.via == .startSignUp
            ? try await walk.client.post(
                .signUpStart,
                [
                    ("username", walk.content.username), ("challenge_type", WireClient.challengeTypes),
                    ("capabilities", WireClient.bothCapabilities),
                ])
            : try await walk.client.ask(stop.via, walk.content, walk.tokens.last)
        try #require(answer.isProgress && answer["access_token"] == nil, "\(walk.journey) \(stop): \(answer)")
        walk.tokens.append(try answer.token)
        if let code = try await mailbox.mails().first?.code { walk.content.code = code }
    }

    /// Adds a mailbox or a telephone to the second factors of a user, as no request can.
    func plantMethod(_ contact: String, of username: String) async throws {
        let user = try #require(try await storedUsers().first { $0.email == username })
        // Enrolled so long ago, and with so many proofs, that a reset leaves it unchanged.
        let method = StrongMethod(
            id: UUID(), kind: StrongMethod.Kind(try #require(Contact(contact))),
            provenAt: clock.now.addingTimeInterval(-60 * 86_400), enrolment: Enrolment(.twoFactors),
            firstUsedAt: clock.now)
        try await plant(
            FlowRow(expiresAt: clock.now), [.addStrongMethod(method, to: user.id)], of: UUID(), in: user.tenant)
    }

    /// Writes a flow's row, and effects.
    func plant(_ row: FlowRow, _ effects: [Effect] = [], of flow: UUID, in tenant: TenantID) async throws {
        let query = StepQuery(tenant: tenant, flow: flow, requestDigest: Data(count: 32), now: clock.now)
        try await engine.ports.flows.step(query) { _ in (FlowChange(row: row, effects: effects), ()) }
    }

    /// The tables with the accounts, their credentials, and their sessions.
    static let guarded = ["users", "identifiers", "attributes", "strong_methods", "refresh_families"]

    /// All rows of ``guarded``.
    func accounts() async throws -> [String: [[String?]]] {
        var tables: [String: [[String?]]] = [:]
        for table in Self.guarded { tables[table] = try await rows("SELECT * FROM \(table)") }
        tables["passwords"] = try await rows("SELECT id, password_hash FROM users")
        return tables
    }

    /// All rows of all tables except signing keys, which are created when they are first needed.
    func everything() async throws -> [String: [[String?]]] {
        var tables: [String: [[String?]]] = [:]
        for name in try await rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('signing_keys', 'sqlite_sequence')")
        {
            if let name = name.first ?? nil { tables[name] = try await rows("SELECT * FROM \(name)") }
        }
        return tables
    }
}

extension IdentityTestServer {
    /// The mail server has just refused the mails so far because of their recipients: what the outbox records then. The
    /// mailbox of the tests takes every mail.
    func refuseMails(in tenant: TenantID) async throws {
        func hex(_ bytes: Data) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let id = withUnsafeBytes(of: tenant.uuid.uuid) { Data($0) }
        for mail in try await mailbox.mails() {
            let purpose = try #require(MailContent.Purpose(rawValue: mail.purpose.rawValue))
            let subject = engine.vault.refusals(of: try #require(Contact(mail.to)), of: purpose, in: tenant)
            _ = try await rows(
                """
                INSERT INTO counted_events (tenant, subject, event, at)
                VALUES (X'\(hex(id))', X'\(hex(subject))', 'mailRefused', \(Int(clock.now.timeIntervalSince1970 * 1000)))
                """)
        }
    }
}

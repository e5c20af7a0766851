import Crypto
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import PortableFoundation

// The real engine over a database in memory, with two clients whose store calls are ordered one by one.

/// Lets clients continue one at a time, each from one store call to the next.
final class Turns: Sendable {
    private let waiting: Locked<[Int: CheckedContinuation<Void, Never>]> = Locked([:])
    private let settled: AsyncStream<Void>.Continuation
    private let settles: AsyncStream<Void>

    init() {
        (settles, settled) = AsyncStream.makeStream()
    }

    /// Waits for the client's turn.
    func pass(_ client: Int) async {
        await withCheckedContinuation { turn in
            waiting.withLock { $0[client] = turn }
            settled.yield()
        }
    }

    /// Runs both to the end, in the order that `chooser` gives.
    func run<Value: Sendable>(
        _ chooser: inout Chooser, clients: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        var settles = settles.makeAsyncIterator()
        return try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for client in 0..<clients {
                group.addTask { [settled] in
                    defer { settled.yield() }
                    return (client, try await body(client))
                }
                _ = await settles.next()
            }
            while true {
                let ready = waiting.withLock { $0.keys.sorted() }
                guard !ready.isEmpty else { break }
                let client = ready[chooser.choose(of: ready.count)]
                waiting.withLock { $0.removeValue(forKey: client) }?.resume()
                _ = await settles.next()
            }
            var values: [Int: Value] = [:]
            for try await (client, value) in group { values[client] = value }
            return (0..<clients).compactMap { values[$0] }
        }
    }
}

/// Enumerates all choices of a repeated run: the first run always takes the first choice, the last run always the last.
struct Chooser {
    private var prefix: [Int] = []
    private var taken: [(choice: Int, options: Int)] = []

    mutating func choose(of options: Int) -> Int {
        let choice = taken.count < prefix.count ? prefix[taken.count] : 0
        taken.append((choice, options))
        return choice
    }

    /// Moves to the next run; false after the last one.
    mutating func advance() -> Bool {
        guard let last = taken.lastIndex(where: { $0.choice + 1 < $0.options }) else { return false }
        prefix = taken[..<last].map(\.choice) + [taken[last].choice + 1]
        taken = []
        return true
    }
}

/// The store as one client sees it: it waits for its turn before each call, and keeps the mails of its steps.
struct TurnStore: FlowStore, UserStore {
    let store: SQLiteStore
    let client: Int
    var turns: Turns?
    let mails: Locked<[OutboxMail]> = Locked([])

    private func pass() async { await turns?.pass(client) }

    func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        await pass()
        let mails = mails
        return try await store.step(query) { facts in
            let decision = decide(facts)
            for case .enqueueMail(let mail) in decision.change?.effects ?? [] { mails.withLock { $0.append(mail) } }
            return decision
        }
    }

    func record(_ event: AuditEvent) async throws(StoreError) { try await store.record(event) }
    func removeExpired(now: Date) async throws(StoreError) -> Int { try await store.removeExpired(now: now) }
    func checkWritable() async throws(StoreError) { try await store.checkWritable() }

    func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        await pass()
        return try await store.account(id, in: tenant)
    }

    func account(with credential: MethodCredential, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        await pass()
        return try await store.account(with: credential, in: tenant)
    }

    func account(withPhone number: PhoneNumber, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        await pass()
        return try await store.account(withPhone: number, in: tenant)
    }

    func names(ofIdentity key: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> Data? {
        await pass()
        return try await store.names(ofIdentity: key, in: tenant, now: now)
    }

    func account(named key: LoginIdentifier.Key, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        await pass()
        return try await store.account(named: key, in: tenant)
    }

    func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool {
        await pass()
        return try await store.isFamiliar(network, to: user, in: tenant, since: since)
    }

    func passwordHash(near id: UserID, in tenant: TenantID) async throws(StoreError) -> PasswordHash? {
        await pass()
        return try await store.passwordHash(near: id, in: tenant)
    }

    func groups(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [UserGroup] {
        try await store.groups(of: user, in: tenant)
    }

    func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        try await store.user(id, in: tenant)
    }

    func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key], marks: [Data],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await store.change(id, in: tenant, names: names, marks: marks, decide: decide)
    }

    func taken(
        _ keys: [LoginIdentifier.Key], marks: [Data], in tenant: TenantID
    ) async throws(StoreError) -> (keys: Set<LoginIdentifier.Key>, reserved: [ReservedName]) {
        await pass()
        return try await store.taken(keys, marks: marks, in: tenant)
    }

    func emailUndo(_ codeDigest: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> EmailUndo? {
        try await store.emailUndo(codeDigest, in: tenant, now: now)
    }

    func emailUndos(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [EmailUndo] {
        try await store.emailUndos(of: user, in: tenant, now: now)
    }

    func isDeleted(_ mark: Data, in tenant: TenantID) async throws(StoreError) -> Bool {
        try await store.isDeleted(mark, in: tenant)
    }

    func usersToDelete(
        now: Date, limit: Int
    ) async throws(StoreError) -> [(tenant: TenantID, user: UserID)] {
        try await store.usersToDelete(now: now, limit: limit)
    }

    func events(of user: UserID, in tenant: TenantID, limit: Int) async throws(StoreError) -> [RecordedEvent] {
        try await store.events(of: user, in: tenant, limit: limit)
    }

    func needsTwoOperators() async throws(StoreError) -> Bool { try await store.needsTwoOperators() }
    func operatorRequests(in tenant: TenantID) async throws(StoreError) -> [OperatorRequest] {
        try await store.operatorRequests(in: tenant)
    }
    func countUsers(in tenant: TenantID) async throws(StoreError) -> Int { try await store.countUsers(in: tenant) }
    func rememberedDevices(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [RememberedDevice] {
        try await store.rememberedDevices(of: user, in: tenant)
    }
}

/// Bytes of the system, as in production.
struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }
}

/// The cost of hashing is not part of the model.
private struct PlainHasher: PasswordHasher {
    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        PasswordHash(phc: "$plain$" + password.reveal())
    }

    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        hash.phc == "$plain$" + password.reveal()
    }

    func isOutdated(_ hash: PasswordHash) -> Bool { false }
}

/// The cost of signing is not part of the model.
private struct PlainIssuer: TokenIssuer {
    func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens {
        SignedTokens(accessToken: Secret(subject.tokenID.uuidString), idToken: nil)
    }

    func verify(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken {
        throw .malformed
    }

    func sign(_ subject: DaemonTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        Secret(subject.tokenID.uuidString)
    }

    func sign(_ subject: LogoutTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        Secret(subject.tokenID.uuidString)
    }

    func verifyDaemon(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedDaemonToken {
        throw .malformed
    }

    func verify(
        _ assertion: Secret<String>, signedByOneOf keys: [DaemonKey]
    ) throws(AssertionFault) -> VerifiedAssertion {
        throw .malformed
    }

    func verifyProof(_ proof: String) throws(ProofFault) -> VerifiedProof {
        throw .malformed
    }

    func verifyHint(
        _ idToken: Secret<String>, for tenant: TenantID, issuer: String
    ) async throws(TokenVerificationError) -> IDTokenHint {
        throw .malformed
    }

    func claimedTenant(of accessToken: Secret<String>) -> TenantID? { nil }

    func claimedApplication(of accessToken: Secret<String>) -> (client: ClientID, tenant: TenantID)? { nil }

    func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data { Data() }
}

/// The setting of a flow: a variation, and whether two factors are required.
struct Scenario: Sendable {
    var variation: Variation
    var isDemanded = false

    static let all: [Scenario] = [
        Scenario(variation: Variation(journey: .signUp, method: .emailOneTimePasscode)),
        Scenario(variation: Variation(journey: .signUp, method: .emailPassword, needsAttributes: true)),
        Scenario(
            variation: Variation(
                journey: .signUp, method: .emailPassword, capabilities: [.mfaRequired, .registrationRequired],
                hasPasswordAtStart: true), isDemanded: true),
        Scenario(variation: Variation(journey: .signIn, method: .emailOneTimePasscode)),
        Scenario(variation: Variation(journey: .signIn, method: .emailPassword, hasLimits: true)),
        Scenario(
            variation: Variation(
                journey: .signIn, method: .emailPassword, capabilities: [.mfaRequired], methods: [.other]),
            isDemanded: true),
        Scenario(
            variation: Variation(
                journey: .signIn, method: .emailPassword, capabilities: [.mfaRequired, .registrationRequired]),
            isDemanded: true),
        Scenario(variation: Variation(journey: .reset, method: .emailPassword)),
        Scenario(
            variation: Variation(
                journey: .reset, method: .emailPassword, capabilities: [.mfaRequired], methods: [.other]),
            isDemanded: true),
    ]

    /// Scenarios whose first challenge asks for a guessable secret: a code each, and a password.
    static let guessed = all.filter {
        $0.variation == Variation(journey: $0.variation.journey, method: .emailOneTimePasscode)
            || $0.variation.journey == .reset || $0.variation.hasLimits
    }
}

extension Scenario {
    /// Whether the input belongs to the scenario; leaves out inputs that only duplicate states.
    func tries(_ input: Input, in state: FlowState) -> Bool {
        switch input {
        case .challengeMethod(.own), .attributes(.withAlias): false
        case .attributes(let given):
            variation.needsAttributes && (ModelTests.isWide || given == .all || state.isProven)
        case .challengeContact(.own): ModelTests.isWide || variation.journey == .signUp
        case .challenge, .challengeMethod, .code, .password, .newPassword, .introspectMethods, .introspectRegistration,
            .challengeContact, .contactCode, .confirmContact, .poll, .redeem:
            true
        }
    }
}

/// A request: one of the tokens so far, and an input.
struct Request: Hashable {
    var token: Int
    var input: Input
    /// With invalid content: an empty code, a weak password, no address, no challenge type, no scope.
    var isMalformed = false
    /// Wrong in another way.
    var isOther = false
}

extension SQLiteStore {
    private static let modelTables = [
        "users", "identifiers", "attributes", "strong_methods", "refresh_families", "known_networks", "flows",
        "replays",
        "outbox", "audit", "lockouts", "counted_events",
    ]

    /// Saves the database's current content.
    func keepForModel() async throws {
        for table in Self.modelTables {
            _ = try await unsafeSQL("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)")
        }
        _ = try await unsafeSQL("CREATE TABLE kept (number INTEGER)")
        let deletions = Self.modelTables.reversed().map { "DELETE FROM \($0);" }
        let insertions = Self.modelTables.map { "INSERT INTO \($0) SELECT * FROM kept_\($0);" }
        _ = try await unsafeSQL(
            "CREATE TRIGGER go_back AFTER INSERT ON kept BEGIN \((deletions + insertions).joined(separator: " ")) END")
    }

    /// Restores the saved content, and nothing else.
    func goBackForModel() async throws { _ = try await unsafeSQL("INSERT INTO kept VALUES (1)") }
}

/// One flow of one person.
struct Trial {
    static let tenant = TenantID(UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)))
    private static let vault = Vault(
        masterKey: SymmetricKey(data: [UInt8](repeating: 5, count: 32)), randomness: SystemRandomness())
    private static let passwords = PasswordPolicy()
    private static let password = "Kr4ftig-Sommer#41"
    private static let newPassword = "Kr4ftig-Efter4r#42"

    let scenario: Scenario
    let store: SQLiteStore
    private let clients: TenantDirectory
    private let client: Client
    let settings: EngineSettings
    private let name = UUID().uuidString.lowercased()
    private var mails: [OutboxMail] = []
    private(set) var now = SignInStateTests.now
    /// The token of a sign-in that began before a reset.
    private var bystander: ContinuationToken?
    /// The newest token of each state that the flow was in.
    private(set) var tokens: [(token: ContinuationToken, envelope: FlowEnvelope)] = []

    init(_ scenario: Scenario, in store: SQLiteStore) async throws {
        self.scenario = scenario
        self.store = store
        let variation = scenario.variation
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.enrolment = variation.enrolment
        settings.guessesPerCode = ModelTests.isWide ? 2 : 1
        settings.codesPerFlow = 2
        settings.misusesPerFlow = ModelTests.isWide ? 2 : 1
        // Nothing expires meanwhile except the cool-down and the stored answers: the exploration of states covers time.
        settings.codeLifetime = 1_000_000
        settings.idleLifetime = 1_000_000
        settings.provenIdleLifetime = 1_000_000
        settings.flowLifetime = 1_000_000
        if !variation.hasLimits { settings.limits = nil }
        self.settings = settings
        client = Client(
            id: SignInStateTests.client, displayName: "Model", userFlow: variation.userFlow, scopes: ["*"])
        clients = TenantDirectory([
            TenantDirectory.Entry(
                tenant: Tenant(id: Self.tenant, subdomain: "model", domain: "model.test", displayName: "Model"),
                applications: [client])
        ])
        try await begin()
    }

    func email(_ mailbox: Mailbox) -> String { "\(name)@\(mailbox == .own ? "example.com" : "example.org")" }

    private func engine(_ store: TurnStore) -> Engine {
        Engine(
            Engine.Ports(
                clients: clients, flows: store, users: store, refresh: store.store, browsers: store.store,
                assertions: store.store,
                hasher: PlainHasher(), issuer: PlainIssuer(), randomness: SystemRandomness(), mail: MailSignal()),
            vault: Self.vault, settings: settings, passwords: Self.passwords)
    }

    private var context: CallerContext {
        CallerContext(
            tenantName: "model", client: client.id, language: .english,
            trace: Trace(id: UUID(), correlationID: UUID(), at: now))
    }

    private mutating func begin() async throws {
        let variation = scenario.variation
        let accepted: Set<ChallengeType> = [.oneTimePasscode, .password, .redirect]
        let engine = engine(TurnStore(store: store, client: 0))
        if variation.journey != .signUp { try await plantAccount() }
        let application = UsernameRequest(
            username: email(.own), accepted: accepted, capabilities: variation.capabilities)
        let command: Command =
            switch variation.journey {
            case .signUp:
                .startSignUp(
                    SignUpRequest(
                        username: email(.own), password: variation.hasPasswordAtStart ? Secret(Self.password) : nil,
                        attributes: SubmittedAttributes(), accepted: accepted, capabilities: variation.capabilities))
            case .signIn: .startSignIn(application)
            case .reset: .startReset(application)
            }
        if variation.journey == .reset {
            bystander = try await engine.handle(.startSignIn(application), in: context).token
        }
        keep(try await engine.handle(command, in: context))
    }

    private func plantAccount() async throws {
        let user = UserID(UUID())
        guard let own = EmailAddress(email(.own)), let other = EmailAddress(email(.other)) else { return }
        var effects: [Effect] = [
            .createUser(
                NewUser(
                    id: user, tenant: Self.tenant, client: client.id, identifiers: [own.identifier],
                    passwordHash: scenario.variation.method == .emailPassword
                        ? PasswordHash(phc: "$plain$" + Self.password) : nil, attributes: [:], createdAt: now))
        ]
        for mailbox in scenario.variation.methods {
            let method = StrongMethod(
                id: UUID(), email: mailbox == .own ? own : other, provenAt: now.addingTimeInterval(-60 * 86_400),
                enrolment: Enrolment(.twoFactors), firstUsedAt: now)
            effects.append(.addStrongMethod(method, to: user))
        }
        if scenario.variation.journey == .reset {
            var family = SignInStateTests.family
            (family.tenant, family.user) = (Self.tenant, user)
            effects.append(.openRefreshFamily(family))
        }
        let change = FlowChange(row: FlowRow(expiresAt: now), effects: effects)
        try await store.step(
            StepQuery(tenant: Self.tenant, flow: UUID(), requestDigest: Data(), now: now)
        ) { _ in (change, ()) }
    }

    // MARK: Requests

    /// Whether the flow has continued since the token was issued.
    func isSpent(_ token: Int) -> Bool {
        tokens.contains { $0.envelope.revision > tokens[token].envelope.revision }
    }

    /// The possible requests with the tokens so far. Only one spent token is presented, the newest, because the content
    /// of a spent token is not read.
    var requests: [Request] {
        let newest = tokens.map(\.envelope.revision).max() ?? 0
        let lastSpent = tokens.lastIndex { $0.envelope.revision < newest }
        return tokens.indices.flatMap { index -> [Request] in
            let envelope = tokens[index].envelope
            let legal = Input.all.filter { input in
                guard input.isDemanded == scenario.isDemanded || !input.canBeDemanded else { return false }
                guard scenario.tries(input, in: envelope.state) else { return false }
                return input.operation(in: envelope.state).map { !$0.isDisjoint(with: envelope.state.allowed) } ?? false
            }
            if envelope.revision < newest {
                guard ModelTests.isWide || index == lastSpent else { return [] }
                return legal.first.map { [Request(token: index, input: $0)] } ?? []
            }
            return legal.map { Request(token: index, input: $0) }
                + legal.filter(\.canBeMalformed).map { Request(token: index, input: $0, isMalformed: true) }
        }
    }

    func command(_ request: Request) -> Command { .step(tokens[request.token].token, step(request)) }

    private func step(_ request: Request) -> StepCommand {
        let isBad = request.isMalformed
        let demand = TokenRequest(
            scopes: isBad ? ["banana"] : ["openid", "offline_access"], contexts: request.input.isDemanded ? ["c1"] : [])
        func code(_ isRight: Bool) -> Secret<String> {
            isBad ? Secret("") : isRight ? Secret(newestCode ?? "00000000") : Secret(wrongCode(request))
        }
        let accepted: Set<ChallengeType>? = isBad ? [] : nil
        switch request.input {
        case .challenge:
            switch tokens[request.token].envelope.state {
            case .signUp: return .challengeSignUp(accepted: accepted)
            case .signIn: return .challengeSignIn(method: nil, accepted: accepted)
            case .reset: return .challengeReset(accepted: accepted)
            // The flows of a signed-in user are not part of the model.
            case .account(let state): return .challengeAccount(state.account.user)
            // Neither are passkeys: `PasskeyTests` has them.
            case .passkey, .federated: return .challengeSignIn(method: nil, accepted: accepted)
            }
        case .challengeMethod:
            return .challengeSignIn(method: isBad ? "nobody" : nil, accepted: nil)
        case .code(let isRight, _):
            switch tokens[request.token].envelope.state {
            case .signUp: return .submitSignUpCode(code(isRight))
            case .signIn: return .submitSignInCode(code(isRight), demand)
            case .reset: return .submitResetCode(code(isRight))
            case .account(let state): return .submitAccountCode(code(isRight), state.account.user)
            case .passkey, .federated: return .submitSignInCode(code(isRight), demand)
            }
        case .password(let isRight, _):
            let password = isRight ? Self.password : request.isOther ? "another" : Self.newPassword
            return .submitSignInPassword(Secret(password), demand)
        case .newPassword:
            let password = Secret(isBad ? "short" : Self.newPassword)
            if case .reset = tokens[request.token].envelope.state {
                return .submitNewPassword(password)
            }
            return .submitSignUpPassword(password)
        case .attributes(let given):
            var values: [(name: String, value: AttributeValue?)] = [("country", .string("DK"))]
            if given != .some { values.append(("city", .string("Ribe"))) }
            if isBad { values = [("country", .integer(4))] }
            return .submitSignUpAttributes(SubmittedAttributes(values))
        case .introspectMethods: return .introspectMethods
        case .introspectRegistration: return .introspectRegistration
        case .challengeContact(let mailbox):
            return .challengeContact(isBad ? "nobody" : email(mailbox), channel: nil)
        case .contactCode(let isRight): return .submitContactCode(code(isRight))
        case .confirmContact: return .confirmContact
        case .poll: return .pollReset
        case .redeem: return .redeem(demand)
        }
    }

    private var newestCode: String? {
        do {
            return try mails.reversed().lazy.compactMap { try $0.content(using: Self.vault).code }.first
        } catch {
            return nil
        }
    }

    private func wrongCode(_ request: Request) -> String {
        let codes = request.isOther ? ["23456789", "98765432"] : ["12345678", "87654321"]
        return codes[newestCode == codes[0] ? 1 : 0]
    }

    /// Takes a step alone, and keeps its token.
    mutating func take(_ request: Request) async throws -> Outcome {
        let turnStore = TurnStore(store: store, client: 0)
        let outcome = try await engine(turnStore).handle(command(request), in: context)
        mails += turnStore.mails.withLock { $0 }
        keep(outcome)
        return outcome
    }

    /// A minute later no answer is stored any more, and another code may be requested.
    mutating func wait() { now += 61 }

    /// Takes both steps at the same time, with their store calls in the order that `chooser` gives.
    func race(_ one: Request, _ other: Request, _ chooser: inout Chooser) async throws -> [Outcome] {
        let turns = Turns()
        let commands = [command(one), command(other)]
        let engines = (0..<2).map { engine(TurnStore(store: store, client: $0, turns: turns)) }
        let context = context
        return try await turns.run(&chooser, clients: 2) { client in
            try await engines[client].handle(commands[client], in: context)
        }
    }

    /// The answer to the earlier sign-in; nil when there is none.
    func answerToBystander() async throws -> Answer? {
        guard let bystander else { return nil }
        let command = Command.step(bystander, .challengeSignIn(method: nil, accepted: nil))
        return Answer(try await engine(TurnStore(store: store, client: 0)).handle(command, in: context).verdict)
    }

    private mutating func keep(_ outcome: Outcome) {
        guard let token = outcome.token, let envelope = open(token) else { return }
        let label = label(of: envelope)
        if let known = tokens.firstIndex(where: { self.label(of: $0.envelope) == label }) {
            tokens[known] = (token, envelope)
        } else {
            tokens.append((token, envelope))
        }
    }

    private func open(_ token: ContinuationToken) -> FlowEnvelope? {
        do {
            return try ContinuationTokens(vault: Self.vault).open(
                token, for: FlowOperations(rawValue: .max), tenant: Self.tenant, client: client.id, now: now)
        } catch {
            return nil
        }
    }

    // MARK: What can be seen

    /// A state without names and times.
    private func label(of envelope: FlowEnvelope) -> String {
        let state = envelope.state
        let proven: [String] =
            switch state {
            case .signUp(let state): state.draft?.attributes.keys.sorted() ?? []
            case .signIn(.awaitingContactCode(_, let contact)):
                [contact.email?.address == email(.own) ? "own" : "other"]
            case .signIn(.confirmingContact(_, let contact)):
                [contact.address == email(.own) ? "own" : "other"]
            case .signIn, .reset, .account, .passkey, .federated: []
            }
        return "\(StateName(state)) \(envelope.revision) \(proven) \(state.authentication?.methods ?? [])"
    }

    func state(of outcome: Outcome) -> FlowState? { outcome.token.flatMap(open)?.state }

    func label(of outcome: Outcome) -> String {
        "\(Answer(outcome.verdict)) \(outcome.token.flatMap(open).map(label) ?? "")"
    }

    /// The database's view of the flow and its user.
    struct Seen: Hashable {
        /// The flow's row: revision, whether a code is awaited and how many guesses it had, codes, misuses, end; and
        /// its mails.
        var row: [String?]
        var isEnded: Bool
        var users: Int
        var identifiers: Int
        var credentials: [String?]
        var hasPassword: Bool
        var attributes: Int
        var methods: Int
        var families: Int
        /// The kinds of the flow's audit events, in alphabetical order.
        var audit: String
        /// Wrong passwords, counted for the account.
        var failures: Int

        /// Guesses of the present code.
        var attempts: Int { row[2].flatMap { Int($0) } ?? 0 }

        var isPasswordChanged: Bool {
            audit.split(separator: ",").contains { $0 == AuditEvent.Kind.passwordChanged.rawValue }
        }
    }

    func seen() async throws -> Seen {
        let flow = tokens.first.map { withUnsafeBytes(of: $0.envelope.flow.uuid) { Self.hex(Data($0)) } } ?? ""
        let key = EmailAddress(email(.own)).map { Self.hex($0.key.bytes) } ?? ""
        let user = "(SELECT user FROM identifiers WHERE key = x'\(key)')"
        let rows = try await store.unsafeSQL(
            """
            SELECT COALESCE(revision, 0), code_digest IS NULL, code_attempts, COALESCE(codes_sent, 0), COALESCE(misuses, 0),
                (SELECT COUNT(*) FROM outbox WHERE flow = x'\(flow)'), is_ended,
                (SELECT COUNT(*) FROM users WHERE id = \(user)),
                (SELECT COUNT(*) FROM identifiers WHERE user = \(user)),
                credential_version, password_hash,
                (SELECT COUNT(*) FROM attributes WHERE user = \(user)),
                (SELECT COUNT(*) FROM strong_methods WHERE user = \(user)),
                (SELECT COUNT(*) FROM refresh_families WHERE user = \(user) AND revoked_at IS NULL),
                (SELECT GROUP_CONCAT(kind) FROM (SELECT kind FROM audit WHERE flow = x'\(flow)' ORDER BY kind)),
                (SELECT SUM(failures) FROM lockouts)
            FROM (SELECT 1) LEFT JOIN flows f ON f.id = x'\(flow)' LEFT JOIN users u ON u.id = \(user)
            """)
        let values = rows.first ?? []
        func number(_ index: Int) -> Int { values[index].flatMap { Int($0) } ?? 0 }
        return Seen(
            row: Array(values.prefix(6)), isEnded: number(6) == 1, users: number(7), identifiers: number(8),
            credentials: Array(values[9...10]), hasPassword: values[10] != nil, attributes: number(11),
            methods: number(12), families: number(13), audit: values[14] ?? "", failures: number(15))
    }

    /// A key of the flow's state, so that equal histories are followed once.
    func key(_ seen: Seen) -> String {
        var seen = seen
        (seen.audit, seen.failures) = ("", 0)
        return tokens.map { label(of: $0.envelope) }.sorted().joined(separator: ";") + " \(seen)"
    }

    private static func hex(_ data: Data) -> String {
        data.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}

extension Input {
    /// Whether the request states the required tokens.
    var canBeDemanded: Bool {
        switch self {
        case .code, .password, .redeem: true
        case .challenge, .challengeMethod, .newPassword, .attributes, .introspectMethods, .introspectRegistration,
            .challengeContact,
            .contactCode, .confirmContact, .poll:
            false
        }
    }

    /// Whether the request's content can be invalid; one request of each kind is enough.
    var canBeMalformed: Bool {
        switch self {
        case .challenge, .challengeMethod, .code(isRight: true, _), .newPassword, .attributes(.all),
            .challengeContact(.other), .contactCode(isRight: true), .redeem:
            true
        case .code, .password, .attributes, .introspectMethods, .introspectRegistration, .challengeContact,
            .contactCode,
            .confirmContact, .poll:
            false
        }
    }
}

import Foundation
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

/// The rules of every flow, regardless of typing errors and lost messages.
@Suite("Mistakes and lost answers against the server in the same process", .timeLimit(.minutes(5)))
struct InProcessRetryTests {
    @Test(
        "SDK-STATE-2: wrong codes and passwords below the limit never change what a right one does",
        arguments: Journey.allCases)
    func mistakesChangeNothing(_ journey: Journey) async throws {
        let clean = try await Traveller(journey).run()
        var mistakes = 0
        for seed in 1...UInt64(12) {
            let traveller = try Traveller(journey, mistakes: Seeded(state: seed))
            let result = try await traveller.run()
            #expect(result == clean, "seed \(seed)")
            mistakes += traveller.mistakesMade
        }
        #expect(mistakes >= 12)
    }

    @Test("one wrong code too many does change it: the test above can fail")
    func theLimitIsFelt() async throws {
        let world = try InProcess()
        try await world.signUpWithCode()
        let step = try await world.client(.emailOneTimePasscode).startSignIn(username: InProcess.email).code
        let code = try await world.code()
        for wrong in world.wrongCodes(besides: code) + ["00000009"] {
            _ = try await refusal { try await step.submit(code: wrong) }
        }
        _ = try await refusal { try await step.submit(code: code) }
        #expect(try await world.liveSessions() == 0)
    }

    @Test(
        "SDK-RETRY-2, REL-IDEM: each answer lost once; the same step again gives the same result and one effect",
        arguments: Journey.allCases, LossyTransport.Loss.allCases)
    func lostAnswers(_ journey: Journey, _ loss: LossyTransport.Loss) async throws {
        let plain = try Traveller(journey)
        let clean = try await plain.run()
        // A verified contact is registered in three requests, which have a test of their own.
        let requests = plain.transport.requests - (journey == .signUpAndPreverified ? 3 : 0)
        #expect(requests >= 3)
        for lost in 0..<requests {
            let traveller = try Traveller(journey, losing: lost, by: loss)
            var result = try await traveller.run()
            let label = "\(journey), \(loss), request \(lost): \(traveller.transport.lostPath ?? "nothing lost")"
            #expect(traveller.transport.lostPath != nil, "\(label)")
            // The first call of a flow has no step that could be used again: the user begins again, and is sent another
            // code.
            if traveller.beganAnew {
                #expect((0...1).contains(result.mails - clean.mails), "\(label)")
                result.mails = clean.mails
            }
            #expect(result == clean, "\(label)")
            #expect(traveller.wasIndeterminate || traveller.transport.lostPath?.contains("poll") == true, "\(label)")
        }
    }

    @Test("a verified contact whose registration has no answer is not registered again, and has one effect")
    func lostAnswersOfAPreverifiedContact() async throws {
        // Challenge, continue, token: the last two have no step of their own.
        for lost in 0...2 {
            let world = try InProcess()
            let transport = LossyTransport(world.server.transport)
            var configuration = try world.configuration(.demanding)
            configuration.transport = transport
            let client = NativeAuthClient(configuration)
            let start = try await client.startSignUp(username: InProcess.email, password: InProcess.password)
            let required = try await start.submit(code: world.code()).done.signIn().registration
            transport.lose(transport.requests + lost, by: .answer)
            let refused = try await refusal {
                try await required.requestChallenge(required.methods[0], contact: InProcess.email)
            }
            #expect(refused.kind == "indeterminate" && refused.details.canRetry == (lost == 0))
            guard lost > 0 else {
                let again = try await required.requestChallenge(required.methods[0], contact: InProcess.email)
                #expect(try again.account.username == InProcess.email)
                continue
            }
            #expect(try await world.count("SELECT COUNT(*) FROM strong_methods") == 1)
            #expect(client.currentAccount() == nil)
            // The user signs in again, and the method exists.
            let factor = try await client.startSignIn(username: InProcess.email, password: InProcess.password)
                .secondFactor
            let sent = try await factor.requestChallenge(factor.methods[0])
            #expect(try await sent.submit(code: world.code()).username == InProcess.email)
        }
    }

    @Test("SDK-REF-1: a thousand callers at the same moment make one refresh")
    func oneRefreshForAThousandCallers() async throws {
        let world = try InProcess()
        try await world.signUp()
        let transport = LossyTransport(world.server.transport)
        var configuration = try world.configuration(.emailPassword)
        configuration.transport = transport
        let client = NativeAuthClient(configuration)
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        let generation = try await world.count("SELECT generation FROM refresh_families")
        let sent = transport.requests
        world.server.clock.advance(by: 7_200)
        let began = ContinuousClock.now
        let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for _ in 0..<1_000 { group.addTask { try await account.accessToken() } }
            return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
        }
        print("refresh: 1000 callers, \(transport.requests - sent) request, \(ContinuousClock.now - began)")
        #expect(tokens.count == 1)
        #expect(transport.requests == sent + 1)
        #expect(try await world.count("SELECT generation FROM refresh_families") == generation + 1)
        #expect(try await world.count(.tokenRefreshed) == 1)
        #expect(try await world.liveSessions() == 1)
        #expect(try await world.live(#require(tokens.first)) != nil)
    }

    @Test("SDK-RETRY-1: a refresh whose answer is lost is repeated once, and the session continues")
    func lostRefresh() async throws {
        let world = try InProcess()
        try await world.signUp()
        let transport = LossyTransport(world.server.transport)
        var configuration = try world.configuration(.emailPassword)
        configuration.transport = transport
        let client = NativeAuthClient(configuration)
        let account = try await client.startSignIn(username: InProcess.email, password: InProcess.password).account
        for loss in LossyTransport.Loss.allCases where loss != .proxy {
            transport.lose(transport.requests, by: loss)
            let token = try await account.accessToken(policy: .force)
            #expect(transport.lostPath?.hasSuffix("/oauth2/v2.0/token") == true)
            #expect(try await world.live(token) != nil)
        }
        #expect(try await world.count(.tokenRefreshed) == LossyTransport.Loss.allCases.count - 1)
        #expect(try await world.count(.tokenReuseDetected) == 0)
        #expect(try await world.liveSessions() == 1)
    }
}

// MARK: - Clients that share a cache

extension InProcessRetryTests {
    @Test(
        "SDK-STO-4: a client that is slow to renew does not come with a token that others have left behind",
        arguments: SharedCache.Kind.allCases)
    func slowRenewal(_ kind: SharedCache.Kind) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "native-auth-\(UUID().uuidString)")
        defer {
            if kind == .file { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        }
        let world = try InProcess()
        try await world.signUp()
        let cache = SharedCache(
            kind,
            inner: kind == .file
                ? try EncryptedFileTokenCache(folder: folder, key: Data(repeating: 7, count: 32))
                : InMemoryTokenCache())
        let held = HeldTransport(world.server.transport)
        var configuration = try world.configuration(.emailPassword)
        configuration.tokenCache = cache
        let quick = NativeAuthClient(configuration)
        configuration.transport = held
        let slow = NativeAuthClient(configuration)
        let account = try await quick.startSignIn(username: InProcess.email, password: InProcess.password).account

        async let late = slow.accessToken(for: account, forceRefresh: true)
        await held.arrival()
        switch kind {
        case .memory, .file:
            // The slow client continues as soon as the fast one waits for its turn.
            cache.onNextRenewal { held.release() }
            _ = try await quick.accessToken(for: account, forceRefresh: true)
            _ = try await quick.accessToken(for: account, forceRefresh: true)
        case .withoutTurns:
            _ = try await quick.accessToken(for: account, forceRefresh: true)
            _ = try await quick.accessToken(for: account, forceRefresh: true)
            held.release()
        }
        _ = try await late
        let isLost = kind == .withoutTurns
        #expect(try await world.count(.tokenReuseDetected) == (isLost ? 1 : 0))
        #expect(try await world.liveSessions() == (isLost ? 0 : 1))
        if !isLost { _ = try await slow.accessToken(for: account, forceRefresh: true) }
    }
}

/// A cache of several clients, which reports when one of them wants to refresh.
struct SharedCache: TokenCache {
    enum Kind: CaseIterable, Sendable {
        case memory, file
        /// A cache without turns: it shows what happens without them.
        case withoutTurns
    }

    private let kind: Kind
    private let inner: any TokenCache
    private let action = Actions()

    private final class Actions: Sendable {
        let next = Locked<(@Sendable () -> Void)?>(nil)
    }

    init(_ kind: Kind, inner: any TokenCache) {
        self.kind = kind
        self.inner = inner
    }

    func onNextRenewal(_ body: @escaping @Sendable () -> Void) {
        action.next.withLock { $0 = body }
    }

    func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        try inner.withItems(of: application, body)
    }

    func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        action.next.withLock { next -> (@Sendable () -> Void)? in
            defer { next = nil }
            return next
        }?()
        return kind == .withoutTurns ? await renewal() : await inner.renewing(item, of: application, renewal)
    }
}

/// Holds its first request back until it is released.
final class HeldTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    private let (releases, released) = AsyncStream<Void>.makeStream()

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    func arrival() async {
        for await _ in arrivals { return }
    }

    func release() {
        released.finish()
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        arrived.yield()
        for await _ in releases {}
        return try await inner.send(request)
    }
}

// MARK: - Journeys

/// The flows from beginning to end, with every kind of step.
enum Journey: String, CaseIterable, Sendable {
    case signUpWithCode, signUpWithAllLate, signUpAndRegister, signUpAndPreverified
    case signInWithPassword, signInWithCode, signInWithSecondFactor, signInAndRegister
    case reset, resetThenSecondFactor
}

/// The result of a journey.
struct Arrival: Hashable {
    var username: String
    /// The authentication methods in the live access token.
    var methods: [String]
    var scopes: [String]
    var users: Int
    var liveSessions: Int
    var strongMethods: [String]
    /// The number of successes by their name in the audit trail; refusals are not counted.
    var successes: [String: Int]
    var mails: Int
}

/// A user on a journey who makes typing errors, and tries again when the answer does not arrive.
final class Traveller {
    let journey: Journey
    let world: InProcess
    let transport: LossyTransport
    private var mistakes: Seeded?
    private(set) var mistakesMade = 0
    private(set) var wasIndeterminate = false
    private(set) var beganAnew = false
    private let loss: (request: Int, LossyTransport.Loss)?

    init(
        _ journey: Journey, mistakes: Seeded? = nil, losing request: Int? = nil, by loss: LossyTransport.Loss = .answer
    )
        throws
    {
        self.journey = journey
        self.mistakes = mistakes
        self.loss = request.map { ($0, loss) }
        // With the cool-down between mails, a repeated challenge must not send a second one.
        world = try InProcess { $0.resendCooldown = 60 }
        transport = LossyTransport(world.server.transport)
    }

    /// Goes the whole way.
    func run() async throws -> Arrival {
        try await prepare()
        let sent = try await world.server.mailbox.mails().count
        let before = try await successes()
        if let loss { transport.lose(loss.request, by: loss.1) }
        let account = try await travel()
        let token = try await account.accessToken()
        let live = try #require(try await world.live(token))
        let after = try await successes()
        return Arrival(
            username: account.username, methods: live.claims.methods, scopes: token.scopes,
            users: try await world.count("SELECT COUNT(*) FROM users"), liveSessions: try await world.liveSessions(),
            strongMethods: try await world.server.rows("SELECT email FROM strong_methods").compactMap {
                $0.first ?? nil
            },
            successes: after.merging(before) { $0 - $1 }.filter { $0.value != 0 },
            mails: try await world.server.mailbox.mails().count - sent)
    }

    private func successes() async throws -> [String: Int] {
        let kinds: [AuditEvent.Kind] = [
            .signUpCompleted, .signInSucceeded, .tokenIssued, .secondFactorPassed, .methodRegistered, .resetCompleted,
            .passwordChanged, .codeVerified,
        ]
        var counts: [String: Int] = [:]
        for kind in kinds { counts[kind.rawValue] = try await world.count(kind) }
        return counts
    }

    /// Makes the account that the journey needs.
    private func prepare() async throws {
        switch journey {
        case .signUpWithCode, .signUpWithAllLate, .signUpAndRegister, .signUpAndPreverified: break
        case .signInWithPassword, .signInAndRegister, .reset: try await world.signUp()
        case .signInWithCode: try await world.signUpWithCode()
        case .signInWithSecondFactor, .resetThenSecondFactor: try await world.signUpWithMethod()
        }
    }

    private func client(_ configuration: NativeAuthConfiguration) -> NativeAuthClient {
        var configuration = configuration
        configuration.transport = transport
        configuration.sleep = { _ in }
        return NativeAuthClient(configuration)
    }

    private func travel() async throws -> Account {
        let everything = Set(Capability.allCases)
        switch journey {
        case .signUpWithCode:
            let client = client(try world.configuration(.emailOneTimePasscode, can: everything))
            let start = try await begin { try await client.startSignUp(username: InProcess.email) }
            let done = try await code { try await start.submit(code: $0) }.done
            return try await certain { try await done.signIn() }.account
        case .signUpWithAllLate:
            let client = client(try world.configuration(.emailPasswordWithAttributes, can: everything))
            let start = try await begin { try await client.startSignUp(username: InProcess.email) }
            let password = try await code { try await start.submit(code: $0) }.password
            let attributes = try await self.password(new: true) { try await password.submit(password: $0) }.attributes
            let done = try await certain {
                try await attributes.submit(["country": "Danmark", "city": "Ribe"])
            }.done
            return try await certain { try await done.signIn() }.account
        case .signUpAndRegister, .signUpAndPreverified:
            let client = client(try world.configuration(.demanding))
            let start = try await begin {
                try await client.startSignUp(username: InProcess.email, password: InProcess.password)
            }
            let done = try await code { try await start.submit(code: $0) }.done
            let required = try await certain { try await done.signIn() }.registration
            guard journey == .signUpAndRegister else {
                return try await required.requestChallenge(required.methods[0], contact: InProcess.email).account
            }
            return try await register(required)
        case .signInWithPassword:
            let client = client(try world.configuration(.emailPassword, can: everything))
            let step = try await begin { try await client.startSignIn(username: InProcess.email) }.password
            return try await password { try await step.submit(password: $0) }.account
        case .signInWithCode:
            let client = client(try world.configuration(.emailOneTimePasscode, can: everything))
            let step = try await begin { try await client.startSignIn(username: InProcess.email) }.code
            world.server.clock.advance(by: 60)
            let second = try await certain { try await step.resend() }
            return try await code { try await second.submit(code: $0) }.account
        case .signInWithSecondFactor:
            let client = client(try world.configuration(.demandingFlow))
            let step = try await begin { try await client.startSignIn(username: InProcess.email) }.password
            return try await secondFactor(
                try await password { try await step.submit(password: $0) }.secondFactor)
        case .signInAndRegister:
            let client = client(try world.configuration(.demandingFlow))
            let step = try await begin {
                try await client.startSignIn(username: InProcess.email, scopes: ["api://orders/Read"])
            }.password
            return try await register(try await password { try await step.submit(password: $0) }.registration)
        case .reset, .resetThenSecondFactor:
            let client = client(
                journey == .reset
                    ? try world.configuration(.emailPassword, can: everything) : try world.configuration(.demanding))
            let start = try await begin { try await client.startResetPassword(username: InProcess.email) }
            let choose = try await code { try await start.submit(code: $0) }
            let done = try await password(InProcess.newPassword, new: true) { try await choose.submit(password: $0) }
            let step = try await certain { try await done.signIn() }
            // The mailbox of the reset counts once, so another one is needed.
            return journey == .reset ? try step.account : try await secondFactor(step.secondFactor)
        }
    }

    private func register(_ required: RegistrationState) async throws -> Account {
        let sent = try await certain {
            try await required.requestChallenge(required.methods[0], contact: InProcess.contact)
        }.sent
        return try await code(to: InProcess.contact) { try await sent.submit(code: $0) }
    }

    private func secondFactor(
        _ required: MFAState
    ) async throws -> Account {
        #expect(required.methods.count == 1)
        let sent = try await certain { try await required.requestChallenge(required.methods[0]) }
        return try await code(to: InProcess.contact) { try await sent.submit(code: $0) }
    }

    // MARK: Steps

    /// The first call of a flow. When its answer is lost there is no step yet, so it is called again.
    private func begin<Step>(_ call: () async throws -> Step) async throws -> Step {
        let wasIndeterminate = wasIndeterminate
        let step = try await certain(call)
        beganAnew = beganAnew || self.wasIndeterminate != wasIndeterminate
        return step
    }

    /// Repeats a step once after a lost answer, until its result is known.
    private func certain<Next>(_ step: () async throws -> Next) async throws -> Next {
        do {
            return try await step()
        } catch let error as NativeAuthError {
            switch error {
            case .indeterminate where error.details.canRetry && !wasIndeterminate: break
            // A request that changes nothing need not be indeterminate.
            case .network where transport.lostPath?.hasSuffix("/poll_completion") == true: break
            case _: throw error
            }
            wasIndeterminate = true
            return try await step()
        }
    }

    /// A step that takes a code, after up to four wrong ones.
    private func code<Next>(
        to address: String = InProcess.email, _ submit: (String) async throws -> Next
    ) async throws -> Next {
        let right = try await world.code(address)
        let wrong = world.wrongCodes(besides: right)
        let unusual = ["", "1", "abcdefgh", right + "0", String(right.dropLast()), "۱۲۳۴۵۶۷۸"]
        for _ in 0..<draw(0...4) {
            let mistake = draw(0...1) == 0 ? wrong[draw(0...3)] : unusual[draw(0...5)]
            try await mistype(["incorrectCode"]) { try await submit(mistake) }
        }
        return try await certain { try await submit(right) }
    }

    /// A step that takes a password, after up to four wrong ones.
    private func password<Next>(
        _ right: String = InProcess.password, new isNew: Bool = false, _ submit: (String) async throws -> Next
    ) async throws -> Next {
        let wrong = ["", "short", "alllowercase", String(repeating: "Aa1!", count: 70)] + (isNew ? [] : [right + "x"])
        for _ in 0..<draw(0...4) {
            let mistake = wrong[draw(0...wrong.count - 1)]
            try await mistype(["invalidPassword"]) { try await submit(mistake) }
        }
        return try await certain { try await submit(right) }
    }

    private func mistype<Next>(_ kinds: Set<String>, _ submit: () async throws -> Next) async throws {
        mistakesMade += 1
        let refused = try await refusal { try await submit() }
        #expect(kinds.contains(refused.kind) && refused.details.canRetry, "\(journey): \(refused)")
    }

    private func draw(_ range: ClosedRange<Int>) -> Int {
        guard var generator = mistakes else { return range.lowerBound }
        defer { mistakes = generator }
        return Int.random(in: range, using: &generator)
    }
}

// MARK: - Transport

/// Loses one exchange, and counts them all.
final class LossyTransport: HTTPTransport {
    /// How an exchange is lost.
    enum Loss: String, CaseIterable, Sendable {
        /// The server has acted, and its answer does not arrive.
        case answer
        /// The request does not arrive; the client cannot tell.
        case request
        /// The server has acted, and a proxy answers 502 in its place.
        case proxy
    }

    private struct State: Sendable {
        var requests = 0
        var lost: Int?
        var loss = Loss.answer
        var lostPath: String?
    }

    private let inner: any HTTPTransport
    private let state = Locked(State())

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    /// How many requests were sent so far.
    var requests: Int { state.withLock(\.requests) }
    /// Where the request went that was lost, once there was one.
    var lostPath: String? { state.withLock(\.lostPath) }

    /// Loses the request with this number, 0 for the very first one.
    func lose(_ request: Int, by loss: Loss) {
        state.withLock {
            $0.lost = request
            $0.loss = loss
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let loss: Loss? = state.withLock { state in
            let number = state.requests
            state.requests += 1
            guard number == state.lost else { return nil }
            state.lost = nil
            state.lostPath = request.url.path
            return state.loss
        }
        switch loss {
        case nil: return try await inner.send(request)
        case .request: throw TransportError.noAnswer
        case .answer:
            _ = try await inner.send(request)
            throw TransportError.noAnswer
        case .proxy:
            _ = try await inner.send(request)
            return TransportResponse(status: 502, body: Data("<h1>Bad Gateway</h1>".utf8))
        }
    }
}

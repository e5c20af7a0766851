import ArgumentParser
import Crypto
import Foundation
import IdentityEngine
import IdentityHTTP
import IdentityMail
import IdentityPasswords
import IdentityStoreSQL
import IdentityTokens
import Logging
import NativeAuthCore
import NativeAuthWire
import Synchronization

extension BenchParts {
    /// What the parts of a step cost, without HTTP.
    struct PartsCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "parts", abstract: "Measure what the parts of a step cost.",
            discussion: """
                Each is done one at a time, and then by as many callers at once as a load has connections: then many share one \
                commit, and wait for each other.
                """)

        @OptionGroup var place: NewDatabase
        @Option(help: "How often each is done.") var count = 500
        @Option(help: "Callers at once.") var callers = 32

        func validate() throws {
            guard count >= callers, callers > 0 else {
                throw ValidationError("--callers must be above 0, and --count no less than that.")
            }
        }

        func run() async throws {
            try await place.open { store in try await measure(in: store) }
        }

        private func measure(in store: any SQLStore) async throws {
            let bench = try await PartsBench(store)
            say("\(pad("", 34)) \(pad("one at a time", 30)) \(callers) at once")
            // Each step uses the results of the step before, for each simulated user.
            try await measure("form of a start") { _ = try bench.start($0) }
            try await measure("sign-up start") { try await bench.signUpStart($0) }
            try await measure("sign-up challenge") { try await bench.signUpChallenge($0) }
            try await measure("sign-up continue") { try await bench.signUpContinue($0) }
            try await measure("tokens after sign-up") { try await bench.redeem($0) }
            try await measure("refresh") { try await bench.refresh($0) }
            try await bench.measureMails(callers: callers)
            try await bench.measureSeals()
            try await measure("reply with tokens") { _ in bench.replyWithTokens() }
            try await measure("read of an account by its name") { _ in try await bench.readAccount() }
            try await measure("read of a name") { _ in try await bench.readName() }
            try await measure("durable line of audit") { _ in try await bench.writeLine() }
            try await measure("seal 500 bytes") { _ in try bench.seal() }
            try await measure("read, and two signed tokens, ES256") { _ in try await bench.sign() }
        }

        /// Runs `work` for the first half of the users one at a time, and for the other half by all callers at once.
        private func measure(_ name: String, _ work: @escaping @Sendable (Int) async throws -> Void) async throws {
            let alone = try await Spent.by(count) { for number in 0..<count { try await work(number) } }
            let together = try await Spent.by(count) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for caller in 0..<callers {
                        group.addTask { [count, callers] in
                            for number in stride(from: count + caller, to: 2 * count, by: callers) {
                                try await work(number)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            say("\(pad(name, 34)) \(pad(alone.text, 30)) \(together.text)")
        }
    }
}

/// The cost of one operation in microseconds.
private struct Spent {
    let wall: Double
    let processor: Double

    var text: String { "\(Int(wall)) µs, \(Int(processor)) of processor" }

    static func by(_ count: Int, _ work: () async throws -> Void) async throws -> Spent {
        let begin = ContinuousClock.now
        let used = clock()
        try await work()
        return Spent(
            wall: (ContinuousClock.now - begin) / .microseconds(1) / Double(count),
            processor: Double(clock() - used) / Double(CLOCKS_PER_SEC) * 1e6 / Double(count))
    }
}

private func pad(_ text: String, _ width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
}

/// A server without HTTP, and simulated users at each step.
private final class PartsBench: Sendable {
    private let store: any SQLStore
    private let engine: Engine
    private let vault: Vault
    private let keys: KeyRing
    private let client: ClientID
    private let tenant: Tenant
    private let randomness = SystemRandomness()
    private let clock = SystemClock()
    private let people = Mutex<[Int: Person]>([:])

    private struct Person {
        var outcome: Outcome?
        var refreshToken: Secret<String>?
    }

    /// The code of every flow, and an application of the development tenant that asks for codes.
    private static let code = "24681357"
    private static let app = "00001111-aaaa-2222-bbbb-3333cccc4444"

    init(_ store: any SQLStore) async throws {
        self.store = store
        vault = Vault(masterKey: .init(data: randomness.bytes(32)), randomness: randomness)
        keys = KeyRing(store: store, vault: vault, clock: clock, randomness: randomness, algorithm: .es256)
        let tenants = TenantDirectory.development
        var settings = EngineSettings(baseURL: "http://127.0.0.1:8765")
        settings.enumeration = .compat
        settings.fixedCode = Secret(Self.code)
        settings.resendCooldown = 0
        settings.limits = nil
        engine = Engine(
            .init(
                clients: tenants, flows: store, users: store, refresh: store, browsers: store, assertions: store,
                hasher: try Argon2idHasher(),
                issuer: keys, randomness: randomness, mail: MailSignal()), vault: vault, settings: settings)
        guard let client = ClientID(Self.app), let tenant = try await tenants.tenant(named: "contoso") else {
            throw BenchFailure("no tenant")
        }
        self.client = client
        self.tenant = tenant
    }

    // MARK: Steps

    func start(_ number: Int) throws -> Command {
        let form =
            "client_id=\(Self.app)&username=\(address(number))&challenge_type=oob%20password%20redirect"
        return try V1Codec.request(.signUpStart, FormFields(decoding: Array(form.utf8))).command
    }

    func signUpStart(_ number: Int) async throws { try await take(try start(number), number) }

    func signUpChallenge(_ number: Int) async throws {
        try await take(.step(try token(number), .challengeSignUp(accepted: nil)), number)
    }

    func signUpContinue(_ number: Int) async throws {
        try await take(.step(try token(number), .submitSignUpCode(Secret(Self.code))), number)
    }

    func redeem(_ number: Int) async throws {
        try await take(.step(try token(number), .redeem(demand)), number)
        guard case .accepted(.signedIn(let tokens)) = people.withLock({ $0[number]?.outcome?.verdict }),
            let token = tokens.refreshToken
        else { throw BenchFailure("no tokens") }
        people.withLock { $0[number]?.refreshToken = token }
    }

    func refresh(_ number: Int) async throws {
        guard let token = people.withLock({ $0[number]?.refreshToken }) else { throw BenchFailure("no token") }
        try await take(.refresh(token, demand), number)
    }

    private let demand = TokenRequest(scopes: ["openid", "offline_access"])

    /// An address; the addresses are spread over a hundred domains, like those of a load.
    private func address(_ number: Int) -> String { "part\(number)@\(number % 100).example.com" }

    private func take(_ command: Command, _ number: Int) async throws {
        let context = CallerContext(
            tenantName: "contoso", client: client, language: .english,
            trace: Trace(id: randomness.uuid(), correlationID: randomness.uuid(), at: clock.now))
        let outcome = try await engine.handle(command, in: context)
        people.withLock { $0[number, default: Person()].outcome = outcome }
    }

    private func token(_ number: Int) throws -> ContinuationToken {
        guard let token = people.withLock({ $0[number]?.outcome?.token }) else {
            throw BenchFailure("no continuation token")
        }
        return token
    }

    // MARK: Background work of the steps

    /// Sends the mails of all challenges from the outbox to the development receiver, with as many senders as a server
    /// has.
    func measureMails(callers: Int) async throws {
        let receiver = try await DevelopmentMailServer.start()
        let worker = OutboxWorker(
            store: store, vault: vault, renderer: MailRenderer(),
            transport: try SMTPTransport(url: "smtp://127.0.0.1:\(receiver.port)"),
            letterhead: { [address = try MailAddress("no-reply@contoso.example")] _ in Letterhead(sender: address) },
            clock: clock,
            randomness: randomness, signal: MailSignal(), logger: Logger(label: "native-auth"))
        let sent = try await Spent.by(people.withLock { $0.count }) { _ = try await worker.processDueMail() }
        say("\(pad("mail, both ends of SMTP", 34)) \(pad("", 30)) \(sent.text)")
        try await receiver.shutdown()
    }

    /// Seals all audit lines that the steps have written.
    func measureSeals() async throws {
        var lines = 0
        let spent = try await Spent.by(1) {
            let sealing = try await AuditChain(vault: vault).seal(in: store)
            lines = sealing.heads.reduce(0) { $0 + $1.value.position }
        }
        let text = Spent(wall: spent.wall / Double(lines), processor: spent.processor / Double(lines)).text
        say("\(pad("seal of a line of audit", 34)) \(pad("", 30)) \(text)")
    }

    // MARK: Smaller parts

    func replyWithTokens() { if let outcome = people.withLock({ $0[0]?.outcome }) { _ = V1Codec.reply(outcome) } }

    func readAccount() async throws {
        guard try await store.account(named: try key(0), in: tenant.id) != nil else {
            throw BenchFailure("no account")
        }
    }

    func readName() async throws { _ = try await store.taken([try key(0)], marks: [], in: tenant.id) }

    func writeLine() async throws {
        try await store.record(AuditEvent(.mailFailed, at: clock.now, tenant: tenant.id))
    }

    func seal() throws {
        _ = try vault.seal(Data(repeating: 1, count: 500), for: .continuationToken, tenant: tenant.id)
    }

    func sign() async throws {
        guard let user = try await store.account(named: try key(0), in: tenant.id)?.user else {
            throw BenchFailure("no account")
        }
        _ = try await keys.sign(
            TokenSubject(
                tenant: tenant.id, client: client, user: user, audience: Self.app, scopes: [],
                openIDScopes: ["openid", "offline_access"], authenticatedAt: clock.now, methods: ["otp"], contexts: [],
                sessionID: UUID(), issuedAt: clock.now, lifetime: 3600, tokenID: UUID(), issuer: "http://127.0.0.1:8765"
            ))
    }

    private func key(_ number: Int) throws -> LoginIdentifier.Key {
        guard let key = EmailAddress(address(number))?.key else { throw BenchFailure("no address") }
        return key
    }
}

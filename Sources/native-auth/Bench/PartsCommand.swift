import ArgumentParser
import Crypto
import Foundation
import IdentityEngine
import IdentityHTTP
import IdentityPasswords
import IdentityStoreSQL
import IdentityTokens
import NativeAuthCore
import NativeAuthWire

extension BenchCommand {
    /// What the parts of a step cost, one after another on one thread, without HTTP.
    struct PartsCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "parts", abstract: "Measure what the parts of a step cost, one at a time.")

        @Option(help: "A PostgreSQL database, new and empty: postgresql://… (default: SQLite in a new folder).")
        var database: String?
        @Option(help: "How often each is done.") var count = 500

        func run() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "native-auth-bench-\(UUID().text)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let result: Result<Void, any Error>
            do {
                result = .success(try await measure(in: folder))
            } catch {
                result = .failure(error)
            }
            try FileManager.default.removeItem(at: folder)
            try result.get()
        }

        private func measure(in folder: URL) async throws {
            let store = try await (database.flatMap { DatabaseAddress($0) } ?? .sqlite(path: nil)).open(in: folder.path)
            let (randomness, clock) = (SystemRandomness(), SystemClock())
            let vault = Vault(masterKey: .init(data: randomness.bytes(32)), randomness: randomness)
            let keys = KeyRing(store: store, vault: vault, clock: clock, randomness: randomness, algorithm: .es256)
            let tenants = try LiveTenants(ServeSettings(), nil)
            var settings = EngineSettings(baseURL: "http://127.0.0.1:8765")
            settings.enumeration = .compat
            settings.fixedCode = Secret(BenchCast.code)
            settings.resendCooldown = 0
            settings.limits = nil
            let engine = Engine(
                .init(
                    clients: tenants, flows: store, users: store, refresh: store, hasher: try Argon2idHasher(),
                    issuer: keys, randomness: randomness, mail: MailSignal()), vault: vault, settings: settings)
            guard let client = ClientID(BenchCast.codeApp), let tenant = try await tenants.tenant(named: "contoso")
            else {
                throw BenchFailure(text: "no tenant")
            }
            func context() -> CommandContext {
                CommandContext(
                    tenantName: "contoso", client: client, language: .english,
                    trace: Trace(id: randomness.uuid(), correlationID: randomness.uuid(), at: clock.now))
            }
            func form(_ text: String, _ endpoint: V1Endpoint) throws -> Command {
                try V1Codec.request(endpoint, FormFields(decoding: Array(text.utf8))).command
            }
            var number = 0
            func start() throws -> Command {
                number += 1
                return try form(
                    "client_id=\(BenchCast.codeApp)&username=part\(number)@example.com&challenge_type=oob%20password%20redirect",
                    .signUpStart)
            }
            func token(_ outcome: Outcome) throws -> ContinuationToken {
                guard let token = outcome.token else { throw BenchFailure(text: "no token: \(outcome.verdict)") }
                return token
            }
            let count = self.count
            var started: [Outcome] = []
            try await measure("form of a start", count) { _ = try start() }
            try await measure("sign-up start", count) {
                started.append(try await engine.handle(try start(), in: context()))
            }
            var position = 0
            var challenged: [Outcome] = []
            try await measure("sign-up challenge", count) {
                challenged.append(
                    try await engine.handle(
                        .challengeSignUp(try token(started[position]), accepted: nil), in: context()))
                position += 1
            }
            position = 0
            var continued: [Outcome] = []
            try await measure("sign-up continue", count) {
                continued.append(
                    try await engine.handle(
                        .submitSignUpCode(try token(challenged[position]), code: Secret(BenchCast.code)), in: context())
                )
                position += 1
            }
            position = 0
            var refresh: [Secret<String>] = []
            var signedIn: Outcome?
            try await measure("tokens after sign-up", count) {
                let outcome = try await engine.handle(
                    .redeem(try token(continued[position]), TokenDemand(scopes: ["openid", "offline_access"])),
                    in: context())
                guard case .accepted(.signedIn(let tokens)) = outcome.verdict, let token = tokens.refreshToken else {
                    throw BenchFailure(text: "no tokens")
                }
                refresh.append(token)
                signedIn = outcome
                position += 1
            }
            position = 0
            try await measure("refresh", count) {
                _ = try await engine.handle(
                    .refresh(refresh[position], TokenDemand(scopes: ["openid", "offline_access"])), in: context())
                position += 1
            }
            if let signedIn { try await measure("reply with tokens", count) { _ = V1Codec.reply(signedIn) } }
            try await measure("reply with a continuation token", count) { _ = V1Codec.reply(started[0]) }
            guard let key = EmailAddress("part\(count + 1)@example.com")?.key,
                let account = try await store.account(named: key, in: tenant.id)
            else { throw BenchFailure(text: "no account") }
            try await measure("read of an account", count) {
                _ = try await store.account(account.user.id, in: tenant.id)
            }
            try await measure("read of a name", count) { _ = try await store.taken([key], in: tenant.id) }
            try await measure("durable line of audit", count) {
                try await store.record(AuditEvent(.mailFailed, at: clock.now, tenant: tenant.id))
            }
            try await measure("seal 500 bytes", count) {
                _ = try vault.seal(Data(repeating: 1, count: 500), for: .continuationToken, tenant: tenant.id)
            }
            try await measure("digest", count) {
                _ = vault.digest(.counter, tenant: tenant.id, [Data(repeating: 1, count: 40)])
            }
            let subject = TokenSubject(
                tenant: tenant.id, client: client, user: account.user, audience: BenchCast.codeApp, scopes: [],
                openIDScopes: ["openid", "offline_access"], authenticatedAt: clock.now, methods: ["otp"], contexts: [],
                sessionID: UUID(), issuedAt: clock.now, lifetime: 3600, tokenID: UUID(), issuer: settings.baseURL)
            try await measure("two signed tokens, ES256", count) { _ = try await keys.sign(subject) }
            try await store.close()
        }

        private func measure(_ name: String, _ count: Int, _ work: () async throws -> Void) async throws {
            let begin = ContinuousClock.now
            let used = clock()
            for _ in 0..<count { try await work() }
            let wall = (ContinuousClock.now - begin) / .microseconds(1) / Double(count)
            let processor = Double(clock() - used) / Double(CLOCKS_PER_SEC) * 1e6 / Double(count)
            say(
                "\(name.padding(toLength: 36, withPad: " ", startingAt: 0)) \(Int(wall)) µs, \(Int(processor)) µs of processor"
            )
        }
    }
}

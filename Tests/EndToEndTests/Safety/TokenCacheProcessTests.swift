import Foundation
import NativeAuth
import Testing

/// Several processes of one app on one encrypted token cache. Each is the test executable itself, as an exit test.
@Suite struct TokenCacheProcessTests {
    /// The number of processes and of refreshes by each: 1 000 times in all by two; more if the environment says so.
    private static let runs =
        ProcessInfo.processInfo.environment["PROVE_RENEWALS"].flatMap(Int.init).map { renewals in
            [2, 4, 8].map { ($0, renewals) }
        } ?? [(2, 600), (4, 25)]

    @Test(
        "SDK-STO-4: processes that renew all the time share one session, which stays live",
        .timeLimit(.minutes(45)), arguments: runs)
    func processesRenew(_ count: Int, _ renewals: Int) async throws {
        try await withSession { session, server in
            let tasks = (0..<count).map { CacheTask(session, number: $0, renewals: renewals) }
            let began = ContinuousClock.now
            let reports = try await run(tasks)
            let duration = ContinuousClock.now - began
            #expect(reports.map(\.renewals) == Array(repeating: renewals, count: count))
            #expect(reports.allSatisfy { $0.ending == nil }, "\(reports)")
            #expect(reports.allSatisfy { $0.cacheProblems == [] }, "\(reports)")

            // The processes leave one account with a live session.
            let client = try session.client()
            #expect(client.accounts().count == 1)
            _ = try await #require(client.currentAccount()).accessToken(policy: .force)
            let families = try await families(of: server)
            print(
                "refresh: \(count) processes, \(count * renewals) renewals, \(families.generation) of them at the server,"
                    + " \(families.live) live session of \(families.total), \(families.reused) reuses, \(duration)")
            #expect(families.total == 1 && families.live == 1)
            #expect(families.reused == 0)
            #expect(families.generation >= renewals, "others' renewals count, but each process has its own, too")
        }
    }

    @Test("SDK-STO-4: after one process signs out, no other brings the session back", .timeLimit(.minutes(10)))
    func noResurrection() async throws {
        for round in 0..<3 {
            try await withSession { session, server in
                // They continue until they learn that no user is signed in.
                var tasks = (0..<3).map { CacheTask(session, number: $0, renewals: 100_000) }
                tasks[round].signsOutAfter = 10
                let reports = try await run(tasks)
                for (task, report) in zip(tasks, reports) {
                    if task.signsOutAfter == nil {
                        #expect(["signInRequired", "sessionEnded"].contains(report.ending), "\(report)")
                    } else {
                        #expect(report.ending == "revoked", "\(report)")
                    }
                    #expect(report.cacheProblems == [])
                }
                #expect(try session.client().accounts().isEmpty)
                let families = try await families(of: server)
                #expect(families.total == 1 && families.live == 0)
                #expect(families.reused == 0)
            }
        }
    }

    // MARK: Server and session

    /// The place of a stored session.
    struct CachedSession: Codable, Sendable {
        var authority: URL
        var folder: URL
        var key: Data

        func client(onProblem: (@Sendable (TokenCacheError) -> Void)? = nil) throws -> NativeAuthClient {
            var configuration = NativeAuthConfiguration(
                clientID: NativeAPI.Application.password.rawValue, authority: try Authority(url: authority),
                challengeTypes: [.oneTimePasscode, .password])
            configuration.tokenCache = try EncryptedFileTokenCache(folder: folder, key: key)
            configuration.onTokenCacheProblem = onProblem
            return NativeAuthClient(configuration)
        }
    }

    /// Runs `body` with the cached session of a new user.
    private func withSession(
        _ body: (CachedSession, NativeAuthServer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        defer { folder.remove() }
        let server = try await NativeAuthServer.start(dataFolder: folder.url.appending(path: "data"))
        var random = SystemRandomNumberGenerator()
        let session = CachedSession(
            authority: server.baseURL.appending(path: "contoso.onmicrosoft.com"),
            folder: folder.url.appending(path: "cache"),
            key: Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }))
        let step = try await session.client().startSignUp(username: "dana@example.com", password: "Tulip-Harbour-42")
        let code = try await NativeAPI(baseURL: server.baseURL).code(for: "dana@example.com")
        guard case .completed(let completed) = try await step.submit(code: code),
            case .completed = try await completed.signIn()
        else {
            Issue.record("the sign-up requires another step")
            return
        }
        try await body(session, server)
        #expect(await server.terminate() == 0)
    }

    private struct Families {
        var total, live, generation, reused: Int
    }

    private func families(of server: NativeAuthServer) async throws -> Families {
        let rows = try await Database(of: server.dataFolder).rows(
            """
            SELECT count(*), count(*) FILTER (WHERE revoked_at IS NULL), max(generation),
                (SELECT count(*) FROM audit WHERE kind = 'token.reuse_detected') FROM refresh_families
            """)
        let numbers = try #require(rows.first).compactMap(Int.init)
        try #require(numbers.count == 4)
        return Families(total: numbers[0], live: numbers[1], generation: numbers[2], reused: numbers[3])
    }

    // MARK: Processes

    /// A process's work on the session, and the file for its report.
    struct CacheTask: Codable, Sendable {
        var session: CachedSession
        var renewals: Int
        var signsOutAfter: Int?
        var report: URL

        init(_ session: CachedSession, number: Int, renewals: Int) {
            self.session = session
            self.renewals = renewals
            report = session.folder.deletingLastPathComponent().appending(path: "report-\(number).json")
        }
    }

    struct Report: Codable, Sendable {
        /// The number of forced refreshes.
        var renewals = 0
        /// The error, or the result of the sign-out; nil when all refreshes were done.
        var ending: String?
        var cacheProblems: [String] = []
    }

    /// Runs each task in a separate process, all at the same time.
    private func run(_ tasks: [CacheTask]) async throws -> [Report] {
        await withTaskGroup(of: Void.self) { group in
            for task in tasks {
                group.addTask {
                    await #expect(processExitsWith: .success) { [task = task as CacheTask] in
                        try await task.perform()
                    }
                }
            }
        }
        return try tasks.map { try JSONDecoder().decode(Report.self, from: Data(contentsOf: $0.report)) }
    }
}

extension TokenCacheProcessTests.CacheTask {
    /// The work of the process.
    func perform() async throws {
        var result = TokenCacheProcessTests.Report()
        let (problems, feed) = AsyncStream.makeStream(of: TokenCacheError.self)
        let client = try session.client { feed.yield($0) }
        let account = try #require(client.currentAccount())
        do {
            while result.renewals < renewals {
                if result.renewals == signsOutAfter {
                    result.ending = "\(try await client.signOutAndRevoke(account))"
                    break
                }
                _ = try await account.accessToken(policy: .force)
                result.renewals += 1
            }
        } catch {
            result.ending = Mirror(reflecting: error).children.first?.label ?? "\(error)"
        }
        feed.finish()
        for await problem in problems { result.cacheProblems.append("\(problem)") }
        try JSONEncoder().encode(result).write(to: report)
    }
}

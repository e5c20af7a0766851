import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

private let user = "dahlia@example.com"

/// Cancels every flow at each of its waits: for the app's interceptor, for the server, and for the next poll.
@Suite("Cancellation")
struct CancellationTests {
    /// The wait of a flow. It passes all waits except one, at which it stays until the test releases it.
    private final class Waits: HTTPTransport, RequestInterceptor {
        private struct State {
            var count = 0
            var isLetGo = false
            var held: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())
        private let stop: Int?
        private let script: ScriptedTransport
        private let arrivals = AsyncStream<Void>.makeStream()

        init(_ script: ScriptedTransport, stop: Int? = nil) {
            self.script = script
            self.stop = stop
        }

        var count: Int { state.withLock { $0.count } }

        func pass() async {
            let isHere = state.withLock { state in
                defer { state.count += 1 }
                return state.count == stop
            }
            guard isHere else { return }
            await withCheckedContinuation { continuation in
                state.withLock { $0.held = continuation }
                arrivals.continuation.yield()
            }
            state.withLock { $0.isLetGo = true }
        }

        /// Returns once the flow waits where it should.
        func arrival() async {
            for await _ in arrivals.stream { return }
        }

        /// Lets the awaited result arrive, too late, and checks that it has arrived.
        func letGo() async {
            state.withLock { $0.held.take() }?.resume()
            while !state.withLock({ $0.isLetGo }) { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await script.send(request)
            await pass()
            return response
        }

        func additionalHeaders(for url: URL) async -> [String: String] {
            await pass()
            return [:]
        }
    }

    private typealias Scenario = @Sendable (NativeAuthClient) async throws -> Void

    /// Runs `scenario` completely, and then once for each of its waits, cancelled at that wait.
    ///
    /// - Parameter check: The checks after each cancelled run.
    /// - Returns: How many waits there were.
    @discardableResult
    private func cancelEverywhere(
        _ script: [Stub], cache: @escaping @Sendable () async throws -> any TokenCache = { InMemoryTokenCache() },
        _ scenario: @escaping Scenario, check: (NativeAuthClient, ScriptedTransport) async throws -> Void
    ) async throws -> Int {
        func run(
            _ waits: Waits, _ cache: any TokenCache, _ body: (NativeAuthClient) async throws -> Void
        ) async throws {
            try await withClient([]) {
                $0.transport = waits
                $0.requestInterceptor = waits
                $0.tokenCache = cache
                $0.sleep = { _ in await waits.pass() }
            } _: { client, _ in
                try await body(client)
            }
        }
        let whole = Waits(ScriptedTransport(script))
        try await run(whole, try await cache(), scenario)
        for stop in 0..<whole.count {
            let transport = ScriptedTransport(script)
            let waits = Waits(transport, stop: stop)
            try await run(waits, try await cache()) { client in
                let flow = Task { try await scenario(client) }
                await waits.arrival()
                let sent = transport.requests.count
                flow.cancel()
                let failure = await flow.result
                #expect(isCancellation(failure), "wait \(stop): \(failure)")
                await waits.letGo()
                #expect(transport.requests.count == sent, "wait \(stop)")
                try await check(client, transport)
            }
        }
        return whole.count
    }

    private func isCancellation(_ result: Result<Void, any Error>) -> Bool {
        guard case .failure(let error) = result else { return false }
        if case NativeAuthError.cancelled = error { return true }
        if case TokenError.service(.cancelled) = error { return true }
        return false
    }

    @Test(
        "SDK-CANCEL-1: a step that is cancelled, wherever it waits, sends nothing more and keeps no session",
        arguments: StepCase.all)
    func steps(_ step: StepCase) async throws {
        let waits = try await cancelEverywhere(step.before + step.success) { client in
            let (submit, _) = try await step.reach(client)
            try await submit()
        } check: { client, _ in
            #expect(client.accounts().isEmpty)
        }
        // The interceptor's and the server's answers.
        #expect(waits == 2 * (step.before + step.success).count)
    }

    @Test("SDK-CANCEL-1: so does the wish for another code", arguments: StepCase.all.filter { $0.resent != nil })
    func resends(_ step: StepCase) async throws {
        let script = step.before + [try #require(step.resent)]
        try await cancelEverywhere(script) { client in
            let (_, resend) = try await step.reach(client)
            try await resend?()
        } check: { client, _ in
            #expect(client.accounts().isEmpty)
        }
    }

    @Test("SDK-CANCEL-1: so does the wait for a new password to be set, and for the server to be reached again")
    func polling() async throws {
        let lost = Stub(.resetPasswordPollCompletion, 503, "")
        let script: [Stub] = [
            .resetStarted, .resetCode, .resetContinued, .resetSubmitted(), .poll("in_progress"), lost,
            .poll("in_progress"), .done, .tokens(),
        ]
        let waits = try await cancelEverywhere(script) { client in
            let step = try await client.startResetPassword(username: user).submit(code: "1")
            _ = try await step.submit(password: "secret").signIn()
        } check: { client, _ in
            #expect(client.accounts().isEmpty)
        }
        // Two polls and one repetition are waited for, beside the answers.
        #expect(waits == 2 * script.count + 3)
    }

    @Test(
        "SDK-CANCEL-1: a cancelled caller of a token gets none; the renewal under way keeps the rotated refresh token")
    func renewal() async throws {
        let script: [Stub] = [.session("alice", access: "AT2", refresh: "RT2")]
        let signedIn: @Sendable () async throws -> any TokenCache = {
            let cache = InMemoryTokenCache()
            try await withClient(signedUp + [.session("alice", access: "AT1", refresh: "RT1")]) {
                $0.tokenCache = cache
            } _: { client, _ in
                _ = try await signIn(client)
            }
            return cache
        }
        for stop in 0..<2 {
            let transport = ScriptedTransport(script)
            let waits = Waits(transport, stop: stop)
            let cache = try await signedIn()
            try await withClient([]) {
                $0.transport = waits
                $0.requestInterceptor = waits
                $0.tokenCache = cache
            } _: { client, _ in
                let account = try #require(client.currentAccount())
                let changes = client.sessionChanges
                let caller = Task { _ = try await account.accessToken(policy: .force) }
                await waits.arrival()
                caller.cancel()
                #expect(isCancellation(await caller.result))
                #expect(try await account.accessToken(policy: .cached).refreshToken == "RT1")
                await waits.letGo()
                for await _ in changes { break }
                #expect(try await account.accessToken(policy: .cached).refreshToken == "RT2")
                #expect(transport.requests.count == 1)
            }
        }
    }

    @Test("SDK-CANCEL-1: what is cancelled before it begins sends nothing")
    func beforeItBegins() async throws {
        try await withClient(signedUp + [.tokens()]) { client, transport in
            let account = try await signIn(client)
            for scenario: Scenario in [
                { _ = try await $0.startSignUp(username: user) }, { _ = try await $0.startSignIn(username: user) },
                { _ = try await $0.startResetPassword(username: user) },
                { _ in _ = try await account.accessToken(policy: .force) },
            ] {
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    try await scenario(client)
                }
                task.cancel()
                #expect(isCancellation(await task.result))
            }
            #expect(transport.requests.count == 4)
        }
    }
}

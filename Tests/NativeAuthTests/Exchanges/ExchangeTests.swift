import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

private let user = "dahlia@example.com"

/// The results of one request: its answer, its loss, its repetition, its early end.
@Suite("Exchanges")
struct ExchangeTests {
    /// The error of the first step for the server's `answer`, and the number of requests.
    private func failure(
        _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
    ) async throws -> (NativeAuthError, Int) {
        let count = Mutex(0)
        var failure: NativeAuthError?
        try await withClient([]) {
            $0.transport = AnsweringTransport { request in
                count.withLock { $0 += 1 }
                return try await answer(request)
            }
        } _: { client, _ in
            failure = try await error { () throws(NativeAuthError) in try await client.startSignUp(username: user) }
        }
        return (try #require(failure), count.withLock { $0 })
    }

    private func failure(status: Int, _ headers: [String: String] = [:], _ body: String = "") async throws
        -> (NativeAuthError, Int)
    {
        try await failure { _ in TransportResponse(status: status, headers: headers, body: Data(body.utf8)) }
    }

    // MARK: Lost answers

    static let lost: [(any Error & Sendable, String)] = [
        (URLError(.cannotConnectToHost), "network"), (URLError(.cannotFindHost), "network"),
        (URLError(.dnsLookupFailed), "network"), (URLError(.notConnectedToInternet), "network"),
        (URLError(.secureConnectionFailed), "network"), (URLError(.serverCertificateUntrusted), "network"),
        (TransportError.connectTimedOut, "network"), (URLError(.networkConnectionLost), "indeterminate"),
        (URLError(.timedOut), "indeterminate"), (URLError(.cannotParseResponse), "indeterminate"),
        (TransportError.noAnswer, "indeterminate"), (ScriptedTransport.Unscripted(), "indeterminate"),
        (TransportError.responseTooLarge, "unexpectedReply"), (TransportError.notHTTP, "unexpectedReply"),
        (TransportError.insecureURL, "invalidConfiguration"), (CancellationError(), "cancelled"),
    ]

    @Test(
        "SDK-RETRY-2: only what proves that nothing was sent counts as that; SDK-RETRY-1: the step is not repeated",
        arguments: lost)
    func lostAnswers(_ error: any Error & Sendable, _ expected: String) async throws {
        let (failure, count) = try await failure { _ in throw error }
        #expect(kind(failure) == expected)
        #expect(failure.details.canRetry == ["network", "indeterminate", "cancelled"].contains(expected))
        #expect(count == 1)
    }

    @Test("SDK-RETRY-2: a proxy that lost the server leaves the outcome open", arguments: [502, 504])
    func proxies(_ status: Int) async throws {
        let (failure, count) = try await failure(status: status)
        #expect(kind(failure) == "indeterminate" && failure.details.canRetry && count == 1)
    }

    // MARK: Retry-After

    @Test(
        "SDK-RETRY-3: Retry-After is shown, at most an hour",
        arguments: [
            ("0", 0), ("17", 17), ("3600", 3600), ("3601", 3600), ("99999999999999999999", 3600),
            ("Sat, 01 Aug 2026 09:31:00 GMT", 60), ("Sat, 01 Aug 2026 09:29:00 GMT", 0),
            ("Wed, 01 Aug 2096 09:29:00 GMT", 3600), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil),
            ("Sat, 01 Aug 2026 09:31:00", nil), ("Sat, 32 Aug 2026 09:31:00 GMT", nil),
            ("Sat, 01 Aug 2026 9:31:00 GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(_ header: String, _ expected: Int?) async throws {
        let (failure, count) = try await failure(status: 429, ["Retry-After": header])
        guard case .throttled(let seconds, let details) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(seconds == expected && details.canRetry && count == 1)
    }

    @Test("SDK-RETRY-3: the number for a throttled tenant, and 503 with a time, are told as such")
    func throttled() async throws {
        let body = #"{"error":"invalid_request","error_codes":[90055],"error_description":"Slow down"}"#
        let (first, _) = try await failure(status: 400, ["retry-after": "5"], body)
        #expect(kind(first) == "throttled" && first.details.errorCodes == [90055])
        #expect(first.details.message == "Slow down")
        let (second, _) = try await failure(status: 503, ["retry-after": "5"])
        #expect(kind(second) == "throttled")
        let (third, _) = try await failure(status: 503)
        #expect(kind(third) == "unexpectedReply")
    }

    @Test("SDK-RETRY-3: until its time has come the server is not asked for a token again")
    func pause() async throws {
        let throttled = Stub(.token, 503, "", headers: ["retry-after": "60"])
        let clock = TestClock()
        try await withClient(signedUp + [.tokens(), throttled, .tokens(access: "AT2")]) {
            clock.drive(&$0)
        } _: { client, transport in
            let account = try await signIn(client)
            for (elapsed, expected) in [(0.0, 60), (59.5, 1)] {
                clock.advance(by: elapsed)
                let refused = try await error { () throws(NativeAuthError) in
                    try await client.accessToken(for: account, forceRefresh: true)
                }
                guard case .throttled(expected, _) = refused else {
                    Issue.record("\(refused)")
                    return
                }
                #expect(transport.requests.count == 5)
            }
            // The cached token is still valid.
            #expect(try await account.accessToken().value == "AT1")
            clock.advance(by: 0.5)
            #expect(try await account.accessToken(policy: .force).value == "AT2")
        }
    }

    @Test(
        "SDK-RETRY-1: a poll is repeated three times, after 0.5 s to 4 s each, and nothing else of its flow is",
        arguments: [0.5, 1.5])
    func waits(_ factor: Double) async throws {
        let waits = Mutex<[Duration]>([])
        let polls = Mutex([503, 0, 503, 503])
        let paths = Mutex<[String]>([])
        try await withClient([]) {
            $0.random = { range in factor == 0.5 ? range.lowerBound : range.upperBound }
            $0.sleep = { duration in waits.withLock { $0.append(duration) } }
            $0.transport = AnsweringTransport { request in
                let path = request.url.lastPathComponent
                paths.withLock { $0.append(path) }
                guard path == "poll_completion" else {
                    let body =
                        path == "challenge"
                        ? Stub.codeSent("T").json : #"{"continuation_token":"T","expires_in":600,"poll_interval":1}"#
                    return TransportResponse(status: 200, body: Data(body.utf8))
                }
                let status = polls.withLock { $0.removeFirst() }
                if status == 0 { throw URLError(.timedOut) }
                return TransportResponse(status: status, body: Data())
            }
        } _: { client, _ in
            let code = try await client.startResetPassword(username: user)
            let password = try await code.submit(code: "1")
            let failure = try await error { () throws(NativeAuthError) in try await password.submit(password: "p") }
            #expect(kind(failure) == "unexpectedReply")
        }
        #expect(
            paths.withLock { $0 } == ["start", "challenge", "continue", "submit"]
                + Array(repeating: "poll_completion", count: 4))
        let (first, second, third) = factor == 0.5 ? (0.5, 1.0, 2.0) : (1.5, 3.0, 4.0)
        #expect(waits.withLock { $0 } == [.seconds(first), .seconds(second), .seconds(third)])
    }

    // MARK: Shapes

    @Test(
        "SDK-NET-4: a redirect is told, not followed", arguments: [300, 301, 302, 303, 304, 307, 308])
    func redirects(_ status: Int) async throws {
        let (failure, count) = try await failure(status: status, ["Location": "https://evil.example.com/"])
        #expect(kind(failure) == "unexpectedReply")
        #expect(failure.details.message?.contains("redirect") == true)
        #expect(count == 1)
    }

    @Test(
        "SDK-NET-3: what is not JSON of the right type, size and depth is refused",
        arguments: [
            (#"{"continuation_token":"T"}"#, "text/html", false), (#"{"continuation_token":"T"}"#, "", false),
            (#"{"continuation_token":"T"}"#, "application/jsonp", false),
            (#"{"continuation_token":"T"}"#, "application/json", true),
            (#"{"continuation_token":"T"}"#, "Application/JSON ; charset=utf-8", true),
            (#"{"continuation_token":"T"}"#, "application/problem+json", true),
            (
                #"{"continuation_token":"T","x":"# + String(repeating: "[", count: 15)
                    + String(repeating: "]", count: 15)
                    + "}", "application/json", true
            ),
            (
                #"{"continuation_token":"T","x":"# + String(repeating: "[", count: 16)
                    + String(repeating: "]", count: 16)
                    + "}", "application/json", false
            ),
            (#"{"continuation_token":"T"}"# + String(repeating: " ", count: 1_048_576), "application/json", false),
            (#"{"continuation_token":"T"}"# + String(repeating: " ", count: 1_048_550), "application/json", true),
        ])
    func shapes(_ body: String, _ contentType: String, _ isRead: Bool) async throws {
        let (failure, count) = try await failure { request in
            guard request.url.path().hasSuffix("/start") else { throw ScriptedTransport.Unscripted() }
            return TransportResponse(
                status: 200, headers: ["Content-Type": contentType], body: Data(body.utf8))
        }
        // The parsed ID is used for the next request, whose answer is lost.
        #expect(kind(failure) == (isRead ? "indeterminate" : "unexpectedReply"))
        #expect(count == (isRead ? 2 : 1))
    }

    @Test("SDK-NET-3: 20 000 broken answers: a typed error or a step, never a crash")
    func fuzz() async throws {
        let seeds = [
            Stub.started.json, Stub.codeSent("T2").json, Stub.tokens().json, Stub.attributesRequired("T").json,
            Stub.credentialRequired.json,
        ].map { Array($0.utf8) }
        var state: UInt64 = 5
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let next = Mutex(TransportResponse(status: 200, body: Data()))
        try await withClient([]) {
            $0.transport = AnsweringTransport { _ in next.withLock { $0 } }
        } _: { client, _ in
            for _ in 0..<20_000 {
                var bytes = seeds[random(seeds.count)]
                for _ in 0...random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
                if random(4) == 0 { bytes.removeLast(random(bytes.count)) }
                let response = TransportResponse(status: [200, 400, 401, 429][random(4)], body: Data(bytes))
                next.withLock { $0 = response }
                do throws(NativeAuthError) {
                    _ = try await client.startSignUp(username: user)
                } catch {
                    #expect(["cancelled", "network", "indeterminate"].contains(kind(error)) == false)
                }
            }
        }
    }

    @Test("SDK-NET-5: codes, passwords and tokens travel in bodies only")
    func secretsInBodies() async throws {
        let secrets = ["hunter2-password", "87654321", "CT-one", "CT-two", "CT-nine", "RT-secret"]
        let script: [Stub] = [
            Stub(.signUpStart, 200, #"{"continuation_token":"CT-one"}"#), .codeSent("CT-two"), .created("CT-nine"),
            .tokens(refresh: "RT-secret"), .tokens(),
        ]
        try await withClient(script) { client, transport in
            let code = try await client.startSignUp(username: user, password: secrets[0])
            guard case .completed(let done) = try await code.submit(code: secrets[1]),
                case .completed(let account) = try await done.signIn()
            else { throw ScriptedTransport.Unscripted() }
            _ = try await account.accessToken(policy: .force)
            #expect(transport.requests.count == 5)
            for request in transport.requests {
                let seen = "\(request.url) \(request.headers)"
                for secret in secrets + [user] { #expect(!seen.contains(secret)) }
            }
            let bodies = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
            for secret in secrets { #expect(bodies.contains(secret)) }
        }
    }

    // MARK: Time limits

    @Test(
        "A call that hangs is given up: an interceptor after 30 s, and nothing is sent; a transport after 40 s",
        arguments: [("interceptor", 30), ("transport", 40)] as [(String, Int)])
    func hanging(_ place: String, _ seconds: Int) async throws {
        let limit = Duration.seconds(seconds)
        let stubborn = Stubborn()
        let sent = ScriptedTransport([])
        try await withClient([]) {
            if place == "interceptor" {
                $0.requestInterceptor = stubborn
                $0.transport = sent
            } else {
                $0.transport = stubborn
            }
            $0.wait = { duration in
                // Until the expected part hangs; the other limit is never reached.
                guard duration == limit else { return try await Task.sleep(for: .seconds(3600)) }
                await stubborn.arrival()
            }
        } _: { client, _ in
            let failure = try await error { () throws(NativeAuthError) in try await client.startSignUp(username: user) }
            #expect(kind(failure) == (place == "interceptor" ? "network" : "indeterminate"))
            #expect(failure.details.canRetry && sent.requests.isEmpty)
        }
        stubborn.release()
    }

    @Test("A refresh that hangs delays others for 90 s, and a caller that waited in vain passes no turn on")
    func impatience() async throws {
        let (ticks, tick) = AsyncStream<Void>.makeStream()
        let waits = Mutex<[Duration]>([])
        let turns = Turns { duration in
            waits.withLock { $0.append(duration) }
            for await _ in ticks { return }
        }
        let order = Order()
        let (hold, release) = AsyncStream<Void>.makeStream()
        let (starts, started) = AsyncStream<Void>.makeStream()
        let hanging = Task {
            await turns.one(of: "a") {
                started.yield()
                for await _ in hold { break }
                order.add("hanging")
            }
        }
        for await _ in starts { break }
        let impatient = Task { await turns.one(of: "a") { order.add("impatient") } }
        tick.yield()
        await impatient.value
        #expect(waits.withLock { $0 } == [.seconds(90)])
        // The turn still belongs to the first: others pass it only after their patience has ended.
        let next = Task { await turns.one(of: "a") { order.add("next") } }
        while waits.withLock({ $0.count }) < 2 { await Task.yield() }
        release.yield()
        await hanging.value
        await next.value
        #expect(order.names.withLock { $0 } == ["impatient", "hanging", "next"])
    }

    private final class Order: Sendable {
        let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    // MARK: Cancellation

    /// Waits forever, even when its task is cancelled.
    private final class Stubborn: HTTPTransport, RequestInterceptor {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let held = Mutex<[CheckedContinuation<Void, Never>]>([])

        private func wait() async {
            await withCheckedContinuation { continuation in
                held.withLock { $0.append(continuation) }
                arrivals.continuation.yield()
            }
        }

        func arrival() async {
            for await _ in arrivals.stream { return }
        }

        func release() {
            for one in held.withLock({ $0 }) { one.resume() }
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            await wait()
            return TransportResponse(status: 200, body: Data(Stub.started.json.utf8))
        }

        func additionalHeaders(for url: URL) async -> [String: String] {
            await wait()
            return [:]
        }
    }

    @Test(
        "SDK-CANCEL-1: a cancelled step returns within 100 ms though the app's transport or interceptor does not",
        arguments: ["transport", "interceptor"])
    func stubborn(_ place: String) async throws {
        let stubborn = Stubborn()
        try await withClient([]) {
            if place == "transport" { $0.transport = stubborn } else { $0.requestInterceptor = stubborn }
        } _: { client, transport in
            let step = Task { () async -> NativeAuthError? in
                do throws(NativeAuthError) {
                    _ = try await client.startSignUp(username: user)
                    return nil
                } catch {
                    return error
                }
            }
            await stubborn.arrival()
            step.cancel()
            // The transport still hangs.
            let failure = try #require(await step.value)
            #expect(kind(failure) == "cancelled")
            stubborn.release()
            // Nothing is sent afterwards either.
            for _ in 0..<100 { await Task.yield() }
            #expect(transport.requests.isEmpty)
        }
    }

    @Test("SDK-CANCEL-1: cancelled at 1 000 points, a sign-in is whole or has left nothing")
    func points() async throws {
        let whole = Mutex(0)
        let cancelled = Mutex(0)
        for point in 0..<1000 {
            let transport = ScriptedTransport(signedUp + [.tokens()])
            try await withClient([]) {
                $0.transport = AnsweringTransport { request in
                    for _ in 0..<5 { await Task.yield() }
                    return try await transport.send(request)
                }
            } _: { client, _ in
                let task = Task { try await signIn(client) }
                for _ in 0..<(point % 100) { await Task.yield() }
                task.cancel()
                switch await task.result {
                case .success:
                    whole.withLock { $0 += 1 }
                    #expect(client.accounts().count == 1)
                case .failure(let error):
                    cancelled.withLock { $0 += 1 }
                    #expect((error as? NativeAuthError).map(kind) == "cancelled")
                    #expect(client.accounts().isEmpty)
                }
            }
        }
        #expect(cancelled.withLock { $0 } > 0)
        #expect(whole.withLock { $0 } + cancelled.withLock { $0 } == 1000)
    }

    @Test("SDK-CANCEL-1: a refresh that all callers left keeps the old token until its answer is stored")
    func abandonedRenewal() async throws {
        let cache = InMemoryTokenCache()
        try await withClient(signedUp + [.session("alice", access: "AT1", refresh: "RT1")]) {
            $0.tokenCache = cache
        } _: { client, _ in
            _ = try await signIn(client)
        }
        let script = ScriptedTransport([
            .session("alice", access: "AT2", refresh: "RT2"), .session("alice", access: "AT3", scope: "a openid"),
        ])
        let gate = RequestGate(script)
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = gate
        } _: { client, _ in
            let account = try #require(client.currentAccount())
            let caller = Task { try await account.accessToken(policy: .force) }
            await gate.arrival()
            caller.cancel()
            await #expect(throws: TokenError.self) { try await caller.value }
            #expect(try await account.accessToken().refreshToken == "RT1")
            await gate.open()
            // Waits for the running refresh, and then needs another one.
            #expect(try await account.accessToken(scopes: ["a"]).value == "AT3")
            #expect(try script.form(1)["refresh_token"] == "RT2")
        }
    }
}

@Suite("URLSession settings")
struct URLSessionSettingsTests {
    @Test("SDK-NET-2: a session of its own: no cookies, no cache, no stored credentials, 30 s")
    func session() {
        let configuration = URLSessionTransport.sessionConfiguration
        #expect(configuration.urlCache == nil)
        #expect(configuration.urlCredentialStorage == nil)
        #expect(configuration.httpCookieStorage == nil)
        #expect(!configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieAcceptPolicy == .never)
        #expect(configuration.requestCachePolicy == .reloadIgnoringLocalCacheData)
        #expect(configuration.timeoutIntervalForRequest == 30)
        #expect(configuration.timeoutIntervalForResource == 30)
    }

    @Test("SDK-NET-2: a server that takes no connection is given up")
    func connectTimeout() async throws {
        try await withFullLoopbackServer { port in
            let transport = URLSessionTransport(connectTimeout: .milliseconds(50))
            await #expect(throws: TransportError.connectTimedOut) { try await transport.send(request(port)) }
        }
    }

    @Test("SDK-NET-2: so is each of many, whenever it began, beside one that is answered")
    func connectTimeoutOfMany() async throws {
        let transport = URLSessionTransport(connectTimeout: .milliseconds(50))
        try await withLoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { open, _ in
            try await withFullLoopbackServer { full in
                for _ in 0..<2 {
                    // The watch has begun with another request, or has ended since.
                    #expect(try await transport.send(request(open)).status == 200)
                    await withTaskGroup { group in
                        for number in 0..<5 {
                            group.addTask {
                                try? await Task.sleep(for: .milliseconds(10 * number))
                                await #expect(throws: TransportError.connectTimedOut) {
                                    try await transport.send(request(full))
                                }
                            }
                        }
                    }
                    try await untilNothingWatches(transport)
                }
            }
        }
    }

    @Test("SDK-NET-2: a server that takes the request and does not answer is given up")
    func timeout() async throws {
        let transport = URLSessionTransport(connectTimeout: .milliseconds(20), timeout: .milliseconds(100))
        try await withLoopbackServer("") { port, _ in
            let failure = await #expect(throws: URLError.self) { try await transport.send(request(port)) }
            #expect(failure?.code == .timedOut)
            try await untilNothingWatches(transport)
        }
    }

    @Test("SDK-NET-2: a connection has its own limit beside a request that waits longer")
    func connectTimeoutBesideALongWait() async throws {
        let transport = URLSessionTransport(connectTimeout: .milliseconds(100), timeout: .seconds(20))
        try await withLoopbackServer("") { silent, received in
            try await withFullLoopbackServer { full in
                let waiting = Task { [request = try request(silent)] in try await transport.send(request) }
                _ = await received()
                // By now the watch has checked that one, and waits for the end of its time.
                try await Task.sleep(for: .milliseconds(250))
                await #expect(throws: TransportError.connectTimedOut) { try await transport.send(request(full)) }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
        }
    }

    @Test("SDK-NET-2: nothing waits for the end of a time limit once the requests are over")
    func noTimerIsLeftBehind() async throws {
        let transport = URLSessionTransport(connectTimeout: .milliseconds(50))
        #expect(!transport.isWatching)
        try await withLoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { port, _ in
            for _ in 0..<3 { _ = try await transport.send(request(port)) }
        }
        try await untilNothingWatches(transport)
        try await withLoopbackServer("") { port, received in
            let request = try request(port)
            let task = Task { try await transport.send(request) }
            _ = await received()
            #expect(transport.isWatching)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await untilNothingWatches(transport)
        }
    }

    @Test("SDK-CANCEL-1, SDK-RETRY-2: a step by the network ends when it is cancelled, and when its time is over")
    func stepsByTheNetwork() async throws {
        try await withLoopbackServer("") { port, received in
            let silent = try Authority(url: try #require(URL(string: "http://127.0.0.1:\(port)/contoso")))
            func error(_ task: Task<Void, any Error>) async throws -> NativeAuthError {
                try #require(await #expect(throws: NativeAuthError.self) { try await task.value })
            }
            try await withClient([]) {
                $0.authority = silent
                $0.transport = URLSessionTransport()
            } _: { client, _ in
                let step = Task { _ = try await client.startSignUp(username: "dahlia@example.com") }
                _ = await received()
                step.cancel()
                // The server never answers, and the time limit is another error.
                let failure = try await error(step)
                #expect(kind(failure) == "cancelled")
            }
            try await withClient([]) {
                $0.authority = silent
                $0.transport = URLSessionTransport(connectTimeout: .milliseconds(20), timeout: .milliseconds(100))
            } _: { client, _ in
                let step = Task { _ = try await client.startSignUp(username: "dahlia@example.com") }
                let failure = try await error(step)
                #expect(kind(failure) == "indeterminate")
            }
        }
    }

    private func request(_ port: Int) throws -> TransportRequest {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        return TransportRequest(method: "POST", url: url, headers: [:], body: Data("a=b".utf8))
    }

    private func untilNothingWatches(_ transport: URLSessionTransport) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while transport.isWatching {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Runs `body` with the port of a listening socket that accepts no more connections: its queue is full.
private func withFullLoopbackServer(_ body: (Int) async throws -> Void) async throws {
    #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
    #else
        let stream = SOCK_STREAM
    #endif
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    func makeSocket() -> Int32 {
        let made = socket(AF_INET, stream, 0)
        sockets.append(made)
        return made
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = makeSocket()
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(listener, address, size) == 0 && listen(listener, 0) == 0 && getsockname(listener, address, &size) == 0
        }
    }
    try #require(isListening)
    for _ in 0..<4 {
        let waiting = makeSocket()
        _ = fcntl(waiting, F_SETFL, O_NONBLOCK)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(waiting, address, size)
            }
        }
    }
    try await body(Int(UInt16(bigEndian: address.sin_port)))
}

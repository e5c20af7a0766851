import HTTPTypes
import Hummingbird
import HummingbirdCore
import IdentityEngine
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NativeAuthTesting
import NativeAuthWire
import Testing

@testable import IdentityHTTP

@Suite("Overload, and the end")
struct OverloadTests {
    private static let start = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
    private static let form =
        "client_id=00001111-aaaa-2222-bbbb-3333cccc4444&username=ada%40example.com&challenge_type=oob+redirect"

    /// Counts how often a listener is asked for more connections.
    private final class AskedConnections: ChannelOutboundHandler {
        typealias OutboundIn = Never
        private(set) var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    /// What a busy task does: it asks for nothing.
    private final class BusyTask: ChannelDuplexHandler {
        typealias InboundIn = any Channel
        typealias OutboundIn = Never

        func read(context: ChannelHandlerContext) {}
    }

    @Test("REL-OVR-1: a listener takes what has come without waiting for a task, up to the most connections")
    func connectionsAreAcceptedPromptly() throws {
        let (asked, listener) = (AskedConnections(), EmbeddedChannel())
        let pipeline = listener.pipeline.syncOperations
        try pipeline.addHandlers([asked, AvailableConnectionsChannelHandler(maxConnections: 2), BusyTask()])
        listener.pipeline.fireChannelReadComplete()
        #expect(asked.count == 0, "without it nothing more is taken")
        try PromptAccept.add(to: pipeline)
        let clients = [EmbeddedChannel(), EmbeddedChannel()]
        for (number, client) in clients.enumerated() {
            listener.pipeline.fireChannelRead(client as any Channel)
            listener.pipeline.fireChannelReadComplete()
            #expect(asked.count == 1, "the second is the last: \(number)")
        }
        _ = try clients[0].finish()
        (clients[0].eventLoop as? EmbeddedEventLoop)?.run()
        listener.embeddedEventLoop.run()
        #expect(asked.count == 2, "one has gone, so another one may come")
    }

    @Test("REL-OVR-1: as many steps as may are worked on; one more is refused at once, and comes in when one has ended")
    func oneMoreIsRefused() async throws {
        let admission = StepAdmission(limit: 2)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (entries, entered) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = admission {
            entered.yield()
            for await _ in gate { break }
        }
        async let second: Void = admission {
            entered.yield()
            for await _ in gate { break }
        }
        var arrivals = entries.makeAsyncIterator()
        await arrivals.next()
        await arrivals.next()
        await #expect(throws: EngineError.self) { try await admission {} }
        opener.finish()
        try await first
        try await second
        try await admission {}
    }

    @Test(
        "REL-OVR-2, REL-OVR-3: without room a step gets 503 with Retry-After; cheap requests are still answered")
    func withoutRoom() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, AccessPolicy(admission: StepAdmission(limit: 0)))
            for _ in 0..<20 {
                let refused = try await outside.post(Self.start, form: Self.form)
                #expect(refused.status == .serviceUnavailable)
                let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
                #expect((1...3).contains(seconds))
            }
            #expect(try await outside.post(Self.start).status == .badRequest)
            #expect(try await outside.get("/livez").status == .ok)
            #expect(try await outside.get("/contoso/v2.0/.well-known/openid-configuration").status == .ok)
            let roomy = try Outside(server, AccessPolicy(admission: StepAdmission(limit: 1)))
            #expect(try await roomy.post(Self.start, form: Self.form).status == .ok)
        }
    }

    @Test("REL-OVR-1: newcomers are refused before those who have begun")
    func newcomersAreRefusedFirst() async throws {
        try await withIdentityServer { server in
            let full = try Outside(server, AccessPolicy(admission: StepAdmission(newcomers: 0)))
            let client = "client_id=00001111-aaaa-2222-bbbb-3333cccc4444"
            var refused: Set<V1Endpoint> = []
            for endpoint in V1Endpoint.allCases {
                let path = "/contoso/\(endpoint.rawValue)"
                let answer = try await full.post(
                    path, form: "\(client)&continuation_token=x&grant_type=oob&oob=12345678")
                if answer.status == .serviceUnavailable {
                    refused.insert(endpoint)
                } else {
                    // Read, and found to be wrong.
                    #expect(answer.status == .badRequest)
                }
            }
            #expect(refused == [.signUpStart, .signInInitiate, .resetPasswordStart])
        }
    }

    /// A connection as the listener makes it, behind the reading of HTTP.
    private func gated(
        _ routes: IdentityRoutes, newcomers: Int, isHTTPSOnly: Bool = false
    ) throws -> EmbeddedChannel {
        try gated(routes, StepAdmission(newcomers: newcomers), isHTTPSOnly: isHTTPSOnly)
    }

    private func gated(
        _ routes: IdentityRoutes, _ admission: StepAdmission, isHTTPSOnly: Bool = false
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            OverloadAdmission(admission, guardian: routes.guardian, isHTTPSOnly: isHTTPSOnly, logger: quiet))
        return channel
    }

    /// The parts of a request.
    private func request(_ body: String = Self.form) -> [HTTPServerRequestPart] {
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: Self.start)
        return [.head(head), .body(ByteBuffer(string: body)), .end(nil)]
    }

    private func send(
        _ channel: EmbeddedChannel, _ path: String, method: HTTPMethod = .POST, headers: HTTPHeaders = [:],
        body: String = Self.form
    ) throws {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body)))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// The answer that the connection itself gave.
    private func answer(_ channel: EmbeddedChannel) throws -> (head: HTTPResponseHead, body: ByteBuffer)? {
        var head: HTTPResponseHead?
        var body = ByteBuffer()
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let fields): head = fields
            case .body(.byteBuffer(let bytes)): body.writeImmutableBuffer(bytes)
            case .body(.fileRegion): Issue.record("a file")
            case .end: return head.map { ($0, body) }
            }
        }
        return nil
    }

    /// The number of request parts that were passed on to the server.
    private func passed(_ channel: EmbeddedChannel) throws -> Int {
        var count = 0
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { count += 1 }
        return count
    }

    @Test(
        "REL-OVR-1: without room a newcomer is refused where it arrives, in the words of the long way",
        arguments: [false, true])
    func theGateRefuses(_ isHTTPSOnly: Bool) async throws {
        try await withIdentityServer { server in
            let policy = AccessPolicy(isHTTPSOnly: isHTTPSOnly, admission: StepAdmission(newcomers: 0))
            let outside = try Outside(server, policy)
            let channel = try gated(outside.routes, newcomers: 0, isHTTPSOnly: isHTTPSOnly)
            let correlation = "e8b1f0a4-6d0c-4b5e-9f3a-0123456789ab"
            try send(channel, Self.start + "?x=1", headers: [WireHeader.clientRequestID: correlation])
            let (head, body) = try #require(try answer(channel))
            #expect(try passed(channel) == 0)
            let long = try await outside.post(Self.start, form: Self.form)
            #expect(head.status.code == long.status.code)
            #expect(
                Set(head.headers.map { $0.name.lowercased() })
                    == Set(long.headers.map(\.name.canonicalName)).union(["content-length"]))
            #expect(head.headers["content-length"] == ["\(body.readableBytes)"])
            #expect(
                head.headers["strict-transport-security"] == long.headers[values: .strictTransportSecurity])
            #expect(head.headers[WireHeader.requestID] == [correlation])
            let seconds = try #require(head.headers.first(name: "retry-after").flatMap { Int($0) })
            #expect((1...3).contains(seconds))
            #expect(String(buffer: body).contains(#""error":"temporarily_unavailable""#))
            // The connection continues, and flows that have begun pass.
            for endpoint in V1Endpoint.allCases where !endpoint.beginsFlow {
                let fresh = try gated(outside.routes, newcomers: 0)
                try send(fresh, "/contoso/\(endpoint.rawValue)")
                #expect(try passed(fresh) == 3)
            }
            try send(channel, Self.start)
            #expect(try answer(channel)?.head.status == .serviceUnavailable)
        }
    }

    @Test(
        "REL-OVR-1: the gate is open while there is room, to other methods and paths, and behind what is not answered yet"
    )
    func theGateLetsThrough() async throws {
        try await withIdentityServer { server in
            let routes = try Outside(server).routes
            let roomy = try gated(routes, newcomers: 1)
            try send(roomy, Self.start)
            #expect(try passed(roomy) == 3)

            let full = try gated(routes, newcomers: 0)
            try send(full, Self.start, method: .GET)
            #expect(try passed(full) == 3)
            // Its answer must come first.
            try send(full, Self.start)
            #expect(try passed(full) == 3)
            for _ in 0..<2 {
                try full.writeOutbound(
                    HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
                try full.writeOutbound(HTTPServerResponsePart.end(nil))
                _ = try answer(full)
            }
            try send(full, Self.start)
            #expect(try passed(full) == 0)
            #expect(try answer(full)?.head.status == .serviceUnavailable)
        }
    }

    @Test(
        "REL-OVR-1: of those who arrive at once as many are let in as there is room for, and others when these have left"
    )
    func theGateCountsArrivals() async throws {
        try await withIdentityServer { server in
            let routes = try Outside(server).routes
            let admission = StepAdmission(newcomers: 2)
            func arrives(on channel: EmbeddedChannel? = nil) throws -> EmbeddedChannel? {
                let channel = try channel ?? gated(routes, admission)
                channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
                try send(channel, Self.start)
                return try passed(channel) == 3 ? channel : nil
            }
            let first = try #require(try arrives())
            let second = try #require(try arrives())
            #expect(try arrives() == nil)
            // One gets its answer, and may send another request on its connection; the other hangs up.
            try first.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
            #expect(try arrives() == nil)
            try first.writeOutbound(HTTPServerResponsePart.end(nil))
            let third = try #require(try arrives(on: first))
            #expect(try arrives() == nil)
            second.close(promise: nil)
            second.embeddedEventLoop.run()
            #expect(try arrives() != nil)
            #expect(try arrives() == nil)
            // While it waits for a password hash, a newcomer takes no place from others.
            let isLetIn = try await admission(isHashing: true, beginsFlow: true) { try arrives() != nil }
            #expect(isLetIn)
            // A later step is not a newcomer.
            let isRefused = try await admission(isHashing: true) { try arrives() == nil }
            #expect(isRefused)
            // A connection that ends twice leaves once.
            try third.writeOutbound(HTTPServerResponsePart.end(nil))
            third.close(promise: nil)
            third.embeddedEventLoop.run()
            #expect(try arrives() == nil)
        }
    }

    @Test("REL-OVR-1: a newcomer whose request has not come to its end takes no place")
    func aHalfRequestTakesNoPlace() async throws {
        try await withIdentityServer { server in
            let routes = try Outside(server).routes
            let admission = StepAdmission(newcomers: 1)
            let slow = try gated(routes, admission)
            let parts = request()
            func writeAllButTheEnd() throws {
                try slow.writeInbound(parts[0])
                for byte in Self.form.utf8 {
                    try slow.writeInbound(HTTPServerRequestPart.body(ByteBuffer(bytes: [byte])))
                }
                #expect(try passed(slow) == 0)
            }
            try writeAllButTheEnd()
            let quick = try gated(routes, admission)
            try send(quick, Self.start)
            #expect(try passed(quick) == 3)
            // Now it is its turn, and there is no place.
            try slow.writeInbound(parts[2])
            #expect(try answer(slow)?.head.status == .serviceUnavailable)
            try quick.writeOutbound(HTTPServerResponsePart.end(nil))
            // What cannot be read to its end gets the router's answer.
            let broken = try gated(routes, admission)
            try broken.writeInbound(parts[0])
            broken.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
            #expect(try passed(broken) == 1)
            #expect(throws: HTTPParserError.self) { try broken.throwIfErrorCaught() }
            // Another one has its turn, and goes on in one piece.
            try writeAllButTheEnd()
            try slow.writeInbound(parts[2])
            for part in parts { #expect(try slow.readInbound() == part) }
        }
    }

    @Test("REL-OVR-1: of several newcomers that one read brings, one is refused, and the connection ends")
    func severalAtOnce() async throws {
        try await withIdentityServer { server in
            let channel = try gated(try Outside(server).routes, newcomers: 0)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            for part in request() { channel.pipeline.fireChannelRead(part) }
            #expect(try answer(channel)?.head.status == .serviceUnavailable)
            channel.pipeline.fireChannelReadComplete()
            for part in request() { channel.pipeline.fireChannelRead(part) }
            #expect(try answer(channel)?.head.status == .serviceUnavailable)
            #expect(channel.isActive)
            for part in request() { channel.pipeline.fireChannelRead(part) }
            #expect(try answer(channel) == nil && !channel.isActive)
        }
    }

    @Test(
        "REL-OVR-1, SEC-NET-5: the gate keeps no endless body, keeps no answers that no client reads, and closes when it was asked to"
    )
    func theGateCloses() async throws {
        try await withIdentityServer { server in
            let routes = try Outside(server).routes
            let endless = try gated(routes, newcomers: 0)
            endless.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            try send(endless, Self.start, body: String(repeating: "x", count: 64 * 1024))
            #expect(try passed(endless) == 0 && endless.isActive)
            let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: Self.start)
            try endless.writeInbound(HTTPServerRequestPart.head(head))
            for _ in 0..<3 {
                try endless.writeInbound(
                    HTTPServerRequestPart.body(ByteBuffer(repeating: 0, count: 40 * 1024)))
            }
            #expect(try passed(endless) == 3, "the router refuses it")

            let deaf = try gated(routes, newcomers: 0)
            deaf.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            deaf.isWritable = false
            try send(deaf, Self.start)
            #expect(try answer(deaf) == nil && !deaf.isActive)

            let last = try gated(routes, newcomers: 0)
            last.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            try send(last, Self.start, headers: ["connection": "close"])
            #expect(try answer(last)?.head.headers["connection"] == ["close"])
            #expect(!last.isActive)
        }
    }

    @Test("REL-OVR-1: refusals are logged at most once in ten seconds")
    func refusalsAreToldOnce() {
        let admission = StepAdmission()
        #expect(admission.countRefusal())
        #expect(!admission.countRefusal())
    }

    @Test("REL-OVR-1: a source that fills the queue for hashes shuts out no new source", arguments: [true, false])
    func hashesDoNotShutOutNewcomers(_ isHashing: Bool) async throws {
        let admission = StepAdmission(newcomers: 1)
        try await admission(isHashing: isHashing) { #expect(admission.hasRoomForNewcomers == isHashing) }
        #expect(admission.hasRoomForNewcomers)
    }

    @Test("SEC-RATE-11: a listed network has no limit on requests, but one on wrong guesses; no other network gains")
    func aListedNetwork() async throws {
        try await withIdentityServer { server in
            let limits = SourceLimits()
            let outside = try Outside(
                server, AccessPolicy(limits: limits, unlimitedNetworks: try NetworkList("192.0.2.0/24, 2001:db8::/32")))
            for (source, accepted) in [("192.0.2.77", 100), ("2001:db8::1", 100), ("198.51.100.1", 30)] {
                var count = 0
                for _ in 0..<100 where try await outside.post(Self.start, from: source).status == .badRequest {
                    count += 1
                }
                #expect(count == accepted, "\(source)")
            }
            let address = SourceAddress(try #require(IPAddress("192.0.2.77")))
            for _ in 0..<30 { limits.record(wrong: .code, from: address, now: server.clock.now) }
            let guess =
                "client_id=00001111-aaaa-2222-bbbb-3333cccc4444&continuation_token=x&grant_type=oob&oob=12345678"
            let path = "/contoso/\(V1Endpoint.signUpContinue.rawValue)"
            #expect(try await outside.post(path, from: "192.0.2.77", form: guess).status == .tooManyRequests)
        }
    }

    // MARK: Connections

    private func connect(_ address: String, _ connections: ConnectionsPerSource) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 40_000)
        try channel.pipeline.syncOperations.addHandler(connections.handler())
        return channel
    }

    private func guardian() throws -> RequestGuard {
        try Outside(IdentityTestServer(seed: 1, start: IdentityTestServer.start)).routes.guardian
    }

    @Test("SEC-NET-6: a source may have 100 connections; one more is closed, and accepted when another has ended")
    func connectionsPerSource() throws {
        let policy = AccessPolicy(
            trustedProxies: TrustedProxies(try NetworkList("127.0.0.1")), limits: SourceLimits(),
            unlimitedNetworks: try NetworkList("203.0.113.0/24"))
        let connections = try #require(ConnectionsPerSource(within: policy, guardian: guardian()))
        let channels = try (0..<100).map { _ in try connect("192.0.2.1", connections) }
        #expect(channels.count { $0.isActive } == 100)
        #expect(try !connect("192.0.2.1", connections).isActive)
        #expect(try connect("192.0.2.2", connections).isActive)
        for exempt in ["127.0.0.1", "203.0.113.9"] {
            #expect(try (0..<150).allSatisfy { _ in try connect(exempt, connections).isActive })
        }
        // All addresses of a /64 are one.
        #expect(try (0..<150).count { try connect("2001:db8::\($0)", connections).isActive } == 100)
        try channels[0].close().wait()
        channels[0].embeddedEventLoop.run()
        #expect(try connect("192.0.2.1", connections).isActive)
        #expect(try ConnectionsPerSource(within: AccessPolicy(), guardian: guardian()) == nil)
    }

    @Test("SEC-NET-6: proxies have a limit of connections; over one more only health checks are answered")
    func connectionsOfProxies() throws {
        let policy = AccessPolicy(
            trustedProxies: TrustedProxies(try NetworkList("127.0.0.1")), isHTTPSOnly: true, limits: SourceLimits(),
            unlimitedNetworks: try NetworkList("203.0.113.0/24"))
        let connections = try #require(
            ConnectionsPerSource(within: policy, guardian: guardian(), sharedLimit: 3))
        func head(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequestPart {
            .head(HTTPRequest(method: method, scheme: "http", authority: "identity.test", path: path))
        }
        let first = try ["127.0.0.1", "127.0.0.1", "203.0.113.9"].map { try connect($0, connections) }
        for channel in first {
            try channel.writeInbound(head(.post, Self.start))
            #expect(try channel.readInbound(as: HTTPRequestPart.self) != nil)
        }
        // A request with half a body gets its answer before the body ends.
        let late = try connect("127.0.0.1", connections)
        #expect(late.isActive)
        try late.writeInbound(head(.post, Self.start))
        guard case .head(let refused)? = try late.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no answer")
            return
        }
        #expect(refused.status == .serviceUnavailable)
        #expect(refused.headerFields[.retryAfter] != nil)
        #expect(refused.headerFields[.strictTransportSecurity] == "max-age=31536000")
        #expect(try late.readInbound(as: HTTPRequestPart.self) == nil)
        late.embeddedEventLoop.run()
        #expect(!late.isActive)
        for check in ["/livez", "/readyz?node=1"] {
            let channel = try connect("127.0.0.1", connections)
            try channel.writeInbound(head(.get, check))
            #expect(try channel.readInbound(as: HTTPRequestPart.self) != nil, "\(check)")
            // The connection does not stay open either.
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            #expect(!channel.isActive)
        }
        // Other sources have their own count, and a freed place can be used again.
        #expect(try connect("192.0.2.1", connections).isActive)
        try first[0].close().wait()
        first[0].embeddedEventLoop.run()
        let next = try connect("127.0.0.1", connections)
        try next.writeInbound(head(.post, Self.start))
        #expect(try next.readInbound(as: HTTPRequestPart.self) != nil)
    }

    // MARK: A pause

    @Test("REL-HA-5: a node that was stopped for five seconds does for one second nothing of what waited for it")
    func aPause() async throws {
        try await withIdentityServer { server in
            let readiness = Readiness(flows: server.engine.ports.flows)
            let outside = try Outside(server, readiness: readiness)
            let begin = ContinuousClock.now
            // Without a heartbeat, no pause is detected.
            #expect(!readiness.isBackFromPause(at: begin))
            #expect(!readiness.isBackFromPause(at: begin + .seconds(60)))
            readiness.beat(at: begin)
            #expect(!readiness.isBackFromPause(at: begin + .milliseconds(4_999)))
            // A request or the next heartbeat detects the pause first.
            #expect(readiness.isBackFromPause(at: begin + .seconds(10)))
            #expect(readiness.isBackFromPause(at: begin + .milliseconds(10_999)))
            #expect(!readiness.isBackFromPause(at: begin + .seconds(11)))
            readiness.beat(at: begin + .seconds(20))
            #expect(readiness.isBackFromPause(at: begin + .milliseconds(20_500)))
            #expect(!readiness.isBackFromPause(at: begin + .milliseconds(21_001)))

            readiness.endBeating()
            readiness.beat(at: .now - .seconds(6))
            let refused = try await outside.post(Self.start, form: Self.form)
            #expect(refused.status == .serviceUnavailable && refused.headers[.retryAfter] != nil)
            #expect(try await outside.get("/readyz").status == .ok)
            readiness.endBeating()
            #expect(try await outside.post(Self.start, form: Self.form).status == .ok)
        }
    }

    // MARK: The end

    @Test("REL-SHUT-1: a node that drains is not ready, does what it is asked, and asks to be left")
    func draining() async throws {
        try await withIdentityServer { server in
            let readiness = Readiness(flows: server.engine.ports.flows)
            let outside = try Outside(server, readiness: readiness)
            #expect(try await outside.get("/readyz").status == .ok)
            #expect(try await outside.post(Self.start, form: Self.form).headers[.connection] == nil)
            readiness.drain()
            #expect(try await outside.get("/readyz").status == .serviceUnavailable)
            #expect(try await outside.get("/livez").status == .ok)
            let answer = try await outside.post(Self.start, form: Self.form)
            #expect(answer.status == .ok)
            #expect(answer.headers[.connection] == "close")
        }
    }
}

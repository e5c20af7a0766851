import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NIOEmbedded
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

    @Test("REL-OVR-1: as many steps as may are worked on; one more is refused at once, and comes in when one has ended")
    func oneMoreIsRefused() async throws {
        let admission = Admission(limit: 2)
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
        "REL-OVR-2, REL-OVR-3: without room a step gets 503 and when to come back, and all that costs nothing goes on")
    func withoutRoom() async throws {
        try await withIdentityServer { server in
            let outside = try Outside(server, Perimeter(admission: Admission(limit: 0)))
            for _ in 0..<20 {
                let refused = try await outside.post(Self.start, form: Self.form)
                #expect(refused.status == .serviceUnavailable)
                let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
                #expect((1...3).contains(seconds))
            }
            #expect(try await outside.post(Self.start).status == .badRequest)
            #expect(try await outside.get("/livez").status == .ok)
            #expect(try await outside.get("/contoso/v2.0/.well-known/openid-configuration").status == .ok)
            let roomy = try Outside(server, Perimeter(admission: Admission(limit: 1)))
            #expect(try await roomy.post(Self.start, form: Self.form).status == .ok)
        }
    }

    @Test("REL-OVR-1: newcomers are refused before those who have begun")
    func newcomersAreRefusedFirst() async throws {
        try await withIdentityServer { server in
            let full = try Outside(server, Perimeter(admission: Admission(newcomers: 0)))
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

    @Test("REL-OVR-1: whoever fills the queue for hashes does not shut out newcomers", arguments: [true, false])
    func hashesDoNotShutOutNewcomers(_ isHashing: Bool) async throws {
        let admission = Admission(newcomers: 1)
        try await admission(isHashing: isHashing) { #expect(admission.hasRoomForNewcomers == isHashing) }
        #expect(admission.hasRoomForNewcomers)
    }

    @Test("SEC-RATE-11: a listed network has no limit on requests, but one on wrong guesses; nobody else gains")
    func aListedNetwork() async throws {
        try await withIdentityServer { server in
            let limits = SourceLimits()
            let outside = try Outside(
                server, Perimeter(limits: limits, unlimitedNetworks: try NetworkList("192.0.2.0/24, 2001:db8::/32")))
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

    @Test("SEC-NET-6: a source may hold 100 connections; one more is closed, and let in when another has ended")
    func connectionsPerSource() throws {
        let perimeter = Perimeter(
            trustedProxies: TrustedProxies(try NetworkList("127.0.0.1")), limits: SourceLimits(),
            unlimitedNetworks: try NetworkList("203.0.113.0/24"))
        let connections = try #require(ConnectionsPerSource(within: perimeter))
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
        #expect(ConnectionsPerSource(within: Perimeter()) == nil)
    }

    // MARK: A pause

    @Test("REL-HA-5: a node that was stopped for five seconds does for one second nothing of what waited for it")
    func aPause() async throws {
        try await withIdentityServer { server in
            let readiness = Readiness(flows: server.engine.ports.flows)
            let outside = try Outside(server, readiness: readiness)
            let begin = ContinuousClock.now
            // Nobody beats: no pause is noticed.
            #expect(!readiness.isBackFromPause(at: begin))
            #expect(!readiness.isBackFromPause(at: begin + .seconds(60)))
            readiness.beat(at: begin)
            #expect(!readiness.isBackFromPause(at: begin + .milliseconds(4_999)))
            // The first to notice is a request, or the next beat.
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

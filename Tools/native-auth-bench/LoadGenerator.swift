import Histogram
import NIOCore
import NIOHTTP1
import NIOPosix

/// A sequence of requests of one simulated user, each made from the reply before.
protocol Journey {
    /// The next request; nil when the journey is over.
    ///
    /// - Parameter reply: The reply to the request before; nil at the beginning.
    /// - Throws: ``JourneyFailure`` when the reply is not the one that the journey needs.
    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest?
}

/// A reply that ends a journey too early.
struct JourneyFailure: Error {
    let text: String
}

/// The load on a server.
enum Load: Sendable, Hashable {
    /// This many connections, each of which begins a new journey when the last one ends: the server's highest
    /// throughput.
    case closed(connections: Int)
    /// This many journeys a second, begun at fixed times regardless of the server (open loop).
    case open(perSecond: Double)
}

/// The result of a load.
struct Measurement: Sendable {
    /// Microseconds by step, from the time when a request was due to the end of its reply. A first request is due when
    /// its journey is, so that the delay of a stalled server counts for every journey that waited; other requests are
    /// due when the previous reply arrived.
    var latencies: [String: Histogram<UInt32>] = [:]
    var seconds = 0.0
    var requests = 0
    var journeys = 0
    /// Journeys that ended with an unexpected reply.
    var failures = 0
    /// Replies 429 and 503, in microseconds from the time when the request was sent.
    var shed = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
    /// One of the failures, as text.
    var example: String?

    var requestsPerSecond: Double { seconds > 0 ? Double(requests) / seconds : 0 }
    var journeysPerSecond: Double { seconds > 0 ? Double(journeys) / seconds : 0 }

    /// The percentile over all steps, in milliseconds.
    func milliseconds(atPercentile percentile: Double) -> Double {
        var all = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
        for histogram in latencies.values { all.add(histogram) }
        return Double(all.valueAtPercentile(percentile)) / 1000
    }
}

/// Sends loads to one server from one thread. Its state is used only on its event loop.
final class LoadGenerator {
    /// The largest number of connections of a load: more than the server works on at once, so that it must refuse some.
    static let mostConnections = 2_000

    private let loop: any EventLoop
    private let host: String
    private let port: Int
    private let makeJourney: () -> any Journey
    private var measurement = Measurement()
    private var idle: [LoadConnection] = []
    private var connecting = 0
    private var open = 0
    /// Journeys that are due and have no connection yet, oldest first.
    private var waiting = CircularBuffer<(journey: any Journey, due: NIODeadline)>()
    /// Whether the end of a journey begins the next one.
    private var isClosedLoop = false
    private var underway = 0
    private var isOver = false
    private var counts = false
    private var end: EventLoopPromise<Measurement>?

    private init(_ loop: any EventLoop, host: String, port: Int, makeJourney: @escaping () -> any Journey) {
        self.loop = loop
        self.host = host
        self.port = port
        self.makeJourney = makeJourney
    }

    /// Sends `load` to the server at `port` of this machine, for `warmUp` seconds that do not count and `seconds` that
    /// do.
    static func run(
        _ load: Load, port: Int, warmUp: Double, seconds: Double, on group: any EventLoopGroup,
        makeJourney: @escaping @Sendable () -> any Journey
    ) async throws -> Measurement {
        let loop = group.next()
        return try await loop.flatSubmit {
            let promise = loop.makePromise(of: Measurement.self)
            LoadGenerator(loop, host: "127.0.0.1", port: port, makeJourney: makeJourney)
                .begin(load, warmUp: warmUp, seconds: seconds, promise)
            return promise.futureResult
        }.get()
    }

    private func begin(_ load: Load, warmUp: Double, seconds: Double, _ promise: EventLoopPromise<Measurement>) {
        end = promise
        let start = NIODeadline.now()
        let isolated = loop.assumeIsolated()
        isolated.scheduleTask(deadline: start + interval(warmUp)) { [self] in counts = true }
        isolated.scheduleTask(deadline: start + interval(warmUp + seconds)) { [self] in
            counts = false
            isOver = true
            measurement.seconds = seconds
            waiting.removeAll()
            finishIfDone()
            // Do not wait for hanging requests.
            isolated.scheduleTask(in: .seconds(10)) { [self] in finish() }
        }
        switch load {
        case .closed(let connections):
            isClosedLoop = true
            for _ in 0..<connections { begin(makeJourney(), due: start) }
        case .open(let perSecond): tick(start, begun: 0, perSecond)
        }
    }

    /// Begins all due journeys, and runs again a millisecond later.
    private func tick(_ start: NIODeadline, begun: Int, _ perSecond: Double) {
        guard !isOver else { return }
        let elapsed = Double((NIODeadline.now() - start).nanoseconds) / 1e9
        let wanted = Int(elapsed * perSecond) + 1
        for number in begun..<max(begun, wanted) {
            begin(makeJourney(), due: start + interval(Double(number) / perSecond))
        }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [self] in
            tick(start, begun: max(begun, wanted), perSecond)
        }
    }

    private func begin(_ journey: any Journey, due: NIODeadline) {
        while let connection = idle.popLast() {
            guard connection.isOpen else {
                open -= 1
                continue
            }
            underway += 1
            return go(journey, after: nil, due: due, on: connection)
        }
        waiting.append((journey, due))
        if open + connecting < Self.mostConnections { connect() }
    }

    private func connect() {
        connecting += 1
        let host = "\(host):\(port)"
        let future = ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(host: host))
                }
            }
            .connect(host: self.host, port: port)
            .flatMapThrowing { try $0.pipeline.syncOperations.handler(type: LoadConnection.self) }
        future.assumeIsolated().whenComplete { [self] result in
            connecting -= 1
            switch result {
            case .success(let connection):
                open += 1
                release(connection)
            case .failure(let error):
                fail("no connection: \(error)")
                finishIfDone()
            }
        }
    }

    /// Gives the connection to the journey that has waited longest.
    private func release(_ connection: LoadConnection) {
        guard connection.isOpen else {
            open -= 1
            if !waiting.isEmpty, open + connecting < Self.mostConnections { connect() }
            return
        }
        guard let (journey, due) = waiting.popFirst() else { return idle.append(connection) }
        underway += 1
        go(journey, after: nil, due: due, on: connection)
    }

    private func go(_ journey: any Journey, after reply: LoadReply?, due: NIODeadline, on connection: LoadConnection) {
        var journey = journey
        let request: LoadRequest?
        do {
            request = try journey.next(after: reply)
        } catch {
            fail(error.text)
            return ended(on: connection)
        }
        guard let request else {
            if counts { measurement.journeys += 1 }
            return ended(on: connection)
        }
        let sent = NIODeadline.now()
        connection.send(request) { [self] result in
            let now = NIODeadline.now()
            switch result {
            case .failure:
                fail("\(request.step): the connection was closed")
                ended(on: connection)
            case .success(let reply):
                guard !reply.isShed else {
                    if counts { measurement.shed.record(UInt64((now - sent).nanoseconds / 1000)) }
                    return ended(on: connection)
                }
                if counts { count(request, microseconds: UInt64((now - due).nanoseconds / 1000)) }
                go(journey, after: reply, due: now, on: connection)
            }
        }
    }

    private func count(_ request: LoadRequest, microseconds: UInt64) {
        measurement.requests += 1
        measurement.latencies[
            request.step, default: Histogram(numberOfSignificantValueDigits: .three)
        ].record(microseconds)
    }

    private func fail(_ text: String) {
        guard counts else { return }
        measurement.failures += 1
        if measurement.example == nil { measurement.example = text }
    }

    private func ended(on connection: LoadConnection) {
        underway -= 1
        if isOver {
            connection.close()
            return finishIfDone()
        }
        release(connection)
        if isClosedLoop { begin(makeJourney(), due: .now()) }
    }

    private func finishIfDone() {
        if isOver, underway == 0, connecting == 0 { finish() }
    }

    private func finish() {
        for connection in idle { connection.close() }
        idle = []
        end?.succeed(measurement)
        end = nil
    }
}

private func interval(_ seconds: Double) -> TimeAmount {
    .nanoseconds(Int64(seconds * 1e9))
}

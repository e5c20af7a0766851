import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// A fault of one request.
enum Fault: String, CaseIterable, Sendable {
    /// There is no connection.
    case notSent
    /// The request is sent, and never arrives.
    case lostRequest
    /// The server handles the request, and the answer is lost.
    case lostReply
    /// The request arrives twice; the first or the second answer is returned.
    case duplicate
    /// The client gets no answer, and the request arrives later.
    case delayed
    /// A proxy has no server, with or without a time to try again.
    case unavailable
    case unavailableLater
    case throttled
    /// A proxy has lost the answer.
    case badGateway
    /// The answer is truncated, or is an HTML page.
    case garbled
    /// The caller is cancelled while the answer is on its way.
    case cancelled
    /// The database refuses to write.
    case storeRefuses
    /// The database writes, and its confirmation is lost.
    case storeForgets
    /// The node restarts before the request, or after it with the answer lost.
    case restart
    case crash

    /// Whether the server may have acted and the client does not know.
    var mayUseUp: Bool {
        switch self {
        case .lostReply, .delayed, .badGateway, .garbled, .storeForgets, .crash: true
        case .notSent, .lostRequest, .duplicate, .unavailable, .unavailableLater, .throttled, .cancelled,
            .storeRefuses, .restart:
            false
        }
    }
}

/// One request of a client, and its result.
struct Exchange: Sendable {
    var device: Int
    var request: TransportRequest
    var endpoint: String
    var fault: Fault?
    /// The server's answer, if the request reached it.
    var served: Served?
    /// Whether the client got exactly that answer.
    var isHeard = false

    /// For the digest of a history: without signatures.
    var summary: String {
        "\(endpoint.split(separator: "/").last ?? "")\(fault.map { "!\($0.rawValue)" } ?? ""):\(served?.summary ?? "-")"
    }
}

/// The server's answer, as far as the simulation checks it.
struct Served: Sendable {
    struct Body: Decodable, Sendable {
        var error: String?
        var suberror: String?
        var errorCodes: [Int]?
        var continuationToken: String?
        var challengeType: String?
        var refreshToken: String?
        var accessToken: String?
        var clientInfo: String?
    }

    var response: TransportResponse
    var body: Body?

    init(_ response: TransportResponse) {
        self.response = response
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            body = try decoder.decode(Body.self, from: response.body)
        } catch {
            // Not JSON: the answer of a revocation has no body.
            body = nil
        }
    }

    /// Whether the server did what was asked; five kinds of progress are sent as errors (docs/protocol.md §0.3).
    var isProgress: Bool {
        switch (body?.error, body?.suberror) {
        case (nil, _): response.status == 200
        case ("credential_required", _), ("attributes_required", _), ("verification_required", _),
            ("invalid_grant", "mfa_required"), ("invalid_grant", "registration_required"):
            response.status == 400 && body?.continuationToken != nil
        case (_, _): false
        }
    }

    var isRedirect: Bool { body?.challengeType == "redirect" }

    var summary: String {
        body?.error.map { "\(response.status) \($0) \(body?.suberror ?? "") \(body?.errorCodes?.first ?? 0)" }
            ?? "\(response.status)"
    }
}

/// The network between clients and server, with faults.
@SimulationActor final class Network {
    weak var world: World?
    private var weather = Chance(seed: 0)
    private var storm = 0
    /// The number of faults that this step may still have.
    private var budget = 0
    private(set) var log: [Exchange] = []
    /// Requests that will arrive later.
    private(set) var late: [TransportRequest] = []
    private(set) var faults: [Fault: Int] = [:]
    private var underWay = 0
    private var requests = 0
    /// Ends the caller's task.
    var cancel: (@Sendable () -> Void)?
    /// Whether all other tasks run as far as they can before a request is sent.
    var isPatient = false
    /// Called once, between the server's next answer and its way back.
    var onReply: (@SimulationActor () async -> Void)?

    /// The transport of a client.
    struct Line: HTTPTransport {
        let network: Network
        let device: Int

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await network.carry(request, from: device)
        }
    }

    func begin(seed: UInt64, storm: Int) {
        world?.demand(underWay == 0, "simulation", "a request outlived its step")
        weather = Chance(seed: seed ^ 0x5851_F42D_4C95_7F2D)
        self.storm = storm
        budget = 3
        log = []
        isPatient = false
        cancel = nil
        onReply = nil
    }

    /// Waits until no request is running and no task can continue.
    ///
    /// No task can continue only when all were idle from the beginning to the end of a wait: a database answer may
    /// arrive while a wait ends, and then the request is over before its client has continued.
    func settle() async {
        var isAtRest: Bool
        repeat {
            isAtRest = underWay == 0
            await SerialRun.idle()
        } while !isAtRest || underWay > 0
    }

    private func carry(_ request: TransportRequest, from device: Int) async throws -> TransportResponse {
        guard let world else { throw TransportError.noAnswer }
        world.demand(SerialRun.isHere, "simulation", "a request came from another thread")
        underWay += 1
        requests += 1
        defer { underWay -= 1 }
        let path = request.url.path.split(separator: "/").dropFirst().joined(separator: "/")
        let index = log.count
        log.append(Exchange(device: device, request: request, endpoint: path))
        let fault = draw()
        log[index].fault = fault
        if let fault {
            faults[fault, default: 0] += 1
            if fault.mayUseUp { world.disturb(request) }
        }
        if isPatient { await SerialRun.idle() }
        switch fault {
        case nil:
            return await hear(request, index)
        case .notSent:
            throw TransportError.connectTimedOut
        case .lostRequest:
            throw TransportError.noAnswer
        case .delayed:
            late.append(request)
            throw TransportError.noAnswer
        case .lostReply, .crash:
            _ = await serve(request, index)
            if fault == .crash { world.restart() }
            throw TransportError.noAnswer
        case .restart:
            world.restart()
            return await hear(request, index)
        case .duplicate:
            let first = await serve(request, index)
            let second = await serve(request, index)
            let isFirst = weather.percent(50)
            if isFirst { log[index].served = Served(first) }
            log[index].isHeard = true
            return isFirst ? first : second
        case .unavailable:
            return TransportResponse(status: 503, body: Data())
        case .unavailableLater:
            return TransportResponse(status: 503, headers: ["retry-after": "\(weather.below(20))"], body: Data())
        case .throttled:
            return TransportResponse(status: 429, headers: ["retry-after": "\(1 + weather.below(30))"], body: Data())
        case .badGateway:
            _ = await serve(request, index)
            return TransportResponse(status: 502, body: Data())
        case .garbled:
            let reply = await serve(request, index)
            let page = Data("<html><body>Please log in to the network.</body></html>".utf8)
            let body = weather.percent(50) ? Data(reply.body.prefix(weather.below(reply.body.count))) : page
            return TransportResponse(status: 200, headers: reply.headers, body: body)
        case .cancelled:
            let reply = await hear(request, index)
            cancel?()
            if weather.percent(50) { await SerialRun.idle() }
            return reply
        case .storeRefuses:
            world.stores.planFault(.refuses, after: weather.below(2))
            return await hear(request, index)
        case .storeForgets:
            world.stores.planFault(.forgets, after: weather.below(2))
            return await hear(request, index)
        }
    }

    private func draw() -> Fault? {
        // Always two draws, so that later draws are the same without a fault.
        let (isHit, fault) = (weather.percent(storm), weather.pick(Fault.allCases))
        guard isHit, budget > 0 else { return nil }
        budget -= 1
        return fault
    }

    private func hear(_ request: TransportRequest, _ index: Int) async -> TransportResponse {
        let reply = await serve(request, index)
        if log.indices.contains(index) { log[index].isHeard = true }
        return reply
    }

    private func serve(_ request: TransportRequest, _ index: Int) async -> TransportResponse {
        guard let world else { return TransportResponse(status: 500, body: Data()) }
        let reply = await world.deliver(request)
        world.demand(SerialRun.isHere, "simulation", "a job ran on another thread")
        guard log.indices.contains(index) else {
            world.demand(false, "simulation", "\(request.url.path) outlived its step")
            return reply
        }
        log[index].served = Served(reply)
        let onReply = onReply
        self.onReply = nil
        await onReply?()
        return reply
    }

    /// Delivers one of the late requests; its answer is dropped.
    func deliverLate(_ chance: inout Chance) async -> String {
        guard let world, !late.isEmpty else { return "nothing" }
        let request = late.remove(at: chance.below(late.count))
        world.disturb(request)
        return Served(await world.deliver(request)).summary
    }

    var requestCount: Int { requests }
}

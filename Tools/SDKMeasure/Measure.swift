import Foundation
import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Prints the app's processor time for a sign-up with a code: through the SDK, and as the same three requests with a
/// plain `URLSession`. Both alternate in blocks, and the medians are compared. The server is another process, so none
/// of its work counts. Run by `scripts/prove sdk`.
///
///     SDKMeasure URL CODE FLOWS BLOCKS [sdk | bare]
///
/// With the last argument only that variant runs, for a profiler.
@main
enum Measure {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard (5...6).contains(arguments.count), let server = URL(string: arguments[1]),
            let flows = Int(arguments[3]), let blocks = Int(arguments[4]), flows > 0, blocks > 0
        else { throw Failure(text: "usage: SDKMeasure URL CODE FLOWS BLOCKS [sdk | bare]") }
        let cast = Cast(code: arguments[2], server: server)
        let ways: [any SignUp] = [try SDKSignUp(cast), try await BareSignUp(cast)]
        let wanted = ways.filter { arguments.count < 6 || $0.name == arguments[5] }

        // A first run, for connections, caches and one-time costs.
        for way in wanted { _ = try await cost(of: way, flows, cast) }
        var costs: [String: [Double]] = [:]
        for _ in 0..<blocks {
            for way in wanted { costs[way.name, default: []].append(try await cost(of: way, flows, cast)) }
        }
        let medians = wanted.map { way in
            let sorted = costs[way.name, default: []].sorted()
            let (least, median, most) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
            print("\(way.name): \(text(median)) µs of processor per flow, \(text(least)) to \(text(most))")
            return median
        }
        guard medians.count == 2 else { return }
        print("ratio of the medians: \(text(medians[0] / medians[1], digits: 3)); aim: at most 1.15")
    }

    /// Microseconds of processor time, user and system, of one flow, as the mean of many.
    private static func cost(of way: any SignUp, _ flows: Int, _ cast: Cast) async throws -> Double {
        let before = clock()
        for _ in 0..<flows { try await way.run(cast.newcomer()) }
        return Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1e6 / Double(flows)
    }

    private static func text(_ value: Double, digits: Int = 0) -> String {
        String(format: "%.\(digits)f", value)
    }
}

struct Failure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// The data of the sign-ups.
final class Cast {
    let code: String
    let authority: URL
    let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private let run = UUID().uuidString.prefix(8).lowercased()
    private var number = 0

    init(code: String, server: URL) {
        self.code = code
        authority = server.appending(path: "contoso")
    }

    /// The name and the domain of an address without an account. Addresses are spread over domains, because a server
    /// sends few mails at a time to one.
    func newcomer() -> Newcomer {
        number += 1
        return Newcomer(name: "p\(number)-\(run)", domain: "\(number % 100).example.com")
    }
}

struct Newcomer {
    let name: String
    let domain: String
    var address: String { "\(name)@\(domain)" }
}

/// A way to sign up a user.
protocol SignUp {
    var name: String { get }
    func run(_ newcomer: Newcomer) async throws
}

/// A sign-up with the SDK, as in apps.
struct SDKSignUp: SignUp {
    let name = "sdk"
    private let client: NativeAuthClient
    private let code: String

    init(_ cast: Cast, transport: (any HTTPTransport)? = nil) throws {
        var configuration = NativeAuthConfiguration(
            clientID: cast.clientID, authority: try Authority(url: cast.authority), challengeTypes: [.oneTimePasscode])
        if let transport { configuration.transport = transport }
        client = NativeAuthClient(configuration)
        code = cast.code
    }

    func run(_ newcomer: Newcomer) async throws {
        let step = try await client.signUp(username: newcomer.address)
        switch try await step.submit(code: code) {
        case .next(.completed): return
        case _: throw Failure(text: "the sign-up did not end with an account")
        }
    }
}

/// The minimum of an app without the SDK: three requests, and the token from each answer.
struct BareSignUp: SignUp {
    let name = "bare"
    private let session = URLSession(configuration: URLSessionTransport.sessionConfiguration)
    private let steps: [URL]
    private let headers: [String: String]
    private let clientID: String
    private let code: String

    private struct Reply: Decodable {
        let token: String

        enum CodingKeys: String, CodingKey {
            case token = "continuation_token"
        }
    }

    /// Learns addresses and headers from a sign-up through the SDK, and checks that the bodies are the same too.
    init(_ cast: Cast) async throws {
        let recorder = Recorder()
        let newcomer = cast.newcomer()
        try await SDKSignUp(cast, transport: recorder).run(newcomer)
        let exchanges = await recorder.exchanges
        steps = exchanges.map(\.0.url)
        headers = exchanges.first?.0.headers ?? [:]
        clientID = cast.clientID
        code = cast.code
        var token: String?
        for (number, (request, response)) in exchanges.enumerated() {
            guard request.body == body(number, newcomer, token ?? "") else {
                throw Failure(text: "the SDK sends something else: \(String(decoding: request.body, as: UTF8.self))")
            }
            token = try JSONDecoder().decode(Reply.self, from: response.body).token
        }
    }

    func run(_ newcomer: Newcomer) async throws {
        let flow = UUID().uuidString
        var token = ""
        for (number, step) in steps.enumerated() {
            var request = URLRequest(url: step)
            request.httpMethod = "POST"
            request.httpShouldHandleCookies = false
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            request.setValue(flow, forHTTPHeaderField: "client-request-id")
            request.httpBody = body(number, newcomer, token)
            let (data, response) = try await session.data(for: request)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else {
                throw Failure(text: "step \(number) was refused: \(String(decoding: data, as: UTF8.self))")
            }
            token = try JSONDecoder().decode(Reply.self, from: data).token
        }
    }

    private func body(_ step: Int, _ newcomer: Newcomer, _ token: String) -> Data {
        let form =
            switch step {
            case 0: "client_id=\(clientID)&username=\(newcomer.name)%40\(newcomer.domain)&challenge_type=oob+redirect"
            case 1: "client_id=\(clientID)&continuation_token=\(token)&challenge_type=oob+redirect"
            case _: "client_id=\(clientID)&continuation_token=\(token)&grant_type=oob&oob=\(code)"
            }
        return Data(form.utf8)
    }
}

/// The SDK's own transport, with a record of its requests.
actor Recorder: HTTPTransport {
    private(set) var exchanges: [(TransportRequest, TransportResponse)] = []
    private let transport = URLSessionTransport()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await transport.send(request)
        exchanges.append((request, response))
        return response
    }
}

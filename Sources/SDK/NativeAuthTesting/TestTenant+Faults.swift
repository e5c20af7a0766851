import Foundation
public import NativeAuth
import NativeAuthCore

extension TestTenant {
    /// A fault of a request or of its answer.
    public struct Fault: Sendable {
        enum Kind: Sendable {
            case offline
            case lost(Moment)
            case delayed(Duration)
            case answered(@Sendable (TransportRequest) -> TransportResponse)
        }

        /// The time when a reply is lost.
        public enum Moment: Hashable, Sendable {
            /// The server never receives the request.
            case beforeCommit
            /// The server has handled the request, and its reply does not arrive.
            case afterCommit
        }

        let kind: Kind

        /// There is no connection, and the client can tell that nothing was sent.
        public static let offline = Fault(kind: .offline)

        /// The connection breaks before the reply; the client cannot tell whether the server received the request.
        public static func loseReply(_ moment: Moment) -> Fault {
            Fault(kind: .lost(moment))
        }

        /// The reply takes that long; the ``ManualClock`` jumps ahead unless it was told not to. The server handles the
        /// request at once. Longer than 30 s is too long, as with the SDK's own transport: then the reply is lost.
        public static func delay(_ duration: Duration) -> Fault {
            Fault(kind: .delayed(duration))
        }

        /// The server does not get the request, and this is the reply.
        public static func reply(_ response: TransportResponse) -> Fault {
            Fault(kind: .answered { _ in response })
        }

        /// The same as ``reply(_:)``, with only a status, such as 503.
        ///
        /// - Parameter retryAfter: The header `Retry-After`, in seconds.
        public static func status(_ status: Int, retryAfter: Int? = nil) -> Fault {
            let headers = retryAfter.map { ["retry-after": "\($0)"] } ?? [:]
            return .reply(TransportResponse(status: status, headers: headers, body: Data()))
        }

        /// The server asks the client to try again later: 429 with the vendor's number 90055.
        ///
        /// - Parameter retryAfter: The header `Retry-After`, in seconds.
        public static func throttle(retryAfter: Int) -> Fault {
            vendorError(90_055, error: "temporarily_unavailable", status: 429, retryAfter: retryAfter)
        }

        /// The server refuses with an error of the vendor's form.
        ///
        /// - Parameters:
        ///   - numbers: `error_codes`, such as 50126.
        ///   - error: The member `error`.
        ///   - suberror: The member `suberror`, if any.
        ///   - status: The HTTP status.
        ///   - retryAfter: The header `Retry-After`, in seconds.
        public static func vendorError(
            _ numbers: Int..., error: String = "invalid_request", suberror: String? = nil, status: Int = 400,
            retryAfter: Int? = nil
        ) -> Fault {
            Fault(
                kind: .answered { request in
                    let id = request.headers.first { $0.key.lowercased() == "client-request-id" }?.value
                    let members: [String: Any?] = [
                        "error": error, "suberror": suberror, "error_codes": numbers, "correlation_id": id,
                        "error_description": numbers.map { "AADSTS\($0)" }.joined(separator: ", ")
                            + ": A fault that the test asked for.",
                    ]
                    var headers = ["content-type": "application/json; charset=utf-8"]
                    headers["retry-after"] = retryAfter.map { "\($0)" }
                    do {
                        let body = try JSONSerialization.data(
                            withJSONObject: members.compactMapValues(\.self), options: .sortedKeys)
                        return TransportResponse(status: status, headers: headers, body: body)
                    } catch {
                        return TransportResponse(status: 500, body: Data())
                    }
                })
        }
    }

    /// A fault of the mail.
    public struct MailFault: Hashable, Sendable, CustomStringConvertible {
        enum Kind: Hashable, Sendable {
            case down
            case slow(Duration)
            case duplicated
        }

        let kind: Kind

        /// The mail server accepts nothing. Waiting mails arrive when the fault is removed, unless their code has
        /// expired meanwhile.
        public static let down = MailFault(kind: .down)
        /// Each mail arrives twice.
        public static let duplicated = MailFault(kind: .duplicated)
        /// Each mail arrives that long after it was sent, on the ``ManualClock``.
        public static func slow(by delay: Duration) -> MailFault { MailFault(kind: .slow(delay)) }

        public var description: String {
            switch kind {
            case .down: "the mail server is down"
            case .duplicated: "each mail arrives twice"
            case .slow(let delay): "each mail takes \(delay) on the manual clock"
            }
        }
    }

    /// The target of a request. Raw values are paths after the tenant, without a leading slash.
    public enum Endpoint: String, Hashable, Sendable, CaseIterable {
        case signUpStart = "signup/v1.0/start"
        case signUpChallenge = "signup/v1.0/challenge"
        case signUpContinue = "signup/v1.0/continue"
        case signInInitiate = "oauth2/v2.0/initiate"
        case signInChallenge = "oauth2/v2.0/challenge"
        case signInIntrospect = "oauth2/v2.0/introspect"
        /// Ends each sign-in, and refreshes tokens.
        case token = "oauth2/v2.0/token"
        case resetPasswordStart = "resetpassword/v1.0/start"
        case resetPasswordChallenge = "resetpassword/v1.0/challenge"
        case resetPasswordContinue = "resetpassword/v1.0/continue"
        case resetPasswordSubmit = "resetpassword/v1.0/submit"
        case resetPasswordPollCompletion = "resetpassword/v1.0/poll_completion"
        case registerIntrospect = "register/v1.0/introspect"
        case registerChallenge = "register/v1.0/challenge"
        case registerContinue = "register/v1.0/continue"
        case openIDConfiguration = "v2.0/.well-known/openid-configuration"
        case revocation = "oauth2/v2.0/revoke"
    }

    /// The faults of a tenant: planned faults of requests, and the fault of its mail.
    public final class Faults: Sendable {
        private struct Planned: Sendable {
            let id: Int
            let fault: Fault
            let endpoint: Endpoint?
            /// The number of times; nil for any number.
            var times: Int?
        }

        private struct State: Sendable {
            var lastID = 0
            var planned: [Planned] = []
        }

        private let state = Locked(State())
        private let mailbox: TestMailbox

        init(_ mailbox: TestMailbox) {
            self.mailbox = mailbox
        }

        /// The fault of the mail, until it is set to another value; nil for none.
        public var mail: MailFault? {
            get { mailbox.trouble }
            set { mailbox.trouble = newValue }
        }

        /// The number of faults planned with ``next(_:at:times:)`` that have not happened.
        public var outstanding: Int {
            state.withLock { $0.planned.reduce(0) { $0 + ($1.times ?? 0) } }
        }

        /// Makes `fault` happen to the next requests to `endpoint`. Of several faults for one request, only the first
        /// happens.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint; nil for any.
        ///   - times: The number of requests.
        public func next(_ fault: Fault, at endpoint: Endpoint? = nil, times: Int = 1) {
            _ = plan(fault, at: endpoint, times: max(0, times))
        }

        /// Makes `fault` happen to every request to `endpoint` while `body` runs.
        ///
        /// - Parameter endpoint: The endpoint; nil for any.
        public func during<Result>(
            _ fault: Fault, at endpoint: Endpoint? = nil, _ body: () async throws -> Result
        ) async rethrows -> Result {
            let id = plan(fault, at: endpoint, times: nil)
            defer { state.withLock { $0.planned.removeAll { $0.id == id } } }
            return try await body()
        }

        private func plan(_ fault: Fault, at endpoint: Endpoint?, times: Int?) -> Int {
            state.withLock { state in
                state.lastID += 1
                state.planned.append(Planned(id: state.lastID, fault: fault, endpoint: endpoint, times: times))
                return state.lastID
            }
        }

        /// Takes the fault planned for this request, if there is one.
        func take(for request: TransportRequest) -> Fault? {
            guard state.withLock({ !$0.planned.isEmpty }) else { return nil }
            // The path begins with a slash and the tenant.
            let path = request.url.path().split(separator: "/").dropFirst().joined(separator: "/")
            let endpoint = Endpoint(rawValue: path)
            return state.withLock { state in
                let index = state.planned.firstIndex { planned in
                    planned.times != 0 && (planned.endpoint == nil || planned.endpoint == endpoint)
                }
                guard let index else { return nil }
                if let times = state.planned[index].times { state.planned[index].times = times - 1 }
                return state.planned[index].fault
            }
        }
    }
}

/// Sends requests to a tenant, with its faults.
struct TenantTransport: HTTPTransport {
    let server: any HTTPTransport
    let hosts: Set<String>
    let faults: TestTenant.Faults
    let clock: ManualClock
    /// Completes once the users of the settings exist.
    let preparation: Task<Void, any Error>?

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        // The directory API of the vendor's cloud has a host of its own; the server has it below its base URL.
        if let directory = directory(request.url) { request.url = directory }
        let host = request.url.host()?.lowercased() ?? ""
        guard hosts.contains(host) else { throw TestTenantError.foreignHost(host) }
        try await preparation?.value
        switch faults.take(for: request)?.kind {
        case nil:
            return try await server.send(request)
        case .offline:
            throw URLError(.notConnectedToInternet)
        case .lost(.beforeCommit):
            throw URLError(.networkConnectionLost)
        case .lost(.afterCommit):
            _ = try await server.send(request)
            throw URLError(.networkConnectionLost)
        case .delayed(let delay):
            let response = try await server.send(request)
            // The total time of URLSessionTransport (`SDK-NET-2`).
            let limit = Duration.seconds(30)
            try await clock.sleep(for: min(delay, limit))
            guard delay <= limit else { throw URLError(.timedOut) }
            return response
        case .answered(let answer):
            return answer(request)
        }
    }

    private func directory(_ url: URL) -> URL? {
        guard url.host()?.lowercased() == "graph.microsoft.com", let host = hosts.min(),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        components.host = host
        components.percentEncodedPath = "/graph" + components.percentEncodedPath
        return components.url
    }
}

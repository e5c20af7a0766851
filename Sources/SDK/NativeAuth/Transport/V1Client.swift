import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The kinds of answer that every endpoint can give.
enum V1Answer<Reply: Sendable & Decodable>: Sendable {
    case success(Reply)
    /// Continue in a browser; with the reason, if the server gave one.
    case redirect(String?)
    case refusal(ErrorReply)
}

extension V1Answer: Decodable {
    /// Decodes the body of an answer with the status 200, in one pass.
    init(from decoder: any Decoder) throws {
        let head = try ReplyHead(from: decoder)
        self = head.challengeType == .redirect ? .redirect(head.redirectReason) : .success(try Reply(from: decoder))
    }
}

/// Sends requests of version 1 of the API and classifies the answers. It automatically repeats only requests that are
/// safe to repeat (`SDK-RETRY-1`).
final class V1Client: Sendable {
    static let unexpectedReply = "Unexpected response body received"

    let configuration: NativeAuthConfiguration
    /// The server's time, from its last answer.
    let serverClock: ServerClock
    private let resolvedAuthority: Result<Authority, ConfigurationProblem>
    private let languages: String

    init(configuration: NativeAuthConfiguration, environment: [String: String]) {
        self.configuration = configuration
        serverClock = ServerClock()
        resolvedAuthority =
            configuration.refusal.map { .failure(.refused($0)) }
            ?? Emulator.authority(for: configuration.authority, environment: environment)
        languages = configuration.acceptLanguage ?? Languages.preferred(environment: environment)
    }

    /// Sends `request` once and decodes the answer.
    ///
    /// - Parameter correlationID: The flow's ID; replaced by the server's if its answer has another UUID.
    /// - Throws: ``NativeAuthError/network(_:underlying:)`` when nothing was sent,
    ///   ``NativeAuthError/indeterminate(_:)`` when the request was sent and no answer arrived (`SDK-RETRY-2`),
    ///   ``NativeAuthError/throttled(retryAfter:_:)``, ``NativeAuthError/cancelled(_:)``,
    ///   ``NativeAuthError/unexpectedReply(_:)`` or ``NativeAuthError/invalidConfiguration(_:)``.
    func send<Reply>(
        _ request: some FormRequest, to endpoint: V1Endpoint, correlationID: inout UUID
    ) async throws(NativeAuthError) -> V1Answer<Reply> {
        try await send(form: request.form, to: endpoint, correlationID: &correlationID)
    }

    /// The same as ``send(_:to:correlationID:)``, for a form that is no ``FormRequest``.
    func send<Reply>(
        form: FormFields, to endpoint: V1Endpoint, correlationID: inout UUID
    ) async throws(NativeAuthError) -> V1Answer<Reply> {
        let url = try authority(correlationID).endpoint(endpoint.rawValue)
        do throws(ExchangeFailure) {
            let response = try await exchange(Message("POST", url, form), correlationID: correlationID)
            return try readRefusals(response, correlationID: &correlationID)
        } catch {
            throw error.asNativeAuthError(correlationID, isRepeatable: false)
        }
    }

    /// The same as ``send(_:to:correlationID:)``, for a request that can be sent again when it got no answer or 503:
    /// for a refresh, which is safe to repeat, or for a request that changes nothing (`SDK-RETRY-1`).
    ///
    /// - Parameter repeats: The number of repetitions. With several, it waits 0.5 to 4 s before each.
    func sendRepeatably<Reply>(
        _ request: some FormRequest, to endpoint: V1Endpoint, correlationID: inout UUID, repeats: Int = 1
    ) async throws(NativeAuthError) -> V1Answer<Reply> {
        let url = try authority(correlationID).endpoint(endpoint.rawValue)
        do throws(ExchangeFailure) {
            let response = try await exchangeRepeatably(
                Message("POST", url, request.form), correlationID: correlationID, repeats: repeats)
            return try readRefusals(response, correlationID: &correlationID)
        } catch {
            throw error.asNativeAuthError(correlationID, isRepeatable: true)
        }
    }

    /// Posts a form to a URL from a document of the server, and returns whether the answer was 200.
    func post(
        _ form: FormFields, to url: URL, correlationID: UUID
    ) async throws(NativeAuthError) -> Bool {
        do throws(ExchangeFailure) {
            return try await exchange(Message("POST", url, form), correlationID: correlationID).status == 200
        } catch {
            throw error.asNativeAuthError(correlationID, isRepeatable: true)
        }
    }

    /// Gets a document that describes the tenant; repeats once when there is no answer.
    func get<Document: Decodable>(
        _ document: MetadataEndpoint, correlationID: UUID
    ) async throws(NativeAuthError) -> Document {
        let url = try authority(correlationID).endpoint(document.rawValue)
        do throws(ExchangeFailure) {
            let response = try await exchangeRepeatably(
                Message("GET", url, nil), correlationID: correlationID, repeats: 1)
            guard response.status == 200, let document = Self.json(Document.self, of: response) else {
                throw ExchangeFailure.unreadable(Self.unexpectedReply)
            }
            return document
        } catch {
            throw error.asNativeAuthError(correlationID, isRepeatable: true)
        }
    }

    /// A request to the directory API, and its answer with any status but those that ask to wait.
    ///
    /// - Parameters:
    ///   - id: The object of an operation on one object: letters, digits and hyphens.
    ///   - query: Percent-encoded.
    ///   - token: Nil for an operation that needs none.
    ///   - body: JSON; nil for none.
    ///   - version: The content that the request is about (`If-Match`); nil for any.
    /// - Throws: As ``send(_:to:correlationID:)``. A request without a body is repeated once when there is no answer:
    ///   the second one finds its work done.
    func directory(
        _ operation: DirectoryOperation, id: String = "", query: String? = nil, token: AccessToken?,
        body: Data? = nil, ifVersion version: String? = nil, correlationID: UUID
    ) async throws(NativeAuthError) -> TransportResponse {
        let path = operation.path.dropFirst("graph".count).replacing("{id}", with: id)
        let url = try authority(correlationID).directory(String(path), query: query)
        var fields: [String: String] = [:]
        fields["authorization"] = token.map { "Bearer \($0.value)" }
        fields["content-type"] = body == nil ? nil : "application/json"
        fields["if-match"] = version
        do throws(ExchangeFailure) {
            let message = Message(method: operation.method.rawValue, url: url, body: body, fields: fields)
            let response =
                body == nil
                ? try await exchangeRepeatably(message, correlationID: correlationID, repeats: 1)
                : try await exchange(message, correlationID: correlationID)
            switch response.status {
            case 429: throw .throttled(retryAfter: retryAfter(response), nil)
            case 503 where retryAfter(response) != nil: throw .throttled(retryAfter: retryAfter(response), nil)
            case 502, 504: throw .lost(underlying: TransportError.noAnswer)
            case 300..<400: throw .unreadable("The server redirects; that is not followed (SDK-NET-4).")
            case _: return response
            }
        } catch {
            throw error.asNativeAuthError(correlationID, isRepeatable: body == nil)
        }
    }

    /// The target of requests: the configured authority, or the emulator's.
    func authority(_ correlationID: UUID) throws(NativeAuthError) -> Authority {
        switch resolvedAuthority {
        case .success(let authority): return authority
        case .failure(let problem):
            throw .invalidConfiguration(.init(correlationID: correlationID, message: problem.message))
        }
    }

    /// The same as ``authority(_:)``; the configured authority when the target is invalid and so nothing is sent.
    var effectiveAuthority: Authority {
        switch resolvedAuthority {
        case .success(let authority): authority
        case .failure: configuration.authority
        }
    }

    // MARK: Answers

    private func readRefusals<Reply>(
        _ response: TransportResponse, correlationID: inout UUID
    ) throws(ExchangeFailure) -> V1Answer<Reply> {
        if let echoed = response.headers[WireHeader.clientRequestID].flatMap(UUID.init(uuidString:)) {
            correlationID = echoed
        }
        switch response.status {
        case 200:
            guard let answer = Self.json(V1Answer<Reply>.self, of: response) else { break }
            return answer
        case 400, 401:
            guard let refusal = Self.json(ErrorReply.self, of: response) else { break }
            let codes = (refusal.errorCodes ?? []).compactMap(AADSTSCode.init(rawValue:))
            guard AADSTSCode.waits.isDisjoint(with: codes) else {
                throw .throttled(retryAfter: retryAfter(response), refusal)
            }
            return .refusal(refusal)
        case 429:
            throw .throttled(retryAfter: retryAfter(response), Self.json(ErrorReply.self, of: response))
        case 503:
            guard let seconds = retryAfter(response) else { break }
            throw .throttled(retryAfter: seconds, Self.json(ErrorReply.self, of: response))
        case 502, 504:
            // A proxy reports that it lost the answer.
            throw .lost(underlying: TransportError.noAnswer)
        case 300..<400:
            throw .unreadable("The server redirects; that is not followed (SDK-NET-4).")
        case _:
            break
        }
        throw .unreadable(Self.unexpectedReply)
    }

    /// The body, if it is JSON of this shape (`SDK-NET-3`). The decoder's error is not kept: it can quote from the
    /// body.
    private static func json<Value: Decodable>(_ type: Value.Type, of response: TransportResponse) -> Value? {
        // The usual spelling of servers is compared first, because it takes less time.
        if let contentType = response.headers["content-type"], contentType != "application/json; charset=utf-8" {
            let media = contentType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
            guard media == "application/json" || media.hasSuffix("+json") else { return nil }
        }
        do {
            return try WireJSON.decode(type, from: response.body)
        } catch {
            return nil
        }
    }

    /// Seconds from the header `Retry-After`, as a number or as a date (RFC 9110 section 10.2.3): 0 to 3600
    /// (`SDK-RETRY-3`).
    private func retryAfter(_ response: TransportResponse) -> Int? {
        guard let text = response.headers["retry-after"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return min(Int(text) ?? 3600, 3600) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let seconds = date.timeIntervalSince(serverClock.now(at: configuration.moment))
        return Int(min(max(seconds.rounded(.up), 0), 3600))
    }

    // MARK: Exchanges

    /// Why there is no answer, or none that counts.
    private enum ExchangeFailure: Error {
        case cancelled
        case notSent(underlying: any Error)
        case lost(underlying: any Error)
        case throttled(retryAfter: Int?, ErrorReply?)
        case unreadable(String)
        case insecure

        /// - Parameter isRepeatable: Whether the request is safe to repeat even if the server has acted on it.
        func asNativeAuthError(_ correlationID: UUID, isRepeatable: Bool) -> NativeAuthError {
            let again = NativeAuthError.Details(correlationID: correlationID, canRetry: true)
            switch self {
            case .cancelled: return .cancelled(again)
            case .notSent(let underlying):
                var details = again
                details.message = TLSFault(underlying)?.sentence
                return .network(details, underlying: underlying)
            case .lost(let underlying) where isRepeatable: return .network(again, underlying: underlying)
            case .lost:
                var details = again
                details.message = "The answer was lost; whether the server acted on the request is not known."
                return .indeterminate(details)
            case .throttled(let seconds, let refusal):
                let details = refusal.map { .init($0, correlationID: correlationID, canRetry: true) } ?? again
                return .throttled(retryAfter: seconds, details)
            case .unreadable(let message):
                return .unexpectedReply(.init(correlationID: correlationID, message: message))
            case .insecure:
                let message = "Requests go to https, or to http on this machine, only."
                return .invalidConfiguration(.init(correlationID: correlationID, message: message))
            }
        }
    }

    /// A request before the headers that all have.
    private struct Message {
        var method: String
        var url: URL
        var body: Data?
        var fields: [String: String]

        init(method: String, url: URL, body: Data?, fields: [String: String]) {
            self.method = method
            self.url = url
            self.body = body
            self.fields = fields
        }

        /// - Parameter form: Nil for no body.
        init(_ method: String, _ url: URL, _ form: FormFields?) {
            self.init(
                method: method, url: url, body: form.map { Data($0.encoded.utf8) },
                fields: form == nil ? [:] : ["content-type": "application/x-www-form-urlencoded"])
        }
    }

    private func exchangeRepeatably(
        _ message: Message, correlationID: UUID, repeats: Int
    ) async throws(ExchangeFailure) -> TransportResponse {
        for repetition in 0..<repeats {
            do throws(ExchangeFailure) {
                let response = try await exchange(message, correlationID: correlationID)
                // A server that states when to try again is not asked earlier (`SDK-RETRY-3`).
                guard response.status == 503, response.headers["retry-after"] == nil else { return response }
            } catch {
                switch error {
                case .notSent, .lost: break
                case .cancelled, .throttled, .unreadable, .insecure: throw error
                }
            }
            if repeats > 1 { try await pause(beforeRepetition: repetition) }
        }
        return try await exchange(message, correlationID: correlationID)
    }

    /// Waits 0.5 s, then twice as long each time up to 4 s, each changed by up to half of it at random, so that clients
    /// do not all repeat at the same time.
    private func pause(beforeRepetition repetition: Int) async throws(ExchangeFailure) {
        let seconds = min(4, Double(1 << min(repetition, 3)) * configuration.random(0.5...1.5))
        let sleep = configuration.sleep
        do {
            try await abandonable { try await sleep(.seconds(max(0.5, seconds))) }
        } catch {
            throw .cancelled
        }
    }

    private func exchange(
        _ message: Message, correlationID: UUID
    ) async throws(ExchangeFailure) -> TransportResponse {
        guard Authority.isSecure(message.url) else { throw .insecure }
        let response: TransportResponse
        do {
            let headers = try await headers(for: message.url, correlationID: correlationID)
            let request = TransportRequest(
                method: message.method, url: message.url, headers: headers.merging(message.fields) { $1 },
                body: message.body ?? Data())
            response = try await send(request)
        } catch {
            if error is CancellationError || Task.isCancelled { throw .cancelled }
            if error is InterceptorTimeout { throw .notSent(underlying: error) }
            switch error as? TransportError {
            case .insecureURL: throw .insecure
            case .responseTooLarge, .notHTTP: throw .unreadable(Self.unexpectedReply)
            case .connectTimedOut: throw .notSent(underlying: error)
            case .noAnswer: throw .lost(underlying: error)
            case nil: throw provesNothingWasSent(error) ? .notSent(underlying: error) : .lost(underlying: error)
            }
        }
        guard response.body.count <= TransportResponse.maximumBodySize else { throw .unreadable(Self.unexpectedReply) }
        serverClock.learn(from: response, at: configuration.moment)
        return response
    }

    /// Runs outside the caller's actor, which may be the main actor.
    @concurrent private func send(_ request: TransportRequest) async throws -> TransportResponse {
        let transport = configuration.transport
        if let transport = transport as? URLSessionTransport {
            // This transport cannot hang, and ends automatically as soon as the caller is cancelled.
            let response = try await transport.send(request)
            // A result that arrives together with the cancellation counts as too late.
            try Task.checkCancellation()
            return response
        }
        // Longer than the time of ``URLSessionTransport``, which reports the cause more exactly.
        let journey = TimeLimit(duration: .seconds(40), error: TransportError.noAnswer, wait: configuration.wait)
        return try await abandonable(within: journey) { try await transport.send(request) }
    }

    // MARK: Headers

    private func headers(for url: URL, correlationID: UUID) async throws -> [String: String] {
        var headers = [
            "accept": "application/json",
            "accept-language": languages,
            WireHeader.clientRequestID: correlationID.uuidString,
            WireHeader.returnClientRequestID: "true",
            WireHeader.clientSKU: "swift-native-auth",
            WireHeader.clientVersion: ProductVersion.current,
            WireHeader.clientOS: Self.operatingSystem,
            WireHeader.clientCPU: Self.processor,
            WireHeader.clientDevice: Self.device,
        ]
        guard let interceptor = configuration.requestInterceptor else { return headers }
        // Send nothing without the interceptor's headers: a fraud protection service would miss them.
        let interception = TimeLimit(duration: .seconds(30), error: InterceptorTimeout(), wait: configuration.wait)
        let additional = try await abandonable(within: interception) { await interceptor.additionalHeaders(for: url) }
        for (name, value) in additional where Self.isAllowed(name) && Self.isHeaderValue(value) {
            headers[name.lowercased()] = value
        }
        return headers
    }

    /// Whether the app may set this header (docs/sdk-surface.md §6.2).
    static func isAllowed(_ name: String) -> Bool {
        let name = name.lowercased()
        let isToken = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        let reserved = ["x-ms-", "x-client-", "x-broker-", "x-app-"]
        return isToken && name.utf8.count > 2 && name.hasPrefix("x-") && !reserved.contains(where: name.hasPrefix)
    }

    private static func isHeaderValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static let operatingSystem: String = {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }()

    /// The model of the device, such as `iPhone16,1`: the user's list of sessions shows it. Unverified on Apple's systems.
    private static let device: String = {
        #if canImport(Darwin)
            var system = utsname()
            guard uname(&system) == 0 else { return "Apple" }
            let machine = withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return isHeaderValue(machine) ? machine : "Apple"
        #elseif os(Linux)
            return "Linux"
        #else
            return "other"
        #endif
    }()

    private static let processor: String = {
        #if arch(arm64)
            "arm64"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "other"
        #endif
    }()
}

// MARK: - Errors

/// The interceptor of the app did not answer within 30 s.
private struct InterceptorTimeout: Error, CustomStringConvertible {
    var description: String { "The request interceptor took too long." }
}

extension NativeAuthError.Details {
    init(_ refusal: ErrorReply, correlationID: UUID, canRetry: Bool) {
        self.init(
            correlationID: correlationID, errorCodes: refusal.errorCodes ?? [], message: refusal.errorDescription,
            errorURI: refusal.errorURI, error: refusal.error.rawValue, suberror: refusal.suberror?.rawValue,
            canRetry: canRetry)
    }
}

extension NativeAuthError {
    /// The error mapping that applies to every endpoint.
    init(_ refusal: ErrorReply, details: Details) {
        self =
            switch (refusal.error, refusal.suberror) {
            case (.userAlreadyExists, _): .userAlreadyExists(details)
            case (.expiredToken, _): .expired(details)
            case (.invalidScope, _): .invalidScope(details)
            case (.invalidGrant, .mfaRequired): .mfaRequired(details)
            case (.invalidGrant, .registrationRequired): .registrationRequired(details)
            case (_, _): .general(details)
            }
    }
}

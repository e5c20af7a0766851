import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The kinds of answer that every endpoint can give.
enum Answer<Reply: Sendable & Decodable>: Sendable {
    case success(Reply)
    /// Go to a browser; with the reason, if the server gave one.
    case redirect(String?)
    case refusal(ErrorReply)
}

/// Sends requests of version 1 of the API and sorts the answers. Never repeats a request by itself (`SDK-RETRY-1`).
struct V1Client: Sendable {
    static let version = "0.1.0"
    static let unexpectedReply = "Unexpected response body received"

    let configuration: NativeAuthConfiguration
    private let authority: Result<Authority, ConfigurationProblem>
    private let languages: String

    init(configuration: NativeAuthConfiguration, environment: [String: String]) {
        self.configuration = configuration
        authority = Emulator.authority(for: configuration.authority, environment: environment)
        languages = configuration.acceptLanguage ?? Languages.preferred(environment: environment)
    }

    /// Sends `request` once and reads the answer.
    ///
    /// - Parameter correlationID: The flow's; becomes the server's if it answers with another UUID.
    /// - Throws: ``NativeAuthError/network(_:underlying:)``, ``NativeAuthError/cancelled(_:)``,
    ///   ``NativeAuthError/unexpectedReply(_:)`` or ``NativeAuthError/invalidConfiguration(_:)``.
    func send<Reply>(
        _ request: some FormRequest, to endpoint: V1Endpoint, correlationID: inout UUID
    ) async throws(NativeAuthError) -> Answer<Reply> {
        try read(await exchange(request, endpoint, correlationID: correlationID), correlationID: &correlationID)
    }

    /// As ``send(_:to:correlationID:)``, for a request that may be sent twice: once more when the server could not be
    /// reached or answered 503. Only for refresh tokens, whose repetition servers bear (`SDK-RETRY-1`).
    func sendRepeatably<Reply>(
        _ request: some FormRequest, to endpoint: V1Endpoint, correlationID: inout UUID
    ) async throws(NativeAuthError) -> Answer<Reply> {
        do throws(NativeAuthError) {
            let response = try await exchange(request, endpoint, correlationID: correlationID)
            if response.status != 503 { return try read(response, correlationID: &correlationID) }
        } catch {
            guard case .network = error else { throw error }
        }
        return try await send(request, to: endpoint, correlationID: &correlationID)
    }

    private func read<Reply>(
        _ response: TransportResponse, correlationID: inout UUID
    ) throws(NativeAuthError) -> Answer<Reply> {
        if let echoed = response.headers[WireHeader.clientRequestID].flatMap(UUID.init(uuidString:)) {
            correlationID = echoed
        }
        let unexpected = NativeAuthError.unexpectedReply(
            .init(correlationID: correlationID, message: Self.unexpectedReply))
        do {
            switch response.status {
            case 200:
                let head = try WireJSON.decode(ReplyHead.self, from: response.body)
                guard head.challengeType != .redirect else { return .redirect(head.redirectReason) }
                return .success(try WireJSON.decode(from: response.body))
            case 400, 401:
                return .refusal(try WireJSON.decode(from: response.body))
            case _:
                throw unexpected
            }
        } catch {
            // What was wrong with the body is left out: a decoder's complaint can quote from it.
            throw unexpected
        }
    }

    private func exchange(
        _ request: some FormRequest, _ endpoint: V1Endpoint, correlationID: UUID
    ) async throws(NativeAuthError) -> TransportResponse {
        let url: URL
        switch authority {
        case .success(let authority): url = authority.endpoint(endpoint.rawValue)
        case .failure(let problem):
            throw .invalidConfiguration(.init(correlationID: correlationID, message: problem.message))
        }
        let request = TransportRequest(
            method: "POST", url: url, headers: await headers(for: url, correlationID: correlationID),
            body: Data(request.form.encoded.utf8))
        do {
            try Task.checkCancellation()
            let response = try await configuration.transport.send(request)
            // An answer to somebody who has left changes nothing any more (`SDK-CANCEL-1`).
            try Task.checkCancellation()
            return response
        } catch {
            let details = NativeAuthError.Details(correlationID: correlationID, canRetry: true)
            if error is CancellationError || Task.isCancelled { throw .cancelled(details) }
            throw .network(details, underlying: error)
        }
    }

    // MARK: Headers

    private func headers(for url: URL, correlationID: UUID) async -> [String: String] {
        var headers = [
            "content-type": "application/x-www-form-urlencoded",
            "accept": "application/json",
            "accept-language": languages,
            WireHeader.clientRequestID: correlationID.uuidString,
            WireHeader.returnClientRequestID: "true",
            WireHeader.clientSKU: "swift-native-auth",
            WireHeader.clientVersion: Self.version,
            WireHeader.clientOS: Self.operatingSystem,
            WireHeader.clientCPU: Self.processor,
        ]
        let additional = await configuration.requestInterceptor?.additionalHeaders(for: url) ?? [:]
        for (name, value) in additional where Self.isAllowed(name) && Self.isHeaderValue(value) {
            headers[name.lowercased()] = value
        }
        return headers
    }

    /// Whether the app may set this header (sdk-surface §6.2).
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

    private static var operatingSystem: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

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

/// The languages of the user, as `Accept-Language` wants them.
enum Languages {
    /// At most five, best first: from the system's settings; where it has none, from the variables of POSIX.
    static func preferred(environment: [String: String]) -> String {
        #if canImport(Darwin)
            let languages = Locale.preferredLanguages
        #else
            let languages = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.filter { !$0.isEmpty }
                .prefix(1).compactMap(tag(ofPOSIXLocale:))
        #endif
        return list(languages)
    }

    /// `da-DK` for `da_DK.UTF-8`; nil for `C`, `POSIX` and anything that is no language.
    static func tag(ofPOSIXLocale locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        let isAlphanumeric = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 8
                && part.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 >= 0x30 && $0 <= 0x39 }
        }
        guard isAlphanumeric, parts.count <= 2, let language = parts.first, (2...3).contains(language.utf8.count) else {
            return nil
        }
        return parts.joined(separator: "-")
    }

    private static func list(_ languages: some Sequence<String>) -> String {
        let weighted = languages.prefix(5).enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(10 - index)"
        }
        return weighted.isEmpty ? "en" : weighted.joined(separator: ", ")
    }
}

// MARK: - Errors

extension NativeAuthError.Details {
    init(_ refusal: ErrorReply, correlationID: UUID, canRetry: Bool) {
        self.init(
            correlationID: correlationID, errorCodes: refusal.errorCodes ?? [], message: refusal.errorDescription,
            errorURI: refusal.errorURI, error: refusal.error.rawValue, suberror: refusal.suberror?.rawValue,
            canRetry: canRetry)
    }
}

extension NativeAuthError {
    /// The rules that hold for every endpoint.
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

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// An error that this library detects itself, for which the server has neither a number nor a word.
package enum ClientCondition: String, CaseIterable, Hashable, Sendable {
    case answerLost
    case answerRedirects
    case answerUnreadable
    case browserRequired
    case capabilityMissing
    case challengeTypeMissing
    case connectionFailed
    case connectionRefused
    case connectionTooSlow
    case certificateExpired
    case certificateNotYetValid
    case certificateOfOtherHost
    case certificateRefused
    case certificateUntrusted
    case clientCertificateRequired
    case emulatorInvalid
    case hostNotFound
    case offline
    case promptMissing
    case scopeReserved
    case signInNotAvailable
    case signInRequired
    case stepAlreadyUsed
    case throttled
    case tlsFailed
    case tlsMissing
    case urlInsecure
}

extension ClientCondition {
    /// Why a transport got no answer.
    package init(transport error: any Error) {
        if let fault = TLSFault(error) {
            self.init(fault)
            return
        }
        self =
            switch (error as? TransportError, (error as? URLError)?.code) {
            case (.insecureURL, _): .urlInsecure
            case (.responseTooLarge, _), (.notHTTP, _): .answerUnreadable
            case (.connectTimedOut, _): .connectionTooSlow
            case (.noAnswer, _): .answerLost
            case (nil, let code?): Self.byCode[code] ?? .connectionFailed
            case (nil, nil): .connectionFailed
            }
    }

    private static let byCode: [URLError.Code: ClientCondition] = [
        .cannotFindHost: .hostNotFound, .dnsLookupFailed: .hostNotFound,
        .cannotConnectToHost: .connectionRefused,
        .notConnectedToInternet: .offline, .internationalRoamingOff: .offline, .callIsActive: .offline,
        .dataNotAllowed: .offline,
        .appTransportSecurityRequiresSecureConnection: .urlInsecure,
        .timedOut: .answerLost, .networkConnectionLost: .answerLost,
    ]

    /// Why no TLS connection could be opened.
    init(_ fault: TLSFault) {
        self =
            switch fault {
            case .certificateExpired: .certificateExpired
            case .certificateNotYetValid: .certificateNotYetValid
            case .certificateOfOtherHost: .certificateOfOtherHost
            case .certificateUntrusted: .certificateUntrusted
            case .certificateRefused: .certificateRefused
            case .clientCertificateRequired: .clientCertificateRequired
            case .notTLS: .tlsMissing
            case .handshakeFailed: .tlsFailed
            }
    }

    /// Why the server sends the user to a browser, derived from the server's text (docs/protocol.md §3.4).
    package init(redirectReason reason: String?) {
        let reason = reason?.lowercased() ?? ""
        self =
            if reason.contains("challenge") {
                .challengeTypeMissing
            } else if reason.contains("capabilit")
                || Capability.allCases.contains(where: { reason.contains($0.rawValue) })
            {
                .capabilityMissing
            } else {
                .browserRequired
            }
    }
}

extension NativeAuthError {
    /// The cause that only this library knows; nil when the server's answer or the user's input says everything.
    package var condition: ClientCondition? {
        switch self {
        case .browserRequired(let details): ClientCondition(redirectReason: details.message)
        case .network(_, let underlying): ClientCondition(transport: underlying)
        case .unexpectedReply(let details):
            details.message == V1Client.unexpectedReply || details.message == nil ? .answerUnreadable : .answerRedirects
        case .indeterminate: .answerLost
        case .throttled: .throttled
        case .signInRequired: .signInRequired
        case .notAvailable: .signInNotAvailable
        case .stateAlreadyUsed: .stepAlreadyUsed
        case .invalidScope: .scopeReserved
        case .invalidConfiguration(let details):
            details.condition
                ?? (details.message == ConfigurationProblem.emulator.message ? .emulatorInvalid : .urlInsecure)
        case .userAlreadyExists, .userNotFound, .invalidUsername, .invalidPassword, .invalidCredentials,
            .userDoesNotHavePassword, .invalidAttributes, .incorrectCode, .invalidInput, .authMethodBlocked,
            .verificationContactBlocked, .expired, .registrationRequired, .mfaRequired, .cancelled, .general:
            nil
        }
    }
}

import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Sends only the first request of a flow, for tools that check a configuration. Servers send no mail and change no
/// account for it: that begins with the challenge.
package struct Probe: Sendable {
    /// The first request of a flow.
    package enum Start: CaseIterable, Sendable {
        case signUp
        case signIn
        case resetPassword
    }

    /// What the server made of the first request.
    package enum StartResult: Hashable, Sendable {
        case accepted
        /// Continue in a browser; with the reason, if the server gave one.
        case redirect(String?)
        case refused(ErrorDetails)
    }

    private let api: V1Client

    package init(_ configuration: NativeAuthConfiguration) {
        api = V1Client(configuration: configuration, environment: [:])
    }

    /// - Throws: The errors of every request; a refusal is returned as an answer.
    package func start(_ flow: Start, username: String) async throws(NativeAuthError) -> StartResult {
        let configuration = api.configuration
        switch flow {
        case .signUp:
            let request = V1.SignUp.StartRequest(
                clientID: configuration.clientID, username: username, challengeTypes: configuration.challengeTypeWords,
                capabilities: configuration.capabilityWords)
            return try await send(request, to: .signUpStart)
        case .signIn, .resetPassword:
            let request = V1.SignIn.InitiateRequest(
                clientID: configuration.clientID, username: username, challengeTypes: configuration.challengeTypeWords,
                capabilities: configuration.capabilityWords)
            return try await send(request, to: flow == .signIn ? .signInInitiate : .resetPasswordStart)
        }
    }

    private func send(
        _ request: some FormRequest, to endpoint: V1Endpoint
    ) async throws(NativeAuthError) -> StartResult {
        var correlationID = api.configuration.makeCorrelationID()
        let answer: V1Answer<ContinuationReply> = try await api.send(
            request, to: endpoint, correlationID: &correlationID)
        return switch answer {
        case .success: .accepted
        case .redirect(let reason): .redirect(reason)
        case .refusal(let refusal): .refused(.init(refusal, correlationID: correlationID, canRetry: false))
        }
    }
}

extension ErrorDetails {
    /// Whether a refusal says only that the username is invalid (docs/protocol.md §4.1).
    package var isAboutUsername: Bool {
        errorCodes.contains(AADSTSCode.parameterEmptyOrInvalid.rawValue)
            && message?.contains(AADSTSCode.usernamePhrase) == true
    }
}

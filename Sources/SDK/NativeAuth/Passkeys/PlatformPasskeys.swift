#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices
    import PortableFoundation

    /// Makes and uses passkeys with the authenticator of Apple's systems: iCloud Keychain, or the password manager that
    /// the user chose. Unverified: this package is developed on another system.
    ///
    /// The app needs the entitlement `webcredentials:` with the host name of the relying party. The system ends no
    /// request after ``PasskeyCreation/timeout``: the server refuses an answer that is late.
    ///
    /// - ``PasskeyStyle/immediate``: the system does not say whether the user closed the sheet or had no passkey. Both
    ///   are ``PasskeyError/noPasskeyHere``.
    /// - ``PasskeyStyle/autofill``: on iOS and visionOS. The text field needs the content type `username`. On macOS it
    ///   is ``PasskeyError/unsupported``.
    /// - ``PasskeyCreationStyle/conditional``: from iOS 18, macOS 15 and visionOS 2 on; before that it is ``PasskeyError/unsupported``.
    /// - A server that excludes passkeys needs iOS 17.4, macOS 14.4 or visionOS 1.1. Before that, the answer is
    ///   ``PasskeyError/unsupported``: the list is never ignored.
    public struct PlatformPasskeys: PasskeyAuthenticator {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

        /// - Parameter anchor: The window to show the sheet over; nil: the sheet has no window, and the system may refuse it. Give the window of your
        ///   screen; the default is a new empty one.
        public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor? = { ASPresentationAnchor() }) {
            self.anchor = anchor
        }

        public func create(_ options: PasskeyCreation) async throws(PasskeyError) -> PasskeyRegistration {
            try await create(options, style: .modal)
        }

        public func create(
            _ options: PasskeyCreation, style: PasskeyCreationStyle
        ) async throws(PasskeyError) -> PasskeyRegistration {
            // The system's passkeys have keys for ES256 only.
            guard options.algorithms.contains(-7) || options.algorithms.contains(-9) else { throw .unsupported }
            let answer = try await PasskeySheet.run(anchor, options.relyingPartyID, .modal) {
                () throws(PasskeyError) in
                try Self.request(options, style)
            }
            switch answer {
            case .registration(let registration): return registration
            case .assertion: throw .failed("The system answered with an assertion.")
            }
        }

        public func get(
            _ options: PasskeyRequest, style: PasskeyStyle
        ) async throws(PasskeyError) -> PasskeyAssertion {
            let answer = try await PasskeySheet.run(anchor, options.relyingPartyID, style) {
                () throws(PasskeyError) in
                Self.request(options)
            }
            switch answer {
            case .assertion(let assertion): return assertion
            case .registration: throw .failed("The system answered with a registration.")
            }
        }

        @MainActor
        private static func request(
            _ options: PasskeyCreation, _ style: PasskeyCreationStyle
        ) throws(PasskeyError) -> ASAuthorizationRequest {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: options.relyingPartyID)
            let request = provider.createCredentialRegistrationRequest(
                challenge: options.challenge, name: options.username, userID: options.userHandle)
            request.displayName = options.displayName
            switch style {
            case .modal: request.userVerificationPreference = .required
            case .conditional:
                guard #available(iOS 18, macOS 15, visionOS 2, *) else { throw .unsupported }
                request.requestStyle = .conditional
                request.userVerificationPreference = .preferred
            }
            if !options.excludedCredentials.isEmpty {
                guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) else { throw .unsupported }
                request.excludedCredentials = options.excludedCredentials.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                }
            }
            return request
        }

        @MainActor
        private static func request(_ options: PasskeyRequest) -> ASAuthorizationRequest {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: options.relyingPartyID)
            let request = provider.createCredentialAssertionRequest(challenge: options.challenge)
            request.userVerificationPreference = .required
            request.allowedCredentials = options.allowedCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
            }
            return request
        }
    }

    private enum PlatformAnswer: Sendable {
        case registration(PasskeyRegistration)
        case assertion(PasskeyAssertion)
    }

    @MainActor
    private final class PasskeySheet: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private let relyingPartyID: String
        private let style: PasskeyStyle
        private let window: ASPresentationAnchor
        private let race: Race<PlatformAnswer>
        private var controller: ASAuthorizationController?

        private init(
            _ relyingPartyID: String, _ style: PasskeyStyle, _ window: ASPresentationAnchor,
            _ race: Race<PlatformAnswer>
        ) {
            self.relyingPartyID = relyingPartyID
            self.style = style
            self.window = window
            self.race = race
        }

        /// Shows the request, and returns what the system answers.
        static func run(
            _ anchor: @MainActor @Sendable () -> ASPresentationAnchor?, _ relyingPartyID: String,
            _ style: PasskeyStyle, _ request: @MainActor () throws(PasskeyError) -> ASAuthorizationRequest
        ) async throws(PasskeyError) -> PlatformAnswer {
            guard let window = anchor() else { throw .notInteractive }
            let race = Race<PlatformAnswer>()
            // This function has the strong reference that the controller needs: its delegate is a weak one.
            let sheet = PasskeySheet(relyingPartyID, style, window, race)
            try sheet.begin(try request())
            defer { sheet.close() }
            do {
                return try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { race.begin($0) }
                } onCancel: {
                    race.end(with: .failure(PasskeyError.cancelled))
                }
            } catch {
                throw error as? PasskeyError ?? .cancelled
            }
        }

        private func begin(_ request: ASAuthorizationRequest) throws(PasskeyError) {
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            self.controller = controller
            switch style {
            case .modal: controller.performRequests()
            case .immediate: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
            case .autofill:
                #if os(macOS)
                    throw .unsupported
                #else
                    controller.performAutoFillAssistedRequests()
                #endif
            }
        }

        /// Has no effect after the end of the request.
        private func close() {
            controller?.cancel()
            controller = nil
        }

        func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            switch authorization.credential {
            case let credential as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                guard let attestation = credential.rawAttestationObject, !attestation.isEmpty else {
                    race.end(with: .failure(PasskeyError.failed("The system sent no attestation object.")))
                    return
                }
                let registration = PasskeyRegistration(
                    credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                    attestationObject: attestation)
                race.end(with: .success(.registration(registration)))
            case let credential as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                let handle: Data? = credential.userID
                let assertion = PasskeyAssertion(
                    credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                    authenticatorData: credential.rawAuthenticatorData, signature: credential.signature,
                    userHandle: handle.flatMap { $0.isEmpty ? nil : $0 })
                race.end(with: .success(.assertion(assertion)))
            case _:
                race.end(with: .failure(PasskeyError.failed("The system sent another kind of credential.")))
            }
        }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            race.end(with: .failure(fault(error as NSError)))
        }

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            window
        }

        /// The codes are numbers here, because this package supports systems that are older than some of their names.
        private func fault(_ error: NSError) -> PasskeyError {
            guard error.domain == ASAuthorizationError.errorDomain else {
                return .failed("\(error.domain) \(error.code)")
            }
            switch error.code {
            case 1001: return style == .immediate ? .noPasskeyHere : .cancelled
            case 1004 where Self.isAboutAssociation(error): return .domainNotAssociated(relyingPartyID)
            case 1005: return .notInteractive
            case 1006: return .alreadyRegistered
            case _: return .failed("ASAuthorizationError \(error.code)")
            }
        }

        /// No code says that the app and the domain are not associated: only the text of the error does.
        private static func isAboutAssociation(_ error: NSError) -> Bool {
            let keys = [
                NSLocalizedFailureReasonErrorKey, NSLocalizedDescriptionKey, NSDebugDescriptionErrorKey,
            ]
            let texts = keys.compactMap { error.userInfo[$0] as? String } + [error.localizedDescription]
            return texts.contains {
                $0.contains("not associated") || $0.contains("webcredentials association")
            }
        }
    }
#endif

#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices
    import PortableFoundation

    /// Sign in with Apple. Unverified: this package is developed on another system.
    ///
    /// The app needs the capability “Sign in with Apple”, and the server's tenant a provider of the kind `apple` with the app's
    /// bundle id (docs/operate/providers.md).
    public struct AppleIdentity: IdentityTokenProvider {
        public let id: String
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

        /// - Parameters:
        ///   - id: The provider's id in the tenant.
        ///   - anchor: The window to show the sheet over; the default is a new empty one, so give the window of your screen.
        public init(
            id: String = "apple",
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor? = { ASPresentationAnchor() }
        ) {
            self.id = id
            self.anchor = anchor
        }

        public func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
            try await AppleSheet.run(anchor, nonce)
        }
    }

    @MainActor
    private final class AppleSheet: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private let window: ASPresentationAnchor
        private let race: Race<ProviderCredential>

        private init(_ window: ASPresentationAnchor, _ race: Race<ProviderCredential>) {
            self.window = window
            self.race = race
        }

        static func run(
            _ anchor: @MainActor @Sendable () -> ASPresentationAnchor?, _ nonce: String
        ) async throws(ProviderError) -> ProviderCredential {
            let race = Race<ProviderCredential>()
            let sheet = AppleSheet(anchor() ?? ASPresentationAnchor(), race)
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = [.fullName, .email]
            request.nonce = nonce
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = sheet
            controller.presentationContextProvider = sheet
            controller.performRequests()
            // The controller's reference to its delegate is a weak one.
            defer { withExtendedLifetime(sheet) { controller.cancel() } }
            do {
                return try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { race.begin($0) }
                } onCancel: {
                    race.end(with: .failure(ProviderError.cancelled))
                }
            } catch {
                throw error as? ProviderError ?? .cancelled
            }
        }

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let token = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) })
            else {
                race.end(with: .failure(ProviderError.failed("The system gave no identity token.")))
                return
            }
            race.end(
                with: .success(
                    ProviderCredential(
                        idToken: token, givenName: credential.fullName?.givenName,
                        familyName: credential.fullName?.familyName,
                        authorizationCode: credential.authorizationCode.flatMap {
                            String(data: $0, encoding: .utf8)
                        })))
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
            race.end(with: .failure(isCancelled ? ProviderError.cancelled : .failed("\(error)")))
        }
    }
#endif

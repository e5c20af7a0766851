import PortableFoundation

#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices
#endif

/// What this system offers without a setting of the app.
enum SystemBrowser {
    /// The redirect URI of an app that sets none.
    static var redirectURI: URL? {
        #if canImport(Darwin)
            if let bundle = Bundle.main.bundleIdentifier { return URL(string: "msauth.\(bundle)://auth") }
        #endif
        return URL(string: "http://localhost/")
    }

    static var authenticator: any WebAuthenticator {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
            SystemWebAuthenticator()
        #else
            LoopbackAuthenticator()
        #endif
    }
}

#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    /// Shows pages with the web authentication session of Apple's systems. Unverified: this package is developed on
    /// another system.
    ///
    /// The redirect URI has a custom scheme, or is an https address of one of the app's associated domains. One on this
    /// machine is served by a ``LoopbackAuthenticator``.
    public struct SystemWebAuthenticator: WebAuthenticator {
        private let authenticator: CallbackAuthenticator

        /// - Parameter anchor: The window to show the page over; nil for none. By default the system chooses.
        public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor? = { ASPresentationAnchor() }) {
            authenticator = CallbackAuthenticator { request, completion in
                let presentation = await Presentation(anchor: anchor)
                await presentation.begin(request, completion)
                // The closure is the strong reference that the session needs: without one it never reports.
                return { Task { @MainActor in presentation.close() } }
            }
        }

        public func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
            request.callback.isLoopback
                ? try await LoopbackAuthenticator().authenticate(request)
                : try await authenticator.authenticate(request)
        }
    }

    @MainActor
    private final class Presentation: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        private var window: ASPresentationAnchor?
        private var session: ASWebAuthenticationSession?

        init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
            self.anchor = anchor
        }

        func begin(_ request: WebAuthenticationRequest, _ completion: @escaping CallbackAuthenticator.Completion) {
            window = anchor()
            guard window != nil else {
                completion(.failure(.couldNotShow("There is no window to show the page over.")))
                return
            }
            guard let session = Self.session(request, { url, error in completion(Self.result(url, error)) }) else {
                completion(.failure(.couldNotShow("This system cannot return to the redirect URI.")))
                return
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = request.session == .ephemeral
            self.session = session
            if !session.start() { completion(.failure(.couldNotShow("The session did not start."))) }
        }

        func close() {
            session?.cancel()
            session = nil
        }

        private static func session(
            _ request: WebAuthenticationRequest, _ completion: @escaping ASWebAuthenticationSession.CompletionHandler
        ) -> ASWebAuthenticationSession? {
            guard let scheme = request.callback.scheme?.lowercased() else { return nil }
            if scheme != "https" {
                return ASWebAuthenticationSession(
                    url: request.url, callbackURLScheme: scheme, completionHandler: completion)
            }
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *),
                let host = request.callback.host(percentEncoded: true)
            else { return nil }
            return ASWebAuthenticationSession(
                url: request.url, callback: .https(host: host, path: request.callback.path(percentEncoded: true)),
                completionHandler: completion)
        }

        private nonisolated static func result(
            _ url: URL?, _ error: (any Error)?
        ) -> Result<URL, WebAuthenticationError> {
            if let url { return .success(url) }
            guard let error = error as? ASWebAuthenticationSessionError else {
                return .failure(.couldNotShow("The session ended without an answer."))
            }
            // The system also reports this code when the app has no window in the foreground; then it gives a reason.
            let information = (error as NSError).userInfo
            let reason = information[NSDebugDescriptionErrorKey] ?? information[NSLocalizedFailureReasonErrorKey]
            if error.code == .canceledLogin, reason == nil { return .failure(.cancelled) }
            return .failure(.couldNotShow("The session ended with the code \(error.code.rawValue)."))
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            window ?? ASPresentationAnchor()
        }
    }
#endif

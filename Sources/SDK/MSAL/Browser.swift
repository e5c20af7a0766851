internal import Foundation
internal import NativeAuth
internal import NativeAuthCore

#if os(iOS) || os(macOS) || os(visionOS)
    internal import AuthenticationServices
#endif
#if os(macOS)
    internal import AppKit
#elseif os(iOS) || os(visionOS)
    internal import UIKit
#endif

extension MSALPublicClientApplication {
    /// The sign-in of `parameters`, which are read now.
    func signingIn(
        _ parameters: MSALInteractiveTokenParameters, _ correlationID: UUID
    ) -> @Sendable () async throws -> MSALResult {
        let (options, page) = (parameters.options(correlationID), WebPage(parameters.webviewParameters, client))
        return { [client, authority] in
            do throws(WebSignInError) {
                let result = try await client.webSignIn(options, showing: page.authenticator)
                return MSALResult(result.token, of: result.account, authority: authority, correlationID: correlationID)
            } catch {
                throw await NSError.msal(error, page, authority)
            }
        }
    }

    /// The sign-out of `account` with a page.
    func signingOutOfBrowser(
        _ account: MSALAccount, _ webview: MSALWebviewParameters, _ correlationID: UUID
    ) -> @Sendable () async throws -> Void {
        let page = WebPage(webview, client)
        return { [client, authority] in
            guard let user = client.account(homeAccountID: account.user.homeAccountID) else {
                throw NSError.msal(
                    NativeAuthError.signInRequired(
                        .init(correlationID: correlationID, message: "No such account is signed in.")))
            }
            do throws(WebSignInError) {
                // Even an ephemeral browser shows the page, as the app asks for it.
                try await client.webSignOut(
                    user, session: .shared, correlationID: correlationID, showing: page.authenticator)
            } catch {
                throw await NSError.msal(error, page, authority)
            }
        }
    }

    /// Runs `work`, then calls `completion` on the main actor. The call returns at once.
    func performInBrowser<Value: Sendable>(
        _ operation: String, correlationID: UUID, _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping (Result<Value, any Error>) -> Void
    ) {
        let handover = Handover(delegate: completion)
        Task { @MainActor in
            let logger = MSALGlobalConfig.loggerConfig
            logger.log(.info, "\(operation) begins; correlation ID \(correlationID)")
            do {
                let value = try await work()
                logger.log(.info, "\(operation) succeeded; correlation ID \(correlationID)")
                handover.delegate(.success(value))
            } catch {
                // The server's text is left out: it may quote the user's input.
                logger.log(
                    .error, "\(operation) failed; code \((error as NSError).code); correlation ID \(correlationID)")
                handover.delegate(.failure(error))
            }
        }
    }
}

extension MSALInteractiveTokenParameters {
    fileprivate func options(_ correlationID: UUID) -> WebSignInOptions {
        var options = WebSignInOptions(prompt: promptType.prompt, username: loginHint, scopes: scopes)
        options.account = account?.user
        // As in the vendor's library, a hint is only a suggestion.
        options.allowsOtherUser = account == nil
        options.session = webviewParameters.prefersEphemeralWebBrowserSession ? .ephemeral : .shared
        options.claims = claimsRequest?.jsonString()
        options.scopesToConsent = extraScopesToConsent ?? []
        options.extraParameters = extraQueryParameters ?? [:]
        options.extraParameters["domain_hint"] = domainHint ?? options.extraParameters["domain_hint"]
        options.correlationID = correlationID
        return options
    }
}

extension MSALPromptType {
    fileprivate var prompt: WebPrompt {
        switch self {
        case .selectAccount: .chooseAccount
        case .login: .signIn
        case .consent: .consent
        case .create: .signUp
        case .promptIfNecessary: .whenNeeded
        }
    }
}

/// Where a page is shown, and by what.
private struct WebPage: Sendable {
    let authenticator: any WebAuthenticator
    /// Whether the view controller had no window.
    let isWithoutWindow = Locked(false)

    init(_ parameters: MSALWebviewParameters, _ client: NativeAuthClient) {
        if !parameters.webviewType.isSystemSession {
            MSALGlobalConfig.loggerConfig.log(
                .warning,
                "This library shows pages in the system's session for signing in, in place of another web view.")
        }
        #if os(iOS) || os(macOS) || os(visionOS)
            let (viewController, isWithoutWindow) = (parameters.viewController, isWithoutWindow)
            let system = SystemWebAuthenticator {
                let window = viewController.view.window
                isWithoutWindow.withLock { $0 = window == nil }
                return window
            }
        #else
            let system = LoopbackAuthenticator()
        #endif
        let own: (any WebAuthenticator)? = MSALGlobalConfig.webAuthenticator.map(Hook.init)
        authenticator = OpenPages.shared.listening(to: own ?? client.webAuthenticator ?? system)
    }

    /// The function that the app set.
    private struct Hook: WebAuthenticator {
        let show: MSALWebAuthenticator

        func authenticate(_ request: WebAuthenticationRequest) async throws(WebAuthenticationError) -> URL {
            do {
                return try await show(request.url, request.callback)
            } catch {
                if let error = error as? WebAuthenticationError { throw error }
                throw error is CancellationError ? .cancelled : .couldNotShow("\(error)")
            }
        }
    }
}

extension MSALWebviewType {
    fileprivate var isSystemSession: Bool {
        switch self {
        case .default, .authenticationSession: return true
        #if os(iOS) || os(tvOS) || os(visionOS)
            case .safariViewController: return false
        #endif
        case .wkWebView: return false
        }
    }
}

/// The pages that are open in this process, for the calls of the class.
final class OpenPages: Sendable {
    static let shared = OpenPages()

    private struct Page: Sendable {
        let request: WebAuthenticationRequest
        let complete: CallbackAuthenticator.Completion
    }

    private let pages = Locked<[UUID: Page]>([:])

    /// The same authenticator, whose pages can also end by ``cancel()`` and ``take(_:)``.
    func listening(to authenticator: any WebAuthenticator) -> any WebAuthenticator {
        CallbackAuthenticator { [self] request, complete in
            let id = UUID()
            pages.withLock { $0[id] = Page(request: request, complete: complete) }
            let task = Task {
                do throws(WebAuthenticationError) {
                    complete(.success(try await authenticator.authenticate(request)))
                } catch {
                    complete(.failure(error))
                }
            }
            return {
                task.cancel()
                _ = self.pages.withLock { $0.removeValue(forKey: id) }
            }
        }
    }

    func cancel() -> Bool {
        let open = pages.withLock { Array($0.values) }
        for page in open { page.complete(.failure(.cancelled)) }
        return !open.isEmpty
    }

    func take(_ url: URL) -> Bool {
        let page = pages.withLock(\.self).values.first { $0.request.isAnswer(url) }
        page?.complete(.success(url))
        return page != nil
    }
}

// MARK: - Errors

extension NSError {
    /// An error of a browser, for a completion block.
    fileprivate static func msal(_ error: WebSignInError, _ page: WebPage, _ authority: MSALAuthority) async -> NSError
    {
        let details = error.details
        var userInfo: [String: Any] = [
            MSALErrorDescriptionKey: error.description, NSLocalizedDescriptionKey: error.description,
            MSALSTSErrorCodesKey: details.errorCodes, MSALCorrelationIDKey: details.correlationID,
        ]
        userInfo[MSALOAuthErrorKey] = details.error
        let (code, internalCode) = error.codes(isWithoutWindow: page.isWithoutWindow.withLock(\.self))
        userInfo[MSALInternalErrorCodeKey] = internalCode?.rawValue
        if case .declinedScopes(let declined, let granted, let account, _) = error {
            userInfo[MSALDeclinedScopesKey] = declined
            userInfo[MSALGrantedScopesKey] = granted
            do throws(TokenError) {
                let token = try await account.accessToken(policy: .cached)
                userInfo[MSALInvalidResultKey] = MSALResult(
                    token, of: account, authority: authority, correlationID: details.correlationID)
            } catch {
                // Without a token there is no result to add.
            }
        }
        return NSError(domain: MSALErrorDomain, code: code.rawValue, userInfo: userInfo)
    }
}

extension WebSignInError {
    fileprivate func codes(isWithoutWindow: Bool) -> (MSALError, MSALInternalError?) {
        switch self {
        case .cancelled, .service(.cancelled): (.userCanceled, nil)
        case .busy: (.internal, .interactiveSessionAlreadyRunning)
        case .couldNotShow: (.internal, isWithoutWindow ? .noViewController : nil)
        case .interactionRequired: (.interactionRequired, nil)
        case .answerRejected(.state, _): (.internal, .invalidState)
        case .answerRejected: (.internal, .invalidResponse)
        case .declinedScopes: (.serverDeclinedScopes, nil)
        case .otherUser: (.internal, .mismatchedUser)
        case .service(.invalidConfiguration(let details)):
            // A fault of the address of the server has a condition.
            (.internal, details.condition == nil ? .invalidRedirectURI : nil)
        case .service(.unexpected(let details)):
            details.error == nil || details.error == "server_error"
                ? (.serverError, nil) : (.internal, .authorizationFailed)
        case .service(.throttled), .service(.unreachable), .service(.indeterminate): (.serverError, nil)
        }
    }
}

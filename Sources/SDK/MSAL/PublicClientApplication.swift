public import Foundation
internal import NativeAuth

#if os(iOS) || os(tvOS) || os(visionOS)
    public import UIKit
#elseif os(macOS)
    public import AppKit
#endif

/// The base of all applications, regardless of their sign-in method. It has no public initializer: make a
/// ``MSALNativeAuthPublicClientApplication``.
///
/// This module opens no browser. Calls that need a browser answer at once, through their completion block, with an
/// error of ``MSALError/interactionRequired``, so that apps with a web fallback compile and can tell their users.
public class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Sendable holds because all stored properties, including those of the only subclass, are immutable and Sendable.

    let client: NativeAuthClient
    private let authority: MSALAuthority

    init(_ configuration: NativeAuthConfiguration) {
        client = NativeAuthClient(configuration)
        authority = MSALCIAMAuthority(configuration.authority)
    }

    // MARK: Accounts

    /// The signed-in accounts, latest first, from the token cache. Sends no request.
    public func allAccounts() throws -> [MSALAccount] {
        client.accounts().map(MSALAccount.init)
    }

    /// A signed-in account, by its ``MSALAccount/identifier``.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when there is none.
    public func account(forIdentifier identifier: String) throws -> MSALAccount {
        try account { $0.identifier == identifier }
    }

    /// A signed-in account, by its e-mail address without regard to letter case.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when there is none.
    public func account(forUsername username: String) throws -> MSALAccount {
        try account { $0.username?.lowercased() == username.lowercased() }
    }

    private func account(where isMeant: (MSALAccount) -> Bool) throws -> MSALAccount {
        guard let account = try allAccounts().first(where: isMeant) else {
            throw NSError.msal("No such account is signed in.")
        }
        return account
    }

    /// Reports the account that signed in last, on the main actor. The second account of the block, the previous one,
    /// is always nil.
    public func getCurrentAccount(
        with parameters: MSALParameters?,
        completionBlock: @escaping (MSALAccount?, MSALAccount?, (any Error)?) -> Void
    ) {
        perform(
            "getCurrentAccount", correlationID: client.makeCorrelationID(), for: completionBlock,
            work: { [client] () async throws(NativeAuthError) in client.currentAccount() },
            succeed: { completionBlock, user in completionBlock(user.map(MSALAccount.init), nil, nil) },
            fail: { completionBlock, error in completionBlock(nil, nil, NSError.msal(error)) })
    }

    private func user(of account: MSALAccount?, correlationID: UUID) throws(NativeAuthError) -> Account {
        guard let user = account.flatMap({ client.account(homeAccountID: $0.user.homeAccountID) }) else {
            throw .signInRequired(.init(correlationID: correlationID, message: "No such account is signed in."))
        }
        return user
    }

    /// Removes an account and its tokens from this device.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when the account is not signed in.
    public func remove(_ account: MSALAccount) throws {
        do throws(NativeAuthError) {
            client.signOut(try user(of: account, correlationID: client.makeCorrelationID()))
        } catch {
            throw NSError.msal(error)
        }
    }

    /// Removes an account and its tokens from this device, and calls the block on the main actor.
    ///
    /// The block receives an error when the parameters also ask for a sign-out from the browser, or the account is not
    /// signed in.
    public func signout(
        with account: MSALAccount, signoutParameters: MSALSignoutParameters,
        completionBlock: @escaping (Bool, (any Error)?) -> Void
    ) {
        let correlationID = client.makeCorrelationID()
        let signsOutFromBrowser = signoutParameters.signoutFromBrowser
        perform(
            "signout", correlationID: correlationID, for: completionBlock,
            work: { [self] () async throws(NativeAuthError) in
                client.signOut(try user(of: account, correlationID: correlationID))
                if signsOutFromBrowser { throw .noBrowser(correlationID: correlationID) }
            },
            succeed: { completionBlock, _ in completionBlock(true, nil) },
            fail: { completionBlock, error in completionBlock(false, NSError.msal(error)) })
    }

    // MARK: Tokens

    /// Gets a token for a signed-in account, from the cache or a new one. The block is called on the main actor.
    public func acquireTokenSilent(
        with parameters: MSALSilentTokenParameters, completionBlock: @escaping (MSALResult?, (any Error)?) -> Void
    ) {
        let correlationID = parameters.correlationId ?? client.makeCorrelationID()
        let (scopes, claims) = (parameters.scopes, parameters.claimsRequest?.jsonString())
        let (account, forceRefresh) = (parameters.account, parameters.forceRefresh)
        perform(
            "acquireTokenSilent", correlationID: correlationID, for: completionBlock,
            work: { [self] () async throws(NativeAuthError) in
                let user = try user(of: account, correlationID: correlationID)
                let token = try await client.accessToken(
                    for: user, scopes: scopes, claims: claims, forceRefresh: forceRefresh,
                    correlationID: correlationID)
                let renewed = client.account(homeAccountID: user.homeAccountID) ?? user
                return MSALResult(token, of: renewed, authority: authority, correlationID: correlationID)
            },
            succeed: { completionBlock, result in completionBlock(result, nil) },
            fail: { completionBlock, error in completionBlock(nil, NSError.msal(error)) })
    }

    /// Would sign a user in with a browser; here it reports an error of ``MSALError/interactionRequired``, on the main
    /// actor.
    public func acquireToken(
        with parameters: MSALInteractiveTokenParameters, completionBlock: @escaping (MSALResult?, (any Error)?) -> Void
    ) {
        let correlationID = parameters.correlationId ?? client.makeCorrelationID()
        perform(
            "acquireToken", correlationID: correlationID, for: completionBlock,
            work: { () async throws(NativeAuthError) in throw .noBrowser(correlationID: correlationID) },
            succeed: { (_, _: MSALResult) in },
            fail: { completionBlock, error in completionBlock(nil, NSError.msal(error)) })
    }

    /// Would end a browser session; there is none.
    ///
    /// - Returns: False.
    @discardableResult
    public class func cancelCurrentWebAuthSession() -> Bool { false }

    /// Would handle the URL that a browser or broker opened the app with; no call waits for one.
    ///
    /// - Returns: False.
    @discardableResult
    public class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool { false }
}

extension NativeAuthError {
    fileprivate static func noBrowser(correlationID: UUID) -> NativeAuthError {
        .browserRequired(
            .init(correlationID: correlationID, message: "A browser is needed, and this library opens none."))
    }
}

/// A token and its account. It has no public initializer.
public final class MSALResult: NSObject, Sendable {
    private let token: AccessToken
    /// The signed-in account.
    public let account: MSALAccount
    /// The tenant that issued the token.
    public let authority: MSALAuthority
    /// The identifier of the request in both logs.
    public let correlationId: UUID

    init(_ token: AccessToken, of user: Account, authority: MSALAuthority, correlationID: UUID) {
        self.token = token
        account = MSALAccount(user)
        self.authority = authority
        correlationId = correlationID
    }

    /// The token, for the header `Authorization: Bearer …`.
    public var accessToken: String { token.value }
    /// When the token expires.
    public var expiresOn: Date? { token.expiresOn }
    /// The granted scopes.
    public var scopes: [String] { token.scopes }
    /// The ID token, a JWT.
    public var idToken: String? { account.user.idToken }
    /// The user in their tenant.
    public var tenantProfile: MSALTenantProfile { MSALTenantProfile(account.user) }
    /// The value of the header `Authorization`.
    public var authorizationHeader: String { "\(authenticationScheme) \(accessToken)" }
    /// `Bearer`.
    public var authenticationScheme: String { "Bearer" }
}

// MARK: - Parameters

/// The base of the parameters of all calls with a completion block.
public class MSALParameters: NSObject {
    /// Default parameters.
    public override init() {}
}

/// The parameters of a token request. Hidden from `dump`, because they may name the user.
public class MSALTokenParameters: MSALParameters, Redacted {
    /// Scopes besides `openid`, `profile` and `offline_access`.
    public var scopes: [String]
    /// The account whose token is requested.
    public var account: MSALAccount?
    /// Another tenant for the request. Stored only: the request goes to the application's tenant.
    public var authority: MSALAuthority?
    /// Claims to request in the token.
    public var claimsRequest: MSALClaimsRequest?
    /// Parameters for a browser. Stored only.
    public var extraQueryParameters: [String: String]?
    /// The identifier of the request in both logs; nil for a new one.
    public var correlationId: UUID?

    /// Parameters for a token with `scopes`.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}

/// The parameters of a token request without a browser.
public final class MSALSilentTokenParameters: MSALTokenParameters {
    /// Whether to ask the server even when the cache has a valid token.
    public var forceRefresh = false

    /// Parameters for a token of `account` with `scopes`.
    public init(scopes: [String], account: MSALAccount) {
        super.init(scopes: scopes)
        self.account = account
    }
}

/// The parameters of a token request with a browser.
public final class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// Where a browser would be shown.
    public let webviewParameters: MSALWebviewParameters
    /// The question that the browser would ask.
    public var promptType = MSALPromptType.promptIfNecessary
    /// The user name that the browser would suggest.
    public var loginHint: String?
    /// Additional scopes that the browser would ask the user's consent for.
    public var extraScopesToConsent: [String]?

    /// Parameters for a token with `scopes` that a browser would get.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
        super.init(scopes: scopes)
    }
}

/// The question that a browser would ask.
public enum MSALPromptType: UInt, Sendable {
    /// Which account to use.
    case selectAccount
    /// The credentials, even when a user is signed in.
    case login
    /// The user's consent.
    case consent
    /// To sign up.
    case create
    /// Only what is missing.
    case promptIfNecessary

    /// The default, ``promptIfNecessary``.
    public static var `default`: MSALPromptType { .promptIfNecessary }
}

/// The parameters of a sign-out.
public final class MSALSignoutParameters: MSALParameters {
    /// Where a browser would be shown.
    public let webviewParameters: MSALWebviewParameters
    /// Whether the session in the browser must end too, which is an error here.
    public var signoutFromBrowser = false
    /// Whether the account must be removed too. Stored only: a sign-out always removes it.
    public var wipeAccount = false

    /// Parameters for a sign-out on this device.
    public init(webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
    }
}

/// Where and how a browser would be shown. It has no effect, because this module opens no browser.
public final class MSALWebviewParameters: NSObject {
    /// Whether the browser would be isolated from others.
    public var prefersEphemeralWebBrowserSession = false
    /// The kind of browser.
    public var webviewType = MSALWebviewType.default

    #if os(iOS) || os(tvOS) || os(visionOS)
        /// Over a screen of the app.
        public init(authPresentationViewController parentViewController: UIViewController) {}
    #elseif os(macOS)
        /// Over a window of the app.
        public init(authPresentationViewController parentViewController: NSViewController) {}
    #else
        /// An empty value: this platform has no view controllers.
        public override init() {}
    #endif
}

/// A kind of browser.
public enum MSALWebviewType: Int, Sendable {
    /// The system's default.
    case `default`
    /// The system's session for signing in.
    case authenticationSession
    #if os(iOS) || os(tvOS) || os(visionOS)
        /// The system's browser within the app.
        case safariViewController
    #endif
    /// The app's web view.
    case wkWebView
}

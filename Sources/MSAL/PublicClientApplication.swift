public import Foundation
internal import NativeAuth

#if os(iOS) || os(tvOS) || os(visionOS)
    public import UIKit
#elseif os(macOS)
    public import AppKit
#endif

/// What applications share whatever their way to sign in. It has no public initializer: make a
/// ``MSALNativeAuthPublicClientApplication``.
///
/// This module opens no browser. The calls that need one answer at once, through their completion block, with an error of
/// ``MSALError/interactionRequired``, so that apps with a web fallback compile and can tell their users.
public class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Sendable holds because all stored properties, also those of the one subclass, are immutable and Sendable.

    let client: NativeAuthClient
    private let authority: MSALAuthority

    init(_ configuration: NativeAuthConfiguration) {
        client = NativeAuthClient(configuration)
        authority = MSALCIAMAuthority(configuration.authority)
    }

    // MARK: Accounts

    /// The accounts that are signed in, the last one first, from the token cache. Asks no server.
    public func allAccounts() throws -> [MSALAccount] {
        client.accounts().map(MSALAccount.init)
    }

    /// An account that is signed in, by its ``MSALAccount/identifier``.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when there is none.
    public func account(forIdentifier identifier: String) throws -> MSALAccount {
        try account { $0.identifier == identifier }
    }

    /// An account that is signed in, by its e-mail address without regard to letter case.
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

    /// Tells who signed in last, on the main actor. The second account of the block, the one before, is always nil.
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

    /// Forgets an account and its tokens on this device.
    ///
    /// - Throws: An error in ``MSALErrorDomain`` when the account is not signed in.
    public func remove(_ account: MSALAccount) throws {
        do throws(NativeAuthError) {
            client.signOut(try user(of: account, correlationID: client.makeCorrelationID()))
        } catch {
            throw NSError.msal(error)
        }
    }

    /// Forgets an account and its tokens on this device, and tells so on the main actor.
    ///
    /// The block receives an error when a browser should be signed out too, or the account is not signed in.
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

    /// Gets a token for an account that is signed in: one from the cache, or a new one. The block is called on the main actor.
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

    /// Would sign a user in with a browser; answers an error of ``MSALError/interactionRequired``, on the main actor.
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

    /// Would take over the address that a browser or broker opened the app with; nobody waits for one.
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

/// A token and whose it is. It has no public initializer.
public final class MSALResult: NSObject, Sendable {
    private let token: AccessToken
    /// Who is signed in.
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
    /// When the token ends.
    public var expiresOn: Date? { token.expiresOn }
    /// What was granted.
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

/// What all calls with a completion block take.
public class MSALParameters: NSObject {
    /// Parameters that say nothing.
    public override init() {}
}

/// What a token is asked for. Shows none of it to `dump`, as it may name the user.
public class MSALTokenParameters: MSALParameters, Redacted {
    /// Scopes beside `openid`, `profile` and `offline_access`.
    public var scopes: [String]
    /// Whose token is wanted.
    public var account: MSALAccount?
    /// Another tenant to ask. Stored only: the one of the application is asked.
    public var authority: MSALAuthority?
    /// Claims that the token should carry.
    public var claimsRequest: MSALClaimsRequest?
    /// Parameters that a browser would take along. Stored only.
    public var extraQueryParameters: [String: String]?
    /// The identifier of the request in both logs; nil for a new one.
    public var correlationId: UUID?

    /// A token for `scopes`.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}

/// What a token is asked for without a browser.
public final class MSALSilentTokenParameters: MSALTokenParameters {
    /// Whether to ask the server even though a token that is good enough lies in the cache.
    public var forceRefresh = false

    /// A token for `scopes` of `account`.
    public init(scopes: [String], account: MSALAccount) {
        super.init(scopes: scopes)
        self.account = account
    }
}

/// What a token is asked for with a browser.
public final class MSALInteractiveTokenParameters: MSALTokenParameters {
    /// Where a browser would be shown.
    public let webviewParameters: MSALWebviewParameters
    /// What the browser would ask.
    public var promptType = MSALPromptType.promptIfNecessary
    /// The user name that the browser would suggest.
    public var loginHint: String?
    /// Scopes beside those of the token that the browser would ask the user's consent for.
    public var extraScopesToConsent: [String]?

    /// A token for `scopes` that a browser would get.
    public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
        super.init(scopes: scopes)
    }
}

/// What a browser would ask.
public enum MSALPromptType: UInt, Sendable {
    /// Which account.
    case selectAccount
    /// The credentials, whoever is signed in.
    case login
    /// The consent.
    case consent
    /// To sign up.
    case create
    /// What is missing.
    case promptIfNecessary

    /// ``promptIfNecessary``.
    public static var `default`: MSALPromptType { .promptIfNecessary }
}

/// How an account is signed out.
public final class MSALSignoutParameters: MSALParameters {
    /// Where a browser would be shown.
    public let webviewParameters: MSALWebviewParameters
    /// Whether the session in the browser should end too, which is an error here.
    public var signoutFromBrowser = false
    /// Whether the account should be forgotten too. Stored only: a sign-out always forgets it.
    public var wipeAccount = false

    /// A sign-out on this device.
    public init(webviewParameters: MSALWebviewParameters) {
        self.webviewParameters = webviewParameters
    }
}

/// Where and how a browser would be shown. It has no effect, as this module opens none.
public final class MSALWebviewParameters: NSObject {
    /// Whether the browser would share nothing with others.
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
        /// Nowhere: this platform has no view controllers.
        public override init() {}
    #endif
}

/// A kind of browser.
public enum MSALWebviewType: Int, Sendable {
    /// Whichever the system offers.
    case `default`
    /// A session of the system for signing in.
    case authenticationSession
    #if os(iOS) || os(tvOS) || os(visionOS)
        /// A browser of the system within the app.
        case safariViewController
    #endif
    /// A web view of the app.
    case wkWebView
}

public import Foundation
internal import NativeAuth

/// The base of all applications, regardless of their sign-in method. It has no public initializer: make a
/// ``MSALNativeAuthPublicClientApplication``.
///
/// ``acquireToken(with:completionBlock:)`` signs users in with the server's own pages in a browser; see <doc:Browsers>.
public class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Sendable holds because all stored properties, including those of the only subclass, are immutable and Sendable.

    let client: NativeAuthClient
    let authority: MSALAuthority

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
    /// With ``MSALSignoutParameters/signoutFromBrowser`` a browser then shows the server's page that ends the session
    /// there; a user who closes the page is signed out too. The block receives an error when the account is not signed
    /// in, or the page cannot be shown.
    public func signout(
        with account: MSALAccount, signoutParameters: MSALSignoutParameters,
        completionBlock: @escaping (Bool, (any Error)?) -> Void
    ) {
        let correlationID = client.makeCorrelationID()
        guard signoutParameters.signoutFromBrowser else {
            perform(
                "signout", correlationID: correlationID, for: completionBlock,
                work: { [self] () async throws(NativeAuthError) in
                    client.signOut(try user(of: account, correlationID: correlationID))
                },
                succeed: { completionBlock, _ in completionBlock(true, nil) },
                fail: { completionBlock, error in completionBlock(false, NSError.msal(error)) })
            return
        }
        let work = signingOutOfBrowser(account, signoutParameters.webviewParameters, correlationID)
        performInBrowser("signout", correlationID: correlationID, work) { result in
            switch result {
            case .success: completionBlock(true, nil)
            case .failure(let error): completionBlock(false, error)
            }
        }
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

    /// Signs a user in with the server's pages in a browser, and gets a token. The block is called on the main actor, once.
    ///
    /// One browser is open at a time. See <doc:Browsers> for the errors.
    public func acquireToken(
        with parameters: MSALInteractiveTokenParameters, completionBlock: @escaping (MSALResult?, (any Error)?) -> Void
    ) {
        let correlationID = parameters.correlationId ?? client.makeCorrelationID()
        performInBrowser("acquireToken", correlationID: correlationID, signingIn(parameters, correlationID)) { result in
            switch result {
            case .success(let result): completionBlock(result, nil)
            case .failure(let error): completionBlock(nil, error)
            }
        }
    }

    /// The same as ``acquireToken(with:completionBlock:)``, for `await`. When the task is cancelled, the browser closes.
    ///
    /// - Throws: The error that the block would receive.
    public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
        let correlationID = parameters.correlationId ?? client.makeCorrelationID()
        return try await signingIn(parameters, correlationID)()
    }

    /// Closes the browser of the running ``acquireToken(with:completionBlock:)`` or sign-out of this process, whose block
    /// then receives ``MSALError/userCanceled``.
    ///
    /// - Returns: Whether one was running.
    @discardableResult
    public class func cancelCurrentWebAuthSession() -> Bool { OpenPages.shared.cancel() }

    /// Takes the address that the app was opened with, such as a universal link that is the redirect URI.
    ///
    /// - Returns: Whether a browser was open that waited for it. An address with a wrong `state` is not accepted.
    @discardableResult
    public class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool {
        OpenPages.shared.take(response)
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
    /// Parameters for the page of an interactive request. Those that this library sends itself are refused.
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

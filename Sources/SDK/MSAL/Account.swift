public import Foundation
internal import NativeAuth

/// A signed-in user.
public final class MSALNativeAuthUserAccountResult: NSObject, @unchecked Sendable {
    // Sendable holds because every access to the two mutable properties holds the lock.
    private let lock = NSLock()
    private var lockedUser: Account
    private var lockedAccount: MSALAccount
    private let client: NativeAuthClient

    init(_ user: Account) {
        lockedUser = user
        lockedAccount = MSALAccount(user)
        client = user.client
    }

    /// The user's account. Replaced when an access token was fetched from the server.
    public var account: MSALAccount {
        get { lock.withLock { lockedAccount } }
        set { lock.withLock { lockedAccount = newValue } }
    }

    /// The ID token, a JWT. Replaced when an access token was fetched from the server.
    public var idToken: String? { lock.withLock { lockedUser.idToken } }

    /// Removes all users of this application and their tokens from this device. The server is told in the background,
    /// so that it also revokes the refresh token if it can.
    public func signOut() {
        client.signOut()
    }

    /// Gets an access token: one from the cache that is valid for five more minutes, or a new one.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns.
    ///   - delegate: Receives the outcome; held until then.
    public func getAccessToken(
        parameters: MSALNativeAuthGetAccessTokenParameters, delegate: any CredentialsDelegate
    ) {
        getAccessToken(
            scopes: parameters.scopes, claims: parameters.claimsRequest?.jsonString(),
            forceRefresh: parameters.forceRefresh, showsRefreshToken: parameters.returnRefreshToken,
            correlationID: parameters.correlationId, delegate: delegate)
    }

    /// The form of ``getAccessToken(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use getAccessToken(parameters:delegate:).")
    public func getAccessToken(
        forceRefresh: Bool = false, correlationId: UUID? = nil, delegate: any CredentialsDelegate
    ) {
        getAccessToken(
            scopes: nil, claims: nil, forceRefresh: forceRefresh, showsRefreshToken: false,
            correlationID: correlationId, delegate: delegate)
    }

    /// The form of ``getAccessToken(parameters:delegate:)`` in releases from 1.4 up to 2.0; empty `scopes` are an error
    /// with ``RetrieveAccessTokenError/isInvalidScope``.
    @available(*, deprecated, message: "Use getAccessToken(parameters:delegate:).")
    public func getAccessToken(
        scopes: [String], forceRefresh: Bool = false, correlationId: UUID? = nil, delegate: any CredentialsDelegate
    ) {
        getAccessToken(
            scopes: scopes, claims: nil, forceRefresh: forceRefresh, showsRefreshToken: false,
            needsScopes: true, correlationID: correlationId, delegate: delegate)
    }

    private func getAccessToken(
        scopes: [String]?, claims: String?, forceRefresh: Bool, showsRefreshToken: Bool, needsScopes: Bool = false,
        correlationID: UUID?, delegate: any CredentialsDelegate
    ) {
        let correlationID = correlationID ?? client.makeCorrelationID()
        perform(
            "getAccessToken", correlationID: correlationID, for: delegate,
            work: { [self] () async throws(NativeAuthError) in
                if needsScopes && scopes?.isEmpty == true {
                    throw .invalidScope(.init(correlationID: correlationID))
                }
                let user = lock.withLock { lockedUser }
                let token = try await client.accessToken(
                    for: user, scopes: scopes, claims: claims, forceRefresh: forceRefresh,
                    correlationID: correlationID)
                refresh()
                return token
            },
            succeed: { delegate, token in
                delegate.onAccessTokenRetrieveCompleted(
                    result: MSALNativeAuthTokenResult(token, showsRefreshToken: showsRefreshToken))
            },
            fail: { delegate, error in
                delegate.onAccessTokenRetrieveError(error: RetrieveAccessTokenError(error))
            })
    }

    /// Adopts the ID token that may have come with the access token.
    private func refresh() {
        guard let user = client.account(homeAccountID: lock.withLock { lockedUser.homeAccountID }) else { return }
        lock.withLock {
            guard user.idToken != lockedUser.idToken else { return }
            lockedUser = user
            lockedAccount = MSALAccount(user)
        }
    }
}

/// An access token.
public final class MSALNativeAuthTokenResult: NSObject, Sendable {
    private let token: AccessToken
    private let showsRefreshToken: Bool

    init(_ token: AccessToken, showsRefreshToken: Bool) {
        self.token = token
        self.showsRefreshToken = showsRefreshToken
    }

    /// The token, for the header `Authorization: Bearer …`.
    public var accessToken: String { token.value }
    /// The refresh token, when ``MSALNativeAuthGetAccessTokenParameters/returnRefreshToken`` asked for it.
    public var refreshToken: String? { showsRefreshToken ? token.refreshToken : nil }
    /// The granted scopes.
    public var scopes: [String] { token.scopes }
    /// When the token expires.
    public var expiresOn: Date? { token.expiresOn }
}

/// The identity of a user. It has no public initializer.
public final class MSALAccount: NSObject, Sendable {
    let user: Account

    init(_ user: Account) {
        self.user = user
    }

    /// The e-mail address.
    public var username: String? { user.username }
    /// `{objectId}.{tenantId}`.
    public var identifier: String? { user.homeAccountID }
    /// The host of the authority.
    public var environment: String { user.environment }
    /// The claims of the ID token; nil without one.
    public var accountClaims: [String: Any]? {
        user.idToken == nil ? nil : user.idTokenClaims.mapValues(\.any)
    }
    /// The identifiers of the user in their tenant.
    public var homeAccountId: MSALAccountId? {
        MSALAccountId(identifier: user.homeAccountID, objectId: user.objectID, tenantId: user.tenantID)
    }
    /// The user in each tenant; here always one, their own.
    public var tenantProfiles: [MSALTenantProfile]? { [MSALTenantProfile(user)] }
    /// Whether another app of the device signed the user in; here never.
    public var isSSOAccount: Bool { false }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? MSALAccount)?.user.homeAccountID == user.homeAccountID
    }

    public override var hash: Int { user.homeAccountID.hashValue }
}

/// The identifiers of an account. It has no public initializer.
public final class MSALAccountId: NSObject, Sendable {
    /// `{objectId}.{tenantId}`.
    public let identifier: String
    /// The user in the directory.
    public let objectId: String?
    /// The tenant.
    public let tenantId: String?

    init(identifier: String, objectId: String?, tenantId: String?) {
        self.identifier = identifier
        self.objectId = objectId
        self.tenantId = tenantId
    }
}

/// A user in one tenant. It has no public initializer.
public final class MSALTenantProfile: NSObject, Sendable {
    private let user: Account

    init(_ user: Account) {
        self.user = user
    }

    /// The user in the directory of the tenant.
    public var identifier: String? { user.objectID }
    /// The host of the authority.
    public var environment: String? { user.environment }
    /// The tenant.
    public var tenantId: String? { user.tenantID }
    /// Whether it is the tenant that the account belongs to.
    public var isHomeTenantProfile: Bool { true }
    /// The claims of the ID token; nil without one.
    public var claims: [String: Any]? { MSALAccount(user).accountClaims }
}

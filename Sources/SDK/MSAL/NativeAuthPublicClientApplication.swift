public import Foundation
package import NativeAuth

/// The entry point of an app: an application of a tenant, for native authentication.
///
/// It may be called from any thread. Each call returns at once; its delegate is called later, exactly once, on the main
/// actor.
public final class MSALNativeAuthPublicClientApplication: MSALPublicClientApplication, @unchecked Sendable {
    // Sendable holds because this class adds no stored property to its superclass, whose stored properties are
    // immutable and Sendable.

    /// An application with these settings, which are read now.
    ///
    /// - Parameter config: The settings.
    /// - Throws: An error in ``MSALErrorDomain`` for a blank client ID, or an authority that is not for external
    ///   tenants.
    public convenience init(nativeAuthConfiguration config: MSALNativeAuthPublicClientApplicationConfig) throws {
        self.init(try config.translated())
    }

    /// The form in releases before 2.2.
    ///
    /// - Parameters:
    ///   - config: The settings; its authority must be a ``MSALCIAMAuthority``.
    ///   - challengeTypes: The challenge types of the app's registration.
    /// - Throws: An error in ``MSALErrorDomain`` for a blank client ID, or an authority that is not for external
    ///   tenants.
    @available(*, deprecated, message: "Use init(nativeAuthConfiguration:).")
    public convenience init(
        configuration config: MSALPublicClientApplicationConfig, challengeTypes: MSALNativeAuthChallengeTypes
    ) throws {
        guard let authority = config.authority else {
            throw NSError.msal("Native authentication needs the authority of an external tenant.")
        }
        let native = MSALNativeAuthPublicClientApplicationConfig(
            clientId: config.clientId, authority: authority, challengeTypes: challengeTypes)
        native.redirectUri = config.redirectUri
        native.sliceConfig = config.sliceConfig
        native.cacheConfig.keychainSharingGroup = config.cacheConfig.keychainSharingGroup
        try self.init(nativeAuthConfiguration: native)
    }

    /// The form in releases before 2.2.
    ///
    /// - Parameters:
    ///   - clientId: The identifier of the app's registration.
    ///   - tenantSubdomain: The first label of the tenant's host.
    ///   - challengeTypes: The challenge types of the app's registration.
    ///   - redirectUri: The address at which a browser ends; see ``MSALPublicClientApplicationConfig/redirectUri``.
    /// - Throws: An error in ``MSALErrorDomain`` for a blank client ID, or a subdomain that is not a host label.
    @available(*, deprecated, message: "Use init(nativeAuthConfiguration:).")
    public convenience init(
        clientId: String, tenantSubdomain: String, challengeTypes: MSALNativeAuthChallengeTypes,
        redirectUri: String? = nil
    ) throws {
        let native = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientId, tenantSubdomain: tenantSubdomain, challengeTypes: challengeTypes)
        native.redirectUri = redirectUri
        try self.init(nativeAuthConfiguration: native)
    }

    /// An application over an existing client, such as one with another transport.
    package override init(_ configuration: NativeAuthConfiguration) {
        super.init(configuration)
    }

    /// The same as ``init(nativeAuthConfiguration:)``, with another transport.
    package convenience init(
        _ config: MSALNativeAuthPublicClientApplicationConfig, transport: any HTTPTransport
    ) throws {
        self.init(try config.translated(transport: transport))
    }

    /// The signed-in user, from the token cache; nil when there is none. Sends no request.
    ///
    /// - Parameter correlationId: The identifier in the log.
    public func getNativeAuthUserAccount(correlationId: UUID? = nil) -> MSALNativeAuthUserAccountResult? {
        let account = client.currentAccount()
        MSALGlobalConfig.loggerConfig.log(
            .info,
            "getNativeAuthUserAccount found \(account == nil ? "no account" : "an account"); correlation ID "
                + (correlationId ?? client.makeCorrelationID()).uuidString)
        guard let account, account.idToken != nil else { return nil }
        return MSALNativeAuthUserAccountResult(account)
    }
}

import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// A session of the user: one sign-in with an application on a device, or in a browser for all applications.
public struct AccountSession: Hashable, Sendable, Identifiable {
    public let id: String
    /// When the user signed in.
    public let createdAt: Date?
    /// When the application last renewed its tokens; at most a token's lifetime before the last use.
    public let lastUsedAt: Date?
    /// The identifier of the application; for a browser that of the account page (docs/protocol.md §18.4).
    public let applicationID: String
    /// The name of the application; nil when the tenant has it no longer, and for a browser.
    public let applicationName: String?
    /// The network of the last renewal, such as `192.0.2.0/24`; nil when the server does not know it.
    public let network: String?
    /// The model of the device, such as `iPhone16,1`, as the application told it; `browser` for a browser.
    public let deviceModel: String?
    /// The version of the device's operating system, as the application told it.
    public let operatingSystem: String?
    /// Whether it is the session of this app on this device.
    public let isCurrent: Bool

    init(_ session: Directory.Session) {
        id = session.id
        createdAt = directoryTime(session.createdDateTime)
        lastUsedAt = directoryTime(session.lastUsedDateTime)
        applicationID = session.appId
        applicationName = session.appDisplayName
        network = session.network
        deviceModel = session.deviceModel
        operatingSystem = session.operatingSystem
        isCurrent = session.isCurrent
    }
}

/// A device on which the user's second factor is left out in one application, until a day.
public struct AccountDevice: Hashable, Sendable, Identifiable {
    public let id: String
    /// When it was remembered.
    public let createdAt: Date?
    /// When the second factor is asked for again.
    public let endsAt: Date?
    /// The last sign-in that did not ask for it; nil: none yet.
    public let lastUsedAt: Date?
    /// The identifier of the application.
    public let applicationID: String
    /// The network in which it was remembered, such as `192.0.2.0/24`; nil when the server does not know it.
    public let network: String?
    /// The model of the device, such as `iPhone16,1`, as the application told it; `browser` for a browser.
    public let deviceModel: String?
    /// The version of the device's operating system, as the application told it.
    public let operatingSystem: String?

    init(_ device: Directory.RememberedDevice) {
        id = device.id
        createdAt = directoryTime(device.createdDateTime)
        endsAt = directoryTime(device.expirationDateTime)
        lastUsedAt = device.lastUsedDateTime.flatMap(directoryTime)
        applicationID = device.appId
        network = device.network
        deviceModel = device.deviceModel
        operatingSystem = device.operatingSystem
    }
}

extension Account {
    /// The devices on which the second factor is left out, the newest first.
    public func rememberedDevices(correlationID: UUID? = nil) async throws(AccountError) -> [AccountDevice] {
        let reply: Directory.List<Directory.RememberedDevice> = try await directory(
            .listDevices, correlationID: correlationID ?? client.makeCorrelationID())
        return reply.value.map(AccountDevice.init)
    }

    /// Forgets a device: its next sign-in asks for the second factor. Sessions go on.
    ///
    /// - Throws: ``AccountError/notFound(_:)`` when it is forgotten already.
    public func forget(_ device: AccountDevice, correlationID: UUID? = nil) async throws(AccountError) {
        try await change(.forgetDevice, id: device.id, correlationID: correlationID ?? client.makeCorrelationID())
    }

    /// Where the user is signed in, the last used session first.
    public func sessions(correlationID: UUID? = nil) async throws(AccountError) -> [AccountSession] {
        let reply: Directory.List<Directory.Session> = try await directory(
            .listSessions, correlationID: correlationID ?? client.makeCorrelationID())
        return reply.value.map(AccountSession.init)
    }

    /// Ends a session: its tokens are refused from now on. To end this one, use ``NativeAuthClient/signOutAndRevoke(_:)``.
    ///
    /// - Throws: ``AccountError/notFound(_:)`` when it has ended already.
    public func end(_ session: AccountSession, correlationID: UUID? = nil) async throws(AccountError) {
        try await change(.endSession, id: session.id, correlationID: correlationID ?? client.makeCorrelationID())
    }

    /// Ends all sessions but this one.
    public func endOtherSessions(correlationID: UUID? = nil) async throws(AccountError) {
        try await change(.endOtherSessions, correlationID: correlationID ?? client.makeCorrelationID())
    }

    /// Ends all sessions, also this one, and signs the user out here.
    public func endAllSessions(correlationID: UUID? = nil) async throws(AccountError) {
        let id = correlationID ?? client.makeCorrelationID()
        _ = try await directory(.endAllSessions, correlationID: id)
        try forget(id)
    }

    /// Removes the tokens of the user, whose sessions have ended at the server.
    func forget(_ correlationID: UUID) throws(AccountError) {
        do throws(TokenCacheError) {
            _ = try client.sessions.store.remove(homeAccountID)
        } catch {
            let message = "The token cache could not be changed: \(error)."
            throw .service(.unexpected(ErrorDetails(correlationID: correlationID, message: message)))
        }
    }
}

// MARK: - Proof

extension Account {
    /// Changes the password. The other sessions of the user end, unless they are to stay; this one continues.
    ///
    /// - Parameters:
    ///   - current: The present password; nil gives a first password to a user who signs in with codes.
    ///   - new: The new password, byte for byte.
    ///   - keepsOtherSessions: Whether the user's other sessions continue.
    ///   - correlationID: Identifies the request in the server's log; nil for a new ID.
    /// - Throws: ``AccountError/incorrectPassword(_:)``, ``AccountError/invalidPassword(_:_:)``;
    ///   ``AccountError/proofRequired(_:_:)`` for a first password, for an account with a second factor that the session
    ///   did not prove, and after many wrong passwords; ``AccountError/notAllowed(attribute:_:)`` when the application
    ///   has no passwords.
    public func changePassword(
        from current: String?, to new: String, keepsOtherSessions: Bool = false, correlationID: UUID? = nil
    ) async throws(AccountError) {
        let id = correlationID ?? client.makeCorrelationID()
        let asked = Directory.ChangePassword(
            currentPassword: current, newPassword: new, keepOtherSessions: keepsOtherSessions ? true : nil)
        try await change(.changePassword, body: try Self.body(asked, id), correlationID: id)
    }

    /// Begins a sign-in of the same user, which proves what a call demanded (``AccountError/proofRequired(_:_:)``). When
    /// it is complete, repeat the call: this value and all its copies use the new session, and the old one ends.
    ///
    /// - Parameters:
    ///   - demand: What the call demanded.
    ///   - password: The password; nil asks for it, or sends a code to a user who has none.
    ///   - correlationID: Identifies the flow in the server's log; nil for a new ID.
    public func signInAgain(
        for demand: ProofDemand, password: String? = nil, correlationID: UUID? = nil
    ) async throws(SignInError) -> SignInStep {
        do throws(NativeAuthError) {
            return SignInStep(
                try await startSignInAgain(for: demand, password: password, correlationID: correlationID))
        } catch {
            throw SignInError(error)
        }
    }

    /// The same as ``signInAgain(for:password:correlationID:)``, with the copyable form of the steps.
    func startSignInAgain(
        for demand: ProofDemand, password: String? = nil, correlationID: UUID?
    ) async throws(NativeAuthError) -> SignInFirstState {
        try await client.startSignIn(
            username: username, password: password, scopes: ["User.Read", "User.ReadWrite"], claims: demand.claims,
            replacing: homeAccountID, correlationID: correlationID)
    }
}

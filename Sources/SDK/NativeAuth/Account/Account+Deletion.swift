import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// What became of a request to delete the account.
public enum AccountDeletion: Hashable, Sendable {
    /// The account is deleted.
    case deleted
    /// The account will be deleted at this time, unless ``Account/keep(correlationID:)`` is called before.
    case scheduled(Date)
}

extension Account {
    /// Deletes the account: the profile, the names, the methods and all sessions, as one change. The user is signed out
    /// here, and ``NativeAuthClient/sessionChanges`` tells of it.
    ///
    /// Where the tenant gives users time to change their mind, the account is only scheduled for deletion: all sessions
    /// end, and until then the user can sign in and choose to ``keep(correlationID:)`` the account.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)`` when the sign-in is older than 10 minutes, and others.
    public func delete(correlationID: UUID? = nil) async throws(AccountError) -> AccountDeletion {
        let id = correlationID ?? client.makeCorrelationID()
        let response = try await directory(.deleteAccount, correlationID: id)
        if response.status == 204 {
            try forget(id)
            return .deleted
        }
        let due: Date?
        do {
            let reply: Directory.Deletion = try WireJSON.decode(from: response.body)
            due = response.status == 202 ? directoryTime(reply.deletionDueDateTime) : nil
        } catch {
            due = nil
        }
        // Another success says nothing about the account.
        guard let due else { throw AccountError(response, correlationID: id) }
        try forget(id)
        return .scheduled(due)
    }

    /// Keeps an account that is scheduled for deletion; does nothing to another one. Signing in alone does not keep it.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)`` when the account has a second factor and the session did not prove
    ///   it, and others.
    public func keep(correlationID: UUID? = nil) async throws(AccountError) {
        try await change(.keepAccount, correlationID: correlationID ?? client.makeCorrelationID())
    }

    /// A copy of everything that the server has stored about the user: one JSON document, to be given to the user as it
    /// is. It has the members `user`, `methods`, `sessions`, `earlierAddresses`, `groups`, `allowedApplications` and
    /// `activity`.
    public func export(correlationID: UUID? = nil) async throws(AccountError) -> Data {
        let id = correlationID ?? client.makeCorrelationID()
        let response = try await directory(.export, correlationID: id)
        do {
            let copy: [String: JSONValue] = try WireJSON.decode(from: response.body)
            if copy["user"] != nil { return response.body }
        } catch {
            // A page of a proxy is no copy.
        }
        throw AccountError(response, correlationID: id)
    }
}

extension AccountProfile {
    /// When the account will be deleted; nil: never. Only of a profile that was read with the member
    /// `nativeAuthDeletionDueDateTime`.
    public var deletionDueAt: Date? { directoryTime(members["nativeAuthDeletionDueDateTime"]?.string) }
}

package import IdentityEngine
import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// Users as JSON for the command line, one line for each document: the words of the directory API (docs/protocol.md
/// §18), and beside them what only operators see. Addresses are not masked.
package enum UserDocument {
    /// The user.
    ///
    /// - Parameter changed: The properties that a command has changed; nil for a command that changes none.
    package static func user(
        _ account: UserAccount, _ profile: UserProfile, changed: [String]? = nil
    ) throws -> String {
        var members = DirectoryCodec.members(of: profile)
        members["nativeAuthTenant"] = .string(profile.tenant.subdomain)
        members["nativeAuthDisabledDateTime"] = account.disabledAt.map { .string($0.ISO8601Format()) } ?? .null
        members["nativeAuthHasPassword"] = .boolean(account.passwordHash != nil)
        members["nativeAuthPasswordIsFromReset"] = .boolean(account.passwordIsFromReset)
        members["nativeAuthRequiresSecondFactor"] = .boolean(account.requiresSecondFactor)
        members["nativeAuthChanged"] = changed.map { .array($0.map { .string($0) }) }
        return try line(members)
    }

    /// What the user can prove the own identity with, a line for each.
    package static func methods(of account: UserAccount) throws -> [String] {
        try DirectoryCodec.methods(of: account, masked: false).map(line)
    }

    /// The sessions, a line for each.
    package static func sessions(_ summaries: [SessionSummary]) throws -> [String] {
        try summaries.map { try line(DirectoryCodec.session($0)) }
    }

    /// Everything that is stored about the user, as the user's own export.
    package static func export(
        _ account: UserAccount, _ profile: UserProfile, sessions: [SessionSummary],
        devices: [RememberedDevice], earlier undos: [EmailUndo],
        groups: [UserGroup], consents: [Consent], activity: [RecordedEvent]
    ) throws -> String {
        try line(
            DirectoryCodec.export(
                profile, methods: DirectoryCodec.methods(of: account, masked: false),
                sessions: sessions, devices: devices, earlier: undos, groups: groups, consents: consents,
                activity: activity))
    }

    /// What waits for another operator.
    package static func request(_ request: OperatorRequest) throws -> String {
        try line(OperatorCodec.request(request))
    }

    /// A user who was deleted a moment ago.
    package static func deleted(_ account: UserAccount, at date: Date) throws -> String {
        try line(["id": account.user.id.description, "deletedDateTime": date.ISO8601Format()])
    }

    private static func line(_ document: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(document), as: UTF8.self)
    }
}

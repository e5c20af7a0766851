package import NativeAuthCore
package import PortableFoundation

/// A role that an application defines: tokens for the application state it of users who are in a group that has it, and
/// of daemons that have it, as the claim `roles` (docs/protocol.md §6.3).
package struct ApplicationRole: Hashable, Sendable {
    /// Who can have a role.
    package enum Holder: String, Hashable, Sendable, CaseIterable {
        /// Users, by their groups.
        case users
        case daemons
    }

    /// Unique in the application.
    package var id: UUID
    /// The word in tokens, unique in the application.
    package var value: String
    /// For people, at most 256 bytes.
    package var displayName: String
    package var description: String
    /// Tokens do not state one that is not enabled.
    package var isEnabled: Bool
    package var holders: Set<Holder>
    /// The groups whose users have the role; one that was deleted has no users.
    package var groups: [UUID]

    /// The largest number of roles of an application.
    package static let maximumCount = 100
    /// The largest sum of the lengths of all words of an application, so that a token can state all of them.
    package static let maximumBytes = 2_048
    /// The largest number of groups that have a role.
    package static let maximumGroups = 40

    package init(
        id: UUID, value: String, displayName: String, description: String = "", isEnabled: Bool = true,
        holders: Set<Holder> = [.users], groups: [UUID] = []
    ) {
        self.id = id
        self.value = value
        self.displayName = displayName
        self.description = description
        self.isEnabled = isEnabled
        self.holders = holders
        self.groups = groups
    }

    /// The longest word.
    package static let longestValue = 120

    /// Whether the word can stand in a token, and behind the name of an application where a daemon has the role.
    package static func isWellFormed(_ value: String) -> Bool {
        (1...longestValue).contains(value.utf8.count) && !value.hasPrefix(".")
            && value.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "._-".utf8.contains($0)
            }
    }
}

extension Client {
    /// The audience of tokens for the application as an API.
    package var audience: String { "api://\(id)" }

    /// The application that an audience names; nil for other resources.
    package static func id(ofAudience audience: String) -> ClientID? {
        audience.hasPrefix("api://") ? ClientID(String(audience.dropFirst(6))) : nil
    }

    /// The words of the roles that users of the groups have, in the order of the document.
    package func roles(of groups: Set<UUID>) -> [String] {
        roles.filter { $0.isEnabled && $0.holders.contains(.users) && !groups.isDisjoint(with: $0.groups) }.map(\.value)
    }

    /// Whether the roles of a user depend on the groups.
    var hasRolesOfUsers: Bool {
        roles.contains { $0.isEnabled && $0.holders.contains(.users) && !$0.groups.isEmpty }
    }
}

extension TenantDirectory.Entry {
    /// How a daemon has the role, among ``Daemon/roles``.
    package static func spelling(of role: ApplicationRole, of client: Client) -> String {
        "\(client.audience)/\(role.value)"
    }

    /// Whether these roles in place of the application's would change what groups and daemons have: another word, a
    /// role that is gone, off, on again, or for others.
    package func changesHolders(ofApplicationAt index: Int, with roles: [ApplicationRole]) -> Bool {
        let client = applications[index]
        return client.roles.contains { old in
            let spelling = Self.spelling(of: old, of: client)
            guard !old.groups.isEmpty || daemons.contains(where: { $0.roles.contains(spelling) }) else { return false }
            guard let new = roles.first(where: { $0.id == old.id }) else { return true }
            return (new.value, new.isEnabled) != (old.value, old.isEnabled) || !new.holders.isSuperset(of: old.holders)
        }
    }

    /// Replaces the roles of the application at the index. A daemon keeps a role that has another word now, and loses
    /// one that is gone, or is not for daemons.
    package mutating func replaceRoles(ofApplicationAt index: Int, with roles: [ApplicationRole]) {
        let client = applications[index]
        var spellings: [String: String?] = [:]
        for old in client.roles {
            let new = roles.first { $0.id == old.id && $0.holders.contains(.daemons) }
            spellings[Self.spelling(of: old, of: client)] = .some(new.map { Self.spelling(of: $0, of: client) })
        }
        for daemon in daemons.indices {
            daemons[daemon].roles = daemons[daemon].roles.compactMap { spellings[$0] ?? $0 }
        }
        applications[index].roles = roles
    }
}

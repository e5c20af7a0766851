import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Reads the roles that an application of a document defines.
enum ReadRole {
    static func roles(_ entries: [YAMLMembers], _ faults: YAMLFaults) -> [ApplicationRole] {
        var (ids, values): (Set<UUID>, Set<String>) = ([], [])
        var bytes = 0
        return entries.enumerated().map { index, entry in
            let value = entry.text("value", isRequired: true) ?? ""
            let role = ApplicationRole(
                id: id(of: entry), value: value, displayName: ReadUserFlow.text("displayName", of: entry) ?? value,
                description: ReadUserFlow.text("description", of: entry) ?? "",
                isEnabled: entry.flag("enabled") ?? true, holders: entry.choices("for").map { Set($0) } ?? [.users],
                groups: groups(of: entry, faults))
            if !value.isEmpty, !ApplicationRole.isWellFormed(value) {
                entry.add(
                    "the role “\(Terminal.harmless(value))” must have 1 to \(ApplicationRole.longestValue) letters, digits, dots, hyphens and underscores, and not begin with a dot.",
                    at: "value")
            } else if !value.isEmpty, !values.insert(value).inserted {
                entry.add("two roles of the application have the value “\(value)”.", at: "value")
            }
            if !ids.insert(role.id).inserted {
                entry.add("two roles of the application have the id \(role.id.text).", at: "id")
            }
            if !role.groups.isEmpty, !role.holders.contains(.users) {
                entry.add(
                    "the role “\(Terminal.harmless(value))” is for daemons only: leave groups out, or add users to for.",
                    at: "groups")
            }
            if bytes <= ApplicationRole.maximumBytes, bytes + value.utf8.count > ApplicationRole.maximumBytes {
                entry.add(
                    "the values of an application's roles have at most \(ApplicationRole.maximumBytes) bytes together.",
                    at: "value")
            }
            bytes += value.utf8.count
            if index == ApplicationRole.maximumCount {
                entry.add("an application has at most \(ApplicationRole.maximumCount) roles.", at: "id")
            }
            entry.end()
            return role
        }
    }

    private static func id(of entry: YAMLMembers) -> UUID {
        // Unique, so that two missing ids are not reported as one id.
        guard let text = entry.text("id", isRequired: true) else { return UUID() }
        if let id = UUID(uuidString: text) { return id }
        entry.add("the id of a role “\(Terminal.harmless(text))” is not a UUID.", at: "id")
        return UUID()
    }

    private static func groups(of entry: YAMLMembers, _ faults: YAMLFaults) -> [UUID] {
        var groups: [UUID] = []
        for (text, line) in entry.texts("groups") {
            guard let id = UUID(uuidString: text) else {
                faults.add(
                    "groups has “\(Terminal.harmless(text))”; it must have ids of groups, which are UUIDs.", line: line)
                continue
            }
            if groups.contains(id) { faults.add("the group \(id.text) is there twice.", line: line) }
            if groups.count == ApplicationRole.maximumGroups {
                faults.add("a role has at most \(ApplicationRole.maximumGroups) groups.", line: line)
            }
            groups.append(id)
        }
        return groups
    }
}

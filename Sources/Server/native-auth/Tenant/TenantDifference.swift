import IdentityEngine
import NativeAuthCore

/// The changes of a document as text lines: `+` for an addition, `-` for a removal and `~` for a change.
struct TenantDifference {
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - old: The current tenants.
    ///   - users: The number of users of each tenant.
    init(from old: TenantDirectory, to new: TenantDirectory, users: [TenantID: Int]) {
        compare(
            old.entries.map { Item($0.tenant.id.description, "tenant \($0.tenant.subdomain)", $0) },
            new.entries.map { Item($0.tenant.id.description, "tenant \($0.tenant.subdomain)", $0) }, indent: "",
            facts: { entry in
                let count = users[entry.tenant.id] ?? 0
                let daemons = entry.daemons.isEmpty ? "" : counted(entry.daemons.count, "daemon") + ", "
                return "\(counted(entry.applications.count, "application")), \(daemons)\(counted(count, "user"))"
            },
            changes: { old, new, difference in
                difference.compare(
                    TenantText.members(of: old.tenant), TenantText.members(of: new.tenant), indent: "    ")
                difference.compare(
                    TenantText.members(of: old.tenant.mail), TenantText.members(of: new.tenant.mail),
                    indent: "    mail.")
                difference.compare(
                    TenantText.members(of: old.tenant.texts), TenantText.members(of: new.tenant.texts),
                    indent: "    sms.")
                difference.compare(
                    TenantText.members(of: old.tenant.passkeys), TenantText.members(of: new.tenant.passkeys),
                    indent: "    passkeys.")
                difference.compare(
                    TenantText.members(of: old.tenant.pages), TenantText.members(of: new.tenant.pages),
                    indent: "    pages.")
                difference.compare(
                    old.attributes, new.attributes, "attribute", { ($0.name, $0.displayName) }, TenantText.members
                ) { $0.type.rawValue }
                difference.compare(
                    old.userFlows, new.userFlows, "user flow", { ($0.id.text, $0.displayName) }, TenantText.members
                ) { "signIn \($0.method.rawValue)" }
                difference.compare(
                    old.applications, new.applications, "application", { ($0.id.description, $0.displayName) },
                    TenantText.members
                ) { "signIn \($0.userFlow.method.rawValue)" }
                difference.compare(
                    old.daemons, new.daemons, "daemon", { ($0.id.description, $0.displayName) }, TenantText.members
                ) { counted($0.roles.count, "role") }
                difference.compare(
                    TenantText.written(old.tenant.providers), TenantText.written(new.tenant.providers), "provider",
                    { ($0.id, $0.displayName) }, TenantText.members
                ) { Terminal.harmless($0.issuer) }
                // A rule has no name: its text says all.
                difference.compare(
                    old.tenant.levels, new.tenant.levels, "rule of levels",
                    { (TenantText.line(TenantText.mapping(TenantText.members(of: $0))), $0.level.rawValue) },
                    TenantText.members
                ) { "maxAge \($0.maximumAge.map(String.init) ?? "none")" }
                difference.compare(
                    old.tenant.hooks, new.tenant.hooks, "hook", { ($0.id.text, $0.displayName) }, TenantText.members
                ) { "\($0.event.rawValue), \(Terminal.harmless($0.url))" }
                difference.compare(
                    old.tenant.subscribers, new.tenant.subscribers, "subscriber", { ($0.id.text, $0.displayName) },
                    TenantText.members
                ) { Terminal.harmless($0.url) }
            })
    }

    /// A value with the id that identifies it before and after.
    private struct Item<Value: Hashable> {
        var id: String
        var name: String
        var value: Value

        init(_ id: String, _ name: String, _ value: Value) {
            (self.id, self.name, self.value) = (id, Terminal.harmless(name), value)
        }
    }

    /// A list of a tenant: an element has the same id before and after.
    private mutating func compare<Value: Hashable>(
        _ old: [Value], _ new: [Value], _ noun: String, _ name: (Value) -> (id: String, name: String),
        _ members: (Value) -> TenantText.Members, facts: (Value) -> String
    ) {
        func items(_ values: [Value]) -> [Item<Value>] {
            values.map { Item(name($0).id, "\(noun) \(name($0).name)", $0) }
        }
        compare(items(old), items(new), indent: "    ", facts: facts) { old, new, difference in
            difference.compare(members(old), members(new), indent: "        ")
        }
    }

    private mutating func compare<Value: Hashable>(
        _ old: [Item<Value>], _ new: [Item<Value>], indent: String, facts: (Value) -> String,
        changes: (Value, Value, inout TenantDifference) -> Void
    ) {
        for item in old where !new.contains(where: { $0.id == item.id }) {
            lines.append("\(indent)- \(item.name) (\(item.id)): \(facts(item.value))")
        }
        for item in new {
            guard let before = old.first(where: { $0.id == item.id }) else {
                lines.append("\(indent)+ \(item.name) (\(item.id)): \(facts(item.value))")
                continue
            }
            guard before.value != item.value else { continue }
            lines.append("\(indent)~ \(before.name) (\(item.id))")
            changes(before.value, item.value, &self)
        }
    }

    private mutating func compare(_ old: TenantText.Members, _ new: TenantText.Members, indent: String) {
        let names = old.map(\.name) + new.map(\.name).filter { name in !old.contains { $0.name == name } }
        for name in names {
            let (before, after) = (old.first { $0.name == name }?.value, new.first { $0.name == name }?.value)
            guard before != after else { continue }
            let words = [before, after].map { $0.map { Self.short(TenantText.line($0)) } ?? "default" }
            lines.append("\(indent)\(name): \(words[0]) → \(words[1])")
        }
    }

    /// A template or a picture does not fill the terminal.
    private static func short(_ words: String) -> String {
        words.count > 200 ? words.prefix(160) + "… (\(words.utf8.count) bytes)" : words
    }
}

/// `1 tenant`, `2 tenants`.
func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

extension TenantDirectory {
    /// `2 tenants, 3 applications`, and `, 1 daemon` if there are daemons; the same for hooks and subscribers.
    var summary: String {
        func all(_ count: (Entry) -> Int) -> Int { entries.map(count).reduce(0, +) }
        let more = [
            (all(\.userFlows.count), "user flow"), (all(\.attributes.count), "attribute"),
            (all(\.daemons.count), "daemon"),
            (all(\.tenant.hooks.count), "hook"),
            (all(\.tenant.subscribers.count), "subscriber"),
        ]
        return counted(entries.count, "tenant") + ", " + counted(all(\.applications.count), "application")
            + more.filter { $0.0 > 0 }.map { ", " + counted($0.0, $0.1) }.joined()
    }
}

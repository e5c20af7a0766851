import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// A user flow of a document, with the lines of its members, and the attributes of tenants, applications and flows.
struct ReadUserFlow {
    /// The value of `userFlow` of an application that has none.
    static let none = "none"
    private static let mostFlows = 100
    private static let mostAttributes = 100
    /// The highest ``AttributePattern/cost`` of all patterns of a tenant together, which takes the C library about a second.
    static let mostPatternCost = 10_000

    let flow: SharedUserFlow
    private let members: YAMLMembers

    static func flow(
        _ members: YAMLMembers, displayName: String, id: UUID, _ attributes: [TenantAttribute], _ faults: YAMLFaults
    ) -> ReadUserFlow {
        let required = members.texts("requiredAttributes")
        let flow = SharedUserFlow(
            id: id, displayName: displayName, description: description(of: members),
            priority: members.number("priority", 0...1_000_000) ?? SharedUserFlow.usualPriority,
            method: members.choice("signIn", isRequired: true) ?? .emailOneTimePasscode,
            allowsSignUp: members.flag("allowsSignUp") ?? true,
            attributes: Self.attributes(
                members.list("attributes", of: "an attribute"), required: required, attributes, faults))
        members.end()
        return ReadUserFlow(flow: flow, members: members)
    }

    /// Ids and names are unique in a tenant.
    static func check(_ flows: [ReadUserFlow]) {
        var (ids, names): (Set<UUID>, Set<String>) = ([], [])
        for (index, read) in flows.enumerated() {
            if !ids.insert(read.flow.id).inserted {
                read.members.add("two user flows of the tenant have the id \(read.flow.id.text).", at: "id")
            }
            if !names.insert(read.flow.displayName.lowercased()).inserted {
                read.members.add(
                    "two user flows of the tenant are called “\(read.flow.displayName)”.", at: "displayName")
            }
            if index == mostFlows {
                read.members.add("a tenant has at most \(mostFlows) user flows.", at: "displayName")
            }
        }
    }

    /// The attributes of the tenant beside the built-in ones.
    static func attributes(_ entries: [YAMLMembers]) -> [TenantAttribute] {
        var names = Set(AttributeDefinition.builtIn.map { $0.name.lowercased() } + ["email", "mail"])
        return entries.enumerated().map { index, entry in
            let name = entry.text("name", isRequired: true) ?? ""
            let displayName = text("displayName", of: entry) ?? name
            if !name.isEmpty, !isName(name) {
                entry.add(
                    "the attribute “\(name)” must have 1 to 128 letters, digits and underscores, a letter first.",
                    at: "name")
            } else if !name.isEmpty, !names.insert(name.lowercased()).inserted {
                entry.add("the attribute “\(name)” is built in, or is there twice.", at: "name")
            }
            if index == mostAttributes { entry.add("a tenant has at most \(mostAttributes) attributes.", at: "name") }
            let attribute = TenantAttribute(
                name: name, displayName: displayName, description: description(of: entry),
                type: entry.choice("type") ?? .string)
            entry.end()
            return attribute
        }
    }

    /// The built-in attributes; those of the document replace them or follow after them, in its order.
    ///
    /// - Parameter known: The attributes of the tenant, which say the type of theirs.
    static func attributes(
        _ entries: [YAMLMembers], required: [(text: String, line: Int?)], _ known: [TenantAttribute],
        _ faults: YAMLFaults
    ) -> [AttributeDefinition] {
        var attributes = AttributeDefinition.builtIn
        var seen: Set<String> = []
        for entry in entries {
            let name = entry.text("name", isRequired: true) ?? ""
            let ofTenant = known.first { $0.name == name }
            var definition =
                attributes.first { $0.name == name }
                ?? AttributeDefinition(name: name, type: ofTenant?.type ?? .string)
            definition.type = entry.choice("type") ?? definition.type
            if let ofTenant, ofTenant.type != definition.type {
                entry.add("“\(name)” is of type \(ofTenant.type.rawValue) in the tenant.", at: "type")
            }
            definition.isRequired = entry.flag("required") ?? definition.isRequired
            definition.maximumLength = entry.number("maximumLength", 1...4_000) ?? definition.maximumLength
            definition.label = text("label", of: entry)
            definition.userMayChange = entry.flag("userMayChange") ?? definition.userMayChange
            if definition.name == AttributeDefinition.aliasName, definition.userMayChange {
                entry.add("users cannot change “\(name)”: it is a login name.", at: "userMayChange")
            }
            if let regex = entry.text("regex") {
                if definition.type != .string {
                    entry.add(
                        "“\(name)” is of type \(definition.type.rawValue); only a string has a regex.", at: "regex")
                }
                definition.pattern = AttributePattern(regex)
                if definition.pattern == nil {
                    entry.add(
                        "the regex of “\(name)” is not understood; it must be a POSIX extended regular expression of at most 512 bytes, without large repetitions.",
                        at: "regex")
                }
            }
            if !name.isEmpty, !seen.insert(name).inserted {
                entry.add("the attribute “\(name)” is there twice.", at: "name")
            }
            entry.end()
            attributes.removeAll { $0.name == name }
            attributes.append(definition)
        }
        for (name, line) in required {
            if let index = attributes.firstIndex(where: { $0.name == name }) {
                attributes[index].isRequired = true
            } else if let ofTenant = known.first(where: { $0.name == name }) {
                attributes.append(AttributeDefinition(name: name, type: ofTenant.type, isRequired: true))
            } else {
                faults.add("requiredAttributes names “\(name)”, which is no attribute.", line: line)
            }
        }
        return attributes
    }

    /// A text for people.
    static func text(_ name: String, of members: YAMLMembers) -> String? {
        guard let text = members.text(name) else { return nil }
        if !(1...256).contains(text.utf8.count) || Terminal.harmless(text) != text {
            members.add("\(name) must have 1 to 256 bytes, and no line end or control character.", at: name)
        }
        return text
    }

    private static func description(of members: YAMLMembers) -> String { text("description", of: members) ?? "" }

    private static func isName(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard let first = utf8.first, utf8.count <= 128, (0x41...0x5A).contains(first & 0xDF) else { return false }
        return utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
    }
}

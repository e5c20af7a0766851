import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What a tenant document says about levels (docs/use/second-factor.md).
enum ReadLevels {
    /// A level that a rule can demand, by its name in the document.
    private enum Level: String, CaseIterable {
        case l1, l1m, l2r, l2, l2p

        /// Every level but the one of no proofs, which none demands.
        var level: Assurance.Level {
            switch self {
            case .l1: .oneFactor
            case .l1m: .mailed
            case .l2r: .restricted
            case .l2: .twoFactors
            case .l2p: .phishingResistant
            }
        }
    }

    /// Reads the list. A faulty value is left out: a document with a fault is never used.
    ///
    /// - Parameters:
    ///   - tenant: With its methods, which a level must be within reach of.
    ///   - clients: The applications of the tenant.
    static func levels(
        _ entries: [YAMLMembers], of members: YAMLMembers, _ tenant: Tenant, clients: [Client]
    ) -> [LevelRule] {
        if entries.count > LevelRule.most {
            members.add("levels has \(entries.count) entries; a tenant has at most \(LevelRule.most).", at: "levels")
        }
        return entries.map { rule($0, tenant, clients) }
    }

    private static func rule(_ members: YAMLMembers, _ tenant: Tenant, _ clients: [Client]) -> LevelRule {
        let word: Level? = members.choice("level")
        if !members.has("level") {
            members.add("a rule of levels needs level: l1, l1m, l2r, l2 or l2p.", at: "level")
        }
        var rule = LevelRule(
            level: word?.level ?? .mailed, maximumAge: members.number("maxAge", LevelRule.ages))
        if rule.level == .oneFactor, rule.maximumAge == nil {
            members.add("every sign-in is of the level l1: give the rule a maxAge, or another level.", at: "level")
        }
        if let lack = lack(rule.level, tenant) {
            members.add(
                "no user of the tenant can reach \(word?.rawValue ?? ""): it has \(lack).", at: "level")
        }
        rule.contexts = unique("contexts", members) { text, line in
            guard !ClaimsRequest.isContext(text) else { return text }
            members.add("“\(Terminal.harmless(text))” is no context; contexts are c1 to c99.", line: line)
            return nil
        }
        rule.applications = unique("applications", members) { text, line in
            if let id = ClientID(text), let client = clients.first(where: { $0.id == id }) {
                // A code by mail is no factor beside a telephone or an app for more than l1m.
                let hasMore =
                    rule.level <= .mailed && (tenant.texts != nil || tenant.offersApps)
                    || rule.level <= tenant.statedLevel
                if rule.level > .oneFactor, client.userFlow.method == .emailOneTimePasscode, tenant.passkeys == nil,
                    !hasMore
                {
                    members.add(
                        "users of “\(client.displayName)” have no password, and cannot reach \(word?.rawValue ?? "") without passkeys\(rule.level > .mailed ? "" : ", sms or authenticatorApps").",
                        line: line)
                }
                if client.flowSource == .none {
                    members.add(
                        "no user signs in to “\(client.displayName)”: name its scopes, or the applications that use it.",
                        line: line)
                }
                return id
            }
            members.add("applications: “\(Terminal.harmless(text))” is no clientId of the tenant.", line: line)
            return nil
        }
        rule.scopes = unique("scopes", members) { text, line in
            if let fault = ConfiguredScope.fault(text) {
                members.add(fault, line: line)
            } else if text == ConfiguredScope.any || ResourceScope.openID.contains(text) {
                members.add(
                    "scopes: “\(Terminal.harmless(text))” is no scope of an API; name the applications instead.",
                    line: line)
            } else {
                return text
            }
            return nil
        }
        rule.groups = unique("groups", members) { text, line in
            if let id = UUID(uuidString: text) { return id }
            members.add(
                "groups has “\(Terminal.harmless(text))”; it must have ids of groups, which are UUIDs.", line: line)
            return nil
        }
        if rule.contexts.isEmpty, rule.applications.isEmpty, rule.scopes.isEmpty, rule.groups.isEmpty {
            members.add("a rule of levels needs contexts, applications, scopes or groups.", at: "level")
        }
        members.end()
        return rule
    }

    private static func unique<Value: Hashable>(
        _ name: String, _ members: YAMLMembers, _ value: (String, Int?) -> Value?
    ) -> [Value] {
        var values: [Value] = []
        for (text, line) in members.texts(name, mayBeEmpty: false) {
            guard let value = value(text, line) else { continue }
            if values.contains(value) {
                members.add("\(name): “\(Terminal.harmless(text))” is there twice.", line: line)
            }
            values.append(value)
        }
        return values
    }

    /// The members that a tenant needs for the level, where it has none of them.
    private static func lack(_ level: Assurance.Level, _ tenant: Tenant) -> String? {
        switch level {
        case _ where level <= tenant.statedLevel: nil
        case .nothing, .oneFactor, .mailed: nil
        case .restricted where tenant.texts == nil && !tenant.offersApps && tenant.passkeys == nil:
            "neither sms nor authenticatorApps nor passkeys"
        case .twoFactors where !tenant.offersApps && tenant.passkeys == nil: "neither authenticatorApps nor passkeys"
        case .phishingResistant where tenant.passkeys == nil: "no passkeys"
        case .restricted, .twoFactors, .phishingResistant: nil
        }
    }
}

import IdentityEngine
import PortableFoundation

/// What a tenant takes a provider's words about the strength of a sign-in for (docs/operate/providers.md).
enum ReadStrength {
    /// A level that a provider's word can mean.
    private enum Level: String, CaseIterable {
        case l1m, l2r, l2, l2p

        var level: Assurance.Level {
            switch self {
            case .l1m: .mailed
            case .l2r: .restricted
            case .l2: .twoFactors
            case .l2p: .phishingResistant
            }
        }
    }

    /// Reads the member. A faulty value is left out: a document with a fault is never used.
    static func strength(_ provider: YAMLMembers) -> ProviderStrength? {
        guard let members = provider.members("strength", of: "the member strength of a provider") else { return nil }
        let strength = ProviderStrength(byContext: entries("acr", of: members), byMethod: entries("amr", of: members))
        if strength.byContext.isEmpty, strength.byMethod.isEmpty {
            provider.add("strength needs acr or amr: the values that mean more than one factor.", at: "strength")
        }
        for entry in strength.byMethod where entry.level > .twoFactors {
            members.add(
                "amr: “\(Terminal.harmless(entry.value))” can mean l2 at most; l2p is for values of acr.", at: "amr")
        }
        members.end()
        return strength
    }

    private static func entries(_ claim: String, of members: YAMLMembers) -> [ProviderStrength.Entry] {
        let listed = members.list(claim, of: "an entry of \(claim)")
        if listed.count > ProviderStrength.most {
            members.add(
                "\(claim) has \(listed.count) entries; it can have \(ProviderStrength.most) at most.", at: claim)
        }
        var entries: [ProviderStrength.Entry] = []
        for entry in listed {
            let value = entry.text("value", isRequired: true)
            let level: Level? = entry.choice("level", isRequired: true)
            entry.end()
            guard let value, let level else { continue }
            if !isValue(value) {
                entry.add("a value of \(claim) must have 1 to 255 visible ASCII characters.", at: "value")
            } else if entries.contains(where: { $0.value == value }) {
                entry.add("\(claim) has “\(Terminal.harmless(value))” twice.", at: "value")
            }
            entries.append(ProviderStrength.Entry(value, level.level))
        }
        return entries
    }

    private static func isValue(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

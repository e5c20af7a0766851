import IdentityEngine

/// The texts that people type.
enum Words {
    static let addresses = ["dana@example.com", "otto@example.com", "Freya@example.com", "dana+shop@example.com"]
    static let spellings = ["DANA@example.com", "Otto@Example.COM"]
    static let strangers = ["nobody@example.com", "not an address", "lucky.7"]
    static let aliases = ["speedy", "Lucky.7", "harbour-9"]
    static let passwords = ["Tulip-Harbour-42", "Copper-Lantern-57", "Velvet-Orchard-83", "Saffron-Glacier-19"]
    static let weakPasswords = ["Aa1!", "abcdefghijkl", "P\u{E4}ssword-42-x", "Password1!"]
    static let contacts = ["second@example.net", "spare@example.net"]

    static func isAcceptable(_ password: String) -> Bool { passwords.contains(password) }

    static func isKnown(_ attribute: String) -> Bool {
        AttributeDefinition.builtIn.contains { $0.name == attribute }
    }

    static func areAcceptable(_ attributes: [String: String]) -> Bool {
        attributes.allSatisfy { name, value in
            name == AttributeDefinition.aliasName ? aliases.contains(value) : !value.isEmpty
        }
    }
}

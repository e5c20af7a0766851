import IdentityEngine

/// The names of attributes for people.
enum AttributeTitle {
    static func of(_ name: String) -> String {
        switch name {
        case "displayName": "Name"
        case "givenName": "Given name"
        case "surname": "Surname"
        case "jobTitle": "Job title"
        case "country": "Country"
        case "state": "State"
        case "city": "City"
        case "streetAddress": "Street address"
        case "postalCode": "Postal code"
        case "preferredLanguage": "Language"
        case AttributeDefinition.aliasName: "Alias"
        case _: name
        }
    }

    /// The same; a name of the tenant's own is split into words: `extension_memberNumber` becomes "Member number".
    static func words(_ name: String) -> String {
        let title = of(name)
        guard title == name else { return title }
        // The vendor writes the number of an application between prefix and name.
        let parts = name.split(separator: "_").drop { $0 == "extension" || $0.utf8.count == 32 }
        var text = ""
        for character in parts.joined(separator: " ") {
            if character.isUppercase, let last = text.last, last.isLowercase || last.isNumber { text.append(" ") }
            text.append(character)
        }
        let words = text.split(separator: " ").map { $0.allSatisfy(\.isUppercase) ? String($0) : $0.lowercased() }
        let joined = words.joined(separator: " ")
        return joined.isEmpty ? name : joined.prefix(1).uppercased() + joined.dropFirst()
    }
}

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
}

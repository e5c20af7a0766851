package import NativeAuthCore

/// An attribute that a user flow accepts, and its rules (docs/protocol.md §11).
package struct AttributeDefinition: Hashable, Sendable {
    package enum ValueType: String, Hashable, Sendable, Codable, CaseIterable {
        case string
        case boolean
        case integer
    }

    /// The name of the attribute in the API.
    package var name: String
    package var type: ValueType
    /// Whether an account needs this attribute.
    package var isRequired: Bool
    /// A regular expression that the whole value must match.
    package var pattern: AttributePattern?
    /// The maximum length of a value, in characters.
    package var maximumLength: Int
    /// The text at the input of a page, at most 256 bytes; nil: the page has its own.
    package var label: String?
    /// Whether a signed-in user may change the value (docs/protocol.md §18.2).
    package var userMayChange: Bool

    package init(
        name: String, type: ValueType = .string, isRequired: Bool = false, pattern: AttributePattern? = nil,
        maximumLength: Int = 250, label: String? = nil, userMayChange: Bool? = nil
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.pattern = pattern
        self.maximumLength = maximumLength
        self.label = label
        self.userMayChange = userMayChange ?? Self.changedByUsers.contains(name)
    }

    /// The attributes that a user may change unless the tenant says otherwise: the vendor's list.
    package static let changedByUsers: Set<String> = [
        "displayName", "givenName", "surname", "jobTitle", "country", "state", "city", "streetAddress", "postalCode",
        "preferredLanguage",
    ]

    /// An attribute of the directory that no sign-up collects: a language tag such as `da-DK`.
    package static let preferredLanguage = AttributeDefinition(name: "preferredLanguage", maximumLength: 20)

    /// The name of the alias, an attribute that is also a login name (`SEC-ID-6`).
    package static let aliasName = "flatusername"

    /// The built-in attributes with their maximum lengths (docs/protocol.md §11.1), and the alias.
    package static let builtIn: [AttributeDefinition] = [
        .init(name: "displayName", maximumLength: 256),
        .init(name: "givenName", maximumLength: 64),
        .init(name: "surname", maximumLength: 64),
        .init(name: "jobTitle", maximumLength: 128),
        .init(name: "country", maximumLength: 128),
        .init(name: "state", maximumLength: 128),
        .init(name: "city", maximumLength: 128),
        .init(name: "streetAddress", maximumLength: 1024),
        .init(name: "postalCode", maximumLength: 40),
        .init(name: aliasName, maximumLength: 64),
    ]

    /// The description that the client gets when the attribute is missing.
    package var asRequired: RequiredAttribute {
        RequiredAttribute(name: name, type: type.rawValue, isRequired: isRequired, regex: pattern?.source)
    }
}

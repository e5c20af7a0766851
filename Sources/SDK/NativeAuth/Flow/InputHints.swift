public import NativeAuthCore

/// A possible mistake in a typed code. See ``SentCode/hint(for:)``.
public enum CodeHint: Hashable, Sendable {
    /// The code has this many characters too few.
    case tooShort(missing: Int)
    /// The code has this many characters too many.
    case tooLong(by: Int)
    /// The code has characters other than the digits 0 to 9; a recovery code other than these and the letters A to Z.
    case notDigits
}

/// A possible mistake in a typed e-mail address. Only a hint: the server decides, and it also accepts aliases.
public enum EmailHint: Hashable, Sendable {
    /// There is no `@`, or more than one.
    case noAt
    /// The part before the `@` is empty.
    case noName
    /// The part after the `@` is not a name with a dot, such as `example.com`.
    case noDomain
    /// The text has a space or another character that no address has.
    case badCharacter

    /// The first possible mistake in `text`; nil when it looks like an address.
    public init?(_ text: String) {
        guard !text.contains(where: { $0.isWhitespace || $0 == "," || $0 == ";" || $0 == "<" || $0 == ">" }) else {
            self = .badCharacter
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self = .noAt
            return
        }
        guard !parts[0].isEmpty else {
            self = .noName
            return
        }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
            self = .noDomain
            return
        }
        return nil
    }
}

/// A possible mistake in the value of an attribute.
public enum AttributeHint: Hashable, Sendable {
    /// The attribute is required and missing or empty.
    case missing
    /// The value has another type than the attribute: `string`, `boolean` or `integer`.
    case wrongType(expected: String)
    /// The whole value does not match the attribute's regular expression.
    case patternMismatch(regex: String)
}

extension RequiredAttribute {
    /// The user's text as a value of the attribute's type: `true` and `false` in any letter case for a boolean, digits
    /// for an integer. Other text stays text, and the server decides about it.
    public func value(from text: String) -> AttributeValue {
        switch type.lowercased() {
        case "boolean": Bool(text.lowercased()).map(AttributeValue.boolean) ?? .string(text)
        case "integer": Int(text).map(AttributeValue.integer) ?? .string(text)
        case _: .string(text)
        }
    }

    /// A possible mistake in `value` for this attribute, before it is sent; nil when there is none. Only a hint: the
    /// server decides.
    ///
    /// A regular expression that this platform does not support is ignored.
    public func hint(for value: AttributeValue?) -> AttributeHint? {
        guard let value, !value.description.isEmpty else { return isRequired ? .missing : nil }
        switch (value, type.lowercased()) {
        case (.string, "boolean"), (.string, "integer"), (.integer, "boolean"), (.boolean, "integer"),
            (.integer, "string"), (.boolean, "string"):
            return .wrongType(expected: type)
        case (_, _):
            break
        }
        guard let regex else { return nil }
        do {
            let match = try Regex(regex).wholeMatch(in: value.description)
            return match == nil ? .patternMismatch(regex: regex) : nil
        } catch {
            // A pattern that cannot be compiled or run here says nothing about the value: the server decides.
            return nil
        }
    }
}

/// The programmable names of the built-in attributes that user flows can ask for (docs/protocol.md §11). The tenant's
/// own attributes are `extension_{application}_{name}`.
public enum AttributeName {
    public static let city = "city"
    public static let country = "country"
    public static let displayName = "displayName"
    public static let givenName = "givenName"
    public static let jobTitle = "jobTitle"
    public static let postalCode = "postalCode"
    public static let state = "state"
    public static let streetAddress = "streetAddress"
    public static let surname = "surname"
    /// An alias that the user can sign in with, besides the e-mail address.
    public static let flatUsername = "flatusername"
}

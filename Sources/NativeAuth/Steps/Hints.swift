public import NativeAuthCore

/// What looks wrong with a typed code. See ``SentCode/hint(for:)``.
public enum CodeHint: Hashable, Sendable {
    /// So many characters are missing.
    case tooShort(missing: Int)
    /// There are so many characters too many.
    case tooLong(by: Int)
    /// Codes are made of the digits 0 to 9.
    case notDigits
}

/// What looks wrong with a typed e-mail address. A hint, never a gate: the server decides, and it takes aliases too.
public enum EmailHint: Hashable, Sendable {
    /// There is no `@`, or more than one.
    case noAt
    /// Nothing stands before the `@`.
    case noName
    /// What stands after the `@` is not a name with a dot, such as `example.com`.
    case noDomain
    /// There is a space, or another character that no address has.
    case badCharacter

    /// The first thing that looks wrong with `text`; nil when it looks like an address.
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

/// What looks wrong with the value of an attribute.
public enum AttributeHint: Hashable, Sendable {
    /// It is required and not there, or empty.
    case missing
    /// It has another type than the attribute: `string`, `boolean` or `integer`.
    case wrongType(expected: String)
    /// The whole of it does not match the attribute's regular expression.
    case patternMismatch(regex: String)
}

extension RequiredAttribute {
    /// What a user typed, as a value of the attribute's type: `true` and `false` in any letter case for a boolean, digits for an
    /// integer. Text that is neither stays text, and the server says what it thinks of it.
    public func value(from text: String) -> AttributeValue {
        switch type.lowercased() {
        case "boolean": Bool(text.lowercased()).map(AttributeValue.boolean) ?? .string(text)
        case "integer": Int(text).map(AttributeValue.integer) ?? .string(text)
        case _: .string(text)
        }
    }

    /// What looks wrong with `value` for this attribute, before it is sent; nil when nothing does. A hint, never a gate.
    ///
    /// A regular expression that this platform does not understand is passed over.
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
            // What cannot be read or tried here says nothing about the value: the server decides.
            return nil
        }
    }
}

/// The programmable names of the built-in attributes that user flows can ask for (native-auth-v1 §11). Those of the tenant's own
/// are `extension_{application}_{name}`.
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
    /// An alias that the user can sign in with, beside the e-mail address.
    public static let flatUsername = "flatusername"
}

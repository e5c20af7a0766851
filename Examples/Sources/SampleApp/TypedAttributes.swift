import NativeAuth

extension RequiredAttribute {
    /// What the user typed, as the type that the attribute has; nil for nothing.
    func value(typed text: String?) -> AttributeValue? {
        guard let text, !text.isEmpty else { return nil }
        return switch type {
        case "integer": Int(text).map(AttributeValue.integer) ?? .string(text)
        case "boolean": Bool(text).map(AttributeValue.boolean) ?? .string(text)
        case _: .string(text)
        }
    }

    /// What looks wrong with what the user typed, to be shown before it is sent.
    func hint(typed text: String?) -> String? {
        hint(for: value(typed: text))?.text(for: name)
    }
}

extension [RequiredAttribute] {
    /// What the user typed, by the names of the attributes.
    func values(typed texts: [String: String]) -> [String: AttributeValue] {
        reduce(into: [:]) { $0[$1.name] = $1.value(typed: texts[$1.name]) }
    }
}

extension [String: String] {
    /// For a text field: what is not there is empty.
    subscript(typed name: String) -> String {
        get { self[name] ?? "" }
        set { self[name] = newValue }
    }
}

package import NativeAuthCore

/// The result of checking submitted attributes.
package struct JudgedAttributes: Hashable, Sendable {
    /// The values to store.
    package var accepted: [String: AttributeValue] = [:]
    /// The names whose values break a rule, in the order of the request.
    package var invalid: [String] = []
    /// The names that the flow does not define, in the order of the request; they are ignored (docs/protocol.md §11.4).
    package var unknown: [String] = []
    /// The number of ignored names.
    package var ignored: Int { unknown.count }
}

extension UserFlow {
    /// Checks submitted attributes against the attributes that the flow collects (`SEC-ATTR-1`, `SEC-ATTR-2`).
    package func judge(_ submitted: SubmittedAttributes) -> JudgedAttributes {
        var judged = JudgedAttributes()
        guard submitted.values.count <= Self.maximumAttributes else {
            judged.invalid = [Self.wholeParameter]
            return judged
        }
        for (name, value) in submitted.values {
            // Compare bytes: `==` treats some letters of other scripts as ASCII letters (SEC-SWIFT-3).
            if let definition = attributes.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                switch definition.judge(value) {
                case .keep(let value): judged.accepted[name] = value
                case .skip: break
                case .refuse: judged.invalid.append(name)
                }
            } else if isForbidden(name) {
                judged.invalid.append(name)
            } else {
                judged.unknown.append(name)
            }
        }
        return judged
    }

    /// The name that stands for the whole parameter when it cannot be parsed.
    package static let wholeParameter = "attributes"

    /// The largest number of attributes in a request (`SEC-ATTR-2`).
    package static let maximumAttributes = 100

    /// Whether a name is refused: names that the server itself sets, and near misses of defined names. A client that
    /// sends one is mistaken or hostile and must not believe that the server accepted it (`SEC-ATTR-1`). Names in the
    /// API are printing ASCII (docs/protocol.md §11); any other name could look like a defined one.
    private func isForbidden(_ name: String) -> Bool {
        guard name.utf8.count <= 256, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return true }
        let lowered = Self.asciiLowercased(name)
        return Self.reserved.contains(lowered) || lowered.hasPrefix("created") || lowered.hasPrefix("mfa")
            || attributes.contains { Self.asciiLowercased($0.name) == lowered }
    }

    private static func asciiLowercased(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    private static let reserved: Set<String> = [
        "id", "sub", "oid", "roles", "groups", "email_verified", "password", "tenant", "disabled",
    ]
}

extension AttributeDefinition {
    fileprivate enum Judgement {
        case keep(AttributeValue)
        case skip
        case refuse
    }

    /// Checks a value. Sizes are checked in bytes before any work on characters (`SEC-SWIFT-2`).
    fileprivate func judge(_ value: AttributeValue?) -> Judgement {
        switch (type, value) {
        case (_, nil): return .refuse
        case (.string, .string(let text)?): return judge(text: text)
        case (.boolean, .boolean?), (.integer, .integer?): return value.map { .keep($0) } ?? .refuse
        case (.boolean, .string(let text)?):
            // Forms send text where JSON has a Boolean (docs/protocol.md §17 row 13).
            return text == "true" ? .keep(.boolean(true)) : text == "false" ? .keep(.boolean(false)) : .refuse
        case (.integer, .string(let text)?):
            return text.utf8.count <= 20 ? Int(text).map { .keep(.integer($0)) } ?? .refuse : .refuse
        case (.string, .integer?), (.string, .boolean?), (.boolean, .integer?), (.integer, .boolean?):
            return .refuse
        }
    }

    private func judge(text: String) -> Judgement {
        guard text.utf8.count <= min(maximumLength * 4, 4_000) else { return .refuse }
        let scalars = text.unicodeScalars
        guard scalars.count <= maximumLength, scalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return .refuse
        }
        var marks = 0
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .spacingMark: marks += 1
            case _: marks = 0
            }
            if marks > 30 { return .refuse }
        }
        if text.isEmpty { return isRequired ? .refuse : .skip }
        if let pattern, !pattern.matches(text) { return .refuse }
        if name == Self.aliasName && Alias(text) == nil { return .refuse }
        return .keep(.string(text))
    }
}

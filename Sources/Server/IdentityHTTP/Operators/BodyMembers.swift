import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

/// Reads a JSON object member by member, by names without letter case; what was not read is refused at the end.
struct BodyMembers {
    private let object: [String: JSONValue]
    private var asked: Set<String> = []

    init(_ object: [String: JSONValue]) { self.object = object }

    /// An object in a body.
    init(_ value: JSONValue, _ name: String) throws(DirectoryFailure) {
        guard case .object(let object) = value else { throw DirectoryFailure(.invalidValue(name)) }
        self.init(object)
    }

    /// The member; nil without it and for null.
    mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name.lowercased())
        let found = object.first { $0.key.lowercased() == name.lowercased() }?.value
        return found == .null ? nil : found
    }

    /// Whether the member is there, and null.
    mutating func isNull(_ name: String) -> Bool {
        asked.insert(name.lowercased())
        return object.first { $0.key.lowercased() == name.lowercased() }?.value == .null
    }

    mutating func text(_ name: String, _ length: ClosedRange<Int> = 0...256) throws(DirectoryFailure) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, length.contains(text.utf8.count), text.isPlain else {
            throw DirectoryFailure(.invalidValue(name))
        }
        return text
    }

    mutating func flag(_ name: String) throws(DirectoryFailure) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .boolean(let flag)?: return flag
        case _?: throw DirectoryFailure(.invalidValue(name))
        }
    }

    mutating func number(_ name: String) throws(DirectoryFailure) -> Int? {
        switch value(name) {
        case nil: return nil
        case .integer(let number)?: return number
        case _?: throw DirectoryFailure(.invalidValue(name))
        }
    }

    /// At most 100 items.
    mutating func list(_ name: String) throws(DirectoryFailure) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard case .array(let items) = value, items.count <= 100 else { throw DirectoryFailure(.invalidValue(name)) }
        return items
    }

    mutating func members(_ name: String) throws(DirectoryFailure) -> BodyMembers? {
        guard let value = value(name) else { return nil }
        return try BodyMembers(value, name)
    }

    /// Refuses members that only the server sets.
    mutating func refuse(_ names: String...) throws(DirectoryFailure) {
        for name in names where value(name) != nil { throw DirectoryFailure(.readOnlyProperty(name)) }
    }

    /// Accepts members that have one possible value here.
    mutating func accept<Value: Equatable>(
        _ name: String, only value: Value, _ given: Value?
    ) throws(DirectoryFailure) {
        if let given, given != value { throw .unsupportedValue(of: name) }
    }

    /// Refuses members that were not read, and names that differ in the letter case alone.
    func end() throws(DirectoryFailure) {
        var names: Set<String> = []
        let twice = object.keys.sorted().first { !names.insert($0.lowercased()).inserted }
        if let twice { throw DirectoryFailure(.invalidValue(twice)) }
        let unknown = object.keys.sorted().first { name in
            !asked.contains(name.lowercased()) && !name.hasPrefix("@odata.") && !name.hasSuffix("@odata.type")
                && !name.hasSuffix("@odata.context")
        }
        if let unknown { throw DirectoryFailure(.unknownProperty(unknown)) }
    }
}

extension String {
    /// Whether the text has no character that a database, a page or the document would not show as it is: control characters, line
    /// ends, and marks of format besides the joiners that some scripts need.
    var isPlain: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
            case _: true
            }
        }
    }
}

extension DirectoryFailure {
    /// A property that the operation needs is not in the body.
    static func absent(_ name: String) -> DirectoryFailure {
        DirectoryFailure(
            status: .badRequest, code: .badRequest, message: "The property is missing.", target: shown(name))
    }

    /// - Parameter rule: What the value must be, as the end of a sentence without any text of the request.
    static func wrong(_ name: String, _ rule: String) -> DirectoryFailure {
        DirectoryFailure(
            status: .badRequest, code: .badRequest, message: "The property must be \(rule).", target: shown(name))
    }

    /// - Parameter message: A sentence without any text of the request, besides addresses that keep the rules.
    static func unfit(_ message: String, _ name: String) -> DirectoryFailure {
        DirectoryFailure(status: .badRequest, code: .badRequest, message: message, target: shown(name))
    }

    /// The vendor has the value, and this server does not.
    static func unsupportedValue(of name: String) -> DirectoryFailure {
        DirectoryFailure(
            status: .badRequest, code: .badRequest, message: "This server does not have this value of the property.",
            target: shown(name))
    }
}

/// A path below `graph/v1.0/`, in its normal form: the many spellings of one resource give the same segments (OData
/// 4.01, Part 2: URL Conventions, section 4).
///
/// `users('1')` is `users/1`; names have no letter case; functions lose their parentheses, and names their
/// `microsoft.graph.`, except a cast, which is `graph.user`. A client's `users/me-token-to-replace` is `me`.
struct DirectoryPath: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        /// A collection, a property, a function, an action or a cast, in lower case.
        case name(String)
        /// The id of an object, as sent.
        case key(String)
        /// The key `(property='value')`: the property in lower case, and the value as sent.
        case alternateKey(String, String)
    }

    let segments: [Segment]

    /// The path with `{id}` for each key, such as `users/{id}/authentication/methods/{id}` or
    /// `applications/appid={id}`.
    var template: String {
        segments.map { segment in
            switch segment {
            case .name(let name): name
            case .key: "{id}"
            case .alternateKey(let property, _): "\(property)={id}"
            }
        }.joined(separator: "/")
    }

    /// The keys in the template's order.
    var keys: [String] {
        segments.compactMap { segment in
            switch segment {
            case .name: nil
            case .key(let key), .alternateKey(_, let key): key
            }
        }
    }

    /// Whether something that is no operation, no cast and no word such as `$count` follows a collection in the place of a
    /// key, such as `users/$` and `users/x()`.
    var hasNameForKey: Bool {
        zip(segments, segments.dropFirst()).contains { segment, next in
            guard case .name(let collection) = segment, Self.collections.contains(collection),
                case .name(let name) = next
            else { return false }
            return !Self.operations.contains(name) && !Self.casts.contains(name) && name != "$count" && name != "$ref"
        }
    }

    /// Nil for a path that no resource can have: with an empty segment, with dots for a folder, with an encoded slash,
    /// backslash or percent sign, or with a text that is no UTF-8.
    ///
    /// - Parameter path: As sent, with percent-encoding, without a slash in front.
    init?(_ path: String) {
        guard path.utf8.count <= 2_048 else { return nil }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 16 else { return nil }
        var segments: [Segment] = []
        for part in parts {
            guard let text = Self.decoded(part), let found = Self.segments(text, after: segments.last) else {
                return nil
            }
            segments += found
            if segments == [.name("users"), .key("me-token-to-replace")] { segments = [.name("me")] }
        }
        self.segments = segments
    }

    /// One segment, or a collection and its key.
    private static func segments(_ text: String, after previous: Segment?) -> [Segment]? {
        let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        let name = name(String(parts[0]))
        guard parts.count == 2 else {
            guard case .name(let collection)? = previous, collections.contains(collection),
                !operations.contains(name), !text.hasPrefix("$"), !casts.contains(name)
            else { return isName(name) ? [.name(name)] : nil }
            return [.key(text)]
        }
        guard isName(name), parts[1].last == ")" else { return nil }
        let inside = parts[1].dropLast()
        if inside.isEmpty { return [.name(name)] }
        if let key = unquoted(inside) { return key.isEmpty ? nil : [.name(name), .key(key)] }
        let pair = inside.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return isName(String(inside)) ? [.name(name), .key(String(inside))] : nil }
        guard isName(String(pair[0])), let key = unquoted(pair[1]), !key.isEmpty else { return nil }
        return [.name(name), .alternateKey(pair[0].lowercased(), key)]
    }

    /// In lower case and without the namespace of all types; empty for a namespace in a namespace.
    private static func name(_ text: String) -> String {
        let name = text.lowercased()
        let namespaces = ["microsoft.graph.", "graph."]
        guard let namespace = namespaces.first(where: { name.hasPrefix($0) }) else { return name }
        let bare = String(name.dropFirst(namespace.count))
        if namespaces.contains(where: { bare.hasPrefix($0) }) { return "" }
        return types.contains(bare) ? "graph.\(bare)" : bare
    }

    /// Letters, digits, `.`, `_`, `$` and `-`; not dots alone.
    private static func isName(_ text: String) -> Bool {
        text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "._$-".utf8.contains($0)
            }
    }

    /// The text between quotes, in which a doubled quote stands for one; nil without quotes around it.
    private static func unquoted(_ text: Substring) -> String? {
        let quote = UInt8(ascii: "'")
        var rest = Array(text.utf8)[...]
        guard rest.count >= 2, rest.popFirst() == quote, rest.popLast() == quote else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { guard rest.popFirst() == quote else { return nil } }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(part)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard (1...256).contains(bytes.count), bytes.contains(where: { $0 != UInt8(ascii: ".") }),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && !"/\\%;?#".utf8.contains($0) })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        case _: nil
        }
    }

    /// The collections of objects that have keys.
    private static let collections: Set<String> = [
        "users", "applications", "serviceprincipals", "deleteditems", "graph.user", "directoryobjects", "methods",
        "emailmethods", "passwordmethods", "phonemethods", "softwareoathmethods", "fido2methods", "operations",
        "nativeauthsessions", "nativeauthoperatorrequests", "oauth2permissiongrants", "approleassignments",
        "approleassignedto", "memberof",
        "signins", "directoryaudits", "userflowattributes", "authenticationeventsflows",
        "authenticationeventlisteners", "customauthenticationextensions", "extensionproperties", "organization",
        "includeapplications", "groups", "members",
    ]
    /// The functions and actions of collections, which stand where a key could stand.
    private static let operations: Set<String> = [
        "delta", "getbyids", "validatepassword", "validateproperties", "includeapplications",
    ]
    private static let types: Set<String> = ["user", "application", "serviceprincipal", "directoryobject"]
    private static let casts = Set(types.map { "graph.\($0)" })
}

import NativeAuthCore
import NativeAuthWire

/// `$filter` over objects that are all in memory, as the applications of a tenant are.
struct ObjectFilter {
    /// The members that a filter can name, in lower case; each is a text or a boolean.
    let names: Set<String>

    /// - Throws: ``ODataFault`` also for a wrong part behind one that decides.
    func meets(_ object: [String: JSONValue], _ filter: ODataFilter) throws(ODataFault) -> Bool {
        switch filter {
        case .all(let parts): return try results(object, parts).allSatisfy(\.self)
        case .any(let parts): return try results(object, parts).contains(true)
        case .not(let part): return try !meets(object, part)
        case .comparison(let path, .eq, let literal): return try equals(path, literal, of: object)
        case .comparison(let path, .ne, let literal): return try !equals(path, literal, of: object)
        case .isOneOf(let path, let literals):
            var isOne = false
            for literal in literals where try equals(path, literal, of: object) { isOne = true }
            return isOne
        case .call(.startsWith, let path, let text):
            guard case .string(let value) = try member(path, of: object) else { return false }
            return value.lowercased().hasPrefix(text.lowercased())
        // The applications of a user flow.
        case .lambda(let path, .any, let variable, .comparison(let inner, .eq, let literal))
        where path.names.last?.lowercased() == "includeapplications" && names.contains("includeapplications"):
            guard inner.names.map({ $0.lowercased() }) == [variable.lowercased(), "appid"],
                let wanted = Self.text(of: literal)
            else { throw .unsupported(property: path.property) }
            return Self.applications(of: object).contains(wanted)
        case .comparison(let path, _, _), .call(_, let path, _), .lambda(let path, _, _, _):
            throw .unsupported(property: path.property)
        }
    }

    private static func applications(of object: [String: JSONValue]) -> [String] {
        guard case .object(let conditions)? = object["conditions"],
            case .object(let applications)? = conditions["applications"],
            case .array(let list)? = applications["includeApplications"]
        else { return [] }
        return list.compactMap { item in
            if case .object(let application) = item { application["appId"]?.string } else { nil }
        }
    }

    private func results(_ object: [String: JSONValue], _ parts: [ODataFilter]) throws(ODataFault) -> [Bool] {
        var results: [Bool] = []
        for part in parts { results.append(try meets(object, part)) }
        return results
    }

    private func equals(
        _ path: ODataPath, _ literal: ODataLiteral, of object: [String: JSONValue]
    ) throws(ODataFault) -> Bool {
        switch (try member(path, of: object), literal) {
        case (.string(let value), .text), (.string(let value), .guid):
            return value.lowercased() == Self.text(of: literal)
        case (.boolean(let value), .flag(let flag)): return value == flag
        case (let value, .null): return value == .null
        case (.null, _): return false
        case _: throw .unsupported(property: path.property)
        }
    }

    private static func text(of literal: ODataLiteral) -> String? {
        switch literal {
        case .text(let text): text.lowercased()
        case .guid(let id): id.text
        case .null, .flag, .integer, .date: nil
        }
    }

    private func member(_ path: ODataPath, of object: [String: JSONValue]) throws(ODataFault) -> JSONValue {
        guard path.names.count == 1, names.contains(path.property.lowercased()) else {
            throw .unsupported(property: path.property)
        }
        return object.first { $0.key.lowercased() == path.property.lowercased() }?.value ?? .null
    }
}

import PortableFoundation

/// A value of an import file: of JSON, or the text of a CSV cell.
enum ImportValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int)
    case truth(Bool)
    case list([ImportValue])
    case members([String: ImportValue])

    /// The value at a path such as `attributes.city`. A name that has dots itself comes first. Of a list it is the first
    /// value.
    subscript(path: String) -> ImportValue? {
        guard case .members(let members) = self else { return nil }
        if let value = members[path] { return value }
        guard let dot = path.firstIndex(of: ".") else { return nil }
        return members[String(path[..<dot])]?[String(path[path.index(after: dot)...])]
    }

    /// The same without an empty text, which is no value in CSV.
    func given(_ path: String) -> ImportValue? {
        switch self[path] {
        case nil, .null?, .text("")?: nil
        case let value?: value
        }
    }

    var text: String? {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .list(let list): list.count == 1 ? list[0].text : nil
        case .null, .truth, .members: nil
        }
    }

    var integer: Int? {
        switch self {
        case .integer(let integer): integer
        case .text(let text): Int(text)
        case .list(let list): list.count == 1 ? list[0].integer : nil
        case .null, .truth, .members: nil
        }
    }

    /// The words of ``truth``, for a fault.
    static let truths = "true, yes, t, 1, false, no, f, 0"

    var truth: Bool? {
        switch self {
        case .truth(let truth): truth
        case .integer(0): false
        case .integer(1): true
        case .text(let text):
            switch text.lowercased() {
            case "true", "t", "yes", "1": true
            case "false", "f", "no", "0": false
            case _: nil
            }
        case .null, .integer, .list, .members: nil
        }
    }

    /// Seconds or milliseconds since 1970, or a date of ISO 8601, also with a blank as PostgreSQL writes it.
    var date: Date? {
        if let integer {
            let seconds = Double(integer)
            return Date(timeIntervalSince1970: abs(seconds) > 1e11 ? seconds / 1000 : seconds)
        }
        guard case .text(var text) = self, text.utf8.count <= 40 else { return nil }
        text = text.replacing(" ", with: "T", maxReplacements: 1)
        var fraction = 0.0
        if let dot = text.firstIndex(of: ".") {
            let end = text[text.index(after: dot)...].firstIndex { !$0.isNumber } ?? text.endIndex
            fraction = Double("0" + text[dot..<end]) ?? 0
            text.removeSubrange(dot..<end)
        }
        // A zone of two digits, and none at all.
        let zone = text.utf8.suffix(3)
        if let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.utf8.count > 16 {
            text += ":00"
        } else if !text.hasSuffix("Z"), text.utf8.count == 19 {
            text += "Z"
        } else if text.utf8.count == 10 {
            text += "T00:00:00Z"
        }
        do {
            return try Date(text, strategy: .iso8601).addingTimeInterval(fraction)
        } catch {
            // The caller names the member; the error would quote the text.
            return nil
        }
    }
}

extension ImportValue: Decodable {
    /// A number with a fraction is no value of an account, and counts as null.
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            var read: [String: ImportValue] = [:]
            for key in members.allKeys { read[key.stringValue] = try members.decode(ImportValue.self, forKey: key) }
            self = .members(read)
            return
        }
        if var values = try? decoder.unkeyedContainer() {
            var list: [ImportValue] = []
            while !values.isAtEnd { list.append(try values.decode(ImportValue.self)) }
            self = .list(list)
            return
        }
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else {
            self = .null
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }
}

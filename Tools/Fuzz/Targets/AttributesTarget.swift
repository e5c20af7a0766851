import Foundation
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthWire

/// Compares the parser of the field `attributes` with Foundation's, and checks the values it returns (`SEC-NET-8`,
/// `SEC-ATTR-2`).
struct AttributesTarget: Target {
    static let name = "attributes"

    private let flow: UserFlow
    private let mutator = Mutator(
        [
            #"{"city":"K\u00f8benhavn \ud83d\ude00","country":"Denmark","displayName":"Ana"}"#,
            #"{"age":-12,"on":true,"off":false,"none":null,"r":1.5e3,"x":{"y":[1]},"l":[1,"2"]}"#,
            #"{"flatusername":"dana.berg","age":"44","on":"true","postalCode":"DK-8000"}"#, "{}",
            " {\t\"a\" :\n1 }\r\n",
            #"{"a":1,"\u0061":2,"å":3,"a\u030a":4}"#, "[1]", "\"a\"",
            #"{"a":9223372036854775807,"b":-9223372036854775808}"#,
        ],
        words: [
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\u00e9",
            "\\/", "\\x",
            "null", "true", "false", "NaN", "-", "-0", "01", "1.", ".5", "1e400", "1E+2", "99999999999999999999", "0x1",
            "\u{FEFF}",
            "\0", "\n", "'", "//", "/**/", "[[[[[[", #"{"a":{"a":{"a":"#, "\"city\":", "\"City\":", "\"roles\":",
            "\"\":",
            "\"age\":", "\"postalCode\":", String(repeating: "e\u{301}", count: 40), "\u{202E}",
        ], bytes: [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xFE, 0xFF, 0, 0x7B]], long: 65_536)

    init() {
        let pattern = AttributePattern(#"([A-Z]{2}-?)?\d{2,8}(\w|\s)*"#)
        flow = UserFlow(
            method: .emailPassword,
            attributes: AttributeDefinition.builtIn.filter { $0.name != "postalCode" } + [
                AttributeDefinition(name: "postalCode", pattern: pattern, maximumLength: 40),
                AttributeDefinition(name: "age", type: .integer), AttributeDefinition(name: "on", type: .boolean),
            ])
    }

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        // A form's value is text.
        guard let text = input.text else { return false }
        let members: [AttributesJSON.Member]
        do throws(AttributesJSONError) {
            members = try AttributesJSON.decode(text)
        } catch {
            return false
        }
        let other: [String: JSONValue]
        do {
            other = try JSONDecoder().decode([String: JSONValue].self, from: Data(input))
        } catch {
            // A number outside Foundation's range is outside ours too.
            try demand(members.contains { $0.content == .wrongType }, "read, and Foundation refuses it: \(error)")
            return true
        }
        let third = try JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
        try demand(other.count == members.count && third?.count == members.count, "another number of members")
        var values: [String: AttributeValue] = [:]
        for member in members {
            switch (member.content, other[member.name]) {
            case (.value(.string(let one)), .string(let two)?):
                try demand(one.utf8.elementsEqual(two.utf8), "\(member.name) is another text")
                // JSONSerialization drops byte order marks in front of texts.
                let isPlain = !text.contains("\u{FEFF}")
                try demand(!isPlain || third?[member.name] as? String == one, "\(member.name) is another text")
            case (.value(.integer(let one)), .integer(let two)?):
                try demand(one == two, "\(member.name) is another number")
            case (.value(.boolean(let one)), .boolean(let two)?):
                try demand(one == two, "\(member.name) is the opposite")
            case (.null, .null?): break
            case (.wrongType, .string?), (.wrongType, .boolean?), (.wrongType, .null?), (.wrongType, nil), (.value, _),
                (.null, _):
                throw Finding("\(member.name) is \(member.content), and Foundation reads something else")
            case (.wrongType, _): break
            }
            if case .value(let value) = member.content { values[member.name] = value }
        }
        let written = try AttributesJSON.decode(AttributesJSON.encode(values))
        try demand(
            written.count == values.count && written.allSatisfy { values[$0.name].map { .value($0) } == $0.content },
            "written and read again they are others")
        try judge(members)
        return true
    }

    /// The values to store are those that were parsed, and follow their rules.
    private func judge(_ members: [AttributesJSON.Member]) throws(Finding) {
        let submitted = SubmittedAttributes(
            members.map { member in
                if case .value(let value) = member.content { (member.name, value) } else { (member.name, nil) }
            })
        for (name, value) in flow.judge(submitted).accepted {
            let definition = flow.attributes.first { $0.name.utf8.elementsEqual(name.utf8) }
            guard let definition else { throw Finding("\(name) is no attribute of the flow") }
            switch (definition.type, value) {
            case (.string, .string(let text)):
                try demand(
                    !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
                        && text.unicodeScalars.count <= definition.maximumLength,
                    "\(name) has a control character, or is too long")
            case (.integer, .integer), (.boolean, .boolean): break
            case (.string, _), (.integer, _), (.boolean, _): throw Finding("\(name) has another type")
            }
        }
    }
}

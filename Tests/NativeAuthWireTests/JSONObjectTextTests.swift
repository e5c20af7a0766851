import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuthWire

/// `JSONObjectText` writes the bytes that an encoder writes.
@Suite("JSON without an encoder")
struct JSONObjectTextTests {
    private static let samples: [String] =
        (0..<0x80).map { "a\(Character(Unicode.Scalar(UInt8($0))))b" }
        + ["", "\"", "\\", "\\\"\n", "é", "e\u{301}", "🚢", "\u{2028}\u{2029}", "\u{FFFD}", "\u{85}", "/a//b", "日本"]

    @Test("Each text is escaped like an encoder escapes it", arguments: samples)
    func texts(_ text: String) throws {
        var object = JSONObjectText()
        object.add("value", text)
        object.add(text, "name")
        object.add("list", [text, "", text])
        var expected: [String: JSONValue] = [
            "value": .string(text), "list": .array([.string(text), .string(""), .string(text)]),
        ]
        expected[text] = .string("name")
        #expect(try object.data == WireJSON.encode(expected))
    }

    @Test func numbersTruthValuesAndNothing() throws {
        var object = JSONObjectText()
        object.add("most", Int.max)
        object.add("least", .integer(.min))
        object.add("zero", 0)
        object.add("yes", .boolean(true))
        object.add("no", false)
        object.add("none", [String]())
        object.add("numbers", [7, -1, 0])
        object.add("no numbers", [Int]?.none)
        object.add("no text", String?.none)
        object.add("no number", Int?.none)
        object.add("no flag", Bool?.none)
        object.add("no list", [String]?.none)
        try object.add("no value", encoding: JSONValue?.none)
        #expect(
            String(decoding: object.bytes, as: UTF8.self)
                == #"{"least":-9223372036854775808,"most":9223372036854775807,"no":false,"none":[],"numbers":[7,-1,0],"yes":true,"zero":0}"#
        )
        #expect(JSONObjectText().data == Data("{}".utf8))
    }

    @Test("Members are sorted by the bytes of their names, and a name that is added again keeps its last value")
    func order() throws {
        let names = ["b", "a", "aa", "A", "é", "Z", "", "_", "a/b", "a\"b", "e\u{301}x", "🚢", "\u{FFFF}", "b"]
        var object = JSONObjectText()
        var expected: [String: JSONValue] = [:]
        for (index, name) in names.enumerated() {
            object.add(name, index)
            expected[name] = .integer(index)
        }
        #expect(try object.data == WireJSON.encode(expected))
    }

    @Test func anEncodedMember() throws {
        let value: JSONValue = .object(["b": .array([.number(0.5), .null]), "a": .string("x/\u{1}")])
        var object = JSONObjectText()
        object.add("z", "last")
        try object.add("m", encoding: value)
        #expect(try object.data == WireJSON.encode(JSONValue.object(["m": value, "z": .string("last")])))
    }
}

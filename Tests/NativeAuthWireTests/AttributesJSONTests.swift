import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuthWire

@Suite("Attributes")
struct AttributesJSONTests {
    @Test func scalarsAreReadInOrder() throws {
        let members = try AttributesJSON.decode(
            " { \"z\" : \"Zürich\" ,\n\t\"a\":true,\"b\":false,\"n\":-12, \"m\":0 } ")
        #expect(
            members == [
                .init(name: "z", content: .value("Zürich")), .init(name: "a", content: .value(true)),
                .init(name: "b", content: .value(false)), .init(name: "n", content: .value(-12)),
                .init(name: "m", content: .value(0)),
            ])
        #expect(try AttributesJSON.decode("{}").isEmpty)
        #expect(try AttributesJSON.decode("{ }").isEmpty)
    }

    @Test(arguments: [
        "[]", "{}", "[1,\"a\",null]", #"{"x":1}"#, "1.0", "1e3", "1E+3", "-0.5", "9223372036854775808",
        "-9223372036854775809", "1" + String(repeating: "0", count: 400), "2e-9",
    ])
    func anotherTypeIsToldByName(_ json: String) throws {
        #expect(try AttributesJSON.decode("{\"a\":\(json)}") == [.init(name: "a", content: .wrongType)])
    }

    @Test func nullIsNoValue() throws {
        #expect(try AttributesJSON.decode(#"{"a":null}"#) == [.init(name: "a", content: .null)])
    }

    @Test func wholeNumbersReachTheirBounds() throws {
        let members = try AttributesJSON.decode(#"{"a":9223372036854775807,"b":-9223372036854775808}"#)
        #expect(members.map(\.content) == [.value(.integer(.max)), .value(.integer(.min))])
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e5""#, "å"), (#""\u00E5""#, "å"),
        (#""\ud83d\ude00""#, "😀"), (#""😀""#, "😀"), (#""\uFFFF""#, "\u{FFFF}"), (#""""#, ""),
    ])
    func escapesAreRead(_ json: String, _ text: String) throws {
        #expect(try AttributesJSON.decode("{\"a\":\(json)}") == [.init(name: "a", content: .value(.string(text)))])
    }

    @Test(
        "SEC-NET-8: what is not strictly one flat object is refused",
        arguments: [
            ("", AttributesJSONError.malformed), (" ", .malformed), ("null", .malformed), ("[]", .malformed),
            ("\"a\"", .malformed), ("{", .malformed), ("}", .malformed), ("{}}", .malformed), ("{}{}", .malformed),
            ("{} x", .malformed), ("{\"a\"}", .malformed), ("{\"a\":}", .malformed), ("{\"a\":1,}", .malformed),
            ("{,\"a\":1}", .malformed), ("{a:1}", .malformed), ("{'a':1}", .malformed), ("{1:1}", .malformed),
            ("{\"a\":1 \"b\":2}", .malformed), ("{\"a\":tru}", .malformed), ("{\"a\":True}", .malformed),
            ("{\"a\":01}", .malformed), ("{\"a\":+1}", .malformed), ("{\"a\":.5}", .malformed),
            ("{\"a\":1.}", .malformed), ("{\"a\":1e}", .malformed), ("{\"a\":-}", .malformed),
            ("{\"a\":0x1}", .malformed), ("{\"a\":NaN}", .malformed), ("{\"a\":\"", .malformed),
            ("{\"a\":\"\\x\"}", .malformed), ("{\"a\":\"\\u12\"}", .malformed), ("{\"a\":\"\\u+123\"}", .malformed),
            ("{\"a\":\"\n\"}", .malformed), ("{\"a\":\"\t\"}", .malformed), ("{\"a\":\"\\", .malformed),
            ("{\"a\":1}/*x*/", .malformed), ("{\"a\":[1,]}", .malformed), ("\u{A0}{}", .malformed),
            ("\u{FEFF}{}", .byteOrderMark), ("{\"a\":1,\"a\":2}", .duplicate("a")),
            ("{\"a\":1,\"\\u0061\":2}", .duplicate("a")), ("{\"\u{E5}\":1,\"a\u{30A}\":2}", .duplicate("å")),
            ("{\"a\":{\"b\":1,\"b\":2}}", .duplicate("b")), ("{\"a\":[[]]}", .tooDeep), ("{\"a\":[{}]}", .tooDeep),
            ("{\"a\":{\"b\":{}}}", .tooDeep), ("{\"a\":{\"b\":[]}}", .tooDeep), ("{\"a\":\"\\u0000\"}", .nul),
            ("{\"a\":\"\0\"}", .nul), ("{\"\\u0000\":1}", .nul), ("{\"a\":\"\\ud800\"}", .loneSurrogate),
            ("{\"a\":\"\\udc00\"}", .loneSurrogate), ("{\"a\":\"\\ud800\\ud800\"}", .loneSurrogate),
            ("{\"a\":\"\\ud800x\"}", .loneSurrogate), ("{\"a\":\"\\udc00\\ud800\"}", .loneSurrogate),
        ])
    func strictness(_ json: String, _ error: AttributesJSONError) {
        #expect(throws: error) { try AttributesJSON.decode(json) }
    }

    @Test func namesAreLimited() throws {
        let name = String(repeating: "n", count: AttributesJSON.maximumNameLength)
        #expect(try AttributesJSON.decode("{\"\(name)\":1}").first?.name == name)
        #expect(throws: AttributesJSONError.nameTooLong) { try AttributesJSON.decode("{\"\(name)n\":1}") }
    }

    @Test("SEC-NET-8: deep nesting does not exhaust the stack")
    func nestingIsShallow() {
        let deep = String(repeating: "[", count: 60_000)
        #expect(throws: AttributesJSONError.tooDeep) { try AttributesJSON.decode("{\"a\":\(deep)") }
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let attributes: [String: AttributeValue] = [
            "city": "\"\\/\u{1}\u{1F}\n\r\t\u{2028}å😀\u{7F}", "": "", "age": 44, "low": .integer(.min), "on": true,
            "off": false,
        ]
        let json = AttributesJSON.encode(attributes)
        let members = try AttributesJSON.decode(json)
        #expect(
            Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.content) })
                == attributes.mapValues { .value($0) })
        #expect(members.map(\.name) == attributes.keys.sorted())
        // Another reader understands the same.
        #expect(try JSONDecoder().decode([String: AttributeValue].self, from: Data(json.utf8)) == attributes)
        #expect(AttributesJSON.encode([:]) == "{}")
    }
}

@Suite("Endpoints")
struct EndpointTests {
    @Test func thereAreFifteenEndpoints() {
        #expect(V1Endpoint.allCases.count == 15)
        #expect(V1Endpoint.signUpStart.rawValue == "signup/v1.0/start")
        #expect(V1Endpoint.allCases.allSatisfy { !$0.rawValue.hasPrefix("/") })
    }

    @Test func noTwoEndpointsShareAPath() {
        let paths = V1Endpoint.allCases.map(\.rawValue) + MetadataEndpoint.allCases.map(\.rawValue)
        #expect(Set(paths).count == paths.count)
    }
}

import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuth

@Suite("Hints")
struct HintTests {
    @Test(
        "SDK-INP-1: what looks wrong with a code",
        arguments: [
            ("12345678", nil), ("00000000", nil), ("", .tooShort(missing: 8)), ("1234567", .tooShort(missing: 1)),
            ("123456789", .tooLong(by: 1)), ("1234567x", .notDigits), ("1234 5678", nil),
            ("1234-567", .tooShort(missing: 1)), (" ", .tooShort(missing: 8)),
            // Digits elsewhere in the world, and a number that is no digit.
            ("١٢٣٤٥٦٧٨", .notDigits), ("1234567½", .notDigits),
        ] as [(String, CodeHint?)])
    func code(_ text: String, _ expected: CodeHint?) {
        let sent = SentCode(sentTo: "d***a", channel: "email", length: 8, resendInterval: nil, sentAt: start)
        #expect(sent.hint(for: text) == expected)
        #expect(sent.resendAllowedAt == nil)
    }

    @Test(
        "SDK-INP-1: what looks wrong with an e-mail address",
        arguments: [
            ("dana@example.com", nil), ("d@e.f", nil), ("dana+shop@mail.example.co.uk", nil), ("Dana@EXAMPLE.com", nil),
            ("dåna@bücher.example", nil), ("", .noAt), ("dana", .noAt), ("dana@shop@example.com", .noAt),
            ("@example.com", .noName), ("dana@", .noDomain), ("dana@example", .noDomain), ("dana@.com", .noDomain),
            ("dana@example.", .noDomain), ("dana@example..com", .noDomain), (" dana@example.com", .badCharacter),
            ("dana@example.com\n", .badCharacter), ("<dana@example.com>", .badCharacter),
            ("dana@example.com,kim@example.com", .badCharacter), ("dana;kim@example.com", .badCharacter),
        ] as [(String, EmailHint?)])
    func email(_ text: String, _ expected: EmailHint?) {
        #expect(EmailHint(text) == expected)
    }

    struct Row: Sendable {
        var type = "string"
        var isRequired = true
        var regex: String?
        var value: AttributeValue?
        var expected: AttributeHint?
    }

    @Test(
        "SDK-INP-1: what looks wrong with an attribute",
        arguments: [
            Row(value: "Aarhus"),
            Row(value: nil, expected: .missing),
            Row(value: "", expected: .missing),
            Row(isRequired: false, value: nil),
            Row(isRequired: false, regex: "^.+$", value: ""),
            Row(type: "Boolean", value: true),
            Row(type: "boolean", value: "yes", expected: .wrongType(expected: "boolean")),
            Row(type: "boolean", value: 1, expected: .wrongType(expected: "boolean")),
            Row(type: "integer", value: 44),
            Row(type: "integer", value: "44", expected: .wrongType(expected: "integer")),
            Row(type: "integer", value: false, expected: .wrongType(expected: "integer")),
            Row(value: 44, expected: .wrongType(expected: "string")),
            Row(value: false, expected: .wrongType(expected: "string")),
            // An unknown type.
            Row(type: "color", value: "red"), Row(type: "color", value: 7),
            Row(regex: "^[A-Z][a-z]+$", value: "Aarhus"),
            Row(regex: "^[A-Z][a-z]+$", value: "aarhus", expected: .patternMismatch(regex: "^[A-Z][a-z]+$")),
            // The whole value.
            Row(regex: "[a-z]+", value: "ok now", expected: .patternMismatch(regex: "[a-z]+")),
            Row(type: "integer", regex: "[0-9]{2}", value: 44),
            Row(type: "integer", regex: "[0-9]{2}", value: 444, expected: .patternMismatch(regex: "[0-9]{2}")),
            // An expression that this platform does not support.
            Row(regex: "(", value: "anything"),
        ])
    func attribute(_ row: Row) {
        let attribute = RequiredAttribute(name: "city", type: row.type, isRequired: row.isRequired, regex: row.regex)
        #expect(attribute.hint(for: row.value) == row.expected)
    }
}

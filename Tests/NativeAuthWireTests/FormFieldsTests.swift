import NativeAuthWire
import Testing

@Suite("Forms")
struct FormFieldsTests {
    private func form(_ text: String, maximumValueLength: Int = 1024) throws(FormError) -> FormFields {
        try FormFields(decoding: Array(text.utf8), maximumValueLength: maximumValueLength)
    }

    @Test(arguments: [
        ("a=b", "a", "b"), ("a=", "a", ""), ("a", "a", ""), ("&&a=b&", "a", "b"), ("a=b=c", "a", "b=c"),
        ("a=x+y", "a", "x y"), ("a=x%20y", "a", "x y"), ("a=x%2By", "a", "x+y"), ("a=%E2%82%AC", "a", "€"),
        ("a=%e2%82%ac", "a", "€"), ("a=€", "a", "€"), ("a=x y", "a", "x y"), ("%61=b", "a", "b"),
        ("a+b=c", "a b", "c"), ("=b", "", "b"), ("a=%26%3D%25", "a", "&=%"), ("a=%0A%0D", "a", "\n\r"),
        ("a=%F0%9F%98%80", "a", "😀"),
    ])
    func aPairIsDecoded(_ body: String, _ name: String, _ value: String) throws {
        #expect(try form(body).single(name) == value)
    }

    @Test(
        "SEC-NET-9: what is not strictly a form is refused",
        arguments: [
            ("a=%", FormError.malformedEncoding), ("a=%4", .malformedEncoding), ("a=%4g", .malformedEncoding),
            ("a=%g4", .malformedEncoding), ("a=%+4", .malformedEncoding), ("a=%-1", .malformedEncoding),
            ("a=%%41", .malformedEncoding), ("%=b", .malformedEncoding), ("a=b\n", .malformedEncoding),
            ("a=b\r\nc=d", .malformedEncoding), ("a=\u{7F}", .malformedEncoding), ("a=\t", .malformedEncoding),
            ("a=%FF", .notUTF8), ("a=%C0%80", .notUTF8), ("a=%ED%A0%80", .notUTF8), ("a=%E2%82", .notUTF8),
            ("%FF=b", .notUTF8), ("a=%F4%90%80%80", .notUTF8), ("a=%00", .nul), ("a=\0", .nul), ("%00=a", .nul),
            ("a=x%00y", .nul),
        ])
    func strictness(_ body: String, _ error: FormError) {
        #expect(throws: error) { try form(body) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes: [UInt8] in [[0x61, 0x3D, 0xFF], [0x61, 0x3D, 0xC3], [0xC3, 0x3D, 0x61]] {
            #expect(throws: FormError.notUTF8) { try FormFields(decoding: bytes) }
        }
    }

    @Test("SEC-NET-9: 64 pairs are read, 65 are refused")
    func pairsAreCounted() throws {
        let pairs = { (count: Int) in (0..<count).map { "n\($0)=v" }.joined(separator: "&") }
        #expect(try form(pairs(64)).names.count == 64)
        #expect(throws: FormError.tooManyFields) { try form(pairs(65)) }
    }

    @Test func lengthsAreLimitedInBytes() throws {
        #expect(try form("a=%E2%82%AC", maximumValueLength: 3).single("a") == "€")
        #expect(throws: FormError.tooLong) { try form("a=%E2%82%AC", maximumValueLength: 2) }
        let name = String(repeating: "n", count: FormFields.maximumNameLength)
        #expect(try form("\(name)=1").single(name) == "1")
        #expect(throws: FormError.tooLong) { try form("\(name)n=1") }
    }

    @Test(
        "SEC-NET-9: a known parameter given twice or as an array is refused",
        arguments: [
            "user=a&user=b", "user=a&user=a", "user[]=a", "user[0]=a", "user=a&user[]=b", "user%5B%5D=a",
            "us%65r=a&user=b", "user&user", "x=1&user=&user=",
        ])
    func repetition(_ body: String) throws {
        let form = try form(body)
        #expect(throws: FormError.repeated("user")) { try form.single("user") }
        #expect(throws: FormError.repeated("user")) { try form.list("user") }
    }

    @Test func repeatedUnknownParametersAreIgnored() throws {
        let form = try form("x=1&x=2&y[]=3&user=a&username=b&USER=c")
        #expect(try form.single("user") == "a")
    }

    @Test func namesAreComparedByteForByte() throws {
        // A letter with a combining ring, and the letter that Unicode treats as equal.
        let form = try form("%C3%A5=1&a%CC%8A=2")
        #expect(try form.single("\u{E5}") == "1")
        #expect(try form.single("a\u{30A}") == "2")
    }

    @Test func missingAndEmptyDiffer() throws {
        let form = try form("a=&b=+")
        #expect(try form.single("a") == "")
        #expect(try form.single("z") == nil)
        #expect(try form.list("a") == [])
        #expect(try form.list("b") == [])
        #expect(try form.list("z") == nil)
        #expect(try form.word("b") == "")
    }

    @Test func listsAreCutAtBlanks() throws {
        #expect(try form("a=+oob++password+redirect+").list("a") == ["oob", "password", "redirect"])
        #expect(try form("a=x,y+z").list("a") == ["x,y", "z"])
        #expect(try form("a=x,y+z").list("a", alsoAtCommas: true) == ["x", "y", "z"])
        #expect(try form("a=é+ü").list("a") == ["é", "ü"])
    }

    @Test func wordsLoseBlanksAtTheEndOnly() throws {
        #expect(try form("a=+password+%09+").word("a") == " password")
        #expect(try form("a=pass+word").word("a") == "pass word")
    }

    @Test func bothSpellingsOfCapabilitiesAtOnceAreRefused() throws {
        let form = try form("capabilities=mfa_required&capability=mfa_required")
        #expect(throws: FormError.repeated("capabilities")) { try V1.SignUp.StartRequest(form: form) }
    }

    @Test func encodingKeepsEveryCharacter() throws {
        var form = FormFields()
        form.append("a b", "x y&z=1+2%*-._~é😀\n")
        form.append("none", nil as String?)
        #expect(form.encoded == "a+b=x+y%26z%3D1%2B2%25*-._%7E%C3%A9%F0%9F%98%80%0A")
        #expect(try FormFields(decoding: Array(form.encoded.utf8)) == form)
    }
}

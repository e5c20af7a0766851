import Foundation
import Testing

@testable import native_auth

/// How the records of import files are cut and read, whatever the chunks in which the file arrives.
@Suite("Records of import files")
struct ImportFileTests {
    /// The records of `text`, which arrives in chunks of `size` bytes.
    private func frames(_ text: String, _ form: RecordFrames.Form, size: Int) throws -> [RecordFrames.Frame] {
        var rest = Array(text.utf8)[...]
        var frames = RecordFrames(form) {
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
        var found: [RecordFrames.Frame] = []
        while let frame = try frames.next() { found.append(frame) }
        return found
    }

    @Test(
        "CSV has quoted commas, quotation marks and line ends; a record has the line in which it begins",
        arguments: [1, 2, 7, 1000])
    func csv(_ size: Int) throws {
        let text = "a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n\r\n,last"
        let found = try frames(text, .csv, size: size)
        #expect(found.map(\.line) == [1, 2, 5])
        #expect(found.map(\.cells) == [["a", "b"], ["1", "x, \"y\"\nz"], ["", "last"]])
        #expect(throws: RecordFrames.Fault.cut(line: 2)) { try frames("a\n\"b\nc", .csv, size: size) }
        for wrong in ["a\"b", "\"a\"b", "\"a"] {
            #expect(RecordFrames.Frame(line: 1, bytes: Array(wrong.utf8)).cells == nil)
        }
    }

    @Test(
        "Of a JSON document the objects of one array are records, whatever their texts have",
        arguments: [1, 2, 7, 1000])
    func json(_ size: Int) throws {
        let objects = [#"{"a": "}]\"{", "users": [{"b": 1}]}"#, #"{"c": {"d": []}}"#]
        let text =
            "{\"other\": [{\"x\": 1}], \"more\": {\"users\": [{\"y\": 2}]},\n \"users\": [\(objects[0]),\n\n\(objects[1])], \"z\": [{}]}"
        let found = try frames(text, .jsonArray("users"), size: size)
        #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == objects)
        #expect(found.map(\.line) == [2, 4])
        #expect(try frames("[{},{}]", .jsonArray("users"), size: size).count == 2)
        #expect(throws: RecordFrames.Fault.noArray("users")) {
            try frames("{\"a\": 1}", .jsonArray("users"), size: size)
        }
        #expect(throws: RecordFrames.Fault.cut(line: 1)) {
            try frames("{\"users\": [{\"a\": 1", .jsonArray("users"), size: size)
        }
    }

    @Test("A file of another form is recognised at its beginning, with the cure")
    func misfits() {
        let cures: [(text: [UInt8], form: RecordFrames.Form, cure: String?)] = [
            (Array("email;alias\n".utf8), .csv, "commas"), (Array("email,\"a;b\"\n".utf8), .csv, nil),
            (Array("email\ra@example.com\r".utf8), .csv, "tr "), (Array("email\r\na@example.com\r\n".utf8), .csv, nil),
            (Array("email".utf8), .csv, nil), ([], .csv, nil), ([], .jsonLines, nil),
            (Array("[{}".utf8), .csv, "--format"),
            (Array(" [\n{}]".utf8), .jsonLines, "jq"), (Array("email\n".utf8), .jsonLines, "--format"),
            (Array("{}\n".utf8), .jsonLines, nil), ([0xFF, 0xFE, 0x65, 0x00], .csv, "iconv -f UTF-16"),
            (Array("{\"users\": [".utf8), .jsonArray("users"), nil),
        ]
        for (text, form, cure) in cures {
            let misfit = RecordFrames.misfit(of: text, form)
            #expect(cure.map { misfit?.contains($0) == true } ?? (misfit == nil), "\(text): \(misfit ?? "none")")
        }
    }

    @Test("A record is at most a mebibyte")
    func longRecords() throws {
        // The document of an array with such a record is not one of lines.
        let long = String(repeating: "a", count: RecordFrames.longest + 1)
        #expect(throws: RecordFrames.Fault.tooLong(line: 1)) {
            try frames("[{\"a\":\"\(long)\"}]", .jsonArray("users"), size: 65_536)
        }
        for text in ["[{\"a\":1},{\"a\":2}", "{\"users\":[{\"a\":1}]", "[{\"a\":1},"] {
            #expect(throws: RecordFrames.Fault.cut(line: 1)) { try frames(text, .jsonArray("users"), size: 7) }
        }
    }

    @Test("A record that is too long is a fault of its own, and the next one is read", arguments: [16, 65_536])
    func tooLong(_ size: Int) throws {
        let long = String(repeating: "a", count: RecordFrames.longest + 1)
        for form in [RecordFrames.Form.jsonLines, .csv] {
            let read = try frames("a\n\(long)\nb\n", form, size: size)
            #expect(read.map(\.isTooLong) == [false, true, false] && read.map(\.line) == [1, 2, 3])
            #expect(read[1].bytes.count == RecordFrames.longest && read[2].bytes == Array("b".utf8))
        }
    }

    @Test("A stray quotation mark takes no other record with it", arguments: [1, 2, 3, 1_000])
    func strayQuotes(_ size: Int) throws {
        let read = try frames("a,5\" disk\nb,\"x\"\"\ny\"\nc\"\nd,\"\"\n\"\",\"e\"\nf,\"g\"h\n", .csv, size: size)
        #expect(read.map(\.line) == [1, 2, 4, 5, 6, 7])
        #expect(read.map(\.cells) == [nil, ["b", "x\"\ny"], nil, ["d", ""], ["", "e"], nil])
    }

    @Test(
        "Dates are those of ISO 8601, of PostgreSQL, and numbers",
        arguments: [
            ("2020-02-03T04:05:06Z", 1_580_702_706.0), ("2020-02-03T04:05:06.789Z", 1_580_702_706.789),
            ("2020-02-03 04:05:06.789123+00", 1_580_702_706.789123), ("2020-02-03T05:05:06+01:00", 1_580_702_706),
            ("2020-02-03T04:05:06", 1_580_702_706), ("2020-02-03", 1_580_688_000), ("1580702706", 1_580_702_706),
            ("1580702706789", 1_580_702_706.789),
        ])
    func dates(_ text: String, _ seconds: Double) throws {
        let date = try #require(ImportValue.text(text).date)
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test("Other texts are no dates", arguments: ["", "yesterday", "2020-13-01", "2020-02-03T04", "-", "T.Z"])
    func noDates(_ text: String) {
        #expect(ImportValue.text(text).date == nil)
    }
}

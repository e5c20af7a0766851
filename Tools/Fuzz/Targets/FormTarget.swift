import Foundation
import NativeAuthWire

/// The form decoder against another one (`SEC-NET-9`).
struct FormTarget: Target {
    static let name = "form"

    private static let longestValue = 1_024
    private let mutator = Mutator(
        [
            "client_id=00001111-aaaa-2222-bbbb-3333cccc4444&username=a%40b.example&challenge_type=oob+redirect",
            "grant_type=oob&continuation_token=AQAAAAE&oob=12345678&x=%F0%9F%98%80",
            "a=%E2%82%AC&b[]=1&c=+&d=&e&=f&user%5B0%5D=g",
            "password=%00%FF&attributes=%7B%22city%22%3A%22K%C3%B8ge%22%7D",
            "a=1;b=2&a=3&A=4&a[x]=5", String(repeating: "k=v&", count: 64), "%61=b&a%CC%8A=1&%C3%A5=2",
            String(repeating: "n", count: 256) + "=" + String(repeating: "%41", count: 300),
        ],
        words: [
            "%", "%%", "%4", "%zz", "%00", "%0a", "%0D%0A", "%c0%80", "%ed%a0%80", "%f4%90%80%80", "%26", "%3d", "&",
            "=", "+",
            "[]", "[0]", "%5b", ";", "client_id=", "&username=", "\0", "\n", "\u{7F}", "\u{FEFF}", "é", "a\u{301}",
            String(repeating: "a\u{301}\u{323}", count: 50),
        ], bytes: [[0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80]], long: 65_536)

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        let reference = Self.reference(input)
        let form: FormFields
        do throws(FormError) {
            form = try FormFields(decoding: input, maximumValueLength: Self.longestValue)
        } catch {
            try demand(reference == nil, "refused with \(error), and the reference reads it")
            return false
        }
        guard let reference else { throw Finding("read, and the reference refuses it") }
        let names = form.names
        try demand(names.count == reference.count, "\(names.count) pairs, and the reference reads \(reference.count)")
        for (name, pair) in zip(names, reference) {
            try demand(name.utf8.elementsEqual(pair.name.utf8), "another name than the reference's")
        }
        for name in reference.prefix(4).map(\.name) + ["client_id", "username", "a"] {
            try compare(form, name, reference)
        }
        let again = try FormFields(decoding: Array(form.encoded.utf8), maximumValueLength: Self.longestValue)
        try demand(again == form, "written and read again it is another form")
        return true
    }

    private func compare(_ form: FormFields, _ name: String, _ reference: [(name: String, value: String)]) throws {
        let named = reference.filter {
            $0.name.utf8.elementsEqual(name.utf8) || $0.name.utf8.starts(with: (name + "[").utf8)
        }
        let value: String?
        do throws(FormError) {
            value = try form.single(name)
        } catch {
            let isOne = named.count == 1 && named[0].name.utf8.count == name.utf8.count
            return try demand(!named.isEmpty && !isOne, "one \(name), and it counts as repeated")
        }
        switch value {
        case nil: try demand(named.isEmpty, "\(name) is not found")
        case let value?:
            try demand(
                named.count == 1 && named[0].name.utf8.elementsEqual(name.utf8)
                    && named[0].value.utf8.elementsEqual(value.utf8), "\(name) is not what the reference reads")
        }
    }

    /// Reads with Foundation's percent-decoding; nil: refused.
    private static func reference(_ body: [UInt8]) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for pair in body.split(separator: 0x26) {
            let equals = pair.firstIndex(of: 0x3D) ?? pair.endIndex
            guard let name = text(pair[..<equals]), let value = text(pair[equals...].dropFirst()),
                name.utf8.count <= FormFields.maximumNameLength, value.utf8.count <= longestValue
            else { return nil }
            pairs.append((name, value))
        }
        return pairs.count <= FormFields.maximumCount ? pairs : nil
    }

    private static func text(_ encoded: ArraySlice<UInt8>) -> String? {
        // Foundation drops a byte order mark that stands first.
        var ascii = Array("x".utf8)
        for byte in encoded {
            if byte < 0x20 || byte == 0x7F { return nil }
            if byte == 0x2B {
                ascii += "%20".utf8
            } else if byte >= 0x80 {
                ascii += "%\(String(byte, radix: 16))".utf8
            } else {
                ascii.append(byte)
            }
        }
        let length = ascii.count - 2 * ascii.count { $0 == 0x25 }
        guard let text = String(decoding: ascii, as: UTF8.self).removingPercentEncoding, !text.utf8.contains(0),
            // Some bytes that are no UTF-8 become U+FFFD.
            text.utf8.count == length
        else { return nil }
        return String(text.unicodeScalars.dropFirst())
    }
}

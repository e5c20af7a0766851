import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The reader of CBOR takes what CTAP2's canonical form allows and no more (CTAP 2.1 section 8, RFC 8949). It is reached
/// through the three places that hold CBOR: the attestation object, the key and the extension outputs.
@Suite("CBOR of passkeys") struct StrictCBORTests {
    /// A place for an item, and whether a registration with it is accepted if it is sound.
    enum Place: CaseIterable {
        case object, statement, valueOfStatement, key, extensions, valueOfExtension

        /// A registration with these bytes in this place.
        func draft(_ item: [UInt8]) -> RegistrationDraft {
            RegistrationDraft { draft in
                switch self {
                case .object:
                    draft.attestationObject = Data(item)
                case .statement:
                    (draft.format, draft.statement) = (.text("apple"), .raw(item))
                case .valueOfStatement:
                    (draft.format, draft.statement) = (.text("apple"), .texts([("a", .raw(item))]))
                case .key:
                    draft.key = .raw(item)
                case .extensions:
                    draft.common.flags |= 0x80
                    draft.common.extensions = item
                case .valueOfExtension:
                    draft.common.flags |= 0x80
                    draft.common.extensions = CBORItem.texts([("a", .raw(item))]).encoded
                }
            }
        }
    }

    @Test(
        "SEC-PK-7: sound items are accepted where any value may be",
        arguments: [
            "00", "17", "1818", "18ff", "190100", "1a00010000", "1b0000000100000000", "1b7fffffffffffffff", "20", "37",
            "3818", "390100",
            "3a00010000", "40", "4101", "5818\(String(repeating: "07", count: 24))", "60", "6161", "62c3bc", "80",
            "8101", "a0", "a10102",
            "a10121", "a12002", "a1616101", "a2616101616202", "f4", "f5", "f6",
        ])
    func acceptsSound(_ digits: String) {
        let item = [UInt8](Data(digits: digits))
        for place in [Place.valueOfStatement, .valueOfExtension] {
            #expect(throws: Never.self, "\(place)") { _ = try place.draft(item).verified() }
        }
    }

    @Test("SEC-PK-7: the bad examples of RFC 8949 Appendix F are refused in each place", arguments: malformed)
    func refusesMalformed(_ digits: String) {
        for place in Place.allCases {
            #expect(throws: PasskeyFault.self, "\(place)") {
                _ = try place.draft([UInt8](Data(digits: digits))).verified()
            }
        }
    }

    @Test("SEC-PK-7: what CTAP2 does not allow is refused in each place", arguments: notCanonical)
    func refusesNotCanonical(_ digits: String) {
        for place in Place.allCases {
            #expect(throws: PasskeyFault.self, "\(place)") {
                _ = try place.draft([UInt8](Data(digits: digits))).verified()
            }
        }
    }

    /// RFC 8949 Appendix F.1: heads and contents that end too early, reserved values, and breaks in the wrong place.
    private static let malformed =
        // The end in a head.
        [
            "18", "19", "1a", "1b", "1901", "1a0102", "1b01020304050607", "38", "58", "78", "98", "9a01ff00", "b8",
            "d8",
            "f8", "f900", "fa0000", "fb000000",
            // Strings with too few bytes.
            "41", "61", "5affffffff00", "5bffffffffffffffff010203", "7affffffff00", "7b7fffffffffffffff010203",
            // Arrays and maps that are not full.
            "81", "818181818181818181", "8200", "a1", "a20102", "a100", "a2000000",
            // A tag without content, and indefinite items that are not closed.
            "c0", "5f4100", "7f6100", "9f", "9f0102", "bf", "bf01020102", "819f", "9f8000", "9f9f9f9f9fffffffff",
            "9f819f819f9fffffff",
        ]
        // Reserved additional information.
        + [
            "1c", "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc", "bd", "be",
            "dc", "dd", "de", "fc", "fd", "fe",
            // Simple values in two bytes that one holds.
            "f800", "f801", "f818", "f81f",
            // Parts of an indefinite string of the wrong type, or indefinite themselves.
            "5f00ff", "5f21ff", "5f6100ff", "5f80ff", "5fa0ff", "5fc000ff", "5fe0ff", "7f4100ff", "5f5f4100ffff",
            "7f7f6100ffff",
            // Breaks.
            "ff", "81ff", "8200ff", "a1ff", "a1ff00", "a100ff", "a20000ff", "9f81ff", "9f829f819f9fffffffff",
            "bf00ff", "bf000000ff", "1f", "3f", "df",
        ]

    /// Well-formed items that a strict reader refuses.
    private static let notCanonical =
        // Integers, lengths and counts that are not the shortest.
        [
            "1800", "1817", "190000", "1900ff", "1a00000000", "1a0000ffff", "1b0000000000000000", "1b00000000ffffffff",
            "3800", "3817", "3900ff", "3a0000ffff", "3b00000000ffffffff", "5800", "580101", "59000101", "5a0000000101",
            "5b000000000000000101", "7800", "780161", "79000161", "7a0000000161", "7b000000000000000161", "9800",
            "980101", "99000101", "9a0000000101", "9b000000000000000101", "b800", "b8010102", "b900010102",
            "ba000000010102", "bb00000000000000010102",
            // Indefinite items.
            "5fff", "5f4101ff", "7fff", "7f6161ff", "9fff", "9f01ff", "bfff", "bf0102ff", "bf616101ff",
        ]
        // Tags, floating point numbers and simple values.
        + [
            "c000", "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0", "c249010000000000000000",
            "d74401020304",
            "d818456449455446", "d9d9f7a0", "f90000", "f93c00", "f97e00", "f97c00", "fa47c35000", "fa7fc00000",
            "fb3ff199999999999a", "fb7ff8000000000000", "f7", "e0", "f0", "f3", "f8ff", "f820",
            // Keys that are twice in a map.
            "a201000101", "a2616101616102", "a220002001", "a3616101616202616103",
            // Keys of other types.
            "a1410001", "a1800001", "a1a000", "a1f500", "a1f600",
            // Text that is not UTF-8.
            "61ff", "62c328", "61c0", "62c0af", "63eda080", "64f4908080", "a161ff00",
            // Numbers outside the 64 bits with a sign.
            "1b8000000000000000", "1bffffffffffffffff", "3bffffffffffffffff", "3b8000000000000000",
        ]

    @Test(
        "SEC-PK-7: numbers that need 64 bits without a sign never trap",
        arguments: [
            "1bffffffffffffffff", "3bffffffffffffffff", "3b7fffffffffffffff", "3b8000000000000000",
            "a11bffffffffffffffff00",
            "a13bffffffffffffffff00", "5b8000000000000000", "5b7fffffffffffffff", "7bffffffffffffffff",
            "9bffffffffffffffff",
            "9b7fffffffffffffff", "bbffffffffffffffff", "bb7fffffffffffffff", "bb8000000000000000", "9affffffff",
            "baffffffff",
            "ba80000000",
        ])
    func survivesLargeNumbers(_ digits: String) {
        for place in Place.allCases {
            // Whether a number is refused is for another test; that the reader comes back is for this one.
            _ = try? place.draft([UInt8](Data(digits: digits))).verified()
        }
    }

    @Test("SEC-PK-7: an attestation object that ends at any earlier place is refused")
    func refusesTruncated() throws {
        let whole = Data(RegistrationDraft().encodedObject)
        let packed = try RegistrationDraft { ($0.format, $0.statement) = (.text("packed"), nil) }.objectBytes()
        for object in [whole, packed] {
            for count in 0..<object.count {
                #expect(throws: PasskeyFault.self, "\(count) bytes") {
                    _ = try RegistrationDraft { $0.attestationObject = object.prefix(count) }.verified()
                }
            }
        }
    }

    @Test(
        "SEC-PK-7: a statement four levels deep is accepted, and a deep one is refused",
        arguments: [
            ([0x81], true), ([0x81, 0x81], true), (Array(repeating: 0x81, count: 8), false),
            (Array(repeating: 0x81, count: 1_000), false), (Array(repeating: 0xA1, count: 1_000), false),
            (Array(repeating: [0xA1, 0x01], count: 8).flatMap(\.self), false),
            (Array(repeating: [0xA1, 0x01], count: 2_000).flatMap(\.self), false),
        ] as [([UInt8], Bool)])
    func boundsDepth(_ opening: [UInt8], _ isAccepted: Bool) {
        for place in [Place.valueOfStatement, .valueOfExtension] {
            let draft = place.draft(opening + [0x01])
            if isAccepted && place == .valueOfExtension {
                #expect(throws: Never.self) { _ = try draft.verified() }
            } else if !isAccepted {
                #expect(throws: PasskeyFault.self) { _ = try draft.verified() }
            }
        }
    }

    @Test("SEC-PK-7: a map of more than 64 entries is refused", arguments: [63, 64, 65, 66, 1_000])
    func boundsMaps(_ count: Int) {
        let map = CBORItem.integers((0..<count).map { ($0, .integer(0)) })
        let draft = Place.extensions.draft(map.encoded)
        if count <= 64 {
            #expect(throws: Never.self) { _ = try draft.verified() }
        } else {
            #expect(throws: PasskeyFault.self) { _ = try draft.verified() }
        }
    }
}

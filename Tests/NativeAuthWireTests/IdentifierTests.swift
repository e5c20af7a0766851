import Foundation
import NativeAuthCore
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("A client id has one spelling in each letter case: blanks, signs and prefixes are no digits")
    func aClientIDIsStrict() {
        #expect(
            ClientID("00001111-AAAA-2222-bbbb-3333CCCC4444")?.description == "00001111-aaaa-2222-bbbb-3333cccc4444")
        for text in [
            "00001111-AAAA-2222-bbbb-3 33cccc4444", "00001111-AAAA-2222-bbbb-3333c\u{B}cc4444",
            "+0001111-aaaa-2222-bbbb-3333cccc4444", "0x001111-aaaa-2222-bbbb-3333cccc4444",
            "0000111-1aaaa-2222-bbbb-3333cccc4444", "00001111aaaa-2222-bbbb-3333cccc4444-",
            "{00001111aaaa2222bbbb3333cccc4444}--", "００001111-aaaa-2222-bbbb-3333cccc44", "",
        ] {
            #expect(ClientID(text) == nil, "\(text)")
        }
    }

    @Test("A UUID's text is that of RFC 9562 in lower case, and reads back")
    func aUUIDComesBack() {
        for _ in 0..<200 {
            let uuid = UUID()
            #expect(uuid.text == uuid.uuidString.lowercased())
            #expect(UUID(text: uuid.text) == uuid && UUID(text: uuid.uuidString) == uuid)
            #expect(UUID(text: uuid.text + "0") == nil && UUID(text: String(uuid.text.dropLast())) == nil)
            #expect(UUID(text: uuid.text.replacing("-", with: "0")) == nil)
        }
    }
}

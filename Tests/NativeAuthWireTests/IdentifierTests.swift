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
}

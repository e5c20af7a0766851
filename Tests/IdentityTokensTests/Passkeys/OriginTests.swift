import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The origin of the client data (WebAuthn section 7.1 step 9, section 7.2 step 12) is one of the tenant's list, byte for byte.
@Suite("Origins of passkeys") struct OriginTests {
    private static let apk = "android:apk-key-hash:\(Base64URL.encode(Data(repeating: 0x3F, count: 32)))"
    private static let party = RelyingParty(
        id: "example.org",
        origins: ["https://example.org", "https://login.example.org:8443", "https://xn--bcher-kva.example.org", apk])

    @Test("SEC-PK-2: each origin of the list is accepted in both ceremonies", arguments: party.origins.sorted())
    func accepts(_ origin: String) throws {
        let passkey = try RegistrationDraft { $0.common.set("origin", "\"\(origin)\"") }.verified(by: Self.party)
        #expect(throws: Never.self) {
            _ = try AssertionDraft { $0.common.set("origin", "\"\(origin)\"") }.verified(of: passkey, by: Self.party)
        }
    }

    @Test("SEC-PK-2: an origin that differs in any byte is refused in both ceremonies", arguments: foreign)
    func refuses(_ origin: String) throws {
        // The text is put into JSON as it is, so that escapes can be among the cases.
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try RegistrationDraft { $0.common.set("origin", "\"\(origin)\"") }.verified(by: Self.party)
        }
        let passkey = try RegistrationDraft().verified()
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try AssertionDraft { $0.common.set("origin", "\"\(origin)\"") }.verified(of: passkey, by: Self.party)
        }
    }

    @Test(
        "SEC-PK-2: an origin that is no text, or none, is refused",
        arguments: [
            "null", "true", "1", #"["https://example.org"]"#, #"{"origin":"https://example.org"}"#, nil,
        ])
    func refusesOtherTypes(_ value: String?) throws {
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try RegistrationDraft { $0.common.set("origin", value) }.verified(by: Self.party)
        }
        let passkey = try RegistrationDraft().verified()
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try AssertionDraft { $0.common.set("origin", value) }.verified(of: passkey, by: Self.party)
        }
    }

    @Test("a tenant without origins accepts none")
    func refusesWithoutList() {
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try RegistrationDraft().verified(by: RelyingParty(id: "example.org", origins: []))
        }
    }

    @Test("SEC-PK-2: an origin that Unicode calls the same, in other bytes, is refused")
    func refusesOtherNormalForm() {
        let party = RelyingParty(id: "example.org", origins: ["https://b\u{FC}cher.example.org"])
        #expect(throws: PasskeyFault.wrongOrigin) {
            _ = try RegistrationDraft { $0.common.set("origin", "\"https://bu\u{308}cher.example.org\"") }
                .verified(by: party)
        }
    }

    @Test("SEC-PK-2: there are at least 80 foreign origins, each once")
    func countsCorpus() {
        #expect(Set(Self.foreign.map { Array($0.utf8) }).count == Self.foreign.count)
        #expect(Self.foreign.count >= 80)
    }

    private static let foreign: [String] = ports + schemes + spellings + hosts + unicode + apps

    private static let ports = [
        "https://example.org:443", "https://example.org:", "https://example.org:0", "https://example.org:80",
        "https://example.org:8443", "https://example.org:0443", "https://example.org:+443", "https://example.org:44e1",
        "https://example.org:65979", "https://example.org: 443", "https://login.example.org",
        "https://login.example.org:443", "https://login.example.org:08443", "https://login.example.org:8444",
        "https://login.example.org:84430",
    ]
    private static let schemes = [
        "http://example.org", "HTTPS://example.org", "Https://example.org", "httpss://example.org", "ws://example.org",
        "wss://example.org", "ftp://example.org", "file://example.org", "example.org", "//example.org",
        "://example.org",
        "https:example.org", "https:/example.org", "https:///example.org", #"https:\\/\\/example.org"#,
        "blob:https://example.org", "view-source:https://example.org", "javascript:https://example.org",
        "chrome-extension://example.org", "ios:bundle-id:org.example", "null", "", "https://", "https",
    ]
    private static let spellings = [
        "https://EXAMPLE.org", "https://Example.org", "https://example.ORG", "https://example.org.",
        "https://example.org..", "https://.example.org", "https://example..org", "https://example.org/",
        "https://example.org//", "https://example.org/login", "https://example.org?", "https://example.org?a=b",
        "https://example.org#", "https://example.org#a", " https://example.org", "https://example.org ",
        #"https://example.org\u0000"#, #"https://example.org\n"#, #"\thttps://example.org"#, #"https://exam\tple.org"#,
        #"https://example.org\u0000.evil.example"#, "https://user@example.org", "https://user:secret@example.org",
        "https://example.org@evil.example", "https://example.org:443@evil.example", #"https://example.org\\"#,
        "https://example%2Eorg", "https://%65xample.org", "https://example.org%00", "https://[example.org]",
        "https://example.org;https://evil.example", "https://example.org,https://evil.example",
        "https://example.org https://evil.example",
    ]
    private static let hosts = [
        "https://www.example.org", "https://sub.example.org", "https://login.example.org.", "https://a.b.c.example.org",
        "https://example.org.evil.example", "https://example.orgevil.example", "https://evilexample.org",
        "https://evil-example.org", "https://xample.org", "https://example.or", "https://example.orgg",
        "https://example.com", "https://exanple.org", "https://example-org", "https://example", "https://org",
        "https://localhost", "https://127.0.0.1", "https://[::1]", "https://93.184.215.14", "https://evil.example",
        "https://evil.example/https://example.org", "https://*.example.org", "https://*",
    ]
    private static let unicode = [
        "https://ex\u{430}mple.org", "https://xn--exmple-4nf.org", "https://example\u{3002}org",
        "https://example\u{FF0E}org", "https://\u{FF45}xample.org", "https://exampl\u{65}\u{301}.org",
        "https://ex\u{200B}ample.org", "https://\u{202E}gro.elpmaxe", "https://example.org\u{AD}",
        "https://example.org\u{FEFF}", "https://b\u{FC}cher.example.org", "https://bu\u{308}cher.example.org",
        "https://XN--BCHER-KVA.example.org", "https://xn--bcher-kvb.example.org", "https://xn--example-.org",
        "https://e\u{445}ample.org", #"https://example.org\u200d"#,
    ]
    private static let apps = [
        "android:apk-key-hash:\(Base64URL.encode(Data(repeating: 0x3E, count: 32)))", apk + "=", apk + "A",
        String(apk.dropLast()), apk.uppercased(), apk.replacing("apk-key-hash", with: "apk-key-hash-sha256"),
        "ANDROID:apk-key-hash:\(Base64URL.encode(Data(repeating: 0x3F, count: 32)))",
        "android:apk-key-hash:\(RegistrationRefusalTests.stray(Base64URL.encode(Data(repeating: 0x3F, count: 32))))",
        "android:apk-key-hash:", "https://\(apk)",
        "android:apk-key-hash:\(Data(repeating: 0x3F, count: 32).base64EncodedString())",
    ]
}

import Foundation
import IdentityEngine
import IdentityMail
import IdentityStoreSQL
import NativeAuthCore
import NativeAuthTesting

/// Addresses and aliases: their normal form, their envelope, and whether memory and database agree on equality
/// (`SEC-ID-1` to `SEC-ID-7`, `SEC-SWIFT-3`).
struct NameTarget: Target {
    static let name = "names"

    private static let people = [
        "dana@example.com", "Dana.Berg+news@Example.COM", "a@b.example", "o'neil@example.com",
        "x=y@xn--bcher-kva.example",
        "admin@contoso.example", "k@example.com", "ss@example.com", "i@example.com", "dana%40example.com@example.com",
    ]
    private let tenant: TestTenant
    private let id: TenantID
    private let keys: Set<Data>
    private let mutator = Mutator(
        people + [
            "\"dana berg\"@example.com", "dana@[127.0.0.1]", "dana(comment)@example.com",
            "dana@example.com,eve@example.com",
            "=?utf-8?q?=41?=@example.com", "dana@example.com>\r\nRCPT TO:<eve@example.com", "dana@bücher.example",
            "dana.berg",
            "Dana_Berg-1", "dana..berg@example.com", "\tdana@example.com ", "@a,@b:dana@example.com", "dana@example",
            String(repeating: "a", count: 64) + "@" + String(repeating: "b", count: 63) + ".example",
        ],
        words: [
            "@", ".", "..", "%", "!", "\"", "\\", "(", ")", "<", ">", "[", "]", ",", ";", ":", " ", "\t", "\r\n", "\0",
            "=?", "?=",
            "xn--", "XN--", "--", "-", "_", "+", "\u{212A}", "\u{131}", "\u{130}", "\u{17F}", "ß", "\u{FF41}",
            "\u{FF0E}", "\u{3002}",
            "\u{FF20}", "\u{200B}", "\u{AD}", "\u{202E}", "a\u{301}", "\u{E9}", "\u{FEFF}", "\u{1F600}", "DANA", "dana",
            "@example.com", ".Example.", String(repeating: "\u{301}\u{323}", count: 40),
        ], bytes: [[0xFF], [0xC3]], long: 1_024)

    init() async throws {
        tenant = try TestTenant(seed: 1) { $0.users = Self.people.prefix(9).map { TestTenant.User($0) } }
        guard let id = try await tenant.server.engine.tenant(named: "contoso")?.id else { throw Finding("no tenant") }
        self.id = id
        keys = Set(Self.people.prefix(9).compactMap { EmailAddress($0)?.key.bytes })
        // Waits until the users exist.
        try await tenant.setDisabled(false, Self.people[0])
    }

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) async throws -> Bool {
        let text = input.lenientText
        var isAccepted = false
        if let alias = Alias(text) {
            isAccepted = true
            try demand(Alias(alias.display)?.key == alias.key, "the alias is another one when it is read again")
            try demand(!alias.key.bytes.contains(0x40), "the alias could be an address")
            try await compare(alias.key)
        }
        guard let address = EmailAddress(text) else { return isAccepted }
        let key = address.key.bytes
        for spelling in [address.display, address.address, String(decoding: key, as: UTF8.self)] {
            try demand(EmailAddress(spelling)?.key == address.key, "the normal form has another normal form")
        }
        // The mail server gets the typed address, except for the letter case of the domain.
        let envelope = try MailAddress(address.address)
        try demand(envelope.text.utf8.elementsEqual(address.address.utf8), "the envelope has another address")
        let lowered = envelope.text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        try demand(lowered.elementsEqual(key), "the key is not the envelope's address in small letters")
        try demand(
            key.allSatisfy { (0x21...0x7E).contains($0) } && key.count { $0 == 0x40 } == 1, "odd bytes in the key")
        try demand(
            address.masked.utf8.count { $0 == 0x40 } == 1 && address.masked.contains("***"), "the hint hides nothing")
        try await compare(address.key)
        return true
    }

    /// The database finds an account exactly when the key in memory is equal.
    private func compare(_ key: LoginIdentifier.Key) async throws {
        let found = try await tenant.server.store.account(named: key, in: id) != nil
        try demand(found == keys.contains(key.bytes), "memory and database do not agree on who this is")
    }
}

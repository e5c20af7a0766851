import Foundation
import IdentityEngine
import NativeAuthTesting
import Testing

/// What the database stores about a code (`SEC-OTP-7`), and how names are compared (`SEC-SWIFT-3`).
@Suite("Digests and keys at rest")
struct CodeDigestTests {
    @Test("SEC-OTP-7: a code is stored as a keyed digest of 32 bytes, and nowhere in the clear")
    func aCodeIsStoredAsADigest() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            _ = try await client.challenge(client.start().token)
            let code = try await server.mailbox.code(to: "dana@example.com")
            #expect(try await server.count("SELECT length(code_digest) FROM flows") == 32)
            let everything = try await server.snapshot().values.joined().joined().compactMap { $0 }
            #expect(!everything.contains { $0.contains(code) || $0.contains(Data(code.utf8).hexadecimal) })
        }
    }

    @Test("SEC-OTP-7: a digest that was moved to another flow matches no code")
    func aMovedDigestMatchesNothing() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let mine = try await client.challenge(client.start("erik@example.com").token)
            let mineCode = try await server.mailbox.code(to: "erik@example.com")
            let theirs = try await client.challenge(client.start("dana@example.com").token)
            let theirCode = try await server.mailbox.code(to: "dana@example.com")
            // An attacker with write access to the database gives both flows one digest.
            _ = try await server.rows(
                "UPDATE flows SET code_digest = (SELECT code_digest FROM flows ORDER BY id LIMIT 1)")
            let digests = try await server.rows("SELECT DISTINCT hex(code_digest) FROM flows")
            #expect(digests.count == 1)
            let answers = [
                try await client.submit(code: theirCode, mine.token),
                try await client.submit(code: mineCode, theirs.token),
            ]
            // The code of one flow never opens the other, whichever digest is stored.
            for answer in answers { expectError(answer, "invalid_grant", 50_181, suberror: "invalid_oob_value") }
        }
    }

    @Test(
        "SEC-SWIFT-3: names that Unicode calls equal are not, or are refused: memory and database agree",
        arguments: [
            "d\u{e1}na@example.com", "da\u{301}na@example.com", "\u{212a}aren@example.com", "\u{ff44}ana@example.com",
        ])
    func lookAlikesAreRefused(username: String) async throws {
        try await withIdentityServer { server in
            expectError(try await server.client().start(username), "invalid_request", 90_100)
            let alias = try await server.client().start(
                "eve@example.com",
                [("attributes", #"{"flatusername":"\#(username.prefix { $0 != "@" })"}"#)])
            expectError(alias, "invalid_grant", 90_023, suberror: "attribute_validation_failed")
            #expect(try await server.count("SELECT count(*) FROM flows") == 0)
        }
    }

    @Test("SEC-SWIFT-3: letter case of an address is one key in memory and in the database")
    func letterCaseIsOneKey() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("Dana@Example.com")
            expectError(try await server.client().start("dANA@eXAMPLE.COM"), "user_already_exists", 1_003_037)
        }
    }
}

extension Data {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

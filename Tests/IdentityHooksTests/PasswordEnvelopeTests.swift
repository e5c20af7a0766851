import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityHooks

/// Passwords on their way to a receiver (docs/protocol.md §20.7).
@Suite("Encrypted passwords", .timeLimit(.minutes(1)))
struct PasswordEnvelopeTests {
    static let password = #"Tulip-“Harbour”-42\ é"#

    /// Runs the system's OpenSSL and gives what it printed.
    private func openssl(_ arguments: String..., input: Data = Data()) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, Pipe())
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return output
    }

    private func withKey(_ body: (_ file: String, _ pem: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hook-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("receiver.key").path
        try openssl("genrsa", "2048").write(to: URL(fileURLWithPath: file))
        try body(file, String(decoding: openssl("rsa", "-in", file, "-pubout"), as: UTF8.self))
    }

    private func hook(_ pem: String) -> Hook {
        Hook(
            id: UUID(), displayName: "Old shop", event: .passwordSubmit, url: "https://a.example", audience: UUID(),
            migration: PasswordMigration(attribute: "extension_toMove", encryptionKey: pem))
    }

    @Test(
        "SEC-HOOK-7: another implementation unwraps the key of the password, which is nowhere else; two envelopes share nothing"
    )
    func envelope() throws {
        try withKey { file, pem in
            let submitted = SubmittedPassword(user: .fixture, password: Secret(Self.password))
            let envelope = try PasswordEnvelope(submitted, for: hook(pem), SystemRandomness())
            let parts = envelope.jwe.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            #expect(parts.count == 5)
            let bytes = try parts.map { try #require(Base64URL.decode($0)) }
            #expect(
                String(decoding: bytes[0], as: UTF8.self)
                    == #"{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"JWT"}"#)
            #expect(bytes[1].count == 256 && bytes[2].count == 12 && bytes[4].count == 16)
            let key = try openssl(
                "pkeyutl", "-decrypt", "-inkey", file, "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt",
                "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha256", input: bytes[1])
            #expect(key.count == 32)
            #expect(!envelope.jwe.contains(Base64URL.encode(Data(Self.password.utf8))))
            let other = try PasswordEnvelope(submitted, for: hook(pem), SystemRandomness())
            #expect(other.nonce != envelope.nonce)
            let others = other.jwe.split(separator: ".").map(String.init)
            #expect(Set(parts.dropFirst()).isDisjoint(with: others))
        }
    }

    @Test("A key is PEM of an RSA key or of a certificate with one, of 2048 bits or more, and nothing else")
    func keys() throws {
        try withKey { file, pem in
            let certificate = String(
                decoding: try openssl("req", "-x509", "-key", file, "-subj", "/CN=receiver", "-days", "1"),
                as: UTF8.self)
            #expect(EncryptionKey(pem: pem) != nil && EncryptionKey(pem: certificate) != nil)
            let submitted = SubmittedPassword(user: .fixture, password: Secret(Self.password))
            let envelope = try PasswordEnvelope(submitted, for: hook(certificate), SystemRandomness())
            let wrapped = try #require(Base64URL.decode(String(envelope.jwe.split(separator: ".")[1])))
            let key = try openssl(
                "pkeyutl", "-decrypt", "-inkey", file, "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt",
                "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha256", input: wrapped)
            #expect(key.count == 32)
            let small = try openssl("rsa", "-pubout", input: openssl("genrsa", "1024"))
            let curve = try openssl(
                "ec", "-pubout", input: openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout"))
            let secret = try String(contentsOfFile: file, encoding: .utf8)
            for text in [
                String(decoding: small, as: UTF8.self), String(decoding: curve, as: UTF8.self), secret, pem + pem, "",
                "x", pem.replacing("PUBLIC KEY", with: "CERTIFICATE"), String(repeating: " ", count: 20_000) + pem,
                String(pem.dropLast(60)),
            ] {
                #expect(EncryptionKey(pem: text) == nil, "\(text.prefix(60))")
            }
            #expect(throws: HookFailure.noToken) {
                try PasswordEnvelope(submitted, for: hook("x"), SystemRandomness())
            }
        }
    }

    @Test("An answer is taken with its nonce only, and has one of four actions")
    func answers() throws {
        func answer(_ action: String, nonce: String? = "n", more: String = "") throws(HookFailure)
            -> PasswordSubmitAnswer
        {
            let nonce = nonce.map { #""nonce":"\#($0)","# } ?? ""
            let text =
                #"{"data":{"@odata.type":"microsoft.graph.onPasswordSubmitResponseData",\#(nonce)"actions":[{"@odata.type":"\#(action)"\#(more)}]}}"#
            return try HookReply(Data(text.utf8)).password(returning: "n")
        }
        #expect(try answer("microsoft.graph.passwordSubmit.MigratePassword") == .migrate)
        #expect(try answer("microsoft.graph.passwordsubmit.UPDATEPassword") == .update)
        #expect(try answer("passwordSubmit.Retry") == .retry)
        #expect(
            try answer("microsoft.graph.passwordSubmit.Block", more: #","title":"No","message":"Ask\n us."# + #"""#)
                == .block("Ask  us."))
        #expect(
            try answer("microsoft.graph.passwordSubmit.Block") == .block("The system behind this sign-in refuses it."))
        for nonce in [nil, "", "N", "m"] {
            #expect(throws: HookFailure.nonce) {
                try answer("microsoft.graph.passwordSubmit.MigratePassword", nonce: nonce)
            }
        }
        for action in ["OtpSend.continueWithDefaultBehavior", "passwordSubmit.migrate", ""] {
            #expect(throws: HookFailure.unknownAction) { try answer(action) }
        }
    }

    @Test("The payload of a call about a password has the user and no resource; people see it without the password")
    func payload() throws {
        let call = HookCall.fixture("https://a.example", event: .passwordSubmit)
        let payload = HookPayload.password(of: .fixture, "a.b.c.d.e", call)
        let text = try String(decoding: JSONEncoder.sorted.encode(payload), as: UTF8.self)
        for part in [
            #""type":"microsoft.graph.authenticationEvent.passwordSubmit""#,
            #""@odata.type":"microsoft.graph.onPasswordSubmitCalloutData""#,
            #""encryptedPasswordContext":"a.b.c.d.e""#, #""mail":"dana@example.com""#,
        ] {
            #expect(text.contains(part), "\(part) \(text)")
        }
        #expect(!text.contains("resourceServicePrincipal"))
        let shown = try String(decoding: JSONEncoder.sorted.encode(payload.withoutPassword), as: UTF8.self)
        #expect(shown.contains(#""encryptedPasswordContext":"‹redacted›""#) && !shown.contains("a.b.c"))
    }

    @Test("SEC-HOOK-8: the longest time of a call is that of all its attempts, and such a step is no load")
    func longestTime() async throws {
        let load = CountingLoad()
        let receiver = hookReceiver(load: load)
        for (retries, least) in [(0, 300), (1, 500)] {
            let call = HookCall.fixture("https://a.example", event: .passwordSubmit, timeout: 200, retries: retries)
            let start = ContinuousClock.now
            let wait = receiver.longestTime(of: call.hook)
            await wait()
            let taken = ContinuousClock.now - start
            #expect(taken >= .milliseconds(least) && taken < .milliseconds(least + 400), "\(taken)")
            await wait()
            #expect(ContinuousClock.now - start < taken + .milliseconds(200), "it is over")
        }
        #expect(load.most == 1 && load.now == 0)
    }

    @Test("SEC-HOOK-7: a call about a password is shown without it, and is not sent again")
    func shown() async throws {
        try await Receiver.run { url, log in
            let calls = CallList()
            let receiver = hookReceiver(onCall: { calls.add($0) })
            let key = try String(decoding: openssl("rsa", "-pubout", input: openssl("genrsa", "2048")), as: UTF8.self)
            var call = HookCall.fixture("\(url)/gone", event: .passwordSubmit)
            call.hook.migration = PasswordMigration(attribute: "x", encryptionKey: key)
            let asked = call
            await #expect(throws: HookFailure.status(404)) {
                try await receiver.passwordSubmits(
                    SubmittedPassword(user: .fixture, password: Secret(Self.password)), asking: asked)
            }
            let sent = try #require(log.entries.first)
            #expect(String(decoding: sent.body, as: UTF8.self).contains(#""encryptedPasswordContext":"ey"#))
            let record = try #require(calls.all.first)
            #expect(String(decoding: record.body, as: UTF8.self).contains("‹redacted›") && !record.isRepeatable)
            await receiver.again(record, now: Date())
            #expect(log.count("gone") == 1)
        }
    }
}

/// The calls that a receiver recorded.
private final class CallList: Sendable {
    private let state = Locked<[HTTPHookReceiver.RecordedCall]>([])
    var all: [HTTPHookReceiver.RecordedCall] { state.withLock { $0 } }
    func add(_ call: HTTPHookReceiver.RecordedCall) { state.withLock { $0.append(call) } }
}

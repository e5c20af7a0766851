import Foundation
import Testing

#if os(Linux)
    @Suite("A server for phones in the same room, design record 0031") struct LocalNetworkTests {
        private struct Facts: Decodable {
            var emulator: Bool
            var shown: Bool
            var names: Bool
            var key: String
            var paths: [String: String]
            var untrusted: String
            var plain: String
            var console: String
            var code: String
            var opened: String
            var sdk: Int
            var kept: Bool

            var fromTheNetwork: String
            var otherName: String
            var sdkWithoutTrust: String
            var newCode: Bool
            var otherAddress: Bool

            enum CodingKeys: String, CodingKey {
                case emulator, shown, names, key, paths, untrusted, plain, console, code, opened, sdk, kept
                case fromTheNetwork = "console from the network"
                case otherName = "other name"
                case sdkWithoutTrust = "sdk without trust"
                case newCode = "new code"
                case otherAddress = "other address"
            }
        }

        @Test("SEC-NET-1, SEC-NET-3, SDK-NET-1: --lan, seen by openssl, curl and the SDK", .timeLimit(.minutes(2)))
        func theServerOnTheNetwork() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let script = Python.package.appending(path: "Tests/EndToEndTests/Support/lan.py").path
            let output = try await Python.run([script, try NativeAuthProcess.executable().path, folder.url.path])
            let facts = try JSONDecoder().decode(Facts.self, from: Data(output.utf8))
            #expect(facts.emulator)
            #expect(facts.shown)
            #expect(facts.names)
            #expect(facts.key == "0o600")
            #expect(
                facts.paths == [
                    "/": "200", "/dev/inbox": "401", "/dev/mails": "401", "/dev/provider": "401", "/console": "404",
                    "/graph/v1.0/users": "404",
                ])
            // 000: no answer over TLS, and none without it.
            #expect(facts.untrusted == "000")
            #expect(facts.plain == "000")
            #expect(facts.console == "303" || facts.console == "200")
            #expect(facts.fromTheNetwork == "000")
            #expect(facts.otherName == "421")
            #expect(facts.code == "303")
            #expect(facts.opened == "200")
            #expect(facts.sdk == 0)
            #expect(facts.sdkWithoutTrust.contains("not trusted"))
            #expect(facts.kept, "the certificate stays, so that an app's settings do")
            #expect(facts.newCode)
            #expect(facts.otherAddress)
            #expect(output.contains("no address in a local network"))
            #expect(output.contains(#""without an address": [69"#))
        }
    }
#endif

import Foundation
import IdentityEngine
import NativeAuth
import Testing

@testable import native_auth

/// The doctor's look at the files of passkeys, with hosts that go wrong.
@Suite("Doctor of association files")
struct AssociationCheckTests {
    private struct Host: HTTPTransport {
        let answer: @Sendable (String) throws -> TransportResponse

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try answer(request.url.absoluteString)
        }
    }

    private static let certificate = Array(UInt8(0)..<32)
    private static let passkeys = PasskeySettings(
        relyingPartyID: "harbour.example.com", origins: ["https://login.harbour.example.com"],
        appleApps: ["A1B2C3D4E5.com.example.harbour"],
        androidApps: [.init(package: "com.example.harbour", certificates: [certificate])])

    private static let files = [
        "apple-app-site-association": #"{"applinks":{},"webcredentials":{"apps":["A1B2C3D4E5.com.example.harbour"]}}"#,
        "assetlinks.json": """
        [{"relation":["delegate_permission/common.get_login_creds","delegate_permission/common.handle_all_urls"],
          "target":{"namespace":"android_app","package_name":"com.example.harbour","sha256_cert_fingerprints":[
          "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:1f"]}},
         {"relation":["delegate_permission/common.get_login_creds"],
          "target":{"namespace":"web","site":"https://harbour.example.com"}}]
        """,
        "webauthn": #"{"origins":["https://login.harbour.example.com"]}"#,
    ]

    /// What the doctor says, as `state about: text`.
    private func findings(
        _ passkeys: PasskeySettings = passkeys, profile: ServeSettings.Profile = .production,
        authorities: String? = nil, answer: @escaping @Sendable (String) throws -> TransportResponse
    ) async throws -> [String] {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.passkeys = passkeys
        let check = AssociationCheck(
            directory: TenantDirectory([entry]), profile: profile, authorities: authorities,
            transport: Host(answer: answer))
        var findings: [String] = []
        await check.check(
            Notebook(area: .passkeys) { findings.append("\($0.state.rawValue) \($0.about): \($0.text)") })
        return findings
    }

    private static func file(_ url: String, changing: (String) -> String = { $0 }) -> TransportResponse {
        let name = url.split(separator: "/").last.map(String.init) ?? ""
        guard url.hasPrefix("https://harbour.example.com/.well-known/"), let text = files[name] else {
            return TransportResponse(status: 404, body: Data())
        }
        return TransportResponse(
            status: 200, headers: ["Content-Type": "application/json; charset=utf-8"], body: Data(changing(text).utf8))
    }

    @Test("SEC-PK-17: files that name what the document does are fine, also with more than passkeys in them")
    func goodFiles() async throws {
        let found = try await findings { Self.file($0) }
        #expect(
            found == [
                "ok iOS and macOS: https://harbour.example.com/.well-known/apple-app-site-association names everything of the document",
                "ok Android: https://harbour.example.com/.well-known/assetlinks.json names everything of the document",
                "ok other origins: https://harbour.example.com/.well-known/webauthn names everything of the document",
            ])
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let says: String
        let count: Int
        let answer: @Sendable (String) throws -> TransportResponse

        init(
            _ name: String, _ says: String, count: Int = 3,
            _ answer: @escaping @Sendable (String) throws -> TransportResponse
        ) {
            (testDescription, self.says, self.count, self.answer) = (name, says, count, answer)
        }
    }

    @Test(
        "SEC-PK-17: each fault of a host is told for what it is",
        arguments: [
            Fault("missing", "answers with status 404") { _ in TransportResponse(status: 404, body: Data()) },
            Fault("moved", "redirects to https://www.example.com/; devices follow no redirect") { _ in
                TransportResponse(status: 301, headers: ["Location": "https://www.example.com/"], body: Data())
            },
            Fault("no host", "host has no address") { _ in throw URLError(.cannotFindHost) },
            Fault("page", "is not JSON of the form that devices read") { file($0) { _ in "<html>" } },
            Fault("other JSON", "is not JSON of the form that devices read") { file($0) { _ in "[7]" } },
            Fault("type", "has the content type “text/plain”") {
                TransportResponse(status: 200, headers: ["content-type": "text/plain"], body: file($0).body)
            },
            Fault("other app", "does not name ", count: 2) {
                file($0) { $0.replacing("com.example.harbour", with: "com.example.quay") }
            },
            Fault("other certificate", "with the certificate 00:01", count: 1) {
                file($0) { $0.replacing("\"00:", with: "\"01:") }
            },
            Fault("other relation", "does not name com.example.harbour", count: 1) {
                file($0) { $0.replacing("handle_all_urls", with: "get_login_creds") }
            },
        ])
    func brokenHosts(_ fault: Fault) async throws {
        let problems = try await findings(answer: fault.answer).filter { $0.hasPrefix("problem ") }
        #expect(problems.count == fault.count && problems.allSatisfy { $0.contains(fault.says) }, "\(problems)")
    }

    @Test("Apps that only the file names are a hint")
    func foreignApps() async throws {
        let found = try await findings { url in
            Self.file(url) { $0.replacing("[\"A1", with: "[\"Z9Y8X7W6V5.com.example.other\",\"A1") }
        }
        #expect(found.count == 4 && found[1].hasPrefix("hint iOS and macOS:"), "\(found)")
        #expect(found[1].contains("also names Z9Y8X7W6V5.com.example.other"))
    }

    @Test("Only files that the document fills are fetched; localhost and private authorities are hints at most")
    func nothingToFetch() async throws {
        let unexpected: @Sendable (String) throws -> TransportResponse = { url in
            Issue.record("\(url) was fetched")
            return TransportResponse(status: 404, body: Data())
        }
        let bare = PasskeySettings(relyingPartyID: "harbour.example.com")
        #expect(try await findings(bare, answer: unexpected).isEmpty)
        let local = PasskeySettings(relyingPartyID: "localhost", appleApps: ["A1B2C3D4E5.com.example.harbour"])
        #expect(try await findings(local, profile: .development, answer: unexpected).isEmpty)
        #expect(try await findings(local, answer: unexpected).map { $0.prefix(12) } == ["hint domain:"])
        #expect(try await findings(authorities: "PEM", answer: unexpected).map { $0.prefix(11) } == ["hint files:"])
    }
}

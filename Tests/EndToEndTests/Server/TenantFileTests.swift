import Foundation
import Testing

@testable import native_auth

extension TenantFile {
    /// What is wrong with the text of a tenant file, with the lines of a file `t.yaml`.
    static func faults(_ text: String) -> [String] {
        do throws(ServeSettings.Invalid) {
            _ = try TenantFile(text, named: "t.yaml")
            return []
        } catch {
            return error.problems
        }
    }
}

/// The tenant file of `--config`, and the page about it.
@Suite struct TenantFileTests {
    static let small = """
        tenants:
          - id: 0c2e6a3e-52d7-4b1c-9f3e-3f6a5d2b7c10
            subdomain: harbour
            domain: harbour.example.com
            displayName: Harbour
            applications:
              - clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7
                displayName: Harbour app
                signIn: emailOneTimePasscode
        """

    @Test("the example of docs/operate/tenant-file.md starts a server that knows its tenants", .timeLimit(.minutes(1)))
    func theExampleOfThePage() async throws {
        let page = try String(
            contentsOf: Python.package.appending(path: "docs/operate/tenant-file.md"), encoding: .utf8)
        let example = try #require(page.split(separator: "```yaml\n").dropFirst().first?.split(separator: "```").first)
        try await withConfig(String(example)) { server in
            var api = NativeAPI(
                baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
            #expect(try await api.signUp("dana@example.com").status == 200)
            // The rules of the second application are those that the page shows.
            api.clientID = "b3a8e0d4-1f76-4c29-a5d2-6e9c7b8f0a11"
            let password = "Tulip-Meadow-42"
            let refused = try await api.start(
                "alex@example.com", password: password, attributes: ["extension_memberNumber": "12"])
            #expect(refused.body.suberror == "attribute_validation_failed", "\(refused.text)")
            let token = try await api.start(
                "alex@example.com", password: password, attributes: ["extension_memberNumber": "M-0012"]
            ).token("start")
            let challenged = try await api.challenge(token).token("challenge")
            let asked = try await api.submit(try await api.code(for: "alex@example.com"), challenged)
            #expect(asked.body.error == "attributes_required")
            #expect(asked.text.contains("\"country\""))
            #expect(!asked.text.contains("memberNumber"))
            let signedUp = try await api.post(
                "signup/v1.0/continue",
                [
                    "continuation_token": try #require(asked.body.continuationToken), "grant_type": "attributes",
                    "attributes": #"{"country":"Denmark"}"#,
                ])
            let tokens = try await api.post(
                "oauth2/v2.0/token",
                [
                    "continuation_token": signedUp.token("continue"), "grant_type": "continuation_token",
                    "scope": "openid",
                ])
            #expect(try Self.claims(tokens.body.idToken)["member_number"] as? String == "M-0012", "\(tokens.text)")
            #expect(try Self.claims(tokens.body.accessToken)["member_number"] as? String == "M-0012")
            #expect(try Self.claims(tokens.body.accessToken)["country"] == nil)
            #expect(try Self.claims(tokens.body.idToken)["country"] as? String == "Denmark")
            // Another tenant, and no development tenant.
            #expect(try await api.get("/quay/v2.0/.well-known/openid-configuration").status == 200)
            #expect(try await api.get("/contoso/v2.0/.well-known/openid-configuration").status != 200)
        }
    }

    /// A change to the small file, and the word that the sentence must hold.
    struct Slip: CustomTestStringConvertible, Sendable {
        var from: String
        var to: String
        var names: String
        var testDescription: String { "\(from) → \(to)" }

        init(_ from: String, _ to: String, _ names: String) {
            self.from = from
            self.to = to
            self.names = names
        }
    }

    @Test(
        "a slip in the tenant file ends with 64 and a sentence that names it", .timeLimit(.minutes(1)),
        arguments: [
            Slip("subdomain: harbour", "subdomian: harbour", ":3: “subdomian” is not known"),
            Slip("displayName: Harbour\n", "displayName: Harbour\n    mailsPerHour: 0\n", "mailsPerHour"),
            Slip("displayName: Harbour\n", "displayName: Harbour\n    auditDays: 0\n", "auditDays"),
            Slip(
                "displayName: Harbour\n", "displayName: Harbour\n    rememberedDeviceDays: 31\n", "rememberedDeviceDays"
            ),
            Slip("displayName: Harbour app", "displayName: Harbour app\n        enumeration: open", "enumeration"),
            Slip("domain: harbour.example.com\n", "\n", "domain"),
            Slip("id: 0c2e6a3e", "id: x", "tenant id"),
            Slip("clientId: 7d9f", "clientId: x", "clientId"),
            Slip("signIn: emailOneTimePasscode", "signIn: carrierPigeon", "signIn"),
            Slip(
                "signIn: emailOneTimePasscode", "signIn: emailPassword\n        requiredAttributes: [shoeSize]",
                "shoeSize"),
            Slip(
                "signIn: emailOneTimePasscode",
                "signIn: emailPassword\n        attributes: [{name: city, regex: \"(\"}]", "regex"),
            Slip(
                "signIn: emailOneTimePasscode",
                "signIn: emailPassword\n        attributes: [{name: city, maximumLength: 0}]", "maximumLength"),
            Slip(
                "signIn: emailOneTimePasscode",
                "signIn: emailPassword\n        attributes: [{name: flatusername, userMayChange: true}]", "login name"),
            Slip("subdomain: harbour", "subdomain: Graph", "path of the server"),
            Slip("subdomain: harbour", "subdomain: harbour.example.com", "two tenants"),
            Slip("tenants:", "tenants: []\nunused:", "unused"),
            Slip("tenants:", "tenants: [", "--config"),
        ])
    func aSlipIsNamed(_ slip: Slip) async throws {
        let text = Self.small.replacing(slip.from, with: slip.to)
        #expect(text != Self.small)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        try Data(text.utf8).write(to: file)
        let (status, _, errors) = try await NativeAuthProcess.run([
            "serve", "--port", "0", "--data", folder.url.appending(path: "data").path, "--config", file.path,
        ])
        #expect(status == 64)
        #expect(errors.contains(slip.names) && errors.contains("--config"), "\(errors)")
    }

    /// The claims of a token, unverified.
    private static func claims(_ token: String?) throws -> [String: Any] {
        let parts = try #require(token).split(separator: ".")
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let object = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: text)))
        return try #require(object as? [String: Any])
    }

    private func withConfig(_ text: String, _ body: (NativeAuthServer) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        try Data(text.utf8).write(to: file)
        let server = try await NativeAuthServer.start(
            arguments: ["--config", file.path], dataFolder: folder.url.appending(path: "data"))
        try await body(server)
        await server.terminate()
    }
}

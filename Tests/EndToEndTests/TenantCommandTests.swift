import Foundation
import Testing

/// `native-auth tenant` as an operator meets it, on SQLite; `ProofTests` has two nodes on PostgreSQL.
@Suite("Tenant commands", .timeLimit(.minutes(2)))
struct TenantCommandTests {
    private func tenant(
        _ arguments: [String], _ status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await NativeAuthProcess.run(["tenant"] + arguments)
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        return status == 0 ? result.output : result.errors
    }

    /// The status of the first request of a sign-up, once it is `wanted` at each node, or after five seconds.
    private func start(_ api: NativeAPI, at server: NativeAuthServer, until wanted: Int) async throws -> Int {
        let end = ContinuousClock.now + .seconds(5)
        for url in server.listeners {
            let node = NativeAPI(baseURL: url, clientID: api.clientID, tenant: api.tenant)
            while true {
                let status = try await node.start("nobody@example.com").status
                if status == wanted { break }
                if ContinuousClock.now > end { return status }
                // Another process looks for a new document by itself, and tells nobody.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return wanted
    }

    @Test("SEC-AUD-1: a document is in force within five seconds, over --config, and its change is in the audit trail")
    func aDocumentIsTakenOver() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, file) = (folder.url.appending(path: "data"), folder.url.appending(path: "tenants.yaml"))
        try Data(TenantFileTests.small.utf8).write(to: file)
        let place = ["--data", data.path]
        let server = try await NativeAuthServer.start(dataFolder: data)
        let contoso = NativeAPI(baseURL: server.baseURL)
        let harbour = NativeAPI(
            baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
        #expect(try await contoso.signUp("ada@example.com").status == 200)
        #expect(try await harbour.start("dana@example.com").status == 400)
        #expect(try await tenant(["export"] + place, 64).contains("no tenant document"))

        #expect(try await tenant(["apply", file.path] + place).contains("version 1: 1 tenant, 1 applications"))
        #expect(try await start(harbour, at: server, until: 200) == 200)
        #expect(try await harbour.signUp("dana@example.com").status == 200)
        #expect(try await contoso.start("dana@example.com").status == 400)
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)

        // The same again changes nothing; what is wrong neither.
        #expect(try await tenant(["apply", file.path] + place).contains("version 1:"))
        let wrong = TenantFileTests.small.replacing("signIn: emailOneTimePasscode", with: "signIn: carrierPigeon")
        try Data(wrong.utf8).write(to: file)
        #expect(try await tenant(["apply", file.path] + place, 64).contains("tenants.yaml:9: "))
        #expect(try await tenant(["export"] + place) == TenantFileTests.small)
        await server.terminate()

        // A server that is given another file goes by the database, and says so.
        let other = TenantFileTests.small.replacing("subdomain: harbour", with: "subdomain: quay")
        try Data(other.utf8).write(to: file)
        let again = try await NativeAuthServer.start(arguments: ["--config", file.path], dataFolder: data)
        let restarted = NativeAPI(baseURL: again.baseURL, clientID: harbour.clientID, tenant: "harbour")
        #expect(try await restarted.isTaken("dana@example.com"))
        #expect(try again.errors().contains("--config is not in force"))
        #expect(try await tenant(["apply", file.path] + place).contains("version 2:"))
        let quay = NativeAPI(baseURL: again.baseURL, clientID: harbour.clientID, tenant: "quay")
        #expect(try await start(quay, at: again, until: 200) == 200)
        #expect(try await quay.isTaken("dana@example.com"))
        await again.terminate()

        let trail = try await NativeAuthProcess.run(["audit", "list"] + place).output
        let changes = trail.split(separator: "\n").filter { $0.contains("config.changed") }
        // Two for the new tenant, and two for the one that is configured no longer.
        #expect(changes.count == 4)
        #expect(changes.filter { $0.contains("before none after ") }.count == 2)
        let verified = try await NativeAuthProcess.run(["audit", "verify"] + place)
        #expect(verified.status == 0 && verified.output.split(separator: "\n").count == 2, "\(verified.errors)")
    }

    @Test("each fault of a tenant file is told with its line, all of them together")
    func faultsHaveLines() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        let text = TenantFileTests.small
        for (document, faults) in [
            (text.replacing("displayName: Harbour app", with: "colour: red"), [":8: “colour” is not known."]),
            (text.replacing("        displayName: Harbour app\n", with: ""), [":7: “displayName” is missing"]),
            (
                text.replacing("id: 0c2e6a3e", with: "id: x").replacing("clientId: 7d9f", with: "clientId: x"),
                [":2: the tenant id", ":7: the clientId"]
            ),
            (text.replacing("subdomain: harbour", with: "subdomain: harbour.example.com"), [":3: two tenants"]),
            (
                text + "\n        requiredAttributes: [city,\n          shoeSize]\n",
                [":11: requiredAttributes names “shoeSize”"]
            ),
            (text.replacing("tenants:", with: "tenants: ["), [": this is not YAML"]),
        ] {
            try Data(document.utf8).write(to: file)
            let errors = try await tenant(["check", file.path], 64)
            for fault in faults { #expect(errors.contains(fault), "\(errors)") }
        }
        try Data(text.utf8).write(to: file)
        #expect(try await tenant(["check", file.path]).contains("1 tenant, 1 applications"))
        #expect(try await tenant(["check", "/nowhere"], 64).contains("cannot be read"))
    }
}

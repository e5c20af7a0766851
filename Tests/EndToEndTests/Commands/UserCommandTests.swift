import Foundation
import Testing

/// `native-auth user` as an operator uses it.
@Suite struct UserCommandTests {
    @Test(
        "SEC-TOK-13: a disabled account is refused, its name shown, and enabled it comes in again",
        .timeLimit(.minutes(1)))
    func anAccountIsDisabledAndEnabled() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        var server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")

        #expect(await server.terminate() == 0)

        let shown = try await user("show", "Dana@Example.com", data)
        #expect(shown.status == 0 && shown.output.contains("dana@example.com"), "\(shown.errors)")
        #expect(shown.output.contains("enabled") && shown.output.contains("a code"))
        let disabled = try await user("disable", "dana@example.com", data)
        #expect(disabled.status == 0 && disabled.output.contains("disabled since"), "\(disabled.errors)")
        server = try await server.restart()
        let refused = try await initiate(server)
        #expect(refused.status == 400 && refused.body.errorCodes == [50_057])
        #expect(await server.terminate() == 0)

        let enabled = try await user("enable", "dana@example.com", data)
        #expect(enabled.status == 0 && enabled.output.contains("enabled"), "\(enabled.errors)")
        #expect(try await user("methods remove", "dana@example.com", data).status == 0)
        server = try await server.restart()
        #expect(try await initiate(server).status == 200)
        #expect(await server.terminate() == 0)

        for name in ["nobody@example.com", "not an address", ""] {
            let unknown = try await user("show", name, data)
            #expect(
                unknown.status == 64 && unknown.errors.contains("No user signs in with this name"), "\(unknown.errors)")
        }
    }

    @Test("Without its tenant file a command says that the database has another tenant", .timeLimit(.minutes(1)))
    func anotherTenant() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, file) = (folder.url.appending(path: "data"), folder.url.appending(path: "tenants.yaml"))
        let client = "5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511"
        let text = """
            tenants:
              - id: 7b9f4f3e-2b64-4f7e-9a51-3b1de1f0a001
                displayName: Harbour
                subdomain: harbour
                domain: harbour.example.com
                applications:
                  - {clientId: \(client), displayName: App, signIn: emailOneTimePasscode}
            """
        try Data(text.utf8).write(to: file)
        let server = try await NativeAuthServer.start(arguments: ["--config", file.path], dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL, clientID: client, tenant: "harbour").signUp("dana@example.com")
        #expect(await server.terminate() == 0)
        let list = ["user", "list", "--data", data.path]
        let without = try await NativeAuthProcess.run(list)
        #expect(without.output.isEmpty && without.errors.contains("--config"), "\(without)")
        let with = try await NativeAuthProcess.run(list + ["--config", file.path])
        #expect(with.output.contains("dana@example.com") && with.errors.isEmpty, "\(with)")
    }

    @Test("User commands work while a server runs, and count at its next request", .timeLimit(.minutes(1)))
    func besideAServer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")
        for round in 0..<2 {
            let shown = try await user("show", "dana@example.com", data)
            #expect(shown.status == 0 && shown.output.contains("enabled"), "\(round) \(shown.errors)")
            let disabled = try await user("disable", "dana@example.com", data)
            #expect(disabled.status == 0 && disabled.output.contains("disabled since"), "\(disabled.errors)")
            #expect(try await initiate(server).body.errorCodes == [50_057])
            #expect(try await user("enable", "dana@example.com", data).status == 0)
            #expect(try await initiate(server).status == 200)
        }
        #expect(try await user("methods remove", "dana@example.com", data).status == 0)
        #expect(await server.terminate() == 0)
    }

    @Test(
        "Key commands work while a server runs: a revoked key is gone from its key set within a minute",
        .timeLimit(.minutes(3)))
    func keysBesideAServer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL)
        let published = try await api.get("/contoso/discovery/v2.0/keys").body
        let listed = try await key(["list"], data)
        let kid = try #require(listed.split(separator: "  ").dropFirst().first.map(String.init))
        #expect(published.contains(kid), "\(listed)")
        #expect(try await key(["rotate"], data).contains("next     from"))
        #expect(try await key(["rotate", "--now"], data).contains("retired"))
        #expect(try await !key(["revoke", kid], data).contains(kid))
        // The server process reads the keys again automatically, once a minute.
        let end = ContinuousClock.now + .seconds(75)
        // With two nodes any of them answers: eight answers in a row come from both.
        var gone = 0
        while gone < 8, ContinuousClock.now < end {
            gone = try await api.get("/contoso/discovery/v2.0/keys").body.contains(kid) ? 0 : gone + 1
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(gone == 8)
        _ = try await api.signUp("dana@example.com")
        #expect(await server.terminate() == 0)
    }

    private func key(_ arguments: [String], _ data: URL) async throws -> String {
        let result = try await NativeAuthProcess.run(["key"] + arguments + ["--data", data.path])
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    private func initiate(_ server: NativeAuthServer) async throws -> NativeAPI.Reply {
        try await NativeAPI(baseURL: server.baseURL).post(
            "oauth2/v2.0/initiate", ["username": "dana@example.com", "challenge_type": "oob password redirect"])
    }

    private func user(
        _ command: String, _ name: String, _ data: URL
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.run(
            ["user"] + command.split(separator: " ").map(String.init) + ["--data", data.path, "--", name])
    }
}

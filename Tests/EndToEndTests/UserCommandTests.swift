import Foundation
import Testing

/// `native-auth user` as an operator meets it.
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

        let busy = try await user("show", "dana@example.com", data)
        if TwoNodes.isOn {
            #expect(busy.status == 0, "on PostgreSQL accounts may be seen to while servers run: \(busy.errors)")
        } else {
            #expect(busy.status == 69 && busy.errors.contains("in use by a running server"), "\(busy.errors)")
        }
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
        #expect(try await user("forget-methods", "dana@example.com", data).status == 0)
        server = try await server.restart()
        #expect(try await initiate(server).status == 200)
        #expect(await server.terminate() == 0)

        for name in ["nobody@example.com", "not an address", ""] {
            let unknown = try await user("show", name, data)
            #expect(
                unknown.status == 64 && unknown.errors.contains("Nobody signs in by this name"), "\(unknown.errors)")
        }
    }

    private func initiate(_ server: NativeAuthServer) async throws -> NativeAPI.Reply {
        try await NativeAPI(baseURL: server.baseURL).post(
            "oauth2/v2.0/initiate", ["username": "dana@example.com", "challenge_type": "oob password redirect"])
    }

    private func user(
        _ command: String, _ name: String, _ data: URL
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.run(["user", command, "--data", data.path, "--", name])
    }
}

import Foundation
import Testing

/// The commands of `native-auth user` about one user's factors.
@Suite struct FactorCommandTests {
    private static let password = "Tulip-Harbour-42"

    @Test(
        "An operator demands a second factor of one user, in every application, and takes the demand back",
        .timeLimit(.minutes(1)))
    func aSecondFactorOfOneUser() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        var server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL)
        _ = try await api.using(.password).signUp("dana@example.com", password: Self.password)
        _ = try await api.signUp("otto@example.com")
        #expect(try await signIn(server).body.accessToken != nil)
        #expect(await server.terminate() == 0)

        let demanded = try await user("second-factor", data, "dana@example.com", "required")
        #expect(demanded.status == 0 && demanded.output.contains("second factor"), "\(demanded)")
        // A user with codes only has no password as a first factor.
        let refused = try await user("second-factor", data, "otto@example.com", "required")
        #expect(refused.status == 64 && refused.errors.contains("no password"), "\(refused)")
        let odd = try await user("second-factor", data, "dana@example.com", "sometimes")
        #expect(odd.status == 64 && odd.errors.contains("by-application"), "\(odd)")

        server = try await server.restart()
        let wanted = try await signIn(server)
        #expect(wanted.status == 400 && wanted.body.suberror == "registration_required", "\(wanted.text)")
        #expect(await server.terminate() == 0)

        #expect(try await user("second-factor", data, "dana@example.com", "by-application").status == 0)
        #expect(try await user("trust-password", data, "dana@example.com").status == 0)
        server = try await server.restart()
        #expect(try await signIn(server).body.accessToken != nil)
        #expect(await server.terminate() == 0)
    }

    @Test(
        "SEC-ENR-12: where two operators must stand behind it, a command changes nothing, ends with 75, and says what waits",
        .timeLimit(.minutes(1)))
    func twoOperators() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL).using(.password)
        _ = try await api.signUp("dana@example.com", password: Self.password)
        #expect(await server.terminate() == 0)
        func rule(_ word: String...) async throws -> String {
            let run = try await command(["operator", "two-operators"] + word, data)
            #expect(run.status == 0, "\(run)")
            return run.output
        }
        #expect(try await rule() == "off\n")
        #expect(try await rule("on") == "on\n")
        for (verb, more) in [
            ("reset-password", []), ("trust-password", []), ("methods remove", []),
            ("second-factor", ["by-application"]), ("update", ["--email", "dana@new.example"]),
        ] as [(String, [String])] {
            let run = try await command(
                ["user"] + verb.split(separator: " ").map(String.init) + ["dana@example.com"] + more, data)
            let isNothing = verb == "trust-password"
            #expect(run.status == (isNothing ? 0 : 75), "\(verb): \(run)")
            if !isNothing { #expect(run.output.hasPrefix("waits") && run.errors.contains("two operators"), "\(run)") }
        }
        // What takes nothing away is done at once.
        #expect(try await user("second-factor", data, "dana@example.com", "required").status == 0)
        let listed = try await command(["user", "requests"], data)
        let ids = listed.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(ids.count == 4 && listed.output.contains("dana@new.example"), "\(listed)")
        let withdrawn = try await command(["user", "requests", "withdraw", try #require(ids.first)], data)
        #expect(withdrawn.status == 0, "\(withdrawn)")
        #expect(try await command(["user", "requests", "withdraw", ids[0]], data).status == 64)
        #expect(try await command(["user", "requests", "--json"], data).output.split(separator: "\n").count == 3)
        #expect(try await rule("off") == "off\n")
        #expect(try await user("reset-password", data, "dana@example.com").status == 0)
    }

    @Test(
        "SEC-ENR-9: methods of a user who needs a second factor and could not enrol another are not forgotten",
        .timeLimit(.minutes(1)))
    func neededMethodsStay() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL).using(.password)
        _ = try await api.signUp("dana@example.com", password: Self.password)
        #expect(await server.terminate() == 0)

        #expect(try await user("second-factor", data, "dana@example.com", "required").status == 0)
        // As after a reset, which proves the mailbox alone.
        _ = try await Database(of: data).rows("UPDATE users SET password_from_reset = 1")
        let refused = try await user("methods remove", data, "dana@example.com")
        #expect(refused.status == 64 && refused.errors.contains("trust-password"), "\(refused)")

        #expect(try await user("trust-password", data, "dana@example.com").status == 0)
        #expect(try await user("methods remove", data, "dana@example.com").status == 0)
    }

    private func signIn(_ server: NativeAuthServer) async throws -> NativeAPI.Reply {
        let api = NativeAPI(baseURL: server.baseURL).using(.password)
        let kinds = "oob password redirect"
        let capabilities = "registration_required mfa_required"
        let started = try await api.post(
            "oauth2/v2.0/initiate",
            ["username": "dana@example.com", "challenge_type": kinds, "capabilities": capabilities]
        ).token("initiate")
        let wanted = try await api.post(
            "oauth2/v2.0/challenge", ["continuation_token": started, "challenge_type": kinds]
        ).token("challenge")
        return try await api.post(
            "oauth2/v2.0/token",
            [
                "continuation_token": wanted, "grant_type": "password", "password": Self.password,
                "scope": "openid offline_access",
            ])
    }

    private func command(
        _ words: [String], _ data: URL
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.run(words + ["--data", data.path])
    }

    private func user(
        _ command: String, _ data: URL, _ words: String...
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.run(
            ["user"] + command.split(separator: " ").map(String.init) + ["--data", data.path, "--"] + words)
    }
}

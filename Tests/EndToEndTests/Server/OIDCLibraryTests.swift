import Foundation
import Testing

/// Tokens and keys as a library of another language reads them: PyJWT, with only the server's address.
@Suite struct OIDCLibraryTests {
    /// PyJWT's results for the tokens of one sign-in.
    struct Report: Decodable, Equatable {
        struct Token: Decodable, Equatable {
            var kid, typ, alg, sub: String
            var isAlgorithmListed: Bool
            /// Names of PyJWT's exceptions.
            var tampered, unsigned, anotherAudience, anotherIssuer, anotherAlgorithm: String

            /// The expected report; key, algorithm and subject are the token's own.
            init(_ typ: String, like token: Token, alg: String) {
                (self.typ, self.alg, kid, sub) = (typ, alg, token.kid, token.sub)
                isAlgorithmListed = true
                tampered = "InvalidSignatureError"
                unsigned = "InvalidAlgorithmError"
                anotherAudience = "InvalidAudienceError"
                anotherIssuer = "InvalidIssuerError"
                anotherAlgorithm = "InvalidAlgorithmError"
            }
        }

        /// Key ids of the key set, latest first.
        var published: [String]
        var accessToken, idToken: Token
    }

    struct Tokens: Codable {
        var clientID = NativeAPI.Application.oneTimePasscode.rawValue
        var accessToken, idToken: String
    }

    @Test(
        "SEC-TOK-2, SEC-TOK-5: PyJWT verifies ID and access token from discovery and key set, after rotations too",
        .timeLimit(.minutes(2)))
    func aLibraryOfAnotherLanguage() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        var server = try await NativeAuthServer.start(dataFolder: data)
        let first = try await signUp("dana@example.com", on: server)
        let before = try await report(on: first, of: server)
        expect(before, "RS256")
        #expect(before.published == [before.idToken.kid])
        var tokens = [first]
        var kids = before.published
        for (name, arguments, algorithm) in [
            ("alex", [], "RS256"), ("kim", ["--algorithm", "ES256"], "ES256"), ("robin", [], "ES256"),
        ] {
            #expect(await server.terminate() == 0)
            let (status, output, errors) = try await key("rotate", ["--now"] + arguments, data)
            #expect(status == 0, "\(errors)")
            #expect(output.split(separator: "\n").count == kids.count + 1)
            server = try await server.restart()
            let new = try await signUp("\(name)@example.com", on: server)
            let after = try await report(on: new, of: server)
            expect(after, algorithm)
            #expect(after.published.count == kids.count + 1)
            #expect(after.published.first == after.idToken.kid)
            #expect(!kids.contains(after.idToken.kid))
            for old in tokens { expect(try await report(on: old, of: server)) }
            tokens.append(new)
            kids = after.published
        }
        // A revoked key is removed, and its tokens are invalid: PyJWT finds no key for them.
        #expect(await server.terminate() == 0)
        #expect(try await key("revoke", [before.idToken.kid], data).status == 0)
        server = try await server.restart()
        await #expect(throws: Python.Failed.self) { try await report(on: first, of: server) }
        expect(try await report(on: tokens[3], of: server), "ES256")
        #expect(await server.terminate() == 0)
    }

    @Test("native-auth key lists, announces and revokes, and says in a sentence why it cannot", .timeLimit(.minutes(1)))
    func theCommand() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        if !TwoNodes.isOn {
            try await expect(74, "identity.sqlite", "list", [], data)
            #expect(!FileManager.default.fileExists(atPath: data.path))
        }

        let server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await signUp("dana@example.com", on: server)
        // Key commands work while servers run.
        let listed = try await lines("list", [], data)
        #expect(await server.terminate() == 0)

        #expect(listed.count == 1 && listed[0].first == "contoso" && listed[0].contains("signing"))
        let kid = try #require(listed.first?.dropFirst().first)
        for _ in 0..<2 {
            let announced = try await lines("rotate", ["--tenant", "contoso.onmicrosoft.com"], data)
            #expect(announced.map { $0[3] } == ["next", "signing"])
            #expect(announced.last?[1] == kid)
        }
        let rotated = try await lines("rotate", ["--now", "--algorithm", "ES256"], data)
        #expect(rotated.map { $0[3] } == ["signing", "retired"])
        #expect(rotated.map { $0[2] } == ["ES256", "RS256"])
        let revoked = try await lines("revoke", [rotated[0][1]], data)
        #expect(revoked.map { $0[3] } == ["signing", "retired"])
        #expect(revoked[0][1] != rotated[0][1] && revoked[1][1] == kid)
        #expect(try await lines("list", [], data) == revoked)

        try await expect(64, "key list", "revoke", ["another"], data)
        try await expect(64, "--algorithm", "rotate", ["--algorithm", "HS256"], data)
        try await expect(64, "--tenant", "list", ["--tenant", "fabrikam"], data)
        try await expect(64, "--config", "list", ["--config", "/nowhere/tenants.yaml"], data)
        let masterKey = data.appending(path: "master.key")
        try Data.randomKey().write(to: masterKey)
        try await expect(74, "master key", "rotate", ["--now"], data)
        try FileManager.default.removeItem(at: masterKey)
        try await expect(74, "master.key", "list", [], data)
        #expect(!FileManager.default.fileExists(atPath: masterKey.path))
    }

    private func signUp(_ email: String, on server: NativeAuthServer) async throws -> Tokens {
        let api = NativeAPI(baseURL: server.baseURL)
        let token = try await api.signUp(email).token("continue")
        let reply = try await api.post(
            "oauth2/v2.0/token",
            [
                "grant_type": "continuation_token", "continuation_token": token, "username": email,
                "scope": "openid offline_access",
            ])
        return Tokens(
            accessToken: try #require(reply.body.accessToken, "\(reply.status)"),
            idToken: try #require(reply.body.idToken))
    }

    private func report(on tokens: Tokens, of server: NativeAuthServer) async throws -> Report {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tokens.json")
        try JSONEncoder().encode(tokens).write(to: file)
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/oidc.py").path
        let output = try await Python.run([script, server.baseURL.absoluteString + "/contoso", file.path])
        return try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }

    private func expect(
        _ report: Report, _ algorithm: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (access, id) = (report.accessToken, report.idToken)
        let alg = algorithm ?? id.alg
        #expect(access == .init("at+jwt", like: access, alg: alg), sourceLocation: sourceLocation)
        #expect(id == .init("JWT", like: id, alg: alg), sourceLocation: sourceLocation)
        #expect(access.kid == id.kid && access.sub == id.sub, sourceLocation: sourceLocation)
    }

    private func key(
        _ name: String, _ arguments: [String], _ data: URL
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NativeAuthProcess.run(["key", name, "--data", data.path] + arguments)
    }

    /// The words of each line of a command that must succeed.
    private func lines(_ name: String, _ arguments: [String], _ data: URL) async throws -> [[String]] {
        let (status, output, errors) = try await key(name, arguments, data)
        #expect(status == 0 && errors.isEmpty, "\(errors)")
        return output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    /// Fails unless the command ends with `status` and one sentence that holds `word`.
    private func expect(
        _ status: Int32, _ word: String, _ name: String, _ arguments: [String], _ data: URL,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (seen, output, errors) = try await key(name, arguments, data)
        #expect(seen == status, "\(errors)", sourceLocation: sourceLocation)
        #expect(errors.contains(word), "\(errors)", sourceLocation: sourceLocation)
        #expect(errors.split(separator: "\n").count == 1 && output.isEmpty, "\(errors)", sourceLocation: sourceLocation)
    }
}

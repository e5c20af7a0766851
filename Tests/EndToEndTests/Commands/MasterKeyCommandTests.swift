import Foundation
import Testing

/// `native-auth key master` as an operator uses it; `ProofTests` tests it under load.
@Suite("Master key commands", .timeLimit(.minutes(3)))
struct MasterKeyCommandTests {
    /// - Returns: The command's output; from standard error if it was expected to fail.
    private func run(
        _ arguments: String..., data: URL, _ status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await NativeAuthProcess.run(arguments + ["--data", data.path])
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        return status == 0 ? result.output : result.errors
    }

    private func writeKey(_ bytes: Data, _ file: URL, mode: Int = 0o600) throws {
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    /// A user's `sub`, and the next refresh token.
    private func refresh(_ api: NativeAPI, _ token: String) async throws -> (sub: String, next: String) {
        let reply = try await api.post("oauth2/v2.0/token", ["grant_type": "refresh_token", "refresh_token": token])
        return try held(reply)
    }

    private func held(_ reply: NativeAPI.Reply) throws -> (sub: String, next: String) {
        struct Claims: Decodable { var sub: String }
        let part = try #require(reply.body.idToken?.split(separator: ".").dropFirst().first, "\(reply.text)")
        var base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: -base64.count & 3)
        let claims = try JSONDecoder().decode(Claims.self, from: try #require(Data(base64Encoded: base64)))
        return (claims.sub, try #require(reply.body.refreshToken))
    }

    @Test("SEC-SEC-1: a server's master key is rotated while it runs; people, flows and the audit trail notice nothing")
    func aRotation() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let (key, new) = (data.appending(path: "master.key"), data.appending(path: "master.key.new"))
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL)
        let finished = try await api.signUp("dana@example.com").token("sign-up")
        let before = try held(
            try await api.post(
                "oauth2/v2.0/token",
                [
                    "grant_type": "continuation_token", "continuation_token": finished,
                    "scope": "openid offline_access",
                ]))
        // Running flows: one that begins before the rotation and is challenged after it, and one that waits for its
        // code.
        let begun = try await api.start("begun@example.com").token("start")
        let waiting = try await api.challenge(try await api.start("waits@example.com").token("start")).token(
            "challenge")
        let code = try await api.code(for: "waits@example.com")
        let oldBackup = folder.url.appending(path: "old.backup").path
        _ = try await run("backup", oldBackup, data: data)
        // Sealed within the second after it was written.
        var noted = ""
        while !noted.hasSuffix("  0 not sealed yet\n") { noted = try await run("audit", "verify", data: data) }
        let end = try #require(noted.split(separator: " ").dropFirst(2).first.map(String.init))

        try writeKey(.randomKey(), new)
        let sealed = try await Database(of: data).rows("SELECT sealed_private_key FROM signing_keys")
        let rotated = try await run("key", "master", "rotate", "--new-master-key-file", new.path, data: data)
        #expect(rotated.contains("data key 1  made") && rotated.contains("sealed anew  1 signing keys"), "\(rotated)")
        #expect(try await Database(of: data).rows("SELECT sealed_private_key FROM signing_keys") != sealed)
        #expect(try await run("key", "master", "list", data: data).split(separator: "\n").count == 2)
        // The running server continues with the old master key.
        let token = try await api.challenge(begun).token("challenge")
        let laterCode = try await api.code(for: "begun@example.com")
        let during = try await refresh(api, before.next)
        #expect(during.sub == before.sub)
        #expect(await server.terminate() == 0)

        // Until remove-old either key starts a server, so a crash around the exchange of the files does no harm.
        let unchanged = try await server.restart()
        let middle = try await refresh(NativeAPI(baseURL: unchanged.baseURL), during.next)
        #expect(middle.sub == before.sub)
        #expect(await unchanged.terminate() == 0)
        let old = folder.url.appending(path: "old.key")
        try FileManager.default.copyItem(at: key, to: old)
        #expect(rename(new.path, key.path) == 0)
        let restarted = try await server.restart()
        let later = NativeAPI(baseURL: restarted.baseURL)
        let after = try await refresh(later, middle.next)
        #expect(after.sub == before.sub)
        #expect(try await later.submit(code, waiting).status == 200)
        #expect(try await later.submit(laterCode, token).status == 200)

        // In the wrong order it would lock the server out, so it is refused.
        #expect(
            try await run("key", "master", "rotate", "--new-master-key-file", key.path, data: data, 64)
                .contains("in use"))
        #expect(try await run("key", "master", "remove-old", data: data).contains("removed  master key "))
        #expect(try await run("key", "master", "remove-old", data: data) == "There is no other master key.\n")
        #expect(try await refresh(later, after.next).sub == before.sub)
        #expect(await restarted.terminate() == 0)
        #expect(
            try await run("serve", "--port", "0", "--master-key-file", old.path, data: data, 74)
                .contains("under another master key"))
        _ = try await run("audit", "verify", "--noted", end, data: data)
        let trail = try await run("audit", "list", data: data)
        #expect(trail.contains(#""event":"key.rotated""#) && trail.contains(#""event":"key.revoked""#))

        // A backup opens under the master key of its time, and a user's `sub` stays the same.
        let home = folder.url.appending(path: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        #expect(
            try await run("restore", oldBackup, "--master-key-file", key.path, data: home, 74)
                .contains("under another master key"))
        _ = try await run("restore", oldBackup, "--keep-sessions", "--master-key-file", old.path, data: home)
        let restored = try await NativeAuthServer.start(arguments: ["--master-key-file", old.path], dataFolder: home)
        #expect(try await refresh(NativeAPI(baseURL: restored.baseURL), before.next).sub == before.sub)
        #expect(await restored.terminate() == 0)
    }

    @Test(
        "SEC-SEC-1: a new master key that is missing, short, long, a sample or readable by others is refused, and nothing changes"
    )
    func unusableKeys() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let before = try await Database(of: data).rows("SELECT generation, sealed_key FROM data_keys")
        let file = folder.url.appending(path: "new.key")
        let keys: [(Data?, Int)] = [
            (nil, 0o600), (Data(repeating: 1, count: 31), 0o600), (Data(repeating: 1, count: 33), 0o600),
            (Data(repeating: 1, count: 32), 0o600), (.randomKey(), 0o644),
        ]
        for (bytes, mode) in keys {
            if let bytes { try writeKey(bytes, file, mode: mode) }
            let errors = try await run("key", "master", "rotate", "--new-master-key-file", file.path, data: data, 74)
            #expect(errors.contains("new.key") && errors.split(separator: "\n").count == 1, "\(errors)")
        }
        #expect(try await Database(of: data).rows("SELECT generation, sealed_key FROM data_keys") == before)
        await server.terminate()
    }
}

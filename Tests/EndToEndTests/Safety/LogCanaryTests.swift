import Foundation
import Testing

/// A sign-up whose every secret is a unique marker, and a search for the markers everywhere a secret must not be.
@Suite struct LogCanaryTests {
    /// A text that must not be found, and what it is.
    private struct Canary {
        var name: String
        var text: String
    }

    private static func found(_ canaries: [Canary], in data: Data) -> [String] {
        canaries.filter { data.range(of: Data($0.text.utf8)) != nil }.map(\.name)
    }

    @Test(
        "SEC-LOG-1, SEC-CT-8, LOG-T: no secret and nothing personal of a sign-up is in the log at trace level or, but for the account, on disk",
        .timeLimit(.minutes(2)))
    func secretsAreNowhere() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mails = folder.url.appending(path: "mails")
        try FileManager.default.createDirectory(at: mails, withIntermediateDirectories: true)
        let sink = try await SMTPSink.start(in: mails)
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(
            arguments: ["--log-level", "trace", "--smtp", sink.url], dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL).using(.passwordAndAttributes)

        let marker = UUID().uuidString.lowercased().replacing("-", with: "")
        let email = "canary\(marker)@example.com"
        let password = "Kanari!\(marker.prefix(20))X"
        let weakPassword = "weak\(marker.prefix(12))"
        let country = "Land\(marker)"
        let city = "City\(marker)"
        var personal = [
            Canary(name: "e-mail", text: email), Canary(name: "local part of the e-mail", text: "canary\(marker)"),
            Canary(name: "country", text: country), Canary(name: "city", text: city),
        ]
        var secrets = [Canary(name: "password", text: password), Canary(name: "refused password", text: weakPassword)]

        func token(_ reply: NativeAPI.Reply, _ step: String) -> String {
            let token = reply.body.continuationToken ?? ""
            #expect(!token.isEmpty, "\(step): \(reply.text)")
            secrets.append(Canary(name: "continuation token of \(step)", text: token))
            return token
        }

        // Refusals first: a password that is too weak, and one in the URL, where proxies would log it.
        #expect(try await api.start(email, password: weakPassword).body.error == "invalid_grant")
        let inQuery = try await api.post(
            "signup/v1.0/start", ["username": email, "challenge_type": "oob password redirect"],
            query: "?password=\(password)&username=\(email)")
        #expect(inQuery.status == 400)

        let started = token(try await api.start(email, password: password, attributes: ["city": city]), "start")
        let challenged = token(try await api.challenge(started), "challenge")
        let code = try await api.code(for: email)
        let wrongCode = code == "83516274" ? "83516275" : "83516274"
        secrets.append(Canary(name: "code", text: code))
        secrets.append(Canary(name: "wrong code", text: wrongCode))
        #expect(try await api.submit(wrongCode, challenged).body.suberror == "invalid_oob_value")
        let asked = try await api.submit(code, challenged)
        #expect(asked.body.error == "attributes_required")
        let last = token(
            try await api.submit(attributes: ["country": country, "city": city], token(asked, "continue")),
            "attributes")

        let tokens = try await api.post(
            "oauth2/v2.0/token",
            [
                "grant_type": "continuation_token", "continuation_token": last, "username": email,
                "scope": "openid offline_access",
            ])
        let refreshToken = try #require(tokens.body.refreshToken, "\(tokens.text)")
        let refreshed = try await api.post(
            "oauth2/v2.0/token",
            ["grant_type": "refresh_token", "refresh_token": refreshToken, "scope": "openid offline_access"])
        for (name, text) in [
            ("access token", tokens.body.accessToken), ("ID token", tokens.body.idToken),
            ("refresh token", refreshToken), ("second access token", refreshed.body.accessToken),
            ("second refresh token", refreshed.body.refreshToken),
        ] {
            secrets.append(Canary(name: name, text: try #require(text, "\(name): \(refreshed.text)")))
        }

        // The mail was sent, with the code: the search looks for values that really existed. The address is on disk, in
        // the account: the search does find values.
        let mail = try #require(try await sink.mails(1).first)
        #expect(Self.found(secrets, in: Data(mail.utf8)) == ["code"])
        #expect(try await Self.found(personal, in: Self.content(of: data)).contains("e-mail"))
        #expect(try await Self.found(secrets, in: Self.content(of: data)) == [])
        await server.terminate()
        #expect(try await Self.found(secrets, in: Self.content(of: data)) == [])

        let log = try server.output() + server.errors()
        #expect(log.contains("/{tenant}/signup/v1.0/continue"), "the log tells of the requests at all")
        personal += secrets
        #expect(Self.found(personal, in: Data(log.utf8)) == [])
        await sink.server.stop()
    }

    /// All bytes of all files of a folder, and of the database if it is elsewhere.
    private static func content(of folder: URL) async throws -> Data {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
        return TwoNodes.isOn ? try await files + Database(of: folder).content() : files
    }
}

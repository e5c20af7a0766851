import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import native_auth

/// Daemons in a tenant file, and `native-auth daemon`.
@Suite("Daemons of a tenant file", .timeLimit(.minutes(2)))
struct DaemonCommandTests {
    private static let key = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeXjfxQ5S0ZdEN+wAkWRGm6113m4e
        LH69wg3/2/5Qm8zpKGvaQCfwEAAWsyHKDqw5WVuMqciLU/mnvZR86brO9A==
        -----END PUBLIC KEY-----
        """
    private static let digest = Base64URL.encode(DaemonSecret.digest(of: Secret("a secret")))

    /// The small file with a daemon that has these lines.
    private func file(_ lines: String) -> String {
        TenantFileTests.small + "\n    daemons:\n"
            + lines.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
    }

    private static let daemon = """
        - clientId: 5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511
          displayName: Nightly job
          roles: [User.Read.All, api://orders/Orders.Process]
          secrets:
            - {id: 00000000-0000-4000-8000-000000000001, displayName: first, hint: abc, sha256: "\(digest)", ends: 2099-01-31}
            - {id: 00000000-0000-4000-8000-000000000002, sha256: "\(digest)", starts: 2026-01-01T12:30:00Z, ends: 2099-01-01}
          keys:
            - id: 00000000-0000-4000-8000-000000000003
              ends: 2099-01-31T00:00:00Z
              publicKey: |
        \(key.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n"))
        """

    @Test("What the file says of a daemon is read, and what export writes of it is read as the same")
    func aDaemonSurvivesItsText() throws {
        let directory = try TenantFile(file(Self.daemon), named: "t.yaml").directory
        let daemon = try #require(directory.entries.first?.daemons.first)
        #expect(daemon.id.description == "5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511")
        #expect(
            daemon.displayName == "Nightly job" && daemon.roles == ["User.Read.All", "api://orders/Orders.Process"])
        #expect(daemon.secrets.map(\.hint) == ["abc", ""] && daemon.secrets.map(\.displayName) == ["first", ""])
        #expect(daemon.secrets[0].digest == DaemonSecret.digest(of: Secret("a secret")))
        #expect(daemon.secrets[0].endsAt == Date(timeIntervalSince1970: 4_073_500_800))
        #expect(daemon.secrets[1].startsAt == Date(timeIntervalSince1970: 1_767_270_600))
        #expect(daemon.keys.map(\.publicKey) == [Self.key])
        let written = try TenantText.document(directory)
        #expect(try TenantFile(written, named: "written").directory.entries == directory.entries, "\(written)")
        #expect(directory.summary == "1 tenant, 1 application, 1 daemon")
    }

    @Test("Each fault of a daemon is told with its line, all of them together")
    func faultsOfDaemons() {
        let text = file(
            """
            - clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7
              displayName: ""
              roles:
                - User.Fly.All
                - api://orders/*
                - User.Read
                - openid
                - User.Read.All
                - User.Read.All
              secrets:
                - {id: 7, hint: secret, sha256: short, ends: soon}
                - {id: 00000000-0000-4000-8000-000000000001, sha256: "\(Self.digest)"}
                - {id: 00000000-0000-4000-8000-000000000001, sha256: "\(Self.digest)", starts: 2027-01-01, ends: 2026-01-01}
                - {id: 00000000-0000-4000-8000-000000000002, sha256: "\(Base64URL.encode(DaemonSecret.digestOfDevelopment))", ends: 2099-01-01}
                - {secret: x, id: 00000000-0000-4000-8000-000000000003, sha256: "\(Self.digest)", ends: 2099-01-01}
              keys:
                - {id: 00000000-0000-4000-8000-000000000004, publicKey: x, ends: 2099-01-01}
            """)
        let expected = [
            "t.yaml:11: two applications or daemons of the tenant have the clientId",
            "t.yaml:12: displayName must have 1 to 256 bytes",
            "t.yaml:14: the role “User.Fly.All” can never be granted: the directory has no such scope",
            "t.yaml:15: the role “api://orders/*” must be one name",
            "t.yaml:16: the role “User.Read” needs a user",
            "t.yaml:17: the role “openid” is of OpenID Connect",
            "t.yaml:19: the role “User.Read.All” is there twice",
            "t.yaml:21: the id “7” is not a UUID",
            "t.yaml:21: hint must be the first three characters",
            "t.yaml:21: sha256 must be the base64url of 32 bytes",
            "t.yaml:21: ends is “soon”; it must be a time",
            "t.yaml:22: “ends” is missing; a secret needs it",
            "t.yaml:23: ends must be later than starts",
            "t.yaml:23: the id 00000000-0000-4000-8000-000000000001 is there twice",
            "t.yaml:24: sha256 is that of the development tenant's secret",
            "t.yaml:25: “secret” is not known. A secret has: id, displayName, hint, sha256, starts, ends.",
            "t.yaml:27: publicKey must be PEM",
        ]
        let told = TenantFile.faults(text)
        #expect(told.count == expected.count, "\(told)")
        for (sentence, beginning) in zip(told, expected) { #expect(sentence.hasPrefix(beginning), "\(sentence)") }
    }

    @Test("A daemon has at most 20 secrets and 20 keys")
    func atMostTwenty() {
        func entries(_ count: Int) -> String {
            let lines = (1...count).map { number in
                let id = "00000000-0000-4000-8000-0000000000\(String(number + 16, radix: 16))"
                return "    - {id: \(id), sha256: \"\(Self.digest)\", ends: 2099-01-01}"
            }
            return "- clientId: 5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511\n  displayName: Job\n  secrets:\n"
                + lines.joined(separator: "\n")
        }
        #expect(TenantFile.faults(file(entries(20))).isEmpty)
        let told = TenantFile.faults(file(entries(21)))
        #expect(told.count == 1 && told.first?.contains(":13: secrets has 21 entries") == true, "\(told)")
    }

    @Test("Check warns of secrets and keys that have ended, of a daemon without any, and of one without roles")
    func warningsOfDaemons() throws {
        let late = Date(timeIntervalSince1970: 4_100_000_000)
        let warnings = try TenantFile(file(Self.daemon), named: "t.yaml", now: late).warnings
        #expect(warnings.count == 4, "\(warnings)")
        #expect(warnings.count { $0.contains("a secret of “Nightly job” has ended at 2099-01-") } == 2)
        #expect(warnings.contains { $0.contains("a key of “Nightly job” has ended at 2099-01-31") })
        #expect(warnings.contains { $0.hasPrefix("t.yaml:11: “Nightly job” has no secret and no key that is valid") })
        #expect(try TenantFile(file(Self.daemon), named: "t.yaml").warnings.isEmpty)
        let bare = "- clientId: 5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511\n  displayName: Bare"
        #expect(try TenantFile(file(bare), named: "t.yaml").warnings.count == 2)
    }

    @Test("SEC-PRF-4: daemon secret prints 256 random bits and the lines for the file, which give a token")
    func aSecretIsMade() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let made = try await NativeAuthProcess.run(["daemon", "secret", "--days", "30", "--name", "job: first"])
        #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        let lines = made.output.split(separator: "\n").map(String.init)
        let secret = try #require(lines.first)
        #expect(Base64URL.decode(secret)?.count == 32)
        #expect(!lines.dropFirst().contains { $0.contains(secret) })
        let other = try await NativeAuthProcess.run(["daemon", "secret"])
        #expect(other.output.split(separator: "\n").first.map(String.init) != secret)
        let daemon =
            "- clientId: 5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511\n  displayName: Job\n  roles: [User.Read.All]\n  secrets:\n"
            + lines.dropFirst().map { "    \($0)" }.joined(separator: "\n")
        let text = file(daemon)
        let read = try TenantFile(text, named: "t.yaml")
        let stored = try #require(read.directory.entries.first?.daemons.first?.secrets.first)
        #expect(read.warnings.isEmpty && stored.displayName == "job: first" && stored.hint == String(secret.prefix(3)))
        #expect(stored.digest == DaemonSecret.digest(of: Secret(secret)))
        let life = stored.endsAt.timeIntervalSince(try #require(stored.startsAt))
        #expect(life == 30 * 86_400)

        let config = folder.url.appending(path: "tenants.yaml")
        try Data(text.utf8).write(to: config)
        let server = try await NativeAuthServer.start(
            arguments: ["--config", config.path], dataFolder: folder.url.appending(path: "data"))
        let api = NativeAPI(
            baseURL: server.baseURL, clientID: "5b1f3c64-8f0d-4d29-9a7c-2e64f0a9c511", tenant: "harbour")
        let answer = try await api.post(
            "oauth2/v2.0/token",
            ["grant_type": "client_credentials", "scope": ".default", "client_secret": secret])
        #expect(answer.body.accessToken != nil, "\(answer.text)")
        await server.terminate()
        #expect(try !server.errors().contains(secret))
    }

    @Test("daemon secret refuses a number of days that is out of range", arguments: ["0", "731", "x"])
    func daysHaveARange(_ days: String) async throws {
        #expect(try await NativeAuthProcess.run(["daemon", "secret", "--days", days]).status == 64)
    }
}

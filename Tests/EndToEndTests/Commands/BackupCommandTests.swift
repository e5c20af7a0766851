import Foundation
import Synchronization
import Testing

/// `native-auth backup` and `native-auth restore` as an operator uses them, on SQLite; `ProofTests` covers PostgreSQL.
@Suite("Backup commands", .timeLimit(.minutes(3)))
struct BackupCommandTests {
    /// The state of users at the time of a backup.
    private struct Held {
        /// Accounts whose sign-up was answered.
        var accounts: [String]
        /// The token of a flow that has only begun and has no row in the database.
        var begun: String
        /// The token and the right code of a flow that waits for it.
        var challenged: (token: String, code: String)
        var refreshToken: String
    }

    private func hold(_ api: NativeAPI, _ name: String) async throws -> Held {
        let finished = try await api.signUp("\(name)@example.com").token("sign-up")
        let tokens = try await api.post(
            "oauth2/v2.0/token",
            ["grant_type": "continuation_token", "continuation_token": finished, "scope": "openid offline_access"])
        let waiting = "\(name)-waits@example.com"
        let token = try await api.challenge(try await api.start(waiting).token("start")).token("challenge")
        return Held(
            accounts: ["\(name)@example.com"], begun: try await api.start("\(name)-new@example.com").token("start"),
            challenged: (token, try await api.code(for: waiting)),
            refreshToken: try #require(tokens.body.refreshToken, "\(tokens.text)"))
    }

    private func refresh(_ api: NativeAPI, _ token: String) async throws -> Int {
        try await api.post("oauth2/v2.0/token", ["grant_type": "refresh_token", "refresh_token": token]).status
    }

    /// - Returns: The command's output; from standard error if it was expected to fail.
    private func run(
        _ arguments: [String], data: URL, _ status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await NativeAuthProcess.run(arguments + ["--data", data.path])
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        return status == 0 ? result.output : result.errors
    }

    /// A folder for a restored database, with the master key in it.
    private func newHome(_ name: String, of data: URL) throws -> URL {
        let home = data.deletingLastPathComponent().appending(path: name)
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(at: data.appending(path: "master.key"), to: home.appending(path: "master.key"))
        return home
    }

    @Test("REL-BAK-1, REL-BAK-3: a backup under load has each acknowledged account; what was under way has ended")
    func backupsUnderLoad() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL)
        // Do not cancel: the client library may wait forever when a request is cancelled on its way.
        let isOver = Flag()
        let made: [(file: String, held: Held)] = try await withThrowingTaskGroup(of: Void.self) { group in
            for person in 0..<3 {
                group.addTask {
                    var number = 0
                    while !isOver.isUp {
                        number += 1
                        _ = try await api.signUp("load\(person)-\(number)@example.com")
                    }
                }
            }
            var made: [(file: String, held: Held)] = []
            var accounts: [String] = []
            for number in 0..<3 {
                var held = try await hold(api, "held\(number)")
                accounts += held.accounts
                held.accounts = accounts
                let file = folder.url.appending(path: "\(number).backup").path
                let output = try await run(["backup", file], data: data)
                #expect(output.contains("flows") && output.contains("sha256"))
                made.append((file, held))
            }
            isOver.raise()
            try await group.waitForAll()
            return made
        }
        await server.terminate()

        for (number, (file, held)) in made.enumerated() {
            let home = try newHome("restored\(number)", of: data)
            let keeps = number == 2
            let output = try await run(["restore", file] + (keeps ? ["--keep-sessions"] : []), data: home)
            #expect(output.contains("lost ") && output.contains("void "), "\(output)")
            #expect(output.contains("void      flows 0") == false, "\(output)")
            let restored = try await NativeAuthServer.start(dataFolder: home)
            let api = NativeAPI(baseURL: restored.baseURL)
            for account in held.accounts { #expect(try await api.isTaken(account), "\(account)") }
            #expect(try await api.challenge(held.begun).status == 400)
            #expect(try await api.submit(held.challenged.code, held.challenged.token).status == 400)
            #expect(try await refresh(api, held.refreshToken) == (keeps ? 200 : 400))
            // The restored server works like any other.
            _ = try await api.signUp("later@example.com")
            await restored.terminate()
        }
    }

    @Test("REL-BAK-4: a restore deletes again who was deleted after the backup, and keeps the list for older backups")
    func deletedAgain() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        let api = NativeAPI(baseURL: server.baseURL)
        for name in ["ada", "bob", "eve"] { _ = try await api.signUp("\(name)@example.com") }
        let file = folder.url.appending(path: "monday.backup").path
        _ = try await run(["user", "delete", "eve@example.com", "--yes"], data: data)
        _ = try await run(["backup", file], data: data)
        _ = try await api.signUp("late@example.com")
        for name in ["ada", "late"] {
            _ = try await run(["user", "delete", "\(name)@example.com", "--yes"], data: data)
        }
        let list = try await run(["user", "deletions"], data: data)
        #expect(list.split(separator: "\n").count == 3 && !list.contains("example"), "\(list)")
        await server.terminate()

        let listFile = folder.url.appending(path: "deletions")
        for bad in [list + "{}\n", "deleted\n", list.replacing("\"mark\":\"", with: "\"mark\":\"AAAA")] {
            try Data(bad.utf8).write(to: listFile)
            let home = try newHome("refused-\(UUID().uuidString)", of: data)
            let said = try await run(["restore", file, "--deletions", listFile.path], data: home, 74)
            #expect(said.contains("Line") && said.contains("native-auth user deletions"), "\(said)")
            #expect(!FileManager.default.fileExists(atPath: home.appending(path: "identity.sqlite").path))
        }
        try Data(list.utf8).write(to: listFile)
        let home = try newHome("restored", of: data)
        let output = try await run(["restore", file, "--deletions", listFile.path], data: home)
        #expect(output.contains("deleted   users 1, of 3"), "\(output)")
        #expect(try await run(["user", "deletions"], data: home) == list)
        let trail = try await run(["audit", "list"], data: home)
        #expect(trail.contains("again, after a restore"), "\(trail)")

        let restored = try await NativeAuthServer.start(dataFolder: home)
        let after = NativeAPI(baseURL: restored.baseURL)
        #expect(try await after.isTaken("bob@example.com"))
        for name in ["ada", "eve", "late"] { #expect(try await !after.isTaken("\(name)@example.com"), "\(name)") }
        await restored.terminate()
    }

    @Test("REL-BAK-1: what is damaged, has another key or would overwrite something is refused with a sentence")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")
        let file = folder.url.appending(path: "good.backup")
        _ = try await run(["backup", file.path], data: data)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await run(["backup", file.path], data: data, 64).contains("already"))
        #expect(try await run(["backup", "verify", file.path], data: data).contains("users 1"))
        // A file of SQLite is in use; a database of PostgreSQL has something in it.
        let (status, word): (Int32, String) = TwoNodes.isOn ? (74, "not empty") : (69, "in use")
        #expect(try await run(["restore", file.path], data: data, status).contains(word))
        await server.terminate()
        #expect(try await run(["restore", file.path], data: data, 74).contains("not empty"))

        let good = try Data(contentsOf: file)
        let bad = folder.url.appending(path: "bad.backup")
        var flipped = good
        flipped[good.count / 2] ^= 4
        for (bytes, word) in [
            (flipped, "altered"), (good.dropLast(10), "cut"), (good.prefix(30), "cut"),
            (good + Data([1]), "behind its end"),
            (Data("something".utf8), "no backup"), (Data(), "no backup"),
        ] {
            try Data(bytes).write(to: bad)
            for command in [["backup", "verify"], ["restore"]] {
                let home = try newHome("home-\(UUID().uuidString)", of: data)
                #expect(try await run(command + [bad.path], data: home, 74).contains(word), "\(word)")
                #expect(!FileManager.default.fileExists(atPath: home.appending(path: "identity.sqlite").path))
            }
        }
        let home = try newHome("stranger", of: data)
        try Data.randomKey().write(to: home.appending(path: "master.key"))
        for command in [["backup", "verify"], ["restore"]] {
            #expect(try await run(command + [file.path], data: home, 74).contains("another master key"))
        }
        // A backup under a key that is not the database's could never be used.
        let key = folder.url.appending(path: "other.key")
        try Data.randomKey().write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let never = ["backup", folder.url.appending(path: "never.backup").path, "--master-key-file", key.path]
        #expect(try await run(never, data: data, 74).contains("another master key"))
    }
}

/// Tells tasks to stop.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isUp: Bool { value.withLock { $0 } }

    func raise() {
        value.withLock { $0 = true }
    }
}

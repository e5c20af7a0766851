import Foundation
import Testing

@testable import native_auth

/// The master key that the server makes itself.
@Suite("Master key file", .timeLimit(.minutes(2)))
struct MasterKeyFileTests {
    @Test(
        "SEC-SEC-1: no key is made beside a database that has one; a missing one is told, and put back it opens all"
    )
    func aMissingKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")
        await server.terminate()
        let (key, safe) = (data.appending(path: "master.key"), folder.url.appending(path: "safe.key"))
        try FileManager.default.moveItem(at: key, to: safe)
        let before = try FileManager.default.contentsOfDirectory(atPath: data.path).filter { !$0.hasSuffix(".lock") }

        for command in [["serve", "--port", "0"], ["user", "show"], ["tenant", "export"], ["key", "list"]] {
            let name = command == ["user", "show"] ? ["dana@example.com"] : []
            let (status, _, errors) = try await NativeAuthProcess.run(command + ["--data", data.path] + name)
            #expect(status == 74 && errors.contains("There is no master key at \(key.path)"), "\(errors)")
            #expect(errors.contains("--master-key-file"))
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: data.path).filter { !$0.hasSuffix(".lock") }
        #expect(!after.contains { $0.hasPrefix("master.key") }, "\(after)")
        #expect(TwoNodes.isOn || before.contains("identity.sqlite"))

        try FileManager.default.moveItem(at: safe, to: key)
        let again = try await server.restart()
        #expect(try await NativeAPI(baseURL: again.baseURL).isTaken("dana@example.com"))
        await again.terminate()
    }

    @Test("Of several that make the key at the same moment one does, and the file is never seen half written")
    func oneKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = try DataFolder(folder.url.appending(path: "data").path)
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try data.makeMasterKey().isNew } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.count { $0 } == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path) == ["master.key"])
        let key = try Data(contentsOf: URL(filePath: data.masterKeyFile))
        #expect(key.count == 32)
        #expect(try !data.makeMasterKey().isNew)
        #expect(try Data(contentsOf: URL(filePath: data.masterKeyFile)) == key)
        let mode = try FileManager.default.attributesOfItem(atPath: data.masterKeyFile)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}

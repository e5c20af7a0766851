import Foundation
import Testing

@testable import native_auth

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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

    /// The sentence with which a key file is refused; nil when it is taken.
    private func refusal(_ path: URL) -> String? {
        do throws(StartFailure) {
            _ = try MasterKey.file(path.path).load(in: "/nowhere")
            return nil
        } catch {
            return error.sentences.joined(separator: " ")
        }
    }

    private func makeKey(_ path: URL, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data.randomKey().write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
    }

    @Test("SEC-SEC-1: who else may read or change the key's file decides whether it is taken")
    func modes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let isRoot = geteuid() == 0
        for (mode, isTaken) in [
            (0o600, true), (0o400, true), (0o440, isRoot), (0o640, isRoot), (0o444, false), (0o644, false),
            (0o620, false), (0o660, false), (0o602, false), (0o666, false), (0o777, false),
        ] {
            let key = folder.url.appending(path: "key\(mode)")
            try makeKey(key, mode: mode)
            let sentence = refusal(key)
            #expect((sentence == nil) == isTaken, "\(String(mode, radix: 8)): \(sentence ?? "taken")")
            #expect(sentence?.contains("must belong to you") != false)
        }
        let pipe = folder.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(refusal(pipe)?.contains("must belong to you") == true, "and nothing waits for a writer")
        #expect(refusal(folder.url.appending(path: "none"))?.contains("there is no such file") == true)
        guard isRoot else { return }
        let strangers = folder.url.appending(path: "strangers")
        try makeKey(strangers)
        #expect(chown(strangers.path, 65_532, 65_532) == 0)
        #expect(refusal(strangers)?.contains("must belong to you") == true)
    }

    @Test(
        "SEC-SEC-2: a link is not followed into a folder that others may change; production refuses it for a certificate, too"
    )
    func linksIntoOpenFolders() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (own, open) = (folder.url.appending(path: "own"), folder.url.appending(path: "open"))
        try makeKey(open.appending(path: "key"))
        try makeKey(own.appending(path: "other.key"))
        chmod(open.path, 0o777)
        let link = own.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: open.path + "/key")
        let sentence = refusal(link)
        #expect(sentence?.contains("it is a link, and others may change the folder") == true, "\(sentence ?? "taken")")
        #expect(PrivateFolders.exposed(onTheWayTo: link.path) != nil)
        #expect(PrivateFolders.exposed(onTheWayTo: own.path + "/other.key") == nil)
    }

    @Test("SEC-SEC-2: a link to the key is followed, unless it leads through a folder where others may turn it")
    func links() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = folder.url.appending(path: "own")
        let open = folder.url.appending(path: "open")
        try makeKey(own.appending(path: "..2026/master.key"))
        let files = FileManager.default
        // As Kubernetes does: the file is a link through a link to a folder.
        try files.createSymbolicLink(atPath: own.path + "/..data", withDestinationPath: "..2026")
        try files.createSymbolicLink(atPath: own.path + "/master.key", withDestinationPath: "..data/master.key")
        let link = own.appending(path: "master.key")
        #expect(refusal(link) == nil)

        try files.createDirectory(at: open, withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: open.path + "/turned", withDestinationPath: link.path)
        try files.createSymbolicLink(atPath: own.path + "/through", withDestinationPath: open.path + "/turned")
        let (turned, through) = (open.appending(path: "turned"), own.appending(path: "through"))
        #expect(refusal(through) == nil)
        for mode in [0o777, 0o770, 0o1777] {
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: open.path)
            for place in [turned, through] {
                let sentence = refusal(place)
                #expect(sentence?.contains("others may turn the link \(turned.path)") == true, "\(sentence ?? "taken")")
            }
        }
        try files.createSymbolicLink(atPath: own.path + "/round", withDestinationPath: "round")
        #expect(refusal(own.appending(path: "round")) != nil)
    }

    @Test(
        "SEC-SEC-1: a secret of Kubernetes is taken, readable by all as it may be, and not where it can be written",
        .enabled(if: TLSTests.canMount, "needs unshare"), arguments: ["ro", "rw"])
    func aMountedSecret(_ access: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        await server.terminate()
        let output = try await Python.run([
            TLSTests.script("mounted_secret.py"), access, data.path, NativeAuthProcess.executable().path,
        ])
        if access == "ro" {
            #expect(output.hasPrefix("0\n"), "\(output)")
        } else {
            #expect(output.hasPrefix("74\n") && output.contains("others may turn the link"), "\(output)")
        }
    }
}

import Foundation
import IdentityEngine
import Testing

@testable import native_auth

/// What the production profile refuses beyond single settings; `ServeTests` has those.
@Suite("Production profile", .timeLimit(.minutes(2)))
struct ProductionTests {
    /// `serve` of the production profile on `data`, to see it refuse.
    private func serve(
        _ data: URL, in folder: TemporaryFolder, _ arguments: [String] = []
    ) async throws -> (status: Int32, errors: String) {
        let tenants = folder.url.appending(path: "tenants.yaml")
        try Data(TenantFileTests.small.utf8).write(to: tenants)
        let options = ServeTests.production.flatMap { [$0.key, $0.value == "TENANTS" ? tenants.path : $0.value] }
        let result = try await NativeAuthProcess.run(
            ["serve", "--profile", "production", "--port", "0", "--data", data.path] + options + arguments)
        return (result.status, result.errors)
    }

    @Test(
        "C, SEC-PRF-1: production refuses the database of a development server, where an account was made by a fixed code"
    )
    func aDevelopmentDatabase() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(arguments: ["--fixed-code", "12345678"], dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")
        await server.terminate()
        let (status, errors) = try await serve(data, in: folder)
        #expect(status == 64 && errors.contains("--profile production"), "\(errors)")
        #expect(errors.contains("used in the development profile"), "\(errors)")

        let trail = try await NativeAuthProcess.run(["audit", "list", "--data", data.path]).output.split(
            separator: "\n")
        #expect(!trail.isEmpty && trail.allSatisfy { $0.contains(#""profile":"development""#) }, "\(trail)")
        let again = try await server.restart()
        #expect(await again.terminate() == 0)
    }

    @Test("C, SEC-PRF-1: a development server refuses the database of production, whose codes it would show")
    func aProductionDatabase() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await ServeTests.inProduction(folder)
        await server.kill9()
        let (status, _, errors) = try await NativeAuthProcess.run([
            "serve", "--port", "0", "--data", server.dataFolder.path,
        ])
        #expect(status == 64 && errors.contains("--profile development"), "\(errors)")
        #expect(errors.contains("used in the production profile"), "\(errors)")
    }

    @Test("A production server says in its log what tenant check warns of")
    func warnings() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = TenantFileTests.small.replacing(
            "displayName: Harbour\n", with: "displayName: Harbour\n    enrolment: compatible\n")
        let server = try await ServeTests.inProduction(folder, text)
        let log = try server.errors()
        #expect(log.contains("tenants.yaml:6: enrolment is compatible"), "\(log)")
        #expect(!log.contains("accepted slowly"), "REL-OVR-1: \(log)")
        await server.kill9()
    }

    @Test(
        "C, SEC-PRF-1, SEC-PRF-4: production refuses lists of strangers and secrets that are none, naming the setting",
        arguments: [
            ServeTests.production(["--trusted-proxies": "0.0.0.0/1"], "--trusted-proxies"),
            ServeTests.production(["--trusted-proxies": "127.0.0.1,0.0.0.0/2,64.0.0.0/2"], "--trusted-proxies"),
            ServeTests.production(["--trusted-proxies": "127.0.0.1,2000::/3"], "--trusted-proxies"),
            ServeTests.production(["--unlimited-networks": "128.0.0.0/1"], "--unlimited-networks"),
            secret(String(repeating: "x", count: 64)), secret(String(repeating: "change-me-", count: 7)),
            secret("0123456789abcdefghijklmnopqrstuvwxyz"), secret("a5f0c1d2e3b4968778695a4b3c2d1e0"),
        ])
    func settings(_ mistake: ServeTests.Mistake) async throws {
        try await ServeTests().aWrongSettingIsNamed(mistake)
    }

    private static func secret(_ secret: String) -> ServeTests.Mistake {
        let name = "NATIVE_AUTH_RESOURCE_SERVER_SECRETS"
        return ServeTests.production([:], environment: [name: "api://orders=\(secret)"], name)
    }

    @Test(
        "SEC-PRF-4: a secret is not one character, a repetition, a run or a handful of characters; random ones are taken"
    )
    func strength() {
        for weak in [
            "", String(repeating: "x", count: 99), String(repeating: "ab", count: 40),
            String(repeating: "password", count: 5), "change-me-change-me-change-me-change-me",
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "0123456789abcdefghijklmnopqrstuv",
            "zyxwvutsrqponmlkjihgfedcba9876543210", String(repeating: "x", count: 40) + "Kr4ft",
            "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb", "0101101001101010111001010110100110", "development",
            "Kr4ftig-Vinter#82",
        ] {
            #expect(!SecretStrength.isEnough(weak), "\(weak)")
        }
        for _ in 0..<2_000 {
            let bytes = Data.randomKey()
            #expect(SecretStrength.isEnough(bytes.base64EncodedString()))
            let hexadecimal = bytes.prefix(16).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
            #expect(SecretStrength.isEnough(hexadecimal), "\(hexadecimal)")
            #expect(MasterKey.isRandom(bytes))
        }
        #expect(!MasterKey.isRandom(0..<32) && !MasterKey.isRandom((0..<32).map { UInt8($0 * 7) }))
    }

    @Test(
        "C, SEC-SEC-2: production refuses a data folder that others may write, or whose way leads through one",
        arguments: [("data", 0o777), ("data", 0o775), ("data", 0o1777), (".", 0o777), (".", 0o770)])
    func anOpenFolder(_ name: String, _ mode: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try setMode(mode, name == "." ? folder.url : data)
        let (status, errors) = try await serve(data, in: folder)
        #expect(status == 64 && errors.contains("--data") && errors.contains("others may change"), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path).isEmpty)
    }

    @Test("SEC-SEC-2: production refuses a master key from a folder that others may write")
    func anOpenKeyFolder() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (data, keys) = (folder.url.appending(path: "data"), folder.url.appending(path: "keys"))
        try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: true)
        let key = keys.appending(path: "master.key")
        try Data.randomKey().write(to: key)
        try setMode(0o600, key)
        try setMode(0o777, keys)
        let (status, errors) = try await serve(data, in: folder, ["--master-key-file", key.path])
        #expect(status == 64 && errors.contains("--master-key-file"), "\(errors)")
        #expect(errors.contains("others may change"), "\(errors)")
    }

    @Test("SEC-SEC-2: a folder is private below one with the sticky bit, and not behind a link that others can turn")
    func privateFolders() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (own, shared) = (folder.url.appending(path: "own"), folder.url.appending(path: "shared"))
        for url in [own, shared] {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let link = shared.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own)
        let target = shared.appending(path: "target/deep")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: own.appending(path: "in"), withDestinationURL: target)
        try setMode(0o1777, shared)
        for path in [own.path, own.path + "/new/deep", shared.path + "/target/deep/new", link.path, own.path + "/in"] {
            #expect(PrivateFolders.exposed(on: path) == nil, "\(path)")
        }
        #expect(PrivateFolders.exposed(on: shared.path) == shared.path)
        try setMode(0o777, shared)
        #expect(PrivateFolders.exposed(on: own.path + "/x") == nil)
        for path in [shared.path + "/target", link.path, own.path + "/in", own.path + "/in/new"] {
            #expect(PrivateFolders.exposed(on: path) != nil, "\(path)")
        }
    }

    private func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }
}

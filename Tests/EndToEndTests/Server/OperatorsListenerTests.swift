import Foundation
import Testing

@testable import native_auth

/// The operators' listener beyond this machine, as a proxy, a browser and a stranger reach it.
@Suite(
    "Operators' listener", .timeLimit(.minutes(2)),
    TwoNodes.skipped("two nodes on one machine need two ports for operators"))
struct OperatorsListenerTests {
    private static let fromProxy = ["X-Forwarded-Proto:https", "X-Forwarded-For:203.0.113.7"]

    /// The lines of the answer: its status, then its header fields.
    private func ask(_ url: String, _ headers: [String] = []) async throws -> [String] {
        try await Python.run([TLSTests.script("ask.py"), url] + headers).split(separator: "\n").map { String($0) }
    }

    private func expect(_ status: String, of url: String, _ headers: [String] = []) async throws {
        let answer = try await ask(url, headers)
        #expect(answer.first == status, "\(url) \(headers): \(answer)")
    }

    /// Runs a production server whose operators' listener is at all addresses of this machine.
    private func withServer(
        _ changes: [String: String], _ body: (_ operators: Int, _ apps: URL) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tenants = folder.url.appending(path: "tenants.yaml")
        try Data(TenantFileTests.small.utf8).write(to: tenants)
        let operators = try FreePort.any(on: "127.0.0.1")
        var options = ServeTests.production
        options["--operators"] = "\(operators)"
        options["--operators-host"] = "0.0.0.0"
        options["--drain"] = "0"
        options.merge(changes) { $1 }
        let arguments = options.flatMap { [$0.key, $0.value == "TENANTS" ? tenants.path : $0.value] }.filter {
            !$0.isEmpty
        }
        let server = try await NativeAuthServer.start(
            arguments: ["--profile", "production"] + arguments, dataFolder: folder.url.appending(path: "data"))
        try await body(operators, server.baseURL)
        await server.terminate()
    }

    @Test(
        "SEC-ADM-2: behind a proxy it answers what came from the proxy by https under the server's name, and nothing else"
    )
    func behindAProxy() async throws {
        try await withServer(["--behind-proxy": ""]) { port, _ in
            let (url, name) = ("http://127.0.0.1:\(port)/console/sign-in", "Host:login.example.com")
            let page = try await ask(url, Self.fromProxy + [name])
            #expect(page.first == "200", "\(page)")
            let cookie = page.first { $0.hasPrefix("set-cookie:") }
            #expect(cookie?.contains("; Secure") == true, "\(page)")
            try await expect("200", of: url, Self.fromProxy)
            try await expect("421", of: url, [name])
            try await expect("421", of: url, ["X-Forwarded-Proto:http", name])
            try await expect("421", of: url, Self.fromProxy + ["Host:mallory.example"])
            let users = try await ask("http://127.0.0.1:\(port)/graph/v1.0/users", Self.fromProxy + [name])
            #expect(users.first == "401", "\(users)")
        }
    }

    @Test("SEC-ADM-2: a machine that is not the proxy does not get in by saying that it is")
    func aStranger() async throws {
        let changes = ["--behind-proxy": "", "--trusted-proxies": "10.9.9.9"]
        try await withServer(changes) { port, _ in
            let url = "http://127.0.0.1:\(port)/console/sign-in"
            try await expect("421", of: url, Self.fromProxy + ["Host:login.example.com"])
            try await expect("200", of: "http://127.0.0.1:\(port)/readyz")
        }
    }

    @Test("SEC-ADM-2: with a certificate it speaks TLS alone, and probe asks the app's listener over TLS, too")
    func withTLS() async throws {
        let certificates = try TLSTests.certificates.get()
        let changes = [
            "--tls-cert": certificates.appending(path: "good.pem").path,
            "--tls-key": certificates.appending(path: "good.key").path,
            "--operators-url": "https://operators.example.com",
        ]
        try await withServer(changes) { port, apps in
            let path = "127.0.0.1:\(port)/console/sign-in"
            let page = try await ask("https://\(path)", ["Host:operators.example.com"])
            #expect(page.first == "200" && page.contains { $0.contains("; Secure") }, "\(page)")
            try await expect("0", of: "http://\(path)")
            try await expect("421", of: "https://\(path)", ["Host:login.example.com"])

            let apps = try #require(apps.port)
            let environment = ["NATIVE_AUTH_TLS_CERT": "/chain.pem", "NATIVE_AUTH_PORT": "\(apps)"]
            let ready = try await NativeAuthProcess.run(["probe"], environment: environment)
            #expect(ready.status == 0 && ready.output.contains("https://127.0.0.1:\(apps) is ready"), "\(ready)")
            let plain = try await NativeAuthProcess.run(["probe", "--url", "http://127.0.0.1:\(apps)"])
            #expect(plain.status == 1, "\(plain)")
        }
    }

    @Test("An address of operators' listener has the name of the base URL beyond this machine, and is loopback on it")
    func addresses() throws {
        func url(_ options: [String: String]) throws -> String {
            let given = ["base-url": "https://login.example.com", "operators": "9766"].merging(options) { $1 }
            return try ServeSettings(options: given, environment: [:]).operatorsURL(port: 9766)
        }
        #expect(try url([:]) == "http://127.0.0.1:9766")
        #expect(try url(["operators-host": "::1"]) == "http://[::1]:9766")
        #expect(try url(["operators-url": "https://operators.example.com"]) == "https://operators.example.com")
        var remote = ServeSettings()
        remote.baseURL = "https://login.example.com"
        remote.operators = .port(9766)
        remote.operatorsHost = "0.0.0.0"
        #expect(remote.areOperatorsRemote && remote.operatorsURL(port: 9766) == "https://login.example.com:9766")
        remote.operators = .off
        #expect(!remote.areOperatorsRemote)
    }
}

import Foundation
import Testing

/// `native-auth init`: from nothing to a production server with one command.
@Suite("Init", .timeLimit(.minutes(2))) struct InitCommandTests {
    /// The arguments for a server with TLS on this machine.
    private static func arguments(_ folder: URL, smtp: String = "smtp://127.0.0.1:25") throws -> [String] {
        let certificates = try TLSTests.certificates.get()
        return [
            "init", "--folder", folder.appending(path: "etc").path, "--data", folder.appending(path: "data").path,
            "--base-url", "https://localhost:8443", "--mail-from", "no-reply@example.com", "--smtp", smtp,
            "--subdomain", "harbour", "--name", "It's us: #1", "--host", "127.0.0.1", "--port", "0", "--operators", "0",
            "--metrics-port", "0", "--tls-cert", certificates.appending(path: "good.pem").path,
            "--tls-key", certificates.appending(path: "good.key").path,
        ]
    }

    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "etc"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: TLSTests.certificates.get().appending(path: "good.key").path)
        return folder
    }

    /// The variables of the file, as a shell reads them.
    private static func settings(_ folder: URL) async throws -> [String: String] {
        let output = try await Python.run([
            "-c",
            """
            import json, subprocess, sys
            text = subprocess.check_output(
                ["sh", "-c", 'set -a; . "$1"; env -0', "sh", sys.argv[1]], env={}, text=True)
            print(json.dumps(dict(line.split("=", 1) for line in text.split("\\0") if line.startswith("NATIVE_AUTH_"))))
            """, folder.appending(path: "etc/env").path,
        ])
        return try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
    }

    @Test(
        "SEC-SEC-1, SEC-PRF-1: one command prepares a production server, which starts with TLS, and the doctor finds it well"
    )
    func aServer() async throws {
        let folder = try Self.makeFolder()
        defer { folder.remove() }
        let sink = try await SMTPSink.start(in: folder.url)
        let (status, output, errors) = try await NativeAuthProcess.run(
            Self.arguments(folder.url, smtp: sink.url))
        #expect(status == 0 && errors == "", "\(errors)")
        for file in ["etc/master.key", "etc/env"] {
            let facts = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: file).path)
            #expect(facts[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        let secret = try #require(output.split(separator: "\n").last).trimmingCharacters(in: .whitespaces)
        #expect(secret.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil, "\(output)")

        let settings = try await Self.settings(folder.url)
        #expect(settings["NATIVE_AUTH_PROFILE"] == "production")
        let server = try await NativeAuthServer.start(
            dataFolder: folder.url.appending(path: "data"), environment: settings)
        #expect(server.baseURL.scheme == "https")
        let authority = try TLSTests.certificates.get().appending(path: "authority.pem").path
        let document = try await Python.run([
            "-c",
            """
            import ssl, sys, urllib.request
            context = ssl.create_default_context(cafile=sys.argv[1])
            request = urllib.request.Request(sys.argv[2] + "/harbour/v2.0/.well-known/openid-configuration", headers={"Host": "localhost"})
            print(urllib.request.urlopen(request, context=context).read().decode())
            """, authority, "https://localhost:\(server.baseURL.port ?? 0)",
        ])
        #expect(
            document.contains(#"https:\/\/localhost:8443"#) || document.contains("https://localhost:8443"),
            "\(document)")

        var seen = settings
        seen["NATIVE_AUTH_BASE_URL"] = "https://localhost:\(server.baseURL.port ?? 0)"
        let report = try await ServerDoctorTests.report(seen, ["--ca-file", authority])
        for about in ["settings", "disk", "database", "master key", "tenants", "certificate", "TLS", "mail server"] {
            #expect(report.findings(about).map(\.state) == ["ok"], "\(about): \(report.findings)")
        }
        await server.terminate()
        await sink.server.stop()
    }

    @Test("A second run, wrong settings and a missing folder change nothing")
    func refusals() async throws {
        let folder = try Self.makeFolder()
        defer { folder.remove() }
        let arguments = try Self.arguments(folder.url)
        for (change, sentence) in [
            (["--base-url", "http://localhost"], "needs --base-url with https://"),
            (["--subdomain", "a b"], "must be one label"), (["--mail-from", "x"], "must be an e-mail address"),
            (["--smtp", "smtps://user:it's@mail.example.com"], "--smtp has a quote"),
            // A quote with a combining mark is one character, and two for a shell.
            (["--data", "/tmp/it'\u{301};id;'\u{301}"], "--data has a quote"),
            (["--folder", "/nonexistent"], "There is no folder /nonexistent"),
        ] {
            let (status, output, errors) = try await NativeAuthProcess.run(arguments + change)
            #expect(status != 0 && output == "" && errors.contains(sentence), "\(change): \(errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "etc").path) == [])
            #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "data").path), "\(change)")
        }
        #expect(try await NativeAuthProcess.run(arguments).status == 0)
        let settings = try Data(contentsOf: folder.url.appending(path: "etc/env"))
        let key = try Data(contentsOf: folder.url.appending(path: "etc/master.key"))
        let (status, output, errors) = try await NativeAuthProcess.run(arguments)
        #expect(status == 64 && output == "" && errors.contains("was prepared before"), "\(errors)")
        #expect(try Data(contentsOf: folder.url.appending(path: "etc/env")) == settings)
        #expect(try Data(contentsOf: folder.url.appending(path: "etc/master.key")) == key)
    }

    @Test("SEC-SEC-1: another machine without the key of the database is refused, and makes none")
    func anotherKey() async throws {
        let folder = try Self.makeFolder()
        defer { folder.remove() }
        let arguments = try Self.arguments(folder.url)
        #expect(try await NativeAuthProcess.run(arguments).status == 0)
        let etc = folder.url.appending(path: "etc")
        try FileManager.default.removeItem(at: etc.appending(path: "env"))
        let key = try Data(contentsOf: etc.appending(path: "master.key"))
        try FileManager.default.removeItem(at: etc.appending(path: "master.key"))
        let (status, _, errors) = try await NativeAuthProcess.run(arguments)
        #expect(status == 74 && errors.contains("was written under one"), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: etc.path) == [])

        // With the key the settings are made, and no tenant a second time.
        try key.write(to: etc.appending(path: "master.key"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: etc.appending(path: "master.key").path)
        let second = try await NativeAuthProcess.run(arguments + ["--subdomain", "other"])
        #expect(second.status == 0 && second.output.contains("--subdomain and --name were not used"), "\(second)")
        #expect(second.output.contains("https://localhost:8443/harbour"))
        // The first secret may be lost, and there is no operator.
        #expect(second.output.contains("uses  \(etc.path)/master.key") && second.output.contains("/console/invitation"))
        let versions = try await NativeAuthProcess.run(
            ["tenant", "versions"], environment: Self.settings(folder.url))
        #expect(versions.output.hasPrefix("version 1 ") && versions.output.split(separator: "\n").count == 1)
    }

    @Test("The doctor finds a database of PostgreSQL well before the first start of the server")
    func postgres() async throws {
        let folder = try Self.makeFolder()
        defer { folder.remove() }
        let url = try await TwoNodes.postgres(for: folder.url)
        let made = try await NativeAuthProcess.run(Self.arguments(folder.url) + ["--database", url])
        #expect(made.status == 0, "\(made)")
        for next in [
            "systemctl enable --now native-auth@0", "native-authctl doctor server", "native-authctl operator invite",
            "Example app: a code by mail", "Example members: a password",
        ] {
            #expect(made.output.contains(next), "\(made.output)")
        }
        let report = try await ServerDoctorTests.report(Self.settings(folder.url))
        for about in ["database", "master key", "tenants"] {
            #expect(report.findings(about).map(\.state) == ["ok"], "\(about): \(report.findings)")
        }
    }

    @Test("A folder or file that the server's user cannot write is named, and init makes nothing then")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let output = try await Python.run([
            Python.package.appending(path: "Tests/EndToEndTests/Support/unwritable.py").path,
            try NativeAuthProcess.executable().path, folder.url.path,
        ])
        let runs = try JSONDecoder().decode([String: Run].self, from: Data(output.utf8))
        let (data, etc) = (folder.url.appending(path: "data").path, folder.url.appending(path: "etc").path)
        let refused = try #require(runs["init"])
        #expect(
            refused.status == 74 && refused.errors.contains("cannot make files in the folder \(etc), so nothing"),
            "\(refused)")
        #expect(runs["after init"]?.output == "no data")
        #expect(runs["second init"]?.status == 0, "\(runs)")
        for (name, sentence) in [
            ("folder", "cannot write the folder \(data)"), ("log", "cannot write the file \(data)/identity.sqlite-wal"),
        ] {
            for command in ["doctor", "tenant"] {
                let run = try #require(runs["\(command) \(name)"])
                let text = (run.output + run.errors).replacing(/\s+/, with: " ")
                #expect(run.status != 0 && text.contains(sentence) && text.contains("chmod u+"), "\(command): \(text)")
                #expect(!text.contains("StoreError"), "\(text)")
            }
        }
    }

    private struct Run: Decodable {
        var status: Int32
        var output: String
        var errors: String
    }
}

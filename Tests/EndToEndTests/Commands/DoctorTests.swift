import Foundation
import Testing

/// `native-auth doctor` against real servers.
@Suite(.timeLimit(.minutes(2))) struct DoctorTests {
    private static let passwordApp = NativeAPI.Application.password.rawValue

    /// The doctor's report; also checks the exit code.
    private func report(_ arguments: String...) async throws -> DoctorReport {
        try await report(arguments)
    }

    private func report(_ arguments: [String], environment: [String: String] = [:]) async throws -> DoctorReport {
        let (status, output, errors) = try await NativeAuthProcess.run(
            ["doctor", "--json"] + arguments, environment: environment)
        #expect(errors == "")
        let report = try JSONDecoder().decode(DoctorReport.self, from: Data(output.utf8))
        #expect(status == (report.isFine ? 0 : 1))
        #expect(report.isFine == report.problems.isEmpty)
        for finding in report.findings { #expect((finding.state == "ok") == (finding.remedy == nil), "\(finding)") }
        return report
    }

    private func withServer(
        config: String? = nil, _ body: (NativeAuthServer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var arguments: [String] = []
        if let config {
            let file = folder.url.appending(path: "tenants.yaml")
            try Data(config.utf8).write(to: file)
            arguments = ["--config", file.path]
        }
        let server = try await NativeAuthServer.start(
            arguments: arguments, dataFolder: folder.url.appending(path: "data"))
        try await body(server)
        await server.terminate()
    }

    @Test("A development server and its five apps are fine, and nothing was begun or sent")
    func everythingIsFine() async throws {
        try await withServer { server in
            let authority = "\(server.baseURL.absoluteString)/contoso.onmicrosoft.com"
            for application in NativeAPI.Application.allCases {
                let report = try await report(
                    "--client-id", application.rawValue, "--authority", authority, "--scopes", "api://orders/Read",
                    "--capabilities", "mfa_required registration_required")
                #expect(report.findings.allSatisfy { $0.state == "ok" }, "\(report)")
                #expect(
                    report.findings.map(\.about) == [
                        "client id", "authority", "challenge types", "capabilities", "scopes", "connection",
                        "discovery",
                        "endpoints", "keys", "clock", "sign-up", "sign-in", "password reset", "inbox", "applications",
                    ])
                let applications = report.finding("applications")?.text ?? ""
                #expect(NativeAPI.Application.allCases.allSatisfy { applications.contains($0.rawValue) })
            }
            #expect(try await NativeAPI(baseURL: server.baseURL).get("/dev/inbox.json").body == "[]")
        }
    }

    @Test("A redirect address that is not the application's own is told, and what is none at all")
    func redirectAddresses() async throws {
        try await withServer { server in
            func problem(_ redirect: String) async throws -> String? {
                let report = try await report(
                    "--client-id", Self.passwordApp, "--authority", "\(server.baseURL.absoluteString)/contoso",
                    "--redirect", redirect)
                #expect(report.problems.allSatisfy { $0.about == "redirect address" })
                return report.problems.first?.text
            }
            let expected: [(redirect: String, problem: String?)] = [
                ("http://localhost:9999", nil), ("http://127.0.0.1:1", nil),
                ("https://app.example.com/callback", "is not registered"),
                ("msauth.com.example.app://auth", nil), ("msauth.com.example.other://auth", "is not registered"),
                ("http://app.example.com/callback", "http on another machine"),
                ("http://localhost:9999/#end", "fragment"), ("callback", "is not a URL"),
            ]
            for (redirect, sentence) in expected {
                let problem = try await problem(redirect)
                #expect((problem == nil) == (sentence == nil), "\(redirect): \(problem ?? "fine")")
                #expect(problem?.contains(sentence ?? "") != false, "\(redirect): \(problem ?? "fine")")
            }
        }
    }

    @Test("What a server refuses is named by its number, with what to change")
    func whatAServerRefuses() async throws {
        try await withServer { server in
            let base = server.baseURL.absoluteString
            let unknownApp = try await report(
                "--client-id", "0000aaaa-aaaa-2222-bbbb-3333cccc4444", "--authority", "\(base)/contoso")
            #expect(unknownApp.problems.map(\.about) == ["sign-up"])
            #expect(unknownApp.problems.first?.text.contains("AADSTS700016") == true)
            #expect(unknownApp.problems.first?.remedy?.contains("clientID") == true)

            let unknownTenant = try await report("--client-id", Self.passwordApp, "--authority", "\(base)/fabrikam")
            #expect(unknownTenant.problems.map(\.about) == ["discovery"])
            #expect(unknownTenant.problems.first?.text.contains("AADSTS90002") == true)
            #expect(unknownTenant.finding("sign-up") == nil)
            #expect(unknownTenant.finding("inbox") != nil)

            // A frequent mistake of new developers.
            let tenantAsApp = try await report(
                "--client-id", "aaaabbbb-0000-cccc-1111-dddd2222eeee", "--authority", "\(base)/contoso")
            #expect(tenantAsApp.problems.first?.about == "client id")

            let tooFew = try await report(
                "--client-id", Self.passwordApp, "--authority", "\(base)/contoso", "--challenge-types", "password")
            #expect(tooFew.problems.map(\.about) == ["sign-up", "password reset"])
            for problem in tooFew.problems {
                #expect(problem.text.contains("oob challenge type"))
                #expect(problem.remedy?.contains("oob and password") == true)
            }
        }
    }

    @Test("An app without native authentication is told so")
    func nativeAuthenticationIsOff() async throws {
        let config = TenantFileTests.small + "\n        nativeAuthentication: false"
        try await withServer(config: config) { server in
            let report = try await report(
                "--client-id", "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", "--authority",
                "\(server.baseURL.absoluteString)/harbour")
            #expect(report.problems.map(\.about) == ["sign-up"])
            #expect(report.problems.first?.remedy?.contains("nativeAuthentication") == true, "\(report.problems)")
            #expect(report.problems.first?.remedy?.contains("--redirect") == true)
        }
        // An application of the web needs none.
        let web = config + "\n        redirectUris: {publicClient: [http://localhost]}"
        try await withServer(config: web) { server in
            let report = try await report(
                "--client-id", "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", "--authority",
                "\(server.baseURL.absoluteString)/harbour", "--redirect", "http://localhost:9999")
            #expect(report.problems.isEmpty, "\(report.problems)")
            #expect(report.finding("sign-up")?.text.contains("users sign in at the server's pages") == true)
            #expect(report.finding("redirect address") != nil)
        }
    }

    @Test("A user is looked up without effect; with --create a mail goes out, and no account is made")
    func aUser() async throws {
        try await withServer { server in
            // The vendor's cloud, replaced as in debug builds of an app.
            let emulator = ["NATIVE_AUTH_EMULATOR": server.baseURL.absoluteString]
            func user(_ email: String, _ more: String...) async throws -> DoctorReport {
                try await report(
                    ["--client-id", Self.passwordApp, "--tenant", "contoso", "--email", email] + more,
                    environment: emulator)
            }
            let unknown = try await user("dana@example.com")
            #expect(unknown.finding("authority")?.text.contains("NATIVE_AUTH_EMULATOR") == true)
            #expect(unknown.finding("user")?.state == "hint")

            let begun = try await user("dana@example.com", "--create")
            #expect(begun.isFine && begun.finding("mail")?.state == "ok", "\(begun.findings)")
            #expect(try await user("dana@example.com").finding("user")?.state == "hint")

            _ = try await NativeAPI(baseURL: server.baseURL).signUp("alex@example.com")
            #expect(try await user("alex@example.com").finding("user")?.state == "ok")
            #expect(try await user("alex@example.com", "--create").finding("sign-up begun")?.state == "hint")
            let tooFew = try await user("alex@example.com", "--challenge-types", "password")
            #expect(tooFew.finding("user")?.remedy?.contains("oob") == true, "\(tooFew.problems)")
        }
    }

    @Test("No server, and a server of something else, are told apart")
    func otherServers() async throws {
        let nobody = try await report("--client-id", Self.passwordApp, "--authority", "http://127.0.0.1:1/contoso")
        #expect(nobody.problems.map(\.about) == ["connection"])
        #expect(nobody.problems.first?.text.contains("Nothing listens") == true, "\(nobody.problems)")

        let proxy = try await PythonServer.start([
            "-c",
            """
            import http.server, sys, threading
            class Page(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.end_headers()
                    self.wfile.write(b"<html>Please sign in to the network.</html>")
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Page)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            print("PORT", server.server_port)
            sys.stdin.read()
            """,
        ])
        let page = try await report(
            "--client-id", Self.passwordApp, "--authority", "http://127.0.0.1:\(proxy.port)/contoso")
        #expect(page.problems.map(\.about) == ["discovery"])
        #expect(page.problems.first?.text.contains("text/html with status 200") == true, "\(page.problems)")
        await proxy.stop()
    }

    @Test("Values that no server would take are told without asking one")
    func values() async throws {
        let wrong = try await report(
            "--client-id", "{\(Self.passwordApp)}", "--tenant", "contoso.onmicrosoft.com", "--challenge-types", "otp",
            "--capabilities", "mfa", "--scopes", "openid")
        #expect(
            wrong.problems.map(\.about) == ["client id", "tenant", "challenge types", "capabilities", "scopes"])
        #expect(wrong.finding("tenant")?.remedy?.contains("--tenant contoso.") == true)
        for (authority, word) in [
            ("http://login.example.com/contoso", "https"), ("https://login.microsoftonline.com/contoso", "ciamlogin"),
            ("https://login.example.com", "End it"), ("http://127.0.0.1:1/contoso/v2.0", "End it"),
            ("https://dana:hunter2@login.example.com/contoso", "secret"), ("contoso", "Give one"),
        ] {
            let report = try await report("--client-id", Self.passwordApp, "--authority", authority)
            #expect(report.problems.map(\.about) == ["authority"], "\(authority)")
            #expect(report.problems.first?.remedy?.contains(word) == true, "\(report.problems)")
            #expect(report.problems.first?.text.contains("hunter2") == false)
        }
        for scopes in ["orders/Read", "api://orders/Read api://stock/Read", "User.Read api://stock/Read"] {
            let report = try await report(
                "--client-id", Self.passwordApp, "--authority", "http://127.0.0.1:1/contoso", "--scopes", scopes)
            #expect(report.problems.map(\.about) == ["scopes"])
        }
        let (status, _, errors) = try await NativeAuthProcess.run(["doctor", "--client-id", Self.passwordApp])
        #expect(status == 64 && errors.contains("--tenant"))
    }

    @Test("What a person sees is what docs/evidence/transcripts/doctor.txt shows")
    func theTranscript() async throws {
        try await withServer { server in
            let place = "\(server.baseURL.absoluteString)/contoso.onmicrosoft.com"
            let commands = [
                ["--authority", place, "--capabilities", "mfa_required,registration_required"],
                ["--authority", place, "--challenge-types", "password"],
                ["--authority", "http://127.0.0.1:1/contoso"],
            ]
            var printed = ""
            for command in commands {
                let arguments = ["doctor", "--client-id", Self.passwordApp] + command
                let (_, output, _) = try await NativeAuthProcess.run(arguments)
                printed += "$ native-auth \(arguments.joined(separator: " "))\n\(output)\n"
            }
            try TranscriptTests.compare(TranscriptTests.normalised(printed), with: "doctor")
        }
    }
}

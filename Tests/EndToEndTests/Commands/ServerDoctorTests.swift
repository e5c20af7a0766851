import Foundation
import Testing

@testable import native_auth

/// `native-auth doctor server` against real listeners, a mail server and a name server.
@Suite("Doctor of a server", .timeLimit(.minutes(2))) struct ServerDoctorTests {
    /// The report for a server with these settings; also checks the exit code.
    static func report(_ settings: [String: String], _ arguments: [String] = []) async throws -> DoctorReport {
        let (status, output, errors) = try await NativeAuthProcess.run(
            ["doctor", "server", "--json"] + arguments, environment: settings)
        #expect(errors == "")
        let report = try JSONDecoder().decode(DoctorReport.self, from: Data(output.utf8))
        #expect(status == (report.isFine ? 0 : 1))
        return report
    }

    // MARK: Certificates

    struct BadCertificate: CustomTestStringConvertible, Sendable {
        let name: String
        let isTrusted: Bool
        let says: String
        var testDescription: String { name }

        init(_ name: String, isTrusted: Bool = true, _ says: String) {
            (self.name, self.isTrusted, self.says) = (name, isTrusted, says)
        }
    }

    @Test(
        "SEC-NET-3: each bad certificate at the base URL is told for what it is",
        arguments: [
            BadCertificate("expired", "ended at 2021-01-01"), BadCertificate("early", "begins at 2048-01-01"),
            BadCertificate("stranger", "not for localhost, but for mail.example"),
            BadCertificate("client", "not meant for servers"),
            BadCertificate("nameless", "not for localhost, but for no name"),
            BadCertificate("self", "signed itself"), BadCertificate("deep", "lacks the certificate of “CN=middle”"),
            BadCertificate("good", isTrusted: false, "lacks the certificate of “CN=authority”"),
        ])
    func badCertificates(_ one: BadCertificate) async throws {
        let report = try await peer(one.name, isTrusted: one.isTrusted)
        let found = report.findings("TLS")
        #expect(found.count == 1 && found[0].state == "problem" && found[0].text.contains(one.says), "\(found)")
        #expect(found.first?.remedy?.isEmpty == false)
    }

    @Test("A trusted certificate is fine, with its intermediate one in the chain", arguments: ["good", "whole"])
    func goodCertificates(_ name: String) async throws {
        let found = try await peer(name, isTrusted: true).findings("TLS")
        #expect(found.map(\.state) == ["ok"], "\(found)")
    }

    @Test("A listener without TLS, and none at all, are told apart")
    func noTLS() async throws {
        #expect(try await peer(nil, isTrusted: true).findings("TLS").first?.text.contains("does not speak TLS") == true)
        let silent = try await Self.report(["NATIVE_AUTH_BASE_URL": "https://localhost:1"])
        #expect(silent.findings("connection").first?.text.contains("does not accept connections") == true)
        let nowhere = try await Self.report(["NATIVE_AUTH_BASE_URL": "https://login.invalid"])
        #expect(nowhere.findings("DNS").first?.text == "login.invalid has no address.", "\(nowhere.findings)")
    }

    /// The report about a listener with that certificate; nil is one that speaks plain HTTP.
    private func peer(_ certificate: String?, isTrusted: Bool) async throws -> DoctorReport {
        let folder = try TLSTests.certificates.get()
        let files = certificate.map { name in ["pem", "key"].map { folder.appending(path: "\(name).\($0)").path } }
        let server = try await PythonServer.start([TLSTests.script("tls_server.py")] + (files ?? []))
        let report = try await Self.report(
            ["NATIVE_AUTH_BASE_URL": "https://localhost:\(server.port)"],
            isTrusted ? ["--ca-file", folder.appending(path: "authority.pem").path] : [])
        await server.stop()
        return report
    }

    // MARK: Mail

    @Test("What DNS says about a sender's domain: SPF, DMARC, DKIM, MX")
    func records() async throws {
        let zone = """
            {"MX good.example": ["mail.good.example"],
             "TXT good.example": ["other", "v=spf1 include:mail.example \(String(repeating: "ip4:192.0.2.1 ", count: 20))-all"],
             "TXT _dmarc.good.example": ["v=DMARC1; p=reject"],
             "TXT s1._domainkey.good.example": ["v=DKIM1; p=MIIB"],
             "TXT bad.example": ["v=spf1 +all"], "TXT _dmarc.bad.example": ["v=DMARC1; p=none"],
             "TXT s1._domainkey.bad.example": ["v=DKIM1; p="],
             "TXT s1._domainkey.none.example": ["v=spf1 exp=a.example -all"]}
            """
        let server = try await PythonServer.start([TLSTests.script("dns_server.py"), zone])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let sink = try await SMTPSink.start(in: folder.url)
        func states(_ domain: String) async throws -> [String: String] {
            let report = try await Self.report(
                ["NATIVE_AUTH_SMTP": sink.url, "NATIVE_AUTH_MAIL_FROM": "no-reply@\(domain)"],
                ["--dns-server", "127.0.0.1:\(server.port)", "--dkim-selector", "s1"])
            return Dictionary(
                report.findings.filter { $0.area == "mail" }.map { ($0.about, $0.state) }, uniquingKeysWith: { $1 })
        }
        #expect(
            try await states("good.example") == [
                "mail server": "ok", "MX": "ok", "SPF": "ok", "DMARC": "ok", "DKIM": "ok",
            ])
        #expect(
            try await states("bad.example") == [
                "mail server": "ok", "MX": "hint", "SPF": "problem", "DMARC": "hint", "DKIM": "problem",
            ])
        #expect(
            try await states("none.example") == [
                "mail server": "ok", "MX": "hint", "SPF": "problem", "DMARC": "hint", "DKIM": "problem",
            ])
        await server.stop()
        await sink.server.stop()
    }

    @Test("A mail server that is not there, and a name server that is silent, are told")
    func noMailServer() async throws {
        let hole = try await PythonServer.blackHole()
        let report = try await Self.report(
            ["NATIVE_AUTH_SMTP": "smtp://127.0.0.1:1", "NATIVE_AUTH_MAIL_FROM": "no-reply@good.example"],
            ["--dns-server", "127.0.0.1:\(hole.port)"])
        #expect(
            report.findings("mail server").first?.text == "The mail server 127.0.0.1:1 refuses connections.",
            "\(report.findings)")
        let nameless = try await Self.report(
            ["NATIVE_AUTH_SMTP": "smtps://mail.invalid", "NATIVE_AUTH_MAIL_FROM": "no-reply@good.example"],
            ["--dns-server", "127.0.0.1:\(hole.port)"])
        #expect(nameless.findings("mail server").first?.text == "The mail server's name mail.invalid has no address.")
        #expect(report.findings("DNS").first?.text == "No name server answers.")
        await hole.stop()
    }

    @Test(
        "SPF records",
        arguments: [
            ([], SenderPolicy.none), (["v=spf10 -all", "v=spf"], .none), (["v=spf1"], .stated("v=spf1")),
            (["v=spf1 -all", "v=spf1 a -all"], .several), (["v=spf1 ALL"], .open("v=spf1 ALL")),
            (["V=SPF1 mx ~all"], .stated("V=SPF1 mx ~all")),
            (["v=spf1 -all", "google-site=1"], .stated("v=spf1 -all")),
        ])
    func senderPolicies(_ records: [String], _ policy: SenderPolicy) {
        #expect(SenderPolicy(records) == policy)
    }

    @Test(
        "DMARC records",
        arguments: [
            ([], DomainPolicy.none), (["v=DMARC1;p=none"], .watching),
            (["v=DMARC1; p = reject; pct=50"], .enforced("reject")),
            (["v=DMARC1; rua=mailto:a@b.example"], .faulty("v=DMARC1; rua=mailto:a@b.example")),
            (["v=DMARC1; p=none", "v=DMARC1; p=reject"], .none),
        ])
    func domainPolicies(_ records: [String], _ policy: DomainPolicy) {
        #expect(DomainPolicy(records) == policy)
    }

    // MARK: Settings

    @Test("Wrong settings are problems, each with its sentence")
    func wrongSettings() async throws {
        let report = try await Self.report([
            "NATIVE_AUTH_PROFILE": "production", "NATIVE_AUTH_PORT": "x", "NATIVE_AUTH_DATA": "/nonexistent",
        ])
        let texts = report.findings("settings").map(\.text)
        #expect(texts.contains { $0.hasPrefix("--port is “x”") })
        #expect(texts.contains { $0.contains("needs --smtp") })
        // A key that cannot be read is one problem, and not a server without TLS besides.
        let missing = try await Self.report([
            "NATIVE_AUTH_PROFILE": "production", "NATIVE_AUTH_TLS_CERT": "/nowhere", "NATIVE_AUTH_TLS_KEY": "/nowhere",
            "NATIVE_AUTH_SMTP": "smtp://127.0.0.1:1", "NATIVE_AUTH_MAIL_FROM": "a@example.com",
            "NATIVE_AUTH_BASE_URL": "https://login.example.com",
        ]).findings("settings").map(\.text)
        #expect(missing.contains { $0.contains("/nowhere cannot be read: there is no such file") }, "\(missing)")
        #expect(!missing.contains { $0.contains("--trusted-proxies") }, "\(missing)")
    }
}

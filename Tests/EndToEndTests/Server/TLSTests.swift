import Foundation
import NativeAuth
import NativeAuthCore
import Testing

/// Certificates that are not trusted, at real listeners: what the SDK and `native-auth doctor` say of them.
@Suite("TLS", .timeLimit(.minutes(2))) struct TLSTests {
    private static let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"
    static let support = Python.package.appending(path: "Tests/EndToEndTests/Support")
    static func script(_ name: String) -> String { support.appending(path: name).path }

    /// Whether an authority can be added to the system's store, in a namespace that ends with the command.
    private static let canTrust = succeeds(in: ["test", "-f", "/etc/ssl/certs/ca-certificates.crt"])
    /// Whether a file system can be mounted, in a namespace of its own.
    static let canMount = succeeds(in: ["mount", "-t", "tmpfs", "tmpfs", "/tmp"])

    private static func succeeds(in command: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unshare", "--map-root-user", "--mount"] + command
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Made once per run.
    static let certificates = Result {
        let folder = try TemporaryFolder().url
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [script("tls_certificates.sh"), folder.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Python.Failed(arguments: ["openssl"], status: -1) }
        return folder
    }

    /// A listener with a certificate by its name; nil is one that speaks plain HTTP.
    private func withListener(_ certificate: String?, _ body: (_ authority: String) async throws -> Void) async throws {
        let folder = try Self.certificates.get()
        let files = certificate.map { name in ["pem", "key"].map { folder.appending(path: "\(name).\($0)").path } }
        let server = try await PythonServer.start([Self.script("tls_server.py")] + (files ?? []))
        try await body("https://localhost:\(server.port)/contoso")
        await server.stop()
    }

    /// The finding about the connection to a listener with `certificate`.
    private func finding(_ certificate: String?, isTrusted: Bool = false) async throws -> DoctorReport.Finding {
        var output = ""
        try await withListener(certificate) { authority in
            let arguments = ["doctor", "--json", "--client-id", Self.clientID, "--authority", authority]
            guard isTrusted else {
                output = try await NativeAuthProcess.run(arguments).output
                return
            }
            let place = try Self.certificates.get().appending(path: "authority.pem").path
            output = try await Python.run(
                [Self.script("trusting.py"), place, NativeAuthProcess.executable().path] + arguments)
        }
        return try #require(try JSONDecoder().decode(DoctorReport.self, from: Data(output.utf8)).finding("connection"))
    }

    @Test(
        "doctor says that a certificate is not trusted, and why",
        arguments: [
            ("self", ClientCondition.certificateUntrusted), ("good", .certificateUntrusted),
            ("expired", .certificateUntrusted),
        ])
    func ofNobody(_ certificate: String, _ condition: ClientCondition) async throws {
        let finding = try await finding(certificate)
        #expect(finding.state == "problem")
        #expect(finding.text.hasSuffix(ErrorRemedy(condition).cause))
        #expect(finding.text.contains("The server's certificate is not trusted: "))
        #expect(finding.remedy == ErrorRemedy(condition).remedy)
        #expect(finding.remedy?.contains("http") == false)
    }

    @Test(
        "doctor says the same of a trusted authority's certificate: expired, not yet valid, for another name",
        .enabled(if: canTrust, "needs unshare, and the store of Debian"),
        arguments: [
            ("expired", ClientCondition.certificateExpired), ("early", .certificateNotYetValid),
            ("stranger", .certificateOfOtherHost),
        ])
    func ofATrustedAuthority(_ certificate: String, _ condition: ClientCondition) async throws {
        let finding = try await finding(certificate, isTrusted: true)
        #expect(finding.state == "problem")
        #expect(finding.text.hasSuffix(ErrorRemedy(condition).cause))
        #expect(finding.remedy == ErrorRemedy(condition).remedy)
    }

    @Test("A good certificate of that authority is trusted", .enabled(if: canTrust))
    func aGoodOne() async throws {
        let finding = try await finding("good", isTrusted: true)
        #expect(finding.state == "ok" && finding.text.hasSuffix("its certificate is trusted"))
    }

    @Test("doctor says to write http only where the server speaks no TLS")
    func withoutTLS() async throws {
        let finding = try await finding(nil)
        #expect(finding.text.hasSuffix(ErrorRemedy(.tlsMissing).cause))
        #expect(finding.remedy?.hasPrefix("Write http in front") == true)
    }

    @Test(
        "The SDK names the fault of TLS: nothing was sent, so the outcome is known and the step may be tried again",
        arguments: [
            ("self", ClientCondition.certificateUntrusted), ("good", .certificateUntrusted), (nil, .tlsMissing),
        ]
            as [(String?, ClientCondition)])
    func theSDK(_ certificate: String?, _ condition: ClientCondition) async throws {
        try await withListener(certificate) { text in
            let authority = try Authority(url: try #require(URL(string: text)))
            let client = NativeAuthClient(
                NativeAuthConfiguration(
                    clientID: Self.clientID, authority: authority, challengeTypes: [.oneTimePasscode]))
            do throws(SignUpError) {
                _ = try await client.signUp(username: "dana@example.com")
                Issue.record("The server is trusted.")
            } catch {
                guard case .service(.unreachable(let details, _)) = error else {
                    Issue.record("\(error)")
                    return
                }
                let remedy = ErrorRemedy(condition)
                #expect(details.message == remedy.cause)
                #if DEBUG
                    #expect(details.remedy == remedy.remedy)
                #endif
                #expect(error.description.contains(remedy.cause))
            }
        }
    }
}

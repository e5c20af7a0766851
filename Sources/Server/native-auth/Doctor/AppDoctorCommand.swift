import ArgumentParser
import NativeAuthCore
import PortableFoundation

/// `native-auth doctor app`: checks the configuration of an app and its server, and prints what to change.
struct AppDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Check an app's configuration and its server, and report what to change.",
        discussion: """
            Pass what the app passes to the SDK. Nothing is changed and no mail is sent, unless --create asks for it: the \
            first request of each flow names an account that does not exist, and servers refuse it. \
            NATIVE_AUTH_EMULATOR replaces the vendor's cloud, as in debug builds of the app.
              native-auth doctor --client-id 00001111-aaaa-2222-bbbb-3333cccc4444 --tenant contoso
              native-auth doctor --client-id 00001111-aaaa-2222-bbbb-3333cccc4444 \
            --authority http://127.0.0.1:8765/contoso.onmicrosoft.com

            Exit code: 0 when nothing is wrong, 1 when something has to be changed, 64 for a wrong command line.
            """)

    @Option(name: .customLong("client-id"), help: "Client ID of the app.") var clientID: String
    @Option(help: "Subdomain of the tenant in the vendor's cloud, such as contoso.") var tenant: String?
    @Option(help: "URL of the tenant, such as http://127.0.0.1:8765/contoso.onmicrosoft.com.") var authority: String?
    @Option(name: .customLong("challenge-types"), help: "What the app lists: oob, password or both.")
    var challengeTypes = "oob,password"
    @Option(help: "What the app can do beyond the first factor: mfa_required, registration_required or both.")
    var capabilities = ""
    @Option(help: "Scopes that the app asks for, without openid, profile and offline_access.") var scopes = ""
    @Option(help: "Also look whether browsers may come back to this redirect address of the app.")
    var redirect: String?
    @Option(help: "Also look whether this user can sign in.") var email: String?
    @Flag(help: "Also begin a sign-up for --email, which mails it a code; without the code no account is made.")
    var create = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (tenant == nil) != (authority == nil) else {
            throw ValidationError("Give --tenant, for a tenant in the vendor's cloud, or --authority.")
        }
        guard !create || email != nil else { throw ValidationError("--create needs --email.") }
    }

    func run() async throws {
        let values = ConfigurationCheck(
            clientID: clientID, tenant: tenant, authority: authority, challengeTypes: Self.words(challengeTypes),
            capabilities: Self.words(capabilities), scopes: Self.words(scopes),
            emulator: ProcessInfo.processInfo.environment["NATIVE_AUTH_EMULATOR"] ?? "")
        let report = Report(isQuiet: json)
        let configuration = values.check(Notebook(area: .configuration, tell: report.add))
        // With a wrong value the server could only report the same fault.
        if let configuration, report.problems == 0 {
            let doctor = ServerCheck(
                configuration: configuration, email: email, createsSignUp: create, redirect: redirect)
            await doctor.check(report.add)
        }
        try report.end(asJSON: json)
    }

    /// The words of a list, separated by commas or blanks.
    private static func words(_ list: String) -> [String] {
        list.split { $0 == "," || $0 == " " }.map { String($0) }
    }
}

import ArgumentParser
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// `native-auth doctor server`: checks the server of this machine and what it depends on, and prints what to change.
struct ServerDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: """
            Check the server of this machine: settings, clock, database, certificate, proxy, files of passkeys, mail and DNS.
            """,
        discussion: """
            The settings are those of serve, from the environment: native-authctl doctor server reads them from \
            /etc/native-auth/env. Nothing is changed and no mail is sent. The server may run or not.

            Exit code: 0 when nothing is wrong, 1 when something has to be changed, 64 for a wrong command line.
            """)

    @Option(
        name: .customLong("dkim-selector"),
        help: "Selector under which the mail server signs, to look for its key in DNS.")
    var dkimSelector: String?
    @Option(
        name: .customLong("ca-file"),
        help: "Certificates (PEM) that your apps trust besides this machine's, for a private authority.")
    var caFile: String?
    @Option(
        name: .customLong("dns-server"),
        help: "IPv4 address of a name server to ask, with :PORT (default: the system's).")
    var dnsServer: NameServer?
    @Flag(help: "Print JSON.") var json = false

    private static let settingsFile = "/etc/native-auth/env"

    /// Whether `native-authctl` ran this command, on a machine without settings.
    private var isUnprepared: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["NATIVE_AUTHCTL"] != nil && !FileManager.default.fileExists(atPath: Self.settingsFile)
    }

    func run() async throws {
        let report = Report(isQuiet: json)
        let notes = { (area: Finding.Area) in Notebook(area: area, tell: report.add) }
        var authorities: String?
        if let caFile {
            do {
                authorities = try String(contentsOfFile: caFile, encoding: .utf8)
            } catch {
                let reason = FileAccess.obstacle(toReading: caFile) ?? "it is no text"
                throw ValidationError("--ca-file \(caFile) cannot be read: \(reason).")
            }
        }
        if isUnprepared {
            notes(.settings).problem(
                "settings", "There is no \(Self.settingsFile): no server was prepared on this machine.",
                "Run native-authctl init, which makes the settings, the master key and the database.")
            try report.end(asJSON: json)
            return
        }
        do throws(ServeSettings.Invalid) {
            let settings = try ServeSettings(options: [:], environment: ProcessInfo.processInfo.environment)
            let address = settings.baseURL.map { ", \($0)" } ?? ""
            notes(.settings).ok("settings", "profile \(settings.profile.rawValue)\(address)")
            await MachineCheck(settings: settings).check(notes(.machine))
            let directory = await DatabaseCheck(settings: settings).check(notes(.database))
            await AddressCheck(
                settings: settings, tenant: directory?.entries.first?.tenant, authorities: authorities
            ).check(notes(.address))
            if let directory {
                await AssociationCheck(directory: directory, profile: settings.profile, authorities: authorities)
                    .check(notes(.passkeys))
            }
            await MailCheck(settings: settings, dns: DNS(server: dnsServer), selector: dkimSelector).check(notes(.mail))
        } catch {
            for sentence in error.problems {
                notes(.settings).problem("settings", sentence, "native-auth serve --help describes each setting.")
            }
        }
        try report.end(asJSON: json)
    }
}

import ArgumentParser
import IdentityEngine
import IdentityHooks
import IdentityPasswords
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// `native-auth import`: takes users over from another system.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take users over from another system.", subcommands: [Users.self])

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv
        case jsonLines = "json-lines"
    }

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import users with their password hashes, from CSV or JSON lines.",
            discussion: """
                Servers may run meanwhile. Each record is imported whole or not at all; a record with a fault is printed with its \
                line. When the command was interrupted, the same command goes on where it was. A hash of another system is \
                compared at the first sign-in, and replaced then. Exit codes: 65 when records were refused, 64 for an option or a \
                column, 69 while another run of the same import is under way, 74 for a file or database that cannot be used.
                """)

        @OptionGroup var place: UserCommand.OneTenant
        @Argument(help: "The file: CSV, JSON lines, or an export of native-auth export users.") var file: String
        @Option(help: "csv or json-lines (default: csv for a file *.csv).") var format: Format?
        @Option(help: "The system that made the file: firebase, auth0, cognito, keycloak or supabase.")
        var from: ImportPreset?
        @Option(help: "A YAML file with the names that the members have in the file.") var mapping: String?
        @Option(
            name: .customLong("hash-config"),
            help: "A file with the hash parameters of a Firebase project, as its console shows them.")
        var hashConfig: String?
        @Option(help: "The client id of the application; needed where the tenant has several.") var application: String?
        @Option(help: "What happens to a record whose address a user has: refuse (default), skip or update.")
        var duplicates = DuplicatePolicy.refuse
        @Flag(
            name: .customLong("assume-verified"),
            help:
                "Take an address as verified where the file does not say. A password counts with a verified address only."
        )
        var assumesVerified = false
        @Flag(name: .customLong("dry-run"), help: "Report what would happen, and change nothing.") var isDryRun = false

        func run() async throws {
            try await place.open { opened, tenant in
                let input = try ImportFile(file)
                var members = ImportMembers(preset: from)
                if let mapping { try members.map(try Self.text(of: mapping), file: mapping) }
                if let hashConfig {
                    guard let parameters = ForeignForms.FirebaseParameters(text: try Self.text(of: hashConfig)) else {
                        throw StartFailure.usage(["\(hashConfig) has no hash_config of a Firebase project for SCRYPT."])
                    }
                    members.firebase = parameters
                }
                let flows = opened.operatorFlows(of: tenant)
                let client = try opened.application(application, of: tenant)
                if from != nil, !flows.contains(where: { $0.hasAttribute("externalId") }) {
                    members.leftOut = ["externalId"]
                    Terminal.complain(
                        "native-auth: Ids of the other system are left out, since no application has an attribute externalId."
                    )
                }
                let engine = try opened.engine()
                let settings = ImportSettings(
                    client: client, flows: flows, duplicates: duplicates,
                    assumesVerified: assumesVerified, leavesOutUnknownProviders: from != nil,
                    foreignIDs: opened.foreignIDs(in: tenant),
                    unknownPassword: try await engine.unknownPassword())
                // Another option is another import.
                let digest = try input.digest([
                    tenant.id.description, client.id.description, from?.rawValue ?? "", format?.rawValue ?? "",
                    duplicates.rawValue, "\(assumesVerified)", "\(members.places?.sorted { $0.key < $1.key } ?? [])",
                ])
                let isSealed = try input.begin(opened.vault)
                let form = form(isSealed: isSealed)
                if !isSealed, let misfit = RecordFrames.misfit(of: try input.head(), form) {
                    throw StartFailure.damaged(["\(file) \(misfit)."])
                }
                do {
                    var reader = try ImportReader(form) { try input.next() }
                    let attributes = Set(flows.flatMap { $0.attributes.map(\.name) })
                    let faults =
                        members.faults(attributes: attributes)
                        + (form == .csv && !reader.columns.isEmpty
                            ? members.faults(columns: reader.columns, of: file, attributes: attributes) : [])
                    guard faults.isEmpty else { throw StartFailure.usage(faults) }
                    let run = ImportRun(
                        opened: opened, tenant: tenant, engine: engine, settings: settings, members: members,
                        digest: digest, isDryRun: isDryRun, paces: opened.isSQLite)
                    try await run.perform(&reader, of: input, json: place.json)
                } catch let fault as RecordFrames.Fault {
                    throw StartFailure.damaged(["\(file): \(fault.sentence)."])
                }
            }
        }

        private func form(isSealed: Bool) -> RecordFrames.Form {
            if isSealed { return .jsonLines }
            switch format {
            case .csv?: return .csv
            case .jsonLines?: return .jsonLines
            case nil: return from?.form ?? (file.lowercased().hasSuffix(".csv") ? .csv : .jsonLines)
            }
        }

        private static func text(of path: String) throws(StartFailure) -> String {
            do {
                return try String(contentsOfFile: path, encoding: .utf8)
            } catch {
                throw .inputOutput("The file \(path) cannot be read as UTF-8 text.")
            }
        }
    }
}

extension DuplicatePolicy: ExpressibleByArgument {}

extension UserFlow {
    fileprivate func hasAttribute(_ name: String) -> Bool { attributes.contains { $0.name == name } }
}

extension OpenedDatabase {
    /// The application with this client id; without one the only application of the tenant.
    func application(_ name: String?, of tenant: Tenant) throws(StartFailure) -> Client {
        let applications = applications(of: tenant)
        let chosen = name.map { name in applications.first { $0.id.description == name.lowercased() } }
        guard let client = chosen ?? (applications.count == 1 ? applications.first : nil) else {
            let offered = applications.map { "\($0.id) (\(Terminal.harmless($0.displayName)))" }
            let unknown = name.map { "The tenant has no application \(Terminal.harmless($0)). " } ?? ""
            throw StartFailure.usage([
                unknown
                    + """
                    Choose one of the applications of \(Terminal.harmless(tenant.subdomain)) with --application CLIENT-ID: \
                    \(offered.joined(separator: ", ")). A server with a tenant file needs it here, too: --config FILE.
                    """
            ])
        }
        return client
    }

    /// Ids of the tenant that name something else than a user: a token's `oid` must tell who it is about.
    func foreignIDs(in tenant: Tenant) -> Set<UUID> {
        let entry = directory?.entries.first { $0.tenant.id == tenant.id }
        let known = (entry?.applications.map(\.id.uuid) ?? []) + (entry?.daemons.map(\.id.uuid) ?? [])
        let (none, all) = (UInt8.min, UInt8.max)
        return Set(
            known + [tenant.id.uuid, HookTokens.caller.uuid]
                + [none, all].map {
                    UUID(uuid: ($0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0, $0))
                })
    }
}

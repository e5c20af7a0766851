import ArgumentParser
import IdentityEngine
import IdentityHTTP
import IdentityStoreSQL
import PortableFoundation

/// `native-auth tenant`: manages the tenants' configuration.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant",
        abstract: "Write or check a tenant file, put it into the database, or print what is in force.",
        discussion: """
            A document in the database is in force on all servers; --config of serve counts only while there is none. \
            Servers may run meanwhile, and take a new document over within five seconds.
            """,
        subcommands: [
            Init.self, Check.self, Apply.self, Export.self, Versions.self, Rollback.self, Association.self,
        ])

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a tenant file to begin with, with comments and new ids.")

        @Argument(help: "The file to make; it must not exist yet (default: tenants.yaml).") var file =
            "tenants.yaml"

        func run() async throws {
            try await DatabaseLocation.telling {
                do {
                    try Data(TenantTemplate.text().utf8).write(to: URL(filePath: file), options: .withoutOverwriting)
                } catch let error as CocoaError where error.code == .fileWriteFileExists {
                    throw StartFailure.usage(["There is a file \(file) already; nothing was written."])
                } catch {
                    throw StartFailure.inputOutput("The file \(file) cannot be written.")
                }
                say("wrote \(file); change it, then: native-auth tenant check \(file)")
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report what is wrong with a tenant file, with line numbers; changes nothing.",
            discussion: """
                Faults end with exit code 64. Warnings name policies that contradict each other inside a tenant, and what suits \
                a development server alone.
                """)

        @Argument(help: "The tenant file, YAML.") var file: String

        func run() async throws {
            try await DatabaseLocation.telling {
                let (_, read) = try checked(file)
                for warning in read.warnings { Terminal.complain("warning: \(warning)") }
                say("\(file): \(read.directory.summary)")
            }
        }
    }

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a tenant file into the database, in force on all servers.",
            discussion: """
                Shows what changes and asks. All of the file or, if anything is wrong with it, nothing. What was in force before \
                is kept as a version: native-auth tenant rollback puts it back.
                """)

        @OptionGroup var change: TenantChange
        @Argument(help: "The tenant file, YAML.") var file: String

        func run() async throws {
            try await DatabaseLocation.telling {
                let (text, read) = try checked(file)
                try await change.place.open(isAboutTenants: true) { opened in
                    try await change.put(text, read, in: opened)
                }
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the document in force.",
            discussion: "Without one in the database, --config or the development tenant, as a server has it then.")

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open(isAboutTenants: true) { opened in
                if let document = opened.document { return Terminal.write(document.text) }
                guard let directory = opened.directory else { return }
                Terminal.write("# No document is in the database; servers without --config have this.\n")
                Terminal.write(try TenantText.document(directory))
            }
        }
    }

    struct Versions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line for each document that was in force: version, since when, SHA-256, what it has.")

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open(isAboutTenants: true) { opened in
                for document in try await opened.store.tenantDocuments() {
                    let read: String
                    do throws(ServeSettings.Invalid) {
                        read = try document.file().directory.summary
                    } catch {
                        read = "has \(counted(error.problems.count, "fault"))"
                    }
                    let isInForce = document.version == opened.document?.version
                    say(
                        "version \(document.version)  since \(document.appliedAt.formatted(.iso8601))  "
                            + "\(document.checksum)  \(read)\(isInForce ? "  in force" : "")")
                }
            }
        }
    }

    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put an earlier document in force again, as a new version.",
            discussion: "Shows what changes and asks, as apply does.")

        @OptionGroup var change: TenantChange
        @Argument(help: "The version, as versions prints it.") var version: Int

        func run() async throws {
            try await change.place.open(isAboutTenants: true) { opened in
                guard let old = try await opened.store.tenantDocuments().first(where: { $0.version == version }) else {
                    throw StartFailure.usage([
                        "There is no version \(version); native-auth tenant versions prints those that there are."
                    ])
                }
                let read: TenantFile
                do throws(ServeSettings.Invalid) {
                    read = try old.file()
                } catch {
                    throw StartFailure.usage(error.problems)
                }
                try await change.put(old.text, read, in: opened)
            }
        }
    }

    struct Association: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the files that tie apps and pages to the passkeys of each tenant, for another server.",
            discussion: """
                A server of the passkeys' domain serves them as /.well-known/apple-app-site-association, assetlinks.json, webauthn \
                and passkey-endpoints, each if it has something to tell. Files that are there are replaced, and those that would \
                tell nothing any more are removed. Take the document in force: native-auth tenant export.
                """)

        @Argument(help: "The tenant file, YAML.") var file: String
        @Option(help: "The folder, which gets a folder for each domain of passkeys.") var directory: String
        @Option(
            name: .customLong("base-url"),
            help: "Address of this server, for passkey-endpoints (default: that file is not written).")
        var baseURL: String?

        func run() async throws {
            try await DatabaseLocation.telling {
                let (_, read) = try checked(file)
                if let baseURL, !baseURL.hasPrefix("https://") || baseURL.hasSuffix("/") {
                    throw StartFailure.usage([
                        "--base-url must be an address such as https://login.example.com, without a slash at its end."
                    ])
                }
                let entries = read.directory.entries.filter { $0.tenant.passkeys != nil }
                if entries.isEmpty { say("no tenant has passkeys; nothing was written") }
                for entry in entries {
                    guard let domain = entry.tenant.passkeys?.relyingPartyID else { continue }
                    let folder = URL(filePath: directory).appending(path: domain)
                    for kind in AssociationFile.allCases where kind != .endpoints || baseURL != nil {
                        let place = folder.appending(path: kind.relativePath)
                        if let content = try kind.content(of: entry, baseURL: baseURL) {
                            try write(content, to: place)
                        } else {
                            try remove(place)
                        }
                    }
                }
            }
        }

        /// What an older document has written names apps that may have lost their place.
        private func remove(_ url: URL) throws(StartFailure) {
            guard FileManager.default.fileExists(atPath: url.path) else { return }
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                throw .inputOutput("The file \(url.path) cannot be removed.")
            }
            say("removed \(url.path): the document has nothing for it any more")
        }

        private func write(_ content: Data, to url: URL) throws(StartFailure) {
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try content.write(to: url, options: .atomic)
            } catch {
                throw .inputOutput("The file \(url.path) cannot be written.")
            }
            say("wrote \(url.path)")
        }
    }
}

/// A tenant file without a fault.
private func checked(_ file: String) throws(StartFailure) -> (text: String, read: TenantFile) {
    do {
        let text = try TenantFile.text(of: file, named: file)
        return (text, try TenantFile(text, named: file))
    } catch {
        throw .usage(error.problems)
    }
}

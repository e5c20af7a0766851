import ArgumentParser
import IdentityEngine
import IdentityStoreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `native-auth tenant`: the tenants' configuration.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant", abstract: "Check a tenant file, put it into the database, or print what is in force.",
        discussion: """
            A document in the database is in force on all servers; --config of serve counts only while there is none. \
            Servers may run meanwhile, and take a new document over within five seconds.
            """,
        subcommands: [Check.self, Apply.self, Export.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what is wrong with a tenant file, with line numbers; changes nothing.")

        @Argument(help: "The tenant file, YAML.") var file: String

        func run() async throws {
            try await DatabasePlace.telling { say("\(file): \(try checked(file).directory.summary)") }
        }
    }

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a tenant file into the database, in force on all servers.",
            discussion:
                "All of it or, if anything is wrong with it, nothing. What was in force before is kept as a version.")

        @OptionGroup var place: DatabasePlace
        @Argument(help: "The tenant file, YAML.") var file: String

        func run() async throws {
            try await DatabasePlace.telling {
                let (text, directory) = try checked(file)
                try await place.open(isShared: true) { opened in
                    let document = try await opened.store.apply(
                        text, naming: directory.entries.map(\.tenant.id), at: opened.now)
                    say("version \(document.version): \(directory.summary)")
                }
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the document in force.")

        @OptionGroup var place: DatabasePlace

        func run() async throws {
            try await place.open(isShared: true) { opened in
                guard let document = try await opened.store.tenantDocument() else {
                    throw StartFailure.usage([
                        "The database has no tenant document; servers go by their --config, or have the development tenant."
                    ])
                }
                Terminal.write(document.text)
            }
        }
    }
}

/// A tenant file without a fault.
private func checked(_ file: String) throws(StartFailure) -> (text: String, directory: TenantDirectory) {
    do {
        let text = try TenantFile.text(of: file, named: file)
        return (text, try TenantFile.directory(of: text, named: file))
    } catch {
        throw .usage(error.problems)
    }
}

extension TenantDirectory {
    fileprivate var summary: String {
        "\(entries.count) \(entries.count == 1 ? "tenant" : "tenants"), "
            + "\(entries.map(\.applications.count).reduce(0, +)) applications"
    }
}

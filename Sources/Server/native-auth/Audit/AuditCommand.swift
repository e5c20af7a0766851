import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// `native-auth audit`: the audit trail.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check or print the audit trail.",
        discussion: """
            Servers may run meanwhile. --data, --database, --master-key-file and --config are those of serve, and are read \
            from the environment too.
            """,
        subcommands: [Verify.self, List.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no sealed line was altered, removed, put in or moved.",
            discussion: """
                Prints a line for each tenant with the end of its chain. Note it elsewhere, and pass it to a later check \
                with --noted: the check then also detects an older copy that replaced the whole database.
                """)

        @OptionGroup var place: DatabaseLocation
        @Option(help: "An end of the chain that was noted earlier, POSITION:SEAL; needs --tenant if there are several.")
        var noted: String?

        func run() async throws {
            try await place.open { opened in
                guard noted == nil || opened.tenants.count == 1 else {
                    throw StartFailure.usage(["--noted belongs to one tenant; choose it with --tenant."])
                }
                let chain = AuditChain(vault: opened.vault)
                var faults: [String] = []
                for (tenant, name) in try await opened.trails(all: place.tenant == nil) {
                    switch try await chain.verify(tenant, in: opened.store, noted: noted) {
                    case .success(let report):
                        say("\(name)  sound  \(report.head)  \(report.unsealed) not sealed yet")
                    case .failure(.notedPlaceRemoved(let position)):
                        throw StartFailure.usage([AuditFault.notedPlaceRemoved(position: position).description])
                    case .failure(let fault):
                        faults.append("The audit trail of \(name) was tampered with: \(fault)")
                    }
                }
                if !faults.isEmpty { throw StartFailure.damaged(faults) }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the audit trail, a line of JSON for each event.",
            discussion: "Each tenant's events come in the order in which they were written; times are RFC 3339, UTC.")

        @OptionGroup var place: DatabaseLocation
        @Option(help: "Only what was written after the line with this seq.") var after = 0

        func run() async throws {
            try await place.open { opened in
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                encoder.dateEncodingStrategy = .iso8601
                for (tenant, _) in try await opened.trails(all: place.tenant == nil) {
                    var last = after
                    while true {
                        let events = try await opened.store.auditEvents(of: tenant, after: last, limit: 1_000)
                        for recorded in events {
                            say(String(decoding: try encoder.encode(Line(recorded)), as: UTF8.self))
                        }
                        guard let end = events.last else { break }
                        last = end.seq
                    }
                }
            }
        }
    }

    private struct Line: Encodable {
        var seq: Int
        /// The position in the chain; nil before the line was sealed.
        var position: Int?
        var at: Date
        var tenant: String
        var event: String
        var client: String?
        var flow: String?
        var user: String?
        var detail: String?
        /// A pseudonym of the request's source address, in hexadecimal.
        var source: String?
        /// `development` or `production`.
        var profile: String?

        init(_ recorded: RecordedEvent) {
            let event = recorded.event
            seq = recorded.seq
            position = recorded.position
            at = event.at
            tenant = event.tenant.description
            self.event = event.kind.rawValue
            client = event.client?.description
            flow = event.flow?.text
            user = event.user?.description
            detail = event.detail
            source = event.source?.hexadecimal
            profile = recorded.profile
        }
    }
}

extension OpenedDatabase {
    /// The tenants of the command, with their names.
    ///
    /// - Parameter all: Whether to include tenants that have a trail and are no longer configured; their name is the
    ///   id.
    fileprivate func trails(all: Bool) async throws -> [(tenant: TenantID, name: String)] {
        var trails = tenants.map { (tenant: $0.id, name: $0.subdomain) }
        guard all else { return trails }
        for tenant in try await store.auditedTenants() where !trails.contains(where: { $0.tenant == tenant }) {
            trails.append((tenant, tenant.description))
        }
        return trails
    }
}

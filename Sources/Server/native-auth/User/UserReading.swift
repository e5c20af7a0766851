import ArgumentParser
import IdentityEngine
import IdentityHTTP
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

// The commands that change nothing.
extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print users, in the order of their ids.",
            discussion: """
                A page at a time: when more users follow, standard error names the --after of the next page. With --json each \
                user is a line.
                """)

        @OptionGroup var place: OneTenant
        @Option(help: "Only e-mail addresses that begin with this.") var email: String?
        @Flag(help: "Only disabled users, or only enabled ones.") var state: State?
        @Option(help: "Only users created then or later: 2026-11-22, or 2026-11-22T05:20:11Z.")
        var createdAfter: Moment?
        @Option(help: "The id behind which the page begins.") var after: String?
        @Option(help: "The length of a page, 1 to 1000.") var limit = 100

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit lies between 1 and 1000.") }
            guard after == nil || last != nil else { throw ValidationError("--after is the id of a user.") }
        }

        enum State: String, EnumerableFlag {
            case disabled
            case enabled
        }

        private var condition: UserCondition? {
            let email: UserCondition? = email.flatMap { $0.isEmpty ? nil : .mail(.begins($0)) }
            let state: UserCondition? = state.map { .isEnabled($0 == .enabled) }
            let conditions = [email, state, createdAfter.map { .createdSince($0.date) }].compactMap(\.self)
            return conditions.isEmpty ? nil : .all(conditions)
        }

        private var last: UserID? { after.flatMap { UUID(uuidString: $0) }.map { UserID($0) } }

        func run() async throws {
            try await place.open { opened, tenant in
                let request = UserPageRequest(condition, order: .id, after: last.map { .id($0) }, limit: limit)
                let page = try await opened.store.users(request, in: tenant.id)
                if place.json {
                    let engine = try opened.engine()
                    for account in page.users {
                        say(try UserDocument.user(account, engine.profile(of: account, in: tenant)))
                    }
                } else {
                    say(
                        table: page.users.map {
                            [$0.user.id.description, $0.user.email, $0.user.alias ?? "-", $0.state]
                        })
                }
                if page.next != nil, let end = page.users.last?.user.id {
                    Terminal.complain("More users follow: --after \(end)")
                }
            }
        }
    }

    /// A day in UTC, or a time.
    struct Moment: ExpressibleByArgument {
        let date: Date

        init?(argument: String) {
            let day = Date.ISO8601FormatStyle().year().month().day()
            guard let date = (try? Date(argument, strategy: .iso8601)) ?? (try? Date(argument, strategy: day)) else {
                return nil
            }
            self.date = date
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print what is known about a user.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in try await found.say() }
        }
    }

    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print where the user is signed in, the session that was used last first.",
            discussion: "At most 200. With --json each session is a line.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in
                let sessions = try await found.sessions()
                if found.json {
                    for line in try UserDocument.sessions(sessions) { say(line) }
                } else {
                    say(
                        table: sessions.map { session in
                            let device = [session.device.model, session.device.system].compactMap(\.self)
                            return [
                                session.id.text, session.application ?? session.client.description,
                                "since \(session.createdAt.formatted(.iso8601))",
                                "used \(session.lastUsedAt.formatted(.iso8601))", session.network ?? "-",
                                device.isEmpty ? "-" : device.joined(separator: " "),
                            ]
                        })
                }
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print everything that is stored about the user, as one JSON document.",
            discussion: """
                The document of the user's own export, with addresses that are not masked: the user, methods, sessions, remembered devices, earlier \
                addresses that can take a change back, and what the audit trail says. It is JSON with and without --json. The audit \
                trail notes the export.
                """)

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in
                let engine = try found.opened.engine()
                let document = try UserDocument.export(
                    found.account, engine.profile(of: found.account, in: found.tenant),
                    sessions: try await found.sessions(),
                    devices: try await engine.rememberedDevices(
                        of: found.account, in: found.tenant, now: found.opened.now),
                    earlier: try await engine.emailUndos(of: found.id, in: found.tenant.id, now: found.opened.now),
                    groups: try await engine.groups(of: found.id, in: found.tenant.id),
                    consents: try await engine.consents(of: found.id, in: found.tenant.id),
                    activity: try await engine.activity(of: found.id, in: found.tenant.id))
                try await found.opened.store.record(found.event(.dataExported))
                say(document)
            }
        }
    }
}

extension FoundUser {
    fileprivate func sessions() async throws -> [SessionSummary] {
        try await opened.engine().sessions(of: id, in: tenant.id, current: nil, now: opened.now)
    }
}

/// Prints rows with aligned columns.
func say(table rows: [[String]]) {
    let rows = rows.map { $0.map(Terminal.harmless) }
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
        let cells = zip(row.dropLast(), widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        say((cells + row.suffix(1)).joined(separator: "  "))
    }
}

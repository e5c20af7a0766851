import IdentityStorePostgres
import IdentityStoreSQL
import IdentityStoreSQLite

/// The address of the database.
enum DatabaseAddress: Sendable {
    /// One file for one server; nil path: `identity.sqlite` in the data folder.
    case sqlite(path: String?)
    /// A database that many servers share.
    case postgres(PostgresEndpoint, PostgresSettings)

    /// Nil unless the text is `sqlite:PATH` or a libpq URL.
    init?(_ text: String) {
        if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if let place = PostgresEndpoint(url: text) {
            self = .postgres(place, PostgresSettings())
        } else {
            return nil
        }
    }

    /// The path of the file; nil for PostgreSQL.
    func path(in dataFolder: String) -> String? {
        switch self {
        case .sqlite(let path): path ?? dataFolder + "/identity.sqlite"
        case .postgres: nil
        }
    }

    /// Opens the database, and creates or updates its tables.
    ///
    /// - Parameters:
    ///   - migration: The last migration to apply; nil applies all.
    ///   - isShared: Whether a server may be using an SQLite file; no table is created or updated then.
    func open(
        in dataFolder: String, upTo migration: String? = nil, isShared: Bool = false
    ) async throws(StartFailure) -> any SQLStore {
        switch self {
        case .sqlite(let path):
            let path = path ?? dataFolder + "/identity.sqlite"
            // Opening may replace a file beside the database.
            let fault = FileAccess.fault(ofDatabase: path)
            do {
                return isShared ? try SQLiteStore(beside: path) : try SQLiteStore(path: path, upTo: migration)
            } catch {
                switch error {
                case .lockedByAnotherProcess: throw .unavailable(error.description)
                case .unreadable:
                    guard let fault else { throw .inputOutput(error.description) }
                    throw .inputOutput("\(fault.sentence) \(fault.remedy)")
                case .notADatabase, .olderSchema, .newerSchema: throw .inputOutput(error.description)
                }
            }
        case .postgres(let place, let settings):
            do {
                return try await PostgresStore(place, settings, upTo: migration)
            } catch {
                switch error {
                case .unreachable: throw .unavailable(error.description)
                case .notOurs, .newerSchema, .unsafe, .unprepared: throw .inputOutput(error.description)
                }
            }
        }
    }
}

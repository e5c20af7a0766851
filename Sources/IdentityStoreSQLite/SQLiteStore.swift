import GRDB
package import IdentityEngine
import IdentityStoreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All stores of the engine in one SQLite database: a file, or memory.
///
/// Write-ahead log, `synchronous=FULL`, foreign keys on, five seconds of patience with other programs that look into the
/// file, and deleted content overwritten with zeros (`REL-TX-2`, `SEC-SEC-2`). Changes go through one writer that groups
/// them; reads run beside it on connections of their own (a file) or between its batches (memory).
package final class SQLiteStore: Sendable {
    let database: any DatabaseWriter
    let writer: GroupCommitWriter
    private let file: DatabaseFile?
    let isInMemory: Bool

    /// Opens the database at `path`, making folder (0700), file (0600) and tables where they are missing.
    ///
    /// The file stays locked for other processes until ``close()`` or the end of the store's life.
    ///
    /// Blocks while it works; call it at start.
    ///
    /// - Parameter migration: The last migration to apply, for tests of those that follow it; nil applies all.
    package convenience init(path: String, upTo migration: String? = nil) throws(SQLiteStoreOpenError) {
        let path = DatabaseFile.canonical(path)
        let file = try DatabaseFile(path: path)
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            // GRDB sets NORMAL after it has prepared a pool's writer; that could lose the last commits with the power. The writer
            // changes pages all over the file, so it keeps 8 MiB of them at hand.
            try pool.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192")
            }
            try Self.migrate(pool, path: path, upTo: migration)
            self.init(pool, isInMemory: false, file: file)
        } catch {
            throw Self.openError(error, path: path)
        }
    }

    /// Opens a database that a server may be using at the same time: takes no lock on the file, and makes and changes no table.
    /// For commands that read, or write a line; their transactions wait for the server's and the reverse.
    package convenience init(beside path: String) throws(SQLiteStoreOpenError) {
        let path = DatabaseFile.canonical(path)
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let migrator = Self.migrator
            try pool.read { db in
                try Self.inspect(db, migrator, path: path)
                guard try migrator.hasCompletedMigrations(db) else {
                    throw SQLiteStoreOpenError.olderSchema(path: path)
                }
            }
            self.init(pool, isInMemory: false, file: nil)
        } catch {
            throw Self.openError(error, path: path)
        }
    }

    /// A database in memory, gone with the store: the fast one, for tests and trials.
    package static func inMemory() throws(SQLiteStoreOpenError) -> SQLiteStore {
        do {
            let database = try DatabaseQueue(configuration: configuration)
            try template.get().backup(to: database)
            return SQLiteStore(database, isInMemory: true, file: nil)
        } catch {
            throw openError(error, path: ":memory:")
        }
    }

    /// What databases in memory begin as: to copy one is quicker than to make its tables.
    private static let template = Result {
        let database = try DatabaseQueue(configuration: configuration)
        try migrate(database, path: ":memory:")
        return database
    }

    private init(_ database: any DatabaseWriter, isInMemory: Bool, file: DatabaseFile?) {
        self.database = database
        self.isInMemory = isInMemory
        self.file = file
        writer = GroupCommitWriter(database)
    }

    private static func migrate(
        _ database: any DatabaseWriter, path: String, upTo migration: String? = nil
    ) throws {
        let all = migrator
        try database.read { try inspect($0, all, path: path) }
        if let migration { try all.migrate(database, upTo: migration) } else { try all.migrate(database) }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for change in Migration.all {
            migrator.registerMigration(change.name) { try $0.execute(sql: change.sqlite) }
        }
        return migrator
    }

    /// Refuses what this program has not written, or a newer version of it.
    private static func inspect(_ db: Database, _ migrator: DatabaseMigrator, path: String) throws {
        if try migrator.hasBeenSuperseded(db) { throw SQLiteStoreOpenError.newerSchema(path: path) }
        let isEmpty = try Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema") == nil
        if try !isEmpty && !db.tableExists("grdb_migrations") {
            throw SQLiteStoreOpenError.notADatabase(path: path)
        }
    }

    /// Closes the database and unlocks the file; call it when nobody uses the store any more. Whatever is called later throws
    /// ``StoreError/unavailable(_:)``.
    package func close() async throws(StoreError) {
        do {
            // The barrier lets everything end that was queued before.
            try await database.barrierWriteWithoutTransaction { _ in }
            try database.close()
        } catch {
            throw StoreError(error)
        }
        file?.release()
    }

    /// Moves the write-ahead log into the file and empties it, so that wiped content is gone from both. Does what it can
    /// while readers are at work; the next call does the rest.
    package func checkpoint() async throws(StoreError) {
        do {
            try await database.writeWithoutTransaction { db in
                // Without patience: a backup may read for minutes, and all writers would wait for it.
                try db.execute(sql: "PRAGMA busy_timeout = 0")
                let result = Result { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
                try db.execute(sql: "PRAGMA busy_timeout = 5000")
                try result.get()
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// How many transactions were committed so far; group commit makes it fewer than the changes.
    package var commitCount: Int { writer.commitCount }

    /// How many changes wait for the next transaction at this moment.
    package var waitingCount: Int { writer.waitingCount }

    /// Runs one statement as it is, past the ports, and returns its rows as text, nil for NULL and hexadecimal for blobs.
    /// For tests and for looking into a database by hand; `sql` must be fixed text.
    ///
    /// - Parameter reader: Whether to use a connection of the readers instead of the writer's.
    package func unsafeSQL(_ sql: String, reader: Bool = false) async throws(StoreError) -> [[String?]] {
        let work: @Sendable (Database) throws -> [[String?]] = { db in
            try Row.fetchAll(db.cachedStatement(sql: sql)).map { row in row.databaseValues.map(Self.text) }
        }
        do {
            return try await reader ? database.unsafeRead(work) : database.writeWithoutTransaction(work)
        } catch {
            throw StoreError(error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = ProcessInfo.processInfo.activeProcessorCount + 4
        configuration.prepareDatabase { db in
            // The patience is set here because GRDB gives a pool's readers another one than `busyMode` says.
            try db.execute(
                sql: "PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    private static func openError(_ error: any Error, path: String) -> SQLiteStoreOpenError {
        switch error {
        case let error as SQLiteStoreOpenError: error
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: .notADatabase(path: path)
        case let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode):
            .lockedByAnotherProcess(path: path)
        default: .unreadable(path: path, reason: SQLiteFailure(error).description)
        }
    }

    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64(let integer): String(integer)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let bytes): bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        }
    }
}

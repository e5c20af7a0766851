import GRDB
import GRDBSQLite
package import IdentityEngine
import IdentityStoreSQL
import PortableFoundation

/// All stores of the engine in one SQLite database: a file, or memory.
///
/// Write-ahead log, `synchronous=FULL`, foreign keys on, a busy timeout of five seconds for other programs that read
/// the file, and deleted content overwritten with zeros (`REL-TX-2`, `SEC-SEC-2`). One writer groups all changes; reads
/// run in parallel on their own connections (file) or between its batches (memory).
package final class SQLiteStore: Sendable {
    let database: any DatabaseWriter
    let writer: GroupCommitWriter
    private let file: DatabaseFile?
    /// Nil for a database in memory, which has one connection.
    let readers: ReadConnections?

    /// Opens the database at `path`, and creates folder (0700), file (0600) and tables if they are missing.
    ///
    /// The file stays locked for other processes until ``close()`` or the store's deallocation.
    ///
    /// Blocks while it works; call it at start.
    ///
    /// - Parameter migration: The last migration to apply, for tests of later migrations; nil applies all.
    package convenience init(path: String, upTo migration: String? = nil) throws(SQLiteStoreOpenError) {
        let path = DatabaseFile.canonical(path)
        let file = try DatabaseFile(path: path)
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            // GRDB sets NORMAL after it has prepared a pool's writer, which could lose the last commits in a power
            // failure. The writer changes pages all over the file, so it caches 8 MiB of them.
            try pool.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192")
            }
            try Self.migrate(pool, path: path, upTo: migration)
            // A savepoint keeps the earlier content of each page that its change touches: by default in a file, which
            // took two of three write calls of a sign-up. Set after the migrations, whose new indexes may be large. A
            // statement that changes very many rows, as after a long stop with many mails, keeps their pages in memory.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
            self.init(pool, path: path, file: file)
        } catch {
            throw Self.openError(error, path: path)
        }
    }

    /// Opens a database that a server may be using: takes no lock on the file, and creates and changes no table. For
    /// commands that read or write a line; their transactions and the server's wait for each other.
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
            self.init(pool, path: path, file: nil)
        } catch {
            throw Self.openError(error, path: path)
        }
    }

    /// A database in memory, which ends with the store: fast, for tests and trials.
    package static func inMemory() throws(SQLiteStoreOpenError) -> SQLiteStore {
        do {
            let database = try DatabaseQueue(configuration: configuration)
            try template.get().backup(to: database)
            try database.inDatabase { db in
                // GRDB notes the tables and columns of each statement, for observers; there are none, and that takes
                // nearly half of the time to prepare a statement.
                sqlite3_set_authorizer(db.sqliteConnection, nil, nil)
                // Reads the schema now, and not with the first step.
                _ = try db.makeStatement(sql: "SELECT 1 FROM users")
            }
            return SQLiteStore(database, path: nil, file: nil)
        } catch {
            throw openError(error, path: ":memory:")
        }
    }

    /// The initial content of databases in memory: copying it is faster than creating the tables.
    private static let template = Result {
        let database = try DatabaseQueue(configuration: configuration)
        try migrate(database, path: ":memory:")
        return database
    }

    /// - Parameter path: Nil for a database in memory.
    private init(_ database: any DatabaseWriter, path: String?, file: DatabaseFile?) {
        self.database = database
        readers = path.map { ReadConnections(path: $0, configuration: Self.configuration) }
        self.file = file
        writer = GroupCommitWriter(database, isInMemory: path == nil)
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

    /// Refuses a database of another program, or of a newer version of this one.
    private static func inspect(_ db: Database, _ migrator: DatabaseMigrator, path: String) throws {
        if try migrator.hasBeenSuperseded(db) { throw SQLiteStoreOpenError.newerSchema(path: path) }
        let isEmpty = try Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema") == nil
        if try !isEmpty && !db.tableExists("grdb_migrations") {
            throw SQLiteStoreOpenError.notADatabase(path: path)
        }
    }

    /// Closes the database and unlocks the file; call it after the last use of the store. Later calls throw
    /// ``StoreError/unavailable(_:)``.
    package func close() async throws(StoreError) {
        do {
            // The barrier waits for everything that was queued before.
            try await database.barrierWriteWithoutTransaction { _ in }
            readers?.close()
            do {
                try await checkpoint()
            } catch {
                // Content that was deleted in the last minute stays in the log until the next start.
            }
            try database.close()
        } catch {
            throw StoreError(error)
        }
        file?.release()
    }

    /// Moves the write-ahead log into the file and empties it, so that wiped content is gone from both. While readers
    /// are active it does as much as possible; the next call does the rest.
    package func checkpoint() async throws(StoreError) {
        do {
            try await database.writeWithoutTransaction { db in
                // Without a busy timeout: a backup may read for minutes, and all writers would wait for it.
                try db.execute(sql: "PRAGMA busy_timeout = 0")
                let result = Result { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
                try db.execute(sql: "PRAGMA busy_timeout = 5000")
                try result.get()
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// The number of committed transactions; group commit makes it smaller than the number of changes.
    package var commitCount: Int { writer.commitCount }

    /// The number of changes that wait for the next transaction.
    package var waitingCount: Int { writer.waitingCount }

    /// Runs one statement without the ports, and returns its rows as text, nil for NULL and hexadecimal for blobs. For
    /// tests and manual inspection; `sql` must be fixed text.
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
            // The busy timeout is set here because GRDB gives a pool's readers another one than `busyMode` states.
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

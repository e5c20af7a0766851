import Crypto
import Foundation
import GRDBSQLite
import NIOCore
import Synchronization

/// One SQLite database by its C interface: one writing thread, and a reading connection for each loop.
final class SQLiteFloorStore: FloorStore {
    private let queue = WorkQueue<WriteJob>()

    init(path: String, auditKey: SymmetricKey, loops: [any EventLoop]) throws {
        let writer = Mutex<SQLiteWriter?>(try SQLiteWriter(path: path, auditKey: auditKey))
        let (queue, completions) = (queue, Completions(loops: loops))
        Thread.detachNewThread {
            guard let writer = writer.withLock({ $0.take() }) else { return }
            while true {
                let jobs = queue.next()
                let refused = writer.commit(jobs)
                completions.send(jobs) { !refused.contains($0) }
            }
        }
    }

    func write(_ job: WriteJob) { queue.add(job) }

    func ask(_ question: Question, on loop: FloorLoop, _ then: @escaping (Answer) -> Void) {
        then(loop.reader?.answer(question) ?? .nothing)
    }
}

/// A connection. Used by one thread at a time.
final class SQLiteConnection {
    let database: OpaquePointer

    init(path: String) throws {
        var database: OpaquePointer?
        let status = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard status == SQLITE_OK, let database else { throw FloorFailure("\(path) cannot be opened: \(status)") }
        self.database = database
        // The settings of the server's connections.
        try execute(
            """
            PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;
            PRAGMA secure_delete = ON; PRAGMA cache_size = -8192
            """)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(of: sql) }
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard
            sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure(of: sql) }
        return statement
    }

    func failure(of sql: String) -> FloorFailure {
        FloorFailure("\(String(cString: sqlite3_errmsg(database))): \(sql)")
    }

    /// The first row of a query, as text; empty when there is none.
    func row(_ sql: String) throws -> [String?] {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return [] }
        return (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) }
        }
    }
}

/// Runs the steps' rows, and commits those of all waiting callers at once. Used by the writing thread alone.
private final class SQLiteWriter {
    /// The written tables with the numbers of their columns and indexes: while these stay, the floor does the server's work.
    private static let tables = [
        ("users", 15, 6), ("identifiers", 7, 2), ("flows", 14, 4), ("replays", 5, 2), ("outbox", 12, 7),
        ("refresh_families", 25, 4), ("audit", 12, 4), ("audit_heads", 7, 1),
    ]

    private let connection: SQLiteConnection
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let head: OpaquePointer
    /// By ``Statement``.
    private let statements: [OpaquePointer]
    private var chain: AuditChain

    init(path: String, auditKey: SymmetricKey) throws {
        let connection = try SQLiteConnection(path: path)
        self.connection = connection
        for (table, columns, indexes) in Self.tables {
            let found = try connection.row(
                """
                SELECT (SELECT count(*) FROM pragma_table_info('\(table)')),
                    (SELECT count(*) FROM pragma_index_list('\(table)'))
                """)
            guard found == ["\(columns)", "\(indexes)"] else {
                throw FloorFailure(
                    "\(table) has \(found) columns and indexes, not \(columns) and \(indexes): see what the server writes now."
                )
            }
        }
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        head = try connection.prepare(
            """
            INSERT INTO audit_heads (tenant, position, seal, anchor) VALUES (?, ?, ?, ?) ON CONFLICT (tenant) DO UPDATE
            SET position = excluded.position, seal = excluded.seal, anchor = excluded.anchor
            """)
        statements = try Statement.allCases.map { try connection.prepare($0.sql) }
        let position = try connection.row("SELECT max(position) FROM audit").first ?? nil
        chain = AuditChain(key: auditKey, position: position.flatMap { Int64($0) } ?? 0)
    }

    /// - Returns: The numbers of the jobs that were refused: all of them when nothing could be committed.
    func commit(_ jobs: [WriteJob]) -> Set<Int> {
        var refused: Set<Int> = []
        let old = chain
        guard run(begin) else { return Set(jobs.indices) }
        for (number, job) in jobs.enumerated() {
            switch write(job.rows) {
            case .written: break
            case .refused: refused.insert(number)
            case .broken:
                sqlite3_exec(connection.database, "ROLLBACK", nil, nil, nil)
                chain = old
                return Set(jobs.indices)
            }
        }
        guard chain.position == old.position || writeHead(), run(commit) else {
            sqlite3_exec(connection.database, "ROLLBACK", nil, nil, nil)
            chain = old
            return Set(jobs.indices)
        }
        return refused
    }

    private func writeHead() -> Bool {
        let (seal, anchor) = (chain.seal, chain.anchor)
        return FloorLoop.tenant.withUnsafeBytes { tenant in
            seal.withUnsafeBytes { seal in
                anchor.withUnsafeBytes { anchor in
                    bind(tenant, to: head, at: 1)
                    sqlite3_bind_int64(head, 2, chain.position)
                    bind(seal, to: head, at: 3)
                    bind(anchor, to: head, at: 4)
                    return run(head)
                }
            }
        }
    }

    private enum Written {
        case written
        /// A condition was not met, before anything was written.
        case refused
        /// Something was written, or the database has failed.
        case broken
    }

    private func write(_ rows: StepRows) -> Written {
        rows.encoded.withUnsafeBytes { bytes in
            var position = 0
            var hasWritten = false
            while position < bytes.count {
                guard let kind = Statement(rawValue: bytes[position] - StepRows.Tag.statement) else { return .broken }
                let statement = statements[Int(kind.rawValue)]
                let start = position + 1
                position = bindValues(of: bytes, from: start, to: statement)
                let isMet =
                    if kind == .insertAudit {
                        runSealed(statement, line: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                    } else {
                        isMet(kind, statement)
                    }
                guard isMet else { return hasWritten ? .broken : .refused }
                if kind.expected == .anything || kind.expected == .oneChange { hasWritten = true }
            }
            return .written
        }
    }

    /// - Returns: The position of the next statement.
    private func bindValues(of bytes: UnsafeRawBufferPointer, from start: Int, to statement: OpaquePointer) -> Int {
        var position = start
        var index: CInt = 0
        while position < bytes.count, bytes[position] < StepRows.Tag.statement {
            index += 1
            switch bytes[position] {
            case StepRows.Tag.null:
                sqlite3_bind_null(statement, index)
                position += 1
            case StepRows.Tag.integer:
                let number = bytes.loadUnaligned(fromByteOffset: position + 1, as: Int64.self)
                sqlite3_bind_int64(statement, index, Int64(bigEndian: number))
                position += 9
            case let tag:
                let length = Int(bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self))
                let value = UnsafeRawBufferPointer(rebasing: bytes[(position + 5)..<(position + 5 + length)])
                if tag == StepRows.Tag.text {
                    let text = value.bindMemory(to: CChar.self)
                    sqlite3_bind_text(statement, index, text.baseAddress, CInt(length), nil)
                } else {
                    bind(value, to: statement, at: index)
                }
                position += 5 + length
            }
        }
        return position
    }

    /// Inserts a line of audit with its place in the chain, the last two values.
    private func runSealed(_ statement: OpaquePointer, line: UnsafeRawBufferPointer) -> Bool {
        chain.append(line)
        return chain.seal.withUnsafeBytes { seal in
            sqlite3_bind_int64(statement, 10, chain.position)
            bind(seal, to: statement, at: 11)
            return run(statement)
        }
    }

    private func isMet(_ kind: Statement, _ statement: OpaquePointer) -> Bool {
        let status = sqlite3_step(statement)
        sqlite3_reset(statement)
        return switch kind.expected {
        case .noRow: status == SQLITE_DONE
        case .oneRow: status == SQLITE_ROW
        case .oneChange: status == SQLITE_DONE && sqlite3_changes(connection.database) == 1
        case .anything: status == SQLITE_DONE
        }
    }

    private func run(_ statement: OpaquePointer) -> Bool {
        let status = sqlite3_step(statement)
        sqlite3_reset(statement)
        return status == SQLITE_DONE
    }
}

/// Binds bytes that outlive the step.
private func bind(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: CInt) {
    sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), nil)
}

/// A loop's connection for reads.
final class SQLiteReader {
    private let nameIsFree: OpaquePointer
    private let accountOfName: OpaquePointer
    private let accountOfID: OpaquePointer
    private let family: OpaquePointer

    init(path: String) throws {
        let connection = try SQLiteConnection(path: path)
        nameIsFree = try connection.prepare(Question.nameIsFreeSQL)
        accountOfName = try connection.prepare(Question.accountOfNameSQL)
        accountOfID = try connection.prepare(Question.accountOfIDSQL)
        family = try connection.prepare(Question.familySQL)
    }

    func answer(_ question: Question) -> Answer {
        switch question {
        case .nameIsFree(let name, let mark):
            step(nameIsFree, [name, mark]) { _ in .taken }
        case .account(let name): step(accountOfName, [name], account)
        case .accountOfID(let id): step(accountOfID, [id], account)
        case .family(let id):
            step(family, [id]) { row in
                .family(
                    Family(
                        user: bytes(row, 0), client: bytes(row, 1), authenticatedAt: sqlite3_column_int64(row, 2),
                        expiresAt: sqlite3_column_int64(row, 3), tokenDigest: bytes(row, 4), methods: bytes(row, 5)))
            }
        }
    }

    private func account(_ row: OpaquePointer) -> Answer {
        .account(
            id: bytes(row, 0), credentialVersion: sqlite3_column_int64(row, 1), passwordHash: bytes(row, 2),
            name: bytes(row, 3))
    }

    private func step(
        _ statement: OpaquePointer, _ values: [[UInt8]], _ answer: (OpaquePointer) -> Answer
    ) -> Answer {
        func bindRest(_ index: Int) -> Answer {
            guard index < values.count else {
                defer { sqlite3_reset(statement) }
                return sqlite3_step(statement) == SQLITE_ROW ? answer(statement) : .nothing
            }
            return values[index].withUnsafeBytes { value in
                bind(value, to: statement, at: CInt(index + 2))
                return bindRest(index + 1)
            }
        }
        return FloorLoop.tenant.withUnsafeBytes { tenant in
            bind(tenant, to: statement, at: 1)
            return bindRest(0)
        }
    }

    /// A column's bytes; of a text, too.
    private func bytes(_ row: OpaquePointer, _ column: CInt) -> [UInt8] {
        guard let start = sqlite3_column_blob(row, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column))))
    }
}

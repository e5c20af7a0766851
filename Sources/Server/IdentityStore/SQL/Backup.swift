package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

/// The contents of a backup: the permanent data, row by row, in a form that is independent of the database, so that a
/// backup of either database can be restored into the other.
package struct BackupContents: Codable, Hashable, Sendable {
    /// When the backup was made; it contains no later changes.
    package var madeAt: Date
    /// The name of the last migration of the database.
    package var schema: String
    /// The number of rows of each table in the backup.
    package var rows: [String: Int] = [:]
    /// The number of rows of the tables that a restore empties.
    package var leftOut: [String: Int] = [:]

    /// The number of rows of `table`, backed up or left out.
    package func count(_ table: String) -> Int { rows[table] ?? leftOut[table] ?? 0 }
}

/// Why a backup could not be made or restored. Each description is a sentence.
package enum BackupError: Error, Equatable, CustomStringConvertible {
    /// The file is intact, but its contents are not those of a backup.
    case malformed
    /// A newer version of this program made the backup.
    case newerSchema
    /// The database to restore into is not empty.
    case notEmpty(table: String)
    /// The database to restore into has another schema version than the backup.
    case otherSchema
    /// The database has a table that backups neither keep nor leave out.
    case unknownTable(String)

    package var description: String {
        switch self {
        case .malformed: "The contents of the backup are malformed."
        case .newerSchema: "The backup was made by a newer version of this program."
        case .notEmpty(let table): "The database is not empty (\(table)); a backup is restored into a new one only."
        case .otherSchema:
            "The database has tables of another version than the backup; a backup is restored into a new one only."
        case .unknownTable(let table): "The database has a table \(table), which this version does not know."
        }
    }
}

/// The tables of the database, as backups see them.
package enum BackupTables {
    /// The tables that a backup keeps, in an order in which rows can be inserted, with their sort columns.
    package static let kept = [
        ("users", "tenant, id"), ("identifiers", "tenant, key"), ("attributes", #"tenant, "user", name"#),
        ("strong_methods", #"tenant, "user", id"#), ("known_networks", #"tenant, "user", network"#),
        ("texts", "tenant, id"), ("text_days", "tenant, day, area"), ("text_pauses", "tenant, area"),
        (sessions, "tenant, id"), ("lockouts", "tenant, subject"), ("counted_events", "tenant, subject, event, at"),
        ("signing_keys", "tenant, kid"), ("audit", "tenant, seq"), ("audit_heads", "tenant"),
        ("held_names", "tenant, mark"), ("email_undos", "tenant, code_digest"), ("deletions", "tenant, mark"),
        ("used_assertions", "tenant, mark"), ("notifications", "tenant, subscriber"),
        ("user_groups", "tenant, id"), ("group_members", #"tenant, group_id, "user""#),
        ("operators", #"tenant, "user""#), ("operator_rules", "tenant"),
        ("activity", "tenant, resolution, start, kind"),
        ("revocations", "tenant, method"), ("tenant_documents", "version"), ("data_keys", "generation, master_key"),
        ("profile_mark", "id"),
    ]
    /// The tables that a restore empties, because it is unknown how often their codes and tokens were used, or what was ended, after the
    /// backup (`REL-BAK-3`).
    package static let leftOut = [
        "flows", "replays", "outbox", "restores", "operator_invitations", "operator_sessions", "imports",
        "browser_sessions", "presented_codes", "devices", "pushed_requests", "logouts", "consents",
        "identity_names", "remembered_devices", "operator_requests",
    ]
    /// The tables with rows before the first user.
    static let own: Set<String> = ["write_probe", "grdb_migrations", "schema_migrations"]
    package static let sessions = "refresh_families"
    /// The columns whose numbers the database assigns.
    static let drawn = ["audit": "seq"]
}

extension SQLStore {
    /// The value that distinguishes this database from the one that it was restored from; empty when it was not
    /// restored.
    package func epoch() async throws(StoreError) -> Data {
        try await read { session in
            try session.rows(of: "restores", "SELECT id FROM restores", []).get().first?.value("id") ?? Data()
        }
    }

    /// Writes a backup of one consistent state of the database, while servers continue to work (`REL-BAK-1`).
    ///
    /// - Parameter open: Begins the file.
    /// - Throws: ``StoreError/unavailable(_:)`` with a ``BackupError`` or a ``SealedStreamError``, or an error of the
    ///   database.
    package func backUp(
        now: Date, into open: @escaping @Sendable () throws(SealedStreamError) -> SealedWriter
    ) async throws(StoreError) -> BackupContents {
        try await longRead { session in
            var file = BackupWriter(try open())
            var contents = BackupContents(madeAt: now, schema: try session.schema())
            try file.begin(contents)
            for table in try session.tables() where !BackupTables.own.contains(table) {
                guard BackupTables.kept.contains(where: { $0.0 == table }) || BackupTables.leftOut.contains(table)
                else { throw BackupError.unknownTable(table) }
            }
            for (table, order) in BackupTables.kept {
                var count = 0
                try session.stream("SELECT * FROM \(table) ORDER BY \(order)") { portion in
                    if count == 0 { try file.begin(table, portion.columns) }
                    count += portion.rows.count
                    for row in portion.rows { try file.append(row) }
                }
                contents.rows[table] = count
            }
            for table in BackupTables.leftOut { contents.leftOut[table] = try session.count(table) }
            try file.end(contents)
            return contents
        }
    }

    /// Restores a backup into an empty database, completely or not at all.
    ///
    /// Everything is restored except data that would allow the reuse of codes or tokens that were used after the
    /// backup: running flows, codes, waiting mails, and, unless `keepingSessions`, refresh tokens (`REL-BAK-3`).
    ///
    /// - Parameters:
    ///   - epoch: Fresh and random; flow tokens that were sealed under another epoch no longer open.
    ///   - open: Opens the file at its beginning; may be called more than once.
    /// - Returns: The contents of the backup.
    /// - Throws: The errors of ``backUp(now:into:)``; nothing was changed then.
    package func restore(
        now: Date, epoch: UUID, keepingSessions: Bool,
        from open: @escaping @Sendable () throws(SealedStreamError) -> SealedReader
    ) async throws(StoreError) -> BackupContents {
        try await longWrite { session in
            for table in try session.tables() where !BackupTables.own.contains(table) {
                guard try session.count(table) == 0 else { throw BackupError.notEmpty(table: table) }
            }
            var file = BackupReader(try open())
            let begun = try file.begin()
            guard try session.schema() == begun.schema else { throw BackupError.otherSchema }
            var insertion: RowInsertion?
            let contents = try file.rows(
                onTable: { table, columns in
                    try insertion?.flush(session)
                    let isWanted = table != BackupTables.sessions || keepingSessions
                    insertion = isWanted ? RowInsertion(table, columns) : nil
                },
                onRow: { row in try insertion?.append(row, session) })
            try insertion?.flush(session)
            try session.run(
                "INSERT INTO restores (id, backup_made_at, restored_at) VALUES (?, ?, ?)",
                [epoch, contents.madeAt, now])
            // Use only columns that every version has: a backup of an older version is restored into the tables of its
            // time.
            let line = "INSERT INTO audit (tenant, kind, at, detail) VALUES (?, ?, ?, ?)"
            let detail = "backup \(Int(contents.madeAt.timeIntervalSince1970))"
            for tenant in try session.tenants() {
                try session.run(line, [tenant, AuditEvent.Kind.restoreDone, now, detail])
            }
            return contents
        }
    }

    /// Writes an audit line for each tenant of the database.
    package func recordForAllTenants(_ kind: AuditEvent.Kind, at now: Date, detail: String) async throws(StoreError) {
        try await write([]) { session in
            for tenant in try session.tenants() {
                try session.insert(AuditEvent(kind, at: now, tenant: tenant, detail: detail))
            }
        }
    }
}

extension SealedReader {
    /// Reads a backup to its end, checks every byte, and returns its contents.
    package consuming func backupContents() throws -> BackupContents {
        var file = BackupReader(self)
        let begun = try file.begin()
        let contents = try file.rows(onTable: { _, _ in }, onRow: { _ in })
        guard begun.schema == contents.schema, begun.madeAt == contents.madeAt else { throw BackupError.malformed }
        guard Migration.all.contains(where: { $0.name == contents.schema }) else { throw BackupError.newerSchema }
        return contents
    }
}

extension SQLSession {
    fileprivate func tables() throws -> [String] {
        try rows(of: "tables", dialect.tableNames, []).get().map { try $0.value("name") }
    }

    fileprivate func count(_ table: String) throws -> Int {
        try rows(of: table, "SELECT COUNT(*) AS count FROM \(table)", []).get().first?.value("count") ?? 0
    }

    /// The name of the last migration that was applied.
    fileprivate func schema() throws -> String {
        try rows(of: "migrations", dialect.migrationNames, []).get().map { try $0.value("name") }.max() ?? ""
    }

    /// The tenants that have a signing key, which a server may still be making, or a line in the audit trail.
    func tenants() throws -> [TenantID] {
        try rows(
            of: "audit",
            """
            SELECT tenant FROM signing_keys UNION SELECT tenant FROM audit_heads
            UNION SELECT tenant FROM audit WHERE position IS NULL
            """, []
        ).get().map { try $0.value("tenant") }
    }
}

/// Inserts many rows with few statements.
struct RowInsertion {
    /// The number of rows of a statement; SQLite allows 32 766 values in one.
    private static let portion = 100

    private let table: String
    private let columns: [String]
    /// The position of the column that is left out.
    private let drawn: Int?
    private var values: [SQLValue] = []
    private var count = 0

    init(_ table: String, _ columns: [String]) {
        self.table = table
        drawn = BackupTables.drawn[table].flatMap { columns.firstIndex(of: $0) }
        self.columns = columns
    }

    mutating func append(_ row: [SQLValue], _ session: any SQLSession) throws {
        guard row.count == columns.count else { throw BackupError.malformed }
        values += row
        if let drawn { values.remove(at: values.count - row.count + drawn) }
        count += 1
        if count == Self.portion { try flush(session) }
    }

    /// How many of `count` rows one statement takes: few lengths, because each statement stays prepared.
    static func length(of count: Int) -> Int { count >= portion ? portion : count >= 25 ? 25 : count >= 5 ? 5 : 1 }

    mutating func flush(_ session: any SQLSession) throws {
        let names = columns.indices.filter { $0 != drawn }.map { "\"\(columns[$0])\"" }
        let row = "(\(repeatElement("?", count: names.count).joined(separator: ", ")))"
        while count > 0 {
            let length = Self.length(of: count)
            let rows = repeatElement(row, count: length).joined(separator: ", ")
            let inserted = try session.change(
                "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES \(rows)",
                Array(values.prefix(length * names.count)))
            guard inserted == length else { throw RowLost() }
            values.removeFirst(length * names.count)
            count -= length
        }
    }
}

/// The records of a backup, each a letter and its content; every text and every list is prefixed with its length: `M`
/// contents as JSON (only the second one, at the end, has counts), `T` table and columns, `R` a row of that table.
private enum BackupRecord {
    static let contents = UInt8(ascii: "M")
    static let table = UInt8(ascii: "T")
    static let row = UInt8(ascii: "R")
    /// The largest length, so that a file that is not a backup does not fill the memory.
    static let longest = 1 << 28

    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let text: UInt8 = 2
    static let bytes: UInt8 = 3
}

private struct BackupWriter {
    private var file: SealedWriter
    private var waiting = Data()

    init(_ file: SealedWriter) {
        self.file = file
    }

    mutating func begin(_ contents: BackupContents) throws {
        waiting.append(BackupRecord.contents)
        append(try JSONEncoder().encode(contents))
        try flush()
    }

    mutating func begin(_ table: String, _ columns: [String]) throws {
        waiting.append(BackupRecord.table)
        append(Data(table.utf8))
        append(columns.count)
        for column in columns { append(Data(column.utf8)) }
        try flush()
    }

    mutating func append(_ row: [SQLValue]) throws {
        waiting.append(BackupRecord.row)
        for value in row {
            switch value {
            case .null: waiting.append(BackupRecord.null)
            case .integer(let integer):
                waiting.append(BackupRecord.integer)
                withUnsafeBytes(of: integer.bigEndian) { waiting.append(contentsOf: $0) }
            case .text(let text):
                waiting.append(BackupRecord.text)
                append(Data(text.utf8))
            case .bytes(let bytes):
                waiting.append(BackupRecord.bytes)
                append(bytes)
            }
        }
        if waiting.count > 60_000 { try flush() }
    }

    mutating func end(_ contents: BackupContents) throws {
        try begin(contents)
        try file.finish()
    }

    private mutating func append(_ length: Int) {
        withUnsafeBytes(of: UInt32(length).bigEndian) { waiting.append(contentsOf: $0) }
    }

    private mutating func append(_ bytes: Data) {
        append(bytes.count)
        waiting.append(bytes)
    }

    private mutating func flush() throws {
        try file.write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }
}

private struct BackupReader {
    private var file: SealedReader

    init(_ file: SealedReader) {
        self.file = file
    }

    /// Reads the records before the rows.
    mutating func begin() throws -> BackupContents {
        guard try file.read(1) == [BackupRecord.contents] else { throw BackupError.malformed }
        return try contents()
    }

    /// Reads all rows and the records after them, which must match.
    mutating func rows(
        onTable: (String, [String]) throws -> Void, onRow: ([SQLValue]) throws -> Void
    ) throws -> BackupContents {
        var counts: [String: Int] = [:]
        var current: (table: String, width: Int)?
        while true {
            switch try file.read(1)[0] {
            case BackupRecord.table:
                let table = try text()
                guard BackupTables.kept.contains(where: { $0.0 == table }), counts[table] == nil else {
                    throw BackupError.malformed
                }
                let width = try length()
                var columns: [String] = []
                for _ in 0..<width { columns.append(try name()) }
                current = (table, width)
                counts[table] = 0
                try onTable(table, columns)
            case BackupRecord.row:
                guard let current else { throw BackupError.malformed }
                var row: [SQLValue] = []
                row.reserveCapacity(current.width)
                for _ in 0..<current.width { row.append(try value()) }
                counts[current.table, default: 0] += 1
                try onRow(row)
            case BackupRecord.contents:
                let contents = try contents()
                guard contents.rows.filter({ $0.value > 0 }) == counts else { throw BackupError.malformed }
                try file.expectEnd()
                return contents
            case _: throw BackupError.malformed
            }
        }
    }

    private mutating func contents() throws -> BackupContents {
        let json = Data(try file.read(try length()))
        do {
            return try JSONDecoder().decode(BackupContents.self, from: json)
        } catch {
            throw BackupError.malformed
        }
    }

    private mutating func value() throws -> SQLValue {
        switch try file.read(1)[0] {
        case BackupRecord.null: .null
        case BackupRecord.integer:
            .integer(Int64(bitPattern: try file.read(8).reduce(0) { $0 << 8 | UInt64($1) }))
        case BackupRecord.text: .text(try text())
        case BackupRecord.bytes: .bytes(Data(try file.read(try length())))
        case _: throw BackupError.malformed
        }
    }

    private mutating func length() throws -> Int {
        let length = try file.read(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= BackupRecord.longest else { throw BackupError.malformed }
        return length
    }

    private mutating func text() throws -> String {
        String(decoding: try file.read(try length()), as: UTF8.self)
    }

    /// The name becomes part of a statement, so it must be a plain word.
    private mutating func name() throws -> String {
        let name = try text()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 == 0x5F || (0x61...0x7A).contains($0) }) else {
            throw BackupError.malformed
        }
        return name
    }
}

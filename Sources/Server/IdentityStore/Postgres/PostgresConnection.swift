import CLibPQ
import IdentityStoreSQL
import PortableFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One connection, using libpq in pipeline mode: statements are sent together and answered together. Used by one
/// thread.
final class PostgresConnection {
    /// The result of a statement.
    struct StatementResult {
        var rows: SQLRows
        /// The number of changed rows.
        var changed: Int
        /// The server's command tag, such as `COMMIT`.
        var tag: String
    }

    private let handle: OpaquePointer
    /// The names of the statements that the server has prepared.
    private var prepared: Set<String> = []
    /// The statements in PostgreSQL's syntax, by their text with question marks.
    private var statements: [String: Statement] = [:]
    private var expected: [Expectation] = []
    /// Whether answers were left unread, so that the connection cannot be used further.
    private var isOutOfStep = false
    /// Whether statements are prepared once and called by name; not possible behind a pooler without support for names.
    private let usesNames: Bool

    private struct Statement {
        let name: String
        let text: String
    }

    private enum Expectation {
        case preparation(name: String)
        case answer((StatementResult) throws -> Void)
    }

    /// Connects; blocks for a few seconds at most.
    init(_ place: PostgresEndpoint, usesNames: Bool) throws(PostgresFailure) {
        self.usesNames = usesNames
        guard let handle = place.connect() else { throw .disconnected }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw .disconnected }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw .disconnected }
    }

    deinit {
        PQfinish(handle)
    }

    /// The system's reason why ``init(_:usesNames:)`` would fail, for the operator who starts a server; nil when it
    /// would succeed.
    static func obstacle(to place: PostgresEndpoint) -> String? {
        guard let handle = place.connect() else { return "out of memory" }
        defer { PQfinish(handle) }
        guard PQstatus(handle) != CONNECTION_OK else { return nil }
        let words = String(cString: PQerrorMessage(handle))
        return words.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0.isWhitespace } }.joined(
            separator: "; ")
    }

    /// Adds a statement to the pipeline; the next ``flush(deadline:)`` calls `onAnswer`.
    func send(
        _ sql: String, _ values: [SQLValue], onAnswer: @escaping (StatementResult) throws -> Void
    ) throws(PostgresFailure) {
        try send(sql, PostgresParameters(values), onAnswer: onAnswer)
    }

    /// - Parameter isKept: Whether the statement is prepared for later calls, here and in the server.
    func send(
        _ sql: String, _ parameters: PostgresParameters, isKept: Bool = true,
        onAnswer: @escaping (StatementResult) throws -> Void
    ) throws(PostgresFailure) {
        let statement = statement(sql, isKept: isKept)
        let isSent: Bool
        if usesNames, isKept {
            if !prepared.contains(statement.name) {
                guard PQsendPrepare(handle, statement.name, statement.text, 0, nil) == 1 else { throw .disconnected }
                expected.append(.preparation(name: statement.name))
                prepared.insert(statement.name)
            }
            isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1) == 1
            }
        } else {
            isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(handle, statement.text, count, nil, values, lengths, formats, 1) == 1
            }
        }
        guard isSent else { throw .disconnected }
        expected.append(.answer(onAnswer))
    }

    /// Sends the pipeline and reads all answers. After the first refusal the server skips the rest.
    func flush(deadline: ContinuousClock.Instant) throws {
        guard !expected.isEmpty else { return }
        guard PQpipelineSync(handle) == 1 else { throw PostgresFailure.disconnected }
        try push(deadline)
        let waiting = expected
        expected = []
        isOutOfStep = true
        var failure: (any Error)?
        for expectation in waiting {
            guard let result = try nextResult(deadline) else { throw PostgresFailure.disconnected }
            defer { PQclear(result) }
            // The results of each command end with nil.
            guard try nextResult(deadline) == nil else { throw PostgresFailure.disconnected }
            let status = PQresultStatus(result)
            let isDone = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
            switch expectation {
            case .preparation(let name): if !isDone { prepared.remove(name) }
            case .answer: break
            }
            if failure != nil || status == PGRES_PIPELINE_ABORTED { continue }
            guard isDone else {
                failure = Self.failure(result, handle)
                continue
            }
            do {
                if case .answer(let onAnswer) = expectation { try onAnswer(Self.answer(result)) }
            } catch {
                failure = error
            }
        }
        guard let end = try nextResult(deadline) else { throw PostgresFailure.disconnected }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw PostgresFailure.disconnected }
        isOutOfStep = false
        if let failure { throw failure }
    }

    /// Rolls the open transaction back.
    ///
    /// - Throws: ``PostgresFailure`` when the connection is no longer usable.
    func rollback(deadline: ContinuousClock.Instant) throws {
        guard PQstatus(handle) == CONNECTION_OK, !isOutOfStep else { throw PostgresFailure.disconnected }
        // Statements in the pipeline cannot be withdrawn; their results are ignored.
        expected = expected.map { expectation in
            switch expectation {
            case .preparation: expectation
            case .answer: .answer { _ in }
            }
        }
        try send("ROLLBACK", []) { _ in }
        try flush(deadline: deadline)
    }

    /// Whether the connection is usable.
    var isSound: Bool { PQstatus(handle) == CONNECTION_OK && !isOutOfStep }

    // MARK: - The protocol

    private func push(_ deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                // The server may not read further until its output is read.
                try wait(Int16(POLLIN) | Int16(POLLOUT), deadline)
                guard PQconsumeInput(handle) == 1 else { throw .disconnected }
            case _: throw .disconnected
            }
        }
    }

    private func nextResult(_ deadline: ContinuousClock.Instant) throws(PostgresFailure) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(Int16(POLLIN), deadline)
            guard PQconsumeInput(handle) == 1 else { throw .disconnected }
        }
        return PQgetResult(handle)
    }

    private func wait(_ events: Int16, _ deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { throw .timedOut }
            guard PQsocket(handle) >= 0 else { throw .disconnected }
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let count = poll(&descriptor, 1, Int32(left.rounded(.up)))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .disconnected }
        }
    }

    private func statement(_ sql: String, isKept: Bool) -> Statement {
        if let known = statements[sql] { return known }
        var text = ""
        var number = 0
        for character in sql {
            if character == "?" {
                number += 1
                text += "$\(number)"
            } else {
                text.append(character)
            }
        }
        // The name derives from the text, so that behind a pooler, where connections are shared, one name never means
        // two statements.
        let statement = Statement(name: "s\(String(fingerprint(Data(text.utf8)), radix: 16))", text: text)
        if isKept { statements[sql] = statement }
        return statement
    }

    private static func failure(_ result: OpaquePointer, _ handle: OpaquePointer) -> PostgresFailure {
        guard let field = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return .disconnected }
        let sqlState = String(cString: field)
        // Messages of class 22, data exceptions, quote the value in question.
        let sentence = sqlState.hasPrefix("22") ? nil : PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        return .refused(sqlState: sqlState, sentence: sentence.map { String(cString: $0) })
    }

    private static func answer(_ result: OpaquePointer) throws -> StatementResult {
        let columns = (0..<PQnfields(result)).map { String(cString: PQfname(result, $0)) }
        let rows = try (0..<PQntuples(result)).map { row in
            try (0..<PQnfields(result)).map { column in try value(result, row, column) }
        }
        return StatementResult(
            rows: SQLRows(columns: columns, rows: rows), changed: Int(String(cString: PQcmdTuples(result))) ?? 0,
            tag: String(cString: PQcmdStatus(result)))
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) throws -> SQLValue {
        if PQgetisnull(result, row, column) == 1 { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        switch PostgresType(rawValue: PQftype(result, column)) {
        case .bigint where bytes.count == 8:
            return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case .bytea: return .bytes(Data(bytes))
        case .text: return .text(String(decoding: bytes, as: UTF8.self))
        // The result of a lock.
        case .void: return .null
        case .bigint, nil: throw PostgresFailure.refused(sqlState: "42804")
        }
    }
}

/// The types of this schema's columns, by PostgreSQL's numbers.
private enum PostgresType: UInt32 {
    case bytea = 17
    case bigint = 20
    case text = 25
    case void = 2278
}

/// The values of a statement, in the binary formats of PostgreSQL's protocol.
struct PostgresParameters {
    private var values: [Data?]
    private var formats: [Int32]

    init(_ values: [SQLValue]) {
        formats = Array(repeating: 1, count: values.count)
        self.values = values.map { value in
            switch value {
            case .null: nil
            case .integer(let integer): withUnsafeBytes(of: integer.bigEndian) { Data($0) }
            case .text(let text): Data(text.utf8)
            case .bytes(let bytes): bytes
            }
        }
    }

    /// A single array of numbers, written as text.
    init(array: [Int64]) {
        values = [Data("{\(array.map(String.init).joined(separator: ","))}".utf8) + [0]]
        formats = [0]
    }

    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        // One buffer with all bytes, so that the pointers need no nesting. An empty value still has an address.
        var buffer = Data()
        for value in values { if let value { buffer += value } }
        buffer.append(0)
        let lengths = values.map { Int32($0?.count ?? 0) }
        return buffer.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { offset += value.count }
                return bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return body(Int32(values.count), pointers, lengths, formats)
        }
    }
}

/// FNV-1a, 64 bits: identifies statements and lock subjects. Two subjects with the same number only wait for each other
/// without need.
func fingerprint(_ bytes: Data) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}

/// A server setting that decides whether a commit survives a power failure.
struct SQLSettings {
    let name: String
    let value: String

    var isUnsafe: Bool { value == "off" }

    static let query = """
        SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')
        """

    static func all(_ rows: SQLRows) -> [SQLSettings] {
        rows.rows.compactMap { row in
            guard case .text(let name) = row[0], case .text(let value) = row[1] else { return nil }
            return SQLSettings(name: name, value: value)
        }
    }
}

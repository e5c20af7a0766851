import CLibPQ
import Crypto
import Dispatch
import Foundation
import NIOCore
import Synchronization

/// A PostgreSQL database by libpq in pipeline mode: two connections that write, one that reads, and one that seals the audit
/// trail, each with a thread of its own.
///
/// The rows of all waiting callers go in one pipeline and one transaction. Conditions that are not met are errors there
/// (a division by zero), so that a transaction needs one round trip.
final class PostgresFloorStore: FloorStore {
    private let writes = WorkQueue<WriteJob>()
    private let questions = WorkQueue<PostgresQuestion>()

    init(url: String, auditKey: SymmetricKey, loops: [any EventLoop]) throws {
        let (writes, questions, completions) = (writes, questions, Completions(loops: loops))
        for _ in 0..<2 {
            Self.onThread(try PostgresConnection(url: url, Statement.allCases.map(\.postgres))) { connection in
                while true {
                    let jobs = writes.next()
                    let refused = connection.commit(jobs)
                    completions.send(jobs) { !refused.contains($0) }
                }
            }
        }
        let queries = [
            Question.nameIsFreeSQL, Question.accountOfNameSQL, Question.accountOfIDSQL, Question.familySQL,
        ]
        Self.onThread(try PostgresConnection(url: url, queries.map { $0.replacing("?", with: "$") })) { connection in
            while true { connection.answer(questions.next()) }
        }
        Self.onThread(try PostgresSealer(url: url, key: auditKey)) { sealer in
            while true {
                // Half a second of lines at a time, as a server seals those of a second.
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(500))
                while sealer.seal() {}
            }
        }
    }

    func write(_ job: WriteJob) { writes.add(job) }

    func ask(_ question: Question, on loop: FloorLoop, _ then: @escaping (Answer) -> Void) {
        questions.add(
            PostgresQuestion(
                question: question, loop: loop.eventLoop, then: NIOLoopBound(then, eventLoop: loop.eventLoop)))
    }

    /// Hands `value` to a new thread, the only one that uses it from then on.
    private static func onThread<Value>(_ value: sending Value, _ work: @escaping @Sendable (Value) -> Void) {
        let handover = Mutex<Value?>(value)
        Thread.detachNewThread {
            if let value = handover.withLock({ $0.take() }) { work(value) }
        }
    }
}

struct PostgresQuestion: Sendable {
    let question: Question
    let loop: any EventLoop
    let then: NIOLoopBound<(Answer) -> Void>
}

extension Statement {
    /// In PostgreSQL's syntax. Its audit trail is sealed later, in a transaction of its own: a chain that is continued by
    /// each transaction would let them wait for each other.
    fileprivate var postgres: String {
        let sql =
            self == .insertAudit
            ? #"INSERT INTO audit (tenant, kind, at, client, flow, "user", detail, source, profile) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"#
            : sql
        var number = 0
        let numbered = sql.reduce(into: "") { text, character in
            guard character == "?" else { return text.append(character) }
            number += 1
            text += "$\(number)"
        }
        return switch expected {
        case .noRow: "SELECT 1 / (1 - count(*)) FROM (\(numbered)) AS found"
        case .oneRow: "SELECT 1 / count(*) FROM (\(numbered)) AS found"
        case .oneChange: "WITH changed AS (\(numbered) RETURNING 1) SELECT 1 / count(*) FROM changed"
        case .anything: numbered
        }
    }
}

/// A connection in pipeline mode with prepared statements, which are named by their numbers. Used by one thread at a time.
final class PostgresConnection {
    private let handle: OpaquePointer
    private let names: [[CChar]]
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [CInt] = []
    private let formats = [CInt](repeating: 1, count: 32)

    init(url: String, _ statements: [String]) throws {
        guard let handle = PQconnectdb(url), PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0,
            PQenterPipelineMode(handle) == 1
        else { throw FloorFailure("the database cannot be reached") }
        self.handle = handle
        names = statements.indices.map { "\($0)".utf8CString.map { $0 } }
        for (name, statement) in zip(names, statements) { PQsendPrepare(handle, name, statement, 0, nil) }
        guard synchronise(count: statements.count, { _, _ in }) else {
            throw FloorFailure("a statement cannot be prepared: \(String(cString: PQerrorMessage(handle)))")
        }
    }

    /// Writes the rows of all jobs in one transaction; if one of them is refused, each in its own.
    ///
    /// - Returns: The numbers of the refused jobs.
    func commit(_ jobs: [WriteJob]) -> Set<Int> {
        guard !commit(jobs[...]) else { return [] }
        guard jobs.count > 1 else { return [0] }
        return Set(jobs.indices.filter { !commit(jobs[$0...$0]) })
    }

    private func commit(_ jobs: ArraySlice<WriteJob>) -> Bool {
        // Without BEGIN: what stands before a synchronisation is one transaction.
        let count = jobs.reduce(0) { $0 + send($1.rows) }
        return synchronise(count: count) { _, _ in }
    }

    func answer(_ questions: [PostgresQuestion]) {
        for question in questions {
            switch question.question {
            case .nameIsFree(let name, let mark): send(0, [name, mark])
            case .account(let name): send(1, [name])
            case .accountOfID(let id): send(2, [id])
            case .family(let id): send(3, [id])
            }
        }
        var answers = [Answer](repeating: .nothing, count: questions.count)
        let isDone = synchronise(count: questions.count) { number, result in
            guard PQntuples(result) > 0 else { return }
            answers[number] =
                switch questions[number].question {
                case .nameIsFree: .taken
                case .account, .accountOfID:
                    .account(
                        id: Self.bytes(result, 0), credentialVersion: Self.integer(result, 1),
                        passwordHash: Self.bytes(result, 2), name: Self.bytes(result, 3))
                case .family:
                    .family(
                        Family(
                            user: Self.bytes(result, 0), client: Self.bytes(result, 1),
                            authenticatedAt: Self.integer(result, 2), expiresAt: Self.integer(result, 3),
                            tokenDigest: Self.bytes(result, 4), methods: Self.bytes(result, 5)))
                }
        }
        guard isDone else { giveUp("the database refuses reads: \(String(cString: PQerrorMessage(handle)))") }
        var byLoop: [ObjectIdentifier: (loop: any EventLoop, numbers: [Int])] = [:]
        for (number, question) in questions.enumerated() {
            byLoop[ObjectIdentifier(question.loop), default: (question.loop, [])].numbers.append(number)
        }
        for (loop, numbers) in byLoop.values {
            loop.execute { [answers] in for number in numbers { questions[number].then.value(answers[number]) } }
        }
    }

    private static func bytes(_ result: OpaquePointer, _ column: CInt) -> [UInt8] {
        let count = Int(PQgetlength(result, 0, column))
        return Array(UnsafeRawBufferPointer(start: PQgetvalue(result, 0, column), count: count))
    }

    private static func integer(_ result: OpaquePointer, _ column: CInt) -> Int64 {
        bytes(result, column).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Sends a statement with the tenant and more values.
    private func send(_ statement: Int, _ others: [[UInt8]]) {
        var joined = FloorLoop.tenant
        lengths = [CInt(joined.count)]
        for other in others {
            joined.append(contentsOf: other)
            lengths.append(CInt(other.count))
        }
        joined.withUnsafeBytes { bytes in
            values = []
            var start = 0
            for length in lengths {
                values.append(bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) })
                start += Int(length)
            }
            PQsendQueryPrepared(handle, names[statement], CInt(values.count), values, lengths, formats, 1)
        }
    }

    /// - Returns: The number of sent statements.
    private func send(_ rows: StepRows) -> Int {
        rows.encoded.withUnsafeBytes { bytes in
            var (position, count) = (0, 0)
            while position < bytes.count {
                let statement = Int(bytes[position] - StepRows.Tag.statement)
                position += 1
                values.removeAll(keepingCapacity: true)
                lengths.removeAll(keepingCapacity: true)
                while position < bytes.count, bytes[position] < StepRows.Tag.statement {
                    var length = 8
                    switch bytes[position] {
                    case StepRows.Tag.null:
                        values.append(nil)
                        lengths.append(0)
                        position += 1
                        continue
                    case StepRows.Tag.integer: position += 1
                    case _:
                        length = Int(bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self))
                        position += 5
                    }
                    values.append(bytes.baseAddress.map { ($0 + position).assumingMemoryBound(to: CChar.self) })
                    lengths.append(CInt(length))
                    position += length
                }
                PQsendQueryPrepared(handle, names[statement], CInt(values.count), values, lengths, formats, 1)
                count += 1
            }
            return count
        }
    }

    /// Ends the transaction, and waits for the results of its statements.
    ///
    /// - Returns: Whether all of them succeeded, and are durable.
    private func synchronise(count: Int, _ onResult: (Int, OpaquePointer) -> Void) -> Bool {
        guard PQpipelineSync(handle) == 1 else { return false }
        var isDone = true
        for number in 0..<count {
            guard let result = nextResult() else { return false }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: onResult(number, result)
            case _: isDone = false
            }
            PQclear(result)
            // The end of the statement's results.
            if let more = nextResult() { PQclear(more) }
        }
        guard let end = nextResult() else { return false }
        PQclear(end)
        return isDone
    }

    private func nextResult() -> OpaquePointer? {
        while PQflush(handle) == 1 { wait(Int16(POLLIN | POLLOUT)) }
        while PQisBusy(handle) == 1 { wait(Int16(POLLIN)) }
        return PQgetResult(handle)
    }

    private func wait(_ events: Int16) {
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        poll(&descriptor, 1, -1)
        guard descriptor.revents & Int16(POLLIN) == 0 || PQconsumeInput(handle) == 1 else {
            giveUp("the database is gone")
        }
    }
}

/// Seals the lines of the audit trail, 500 in a transaction.
final class PostgresSealer {
    private let handle: OpaquePointer
    private var chain: AuditChain

    init(url: String, key: SymmetricKey) throws {
        guard let handle = PQconnectdb(url), PQstatus(handle) == CONNECTION_OK else {
            throw FloorFailure("the database cannot be reached")
        }
        self.handle = handle
        chain = AuditChain(key: key, position: 0)
        let position = rows("SELECT coalesce(max(position), 0)::text FROM audit", []).first?.first
        chain = AuditChain(key: key, position: position.flatMap { Int64($0) } ?? 0)
    }

    /// - Returns: Whether there may be more lines.
    func seal() -> Bool {
        let tenant = "\\x" + Text.hexadecimal(FloorLoop.tenant)
        PQclear(PQexec(handle, "BEGIN"))
        let lines = rows(
            """
            SELECT seq::text, kind, at::text, client::text, flow::text, "user"::text, detail, source::text, profile
            FROM audit WHERE tenant = $1 AND position IS NULL ORDER BY audit.seq LIMIT 500
            """, [tenant])
        if !lines.isEmpty {
            var (numbers, positions, seals): ([String], [String], [String]) = ([], [], [])
            for line in lines {
                Array(line.joined(separator: "|").utf8).withUnsafeBytes { chain.append($0) }
                numbers.append(line[0])
                positions.append("\(chain.position)")
                seals.append(#""\\x\#(Text.hexadecimal(chain.seal))""#)
            }
            _ = rows(
                """
                UPDATE audit SET position = line.position, seal = line.seal
                FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]) AS line (number, position, seal)
                WHERE tenant = $1 AND seq = line.number AND seq >= $5::bigint AND seq <= $6::bigint
                """,
                [
                    tenant, "{\(numbers.joined(separator: ","))}", "{\(positions.joined(separator: ","))}",
                    "{\(seals.joined(separator: ","))}", numbers[0], numbers[numbers.count - 1],
                ])
            _ = rows(
                """
                INSERT INTO audit_heads (tenant, position, seal, anchor) VALUES ($1, $2::bigint, $3, $4)
                ON CONFLICT (tenant) DO UPDATE
                SET position = excluded.position, seal = excluded.seal, anchor = excluded.anchor
                """,
                [
                    tenant, "\(chain.position)", "\\x" + Text.hexadecimal(chain.seal),
                    "\\x" + Text.hexadecimal(chain.anchor),
                ])
        }
        PQclear(PQexec(handle, "COMMIT"))
        return lines.count == 500
    }

    /// Runs a statement with texts, and returns its rows as texts; "" for NULL.
    private func rows(_ sql: String, _ values: [String]) -> [[String]] {
        let texts = values.map { $0.utf8CString.map { $0 } }
        let result = Self.withPointers(texts) { pointers in
            PQexecParams(handle, sql, CInt(values.count), nil, pointers, nil, nil, 0)
        }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            giveUp("lines cannot be sealed: \(String(cString: PQerrorMessage(handle)))")
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in String(cString: PQgetvalue(result, row, column)) }
        }
    }

    private static func withPointers<Result>(
        _ texts: [[CChar]], _ work: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        func next(_ number: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
            guard number < texts.count else { return work(pointers) }
            return texts[number].withUnsafeBufferPointer { next(number + 1, pointers + [$0.baseAddress]) }
        }
        return next(0, [])
    }
}

package import IdentityEngine
import NativeAuthCore
package import PortableFoundation
import Tracing

/// A database that runs transactions. All stores of the engine are built on it, in the files beside this one: the same
/// statements for SQLite and PostgreSQL.
package protocol SQLStore: FlowStore, UserStore, OutboxStore, RefreshStore, AssertionStore, KeyStore, DataKeyStore,
    AuditStore, DirectoryStore, NotificationStore, OperatorStore, ActivityStore, ImportStore, BrowserStore,
    LogoutStore, RevocationStore, TextReportStore
{
    /// Runs `body` in a transaction, and returns its result once that is durable. An error of `body` rolls everything
    /// back.
    ///
    /// - Parameters:
    ///   - subjects: Transactions that name the same subject run one after another, also those of other nodes, and each
    ///     reads the result of the one before.
    ///   - body: The work; may run more than once, each time from the beginning.
    func write<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``write(_:_:)`` for a short change whose rows belong to its subjects: it may share its transaction with
    /// other changes, and waits for them.
    ///
    /// - Parameter body: Starts all reads, and returns without an answer; the pending value decides and makes the writes.
    ///   Both may run several times, and the last result counts. When it throws, the changes beside it run again. A change
    ///   beside it may have written since the reads: a write to a row that other subjects' changes also write must require
    ///   what was read.
    func share<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value

    /// Runs `body`, which only reads, on a consistent state of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``read(_:)`` for queries that all begin before an answer is read: they take one round trip.
    ///
    /// - Parameter body: Starts the queries. The pending value only converts their answers, because the transaction may have
    ///   ended then.
    func readAtOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value

    /// The same as ``read(_:)`` for a query whose cost a request decides: it occupies no thread that others wait for, and
    /// fails after about two seconds.
    func search<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``read(_:)`` for work of minutes: on a separate connection, in parallel with other work, and without
    /// the time limits of requests.
    func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``write(_:_:)`` for work of minutes, on a database without other users.
    func longWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// Called after rows were removed.
    func afterRemoval() async throws(StoreError)

    /// The database's time; nil for a database in this process, whose time is this machine's.
    var clock: DatabaseClock? { get }

    /// Reads the database's time.
    ///
    /// - Returns: False when its clock was set back, and ``clock`` does not follow it.
    func readClock() async throws(StoreError) -> Bool

    /// How much work waits for a connection; nil for a database that has no such queue.
    var waitingWork: Int? { get }

    /// Closes the database; call it after the last use of the store. Later calls throw ``StoreError/unavailable(_:)``.
    func close() async throws(StoreError)
}

extension SQLStore {
    /// For a database whose writer puts all changes that wait in one transaction.
    package func share<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value {
        try await write(subjects()) { try body($0).get() }
    }

    /// For a database whose answers need no round trip.
    package func readAtOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value {
        try await read { try body($0).get() }
    }

    package var clock: DatabaseClock? { nil }
    package func readClock() async throws(StoreError) -> Bool { true }
    package var waitingWork: Int? { nil }

    /// Runs `body`, a transaction, as a span of the request that is under way in this task; without a traced request it is only run.
    ///
    /// - Parameters:
    ///   - name: What the transaction does, such as `write`.
    ///   - system: The database, by the names of OpenTelemetry's conventions (`db.system.name`).
    package func traced<Value>(
        _ name: String, _ system: String, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard let context = ServiceContext.current else { return try await body() }
        let span = InstrumentationSystem.tracer.startSpan("database \(name)", context: context, ofKind: .client)
        span.attributes["db.system.name"] = system
        defer { span.end() }
        do throws(StoreError) {
            return try await body()
        } catch {
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

/// A subject that a transaction decides about and must lock.
package struct SQLSubject: Hashable, Sendable {
    package let bytes: Data

    private init(_ kind: UInt8, _ tenant: TenantID?, _ rest: Data) {
        bytes = Data([kind]) + (tenant.map { sixteenBytes($0.uuid) } ?? Data()) + rest
    }

    static func flow(_ id: UUID, in tenant: TenantID) -> Self { Self(1, tenant, sixteenBytes(id)) }
    static func identifier(_ key: LoginIdentifier.Key, in tenant: TenantID) -> Self { Self(2, tenant, key.bytes) }
    /// A subject whose events or failures are counted.
    static func counted(_ digest: Data, in tenant: TenantID) -> Self { Self(4, tenant, digest) }
    static func signingKeys(of tenant: TenantID) -> Self { Self(5, tenant, Data()) }
    /// The queue of mails: one worker at a time takes from it.
    static let outbox = Self(6, nil, Data())
    /// The removal of expired rows.
    static let janitor = Self(7, nil, Data())
    /// The chain over the audit trail: one sealer at a time continues it.
    package static let auditChain = Self(8, nil, Data())
    static let tenantDocuments = Self(9, nil, Data())
    static let dataKeys = Self(10, nil, Data())
    static let profile = Self(11, nil, Data())
    /// The roles of all operators: the last owner stays one.
    static let operators = Self(12, nil, Data())
    static func groups(_ tenant: TenantID) -> Self { Self(13, tenant, Data()) }
    static func importing(_ digest: Data, in tenant: TenantID) -> Self { Self(14, tenant, digest) }
    /// All texts of a tenant: their limits are for areas and for the whole.
    static func texts(of tenant: TenantID) -> Self { Self(18, tenant, Data()) }
    /// The id of a passkey, or the key of an identity, that is being added.
    static func credential(_ id: Data, in tenant: TenantID) -> Self { Self(19, tenant, id) }
    static func code(_ digest: Data, in tenant: TenantID) -> Self { Self(16, tenant, digest) }
    /// An account. Steps and changes of accounts name it, so that they never lock its rows in different orders.
    static func account(_ id: UserID, in tenant: TenantID) -> Self { Self(21, tenant, sixteenBytes(id.uuid)) }
    /// A family of refresh tokens.
    static func family(_ id: UUID, in tenant: TenantID) -> Self { Self(22, tenant, sixteenBytes(id)) }
    /// The queue of ended sessions: one worker at a time takes from it.
    static let logouts = Self(17, nil, Data())
    /// The queue of what is ended at providers: one worker at a time takes from it.
    static let revocations = Self(20, nil, Data())
    /// The partitions of the audit trail.
    package static let auditPartitions = Self(15, nil, Data())
}

private func sixteenBytes(_ uuid: UUID) -> Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }

/// A change that shares its transaction is about more than its subjects, and has to run alone.
package struct NotOfItsSubjects: Error {}

/// A row that a transaction has read no longer existed when it was to be changed.
package struct RowLost: Error, CustomStringConvertible {
    package init() {}
    package var description: String { "the row changed between its reading and its writing" }
}

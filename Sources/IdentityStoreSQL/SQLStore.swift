package import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A database that runs transactions. All that the engine asks of a store follows from it, in the files beside this one: the
/// same statements for SQLite and for PostgreSQL.
package protocol SQLStore: FlowStore, UserStore, OutboxStore, RefreshStore, KeyStore, DataKeyStore, AuditStore {
    /// Runs `body` in a transaction, and returns its result once that is durable. What `body` throws undoes all of it.
    ///
    /// - Parameters:
    ///   - subjects: Transactions that name the same subject run one after another, those of other nodes too, and what one of
    ///     them reads is what the one before has left.
    ///   - body: May run more than once, each time from the beginning.
    func write<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs `body`, which only reads, on a consistent state of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``read(_:)`` for work of minutes: on a connection of its own, beside all other work, and without the time limits
    /// of requests.
    func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// The same as ``write(_:_:)`` for work of minutes, on a database that nobody else uses.
    func longWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// Called after rows were removed.
    func afterRemoval() async throws(StoreError)

    /// The database's time; nil for a database in this process, whose time is this machine's.
    var clock: DatabaseClock? { get }

    /// Asks the database for its time.
    ///
    /// - Returns: False when its clock was set back, and ``clock`` does not follow it.
    func readClock() async throws(StoreError) -> Bool

    /// Lets go of the database; call it when nobody uses the store any more. Whatever is called later throws
    /// ``StoreError/unavailable(_:)``.
    func close() async throws(StoreError)
}

extension SQLStore {
    package var clock: DatabaseClock? { nil }
    package func readClock() async throws(StoreError) -> Bool { true }
}

/// What a transaction decides about, and must be alone with.
package struct SQLSubject: Hashable, Sendable {
    package let bytes: Data

    private init(_ kind: UInt8, _ tenant: TenantID?, _ rest: Data) {
        bytes = Data([kind]) + (tenant.map { sixteenBytes($0.uuid) } ?? Data()) + rest
    }

    static func flow(_ id: UUID, in tenant: TenantID) -> Self { Self(1, tenant, sixteenBytes(id)) }
    static func identifier(_ key: LoginIdentifier.Key, in tenant: TenantID) -> Self { Self(2, tenant, key.bytes) }
    /// A subject whose events are counted, or whose failures.
    static func counted(_ digest: Data, in tenant: TenantID) -> Self { Self(4, tenant, digest) }
    static func signingKeys(of tenant: TenantID) -> Self { Self(5, tenant, Data()) }
    /// The queue of mails: one worker at a time takes from it.
    static let outbox = Self(6, nil, Data())
    /// The removal of what has expired.
    static let janitor = Self(7, nil, Data())
    /// The chain over the audit trail: one sealer at a time continues it.
    static let auditChain = Self(8, nil, Data())
    static let tenantDocuments = Self(9, nil, Data())
    static let dataKeys = Self(10, nil, Data())
    static let profile = Self(11, nil, Data())
}

private func sixteenBytes(_ uuid: UUID) -> Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }

/// A row that a transaction has read was not there to be changed.
package struct RowLost: Error, CustomStringConvertible {
    package init() {}
    package var description: String { "the row changed between its reading and its writing" }
}

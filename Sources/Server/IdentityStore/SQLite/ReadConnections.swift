// All of Foundation, for NSLock: Mutex of the module Synchronization needs a newer iOS than this package does.
import Foundation
import GRDB

/// The connections for reads of a few rows, as many as there have been reads at once.
///
/// GRDB's pool asks before each read whether another program has changed the tables, in a transaction of its own, which took
/// longer than the read of one row. Here no program changes them while the store is open (`REL-HA-6`).
///
/// `@unchecked Sendable`: `idle` and `isClosed` are accessed only under `lock`; all other state is constant and sendable.
final class ReadConnections: @unchecked Sendable {
    private let path: String
    private let configuration: Configuration
    private let lock = NSLock()
    private var idle: [DatabaseQueue] = []
    private var isClosed = false

    init(path: String, configuration: Configuration) {
        self.path = path
        var readOnly = configuration
        readOnly.readonly = true
        self.configuration = readOnly
    }

    /// Reads in one transaction, on the caller's thread.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.unsafeRead { db in
            try db.cachedStatement(sql: "BEGIN").execute()
            let result = Result { try body(db) }
            try db.cachedStatement(sql: "COMMIT").execute()
            return try result.get()
        }
    }

    /// Closes the connections, and those that are in use when their reads end.
    func close() {
        let closing = lock.withLock {
            isClosed = true
            defer { idle = [] }
            return idle
        }
        closing.forEach(Self.close)
    }

    private func take() throws -> DatabaseQueue {
        let found = try lock.withLock {
            guard !isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed") }
            return idle.popLast()
        }
        return try found ?? DatabaseQueue(path: path, configuration: configuration)
    }

    private func giveBack(_ connection: DatabaseQueue) {
        let isKept = lock.withLock {
            if !isClosed { idle.append(connection) }
            return !isClosed
        }
        if !isKept { Self.close(connection) }
    }

    private static func close(_ connection: DatabaseQueue) {
        // A connection that cannot be closed closes when its memory is freed.
        do { try connection.close() } catch {}
    }
}

// All of Foundation, for Thread.
import Foundation
import IdentityEngine
import IdentityStoreSQL

/// A transaction of minutes or hours, on its own connection and thread: the pool is for work of milliseconds, and its
/// time limits would end this transaction.
enum LongTransaction {
    /// The time limit for one statement.
    private static let patience = Duration.seconds(3_600)

    /// - Parameter opening: The statements that begin the transaction, before it has a snapshot.
    static func run<Value: Sendable>(
        at place: PostgresEndpoint, _ opening: [String], _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let thread = Thread {
                caller.resume(returning: Result { try perform(place, opening, body) }.mapError { StoreError($0) })
            }
            thread.name = "postgres"
            thread.start()
        }
        return try result.get()
    }

    /// Does not roll back: the server does so when the connection ends.
    private static func perform<Value>(
        _ place: PostgresEndpoint, _ opening: [String], _ body: (any SQLSession) throws -> Value
    ) throws -> Value {
        // Without prepared statements, so that a pooler in between does not matter.
        let connection = try PostgresConnection(place, usesNames: false)
        let session = PostgresSession(
            connection, statementTimeout: patience, deadline: .now + .seconds(24 * 3_600))
        for statement in opening { try connection.send(statement, []) { _ in } }
        try connection.send(
            "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)",
            []
        ) { _ in }
        let value = try body(session)
        var tag = ""
        try connection.send("COMMIT", []) { tag = $0.tag }
        try session.flush()
        guard tag == "COMMIT" else { throw PostgresFailure.refused(sqlState: "40000") }
        return value
    }
}

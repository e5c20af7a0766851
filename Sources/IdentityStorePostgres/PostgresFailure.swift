import IdentityEngine
import IdentityStoreSQL

/// Why PostgreSQL did not do what was asked, without the statement, its values, or anything else that could be personal or
/// secret (`SEC-LOG-1`): the server's own sentences may quote values, so they are left out.
enum PostgresFailure: Error, CustomStringConvertible {
    /// The server refused a statement, with this five-character code (PostgreSQL's appendix “Error Codes”).
    case refused(sqlState: String)
    /// There is no connection, or it broke.
    case disconnected
    /// The server did not answer in time.
    case timedOut
    /// The connection broke, or no answer came, after COMMIT was sent: whether it was carried out is not known.
    case outcomeUnknown
    /// All connections are busy.
    case overloaded
    /// The store was closed.
    case closed
    /// The server would lose acknowledged changes with the power (`REL-TX-2`); the setting that says so.
    case unsafe(setting: String)

    var description: String {
        switch self {
        case .refused(let sqlState): "PostgreSQL \(sqlState)"
        case .disconnected: "PostgreSQL cannot be reached"
        case .timedOut: "PostgreSQL did not answer in time"
        case .outcomeUnknown: "the connection to PostgreSQL was lost during a commit"
        case .overloaded: "all connections to PostgreSQL are busy"
        case .closed: "the store was closed"
        case .unsafe(let setting): "PostgreSQL runs with \(setting)=off"
        }
    }

    /// What the next attempt needs, if one makes sense (`REL-HA-3`).
    var remedy: Remedy? {
        switch self {
        case .refused("40001"), .refused("40P01"): .again
        // A statement that this connection has not prepared, or prepared for another client: there is a pooler between us and
        // the server, which hands out another server connection for each transaction.
        case .refused("26000"), .refused("42P05"): .withoutNames
        // The tables changed under a prepared statement: another node has migrated.
        case .refused("0A000"): .elsewhere
        // The server goes down, comes up, or has become a standby.
        case .refused("57P01"), .refused("57P02"), .refused("57P03"), .refused("25006"), .disconnected: .elsewhere
        case .refused, .timedOut, .outcomeUnknown, .overloaded, .closed, .unsafe: nil
        }
    }

    /// Whether a transaction may stand although this came instead of the answer to its COMMIT.
    var leavesOutcomeUnknown: Bool {
        switch self {
        // The server ended the connection, perhaps while it waited for a standby after the commit.
        case .disconnected, .timedOut, .refused("57P01"), .refused("57P02"): true
        case .refused, .outcomeUnknown, .overloaded, .closed, .unsafe: false
        }
    }

    enum Remedy {
        case again
        /// Without prepared statements.
        case withoutNames
        /// On a new connection.
        case elsewhere
    }
}

extension StoreError {
    /// Any error of this module's work on the database, in the words of the ports.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        // Data corrupted, index corrupted.
        case PostgresFailure.refused("XX001"), PostgresFailure.refused("XX002"): self = .corrupt("database")
        default: self = .unavailable(error)
        }
    }
}

import IdentityEngine
import IdentityStoreSQL

/// Why PostgreSQL failed, without the statement, its values, or any other personal or secret data (`SEC-LOG-1`).
enum PostgresFailure: LoggableFailure {
    /// The server refused a statement, with this five-character code (PostgreSQL's appendix “Error Codes”) and the
    /// first sentence of its message; nil when the sentence may quote a value.
    case refused(sqlState: String, sentence: String? = nil)
    /// There is no connection, or it broke.
    case disconnected
    /// The server did not answer in time.
    case timedOut
    /// The connection broke, or no answer came, after COMMIT was sent: it is unknown whether the commit happened.
    case outcomeUnknown
    /// All connections are busy.
    case overloaded
    /// The store was closed.
    case closed
    /// The server would lose acknowledged changes in a power failure (`REL-TX-2`); the setting that allows this.
    case unsafe(setting: String)

    var description: String {
        switch self {
        case .refused(let sqlState, let sentence): "PostgreSQL \(sqlState)" + (sentence.map { ": \($0)" } ?? "")
        case .disconnected: "PostgreSQL cannot be reached"
        case .timedOut: "PostgreSQL did not answer in time"
        case .outcomeUnknown: "the connection to PostgreSQL was lost during a commit"
        case .overloaded: "all connections to PostgreSQL are busy"
        case .closed: "the store was closed"
        case .unsafe(let setting): "PostgreSQL runs with \(setting)=off"
        }
    }

    /// The way to repeat the work, if repeating makes sense (`REL-HA-3`).
    var remedy: Remedy? {
        switch self {
        case .refused("40001", _), .refused("40P01", _): .again
        // Only in a shared transaction, whose changes run alone then: it waited too long for a lock.
        case .refused("55P03", _): .again
        // The statement is not prepared on this connection, or another client has prepared it: a pooler gives each
        // transaction another server connection.
        case .refused("26000", _), .refused("42P05", _): .withoutNames
        // The tables changed under a prepared statement: another node has migrated.
        case .refused("0A000", _): .elsewhere
        // The server is shutting down, starting, or has become a standby.
        case .refused("57P01", _), .refused("57P02", _), .refused("57P03", _), .refused("25006", _), .disconnected:
            .elsewhere
        case .refused, .timedOut, .outcomeUnknown, .overloaded, .closed, .unsafe: nil
        }
    }

    /// Whether the transaction may be committed although this failure came instead of the answer to COMMIT.
    var leavesOutcomeUnknown: Bool {
        switch self {
        // The server ended the connection, perhaps while it waited for a standby after the commit.
        case .disconnected, .timedOut, .refused("57P01", _), .refused("57P02", _): true
        case .refused, .outcomeUnknown, .overloaded, .closed, .unsafe: false
        }
    }

    enum Remedy {
        case again
        /// Repeat without prepared statements.
        case withoutNames
        /// Repeat on a new connection.
        case elsewhere
    }
}

extension StoreError {
    /// Converts any error of this module to a store error.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        // Data corrupted, index corrupted.
        case PostgresFailure.refused("XX001", _), PostgresFailure.refused("XX002", _): self = .corrupt("database")
        default: self = .unavailable(error)
        }
    }
}

import GRDB
import IdentityEngine
import IdentityStoreSQL

/// SQLite's message, without the statement and its values, which could be personal or secret (`SEC-LOG-1`).
struct SQLiteFailure: LoggableFailure {
    let description: String

    init(_ error: any Error) {
        if let error = error as? DatabaseError {
            description = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        } else {
            description = String(describing: type(of: error))
        }
    }

    private init(description: String) {
        self.description = description
    }

    /// SQLite rolled the transaction back because of another job of the batch.
    static let transactionLost = SQLiteFailure(description: "the transaction was rolled back")
}

extension StoreError {
    /// Converts any error of this module to a store error.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError:
            self = error
        case is SQLiteFailure, is RowLost, is BackupError, is SealedStreamError:
            self = .unavailable(error)
        case let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            self = .corrupt("database")
        default:
            self = .unavailable(SQLiteFailure(error))
        }
    }
}

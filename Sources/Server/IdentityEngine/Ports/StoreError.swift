/// Why a store failed. Each case needs another reaction of the caller.
package enum StoreError: Error {
    /// The database cannot be reached, is read-only or is full: as far as known, nothing was changed; try again later.
    case unavailable(any Error)
    /// A row cannot be read back: the database is damaged or from a newer version.
    case corrupt(String)
}

/// A database error whose description may appear in a log: the database's message, without statement, value or secret
/// (`SEC-LOG-1`).
package protocol LoggableFailure: Error, CustomStringConvertible {}

extension Error {
    /// The text of the error for a log: the database's message, or only the error's type when its description could
    /// contain anything.
    package var logText: String {
        switch self as any Error {
        case EngineError.store(let cause): cause.logText
        case StoreError.unavailable(let cause): cause.logText
        case StoreError.corrupt(let table): "corrupt row in \(table)"
        case let failure as any LoggableFailure: failure.description
        case _: "\(type(of: self))"
        }
    }
}

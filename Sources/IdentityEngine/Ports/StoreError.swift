/// Why a store could not do what was asked. Each case asks for another reaction of the caller.
package enum StoreError: Error {
    /// The database cannot be reached, is read-only or is full: nothing was changed as far as anyone knows; try later.
    case unavailable(any Error)
    /// A row does not read back as what was written: a damaged database or one from a newer version.
    case corrupt(String)
}

/// An error of a database whose description may stand in a log: what the database said, without statement, value or secret
/// (`SEC-LOG-1`).
package protocol LoggableFailure: Error, CustomStringConvertible {}

extension Error {
    /// What a log may say of the error: what the database said, or the error's type, whose description could hold anything.
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

/// Something broke, as opposed to an expected no: nothing was changed, and the client should come again.
package enum EngineError: Error {
    /// The store cannot be used now.
    case store(StoreError)
    /// Too many passwords wait to be hashed (`SEC-PWD-8`).
    case overloaded
    /// No signing key can be had.
    case tokens(TokenIssuerError)
    /// A fault of this program: a constant sentence for the log, without any value.
    case broken(StaticString)
}

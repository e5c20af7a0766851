/// A failure of the server, as opposed to an expected refusal: nothing was changed, and the client should try again.
package enum EngineError: Error {
    /// The store is not available.
    case store(StoreError)
    /// Too many passwords wait for hashing (`SEC-PWD-8`).
    case overloaded
    /// No signing key is available.
    case tokens(TokenIssuerError)
    /// A bug in this program: a constant sentence for the log, without any value.
    case broken(StaticString)
}

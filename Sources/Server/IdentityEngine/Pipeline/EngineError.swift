package import PortableFoundation

/// A failure of the server, as opposed to an expected refusal: nothing was changed, and the client should try again.
package enum EngineError: Error {
    /// The store is not available.
    case store(StoreError)
    /// Too many passwords wait for hashing (`SEC-PWD-8`).
    case overloaded
    /// No signing key is available.
    case tokens(TokenIssuerError)
    /// The receiver of the hook with this id failed, and the hook says that the step then fails.
    case hook(UUID, HookFailure)
    /// A bug in this program: a constant sentence for the log, without any value.
    case broken(StaticString)
}

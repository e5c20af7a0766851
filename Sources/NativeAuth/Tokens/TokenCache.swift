#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps the session of the signed-in user: one value of bytes per key. The bytes hold tokens, so keep them as safe as a
/// password.
public protocol TokenCache: Sendable {
    /// Runs `body` on the value of `key`, and keeps what it leaves there; nil stands for no value.
    ///
    /// Two calls for one key never overlap. `body` is short and calls nothing of the cache. What cannot be read counts as
    /// no value.
    func withValue<Result: Sendable>(forKey key: String, _ body: (inout Data?) -> Result) -> Result
}

/// Keeps sessions until the process ends.
public final class InMemoryTokenCache: TokenCache {
    private let values = Locked<[String: Data]>([:])

    /// One cache for the whole process, for apps that make a client on every screen.
    public static let shared = InMemoryTokenCache()

    /// An empty cache.
    public init() {}

    public func withValue<Result: Sendable>(forKey key: String, _ body: (inout Data?) -> Result) -> Result {
        values.withLock { body(&$0[key]) }
    }
}

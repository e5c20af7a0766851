import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps the sessions of signed-in users: one item of bytes for each account of each application. The bytes hold tokens, so
/// keep them as safe as a password.
///
/// This package has three: ``InMemoryTokenCache``, ``EncryptedFileTokenCache``, and `KeychainTokenCache` on Apple's systems.
public protocol TokenCache: Sendable {
    /// Runs `body` on the items of an application, by name, and keeps what it leaves there.
    ///
    /// Two calls for one application never overlap, whatever process they come from. `body` is short, calls nothing of the
    /// cache, and may be run again after an error. Nothing is kept when this throws.
    ///
    /// - Parameters:
    ///   - application: The client ID and the authority; several applications and tenants share a cache.
    ///   - body: Reads and changes the items.
    /// - Throws: ``TokenCacheError``; after ``TokenCacheError/setAside(_:)`` the next call finds no items.
    func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result
}

/// What is wrong with a token cache. None of the cases holds anything of its content.
@nonexhaustive
public enum TokenCacheError: Error, Hashable, Sendable {
    /// The content was broken, sealed with another key, or written by a newer release, and has been moved to this place, a path
    /// or the name of an item; its users count as signed out (`SDK-STO-3`).
    case setAside(String)
    /// Others than the owner may read or write this file or folder.
    case tooOpen(String)
    /// This file or folder belongs to another user.
    case foreignOwner(String)
    /// This path is a symbolic link.
    case symbolicLink(String)
    /// This path is no plain file, or no folder, or a file with a second name.
    case wrongKind(String)
    /// The key does not have 256 bits.
    case invalidKey
    /// A call of the operating system failed: its name and its error number.
    case system(String, code: Int32)
    /// The app lacks this entitlement.
    case missingEntitlement(String)
    /// A call of the Keychain failed: its `OSStatus`.
    case keychain(Int32)
}

/// Keeps sessions until the process ends.
public final class InMemoryTokenCache: TokenCache {
    private let applications = Locked<[String: [String: Data]]>([:])

    /// One cache for the whole process, for apps that make a client on every screen.
    public static let shared = InMemoryTokenCache()

    /// An empty cache.
    public init() {}

    public func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        applications.withLock { body(&$0[application, default: [:]]) }
    }
}

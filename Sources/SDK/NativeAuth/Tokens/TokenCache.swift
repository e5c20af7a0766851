import NativeAuthCore
public import PortableFoundation

/// Stores the sessions of signed-in users: one item of bytes for each account of each application; and, under another name of the
/// application, the key of a device that a user had remembered. The bytes contain tokens and keys: protect them like a password.
///
/// This package has three implementations: ``InMemoryTokenCache``, ``EncryptedFileTokenCache``, and
/// `KeychainTokenCache` on Apple's systems.
public protocol TokenCache: Sendable {
    /// Runs `body` on the items of an application, by name, and stores its changes.
    ///
    /// Two calls for one application never overlap, even from different processes. `body` is short, does not call the
    /// cache, and may be run again after an error. Nothing is stored when this throws.
    ///
    /// - Parameters:
    ///   - application: The client ID and the authority; several applications and tenants can share a cache.
    ///   - body: Reads and changes the items.
    /// - Throws: ``TokenCacheError``; after ``TokenCacheError/setAside(_:)`` the next call finds no items.
    func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result

    /// Runs `renewal`, from reading the stored session to storing its successor, while no other refresh of the same
    /// account runs, in any process. A server treats a refresh token that was already rotated as stolen and ends the
    /// session (RFC 9700 section 4.14.2), so a slow client must not send one.
    ///
    /// The wait must be limited, whatever other processes do: after it, `renewal` runs anyway.
    ///
    /// - Parameters:
    ///   - item: The name of the account's item.
    ///   - application: As in ``withItems(of:_:)``.
    func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result
}

extension TokenCache {
    /// Runs `renewal` at once: enough for a cache that only one client uses.
    public func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        await renewal()
    }
}

/// A fault of a token cache. No case contains any of its content.
@nonexhaustive
public enum TokenCacheError: Error, Hashable, Sendable {
    /// The content was damaged, sealed with another key, or written by a newer release, and was moved to this place, a
    /// path or the name of an item; its users count as signed out (`SDK-STO-3`).
    case setAside(String)
    /// Users other than the owner may read or write this file or folder.
    case tooOpen(String)
    /// This file or folder belongs to another user.
    case foreignOwner(String)
    /// This path is a symbolic link.
    case symbolicLink(String)
    /// This path is not a regular file, not a folder, or is a file with a second name.
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

/// Keeps sessions in memory until the process ends.
public final class InMemoryTokenCache: TokenCache {
    private let applications = Locked<[String: [String: Data]]>([:])
    private let turns = Turns()

    /// One cache for the whole process, for apps that make a client on every screen.
    public static let shared = InMemoryTokenCache()

    /// An empty cache.
    public init() {}

    public func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        applications.withLock { body(&$0[application, default: [:]]) }
    }

    public func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        await turns.one(of: "\(application)|\(item)", renewal)
    }
}

/// Gives turns one at a time for each name, in the order of arrival. A caller that waited too long continues without a
/// turn.
final class Turns: Sendable {
    /// How long a refresh waits for others: longer than their requests usually take, so that it continues without them
    /// only when one hangs or a process was stopped.
    static let patience = Duration.seconds(90)

    private struct Waiter: Sendable {
        let id: Int
        /// Resumed with whether the waiter has got its turn.
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// The waiters, by the names that are taken.
    private let waiting = Locked<[String: [Waiter]]>([:])
    private let nextID = Locked(0)
    private let wait: @Sendable (Duration) async throws -> Void

    init(wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }) {
        self.wait = wait
    }

    func one<Result: Sendable>(of name: String, _ body: @Sendable () async -> Result) async -> Result {
        let isTheirTurn = await turn(name)
        let result = await body()
        // A caller that waited too long has no turn to pass on.
        if isTheirTurn { passOn(name) }
        return result
    }

    private func turn(_ name: String) async -> Bool {
        let id = nextID.withLock { id in
            id += 1
            return id
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[name] == nil else {
                    waiting[name]?.append(Waiter(id: id, continuation: continuation))
                    return false
                }
                waiting[name] = []
                return true
            }
            if isFree {
                continuation.resume(returning: true)
            } else {
                timer = Task { await self.losePatience(id, name) }
            }
        }
    }

    private func losePatience(_ id: Int, _ name: String) async {
        do {
            try await wait(Self.patience)
        } catch {
            // The waiter has got its turn.
            return
        }
        let waiter = waiting.withLock { waiting -> Waiter? in
            guard let index = waiting[name]?.firstIndex(where: { $0.id == id }) else { return nil }
            return waiting[name]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func passOn(_ name: String) {
        let next = waiting.withLock { waiting -> Waiter? in
            guard waiting[name]?.isEmpty == false else {
                waiting[name] = nil
                return nil
            }
            return waiting[name]?.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}

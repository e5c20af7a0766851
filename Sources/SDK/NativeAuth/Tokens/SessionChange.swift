import NativeAuthCore
import PortableFoundation

/// A change of a session in the token cache.
public enum SessionChange: Sendable {
    /// The user signed in, for the first time or again.
    case signedIn(Account)
    /// The server issued new tokens.
    case renewed(Account)
    /// The server ended the session: the user must sign in again. Until the user signs in or out, the account is still
    /// listed.
    case ended(Account)
    /// The user with this ``Account/homeAccountID`` signed out, or the token cache lost their session.
    case signedOut(homeAccountID: String)

    init(_ change: KeptChange, client: NativeAuthClient) {
        self =
            switch change {
            case .signedIn(let session): .signedIn(Account(session, client: client))
            case .renewed(let session): .renewed(Account(session, client: client))
            case .ended(let session): .ended(Account(session, client: client))
            case .signedOut(let homeAccountID): .signedOut(homeAccountID: homeAccountID)
            }
    }
}

/// A ``SessionChange`` as stored in the cache.
enum KeptChange: Sendable {
    case signedIn(Session)
    case renewed(Session)
    case ended(Session)
    case signedOut(String)
}

/// Sends every change of the stored sessions to the listeners: after the write, in the order of the cache, and with no
/// lock held.
///
/// Each access to the cache is recorded while the cache is locked, which gives the order, and reported after the write.
/// The report is the difference from the last report, whichever process made the change.
final class SessionListeners: Sendable {
    private struct Listener {
        let continuation: AsyncStream<SessionChange>.Continuation
        let tell: @Sendable (KeptChange) -> Void
    }

    /// The values that distinguish two sessions. It holds no token.
    private struct Trace {
        let signIn: UUID
        let hasEnded: Bool
        let fingerprint: Int

        init(_ session: Session) {
            signIn = session.signIn
            hasEnded = session.hasEnded
            fingerprint = session.hashValue
        }
    }

    private struct Look {
        let id: Int
        let before: [String: Session]
        let after: [String: Session]
        /// Nil until the write of the cache has succeeded or failed.
        var isWritten: Bool?
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        /// The last id of listeners and accesses.
        var lastID = 0
        /// The sessions as last reported to the listeners; nil before the first access.
        var known: [String: Trace]?
        var looks: [Look] = []
        var isTelling = false

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.continuation.finish() }
    }

    /// The number of listeners.
    var count: Int { state.withLock { $0.listeners.count } }

    /// Adds a listener until its stream is cancelled or deallocated.
    func add(
        _ continuation: AsyncStream<SessionChange>.Continuation, tell: @escaping @Sendable (KeptChange) -> Void
    ) {
        let id = state.withLock { state in
            let id = state.nextID()
            state.listeners[id] = Listener(continuation: continuation, tell: tell)
            return id
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
    }

    private func remove(_ id: Int) {
        // Release it outside the lock: a deallocated stream may hold an account, and its release may lead back here.
        _ = state.withLock { state in
            let listener = state.listeners.removeValue(forKey: id)
            if state.listeners.isEmpty { state.known = nil }
            return listener
        }
    }

    /// Records the sessions before and after an access, while the cache is locked.
    ///
    /// - Returns: The id for ``end(_:isWritten:)``; nil when there is no listener.
    func beginLook(from before: [String: Session], to after: [String: Session]) -> Int? {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return nil }
            let look = Look(id: state.nextID(), before: before, after: after)
            state.looks.append(look)
            return look.id
        }
    }

    /// Reports the finished accesses, unless another thread is reporting.
    func end(_ look: Int?, isWritten: Bool) {
        guard let look else { return }
        state.withLock { state in
            guard let index = state.looks.firstIndex(where: { $0.id == look }) else { return }
            state.looks[index].isWritten = isWritten
        }
        while let (changes, listeners) = state.withLock({ Self.nextChanges(&$0) }) {
            for change in changes {
                for listener in listeners { listener.tell(change) }
            }
            state.withLock { $0.isTelling = false }
        }
    }

    private static func nextChanges(_ state: inout State) -> (changes: [KeptChange], listeners: [Listener])? {
        guard !state.isTelling, let look = state.looks.first, let isWritten = look.isWritten else { return nil }
        state.looks.removeFirst()
        state.isTelling = true
        guard isWritten, !state.listeners.isEmpty else { return ([], []) }
        let changes = changes(from: state.known ?? look.before.mapValues(Trace.init), to: look.after)
        state.known = look.after.mapValues(Trace.init)
        return (changes, Array(state.listeners.values))
    }

    private static func changes(from known: [String: Trace], to sessions: [String: Session]) -> [KeptChange] {
        let gone = known.keys.filter { sessions[$0] == nil }.sorted().map { KeptChange.signedOut($0) }
        let others = sessions.values.sorted { $0.order < $1.order }.flatMap { session -> [KeptChange] in
            guard let trace = known[session.homeAccountID], trace.signIn == session.signIn else {
                return session.hasEnded ? [.signedIn(session), .ended(session)] : [.signedIn(session)]
            }
            if session.hasEnded { return trace.hasEnded ? [] : [.ended(session)] }
            return trace.fingerprint == session.hashValue ? [] : [.renewed(session)]
        }
        return gone + others
    }
}

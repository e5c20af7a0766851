import NativeAuthCore
import PortableFoundation

/// The sessions of one application in the token cache, by home account ID.
struct SessionStore: Sendable {
    private let cache: any TokenCache
    private let application: String
    private let report: @Sendable (TokenCacheError) -> Void
    /// The listeners for every change.
    let listeners = SessionListeners()
    /// The name prefix of items that cannot be read.
    private static let aside = "aside"

    /// - Parameter authority: The target of requests. Tokens of an emulator are never sent elsewhere, nor the reverse
    ///   (`SDK-AUTH-1`).
    init(_ configuration: NativeAuthConfiguration, authority: Authority) {
        cache = configuration.tokenCache
        application = "\(configuration.clientID.lowercased())|\(authority)"
        report = configuration.onTokenCacheProblem ?? { _ in }
    }

    /// All sessions, the latest sign-in first.
    func sessions() -> [Session] {
        update { $0.values.sorted { ($0.order, $0.homeAccountID) > ($1.order, $1.homeAccountID) } }
    }

    func session(_ homeAccountID: String) -> Session? {
        update { $0[homeAccountID] }
    }

    /// Runs `renewal` while no other refresh of the account's session runs (`SDK-STO-4`).
    func renewing<Result: Sendable>(
        _ homeAccountID: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        await cache.renewing(homeAccountID, of: application, renewal)
    }

    /// Reads and writes in one call. A cache that cannot be read counts as empty; a cache that cannot be written loses
    /// the changes of `body`, but the result is returned. Both are reported.
    func update<Result: Sendable>(_ body: (inout [String: Session]) -> Result) -> Result {
        var outcome: Result?
        do throws(TokenCacheError) {
            return try change { sessions, _ in
                let result = body(&sessions)
                outcome = result
                return result
            }
        } catch {
            report(error)
        }
        if let outcome { return outcome }
        var nothing: [String: Session] = [:]
        return body(&nothing)
    }

    /// Removes one account, or all accounts of the application, with everything that was set aside for them, in one
    /// call, so that a later sign-in stays (`SDK-STO-4`).
    ///
    /// - Returns: The removed sessions.
    /// - Throws: ``TokenCacheError`` when the cache cannot be read or written; it is reported too.
    func remove(_ homeAccountID: String?) throws(TokenCacheError) -> [Session] {
        do throws(TokenCacheError) {
            return try change { sessions, setAside in
                let removed = sessions.values.filter { homeAccountID == nil || $0.homeAccountID == homeAccountID }
                for session in removed { sessions[session.homeAccountID] = nil }
                setAside = setAside.filter { place, _ in
                    homeAccountID.map { !place.hasSuffix(":\($0)") } ?? false
                }
                return removed
            }
        } catch {
            report(error)
            throw error
        }
    }

    /// - Parameter body: Changes the sessions, and the set-aside items by their place.
    private func change<Result: Sendable>(
        _ body: (_ sessions: inout [String: Session], _ setAside: inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        var look: Int?
        var isWritten = false
        defer { listeners.end(look, isWritten: isWritten) }
        let (result, movedAside) = try withItems { items in
            var sessions: [String: Session] = [:]
            var setAside: [String: Data] = [:]
            var movedAside: [String] = []
            for (name, data) in items {
                if name.hasPrefix(Self.aside) {
                    setAside[name] = data
                } else if let session = Session(kept: data), session.homeAccountID == name {
                    sessions[name] = session
                } else {
                    // Keep it for a release that can read it, but out of the way (`SDK-STO-3`).
                    let place = "\(Self.aside)-\(UUID().text):\(name)"
                    setAside[place] = data
                    items[name] = nil
                    movedAside.append(place)
                }
            }
            let before = sessions
            let result = body(&sessions, &setAside)
            items = items.filter { name, _ in !name.hasPrefix(Self.aside) }.merging(setAside) { _, aside in aside }
            for name in Set(before.keys).union(sessions.keys) where before[name] != sessions[name] {
                items[name] = sessions[name]?.kept
            }
            // This run repeats a failed one: the access before is void.
            listeners.end(look, isWritten: false)
            look = listeners.beginLook(from: before, to: sessions)
            return (result, movedAside.filter { setAside[$0] != nil })
        }
        isWritten = true
        for place in movedAside { report(.setAside(place)) }
        return result
    }

    /// After a whole cache was set aside, it is empty and works again: run `body` once more.
    private func withItems<Result: Sendable>(
        _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        do throws(TokenCacheError) {
            return try cache.withItems(of: application, body)
        } catch .setAside(let place) {
            report(.setAside(place))
            return try cache.withItems(of: application, body)
        }
    }
}

import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sessions of one application in the token cache, by home account ID.
struct SessionStore: Sendable {
    private let cache: any TokenCache
    private let application: String
    private let report: @Sendable (TokenCacheError) -> Void
    /// Who is told of every change.
    let listeners = SessionListeners()
    /// In front of the names of items that cannot be read.
    private static let aside = "aside"

    /// - Parameter authority: Where requests go. What an emulator gave is never sent elsewhere, nor the reverse (`SDK-AUTH-1`).
    init(_ configuration: NativeAuthConfiguration, authority: Authority) {
        cache = configuration.tokenCache
        application = "\(configuration.clientID.lowercased())|\(authority)"
        report = configuration.onTokenCacheProblem ?? { _ in }
    }

    /// The one that signed in last comes first.
    func sessions() -> [Session] {
        update { $0.values.sorted { ($0.order, $0.homeAccountID) > ($1.order, $1.homeAccountID) } }
    }

    func session(_ homeAccountID: String) -> Session? {
        update { $0[homeAccountID] }
    }

    /// Runs `renewal` while nobody else renews the session of the account (`SDK-STO-4`).
    func renewing<Result: Sendable>(
        _ homeAccountID: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        await cache.renewing(homeAccountID, of: application, renewal)
    }

    /// Reads and writes in one go. A cache that cannot be read is empty; one that cannot be written loses what `body` changed,
    /// though its result stands. Both are reported.
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

    /// Removes one account, or all of the application, with everything that was set aside for it: in one go, so that whoever
    /// signs in next stays (`SDK-STO-4`).
    ///
    /// - Returns: The sessions that were there.
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

    /// - Parameter body: Changes the sessions, and what was set aside, by its place.
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
                    // Kept for whoever can read it, such as a newer release, and out of the way (`SDK-STO-3`).
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
            // Run again after an error, the look before was in vain.
            listeners.end(look, isWritten: false)
            look = listeners.beginLook(from: before, to: sessions)
            return (result, movedAside.filter { setAside[$0] != nil })
        }
        isWritten = true
        for place in movedAside { report(.setAside(place)) }
        return result
    }

    /// Once a whole cache was set aside, it is empty and works again.
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

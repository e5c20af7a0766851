import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signed-in user and their tokens, as kept in the token cache. It prints nothing of them.
struct Session: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// An access token and what it is good for.
    struct Token: Hashable, Sendable, Codable {
        var accessToken: String
        var scopes: [String]
        var expiresOn: Date
    }

    /// The form of the kept bytes; another number than 1 counts as signed out (`SDK-STO-3`).
    var version = 1
    var username: String
    var objectID: String
    var tenantID: String
    var idToken: String?
    var refreshToken: String?
    /// Newest last.
    var tokens: [Token] = []

    var homeAccountID: String { "\(objectID).\(tenantID)" }

    init(username: String, objectID: String, tenantID: String) {
        self.username = username
        self.objectID = objectID
        self.tenantID = tenantID
    }

    /// Reads ``kept``; nil for bytes of anything else. Why they cannot be read changes nothing: the user signs in again.
    init?(kept data: Data) {
        do {
            self = try WireJSON.decode(from: data)
        } catch {
            return nil
        }
        guard version == 1 else { return nil }
    }

    /// The bytes for the token cache.
    var kept: Data? {
        do {
            return try WireJSON.encode(self)
        } catch {
            // Strings and finite dates always encode; were it not so, signed out is the safe state.
            return nil
        }
    }

    var description: String { "Session" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// The newest token that has all of `scopes` and more than 300 s to live.
    func token(covering scopes: [String], at now: Date) -> Token? {
        tokens.last { token in
            token.expiresOn.timeIntervalSince(now) > 300 && OIDCScopes.isCovered(scopes, by: token.scopes)
        }
    }

    /// Takes over what `reply` brought; false when it brought neither token.
    mutating func update(with reply: TokenReply, requested: [String], now: Date) -> Bool {
        guard reply.tokenType.map({ $0.lowercased() == "bearer" }) ?? true,
            reply.accessToken != nil || reply.idToken != nil
        else { return false }
        idToken = reply.idToken?.reveal() ?? idToken
        refreshToken = reply.refreshToken?.reveal() ?? refreshToken
        guard let accessToken = reply.accessToken?.reveal(), !accessToken.isEmpty else { return true }
        let scopes = reply.scope.map { $0.split(separator: " ").map(String.init) } ?? requested
        // A reply without a lifetime means an hour (native-auth-v1 §6.1).
        let lifetime = Double(reply.expiresIn ?? 3600)
        let granted = Set(scopes)
        tokens.removeAll { Set($0.scopes) == granted || $0.expiresOn <= now }
        tokens.append(Token(accessToken: accessToken, scopes: scopes, expiresOn: now.addingTimeInterval(lifetime)))
        return true
    }
}

/// The scopes of OpenID Connect that every token request carries (native-auth-v1 §5.7).
enum OIDCScopes {
    static let reserved = ["openid", "profile", "offline_access"]

    /// `scopes` and the reserved ones, each once.
    static func requesting(_ scopes: [String]) -> [String] {
        scopes.filter { !reserved.contains($0.lowercased()) } + reserved
    }

    /// Whether everything asked for was granted; servers may change the letter case.
    static func isCovered(_ scopes: [String], by granted: [String]) -> Bool {
        let granted = Set(granted.map { $0.lowercased() } + reserved)
        return scopes.allSatisfy { granted.contains($0.lowercased()) }
    }
}

/// The one session of a client, kept in the token cache, and its renewal: one at a time (`SDK-REF-1`).
actor Sessions {
    private nonisolated let api: V1Client
    private nonisolated let key: String
    private var flight: Flight?
    private var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    private var nextWaiter = 0

    private typealias Outcome = Result<AccessToken, NativeAuthError>

    /// A renewal under way, and who waits for it.
    private struct Flight {
        var scopes: [String]
        var claims: String?
        var waiters: [Int] = []
    }

    init(api: V1Client) {
        self.api = api
        key = "\(api.configuration.clientID.lowercased())|\(api.configuration.authority)"
    }

    // MARK: The kept session

    nonisolated func current() -> Session? {
        withSession { $0 }
    }

    nonisolated func clear() {
        api.configuration.tokenCache.withValue(forKey: key) { $0 = nil }
    }

    /// Replaces the session by a new user's; nil, and nothing is replaced, when the reply does not say who that is.
    nonisolated func start(with reply: TokenReply, requested: [String], username: String) -> Session? {
        let claims = reply.idToken.flatMap { IDToken.claims($0.reveal()) } ?? [:]
        let info = reply.clientInfo.flatMap(ClientInfo.init(encoded:))
        guard let objectID = info?.uid ?? claims["oid"]?.string ?? claims["sub"]?.string, !objectID.isEmpty,
            let tenantID = info?.utid ?? claims["tid"]?.string, !tenantID.isEmpty
        else { return nil }
        var session = Session(
            username: claims["preferred_username"]?.string ?? username, objectID: objectID, tenantID: tenantID)
        guard session.update(with: reply, requested: requested, now: api.configuration.now()) else { return nil }
        return withSession { [session] kept in
            kept = session
            return session
        }
    }

    /// Reads and writes in one go. Bytes that cannot be read count as signed out, and stay until somebody signs in or out
    /// (`SDK-STO-3`).
    private nonisolated func withSession<Result: Sendable>(_ body: (inout Session?) -> Result) -> Result {
        api.configuration.tokenCache.withValue(forKey: key) { data in
            var session = data.flatMap(Session.init(kept:))
            let before = session
            let result = body(&session)
            if session != before { data = session?.kept }
            return result
        }
    }

    // MARK: Access tokens

    func accessToken(
        homeAccountID: String, scopes: [String], claims: String?, forceRefresh: Bool, correlationID: UUID
    ) async throws(NativeAuthError) -> AccessToken {
        let forbidden = OIDCScopes.reserved + [api.configuration.clientID.lowercased()]
        guard !scopes.contains(where: { forbidden.contains($0.lowercased()) }) else {
            let message = "The scopes openid, profile, offline_access and the client ID are reserved."
            throw .invalidScope(.init(correlationID: correlationID, message: message))
        }
        let wanted = scopes.sorted()
        while true {
            guard let session = current(), session.homeAccountID == homeAccountID else {
                throw Self.signInRequired(correlationID)
            }
            if !forceRefresh, claims == nil, let token = session.token(covering: scopes, at: api.configuration.now()) {
                return AccessToken(token, refreshToken: session.refreshToken)
            }
            if let flight, flight.scopes != wanted || flight.claims != claims {
                // Another renewal would use the same refresh token: wait, whatever becomes of it, and look again.
                if case .failure(.cancelled(let details)) = await join(correlationID) { throw .cancelled(details) }
                continue
            }
            if flight == nil { begin(session, scopes: wanted, claims: claims, correlationID: correlationID) }
            return try await join(correlationID).get()
        }
    }

    /// Starts a renewal. It belongs to no caller: when one of them is cancelled, the answer, which may hold the only valid
    /// refresh token from now on, must still be kept.
    private func begin(_ session: Session, scopes: [String], claims: String?, correlationID: UUID) {
        flight = Flight(scopes: scopes, claims: claims)
        Task {
            let outcome: Outcome
            do throws(NativeAuthError) {
                outcome = .success(
                    try await renew(session, scopes: scopes, claims: claims, correlationID: correlationID))
            } catch {
                outcome = .failure(error)
            }
            let waiting = flight?.waiters ?? []
            flight = nil
            for waiter in waiting {
                waiters.removeValue(forKey: waiter)?.resume(returning: outcome)
            }
        }
    }

    /// Waits for the renewal under way, or until the caller is cancelled.
    private func join(_ correlationID: UUID) async -> Outcome {
        let waiter = nextWaiter
        nextWaiter += 1
        let cancelled = Outcome.failure(.cancelled(.init(correlationID: correlationID, canRetry: true)))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: cancelled)
                } else {
                    waiters[waiter] = continuation
                    flight?.waiters.append(waiter)
                }
            }
        } onCancel: {
            Task { await self.abandon(waiter, with: cancelled) }
        }
    }

    private func abandon(_ waiter: Int, with outcome: Outcome) {
        waiters.removeValue(forKey: waiter)?.resume(returning: outcome)
    }

    private func renew(
        _ session: Session, scopes: [String], claims: String?, correlationID: UUID
    ) async throws(NativeAuthError) -> AccessToken {
        guard let refreshToken = session.refreshToken else { throw Self.signInRequired(correlationID) }
        let requested = OIDCScopes.requesting(scopes.isEmpty ? session.tokens.last?.scopes ?? [] : scopes)
        var correlationID = correlationID
        let request = V1.TokenRequest(
            clientID: api.configuration.clientID, grantType: .refreshToken, refreshToken: Secret(refreshToken),
            scopes: requested, clientInfo: "1", claims: claims)
        let answer: Answer<TokenReply> = try await api.sendRepeatably(
            request, to: .token, correlationID: &correlationID)
        switch answer {
        case .success(let reply):
            return try keep(reply, replacing: refreshToken, requested: requested, correlationID: correlationID)
        case .redirect(let reason):
            throw .browserRequired(.init(correlationID: correlationID, message: reason))
        case .refusal(let refusal):
            let error = Self.refreshError(refusal, correlationID: correlationID)
            if case .expired = error {
                withSession { kept in
                    if kept?.refreshToken == refreshToken { kept?.refreshToken = nil }
                }
            }
            throw error
        }
    }

    /// Stores what a renewal brought, unless the user signed out or somebody signed in while it was under way.
    private func keep(
        _ reply: TokenReply, replacing refreshToken: String, requested: [String], correlationID: UUID
    ) throws(NativeAuthError) -> AccessToken {
        let now = api.configuration.now()
        let outcome = withSession { kept -> Outcome in
            guard var session = kept, session.refreshToken == refreshToken else {
                return .failure(Self.signInRequired(correlationID))
            }
            guard reply.accessToken != nil, session.update(with: reply, requested: requested, now: now),
                let token = session.tokens.last
            else {
                return .failure(
                    .unexpectedReply(.init(correlationID: correlationID, message: V1Client.unexpectedReply)))
            }
            kept = session
            guard OIDCScopes.isCovered(requested, by: token.scopes) else {
                return .failure(
                    .invalidScope(.init(correlationID: correlationID, message: "Not every scope was granted.")))
            }
            return .success(AccessToken(token, refreshToken: session.refreshToken))
        }
        return try outcome.get()
    }

    /// `invalid_grant` ends the session, unless its number tells of something that a new sign-in does not mend
    /// (`SDK-REF-1`, native-auth-v1 §5.5).
    private static func refreshError(_ refusal: ErrorReply, correlationID: UUID) -> NativeAuthError {
        let details = NativeAuthError.Details(refusal, correlationID: correlationID, canRetry: false)
        let codes = Set((refusal.errorCodes ?? []).compactMap(AADSTSCode.init(rawValue:)))
        if !codes.isDisjoint(with: [.scopeNotConsented, .scopeInvalid]) { return .invalidScope(details) }
        if codes.contains(.multiFactorRequired) { return .mfaRequired(details) }
        let isAboutUser = !codes.isDisjoint(with: [.passwordChangeRequired, .accountLocked])
        if refusal.error == .invalidGrant, refusal.suberror == nil, !isAboutUser { return .expired(details) }
        if refusal.error == .expiredRefreshToken { return .expired(details) }
        return .init(refusal, details: details)
    }

    private static func signInRequired(_ correlationID: UUID) -> NativeAuthError {
        .signInRequired(.init(correlationID: correlationID, message: "Nobody is signed in, or the session has ended."))
    }
}

package import IdentityEngine
package import Logging
import Metrics
package import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// Tells applications that a browser session has ended (OpenID Connect Back-Channel Logout 1.0, `OIDC-25`), each at least once
/// and never in the user's request.
///
/// An application that does not answer in two seconds with a status from 200 to 299 is told again, at most ``waits`` times, and
/// then given up, which the audit trail says. The calls of one application hold up no other.
package final class LogoutCourier: Sendable {
    /// Seconds between two attempts: five in all, within ten minutes.
    static let waits: [TimeInterval] = [5, 30, 120, 360]
    /// How long one attempt may take, in milliseconds.
    static let timeout = 2_000
    /// How long a row is hidden from other nodes, in seconds: longer than an attempt.
    private static let lease: TimeInterval = 30
    /// When an application that rests is looked at again, and when one that only rests is given up, in seconds.
    private static let (rest, longestRest): (TimeInterval, TimeInterval) = (10, 900)

    private struct State {
        /// How many calls there may be at once, in all and of one application.
        var room = MailRoom(total: 32, perLane: 4)
        var isLeasing = false
    }

    private let store: any LogoutStore
    private let http: OutgoingHTTP
    private let address: @Sendable (ClientID, TenantID) -> String?
    private let token: @Sendable (SessionLogout, Date) async throws(TokenIssuerError) -> Secret<String>
    private let clock: any WallClock
    private let logger: Logger
    private let breaker = HookBreaker()
    private let state = Locked(State())

    /// - Parameters:
    ///   - address: The present back-channel address of an application; nil when it has none.
    ///   - token: Signs the logout token of an attempt.
    package init(
        store: any LogoutStore, http: OutgoingHTTP, address: @escaping @Sendable (ClientID, TenantID) -> String?,
        token: @escaping @Sendable (SessionLogout, Date) async throws(TokenIssuerError) -> Secret<String>,
        clock: any WallClock, logger: Logger
    ) {
        self.store = store
        self.http = http
        self.address = address
        self.token = token
        self.clock = clock
        self.logger = logger
    }

    /// Tells what is due, until nothing is. Calls may overlap: a later one goes on with what an earlier one does not hold.
    package func serve() async {
        do {
            while !Task.isCancelled {
                let due = try await leaseDue()
                guard !due.isEmpty else { return }
                await withDiscardingTaskGroup { group in
                    for logout in due { group.addTask { await self.tell(logout) } }
                }
            }
        } catch {
            // The leases end, and the rows are due again.
            logger.error("ended sessions cannot be read", metadata: ["cause": "\(error.logText)"])
        }
    }

    private func leaseDue() async throws(StoreError) -> [SessionLogout] {
        let room: MailRoom? = state.withLock { state in
            guard !state.isLeasing, state.room.free > 0 else { return nil }
            state.isLeasing = true
            return state.room
        }
        guard let room else { return [] }
        defer { state.withLock { $0.isLeasing = false } }
        let due = try await store.leaseLogouts(
            room, now: clock.now, until: clock.now.addingTimeInterval(Self.lease))
        // Calls that ended meanwhile only made more room.
        state.withLock { state in
            for logout in due { _ = state.room.take(logout.lane) }
        }
        return due
    }

    private func tell(_ logout: SessionLogout) async {
        defer { state.withLock { $0.room.giveBack(logout.lane) } }
        do {
            guard let address = address(logout.client, logout.tenant) else {
                return try await store.endLogout(logout, recording: nil)
            }
            let key = HookBreaker.Key(tenant: logout.tenant, hook: logout.client.uuid)
            do throws(HookFailure) {
                try breaker.begin(key)
            } catch {
                return try await postpone(logout, attempts: logout.attempts, by: Self.rest)
            }
            let refusal = await call(address, logout)
            breaker.end(key, failed: refusal != nil)
            guard let refusal else {
                Self.count("taken")
                return try await store.endLogout(logout, recording: nil)
            }
            logger.warning(
                "an application was not told of the end of a session",
                metadata: [
                    "client": "\(logout.client)", "attempt": .stringConvertible(logout.attempts + 1),
                    "reason": "\(refusal)",
                ])
            let wait = logout.attempts < Self.waits.count ? Self.waits[logout.attempts] : nil
            try await postpone(logout, attempts: logout.attempts + 1, by: wait)
        } catch {
            logger.error("ended sessions cannot be written", metadata: ["cause": "\(error.logText)"])
        }
    }

    /// - Parameter wait: Nil: it is given up.
    private func postpone(
        _ logout: SessionLogout, attempts: Int, by wait: TimeInterval?
    ) async throws(StoreError) {
        let now = clock.now
        guard let wait, now.timeIntervalSince(logout.endedAt) < Self.longestRest else {
            Self.count("given-up")
            // Without the reason: who may read the trail and set addresses would learn which ports answer.
            return try await store.endLogout(
                logout,
                recording: AuditEvent(
                    .logoutUndelivered, at: now, tenant: logout.tenant, client: logout.client, user: logout.user))
        }
        Self.count("postponed")
        try await store.postponeLogout(logout, attempts: attempts, until: now.addingTimeInterval(wait))
    }

    /// - Returns: Why the application was not told; nil when it took the token.
    private func call(_ address: String, _ logout: SessionLogout) async -> String? {
        do {
            let token = try await token(logout, clock.now)
            var form = FormFields()
            form.append("logout_token", token.reveal())
            let answer = try await http.send(
                OutgoingHTTP.Request(
                    url: address,
                    headers: ["Content-Type: application/x-www-form-urlencoded", "User-Agent: native-auth"],
                    body: Data(form.encoded.utf8), timeout: Self.timeout))
            return (200..<300).contains(answer.status) ? nil : "status-\(answer.status)"
        } catch let failure as OutgoingHTTP.Failure {
            return HookFailure(failure).word
        } catch {
            return "no-token"
        }
    }

    private static func count(_ outcome: String) {
        Counter(label: "native_auth_logouts", dimensions: [("outcome", outcome)]).increment()
    }
}

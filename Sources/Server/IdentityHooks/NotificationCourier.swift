package import IdentityEngine
package import Logging
import Metrics
package import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// Tells the subscribers of tenants what happened to users, each in the order of the audit trail, each line at least once
/// and always under the same id (docs/protocol.md §20.6).
///
/// A line that a subscriber does not take is sent again after 1 s, then 2 s, up to 5 min, and holds up the lines behind
/// it; after ``longestWait`` it is left out.
package final class NotificationCourier: Sendable {
    /// How long a line is tried, in seconds: three days.
    package static let longestWait: TimeInterval = 3 * 24 * 3_600
    /// How long one attempt may take, in milliseconds.
    private static let timeout = 5_000
    /// How long a lease lasts, and how long lines are sent under it, in seconds.
    private static let (lease, work) = (30.0, 20.0)
    /// The lines of one lease.
    private static let portion = 1_000

    private let store: any NotificationStore
    private let http: OutgoingHTTP
    private let tokens: HookTokens
    private let lineID: @Sendable (Int, TenantID) -> String
    private let clock: any WallClock
    private let randomness: any Randomness
    private let logger: Logger
    /// The subscribers that are served now.
    private let underway = Locked<Set<HookBreaker.Key>>([])

    /// - Parameter lineID: The id of the line with a number, as in the directory's audit lists.
    package init(
        store: any NotificationStore, http: OutgoingHTTP, tokens: HookTokens,
        lineID: @escaping @Sendable (Int, TenantID) -> String, clock: any WallClock, randomness: any Randomness,
        logger: Logger
    ) {
        self.store = store
        self.http = http
        self.tokens = tokens
        self.lineID = lineID
        self.clock = clock
        self.randomness = randomness
        self.logger = logger
    }

    /// Serves a subscriber until it was told everything, refuses something, or some seconds are over. Does nothing while an
    /// earlier call serves it.
    package func serve(_ subscriber: Subscriber, of tenant: TenantID) async {
        let key = HookBreaker.Key(tenant: tenant, hook: subscriber.id)
        guard underway.withLock({ $0.insert(key).inserted }) else { return }
        defer { underway.withLock { _ = $0.remove(key) } }
        let end = clock.now.addingTimeInterval(Self.work)
        do {
            var isMore = true
            while isMore, clock.now < end, !Task.isCancelled {
                isMore = try await serveOnce(subscriber, of: tenant, until: end)
            }
        } catch {
            // The lease ends, and the lines are sent again under the same ids.
            logger.error("notifications cannot be read", metadata: ["cause": "\(error.logText)"])
        }
    }

    /// - Returns: Whether there may be more to tell now.
    private func serveOnce(
        _ subscriber: Subscriber, of tenant: TenantID, until end: Date
    ) async throws(StoreError) -> Bool {
        let now = clock.now
        guard
            var lease = try await store.leaseNotifications(
                to: subscriber.id, in: tenant, limit: Self.portion, now: now,
                until: now.addingTimeInterval(Self.lease))
        else { return false }
        for line in lease.lines {
            guard clock.now < end, !Task.isCancelled else { break }
            if let event = Subscriber.Event(line.event.kind), subscriber.events.contains(event) {
                if await !send(line, event, to: subscriber, of: tenant) {
                    let isLate = clock.now.timeIntervalSince(line.event.at) > Self.longestWait
                    guard isLate else {
                        let wait = randomness.retryDelay(afterAttempts: lease.attempts + 1)
                        _ = try await store.endNotifications(
                            lease, at: lease.position, attempts: lease.attempts + 1,
                            due: clock.now.addingTimeInterval(wait))
                        return false
                    }
                    logger.error(
                        "a notification was given up",
                        metadata: ["subscriber": "\(subscriber.id.text)", "id": "\(lineID(line.seq, tenant))"])
                    Self.count("given-up")
                }
            }
            lease.position = line.position ?? lease.position
            lease.attempts = 0
        }
        return try await store.endNotifications(lease, at: lease.position, attempts: 0, due: clock.now)
    }

    /// - Returns: Whether the subscriber has taken the line: any status from 200 to 299.
    private func send(
        _ line: RecordedEvent, _ event: Subscriber.Event, to subscriber: Subscriber, of tenant: TenantID
    ) async -> Bool {
        let id = lineID(line.seq, tenant)
        let now = clock.now
        let reason: String
        do {
            let token = try await tokens.token(of: tenant, for: subscriber.audience, now: now)
            let body = try WireJSON.encode(Notification(id: id, event, line.event))
            let answer = try await http.send(
                OutgoingHTTP.Request(
                    url: subscriber.url,
                    headers: [
                        "Content-Type: application/json", "webhook-id: \(id)",
                        "webhook-timestamp: \(Int(now.timeIntervalSince1970))",
                    ] + HookTokens.headers(token), body: body, timeout: Self.timeout))
            guard !(200..<300).contains(answer.status) else {
                Self.count("taken")
                return true
            }
            reason = "status-\(answer.status)"
        } catch let failure as OutgoingHTTP.Failure {
            reason = HookFailure(failure).word
        } catch {
            reason = "no-token"
        }
        logger.warning(
            "a notification was not taken; it is sent again",
            metadata: ["subscriber": "\(subscriber.id.text)", "id": "\(id)", "reason": "\(reason)"])
        Self.count("postponed")
        return false
    }

    private static func count(_ outcome: String) {
        Counter(label: "native_auth_notifications", dimensions: [("outcome", outcome)]).increment()
    }
}

/// The body of a notification: ids and no personal data; the subscriber reads the user by the directory API.
struct Notification: Encodable {
    struct Content: Encodable {
        let tenantId: String
        let userId: String?
        let appId: String?
        /// The name of the audit trail's event.
        let reason: String
    }

    let id: String
    let type: String
    let timestamp: String
    let data: Content

    init(id: String, _ event: Subscriber.Event, _ line: AuditEvent) {
        self.id = id
        type = event.rawValue
        timestamp = line.at.ISO8601Format()
        data = Content(
            tenantId: line.tenant.description, userId: line.user?.description, appId: line.client?.description,
            reason: line.kind.rawValue)
    }
}

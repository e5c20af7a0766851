// The services that run beside the listener during a server's lifetime.

import CHost
import IdentityEngine
import IdentityHTTP
import IdentityHooks
import IdentityStoreSQL
import IdentityTLS
import IdentityTokens
import IdentityTracing
import Logging
import Metrics
import NativeAuthCore
import PortableFoundation
import ServiceLifecycle
import UnixSignals

/// Reads the listener's certificate again when its files change.
struct CertificateWatch: Service {
    /// Nil: there is no TLS.
    let certificate: ListenerCertificate?
    /// The host of the base URL; nil when clients have no other name than the listener's.
    let host: String?
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        guard let certificate else {
            try await gracefulShutdown()
            return
        }
        tell("the listener's certificate", certificate)
        await checkName(certificate)
        var warned = clock.now
        for await _ in AsyncTimer(seconds: 2).cancelOnGracefulShutdown() {
            do {
                if try certificate.renew() {
                    tell("the listener has another certificate", certificate)
                    await checkName(certificate)
                }
            } catch {
                logger.error(
                    "the listener's certificate was not replaced; the one before stays",
                    metadata: ["cause": "\(error.sentence)"])
            }
            guard clock.now.timeIntervalSince(warned) > 86_400 else { continue }
            warned = clock.now
            tell("the listener's certificate", certificate)
        }
    }

    /// A proxy that does TLS again may know the server by another name, so this is no reason not to start.
    private func checkName(_ certificate: ListenerCertificate) async {
        guard let host, await !certificate.isFor(host) else { return }
        logger.warning("the listener's certificate is not for the host of the base URL", metadata: ["host": "\(host)"])
    }

    /// An end within two weeks is a warning: whatever renews the certificate should have done so.
    private func tell(_ what: Logger.Message, _ certificate: ListenerCertificate) {
        Meter(label: "native_auth_certificate_end_seconds").set(certificate.end.timeIntervalSince1970)
        let left = certificate.end.timeIntervalSince(clock.now)
        let metadata: Logger.Metadata = ["ends": "\(certificate.end.ISO8601Format())"]
        guard left > 0 else { return logger.error("the listener's certificate has ended", metadata: metadata) }
        logger.log(level: left < 14 * 86_400 ? .warning : .notice, what, metadata: metadata)
    }
}

/// Unmaps the pages of the program that only the start, and the first round of each service, has needed: three of five MiB at rest.
struct StartPages: Service {
    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(5)) }
        } catch { return }
        chost_forget_start()
        try await gracefulShutdown()
    }
}

/// Removes expired rows, rotates signing keys that are due, and checks for floods of mail, once a minute.
struct Janitor: Service {
    let engine: Engine
    let keys: KeyRing
    let store: any SQLStore
    let tenants: LiveTenants
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        var alarms: [TenantID: Date] = [:]
        for await _ in AsyncTimer(seconds: 60).cancelOnGracefulShutdown() {
            do {
                let deleted = try await engine.deleteDueAccounts(now: clock.now)
                if deleted > 0 { logger.info("deleted accounts", metadata: ["count": .stringConvertible(deleted)]) }
                let removed = try await engine.removeExpired(now: clock.now)
                if removed > 0 {
                    logger.debug("removed expired rows", metadata: ["count": .stringConvertible(removed)])
                }
            } catch {
                logger.error("expired rows could not be removed", metadata: ["cause": "\(error.logText)"])
            }
            do {
                try await keys.rotateIfDue(now: clock.now)
            } catch {
                logger.error("signing keys could not be rotated", metadata: ["cause": "\(error.logText)"])
            }
            do {
                try await lookForFloods(&alarms, now: clock.now)
            } catch {
                logger.error("mails could not be counted", metadata: ["cause": "\(error.logText)"])
            }
        }
    }
}

extension Janitor {
    /// Logs once an hour that a tenant sends more mail than usual (`SEC-OTP-13`); `alarms` holds the times of the last
    /// logs.
    private func lookForFloods(_ alarms: inout [TenantID: Date], now: Date) async throws {
        guard let limit = engine.settings.limits?.mailsPerTenantAlert else { return }
        let hourAgo = now.addingTimeInterval(-3_600)
        for tenant in tenants.directory.entries.map(\.tenant.id)
        where alarms[tenant].map({ $0 <= hourAgo }) ?? true {
            let event = AuditEvent(.mailFlood, at: now, tenant: tenant)
            guard try await store.recordFlood(event, of: limit, since: hourAgo) else { continue }
            logger.warning("a tenant sends very many mails", metadata: ["tenant": "\(tenant)"])
            alarms[tenant] = now
        }
    }
}

/// Divides the audit trail into partitions where the database has them, and removes expired lines, once a minute. The
/// check of the lines of a large partition takes minutes, so it does not keep the ``Janitor`` from its work.
struct AuditKeeper: Service {
    let store: any SQLStore
    let chain: AuditChain
    let tenants: LiveTenants
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        // A rule of Prometheus sees only what was there before it grew.
        _ = Self.faults
        // The check of a partition with a faulty line is not repeated every minute.
        var pause = Date.distantPast
        _ = await keepPartitions(&pause)
        for await _ in AsyncTimer(seconds: 60).cancelOnGracefulShutdown() {
            await cutTrails(sparing: await keepPartitions(&pause))
        }
    }

    private static let faults = Counter(label: "native_auth_audit_faults")

    /// Counts that a line of the audit trail was found that another program has changed.
    static func countFault() { faults.increment() }

    /// The time before which lines of the tenant are removed; the tenant may no longer be configured.
    private func end(of tenant: TenantID, now: Date) -> Date {
        let entry = tenants.directory.entries.first { $0.tenant.id == tenant }
        return now.addingTimeInterval(-86_400 * Double(entry?.tenant.auditDays ?? AuditChain.retentionDays))
    }

    /// Begins and drops partitions.
    ///
    /// - Returns: The least number of the lines that are removed one by one.
    private func keepPartitions(_ pause: inout Date) async -> Int {
        let now = clock.now
        do {
            switch try await store.partitionAudit() {
            case nil: break
            case .divided: logger.notice("the audit trail was divided into partitions")
            case .begun(let number):
                logger.info("a partition of the audit trail begins", metadata: ["number": .stringConvertible(number)])
            }
            guard now >= pause else { return .min }
            let outcome = try await cancelWhenGracefulShutdown {
                try await chain.dropPartition(before: { end(of: $0, now: now) }, in: store)
            }
            switch outcome {
            case .distant: return .min
            case .near(let seq): return seq
            case .dropped(let lines, let time):
                logger.notice(
                    "a partition of the audit trail was dropped",
                    metadata: [
                        "lines": .stringConvertible(lines), "ms": .stringConvertible(Int(time / .milliseconds(1))),
                    ])
                return .min
            case .broken(let tenant):
                pause = now.addingTimeInterval(3_600)
                Self.countFault()
                logger.critical(
                    "the audit trail was tampered with; its oldest partition stays", metadata: ["tenant": "\(tenant)"])
                return .min
            }
        } catch StoreError.unavailable(is CancellationError) {
            return .min
        } catch {
            logger.error("partitions of the audit trail could not be kept", metadata: ["cause": "\(error.logText)"])
            return .min
        }
    }

    /// Removes expired audit lines (`SEC-AUD-3`), also of tenants that are no longer configured.
    private func cutTrails(sparing seq: Int) async {
        let now = clock.now
        do {
            for tenant in try await store.auditedTenants() {
                guard
                    let removed = try await chain.cut(
                        tenant, before: end(of: tenant, now: now), sparing: seq, in: store)
                else {
                    Self.countFault()
                    logger.critical(
                        "the audit trail was tampered with; nothing is removed from it",
                        metadata: ["tenant": "\(tenant)"])
                    continue
                }
                if removed > 0 {
                    logger.info(
                        "old lines of the audit trail removed",
                        metadata: ["tenant": "\(tenant)", "count": .stringConvertible(removed)])
                }
            }
        } catch {
            logger.error("old lines of the audit trail could not be removed", metadata: ["cause": "\(error.logText)"])
        }
    }
}

/// Follows the clock of a database that has one, and logs when this machine's clock differs (`REL-TIME-3`). Only the
/// log's times come from this machine's clock.
struct ClockReader: Service {
    let store: any SQLStore
    let logger: Logger

    func run() async throws {
        guard let clock = store.clock else { return try await gracefulShutdown() }
        var isSkewed = false
        var isFollowed = true
        warnOfSkew(clock, &isSkewed)
        for await _ in AsyncTimer(seconds: 10).cancelOnGracefulShutdown() {
            // Requests report an unreachable database; the time continues without it.
            guard let followed = try? await store.readClock() else { continue }
            if !followed, isFollowed { logger.error("the database's clock was set back, and is not followed") }
            isFollowed = followed
            warnOfSkew(clock, &isSkewed)
        }
    }

    /// Logs once when the clocks differ, and once when they agree again.
    private func warnOfSkew(_ clock: DatabaseClock, _ isSkewed: inout Bool) {
        let skew = SystemClock().now.timeIntervalSince(clock.now)
        Meter(label: "native_auth_clock_skew_seconds").set(skew)
        if abs(skew) > 1, !isSkewed {
            logger.warning(
                "this machine's clock is not the database's", metadata: ["seconds": .stringConvertible(Int(skew))])
        }
        isSkewed = abs(skew) > 1
    }
}

/// Seals new audit lines once a second and at the end, and logs the chain's end every hour: the log is stored outside
/// the database.
struct AuditSealer: Service {
    let chain: AuditChain
    let store: any SQLStore
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        var told: [TenantID: Date] = [:]
        for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() { await seal(&told) }
        await seal(&told)
    }

    private func seal(_ told: inout [TenantID: Date]) async {
        do {
            let sealing = try await chain.seal(in: store)
            let now = clock.now
            for (tenant, head) in sealing.heads where now.timeIntervalSince(told[tenant] ?? .distantPast) >= 3_600 {
                told[tenant] = now
                logger.info(
                    "audit trail sealed", metadata: ["tenant": "\(tenant)", "head": "\(AuditChain.text(head))"])
            }
            for tenant in sealing.broken where now.timeIntervalSince(told[tenant] ?? .distantPast) >= 60 {
                told[tenant] = now
                AuditKeeper.countFault()
                logger.critical("the audit trail was tampered with", metadata: ["tenant": "\(tenant)"])
            }
        } catch {
            logger.error("the audit trail could not be sealed", metadata: ["cause": "\(error.logText)"])
        }
    }
}

/// Adds the times of this node's steps to those of all nodes, every ten seconds and at the end. An idle node writes nothing.
struct StepTimesRecorder: Service {
    let times: StepTimes
    let store: any SQLStore
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(seconds: 10).cancelOnGracefulShutdown() { await record() }
        await record()
    }

    private func record() async {
        let counts = times.take(now: clock.now)
        guard !counts.isEmpty else { return }
        do {
            try await store.addActivity(counts, to: OperatorTenant.id)
        } catch {
            logger.error("the times of steps could not be stored", metadata: ["cause": "\(error.logText)"])
        }
    }
}

/// Sends finished spans to the collector once a second, and at the end.
struct TraceExport: Service {
    let exporter: SpanExporter

    func run() async throws {
        for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() { await exporter.flush() }
        // A collector that is slow must not hold up the end.
        await exporter.flush(until: .now + .seconds(2))
    }
}

/// Looks for a new data key every two seconds, and uses it to seal once it is active.
struct DataKeyWatch: Service {
    let keys: DataKeys
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        var generation = keys.generation
        var isOpen = true
        for await _ in AsyncTimer(seconds: 2).cancelOnGracefulShutdown() {
            do {
                let opens = try await keys.reload(now: clock.now)
                if !opens, isOpen {
                    logger.error("the master key of this server was removed; it will not do at the next start")
                }
                isOpen = opens
                guard keys.generation != generation else { continue }
                generation = keys.generation
                logger.notice("data key in force", metadata: ["generation": .stringConvertible(generation)])
            } catch {
                logger.error("the data keys could not be looked for", metadata: ["cause": "\(error.logText)"])
            }
        }
    }
}

/// Makes the signing keys before the first sign-in, while the server already answers requests.
struct KeyPreparation: Service {
    let keys: KeyRing
    let tenants: [TenantID]
    let logger: Logger

    func run() async throws {
        for tenant in tenants {
            do {
                try await keys.prepare(for: tenant)
            } catch {
                logger.error(
                    "a signing key could not be prepared",
                    metadata: ["tenant": "\(tenant)", "cause": "\(error.logText)"])
            }
        }
        // A service that returns ends the group, so this one waits. Cancellation also ends the wait.
        try await gracefulShutdown()
    }
}

/// Detects that the process was stopped and continues, before the waiting requests are handled (`REL-HA-5`).
struct Heartbeat: Service {
    let readiness: Readiness

    func run() async throws {
        readiness.beat()
        for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() { readiness.beat() }
        // The listener ends later.
        readiness.endBeating()
    }
}

/// Lets the proxy in front detect that this node is shutting down, before it does (`REL-SHUT-1`).
struct Drain: Service {
    let readiness: Readiness
    let seconds: Int

    func run() async throws {
        try await gracefulShutdown()
        readiness.drain()
        guard seconds > 0 else { return }
        try await Task.sleep(for: .seconds(seconds))
    }
}

/// Ends the server at once after a second signal (`REL-SHUT-1`).
struct SecondSignal: Service {
    func run() async throws {
        var count = 0
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            count += 1
            if count > 1 { throw CancellationError() }
        }
    }
}

/// Ticks at an interval in seconds, first after one interval.
struct AsyncTimer: AsyncSequence, Sendable {
    let seconds: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let seconds: Int

        mutating func next() async -> Void? {
            do {
                return try await Task.sleep(for: .seconds(seconds))
            } catch {
                return nil
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(seconds: seconds)
    }
}

/// Tells applications of ended sessions, looked for once a second. An application that is slow holds up no other.
struct Logouts: Service {
    let courier: LogoutCourier

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() {
                group.addTask { await courier.serve() }
            }
            group.cancelAll()
        }
    }
}

/// Ends at providers what users allowed there, looked for every five seconds.
struct Revocations: Service {
    let courier: RevocationCourier

    func run() async throws {
        for await _ in AsyncTimer(seconds: 5).cancelOnGracefulShutdown() { await courier.serve() }
    }
}

/// Tells the subscribers of all tenants what happened, looked for once a second. One that is slow holds up no other.
struct Notifications: Service {
    let tenants: LiveTenants
    let courier: NotificationCourier

    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() {
                for entry in tenants.directory.entries {
                    for subscriber in entry.tenant.subscribers {
                        group.addTask { await courier.serve(subscriber, of: entry.tenant.id) }
                    }
                }
            }
            group.cancelAll()
        }
    }
}

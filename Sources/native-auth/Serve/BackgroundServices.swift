// What runs beside the listener for as long as a server does.

import IdentityEngine
import IdentityHTTP
import IdentityStoreSQL
import IdentityTokens
import Logging
import NativeAuthCore
import ServiceLifecycle
import UnixSignals

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Removes what has expired, lines of the audit trail too, rotates signing keys that are due, and looks for floods of mail, once a minute.
struct Janitor: Service {
    let engine: Engine
    let keys: KeyRing
    let store: any SQLStore
    let chain: AuditChain
    let tenants: LiveTenants
    let clock: any WallClock
    let logger: Logger

    func run() async throws {
        var alarms: [TenantID: Date] = [:]
        for await _ in AsyncTimer(seconds: 60).cancelOnGracefulShutdown() {
            do {
                let removed = try await engine.removeExpired(now: clock.now)
                if removed > 0 {
                    logger.debug("removed expired rows", metadata: ["count": .stringConvertible(removed)])
                }
            } catch {
                logger.error("expired rows could not be removed", metadata: ["cause": "\(error.logText)"])
            }
            await cutTrails(now: clock.now)
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
    /// Removes the lines of the audit trail whose time is over (`SEC-AUD-3`), those of tenants too that are configured no longer.
    private func cutTrails(now: Date) async {
        do {
            for tenant in try await store.auditedTenants() {
                let entry = tenants.directory.entries.first { $0.tenant.id == tenant }
                let days = entry?.tenant.auditDays ?? AuditChain.retentionDays
                let end = now.addingTimeInterval(-86_400 * Double(days))
                guard let removed = try await chain.cut(tenant, before: end, in: store) else {
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

    /// Says once an hour that a tenant sends more mail than a healthy one does (`SEC-OTP-13`); `alarms` keeps when.
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

/// Keeps the time of a database that has its own, and tells when this machine's clock is another (`REL-TIME-3`). Nothing but the
/// log's times comes from it.
struct ClockReader: Service {
    let store: any SQLStore
    let logger: Logger

    func run() async throws {
        guard let clock = store.clock else { return try await gracefulShutdown() }
        var isSkewed = false
        var isFollowed = true
        warnOfSkew(clock, &isSkewed)
        for await _ in AsyncTimer(seconds: 10).cancelOnGracefulShutdown() {
            // Requests tell of a database that is away; the time goes on without it.
            guard let followed = try? await store.readClock() else { continue }
            if !followed, isFollowed { logger.error("the database's clock was set back, and is not followed") }
            isFollowed = followed
            warnOfSkew(clock, &isSkewed)
        }
    }

    /// Tells once, and again when it comes back.
    private func warnOfSkew(_ clock: DatabaseClock, _ isSkewed: inout Bool) {
        let skew = SystemClock().now.timeIntervalSince(clock.now)
        if abs(skew) > 1, !isSkewed {
            logger.warning(
                "this machine's clock is not the database's", metadata: ["seconds": .stringConvertible(Int(skew))])
        }
        isSkewed = abs(skew) > 1
    }
}

/// Seals the lines of the audit trail that were written since, once a second and at the end, and tells the log every hour how
/// far the chain goes: the log lies outside the database.
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
                logger.critical("the audit trail was tampered with", metadata: ["tenant": "\(tenant)"])
            }
        } catch {
            logger.error("the audit trail could not be sealed", metadata: ["cause": "\(error.logText)"])
        }
    }
}

/// Looks for a new data key every two seconds, and goes on to it when it is in force.
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
                    logger.error(
                        "the master key of this server was retired, and will not do at its next start")
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

/// Makes the signing keys ahead of the first sign-in, while requests are answered already.
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
        // A service that returns ends the group; this one is done, and waits. Cancellation ends the wait just as well.
        try await gracefulShutdown()
    }
}

/// Notices that the process was stopped and goes on, before what waited for it is done (`REL-HA-5`).
struct Heartbeat: Service {
    let readiness: Readiness

    func run() async throws {
        readiness.beat()
        for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() { readiness.beat() }
        // The listener ends later.
        readiness.endBeating()
    }
}

/// Lets the proxy in front find out that this node goes away, before it does (`REL-SHUT-1`).
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

/// Ends the server at once when it is asked to a second time (`REL-SHUT-1`).
struct SecondSignal: Service {
    func run() async throws {
        var count = 0
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            count += 1
            if count > 1 { throw CancellationError() }
        }
    }
}

/// Ticks every so many seconds, first after one interval.
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

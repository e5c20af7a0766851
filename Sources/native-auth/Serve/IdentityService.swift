import Crypto
import Hummingbird
import IdentityEngine
import IdentityHTTP
import IdentityMail
import IdentityPasswords
import IdentityStoreSQL
import IdentityTokens
import Logging
import NIOCore
import NativeAuthCore
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The identity server, wired: store, keys, hasher, mail, engine and listener. One value is one running server.
struct IdentityService: Sendable {
    let settings: ServeSettings
    let logger: Logger
    private let metrics: PrometheusMetrics?

    /// What is known once requests are accepted.
    struct Address: Sendable {
        /// `http://127.0.0.1:8765`, without a slash at its end.
        let listening: String
        /// What clients call the server; the same, unless a proxy stands in front.
        let baseURL: String
    }

    /// The tenants in force.
    let tenants: LiveTenants
    private let store: any SQLStore
    private let vault: Vault
    private let hasher: Argon2idHasher
    /// The time of the database, where it has one of its own; else a ``SteadyClock``.
    private let clock: any WallClock
    private let randomness = SystemRandomness()

    /// Opens everything that can be missing or damaged, so that a server either starts or says why not.
    ///
    /// - Parameter metrics: Served on the settings' port; whoever gives it has made it swift-metrics' backend.
    init(
        _ settings: ServeSettings, logger: Logger, metrics: PrometheusMetrics? = nil
    ) async throws(StartFailure) {
        self.settings = settings
        self.logger = logger
        self.metrics = metrics
        let needsDocument = settings.profile == .production && !settings.hasTenantFile
        if needsDocument, let path = settings.database.path(in: settings.dataFolder),
            !FileManager.default.fileExists(atPath: path)
        {
            throw Self.noTenants
        }
        let folder = try DataFolder(settings.dataFolder)
        let masterKey = try settings.masterKey.load(in: folder.path)
        store = try await settings.database.open(in: folder.path)
        let written: Date?
        let document: TenantDocument?
        let epoch: Data
        do {
            epoch = try await store.epoch()
            document = try await store.tenantDocument()
            written = try await store.lastAuditTime()
        } catch {
            throw .inputOutput("The database cannot be read.")
        }
        clock = try Self.clock(of: store, lastWritten: written, settings.clock)
        do {
            // A node with another master key would refuse everybody, and its users would be nobody's at the other nodes.
            vault = Vault(
                masterKey: masterKey, randomness: randomness, epoch: epoch,
                dataKeys: try await DataKeys.open(
                    in: store, masterKey: masterKey, randomness: randomness, now: clock.now))
        } catch {
            throw StartFailure(error)
        }
        guard !needsDocument || document != nil else { throw Self.noTenants }
        do {
            tenants = try LiveTenants(settings, document)
        } catch {
            throw .inputOutput(error.problems.joined(separator: " "))
        }
        if let document, settings.hasTenantFile {
            logger.warning(
                "--config is not in force: the database has a tenant document",
                metadata: ["version": "\(document.version)"])
        }
        do {
            hasher = try Argon2idHasher()
        } catch {
            throw .usage([error.description])
        }
    }

    private static let noTenants = StartFailure.usage([
        "--profile production needs --config, or a document that native-auth tenant apply put into the database."
    ])

    /// The time that counts, which has not gone back (`REL-TIME-2`, `REL-TIME-3`).
    private static func clock(
        of store: any SQLStore, lastWritten: Date?, _ check: ServeSettings.ClockCheck
    ) throws(StartFailure) -> any WallClock {
        let time = store.clock?.now ?? SystemClock().now
        if let lastWritten, check == .checked, lastWritten.timeIntervalSince(time) > 30 {
            throw .inputOutput(
                """
                The \(store.clock == nil ? "clock of this machine" : "database's clock") says \(time.ISO8601Format()), and the \
                database was last written at \(lastWritten.ISO8601Format()). Set the clock; or start with --clock accepted, and \
                what had expired since may be good once more.
                """)
        }
        return store.clock ?? SteadyClock(notBefore: check == .checked ? lastWritten : nil) as any WallClock
    }

    /// Serves until a signal, or until the task is cancelled.
    ///
    /// - Parameter onReady: Called once requests are accepted.
    func run(
        handlesSignals: Bool = true, onReady: @escaping @Sendable (Address) async -> Void
    ) async throws(StartFailure) {
        let port = try settings.port == 0 ? FreePort.any(on: settings.host) : settings.port
        let listening = "http://\(settings.host.contains(":") ? "[\(settings.host)]" : settings.host):\(port)"
        let address = Address(listening: listening, baseURL: settings.baseURL ?? listening)
        let ports =
            "Port \(port) on \(settings.host)" + (settings.metricsPort.map { " or \($0) for metrics" } ?? "") + " is"
        do {
            try await run(port: port, address: address, handlesSignals: handlesSignals, onReady: onReady)
        } catch let failure as StartFailure {
            throw failure
        } catch let error as IOError where [EADDRINUSE, EACCES, EADDRNOTAVAIL].contains(error.errnoCode) {
            throw .unavailable(
                error.errnoCode == EADDRINUSE
                    ? "\(ports) in use; choose another with --port, or 0 for any free one."
                    : "\(ports) not to be had.")
        } catch is CancellationError {
            return
        } catch {
            throw .unavailable("The server stopped: \(type(of: error)).")
        }
    }

    private func run(
        port: Int, address: Address, handlesSignals: Bool, onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        let signal = MailSignal()
        var engineSettings = EngineSettings(baseURL: address.baseURL)
        let keys = KeyRing(
            store: store, vault: vault, clock: clock, randomness: randomness,
            longestTokenLife: engineSettings.tokenLifetime.upperBound)
        if settings.profile == .development { engineSettings.enumeration = .compat }
        engineSettings.fixedCode = settings.fixedCode
        if settings.limits == .development {
            engineSettings.resendCooldown = 0
            engineSettings.limits = nil
        }
        let problems = engineSettings.problems(allowsNoCooldown: settings.limits == .development)
        guard problems.isEmpty else { throw StartFailure.usage(problems) }
        let engine = Engine(
            .init(
                clients: tenants, flows: store, users: store, refresh: store, hasher: hasher, issuer: keys,
                randomness: randomness, mail: signal), vault: vault, settings: engineSettings)

        var services: [any Service] = handlesSignals ? [SecondSignal()] : []
        let smtp: SMTPTransport
        if let url = settings.smtpURL {
            smtp = try SMTPTransport(url: url, caFile: settings.smtpCAFile)
        } else {
            let receiver = try await DevelopmentMailServer.start()
            services.append(receiver)
            smtp = try SMTPTransport(url: "smtp://127.0.0.1:\(receiver.port)")
        }
        let inbox = settings.profile == .development ? DevelopmentInbox() : nil
        let mailFrom = try settings.mailFrom.map { try MailAddress($0) }
        let fallbackSender = try MailAddress("no-reply@localhost.localdomain")
        var onDelivered: (@Sendable (DeliveredMail) async -> Void)?
        if let inbox { onDelivered = { mail in await inbox.record(mail) } }
        services.append(
            OutboxWorker(
                store: store, vault: vault, renderer: try MailRenderer(), transport: smtp,
                sender: { [tenants] in mailFrom ?? Self.sender(of: $0, in: tenants.directory) ?? fallbackSender },
                clock: clock, randomness: randomness, signal: signal,
                logger: logger, onDelivered: onDelivered))
        services.append(ClockReader(store: store, logger: logger))
        services.append(
            Janitor(
                engine: engine, keys: keys, store: store, chain: AuditChain(vault: vault), tenants: tenants,
                clock: clock, logger: logger))
        services.append(AuditSealer(chain: AuditChain(vault: vault), store: store, clock: clock, logger: logger))

        var pages: DevelopmentPages?
        if let inbox, let entry = tenants.directory.entries.first {
            pages = DevelopmentPages(
                baseURL: address.baseURL, tenant: entry.tenant, applications: entry.applications,
                mails: { recipient in await inbox.mails(to: recipient) })
        }
        let readiness = Readiness(flows: store)
        let application = IdentityServer.application(
            IdentityRoutes(
                engine: engine, clock: clock, readiness: readiness,
                resourceServerSecret: settings.resourceServerSecret, development: pages,
                countsRequests: metrics != nil),
            within: perimeter(address, limits: engineSettings.limits), host: settings.host, port: port, logger: logger,
            onRunning: { _ in await onReady(address) })
        if let metrics, let port = settings.metricsPort {
            services.append(
                OperationsServer.application(
                    metrics, facts: [("profile", settings.profile.rawValue)], readiness: readiness, clock: clock,
                    port: try port == 0 ? FreePort.any(on: "127.0.0.1") : port, logger: logger,
                    onRunning: { logger.notice("metrics", metadata: ["url": "http://127.0.0.1:\($0)/metrics"]) }))
        }
        services.append(application)
        services.append(
            KeyPreparation(keys: keys, tenants: tenants.directory.entries.map(\.tenant.id), logger: logger))
        services.append(TenantWatch(tenants: tenants, store: store, logger: logger))
        services.append(DataKeyWatch(keys: vault.dataKeys, clock: clock, logger: logger))
        services.append(Heartbeat(readiness: readiness))
        // They end in reverse order, so this one before the listener.
        services.append(Drain(readiness: readiness, seconds: settings.drain))

        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
        // Requests have 25 s after the drain (`REL-SHUT-1`). A mail server that hangs must not hold up the end longer; the outbox
        // keeps its mail.
        configuration.maximumGracefulShutdownDuration = .seconds(
            settings.drain + (settings.profile == .production ? 25 : 10))
        try await ServiceGroup(configuration: configuration).run()
        try await store.close()
    }

    /// The limits per source are on when those over time are (decision D11).
    private func perimeter(_ address: Address, limits: TimeLimits?) -> Perimeter {
        if settings.profile == .production, settings.trustedProxies.networks.isEmpty {
            // The listener is on loopback, so all requests come from a proxy, and it has the budget of one client.
            logger.warning("limits per source count all clients as one; name the proxy in front with --trusted-proxies")
        }
        return Perimeter(
            trustedProxies: settings.trustedProxies, limits: limits.map { _ in SourceLimits() },
            unlimitedNetworks: settings.unlimitedNetworks, admission: Admission(),
            pageHosts: URL(string: address.baseURL)?.host().map { [$0.lowercased()] } ?? [])
    }

    /// The address that a tenant's mails come from; nil when the tenant is gone, or its domain is none for mail.
    private static func sender(of tenant: TenantID, in directory: TenantDirectory) -> MailAddress? {
        guard let domain = directory.entries.first(where: { $0.tenant.id == tenant })?.tenant.domain else { return nil }
        do {
            return try MailAddress("no-reply@\(domain)")
        } catch {
            return nil
        }
    }
}

/// The system's clock.
struct SystemClock: WallClock {
    var now: Date { Date() }
}

/// The system's generator.
struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Removes what has expired, lines of the audit trail too, rotates signing keys that are due, and looks for floods of mail, once a minute.
private struct Janitor: Service {
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
                if removed > 0 { logger.debug("removed expired rows", metadata: ["count": "\(removed)"]) }
            } catch {
                logger.error("expired rows could not be removed")
            }
            await cutTrails(now: clock.now)
            do {
                try await keys.rotateIfDue(now: clock.now)
            } catch {
                logger.error("signing keys could not be rotated")
            }
            do {
                try await lookForFloods(&alarms, now: clock.now)
            } catch {
                logger.error("mails could not be counted")
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
                        metadata: ["tenant": "\(tenant)", "count": "\(removed)"])
                }
            }
        } catch {
            logger.error("old lines of the audit trail could not be removed")
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
private struct ClockReader: Service {
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
            logger.warning("this machine's clock is not the database's", metadata: ["seconds": "\(Int(skew))"])
        }
        isSkewed = abs(skew) > 1
    }
}

/// Seals the lines of the audit trail that were written since, once a second and at the end, and tells the log every hour how
/// far the chain goes: the log lies outside the database.
private struct AuditSealer: Service {
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
            logger.error("the audit trail could not be sealed")
        }
    }
}

/// Looks for a new data key every two seconds, and goes on to it when it is in force.
private struct DataKeyWatch: Service {
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
                logger.notice("data key in force", metadata: ["generation": "\(generation)"])
            } catch {
                logger.error("the data keys could not be looked for")
            }
        }
    }
}

/// Makes the signing keys ahead of the first sign-in, while requests are answered already.
private struct KeyPreparation: Service {
    let keys: KeyRing
    let tenants: [TenantID]
    let logger: Logger

    func run() async throws {
        for tenant in tenants {
            do {
                try await keys.prepare(for: tenant)
            } catch {
                logger.error("a signing key could not be prepared", metadata: ["tenant": "\(tenant)"])
            }
        }
        // A service that returns ends the group; this one is done, and waits. Cancellation ends the wait just as well.
        try await gracefulShutdown()
    }
}

/// Notices that the process was stopped and goes on, before what waited for it is done (`REL-HA-5`).
private struct Heartbeat: Service {
    let readiness: Readiness

    func run() async throws {
        readiness.beat()
        for await _ in AsyncTimer(seconds: 1).cancelOnGracefulShutdown() { readiness.beat() }
        // The listener ends later.
        readiness.endBeating()
    }
}

/// Lets the proxy in front find out that this node goes away, before it does (`REL-SHUT-1`).
private struct Drain: Service {
    let readiness: Readiness
    let seconds: Int

    func run() async throws {
        try await gracefulShutdown()
        readiness.drain()
        try await Task.sleep(for: .seconds(seconds))
    }
}

/// Ends the server at once when it is asked to a second time (`REL-SHUT-1`).
private struct SecondSignal: Service {
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

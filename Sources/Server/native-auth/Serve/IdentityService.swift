import Crypto
import Hummingbird
import IdentityEngine
import IdentityHTTP
import IdentityHooks
import IdentityMail
import IdentityPasswords
import IdentityStoreSQL
import IdentityTLS
import IdentityTokens
import IdentityTracing
import Logging
import NIOCore
import NativeAuthCore
import PortableFoundation
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The connected identity server: store, keys, hasher, mail, engine and listener. One value is one running server.
struct IdentityService: Sendable {
    let settings: ServeSettings
    private let logger: Logger
    private let metrics: PrometheusMetrics?
    private let exporter: SpanExporter?

    /// The addresses, known once requests are accepted.
    struct Address: Sendable {
        /// `http://127.0.0.1:8765`, without a trailing slash.
        let listening: String
        /// The URL that clients use; the same, unless a proxy stands in front.
        let baseURL: String
    }

    /// The current tenants.
    let tenants: LiveTenants
    private let store: any SQLStore
    private let vault: Vault
    private let hasher: Argon2idHasher
    /// The database's clock if it has one, otherwise a ``SteadyClock``.
    private let clock: any WallClock
    private let randomness = SystemRandomness()

    /// Opens everything that can be missing or damaged, so that a server either starts or reports why not.
    ///
    /// - Parameter metrics: Served on the settings' port; the caller has already installed it as swift-metrics'
    ///   backend.
    init(
        _ settings: ServeSettings, logger: Logger, metrics: PrometheusMetrics? = nil, exporter: SpanExporter? = nil
    ) async throws(StartFailure) {
        self.settings = settings
        self.logger = logger
        self.metrics = metrics
        self.exporter = exporter
        let needsDocument = settings.profile == .production && !settings.hasTenantFile
        if needsDocument, let path = settings.database.path(in: settings.dataFolder),
            !FileManager.default.fileExists(atPath: path)
        {
            throw Self.noTenants(settings)
        }
        let folder = try DataFolder(settings.dataFolder)
        // Check an existing key before creating a database.
        let knownKey = try settings.masterKey.known(in: folder)
        store = try await settings.database.open(in: folder.path)
        let written: Date?
        let document: TenantDocument?
        let epoch: Data
        do {
            epoch = try await store.epoch()
            document = try await store.tenantDocument()
            written = try await store.lastAuditTime()
        } catch {
            throw settings.failure(error)
        }
        clock = try Self.clock(of: store, lastWritten: written, settings.clock)
        vault = try await Self.vault(
            knownKey, folder, store, settings, randomness: randomness, epoch: epoch, now: clock.now)
        guard !needsDocument || document != nil else { throw Self.noTenants(settings) }
        do {
            tenants = try LiveTenants(settings, document)
        } catch {
            throw .inputOutput(error.problems.joined(separator: " "))
        }
        if settings.profile == .production {
            for warning in tenants.warnings { logger.warning("\(warning)") }
            for tenant in tenants.directory.entries.map(\.tenant)
            where settings.textGateway == nil && tenant.texts?.goesToHook == false {
                logger.warning(
                    "a tenant has sms, and this server has no gateway: no text is sent; see --sms and --sms-from",
                    metadata: ["tenant": "\(tenant.subdomain)"])
            }
        }
        for warning in ProviderSecrets.warnings(of: tenants.directory.entries.map(\.tenant)) {
            logger.warning("\(warning)")
        }
        if let document, settings.hasTenantFile {
            logger.warning(
                "--config is not in force: the database has a tenant document",
                metadata: ["version": .stringConvertible(document.version)])
        }
        do {
            hasher = try Argon2idHasher(threads: settings.hashThreads)
        } catch {
            throw .usage([error.description])
        }
        try await Self.mark(store, settings, now: clock.now)
    }

    private static func noTenants(_ settings: ServeSettings) -> StartFailure {
        let isFile = settings.database.path(in: settings.dataFolder) != nil
        let place = isFile ? " in the data folder \(settings.dataFolder)" : ""
        return .usage([
            """
            There are no tenants\(place): --profile production needs --config, or a document that native-auth init or native-auth tenant \
            apply put into the database.\(isFile ? " Nodes at several ports share a database of PostgreSQL." : "")
            """
        ])
    }

    /// The server's clock, which never goes back (`REL-TIME-2`, `REL-TIME-3`).
    private static func clock(
        of store: any SQLStore, lastWritten: Date?, _ check: ServeSettings.ClockCheck
    ) throws(StartFailure) -> any WallClock {
        let time = store.clock?.now ?? SystemClock().now
        if let lastWritten, check == .checked, lastWritten.timeIntervalSince(time) > 30 {
            throw .inputOutput(
                """
                The \(store.clock == nil ? "clock of this machine" : "database's clock") says \(time.ISO8601Format()), and the \
                database was last written at \(lastWritten.ISO8601Format()). Set the clock; or start with --clock accepted, and \
                what had expired since may be valid again.
                """)
        }
        return store.clock ?? SteadyClock(notBefore: check == .checked ? lastWritten : nil) as any WallClock
    }

    /// Serves until a signal, or until the task is cancelled.
    ///
    /// - Parameter onReady: Called once requests are accepted.
    func run(onReady: @escaping @Sendable (Address) async -> Void) async throws(StartFailure) {
        try await run(onReady: onReady, attempts: settings.port == 0 ? 5 : 1)
    }

    /// - Parameter attempts: How often a free port is looked for: another program may take the one that was found before this
    ///   server listens on it.
    private func run(
        onReady: @escaping @Sendable (Address) async -> Void, attempts: Int
    ) async throws(StartFailure) {
        let port = try settings.port == 0 ? FreePort.any(on: settings.host) : settings.port
        let listening =
            "\(settings.certificate == nil ? "http" : "https")://\(settings.host.contains(":") ? "[\(settings.host)]" : settings.host):\(port)"
        let address = Address(listening: listening, baseURL: settings.baseURL ?? listening)
        do {
            try ListenerPorts.check(settings)
            try await run(port: port, address: address, onReady: onReady)
        } catch let failure as StartFailure {
            throw failure
        } catch let error as IOError where [EADDRINUSE, EACCES, EADDRNOTAVAIL].contains(error.errnoCode) {
            guard error.errnoCode != EADDRINUSE || attempts == 1 else {
                return try await run(onReady: onReady, attempts: attempts - 1)
            }
            // A port that was free a moment ago, or that of a host name.
            throw .unavailable(
                "A port on \(settings.host) cannot be opened: \(String(cString: strerror(error.errnoCode))).")
        } catch is CancellationError {
            return
        } catch is SocketAddressError.UnknownHost {
            throw .usage(["--host “\(SettingsReader.shown(settings.host))” is no address and no name of this machine."])
        } catch {
            throw .unavailable("The server stopped: \(type(of: error)).")
        }
    }

    private func run(
        port: Int, address: Address, onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        let signal = MailSignal()
        let engineSettings = try engineSettings(address)
        let keys = KeyRing(
            store: store, vault: vault, clock: clock, randomness: randomness,
            longestTokenLife: engineSettings.tokenLifetime.upperBound)
        let http = outgoingHTTP()
        let admission = StepAdmission()
        let tokens = HookTokens(issuer: keys, baseURL: address.baseURL, randomness: randomness)
        let calls = settings.profile == .development ? CallLog() : nil
        var onCall: (@Sendable (HTTPHookReceiver.RecordedCall) -> Void)?
        if let calls { onCall = { call in calls.record(call) } }
        let receiver = HTTPHookReceiver(
            http: http, tokens: tokens, randomness: randomness, load: admission, logger: logger, onCall: onCall)
        let providers = HTTPProviderDocuments(http, secret: ProviderSecrets.ofProcess)
        let sample =
            try settings.profile == .development
            ? SampleProvider(vault, page: address.baseURL + DevelopmentPages.providerPath, others: providers) : nil
        let engine = Engine(
            .init(
                clients: tenants, flows: store, users: store, refresh: store, browsers: store, assertions: store,
                hasher: hasher,
                issuer: keys, randomness: randomness, mail: signal, hooks: receiver,
                signatures: KeyedPasskeySignatures(),
                identities: ProviderKeys(
                    sample ?? providers,
                    onFault: { [logger] provider, fault in
                        logger.warning(
                            "the documents of a provider cannot be used",
                            metadata: ["provider": "\(provider.id)", "reason": "\(fault.rawValue)"])
                    })), vault: vault,
            settings: engineSettings)
        let inbox = settings.profile == .development ? DevelopmentInbox() : nil
        let readiness = Readiness(flows: store)
        let times = StepTimes()

        var services: [any Service] = [SecondSignal()]
        services += try await mailServices(signal, inbox, receiver, address)
        services += [
            ClockReader(store: store, logger: logger),
            Janitor(
                engine: engine, keys: keys, store: store, tenants: tenants, clock: clock, logger: logger),
            AuditKeeper(
                store: store, chain: AuditChain(vault: vault), tenants: tenants, clock: clock, logger: logger),
            AuditSealer(chain: AuditChain(vault: vault), store: store, clock: clock, logger: logger),
        ]
        let limits = engineSettings.limits.map { _ in SourceLimits() }
        services += try operationsServices(readiness, admission, limits)
        services += exporter.map { [TraceExport(exporter: $0)] } ?? []
        services += try await operatorServices(engine, keys, readiness, address)
        services += [
            application(
                engine, keys, readiness, inbox, calls?.pages(receiver, clock: clock), sample, admission, limits, times,
                port: port,
                address: address, onReady: onReady),
            StepTimesRecorder(times: times, store: store, clock: clock, logger: logger),
            StartPages(),
            KeyPreparation(keys: keys, tenants: tenants.directory.entries.map(\.tenant.id), logger: logger),
            TenantWatch(tenants: tenants, store: store, logger: logger),
            Notifications(
                tenants: tenants,
                courier: NotificationCourier(
                    store: store, http: http, tokens: tokens, lineID: { engine.lineID(of: $0, in: $1) },
                    clock: clock, randomness: randomness, logger: logger)),
            Logouts(
                courier: LogoutCourier(
                    store: store, http: http,
                    address: { [tenants] client, tenant in
                        tenants.directory.entries.first { $0.tenant.id == tenant }?.applications
                            .first { $0.id == client }?.web.backChannelLogout
                    },
                    token: { logout, now throws(TokenIssuerError) in
                        try await engine.logoutToken(logout, now: now)
                    }, clock: clock, logger: logger)),
            Revocations(
                courier: RevocationCourier(
                    store: store, providers: engine.ports.identities,
                    grant: { await engine.grant($0.grant, of: $0.method, in: $0.tenant, now: $1) },
                    provider: { [tenants] issuer, tenant in
                        tenants.directory.entries.first { $0.tenant.id == tenant }?.tenant.providers
                            .first { $0.issuer == issuer }
                    }, clock: clock, logger: logger)),
            CertificateWatch(
                certificate: settings.certificate, host: settings.baseURL.flatMap { URL(string: $0)?.host() },
                clock: clock, logger: logger),
            DataKeyWatch(keys: vault.dataKeys, clock: clock, logger: logger),
            Heartbeat(readiness: readiness),
            // Services end in reverse order, so this one ends before the listener.
            Drain(readiness: readiness, seconds: settings.drain),
        ]
        var configuration = ServiceGroupConfiguration(
            // Without names, the library describes each service with all its properties for its log: that takes tens of
            // milliseconds and may print secrets.
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    serviceName: "\(type(of: $0))")
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Requests have 25 s after the drain (`REL-SHUT-1`). A mail server that hangs must not hold up the end longer; the outbox
        // keeps its mail.
        configuration.maximumGracefulShutdownDuration = .seconds(
            settings.drain + (settings.profile == .production ? 25 : 10))
        try await ServiceGroup(configuration: configuration).run()
        try await store.close()
    }

    private func engineSettings(_ address: Address) throws(StartFailure) -> EngineSettings {
        var engineSettings = EngineSettings(baseURL: address.baseURL)
        if settings.profile == .development {
            engineSettings.enumeration = .compat
            engineSettings.enrolment = .compatible
        }
        engineSettings.fixedCode = settings.fixedCode
        engineSettings.hasTextGateway = settings.textGateway != nil || settings.profile == .development
        if settings.limits == .development {
            engineSettings.resendCooldown = 0
            engineSettings.limits = nil
        }
        let problems = engineSettings.problems(allowsNoCooldown: settings.limits == .development)
        guard problems.isEmpty else { throw .usage(problems) }
        return engineSettings
    }

    /// The worker that sends the outbox, after its receiver if that is ours.
    private func mailServices(
        _ signal: MailSignal, _ inbox: DevelopmentInbox?, _ receiver: any HookReceiver, _ address: Address
    ) async throws -> [any Service] {
        var services: [any Service] = []
        let smtp: SMTPTransport
        if let url = settings.smtpURL {
            smtp = try SMTPTransport(url: url, caFile: settings.smtpCAFile)
        } else {
            let receiver = try await DevelopmentMailServer.start()
            services.append(receiver)
            smtp = try SMTPTransport(url: "smtp://127.0.0.1:\(receiver.port)")
        }
        let mailFrom = try settings.mailFrom.map { try MailAddress($0) }
        var onDelivered: (@Sendable (DeliveredMail) async -> Void)?
        if let inbox { onDelivered = { mail in await inbox.record(mail) } }
        services.append(
            OutboxWorker(
                store: store, vault: vault, renderer: MailRenderer(), transport: smtp, gateway: textGateway(address),
                letterhead: { [tenants] in Self.letterhead(of: $0, in: tenants.directory, mailFrom: mailFrom) },
                clock: clock, randomness: randomness, signal: signal,
                logger: logger, hooks: OutboxHooks(clients: tenants, receiver: receiver), onDelivered: onDelivered))
        return services
    }

    /// What takes text messages: the gateway, in development nothing but the inbox.
    private func textGateway(_ address: Address) -> (any TextGateway)? {
        guard let gateway = settings.textGateway, let sender = settings.textSender else {
            return settings.profile == .development ? InboxTexts() : nil
        }
        // The address is the operator's own: it may be in a private network.
        let http = OutgoingHTTP(caFile: settings.hookCAFile, allowsHTTP: gateway.base.hasPrefix("http:")) { _ in true }
        return HTTPTextGateway(
            gateway, sender: sender, http: http, reportURL: { address.baseURL + TextReports.path(of: $0) })
    }

    /// The inbox shows the texts that are taken.
    private struct InboxTexts: TextGateway {
        func send(_ text: OutgoingText) async throws(TextFailure) {}
    }

    /// Calls the receivers of hooks and notifications. In development they may be on this machine, and speak plain HTTP.
    private func outgoingHTTP() -> OutgoingHTTP {
        let isDevelopment = settings.profile == .development
        let networks = settings.hookNetworks
        return OutgoingHTTP(
            caFile: settings.hookCAFile, allowsHTTP: isDevelopment,
            mayDial: { bytes in
                DialledAddress.isPublic(bytes) || (isDevelopment && DialledAddress.isLoopback(bytes))
                    || IPAddress(bytes: bytes).map(networks.contains) ?? false
            })
    }

    /// The listener of clients.
    private func application(
        _ engine: Engine, _ keys: KeyRing, _ readiness: Readiness, _ inbox: DevelopmentInbox?,
        _ calls: DevelopmentCalls?, _ sample: SampleProvider?, _ admission: StepAdmission, _ limits: SourceLimits?,
        _ times: StepTimes, port: Int,
        address: Address,
        onReady: @escaping @Sendable (Address) async -> Void
    ) -> some Service {
        var provider: DevelopmentPages.ProviderTokens?
        if let sample { provider = { try sample.idToken(for: $0, nonce: $1, client: $2, now: $3) } }
        let pages = inbox.map { inbox in
            DevelopmentPages(
                baseURL: address.baseURL, tenants: { [tenants] in tenants.directory },
                mails: { recipient in await inbox.mails(to: recipient) }, calls: calls,
                samples: MailPreview.samples, provider: provider,
                lock: settings.localNetwork?.lock)
        }
        return IdentityServer.application(
            IdentityRoutes(
                engine: engine, clock: clock, readiness: readiness,
                resourceServers: settings.resourceServers, development: pages,
                countsRequests: metrics != nil, tracesRequests: exporter != nil,
                listener: settings.operators == .shared ? .all(store) : .users,
                times: times,
                console: settings.operators == .shared
                    ? console(engine, keys, readiness, address, address.baseURL) : nil,
                editor: DocumentEditor(store: store, tenants: tenants),
                textReports: settings.textGateway.map {
                    TextReports(store: store, gateway: $0, baseURL: address.baseURL)
                }),
            within: policy(address, limits, admission), host: settings.host, port: port,
            logger: logger,
            secured: secured,
            onRunning: { _ in await onReady(address) })
    }

    /// TLS around the listener of clients, if the server does it.
    private var secured: IdentityServer.Securing? {
        guard let certificate = settings.certificate else { return nil }
        return { SecureChannel(certificate, over: $0, counter: $1) }
    }

    /// The listener of operators, if they have one of their own. On loopback it is for callers on this machine, and for those
    /// that a tunnel lets in; elsewhere it has the protection of the listener of apps.
    private func operatorServices(
        _ engine: Engine, _ keys: KeyRing, _ readiness: Readiness, _ address: Address
    ) async throws -> [any Service] {
        if settings.operators != .off, settings.profile == .production, try await store.operators().isEmpty {
            logger.notice("there is no operator yet: native-auth operator invite --role owner makes the first one")
        }
        switch settings.operators {
        case .off: return []
        case .shared:
            if settings.profile == .production {
                logger.warning("--operators shared: operators' daemons call the listener that apps call")
            }
            return []
        case .port(let wanted):
            let host = settings.operatorsHost
            let port = try wanted == 0 ? FreePort.any(on: host) : wanted
            let baseURL = settings.operatorsURL(port: port)
            return [
                IdentityServer.application(
                    IdentityRoutes(
                        engine: engine, clock: clock, readiness: readiness, countsRequests: metrics != nil,
                        tracesRequests: exporter != nil, listener: .operators(store, baseURL: baseURL),
                        console: console(engine, keys, readiness, address, baseURL),
                        editor: DocumentEditor(store: store, tenants: tenants)),
                    within: operatorPolicy(baseURL, limits: engine.settings.limits), host: host, port: port,
                    logger: logger,
                    secured: settings.areOperatorsRemote ? secured : nil,
                    onRunning: { [logger] _ in
                        logger.notice(
                            "operators", metadata: ["url": "\(baseURL)/graph", "console": "\(baseURL)/console"])
                    })
            ]
        }
    }

    private func operatorPolicy(_ baseURL: String, limits: TimeLimits?) -> AccessPolicy {
        let isRemote = settings.areOperatorsRemote
        let names = Set(URL(string: baseURL)?.host().map { [$0.lowercased()] } ?? [])
        return AccessPolicy(
            // On loopback every program of this machine could say that it is the proxy.
            trustedProxies: isRemote ? settings.trustedProxies : TrustedProxies(),
            isBehindProxy: isRemote && settings.isBehindProxy, limits: limits.map { _ in SourceLimits() },
            unlimitedNetworks: settings.unlimitedNetworks, admission: StepAdmission(), hosts: names, inboxHosts: names)
    }

    /// The operators' pages.
    ///
    /// - Parameter baseURL: The address of the listener that they are on.
    private func console(
        _ engine: Engine, _ keys: KeyRing, _ readiness: Readiness, _ address: Address, _ baseURL: String
    ) -> Console {
        Console(
            engine: engine, operators: Operators(beside: engine, store: store, baseURL: baseURL), store: store,
            tenants: { [tenants] in tenants.directory }, facts: facts(readiness, address, operators: baseURL),
            keys: Console.Keys(
                list: { [clock] tenant in
                    try await keys.status(for: tenant, now: clock.now).map { key in
                        switch key.state {
                        case .next:
                            .init(id: key.kid, algorithm: key.algorithm.rawValue, state: .next, date: key.activeFrom)
                        case .signing:
                            .init(id: key.kid, algorithm: key.algorithm.rawValue, state: .signing, date: key.activeFrom)
                        case .retired(let end):
                            .init(id: key.kid, algorithm: key.algorithm.rawValue, state: .retired, date: end)
                        }
                    }
                },
                announce: { [clock] tenant, actor in
                    try await keys.announceRotation(for: tenant, by: actor.id, now: clock.now)
                }), editor: DocumentEditor(store: store, tenants: tenants), mailSamples: MailPreview.samples,
            isDevelopment: settings.profile == .development, appBaseURL: address.baseURL, baseURL: baseURL)
    }

    /// What this node runs, for the console. None of it is secret.
    private func facts(
        _ readiness: Readiness, _ address: Address, operators: String
    ) -> @Sendable () async -> [Console.Fact] {
        let started = clock.now
        let database = store.clock == nil ? "SQLite, in this process" : "PostgreSQL"
        let still: [Console.Fact] = [
            .init("This node", "Version", ProductVersion.current),
            .init("This node", "Profile", settings.profile.rawValue),
            .init("This node", "Started", started),
            .init("This node", "Database", database),
            .init("Listeners", "Apps", address.listening), .init("Listeners", "Base URL of apps", address.baseURL),
            .init("Listeners", "Operators", operators),
            .init("Listeners", "Metrics", settings.metricsPort.map { "port \($0)" } ?? "off"),
            .init("Settings in force", "Rate limits", settings.limits == .development ? "off" : "on"),
            .init("Settings in force", "Mail", settings.smtpURL == nil ? "development inbox" : "SMTP server"),
            .init(
                "Settings in force", "Trusted proxies",
                settings.trustedProxies.networks.isEmpty ? "none" : "named"),
        ]
        let withoutDocument = settings.hasTenantFile ? "none: the tenants of --config" : "none: the development tenant"
        return { [store, clock, tenants] in
            let now = clock.now
            let begin = ContinuousClock.now
            let isReady = await readiness.isReady(now: now)
            let time = Int(((ContinuousClock.now - begin) / .milliseconds(1)).rounded())
            var facts = still
            facts.append(
                .init(
                    "Health", "Database", isReady ? "writes work, in \(max(time, 1)) ms or less" : "writes do not work",
                    isReady ? .good : .bad))
            do {
                // The mail server takes a mail within seconds, or it cannot be reached.
                let (count, oldest) = try await store.waitingMails()
                let waiting = oldest.map { now.timeIntervalSince($0) } ?? 0
                let text =
                    switch count {
                    case 0: "no mail is waiting"
                    case _ where waiting <= 60: "\(count) on the way"
                    case _: "\(count) waiting, the oldest for \(Int(waiting / 60)) minutes: see the log"
                    }
                facts.append(.init("Health", "Mail", text, waiting > 60 ? .bad : .good))
            } catch {
                facts.append(.init("Health", "Mail", "the queue cannot be read", .bad))
            }
            facts.append(
                .init(
                    "Settings in force", "Tenant document",
                    tenants.version == 0 ? withoutDocument : "version \(tenants.version)"))
            return facts
        }
    }

    /// The listener of metrics, if there is one.
    private func operationsServices(
        _ readiness: Readiness, _ admission: StepAdmission, _ limits: SourceLimits?
    ) throws -> [any Service] {
        guard let metrics, let port = settings.metricsPort else { return [] }
        return [
            OperationsServer.application(
                metrics, facts: [("profile", settings.profile.rawValue), ("version", ProductVersion.current)],
                readiness: readiness, clock: clock, gauges: gauges(admission, limits), host: settings.operationsHost,
                port: try port == 0 ? FreePort.any(on: settings.operationsHost) : port, logger: logger,
                onRunning: { [logger, host = settings.operationsHost] in
                    let shown = host.contains(":") ? "[\(host)]" : host
                    logger.notice("metrics", metadata: ["url": "http://\(shown):\($0)/metrics"])
                })
        ]
    }

    /// What is read at each scrape.
    private func gauges(
        _ admission: StepAdmission, _ limits: SourceLimits?
    ) -> @Sendable () async -> [(name: String, value: Double)] {
        { [store, clock, logger, hasher] in
            let now = clock.now
            var values: [(name: String, value: Double)] = [
                ("native_auth_steps_under_way", Double(admission.stepsUnderWay)),
                ("native_auth_hashing_waiting", Double(hasher.waiting)),
                ("native_auth_guessing_alarm", limits?.hasAlarm(now: now) == true ? 1 : 0),
            ]
            if let waiting = store.waitingWork { values.append(("native_auth_database_waiting", Double(waiting))) }
            do {
                let (count, oldest) = try await store.waitingMails()
                values.append(("native_auth_mails_waiting", Double(count)))
                values.append(
                    ("native_auth_mails_oldest_seconds", oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0))
            } catch {
                logger.error("waiting mails could not be counted", metadata: ["cause": "\(error.logText)"])
            }
            return values
        }
    }

    /// The limits per source are on when the limits over time are (design record 0003).
    private func policy(
        _ address: Address, _ limits: SourceLimits?, _ admission: StepAdmission
    ) -> AccessPolicy {
        AccessPolicy(
            trustedProxies: settings.trustedProxies, isBehindProxy: settings.isBehindProxy,
            isHTTPSOnly: settings.profile == .production && (settings.certificate != nil || settings.isBehindProxy),
            limits: limits,
            unlimitedNetworks: settings.unlimitedNetworks, admission: admission,
            hosts: URL(string: address.baseURL)?.host().map { [$0.lowercased()] } ?? [],
            inboxHosts: settings.inboxHosts)
    }

    /// The sender and the look of a tenant's mails. The sender is that of the tenant's settings, else that of the server's,
    /// else `no-reply@` the tenant's domain; a domain that no mail can come from, and a tenant that is gone, have
    /// ``MailAddress/none``. The first two were checked when they were read.
    static func letterhead(of tenant: TenantID, in directory: TenantDirectory, mailFrom: MailAddress?) -> Letterhead {
        let tenant = directory.entries.first { $0.tenant.id == tenant }?.tenant
        let mail = tenant?.mail ?? .unchanged
        let names = [mail.sender] + [mailFrom?.text, tenant.map { "no-reply@\($0.domain)" }]
        let sender = names.lazy.compactMap { $0.flatMap { try? MailAddress($0) } }.first ?? MailAddress.none
        return Letterhead(sender: sender, mail: mail)
    }
}

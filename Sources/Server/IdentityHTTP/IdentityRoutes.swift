import HTTPTypes
package import Hummingbird
package import IdentityEngine
import Logging
import Metrics
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The HTTP routes of the identity server; each calls the engine through a codec.
package final class IdentityRoutes: Sendable {
    let engine: Engine
    private let clock: any WallClock
    private let readiness: Readiness
    let resourceServers: ResourceServers?
    private let development: DevelopmentPages?
    var isDevelopment: Bool { development != nil }
    let countsRequests: Bool
    private let tracesRequests: Bool
    let listener: Listener
    private let times: StepTimes?
    private let console: Console?
    let editor: (any TenantEditor)?
    let searches: SearchGate
    private let textReports: TextReports?
    /// The outermost middleware.
    let guardian: RequestGuard
    /// The answers of ``discovery(_:_:)``, which depend only on the tenant.
    private let discoveryDocuments = Locked<[TenantID: ByteBuffer]>([:])
    /// The answer of ``openAPI(_:_:)``.
    private let openAPIDocument = Locked<ByteBuffer?>(nil)

    /// - Parameters:
    ///   - resourceServers: The resource servers that may introspect tokens; nil: none (RFC 7662 section 2.1).
    ///   - development: The home page and the inbox; nil in production, where they do not exist.
    ///   - countsRequests: Whether requests and steps are counted and timed, through swift-metrics.
    ///   - tracesRequests: Whether requests are traced, through swift-distributed-tracing.
    ///   - listener: Which part of the API these routes are for.
    ///   - times: Counts how long native steps take, for the console.
    ///   - console: The operators' pages, where the listener answers operators; nil: there are none.
    ///   - textReports: Takes the reports of the gateway for texts; nil: there is no gateway.
    ///   - editor: Changes applications and daemons for operators; nil: they are fixed.
    package init(
        engine: Engine, clock: any WallClock, readiness: Readiness, resourceServers: ResourceServers? = nil,
        development: DevelopmentPages? = nil, countsRequests: Bool = false,
        tracesRequests: Bool = false, listener: Listener = .users, times: StepTimes? = nil, console: Console? = nil,
        editor: (any TenantEditor)? = nil, textReports: TextReports? = nil
    ) {
        self.engine = engine
        self.clock = clock
        self.readiness = readiness
        self.resourceServers = resourceServers
        self.development = development
        self.countsRequests = countsRequests
        self.tracesRequests = tracesRequests
        self.listener = listener
        self.times = times
        self.console = console
        // One gate for daemons and operators: they search the same database.
        searches = console?.searches ?? SearchGate()
        self.editor = editor
        self.textReports = textReports
        guardian = RequestGuard(
            randomness: engine.ports.randomness, clock: clock, readiness: readiness, hasConsole: console != nil,
            tracesRequests: tracesRequests)
    }

    /// Answers with the routes of the listener. The context names the server: servers that have only the routes of
    /// users share one router, because it takes longer to make than the rest of a test's server.
    func responder() -> RouterResponder<IdentityRequestContext> {
        if case .users = listener, development == nil, textReports == nil, !countsRequests { return Self.ofUsers }
        return router().buildResponder()
    }

    private static let ofUsers = {
        let router = emptyRouter(countsRequests: false)
        addUserRoutes(to: router)
        return router.buildResponder()
    }()

    /// The router of the listener.
    package func router() -> Router<IdentityRequestContext> {
        let router = Self.emptyRouter(countsRequests: countsRequests)
        switch listener {
        case .users: Self.addUserRoutes(to: router, development, textReports)
        case .operators(let store, let baseURL): addOperatorRoutes(to: router, store, baseURL)
        case .all(let store):
            Self.addUserRoutes(to: router, development, textReports)
            addOperatorRoutes(to: router, store, engine.settings.baseURL)
        }
        return router
    }

    /// What each listener has.
    private static func emptyRouter(countsRequests: Bool) -> Router<IdentityRequestContext> {
        let router = Router(context: IdentityRequestContext.self)
        if countsRequests { router.add(middleware: MetricsMiddleware()) }
        router.add(middleware: GuardOfServer())
        route(router, "/livez", .get) { _, _, _ in text("ok") }
        route(router, "/readyz", .get) { server, _, _ in
            await server.readiness.isReady(now: server.clock.now) ? text("ok") : text("not ready", .serviceUnavailable)
        }
        return router
    }

    /// The outermost middleware of the server that answers.
    private struct GuardOfServer: RouterMiddleware {
        typealias Context = IdentityRequestContext

        @concurrent
        func handle(
            _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            try await context.server().guardian.handle(request, context: context, next: next)
        }
    }

    /// What operators call. Daemons get their tokens at either listener.
    private func addOperatorRoutes(
        to router: Router<IdentityRequestContext>, _ store: any DirectoryStore, _ baseURL: String
    ) {
        if case .operators = listener {
            Self.route(router, "/{tenant}/\(V1Endpoint.token.rawValue)", .post) { server, request, context in
                try await server.native(.token, request, context)
            }
        }
        for method: HTTPRequest.Method in [.get, .post, .put, .patch, .delete] {
            router.on("/graph/**", method: method) { request, context in
                try await context.server().operatorDirectory(request, context, store, baseURL: baseURL)
            }
        }
        if let console { addConsole(console, to: router) }
        // For the console's view of the hosted pages; with one listener they are there already.
        if case .operators = listener { Self.addLooks(to: router) }
    }

    /// What hosted pages look like.
    private static func addLooks(to router: Router<IdentityRequestContext>) {
        route(router, "/{tenant}/theme/{name}", .get) { try await $0.theme($1, $2) }
        for asset in HostedAsset.allCases { route(router, RouterPath(asset.path), .get) { _, _, _ in asset.response } }
    }

    /// The operators' pages. A path has the methods of its routes.
    private func addConsole(_ console: Console, to router: Router<IdentityRequestContext>) {
        if case .operators = listener {
            Self.route(router, "/", .get) { _, _, _ in Console.redirect(to: "/console") }
        }
        // Browsers ask for it, whatever the page says.
        Self.route(router, "/favicon.ico", .get) { _, _, _ in Response(status: .noContent) }
        for (path, routes) in Dictionary(grouping: ConsoleRoute.allCases, by: \.path) {
            Self.route(router, RouterPath(path), routes.map(\.method)) { _, request, context in
                guard let route = routes.first(where: { $0.method == request.method }) else {
                    throw RequestFault.unknownPath
                }
                return try await console.answer(route, request, context)
            }
        }
    }

    /// What apps and their users call.
    private static func addUserRoutes(
        to router: Router<IdentityRequestContext>, _ development: DevelopmentPages? = nil,
        _ textReports: TextReports? = nil
    ) {
        for endpoint in V1Endpoint.allCases {
            route(router, "/{tenant}/\(endpoint.rawValue)", .post, answersPreflights: true) {
                server, request, context in
                try await server.native(endpoint, request, context)
            }
        }
        route(router, "/{tenant}/\(MetadataEndpoint.openIDConfiguration.rawValue)", .get) {
            try await $0.discovery($1, $2)
        }
        route(router, "/{tenant}/\(MetadataEndpoint.jsonWebKeys.rawValue)", .get) { try await $0.keys($1, $2) }
        route(
            router, "/{tenant}/\(MetadataEndpoint.revocation.rawValue)", .post, answersPreflights: true
        ) { try await $0.revoke($1, $2) }
        route(router, "/{tenant}/\(MetadataEndpoint.tokenIntrospection.rawValue)", .post) {
            try await $0.introspect($1, $2)
        }
        // These routes have both methods (OpenID Connect Core 1.0 sections 3.1.2.1 and 5.3.1).
        route(router, "/{tenant}/\(MetadataEndpoint.authorize.rawValue)", .get, .post) {
            try await $0.authorize($1, $2)
        }
        route(router, "/{tenant}/\(MetadataEndpoint.logout.rawValue)", .get, .post) { try await $0.logout($1, $2) }
        route(
            router, "/{tenant}/\(MetadataEndpoint.pushedAuthorization.rawValue)", .post, answersPreflights: true
        ) { try await $0.pushedRequest($1, $2) }
        route(router, "/{tenant}/\(MetadataEndpoint.deviceAuthorization.rawValue)", .post) {
            try await $0.deviceCodes($1, $2)
        }
        route(router, "/{tenant}/\(MetadataEndpoint.devicePage.rawValue)", .get, .post) { try await $0.device($1, $2) }
        route(router, "/{tenant}/web/{handle}", .get, .post) { try await $0.hosted($1, $2) }
        route(router, "/{tenant}/federation/{provider}/callback", .get, .post) { try await $0.providerCallback($1, $2) }
        route(router, "/{tenant}/federation/{provider}/notices", .post) { try await $0.providerNotice($1, $2) }
        route(router, "/{tenant}/account", .get, .post) { try await $0.account($1, $2) }
        route(router, "/{tenant}/account/{part}", .get, .post) { try await $0.account($1, $2) }
        addLooks(to: router)
        route(router, "/{tenant}/\(MetadataEndpoint.userInfo.rawValue)", .get, .post, answersPreflights: true) {
            server, request, context in
            try await server.answeringOrigin(of: request, context, token: token(of: request)) {
                try await server.userInfo(request, context)
            }
        }
        for path in Set(DirectoryOperation.allCases.map(\.path)).sorted() {
            let operations = DirectoryOperation.allCases.filter { $0.path == path }
            route(
                router, "/\(path)", operations.map(\.httpMethod),
                answersPreflights: operations.allSatisfy { !$0.scopes.isEmpty }
            ) {
                try await $0.directory(path, $1, $2)
            }
        }
        route(router, RouterPath(OpenAPIDocument.path), .get) { try await $0.openAPI($1, $2) }
        for file in AssociationFile.allCases {
            route(router, RouterPath(file.path), .get) { try await $0.association(file, $1, $2) }
        }
        if let textReports {
            route(router, RouterPath(TextReports.template), .post) { try await textReports.answer($1, $2) }
        }
        if let development {
            route(router, "/", .get) { _, _, _ in development.home() }
            route(router, "/dev/inbox", development.lock == nil ? [.get] : [.get, .post]) { _, request, _ in
                request.method == .post
                    ? try await development.unlock(request)
                    : await development.unlocked(request) { development.inbox() }
            }
            route(router, "/dev/inbox.json", .get) { _, request, _ in
                await development.unlocked(request) { await development.inboxJSON(request) }
            }
            route(router, "/dev/mails", .get) { _, request, _ in
                try await development.unlocked(request) { try development.mailGallery(request) }
            }
            route(router, "/dev/hooks", .get, .post) { _, request, _ in
                try await development.unlocked(request) {
                    request.method == .post ? try await development.sendAgain(request) : development.hooks()
                }
            }
            route(router, RouterPath(DevelopmentPages.providerPath), .get, .post) { _, request, context in
                try await development.unlocked(request) {
                    request.method == .post
                        ? try await development.answerOfProvider(request, now: context.trace.at)
                        : try development.askAtProvider(request)
                }
            }
            route(router, RouterPath(DevelopmentPages.providerPath + "/token"), .post) { _, request, context in
                try await development.unlocked(request) {
                    try await development.tokenOfProvider(request, now: context.trace.at)
                }
            }
            route(router, "/dev/api/{tenant}", .get) { try await $0.developmentAPI($1, $2) }
        }
    }

    private typealias Handler =
        @Sendable (_ server: IdentityRoutes, Request, IdentityRequestContext) async throws -> Response

    /// Adds a route for these methods; other methods get 405 with the documented JSON.
    ///
    /// - Parameter answersPreflights: Whether pages may call it from their scripts.
    private static func route(
        _ router: Router<IdentityRequestContext>, _ path: RouterPath, _ methods: HTTPRequest.Method...,
        answersPreflights: Bool = false, handler: @escaping Handler
    ) {
        route(router, path, methods, answersPreflights: answersPreflights, handler: handler)
    }

    private static func route(
        _ router: Router<IdentityRequestContext>, _ path: RouterPath, _ methods: [HTTPRequest.Method],
        answersPreflights: Bool = false, handler: @escaping Handler
    ) {
        for method in methods {
            router.on(path, method: method) { try await handler($1.server(), $0, $1) }
        }
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        if answersPreflights {
            router.on(path, method: .options) { try await $1.server().preflight($0, $1, allowed) }
        }
        for other: HTTPRequest.Method in [.get, .post, .put, .patch, .delete, .head, .options, .trace]
        where !methods.contains(other) && !(answersPreflights && other == .options) {
            router.on(path, method: other) { _, _ -> Response in
                throw RequestFault.wrongMethod(allowed: allowed)
            }
        }
    }

    /// One native step: form → command → engine → reply.
    private func native(
        _ endpoint: V1Endpoint, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        // Checked before the form is parsed: under ten times the load nine of ten requests end here.
        if endpoint.beginsFlow, let admission = context.policy.admission, !admission.hasRoomForNewcomers {
            _ = admission.countRefusal()
            throw EngineError.overloaded
        }
        let form = try await Self.form(of: request)
        if endpoint == .token, try DaemonCodec.isOfDaemon(form) {
            return try await daemonToken(form, request, context)
        }
        // People sign in at the console's pages here, and at the other listener.
        if case .operators = listener { throw RequestFault.unknownGrant }
        let client = try Console.optional("client_id", of: form).flatMap { ClientID($0) }
        return try await answeringOrigin(of: request, context, client: client) {
            try await native(endpoint, form, request, context)
        }
    }

    /// The same, once the form is here and its origin is known.
    private func native(
        _ endpoint: V1Endpoint, _ form: FormFields, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        var form = form
        let started = ContinuousClock.now
        defer { times?.record(ContinuousClock.now - started) }
        if endpoint == .token, let refusal = try await authenticate(&form, request, context) { return refusal }
        var asked = try V1Codec.request(
            endpoint, form, needsEveryScope: MediaType.isBrowserSDK(request.headers[IdentityHeader.clientSKU]))
        if case .redeemCode(var presentation) = asked.command {
            presentation.isByPage = request.headers[.origin] != nil
            asked.command = .redeemCode(presentation)
        }
        if case .exchange(var exchange) = asked.command {
            exchange.isByPage = request.headers[.origin] != nil
            asked.command = .exchange(exchange)
        }
        return try await answer(asked, request, context)
    }

    /// Passes a command to the engine, and writes the reply.
    func answer(
        _ asked: V1Codec.Request, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        var caller = caller(
            tenant: try context.parameters.require("tenant"), client: asked.client, request, context)
        if asked.command.isAboutTokens { caller.front = .token }
        // Only a request for tokens has one; elsewhere the header means nothing.
        if asked.grant != nil { caller.proof = Self.proof(of: request) }
        caller.deviceSecret = asked.deviceProof.map { .key($0) }
        let outcome = try await outcome(of: asked.command, in: caller, context)
        let unknown = try await engine.unknownAttributes(of: asked.command, in: caller)
        if let unknown {
            context.logger.warning("unknown attribute names were ignored", metadata: unknown.logMetadata)
            development?.unknownAttributes.note(unknown, at: context.trace.at)
        }
        let reply = V1Codec.reply(outcome, hint: development == nil ? nil : unknown?.hint)
        context.errorCode.withLock { $0 = reply.errorCode }
        if countsRequests {
            let step = context.endpointPath ?? "none"
            Counter(
                label: "native_auth_steps",
                dimensions: [("step", step), ("outcome", reply.failure ?? "ok")]
                    + (asked.grant.map { [("grant", $0.rawValue)] } ?? [])
            ).increment()
        }
        return RequestGuard.response(reply)
    }

    /// Passes a command to the engine, within the limits per source, flow and family.
    func outcome(
        of command: Command, in caller: CallerContext, _ context: IdentityRequestContext
    ) async throws -> Outcome {
        switch caller.front {
        case .browser, .account: try context.admitStart(of: command)
        case .native, .token: break
        }
        try context.checkGuesses(before: command)
        // A made-up token has no counter; the engine refuses it.
        if context.policy.limits != nil, let step = command.traits.repeats,
            let key = try await engine.repeatedKey(of: command, in: caller)
        {
            // The key includes the source, so that no other source can use up a family's budget.
            try context.admit(step, of: key + (context.source?.forEngine.address ?? Data()))
        }
        let outcome = try await context.admitted(command) {
            try await engine.handle(command, in: caller)
        }
        // A repeated answer was counted the first time (REL-IDEM).
        if outcome.trace.id == context.trace.id {
            context.countGuess(command, outcome.verdict)
            if context.count(outcome.disclosure) { try await engine.recordEnumeration(in: caller) }
        }
        return outcome
    }

    /// Who asks the engine.
    func caller(
        tenant: String, client: ClientID, _ request: Request, _ context: IdentityRequestContext
    ) -> CallerContext {
        var caller = CallerContext(
            tenantName: tenant, client: client,
            language: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]),
            source: context.source?.forEngine, enumerationWait: context.enumerationWait, trace: context.trace)
        caller.device = SessionDevice(
            model: request.headers[IdentityHeader.clientDevice], system: request.headers[IdentityHeader.clientOS])
        return caller
    }

    /// The form in the body. Parameters of the API must not appear in the URL, which logs would store (`SEC-NET-9`).
    static func form(of request: Request) async throws -> FormFields {
        guard MediaType.isForm(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        let body = try await RequestGuard.body(of: request)
        let form: FormFields
        let query: FormFields
        do {
            form = try FormFields(decoding: body.readableBytesView)
            query = try FormFields(decoding: (request.uri.query ?? "").utf8)
        } catch {
            throw RequestFault.malformed(error)
        }
        guard !query.names.contains(where: V1Codec.isParameter) else { throw RequestFault.parametersInQuery }
        return form
    }

    /// OpenID Connect discovery (docs/protocol.md §1.3).
    private func discovery(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        if let document = discoveryDocuments.withLock({ $0[tenant.id] }) { return Self.publicDocument(document) }
        let base = "\(engine.settings.baseURL)/\(tenant.id)"
        var configuration = OpenIDConfiguration(
            issuer: "\(base)/v2.0", authorizationEndpoint: "\(base)/\(MetadataEndpoint.authorize.rawValue)",
            tokenEndpoint: "\(base)/\(V1Endpoint.token.rawValue)",
            jwksURI: "\(base)/\(MetadataEndpoint.jsonWebKeys.rawValue)",
            endSessionEndpoint: "\(base)/\(MetadataEndpoint.logout.rawValue)",
            userinfoEndpoint: "\(base)/\(MetadataEndpoint.userInfo.rawValue)",
            revocationEndpoint: "\(base)/\(MetadataEndpoint.revocation.rawValue)",
            introspectionEndpoint: resourceServers.map { _ in
                "\(base)/\(MetadataEndpoint.tokenIntrospection.rawValue)"
            },
            responseTypesSupported: ["code"],
            responseModesSupported: AuthorizationRequest.ResponseMode.allCases.map(\.rawValue),
            grantTypesSupported: [
                GrantType.authorizationCode, .refreshToken, .deviceCode, .tokenExchange, .clientCredentials,
                .continuationToken,
                .password, .oob,
                .mfaOOB,
            ].map(\.rawValue),
            subjectTypesSupported: ["pairwise"], idTokenSigningAlgValuesSupported: ["RS256", "ES256"],
            scopesSupported: ["openid", "profile", "email", "offline_access"],
            claimsSupported: [
                "sub", "iss", "aud", "exp", "iat", "nbf", "nonce", "auth_time", "amr", "acr", "acrs", "oid", "tid",
                "sid",
                "preferred_username", "name", "given_name", "family_name", "email", "ver",
            ],
            tokenEndpointAuthMethodsSupported: [
                "none", "client_secret_post", "client_secret_basic", "private_key_jwt",
            ],
            tokenEndpointAuthSigningAlgValuesSupported: ["RS256", "PS256", "ES256"],
            revocationEndpointAuthMethodsSupported: ["none"],
            introspectionEndpointAuthMethodsSupported: resourceServers.map { _ in ["client_secret_basic"] },
            codeChallengeMethodsSupported: ["S256"])
        configuration.pushedAuthorizationRequestEndpoint =
            "\(base)/\(MetadataEndpoint.pushedAuthorization.rawValue)"
        configuration.requirePushedAuthorizationRequests = false
        configuration.deviceAuthorizationEndpoint = "\(base)/\(MetadataEndpoint.deviceAuthorization.rawValue)"
        configuration.authorizationResponseIssParameterSupported = true
        configuration.claimsParameterSupported = true
        configuration.requestParameterSupported = false
        configuration.requestURIParameterSupported = false
        configuration.promptValuesSupported = AuthorizationRequest.Prompt.allCases.map(\.rawValue)
        configuration.uiLocalesSupported = MailLanguage.allCases.map(\.rawValue)
        configuration.backchannelLogoutSupported = true
        configuration.backchannelLogoutSessionSupported = true
        configuration.frontchannelLogoutSupported = true
        configuration.frontchannelLogoutSessionSupported = true
        configuration.dpopSigningAlgValuesSupported = ProofAlgorithm.allCases.map(\.rawValue)
        let document = ByteBuffer(bytes: try WireJSON.encode(configuration))
        discoveryDocuments.withLock { $0[tenant.id] = document }
        return Self.publicDocument(document)
    }

    /// The description of all endpoints, for tools.
    private func openAPI(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        if let document = openAPIDocument.withLock({ $0 }) { return Self.publicDocument(document) }
        let document = ByteBuffer(bytes: try OpenAPIDocument.bytes(baseURL: engine.settings.baseURL))
        openAPIDocument.withLock { $0 = document }
        return Self.publicDocument(document)
    }

    /// The tenant's public keys (RFC 7517).
    private func keys(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        do {
            return Self.publicDocument(ByteBuffer(bytes: try await engine.ports.issuer.jwks(for: tenant.id)))
        } catch {
            throw EngineError.tokens(error)
        }
    }

    func tenant(_ context: IdentityRequestContext) async throws -> Tenant {
        guard let tenant = try await engine.tenant(named: try context.parameters.require("tenant")) else {
            throw RequestFault.unknownTenant
        }
        return tenant
    }

    /// A public document that seldom changes and is the same for all clients.
    private static func publicDocument(_ body: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: "public, max-age=3600",
                .accessControlAllowOrigin: "*",
            ],
            body: ResponseBody(byteBuffer: body))
    }

    private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}

/// Header names; the literals are tokens of RFC 9110, so none of these is nil.
enum IdentityHeader {
    static let clientSKU = HTTPField.Name(WireHeader.clientSKU)!
    static let clientDevice = HTTPField.Name(WireHeader.clientDevice)!
    static let clientOS = HTTPField.Name(WireHeader.clientOS)!
    static let clientRequestID = HTTPField.Name(WireHeader.clientRequestID)!
    static let requestID = HTTPField.Name(WireHeader.requestID)!
    static let dpop = HTTPField.Name("DPoP")!
    static let textSignature = HTTPField.Name("X-Twilio-Signature")!
    static let consistencyLevel = HTTPField.Name("ConsistencyLevel")!
}

enum MediaType {
    /// `application/x-www-form-urlencoded`, with `charset=utf-8` or no parameter (`SEC-NET-7`).
    static func isForm(_ contentType: String?) -> Bool {
        // The usual spelling of clients.
        if contentType == "application/x-www-form-urlencoded" { return true }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let parts = (contentType ?? "").lowercased().split(separator: ";").map { part in
            String(part.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        }
        guard parts.first == "application/x-www-form-urlencoded" else { return false }
        return parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    /// `application/json`, with any parameters: the SDKs of the directory send some.
    static func isJSON(_ contentType: String?) -> Bool {
        contentType?.lowercased().split(separator: ";").first?.trimmingPrefix(" ") == "application/json"
    }

    /// Whether the client is an SDK for browsers, by its `x-client-SKU` (docs/protocol.md §2.2).
    static func isBrowserSDK(_ sku: String?) -> Bool {
        sku?.lowercased().hasPrefix("msal.") == true && sku?.lowercased().contains("browser") == true
    }
}

import HTTPTypes
package import Hummingbird
package import IdentityEngine
import Logging
import NIOCore
import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The identity server as HTTP: routes, and what each does with engine and codec.
package struct IdentityRoutes: Sendable {
    private let engine: Engine
    private let clock: any WallClock
    private let readiness: Readiness
    private let development: DevelopmentPages?

    /// - Parameter development: The home page and the inbox; nil in production, where they do not exist.
    package init(engine: Engine, clock: any WallClock, readiness: Readiness, development: DevelopmentPages? = nil) {
        self.engine = engine
        self.clock = clock
        self.readiness = readiness
        self.development = development
    }

    /// The router of everything that the public listener answers.
    package func router() -> Router<IdentityRequestContext> {
        let router = Router(context: IdentityRequestContext.self)
        router.add(middleware: RequestGuard(randomness: engine.ports.randomness, clock: clock))
        for endpoint in V1Endpoint.allCases where endpoint.isServed {
            route(router, "/{tenant}/\(endpoint.rawValue)", .post) { request, context in
                try await native(endpoint, request, context)
            }
        }
        route(router, "/{tenant}/\(MetadataEndpoint.openIDConfiguration.rawValue)", .get, discovery)
        route(router, "/{tenant}/\(MetadataEndpoint.jsonWebKeys.rawValue)", .get, keys)
        route(router, "/livez", .get) { _, _ in Self.text("ok") }
        route(router, "/readyz", .get) { _, _ in
            await readiness.isReady(now: clock.now) ? Self.text("ok") : Self.text("not ready", .serviceUnavailable)
        }
        if let development {
            route(router, "/", .get) { _, _ in development.home() }
            route(router, "/dev/inbox", .get) { _, _ in development.inbox() }
            route(router, "/dev/inbox.json", .get) { request, _ in await development.inboxJSON(request) }
        }
        return router
    }

    /// Adds a route for one method; any other answers 405 with the documented JSON.
    private func route(
        _ router: Router<IdentityRequestContext>, _ path: RouterPath, _ method: HTTPRequest.Method,
        _ handler: @escaping @Sendable (Request, IdentityRequestContext) async throws -> Response
    ) {
        router.on(path, method: method, use: handler)
        for other: HTTPRequest.Method in [.get, .post, .put, .patch, .delete, .head, .options, .trace]
        where other != method {
            router.on(path, method: other) { _, _ -> Response in
                throw RequestFault.wrongMethod(allowed: method.rawValue)
            }
        }
    }

    /// One native step: form → command → engine → reply.
    private func native(
        _ endpoint: V1Endpoint, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
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
        // SEC-NET-9: a parameter of the API in the URL would stand in logs; it is refused wherever else it also is.
        guard !query.names.contains(where: V1Codec.isParameter) else { throw RequestFault.parametersInQuery }
        let asked = try V1Codec.request(
            endpoint, form, needsEveryScope: MediaType.isBrowserSDK(request.headers[IdentityHeader.clientSKU]))
        let outcome = try await engine.handle(
            asked.command,
            in: CommandContext(
                tenantName: try context.parameters.require("tenant"), client: asked.client,
                language: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]), trace: context.trace))
        return RequestGuard.response(V1Codec.reply(outcome))
    }

    /// OpenID Connect discovery (native-auth-v1 §1.3).
    private func discovery(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        let base = "\(engine.settings.baseURL)/\(tenant.id)"
        let document = OpenIDConfiguration(
            issuer: "\(base)/v2.0", authorizationEndpoint: "\(base)/\(MetadataEndpoint.authorize.rawValue)",
            tokenEndpoint: "\(base)/\(V1Endpoint.token.rawValue)",
            jwksURI: "\(base)/\(MetadataEndpoint.jsonWebKeys.rawValue)",
            endSessionEndpoint: "\(base)/\(MetadataEndpoint.logout.rawValue)", responseTypesSupported: ["code"],
            responseModesSupported: ["query", "fragment"],
            grantTypesSupported: [GrantType.continuationToken.rawValue, GrantType.refreshToken.rawValue],
            subjectTypesSupported: ["pairwise"], idTokenSigningAlgValuesSupported: ["RS256", "ES256"],
            scopesSupported: ["openid", "profile", "email", "offline_access"],
            claimsSupported: [
                "sub", "iss", "aud", "exp", "iat", "nbf", "auth_time", "amr", "oid", "tid", "preferred_username",
                "name",
                "given_name", "family_name", "email", "ver",
            ], tokenEndpointAuthMethodsSupported: ["none"])
        return Self.json(try WireJSON.encode(document), cacheControl: "public, max-age=3600")
    }

    /// The tenant's public keys (RFC 7517).
    private func keys(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        do {
            return Self.json(try await engine.ports.issuer.jwks(for: tenant.id), cacheControl: "public, max-age=3600")
        } catch {
            throw EngineError.tokens(error)
        }
    }

    private func tenant(_ context: IdentityRequestContext) async throws -> Tenant {
        guard let tenant = try await engine.tenant(named: try context.parameters.require("tenant")) else {
            throw RequestFault.unknownTenant
        }
        return tenant
    }

    static func json(_ body: Data, cacheControl: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: cacheControl,
                .accessControlAllowOrigin: "*",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    private static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}

extension V1Endpoint {
    /// Whether this server answers the endpoint.
    var isServed: Bool {
        switch self {
        case .signUpStart, .signUpChallenge, .signUpContinue, .token: true
        case .signInInitiate, .signInChallenge, .signInIntrospect, .resetPasswordStart, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            false
        }
    }
}

/// Header names; the literals are tokens of RFC 9110, so none of these is nil.
enum IdentityHeader {
    static let clientSKU = HTTPField.Name(WireHeader.clientSKU)!
    static let clientRequestID = HTTPField.Name(WireHeader.clientRequestID)!
    static let requestID = HTTPField.Name(WireHeader.requestID)!
}

enum MediaType {
    /// `application/x-www-form-urlencoded`, with `charset=utf-8` or no parameter (`SEC-NET-7`).
    static func isForm(_ contentType: String?) -> Bool {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let parts = (contentType ?? "").lowercased().split(separator: ";").map { part in
            String(part.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        }
        guard parts.first == "application/x-www-form-urlencoded" else { return false }
        return parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }

    /// Whether the caller is an SDK for browsers, by its `x-client-SKU` (native-auth-v1 §2.2).
    static func isBrowserSDK(_ sku: String?) -> Bool {
        sku?.lowercased().hasPrefix("msal.") == true && sku?.lowercased().contains("browser") == true
    }
}

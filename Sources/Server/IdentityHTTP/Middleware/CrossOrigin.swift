import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

// Calls of pages from their own scripts (Fetch standard, “CORS protocol”). A preflight has no client id, so it is answered for
// the origins of every application of the tenant, or at the account API, whose paths name no tenant, of every application; the
// call itself counts only with an origin of its own application.
extension IdentityRoutes {
    /// The answer to a preflight.
    ///
    /// - Parameter methods: Those of the path.
    func preflight(
        _ request: Request, _ context: IdentityRequestContext, _ methods: String
    ) async throws -> Response {
        // Without these fields it is no preflight, and the path has no such method.
        guard let origin = request.headers[.origin], request.headers[.accessControlRequestMethod] != nil else {
            throw RequestFault.wrongMethod(allowed: methods)
        }
        // The paths of the account API name no tenant.
        let isKnown =
            if context.parameters.get("tenant") != nil {
                try await engine.applications(of: try await tenant(context)).contains { $0.allows(origin: origin) }
            } else {
                try await engine.hasPages(ofOrigin: origin)
            }
        guard isKnown else { throw RequestFault.foreignOrigin }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: origin, .accessControlAllowMethods: methods,
                .accessControlAllowHeaders: Self.allowedFields, .accessControlMaxAge: "600",
                .vary: "Origin, Access-Control-Request-Headers", .cacheControl: "no-store",
            ])
    }

    /// What the SDKs for browsers send, and what the account API reads.
    private static let allowedFields =
        "content-type, authorization, dpop, if-match, client-request-id, return-client-request-id, x-client-sku, x-client-ver, x-client-os, x-client-cpu, x-client-current-telemetry, x-client-last-telemetry"

    /// Answers a call. One with an origin counts only for an application that has it, before any effect (`OIDC-29`).
    ///
    /// - Parameter client: The application of the call; nil: any of the tenant.
    func answeringOrigin(
        of request: Request, _ context: IdentityRequestContext, client: ClientID?, _ body: () async throws -> Response
    ) async throws -> Response {
        try await answeringOrigin(of: request, context) { origin in
            let tenant = try await tenant(context)
            guard let client else {
                return try await engine.applications(of: tenant).contains { $0.allows(origin: origin) }
            }
            return try await engine.application(named: client, in: tenant)?.allows(origin: origin) ?? false
        } body: {
            try await body()
        }
    }

    /// The same for a call with an access token: one with an origin counts only if the application that the token names has
    /// it. What a forged token names makes no difference: the answer to it is a refusal.
    func answeringOrigin(
        of request: Request, _ context: IdentityRequestContext, token: PresentedToken?,
        _ body: () async throws -> Response
    ) async throws -> Response {
        try await answeringOrigin(of: request, context) { origin in
            guard let token else { return false }
            return try await engine.application(claimedBy: token.token)?.allows(origin: origin) ?? false
        } body: {
            try await body()
        }
    }

    private func answeringOrigin(
        of request: Request, _ context: IdentityRequestContext, isAllowed: (String) async throws -> Bool,
        body: () async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin] else { return try await body() }
        guard try await isAllowed(origin) else { throw RequestFault.foreignOrigin }
        var response: Response
        do {
            response = try await body()
        } catch {
            // A page may read what is wrong.
            response = guardian.reply(to: error, request, context)
        }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] =
            "x-ms-request-id, client-request-id, retry-after, www-authenticate, etag"
        response.headers[.vary] = "Origin"
        return response
    }
}

import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

// Calls of pages from their own scripts (Fetch standard, “CORS protocol”). A preflight has no client id, so it is answered for
// the origins of every application of the tenant; the call itself counts only with an origin of its own application.
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
        let tenant = try await tenant(context)
        let isKnown = try await engine.applications(of: tenant).contains { $0.allows(origin: origin) }
        guard isKnown else { throw RequestFault.foreignOrigin }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: origin, .accessControlAllowMethods: methods,
                .accessControlAllowHeaders: Self.allowedFields, .accessControlMaxAge: "600",
                .vary: "Origin, Access-Control-Request-Headers", .cacheControl: "no-store",
            ])
    }

    /// What the SDKs for browsers send.
    private static let allowedFields =
        "content-type, authorization, dpop, client-request-id, return-client-request-id, x-client-sku, x-client-ver, x-client-os, x-client-cpu, x-client-current-telemetry, x-client-last-telemetry"

    /// Answers a call. One with an origin counts only for an application that has it, before any effect (`OIDC-29`).
    ///
    /// - Parameter client: The application of the call; nil: any of the tenant.
    func answeringOrigin(
        of request: Request, _ context: IdentityRequestContext, client: ClientID?, _ body: () async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin] else { return try await body() }
        let tenant = try await tenant(context)
        let isAllowed =
            if let client {
                try await engine.application(named: client, in: tenant)?.allows(origin: origin) ?? false
            } else {
                try await engine.applications(of: tenant).contains { $0.allows(origin: origin) }
            }
        guard isAllowed else { throw RequestFault.foreignOrigin }
        var response: Response
        do {
            response = try await body()
        } catch {
            // A page may read what is wrong.
            response = guardian.reply(to: error, request, context)
        }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] =
            "x-ms-request-id, client-request-id, retry-after, www-authenticate"
        response.headers[.vary] = "Origin"
        return response
    }
}

extension Client {
    /// Whether pages of this origin may call the endpoints for the application: those of its `spa` addresses, and where it has
    /// native authentication its `allowedOrigins`. Compared byte for byte.
    func allows(origin: String) -> Bool {
        let pages = redirects[.spa].lazy.map { address in
            address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(
                separator: "/")
        }
        return pages.contains { $0.utf8.elementsEqual(origin.utf8) }
            || isNativeAuthEnabled && web.allowedOrigins.contains { $0.utf8.elementsEqual(origin.utf8) }
    }
}

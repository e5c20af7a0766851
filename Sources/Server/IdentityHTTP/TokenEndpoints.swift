import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The endpoints about tokens, for the application that holds one and for resource servers that receive one.
extension IdentityRoutes {
    /// Ends a session (RFC 7009). Also succeeds for invalid tokens: there is no session to end.
    func revoke(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let asked = try V1Codec.revocation(try await Self.form(of: request))
        return try await answeringOrigin(of: request, context, client: asked.client) {
            try await answer(asked, request, context)
        }
    }

    /// Answers whether an access token for the asking resource server is live (RFC 7662). Any other token, even a live
    /// one for another audience, is only reported as inactive.
    func introspect(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        guard let resourceServers else { throw RequestFault.unknownPath }
        guard let credentials = Self.credentials(of: request, scheme: "basic "),
            let audience = resourceServers.audience(authenticatedBy: credentials)
        else { return Self.challenge("Basic realm=\"resource servers\", charset=\"UTF-8\"") }
        let token = try V1Codec.introspectedToken(try await Self.form(of: request))
        let tenant = try await tenant(context)
        guard let live = try await engine.live(token, in: tenant, now: context.trace.at) else {
            let daemon = try await engine.liveDaemon(token, in: tenant, now: context.trace.at)
            guard let daemon, daemon.claims.audience.utf8.elementsEqual(audience.utf8) else {
                return try Self.uncached(TokenIntrospectionReply.inactive)
            }
            return try Self.uncached(
                TokenIntrospectionReply(of: daemon, issuer: "\(engine.settings.baseURL)/\(tenant.id)/v2.0"))
        }
        guard live.claims.audience.utf8.elementsEqual(audience.utf8) else {
            return try Self.uncached(TokenIntrospectionReply.inactive)
        }
        let claims = live.claims
        // An API may define its own scope `email`, which does not grant the user's address.
        let tellsAddress = claims.audience == claims.client.description && claims.scopes.contains("email")
        return try Self.uncached(
            TokenIntrospectionReply(
                active: true, scope: claims.scopes.joined(separator: " "), clientID: claims.client.description,
                username: tellsAddress ? live.user.email : nil, tokenType: claims.key == nil ? "Bearer" : "DPoP",
                expiration: Int(claims.expiresAt.timeIntervalSince1970),
                issuedAt: Int(claims.issuedAt.timeIntervalSince1970), subject: claims.subject,
                audience: claims.audience, issuer: "\(engine.settings.baseURL)/\(tenant.id)/v2.0",
                authenticationContexts: claims.contexts.isEmpty ? nil : claims.contexts,
                confirmation: claims.key.map { KeyConfirmation(thumbprint: $0) }))
    }

    /// The user's claims that the token's scopes allow (OpenID Connect Core 1.0 section 5.3), and the application's own.
    func userInfo(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let tenant = try await tenant(context)
        guard let token = Self.token(of: request) else { return Self.noToken }
        guard let live = try await engine.live(token.token, in: tenant, now: context.trace.at) else {
            return Self.challenge(Self.invalidToken(token))
        }
        if let fault = try await engine.fault(of: token, with: live.claims, in: tenant, now: context.trace.at) {
            return Self.challenge(Self.challenge(fault))
        }
        let scopes = live.claims.scopes
        // A token for another resource has other scopes: its resource server must not read the user's data here.
        guard live.claims.audience == live.claims.client.description, scopes.contains("openid") else {
            return Self.challenge("Bearer error=\"insufficient_scope\", scope=\"openid\"", .forbidden)
        }
        func text(_ name: String) -> String? {
            guard scopes.contains("profile"), case .string(let text)? = live.user.attributes[name] else { return nil }
            return text
        }
        let reply = UserInfoReply(
            subject: live.claims.subject, name: text("displayName"), givenName: text("givenName"),
            familyName: text("surname"), preferredUsername: scopes.contains("profile") ? live.user.email : nil,
            email: scopes.contains("email") ? live.user.email : nil,
            isEmailVerified: scopes.contains("email") ? true : nil)
        var object = JSONObjectText()
        // First: what the server says of the same name counts.
        object.add(try await engine.userinfoClaims(of: live, in: tenant))
        reply.write(to: &object)
        return Self.uncached(json: object.data)
    }

    /// A sample API of the development profile that needs an access token. It checks the token as a resource server
    /// with introspection does: signature, issuer, time, and liveness. It accepts a token for any audience, because it
    /// stands for the API under development. With `?acrs=c1` it also requires that authentication context, and asks for
    /// it as in RFC 9470.
    func developmentAPI(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        struct Greeting: Encodable {
            let message: String
            let audience: String
            let scopes: [String]
            let acrs: [String]
        }
        let tenant = try await tenant(context)
        guard let token = Self.token(of: request) else { return Self.noToken }
        guard let live = try await engine.live(token.token, in: tenant, now: context.trace.at) else {
            return Self.challenge(Self.invalidToken(token))
        }
        if let fault = try await engine.fault(of: token, with: live.claims, in: tenant, now: context.trace.at) {
            return Self.challenge(Self.challenge(fault))
        }
        if let needed = request.uri.queryParameters["acrs"].map({ String($0) }) {
            guard ClaimsRequest.isContext(needed) else { throw RequestFault.invalid(parameter: "acrs") }
            guard live.claims.contexts.contains(needed) else {
                return Self.challenge("Bearer error=\"insufficient_user_authentication\", acr_values=\"\(needed)\"")
            }
        }
        return try Self.uncached(
            Greeting(
                message: "Hello, \(live.user.email)", audience: live.claims.audience, scopes: live.claims.scopes,
                acrs: live.claims.contexts))
    }

    /// The bearer token of the header (RFC 6750 section 2.1); the two other ways would put tokens into logs or forms.
    static func bearer(of request: Request) -> Secret<String>? {
        credentials(of: request, scheme: "bearer ").map { Secret($0) }
    }

    /// The access token of the header, by either scheme; with the scheme `DPoP` also the proof (RFC 9449 section 7.1).
    static func token(of request: Request) -> PresentedToken? {
        if let token = bearer(of: request) { return PresentedToken(token) }
        return credentials(of: request, scheme: "dpop ").map {
            PresentedToken(Secret($0), proof: proof(of: request) ?? PresentedProof(request, values: []))
        }
    }

    /// The proof of possession; nil when the request has no such header.
    static func proof(of request: Request) -> PresentedProof? {
        let values = request.headers[values: IdentityHeader.dpop]
        return values.isEmpty ? nil : PresentedProof(request, values: values)
    }

    /// The challenge to a token that was not proven (RFC 9449 section 7.1).
    static func challenge(_ fault: ProofFault) -> String {
        switch fault {
        // The token has no key, so that it needs no proof.
        case .notBound: "Bearer error=\"invalid_token\""
        case .missing, .wrongKey, .wrongToken: "DPoP error=\"invalid_token\", algs=\"\(proofAlgorithms)\""
        case .malformed, .wrongSignature, .wrongTarget, .wrongTime, .used:
            "DPoP error=\"invalid_dpop_proof\", algs=\"\(proofAlgorithms)\""
        }
    }

    private static func invalidToken(_ token: PresentedToken) -> String {
        token.proof == nil ? "Bearer error=\"invalid_token\"" : challenge(.missing)
    }

    private static let proofAlgorithms = ProofAlgorithm.allCases.map(\.rawValue).joined(separator: " ")

    /// A token with 100 groups, roles of 2 KiB and claims of 3 KiB has about 13 KiB.
    private static let longestCredentials = 14 * 1024

    static func credentials(of request: Request, scheme: String) -> String? {
        guard let header = request.headers[.authorization], header.utf8.count <= longestCredentials,
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return String(header.dropFirst(scheme.count))
    }

    /// A request without a token gets no error code (RFC 6750 section 3).
    private static var noToken: Response { challenge("Bearer realm=\"access tokens\"") }

    private static func challenge(_ challenge: String, _ status: HTTPResponse.Status = .unauthorized) -> Response {
        Response(status: status, headers: [.wwwAuthenticate: challenge, .cacheControl: "no-store"])
    }

    private static func uncached(_ body: some Encodable) throws -> Response {
        uncached(json: try WireJSON.encode(body))
    }

    private static func uncached(json body: Data) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension PresentedProof {
    fileprivate init(_ request: Request, values: [String]) {
        self.init(values: values, method: request.method.rawValue, path: request.uri.path)
    }
}

extension TokenIntrospectionReply {
    /// What the resource server of a daemon's token may know about it.
    fileprivate init(of token: Engine.LiveDaemonToken, issuer: String) {
        let (claims, daemon) = (token.claims, token.claims.daemon.description)
        self.init(
            active: true, clientID: daemon, tokenType: "Bearer",
            expiration: Int(claims.expiresAt.timeIntervalSince1970),
            issuedAt: Int(claims.issuedAt.timeIntervalSince1970), subject: daemon, audience: claims.audience,
            issuer: issuer, roles: token.roles)
    }
}

import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Authorization requests that applications push before the browser comes (RFC 9126).
extension IdentityRoutes {
    /// The pushed authorization request endpoint: checks a request as the authorization endpoint does, and keeps it for a minute
    /// (`OIDC-27`).
    func pushedRequest(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        let form = try await Self.form(of: request)
        let client = try Console.optional("client_id", of: form).flatMap { ClientID($0) }
        return try await answeringOrigin(of: request, context, client: client) {
            try await pushed(form, request, context)
        }
    }

    private func pushed(
        _ form: FormFields, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        var form = form
        if let refusal = try await authenticate(&form, request, context, isExchange: true) { return refusal }
        let tenant = try await tenant(context)
        let error: AuthorizeError
        do {
            let client = try await check(form, in: tenant)
            var kept = form.without(AuthorizeCodec.proofs)
            // The same length as in an address.
            guard kept.encoded.utf8.count <= RequestGuard.longestURI else { throw RequestFault.bodyTooLarge }
            if !client.isConfidential { try context.admitStart() }
            // After the limit: a stranger can make proofs without number, and each mark of one is a row.
            if let key = try await key(of: form, request, context, in: tenant) {
                kept = kept.without(["dpop_jkt"])
                kept.append("dpop_jkt", key)
            }
            let parameters = kept.encoded
            let reference = try await context.admitted(beginsFlow: true) {
                try await engine.push(Data(parameters.utf8), of: client.id, in: tenant, now: context.trace.at)
            }
            guard let reference else { throw RequestFault.throttled(retryAfter: Engine.pushedLifetime) }
            let reply = PushedAuthorizationReply(requestURI: reference, expiresIn: Engine.pushedLifetime)
            return Response(
                status: .created,
                headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(reply))))
        } catch let fault as AuthorizeError {
            error = fault
        } catch let refusal as PushRefusal {
            let reply = V1Codec.reply(Outcome(.refused(refusal.refusal), trace: context.trace))
            context.errorCode.withLock { $0 = reply.errorCode }
            return RequestGuard.response(reply)
        }
        let reply = V1Codec.reply(error, trace: context.trace)
        context.errorCode.withLock { $0 = reply.errorCode }
        return RequestGuard.response(reply)
    }

    /// The key that the code will be bound to, by the proof of the request (RFC 9449 section 10.1); nil when it has no proof.
    private func key(
        of form: FormFields, _ request: Request, _ context: IdentityRequestContext, in tenant: Tenant
    ) async throws -> String? {
        guard let proof = Self.proof(of: request) else { return nil }
        switch try await engine.key(of: proof, in: tenant, now: context.trace.at) {
        case .failure(let fault): throw PushRefusal(refusal: .unusableProof(fault))
        case .success(let key):
            guard let named = try form.single("dpop_jkt"), !named.isEmpty, named != key else { return key }
            throw AuthorizeError(
                error: "invalid_dpop_proof", text: "The DPoP proof is of another key than that of dpop_jkt.")
        }
    }

    /// A refusal of the application itself.
    private struct PushRefusal: Error {
        var refusal: Refusal
    }

    /// - Throws: ``AuthorizeError`` for the first fault of the request.
    private func check(_ form: FormFields, in tenant: Tenant) async throws -> Client {
        let (id, redirect): (ClientID, String)
        do throws(AuthorizePageFault) {
            (id, redirect) = try AuthorizeCodec.client(form)
        } catch {
            switch error {
            case .malformed: throw AuthorizeError.invalid("client_id and redirect_uri must be given once.", 9_002_313)
            case .unknownClient: throw AuthorizeError.invalid("client_id is not a client id.", 90_100)
            case .redirectMissing: throw AuthorizeError.invalid("The request must contain redirect_uri.", 900_144)
            case .notForBrowsers, .redirectNotRegistered, .pushedRequestGone:
                throw EngineError.broken("a fault of another step")
            }
        }
        guard let client = try await engine.application(named: id, in: tenant) else {
            throw PushRefusal(refusal: .unknownClient)
        }
        guard client.isOpen(for: .browser) else { throw PushRefusal(refusal: .nativeAuthDisabled) }
        guard let kind = client.redirects.accepts(redirect) else {
            throw AuthorizeError.invalid("The redirect_uri is not registered for this application.", 50_011)
        }
        // RFC 9126 section 2.1.
        if form.names.contains("request_uri") {
            throw AuthorizeError.invalid("A request that is pushed must not contain request_uri.", 90_023)
        }
        _ = try AuthorizeCodec.request(
            form, client, redirect: redirect, kind: kind, baseURL: engine.settings.baseURL)
        return client
    }

    /// The parameters of a request: those that were pushed, when it names them. All others beside `client_id` are ignored
    /// (RFC 9126 section 4), and what was pushed is taken away: it leads to one page or one answer.
    func pushedFields(_ fields: FormFields, _ visit: HostedVisit) async throws -> FormFields? {
        let (reference, client): (String?, String?)
        do {
            (reference, client) = (try fields.single("request_uri"), try fields.single("client_id"))
        } catch {
            throw HostedFault.authorize(.malformed)
        }
        guard let reference, Engine.isPushed(reference) else { return nil }
        guard let id = client.flatMap({ ClientID($0) }) else { throw HostedFault.authorize(.unknownClient) }
        guard let found = try await engine.takePushed(reference, of: id, in: visit.tenant, now: visit.now) else {
            throw HostedFault.authorize(.pushedRequestGone)
        }
        do {
            return try FormFields(decoding: found)
        } catch {
            throw EngineError.broken("a pushed request cannot be read")
        }
    }
}

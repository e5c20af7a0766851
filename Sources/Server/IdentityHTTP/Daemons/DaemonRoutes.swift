import HTTPTypes
import Hummingbird
import IdentityEngine
import Metrics
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

extension IdentityRoutes {
    /// A token for a daemon (docs/protocol.md §19).
    func daemonToken(
        _ form: FormFields, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        let basic = Self.credentials(of: request, scheme: "basic ")
        let asked = try DaemonCodec.request(form, basic: basic)
        let tenant = try await tenant(context)
        // A secret of 256 bits is not guessed, so a right proof is never refused for the wrong ones of its source:
        // these leave no more lines in the audit trail.
        var excess: RequestFault?
        do {
            if !asked.proofs.isEmpty { try context.checkGuesses(at: .daemonProof) }
        } catch {
            excess = error
        }
        let wanted = DaemonTokenRequest(
            daemon: asked.daemon, proofs: asked.proofs, scopes: asked.scopes, audiences: audiences(of: tenant),
            recordsRefusal: excess == nil)
        let verdict = try await context.admitted {
            try await engine.daemonToken(
                wanted, in: tenant, from: context.source?.forEngine, now: context.trace.at)
        }
        let reply = V1Codec.reply(verdict, trace: context.trace)
        switch verdict {
        case .issued: context.countGuess(at: .daemonProof, isRight: true)
        case .refused(let refusal):
            if refusal.isFailedProof, let excess { throw excess }
            if refusal.isFailedProof { context.countGuess(at: .daemonProof, isRight: false) }
        }
        context.errorCode.withLock { $0 = reply.errorCode }
        if countsRequests {
            Counter(
                label: "native_auth_steps",
                dimensions: [("step", context.endpointPath ?? "none"), ("outcome", reply.failure ?? "ok")]
            ).increment()
        }
        var response = RequestGuard.response(reply)
        // RFC 6749 section 5.2.
        if reply.status == 401, basic != nil { response.headers[.wwwAuthenticate] = "Basic realm=\"daemons\"" }
        return response
    }

    /// Checks who a confidential application is, before it gets tokens (RFC 6749 section 3.2.1).
    ///
    /// - Parameters:
    ///   - form: Gets the id of the client, if only the header names it.
    ///   - isExchange: Whether a secret of a public application is a fault; nil: when the form says so.
    /// - Returns: The refusal; nil when the client has proven itself, or need not.
    func authenticate(
        _ form: inout FormFields, _ request: Request, _ context: IdentityRequestContext, isExchange: Bool? = nil
    ) async throws -> Response? {
        let isExchange = try isExchange ?? DaemonCodec.isExchange(form)
        let basic = Self.credentials(of: request, scheme: "basic ")
        // The codec answers a form without a client.
        guard basic != nil || form.names.contains("client_id") else { return nil }
        let asked = try DaemonCodec.request(form, basic: basic)
        if !form.names.contains("client_id") { form.append("client_id", asked.daemon.description) }
        let tenant = try await tenant(context)
        // The engine answers an unknown application.
        guard let client = try await engine.application(named: asked.daemon, in: tenant) else { return nil }
        guard client.isConfidential || isExchange && !asked.proofs.isEmpty else { return nil }
        var excess: RequestFault?
        do {
            if !asked.proofs.isEmpty { try context.checkGuesses(at: .daemonProof) }
        } catch {
            excess = error
        }
        let proof = ClientProof(
            proofs: asked.proofs, audiences: audiences(of: tenant), recordsRefusal: excess == nil)
        let refusal = try await engine.authenticate(
            client, by: proof, in: tenant, from: context.source?.forEngine, now: context.trace.at)
        guard let refusal else {
            context.countGuess(at: .daemonProof, isRight: true)
            return nil
        }
        if refusal.isFailedProof {
            if let excess { throw excess }
            context.countGuess(at: .daemonProof, isRight: false)
        }
        let reply = V1Codec.reply(.refused(refusal), trace: context.trace)
        context.errorCode.withLock { $0 = reply.errorCode }
        var response = RequestGuard.response(reply)
        // RFC 6749 section 5.2.
        if reply.status == 401, basic != nil { response.headers[.wwwAuthenticate] = "Basic realm=\"applications\"" }
        return response
    }

    /// What the audience of an assertion may be: the issuer, and the token endpoint under each name of the tenant.
    private func audiences(of tenant: Tenant) -> Set<String> {
        let base = engine.settings.baseURL
        let endpoints = [tenant.id.description, tenant.domain, tenant.subdomain].map {
            "\(base)/\($0)/\(V1Endpoint.token.rawValue)"
        }
        return Set(endpoints + ["\(base)/\(tenant.id)/v2.0"])
    }
}

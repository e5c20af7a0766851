package import NativeAuthCore
package import PortableFoundation

/// How a daemon proves who it is (docs/protocol.md §19.1).
package enum DaemonProof: Sendable {
    /// One of its secrets.
    case secret(Secret<String>)
    /// A token that the daemon signed with one of its keys (RFC 7523).
    case assertion(Secret<String>)

    /// The detail of the event in the audit trail.
    var word: String {
        switch self {
        case .secret: "secret"
        case .assertion: "assertion"
        }
    }
}

/// A daemon's request for a token.
package struct DaemonTokenRequest: Sendable {
    package var daemon: ClientID
    /// One is right (RFC 6749 section 2.3).
    package var proofs: [DaemonProof]
    /// The words of the requested scope; one word is right.
    package var scopes: [String]
    /// The values that the audience of an assertion may have: the issuer, and the addresses of the token endpoint.
    package var audiences: Set<String>
    /// Whether a failed proof leaves a line in the audit trail; not after too many of its source (`SEC-RATE-5`).
    package var recordsRefusal: Bool

    package init(
        daemon: ClientID, proofs: [DaemonProof], scopes: [String], audiences: Set<String>, recordsRefusal: Bool
    ) {
        self.daemon = daemon
        self.proofs = proofs
        self.scopes = scopes
        self.audiences = audiences
        self.recordsRefusal = recordsRefusal
    }
}

/// How an application says who it is.
package struct ClientProof: Sendable {
    /// One is right (RFC 6749 section 2.3).
    package var proofs: [DaemonProof]
    package var audiences: Set<String>
    /// As ``DaemonTokenRequest/recordsRefusal``.
    package var recordsRefusal: Bool

    package init(proofs: [DaemonProof], audiences: Set<String>, recordsRefusal: Bool) {
        self.proofs = proofs
        self.audiences = audiences
        self.recordsRefusal = recordsRefusal
    }
}

/// Why a daemon gets no token.
package enum DaemonRefusal: Error, Hashable, Sendable {
    /// The tenant has no such daemon.
    case unknownDaemon
    /// The request has neither secret nor assertion.
    case noProof
    /// The request has more than one of them.
    case severalProofs
    /// The application has neither secret nor key: it is public, and its secret would be everyone's.
    case publicClient
    case wrongSecret
    /// The secret is right, and its time is over.
    case endedSecret
    case unusableAssertion(AssertionFault)
    /// The scope is not one word of the right form.
    case invalidScope
    /// The scope is not `RESOURCE/.default`.
    case scopeNotDefault

    /// Whether the request did not prove to be the daemon's; such requests are limited per source (`SEC-RATE-5`).
    package var isFailedProof: Bool {
        switch self {
        case .unknownDaemon, .wrongSecret, .endedSecret, .unusableAssertion: true
        case .noProof, .severalProofs, .publicClient, .invalidScope, .scopeNotDefault: false
        }
    }

    /// The detail of the event in the audit trail; nil when there is none.
    fileprivate var word: String? {
        switch self {
        case .unknownDaemon: "unknown daemon"
        case .wrongSecret: "wrong secret"
        case .endedSecret: "ended secret"
        case .unusableAssertion(let fault): "assertion: \(fault.rawValue)"
        case .noProof, .severalProofs, .publicClient, .invalidScope, .scopeNotDefault: nil
        }
    }
}

/// A token for a daemon.
package struct IssuedDaemonToken: Sendable {
    package var accessToken: Secret<String>
    /// Seconds.
    package var lifetime: Int
}

/// The answer to a daemon's request.
package enum DaemonVerdict: Sendable {
    case issued(IssuedDaemonToken)
    case refused(DaemonRefusal)
}

// Tokens by client credentials (RFC 6749 section 4.4).
extension Engine {
    /// The lifetime of a daemon's token in seconds: the vendor's.
    package static let daemonTokenLifetime = 3_599

    /// Issues a token for a daemon, and records that in the audit trail; or refuses, and records a failed proof.
    ///
    /// - Parameter source: The source of the request; nil for calls within the process.
    /// - Throws: ``EngineError`` for a failure of the server.
    package func daemonToken(
        _ request: DaemonTokenRequest, in tenant: Tenant, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DaemonVerdict {
        let call = DaemonCall(
            request: request, tenant: tenant, source: source.map { auditSource($0, tenant.id) }, now: now)
        let outcome = try await issue(call)
        if request.recordsRefusal, case .refused(let refusal) = outcome, let word = refusal.word {
            try await record(call.event(.daemonRefused, detail: word))
        }
        return outcome
    }

    private func issue(_ call: DaemonCall) async throws(EngineError) -> DaemonVerdict {
        guard let proof = call.request.proofs.first else { return .refused(.noProof) }
        guard call.request.proofs.count == 1 else { return .refused(.severalProofs) }
        let daemon = try await daemon(call.request.daemon, in: call.tenant)
        let assertion: VerifiedAssertion?
        do throws(DaemonRefusal) {
            assertion = try prove(proof, of: daemon, call)
        } catch {
            return .refused(error)
        }
        guard let daemon else { return .refused(.unknownDaemon) }
        let resource: String
        do throws(DaemonRefusal) {
            resource = try ResourceScope.resource(ofDefault: call.request.scopes, baseURL: settings.baseURL)
        } catch {
            return .refused(error)
        }
        let event = call.event(.daemonSignedIn, detail: proof.word)
        if let assertion {
            guard try await use(assertion, of: call, recording: event) else {
                return .refused(.unusableAssertion(.used))
            }
        } else {
            try await record(event)
        }
        let subject = DaemonTokenSubject(
            tenant: call.tenant.id, daemon: daemon.id, audience: resource,
            roles: try await roles(of: daemon, for: resource, in: call.tenant),
            isProvenByAssertion: assertion != nil, issuedAt: call.now, lifetime: Self.daemonTokenLifetime,
            tokenID: ports.randomness.uuid(), issuer: settings.baseURL)
        do {
            return .issued(
                IssuedDaemonToken(
                    accessToken: try await ports.issuer.sign(subject), lifetime: Self.daemonTokenLifetime))
        } catch {
            throw .tokens(error)
        }
    }

    /// Checks who a confidential application is.
    ///
    /// - Returns: Nil when it has proven itself.
    package func authenticate(
        _ client: Client, by proof: ClientProof, in tenant: Tenant, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DaemonRefusal? {
        let call = DaemonCall(
            request: DaemonTokenRequest(
                daemon: client.id, proofs: proof.proofs, scopes: [], audiences: proof.audiences,
                recordsRefusal: proof.recordsRefusal),
            tenant: tenant, source: source.map { auditSource($0, tenant.id) }, now: now)
        var refusal: DaemonRefusal?
        var used: VerifiedAssertion?
        do throws(DaemonRefusal) {
            guard client.isConfidential else { throw .publicClient }
            guard let first = proof.proofs.first else { throw .noProof }
            guard proof.proofs.count == 1 else { throw .severalProofs }
            let credentials = Daemon(
                id: client.id, displayName: "", secrets: client.web.secrets, keys: client.web.keys)
            used = try prove(first, of: credentials, call)
        } catch {
            refusal = error
        }
        if let used {
            let event = call.event(.daemonSignedIn, detail: "assertion of an application")
            if try await !use(used, of: call, recording: event) { refusal = .unusableAssertion(.used) }
        }
        if proof.recordsRefusal, let refusal, let word = refusal.word {
            try await record(call.event(.clientRefused, detail: word))
        }
        return refusal
    }

    /// Checks the proof. An unknown daemon costs the same comparison as a wrong secret.
    ///
    /// - Returns: The assertion, which is still to be marked as used; nil for a secret.
    private func prove(
        _ proof: DaemonProof, of daemon: Daemon?, _ call: DaemonCall
    ) throws(DaemonRefusal) -> VerifiedAssertion? {
        switch proof {
        case .secret(let secret):
            guard let daemon else {
                do {
                    try [DaemonSecret.decoy].check(secret, now: call.now)
                } catch {
                    // Always wrong: the comparison is for its time.
                }
                throw .unknownDaemon
            }
            try daemon.secrets.check(secret, now: call.now)
            return nil
        case .assertion(let text):
            guard let daemon else { throw .unknownDaemon }
            do {
                let assertion = try ports.issuer.verify(
                    text, signedByOneOf: daemon.keys.filter { $0.endsAt > call.now })
                try assertion.check(for: daemon.id, audiences: call.request.audiences, now: call.now)
                return assertion
            } catch {
                throw .unusableAssertion(error)
            }
        }
    }

    private func use(
        _ assertion: VerifiedAssertion, of call: DaemonCall, recording event: AuditEvent
    ) async throws(EngineError) -> Bool {
        let mark = vault.digest(
            .counter, tenant: call.tenant.id,
            [Data("assertion".utf8), Data(call.request.daemon.description.utf8), Data(assertion.id.utf8)])
        do {
            return try await ports.assertions.useAssertion(
                mark, in: call.tenant.id, until: assertion.expiresAt + VerifiedAssertion.skew, recording: event)
        } catch {
            throw .store(error)
        }
    }

    private func record(_ event: AuditEvent) async throws(EngineError) {
        do {
            try await ports.flows.record(event)
        } catch {
            throw .store(error)
        }
    }

    /// The words of the daemon's roles for a resource. Of an application that defines roles, only those that it defines
    /// for daemons and has not disabled.
    func roles(
        of daemon: Daemon, for resource: String, in tenant: Tenant
    ) async throws(EngineError) -> [String] {
        let words = daemon.roles(for: resource, baseURL: settings.baseURL)
        guard !words.isEmpty, let id = Client.id(ofAudience: resource),
            let application = try await application(id, in: tenant), !application.roles.isEmpty
        else { return words }
        return words.filter { word in
            application.roles.contains { $0.value == word && $0.isEnabled && $0.holders.contains(.daemons) }
        }
    }

    package func application(named id: ClientID, in tenant: Tenant) async throws(EngineError) -> Client? {
        try await application(id, in: tenant)
    }

    package func applications(of tenant: Tenant) async throws(EngineError) -> [Client] {
        do {
            return try await ports.clients.entry(of: tenant.id)?.applications ?? []
        } catch {
            throw .store(error)
        }
    }

    func application(_ id: ClientID, in tenant: Tenant) async throws(EngineError) -> Client? {
        do {
            return try await ports.clients.client(id, in: tenant.id)
        } catch {
            throw .store(error)
        }
    }

    func daemon(_ id: ClientID, in tenant: Tenant) async throws(EngineError) -> Daemon? {
        do {
            return try await ports.clients.daemon(id, in: tenant.id)
        } catch {
            throw .store(error)
        }
    }
}

/// A daemon's request with its surroundings.
private struct DaemonCall {
    let request: DaemonTokenRequest
    let tenant: Tenant
    /// The digest that stands for the source in the audit trail.
    let source: Data?
    let now: Date

    func event(_ kind: AuditEvent.Kind, detail: String) -> AuditEvent {
        AuditEvent(kind, at: now, tenant: tenant.id, client: request.daemon, detail: detail, source: source)
    }
}

extension DaemonSecret {
    /// A secret that is compared in place of those of an unknown daemon; no text has a digest of zeros.
    fileprivate static let decoy = DaemonSecret(
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), displayName: "", hint: "",
        digest: Data(count: 32), endsAt: .distantPast)
}

extension [DaemonSecret] {
    /// Compares a secret with all of the list, so that the time does not say which one is right.
    fileprivate func check(_ secret: Secret<String>, now: Date) throws(DaemonRefusal) {
        let digest = DaemonSecret.digest(of: secret)
        var (isValid, hasEnded) = (false, false)
        for stored in self where Vault.areEqual(stored.digest, digest) {
            if stored.endsAt <= now {
                hasEnded = true
            } else if stored.startsAt ?? .distantPast <= now {
                isValid = true
            }
        }
        if !isValid { throw hasEnded ? .endedSecret : .wrongSecret }
    }
}

extension VerifiedAssertion {
    /// The tolerated clock difference, in seconds.
    static let skew: TimeInterval = 60
    /// The longest time until the end of an assertion, in seconds.
    static let longestLifetime: TimeInterval = 3_600

    /// RFC 7523 section 3, with a bound on `exp`, so that marks are not kept for long.
    fileprivate func check(
        for daemon: ClientID, audiences allowed: Set<String>, now: Date
    ) throws(AssertionFault) {
        guard ClientID(issuer) == daemon, ClientID(subject) == daemon else { throw .wrongSubject }
        // A further audience could present the assertion here.
        guard audiences.count == 1, allowed.contains(audiences[0]) else { throw .wrongAudience }
        guard now < expiresAt + Self.skew, expiresAt <= now + Self.longestLifetime + Self.skew else { throw .wrongTime }
        for start in [notBefore, issuedAt].compactMap(\.self) where start > now + Self.skew { throw .wrongTime }
    }
}

extension ResourceScope {
    /// The resource of a scope `RESOURCE/.default`, in the spelling of its audience. `.default` alone, and the host of
    /// the server without its port, name the directory (docs/protocol.md §19.2).
    fileprivate static func resource(
        ofDefault scopes: [String], baseURL: String
    ) throws(DaemonRefusal) -> String {
        guard scopes.count == 1, isWellFormed(scopes[0]) else { throw .invalidScope }
        guard let scope = ResourceScope(scopes[0], baseURL: baseURL) else { throw .invalidScope }
        guard scope.name == ".default" else { throw .scopeNotDefault }
        return scope.resource == originWithoutPort(of: baseURL) ? directory : scope.resource
    }

    /// `https://identity.example` of `https://identity.example:8443/base`. The Python SDK of the vendor's directory
    /// asks for that name.
    private static func originWithoutPort(of baseURL: String) -> String? {
        guard let url = URL(string: baseURL), let scheme = url.scheme, let host = url.host() else { return nil }
        return "\(scheme)://\(host)"
    }
}

import HTTPTypes
package import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import PortableFoundation

/// The rules for requests from outside: allowed hosts, proxies and limits. The listener sets it, ``RequestGuard``
/// enforces it.
///
/// The default is for requests that arrive over no socket: it restricts nothing.
package struct AccessPolicy: Sendable {
    package var trustedProxies: TrustedProxies
    /// Whether only requests of trusted proxies that came by https are answered (`SEC-NET-3`).
    package var isBehindProxy: Bool
    /// Whether answers tell browsers to come by https alone for a year (RFC 6797).
    package var isHTTPSOnly: Bool
    /// Limits per source; nil: off, as in the development profile (design record 0003).
    package var limits: SourceLimits?
    /// Networks whose requests are not counted per source, such as a group of test machines (`SEC-RATE-11`). Wrong
    /// guesses, and events counted per code, account and mailbox, still count.
    package var unlimitedNetworks: NetworkList
    /// The limit of concurrent steps; nil: no limit.
    package var admission: StepAdmission?
    /// The host names in lower case that requests may use, besides the names of loopback (`SEC-NET-1`); nil: any.
    ///
    /// A page of another site can make its own host name point at this machine. The browser then lets the page read
    /// this server's answers, but it sends that host name.
    package var hosts: Set<String>?
    /// The host names that requests for the development inbox, with the codes of all users, may use; nil: any. A
    /// tunnel's name is not among them unless the developer adds it: every internet user can use it.
    package var inboxHosts: Set<String>?

    package init(
        trustedProxies: TrustedProxies = TrustedProxies(), isBehindProxy: Bool = false, isHTTPSOnly: Bool = false,
        limits: SourceLimits? = nil,
        unlimitedNetworks: NetworkList = NetworkList(), admission: StepAdmission? = nil, hosts: Set<String>? = nil,
        inboxHosts: Set<String>? = nil
    ) {
        self.trustedProxies = trustedProxies
        self.isBehindProxy = isBehindProxy
        self.isHTTPSOnly = isHTTPSOnly
        self.limits = limits
        self.unlimitedNetworks = unlimitedNetworks
        self.admission = admission
        self.hosts = hosts
        self.inboxHosts = inboxHosts
    }

    /// A responder that passes requests to the router of `routes` within this policy.
    package func responder(for routes: IdentityRoutes) -> some HTTPResponder<IdentityRequestContext> {
        let router = routes.responder()
        let guardian = routes.guardian
        return CallbackResponder<IdentityRequestContext> { request, context in
            // Over HTTP/2 a method is any text. Logs, labels and spans have those of the standard alone.
            guard RequestGuard.methods.contains(request.method) else { return guardian.refusal(toMethodOf: request) }
            var context = context
            context.policy = self
            context.routes = routes
            guard request.method == .post else { return try await router.respond(to: request, context: context) }
            // A task keeps the memory of its deepest call until it ends, and a connection's task ends with the
            // connection. A step has deep calls, so it gets a separate task: 20 KiB less for each idle connection.
            async let response = router.respond(to: request, context: context)
            return try await response
        }
    }

    /// Whether this server answers a request for `path` with the host name `authority` (`SEC-NET-1`).
    ///
    /// - Parameters:
    ///   - authority: The host as the client wrote it, with or without a port; the port is ignored.
    ///   - path: The path of the request, or the template of its route.
    func answers(to authority: String, at path: String) -> Bool {
        // Proxies request these with any host name or none, and the answers reveal nothing.
        if Self.isHealthCheck(path) { return true }
        let first = Self.firstSegment(of: path)
        // These answer by the names of the tenants' passkeys, and by others with 404; their content is public.
        if first == ".well-known", AssociationFile.isPath(path) { return true }
        // Every path under /dev belongs to the inbox, except the sample API, which apps call.
        // The console of the development profile asks for no sign-in; another one is on a listener without other names.
        let isInbox = first == "dev" && Self.segments(of: path).dropFirst().first != "api" || first == "console"
        return HostAndPort.isLoopback(authority, or: isInbox ? inboxHosts : hosts)
    }
}

extension AccessPolicy {
    static func isHealthCheck(_ path: String) -> Bool {
        let first = firstSegment(of: path)
        return (first == "livez" || first == "readyz") && segments(of: path).count == 1
    }

    /// At most three, the third of which is the rest; without the empty segments of double slashes, which the router
    /// does not see either.
    private static func segments(of path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2).map { Substring($0) }
    }

    private static func firstSegment(of path: String) -> Substring {
        Substring(path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") })
    }

    /// Whether the request may come this way: behind a proxy, only from it, and only what came to it by https
    /// (`SEC-NET-3`). Of several values the last is that of the proxy in front of this server.
    func admits(_ request: Request, from peer: IPAddress?) -> Bool {
        guard isBehindProxy, let peer else { return true }
        let schemes = request.headers[values: .forwardedProto].joined(separator: ",").split(
            separator: ",", omittingEmptySubsequences: false)
        return trustedProxies.networks.contains(peer)
            && schemes.last?.trimmingBlanks().lowercased() == "https"
    }
}

extension HTTPField.Name {
    /// The literal is a token of RFC 9110, so it is not nil.
    fileprivate static let forwardedProto = Self("X-Forwarded-Proto")!
}

extension IdentityRequestContext {
    /// Refuses a step that compares a secret when its source has sent too many wrong guesses (`SEC-RATE-5`). Other
    /// steps pass.
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    func checkGuesses(before command: Command) throws(RequestFault) {
        guard let secret = command.traits.compares else { return }
        try checkGuesses(at: secret)
    }

    /// Counts a step of hosted pages that begins a flow or sets a password, as its native endpoint counts by its route
    /// (`SEC-RATE-4`), and refuses newcomers when the server is full.
    func admitStart(of command: Command) throws {
        var isStart = command.traits.beginsFlow
        if case .step(_, .submitNewPassword) = command { isStart = true }
        guard isStart else { return }
        if command.traits.beginsFlow, let admission = policy.admission, !admission.hasRoomForNewcomers {
            _ = admission.countRefusal()
            throw EngineError.overloaded
        }
        try admitStart()
    }

    /// Counts a request that stores a row for a client that proves nothing, as a step that begins a flow (`SEC-RATE-4`).
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    func admitStart() throws(RequestFault) {
        guard let limits = policy.limits, let source, !policy.unlimitedNetworks.contains(source.address) else { return }
        try limits.admitStart(from: source, now: trace.at)
    }

    /// Counts a question for passkeys that a page asks on its own. It is no beginning of the user's: it must not use up theirs, and
    /// pages go on without it (`SEC-RATE-4`).
    ///
    /// - Returns: Whether it may be asked; false also when the server is full.
    func admitSuggestion() throws -> Bool {
        if let admission = policy.admission, !admission.hasRoomForNewcomers { return false }
        guard let limits = policy.limits, let source, !policy.unlimitedNetworks.contains(source.address) else {
            return true
        }
        return limits.admitSuggestion(from: source, now: trace.at)
    }

    /// Refuses a comparison of `secret` when its source has sent too many wrong guesses (`SEC-RATE-5`).
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    func checkGuesses(at secret: GuessedSecret) throws(RequestFault) {
        guard let limits = policy.limits, let source else { return }
        try limits.admitGuess(at: secret, from: source, now: trace.at)
    }

    /// Counts a wrong guess (`SEC-RATE-5`) and notes a right one (`SEC-RATE-7`); does nothing for other verdicts.
    func countGuess(_ command: Command, _ verdict: Verdict) {
        if let wrong = GuessedSecret(wrongIn: verdict) {
            countGuess(at: wrong, isRight: false)
        } else if case .accepted = verdict, let right = command.traits.compares {
            countGuess(at: right, isRight: true)
        }
    }

    /// Counts a wrong guess at `secret`, or notes a right one.
    func countGuess(at secret: GuessedSecret, isRight: Bool) {
        guard let limits = policy.limits, let source else { return }
        if !isRight { limits.record(wrong: secret, from: source, now: trace.at) }
        if limits.note(secret, isRight: isRight, now: trace.at) {
            logger.error("many more guesses are wrong than right: sources have half of their budgets")
        }
    }

    /// Runs `body`, which handles `command`, if there is a free place (`REL-OVR-1`).
    ///
    /// - Throws: ``EngineError/overloaded`` if there is none; otherwise the error of `body`.
    func admitted<Value>(_ command: Command, _ body: () async throws -> Value) async throws -> Value {
        let traits = command.traits
        return try await admitted(isHashing: traits.hashesPassword, beginsFlow: traits.beginsFlow, body)
    }

    /// The same for work that is no command.
    func admitted<Value>(
        isHashing: Bool = false, beginsFlow: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let admission = policy.admission else { return try await body() }
        return try await admission(isHashing: isHashing, beginsFlow: beginsFlow, body)
    }

    /// Counts a step that is limited per flow or family (`SEC-RATE-6`), or refuses it.
    ///
    /// - Parameter key: The key of the flow or the family; counted also for requests over no socket.
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    func admit(_ step: RepeatedStep, of key: some Collection<UInt8>) throws(RequestFault) {
        try policy.limits?.admit(step, of: key, now: trace.at)
    }
}

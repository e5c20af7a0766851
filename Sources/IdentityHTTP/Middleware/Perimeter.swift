import HTTPTypes
package import Hummingbird
package import IdentityEngine
import Logging
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who may come in from outside, and how often. ``RequestGuard`` enforces it; the listener says what it is.
///
/// The default is that of requests over no socket: nobody is outside.
package struct Perimeter: Sendable {
    package var trustedProxies: TrustedProxies
    /// Nil: off, as in the development profile (decision D11).
    package var limits: SourceLimits?
    /// Whose requests are not counted per source, such as a farm of test machines (`SEC-RATE-11`). Wrong guesses are, and what is
    /// counted per code, account and mailbox.
    package var unlimitedNetworks: NetworkList
    /// Nil: any number.
    package var admission: Admission?
    /// The host names in lower case by which this server may be asked, besides loopback's (`SEC-NET-1`); nil: any.
    ///
    /// A page of another site can make its own name point at this machine. The browser then lets it read what this server
    /// answers; but it sends that name.
    package var hosts: Set<String>?
    /// Those by which the development inbox, with the codes of all users, may be asked for; nil: any. The name of a tunnel is not
    /// among them unless the developer says so: everybody can use it.
    package var inboxHosts: Set<String>?

    package init(
        trustedProxies: TrustedProxies = TrustedProxies(), limits: SourceLimits? = nil,
        unlimitedNetworks: NetworkList = NetworkList(), admission: Admission? = nil, hosts: Set<String>? = nil,
        inboxHosts: Set<String>? = nil
    ) {
        self.trustedProxies = trustedProxies
        self.limits = limits
        self.unlimitedNetworks = unlimitedNetworks
        self.admission = admission
        self.hosts = hosts
        self.inboxHosts = inboxHosts
    }

    /// Hands requests to the router of `routes`, with this perimeter around it.
    package func responder(for routes: IdentityRoutes) -> some HTTPResponder<IdentityRequestContext> {
        let router = routes.router().buildResponder()
        return CallbackResponder<IdentityRequestContext> { request, context in
            var context = context
            context.perimeter = self
            guard request.method == .post else { return try await router.respond(to: request, context: context) }
            // A task keeps the memory of its deepest call until it ends, and a connection's task ends with the connection. A step
            // goes deep, so it has a task of its own: 20 KiB less for each connection that rests.
            async let response = router.respond(to: request, context: context)
            return try await response
        }
    }

    /// Whether this server answers at `path` to a client that calls it `authority` (`SEC-NET-1`).
    ///
    /// - Parameters:
    ///   - authority: A host as the client wrote it, with or without a port; any port will do.
    ///   - path: Of the request, or the template of its route.
    func answers(to authority: String, at path: String) -> Bool {
        let segments = path.split(separator: "/")
        // Proxies ask for these by whatever name or none, and they tell nothing.
        if segments == ["livez"] || segments == ["readyz"] { return true }
        // What is under /dev is the inbox, but for the sample API, which apps call.
        let isInbox = segments.first == "dev" && segments.dropFirst().first != "api"
        return HostAndPort.isLoopback(authority, or: isInbox ? inboxHosts : hosts)
    }
}

extension IdentityRequestContext {
    /// Refuses a step that compares a secret, when too many guesses from its source were wrong (`SEC-RATE-5`). Every other step
    /// passes.
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    package func checkGuesses(before command: Command) throws(RequestFault) {
        guard let limits = perimeter.limits, let source, let secret = GuessedSecret(comparedBy: command) else { return }
        try limits.admitGuess(at: secret, from: source, now: trace.at)
    }

    /// Counts a guess that turned out wrong (`SEC-RATE-5`), and notes one that was right (`SEC-RATE-7`); anything else changes
    /// nothing.
    package func countGuess(_ command: Command, _ verdict: Verdict) {
        guard let limits = perimeter.limits, let source else { return }
        let wrong = GuessedSecret(wrongIn: verdict)
        if let wrong { limits.record(wrong: wrong, from: source, now: trace.at) }
        var right: GuessedSecret?
        if case .accepted = verdict { right = GuessedSecret(comparedBy: command) }
        guard let secret = wrong ?? right else { return }
        if limits.note(secret, isRight: right != nil, now: trace.at) {
            logger.error("many more guesses are wrong than right: sources have half of their budgets")
        }
    }

    /// Lets `body`, which handles `command`, run if there is room for it (`REL-OVR-1`).
    ///
    /// - Throws: ``EngineError/overloaded`` if there is none; else what `body` throws.
    package func admitted<Value>(_ command: Command, _ body: () async throws -> Value) async throws -> Value {
        guard let admission = perimeter.admission else { return try await body() }
        return try await admission(
            isHashing: command.hashesPassword, beginsFlow: command.beginsFlow, body)
    }

    /// Counts a step that one flow or one family may take only so often (`SEC-RATE-6`), or refuses it.
    ///
    /// - Parameter key: What names the flow or the family; also for requests over no socket.
    /// - Throws: ``RequestFault/throttled(retryAfter:)``.
    package func admit(_ step: RepeatedStep, of key: some Collection<UInt8>) throws(RequestFault) {
        try perimeter.limits?.admit(step, of: key, now: trace.at)
    }
}

package import IdentityEngine
package import Logging
import Metrics
package import NativeAuthCore
package import PortableFoundation

/// Ends at providers what users allowed there, once their identities are removed (`SEC-FED-14`): each at least once, and never in
/// the user's request.
///
/// A provider that does not answer is asked again, at most ``waits`` times, and then given up, which the audit trail says.
package final class RevocationCourier: Sendable {
    /// Seconds between two attempts: nine in all, within eight days.
    package static let waits: [TimeInterval] = [10, 60, 600, 3_600, 21_600, 86_400, 172_800, 345_600]
    /// How long a row is hidden from other nodes, in seconds: longer than an attempt with its look at documents.
    private static let lease: TimeInterval = 60
    /// How many calls there may be at once.
    private static let most = 8

    private let store: any RevocationStore
    private let providers: any IdentityProviders
    private let grant: @Sendable (GrantRevocation, Date) async -> ProviderGrant?
    private let provider: @Sendable (String, TenantID) -> IdentityProvider?
    private let clock: any WallClock
    private let logger: Logger
    private let isServing = Locked(false)

    /// - Parameters:
    ///   - grant: Opens what is sealed.
    ///   - provider: The tenant's present provider with this issuer; nil when it has none.
    package init(
        store: any RevocationStore, providers: any IdentityProviders,
        grant: @escaping @Sendable (GrantRevocation, Date) async -> ProviderGrant?,
        provider: @escaping @Sendable (String, TenantID) -> IdentityProvider?, clock: any WallClock, logger: Logger
    ) {
        self.store = store
        self.providers = providers
        self.grant = grant
        self.provider = provider
        self.clock = clock
        self.logger = logger
    }

    /// Ends what is due, until nothing is. A call beside another one does nothing.
    package func serve() async {
        let isFirst = isServing.withLock { isServing in
            defer { isServing = true }
            return !isServing
        }
        guard isFirst else { return }
        defer { isServing.withLock { $0 = false } }
        do {
            while !Task.isCancelled {
                let now = clock.now
                let due = try await store.leaseRevocations(
                    Self.most, now: now, until: now.addingTimeInterval(Self.lease))
                guard !due.isEmpty else { return }
                await withDiscardingTaskGroup { group in
                    for one in due { group.addTask { await self.end(one) } }
                }
            }
        } catch {
            // The leases end, and the rows are due again.
            logger.error("revocations cannot be read", metadata: ["cause": "\(error.logText)"])
        }
    }

    private func end(_ revocation: GrantRevocation) async {
        let now = clock.now
        do {
            guard let grant = await grant(revocation, now) else {
                Self.count("given-up")
                return try await close(revocation, "unreadable, given up")
            }
            guard let provider = provider(grant.issuer, revocation.tenant) else {
                return try await postpone(revocation, "no provider", of: grant)
            }
            do throws(ProviderFault) {
                try await providers.revoke(grant, at: provider, now: now)
            } catch {
                return try await postpone(revocation, "\(error)", of: grant)
            }
            Self.count("done")
            try await close(revocation, provider.id)
        } catch {
            logger.error("revocations cannot be written", metadata: ["cause": "\(error.logText)"])
        }
    }

    private func postpone(
        _ revocation: GrantRevocation, _ reason: String, of grant: ProviderGrant
    ) async throws(StoreError) {
        logger.warning(
            "a provider did not revoke a token",
            metadata: [
                "issuer": "\(grant.issuer)", "attempt": .stringConvertible(revocation.attempts + 1),
                "reason": "\(reason)",
            ])
        guard revocation.attempts < Self.waits.count else {
            Self.count("given-up")
            return try await close(revocation, "\(grant.issuer), given up")
        }
        Self.count("postponed")
        try await store.postponeRevocation(
            revocation, until: clock.now.addingTimeInterval(Self.waits[revocation.attempts]))
    }

    private func close(_ revocation: GrantRevocation, _ detail: String) async throws(StoreError) {
        try await store.endRevocation(
            revocation,
            recording: AuditEvent(
                .identityRevoked, at: clock.now, tenant: revocation.tenant, user: revocation.user, detail: detail))
    }

    private static func count(_ outcome: String) {
        Counter(label: "native_auth_revocations", dimensions: [("outcome", outcome)]).increment()
    }
}

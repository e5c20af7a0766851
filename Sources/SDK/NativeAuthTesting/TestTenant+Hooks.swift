import IdentityEngine
public import NativeAuthCore
import PortableFoundation

extension TestTenant {
    /// The tenant's hooks, as closures: what a production server asks another system (docs/operate/hooks.md).
    ///
    /// ```swift
    /// tenant.hooks.giveClaims(named: ["tier"]) { user in ["tier": .text(user.email.hasSuffix("@example.com") ? "gold" : "none")] }
    /// tenant.hooks.onAttributesSubmitted { signUp in
    ///     signUp.attributes["city"] == "Atlantis" ? .refuse(["city"], reason: "No such city.") : .proceed
    /// }
    /// ```
    ///
    /// A closure that throws is a receiver that fails; ``letFailuresPass`` says what that means.
    public final class Hooks: Sendable {
        /// The user for whose tokens claims are asked.
        public struct TokenUser: Hashable, Sendable {
            /// The user's identifier, as in `Account.identifier`, a UUID in lower case.
            public let id: String
            public let email: String
            public let attributes: [String: AttributeValue]
        }

        /// A sign-up whose mailbox is proven.
        public struct SignUp: Hashable, Sendable {
            public let email: String
            /// What the user has given so far; the alias is `flatusername`.
            public let attributes: [String: AttributeValue]
        }

        /// The value of a claim.
        public enum Claim: Hashable, Sendable {
            case text(String)
            case texts([String])
        }

        /// What happens when a sign-up begins to collect attributes.
        public enum CollectionStart: Hashable, Sendable {
            case proceed
            /// Values for attributes that the user has not given; required ones among them are not asked for.
            case prefill([String: AttributeValue])
            /// The sign-up ends; the app sees the reason in the error's description.
            case block(reason: String)
        }

        /// What happens when all required attributes are given.
        public enum CollectionEnd: Hashable, Sendable {
            case proceed
            /// These values are stored in place of the user's.
            case modify([String: AttributeValue])
            /// The user is asked again for these attributes.
            case refuse([String], reason: String)
            /// The sign-up ends; the app sees the reason in the error's description.
            case block(reason: String)
        }

        /// A password that is not the stored one, of an account that is still to be moved from another system.
        public struct SubmittedPassword: Sendable {
            public let email: String
            /// As the user typed it.
            public let password: String
        }

        /// What the other system says of a password.
        public enum PasswordAnswer: Hashable, Sendable {
            /// It is right: the tenant stores it, and the user is signed in.
            case migrate
            /// It is right, and the user must choose another one by a reset.
            case update
            /// It is wrong.
            case retry
            /// The sign-in is refused; the app sees the reason in the error's description.
            case block(reason: String)
        }

        fileprivate struct Closures: Sendable {
            var claimNames: [String] = []
            var claims: (@Sendable (TokenUser) async throws -> [String: Claim])?
            var start: (@Sendable (SignUp) async throws -> CollectionStart)?
            var end: (@Sendable (SignUp) async throws -> CollectionEnd)?
            var migrationAttribute = ""
            var password: (@Sendable (SubmittedPassword) async throws -> PasswordAnswer)?
            var letsFailuresPass = false
        }

        fileprivate let closures = Locked(Closures())

        init() {}

        /// Asks `give` for claims when tokens are about to be issued, at a sign-in and at each refresh.
        ///
        /// - Parameters:
        ///   - names: The claims that may go into the ID token and the access token; others are left out.
        ///   - give: Gives the values; nil takes the hook away.
        public func giveClaims(
            named names: [String], _ give: (@Sendable (TokenUser) async throws -> [String: Claim])?
        ) {
            closures.withLock { ($0.claimNames, $0.claims) = (names, give) }
        }

        /// Asks `judge` once in a sign-up, when the mailbox is proven and the password, if there is one, is given. Nil
        /// takes the hook away.
        public func onCollectionStart(_ judge: (@Sendable (SignUp) async throws -> CollectionStart)?) {
            closures.withLock { $0.start = judge }
        }

        /// Asks `judge` each time when all required attributes are given, before the account exists. Nil takes the hook
        /// away.
        public func onAttributesSubmitted(_ judge: (@Sendable (SignUp) async throws -> CollectionEnd)?) {
            closures.withLock { $0.end = judge }
        }

        /// Asks `judge` about a password that is not the stored one, for accounts whose `attribute` is `true`;
        /// ``TestTenant/add(_:)`` makes one, with a user's `attributes`. A closure that throws fails the
        /// sign-in with status 503, whatever ``letFailuresPass`` says.
        ///
        /// - Parameters:
        ///   - attribute: The name of the attribute; no user flow may collect it.
        ///   - judge: The other system; nil takes the hook away.
        public func onPasswordSubmitted(
            whileTrue attribute: String, _ judge: (@Sendable (SubmittedPassword) async throws -> PasswordAnswer)?
        ) {
            closures.withLock { ($0.migrationAttribute, $0.password) = (attribute, judge) }
        }

        /// Whether a step goes on when a closure throws; otherwise, which is the default, it fails with status 503.
        public var letFailuresPass: Bool {
            get { closures.withLock { $0.letsFailuresPass } }
            set { closures.withLock { $0.letsFailuresPass = newValue } }
        }
    }
}

/// The tenant with the hooks that have closures at the moment.
struct HookedTenants: ClientStore {
    let directory: TenantDirectory
    let hooks: TestTenant.Hooks

    func tenant(named name: String) async throws(StoreError) -> Tenant? {
        guard var tenant = try await directory.tenant(named: name) else { return nil }
        tenant.hooks = hooks.configured
        return tenant
    }

    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        try await directory.client(id, in: tenant)
    }

    func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
        try await directory.entry(of: tenant)
    }

    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        try await directory.daemon(id, in: tenant)
    }

    func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
        try await directory.hasPages(ofOrigin: origin)
    }

    func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
        guard var tenant = try await directory.tenant(ofPasskeysAt: host) else { return nil }
        tenant.hooks = hooks.configured
        return tenant
    }
}

extension TestTenant.Hooks {
    /// The hooks of the tenant document that the closures stand for.
    fileprivate var configured: [Hook] {
        let closures = closures.withLock { $0 }
        func hook(_ event: Hook.Event, _ number: UInt8, _ claims: [HookClaim] = []) -> Hook {
            Hook(
                id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)), displayName: "Test",
                event: event, url: "https://hooks.test/",
                audience: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 1, number)),
                onFailure: closures.letsFailuresPass ? .proceed : .block, claims: claims)
        }
        var hooks: [Hook] = []
        if closures.claims != nil {
            hooks.append(hook(.tokenIssuanceStart, 1, closures.claimNames.map { HookClaim(name: $0) }))
        }
        if closures.start != nil { hooks.append(hook(.attributeCollectionStart, 2)) }
        if closures.end != nil { hooks.append(hook(.attributeCollectionSubmit, 3)) }
        if closures.password != nil {
            var asked = hook(.passwordSubmit, 4)
            // The closure gets the password as it is.
            asked.migration = PasswordMigration(attribute: closures.migrationAttribute, encryptionKey: "")
            hooks.append(asked)
        }
        return hooks
    }
}

/// Asks the closures.
final class ClosureReceiver: HookReceiver {
    private let hooks: TestTenant.Hooks

    init(hooks: TestTenant.Hooks) {
        self.hooks = hooks
    }

    func claims(for user: User, asking call: HookCall) async throws(HookFailure) -> [String: ClaimValue] {
        guard let give = hooks.closures.withLock({ $0.claims }) else { throw .unreachable }
        do {
            let id = user.id.description
            let given = try await give(
                TestTenant.Hooks.TokenUser(id: id, email: user.email, attributes: user.attributes))
            return given.mapValues { claim in
                switch claim {
                case .text(let text): .one(.string(text))
                case .texts(let texts): .texts(texts)
                }
            }
        } catch {
            throw .unreachable
        }
    }

    func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer {
        guard let judge = hooks.closures.withLock({ $0.start }) else { throw .unreachable }
        do {
            switch try await judge(TestTenant.Hooks.SignUp(email: signUp.email, attributes: signUp.attributes)) {
            case .proceed: return .proceed
            case .prefill(let values): return .prefill(values)
            case .block(let reason): return .block(reason)
            }
        } catch {
            throw .unreachable
        }
    }

    func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer {
        guard let judge = hooks.closures.withLock({ $0.end }) else { throw .unreachable }
        do {
            switch try await judge(TestTenant.Hooks.SignUp(email: signUp.email, attributes: signUp.attributes)) {
            case .proceed: return .proceed
            case .modify(let values): return .modify(values)
            case .refuse(let names, let reason): return .refuse(attributes: names, reason: reason)
            case .block(let reason): return .block(reason)
            }
        } catch {
            throw .unreachable
        }
    }

    func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer {
        guard let judge = hooks.closures.withLock({ $0.password }) else { throw .unreachable }
        do {
            let asked = TestTenant.Hooks.SubmittedPassword(
                email: password.user.email, password: password.password.reveal())
            switch try await judge(asked) {
            case .migrate: return .migrate
            case .update: return .update
            case .retry: return .retry
            case .block(let reason): return .block(reason)
            }
        } catch {
            throw .unreachable
        }
    }

    /// No test waits for what only a clock could see.
    func longestTime(of hook: Hook) -> @Sendable () async -> Void { {} }

    /// The mailbox of a test tenant has every code; no hook delivers one.
    func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        throw .unreachable
    }
}

package import NativeAuthCore
package import PortableFoundation

/// A user's sign-in in a browser, for all applications of a tenant.
package struct BrowserSession: Hashable, Sendable {
    package var id: UUID
    package var tenant: TenantID
    /// SHA-256 of the cookie's value, 32 bytes.
    package var digest: Data
    /// What the user proved, and when.
    package var authentication: Authentication
    package var createdAt: Date
    /// The last request that a person made, to a minute.
    package var seenAt: Date
    /// Whether the cookie outlives the browser, as the user chose.
    package var isKept: Bool

    package init(
        id: UUID, tenant: TenantID, digest: Data, authentication: Authentication, createdAt: Date, seenAt: Date,
        isKept: Bool
    ) {
        self.id = id
        self.tenant = tenant
        self.digest = digest
        self.authentication = authentication
        self.createdAt = createdAt
        self.seenAt = seenAt
        self.isKept = isKept
    }

    /// The lifetimes of a session in seconds (`SEC-WEB-6`).
    package struct Lifetime: Hashable, Sendable {
        /// Without a request.
        package var idle: Double
        /// In all.
        package var absolute: Double
    }

    package static let usual = Lifetime(idle: 30 * 60, absolute: 24 * 3_600)
    /// For users who chose to stay signed in.
    package static let kept = Lifetime(idle: 14 * 86_400, absolute: 90 * 86_400)

    private var lifetime: Lifetime { isKept ? Self.kept : Self.usual }

    /// The first moment when it is not valid any more.
    package var endsAt: Date {
        min(seenAt.addingTimeInterval(lifetime.idle), createdAt.addingTimeInterval(lifetime.absolute))
    }

    /// How long the cookie is worth keeping; nil: until the browser closes.
    package var cookieLifetime: Int? { isKept ? Int(lifetime.absolute) : nil }

    /// The interval, in seconds, at which a use is written.
    package static let useInterval: Double = 60
}

extension BrowserSession {
    /// The session of a stored row; nil when this version cannot read the proofs.
    ///
    /// - Parameter proofs: As ``proofs()`` made them.
    package init?(
        id: UUID, tenant: TenantID, digest: Data, proofs: Data, createdAt: Date, seenAt: Date, isKept: Bool
    ) {
        guard let authentication: Authentication = StateCoding.decode(proofs) else { return nil }
        self.init(
            id: id, tenant: tenant, digest: digest, authentication: authentication, createdAt: createdAt,
            seenAt: seenAt, isKept: isKept)
    }

    /// The proofs for a row.
    package func proofs() throws(EngineError) -> Data { try StateCoding.encode(authentication) }
}

/// A browser's session with its account.
package struct BrowserSignIn: Hashable, Sendable {
    package var session: BrowserSession
    package var account: UserAccount

    package init(session: BrowserSession, account: UserAccount) {
        self.session = session
        self.account = account
    }
}

/// What is stored of an authorization code, from its first presentation on.
package struct PresentedCode: Hashable, Sendable {
    /// SHA-256 of the code, 32 bytes.
    package var digest: Data
    package var failures: Int
    /// What its redemption gave; nil while there were only failures.
    package var redemption: Redemption?
    /// The row is of no use after this time.
    package var until: Date

    package struct Redemption: Hashable, Sendable {
        package var at: Date
        package var family: UUID
        /// SHA-256 of the request, 32 bytes.
        package var requestDigest: Data
        /// The answer, sealed under a key that is derived from the code and its verifier; nil when there was no verifier.
        package var sealedAnswer: Data?

        package init(at date: Date, family: UUID, requestDigest: Data, sealedAnswer: Data?) {
            at = date
            self.family = family
            self.requestDigest = requestDigest
            self.sealedAnswer = sealedAnswer
        }
    }

    package init(digest: Data, failures: Int = 0, redemption: Redemption? = nil, until: Date) {
        self.digest = digest
        self.failures = failures
        self.redemption = redemption
        self.until = until
    }
}

/// The facts that a redemption decides on.
package struct CodeFacts: Hashable, Sendable {
    package var presented: PresentedCode?
    /// The session that the code came from, with its account; nil when it has ended.
    package var signIn: BrowserSignIn?

    package init(presented: PresentedCode? = nil, signIn: BrowserSignIn? = nil) {
        self.presented = presented
        self.signIn = signIn
    }
}

/// Stores browser sessions, the codes that were presented, what users allowed applications, and the devices that wait for a user
/// of a session.
package protocol BrowserStore: DeviceStore, PushedRequestStore, ConsentStore {
    /// The session whose cookie has this digest, with its account, in one round trip; nil when there is none. It may have
    /// ended by time.
    func browserSignIn(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn?

    /// The session with this id, in the same way.
    func browserSignIn(of id: UUID, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn?

    /// The user's sessions with the account, the last used first, at most 200. They may have ended by time.
    func browserSignIns(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [BrowserSignIn]

    /// Adds a session, in place of the one that the browser had, in one transaction with the event. When that was another
    /// user's, its families without `offline_access` end.
    func openBrowserSession(
        _ session: BrowserSession, replacing replaced: UUID?, recording event: AuditEvent
    ) async throws(StoreError)

    /// Notes a use of a session.
    func noteUse(ofBrowserSession id: UUID, in tenant: TenantID, at date: Date) async throws(StoreError)

    /// Ends a session, and the families of refresh tokens that it gave to applications without `offline_access`, in one
    /// transaction with the event.
    ///
    /// - Returns: The applications that got tokens from the session; none when it had ended before.
    @discardableResult
    func endBrowserSession(
        _ id: UUID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> [ClientID]

    /// Reads the facts of a code, passes them to `decide`, and writes what it returns, in one transaction. Presentations of
    /// one code run one after another, also on several nodes. `decide` is pure and may run more than once.
    func presentCode<Answer: Sendable>(
        _ digest: Data, ofBrowserSession id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (CodeFacts) -> (code: PresentedCode?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer
}

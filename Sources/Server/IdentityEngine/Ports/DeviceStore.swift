package import NativeAuthCore
package import PortableFoundation

/// A device without a browser of its own that waits until a user allows it to act for them (RFC 8628).
package struct WaitingDevice: Hashable, Sendable {
    package var tenant: TenantID
    /// SHA-256 of the device code, 32 bytes.
    package var digest: Data
    /// A keyed digest of the user code, 32 bytes: the code itself is short enough to be found from a plain one.
    package var userCode: Data
    package var client: ClientID
    package var createdAt: Date
    /// From this time on no user can allow it, and it gets no tokens.
    package var until: Date
    package var scopes: [String]
    /// The authentication contexts that its tokens must state.
    package var contexts: [String]
    /// The network that it asked from: `192.0.2.0/24`, `2001:db8:0:100::/56`.
    package var network: String?
    /// Seconds between two polls.
    package var interval: Int
    package var polledAt: Date?
    package var answer: Answer?
    package var redemption: Redemption?

    /// What the user decided.
    package enum Answer: Hashable, Sendable, Codable {
        case allowed(CodeGrant)
        case declined
    }

    /// What its one redemption gave.
    package struct Redemption: Hashable, Sendable, Codable {
        var at: Date
        var family: UUID
        /// The answer, sealed under a key that is derived from the device code.
        var sealedAnswer: Data
    }

    package init(
        tenant: TenantID, digest: Data, userCode: Data, client: ClientID, createdAt: Date, until: Date,
        scopes: [String], contexts: [String] = [], network: String? = nil, interval: Int
    ) {
        self.tenant = tenant
        self.digest = digest
        self.userCode = userCode
        self.client = client
        self.createdAt = createdAt
        self.until = until
        self.scopes = scopes
        self.contexts = contexts
        self.network = network
        self.interval = interval
    }

    /// The seconds after its end in which it is still known.
    package static let memory = 900.0

    /// The browser session of the user who allowed it.
    package var session: UUID? {
        switch answer {
        case .allowed(let grant): grant.session
        case .declined, nil: nil
        }
    }
}

extension WaitingDevice {
    /// What a row holds in one column.
    private struct State: Codable {
        var scopes: [String]
        var contexts: [String]
        var network: String?
        var interval: Int
        var polledAt: Date?
        var answer: Answer?
        var redemption: Redemption?
    }

    /// The device of a stored row; nil when this version cannot read the state.
    ///
    /// - Parameter state: As ``state()`` made it.
    package init?(
        tenant: TenantID, digest: Data, userCode: Data, client: ClientID, createdAt: Date, until: Date, state: Data
    ) {
        guard let state: State = StateCoding.decode(state) else { return nil }
        self.init(
            tenant: tenant, digest: digest, userCode: userCode, client: client, createdAt: createdAt, until: until,
            scopes: state.scopes, contexts: state.contexts, network: state.network, interval: state.interval)
        (polledAt, answer, redemption) = (state.polledAt, state.answer, state.redemption)
    }

    /// The state for a row.
    package func state() throws(EngineError) -> Data {
        try StateCoding.encode(
            State(
                scopes: scopes, contexts: contexts, network: network, interval: interval, polledAt: polledAt,
                answer: answer, redemption: redemption))
    }
}

/// The facts that an answer of a user, or a poll of a device, decides on.
package struct DeviceFacts: Hashable, Sendable {
    package var device: WaitingDevice?
    /// The session of the user who allowed the device, with the account; nil when there is none, or it has ended.
    package var signIn: BrowserSignIn?

    package init(device: WaitingDevice? = nil, signIn: BrowserSignIn? = nil) {
        self.device = device
        self.signIn = signIn
    }
}

/// What became of a device that was to wait.
package enum DeviceAddition: Hashable, Sendable {
    case added
    /// Another device of the tenant has this user code.
    case userCodeTaken
    /// The tenant has enough of them.
    case full
}

/// Stores devices that wait for a user.
package protocol DeviceStore: Sendable {
    /// Stores a device, unless `most` devices of its tenant wait already.
    func add(_ device: WaitingDevice, most: Int) async throws(StoreError) -> DeviceAddition

    /// The device with this digest of its device code; it may have ended by time.
    func device(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice?

    /// The device with this digest of its user code, in the same way.
    func device(ofUserCode digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice?

    /// Reads the facts of a device, passes them to `decide`, and writes what it returns, in one transaction. Those of one device
    /// run one after another, also on several nodes. `decide` is pure and may run more than once.
    func updateDevice<Answer: Sendable>(
        _ digest: Data, in tenant: TenantID,
        decide: @escaping @Sendable (DeviceFacts) -> (device: WaitingDevice?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer
}

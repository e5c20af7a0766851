import Crypto
import IdentityEngine
import IdentityHTTP
import IdentityStoreSQL
import IdentityStoreSQLite
import IdentityTokens
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation

/// Everything of a simulation except the server and the client runs here, one job at a time.
@globalActor actor SimulationActor {
    static let shared = SimulationActor()
}

/// A violated property.
struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The requirement, such as `I6` or `SDK-REF-1`.
    var rule: String
    var text: String

    var description: String { "\(rule): \(text)" }
}

/// The server's settings of a history, and its network's fault rate.
struct Profile: Sendable {
    var cooldown: Int
    var hasLimits: Bool
    /// How many of 100 requests meet a fault.
    var storm: Int

    init(seed: UInt64) {
        var chance = Chance(seed: seed &* 31)
        cooldown = chance.pick([0, 60])
        hasLimits = chance.percent(33)
        storm = chance.weighed([0: 1, 6: 3, 15: 3, 30: 1])
    }
}

/// Server, clients, mail, clock and network of one history, all from one seed.
@SimulationActor final class World {
    nonisolated static let deviceCount = 6
    nonisolated static let start = Date(timeIntervalSince1970: 1_800_000_000)

    nonisolated let profile: Profile
    nonisolated let clock = SimulationClock(World.start)
    nonisolated let store: SQLiteStore
    nonisolated let stores: FaultyStore
    nonisolated let vault: Vault
    nonisolated let tenant: TenantID
    nonisolated let tokens: ContinuationTokens
    private nonisolated let randomness: SimulationRandomness
    private nonisolated let directory: TenantDirectory
    private nonisolated let settings: EngineSettings

    private(set) var server: InProcessTransport
    private(set) var engine: Engine
    private(set) var keys: KeyRing
    let network: Network
    var devices: [Device] = []
    var ledger = Ledger()
    var post = Post()
    private(set) var violation: Violation?

    init(seed: UInt64) throws {
        profile = Profile(seed: seed)
        randomness = SimulationRandomness(seed: seed)
        vault = Vault(masterKey: SymmetricKey(data: randomness.bytes(32)), randomness: randomness)
        tokens = ContinuationTokens(vault: vault)
        store = try SQLiteStore.inMemory()
        stores = FaultyStore(store: store)
        let directory = Self.directory
        self.directory = directory
        tenant = directory.entries[0].tenant.id
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.resendCooldown = profile.cooldown
        settings.limits = profile.hasLimits ? TimeLimits() : nil
        self.settings = settings
        (engine, keys, server) = Self.node(stores, vault, clock, randomness, directory, settings)
        network = Network()
        network.world = self
        let environment = clock
        // Two of them are two processes of one app on one device: they share application and token cache.
        for (number, application) in [0, 1, 1, 2, 3, 4].enumerated() {
            let cache = number == 2 ? devices[1].cache : SharedCache()
            let id = directory.entries[0].applications[application].id.description
            devices.append(try Device(number, clientID: id, cache: cache, clock: environment, network: network))
        }
    }

    /// Starts the server's node again: data that was only in memory is lost (`REL-TX-6`).
    func restart() {
        (engine, keys, server) = Self.node(stores, vault, clock, randomness, directory, settings)
    }

    private nonisolated static func node(
        _ stores: FaultyStore, _ vault: Vault, _ clock: SimulationClock, _ randomness: SimulationRandomness,
        _ directory: TenantDirectory, _ settings: EngineSettings
    ) -> (Engine, KeyRing, InProcessTransport) {
        let keys = KeyRing(store: stores, vault: vault, clock: clock, randomness: randomness, algorithm: .es256)
        let engine = Engine(
            Engine.Ports(
                clients: directory, flows: stores, users: stores, refresh: stores, browsers: stores, assertions: stores,
                hasher: SimulationHasher(randomness: randomness), issuer: keys, randomness: randomness,
                mail: MailSignal()), vault: vault, settings: settings)
        let routes = IdentityRoutes(engine: engine, clock: clock, readiness: Readiness(flows: stores))
        return (engine, keys, InProcessTransport(routes: routes))
    }

    /// The development tenant, and an application that requires a second factor.
    private nonisolated static let directory: TenantDirectory = {
        var entry = TenantDirectory.development.entries[0]
        var strict = entry.applications[1]
        strict.id = ClientID(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))
        strict.requiresSecondFactor = true
        entry.applications.append(strict)
        return TenantDirectory([entry])
    }()

    // MARK: Complaints

    /// Records the first violation.
    func demand(_ isRight: Bool, _ rule: String, _ text: @autoclosure () -> String) {
        if !isRight, violation == nil { violation = Violation(rule: rule, text: text()) }
    }
}

/// A clock that stands still until it is moved.
final class SimulationClock: WallClock {
    private let time: Locked<Date>

    init(_ start: Date) {
        time = Locked(start)
    }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}

/// Bytes that look random and follow from a seed.
final class SimulationRandomness: Randomness {
    private let chance: Locked<Chance>

    init(seed: UInt64) {
        chance = Locked(Chance(seed: seed))
    }

    func bytes(_ count: Int) -> [UInt8] {
        chance.withLock { chance in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next() >> 24) }
        }
    }

    func correlationID() -> UUID { uuid() }
}

/// A salted SHA-256: a simulation needs no protection against attackers.
struct SimulationHasher: PasswordHasher {
    let randomness: SimulationRandomness

    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        let salt = Base64URL.encode(randomness.bytes(9))
        return PasswordHash(phc: "$simulation$\(salt)$\(Self.digest(password.reveal(), salt))")
    }

    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        Self.isHash(hash.phc, of: password.reveal())
    }

    func isOutdated(_ hash: PasswordHash) -> Bool { false }

    static func isHash(_ phc: String, of password: String) -> Bool {
        let parts = phc.split(separator: "$").map(String.init)
        return parts.count == 3 && parts[2] == digest(password, parts[1])
    }

    private static func digest(_ password: String, _ salt: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data("\(salt)$\(password)".utf8)))
    }
}

/// The store of the server, which may fail once: before it writes, or after it has written (`REL-DB-3`).
final class FaultyStore: FlowStore, UserStore, RefreshStore, BrowserStore, AssertionStore, KeyStore {
    enum Fault: Sendable {
        /// Nothing is written.
        case refuses
        /// Everything is written, and the confirmation is lost.
        case forgets
    }

    struct Injected: Error {}

    private let store: SQLiteStore
    private let plan = Locked<(fault: Fault, after: Int)?>(nil)
    private let hasFailed = Locked(false)
    private let committed = Locked<[Effect]>([])

    init(store: SQLiteStore) {
        self.store = store
    }

    /// - Parameter after: The number of writes that succeed before.
    func planFault(_ fault: Fault, after: Int) {
        plan.withLock { $0 = (fault, after) }
    }

    /// Removes a fault that did not happen; returns whether one happened since the last call.
    func endFault() -> Bool {
        plan.withLock { $0 = nil }
        return hasFailed.withLock { hasFailed in
            defer { hasFailed = false }
            return hasFailed
        }
    }

    /// What flows have written since the last call.
    func takeCommitted() -> [Effect] {
        committed.withLock { committed in
            defer { committed = [] }
            return committed
        }
    }

    private func write<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let fault = plan.withLock { plan -> Fault? in
            guard let (fault, after) = plan else { return nil }
            plan = after > 0 ? (fault, after - 1) : nil
            return after > 0 ? nil : fault
        }
        if fault != nil { hasFailed.withLock { $0 = true } }
        if fault == .refuses { throw .unavailable(Injected()) }
        let value = try await body()
        if fault == .forgets { throw .unavailable(Injected()) }
        return value
    }

    func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write { () async throws(StoreError) in
            let decided = Locked<FlowChange?>(nil)
            let answer = try await store.step(query) { facts in
                let decision = decide(facts)
                decided.withLock { $0 = decision.change }
                return decision
            }
            let effects = decided.withLock { $0?.effects ?? [] }
            if !effects.isEmpty { committed.withLock { $0 += effects } }
            return answer
        }
    }

    func record(_ event: AuditEvent) async throws(StoreError) {
        try await write { () async throws(StoreError) in try await store.record(event) }
    }

    func removeExpired(now: Date) async throws(StoreError) -> Int {
        try await write { () async throws(StoreError) in try await store.removeExpired(now: now) }
    }

    func checkWritable() async throws(StoreError) {
        try await write { () async throws(StoreError) in try await store.checkWritable() }
    }

    func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await store.account(id, in: tenant)
    }

    func account(with credential: MethodCredential, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await store.account(with: credential, in: tenant)
    }

    func account(withPhone number: PhoneNumber, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await store.account(withPhone: number, in: tenant)
    }

    func names(ofIdentity key: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> Data? {
        try await store.names(ofIdentity: key, in: tenant, now: now)
    }

    func account(named key: LoginIdentifier.Key, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await store.account(named: key, in: tenant)
    }

    func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool {
        try await store.isFamiliar(network, to: user, in: tenant, since: since)
    }

    func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        try await store.user(id, in: tenant)
    }

    func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key], marks: [Data],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write { () async throws(StoreError) in
            try await store.change(id, in: tenant, names: names, marks: marks, decide: decide)
        }
    }

    func taken(
        _ keys: [LoginIdentifier.Key], marks: [Data], in tenant: TenantID
    ) async throws(StoreError) -> (keys: Set<LoginIdentifier.Key>, reserved: [ReservedName]) {
        try await store.taken(keys, marks: marks, in: tenant)
    }

    func emailUndo(_ codeDigest: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> EmailUndo? {
        try await store.emailUndo(codeDigest, in: tenant, now: now)
    }

    func emailUndos(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [EmailUndo] {
        try await store.emailUndos(of: user, in: tenant, now: now)
    }

    func groups(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [UserGroup] {
        try await store.groups(of: user, in: tenant)
    }

    func isDeleted(_ mark: Data, in tenant: TenantID) async throws(StoreError) -> Bool {
        try await store.isDeleted(mark, in: tenant)
    }

    func usersToDelete(
        now: Date, limit: Int
    ) async throws(StoreError) -> [(tenant: TenantID, user: UserID)] {
        try await store.usersToDelete(now: now, limit: limit)
    }

    func events(of user: UserID, in tenant: TenantID, limit: Int) async throws(StoreError) -> [RecordedEvent] {
        try await store.events(of: user, in: tenant, limit: limit)
    }

    func passwordHash(near id: UserID, in tenant: TenantID) async throws(StoreError) -> PasswordHash? {
        try await store.passwordHash(near: id, in: tenant)
    }

    func rememberedDevices(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [RememberedDevice] {
        try await store.rememberedDevices(of: user, in: tenant)
    }

    func needsTwoOperators() async throws(StoreError) -> Bool { try await store.needsTwoOperators() }

    func operatorRequests(in tenant: TenantID) async throws(StoreError) -> [OperatorRequest] {
        try await store.operatorRequests(in: tenant)
    }

    func countUsers(in tenant: TenantID) async throws(StoreError) -> Int {
        try await store.countUsers(in: tenant)
    }

    func useAssertion(
        _ mark: Data, in tenant: TenantID, until end: Date, recording event: AuditEvent?
    ) async throws(StoreError) -> Bool {
        try await write { () async throws(StoreError) in
            try await store.useAssertion(mark, in: tenant, until: end, recording: event)
        }
    }

    func refreshFamily(_ id: UUID, in tenant: TenantID) async throws(StoreError) -> RefreshFamily? {
        try await store.refreshFamily(id, in: tenant)
    }

    func refreshSession(
        _ id: UUID, in tenant: TenantID
    ) async throws(StoreError) -> (family: RefreshFamily, account: UserAccount)? {
        try await store.refreshSession(id, in: tenant)
    }

    func sessions(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [RefreshFamily] {
        try await store.sessions(of: user, in: tenant, now: now)
    }

    func updateRefreshFamily<Answer: Sendable>(
        _ id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (RefreshFamily?) -> (change: RefreshFamily?, event: AuditEvent?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write { () async throws(StoreError) in
            try await store.updateRefreshFamily(id, in: tenant, decide: decide)
        }
    }

    func browserSignIn(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn? {
        try await store.browserSignIn(digest, in: tenant)
    }

    func browserSignIn(of id: UUID, in tenant: TenantID) async throws(StoreError) -> BrowserSignIn? {
        try await store.browserSignIn(of: id, in: tenant)
    }

    func browserSignIns(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [BrowserSignIn] {
        try await store.browserSignIns(of: user, in: tenant)
    }

    func noteUse(ofBrowserSession id: UUID, in tenant: TenantID, at date: Date) async throws(StoreError) {
        try await write { () async throws(StoreError) in
            try await store.noteUse(ofBrowserSession: id, in: tenant, at: date)
        }
    }

    func endBrowserSession(
        _ id: UUID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> [ClientID] {
        try await write { () async throws(StoreError) in
            try await store.endBrowserSession(id, in: tenant, at: date, recording: event)
        }
    }

    func presentCode<Answer: Sendable>(
        _ digest: Data, ofBrowserSession id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (CodeFacts) -> (code: PresentedCode?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write { () async throws(StoreError) in
            try await store.presentCode(digest, ofBrowserSession: id, in: tenant, decide: decide)
        }
    }

    func add(_ device: WaitingDevice, most: Int) async throws(StoreError) -> DeviceAddition {
        try await write { () async throws(StoreError) in try await store.add(device, most: most) }
    }

    func device(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice? {
        try await store.device(digest, in: tenant)
    }

    func device(ofUserCode digest: Data, in tenant: TenantID) async throws(StoreError) -> WaitingDevice? {
        try await store.device(ofUserCode: digest, in: tenant)
    }

    func updateDevice<Answer: Sendable>(
        _ digest: Data, in tenant: TenantID,
        decide: @escaping @Sendable (DeviceFacts) -> (device: WaitingDevice?, effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write { () async throws(StoreError) in
            try await store.updateDevice(digest, in: tenant, decide: decide)
        }
    }

    func push(_ request: PushedRequest, most: Int, now: Date) async throws(StoreError) -> Bool {
        try await write { () async throws(StoreError) in try await store.push(request, most: most, now: now) }
    }

    func openBrowserSession(
        _ session: BrowserSession, replacing replaced: UUID?, recording event: AuditEvent
    ) async throws(StoreError) {
        try await write { () async throws(StoreError) in
            try await store.openBrowserSession(session, replacing: replaced, recording: event)
        }
    }

    func takePushedRequest(
        _ digest: Data, of client: ClientID, in tenant: TenantID
    ) async throws(StoreError) -> PushedRequest? {
        try await write { () async throws(StoreError) in
            try await store.takePushedRequest(digest, of: client, in: tenant)
        }
    }

    func consents(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [Consent] {
        try await store.consents(of: user, in: tenant)
    }

    func give(_ consent: Consent, in tenant: TenantID, recording event: AuditEvent) async throws(StoreError) {
        try await write { () async throws(StoreError) in
            try await store.give(consent, in: tenant, recording: event)
        }
    }

    func withdrawConsent(
        of user: UserID, to client: ClientID, in tenant: TenantID, at date: Date, recording event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await write { () async throws(StoreError) in
            try await store.withdrawConsent(of: user, to: client, in: tenant, at: date, recording: event)
        }
    }

    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        try await store.signingKeys(for: tenant)
    }

    func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await write { () async throws(StoreError) in
            try await store.updateSigningKeys(for: tenant, recording: event, decide: decide)
        }
    }
}

/// A token cache that several clients share, and that can be inspected.
final class SharedCache: TokenCache {
    /// A kept session, as far as the simulation judges it.
    struct Kept: Decodable, Hashable, Sendable {
        var objectID: String
        var refreshToken: String?
        var hasEnded: Bool
        var signIn: UUID
    }

    private let cache = InMemoryTokenCache()
    private let application = Locked<String?>(nil)

    func withItems<Result: Sendable>(
        of application: String, _ body: (inout [String: Data]) -> Result
    ) throws(TokenCacheError) -> Result {
        // The key of the device is kept apart from the sessions.
        if !application.hasSuffix("|device") { self.application.withLock { $0 = application } }
        return try cache.withItems(of: application, body)
    }

    func renewing<Result: Sendable>(
        _ item: String, of application: String, _ renewal: @Sendable () async -> Result
    ) async -> Result {
        await cache.renewing(item, of: application, renewal)
    }

    /// The sessions by home account ID; nil for one that cannot be decoded.
    func sessions() -> [String: Kept?] {
        guard let application = application.withLock(\.self) else { return [:] }
        do {
            return try cache.withItems(of: application) { items in
                items.mapValues { data in
                    do {
                        return try JSONDecoder().decode(Kept.self, from: data)
                    } catch {
                        return nil
                    }
                }
            }
        } catch {
            return [:]
        }
    }
}

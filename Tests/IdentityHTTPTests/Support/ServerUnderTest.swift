import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// The stages of a sign-up, in the order of the longest one: password given late, attributes last.
enum Stage: String, CaseIterable, Sendable {
    case started
    case awaitingCode
    case choosingCredential
    case awaitingPassword
    case awaitingAttributes
    case completed
}

/// Runs `body` with a fresh server.
func withIdentityServer<Result>(
    seed: UInt64 = 1, startingAt start: Date = IdentityTestServer.start,
    _ body: (IdentityTestServer) async throws -> Result
) async throws -> Result {
    try await body(IdentityTestServer(seed: seed, start: start))
}

/// A running sign-up.
struct Progress: Sendable {
    var client: WireClient
    var email: String
    /// The newest token of each stage that was reached.
    var tokens: [Stage: String] = [:]
    var code = ""

    func token(_ stage: Stage) throws -> String {
        try #require(tokens[stage])
    }
}

extension IdentityTestServer {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let address = #"{"country":"Denmark","city":"Aarhus"}"#

    func client(_ application: Application = .emailOneTimePasscode) -> WireClient {
        client(id: application.rawValue)
    }

    /// The client of an application of another directory.
    func client(id: String) -> WireClient {
        WireClient(transport: transport, clientID: id)
    }

    /// Walks a sign-up of the application with password and attributes to `stage`.
    func progress(to stage: Stage, email: String = "dana@example.com") async throws -> Progress {
        var progress = Progress(client: client(.emailPasswordWithAttributes), email: email)
        for next in Stage.allCases {
            try await advance(&progress, to: next)
            if next == stage { break }
        }
        return progress
    }

    /// Takes the step that leads to `stage`.
    func advance(_ progress: inout Progress, to stage: Stage) async throws {
        let client = progress.client
        let answer: WireAnswer
        switch stage {
        case .started: answer = try await client.start(progress.email)
        case .awaitingCode:
            answer = try await client.challenge(progress.token(.started))
            progress.code = try await mailbox.code(to: progress.email)
        case .choosingCredential:
            answer = try await client.submit(code: progress.code, progress.token(.awaitingCode))
        case .awaitingPassword: answer = try await client.challenge(progress.token(.choosingCredential))
        case .awaitingAttributes:
            answer = try await client.submit(password: WireClient.password, progress.token(.awaitingPassword))
        case .completed:
            answer = try await client.submit(attributes: Self.address, progress.token(.awaitingAttributes))
        }
        progress.tokens[stage] = try answer.token
    }

    /// Signs a user of the application with one-time passcode up; the answer is that of the last step.
    func signUp(
        _ email: String = "dana@example.com", with client: WireClient? = nil, _ more: Fields = []
    ) async throws -> WireAnswer {
        let client = client ?? self.client()
        let sent = try await client.challenge(client.start(email, more).token)
        return try await client.submit(code: mailbox.code(to: email), sent.token)
    }

    /// All rows of all tables that requests write.
    func snapshot() async throws -> [String: [[String?]]] {
        var tables: [String: [[String?]]] = [:]
        let names = [
            "users", "identifiers", "attributes", "flows", "replays", "outbox", "refresh_families", "audit",
            "counted_events", "strong_methods", "lockouts", "known_networks",
        ]
        for table in names {
            tables[table] = try await rows("SELECT * FROM \(table)")
        }
        return tables
    }

    /// The number that a statement yields.
    func count(_ sql: String) async throws -> Int {
        let cell = try await rows(sql).first?.first ?? nil
        return try #require(cell.flatMap { Int($0) })
    }

    /// All users of all tenants, oldest first.
    func storedUsers() async throws -> [User] {
        func uuid(_ hexadecimal: String?) throws -> UUID {
            var text = try #require(hexadecimal)
            for offset in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
            return try #require(UUID(uuidString: text))
        }
        var users: [User] = []
        for row in try await rows("SELECT id, tenant FROM users ORDER BY created_at") {
            let (id, tenant) = (UserID(try uuid(row[0])), TenantID(try uuid(row[1])))
            users.append(try #require(try await engine.ports.users.user(id, in: tenant)))
        }
        return users
    }

    func users() async throws -> Int { try await count("SELECT COUNT(*) FROM users") }

    /// How often the audit trail names `kind`.
    func audited(_ kind: AuditEvent.Kind) async throws -> Int {
        try await count("SELECT COUNT(*) FROM audit WHERE kind = '\(kind.rawValue)'")
    }

    /// What the newest line of `kind` in the audit trail says besides.
    func detail(ofLast kind: AuditEvent.Kind) async throws -> String? {
        let found = try await rows("SELECT detail FROM audit WHERE kind = '\(kind.rawValue)' ORDER BY seq DESC LIMIT 1")
        return try #require(found.first)[0]
    }
}

/// Applications that the development tenant does not have, and a second tenant.
enum TestDirectory {
    static let disabled = "99990000-aaaa-1111-bbbb-2222cccc3333"
    static let closed = "99990000-aaaa-1111-bbbb-2222cccc7777"
    static let custom = "99990000-aaaa-1111-bbbb-2222cccc4444"
    static let scoped = "99990000-aaaa-1111-bbbb-2222cccc5555"
    static let wide = "99990000-aaaa-1111-bbbb-2222cccc6666"
    /// A page without a server, at `https://app.example/done`, which may also call the native endpoints.
    static let page = "99990000-aaaa-1111-bbbb-2222cccc8888"
    /// A program on a server, at `https://shop.example/back`, with a secret; without native authentication.
    static let shop = "99990000-aaaa-1111-bbbb-2222cccc9999"
    /// An application for devices without a browser; without redirect addresses and native authentication.
    static let television = "99990000-aaaa-1111-bbbb-2222ccccaaaa"
    static let shopSecret = "the-secret-of-the-shop"
    static let prefix = "extension_0123456789abcdef0123456789abcdef_"

    /// Contoso with six more applications, and Fabrikam, which has one of Contoso's client ids.
    static func directory(hooks: [Hook] = []) throws -> TenantDirectory {
        func client(
            _ id: String, _ method: UserFlow.Method, attributes: [AttributeDefinition] = AttributeDefinition.builtIn,
            isEnabled: Bool = true, scopes: [String] = []
        ) throws -> Client {
            Client(
                id: try #require(ClientID(id)), displayName: "Test",
                userFlow: UserFlow(method: method, attributes: attributes), isNativeAuthEnabled: isEnabled,
                scopes: scopes)
        }
        let sixDigits: AttributePattern = try #require(AttributePattern(#"\d{6}"#))
        let puzzle: AttributePattern = try #require(AttributePattern(#"(a|aa|a?)+b"#))
        let attributes = [
            AttributeDefinition(name: "\(prefix)LoyaltyNumber", isRequired: true, pattern: sixDigits),
            AttributeDefinition(name: "\(prefix)Newsletter", type: .boolean, isRequired: true),
            AttributeDefinition(name: "\(prefix)ShoeSize", type: .integer, isRequired: true),
            AttributeDefinition(name: "\(prefix)Motto"),
            AttributeDefinition(name: "\(prefix)Puzzle", pattern: puzzle),
        ]
        var contoso = try #require(TenantDirectory.development.entries.first)
        contoso.tenant.hooks = hooks
        contoso.applications += [
            try client(disabled, .emailOneTimePasscode, isEnabled: false),
            Client(
                id: try #require(ClientID(closed)), displayName: "Test",
                userFlow: UserFlow(method: .emailOneTimePasscode, allowsSignUp: false)),
            try client(custom, .emailOneTimePasscode, attributes: attributes),
            try client(
                wide, .emailOneTimePasscode,
                attributes: (0..<100).map { AttributeDefinition(name: "\(prefix)A\($0)") }),
            try client(scoped, .emailOneTimePasscode, scopes: ["api://orders/*", "api://stock/Stock.Read"]),
        ]
        var (pageSettings, shopSettings, televisionSettings) = (WebSettings(), WebSettings(), WebSettings())
        televisionSettings.allowsDeviceFlow = true
        pageSettings.allowedOrigins = ["https://native.example"]
        shopSettings.postLogoutRedirects = ["https://shop.example/bye"]
        shopSettings.requiresPKCE = false
        shopSettings.secrets = [
            DaemonSecret(
                id: UUID(), displayName: "now", hint: "the", digest: DaemonSecret.digest(of: Secret(shopSecret)),
                endsAt: .distantFuture),
            DaemonSecret(
                id: UUID(), displayName: "old", hint: "old", digest: DaemonSecret.digest(of: Secret("old-secret")),
                endsAt: Date(timeIntervalSince1970: 1_700_000_000)),
        ]
        contoso.applications += [
            Client(
                id: try #require(ClientID(page)), displayName: "Page",
                userFlow: UserFlow(method: .emailPassword), scopes: ["*"],
                redirects: RedirectAddresses([.spa: ["https://app.example/done"], .publicClient: ["http://localhost"]]),
                web: pageSettings),
            Client(
                id: try #require(ClientID(shop)), displayName: "Shop",
                userFlow: UserFlow(method: .emailPassword), isNativeAuthEnabled: false, scopes: ["*"],
                redirects: RedirectAddresses([.web: ["https://shop.example/back", "https://shop.example/back?x=1"]]),
                web: shopSettings),
            Client(
                id: try #require(ClientID(television)), displayName: "Television",
                userFlow: UserFlow(method: .emailPassword), isNativeAuthEnabled: false, web: televisionSettings),
        ]
        contoso.daemons += [DaemonFixture.daemon]
        let fabrikam = TenantDirectory.Entry(
            tenant: Tenant(
                id: TenantID(try #require(UUID(uuidString: "bbbbcccc-1111-dddd-2222-eeee3333ffff"))),
                subdomain: "fabrikam", domain: "fabrikam.onmicrosoft.com", displayName: "Fabrikam"),
            applications: [
                try client(IdentityTestServer.Application.emailOneTimePasscode.rawValue, .emailOneTimePasscode),
                try client(
                    IdentityTestServer.Application.emailPasswordWithAttributes.rawValue, .emailPassword,
                    attributes: contoso.applications[3].userFlow.attributes),
            ])
        return TenantDirectory([contoso, fabrikam])
    }

    /// A server with this directory, and with `adjust` applied.
    static func server(
        adjust: (inout Engine.Ports, inout EngineSettings) -> Void = { _, _ in }
    ) throws -> IdentityTestServer {
        let directory = try directory()
        return try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            adjust(&ports, &settings)
        }
    }
}

/// Small and repeatable: SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// `count` codes of the right form that are not `code`, all different.
func wrongCodes(_ count: Int, besides code: String) -> [String] {
    let right = Int(code) ?? 0
    let length = code.utf8.count
    let all = (0..<length).reduce(1) { product, _ in product * 10 }
    return (1...count).map { offset in
        let digits = String((right + offset) % all)
        return String(repeating: "0", count: length - digits.utf8.count) + digits
    }
}

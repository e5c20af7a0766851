import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
public import NativeAuthCore
import PortableFoundation

extension TestTenant {
    /// The settings of a tenant. The defaults are those of the development server: its first four applications, no cool-down
    /// and no limits over time.
    public struct Settings: Hashable, Sendable {
        /// The tenant is at `https://{subdomain}.ciamlogin.com`, and its domain is `{subdomain}.onmicrosoft.com`.
        public var subdomain = "contoso"
        /// The applications; at least one. A client that names none gets the first.
        public var applications: [Application] = Application.developmentServer
        /// The users with an account at the start.
        public var users: [User] = []
        /// Whether limits over time apply: locks after wrong passwords, wrong codes and mails for an address. Limits
        /// for one code and one flow always apply.
        public var limitsOverTime = false
        /// How long after a code another one can be sent: zero, or 30 s to 5 min.
        public var resendCooldown: Duration = .zero
        /// Whether users may register a telephone, whose text messages ``TestTenant/mailbox`` has beside the mails. Numbers
        /// of all countries are texted, such as `+15555550123`.
        public var textMessages = false
        /// Whether the number of a telephone that a user has registered signs the user in, by a code alone. It needs
        /// ``textMessages``.
        public var signInByNumber = false
        /// Whether users may have passkeys, which are bound to the host name `localhost`.
        public var passkeys = false
        /// For how many days a second factor can be left out on a device, 1 to 30; nil: never.
        public var rememberedDeviceDays: Int?
        /// What some sign-ins must be worth.
        public var levels: [Level] = []
        /// The providers of other organisations that may sign users in, each with another ``TestIdentityProvider/id``.
        public var providers: [TestIdentityProvider] = []
        /// The number of a code's digits: 6 to 10.
        public var codeLength = 8
        /// How long a code is valid: 2 to 10 min.
        public var codeLifetime: Duration = .seconds(600)
        /// The lifetime of access tokens: 1 min or more; nil for 60 to 90 min, drawn for each token, as a production
        /// server does.
        public var accessTokenLifetime: Duration?
        /// The lifetime of an unused refresh token; nil for 90 days, or one day if users sign in with a one-time
        /// passcode.
        public var refreshTokenLifetime: Duration?
        /// How many days users who delete their account can take that back: 0 to 90.
        public var deletionGraceDays = 0

        /// The defaults.
        public init() {}
    }

    /// A registered application, with its user flow.
    public struct Application: Hashable, Sendable {
        /// How users sign in.
        public enum UserFlow: Hashable, Sendable {
            case emailOneTimePasscode
            case emailPassword
        }

        /// The identifier, a UUID as text.
        public var clientID: String
        /// How users sign in.
        public var userFlow: UserFlow
        /// The attributes with their own rules. Built-in attributes that are not listed here are optional text, and so
        /// is ``TestTenant/Attribute/alias``.
        public var attributes: [Attribute]
        /// Whether users with a password need a second factor at each sign-in. Without it they need one when the app
        /// asks, with a claims request for an authentication context, `c1` to `c99`.
        public var requiresSecondFactor: Bool
        /// Whether each sign-in needs a passkey; for a tenant with ``TestTenant/Settings/passkeys``.
        public var requiresPasskey = false
        /// Whether the second factor must use another mailbox than the account's own.
        public var requiresDistinctMailbox: Bool
        /// The resource scopes that the application may ask for, such as `api://orders/Orders.Read`; `api://orders/*`
        /// means all scopes of a resource, and `*` any scope.
        public var scopes: [String]
        /// When false, every step is refused, because native authentication is disabled for the application.
        public var isNativeAuthEnabled: Bool
        /// The claims that tokens have besides those that the server always writes; at most 20.
        public var claims: [Claim]
        /// Where the server's pages may send users back to. A client of the tenant that sets no redirect URI has
        /// `http://localhost/`.
        public var redirectURIs = ["http://localhost"]
        /// Whether new users can sign up.
        public var allowsSignUp = true

        /// Describes an application.
        public init(
            clientID: String, userFlow: UserFlow, attributes: [Attribute] = [], requiresSecondFactor: Bool = false,
            requiresDistinctMailbox: Bool = false, scopes: [String] = ["*"], isNativeAuthEnabled: Bool = true,
            claims: [Claim] = []
        ) {
            self.clientID = clientID
            self.userFlow = userFlow
            self.attributes = attributes
            self.requiresSecondFactor = requiresSecondFactor
            self.requiresDistinctMailbox = requiresDistinctMailbox
            self.scopes = scopes
            self.isNativeAuthEnabled = isNativeAuthEnabled
            self.claims = claims
        }

        /// Users sign in with a code; `00001111-aaaa-2222-bbbb-3333cccc4444`, as on the development server.
        public static let emailOneTimePasscode = Application(
            clientID: "00001111-aaaa-2222-bbbb-3333cccc4444", userFlow: .emailOneTimePasscode)
        /// Users sign in with a password; `11112222-bbbb-3333-cccc-4444dddd5555`, as on the development server.
        public static let emailPassword = Application(
            clientID: "11112222-bbbb-3333-cccc-4444dddd5555", userFlow: .emailPassword)
        /// Users sign in with a code, and give `country` and `city` at sign-up; `22223333-cccc-4444-dddd-5555eeee6666`,
        /// as on the development server.
        public static let emailOneTimePasscodeWithAttributes = Application(
            clientID: "22223333-cccc-4444-dddd-5555eeee6666", userFlow: .emailOneTimePasscode,
            attributes: [.required("country"), .required("city")])
        /// Users sign in with a password, and give `country` and `city` at sign-up;
        /// `33334444-dddd-5555-eeee-6666ffff7777`, as on the development server.
        public static let emailPasswordWithAttributes = Application(
            clientID: "33334444-dddd-5555-eeee-6666ffff7777", userFlow: .emailPassword,
            attributes: [.required("country"), .required("city")])
        /// The first four applications of the development server, in its order.
        public static let developmentServer: [Application] = [
            .emailOneTimePasscode, .emailPassword, .emailOneTimePasscodeWithAttributes, .emailPasswordWithAttributes,
        ]

        /// The challenge types of an app with this registration.
        var challengeTypes: Set<ChallengeType> {
            switch userFlow {
            case .emailOneTimePasscode: [.oneTimePasscode]
            case .emailPassword: [.oneTimePasscode, .password]
            }
        }
    }

    /// An attribute that a user flow takes at sign-up.
    public struct Attribute: Hashable, Sendable {
        /// The type of an attribute's value.
        public enum ValueType: String, Hashable, Sendable {
            case string
            case boolean
            case integer
        }

        /// The programmable name, such as `city` or `extension_…_LoyaltyNumber`.
        public var name: String
        public var type: ValueType
        /// Whether an account needs this attribute.
        public var isRequired: Bool
        /// A regular expression that the whole value must match: POSIX extended, with `\d`, `\w`, `\s` and `(?:…)`.
        public var regex: String?
        /// Whether a signed-in user may change the value; nil: built-in attributes yes, others no.
        public var userMayChange: Bool?

        /// The name of the alias, which users can sign in with like their e-mail address.
        public static let alias = "flatusername"

        /// An attribute that users may leave out.
        public static func optional(_ name: String, _ type: ValueType = .string, regex: String? = nil) -> Attribute {
            Attribute(name: name, type: type, isRequired: false, regex: regex)
        }

        /// An attribute that users must give.
        public static func required(_ name: String, _ type: ValueType = .string, regex: String? = nil) -> Attribute {
            Attribute(name: name, type: type, isRequired: true, regex: regex)
        }
    }

    /// A claim that is the value of an attribute of the user.
    public struct Claim: Hashable, Sendable {
        /// What the claim is part of.
        public enum Place: Hashable, Sendable {
            case idToken
            case accessToken
            /// The answer of `oidc/userinfo`.
            case userinfo
        }

        /// The name, 1 to 128 printable ASCII characters; not one of the names that only the server writes, such as
        /// `sub` or `roles`.
        public var name: String
        /// The name of the attribute, or `mail` for the address; nil: `name`, or the attribute that the standard claims
        /// `name`, `given_name`, `family_name`, `email` and `preferred_username` always come from.
        public var attribute: String?
        public var places: Set<Place>

        /// Describes a claim.
        public init(_ name: String, attribute: String? = nil, in places: Set<Place> = [.idToken, .userinfo]) {
            self.name = name
            self.attribute = attribute
            self.places = places
        }
    }

    /// A user with an account.
    public struct User: Hashable, Sendable {
        public var email: String
        /// Nil for a user who signs in with a one-time passcode. Password rules do not apply here.
        public var password: String?
        /// A login name besides the address.
        public var alias: String?
        public var attributes: [String: AttributeValue]
        /// The mailboxes, and with ``TestTenant/Settings/textMessages`` the telephones, registered as a second factor.
        public var secondFactors: [String]
        /// The authenticator app of the user, if there is one.
        public var authenticatorApp: TestAuthenticator?
        /// The number of sessions on other devices, with the first application.
        public var sessions: Int
        public var isDisabled: Bool

        /// Describes a user.
        public init(
            _ email: String, password: String? = nil, alias: String? = nil, attributes: [String: AttributeValue] = [:],
            secondFactors: [String] = [], sessions: Int = 0, isDisabled: Bool = false
        ) {
            self.email = email
            self.password = password
            self.alias = alias
            self.attributes = attributes
            self.secondFactors = secondFactors
            self.sessions = sessions
            self.isDisabled = isDisabled
        }
    }
}

// MARK: - For the engine

extension TestTenant.Settings {
    /// The tenant with its applications.
    ///
    /// - Throws: ``TestTenantError/settings(_:)``.
    func entry() throws(TestTenantError) -> TenantDirectory.Entry {
        guard var entry = TenantDirectory.development.entries.first, !applications.isEmpty else {
            throw .settings(["A tenant has at least one application."])
        }
        entry.tenant.subdomain = subdomain
        entry.tenant.domain = "\(subdomain).onmicrosoft.com"
        entry.tenant.deletionGraceDays = deletionGraceDays
        if !passkeys { entry.tenant.passkeys = nil }
        guard rememberedDeviceDays.map(RememberedDevice.days.contains) ?? true else {
            throw .settings(["The rememberedDeviceDays are 1 to 30."])
        }
        entry.tenant.rememberedDays = rememberedDeviceDays
        entry.tenant.texts?.signsIn = signInByNumber
        entry.tenant.providers = providers.map(\.provider)
        guard Set(providers.map(\.id)).count == providers.count else {
            throw .settings(["Two providers have the same id."])
        }
        entry.applications = try applications.map { application throws(TestTenantError) in try application.client() }
        guard Set(entry.applications.map(\.id)).count == applications.count else {
            throw .settings(["Two applications have the same client ID."])
        }
        let strict = zip(applications, entry.applications).filter { $0.0.requiresPasskey }.map { $0.1.id }
        guard strict.isEmpty || passkeys else {
            throw .settings(["An application requires passkeys, and the tenant has none: set passkeys."])
        }
        entry.tenant.levels = try levels.map { level throws(TestTenantError) in try level.rule(in: self) }
        if !strict.isEmpty {
            entry.tenant.levels.append(LevelRule(level: .phishingResistant, applications: strict))
        }
        return entry
    }

    func apply(to engine: inout EngineSettings) {
        if limitsOverTime { engine.limits = TimeLimits() }
        engine.resendCooldown = Int(resendCooldown.components.seconds)
        engine.codeDigits = codeLength
        engine.hasTextGateway = textMessages
        engine.codeLifetime = Int(codeLifetime.components.seconds)
        if let life = accessTokenLifetime.map({ Int($0.components.seconds) }) { engine.tokenLifetime = life...life }
        if let life = refreshTokenLifetime.map({ Int($0.components.seconds) }) {
            engine.refreshLifetime = life
            engine.oneTimePasscodeRefreshLifetime = life
        }
    }
}

extension TestTenant.Application {
    fileprivate func client() throws(TestTenantError) -> Client {
        guard let id = ClientID(clientID) else { throw .settings(["The client ID \(clientID) is no UUID."]) }
        var definitions = AttributeDefinition.builtIn
        for attribute in attributes {
            let definition = try attribute.definition()
            if let index = definitions.firstIndex(where: { $0.name == attribute.name }) {
                definitions[index] = definition
            } else {
                definitions.append(definition)
            }
        }
        let ownClaims = claims.map { $0.definition() }
        let faults = ApplicationClaim.faults(of: ownClaims, with: definitions).map(\.sentence)
        guard faults.isEmpty else { throw .settings(faults) }
        let method: IdentityEngine.UserFlow.Method =
            switch userFlow {
            case .emailOneTimePasscode: .emailOneTimePasscode
            case .emailPassword: .emailPassword
            }
        for address in redirectURIs {
            if let fault = RedirectAddresses.fault(address, of: .publicClient, client: id) {
                throw .settings(["The redirect URI \(address) \(fault)."])
            }
        }
        var web = WebSettings()
        web.opensInBrowser = [Client.accountPageID]
        return Client(
            id: id, displayName: "Test",
            userFlow: IdentityEngine.UserFlow(
                method: method, attributes: definitions, requiresSecondFactor: requiresSecondFactor,
                requiresDistinctMailbox: requiresDistinctMailbox, allowsSignUp: allowsSignUp),
            isNativeAuthEnabled: isNativeAuthEnabled, scopes: scopes,
            redirects: RedirectAddresses([.publicClient: redirectURIs]),
            claims: ownClaims, web: web)
    }
}

extension TestTenant.Attribute {
    fileprivate func definition() throws(TestTenantError) -> AttributeDefinition {
        var definition =
            AttributeDefinition.builtIn.first { $0.name == name } ?? AttributeDefinition(name: name)
        definition.isRequired = isRequired
        definition.userMayChange = userMayChange ?? definition.userMayChange
        definition.type =
            switch type {
            case .string: .string
            case .boolean: .boolean
            case .integer: .integer
            }
        if let regex {
            guard let pattern = AttributePattern(regex) else {
                throw .settings(["The server does not understand the regular expression \(regex) of \(name)."])
            }
            definition.pattern = pattern
        }
        return definition
    }
}

extension TestTenant.Claim {
    fileprivate func definition() -> ApplicationClaim {
        let places = places.map { place -> ApplicationClaim.Place in
            switch place {
            case .idToken: .id
            case .accessToken: .access
            case .userinfo: .userinfo
            }
        }
        return ApplicationClaim(name: name, attribute: attribute, places: Set(places))
    }
}

/// A validated user, before it is added to the database.
struct Newcomer: Sendable {
    let identifiers: [LoginIdentifier]
    private let user: TestTenant.User
    private let methods: [Contact]
    private let tenant: TenantID
    private let client: ClientID

    /// - Throws: ``TestTenantError/settings(_:)``.
    init(_ user: TestTenant.User, in entry: TenantDirectory.Entry) throws(TestTenantError) {
        func address(_ text: String) throws(TestTenantError) -> EmailAddress {
            guard let address = EmailAddress(text) else { throw .settings(["\(text) is no e-mail address."]) }
            return address
        }
        var identifiers = [try address(user.email).identifier]
        if let name = user.alias {
            guard let alias = Alias(name) else { throw .settings(["\(name) is no alias."]) }
            identifiers.append(alias.identifier)
        }
        self.identifiers = identifiers
        self.user = user
        methods = try user.secondFactors.map { text throws(TestTenantError) in
            guard let contact = Contact(text) else {
                throw .settings(["\(text) is no e-mail address and no telephone number."])
            }
            return contact
        }
        tenant = entry.tenant.id
        client = entry.applications[0].id
    }

    /// - Throws: ``TestTenantError/settings(_:)`` when a name of the user is taken.
    func join(_ server: IdentityTestServer) async throws(TestTenantError) {
        let (now, randomness) = (server.clock.now, server.engine.ports.randomness)
        let id = UserID(randomness.uuid())
        var hash: PasswordHash?
        if let password = user.password {
            do throws(HashingError) {
                hash = try await server.engine.ports.hasher.hash(Secret(password))
            } catch {
                throw .settings(["The password of \(user.email) cannot be hashed."])
            }
        }
        var apps: [Effect] = []
        if let app = user.authenticatorApp {
            let method = randomness.uuid()
            let sealed: Data
            do throws(EngineError) {
                sealed = try server.engine.seal(app.secret, ofApp: method, of: id, in: tenant)
            } catch {
                throw .database
            }
            apps = [
                .addStrongMethod(
                    StrongMethod(
                        id: method, kind: .app(EnrolledApp(sealedSecret: sealed, clock: AppClock(spentStep: 0))),
                        provenAt: now.addingTimeInterval(-60 * 86_400), enrolment: Enrolment(.twoFactors),
                        firstUsedAt: now.addingTimeInterval(-60 * 86_400)), to: id)
            ]
        }
        let effects =
            [
                Effect.createUser(
                    NewUser(
                        id: id, tenant: tenant, client: client, identifiers: identifiers, passwordHash: hash,
                        attributes: user.attributes, createdAt: now))
            ]
            + apps
            + methods.map {
                // The values of an account in long use: a reset leaves such a method unchanged.
                .addStrongMethod(
                    StrongMethod(
                        id: randomness.uuid(), kind: .init($0), provenAt: now.addingTimeInterval(-60 * 86_400),
                        enrolment: Enrolment(.twoFactors), firstUsedAt: now.addingTimeInterval(-60 * 86_400)), to: id)
            }
            + (0..<user.sessions).map { _ in
                // No device has its refresh token.
                .openRefreshFamily(
                    RefreshFamily(
                        id: randomness.uuid(), tenant: tenant, client: client, user: id, scopes: ["openid"],
                        methods: ["otp"], authenticatedAt: now, createdAt: now,
                        expiresAt: now.addingTimeInterval(90 * 86_400),
                        tokenDigest: Data(randomness.uuid().uuidString.utf8.prefix(32)),
                        device: SessionDevice(model: "Other", system: "1.0")))
            }
        let query = StepQuery(
            tenant: tenant, flow: randomness.uuid(), requestDigest: Data(), identifiers: identifiers.map(\.key),
            now: now)
        let isNew: Bool
        do throws(StoreError) {
            isNew = try await server.store.step(query) { facts in
                guard facts.taken.isEmpty else { return (nil, false) }
                return (FlowChange(row: FlowRow(isEnded: true, expiresAt: now), effects: effects), true)
            }
        } catch {
            throw .database
        }
        guard isNew else { throw .settings(["Another user has a name of \(user.email) already."]) }
        if user.isDisabled { _ = try await server.setDisabled(true, user.email, in: tenant) }
    }
}

extension IdentityTestServer {
    /// - Returns: False when there is no such account.
    func setDisabled(
        _ isDisabled: Bool, _ email: String, in tenant: TenantID
    ) async throws(TestTenantError) -> Bool {
        guard let key = EmailAddress(stored: email)?.key else { return false }
        let now = clock.now
        do throws(StoreError) {
            guard let user = try await store.account(named: key, in: tenant)?.user else { return false }
            return try await store.setDisabled(
                isDisabled ? now : nil, user.id, in: tenant,
                event: AuditEvent(
                    isDisabled ? .accountDisabled : .accountEnabled, at: now, tenant: tenant, user: user.id))
        } catch {
            throw .database
        }
    }
}

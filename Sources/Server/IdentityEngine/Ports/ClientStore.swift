package import NativeAuthCore
package import PortableFoundation

/// How much an answer may tell an unauthenticated client about the existence of an account (design record 0010).
package enum EnumerationMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The vendor's contract: a sign-up answers that the address is taken, a sign-in that no account has it.
    case compat
    /// The same answers, in a limited number for each source (`SEC-ENUM-1`).
    case bulk
    /// No answer reveals an account before its mailbox is proven (`SEC-ENUM-2`, `SEC-ENUM-3`).
    case strict
}

/// What a user who has proven only the password may enrol (design record 0005).
package enum EnrolmentMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The account's own mailbox; any other contact needs a proof of that mailbox in the same flow (`SEC-ENR-2`).
    case proven
    /// Any mailbox, as with the vendor. An attacker who knows the password can then enrol their own mailbox.
    case compatible
}

/// A tenant, which owns users and applications.
package struct Tenant: Hashable, Sendable {
    package var id: TenantID
    /// The first label of the vendor's host name, such as `contoso`; one of the three spellings of the tenant in a
    /// path.
    package var subdomain: String
    /// The domain, such as `contoso.onmicrosoft.com`; another of the three.
    package var domain: String
    /// The name shown in mails.
    package var displayName: String
    /// The enumeration mode; nil: the mode of the server's settings.
    package var enumeration: EnumerationMode?
    /// The enrolment mode; nil: the mode of the server's settings.
    package var enrolment: EnrolmentMode?
    /// The number of mails in any 60 minutes; nil: only the other limits apply (`SEC-OTP-13`).
    package var mailsPerHour: Int?
    /// The number of days that audit lines are kept; nil: ``AuditChain/retentionDays`` (`SEC-AUD-3`).
    package var auditDays: Int?
    /// The number of days between a user's wish to delete the account and its deletion, during which the user can keep
    /// it; 0: at once.
    package var deletionGraceDays: Int
    /// Whether users may add an authenticator app as a second factor.
    package var offersApps = false
    /// Whether users with a second factor may have recovery codes.
    package var offersRecoveryCodes = false
    /// For how many days a user's second factor may be left out on a device, in ``RememberedDevice/days``; nil: never.
    package var rememberedDays: Int?
    /// In one reference, since a tenant is copied with each step, and most have none of these.
    private var rare: RareSettings?

    package init(
        id: TenantID, subdomain: String, domain: String, displayName: String, enumeration: EnumerationMode? = nil,
        enrolment: EnrolmentMode? = nil, mailsPerHour: Int? = nil, auditDays: Int? = nil,
        deletionGraceDays: Int = 0, hooks: [Hook] = [], subscribers: [Subscriber] = []
    ) {
        self.id = id
        self.subdomain = subdomain
        self.domain = domain
        self.displayName = displayName
        self.enumeration = enumeration
        self.enrolment = enrolment
        self.mailsPerHour = mailsPerHour
        self.auditDays = auditDays
        self.deletionGraceDays = deletionGraceDays
        rare = RareSettings(hooks, subscribers, .unchanged, .unchanged, nil, nil, [], [])
    }
}

extension Tenant {
    /// At most one for each event of an application.
    package var hooks: [Hook] {
        get { rare?.hooks ?? [] }
        set { rare = RareSettings(newValue, subscribers, mail, pages, texts, passkeys, providers, levels) }
    }

    package var subscribers: [Subscriber] {
        get { rare?.subscribers ?? [] }
        set { rare = RareSettings(hooks, newValue, mail, pages, texts, passkeys, providers, levels) }
    }

    package var mail: TenantMail {
        get { rare?.mail ?? .unchanged }
        set { rare = RareSettings(hooks, subscribers, newValue, pages, texts, passkeys, providers, levels) }
    }

    package var pages: TenantPages {
        get { rare?.pages ?? .unchanged }
        set { rare = RareSettings(hooks, subscribers, mail, newValue, texts, passkeys, providers, levels) }
    }

    /// Its text messages; nil: it sends none.
    package var texts: TextSettings? {
        get { rare?.texts }
        set { rare = RareSettings(hooks, subscribers, mail, pages, newValue, passkeys, providers, levels) }
    }

    /// Its passkeys; nil: it has none.
    package var passkeys: PasskeySettings? {
        get { rare?.passkeys }
        set { rare = RareSettings(hooks, subscribers, mail, pages, texts, newValue, providers, levels) }
    }

    /// The services of others that sign its users in, each with an id and an issuer of its own.
    package var providers: [IdentityProvider] {
        get { rare?.providers ?? [] }
        set { rare = RareSettings(hooks, subscribers, mail, pages, texts, passkeys, newValue, levels) }
    }

    /// What it demands of sign-ins beyond what applications, user flows and users demand.
    package var levels: [LevelRule] {
        get { rare?.levels ?? [] }
        set { rare = RareSettings(hooks, subscribers, mail, pages, texts, passkeys, providers, newValue) }
    }

    /// ``TenantPages/version``, made once.
    package var pagesVersion: String? { rare?.pagesVersion }

    var hasHooks: Bool { rare.map { !$0.hooks.isEmpty } ?? false }

    /// The language of a mail.
    ///
    /// - Parameter wishes: What is known of the reader's, the strongest first.
    package func mailLanguage(_ wishes: MailLanguage?...) -> MailLanguage {
        wishes.lazy.compactMap(\.self).first ?? rare?.mail.language ?? .english
    }
}

/// What most tenants do not have.
private final class RareSettings: Hashable, Sendable {
    let hooks: [Hook]
    let subscribers: [Subscriber]
    let mail: TenantMail
    let pages: TenantPages
    let pagesVersion: String?
    let texts: TextSettings?
    let passkeys: PasskeySettings?
    let providers: [IdentityProvider]
    let levels: [LevelRule]

    /// Nil when there is nothing.
    init?(
        _ hooks: [Hook], _ subscribers: [Subscriber], _ mail: TenantMail, _ pages: TenantPages, _ texts: TextSettings?,
        _ passkeys: PasskeySettings?, _ providers: [IdentityProvider], _ levels: [LevelRule]
    ) {
        guard
            !hooks.isEmpty || !subscribers.isEmpty || mail != .unchanged || pages != .unchanged || texts != nil
                || passkeys != nil || !providers.isEmpty || !levels.isEmpty
        else { return nil }
        self.hooks = hooks
        self.subscribers = subscribers
        self.mail = mail
        self.pages = pages
        pagesVersion = pages.version
        self.texts = texts
        self.passkeys = passkeys
        self.providers = providers
        self.levels = levels
    }

    static func == (one: RareSettings, other: RareSettings) -> Bool {
        one === other
            || (one.hooks == other.hooks && one.subscribers == other.subscribers && one.mail == other.mail
                && one.pages == other.pages && one.texts == other.texts && one.passkeys == other.passkeys
                && one.providers == other.providers && one.levels == other.levels)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hooks)
        hasher.combine(subscribers)
        hasher.combine(mail)
        hasher.combine(pages)
        hasher.combine(texts)
        hasher.combine(passkeys)
        hasher.combine(providers)
        hasher.combine(levels)
    }
}

/// A registered application.
package struct Client: Hashable, Sendable {
    package var id: ClientID
    /// The name shown on pages.
    package var displayName: String
    /// That of ``flowSource``; where there is none, one that no user gets to.
    package var userFlow: UserFlow
    package var flowSource: UserFlowSource
    /// When false, every native endpoint answers `invalid_client` with `nativeauthapi_disabled` (docs/protocol.md
    /// §3.6).
    package var isNativeAuthEnabled: Bool
    /// The resource scopes that this application may ask for, such as `api://orders/Orders.Read`; `api://orders/*`
    /// means all scopes of that resource, and `*` any scope (development profile only).
    package var scopes: [String]
    /// Whether users need a second factor in this application, regardless of the user flow.
    package var requiresSecondFactor: Bool
    /// The enumeration mode; nil: the mode of the tenant.
    package var enumeration: EnumerationMode?
    /// Where the web may send users back to, by kind of application (docs/operate/tenant-file.md).
    package var redirects: RedirectAddresses
    /// Whether tokens state the ids of the user's groups, as the claim `groups`.
    package var statesGroups: Bool
    /// The roles that it defines, at most ``ApplicationRole/maximumCount``.
    package var roles: [ApplicationRole]
    /// The claims that the application gets besides those that the server always writes.
    package var claims: [ApplicationClaim]
    /// That of ``web``; nil when all are defaults.
    var webReference: WebReference?

    package init(
        id: ClientID, displayName: String, userFlow: UserFlow, flowSource: UserFlowSource = .own,
        isNativeAuthEnabled: Bool = true, scopes: [String] = [], requiresSecondFactor: Bool = false,
        enumeration: EnumerationMode? = nil, redirects: RedirectAddresses = .init(),
        statesGroups: Bool = false, roles: [ApplicationRole] = [], claims: [ApplicationClaim] = [],
        web: WebSettings = .init()
    ) {
        self.id = id
        self.displayName = displayName
        self.userFlow = userFlow
        self.flowSource = flowSource
        self.isNativeAuthEnabled = isNativeAuthEnabled
        self.scopes = scopes
        self.requiresSecondFactor = requiresSecondFactor
        self.enumeration = enumeration
        self.redirects = redirects
        self.statesGroups = statesGroups
        self.roles = roles
        self.claims = claims
        webReference = WebReference(web)
    }
}

extension Client {
    /// Whether users can sign up or in with the application.
    package var isOpen: Bool { isNativeAuthEnabled && flowSource != .none }

    /// Whether users can reach the application by `front`.
    package func isOpen(for front: CallerContext.Front) -> Bool {
        guard flowSource != .none else { return false }
        return switch front {
        // Another organisation's application sees no passwords, and its users are asked on the pages (OIDC-26).
        case .native: isNativeAuthEnabled && !web.isThirdParty
        case .browser: isForBrowsers
        case .account: false
        case .token: isNativeAuthEnabled || isForBrowsers
        }
    }

    /// Whether its users sign in at the pages: to be led back, or for a device.
    private var isForBrowsers: Bool { !redirects.all.isEmpty || web.allowsDeviceFlow }

    /// Whether it has a user flow of its own with other attributes than the usual ones.
    package var hasOwnRules: Bool { flowSource == .own && userFlow.attributes != AttributeDefinition.builtIn }

    /// The id of the tenant's flow that the application has.
    package var sharedFlow: UUID? {
        switch flowSource {
        case .shared(let id): id
        case .own, .none: nil
        }
    }
}

/// A tenant's configuration of sign-up and sign-in for an application.
package struct UserFlow: Hashable, Sendable {
    /// How users of the flow sign in.
    package enum Method: String, Hashable, Sendable, Codable, CaseIterable {
        case emailOneTimePasscode
        case emailPassword
    }

    package var method: Method
    /// The attributes that the flow collects, in the order of the requests for them.
    package var attributes: [AttributeDefinition]
    /// Whether users need a second factor; only for users with a password (docs/protocol.md §4.7).
    package var requiresSecondFactor: Bool
    /// Whether the second factor after a reset must use another mailbox than the code of the reset (`SEC-MFA-3`).
    package var requiresDistinctMailbox: Bool
    /// Whether new users can sign up.
    package var allowsSignUp: Bool

    package init(
        method: Method, attributes: [AttributeDefinition] = AttributeDefinition.builtIn,
        requiresSecondFactor: Bool = false, requiresDistinctMailbox: Bool = false,
        allowsSignUp: Bool = true
    ) {
        self.method = method
        self.attributes = attributes
        self.requiresSecondFactor = requiresSecondFactor
        self.requiresDistinctMailbox = requiresDistinctMailbox
        self.allowsSignUp = allowsSignUp
    }
}

/// The source of tenants, applications and daemons.
package protocol ClientStore: Sendable {
    /// The tenant with this id, domain or subdomain, letter case ignored; nil when there is none.
    func tenant(named name: String) async throws(StoreError) -> Tenant?
    /// The application with this id in this tenant; nil when there is none.
    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client?
    /// All of the tenant, in the order of its document; nil when there is no such tenant.
    func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry?
    /// The daemon with this id in this tenant; nil when there is none.
    func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon?
    /// Whether an application of any tenant has pages of this origin (``Client/origins``), compared byte for byte.
    func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool
    /// The tenant whose passkeys are bound to this host name, letter case ignored; nil when there is none.
    func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant?
}

package import NativeAuthCore

/// How much an answer may tell a stranger about whether an account exists (security requirements §7).
package enum EnumerationMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The contract as it is: a sign-up is told that the address is taken, a sign-in that nobody has it.
    case compat
    /// The same answers, of which a source gets only so many (`SEC-ENUM-1`).
    case bulk
    /// No answer tells, before the mailbox is proven (`SEC-ENUM-2`, `SEC-ENUM-3`).
    case strict
}

/// What a sign-in by password alone may enrol (decision D14).
package enum EnrolmentMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The account's own mailbox; any other contact needs a proof of that mailbox in the same flow (`SEC-ENR-2`).
    case proven
    /// Any mailbox, as at the vendor. A thief of the password can then enrol a mailbox of their own.
    case compatible
}

/// A tenant: who owns the users.
package struct Tenant: Hashable, Sendable {
    package var id: TenantID
    /// The first label of the vendor's host name, such as `contoso`; one of the three spellings of the tenant in a path.
    package var subdomain: String
    /// The domain, such as `contoso.onmicrosoft.com`; another of the three.
    package var domain: String
    /// The name that mails show.
    package var displayName: String
    /// Nil: as the server's settings say.
    package var enumeration: EnumerationMode?
    /// Nil: as the server's settings say.
    package var enrolment: EnrolmentMode?
    /// How many mails may be sent in any 60 minutes; nil: as many as the other limits allow (`SEC-OTP-13`).
    package var mailsPerHour: Int?
    /// For how many days lines of the audit trail are kept; nil: ``AuditChain/retentionDays`` (`SEC-AUD-3`).
    package var auditDays: Int?

    package init(
        id: TenantID, subdomain: String, domain: String, displayName: String, enumeration: EnumerationMode? = nil,
        enrolment: EnrolmentMode? = nil, mailsPerHour: Int? = nil, auditDays: Int? = nil
    ) {
        self.id = id
        self.subdomain = subdomain
        self.domain = domain
        self.displayName = displayName
        self.enumeration = enumeration
        self.enrolment = enrolment
        self.mailsPerHour = mailsPerHour
        self.auditDays = auditDays
    }
}

/// A registered application.
package struct Client: Hashable, Sendable {
    package var id: ClientID
    /// The name that pages show.
    package var displayName: String
    package var userFlow: UserFlow
    /// False: every native endpoint answers `invalid_client` with `nativeauthapi_disabled` (native-auth-v1 §3.6).
    package var isNativeAuthEnabled: Bool
    /// The scopes of resources that this application may ask for, such as `api://orders/Orders.Read`; `api://orders/*` stands
    /// for all of that resource, and `*` for any (the development profile only).
    package var scopes: [String]
    /// Whether users need a second factor here, whatever the user flow says.
    package var requiresSecondFactor: Bool
    /// Nil: as the tenant says.
    package var enumeration: EnumerationMode?

    package init(
        id: ClientID, displayName: String, userFlow: UserFlow, isNativeAuthEnabled: Bool = true, scopes: [String] = [],
        requiresSecondFactor: Bool = false, enumeration: EnumerationMode? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.userFlow = userFlow
        self.isNativeAuthEnabled = isNativeAuthEnabled
        self.scopes = scopes
        self.requiresSecondFactor = requiresSecondFactor
        self.enumeration = enumeration
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
    /// The attributes that the flow collects, in the order in which they are asked for.
    package var attributes: [AttributeDefinition]
    /// Whether users need a second factor; only for users with a password (native-auth-v1 §4.7).
    package var requiresSecondFactor: Bool
    /// Whether the second factor after a reset must reach another mailbox than the code of the reset (`SEC-MFA-3`).
    package var requiresDistinctMailbox: Bool

    package init(
        method: Method, attributes: [AttributeDefinition] = AttributeDefinition.builtIn,
        requiresSecondFactor: Bool = false, requiresDistinctMailbox: Bool = false
    ) {
        self.method = method
        self.attributes = attributes
        self.requiresSecondFactor = requiresSecondFactor
        self.requiresDistinctMailbox = requiresDistinctMailbox
    }
}

/// Where tenants and applications come from.
package protocol ClientStore: Sendable {
    /// The tenant with this id, domain or subdomain, letter case ignored; nil when there is none.
    func tenant(named name: String) async throws(StoreError) -> Tenant?
    /// The application with this id in this tenant; nil when there is none.
    func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client?
}

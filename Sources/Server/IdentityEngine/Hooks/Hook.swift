package import NativeAuthCore
package import PortableFoundation

/// An address of the tenant's own system that the server calls at an event: the vendor's custom authentication extension
/// with its listener (docs/operate/hooks.md).
package struct Hook: Hashable, Sendable {
    /// When the receiver is called.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        /// Tokens are about to be signed: at a sign-in and at a refresh. The receiver gives claims.
        case tokenIssuanceStart
        /// A sign-up has proven its mailbox. The receiver can give values of attributes, or end the sign-up.
        case attributeCollectionStart
        /// All required attributes are given. The receiver can change them, ask for them again, or end the sign-up.
        case attributeCollectionSubmit
        /// A code is to be delivered. The receiver delivers it, in place of a mail.
        case otpSend
        /// A sign-in brings a password that is not the stored one, and the account is still to be moved from another
        /// system, which knows the password (design record 0029).
        case passwordSubmit
    }

    /// What a failed call means.
    package enum FailureRule: String, Hashable, Sendable, CaseIterable {
        /// The step fails with 503 and changes nothing; a code is tried again until it expires.
        case block
        /// The step goes on as without the hook; a code is mailed.
        case proceed
    }

    /// Stable: the `customAuthenticationExtensionId` of the payload.
    package var id: UUID
    /// 1 to 256 bytes; for logs and pages.
    package var displayName: String
    package var event: Event
    /// `https`, without user, password and fragment; in the development profile also `http` to this machine.
    package var url: String
    /// The `aud` of the token that authenticates the call: the application id of the receiver.
    package var audience: UUID
    /// Whether the receiver is called; one that a script has made is not, until a listener is made.
    package var isEnabled: Bool
    /// The applications whose users the hook is for, beside those of ``userFlows``; nil: all of the tenant.
    package var applications: Set<ClientID>?
    /// The user flows whose applications the hook is for; with one, `applications` nil is no application.
    package var userFlows: Set<UUID>
    /// How long one attempt may take, in milliseconds, 200 to 2,000.
    package var timeout: Int
    /// How often a failed attempt is made again, 0 or 1.
    package var retries: Int
    package var onFailure: FailureRule
    /// Which members of the answer become claims; only of ``Event/tokenIssuanceStart``.
    package var claims: [HookClaim]
    /// Whose passwords the receiver knows; only of ``Event/passwordSubmit``, which always has it.
    package var migration: PasswordMigration?

    package init(
        id: UUID, displayName: String, event: Event, url: String, audience: UUID,
        isEnabled: Bool = true, applications: Set<ClientID>? = nil, userFlows: Set<UUID> = [],
        timeout: Int = usualTimeout, retries: Int = 1,
        onFailure: FailureRule = .block, claims: [HookClaim] = [], migration: PasswordMigration? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.event = event
        self.url = url
        self.audience = audience
        self.isEnabled = isEnabled
        self.applications = applications
        self.userFlows = userFlows
        self.timeout = timeout
        self.retries = retries
        self.onFailure = onFailure
        self.claims = claims
        self.migration = migration
    }

    package static let usualTimeout = 1_000
    /// The largest number of hooks of a tenant (docs/protocol.md §20).
    package static let maximumCount = 100

    /// Whether the hook is called for users of the application.
    package func isFor(_ client: Client) -> Bool {
        guard isEnabled else { return false }
        if let flow = client.sharedFlow, userFlows.contains(flow) { return true }
        return applications?.contains(client.id) ?? userFlows.isEmpty
    }

    /// The application that would have both hooks for one event.
    package func application(sharedWith other: Hook, among clients: [Client]) -> Client? {
        event == other.event ? clients.first { isFor($0) && other.isFor($0) } : nil
    }
}

extension Tenant {
    /// The hook of an application for an event; a document with two for the same is refused.
    package func hook(for event: Hook.Event, of client: Client) -> Hook? {
        hooks.first { $0.event == event && $0.isFor(client) }
    }

    /// The attributes that say which accounts are still to be moved, also those of hooks that are not enabled now.
    package var migrationAttributes: [String] { hasHooks ? hooks.compactMap { $0.migration?.attribute } : [] }

    /// The changes after which the account is not to be moved: its password is known here, or was made unusable.
    package func endingMigration(of user: User) -> [AttributeChange] {
        user.endingMigration(by: migrationAttributes)
    }
}

/// Which accounts another system still knows the passwords of, and how a password travels to it.
package struct PasswordMigration: Hashable, Sendable {
    /// The name of a boolean attribute of the tenant: the account is to be moved while its value is `true`. No user flow
    /// collects it, so that no user can set it. Nil only for a hook that is not enabled: its listener will name one.
    package var attribute: String?
    /// PEM of the receiver's RSA public key, 2048 bits or more, or of a certificate with such a key.
    package var encryptionKey: String

    package init(attribute: String?, encryptionKey: String) {
        self.attribute = attribute
        self.encryptionKey = encryptionKey
    }
}

/// A claim of tokens whose value comes from a hook's answer.
package struct HookClaim: Hashable, Sendable {
    /// The name of the claim, under the rules of ``ApplicationClaim/name``.
    package var name: String
    /// The member of the answer's `claims`, letter case matters.
    package var member: String
    /// Any of the ID token and the access token.
    package var places: Set<ApplicationClaim.Place>

    package init(name: String, member: String? = nil, places: Set<ApplicationClaim.Place> = possiblePlaces) {
        self.name = name
        self.member = member ?? name
        self.places = places
    }

    package static let possiblePlaces: Set<ApplicationClaim.Place> = [.id, .access]
}

import IdentityEngine
import NativeAuthCore
import PortableFoundation

extension TestTenant {
    /// What some sign-ins must be worth, and how fresh they are: a rule of `levels` in a tenant file (docs/use/second-factor.md).
    /// It is about sign-ins to the applications, sign-ins that ask for a scope, or what a context means; it names one of these at
    /// least.
    public struct Level: Hashable, Sendable {
        /// What the proofs of a sign-in are worth together, from the lowest to the highest.
        public enum Worth: String, Hashable, Sendable, CaseIterable {
            /// `l1`: one factor.
            case oneFactor = "l1"
            /// `l1m`: two factors, one of which may be a code by mail.
            case mailed = "l1m"
            /// `l2r`: two factors, one of which may be a text message.
            case restricted = "l2r"
            /// `l2`: two factors of different kinds.
            case twoFactors = "l2"
            /// `l2p`: a passkey; for a tenant with ``TestTenant/Settings/passkeys``.
            case phishingResistant = "l2p"
        }

        public var worth: Worth
        /// How old the first of the proofs may be: 5 minutes to 30 days; nil: any age.
        public var maximumAge: Duration?
        /// The authentication contexts whose meaning the rule is, `c1` to `c99`.
        public var contexts: [String]
        /// The client IDs of applications.
        public var applications: [String]
        /// Scopes as in the list of an application, such as `api://orders/Orders.Pay`.
        public var scopes: [String]

        /// Describes a rule.
        public init(
            _ worth: Worth, maximumAge: Duration? = nil, contexts: [String] = [], applications: [String] = [],
            scopes: [String] = []
        ) {
            self.worth = worth
            self.maximumAge = maximumAge
            self.contexts = contexts
            self.applications = applications
            self.scopes = scopes
        }

        /// - Throws: ``TestTenantError/settings(_:)``.
        func rule(in settings: Settings) throws(TestTenantError) -> LevelRule {
            guard let level = Assurance.Level(rawValue: worth.rawValue) else {
                throw .settings(["The level \(worth.rawValue) is none."])
            }
            guard worth != .phishingResistant || settings.passkeys else {
                throw .settings(["A level demands passkeys, and the tenant has none: set passkeys."])
            }
            guard !contexts.isEmpty || !applications.isEmpty || !scopes.isEmpty else {
                throw .settings(["A level names contexts, applications or scopes."])
            }
            let age = maximumAge.map { Int($0.components.seconds) }
            guard age.map(LevelRule.ages.contains) ?? true else {
                throw .settings(["The maximumAge of a level is 5 minutes to 30 days."])
            }
            let known = Set(settings.applications.map(\.clientID))
            guard applications.allSatisfy(known.contains) else {
                throw .settings(["A level names a client ID that no application of the tenant has."])
            }
            guard contexts.allSatisfy({ $0.wholeMatch(of: /c[1-9][0-9]?/) != nil }) else {
                throw .settings(["The contexts of a level are c1 to c99."])
            }
            return LevelRule(
                level: level, maximumAge: age, contexts: contexts,
                applications: applications.compactMap { ClientID($0) }, scopes: scopes)
        }
    }
}

package import NativeAuthCore
package import PortableFoundation

/// A record of an import file, before its values are judged.
package struct ImportRecord: Sendable {
    package enum Password: Sendable {
        /// As for a user that an operator creates: by the application a password that only a reset gives, or none.
        case byApplication
        /// The user signs in with codes.
        case none
        case hash(PasswordHash)
    }

    /// A mailbox or a telephone of the second factor.
    package struct SecondFactor: Sendable {
        /// An address, or a number with the code of its country.
        package var contact: String
        /// Nil when the file does not say.
        package var enrolledUnder: Enrolment.Strength?
        package var provenAt: Date?
        package var suspendedAt: Date?
        package var name: String?

        package init(
            contact: String, enrolledUnder: Enrolment.Strength? = nil, provenAt: Date? = nil, suspendedAt: Date? = nil,
            name: String? = nil
        ) {
            self.contact = contact
            self.enrolledUnder = enrolledUnder
            self.provenAt = provenAt
            self.suspendedAt = suspendedAt
            self.name = name
        }
    }

    package struct App: Sendable {
        package var secret: AppSecret
        package var name: String?

        package init(secret: AppSecret, name: String? = nil) {
            self.secret = secret
            self.name = name
        }
    }

    package var id: UserID?
    package var email = ""
    /// Nil when the file does not say.
    package var isEmailVerified: Bool?
    /// When the address was verified; nil: with the account's creation.
    package var emailProvenAt: Date?
    package var alias: String?
    package var createdAt: Date?
    package var disabledAt: Date?
    package var isDisabled = false
    package var attributes: [(name: String, value: AttributeValue)] = []
    package var password = Password.byApplication
    package var secondFactors: [SecondFactor] = []
    package var apps: [App] = []
    package var identities: [Identity] = []
    package var passkeys: [Passkey] = []
    package var requiresSecondFactor = false
    package var passwordIsFromReset = false

    package init() {}
}

/// Why a record is refused, in words for an operator. No value of the record stands in it.
package struct ImportFault: Error, Hashable, Sendable {
    /// The member as the format names it.
    package var member: String
    /// The end of a sentence that begins with the member.
    package var reason: String

    package init(_ member: String, _ reason: String) {
        self.member = member
        self.reason = reason
    }

    /// A user of the database has the address.
    package static let addressOfUser = ImportFault("email", "is the address of a user already")

    /// An earlier record of the file, which begins in `line`, has the name.
    package static func duplicate(of line: Int, _ member: String) -> ImportFault {
        ImportFault(member, "is that of the record in line \(line) already")
    }
}

/// What an import does with a record whose e-mail address a user has already.
package enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
    /// The record is a fault.
    case refuse
    /// The record does nothing.
    case skip
    /// The record's attributes replace those of the user. All else stays: password, names, methods, dates.
    case update
}

/// How an import treats all records.
package struct ImportSettings: Sendable {
    /// The application that the users belong to.
    package var client: Client
    /// The user flows whose rules the attributes follow.
    package var flows: [UserFlow]
    package var duplicates: DuplicatePolicy
    /// Whether an address is taken as verified where a record does not say.
    package var assumesVerified: Bool
    /// Whether identities at providers that the tenant does not have are left out, as those of another system; else they are
    /// faults.
    package var leavesOutUnknownProviders: Bool
    /// Ids that name something else than a user.
    package var foreignIDs: Set<UUID>
    /// The hash for users whose first password only a reset gives: of a random password that is stored nowhere.
    package var unknownPassword: PasswordHash

    package init(
        client: Client, flows: [UserFlow], duplicates: DuplicatePolicy, assumesVerified: Bool,
        leavesOutUnknownProviders: Bool, foreignIDs: Set<UUID>, unknownPassword: PasswordHash
    ) {
        self.client = client
        self.flows = flows
        self.duplicates = duplicates
        self.assumesVerified = assumesVerified
        self.leavesOutUnknownProviders = leavesOutUnknownProviders
        self.foreignIDs = foreignIDs
        self.unknownPassword = unknownPassword
    }

    /// What the audit trail says of the choices of the operator.
    var summary: String {
        "application \(client.id), duplicates \(duplicates.rawValue)\(assumesVerified ? ", addresses taken as verified" : "")"
    }
}

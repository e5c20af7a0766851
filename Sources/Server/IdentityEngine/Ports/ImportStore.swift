package import NativeAuthCore
package import PortableFoundation

/// A user to be created by an import, with values that keep the rules.
package struct ImportedUser: Hashable, Sendable {
    package var user: NewUser
    /// When another system proved the address; nil: never, or it does not say so.
    package var emailProvenAt: Date?
    package var disabledAt: Date?
    package var strongMethods: [StrongMethod]
    package var requiresSecondFactor: Bool
    package var passwordIsFromReset: Bool

    package init(
        user: NewUser, emailProvenAt: Date? = nil, disabledAt: Date? = nil, strongMethods: [StrongMethod] = [],
        requiresSecondFactor: Bool = false, passwordIsFromReset: Bool = false
    ) {
        self.user = user
        self.emailProvenAt = emailProvenAt
        self.disabledAt = disabledAt
        self.strongMethods = strongMethods
        self.requiresSecondFactor = requiresSecondFactor
        self.passwordIsFromReset = passwordIsFromReset
    }
}

/// How far an import is.
package struct ImportProgress: Hashable, Sendable {
    /// The records of the file that are done, whatever became of them.
    package var records = 0
    package var created = 0
    package var updated = 0
    package var skipped = 0
    package var refused = 0
    package var begunAt: Date

    package init(begunAt: Date) {
        self.begunAt = begunAt
    }

    package init(records: Int, created: Int, updated: Int, skipped: Int, refused: Int, begunAt: Date) {
        self.records = records
        self.created = created
        self.updated = updated
        self.skipped = skipped
        self.refused = refused
        self.begunAt = begunAt
    }
}

/// What a portion of an import reads.
package struct ImportFacts: Hashable, Sendable {
    /// The users who have the queried names.
    package var owners: [LoginIdentifier.Key: UserID]
    /// The queried ids that users have.
    package var ids: Set<UserID>
    /// The queried names that are reserved.
    package var reserved: [ReservedName]
    /// The queried marks of users who were deleted.
    package var deleted: Set<Data>
    /// The queried credentials that users have.
    package var credentials: Set<MethodCredential>

    package init(
        owners: [LoginIdentifier.Key: UserID] = [:], ids: Set<UserID> = [], reserved: [ReservedName] = [],
        deleted: Set<Data> = [], credentials: Set<MethodCredential> = []
    ) {
        self.credentials = credentials
        self.owners = owners
        self.ids = ids
        self.reserved = reserved
        self.deleted = deleted
    }
}

/// The question of a portion of an import.
package struct ImportQuery: Hashable, Sendable {
    package var names: [LoginIdentifier.Key]
    package var ids: [UserID]
    /// The digests of the names, to find reserved ones.
    package var marks: [Data]
    /// The digests of the ids, to find deleted users.
    package var deletionMarks: [Data]
    /// Those of passkeys and identities.
    package var credentials: [MethodCredential]

    package init(
        names: [LoginIdentifier.Key], ids: [UserID], marks: [Data], deletionMarks: [Data],
        credentials: [MethodCredential] = []
    ) {
        self.credentials = credentials
        self.names = names
        self.ids = ids
        self.marks = marks
        self.deletionMarks = deletionMarks
    }
}

/// What a portion of an import writes.
package struct ImportChange: Hashable, Sendable {
    package var users: [ImportedUser]
    package var effects: [Effect]
    package var progress: ImportProgress
    /// Whether the import has ended, so that its progress is forgotten.
    package var isLast: Bool

    package init(users: [ImportedUser], effects: [Effect], progress: ImportProgress, isLast: Bool) {
        self.users = users
        self.effects = effects
        self.progress = progress
        self.isLast = isLast
    }
}

/// Writes users in portions.
package protocol ImportStore: Sendable {
    /// How far the import with this digest is; nil when it has not begun, or has ended.
    func importProgress(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> ImportProgress?

    /// What a portion would read now.
    func importFacts(_ query: ImportQuery, in tenant: TenantID) async throws(StoreError) -> ImportFacts

    /// Reads, passes the facts to `decide`, and writes its change with the progress, all in one transaction.
    ///
    /// - Parameters:
    ///   - before: The progress before this portion. When the stored one differs, another run of the same import works,
    ///     or the answer to the commit was lost: then nothing is written.
    ///   - decide: Must be pure and quick. It may run more than once, with fresh facts.
    /// - Returns: Nil when the stored progress differs.
    /// - Throws: ``StoreError/unavailable(_:)`` also when another transaction took one of the names meanwhile; nothing is
    ///   written then, and another try sees the name as taken.
    func importUsers<Answer: Sendable>(
        _ query: ImportQuery, of digest: Data, after before: ImportProgress, in tenant: TenantID,
        decide: @escaping @Sendable (ImportFacts) -> (change: ImportChange, answer: Answer)
    ) async throws(StoreError) -> Answer?
}

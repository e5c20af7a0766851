import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// `native-auth export`: gives all users of a tenant away, in the format of `native-auth import`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export the users of a tenant.", subcommands: [Users.self])

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export all users of a tenant as JSON lines, sealed under the master key.",
            discussion: """
                Servers may run meanwhile. Without --with-hashes no password leaves: an import then gives each user one that only \
                a reset replaces. Accounts that are to be deleted are left out. The audit trail notes the export.
                """)

        @OptionGroup var place: UserCommand.OneTenant
        @Argument(help: "The file to make; it must not exist yet.") var file: String
        @Flag(name: .customLong("with-hashes"), help: "Export password hashes, too.") var hasHashes = false
        @Flag(help: "Write plain text that everyone who has the file can read.") var plain = false

        private static let page = 200

        func run() async throws {
            try await place.open { opened, tenant in
                let output = try BackupFile(making: file)
                do {
                    // First, because the end can be prevented.
                    let kind = "\(plain ? "plain" : "sealed")\(hasHashes ? " with hashes" : "")"
                    try await opened.store.record(
                        AuditEvent(
                            .usersExported, at: opened.clock.now, tenant: tenant.id, detail: "begun \(kind) by operator"
                        ))
                    var writer = try ExportWriter(output, plain ? nil : opened.vault)
                    let counts = try await write(&writer, opened, tenant)
                    try writer.finish()
                    try output.keep()
                    try await opened.store.record(
                        AuditEvent(
                            .usersExported, at: opened.clock.now, tenant: tenant.id,
                            detail: "\(counts.exported) \(kind) by operator"))
                    say(
                        place.json
                            ? "{\"exported\":\(counts.exported),\"leftOut\":\(counts.leftOut)}"
                            : "exported  users \(counts.exported), left out \(counts.leftOut)")
                } catch {
                    output.discard()
                    throw Self.failure(error, file)
                }
            }
        }

        private func write(
            _ writer: inout ExportWriter, _ opened: OpenedDatabase, _ tenant: Tenant
        ) async throws -> (exported: Int, leftOut: Int) {
            var (exported, leftOut) = (0, 0)
            var last: UserPosition?
            repeat {
                let page = try await opened.store.users(
                    UserPageRequest(order: .id, after: last, limit: Self.page), in: tenant.id)
                for account in page.users {
                    guard account.deletionDueAt == nil, account.deletedAt == nil else {
                        leftOut += 1
                        continue
                    }
                    try writer.write(try ExportedUser(account, hasHash: hasHashes).line)
                    exported += 1
                }
                last = page.next
            } while last != nil
            return (exported, leftOut)
        }

        private static func failure(_ error: any Error, _ path: String) -> StartFailure {
            switch error {
            case let failure as StartFailure: failure
            case let error as SealedStreamError: .inputOutput("The file \(path) \(error.ofUsers).")
            case StoreError.unavailable(let reason): .inputOutput("The database could not be read: \(reason.logText).")
            case _: .inputOutput("The file \(path) could not be made: \(DatabaseAddress.reason(error)).")
            }
        }
    }
}

/// Writes lines into a sealed file, in chunks after their lengths with an empty one at the end, or into a plain one.
private struct ExportWriter {
    private let file: BackupFile
    private var sealed: SealedWriter?
    private var waiting = Data()

    init(_ file: BackupFile, _ vault: Vault?) throws(SealedStreamError) {
        self.file = file
        if let vault { sealed = try file.writer(vault, .users) }
    }

    mutating func write(_ line: Data) throws(SealedStreamError) {
        waiting += line
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count > 1 << 16 { try flush() }
    }

    mutating func finish() throws(SealedStreamError) {
        if !waiting.isEmpty { try flush() }
        try sealed?.write(Data(count: 4))
        try sealed?.finish()
    }

    private mutating func flush() throws(SealedStreamError) {
        if sealed == nil {
            try file.append(waiting)
        } else {
            try sealed?.write(withUnsafeBytes(of: UInt32(waiting.count).bigEndian) { Data($0) } + waiting)
        }
        waiting = Data()
    }
}

/// A user as a line of an export. Everything that an import reads; no more.
private struct ExportedUser: Encodable {
    struct SecondFactor: Encodable {
        /// One of the two.
        var email: String?
        var phoneNumber: String?
        var enrolledUnder: String
        var name: String?
        var provenDateTime: String
        var suspendedDateTime: String?
    }

    struct Identity: Encodable {
        var provider: String
        var issuer: String
        var subject: String
        var email: String?
        var enrolledUnder: String
        var name: String?
        var linkedDateTime: String
        var suspendedDateTime: String?
    }

    struct Passkey: Encodable {
        var credentialId: String
        var publicKey: String
        var userHandle: String
        var relyingPartyId: String
        var signCount: UInt32
        var backupEligible: Bool
        var backedUp: Bool
        var aaguid: String?
        var transports: [String]
        var enrolledUnder: String
        var name: String?
        var createdDateTime: String
        var suspendedDateTime: String?
    }

    var id: String
    var email: String
    var emailVerified: Bool
    var emailProvenDateTime: String?
    var alias: String?
    var enabled: Bool
    var disabledDateTime: String?
    var createdDateTime: String
    var attributes: [String: AttributeValue]
    var passwordHash: String?
    var passwordless: Bool?
    var passwordIsFromReset: Bool?
    var requiresSecondFactor: Bool?
    var secondFactor: [SecondFactor]?
    var identities: [Identity]?
    var passkeys: [Passkey]?

    init(_ account: UserAccount, hasHash: Bool) {
        id = account.user.id.description
        email = account.user.email
        emailVerified = account.emailProvenAt != nil
        emailProvenDateTime = account.emailProvenAt.map(Self.time)
        alias = account.user.alias
        enabled = account.disabledAt == nil
        disabledDateTime = account.disabledAt.map(Self.time)
        createdDateTime = Self.time(account.user.createdAt)
        attributes = account.user.attributes
        passwordHash = hasHash ? account.passwordHash?.phc : nil
        passwordless = account.passwordHash == nil ? true : nil
        passwordIsFromReset = account.passwordIsFromReset && hasHash ? true : nil
        requiresSecondFactor = account.requiresSecondFactor ? true : nil
        let factors = account.strongMethods.compactMap { method in
            method.contact.map { contact in
                SecondFactor(
                    email: contact.email?.display, phoneNumber: contact.phone?.text,
                    enrolledUnder: method.enrolment.strength.rawValue, name: method.name,
                    provenDateTime: Self.time(method.provenAt), suspendedDateTime: method.suspendedAt.map(Self.time))
            }
        }
        secondFactor = factors.isEmpty ? nil : factors
        let linked = account.strongMethods.compactMap { method in
            method.identity.map { identity in
                Identity(
                    provider: identity.provider, issuer: identity.issuer, subject: identity.subject,
                    email: identity.email, enrolledUnder: method.enrolment.strength.rawValue, name: method.name,
                    linkedDateTime: Self.time(method.provenAt), suspendedDateTime: method.suspendedAt.map(Self.time))
            }
        }
        identities = linked.isEmpty ? nil : linked
        let keys = account.strongMethods.compactMap { method in
            method.passkey.map { passkey in
                Passkey(
                    credentialId: Base64URL.encode(passkey.credentialID),
                    publicKey: Base64URL.encode(passkey.publicKey), userHandle: Base64URL.encode(passkey.userHandle),
                    relyingPartyId: passkey.relyingPartyID, signCount: passkey.signatureCount,
                    backupEligible: passkey.isBackupEligible, backedUp: passkey.isBackedUp,
                    aaguid: UUID(bytes: passkey.authenticatorModel)?.uuidString.lowercased(),
                    transports: passkey.transports, enrolledUnder: method.enrolment.strength.rawValue,
                    name: method.name, createdDateTime: Self.time(method.provenAt),
                    suspendedDateTime: method.suspendedAt.map(Self.time))
            }
        }
        passkeys = keys.isEmpty ? nil : keys
    }

    var line: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    /// The store has whole milliseconds, which a Double may miss by less than this; the format cuts digits off.
    private static func time(_ date: Date) -> String {
        date.addingTimeInterval(0.0002).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

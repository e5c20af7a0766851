import IdentityEngine
import IdentityPasswords
import NativeAuthCore
import PortableFoundation
import Yams

/// The members of a record, by the names of this program (docs/operate/import.md).
struct ImportMembers: Sendable {
    /// The system that made the file; nil for a file with names of this program, or of the mapping file.
    var preset: ImportPreset?
    /// Where a member of ours is in a record of the file: the mapping file. Nil: there is none, and a record may have no
    /// other members than ours.
    var places: [String: String]?
    /// The names of the mapping file, in its order.
    private(set) var mapped: [MappedName] = []
    /// Attributes that are left out.
    var leftOut: Set<String> = []
    /// The parameters of a Firebase project; its hashes need them.
    var firebase: ForeignForms.FirebaseParameters?

    /// A line of the mapping file.
    struct MappedName: Hashable, Sendable {
        /// The member of ours.
        var member: String
        /// The name in the file.
        var place: String
        /// The mapping file and the line, as in `map.yaml:5`.
        var position: String
    }

    static let names: Set<String> = [
        "id", "email", "emailVerified", "emailProvenDateTime", "alias", "enabled", "disabledDateTime",
        "createdDateTime", "attributes", "passwordHash", "passwordAlgorithm", "passwordSalt", "passwordIterations",
        "passwordless", "passwordIsFromReset", "secondFactor", "authenticatorApps", "identities", "passkeys",
        "requiresSecondFactor",
    ]
    static let attributes = "attributes."

    /// Reads a mapping file: a YAML mapping from names of ours to names of the file.
    mutating func map(_ yaml: String, file: String) throws(StartFailure) {
        // Anchors can make a short text a long tree.
        guard yaml.utf8.count <= 1 << 16, !yaml.contains(/(?:^|[\s\[{,:?-])[&*]\w/) else {
            throw .usage(["The mapping file \(file) is longer than 64 KiB, or has anchors of YAML."])
        }
        let node: Node?
        do {
            node = try Yams.compose(yaml: yaml)
        } catch {
            throw .usage(["The mapping file \(file) is no YAML."])
        }
        guard let mapping = node?.mapping else {
            throw .usage(["The mapping file \(file) must have lines such as “email: mail”."])
        }
        var found: [String: String] = [:]
        for (key, value) in mapping {
            let position = file + (key.mark.map { ":\($0.line)" } ?? "")
            guard let name = key.string, let place = value.string, Self.isMember(name) else {
                throw .usage([
                    "\(position): \(Terminal.harmless(key.string ?? "this")) is no member that can be mapped."
                ])
            }
            found[name] = place
            mapped.append(MappedName(member: name, place: place, position: position))
        }
        places = found
    }

    /// A sentence for each column of a CSV file that means nothing, and for each mapped name and attribute that is not there.
    ///
    /// - Parameter attributes: The attributes of the applications.
    func faults(columns: [String], of file: String, attributes: Set<String>) -> [String] {
        let missing = mapped.filter { !columns.contains($0.place) }.map {
            "\($0.position): the file has no column \(Terminal.harmless($0.place))."
        }
        guard preset == nil, places == nil else {
            let lacking = preset?.signs.isDisjoint(with: columns) == true ? preset : nil
            return missing + (lacking.map { ["\(file) \($0.lack)."] } ?? [])
        }
        let unknown = columns.filter { !Self.isMember($0) }.map { Terminal.harmless($0) }
        return unknown.isEmpty
            ? columns.compactMap { fault(ofAttribute: $0, at: "\(file):1", attributes) }
            : ["The file has columns that mean nothing here: \(unknown.joined(separator: ", ")); see --mapping."]
    }

    /// A sentence for each attribute of the mapping file that no application has.
    func faults(attributes: Set<String>) -> [String] {
        mapped.compactMap { fault(ofAttribute: $0.member, at: $0.position, attributes) }
    }

    private func fault(ofAttribute member: String, at position: String, _ attributes: Set<String>) -> String? {
        guard member.hasPrefix(Self.attributes) else { return nil }
        let name = String(member.dropFirst(Self.attributes.count))
        guard !attributes.contains(name), !leftOut.contains(name) else { return nil }
        return "\(position): no application has an attribute \(Terminal.harmless(name)); see the tenant file."
    }

    /// Whether the other system has deleted the user.
    func isDeleted(_ value: ImportValue) -> Bool { preset == .supabase && value.given("deleted_at") != nil }

    private static func isMember(_ name: String) -> Bool { names.contains(name) || name.hasPrefix(attributes) }

    /// The record with names of ours.
    private func translated(_ value: ImportValue) throws(ImportFault) -> [String: ImportValue] {
        guard case .members(let given) = value else { throw ImportFault("The record", "is no JSON object") }
        if let preset, preset.signs.isDisjoint(with: given.keys) { throw ImportFault("The record", preset.lack) }
        guard case .members(var members) = try preset?.translated(value) ?? value else {
            throw ImportFault("The record", "is no JSON object")
        }
        guard let places else { return members }
        // Without a preset only what the operator has named: a member of the other system may have a name of ours.
        if preset == nil { members = [:] }
        for (name, place) in places { members[name] = value.given(place) }
        return members
    }

    /// The record, with values of the right types.
    func record(of value: ImportValue) throws(ImportFault) -> ImportRecord {
        let members = try translated(value)
        if let other = members.keys.filter({ !Self.isMember($0) }).min() {
            throw ImportFault(Terminal.harmless(String(other.prefix(64))), "is no member of the format")
        }
        let source = Source(members: members)
        var record = ImportRecord()
        record.id = try source.read("id", "is no UUID") { $0.text.flatMap { UUID(uuidString: $0) }.map { UserID($0) } }
        record.email = try source.text("email") ?? ""
        record.isEmailVerified = try source.truth("emailVerified")
        record.emailProvenAt = try source.date("emailProvenDateTime")
        record.alias = try source.text("alias")
        record.createdAt = try source.date("createdDateTime")
        record.disabledAt = try source.date("disabledDateTime")
        record.isDisabled = try source.truth("enabled").map { !$0 } ?? (record.disabledAt != nil)
        record.requiresSecondFactor = try source.truth("requiresSecondFactor") ?? false
        record.passwordIsFromReset = try source.truth("passwordIsFromReset") ?? false
        record.attributes = try attributes(source)
        record.secondFactors = try secondFactors(source)
        record.apps = try apps(source)
        record.identities = try identities(source)
        record.passkeys = try passkeys(source)
        record.password = try password(source)
        return record
    }

    private func attributes(_ source: Source) throws(ImportFault) -> [(name: String, value: AttributeValue)] {
        var values: [String: ImportValue] = [:]
        if let all = source.given("attributes") {
            guard case .members(let all) = all else { throw ImportFault("attributes", "is no JSON object") }
            values = all
        }
        for (name, value) in source.members where name.hasPrefix(Self.attributes) {
            values[String(name.dropFirst(Self.attributes.count))] = value
        }
        var read: [(name: String, value: AttributeValue)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !leftOut.contains(name) {
            switch value {
            case .null, .text(""): continue
            case .text(let text): read.append((name, .string(text)))
            case .integer(let integer): read.append((name, .integer(integer)))
            case .truth(let truth): read.append((name, .boolean(truth)))
            // Of a list of one value, as Keycloak has them.
            case .list where value.text != nil: read.append((name, .string(value.text ?? "")))
            case .list, .members:
                throw ImportFault(
                    "attributes.\(Terminal.harmless(String(name.prefix(64))))", "is no text, integer or Boolean")
            }
        }
        return read
    }

    /// Objects, or addresses and telephone numbers with blanks between them.
    private func secondFactors(_ source: Source) throws(ImportFault) -> [ImportRecord.SecondFactor] {
        switch source.given("secondFactor") {
        case nil: return []
        case .text(let text)?: return text.split(separator: " ").map { ImportRecord.SecondFactor(contact: String($0)) }
        case .list(let list)?:
            var factors: [ImportRecord.SecondFactor] = []
            for value in list {
                if let text = value.text {
                    factors.append(ImportRecord.SecondFactor(contact: text))
                    continue
                }
                guard case .members(let members) = value else {
                    throw ImportFault("secondFactor", "has a value that is no address and no object")
                }
                let source = Source(members: members, prefix: "secondFactor.")
                let (email, number) = (try source.text("email"), try source.text("phoneNumber"))
                guard email == nil || number == nil else {
                    throw ImportFault("secondFactor", "has an address and a telephone number in one object")
                }
                factors.append(
                    ImportRecord.SecondFactor(
                        contact: email ?? number ?? "",
                        enrolledUnder: try source.strength(), provenAt: try source.date("provenDateTime"),
                        suspendedAt: try source.date("suspendedDateTime"),
                        name: try source.text("name")))
            }
            return factors
        case .null?, .integer?, .truth?, .members?: throw ImportFault("secondFactor", "is no address and no list")
        }
    }

    /// Objects, or keys with blanks between them.
    private func apps(_ source: Source) throws(ImportFault) -> [ImportRecord.App] {
        let name = "authenticatorApps"
        func app(_ text: String?, name label: String? = nil) throws(ImportFault) -> ImportRecord.App {
            guard let secret = text.flatMap(AppSecret.init(written:)) else {
                throw ImportFault(
                    name, "has a value that is no key in base32, and no otpauth address with SHA-1, 6 digits and 30 s")
            }
            return ImportRecord.App(secret: secret, name: label)
        }
        switch source.given(name) {
        case nil: return []
        case .text(let text)?:
            var apps: [ImportRecord.App] = []
            for key in text.split(separator: " ") { apps.append(try app(String(key))) }
            return apps
        case .list(let list)?:
            var apps: [ImportRecord.App] = []
            for value in list {
                guard case .members(let members) = value else {
                    apps.append(try app(value.text))
                    continue
                }
                let source = Source(members: members, prefix: "\(name).")
                apps.append(try app(try source.text("secret"), name: try source.text("name")))
            }
            return apps
        case .null?, .integer?, .truth?, .members?: throw ImportFault(name, "is no key and no list")
        }
    }

    /// Objects, or `provider:subject` with blanks between them.
    private func identities(_ source: Source) throws(ImportFault) -> [ImportRecord.Identity] {
        let name = "identities"
        func identity(_ text: some StringProtocol) throws(ImportFault) -> ImportRecord.Identity {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ImportFault(name, "has a value without a colon after the provider") }
            return ImportRecord.Identity(subject: String(parts[1]), provider: String(parts[0]))
        }
        switch source.given(name) {
        case nil: return []
        case .text(let text)?:
            var identities: [ImportRecord.Identity] = []
            for one in text.split(separator: " ") { identities.append(try identity(one)) }
            return identities
        case .list(let list)?:
            var identities: [ImportRecord.Identity] = []
            for value in list {
                guard case .members(let members) = value else {
                    identities.append(try identity(value.text ?? ""))
                    continue
                }
                let source = Source(members: members, prefix: "\(name).")
                var identity = ImportRecord.Identity(
                    subject: try source.text("subject") ?? "", provider: try source.text("provider"),
                    issuer: try source.text("issuer"))
                identity.email = try source.text("email")
                identity.enrolledUnder = try source.strength()
                identity.linkedAt = try source.date("linkedDateTime")
                identity.suspendedAt = try source.date("suspendedDateTime")
                identity.name = try source.text("name")
                identities.append(identity)
            }
            return identities
        case .null?, .integer?, .truth?, .members?: throw ImportFault(name, "is no text and no list")
        }
    }

    private func passkeys(_ source: Source) throws(ImportFault) -> [ImportRecord.Passkey] {
        let name = "passkeys"
        guard let given = source.given(name) else { return [] }
        guard case .list(let list) = given else { throw ImportFault(name, "is no list") }
        var passkeys: [ImportRecord.Passkey] = []
        for value in list {
            guard case .members(let members) = value else { throw ImportFault(name, "has a value that is no object") }
            let source = Source(members: members, prefix: "\(name).")
            func bytes(_ member: String) throws(ImportFault) -> Data? {
                try source.read(member, "is no base64url") { $0.text.flatMap { Base64URL.decode($0) } }
            }
            guard let id = try bytes("credentialId"), let key = try bytes("publicKey"),
                let handle = try bytes("userHandle"), let domain = try source.text("relyingPartyId")
            else { throw ImportFault(name, "lacks credentialId, publicKey, userHandle or relyingPartyId") }
            var transports: [String] = []
            if case .list(let names)? = source.given("transports") { transports = names.compactMap(\.text) }
            let model: UUID? = try source.read("aaguid", "is no UUID") { $0.text.flatMap { UUID(uuidString: $0) } }
            var passkey = ImportRecord.Passkey(
                EnrolledPasskey(
                    credentialID: id, userHandle: handle, publicKey: key, relyingPartyID: domain,
                    signatureCount: try source.read("signCount", "is no number of 32 bits") {
                        $0.integer.flatMap { UInt32(exactly: $0) }
                    } ?? 0,
                    isBackupEligible: try source.truth("backupEligible") ?? false,
                    isBackedUp: try source.truth("backedUp") ?? false,
                    authenticatorModel: model.map { id in withUnsafeBytes(of: id.uuid) { Data($0) } }
                        ?? Data(count: 16), transports: transports))
            passkey.enrolledUnder = try source.strength()
            passkey.createdAt = try source.date("createdDateTime")
            passkey.suspendedAt = try source.date("suspendedDateTime")
            passkey.name = try source.text("name")
            passkeys.append(passkey)
        }
        return passkeys
    }

    private func password(_ source: Source) throws(ImportFault) -> ImportRecord.Password {
        let isPasswordless = try source.truth("passwordless") ?? false
        guard let text = try source.text("passwordHash") else { return isPasswordless ? .none : .byApplication }
        guard !isPasswordless else { throw ImportFault("passwordless", "is true beside a passwordHash") }
        guard let hash = try hash(text, source) else {
            let isKnown =
                source.given("passwordAlgorithm") != nil || firebase != nil || ForeignForms.isOfKnownKind(text)
            throw ImportFault(
                "passwordHash",
                isKnown
                    ? "is damaged, or costs more work than the limits of its kind (docs/operate/import.md)"
                    : "is of no kind that this server can check (docs/operate/import.md)")
        }
        return .hash(hash)
    }

    private func hash(_ text: String, _ source: Source) throws(ImportFault) -> PasswordHash? {
        if preset == .firebase, firebase == nil {
            throw ImportFault("passwordHash", "needs the project's hash parameters: give --hash-config FILE")
        }
        if let firebase {
            guard let salt = try source.text("passwordSalt").flatMap({ ForeignForms.bytes(base64: $0) }) else {
                throw ImportFault("passwordSalt", "is missing, or no base64")
            }
            return ForeignForms.bytes(base64: text).flatMap { ForeignForms.firebase(digest: $0, salt: salt, firebase) }
        }
        guard
            let algorithm = try source.read(
                "passwordAlgorithm",
                "is none of " + ForeignForms.Algorithm.allCases.map(\.rawValue).joined(separator: ", "),
                { $0.text.flatMap { ForeignForms.Algorithm(rawValue: $0) } })
        else { return ForeignForms.hash(text) }
        let iterations = try source.read("passwordIterations", "is no number", \.integer)
        let salt = try source.text("passwordSalt") ?? ""
        switch algorithm {
        case .pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512:
            guard let digest = ForeignForms.bytes(base64: text), let salt = ForeignForms.bytes(base64: salt) else {
                return nil
            }
            return ForeignForms.hash(algorithm, digest: digest, salt: salt, iterations: iterations)
        case .sha256SaltFirst, .sha256SaltLast, .sha512SaltFirst, .sha512SaltLast:
            guard let digest = Self.hexadecimal(text) ?? ForeignForms.bytes(base64: text),
                let salt = Self.bytes(ofSalt: salt)
            else { return nil }
            return ForeignForms.hash(algorithm, digest: digest, salt: salt, iterations: nil)
        }
    }

    /// A salt is a text, or bytes behind `base64:` or `hex:`.
    private static func bytes(ofSalt text: String) -> Data? {
        if text.hasPrefix("base64:") { return ForeignForms.bytes(base64: String(text.dropFirst(7))) }
        if text.hasPrefix("hex:") { return hexadecimal(String(text.dropFirst(4))) }
        return Data(text.utf8)
    }

    /// Nil also for a text of another length than that of SHA-256 and SHA-512, which may be base64, except behind `hex:`.
    private static func hexadecimal(_ text: String) -> Data? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// The members of an object, read by their types.
    private struct Source {
        let members: [String: ImportValue]
        var prefix = ""

        /// An empty cell of CSV is no value.
        func given(_ name: String) -> ImportValue? {
            switch members[name] {
            case nil, .null?, .text("")?: nil
            case let value?: value
            }
        }

        func read<Value>(
            _ name: String, _ fault: String, _ read: (ImportValue) -> Value?
        ) throws(ImportFault) -> Value? {
            guard let given = given(name) else { return nil }
            guard let value = read(given) else { throw ImportFault(prefix + name, fault) }
            return value
        }

        func text(_ name: String) throws(ImportFault) -> String? { try read(name, "is no text", \.text) }
        func strength() throws(ImportFault) -> Enrolment.Strength? {
            let words = Enrolment.Strength.allCases.map(\.rawValue).joined(separator: ", ")
            return try read("enrolledUnder", "is none of \(words)") {
                $0.text.flatMap { Enrolment.Strength(rawValue: $0) }
            }
        }
        func truth(_ name: String) throws(ImportFault) -> Bool? {
            try read(name, "is none of \(ImportValue.truths)", \.truth)
        }
        func date(_ name: String) throws(ImportFault) -> Date? { try read(name, "is no date of ISO 8601", \.date) }
    }
}

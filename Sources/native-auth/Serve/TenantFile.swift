import IdentityEngine
import NativeAuthCore
import Yams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tenant document, a file or a row of the database: YAML, tenants with their applications and attributes. Its format is in
/// docs/tenant-file.md.
enum TenantFile {
    private struct File: Decodable {
        var tenants: [TenantEntry]
    }

    private struct TenantEntry: Decodable {
        var id: String
        var subdomain: String
        var domain: String
        var displayName: String
        var enumeration: EnumerationMode?
        var mailsPerHour: Int?
        var auditDays: Int?
        var applications: [ApplicationEntry]
    }

    private struct ApplicationEntry: Decodable {
        var clientId: String
        var displayName: String
        var signIn: UserFlow.Method
        var nativeAuthentication: Bool?
        var scopes: [String]?
        var requiredAttributes: [String]?
        var attributes: [AttributeEntry]?
        var requiresSecondFactor: Bool?
        var requiresDistinctMailbox: Bool?
        var enumeration: EnumerationMode?
    }

    private struct AttributeEntry: Decodable {
        var name: String
        var type: AttributeDefinition.ValueType?
        var required: Bool?
        var regex: String?
        var maximumLength: Int?
    }

    /// The members that each level may have; another one is a slip that must not go unseen.
    private static let known: [String: Set<String>] = [
        "": ["tenants"],
        "tenants": [
            "id", "subdomain", "domain", "displayName", "enumeration", "mailsPerHour", "auditDays", "applications",
        ],
        "applications": [
            "clientId", "displayName", "signIn", "nativeAuthentication", "scopes", "requiredAttributes", "attributes",
            "requiresSecondFactor", "requiresDistinctMailbox", "enumeration",
        ],
        "attributes": ["name", "type", "required", "regex", "maximumLength"],
    ]

    /// Reads the file of `--config`.
    ///
    /// - Throws: All problems together, each naming the file and the line.
    static func read(_ path: String) throws(ServeSettings.Invalid) -> TenantDirectory {
        try directory(of: text(of: path, named: "--config \(path)"), named: "--config \(path)")
    }

    /// What a file holds.
    ///
    /// - Parameter name: What the problem calls it.
    static func text(of path: String, named name: String) throws(ServeSettings.Invalid) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw .init(problems: ["\(name) cannot be read."])
        }
    }

    /// The tenants of a document.
    ///
    /// - Parameter name: What the problems call the document.
    /// - Throws: All problems together, each with the line.
    static func directory(of text: String, named name: String) throws(ServeSettings.Invalid) -> TenantDirectory {
        do {
            guard let root = try Yams.compose(yaml: text) else {
                throw ServeSettings.Invalid(problems: ["\(name) names no tenant."])
            }
            let problems = Problems(root: root, name: name)
            let unknown = unknownMembers(of: root, at: "")
            guard unknown.isEmpty else {
                throw ServeSettings.Invalid(
                    problems: unknown.map { problems.text("“\($0.name)” is not known.", line: $0.line) })
            }
            do {
                return try directory(of: YAMLDecoder().decode(File.self, from: text), problems)
            } catch let error as DecodingError {
                let (path, sentence) = located(error)
                throw ServeSettings.Invalid(problems: [problems.text(sentence, at: path)])
            }
        } catch let invalid as ServeSettings.Invalid {
            throw invalid
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            throw .init(problems: ["\(name):\(mark.line): this is not YAML: \(problem)."])
        } catch {
            throw .init(problems: ["\(name) is not YAML of a tenant file."])
        }
    }

    /// A step on the way to a value: the name of a member, or the place in a list.
    private enum Step {
        case member(String)
        case element(Int)
    }

    /// Sentences about places of a document, with its name and the line in front.
    private struct Problems {
        let root: Node
        let name: String
        var sentences: [String] = []

        mutating func add(_ sentence: String, at path: [Step]) {
            sentences.append(text(sentence, at: path))
        }

        func text(_ sentence: String, at path: [Step]) -> String { text(sentence, line: line(of: path)) }

        func text(_ sentence: String, line: Int?) -> String {
            "\(name):" + (line.map { "\($0): " } ?? " ") + sentence
        }

        /// The line of the value, or of the nearest thing around it that is there.
        private func line(of path: [Step]) -> Int? {
            var node = root
            var line = node.mark?.line
            for step in path {
                let next: Node? =
                    switch (step, node) {
                    case (.member(let name), .mapping(let mapping)): mapping.first { $0.key.string == name }?.value
                    case (.element(let index), .sequence(let sequence)):
                        sequence.indices.contains(index) ? sequence[index] : nil
                    case (.member, _), (.element, _): nil
                    }
                guard let next else { break }
                node = next
                line = node.mark?.line ?? line
            }
            return line
        }
    }

    private static func unknownMembers(of node: Node, at level: String) -> [(name: String, line: Int?)] {
        switch node {
        case .mapping(let mapping):
            return mapping.flatMap { key, value -> [(name: String, line: Int?)] in
                let name = key.string ?? "a member"
                guard known[level]?.contains(name) ?? true else { return [(name, key.mark?.line)] }
                return known[name] == nil ? [] : unknownMembers(of: value, at: name)
            }
        case .sequence(let sequence): return sequence.flatMap { unknownMembers(of: $0, at: level) }
        case .scalar, .alias: return []
        }
    }

    private static func directory(
        of file: File, _ none: Problems
    ) throws(ServeSettings.Invalid) -> TenantDirectory {
        var problems = none
        func id(_ text: String, _ what: String, _ path: [Step]) -> UUID {
            if let id = ClientID(text) { return id.uuid }
            problems.add("\(what) “\(text)” is not a UUID.", at: path)
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        var names: Set<String> = []
        let entries = file.tenants.enumerated().map { number, entry in
            let here: [Step] = [.member("tenants"), .element(number)]
            let tenant = Tenant(
                id: TenantID(id(entry.id, "the tenant id", here + [.member("id")])), subdomain: entry.subdomain,
                domain: entry.domain, displayName: entry.displayName, enumeration: entry.enumeration,
                mailsPerHour: entry.mailsPerHour, auditDays: entry.auditDays)
            if let limit = tenant.mailsPerHour, limit < 1 {
                problems.add("mailsPerHour must be 1 or more.", at: here + [.member("mailsPerHour")])
            }
            if let days = tenant.auditDays, !(1...36_500).contains(days) {
                problems.add("auditDays must lie between 1 and 36500.", at: here + [.member("auditDays")])
            }
            for (member, name) in [
                ("id", tenant.id.description), ("domain", tenant.domain), ("subdomain", tenant.subdomain),
            ] where !names.insert(name.lowercased()).inserted {
                problems.add("two tenants are called “\(name)”.", at: here + [.member(member)])
            }
            return TenantDirectory.Entry(
                tenant: tenant,
                applications: entry.applications.enumerated().map { number, application in
                    let here = here + [.member("applications"), .element(number)]
                    // A second factor is one besides the password (native-auth-v1 §4.7).
                    if application.requiresSecondFactor == true, application.signIn != .emailPassword {
                        problems.add(
                            "“\(application.displayName)” requiresSecondFactor, and only users with a password can give one; signIn must be emailPassword.",
                            at: here + [.member("requiresSecondFactor")])
                    }
                    return Client(
                        id: ClientID(id(application.clientId, "the clientId", here + [.member("clientId")])),
                        displayName: application.displayName,
                        userFlow: UserFlow(
                            method: application.signIn,
                            attributes: attributes(of: application, here, &problems),
                            requiresSecondFactor: application.requiresSecondFactor ?? false,
                            requiresDistinctMailbox: application.requiresDistinctMailbox ?? false),
                        isNativeAuthEnabled: application.nativeAuthentication ?? true,
                        scopes: application.scopes ?? [], enumeration: application.enumeration)
                })
        }
        if entries.isEmpty { problems.add("there is no tenant.", at: [.member("tenants")]) }
        guard problems.sentences.isEmpty else { throw .init(problems: problems.sentences) }
        return TenantDirectory(entries)
    }

    /// The built-in attributes, those of the file in their place or after them.
    private static func attributes(
        of application: ApplicationEntry, _ place: [Step], _ problems: inout Problems
    ) -> [AttributeDefinition] {
        var attributes = AttributeDefinition.builtIn
        for (number, entry) in (application.attributes ?? []).enumerated() {
            let here = place + [.member("attributes"), .element(number)]
            var definition =
                attributes.first { $0.name == entry.name } ?? AttributeDefinition(name: entry.name)
            definition.type = entry.type ?? definition.type
            definition.isRequired = entry.required ?? definition.isRequired
            definition.maximumLength = entry.maximumLength ?? definition.maximumLength
            if !(1...4_000).contains(definition.maximumLength) {
                problems.add(
                    "maximumLength of “\(entry.name)” must lie between 1 and 4000.",
                    at: here + [.member("maximumLength")])
            }
            if let regex = entry.regex {
                definition.pattern = AttributePattern(regex)
                if definition.pattern == nil {
                    problems.add("the regex of “\(entry.name)” is not understood.", at: here + [.member("regex")])
                }
            }
            attributes.removeAll { $0.name == entry.name }
            attributes.append(definition)
        }
        for (number, name) in (application.requiredAttributes ?? []).enumerated() {
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                problems.add(
                    "requiredAttributes names “\(name)”, which is no attribute.",
                    at: place + [.member("requiredAttributes"), .element(number)])
                continue
            }
            attributes[index].isRequired = true
        }
        return attributes
    }

    private static func located(_ error: DecodingError) -> (path: [Step], sentence: String) {
        func path(_ context: DecodingError.Context) -> [Step] {
            context.codingPath.map { key in key.intValue.map { .element($0) } ?? .member(key.stringValue) }
        }
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return path.isEmpty ? "the top" : path.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            return (path(context), "“\(key.stringValue)” is missing at \(place(context)).")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return (path(context), "the value at \(place(context)) has the wrong type.")
        case .dataCorrupted(let context): return (path(context), "the value at \(place(context)) is not valid.")
        @unknown default: return ([], "it is not a tenant file.")
        }
    }
}

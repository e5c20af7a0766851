import IdentityEngine
import NativeAuthCore
import Yams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tenant file of `--config`: YAML, tenants with their applications and attributes. Its format is in docs/tenant-file.md.
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
        "tenants": ["id", "subdomain", "domain", "displayName", "enumeration", "applications"],
        "applications": [
            "clientId", "displayName", "signIn", "nativeAuthentication", "scopes", "requiredAttributes", "attributes",
            "requiresSecondFactor", "requiresDistinctMailbox", "enumeration",
        ],
        "attributes": ["name", "type", "required", "regex", "maximumLength"],
    ]

    /// - Throws: All problems together, each naming the file and the place.
    static func read(_ path: String) throws(ServeSettings.Invalid) -> TenantDirectory {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw .init(problems: ["--config \(path) cannot be read."])
        }
        do {
            if let node = try Yams.compose(yaml: text) {
                let unknown = unknownMembers(of: node, at: "")
                guard unknown.isEmpty else {
                    throw ServeSettings.Invalid(problems: unknown.map { "--config \(path): \($0) is not known." })
                }
            }
            return try directory(of: YAMLDecoder().decode(File.self, from: text), path)
        } catch let invalid as ServeSettings.Invalid {
            throw invalid
        } catch let error as DecodingError {
            throw .init(problems: ["--config \(path): \(sentence(error))"])
        } catch {
            throw .init(problems: ["--config \(path) is not YAML of a tenant file."])
        }
    }

    private static func unknownMembers(of node: Node, at level: String) -> [String] {
        switch node {
        case .mapping(let mapping):
            return mapping.flatMap { key, value -> [String] in
                let name = key.string ?? "a member"
                guard known[level]?.contains(name) ?? true else {
                    return ["“\(name)”" + (key.mark.map { " in line \($0.line)" } ?? "")]
                }
                return known[name] == nil ? [] : unknownMembers(of: value, at: name)
            }
        case .sequence(let sequence): return sequence.flatMap { unknownMembers(of: $0, at: level) }
        case .scalar, .alias: return []
        }
    }

    private static func directory(of file: File, _ path: String) throws(ServeSettings.Invalid) -> TenantDirectory {
        var problems: [String] = []
        func id(_ text: String, _ what: String) -> UUID {
            if let id = ClientID(text) { return id.uuid }
            problems.append("--config \(path): \(what) “\(text)” is not a UUID.")
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        var names: Set<String> = []
        let entries = file.tenants.map { entry in
            let tenant = Tenant(
                id: TenantID(id(entry.id, "the tenant id")), subdomain: entry.subdomain, domain: entry.domain,
                displayName: entry.displayName, enumeration: entry.enumeration)
            for name in [tenant.id.description, tenant.domain, tenant.subdomain]
            where !names.insert(name.lowercased()).inserted {
                problems.append("--config \(path): two tenants are called “\(name)”.")
            }
            return TenantDirectory.Entry(
                tenant: tenant,
                applications: entry.applications.map { application in
                    // A second factor is one besides the password (native-auth-v1 §4.7).
                    if application.requiresSecondFactor == true, application.signIn != .emailPassword {
                        problems.append(
                            "--config \(path): “\(application.displayName)” requiresSecondFactor, and only users with a password can give one; signIn must be emailPassword."
                        )
                    }
                    return Client(
                        id: ClientID(id(application.clientId, "the clientId")), displayName: application.displayName,
                        userFlow: UserFlow(
                            method: application.signIn,
                            attributes: attributes(of: application, path, &problems),
                            requiresSecondFactor: application.requiresSecondFactor ?? false,
                            requiresDistinctMailbox: application.requiresDistinctMailbox ?? false),
                        isNativeAuthEnabled: application.nativeAuthentication ?? true,
                        scopes: application.scopes ?? [], enumeration: application.enumeration)
                })
        }
        if entries.isEmpty { problems.append("--config \(path) names no tenant.") }
        guard problems.isEmpty else { throw .init(problems: problems) }
        return TenantDirectory(entries)
    }

    /// The built-in attributes, those of the file in their place or after them.
    private static func attributes(
        of application: ApplicationEntry, _ path: String, _ problems: inout [String]
    ) -> [AttributeDefinition] {
        var attributes = AttributeDefinition.builtIn
        for entry in application.attributes ?? [] {
            var definition =
                attributes.first { $0.name == entry.name } ?? AttributeDefinition(name: entry.name)
            definition.type = entry.type ?? definition.type
            definition.isRequired = entry.required ?? definition.isRequired
            definition.maximumLength = entry.maximumLength ?? definition.maximumLength
            if !(1...4_000).contains(definition.maximumLength) {
                problems.append("--config \(path): maximumLength of “\(entry.name)” must lie between 1 and 4000.")
            }
            if let regex = entry.regex {
                definition.pattern = AttributePattern(regex)
                if definition.pattern == nil {
                    problems.append("--config \(path): the regex of “\(entry.name)” is not understood.")
                }
            }
            attributes.removeAll { $0.name == entry.name }
            attributes.append(definition)
        }
        for name in application.requiredAttributes ?? [] {
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                problems.append("--config \(path): requiredAttributes names “\(name)”, which is no attribute.")
                continue
            }
            attributes[index].isRequired = true
        }
        return attributes
    }

    private static func sentence(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return path.isEmpty ? "the top" : path.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context): return "“\(key.stringValue)” is missing at \(place(context))."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "the value at \(place(context)) has the wrong type."
        case .dataCorrupted(let context): return "the value at \(place(context)) is not valid."
        @unknown default: return "it is not a tenant file."
        }
    }
}

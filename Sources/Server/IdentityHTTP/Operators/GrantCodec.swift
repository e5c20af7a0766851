import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Service principals, grants of scopes and assignments of roles as the vendor's directory has them (docs/protocol.md
/// §18.7). The tenants' document has them as the scopes of applications and the roles of daemons.
enum GrantCodec {
    typealias Object = [String: JSONValue]

    /// A resource or client of the tenant: an application, a daemon, or the directory itself.
    struct Principal {
        var id: String
        var appID: String
        var displayName: String
        /// Those that it gives as a resource.
        var roles: [ApplicationRole]

        var isDirectory: Bool { appID == ResourceScope.directory }

        /// What stands in front of the name of a scope: nothing for the directory, else the usual URI of an application.
        var prefix: String { isDirectory ? "" : "\(audience)/" }
        /// The audience of tokens for it as a resource.
        var audience: String { isDirectory ? appID : "api://\(appID)" }
    }

    static func principals(of entry: TenantDirectory.Entry) -> [Principal] {
        let all =
            entry.applications.map { ($0.id.description, $0.displayName, $0.roles) }
            + entry.daemons.map { ($0.id.description, $0.displayName, []) }
            + [(ResourceScope.directory, "Directory", directoryRoles)]
        return all.map { appID, name, roles in
            Principal(
                id: ObjectID.servicePrincipal(appID, in: entry.tenant.id), appID: appID, displayName: name, roles: roles
            )
        }
    }

    private static let directoryRoles: [ApplicationRole] = ResourceScope.applicationRoles.sorted().compactMap { name in
        UUID(uuidString: DirectoryPermission.roleID(name)).map {
            ApplicationRole(id: $0, value: name, displayName: name, description: name, holders: [.daemons])
        }
    }

    static func object(_ role: ApplicationRole) -> JSONValue {
        let types = [(ApplicationRole.Holder.users, "User"), (.daemons, "Application")]
        return .object([
            "id": .string(role.id.text), "value": .string(role.value), "displayName": .string(role.displayName),
            "description": role.description.isEmpty ? .null : .string(role.description),
            "allowedMemberTypes": .texts(types.filter { role.holders.contains($0.0) }.map(\.1)),
            "isEnabled": .boolean(role.isEnabled),
        ])
    }

    static func object(_ principal: Principal) -> Object {
        let scopes: [JSONValue] =
            principal.isDirectory
            ? ResourceScope.directoryNames.sorted().map { name in
                .object([
                    "id": .string(DirectoryPermission.scopeID(name)), "value": .string(name), "type": .string("Admin"),
                    "adminConsentDisplayName": .string(name), "isEnabled": .boolean(true),
                ])
            } : []
        return [
            "id": .string(principal.id), "appId": .string(principal.appID),
            "displayName": .string(principal.displayName), "appDisplayName": .string(principal.displayName),
            "servicePrincipalType": .string("Application"), "accountEnabled": .boolean(true),
            "appRoles": .array(principal.roles.map(object)), "oauth2PermissionScopes": .array(scopes),
        ]
    }

    // MARK: - Grants of scopes

    /// The scopes that an application may ask for of one resource.
    struct Grant {
        var id: String
        var client: Principal
        var resource: Principal
        /// Without the resource in front.
        var names: [String]

        var object: Object {
            [
                "id": .string(id), "clientId": .string(client.id), "consentType": .string("AllPrincipals"),
                "principalId": .null,
                "resourceId": .string(resource.id), "scope": .string(names.joined(separator: " ")),
            ]
        }
    }

    static func grantID(_ client: Principal, _ resource: Principal, in tenant: TenantID) -> String {
        ObjectID.of("grant", client.appID, resource.appID, in: tenant)
    }

    /// All grants of the document whose resource is the directory or an application of the tenant.
    static func grants(of entry: TenantDirectory.Entry, baseURL: String) -> [Grant] {
        let all = principals(of: entry)
        let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.audience, $0) })
        return zip(entry.applications, all).flatMap { application, client -> [Grant] in
            var names: [Int: [String]] = [:]
            for scope in application.scopes {
                guard let (audience, name) = parts(of: scope, baseURL), let place = places[audience] else { continue }
                names[place, default: []].append(name)
            }
            return names.sorted { $0.key < $1.key }.map { place, names in
                Grant(
                    id: grantID(client, all[place], in: entry.tenant.id), client: client, resource: all[place],
                    names: names)
            }
        }
    }

    /// The audience and the name of a configured scope.
    private static func parts(of scope: String, _ baseURL: String) -> (audience: String, name: String)? {
        // All scopes of all resources stand with the directory, so that they can be seen and taken away.
        if scope == "*" || ResourceScope.openID.contains(scope) { return (ResourceScope.directory, scope) }
        return ResourceScope(scope, baseURL: baseURL).map { ($0.resource, $0.name) }
    }

    /// Gives the application these scopes of the resource, in place of those that it had.
    static func grant(
        _ names: [String], of resource: Principal, to client: ClientID, in entry: inout TenantDirectory.Entry,
        baseURL: String
    ) throws(TenantEditFault) {
        guard let index = entry.applications.firstIndex(where: { $0.id == client }) else { throw .notFound }
        let others = entry.applications[index].scopes.filter { parts(of: $0, baseURL)?.audience != resource.audience }
        var seen: Set<String> = []
        entry.applications[index].scopes =
            others + names.filter { seen.insert($0).inserted }.map { resource.prefix + $0 }
    }

    /// The names in `scope` of a body.
    static func names(_ text: String) throws(DirectoryFailure) -> [String] {
        let names = text.split(separator: " ").map(String.init)
        // A wildcard would give scopes that no operator has named.
        guard names.count <= 100, names.allSatisfy({ name in !name.contains { "/:*".contains($0) } }) else {
            throw .wrong("scope", "names with blanks between them, without slash, colon and asterisk")
        }
        return names
    }

    // MARK: - Roles

    /// A role that a daemon or the users of a group have.
    struct Assignment {
        enum Subject {
            case daemon(Principal)
            /// Without a name if the group was deleted.
            case group(UUID, name: String?)
        }

        var id: String
        var subject: Subject
        var resource: Principal
        var role: ApplicationRole

        init(of role: ApplicationRole, to subject: Subject, by resource: Principal, in tenant: TenantID) {
            (self.subject, self.resource, self.role) = (subject, resource, role)
            id =
                switch subject {
                case .daemon(let daemon) where resource.isDirectory:
                    ObjectID.of("assignment", daemon.appID, role.value, in: tenant)
                case .daemon(let daemon):
                    ObjectID.of("assignment", daemon.appID, resource.appID, role.id.text, in: tenant)
                case .group(let group, _):
                    ObjectID.of("assignment", group.text, resource.appID, role.id.text, in: tenant)
                }
        }

        var principalID: String {
            switch subject {
            case .daemon(let daemon): daemon.id
            case .group(let id, _): id.text
            }
        }

        var object: Object {
            let (type, name): (String, String?) =
                switch subject {
                case .daemon(let daemon): ("ServicePrincipal", daemon.displayName)
                case .group(_, let name): ("Group", name)
                }
            return [
                "id": .string(id), "principalId": .string(principalID),
                "principalDisplayName": name.map { .string($0) } ?? .null, "principalType": .string(type),
                "resourceId": .string(resource.id), "resourceDisplayName": .string(resource.displayName),
                "appRoleId": .string(role.id.text),
            ]
        }
    }

    /// - Parameters:
    ///   - principal: The id of a principal or a group, of which all assignments are returned; nil: those of all.
    ///   - groups: The names of the tenant's groups.
    static func assignments(
        of entry: TenantDirectory.Entry, with principal: String? = nil, groups: [UUID: String], baseURL: String
    ) -> [Assignment] {
        let all = principals(of: entry)
        let resources = Dictionary(uniqueKeysWithValues: all.map { ($0.audience, $0) })
        func isWanted(_ ids: String...) -> Bool { principal.map(ids.contains) ?? true }
        let ofDaemons = zip(entry.daemons, all.dropFirst(entry.applications.count)).flatMap { daemon, subject in
            daemon.roles.compactMap { text -> Assignment? in
                guard let scope = ResourceScope(text, baseURL: baseURL), let resource = resources[scope.resource],
                    isWanted(subject.id, resource.id),
                    let role = resource.roles.first(where: { $0.value == scope.name })
                else { return nil }
                return Assignment(of: role, to: .daemon(subject), by: resource, in: entry.tenant.id)
            }
        }
        let ofGroups = all.flatMap { resource in
            resource.roles.flatMap { role in
                role.groups.filter { isWanted($0.text, resource.id) }.map {
                    Assignment(of: role, to: .group($0, name: groups[$0]), by: resource, in: entry.tenant.id)
                }
            }
        }
        // A role that a daemon has in two spellings is one.
        var seen: Set<String> = []
        return (ofDaemons + ofGroups).filter { seen.insert($0.id).inserted }
    }

    /// Gives the role, or takes it away; the same twice changes nothing.
    static func set(
        _ assignment: Assignment, isGiven: Bool, in entry: inout TenantDirectory.Entry, baseURL: String
    ) throws(TenantEditFault) {
        let (resource, role) = (assignment.resource, assignment.role)
        let application = entry.applications.firstIndex { $0.id.description == resource.appID }
        let place = application.flatMap { index in
            entry.applications[index].roles.firstIndex {
                ($0.id, $0.value, $0.holders) == (role.id, role.value, role.holders)
            }
        }
        // A change of the role since the request began would give another one.
        guard resource.isDirectory || place != nil else { throw .notFound }
        switch assignment.subject {
        case .daemon(let daemon):
            guard let index = entry.daemons.firstIndex(where: { $0.id.description == daemon.appID }) else {
                throw .notFound
            }
            let has = entry.daemons[index].roles(for: resource.audience, baseURL: baseURL).contains(role.value)
            guard has != isGiven else { return }
            if isGiven {
                entry.daemons[index].roles.append(resource.prefix + role.value)
            } else {
                entry.daemons[index].roles.removeAll {
                    let scope = ResourceScope($0, baseURL: baseURL)
                    return scope?.resource == resource.audience && scope?.name == role.value
                }
            }
        case .group(let group, _):
            guard let application, let place else { throw .notFound }
            entry.applications[application].roles[place].groups.removeAll { $0 == group }
            if isGiven { entry.applications[application].roles[place].groups.append(group) }
        }
    }
}

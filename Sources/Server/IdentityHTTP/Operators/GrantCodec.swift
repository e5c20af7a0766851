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

        var isDirectory: Bool { appID == ResourceScope.directory }

        /// What stands in front of the name of a scope: nothing for the directory, else the usual URI of an application.
        var prefix: String { isDirectory ? "" : "api://\(appID)/" }
    }

    static func principals(of entry: TenantDirectory.Entry) -> [Principal] {
        let all =
            entry.applications.map { ($0.id.description, $0.displayName) }
            + entry.daemons.map { ($0.id.description, $0.displayName) }
            + [(ResourceScope.directory, "Directory")]
        return all.map { appID, name in
            Principal(id: ObjectID.servicePrincipal(appID, in: entry.tenant.id), appID: appID, displayName: name)
        }
    }

    static func object(_ principal: Principal) -> Object {
        let roles: [JSONValue] =
            principal.isDirectory
            ? ResourceScope.applicationRoles.sorted().map { name in
                .object([
                    "id": .string(DirectoryPermission.roleID(name)), "value": .string(name),
                    "displayName": .string(name), "description": .string(name),
                    "allowedMemberTypes": .array([.string("Application")]), "isEnabled": .boolean(true),
                ])
            } : []
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
            "appRoles": .array(roles), "oauth2PermissionScopes": .array(scopes),
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
        return entry.applications.flatMap { application -> [Grant] in
            guard let client = all.first(where: { $0.appID == application.id.description }) else { return [] }
            return all.compactMap { resource in
                let names = application.scopes.compactMap { name($0, of: resource, baseURL) }
                guard !names.isEmpty else { return nil }
                return Grant(
                    id: grantID(client, resource, in: entry.tenant.id), client: client, resource: resource,
                    names: names)
            }
        }
    }

    /// The name of a configured scope, if it is one of the resource.
    private static func name(_ scope: String, of resource: Principal, _ baseURL: String) -> String? {
        if resource.isDirectory {
            // All scopes of all resources stand here, so that they can be seen and taken away.
            if scope == "*" || ResourceScope.openID.contains(scope) { return scope }
            guard let found = ResourceScope(scope, baseURL: baseURL),
                found.resource == ResourceScope.directory
            else { return nil }
            return found.name
        }
        guard scope.hasPrefix(resource.prefix) else { return nil }
        return String(scope.dropFirst(resource.prefix.utf8.count))
    }

    /// Gives the application these scopes of the resource, in place of those that it had.
    static func grant(
        _ names: [String], of resource: Principal, to client: ClientID, in entry: inout TenantDirectory.Entry,
        baseURL: String
    ) throws(TenantEditFault) {
        guard let index = entry.applications.firstIndex(where: { $0.id == client }) else { throw .notFound }
        let others = entry.applications[index].scopes.filter { name($0, of: resource, baseURL) == nil }
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

    static func assignments(of entry: TenantDirectory.Entry, baseURL: String) -> [Object] {
        let all = principals(of: entry)
        guard let directory = all.last else { return [] }
        return entry.daemons.flatMap { daemon -> [Object] in
            guard let principal = all.first(where: { $0.appID == daemon.id.description }) else { return [] }
            return daemon.roles(for: ResourceScope.directory, baseURL: baseURL).map {
                assignment(of: $0, to: principal, by: directory, in: entry.tenant.id)
            }
        }
    }

    static func assignment(
        of role: String, to principal: Principal, by directory: Principal, in tenant: TenantID
    ) -> Object {
        [
            "id": .string(ObjectID.of("assignment", principal.appID, role, in: tenant)),
            "principalId": .string(principal.id), "principalDisplayName": .string(principal.displayName),
            "principalType": .string("ServicePrincipal"), "resourceId": .string(directory.id),
            "resourceDisplayName": .string(directory.displayName),
            "appRoleId": .string(DirectoryPermission.roleID(role)),
        ]
    }
}

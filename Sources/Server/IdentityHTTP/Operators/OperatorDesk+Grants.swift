import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Service principals, the scopes of applications and the roles of daemons.
extension OperatorDesk {
    private static let principals = "servicePrincipals"
    private static let grants = "oauth2PermissionGrants"

    func listServicePrincipals(_ request: Request, _ trace: Trace) async throws -> Response {
        return try await list(
            GrantCodec.principals(of: entry).map(GrantCodec.object), Self.principals,
            ObjectFilter(names: ["id", "appid", "displayname", "serviceprincipaltype"]), request, trace)
    }

    func createServicePrincipal(_ request: Request, _ trace: Trace) async throws -> Response {
        // Each application has its own from the beginning.
        let id = try UserFlowCodec.clientID(try await OperatorCodec.object(of: request))
        guard let found = GrantCodec.principals(of: entry).first(where: { $0.appID == id.description }) else {
            throw DirectoryFailure.wrong("appId", "the client id of an application or a daemon of the tenant")
        }
        return try created(GrantCodec.object(found), Self.principals, found.id, trace)
    }

    func readServicePrincipal(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        return try one(GrantCodec.object(try principal(keys.first)), Self.principals, request, trace)
    }

    func readServicePrincipalByAppID(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        let key = keys.first?.lowercased()
        guard let found = GrantCodec.principals(of: entry).first(where: { $0.appID == key }) else {
            throw DirectoryFailure(.notFound)
        }
        return try one(GrantCodec.object(found), Self.principals, request, trace)
    }

    func listGrants(_ request: Request, _ trace: Trace) async throws -> Response {
        return try await list(
            GrantCodec.grants(of: entry, baseURL: serverURL).map(\.object), Self.grants,
            ObjectFilter(names: ["id", "clientid", "resourceid", "consenttype", "principalid"]), request, trace)
    }

    func readGrant(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        return try one(try grant(keys).object, Self.grants, request, trace)
    }

    func changeGrant(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let grant = try grant(keys)
        var members = BodyMembers(try await OperatorCodec.object(of: request))
        guard let scope = try members.text("scope", 0...4_096) else {
            throw DirectoryFailure.absent("scope")
        }
        try members.refuse("id", "clientId", "resourceId", "consentType", "principalId")
        try members.end()
        try await give(try GrantCodec.names(scope), of: grant.resource, to: grant.client)
        return done(trace)
    }

    func deleteGrant(_ keys: [String], _ trace: Trace) async throws -> Response {
        let grant = try grant(keys)
        try await give([], of: grant.resource, to: grant.client)
        return done(trace)
    }

    func listRoleAssignments(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        return try await assignments(try principal(keys.first), "principalId", "appRoleAssignments", request, trace)
    }

    func listRoleAssignees(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        return try await assignments(try principal(keys.first), "resourceId", "appRoleAssignedTo", request, trace)
    }

    func createGrant(_ request: Request, _ trace: Trace) async throws -> Response {
        var members = BodyMembers(try await OperatorCodec.object(of: request))
        let kind = try members.text("consentType")?.lowercased()
        try members.accept("consentType", only: "allprincipals", kind)
        let user = try members.text("principalId")
        try members.accept("principalId", only: "", user)
        guard let client = principal(withID: try members.text("clientId")) else {
            throw DirectoryFailure.wrong("clientId", "the id of a service principal")
        }
        guard let resource = principal(withID: try members.text("resourceId")) else {
            throw DirectoryFailure.wrong("resourceId", "the id of a service principal")
        }
        let names = try GrantCodec.names(try members.text("scope", 0...4_096) ?? "")
        // The vendor's older scripts send the times.
        _ = (members.value("startTime"), members.value("expiryTime"))
        try members.end()
        guard !names.isEmpty else { throw DirectoryFailure.absent("scope") }
        let grant = GrantCodec.Grant(
            id: GrantCodec.grantID(client, resource, in: tenant.id), client: client, resource: resource, names: names)
        try await give(names, of: resource, to: client, isNew: true)
        return try created(grant.object, Self.grants, grant.id, trace)
    }

    private func give(
        _ names: [String], of resource: GrantCodec.Principal, to client: GrantCodec.Principal, isNew: Bool = false
    ) async throws {
        // A daemon has roles and no scopes.
        guard let id = ClientID(client.appID), entry.applications.contains(where: { $0.id == id }) else {
            throw DirectoryFailure.wrong("clientId", "that of an application: a daemon gets roles, and no scopes")
        }
        let serverURL = serverURL
        try await edit { (entry) throws(TenantEditFault) in
            // Compared here, so that of two grants at the same moment one is told.
            if isNew,
                GrantCodec.grants(of: entry, baseURL: serverURL).contains(where: {
                    $0.client.appID == client.appID && $0.resource.appID == resource.appID
                })
            {
                throw .invalid(["The application has a grant of this resource already; change that one."])
            }
            try GrantCodec.grant(names, of: resource, to: id, in: &entry, baseURL: serverURL)
        }
    }

    /// The address in spellings of scopes, which is that of the apps' listener.
    private var serverURL: String { engine.settings.baseURL }

    private func principal(_ key: String?) throws(DirectoryFailure) -> GrantCodec.Principal {
        guard let found = principal(withID: key) else { throw DirectoryFailure(.notFound) }
        return found
    }

    private func principal(withID key: String?) -> GrantCodec.Principal? {
        let id = key?.lowercased()
        return GrantCodec.principals(of: entry).first { $0.id == id }
    }

    private func grant(_ keys: [String]) throws(DirectoryFailure) -> GrantCodec.Grant {
        let id = keys.first?.lowercased()
        guard let found = GrantCodec.grants(of: entry, baseURL: serverURL).first(where: { $0.id == id }) else {
            throw DirectoryFailure(.notFound)
        }
        return found
    }

    // MARK: - Roles

    /// - Parameter side: The member of the assignment that the path names.
    private func assignments(
        _ principal: GrantCodec.Principal, _ side: String, _ collection: String, _ request: Request, _ trace: Trace
    ) async throws -> Response {
        try await list(
            try await assignments(ofPrincipal: principal, side).map(\.object),
            "\(Self.principals)/\(principal.id)/\(collection)",
            ObjectFilter(names: ["id", "principalid", "resourceid", "approleid", "principaldisplayname"]), request,
            trace)
    }

    private func assignments(
        ofPrincipal principal: GrantCodec.Principal, _ side: String
    ) async throws -> [GrantCodec.Assignment] {
        var names: [UUID: String] = [:]
        if principal.roles.contains(where: { !$0.groups.isEmpty }) {
            names = Dictionary(uniqueKeysWithValues: try await groups().map { ($0.id, $0.displayName) })
        }
        return GrantCodec.assignments(of: entry, with: principal.id, groups: names, baseURL: serverURL)
            .filter { (side == "principalId" ? $0.principalID : $0.resource.id) == principal.id }
    }

    func createAssignment(
        _ keys: [String], _ side: String, _ request: Request, _ trace: Trace
    ) async throws -> Response {
        let named = try principal(keys.first)
        var members = BodyMembers(try await OperatorCodec.object(of: request))
        let subject = try members.text("principalId")
        let resource = try members.text("resourceId")
        let roleID = try members.text("appRoleId")
        try members.end()
        guard named.id == (side == "principalId" ? subject : resource)?.lowercased() else {
            throw DirectoryFailure.wrong(side, "the id of the service principal in the path")
        }
        guard let resource = principal(withID: resource) else {
            throw DirectoryFailure.wrong("resourceId", "the id of a service principal")
        }
        guard let role = resource.roles.first(where: { $0.id.text == roleID?.lowercased() }) else {
            throw DirectoryFailure.wrong("appRoleId", "the id of one of the appRoles of the resource")
        }
        let made = GrantCodec.Assignment(
            of: role, to: try await self.subject(subject, for: role), by: resource, in: tenant.id)
        try await set(made, isGiven: true)
        return try created(
            made.object,
            "\(Self.principals)/\(named.id)/\(side == "principalId" ? "appRoleAssignments" : "appRoleAssignedTo")",
            made.id, trace)
    }

    /// Who is to have the role: a daemon by its service principal, or a group.
    private func subject(
        _ key: String?, for role: ApplicationRole
    ) async throws -> GrantCodec.Assignment.Subject {
        if let daemon = principal(withID: key) {
            guard role.holders.contains(.daemons) else {
                throw DirectoryFailure.wrong("principalId", "the id of a group: the role is for users")
            }
            guard entry.daemons.contains(where: { $0.id.description == daemon.appID }) else {
                throw DirectoryFailure.wrong(
                    "principalId", "that of a daemon or a group: an application gets scopes, and no roles")
            }
            return .daemon(daemon)
        }
        guard let group = try await groups().first(where: { $0.id.text == key?.lowercased() }) else {
            throw DirectoryFailure.wrong(
                "principalId", "the id of a daemon's service principal, or of a group; users have roles by their groups"
            )
        }
        guard role.holders.contains(.users) else {
            throw DirectoryFailure.wrong(
                "principalId", "the id of a daemon's service principal: the role is for daemons")
        }
        return .group(group.id, name: group.displayName)
    }

    func deleteAssignment(_ keys: [String], _ side: String, _ trace: Trace) async throws -> Response {
        let named = try principal(keys.first)
        let key = keys.last?.lowercased()
        guard let found = try await assignments(ofPrincipal: named, side).first(where: { $0.id == key }) else {
            throw DirectoryFailure(.notFound)
        }
        try await set(found, isGiven: false)
        return done(trace)
    }

    /// A caller gives and takes only roles of the directory that it has (`SEC-ADM-4`).
    private func set(_ assignment: GrantCodec.Assignment, isGiven: Bool) async throws {
        let serverURL = serverURL
        if assignment.resource.isDirectory {
            let own = caller.daemon.roles(for: ResourceScope.directory, baseURL: serverURL)
            guard own.contains(assignment.role.value) else { throw DirectoryFailure(.insufficientScope) }
        }
        try await edit { (entry) throws(TenantEditFault) in
            try GrantCodec.set(assignment, isGiven: isGiven, in: &entry, baseURL: serverURL)
        }
    }
}

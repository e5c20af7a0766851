import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// User flows, their attributes and applications: every change is a new version of the tenants' document.
extension OperatorDesk {
    private static let flowFilter = ObjectFilter(names: ["id", "displayname", "includeapplications"])
    private static let attributeFilter = ObjectFilter(
        names: ["id", "displayname", "userflowattributetype", "datatype"])
    private static let collection = "identity/authenticationEventsFlows"

    func listUserFlows(_ request: Request, _ trace: Trace) async throws -> Response {
        return try await list(
            entry.userFlows.map { UserFlowCodec.object($0, of: entry) }, Self.collection, Self.flowFilter, request,
            trace)
    }

    func readUserFlow(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        return try one(UserFlowCodec.object(try flow(keys), of: entry), Self.collection, request, trace)
    }

    func changeUserFlow(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let change = try UserFlowCodec.change(try await OperatorCodec.object(of: request))
        let id = try flow(keys).id
        try await edit { (entry) throws(TenantEditFault) in try UserFlowCodec.apply(change, to: id, in: &entry) }
        return done(trace)
    }

    func deleteUserFlow(_ keys: [String], _ trace: Trace) async throws -> Response {
        let id = try flow(keys).id
        try await edit { (entry) throws(TenantEditFault) in try UserFlowCodec.remove(id, from: &entry) }
        return done(trace)
    }

    func listFlowApplications(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let flow = try flow(keys)
        return try await list(
            UserFlowCodec.applications(of: flow, in: entry),
            "\(Self.collection)/\(flow.id.text)/conditions/applications/includeApplications",
            ObjectFilter(names: ["appid"]), request, trace)
    }

    func addFlowApplication(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let id = try flow(keys).id
        let client = try UserFlowCodec.clientID(try await OperatorCodec.object(of: request))
        try await edit { (entry) throws(TenantEditFault) in try UserFlowCodec.join(client, to: id, in: &entry) }
        return try json(["appId": JSONValue.string(client.description)], trace, .created)
    }

    func removeFlowApplication(_ keys: [String], _ trace: Trace) async throws -> Response {
        let id = try flow(keys).id
        guard let client = keys.last.flatMap({ ClientID($0) }) else { throw DirectoryFailure(.notFound) }
        try await edit { (entry) throws(TenantEditFault) in try UserFlowCodec.leave(client, from: id, in: &entry) }
        return done(trace)
    }

    func listFlowProviders(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let flow = try flow(keys)
        return try await list(
            [UserFlowCodec.provider(flow.method)], Self.part(.listFlowProviders, of: flow),
            ObjectFilter(names: ["id"]), request, trace)
    }

    func listFlowAttributes(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let flow = try flow(keys)
        return try await list(
            UserFlowCodec.collectedObjects(of: flow, UserFlowCodec.attributes(of: entry)),
            Self.part(.listFlowAttributes, of: flow), Self.attributeFilter, request, trace)
    }

    /// The path of a list below a flow, for the next page.
    private static func part(_ operation: OperatorOperation, of flow: SharedUserFlow) -> String {
        operation.path.replacing("graph/v1.0/", with: "").replacing("{flow}", with: flow.id.text)
    }

    func listAttributes(_ request: Request, _ trace: Trace) async throws -> Response {
        return try await list(
            UserFlowCodec.objects(of: entry), "identity/userFlowAttributes", Self.attributeFilter, request, trace)
    }

    func readAttribute(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        return try one(try attribute(keys), "identity/userFlowAttributes", request, trace)
    }

    func deleteAttribute(_ keys: [String], _ trace: Trace) async throws -> Response {
        let name = try ownAttribute(keys)
        try await edit { (entry) throws(TenantEditFault) in
            try UserFlowCodec.remove(attribute: name, from: &entry)
        }
        return done(trace)
    }

    func listIdentityProviders(_ request: Request, _ trace: Trace) async throws -> Response {
        return try await list(
            UserFlow.Method.allCases.map(UserFlowCodec.provider), "identity/identityProviders",
            ObjectFilter(names: ["id", "displayname", "identityprovidertype"]), request, trace)
    }

    func createUserFlow(_ request: Request, _ trace: Trace) async throws -> Response {
        let change = try UserFlowCodec.change(try await OperatorCodec.object(of: request))
        guard let name = change.displayName else { throw DirectoryFailure.absent("displayName") }
        guard let method = change.method else {
            throw DirectoryFailure.absent("onAuthenticationMethodLoadStart")
        }
        let new = SharedUserFlow(id: engine.ports.randomness.uuid(), displayName: name, method: method)
        try await edit { (entry) throws(TenantEditFault) in
            entry.userFlows.append(new)
            try UserFlowCodec.apply(change, to: new.id, in: &entry)
        }
        let entry = try await engine.entry(of: tenant)
        let made = entry.userFlows.first { $0.id == new.id } ?? new
        return try created(UserFlowCodec.object(made, of: entry), Self.collection, new.id.text, trace)
    }

    func createAttribute(_ request: Request, _ trace: Trace) async throws -> Response {
        let new = try UserFlowCodec.newAttribute(try await OperatorCodec.object(of: request), in: tenant.id)
        try await edit { (entry) throws(TenantEditFault) in
            try UserFlowCodec.add(new, to: &entry)
        }
        return try created(UserFlowCodec.object(new), "identity/userFlowAttributes", new.name, trace)
    }

    func changeAttribute(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let name = try ownAttribute(keys)
        var members = BodyMembers(try await OperatorCodec.object(of: request))
        try members.refuse("id", "displayName", "dataType", "userFlowAttributeType")
        guard let description = try members.text("description") else {
            throw DirectoryFailure.absent("description")
        }
        try members.end()
        try await edit { (entry) throws(TenantEditFault) in
            guard let known = UserFlowCodec.attributes(of: entry).first(where: { $0.name == name }) else {
                throw .notFound
            }
            // One that only an application or a flow has defined becomes one of the tenant.
            if !entry.attributes.contains(where: { $0.name == name }) { entry.attributes.append(known) }
            for index in entry.attributes.indices where entry.attributes[index].name == name {
                entry.attributes[index].description = description
            }
        }
        return done(trace)
    }

    /// The flow that the path names.
    private func flow(_ keys: [String]) throws(DirectoryFailure) -> SharedUserFlow {
        guard let id = keys.first.flatMap({ UUID(uuidString: $0) }),
            let flow = entry.userFlows.first(where: { $0.id == id })
        else { throw DirectoryFailure(.notFound) }
        return flow
    }

    private func attribute(_ keys: [String]) throws(DirectoryFailure) -> [String: JSONValue] {
        let key = keys.first?.lowercased()
        guard let found = UserFlowCodec.objects(of: entry).first(where: { $0["id"]?.string?.lowercased() == key })
        else {
            throw DirectoryFailure(.notFound)
        }
        return found
    }

    /// The name of an attribute that is not built in.
    private func ownAttribute(_ keys: [String]) throws(DirectoryFailure) -> String {
        let found = try attribute(keys)
        guard found["userFlowAttributeType"]?.string == "custom", let name = found["id"]?.string else {
            throw DirectoryFailure(
                status: .forbidden, code: .denied, message: "A built-in attribute cannot be changed or deleted.")
        }
        return name
    }
}

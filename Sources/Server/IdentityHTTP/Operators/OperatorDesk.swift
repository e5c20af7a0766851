import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Does what a daemon with the right role asks about the users of its tenant.
struct OperatorDesk: Sendable {
    let engine: Engine
    let store: any DirectoryStore
    let caller: DaemonCaller
    /// All of the tenant's document, at the beginning of the request.
    let entry: TenantDirectory.Entry
    let actor: Operator
    let context: IdentityRequestContext
    let searches: SearchGate
    /// The address of the listener, for links.
    let baseURL: String
    /// Changes the tenants' document; nil where there is none, as in a test process.
    let editor: (any TenantEditor)?

    var tenant: Tenant { caller.tenant }
    /// The rules of the applications.
    private var flows: [UserFlow] { entry.operatorFlows }
    var now: Date { context.trace.at }
    var root: String { "\(baseURL)/graph/v1.0" }

    /// - Parameter keys: The ids in the path, in their order.
    func answer(
        _ operation: OperatorOperation, _ keys: [String], _ request: Request, _ trace: Trace
    ) async throws -> Response {
        switch operation {
        // A place is kept until the body is made, which can take longer than the search.
        case .listUsers:
            return try await searches(of: Data(caller.limitKey)) { try await list(request, isDeleted: false, trace) }
        case .listDeletedUsers:
            return try await searches(of: Data(caller.limitKey)) { try await list(request, isDeleted: true, trace) }
        case .countUsers: return try await searches(of: Data(caller.limitKey)) { try await count(request, trace) }
        case .createUser: return try await create(request, trace)
        case .readUser: return try json(try await user(keys, isDeleted: false), request, trace)
        case .readDeletedUser: return try json(try await user(keys, isDeleted: true), request, trace)
        case .changeUser:
            let id = try await user(keys, isDeleted: false).user.id
            let edit = try OperatorCodec.edit(
                try await OperatorCodec.object(of: request), of: tenant, roles: caller.roles,
                version: IdentityRoutes.version(of: request))
            if edit.email != nil { try admitNotice(to: id) }
            return try answer(
                try await engine.edit(id, edit, by: flows, in: tenant, as: actor, now: now), trace)
        case .deleteUser:
            let account = try await user(keys, isDeleted: false)
            let id = account.user.id
            // Another version ends here, before it counts as a notice; the transaction compares again.
            if let version = IdentityRoutes.version(of: request), version != profile(of: account).version {
                throw DirectoryFailure(.changedMeanwhile)
            }
            try admitNotice(to: id)
            try accepted(
                try await engine.deleteRestorably(
                    id, version: IdentityRoutes.version(of: request), in: tenant, as: actor, now: now))
            return done(trace)
        case .restoreUser:
            let id = try await user(keys, isDeleted: true).user.id
            let restored = try accepted(try await engine.restoreUser(id, in: tenant, as: actor, now: now))
            return try json(restored, request, trace)
        case .purgeUser:
            let id = try await user(keys, isDeleted: true).user.id
            try accepted(try await engine.purgeUser(id, in: tenant, as: actor, now: now))
            return done(trace)
        case .endUserSessions:
            let id = try await user(keys, isDeleted: false).user.id
            try accepted(try await engine.endSessions(of: id, in: tenant, as: actor, now: now))
            return try json(["value": JSONValue.boolean(true)], trace)
        case .listUserSessions:
            let id = try await user(keys, isDeleted: false).user.id
            let sessions = try await engine.sessions(of: id, in: tenant.id, current: nil, now: now)
            return try json(Directory.List(sessions.map(DirectoryCodec.session)), trace)
        case .listUserMethods: return try await methods(keys, DirectoryCodec.MethodKind.allCases, trace)
        case .listUserEmailMethods: return try await methods(keys, [.email], trace)
        case .listUserPasswordMethods: return try await methods(keys, [.password], trace)
        case .listUserApps: return try await methods(keys, [.app], trace)
        case .listUserPhones: return try await methods(keys, [.phone], trace)
        case .listUserPasskeys: return try await methods(keys, [.passkey], trace)
        case .removeUserMethod, .removeUserApp, .removeUserPhone, .removeUserPasskey:
            let id = try await user(keys, isDeleted: false).user.id
            guard let method = keys.last.flatMap({ UUID(uuidString: $0) }) else { throw DirectoryFailure(.notFound) }
            try admitNotice(to: id)
            return try answer(
                try await engine.perform(
                    .removeMethod(method), on: id, by: flows, in: tenant, as: actor, now: now), trace)
        case .listOperatorRequests:
            let all = try await engine.operatorRequests(in: tenant.id, now: now)
            return try json(["value": JSONValue.array(all.map { .object(OperatorCodec.request($0)) })], trace)
        case .withdrawOperatorRequest:
            let id = keys.last.flatMap { UUID(uuidString: $0) }
            let all = try await engine.operatorRequests(in: tenant.id, now: now)
            guard let request = all.first(where: { $0.id == id }) else { throw DirectoryFailure(.notFound) }
            try accepted(try await engine.withdraw(request, in: tenant, as: actor, now: now))
            return done(trace)
        case .exportUser:
            let account = try await user(keys, isDeleted: false)
            let id = account.user.id
            let document = DirectoryCodec.export(
                profile(of: account), methods: DirectoryCodec.methods(of: account, masked: false),
                sessions: try await engine.sessions(of: id, in: tenant.id, current: nil, now: now),
                devices: try await engine.rememberedDevices(of: account, in: tenant, now: now),
                earlier: try await engine.emailUndos(of: id, in: tenant.id, now: now),
                groups: try await engine.groups(of: id, in: tenant.id),
                consents: try await engine.consents(of: id, in: tenant.id),
                activity: try await engine.activity(of: id, in: tenant.id))
            try accepted(try await engine.recordExport(of: id, in: tenant, as: actor, now: now))
            return try json(document, trace)
        // Its parts come here one by one.
        case .batch: throw RequestFault.unknownPath
        case .listSignIns:
            return try await searches(of: Data(caller.limitKey)) { try await lines(.signIns, request, trace) }
        case .listDirectoryAudits:
            return try await searches(of: Data(caller.limitKey)) { try await lines(.directoryAudits, request, trace) }
        case .listApplications: return try await applications(request, trace)
        case .readApplication: return try application("id", keys, request, trace)
        case .readApplicationByAppID: return try application("appId", keys, request, trace)
        case .createApplication: return try await createApplication(request, trace)
        case .changeApplication: return try await changeApplication(keys, request, trace)
        case .deleteApplication: return try await deleteApplication(keys, trace)
        case .addApplicationPassword: return try await addPassword(keys, request, trace)
        case .removeApplicationPassword: return try await removePassword(keys, request, trace)
        case .listUserFlows: return try await listUserFlows(request, trace)
        case .createUserFlow: return try await createUserFlow(request, trace)
        case .readUserFlow: return try readUserFlow(keys, request, trace)
        case .changeUserFlow: return try await changeUserFlow(keys, request, trace)
        case .deleteUserFlow: return try await deleteUserFlow(keys, trace)
        case .listFlowApplications: return try await listFlowApplications(keys, request, trace)
        case .addFlowApplication: return try await addFlowApplication(keys, request, trace)
        case .removeFlowApplication: return try await removeFlowApplication(keys, trace)
        case .listFlowProviders: return try await listFlowProviders(keys, request, trace)
        case .listFlowAttributes: return try await listFlowAttributes(keys, request, trace)
        case .listAttributes: return try await listAttributes(request, trace)
        case .createAttribute: return try await createAttribute(request, trace)
        case .readAttribute: return try readAttribute(keys, request, trace)
        case .changeAttribute: return try await changeAttribute(keys, request, trace)
        case .deleteAttribute: return try await deleteAttribute(keys, trace)
        case .listIdentityProviders: return try await listIdentityProviders(request, trace)
        case .listServicePrincipals: return try await listServicePrincipals(request, trace)
        case .createServicePrincipal: return try await createServicePrincipal(request, trace)
        case .readServicePrincipal: return try readServicePrincipal(keys, request, trace)
        case .readServicePrincipalByAppID: return try readServicePrincipalByAppID(keys, request, trace)
        case .listGrants: return try await listGrants(request, trace)
        case .createGrant: return try await createGrant(request, trace)
        case .readGrant: return try readGrant(keys, request, trace)
        case .changeGrant: return try await changeGrant(keys, request, trace)
        case .deleteGrant: return try await deleteGrant(keys, trace)
        case .listRoleAssignments: return try await listRoleAssignments(keys, request, trace)
        case .listRoleAssignees: return try await listRoleAssignees(keys, request, trace)
        case .createRoleAssignment: return try await createAssignment(keys, "principalId", request, trace)
        case .createRoleAssignee: return try await createAssignment(keys, "resourceId", request, trace)
        case .deleteRoleAssignment: return try await deleteAssignment(keys, "principalId", trace)
        case .deleteRoleAssignee: return try await deleteAssignment(keys, "resourceId", trace)
        case .listExtensions: return try await listExtensions(request, trace)
        case .createExtension: return try await createExtension(request, trace)
        case .checkExtension: return try checkExtension(keys, trace)
        case .readObjects:
            return try await searches(of: Data(caller.limitKey)) { try await readObjects(request, trace) }
        case .readExtension: return try readExtension(keys, request, trace)
        case .changeExtension: return try await changeExtension(keys, request, trace)
        case .deleteExtension: return try await deleteExtension(keys, trace)
        case .listListeners: return try await listListeners(request, trace)
        case .createListener: return try await createListener(request, trace)
        case .readListener: return try readListener(keys, request, trace)
        case .changeListener: return try await changeListener(keys, request, trace)
        case .deleteListener: return try await deleteListener(keys, trace)
        case .listGroups: return try await listGroups(request, trace)
        case .createGroup: return try await createGroup(request, trace)
        case .readGroup: return try one(GroupCodec.object(try await group(keys)), "groups", request, trace)
        case .changeGroup: return try await changeGroup(keys, request, trace)
        case .deleteGroup: return try await apply(.delete(try await group(keys).id), trace)
        case .listGroupMembers: return try await listMembers(keys, request, trace)
        case .addGroupMember: return try await addMember(keys, request, trace)
        case .removeGroupMember: return try await removeMember(keys, trace)
        case .listUserGroups: return try await listUserGroups(keys, request, trace)
        case .readOrganization:
            return try json(
                Directory.List([
                    Directory.Organization(
                        id: tenant.id.description, displayName: tenant.displayName,
                        verifiedDomains: [.init(name: tenant.domain, isDefault: true, isInitial: true)])
                ]), trace)
        }
    }

    // MARK: - Users

    func profile(of account: UserAccount) -> UserProfile {
        engine.profile(of: account, by: flows, in: tenant)
    }

    /// The user with the id, or with the user principal name, that the path begins with.
    func user(_ keys: [String], isDeleted: Bool) async throws -> UserAccount {
        guard let key = keys.first, let id = OperatorCodec.userID(key, in: tenant),
            let account = try await engine.account(id, in: tenant.id), (account.deletedAt != nil) == isDeleted
        else { throw DirectoryFailure(.notFound) }
        return account
    }

    private func query(_ request: Request) throws -> UserQuery {
        var attributes: [String: AttributeDefinition.ValueType] = [:]
        for flow in flows { for definition in flow.attributes { attributes[definition.name] = definition.type } }
        return try UserQuery(request, of: UserProperties(domain: tenant.domain, attributes: attributes))
    }

    private func list(_ request: Request, isDeleted: Bool, _ trace: Trace) async throws -> Response {
        let query = try query(request)
        let fingerprint = query.fingerprint + Data([isDeleted ? 1 : 0])
        var position: ListPosition?
        if let token = query.skipToken {
            position = await engine.skipTokens.open(
                token, as: ListPosition.self, of: fingerprint, tenant: tenant.id, now: now)
            guard position != nil else { throw DirectoryFailure.expiredPageToken }
        }
        let page = try await searched {
            () throws(StoreError) in
            try await store.users(
                UserPageRequest(
                    query.condition, order: query.order, after: position?.user, limit: query.top, isDeleted: isDeleted),
                in: tenant.id)
        }
        var reply: [String: JSONValue] = [
            "@odata.context": .string("\(root)/$metadata#users"),
            "value": .array(
                try page.users.map { .object(try OperatorCodec.user(profile(of: $0), of: $0, select: query.select)) }),
        ]
        if query.counts, position == nil {
            let count = try await searched {
                () throws(StoreError) in
                try await store.countUsers(where: query.condition, isDeleted: isDeleted, in: tenant.id)
            }
            reply["@odata.count"] = .integer(count)
        }
        if let next = page.next {
            let token = try engine.skipTokens.seal(
                ListPosition(next, counts: query.counts), of: fingerprint, tenant: tenant.id)
            let path = isDeleted ? "directory/deletedItems/microsoft.graph.user" : "users"
            reply["@odata.nextLink"] = .string("\(root)/\(path)?\(query.next(token))")
        }
        return try json(reply, trace)
    }

    private func count(_ request: Request, _ trace: Trace) async throws -> Response {
        guard request.headers[IdentityHeader.consistencyLevel]?.lowercased() == "eventual" else {
            throw DirectoryFailure(
                status: .badRequest, code: .badRequest, message: "$count is not currently supported.")
        }
        let query = try query(request)
        let count = try await searched {
            () throws(StoreError) in
            try await store.countUsers(where: query.condition, isDeleted: false, in: tenant.id)
        }
        var response = DirectoryCodec.response(.ok, body: Data("\(count)".utf8), version: nil, trace: trace)
        response.headers[.contentType] = "text/plain;charset=utf-8"
        return response
    }

    private func create(_ request: Request, _ trace: Trace) async throws -> Response {
        let new = try OperatorCodec.newAccount(try await OperatorCodec.object(of: request), of: tenant)
        // A password is hashed among those of users, within the same limit of load.
        let answer = try await context.admitted(isHashing: true) {
            try await engine.createUser(new, of: caller.daemon.id, by: flows, in: tenant, as: actor, now: now)
        }
        let id = try accepted(answer)
        guard let account = try await engine.account(id, in: tenant.id) else { throw DirectoryFailure(.notFound) }
        var body = try OperatorCodec.user(profile(of: account), of: account, select: nil)
        body["identities"] = DirectoryCodec.members(of: profile(of: account))["identities"]
        body["@odata.context"] = .string("\(root)/$metadata#users/$entity")
        var response = try json(body, trace, .created)
        response.headers[.location] = "\(root)/users/\(id)"
        return response
    }

    private func methods(
        _ keys: [String], _ kinds: [DirectoryCodec.MethodKind], _ trace: Trace
    ) async throws -> Response {
        let account = try await user(keys, isDeleted: false)
        return try json(Directory.List(DirectoryCodec.methods(of: account, kinds, masked: false)), trace)
    }

    // MARK: - The audit trail

    private func lines(_ list: AuditList, _ request: Request, _ trace: Trace) async throws -> Response {
        let options = try ListOptions(request.uri.query ?? "", of: [.filter, .top, .orderby, .skiptoken])
        var query = AuditQuery(list.kinds, limit: try options.top(usually: 100, atMost: AuditList.largestPage))
        let narrowed = try options.condition(.filter, resource: list.resource) { (text) throws(ODataFault) in
            var narrowed = query
            try list.narrow(&narrowed, by: ODataFilter(text))
            return narrowed
        }
        query = narrowed ?? query
        if let order = options[.orderby], order.lowercased() != list.order.lowercased() {
            throw DirectoryFailure(
                status: .badRequest, code: .unsupportedQuery, message: "The one order is “\(list.order)”.",
                target: ListOptions.Option.orderby.name)
        }
        let fingerprint = Vault.fingerprint([list.rawValue, options[.filter] ?? ""].map { Data($0.utf8) })
        if let token = options[.skiptoken] {
            let position = await engine.skipTokens.open(
                token, as: ListOffset.self, of: fingerprint, tenant: tenant.id, now: now)
            guard let position else { throw DirectoryFailure.expiredPageToken }
            query.before = position.number
        }
        let asked = query
        let page = try await searched {
            () throws(StoreError) in try await store.auditPage(asked, in: tenant.id)
        }
        let codec = codec()
        var reply: [String: JSONValue] = [
            "@odata.context": .string("\(root)/$metadata#auditLogs/\(list.rawValue)"),
            "value": .array(page.events.map { .object(codec.object($0, in: list)) }),
        ]
        if let next = page.next {
            let token = try engine.skipTokens.seal(ListOffset(next), of: fingerprint, tenant: tenant.id)
            reply["@odata.nextLink"] = .string("\(root)/auditLogs/\(list.rawValue)?\(options.next(token))")
        }
        return try json(reply, trace)
    }

    /// Knows the applications and the daemons of the lines.
    private func codec() -> AuditCodec {
        var names: [ClientID: String] = [:]
        for client in entry.applications { names[client.id] = client.displayName }
        for daemon in entry.daemons { names[daemon.id] = daemon.displayName }
        return AuditCodec(tenant: tenant, names: names, daemons: Set(entry.daemons.map(\.id))) {
            engine.lineID(of: $0, in: tenant.id)
        }
    }

    // MARK: - Answers

    /// A page of objects that are all in memory.
    ///
    /// - Parameter collection: The path of the list below the version.
    func list(
        _ objects: [[String: JSONValue]], _ collection: String, _ filter: ObjectFilter, _ request: Request,
        _ trace: Trace
    ) async throws -> Response {
        let options = try ListOptions(request.uri.query ?? "", of: [.filter, .select, .top, .skiptoken, .expand])
        var found = objects
        let filtered = try options.condition(.filter, resource: "Resource") {
            (text) throws(ODataFault) -> [[String: JSONValue]] in
            let parsed = try ODataFilter(text)
            var met: [[String: JSONValue]] = []
            for object in objects where try filter.meets(object, parsed) { met.append(object) }
            return met
        }
        found = filtered ?? found
        let fingerprint = Vault.fingerprint([collection, options[.filter] ?? ""].map { Data($0.utf8) })
        var first = 0
        if let token = options[.skiptoken] {
            let position = await engine.skipTokens.open(
                token, as: ListOffset.self, of: fingerprint, tenant: tenant.id, now: now)
            guard let position else { throw DirectoryFailure.expiredPageToken }
            first = position.number
        }
        let page = found.dropFirst(first).prefix(try options.top(usually: 100, atMost: UserQuery.largestPage))
        let names = try options.names()
        var reply: [String: JSONValue] = [
            "@odata.context": .string("\(root)/$metadata#\(collection)"),
            "value": .array(try page.map { .object(try OperatorCodec.chosen(names, of: $0)) }),
        ]
        if first + page.count < found.count {
            let token = try engine.skipTokens.seal(
                ListOffset(first + page.count), of: fingerprint, tenant: tenant.id)
            reply["@odata.nextLink"] = .string("\(root)/\(collection)?\(options.next(token))")
        }
        return try json(reply, trace)
    }

    /// One object, with the members that `$select` names.
    func one(
        _ object: [String: JSONValue], _ collection: String, _ request: Request, _ trace: Trace
    ) throws -> Response {
        let select = IdentityRoutes.query("select", of: request).map { $0.split(separator: ",").map(String.init) }
        var body = try OperatorCodec.chosen(select, of: object)
        body["@odata.context"] = .string("\(root)/$metadata#\(collection)/$entity")
        return try json(body, trace)
    }

    /// A new object, with its address.
    func created(
        _ object: [String: JSONValue], _ collection: String, _ id: String, _ trace: Trace
    ) throws -> Response {
        var body = object
        body["@odata.context"] = .string("\(root)/$metadata#\(collection)/$entity")
        var response = try json(body, trace, .created)
        response.headers[.location] = "\(root)/\(collection)/\(id)"
        return response
    }

    /// Counts a change that mails the user, or refuses it.
    private func admitNotice(to user: UserID) throws(RequestFault) {
        try context.admit(.operatorNotice, of: Data("\(tenant.id)/\(user)".utf8))
    }

    func json(_ account: UserAccount, _ request: Request, _ trace: Trace) throws -> Response {
        let profile = profile(of: account)
        let select = IdentityRoutes.query("select", of: request).map { $0.split(separator: ",").map(String.init) }
        var body = try OperatorCodec.user(profile, of: account, select: select)
        let fields = select.map { "(\($0.joined(separator: ",")))" } ?? ""
        body["@odata.context"] = .string("\(root)/$metadata#users\(fields)/$entity")
        body["@odata.etag"] = .string("\"\(profile.version)\"")
        return DirectoryCodec.response(
            .ok, body: try WireJSON.encode(body), version: profile.version, trace: trace)
    }

    func json(
        _ body: some Encodable, _ trace: Trace, _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        DirectoryCodec.response(status, body: try WireJSON.encode(body), version: nil, trace: trace)
    }

    func done(_ trace: Trace) -> Response {
        DirectoryCodec.response(.noContent, body: nil, version: nil, trace: trace)
    }

    /// Done, or waiting for another operator.
    private func answer(_ answer: DirectoryAnswer<DeedAnswer>, _ trace: Trace) throws -> Response {
        switch try accepted(answer) {
        case .done: return done(trace)
        case .waiting(let request): return try json(OperatorCodec.request(request), trace, .accepted)
        }
    }

    @discardableResult
    private func accepted<Value>(_ answer: DirectoryAnswer<Value>) throws(DirectoryFailure) -> Value {
        switch answer {
        case .accepted(let value): return value
        case .refused(let refusal): throw DirectoryFailure(refusal)
        }
    }

    func searched<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(EngineError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}

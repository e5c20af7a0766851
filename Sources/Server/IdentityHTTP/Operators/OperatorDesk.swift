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
    /// The user flows of the tenant's applications.
    let flows: [UserFlow]
    let actor: Operator
    let context: IdentityRequestContext
    let searches: SearchGate
    /// The address of the listener, for links.
    let baseURL: String
    /// Changes the tenants' document; nil where there is none, as in a test process.
    let editor: (any TenantEditor)?

    private var tenant: Tenant { caller.tenant }
    private var now: Date { context.trace.at }
    private var root: String { "\(baseURL)/graph/v1.0" }

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
            _ = try accepted(try await engine.updateUser(id, edit, by: flows, in: tenant, as: actor, now: now))
            return done(trace)
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
        case .listUserMethods: return try await methods(keys, [.password, .email], trace)
        case .listUserEmailMethods: return try await methods(keys, [.email], trace)
        case .listUserPasswordMethods: return try await methods(keys, [.password], trace)
        case .removeUserMethod:
            let id = try await user(keys, isDeleted: false).user.id
            guard let method = keys.last.flatMap({ UUID(uuidString: $0) }) else { throw DirectoryFailure(.notFound) }
            try admitNotice(to: id)
            try accepted(try await engine.removeMethod(method, of: id, in: tenant, as: actor, now: now))
            return done(trace)
        case .exportUser:
            let account = try await user(keys, isDeleted: false)
            let id = account.user.id
            let document = DirectoryCodec.export(
                profile(of: account), methods: DirectoryCodec.methods(of: account, [.password, .email], masked: false),
                sessions: try await engine.sessions(of: id, in: tenant.id, current: nil, now: now),
                earlier: try await engine.emailUndos(of: id, in: tenant.id, now: now),
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
        case .readApplication: return try await application("id", keys, request, trace)
        case .readApplicationByAppID: return try await application("appId", keys, request, trace)
        case .createApplication:
            let body = try ApplicationCodec.change(try await OperatorCodec.object(of: request))
            guard let name = body.displayName else { throw DirectoryFailure(.invalidValue("displayName")) }
            let id = ClientID(engine.ports.randomness.uuid())
            try ApplicationCodec.check(body, forDaemon: !body.makesApplication)
            var client = Client(
                id: id, displayName: name, userFlow: UserFlow(method: .emailOneTimePasscode), isNativeAuthEnabled: false
            )
            ApplicationCodec.apply(body, to: &client)
            let (newClient, newDaemon) = (client, Daemon(id: id, displayName: name))
            try await edit { entry in
                if body.makesApplication {
                    entry.applications.append(newClient)
                } else {
                    entry.daemons.append(newDaemon)
                }
            }
            var made =
                body.makesApplication
                ? ApplicationCodec.object(newClient, in: tenant.id) : ApplicationCodec.object(newDaemon, in: tenant.id)
            let location = "\(root)/applications/\(made["id"]?.string ?? "")"
            made["@odata.context"] = .string("\(root)/$metadata#applications/$entity")
            var response = try json(made, trace, .created)
            response.headers[.location] = location
            return response
        case .changeApplication:
            let body = try ApplicationCodec.change(try await OperatorCodec.object(of: request))
            switch try await credentialed(keys) {
            case .application(let client):
                try ApplicationCodec.check(body, forDaemon: false)
                try await edit { (entry) throws(TenantEditFault) in
                    guard let index = entry.applications.firstIndex(where: { $0.id == client.id }) else {
                        throw .notFound
                    }
                    ApplicationCodec.apply(body, to: &entry.applications[index])
                }
            case .daemon(let daemon):
                try ApplicationCodec.check(body, forDaemon: true)
                try await editDaemon(daemon.id) { $0.displayName = body.displayName ?? $0.displayName }
            }
            return done(trace)
        case .deleteApplication:
            let id: ClientID
            switch try await credentialed(keys) {
            case .application(let client): id = client.id
            case .daemon(let daemon):
                try mayGive(daemon)
                id = daemon.id
            }
            try await edit { entry in
                entry.applications.removeAll { $0.id == id }
                entry.daemons.removeAll { $0.id == id }
            }
            return done(trace)
        case .addApplicationPassword:
            let daemon = try await daemon(keys)
            let body = try await OperatorCodec.object(of: request)
            let (name, end) = try ApplicationCodec.password(body, now: now)
            let (text, secret) = DaemonSecret.making(
                named: name, until: end, randomness: engine.ports.randomness, now: now)
            try await editDaemon(daemon.id) { $0.secrets.append(secret) }
            var made = ApplicationCodec.object(secret, text: text)
            made["@odata.context"] = .string("\(root)/$metadata#microsoft.graph.passwordCredential")
            return try json(made, trace)
        case .removeApplicationPassword:
            let daemon = try await daemon(keys)
            let id = try ApplicationCodec.keyID(try await OperatorCodec.object(of: request))
            guard daemon.secrets.contains(where: { $0.id == id }) else { throw DirectoryFailure(.notFound) }
            try await editDaemon(daemon.id) { daemon in daemon.secrets.removeAll { $0.id == id } }
            return done(trace)
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

    private func profile(of account: UserAccount) -> UserProfile {
        engine.profile(of: account, by: flows, in: tenant)
    }

    /// The user with the id, or with the user principal name, that the path begins with.
    private func user(_ keys: [String], isDeleted: Bool) async throws -> UserAccount {
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

    // MARK: - Applications

    /// Those of apps, then the daemons, each in the order of the tenant's document.
    private func applications() async throws(EngineError) -> [ApplicationCodec.Object] {
        try await engine.applications(of: tenant).map { ApplicationCodec.object($0, in: tenant.id) }
            + engine.daemons(of: tenant).map { ApplicationCodec.object($0, in: tenant.id) }
    }

    private func applications(_ request: Request, _ trace: Trace) async throws -> Response {
        let options = try ListOptions(request.uri.query ?? "", of: [.filter, .select, .top, .skiptoken])
        var found = try await applications()
        let filtered = try options.condition(.filter, resource: "Application") {
            (text) throws(ODataFault) -> [ApplicationCodec.Object] in
            let filter = try ODataFilter(text)
            var met: [ApplicationCodec.Object] = []
            for object in found where try ApplicationCodec.meets(object, filter) { met.append(object) }
            return met
        }
        found = filtered ?? found
        let fingerprint = Vault.fingerprint(["applications", options[.filter] ?? ""].map { Data($0.utf8) })
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
            "@odata.context": .string("\(root)/$metadata#applications"),
            "value": .array(try page.map { .object(try OperatorCodec.chosen(names, of: $0)) }),
        ]
        if first + page.count < found.count {
            let token = try engine.skipTokens.seal(
                ListOffset(first + page.count), of: fingerprint, tenant: tenant.id)
            reply["@odata.nextLink"] = .string("\(root)/applications?\(options.next(token))")
        }
        return try json(reply, trace)
    }

    private func application(
        _ member: String, _ keys: [String], _ request: Request, _ trace: Trace
    ) async throws -> Response {
        let key = keys.first?.lowercased()
        guard let found = try await applications().first(where: { $0[member]?.string == key }) else {
            throw DirectoryFailure(.notFound)
        }
        let select = IdentityRoutes.query("select", of: request).map { $0.split(separator: ",").map(String.init) }
        var body = try OperatorCodec.chosen(select, of: found)
        body["@odata.context"] = .string("\(root)/$metadata#applications/$entity")
        return try json(body, trace)
    }

    private enum Credentialed {
        case application(Client)
        case daemon(Daemon)
    }

    /// The application or the daemon that the path names.
    private func credentialed(_ keys: [String]) async throws -> Credentialed {
        let key = keys.first?.lowercased()
        let client = try await engine.applications(of: tenant).first {
            ApplicationCodec.object($0, in: tenant.id)["id"]?.string == key
        }
        if let client { return .application(client) }
        let daemon = try await engine.daemons(of: tenant).first {
            ApplicationCodec.object($0, in: tenant.id)["id"]?.string == key
        }
        guard let daemon else { throw DirectoryFailure(.notFound) }
        return .daemon(daemon)
    }

    /// The daemon of the path, if the caller may give and take its secrets.
    private func daemon(_ keys: [String]) async throws -> Daemon {
        switch try await credentialed(keys) {
        // A public application has no secret that could stay one.
        case .application: throw DirectoryFailure(.readOnlyProperty("passwordCredentials"))
        case .daemon(let daemon):
            try mayGive(daemon)
            return daemon
        }
    }

    /// A caller who could make a secret of a daemon with more roles would have them.
    private func mayGive(_ daemon: Daemon) throws(DirectoryFailure) {
        guard Set(daemon.roles).isSubset(of: caller.daemon.roles) else { throw DirectoryFailure(.insufficientScope) }
    }

    private func editDaemon(_ id: ClientID, _ change: @Sendable (inout Daemon) -> Void) async throws {
        try await edit { (entry) throws(TenantEditFault) in
            guard let index = entry.daemons.firstIndex(where: { $0.id == id }) else { throw .notFound }
            change(&entry.daemons[index])
        }
    }

    /// Makes the next version of the tenants' document. Another change at the same moment comes first, and this one is made
    /// over it.
    private func edit(
        _ change: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws {
        guard let editor else { throw DirectoryFailure.missing }
        for _ in 0..<5 {
            switch try await editor.edit(tenant.id, over: editor.version, as: actor, now: now, change) {
            case .success: return
            case .failure(.changedMeanwhile): try await editor.refresh()
            case .failure(.notFound): throw DirectoryFailure(.notFound)
            case .failure(.invalid(let problems)): throw DirectoryFailure.againstTheRules(problems)
            }
        }
        throw DirectoryFailure(.changedMeanwhile)
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
        let codec = try await codec()
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
    private func codec() async throws(EngineError) -> AuditCodec {
        let daemons = try await engine.daemons(of: tenant)
        var names: [ClientID: String] = [:]
        for client in try await engine.applications(of: tenant) { names[client.id] = client.displayName }
        for daemon in daemons { names[daemon.id] = daemon.displayName }
        return AuditCodec(tenant: tenant, names: names, daemons: Set(daemons.map(\.id))) {
            engine.lineID(of: $0, in: tenant.id)
        }
    }

    // MARK: - Answers

    /// Counts a change that mails the user, or refuses it.
    private func admitNotice(to user: UserID) throws(RequestFault) {
        try context.admit(.operatorNotice, of: Data("\(tenant.id)/\(user)".utf8))
    }

    private func json(_ account: UserAccount, _ request: Request, _ trace: Trace) throws -> Response {
        let profile = profile(of: account)
        let select = IdentityRoutes.query("select", of: request).map { $0.split(separator: ",").map(String.init) }
        var body = try OperatorCodec.user(profile, of: account, select: select)
        let fields = select.map { "(\($0.joined(separator: ",")))" } ?? ""
        body["@odata.context"] = .string("\(root)/$metadata#users\(fields)/$entity")
        body["@odata.etag"] = .string("\"\(profile.version)\"")
        return DirectoryCodec.response(
            .ok, body: try WireJSON.encode(body), version: profile.version, trace: trace)
    }

    private func json(
        _ body: some Encodable, _ trace: Trace, _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        DirectoryCodec.response(status, body: try WireJSON.encode(body), version: nil, trace: trace)
    }

    private func done(_ trace: Trace) -> Response {
        DirectoryCodec.response(.noContent, body: nil, version: nil, trace: trace)
    }

    @discardableResult
    private func accepted<Value>(_ answer: DirectoryAnswer<Value>) throws(DirectoryFailure) -> Value {
        switch answer {
        case .accepted(let value): return value
        case .refused(let refusal): throw DirectoryFailure(refusal)
        }
    }

    private func searched<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(EngineError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}

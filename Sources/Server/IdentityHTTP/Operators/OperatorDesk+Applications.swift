import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Applications and daemons: every change is a new version of the tenants' document.
extension OperatorDesk {
    /// Those of apps, then the daemons, each in the order of the tenant's document.
    func applications() -> [ApplicationCodec.Object] {
        entry.applications.map { ApplicationCodec.object($0, in: tenant.id) }
            + entry.daemons.map { ApplicationCodec.object($0, in: tenant.id) }
    }

    private static let filter = ObjectFilter(names: ["id", "appid", "displayname"])

    func applications(_ request: Request, _ trace: Trace) async throws -> Response {
        try await list(applications(), "applications", Self.filter, request, trace)
    }

    func application(
        _ member: String, _ keys: [String], _ request: Request, _ trace: Trace
    ) throws -> Response {
        let key = keys.first?.lowercased()
        guard let found = applications().first(where: { $0[member]?.string == key }) else {
            throw DirectoryFailure(.notFound)
        }
        return try one(found, "applications", request, trace)
    }

    func createApplication(_ request: Request, _ trace: Trace) async throws -> Response {
        let id = ClientID(engine.ports.randomness.uuid())
        let body = try ApplicationCodec.change(try await OperatorCodec.object(of: request), of: id)
        try mayGrant(body)
        guard let name = body.displayName else { throw DirectoryFailure.absent("displayName") }
        var client = Client(
            id: id, displayName: name, userFlow: UserFlow(method: .emailOneTimePasscode), flowSource: .none,
            isNativeAuthEnabled: false)
        if body.makesApplication {
            try ApplicationCodec.check(body, for: client)
        } else {
            try ApplicationCodec.checkForDaemon(body)
        }
        ApplicationCodec.apply(body, to: &client)
        client.roles = body.roles ?? []
        let (newClient, newDaemon) = (client, Daemon(id: id, displayName: name))
        try await edit { (entry) throws(TenantEditFault) in
            if body.makesApplication {
                try ApplicationCodec.checkWeb(of: newClient)
                entry.applications.append(newClient)
            } else {
                entry.daemons.append(newDaemon)
            }
        }
        let made =
            body.makesApplication
            ? ApplicationCodec.object(newClient, in: tenant.id) : ApplicationCodec.object(newDaemon, in: tenant.id)
        return try created(made, "applications", ObjectID.application(id, in: tenant.id), trace)
    }

    func changeApplication(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let object = try await OperatorCodec.object(of: request)
        let changed = try credentialed(keys)
        let body = try ApplicationCodec.change(object, of: changed.id)
        try mayGrant(body)
        switch changed {
        case .application(let client):
            try ApplicationCodec.check(body, for: client)
            try await edit { (entry) throws(TenantEditFault) in
                guard let index = entry.applications.firstIndex(where: { $0.id == client.id }) else {
                    throw .notFound
                }
                if body.method != nil || body.hasNoFlow, entry.applications[index].sharedFlow != nil {
                    throw .invalid(["The application has a user flow, which says how its users sign in."])
                }
                try ApplicationCodec.apply(body, toApplicationAt: index, of: &entry, mayAssign: mayAssign)
            }
        case .daemon(let daemon):
            try ApplicationCodec.checkForDaemon(body)
            try await edit { (entry) throws(TenantEditFault) in
                guard let index = entry.daemons.firstIndex(where: { $0.id == daemon.id }) else { throw .notFound }
                entry.daemons[index].displayName = body.displayName ?? entry.daemons[index].displayName
            }
        }
        return done(trace)
    }

    func deleteApplication(_ keys: [String], _ trace: Trace) async throws -> Response {
        let id: ClientID
        switch try credentialed(keys) {
        case .application(let client): id = client.id
        case .daemon(let daemon):
            try mayGive(daemon)
            id = daemon.id
        }
        try await edit { (entry) throws(TenantEditFault) in
            try ApplicationCodec.remove(id, from: &entry, mayAssign: mayAssign)
        }
        return done(trace)
    }

    func addPassword(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let holder = try holder(keys)
        let body = try await OperatorCodec.object(of: request)
        let (name, end) = try ApplicationCodec.password(body, now: now)
        let (text, secret) = DaemonSecret.making(
            named: name, until: end, randomness: engine.ports.randomness, now: now)
        try await edit { (entry) throws(TenantEditFault) in
            try entry.changeSecrets(of: holder.id) { $0.append(secret) }
        }
        var made = ApplicationCodec.object(secret, text: text)
        made["@odata.context"] = .string("\(root)/$metadata#microsoft.graph.passwordCredential")
        return try json(made, trace)
    }

    func removePassword(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let holder = try holder(keys)
        let id = try ApplicationCodec.keyID(try await OperatorCodec.object(of: request))
        guard holder.secrets.contains(where: { $0.id == id }) else { throw DirectoryFailure(.notFound) }
        try await edit { (entry) throws(TenantEditFault) in
            try entry.changeSecrets(of: holder.id) { secrets in secrets.removeAll { $0.id == id } }
        }
        return done(trace)
    }

    private enum Credentialed {
        case application(Client)
        case daemon(Daemon)

        var id: ClientID {
            switch self {
            case .application(let client): client.id
            case .daemon(let daemon): daemon.id
            }
        }

        var secrets: [DaemonSecret] {
            switch self {
            case .application(let client): client.web.secrets
            case .daemon(let daemon): daemon.secrets
            }
        }
    }

    /// The application or the daemon that the path names.
    private func credentialed(_ keys: [String]) throws(DirectoryFailure) -> Credentialed {
        let key = keys.first?.lowercased()
        let client = entry.applications.first {
            ApplicationCodec.object($0, in: tenant.id)["id"]?.string == key
        }
        if let client { return .application(client) }
        let daemon = entry.daemons.first {
            ApplicationCodec.object($0, in: tenant.id)["id"]?.string == key
        }
        guard let daemon else { throw DirectoryFailure(.notFound) }
        return .daemon(daemon)
    }

    /// The application or the daemon of the path, if the caller may give and take its secrets.
    private func holder(_ keys: [String]) throws(DirectoryFailure) -> Credentialed {
        let holder = try credentialed(keys)
        switch holder {
        case .application(let client):
            guard client.canKeepSecrets else { throw DirectoryFailure(.readOnlyProperty("passwordCredentials")) }
        case .daemon(let daemon): try mayGive(daemon)
        }
        return holder
    }

    /// A caller who could make a secret of a daemon with more roles would have them.
    private func mayGive(_ daemon: Daemon) throws(DirectoryFailure) {
        guard Set(daemon.roles).isSubset(of: caller.daemon.roles) else { throw DirectoryFailure(.insufficientScope) }
    }

    /// Who has a role of an application is said by those who may assign it: a caller who only changes applications could
    /// otherwise give its own role the word of another one.
    private var mayAssign: Bool { caller.roles.contains("AppRoleAssignment.ReadWrite.All") }

    /// The scopes of an application are its grants.
    private func mayGrant(_ body: ApplicationCodec.Change) throws(DirectoryFailure) {
        guard let scopes = body.scopes, !scopes.isEmpty else { return }
        guard caller.roles.contains("DelegatedPermissionGrant.ReadWrite.All") else {
            throw DirectoryFailure(.insufficientScope)
        }
    }

    /// Makes the next version of the tenants' document. Another change at the same moment comes first, and this one is made
    /// over it.
    func edit(
        _ change: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws {
        guard let editor else { throw DirectoryFailure.missing }
        for _ in 0..<5 {
            switch try await editor.edit(tenant.id, over: editor.version, as: actor, now: now, change) {
            case .success: return
            case .failure(.changedMeanwhile):
                // Several nodes write: a pause of 1 to 64 ms, so that they do not meet again.
                let pause = engine.ports.randomness.bytes(1).reduce(0) { Int($1) % 64 + $0 }
                try await Task.sleep(for: .milliseconds(1 + pause))
                try await editor.refresh()
            case .failure(.notFound): throw DirectoryFailure(.notFound)
            case .failure(.notAllowed): throw DirectoryFailure(.insufficientScope)
            case .failure(.invalid(let problems)): throw DirectoryFailure.againstTheRules(problems)
            }
        }
        throw DirectoryFailure(.changedMeanwhile)
    }
}

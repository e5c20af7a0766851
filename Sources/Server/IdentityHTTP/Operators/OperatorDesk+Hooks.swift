import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Extensions and listeners: every change is a new version of the tenants' document.
extension OperatorDesk {
    private static let extensions = "identity/customAuthenticationExtensions"
    private static let listeners = "identity/authenticationEventListeners"

    private func hook(_ keys: [String]) throws(DirectoryFailure) -> Hook {
        guard let id = keys.first.flatMap({ UUID(uuidString: $0) }),
            let hook = entry.tenant.hooks.first(where: { $0.id == id })
        else { throw DirectoryFailure(.notFound) }
        return hook
    }

    private func listeningHook(_ keys: [String]) throws(DirectoryFailure) -> Hook {
        let id = keys.first?.lowercased()
        let found = entry.tenant.hooks.first { $0.isEnabled && HookCodec.listenerID($0, in: tenant.id) == id }
        guard let found else { throw DirectoryFailure(.notFound) }
        return found
    }

    private func editHook(
        _ id: UUID, _ change: @Sendable (inout Hook) throws(TenantEditFault) -> Void
    ) async throws {
        try await edit { (entry) throws(TenantEditFault) in
            guard let index = entry.tenant.hooks.firstIndex(where: { $0.id == id }) else { throw .notFound }
            try change(&entry.tenant.hooks[index])
        }
    }

    func listExtensions(_ request: Request, _ trace: Trace) async throws -> Response {
        try await list(
            entry.tenant.hooks.map(HookCodec.extensionObject), Self.extensions,
            ObjectFilter(names: ["id", "displayname"]), request, trace)
    }

    func createExtension(_ request: Request, _ trace: Trace) async throws -> Response {
        let change = try HookCodec.change(try await OperatorCodec.object(of: request))
        guard let name = change.displayName else { throw DirectoryFailure.absent("displayName") }
        guard let url = change.url else { throw DirectoryFailure.absent("targetUrl") }
        guard let audience = change.audience else { throw DirectoryFailure.absent("resourceId") }
        // The vendor reads the key from the application that resourceId names; here no application has keys to encrypt with.
        if change.event == .passwordSubmit, change.encryptionKey == nil {
            throw DirectoryFailure.absent("nativeAuthEncryptionKey")
        }
        var hook = Hook(
            id: engine.ports.randomness.uuid(), displayName: name, event: change.event, url: url, audience: audience,
            isEnabled: false)
        do throws(TenantEditFault) {
            try HookCodec.apply(change, to: &hook)
        } catch {
            throw DirectoryFailure(.invalidValue("@odata.type"))
        }
        let new = hook
        try await edit { $0.tenant.hooks.append(new) }
        return try created(HookCodec.extensionObject(new), Self.extensions, new.id.text, trace)
    }

    func readExtension(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        try one(HookCodec.extensionObject(try hook(keys)), Self.extensions, request, trace)
    }

    func checkExtension(_ keys: [String], _ trace: Trace) throws -> Response {
        try json(HookCodec.check(of: try hook(keys)), trace)
    }

    func changeExtension(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let change = try HookCodec.change(try await OperatorCodec.object(of: request))
        try await editHook(try hook(keys).id) { (hook) throws(TenantEditFault) in
            try HookCodec.apply(change, to: &hook)
        }
        return done(trace)
    }

    func deleteExtension(_ keys: [String], _ trace: Trace) async throws -> Response {
        let id = try hook(keys).id
        try await edit { (entry) throws(TenantEditFault) in
            guard entry.tenant.hooks.contains(where: { $0.id == id }) else { throw .notFound }
            entry.tenant.hooks.removeAll { $0.id == id }
        }
        return done(trace)
    }

    func listListeners(_ request: Request, _ trace: Trace) async throws -> Response {
        try await list(
            entry.tenant.hooks.filter(\.isEnabled).map { HookCodec.listenerObject($0, in: tenant.id) },
            Self.listeners, ObjectFilter(names: ["id", "displayname", "includeapplications"]), request, trace)
    }

    func createListener(_ request: Request, _ trace: Trace) async throws -> Response {
        let listening = try HookCodec.listening(try await OperatorCodec.object(of: request))
        guard let id = listening.hook else { throw DirectoryFailure.absent("handler") }
        guard listening.scope != nil else {
            throw DirectoryFailure.wrong(
                "conditions",
                "includeAllApplications true, or includeApplications, unless there is an authenticationEventsFlowId")
        }
        try await edit { (entry) throws(TenantEditFault) in
            try HookCodec.apply(listening, to: id, isNew: true, in: &entry)
        }
        let entry = try await engine.entry(of: tenant)
        guard let hook = entry.tenant.hooks.first(where: { $0.id == id }) else { throw DirectoryFailure(.notFound) }
        return try created(
            HookCodec.listenerObject(hook, in: tenant.id), Self.listeners, HookCodec.listenerID(hook, in: tenant.id),
            trace)
    }

    func readListener(_ keys: [String], _ request: Request, _ trace: Trace) throws -> Response {
        try one(HookCodec.listenerObject(try listeningHook(keys), in: tenant.id), Self.listeners, request, trace)
    }

    func changeListener(_ keys: [String], _ request: Request, _ trace: Trace) async throws -> Response {
        let listening = try HookCodec.listening(try await OperatorCodec.object(of: request))
        let id = try listeningHook(keys).id
        guard listening.hook ?? id == id else { throw DirectoryFailure(.readOnlyProperty("customExtension")) }
        try await edit { (entry) throws(TenantEditFault) in
            try HookCodec.apply(listening, to: id, isNew: false, in: &entry)
        }
        return done(trace)
    }

    func deleteListener(_ keys: [String], _ trace: Trace) async throws -> Response {
        try await editHook(try listeningHook(keys).id) { $0.isEnabled = false }
        return done(trace)
    }
}

import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Reads and writes hooks as the vendor's directory has them (docs/protocol.md §18.9): the extension says which address to call and how,
/// its listener for which applications. The tenants' document keeps both as one hook, which is `enabled: false` without a
/// listener.
enum HookCodec {
    typealias Object = [String: JSONValue]

    private static func extensionType(_ event: Hook.Event) -> String {
        switch event {
        case .tokenIssuanceStart: "onTokenIssuanceStartCustomExtension"
        case .attributeCollectionStart: "onAttributeCollectionStartCustomExtension"
        case .attributeCollectionSubmit: "onAttributeCollectionSubmitCustomExtension"
        case .otpSend: "onOtpSendCustomExtension"
        case .passwordSubmit: "onPasswordSubmitCustomExtension"
        }
    }

    private static func listenerType(_ event: Hook.Event) -> String {
        switch event {
        case .tokenIssuanceStart: "onTokenIssuanceStartListener"
        case .attributeCollectionStart: "onAttributeCollectionStartListener"
        case .attributeCollectionSubmit: "onAttributeCollectionSubmitListener"
        case .otpSend: "onEmailOtpSendListener"
        case .passwordSubmit: "onPasswordSubmitListener"
        }
    }

    /// The handler of a listener; the vendor names two otherwise than the extension.
    private static func handlerType(_ event: Hook.Event) -> String {
        switch event {
        case .tokenIssuanceStart, .attributeCollectionStart, .attributeCollectionSubmit, .otpSend:
            "\(extensionType(event))Handler"
        case .passwordSubmit: "onPasswordMigrationCustomExtensionHandler"
        }
    }

    /// The event of a type such as `#microsoft.graph.onOtpSendCustomExtension`, in any letter case.
    private static func event(
        _ members: inout BodyMembers, _ name: (Hook.Event) -> String
    ) throws(DirectoryFailure) -> Hook.Event {
        let word = try members.text("@odata.type")?.lowercased().split(separator: ".").last ?? ""
        guard let event = Hook.Event.allCases.first(where: { name($0).lowercased() == word }) else {
            throw .wrong("@odata.type", "one of: \(Hook.Event.allCases.map(name).joined(separator: ", "))")
        }
        return event
    }

    private static func typed(_ name: String) -> JSONValue { .string("#microsoft.graph.\(name)") }

    private static func behaviour(_ hook: Hook) -> JSONValue {
        switch hook.onFailure {
        case .block: .null
        case .proceed: .object(["@odata.type": typed("fallbackToMicrosoftProviderOnError")])
        }
    }

    private static func configuration(_ hook: Hook) -> JSONValue {
        .object(["timeoutInMilliseconds": .integer(hook.timeout), "maximumRetries": .integer(hook.retries)])
    }

    // MARK: - Extensions

    static func extensionObject(_ hook: Hook) -> Object {
        [
            "@odata.type": typed(extensionType(hook.event)), "id": .string(hook.id.text),
            "displayName": .string(hook.displayName), "description": .null,
            "endpointConfiguration": .object([
                "@odata.type": typed("httpRequestEndpoint"), "targetUrl": .string(hook.url),
            ]),
            "authenticationConfiguration": .object([
                "@odata.type": typed("azureAdTokenAuthentication"),
                "resourceId": .string("api://\(URLComponents(string: hook.url)?.host ?? "")/\(hook.audience.text)"),
            ]),
            "clientConfiguration": configuration(hook), "behaviorOnError": behaviour(hook),
            // Null where there can be none, so that $select works on a list.
            "claimsForTokenConfiguration": hook.event == .tokenIssuanceStart
                ? .array(hook.claims.map { .object(["claimIdInApiResponse": .string($0.member)]) }) : .null,
            "nativeAuthEncryptionKey": hook.migration.map { .string($0.encryptionKey) } ?? .null,
        ]
    }

    /// What keeps the hook from being called, or its answers from having an effect. The document has no hook with errors.
    static func check(of hook: Hook) -> Object {
        let warnings: [(isThere: Bool, code: String, message: String)] = [
            (!hook.isEnabled, "noListener", "No listener names the extension, so that it is not called."),
            (
                hook.url.hasPrefix("http:"), "endpointWithoutTLS",
                "The targetUrl is http; a production server calls https only."
            ),
            (
                hook.event == .tokenIssuanceStart && hook.claims.isEmpty, "noClaims",
                "claimsForTokenConfiguration is empty, so that the answers change no token."
            ),
        ]
        return [
            "errors": .array([]),
            "warnings": .array(
                warnings.filter(\.isThere).map {
                    .object(["code": .string($0.code), "message": .string($0.message)])
                }),
        ]
    }

    /// What a body says of an extension; nil is what it does not say.
    struct Change {
        var event: Hook.Event
        var displayName: String?
        var url: String?
        var audience: UUID?
        var timeout: Int?
        var retries: Int?
        var onFailure: Hook.FailureRule?
        var claims: [String]?
        /// PEM; the tenants' document judges it.
        var encryptionKey: String?
    }

    static func change(_ body: Object) throws(DirectoryFailure) -> Change {
        var members = BodyMembers(body)
        var change = Change(event: try event(&members, extensionType))
        try members.refuse("id", "createdDateTime")
        change.displayName = try members.text("displayName", 1...256)
        // The document has no place for one.
        let description = try members.text("description")
        try members.accept("description", only: "", description)
        if var endpoint = try members.members("endpointConfiguration") {
            change.url = try endpoint.text("targetUrl", 1...2_048)
            try endpoint.end()
        }
        if var proof = try members.members("authenticationConfiguration") {
            guard let last = try proof.text("resourceId", 1...512)?.split(separator: "/").last,
                let audience = UUID(uuidString: String(last))
            else { throw .wrong("resourceId", "api://HOST/ID, with a UUID for ID") }
            change.audience = audience
            try proof.end()
        }
        try timing(of: &members, &change.timeout, &change.retries)
        change.onFailure = try failureRule(of: &members)
        if let claims = try members.list("claimsForTokenConfiguration") {
            guard change.event == .tokenIssuanceStart else {
                throw .unsupportedValue(of: "claimsForTokenConfiguration")
            }
            var names: [String] = []
            for claim in claims {
                var claim = try BodyMembers(claim, "claimsForTokenConfiguration")
                guard let name = try claim.text("claimIdInApiResponse", 1...128) else {
                    throw DirectoryFailure(.invalidValue("claimIdInApiResponse"))
                }
                names.append(name)
                try claim.end()
            }
            change.claims = names
        }
        if let key = try members.text("nativeAuthEncryptionKey", 1...16_384) {
            guard change.event == .passwordSubmit else { throw .unsupportedValue(of: "nativeAuthEncryptionKey") }
            change.encryptionKey = key
        }
        if change.event == .passwordSubmit, change.onFailure == .proceed {
            throw .unsupportedValue(of: "behaviorOnError")
        }
        try members.end()
        return change
    }

    private static func timing(
        of members: inout BodyMembers, _ timeout: inout Int?, _ retries: inout Int?
    ) throws(DirectoryFailure) {
        guard var client = try members.members("clientConfiguration") else { return }
        timeout = try client.number("timeoutInMilliseconds")
        retries = try client.number("maximumRetries")
        try client.end()
        guard (200...2_000).contains(timeout ?? 200) else {
            throw .wrong("timeoutInMilliseconds", "200 to 2,000")
        }
        guard (0...1).contains(retries ?? 0) else { throw .wrong("maximumRetries", "0 or 1") }
    }

    private static func failureRule(of members: inout BodyMembers) throws(DirectoryFailure) -> Hook.FailureRule? {
        if members.isNull("behaviorOnError") { return .block }
        guard var behaviour = try members.members("behaviorOnError") else { return nil }
        let type = try behaviour.text("@odata.type")?.lowercased() ?? ""
        try behaviour.end()
        guard type.hasSuffix("fallbacktomicrosoftprovideronerror") else {
            throw .unsupportedValue(of: "behaviorOnError")
        }
        return .proceed
    }

    static func apply(_ change: Change, to hook: inout Hook) throws(TenantEditFault) {
        guard change.event == hook.event else {
            throw .invalid(["The extension is for another event; its type does not change."])
        }
        hook.displayName = change.displayName ?? hook.displayName
        hook.url = change.url ?? hook.url
        hook.audience = change.audience ?? hook.audience
        hook.timeout = change.timeout ?? hook.timeout
        hook.retries = change.retries ?? hook.retries
        hook.onFailure = change.onFailure ?? hook.onFailure
        if let names = change.claims {
            // One that the document gives another name or place keeps it.
            let before = hook.claims
            hook.claims = names.map { name in before.first { $0.member == name } ?? HookClaim(name: name) }
        }
        if let key = change.encryptionKey {
            hook.migration = PasswordMigration(attribute: hook.migration?.attribute, encryptionKey: key)
        }
    }

    // MARK: - Listeners

    static func listenerID(_ hook: Hook, in tenant: TenantID) -> String {
        ObjectID.of("listener", hook.id.text, in: tenant)
    }

    static func listenerObject(_ hook: Hook, in tenant: TenantID) -> Object {
        let applications = hook.applications.map { $0.map(\.description).sorted() } ?? []
        return [
            "@odata.type": typed(listenerType(hook.event)), "id": .string(listenerID(hook, in: tenant)),
            "displayName": .string(hook.displayName), "priority": .integer(SharedUserFlow.usualPriority),
            // The vendor's listener has one; those of a document with more are seen in the document.
            "authenticationEventsFlowId": hook.userFlows.map(\.text).min().map { .string($0) } ?? .null,
            "conditions": .object([
                "applications": .object([
                    "includeAllApplications": .boolean(hook.applications == nil && hook.userFlows.isEmpty),
                    "includeApplications": .array(applications.map { .object(["appId": .string($0)]) }),
                ])
            ]),
            "handler": .object(handler(hook)),
        ]
    }

    private static func handler(_ hook: Hook) -> Object {
        var handler: Object = [
            "@odata.type": typed(handlerType(hook.event)), "customExtension": .object(["id": .string(hook.id.text)]),
            "configuration": .object([
                "behaviorOnError": behaviour(hook), "clientConfiguration": configuration(hook),
            ]),
        ]
        if let migration = hook.migration {
            handler["migrationPropertyId"] = migration.attribute.map { .string($0) } ?? .null
        }
        return handler
    }

    /// What a body says of a listener; nil is what it does not say.
    struct Listening {
        var event: Hook.Event
        var hook: UUID?
        var scope: Scope?
        var timeout: Int?
        var retries: Int?
        var onFailure: Hook.FailureRule?
        /// The attribute that says whose password is still to be moved, as the tenant or the vendor names it.
        var migrationAttribute: String?
    }

    /// The tenant's name of an attribute: `extension_{32 hexadecimal digits}_{name}` also means `extension_{name}` or
    /// `{name}`. A name that the tenant does not have stays, and the document refuses it.
    private static func attribute(named name: String, in entry: TenantDirectory.Entry) -> String {
        let parts = name.split(separator: "_", maxSplits: 2)
        let isLong = parts.count == 3 && parts[0] == "extension" && parts[1].utf8.count == 32
        let names = [name] + (isLong ? ["extension_\(parts[2])", String(parts[2])] : [])
        return names.first { name in entry.attributes.contains { $0.name == name } } ?? name
    }

    enum Scope: Equatable, Sendable {
        case all
        case some(Set<ClientID>)
        case flow(UUID)
    }

    static func listening(_ body: Object) throws(DirectoryFailure) -> Listening {
        var members = BodyMembers(body)
        var listening = Listening(event: try event(&members, listenerType))
        try members.refuse("id", "createdDateTime")
        // A listener has no name of its own.
        _ = try members.text("displayName", 0...256)
        let priority = try members.number("priority")
        try members.accept("priority", only: SharedUserFlow.usualPriority, priority)
        if let text = try members.text("authenticationEventsFlowId", 1...64) {
            guard let flow = UUID(uuidString: text) else {
                throw DirectoryFailure(.invalidValue("authenticationEventsFlowId"))
            }
            listening.scope = .flow(flow)
        }
        if var conditions = try members.members("conditions") {
            if var applications = try conditions.members("applications") {
                let all = try applications.flag("includeAllApplications") ?? false
                let some = try applications.list("includeApplications").map(UserFlowCodec.clientIDs) ?? []
                try applications.end()
                switch (all, some.isEmpty, listening.scope) {
                case (true, true, nil): listening.scope = .all
                case (false, false, nil): listening.scope = .some(Set(some))
                case (false, true, _): break
                case _: throw DirectoryFailure(.invalidValue("conditions"))
                }
            }
            try conditions.end()
        }
        if var handler = try members.members("handler") {
            if var named = try handler.members("customExtension") {
                guard let id = try named.text("id", 1...64).flatMap({ UUID(uuidString: $0) }) else {
                    throw DirectoryFailure(.invalidValue("customExtension"))
                }
                listening.hook = id
                try named.end()
            }
            if var configuration = try handler.members("configuration") {
                listening.onFailure = try failureRule(of: &configuration)
                try timing(of: &configuration, &listening.timeout, &listening.retries)
                try configuration.end()
            }
            if let name = try handler.text("migrationPropertyId", 1...256) {
                guard listening.event == .passwordSubmit else {
                    throw .unsupportedValue(of: "migrationPropertyId")
                }
                listening.migrationAttribute = name
            }
            if listening.event == .passwordSubmit, listening.onFailure == .proceed {
                throw .unsupportedValue(of: "behaviorOnError")
            }
            try handler.end()
        }
        try members.end()
        return listening
    }

    static func apply(
        _ listening: Listening, to id: UUID, isNew: Bool, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        guard let index = entry.tenant.hooks.firstIndex(where: { $0.id == id }) else {
            throw .invalid(["The tenant has no extension with the id \(id.text)."])
        }
        var hook = entry.tenant.hooks[index]
        guard
            listening.scope == nil
                || hook.userFlows.count + (hook.userFlows.isEmpty || hook.applications == nil ? 0 : 1) <= 1
        else {
            throw .invalid([
                "The document gives the hook several user flows, or flows and applications; change it there."
            ])
        }
        guard listening.event == hook.event else { throw .invalid(["The extension is for another event."]) }
        guard !isNew || !hook.isEnabled else { throw .invalid(["The extension has a listener already."]) }
        switch listening.scope {
        case .all?: (hook.applications, hook.userFlows) = (nil, [])
        case .some(let clients)?: (hook.applications, hook.userFlows) = (clients, [])
        case .flow(let flow)?: (hook.applications, hook.userFlows) = (nil, [flow])
        case nil: break
        }
        hook.timeout = listening.timeout ?? hook.timeout
        hook.retries = listening.retries ?? hook.retries
        hook.onFailure = listening.onFailure ?? hook.onFailure
        if let name = listening.migrationAttribute {
            hook.migration?.attribute = attribute(named: name, in: entry)
        }
        guard hook.event != .passwordSubmit || hook.migration?.attribute != nil else {
            throw .invalid(["The listener of a password needs the migrationPropertyId of its handler."])
        }
        hook.isEnabled = true
        entry.tenant.hooks[index] = hook
    }
}

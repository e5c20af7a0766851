import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Reads and writes user flows and their attributes as the vendor's directory has them, and edits those of a tenant
/// (docs/protocol.md §18.7).
enum UserFlowCodec {
    typealias Object = [String: JSONValue]

    private static let type = "externalUsersSelfServiceSignUpEventsFlow"
    private static let ending = "ExternalUsersSelfServiceSignUp"

    // MARK: - Identity providers

    static func provider(_ method: UserFlow.Method) -> Object {
        let (id, name, kind) =
            switch method {
            case .emailPassword: ("EmailPassword-OAUTH", "Email with password", "EmailPassword")
            case .emailOneTimePasscode: ("EmailOtpSignup-OAUTH", "Email One Time Passcode", "EmailOTP")
            }
        return [
            "@odata.type": .string("#microsoft.graph.builtInIdentityProvider"), "id": .string(id),
            "displayName": .string(name),
            "identityProviderType": .string(kind),
        ]
    }

    private static func method(_ id: String) -> UserFlow.Method? {
        UserFlow.Method.allCases.first { provider($0)["id"]?.string?.lowercased() == id.lowercased() }
    }

    // MARK: - Attributes

    /// The identity of every user, which each flow has and no change touches.
    private static let email: Object = [
        "id": .string("email"), "displayName": .string("Email Address"),
        "description": .string("Email address of the user"),
        "userFlowAttributeType": .string("builtIn"), "dataType": .string("string"),
    ]

    /// All attributes that flows of the tenant can collect: the built-in ones, those of the tenant, and those that an
    /// application or a flow of the document defines itself.
    static func attributes(of entry: TenantDirectory.Entry) -> [TenantAttribute] {
        var names: Set<String> = []
        let inner = entry.userFlows.flatMap(\.attributes) + entry.applications.flatMap(\.userFlow.attributes)
        let all =
            AttributeDefinition.builtIn.map { TenantAttribute(name: $0.name, displayName: AttributeTitle.of($0.name)) }
            + entry.attributes + inner.map { TenantAttribute(name: $0.name, displayName: $0.name, type: $0.type) }
        return all.filter { names.insert($0.name).inserted }
    }

    static func objects(of entry: TenantDirectory.Entry) -> [Object] {
        [email] + attributes(of: entry).map(object)
    }

    static func object(_ attribute: TenantAttribute) -> Object {
        let isBuiltIn = AttributeDefinition.builtIn.contains { $0.name == attribute.name }
        let dataType =
            switch attribute.type {
            case .string: "string"
            case .boolean: "boolean"
            case .integer: "int64"
            }
        return [
            "id": .string(attribute.name), "displayName": .string(attribute.displayName),
            "description": attribute.description.isEmpty ? .null : .string(attribute.description),
            "userFlowAttributeType": .string(isBuiltIn ? "builtIn" : "custom"), "dataType": .string(dataType),
        ]
    }

    /// A new attribute. Its name ends with the letters and digits of the display name.
    static func newAttribute(_ body: Object, in tenant: TenantID) throws(DirectoryFailure) -> TenantAttribute {
        var members = BodyMembers(body)
        guard let name = try members.text("displayName", 1...100) else { throw .absent("displayName") }
        let description = try members.text("description") ?? ""
        let kind = try members.text("userFlowAttributeType") ?? "custom"
        try members.accept("userFlowAttributeType", only: "custom", kind)
        let dataType = try members.text("dataType") ?? ""
        try members.refuse("id")
        try members.end()
        let type: AttributeDefinition.ValueType
        switch dataType.lowercased() {
        case "string": type = .string
        case "boolean": type = .boolean
        case "int64": type = .integer
        case "stringcollection", "datetime": throw .unsupportedValue(of: "dataType")
        case _: throw .wrong("dataType", "string, boolean or int64")
        }
        guard let new = newAttribute(named: name, description: description, type: type, in: tenant) else {
            throw DirectoryFailure(.invalidValue("displayName"))
        }
        return new
    }

    /// - Returns: Nil for a name without a letter from A to Z or a digit, or of more than 100 bytes.
    static func newAttribute(
        named name: String, description: String, type: AttributeDefinition.ValueType, in tenant: TenantID
    ) -> TenantAttribute? {
        let word = name.utf8.filter { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        guard !word.isEmpty, name.utf8.count <= 100 else { return nil }
        let prefix = "extension_\(tenant.description.replacing("-", with: ""))_"
        return TenantAttribute(
            name: prefix + String(decoding: word, as: UTF8.self), displayName: name, description: description,
            type: type)
    }

    static func add(_ new: TenantAttribute, to entry: inout TenantDirectory.Entry) throws(TenantEditFault) {
        guard !attributes(of: entry).contains(where: { $0.name.lowercased() == new.name.lowercased() }) else {
            throw .invalid(["The tenant has an attribute with the id \(new.name) already."])
        }
        entry.attributes.append(new)
    }

    /// The names of the user flows, and of the applications with their own rules, that use the attribute.
    static func places(using name: String, in entry: TenantDirectory.Entry) -> [String] {
        let applications = entry.applications.filter { client in
            client.flowSource == .own && client.userFlow.attributes.contains { $0.name == name }
        }
        return entry.userFlows.filter { $0.attributes.contains { $0.name == name } }.map(\.displayName)
            + applications.map(\.displayName)
    }

    // MARK: - Flows

    static func object(_ flow: SharedUserFlow, of entry: TenantDirectory.Entry) -> Object {
        let known = attributes(of: entry)
        let collected = flow.attributes.filter(isCollected)
        return [
            "@odata.type": .string("#microsoft.graph.\(type)"), "id": .string(flow.id.text),
            "displayName": .string(flow.displayName),
            "description": flow.description.isEmpty ? .null : .string(flow.description),
            "priority": .integer(flow.priority),
            "conditions": .object([
                "applications": .object([
                    "includeAllApplications": .boolean(false),
                    "includeApplications": .array(applications(of: flow, in: entry).map { .object($0) }),
                ])
            ]),
            "onInteractiveAuthFlowStart": part(
                "onInteractiveAuthFlowStart", ["isSignUpAllowed": .boolean(flow.allowsSignUp)]),
            "onAuthenticationMethodLoadStart": part(
                "onAuthenticationMethodLoadStart",
                ["identityProviders": .array([.object(provider(flow.method))])]),
            "onAttributeCollection": part(
                "onAttributeCollection",
                [
                    "attributes": .array(collectedObjects(of: flow, known).map { .object($0) }),
                    "attributeCollectionPage": .object([
                        "customStringsFileId": .null,
                        "views": .array([
                            .object([
                                "title": .null, "description": .null,
                                "inputs": .array(
                                    [emailInput]
                                        + collected.map { definition in
                                            input(
                                                definition, known.first { $0.name == definition.name }?.displayName)
                                        }),
                            ])
                        ]),
                    ]),
                ]),
            "onUserCreateStart": part("onUserCreateStart", ["userTypeToCreate": .string("member")]),
            "onAttributeCollectionStart": .null, "onAttributeCollectionSubmit": .null,
        ]
    }

    /// The attributes that the flow asks for, the address first.
    static func collectedObjects(of flow: SharedUserFlow, _ known: [TenantAttribute]) -> [Object] {
        [email]
            + flow.attributes.filter(isCollected).map { definition in
                object(
                    known.first { $0.name == definition.name }
                        ?? TenantAttribute(name: definition.name, displayName: definition.name, type: definition.type))
            }
    }

    /// A flow accepts all built-in attributes, and asks for those that have a label, or are required or not built in.
    static func isCollected(_ definition: AttributeDefinition) -> Bool {
        definition.label != nil || definition.isRequired
            || !AttributeDefinition.builtIn.contains { $0.name == definition.name }
    }

    static func applications(of flow: SharedUserFlow, in entry: TenantDirectory.Entry) -> [Object] {
        entry.applications.filter { $0.flowSource == .shared(flow.id) }.map {
            [
                "@odata.type": .string("#microsoft.graph.authenticationConditionApplication"),
                "appId": .string($0.id.description),
            ]
        }
    }

    private static func part(_ name: String, _ members: Object) -> JSONValue {
        .object(members.merging(["@odata.type": .string("#microsoft.graph.\(name)\(ending)")]) { $1 })
    }

    private static let emailInput = JSONValue.object([
        "attribute": .string("email"), "label": .string("Email Address"), "inputType": .string("text"),
        "defaultValue": .null,
        "hidden": .boolean(true), "editable": .boolean(false), "writeToDirectory": .boolean(true),
        "required": .boolean(true), "validationRegEx": .null, "options": .array([]),
    ])

    private static func input(_ definition: AttributeDefinition, _ displayName: String?) -> JSONValue {
        .object([
            "attribute": .string(definition.name),
            "label": .string(definition.label ?? displayName ?? definition.name),
            "inputType": .string(definition.type == .boolean ? "boolean" : "text"), "defaultValue": .null,
            "hidden": .boolean(false), "editable": .boolean(true), "writeToDirectory": .boolean(true),
            "required": .boolean(definition.isRequired),
            "validationRegEx": definition.pattern.map { .string($0.source) } ?? .null, "options": .array([]),
        ])
    }

    /// What a body says of a flow; nil is what it does not say.
    struct Change {
        var displayName: String?
        var description: String?
        var priority: Int?
        var allowsSignUp: Bool?
        var method: UserFlow.Method?
        var inputs: [Input]?
        var applications: [ClientID]?
    }

    /// An attribute that a flow is to collect.
    struct Input {
        var name: String
        var label: String?
        var isBoolean: Bool?
        /// What an input says; nil for an attribute that is only named, which stays as it is.
        var rules: Rules?

        struct Rules {
            var isRequired: Bool
            var pattern: AttributePattern?
        }
    }

    /// - Throws: ``DirectoryFailure`` for a member that is unknown, read-only or has a value that cannot be here.
    static func change(_ body: Object) throws(DirectoryFailure) -> Change {
        var members = BodyMembers(body)
        guard try members.text("@odata.type")?.lowercased().hasSuffix(type.lowercased()) == true else {
            throw .wrong("@odata.type", "#microsoft.graph.\(type)")
        }
        try members.refuse("id", "createdDateTime")
        var change = Change()
        change.displayName = try members.text("displayName", 1...256)
        change.description = members.value("description") == nil ? nil : try members.text("description")
        change.priority = try members.number("priority")
        if var start = try members.members("onInteractiveAuthFlowStart") {
            change.allowsSignUp = try start.flag("isSignUpAllowed")
            try start.end()
        }
        if var load = try members.members("onAuthenticationMethodLoadStart") {
            change.method = try method(of: try load.list("identityProviders") ?? [])
            try load.end()
        }
        if var create = try members.members("onUserCreateStart") {
            let kind = try create.text("userTypeToCreate")?.lowercased()
            try create.accept("userTypeToCreate", only: "member", kind)
            try create.end()
        }
        // Hooks are objects of their own (docs/protocol.md §18.9).
        for name in ["onAttributeCollectionStart", "onAttributeCollectionSubmit"] where members.value(name) != nil {
            throw .unsupportedValue(of: name)
        }
        if var collection = try members.members("onAttributeCollection") {
            change.inputs = try inputs(&collection)
            try collection.end()
        }
        if var conditions = try members.members("conditions") {
            if var applications = try conditions.members("applications") {
                let all = try applications.flag("includeAllApplications")
                try applications.accept("includeAllApplications", only: false, all)
                change.applications = try applications.list("includeApplications").map(clientIDs)
                try applications.end()
            }
            try conditions.end()
        }
        try members.end()
        return change
    }

    private static func method(of providers: [JSONValue]) throws(DirectoryFailure) -> UserFlow.Method {
        let fault = DirectoryFailure.wrong(
            "identityProviders", "one item with the id EmailOtpSignup-OAUTH or EmailPassword-OAUTH")
        guard providers.count == 1, case .object(let provider)? = providers.first else { throw fault }
        var members = BodyMembers(provider)
        guard let id = try members.text("id") else { throw fault }
        guard let method = method(id) else { throw .unsupportedValue(of: "identityProviders") }
        return method
    }

    static func clientIDs(_ items: [JSONValue]) throws(DirectoryFailure) -> [ClientID] {
        var ids: [ClientID] = []
        for item in items {
            guard case .object(let object) = item else { throw DirectoryFailure(.invalidValue("includeApplications")) }
            ids.append(try clientID(object))
        }
        return ids
    }

    /// The application that a body names by its `appId`.
    static func clientID(_ body: Object) throws(DirectoryFailure) -> ClientID {
        var members = BodyMembers(body)
        guard let id = try members.text("appId").flatMap({ ClientID($0) }) else {
            throw .wrong("appId", "the client id of an application")
        }
        try members.end()
        return id
    }

    /// Nil when the body has neither list.
    private static func inputs(_ collection: inout BodyMembers) throws(DirectoryFailure) -> [Input]? {
        var listed: [String] = []
        let attributes = try collection.list("attributes")
        for item in attributes ?? [] {
            var attribute = try BodyMembers(item, "attributes")
            guard let name = try attribute.text("id", 1...256) else {
                throw DirectoryFailure(.invalidValue("attributes"))
            }
            listed.append(name)
        }
        var inputs: [Input] = []
        var views: [JSONValue]?
        if var page = try collection.members("attributeCollectionPage") {
            _ = page.value("customStringsFileId")
            views = try page.list("views")
            for item in views ?? [] {
                var view = try BodyMembers(item, "views")
                _ = (view.value("title"), view.value("description"))
                for item in try view.list("inputs") ?? [] { inputs.append(try input(item)) }
                try view.end()
            }
            try page.end()
        }
        guard attributes != nil || views != nil else { return nil }
        for name in listed where !inputs.contains(where: { $0.name == name }) { inputs.append(Input(name: name)) }
        inputs.removeAll { $0.name.lowercased() == "email" }
        let names = Set(inputs.map(\.name))
        guard inputs.count <= 100, names.count == inputs.count else { throw DirectoryFailure(.invalidValue("inputs")) }
        return inputs
    }

    private static func input(_ item: JSONValue) throws(DirectoryFailure) -> Input {
        var members = try BodyMembers(item, "inputs")
        guard let name = try members.text("attribute", 1...256) else {
            throw DirectoryFailure(.invalidValue("attribute"))
        }
        var input = Input(name: name)
        input.label = try members.text("label", 1...256)
        switch try members.text("inputType")?.lowercased() {
        case nil: break
        case "text": input.isBoolean = false
        case "boolean": input.isBoolean = true
        case "radiosingleselect", "checkboxmultiselect": throw .unsupportedValue(of: "inputType")
        case _: throw .wrong("inputType", "text or boolean")
        }
        let isEmail = name.lowercased() == "email"
        var rules = Input.Rules(isRequired: try members.flag("required") ?? false)
        let (hidden, editable) = (try members.flag("hidden"), try members.flag("editable"))
        if !isEmail {
            try members.accept("hidden", only: false, hidden)
            try members.accept("editable", only: true, editable)
        }
        let isWritten = try members.flag("writeToDirectory")
        try members.accept("writeToDirectory", only: true, isWritten)
        let usual = try members.text("defaultValue")
        try members.accept("defaultValue", only: "", usual)
        let options = try members.list("options")
        try members.accept("options", only: [], options)
        let rule = try members.text("validationRegEx", 0...2_048) ?? ""
        if !rule.isEmpty, !isEmail {
            guard let pattern = AttributePattern(rule) else {
                throw DirectoryFailure(
                    status: .badRequest, code: .badRequest,
                    message: "The validationRegEx of this attribute is no expression that this server understands.",
                    target: DirectoryFailure.shown(name))
            }
            rules.pattern = pattern
        }
        input.rules = rules
        try members.end()
        return input
    }

    /// Changes the flow with this id, which the entry has.
    ///
    /// - Throws: ``TenantEditFault`` for attributes and applications that the tenant does not have, and applications of
    ///   another flow.
    static func apply(
        _ change: Change, to id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        guard let index = entry.userFlows.firstIndex(where: { $0.id == id }) else { throw .notFound }
        let known = attributes(of: entry)
        var flow = entry.userFlows[index]
        flow.displayName = change.displayName ?? flow.displayName
        flow.description = change.description ?? flow.description
        flow.priority = change.priority ?? flow.priority
        flow.allowsSignUp = change.allowsSignUp ?? flow.allowsSignUp
        flow.method = change.method ?? flow.method
        if let inputs = change.inputs {
            let before = flow.attributes
            // A built-in attribute that is not asked for is still accepted. It keeps what the document says of it; what an
            // input has said goes with the input.
            flow.attributes = AttributeDefinition.builtIn.compactMap { built in
                guard !inputs.contains(where: { $0.name == built.name }) else { return nil }
                var definition = before.first { $0.name == built.name } ?? built
                if isCollected(definition) {
                    (definition.isRequired, definition.label, definition.pattern) = (false, nil, nil)
                }
                return definition
            }
            for input in inputs {
                guard let attribute = known.first(where: { $0.name == input.name }) else {
                    throw .invalid([
                        "The tenant has no attribute with the id \(DirectoryFailure.shown(input.name) ?? "")."
                    ])
                }
                if let isBoolean = input.isBoolean, isBoolean != (attribute.type == .boolean) {
                    throw .invalid([
                        "The inputType of \(input.name) does not suit the attribute, which is \(attribute.type.rawValue)."
                    ])
                }
                var definition =
                    (before + AttributeDefinition.builtIn).first { $0.name == input.name }
                    ?? AttributeDefinition(name: input.name, type: attribute.type)
                if let rules = input.rules {
                    guard rules.pattern == nil || attribute.type == .string else {
                        throw .invalid(["\(input.name) is no text, so that it has no validationRegEx."])
                    }
                    (definition.isRequired, definition.pattern) = (rules.isRequired, rules.pattern)
                }
                definition.label = input.label ?? definition.label ?? attribute.displayName
                flow.attributes.append(definition)
            }
        }
        entry.userFlows[index] = flow
        if let applications = change.applications {
            for index in entry.applications.indices
            where entry.applications[index].flowSource == .shared(id)
                && !applications.contains(entry.applications[index].id)
            {
                entry.applications[index].flowSource = .none
            }
            for application in applications { try join(application, to: id, in: &entry) }
        }
        entry.resolveUserFlows()
    }

    /// Gives an application the flow.
    static func join(
        _ application: ClientID, to id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        guard entry.userFlows.contains(where: { $0.id == id }) else { throw .notFound }
        guard let index = entry.applications.firstIndex(where: { $0.id == application }) else {
            throw .invalid(["The tenant has no application with the client id \(application)."])
        }
        if case .shared(let other) = entry.applications[index].flowSource, other != id {
            throw .invalid(["The application \(application) has another user flow; take it out of that one first."])
        }
        guard !entry.applications[index].hasOwnRules else {
            throw .invalid([
                "The application \(application) has rules of its own for attributes, which would be lost. Take them out first, with nativeAuthSignIn null."
            ])
        }
        entry.applications[index].flowSource = .shared(id)
        entry.resolveUserFlows()
    }

    /// Takes an application out of the flow: no user can sign up or in with it then.
    static func leave(
        _ application: ClientID, from id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        let index = entry.applications.firstIndex { $0.id == application && $0.flowSource == .shared(id) }
        guard let index else { throw .notFound }
        entry.applications[index].flowSource = .none
    }

    /// Removes the flow; its applications have none then.
    static func remove(_ id: UUID, from entry: inout TenantDirectory.Entry) throws(TenantEditFault) {
        guard entry.userFlows.contains(where: { $0.id == id }) else { throw .notFound }
        if let hook = entry.tenant.hooks.first(where: { $0.userFlows.contains(id) }) {
            throw .invalid(["The hook \(hook.displayName) is for this user flow; change the hook first."])
        }
        entry.userFlows.removeAll { $0.id == id }
        entry.resolveUserFlows()
    }

    /// Removes an attribute of the tenant that no application and no flow uses.
    static func remove(attribute name: String, from entry: inout TenantDirectory.Entry) throws(TenantEditFault) {
        let places = places(using: name, in: entry)
        guard places.isEmpty else {
            throw .invalid(["The attribute is used by \(places.joined(separator: ", ")); take it out there first."])
        }
        guard entry.attributes.contains(where: { $0.name == name }) else { throw .notFound }
        entry.attributes.removeAll { $0.name == name }
    }
}

import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Writes user flows and their attributes as the vendor's directory has them, reads them and edits those of a tenant
/// (docs/protocol.md §18.7).
enum UserFlowCodec {
    typealias Object = [String: JSONValue]

    static let type = "externalUsersSelfServiceSignUpEventsFlow"
    static let ending = "ExternalUsersSelfServiceSignUp"

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

    static func method(_ id: String) -> UserFlow.Method? {
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
}

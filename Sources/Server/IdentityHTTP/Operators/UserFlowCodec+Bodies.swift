import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Bodies of changes of user flows.
extension UserFlowCodec {
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
}

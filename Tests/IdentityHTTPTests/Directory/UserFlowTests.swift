import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// User flows, their attributes and applications by the API (docs/protocol.md §18.7).
@Suite("User flows") struct UserFlowTests {
    private static let flows = "/graph/v1.0/identity/authenticationEventsFlows"
    private static let attributes = "/graph/v1.0/identity/userFlowAttributes"
    private static let type = "#microsoft.graph.externalUsersSelfServiceSignUpEventsFlow"
    fileprivate static let otp = "00001111-aaaa-2222-bbbb-3333cccc4444"

    /// The body of a flow.
    fileprivate static func flow(
        _ name: String = "Members", provider: String = "EmailOtpSignup-OAUTH", more: String = ""
    ) -> String {
        """
        {"@odata.type":"\(type)","displayName":"\(name)",
        "onAuthenticationMethodLoadStart":{"identityProviders":[{"id":"\(provider)"}]}\(more)}
        """
    }

    fileprivate static func inputs(_ inputs: String) -> String {
        #","onAttributeCollection":{"attributeCollectionPage":{"views":[{"title":null,"inputs":[\#(inputs)]}]}}"#
    }

    @Test("A flow asks for its attributes, by its rules, in each of its applications, and a change is in force at once")
    func theLifeOfAFlow() async throws {
        try await withEditedDesk { desk, editor in
            let attribute = try await desk.send(
                "POST", Self.attributes,
                #"{"displayName":"Shoe size","description":"In Europe","dataType":"int64"}"#)
            let size = try #require(attribute.text("id"), "\(attribute)")
            #expect(size == "extension_aaaabbbb0000cccc1111dddd2222eeee_Shoesize")
            #expect(attribute.status == 201 && attribute.headers["location"]?.hasSuffix("/\(size)") == true)
            let more =
                #","conditions":{"applications":{"includeApplications":[{"appId":"\#(Self.otp)"}]}},"#
                + #""onInteractiveAuthFlowStart":{"isSignUpAllowed":true},"onUserCreateStart":{"userTypeToCreate":"Member"}"#
                + Self.inputs(
                    #"{"attribute":"email","label":"Mail","inputType":"Text","hidden":true,"editable":false,"required":true,"validationRegEx":"^(x"},"#
                        + #"{"attribute":"city","label":"Your town","inputType":"text","required":true,"validationRegEx":"^[A-Z].*"},"#
                        + #"{"attribute":"\#(size)","label":"Size","inputType":"text","required":false}"#)
            let made = try await desk.send("POST", Self.flows, Self.flow(more: more))
            let id = try #require(made.text("id"), "\(made)")
            #expect(made.status == 201 && made.headers["location"] == "https://operators.test\(Self.flows)/\(id)")
            let shared = try #require(editor.directory.entries[0].userFlows.first)
            #expect(
                shared.attributes.suffix(2).map(\.name) == ["city", size] && shared.attributes.last?.type == .integer)

            let app = WireClient(transport: desk.server.transport, clientID: Self.otp)
            let refused = try await app.start("dana@example.com", [("attributes", #"{"city":"oslo"}"#)])
            #expect(refused.text("suberror") == "attribute_validation_failed", "\(refused)")
            #expect(try await app.start("dana@example.com", [("attributes", #"{"city":"Oslo"}"#)]).status == 200)

            let read = try await desk.send("GET", "\(Self.flows)/\(id)")
            let page = String(decoding: read.body, as: UTF8.self)
            #expect(page.contains("Your town") && page.contains("EmailOtpSignup-OAUTH"))
            func filter(_ application: String) -> String {
                OperatorTests.encoded(
                    "microsoft.graph.externalUsersSelfServiceSignUpEventsFlow/conditions/applications/includeApplications/any(a:a/appId eq '\(application)')"
                )
            }
            let found = try await desk.send("GET", "\(Self.flows)?$filter=\(filter(Self.otp))&$select=id")
            #expect(found["value"]?.array.first?["id"]?.string == id, "\(found)")
            let none = try await desk.send("GET", "\(Self.flows)?$filter=\(filter(UUID().text))")
            #expect(none["value"]?.array.isEmpty == true, "\(none)")

            // No sign-up any more, and passwords: the flow of the running app follows.
            let change =
                #"{"@odata.type":"\#(Self.type)","onInteractiveAuthFlowStart":{"isSignUpAllowed":false},"description":"closed"}"#
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(id)", change).status == 204)
            let closed = try await app.start("kim@example.com")
            #expect(closed.status == 400 && closed.text("error") == "unauthorized_client", "\(closed)")
            let password =
                #"{"@odata.type":"\#(Self.type)","onInteractiveAuthFlowStart":{"isSignUpAllowed":true},"onAuthenticationMethodLoadStart":{"identityProviders":[{"id":"emailpassword-oauth"}]}\#(Self.inputs(""))}"#
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(id)", password).status == 204)
            #expect(editor.directory.entries[0].applications[0].userFlow.method == .emailPassword)
            #expect(editor.directory.entries[0].userFlows[0].attributes == AttributeDefinition.builtIn, "no inputs")
            #expect(
                try await desk.send("DELETE", "\(Self.attributes)/\(size)").status == 204, "it is not used any more")

            #expect(try await desk.send("DELETE", "\(Self.flows)/\(id)").status == 204)
            #expect(try await desk.send("DELETE", "\(Self.flows)/\(id)").status == 404)
            let gone = try await app.start("kim@example.com")
            #expect(gone.text("suberror") == "nativeauthapi_disabled", "an application without a flow: \(gone)")
        }
    }

    @Test("Applications enter and leave a flow; one has a single flow, and without one no user signs up or in")
    func membership() async throws {
        try await withEditedDesk { desk, editor in
            let id = try #require(try await desk.send("POST", Self.flows, Self.flow()).text("id"))
            let other = try #require(try await desk.send("POST", Self.flows, Self.flow("Guests")).text("id"))
            let members = "\(Self.flows)/\(id)/conditions/applications/includeApplications"
            let body = #"{"appId":"\#(Self.otp)"}"#
            #expect(try await desk.send("POST", members, body).status == 201)
            #expect(try await desk.send("POST", members, body).status == 201, "as after a lost answer")
            let taken = try await desk.send(
                "POST", members.replacing(id, with: other), body)
            #expect(taken.status == 400 && taken.description.contains("another user flow"), "\(taken)")
            let unknown = try await desk.send("POST", members, #"{"appId":"\#(DaemonFixture.development)"}"#)
            #expect(unknown.status == 400, "a daemon has no user flow: \(unknown)")
            let listed = try await desk.send("GET", members)
            #expect(listed["value"]?.array.compactMap { $0["appId"]?.string } == [Self.otp])
            let application = try await desk.send("GET", "/graph/v1.0/applications(appId='\(Self.otp)')")
            #expect(application.text("nativeAuthUserFlowId") == id)
            let own = try await desk.send(
                "PATCH", "/graph/v1.0/applications/\(application.text("id") ?? "")",
                #"{"nativeAuthSignIn":"emailPassword"}"#)
            #expect(own.status == 400 && own.description.contains("has a user flow"), "\(own)")

            #expect(try await desk.send("DELETE", "\(members)/\(Self.otp)").status == 204)
            #expect(try await desk.send("DELETE", "\(members)/\(Self.otp)").status == 404)
            #expect(editor.directory.entries[0].applications[0].flowSource == .none)
            let app = WireClient(transport: desk.server.transport, clientID: Self.otp)
            #expect(try await app.initiate("dana@example.com").text("suberror") == "nativeauthapi_disabled")
            // A list in a change replaces the members.
            let change =
                #"{"@odata.type":"\#(Self.type)","conditions":{"applications":{"includeApplications":[\#(body)]}}}"#
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(other)", change).status == 204)
            #expect(editor.directory.entries[0].applications[0].sharedFlow?.text == other)
            let empty = change.replacing(body, with: "")
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(other)", empty).status == 204)
            #expect(editor.directory.entries[0].applications[0].flowSource == .none)
        }
    }

    @Test(
        "A change says what it says: rules that it does not name stay, also those of attributes that are not asked for")
    func rulesStay() async throws {
        try await withEditedDesk { desk, editor in
            let id = try #require(try await desk.send("POST", Self.flows, Self.flow()).text("id"))
            func attributes() -> [AttributeDefinition] { editor.directory.entries[0].userFlows[0].attributes }
            func rules(_ name: String) -> AttributeDefinition? { attributes().first { $0.name == name } }
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in
                for index in entry.userFlows[0].attributes.indices {
                    let name = entry.userFlows[0].attributes[index].name
                    if name == "displayName" { entry.userFlows[0].attributes[index].userMayChange = false }
                    if name == "city" { entry.userFlows[0].attributes[index].pattern = AttributePattern("[A-Z].*") }
                    if name == "city" { entry.userFlows[0].attributes[index].maximumLength = 5 }
                }
            }
            func change(_ collection: String) -> String {
                #"{"@odata.type":"\#(Self.type)","onAttributeCollection":\#(collection)}"#
            }
            let country =
                #"{"attributeCollectionPage":{"views":[{"inputs":[{"attribute":"country","label":"C","inputType":"text","required":true}]}]}}"#
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(id)", change(country)).status == 204)
            #expect(rules("displayName")?.userMayChange == false && rules("city")?.maximumLength == 5)
            #expect(rules("city")?.pattern?.source == "[A-Z].*" && rules("country")?.isRequired == true)
            let before = attributes()
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(id)", change("{}")).status == 204)
            #expect(attributes() == before)
            let named = #"{"attributes":[{"id":"country"},{"id":"city"}]}"#
            #expect(try await desk.send("PATCH", "\(Self.flows)/\(id)", change(named)).status == 204)
            #expect(rules("country")?.isRequired == true && rules("country")?.label == "C")
            #expect(rules("city")?.pattern?.source == "[A-Z].*" && rules("city")?.label == "City")
        }
    }

    @Test("An application with rules of its own does not enter a flow until they are taken out")
    func ownRules() async throws {
        try await withEditedDesk { desk, editor in
            let id = try #require(try await desk.send("POST", Self.flows, Self.flow()).text("id"))
            let members = "\(Self.flows)/\(id)/conditions/applications/includeApplications"
            let client = IdentityTestServer.Application.emailOneTimePasscodeWithAttributes.rawValue
            let refused = try await desk.send("POST", members, #"{"appId":"\#(client)"}"#)
            #expect(refused.status == 400 && refused.description.contains("rules of its own"), "\(refused)")
            let own = try #require(
                try await desk.send("GET", "/graph/v1.0/applications(appId='\(client)')").text("id"))
            let none = try await desk.send(
                "PATCH", "/graph/v1.0/applications/\(own)", #"{"nativeAuthSignIn":null}"#)
            #expect(none.status == 204 && editor.directory.entries[0].applications[2].flowSource == .none)
            #expect(try await desk.send("POST", members, #"{"appId":"\#(client)"}"#).status == 201)
        }
    }

    @Test("What a flow asks for and how its users sign in can be read under the names that the vendor's SDKs use")
    func subresources() async throws {
        try await withEditedDesk { desk, _ in
            let id = try #require(
                try await desk.send(
                    "POST", Self.flows,
                    Self.flow(
                        provider: "EmailPassword-OAUTH",
                        more: #","onAttributeCollection":{"attributes":[{"id":"email"},{"id":"surname"}]}"#)
                ).text("id"))
            let cast = "\(Self.flows)/\(id)/microsoft.graph.externalUsersSelfServiceSignUpEventsFlow"
            let providers = try await desk.send(
                "GET",
                "\(cast)/onAuthenticationMethodLoadStart/microsoft.graph.onAuthenticationMethodLoadStartExternalUsersSelfServiceSignUp/identityProviders"
            )
            #expect(
                providers["value"]?.array.compactMap { $0["id"]?.string } == ["EmailPassword-OAUTH"], "\(providers)")
            let asked = try await desk.send(
                "GET",
                "\(cast)/onAttributeCollection/microsoft.graph.onAttributeCollectionExternalUsersSelfServiceSignUp/attributes"
            )
            #expect(asked["value"]?.array.compactMap { $0["id"]?.string } == ["email", "surname"], "\(asked)")
            let path =
                "\(cast)/onAttributeCollection/microsoft.graph.onAttributeCollectionExternalUsersSelfServiceSignUp/attributes"
            let first = try await desk.send("GET", "\(path)?$top=1")
            let next = try #require(first.text("@odata.nextLink"), "\(first)")
            let second = try await desk.send("GET", String(next.dropFirst("https://operators.test".count)))
            #expect(second["value"]?.array.compactMap { $0["id"]?.string } == ["surname"], "\(second)")
            let all = try await desk.send("GET", "/graph/v1.0/identity/identityProviders")
            #expect(all["value"]?.array.count == 2)
        }
    }

    @Test("Attributes: built in and of the tenant; a used one stays, a built-in one changes never")
    func tenantAttributes() async throws {
        try await withEditedDesk { desk, editor in
            let made = try await desk.send("POST", Self.attributes, #"{"displayName":"Motto","dataType":"string"}"#)
            let motto = try #require(made.text("id"))
            #expect(
                try await desk.send("POST", Self.attributes, #"{"displayName":"motto","dataType":"string"}"#).status
                    == 400)
            let patch = #"{"description":"A sentence"}"#
            #expect(try await desk.send("PATCH", "\(Self.attributes)/\(motto)", patch).status == 204)
            #expect(try await desk.send("GET", "\(Self.attributes)/\(motto)").text("description") == "A sentence")
            #expect(try await desk.send("PATCH", "\(Self.attributes)/city", patch).status == 403)
            #expect(try await desk.send("DELETE", "\(Self.attributes)/city").status == 403)
            #expect(try await desk.send("GET", "\(Self.attributes)/email").text("userFlowAttributeType") == "builtIn")
            #expect(try await desk.send("GET", "\(Self.attributes)/nothing").status == 404)
            let custom = try await desk.send(
                "GET", "\(Self.attributes)?$filter=" + OperatorTests.encoded("userFlowAttributeType eq 'custom'"))
            #expect(custom["value"]?.array.compactMap { $0["id"]?.string } == [motto])
            let flow = Self.flow(more: #","onAttributeCollection":{"attributes":[{"id":"\#(motto)"}]}"#)
            #expect(try await desk.send("POST", Self.flows, flow).status == 201)
            let used = try await desk.send("DELETE", "\(Self.attributes)/\(motto)")
            #expect(used.status == 400 && used.description.contains("used by Members"), "\(used)")
            #expect(editor.directory.entries[0].attributes.count == 1)
        }
    }

    @Test(
        "What cannot be is refused with the member, and changes nothing",
        arguments: [
            "{}", "[]", #"{"displayName":"A"}"#, ##"{"@odata.type":"#microsoft.graph.other","displayName":"A"}"##,
            UserFlowTests.flow(""), UserFlowTests.flow(provider: "Google-OAUTH"), UserFlowTests.flow(provider: ""),
            UserFlowTests.flow(more: #","priority":"high""#), UserFlowTests.flow(more: #","colour":"red""#),
            UserFlowTests.flow(more: #","id":"7""#),
            UserFlowTests.flow(more: #","onUserCreateStart":{"userTypeToCreate":"guest"}"#),
            UserFlowTests.flow(more: #","onInteractiveAuthFlowStart":{"isSignUpAllowed":"yes"}"#),
            UserFlowTests.flow(more: #","onAttributeCollectionStart":{"handler":{}}"#),
            UserFlowTests.flow(more: #","conditions":{"applications":{"includeAllApplications":true}}"#),
            UserFlowTests.flow(more: #","conditions":{"applications":{"includeApplications":[{"appId":"me"}]}}"#),
            UserFlowTests.flow(
                more: #","conditions":{"applications":{"includeApplications":["\#(UserFlowTests.otp)"]}}"#),
            UserFlowTests.flow(more: UserFlowTests.inputs(#"{"attribute":"shoe","label":"S","inputType":"text"}"#)),
            UserFlowTests.flow(more: UserFlowTests.inputs(#"{"attribute":"city","label":"C","inputType":"boolean"}"#)),
            UserFlowTests.flow(
                more: UserFlowTests.inputs(#"{"attribute":"city","label":"C","inputType":"radioSingleSelect"}"#)),
            UserFlowTests.flow(
                more: UserFlowTests.inputs(#"{"attribute":"city","label":"C","inputType":"text","hidden":true}"#)),
            UserFlowTests.flow(
                more: UserFlowTests.inputs(
                    #"{"attribute":"city","label":"C","inputType":"text","defaultValue":"Oslo"}"#)),
            UserFlowTests.flow(
                more: UserFlowTests.inputs(
                    #"{"attribute":"city","label":"C","inputType":"text","validationRegEx":"(a"}"#)),
            UserFlowTests.flow(
                more: UserFlowTests.inputs(
                    #"{"attribute":"city","label":"C","inputType":"text"},{"attribute":"city","label":"D"}"#)),
            UserFlowTests.flow(more: #","DisplayName":"B""#), UserFlowTests.flow("\u{FEFF}A"),
            UserFlowTests.flow(more: UserFlowTests.inputs(#"{"label":"C"}"#)),
            UserFlowTests.flow(more: UserFlowTests.inputs(#""city""#)),
        ])
    func refusals(body: String) async throws {
        try await withEditedDesk { desk, editor in
            let answer = try await desk.send("POST", Self.flows, body)
            #expect([400, 403].contains(answer.status) && editor.version == 7, "\(body) \(answer)")
        }
    }

    @Test(
        "A new attribute needs a name with a letter and a type that this server has",
        arguments: [
            #"{"displayName":"A"}"#, #"{"displayName":"Å ✓","dataType":"string"}"#, #"{"dataType":"string"}"#,
            #"{"displayName":"A","dataType":"dateTime"}"#, #"{"displayName":"A","dataType":"stringCollection"}"#,
            #"{"displayName":"A","dataType":"float"}"#, #"{"displayName":"A","dataType":"string","id":"mine"}"#,
            #"{"displayName":"A","dataType":"string","userFlowAttributeType":"builtIn"}"#,
        ])
    func refusedAttributes(body: String) async throws {
        try await withEditedDesk { desk, editor in
            let answer = try await desk.send("POST", Self.attributes, body)
            #expect([400, 403].contains(answer.status) && editor.version == 7, "\(answer)")
        }
    }
}

/// Grants of scopes and assignments of roles by the API (docs/protocol.md §18.7).
@Suite("Grants and roles") struct GrantTests {
    private static let principals = "/graph/v1.0/servicePrincipals"
    private static let grants = "/graph/v1.0/oauth2PermissionGrants"
    private static let directory = "00000003-0000-0000-c000-000000000000"

    private func withDesk(
        _ body: (OperatorTests.Desk, TestEditor, _ principal: (String) async throws -> String) async throws -> Void
    ) async throws {
        var directory = TenantDirectory.development.entries
        directory[0].applications[0].scopes = []
        directory[0].daemons.append(Daemon(id: DaemonFixture.id, displayName: "Night job"))
        try await withEditedDesk(TenantDirectory(directory)) { desk, editor in
            try await body(desk, editor) { appID in
                let found = try await desk.send(
                    "GET", "\(Self.principals)?$filter=" + OperatorTests.encoded("appId eq '\(appID)'"))
                return try #require(found["value"]?.array.first?["id"]?.string, "\(found)")
            }
        }
    }

    @Test("An application gets scopes of the directory and of an API, and loses them; each at once in its tokens")
    func grants() async throws {
        try await withDesk { desk, editor, principal in
            let app = TenantDirectory.development.entries[0].applications[0].id.description
            let made = try await desk.send("POST", Self.principals, #"{"appId":"\#(app)"}"#)
            let (client, resource) = (try await principal(app), try await principal(Self.directory))
            #expect(made.status == 201 && made.text("id") == client, "\(made)")
            let byID = try await desk.send("GET", "\(Self.principals)(appId='\(Self.directory)')")
            let scopes = byID["oauth2PermissionScopes"]?.array ?? []
            #expect(
                scopes.contains {
                    $0["value"]?.string == "User.Read" && $0["id"]?.string == "e1fe6dd8-ba31-4d61-89e7-88639da4683d"
                }, "the vendor's id")

            func body(_ scope: String, of resource: String) -> String {
                #"{"clientId":"\#(client)","consentType":"AllPrincipals","resourceId":"\#(resource)","scope":"\#(scope)"}"#
            }
            let grant = try await desk.send("POST", Self.grants, body("User.Read openid", of: resource))
            let id = try #require(grant.text("id"), "\(grant)")
            #expect(editor.directory.entries[0].applications[0].scopes == ["User.Read", "openid"])
            #expect(
                try await desk.send("POST", Self.grants, body("User.Read", of: resource)).status == 400, "it is there")
            let api = try await principal(DaemonFixture.id.description)
            #expect(try await desk.send("POST", Self.grants, body("Orders.Read", of: api)).status == 201)
            #expect(
                editor.directory.entries[0].applications[0].scopes
                    == ["User.Read", "openid", "api://\(DaemonFixture.id)/Orders.Read"])
            let all = try await desk.send(
                "GET", "\(Self.grants)?$filter=" + OperatorTests.encoded("clientId eq '\(client)'"))
            #expect(all["value"]?.array.count == 2, "\(all)")
            #expect(try await desk.send("PATCH", "\(Self.grants)/\(id)", #"{"scope":"User.ReadWrite"}"#).status == 204)
            #expect(try await desk.send("GET", "\(Self.grants)/\(id)").text("scope") == "User.ReadWrite")
            let read = try await desk.send("PATCH", "\(Self.grants)/\(id)", #"{"clientId":"x","scope":"User.Read"}"#)
            #expect(read.status == 403)
            #expect(try await desk.send("DELETE", "\(Self.grants)/\(id)").status == 204)
            #expect(try await desk.send("DELETE", "\(Self.grants)/\(id)").status == 404)
            #expect(editor.directory.entries[0].applications[0].scopes == ["api://\(DaemonFixture.id)/Orders.Read"])
        }
    }

    @Test("A grant for one user, of an unknown resource, to a daemon, or with a URI for a name is refused")
    func refusedGrants() async throws {
        try await withDesk { desk, editor, principal in
            let app = TenantDirectory.development.entries[0].applications[0].id.description
            let (client, resource) = (try await principal(app), try await principal(Self.directory))
            let daemon = try await principal(DaemonFixture.id.description)
            for body in [
                #"{"clientId":"\#(client)","consentType":"Principal","principalId":"x","resourceId":"\#(resource)","scope":"User.Read"}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(UUID().text)","scope":"User.Read"}"#,
                #"{"clientId":"\#(daemon)","resourceId":"\#(resource)","scope":"User.Read"}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(resource)","scope":"api://x/y"}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(resource)","scope":" "}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(resource)","scope":"*"}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(resource)","scope":"User.Read User.*"}"#,
                #"{"clientId":"\#(client)","resourceId":"\#(resource)"}"#, #"{"scope":"User.Read"}"#,
            ] {
                let answer = try await desk.send("POST", Self.grants, body)
                #expect(answer.status == 400 && editor.version == 7, "\(body) \(answer)")
            }
            #expect(try await desk.send("POST", Self.principals, #"{"appId":"\#(UUID().text)"}"#).status == 400)
        }
    }

    @Test("The scope * and spellings with the server's address are seen as a grant, and can be taken away")
    func oldSpellings() async throws {
        try await withDesk { desk, editor, principal in
            let base = desk.server.engine.settings.baseURL
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in
                entry.applications[0].scopes = ["*", "\(base)/graph/User.ReadWrite", "api://orders/Read"]
                entry.daemons[1].roles = ["\(base)/graph/User.Read.All"]
            }
            let app = editor.directory.entries[0].applications[0].id.description
            let client = try await principal(app)
            let listed = try await desk.send(
                "GET", "\(Self.grants)?$filter=" + OperatorTests.encoded("clientId eq '\(client)'"))
            let grant = try #require(listed["value"]?.array.first, "\(listed)")
            #expect(grant["scope"]?.string == "* User.ReadWrite")
            let id = try #require(grant["id"]?.string)
            #expect(try await desk.send("DELETE", "\(Self.grants)/\(id)").status == 204)
            #expect(editor.directory.entries[0].applications[0].scopes == ["api://orders/Read"])
            let daemon = try await principal(DaemonFixture.id.description)
            let roles = try await desk.send("GET", "\(Self.principals)/\(daemon)/appRoleAssignments")
            let role = try #require(roles["value"]?.array.first?["id"]?.string, "\(roles)")
            #expect(
                try await desk.send("DELETE", "\(Self.principals)/\(daemon)/appRoleAssignments/\(role)").status == 204)
            #expect(editor.directory.entries[0].daemons[1].roles == [])
        }
    }

    @Test("SEC-ADM-4: a daemon gives and takes only roles that it has; the other daemon has them in its next token")
    func roles() async throws {
        try await withDesk { desk, editor, principal in
            let (subject, resource) = (
                try await principal(DaemonFixture.id.description), try await principal(Self.directory)
            )
            // User.Read.All by the vendor's id.
            let body =
                #"{"principalId":"\#(subject)","resourceId":"\#(resource)","appRoleId":"df021288-bdef-4463-88db-98f22de89214"}"#
            let path = "\(Self.principals)/\(subject)/appRoleAssignments"
            let made = try await desk.send("POST", path, body)
            let id = try #require(made.text("id"), "\(made)")
            #expect(try await desk.send("POST", path, body).text("id") == id, "as after a lost answer")
            #expect(editor.directory.entries[0].daemons.last?.roles == ["User.Read.All"])
            let listed = try await desk.send("GET", path)
            #expect(listed["value"]?.array.compactMap { $0["id"]?.string } == [id])
            let assigned = try await desk.send("GET", "\(Self.principals)/\(resource)/appRoleAssignedTo?$top=999")
            #expect(assigned["value"]?.array.contains { $0["id"]?.string == id } == true)
            #expect(try await desk.send("DELETE", "\(path)/\(id)").status == 204)
            #expect(try await desk.send("DELETE", "\(path)/\(id)").status == 404)
            #expect(editor.directory.entries[0].daemons.last?.roles == [])
            #expect(
                try await desk.send("POST", "\(Self.principals)/\(resource)/appRoleAssignedTo", body).status == 201,
                "from the side of the directory")

            // The caller loses a role, and can neither give it nor take it away from then on.
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) { entry in entry.daemons[0].roles.removeAll { $0 == "User.Read.All" } }
            let version = editor.version
            #expect(try await desk.send("POST", path, body).status == 403)
            #expect(try await desk.send("DELETE", "\(path)/\(id)").status == 403)
            for (member, other) in [(subject, resource), (resource, subject), ("df021288", "df021289")] {
                let answer = try await desk.send("POST", path, body.replacing(member, with: other))
                #expect(answer.status == 400 && editor.version == version, "\(answer)")
            }
        }
    }
}

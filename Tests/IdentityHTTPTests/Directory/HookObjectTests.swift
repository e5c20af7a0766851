import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// Hooks by the API: extensions and their listeners (docs/protocol.md §18.9).
@Suite("Extensions and listeners") struct HookObjectTests {
    private static let extensions = "/graph/v1.0/identity/customAuthenticationExtensions"
    private static let listeners = "/graph/v1.0/identity/authenticationEventListeners"
    fileprivate static let audience = "0000aaaa-1111-bbbb-2222-cccc3333dddd"

    fileprivate static func made(
        _ event: String = "OnTokenIssuanceStart", resource: String = "api://hooks.example.com/\(audience)",
        more: String = ""
    ) -> String {
        """
        {"@odata.type":"#microsoft.graph.\(event)CustomExtension","displayName":"Tiers",
        "endpointConfiguration":{"@odata.type":"#microsoft.graph.httpRequestEndpoint","targetUrl":"https://hooks.example.com/x"},
        "authenticationConfiguration":{"@odata.type":"#microsoft.graph.azureAdTokenAuthentication","resourceId":"\(resource)"}\(more)}
        """
    }

    fileprivate static func listener(
        _ id: String, _ event: String = "onTokenIssuanceStart",
        conditions: String = #""conditions":{"applications":{"includeAllApplications":true}}"#, more: String = ""
    ) -> String {
        """
        {"@odata.type":"#microsoft.graph.\(event)Listener",\(conditions),
        "handler":{"@odata.type":"#microsoft.graph.onTokenIssuanceStartCustomExtensionHandler","customExtension":{"id":"\(id)"}\(more)}}
        """
    }

    @Test("An extension is called from its listener on, for the applications of the listener, and not without one")
    func theLifeOfAHook() async throws {
        try await withEditedDesk { desk, editor in
            func hooks() -> [Hook] { editor.directory.entries[0].tenant.hooks }
            let clients = editor.directory.entries[0].applications
            let made = try await desk.send(
                "POST", Self.extensions,
                Self.made(
                    more:
                        #","clientConfiguration":{"timeoutInMilliseconds":500,"maximumRetries":0},"claimsForTokenConfiguration":[{"claimIdInApiResponse":"tier"}]"#
                ))
            let id = try #require(made.text("id"), "\(made)")
            #expect(made.status == 201 && made.headers["location"]?.hasSuffix("/\(id)") == true)
            let hook = try #require(hooks().first)
            #expect(hook.timeout == 500 && hook.retries == 0 && hook.claims == [HookClaim(name: "tier")])
            #expect(hook.audience.text == Self.audience && !hook.isEnabled && !hook.isFor(clients[0]))
            #expect(try await desk.send("GET", Self.listeners)["value"]?.array.isEmpty == true)

            let one = #""conditions":{"applications":{"includeApplications":[{"appId":"\#(clients[1].id)"}]}}"#
            let listening = try await desk.send("POST", Self.listeners, Self.listener(id, conditions: one))
            let listener = try #require(listening.text("id"), "\(listening)")
            #expect(hooks()[0].isFor(clients[1]) && !hooks()[0].isFor(clients[0]))
            #expect(try await desk.send("POST", Self.listeners, Self.listener(id)).status == 400, "it has one")
            let read = try await desk.send("GET", "\(Self.listeners)/\(listener)")
            #expect(read["handler"]?["customExtension"]?["id"]?.string == id, "\(read)")
            let all =
                ##"{"@odata.type":"#microsoft.graph.onTokenIssuanceStartListener","conditions":{"applications":{"includeAllApplications":true}}}"##
            #expect(try await desk.send("PATCH", "\(Self.listeners)/\(listener)", all).status == 204)
            #expect(hooks()[0].isFor(clients[0]))

            let listed = try await desk.send("GET", "\(Self.extensions)?$select=claimsForTokenConfiguration")
            #expect(listed.status == 200, "\(listed)")
            let client = clients[0].id
            let application = try #require(
                try await desk.send("GET", "/graph/v1.0/applications(appId='\(client)')").text("id"))
            let named =
                ##"{"@odata.type":"#microsoft.graph.onTokenIssuanceStartListener","conditions":{"applications":{"includeApplications":[{"appId":"\##(client)"}]}}}"##
            #expect(try await desk.send("PATCH", "\(Self.listeners)/\(listener)", named).status == 204)
            let kept = try await desk.send("DELETE", "/graph/v1.0/applications/\(application)")
            #expect(kept.status == 400 && kept.description.contains("The hook Tiers"), "\(kept)")
            for (behaviour, rule) in [(#"{"@odata.type":"X"}"#, Hook.FailureRule.proceed), ("null", .block)] {
                let type = behaviour.replacing("X", with: "#microsoft.graph.fallbackToMicrosoftProviderOnError")
                let body = Self.made(more: #","behaviorOnError":\#(type)"#)
                #expect(try await desk.send("PATCH", "\(Self.extensions)/\(id)", body).status == 204)
                #expect(hooks()[0].onFailure == rule)
            }

            let moved = Self.made().replacing("https://hooks.example.com/x", with: "https://hooks.example.com/y")
            #expect(try await desk.send("PATCH", "\(Self.extensions)/\(id)", moved).status == 204)
            #expect(hooks()[0].url == "https://hooks.example.com/y" && hooks()[0].claims.count == 1, "claims stay")
            #expect(try await desk.send("DELETE", "\(Self.listeners)/\(listener)").status == 204)
            #expect(try await desk.send("DELETE", "\(Self.listeners)/\(listener)").status == 404)
            #expect(hooks().count == 1 && !hooks()[0].isFor(clients[0]))
            #expect(try await desk.send("DELETE", "\(Self.extensions)/\(id)").status == 204)
            #expect(hooks().isEmpty)
        }
    }

    @Test(
        "An extension about passwords has its key, and its listener names the attribute, by the vendor's name or the tenant's"
    )
    func passwords() async throws {
        try await withEditedDesk { desk, editor in
            let digits = String(repeating: "ab", count: 16)
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) {
                $0.attributes.append(TenantAttribute(name: "extension_toMove", displayName: "Old shop", type: .boolean))
            }
            func hook() -> Hook { editor.directory.entries[0].tenant.hooks[0] }
            let made = try await desk.send(
                "POST", Self.extensions, Self.made("onPasswordSubmit", more: #","nativeAuthEncryptionKey":"PEM""#))
            let id = try #require(made.text("id"), "\(made)")
            #expect(hook().migration == PasswordMigration(attribute: nil, encryptionKey: "PEM") && !hook().isEnabled)
            func listener(_ handler: String) -> String {
                """
                {"@odata.type":"#microsoft.graph.onPasswordSubmitListener",
                "conditions":{"applications":{"includeAllApplications":true}},
                "handler":{"@odata.type":"#microsoft.graph.onPasswordMigrationCustomExtensionHandler","customExtension":{"id":"\(id)"}\(handler)}}
                """
            }
            let version = editor.version
            for handler in [
                "",
                ##","migrationPropertyId":"extension_toMove","configuration":{"behaviorOnError":{"@odata.type":"#microsoft.graph.fallbackToMicrosoftProviderOnError"}}"##,
            ] {
                let refused = try await desk.send("POST", Self.listeners, listener(handler))
                #expect(refused.status == 400 && editor.version == version, "\(refused)")
            }
            let listening = try await desk.send(
                "POST", Self.listeners, listener(#","migrationPropertyId":"extension_\#(digits)_toMove""#))
            #expect(listening.status == 201, "\(listening)")
            #expect(listening["handler"]?["migrationPropertyId"]?.string == "extension_toMove")
            #expect(
                listening["handler"]?["@odata.type"]?.string
                    == "#microsoft.graph.onPasswordMigrationCustomExtensionHandler")
            #expect(hook().isEnabled && hook().migration?.attribute == "extension_toMove")
            let other = Self.made("onPasswordSubmit", more: #","nativeAuthEncryptionKey":"OTHER""#)
            #expect(try await desk.send("PATCH", "\(Self.extensions)/\(id)", other).status == 204)
            #expect(hook().migration == PasswordMigration(attribute: "extension_toMove", encryptionKey: "OTHER"))
            let proceeds = Self.made(
                "onPasswordSubmit",
                more: ##","behaviorOnError":{"@odata.type":"#microsoft.graph.fallbackToMicrosoftProviderOnError"}"##)
            #expect(try await desk.send("PATCH", "\(Self.extensions)/\(id)", proceeds).status == 400)
            // The attribute, which no user flow has, is the operator's to set.
            let user = try await desk.server.addUserToMove(toMove: false)
            let set = try await desk.send("PATCH", "/graph/v1.0/users/\(user)", #"{"extension_toMove":true}"#)
            #expect(set.status == 204, "\(set)")
            let found = try await desk.send(
                "GET", "/graph/v1.0/users?$count=true&$filter=extension_toMove%20eq%20true",
                headers: ["consistencylevel": "eventual"])
            #expect(found["value"]?.array.count == 1, "\(found)")
        }
    }

    @Test("A listener of a user flow is for the applications of the flow, also for those that come later")
    func ofAFlow() async throws {
        try await withEditedDesk { desk, editor in
            let flow = SharedUserFlow(id: UUID(), displayName: "Members", method: .emailPassword)
            _ = try await editor.edit(
                editor.directory.entries[0].tenant.id, over: editor.version, as: .command, now: IdentityTestServer.start
            ) { $0.userFlows.append(flow) }
            let made = try await desk.send(
                "POST", Self.extensions,
                Self.made(
                    "onOtpSend",
                    more: ##","behaviorOnError":{"@odata.type":"#microsoft.graph.fallbackToMicrosoftProviderOnError"}"##
                ))
            let id = try #require(made.text("id"), "\(made)")
            let body = Self.listener(
                id, "onEmailOtpSend", conditions: #""authenticationEventsFlowId":"\#(flow.id.text)""#)
            #expect(try await desk.send("POST", Self.listeners, body).status == 201)
            func hook() -> Hook { editor.directory.entries[0].tenant.hooks[0] }
            #expect(hook().onFailure == .proceed && hook().userFlows == [flow.id])
            #expect(!hook().isFor(editor.directory.entries[0].applications[0]))
            let members =
                "/graph/v1.0/identity/authenticationEventsFlows/\(flow.id.text)/conditions/applications/includeApplications"
            let client = editor.directory.entries[0].applications[0].id
            #expect(try await desk.send("POST", members, #"{"appId":"\#(client)"}"#).status == 201)
            #expect(hook().isFor(editor.directory.entries[0].applications[0]))
            #expect(!hook().isFor(editor.directory.entries[0].applications[1]))
        }
    }

    @Test(
        "What cannot be is refused, and changes nothing",
        arguments: [
            "{}", HookObjectTests.made("onPasswordSubmit"), HookObjectTests.made(resource: "x"),
            HookObjectTests.made(more: #","claimsForTokenConfiguration":[{}]"#),
            HookObjectTests.made("onOtpSend", more: #","claimsForTokenConfiguration":[{"claimIdInApiResponse":"a"}]"#),
            HookObjectTests.made(more: #","clientConfiguration":{"timeoutInMilliseconds":9}"#),
            HookObjectTests.made(more: #","clientConfiguration":{"maximumRetries":2}"#),
            HookObjectTests.made(more: #","behaviorOnError":{}"#),
            HookObjectTests.made(more: #","nativeAuthEncryptionKey":"x""#),
            HookObjectTests.made(more: #","secret":"x""#), made(more: #","description":"x""#),
        ])
    func refusals(body: String) async throws {
        try await withEditedDesk { desk, editor in
            let answer = try await desk.send("POST", Self.extensions, body)
            #expect(answer.status == 400 && editor.version == 7, "\(body) \(answer)")
        }
    }

    @Test(
        "Redirect addresses are kept by kind, compared as texts, and never a script, a wildcard or plain http elsewhere",
        arguments: [
            ("publicClient", "msauth.com.example.app://auth", true),
            ("publicClient", "http://localhost:8400/done", true),
            ("publicClient", "msal00001111-aaaa-2222-bbbb-3333cccc4444://auth", true),
            ("publicClient", "msal0000://auth", false), ("web", "https://app.example.com/done?x=1", true),
            ("spa", "http://127.0.0.1/", true), ("spa", "msal0000://auth", false),
            ("web", "http://example.com/", false),
            ("web", "https://*.example.com/", false), ("web", "https://a.example.com/#x", false),
            ("web", "javascript:alert(1)", false), ("publicClient", "javascript:alert(1)", false),
            ("publicClient", "data:text/html,x", false), ("web", "https://u:p@example.com/", false),
            ("web", "https:///x", false), ("web", "/done", false), ("web", "https://a.example.com/\\u0000", false),
            ("web", "http://localhost.example.com/", false), ("web", "http://127.0.0.1@example.com/", false),
            ("spa", "http://[::1]:8080/", true), ("web", "https://App.Example.com:8443/done", true),
            ("web", "http://[::1].evil.com/", false), ("web", "http://[::1]evil.com/", false),
            ("web", "http://localhost:80.evil.com/", false), ("web", "http://localhost:.evil.com/", false),
            ("web", #"https://evil.com\\.good.com/"#, false), ("web", "https://:443/", false),
            ("web", "https://./", false), ("web", "https://good.com./", false), ("web", "https://[bad]/", false),
            ("web", "https://good.com[/", false), ("web", "https://good.com:abc/", false),
            ("web", "https://good.com:99999/", false), ("web", "https://good.com%2f.evil.com/", false),
            ("web", "https://<b>/", false), ("publicClient", "view-source:javascript:alert(1)", false),
            ("publicClient", "intent://x", false),
        ])
    func redirects(kind: String, address: String, isGood: Bool) async throws {
        try await withEditedDesk { desk, editor in
            let path = "/graph/v1.0/applications"
            let client = editor.directory.entries[0].applications[0].id
            let id = try #require(try await desk.send("GET", "\(path)(appId='\(client)')").text("id"))
            // A page opens no browser for its users.
            let body = #"{"\#(kind)":{"redirectUris":["\#(address)"]},"nativeAuthOpensInBrowser":[]}"#
            let answer = try await desk.send("PATCH", "\(path)/\(id)", body)
            #expect((answer.status == 204) == isGood && (editor.version == 8) == isGood, "\(answer)")
            let read = try await desk.send("GET", "\(path)/\(id)")
            #expect((read[kind]?["redirectUris"]?.array == [.string(address)]) == isGood, "\(read)")
        }
    }
}

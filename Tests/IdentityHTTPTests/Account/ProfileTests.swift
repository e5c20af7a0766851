import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// The profile of a signed-in user, on the directory API (docs/protocol.md §18).
@Suite struct ProfileTests {
    private static let path = "/graph/v1.0/me"

    /// Signs a user up and returns an access token with these scopes.
    private func token(
        _ scope: String, on server: IdentityTestServer, _ email: String = "dana@example.com"
    ) async throws -> String {
        let done = try await server.signUp(email, [("attributes", #"{"displayName":"Dana","city":"Ribe"}"#)])
        let answer = try await server.client().redeem(done.token, scope: scope)
        return try #require(answer.text("access_token"), "\(answer)")
    }

    private func get(
        _ token: String?, _ query: String = "", on server: IdentityTestServer
    ) async throws -> WireAnswer {
        try await server.client().get(
            Self.path + query, headers: token.map { ["authorization": "Bearer \($0)"] } ?? [:])
    }

    private func patch(
        _ token: String, _ body: String, headers: [String: String] = [:], on server: IdentityTestServer
    ) async throws -> WireAnswer {
        let fields = ["authorization": "Bearer \(token)", "content-type": "application/json"]
        let client = server.client()
        return try await client.send(
            client.request("PATCH", Self.path, headers: fields.merging(headers) { $1 }, body: Data(body.utf8)))
    }

    private func expectError(
        _ answer: WireAnswer, _ status: Int, _ code: String, target: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(answer)", sourceLocation: location)
        #expect(answer["error"]?["code"] == .string(code), "\(answer)", sourceLocation: location)
        #expect(
            answer["error"]?["target"] == target.map { .string($0) }, "\(answer)", sourceLocation: location)
        #expect(answer["error"]?["innerError"]?["request-id"] != nil, "\(answer)", sourceLocation: location)
    }

    @Test("A profile has the vendor's members, and what sign-up collected")
    func theProfile() async throws {
        try await withIdentityServer { server in
            let answer = try await get(try await token("User.Read", on: server), on: server)
            #expect(answer.status == 200, "\(answer)")
            let names: Set<String> = [
                "businessPhones", "displayName", "givenName", "id", "jobTitle", "mail", "mobilePhone",
                "officeLocation", "preferredLanguage", "surname", "userPrincipalName",
            ]
            #expect(Set(answer.members.keys).filter { !$0.hasPrefix("@odata.") } == names)
            #expect(answer.text("displayName") == "Dana" && answer.text("mail") == "dana@example.com")
            #expect(answer["givenName"] == .null)
            let user = try #require(try await server.storedUsers().first)
            #expect(answer.text("id") == user.id.description)
            #expect(answer.headers["cache-control"] == "no-store")

            let chosen = try await get(
                try await token("User.Read", on: server, "alex@example.com"), "?$select=City,identities,id", on: server)
            let three: Set<String> = ["city", "identities", "id"]
            #expect(Set(chosen.members.keys).filter { !$0.hasPrefix("@odata.") } == three)
            #expect(chosen.text("city") == "Ribe")
            guard case .array(let identities)? = chosen["identities"] else { throw Missing() }
            #expect(identities.first?["signInType"] == .string("federated"), "a user of codes")
            #expect(identities.first?["issuer"] == .string("mail"))
        }
    }

    private struct Missing: Error {}

    @Test("A change is stored, all of it or nothing, and audited without its values")
    func changes() async throws {
        try await withIdentityServer { server in
            let token = try await token("User.ReadWrite", on: server)
            let done = try await patch(
                token,
                ##"{"@odata.type":"#microsoft.graph.user","displayName":"Dana Q.","city":null,"country":"DK"}"##,
                on: server)
            #expect(done.status == 204 && done.body.isEmpty, "\(done)")
            let user = try #require(try await server.storedUsers().first)
            #expect(user.attributes == ["displayName": "Dana Q.", "country": "DK"])
            #expect(try await server.audited(.profileChanged) == 1)
            let details = try await server.rows("SELECT detail FROM audit WHERE kind = 'profile.changed'")
            #expect(details == [["3"]])

            let before = try await server.snapshot()
            for (body, status, code, target) in [
                (#"{"country":"NO","favouriteColour":"red"}"#, 400, "Request_BadRequest", "favouriteColour"),
                (#"{"country":"NO","flatusername":"dana"}"#, 403, "Authorization_RequestDenied", "flatusername"),
                (#"{"country":"NO","mail":"other@example.com"}"#, 403, "Authorization_RequestDenied", "mail"),
                (#"{"country":["NO"]}"#, 400, "Request_BadRequest", "country"),
                (#"{"country":44}"#, 400, "Request_BadRequest", "country"),
                (#"{"country":""}"#, 400, "Request_BadRequest", "country"),
                (#"{"country":"\#(String(repeating: "x", count: 129))"}"#, 400, "Request_BadRequest", "country"),
                (#"{"displayName":null}"#, 400, "Request_BadRequest", "displayName"),
                ("{", 400, "Request_BadRequest", nil), ("[]", 400, "Request_BadRequest", nil),
                (#"{"city":"A","city":"B"}"#, 400, "Request_BadRequest", nil),
            ] as [(String, Int, String, String?)] {
                expectError(try await patch(token, body, on: server), status, code, target: target)
            }
            let many = (0..<10_000).map { #""a\#($0)":1"# }.joined(separator: ",")
            expectError(try await patch(token, "{\(many)}", on: server), 413, "Request_BadRequest")
            let hundred = (0...100).map { #""a\#($0)":1"# }.joined(separator: ",")
            expectError(try await patch(token, "{\(hundred)}", on: server), 400, "Request_BadRequest")
            #expect(try await server.snapshot() == before)
            // What it already is changes nothing.
            #expect(try await patch(token, #"{"country":"DK"}"#, on: server).status == 204)
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("If-Match refuses a change of a profile that another request has changed")
    func versions() async throws {
        try await withIdentityServer { server in
            let token = try await token("User.ReadWrite", on: server)
            let tag = try #require(try await get(token, on: server).headers["etag"])
            let first = try await patch(token, #"{"city":"Esbjerg"}"#, headers: ["if-match": tag], on: server)
            #expect(first.status == 204)
            expectError(
                try await patch(token, #"{"city":"Tønder"}"#, headers: ["if-match": tag], on: server), 412,
                "PreconditionFailed")
            let again = try await patch(token, #"{"city":"Esbjerg"}"#, headers: ["if-match": tag], on: server)
            #expect(again.status == 204, "the same change again, as after a lost answer")
            let next = try #require(first.headers["etag"])
            #expect(try await get(token, on: server).headers["etag"] == next)
            let second = try await patch(token, #"{"city":"Tønder"}"#, headers: ["if-match": next], on: server)
            #expect(second.status == 204)
            #expect(try await patch(token, #"{"city":"Ribe"}"#, headers: ["if-match": "*"], on: server).status == 204)
            // Of twenty changes of one version one is made.
            let last = try #require(try await get(token, on: server).headers["etag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await patch(token, #"{"city":"\#(number)"}"#, headers: ["if-match": last], on: server)
                            .status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 204 } == 1 && statuses.count { $0 == 412 } == 19, "\(statuses)")
        }
    }

    @Test("Only a live token for the directory, with the scope, gets in")
    func tokens() async throws {
        try await withIdentityServer { server in
            expectError(try await get(nil, on: server), 401, "InvalidAuthenticationToken")
            for token in ["x", "a.b.c", String(repeating: "A", count: 9_000)] {
                expectError(try await get(token, on: server), 401, "InvalidAuthenticationToken")
            }
            // For the application itself, and for another API.
            let own = try await token("openid", on: server)
            expectError(try await get(own, on: server), 401, "InvalidAuthenticationToken")
            let other = try await token("api://orders/User.Read", on: server, "alex@example.com")
            expectError(try await get(other, on: server), 401, "InvalidAuthenticationToken")
            // A scope that is not enough.
            let reader = try await token("User.Read", on: server, "erik@example.com")
            expectError(
                try await patch(reader, #"{"city":"Ribe"}"#, on: server), 403, "Authorization_RequestDenied")
            let methods = try await token("UserAuthenticationMethod.Read", on: server, "frida@example.com")
            expectError(try await get(methods, on: server), 403, "Authorization_RequestDenied")
            // A disabled account.
            try await server.setDisabled(true, "erik@example.com")
            expectError(try await get(reader, on: server), 401, "InvalidAuthenticationToken")
        }
    }

    @Test("Other methods, media types and properties get the directory's errors")
    func badRequests() async throws {
        try await withIdentityServer { server in
            let token = try await token("User.ReadWrite", on: server)
            expectError(
                try await get(token, "?$select=displayName,passwordHash", on: server), 400, "Request_BadRequest",
                target: "passwordHash")
            expectError(
                try await patch(token, "{}", headers: ["content-type": "text/plain"], on: server), 415,
                "Request_BadRequest")
            let client = server.client()
            let deleted = try await client.send(
                client.request("PUT", Self.path, headers: ["authorization": "Bearer \(token)"]))
            #expect(deleted.headers["allow"] == "GET, PATCH, DELETE", "\(deleted)")
            expectError(deleted, 405, "Request_BadRequest")
            expectError(try await client.get("/graph/v1.0/users"), 404, "Request_ResourceNotFound")
        }
    }

    @Test("A user changes the profile 30 times an hour; another user is not held up")
    func changesAreLimited() async throws {
        try await withIdentityServer { server in
            let routes = InProcessTransport(
                routes: server.routes(), within: AccessPolicy(limits: SourceLimits()), peer: IPAddress("192.0.2.1"))
            let (dana, alex) = (
                try await token("User.ReadWrite", on: server),
                try await token("User.ReadWrite", on: server, "alex@example.com")
            )
            func change(_ token: String, _ city: Int) async throws -> WireAnswer {
                let request = try server.client().request(
                    "PATCH", Self.path,
                    headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
                    body: Data(#"{"city":"\#(city)"}"#.utf8))
                return WireAnswer(try await routes.send(request))
            }
            for number in 0..<30 { #expect(try await change(dana, number).status == 204) }
            let refused = try await change(dana, 30)
            expectError(refused, 429, "TooManyRequests")
            #expect(refused.headers["retry-after"] != nil)
            #expect(try await change(alex, 1).status == 204)
        }
    }

    @Test("An error says which member, which scope and which required property it is about, without values")
    func messages() async throws {
        try await withIdentityServer { server in
            func expect(
                _ answer: WireAnswer, _ status: Int, _ message: String, target: String? = nil,
                _ location: SourceLocation = #_sourceLocation
            ) {
                #expect(answer.status == status, "\(answer)", sourceLocation: location)
                #expect(answer["error"]?["message"]?.string == message, sourceLocation: location)
                #expect(answer["error"]?["target"]?.string == target, sourceLocation: location)
            }
            let denied = "Insufficient privileges to complete the operation."
            let reader = try await token("User.Read", on: server)
            expect(
                try await patch(reader, #"{"city":"Ribe"}"#, on: server), 403,
                denied + " The token needs the scope User.ReadWrite.")
            let other = try await token("Organization.Read.All", on: server, "alex@example.com")
            expect(
                try await get(other, on: server), 403,
                denied + " The token needs one of the scopes User.Read, User.ReadWrite.")

            let caller = try await AccountCaller.withCode(server, "dana@example.com")
            expect(
                try await caller.send("PATCH", AccountCaller.me, #"{"displayName":null}"#), 400,
                "The property is required, and cannot be removed.", target: "displayName")
            expect(
                try await caller.send("PATCH", AccountCaller.me, #"{"displayName":5}"#), 400,
                "The value breaks a rule of the property.", target: "displayName")
            let confirm = AccountCaller.beta + "/nativeAuth.confirmEmail"
            for (path, body, message, target) in [
                (confirm, #"{"continuationToken":"x"}"#, "The member “code” is missing.", "code"),
                (confirm, #"{"continuationToken":"x","code":null}"#, "The member “code” is missing.", "code"),
                (confirm, #"{"continuationToken":"x","code":12345678}"#, "The member “code” has a wrong type.", "code"),
                (confirm, #"["x"]"#, "The body must be one JSON object.", nil),
                (
                    AccountCaller.beta + "/nativeAuth.changeEmail", "{}", "The member “emailAddress” is missing.",
                    "emailAddress"
                ),
                (
                    AccountCaller.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"dana@example.com"}"#,
                    "The address or number has a wrong form, or the account has it already.", nil
                ),
                (
                    AccountCaller.beta + "/nativeAuth.addEmailMethod", #"{"emailAddress":"a@new.example"}"#,
                    "The user has no password.", nil
                ),
            ] as [(String, String, String, String?)] {
                expect(try await caller.send("POST", path, body), 400, message, target: target)
            }

            try await server.signUpWithPassword("erik@example.com", alias: nil)
            let erik = try await AccountCaller.withPassword(server, "erik@example.com")
            expect(
                try await erik.send(
                    "POST", AccountCaller.me + "/changePassword",
                    #"{"currentPassword":"wrong","newPassword":"\#(WireClient.newPassword)"}"#),
                400, "The current password is wrong or missing.")
        }
    }

    @Test("A member of a tenant's own cannot stand for the server's")
    func serverMembersWin() async throws {
        let profile = UserProfile(
            user: User(
                id: UserID(UUID()), tenant: TenantID(UUID()), email: "dana@example.com", alias: nil, hasPassword: true,
                attributes: ["mail": "other@example.com", "id": "1"], createdAt: IdentityTestServer.start),
            tenant: Tenant(
                id: TenantID(UUID()), subdomain: "harbour", domain: "harbour.example.com", displayName: "Harbour"),
            isEnabled: true, attributeNames: ["mail", "id"], version: "v")
        let user = try DirectoryCodec.user(profile, select: "MAIL,id", baseURL: "https://identity.test")
        #expect(user["mail"] == .string("dana@example.com") && user["id"] == .string(profile.user.id.description))
    }

    @Test("Two users with equal attributes have different versions")
    func versionsDiffer() async throws {
        try await withIdentityServer { server in
            let one = try await get(try await token("User.Read", on: server), on: server)
            let other = try await get(try await token("User.Read", on: server, "alex@example.com"), on: server)
            #expect(one.headers["etag"] != other.headers["etag"] && one.headers["etag"] != nil)
        }
    }
}

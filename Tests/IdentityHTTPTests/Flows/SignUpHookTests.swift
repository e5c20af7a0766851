import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import PortableFoundation
import Testing

/// The hooks that judge a sign-up (docs/protocol.md §20), over the wire.
@Suite("Sign-ups that a hook judges") struct SignUpHookTests {
    private static let both = [
        Hook.fixture(.attributeCollectionStart), Hook.fixture(.attributeCollectionSubmit),
    ]
    private static let address = #"{"country":"Denmark","city":"Aarhus"}"#

    private func sent(
        _ server: IdentityTestServer, _ client: WireClient, _ more: Fields = []
    ) async throws -> (token: String, code: String) {
        let token = try await client.challenge(client.start("dana@example.com", more).token).token
        return (token, try await server.mailbox.code(to: "dana@example.com"))
    }

    private func attributes(_ server: IdentityTestServer) async throws -> [String: AttributeValue] {
        try #require(try await server.storedUsers().first).attributes
    }

    @Test("SEC-HOOK-1: both receivers are asked once, after the code, each with what the user has given by then")
    func order() async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            receiver.script.start = .success(.prefill(["jobTitle": "Pilot", "city": "Ribe", "unknown": "x"]))
            receiver.script.submit = .success(.modify(["city": "AARHUS", "unknown": 1]))
            let (token, code) = try await sent(server, client)
            #expect(try await client.submit(code: "00000000", token).status == 400)
            #expect(receiver.asked() == [], "no receiver is asked before the address is proven")
            let proven = try await client.submit(code: code, token)
            #expect(proven["error"] == "attributes_required", "\(proven)")
            // The value of the receiver stands for the city.
            let required = proven["required_attributes"]?.array ?? []
            #expect(required.count == 1)
            let email = "dana@example.com"
            #expect(receiver.asked() == [.start(CollectedAttributes(email: email, attributes: [:]))])
            let done = try await client.submit(attributes: #"{"country":"Denmark","city":"Aarhus"}"#, proven.token)
            #expect(done.status == 200, "\(done)")
            let given: [String: AttributeValue] = ["country": "Denmark", "city": "Aarhus", "jobTitle": "Pilot"]
            #expect(receiver.asked() == [.submit(CollectedAttributes(email: email, attributes: given))])
            let stored = try await attributes(server)
            #expect(stored == ["country": "Denmark", "city": "AARHUS", "jobTitle": "Pilot"])
        }
    }

    @Test("SEC-HOOK-1: attributes that came with the start are judged after the code, and the account exists after it")
    func attributesAtTheStart() async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, code) = try await sent(server, client, [("attributes", Self.address)])
            #expect(receiver.asked() == [])
            let done = try await client.submit(code: code, token)
            #expect(done.status == 200 && receiver.asked().count == 2)
            #expect(try await client.submit(code: code, token) == done, "repeated")
            #expect(receiver.asked() == [])
            #expect(try await client.redeem(done.token).status == 200)
        }
    }

    @Test("With a password the receivers are asked when it is given")
    func password() async throws {
        try await withHooks(Self.both) { server, receiver in
            let progress = try await server.progress(to: .awaitingPassword)
            #expect(receiver.asked() == [])
            let asked = try await progress.client.submit(
                password: WireClient.password, progress.token(.awaitingPassword))
            #expect(asked["error"] == "attributes_required" && receiver.asked().count == 1)
            #expect(try await progress.client.submit(attributes: Self.address, asked.token).status == 200)
            #expect(receiver.asked().count == 1)
        }
    }

    @Test("SEC-HOOK-1: attributes without the code reach no receiver", arguments: [true, false])
    func unproven(atStart: Bool) async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, _) = try await sent(server, client, atStart ? [("attributes", Self.address)] : [])
            let answer = try await client.submit(attributes: Self.address, token)
            #expect(answer["error"] == "verification_required")
            #expect(receiver.asked() == [])
        }
    }

    @Test("A receiver ends a sign-up with its reason, at the start and at the end", arguments: [true, false])
    func blocks(atStart: Bool) async throws {
        try await withHooks(Self.both) { server, receiver in
            if atStart {
                receiver.script.start = .success(.block("Members only."))
            } else {
                receiver.script.submit = .success(.block("Members only."))
            }
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, code) = try await sent(server, client, [("attributes", Self.address)])
            let refused = try await client.submit(code: code, token)
            expectError(refused, "invalid_grant", 1_003_023)
            #expect(refused.text("error_description")?.contains("Members only.") == true)
            #expect(try await client.submit(code: code, token) == refused, "repeated")
            #expect(try await server.storedUsers().isEmpty)
            let audited = try await server.rows("SELECT detail FROM audit WHERE kind = 'signup.refused'")
            #expect(audited == [["hook"]])
        }
    }

    @Test("A receiver refuses attributes: the same token takes better ones")
    func refuses() async throws {
        try await withHooks(Self.both) { server, receiver in
            receiver.script.submit = .success(.refuse(attributes: ["city", "unknown"], reason: "No such city."))
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, code) = try await sent(server, client)
            let proven = try await client.submit(code: code, token)
            let refused = try await client.submit(attributes: Self.address, proven.token)
            #expect(refused["suberror"] == "attribute_validation_failed" && refused.status == 400)
            #expect(refused["invalid_attributes"] == .array([.object(["name": "city"])]))
            #expect(refused.text("error_description")?.contains("No such city.") == true)
            receiver.script.submit = .success(.proceed)
            #expect(try await client.submit(attributes: Self.address, proven.token).status == 200)
        }
    }

    @Test("Refused attributes of the start are asked for after the code")
    func refusesAfterTheCode() async throws {
        try await withHooks(Self.both) { server, receiver in
            receiver.script.submit = .success(.refuse(attributes: [], reason: "No."))
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, code) = try await sent(server, client, [("attributes", Self.address)])
            let asked = try await client.submit(code: code, token)
            #expect(asked["error"] == "attributes_required")
            #expect(asked["required_attributes"]?.array.count == 2, "\(asked)")
            receiver.script.submit = .success(.proceed)
            #expect(try await client.submit(attributes: Self.address, asked.token).status == 200)
        }
    }

    @Test("What was prefilled stays when the receiver of the end asks again in the same step")
    func prefilledStays() async throws {
        try await withHooks(Self.both) { server, receiver in
            receiver.script.start = .success(.prefill(["city": "Ribe", "jobTitle": "Pilot"]))
            receiver.script.submit = .success(.refuse(attributes: ["country"], reason: "No."))
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let (token, code) = try await sent(server, client, [("attributes", #"{"country":"Denmark"}"#)])
            let asked = try await client.submit(code: code, token)
            #expect(asked["required_attributes"]?.array.count == 1, "\(asked)")
            receiver.script.submit = .success(.proceed)
            #expect(try await client.submit(attributes: #"{"country":"Norway"}"#, asked.token).status == 200)
            let stored = try await attributes(server)
            #expect(stored == ["country": "Norway", "city": "Ribe", "jobTitle": "Pilot"])
        }
    }

    @Test("SEC-HOOK-3: a failed receiver ends the step with 503; the same request then goes on")
    func fails() async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            receiver.script.start = .failure(.timedOut)
            let (token, code) = try await sent(server, client)
            let failed = try await client.submit(code: code, token)
            #expect(failed.status == 503 && failed.headers["retry-after"] != nil)
            receiver.script.start = .success(.proceed)
            let proven = try await client.submit(code: code, token)
            receiver.script.submit = .failure(.body)
            #expect(try await client.submit(attributes: Self.address, proven.token).status == 503)
            #expect(try await server.storedUsers().isEmpty)
            receiver.script.submit = .success(.modify(["city": .string(String(repeating: "x", count: 200))]))
            #expect(try await client.submit(attributes: Self.address, proven.token).status == 503)
            receiver.script.submit = .success(.proceed)
            #expect(try await client.submit(attributes: Self.address, proven.token).status == 200)
        }
    }

    @Test("SEC-HOOK-3: a hook that may fail lets the sign-up go on")
    func proceeds() async throws {
        let hooks = [
            Hook.fixture(.attributeCollectionStart, onFailure: .proceed),
            Hook.fixture(.attributeCollectionSubmit, onFailure: .proceed),
        ]
        try await withHooks(hooks) { server, receiver in
            receiver.script.start = .failure(.unreachable)
            receiver.script.submit = .failure(.unreachable)
            let done = try await server.signUp()
            #expect(done.status == 200 && receiver.asked().count == 2)
        }
    }

    @Test("SEC-HOOK-2: a receiver cannot give or change the alias, a login name")
    func alias() async throws {
        try await withHooks(Self.both) { server, receiver in
            receiver.script.start = .success(.prefill(["flatusername": "admin"]))
            receiver.script.submit = .success(.modify(["flatusername": "admin", "city": "Ribe"]))
            let given: Fields = [("attributes", #"{"flatusername":"dana"}"#)]
            let done = try await server.signUp("dana@example.com", with: nil, given)
            #expect(done.status == 200)
            let user = try #require(try await server.storedUsers().first)
            #expect(user.alias == "dana" && user.attributes == ["city": "Ribe"])
        }
    }

    @Test("A name that is taken meanwhile is refused as without hooks")
    func taken() async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client()
            let (token, code) = try await sent(server, client)
            let (other, otherCode) = try await sent(server, client)
            #expect(try await client.submit(code: otherCode, other).status == 200)
            expectError(try await client.submit(code: code, token), "user_already_exists", 1_003_037)
        }
    }

    @Test("Equal requests at the same time make one account and get one answer")
    func race() async throws {
        try await withHooks(Self.both) { server, receiver in
            let client = server.client()
            let (token, code) = try await sent(server, client)
            let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
                for _ in 0..<16 { group.addTask { try await client.submit(code: code, token) } }
                var answers: Set<WireAnswer> = []
                for try await answer in group { answers.insert(answer) }
                return answers
            }
            #expect(answers.count == 1 && answers.first?.status == 200, "\(answers)")
            #expect(try await server.storedUsers().count == 1)
        }
    }

    @Test("SEC-CT-6: no endpoint takes the token of the state in which the server asks")
    func theStateIsTheServers() throws {
        let draft = SignUpDraft(
            email: try #require(EmailAddress(stored: "dana@example.com")), passwordHash: nil, attributes: [:],
            capabilities: [])
        #expect(SignUpState.asking(draft).allowed == .askAboutSignUp)
    }
}

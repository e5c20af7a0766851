import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import SoftPasskeys
import Testing

@testable import IdentityHTTP

/// Passkeys on the wire: added by the account API, alone at a sign-in, and as the second factor.
@Suite("Passkeys") struct PasskeyTests {
    private static let erik = "erik@example.com"

    private static func server(_ adjust: (inout EngineSettings) -> Void = { _ in }) throws -> IdentityTestServer {
        try FactorDirectory.server {
            $0.enrolment = .proven
            adjust(&$0)
        }
    }

    /// A user with a password and a passkey.
    private static func dana(
        _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) async throws -> (IdentityTestServer, TestPasskey) {
        let server = try server(adjust)
        try await server.signUpWithPassword()
        return (server, try await TestPasskey.add(to: try await AccountCaller.withPassword(server)))
    }

    private func details(of kind: String, _ server: IdentityTestServer) async throws -> [String] {
        try await server.rows("SELECT detail FROM audit WHERE kind = '\(kind)' ORDER BY seq").map { $0[0] ?? "" }
    }

    @Test("A passkey signs its user in without a name, as two factors that no page can pass on")
    func signIn() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        let options = try await TestPasskey.begin(client)
        expectSuccess(options, ["challenge_type", "continuation_token", "public_key"])
        #expect(options["challenge_type"] == "passkey")
        let asked = try #require(options["public_key"])
        #expect(asked["rpId"] == "localhost" && asked["userVerification"] == "required")
        #expect(asked["allowCredentials"]?.array.isEmpty == true && asked["timeout"] == 300_000)
        let answer = try await passkey.sign(options)
        let tokens = try await TestPasskey.token(answer, options, client, claims: WireClient.claims)
        expectSuccess(tokens, WireClient.tokenMembers)
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["amr"] == ["hwk", "user", "mfa", "pop"] && access["acrs"] == ["c1"], "\(access)")
        #expect(try await server.detail(ofLast: .signInSucceeded) == "hwk, user, mfa, pop")
        #expect(try claims(of: tokens.text("id_token"))["preferred_username"] == .string(IdentityTestServer.email))
        #expect(try await server.mailbox.mails().first?.purpose == .methodFirstUsed, "the first use is told")
        // A repeated request gets the same answer (REL-IDEM).
        #expect(try await TestPasskey.token(answer, options, client, claims: WireClient.claims) == tokens)
        let listed = try await AccountCaller(tokens, server).send(
            "GET", AccountCaller.me + "/authentication/fido2Methods")
        #expect(listed.status == 401, "the token is not for the directory")
    }

    @Test("SEC-PK-16: the options have one form for every caller, and list a passkey only after a first factor")
    func optionsTellNothing() async throws {
        let (server, _) = try await Self.dana()
        let empty = try Self.server()
        for one in [server, empty] {
            let options = try await TestPasskey.begin(one.passwordClient)
            let members = try #require(options["public_key"])
            #expect(members["allowCredentials"] == [] && members["rpId"] == "localhost")
        }
        let required = try await server.signIn(
            claims: WireClient.claims, challengeTypes: TestPasskey.words)
        let listed = try await server.passwordClient.introspect(required.token)
        let methods = try #require(listed["methods"]?.array)
        #expect(
            methods.count == 1 && methods[0]["challenge_type"] == "passkey"
                && methods[0]["challenge_channel"] == "passkey" && methods[0]["login_hint"] == "Phone")
    }

    @Test("A passkey is a second factor beside a password")
    func secondFactor() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        let required = try await server.signIn(claims: WireClient.claims, challengeTypes: TestPasskey.words)
        expectError(required, "invalid_grant", 50_076, suberror: "mfa_required", carriesToken: true)
        let listed = try await client.introspect(required.token)
        let id = try #require(listed["methods"]?.array.first?["id"]?.string)
        let options = try await client.signInChallenge(listed.token, id: id)
        #expect(options["public_key"]?["allowCredentials"]?.array.count == 1)
        // Neither a code nor the grant of the first factor by the answer of a mailbox.
        let code = try await client.token(code: "12345678", options.token, grant: "mfa_oob", claims: WireClient.claims)
        #expect(code.status == 400, "\(code)")
        let tokens = try await TestPasskey.token(
            try await passkey.sign(options), options, client, grant: "mfa_passkey", claims: WireClient.claims)
        #expect(tokens.status == 200, "\(tokens)")
        let access = try claims(of: tokens.text("access_token"))
        #expect(access["amr"] == ["pwd", "hwk", "user", "mfa", "pop"] && access["acrs"] == ["c1"], "\(access)")
        #expect(try await server.audited(.secondFactorPassed) == 1)
    }

    @Test("SEC-PK-21: a client that does not announce passkeys never meets the word")
    func plainClients() async throws {
        let (server, passkey) = try await Self.dana()
        let required = try await server.signIn(claims: WireClient.claims)
        #expect(required.status == 200 && required["challenge_type"] == "redirect", "\(required)")
        // With another method beside it, that is listed alone.
        let caller = try await Self.caller(server, passkey)
        #expect(
            try await caller.prove("other@example.com", by: "addEmailMethod", "confirmEmailMethod") == 204)
        let second = try await server.signIn(claims: WireClient.claims)
        let listed = try await server.passwordClient.introspect(second.token)
        #expect(listed["methods"]?.array.map { $0["challenge_type"] } == ["oob"], "\(listed)")
        // Without a name nothing begins, as before.
        let nameless = try await server.passwordClient.post(
            .signInInitiate, [("challenge_type", WireClient.challengeTypes)])
        expectError(nameless, "invalid_request", 90_100)
        // A named sign-in of a client that takes passkeys is one of the vendor's, without a list.
        let named = try await server.passwordClient.post(
            .signInInitiate, [("username", IdentityTestServer.email), ("challenge_type", TestPasskey.words)])
        let challenge = try await server.passwordClient.signInChallenge(named.token)
        #expect(challenge["challenge_type"] == "password" && challenge["public_key"] == nil)
    }

    /// A caller whose session has just given the passkey.
    private static func caller(_ server: IdentityTestServer, _ passkey: TestPasskey) async throws -> AccountCaller {
        try AccountCaller(try await passkey.signIn(server.passwordClient, scope: AccountCaller.scope), server)
    }

    @Test("SEC-PK-1: a challenge serves once: of fifty answers at once one counts, and a wrong one spends it")
    func challengesAreSpent() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        let options = try await TestPasskey.begin(client)
        var answers: [String] = []
        for _ in 0..<50 { answers.append(try await passkey.sign(options)) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for answer in answers {
                group.addTask { try await TestPasskey.token(answer, options, client).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        #expect(try await server.audited(.signInSucceeded) == 2, "the sign-in by password, and one by passkey")
        // A wrong answer, then the right one with the same challenge.
        let again = try await TestPasskey.begin(client)
        let right = try await passkey.sign(again)
        passkey.device.behaviour.lies = [.badSignature]
        let wrong = try await passkey.sign(again)
        passkey.device.behaviour.lies = []
        expectRefused(try await TestPasskey.token(wrong, again, client))
        expectError(try await TestPasskey.token(right, again, client), "invalid_request", 55_200)
        // The token is still good for a new challenge.
        let next = try await client.signInChallenge(again.token)
        #expect(try await TestPasskey.token(try await passkey.sign(next), next, client).status == 200)
    }

    private func expectRefused(
        _ answer: WireAnswer, unknown: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectError(
            answer, "invalid_grant", 50_126, suberror: unknown ? "passkey_unknown" : "passkey_invalid",
            sourceLocation: sourceLocation)
    }

    @Test("SEC-PK-1: a challenge is for its flow, its application, its ceremony and 300 seconds")
    func challengesAreBound() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        // Of another flow.
        let (one, other) = (try await TestPasskey.begin(client), try await TestPasskey.begin(client))
        expectRefused(try await TestPasskey.token(try await passkey.sign(one), other, client))
        // Too old.
        let late = try await TestPasskey.begin(client)
        let answer = try await passkey.sign(late)
        server.clock.advance(by: 301)
        expectRefused(try await TestPasskey.token(answer, late, client))
        // An answer before a challenge, and the token of another step.
        let started = try await client.post(.signInInitiate, [("challenge_type", TestPasskey.words)])
        expectError(try await TestPasskey.token(answer, started, client), "invalid_request", 55_200)
        // The challenge of a registration is none of a sign-in.
        let caller = try await Self.caller(server, passkey)
        let creation = try await TestPasskey.options(caller)
        let challenge = try #require(creation["publicKey"]?["challenge"]?.string)
        let mine = try await TestPasskey.begin(client)
        expectRefused(try await TestPasskey.token(try await passkey.sign(mine, challenge: challenge), mine, client))
        let reasons = try await details(of: "signin.failed", server)
        #expect(
            reasons == [
                "passkey, wrong challenge", "passkey, expired challenge", "passkey, wrong challenge",
            ], "\(reasons)")
    }

    @Test(
        "SEC-PK-20: every wrong answer gets one answer but for ids and times; the audit trail says which check failed")
    func oneAnswer() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        var texts: Set<String> = []
        var expected: [String] = []
        func check(_ detail: String, _ change: (inout SoftBehaviour) -> Void) async throws {
            change(&passkey.device.behaviour)
            let options = try await TestPasskey.begin(client)
            let answer = try await TestPasskey.token(try await passkey.sign(options), options, client)
            passkey.device.behaviour = SoftBehaviour()
            expectRefused(answer)
            let sentence = answer.text("error_description")?.split(separator: " Trace ID").first ?? ""
            texts.insert("\(answer.members.keys.sorted()) \(sentence) \(answer.headers.keys.sorted())")
            expected.append("passkey, \(detail)")
        }
        try await check("wrong relying party") { $0.lies = [.wrongRelyingParty] }
        try await check("wrong type") { $0.lies = [.wrongType] }
        try await check("wrong challenge") { $0.lies = [.wrongChallenge] }
        try await check("cross origin") { $0.lies = [.crossOrigin] }
        try await check("top origin") { $0.lies = [.topOrigin] }
        try await check("wrong signature") { $0.lies = [.badSignature] }
        try await check("wrong user") { $0.lies = [.foreignUserHandle] }
        try await check("wrong user") { $0.lies = [.noUserHandle] }
        try await check("user not verified") { $0.isUserVerified = false }
        try await check("user not present") { $0.isUserPresent = false }
        try await check("wrong origin") { $0.origin = "https://localhost.example.com" }
        try await check("wrong origin") { $0.origin = "http://localhost" }
        try await check("changed backup eligibility") { $0.isBackupEligible = true }
        #expect(texts.count == 1, "\(texts)")
        #expect(try await details(of: "signin.failed", server) == expected)
        #expect(try await server.rows("SELECT first_used_at FROM strong_methods") == [[nil]], "SEC-PK-19")
        // No JSON, and too much of it.
        for text in ["{", "[]", "null", String(repeating: "x", count: 16_384)] {
            let options = try await TestPasskey.begin(client)
            expectRefused(try await TestPasskey.token(text, options, client))
        }
        let options = try await TestPasskey.begin(client)
        let long = try await TestPasskey.token(String(repeating: "x", count: 16_385), options, client)
        expectError(long, "invalid_request", 90_100)
    }

    @Test("SEC-PK-10: neither the passkey of another user nor one that the server does not have signs a user in")
    func otherUsers() async throws {
        let (server, passkey) = try await Self.dana()
        let client = server.passwordClient
        try await server.signUpWithPassword(Self.erik, alias: nil)
        let his = try await TestPasskey.add(to: try await AccountCaller.withPassword(server, Self.erik))
        let danas = try #require(passkey.device.state.credentials.first)
        // His passkey with the handle of the other account, and the other way round.
        his.device.behaviour.claimedUserHandle = danas.userHandle
        let options = try await TestPasskey.begin(client)
        expectRefused(try await TestPasskey.token(try await his.sign(options), options, client))
        his.device.behaviour = SoftBehaviour()
        // As a second factor of the other user.
        let required = try await server.signIn(claims: WireClient.claims, challengeTypes: TestPasskey.words)
        let listed = try await client.introspect(required.token)
        let asked = try await client.signInChallenge(
            listed.token, id: try #require(listed["methods"]?.array.first?["id"]?.string))
        let open = try await TestPasskey.begin(client)
        let stranger = try await his.sign(
            open, challenge: try #require(asked["public_key"]?["challenge"]?.string))
        expectRefused(
            try await TestPasskey.token(stranger, asked, client, grant: "mfa_passkey", claims: WireClient.claims))
        // One that was removed.
        _ = try await server.rows("DELETE FROM strong_methods WHERE credential = X'\(hex(danas.id))'")
        let last = try await TestPasskey.begin(client)
        expectRefused(try await TestPasskey.token(try await passkey.sign(last), last, client), unknown: true)
        #expect(try await his.signIn(client).status == 200)
    }

    private func hex(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    @Test("SEC-PK-11: the id of a passkey is one user's: another one cannot add it, also at the same moment")
    func uniqueIDs() async throws {
        let (server, passkey) = try await Self.dana()
        try await server.signUpWithPassword(Self.erik, alias: nil)
        let thief = try await AccountCaller.withPassword(server, Self.erik)
        let options = try await TestPasskey.options(thief)
        // The thief's device says the id of the other user's passkey.
        let copy = TestPasskey(id: try #require(passkey.device.state.credentials.first?.id))
        let answer = try await copy.confirm(try await copy.make(options), options, thief)
        #expect(
            answer.status == 400 && answer["error"]?["details"]?.array.first?["code"] == "passkey_invalid", "\(answer)")
        #expect(try await details(of: "otp.failed", server).last == "passkey, duplicate passkey")
        #expect(try await passkey.signIn(server.passwordClient).status == 200)
    }

    @Test("SEC-PK-12: a count that does not grow is told operators, signs in, and leaves the stored one")
    func counters() async throws {
        let (server, passkey) = try await Self.dana()
        func sign(_ count: UInt32) async throws -> Int {
            passkey.device.behaviour.counter = .fixed(count)
            return try await passkey.signIn(server.passwordClient).status
        }
        for (count, suspects) in [(0, 0), (0, 0), (7, 0), (5, 1), (7, 2), (0, 3), (8, 3)] as [(UInt32, Int)] {
            #expect(try await sign(count) == 200)
            #expect(try await server.audited(.passkeySuspect) == suspects, "\(count)")
        }
        passkey.device.behaviour.isBackedUp = true
        let options = try await TestPasskey.begin(server.passwordClient)
        let answer = try await TestPasskey.token(try await passkey.sign(options), options, server.passwordClient)
        expectRefused(answer)
    }

    @Test("SEC-PK-23: the owner is told of a count that does not grow, once in ten minutes")
    func suspectIsTold() async throws {
        let (server, passkey) = try await Self.dana { $0.limits = TimeLimits() }
        func told(_ count: UInt32) async throws -> Int {
            passkey.device.behaviour.counter = .fixed(count)
            #expect(try await passkey.signIn(server.passwordClient).status == 200)
            return try await server.mailbox.mails(for: IdentityTestServer.email).count { $0.purpose == .passkeySuspect }
        }
        #expect(try await told(7) == 0)
        #expect(try await told(5) == 1)
        #expect(try await told(5) == 1)
        server.clock.advance(by: .seconds(601))
        #expect(try await told(5) == 2)
    }

    @Test("SEC-PK-14, SEC-ENR-13, SEC-PK-15: ten passkeys, five a day, all with one random handle")
    func limits() async throws {
        let server = try Self.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        var devices = [try await TestPasskey.add(to: caller)]
        var added = 1
        while added < 12 {
            let fresh = try await Self.caller(server, devices[0])
            let options = try await TestPasskey.options(fresh)
            if options.status == 400 { break }
            let device = TestPasskey()
            let answer = try await device.confirm(try await device.make(options), options, fresh)
            if answer.status == 429 {
                #expect(added % 5 == 0)
                server.clock.advance(by: 86_401)
                continue
            }
            #expect(answer.status == 204, "\(answer)")
            #expect(options["publicKey"]?["excludeCredentials"]?.array.count == added)
            devices.append(device)
            added += 1
        }
        #expect(added == 10)
        let handles = Set(devices.flatMap { $0.device.state.credentials.map(\.userHandle) })
        let user = try #require(try await server.storedUsers().first)
        #expect(handles.count == 1 && handles.first?.count == 32)
        #expect(handles.first.map { String(decoding: $0, as: UTF8.self) } != user.id.description)
        // The same device makes no second one.
        let fresh = try await Self.caller(server, devices[0])
        let methods = try await fresh.send("GET", AccountCaller.me + "/authentication/fido2Methods")
        let id = try #require(methods["value"]?.array.last?["id"]?.string)
        #expect(try await fresh.send("DELETE", AccountCaller.me + "/authentication/fido2Methods/\(id)").status == 204)
        let options = try await TestPasskey.options(try await Self.caller(server, devices[0]))
        await #expect(throws: PasskeyError.alreadyRegistered) { try await devices[0].make(options) }
    }

    @Test("SEC-PK-14: of two additions that began with nine passkeys, one succeeds")
    func eleventh() async throws {
        let (server, first) = try await Self.dana()
        for _ in 0..<8 { _ = try await TestPasskey.add(to: try await Self.caller(server, first)) }
        let callers = [try await Self.caller(server, first), try await Self.caller(server, first)]
        let begun = [try await TestPasskey.options(callers[0]), try await TestPasskey.options(callers[1])]
        var statuses: [Int] = []
        for (caller, options) in zip(callers, begun) {
            let device = TestPasskey()
            statuses.append(try await device.confirm(try await device.make(options), options, caller).status)
        }
        #expect(statuses == [204, 400])
        #expect(try await server.rows("SELECT COUNT(*) FROM strong_methods") == [["10"]])
    }

    @Test("SEC-PK-14: the id of a passkey has at most 256 bytes", arguments: [(256, 204), (257, 400)])
    func longIDs(length: Int, status: Int) async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        let options = try await TestPasskey.options(caller)
        let device = TestPasskey(id: Data(repeating: 7, count: length))
        #expect(try await device.confirm(try await device.make(options), options, caller).status == status)
    }

    @Test(
        "SEC-ENR-2: with the password alone no passkey is added, in any mode; the owner's mailbox must agree",
        arguments: [EnrolmentMode.proven, .compatible])
    func passwordAlone(mode: EnrolmentMode) async throws {
        let server = try Self.server { $0.enrolment = mode }
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        let begun = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.addPasskey", "{}")
        #expect(begun.status == 202 && begun["publicKey"] == nil, "\(begun)")
        #expect(try await server.mailbox.mails().first?.to == IdentityTestServer.email)
        let passkey = TestPasskey()
        let token = try #require(begun.text("continuationToken"))
        for body in [
            #"{"continuationToken":"\#(token)","publicKeyCredential":{}}"#,
            #"{"continuationToken":"\#(token)","code":"00000000"}"#, #"{"continuationToken":"\#(token)"}"#,
            #"{"continuationToken":"\#(token)","code":"00000000","publicKeyCredential":{}}"#,
        ] {
            let answer = try await caller.send("POST", AccountCaller.beta + "/nativeAuth.confirmPasskey", body)
            #expect(answer.status == 400 && answer["publicKey"] == nil, "\(answer)")
        }
        #expect(try await server.rows("SELECT id FROM strong_methods").isEmpty)
        try await TestPasskey.add(to: try await AccountCaller.withPassword(server), passkey)
        #expect(try await passkey.signIn(server.passwordClient).status == 200)
    }

    @Test("SEC-ENR-5, SEC-ENR-6: the owner is told of a new passkey, and sessions of the password alone end")
    func told() async throws {
        let server = try Self.server()
        try await server.signUpWithPassword()
        let thief = try await AccountCaller.withPassword(server)
        let owner = try await AccountCaller.withPassword(server)
        try await TestPasskey.add(to: owner)
        let mail = try #require(try await server.mailbox.mails().first)
        #expect(mail.purpose == .methodRegistered && mail.to == IdentityTestServer.email)
        #expect(try await server.passwordClient.refresh(thief.refreshToken).status == 400)
        #expect(try await server.passwordClient.refresh(owner.refreshToken).status == 200)
        #expect(try await details(of: "mfa.registered", server) == ["twoFactors, passkey"])
    }

    @Test("SEC-ENR-7: a reset suspends a young passkey: with it no sign-in succeeds")
    func reset() async throws {
        let (server, passkey) = try await Self.dana()
        try await server.reset()
        let options = try await TestPasskey.begin(server.passwordClient)
        expectRefused(try await TestPasskey.token(try await passkey.sign(options), options, server.passwordClient))
        #expect(try await details(of: "signin.failed", server).last == "passkey, unusable passkey")
    }

    @Test("SEC-ENR-7, SEC-ENR-5: of two passkeys the one that signed comes back after a reset, and is told as used")
    func theOneThatSigned() async throws {
        let (server, thief) = try await Self.dana()
        server.clock.advance(by: 1)
        let own = try await TestPasskey.add(to: try await Self.caller(server, thief))
        _ = try await own.signIn(server.passwordClient)
        func states() async throws -> [String?] {
            try await server.rows("SELECT suspended_at IS NULL FROM strong_methods ORDER BY proven_at").map { $0[0] }
        }
        #expect(
            try await server.rows("SELECT first_used_at IS NULL FROM strong_methods ORDER BY proven_at").map { $0[0] }
                == ["0", "0"])
        try await server.reset()
        #expect(try await states() == ["0", "0"])
        server.clock.advance(by: 25 * 3_600)
        // The password came from the mailbox; then the owner's passkey.
        let client = server.passwordClient
        let start = try await client.signInChallenge(
            client.initiate(types: TestPasskey.words).token, id: nil)
        let required = try await client.token(
            password: WireClient.newPassword, start.token, claims: WireClient.claims)
        let listed = try await client.introspect(required.token)
        let id = try #require(listed["methods"]?.array.first?["id"]?.string, "\(listed)")
        let asked = try await client.signInChallenge(listed.token, id: id)
        let tokens = try await TestPasskey.token(
            try await own.sign(asked), asked, client, grant: "mfa_passkey", claims: WireClient.claims)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try await states() == ["0", "1"], "the thief's stays suspended")
        let options = try await TestPasskey.begin(client)
        expectRefused(try await TestPasskey.token(try await thief.sign(options), options, client))
    }

    @Test("SEC-LOCK-1: a passkey ends no lock: its holder may be the one who guesses at the password")
    func locks() async throws {
        let (server, passkey) = try await Self.dana { $0.limits = TimeLimits() }
        for guess in 0..<10 { _ = try await server.signIn(password: "guess-\(guess)") }
        #expect(try await server.signIn()["error_codes"] == [50_053])
        #expect(try await passkey.signIn(server.passwordClient).status == 200)
        #expect(try await server.signIn()["error_codes"] == [50_053])
    }

    @Test("SEC-ENR-10: a passkey that a recovery code led to is no sign-in alone for 72 hours")
    func rests() async throws {
        let (server, passkey) = try await Self.dana()
        _ = try await server.rows("UPDATE strong_methods SET enrolled_under = 'recoveryCode'")
        let options = try await TestPasskey.begin(server.passwordClient)
        expectRefused(try await TestPasskey.token(try await passkey.sign(options), options, server.passwordClient))
        server.clock.advance(by: 72 * 3_600)
        #expect(try await passkey.signIn(server.passwordClient).status == 200)
    }

    @Test("SEC-ENR-8: a passkey that the mailbox alone enrolled is one factor, and no code of the mailbox")
    func ofTheMailbox() async throws {
        let (server, passkey) = try await Self.dana()
        _ = try await server.rows("UPDATE strong_methods SET enrolled_under = 'mailbox'")
        let tokens = try await passkey.signIn(server.passwordClient, scope: AccountCaller.scope)
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["user", "pop"])
        // It takes the account away from its owner neither before it is removed nor after.
        let caller = try AccountCaller(tokens, server)
        let change = AccountCaller.beta + "/nativeAuth.changeEmail"
        for _ in 0..<2 {
            let begun = try await caller.send("POST", change, #"{"emailAddress":"thief@evil.example"}"#)
            #expect(begun.status == 401 || begun.text("targetLabel")?.contains("evil") == false, "\(begun)")
            _ = try await server.rows("DELETE FROM strong_methods")
        }
    }

    @Test("SEC-ENR-7: who had the mailbox of a user of codes for a moment does not keep the account by a passkey")
    func aMomentInTheMailbox() async throws {
        let server = try Self.server()
        _ = try await server.signUp(Self.erik)
        let thief = try await TestPasskey.add(to: try await AccountCaller.withCode(server, Self.erik))
        let tokens = try await thief.signIn(server.client(), scope: AccountCaller.scope)
        let caller = try AccountCaller(tokens, server)
        let path = AccountCaller.me + "/authentication/fido2Methods"
        let listed = try await caller.send("GET", path)
        let id = try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
        // The passkey changes nothing of the account without the mailbox.
        for (method, address, body) in [
            ("POST", AccountCaller.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"thief@evil.example"}"#),
            ("POST", AccountCaller.beta + "/nativeAuth.addPasskey", "{}"), ("DELETE", AccountCaller.me, nil),
            ("DELETE", path + "/" + id, nil),
        ] as [(String, String, String?)] {
            #expect(try await caller.send(method, address, body).status == 401, "\(address)")
        }
        // The owner takes it back by the mailbox.
        let owner = try await AccountCaller.withCode(server, Self.erik)
        #expect(try await owner.send("DELETE", path + "/" + id).status == 204)
        let options = try await TestPasskey.begin(server.client())
        expectRefused(
            try await TestPasskey.token(try await thief.sign(options), options, server.client()), unknown: true)
    }

    @Test("SEC-PK-20: what is known of a disabled account is told to the holder of its passkey alone")
    func disabledAndWrong() async throws {
        let (server, passkey) = try await Self.dana()
        try await server.setDisabled(true)
        passkey.device.behaviour.lies = [.badSignature]
        let options = try await TestPasskey.begin(server.passwordClient)
        expectRefused(try await TestPasskey.token(try await passkey.sign(options), options, server.passwordClient))
    }

    @Test("A user of codes adds a passkey, and signs in with it where two factors are required")
    func userOfCodes() async throws {
        let server = try Self.server()
        _ = try await server.signUp(Self.erik)
        let passkey = try await TestPasskey.add(to: try await AccountCaller.withCode(server, Self.erik))
        let client = server.client(id: FactorDirectory.oneTimePasscode)
        let tokens = try await passkey.signIn(client)
        #expect(tokens.status == 200, "\(tokens)")
        #expect(try claims(of: tokens.text("access_token"))["amr"] == ["hwk", "user", "mfa", "pop"])
    }

    @Test("No passkey signs in to a disabled account, or at a tenant without passkeys")
    func disabled() async throws {
        let (server, passkey) = try await Self.dana()
        try await server.setDisabled(true)
        let options = try await TestPasskey.begin(server.passwordClient)
        let answer = try await TestPasskey.token(try await passkey.sign(options), options, server.passwordClient)
        expectError(answer, "invalid_grant", 50_057)
        let without = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            var contoso = TenantDirectory.development.entries[0]
            contoso.tenant.passkeys = nil
            ports.clients = TenantDirectory([contoso])
        }
        let refused = try await without.passwordClient.post(
            .signInInitiate, [("challenge_type", TestPasskey.words)])
        expectError(refused, "unauthorized_client", 70_001)
    }
}

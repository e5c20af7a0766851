import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// What a signed-in user does with the own account, on the directory API (docs/protocol.md §18).
@Suite struct AccountChangeTests {
    private static let dana = IdentityTestServer.email
    private static let me = "/graph/v1.0/me"
    private static let beta = "/graph/beta/me"
    private static let scope = "openid profile offline_access User.ReadWrite"

    private typealias Caller = AccountCaller

    private func caller(_ answer: WireAnswer, _ server: IdentityTestServer) throws -> Caller {
        try Caller(answer, server)
    }

    private func withPassword(_ server: IdentityTestServer, _ email: String = dana) async throws -> Caller {
        try await Caller.withPassword(server, email)
    }

    private func withCode(_ server: IdentityTestServer, _ email: String) async throws -> Caller {
        try await Caller.withCode(server, email)
    }

    private func refresh(_ caller: Caller, with client: WireClient) async throws -> WireAnswer {
        try await client.post(
            .token,
            [("grant_type", "refresh_token"), ("refresh_token", caller.refreshToken), ("scope", Self.scope)])
    }

    private func expectError(
        _ answer: WireAnswer, _ status: Int, _ code: String, detail: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(answer)", sourceLocation: location)
        #expect(answer["error"]?["code"] == .string(code), "\(answer)", sourceLocation: location)
        #expect(
            answer["error"]?["details"]?.array.first?["code"]?.string == detail, "\(answer)", sourceLocation: location)
    }

    // MARK: Sessions

    @Test("Sessions are listed with application, device and network; ending one ends its tokens")
    func sessions() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let (first, second) = (try await withPassword(server), try await withPassword(server))
            let listed = try await second.send("GET", Self.beta + "/nativeAuthSessions")
            let sessions = listed["value"]?.array ?? []
            #expect(sessions.count == 2, "\(listed)")
            #expect(sessions.count { $0["isCurrent"] == .boolean(true) } == 1)
            #expect(sessions.allSatisfy { $0["appId"]?.string == server.passwordClient.clientID })
            let other = try #require(sessions.first { $0["isCurrent"] == .boolean(false) }?["id"]?.string)
            #expect(try await second.send("DELETE", Self.beta + "/nativeAuthSessions/\(other)").status == 204)
            #expect(try await !first.isLive)
            #expect(try await second.isLive)
            #expect(try await refresh(first, with: server.passwordClient).status == 400)
            // It is gone, as is one of another user and one that never was.
            for id in [other, UUID().uuidString, "x"] {
                expectError(
                    try await second.send("DELETE", Self.beta + "/nativeAuthSessions/\(id)"), 404,
                    "Request_ResourceNotFound")
            }
            #expect(try await server.audited(.sessionsEnded) == 1)
        }
    }

    @Test("A user ends no session of another user")
    func foreignSessions() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            try await server.signUpWithPassword("alex@example.com", alias: nil)
            let (dana, alex) = (try await withPassword(server), try await withPassword(server, "alex@example.com"))
            let listed = try await alex.send("GET", Self.beta + "/nativeAuthSessions")
            let id = try #require(listed["value"]?.array.first?["id"]?.string)
            expectError(
                try await dana.send("DELETE", Self.beta + "/nativeAuthSessions/\(id)"), 404, "Request_ResourceNotFound")
            #expect(try await alex.isLive)
        }
    }

    @Test("Ending the others keeps this session, ending all ends it; a thief's refresh token does not live on")
    func endOthersAndAll() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let (thief, owner) = (try await withPassword(server), try await withPassword(server))
            server.clock.advance(by: .seconds(5))
            #expect(try await owner.send("POST", Self.beta + "/nativeAuth.endOtherSessions").status == 204)
            #expect(try await !thief.isLive)
            #expect(try await owner.isLive)
            #expect(try await refresh(thief, with: server.passwordClient).status == 400)
            #expect(try await owner.send("POST", Self.me + "/revokeSignInSessions")["value"] == .boolean(true))
            #expect(try await !owner.isLive)
            #expect(try await refresh(owner, with: server.passwordClient).status == 400)
        }
    }

    // MARK: Password

    @Test("A change of the password ends the other sessions, keeps this one, and can be repeated")
    func changePassword() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let (other, caller) = (try await withPassword(server), try await withPassword(server))
            server.clock.advance(by: .seconds(5))
            let body =
                #"{"currentPassword":"\#(WireClient.password)","newPassword":"\#(WireClient.newPassword)"}"#
            let done = try await caller.send("POST", Self.me + "/changePassword", body)
            #expect(done.status == 204, "\(done)")
            #expect(try await caller.isLive)
            #expect(try await !other.isLive)
            #expect(try await refresh(other, with: server.passwordClient).status == 400)
            let again = try await caller.send("POST", Self.me + "/changePassword", body)
            #expect(again.status == 204, "as after a lost answer: \(again)")
            #expect(try await server.audited(.passwordChanged) == 1)
            #expect(try await server.signIn().status == 400)
            #expect(try await server.signIn(password: WireClient.newPassword).status == 200)
            #expect(try await server.mailbox.mails().contains { $0.purpose == .passwordChanged && $0.to == Self.dana })
        }
    }

    @Test("A wrong current password counts like a wrong one at sign-in, and a bad new one changes nothing")
    func changePasswordRefused() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            func change(_ current: String?, _ new: String) async throws -> WireAnswer {
                let old = current.map { #""currentPassword":"\#($0)","# } ?? ""
                return try await caller.send("POST", Self.me + "/changePassword", "{\(old)\"newPassword\":\"\(new)\"}")
            }
            let before = try await server.storedUsers()
            expectError(
                try await change("wrong-one", WireClient.newPassword), 400, "Request_BadRequest",
                detail: "InvalidPassword")
            expectError(
                try await change(nil, WireClient.newPassword), 400, "Request_BadRequest", detail: "InvalidPassword")
            expectError(
                try await change(WireClient.password, "short"), 400, "Request_BadRequest",
                detail: "password_too_short")
            expectError(
                try await change(WireClient.password, WireClient.password), 400, "Request_BadRequest",
                detail: "password_recently_used")
            #expect(try await server.storedUsers() == before)
        }
    }

    @Test("SEC-LOCK-1: guesses at the current password lock like those at sign-in, for both")
    func lockout() async throws {
        let server = try FactorDirectory.server { $0.limits = TimeLimits() }
        try await server.signUpWithPassword()
        let caller = try await withPassword(server)
        func change(_ current: String) async throws -> WireAnswer {
            try await caller.send(
                "POST", Self.me + "/changePassword",
                #"{"currentPassword":"\#(current)","newPassword":"\#(WireClient.newPassword)"}"#)
        }
        for guess in 0..<10 {
            expectError(try await change("guess-\(guess)"), 400, "Request_BadRequest", detail: "InvalidPassword")
        }
        let locked = try await change(WireClient.password)
        expectError(locked, 429, "TooManyRequests", detail: "AccountLocked")
        #expect(locked.headers["retry-after"] == "60")
        #expect(try await server.signIn().headers["retry-after"] != nil)
        server.clock.advance(by: 60)
        #expect(try await change(WireClient.password).status == 204)
    }

    // MARK: E-mail

    @Test("A new address is proven, the old one is told; the session stays, the old name is kept from others")
    func changeEmail() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            let caller = try await withCode(server, "erik@example.com")
            let begun = try await caller.send(
                "POST", Self.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"erik@new.example"}"#)
            #expect(begun.status == 202, "\(begun)")
            let token = try #require(begun.text("continuationToken"))
            expectError(
                try await caller.send(
                    "POST", Self.beta + "/nativeAuth.confirmEmail",
                    #"{"continuationToken":"\#(token)","code":"00000000"}"#), 400, "Request_BadRequest",
                detail: "invalid_oob_value")
            let code = try await server.mailbox.code(to: "erik@new.example")
            let confirm = #"{"continuationToken":"\#(token)","code":"\#(code)"}"#
            let done = try await caller.send("POST", Self.beta + "/nativeAuth.confirmEmail", confirm)
            #expect(done.status == 204, "\(done)")
            #expect(try await caller.send("POST", Self.beta + "/nativeAuth.confirmEmail", confirm).status == 204)
            #expect(try await caller.send("GET", Self.me).text("mail") == "erik@new.example")
            #expect(try await server.signInWithCode("erik@new.example").status == 200)
            #expect(try await server.client().initiate("erik@example.com").status == 400)
            // The old address is at rest: no other user signs up with it while its owner can take the change back.
            let taken = try await server.client().start("erik@example.com")
            #expect(taken.text("error") == "user_already_exists", "\(taken)")

            let undo = try #require(
                try await server.mailbox.mails().first { $0.purpose == .emailChanged && $0.to == "erik@example.com" }?
                    .code)
            let client = server.client()
            func takeBack(_ code: String) async throws -> WireAnswer {
                try await client.send(
                    client.request(
                        "POST", "/graph/beta/nativeAuth.undoEmailChange", headers: ["content-type": "application/json"],
                        body: Data(#"{"tenant":"contoso","code":"\#(code)"}"#.utf8)))
            }
            expectError(
                try await takeBack(String(repeating: "1", count: 24)), 400, "Request_BadRequest",
                detail: "invalid_oob_value")
            #expect(try await takeBack(undo).status == 204)
            #expect(try await !caller.isLive)
            #expect(try await server.signInWithCode("erik@example.com").status == 200)
            #expect(try await takeBack(undo).status == 400, "a code works once")
        }
    }

    @Test("SEC-ENR-2: with the password alone, the own mailbox is proven before another one takes its place")
    func passwordAloneChangesNoAddress() async throws {
        for (enrolment, operations) in [
            (EnrolmentMode.proven, ["changeEmail", "addEmailMethod"]), (.compatible, ["changeEmail"]),
        ] {
            let server = try FactorDirectory.server { $0.enrolment = enrolment }
            try await server.signUpWithPassword()
            let thief = try await withPassword(server)
            for operation in operations {
                let begun = try await thief.send(
                    "POST", Self.beta + "/nativeAuth.\(operation)", #"{"emailAddress":"thief@example.org"}"#)
                #expect(begun.status == 202, "\(begun)")
                #expect(try await server.mailbox.mails().first?.to == Self.dana, "the code goes to the owner")
                #expect(try await server.mailbox.mails().first?.purpose == .accountChange)
            }
            #expect(try await server.storedUsers().first?.email == Self.dana)
        }
    }

    @Test("With the password, both mailboxes are proven in one flow")
    func bothMailboxes() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            let path = Self.beta + "/nativeAuth.changeEmail"
            let begun = try await caller.send("POST", path, #"{"emailAddress":"dana@new.example"}"#)
            let own = try await server.mailbox.code(to: Self.dana)
            let proven = try await caller.send(
                "POST", Self.beta + "/nativeAuth.confirmEmail",
                #"{"continuationToken":"\#(try #require(begun.text("continuationToken")))","code":"\#(own)"}"#)
            #expect(proven.status == 202 && proven["codeLength"] == nil, "\(proven)")
            let next = try #require(proven.text("continuationToken"))
            let sent = try await caller.send("POST", path, #"{"continuationToken":"\#(next)"}"#)
            #expect(sent.status == 202, "\(sent)")
            let code = try await server.mailbox.code(to: "dana@new.example")
            let done = try await caller.send(
                "POST", Self.beta + "/nativeAuth.confirmEmail",
                #"{"continuationToken":"\#(try #require(sent.text("continuationToken")))","code":"\#(code)"}"#)
            #expect(done.status == 204, "\(done)")
            #expect(try await server.signIn("dana@new.example").status == 200)
        }
    }

    @Test("A taken address is answered as a free one until its mailbox is proven")
    func takenAddress() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            _ = try await server.signUp("alex@example.com")
            let caller = try await withCode(server, "erik@example.com")
            let begun = try await caller.send(
                "POST", Self.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"alex@example.com"}"#)
            #expect(begun.status == 202)
            let code = try await server.mailbox.code(to: "alex@example.com")
            let token = try #require(begun.text("continuationToken"))
            expectError(
                try await caller.send(
                    "POST", Self.beta + "/nativeAuth.confirmEmail",
                    #"{"continuationToken":"\#(token)","code":"\#(code)"}"#), 400, "Request_BadRequest",
                detail: "ObjectConflict")
            #expect(try await server.storedUsers().map(\.email).sorted() == ["alex@example.com", "erik@example.com"])
        }
    }

    @Test("Another user's continuation token does not work, nor one after a reset of the password")
    func confusedTokens() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("erik@example.com")
            _ = try await server.signUp("alex@example.com")
            let (erik, alex) = (
                try await withCode(server, "erik@example.com"), try await withCode(server, "alex@example.com")
            )
            let begun = try await erik.send(
                "POST", Self.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"erik@new.example"}"#)
            let token = try #require(begun.text("continuationToken"))
            let code = try await server.mailbox.code(to: "erik@new.example")
            expectError(
                try await alex.send(
                    "POST", Self.beta + "/nativeAuth.confirmEmail",
                    #"{"continuationToken":"\#(token)","code":"\#(code)"}"#), 400, "Request_BadRequest",
                detail: "ContinuationTokenInvalid")
            // The native endpoints do not take it.
            let native = try await server.client().submit(code: code, token)
            #expect(native.status == 400, "\(native)")
            #expect(try await server.storedUsers().count == 2)
        }
    }

    // MARK: Proof

    @Test("An old sign-in is not proof enough: the answer asks for another one, and changes nothing")
    func staleProof() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            server.clock.advance(by: .seconds(601))
            for (method, path, body) in [
                ("DELETE", Self.me, nil),
                ("POST", Self.beta + "/nativeAuth.changeEmail", #"{"emailAddress":"a@b.example"}"#),
                ("POST", Self.beta + "/nativeAuth.addEmailMethod", #"{"emailAddress":"a@b.example"}"#),
                ("DELETE", Self.me + "/authentication/emailMethods/\(UUID().uuidString)", nil),
            ] as [(String, String, String?)] {
                let answer = try await caller.send(method, path, body)
                expectError(answer, 401, "InvalidAuthenticationToken")
                #expect(answer.headers["www-authenticate"]?.contains("insufficient_claims") == true, "\(answer)")
            }
            #expect(try await caller.isLive)
            #expect(try await server.storedUsers().count == 1)
        }
    }

    @Test("SEC-ENR-3: an account with a second factor asks for it before anything that could replace it")
    func secondFactorFirst() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithTwoFactors()
            let thief = try await withPassword(server)
            let answer = try await thief.send("DELETE", Self.me)
            expectError(answer, 401, "InvalidAuthenticationToken")
            let challenge = try #require(answer.headers["www-authenticate"])
            let encoded = try #require(challenge.split(separator: "claims=\"").last?.split(separator: "\"").first)
            let claims = String(decoding: Data(base64Encoded: String(encoded)) ?? Data(), as: UTF8.self)
            #expect(claims.contains(#""acrs""#), "\(claims)")
            #expect(try await server.storedUsers().count == 1)
        }
    }

    // MARK: Methods

    @Test("Methods are listed masked, added with proofs, named, and removed")
    func methods() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            #expect(try await caller.prove("erik@home.example", by: "addEmailMethod", "confirmEmailMethod") == 204)
            let listed = try await caller.send("GET", Self.me + "/authentication/methods")
            let method = try #require(listed["value"]?.array.last, "\(listed)")
            #expect(method["emailAddress"]?.string?.contains("erik@home.example") == false)
            let id = try #require(method["id"]?.string)
            let path = Self.beta + "/authentication/emailMethods/\(id)"
            #expect(try await caller.send("PATCH", path, #"{"displayName":"Home"}"#).status == 204)
            let named = try await caller.send("GET", Self.me + "/authentication/emailMethods")
            #expect(named["value"]?.array.first?["displayName"]?.string == "Home")
            let long = String(repeating: "x", count: 65)
            expectError(
                try await caller.send("PATCH", path, "{\"displayName\":\"\(long)\"}"), 400, "Request_BadRequest")
            // A session of one factor does not remove the second one.
            expectError(
                try await caller.send("DELETE", Self.me + "/authentication/emailMethods/\(id)"), 401,
                "InvalidAuthenticationToken")
            #expect(try await server.audited(.methodRegistered) == 1)
        }
    }

    @Test("A user with both factors removes a method, and every mailbox is told")
    func removal() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithTwoFactors()
            let strong = try await server.signInWithSecondFactor()
            let refreshed = try await server.passwordClient.post(
                .token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try #require(strong.text("refresh_token"))),
                    ("scope", Self.scope),
                ])
            let caller = try caller(refreshed, server)
            let listed = try await caller.send("GET", Self.me + "/authentication/emailMethods")
            let id = try #require(listed["value"]?.array.first?["id"]?.string, "\(listed)")
            #expect(listed["value"]?.array.first?["lastUsedDateTime"] != nil, "the sign-in used it")
            let done = try await caller.send("DELETE", Self.me + "/authentication/emailMethods/\(id)")
            #expect(done.status == 204, "\(done)")
            let told = try await server.mailbox.mails().filter { $0.purpose == .methodRemoved }.map(\.to)
            #expect(Set(told) == [Self.dana, IdentityTestServer.contact])
            #expect(try await caller.isLive)
        }
    }

    // MARK: Alias

    @Test("SEC-MAIL-1: the mail of a change wakes the worker after the change is stored")
    func wakesTheWorker() async throws {
        let signal = MailSignal()
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.mail = signal
        }
        try await server.signUpWithPassword()
        let caller = try await withPassword(server)
        var wakeUps = signal.wakeUps.makeAsyncIterator()
        // The signals of the sign-up are one.
        #expect(await wakeUps.next() != nil)
        #expect(try await caller.send("DELETE", Self.me).status == 204)
        let worker = Task { [wakeUps] in
            var wakeUps = wakeUps
            return await wakeUps.next() != nil
        }
        let patience = Task {
            try await Task.sleep(for: .seconds(5))
            worker.cancel()
        }
        #expect(await worker.value)
        patience.cancel()
    }

    @Test("SEC-ID-8: an alias is kept from others for 90 days, and its user can take it back")
    func alias() async throws {
        let flow = UserFlow(
            method: .emailPassword,
            attributes: AttributeDefinition.builtIn.map { definition in
                var definition = definition
                definition.userMayChange = true
                return definition
            })
        #expect(flow.judgeChanges([ProfileChange("flatusername", .value(.string("dana.q")))]).isAccepted)
        #expect(!UserFlow(method: .emailPassword).judgeChanges([ProfileChange("flatusername", .remove)]).isAccepted)
    }

    // MARK: Deletion

    @Test("A deleted account leaves nothing behind but its audit trail, and cannot be deleted twice")
    func deletion() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            let done = try await caller.send("DELETE", Self.me)
            #expect(done.status == 204, "\(done)")
            #expect(try await caller.send("DELETE", Self.me).status == 204, "as after a lost answer")
            #expect(try await !caller.isLive)
            #expect(try await refresh(caller, with: server.passwordClient).status == 400)
            #expect(try await server.storedUsers().isEmpty)
            for table in [
                "identifiers", "attributes", "refresh_families", "strong_methods", "known_networks", "email_undos",
            ] {
                #expect(try await server.rows("SELECT COUNT(*) FROM \(table)") == [["0"]], "\(table)")
            }
            #expect(try await server.rows("SELECT COUNT(*) FROM outbox WHERE \"user\" IS NOT NULL") == [["0"]])
            #expect(try await server.audited(.accountDeleted) == 1)
            #expect(try await server.mailbox.mails().first?.purpose == .accountDeleted)
            // The address is free for a new user at once, the alias is not (SEC-ID-8).
            let alias = try await server.passwordClient.start(
                "eve@example.com",
                [
                    ("password", WireClient.password),
                    ("attributes", #"{"flatusername":"\#(IdentityTestServer.alias)"}"#),
                ])
            #expect(alias.text("error") == "user_already_exists", "\(alias)")
            try await server.signUpWithPassword(alias: nil)
            let user = try #require(try await server.storedUsers().first)
            #expect(user.alias == nil && user.attributes.isEmpty)
            #expect(try await !caller.isLive, "a token of the old account")
            server.clock.advance(by: .seconds(90 * 86_400 + 1))
            let later = try await server.passwordClient.start(
                "eve@example.com",
                [
                    ("password", WireClient.password),
                    ("attributes", #"{"flatusername":"\#(IdentityTestServer.alias)"}"#),
                ])
            #expect(later.status == 200, "\(later)")
        }
    }

    @Test("A copy of the data holds everything the user can be shown, and no secret")
    func export() async throws {
        try await withIdentityServer { server in
            try await server.signUpWithPassword()
            let caller = try await withPassword(server)
            let copy = try await caller.send("GET", Self.beta + "/nativeAuth.export")
            #expect(copy.status == 200, "\(copy)")
            #expect(copy["user"]?["mail"]?.string == Self.dana)
            #expect(copy["sessions"]?.array.count == 1)
            #expect(copy["methods"]?.array.count == 1)
            #expect(copy["activity"]?.array.contains { $0["event"]?.string == "signup.completed" } == true)
            let text = String(decoding: copy.body, as: UTF8.self)
            #expect(!text.contains("argon2") && !text.contains("scrypt") && !text.contains(caller.refreshToken))
        }
    }
}

extension DirectoryAnswer {
    fileprivate var isAccepted: Bool {
        switch self {
        case .accepted: true
        case .refused: false
        }
    }
}

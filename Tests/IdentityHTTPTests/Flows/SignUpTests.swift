import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("Sign-up, from start to account") struct SignUpTests {
    private static let challengeMembers: Set<String> = [
        "challenge_type", "continuation_token", "challenge_channel", "challenge_target_label", "code_length",
        "interval", "binding_method",
    ]

    /// A code was sent: docs/protocol.md §4.2.
    private func expectCodeSent(_ answer: WireAnswer, label: String = "d***a@ex***le.com") {
        expectSuccess(answer, Self.challengeMembers)
        #expect(answer["challenge_type"] == "oob")
        #expect(answer["challenge_channel"] == "email")
        #expect(answer["challenge_target_label"] == .string(label))
        #expect(answer["code_length"] == 8)
        #expect(answer["interval"] == 0)
        #expect(answer["binding_method"] == "prompt")
    }

    private func expectMissing(_ answer: WireAnswer, _ names: [String]) {
        expectError(answer, "attributes_required", 55_106, carriesToken: true)
        #expect(
            answer["required_attributes"]
                == .array(
                    names.map { .object(["name": .string($0), "type": "string", "required": true]) }))
    }

    @Test("docs/protocol.md §8.1: a one-time passcode makes an account, and the account signs in")
    func aCodeMakesAnAccount() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let started = try await client.start()
            expectSuccess(started, ["continuation_token"])
            let sent = try await client.challenge(started.token)
            expectCodeSent(sent)
            #expect(try await server.users() == 0)
            let done = try await client.submit(code: server.mailbox.code(to: "dana@example.com"), sent.token)
            expectSuccess(done, ["continuation_token"])
            #expect(try await server.users() == 1)
            expectSuccess(try await client.redeem(done.token), WireClient.tokenMembers)
            #expect(try await server.rows("SELECT display, kind FROM identifiers") == [["dana@example.com", "email"]])
            #expect(try await server.rows("SELECT password_hash FROM users") == [[nil]])
        }
    }

    @Test("docs/protocol.md §8.1: with a password at start the server asks for none later")
    func aPasswordAtStartIsEnough() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let done = try await server.signUp(with: client, [("password", WireClient.password)])
            expectSuccess(done, ["continuation_token"])
            let phc = try #require(try await server.rows("SELECT password_hash FROM users").first?.first ?? nil)
            #expect(phc.hasPrefix("$scrypt-test$"))
            expectSuccess(try await client.redeem(done.token), WireClient.tokenMembers)
        }
    }

    @Test("docs/protocol.md §4.3: without a password, credential_required leads to a challenge that requires one")
    func aPasswordCanComeLater() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let needed = try await server.signUp(with: client)
            expectError(needed, "credential_required", 55_103, carriesToken: true)
            let wanted = try await client.challenge(
                needed.token, [("challenge_type", WireClient.challengeTypes)])
            expectSuccess(wanted, ["challenge_type", "continuation_token"])
            #expect(wanted["challenge_type"] == "password")
            #expect(try await server.users() == 0)
            let done = try await client.submit(password: WireClient.password, wanted.token)
            expectSuccess(done, ["continuation_token"])
            #expect(try await server.users() == 1)
            // A challenge for a password sends no mail.
            #expect(try await server.mailbox.mails().count == 1)
        }
    }

    @Test("docs/protocol.md §11.4: attributes at start are stored with the account")
    func attributesAtStartAreStored() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let done = try await server.signUp(
                with: client, [("attributes", #"{"country":"Denmark","city":"Århus","jobTitle":"Skipper 🚢"}"#)])
            expectSuccess(done, ["continuation_token"])
            #expect(
                try await server.storedUsers().map(\.attributes)
                    == [["city": "Århus", "country": "Denmark", "jobTitle": "Skipper 🚢"]])
        }
    }

    @Test("docs/protocol.md §4.3: missing attributes are asked for after the code, on one page")
    func attributesAreAskedForAfterTheCode() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp(with: client)
            expectMissing(asked, ["country", "city"])
            #expect(try await server.users() == 0)
            let done = try await client.submit(
                attributes: #"{"country":"Denmark","city":"Aarhus","displayName":"Dana"}"#, asked.token)
            expectSuccess(done, ["continuation_token"])
            #expect(
                try await server.storedUsers().map(\.attributes)
                    == [["city": "Aarhus", "country": "Denmark", "displayName": "Dana"]])
        }
    }

    @Test("docs/protocol.md §8.1: attributes may come on several pages")
    func attributesMayComeOnSeveralPages() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp(with: client)
            let more = try await client.submit(attributes: #"{"city":"Aarhus"}"#, asked.token)
            expectMissing(more, ["country"])
            let nothing = try await client.submit(attributes: "{}", more.token)
            expectMissing(nothing, ["country"])
            let optional = try await client.submit(attributes: #"{"surname":"Berg"}"#, nothing.token)
            expectMissing(optional, ["country"])
            let done = try await client.submit(attributes: #"{"country":"Denmark"}"#, optional.token)
            expectSuccess(done, ["continuation_token"])
            #expect(
                try await server.storedUsers().map(\.attributes)
                    == [["city": "Aarhus", "country": "Denmark", "surname": "Berg"]])
        }
    }

    @Test("docs/protocol.md §4.3: some at start, the rest later; the later value of a name counts")
    func someAttributesAtStartTheRestLater() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp(with: client, [("attributes", #"{"city":"Aarhus"}"#)])
            expectMissing(asked, ["country"])
            let done = try await client.submit(attributes: #"{"country":"Denmark","city":"Odense"}"#, asked.token)
            expectSuccess(done, ["continuation_token"])
            #expect(
                try await server.storedUsers().map(\.attributes)
                    == [["city": "Odense", "country": "Denmark"]])
        }
    }

    @Test("docs/protocol.md §8.1: the password comes first, attributes last")
    func thePasswordComesBeforeAttributes() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPasswordWithAttributes)
            let needed = try await server.signUp(with: client)
            expectError(needed, "credential_required", 55_103, carriesToken: true)
            let wanted = try await client.challenge(needed.token)
            let asked = try await client.submit(password: WireClient.password, wanted.token)
            expectMissing(asked, ["country", "city"])
            #expect(try await server.users() == 0)
            let done = try await client.submit(attributes: IdentityTestServer.address, asked.token)
            expectSuccess(done, ["continuation_token"])
            #expect(try await server.users() == 1)
        }
    }

    @Test("docs/protocol.md §4.3: everything at start means nothing after the code")
    func everythingAtStartMeansNothingAfterTheCode() async throws {
        try await withIdentityServer { server in
            let done = try await server.signUp(
                with: server.client(.emailPasswordWithAttributes),
                [("password", WireClient.password), ("attributes", IdentityTestServer.address)])
            expectSuccess(done, ["continuation_token"])
        }
    }

    @Test("docs/protocol.md §4.3: attributes before the code are noted, and the address is to be verified first")
    func attributesBeforeTheCodeWantTheCodeFirst() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let sent = try await client.challenge(client.start().token)
            let early = try await client.submit(attributes: IdentityTestServer.address, sent.token)
            expectError(early, "verification_required", 90_023, carriesToken: true)
            #expect(early["unverified_attributes"] == [["name": "email"]])
            let done = try await client.submit(code: server.mailbox.code(to: "dana@example.com"), early.token)
            expectSuccess(done, ["continuation_token"])
            #expect(try await server.count("SELECT COUNT(*) FROM attributes") == 2)
        }
    }

    @Test("docs/protocol.md §11.4: with optional attributes only, none can be added after the code")
    func optionalAttributesCannotFollowTheCode() async throws {
        try await withIdentityServer { server in
            let done = try await server.signUp()
            let answer = try await server.client().submit(attributes: #"{"city":"Aarhus"}"#, done.token)
            expectError(answer, "invalid_request", 55_200)
        }
    }

    @Test("docs/protocol.md §17 row 1: the alias is an identifier besides the address, at start or later")
    func theAliasIsAnIdentifier() async throws {
        try await withIdentityServer { server in
            _ = try await server.signUp("a@example.com", [("attributes", #"{"flatusername":"Dana.Berg"}"#)])
            let client = server.client(.emailOneTimePasscodeWithAttributes)
            let asked = try await server.signUp("b@example.com", with: client)
            let done = try await client.submit(
                attributes: #"{"flatusername":"Erik","country":"Norway","city":"Oslo"}"#, asked.token)
            expectSuccess(done, ["continuation_token"])
            #expect(
                try await server.rows("SELECT kind, display FROM identifiers ORDER BY kind, display") == [
                    ["alias", "Dana.Berg"], ["alias", "Erik"], ["email", "a@example.com"], ["email", "b@example.com"],
                ])
            #expect(try await server.count("SELECT COUNT(*) FROM attributes WHERE name = 'flatusername'") == 0)
        }
    }

    @Test(
        "docs/protocol.md §3.2, §3.4: a client that lacks a type is sent to the web, without a token",
        arguments: [
            ("oob redirect", IdentityTestServer.Application.emailPassword),
            ("password redirect", .emailPassword), ("password redirect", .emailOneTimePasscode),
            ("redirect", .emailOneTimePasscode), ("redirect", .emailPasswordWithAttributes),
        ])
    func aClientThatLacksATypeIsSentToTheWeb(_ list: String, _ application: IdentityTestServer.Application)
        async throws
    {
        try await withIdentityServer { server in
            let client = server.client(application)
            let before = try await server.snapshot()
            let atStart = try await client.post(
                .signUpStart, [("username", "dana@example.com"), ("challenge_type", list)])
            let started = try await client.start()
            let atChallenge = try await client.challenge(started.token, [("challenge_type", list)])
            for answer in [atStart, atChallenge] {
                expectSuccess(answer, ["challenge_type", "redirect_reason"])
                #expect(answer["challenge_type"] == "redirect")
                #expect(answer.text("redirect_reason")?.hasPrefix("Client is missing ") == true)
            }
            #expect(try await server.snapshot() == before)
            // The flow continues for a client with more challenge types.
            #expect(try await client.challenge(started.token).status == 200)
        }
    }

    @Test(
        "docs/protocol.md §3.3, §16 row 1: capabilities are a list, under the older name and with commas too",
        arguments: [
            ("capabilities", "mfa_required registration_required"), ("capabilities", "registration_required"),
            ("capabilities", ""), ("capability", "mfa_required"),
            ("capability", "mfa_required,registration_required"), ("capabilities", "mfa_required, mfa_required"),
        ])
    func capabilitiesAreAList(_ name: String, _ list: String) async throws {
        try await withIdentityServer { server in
            let done = try await server.signUp(with: nil, [(name, list)])
            expectSuccess(done, ["continuation_token"])
        }
    }

    @Test(
        "SEC-ID-1: what is not one plain address is refused with 90100 and its phrase",
        arguments: [
            "invalid", "@example.com", "dana@", "dana@example", "dana@@example.com", "dana@example.com@evil.com",
            "dana@example..com", ".dana@example.com", "dana.@example.com", "da..na@example.com", "da na@example.com",
            "\"dana\"@example.com", "dana(x)@example.com", "dana%evil.com@example.com", "evil!dana@example.com",
            "dana@[127.0.0.1]", "dana@127.0.0.1", "<dana@example.com>", "Dana <dana@example.com>",
            "dana@example.com,eve@example.com", "dana@example.com;eve", "=?utf-8?q?dana?=@example.com",
            "dana@-example.com", "dana@example-.com", "dana@ex_ample.com", "dänä@example.com", "dana@exämple.com",
            "dana\u{212A}@example.com", "dana@ﬀ.com", "dana＠example.com", "dana@example.com\r\nBcc: eve@example.com",
            "dana@example.com.", "dana\u{202E}@example.com", " ",
        ])
    func whatIsNoAddressIsRefused(_ username: String) async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            let answer = try await server.client().start(username)
            expectError(answer, "invalid_request", 90_100)
            #expect(
                answer.text("error_description")?.contains("username parameter is empty or not valid") == true)
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-ID-1: an address of 254 bytes is accepted, one of 255 is not, and blanks around it are dropped")
    func theLongestAddressIsAccepted() async throws {
        try await withIdentityServer { server in
            func label(_ count: Int) -> String { String(repeating: "d", count: count) }
            let local = String(repeating: "l", count: 64)
            let longest = "\(local)@\(label(63)).\(label(63)).\(label(57)).com"
            #expect(longest.utf8.count == 254)
            #expect(try await server.client().start(longest).status == 200)
            let longer = "\(local)@\(label(63)).\(label(63)).\(label(58)).com"
            expectError(try await server.client().start(longer), "invalid_request", 90_100)
            expectError(try await server.client().start("l" + longest), "invalid_request", 90_100)

            let sent = try await server.client().challenge(server.client().start(" \tdana@example.com ").token)
            #expect(try await server.mailbox.mails().map(\.to) == ["dana@example.com"])
            expectCodeSent(sent)
        }
    }

    @Test(
        "SEC-ID-3: an address is taken in any letter case, and a similar-looking address does not take it",
        arguments: [
            ("dana@example.com", true), ("DANA@EXAMPLE.COM", true), (" Dana@Example.Com\t", true),
            ("dana+x@example.com", false), ("da.na@example.com", false), ("dana@example.org", false),
            ("dana@mail.example.com", false),
        ])
    func anAddressIsTakenInAnyLetterCase(_ username: String, _ isTaken: Bool) async throws {
        try await withIdentityServer { server in
            expectSuccess(try await server.signUp("Dana@example.com"), ["continuation_token"])
            let before = try await server.snapshot()
            let answer = try await server.client().start(username)
            if isTaken {
                expectError(answer, "user_already_exists", 1_003_037)
                #expect(try await server.snapshot() == before)
            } else {
                expectSuccess(answer, ["continuation_token"])
            }
        }
    }

    @Test("SEC-ID-4: mail goes to the address as it was typed, and the domain in lower case")
    func mailGoesToTheTypedAddress() async throws {
        try await withIdentityServer { server in
            _ = try await server.client().challenge(server.client().start("Dana.B@Example.COM").token)
            #expect(try await server.mailbox.mails().map(\.to) == ["Dana.B@example.com"])
        }
    }

    @Test("SEC-ID-9: a password given to a one-time-passcode application is refused, not dropped")
    func aPasswordForACodeApplicationIsRefused() async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().start("dana@example.com", [("password", WireClient.password)])
            expectError(answer, "invalid_request", 90_023)
        }
    }

    @Test("SEC-ID-9: nothing about an unproven person lies in the database, and no secret ever does")
    func nothingAboutAnUnprovenPersonIsStored() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let started = try await client.start(
                "dana.secret@example.com",
                [("password", WireClient.password), ("attributes", #"{"displayName":"Dagmar Hansen"}"#)])
            #expect(
                try await server.snapshot().values.allSatisfy(\.isEmpty), "start writes nothing (design record 0014)")
            let sent = try await client.challenge(started.token)
            let code = try await server.mailbox.code(to: "dana.secret@example.com")
            for stage in 0..<2 {
                let cells = try await server.snapshot().values.joined().joined().compactMap(\.self)
                var canaries = [code, WireClient.password, try sent.token, try started.token]
                if stage == 0 { canaries += ["dana.secret", "Dagmar", "scrypt-test"] }
                for canary in canaries {
                    let hexadecimal = canary.utf8.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
                    #expect(!cells.contains { $0.contains(canary) || $0.contains(hexadecimal) }, "\(canary)")
                }
                #expect(try await server.users() == stage)
                _ = try await client.submit(code: code, sent.token)
            }
        }
    }

    @Test("SEC-ID-9: a password set in a stranger's pending sign-up never works, and that sign-up ends")
    func aStrangersPendingPasswordNeverWorks() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let stranger = try await client.challenge(
                client.start("dana@example.com", [("password", "Fremmed-Kode-77!")]).token)
            let stolen = try await server.mailbox.code(to: "dana@example.com")
            let done = try await server.signUp(with: client, [("password", WireClient.password)])
            expectSuccess(done, ["continuation_token"])
            // Even the right code of that flow, if an attacker has it, is useless now.
            expectError(
                try await client.submit(code: stolen, stranger.token), "user_already_exists", 1_003_037)
            expectError(try await client.challenge(stranger.token), "invalid_request", 55_200)
            #expect(try await server.users() == 1)
            let phc = try #require(try await server.rows("SELECT password_hash FROM users").first?.first ?? nil)
            let hash = PasswordHash(phc: phc)
            #expect(try await server.engine.ports.hasher.verify(Secret(WireClient.password), against: hash))
            #expect(try await !server.engine.ports.hasher.verify(Secret("Fremmed-Kode-77!"), against: hash))
        }
    }

    @Test("SEC-OTP-14: the mail's language follows Accept-Language", arguments: ["en", "da", "zh-Hans", "ar", "ja"])
    func theMailsLanguageFollowsTheHeader(_ language: String) async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let started = try await client.start()
            _ = try await client.post(
                .signUpChallenge, [("continuation_token", started.token)],
                headers: ["accept-language": "xx, \(language);q=0.9, en;q=0.1"])
            #expect(try await server.mailbox.mails().map(\.language) == [language])
        }
    }

    // MARK: Passwords

    private static let refusedPasswords: [(String, String)] = [
        ("pässword-1A", "password_is_invalid"), ("Abc1!\u{7F}efgh", "password_is_invalid"),
        ("Kr4ftig\u{2011}Vinter82", "password_is_invalid"), ("Ab1!xyz", "password_too_short"),
        ("a", "password_too_short"),
        ("Kr4ftig-Vinter#82" + String(repeating: "x", count: 240), "password_too_long"),
        (String(repeating: "é", count: 600), "password_too_long"), ("kraftigvinter82", "password_too_weak"),
        ("alllowercase", "password_too_weak"), ("12345678901", "password_too_weak"), ("Password1!", "password_banned"),
        ("P@ssw0rd", "password_banned"), ("Qwerty123!", "password_banned"),
        // SEC-PWD-3, SEC-PWD-4: tenant, local part forward and backward, alias, names.
        ("C0nt0so-Vinter!82", "password_banned"), ("xx-Maibritt-77!", "password_banned"),
        ("xx-ttirbiaM-77!", "password_banned"), ("xx-S0lvang-77!", "password_banned"),
        ("xx-Gravesen-77!", "password_banned"),
    ]
    private static let person: Fields = [
        ("attributes", #"{"flatusername":"solvang","displayName":"Per Gravesen"}"#)
    ]

    @Test("SEC-PWD-1, SEC-PWD-3, SEC-PWD-4: a bad password is refused at start", arguments: refusedPasswords)
    func aBadPasswordIsRefusedAtStart(_ password: String, _ suberror: String) async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            let answer = try await server.client(.emailPassword)
                .start("maibritt@example.com", Self.person + [("password", password)])
            expectError(answer, "invalid_grant", 399_246, suberror: suberror)
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("SEC-PWD-1, SEC-WIRE-2: every bad password is refused later too, and the same token takes a good one")
    func aBadPasswordIsRefusedLater() async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let needed = try await server.signUp("maibritt@example.com", with: client, Self.person)
            let wanted = try await client.challenge(needed.token)
            for (password, suberror) in Self.refusedPasswords {
                expectError(
                    try await client.submit(password: password, wanted.token), "invalid_grant", 399_246,
                    suberror: suberror)
            }
            #expect(try await server.users() == 0)
            expectSuccess(
                try await client.submit(password: WireClient.password, wanted.token), ["continuation_token"])
        }
    }

    @Test(
        "SEC-PWD-1: the policy's own edges are accepted",
        arguments: [
            "Kr4ftig8", " Kr4ftig Vinter ", "Tr0ub-" + String(repeating: "xyzw", count: 62) + "9a",
            "~!@#$%^&*()_+aB", "ContoS-Bl@nkf9!",
        ])
    func theEdgesOfThePolicyAreAccepted(_ password: String) async throws {
        try await withIdentityServer { server in
            let client = server.client(.emailPassword)
            let done = try await server.signUp("a@example.com", with: client, [("password", password)])
            expectSuccess(done, ["continuation_token"])
            let phc = try #require(try await server.rows("SELECT password_hash FROM users").first?.first ?? nil)
            // Never trimmed and never cut.
            #expect(try await server.engine.ports.hasher.verify(Secret(password), against: PasswordHash(phc: phc)))
        }
    }
}

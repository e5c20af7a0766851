import Hummingbird
import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Dana has an account, with a password, an alias and a telephone, and Otto one without; Dino and Odil have none.
private enum Cast {
    static let dana = "dana@example.com"
    static let dino = "dino@example.com"
    static let otto = "otto@example.com"
    static let odil = "odil@example.com"
    static let danasNumber = "+1 555 555 0123"
    static let otherNumber = "+1 555 555 0143"
}

extension IdentityTestServer {
    /// A server whose tenant is in `mode`, with the limits of production, and with Dana and Otto, a day later.
    fileprivate static func server(
        _ mode: EnumerationMode?, adjust: (inout Engine.Ports) -> Void = { _ in }
    ) async throws -> IdentityTestServer {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.enumeration = mode
        entry.tenant.texts?.signsIn = true
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: start) { ports, settings in
            ports.clients = directory
            settings.limits = TimeLimits()
            settings.resendCooldown = 60
            settings.hasTextGateway = true
            adjust(&ports)
        }
        try await server.signUpWithPassword(Cast.dana)
        try await server.plantMethod(Cast.danasNumber, of: Cast.dana)
        _ = try await server.signUp(Cast.otto)
        _ = try await server.mailbox.mails()
        server.clock.advance(by: 86_400)
        return server
    }
}

/// What an attacker can see of an answer: everything except the random values, of which only the length remains.
private struct Seen: Hashable, CustomStringConvertible {
    var status: Int
    var headers: [String: String]
    var members: [String: JSON]
    var length: Int

    init(_ answer: WireAnswer, about name: String) {
        status = answer.status
        length = answer.body.count
        headers = answer.headers
        for header in ["client-request-id", "x-ms-request-id"] {
            headers[header] = headers[header].map { "\($0.count)" }
        }
        members = answer.members
        let random = ["continuation_token", "trace_id", "correlation_id", "timestamp"]
        var text = answer.text("error_description")
        for member in random {
            guard let value = answer.text(member) else { continue }
            members[member] = .integer(value.utf8.count)
            text = text?.replacing(value, with: "‹\(member)›")
        }
        if let text { members["error_description"] = .string(text) }
        // The label shows only what was typed.
        if let label = answer.text("challenge_target_label") {
            members["challenge_target_label"] = .string(label == Contact(name)?.masked ? "as typed" : label)
        }
    }

    var description: String { "\(status) \(length) \(members) \(headers)" }
}

/// A user with or without an account who takes steps; each answer is recorded as an attacker sees it.
private final class Visit {
    let server: IdentityTestServer
    let client: WireClient
    let name: String
    var seen: [Seen] = []

    init(_ server: IdentityTestServer, _ application: IdentityTestServer.Application, _ name: String) throws {
        self.server = server
        client = try server.client(application, from: "203.0.113.9")
        self.name = name
    }

    /// Takes a step.
    ///
    /// - Returns: The next token; "" when there is none.
    @discardableResult
    func take(_ step: (WireClient) async throws -> WireAnswer) async throws -> String {
        let answer = try await step(client)
        seen.append(Seen(answer, about: name))
        return answer.text("continuation_token") ?? ""
    }

    func wait(_ seconds: Double) { server.clock.advance(by: seconds) }
}

/// The actions with a name, from the first step to the end.
private enum Attack: String, CaseIterable, Sendable {
    case signInWithPassword, signInByAlias, signInWithCode, signInByNumber, reset, resetByAlias, signUp,
        signUpWithPassword

    var application: IdentityTestServer.Application {
        switch self {
        case .signInWithCode, .signUp: .emailOneTimePasscode
        case .signInWithPassword, .signInByAlias, .signInByNumber, .reset, .resetByAlias, .signUpWithPassword:
            .emailPassword
        }
    }

    /// A name with an account, and a similar one without.
    var names: (known: String, unknown: String) {
        switch self {
        case .signInWithPassword, .reset, .signUpWithPassword: (Cast.dana, Cast.dino)
        case .signInWithCode, .signUp: (Cast.otto, Cast.odil)
        case .signInByAlias, .resetByAlias: ("dana.k", "dino.k")
        case .signInByNumber: (Cast.danasNumber, Cast.otherNumber)
        }
    }

    func run(_ visit: Visit) async throws {
        switch self {
        case .signInWithPassword, .signInByAlias: try await passwords(visit)
        case .signInWithCode, .signInByNumber:
            try await codes(
                visit, start: { try await $0.initiate(visit.name) }, challenge: { try await $0.signInChallenge($1) },
                submit: { try await $0.token(code: $2, $1) })
        case .reset, .resetByAlias:
            try await codes(
                visit, start: { try await $0.resetStart(visit.name) }, challenge: { try await $0.resetChallenge($1) },
                submit: { try await $0.resetContinue($1, code: $2) })
        case .signUp, .signUpWithPassword:
            let password: Fields = self == .signUp ? [] : [("password", WireClient.password)]
            try await codes(
                visit, start: { try await $0.start(visit.name, password) }, challenge: { try await $0.challenge($1) },
                submit: { try await $0.submit(code: $2, $1) })
            let token = try await visit.take { try await $0.start(visit.name, [("attributes", #"{"city":"Aarhus"}"#)]) }
            let sent = try await visit.take { try await $0.challenge(token) }
            try await visit.take { try await $0.submit(attributes: #"{"city":"Ribe"}"#, sent) }
        }
    }

    /// Wrong passwords up to the lock, during it and after it; other steps in between; an aged token.
    private func passwords(_ visit: Visit) async throws {
        try await visit.take { try await $0.initiate(visit.name, types: "oob redirect") }
        var token = ""
        for guess in 1...14 {
            if guess % 4 == 1 {
                token = try await visit.take { try await $0.initiate(visit.name) }
                token = try await visit.take { try await $0.signInChallenge(token) }
            }
            try await visit.take { try await $0.token(password: "Wrong-Guess#\(guess)", token) }
            try await visit.take { try await $0.token(password: "Wrong-Guess#\(guess)", token) }
        }
        // During a lock, Dana's right password makes no difference.
        try await visit.take { try await $0.token(password: WireClient.password, token) }
        visit.wait(61)
        for guess in 15...16 { try await visit.take { try await $0.token(password: "Wrong-Guess#\(guess)", token) } }
        try await visit.take { try await $0.token(password: String(repeating: "Aa1!", count: 500), token) }
        try await visit.take { try await $0.token(code: "12345678", token) }
        try await visit.take { try await $0.introspect(token) }
        try await visit.take { try await $0.token(password: "Wrong-Guess#16", token, scope: "no such scope") }
        visit.wait(900)
        try await visit.take { try await $0.token(password: "Wrong-Guess#17", token) }
    }

    /// Wrong codes, early and late resends, until the codes of the flow, the mails of the hour and the guesses of the
    /// day end.
    private func codes(
        _ visit: Visit, start: @escaping (WireClient) async throws -> WireAnswer,
        challenge: @escaping (WireClient, String) async throws -> WireAnswer,
        submit: @escaping (WireClient, String, String) async throws -> WireAnswer
    ) async throws {
        var token = try await visit.take(start)
        for _ in 0..<6 {
            token = try await visit.take { try await challenge($0, token) }
            guard !token.isEmpty else { break }
            for guess in 0..<6 { try await visit.take { try await submit($0, token, "0000 000\(guess)") } }
            try await visit.take { try await submit($0, token, "1234") }
            visit.wait(20)
            try await visit.take { try await challenge($0, token) }
            visit.wait(200)
        }
        for _ in 0..<30 {
            let token = try await visit.take(start)
            let sent = try await visit.take { try await challenge($0, token) }
            for guess in 0..<5 where !sent.isEmpty {
                try await visit.take { try await submit($0, sent, "0000000\(guess)") }
            }
            visit.wait(500)
        }
        let late = try await visit.take(start)
        visit.wait(900)
        try await visit.take { try await challenge($0, late) }
    }
}

@Suite("Enumeration") struct EnumerationTests {
    // MARK: Strict

    @Test(
        "SEC-ENUM-2, SEC-ENUM-3, SEC-ENUM-5, SEC-ENUM-8, SEC-LOCK-9: a name with an account and one without get the same answers, to the length, through a whole attack",
        arguments: Attack.allCases)
    fileprivate func transcriptsAreEqual(_ attack: Attack) async throws {
        let known = try Visit(await .server(.strict), attack.application, attack.names.known)
        let unknown = try Visit(await .server(.strict), attack.application, attack.names.unknown)
        try await attack.run(known)
        try await attack.run(unknown)
        #expect(known.seen.count == unknown.seen.count && known.seen.count > 30)
        for (number, (one, other)) in zip(known.seen, unknown.seen).enumerated() {
            #expect(one == other, "\(attack) step \(number)")
        }
        // Throttling was reached, if there is any.
        let throttled = known.seen.count { $0.status == 429 }
        #expect((throttled > 0) == (attack != .signInWithPassword && attack != .signInByAlias), "\(throttled)")
    }

    @Test("SEC-ENUM-4, SEC-PWD-11: both ask the stores for the same and hash as often", arguments: Attack.allCases)
    fileprivate func workIsEqual(_ attack: Attack) async throws {
        var traces: [[String]] = []
        for name in [attack.names.known, attack.names.unknown] {
            let trace = Locked([String]())
            let server = try await IdentityTestServer.server(.strict) { ports in
                ports.users = TracedUsers(users: ports.users, trace: trace)
                ports.flows = TracedFlows(flows: ports.flows, trace: trace)
                ports.hasher = TracedHasher(hasher: ports.hasher, trace: trace)
            }
            trace.withLock { $0 = [] }
            try await attack.run(try Visit(server, attack.application, name))
            traces.append(trace.withLock { $0 })
        }
        #expect(traces[0].count > 50)
        // Codes, and warnings of a lock (SEC-LOCK-10).
        #expect(traces[0].contains { $0.contains("enqueueMail") })
        for (number, (one, other)) in zip(traces[0], traces[1]).enumerated() {
            #expect(one == other, "\(attack) call \(number)")
        }
        #expect(traces[0].count == traces[1].count)
    }

    @Test(
        "SEC-PWD-11: a name without an account costs a comparison with the hash of an account, of whatever kind that is"
    )
    func aDecoyCostsAnAccountsHash() async throws {
        let compared = Locked([PasswordHash]())
        let server = try await IdentityTestServer.server(.strict) { ports in
            ports.hasher = ComparedHasher(hasher: ports.hasher, compared: compared)
        }
        let client = try server.client(.emailPassword, from: "203.0.113.9")
        for name in [Cast.dana, Cast.dino, Cast.dino] {
            let token = try await client.signInChallenge(try await client.initiate(name).token).token
            expectError(try await client.token(password: "Wrong-Guess#1", token), "invalid_grant", 50_126)
        }
        // Only one of the users has a password.
        let hashes = compared.withLock { $0 }
        #expect(hashes.count == 3 && Set(hashes).count == 1)
    }

    @Test("SEC-ENUM-2: the owner of the address is told by mail, once in a cool-down; nothing they type is right")
    func theOwnerIsTold() async throws {
        let server = try await IdentityTestServer.server(.strict)
        let client = server.client()
        let before = try await server.mailbox.mails(for: Cast.otto).count
        let token = try await client.start("Otto@EXAMPLE.com").token
        let sent = try await client.challenge(token)
        expectSuccess(
            sent,
            [
                "challenge_type", "continuation_token", "challenge_channel", "challenge_target_label", "code_length",
                "interval", "binding_method",
            ])
        for _ in 0..<10 { _ = try await client.challenge(sent.token) }
        var notices = try await server.mailbox.mails(for: Cast.otto).dropLast(before)
        #expect(notices.map(\.purpose) == [.accountExists] && notices.first?.code == nil)
        #expect(notices.first?.to == Cast.otto, "the address on record, not the one that was typed (SEC-ID-4)")
        server.clock.advance(by: 60)
        _ = try await client.challenge(sent.token)
        notices = try await server.mailbox.mails(for: Cast.otto).dropLast(before)
        #expect(notices.map(\.purpose) == [.accountExists, .accountExists])
        let refused = try await client.submit(code: "12345678", sent.token)
        expectError(refused, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        #expect(try await server.users() == 2)
    }

    @Test("SEC-ENUM-3: no mail goes to strangers, and those with an account come in as ever")
    func strangersGetNoMail() async throws {
        let server = try await IdentityTestServer.server(.strict)
        let all = try await server.mailbox.mails().count
        for name in [Cast.odil, "odil.k"] {
            let token = try await server.client().initiate(name).token
            _ = try await server.client().signInChallenge(token)
            let reset = try await server.passwordClient.resetStart(name).token
            _ = try await server.passwordClient.resetChallenge(reset)
        }
        // A user without a password cannot reset one.
        _ = try await server.passwordClient.resetChallenge(server.passwordClient.resetStart(Cast.otto).token)
        #expect(try await server.mailbox.mails().count == all)
        #expect(try await server.count("SELECT COUNT(*) FROM outbox WHERE state = 'sent'") >= 5, "written, and dropped")
        #expect(try await server.signInWithCode(Cast.otto).status == 200)
        #expect(try await server.signIn(Cast.dana).status == 200)
        #expect(try await server.signIn("dana.k").status == 200)
        #expect(try await server.reset("dana.k").status == 200)
        #expect(try await server.signIn(Cast.dana, password: WireClient.newPassword).status == 200)
        #expect(try await server.signUp("new@example.com").status == 200)
        #expect(try await server.users() == 3)
    }

    @Test("SEC-ENUM-3: a disabled account, and one that cannot sign in here, look like none")
    func otherAccountsLookLikeNone() async throws {
        let server = try await IdentityTestServer.server(.strict)
        // Otto has no password: in a flow with passwords, his is always wrong.
        let wrong = try await server.signIn(Cast.otto)
        expectError(wrong, "invalid_grant", 50_126)
        let open = try await server.passwordClient.initiate(Cast.dana).token
        try await server.setDisabled(true, Cast.dana)
        expectError(try await server.signIn(Cast.dana), "invalid_grant", 50_126)
        #expect(try await server.passwordClient.resetStart(Cast.dana).status == 200)
        let challenged = try await server.passwordClient.signInChallenge(open)
        expectError(challenged, "invalid_request", 55_200)
    }

    @Test("REL-HA-1: the loser of the race for an address gets the error of a wrong code")
    func theLoserOfARace() async throws {
        let server = try await IdentityTestServer.server(.strict)
        let client = server.client()
        let first = try await client.challenge(client.start(Cast.odil).token)
        let firstCode = try await server.mailbox.code(to: Cast.odil)
        let second = try await client.challenge(client.start(Cast.odil).token)
        let secondCode = try await server.mailbox.code(to: Cast.odil)
        #expect(try await client.submit(code: secondCode, second.token).status == 200)
        let late = try await client.submit(code: firstCode, first.token)
        expectError(late, "invalid_grant", 50_181, suberror: "invalid_oob_value")
        #expect(try await server.users() == 3)
    }

    @Test("SEC-LOCK-8: a locked account says so in the contract's words, and in strict mode that the password is wrong")
    func lockedAccounts() async throws {
        for mode in EnumerationMode.allCases {
            let server = try await IdentityTestServer.server(mode)
            for guess in 1...10 { _ = try await server.signIn(password: "Wrong-Guess#\(guess)") }
            let wrong = try await server.signIn(password: "Wrong-Guess#11")
            let right = try await server.signIn()
            for answer in [wrong, right] {
                expectError(answer, "invalid_grant", mode == .strict ? 50_126 : 50_053)
                #expect((answer.headers["retry-after"] == nil) == (mode == .strict))
            }
            server.clock.advance(by: 60)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("SEC-ENUM-7: ids of users are random, and no address contains one")
    func userIDs() async throws {
        let server = try await IdentityTestServer.server(.strict)
        let ids = try await server.storedUsers().map(\.id.uuid)
        #expect(Set(ids).count == 2)
        for id in ids {
            #expect(id.uuid.6 >> 4 == 4 && id.uuid.8 >> 6 == 2, "version and variant of RFC 9562 section 5.4")
        }
        for endpoint in server.routes().router().routes {
            #expect(
                Set(endpoint.path.description.split(separator: "/").filter { $0.hasPrefix("{") }).isSubset(of: [
                    // Of a session or a method; random, of one sign-in on a hosted page; a style or a picture; a page of the
                    // account.
                    "{tenant}", "{id}", "{handle}", "{name}", "{part}", "{provider}",
                ]))
        }
    }

    @Test("An application may be stricter than its tenant, or less")
    func applicationsOverride() async throws {
        var entry = try #require(TenantDirectory.development.entries.first)
        entry.tenant.enumeration = .strict
        entry.applications[0].enumeration = .compat
        let directory = TenantDirectory([entry])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
            ports.clients = directory
        }
        expectError(try await server.client().initiate(Cast.odil), "user_not_found", 50_034)
        #expect(try await server.passwordClient.initiate(Cast.dino).status == 200)
    }

    // MARK: Bulk

    /// A client at `address`, within the limits per source.
    private func client(
        _ server: IdentityTestServer, _ policy: AccessPolicy, from address: String,
        _ application: IdentityTestServer.Application = .emailOneTimePasscode
    ) throws -> WireClient {
        let peer = try #require(IPAddress(address))
        return WireClient(
            transport: InProcessTransport(routes: server.routes(), within: policy, peer: peer),
            clientID: application.rawValue)
    }

    @Test(
        "SEC-ENUM-1, SEC-RATE-8: ten answers a minute tell, then 429 for whatever is asked, until the time it says",
        arguments: [EnumerationMode.compat, .bulk])
    func tenAMinute(_ mode: EnumerationMode) async throws {
        let server = try await IdentityTestServer.server(mode)
        let policy = AccessPolicy(limits: SourceLimits())
        let sweep = try client(server, policy, from: "203.0.113.7")
        let password = try client(server, policy, from: "203.0.113.7", .emailPassword)
        // Each kind of answer that reveals something: no account, an account, no password, and an alias's owner.
        for round in 0..<2 {
            expectError(try await sweep.initiate("nobody\(round)@example.com"), "user_not_found", 50_034)
            expectError(try await sweep.resetStart("nobody\(round)@example.com"), "user_not_found", 50_034)
            #expect(try await sweep.start(Cast.otto).text("error") == "user_already_exists")
            expectError(try await sweep.resetStart(Cast.otto), "invalid_request", 500_222)
            #expect(try await password.initiate("dana.k").status == 200)
            server.clock.advance(by: 2)
        }
        let next = try await sweep.initiate(Cast.otto)
        guard mode == .bulk else {
            #expect(next.status == 200)
            return
        }
        for answer in [
            next, try await sweep.initiate("nobody@example.com"), try await sweep.start("new@example.com"),
            try await password.resetStart("dana.k"),
        ] {
            expectError(answer, "temporarily_unavailable", 90_055, status: 429)
        }
        #expect(try await server.audited(.enumerationSuspected) == 1)
        let other = try client(server, policy, from: "203.0.113.8")
        #expect(try await other.initiate(Cast.otto).status == 200)
        let seconds = try #require(Double(next.headers["retry-after"] ?? ""))
        #expect((1...60).contains(seconds))
        server.clock.advance(by: seconds - 1)
        #expect(try await sweep.initiate(Cast.otto).status == 429)
        server.clock.advance(by: 1)
        #expect(try await sweep.initiate(Cast.otto).status == 200)
    }

    @Test(
        "SEC-ENUM-1: a name with an account costs as much as one without, at every start", arguments: [true, false])
    func hitsCostAsMuchAsMisses(_ hasAccount: Bool) async throws {
        let server = try await IdentityTestServer.server(.bulk)
        let policy = AccessPolicy(limits: SourceLimits())
        let name = hasAccount ? Cast.dana : Cast.dino
        let starts: [(WireClient) async throws -> WireAnswer] = [
            { try await $0.initiate(name) }, { try await $0.resetStart(name) }, { try await $0.start(name) },
            // The answer does not say whether the address is taken, but with a good password it would have.
            { try await $0.start(name, [("password", "weak")]) },
        ]
        for (number, start) in starts.enumerated() {
            let sweep = try client(server, policy, from: "203.0.113.\(number)", .emailPassword)
            for _ in 0..<10 { #expect(try await start(sweep).status != 429) }
            expectError(try await start(sweep), "temporarily_unavailable", 90_055, status: 429)
        }
        #expect(try await server.audited(.enumerationSuspected) == starts.count)
    }

    @Test("SEC-ENUM-1: a sign-in gives back what its start cost, so that a shared network is not shut out")
    func signInsGiveBack() async throws {
        let server = try await IdentityTestServer.server(.bulk)
        let policy = AccessPolicy(limits: SourceLimits())
        let office = try client(server, policy, from: "203.0.113.7", .emailPassword)
        func signIn() async throws -> WireAnswer {
            let token = try await office.signInChallenge(office.initiate(Cast.dana).token).token
            return try await office.token(token)
        }
        for _ in 0..<15 {
            #expect(try await signIn().status == 200)
            server.clock.advance(by: 3)
        }
        let tokens = try await signIn()
        let last = try await office.signInChallenge(office.initiate(Cast.dana).token).token
        for _ in 0..<9 { #expect(try await office.initiate(Cast.dino).status == 400) }
        #expect(try await office.initiate(Cast.dino).status == 429)
        // A refresh begins no flow, and gives nothing back.
        #expect(try await office.refresh(try #require(tokens.text("refresh_token"))).status == 200)
        #expect(try await office.initiate(Cast.dino).status == 429)
        // The same answer again is one sign-in.
        let signedIn = try await office.token(last)
        #expect(signedIn.status == 200)
        #expect(try await office.token(last).body == signedIn.body)
        #expect(try await office.initiate(Cast.dino).status == 400)
        #expect(try await office.initiate(Cast.dino).status == 429)
    }

    @Test("SEC-ENUM-1: what began where starts are not counted gives nothing back")
    func compatGivesNothingBack() async throws {
        let entry = try #require(TenantDirectory.development.entries.first)
        var bulk = entry
        bulk.tenant.enumeration = .bulk
        for (index, application) in bulk.applications.enumerated()
        where application.id.description == IdentityTestServer.Application.emailPassword.rawValue {
            bulk.applications[index].enumeration = .compat
        }
        let directory = TenantDirectory([bulk])
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, settings in
            ports.clients = directory
            settings.limits = TimeLimits()
        }
        try await server.signUpWithPassword(Cast.dana)
        let policy = AccessPolicy(limits: SourceLimits())
        let sweep = try client(server, policy, from: "203.0.113.7")
        let open = try client(server, policy, from: "203.0.113.7", .emailPassword)
        for _ in 0..<10 { #expect(try await sweep.initiate(Cast.dino).status == 400) }
        let token = try await open.signInChallenge(open.initiate(Cast.dana).token).token
        #expect(try await open.token(token).status == 200)
        #expect(try await sweep.initiate(Cast.dino).status == 429)
    }

    @Test("SEC-ENUM-1: a sweep of 4 000 names from five sources learns of 200 a day from each")
    func sweeps() async throws {
        let server = try await IdentityTestServer.server(.bulk)
        let policy = AccessPolicy(limits: SourceLimits())
        let sources = try (1...5).map { try client(server, policy, from: "203.0.113.\($0)") }
        var told = 0
        var mostInAnHour = 0
        for hour in 0..<20 {
            var thisHour = 0
            for name in 0..<40 {
                for (number, source) in sources.enumerated() {
                    let answer = try await source.initiate("name\(hour)x\(name)x\(number)@example.com")
                    if answer.status != 429 { thisHour += 1 }
                }
                server.clock.advance(by: hour < 4 ? 36 : 90)
            }
            told += thisHour
            mostInAnHour = max(mostInAnHour, thisHour)
        }
        #expect(mostInAnHour <= 5 * 60 + 5, "\(mostInAnHour)")
        #expect(told == 5 * 200)
        #expect(try await server.audited(.enumerationSuspected) >= 5)
    }

    @Test("SEC-ENUM-1: in strict mode too, where a sign-up has to be told that its alias is taken")
    func aliasesAreCounted() async throws {
        let server = try await IdentityTestServer.server(.strict)
        let policy = AccessPolicy(limits: SourceLimits())
        let client = try client(server, policy, from: "203.0.113.7", .emailOneTimePasscodeWithAttributes)
        let sent = try await client.challenge(client.start("new@example.com").token)
        let proven = try await client.submit(code: server.mailbox.code(to: "new@example.com"), sent.token)
        let taken = #"{"country":"Denmark","city":"Ribe","flatusername":"dana.k"}"#
        for _ in 0..<10 {
            let answer = try await client.submit(attributes: taken, proven.token)
            #expect(answer.text("error") == "user_already_exists", "\(answer)")
        }
        #expect(try await client.submit(attributes: taken, proven.token).status == 429)
        server.clock.advance(by: 60)
        #expect(try await client.submit(attributes: IdentityTestServer.address, proven.token).status == 200)
    }

    @Test("SEC-WIRE-4: bulk answers as compat does, which tells the names apart", arguments: Attack.allCases)
    fileprivate func bulkIsCompat(_ attack: Attack) async throws {
        var all: Set<[Seen]> = []
        for name in [attack.names.known, attack.names.unknown] {
            var seen: [[Seen]] = []
            for mode in [EnumerationMode.compat, .bulk] {
                let visit = try Visit(await .server(mode), attack.application, name)
                try await attack.run(visit)
                seen.append(
                    visit.seen.map { seen in
                        // The time of day is part of a token without padding, and has a varying number of digits.
                        var seen = seen
                        seen.length = 0
                        if seen.members["continuation_token"] != nil { seen.members["continuation_token"] = .null }
                        return seen
                    })
            }
            #expect(seen[0] == seen[1])
            all.formUnion(seen)
        }
        #expect(all.count == 2)
    }
}

// The engine's calls of its ports, without values: each call is a fixed list of statements.

private struct TracedUsers: UserStore {
    let users: any UserStore
    let trace: Locked<[String]>

    private func note(_ call: String) { trace.withLock { $0.append(call) } }

    func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        note("account by id")
        return try await users.account(id, in: tenant)
    }
    func account(with credential: MethodCredential, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        note("account by passkey")
        return try await users.account(with: credential, in: tenant)
    }
    func account(withPhone number: PhoneNumber, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        note("account by name")
        return try await users.account(withPhone: number, in: tenant)
    }
    func names(ofIdentity key: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> Data? {
        note("names of an identity")
        return try await users.names(ofIdentity: key, in: tenant, now: now)
    }
    func account(named key: LoginIdentifier.Key, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        note("account by name")
        return try await users.account(named: key, in: tenant)
    }
    func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool {
        note("network")
        return try await users.isFamiliar(network, to: user, in: tenant, since: since)
    }
    func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        note("user")
        return try await users.user(id, in: tenant)
    }
    func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key], marks: [Data],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await users.change(id, in: tenant, names: names, marks: marks, decide: decide)
    }

    func taken(
        _ keys: [LoginIdentifier.Key], marks: [Data], in tenant: TenantID
    ) async throws(StoreError) -> (keys: Set<LoginIdentifier.Key>, reserved: [ReservedName]) {
        note("taken \(keys.count)")
        return try await users.taken(keys, marks: marks, in: tenant)
    }

    func passwordHash(near id: UserID, in tenant: TenantID) async throws(StoreError) -> PasswordHash? {
        note("password near")
        return try await users.passwordHash(near: id, in: tenant)
    }

    func emailUndo(_ codeDigest: Data, in tenant: TenantID, now: Date) async throws(StoreError) -> EmailUndo? {
        try await users.emailUndo(codeDigest, in: tenant, now: now)
    }

    func emailUndos(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [EmailUndo] {
        try await users.emailUndos(of: user, in: tenant, now: now)
    }

    func groups(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [UserGroup] {
        try await users.groups(of: user, in: tenant)
    }

    func isDeleted(_ mark: Data, in tenant: TenantID) async throws(StoreError) -> Bool {
        try await users.isDeleted(mark, in: tenant)
    }

    func usersToDelete(
        now: Date, limit: Int
    ) async throws(StoreError) -> [(tenant: TenantID, user: UserID)] {
        try await users.usersToDelete(now: now, limit: limit)
    }

    func events(of user: UserID, in tenant: TenantID, limit: Int) async throws(StoreError) -> [RecordedEvent] {
        try await users.events(of: user, in: tenant, limit: limit)
    }

    func needsTwoOperators() async throws(StoreError) -> Bool { try await users.needsTwoOperators() }
    func operatorRequests(in tenant: TenantID) async throws(StoreError) -> [OperatorRequest] {
        try await users.operatorRequests(in: tenant)
    }
    func countUsers(in tenant: TenantID) async throws(StoreError) -> Int { try await users.countUsers(in: tenant) }
    func rememberedDevices(of user: UserID, in tenant: TenantID) async throws(StoreError) -> [RememberedDevice] {
        try await users.rememberedDevices(of: user, in: tenant)
    }
}

private struct TracedFlows: FlowStore {
    let flows: any FlowStore
    let trace: Locked<[String]>

    func step<Answer: Sendable>(
        _ query: StepQuery, decide: @escaping @Sendable (StepFacts) -> (change: FlowChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        let asked =
            "step: \(query.identifiers.count) names, user \(query.user != nil), \(query.subjects.count) subjects, lock \(query.lockout != nil)"
        return try await flows.step(query) { facts in
            let decision = decide(facts)
            let effects = decision.change?.effects.map { Mirror(reflecting: $0).children.first?.label ?? "\($0)" }
            trace.withLock {
                $0.append(
                    "\(asked); answered \(facts.sealedAnswer != nil); writes \(effects.map { "\($0)" } ?? "nothing") replay \(decision.change?.replay != nil)"
                )
            }
            return decision
        }
    }
    func record(_ event: AuditEvent) async throws(StoreError) { try await flows.record(event) }
    func removeExpired(now: Date) async throws(StoreError) -> Int { try await flows.removeExpired(now: now) }
    func checkWritable() async throws(StoreError) { try await flows.checkWritable() }
}

/// Notes the hashes that passwords were compared with.
private struct ComparedHasher: PasswordHasher {
    let hasher: any PasswordHasher
    let compared: Locked<[PasswordHash]>

    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash { try await hasher.hash(password) }
    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        compared.withLock { $0.append(hash) }
        return try await hasher.verify(password, against: hash)
    }
    func isOutdated(_ hash: PasswordHash) -> Bool { hasher.isOutdated(hash) }
}

private struct TracedHasher: PasswordHasher {
    let hasher: any PasswordHasher
    let trace: Locked<[String]>

    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        trace.withLock { $0.append("hash") }
        return try await hasher.hash(password)
    }
    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        trace.withLock { $0.append("hash") }
        return try await hasher.verify(password, against: hash)
    }
    func isOutdated(_ hash: PasswordHash) -> Bool { hasher.isOutdated(hash) }
}

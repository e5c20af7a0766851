import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import SoftPasskeys
import Testing

@testable import IdentityHTTP

/// Passkeys that a device makes silently after a sign-in with a password.
@Suite("Passkey upgrades") struct PasskeyUpgradeTests {
    private static let upgrade = #"{"isUpgrade":true}"#
    private static let add = AccountCaller.beta + "/nativeAuth.addPasskey"

    private static func server(_ adjust: (inout EngineSettings) -> Void = { _ in }) throws -> IdentityTestServer {
        try FactorDirectory.server {
            $0.enrolment = .proven
            adjust(&$0)
        }
    }

    /// A user who has just signed up: the session has proven password and mailbox.
    private static func newUser(_ server: IdentityTestServer) async throws -> AccountCaller {
        let done = try await server.signUpWithPassword(capabilities: nil)
        return try AccountCaller(
            try await server.passwordClient.token(redeeming: done.token, claims: nil, scope: AccountCaller.scope),
            server)
    }

    private func make(
        _ options: WireAnswer, _ passkey: TestPasskey, style: PasskeyCreationStyle = .conditional
    ) async throws -> String {
        let json = try #require(options["publicKey"], "\(options)").encoded
        return try await passkey.device.create(try PasskeyCreation(json: json, style: style), style: style).json
    }

    private func needsProof(_ answer: WireAnswer) -> Bool {
        answer.status == 401 && answer.headers["www-authenticate"]?.contains("insufficient_claims") == true
    }

    @Test("SEC-PK-18: a device makes a passkey silently after a sign-in with a password, and the owner is told")
    func upgrade() async throws {
        let server = try Self.server()
        let (caller, passkey) = (try await Self.newUser(server), TestPasskey())
        let options = try await caller.send("POST", Self.add, Self.upgrade)
        #expect(options.status == 202, "\(options)")
        let selection = options["publicKey"]?["authenticatorSelection"]
        #expect(selection?["userVerification"] == "preferred" && selection?["residentKey"] == "required")
        let added = try await passkey.confirm(try await make(options, passkey), options, caller)
        #expect(added.status == 204, "\(added)")
        // It is an enrolment as any other.
        let mail = try #require(try await server.mailbox.mails().first)
        #expect(mail.purpose == .methodRegistered && mail.to == IdentityTestServer.email)
        #expect(
            try await server.rows("SELECT detail FROM audit WHERE kind = 'mfa.registered'") == [["twoFactors, passkey"]]
        )
        // From now on it signs its user in, who is verified each time.
        #expect(try await passkey.signIn(server.passwordClient).status == 200)
        passkey.device.behaviour.isUserVerified = false
        #expect(try await passkey.signIn(server.passwordClient).status == 400)
        // The device that has it makes no second one.
        let again = try await caller.send("POST", Self.add, Self.upgrade)
        await #expect(throws: PasskeyError.alreadyRegistered) { try await make(again, passkey) }
    }

    @Test("SEC-PK-18: five minutes after the sign-in it is refused, also with a flow that began before")
    func clock() async throws {
        let server = try Self.server()
        let (caller, passkey) = (try await Self.newUser(server), TestPasskey())
        server.clock.advance(by: 299)
        let begun = try await caller.send("POST", Self.add, Self.upgrade)
        #expect(begun.status == 202, "\(begun)")
        let answer = try await make(begun, passkey)
        server.clock.advance(by: 2)
        let late = try await passkey.confirm(answer, begun, caller)
        #expect(late.status == 400, "\(late)")
        let token = try #require(begun.text("continuationToken"))
        #expect(needsProof(try await caller.send("POST", Self.add, #"{"continuationToken":"\#(token)"}"#)))
        #expect(needsProof(try await caller.send("POST", Self.add, Self.upgrade)))
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 0)
        // With a question to the user it is possible for ten minutes, as before.
        #expect(try await caller.send("POST", Self.add, "{}")["publicKey"] != nil)
    }

    @Test(
        "SEC-PK-18, SEC-ENR-2: not with the password alone, in any mode",
        arguments: [EnrolmentMode.proven, .compatible])
    func passwordAlone(mode: EnrolmentMode) async throws {
        let server = try Self.server { $0.enrolment = mode }
        try await server.signUpWithPassword()
        let caller = try await AccountCaller.withPassword(server)
        let mails = try await server.mailbox.mails().count
        #expect(needsProof(try await caller.send("POST", Self.add, Self.upgrade)))
        #expect(try await server.mailbox.mails().count == mails, "nothing is sent")
    }

    @Test("SEC-PK-18: not in a session that a code, a passkey, a refresh or a recovery code made")
    func otherSessions() async throws {
        let server = try Self.server()
        let owner = try await Self.newUser(server)
        let passkey = try await TestPasskey.add(to: owner)
        // A user without a password.
        _ = try await server.signUp("erik@example.com")
        let erik = try await AccountCaller.withCode(server, "erik@example.com")
        #expect(needsProof(try await erik.send("POST", Self.add, Self.upgrade)))
        let byPasskey = try AccountCaller(
            try await passkey.signIn(server.passwordClient, scope: AccountCaller.scope), server)
        #expect(needsProof(try await byPasskey.send("POST", Self.add, Self.upgrade)))
        #expect(try await byPasskey.send("POST", Self.add, "{}")["publicKey"] != nil, "with a question it may")
        // The thief of a refresh token, a moment later.
        server.clock.advance(by: 2)
        let refreshed = try AccountCaller(try await server.passwordClient.refresh(owner.refreshToken), server)
        #expect(needsProof(try await refreshed.send("POST", Self.add, Self.upgrade)))
    }

    @Test("SEC-PK-18: of the two kinds of challenges none takes the answer to the other")
    func kinds() async throws {
        let server = try Self.server()
        let caller = try await Self.newUser(server)
        // Silent data for options with a question.
        let passkey = TestPasskey()
        let asking = try await caller.send("POST", Self.add, "{}")
        let json = try #require(asking["publicKey"], "\(asking)").encoded
        let silent = try await passkey.device.create(try PasskeyCreation(json: json), style: .conditional).json
        #expect(try await passkey.confirm(silent, asking, caller).status == 400)
        for (present, verified) in [(false, true), (true, false)] {
            let options = try await caller.send("POST", Self.add, "{}")
            let device = TestPasskey()
            (device.device.behaviour.isUserPresent, device.device.behaviour.isUserVerified) = (present, verified)
            #expect(try await device.confirm(try await device.make(options), options, caller).status == 400)
        }
        // The challenge of an upgrade for another flow.
        let first = try await caller.send("POST", Self.add, Self.upgrade)
        let answer = try await make(first, passkey)
        let other = try await caller.send("POST", Self.add, "{}")
        #expect(try await passkey.confirm(answer, other, caller).status == 400)
        #expect(try await passkey.confirm(answer, first, caller).status == 204)
        // All other checks are the same.
        for lie in [SoftBehaviour.Lie.wrongRelyingParty, .wrongType, .wrongChallenge, .crossOrigin] {
            let liar = TestPasskey()
            liar.device.behaviour.lies = [lie]
            let options = try await caller.send("POST", Self.add, Self.upgrade)
            #expect(try await liar.confirm(try await make(options, liar), options, caller).status == 400, "\(lie)")
        }
        #expect(try await server.count("SELECT COUNT(*) FROM strong_methods") == 1)
    }

    @Test("SEC-PK-18, SEC-PK-1: the row of a challenge says which kind it is")
    func rows() async throws {
        let server = try Self.server()
        let caller = try await Self.newUser(server)
        var kinds: [Int] = []
        for body in ["{}", "{}", Self.upgrade, Self.upgrade] {
            #expect(try await caller.send("POST", Self.add, body)["publicKey"] != nil)
            kinds.append(try await server.count("SELECT COUNT(DISTINCT code_target) FROM flows"))
        }
        let first = try #require(kinds.first)
        #expect(kinds == [first, first, first + 1, first + 1], "\(kinds)")
    }

    @Test("SEC-PK-18, SEC-ENR-13: it counts among the enrolments of a day, and among the ten passkeys")
    func limits() async throws {
        let server = try Self.server { $0.limits = TimeLimits() }
        let caller = try await Self.newUser(server)
        var statuses: [Int] = []
        for _ in 0..<6 {
            let options = try await caller.send("POST", Self.add, Self.upgrade)
            let passkey = TestPasskey()
            statuses.append(try await passkey.confirm(try await make(options, passkey), options, caller).status)
        }
        #expect(statuses == [204, 204, 204, 204, 204, 429], "\(statuses)")
    }
}

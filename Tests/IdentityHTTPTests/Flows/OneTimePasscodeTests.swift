import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("One-time passcodes over HTTP") struct OneTimePasscodeTests {
    private static let email = "dana@example.com"

    /// A flow with a code on its way: client, newest token, code.
    private func codeSent(
        on server: IdentityTestServer, to email: String = email
    ) async throws -> (client: WireClient, token: String, code: String) {
        let client = server.client()
        let sent = try await client.challenge(client.start(email).token)
        return (client, try sent.token, try await server.mailbox.code(to: email))
    }

    private func expectWrong(_ answer: WireAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        expectError(answer, "invalid_grant", 50_181, suberror: "invalid_oob_value", sourceLocation: sourceLocation)
    }

    private func attempts(_ server: IdentityTestServer) async throws -> [String?] {
        try await server.rows("SELECT code_attempts FROM flows").map { $0[0] }
    }

    @Test("SEC-WIRE-2, docs/protocol.md §8.6: four wrong codes, then the right one with the same token")
    func fourWrongThenRight() async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            for (count, wrong) in wrongCodes(4, besides: code).enumerated() {
                expectWrong(try await client.submit(code: wrong, token))
                #expect(try await attempts(server) == ["\(count + 1)"])
            }
            #expect(try await server.users() == 0)
            expectSuccess(try await client.submit(code: code, token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-3: after five wrong codes the right one is refused, with the same error")
    func afterFiveWrongCodesTheRightOneIsRefused() async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            for wrong in wrongCodes(5, besides: code) { expectWrong(try await client.submit(code: wrong, token)) }
            for late in [code] + wrongCodes(7, besides: code) + [code] {
                expectWrong(try await client.submit(code: late, token))
            }
            #expect(try await attempts(server) == ["5"])
            #expect(try await server.users() == 0)
            #expect(try await server.audited(.codeRefused) == 5)
            // Another code gives another chance (SEC-OTP-4 limits how many).
            let again = try await client.challenge(token)
            let next = try await server.mailbox.code(to: Self.email)
            expectSuccess(try await client.submit(code: next, again.token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-4: five codes for a flow; the sixth challenge is refused, and the flow has ended")
    func theSixthChallengeIsRefused() async throws {
        try await withIdentityServer { server in
            let client = server.client()
            let started = try await client.start()
            var sent = try await client.challenge(started.token)
            for _ in 2...5 { sent = try await client.challenge(sent.token) }
            let mails = try await server.mailbox.mails()
            #expect(mails.count == 5)
            expectError(try await client.challenge(sent.token), "invalid_request", 701_014)
            #expect(try await server.mailbox.mails().count == 5)
            for mail in mails {
                expectError(try await client.submit(code: #require(mail.code), sent.token), "invalid_request", 55_200)
            }
            // The flow has ended; a repetition of the request that ended it gets the same reason (REL-IDEM).
            expectError(try await client.challenge(started.token), "invalid_request", 55_200)
            expectError(try await client.challenge(sent.token), "invalid_request", 701_014)
            server.clock.advance(by: 60)
            expectError(try await client.challenge(sent.token), "invalid_request", 55_200)
            #expect(try await server.users() == 0)
            #expect(try await server.audited(.codesExhausted) == 1)
        }
    }

    @Test("SEC-WIRE-3, docs/protocol.md §8.7: a resend gives a new code, and the old one is dead under either token")
    func aResendKillsTheOldCode() async throws {
        try await withIdentityServer { server in
            let (client, first, old) = try await codeSent(on: server)
            let again = try await client.challenge(first)
            let new = try await server.mailbox.code(to: Self.email)
            #expect(new != old)
            expectWrong(try await client.submit(code: old, again.token))
            expectWrong(try await client.submit(code: old, first))
            expectSuccess(try await client.submit(code: new, again.token), ["continuation_token"])
        }
    }

    @Test("docs/protocol.md §8.1, §8.6: the new code is good with the token from before the resend too")
    func theNewCodeIsGoodWithTheOldToken() async throws {
        try await withIdentityServer { server in
            let (client, first, _) = try await codeSent(on: server)
            _ = try await client.challenge(first)
            let new = try await server.mailbox.code(to: Self.email)
            expectSuccess(try await client.submit(code: new, first), ["continuation_token"])
        }
    }

    @Test("docs/protocol.md §8.6: a resend that is refused leaves code and token as they were")
    func aRefusedResendLeavesTheCode() async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            expectError(
                try await client.challenge(token, [("challenge_type", "oob")]), "unsupported_challenge_type", 901_007)
            expectError(
                try await client.challenge(token, [("challenge_type", "oob x redirect")]), "invalid_request", 90_100)
            #expect(try await client.challenge(token, [("challenge_type", "redirect")])["challenge_type"] == "redirect")
            expectSuccess(try await client.submit(code: code, token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-9: a code is of no use in another flow, and counts against that flow alone")
    func aCodeOfAnotherFlowIsRefused() async throws {
        try await withIdentityServer { server in
            // The same address, the same application: only the flow differs.
            let (client, one, codeOfOne) = try await codeSent(on: server)
            let (_, two, codeOfTwo) = try await codeSent(on: server)
            expectWrong(try await client.submit(code: codeOfOne, two))
            #expect(Set(try await attempts(server)) == ["0", "1"])
            expectWrong(try await client.submit(code: codeOfTwo, one))
            #expect(try await attempts(server) == ["1", "1"])
            // Another application and address.
            var other = server.client(.emailOneTimePasscodeWithAttributes)
            let sent = try await other.challenge(other.start("erik@example.com").token)
            expectWrong(try await other.submit(code: codeOfOne, sent.token))
            // Another application with the token of this one.
            other.clientID = IdentityTestServer.Application.emailPassword.rawValue
            expectError(try await other.submit(code: codeOfOne, one), "invalid_request", 55_200)
            expectSuccess(try await client.submit(code: codeOfOne, one), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-15: a stranger's flows cannot void or use up my code")
    func aStrangerCannotVoidMyCode() async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            for _ in 0..<10 {
                var sent = try await client.challenge(client.start(Self.email).token)
                for wrong in wrongCodes(6, besides: code) { _ = try await client.submit(code: wrong, sent.token) }
                for _ in 0..<5 {
                    let answer = try await client.challenge(sent.token)
                    if answer.status == 200 { sent = answer }
                }
            }
            expectSuccess(try await client.submit(code: code, token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-2: a code is good for 599 seconds, and not for 600", arguments: [(599.0, true), (600.0, false)])
    func aCodeExpires(_ seconds: Double, _ isGood: Bool) async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            server.clock.advance(by: seconds)
            let answer = try await client.submit(code: code, token)
            if isGood {
                expectSuccess(answer, ["continuation_token"])
            } else {
                expectError(answer, "invalid_grant", 50_184, suberror: "invalid_oob_value")
                #expect(try await attempts(server) == ["0"])
                // The flow continues with another code.
                let again = try await client.challenge(token)
                let next = try await server.mailbox.code(to: Self.email)
                expectSuccess(try await client.submit(code: next, again.token), ["continuation_token"])
            }
        }
    }

    @Test(
        "SEC-OTP-8: blanks and hyphens in a code do not matter",
        arguments: ["%@%@", " %@-%@ ", "%@ - %@", "-%@%@-", "%@   %@"])
    func blanksAndHyphensDoNotMatter(_ format: String) async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            let written = format.split(separator: "%@", omittingEmptySubsequences: false).map(String.init)
            let text = written[0] + code.prefix(4) + written[1] + code.suffix(4) + written[2]
            expectSuccess(try await client.submit(code: text, token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-8: what cannot be a code is refused as a wrong one, without being counted")
    func whatCannotBeACodeIsNotCounted() async throws {
        try await withIdentityServer { server in
            let (client, token, code) = try await codeSent(on: server)
            let malformed = [
                "1", String(code.dropLast()), code + "0", "abcdefgh", "1234567a", "+" + code.dropFirst(), "１２３４５６７８",
                "٠١٢٣٤٥٦٧", "0x123456", "12.34567", " - ", String(repeating: "1", count: 256), code + "\u{301}",
                "\u{200B}" + code,
            ]
            for text in malformed { expectWrong(try await client.submit(code: text, token)) }
            #expect(try await attempts(server) == ["0"])
            expectError(
                try await client.submit(code: String(repeating: "1", count: 257), token), "invalid_request", 90_100)
            expectSuccess(try await client.submit(code: code, token), ["continuation_token"])
        }
    }

    @Test("SEC-OTP-1: a leading zero is part of the code, and code_length is its real length")
    func aLeadingZeroIsPartOfTheCode() async throws {
        try await withIdentityServer { server in
            for number in 0..<400 {
                let email = "dana\(number)@example.com"
                let (client, token, code) = try await codeSent(on: server, to: email)
                #expect(code.utf8.count == 8)
                guard code.hasPrefix("0") else { continue }
                expectWrong(try await client.submit(code: String(code.dropFirst()), token))
                expectSuccess(try await client.submit(code: code, token), ["continuation_token"])
                return
            }
            Issue.record("None of 400 codes began with a zero.")
        }
    }

    @Test("SEC-OTP-1: code_length follows the setting", arguments: [6, 10])
    func codeLengthFollowsTheSetting(_ digits: Int) async throws {
        let server = try IdentityTestServer(seed: 3, start: IdentityTestServer.start) { $1.codeDigits = digits }
        let client = server.client()
        let sent = try await client.challenge(client.start().token)
        #expect(sent["code_length"] == .integer(digits))
        let code = try await server.mailbox.code(to: Self.email)
        #expect(code.utf8.count == digits)
        expectSuccess(try await client.submit(code: code, sent.token), ["continuation_token"])
    }

    @Test("SEC-OTP-11: a resend before 60 s says the same again, with the time left, and sends nothing")
    func anEarlyResendSendsNothing() async throws {
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { $1.resendCooldown = 60 }
        let (client, first, old) = try await codeSent(on: server)
        let before = try await server.snapshot()
        for (seconds, left) in [(0.0, 60), (1, 59), (29.5, 30), (28.5, 1)] {
            server.clock.advance(by: seconds)
            let early = try await client.challenge(first)
            #expect(early.status == 200)
            #expect(early["interval"] == .integer(left))
            #expect(early["challenge_target_label"] == "d***a@ex***le.com")
            #expect(early["code_length"] == 8)
            #expect(try await server.snapshot() == before)
            expectWrong(try await client.submit(code: "1234567", early.token))
        }
        // 59 s have passed. The next second allows a resend.
        server.clock.advance(by: 1)
        let late = try await client.challenge(first)
        #expect(late["interval"] == 60)
        let mails = try await server.mailbox.mails()
        #expect(mails.count == 2)
        let new = try await server.mailbox.code(to: Self.email)
        #expect(new != old)
        expectWrong(try await client.submit(code: old, late.token))
        expectSuccess(try await client.submit(code: new, late.token), ["continuation_token"])
    }

    @Test("SEC-OTP-11: the code still works that was mailed before an early resend")
    func theCodeOutlivesAnEarlyResend() async throws {
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { $1.resendCooldown = 60 }
        let (client, token, code) = try await codeSent(on: server)
        let early = try await client.challenge(token)
        expectSuccess(try await client.submit(code: code, early.token), ["continuation_token"])
    }

    @Test("SEC-OTP-12, SEC-WIRE-1: over the limit of mails the answer is 429, with the time to wait")
    func overTheLimitOfMailsTheAnswerIs429() async throws {
        let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { $1.limits = TimeLimits() }
        let client = server.client()
        for number in 0..<5 {
            let email = number % 2 == 0 ? Self.email : "dana+\(number)@example.com"
            #expect(try await client.challenge(client.start(email).token).status == 200)
        }
        server.clock.advance(by: 100)
        let token = try await client.start().token
        let throttled = try await client.challenge(token)
        expectError(throttled, "temporarily_unavailable", 90_055, status: 429)
        #expect(throttled.headers["retry-after"] == "800")
        #expect(try await client.challenge(client.start("erik@example.com").token).status == 200)
        server.clock.advance(by: 799)
        #expect(try await client.challenge(token).status == 429)
        server.clock.advance(by: 1)
        #expect(try await client.challenge(token).status == 200)
    }
}

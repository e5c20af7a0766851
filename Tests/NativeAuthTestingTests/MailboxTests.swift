import NativeAuth
import NativeAuthTesting
import Testing

@Suite("TestTenant: the mailbox", .timeLimit(.minutes(1)))
struct MailboxTests {
    @Test func aCodeIsAwaitedBeforeItIsSent() async throws {
        let tenant = try TestTenant()
        async let awaited = tenant.mailbox.code(for: dana, within: .seconds(30))
        async let other = tenant.mailbox.code(for: "erik@example.com", within: .seconds(30))
        let step = try await tenant.client.startSignUp(username: "Dana@Example.com")
        _ = try await step.submit(code: awaited).done
        _ = try await tenant.client.startSignUp(username: "erik@example.com").submit(code: other).done
    }

    @Test func afterAnotherCodeWasAskedForItIsThatOne() async throws {
        let tenant = try TestTenant()
        let step = try await tenant.client.startSignUp(username: dana)
        let first = try await tenant.mailbox.code(for: dana)
        let resent = try await step.resend()
        let second = try await tenant.mailbox.code(for: dana)
        #expect(first != second)
        _ = try await resent.submit(code: second).done
        let mails = try await tenant.mailbox.mails(for: dana)
        #expect(mails.map(\.code) == [second, first] && mails.allSatisfy { $0.purpose == .signUp })
    }

    @Test func ofSeveralUnreadCodesItIsTheNewestAndNoneIsLeft() async throws {
        let tenant = try TestTenant()
        let step = try await tenant.client.startSignUp(username: dana)
        _ = try await step.resend()
        let code = try await tenant.mailbox.code(for: dana)
        #expect(try await tenant.mailbox.mails(for: dana).first?.code == code)
        await #expect(throws: TestTenantError.self) {
            try await tenant.mailbox.code(for: dana, within: .milliseconds(20))
        }
    }

    @Test func whoWaitsInVainIsToldWhatThereIs() async throws {
        let tenant = try TestTenant()
        _ = try await tenant.client.startSignUp(username: dana)
        func explanation(_ address: String) async -> String {
            do throws(TestTenantError) {
                return try await tenant.mailbox.code(for: address, within: .milliseconds(20))
            } catch {
                return error.description
            }
        }
        #expect(
            await explanation("erik@example.com")
                == "No unread code went to erik@example.com. Mail there is: dana@example.com: signUp, a code.")
        _ = try await tenant.mailbox.code(for: dana)
        #expect(await explanation(dana).contains("handed out before"))
        tenant.faults.mail = .down
        #expect(await explanation(dana).contains("the mail server is down"))
    }

    @Test func mailThatIsDownArrivesWhenItIsUp() async throws {
        let tenant = try TestTenant()
        tenant.faults.mail = .down
        let step = try await tenant.client.startSignUp(username: dana)
        #expect(try await tenant.mailbox.mails().isEmpty)
        async let code = tenant.mailbox.code(for: dana)
        tenant.faults.mail = nil
        _ = try await step.submit(code: code).done
    }

    @Test("SEC-MAIL-2: a mail that was down until its code had ended never arrives")
    func mailThatIsDownTooLongIsGone() async throws {
        let tenant = try TestTenant()
        tenant.faults.mail = .down
        _ = try await tenant.client.startSignUp(username: dana)
        tenant.clock.advance(by: .seconds(600))
        tenant.faults.mail = nil
        #expect(try await tenant.mailbox.mails().isEmpty)
    }

    @Test func slowMailArrivesInItsTime() async throws {
        let tenant = try TestTenant()
        tenant.faults.mail = .slow(by: .seconds(90))
        let step = try await tenant.client.startSignUp(username: dana)
        tenant.clock.advance(by: .seconds(89))
        #expect(try await tenant.mailbox.mails().isEmpty)
        async let code = tenant.mailbox.code(for: dana)
        tenant.clock.advance(by: .seconds(1))
        _ = try await step.submit(code: code).done
    }

    @Test func aMailThatArrivesTwiceIsOneCode() async throws {
        let tenant = try TestTenant()
        tenant.faults.mail = .duplicated
        let step = try await tenant.client.startSignUp(username: dana)
        let first = try await tenant.mailbox.code(for: dana)
        let mails = try await tenant.mailbox.mails(for: dana)
        #expect(mails.count == 2 && Set(mails.map(\.id)).count == 1)
        async let second = tenant.mailbox.code(for: dana)
        let resent = try await step.resend()
        #expect(try await second != first)
        _ = try await resent.submit(code: second).done
    }

    @Test func aNoticeHasNoCode() async throws {
        let tenant = try passwordTenant()
        let step = try await tenant.client.startResetPassword(username: dana)
        _ = try await step.submit(code: tenant.mailbox.code(for: dana)).submit(password: "Walrus-Meadow-17")
        let notice = try #require(try await tenant.mailbox.mails(for: dana).first)
        #expect(notice.purpose == .passwordChanged && notice.code == nil && notice.language == "en")
    }
}

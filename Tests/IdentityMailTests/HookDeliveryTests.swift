import Foundation
import IdentityEngine
import NativeAuthCore
import Synchronization
import Testing

@testable import IdentityMail

/// A receiver that delivers codes, or fails.
final class CodeReceiver: HookReceiver {
    private let state = Mutex<(codes: [CodeToDeliver], calls: [HookCall], failure: HookFailure?)>(([], [], nil))

    var codes: [CodeToDeliver] { state.withLock { $0.codes } }
    var calls: [HookCall] { state.withLock { $0.calls } }

    func fail(with failure: HookFailure?) { state.withLock { $0.failure = failure } }

    func claims(for user: User, asking call: HookCall) async throws(HookFailure) -> [String: ClaimValue] { [:] }

    func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer {
        .proceed
    }

    func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer {
        .proceed
    }

    func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer {
        .retry
    }

    func longestTime(of hook: Hook) -> @Sendable () async -> Void { {} }

    func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        let failure = state.withLock { state in
            state.codes.append(code)
            state.calls.append(call)
            return state.failure
        }
        if let failure { throw failure }
    }
}

@Suite("Codes that a hook delivers", .timeLimit(.minutes(1)))
struct HookDeliveryTests {
    private static let client = ClientID(UUID())

    private func hooks(
        _ receiver: CodeReceiver, onFailure: Hook.FailureRule = .block, isThere: Bool = true
    ) -> OutboxHooks {
        let hook = Hook(
            id: UUID(), displayName: "Codes", event: .otpSend, url: "https://a.example", audience: UUID(),
            onFailure: onFailure)
        let tenant = Tenant(
            id: .contoso, subdomain: "contoso", domain: "contoso.example", displayName: "Contoso",
            hooks: isThere ? [hook] : [])
        let application = Client(
            id: Self.client, displayName: "App", userFlow: UserFlow(method: .emailOneTimePasscode))
        return OutboxHooks(
            clients: TenantDirectory([.init(tenant: tenant, applications: [application])]), receiver: receiver)
    }

    private func content() -> MailContent {
        var content = MailContent.fixture(purpose: .signIn)
        content.request = MailContent.Request(client: Self.client, correlationID: UUID(), source: "192.0.2.7")
        return content
    }

    @Test("SEC-HOOK-6: the receiver gets the code, and no mail is sent")
    func delivered() async throws {
        let (outbox, transport, receiver) = (try OutboxFixture(), ScriptedTransport(), CodeReceiver())
        let worker = try outbox.worker(transport, hooks: hooks(receiver))
        try await outbox.enqueue(content())
        #expect(try await worker.processDueMail() == 1)
        #expect(
            receiver.codes == [
                CodeToDeliver(recipient: "ada@example.com", code: Secret("12345678"), purpose: .signIn)
            ])
        let call = try #require(receiver.calls.first)
        #expect(call.clientName == "App" && call.source == "192.0.2.7" && call.domain == "contoso.example")
        #expect(transport.attemptCount == 0)
        #expect(try await outbox.states() == ["sent, wiped"])
    }

    @Test("SEC-HOOK-6: a receiver that fails is tried again, and no mail is sent")
    func blocked() async throws {
        let (outbox, transport, receiver) = (try OutboxFixture(), ScriptedTransport(), CodeReceiver())
        receiver.fail(with: .timedOut)
        let worker = try outbox.worker(transport, hooks: hooks(receiver))
        try await outbox.enqueue(content())
        _ = try await worker.processDueMail()
        #expect(try await outbox.states() == ["pending"])
        receiver.fail(with: nil)
        outbox.clock.advance(by: 2)
        _ = try await worker.processDueMail()
        #expect(receiver.codes.count == 2 && transport.attemptCount == 0)
        #expect(try await outbox.states() == ["sent, wiped"])
    }

    @Test("SEC-HOOK-3: when the hook may fail, the code is mailed")
    func mailed() async throws {
        let (outbox, transport, receiver) = (try OutboxFixture(), ScriptedTransport(), CodeReceiver())
        receiver.fail(with: .unreachable)
        let worker = try outbox.worker(transport, hooks: hooks(receiver, onFailure: .proceed))
        try await outbox.enqueue(content())
        _ = try await worker.processDueMail()
        #expect(receiver.codes.count == 1 && transport.mails.count == 1)
    }

    @Test("Notices, codes from before the hook, codes of a hook that is gone, and decoys are not its receiver's")
    func others() async throws {
        let (outbox, transport, receiver) = (try OutboxFixture(), ScriptedTransport(), CodeReceiver())
        let worker = try outbox.worker(transport, hooks: hooks(receiver))
        var notice = MailContent.notice(.passwordChanged, .english)
        notice.request = content().request
        try await outbox.enqueue(notice)
        try await outbox.enqueue(.fixture())
        var decoy = content()
        decoy.recipient = MailContent.noRecipient
        try await outbox.enqueue(decoy)
        _ = try await worker.processDueMail()
        let gone = try outbox.worker(transport, hooks: hooks(receiver, isThere: false))
        try await outbox.enqueue(content())
        _ = try await gone.processDueMail()
        #expect(receiver.codes.isEmpty)
        #expect(transport.mails.count == 3)
        #expect(try await outbox.states() == ["sent, wiped", "sent, wiped", "sent, wiped", "sent, wiped"])
    }
}

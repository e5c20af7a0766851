import Foundation
import NativeAuth
import NativeAuthTesting
import Synchronization
import Testing

private let dana = "dana@example.com"

/// Cancels a conversation while it waits: for prompts, and for the server.
@Suite("Conversation: cancellation", .timeLimit(.minutes(1)))
struct CancelledConversationTests {
    /// A wait that does not notice a cancelled task.
    private final class Gate: Sendable {
        private let held = Mutex<CheckedContinuation<Void, Never>?>(nil)
        private let arrivals = AsyncStream<Void>.makeStream()

        func pass() async {
            await withCheckedContinuation { continuation in
                held.withLock { $0 = continuation }
                arrivals.continuation.yield()
            }
        }

        /// Returns when the flow waits.
        func arrival() async {
            for await _ in arrivals.stream { return }
        }

        func open() {
            held.withLock { $0.take() }?.resume()
        }
    }

    /// Prompts that answer with the right code, once the gate is open.
    private struct GatedPrompts: FlowPrompts {
        let gate: Gate
        let tenant: TestTenant

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            let code = try await tenant.mailbox.code(for: dana)
            await gate.pass()
            return .code(code)
        }
    }

    /// Prompts that answer with the right code.
    private struct MailedCodes: FlowPrompts {
        let tenant: TestTenant

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            .code(try await tenant.mailbox.code(for: dana))
        }
    }

    /// Counts requests, and holds the answer to one of them.
    private final class GatedTransport: HTTPTransport {
        private let server: any HTTPTransport
        private let gate: Gate
        private let stop: Int?
        private let sent = Mutex(0)

        init(_ tenant: TestTenant, _ gate: Gate, stop: Int? = nil) {
            (server, self.gate, self.stop) = (tenant.transport, gate, stop)
        }

        var count: Int { sent.withLock(\.self) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let number = sent.withLock { sent in
                defer { sent += 1 }
                return sent
            }
            let response = try await server.send(request)
            if number == stop { await gate.pass() }
            return response
        }
    }

    private func client(_ tenant: TestTenant, _ transport: GatedTransport) -> NativeAuthClient {
        var configuration = tenant.configuration()
        configuration.transport = transport
        return NativeAuthClient(configuration)
    }

    @Test func aCancelledQuestionEndsTheFlowAndItsLateAnswerIsDropped() async throws {
        let (tenant, gate) = (try TestTenant(), Gate())
        let transport = GatedTransport(tenant, gate)
        let client = client(tenant, transport)
        let flow = Task { try await client.signUp(username: dana, asking: GatedPrompts(gate: gate, tenant: tenant)) }
        await gate.arrival()
        flow.cancel()
        // The gate is still closed: the flow does not wait for the prompts.
        await #expect {
            try await flow.value
        } throws: {
            if case SignUpError.service(.cancelled) = $0 { true } else { false }
        }
        gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.count == 2)
        #expect(client.accounts().isEmpty)
    }

    @Test("A cancelled request ends the flow; only after the account exists the end says so", arguments: 0..<4)
    func aCancelledRequestEndsTheFlow(_ stop: Int) async throws {
        let (tenant, gate) = (try TestTenant(), Gate())
        let transport = GatedTransport(tenant, gate, stop: stop)
        let client = client(tenant, transport)
        let flow = Task { try await client.signUp(username: dana, asking: MailedCodes(tenant: tenant)) }
        await gate.arrival()
        flow.cancel()
        do {
            guard case .signInRequired(.service(.cancelled)) = try await flow.value else {
                Issue.record("The user is signed in.")
                return
            }
            #expect(stop == 3)
        } catch SignUpError.service(.cancelled) {
            #expect(stop < 3)
        }
        gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.count == stop + 1)
        #expect(client.accounts().isEmpty)
    }

    @Test func theTaskOfTheQuestionIsCancelledToo() async throws {
        /// Waits until its task is cancelled.
        struct Attentive: FlowPrompts {
            let asked = AsyncStream<Void>.makeStream()
            let left = AsyncStream<Void>.makeStream()

            func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
                asked.continuation.yield()
                while !Task.isCancelled { await Task.yield() }
                left.continuation.yield()
                throw CancellationError()
            }
        }
        let tenant = try TestTenant()
        let prompts = Attentive()
        let flow = Task {
            try await NativeAuthClient(tenant.configuration()).signUp(username: dana, asking: prompts)
        }
        for await _ in prompts.asked.stream { break }
        flow.cancel()
        for await _ in prompts.left.stream { break }
        await #expect(throws: SignUpError.self) { try await flow.value }
    }
}

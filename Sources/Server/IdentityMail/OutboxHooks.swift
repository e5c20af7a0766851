package import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Has the receiver of a tenant's hook deliver codes in place of the mail server (docs/operate/hooks.md).
package struct OutboxHooks: Sendable {
    /// What became of a code.
    enum Result: Sendable {
        /// No hook delivers it, or the hook says that a failure means to mail it.
        case notMine
        case delivered
        /// The receiver failed; try again.
        case failed
    }

    private let clients: any ClientStore
    private let receiver: any HookReceiver

    package init(clients: any ClientStore, receiver: any HookReceiver) {
        self.clients = clients
        self.receiver = receiver
    }

    /// - Parameter text: The text message, when the code is to be texted.
    func deliver(_ content: MailContent, of id: TenantID, text: OutgoingText? = nil, now: Date) async -> Result {
        guard let request = content.request, let code = content.code else { return .notMine }
        let call: HookCall
        do {
            // The document may have changed since the code was drawn: a hook that is gone is not called.
            guard let tenant = try await clients.tenant(named: id.description),
                let client = try await clients.client(request.client, in: id),
                let hook = tenant.hook(for: .otpSend, of: client)
            else { return .notMine }
            call = HookCall(
                hook: hook, tenant: id, domain: tenant.domain, client: client.id, clientName: client.displayName,
                correlationID: request.correlationID, source: request.source, language: content.language, now: now)
        } catch {
            return .failed
        }
        do {
            try await receiver.deliver(
                CodeToDeliver(recipient: content.recipient, code: Secret(code), purpose: content.purpose, text: text),
                asking: call)
            return .delivered
        } catch {
            switch call.hook.onFailure {
            case .block: return .failed
            case .proceed: return .notMine
            }
        }
    }
}

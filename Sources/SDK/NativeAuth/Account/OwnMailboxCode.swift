import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The code to the user's own mailbox, which comes before a method that is worth more than the session has proven.

/// The step after that code.
protocol AfterOwnMailbox: StepState {
    /// The operation that begins the addition, and sends the code again.
    static var addition: DirectoryOperation { get }
    /// The operation that takes the code.
    static var confirmation: DirectoryOperation { get }

    init(_ reply: Directory.CodeSent, _ flow: Flow) throws(AccountError)
}

/// The copyable form of the steps that ask for the code, each with another step after it.
struct OwnMailboxCodeState<Next: AfterOwnMailbox>: StepState {
    let code: SentCode
    var flow: Flow
    let use = StepUse()

    init(accepting sent: Directory.CodeSent, _ flow: Flow) throws(AccountError) {
        var flow = flow
        do throws(NativeAuthError) {
            code = try flow.takeCode(
                sentTo: sent.targetLabel, channel: "email", length: sent.codeLength, interval: sent.resendAfter,
                token: Secret(sent.continuationToken))
        } catch {
            throw AccountError(error)
        }
        self.flow = flow
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let code = fields.code, flow.homeAccountID != nil else { return nil }
        self.code = code
        self.flow = flow
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.code = code
    }

    func submit(code: String) async throws(NativeAuthError) -> Next {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) -> Next in
            do throws(AccountError) {
                let asked = Directory.ConfirmContact(
                    continuationToken: flow.continuationToken?.reveal() ?? "", code: code.reveal())
                return try Next(try await flow.directoryReply(Next.confirmation, asked), flow)
            } catch {
                throw error.asNativeAuthError
            }
        }
    }

    func resend() async throws(NativeAuthError) -> Self {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            do throws(AccountError) {
                let again = Directory.BeginMethod(continuationToken: flow.continuationToken?.reveal())
                return try Self(accepting: try await flow.directoryReply(Next.addition, again), flow)
            } catch {
                throw error.asNativeAuthError
            }
        }
    }
}

extension Flow {
    /// Asks the directory for the account that the flow changes.
    func directoryReply(
        _ operation: DirectoryOperation, _ body: some Encodable
    ) async throws(AccountError) -> Directory.CodeSent {
        try await account().directory(
            operation, body: try Account.body(body, correlationID), correlationID: correlationID)
    }

    /// The last request of a change.
    func directoryChange(_ operation: DirectoryOperation, _ body: some Encodable) async throws(AccountError) {
        try await account().change(
            operation, body: try Account.body(body, correlationID), correlationID: correlationID)
    }
}

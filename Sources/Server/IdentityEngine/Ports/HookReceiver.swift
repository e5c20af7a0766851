package import NativeAuthCore
package import PortableFoundation

/// Calls the receivers of hooks; each method is one event with its own answers (docs/protocol.md §20).
package protocol HookReceiver: AnyObject, Sendable {
    /// The claims that the receiver gives for a user's tokens, by the names of the answer.
    func claims(
        for user: User, asking call: HookCall
    ) async throws(HookFailure) -> [String: ClaimValue]
    /// What to do with a sign-up whose mailbox is proven.
    func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer
    /// What to do with a sign-up whose attributes are complete.
    func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer
    /// What to do with a sign-in whose password only the receiver's system can know.
    func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer
    /// Starts the longest time that a call of the hook can take, all attempts together.
    ///
    /// - Returns: Waits until that time has passed.
    func longestTime(of hook: Hook) -> @Sendable () async -> Void
    /// Notes that the engine refuses what a receiver answered.
    func refuse(_ failure: HookFailure, of call: HookCall)
    /// Has the receiver deliver a code.
    func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure)
}

/// The number of steps that a node works on.
package protocol NodeLoad: AnyObject, Sendable {
    /// Notes that a step begins or ends to wait for a receiver: such a step is no load.
    func note(isWaiting: Bool)
}

/// What every call of a receiver states.
package struct HookCall: Hashable, Sendable {
    package var hook: Hook
    package var tenant: TenantID
    /// The tenant's domain, the issuer of sign-in names.
    package var domain: String
    package var client: ClientID
    package var clientName: String
    /// The same on a repeated attempt.
    package var correlationID: UUID
    /// The source of the user's request as text: an IPv4 address, or the /64 of an IPv6 address; nil when unknown.
    package var source: String?
    package var language: MailLanguage
    package var now: Date

    package init(
        hook: Hook, tenant: TenantID, domain: String, client: ClientID, clientName: String, correlationID: UUID,
        source: String?, language: MailLanguage, now: Date
    ) {
        self.hook = hook
        self.tenant = tenant
        self.domain = domain
        self.client = client
        self.clientName = clientName
        self.correlationID = correlationID
        self.source = source
        self.language = language
        self.now = now
    }
}

/// The data of a sign-up that a receiver judges.
package struct CollectedAttributes: Hashable, Sendable {
    package var email: String
    package var attributes: [String: AttributeValue]

    package init(email: String, attributes: [String: AttributeValue]) {
        self.email = email
        self.attributes = attributes
    }
}

/// A receiver's answer at the start of the collection.
package enum CollectionStartAnswer: Hashable, Sendable {
    case proceed
    /// Values for attributes that the user has not given.
    case prefill([String: AttributeValue])
    /// End the sign-up, for this reason.
    case block(String)
}

/// A receiver's answer to complete attributes.
package enum CollectionSubmitAnswer: Hashable, Sendable {
    case proceed
    /// Store these values in place of the user's.
    case modify([String: AttributeValue])
    /// Ask the user again for these attributes.
    case refuse(attributes: [String], reason: String)
    /// End the sign-up, for this reason.
    case block(String)
}

/// A password for a receiver to judge.
package struct SubmittedPassword: Hashable, Sendable {
    package var user: User
    package var password: Secret<String>

    package init(user: User, password: Secret<String>) {
        self.user = user
        self.password = password
    }
}

/// A receiver's answer to a password.
package enum PasswordSubmitAnswer: Hashable, Sendable {
    /// It is right: store it, and sign the user in.
    case migrate
    /// It is right, and the user must choose another one.
    case update
    /// It is wrong.
    case retry
    /// Refuse the sign-in, for this reason.
    case block(String)
}

/// A code for a receiver to deliver.
package struct CodeToDeliver: Hashable, Sendable {
    /// An e-mail address, or the telephone number of a text.
    package var recipient: String
    package var code: Secret<String>
    package var purpose: MailContent.Purpose
    /// The text message; nil: it is to be mailed.
    package var text: OutgoingText?

    package init(
        recipient: String, code: Secret<String>, purpose: MailContent.Purpose, text: OutgoingText? = nil
    ) {
        self.recipient = recipient
        self.code = code
        self.purpose = purpose
        self.text = text
    }
}

/// Why a call of a receiver failed. Neither the cases nor their texts hold a part of the answer, which may contain
/// anything.
package enum HookFailure: Error, Hashable, Sendable {
    /// No connection was possible, or it broke.
    case unreachable
    case timedOut
    /// The address, as it was resolved, is not public, and the operator has not allowed it (`SEC-NET-13`).
    case forbiddenAddress
    /// The receiver answered with this status, which is not 200.
    case status(Int)
    /// The answer is not `application/json`.
    case contentType
    case empty
    /// The answer is longer than 64 KiB.
    case tooLarge
    /// The answer is not the JSON of the event.
    case body
    /// The answer has no action, or several.
    case numberOfActions
    /// The answer has an action that the event does not have.
    case unknownAction
    /// A claim has no name.
    case claimWithoutName
    /// The claims do not fit into a token.
    case claimsTooLarge
    /// A value breaks the rules of its attribute.
    case attribute
    /// The receiver failed often in the last seconds and is not called for a while.
    case resting
    /// Too many calls of the receiver wait for its answers.
    case busy
    /// The answer to a password does not return the call's `nonce`.
    case nonce
    /// No token for the call could be signed, or the password not be encrypted.
    case noToken

    /// The vendor's number, as its sign-in log has it (docs/protocol.md §20.5).
    package var number: Int {
        switch self {
        case .unreachable: 1_003_027
        case .timedOut: 1_003_005
        case .forbiddenAddress: 1_003_020
        case .status(429), .busy, .resting: 1_003_004
        case .status: 1_003_002
        case .contentType: 1_003_006
        case .empty: 1_003_009
        case .tooLarge: 1_003_024
        case .body, .attribute, .nonce: 1_003_003
        case .numberOfActions: 1_003_010
        case .unknownAction: 1_003_012
        case .claimWithoutName: 1_003_026
        case .claimsTooLarge: 1_003_025
        case .noToken: 1_003_001
        }
    }

    /// One word for logs and metrics.
    package var word: String {
        switch self {
        case .unreachable: "unreachable"
        case .timedOut: "timed-out"
        case .forbiddenAddress: "forbidden-address"
        case .status(let status): "status-\(status)"
        case .contentType: "content-type"
        case .empty: "empty"
        case .tooLarge: "too-large"
        case .body: "body"
        case .numberOfActions: "number-of-actions"
        case .unknownAction: "unknown-action"
        case .claimWithoutName: "claim-without-name"
        case .claimsTooLarge: "claims-too-large"
        case .attribute: "attribute"
        case .resting: "resting"
        case .busy: "busy"
        case .nonce: "nonce"
        case .noToken: "no-token"
        }
    }
}

extension HookReceiver {
    package func refuse(_ failure: HookFailure, of call: HookCall) {}
}

/// For servers without hooks: every call fails.
package final class NoHookReceiver: HookReceiver {
    package init() {}

    package func claims(for user: User, asking call: HookCall) async throws(HookFailure) -> [String: ClaimValue] {
        throw .unreachable
    }

    package func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer {
        throw .unreachable
    }

    package func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer {
        throw .unreachable
    }

    package func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        throw .unreachable
    }

    package func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer {
        throw .unreachable
    }

    package func longestTime(of hook: Hook) -> @Sendable () async -> Void { {} }
}

package import NativeAuthCore
package import PortableFoundation

/// Hands text messages to a gateway.
package protocol TextGateway: Sendable {
    /// Returns once the gateway has taken responsibility for the text.
    func send(_ text: OutgoingText) async throws(TextFailure)
}

/// A text for a gateway.
package struct OutgoingText: Hashable, Sendable {
    /// The same at each attempt; the gateway's report names it.
    package var id: UUID
    package var tenant: TenantID
    package var to: PhoneNumber
    /// With the code in the clear.
    package var body: Secret<String>
    /// How long the code is still valid, in seconds.
    package var validity: Int

    package init(id: UUID, tenant: TenantID, to: PhoneNumber, body: Secret<String>, validity: Int) {
        self.id = id
        self.tenant = tenant
        self.to = to
        self.body = body
        self.validity = validity
    }
}

/// Why a gateway did not take a text. Neither the cases nor their texts hold a part of the gateway's answer, which can repeat
/// the text.
package enum TextFailure: Error, Hashable, Sendable {
    /// The number gets no texts: it does not exist, is no mobile one, is blocked, or its owner wants none.
    case numberRefused(code: Int)
    /// The gateway refuses the text for another reason, and would refuse it again.
    case rejected(code: Int)
    /// It did not take the text now; a later attempt can succeed. A word for the log.
    case temporary(String)
    /// It gave no answer, and may have the text: few attempts follow, each of which may cost a text. A word for the log.
    case noAnswer(String)
}

/// What the gateway reports of texts later.
package protocol TextReportStore: Sendable {
    /// Notes the first final report of a text; does nothing when there is one, or no such text.
    func note(_ report: TextReport, of text: UUID, in tenant: TenantID) async throws(StoreError)
}

package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a flow decided. It is committed whatever the verdict says: a wrong code must be counted (decision D3).
package struct Decision<State: Hashable & Sendable>: Hashable, Sendable {
    package var verdict: Verdict
    /// The state that the answer's token carries; nil: the client goes on with the token it presented, or not at all.
    package var next: State?
    /// The flow's row as it must stand afterwards; nil: nothing is to be written.
    package var row: FlowRow?
    package var effects: [FlowEffect]

    package init(_ verdict: Verdict, next: State? = nil, row: FlowRow? = nil, effects: [FlowEffect] = []) {
        self.verdict = verdict
        self.next = next
        self.row = row
        self.effects = effects
    }

    /// A no that changes nothing: the presented token stays as good as it was.
    package static func refused(_ refusal: Refusal) -> Decision {
        Decision(.refused(refusal))
    }
}

/// What a decision wants done. The engine turns it into rows of the same commit.
package enum FlowEffect: Hashable, Sendable {
    case createUser(SignUpDraft, id: UserID)
    case mailCode(FreshCode, to: EmailAddress)
    case openRefreshFamily(RefreshFamily)
    case record(AuditEvent.Kind, user: UserID? = nil, detail: String? = nil)
    case count(CountedEvent)
    case forget(CountedEvent)
}

/// A code that was just drawn: its digits for the mail, its digest for the row.
package struct FreshCode: Hashable, Sendable {
    package var digits: Secret<String>
    package var record: CodeRecord

    package init(digits: Secret<String>, record: CodeRecord) {
        self.digits = digits
        self.record = record
    }
}

/// What a step knows when it decides: the row under lock, who owns which name, and the time.
package struct StepSituation: Sendable {
    package var row: FlowRow
    package var taken: Set<LoginIdentifier.Key>
    /// What was counted for the address in the last 24 hours, oldest first; empty when limits over time are off.
    package var counted: [CountedEvent: [Date]]
    package var now: Date
    package var userFlow: UserFlow
    package var settings: EngineSettings

    package init(
        row: FlowRow, taken: Set<LoginIdentifier.Key>, counted: [CountedEvent: [Date]] = [:], now: Date,
        userFlow: UserFlow, settings: EngineSettings
    ) {
        self.row = row
        self.taken = taken
        self.counted = counted
        self.now = now
        self.userFlow = userFlow
        self.settings = settings
    }
}

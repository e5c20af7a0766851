package import NativeAuthCore
package import PortableFoundation

/// What an operator asks of the audit trail. A line is found when it meets all of it.
package struct AuditQuery: Hashable, Sendable {
    package var kinds: Set<AuditEvent.Kind>
    package var user: UserID?
    /// The application or the daemon.
    package var client: ClientID?
    /// The first moment that counts.
    package var since: Date?
    /// The last moment that counts.
    package var until: Date?
    /// Only sealed lines behind this position of the chain: then the order is that of positions. Lines get their positions in
    /// the order in which they became visible, so that a reader who goes on from the highest one misses none.
    package var after: Int?
    /// Only lines with a lower number, or position; nil: from the newest line.
    package var before: Int?
    /// The length of a page, 1 to 1,000.
    package var limit: Int

    package init(_ kinds: Set<AuditEvent.Kind>, limit: Int = 100) {
        self.kinds = kinds
        self.limit = limit
    }
}

/// Lines of the audit trail, the newest first.
package struct AuditPage: Hashable, Sendable {
    package var events: [RecordedEvent]
    /// The ``AuditQuery/before`` of the next page; nil when no line follows. A page may be short, or empty, and have a next
    /// one: a page looks at a bounded number of lines.
    package var next: Int?

    package init(_ events: [RecordedEvent], next: Int?) {
        self.events = events
        self.next = next
    }
}

/// The place in a list that a number names, in a skip token.
package struct ListOffset: Hashable, Sendable, Codable {
    package var number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

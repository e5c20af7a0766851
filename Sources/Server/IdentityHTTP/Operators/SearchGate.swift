import NativeAuthCore

/// Lets few searches run at a time, so that they never take all connections of a database.
struct SearchGate: Sendable {
    private static let most = 2
    private let running = Locked(0)

    /// - Throws: ``RequestFault/unavailable(retryAfter:)`` when enough are running.
    func callAsFunction<Value>(_ search: () async throws -> Value) async throws -> Value {
        let isAdmitted = running.withLock { running in
            guard running < Self.most else { return false }
            running += 1
            return true
        }
        guard isAdmitted else { throw RequestFault.unavailable(retryAfter: 1) }
        defer { running.withLock { $0 -= 1 } }
        return try await search()
    }
}

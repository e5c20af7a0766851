import NativeAuthCore

/// Lets few questions of the console run at a time, and two of one operator, so that no operator keeps others out. A question
/// waits up to two seconds for its place.
struct ConsoleGate: Sendable {
    private static let most = 6
    private static let mostOfOne = 2
    private let running = Locked<[UserID?: Int]>([:])

    /// - Throws: ``RequestFault/unavailable(retryAfter:)`` when there is no place in time.
    func callAsFunction<Value>(_ visitor: UserID?, _ search: () async throws -> Value) async throws -> Value {
        for _ in 0..<80 {
            if enter(visitor) {
                defer { leave(visitor) }
                return try await search()
            }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw RequestFault.unavailable(retryAfter: 1)
    }

    private func enter(_ visitor: UserID?) -> Bool {
        running.withLock { running in
            guard running.values.reduce(0, +) < Self.most, running[visitor, default: 0] < Self.mostOfOne else {
                return false
            }
            running[visitor, default: 0] += 1
            return true
        }
    }

    private func leave(_ visitor: UserID?) {
        running.withLock { running in
            running[visitor, default: 0] -= 1
            if running[visitor] == 0 { running[visitor] = nil }
        }
    }
}
